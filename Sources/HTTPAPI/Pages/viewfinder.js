// The viewfinder: a camera that stays open between photos. Only the photos leave this device, not the video.
import { noCamera, openPhotoCamera, refusal } from "./camera.js";
import { el, set, toast } from "./dom.js";
import { wake } from "./feedback.js";
import { isTyping } from "./scanner.js";
import { t } from "./strings.js";
import { icon, nameNow } from "./thumbnail.js";

/** Milliseconds after which a video frame is used if the camera delivers no photo. */
const patience = 5000;
/** The longer side in pixels of the preview shown until the server's thumbnail exists. */
const previewSide = 160;
/** Keys that take a photo, on keyboards and on remote shutters for phones. */
const shutterKeys = [" ", "Enter", "AudioVolumeUp", "AudioVolumeDown", "VolumeUp", "VolumeDown", "Camera"];
/** Those that other elements of the page handle too. */
const sharedKeys = [" ", "Enter"];

/** The icons of the buttons. */
const shapes = {
	close: ["M6 6 18 18M18 6 6 18"],
	torch: ["M13 2 5 14h6l-1 8 9-13h-7z"],
	turn: ["M4 9a8 8 0 0 1 14-3l2 2M20 4v4h-4M20 15a8 8 0 0 1-14 3l-2-2M4 20v-4h4"],
};

/** Whether the browser gives this page a camera. */
export const isPossible = () => Boolean(navigator.mediaDevices?.getUserMedia);

/**
 * Creates the viewfinder. Calls `onPhoto` with each photo's file and preview, `onClose` when the user closes it, and
 * `onOpened` with the result of a retry. `show` displays a photo's outcome over the video.
 */
