// The nodes on the projection: they glide from where they were to where they are.

import { calm, colours, count, idText, outlined, pointOn, slotColour, surface } from "./theme.js";

const GLIDE = 260; // milliseconds
const MARGIN = 26;
const AXIS = 16; // room for the names of the axes
const NAMED = 100; // clusters, at most

/** Whether two boxes of [left, top, right, bottom] do. */
const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

export class NodeMap {
  constructor(canvas, tip, onPick) {
    this.canvas = canvas;
    this.tip = tip;
    this.nodes = new Map(); // by id: from, to and now, each [x, y, radius, presence]
    this.edges = [];
    this.axes = ["", ""];
    this.slots = new Map();
    this.box = null; // from, to and now of [x, y, reach]
    this.selection = null;
    this.began = 0;
    this.draw = surface(canvas, (context, width, height) => this.paint(context, width, height));
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("click", (event) => onPick(this.hit(...pointOn(canvas, event))));
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        onPick(this.next(step));
      } else if (event.key === "Escape") onPick(null);
    });
  }

  show(snapshot, slots, selection, jump) {
    const { nodes } = snapshot;
    this.slots = slots;
    this.selection = selection;
    const before = this.nodes;
    this.nodes = new Map();
    this.order = [];
    if (nodes) {
      const weights = snapshot.leaves === "node" ? nodes.support : nodes.rows;
      const most = Math.max(...weights);
      const { width, height } = this.canvas.getBoundingClientRect();
      const room = Math.min(1, width / 600, height / 400); // many nodes and small screens need smaller dots
      const widest = 13 * room * Math.min(1, Math.sqrt(70 / nodes.id.length));
      const least = 2.2 * Math.min(1, Math.sqrt(600 / nodes.id.length));
      const [xs, ys] = [nodes.x, nodes.y];
      nodes.id.forEach((id, i) => {
        const to = [xs[i] ?? 0, ys[i] ?? 0, least + widest * Math.sqrt(weights[i] / most), 1];
        const from = before.get(id)?.now ?? [to[0], to[1], 0, 0];
        const facts = { id, rows: nodes.rows[i], weight: weights[i], cluster: nodes.cluster[i], active: nodes.active[i] };
        this.nodes.set(id, { ...facts, from, to, now: from });
        this.order.push(id);
      });
      this.edges = snapshot.edges[0].map((a, i) => [nodes.id[a], nodes.id[snapshot.edges[1][i]]]);
      this.frame(xs, ys);
      this.axes = snapshot.axes ?? ["", ""];
    }
    this.order.sort((a, b) => this.nodes.get(b).weight - this.nodes.get(a).weight);
    this.began = performance.now() - (jump || calm.matches ? GLIDE : 0);
    if (!this.gliding) this.glide();
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
    const between = (moving) => {
      moving.now = moving.to.map((value, i) => moving.from[i] + eased * (value - moving.from[i]));
    };
    this.nodes.forEach(between);
    if (this.box) between(this.box);
    this.draw();
    this.gliding = t < 1;
    if (this.gliding) requestAnimationFrame(() => this.glide());
  }

  /** From the plane to the canvas. */
  place(width, height) {
    const [x, y, wide, high] = this.box.now;
    const across = Math.max(1, width - AXIS - 2 * MARGIN) / 2 / wide; // each axis fills its side of the panel
    const down = Math.max(1, height - AXIS - 2 * MARGIN) / 2 / high;
    return (at) => [(width + AXIS) / 2 + (at[0] - x) * across, (height - AXIS) / 2 - (at[1] - y) * down];
  }

  /** Where a node is on the canvas. */
  where(id) {
    const { width, height } = this.canvas.getBoundingClientRect();
    return this.place(width, height)(this.nodes.get(id).now);
  }

  dimmed(node) {
    const { kind, id } = this.selection ?? {};
    return kind === "cluster" ? node.cluster !== id : kind === "node" ? node.id !== id : false;
  }

  paint(context, width, height) {
    if (!this.nodes.size) {
      context.fillStyle = colours.quiet;
      context.textAlign = "center";
      context.fillText("no row has been learned yet", width / 2, height / 2);
      return;
    }
    const place = this.place(width, height);
    context.beginPath();
    for (const [a, b] of this.edges) {
      context.moveTo(...place(this.nodes.get(a).now));
      context.lineTo(...place(this.nodes.get(b).now));
    }
    context.strokeStyle = colours.edge;
    context.lineWidth = 0.8;
    context.globalAlpha = this.selection ? 0.4 : 0.8;
    context.stroke();
    for (const id of this.order) this.dot(context, this.nodes.get(id), place);
    context.globalAlpha = 1;
    this.ring(context, place);
    this.names(context, place, width);
    this.axisNames(context, width, height);
  }

  /** What grows along each axis: its strongest features. */
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

  dot(context, node, place) {
    const [x, y] = place(node.now);
    const colour = slotColour(this.slots.get(node.cluster));
    const dim = this.selection?.kind === "node" ? 0.35 : 0.16;
    context.globalAlpha = node.now[3] * (this.dimmed(node) ? dim : 0.82);
    context.beginPath();
    context.arc(x, y, Math.max(0, node.now[2]), 0, 7);
    context.fillStyle = context.strokeStyle = colour;
    context.lineWidth = !node.active ? 1.5 : this.nodes.size > 600 ? 0.4 : 1;
    if (node.active) {
      context.fill();
      context.strokeStyle = colours.panel;
    }
    context.stroke();
  }

  ring(context, place) {
    const node = this.selection?.kind === "node" && this.nodes.get(this.selection.id);
    if (!node) return;
    context.beginPath();
    context.arc(...place(node.now), node.now[2] + 3.5, 0, 7);
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.6;
    context.stroke();
  }

  /** Each cluster's id beside its strongest node, where there is room. */
  names(context, place, width) {
    const done = new Set();
    const taken = [];
    const dots = [...this.nodes.values()].map(({ now }) => {
      const [x, y] = place(now);
      return [x - now[2], y - now[2], x + now[2], y + now[2]];
    });
    context.font = "600 12.5px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const id of this.order) {
      const node = this.nodes.get(id);
      if (done.size === NAMED) break;
      if (node.cluster === null || done.has(node.cluster)) continue;
      done.add(node.cluster);
      if (this.selection?.kind === "cluster" && this.dimmed(node)) continue;
      const text = idText(node.cluster);
      const wide = context.measureText(text).width;
      const [x, y] = place(node.now);
      const away = node.now[2] + 3;
      const sides = [
        [x + away, y],
        [x - away - wide, y],
        [x - wide / 2, y - away - 7],
        [x - wide / 2, y + away + 7],
      ].map(([left, middle]) => [left - 2, middle - 7, left + wide + 2, middle + 7]);
      const free = sides.filter((box) => box[0] > 0 && box[2] < width && !taken.some((other) => overlap(box, other)));
      if (!free.length) continue;
      const covered = free.map((box) => dots.filter((dot) => overlap(box, dot)).length);
      const box = free[covered.indexOf(Math.min(...covered))];
      taken.push(box);
      context.textAlign = "left";
      outlined(context, text, box[0] + 2, box[1] + 7);
    }
  }

  hit(x, y) {
    if (!this.nodes.size) return null;
    const { width, height } = this.canvas.getBoundingClientRect();
    const place = this.place(width, height);
    let best = null;
    let least = Infinity;
    for (const node of this.nodes.values()) {
      const [nx, ny] = place(node.now);
      const beyond = Math.hypot(nx - x, ny - y) - node.now[2];
      if (beyond < 5 && beyond + node.now[2] < least) [best, least] = [node.id, beyond + node.now[2]];
    }
    return best;
  }

  next(step) {
    if (!this.order?.length) return null;
    const at = this.selection?.kind === "node" ? this.order.indexOf(this.selection.id) : -1;
    return this.order[(at + (at < 0 && step < 0 ? 0 : step) + this.order.length) % this.order.length];
  }

  hover(event) {
    const id = event && this.hit(...pointOn(this.canvas, event));
    const node = this.nodes.get(id);
    this.canvas.classList.toggle("over", Boolean(node));
    this.tip.hidden = !node;
    if (!node) return;
    this.tip.textContent = `node ${id}, ${count(node.rows)} ${node.rows === 1 ? "row" : "rows"}, cluster ${idText(node.cluster)}`;
    const [x, y] = this.where(id);
    const left = Math.min(x + this.canvas.offsetLeft + 12, this.canvas.offsetWidth - this.tip.offsetWidth);
    this.tip.style.transform = `translate(${left}px, ${Math.max(0, y + this.canvas.offsetTop - 30)}px)`;
  }
}
