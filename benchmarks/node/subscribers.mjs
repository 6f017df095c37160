// Subscribers and publisher of one trial, in one process: it opens sockets, publishes events that carry the time, and
// measures when each of them arrives at each socket. `node subscribers.mjs CONFIG` prints one JSON line when all follow
// (`{"ready": true}`), and one with the figures at the end. With `seconds` 0 it holds the sockets until stdin ends.
import { readFileSync } from "node:fs";
import { SocketIo, Turnfold } from "./protocols.mjs";

const config = JSON.parse(process.argv[2]);
const { sockets, sessions, rate, seconds, in_flight: inFlight } = config;
const MARK = 0x7e; // "~", then ten digits of microseconds and three of the session
const MARK_CHARS = 14;
const TICK_MS = 2;
const SETTLE_MS = 1000;
const OPENINGS_AT_ONCE = 50;
const CLOCK_TICKS = 100; // Linux counts processor time for programs in hundredths

const server = config.protocol === "turnfold" ? new Turnfold(config) : new SocketIo(config);
const arrivals = new Uint32Array(100_000); // by tenths of a millisecond
const received = new Uint32Array(sessions.length);
let measuring = false;
let measuredFrom = 0;
let deliveries = 0;
let published = 0;
let next = () => {};

const now = () => Math.floor(performance.now() * 1000);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const digits = (data, from, count) => {
  let value = 0;
  for (let at = from; at < from + count; at += 1) value = value * 10 + data[at] - 0x30;
  return value;
};

function onFrame(data, from, to) {
  const time = now();
  let at = data.indexOf(MARK, from);
  while (at >= 0 && at < to) {
    const sent = digits(data, at + 1, 10);
    if (measuring && sent >= measuredFrom) {
      deliveries += 1;
      arrivals[Math.min(arrivals.length - 1, Math.floor((time - sent) / 100))] += 1;
    }
    const session = digits(data, at + 11, 3);
    if (session < sessions.length) next(session);
    at = data.indexOf(MARK, at + MARK_CHARS);
  }
}

const padding = "x".repeat(Math.max(0, config.text_chars - MARK_CHARS));
function chunk(session) {
  const mark = `~${String(now()).padStart(10, "0")}${String(session).padStart(3, "0")}`;
  return {
    type: "assistant/chunk", ts_ms: 1772531400000, turn: 1, step: 1, kind: "text", index: 0, text: mark + padding,
  };
}

function open() {
  const opening = [
    { type: "turn/start", turn: 1 },
    { type: "step/start", turn: 1, step: 1 },
  ];
  server.publish(sessions.flatMap((session) => opening.map((event) => [session, event])));
}

/** Publishes at the asked rate, each session at its own moments, until stopped. */
function publishPaced() {
  const gap = 1_000_000 / rate;
  const due = sessions.map((_, at) => now() + (gap * at) / sessions.length);
  const timer = setInterval(() => {
    const time = now();
    const events = [];
    for (let at = 0; at < due.length; at += 1) {
      while (due[at] <= time) {
        events.push([sessions[at], chunk(at)]);
        due[at] += gap;
      }
    }
    if (measuring) published += events.length;
    if (events.length) server.publish(events);
  }, TICK_MS);
  return () => clearInterval(timer);
}

/** Publishes a session's next event when everybody has its last one: each frame holds exactly one event. */
function publishInFlight() {
  let stopped = false;
  next = (at) => {
    received[at] += 1;
    if (received[at] < sockets) return;
    received[at] = 0;
    if (measuring) published += 1;
    if (!stopped) server.publish([[sessions[at], chunk(at)]]);
  };
  server.publish(sessions.map((session, at) => [session, chunk(at)]));
  return () => (stopped = true);
}

function quantile(share) {
  let left = Math.ceil(deliveries * share);
  for (let at = 0; at < arrivals.length; at += 1) {
    left -= arrivals[at];
    if (left <= 0) return (at + 0.5) / 10;
  }
  return 0;
}

/** Seconds of processor time that the server has used. */
function serverSeconds() {
  const facts = readFileSync(`/proc/${config.server_pid}/stat`, "latin1");
  const fields = facts.slice(facts.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
}

const wires = [];
for (let at = 0; at < sockets; at += OPENINGS_AT_ONCE) {
  const part = Array.from({ length: Math.min(OPENINGS_AT_ONCE, sockets - at) }, (_, index) => {
    const followed = config.follow === "all" ? sessions : [sessions[(at + index) % sessions.length]];
    return server.follow(followed, onFrame);
  });
  wires.push(...(await Promise.all(part)));
}
console.log(JSON.stringify({ ready: true }));
const sum = (field) => wires.reduce((total, wire) => total + wire[field], 0);

if (!seconds) {
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.on("end", resolve));
  process.exit(0);
}
open();
await sleep(SETTLE_MS);
const stop = inFlight ? publishInFlight() : publishPaced();
await sleep(config.warm_up_s * 1000);
const [framesBefore, bytesBefore, cpuBefore] = [sum("frames"), sum("bytes"), process.cpuUsage()];
const serverBefore = serverSeconds();
measuredFrom = now();
measuring = true;
await sleep(seconds * 1000);
const elapsed = (now() - measuredFrom) / 1e6;
const frames = sum("frames") - framesBefore;
const bytes = sum("bytes") - bytesBefore;
const cpu = process.cpuUsage(cpuBefore);
const serverUsed = serverSeconds() - serverBefore;
stop();
if (!inFlight) await sleep(SETTLE_MS);
const figures = {
  deliveries, published, frames, bytes, elapsed, p50_ms: quantile(0.5), p99_ms: quantile(0.99),
  busy: (cpu.user + cpu.system) / 1e6 / elapsed, server_busy: serverUsed / elapsed,
};
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