export function viewfinder({ onPhoto, onClose, onOpened = () => {} }) {
	const video = el("video", { playsinline: true, autoplay: true, "aria-label": t("live.camera") });
	video.muted = true;
	const flash = el("div", { class: "flash", "aria-hidden": "true" });
	const outcome = el("p", { class: "outcome", role: "status" });
	const torch = el("button", {
		class: "round",
		"aria-pressed": "false",
		hidden: true,
		"aria-label": t("viewfinder.torch"),
		title: t("viewfinder.torch"),
		onclick: turnTorch,
	}, icon(shapes.torch));
	const other = el("button", {
		class: "round",
		"aria-label": t("viewfinder.other"),
		title: t("viewfinder.other"),
		onclick: turn,
	}, icon(shapes.turn));
	const close = el("button", {
		class: "round",
		"aria-label": t("viewfinder.close"),
		title: t("viewfinder.close"),
		onclick: () => {
			end();
			onClose();
		},
	}, icon(shapes.close));
	const shutter = el("button", {
		class: "shutter",
		"aria-label": t("viewfinder.shutter"),
		title: t("viewfinder.keys"),
		onclick: shoot,
	});
	const problem = el("div", { hidden: true });
	const stage = el(
		"div",
		{ class: "finder", hidden: true },
		video,
		flash,
		outcome,
		el("div", { class: "finder-bar" }, close, shutter, el("span", { class: "finder-side" }, torch, other)),
	);
	const node = el("section", { class: "viewfinder", "aria-label": t("viewfinder.title") }, problem, stage);
	let stream = null;
	let facing = "environment";
	let isOpen = false;
	let awake = null;
	let shots = Promise.resolve();
	let timer;

	/** Opens the camera. Returns whether that succeeded; otherwise shows why and what to do. */
	async function open() {
		isOpen = true;
		halt();
		let refused = null;
		if (!isPossible()) {
			problem.replaceChildren(noCamera());
			problem.hidden = false;
			return false;
		}
		try {
			stream = await openPhotoCamera(facing);
		} catch (error) {
			refused = error;
		}
		problem.replaceChildren(...(refused ? [refusal(refused, () => open().then(onOpened))] : []));
		problem.hidden = !refused;
		stage.hidden = Boolean(refused);
		if (refused) return false;
		// Closed while the browser asked for permission.
		if (!isOpen) {
			end();
			return false;
		}
		video.srcObject = stream;
		const [track] = stream.getVideoTracks();
		torch.hidden = !track.getCapabilities?.().torch;
		set(torch, { "aria-pressed": "false" });
		await video.play().catch(() => {/* plays when it may */});
		keepAwake();
		navigator.mediaDevices.enumerateDevices().then((all) => {
			other.hidden = all.filter((one) => one.kind === "videoinput").length < 2;
		}, () => {});
		return true;
	}

	function halt() {
		stream?.getTracks().forEach((track) => track.stop());
		stream = null;
		video.srcObject = null;
	}

	function end() {
		isOpen = false;
		halt();
		stage.hidden = true;
		problem.hidden = true;
		awake?.release().catch(() => {});
		awake = null;
		clearTimeout(timer);
	}

	async function turn() {
		facing = facing === "environment" ? "user" : "environment";
		onOpened(await open());
	}

	async function turnTorch() {
		const isOn = torch.getAttribute("aria-pressed") !== "true";
		try {
			await stream.getVideoTracks()[0].applyConstraints({ advanced: [{ torch: isOn }] });
			set(torch, { "aria-pressed": String(isOn) });
		} catch {
			torch.hidden = true;
		}
	}

	// Keeps the screen on while the phone lies on the bench between two photos.
	async function keepAwake() {
		try {
			awake ??= await navigator.wakeLock?.request("screen") ?? null;
		} catch { /* it may go dark */ }
		awake?.addEventListener("release", () => {
			awake = null;
		}, { once: true });
	}

	/** Queues a photo, so that no press of the shutter is lost. */
	function shoot() {
		wake();
		if (!stream || !video.videoWidth) return;
		blink();
		shots = shots.then(take).catch((error) => toast(error.message, "bad"));
	}

	async function take() {
		const preview = picture(Math.min(1, previewSide / Math.max(video.videoWidth, video.videoHeight)));
		const blob = await photo() ?? await new Promise((resolve) => {
			picture(1).toBlob(resolve, "image/jpeg", 0.92);
		});
		if (!blob) return;
		onPhoto(new File([blob], nameNow(), { type: blob.type || "image/jpeg" }), preview.toDataURL("image/jpeg", 0.7));
	}

	/** Takes a photo at the camera's maximum size; null if the browser or the camera can't. */
	async function photo() {
		if (!("ImageCapture" in globalThis)) return null;
		const [track] = stream.getVideoTracks();
		const late = new Promise((resolve) => {
			setTimeout(resolve, patience, null);
		});
		try {
			const capture = new ImageCapture(track);
			const { imageWidth, imageHeight } = await Promise.race([capture.getPhotoCapabilities(), late]) ?? {};
			const size = imageWidth?.max && imageHeight?.max
				? { imageWidth: imageWidth.max, imageHeight: imageHeight.max }
				: {};
			return await Promise.race([capture.takePhoto(size), late]);
		} catch {
			return null;
		}
	}

	function picture(scale) {
		const canvas = document.createElement("canvas");
		[canvas.width, canvas.height] = [Math.round(video.videoWidth * scale), Math.round(video.videoHeight * scale)];
		canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
		return canvas;
	}

	/** Flashes the screen for the shutter; app.css respects the preference for reduced motion. */
	function blink() {
		flash.classList.remove("on");
		// Force a layout without the class, so that the animation restarts.
		flash.getBoundingClientRect();
		flash.classList.add("on");
	}

	function show(kind, text) {
		outcome.className = `outcome ${kind}`;
		outcome.textContent = text;
		clearTimeout(timer);
		timer = setTimeout(() => {
			outcome.textContent = "";
			outcome.className = "outcome";
		}, 3000);
	}

	const keys = (event) => {
		if (
			!stream || !shutterKeys.includes(event.key) || event.repeat || event.altKey || event.ctrlKey || event.metaKey ||
			isTyping()
		) return;
		// Leave keys to the focused element.
		const isFree = [document.body, document.getElementById("main"), node.closest("dialog"), shutter].includes(
			event.target,
		);
		if (sharedKeys.includes(event.key) && !isFree) return;
		// Leave keys to a dialog above.
		if (document.querySelector("dialog[open]") !== node.closest("dialog")) return;
		event.preventDefault();
		event.stopImmediatePropagation();
		shoot();
	};
	// Phones stop the camera of a hidden page.
	const seen = () => {
		if (document.hidden || !isOpen) return;
		const [track] = stream?.getVideoTracks() ?? [];
		if (!track || track.readyState === "ended") open();
		else {
			video.play().catch(() => {});
			keepAwake();
		}
	};
	addEventListener("keydown", keys);
	document.addEventListener("visibilitychange", seen);
	return {
		node,
		open,
		show,
		focus: () => shutter.focus({ preventScroll: true }),
		get isOpen() {
			return isOpen;
		},
		leave() {
			end();
			removeEventListener("keydown", keys);
			document.removeEventListener("visibilitychange", seen);
		},
	};
}
