// The editor for confirming or correcting a serial, by typing or character by character, with the format checked
// meanwhile.
import { api } from "./api.js";
import { el, ofSerial, set, toast } from "./dom.js";
import { check, confusable, normal } from "./grammar.js";
import { percent, t } from "./strings.js";
import { refresh } from "./uploads.js";

/**
 * Creates the input with its hint and the button that confirms. `others` returns further jobs of the same device, which
 * are confirmed too. Calls `begun` when they are sent, and `done` with the response and the jobs that could not be
 * confirmed, or `failed`. `change` shows the job again, for changing the decision.
 */
export function editor(job, done, { others = () => [], change = null, begun = () => {}, failed = () => {} } = {}) {
	const top = job.results?.serials[0];
	const start = job.confirmed_serial ?? top?.serial ?? job.refusal?.refused?.[0]?.serial ?? "";
	const id = `serial-${job.job_id}`;
	const hint = el("p", { class: "hint", id: `${id}-hint`, "aria-live": "polite" });
	const input = el("input", {
		...ofSerial,
		id,
		value: start,
		"aria-describedby": `${id}-hint`,
		oninput: changed,
	});
	const button = el("button", { type: "submit", class: "primary" }, t("editor.confirm"));
	const row = el("div", { class: "choices", role: "group", "aria-label": t("editor.replace") });
	const form = el(
		"form",
		{ class: "stack editor", onsubmit: confirm },
		el("label", { for: id }, t("serialNumber")),
		el("div", { class: "row" }, input, button),
		hint,
		row,
	);

	function put(text) {
		input.value = text;
		changed();
		input.focus();
	}

	function changed() {
		const text = normal(input.value);
		if (input.value !== text) {
			const caret = input.selectionStart;
			input.value = text;
			input.setSelectionRange(caret, caret);
		}
		const { fits, sentence, offer } = check(text);
		set(hint, { class: `hint ${fits ? "good" : "doubt"}` });
		hint.replaceChildren(
			sentence,
			" ",
			offer
				? el(
					"button",
					{ class: "small", onclick: () => put(offer) },
					t("editor.use", { serial: offer }),
				)
				: "",
		);
		button.disabled = text.length < 4 || /[^A-Z0-9]/.test(text);
		choices(text);
	}

	// Offers alternatives only for doubtful characters.
	function choices(text) {
		row.replaceChildren(
			...[...text].map((character, index) => {
				const read = top?.serial.length === text.length ? top.characters?.[index] : null;
				if (!read || read.confidence >= 0.9) return null;
				const seen = (read.alternatives ?? []).map((other) => other.character);
				const offers = [...new Set([read.character, ...seen, ...confusable(read.character)])]
					.filter((other) => other !== character).slice(0, 3);
				return el(
					"span",
					{ class: "choice" },
					el(
						"span",
						{ class: "quiet" },
						t("editor.character", { place: index + 1, character, confidence: percent(read.confidence) }),
					),
					offers.map((other) =>
						el("button", {
							class: "small",
							"aria-label": t("editor.other", { place: index + 1, other, character }),
							onclick: () => put(text.slice(0, index) + other + text.slice(index + 1)),
						}, other)
					),
				);
			}).filter(Boolean),
		);
	}

	async function confirm(event) {
		event.preventDefault();
		button.disabled = true;
		begun();
		try {
			const serial = normal(input.value);
			const answer = await api.send("POST", `/jobs/${job.job_id}/confirm`, { serial });
			const further = others();
			const left = [];
			for (const other of further) {
				await api.send("POST", `/jobs/${other}/confirm`, { serial }).catch((error) => {
					left.push(other);
					toast(error.message, "bad");
				});
			}
			const n = 1 + further.length - left.length;
			toast(
				n > 1
					? t("editor.confirmedAll", { serial: answer.serial, n })
					: t(answer.corrected ? "editor.corrected" : "editor.confirmed", { serial: answer.serial }),
				"good",
				change ? [t("editor.change"), change] : null,
			);
			for (const one of [job.job_id, ...further]) refresh(one).catch(() => {/* the list says what it knew */});
			done(answer, left);
		} catch (error) {
			toast(error.message, "bad");
			button.disabled = false;
			failed();
		}
	}

	changed();
	return { node: form, input };
}

/**
 * Creates a place for the editor of a photo that others may decide about. `show` shows the editor of a job's current
 * decision; what the user has typed stays, unless they have just saved it.
 */
export function followingEditor(done) {
	let form = null;
	let start = "";
	const node = el("div");
	function show(job, isSaved = false) {
		if (form && !isSaved && form.input.value !== start) return;
		const hadFocus = node.contains(document.activeElement);
		form = editor(job, done);
		start = form.input.value;
		node.replaceChildren(form.node);
		if (hadFocus) form.input.focus({ preventScroll: true });
	}
	return { node, show };
}
