// Details of a read: characters, doubts, fields and strategies.
import { el, scrollable, section, tableHead } from "./dom.js";
import { english, number, percent, t, worded } from "./strings.js";

/** How a serial was read, in words; null if that is not known. */
export const methodOf = ({ method }) => method && worded(`method.${method}`, method);

/** Confidence below which a character is marked as doubtful. */
const doubtful = 0.9;

/** Creates the list of a serial's characters with their confidences; doubtful ones are marked and show alternatives. */
export function characters(read, onChoose) {
	if (!read.characters?.length) return null;
	const cells = read.characters.map((item, index) => {
		const isDoubtful = item.confidence < doubtful;
		const others = item.alternatives ?? [];
		const meter = el("meter", {
			min: 0,
			max: 1,
			low: 0.5,
			high: doubtful,
			optimum: 1,
			value: item.confidence,
			"aria-label": `${item.character}: ${percent(item.confidence)}`,
		});
		return el(
			"li",
			{ class: isDoubtful ? "doubtful" : null },
			el("span", { class: "glyph" }, item.character),
			meter,
			el("span", { class: "quiet" }, percent(item.confidence)),
			others.length
				? el(
					"span",
					{ class: "others" },
					others.map((other) => (onChoose
						? el("button", {
							class: "small",
							title: percent(other.confidence),
							onclick: () => onChoose(index, other.character),
						}, `${other.character}?`)
						: el("span", { title: percent(other.confidence) }, `${other.character}?`))
					),
				)
				: null,
		);
	});
	return el("ol", { class: "characters", "aria-label": t("detail.characters", { serial: read.serial }) }, cells);
}

/** Returns a doubt's sentence: the page's own if there is one for its code. */
export function doubtOf({ code, sentence }) {
	const places = [...sentence.matchAll(/character (\d+) as (\w)/g)].map(([, place, character]) =>
		t("doubt.place", { place, character })
	);
	if (code === "second_model" && places.length > 0) return t("doubt.second_model_at", { places: places.join(", ") });
	return worded(`doubt.${code}`, sentence);
}

const named = (prefix) =>
	Object.keys(english).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));

/** Returns a note of a result in the page's language. The English texts are the server's, so they also find the values. */
export function noteOf(sentence) {
	for (const name of named("note.")) {
		const parts = english[`note.${name}`].split(/\{(\w+)\}/);
		const names = parts.filter((_, index) => index % 2);
		const found = sentence.match(
			new RegExp(`^${parts.map((part, index) => (index % 2 ? "(.*?)" : part.replace(/\W/g, "\\$&"))).join("")}$`),
		);
		if (!found) continue;
		const values = Object.fromEntries(names.map((value, index) => [value, found[index + 1]]));
		const place = named("place.").find((one) => ` ${english[`place.${one}`]}` === values.place);
		return t(`note.${name}`, place ? { ...values, place: ` ${t(`place.${place}`)}` } : values);
	}
	return sentence;
}

/**
 * Returns a strategy's name in the page's language. Strategies run again where small print stands, or on the photo with its
 * noise smoothed or its shadows removed.
 */
export function strategyOf(name) {
	const changed = /^(.+)-(closer|smoothed|evened)$/.exec(name);
	if (changed) return t(`strategy.${changed[2]}`, { name: strategyOf(changed[1]) });
	return worded(`strategy.${name}`, name);
}

/** Creates the list of reasons that lower a read's confidence. */
export function doubts(read) {
	if (!read.doubts?.length) return null;
	return el("ul", { class: "doubts" }, read.doubts.map((doubt) => el("li", {}, doubtOf(doubt))));
}

const kinds = [
	"model_number",
	"emc",
	"part_number",
	"model_identifier",
	"imei",
	"imei2",
	"meid",
	"eid",
	"iccid",
	"wifi_address",
	"bluetooth_address",
	"upc",
	"capacity",
	"color",
	"os_version",
];

/** Creates a table of the fields beside a serial and of the serial's meaning; null if there are none. */
export function fields(read, results) {
	const found = { ...(read ? read.fields : results?.fields) };
	const meaning = read?.meaning;
	const row = (name, ...value) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, ...value));
	const rows = kinds.filter((kind) => found[kind]).map((kind) => {
		const { text, confidence, check } = found[kind];
		return row(
			t(`field.${kind}`),
			el("code", {}, text),
			" ",
			el(
				"span",
				{ class: "quiet" },
				[percent(confidence), check === null ? "" : t(check ? "field.checked" : "field.unchecked")].filter(Boolean)
					.join(" · "),
			),
		);
	});
	if (meaning?.model_name) rows.unshift(row(t("field.model_name"), meaning.model_name));
	if (meaning?.week) {
		rows.push(
			row(t("field.made"), t("field.week", { years: meaning.years.join(" / "), week: meaning.week })),
			row(t("field.plant"), el("code", {}, meaning.plant)),
			row(t("field.configuration_code"), el("code", {}, meaning.configuration_code)),
		);
	}
	if (rows.length === 0) return null;
	return section(
		t("device"),
		scrollable(t("device"), el("table", {}, el("tbody", {}, rows))),
	);
}

/** Steps that check a serial instead of reading one. */
const checks = ["second-opinion", "maker", "text-around"];

/** Creates a table of the strategies that ran, with their times and the serials they read. */
export function trace(results) {
	const seconds = (step) => t("seconds", { n: number(step.seconds, 2) });
	const longest = Math.max(...results.trace.map((step) => step.seconds), 0.001);
	const result = ({ strategy, serial }) => {
		if (!serial) return el("span", { class: "quiet" }, t("detail.none"));
		return checks.includes(strategy) ? t("detail.checked", { serial }) : el("code", {}, serial);
	};
	return scrollable(
		t("detail.trace"),
		el(
			"table",
			{},
			tableHead(t("detail.strategy"), t("detail.time"), t("detail.result")),
			el(
				"tbody",
				{},
				results.trace.map((step) =>
					el(
						"tr",
						{},
						el("th", { scope: "row", title: step.strategy }, strategyOf(step.strategy)),
						el(
							"td",
							{ class: "number" },
							seconds(step),
							el("progress", {
								max: longest,
								value: step.seconds,
								"aria-label": `${strategyOf(step.strategy)}: ${seconds(step)}`,
							}),
						),
						el("td", {}, result(step)),
					)
				),
			),
		),
	);
}
