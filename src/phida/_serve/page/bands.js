// The lineage: each cluster's share of new rows, as a band along the row number.

import { colours, compact, count, idText, pointOn, slotColour, surface } from "./theme.js";

const FOOT = 16; // room for the row numbers below the bands
const HEAD = 9; // room for the events above the bands
const LATE = 300; // minimum number of rows for a share
const OTHERS = null; // key of the clusters too small for a band
const SIGNS = { born: "+", split: "<", merged: ">", died: "×", revived: "↑" };

export class Bands {
  constructor(canvas, onPick) {
    this.canvas = canvas;
    this.order = []; // ids from bottom to top; a part that split off is drawn on top of its origin
    this.columns = [];
    this.events = new Map();
    this.at = null;
    this.draw = surface(canvas, (context, width, height) => this.paint(context, width, height));
    canvas.addEventListener("click", (event) => onPick(this.hit(...pointOn(canvas, event))));
    canvas.addEventListener("pointermove", (event) => {
      const id = this.hit(...pointOn(canvas, event));
      canvas.classList.toggle("over", id !== null);
      canvas.title = id === null ? "" : `cluster ${idText(id)}`;
    });
  }

  forget() {
    this.order = [];
    this.events.clear();
  }

  /** Columns of the trail, with the present as the last; `at`: samples of an earlier snapshot on display. */
  show(columns, events, selection, at) {
    this.columns = columns;
    this.selection = selection;
    this.at = at;
    for (const event of events ?? []) this.events.set(event.number, event);
    const known = new Set([...this.order, OTHERS]);
    for (const column of columns)
      for (const [id] of column.bands)
        if (!known.has(id)) {
          known.add(id);
          this.insert(id);
        }
    const shown = new Set(columns.flatMap((column) => column.bands.map(([id]) => id)));
    this.order = this.order.filter((id) => shown.has(id));
    if (columns.some((column) => others(column) > 0)) this.order.push(OTHERS);
    const first = columns[0]?.samples ?? 0;
    for (const [number, event] of this.events) if (event.sample < first) this.events.delete(number);
    this.draw();
  }

  insert(id) {
    const came = [...this.events.values()].find((e) => e.before.length && e.after.includes(id) && e.before[0] !== id);
    const below = came ? this.order.indexOf(came.before[0]) : -1;
    this.order.splice(below < 0 ? this.order.length : below + 1, 0, id);
  }

  /** Return the lower and upper end of each band per column, from 0 at the bottom to 1. */
  stack() {
    return this.won().map((rows) => {
      const total = [...rows.values()].reduce((sum, value) => sum + value, 0) || 1;
      let height = 0;
      return this.order.map((id) => [height, (height += (rows.get(id) ?? 0) / total)]);
    });
  }

  /** Return the rows that each id won recently, per column: over so many rows that chance does not show. */
  won() {
    const { columns } = this;
    const rows = columns.map((column) => new Map([...column.bands.map(([id, , , won]) => [id, won]), [OTHERS, others(column)]]));
    const span = Math.max(LATE, (columns.at(-1).samples - columns[0].samples) / 60);
    let from = 0;
    let shown = rows[0];
    return columns.map((column, i) => {
      while (from + 1 < i && columns[from + 1].samples <= column.samples - span) from++;
      const learned = column.samples - columns[from].samples;
      if (learned < span) return (shown = rows[i]); // all rows so far
      const late = new Map([...rows[i]].map(([id, won]) => [id, Math.max(0, won - (rows[from].get(id) ?? 0))]));
      const total = [...late.values()].reduce((sum, value) => sum + value, 0);
      // A cluster that splits or merges takes older rows along: until these are out of the window, shares stay as they
      // were.
      if (total > 0 && total <= 1.1 * learned) shown = late;
      return shown;
    });
  }

  scales(width, height) {
    const [left, right] = [this.columns[0].samples, this.columns.at(-1).samples];
    return [
      (samples) => (right > left ? (width * (samples - left)) / (right - left) : width),
      (share) => HEAD + (height - HEAD - FOOT) * (1 - share),
    ];
  }

