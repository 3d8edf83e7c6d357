// Every text of the page, in English, and how numbers, times and plurals are written. Other languages are files of the same keys.

/** The languages of the page, by the name each has for itself. */
export const languages = { en: "English", de: "Deutsch", es: "Español" };

const tables = { de: () => import("./strings.de.js"), es: () => import("./strings.es.js") };

/** Texts by key. `{name}` is replaced; an entry with `one` and `other` goes by the number `n`. */
export const english = {
  // The frame
  "skip": "Skip to content",
  "views": "Views",
  "apiDocumentation": "API documentation",
  "language": "Language",
  "signOut": "Sign out",
  "signedOut": "Signed out",
  "signOutUnsent": { one: "{n} photo has not been sent. Sign out and delete it?", other: "{n} photos have not been sent. Sign out and delete them?" },
  "offline": "The server can’t be reached. Waiting photos will be sent when it’s back.",
  "online": "Connected again",
  "viewOffline": "This view could not be loaded because the server can’t be reached.",
  "viewBroken": "This view could not be loaded.",
  "tryAgain": "Try again",
  "undo": "Undo",
  "cancel": "Cancel",
  "loading": "Loading…",
  "copied": "Copied {what}",
  "copyBlocked": "Your browser blocked copying. Select the text and copy it manually.",
  "actions": "Actions",
  "photo": "Photo",
  "serialNumber": "Serial number",
  "confidence": "Confidence",
  "file": "File",
  "device": "Device",
  "notes": "Notes",
  "name": "Name",
  "save": "Save",
  "details": "Details",
  "detailsOf": "Details: {name}",
  "nextPage": "Next page",
  "previousPage": "Previous page",
  "seconds": "{n} s",
  "outOf": "{some} of {all}",
  "outOfMore": "{some} of {all}+",
  "nav.scan": "Scan",
  "nav.live": "Live",
  "nav.check": "Review",
  "nav.history": "History",
  "nav.numbers": "Statistics",
  "nav.evaluate": "Evaluate",
  "nav.keys": "Keys",

  // Signing in
  "key.title": "API key required",
  "key.why": "This server requires an API key. Ask whoever runs this server for one.",
  "key.unknown": "This key is not valid or has been revoked. Ask whoever runs this server for another one.",
  "key.label": "Key",
  "key.session": "Stored only in this tab.",
  "key.remember": "Remember on this device",
  "key.continue": "Continue",
  "key.stay": "Signed in for this tab only.",
  "key.stayHere": "Stay signed in on this device",
  "key.notNow": "Not now",

  // Verdicts
  "verdict.accepted": "Accepted",
  "verdict.uncertain": "Needs review",
  "verdict.refused": "No serial found",
  "verdict.confirmed": "Confirmed",
  "verdict.waiting": "Waiting",
  "verdict.failed": "Failed",

  // Errors by code: those whose meaning needs no further words. For all others the server’s own sentence is shown.
  "unreachable": "The server can’t be reached.",
  "answered": "The server answered with status {status}.",
  "error.FORBIDDEN": "Your key doesn’t allow this ({scope} needed).",
  "error.RATE_LIMITED": "Too many requests. Slow down and try again.",
  "error.QUEUE_FULL": "The queue is full.",
  "error.TOO_MANY_UPLOADS": "Too many uploads at once.",
  "error.STORAGE_FULL": "The server is out of disk space.",
  "error.STORAGE_UNAVAILABLE": "The server can’t store anything at the moment.",
  "error.SERVER_STOPPING": "The server is shutting down.",
  "error.INTERNAL_ERROR": "Something went wrong on the server. Try again.",
  "error.NO_TEXT_DETECTED": "No serial number found. Retake the photo closer, in focus and without glare.",
  "error.UNSUPPORTED_IMAGE": "This file isn’t a readable image. Use JPEG, PNG, WebP, TIFF or HEIC.",
  "error.DAMAGED_IMAGE": "This image is damaged or incomplete. Retake the photo.",
  "error.IMAGE_TOO_LARGE": "This image has too many pixels. Use a smaller one.",
  "error.BODY_TOO_LARGE": "This photo is too large to upload. Use a smaller one.",
  "error.EMPTY_IMAGE": "This file is empty.",
  "error.JOB_NOT_FOUND": "This photo is no longer on the server.",
  "error.JOB_DELETED": "This photo was deleted before it was read.",
  "error.CANCELLED": "Reading was cancelled.",
  "error.PHOTO_GONE": "The photo has expired and was deleted. Its result is still here.",
  "error.PHOTO_MISSING": "The photo file is missing on the server.",
  "error.READER_CRASHED": "Reading this photo failed. Try another photo of the device.",
  "error.READER_TIMED_OUT": "Reading this photo took too long. Try another photo of the device.",
  "error.SESSION_NOT_FOUND": "The tracking session has expired. Mark the label again.",
  "error.TOO_MANY_SESSIONS": "Too many cameras are in use at the moment.",
  "error.TRACKER_LOST": "Tracking was interrupted. Mark the label again.",
  "error.TRACKER_UNAVAILABLE": "Tracking is not available at the moment.",
  "error.DATASET_NOT_FOUND": "There is no dataset with this name.",

  // Scan
  "scan.title": "Scan",
  "scan.drop": "Drop photos here",
  "scan.formats": "JPEG, PNG, WebP, TIFF or HEIC, as many as you like. You can also paste.",
  "scan.choose": "Choose photos",
  "scan.take": "Take a photo",
  "scan.surface": "Type of photo",
  "preset.auto": "Auto-detect",
  "preset.etched": "Etched on metal",
  "preset.screen": "Screen",
  "preset.sticker": "Label or box",
  "scan.device": "Device",
  "scan.deviceNone": "Not specified",
  "scan.accessory": "Accessory",
  "scan.everySerial": "All serials in a photo",
  "scan.sound": "Sound",
  "scan.photos": "Photos",
  "scan.empty": "Photos appear here, newest first.",
  "scan.copyAll": "Copy all",
  "scan.spreadsheet": "Download spreadsheet",
  "scan.clear": "Clear list",
  "scan.nothingToCopy": "No accepted or confirmed serials to copy yet",
  "scan.serials": { one: "{n} serial", other: "{n} serials" },
  "scan.notImages": { one: "{n} of {total} files is not an image", other: "{n} of {total} files are not images" },
  "scan.removed": { one: "Removed {n} photo from the list", other: "Removed {n} photos from the list" },
  "scan.remove": "Remove {name} from list",
  "scan.progress": "Progress of {name}",
  "scan.copy": "Copy {serial}",
  "scan.duplicate": "Duplicate (first seen {date})",
  "tally.accepted": "{n} accepted",
  "tally.uncertain": { one: "{n} needs review", other: "{n} need review" },
  "tally.refused": "{n} without serial",
  "tally.waiting": "{n} in progress",
  "tally.failed": "{n} failed",
  "sheet.serial": "Serial",
  "sheet.result": "Result",
  "sheet.firstSeen": "First seen",
  "sheet.job": "Job",
  "sheet.yes": "yes",

  // On the way
  "upload.waiting": "Waiting to send",
  "upload.sending": "Sending",
  "upload.retrying": "Retrying",
  "upload.retryIn": "{reason} Retrying in {n} s",
  "upload.queued": "In queue",
  "upload.position": "Position {n} in queue",
  "upload.reading": "Reading",
  "upload.live": "Live",
  "upload.tooLarge": "Too large: {size} MB. The limit is {limit} MB.",
  "upload.unreadable": "The browser can no longer read this file. Choose it again.",
  "upload.pasted": "pasted.png",
  "upload.resumed": { one: "Sending {n} photo left from last time", other: "Sending {n} photos left from last time" },

  // Review
  "check.title": "Review",
  "check.download": "Download confirmed photos",
  "check.downloadHint": "A labelled folder as a tar archive",
  "check.intro": "These photos need review. Enter confirms; Alt+←/→ moves.",
  "check.which": "Show",
  "check.readAs": "Read as {serial} ({confidence} confidence)",
  "check.empty": "Nothing to review",
  "check.previous": "Previous",
  "check.next": "Next",
  "check.characters": "Character by character",

  // The editor
  "editor.confirm": "Confirm",
  "editor.use": "Use {serial}",
  "editor.replace": "Replace one character",
  "editor.character": "{place}. {character} ({confidence}):",
  "editor.other": "Character {place}: {other} instead of {character}",
  "editor.confirmed": "Confirmed: {serial}",
  "editor.corrected": "Correction saved: {serial}",
  "grammar.empty": "Type the serial as shown in the photo.",
  "grammar.odd": "Serial numbers contain only letters and digits (found “{character}”).",
  "grammar.unused": "Serials never contain {letter}. Did you mean {digit}?",
  "grammar.length": { one: "That’s {n} character; serials have 10, 11 or 12 (some accessories 8).", other: "That’s {n} characters; serials have 10, 11 or 12 (some accessories 8)." },
  "grammar.digits": "Digits only: probably an IMEI or part number.",
  "grammar.third": "The third character can’t be {character}.",
  "grammar.fourth": "The fourth character can’t be {character}.",
  "grammar.fifth": "The fifth character can’t be {character}.",
  "grammar.week": "Characters 4 and 5 can’t be {characters}.",
  "grammar.eight": "Valid length for some accessories.",
  "grammar.fits": "Valid format.",

  // One photo
  "detail.back": "Back",
  "detail.progress": "Progress",
  "detail.confidence": "Confidence {confidence}",
  "detail.method": "read by {method}",
  "detail.detected": "{preset} (detected)",
  "detail.none": "No serial found",
  "detail.copy": "Copy",
  "detail.seenBefore": "Already scanned on {date}.",
  "detail.correct": "Correct the serial",
  "detail.trace": "How it was read",
  "detail.also": "Also read",
  "detail.rejected": "Rejected reads",
  "detail.strategy": "Strategy",
  "detail.time": "Time",
  "detail.result": "Result",
  "detail.characters": "Characters of {serial}",
  "detail.photo": "The photo",
  "detail.photoMarked": "The photo with {serials} marked",
  "detail.enlarged": "The serial number in the photo, enlarged",
  "doubt.other_format": "Not an Apple serial format.",
  "doubt.other_maker": "The device or the serial appears to be from another manufacturer.",
  "doubt.misread_code": "A code in the photo is almost identical, so this is probably a misreading of it.",
  "doubt.other_reading": "Something else in the photo contradicts this reading.",
  "doubt.goes_on": "There seem to be more characters before or after it.",
  "doubt.no_label": "No label identifies it as a serial number.",
  "doubt.unlike_lengths": "Other readings had a different length.",
  "doubt.doubtful_characters": "Some characters are ambiguous.",
  "doubt.small_print": "The text is very small in the photo.",
  "doubt.second_model": "A second model reads some characters differently.",
  "doubt.second_model_at": "A second model reads {places}.",
  "doubt.place": "character {place} as {character}",
  "doubt.other_device": "Another serial number appears elsewhere in the photo.",
  "doubt.placeholder": "Its characters repeat or count up, so it is probably a sample.",
  "doubt.hard_to_read": "It could not be read with enough confidence.",

  // History
  "history.title": "History",
  "history.saved": "Saved serials",
  "history.download": "Download spreadsheet",
  "history.serial": "Serial",
  "history.status": "Status",
  "history.time": "Time",
  "history.count": { one: "{n} serial", other: "{n} serials" },
  "history.page": "Page {page} of {pages}",
  "history.none": "No matching serials",
  "history.search": "Search",
  "history.searchHint": "Serial, device or file",
  "history.source": "Source",
  "history.all": "All",
  "source.scan": "Photos",
  "source.live": "Live video",
  "source.ios": "iOS",
  "source.mac": "Mac",
  "history.format": "Format",
  "history.valid": "Valid",
  "history.invalid": "Invalid",
  "history.from": "From",
  "history.to": "To",
  "history.dates": "The start date must come first.",
  "history.invalidFormat": "Invalid format",
  "history.invalidWhy": "Not a valid Apple serial number format",
  "history.duplicate": "Duplicate",
  "history.edit": "Edit",
  "history.delete": "Delete",
  "history.editOne": "Edit {serial}",
  "history.deleteOne": "Delete {serial}",
  "history.deleteAsk": "Delete {serial}? Its change history is deleted too.",
  "history.deleted": "Deleted {serial}",
  "history.preparing": "Preparing download…",
  "history.deviceType": "Device type",
  "history.changed": "Saved {serial}",
  "history.was": "{date}: {serial} ({method}, {confidence})",
  "history.unknown": "unknown",

  // Statistics
  "numbers.title": "Statistics",
  "numbers.problem": "The server reports a problem: database {database}, photos {photos}.",
  "numbers.waiting": "waiting",
  "numbers.longest": "longest {n} s",
  "numbers.estimate": "about {time} for a new photo",
  "numbers.processing": "being read",
  "numbers.perMinute": "photos per minute",
  "numbers.perMinuteMost": "photos per minute, maximum",
  "numbers.perPhoto": "seconds per photo",
  "numbers.workers": "workers running",
  "numbers.saved": "serials saved",
  "numbers.valid": "{n} in a valid format",
  "numbers.perDay": "Serials saved per day",
  "numbers.noneSaved": "No serials saved in the last {n} days",
  "numbers.byStage": "Time per photo by stage",
  "stage.queue": "In queue",
  "stage.reading": "Reading",
  "stage.store": "Saving the result",
  "numbers.strategies": "Strategies",
  "numbers.times": { one: "{n} time", other: "{n} times" },
  "numbers.noStrategies": "No photos read yet",
  "numbers.machines": "Machines",
  "numbers.busy": "{some} of {all} workers busy",
  "numbers.silent": "no heartbeat for {n} s",
  "results.hours": "Results in the last 24 hours",
  "results.days": "Results in the last {n} days",
  "results.hour": "Hour",
  "results.day": "Day",
  "results.table": "Show table",
  "results.none": "No photos read",

  // Evaluate
  "evaluate.title": "Evaluate",
  "evaluate.intro": "Reads every image of a labelled folder on the server and compares the results with {labels}. Confirmed photos can be downloaded as such a folder in Review.",
  "evaluate.dataset": "Dataset",
  "evaluate.datasetHint": "Folder name",
  "evaluate.images": { one: "{n} image", other: "{n} images" },
  "evaluate.preset": "Type of photo",
  "evaluate.start": "Start",
  "evaluate.progress": "Images read",
  "evaluate.reading": "Reading… {percent}",
  "evaluate.failed": "The evaluation failed.",
  "evaluate.total": "Images",
  "outcome.right": "Correct",
  "outcome.misread": "Wrong",
  "outcome.silent": "Missed",
  "outcome.rightly_silent": "Correctly empty",
  "outcome.unreadable": "Unreadable",
  "evaluate.answered": "Correct when it answered",
  "evaluate.overall": "Correct overall",
  "evaluate.byPreset": "By type of photo",
  "evaluate.none": "none",
  "evaluate.calibration": "Confidence calibration",
  "evaluate.calibrationHint": "Share of correct reads by confidence. On the dashed line, confidence is perfectly calibrated.",
  "evaluate.chart": "Share of correct reads by confidence",
  "evaluate.failures": "Failures: {n}",
  "evaluate.noFailures": "No failures",
  "evaluate.image": "Image {name}",
  "evaluate.expected": "Expected {serial}",
  "evaluate.expectedNone": "Expected no serial",
  "evaluate.readAs": "Read {serial} ({confidence})",

  // Keys
  "keys.title": "API keys",
  "keys.open": "No API keys exist, so anyone who can reach this server can use it. Create an admin key first to restrict access.",
  "keys.closed": "This server requires an API key.",
  "keys.create": "Create key",
  "keys.nameHint": "e.g. Front desk",
  "keys.permissions": "Permissions",
  "keys.scan": "scan: send photos, read their results and confirm them",
  "keys.read": "read: view and export all results, history and statistics",
  "keys.admin": "admin: everything, including evaluations, corrections, deletions and keys",
  "keys.choose": "Choose at least one permission",
  "keys.list": "Keys",
  "keys.created": "Created",
  "keys.lastUsed": "Last used",
  "keys.uses": { one: "{date}, {n} use", other: "{date}, {n} uses" },
  "keys.never": "Never",
  "keys.none": "No keys yet",
  "keys.revoke": "Revoke",
  "keys.revokeOne": "Revoke {name}",
  "keys.revokeAsk": "Revoke the key “{name}”? Its users lose access immediately.",
  "keys.revoked": "Revoked {date}",
  "keys.revokedOne": "Revoked the key “{name}”",
  "keys.new": "Key for {name}",
  "keys.once": "Copy it now; it won’t be shown again. Scan the code with a phone to sign in.",
  "keys.copy": "Copy key",
  "keys.copyLink": "Copy sign-in link",
  "keys.theKey": "key",
  "keys.theLink": "sign-in link",
  "keys.done": "Done",
  "keys.code": "QR code to sign in with the key for {name}",

  // Live and the camera
  "live.title": "Live",
  "live.camera": "Camera",
  "live.hint": "Tap a label or draw a box around it. Up to five at a time.",
  "live.stage": "Tap a label or draw a box around it; Enter selects the centre",
  "live.nothing": "nothing tracked",
  "live.opacity": "Overlay opacity",
  "live.overlay": "Overlay",
  "live.save": "Save accepted serials",
  "live.tracked": "Tracked objects",
  "live.front": "Front camera",
  "live.rear": "Rear camera",
  "live.reset": "Reset",
  "live.off": "Live reading is off on this server; objects are only tracked.",
  "live.speed": "{rate} frames/s · {width} × {height}",
  "live.frames": { one: "{confidence}, {n} frame", other: "{confidence}, {n} frames" },
  "live.reading": "Reading…",
  "live.following": "Tracking",
  "live.lost": "Lost",
  "live.most": "Up to {n} at a time. Reset to choose others.",
  "recording.record": "Record",
  "recording.stop": "Stop and save",
  "recording.wait": "Waiting for the camera",
  "recording.progress": "{seconds} s, {size} MB",
  "camera.blocked": "Camera access blocked",
  "camera.blockedWhy": "The browser or the device doesn’t let this page use the camera.",
  "camera.blockedHelp": "Allow the camera for this site with the icon in the address bar or in the browser’s site settings. On a phone, the browser app also needs permission to use the camera.",
  "camera.none": "No camera found",
  "camera.noneWhy": "The browser found no camera on this device.",
  "camera.noneHelp": "Connect a camera, then try again.",
  "camera.busy": "Camera in use",
  "camera.busyWhy": "Another app or tab may be using it.",
  "camera.busyHelp": "Close it, then try again.",
  "camera.failed": "The camera could not be opened",
  "camera.failedHelp": "Close other apps that use the camera, then try again.",
  "camera.photos": "You can take photos without it: {scan} opens the phone’s camera for each photo.",
  "camera.unsupported": "No camera support in this browser",
  "camera.https": "The camera needs HTTPS",
  "camera.httpsWhy": "Browsers only open the camera on HTTPS pages or on the server itself. This page was loaded over plain HTTP from {host}.",
  "camera.httpsProxy": "Put a reverse proxy with a certificate in front of the server and open that address.",
  "camera.httpsLocal": "Or, to try it, open {address} on the server itself.",

  // Shown by the service worker in place of the page
  "away.title": "Can’t reach SerialScan",
  "away.text": "This device is offline, or the server isn’t running.",
};

