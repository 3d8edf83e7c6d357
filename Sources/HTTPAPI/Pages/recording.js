// Records the camera's video with the overlay, only on this device.
import { download, el, toast } from "./dom.js";
import { number, t } from "./strings.js";

const kinds = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm"];

/** Creates the buttons of a recording. `scene` has the video and draws the overlay into a canvas context. */
export function recorder(scene) {
	const kind = globalThis.MediaRecorder ? kinds.find((name) => MediaRecorder.isTypeSupported(name)) : null;
	const progress = el("span", { class: "number quiet", role: "status" });
	const start = el("button", { onclick: begin }, `● ${t("recording.record")}`);
	const keep = el(
		"button",
		{ class: "primary", hidden: true, onclick: () => recording.stop() },
		t("recording.stop"),
	);
	const drop = el("button", { hidden: true, onclick: cancel }, t("cancel"));
	const node = el("span", { class: "row" }, start, keep, drop, progress);
	let recording = null;
	let parts = [];
	let isCancelled = false;
	if (!kind) start.hidden = true;

	function begin() {
		const { video } = scene;
		if (!video.videoWidth) {
			toast(t("recording.wait"));
			return;
		}
		const canvas = document.createElement("canvas");
		canvas.width = video.videoWidth;
		canvas.height = video.videoHeight;
		const pen = canvas.getContext("2d");
		const begun = performance.now();
		parts = [];
		isCancelled = false;
		recording = new MediaRecorder(canvas.captureStream(30), { mimeType: kind });
		recording.ondataavailable = (event) => {
			if (event.data.size) parts.push(event.data);
		};
		recording.onerror = () => toast(t("recording.failed"));
		recording.onstop = end;
		recording.start(500);
		show(true);
		const step = () => {
			if (recording?.state !== "recording") return;
			pen.drawImage(scene.picture(), 0, 0, canvas.width, canvas.height);
			scene.draw(pen, 1);
			const size = parts.reduce((sum, part) => sum + part.size, 0) / 1e6;
			// On a slow machine the first frames are encoded late, and a file without any cannot be played.
			keep.disabled = size === 0;
			progress.textContent = t("recording.progress", {
				seconds: Math.round((performance.now() - begun) / 1000),
				size: number(size, 1),
			});
			requestAnimationFrame(step);
		};
		step();
	}

	function end() {
		show(false);
		if (!isCancelled && parts.length) {
			const type = kind.split(";")[0];
			download(
				new Blob(parts, { type }),
				`serialscan-${new Date().toLocaleString("sv").replace(" ", "T").replaceAll(":", "")}.${type.split("/")[1]}`,
			);
		}
		parts = [];
		recording = null;
	}

	function cancel() {
		isCancelled = true;
		if (recording?.state === "recording") recording.stop();
	}

	function show(isRecording) {
		start.hidden = isRecording;
		keep.hidden = !isRecording;
		drop.hidden = !isRecording;
		progress.textContent = "";
	}

	return { node, cancel };
}
