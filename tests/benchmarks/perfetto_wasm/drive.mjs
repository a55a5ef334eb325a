// Loads a trace into Perfetto's engine as its web UI does and prints one line of JSON: what it took and what it kept.
// `node drive.mjs DIRECTORY TRACE`; DIRECTORY holds engine_bundle.js and trace_processor*.wasm of a Perfetto UI build.
// The engine's worker script runs unchanged, on the few things of a web worker that it looks for.

import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";

const CHUNK = 32 << 20; // the engine's request buffer and the UI's own piece of a file
const APPEND = 1, FINALIZE = 2, QUERY = 3; // TraceProcessorRpc.TraceProcessorMethod
const [, , directory, trace] = process.argv;

// --- protobuf, as little as it takes --------------------------------------------------------------------------------

function varint(number) {
  const bytes = [];
  for (; number >= 128; number = Math.floor(number / 128)) bytes.push((number % 128) | 128);
  return Uint8Array.of(...bytes, number);
}

function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}

const number = (field, value) => concat(varint(field * 8), varint(value));
const bytes = (field, value) => concat(varint(field * 8 + 2), varint(value.length), value);
const text = (field, value) => bytes(field, new TextEncoder().encode(value));

function readVarint(data, at) {
  let value = 0n, shift = 0n, byte;
  do {
    byte = data[at++];
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
  } while (byte & 128);
  return [Number(BigInt.asIntN(64, value)), at];
}

function* fields(data) {
  let at = 0, key, value;
  while (at < data.length) {
    [key, at] = readVarint(data, at);
    const kind = key % 8;
    if (kind === 0) [value, at] = readVarint(data, at);
    else if (kind === 1) value = data.subarray(at, (at += 8));
    else if (kind === 2) {
      let size;
      [size, at] = readVarint(data, at);
      value = data.subarray(at, (at += size));
    } else throw new Error(`unexpected wire type ${kind}`);
    yield [Math.floor(key / 8), value];
  }
}

const only = (data, field) => [...fields(data)].filter(([key]) => key === field).map(([, value]) => value);

// --- the engine's worker --------------------------------------------------------------------------------------------

let wasm = "";

/** The one file the worker asks for, synchronously: the engine in WebAssembly. */
class FileRequest {
  open(_method, name) {
    wasm = name;
  }
  send() {
    const content = readFileSync(join(directory, wasm));
    this.response = content.buffer.slice(content.byteOffset, content.byteOffset + content.length);
  }
}

function startEngine() {
  const worker = { location: { href: "" } };
  const silent = { ...console, log: () => {}, warn: () => {}, error: () => {} };
  const names = ["self", "WorkerGlobalScope", "process", "XMLHttpRequest", "console"];
  const script = new Function(...names, readFileSync(join(directory, "engine_bundle.js"), "utf8"));
  script(worker, class {}, undefined, FileRequest, silent);
  return worker;
}

const waiting = []; // the engine answers in order
let sequence = 0;
const port = {
  postMessage(stream) {
    for (const reply of only(stream, 1)) {
      const fatal = only(reply, 5)[0];
      if (fatal) throw new Error(new TextDecoder().decode(fatal));
      const entry = waiting[0];
      entry.replies.push(reply);
      if (entry.done(reply)) waiting.shift().resolve(entry.replies);
    }
  },
};

function ask(method, payload = new Uint8Array(), done = () => true) {
  return new Promise((resolve) => {
    waiting.push({ resolve, done, replies: [] });
    port.onmessage({ data: bytes(1, concat(number(1, sequence++), number(2, method), payload)) });
  });
}

// --- queries --------------------------------------------------------------------------------------------------------

const batches = (reply) => only(reply, 203).flatMap((result) => only(result, 3));
const isLast = (reply) => batches(reply).some((batch) => only(batch, 6)[0] === 1)
  || only(reply, 203).some((result) => only(result, 2).length > 0);

/** All cells of an answer in order: numbers and strings. */
async function query(sql) {
  const replies = await ask(QUERY, bytes(103, text(1, sql)), isLast);
  const cells = [];
  for (const reply of replies) {
    for (const result of only(reply, 203)) {
      const [error] = only(result, 2);
      if (error) throw new Error(new TextDecoder().decode(error));
    }
    for (const batch of batches(reply)) cells.push(...cellsOf(batch));
  }
  return cells;
}

function cellsOf(batch) {
  const numbers = [], cells = [];
  for (const packed of only(batch, 2)) {
    for (let at = 0, value; at < packed.length; numbers.push(value)) [value, at] = readVarint(packed, at);
  }
  const strings = only(batch, 5).flatMap((part) => new TextDecoder().decode(part).split("\0"));
  for (const kind of only(batch, 1).flatMap((part) => [...part])) {
    if (kind === 2) cells.push(numbers.shift());
    else if (kind === 4) cells.push(strings.shift());
    else cells.push(null);
  }
  return cells;
}

// --- the measurement ------------------------------------------------------------------------------------------------

async function load() {
  const file = openSync(trace, "r");
  const buffer = new Uint8Array(CHUNK - 64); // leaves room for the message around it
  for (let size; (size = readSync(file, buffer, 0, buffer.length, null)) > 0; ) {
    const [reply] = await ask(APPEND, bytes(101, buffer.subarray(0, size)));
    const error = only(reply, 201).flatMap((result) => only(result, 2))[0];
    if (error?.length) throw new Error(new TextDecoder().decode(error));
  }
  closeSync(file);
  const [reply] = await ask(FINALIZE);
  const error = only(reply, 211).flatMap((result) => only(result, 1))[0];
  if (error?.length) throw new Error(new TextDecoder().decode(error));
}

async function measure() {
  startEngine().onmessage({ data: port });
  await new Promise((resolve) => setTimeout(resolve)); // the engine sets itself up once this script has paused
  const cpu = process.cpuUsage();
  const wall = performance.now();
  await load();
  const took = process.cpuUsage(cpu);
  const wallSeconds = (performance.now() - wall) / 1000;
  const [slices] = await query("select count(*) from slice");
  const rows = await query("select name, value from stats where value != 0 and severity in ('error', 'data_loss')");
  const lost = Object.fromEntries(rows.flatMap((cell, at) => (at % 2 ? [] : [[cell, rows[at + 1]]])));
  const found = { cpu_s: (took.user + took.system) / 1e6, wall_s: wallSeconds, events: slices, detail: { wasm, lost } };
  console.log(JSON.stringify(found));
}

measure().catch((error) => {
  console.error(`${error.message}`.slice(0, 500));
  process.exit(1);
});
