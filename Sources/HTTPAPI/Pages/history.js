// The saved reads, one per row: searched, filtered, sorted, paged, changed, deleted and exported.
import { api } from "./api.js";
import { rowsSwitch } from "./devices.js";
import { copy, el, placeOf, refill, removeRow, replaceRows, scrollable } from "./dom.js";
import { edit, statusOf, titledSource } from "./edit.js";
import { openExport } from "./export.js";
import { asParameters, asQuery, filterForm, filtersOf, problemOf } from "./filters.js";
import { follow } from "./hearing.js";
import { noteOf } from "./reads.js";
import { kept, listen, removeSoon } from "./removal.js";
import { day, percent, t, when } from "./strings.js";
import { tiny, titleOf } from "./thumbnail.js";

const pageSize = 50;
const columns = () => [
	["serial", t("history.serial")],
	[null, t("file")],
	["device_type", t("device")],
	["confidence", t("confidence")],
	[null, t("history.status")],
	["created_at", t("history.time")],
	[null, t("notes")],
];
const names = ["search", "batch", "device_type", "source", "validation_status", "date_from", "date_to"];

export async function view(main, { query }) {
	const wanted = filtersOf(query, names);
	const order = { sort_by: query.get("sort_by") ?? "created_at", sort_order: query.get("sort_order") ?? "desc" };
	// The cursors of the pages so far. With cursors, the thousandth page costs no more than the first.
	const scopes = await api.scopes();
	let cursors = [null];
	let answer = { items: [], total: 0, next_cursor: null };
	let asked = 0;
	let shown = "";
	const count = el("p", { class: "quiet", role: "status" });
	const head = el("tr");
	const body = el("tbody");
	const before = el("button", {
		onclick: () => {
			cursors.pop();
			load();
		},
	}, `← ${t("previousPage")}`);
	const after = el("button", {
		onclick: () => {
			cursors.push(answer.next_cursor);
			load();
		},
	}, `${t("nextPage")} →`);
	const page = el("span", { class: "quiet" });
	main.append(
		el(
			"div",
			{ class: "row spread listHead" },
			el("div", { class: "row listTitle" }, el("h1", {}, t("devices.reads")), rowsSwitch("history", wanted), count),
			scopes.has("read")
				? el("button", {
					class: "listDoes",
					onclick: () => openExport({ rows: "reads", wanted, total: keptReads(answer).total }),
				}, t("export.button"))
				: null,
		),
		filterForm({ names, wanted, changed: restart }),
		scrollable(t("history.saved"), el("table", { class: "history" }, el("thead", {}, head), body)),
		el("div", { class: "row center" }, before, page, after),
	);

	function restart() {
		cursors = [null];
		const place = asQuery(wanted);
		for (const [name, value] of Object.entries(order)) place.set(name, value);
		history.replaceState(history.state, "", `#/history?${place}`);
		load();
	}

	/** Loads the page. With `isAgain`, keeps unchanged rows and the focus. */
	async function load(isAgain = false) {
		const mine = ++asked;
		const parameters = asParameters(wanted);
		for (const [name, value] of Object.entries({ ...order, limit: pageSize })) parameters.set(name, value);
		const cursor = cursors.at(-1);
		if (cursor) parameters.set("cursor", cursor);
		try {
			const loaded = await api.get(`/history?${parameters}`);
			const text = JSON.stringify([loaded.items, loaded.total]);
			if (mine !== asked || (isAgain && text === shown)) return;
			shown = text;
			answer = loaded;
			heads();
			draw();
			before.disabled = cursors.length < 2;
			after.disabled = !answer.next_cursor;
			page.textContent = t("history.page", {
				page: cursors.length,
				pages: Math.max(1, Math.ceil(answer.total / pageSize)),
			});
		} catch (error) {
			if (mine === asked && !isAgain) count.textContent = problemOf(wanted, error);
		}
	}

	function draw() {
		const left = keptReads(answer);
		replaceRows(body, left.items.map(row));
		told(left);
	}

	function told({ total }) {
		count.textContent = t("history.count", { n: total });
		if (total > 0) return;
		body.replaceChildren(el("tr", {}, el("td", { colspan: columns().length + 1, class: "empty" }, t("history.none"))));
	}

	function heads() {
		refill(head, [
			...columns().map(([name, title]) => {
				if (!name) return el("th", { scope: "col" }, title);
				const isHere = order.sort_by === name;
				const sort = isHere ? (order.sort_order === "asc" ? "ascending" : "descending") : null;
				return el(
					"th",
					{ scope: "col", "aria-sort": sort },
					el(
						"button",
						{
							class: "plain",
							onclick: () => {
								order.sort_order = isHere && order.sort_order === "desc" ? "asc" : "desc";
								order.sort_by = name;
								restart();
							},
						},
						title,
						isHere ? (sort === "ascending" ? " ↑" : " ↓") : "",
					),
				);
			}),
			el("th", { scope: "col" }, el("span", { class: "away" }, t("actions"))),
		]);
	}

	function row(item) {
		const node = el("tr", { "data-id": item.id });
		const fill = () =>
			refill(node, [
				el(
					"th",
					{ scope: "row" },
					el(
						"div",
						{ class: "readSerial" },
						tiny(item.thumbnail_url),
						el(
							"div",
							{},
							el("button", {
								class: "plain serial",
								"aria-label": t("scan.copy", { serial: item.serial }),
								onclick: () => copy(item.serial),
							}, item.serial),
							item.is_valid ? null : el(
								"span",
								{ class: "badge refused", title: t("history.invalidWhy") },
								`! ${t("history.invalidFormat")}`,
							),
							item.seen_before
								? el("a", {
									class: "badge waiting",
									href: placeOf(item.serial),
									title: t("scan.duplicate", { date: day(item.seen_before) }),
								}, t("history.duplicate"))
								: null,
						),
					),
				),
				el(
					"td",
					{ class: item.job_id || item.filename ? "name" : "name none" },
					item.job_id
						? el("a", { href: `#/result/${item.job_id}` }, titleOf(item.filename, item.timestamp))
						: item.filename ?? "—",
				),
				el("td", { class: item.device_type ? null : "none" }, item.device_type ?? "—"),
				el("td", { class: "number" }, percent(item.confidence)),
				el("td", {}, statusOf(item), " ", el("span", { class: "quiet source" }, titledSource(item))),
				el("td", { class: "nowrap" }, when(item.timestamp)),
				el("td", { class: "notes" }, noteOf(item.notes ?? "")),
				scopes.has("admin")
					? el(
						"td",
						{ class: "does" },
						el("button", {
							class: "small",
							"aria-label": t("history.editOne", { serial: item.serial }),
							onclick: () => edit(item, fill),
						}, t("history.edit")),
						" ",
						el("button", {
							class: "small",
							"aria-label": t("history.deleteOne", { serial: item.serial }),
							onclick: () => remove(item, node),
						}, t("delete")),
					)
					: el("td", { class: "does" }),
			]);
		fill();
		return node;
	}

	function remove(item, node) {
		removeRow(node);
		deleteRead(item);
		told(keptReads(answer));
	}

	let first = null;
	const stop = follow(null, () => first.then(dialogClosed).then(() => load(true)));
	const unlisten = listen(draw);
	first = load();
	await first;
	return {
		leave() {
			stop();
			unlisten();
		},
	};
}

/** Resolves once no dialog is open: one returns the focus to its row. */
const dialogClosed = () =>
	new Promise((resolve) => {
		const dialog = document.querySelector("dialog[open]");
		if (dialog) dialog.addEventListener("close", resolve, { once: true });
		else resolve();
	});

const readAt = ({ id }) => `/serials/${id}`;

/** Returns a list of saved serials without those that the user has deleted. */
export const keptReads = (list) => kept(list, readAt);

/** Deletes a saved serial after a delay, unless the user undoes it. */
export const deleteRead = (item) =>
	removeSoon({ paths: [readAt(item)] }, t("history.deleted", { serial: item.serial }));
