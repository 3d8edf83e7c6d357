// Batches of photos, such as a lot or a delivery. Each has counts, photos and devices, updated live, and an export.
import { api, at, reason } from "./api.js";
import * as batch from "./batch.js";
import { fieldLabel } from "./cells.js";
import { deviceList } from "./devicelist.js";
import { badge, copy, el, jobBadge, openDialog, placeOf, replaceRows, tagBadge, toast } from "./dom.js";
import { openExport } from "./export.js";
import { follow, hear, poll } from "./hearing.js";
import { phoneCode } from "./qr.js";
import { kept, listen } from "./removal.js";
import { jobAt } from "./results.js";
import { day, isolated, number, t, when } from "./strings.js";
import { tiny } from "./thumbnail.js";
import { windowed } from "./windowed.js";

const pageSize = 100;
/** Minimum milliseconds between two polls. */
const least = 700;
/** Height in pixels of a photo's row and, on a phone and on a narrow one, its card; must equal app.css. */
const [photoRow, photoCard, narrowestCard] = [68, 84, 114];
const [narrow, narrowest] = [matchMedia("(max-width: 44rem)"), matchMedia("(max-width: 24rem)")];

const pageOf = (wanted, cursor) => new URLSearchParams({ ...wanted, ...(cursor && { cursor }) });
const counts = ["photos", "devices", "accepted", "needs_review", "no_serial", "confirmed", "duplicates", "waiting"];

export function view(main, { rest: [id] }) {
	return id ? one(main, id) : all(main);
}

/** Shows the list of batches. */
async function all(main) {
	const scopes = await api.scopes();
	let next = null;
	let shown = "";
	const list = el("ul", { class: "batchList" });
	const more = el(
		"button",
		{ onclick: () => load(next).catch((error) => toast(error.message, "bad")) },
		t("batches.more"),
	);
	const note = el("p", { class: "onlyPrint" });
	const empty = el(
		"div",
		{ class: "empty stack", hidden: true },
		el("p", { class: "big" }, t("batches.none")),
		el("p", {}, t("batches.intro")),
	);
	main.append(
		el(
			"div",
			{ class: "row spread" },
			el("h1", {}, t("nav.batches")),
			scopes.has("scan") ? el("button", { class: "primary", onclick: begin }, t("batch.begin")) : null,
		),
		empty,
		list,
		el("div", { class: "row center" }, more),
		note,
	);

	async function load(cursor) {
		show(await api.get(`/batches?${pageOf({ limit: 50 }, cursor)}`), [...list.children]);
	}

	/** Shows a response, below the rows of earlier ones. */
	function show(answer, earlier = []) {
		next = answer.next_cursor;
		if (!earlier[0]) shown = JSON.stringify(answer.items);
		replaceRows(list, [...earlier, ...answer.items.map(row)]);
		more.hidden = !next;
		note.textContent = next ? t("print.batches", { n: list.children.length }) : "";
		empty.hidden = list.children.length > 0;
	}

	function row(item) {
		const { tally } = item;
		return el(
			"li",
			{ "data-id": item.id },
			el(
				"a",
				{ class: "card batchCard", href: `#/batches/${item.id}` },
				el("span", { class: "cardTop" }, el("span", { class: "big name", dir: "auto" }, item.name), state(item)),
				el(
					"span",
					{ class: "quiet" },
					item.ended_at
						? t("batches.ended", { from: day(item.created_at), to: day(item.ended_at) })
						: t("batches.begun", { date: when(item.created_at) }),
				),
				el(
					"span",
					{ class: "tally" },
					["photos", "devices", "needs_review", "no_serial"].filter((name) => tally[name] > 0 || name === "photos").map(
						(name) => t(`count.${name}`, { n: tally[name] }),
					).join(" · "),
				),
			),
		);
	}

	async function begin() {
		const made = await batch.begin();
		if (made) location.hash = `#/batches/${made.id}`;
	}

	// Updates the list while the page is visible.
	const stop = follow(null, refresh);
	const end = poll(refresh);
	const leave = () => {
		stop();
		end();
	};
	async function refresh() {
		if (document.hidden) return;
		const limit = Math.min(Math.max(list.children.length, 50), 500);
		const answer = await api.get(`/batches?limit=${limit}`).catch(() => null);
		if (answer && JSON.stringify(answer.items) !== shown) show(answer);
	}

	await load(null).catch((error) => {
		leave();
		throw error;
	});
	return { leave };
}

