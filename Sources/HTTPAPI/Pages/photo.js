// A job's photo with the reads marked, and an enlarged view of the serial.
import { api } from "./api.js";
import { el } from "./dom.js";
import { t } from "./strings.js";

const colours = ["#19c25a", "#f0a020", "#3f8cff", "#e0559a", "#9b6bff"];

/** The photo that is expected next. */
let ahead = {};

/** Loads the photo that is probably shown next, so that it is there at once. */
export function prepare(job) {
	if (ahead.job === job) return;
	const photo = load(job);
	photo.catch(() => {
		if (ahead.photo === photo) ahead = {};
	});
	ahead = { job, photo };
}

/**
 * Returns a job's photo as an upright bitmap, and the map from the uploaded file's points to it. If the browser can't
 * decode the format, uses the server's annotated picture without rotation.
 */
export async function load(job) {
	if (ahead.job === job) {
		const { photo } = ahead;
		ahead = {};
		return photo;
	}
	const file = await api.blob(`/result/${job}/photo`);
	try {
		const bitmap = await createImageBitmap(file);
		return { bitmap, file, orientation: await orientation(file), isDrawn: false };
	} catch {
		const drawn = await api.blob(`/result/${job}/image`);
		return { bitmap: await createImageBitmap(drawn), file, orientation: 1, isDrawn: true };
	}
}

/** Creates a canvas with the photo and the quadrilateral of each read. */
export function marked(photo, reads, size) {
	const { bitmap } = photo;
	const canvas = el("canvas", {
		role: "img",
		class: "photo",
		"aria-label": reads.length
			? t("detail.photoMarked", { serials: reads.map((read) => read.serial).join(", ") })
			: t("detail.photo"),
	});
	const scale = Math.min(1, 2000 / Math.max(bitmap.width, bitmap.height));
	canvas.width = Math.round(bitmap.width * scale);
	canvas.height = Math.round(bitmap.height * scale);
	const pen = canvas.getContext("2d");
	pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
	if (photo.isDrawn) return canvas;
	const turn = upright(photo.orientation, size.width, size.height);
	[...reads].reverse().forEach((read) => {
		if (!read.region) return;
		pen.beginPath();
		for (const corner of read.region) {
			const [x, y] = turn(corner);
			pen.lineTo(x * scale, y * scale);
		}
		pen.closePath();
		pen.lineWidth = Math.max(3, canvas.width / 250);
		pen.lineJoin = "round";
		pen.strokeStyle = colours[reads.indexOf(read) % colours.length];
		pen.stroke();
	});
	return canvas;
}

/**
 * Creates an upright, enlarged view of the serial in the photo. The margins are wider than a character, because the
 * quadrilateral of a read may cut into its first and last strokes.
 */
export function enlarged(photo, region, size) {
	// The server's picture has a different size than the photo, and may be rotated.
	const shrink = photo.isDrawn ? photo.bitmap.width / size.width : 1;
	const isTurned = photo.isDrawn && Math.abs(photo.bitmap.height - size.height * shrink) > 2;
	if (!region || isTurned) return null;
	const [start, end, , below] = region.map(upright(photo.orientation, size.width, size.height)).map((
		[x, y],
	) => [x * shrink, y * shrink]);
	const width = Math.hypot(end[0] - start[0], end[1] - start[1]);
	const height = Math.hypot(below[0] - start[0], below[1] - start[1]);
	if (!(width > 1 && height > 1)) return null;
	const [side, above] = [1.4 * height, 0.6 * height];
	const scale = Math.min(8, 1400 / (width + 2 * side));
	const canvas = el("canvas", { role: "img", class: "close", "aria-label": t("detail.enlarged") });
	canvas.width = Math.round((width + 2 * side) * scale);
	canvas.height = Math.round((height + 2 * above) * scale);
	const pen = canvas.getContext("2d");
	pen.imageSmoothingQuality = "high";
	pen.scale(scale, scale);
	pen.translate(side, above);
	// A mirrored quadrilateral is drawn in reading direction: along its first edge, down its last.
	const [ax, ay] = [(end[0] - start[0]) / width, (end[1] - start[1]) / width];
	const [bx, by] = [(below[0] - start[0]) / height, (below[1] - start[1]) / height];
	const area = ax * by - ay * bx;
	if (Math.abs(area) < 0.2) return null;
	pen.transform(by / area, -ay / area, -bx / area, ax / area, 0, 0);
	pen.translate(-start[0], -start[1]);
	pen.drawImage(photo.bitmap, 0, 0);
	return canvas;
}

/** Maps a point of a file of this width and height to the upright picture, by EXIF orientation 1 to 8. */
function upright(orientation, width, height) {
	return ([x, y]) =>
		[
			[x, y],
			[width - x, y],
			[width - x, height - y],
			[x, height - y],
			[y, x],
			[height - y, x],
			[height - y, width - x],
			[y, width - x],
		][orientation - 1];
}

/** Returns the orientation in a JPEG's EXIF segment; 1 if there is none. */
async function orientation(file) {
	const view = new DataView(await file.slice(0, 262144).arrayBuffer());
	try {
		for (let at = 2; view.getUint16(0) === 0xFFD8 && view.getUint8(at) === 0xFF; at += 2 + view.getUint16(at + 2)) {
			if (view.getUint16(at) !== 0xFFE1 || view.getUint32(at + 4) !== 0x45786966) continue;
			const tiff = at + 10;
			const little = view.getUint16(tiff) === 0x4949;
			const entries = tiff + view.getUint32(tiff + 4, little);
			for (let entry = 0; entry < view.getUint16(entries, little); entry++) {
				const place = entries + 2 + 12 * entry;
				const value = view.getUint16(place + 8, little);
				if (view.getUint16(place, little) === 0x0112 && value >= 1 && value <= 8) return value;
			}
		}
	} catch { /* cut off: as it is */ }
	return 1;
}