  paint(context, width, height) {
    if (this.columns.length < 2) return;
    const [x, y] = this.scales(width, height);
    const stack = this.stack();
    const slot = new Map(this.columns.flatMap((column) => column.bands.map(([id, value]) => [id, value])));
    const gap = Math.min(1, height / this.order.length / 8); // thin bands would consist of their outlines
    this.order.forEach((id, k) => {
      context.beginPath();
      this.columns.forEach((column, i) => context.lineTo(x(column.samples), y(stack[i][k][1])));
      for (let i = this.columns.length - 1; i >= 0; i--) context.lineTo(x(this.columns[i].samples), y(stack[i][k][0]));
      const picked = this.selection?.kind === "cluster" ? parseInt(this.selection.id) === id : true; // 3.2 is part of 3
      context.globalAlpha = picked ? 0.85 : 0.2;
      context.fillStyle = id === OTHERS ? colours.line : slotColour(slot.get(id));
      context.fill();
      context.strokeStyle = colours.panel;
      context.lineWidth = gap;
      context.stroke();
    });
    context.globalAlpha = 1;
    this.names(context, width, y, stack.at(-1));
    this.marks(context, x, width);
    this.axis(context, width, height);
    if (this.at !== null) {
      context.fillStyle = colours.ink;
      context.fillRect(Math.min(width - 1.5, x(this.at)), HEAD - 4, 1.5, height - HEAD - FOOT + 4);
    }
  }

  /** Write ids at the right ends of bands that are thick enough. */
  names(context, width, y, last) {
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.font = "600 11.5px system-ui, sans-serif";
    this.order.forEach((id, k) => {
      const [low, high] = last[k];
      if (y(low) - y(high) < 13) return;
      const text = id === OTHERS ? "others" : idText(id);
      const middle = (y(low) + y(high)) / 2;
      const wide = context.measureText(text).width;
      context.fillStyle = colours.panel;
      context.globalAlpha = 0.8;
      context.beginPath();
      context.roundRect(width - wide - 11, middle - 7, wide + 8, 14, 4);
      context.fill();
      context.globalAlpha = 1;
      context.fillStyle = colours.ink;
      context.fillText(text, width - 7, middle + 0.5);
    });
  }

  marks(context, x, width) {
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    context.font = "600 10px system-ui, sans-serif";
    context.fillStyle = colours.quiet;
    let end = -Infinity;
    for (const event of [...this.events.values()].sort((a, b) => a.sample - b.sample)) {
      const at = Math.max(4, Math.min(width - 4, x(event.sample)));
      if (at - end < 8) continue;
      context.fillText(SIGNS[event.kind] ?? "·", at, 7);
      end = at;
    }
  }

  axis(context, width, height) {
    const [left, right] = [this.columns[0].samples, this.columns.at(-1).samples];
    context.font = "11.5px system-ui, sans-serif";
    context.fillStyle = colours.quiet;
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    context.fillText(`row ${count(left)}`, 0, height - 3);
    context.textAlign = "right";
    context.fillText(count(right), width, height - 3);
    if (width > 240) {
      context.textAlign = "center";
      context.fillText(compact((left + right) / 2), width / 2, height - 3);
    }
  }

  hit(px, py) {
    if (this.columns.length < 2) return null;
    const { width, height } = this.canvas.getBoundingClientRect();
    const [x, y] = this.scales(width, height);
    let i = this.columns.findIndex((column) => x(column.samples) >= px);
    if (i < 0) i = this.columns.length - 1;
    const k = this.stack()[i].findIndex(([low, high]) => high > low && py <= y(low) && py >= y(high));
    return k < 0 ? null : this.order[k];
  }
}

/** Return the rows of the clusters without a band. */
const others = ({ won, bands }) => bands.reduce((left, [, , , rows]) => left - rows, won);
