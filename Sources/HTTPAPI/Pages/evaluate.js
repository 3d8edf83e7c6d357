// Evaluation: reads a labelled folder and shows what is correct, wrong, missed or failed.
import { api, pause, quoted } from "./api.js";
import { reliability } from "./chart.js";
import { card, el, remembered, scrollable, tableHead, toast } from "./dom.js";
import { number, percent, pieces, share, t, worded } from "./strings.js";

const colours = { right: "good", misread: "bad", silent: "quiet", rightly_silent: "good", unreadable: "bad" };

export async function view(main) {
	const input = el("input", {
		id: "dataset",
		list: "datasets",
		value: remembered.get("dataset", ""),
		required: true,
		placeholder: t("evaluate.datasetHint"),
		autocomplete: "off",
	});
	const known = el("datalist", { id: "datasets" });
	const preset = el(
		"select",
		{},
		[["", t("preset.auto")], ...["etched", "screen", "sticker"].map((name) => [name, t(`preset.${name}`)])].map(
			([value, title]) => el("option", { value }, title),
		),
	);
	const button = el("button", { type: "submit", class: "primary" }, t("evaluate.start"));
	const result = el("div", { class: "stack" });
	main.append(
		el("h1", {}, t("nav.evaluate")),
		el(
			"p",
			{ class: "quiet" },
			pieces("evaluate.intro", {
				labels: el("code", {}, "labels.csv"),
				download: t("check.download"),
				review: t("nav.check"),
			}),
		),
		el(
			"form",
			{ class: "row options", onsubmit: start },
			el("label", { for: "dataset" }, t("evaluate.dataset")),
			input,
			known,
			el("label", {}, t("scan.surface"), " ", preset),
			button,
		),
		result,
	);
	let isLeft = false;
	api.get("/datasets").then(({ items, problem }) => {
		if (problem) result.replaceChildren(el("p", { class: "quiet" }, problemOf(problem)));
		known.append(
			...items.map((item) => el("option", { value: item.name }, t("evaluate.images", { n: item.pictures }))),
		);
		if (!input.value && items[0]) input.value = items[0].name;
	}).catch(() => {/* the name can be typed */});

	async function start(event) {
		event.preventDefault();
		remembered.set("dataset", input.value);
		button.disabled = true;
		try {
			const query = new URLSearchParams({
				dir: input.value,
				async: "true",
				...(preset.value ? { preset: preset.value } : {}),
			});
			const { job_id: task } = await api.send("POST", `/evaluate?${query}`);
			await watch(task, input.value);
		} catch (error) {
			toast(error.message, "bad");
			result.replaceChildren(el("p", { class: "bad" }, error.message));
		} finally {
			button.disabled = false;
		}
	}

	async function watch(id, dataset) {
		const bar = el("progress", { max: 100, value: 0, "aria-label": t("evaluate.progress") });
		const message = el("p", { role: "status" });
		result.replaceChildren(message, bar);
		while (!isLeft) {
			const task = await api.get(`/tasks/${id}`);
			bar.value = task.progress;
			message.textContent = t("evaluate.reading", { percent: share(task.progress / 100) });
			if (task.status === "failed") throw new Error(task.error ? quoted(task.error) : t("evaluate.failed"));
			if (task.status === "completed") {
				show(task.result, dataset);
				return;
			}
			await pause(0.5);
		}
	}

	function show(evaluation, dataset) {
		const rows = evaluation.rows;
		const count = (some, outcome) => some.filter((row) => row.outcome === outcome).length;
		const tile = (name, title, kind = "") =>
			el(
				"div",
				{ class: "figure" },
				el(
					"b",
					{ class: kind },
					evaluation[name] === null || evaluation[name] === undefined
						? "—"
						: name.includes("_pct")
						? share(evaluation[name] / 100, 1)
						: number(evaluation[name]),
				),
				title,
			);
		const presets = [...new Set(rows.map((row) => row.preset ?? "none"))].sort();
		const failures = rows.filter((row) => !["right", "rightly_silent"].includes(row.outcome));
		result.replaceChildren(
			el(
				"div",
				{ class: "figures" },
				tile("total", t("evaluate.total")),
				tile("hits", t("outcome.right"), "good"),
				tile("misreads", t("outcome.misread"), evaluation.misreads ? "bad" : ""),
				tile("silent", t("outcome.silent")),
				tile("rightly_silent", t("outcome.rightly_silent")),
				evaluation.unreadable ? tile("unreadable", t("outcome.unreadable"), "bad") : null,
				tile("accuracy_pct_on_detected", t("evaluate.answered")),
				tile("accuracy_pct_overall", t("evaluate.overall")),
			),
			el(
				"div",
				{ class: "charts" },
				card(
					t("evaluate.byPreset"),
					scrollable(
						t("evaluate.byPreset"),
						el(
							"table",
							{ class: "outcomes" },
							tableHead(
								t("scan.surface"),
								...["right", "misread", "silent", "rightly_silent"].map((name) => t(`outcome.${name}`)),
							),
							el(
								"tbody",
								{},
								presets.map((name) => {
									const some = rows.filter((row) => (row.preset ?? "none") === name);
									return el(
										"tr",
										{},
										el("th", { scope: "row" }, worded(`preset.${name}`, t("evaluate.none"))),
										["right", "misread", "silent", "rightly_silent"].map((outcome) =>
											el("td", { class: "number" }, number(count(some, outcome)))
										),
									);
								}),
							),
						),
					),
				),
				card(
					t("evaluate.calibration"),
					reliability(bins(rows)),
					el("p", { class: "quiet" }, t("evaluate.calibrationHint")),
				),
			),
			el("h2", {}, failures.length ? t("evaluate.failures", { n: failures.length }) : t("evaluate.noFailures")),
			el("div", { class: "failures" }, failures.slice(0, 200).map((row) => failure(row, dataset))),
		);
	}

	return {
		leave() {
			isLeft = true;
		},
	};
}

