// The list of this browser's photos and serials, and what of it is stored and shared with other tabs. Each item belongs to
// the tab that sends and follows it. A tab runs on for a moment while it closes: each new owner raises the item's `turn`,
// and what a former owner still writes or reports is ignored.
import { uuid } from "./api.js";
import * as kept from "./kept.js";

/** Maximum number of results in the list's storage. */
export const mostEnded = 1000;
/** The progress at which a photo has been sent and only the response is missing. */
export const sent = 0.3;

/** Identifies this tab. */
export const tab = uuid();

/**
 * The items, newest last: {key, tab, turn, name, size, at, state, progress, job, serial, confidence, verdict, confirmed,
 * ...}. The state is waiting, sending, queued, done, failed or forgotten.
 */
export const items = [];
const listeners = new Set();

/** Notifies the views of a change. */
export const show = (item) => listeners.forEach((listener) => listener(item));

/** Calls the listener for each change of an item. Returns a function that removes it. */
export function listen(listener) {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/** Connects the tabs of this browser. */
export const channel = globalThis.BroadcastChannel ? new BroadcastChannel("serialscan") : null;
/** Whether this tab sends and follows an item. */
export const isMine = (item) => item.tab === tab;

/** Makes this tab the owner of an item. */
export function own(item) {
	if (!isMine(item)) Object.assign(item, { tab, turn: kept.turnOf(item) + 1 });
}

/** Whether an item is a photo; the others are serials from live reading or a scanner. */
export const isPhoto = (item) => !item.isLive && !item.isTyped;

/** Returns the fields of an item that are stored and shared with other tabs: all that are not specific to this tab. */
export const fieldsOf = ({ file: _file, shown: _shown, stop: _stop, ...fields }) => fields;

/** Notifies the views of a change; stores lasting changes and sends them to the other tabs. */
export function tell(item) {
	show(item);
	if (!isMine(item) || item.state === "forgotten") return;
	const lasting = [
		item.state,
		item.job,
		item.serial,
		item.verdict,
		item.confirmed,
		item.review,
		item.code,
		item.isKept,
		item.thumbnail,
		JSON.stringify([item.custom, item.owed, item.target]),
	].join();
	const shown = [lasting, item.position, item.isReading, item.retryIn, item.attempt, Math.round(20 * item.progress)]
		.join();
	if (shown === item.shown?.text) return;
	channel?.postMessage({ item: fieldsOf(item) });
	if (lasting !== item.shown?.lasting) remember(item);
	item.shown = { text: shown, lasting };
}

let latest = 0;

/** Adds an item with these values to the list. */
export function newItem(values) {
	// Items created in the same millisecond keep their order.
	latest = Math.max(Date.now(), latest + 0.001);
	const item = { key: uuid(), tab, turn: 0, state: "waiting", progress: 0, at: latest, ...values };
	items.push(item);
	return item;
}

/** Stores photos, all concurrently, because a reload loses a photo that is not stored. */
export async function keep(some) {
	const inRoom = items.filter((item) => item.isKept);
	const chosen = some.filter((item) => item.file && kept.hasRoom(inRoom, item.size) && inRoom.push(item));
	await Promise.all(chosen.map(keepOne));
}

/** Stores an unsent item. */
export async function keepOne(item) {
	const isNeeded = () =>
		(item.file || item.isTyped) && !item.job && !item.isFinal && !["done", "forgotten"].includes(item.state);
	if (!isNeeded()) return;
	const isKept = await kept.put([fieldsOf(item)], item.file);
	// It may have been sent or removed while it was being stored.
	if (!isNeeded()) await kept.remove([item.key], { staysInList: item.state !== "forgotten" });
	else if (isKept) {
		item.isKept = true;
		tell(item);
	}
}

/** Replaces the whole list. */
export function replace(left) {
	items.splice(0, items.length, ...left);
}

/** Changes fields of an item and notifies the views. */
export function amend(item, values) {
	if (item.state === "forgotten") return;
	own(item);
	Object.assign(item, values);
	tell(item);
}

/** Updates or adds an item from another tab or the previous visit. */
export function update(fields) {
	const item = items.find((one) => one.key === fields.key);
	if (item && kept.turnOf(fields) < kept.turnOf(item)) return;
	if (item?.shown && isMine(item) && isMine(fields)) return;
	if (item) Object.assign(item, fields);
	else {
		items.push({ ...fields });
		items.sort((one, other) => one.at - other.at);
	}
	show(item ?? items.find((one) => one.key === fields.key));
}

/** The key of the list in the tab's storage. */
export const ofTab = "serialscan.items";

/** Stores the list for this tab: without a database, it survives a reload, but unsent photos do not. */
export async function rememberForTab() {
	if (await kept.isAvailable()) return;
	const ended = items.filter((item) => item.job || item.state === "done").slice(-mostEnded).map(fieldsOf);
	try {
		sessionStorage.setItem(ofTab, JSON.stringify(ended));
	} catch { /* full: only a comfort */ }
}

async function remember(item) {
	if (!await kept.isAvailable()) {
		rememberForTab();
		return;
	}
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
