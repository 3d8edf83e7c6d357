// Custom fields of devices, such as an asset tag or a grade: which fields exist, which one a scanned text matches, and
// saving a value to the device that was read last.
import { api, ApiError, isPassing, whenBack } from "./api.js";
import { toast } from "./dom.js";
import { t } from "./strings.js";
import * as uploads from "./uploads.js";

/** Maximum characters of a value, the server's limit. */
export const longest = 200;
/** Seconds between attempts for a device unknown to the server: serials accepted live are saved a moment later. */
const tries = [1, 2, 4];

/** Returns a field's display name. */
export const label = (name) => name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());

/** Compiles a field's pattern for whole values, as the server does; null if the browser can't parse it. */
function whole(pattern) {
	for (const flags of ["u", ""]) {
		try {
			return new RegExp(`^(?:${pattern})$`, flags);
		} catch { /* another dialect */ }
	}
	return null;
}

/** The server's custom fields, as {name, pattern}; empty if none are configured. */
export const fields = () => api.customFields();

/**
 * Returns the first field whose pattern a text matches, as {name, value}; null if none does. Also tries upper case,
 * because scanners may send lower case.
 */
export async function matching(text) {
	if (text.length === 0 || text.length > longest) return null;
	const all = await fields();
	for (const value of [text, text.toUpperCase()]) {
		const field = all.find(({ pattern }) => pattern && whole(pattern)?.test(value));
		if (field) return { name: field.name, value };
	}
	return null;
}

/** Whether an item is a photo of only a tag, which belongs to another photo's device. */
export const isTag = (item) => item.state === "done" && !item.serial && Object.keys(item.custom ?? {}).length > 0;

/** Whether an item has no serial and gets none any more, so that its values would belong to no device. */
export const isWithoutDevice = (item) => ["done", "failed"].includes(item.state) && !item.serial;

/**
 * The item of the device that was read last or is being read; tags scanned next belong to it. Undefined before the first
 * and after a photo without a serial: its tag must not go to the device before it.
 */
export function latest(before = Infinity) {
	const item = uploads.items.findLast((one) => one.at < before && !isTag(one));
	return item && isWithoutDevice(item) ? undefined : item;
}

/** Whether the item's serial is known and accepted, so that values can be saved for its device. */
export const isSettled = (item) =>
	item.state === "done" && item.serial && (item.confirmed || item.verdict === "accepted");

/**
 * Saves a value for a device once its serial is known and accepted; until then it is kept with the item. Returns a
 * function that reverts it.
 */
export function attach(item, name, value) {
	const before = item.owed?.[name] ?? item.custom?.[name] ?? null;
	uploads.amend(item, { owed: { ...item.owed, [name]: value } });
	settle(item);
	return () => {
		uploads.amend(item, { owed: { ...item.owed, [name]: before } });
		settle(item);
	};
}

/** Returns the device's existing, different value of a field as {serial, value}; null if there is none. */
export async function conflict(item, name, value) {
	if (!item.serial || item.state !== "done") return null;
	const device = await api.get(`/devices/${encodeURIComponent(item.serial)}`).catch(() => null);
	const present = device?.custom?.[name] ?? item.custom?.[name] ?? null;
	return present && present !== value ? { serial: item.serial, value: present } : null;
}

const settling = new Set();

/** Sends the values kept with an item. */
async function settle(item, attempt = 0) {
	const owed = Object.entries(item.owed ?? {});
	if (owed.length === 0 || !isSettled(item) || settling.has(item)) return;
	settling.add(item);
	let again = null;
	try {
		const device = await api.send("PATCH", `/devices/${encodeURIComponent(item.serial)}`, {
			custom: Object.fromEntries(owed),
		});
		uploads.amend(item, { custom: device.custom, owed: left(item, owed) });
		if (Object.keys(item.owed).length > 0) again = 0;
	} catch (error) {
		const isUnknown = error instanceof ApiError && error.code === "DEVICE_NOT_FOUND";
		if (isUnknown && attempt < tries.length) again = tries[attempt];
		else if (isPassing(error) || error.status === 401) again = error.retryAfter || 10;
		else {
			// Rejected by the server: report it and don't retry.
			uploads.amend(item, { owed: left(item, owed) });
			toast(
				t("custom.refused", { value: owed.map(([, value]) => value ?? "").join(", "), reason: error.message }),
				"bad",
			);
		}
	} finally {
		settling.delete(item);
	}
	if (again !== null) setTimeout(() => settle(item, attempt + 1), 1000 * again);
}

/** Returns the values that remain to be sent, because they were not sent or have changed since. */
const left = (item, sent) =>
	Object.fromEntries(
		Object.entries(item.owed ?? {}).filter(([name, value]) =>
			!sent.some(([other, was]) => other === name && was === value)
		),
	);

/**
 * Assigns the tag in a photo to the device that this browser read before it: only the browser knows the order in which
 * they were taken.
 */
async function settleTag(item) {
	if (!isTag(item) || item.target !== undefined || settling.has(item)) return;
	settling.add(item);
	try {
		const [[name, value]] = Object.entries(item.custom);
		const device = latest(item.at);
		if (!device) {
			uploads.amend(item, { target: null });
			return;
		}
		const other = await conflict(device, name, value);
		uploads.amend(item, { target: device.serial ?? null, targetKey: device.key });
		const give = () => {
			for (const [field, text] of Object.entries(item.custom)) attach(device, field, text);
		};
		// A photo of a tag needs no review. Without the permission to record that, it stays among photos without a serial.
		if (item.job) api.send("POST", `/jobs/${item.job}/review`, { outcome: "no_serial" }).catch(() => {});
		if (other) {
			toast(t("custom.has", { serial: other.serial, field: label(name), value: other.value }), "bad", [
				t("custom.replace", { value }),
				give,
			]);
		} else give();
	} catch {
		/* tried again with the next change, or when the connection is back */
	} finally {
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

/** Sends the remaining values, such as after a reload. */
export function resume() {
	for (const item of uploads.items) {
		if (isTag(item)) settleTag(item);
		else settle(item);
	}
}
whenBack(resume);

/**
 * Fetches a device's custom values for its item's row, once per item. Adds values from codes in the photo that the
 * device lacks, such as after a person confirmed the serial; for accepted serials the server has added them.
 */
export async function learn(item) {
	if (!isSettled(item) || item.isLearned) return;
	item.isLearned = true;
	if ((await fields()).length === 0) return;
	const device = await api.get(`/devices/${encodeURIComponent(item.serial)}`).catch(() => null);
	if (!device) return;
	for (const [name, value] of Object.entries(item.codes ?? {})) {
		if (!(name in (device.custom ?? {}))) attach(item, name, value);
	}
	if (Object.keys(device.custom ?? {}).length > 0) uploads.amend(item, { custom: { ...device.custom } });
}