let table = english;
/** The language of the page: a key of `languages`. */
export let language = "en";
let locale = "en";
let plurals = new Intl.PluralRules("en");

/** Turns to a language: its texts are loaded, and numbers and times go by the browser’s own variety of it (`de-AT`). */
export async function speak(wanted) {
  const next = tables[wanted] ? (await tables[wanted]()).strings : english;
  table = next;
  language = tables[wanted] ? wanted : "en";
  locale = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
  plurals = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

/** The first of the browser’s languages that the page has. */
export const preferred = () => navigator.languages.map((tag) => tag.split("-")[0]).find((tag) => languages[tag]) ?? "en";

/** Whether there is a text for a key that the server names: a code, a doubt, a source. */
export const has = (key) => key in english;

function template(key, values) {
  const entry = table[key] ?? english[key] ?? key;
  return typeof entry === "string" ? entry : entry[plurals.select(values.n)] ?? entry.other;
}

/** The text of a key. Numbers among the values are written as the language does. */
export function t(key, values = {}) {
  return template(key, values).replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? number(values[name]) : String(values[name] ?? "")));
}

/** The text of a key in pieces, so that elements may stand in it. */
export function pieces(key, values) {
  return template(key, values).split(/\{(\w+)\}/).map((piece, index) => (index % 2 ? values[piece] : piece)).filter((piece) => piece !== "");
}

/** A number, with a fixed count of decimals where one is given. */
export const number = (value, decimals) => new Intl.NumberFormat(locale, decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);

/** A confidence with one decimal, rounded down: no read is certain, and none may seem more certain than it is. */
export const percent = (confidence) => share(Math.floor(1000 * confidence) / 1000, 1);

/** A share of 1, in percent. */
export const share = (value, decimals = 0) => new Intl.NumberFormat(locale, { style: "percent", minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);

/** A time as people write it; by default a date and the minute. */
export const when = (time, options = { dateStyle: "medium", timeStyle: "short" }) => new Intl.DateTimeFormat(locale, options).format(new Date(time));

/** A day alone. */
export const day = (time) => when(time, { dateStyle: "medium" });

/** A length of time in one unit (`second`, `minute`, `hour`), spelled out. */
export const duration = (value, unit) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(value);
