// The grammar of Apple's serial numbers, told while somebody types. The server has the last word.

const halfYears = "CDFGHJKLMNPQRSTVWXYZ";
const weeks = "123456789CDFGHJKLMNPQRTVWXY";
const foldings = { O: "0", I: "1" };

/** What a person is told about a serial: {fits, sentence, offer}; `offer` is what was perhaps meant. */
export function check(text) {
  const wrong = (sentence, offer = null) => ({ fits: false, sentence, offer });
  if (text === "") return wrong("Type the serial as it stands in the picture.");
  const odd = [...text].find((character) => !/[A-Z0-9]/.test(character));
  if (odd) return wrong(`“${odd}” is in no serial: letters and digits only.`, text.replace(/[^A-Z0-9]/g, ""));
  const unused = [...text].find((character) => foldings[character]);
  if (unused) {
    return wrong(`${unused} is never used: ${foldings[unused]}?`, text.replace(/[OI]/g, (letter) => foldings[letter]));
  }
  if (![8, 10, 11, 12].includes(text.length)) {
    return wrong(`${text.length} characters: serials have 10, 11 or 12 (some accessories 8).`);
  }
  if (/^\d+$/.test(text)) return wrong("Digits alone are another number: an IMEI, a part or a count.");
  if (text.length === 12) {
    if (!halfYears.includes(text[3])) return wrong(`${text[3]} in fourth place names no half-year.`);
    if (!weeks.includes(text[4])) return wrong(`${text[4]} in fifth place names no week.`);
  }
  if (text.length === 11) {
    if (!/\d/.test(text[2])) return wrong(`${text[2]} in third place is no year.`);
    const week = Number(text.slice(3, 5));
    if (!(week >= 1 && week <= 53)) return wrong(`${text.slice(3, 5)} is no week.`);
  }
  if (text.length === 8) return { fits: true, sentence: "8 characters: some accessories have such serials.", offer: null };
  return { fits: true, sentence: "Fits the grammar.", offer: null };
}

/** What is typed, in the form in which serials are written. */
export const normal = (text) => text.toUpperCase().replace(/\s/g, "");

/** Characters that are taken for each other, the nearest first. */
const groups = ["0DQGC6", "8B3", "5S6", "35", "2Z7", "17TL", "4A", "VYU", "MNHW", "KX", "PFR", "EF", "9GQ", "JU"];
export function confusable(character) {
  return [...new Set(groups.filter((group) => group.includes(character)).join("").replaceAll(character, ""))];
}
