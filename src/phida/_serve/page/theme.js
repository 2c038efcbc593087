// Colours, numbers as text, and canvases at the screen's resolution.

const names = ["ink", "quiet", "line", "faint", "panel", "accent", "none", "edge"];
export const colours = {};
const COLOURS = 24;
const slots = [];
const onChange = new Set();

function read() {
  const style = getComputedStyle(document.documentElement);
  for (const name of names) colours[name] = style.getPropertyValue(`--${name}`).trim();
  for (let i = 0; i < COLOURS; i++) slots[i] = style.getPropertyValue(`--slot-${i}`).trim();
  for (const draw of onChange) draw();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", read);
read();

export const slotColour = (slot) => (slot === undefined || slot === null ? colours.none : slots[slot]);

/** Gives an element the colour of a slot, which follows the theme. */
export function tint(element, slot) {
  element.style.setProperty("--colour", slot === undefined ? "var(--none)" : `var(--slot-${slot})`);
}

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** A canvas that calls `draw(context, width, height)` when its size or the colours change, or when asked. */
export function surface(canvas, draw) {
  const context = canvas.getContext("2d");
  const paint = () => {
    const { width, height } = canvas.getBoundingClientRect();
    const ratio = devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (!w || !h) return;
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11.5px system-ui, sans-serif";
    draw(context, width, height);
  };
  new ResizeObserver(paint).observe(canvas);
  onChange.add(paint);
  return paint;
}

/** Return the position of the pointer on an element. */
export function pointOn(element, event) {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

/** Text with an outline, so that it can be read over marks. */
export function outlined(context, text, x, y, colour = colours.ink) {
  context.lineJoin = "round";
  context.lineWidth = 3.5;
  context.strokeStyle = colours.panel;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const precise = new Intl.NumberFormat("en", { minimumSignificantDigits: 4, maximumSignificantDigits: 4 });
export const count = (value) => (value === null || value === undefined ? "–" : whole.format(value));
export const compact = (value) => (value < 10000 ? whole.format(value) : short.format(value));
export const figure = (value) => {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  return size >= 1e6 || size < 1e-3 ? value.toExponential(2) : precise.format(value);
};
export const percent = (share) => (share < 0.0995 ? `${(100 * share).toFixed(1)}%` : `${Math.round(100 * share)}%`);
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
export const idText = (id) => (id === null || id === undefined ? "none" : String(id));

/** An element with text, never markup. */
export function made(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}
