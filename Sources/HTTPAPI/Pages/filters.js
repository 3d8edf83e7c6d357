// Filters for lists of devices and reads: the form, the URL's parameters, and the request's parameters.
import { api } from "./api.js";
import { fieldLabel } from "./cells.js";
import { el, set } from "./dom.js";
import { has, t } from "./strings.js";

const sources = ["scan", "live", "scanner", "ios", "mac"];
const states = ["confirmed", "accepted", "uncertain", "imported"];
/** The filters that are always visible; a button shows the others. */
const first = ["search", "status", "batch"];

/** Returns the filters in a URL that are among `names`; those of custom fields begin with `custom.`. */
export function filtersOf(query, names) {
	const wanted = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
	for (const [name, value] of query) if (name.startsWith("custom.") && names.includes("custom")) wanted[name] = value;
	delete wanted.custom;
	return wanted;
}

/** Returns the parameters for the page's URL. */
export const asQuery = (wanted) => new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ""));

/** Returns the parameters for a request; days are in the user's time zone. */
export function asParameters(wanted) {
	const parameters = asQuery(wanted);
	if (wanted.date_from || wanted.date_to) {
		parameters.set("tz", Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC");
	}
	return parameters;
}

/** Returns an error's message. For days in the wrong order, names the fields of the form instead of the parameters. */
export const problemOf = (
	wanted,
	error,
) => (wanted.date_from && wanted.date_to && wanted.date_from > wanted.date_to ? t("history.dates") : error.message);

/**
 * Creates the form for `names`. Input changes `wanted` and calls `changed` a moment later. `extra` is shown with the
 * filters that are not always visible.
 */
export function filterForm({ names, wanted, custom = [], changed, extra = null }) {
	let timer;
	const isOfDevices = names.includes("status");
	const inputs = new Map();
	const count = el("span");
	const later = (milliseconds) => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			tell();
			changed();
		}, milliseconds);
	};

	function field(name, label, input, { isWide = false } = {}) {
		inputs.set(name, input);
		set(input, {
			name,
			value: wanted[name] ?? "",
			oninput: () => {
				wanted[name] = input.value.trim();
				later(input.tagName === "SELECT" ? 0 : 250);
			},
		});
		return el("label", { class: isWide ? "wide" : null }, el("span", {}, label), input);
	}
	const choice = (pairs) => el("select", {}, pairs.map(([value, title]) => el("option", { value }, title)));
	const all = ["", t("history.all")];
	const batches = choice([all]);
	const makers = {
		search: () =>
			field(
				"search",
				t("history.search"),
				el("input", {
					type: "search",
					placeholder: t(isOfDevices ? "filters.searchHint" : "history.searchHint"),
					maxlength: 200,
				}),
				{ isWide: true },
			),
		status: () =>
			field("status", t("history.status"), choice([all, ...states.map((name) => [name, t(`verdict.${name}`)])])),
		batch: () => field("batch", t("batch.batch"), batches),
		device_type: () =>
			field("device_type", t("history.deviceType"), el("input", { maxlength: 100, list: "deviceTypes" })),
		source: () =>
			field(
				"source",
				t("history.source"),
				choice([all, ...sources.filter((name) => has(`source.${name}`)).map((name) => [name, t(`source.${name}`)])]),
			),
		validation_status: () =>
			field(
				"validation_status",
				t("history.format"),
				choice([all, ["valid", t("history.valid")], ["invalid", t("history.invalid")]]),
			),
		date_from: () => field("date_from", t("history.from"), el("input", { type: "date" })),
		date_to: () => field("date_to", t("history.to"), el("input", { type: "date" })),
	};
	const more = names.filter((name) => !first.includes(name) && makers[name]).map((name) => makers[name]());
	if (names.includes("custom")) {
		more.push(...custom.map(({ name }) =>
			field(
				`custom.${name}`,
				fieldLabel(name),
				el("input", { maxlength: 200, placeholder: t("filters.exactly") }),
			)
		));
	}
	const clear = el("button", {
		class: "small",
		onclick: () => {
			for (const [name, input] of inputs) {
				wanted[name] = "";
				input.value = "";
			}
			later(0);
		},
	}, t("filters.clear"));
	const isHidden = (name) => !first.includes(name);
	const panel = el(
		"div",
		{
			class: "filterPanel",
			id: "filterPanel",
			hidden: !Object.entries(wanted).some(([name, value]) => value && isHidden(name)),
		},
		more,
		extra,
		el(
			"datalist",
			{ id: "deviceTypes" },
			["MacBook", "iMac", "Mac Mini", "iPhone", "iPad", "Apple Watch", "Accessory"].map((value) =>
				el("option", { value })
			),
		),
		el("div", { class: "row end" }, clear),
	);
	const toggle = el(
		"button",
		{
			"aria-controls": "filterPanel",
			"aria-expanded": String(!panel.hidden),
			onclick: () => {
				panel.hidden = !panel.hidden;
				toggle.setAttribute("aria-expanded", String(!panel.hidden));
			},
		},
		t("filters.more"),
		count,
	);

	function tell() {
		const active =
			Object.entries(wanted).filter(([name, value]) => value && inputs.has(name) && name !== "search").length;
		count.className = active ? "counter" : "";
		count.textContent = active ? String(active) : "";
		clear.disabled = !Object.entries(wanted).some(([name, value]) => value && inputs.has(name));
	}

	// The batches' names are fetched separately, so that the list does not wait for them.
	if (names.includes("batch")) {
		api.get("/batches?limit=200").then(async ({ items }) => {
			if (wanted.batch && !items.some((one) => one.id === wanted.batch)) {
				items.push(await api.get(`/batches/${encodeURIComponent(wanted.batch)}`));
			}
			batches.append(...items.map((one) => el("option", { value: one.id }, one.name)));
			batches.value = wanted.batch ?? "";
		}).catch(() => {/* then the list is as it is */});
	}

	const node = el(
		"form",
		{ class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
		el(
			"div",
			{ class: "filterLine" },
			first.filter((name) => names.includes(name)).map((name) => makers[name]()),
			toggle,
		),
		panel,
	);
	tell();
	return node;
}
