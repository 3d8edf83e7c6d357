// The photos of this tab on their way: sent a few at a time, tried again after a lost connection, watched until they are
// read. Views come and go; this list stays.
import { api, ApiError, Unreachable, uuid } from "./api.js";

const atOnce = 3;
const watchedAtOnce = 4;

/** Newest last. An item is {id, name, state, progress, message, job, serial, confidence, verdict, error, ...}. */
export const items = [];
const listeners = new Set();
const tell = (item) => listeners.forEach((listener) => listener(item));

/** Hears of each change of an item; returns how to stop. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let numbers = 0;
function newItem(values) {
  const item = { number: ++numbers, state: "waiting", progress: 0, message: "Waits to be sent", at: Date.now(), ...values };
  items.push(item);
  return item;
}

/** Takes photos; each becomes an item and is sent in its turn. */
export function add(files, { preset, deviceType }) {
  const added = files.map((file) => newItem({ file, name: file.name || "pasted.png", preset, deviceType, key: uuid() }));
  added.forEach(tell);
  pump();
  return added;
}

/** A serial that came another way (live): it stands in the same list. */
export function addRead({ name, serial, confidence, verdict, job }) {
  const item = newItem({ name, serial, confidence, verdict, job, state: "done", progress: 1, message: "Live" });
  remember();
  tell(item);
  return item;
}

/** Takes items out of the list; their jobs stay on the server. */
export function forget(...some) {
  for (const item of some) item.state = "forgotten";
  const left = items.filter((item) => item.state !== "forgotten");
  items.splice(0, items.length, ...left);
  remember();
  some.forEach(tell);
}

/** Sends an item again that failed on its way. */
export function retry(item) {
  Object.assign(item, { state: "waiting", error: null, progress: 0, message: "Waits to be sent" });
  tell(item);
  pump();
}

let sending = 0;
function pump() {
  while (sending < atOnce) {
    const next = items.find((item) => item.state === "waiting");
    if (!next) return;
    sending += 1;
    next.state = "sending";
    send(next).finally(() => { sending -= 1; pump(); });
  }
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

async function send(item) {
  const change = (values) => { Object.assign(item, values); tell(item); };
  for (let attempt = 0; item.state === "sending"; attempt += 1) {
    change({ message: attempt ? "Sending again" : "Sending", progress: 0 });
    const form = new FormData();
    if (item.preset) form.append("preset", item.preset);
    if (item.deviceType) form.append("device_type", item.deviceType);
    form.append("image", item.file, item.name);
    try {
      // The key makes one job of it, however often it is sent.
      const answer = await api.upload("/scan", form, {
        idempotencyKey: item.key, onProgress: (share) => change({ progress: 0.3 * share }),
      });
      change({ state: "queued", job: answer.job_id, position: answer.queue_position, progress: 0.3,
        message: answer.queue_position > 0 ? `Place ${answer.queue_position} in the queue` : "In the queue" });
      remember();
      watch();
      return;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401 && await api.askForKey(error.message)) continue;
      const isPassing = error instanceof Unreachable || [429, 503].includes(error.status);
      if (!isPassing) { change({ state: "failed", error: error.message, message: "", progress: 1 }); return; }
      const seconds = Math.min(30, Math.max(error.retryAfter ?? 0, 2 ** Math.min(attempt, 5)));
      change({ message: `${error.message} Tried again in ${seconds} s` });
      await Promise.race([pause(seconds), new Promise((resolve) => addEventListener("online", resolve, { once: true }))]);
    }
  }
}

let watching = false;
async function watch() {
  if (watching) return;
  watching = true;
  // The oldest first: they are read first.
  for (let idle = 0; ; ) {
    const pending = items.filter((item) => item.state === "queued").slice(0, watchedAtOnce);
    if (pending.length === 0) break;
    const changed = await Promise.all(pending.map((item, index) => look(item, index === 0)));
    idle = changed.some((hasChanged) => hasChanged) ? 0 : idle + 1;
    await pause(Math.min(2, 0.15 + 0.1 * idle));
  }
  watching = false;
}

async function look(item, mayWait) {
  try {
    const before = item.message + item.progress + item.state;
    const job = await api.get(`/result/${item.job}${mayWait ? "?wait=1" : ""}`);
    take(item, job);
    return before !== item.message + item.progress + item.state;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      Object.assign(item, { state: "failed", error: error.message, progress: 1 });
      tell(item);
      return true;
    }
    await pause(1);
    return false;
  }
}

/** Takes over what the server says of an item's job. */
export function take(item, job) {
  const top = job.results?.top_result;
  const hasEnded = job.status === "completed" || job.status === "failed";
  const isWaiting = job.status === "queued" && item.position > 0;
  if (isWaiting) {
    const before = items.filter((other) => other.state === "queued" && other.number < item.number).length;
    item.position = Math.min(item.position, before + 1 || item.position);
  }
  Object.assign(item, {
    state: hasEnded ? "done" : "queued", progress: hasEnded ? 1 : Math.max(item.progress, 0.3 + 0.7 * job.progress / 100),
    message: isWaiting ? `Place ${item.position} in the queue` : job.message,
    serial: job.confirmed_serial ?? top?.serial ?? null, confidence: top?.confidence ?? null,
    verdict: hasEnded ? job.verdict ?? job.results?.verdict ?? "refused" : null, confirmed: Boolean(job.confirmed_serial),
    seenBefore: job.seen_before ?? null, error: hasEnded ? job.error : null,
  });
  if (hasEnded) { delete item.file; remember(); }
  tell(item);
}

// The list outlives a reload of the tab; photos that were not sent do not.
function remember() {
  const kept = items.filter((item) => item.job || item.state === "done").slice(-1000)
    .map(({ name, job, serial, confidence, verdict, confirmed, state, message, seenBefore, error }) => (
      { name, job, serial, confidence, verdict, confirmed, state, message, seenBefore, error }));
  try { sessionStorage.setItem("serialscan.items", JSON.stringify(kept)); } catch { /* full: only a comfort */ }
}

try {
  for (const kept of JSON.parse(sessionStorage.getItem("serialscan.items") ?? "[]")) {
    newItem({ ...kept, progress: kept.state === "done" ? 1 : 0.3 });
  }
} catch { /* nothing kept */ }
watch();
