// Scanning: photos that are dropped, pasted, chosen or taken with the viewfinder, and serials from hardware scanners.
// The list shows each item's progress and serial.
import { api } from "./api.js";
import * as batch from "./batch.js";
import { noCamera } from "./camera.js";
import * as custom from "./custom.js";
import { copy, download, el, photoInputs, remembered, removeRow, set, toast } from "./dom.js";
import { canVibrate, choices, follow, signal, wake } from "./feedback.js";
import { recent } from "./recent.js";
import { discard, markOf, nameOf, reason, stateOf, valuesOf, verdictOf, wordOf } from "./results.js";
import { scanner } from "./scanner.js";
import { openSheet } from "./sheet.js";
import { number, t, worded } from "./strings.js";
import { thumbnail } from "./thumbnail.js";
import * as uploads from "./uploads.js";
import { isPossible, viewfinder } from "./viewfinder.js";

const presets =
	() => [["", t("preset.auto")], ...["etched", "screen", "sticker"].map((name) => [name, t(`preset.${name}`)])];
const deviceTypes = () => [
	["", t("scan.deviceNone")],
	...["MacBook", "iMac", "Mac Mini", "iPhone", "iPad", "Apple Watch"].map((type) => [type, type]),
	["Accessory", t("scan.accessory")],
];
const isTouched = matchMedia("(pointer: coarse)").matches;
/** The longer side in pixels of the preview of a new photo, and the maximum number of previews made at a time. */
const preview = { side: 160, most: 5 };

export async function view(main) {
	await uploads.loaded;
	custom.resume();
	const list = el("ul", { class: "results", "aria-label": t("scan.photos") });
	const tally = el("p", { class: "tally", role: "status" });
	const actions = el(
		"div",
		{ class: "row" },
		el("button", { onclick: copyAll }, t("scan.copyAll")),
		el("button", { onclick: spreadsheet }, t("scan.spreadsheet")),
		el("button", { onclick: clear }, t("scan.clear")),
	);
	const empty = el("p", { class: "empty" }, t("scan.empty"));
	const finder = viewfinder({
		onPhoto: (file, small) => uploads.add([file], fields(), { preview: small }),
		onClose: () => {
			remembered.set("viewfinder", false);
			opened(false);
		},
		onOpened: opened,
	});
	const { drop, take: takeButton, leave } = intake(openFinder);
	const strip = recent();
	const typing = scanner(fields);
	main.append(
		el("h1", {}, t("nav.scan")),
		el("div", { class: "row batchRow" }, batch.element()),
		finder.node,
		strip.node,
		drop,
		typing.node,
		options(),
		el("div", { class: "row spread" }, tally, actions),
		empty,
		list,
	);
	const unfollow = follow((item, outcome) => finder.show(outcome, wordOf(item)));
	opened(false);
	// Open the viewfinder if it was open last time.
	if (isPossible() && remembered.get("viewfinder", false)) openFinder();

	async function openFinder() {
		wake();
		const isThere = await finder.open();
		if (isThere) remembered.set("viewfinder", true);
		opened(isThere);
	}

	function opened(isThere) {
		main.classList.toggle("scanning", isThere);
		strip.node.classList.toggle("away-now", !isThere);
		drop.hidden = isThere;
		// Without the viewfinder, the phone's camera app takes each photo.
		takeButton.hidden = isPossible() && !finder.isOpen;
	}

	const rows = new Map();
	let counting = false;
	// Draws the visible rows first and the rest frame by frame, because a thousand rows take noticeably long.
	const undrawn = new Set([...uploads.items].reverse());
	let isLeft = false;
	draw(50);
	count();
	const stop = uploads.listen((item) => {
		show(item);
		count();
	});
	const unattend = uploads.attend();

	function draw(most) {
		let left = most;
		for (const item of undrawn) {
			if (left-- === 0) break;
			undrawn.delete(item);
			const row = resultRow(item);
			rows.set(item, row);
			list.append(row.node);
			row.update();
		}
		if (undrawn.size > 0 && !isLeft) requestAnimationFrame(() => draw(250));
	}

	function show(item) {
		let row = rows.get(item);
		if (item.state === "forgotten") {
			undrawn.delete(item);
			if (row) removeRow(row.node);
			rows.delete(item);
			return;
		}
		if (undrawn.has(item)) return;
		if (!row) {
			row = resultRow(item);
			rows.set(item, row);
			const older = uploads.items.slice(0, uploads.items.indexOf(item)).findLast((other) => rows.has(other));
			list.insertBefore(row.node, rows.get(older)?.node ?? null);
		}
		row.update();
	}

	function count() {
		if (counting) return;
		counting = true;
		requestAnimationFrame(() => {
			counting = false;
			const all = uploads.items;
			const ended = all.filter((item) => item.state === "done");
			const of = (verdict) => ended.filter((item) => !custom.isTag(item) && verdictOf(item) === verdict).length;
			const failed = all.filter((item) => item.state === "failed").length;
			const rest = all.length - ended.length - failed;
			tally.textContent = all.length === 0 ? "" : [
				t("tally.accepted", { n: of("accepted") }),
				t("tally.uncertain", { n: of("uncertain") }),
				t("tally.refused", { n: of("refused") }),
				rest ? t("tally.waiting", { n: rest }) : "",
				failed ? t("tally.failed", { n: failed }) : "",
			]
				.filter(Boolean).join(", ");
			actions.hidden = all.length === 0;
			empty.hidden = all.length > 0;
		});
	}

	// Ask for the key before files are chosen.
	api.largestUpload();
	const paste = (event) => {
		if (event.clipboardData?.files.length) take([...event.clipboardData.files]);
	};
	addEventListener("paste", paste);
	const keys = (event) => move(event, list);
	addEventListener("keydown", keys);
	return {
		leave() {
			isLeft = true;
			for (const end of [stop, unattend, leave, unfollow, strip.leave, typing.leave, finder.leave]) end();
			removeEventListener("paste", paste);
			removeEventListener("keydown", keys);
		},
	};
}

