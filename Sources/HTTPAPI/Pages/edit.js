// The dialog for changing a saved serial, with its change history.
import { api } from "./api.js";
import { cancelButton, el, ofSerial, openDialog, toast } from "./dom.js";
import { check, normal } from "./grammar.js";
import { follow, poll } from "./hearing.js";
import { methodOf } from "./reads.js";
import { percent, t, when, worded } from "./strings.js";
import { refresh } from "./uploads.js";

/** The status of a saved serial: confirmed, or its photo's verdict. */
export function statusOf(item) {
	const name = item.confirmed_at ? "confirmed" : item.verdict;
	return worded(`verdict.${name}`, "—");
}

/** The source of a saved serial in words. */
export const sourceOf = (item) => worded(`source.${item.source}`, item.source);

/** The source of a saved serial with its title, for a place without a heading. */
export const titledSource = (item) => `${t("history.source")}: ${sourceOf(item)}`;

/** Opens the dialog for changing `item`; calls `done` after the change. */
export function edit(item, done) {
	const hint = el("p", { class: "hint", "aria-live": "polite" });
	const was = { serial: item.serial, device_type: item.device_type ?? "", notes: item.notes ?? "" };
	const serial = el("input", {
		...ofSerial,
		value: was.serial,
		oninput: tell,
	});
	const device = el("input", { value: was.device_type, maxlength: 100 });
	const notes = el("textarea", { value: was.notes, maxlength: 2000, rows: 3 });
	const earlier = el("ul", { class: "quiet" });
	const problem = el("p", { class: "bad", role: "alert" });
	const button = el("button", { type: "submit", class: "primary" }, t("save"));
	const title = `edit-${item.id}`;
	function tell() {
		const { fits, sentence } = check(normal(serial.value));
		hint.textContent = sentence;
		hint.className = `hint ${fits ? "good" : "doubt"}`;
	}
	tell();
	const dialog = el(
		"dialog",
		{
			"aria-labelledby": title,
			onclose: () => {
				stop();
				end();
				dialog.remove();
			},
		},
		el(
			"form",
			{ class: "stack", onsubmit: save },
			el("h2", { id: title }, t("history.editOne", { serial: item.serial })),
			problem,
			el("label", {}, t("serialNumber"), serial),
			hint,
			el("label", {}, t("history.deviceType"), device),
			el("label", {}, t("notes"), notes),
			earlier,
			el("div", { class: "row end" }, cancelButton(), button),
		),
	);
	async function save(event) {
		event.preventDefault();
		try {
			// Only what was changed: somebody else may have changed the rest meanwhile.
			const change = {};
			if (device.value !== was.device_type) change.device_type = device.value;
			if (notes.value !== was.notes) change.notes = notes.value;
			if (normal(serial.value) !== was.serial) change.serial = normal(serial.value);
			Object.assign(item, await api.send("PATCH", `/serials/${item.id}`, change));
			// Closing returns the focus to the row, which then changes.
			dialog.close();
			done();
			toast(t("history.changed", { serial: item.serial }), "good");
			if (item.job_id) refresh(item.job_id).catch(() => {/* the list says what it knew */});
		} catch (error) {
			toast(error.message, "bad");
		}
	}

	/** Shows what the read was before, or that it was deleted meanwhile. */
	async function look() {
		try {
			const { items } = await api.get(`/serials/${item.id}/history`);
			earlier.replaceChildren(
				...items.map((state) =>
					el(
						"li",
						{},
						t("history.was", {
							date: when(state.changed_at),
							serial: state.serial,
							method: methodOf(state) ?? t("history.unknown"),
							confidence: percent(state.confidence),
						}),
					)
				),
			);
		} catch (error) {
			if (error.code !== "SERIAL_NOT_FOUND") return;
			problem.textContent = error.message;
			button.disabled = true;
		}
	}

	openDialog(dialog);
	const stop = follow(null, look, (job) => job.job_id === item.job_id);
	// Reads without a photo have no events.
	const end = poll(look);
	look();
}
