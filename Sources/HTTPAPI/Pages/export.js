// The dialog for exporting a list: the kind of rows, the format, and the columns or a template. The choices are
// remembered.
import { api } from "./api.js";
import { cancelButton, download, el, openDialog, remembered, set, toast } from "./dom.js";
import { asParameters } from "./filters.js";
import { number, t } from "./strings.js";

/** The filters of a list of reads. */
const ofReads = ["search", "batch", "device_type", "source", "validation_status", "date_from", "date_to"];

/** Opens the dialog for a list filtered by `wanted`, which shows `total` rows of the kind `rows` (`devices`, `reads`). */
export async function openExport({ rows, wanted, total, name = "" }) {
	const config = await api.config();
	if (!config) {
		toast(t("unreachable"), "bad");
		return;
	}
	const [columns, templates] = [config.export_columns ?? [], config.export_templates ?? []];
	const state = { format: "xlsx", template: "", ...remembered.get("export", {}), rows };
	if (state.template && !templates.some((one) => one.name === state.template)) state.template = "";
	// New columns are added at the end, unchosen.
	const known = (state.columns ?? []).filter(({ name }) => columns.some((one) => one.name === name));
	state.columns = [
		...known,
		...columns.filter(({ name }) => !known.some((one) => one.name === name)).map(({ name }) => ({
			name,
			isChosen: known.length === 0,
		})),
	];
	const isOfDevices = rows === "devices";
	// Some columns exist only for devices.
	const rowsOf = new Map(columns.map((one) => [one.name, one.rows]));
	const applies = ({ name }) => rowsOf.get(name)?.includes(state.rows) ?? true;
	const labels = new Map(columns.map((one) => [one.name, one.label]));

	const what = el("p", { class: "quiet" });
	const list = el("ol", { class: "columnList", "aria-label": t("export.columns") });
	const own = el(
		"fieldset",
		{ class: "plainSet stack" },
		el("legend", {}, t("export.columns")),
		el("p", { class: "quiet" }, t("export.order")),
		list,
		el(
			"div",
			{ class: "row" },
			el("button", { class: "small", onclick: () => chooseAll(true) }, t("export.all")),
			el("button", { class: "small", onclick: () => chooseAll(false) }, t("export.none")),
		),
	);
	const explained = el("p", { class: "quiet" });
	const layout = el(
		"select",
		{
			onchange: () => {
				state.template = layout.value;
				tell();
			},
		},
		el("option", { value: "" }, t("export.own")),
		templates.length
			? el(
				"optgroup",
				{ label: t("export.templates") },
				templates.map((one) => el("option", { value: one.name }, one.name)),
			)
			: null,
	);
	layout.value = state.template;
	const save = el("button", { type: "submit", class: "primary" }, t("export.save"));
	const problem = el("p", { class: "bad", role: "alert" });
	const dialog = el(
		"dialog",
		{ class: "tall", "aria-labelledby": "exportTitle", onclose: () => dialog.remove() },
		el(
			"form",
			{ class: "stack", onsubmit: send },
			el("h2", { id: "exportTitle" }, t("export.button")),
			what,
			radios("rows", t("export.rows"), [["devices", t("nav.devices")], ["reads", t("devices.reads")]]),
			radios("format", t("export.format"), [["xlsx", "Excel (XLSX)"], ["csv", "CSV"]]),
			el("label", {}, t("export.layout"), layout),
			explained,
			columns.length ? own : null,
			problem,
			el("div", { class: "row end" }, cancelButton(), save),
		),
	);

	function radios(field, title, pairs) {
		return el(
			"fieldset",
			{ class: "plainSet choices" },
			el("legend", {}, title),
			el(
				"div",
				{ class: "row" },
				pairs.map(([value, label]) =>
					el(
						"label",
						{},
						el("input", {
							type: "radio",
							name: field,
							value,
							checked: state[field] === value,
							onchange: () => {
								state[field] = value;
								draw();
								tell();
							},
						}),
						` ${label}`,
					)
				),
			),
		);
	}

	function tell() {
		own.hidden = state.template !== "";
		explained.textContent = templates.find((one) => one.name === state.template)?.description ?? "";
		explained.hidden = explained.textContent === "";
		const isFiltered = Object.values(wanted).some(Boolean);
		what.textContent = state.rows === rows
			? t(isOfDevices ? "export.ofDevices" : "export.ofReads", { n: total })
			: t(isFiltered ? "export.filtered" : "export.everything");
		save.disabled = state.template === "" && columns.length > 0 &&
			!state.columns.some((one) => one.isChosen && applies(one));
	}

	/** Returns the index of the next column that is shown, up or down; -1 if there is none. */
	function next(index, step) {
		let at = index + step;
		while (state.columns[at] && !applies(state.columns[at])) at += step;
		return state.columns[at] ? at : -1;
	}

	function draw(focused = null) {
		list.replaceChildren(...state.columns.map((column, index) => {
			const label = labels.get(column.name);
			const box = el("input", {
				type: "checkbox",
				checked: column.isChosen,
				onchange: () => {
					column.isChosen = box.checked;
					tell();
				},
			});
			const mover = (step, sign, text) =>
				el("button", {
					class: "small plain",
					disabled: next(index, step) < 0,
					"aria-label": text,
					onclick: () => move(index, next(index, step), step),
				}, sign);
			const item = el(
				"li",
				{
					"data-name": column.name,
					hidden: !applies(column),
					draggable: "true",
					ondragstart: (event) => {
						dragged = index;
						event.dataTransfer.effectAllowed = "move";
					},
					ondragover: (event) => {
						if (dragged !== null) event.preventDefault();
					},
					ondrop: (event) => {
						event.preventDefault();
						if (dragged !== null) move(dragged, index, 0);
						dragged = null;
					},
					ondragend: () => {
						dragged = null;
					},
					onkeydown: (event) => {
						const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
						if (!step || !event.altKey || next(index, step) < 0) return;
						event.preventDefault();
						move(index, next(index, step), 0);
					},
				},
				el("label", {}, box, el("span", { class: "name", dir: "auto" }, label)),
				mover(-1, "↑", t("export.up", { name: label })),
				mover(1, "↓", t("export.down", { name: label })),
			);
			return item;
		}));
		if (focused === null) return;
		const [place, step] = focused;
		const [input, up, down] = list.children[place].querySelectorAll("input, button");
		const target = step === 0 ? input : step < 0 ? up : down;
		(target.disabled ? input : target).focus();
	}

	let dragged = null;
	function move(from, to, step) {
		state.columns.splice(to, 0, ...state.columns.splice(from, 1));
		draw([to, step]);
	}
	function chooseAll(isChosen) {
		for (const column of state.columns) column.isChosen = isChosen;
		draw();
		tell();
	}

	async function send(event) {
		event.preventDefault();
		remembered.set("export", { format: state.format, template: state.template, columns: state.columns });
		const usable = state.rows === "devices"
			? wanted
			: Object.fromEntries(Object.entries(wanted).filter(([one]) => ofReads.includes(one)));
		const parameters = asParameters(usable);
		set(save, { disabled: true });
		problem.textContent = "";
		save.textContent = t("history.preparing");
		try {
			parameters.set("rows", state.rows);
			parameters.set("format", state.format);
			if (state.template) parameters.set("template", state.template);
			else if (columns.length) {
				parameters.set(
					"columns",
					state.columns.filter((one) => one.isChosen && applies(one)).map((one) => one.name).join(),
				);
			}
			// In locales with a decimal comma, spreadsheets expect semicolons; programs that import templates expect commas.
			if (state.format === "csv" && !state.template && number(0.5).includes(",")) parameters.set("separator", ";");
			const file = await api.blob(`/export?${parameters}`);
			const kind =
				(name || (state.rows === "devices" ? "devices" : "serials")).replace(/[^\p{L}\p{N}]+/gu, "-").replace(
					/^-|-$/g,
					"",
				) || "devices";
			download(file, `${kind}-${new Date().toLocaleDateString("sv")}.${state.format}`);
			dialog.close();
		} catch (error) {
			problem.textContent = error.message;
		} finally {
			save.textContent = t("export.save");
			tell();
		}
	}

	draw();
	tell();
	openDialog(dialog);
}
