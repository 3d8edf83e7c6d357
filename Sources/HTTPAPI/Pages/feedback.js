// What a read sounds and feels like, so that nobody has to look at the screen after each photo.
import { isTag } from "./custom.js";
import { remembered } from "./dom.js";
import * as uploads from "./uploads.js";

/**
 * Tones in hertz, one after the other, and the vibration in milliseconds, of each outcome: rising for accepted, level and twice
 * for needs review, falling for a duplicate, one long and low for no serial, one short and high for a value that was added.
 */
const signs = {
  accepted: { tones: [880, 1320], seconds: 0.09, vibration: [60] },
  uncertain: { tones: [520, 520], seconds: 0.14, vibration: [60, 80, 60] },
  duplicate: { tones: [990, 740, 550], seconds: 0.08, vibration: [30, 50, 30, 50, 30] },
  refused: { tones: [196], seconds: 0.4, vibration: [350] },
  tagged: { tones: [1760], seconds: 0.07, vibration: [30] },
};

/** Seconds between two outcomes: of many that end at once, each is heard or left out, and none lies over another. */
const pause = 0.5;

const isTouched = matchMedia("(pointer: coarse)").matches;

/** Whether outcomes are heard and felt. Sound is on where there is a finger, and off at a desk, until a person chooses. */
export const choices = {
  get sound() { return remembered.get("sound", isTouched); },
  set sound(value) { remembered.set("sound", value); },
  get vibration() { return remembered.get("vibration", true); },
  set vibration(value) { remembered.set("vibration", value); },
};

/** Whether this device vibrates; browsers of desks have the function, and nothing to move. */
export const canVibrate = Boolean(navigator.vibrate) && isTouched;

/** The outcome of an item that has ended, by which it is heard: `accepted`, `uncertain`, `duplicate`, `refused` or `tagged`. */
export function outcomeOf(item) {
  if (item.state === "failed") return "refused";
  if (!item.serial) return isTag(item) ? "tagged" : "refused";
  if (item.seenBefore || item.duplicateOf) return "duplicate";
  return item.confirmed ? "accepted" : item.verdict ?? "refused";
}

let audio = null;
let isSilentUntil = 0;

/** Lets the page be heard: browsers allow sound once a person has pressed something. */
export function wake() {
  if (!choices.sound) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume().catch(() => { /* heard after the next press */ });
}

/** Lets an outcome be heard and felt, as far as the person wants that. */
export function signal(outcome) {
  const sign = signs[outcome] ?? signs.refused;
  const now = performance.now() / 1000;
  if (now < isSilentUntil) return;
  isSilentUntil = now + pause;
  // Before the first press browsers refuse, and say so in the console.
  if (choices.vibration && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(sign.vibration);
  if (choices.sound) play(sign);
}

/** Signals the outcome of each item that ends from now on, and tells `hear` of it; returns how to stop. */
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
