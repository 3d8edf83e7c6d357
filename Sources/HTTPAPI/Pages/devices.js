// The devices, one per row: searched, filtered, sorted, edited in place, imported and exported.
import { api } from "./api.js";
import { view as deviceView } from "./device.js";
import { deviceList } from "./devicelist.js";
import { el } from "./dom.js";
import { openExport } from "./export.js";
import { asQuery, filterForm, filtersOf } from "./filters.js";
import { follow } from "./hearing.js";
import { openImport } from "./import.js";
import { t } from "./strings.js";

export const names = [
	"search",
	"status",
	"batch",
	"device_type",
	"source",
	"validation_status",
	"date_from",
	"date_to",
	"custom",
];
const sorts = ["last_seen", "first_seen", "serial", "device_type", "times_seen"];

/** The switch between devices and reads; keeps the filters that both have. */
export function rowsSwitch(current, wanted) {
	return el(
		"div",
		{ class: "segments", role: "group", "aria-label": t("devices.rows") },
		[["devices", t("nav.devices")], ["history", t("devices.reads")]].map(([name, title]) =>
			el("button", {
				"aria-pressed": String(name === current),
				onclick: () => {
					if (name !== current) location.hash = `#/${name}?${asQuery(wanted)}`;
				},
			}, title)
		),
	);
}

export async function view(main, place) {
	if (place.rest[0]) return deviceView(main, place.rest[0]);
	const { query } = place;
	const [scopes, custom] = await Promise.all([api.scopes(), api.customFields()]);
	const wanted = filtersOf(query, names);
	const order = {
		sort_by: sorts.includes(query.get("sort_by")) ? query.get("sort_by") : "last_seen",
		sort_order: query.get("sort_order") === "asc" ? "asc" : "desc",
	};
	const count = el("p", { class: "quiet", role: "status" });
	const isFiltered = () => Object.values(wanted).some(Boolean);
	const list = deviceList({
		wanted,
		order,
		custom,
		scopes,
		sorted: (by, direction) => {
			Object.assign(order, { sort_by: by, sort_order: direction });
			chooser.value = `${by} ${direction}`;
			restart();
		},
		counted: (total) => {
			count.textContent = t("devices.count", { n: total });
		},
		empty: () => t(isFiltered() ? "devices.none" : "devices.nothingYet"),
	});
	// For cards, which have no column headings to click on.
	const chooser = el(
		"select",
		{
			onchange: () => {
				[order.sort_by, order.sort_order] = chooser.value.split(" ");
				restart();
			},
		},
		[
			["last_seen desc", "lastFirst"],
			["last_seen asc", "lastLast"],
			["first_seen desc", "firstFirst"],
			["first_seen asc", "firstLast"],
			["serial asc", "serialUp"],
			["serial desc", "serialDown"],
			["device_type asc", "typeUp"],
			["device_type desc", "typeDown"],
			["times_seen desc", "timesMost"],
			["times_seen asc", "timesLeast"],
		].map(([value, name]) => el("option", { value }, t(`sort.${name}`))),
	);
	chooser.value = `${order.sort_by} ${order.sort_order}`;

	function restart() {
		const address = asQuery(wanted);
		if (order.sort_by !== "last_seen" || order.sort_order !== "desc") {
			for (const [name, value] of Object.entries(order)) {
				address.set(name, value);
			}
		}
		history.replaceState(history.state, "", `#/devices${address.size ? `?${address}` : ""}`);
		return list.load();
	}

	main.append(
		el(
			"div",
			{ class: "row spread listHead" },
			el("div", { class: "row listTitle" }, el("h1", {}, t("nav.devices")), rowsSwitch("devices", wanted), count),
			el(
				"div",
				{ class: "row listDoes" },
				scopes.has("admin")
					? el(
						"button",
						{ onclick: () => openImport({ custom, done: () => list.load() }) },
						t("import.button"),
					)
					: null,
				scopes.has("read")
					? el("button", {
						onclick: () => openExport({ rows: "devices", wanted, total: list.total() }),
					}, t("export.button"))
					: null,
			),
		),
		filterForm({
			names,
			wanted,
			custom,
			changed: restart,
			extra: el("label", { class: "onlyNarrow" }, el("span", {}, t("sort.by")), chooser),
		}),
		list.node,
	);
	const stop = follow(null, () => list.reload());
	await list.load();
	return {
		leave() {
			stop();
			list.leave();
		},
	};
}
