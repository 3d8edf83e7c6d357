// One device: its values, its identifiers, and its photos and reads.
import { api } from "./api.js";
import { fieldLabel, saved, savesBegun, valueCell } from "./cells.js";
import { picture } from "./detail.js";
import { deleteLater, modelOf, statusBadge } from "./devicelist.js";
import { backLink, copy, el, placeOf, refill, removeRow, replaceRows, section } from "./dom.js";
import { edit, sourceOf, statusOf, titledSource } from "./edit.js";
import { follow, poll } from "./hearing.js";
import { deleteRead, keptReads } from "./history.js";
import { fields, noteOf } from "./reads.js";
import { listen } from "./removal.js";
import { day, percent, t, when } from "./strings.js";
import { tiny, titleOf } from "./thumbnail.js";

export async function view(main, serial) {
	const path = `/devices/${encodeURIComponent(serial)}`;
	const [scopes, custom, device] = await Promise.all([api.scopes(), api.customFields(), api.get(path)]);
	let isLeft = false;
	let known = JSON.stringify(device);
	let shown = null;
	const problem = el("p", { class: "bad", role: "alert" });
	const card = el("div", { class: "card deviceHead" });
	const cells = custom.map(({ name }, index) =>
		valueCell({
			device,
			name,
			canEdit: scopes.has("scan") || scopes.has("admin"),
			move: (direction) => go(index, direction),
		})
	);
	const count = el("h2");
	const list = el("ul", { class: "readList" });
	const listEnd = el("p", { class: "quiet" });
	const best = el("section", { class: "stack" });
	const beside = el("div");
	main.append(
		backLink("#/devices"),
		problem,
		el(
			"div",
			{ class: "stack" },
			card,
			el(
				"div",
				{ class: "deviceBody" },
				el(
					"div",
					{ class: "stack" },
					custom.length > 0 ? values() : null,
					el("section", { class: "stack" }, count, list, listEnd),
				),
				el("div", { class: "stack side" }, best, beside),
			),
		),
	);

	/** Shows what others changed meanwhile. Input, an open dialog and the focus stay. */
	async function refresh() {
		if (document.hidden || document.querySelector("dialog[open]")) return;
		try {
			// Values in transit would be missing in the response.
			await saved();
			const begun = savesBegun();
			const answer = await api.get(path);
			if (isLeft || begun !== savesBegun()) return;
			problem.textContent = "";
			if (JSON.stringify(answer) === known) return;
			known = JSON.stringify(answer);
			Object.assign(device, answer);
			draw();
		} catch (error) {
			// Without a connection, the next poll tries again.
			if (error.code === "DEVICE_NOT_FOUND") problem.textContent = error.message;
		}
	}

	function draw() {
		refill(card, head());
		for (const cell of cells) cell.refresh();
		drawReads();
		beside.replaceChildren(fields(device, null) ?? "");
		const job = device.best?.photo_url ? device.best.job_id : null;
		if (job !== shown) photo(job);
	}

	function head() {
		const seen = device.times_seen === 0
			? t("device.imported")
			: device.times_seen === 1
			? t("device.seenOnce", { date: when(device.last_seen) })
			: t("device.seen", { n: device.times_seen, first: day(device.first_seen), last: when(device.last_seen) });
		return [
			tiny(device.best?.thumbnail_url),
			el(
				"div",
				{ class: "stack" },
				el(
					"div",
					{ class: "row" },
					el("h1", { class: "serial big" }, device.serial),
					statusBadge(device.status),
					device.is_valid ? null : el("span", { class: "badge refused" }, `! ${t("history.invalidFormat")}`),
				),
				modelOf(device) ? el("p", {}, modelOf(device)) : null,
				el("p", { class: "quiet" }, seen),
				device.batches?.length
					? el(
						"p",
						{},
						t("batch.batch"),
						" ",
						device.batches.map((
							batch,
							index,
						) => [index ? ", " : "", el("a", { href: `#/batches/${batch.id}`, dir: "auto" }, batch.name)]),
					)
					: null,
				el(
					"div",
					{ class: "row" },
					el("button", { onclick: () => copy(device.serial) }, t("detail.copy")),
					scopes.has("admin") ? el("button", { class: "danger", onclick: remove }, t("device.delete")) : null,
				),
			),
		];
	}

	function go(index, direction) {
		const to = direction === "stay" ? index : index + (["down", "next"].includes(direction) ? 1 : -1);
		if (cells[to] && direction !== "stay") cells[to].edit();
		else cells[index].node.firstChild.focus();
	}

	function values() {
		return section(
			t("device.values"),
			el(
				"dl",
				{ class: "card valueList" },
				custom.map(({ name }, index) => el("div", {}, el("dt", {}, fieldLabel(name)), el("dd", {}, cells[index].node))),
			),
		);
	}

	function drawReads() {
		const { items, total } = keptReads({ items: device.reads, total: device.times_seen });
		count.textContent = t("device.reads", { n: total });
		replaceRows(list, items.map(readRow));
		listEnd.replaceChildren(
			device.reads.length === 0
				? t("device.noReads")
				: device.times_seen > device.reads.length
				? el("a", { href: `#/history?search=${encodeURIComponent(device.serial)}` }, t("device.allReads"))
				: "",
		);
	}

	/** The badge of a duplicate read, with a link to the earlier photo. */
	function duplicate(item) {
		if (!item.seen_before) return null;
		const earlier = device.reads.slice(device.reads.indexOf(item) + 1).find((one) => one.job_id)?.job_id;
		return el(earlier ? "a" : "span", {
			class: "badge waiting",
			href: earlier ? `#/result/${earlier}` : null,
			title: t("scan.duplicate", { date: day(item.seen_before) }),
		}, t("history.duplicate"));
	}

	function readRow(item) {
		const node = el("li", { "data-id": item.id });
		const title = item.job_id
			? el("a", { href: `#/result/${item.job_id}` }, titleOf(item.filename, item.timestamp))
			: el("span", {}, item.filename ?? sourceOf(item));
		const fill = () =>
			refill(
				node,
				[
					tiny(item.thumbnail_url),
					el(
						"div",
						{ class: "readText" },
						el("span", { class: "name" }, title),
						el(
							"span",
							{ class: "quiet" },
							[when(item.timestamp), titledSource(item), statusOf(item), percent(item.confidence)].join(" · "),
						),
						item.notes ? el("span", { class: "name" }, noteOf(item.notes)) : null,
					),
					duplicate(item),
					scopes.has("admin")
						? el(
							"span",
							{ class: "row" },
							el("button", {
								class: "small",
								"aria-label": t("device.editRead", { date: when(item.timestamp) }),
								onclick: () => edit(item, changed),
							}, t("history.edit")),
							el("button", {
								class: "small",
								"aria-label": t("device.deleteRead", { date: when(item.timestamp) }),
								onclick: removeRead,
							}, t("delete")),
						)
						: null,
				].filter(Boolean),
			);
		// With a different serial, the read belongs to a different device.
		const changed = () => {
			if (item.serial === device.serial) fill();
			else location.hash = placeOf(item.serial);
		};
		function removeRead() {
			removeRow(node);
			deleteRead(item);
			drawReads();
		}
		fill();
		return node;
	}

	// The best photo, with the serial marked.
	async function photo(job) {
		shown = job;
		best.replaceChildren();
		if (!job) return;
		try {
			const result = await api.get(`/result/${job}`);
			if (isLeft || job !== shown) return;
			const place = el("div", { class: "pictures stack" });
			best.replaceChildren(el("h2", {}, t("device.bestPhoto")), place);
			await picture(result, place);
		} catch { /* its photo or its job is gone: the list says so */ }
	}

	function remove() {
		deleteLater(device, () => {
			location.hash = placeOf(device.serial);
		});
		location.hash = "#/devices";
	}

	draw();
	const stop = follow(null, refresh);
	const end = poll(refresh);
	const unlisten = listen(drawReads);
	return {
		leave() {
			isLeft = true;
			stop();
			unlisten();
			end();
		},
	};
}
