// Device values that are edited in place: Enter saves, Escape reverts, arrow keys and Tab move.
import { api, isPassing, Unreachable, whenBack } from "./api.js";
import { el, toast } from "./dom.js";
import { t } from "./strings.js";

/** Maximum characters of a value (`PATCH /devices/{serial}`). */
const most = 200;
/** Seconds after which waiting values are sent again if the server was reachable, but could not store them. */
const rest = 10;
/**
 * Values that were rejected, with the reasons, and those that wait for the server, by serial and field: lists replace
 * their devices, and no input must be lost. A waiting one has its `device` and the stored value `before`.
 */
const refused = new Map();
/** The values that are being sent. */
const sending = new Set();
let begun = 0;

/** Resolves once the values that are being sent are stored or rejected. */
export const saved = () => Promise.all(sending);

/** Number of values sent so far: a response requested before one of them may lack it. */
export const savesBegun = () => begun;

/** Returns a field's display name: “Asset tag” for `asset_tag`. */
export const fieldLabel = (name) => {
	const words = name.replaceAll("_", " ").trim() || name;
	return words[0].toUpperCase() + words.slice(1);
};

/** Sends a device's value; an empty one removes it. Resolves to the error, or null. */
export function store(device, name, text) {
	begun += 1;
	const sent = send(device, name, text).finally(() => sending.delete(sent));
	sending.add(sent);
	return sent;
}

async function send(device, name, text) {
	forget(device, name);
	const before = device.custom[name];
	if (text === (before ?? "")) return null;
	try {
		if (text.length > most) throw new Error(t("cell.tooLong", { n: text.length, most }));
		// Show the input immediately.
		device.custom[name] = text;
		const answer = await api.send("PATCH", `/devices/${encodeURIComponent(device.serial)}`, {
			custom: { [name]: text || null },
		});
		// Other values of the device may still be in transit.
		Object.assign(device, answer, { custom: { ...device.custom, [name]: answer.custom[name] } });
		return null;
	} catch (error) {
		device.custom[name] = before;
		const isWaiting = isPassing(error);
		refused.set(device.serial, {
			...refused.get(device.serial),
			[name]: { text, reason: isWaiting ? t("cell.waiting") : error.message, isWaiting, device, before: before ?? "" },
		});
		if (isWaiting) timer ??= setTimeout(resume, 1000 * (error.retryAfter || rest));
		return isWaiting && !(error instanceof Unreachable) ? new Error(t("cell.waiting")) : error;
	}
}

function forget(device, name) {
	const drafts = refused.get(device.serial);
	if (drafts) delete drafts[name];
}

const waiting = () =>
	[...refused.values()].flatMap((drafts) => Object.entries(drafts)).filter(([, draft]) => draft.isWaiting);
let timer = null;

/** Sends the waiting values again. One that somebody else has changed meanwhile is left to the user. */
async function resume() {
	clearTimeout(timer);
	timer = null;
	for (const [name, draft] of waiting()) {
		const { device, text, before } = draft;
		try {
			const now = (await api.get(`/devices/${encodeURIComponent(device.serial)}`)).custom[name] ?? "";
			// The user may have changed or cleared it meanwhile.
			if (refused.get(device.serial)?.[name] !== draft) continue;
			if (now === before) await store(device, name, text);
			else {
				device.custom[name] = now;
				Object.assign(draft, {
					isWaiting: false,
					reason: t("cell.changed", {
						label: t("cell.of", { name: fieldLabel(name), serial: device.serial }),
						value: now || t("cell.empty"),
					}),
				});
			}
		} catch (error) {
			if (isPassing(error)) {
				timer ??= setTimeout(resume, 1000 * (error.retryAfter || rest));
				return;
			}
			Object.assign(draft, { isWaiting: false, reason: error.message });
		}
		const left = refused.get(device.serial)?.[name];
		if (left && !left.isWaiting) toast(`${device.serial}: ${left.reason}`, "bad");
		for (const box of document.querySelectorAll(".valueBox")) {
			box.dispatchEvent(new CustomEvent("sent", { detail: { device, name } }));
		}
	}
}
whenBack(resume);
addEventListener("beforeunload", (event) => {
	if (waiting().length > 0) event.preventDefault();
});

/** Returns the lines of a pasted text, without empty lines at the end. */
const linesOf = (text) => text.replace(/(\r\n|\r|\n)+$/, "").split(/\r\n|\r|\n/);

