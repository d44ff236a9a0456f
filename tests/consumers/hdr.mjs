// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The emlat developers
//
// hdr.mjs FILE: each histogram of a log as hdr-histogram-js reads it, one JSON object.
import fs from 'node:fs';
import * as hdr from 'hdr-histogram-js';

const reader = new hdr.HistogramLogReader(fs.readFileSync(process.argv[2], 'utf8'));
const found = {};
for (let histogram; (histogram = reader.nextIntervalHistogram()) != null;) {
  if (found[histogram.tag]) throw new Error(`two histograms with the tag ${histogram.tag}`);
  found[histogram.tag] = {
    count: histogram.totalCount,
    min_ns: histogram.minNonZeroValue,
    max_ns: histogram.maxValue,
    p50_ns: histogram.getValueAtPercentile(50),
    p90_ns: histogram.getValueAtPercentile(90),
    p95_ns: histogram.getValueAtPercentile(95),
    p99_ns: histogram.getValueAtPercentile(99),
    p999_ns: histogram.getValueAtPercentile(99.9),
    start_ms: histogram.startTimeStampMsec,
    end_ms: histogram.endTimeStampMsec,
  };
}
console.log(JSON.stringify(found));
