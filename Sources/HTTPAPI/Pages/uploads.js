// This browser's uploads: sends a few photos at a time, retries after connection errors, and follows each until it is
// read. The list survives changes of view and reloads. All tabs share one list: each item belongs to the tab that sends
// and follows it, and is taken over by another tab if that one closes. A tab runs on for a moment while it closes: each
// new owner raises the item's `turn`, and what a former owner still writes or reports is ignored. The Idempotency-Key
// ensures that each photo becomes one job, whichever tab sends it.
import { api, ApiError, Unreachable, uuid } from "./api.js";
import { remembered } from "./dom.js";
import { hear } from "./hearing.js";
import * as kept from "./kept.js";
import { t } from "./strings.js";

const atOnce = 3;
const watchedAtOnce = 4;
const mostEnded = 1000;
/** Seconds between polls for missed events. */
const lookInterval = 10;
/** Seconds within which an open tab responds: at the start, when the user is waiting, and later, when tabs may be busy. */
const answerTime = { first: 0.4, later: 2 };
/** Milliseconds between checks for tabs that ended without notice. */
const lookTime = 10_000;
/** Milliseconds after which a result that has not arrived is asked for again: a phone may never detect a lost connection. */
const patience = 30_000;

/** Identifies this tab. */
const tab = uuid();

/**
 * The items, newest last: {key, tab, turn, name, size, at, state, progress, job, serial, confidence, verdict, confirmed,
 * ...}. The state is waiting, sending, queued, done, failed or forgotten.
 */
export const items = [];
const listeners = new Set();

/** Calls the listener for each change of an item. Returns a function that removes it. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const channel = globalThis.BroadcastChannel ? new BroadcastChannel("serialscan") : null;
const isMine = (item) => item.tab === tab;

/** Makes this tab the owner of an item. */
function own(item) { if (!isMine(item)) Object.assign(item, { tab, turn: kept.turnOf(item) + 1 }); }

/** Whether an item is a photo; the others are serials from live reading or a scanner. */
export const isPhoto = (item) => !item.isLive && !item.isTyped;

/** Returns the fields of an item that are stored and shared with other tabs: all that are not specific to this tab. */
const fieldsOf = ({ file, shown, stop, ...fields }) => fields;

// Notifies the views of a change; stores lasting changes and sends them to the other tabs.
function tell(item) {
  listeners.forEach((listener) => listener(item));
  if (!isMine(item) || item.state === "forgotten") return;
  const lasting = [item.state, item.job, item.serial, item.verdict, item.confirmed, item.code, item.isKept, item.thumbnail,
    JSON.stringify([item.custom, item.owed, item.target])].join();
  const shown = [lasting, item.position, item.isReading, item.retryIn, item.attempt, Math.round(20 * item.progress)].join();
  if (shown === item.shown?.text) return;
  channel?.postMessage({ item: fieldsOf(item) });
  if (lasting !== item.shown?.lasting) remember(item);
  item.shown = { text: shown, lasting };
}

let latest = 0;
function newItem(values) {
  // Items created in the same millisecond keep their order.
  latest = Math.max(Date.now(), latest + 0.001);
  const item = { key: uuid(), tab, turn: 0, state: "waiting", progress: 0, at: latest, ...values };
  items.push(item);
  return item;
}

/** Adds photos with their form fields and further item fields in `more`. They are sent in order. */
export async function add(files, fields, more = {}) {
  const added = files.map((file) => newItem({ file, name: file.name || t("upload.pasted"), size: file.size, fields, ...more }));
  added.forEach(tell);
  pump();
  await keep(added);
}

/** Adds a serial typed by a scanner or a person, with its form fields. It is sent in order. */
export async function addTyped(serial, fields) {
  const item = newItem({ name: "", isTyped: true, serial, size: 0, fields });
  tell(item);
  pump();
  await keepOne(item);
  return item;
}

