// The list of clusters. Its rows stay where they are and change in place, so that they can be clicked and focused.

import { count, figure, idText, made, percent, signed, slotClass } from "./theme.js";

export class Clusters {
  constructor(list, onPick) {
    this.list = list;
    this.onPick = onPick;
    this.rows = new Map();
  }

  show(clusters, selection) {
    const sorted = [...clusters].sort((a, b) => a.id - b.id);
    const here = new Set(sorted.map((cluster) => cluster.id));
    for (const [id, row] of this.rows)
      if (!here.has(id)) {
        row.item.remove();
        this.rows.delete(id);
      }
    sorted.forEach((cluster, i) => {
      const row = this.rows.get(cluster.id) ?? this.make(cluster.id);
      if (this.list.children[i] !== row.item) this.list.insertBefore(row.item, this.list.children[i] ?? null);
      this.fill(row, cluster, selection);
    });
  }

  make(id) {
    const item = made("li");
    const button = made("button");
    button.type = "button";
    button.dataset.cluster = id;
    const parts = {
      swatch: made("span", "swatch"),
      id: made("span", "id", idText(id)),
      bar: made("span", "bar"),
      rows: made("span", "number"),
      share: made("span", "number quiet"),
      telling: made("span", "telling quiet"),
    };
    parts.fill = made("i");
    parts.bar.append(parts.fill);
    button.append(parts.swatch, parts.id, parts.bar, parts.rows, parts.share, parts.telling);
    button.addEventListener("click", () => this.onPick(id));
    item.append(button);
    const row = { item, button, ...parts };
    this.rows.set(id, row);
    return row;
  }

  fill(row, cluster, selection) {
    const picked = selection?.kind === "cluster" && selection.id === cluster.id;
    row.button.className = slotClass(cluster.slot);
    row.button.setAttribute("aria-pressed", String(picked));
    row.fill.style.width = `${100 * cluster.share}%`;
    row.share.textContent = percent(cluster.share);
    const rows = `${count(cluster.rows)} ${cluster.rows === 1 ? "row" : "rows"}`;
    row.rows.textContent = rows;
    const telling = cluster.telling
      .map(({ feature, center, deviations }) => `${feature} ${figure(center)} (${signed(deviations)}σ)`)
      .join(", ");
    row.telling.textContent = row.telling.title = telling;
    row.button.setAttribute(
      "aria-label",
      `Cluster ${idText(cluster.id)}, ${rows}, ${percent(cluster.share)}, ${cluster.nodes} ${cluster.nodes === 1 ? "node" : "nodes"}; ${telling}`,
    );
  }
}
