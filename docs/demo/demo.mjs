// A digit is drawn, made an image of 8 × 8 pixels as those of the data set were, and read by the net at each stroke.
import { load } from "./lenet.mjs";

const $ = (id) => document.getElementById(id);
const board = $("board");
const SIDE = 32; // of the bitmap that the data set's images were counted from
const CELLS = 8;
const STEP = 1 / 24; // of the pen, by an arrow key
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

let model, samples;
let strokes = []; // lists of [x, y], from 0 to 1
let image = new Float32Array(CELLS * CELLS);
let pen = { x: 0.5, y: 0.2, down: false, shown: false };
let next = 0;

// Drawing

function traced(context, points) {
  context.beginPath();
  for (const [x, y] of points.length > 1 ? points : [points[0], points[0]]) context.lineTo(x, y);
  context.stroke();
}

function lines(context, width) {
  context.lineWidth = width;
  context.lineCap = context.lineJoin = "round";
  context.strokeStyle = "#111";
}

function draw() {
  const context = board.getContext("2d");
  const { width } = board;
  context.clearRect(0, 0, width, width);
  lines(context, width / 12);
  for (const stroke of strokes) traced(context, stroke.map(([x, y]) => [x * width, y * width]));
  if (!pen.shown) return;
  context.lineWidth = 4;
  context.strokeStyle = pen.down ? "#c2571a" : "#4c6fd0";
  context.beginPath();
  context.arc(pen.x * width, pen.y * width, width / 20, 0, 7);
  context.stroke();
}

/** The strokes as the net reads them: as high as the image, in its middle, each pixel the ink of 4 × 4 dots. */
function pixels() {
  const points = strokes.flat();
  if (!points.length) return new Float32Array(CELLS * CELLS);
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = (SIDE - 4) / Math.max(bottom - top, right - left, 0.15);
  const place = ([x, y]) => [
    SIDE / 2 + (x - (left + right) / 2) * scale,
    SIDE / 2 + (y - (top + bottom) / 2) * scale,
  ];
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  lines(context, 4);
  for (const stroke of strokes) traced(context, stroke.map(place));
  const dots = context.getImageData(0, 0, SIDE, SIDE).data;
  const counted = new Float32Array(CELLS * CELLS);
  for (let dot = 0; dot < SIDE * SIDE; dot++) {
    const cell = Math.floor(dot / SIDE / 4) * CELLS + Math.floor((dot % SIDE) / 4);
    if (dots[4 * dot + 3] > 127) counted[cell] += 1 / 16;
  }
  return counted;
}

// The net

function read(pixelsOfImage) {
  image = pixelsOfImage;
  draw();
  const context = $("seen").getContext("2d");
  image.forEach((ink, k) => {
    context.fillStyle = `rgb(${Array(3).fill(Math.round(255 - 238 * ink))})`;
    context.fillRect(k % CELLS, Math.floor(k / CELLS), 1, 1);
  });
  const blank = image.every((ink) => ink === 0);
  const scores = blank ? new Float32Array(10) : model.run({ image }).output;
  const best = blank ? -1 : scores.indexOf(Math.max(...scores));
  [...$("bars").children].forEach((item, digit) => {
    const [, bar, value] = item.children;
    bar.style.width = `${100 * scores[digit]}%`;
    value.value = scores[digit];
    value.textContent = blank ? "–" : `${(100 * scores[digit]).toFixed(1)} %`;
    item.classList.toggle("best", digit === best);
  });
  $("verdict").textContent = blank ? "Draw a digit." : `It reads ${best}, with ${(100 * scores[best]).toFixed(0)} %.`;
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

function measure() {
  const sample = Float32Array.from(samples.images[0]);
  const run = (calls) => {
    const start = performance.now();
    for (let call = 0; call < calls; call++) model.run({ image: sample });
    return ((performance.now() - start) / calls) * 1000;
  };
  run(500);
  const time = median(Array.from({ length: 15 }, () => run(200)));
  const bytes = performance.getEntriesByType("resource").filter(({ name }) => /\/lenet\.(mjs|wasm)$/.test(name));
  const sum = bytes.reduce((total, { decodedBodySize }) => total + decodedBodySize, 0);
  const size = sum ? `; model and loader are ${Math.round(sum / 1000)} KB` : "";
  $("time").textContent = `One call takes ${time.toFixed(1)} µs in this browser, by WebAssembly on the processor${size}.`;
}

// What the visitor does

const at = ({ offsetX, offsetY }) => [offsetX / board.clientWidth, offsetY / board.clientHeight];

function clear() {
  strokes = [];
  pen.down = false;
  read(pixels());
}

function sample() {
  strokes = [];
  const number = next++ % samples.images.length;
  read(Float32Array.from(samples.images[number]));
  $("verdict").textContent += ` Test image ${number + 1} is a ${samples.labels[number]}.`;
}

function begin(event) {
  board.setPointerCapture(event.pointerId);
  pen.shown = false;
  strokes.push([at(event)]);
  read(pixels());
}

function go(event) {
  if (!board.hasPointerCapture(event.pointerId)) return;
  for (const one of event.getCoalescedEvents?.() ?? []) strokes.at(-1).push(at(one));
  strokes.at(-1).push(at(event));
  read(pixels());
}

function key(event) {
  const inside = (value) => Math.min(Math.max(value, 0.06), 0.94);
  if (event.key in ARROWS) {
    const [right, down] = ARROWS[event.key];
    pen = { ...pen, x: inside(pen.x + right * STEP), y: inside(pen.y + down * STEP) };
    if (pen.down) strokes.at(-1).push([pen.x, pen.y]);
  } else if (event.key === " ") {
    pen.down = !pen.down;
    if (pen.down) strokes.push([[pen.x, pen.y]]);
  } else if (event.key === "Delete" || event.key === "Backspace") {
    return clear();
  } else return;
  event.preventDefault();
  pen.shown = true;
  if (pen.down) read(pixels());
  else draw();
}

async function main() {
  $("bars").innerHTML = Array.from({ length: 10 }, (_, k) => `<li>${k}<span></span><data>–</data></li>`)
    .join("")
    .replaceAll(/<li>(\d)/g, "<li><b>$1</b>");
  [model, samples] = await Promise.all([
    load(),
    fetch(new URL("samples.json", import.meta.url)).then((response) => response.json()),
  ]);
  board.addEventListener("pointerdown", begin);
  board.addEventListener("pointermove", go);
  board.addEventListener("keydown", key);
  board.addEventListener("focus", () => board.matches(":focus-visible") && ((pen.shown = true), draw()));
  board.addEventListener("blur", () => ((pen.shown = pen.down = false), draw()));
  $("clear").addEventListener("click", clear);
  $("sample").addEventListener("click", sample);
  clear();
  measure();
  $("demo").dataset.ready = "yes";
}

main().catch((problem) => {
  $("verdict").textContent = `${problem.name}: ${problem.message}`;
  if (location.protocol === "file:") $("verdict").textContent = "Browsers load modules only from a server: python -m http.server";
  $("demo").dataset.ready = "failed";
});
