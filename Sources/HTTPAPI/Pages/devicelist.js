// The list of devices: sortable, loaded while scrolling, editable in place. Wide screens show a grid with a
// spreadsheet's keys; phones show cards that open the device.
import { api } from "./api.js";
import { fieldLabel, saved, savesBegun, store, valueCell } from "./cells.js";
import { el, fadeEdges, placeOf, refill, set, toast } from "./dom.js";
import { asParameters, problemOf } from "./filters.js";
import { deviceAt, kept, listen, removeSoon } from "./removal.js";
import { day, t, when } from "./strings.js";
import { tiny } from "./thumbnail.js";
import { windowed } from "./windowed.js";

const pageSize = 100;
/** Height in pixels of a grid row and of a card; must equal app.css. */
const [gridRow, cardRow] = [56, 92];
const narrow = matchMedia("(max-width: 44rem)");

/** A badge with the device's status in words and by a symbol. */
export function statusBadge(status) {
	const sign = { confirmed: "✓", accepted: "✓", uncertain: "?" }[status] ?? "↓";
	return el(
		"span",
		{ class: `badge ${status === "imported" ? "waiting" : status}` },
		`${sign} ${t(`verdict.${status}`)}`,
	);
}

/** The device's model if its serial or photo identifies it, otherwise its type. */
export const modelOf = (device) =>
	device.meaning?.model_name ?? device.fields?.model_name?.text ?? device.device_type ?? "";

/** Deletes a device with its reads after a delay, unless the user undoes it. */
export function deleteLater(device, undo) {
	removeSoon({ device }, t("devices.deleted", { serial: device.serial }), undo);
}

/**
 * Creates a list of the devices matching `wanted`, in `order`. `custom` are the server's custom fields, `scopes` the
 * key's scopes. `sorted` is called when a column is chosen, `counted` with the number of devices. Returns {node, load,
 * reload, leave}.
 */