const state = (item) =>
	el(
		"span",
		{ class: `badge ${item.ended_at ? "waiting" : "accepted"}` },
		t(item.ended_at ? "batches.isEnded" : "batches.isOpen"),
	);

/** Shows one batch. */
async function one(main, id) {
	const [scopes, custom] = await Promise.all([api.scopes(), api.customFields()]);
	const path = `/batches/${encodeURIComponent(id)}`;
	let item = await api.get(path);
	let shown = "photos";
	let [isLeft, isDue, isLooking, isMissed] = [false, false, false, false];
	const canScan = scopes.has("scan");
	const title = el("h1", { dir: "auto" });
	const dates = el("p", { class: "quiet" });
	const mark = el("span");
	const tiles = el("dl", { class: "tiles", "aria-label": t("batches.tally") });
	const does = el("div", { class: "row" });
	const place = el("div");
	const segments = el(
		"div",
		{ class: "segments", role: "group", "aria-label": t("batches.show") },
		[["photos", t("scan.photos")], ["devices", t("nav.devices")]].map(([name, text]) =>
			el("button", { onclick: () => show(name) }, text)
		),
	);
	const wanted = { batch: id };
	const order = { sort_by: "last_seen", sort_order: "desc" };
	const devices = deviceList({
		wanted,
		order,
		custom,
		scopes,
		counted() {},
		empty: () => t("batches.noDevices"),
		sorted: (by, direction) => {
			Object.assign(order, { sort_by: by, sort_order: direction });
			devices.load();
		},
	});
	const photos = photoList(id, custom, () => item.tally.photos + item.tally.duplicates);
	main.append(
		el("p", {}, el("a", { href: "#/batches" }, `← ${t("batches.all")}`)),
		el("div", { class: "row" }, title, mark, dates),
		does,
		tiles,
		segments,
		place,
	);

	function tell() {
		batch.update(item);
		title.textContent = item.name;
		document.title = `${item.name} · SerialScan`;
		mark.replaceChildren(state(item));
		dates.textContent = item.ended_at
			? t("batches.ended", { from: when(item.created_at), to: when(item.ended_at) })
			: t("batches.begun", { date: when(item.created_at) });
		const buttons = [
			canScan && !item.ended_at
				? ["scan", t("batches.scan"), () => {
					batch.choose(item);
					location.hash = "#/scan";
				}]
				: null,
			canScan && !item.ended_at ? ["join", t("batches.join"), () => share(item)] : null,
			scopes.has("read")
				? [
					"export",
					t("export.button"),
					() => openExport({ rows: "devices", wanted, total: item.tally.devices, name: item.name }),
				]
				: null,
			canScan ? ["rename", t("batches.rename"), rename] : null,
			canScan
				? ["end", t(item.ended_at ? "batches.reopen" : "batches.end"), () => change({ ended: !item.ended_at })]
				: null,
			scopes.has("admin") ? ["delete", t("delete"), remove] : null,
		].filter(Boolean);
		// Replaces the buttons only if they differ, to keep the focus.
		const key = buttons.map(([name, text]) => `${name} ${text}`).join();
		if (does.dataset.key !== key) {
			does.dataset.key = key;
			const had = does.contains(document.activeElement) ? document.activeElement.dataset.name : null;
			does.replaceChildren(
				...buttons.map(([name, text, act]) =>
					el("button", {
						"data-name": name,
						class: name === "scan" ? "primary" : name === "delete" ? "danger" : null,
						onclick: act,
					}, text)
				),
			);
			if (had) (does.querySelector(`[data-name=${had}]`) ?? document.getElementById("main")).focus();
		}
		const tally = JSON.stringify(item.tally);
		if (tiles.dataset.tally === tally) return;
		tiles.dataset.tally = tally;
		tiles.replaceChildren(
			...counts.filter((name) => name !== "waiting" || item.tally.waiting > 0).map((name) =>
				el("div", { class: `tile ${name}` }, el("dt", {}, t(`tile.${name}`)), el("dd", {}, number(item.tally[name])))
			),
		);
	}

	async function show(name) {
		shown = name;
		[...segments.children].forEach((button, index) =>
			button.setAttribute("aria-pressed", String(["photos", "devices"][index] === name))
		);
		const list = name === "photos" ? photos : devices;
		place.replaceChildren(list.node);
		try {
			await list.load();
		} catch (error) {
			toast(error.message, "bad");
		}
	}

	/** Fetches changes, a moment after the first of several events. */
	function look(after = least) {
		if (isDue || isLeft) return;
		isDue = true;
		setTimeout(async () => {
			isDue = false;
			if (isLeft || document.hidden) return;
			// The response that is awaited may lack it.
			isMissed = isLooking;
			if (isLooking) return;
			isLooking = true;
			try {
				item = await api.get(path);
				if (isLeft) return;
				tell();
				await (shown === "photos" ? photos : devices).reload();
			} catch (error) {
				if (error.code === "BATCH_NOT_FOUND" && !isLeft) {
					toast(error.message, "bad");
					location.hash = "#/batches";
				}
			} finally {
				isLooking = false;
				if (isMissed) look();
				isMissed = false;
			}
		}, after);
	}

	async function change(values) {
		try {
			item = await api.send("PATCH", path, values);
			tell();
		} catch (error) {
			toast(error.message, "bad");
		}
	}

	async function rename() {
		const answer = await batch.askForName({
			title: t("batches.rename"),
			action: t("save"),
			value: item.name,
			send: (name) => api.send("PATCH", path, { name }),
		});
		if (answer) {
			item = answer;
			tell();
		}
	}

	async function remove() {
		if (!confirm(t("batches.deleteAsk", { name: item.name }))) return;
		try {
			await api.send("DELETE", path);
			if (batch.current()?.id === id) batch.choose(null);
			toast(t("batches.deleted", { name: item.name }));
			location.hash = "#/batches";
		} catch (error) {
			toast(error.message, "bad");
		}
	}

	tell();
	const stop = hear(id, {
		heard(name, job) {
			photos.heard(name, job);
			look();
		},
		missed: look,
	});
	const end = poll(() => look(0));
	const unlisten = listen(() => look(0));
	await show("photos");
	return {
		leave() {
			isLeft = true;
			stop();
			end();
			unlisten();
			devices.leave();
			photos.leave();
		},
	};
}

