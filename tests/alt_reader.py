#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""A second reader of .emlat files, written from doc/format.md and doc/json.md alone.

Prints what `emlat dump --json FILE` prints, up to the spelling of equal JSON.  Takes its tables from
the text of doc/format.md, not from emlat's source.  Exit 3 where the file is damaged.
"""
import json
import os
import re
import struct
import sys
import uuid

DOC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "doc", "format.md")
MAGIC = bytes.fromhex("454d4c4154000d0a")
PAYLOAD_MAX, TEXT_MAX = 16 << 20, 65536
CLASSES = {1: "root_kinds", 2: "span_kinds", 3: "counters", 4: "marks"}
VOCABULARY = {"ROOT_KIND": 1, "SPAN_KIND": 2, "COUNTER_KIND": 3, "MARK_KIND": 4}


class Damaged(Exception):
    pass


def check(condition, why):
    if not condition:
        raise Damaged(why)


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC = crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def text_of(data):
    return re.sub("[\udc80-\udcff]", "\ufffd", data.decode("utf-8", "surrogateescape"))


class Tables:
    """Section 7 of doc/format.md."""

    def __init__(self, path):
        self.types, self.words, self.records = {}, {}, {}
        section, record = None, None
        with open(path, encoding="utf-8") as doc:
            text = doc.read().split("<!-- tables: begin -->")[1].split("<!-- tables: end -->")[0]
        for line in text.splitlines():
            if line.startswith("### "):
                section = line[4:]
                heading = re.fullmatch(r"(\w+): chunk type (\d+), version (\d+)", section)
                if heading:
                    record = {"name": heading[1].lower(), "version": int(heading[3]), "fields": []}
                    self.records[int(heading[2])] = record
            cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
            if not line.startswith("| ") or cells[0] in ("type", "table", "bit", "name"):
                continue
            if section == "Types":
                self.types[cells[0]] = (cells[1], cells[2])
            elif section == "Words":
                self.words[cells[0], int(cells[1])] = cells[2]
            elif ": chunk type" in section:
                record["fields"].append((cells[1], cells[2], int(cells[4])))


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        check(count <= self.left(), "bytes run out")
        self.at += count
        return self.data[self.at - count:self.at]

    def groups(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value, shift, byte
            check(shift < 70, "number too long")

    def u(self):
        value, _, _ = self.groups()
        check(value < 1 << 64, "number too large")
        return value

    def s(self):
        value, shift, byte = self.groups()
        if shift == 70:
            check(byte in (0, 0x7F), "number too large")
        if byte & 0x40:
            value -= 1 << shift
        if shift == 70:
            value = (value + (1 << 63)) % (1 << 64) - (1 << 63)
        return value

    def text(self):
        length = self.u()
        check(length <= TEXT_MAX, "text too long")
        return self.take(length)


class Reader:
    def __init__(self, data, tables, out):
        self.data, self.tables, self.out = data, tables, out
        self.strings, self.attributes, self.words = {}, {}, {}
        self.chunks = 0

    def put(self, thing):
        self.out.append(thing)

    def header(self):
        data = self.data
        check(data, "empty")
        check(data[:8] == MAGIC[:len(data)], "not an emlat file")
        check(len(data) >= 64, "truncated")
        major, minor, flags, ident, sequence, realtime, monotonic, crc = \
            struct.unpack_from("<HHI16sQQQI", data, 8)
        check(crc == crc32c(data[:56]), "header CRC")
        check(major == 1, "version")
        self.put({"schema": "emlat.dump/1", "format_major": major, "format_minor": minor,
                  "flags": flags, "session": str(uuid.UUID(bytes=ident)),
                  "file_sequence": sequence, "realtime_ns": realtime, "monotonic_ns": monotonic})

    def run(self):
        self.header()
        at, last = 64, None
        while at < len(self.data):
            header = self.data[at:at + 40]
            check(len(header) == 40, "truncated chunk header")
            magic, kind, version, flags, size, stored, plain, sequence, crc, header_crc = \
                struct.unpack("<4sHHIIIIQII", header)
            check(magic == b"CHNK", "chunk magic")
            check(40 <= size <= 1024 and size % 8 == 0, "chunk header size")
            whole = self.data[at:at + size]
            check(len(whole) == size, "truncated chunk header")
            check(crc32c(whole[:36] + bytes(4) + whole[40:]) == header_crc, "chunk header CRC")
            check(stored <= PAYLOAD_MAX, "payload size")
            check(last is None or sequence > last, "sequence")
            last = sequence
            payload = self.data[at + size:at + size + stored]
            check(len(payload) == stored, "truncated payload")
            if flags == 0:
                check(stored == plain and crc == crc32c(payload), "payload CRC")
            self.payload(kind, version, flags, payload)
            self.chunks += 1
            at += size + (stored + 7) // 8 * 8
        check(at == len(self.data), "truncated padding")

    def payload(self, kind, version, flags, payload):
        known = {1: 1, 2: 1, **{k: r["version"] for k, r in self.tables.records.items()}}
        check(version or kind not in known, "version 0")
        if flags or version > known.get(kind, 0):
            return
        get = Bytes(payload)
        items = {1: self.session, 2: self.string}.get(kind, self.blocks)(get, kind, version)
        check(not get.left(), "bytes past the end")
        for item in items:
            self.put(item)

    def string(self, get, _, version):
        items = []
        check(1 <= get.u() <= version, "version")
        for _ in range(get.u()):
            ident, data = get.u(), get.text()
            check(ident and self.strings.setdefault(ident, data) == data, "string ID")
            items.append({"record": "string", "id": ident, "text": text_of(data)})
        return items

    def session(self, get, _, version):
        check(1 <= get.u() <= version, "version")
        attributes, words = dict(self.attributes), dict(self.words)
        count = get.u()
        check(count <= 256, "attributes")
        for _ in range(count):
            name, kind = get.text(), get.u()
            check(name and b"\0" not in name and kind in (0, 1), "attribute")
            value = get.text() if kind else get.u()
            check(not kind or b"\0" not in value, "attribute")
            attributes[text_of(name)] = text_of(value) if kind else value
        count = get.u()
        check(count <= 1024, "words")
        for _ in range(count):
            kind, number, name, unit, flags = [get.u() for _ in range(5)]
            check(kind in CLASSES and (kind != 3 or number < 64), "word")
            check(name in self.strings and (not unit or unit in self.strings), "word's string")
            name, unit = self.strings[name], self.strings[unit] if unit else b""
            check(b"\0" not in name + unit, "word's string")
            words[kind, number] = {"number": number, "name": text_of(name),
                                   **({"unit": text_of(unit)} if unit else {}), "flags": flags}
        self.attributes, self.words = attributes, words
        lists = {title: [w for (k, _), w in words.items() if k == kind]
                 for kind, title in CLASSES.items()}
        return [{"record": "session", **attributes, **lists}]

    def word(self, kind, value):
        words = self.tables.types[kind][1]
        if words == "VOCABULARY":
            word = self.words.get((VOCABULARY[kind], value))
            return word["name"] if word else value
        if words == "STRING":
            text = self.strings.get(value, b"\0")
            return value if b"\0" in text else text_of(text)
        return self.tables.words.get((words, value), value)

    def field(self, get, name, kind, block, shape):
        coding, fields, types = self.tables.types[kind][0], block["fields"], block["types"]
        if coding == "PLAIN":
            fields[name] = get.u()
            return fields[name]
        if coding == "BASE":
            value = block["base"] + get.u()
            check(value < 1 << 64, "time")
            return value
        if coding == "SERIAL":
            fields[name] = (fields.get(name, 0) + 1 + get.s()) % (1 << 64)
            return fields[name]
        if coding == "CHAIN":
            fields[name] = (fields.get(name, 0) + get.s()) % (1 << 64)
            return fields[name]
        if coding == "CHAIN_ALL":
            types[kind] = (types.get(kind, 0) + get.s()) % (1 << 64)
            return types[kind]
        if coding == "RANGE":
            batch = types[kind] = (types.get(kind, 0) + get.s()) % (1 << 64)
            begin, length = get.u(), get.u()
            check(1 <= batch < 1 << 32 and begin + length <= 65535, "range")
            return {"batch": batch, "begin": begin, "end": begin + length}
        if coding == "BLOCK":
            return block["thread"]
        if coding == "COUNTERS":
            changed, there, counters, last = get.u(), shape["counters"], {}, block["counters"]
            check(not changed & ~there, "counters")
            for bit in range(64):
                if changed >> bit & 1:
                    last[bit] = (last.get(bit, 0) + get.s()) % (1 << 64)
                if there >> bit & 1:
                    word = self.words.get((3, bit))
                    counters[word["name"] if word else str(bit)] = last.get(bit, 0)
            return counters
        return None

    def shape(self, get, schema, block, version):
        number = get.u()
        if number:
            check(number <= len(block["shapes"]), "shape")
            return block["shapes"][number - 1]
        shape = {"present": get.u(), "same": get.u(), "counters": 0, "words": {}}
        check(not shape["same"] & ~shape["present"], "same")
        for bit in range(64):
            if not shape["present"] >> bit & 1:
                continue
            check(bit < len(schema["fields"]) and schema["fields"][bit][2] <= version, "bit")
            name, kind, _ = schema["fields"][bit]
            coding = self.tables.types[kind][0]
            check(not shape["same"] >> bit & 1 or coding in ("PLAIN", "CHAIN", "SERIAL", "BASE"),
                  "same")
            if coding == "SHAPE":
                shape["words"][name] = get.u()
            elif coding == "COUNTERS":
                shape["counters"] = get.u()
        if len(block["shapes"]) < 127:
            block["shapes"].append(shape)
        return shape

    def record(self, get, schema, block, version):
        shape, values = self.shape(get, schema, block, version), {}
        mask, time = shape["present"], block["base"]
        for bit, (name, kind, _) in enumerate(schema["fields"]):
            if not mask >> bit & 1:
                continue
            coding, words = self.tables.types[kind][:2]
            if coding == "COMPUTED":
                mask &= ~(1 << bit)
            elif coding == "SHAPE":
                values[name] = self.word(kind, shape["words"][name])
            elif shape["same"] >> bit & 1:
                last = block["fields"].get(name, 0)
                if coding == "SERIAL":
                    last = block["fields"][name] = (last + 1) % (1 << 64)
                values[name] = time if coding == "BASE" else last
            else:
                values[name] = self.field(get, name, kind, block, shape)
            if coding == "BASE":
                time = values[name]
            if words == "STRING":
                values[name] = self.word(kind, values[name])
        item = {"record": schema["name"]}
        for bit, (name, kind, _) in enumerate(schema["fields"]):
            if name == "input_uncertainty_ns":
                early, late = values.get("t_input_earliest"), values.get("t_input_latest")
                if early is not None and late is not None and late >= early:
                    values[name] = late - early
                    mask |= 1 << bit
            if name in values:
                item[name] = values[name]
        item["validity_mask"] = mask
        return item

    def blocks(self, get, kind, version):
        schema, items = self.tables.records[kind], []
        block = {"base": 0, "fields": {}, "types": {}, "counters": {}, "shapes": []}
        while get.left():
            of_block = get.u()
            block["base"] = (block["base"] + get.s()) % (1 << 64)
            block["thread"] = get.u()
            count = get.u()
            check(1 <= of_block <= version and count <= get.left(), "block")
            items += [self.record(get, schema, block, of_block) for _ in range(count)]
        return items


def read(data, tables):
    """The objects of DATA, the number of whole chunks, and what is wrong or None."""
    reader = Reader(data, tables, [])
    try:
        reader.run()
    except Damaged as why:
        return reader.out, reader.chunks, str(why)
    return reader.out, reader.chunks, None


def main():
    with open(sys.argv[1], "rb") as file:
        out, _, why = read(file.read(), Tables(DOC))
    for item in out:
        print(json.dumps(item, ensure_ascii=False, separators=(",", ":")))
    if why:
        print("alt_reader: " + why, file=sys.stderr)
    sys.exit(3 if why else 0)


if __name__ == "__main__":
    main()