/** Returns the server's reason why there are no datasets, in the page's language if it is the usual one. */
function problemOf(text) {
	const [, path] = text.match(/^The datasets folder (.+) does not exist\./) ?? [];
	return path ? t("evaluate.noFolder", { path }) : quoted(text);
}

function bins(rows) {
	return Array.from({ length: 10 }, (_, index) => {
		const [from, to] = [index / 10, (index + 1) / 10];
		const some = rows.filter((row) => row.predicted && row.confidence >= from && (row.confidence < to || index === 9));
		const mean = some.reduce((sum, row) => sum + row.confidence, 0) / (some.length || 1);
		return { from, to, count: some.length, right: some.filter((row) => row.is_hit).length, mean };
	});
}

function failure(row, dataset) {
	const image = el("img", { alt: t("evaluate.image", { name: row.filename }), loading: "lazy" });
	api.blob(`/datasets/picture?${new URLSearchParams({ dir: dataset, filename: row.filename })}`)
		.then((blob) => {
			image.src = URL.createObjectURL(blob);
			image.onload = () => URL.revokeObjectURL(image.src);
		})
		.catch(() => image.remove());
	return el(
		"article",
		{ class: "card stack" },
		image,
		el("strong", { class: "name" }, row.filename),
		el(
			"p",
			{ class: colours[row.outcome] ?? "bad" },
			row.error ? quoted(row.error) : worded(`outcome.${row.outcome}`, row.outcome),
		),
		el(
			"p",
			{},
			row.expected ? pieces("evaluate.expected", { serial: el("code", {}, row.expected) }) : t("evaluate.expectedNone"),
		),
		row.predicted
			? el(
				"p",
				{},
				pieces("evaluate.readAs", { serial: el("code", {}, row.predicted), confidence: percent(row.confidence) }),
			)
			: null,
	);
}
