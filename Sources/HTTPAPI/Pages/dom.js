// Creates elements. Text from users or photos is inserted as text, never as markup.
import { t } from "./strings.js";

/**
 * Creates an element with attributes, listeners (`onclick`) and children; skips null children. Buttons submit a form only
 * if their `type` says so.
 */
export function el(tag, attributes = {}, ...children) {
	const node = document.createElement(tag);
	if (tag === "button") node.type = "button";
	set(node, attributes);
	node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
	return node;
}

/** The URL of a device's view. */
export const placeOf = (serial) => `#/devices/${encodeURIComponent(serial)}`;

/** Creates a section with a heading. */
export const section = (title, ...children) => el("section", { class: "stack" }, el("h2", {}, title), ...children);

/** Creates a card with a heading. */
export const card = (title, ...children) => el("section", { class: "card stack" }, el("h2", {}, title), ...children);

/** Creates the head of a table with a title for each column. */
export const tableHead = (...titles) =>
	el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title))));

/** Fades the edges of a node beyond which it can be scrolled sideways. */
export function fadeEdges(node) {
	const update = () => {
		node.classList.toggle("moreBefore", node.scrollLeft > 1);
		node.classList.toggle("moreAfter", node.scrollLeft + node.clientWidth < node.scrollWidth - 1);
	};
	node.addEventListener("scroll", update, { passive: true });
	const sizes = new ResizeObserver(update);
	for (const one of [node, ...node.children]) sizes.observe(one);
	return node;
}

/** Creates a place for a table, in which it can be scrolled sideways. */
export const scrollable = (label, table) =>
	fadeEdges(el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, table));

/** Sets attributes; true sets one without a value, null and false remove it. */
export function set(node, attributes) {
	for (const [name, value] of Object.entries(attributes)) {
		if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
		else if (name === "value") node.value = value;
		else if (value === null || value === undefined || value === false) node.removeAttribute(name);
		else node.setAttribute(name, value === true ? "" : value);
	}
	return node;
}

/** Creates a link back to the previous page; to `otherwise` if the browser has none. */
export const backLink = (otherwise) =>
	el(
		"p",
		{},
		el("a", {
			href: otherwise,
			onclick: (event) => {
				if (history.length < 2) return;
				event.preventDefault();
				history.back();
			},
		}, `← ${t("detail.back")}`),
	);

/** Creates an SVG element. */
export function svg(tag, attributes = {}, ...children) {
	const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
	node.append(...children);
	return node;
}

/** Removes a row of a list. The focus it had moves to the next or previous row, or to the view. */
export function removeRow(row) {
	const hadFocus = row.contains(document.activeElement);
	const near = row.nextElementSibling ?? row.previousElementSibling;
	row.remove();
	if (!hadFocus) return;
	const control = [...near?.querySelectorAll("button, a[href]") ?? []].find((one) =>
		one.checkVisibility() && !one.disabled
	);
	(control ?? document.getElementById("main")).focus({ preventScroll: true });
}

/** Replaces the content of a row. The focus it had moves to the control in the same place. */
export function refill(row, children) {
	const controls = () => [...row.querySelectorAll("button, a[href], input")];
	const index = controls().indexOf(document.activeElement);
	row.replaceChildren(...children);
	if (index >= 0) controls()[index]?.focus({ preventScroll: true });
}

/** Replaces the rows of a list. The focus moves to the same control of the row with the same `data-id`. */
export function replaceRows(list, rows) {
	const focused = list.contains(document.activeElement) ? nameOf(document.activeElement) : null;
	list.replaceChildren(...rows);
	if (focused) controlsOf(list).find((one) => nameOf(one) === focused)?.focus({ preventScroll: true });
}

const controlsOf = (row) => [...row.querySelectorAll("button, a")];

/** Identifies a button or a link among those of the rows. */
function nameOf(control) {
	const row = control.closest("[data-id]");
	return `${row.dataset.id} ${controlsOf(row).indexOf(control)}`;
}

/** Maximum number of messages shown at a time; a further one replaces the oldest. */
const mostToasts = 3;
const toasts = [];

/**
 * Shows a message for a few seconds, announced by screen readers, with a button if `action` is [title, handler]. Calls
 * `unused` if the message disappears without the button being pressed. Returns a function that removes the message
 * without calling `unused`.
 */
