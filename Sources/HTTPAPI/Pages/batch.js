// The batch that this browser adds photos and live reads to: chosen on Scan and Live, or joined by a link, and
// remembered.
import { api } from "./api.js";
import { cancelButton, el, openDialog, remembered, toast } from "./dom.js";
import { poll } from "./hearing.js";
import { day, t } from "./strings.js";

const stored = "batch";
const listeners = new Set();
const tell = () => listeners.forEach((listener) => listener());

/** The current batch, as {id, name}; null if there is none. */
export const current = () => remembered.get(stored, null);

/** Chooses a batch in all tabs of this browser; null for none. */
export function choose(batch) {
	remembered.set(stored, batch ? { id: batch.id, name: batch.name } : null);
	tell();
}

/** Calls the listener when a different batch is chosen or its name changes. Returns a function that removes it. */
export function listen(listener) {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

addEventListener("storage", (event) => {
	if (event.key === `serialscan.${stored}`) tell();
});

/** Updates the current batch from the server's data. Deselects it if it has ended. */
export function update(batch) {
	const chosen = current();
	if (chosen?.id !== batch.id) return;
	if (batch.ended_at) {
		choose(null);
		toast(t("batch.ended", { name: batch.name }), "bad");
	} else if (chosen.name !== batch.name) choose(batch);
}

/** Chooses the batch in a link (`#/scan?batch=ID`). */
export async function join(id) {
	try {
		const batch = await api.get(`/batches/${encodeURIComponent(id)}`);
		if (batch.ended_at) {
			toast(t("batch.ended", { name: batch.name }), "bad");
			return;
		}
		choose(batch);
		toast(t("batch.joined", { name: batch.name }), "good");
	} catch (error) {
		toast(error.message, "bad");
	}
}

/**
 * Asks for a name and passes it to `send`, until that succeeds or the user cancels. Resolves to the result of `send`,
 * or null.
 */
export function askForName({ title, action, value = "", send }) {
	return new Promise((resolve) => {
		let made = null;
		const input = el("input", {
			value,
			maxlength: 100,
			required: true,
			autocomplete: "off",
			placeholder: t("batch.nameHint"),
		});
		const problem = el("p", { class: "bad", role: "alert" });
		const button = el("button", { type: "submit", class: "primary" }, action);
		const dialog = el(
			"dialog",
			{
				"aria-labelledby": "batchTitle",
				onclose: () => {
					dialog.remove();
					resolve(made);
				},
			},
			el(
				"form",
				{ class: "stack", onsubmit: submit },
				el("h2", { id: "batchTitle" }, title),
				el("label", {}, t("name"), input),
				problem,
				el("div", { class: "row end" }, cancelButton(), button),
			),
		);
		async function submit(event) {
			event.preventDefault();
			button.disabled = true;
			problem.textContent = "";
			try {
				made = await send(input.value.trim());
				dialog.close();
			} catch (error) {
				problem.textContent = error.message;
				input.focus();
			} finally {
				button.disabled = false;
			}
		}
		openDialog(dialog);
		input.select();
	});
}

/** Starts a batch with a name that the user enters, and chooses it; null if cancelled. */
export async function begin() {
	const batch = await askForName({
		title: t("batch.begin"),
		action: t("batch.beginShort"),
		value: t("batch.defaultName", { date: day(Date.now()) }),
		send: (name) => api.send("POST", "/batches", { name }),
	});
	if (batch) choose(batch);
	return batch;
}

/** Creates the batch selector, for views that send photos. `current()` returns the choice. */
export function element() {
	const link = el("a", { class: "batchLink" }, t("batch.open"));
	const select = el("select", { onchange: chosen });
	const node = el(
		"span",
		{ class: "batchChooser" },
		el("label", {}, el("span", {}, t("batch.batch")), " ", select),
		link,
	);
	let open = [];
	let drawn = null;

	function show() {
		const batch = current();
		const known = batch && !open.some((one) => one.id === batch.id) ? [batch, ...open] : open;
		const now = JSON.stringify(known.map((one) => [one.id, one.name]));
		// The list may be open.
		if (now !== drawn) {
			drawn = now;
			select.replaceChildren(
				el("option", { value: "" }, t("batch.none")),
				...known.map((one) => el("option", { value: one.id }, one.name)),
				el("option", { value: "+" }, t("batch.new")),
			);
		}
		select.value = batch?.id ?? "";
		link.hidden = !batch;
		if (batch) link.href = `#/batches/${batch.id}`;
	}

	async function chosen() {
		if (select.value !== "+") {
			choose(open.find((one) => one.id === select.value) ?? null);
			return;
		}
		show();
		const batch = await begin();
		if (batch) await load();
		select.focus();
	}

	async function load() {
		try {
			open = (await api.get("/batches?open=true&limit=100")).items;
			const batch = current();
			if (batch) update(open.find((one) => one.id === batch.id) ?? await api.get(`/batches/${batch.id}`));
		} catch (error) {
			// A deleted batch accepts no photos.
			if (error.code === "BATCH_NOT_FOUND") {
				choose(null);
				toast(error.message, "bad");
			}
		}
		show();
	}

	// Views remove the selector without notice; its listener then ends.
	let wasShown = false;
	const stop = listen(() => {
		if (node.isConnected) wasShown = true;
		else if (wasShown) {
			end();
			return;
		}
		show();
	});
	const rest = poll(() => {
		if (node.isConnected) load();
		else end();
	});
	const end = () => {
		stop();
		rest();
	};
	show();
	load();
	return node;
}
