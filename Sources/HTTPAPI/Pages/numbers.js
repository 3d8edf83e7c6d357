// Statistics of the server: queue, throughput, stages of a photo, results and workers.
import { api, at } from "./api.js";
import { stackedBars } from "./chart.js";
import { card, el } from "./dom.js";
import { strategyOf } from "./reads.js";
import { duration, number, t } from "./strings.js";
import { latestDays, verdictCards } from "./verdicts.js";

const stages = ["queue", "reading", "store"];
const shownDays = 14;

export async function view(main) {
	const figures = el("div", { class: "figures" });
	const charts = el("div", { class: "charts" });
	const fault = el("p", { class: "bad", role: "status" });
	const overTime = verdictCards(shownDays);
	main.append(el("h1", {}, t("nav.numbers")), fault, figures, el("div", { class: "charts" }, overTime.nodes), charts);
	const pace = [];
	let timer;
	let isLeft = false;

	async function update() {
		// Hidden tabs ask for nothing: many stay open all day.
		if (!document.hidden) await look();
		if (!isLeft) timer = setTimeout(update, 3000);
	}

	async function look() {
		try {
			const [queue, health, stats, text] = await Promise.all([
				api.get("/queue/status"),
				fetch(at("/health")).then((response) => response.json()),
				api.get(`/stats?days=${shownDays}`),
				api.request("/metrics").then((response) => response.text()),
			]);
			if (isLeft) return;
			fault.textContent = health.status === "healthy"
				? ""
				: t("numbers.problem", { database: health.database, photos: health.photos });
			const metrics = parse(text);
			note(queue);
			figures.replaceChildren(...tiles(queue, health, stats));
			overTime.update(stats);
			charts.replaceChildren(...pictures(metrics, stats, queue.machines ?? []));
		} catch (error) {
			fault.textContent = error.message;
		}
	}

	// Photos per minute over the last minute that this view was open.
	function note(queue) {
		const now = performance.now();
		pace.push({ now, ended: queue.completed + queue.failed });
		while (pace.length > 2 && now - pace[0].now > 60_000) pace.shift();
	}

	function perMinute(queue) {
		const [first, last] = [pace[0], pace.at(-1)];
		if (last.now - first.now < 2000) {
			return queue.seconds_per_photo ? Math.round(60 / queue.seconds_per_photo * queue.workers) : "—";
		}
		return Math.round(60_000 * Math.max(0, last.ended - first.ended) / (last.now - first.now));
	}

	function tiles(queue, health, stats) {
		const tile = (value, title, more = "") =>
			el(
				"div",
				{ class: "figure" },
				el("b", {}, typeof value === "number" ? number(value) : String(value)),
				title,
				more ? el("div", { class: "quiet" }, more) : null,
			);
		return [
			tile(
				queue.queued,
				t("numbers.waiting"),
				queue.oldest_waiting_seconds
					? t("numbers.longest", { n: Math.round(queue.oldest_waiting_seconds) })
					: estimate(queue),
			),
			tile(queue.processing, t("numbers.processing")),
			tile(perMinute(queue), t(pace.length > 1 ? "numbers.perMinute" : "numbers.perMinuteMost")),
			tile(queue.seconds_per_photo ? number(queue.seconds_per_photo, 2) : "—", t("numbers.perPhoto")),
			tile(t("outOf", { some: health.workers.running, all: health.workers.configured }), t("numbers.workers")),
			tile(stats.total_serials, t("numbers.saved"), t("numbers.valid", { n: stats.valid_serials })),
			tile(stats.known_codes, t("numbers.codes"), t("numbers.codesLearnt")),
		];
	}

	function pictures(metrics, stats, machines) {
		const days = latestDays(shownDays).map(([name, label]) => ({
			label,
			parts: [[stats.by_day[name] ?? 0, "fillAccent"]],
		}));
		const saved = days.filter((day) => day.parts[0][0] > 0);
		return [
			card(
				t("numbers.perDay"),
				saved.length === 0
					? el("p", { class: "quiet" }, t("numbers.noneSaved", { n: shownDays }))
					: stackedBars(saved.map((day) => `${day.label}: ${day.parts[0][0]}`).join(", "), days),
			),
			card(
				t("numbers.byStage"),
				el(
					"table",
					{},
					el(
						"tbody",
						{},
						stages.map((stage) => {
							const count = sum(metrics, "serialscan_stage_seconds_count", { stage });
							const seconds = sum(metrics, "serialscan_stage_seconds_sum", { stage });
							return el(
								"tr",
								{},
								el("th", { scope: "row" }, t(`stage.${stage}`)),
								el("td", { class: "number" }, count ? t("seconds", { n: number(seconds / count, 3) }) : "—"),
							);
						}),
					),
				),
			),
			card(t("numbers.machines"), el("table", {}, el("tbody", {}, machines.map(machineRow)))),
			card(t("numbers.strategies"), strategies(metrics)),
		];
	}

	await update();
	return {
		leave() {
			isLeft = true;
			clearTimeout(timer);
		},
	};
}

/** Translates the estimated wait, which the server returns in English (`2 minutes`). */
function estimate(queue) {
	const [, count, unit] = queue.estimated_wait_time.match(/^(\d+) (second|minute|hour)s?$/) ?? [];
	return t("numbers.estimate", { time: unit ? duration(Number(count), unit) : queue.estimated_wait_time });
}

function machineRow(machine) {
	const silence = Math.round(machine.seconds_since_beat);
	return el(
		"tr",
		{},
		el(
			"th",
			{ scope: "row" },
			machine.name,
			machine.version ? el("span", { class: "quiet" }, ` ${machine.version}`) : null,
		),
		el("td", { class: "number" }, t("numbers.busy", { some: machine.reading, all: machine.workers ?? "?" })),
		el("td", { class: "number" }, silence > 3 ? t("numbers.silent", { n: silence }) : ""),
	);
}

function strategies(metrics) {
	const names = [
		...new Set(
			metrics.filter((line) => line.name === "serialscan_strategy_seconds_count").map((line) => line.labels.strategy),
		),
	];
	if (names.length === 0) return el("p", { class: "quiet" }, t("numbers.noStrategies"));
	return el(
		"table",
		{},
		el(
			"tbody",
			{},
			names.map((strategy) => {
				const count = sum(metrics, "serialscan_strategy_seconds_count", { strategy });
				return el(
					"tr",
					{},
					el("th", { scope: "row", title: strategy }, strategyOf(strategy)),
					el("td", { class: "number" }, t("numbers.times", { n: count })),
					el(
						"td",
						{ class: "number" },
						t("seconds", { n: number(sum(metrics, "serialscan_strategy_seconds_sum", { strategy }) / count, 3) }),
					),
				);
			}),
		),
	);
}

/** Parses Prometheus's text format. */
function parse(text) {
	return text.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => {
		const [, name, labels = "", value] = line.match(/^(\w+)(?:\{(.*)\})? (\S+)/) ?? [];
		return {
			name,
			labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, label]) => [key, label])),
			value: Number(value),
		};
	});
}

function sum(metrics, name, labels) {
	return metrics.filter((line) =>
		line.name === name && Object.entries(labels).every(([key, value]) => line.labels[key] === value)
	)
		.reduce((total, line) => total + line.value, 0);
}