// Stores all concurrently, because a reload loses a photo that is not stored.
async function keep(some) {
  const inRoom = items.filter((item) => item.isKept);
  const chosen = some.filter((item) => item.file && kept.hasRoom(inRoom, item.size) && inRoom.push(item));
  await Promise.all(chosen.map(keepOne));
}

async function keepOne(item) {
  const isNeeded = () => (item.file || item.isTyped) && !item.job && !item.isFinal && !["done", "forgotten"].includes(item.state);
  if (!isNeeded()) return;
  const isKept = await kept.put([fieldsOf(item)], item.file);
  // It may have been sent or removed while it was being stored.
  if (!isNeeded()) await kept.remove([item.key], { staysInList: item.state !== "forgotten" });
  else if (isKept) { item.isKept = true; tell(item); }
}

/** Adds a serial from live reading to the list. */
export function addRead({ serial, confidence, verdict, seenBefore }) {
  const item = newItem({ name: "", isLive: true, serial, confidence, verdict, seenBefore, state: "done", progress: 1 });
  tell(item);
  return item;
}

/** The progress at which a photo has been sent and only the response is missing. */
const sent = 0.3;

/** Removes items from the list; their jobs stay on the server. Returns a function that undoes it. */
export function forget(...some) {
  const before = some.map((item) => [item, item.state]);
  for (const item of some) {
    // The server may already have stored the photo: wait for the response, which names the job to delete.
    const isOnlyAwaited = item.isUnwanted && item.state === "sending" && item.progress >= sent;
    item.state = "forgotten";
    if (!isOnlyAwaited) item.stop?.abort();
  }
  replace(items.filter((item) => item.state !== "forgotten"));
  some.forEach(tell);
  const keys = some.map((item) => item.key);
  channel?.postMessage({ forgotten: keys });
  // Keep unsent photos in memory until the removal can no longer be undone.
  const photos = Promise.all(before.map(async ([item]) => { item.file ??= item.isKept ? await kept.photo(item.key).catch(() => undefined) : undefined; }))
    .then(() => kept.remove(keys)).then(rememberForTab);
  return async () => {
    await photos;
    const back = before.filter(([item]) => !items.includes(item));
    for (const [item, state] of back) {
      own(item);
      Object.assign(item, { state: state === "sending" ? "waiting" : state, isKept: false, isUnwanted: false, shown: null });
    }
    // Store the restored items again.
    if (await kept.isAvailable()) await kept.put(back.map(([item]) => item).filter((item) => !item.file).map(fieldsOf));
    replace([...items, ...back.map(([item]) => item)].sort((one, other) => one.at - other.at));
    back.forEach(([item]) => tell(item));
    pump();
    watch();
    await keep(back.map(([item]) => item));
  };
}

/** Empties the list and its storage, when the user signs out. */
export async function forgetAll() {
  const all = [...items];
  forget(...all);
  await kept.remove(all.map((item) => item.key));
}

/** Returns the photos of all tabs that have not reached the server. */
export const unsent = () => items.filter((item) => ["waiting", "sending"].includes(item.state));

function replace(left) { items.splice(0, items.length, ...left); }

/** Whether retrying an item can succeed. */
export const canRetry = (item) => item.state === "failed" && !item.isFinal && Boolean(item.file || item.isKept || item.isTyped);

/** Retries an item whose upload failed. */
export function retry(item) {
  // The batch has ended, so use the current one.
  if (["BATCH_ENDED", "BATCH_NOT_FOUND"].includes(item.code)) item.fields = { ...item.fields, batch: remembered.get("batch", null)?.id ?? "" };
  own(item);
  Object.assign(item, { state: "waiting", code: null, error: null, attempt: 0, progress: 0 });
  tell(item);
  pump();
}