function take(files) {
	const pictures = files.filter((file) =>
		file.type.startsWith("image/") || /\.(heic|heif|tiff?|jpe?g|png|webp)$/i.test(file.name)
	);
	const others = files.length - pictures.length;
	if (others > 0) toast(t("scan.notImages", { n: others, total: files.length }), "bad");
	if (pictures.length) {
		uploads.add(pictures, fields()).then(() => {
			if (pictures.length <= preview.most) uploads.items.slice(-pictures.length).forEach(draw);
		});
	}
}

/** Makes a preview of a photo until the server's thumbnail exists. Browsers can't decode some formats. */
async function draw(item) {
	const file = item.file;
	if (!file || item.preview || item.thumbnail) return;
	try {
		const bitmap = await createImageBitmap(file);
		const canvas = document.createElement("canvas");
		const scale = Math.min(1, preview.side / Math.max(bitmap.width, bitmap.height));
		[canvas.width, canvas.height] = [Math.round(bitmap.width * scale), Math.round(bitmap.height * scale)];
		canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
		bitmap.close();
		if (!item.thumbnail) uploads.amend(item, { preview: canvas.toDataURL("image/jpeg", 0.7) });
	} catch { /* HEIC, TIFF */ }
}

/** Returns the form fields that are sent with each photo. */
const fields = () => ({
	preset: remembered.get("preset", ""),
	device_type: remembered.get("deviceType", ""),
	multiple: remembered.get("multiple", false) ? "true" : "",
	batch: batch.current()?.id ?? "",
});