/**
 * Creates the cell of a device's value, editable if `canEdit`. `move` is called with the direction in which to
 * continue: down, up, next, previous or stay; `fill` with the rows of cells pasted from a spreadsheet; `ended` after each
 * edit. Returns {node, edit, clear, paste, refresh}; `edit` starts with a text or with the value.
 */
export function valueCell({ device, name, canEdit, move = () => {}, fill = null, ended = () => {} }) {
	const label = t("cell.of", { name: fieldLabel(name), serial: device.serial });
	const node = el("div", { class: "valueBox" });
	const shown = () => device.custom[name] ?? "";
	/** The stored value as the user knows it. */
	let known = shown();

	function show() {
		const draft = refused.get(device.serial)?.[name];
		const text = draft?.text ?? shown();
		if (!canEdit) {
			node.replaceChildren(el("span", { class: "cell", dir: "auto", title: text }, text || "—"));
			return;
		}
		node.replaceChildren(
			el("button", {
				class: `cell${draft ? (draft.isWaiting ? " waitingValue" : " refusedValue") : ""}${text ? "" : " blank"}`,
				dir: "auto",
				title: draft?.reason ?? text,
				"aria-label": `${label}: ${text || t("cell.empty")}${draft ? `. ${draft.reason}` : ""}`,
				onclick: () => edit(),
			}, text || "—"),
		);
	}

	function edit(typed) {
		if (!canEdit) return;
		const text = typed ?? refused.get(device.serial)?.[name]?.text;
		// A value that is left as it was must not replace one that somebody else has saved since.
		const start = text === undefined ? shown() : null;
		const input = el("input", {
			class: "cell",
			"aria-label": label,
			autocomplete: "off",
			spellcheck: "false",
			value: text ?? start,
		});
		let isOver = false;
		const end = (isKept, direction) => {
			if (isOver) return;
			isOver = true;
			if (!isKept) forget(device, name);
			else if (input.value.trim() !== start) save(input.value.trim());
			show();
			if (direction) move(direction);
			ended();
		};
		input.addEventListener("blur", () => end(true, null));
		input.addEventListener("keydown", (event) => {
			if (event.isComposing) return;
			const direction = {
				Enter: "down",
				ArrowDown: "down",
				ArrowUp: "up",
				Tab: event.shiftKey ? "previous" : "next",
				Escape: "stay",
			}[event.key];
			event.stopPropagation();
			if (!direction) return;
			event.preventDefault();
			end(event.key !== "Escape", direction);
		});
		input.addEventListener("paste", (event) => {
			if (paste(event.clipboardData.getData("text"), () => end(false, null))) event.preventDefault();
		});
		node.replaceChildren(input);
		input.focus();
		if (typed === undefined) input.select();
	}

	/**
	 * Handles several pasted cells, which a single-line input would join into one wrong value. Returns whether there were
	 * several.
	 */
	function paste(text, before = () => {}) {
		const lines = linesOf(text);
		if (!canEdit || (lines.length < 2 && !text.includes("\t"))) return false;
		before();
		if (fill) fill(lines.map((line) => line.split("\t")));
		else toast(t("cell.oneLine", { n: lines.length }), "bad");
		return true;
	}

	async function save(text) {
		const error = await store(device, name, text);
		// Without a connection, the page says so above all views, and marks the cell.
		if (error && !(error instanceof Unreachable)) toast(`${device.serial}: ${error.message}`, "bad");
		known = shown();
		redraw();
	}

	function redraw() {
		if (node.querySelector("input")) return;
		const hadFocus = node.contains(document.activeElement);
		show();
		if (hadFocus) node.firstChild.focus();
	}

	/** Shows the device's value after it may have changed. A value that is being typed stays. */
	function refresh() {
		if (known !== shown() && node.querySelector("input")) {
			toast(t("cell.changed", { label, value: shown() || t("cell.empty") }), "bad");
		}
		known = shown();
		redraw();
	}

	node.addEventListener("sent", ({ detail: sent }) => {
		if (sent.device.serial !== device.serial || sent.name !== name) return;
		device.custom[name] = sent.device.custom[name];
		known = shown();
		redraw();
	});
	show();
	return {
		node,
		edit,
		paste,
		refresh,
		clear: () => {
			save("");
			show();
		},
	};
}
