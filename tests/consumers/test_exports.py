# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Every export, read back by a program that others made, says what the recording says.

What it says is taken from `emlat dump --json`, the raw stamps, and worked out again here; that is
also held against `emlat report --json`, so that exports, report and raw records all agree.  A reader
that this machine lacks skips its test by its name."""
import base64
import collections
import csv
import functools
import html
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import tap  # noqa: E402

EMLAT, MAKE_SESSION = os.environ['EMLAT'], os.environ['EMLAT_MAKE_SESSION']
MAKE_CORPUS = os.environ['EMLAT_MAKE_CORPUS']
PERCENTILES = {'p50': 500, 'p90': 900, 'p95': 950, 'p99': 990, 'p999': 999}
FOLDER = tempfile.TemporaryDirectory()


def run(*command, data=None, check=True, **more):
    return subprocess.run(command, input=data, capture_output=True, check=check, **more)


def path(name):
    return os.path.join(FOLDER.name, name)


@functools.cache
def recording():
    where = path('session.emlat')
    run(MAKE_SESSION, where)
    return where


@functools.cache
def export(form, *options):
    out = path('-'.join([form, *options]).replace('/', '_'))
    run(EMLAT, 'export', recording(), '--format', form, '-o', out, *options)
    return out


def text(name):
    with open(name, encoding='utf-8') as file:
        return file.read()


# ---- What the recording says ---------------------------------------------------------------------

@functools.cache
def dump():
    lines = run(EMLAT, 'dump', '--json', recording()).stdout.decode().splitlines()
    return [json.loads(line) for line in lines]


def records(kind):
    return [each for each in dump() if each.get('record') == kind]


def latency(record):
    """Population, lower and upper bound of an interaction, by the specification."""
    if record['root_kind'] != 'tty_command':
        return None, None, None
    if record['status'] == 'open':
        return 'open', None, None
    if record.get('presentation') in ('superseded', 'not_reached'):
        least = record['t_root_work_end'] - record['t_dispatch_begin']
        return 'superseded', least, least
    if 't_flush_end' not in record:
        least = record['t_end'] - record['t_dispatch_begin']
        return 'no_output', least, least
    if 't_input_latest' not in record:
        return 'no_input', None, None
    return ('flushed', record['t_flush_end'] - record['t_input_latest'],
            record['t_flush_end'] - record['t_input_earliest'])


@functools.cache
def distributions():
    """Sorted durations by (population, bound)."""
    found = collections.defaultdict(list)
    for record in records('interaction'):
        population, least, most = latency(record)
        if least is not None:
            found[population, 'min'].append(least)
            found[population, 'max'].append(most)
    return {key: sorted(values) for key, values in found.items()}


def rank(values, permille):
    return values[max(0, math.ceil(len(values) * permille / 1000) - 1)]


def open_spans(spans):
    return [span for span in spans if 'wall_ns' not in span]


def expected_lanes():
    """How many slices each kind of lane must have, whatever number of lanes that takes."""
    found = collections.Counter({'thread': len(records('span'))})
    for record in records('interaction'):
        population = latency(record)[0] or record['root_kind']
        found[population] += 1 + sum(
            f't_{name}_begin' in record and f't_{name}_end' in record
            for name in ('pre_command', 'command', 'post_command', 'redisplay'))
        found['waiting'] += 't_input_latest' in record
        found['output'] += 't_output_begin' in record and 't_flush_end' in record
        found['output'] += 't_first_output_begin' in record and 't_first_flush_end' in record
    return +found


def family(lane):
    """A lane's name without its number: "thread 1 (2)" is of "thread"."""
    name = re.sub(r' \(\d+\)$', '', lane)
    return 'thread' if name.startswith('thread ') else name


def check_nesting(test, slices):
    """SLICES of one lane, (begin, end) in the order of their begins: none crosses another."""
    around = []
    for begin, end in slices:
        while around and around[-1] <= begin:
            around.pop()
        test.assertTrue(not around or end <= around[-1], (begin, end, around))
        around.append(end)