function intake(openFinder) {
	const chosen = (event) => {
		wake();
		take([...event.target.files]);
		event.target.value = "";
	};
	const [file, camera] = photoInputs(["file", "camera"], chosen, true);
	const takeButton = el(
		"label",
		{ class: `button onlyTouch ${isPossible() ? "" : "primary"}`, for: "camera" },
		t("scan.take"),
	);
	const drop = el(
		"div",
		{ class: "drop" },
		el("p", { class: "big" }, t(isTouched ? "scan.dropTouch" : "scan.drop")),
		el("p", { class: "quiet" }, t("scan.formats")),
		el(
			"div",
			{ class: "row center" },
			isPossible()
				? el(
					"button",
					{ class: isTouched ? "primary" : null, onclick: openFinder },
					t("viewfinder.open"),
				)
				: null,
			el("label", { class: `button ${isTouched ? "" : "primary"}`, for: "file" }, t("scan.choose")),
			file,
			takeButton,
			camera,
		),
		isPossible() || !isTouched
			? null
			: el("details", { class: "plain-http" }, el("summary", {}, t("viewfinder.plain")), noCamera()),
	);
	// Photos can be dropped anywhere on the page; otherwise the browser would open the first one in place of the page.
	const over = (event) => drop.classList.toggle("over", event.type === "dragover" && hasFiles(event));
	const dropped = (event) => {
		over(event);
		if (hasFiles(event)) {
			event.preventDefault();
			take([...event.dataTransfer.files]);
		}
	};
	const listeners = { dragover: over, dragleave: over, drop: dropped };
	for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener);
	return {
		drop,
		take: takeButton,
		leave() {
			for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener);
		},
	};
}

const hasFiles = (event) => event.dataTransfer?.types.includes("Files");

function options() {
	const choice = (name, label, pairs) => {
		const select = el(
			"select",
			{ onchange: () => remembered.set(name, select.value) },
			pairs.map(([value, title]) => el("option", { value }, title)),
		);
		select.value = remembered.get(name, "");
		return el("label", {}, label, " ", select);
	};
	const toggle = (name, text) => {
		const box = el("input", {
			type: "checkbox",
			onchange: () => {
				choices[name] = box.checked;
				if (box.checked) signal("accepted");
			},
		});
		box.checked = choices[name];
		return el("label", {}, box, ` ${text}`);
	};
	const multiple = el("input", { type: "checkbox", onchange: () => remembered.set("multiple", multiple.checked) });
	multiple.checked = remembered.get("multiple", false) === true;
	return el(
		"details",
		{ class: "options-box", open: !isTouched },
		el("summary", {}, t("scan.options")),
		el(
			"div",
			{ class: "row options" },
			choice("preset", t("scan.surface"), presets()),
			choice("deviceType", t("device"), deviceTypes()),
			el("label", {}, multiple, ` ${t("scan.everySerial")}`),
			toggle("sound", t("scan.sound")),
			canVibrate ? toggle("vibration", t("scan.vibration")) : null,
		),
	);
}

function resultRow(item) {
	const title = nameOf(item);
	const picture = thumbnail(title, uploads.isPhoto(item) ? "photo" : "code");
	const open = el("button", {
		class: "open-thumb",
		"aria-label": t("recent.open", { title }),
		onclick: () => openSheet(item),
	}, picture.node);
	const serial = el("button", {
		class: "serial",
		onclick: () => {
			if (item.serial) copy(item.serial);
		},
	});
	const state = el("span", { class: "state" });
	const values = el("span", {});
	const bar = el("progress", { max: 1, value: 0, "aria-label": t("scan.progress", { name: title }) });
	const mark = el("span", { class: "mark" });
	const why = el("a", { class: "why", hidden: true, "aria-label": t("detailsOf", { name: title }) }, t("details"));
	const again = el(
		"button",
		{ class: "small again", hidden: true, onclick: () => uploads.retry(item) },
		t("tryAgain"),
	);
	const remove = el("button", {
		class: "plain remove",
		"aria-label": t("scan.remove", { name: title }),
		onclick: () => discard(item),
	}, "×");
	const node = el(
		"li",
		{ class: "result" },
		open,
		el(
			"div",
			{ class: "who", onclick: () => openSheet(item) },
			el("span", { class: "name" }, title),
			state,
			values,
			bar,
		),
		serial,
		mark,
		why,
		again,
		remove,
	);
	function update() {
		const isDone = item.state === "done";
		picture.update(item.thumbnail, item.preview);
		bar.hidden = isDone || item.state === "failed" || item.isTyped === true;
		bar.value = item.progress;
		serial.hidden = !item.serial || !(isDone || item.isTyped);
		serial.textContent = item.serial ?? "";
		set(serial, { "aria-label": item.serial ? t("scan.copy", { serial: [...item.serial].join(" ") }) : null });
		state.textContent = stateOf(item);
		state.className = `state ${item.state === "failed" ? "bad" : ""}`;
		values.replaceChildren(...[valuesOf(item)].filter(Boolean));
		mark.replaceChildren(isDone ? markOf(item) : "");
		why.hidden = !(isDone && item.job);
		if (item.job) why.href = `#/result/${item.job}`;
		again.hidden = !uploads.canRetry(item);
	}
	return { node, update };
}

