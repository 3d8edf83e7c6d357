// The sheet of one read, opened from its row: photo, serial, custom fields, and deletion.
import { api } from "./api.js";
import * as custom from "./custom.js";
import { picture } from "./detail.js";
import { el, ofSerial, openDialog, toast } from "./dom.js";
import { followingEditor } from "./editor.js";
import { check, normal } from "./grammar.js";
import { canTakeBack, markOf, nameOf, reason, takeBack } from "./results.js";
import { t, when } from "./strings.js";
import * as uploads from "./uploads.js";

/** Opens the sheet of an item. Escape, its button and deleting the read close it. */
export async function openSheet(item) {
	const title = `sheet-${item.key}`;
	const mark = el("span", {});
	const problem = el("p", { class: "bad", role: "alert" });
	let scopes = null;
	let shown = "";
	let hasPicture = false;
	const note = el("div");
	const form = followingEditor(() => dialog.close());
	const own = el("div", { class: "stack" });
	const pictures = el("div", { class: "pictures stack" });
	const details = el("a", { hidden: true, onclick: () => dialog.close() }, t("details"));
	const remove = el("button", {
		class: "danger",
		hidden: true,
		onclick: () => {
			dialog.close();
			takeBack(item);
		},
	}, t(uploads.isPhoto(item) ? "sheet.delete" : "sheet.deleteSerial"));
	const dialog = el(
		"dialog",
		{
			class: "sheet",
			tabindex: -1,
			"aria-labelledby": title,
			onclose: () => {
				stop();
				dialog.remove();
			},
		},
		el(
			"div",
			{ class: "stack" },
			el(
				"div",
				{ class: "row spread" },
				el("h2", { id: title }, nameOf(item)),
				mark,
				el("button", {
					class: "plain close-sheet",
					"aria-label": t("sheet.close"),
					onclick: () => dialog.close(),
				}, "×"),
			),
			problem,
			pictures,
			el("div", { class: "stack" }, note, form.node),
			own,
			el("div", { class: "row spread" }, remove, details),
		),
	);
	function update() {
		mark.replaceChildren(markOf(item));
		problem.textContent = item.state === "failed" ? reason(item) : "";
		details.hidden = !item.job;
		if (item.job) details.href = `#/result/${item.job}`;
		if (scopes) remove.hidden = !canTakeBack(item, scopes);
		own.hidden = custom.isWithoutDevice(item);
		const decision = decisionOf(item);
		if (scopes && shown !== decision) {
			shown = decision;
			show();
		}
	}

	/** Shows the read and its editor, once it is read and after each decision. What the user has typed stays. */
	async function show() {
		const earlier = item.duplicateOf
			? el("a", { href: `#/result/${item.duplicateOf}`, onclick: () => dialog.close() }, t("detail.samePhoto"))
			: item.seenBefore
			? el(
				"a",
				{ href: `#/history?search=${encodeURIComponent(item.serial)}`, onclick: () => dialog.close() },
				t("scan.duplicate", { date: when(item.seenBefore) }),
			)
			: null;
		note.replaceChildren(earlier ? el("p", { class: "note" }, earlier) : "");
		if (item.job && item.state === "done") {
			const job = await api.get(`/result/${item.job}`).catch((error) => {
				problem.textContent = error.message;
				return null;
			});
			if (!job || !dialog.open) return;
			if (job.can_change) form.show(job);
			if (!hasPicture) picture(job, pictures);
			hasPicture = true;
		} else if (item.serialID && (scopes.has("scan") || scopes.has("admin"))) {
			form.node.replaceChildren(savedEditor(item, dialog));
		} else if (item.serial && !form.node.hasChildNodes()) {
			form.node.replaceChildren(el("p", { class: "serial big" }, item.serial));
		}
	}

	const stop = uploads.listen((changed) => {
		if (changed === item) update();
	});
	update();
	// A tap outside the sheet closes it. One on its margin has the same target, and so has the end of a selection that was
	// drawn out of the sheet.
	const isOutside = ({ target, clientX: x, clientY: y }) => {
		const box = dialog.getBoundingClientRect();
		return target === dialog && (x < box.left || x > box.right || y < box.top || y > box.bottom);
	};
	let hasBegunOutside = false;
	dialog.addEventListener("pointerdown", (event) => {
		hasBegunOutside = isOutside(event);
	});
	dialog.addEventListener("click", (event) => {
		if (hasBegunOutside && isOutside(event)) dialog.close();
	});
	openDialog(dialog);
	// Focus the sheet, not its close button.
	dialog.focus();
	const [fields, known] = await Promise.all([custom.fields(), api.scopes()]);
	own.replaceChildren(...fields.map(({ name, pattern }) => fieldOf(item, name, pattern)));
	scopes = known;
	update();
}

/** Identifies what was decided about a read. */
const decisionOf = (item) => [item.state, item.serial, item.confirmed].join();

/** Creates the input of a custom field; Enter or leaving it saves. */
function fieldOf(item, name, pattern) {
	const state = el("span", { class: "quiet", role: "status" });
	const input = el("input", {
		value: item.owed?.[name] ?? item.custom?.[name] ?? "",
		maxlength: custom.longest,
		autocomplete: "off",
		onchange: save,
		onkeydown: (event) => {
			if (event.key === "Enter") {
				event.preventDefault();
				save();
			}
		},
	});
	let saved = input.value;
	function save() {
		const value = input.value.trim();
		if (value === saved) return;
		saved = value;
		custom.attach(item, name, value || null);
		const isSettled = custom.isSettled(item);
		state.textContent = t(isSettled ? "custom.saved" : "custom.savedLater");
	}
	return el(
		"label",
		{},
		el("span", { class: "row spread" }, custom.label(name), state),
		input,
		pattern ? el("span", { class: "quiet small-print" }, t("custom.pattern", { pattern })) : null,
	);
}

/** Creates the input for correcting the serial of a read without a photo. */
function savedEditor(item, dialog) {
	const hint = el("p", { class: "hint", "aria-live": "polite" });
	const input = el("input", {
		...ofSerial,
		value: item.serial,
		oninput: tell,
	});
	const button = el("button", { type: "submit", class: "primary" }, t("save"));
	function tell() {
		const { fits, sentence } = check(normal(input.value));
		hint.textContent = sentence;
		hint.className = `hint ${fits ? "good" : "doubt"}`;
		button.disabled = normal(input.value).length < 4;
	}
	async function save(event) {
		event.preventDefault();
		try {
			const saved = await api.send("PATCH", `/serials/${item.serialID}`, { serial: normal(input.value) });
			uploads.amend(item, { serial: saved.serial, verdict: saved.verdict ?? item.verdict, confirmed: true });
			dialog.close();
			toast(t("editor.corrected", { serial: saved.serial }), "good");
		} catch (error) {
			toast(error.message, "bad");
		}
	}
	tell();
	return el(
		"form",
		{ class: "stack editor", onsubmit: save },
		el("label", {}, t("serialNumber"), el("span", { class: "row" }, input, button)),
		hint,
	);
}
