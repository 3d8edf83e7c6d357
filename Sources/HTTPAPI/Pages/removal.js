// Deletes photos and serials on the server after a few seconds, during which the user can undo it. Pending deletions
// are stored in this browser, so that they happen even if the page is closed meanwhile.
import { api, ApiError, Unreachable, uuid, whenBack } from "./api.js";
import { remembered, toast } from "./dom.js";
import { t } from "./strings.js";

/** Milliseconds after which another page performs the pending deletions of one that ended without a word. */
const grace = 30_000;
const restores = new Map();
/** The deletions of this page that found no connection. */
const waiting = new Set();
/** Paths that this page has deleted; a list that was requested before still contains them. */
const deleted = new Set();
const listeners = new Set();
const tell = () => listeners.forEach((listener) => listener());

const pending = () => remembered.get("removing", []);
const keep = (entry) => remembered.set("removing", pending().map((one) => (one.id === entry.id ? entry : one)));
function without(id) {
	remembered.set("removing", pending().filter((entry) => entry.id !== id));
	tell();
}

/**
 * Calls the listener when a deletion was undone or has ended, and when another tab begins one. Returns a function that
 * removes it.
 */
export function listen(listener) {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/**
 * Returns a list without the items that are deleted or whose deletion is pending; `total` no longer counts them.
 * `pathOf` returns an item's path. A device that was read again since is kept.
 */
export function kept(list, pathOf) {
	const entries = pending();
	const paths = new Set(entries.flatMap((entry) => entry.paths).map((path) => path.split("?")[0]));
	const devices = new Map(entries.filter((entry) => entry.device).map(({ device }) => [deviceAt(device), device]));
	const items = list.items.filter((item) => {
		const path = pathOf(item);
		const device = devices.get(path);
		return !paths.has(path) && !deleted.has(path) && !(device && device.last_seen === item.last_seen);
	});
	return { ...list, items, total: list.total - (list.items.length - items.length) };
}

/**
 * Once the message has disappeared, deletes `paths` (`/jobs/ID`, `/serials/NUMBER`), the `device`, the latest live read
 * of each serial in `live`, and the paths that `late` returns then. Calls `restore` if the user undoes it or the server
 * refuses. Returns a function that undoes it and removes the message.
 */
export function removeSoon({ paths = [], device = null, live = [], late = () => [] }, text, restore = () => {}) {
	const entry = {
		id: uuid(),
		paths,
		device: device && { serial: device.serial, last_seen: device.last_seen },
		live,
		at: Date.now(),
	};
	remembered.set("removing", [...pending(), entry]);
	restores.set(entry.id, { restore, late });
	const undo = () => {
		if (!restores.has(entry.id)) return;
		without(entry.id);
		restores.delete(entry.id);
		restore();
	};
	const hide = toast(text, "", [t("undo"), undo], () => remove(entry.id));
	return () => {
		hide();
		undo();
	};
}

/** Performs the pending deletions of closed pages, and those of this page that found no connection. */
export function resume() {
	for (const entry of pending()) {
		if (waiting.has(entry.id) || (!restores.has(entry.id) && Date.now() - entry.at > grace)) remove(entry.id);
	}
}

/** The path of a device. */
export const deviceAt = ({ serial }) => `/devices/${encodeURIComponent(serial)}`;
const allPaths = (
	entry,
) => [
	...new Set([
		...entry.paths,
		...(entry.device ? [deviceAt(entry.device)] : []),
		...(restores.get(entry.id)?.late() ?? []),
	]),
];

async function remove(id) {
	const entry = pending().find((one) => one.id === id);
	if (!entry) return;
	waiting.delete(id);
	try {
		// A closed page may have deleted the device already, and others may have read its serial again.
		if (entry.device && await isReadSince(entry.device)) {
			if (restores.delete(id)) toast(t("devices.readAgain", { serial: entry.device.serial }));
			without(id);
			return;
		}
		for (const path of allPaths(entry)) {
			await gone(api.request(path, { method: "DELETE" }));
			if (!entry.device) deleted.add(path.split("?")[0]);
		}
		for (const serial of entry.live) await removeLive(serial);
		without(id);
	} catch (error) {
		// Without a connection, the deletion stays pending until there is one.
		if (error instanceof Unreachable) {
			waiting.add(id);
			return;
		}
		without(id);
		toast(error.message, "bad");
		restores.get(id)?.restore();
	}
	restores.delete(id);
}

async function isReadSince(device) {
	try {
		return (await api.get(deviceAt(device))).last_seen !== device.last_seen;
	} catch (error) {
		if (error instanceof ApiError && error.status === 404) return false;
		throw error;
	}
}

/** Treats items that no longer exist as deleted. */
async function gone(request) {
	try {
		await request;
	} catch (error) {
		if (!(error instanceof ApiError && [404, 410].includes(error.status))) throw error;
	}
}

async function removeLive(serial) {
	const { items } = await api.get(`/history?${new URLSearchParams({ search: serial, source: "live", limit: 1 })}`);
	if (items[0]?.serial === serial) await gone(api.request(`/serials/${items[0].id}`, { method: "DELETE" }));
}

/** The deletions in a stored value; the times at which they were renewed don't matter. */
const idsIn = (stored) => JSON.parse(stored ?? "[]").map((entry) => entry.id).join();
addEventListener("storage", ({ key, oldValue, newValue }) => {
	if (key === "serialscan.removing" && idsIn(oldValue) !== idsIn(newValue)) tell();
});
whenBack(resume);
setInterval(() => {
	// Where the message is still shown, another page leaves the deletion alone.
	for (const entry of pending()) {
		if (restores.has(entry.id) && !waiting.has(entry.id)) keep({ ...entry, at: Date.now() });
	}
	resume();
}, grace / 3);
// A closing page can no longer undo and sends only what it begins at once, so begin all. It receives no response: the
// entry stays, and the next page repeats it at once, in case it did not arrive.
addEventListener("pagehide", () => {
	for (const entry of pending().filter((one) => restores.has(one.id))) {
		const paths = allPaths(entry);
		keep({ ...entry, paths, at: 0 });
		for (const path of paths) {
			api.request(path, { method: "DELETE", keepalive: true }).catch(() => {/* the next page repeats it */});
		}
	}
});