// The arrow keys move between serials, starting at the top if nothing has the focus; Enter copies, as for any button.
function move(event, list) {
	const isNowhere = [document.body, document.getElementById("main")].includes(event.target);
	if (!(isNowhere ? ["ArrowDown", "Enter"] : ["ArrowUp", "ArrowDown", "Home", "End"]).includes(event.key)) return;
	const row = event.target.closest(".result");
	if (!isNowhere && !row) return;
	const stops = [...list.querySelectorAll(".serial:not([hidden])")].filter((one) => one.offsetParent !== null);
	const here = row ? stops.indexOf(row.querySelector(".serial")) : -1;
	const next = { ArrowUp: here - 1, ArrowDown: here + 1, Home: 0, End: stops.length - 1, Enter: 0 }[event.key];
	if (!stops[next]) return;
	event.preventDefault();
	stops[next].focus();
	if (isNowhere && event.key === "Enter") stops[next].click();
}

function copyAll() {
	const sure = uploads.items.filter((item) => item.state === "done" && item.serial && verdictOf(item) === "accepted");
	const serials = [...new Set(sure.map((item) => item.serial))];
	if (serials.length) copy(serials.join("\n"), t("scan.serials", { n: serials.length }));
	else toast(t("scan.nothingToCopy"));
}

/** Formats a time as 2026-05-04 17:30:00 in the browser's zone: every spreadsheet knows it, whatever its language. */
const localTime = (time) => new Date(time).toLocaleString("sv");

// Made in the browser, because the list includes unsaved and unread photos.
function spreadsheet() {
	// Prefix text that a spreadsheet would parse as a formula with an apostrophe.
	const cell = (value) => {
		const text = String(value ?? "");
		const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
		return `"${harmless.replaceAll('"', '""')}"`;
	};
	// In locales with a decimal comma, spreadsheets expect semicolons between columns.
	const separator = number(0.5).includes(",") ? ";" : ",";
	const result = (item) => {
		const verdict = item.state === "failed" ? "failed" : item.state === "done" ? item.verdict : "waiting";
		return worded(`verdict.${verdict}`, verdict);
	};
	const head = [
		t("file"),
		t("sheet.serial"),
		t("detail.result"),
		t("confidence"),
		t("verdict.confirmed"),
		t("sheet.firstSeen"),
		t("sheet.job"),
		t("notes"),
	];
	const lines = uploads.items.map((
		item,
	) => [
		uploads.isPhoto(item) ? item.name : nameOf(item),
		item.serial,
		result(item),
		item.confidence === null || item.confidence === undefined ? "" : number(Math.floor(item.confidence * 1e3) / 1e3, 3),
		item.confirmed ? t("sheet.yes") : "",
		item.seenBefore ? localTime(item.seenBefore) : "",
		item.job,
		item.code || item.error ? reason(item) : "",
	]);
	download(
		new Blob([`\u{FEFF}${[head, ...lines].map((cells) => cells.map(cell).join(separator)).join("\r\n")}\r\n`], {
			type: "text/csv",
		}),
		`serials-${localTime(new Date()).slice(0, 10)}.csv`,
	);
}

function clear() {
	discard(...uploads.items.filter((item) => ["done", "failed"].includes(item.state)));
}
