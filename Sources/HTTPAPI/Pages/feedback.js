// Sound and vibration for results, so that the user need not look at the screen after each photo.
import { isTag } from "./custom.js";
import { remembered } from "./dom.js";
import * as uploads from "./uploads.js";

/**
 * For each outcome, the tones in hertz and the vibration in milliseconds: rising for accepted, two equal tones for
 * needs review, falling for a duplicate, long and low for no serial, short and high for an added value.
 */
const signs = {
	accepted: { tones: [880, 1320], seconds: 0.09, vibration: [60] },
	uncertain: { tones: [520, 520], seconds: 0.14, vibration: [60, 80, 60] },
	duplicate: { tones: [990, 740, 550], seconds: 0.08, vibration: [30, 50, 30, 50, 30] },
	refused: { tones: [196], seconds: 0.4, vibration: [350] },
	tagged: { tones: [1760], seconds: 0.07, vibration: [30] },
};

/** Minimum seconds between two signals. Further ones are dropped, so that signals never overlap. */
const pause = 0.5;

const isTouched = matchMedia("(pointer: coarse)").matches;

/** Whether sound and vibration are on. By default, sound is on only on touch devices. */
export const choices = {
	get sound() {
		return remembered.get("sound", isTouched);
	},
	set sound(value) {
		remembered.set("sound", value);
	},
	get vibration() {
		return remembered.get("vibration", true);
	},
	set vibration(value) {
		remembered.set("vibration", value);
	},
};

/** Whether this device vibrates. Desktop browsers have the function without the hardware. */
export const canVibrate = Boolean(navigator.vibrate) && isTouched;

/** Returns the outcome of a finished item: `accepted`, `uncertain`, `duplicate`, `refused` or `tagged`. */
function outcomeOf(item) {
	if (item.state === "failed") return "refused";
	if (!item.serial) return isTag(item) ? "tagged" : "refused";
	if (item.seenBefore || item.duplicateOf) return "duplicate";
	return item.confirmed ? "accepted" : item.verdict ?? "refused";
}

let audio = null;
let isSilentUntil = 0;

/** Enables sound. Call it on user input, because browsers allow sound only after that. */
export function wake() {
	if (!choices.sound) return;
	audio ??= new AudioContext();
	if (audio.state === "suspended") audio.resume().catch(() => {/* heard after the next press */});
}

/** Plays the signal of an outcome, as the settings allow. */
export function signal(outcome) {
	const sign = signs[outcome] ?? signs.refused;
	const now = performance.now() / 1000;
	if (now < isSilentUntil) return;
	isSilentUntil = now + pause;
	// Browsers reject vibration before the first user input, with a message in the console.
	if (choices.vibration && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(sign.vibration);
	if (choices.sound) play(sign);
}

/** Signals the outcome of each item that ends from now on, and calls `hear`. Returns a function that stops this. */
export function follow(hear = () => {}) {
	const hasEnded = (item) => ["done", "failed"].includes(item.state);
	const told = new WeakSet(uploads.items.filter(hasEnded));
	return uploads.listen((item) => {
		if (!hasEnded(item) || told.has(item)) return;
		told.add(item);
		const outcome = outcomeOf(item);
		signal(outcome);
		hear(item, outcome);
	});
}

function play({ tones, seconds }) {
	if (navigator.userActivation?.hasBeenActive === false) return;
	wake();
	tones.forEach((frequency, index) => {
		const tone = audio.createOscillator();
		const volume = audio.createGain();
		const start = audio.currentTime + (seconds + 0.03) * index;
		tone.type = "triangle";
		tone.frequency.value = frequency;
		volume.gain.setValueAtTime(0, start);
		volume.gain.linearRampToValueAtTime(0.2, start + 0.008);
		volume.gain.exponentialRampToValueAtTime(0.001, start + seconds);
		tone.connect(volume).connect(audio.destination);
		tone.start(start);
		tone.stop(start + seconds + 0.02);
	});
}
