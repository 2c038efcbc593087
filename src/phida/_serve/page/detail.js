// Details of the selected cluster or node, or the latest events.

import { get } from "./feed.js";
import { count, figure, idText, made, percent, signed, tint } from "./theme.js";

const REFRESH = 2000; // milliseconds between two requests for the same item

export class Detail {
  constructor({ body, title, note, close }, onClose) {
    Object.assign(this, { body, title, note, close });
    this.asked = 0;
    this.about = "";
    close.addEventListener("click", onClose);
  }

  show(snapshot, selection, past) {
    this.snapshot = snapshot;
    this.close.hidden = !selection;
    const about = JSON.stringify([selection, past && snapshot.number]);
    const fresh = about !== this.about;
    this.about = about;
    if (!selection) {
      this.title.textContent = "Events";
      this.note.textContent = "the latest row first; pick a cluster or a node";
      return this.fill(events(snapshot.events ?? []), fresh);
    }
    this.title.textContent = `${selection.kind === "node" ? "Node" : "Cluster"} ${selection.id}`;
    if (past) {
      this.note.textContent = `as of row ${count(snapshot.samples)}; explanations are of the present`;
      return this.fill(remembered(snapshot, selection), fresh);
    }
    if (fresh) this.fill([made("p", "empty", "…")], true);
    if (fresh || performance.now() - this.asked > REFRESH) this.ask(selection, about);
  }

  async ask(selection, about) {
    this.asked = performance.now();
    try {
      const facts = await get(`/explain?kind=${selection.kind}&a=${selection.id}`);
      if (about !== this.about) return;
      this.note.textContent = `as of row ${count(facts.samples)}`;
      this.fill(selection.kind === "node" ? this.node(facts) : this.cluster(facts));
    } catch (error) {
      if (about !== this.about) return;
      this.note.textContent = "";
      this.fill([made("p", "empty", sentence(error.message))]);
    }
  }

  fill(parts, top = false) {
    const at = top ? 0 : this.body.scrollTop;
    this.body.replaceChildren(...parts);
    this.body.scrollTop = at;
  }

  cluster(facts) {
    const parts = [
      list([
        ["rows won", count(facts.rows)],
        ["share", percent(facts.share)],
        ["nodes", count(facts.nodes)],
        ...(facts.components === null ? [] : [["components", count(facts.components)]]),
      ]),
    ];
    if (facts.explanation) {
      parts.push(made("h3", "", `Why it is separate from cluster ${facts.other_name}, the nearest`));
      parts.push(...facts.explanation.map((line) => made("p", "", line)));
    }
    parts.push(made("h3", "", "Profile: centre, and σ from the stream's mean"));
    parts.push(profile(facts.profile, this.snapshot.slots[this.snapshot.names.indexOf(facts.name)]), ...rest(facts, facts.profile.length));
    if (facts.examples.length) parts.push(made("h3", "", "Rows that it saw"), ...facts.examples.map(example));
    if (facts.events.length) parts.push(made("h3", "", "Events"), ...events(facts.events));
    return parts;
  }

