# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""A recording as tests ask about it, from `emlat dump --json`, and what must hold of each."""
import bisect
import collections
import json
import os
import subprocess

EMLAT = os.environ['EMLAT_PROGRAM']

ORDER = ('t_first_earliest', 't_first_latest', 't_input_latest', 't_queue_insert', 't_queue_remove',
         't_key_decode_done', 't_dispatch_begin', 't_pre_command_begin', 't_pre_command_end',
         't_command_begin', 't_command_end', 't_post_command_begin', 't_post_command_end',
         't_root_work_end', 't_redisplay_decision')
PAIRS = (('t_input_earliest', 't_input_latest'), ('t_read_begin', 't_read_end'),
         ('t_redisplay_begin', 't_redisplay_end'), ('t_output_begin', 't_output_end'),
         ('t_flush_begin', 't_flush_end'), ('t_dispatch_begin', 't_end'),
         ('t_root_work_end', 't_end'), ('t_flush_end', 't_end'),
         ('t_first_output_begin', 't_output_begin'), ('t_first_flush_end', 't_flush_end'),
         ('thread_cpu_begin', 'thread_cpu_end'))


class Broken(AssertionError):
    """A recording says what cannot be, or not what was done."""


def check(condition, *what):
    if not condition:
        raise Broken('; '.join(str(one) for one in what))


