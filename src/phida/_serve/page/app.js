// The page: data from the server, the displayed snapshot, the selection, and the parts that draw them.

import { Bands } from "./bands.js";
import { Clusters } from "./clusters.js";
import { Curve } from "./curve.js";
import { Detail } from "./detail.js";
import { Diagram } from "./diagram.js";
import { get, listen, post } from "./feed.js";
import { NodeMap } from "./map.js";
import { count, figure } from "./theme.js";

const part = (id) => document.getElementById(id);

let latest = null; // the newest snapshot
let past = null; // the displayed earlier snapshot, if any
let trail = []; // columns of earlier snapshots
let linked = false;
let selection = null; // { kind: "cluster" | "node", id }

// Clusters are selected by name, nodes by id.
const pick = (kind) => (id) => {
  selection = id === null || (selection?.kind === kind && selection.id === id) ? null : { kind, id };
  show(true);
};
export const map = new NodeMap(part("map"), part("tip"), pick("node"));
const bands = new Bands(part("bands"), (id) => pick("cluster")(id === null ? null : String(id)));
const diagram = new Diagram(part("diagram"), pick("node"));
const clusters = new Clusters(part("clusters"), pick("cluster"));
const detail = new Detail(
  { body: part("detail"), title: part("detail-title"), note: part("detail-note"), close: part("close") },
  () => pick("none")(null),
);
const curves = [
  new Curve(part("rate-curve"), "rate"),
  new Curve(part("vigilance-curve"), "vigilance"),
  new Curve(part("nodes-curve"), "n_nodes"),
];

function show(jump = false) {
  showState();
  const shown = past ?? latest;
  if (!shown) return;
  showFigures(shown);
  map.show(shown, selection, jump);
  clusters.show(shown.clusters, shown.n_clusters ?? 0, selection);
  diagram.show(shown, selection);
  detail.show(shown, selection, past !== null);
  showTimes();
}

/** The parts that also change while an earlier snapshot is displayed: bands, curves and slider. */
function showTimes() {
  const columns = [...trail];
  if (latest.nodes && latest.number !== columns.at(-1)?.number) columns.push(asColumn(latest));
  bands.show(columns, latest.events, selection, past?.samples ?? null);
  for (const curve of curves) curve.show(columns);
  showSlider();
}

/** Make a column of the trail as the server does: one band per id. */
function asColumn(snapshot) {
  const found = new Map();
  for (const { id, slot, share, rows } of snapshot.clusters) {
    const [, first, shares, sum] = found.get(id) ?? [id, slot, 0, 0];
    found.set(id, [id, first, shares + share, sum + rows]);
  }
  return { ...snapshot, bands: [...found.values()] };
}

function showState() {
  const stream = latest?.state ?? "connecting";
  const state = !linked ? "lost" : past && stream === "learning" ? "past" : stream;
  const chip = part("state");
  const texts = { lost: "not connected", past: "looking back" };
  chip.textContent = texts[state] ?? (past ? `${state}, looking back` : state);
  chip.className = `chip ${state}`;
  part("source").textContent = latest?.source ?? "";
  const notes = { lost: "The server does not respond; reconnecting.", past: "Learning continues; press Live to return to it." };
  const bad = latest?.bad_rows ? `${count(latest.bad_rows)} bad ${latest.bad_rows === 1 ? "row" : "rows"} skipped.` : "";
  const scores = Object.entries(latest?.scores ?? {}).map(([name, value]) => `${name.toUpperCase()} ${value.toFixed(3)}`);
  const label = scores.length ? `Against the label: ${scores.join(", ")}.` : "";
  const said = [latest?.note, bad, label].filter(Boolean).join(" ");
  part("note").textContent = part("note").title = notes[state] ?? said;
  const button = part("pause");
  const ended = ["ended", "failed"].includes(latest?.state);
  button.hidden = ended; // nothing is left to pause
  button.disabled = !linked || !["learning", "paused"].includes(latest?.state);
  button.textContent = latest?.state === "paused" ? "Resume learning" : "Pause learning";
}

function showFigures(shown) {
  for (const name of ["samples", "n_nodes", "n_clusters", "n_components"]) part(name).textContent = count(shown[name]);
  part("rate").textContent = shown.rate < 10 && shown.rate > 0 ? shown.rate.toFixed(1) : count(shown.rate);
  part("vigilance").textContent = figure(shown.vigilance);
  showClarity(shown.clarity);
  part("advice").textContent = (shown.advice ?? []).join(" ");
  part("advice").hidden = !shown.advice?.length;
  const { terms } = shown;
  for (const element of document.querySelectorAll(".published")) element.hidden = !terms?.components;
  for (const element of document.querySelectorAll(".plus"))
    element.hidden = !terms || terms.components || !shown.edges[0].length;
  part("diagram-note").textContent = terms ? `of log ${terms.measure}` : "";
}

/** Show the clarity of the number of clusters; for PHIDA, of its cuts by persistence and of the hierarchy. */
function showClarity(found) {
  const { persistence, hierarchy, clarity, text } = found ?? {};
  const values = clarity === undefined ? [persistence, hierarchy] : [clarity];
  part("clarity").textContent = values.map((value) => ((value ?? null) === null ? "–" : value.toFixed(2))).join(" · ");
  part("clarity").title = text ?? "";
}

/** Set up the slider below the bands, whose values are rows. */
function showSlider() {
  const slider = part("past");
  slider.disabled = trail.length === 0;
  if (trail.length === 0) return;
  slider.min = trail[0].samples;
  slider.max = latest.samples;
  slider.value = past ? past.samples : latest.samples;
  const text = past ? `row ${count(past.samples)}` : "now";
  part("when").textContent = text;
  slider.setAttribute("aria-valuetext", text);
  part("live").disabled = !past;
}

/** Return the column whose row is nearest, or the end of the list if the present is nearer. */
function nearest(samples) {
  let best = trail.length;
  let least = Math.abs(latest.samples - samples);
  trail.forEach((column, i) => {
    const away = Math.abs(column.samples - samples);
    if (away < least) [best, least] = [i, away];
  });
  return best;
}

let wanted = null; // number of the last requested snapshot
async function lookBack(at) {
  const column = trail[at];
  wanted = column?.number ?? null;
  if (!column) {
    past = null;
    return show(true);
  }
  try {
    const found = await get(`/state?at=${column.number}`);
    if (wanted !== column.number) return;
    past = found;
  } catch {
    past = null; // removed by thinning in the meantime
  }
  show(true);
}

part("past").addEventListener("input", (event) => lookBack(nearest(Number(event.target.value))));
part("past").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
  if (!step) return;
  event.preventDefault(); // one snapshot per key press, not one row
  const at = past ? trail.findIndex((column) => column.number >= past.number) : trail.length;
  lookBack(Math.max(0, Math.min(trail.length, (at < 0 ? trail.length : at) + step)));
});
part("live").addEventListener("click", () => lookBack(trail.length));
part("pause").addEventListener("click", async (event) => {
  event.target.disabled = true;
  try {
    await post(latest.state === "paused" ? "/resume" : "/pause");
  } catch (error) {
    part("note").textContent = error.message;
  }
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && selection) pick("none")(null);
});

listen({
  onLink(up) {
    linked = up;
    showState();
  },
  onTrail({ from, columns }) {
    trail = [...trail.slice(0, from), ...columns];
  },
  onSnapshot(snapshot) {
    if (latest && latest.run !== snapshot.run) {
      // another run of the server: data of the old run is invalid
      past = selection = wanted = null;
      bands.forget();
    }
    latest = snapshot;
    if (past) {
      showState();
      showTimes();
    } else show();
  },
});
