// Opens this device's camera, and explains why there is none.
import { el } from "./dom.js";
import { pieces, t } from "./strings.js";

/** Opens the rear (`environment`) or front (`user`) camera if the device has both. `refusal` explains the errors it throws. */
export function openCamera(facing) {
	return navigator.mediaDevices.getUserMedia({
		audio: false,
		video: { facingMode: facing, width: { ideal: 1920 }, height: { ideal: 1080 } },
	});
}

/**
 * Opens the camera for photos. If the browser takes full-resolution photos (`ImageCapture`), the video is small to save
 * the battery; otherwise photos are frames of the video, at the camera's maximum size.
 */
export async function openPhotoCamera(facing) {
	const size = takesPhotos
		? { width: { ideal: 1920 }, height: { ideal: 1440 } }
		: { width: { ideal: 4096 }, height: { ideal: 3072 } };
	const stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: facing, ...size } });
	const [track] = stream.getVideoTracks();
	if (takesPhotos) return stream;
	const { width, height } = track.getCapabilities?.() ?? {};
	if (width?.max && height?.max) {
		await track.applyConstraints({ width: { ideal: width.max }, height: { ideal: height.max } }).catch(
			() => {/* as it is */},
		);
	}
	return stream;
}

const takesPhotos = "ImageCapture" in globalThis;

// On Scan this advice is unnecessary.
const photos = () =>
	location.hash.startsWith("#/scan")
		? null
		: el("li", {}, pieces("camera.photos", { scan: el("a", { href: "#/scan" }, t("nav.scan")) }));

/** Explains why the camera can't be opened, and what to do. */
export function refusal(error, again) {
	const [title, sentence, remedy] = {
		NotAllowedError: [t("camera.blocked"), t("camera.blockedWhy"), t("camera.blockedHelp")],
		NotFoundError: [t("camera.none"), t("camera.noneWhy"), t("camera.noneHelp")],
		NotReadableError: [t("camera.busy"), t("camera.busyWhy"), t("camera.busyHelp")],
	}[error.name] ?? [t("camera.failed"), error.message, t("camera.failedHelp")];
	return el(
		"div",
		{ class: "card stack problem", role: "alert" },
		el("h2", {}, title),
		el("p", {}, sentence),
		el("ul", {}, el("li", {}, remedy), photos()),
		el("div", {}, el("button", { class: "primary", onclick: again }, t("tryAgain"))),
	);
}

/** Explains why the browser gives this page no camera, and what to do. */
export function noCamera() {
	if (isSecureContext) return el("p", { class: "bad" }, t("camera.unsupported"));
	return el(
		"div",
		{ class: "card stack problem" },
		el("h2", {}, t("camera.https")),
		el("p", {}, pieces("camera.httpsWhy", { host: el("code", {}, location.host) })),
		el(
			"ul",
			{},
			el("li", {}, t("camera.httpsProxy")),
			el("li", {}, pieces("camera.httpsLocal", { address: el("code", {}, `http://localhost:${location.port || 80}`) })),
			photos(),
		),
	);
}