export function toast(text, kind = "", action = null, unused = () => {}) {
	const node = el(
		"div",
		{ class: `toast ${kind}` },
		el("span", {}, text),
		action
			? el("button", {
				class: "small",
				onclick: () => {
					take();
					action[1]();
				},
			}, action[0])
			: null,
	);
	const one = {
		take,
		end() {
			take();
			unused();
		},
	};
	// The focus returns to where it came from.
	let origin = null;
	node.addEventListener("focusin", ({ relatedTarget }) => {
		if (!node.contains(relatedTarget)) origin = relatedTarget;
	});
	function take() {
		clearTimeout(timer);
		const hadFocus = node.contains(document.activeElement);
		node.remove();
		if (hadFocus) {
			(origin?.isConnected && origin.checkVisibility() ? origin : document.getElementById("main")).focus({
				preventScroll: true,
			});
		}
		if (toasts.includes(one)) toasts.splice(toasts.indexOf(one), 1);
	}
	// Longer with a button, and as long as the pointer or the focus is on it.
	const wait = () => {
		if (node.matches(":hover, :focus-within")) timer = setTimeout(wait, 1000);
		else one.end();
	};
	let timer = setTimeout(wait, action ? 10_000 : 5000);
	toasts.push(one);
	if (toasts.length > mostToasts) toasts[0].end();
	place();
	messages.append(node);
	return take;
}

const messages = document.getElementById("toasts");

/** Opens a dialog. Messages that are already shown move into it. */
export function openDialog(dialog) {
	if (!dialog.isConnected) document.body.append(dialog);
	dialog.showModal();
	place();
}

/** The attributes of an input for a serial. */
export const ofSerial = {
	class: "serial",
	maxlength: 32,
	autocomplete: "off",
	spellcheck: "false",
	autocapitalize: "characters",
};

/** Creates the inputs for choosing photos and, on a phone, taking one: [files, camera]. Their ids are for labels. */
export const photoInputs = (ids, onchange, multiple = false) => [
	el("input", {
		type: "file",
		id: ids[0],
		multiple,
		accept: "image/*,.heic,.heif,.tif,.tiff",
		class: "away",
		onchange,
	}),
	el("input", {
		type: "file",
		id: ids[1],
		accept: "image/*",
		capture: "environment",
		class: "away",
		"aria-label": t("scan.take"),
		onchange,
	}),
];

/** Creates the button that closes its dialog. */
export const cancelButton = () =>
	el("button", { onclick: ({ target }) => target.closest("dialog").close() }, t("cancel"));

/** Moves the messages into the open dialog: outside it, the page is inert, and screen readers don't announce them. */
function place() {
	const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
	const parent = dialog ?? document.body;
	if (messages.parentNode === parent) return;
	parent.append(messages);
	dialog?.addEventListener("close", place, { once: true });
}

/** Creates a badge that shows a verdict, or what a person decided, by words, a symbol and a colour. */
export function badge(verdict, confirmed, review = null) {
	if (review && !confirmed) {
		return el("span", { class: "badge waiting" }, review === "retake" ? t("check.toRetake") : t("check.noSerial"));
	}
	const name = confirmed ? "confirmed" : verdict ?? "waiting";
	const sign = { confirmed: "✓", accepted: "✓", uncertain: "?", refused: "×", failed: "!" }[name] ?? "…";
	return el("span", { class: `badge ${name === "failed" ? "refused" : name}` }, `${sign} ${t(`verdict.${name}`)}`);
}

/** Creates the badge of a job that has ended. */
export const jobBadge = (job) => badge(job.verdict ?? "failed", job.confirmed_serial, job.review);

/** Creates the badge of a photo that shows only a tag. */
export const tagBadge = () => el("span", { class: "badge confirmed" }, t("custom.tag"));

/** Copies text, even without HTTPS, where browsers provide no clipboard API. */
export async function copy(text, what = text) {
	let isCopied = true;
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const focused = document.activeElement;
		const area = el("textarea", { value: text, readonly: true, class: "away" });
		document.body.append(area);
		area.select();
		isCopied = document.execCommand("copy");
		area.remove();
		focused?.focus({ preventScroll: true });
	}
	if (isCopied) toast(t("copied", { what }));
	else toast(t("copyBlocked"), "bad");
}

/** Downloads a file in the browser. */
export function download(blob, name) {
	const link = el("a", { href: URL.createObjectURL(blob), download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Values that the browser does not store: in private mode, or without room. */
const unstored = new Map();

/** Values stored in this browser, with defaults. Those that can't be stored are kept until the page is closed. */
export const remembered = {
	get(name, otherwise) {
		if (unstored.has(name)) return unstored.get(name) ?? otherwise;
		try {
			return JSON.parse(localStorage.getItem(`serialscan.${name}`)) ?? otherwise;
		} catch {
			return otherwise;
		}
	},
	set(name, value) {
		try {
			localStorage.setItem(`serialscan.${name}`, JSON.stringify(value));
			unstored.delete(name);
		} catch {
			unstored.set(name, value);
		}
	},
};