export function deviceList({ wanted, order, custom, scopes, sorted, counted, empty }) {
	const canEdit = scopes.has("scan") || scopes.has("admin");
	const canDelete = scopes.has("admin");
	let items = [];
	let next = null;
	let total = 0;
	let asked = 0;
	let isLoading = false;
	let isReloading = false;
	/** Whether the list may have changed on the server since it was requested. */
	let isDue = false;
	const isEditing = () => sheet.querySelector("input") !== null;
	/** The cell that has the focus, or gets it when Tab enters the list. */
	let here = { row: 0, column: 1 };
	/** The editors of cells, by their nodes. */
	const values = new WeakMap();

	// Widths in rem: the minimum, and the share of the remaining space.
	const all = [
		{ name: "photo", title: t("photo"), isQuiet: true, width: 3.75 },
		{ name: "serial", title: t("history.serial"), sort: "serial", width: 11, share: 1 },
		{ name: "model", title: t("field.model_name"), sort: "device_type", width: 6.85, share: 3 },
		...custom.map(({ name }) => ({ name: "value", field: name, title: fieldLabel(name), width: 6.25, share: 2 })),
		{ name: "status", title: t("history.status"), width: 8.75 },
		{ name: "first", title: t("devices.firstSeen"), sort: "first_seen", width: 7.4 },
		{ name: "last", title: t("devices.lastSeen"), sort: "last_seen", width: 7.4 },
		{ name: "times", title: t("devices.times"), sort: "times_seen", width: 4.75 },
		...(canDelete ? [{ name: "does", title: t("actions"), isQuiet: true, width: 3 }] : []),
	];
	let columns = all;
	const widthOf = (some) => some.reduce((sum, { width }) => sum + width, 0);
	const head = el("div", { class: "gridLine heads", role: "row", "aria-rowindex": 1 });
	const body = el("div", { class: "gridRows", role: "rowgroup" });
	const foot = el("div", { class: "listFoot", role: "status" });
	const sheet = fadeEdges(el(
		"div",
		{
			class: "listSheet",
			role: "grid",
			"aria-label": t("nav.devices"),
			onkeydown: keys,
			onpaste: pasted,
			onfocusin: focused,
		},
		el("div", { role: "rowgroup", class: "headGroup" }, head),
		body,
	));
	const node = el("div", {}, sheet, foot);
	const list = windowed({
		list: body,
		scroller: sheet,
		count: () => items.length,
		height: () => (narrow.matches ? cardRow : gridRow),
		make,
		onNearEnd: more,
		missing: () => (items.length < total ? t("print.part", { n: items.length, all: total }) : null),
	});

	/** Returns the columns that fit into the window. The device's page has the others. */
	function fitting() {
		if (matchMedia("print").matches) return columns;
		const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
		const edges = sheet.offsetWidth - sheet.clientWidth || 2;
		const room = (document.getElementById("main").clientWidth - edges) / rem - 2;
		let some = all;
		for (const name of ["first", "times", "last"]) {
			// The column that was chosen for the order stays.
			const isChosen = (one) => one.sort === order.sort_by && name !== "last";
			if (widthOf(some) > room) some = some.filter((one) => one.name !== name || isChosen(one));
		}
		return some;
	}

	function resized() {
		if (!narrow.matches && !isEditing() && fitting().length !== columns.length) layOut();
		else fit();
	}

	function layOut() {
		columns = fitting();
		here.column = Math.min(here.column, columns.length - 1);
		heads();
		set(sheet, narrow.matches ? { role: "list", "aria-rowcount": null } : { role: "grid" });
		set(body, { role: narrow.matches ? "presentation" : "rowgroup" });
		head.parentNode.hidden = narrow.matches;
		sheet.style.setProperty(
			"--columns",
			columns.map(({ width, share }) => (share ? `minmax(${width}rem, ${share}fr)` : `${width}rem`)).join(" "),
		);
		sheet.style.setProperty("--least", `${widthOf(columns)}rem`);
		fit();
		list.refresh();
	}

	// Extends the list to the bottom of the window, so that only the list scrolls.
	function fit() {
		if (!sheet.isConnected) return;
		sheet.style.maxHeight = narrow.matches
			? ""
			: `${Math.max(6 * gridRow, innerHeight - sheet.getBoundingClientRect().top - scrollY - 24)}px`;
	}

	function heads() {
		refill(
			head,
			columns.map((column, index) => {
				const isHere = order.sort_by === column.sort && Boolean(column.sort);
				const direction = isHere ? (order.sort_order === "asc" ? "ascending" : "descending") : null;
				return el(
					"div",
					{ role: "columnheader", "aria-colindex": index + 1, "aria-sort": direction, class: `${column.name}Head` },
					column.sort
						? el(
							"button",
							{
								class: "plain",
								onclick: () => sorted(column.sort, isHere && order.sort_order === "desc" ? "asc" : "desc"),
							},
							column.title,
							el("span", { "aria-hidden": "true" }, isHere ? (direction === "ascending" ? " ↑" : " ↓") : ""),
						)
						: el("span", { class: column.isQuiet ? "away" : null }, column.title),
				);
			}),
		);
	}

	function make(index) {
		return narrow.matches ? card(items[index], index) : row(items[index], index);
	}

	function row(device, index) {
		const cells = columns.map((column, place) => {
			const content = {
				photo: () => tiny(device.best?.thumbnail_url),
				serial: () => [
					el("a", { class: "serial", href: placeOf(device.serial) }, device.serial),
					device.is_valid ? null : el("span", { class: "badge refused", title: t("history.invalidWhy") }, "!"),
				],
				model: () => el("span", { class: "clip", dir: "auto", title: modelOf(device) }, modelOf(device) || "—"),
				status: () => statusBadge(device.status),
				first: () => date(device.first_seen),
				last: () => date(device.last_seen),
				times: () => t("devices.timesSeen", { n: device.times_seen }),
				does: () =>
					el("button", {
						class: "plain trash",
						"aria-label": t("history.deleteOne", { serial: device.serial }),
						title: t("delete"),
						onclick: () => remove(device),
					}, "×"),
				value: () => {
					const cell = valueCell({
						device,
						name: column.field,
						canEdit,
						move: (direction) => step(items.indexOf(device), place, direction),
						fill: (cells) => fill(items.indexOf(device), place, cells),
						ended: resume,
					});
					values.set(cell.node, cell);
					return cell.node;
				},
			}[column.name]();
			return el("div", {
				role: column.name === "serial" ? "rowheader" : "gridcell",
				class: `${column.name}Cell`,
				"aria-colindex": place + 1,
			}, content);
		});
		const line = el("div", { class: "gridLine", role: "row", "aria-rowindex": index + 2 }, cells);
		for (const [place, cell] of cells.entries()) {
			set(stop(cell), { tabindex: index === here.row && place === here.column ? 0 : -1 });
		}
		return line;
	}

	const date = (time) => (time ? el("span", { title: when(time) }, day(time)) : "—");

	function card(device, index) {
		const values = custom.map(({ name }) => device.custom[name]).filter(Boolean).join(" · ");
		return el(
			"div",
			{ role: "listitem", class: "deviceCard", "aria-setsize": next ? -1 : items.length, "aria-posinset": index + 1 },
			el(
				"a",
				{ href: placeOf(device.serial) },
				tiny(device.best?.thumbnail_url),
				el(
					"span",
					{ class: "cardText" },
					el("span", { class: "cardTop" }, el("span", { class: "serial" }, device.serial), statusBadge(device.status)),
					el("span", { class: "clip", dir: "auto" }, modelOf(device) || t("devices.noModel")),
					el(
						"span",
						{ class: "clip quiet" },
						el("bdi", {}, values || (device.last_seen ? day(device.last_seen) : t("verdict.imported"))),
					),
				),
			),
		);
	}

	/** The focusable element of a cell: its control, or the cell itself. */
	const stop = (cell) => cell.querySelector("a, button, input") ?? cell;
	const cellOf = (line, column) => line?.children[column];
	const valueOf = (cell) => values.get(cell?.firstChild);

	function focus(row, column) {
		const covered = head.parentNode.getBoundingClientRect().height;
		const line = list.reveal(row, covered);
		if (!line) return null;
		mark(row, column);
		const cell = cellOf(line, column);
		stop(cell).focus({ preventScroll: true });
		// The serial's column is sticky; scroll the cell out from beneath it.
		cell.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
		return cell;
	}

	/** Returns the focus to a cell without scrolling: the user may be reading elsewhere. */
	function refocus(row, column) {
		const line = list.hold(row);
		mark(row, column);
		stop(cellOf(line, column) ?? line).focus({ preventScroll: true });
	}

	/** Makes Tab reach a single cell: the one that had the focus last. */
	function mark(row, column) {
		const old = cellOf(list.row(here.row), here.column);
		if (old) set(stop(old), { tabindex: -1 });
		here = { row, column };
		const now = cellOf(list.row(row), column);
		if (now) set(stop(now), { tabindex: 0 });
	}

	function placeOfNode(target) {
		const cell = target.closest?.("[role=gridcell], [role=rowheader]");
		const line = cell?.parentNode;
		const index = line ? Number(line.getAttribute("aria-rowindex")) - 2 : -1;
		return index >= 0 ? { row: index, column: [...line.children].indexOf(cell), cell } : null;
	}

	function focused(event) {
		const at = placeOfNode(event.target);
		if (at && (at.row !== here.row || at.column !== here.column)) mark(at.row, at.column);
	}

	// Moves to the next cell after editing: the same column of the next row, or the next value.
	function step(row, column, direction) {
		if (direction === "stay") {
			focus(row, column);
			return;
		}
		if (direction === "down" || direction === "up") {
			focus(Math.max(0, Math.min(items.length - 1, row + (direction === "down" ? 1 : -1))), column);
			return;
		}
		const fields = columns.map((one, index) => (one.field ? index : -1)).filter((index) => index >= 0);
		const at = fields.indexOf(column) + (direction === "next" ? 1 : -1);
		const [toRow, to] = at < 0
			? [row - 1, fields.at(-1)]
			: at >= fields.length
			? [row + 1, fields[0]]
			: [row, fields[at]];
		if (toRow < 0 || toRow >= items.length) {
			focus(row, column);
			return;
		}
		valueOf(focus(toRow, to))?.edit();
	}

	function keys(event) {
		const at = placeOfNode(event.target);
		if (!at || event.defaultPrevented || event.target.tagName === "INPUT") return;
		const value = valueOf(at.cell);
		const screen = Math.max(1, Math.floor(sheet.clientHeight / gridRow) - 2);
		const to = {
			ArrowDown: [1, 0],
			ArrowUp: [-1, 0],
			ArrowRight: [0, 1],
			ArrowLeft: [0, -1],
			PageDown: [screen, 0],
			PageUp: [-screen, 0],
			Home: event.ctrlKey ? [-Infinity, 0] : [0, -Infinity],
			End: event.ctrlKey ? [Infinity, 0] : [0, Infinity],
		}[event.key];
		if (to && !event.altKey && !event.metaKey) {
			event.preventDefault();
			focus(
				Math.max(0, Math.min(items.length - 1, at.row + to[0])),
				Math.max(0, Math.min(columns.length - 1, at.column + to[1])),
			);
		} else if (value && event.key === "F2") {
			event.preventDefault();
			value.edit();
		} else if (value && ["Delete", "Backspace"].includes(event.key)) {
			event.preventDefault();
			value.clear();
			focus(at.row, at.column);
		} else if (
			value && event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey
		) {
			// Typing replaces the value, as in a spreadsheet; so does a hardware scanner.
			event.preventDefault();
			value.edit(event.key);
		}
	}

	function pasted(event) {
		const at = event.target.tagName === "INPUT" ? null : placeOfNode(event.target);
		const [value, text] = [valueOf(at?.cell), event.clipboardData.getData("text")];
		if (!value || text === "") return;
		event.preventDefault();
		if (!value.paste(text)) value.edit(text);
	}

	/** Fills pasted cells into the rows starting at `row`. Undo restores the previous values. */
	async function fill(row, column, cells) {
		const fields = columns.slice(column).filter((one) => one.field);
		const changes = cells.flatMap((line, index) =>
			line.slice(0, fields.length).map((text, place) => ({
				device: items[row + index],
				name: fields[place].field,
				text: text.trim(),
			}))
		).filter((one) => one.device);
		const before = changes.map(({ device, name }) => ({ device, name, text: device.custom[name] ?? "" }));
		const failed = await storeAll(changes);
		const rows = new Set(changes.map((one) => one.device)).size;
		toast(
			failed ? t("devices.filledSome", { n: failed, all: changes.length }) : t("devices.filled", { n: rows }),
			failed ? "bad" : "good",
			[t("undo"), () => storeAll(before)],
		);
		focus(row, column);
	}

	/** Sends values, a few concurrently. Returns the number of rejected ones. */
	async function storeAll(changes) {
		const rest = [...changes];
		let failed = 0;
		// The list may have been loaded again since the values were pasted.
		const current = (device) => items.find((one) => one.serial === device.serial) ?? device;
		const work = async () => {
			for (let next = rest.shift(); next; next = rest.shift()) {
				if (await store(current(next.device), next.name, next.text)) failed += 1;
			}
		};
		await Promise.all([work(), work(), work(), work()]);
		list.refresh();
		return failed;
	}

	function remove(device) {
		const index = items.indexOf(device);
		if (index < 0) return;
		items.splice(index, 1);
		total -= 1;
		const hadFocus = sheet.contains(document.activeElement);
		told();
		list.refresh();
		if (hadFocus && items.length > 0) focus(Math.min(index, items.length - 1), here.column);
		deleteLater(device);
	}

	function told() {
		counted(total);
		set(sheet, { "aria-rowcount": narrow.matches ? null : total + 1 });
		sheet.hidden = items.length === 0;
		foot.replaceChildren(items.length === 0 ? el("p", { class: "empty" }, empty?.() ?? t("devices.none")) : "");
	}

	async function page(cursor, limit = pageSize) {
		const parameters = asParameters(wanted);
		for (const [name, value] of Object.entries({ ...order, limit })) parameters.set(name, value);
		if (cursor) parameters.set("cursor", cursor);
		return kept(await api.get(`/devices?${parameters}`), deviceAt);
	}

	/** Loads the list from the beginning. */
	async function load() {
		const mine = ++asked;
		isLoading = true;
		sheet.classList.add("stale");
		try {
			await saved();
			const begun = savesBegun();
			const answer = await page(null);
			if (mine !== asked) return;
			// Saves what is being typed in a row of the previous list.
			if (isEditing()) document.activeElement.blur();
			if (savesBegun() !== begun) isDue = true;
			[items, next, total] = [answer.items, answer.next_cursor, answer.total];
			here = { row: 0, column: 1 };
			const hadFocus = body.contains(document.activeElement);
			told();
			sheet.scrollTop = 0;
			isLoading = false;
			layOut();
			if (hadFocus && items.length > 0) refocus(0, 1);
		} catch (error) {
			if (mine !== asked) return;
			foot.replaceChildren(failure(problemOf(wanted, error), load));
		} finally {
			if (mine === asked) {
				isLoading = false;
				sheet.classList.remove("stale");
				resume();
			}
		}
	}

	async function more() {
		if (isLoading || !next) return;
		const mine = asked;
		isLoading = true;
		try {
			const answer = await page(next);
			if (mine !== asked) return;
			// A device read meanwhile has moved to the top and is already in the list.
			const known = new Set(items.map((one) => one.serial));
			items.push(...answer.items.filter((one) => !known.has(one.serial)));
			next = answer.next_cursor;
			isLoading = false;
			list.grow();
			resume();
		} catch (error) {
			if (mine === asked) {
				foot.replaceChildren(failure(error.message, () => {
					isLoading = false;
					more();
				}));
			}
		}
	}

	const failure = (text, again) =>
		el(
			"div",
			{ class: "row center failure" },
			el("span", { class: "bad", role: "alert" }, text),
			el("button", { class: "small", onclick: again }, t("tryAgain")),
		);

	/** Refreshes the list without moving visible rows, the focus or input; while a cell is being edited, afterwards. */
	function reload() {
		isDue = true;
		return resume();
	}

	async function resume() {
		if (isReloading) return;
		isReloading = true;
		try {
			while (isDue && !isLoading && !isEditing()) {
				isDue = false;
				// Values in transit would be missing in the response.
				await saved();
				const [mine, begun] = [asked, savesBegun()];
				const answer = await page(null, Math.min(2 * pageSize, Math.max(pageSize, items.length)));
				if (mine !== asked || isLoading || isEditing() || savesBegun() !== begun) isDue = true;
				else take(answer);
			}
		} catch {
			/* the next change tries again */
		} finally {
			isReloading = false;
		}
	}

	function take(answer) {
		if (
			JSON.stringify(answer.items) === JSON.stringify(items.slice(0, answer.items.length)) && answer.total === total
		) return;
		const serial = items[here.row]?.serial;
		const hadFocus = sheet.contains(document.activeElement);
		list.refreshInPlace((index) => items[index].serial, () => {
			// Rows beyond this response stay unchanged.
			const fresh = new Set(answer.items.map((one) => one.serial));
			const rest = answer.next_cursor && items.length > answer.items.length
				? items.slice(answer.items.length).filter((one) => !fresh.has(one.serial))
				: null;
			items = rest ? [...answer.items, ...rest] : answer.items;
			if (!rest) next = answer.next_cursor;
			total = answer.total;
			const row = items.findIndex((one) => one.serial === serial);
			if (row >= 0) here = { row, column: here.column };
			told();
		});
		if (hadFocus && items[here.row]?.serial === serial) refocus(here.row, here.column);
	}

	// When the page becomes visible again, show what phones have read meanwhile.
	const seen = () => {
		if (!document.hidden && node.isConnected) self.reload();
	};
	document.addEventListener("visibilitychange", seen);
	narrow.addEventListener("change", layOut);
	const unlisten = listen(() => self.reload());
	const watch = new ResizeObserver(() => requestAnimationFrame(resized));
	watch.observe(document.getElementById("main"));
	layOut();
	const self = {
		node,
		load,
		reload,
		total: () => total,
		leave() {
			unlisten();
			list.leave();
			narrow.removeEventListener("change", layOut);
			watch.disconnect();
			document.removeEventListener("visibilitychange", seen);
		},
	};
	return self;
}
