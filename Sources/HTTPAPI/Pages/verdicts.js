// Results over time, as a bar chart and as a table.
import { stackedBars } from "./chart.js";
import { el, scrollable, tableHead } from "./dom.js";
import { number, t, when } from "./strings.js";

const verdicts = [["accepted", "fillGood"], ["uncertain", "fillDoubt"], ["refused", "fillBad"]];
const [hour, day] = [3_600_000, 86_400_000];

/** Creates two cards, of the latest hours and days; `update` takes the response of `/stats`. */
export function verdictCards(days) {
	const hours = card(t("results.hours"), t("results.hour"));
	const byDay = card(t("results.days", { n: days }), t("results.day"));
	return {
		nodes: [hours.node, byDay.node],
		update(stats) {
			hours.show(latestHours().map(([name, label]) => bar(label, stats.verdicts_by_hour[name])));
			byDay.show(latestDays(days).map(([name, label]) => bar(label, stats.verdicts_by_day[name])));
		},
	};
}

/** Returns the latest days in UTC, oldest first, each with its key in `/stats` and its label. */
export const latestDays = (count) =>
	latest(count, day).map((
		time,
	) => [new Date(time).toISOString().slice(0, 10), when(time, { month: "short", day: "numeric", timeZone: "UTC" })]);

const latestHours = () =>
	latest(24, hour).map((time) => [`${new Date(time).toISOString().slice(0, 19)}Z`, when(time, { hour: "numeric" })]);

function latest(count, unit) {
	const now = Math.floor(Date.now() / unit) * unit;
	return Array.from({ length: count }, (_, index) => now - (count - 1 - index) * unit);
}

// `/stats` omits hours and days without results; show them as gaps.
const bar = (label, counts) => ({ label, values: verdicts.map(([name]) => counts?.[name] ?? 0) });

function card(title, unit) {
	const body = el("div", { class: "stack" });
	const rows = el("tbody");
	const table = el(
		"details",
		{},
		el("summary", {}, t("results.table")),
		scrollable(
			title,
			el(
				"table",
				{},
				tableHead(unit, ...verdicts.map(([name]) => t(`verdict.${name}`))),
				rows,
			),
		),
	);
	const node = el("section", { class: "card stack", hidden: true }, el("h2", {}, title), body, table);
	let shown = "";
	function show(bars) {
		const state = JSON.stringify(bars);
		if (state === shown) return;
		shown = state;
		node.hidden = false;
		const sums = verdicts.map((_, index) => bars.reduce((sum, bar) => sum + bar.values[index], 0));
		const some = bars.filter((bar) => bar.values.some((value) => value > 0));
		table.hidden = some.length === 0;
		if (some.length === 0) {
			body.replaceChildren(el("p", { class: "quiet" }, t("results.none")));
			return;
		}
		body.replaceChildren(
			stackedBars(
				`${title}: ${verdicts.map(([name], index) => t(`tally.${name}`, { n: sums[index] })).join(", ")}`,
				bars.map((bar) => ({ label: bar.label, parts: bar.values.map((value, index) => [value, verdicts[index][1]]) })),
			),
			el(
				"ul",
				{ class: "legend" },
				verdicts.map(([name, colour], index) =>
					el("li", {}, el("span", { class: `swatch ${colour}` }), t(`tally.${name}`, { n: sums[index] }))
				),
			),
		);
		rows.replaceChildren(
			...some.reverse().map((bar) =>
				el(
					"tr",
					{},
					el("th", { scope: "row" }, bar.label),
					bar.values.map((value) => el("td", { class: "number" }, number(value))),
				)
			),
		);
	}
	return { node, show };
}
