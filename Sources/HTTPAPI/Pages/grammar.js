// Checks the format of Apple serial numbers during typing. The server's check is authoritative.
import { t } from "./strings.js";

const halfYears = "CDFGHJKLMNPQRSTVWXYZ";
const weeks = "123456789CDFGHJKLMNPQRTVWXY";
const foldings = { O: "0", I: "1" };

/** Checks a serial. Returns {fits, sentence, offer}: whether it is valid, a message, and a suggested correction. */
export function check(text) {
	const wrong = (sentence, offer = null) => ({ fits: false, sentence, offer });
	if (text === "") return wrong(t("grammar.empty"));
	const odd = [...text].find((character) => !/[A-Z0-9]/.test(character));
	if (odd) return wrong(t("grammar.odd", { character: odd }), text.replace(/[^A-Z0-9]/g, ""));
	const unused = [...text].find((character) => foldings[character]);
	if (unused) {
		return wrong(
			t("grammar.unused", { letter: unused, digit: foldings[unused] }),
			text.replace(/[OI]/g, (letter) => foldings[letter]),
		);
	}
	if (![8, 10, 11, 12].includes(text.length)) {
		return wrong(t("grammar.length", { n: text.length }));
	}
	if (/^\d+$/.test(text)) return wrong(t("grammar.digits"));
	if (text.length === 12) {
		if (!halfYears.includes(text[3])) return wrong(t("grammar.fourth", { character: text[3] }));
		if (!weeks.includes(text[4])) return wrong(t("grammar.fifth", { character: text[4] }));
	}
	if (text.length === 11) {
		if (!/\d/.test(text[2])) return wrong(t("grammar.third", { character: text[2] }));
		const week = Number(text.slice(3, 5));
		if (!(week >= 1 && week <= 53)) return wrong(t("grammar.week", { characters: text.slice(3, 5) }));
	}
	if (text.length === 8) return { fits: true, sentence: t("grammar.eight"), offer: null };
	return { fits: true, sentence: t("grammar.fits"), offer: null };
}

/** Normalises typed text: upper case, without separators. */
export const normal = (text) => text.toUpperCase().replace(/\s/g, "");

/** Normalises a scanned serial: without separators, and without the data identifier `S` at the beginning. */
export function scanned(text) {
	const whole = normal(text).replace(/[-.\u200B-\u200D\uFEFF]/g, "");
	return whole.startsWith("S") && !check(whole).fits && check(whole.slice(1)).fits ? whole.slice(1) : whole;
}

/** Characters that are confused with each other, the most similar first. */
const groups = ["0DQGC6", "8B3", "5S6", "35", "2Z7", "17TL", "4A", "VYU", "MNHW", "KX", "PFR", "EF", "9GQ", "JU"];
export function confusable(character) {
	return [...new Set(groups.filter((group) => group.includes(character)).join("").replaceAll(character, ""))];
}
