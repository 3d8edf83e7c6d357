// A labelled folder read again, to measure: what is right, misread or silent, and which pictures failed.
import { api } from "./api.js";
import { reliability } from "./chart.js";
import { el, percent, remembered, toast } from "./dom.js";

const outcomes = { right: ["right", "good"], misread: ["misread", "bad"], silent: ["silent", "quiet"], rightly_silent: ["rightly silent", "good"], unreadable: ["unreadable", "bad"] };

export async function view(main) {
  const input = el("input", { id: "dataset", list: "datasets", value: remembered.get("dataset", ""), required: true, placeholder: "pictures", autocomplete: "off" });
  const known = el("datalist", { id: "datasets" });
  const preset = el("select", {}, [["", "The picture decides"], ["etched", "etched"], ["screen", "screen"], ["sticker", "sticker"]].map(
    ([value, title]) => el("option", { value }, title)));
  const button = el("button", { type: "submit", class: "primary" }, "Start");
  const result = el("div", { class: "stack" });
  main.append(el("h1", {}, "Evaluate"),
    el("p", { class: "quiet" }, "Reads every picture of a labelled folder on the server and compares it with ",
      el("code", {}, "labels.csv"), ". Confirmed pictures of the view Check come as such a folder."),
    el("form", { class: "row options", onsubmit: start }, el("label", { for: "dataset" }, "Dataset"), input, known,
      el("label", {}, "Preset ", preset), button), result);
  let isLeft = false;
  api.get("/datasets").then(({ items }) => {
    known.append(...items.map((item) => el("option", { value: item.name }, `${item.pictures} pictures`)));
    if (!input.value && items[0]) input.value = items[0].name;
  }).catch(() => { /* the name can be typed */ });

  async function start(event) {
    event.preventDefault();
    remembered.set("dataset", input.value);
    button.disabled = true;
    try {
      const query = new URLSearchParams({ dir: input.value, async: "true", ...(preset.value ? { preset: preset.value } : {}) });
      const { job_id: task } = await api.get(`/evaluate?${query}`);
      await watch(task, input.value);
    } catch (error) {
      toast(error.message, "bad");
      result.replaceChildren(el("p", { class: "bad" }, error.message));
    } finally {
      button.disabled = false;
    }
  }

  async function watch(id, dataset) {
    const bar = el("progress", { max: 100, value: 0, "aria-label": "Pictures read" });
    const message = el("p", { role: "status" });
    result.replaceChildren(message, bar);
    while (!isLeft) {
      const task = await api.get(`/tasks/${id}`);
      bar.value = task.progress;
      message.textContent = `${task.message} (${task.progress} %)`;
      if (task.status === "failed") throw new Error(task.error ?? "It failed.");
      if (task.status === "completed") { show(task.result, dataset); return; }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  function show(evaluation, dataset) {
    const rows = evaluation.rows;
    const count = (some, outcome) => some.filter((row) => row.outcome === outcome).length;
    const tile = (name, title, kind = "") => el("div", { class: "figure" }, el("b", { class: kind }, `${evaluation[name]}${name.includes("_pct") ? " %" : ""}`),
      title, el("small", { class: "quiet" }, evaluation.definitions?.[name] ?? ""));
    const presets = [...new Set(rows.map((row) => row.preset ?? "none"))].sort();
    const failures = rows.filter((row) => !["right", "rightly_silent"].includes(row.outcome));
    result.replaceChildren(
      el("div", { class: "figures" }, tile("total", "pictures"), tile("hits", "right", "good"),
        tile("misreads", "misread", evaluation.misreads ? "bad" : ""), tile("silent", "silent"), tile("rightly_silent", "rightly silent"),
        evaluation.unreadable ? tile("unreadable", "unreadable", "bad") : null, tile("accuracy_pct_on_detected", "right where it spoke"),
        tile("accuracy_pct_overall", "right overall")),
      el("div", { class: "charts" },
        el("section", { class: "card stack" }, el("h2", {}, "By preset"), el("table", {},
          el("thead", {}, el("tr", {}, ["Preset", "Right", "Misread", "Silent", "Rightly silent"].map((title) => el("th", { scope: "col" }, title)))),
          el("tbody", {}, presets.map((name) => {
            const some = rows.filter((row) => (row.preset ?? "none") === name);
            return el("tr", {}, el("th", { scope: "row" }, name), ["right", "misread", "silent", "rightly_silent"].map((outcome) => el("td", { class: "number" }, String(count(some, outcome)))));
          })))),
        el("section", { class: "card stack" }, el("h2", {}, "How honest its confidence is"), reliability(bins(rows)),
          el("p", { class: "quiet" }, "Share of right reads by confidence. On the dashed line it is as sure as it should be."))),
      el("h2", {}, failures.length ? `Failures: ${failures.length}` : "No failures"),
      el("div", { class: "failures" }, failures.slice(0, 200).map((row) => failure(row, dataset))));
  }

  return { leave() { isLeft = true; } };
}

function bins(rows) {
  return Array.from({ length: 10 }, (_, index) => {
    const [from, to] = [index / 10, (index + 1) / 10];
    const some = rows.filter((row) => row.predicted && row.confidence >= from && (row.confidence < to || index === 9));
    const mean = some.reduce((sum, row) => sum + row.confidence, 0) / (some.length || 1);
    return { from, to, count: some.length, right: some.filter((row) => row.is_hit).length, mean };
  });
}

function failure(row, dataset) {
  const image = el("img", { alt: `Picture ${row.filename}`, loading: "lazy" });
  api.blob(`/datasets/picture?${new URLSearchParams({ dir: dataset, filename: row.filename })}`)
    .then((blob) => { image.src = URL.createObjectURL(blob); image.onload = () => URL.revokeObjectURL(image.src); })
    .catch(() => image.remove());
  const [word, kind] = outcomes[row.outcome] ?? [row.outcome, "bad"];
  return el("article", { class: "card stack" }, image, el("strong", { class: "name" }, row.filename), el("p", { class: kind }, row.error ?? word),
    el("p", {}, "is ", el("code", {}, row.expected || "none")),
    row.predicted ? el("p", {}, "read as ", el("code", {}, row.predicted), ` (${percent(row.confidence)})`) : null);
}