class Recording(unittest.TestCase):
    """The recording is worth the tests: it has what makes exports hard."""

    def test_populations(self):
        counts = collections.Counter(latency(each)[0] for each in records('interaction'))
        for population in ('flushed', 'no_output', 'superseded', 'open', None):
            self.assertGreater(counts[population], 0, population)
        self.assertGreater(counts['flushed'], 2000)

    def test_overlap(self):
        """Some command's input was there before the command before it had ended."""
        last, overlaps = 0, 0
        for each in records('interaction'):
            if each['root_kind'] == 'tty_command' and 't_end' in each:
                overlaps += each['t_input_latest'] < last
                last = each['t_end']
        self.assertGreater(overlaps, 500)

    def test_spans_cross_and_are_open(self):
        spans = sorted((span['t_begin'], -span['t_begin'] - span['wall_ns'])
                       for span in records('span') if 'wall_ns' in span)
        with self.assertRaises(AssertionError):
            check_nesting(self, [(begin, -end) for begin, end in spans])
        self.assertTrue(open_spans(records('span')))

    def test_report_agrees(self):
        report = json.loads(run(EMLAT, 'report', '--json', recording()).stdout)
        for population in ('flushed', 'no_output', 'superseded'):
            for bound, key in (('min', 'lower'), ('max', 'upper')):
                said, values = report['all_commands'][population][key], distributions()[
                    population, bound]
                self.assertEqual(said['count'], len(values))
                for name, permille in PERCENTILES.items():
                    if said[name + '_ns'] is not None:
                        self.assertEqual(said[name + '_ns'], rank(values, permille))
                self.assertEqual((said['min_ns'], said['max_ns'], said['total_ns']),
                                 (values[0], values[-1], sum(values)))


# ---- Rows ----------------------------------------------------------------------------------------

def flat(record):
    """RECORD of dump as a row: sources and counters spread, nothing that is absent."""
    row = {}
    for key, value in record.items():
        if key in ('record', 'validity_mask'):
            continue
        if key == 'counters':
            row.update({'counter_' + name: number for name, number in value.items()})
        elif isinstance(value, dict):
            row.update({f'{key}_{part}': value[part] for part in ('batch', 'begin', 'end')})
        else:
            row[key] = value
    return row


def interaction_row(record):
    population, least, most = latency(record)
    derived = {'population': population, 'latency_min_ns': least, 'latency_max_ns': most}
    return {**flat(record), **{key: value for key, value in derived.items() if value is not None}}


def without_parts(row):
    return {key: value for key, value in row.items() if not key.startswith('part_')}


def same(test, rows, expected):
    """Row by row, so that a failure shows the row and not the file."""
    test.assertEqual(len(rows), len(expected))
    for row, expect in zip(rows, expected):
        test.assertEqual(row, expect)


class Rows(unittest.TestCase):
    def check_parts(self, rows):
        """Parts of a latency add up to it; where there is none, there are none."""
        for row in rows:
            parts = [int(value) for key, value in row.items() if key.startswith('part_')]
            self.assertEqual(sum(parts), int(row.get('latency_min_ns', 0)))
            self.assertEqual(bool(parts), 'latency_min_ns' in row)

    def test_csv(self):
        rows = [{key: value for key, value in row.items() if value != ''}
                for row in csv.DictReader(io.StringIO(text(export('csv'))))]
        expected = [interaction_row(record) for record in records('interaction')]
        same(self, [without_parts(row) for row in rows],
             [{key: str(value) for key, value in row.items()} for row in expected])
        self.check_parts(rows)

    def test_jsonl(self):
        rows = [json.loads(line) for line in text(export('jsonl')).splitlines()]
        same(self, [without_parts(row) for row in rows],
             [interaction_row(record) for record in records('interaction')])
        self.check_parts(rows)

    def test_sql_in_sqlite3(self):
        if not shutil.which('sqlite3'):
            self.skipTest('sqlite3')
        database = path('out.db')
        with open(export('sql'), 'rb') as script:
            run('sqlite3', '-bail', database, stdin=script)

        def query(sql):
            out = run('sqlite3', '-json', database, sql).stdout.decode()
            return json.loads(out or '[]')
        for kind, expect in (('interaction', interaction_row), ('span', flat), ('input', flat),
                             ('loss', flat)):
            rows = [{key: value for key, value in row.items() if value is not None}
                    for row in query(f'SELECT * FROM "{kind}" ORDER BY rowid')]
            same(self, [without_parts(row) for row in rows],
                 [expect(record) for record in records(kind)])
        for (population, bound), values in distributions().items():
            for permille in PERCENTILES.values():
                place = max(0, math.ceil(len(values) * permille / 1000) - 1)
                self.assertEqual(query(
                    f"SELECT latency_{bound}_ns AS v FROM interaction WHERE population = "
                    f"'{population}' ORDER BY v LIMIT 1 OFFSET {place}"),
                    [{'v': rank(values, permille)}])
        self.assertEqual(query('SELECT count(*) AS n FROM latency')[0]['n'],
                         sum(len(v) for (_, bound), v in distributions().items() if bound == 'min'))
        self.assertEqual(query("SELECT text FROM session WHERE name = 'host'"),
                         [{'text': 'make_session'}])
        self.assertEqual(query('PRAGMA application_id')[0]['application_id'], 0x454d4c54)
        wrong = run('sqlite3', database, "UPDATE interaction SET population = 'fast'", check=False)
        self.assertIn(b'CHECK', wrong.stderr)


