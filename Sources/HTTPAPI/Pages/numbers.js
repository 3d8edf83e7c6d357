// How the server is doing: the queue, the pace, the stages of a photo, verdicts, workers.
import { api, at } from "./api.js";
import { stackedBars } from "./chart.js";
import { el } from "./dom.js";
import { latestDays, verdictCards } from "./verdicts.js";

const stageNames = { queue: "Waiting in the queue", reading: "Reading", store: "Storing the result" };
const shownDays = 14;

export async function view(main) {
  const figures = el("div", { class: "figures" });
  const charts = el("div", { class: "charts" });
  const fault = el("p", { class: "bad", role: "status" });
  const overTime = verdictCards(shownDays);
  main.append(el("h1", {}, "Numbers"), fault, figures, el("div", { class: "charts" }, overTime.nodes), charts);
  const pace = [];
  let timer;
  let isLeft = false;

  async function update() {
    try {
      const [queue, health, stats, text] = await Promise.all([api.get("/queue/status"),
        fetch(at("/health")).then((response) => response.json()), api.get(`/stats?days=${shownDays}`),
        api.request("/metrics").then((response) => response.text())]);
      if (isLeft) return;
      fault.textContent = health.status === "healthy" ? "" : `The server is not well: database ${health.database}, photos ${health.photos}.`;
      const metrics = parse(text);
      note(queue);
      figures.replaceChildren(...tiles(queue, health, stats));
      overTime.update(stats);
      charts.replaceChildren(...pictures(metrics, stats, queue.machines ?? []));
    } catch (error) {
      fault.textContent = error.message;
    }
    if (!isLeft) timer = setTimeout(update, 3000);
  }

  // Reads a minute over the last minute that this view was open.
  function note(queue) {
    const now = performance.now();
    pace.push({ now, ended: queue.completed + queue.failed });
    while (pace.length > 2 && now - pace[0].now > 60_000) pace.shift();
  }

  function perMinute(queue) {
    const [first, last] = [pace[0], pace.at(-1)];
    if (last.now - first.now < 2000) return queue.seconds_per_photo ? Math.round(60 / queue.seconds_per_photo * queue.workers) : "—";
    return Math.round(60_000 * Math.max(0, last.ended - first.ended) / (last.now - first.now));
  }

  function tiles(queue, health, stats) {
    const tile = (value, title, more = "") => el("div", { class: "figure" }, el("b", {}, String(value)), title,
      more ? el("div", { class: "quiet" }, more) : null);
    return [
      tile(queue.queued, "wait", queue.oldest_waiting_seconds ? `longest ${Math.round(queue.oldest_waiting_seconds)} s` : `${queue.estimated_wait_time} for a new one`),
      tile(queue.processing, "being read"),
      tile(perMinute(queue), pace.length > 1 ? "reads a minute now" : "reads a minute at most"),
      tile(queue.seconds_per_photo ? queue.seconds_per_photo.toFixed(2) : "—", "seconds a photo"),
      tile(`${health.workers.running} of ${health.workers.configured}`, "workers"),
      tile(stats.total_serials.toLocaleString(), "serials saved", `${stats.valid_serials.toLocaleString()} fit the grammar`),
    ];
  }

  function pictures(metrics, stats, machines) {
    const days = latestDays(shownDays).map(([name, label]) => ({ label, parts: [[stats.by_day[name] ?? 0, "fillAccent"]] }));
    const saved = days.filter((day) => day.parts[0][0] > 0);
    const card = (title, ...children) => el("section", { class: "card stack" }, el("h2", {}, title), children);
    return [
      card("Serials saved a day", saved.length === 0 ? el("p", { class: "quiet" }, `None in the last ${shownDays} days.`)
        : stackedBars(saved.map((day) => `${day.label}: ${day.parts[0][0]}`).join(", "), days)),
      card("Time of a photo by stage", el("table", {}, el("tbody", {}, Object.entries(stageNames).map(([stage, title]) => {
        const count = sum(metrics, "serialscan_stage_seconds_count", { stage });
        const seconds = sum(metrics, "serialscan_stage_seconds_sum", { stage });
        return el("tr", {}, el("th", { scope: "row" }, title), el("td", { class: "number" }, count ? `${(seconds / count).toFixed(3)} s` : "—"));
      })))),
      card("Strategies", strategies(metrics)),
      card("Machines", el("table", {}, el("tbody", {}, machines.map(machineRow)))),
    ];
  }

  await update();
  return { leave() { isLeft = true; clearTimeout(timer); } };
}

function machineRow(machine) {
  const silence = Math.round(machine.seconds_since_beat);
  return el("tr", {}, el("th", { scope: "row" }, machine.name, machine.version ? el("span", { class: "quiet" }, ` ${machine.version}`) : null),
    el("td", { class: "number" }, `${machine.reading} of ${machine.workers ?? "?"} workers read`),
    el("td", { class: "number" }, silence > 3 ? `silent for ${silence} s` : ""));
}

function strategies(metrics) {
  const names = [...new Set(metrics.filter((line) => line.name === "serialscan_strategy_seconds_count").map((line) => line.labels.strategy))];
  if (names.length === 0) return el("p", { class: "quiet" }, "None yet.");
  return el("table", {}, el("tbody", {}, names.map((strategy) => {
    const count = sum(metrics, "serialscan_strategy_seconds_count", { strategy });
    return el("tr", {}, el("th", { scope: "row" }, strategy), el("td", { class: "number" }, `${count} times`),
      el("td", { class: "number" }, `${(sum(metrics, "serialscan_strategy_seconds_sum", { strategy }) / count).toFixed(3)} s`));
  })));
}

/** Lines of Prometheus' text form. */
function parse(text) {
  return text.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => {
    const [, name, labels = "", value] = line.match(/^(\w+)(?:\{(.*)\})? (\S+)/) ?? [];
    return { name, labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, label]) => [key, label])), value: Number(value) };
  });
}

function sum(metrics, name, labels) {
  return metrics.filter((line) => line.name === name && Object.entries(labels).every(([key, value]) => line.labels[key] === value))
    .reduce((total, line) => total + line.value, 0);
}