/** Creates the list of a batch's photos, latest first. `total` returns their number. */
function photoList(id, custom, total) {
	let items = [];
	let next = null;
	let isLoading = false;
	const body = el("div", { class: "gridRows", role: "list", "aria-label": t("scan.photos") });
	const foot = el("div", { class: "listFoot", role: "status" });
	const sheet = el("div", { class: "listSheet photoSheet" }, body);
	const node = el("div", {}, sheet, foot);
	const list = windowed({
		list: body,
		scroller: sheet,
		count: () => items.length,
		height: () => (narrowest.matches ? narrowestCard : narrow.matches ? photoCard : photoRow),
		make: (index) => row(items[index], index),
		onNearEnd: more,
		missing: () => (next ? t("print.latest", { n: items.length, all: total() }) : null),
	});

	function row(job, index) {
		const serial = job.confirmed_serial ?? job.serial;
		const hasEnded = ["completed", "failed"].includes(job.status);
		const values = custom.filter(({ name }) => job.custom?.[name]).map(({ name }) =>
			`${fieldLabel(name)}: ${isolated(job.custom[name])}`
		);
		const isReading = job.status === "processing";
		// A photo of only a tag shows the tag's values.
		const isTag = hasEnded && !serial && values.length > 0;
		const note = isTag
			? values.join(" · ")
			: hasEnded
			? (serial ? "" : reason(job))
			: t(isReading ? "upload.reading" : "upload.queued");
		const duplicate = job.duplicate_of
			? el("a", { class: "badge waiting", href: `#/result/${job.duplicate_of}` }, t("batches.samePhoto"))
			: job.seen_before && serial
			? el("a", {
				class: "badge waiting",
				href: placeOf(serial),
				title: t("scan.duplicate", { date: day(job.seen_before) }),
			}, t("history.duplicate"))
			: null;
		return el(
			"div",
			{ role: "listitem", class: "photoLine", "aria-posinset": index + 1, "aria-setsize": next ? -1 : items.length },
			tiny(job.thumbnail_url),
			el(
				"span",
				{ class: "readText" },
				serial
					? el("a", { class: "serial", href: placeOf(serial) }, serial)
					: el("span", { class: "clip note2", title: note }, note),
				el(
					"span",
					{ class: "clip quiet", dir: "auto" },
					[when(job.created_at, { hour: "numeric", minute: "numeric", second: "numeric" }), ...(isTag ? [] : values)]
						.join(" · "),
				),
			),
			el(
				"span",
				{ class: "photoMarks" },
				duplicate,
				isTag ? tagBadge() : hasEnded ? jobBadge(job) : badge(null, job.confirmed_serial, job.review),
				el("a", {
					class: "why",
					href: `#/result/${job.job_id}`,
					"aria-label": t("detailsOf", { name: serial ?? when(job.created_at) }),
				}, t("details")),
			),
		);
	}

	async function page(cursor) {
		return kept(await api.get(`/jobs?${pageOf({ batch: id, limit: pageSize }, cursor)}`), jobAt);
	}

	function told() {
		sheet.hidden = items.length === 0;
		foot.replaceChildren(items.length === 0 ? el("p", { class: "empty" }, t("batches.noPhotos")) : "");
	}

	async function load() {
		const answer = await page(null);
		[items, next] = [answer.items, answer.next_cursor];
		told();
		list.refresh();
	}

	async function more() {
		if (isLoading || !next) return;
		isLoading = true;
		try {
			const answer = await page(next);
			const known = new Set(items.map((job) => job.job_id));
			items.push(...answer.items.filter((job) => !known.has(job.job_id)));
			next = answer.next_cursor;
			list.grow();
			isLoading = false;
		} catch (error) {
			foot.replaceChildren(
				el(
					"div",
					{ class: "row center" },
					el("span", { class: "bad" }, error.message),
					el("button", {
						class: "small",
						onclick: () => {
							isLoading = false;
							told();
							more();
						},
					}, t("tryAgain")),
				),
			);
		}
	}

	/** Reloads the latest page; older rows stay. */
	async function reload() {
		const answer = await page(null);
		const fresh = new Set(answer.items.map((job) => job.job_id));
		const rest = answer.next_cursor && items.length > answer.items.length
			? items.filter((job) => !fresh.has(job.job_id)).filter((job) => job.created_at <= answer.items.at(-1).created_at)
			: [];
		const all = [...answer.items, ...rest];
		if (JSON.stringify(all) === JSON.stringify(items)) return;
		// Keep the focus on its row.
		const focused = document.activeElement;
		const [href, kind] = body.contains(focused) ? [focused.getAttribute("href"), focused.className] : [];
		list.refreshInPlace((index) => items[index].job_id, () => {
			items = all;
			if (rest.length === 0) next = answer.next_cursor;
			told();
		});
		if (href) {
			[...body.querySelectorAll("a")].find((link) => link.getAttribute("href") === href && link.className === kind)
				?.focus({ preventScroll: true });
		}
	}

	/** Updates a job's row from an event. */
	function heard(name, job) {
		const index = items.findIndex((one) => one.job_id === job.job_id);
		if (index < 0) return;
		if (name === "deleted") {
			items.splice(index, 1);
			told();
			list.refresh();
			return;
		}
		Object.assign(items[index], job);
		list.redraw(index);
	}

	const turned = () => list.refresh();
	for (const width of [narrow, narrowest]) width.addEventListener("change", turned);
	return {
		node,
		load,
		reload,
		heard,
		leave() {
			list.leave();
			for (const width of [narrow, narrowest]) width.removeEventListener("change", turned);
		},
	};
}

/** Shows a link and a QR code with which a phone joins a batch. */
function share(item) {
	const address = `${at("/")}#/scan?batch=${item.id}`;
	const dialog = el(
		"dialog",
		{ "aria-labelledby": "shareTitle", onclose: () => dialog.remove() },
		el(
			"div",
			{ class: "stack" },
			el("h2", { id: "shareTitle" }, t("batches.joinTitle", { name: item.name })),
			el("p", {}, t("batches.joinHow")),
			phoneCode(address, t("batches.code", { name: item.name })),
			el("code", { class: "name" }, address),
			el(
				"div",
				{ class: "row end" },
				el("button", { onclick: () => copy(address, t("batches.theLink")) }, t("batches.copyLink")),
				el("button", { class: "primary", autofocus: true, onclick: () => dialog.close() }, t("keys.done")),
			),
		),
	);
	openDialog(dialog);
}
