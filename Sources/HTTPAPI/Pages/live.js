// The live view: objects that the user taps or frames are tracked from frame to frame, and their serials are read and
// voted on. Only tracked frames are sent to the server, which stores none of them.
import { api, ApiError, pause, uuid } from "./api.js";
import * as batch from "./batch.js";
import { noCamera, openCamera, refusal } from "./camera.js";
import { badge, copy, el, remembered, toast } from "./dom.js";
import { follow, wake } from "./feedback.js";
import { recent } from "./recent.js";
import { recorder } from "./recording.js";
import { scanner } from "./scanner.js";
import { number, percent, t } from "./strings.js";
import * as uploads from "./uploads.js";

const most = 5;
const colours = ["#19c25a", "#f0a020", "#3f8cff", "#e0559a", "#9b6bff"];
/** Widths in pixels of the frames that are sent: the largest at which tracking keeps up. */
const widths = [960, 720, 540, 400, 300];
const [slowest, fastest] = [6, 14];

export async function view(main) {
	main.append(el("h1", {}, t("nav.live")));
	if (!navigator.mediaDevices?.getUserMedia) {
		main.append(noCamera());
		return {};
	}
	const video = el("video", { playsinline: true, muted: true, autoplay: true, "aria-label": t("live.camera") });
	video.muted = true;
	const overlay = el("canvas", { tabindex: 0, role: "application", "aria-label": t("live.stage") });
	// The frame tracked last, shown over the video, so that the overlay matches the picture.
	const still = el("canvas", { class: "still", "aria-hidden": "true" });
	const speed = el("span", { class: "corner number" }, t("live.nothing"));
	const opacity = el("input", {
		type: "range",
		min: 0,
		max: 80,
		step: 5,
		value: remembered.get("opacity", 40),
		"aria-label": t("live.opacity"),
		oninput: () => remembered.set("opacity", Number(opacity.value)),
	});
	const saves = el("input", {
		type: "checkbox",
		checked: remembered.get("live-saves", true),
		onchange: () => {
			remembered.set("live-saves", saves.checked);
			begin(objects.filter((object) => object.last));
		},
	});
	const list = el("ul", { class: "results", "aria-label": t("live.tracked") });
	const state = el("p", { class: "quiet", role: "status" }, t("live.hint"));
	const scene = {
		video,
		overlay,
		draw,
		picture: () => shown ?? video,
		size: () => (shown ? [shown.width, shown.height] : [video.videoWidth, video.videoHeight]),
	};
	const record = recorder(scene);
	const other = el("button", { onclick: () => turn() }, t("live.front"));
	const problem = el("div", { hidden: true });
	const seen = [
		state,
		el("div", { class: "stage" }, video, overlay, still, speed),
		el(
			"div",
			{ class: "row options" },
			other,
			el("button", { onclick: () => begin([]) }, t("live.reset")),
			batch.element(),
			el("label", {}, saves, ` ${t("live.save")}`),
			el("label", {}, t("live.overlay"), " ", opacity),
			record.node,
		),
		list,
	];
	const strip = recent();
	const typing = scanner(() => ({ batch: batch.current()?.id ?? "" }));
	const unfollow = follow();
	main.append(problem, ...seen, strip.node, typing.node);

	const session = uuid();
	const buffer = document.createElement("canvas");
	/** The frame tracked last at the camera's size, and the canvas for the next one. */
	let shown = null;
	let spare = document.createElement("canvas");
	/** The session's first request, sent again if the server no longer has the session. */
	let first = null;
	/** The frame that is currently drawn below the overlay. */
	let laid = null;
	let stream = null;
	let facing = "environment";
	let width = 2;
	let objects = [];
	let dragged = null;
	let isLeft = false;
	let isBusy = false;
	let isRunning = false;
	let begun = 0;
	let isRead = false;
	let hasSession = false;
	let times = [];

	async function open() {
		stream?.getTracks().forEach((track) => track.stop());
		let refused = null;
		try {
			stream = await openCamera(facing);
		} catch (error) {
			refused = error;
		}
		problem.replaceChildren(...(refused ? [refusal(refused, open)] : []));
		problem.hidden = !refused;
		for (const node of seen) node.hidden = Boolean(refused);
		if (refused) return;
		if (isLeft) {
			stream.getTracks().forEach((track) => track.stop());
			return;
		}
		video.srcObject = stream;
		await video.play().catch(() => {/* plays when it may */});
	}

	/** Switches the camera. Objects are kept: the other camera loses them, and the first finds them again. */
	async function turn() {
		facing = facing === "environment" ? "user" : "environment";
		other.textContent = t(facing === "environment" ? "live.front" : "live.rear");
		await open();
	}

	/** Returns the current frame at the width at which tracking keeps up. Browsers return frames upright. */
	async function frame() {
		const scale = Math.min(1, widths[width] / Math.max(video.videoWidth, video.videoHeight));
		const whole = spare ?? document.createElement("canvas");
		spare = null;
		[whole.width, whole.height] = [video.videoWidth, video.videoHeight];
		whole.getContext("2d").drawImage(video, 0, 0);
		buffer.width = Math.round(video.videoWidth * scale);
		buffer.height = Math.round(video.videoHeight * scale);
		buffer.getContext("2d").drawImage(whole, 0, 0, buffer.width, buffer.height);
		const blob = await new Promise((resolve) => buffer.toBlob(resolve, "image/jpeg", 0.8));
		return { blob, scale, whole };
	}

	// Objects are stored in the camera's pixels, because the width of sent frames changes.
	async function ask(path, fields) {
		const { blob, scale, whole } = await frame();
		try {
			const given = fields(scale);
			const answer = await post(path, given, blob);
			if (path === "/initialize") {
				first = {
					given: { ...given, bounding_boxes: answer.bounding_boxes, object_ids: answer.object_ids, points: undefined },
					blob,
				};
			}
			[shown, spare, laid] = [whole, shown, null];
			take(answer, scale, path === "/initialize");
		} finally {
			spare ??= shown === whole ? document.createElement("canvas") : whole;
		}
	}

	async function post(path, given, blob) {
		const form = new FormData();
		form.append("session_id", session);
		for (const [name, value] of Object.entries(given)) {
			if (value !== undefined) form.append(name, typeof value === "string" ? value : JSON.stringify(value));
		}
		form.append("image", blob, "frame.jpg");
		return (await api.request(path, { method: "POST", body: form })).json();
	}

	function take(answer, scale, isRestart) {
		const known = new Map(objects.map((object) => [object.id, object]));
		isRead = answer.serials !== undefined;
		state.textContent = t(isRead ? "live.hint" : "live.off");
		objects = answer.object_ids.map((id, index) => ({
			...(known.get(id) ?? { id, told: null }),
			box: answer.bounding_boxes[index]?.map((value) => value / scale) ?? null,
			last: answer.bounding_boxes[index]?.map((value) => value / scale) ?? known.get(id)?.last ?? null,
			quad: answer.quads?.[index]?.map(([x, y]) => [x / scale, y / scale]) ?? null,
			mask: mask(answer.masks?.[index], answer.frame_shape, colours[index]),
			...reading(known.get(id), answer.serials?.[index] ?? null, Boolean(answer.bounding_boxes[index]), isRestart),
		}));
		objects.forEach(announce);
		show();
	}

	/** Returns an object's mask in its colour; null if masks were not requested or the object is lost. */
	function mask(text, [height, wide], colour) {
		if (!text) return null;
		const bytes = atob(text);
		const canvas = document.createElement("canvas");
		[canvas.width, canvas.height] = [wide, height];
		const pen = canvas.getContext("2d");
		const pixels = new ImageData(wide, height);
		for (let index = 0; index < bytes.length; index += 1) {
			pixels.data[4 * index + 3] = bytes.charCodeAt(index) ? 255 : 0;
		}
		pen.putImageData(pixels, 0, 0);
		pen.globalCompositeOperation = "source-in";
		pen.fillStyle = colour;
		pen.fillRect(0, 0, wide, height);
		return canvas;
	}

	/**
	 * Whether an object's corners form an upright box, as of a soft object, whose shape only its mask shows. A flat
	 * object's corners show its shape.
	 */
	const isUpright = ({ quad }) =>
		Boolean(quad) && [0, 1, 2, 3].every((corner) => {
			const [[x, y], [u, v]] = [quad[corner], quad[(corner + 1) % 4]];
			return Math.min(Math.abs(x - u), Math.abs(y - v)) < 0.1;
		});

	/**
	 * Returns the serial to show. Adding an object restarts the votes; an accepted serial is kept until the new vote accepts
	 * one, or the object is out of sight: after that, another one may be in its place.
	 */
	function reading(before, now, isSeen, isRestart) {
		const isKept = isSeen && now?.verdict !== "accepted" &&
			(isRestart ? before?.serial?.verdict === "accepted" : Boolean(before?.isKept));
		return { isKept, serial: isKept ? before.serial : now };
	}

	function announce(object) {
		const { serial } = object;
		if (serial?.verdict !== "accepted" || object.told === serial.serial) return;
		object.told = serial.serial;
		const known = uploads.items.filter((item) => item.state === "done" && item.serial === serial.serial);
		if (!known.some((item) => item.isLive)) {
			uploads.addRead({
				serial: serial.serial,
				confidence: serial.confidence,
				verdict: "accepted",
				seenBefore: known.length > 0 ? new Date(known.at(-1).at).toISOString() : null,
			});
		}
	}

	/** Restarts the session with the tracked objects, and optionally one more: a point or a box. */
	async function begin(kept, added) {
		const mine = ++begun;
		isRunning = false;
		while (isBusy) await pause(0.02);
		// A later call has replaced this one.
		if (mine !== begun) return;
		if (kept.length === 0 && !added) {
			objects = [];
			shown = null;
			first = null;
			times = [];
			speed.textContent = t("live.nothing");
			show();
			return;
		}
		isBusy = true;
		try {
			objects = kept;
			const id = Math.max(0, ...kept.map((object) => object.id)) + 1;
			await ask("/initialize", (scale) => ({
				bounding_boxes: [...kept.map((object) => object.last), ...(added?.box ? [added.box] : [])].map((box) =>
					box.map((value) => value * scale)
				),
				...(added?.point ? { points: [added.point.map((value) => value * scale)] } : {}),
				object_ids: [...kept.map((object) => object.id), ...(added ? [id] : [])],
				include_masks: false,
				read_serials: true,
				persist: saves.checked,
				batch: saves.checked ? batch.current()?.id : undefined,
			}));
			isRunning = mine === begun;
			hasSession = true;
		} catch (error) {
			toast(error.message, "bad");
			isRunning = kept.length > 0 && mine === begun;
		} finally {
			isBusy = false;
		}
		run();
	}

	async function run() {
		while (isRunning && !isLeft && !isBusy) {
			if (document.hidden || !video.videoWidth) {
				await pause(0.2);
				continue;
			}
			isBusy = true;
			const start = performance.now();
			try {
				if (!hasSession) await again();
				await ask("/track", () => ({ include_masks: objects.some(isUpright) }));
			} catch (error) {
				isRunning = error instanceof ApiError ? error.status !== 422 && (error.status !== 404 || await again()) : true;
				if (!isRunning) {
					toast(error.message, "bad");
					objects = [];
					shown = null;
					show();
				}
				await pause(Math.max(0.5, error.retryAfter ?? 0));
			} finally {
				isBusy = false;
			}
			pace(performance.now() - start);
			await new Promise(requestAnimationFrame);
		}
	}

	/** Restarts a session that the server no longer has, with its first frame. Returns false if that fails. */
	async function again() {
		try {
			await post("/initialize", first.given, first.blob);
			hasSession = true;
			return true;
		} catch (error) {
			return !(error instanceof ApiError);
		}
	}

	/** Ends the session in the background, so that the server deletes its frame. It restarts when the page is visible again. */
	async function suspend() {
		if (!document.hidden || !hasSession) return;
		while (isBusy) await pause(0.02);
		if (!document.hidden || !hasSession) return;
		hasSession = false;
		await api.request(`/sessions/${session}`, { method: "DELETE", keepalive: true }).catch(() => {/* it expires */});
	}

	// Adapts the resolution of sent frames to the response times.
	function pace(milliseconds) {
		times.push(milliseconds);
		if (times.length > 10) times.shift();
		const rate = 1000 * times.length / times.reduce((sum, time) => sum + time, 0);
		speed.textContent = t("live.speed", {
			rate: number(rate, rate < 10 ? 1 : 0),
			width: String(buffer.width),
			height: String(buffer.height),
		});
		if (times.length < 10) return;
		if (rate < slowest && width < widths.length - 1) {
			width += 1;
			times = [];
		} else if (rate > fastest && width > 0) {
			width -= 1;
			times = [];
		}
	}

	function show() {
		list.replaceChildren(
			...objects.map((object, index) =>
				el(
					"li",
					{ class: "result" },
					el(
						"div",
						{ class: "who" },
						el("span", {}, dot(colours[index]), ` ${object.id}`),
						el(
							"span",
							{ class: "state" },
							object.box
								? (object.serial
									? t("live.frames", { confidence: percent(object.serial.confidence), n: object.serial.frames })
									: t(isRead ? "live.reading" : "live.following"))
								: t("live.lost"),
						),
					),
					object.serial
						? el(
							"button",
							{ class: "serial", onclick: () => copy(object.serial.serial) },
							object.serial.serial,
						)
						: null,
					object.serial ? badge(object.serial.verdict) : null,
				)
			),
		);
	}

	/** Draws the tracked objects onto a canvas of the camera's size. */
	function draw(pen, scale) {
		const strength = Number(opacity.value) / 100;
		objects.forEach((object, index) => {
			if (!object.box) return;
			const corners = object.quad ??
				[[object.box[0], object.box[1]], [object.box[2], object.box[1]], [object.box[2], object.box[3]], [
					object.box[0],
					object.box[3],
				]];
			pen.beginPath();
			for (const [x, y] of corners) pen.lineTo(x * scale, y * scale);
			pen.closePath();
			pen.globalAlpha = strength;
			pen.fillStyle = colours[index];
			if (object.mask) pen.drawImage(object.mask, 0, 0, scene.size()[0] * scale, scene.size()[1] * scale);
			else pen.fill();
			pen.globalAlpha = Math.max(strength, 0.9);
			pen.strokeStyle = colours[index];
			pen.lineWidth = 3;
			pen.stroke();
			if (object.serial) {
				pen.font = "600 18px monospace";
				const [x, y] = [object.box[0] * scale, Math.max(22, object.box[1] * scale - 6)];
				const text = `${object.serial.serial}${object.serial.verdict === "accepted" ? " ✓" : " ?"}`;
				pen.fillStyle = "#000b";
				pen.fillRect(x - 4, y - 19, pen.measureText(text).width + 8, 25);
				pen.fillStyle = "#fff";
				pen.fillText(text, x, y);
			}
			pen.globalAlpha = 1;
		});
	}

	// The overlay has its displayed size; the picture within it is placed as by `object-fit: contain`.
	function fit() {
		const [boxWidth, boxHeight] = [overlay.clientWidth, overlay.clientHeight];
		const [wide, high] = scene.size();
		const scale = Math.min(boxWidth / (wide || 1), boxHeight / (high || 1));
		return { scale, left: (boxWidth - wide * scale) / 2, top: (boxHeight - high * scale) / 2 };
	}

	/** Draws the tracked frame below the overlay. */
	function lay(left, top, scale) {
		still.hidden = !shown;
		if (!shown || laid === shown) return;
		[still.width, still.height] = [overlay.width, overlay.height];
		still.getContext("2d").drawImage(shown, left, top, shown.width * scale, shown.height * scale);
		laid = shown;
	}

	function paint() {
		if (isLeft) return;
		if (video.videoWidth) {
			const { scale, left, top } = fit();
			if (overlay.width !== overlay.clientWidth || overlay.height !== overlay.clientHeight) {
				overlay.width = overlay.clientWidth;
				overlay.height = overlay.clientHeight;
				laid = null;
			}
			const pen = overlay.getContext("2d");
			pen.setTransform(1, 0, 0, 1, 0, 0);
			pen.clearRect(0, 0, overlay.width, overlay.height);
			pen.translate(left, top);
			draw(pen, scale);
			lay(left, top, scale);
			if (dragged?.corner) {
				pen.strokeStyle = "#fff";
				pen.lineWidth = 2;
				const [x0, y0, x1, y1] = pulled(dragged);
				pen.strokeRect(x0 * scale, y0 * scale, (x1 - x0) * scale, (y1 - y0) * scale);
			} else if (dragged?.end) {
				pen.strokeStyle = "#fff";
				pen.lineWidth = 2;
				pen.setLineDash([6, 4]);
				pen.strokeRect(
					dragged.start[0] * scale,
					dragged.start[1] * scale,
					(dragged.end[0] - dragged.start[0]) * scale,
					(dragged.end[1] - dragged.start[1]) * scale,
				);
				pen.setLineDash([]);
			}
		}
		requestAnimationFrame(paint);
	}

	const within = (value, limit) => Math.min(limit - 1, Math.max(0, value));
	function place(event) {
		const { scale, left, top } = fit();
		const area = overlay.getBoundingClientRect();
		const [wide, high] = scene.size();
		return [
			within((event.clientX - area.left - left) / scale, wide),
			within((event.clientY - area.top - top) / scale, high),
		];
	}

	function addObject(added) {
		wake();
		if (!video.videoWidth) return;
		if (objects.length >= most) {
			toast(t("live.most", { n: most }));
			return;
		}
		begin(objects.filter((object) => object.last), added);
	}

	/** Returns the object whose corner is near a position, and the opposite corner, for dragging. */
	function corner(start) {
		const reach = 22 / fit().scale;
		for (const object of objects) {
			if (!object.box) continue;
			const [x0, y0, x1, y1] = object.box;
			for (const [x, y, u, v] of [[x0, y0, x1, y1], [x1, y0, x0, y1], [x1, y1, x0, y0], [x0, y1, x1, y0]]) {
				if (Math.hypot(x - start[0], y - start[1]) < Math.min(reach, (x1 - x0 + y1 - y0) / 6)) {
					return { object, across: [u, v] };
				}
			}
		}
		return null;
	}

	const pulled = ({ corner: { across }, end, start }) => {
		const [x, y] = end ?? start;
		return [Math.min(x, across[0]), Math.min(y, across[1]), Math.max(x, across[0]), Math.max(y, across[1])];
	};

	overlay.addEventListener("pointerdown", (event) => {
		overlay.setPointerCapture(event.pointerId);
		const start = place(event);
		dragged = { start, corner: corner(start) };
	});
	overlay.addEventListener("pointermove", (event) => {
		if (dragged) dragged.end = place(event);
	});
	overlay.addEventListener("pointercancel", () => {
		dragged = null;
	});
	overlay.addEventListener("pointerup", (event) => {
		if (!dragged) return;
		const [start, end] = [dragged.start, place(event)];
		const pull = dragged.corner && Math.hypot(end[0] - start[0], end[1] - start[1]) > 6 ? { ...dragged, end } : null;
		dragged = null;
		if (pull) {
			const box = pulled(pull);
			if (box[2] - box[0] > 12 && box[3] - box[1] > 12) {
				begin(
					objects.filter((object) => object.last).map((
						object,
					) => (object.id === pull.corner.object.id ? { ...object, last: box, serial: null } : object)),
				);
			}
			return;
		}
		const isBox = Math.abs(end[0] - start[0]) > 12 && Math.abs(end[1] - start[1]) > 12;
		addObject(
			isBox
				? {
					box: [
						Math.min(start[0], end[0]),
						Math.min(start[1], end[1]),
						Math.max(start[0], end[0]),
						Math.max(start[1], end[1]),
					],
				}
				: { point: start },
		);
	});
	overlay.addEventListener("keydown", (event) => {
		if (event.key !== "Enter") return;
		event.preventDefault();
		addObject({
			box: [video.videoWidth * 0.2, video.videoHeight * 0.3, video.videoWidth * 0.8, video.videoHeight * 0.7],
		});
	});

	/** Ends the session after the current frame, which would otherwise not find it. */
	async function end() {
		while (isBusy) await pause(0.02);
		if (hasSession) await api.request(`/sessions/${session}`, { method: "DELETE" });
	}

	// Restarts the session, so that serials accepted from now on go into the chosen batch.
	const stopBatch = batch.listen(() => begin(objects.filter((object) => object.last)));
	document.addEventListener("visibilitychange", suspend);
	await open();
	paint();
	return {
		leave() {
			isLeft = true;
			for (const stop of [strip.leave, typing.leave, unfollow]) stop();
			stopBatch();
			document.removeEventListener("visibilitychange", suspend);
			isRunning = false;
			record.cancel();
			stream?.getTracks().forEach((track) => track.stop());
			end().catch(() => {/* it expires */});
		},
	};
}

/** Creates a coloured dot. Set by script, because the content security policy forbids style attributes. */
function dot(colour) {
	const node = el("span", { class: "dot" });
	node.style.background = colour;
	return node;
}
