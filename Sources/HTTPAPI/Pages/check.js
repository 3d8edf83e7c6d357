// The queue of photos that need review, device by device.
import { api, ApiError, reason } from "./api.js";
import { picture } from "./detail.js";
import { download, el, jobBadge, toast } from "./dom.js";
import { editor } from "./editor.js";
import { hear } from "./hearing.js";
import { prepare } from "./photo.js";
import { characters, doubts } from "./reads.js";
import { kept, listen } from "./removal.js";
import { jobAt, removeJobs } from "./results.js";
import { retake } from "./retake.js";
import { percent, t } from "./strings.js";
import { thumbnail, titleOf } from "./thumbnail.js";
import * as uploads from "./uploads.js";

/** Photos fetched at a time. Reads of one device are grouped among the fetched ones. */
const pageSize = 200;
/** Milliseconds by which an event can precede the response to one's own decision. */
const ownTime = 1500;
const isTouched = matchMedia("(pointer: coarse)").matches;
/** The lists to review: two verdicts, and photos marked for retaking. */
const lists = ["uncertain", "refused", "retake"];
/** Keyboard shortcuts with Alt. By key code, because Alt types other characters on a Mac. */
const keyOf = {
	noSerial: ["KeyN", "N"],
	retake: ["KeyR", "R"],
	remove: ["KeyX", "X"],
	undo: ["KeyZ", "Z"],
	back: ["ArrowLeft", "←"],
	skip: ["ArrowRight", "→"],
};
const kbd = (name) => (isTouched ? null : el("kbd", { "aria-hidden": "true" }, `Alt ${keyOf[name][1]}`));

/** Groups jobs by device: those with the same serial. */
function together(jobs) {
	const groups = new Map();
	for (const job of jobs) {
		const name = job.serial ?? job.duplicate_of ?? job.job_id;
		if (!groups.has(name)) groups.set(name, { jobs: [], left: new Set() });
		groups.get(name).jobs.push(job);
	}
	// The read with the highest confidence represents the group.
	for (const group of groups.values()) group.jobs.sort((one, other) => (other.confidence ?? 0) - (one.confidence ?? 0));
	return [...groups.values()];
}

