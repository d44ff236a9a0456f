#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Hold what Emacs recorded of itself against what the replay saw from outside.

1. Bytes: what the replay wrote = what the read batches hold + what the terminal turned into a
   signal + what it discarded with one.
2. Times: for every flushed interaction, the interval from the latest arrival of its decisive byte to
   the end of its flush lies within the outside one, from the write of that byte to the moment when
   the program was seen quiet again after its output was read.

Exit 1 where either does not hold.  Usage: check_witness.py EMLAT FILE.emlat WITNESS.json"""

import bisect
import json
import subprocess
import sys


def records(emlat, path):
    dump = subprocess.run([emlat, 'dump', '--json', path], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in dump.stdout.splitlines()]


def main(emlat, path, witness_path):
    with open(witness_path, encoding='utf-8') as file:
        witness = json.load(file)
    everything = records(emlat, path)
    batches = [r for r in everything if r.get('record') == 'input']
    flushed = [r for r in everything if r.get('record') == 'interaction'
               and r['status'] != 'superseded' and r.get('presentation') == 'performed'
               and 't_flush_end' in r and 'decisive_source' in r and 't_input_latest' in r]

    written = sum(event['bytes'] for event in witness['events'])
    signals = sum(event['signal_bytes'] for event in witness['events'])
    read = sum(batch['bytes_read'] for batch in batches)
    discarded = written - signals - read
    # A signal can only discard bytes that were written before it and in its own episode.
    endangered = 0
    for number, event in enumerate(witness['events']):
        if event['signal_bytes']:
            endangered += event['bytes'] - event['signal_bytes']
            endangered += sum(other['bytes'] - other['signal_bytes']
                              for other in witness['events'][:number]
                              if other['episode'] == event['episode'])
    print(f'bytes: written {written} = read {read} + signals {signals} + discarded {discarded}')
    bytes_agree = 0 <= discarded <= endangered

    # The byte at each offset of the stream that is read, and the event that wrote it.
    ends, events, offset = [], [], 0
    for event in witness['events']:
        offset += event['bytes'] - event['signal_bytes']
        ends.append(offset)
        events.append(event)
    first_byte, offset = {}, 0
    for batch in sorted(batches, key=lambda b: b['batch_id']):
        first_byte[batch['batch_id']] = offset
        offset += batch['bytes_read']
    settled = [event['t_settled'] for event in events if event['t_settled'] is not None]
    outputs = [t for t, _ in witness['output']]

    inside, late, strict, overrun = 0, [], 0, 0
    for one in flushed:
        source = one['decisive_source']
        event = events[bisect.bisect_right(ends, first_byte[source['batch']] + source['begin'])]
        # The flush's bytes were read no earlier than at the first read after it began.
        seen = outputs[min(bisect.bisect_left(outputs, one['t_flush_begin']), len(outputs) - 1)]
        # The outside interval ends when the program was next seen quiet after that: a command that
        # is silent for a while before it answers spans several episodes.
        after = bisect.bisect_left(settled, seen)
        end = settled[after] if after < len(settled) else witness['t_end']
        if event['t_write_begin'] <= one['t_input_latest'] and one['t_flush_end'] <= end:
            inside += 1
        else:
            late.append(one['cause_id'])
        if one['t_flush_end'] <= seen:
            strict += 1
        else:
            overrun = max(overrun, one['t_flush_end'] - seen)
    print(f'times: {inside} of {len(flushed)} flushed interactions lie within the outside interval')
    print(f'       {strict} flushes returned before the replay read their bytes, the others at most'
          f' {overrun / 1e3:.0f} us after')
    if late:
        print('       outside it: causes ' + ', '.join(map(str, late)))
    if not bytes_agree:
        print(f'       bytes do not agree: at most {endangered} could be discarded')
    return 0 if bytes_agree and not late and flushed else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
