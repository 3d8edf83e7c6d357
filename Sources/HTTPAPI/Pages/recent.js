// A strip of the latest reads: serial, verdict, and a button to undo the read.
import { api } from "./api.js";
import * as custom from "./custom.js";
import { el, removeRow, set } from "./dom.js";
import { canTakeBack, markOf, nameOf, stateOf, tagOf, takeBack, valuesOf } from "./results.js";
import { openSheet } from "./sheet.js";
import { t } from "./strings.js";
import { icon, thumbnail } from "./thumbnail.js";
import * as uploads from "./uploads.js";

const { isPhoto } = uploads;

const most = 5;

/** Creates the strip; `update` shows the latest items, `leave` ends it. */
export function recent() {
	const list = el("ul", { class: "recent", "aria-label": t("recent.title") });
	const rows = new Map();
	let isDue = false;
	let scopes = new Set();
	api.scopes().then((known) => {
		scopes = known;
		update();
	});
	function update() {
		if (isDue) return;
		isDue = true;
		requestAnimationFrame(() => {
			isDue = false;
			const shown = uploads.items.slice(-most).reverse();
			for (const [item, row] of rows) {
				if (!shown.includes(item)) {
					removeRow(row.node);
					rows.delete(item);
				}
			}
			shown.forEach((item, index) => {
				let row = rows.get(item);
				if (!row) rows.set(item, row = recentRow(item));
				if (list.children[index] !== row.node) list.insertBefore(row.node, list.children[index] ?? null);
				row.update(scopes);
			});
			list.hidden = shown.length === 0;
		});
	}
	const stop = uploads.listen(update);
	update();
	return { node: list, leave: stop };
}

function recentRow(item) {
	const picture = thumbnail(nameOf(item), isPhoto(item) ? "photo" : "code");
	const serial = el("span", { class: "serial" });
	const detail = el("span", { class: "state" });
	const values = el("span", {});
	const mark = el("span", { class: "mark" });
	const open = el(
		"button",
		{ class: "open", onclick: () => openSheet(item) },
		picture.node,
		el(
			"span",
			{ class: "what" },
			el("span", { class: "line" }, serial, values),
			el("span", { class: "line" }, mark, detail),
		),
	);
	const undo = el(
		"button",
		{ class: "undo", onclick: () => takeBack(item) },
		icon(["M9 14 4 9l5-5", "M4 9h10a6 6 0 0 1 0 12h-3"]),
		el("span", { class: "undo-word" }, t("undo")),
	);
	const node = el("li", {}, open, undo);
	return {
		node,
		update(scopes) {
			undo.hidden = !canTakeBack(item, scopes);
			picture.update(item.thumbnail, item.preview);
			serial.textContent = item.serial ?? (custom.isTag(item) ? tagOf(item) : nameOf(item));
			serial.classList.toggle("none", !item.serial && !custom.isTag(item));
			detail.textContent = stateOf(item, true);
			values.replaceChildren(...[custom.isTag(item) ? null : valuesOf(item)].filter(Boolean));
			mark.replaceChildren(markOf(item));
			set(undo, { "aria-label": t("recent.undo", { title: item.serial ?? nameOf(item) }) });
			custom.learn(item);
		},
	};
}