class Recording:
    """One file, or the files of one rotated session in their order."""

    def __init__(self, *files):
        self.files = files
        self.records = []
        for file in files:
            dump = subprocess.run([EMLAT, 'dump', '--json', file], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, check=False)
            check((dump.returncode, dump.stderr) == (0, ''), dump)
            self.records += [json.loads(line) for line in dump.stdout.splitlines()]
        self.interactions = sorted(self._of('interaction'), key=lambda one: one['cause_id'])
        self.spans = sorted(self._of('span'), key=lambda one: one['span_id'])
        self.inputs = sorted(self._of('input'), key=lambda one: one['batch_id'])
        self.losses = self._of('loss')
        self.session = self._of('session')[-1]
        self.command_kinds = {row['name'] for row in self.session['root_kinds']
                              if row['flags'] & 1}

    def _of(self, kind):
        return [record for record in self.records if record.get('record') == kind]

    # What happened in a stretch of time.

    def roots(self, since=0, until=None, kind=None):
        """The interactions that were dispatched from SINCE and before UNTIL, in that order."""
        found = [one for one in self.interactions if since <= one['t_dispatch_begin']
                 and (until is None or one['t_dispatch_begin'] < until)
                 and (kind is None or one['root_kind'] == kind)]
        return sorted(found, key=lambda one: one['t_dispatch_begin'])

    def commands(self, since=0, until=None):
        """The roots that are commands; the one that ended Emacs is not among them."""
        return [one for one in self.roots(since, until) if one['root_kind'] in self.command_kinds
                and one['status'] != 'open']

    def batches(self, since=0, until=None):
        return [one for one in self.inputs if since <= one['t_read_begin']
                and (until is None or one['t_read_begin'] < until)]

    def spans_between(self, since=0, until=None, kind=None):
        found = [one for one in self.spans if since <= one['t_begin']
                 and (until is None or one['t_begin'] < until)
                 and (kind is None or one['kind'] == kind)]
        return sorted(found, key=lambda one: one['t_begin'])

    # What belongs to an interaction.

    def spans_of(self, one, kind=None):
        return [span for span in self.spans if span.get('cause_id') == one['cause_id']
                and (kind is None or span['kind'] == kind)]

    def span_of(self, one, kind):
        """The only span of that kind."""
        found = self.spans_of(one, kind)
        check(len(found) == 1, f'{len(found)} {kind} spans', one)
        return found[0]

    def children(self, one):
        return [other for other in self.interactions
                if other.get('parent_cause_id') == one['cause_id']]

    def inside(self, span, kind=None):
        """The spans whose parents lead to SPAN."""
        within, found = {span['span_id']}, []
        for other in self.spans:                # a parent's number is the lower one
            if other.get('parent_span_id') in within:
                within.add(other['span_id'])
                if kind is None or other['kind'] == kind:
                    found.append(other)
        return found

    # What must hold of each recording.

    def check_whole(self, open_kinds=('command', 'command_loop'), verify=0):
        """Check what holds whatever was done.

        OPEN_KINDS are the spans of the last work that the end of Emacs cut off."""
        for file in self.files:
            ran = subprocess.run([EMLAT, 'verify', file], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, check=False)
            check(ran.returncode == verify, ran.stdout)
        self.check_spans(open_kinds)
        self.check_interactions()
        self.check_sources()

    def check_spans(self, open_kinds):
        ends = [span for span in self.spans if 'wall_ns' not in span]
        check(sorted(span['kind'] for span in ends) == sorted(open_kinds), 'open spans', ends)
        check(all(span['status'] == 'open' for span in ends), ends)
        by_id = {span['span_id']: span for span in self.spans}
        causes = {one['cause_id'] for one in self.interactions}
        check(len(by_id) == len(self.spans), 'a span number was used twice')
        for span in self.spans:
            check('cause_id' not in span or span['cause_id'] in causes, 'no such cause', span)
            if 'parent_span_id' not in span:
                continue
            parent = by_id.get(span['parent_span_id'])
            check(parent, 'no such parent', span)
            check(parent['thread_id'] == span['thread_id'], span, parent)
            check(parent['t_begin'] <= span['t_begin'], span, parent)
            if 'wall_ns' in parent:
                check('wall_ns' in span and span['t_begin'] + span['wall_ns']
                      <= parent['t_begin'] + parent['wall_ns'], 'outlives its parent', span, parent)

    def check_interactions(self):
        by_id = {one['cause_id']: one for one in self.interactions}
        check(len(by_id) == len(self.interactions), 'a cause number was used twice')
        for one in self.interactions:
            times = [one[name] for name in ORDER if name in one]
            check(times == sorted(times), 'time runs backwards', one)
            for first, second in PAIRS:
                check(first not in one or second not in one or one[first] <= one[second],
                      f'{first} > {second}', one)
            for link in ('parent_cause_id', 'scheduled_by_cause_id'):
                check(one.get(link, one['cause_id']) in by_id, f'{link} leads nowhere', one)
            check(one['status'] == 'open' or 't_end' in one, 'ended without an end', one)
        still_open = [one for one in self.interactions if one['status'] == 'open'
                      and one.get('presentation') != 'pending']
        check(len(still_open) <= 1 or all('parent_cause_id' in one for one in still_open[1:]),
              'open interactions', still_open)

    def check_brackets(self, sent, settled):
        """What was recorded lies inside of what was seen from outside.

        SENT are times and lengths of the writes that made up all input; a byte arrived no earlier
        than it was written.  SETTLED are times at which Emacs was idle: what a write asked for was
        done by the next one, unless it was seen idle in the midst of it."""
        ends, total = [], 0
        for _, count in sent:
            total += count
            ends.append(total)
        first, total = {}, 0
        for batch in self.inputs:
            first[batch['batch_id']] = total
            total += batch['bytes_read']
        for one in self.interactions:
            for name, latest in (('first_source', 't_first_latest'),
                                 ('decisive_source', 't_input_latest')):
                if name in one and latest in one:
                    byte = first[one[name]['batch']] + one[name]['begin']
                    t_write = sent[bisect.bisect_right(ends, byte)][0]
                    check(t_write <= one[latest], f'{latest} before it was written', one, t_write)
            if {'t_input_latest', 'decisive_source', 't_root_work_end', 't_flush_end'} <= set(one):
                check(t_write <= one['t_flush_end'] <= settled[bisect.bisect_right(
                    settled, one['t_root_work_end'])], 'flushed after it was idle', one)

    def check_sources(self):
        """Each byte that was queued served one key sequence at most, in the order of arrival."""
        batches = {batch['batch_id']: batch for batch in self.inputs}
        for batch in self.inputs:
            check(batch['bytes_queued'] <= batch['bytes_read'] <= batch['bytes_counted'], batch)
            times = [batch[name] for name in ('t_known_empty', 't_ready', 't_counted',
                                              't_read_begin', 't_read_end') if name in batch]
            check(times == sorted(times), 'time runs backwards', batch)
        used = collections.Counter()
        for one in self.interactions:
            for name in ('first_source', 'decisive_source'):
                if name in one:
                    source = one[name]
                    check(source['batch'] in batches, 'no such batch', one)
                    check(source['begin'] < source['end']
                          <= batches[source['batch']]['bytes_queued'], one)
            if 'decisive_source' in one:
                used[one['decisive_source']['batch'], one['decisive_source']['end']] += 1
        check(all(count == 1 for count in used.values()), 'one byte decided two commands', used)