let sending = 0;
function pump() {
  while (sending < atOnce) {
    const next = items.find((item) => item.state === "waiting" && isMine(item));
    if (!next) return;
    sending += 1;
    next.state = "sending";
    send(next).finally(() => { sending -= 1; pump(); });
  }
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** A pause that ends early when the connection is back or the phone wakes up. */
const pauseUnlessAwoken = (seconds) => Promise.race([pause(seconds),
  ...["online", "visibilitychange"].map((name) => new Promise((resolve) => addEventListener(name, resolve, { once: true })))]);

/** Whether the item still belongs to this tab: another may have taken it over while this one was suspended. */
async function isStillMine(item) {
  if (!item.isKept) return true;
  const current = await kept.get(item.key).catch(() => item);
  if (current?.tab === tab) return true;
  if (current) update(current);
  return false;
}

async function send(item) {
  const change = (values) => { Object.assign(item, values); tell(item); };
  const fail = (values) => {
    if (isOver()) return;
    if (values.isFinal) { delete item.file; kept.remove([item.key], { staysInList: true }); item.isKept = false; }
    change({ state: "failed", progress: 1, ...values });
  };
  // If the item is removed and restored, another call sends it.
  const stop = item.stop = new AbortController();
  const isOver = () => stop.signal.aborted || item.state !== "sending";
  for (let attempt = 0; !isOver(); attempt += 1) {
    if (!await isStillMine(item)) return;
    change({ attempt, retryIn: 0, progress: 0 });
    if (item.isTyped) {
      try {
        const saved = await saveTyped(item, stop.signal);
        if (!isOver()) change({ state: "done", progress: 1, code: null, error: null, ...saved });
        return;
      } catch (error) {
        if (!await isWorthAnother(error)) return;
        continue;
      }
    }
    const file = item.file ?? await kept.photo(item.key).catch(() => undefined);
    if (!file || !await isReadable(file)) { fail({ code: "UNREADABLE", isFinal: true }); return; }
    const limit = await api.largestUpload();
    if (file.size > limit) { fail({ code: "TOO_LARGE", limit, isFinal: true }); return; }
    if (isOver()) return;
    const form = new FormData();
    for (const [name, value] of Object.entries(item.fields ?? {})) if (value) form.append(name, value);
    form.append("image", file, item.name);
    try {
      // The key ensures a single job, however often the photo is sent.
      const answer = await api.upload("/scan", form, {
        idempotencyKey: item.key, signal: stop.signal, onProgress: (share) => { if (!isOver()) change({ progress: sent * share }); },
      });
      if (item.isUnwanted && item.state === "forgotten") item.job = answer.job_id;
      if (isOver()) return;
      change({ state: "queued", job: answer.job_id, position: answer.queue_position, progress: sent });
      // The job's end may be reported before its id is known here.
      if (ended.has(item.job)) look(item, false);
      watch();
      return;
    } catch (error) {
      if (!await isWorthAnother(error)) return;
    }
  }

  /** Whether to retry an item after an error; waits for the delay first. */
  async function isWorthAnother(error) {
    if (error.name === "AbortError") return false;
    if (error instanceof ApiError && error.status === 401 && await api.askForKey(error)) return true;
    const isPassing = error instanceof Unreachable || [429, 503].includes(error.status);
    // Errors caused by the photo would repeat.
    if (!isPassing) { fail({ code: error.code, error: error.detail, isFinal: [413, 415, 422].includes(error.status) }); return false; }
    const seconds = Math.min(30, Math.max(error.retryAfter ?? 0, 2 ** Math.min(item.attempt, 5)));
    change({ retryIn: seconds, code: error.code ?? null, error: error.detail ?? null });
    await pauseUnlessAwoken(seconds);
    if (isOver()) return false;
    change({ retryIn: 0, code: null, error: null });
    return true;
  }
}

/** Saves a typed serial under the item's idempotency key. Returns the item's new fields. */
async function saveTyped(item, signal) {
  const { batch, device_type: deviceType } = item.fields ?? {};
  const response = await api.request("/serials", {
    method: "POST", signal, headers: { "Content-Type": "application/json", "Idempotency-Key": item.key },
    body: JSON.stringify({ serial: item.serial, confidence: 1, source: "scanner", ...(batch ? { batch } : {}), ...(deviceType ? { device_type: deviceType } : {}) }),
  });
  const answer = await response.json();
  // Finds out whether it was read before; servers without devices don't report that.
  const device = await api.get(`/devices/${encodeURIComponent(item.serial)}`, { signal }).catch(() => null);
  return { serialID: answer.serial_id, verdict: answer.validation_passed && answer.confidence_acceptable ? "accepted" : "uncertain",
    seenBefore: device?.times_seen > 1 ? device.reads?.[1]?.timestamp ?? device.first_seen : null, custom: { ...device?.custom, ...item.custom } };
}

// A file that was deleted or changed since it was chosen fails like a lost connection and would be retried
// indefinitely.
const isReadable = (file) => file.slice(0, 1).arrayBuffer().then(() => true, () => false);

const isPending = (item) => item.state === "queued" && isMine(item);
const endWait = (resolve) => { wake = resolve; };
let wake = () => {};

let watching = false;
async function watch() {
  if (watching) return;
  watching = true;
  // The oldest first, because they are read first.
  for (let idle = 0; ; ) {
    const pending = items.filter(isPending).slice(0, watchedAtOnce);
    if (pending.length === 0) break;
    listenTo();
    const changed = await Promise.all(pending.map((item, index) => look(item, index === 0 && !isHearing)));
    idle = changed.some((hasChanged) => hasChanged) ? 0 : idle + 1;
    // With an event stream, polling only finds missed events.
    await (isHearing && idle > 0 ? Promise.race([pause(lookInterval), new Promise(endWait)]) : pause(Math.min(2, 0.15 + 0.1 * idle)));
  }
  watching = false;
  leaveOff();
}

/** Whether the event stream is open; otherwise the server is polled. */
let isHearing = false;
let stopHearing = null;
/** Number of views that show changes made by others. */
let attending = 0;
/** Jobs that ended recently. */
const ended = new Set();

function listenTo() { stopHearing ??= hear(null, hearOf, (isNow) => { isHearing = isNow; if (isNow) wake(); }); }

function leaveOff() {
  if (watching || attending > 0) return;
  stopHearing?.();
  [stopHearing, isHearing] = [null, false];
}

/** Updates the list when others confirm or delete photos. Returns a function that stops this. */
export function attend() {
  attending += 1;
  listenTo();
  return () => { attending -= 1; leaveOff(); };
}

function hearOf(name, job) {
  if (name === "changed" || name === "deleted") {
    const item = items.find((one) => one.job === job.job_id && one.state === "done" && isMine(one));
    if (item && name === "changed") look(item, false);
    else if (item) amend(item, { state: "failed", code: "JOB_NOT_FOUND", error: null, isFinal: true });
    return;
  }
  if (name === "ended") {
    ended.add(job.job_id);
    if (ended.size > mostEnded) ended.delete(ended.values().next().value);
  }
  const item = items.find((one) => one.job === job.job_id && isPending(one));
  if (!item) return;
  if (name !== "ended") { take(item, job); return; }
  look(item, false).then(() => {
    const pending = items.filter(isPending);
    for (const other of pending.slice(0, watchedAtOnce)) if (!other.isReading) { moveUp(other); tell(other); }
    if (pending.length === 0) wake();
  });
}

async function look(item, mayWait) {
  try {
    const before = [item.position, item.isReading, item.progress, item.state].join();
    const job = await api.get(`/result/${item.job}${mayWait ? "?wait=1" : ""}`, { signal: AbortSignal.timeout(patience) });
    take(item, job);
    return before !== [item.position, item.isReading, item.progress, item.state].join();
  } catch (error) {
    if (error instanceof ApiError && [404, 410].includes(error.status)) {
      Object.assign(item, { state: "failed", code: error.code, error: error.detail, isFinal: true, progress: 1 });
      tell(item);
      return true;
    }
    await pause(1);
    return false;
  }
}

function moveUp(item) {
  const before = items.filter((other) => other.state === "queued" && other.at < item.at).length;
  item.position = Math.min(item.position, before + 1 || item.position);
}

/** Updates an item from its job. */
export function take(item, job) {
  if (item.state === "forgotten") return;
  const top = job.results?.top_result;
  const hasEnded = job.status === "completed" || job.status === "failed";
  const isWaiting = job.status === "queued" && item.position > 0;
  if (isWaiting) moveUp(item);
  Object.assign(item, {
    state: hasEnded ? "done" : "queued", progress: hasEnded ? 1 : Math.max(item.progress, sent + (1 - sent) * job.progress / 100),
    isReading: job.status === "processing", serial: job.confirmed_serial ?? top?.serial ?? null, confidence: top?.confidence ?? null,
    verdict: hasEnded ? job.verdict ?? job.results?.verdict ?? "refused" : null, confirmed: Boolean(job.confirmed_serial),
    seenBefore: job.seen_before ?? null, duplicateOf: job.duplicate_of ?? null, batch: job.batch_id ?? null, thumbnail: hasEnded ? job.thumbnail_url ?? null : null,
    codes: job.custom ?? {}, custom: { ...item.custom, ...job.custom }, code: hasEnded ? job.error_code ?? null : null, error: hasEnded ? job.error : null,
  });
  if (hasEnded && item.serial) removeReplaced(item);
  if (hasEnded) delete item.file;
  if (hasEnded && item.thumbnail) delete item.preview;
  tell(item);
}

/**
 * Deletes the photos that a photo with a serial replaces. Those that it doesn't replace, and those that may not be deleted,
 * keep their mark and stay out of the review.
 */
function removeReplaced(item) {
  for (const old of item.replaces ?? []) api.request(`/jobs/${old}`, { method: "DELETE" }).catch(() => { /* it stays, marked */ });
  delete item.replaces;
}

/** Changes fields of an item and notifies the views. */
export function amend(item, values) {
  if (item.state === "forgotten") return;
  own(item);
  Object.assign(item, values);
  tell(item);
}

/** Refreshes a job's item after a person confirmed or changed it. */
export async function refresh(job) {
  const item = items.find((one) => one.job && one.job === job);
  if (!item) return;
  own(item);
  take(item, await api.get(`/result/${job}`));
}

// Updates or adds an item from another tab or the previous visit.
function update(fields) {
  const item = items.find((one) => one.key === fields.key);
  if (item && kept.turnOf(fields) < kept.turnOf(item)) return;
  if (item?.shown && isMine(item) && isMine(fields)) return;
  if (item) Object.assign(item, fields);
  else {
    items.push({ ...fields });
    items.sort((one, other) => one.at - other.at);
  }
  listeners.forEach((listener) => listener(item ?? items.find((one) => one.key === fields.key)));
}

const answers = new Set();
if (channel) {
  channel.onmessage = ({ data }) => {
    if (data.item) update(data.item);
    else if (data.ask && data.ask !== tab) channel.postMessage({ here: tab });
    else if (data.here) answers.add(data.here);
    else if (data.gone) takeOver((name) => name === data.gone).catch(() => {});
    else if (data.forgotten) {
      const gone = items.filter((item) => data.forgotten.includes(item.key));
      for (const item of gone) { item.state = "forgotten"; item.stop?.abort(); }
      replace(items.filter((item) => item.state !== "forgotten"));
      for (const item of gone) listeners.forEach((listener) => listener(item));
    }
  };
}

/** Returns the other tabs that are open and not suspended. */
async function living(seconds) {
  answers.clear();
  if (!channel) return answers;
  channel.postMessage({ ask: tab });
  await pause(seconds);
  return new Set(answers);
}

/** Takes over the unfinished items of closed tabs. Returns the number of photos sent again. */
async function takeOver(isGone) {
  const adopted = await kept.adopt((name) => name !== tab && isGone(name), tab);
  for (const fields of adopted) update({ ...fields, state: fields.state === "sending" ? "waiting" : fields.state, retryIn: 0, position: 0 });
  pump();
  watch();
  return adopted.filter((item) => ["waiting", "sending"].includes(item.state)).length;
}

const ofTab = "serialscan.items";

// Without a database, the list survives a reload of the tab, but unsent photos do not.
async function rememberForTab() {
  if (await kept.isAvailable()) return;
  const ended = items.filter((item) => item.job || item.state === "done").slice(-mostEnded).map(fieldsOf);
  try { sessionStorage.setItem(ofTab, JSON.stringify(ended)); } catch { /* full: only a comfort */ }
}

async function remember(item) {
  if (!await kept.isAvailable()) { rememberForTab(); return; }
  // An unsent photo that is not stored could not be sent after a reload.
  if (!item.isKept && !item.job && !item.isTyped && !["done", "failed"].includes(item.state)) return;
  const hasArrived = item.job && item.isKept;
  if (hasArrived) item.isKept = false;
  const isStored = await kept.put([fieldsOf(item)]);
  // Only after the item is stored: a reload in between must not look for a photo that is gone, nor may a new owner.
  if (!hasArrived) return;
  if (isStored) await kept.remove([item.key], { staysInList: true });
  else item.isKept = true;
}

let hasLoaded;
/** Resolves once the list of a reloaded page is loaded, so that it is drawn at once. */
export const loaded = new Promise((resolve) => { hasLoaded = resolve; });

/** Loads this browser's list and resumes it. Returns the number of photos sent again. */
export const resume = () => load().finally(hasLoaded);

async function load() {
  if (!await kept.isAvailable()) {
    try {
      for (const fields of JSON.parse(sessionStorage.getItem(ofTab) ?? "[]")) update({ ...fields, tab });
    } catch { /* nothing kept */ }
    watch();
    return 0;
  }
  const isReloaded = sessionStorage.getItem("serialscan.visit") !== null;
  try { sessionStorage.setItem("serialscan.visit", "1"); } catch { /* then each load is a new visit */ }
  const found = await kept.all();
  if (isReloaded) found.forEach(update);
  hasLoaded();
  const awake = found.length > 0 ? await living(answerTime.first) : answers;
  // Results are shown while a tab of this browser is open; after that, a new tab shows none of them.
  const isOver = (item) => !isReloaded && awake.size === 0 && (item.state === "done" || (item.state === "failed" && !item.isKept));
  const ended = found.filter((item) => item.state === "done");
  const left = new Set([...found.filter(isOver), ...ended.slice(0, -mostEnded)].map((item) => item.key));
  if (left.size > 0) kept.remove([...left]);
  if (!isReloaded) found.filter((item) => !left.has(item.key)).forEach(update);
  return takeOver((name) => !awake.has(name));
}

// Tabs that crash or are killed by the phone give no notice; the visible tab takes over their items, and catches up on
// those that another tab took over.
setInterval(async () => {
  if (document.hidden || !items.some((item) => !isMine(item) && ["waiting", "sending", "queued"].includes(item.state))) return;
  const awake = await living(answerTime.later);
  await takeOver((name) => !awake.has(name)).catch(() => {});
  (await kept.all().catch(() => [])).forEach(update);
}, lookTime);
addEventListener("pagehide", () => channel?.postMessage({ gone: tab }));
// Another tab may have taken over the items of a page restored from the back/forward cache.
addEventListener("pageshow", (event) => { if (event.persisted) resume().catch(() => {}); });
addEventListener("beforeunload", (event) => {
  if (unsent().some((item) => isMine(item) && !item.isKept)) event.preventDefault();
});