  node(facts) {
    const parts = [
      list([
        ["cluster", idText(facts.name)],
        ...(facts.terms.components ? [["component", facts.component ?? "none"]] : []),
        ["rows won", count(facts.rows)],
        [facts.terms.support, count(facts.support)],
        ["scale", figure(facts.scale)],
        ["born at row", count(facts.birth)],
        ...(facts.terms.components ? [["in prediction", facts.active ? "active" : "not active"]] : []),
      ]),
    ];
    if (facts.explanation) {
      parts.push(made("h3", "", `Why it is in one cluster with node ${facts.other}, ${facts.terms.mode}`));
      parts.push(...facts.explanation.map((line) => made("p", "", line)));
    }
    parts.push(made("h3", "", "Representative"));
    const table = made("table");
    for (const { feature, value } of facts.features) {
      const row = made("tr");
      row.append(made("td", "", feature), made("td", "number", figure(value)));
      table.append(row);
    }
    parts.push(table, ...rest(facts, facts.features.length));
    return parts;
  }
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function list(pairs) {
  const facts = made("dl", "facts");
  for (const [name, value] of pairs) {
    const pair = made("div");
    pair.append(made("dt", "", name), made("dd", "", String(value)));
    facts.append(pair);
  }
  return facts;
}

/** Features that are not shown. */
function rest(facts, shown) {
  return facts.n_features > shown ? [made("p", "quiet", `and ${count(facts.n_features - shown)} features more`)] : [];
}

/** A row in one line; a row of another model that was merged in has no number. */
function example({ row, values }) {
  const line = made("p", "example");
  const text = values.map(({ feature, value }) => `${feature} ${figure(value)}`).join(", ");
  line.append(made("span", "quiet", row === null ? "merged in: " : `row ${count(row)}: `), text);
  return line;
}

function profile(features, slot) {
  const most = Math.max(1, ...features.map(({ deviations }) => Math.abs(deviations)));
  const table = made("table");
  tint(table, slot);
  for (const { feature, center, deviations } of features) {
    const row = made("tr");
    const away = made("td", "away");
    away.append(deviation(deviations / most));
    const name = made("td", "", feature);
    name.title = feature;
    row.append(name, made("td", "number", figure(center)), away, made("td", "number", signed(deviations)));
    table.append(row);
  }
  return table;
}

/** A bar to the left or right of the middle. */
function deviation(part) {
  const make = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const drawing = make("svg", { viewBox: "-50 0 100 9", preserveAspectRatio: "none", "aria-hidden": "true" });
  const wide = 50 * Math.abs(part);
  drawing.append(make("rect", { x: part < 0 ? -wide : 0, y: 1, width: wide, height: 7 }));
  drawing.append(make("line", { x1: 0, x2: 0, y1: 0, y2: 9 }));
  return drawing;
}

function told({ kind, before, after }) {
  const ids = (list) => list.map(idText).join(", ");
  const others = (list, id) => list.filter((other) => other !== id);
  if (kind === "split") return `${ids(others(after, before[0]))} split off ${ids(before)}`;
  if (kind === "merged") return `${ids(others(before, after[0]))} merged into ${ids(after)}`;
  if (kind === "revived") return `${ids(after)} is back${before.length ? `, out of ${ids(before)}` : ""}`;
  if (kind === "died") return `${ids(before)} died`;
  return `${ids(after)} was born`;
}

function events(latest) {
  if (!latest.length) return [made("p", "empty", "No events yet.")];
  const items = made("ul");
  for (const event of [...latest].reverse()) {
    const item = made("li");
    item.append(made("span", "when", `row ${count(event.sample)}`), made("span", "", told(event)));
    items.append(item);
  }
  return [items];
}

/** Show the values that an earlier snapshot has; the server cannot add others. */
function remembered(snapshot, { kind, id }) {
  if (kind === "node") {
    const at = snapshot.nodes?.id.indexOf(id) ?? -1;
    if (at < 0) return [made("p", "empty", "This node does not exist at this time.")];
    return [
      list([
        ["cluster", idText(snapshot.names[snapshot.nodes.place[at]])],
        ["rows won", count(snapshot.nodes.rows[at])],
        ...(snapshot.terms.components ? [["in prediction", snapshot.nodes.active[at] ? "active" : "not active"]] : []),
      ]),
    ];
  }
  const cluster = snapshot.clusters.find((one) => one.name === id);
  if (!cluster && snapshot.names.includes(id)) return [made("p", "empty", "Only the largest clusters are kept of the past.")];
  if (!cluster) return [made("p", "empty", "This cluster does not exist at this time.")];
  return [
    list([
      ["rows won", count(cluster.rows)],
      ["share", percent(cluster.share)],
      ["nodes", count(cluster.nodes)],
    ]),
    profile(cluster.telling, cluster.slot),
  ];
}
