// Building the page: whatever comes from people or pictures goes in as text, never as markup.
import { t } from "./strings.js";

/** An element with attributes, listeners (`onclick`) and children; children that are null are left out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  set(node, attributes);
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Sets attributes; true is an attribute without a value, null and false take it away. */
export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

/** An element of an SVG picture. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Messages that are shown at once; with a further one the oldest goes. */
const mostToasts = 3;
const toasts = [];

/**
 * Says something for a few seconds, with a button where `action` is [its title, what it does]; screen readers hear it. `unused` hears
 * that it has gone without the button being pressed. Returns how to take it away, as if the button had been pressed.
 */
export function toast(text, kind = "", action = null, unused = () => {}) {
  const node = el("div", { class: `toast ${kind}` }, el("span", {}, text),
    action ? el("button", { type: "button", class: "small", onclick: () => { take(); action[1](); } }, action[0]) : null);
  const one = { take, end() { take(); unused(); } };
  function take() {
    clearTimeout(timer);
    node.remove();
    if (toasts.includes(one)) toasts.splice(toasts.indexOf(one), 1);
  }
  // Longer where there is something to be done, and as long as it is pointed at.
  const wait = () => { if (node.matches(":hover, :focus-within")) timer = setTimeout(wait, 1000); else one.end(); };
  let timer = setTimeout(wait, action ? 10_000 : 5000);
  toasts.push(one);
  if (toasts.length > mostToasts) toasts[0].end();
  document.getElementById("toasts").append(node);
  return take;
}

/** A small mark that says the verdict in words and by its form, not by colour alone. */
export function badge(verdict, confirmed) {
  const name = confirmed ? "confirmed" : verdict ?? "waiting";
  const sign = { confirmed: "✓", accepted: "✓", uncertain: "?", refused: "×" }[name] ?? "…";
  return el("span", { class: `badge ${name}` }, `${sign} ${t(`verdict.${name}`)}`);
}

/** Copies text, also if there is no clipboard for lack of HTTPS. */
export async function copy(text, what = text) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const focused = document.activeElement;
    const area = el("textarea", { value: text, readonly: true, class: "away" });
    document.body.append(area);
    area.select();
    isCopied = document.execCommand("copy");
    area.remove();
    focused?.focus({ preventScroll: true });
  }
  if (isCopied) toast(t("copied", { what }));
  else toast(t("copyBlocked"), "bad");
}

/** Gives a file to the person. */
export function download(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Something remembered in this browser, or a default. */
export const remembered = {
  get(name, otherwise) {
    try { return JSON.parse(localStorage.getItem(`serialscan.${name}`)) ?? otherwise; } catch { return otherwise; }
  },
  set(name, value) {
    try { localStorage.setItem(`serialscan.${name}`, JSON.stringify(value)); } catch { /* private mode: not remembered */ }
  },
};
