// Retaking a photo: opens the camera in a dialog, and the new photo replaces the old one.
import { cancelButton, el, openDialog, photoInputs } from "./dom.js";
import { t } from "./strings.js";
import { thumbnail, titleOf } from "./thumbnail.js";
import { isPossible, viewfinder } from "./viewfinder.js";

/** Opens the camera for a job. Calls `taken` with the new photo and a preview; `later` marks the photo for retaking. */
export function retake(job, { taken, later }) {
	const title = `retake-${job.job_id}`;
	const name = titleOf(job.filename, job.created_at);
	const small = thumbnail(name);
	small.update(job.thumbnail_url);
	const finder = viewfinder({
		onPhoto: (file, preview) => {
			dialog.close();
			taken(file, preview);
		},
		onClose: () => dialog.close(),
	});
	const chosen = (event) => {
		const [file] = event.target.files;
		if (file) {
			dialog.close();
			taken(file);
		}
	};
	const [file, camera] = photoInputs([`${title}-file`, `${title}-camera`], chosen);
	const dialog = el(
		"dialog",
		{
			class: "sheet",
			"aria-labelledby": title,
			onclose: () => {
				finder.leave();
				dialog.remove();
			},
		},
		el(
			"div",
			{ class: "stack" },
			el("div", { class: "row" }, small.node, el("h2", { id: title }, t("retake.title", { title: name }))),
			el("p", { class: "quiet" }, t("retake.hint")),
			finder.node,
			el(
				"div",
				{ class: "row" },
				isPossible()
					? null
					: el("label", { class: "button primary onlyTouch", for: `${title}-camera` }, t("scan.take")),
				isPossible() ? null : camera,
				el("label", { class: "button", for: `${title}-file` }, t("retake.choose")),
				file,
				later
					? el("button", {
						onclick: () => {
							dialog.close();
							later();
						},
					}, t("retake.later"))
					: null,
				cancelButton(),
			),
		),
	);
	openDialog(dialog);
	// Focus the shutter, so that the space bar takes the photo.
	if (isPossible()) {
		finder.open().then((isThere) => {
			if (isThere) finder.focus();
		});
	}
}
