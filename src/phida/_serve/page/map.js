// The nodes on the projection; they move smoothly to their new positions.

import { calm, colours, count, outlined, pointOn, slotColour, surface } from "./theme.js";

const GLIDE = 260; // milliseconds
const MARGIN = 26;
const AXIS = 16; // room for the names of the axes
const NAMED = 40; // maximum number of named clusters, largest first
const COVERED = 0.14; // share of the map that dots would cover without overlap
const [WIDEST, LEAST] = [15, 0.9]; // largest and smallest radius of a dot
const WIDTH = 4; // numbers per node: x, y, radius, presence

/** Return whether two boxes, each [left, top, right, bottom], overlap. */
const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

export class NodeMap {
  constructor(canvas, tip, onPick) {
    this.canvas = canvas;
    this.tip = tip;
    this.forget();
    this.box = null; // start, end and current values of [x, y, reach]
    this.selection = null;
    this.began = 0;
    this.draw = surface(canvas, (context, width, height) => this.paint(context, width, height));
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("click", (event) => {
      const at = this.hit(...pointOn(canvas, event));
      onPick(at < 0 ? null : this.ids[at]);
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        onPick(this.next(step));
      } else if (event.key === "Escape") onPick(null);
    });
  }

  forget() {
    this.ids = [];
    this.at = new Map(); // id -> position
    this.from = this.to = this.now = new Float64Array(0);
    this.order = []; // positions, the heaviest first, so that light nodes are drawn over heavy ones
    this.edges = [[], []];
    this.axes = ["", ""];
  }

  show(snapshot, selection, jump) {
    this.selection = selection;
    this.facts = snapshot.nodes;
    this.names = snapshot.names ?? [];
    this.slots = snapshot.slots ?? [];
    if (snapshot.nodes) this.take(snapshot);
    else this.forget();
    this.began = performance.now() - (jump || calm.matches ? GLIDE : 0);
    if (!this.gliding) this.glide();
  }

  take(snapshot) {
    const { nodes } = snapshot;
    const [before, now] = [this.at, this.now];
    const weights = nodes[snapshot.terms.area];
    const radius = this.radii(weights);
    this.ids = nodes.id;
    this.at = new Map(nodes.id.map((id, i) => [id, i]));
    this.to = new Float64Array(WIDTH * nodes.id.length);
    this.from = new Float64Array(WIDTH * nodes.id.length);
    nodes.id.forEach((id, i) => {
      const to = [nodes.x[i] ?? 0, nodes.y[i] ?? 0, radius(weights[i]), 1];
      const was = before.get(id);
      const from = was === undefined ? [to[0], to[1], 0, 0] : now.subarray(WIDTH * was, WIDTH * (was + 1));
      this.to.set(to, WIDTH * i);
      this.from.set(from, WIDTH * i);
    });
    this.now = this.from.slice();
    this.order = nodes.id.map((_, i) => i).sort((a, b) => weights[b] - weights[a] || a - b);
    this.edges = snapshot.edges;
    this.between = !snapshot.terms.components; // edges connect clusters, not nodes of one cluster
    this.axes = snapshot.axes ?? ["", ""];
    this.frame(nodes.x, nodes.y);
  }

  /** Return a function from weight to radius: a dot's share of the covered area is its share of the weight. */
  radii(weights) {
    const { width, height } = this.canvas.getBoundingClientRect();
    const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
    const most = weights.reduce((largest, weight) => Math.max(largest, weight), 0) || 1;
    const widest = WIDEST * Math.min(1, width / 600, height / 400);
    const scale = Math.min(Math.sqrt((COVERED * width * height) / (Math.PI * total)), widest / Math.sqrt(most));
    return (weight) => Math.max(LEAST, scale * Math.sqrt(weight));
  }

  frame(xs, ys) {
    const ends = (values) => [Math.min(...values), Math.max(...values)];
    const [[left, right], [low, high]] = [ends(xs), ends(ys)];
    const to = [(left + right) / 2, (low + high) / 2, (right - left) / 2 || 1, (high - low) / 2 || 1];
    this.box = { from: this.box?.now ?? to, to, now: this.box?.now ?? to };
  }

  glide() {
    const t = Math.min(1, (performance.now() - this.began) / GLIDE);
    const eased = t * (2 - t);
    const { from, to, now, box } = this;
    for (let i = 0; i < now.length; i++) now[i] = from[i] + eased * (to[i] - from[i]);
    if (box) box.now = box.to.map((value, i) => box.from[i] + eased * (value - box.from[i]));
    this.draw();
    this.gliding = t < 1;
    if (this.gliding) requestAnimationFrame(() => this.glide());
  }

  /** Return functions from the two coordinates of a node to the canvas. */
  place(width, height) {
    const [x, y, wide, high] = this.box.now;
    const across = Math.max(1, width - AXIS - 2 * MARGIN) / 2 / wide; // each axis uses the full side of the panel
    const down = Math.max(1, height - AXIS - 2 * MARGIN) / 2 / high;
    return [
      (i) => (width + AXIS) / 2 + (this.now[WIDTH * i] - x) * across,
      (i) => (height - AXIS) / 2 - (this.now[WIDTH * i + 1] - y) * down,
    ];
  }

  /** Return the position of a node on the canvas. */
  where(id) {
    const { width, height } = this.canvas.getBoundingClientRect();
    const [x, y] = this.place(width, height);
    return [x(this.at.get(id)), y(this.at.get(id))];
  }

  clusterOf(i) {
    const place = this.facts.place[i];
    return place === null ? null : this.names[place];
  }

  dimmed(i) {
    const { kind, id } = this.selection ?? {};
    return kind === "cluster" ? this.clusterOf(i) !== id : kind === "node" ? this.ids[i] !== id : false;
  }

  paint(context, width, height) {
    if (!this.ids.length) {
      context.fillStyle = colours.quiet;
      context.textAlign = "center";
      context.fillText("no row has been learned yet", width / 2, height / 2);
      return;
    }
    const place = this.place(width, height);
    if (!this.between) this.lines(context, place, colours.edge, 0.8);
    this.dots(context, place);
    if (this.between) this.bridges(context, place);
    this.ring(context, place);
    this.write(context, place, width);
    this.axisNames(context, width, height);
  }

  lines(context, [x, y], colour, width) {
    const [source, target] = this.edges;
    context.beginPath();
    source.forEach((a, k) => {
      context.moveTo(x(a), y(a));
      context.lineTo(x(target[k]), y(target[k]));
    });
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.globalAlpha = this.selection ? 0.4 : 1;
    context.stroke();
    context.globalAlpha = 1;
  }

  /** Draw the lines between clusters over the dots, which would hide short lines. */
  bridges(context, place) {
    context.lineCap = "round";
    this.lines(context, place, colours.panel, 3.5);
    this.lines(context, place, colours.quiet, 1.5);
    context.lineCap = "butt";
  }

  dots(context, [x, y]) {
    const { now, facts, slots } = this;
    const dim = this.selection?.kind === "node" ? 0.35 : 0.16;
    const thin = this.ids.length > 600;
    for (const i of this.order) {
      const radius = now[WIDTH * i + 2];
      const colour = slotColour(slots[facts.place[i]]);
      context.globalAlpha = now[WIDTH * i + 3] * (this.dimmed(i) ? dim : 0.85);
      context.beginPath();
      context.arc(x(i), y(i), radius, 0, 7);
      if (facts.active[i]) {
        context.fillStyle = colour;
        context.fill();
        if (radius < 1.5) continue; // an outline would hide it
        context.lineWidth = thin ? 0.4 : 1;
        context.strokeStyle = colours.panel;
      } else {
        context.lineWidth = 1.5;
        context.strokeStyle = colour;
      }
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  ring(context, [x, y]) {
    const i = this.selection?.kind === "node" ? this.at.get(this.selection.id) : undefined;
    if (i === undefined) return;
    context.beginPath();
    context.arc(x(i), y(i), this.now[WIDTH * i + 2] + 3.5, 0, 7);
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.6;
    context.stroke();
  }

  /** Write the strongest features of each axis. */
  axisNames(context, width, height) {
    const write = (text, room) => {
      let shown = text;
      while (shown.length > 1 && context.measureText(`${shown}…`).width > room) shown = shown.slice(0, -1);
      context.fillText(shown === text ? text : `${shown}…`, 0, 0);
    };
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = colours.quiet;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const [across, up] = this.axes.map((axis) => (axis ? `${axis} →` : ""));
    context.save();
    context.translate((width + AXIS) / 2, height - AXIS / 2);
    write(across, width - 2 * AXIS);
    context.restore();
    context.save();
    context.translate(AXIS / 2, (height - AXIS) / 2);
    context.rotate(-Math.PI / 2);
    write(up, height - 2 * AXIS);
    context.restore();
  }

  /** Write the names of the largest clusters next to their heaviest nodes, if there is room. */
  write(context, [x, y], width) {
    const heaviest = new Map();
    for (const i of this.order) {
      const place = this.facts.place[i];
      if (place !== null && place < NAMED && !heaviest.has(place)) heaviest.set(place, i);
    }
    const radius = (i) => this.now[WIDTH * i + 2];
    const dots = this.order.map((i) => [x(i) - radius(i), y(i) - radius(i), x(i) + radius(i), y(i) + radius(i)]);
    const taken = [];
    context.font = "600 12.5px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const [place, i] of [...heaviest].sort((a, b) => a[0] - b[0])) {
      if (this.selection?.kind === "cluster" && this.dimmed(i)) continue;
      const text = this.names[place];
      const wide = context.measureText(text).width;
      const away = radius(i) + 3;
      const sides = [
        [x(i) + away, y(i)],
        [x(i) - away - wide, y(i)],
        [x(i) - wide / 2, y(i) - away - 7],
        [x(i) - wide / 2, y(i) + away + 7],
      ].map(([left, middle]) => [left - 2, middle - 7, left + wide + 2, middle + 7]);
      const free = sides.filter((box) => box[0] > 0 && box[2] < width && !taken.some((other) => overlap(box, other)));
      if (!free.length) continue;
      const covered = free.map((box) => dots.reduce((sum, dot) => sum + overlap(box, dot), 0));
      const box = free[covered.indexOf(Math.min(...covered))];
      taken.push(box);
      outlined(context, text, box[0] + 2, box[1] + 7);
    }
  }

  /** Return the position of the node at a point, or -1. */
  hit(px, py) {
    if (!this.ids.length) return -1;
    const { width, height } = this.canvas.getBoundingClientRect();
    const [x, y] = this.place(width, height);
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < this.ids.length; i++) {
      const away = Math.hypot(x(i) - px, y(i) - py);
      if (away - this.now[WIDTH * i + 2] < 5 && away < least) [best, least] = [i, away];
    }
    return best;
  }

  next(step) {
    if (!this.order.length) return null;
    const at = this.selection?.kind === "node" ? this.order.indexOf(this.at.get(this.selection.id)) : -1;
    return this.ids[this.order[(at + (at < 0 && step < 0 ? 0 : step) + this.order.length) % this.order.length]];
  }

  hover(event) {
    const at = event ? this.hit(...pointOn(this.canvas, event)) : -1;
    this.canvas.classList.toggle("over", at >= 0);
    this.tip.hidden = at < 0;
    if (at < 0) return;
    const rows = this.facts.rows[at];
    this.tip.textContent = `node ${this.ids[at]}, ${count(rows)} ${rows === 1 ? "row" : "rows"}, cluster ${this.clusterOf(at) ?? "none"}`;
    const [x, y] = this.where(this.ids[at]);
    const left = Math.min(x + this.canvas.offsetLeft + 12, this.canvas.offsetWidth - this.tip.offsetWidth);
    this.tip.style.transform = `translate(${left}px, ${Math.max(0, y + this.canvas.offsetTop - 30)}px)`;
  }
}
