// Stores the list and unsent photos in IndexedDB. Without it (private mode), the list is kept for the tab, and the
// browser asks before the page is left with unsent photos.

/** Limits on stored photos; the browser’s own quota may be smaller. */
const most = { photos: 500, bytes: 2e9 };
const [list, photos] = ["items", "photos"];

/** Returns a promise for the result of an IndexedDB request or transaction. */
const outcome = (request) =>
	new Promise((resolve, reject) => {
		request.onsuccess = request.oncomplete = () => resolve(request.result);
		request.onerror = request.onabort = () => reject(request.error);
	});

/** The database; null if there is none or it does not open. */
const opened = (async () => {
	try {
		const request = indexedDB.open("serialscan", 1);
		request.onupgradeneeded = () => {
			request.result.createObjectStore(list, { keyPath: "key" });
			request.result.createObjectStore(photos);
		};
		// Some browsers never respond; the page then works without a database.
		return await Promise.race([outcome(request), new Promise((resolve) => setTimeout(resolve, 2000, null))]);
	} catch {
		return null;
	}
})();

/** Runs a transaction over both stores and resolves once it is durable; undefined without a database. */
async function within(mode, work) {
	const database = await opened;
	if (!database) return undefined;
	const transaction = database.transaction([list, photos], mode);
	const end = outcome(transaction);
	const result = work(transaction.objectStore(list), transaction.objectStore(photos));
	await end;
	return result;
}

export const isAvailable = async () => (await opened) !== null;

/** Returns the list's items, oldest first. */
export async function all() {
	const request = await within("readonly", (items) => items.getAll());
	return (request?.result ?? []).sort((one, other) => one.at - other.at);
}

/** Returns the item with this key; undefined if it was removed. */
export const get = async (key) => (await within("readonly", (items) => items.get(key)))?.result;

/** Returns how often an item has had a new owner. */
export const turnOf = (item) => item.turn ?? 0;

/** Stores items, optionally with a photo. Returns whether all are stored: one that has a new owner is not. */
export async function put(items, photo) {
	try {
		const stored = await within("readwrite", (store, files) => {
			const done = [];
			for (const item of items) {
				store.get(item.key).onsuccess = ({ target: { result: before } }) => {
					if (before && turnOf(before) > turnOf(item)) return;
					store.put(item);
					if (photo) files.put(photo, item.key);
					done.push(item.key);
				};
			}
			return done;
		});
		return stored?.length === items.length;
	} catch {
		return false;
	}
}

/** Whether one more photo fits within the limits. */
export const hasRoom = (kept, size) =>
	kept.length < most.photos && kept.reduce((sum, item) => sum + item.size, size) <= most.bytes;

/** Returns the photo with this key. */
export const photo = async (key) => (await within("readonly", (_, files) => files.get(key)))?.result;

/** Removes photos, and their items unless those stay in the list. */
export const remove = (keys, { staysInList = false } = {}) =>
	within("readwrite", (items, files) => {
		for (const key of keys) {
			files.delete(key);
			if (!staysInList) items.delete(key);
		}
	}).catch(() => {/* the next visit finds them again */});

/** Takes over the unfinished items of closed tabs. One transaction, so that each item goes to only one tab. */
export async function adopt(isGone, tab) {
	const adopted = [];
	await within("readwrite", (items) => {
		items.openCursor().onsuccess = ({ target: { result: cursor } }) => {
			if (!cursor) return;
			const item = cursor.value;
			if (item.state !== "done" && isGone(item.tab)) {
				adopted.push({ ...item, tab, turn: turnOf(item) + 1 });
				cursor.update(adopted.at(-1));
			}
			cursor.continue();
		};
	});
	return adopted;
}
