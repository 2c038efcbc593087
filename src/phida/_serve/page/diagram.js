// The persistence diagram: birth and death of each mode. In PHIDA+, where each mode has its own threshold, the vertical
// axis is the ratio of persistence to threshold.

import { colours, pointOn, slotColour, surface } from "./theme.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [40, 8, 6, 30];
const LEAST = 0.05; // lower ratios are drawn here

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

  show({ modes, names, slots }, selection) {
    Object.assign(this, { modes, names, slots, selection });
    this.draw();
  }

  paint(context, width, height) {
    this.points = [];
    if (!this.modes?.birth.length) return;
    const { birth, death, ratio } = this.modes;
    const values = [...birth, ...(ratio ? [] : death)].filter((value) => value !== null);
    const [from, to] = widened(values, 0.06);
    const box = { left: LEFT, right: width - RIGHT, top: TOP, bottom: height - BOTTOM };
    const x = (value) => box.left + ((box.right - box.left) * (value - from)) / (to - from);
    const y = ratio ? this.ratios(context, box) : this.deaths(context, box, x, [from, to]);
    this.across(context, box, x, [from, to]);
    birth.forEach((value, i) => {
      const at = [x(value ?? from), y(ratio ? ratio[i] : death[i])];
      this.points.push({ node: this.modes.node[i], at });
      this.dot(context, at, i);
    });
  }

  /** Death against birth, with the diagonal and the threshold below it; modes that never died are at the bottom. */
  deaths(context, box, x, [from, to]) {
    const never = box.bottom - 8;
    const end = never - 12;
    const y = (value) => (value === null ? never : box.top + (end - box.top) * (1 - (value - from) / (to - from)));
    const { threshold } = this.modes;
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.right - box.left, end - box.top);
    context.clip();
    this.line(context, [x(from), y(from)], [x(to), y(to)], colours.edge, []);
    if (threshold !== null)
      this.line(context, [x(from), y(from - threshold)], [x(to), y(to - threshold)], colours.quiet, [4, 3]);
    context.restore();
    const ticks = steps(from, to).filter((tick) => y(tick) < never - 16);
    this.upright(context, box, [...ticks.map((tick) => [short(tick), y(tick)]), ["never", never]], "- - threshold ε");
    context.fillText("death ↑", box.left + 5, box.top + 9);
    return y;
  }

  /** Prominence over chance, on a logarithmic axis with a line at 1; modes that never died are at the top. */
  ratios(context, box) {
    const most = Math.max(2, ...this.modes.ratio.filter((value) => value !== null));
    const never = box.top + 8;
    const [low, high] = [Math.log(LEAST), Math.log(most)];
    const y = (value) => {
      if (value === null) return never;
      return box.bottom - 4 - ((box.bottom - never - 20) * (Math.log(Math.max(value, LEAST)) - low)) / (high - low);
    };
    this.line(context, [box.left, y(1)], [box.right, y(1)], colours.quiet, [4, 3]);
    const ticks = (most < 50 ? [0.1, 1, 2, 5, 10, 20] : [0.1, 1, 10, 100, 1000]).filter((tick) => tick <= most);
    this.upright(context, box, [...ticks.map((tick) => [String(tick), y(tick)]), ["never", never]], "prominence ↑ - - chance");
    return y;
  }

  dot(context, at, i) {
    const { kind, id } = this.selection ?? {};
    const place = this.modes.place[i];
    const picked = kind === "cluster" ? this.names[place] === id : kind === "node" ? this.modes.node[i] === id : true;
    context.globalAlpha = picked ? 0.9 : 0.2;
    context.beginPath();
    context.arc(...at, 3.8, 0, 7);
    context.fillStyle = slotColour(this.slots[place]);
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

  upright(context, box, ticks, caption) {
    this.line(context, [box.left, box.top], [box.left, box.bottom], colours.line, []);
    context.font = "11.5px system-ui, sans-serif";
    context.fillStyle = colours.quiet;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const [text, y] of ticks) context.fillText(text, box.left - 4, y);
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    context.fillText(caption, box.left, box.bottom + BOTTOM - 1);
  }

  across(context, box, x, [from, to]) {
    this.line(context, [box.left, box.bottom], [box.right, box.bottom], colours.line, []);
    context.textAlign = "center";
    for (const tick of steps(from, to)) context.fillText(short(tick), x(tick), box.bottom + 12);
    context.textAlign = "right";
    context.fillText("birth →", box.right, box.bottom + BOTTOM - 1);
  }

  hit(px, py) {
    const near = this.points
      .map(({ node, at }) => [Math.hypot(at[0] - px, at[1] - py), node])
      .filter(([distance]) => distance < 9)
      .sort((a, b) => a[0] - b[0]);
    return near.length ? near[0][1] : null;
  }
}

/** The least and the greatest value, with some room around them. */
function widened(values, share) {
  const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 0];
  const margin = share * (high - low || 1);
  return [low - margin, high + margin];
}

/** Round values between two ends, at most five. */
function steps(from, to) {
  const least = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= least);
  const found = [];
  for (let tick = Math.ceil(from / step) * step; tick < to; tick += step) found.push(tick);
  return found;
}

const short = (value) => String(Math.round(value * 100) / 100);
