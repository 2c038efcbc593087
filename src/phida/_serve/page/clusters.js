// The list of clusters, largest first. Its rows are reused and moved, so that clicks and focus stay with their cluster.

import { count, figure, made, percent, signed, tint } from "./theme.js";

const MOST = 20; // number of rows
const ALIKE = 0.05; // features within this many standard deviations of the mean are not named

export class Clusters {
  constructor(list, onPick) {
    this.list = list;
    this.onPick = onPick;
    this.rows = new Map();
    this.more = made("li", "more quiet");
  }

  /** `clusters`: the largest first; `total`: how many there are. */
  show(clusters, total, selection) {
    const shown = clusters.slice(0, MOST);
    const here = new Set(shown.map((cluster) => cluster.name));
    const focused = this.list.contains(document.activeElement) ? document.activeElement : null;
    for (const [name, row] of this.rows)
      if (!here.has(name)) {
        row.item.remove();
        this.rows.delete(name);
      }
    shown.forEach((cluster, i) => {
      const row = this.rows.get(cluster.name) ?? this.make(cluster.name);
      if (this.list.children[i] !== row.item) this.list.insertBefore(row.item, this.list.children[i] ?? null);
      this.fill(row, cluster, shown[0].share, selection);
    });
    this.list.style.setProperty("--name", `${Math.max(3, ...shown.map(({ name }) => name.length))}ch`);
    this.more.textContent = `and ${count(total - shown.length)} more`;
    if (total > shown.length) this.list.append(this.more);
    else this.more.remove();
    // a row loses its focus when it moves
    if (focused !== document.activeElement) focused?.focus({ preventScroll: true });
  }

  make(name) {
    const item = made("li");
    const button = made("button");
    button.type = "button";
    button.dataset.cluster = name;
    const parts = {
      swatch: made("span", "swatch"),
      name: made("span", "id", name),
      bar: made("span", "bar"),
      rows: made("span", "number"),
      share: made("span", "number quiet"),
      telling: made("span", "telling quiet"),
    };
    parts.fill = made("i");
    parts.bar.append(parts.fill);
    button.append(parts.swatch, parts.name, parts.bar, parts.rows, parts.share, parts.telling);
    button.addEventListener("click", () => this.onPick(name));
    item.append(button);
    const row = { item, button, ...parts };
    this.rows.set(name, row);
    return row;
  }

  /** The bar is full for the largest cluster. */
  fill(row, cluster, largest, selection) {
    const picked = selection?.kind === "cluster" && selection.id === cluster.name;
    tint(row.button, cluster.slot);
    row.button.setAttribute("aria-pressed", String(picked));
    row.fill.style.width = `${(100 * cluster.share) / largest}%`;
    row.share.textContent = percent(cluster.share);
    const rows = `${count(cluster.rows)} ${cluster.rows === 1 ? "row" : "rows"}`;
    row.rows.textContent = rows;
    const means = cluster.telling
      .filter(({ deviations }) => Math.abs(deviations) >= ALIKE)
      .map(({ feature, center, deviations }) => `${feature} ${figure(center)} (${signed(deviations)}σ)`)
      .join(", ");
    const unconfirmed = cluster.name === String(cluster.id) ? "" : `split from ${cluster.id} not confirmed`;
    const telling = [unconfirmed, means].filter(Boolean).join("; ");
    row.telling.textContent = row.telling.title = telling;
    row.button.setAttribute(
      "aria-label",
      `Cluster ${cluster.name}, ${rows}, ${percent(cluster.share)}, ${cluster.nodes} ${cluster.nodes === 1 ? "node" : "nodes"}; ${telling}`,
    );
  }
}