class List(unittest.TestCase):
    """emlat list: the same rows, tab-separated, as far as asked for."""

    def emlat(self, *arguments, **more):
        return run(EMLAT, 'list', *arguments, check=False, **more)

    def rows(self, *arguments):
        done = self.emlat(*arguments, recording())
        self.assertEqual((done.returncode, done.stderr), (0, b''))
        return [line.split('\t') for line in done.stdout.decode().splitlines()]

    def test_default(self):
        names = ['cause_id', 'root_kind', 'population', 'status', 'latency_min_ns',
                 'latency_max_ns']
        expected = [interaction_row(record) for record in records('interaction')]
        same(self, self.rows(),
             [names] + [[str(row.get(name, '')) for name in names] for row in expected])

    def test_every_field(self):
        names = [row[0] for row in self.rows('--list-fields')]
        header = text(export('csv')).splitlines()[0].split(',')
        self.assertEqual(names, header)
        rows = [dict(zip(names, row)) for row in self.rows('--no-header', '-f', ','.join(names))]
        same(self, rows, list(csv.DictReader(io.StringIO(text(export('csv'))))))

    def test_filters(self):
        chosen = [str(record['cause_id']) for record in records('interaction')
                  if latency(record)[0] == 'flushed' and latency(record)[1] >= 5000000]
        self.assertGreater(len(chosen), 10)
        self.assertEqual(self.rows('--fields', 'cause_id', '-p', 'flushed', '--slower', '5000'),
                         [['cause_id'], *([each] for each in chosen)])

    def test_wrong_fields(self):
        for fields, words in (('cause_id,latency_min', b"no field 'latency_min'; is it "
                               b"'latency_min_ns'?"), ('quux', b"no field 'quux'\n"),
                              ('', b'names none'), ('cause_id,,status', b"no field ''")):
            done = self.emlat('--fields', fields, recording())
            self.assertEqual((done.returncode, done.stdout), (2, b''))
            self.assertIn(words, done.stderr)

    def test_damage(self):
        with open(recording(), 'rb') as file:
            data = file.read()
        done = self.emlat('-', data=data[:len(data) // 2])
        self.assertEqual(done.returncode, 3)
        self.assertGreater(done.stdout.count(b'\n'), 100)


# ---- Lanes ---------------------------------------------------------------------------------------

def parse_message(lines):
    """protoc's text form: {field: [values]}.  A field that the .proto lacks is a number there."""
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == '}':
            break
        if line.endswith('{'):
            message[line[:-2]].append(parse_message(lines))
        else:
            key, _, value = line.partition(': ')
            message[key].append(json.loads(value) if value[0] == '"' else
                                int(value) if value.isdigit() else value)
    return message


class Lanes(unittest.TestCase):
    def check_lanes(self, lanes):
        """LANES: {name: [(begin, end)]}."""
        counts = collections.Counter()
        for name, slices in lanes.items():
            check_nesting(self, slices)
            counts[family(name)] += len(slices)
        self.assertEqual(counts, expected_lanes())

    def read_perfetto(self, name):
        """Lanes as a stack machine reads them, which is how the viewer does."""
        with open(name, 'rb') as file:
            decoded = run('protoc', '--decode=emlat_test.Trace', f'--proto_path={HERE}',
                          os.path.join(HERE, 'trace.proto'), stdin=file).stdout.decode()
        self.assertNotRegex(decoded, r'(?m)^\s*\d+[ :]')        # no field that we don't know
        packets = parse_message(iter(decoded.splitlines()))['packet']
        names, events, ranks = {}, [], []
        interned = collections.defaultdict(dict)
        first = packets[0]
        self.assertEqual((first['sequence_flags'], first['previous_packet_dropped'],
                          first['first_packet_on_sequence']), ([1], ['true'], ['true']))

        def named(table, number):
            return interned[table][number]      # spelled in this packet or one before it
        for packet in packets:
            for table, entries in packet['interned_data'][0].items() if packet[
                    'interned_data'] else ():
                for entry in entries:
                    self.assertNotIn(entry['iid'][0], interned[table])
                    interned[table][entry['iid'][0]] = entry['name'][0]
            for track in packet['track_descriptor']:
                if track['parent_uuid']:
                    names[track['uuid'][0]] = track['name'][0]
                    ranks.append((track['sibling_order_rank'][0], track['name'][0]))
                else:
                    self.assertEqual(track['child_ordering'], ['EXPLICIT'])
            for event in packet['track_event']:
                self.assertEqual(packet['sequence_flags'], [2])
                if event['type'] == ['TYPE_SLICE_BEGIN']:
                    event['name'] = named('event_names', event['name_iid'][0])
                    event['category'] = named('event_categories', event['category_iids'][0])
                    event['arguments'] = {
                        named('debug_annotation_names', each['name_iid'][0]): (
                            each['uint_value'] + each['string_value'])[0]
                        for each in event['debug_annotations']}
                events.append((packet['timestamp'][0], event))
        lanes, opened = collections.defaultdict(list), collections.defaultdict(list)
        arguments, levels = [], collections.Counter()
        events.sort(key=lambda each: each[0])           # stable, as in the viewer
        for t, event in events:
            lane = names[event['track_uuid'][0]]
            if event['type'] == ['TYPE_SLICE_BEGIN']:
                opened[lane].append(len(lanes[lane]))
                lanes[lane].append([t, None])
                arguments.append((event['name'], event['arguments'], event))
            elif event['type'] == ['TYPE_SLICE_END']:
                lanes[lane][opened[lane].pop()][1] = t
            else:
                levels[lane] += 1
        self.assertFalse(any(opened.values()))
        self.assertEqual(len({rank for rank, _ in ranks}), len(ranks))
        self.assertEqual([name for _, name in sorted(ranks)], [
            'flushed', 'no_output', 'superseded', 'open', 'timer "of", a host', 'thread 1',
            'thread 1 (2)', 'output', 'waiting', 'queue_depth'])
        return lanes, arguments, levels

    def test_perfetto_in_protoc(self):
        if not shutil.which('protoc'):
            self.skipTest('protoc')
        lanes, slices, levels = self.read_perfetto(export('perfetto'))
        self.check_lanes(lanes)
        bounds = collections.defaultdict(list)
        for _, arguments, _ in slices:
            for bound in ('min', 'max'):
                if f'latency_{bound}_ns' in arguments:
                    bounds[arguments['population'], bound].append(arguments[f'latency_{bound}_ns'])
        self.assertEqual({key: sorted(values) for key, values in bounds.items()}, distributions())
        # Ends are those of the records, not of a neighbour with which they were swapped.
        ends = collections.Counter((begin, end) for name, lane in lanes.items()
                                   if name.startswith('thread') for begin, end in lane)
        spans = collections.Counter((span['t_begin'], span['t_begin'] + span['wall_ns'])
                                    for span in records('span') if 'wall_ns' in span)
        self.assertEqual(len(spans - ends), 0)
        marked = [arguments for _, arguments, _ in slices
                  if arguments.get('absent_end_of') == 'span']
        self.assertEqual(len(marked), len(open_spans(records('span'))))
        self.assertEqual(collections.Counter((name, event['category']) for name, _, event in slices
                                             if event['category'] in ('span', 'interaction')),
                         collections.Counter((span['kind'], 'span') for span in records('span')) +
                         collections.Counter((each['root_kind'], 'interaction')
                                             for each in records('interaction')))
        # Deferred work is tied to what asked for it.
        asked = sorted(each['scheduled_by_cause_id'] for each in records('interaction')
                       if 'scheduled_by_cause_id' in each)
        self.assertGreater(len(asked), 0)
        self.assertEqual(sorted(flow for *_, event in slices
                                for flow in event['terminating_flow_ids']), asked)
        # A level is told where it changes.
        depths = [each['counters']['queue_depth'] for each in records('interaction')
                  if 'queue_depth' in each.get('counters', {})]
        self.assertEqual(levels, {'queue_depth': 1 + sum(
            a != b for a, b in zip(depths, depths[1:]))})

    def test_perfetto_cut_is_noticed(self):
        if not shutil.which('protoc'):
            self.skipTest('protoc')
        with open(export('perfetto'), 'rb') as file:
            data = file.read()
        cut = run('protoc', '--decode_raw', data=data[:-1], check=False)
        self.assertNotEqual(cut.returncode, 0)

    def test_chrome_as_json(self):
        events = json.loads(text(export('chrome')), parse_float=str)['traceEvents']
        names = {event['tid']: event['args']['name'] for event in events
                 if event['name'] == 'thread_name'}
        lanes = collections.defaultdict(list)

        spans = collections.Counter((span['t_begin'], span['wall_ns'])
                                    for span in records('span') if 'wall_ns' in span)
        start = dump()[0]['monotonic_ns']
        for event in events:
            if event['ph'] != 'X':
                continue
            # As viewers do: doubles of microseconds, begin plus duration.
            begin, duration = float(event['ts']), float(event['dur'])
            lanes[names[event['tid']]].append((begin, begin + duration))
            whole, _, rest = event['ts'].partition('.')
            self.assertEqual(len(rest), 3)
            spans[start + int(whole + rest), round(duration * 1000)] -= event['cat'] == 'span'
        self.check_lanes(lanes)
        self.assertEqual(sum(spans.values()), -len(open_spans(records('span'))))
        self.assertEqual(len(+spans), 0)

    def test_chrome_in_trace_engine(self):
        threads = node('@paulirish/trace_engine', 'engine.mjs', export('chrome'), self)
        counts = collections.Counter()
        bounds = collections.defaultdict(list)
        for name, entries in threads.items():
            counts[family(name)] += len(entries)
            for entry, *_, arguments in entries:
                for bound in ('min', 'max'):
                    if f'latency_{bound}_ns' in arguments:
                        bounds[arguments['population'], bound].append(
                            arguments[f'latency_{bound}_ns'])
        self.assertEqual(counts, expected_lanes())
        self.assertEqual({key: sorted(values) for key, values in bounds.items()}, distributions())
        # The engine's own tree: phases lie inside their interaction.
        for name, entries in threads.items():
            if family(name) == 'flushed':
                for entry, _, _, depth, _ in entries:
                    self.assertEqual(depth, 0 if entry == 'tty_command' else 1)

    def slowest(self, number):
        found = [(latency(each)[1], each['cause_id']) for each in records('interaction')
                 if latency(each)[0] == 'flushed']
        return [cause for _, cause in sorted(found, reverse=True)[:number]]

    def test_speedscope_as_json(self):
        profiles = json.loads(text(export('speedscope', '--slowest', '7')))
        causes = []
        for profile in profiles['profiles']:
            opened, last = [], profile['startValue']
            for event in profile['events']:
                self.assertGreaterEqual(event['at'], last)
                last = event['at']
                if event['type'] == 'O':
                    opened.append(event['frame'])
                else:
                    self.assertEqual(opened.pop(), event['frame'])
            self.assertEqual((opened, last), ([], profile['endValue']))
            cause = int(re.match(r'#(\d+)', profile['name']).group(1))
            if cause not in causes:
                causes.append(cause)
        self.assertEqual(causes, self.slowest(7))
        # All spans of those, the interaction itself, its wait, output and display; each once.
        frames = [frame['name'] for frame in profiles['shared']['frames']]
        shown = collections.Counter(frames[event['frame']] for profile in profiles['profiles']
                                    for event in profile['events'] if event['type'] == 'O')
        expected = collections.Counter(span['kind'] for span in records('span')
                                       if span.get('cause_id') in causes)
        expected += {name: 7 for name in ('tty_command', 'wait', 'output', 'redisplay')}
        self.assertEqual(shown, expected)
        self.assertEqual(len({*map(str, profiles['shared']['frames'])}),
                         len(profiles['shared']['frames']))

    def test_speedscope_in_speedscope(self):
        """The real page in a browser lists each profile with its weight, and draws the first."""
        page = package('speedscope', self)
        browser = shutil.which('chromium')
        if not browser:
            self.skipTest('chromium')
        name = export('speedscope', '--slowest', '7')
        profiles = json.loads(text(name))['profiles']
        script = path('load.js')
        with open(name, 'rb') as data, open(script, 'w', encoding='utf-8') as file:
            file.write("speedscope.loadFileFromBase64('out.speedscope.json', "
                       f"'{base64.b64encode(data.read()).decode()}')")
        address = f'file://{page}/dist/release/index.html#localProfilePath={script}'
        shown = run(browser, '--headless', '--no-sandbox', '--disable-gpu', '--dump-dom',
                    '--allow-file-access-from-files', '--virtual-time-budget=5000',
                    f'--user-data-dir={path("browser")}', address, timeout=100).stdout.decode()
        self.assertIn(f'<title>{html.escape(profiles[0]["name"])} - speedscope</title>', shown)
        self.assertIn(f'(1/{len(profiles)})', shown)
        listed = re.findall(r'<tr title="([^"]*)".*?<td[^>]*>([\d.]+)ms</td></tr>', shown)
        self.assertEqual([html.unescape(name) for name, _ in listed],
                         [each['name'] for each in profiles])
        for (_, weight), profile in zip(listed, profiles):
            # What is weighed is the time inside any frame.
            covered, depth = 0, 0
            for before, event in zip(profile['events'], profile['events'][1:]):
                depth += 1 if before['type'] == 'O' else -1
                covered += (event['at'] - before['at']) * (depth > 0)
            self.assertAlmostEqual(float(weight), covered / 1e6, delta=0.00501)


# ---- Distributions -------------------------------------------------------------------------------

def package(name, test):
    where = os.path.join(HERE, 'node_modules', name)
    if not shutil.which('node') or not os.path.isdir(where):
        test.skipTest(name)
    return where


def node(name, script, file, test):
    package(name, test)
    return json.loads(run('node', os.path.join(HERE, script), file).stdout)


class Distributions(unittest.TestCase):
    def test_hlog_in_hdr_histogram_js(self):
        tags = node('hdr-histogram-js', 'hdr.mjs', export('hlog'), self)
        self.assertEqual(set(tags), {f'{population}.{bound}'
                                     for population, bound in distributions()})
        for (population, bound), values in distributions().items():
            said = tags[f'{population}.{bound}']
            self.assertEqual(said['count'], len(values))
            exact = {'min': values[0], 'max': values[-1],
                     **{name: rank(values, permille) for name, permille in PERCENTILES.items()}}
            for name, value in exact.items():
                self.assertAlmostEqual(said[name + '_ns'], value, delta=value / 1000)
        header = dump()[0]
        self.assertEqual(said['start_ms'], header['realtime_ns'] // 1000000)

    def test_a_wrong_count_would_be_seen(self):
        """The same test fails on a log in which one histogram took another's place."""
        lines = text(export('hlog')).splitlines(keepends=True)
        index = {re.match(r'Tag=([^,]+)', line).group(1): i for i, line in enumerate(lines)
                 if line.startswith('Tag=')}
        a, b = index['flushed.min'], index['superseded.min']
        lines[a], lines[b] = (lines[b].replace('superseded.min', 'flushed.min'),
                              lines[a].replace('flushed.min', 'superseded.min'))
        swapped = path('swapped.hlog')
        with open(swapped, 'w', encoding='utf-8') as file:
            file.writelines(lines)
        tags = node('hdr-histogram-js', 'hdr.mjs', swapped, self)
        self.assertNotEqual(tags['flushed.min']['count'], len(distributions()['flushed', 'min']))

    def expected_samples(self):
        names = {'flushed': 'emlat_input_to_flush_seconds',
                 'no_output': 'emlat_dispatch_to_end_seconds',
                 'superseded': 'emlat_dispatch_to_work_end_seconds'}
        found = {}
        for (population, bound), values in distributions().items():
            name = names[population]
            found[f'{name}_count{{bound="{bound}"}}'] = len(values)
            found[f'{name}_sum{{bound="{bound}"}}'] = sum(values) / 1e9
            found[f'{name}_bucket{{bound="{bound}",le="+Inf"}}'] = len(values)
            for power in range(-4, 1):
                for digit in (1, 2, 5):
                    le = float(f'{digit}e{power}')
                    found[f'{name}_bucket{{bound="{bound}",le="{le:.4f}"}}'] = sum(
                        value <= le * 1e9 for value in values)
            found[f'{name}_bucket{{bound="{bound}",le="10.0000"}}'] = sum(
                value <= 1e10 for value in values)
        counts = collections.Counter(latency(each)[0] or 'none' for each in records('interaction'))
        for population in ('flushed', 'no_output', 'superseded', 'waits_for_person', 'no_input',
                           'open', 'none'):
            found[f'emlat_interactions_total{{population="{population}"}}'] = counts[population]
        found['emlat_lost_records_total'] = sum(each['records'] for each in records('loss'))
        return found

    def check_samples(self, said):
        """SAID: lines of a series, a value, and perhaps a time."""
        found = {}
        for line in said:
            series, value = re.match(r'(\S+(?:\{.*\})?) ([\d.e+-]+)', line).groups()
            series = re.sub(r'le="([\d.]+)"', lambda m: f'le="{float(m.group(1)):.4f}"', series)
            self.assertNotIn(series, found)
            found[series] = float(value)
        expected = self.expected_samples()
        self.assertEqual(set(found), set(expected))
        for series, value in expected.items():
            self.assertAlmostEqual(found[series], value, places=8, msg=series)

    def test_prometheus_in_promtool(self):
        if not shutil.which('promtool'):
            self.skipTest('promtool')
        said = text(export('prometheus'))
        checked = run('promtool', 'check', 'metrics', data=said.encode(), check=False)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, b'', b''))
        self.check_samples(line for line in said.splitlines() if not line.startswith('#'))

    def test_openmetrics_in_promtool(self):
        """Into a database and out of it again."""
        if not shutil.which('promtool'):
            self.skipTest('promtool')
        database = path('blocks')
        run('promtool', 'tsdb', 'create-blocks-from', 'openmetrics', export('openmetrics'),
            database)
        os.mkdir(os.path.join(database, 'wal'))     # promtool will not look at blocks alone
        out = run('promtool', 'tsdb', 'dump', database).stdout.decode().splitlines()
        lines = []
        for line in out:
            labels, value = re.match(r'\{(.*)\} (\S+) \d+$', line).groups()
            labels = dict(re.findall(r'(\w+)="([^"]*)"', labels))
            name = labels.pop('__name__')
            joined = ','.join(f'{key}="{labels[key]}"' for key in sorted(labels))
            lines.append(f'{name}{{{joined}}} {value}' if joined else f'{name} {value}')
        self.check_samples(lines)

    def test_openmetrics_ends(self):
        self.assertTrue(text(export('openmetrics')).endswith('\n# EOF\n'))


# ---- Manners -------------------------------------------------------------------------------------

FORMATS = ('perfetto', 'chrome', 'speedscope', 'csv', 'jsonl', 'sql', 'hlog', 'openmetrics',
           'prometheus')


class Manners(unittest.TestCase):
    def emlat(self, *arguments, **more):
        return run(EMLAT, 'export', *arguments, check=False, **more)

    def test_the_file_is_its_owners(self):
        old = os.umask(0)
        try:
            for form in FORMATS:
                out = path('mode.' + form)
                run(EMLAT, 'export', recording(), '-f', form, '-o', out)
                self.assertEqual(os.stat(out).st_mode & 0o777, 0o600)
        finally:
            os.umask(old)

    def test_nothing_is_written_over(self):
        there, link, target = path('there'), path('link'), path('target')
        with open(there, 'w', encoding='utf-8') as file:
            file.write('precious')
        os.symlink(target, link)
        os.symlink(there, path('link2'))
        for out in (there, link, path('link2')):
            done = self.emlat(recording(), '-f', 'csv', '-o', out)
            self.assertEqual(done.returncode, 3)
            self.assertIn(b'hint: nothing is ever written over', done.stderr)
        self.assertEqual(text(there), 'precious')
        self.assertFalse(os.path.exists(target))

    def test_standard_output_and_input(self):
        with open(recording(), 'rb') as file:
            data = file.read()
        for form in FORMATS:
            if form == 'speedscope':
                continue
            done = self.emlat('-', '-f', form, '-o', '-', data=data)
            self.assertEqual((done.returncode, done.stderr), (0, b''))
            with open(export(form), 'rb') as file:
                self.assertTrue(done.stdout == file.read(), form)
        done = self.emlat('-', '-f', 'speedscope', '-o', '-', data=data)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b'reading twice', done.stderr)

    def test_memory_is_bounded(self):
        """Twelve times the recording takes no more memory than a fixed part.  An instrumented
        program keeps what it frees, so it is not asked."""
        if b'__asan' in run('nm', EMLAT).stdout or b'__tsan' in run('nm', EMLAT).stdout:
            self.skipTest('the program is instrumented')
        large = path('large.emlat')
        run(MAKE_SESSION, large, '36000')

        def peak(file, form):
            with open(os.devnull, 'wb') as nothing:
                child = subprocess.Popen([EMLAT, 'export', file, '-f', form, '-o', '-'],
                                         stdout=nothing)
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = status
            self.assertEqual(status, 0)
            return usage.ru_maxrss
        for form in FORMATS:
            self.assertLess(peak(large, form) - peak(recording(), form), 3000, form)    # KiB

    def test_wrong_use(self):
        for arguments, words in (
                ([recording(), '-o', '-'], b'wants --format'),
                ([recording(), '-f', 'csv'], b'wants --output'),
                ([recording(), '-f', 'pdf', '-o', '-'], b'perfetto|chrome|'),
                ([recording(), '-f', 'csv', '-o', '-', '--cause', '1', '--slowest', '2'],
                 b'exclude each other'),
                ([recording(), '-f', 'csv', '-o', '-', '--slowest', '10001'], b'at most 10000')):
            done = self.emlat(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b''))
            self.assertIn(words, done.stderr)

    def test_one_cause(self):
        cause = next(each['cause_id'] for each in records('interaction')
                     if latency(each)[0] == 'superseded')
        rows = [json.loads(line)
                for line in text(export('jsonl', '--cause', str(cause))).splitlines()]
        self.assertEqual([row['cause_id'] for row in rows], [cause])
        events = json.loads(text(export('chrome', '--cause', str(cause))))['traceEvents']
        self.assertEqual({event['args']['cause_id'] for event in events if event['ph'] == 'X'},
                         {cause})
        done = self.emlat(recording(), '-f', 'csv', '-o', '-', '--cause', '999999999')
        self.assertEqual(done.returncode, 1)

    def test_damage(self):
        """What is before it is exported, in a form that is whole."""
        with open(recording(), 'rb') as file:
            data = file.read()
        damaged = path('damaged.emlat')
        with open(damaged, 'wb') as file:
            file.write(data[:len(data) // 2])
        for form in FORMATS:
            done = self.emlat(damaged, '-f', form, '-o', '-')
            self.assertEqual(done.returncode, 3)
            self.assertIn(b'the file ends inside', done.stderr)
            if form in ('chrome', 'speedscope'):
                json.loads(done.stdout)
            if form == 'jsonl':
                rows = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertGreater(len(rows), 100)
                same(self, [without_parts(row) for row in rows],
                     [interaction_row(record) for record in records('interaction')[:len(rows)]])
            if form == 'sql':
                self.assertIn(b"('emlat.whole',NULL,0);\nCOMMIT;\n", done.stdout)

    def test_a_number_too_large_for_sql(self):
        huge, out = path('huge.emlat'), path('huge.sql')
        run(MAKE_SESSION, huge, '10', 'huge')
        done = self.emlat(huge, '-f', 'sql', '-o', out)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b'has no place in an SQL integer', done.stderr)
        self.assertFalse(os.path.exists(out))
        self.assertEqual(self.emlat(huge, '-f', 'csv', '-o', out).returncode, 0)

    def test_not_a_recording(self):
        out = path('of-nothing')
        done = self.emlat(os.path.abspath(__file__), '-f', 'csv', '-o', out)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b'not an emlat file', done.stderr)
        self.assertFalse(os.path.exists(out))

    def test_a_full_disk(self):
        if not os.path.exists('/dev/full'):
            self.skipTest('/dev/full')
        for form in FORMATS:
            with open('/dev/full', 'wb') as full:
                done = subprocess.run([EMLAT, 'export', recording(), '-f', form, '-o', '-'],
                                      stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 3, form)
            self.assertIn(b'No space', done.stderr)

    def test_loss_and_wild_numbers(self):
        """Random records under good check sums, names that are not UTF-8, and loss, which is
        said."""
        os.mkdir(path('corpus'))
        run(MAKE_CORPUS, path('corpus'))
        forged = path('corpus/forged.emlat')
        lines = run(EMLAT, 'dump', '--json', forged).stdout.decode().splitlines()
        count = sum(json.loads(line).get('record') == 'interaction' for line in lines)
        for form in FORMATS:
            done = self.emlat(forged, '-f', form, '-o', '-')
            self.assertEqual(done.returncode, 4, form)
            self.assertIn(b'records were lost', done.stderr)
            self.assertIn(b'skipped 7 bytes', done.stderr)
            allowed = self.emlat(forged, '-f', form, '-o', '-', '--allow-loss')
            self.assertEqual(allowed.returncode, 0)
            if form == 'csv':
                self.assertEqual(len(list(csv.DictReader(io.StringIO(done.stdout.decode())))),
                                 count)
            if form in ('chrome', 'speedscope'):
                json.loads(done.stdout)
            if form == 'sql' and shutil.which('sqlite3'):
                rows = run('sqlite3', '-bail', ':memory:', data=done.stdout +
                           b'SELECT count(*) FROM interaction;').stdout
                self.assertEqual(int(rows), count)
            if form == 'perfetto' and shutil.which('protoc'):
                run('protoc', '--decode_raw', data=done.stdout)


class Lock(unittest.TestCase):
    def test_no_address(self):
        """The lock file pins by check sum and names no place to fetch from."""
        lock = text(os.path.join(HERE, 'package-lock.json'))
        self.assertNotIn('://', lock)
        packages = json.loads(lock)['packages']
        for name, entry in packages.items():
            if name:
                self.assertNotIn('resolved', entry)
                self.assertTrue(entry['integrity'].startswith('sha512-'))


if __name__ == '__main__':
    tap.main()
