// A small line plot of a figure over the rows.

import { colours, surface } from "./theme.js";

export class Curve {
  constructor(canvas, key) {
    this.key = key;
    this.points = [];
    this.draw = surface(canvas, (context, width, height) => this.paint(context, width, height));
  }

  show(columns) {
    this.points = columns.map((column) => [column.samples, column[this.key]]).filter(([, y]) => y !== null);
    this.draw();
  }

  paint(context, width, height) {
    if (this.points.length < 2) return;
    const xs = this.points.map(([x]) => x);
    const ys = this.points.map(([, y]) => y);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const at = ([x, y]) => [
      1 + (width - 4) * (right > left ? (x - left) / (right - left) : 1),
      2 + (height - 4) * (high > low ? 1 - (y - low) / (high - low) : 0.5),
    ];
    context.beginPath();
    for (const point of this.points) context.lineTo(...at(point));
    context.strokeStyle = colours.quiet;
    context.lineWidth = 1.2;
    context.stroke();
    context.beginPath();
    context.arc(...at(this.points.at(-1)), 2, 0, 7);
    context.fillStyle = colours.accent;
    context.fill();
  }
}
