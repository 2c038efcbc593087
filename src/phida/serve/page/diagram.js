// The persistence diagram: when each mode was born and when it met a denser one. A birth of null is that of a node
// without flow.

import { colours, pointOn, slotColour, surface } from "./theme.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [40, 8, 6, 30];

export class Diagram {
  constructor(canvas, onPick) {
    this.canvas = canvas;
    this.modes = null;
    this.points = [];
    this.draw = surface(canvas, (context, width, height) => this.paint(context, width, height));
    canvas.addEventListener("click", (event) => onPick(this.hit(...pointOn(canvas, event))));
    canvas.addEventListener("pointermove", (event) => {
      canvas.classList.toggle("over", this.hit(...pointOn(canvas, event)) !== null);
    });
  }

  show(modes, slots, selection) {
    Object.assign(this, { modes, slots, selection });
    this.draw();
  }

  paint(context, width, height) {
    this.points = [];
    if (!this.modes?.birth.length) return;
    const { birth, death, threshold } = this.modes;
    const finite = [...birth, ...death].filter((value) => value !== null);
    const [low, high] = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 0];
    const margin = 0.06 * (high - low || 1);
    const [from, to] = [low - margin, high + margin];
    const never = height - BOTTOM - 8; // where modes lie that never died
    const flowless = birth.includes(null);
    const start = LEFT + (flowless ? 34 : 0); // to the left of it lie nodes without flow
    const x = (value) => (value === null ? LEFT + 12 : start + ((width - start - RIGHT) * (value - from)) / (to - from));
    const y = (value) => TOP + (never - 12 - TOP) * (1 - (value - from) / (to - from));
    this.axes(context, width, height, { x, y, from, to, never, flowless });
    context.save();
    context.beginPath();
    context.rect(start, TOP, width - start - RIGHT, never - 12 - TOP);
    context.clip();
    this.line(context, [x(from), y(from)], [x(to), y(to)], colours.edge, []);
    if (threshold !== null)
      this.line(context, [x(from), y(from - threshold)], [x(to), y(to - threshold)], colours.quiet, [4, 3]);
    context.restore();
    birth.forEach((value, i) => {
      const at = [x(value), death[i] === null ? never : y(death[i])];
      this.points.push({ node: this.modes.node[i], at });
      this.dot(context, at, i);
    });
  }

  dot(context, at, i) {
    const { kind, id } = this.selection ?? {};
    const picked = kind === "cluster" ? this.modes.cluster[i] === id : kind === "node" ? this.modes.node[i] === id : true;
    context.globalAlpha = picked ? 0.9 : 0.2;
    context.beginPath();
    context.arc(...at, 3.8, 0, 7);
    context.fillStyle = slotColour(this.slots.get(this.modes.cluster[i]));
    context.fill();
    context.strokeStyle = colours.panel;
    context.lineWidth = 1;
    context.stroke();
    context.globalAlpha = 1;
  }

  line(context, a, b, colour, dash) {
    context.beginPath();
    context.moveTo(...a);
    context.lineTo(...b);
    context.setLineDash(dash);
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.stroke();
    context.setLineDash([]);
  }

  axes(context, width, height, { x, y, from, to, never, flowless }) {
    this.line(context, [LEFT, TOP], [LEFT, never + 7], colours.line, []);
    this.line(context, [LEFT, never + 7], [width - RIGHT, never + 7], colours.line, []);
    context.font = "11.5px system-ui, sans-serif";
    context.fillStyle = colours.quiet;
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillText("never", LEFT - 4, never);
    if (flowless) {
      context.textAlign = "left";
      context.textBaseline = "alphabetic";
      context.fillText("no flow", LEFT - 6, never + 19);
    }
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10].find((s) => (to - from) / s <= 5) ?? 20;
    for (let tick = Math.ceil(from / step) * step; tick < to; tick += step) {
      const text = String(Math.round(tick * 10) / 10);
      context.textAlign = "right";
      context.textBaseline = "middle";
      if (y(tick) < never - 16) context.fillText(text, LEFT - 4, y(tick));
      context.textAlign = "center";
      context.textBaseline = "alphabetic";
      if (!flowless || x(tick) > LEFT + 52) context.fillText(text, x(tick), never + 19);
    }
    context.textAlign = "right";
    context.fillText("birth →", width - RIGHT, height - 1);
    context.textAlign = "left";
    context.fillText("death ↑", LEFT + 5, TOP + 9);
    context.fillText("- - threshold ε", LEFT, height - 1);
  }

  hit(px, py) {
    const near = this.points
      .map(({ node, at }) => [Math.hypot(at[0] - px, at[1] - py), node])
      .filter(([distance]) => distance < 9)
      .sort((a, b) => a[0] - b[0]);
    return near.length ? near[0][1] : null;
  }
}
