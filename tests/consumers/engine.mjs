// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The emlat developers
//
// engine.mjs FILE: a trace as the engine of Chrome's Performance panel understands it.  One JSON
// object: for each thread, by its name, its entries as [name, ts, dur, depth, args].
import fs from 'node:fs';

// The engine expects a browser's class.
globalThis.DOMRect = class {
  static fromRect() { throw new Error('a trace of ours has no rectangles'); }
};

const {TraceModel} = await import('@paulirish/trace_engine/models/trace/trace.js');
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(JSON.parse(fs.readFileSync(process.argv[2], 'utf8')).traceEvents);
const threads = {};
const {processes, entryToNode} = model.parsedTrace().data.Renderer;
for (const [, {threads: ofProcess}] of processes) {
  for (const [, thread] of ofProcess) {
    if (threads[thread.name]) throw new Error(`two threads with the name ${thread.name}`);
    threads[thread.name] = thread.entries.filter(entry => entry.ph === 'X').map(
        entry => [entry.name, entry.ts, entry.dur, entryToNode.get(entry)?.depth, entry.args]);
  }
}
console.log(JSON.stringify(threads));
