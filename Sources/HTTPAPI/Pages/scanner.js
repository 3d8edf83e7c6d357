// Input from hardware scanners, which type what they read, into the field for it or anywhere on the page: a serial, or
// a custom value for the device that was read last.
import { el, ofSerial, set, toast } from "./dom.js";
import * as custom from "./custom.js";
import { signal, wake } from "./feedback.js";
import { check, scanned } from "./grammar.js";
import { nameOf } from "./results.js";
import { t } from "./strings.js";
import * as uploads from "./uploads.js";

/** Maximum milliseconds between two keys of a scanner; people type more slowly. */
const fastest = 80;
/** Minimum characters of a scanned text; shorter ones are a person's key presses. */
const shortest = 4;

let typed = "";
let lastKey = 0;

/** Whether a scanner is typing now, so that Enter and the space bar belong to its input. */
export const isTyping = () => typed.length >= 2 && performance.now() - lastKey < fastest;

const isText = (node) =>
	node.isContentEditable ||
	node.matches?.(
		"textarea, select, input:not([type=checkbox], [type=radio], [type=range], [type=file], [type=button])",
	);

/** Receives a scanner's input outside text fields. Returns a function that stops this. */
function listen(take) {
	const hear = (event) => {
		if (
			isText(event.target) || document.querySelector("dialog[open]") || event.ctrlKey || event.altKey || event.metaKey
		) return;
		const now = performance.now();
		const isFast = now - lastKey < fastest;
		if (["Enter", "Tab"].includes(event.key)) {
			const text = isFast ? typed : "";
			typed = "";
			if (text.length < shortest) return;
			// Keep this key from the focused button and from the list.
			event.preventDefault();
			event.stopImmediatePropagation();
			take(text);
		} else if (event.key.length === 1) {
			typed = (isFast ? typed : "") + event.key;
			lastKey = now;
			if (isTyping() && event.key === " ") event.preventDefault();
		}
	};
	// Before all other listeners.
	addEventListener("keydown", hear, { capture: true });
	return () => removeEventListener("keydown", hear, { capture: true });
}

/** Creates the field for serials and tags. `fields` returns the form fields sent with each serial. */
export function scanner(fields) {
	const hint = el("p", { class: "hint", id: "scanned-hint", role: "status" });
	const input = el("input", {
		...ofSerial,
		id: "scanned",
		maxlength: custom.longest,
		enterkeyhint: "done",
		"aria-describedby": "scanned-hint",
		oninput: () => say(""),
		onkeydown: keys,
	});
	const form = el(
		"form",
		{
			class: "scanner",
			onsubmit: (event) => {
				event.preventDefault();
				take(input.value);
			},
		},
		el("label", { for: "scanned" }, t("scanner.label")),
		el("div", { class: "row" }, input, el("button", { type: "submit" }, t("save"))),
		hint,
	);
	const target = el("p", { class: "target quiet", role: "status", hidden: true });
	const node = el("section", { class: "stack", "aria-label": t("scanner.label") }, form, target);
	let hasPatterns = false;
	custom.fields().then((all) => {
		hasPatterns = all.some(({ pattern }) => pattern);
		showTarget();
	});
	const stops = [
		listen((text) => {
			input.value = "";
			take(text);
		}),
		uploads.listen(() => showTarget()),
	];

	function keys(event) {
		// Some scanners send a tab at the end.
		if (event.key !== "Tab" || event.shiftKey || performance.now() - lastKey > fastest) {
			lastKey = performance.now();
			return;
		}
		if (input.value.length < shortest) return;
		event.preventDefault();
		take(input.value);
	}

	function say(text, kind = "", ...actions) {
		set(hint, { class: `hint ${kind}` });
		hint.replaceChildren(text, ...actions.flatMap((action) => [" ", action]));
	}

	/** Shows the device to which a tag scanned now would be assigned. */
	function showTarget() {
		const device = custom.latest();
		target.hidden = !hasPatterns || !device;
		if (!target.hidden) {
			const text = t("scanner.target", { device: device.serial ?? nameOf(device) });
			if (target.textContent !== text) target.textContent = text;
		}
	}

	async function take(written) {
		wake();
		const text = written.trim();
		if (text === "") {
			say(t("grammar.empty"), "doubt");
			return;
		}
		const match = await custom.matching(text);
		if (match) {
			await tag(match.name, match.value);
			return;
		}
		const serial = scanned(text);
		const { fits, sentence, offer } = check(serial);
		if (fits) {
			save(serial);
			return;
		}
		// Show the text in the field for correction.
		input.value = text;
		signal("refused");
		const isPossible = /^[A-Z0-9]{4,32}$/.test(serial);
		say(
			t("scanner.unlike", { text, reason: sentence }),
			"doubt",
			...(offer && check(offer).fits
				? [el("button", {
					class: "small",
					onclick: () => save(offer),
				}, t("editor.use", { serial: offer }))]
				: []),
			...(isPossible ? [el("button", { class: "small", onclick: () => save(serial) }, t("scanner.saveAnyway"))] : []),
		);
		input.select();
	}

	function save(serial) {
		input.value = "";
		say("");
		uploads.addTyped(serial, fields());
	}

	async function tag(name, value) {
		const device = custom.latest();
		const title = custom.label(name);
		if (!device) {
			signal("refused");
			input.value = value;
			say(t("scanner.noDevice", { field: title, value }), "doubt");
			return;
		}
		input.value = "";
		say("");
		const other = await custom.conflict(device, name, value);
		if (other) {
			signal("refused");
			toast(t("custom.has", { serial: other.serial, field: title, value: other.value }), "bad", [
				t("custom.replace", { value }),
				() => give(),
			]);
			return;
		}
		give();

		function give() {
			const undo = custom.attach(device, name, value);
			signal("tagged");
			toast(
				t(device.serial ? "custom.added" : "custom.addedLater", {
					field: title,
					value,
					device: device.serial ?? nameOf(device),
				}),
				"good",
				[t("undo"), undo],
			);
		}
	}

	return {
		node,
		leave() {
			stops.forEach((stop) => stop());
		},
	};
}
