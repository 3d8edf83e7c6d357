// The server's API keys: created with permissions, shown as a QR code for phones, and revoked.
import { api, at, key } from "./api.js";
import { card, copy, el, scrollable, tableHead, toast } from "./dom.js";
import { phoneCode } from "./qr.js";
import { t, when } from "./strings.js";

const scopes = ["scan", "read", "admin"];

export async function view(main) {
	let wasOpen = false;
	const made = el("div");
	const list = el("tbody");
	const state = el("p", { class: "quiet", role: "status" });
	const name = el("input", { required: true, maxlength: 100, placeholder: t("keys.nameHint"), autocomplete: "off" });
	const boxes = scopes.map((scope) => el("input", { type: "checkbox", value: scope, checked: scope === "scan" }));
	// Shown only to users who may manage keys.
	const managing = el(
		"div",
		{ class: "stack", hidden: true },
		el(
			"form",
			{ class: "card stack", onsubmit: make },
			el("h2", {}, t("keys.create")),
			el("label", {}, t("name"), name),
			el(
				"fieldset",
				{ class: "plainSet stack" },
				el("legend", {}, t("keys.permissions")),
				scopes.map((scope, index) => el("div", {}, el("label", {}, boxes[index], ` ${t(`keys.${scope}`)}`))),
			),
			el("div", {}, el("button", { type: "submit", class: "primary" }, t("keys.create"))),
		),
		scrollable(
			t("nav.keys"),
			el(
				"table",
				{ class: "keys" },
				tableHead(
					t("name"),
					t("keys.permissions"),
					t("keys.created"),
					t("keys.lastUsed"),
					el("span", { class: "away" }, t("actions")),
				),
				list,
			),
		),
	);
	main.append(el("h1", {}, t("keys.title")), state, made, managing);

	async function load() {
		try {
			const { items, is_open: isOpen } = await api.get("/keys");
			wasOpen = isOpen;
			managing.hidden = false;
			state.textContent = t(isOpen ? "keys.open" : "keys.closed");
			if (isOpen) boxes[2].checked = true;
			list.replaceChildren(...items.map(row));
			if (items.length === 0) list.append(el("tr", {}, el("td", { colspan: 5, class: "empty" }, t("keys.none"))));
		} catch (error) {
			state.textContent = error.message;
		}
	}

	function row(item) {
		return el(
			"tr",
			{},
			el("th", { scope: "row" }, item.name),
			el("td", {}, item.scopes.join(", ")),
			el("td", { class: "nowrap", "data-title": t("keys.created") }, when(item.created_at)),
			el(
				"td",
				{ class: "nowrap", "data-title": t("keys.lastUsed") },
				item.last_used_at ? t("keys.uses", { date: when(item.last_used_at), n: item.use_count }) : t("keys.never"),
			),
			el(
				"td",
				{ class: "does" },
				item.revoked_at
					? el("span", { class: "quiet" }, t("keys.revoked", { date: when(item.revoked_at) }))
					: el("button", {
						class: "small danger",
						"aria-label": t("keys.revokeOne", { name: item.name }),
						onclick: () => revoke(item),
					}, t("keys.revoke")),
			),
		);
	}

	async function make(event) {
		event.preventDefault();
		const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
		if (chosen.length === 0) {
			toast(t("keys.choose"), "bad");
			return;
		}
		try {
			const answer = await api.send("POST", "/keys", { name: name.value.trim(), scopes: chosen });
			// From now on the server requires keys; sign in with the first one.
			if (wasOpen && chosen.includes("admin")) key.set(answer.key);
			document.getElementById("signOut").hidden = !key.get();
			// Reset the permissions, so that the next key is not an admin key by accident.
			boxes.forEach((box, index) => {
				box.checked = index === 0;
			});
			name.value = "";
			show(answer);
			await load();
		} catch (error) {
			toast(error.message, "bad");
		}
	}

	function show(answer) {
		const address = `${at("/")}#key=${answer.key}`;
		made.replaceChildren(
			card(
				t("keys.new", { name: answer.name }),
				el("p", {}, t("keys.once")),
				el("code", { class: "name", id: "newKey" }, answer.key),
				el(
					"div",
					{ class: "row" },
					el("button", { onclick: () => copy(answer.key, t("keys.theKey")) }, t("keys.copy")),
					el("button", { onclick: () => copy(address, t("keys.theLink")) }, t("keys.copyLink")),
					el("button", { onclick: () => made.replaceChildren() }, t("keys.done")),
				),
				phoneCode(address, t("keys.code", { name: answer.name })),
			),
		);
		made.scrollIntoView({ block: "nearest" });
	}

	async function revoke(item) {
		if (!confirm(t("keys.revokeAsk", { name: item.name }))) return;
		try {
			await api.send("DELETE", `/keys/${item.id}`);
			toast(t("keys.revokedOne", { name: item.name }));
			load();
		} catch (error) {
			toast(error.message, "bad");
		}
	}

	await load();
	return {};
}
