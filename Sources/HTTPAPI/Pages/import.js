// The dialog for importing device values from a table. A dry run first shows the changes, and the errors by line.
import { api, ApiError, plain, quoted } from "./api.js";
import { cancelButton, download, el, openDialog, tableHead, toast } from "./dom.js";
import { isReadable } from "./sending.js";
import { t } from "./strings.js";

/** Opens the dialog. `custom` are the server's custom fields; `done` is called after an import. */
export function openImport({ custom, done }) {
	const columns = ["serial", ...custom.map((one) => one.name)];
	let file = null;
	let turn = 0;
	const outcome = el("div", { class: "stack", "aria-live": "polite" });
	const go = el("button", { type: "submit", class: "primary", disabled: true }, t("import.button"));
	const chosen = el("span", { class: "name", dir: "auto" });
	const input = el("input", {
		type: "file",
		id: "importFile",
		class: "away",
		accept: ".csv,.tsv,.txt,text/csv,text/plain",
		onchange: () => {
			if (input.files[0]) take(input.files[0], input.files[0].name);
			input.value = "";
		},
	});
	let timer;
	const area = el("textarea", {
		rows: 4,
		spellcheck: "false",
		placeholder: columns.slice(0, 3).join(","),
		oninput: () => {
			clearTimeout(timer);
			timer = setTimeout(() => {
				if (area.value.trim()) take(new Blob([area.value], { type: "text/csv" }), "");
				else forget();
			}, 400);
		},
	});
	const drop = el(
		"div",
		{
			class: "drop small",
			ondragover: (event) => {
				event.preventDefault();
				drop.classList.add("over");
			},
			ondragleave: () => drop.classList.remove("over"),
			ondrop: (event) => {
				event.preventDefault();
				event.stopPropagation();
				drop.classList.remove("over");
				const [dropped] = event.dataTransfer.files;
				if (dropped) take(dropped, dropped.name);
			},
		},
		el(
			"div",
			{ class: "row center" },
			el("label", { class: "button", for: "importFile" }, t("import.choose")),
			input,
			chosen,
		),
	);
	const dialog = el(
		"dialog",
		{
			class: "tall",
			"aria-labelledby": "importTitle",
			onclose: () => {
				turn += 1;
				dialog.remove();
			},
		},
		el(
			"form",
			{ class: "stack", onsubmit: send },
			el("h2", { id: "importTitle" }, t("import.title")),
			el(
				"p",
				{},
				t("import.intro"),
				" ",
				el("code", {}, columns.join(", ")),
			),
			el("div", {}, el("button", { class: "small", onclick: sample }, t("import.sample"))),
			drop,
			el("label", {}, t("import.paste"), area),
			outcome,
			el("div", { class: "row end" }, cancelButton(), go),
		),
	);

	function sample() {
		download(
			new Blob([`\u{FEFF}${columns.join(",")}\r\n`], { type: "text/csv" }),
			"devices.csv",
		);
	}

	function forget() {
		turn += 1;
		file = null;
		chosen.textContent = "";
		outcome.replaceChildren();
		go.disabled = true;
	}

	async function ask(isTrial) {
		const table = file;
		if (!await isReadable(table)) throw new Error(t("upload.unreadable"));
		const response = await api.request(`/devices/import${isTrial ? "?dry_run=true" : ""}`, {
			method: "POST",
			headers: { "Content-Type": "text/csv" },
			body: table,
		});
		return response.json();
	}

	/** Imports a table as a dry run. */
	async function take(table, name) {
		const mine = ++turn;
		file = table;
		chosen.textContent = plain(name);
		if (name) area.value = "";
		go.disabled = true;
		outcome.replaceChildren(el("p", { class: "quiet" }, t("import.checking")));
		try {
			const answer = await ask(true);
			if (mine !== turn) return;
			const changes = answer.created + answer.changed;
			go.disabled = changes === 0;
			outcome.replaceChildren(
				el(
					"p",
					{ class: changes ? "note good" : "note" },
					t(changes ? "import.ready" : "import.nothing", { n: answer.total }),
				),
				el(
					"ul",
					{ class: "importCounts" },
					["created", "changed", "unchanged"].map((kind) => el("li", {}, t(`import.${kind}`, { n: answer[kind] }))),
				),
			);
		} catch (error) {
			if (mine === turn) outcome.replaceChildren(...failure(error));
		}
	}

	function failure(error) {
		const lines = error instanceof ApiError ? error.body.lines ?? [] : [];
		const more = error.body?.more_lines ?? error.body?.more ?? 0;
		return [
			el(
				"p",
				{ class: "bad", role: "alert" },
				lines.length ? t("import.invalid", { n: lines.length + more }) : error.message,
			),
			lines.length
				? el(
					"div",
					{ class: "scroll importLines", tabindex: 0, role: "group", "aria-label": t("import.lines") },
					el(
						"table",
						{},
						tableHead(t("import.line"), t("import.problem")),
						el(
							"tbody",
							{},
							lines.map(({ line, detail }) =>
								el(
									"tr",
									{},
									el("th", { scope: "row", class: "number" }, line),
									el("td", { class: "breaks", dir: "auto" }, quoted(detail)),
								)
							),
						),
					),
				)
				: null,
			more ? el("p", { class: "quiet" }, t("import.more", { n: more })) : null,
		].filter(Boolean);
	}

	async function send(event) {
		event.preventDefault();
		if (go.disabled) return;
		go.disabled = true;
		try {
			const answer = await ask(false);
			dialog.close();
			toast(t("import.done", { n: answer.created + answer.changed }), "good");
			done();
		} catch (error) {
			// A device may have changed since the dry run.
			outcome.replaceChildren(...failure(error));
		}
	}

	openDialog(dialog);
}
