// One photo: the reads, their positions, and the reasons for their verdicts.
import { api, isPassing, pause, reason } from "./api.js";
import { backLink, copy, download, el, jobBadge, placeOf, refill, section } from "./dom.js";
import { followingEditor } from "./editor.js";
import { follow } from "./hearing.js";
import { enlarged, load, marked } from "./photo.js";
import { characters, doubtOf, doubts, fields, methodOf, noteOf, trace } from "./reads.js";
import { removeJobs } from "./results.js";
import { number, percent, t, when, worded } from "./strings.js";
import { titleOf } from "./thumbnail.js";

export async function view(main, { rest: [id] }) {
	const heading = el("h1", {}, t("photo"));
	const problem = el("p", { class: "bad", role: "alert" });
	const body = el("div", { class: "stack" }, el("p", { class: "quiet" }, t("loading")));
	main.append(backLink("#/scan"), heading, problem, body);
	let isLeft = false;
	let known = "";
	const card = el("div", { class: "card stack" });
	let form = null;

	/** Loads the photo's result, and shows what others decided meanwhile. Input and the focus stay. */
	async function load(isSaved = false) {
		const job = await api.result(id, known ? 0 : 20);
		if (isLeft) return;
		problem.textContent = "";
		if (JSON.stringify(job) === known && !isSaved) return;
		heading.textContent = titleOf(job.filename, job.created_at);
		if (job.status === "queued" || job.status === "processing") {
			body.replaceChildren(
				el("p", {}, t(job.status === "queued" ? "upload.queued" : "upload.reading")),
				el("progress", { max: 100, value: job.progress, "aria-label": t("detail.progress") }),
			);
			again();
			return;
		}
		refill(card, summary(job));
		// Other people's photos are only shown.
		form ??= job.can_change ? followingEditor(() => again(true)) : null;
		form?.show(job, isSaved);
		if (!known) {
			body.replaceChildren(
				card,
				...facts(job, form?.node),
				...(form
					? [el(
						"div",
						{},
						el("button", { class: "danger", onclick: () => remove(job) }, t("sheet.delete")),
					)]
					: []),
			);
			picture(job, body.querySelector(".pictures"));
		}
		known = JSON.stringify(job);
	}

	/** Loads it again. Without a connection, tries until there is one. */
	async function again(isSaved = false) {
		try {
			await load(isSaved);
		} catch (error) {
			if (isPassing(error)) await pause(3);
			if (isLeft) return;
			if (isPassing(error)) {
				again(isSaved);
				return;
			}
			problem.textContent = error.message;
			if (!known) body.replaceChildren();
		}
	}

	const stop = follow(null, () => {
		if (known) again();
	}, (job) => job.job_id === id);
	await load().catch((error) => {
		stop();
		throw error;
	});
	return {
		leave() {
			isLeft = true;
			stop();
		},
	};
}

/** Deletes a photo with its result; its saved serial is kept. */
function remove(job) {
	const here = location.hash;
	removeJobs([job.job_id], t("detail.deleted"), () => {
		location.hash = here;
	});
	if (history.length > 1) history.back();
	else location.hash = "#/scan";
}

/** Returns the content of the card: the serial, the verdict, and what was decided about the photo. */
function summary(job) {
	const results = job.results ?? job.refusal;
	const top = job.results?.serials[0];
	const serial = job.confirmed_serial ?? top?.serial;
	const device = serial ? { href: placeOf(serial) } : {};
	const told = [
		top ? t("detail.confidence", { confidence: percent(top.confidence) }) : null,
		top ? methodOf(top) : null,
		results
			? (results.preset_was_detected
				? t("detail.detected", { preset: presetName(results.preset) })
				: presetName(results.preset))
			: null,
		results ? t("seconds", { n: number(results.processing_time, 2) }) : null,
		when(job.created_at),
	].filter(Boolean).join(" · ");
	return [
		el(
			"div",
			{ class: "row" },
			serial ? el("a", { ...device, class: "serial big" }, serial) : null,
			jobBadge(job),
			serial ? el("button", { onclick: () => copy(serial) }, t("detail.copy")) : null,
		),
		el("p", { class: "quiet" }, told),
		job.error && !job.confirmed_serial && !job.review ? el("p", { class: "bad" }, reason(job)) : null,
		job.duplicate_of
			? el("p", { class: "note" }, el("a", { href: `#/result/${job.duplicate_of}` }, t("detail.samePhoto")))
			: job.seen_before
			? el(
				"p",
				{ class: "note" },
				el("a", device, t("detail.seenBefore", { date: when(job.seen_before) })),
			)
			: null,
		top ? doubts(top) : null,
	].filter(Boolean);
}

/** Returns what the reader found, with the editor among it. */
function facts(job, form) {
	const results = job.results ?? job.refusal;
	const top = job.results?.serials[0];
	return [
		el("div", { class: "pictures stack" }),
		top?.characters ? section(t("check.characters"), characters(top)) : null,
		fields(top, results),
		form ? section(t("detail.correct"), form) : null,
		...others(results),
		results?.trace.length ? section(t("detail.trace"), trace(results), explanation(job)) : null,
	].filter(Boolean);
}

/**
 * A button that saves the server's explanation of how it reads the photo. The explanation comes from the process that
 * decodes untrusted photos, so it is saved within a sandboxed frame without scripts.
 */
function explanation(job) {
	const problem = el("p", { class: "bad", role: "alert" });
	const save = el("button", {
		onclick: async () => {
			save.disabled = true;
			problem.textContent = "";
			try {
				const page = await (await api.request(`/result/${job.job_id}/explanation`)).text();
				const quoted = page.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
				const frame =
					`<!doctype html><meta charset="utf-8"><style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100% }</style><iframe sandbox srcdoc="${quoted}"></iframe>`;
				download(new Blob([frame], { type: "text/html" }), `${job.job_id}.html`);
			} catch (error) {
				problem.textContent = error.message;
			} finally {
				save.disabled = false;
			}
		},
	}, t("detail.explain"));
	return el("div", { class: "stack" }, el("div", {}, save), problem);
}

const presetName = (name) => worded(`preset.${name}`, name);

function others(results) {
	const further = results?.serials?.slice(1) ?? [];
	const refused = results?.refused ?? [];
	const notes = results?.notes ?? [];
	const line = (read) =>
		el(
			"li",
			{},
			el("code", {}, read.serial),
			` ${percent(read.confidence)}`,
			read.doubts?.length ? el("span", { class: "quiet" }, ` ${doubtOf(read.doubts[0])}`) : null,
		);
	return [
		notes.length ? section(t("notes"), el("ul", {}, notes.map((note) => el("li", {}, noteOf(note))))) : null,
		further.length ? section(t("detail.also"), el("ul", {}, further.map(line))) : null,
		refused.length ? section(t("detail.rejected"), el("ul", {}, refused.map(line))) : null,
	];
}

/** Shows the enlarged serial in an element, and the whole photo in the same or another one. */
export async function picture(job, place, below = place) {
	try {
		const photo = await load(job.job_id);
		const results = job.results;
		const size = { width: results?.photo_width ?? 0, height: results?.photo_height ?? 0 };
		const close = results ? enlarged(photo, results.serials[0].region, size) : null;
		if (close) place.append(close);
		(close ? below : place).append(marked(photo, results?.serials ?? [], size));
	} catch (error) {
		place.append(el("p", { class: "quiet" }, error.message));
	}
}
