// The camera of this device: opened for the live view, and what a person reads where there is none.
import { el } from "./dom.js";

/** Opens the camera at the back (`environment`) or at the front (`user`), where there is the choice. Throws what `refusal` tells. */
export function openCamera(facing) {
  return navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: facing, width: { ideal: 1920 }, height: { ideal: 1080 } } });
}

const photos = () => el("li", {}, "Photos need none of this: ", el("a", { href: "#/scan" }, "Scan"), " opens a phone’s camera for each photo.");

/** Why the camera can't be opened, and what helps. */
export function refusal(error, again) {
  const [title, sentence, remedy] = {
    NotAllowedError: ["The camera was not allowed", "The browser, or this device, keeps the camera from this page.",
      "Allow it for this address: by the sign beside the address, or in the browser’s settings for sites. On a phone the browser itself must be allowed to use the camera too."],
    NotFoundError: ["There is no camera", "This device has no camera that the browser knows of.", "Connect one, then try again."],
    NotReadableError: ["The camera is not free", "Another program or tab may be using it.", "Close that one, then try again."],
  }[error.name] ?? ["The camera can’t be opened", error.message, "Close other programs that use it, then try again."];
  return el("div", { class: "card stack problem", role: "alert" }, el("h2", {}, title), el("p", {}, sentence), el("ul", {}, el("li", {}, remedy), photos()),
    el("div", {}, el("button", { type: "button", class: "primary", onclick: again }, "Try again")));
}

/** Where pages get no camera at all: why, and how to get it. */
export function noCamera() {
  if (isSecureContext) return el("p", { class: "bad" }, "This browser gives pages no camera. Photos work: see Scan.");
  return el("div", { class: "card stack problem" },
    el("h2", {}, "The browser gives no camera to this address"),
    el("p", {}, "Browsers open the camera for pages that come by HTTPS, or from this very machine. This page came by plain HTTP from ", el("code", {}, location.host), "."),
    el("ul", {}, el("li", {}, "Put a reverse proxy with a certificate in front of the server, and open that address."),
      el("li", {}, "Or, to try it: open ", el("code", {}, `http://localhost:${location.port || 80}`), " on the server itself."), photos()));
}