export async function view(main) {
	const scopes = await api.scopes();
	let which = "uncertain";
	let groups = [];
	let cursor = null;
	let at = 0;
	let asked = 0;
	let isLeft = false;
	let undoLast = null;
	/** Counts of the decisions since the view was opened. */
	const done = { confirmed: 0, noSerial: 0, retake: 0, deleted: 0 };
	const place = el("div", { class: "stack" });
	const count = el("p", { class: "quiet", role: "status" });
	const film = el("ul", { class: "film", "aria-label": t("check.photos") });
	const tabs = el(
		"div",
		{ class: "segments", role: "group", "aria-label": t("batches.show") },
		lists.map((value) =>
			el("button", {
				"aria-pressed": String(value === which),
				onclick: () => begin(value).catch(complain),
			}, value === "retake" ? t("check.toRetake") : t(`verdict.${value}`))
		),
	);
	main.append(
		el(
			"div",
			{ class: "row spread" },
			el("h1", {}, t("nav.check")),
			scopes.has("admin")
				? el("button", { title: t("check.downloadHint"), onclick: pictures }, t("check.download"))
				: null,
		),
		el("p", { class: "quiet", hidden: isTouched }, t("check.intro")),
		el("div", { class: "row spread" }, tabs, count),
		film,
		place,
	);

	/** Returns the jobs that follow `cursor`, and the next cursor. */
	async function page(cursor) {
		const wanted = which === "retake" ? { reviewed: "true" } : { verdict: which, reviewed: "false" };
		const answer = await api.get(
			`/jobs?${new URLSearchParams({
				...wanted,
				confirmed: "false",
				can_change: "true",
				limit: pageSize,
				...(cursor ? { cursor } : {}),
			})}`,
		);
		const { items } = kept(answer, jobAt);
		return {
			jobs: wanted.verdict ? items : items.filter((job) => job.review === "retake"),
			next: answer.next_cursor,
			last: answer.items.at(-1),
		};
	}

	async function more() {
		const mine = asked;
		const { jobs, next } = await page(cursor);
		if (mine !== asked) return;
		cursor = next;
		const known = groups.flatMap((group) => group.jobs);
		// Later jobs may belong to a device in an existing group.
		groups = together([...known, ...jobs]);
	}

	async function begin(wanted = which) {
		which = wanted;
		asked += 1;
		[...tabs.children].forEach((tab, index) => tab.setAttribute("aria-pressed", String(lists[index] === which)));
		[groups, cursor, at] = [[], null, 0];
		await more();
		drawFilm();
		await show();
	}

	function drawFilm() {
		film.hidden = groups.length < 2;
		film.replaceChildren(...groups.map((group, index) => {
			const title = group.jobs[0].serial ?? titleOf(group.jobs[0].filename, group.jobs[0].created_at);
			const small = thumbnail(title);
			small.update(group.jobs[0].thumbnail_url);
			return el(
				"li",
				{},
				el(
					"button",
					{
						"aria-label": t("check.open", { title, place: index + 1 }),
						onclick: () => {
							at = index;
							turn();
						},
					},
					small.node,
					group.jobs.length > 1 ? el("span", { class: "count" }, String(group.jobs.length)) : null,
				),
			);
		}));
	}

	function markFilm() {
		[...film.children].forEach((item, index) => {
			const button = item.firstElementChild;
			if (index === at) button.setAttribute("aria-current", "true");
			else button.removeAttribute("aria-current");
		});
		const here = film.children[at];
		if (here) film.scrollTo({ left: here.offsetLeft - (film.clientWidth - here.offsetWidth) / 2 });
	}

	function told() {
		count.textContent = groups.length === 0
			? ""
			: t(cursor ? "outOfMore" : "outOf", { some: at + 1, all: groups.length });
	}

	/** Shows the device at `at`. If it can't be loaded, says why. */
	function turn() {
		show().catch((error) => {
			if (!isLeft) {
				place.replaceChildren(
					el(
						"div",
						{ class: "card stack" },
						el("p", { class: "bad", role: "alert" }, error.message),
						el("div", {}, el("button", { onclick: turn }, t("tryAgain"))),
					),
				);
			}
		});
	}

	/** Whether keys and buttons act on the shown device: not after a decision about it, until the next one is shown. */
	const isOpen = () => Boolean(place.querySelector("article:not([inert])"));

	function close() {
		place.querySelector("article")?.setAttribute("inert", "");
	}

	function reopen() {
		place.querySelector("article")?.removeAttribute("inert");
		if (!isTouched) place.querySelector(".editor input")?.focus({ preventScroll: true });
	}

	async function show() {
		if (isLeft) return;
		if (at >= groups.length - 1 && cursor) {
			await more();
			drawFilm();
		}
		at = Math.max(0, Math.min(at, groups.length - 1));
		told();
		if (groups.length === 0) {
			film.hidden = true;
			endQueue();
			return;
		}
		markFilm();
		const group = groups[at];
		const job = await api.get(`/result/${group.jobs[0].job_id}`).catch((error) => {
			if (!(error instanceof ApiError && [404, 410].includes(error.status))) throw error;
		});
		if (isLeft || groups[at] !== group) return;
		if (!job) {
			takeOut(group, group.jobs.slice(0, 1));
			return;
		}
		const top = job.results?.serials[0];
		// The input and the enlarged serial are compared, so both are visible without scrolling; the whole photo is below.
		const pictures = el("div", { class: "pictures stack review-close" });
		const whole = el("div", { class: "pictures stack review-whole" });
		const edit = editor(job, (_answer, failed) => confirmed(group, failed), {
			others: () => chosen(group).filter((one) => one !== group.jobs[0]).map((one) => one.job_id),
			change: () => putBack(group),
			begun: close,
			failed: reopen,
		});
		place.replaceChildren(
			el(
				"article",
				{ class: "card review" },
				el(
					"div",
					{ class: "row spread review-head" },
					el("h2", {}, titleOf(job.filename, job.created_at)),
					jobBadge(job),
				),
				pictures,
				el(
					"div",
					{ class: "stack review-form" },
					group.jobs.length > 1 ? members(group) : null,
					top
						? el(
							"p",
							{ class: "quiet" },
							t("check.readAs", { serial: top.serial, confidence: percent(top.confidence) }),
						)
						: el("p", { class: "quiet" }, reason(job)),
					top ? doubts(top) : null,
					edit.node,
					el(
						"div",
						{ class: "row decisions" },
						which === "retake"
							? el("button", { onclick: () => unmark(group) }, t("check.unmark"))
							: decision("noSerial", t("check.noSerial"), () => review(group, "no_serial")),
						decision("retake", t("check.retake"), () => again(group, job)),
						scopes.has("scan") ? decision("remove", t("delete"), () => remove(group), false, "danger") : null,
						...(groups.length > 1 || cursor
							? [
								decision("back", t("check.previous"), () => go(-1), at === 0),
								decision("skip", t("check.skip"), () => go(1), at + 1 >= groups.length && !cursor),
							]
							: []),
					),
					el(
						"div",
						{ class: "row spread" },
						top?.characters ? el("details", {}, el("summary", {}, t("check.characters")), characters(top)) : el("span"),
						el("a", { href: `#/result/${job.job_id}` }, t("details")),
					),
				),
				whole,
			),
		);
		picture(job, pictures, whole).then(() => {
			if (groups[at] === group && groups[at + 1]) prepare(groups[at + 1].jobs[0].job_id);
		});
		// On a phone the on-screen keyboard would cover the photo.
		if (!isTouched) {
			edit.input.focus({ preventScroll: true });
			edit.input.select();
		}
	}

	function endQueue() {
		place.replaceChildren(end());
		// The last decision took the focus away with its photo.
		if (document.activeElement === document.body) document.getElementById("main").focus({ preventScroll: true });
	}

	function decision(name, title, act, isOff = false, kind = null) {
		return el(
			"button",
			{
				class: kind,
				"data-decision": name,
				"aria-keyshortcuts": `Alt+${keyOf[name][0].replace("Key", "")}`,
				disabled: isOff,
				onclick: act,
			},
			title,
			kbd(name),
		);
	}

	/** Creates the list of a device's photos, from which photos of other devices can be excluded. */
	function members(group) {
		const title = el("p", { class: "quiet" });
		const tell = () => {
			title.textContent = t("check.together", { n: chosen(group).length });
		};
		tell();
		return el(
			"div",
			{ class: "stack members" },
			title,
			el(
				"ul",
				{ class: "film", "aria-label": t("check.members") },
				group.jobs.map((job, index) => {
					const name = titleOf(job.filename, job.created_at);
					const small = thumbnail(name);
					small.update(job.thumbnail_url);
					const button = el("button", {
						"aria-pressed": String(!group.left.has(job)),
						disabled: index === 0,
						"aria-label": t("check.include", { title: name }),
						onclick: () => {
							if (!group.left.delete(job)) group.left.add(job);
							button.setAttribute("aria-pressed", String(!group.left.has(job)));
							tell();
						},
					}, small.node);
					return el("li", {}, button);
				}),
			),
		);
	}

	const chosen = (group) => group.jobs.filter((job) => !group.left.has(job));

	/** Removes the chosen photos of a group from the queue; excluded ones stay as a separate group. */
	function takeOut(group, jobs = chosen(group)) {
		const index = groups.indexOf(group);
		const rest = group.jobs.filter((job) => !jobs.includes(job));
		if (index >= 0) groups.splice(index, 1, ...(rest.length ? [{ jobs: rest, left: new Set() }] : []));
		if (at > index && index >= 0) at -= 1;
		close();
		drawFilm();
		turn();
	}

	/** Removes a photo from the queue that was reviewed or deleted elsewhere. */
	function settled(id) {
		const index = groups.findIndex((group) => group.jobs.some((job) => job.job_id === id));
		// An event may be that of a decision that was undone here.
		if (isLeft || index < 0 || groups[index].isBack) return;
		const group = groups[index];
		if (index === at) {
			// A decision about it is on its way.
			if (!isOpen()) return;
			takeOut(group, group.jobs.filter((job) => job.job_id === id));
			toast(t("check.elsewhere"));
			return;
		}
		// Leave the user's current input unchanged.
		const rest = group.jobs.filter((job) => job.job_id !== id);
		groups.splice(index, 1, ...(rest.length ? [{ jobs: rest, left: new Set() }] : []));
		if (index < at && rest.length === 0) at -= 1;
		drawFilm();
		markFilm();
		told();
	}

	/** Looks for what happened while no events arrived: photos reviewed elsewhere, and new ones if the queue is empty. */
	async function catchUp() {
		const mine = asked;
		const { jobs, next, last } = await page(null);
		if (mine !== asked || isLeft) return;
		if (groups.length === 0) {
			if (jobs.length > 0) await begin();
			return;
		}
		const left = new Set(jobs.map((job) => job.job_id));
		// The response has the latest ones only.
		const isCovered = (job) => !next || job.created_at > last.created_at;
		for (const job of groups.filter((group) => !group.isBack).flatMap((group) => group.jobs)) {
			if (isCovered(job) && !left.has(job.job_id)) settled(job.job_id);
		}
	}

	/** Returns a group to the queue and shows it. */
	function putBack(group) {
		undoLast = null;
		// It may be confirmed already, and is shown to be changed.
		group.isBack = true;
		if (isLeft) return;
		groups = groups.filter((other) => !other.jobs.some((job) => group.jobs.includes(job)));
		at = Math.min(at, groups.length);
		groups.splice(at, 0, group);
		drawFilm();
		turn();
	}

	function confirmed(group, failed) {
		const jobs = chosen(group).filter((job) => !failed.includes(job.job_id));
		done.confirmed += jobs.length;
		undoLast = () => {
			done.confirmed -= jobs.length;
			putBack(group);
		};
		takeOut(group, jobs);
	}

	/** Saves what a person decided about a photo, or that nothing is decided. The list of Scan shows it too. */
	async function mark({ job_id: id }, outcome) {
		await api.send(outcome ? "POST" : "DELETE", `/jobs/${id}/review`, outcome ? { outcome } : undefined);
		uploads.refresh(id).catch(() => {/* the list says what it knew */});
	}

	async function review(group, outcome) {
		const jobs = chosen(group);
		const name = { no_serial: "noSerial", retake: "retake" }[outcome];
		close();
		try {
			for (const job of jobs) await mark(job, outcome);
		} catch (error) {
			complain(error);
			reopen();
			return;
		}
		done[name] += jobs.length;
		const undo = async () => {
			try {
				for (const job of jobs) await mark(job, null);
				done[name] -= jobs.length;
				putBack(group);
			} catch (error) {
				complain(error);
			}
		};
		undoLast = undo;
		toast(t(`marked.${outcome}`, { n: jobs.length }), "", [t("undo"), undo]);
		takeOut(group, jobs);
	}

	async function unmark(group) {
		close();
		try {
			for (const job of chosen(group)) await mark(job, null);
			toast(t("check.unmarked"));
			takeOut(group);
		} catch (error) {
			complain(error);
			reopen();
		}
	}

	function again(group, job) {
		retake(job, {
			later: which !== "retake" ? () => review(group, "retake") : null,
			async taken(file, preview) {
				const jobs = chosen(group);
				close();
				// Keep the photos out of the queue until the new one has been read.
				if (which !== "retake") await Promise.all(jobs.map((one) => mark(one, "retake"))).catch(complain);
				await uploads.add([file], { device_type: group.jobs[0].device_type, batch: job.batch_id }, {
					preview,
					replaces: jobs.map((one) => one.job_id),
				});
				done.retake += jobs.length;
				toast(t("check.replaced"), "good");
				takeOut(group, jobs);
			},
		});
	}

	function remove(group) {
		const jobs = chosen(group);
		done.deleted += jobs.length;
		const undo = () => {
			done.deleted -= jobs.length;
			putBack(group);
		};
		undoLast = removeJobs(jobs.map((job) => job.job_id), t("check.deleted", { n: jobs.length }), undo);
		takeOut(group, jobs);
	}

	/** Creates the message at the end of the queue: a summary of the decisions, and links for continuing. */
	function end() {
		const did = Object.entries(done).filter(([, n]) => n > 0).map(([name, n]) => t(`did.${name}`, { n }));
		return el(
			"div",
			{ class: "empty finished stack" },
			el("p", { class: "tick", "aria-hidden": "true" }, "✓"),
			el("p", { class: "big" }, t("check.empty")),
			did.length ? el("p", {}, did.join(" · ")) : null,
			el(
				"div",
				{ class: "row center" },
				which === "uncertain"
					? el("button", { onclick: () => begin("refused").catch(complain) }, t("check.goRefused"))
					: null,
				which !== "uncertain"
					? el("button", { onclick: () => begin("uncertain").catch(complain) }, t("check.goUncertain"))
					: null,
				el("a", { class: "button", href: "#/scan" }, t("check.goScan")),
			),
		);
	}

	const complain = (error) => toast(error.message, "bad");

	function go(step) {
		at += step;
		turn();
	}

	async function pictures(event) {
		const button = event.currentTarget;
		button.disabled = true;
		try {
			download(await api.blob("/export/pictures"), "confirmed-pictures.tar");
		} catch (error) {
			complain(error);
		} finally {
			button.disabled = false;
		}
	}

	const keys = (event) => {
		if (document.querySelector("dialog[open]")) return;
		// If nothing has the focus, such as after clicking on the photo.
		if (event.key === "Enter" && [document.body, document.getElementById("main")].includes(event.target)) {
			event.preventDefault();
			if (isOpen()) place.querySelector("form.editor .primary:enabled")?.click();
		}
		if (!event.altKey || event.ctrlKey || event.metaKey) return;
		const [name] = Object.entries(keyOf).find(([, [code]]) => code === event.code) ?? [];
		if (!name) return;
		event.preventDefault();
		if (name === "undo") {
			const undo = undoLast;
			undoLast = null;
			undo?.();
		} else if (isOpen()) place.querySelector(`[data-decision=${name}]:enabled`)?.click();
	};
	addEventListener("keydown", keys);
	// Load photos sent meanwhile by this browser if the queue is empty.
	const stop = uploads.listen((item) => {
		if (groups.length === 0 && item.state === "done" && item.verdict === which && !item.confirmed) {
			begin().catch(() => {});
		}
	});
	const unhear = hear(null, {
		heard(name, job) {
			if (name === "ended" && groups.length === 0 && job.verdict === which) begin().catch(() => {});
			const isSettled = () =>
				name === "deleted" ||
				(name === "changed" && Boolean(job.confirmed_serial || (job.review && which !== "retake")));
			// Another list may be shown by then.
			setTimeout(() => {
				if (isSettled()) settled(job.job_id);
			}, ownTime);
		},
		missed() {
			setTimeout(() => {
				if (!isLeft) catchUp().catch(() => {/* the next opening tries again */});
			}, ownTime);
		},
	});
	const unlisten = listen(() => catchUp().catch(() => {/* the next opening tries again */}));
	const leave = () => {
		isLeft = true;
		stop();
		unhear();
		unlisten();
		removeEventListener("keydown", keys);
	};
	await begin().catch((error) => {
		leave();
		throw error;
	});
	return { leave };
}
