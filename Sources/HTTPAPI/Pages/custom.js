// The fields of one's own that devices have (an asset tag, a grade): which there are, whose pattern a scanned text has, and how a value
// gets to the device that was read last.
import { api, ApiError, Unreachable } from "./api.js";
import { toast } from "./dom.js";
import { t } from "./strings.js";
import * as uploads from "./uploads.js";

/** The most characters of a value, as the server bounds it. */
export const longest = 200;
/** Seconds between tries for a device that the server does not know yet: what is accepted live is saved a moment later. */
const tries = [1, 2, 4];

/** What a field is called on the page: its name, in words. */
export const label = (name) => name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());

/** The pattern of a field as the server checks it, for the whole value; null if the browser can't read it. */
function whole(pattern) {
  for (const flags of ["u", ""]) {
    try { return new RegExp(`^(?:${pattern})$`, flags); } catch { /* another dialect */ }
  }
  return null;
}

/** The fields of this server's devices: {name, pattern}; none if it has none. */
export const fields = () => api.customFields();

/** The first field whose pattern a text has, as {name, value}; null if none. Scanners may be set to small letters. */
export async function matching(text) {
  if (text.length === 0 || text.length > longest) return null;
  const all = await fields();
  for (const value of [text, text.toUpperCase()]) {
    const field = all.find(({ pattern }) => pattern && whole(pattern)?.test(value));
    if (field) return { name: field.name, value };
  }
  return null;
}

/** Whether an item is a photo of a tag alone, which is not a device of its own. */
export const isTag = (item) => item.state === "done" && !item.serial && Object.keys(item.custom ?? {}).length > 0;

/** The item of the device that was read last, or is being read: what is scanned next belongs to it. Undefined before the first. */
export const latest = (before = Infinity) => uploads.items.findLast((item) => item.at < before && !isTag(item));

/** Whether the serial of an item is known and accepted, so that its device can have values. */
export const isSettled = (item) => item.state === "done" && item.serial && (item.confirmed || item.verdict === "accepted");

/** Gives a device a value, once its serial is known and accepted; until then it waits with the item. Returns how to take it back. */
export function attach(item, name, value) {
  const before = item.owed?.[name] ?? item.custom?.[name] ?? null;
  uploads.amend(item, { owed: { ...item.owed, [name]: value } });
  settle(item);
  return () => { uploads.amend(item, { owed: { ...item.owed, [name]: before } }); settle(item); };
}

/** Whether a device has another value of a field already: {serial, value}, or null. */
export async function conflict(item, name, value) {
  if (!item.serial || item.state !== "done") return null;
  const device = await api.get(`/devices/${encodeURIComponent(item.serial)}`).catch(() => null);
  const present = device?.custom?.[name] ?? item.custom?.[name] ?? null;
  return present && present !== value ? { serial: item.serial, value: present } : null;
}

const settling = new Set();

/** Sends the values that wait with an item. */
async function settle(item, attempt = 0) {
  const owed = Object.entries(item.owed ?? {});
  if (owed.length === 0 || !isSettled(item) || settling.has(item)) return;
  settling.add(item);
  let again = null;
  try {
    const device = await api.send("PATCH", `/devices/${encodeURIComponent(item.serial)}`, { custom: Object.fromEntries(owed) });
    uploads.amend(item, { custom: device.custom, owed: left(item, owed) });
    if (Object.keys(item.owed).length > 0) again = 0;
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.code === "DEVICE_NOT_FOUND";
    if (isUnknown && attempt < tries.length) again = tries[attempt];
    else if (error instanceof Unreachable) again = 10;
    else {
      // Refused: it is shown, and not sent again.
      uploads.amend(item, { owed: left(item, owed) });
      toast(t("custom.refused", { value: owed.map(([, value]) => value ?? "").join(", "), reason: error.message }), "bad");
    }
  } finally {
    settling.delete(item);
  }
  if (again !== null) setTimeout(() => settle(item, attempt + 1), 1000 * again);
}

/** What waits beside what was sent, or has changed meanwhile. */
const left = (item, sent) => Object.fromEntries(Object.entries(item.owed ?? {}).filter(([name, value]) => !sent.some(([other, was]) => other === name && was === value)));

/** A photo of a tag alone belongs to the device that was read before it in this browser, which knows the order in which they were taken. */
async function settleTag(item) {
  if (!isTag(item) || item.target !== undefined || settling.has(item)) return;
  settling.add(item);
  try {
    const [[name, value]] = Object.entries(item.custom);
    const device = latest(item.at);
    if (!device) { uploads.amend(item, { target: null }); return; }
    const other = await conflict(device, name, value);
    uploads.amend(item, { target: device.serial ?? null, targetKey: device.key });
    const give = () => { for (const [field, text] of Object.entries(item.custom)) attach(device, field, text); };
    // It needs no review: what it shows is known. Where the key may not say so, it stays among those without a serial.
    if (item.job) api.send("POST", `/jobs/${item.job}/review`, { outcome: "no_serial" }).catch(() => {});
    if (other) toast(t("custom.has", { serial: other.serial, field: label(name), value: other.value }), "bad", [t("custom.replace", { value }), give]);
    else give();
  } catch { /* tried again with the next change, or when the connection is back */ } finally {
    settling.delete(item);
  }
}

uploads.listen((item) => {
  if (isTag(item)) settleTag(item);
  else {
    settle(item);
    if (Object.keys(item.codes ?? {}).length > 0) learn(item);
  }
});

/** Sends what has been left, as after a reload. */
export function resume() {
  for (const item of uploads.items) if (isTag(item)) settleTag(item); else settle(item);
}
addEventListener("online", resume);

/**
 * Learns what a device has of its own, for the row of an item; once for each. What codes in the photo say is added where the device
 * has nothing, as after a person has confirmed the serial; the server has done it for what was accepted.
 */
export async function learn(item) {
  if (!isSettled(item) || item.isLearned) return;
  item.isLearned = true;
  if ((await fields()).length === 0) return;
  const device = await api.get(`/devices/${encodeURIComponent(item.serial)}`).catch(() => null);
  if (!device) return;
  for (const [name, value] of Object.entries(item.codes ?? {})) if (!(name in (device.custom ?? {}))) attach(item, name, value);
  if (Object.keys(device.custom ?? {}).length > 0) uploads.amend(item, { custom: { ...device.custom } });
}
