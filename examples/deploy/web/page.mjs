// Shows a model's input, its output and how long a call takes. The model is the two files that hybridize wrote.
import { load } from "../models/mlp.mjs";

const ROWS = 16;
const COLUMNS = 32;
const LIMIT = 3;
const CALLS = 200; // in one sample: the browser's clock is coarse
const SAMPLES = 80;
const BINS = 24;

const $ = (id) => document.getElementById(id);
const number = (value, digits = 4) => value.toFixed(digits).replace("-", "−");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

async function fetched(name) {
  const response = await fetch(new URL(`../models/${name}`, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Float32Array(await response.arrayBuffer());
}

let model, saved, expected;
let data = new Float32Array(ROWS * COLUMNS);
let times = [];

// The model

function run() {
  const { output } = model.run({ data });
  showOutput(output);
  showInput();
  const isSaved = data.every((value, k) => value === saved[k]);
  if (!isSaved) return verdict("A new input: nothing is saved to compare with.", "");
  const difference = Math.max(...expected.map((value, k) => Math.abs(output[k] - value)));
  if (difference <= 1e-5) verdict("✓ Python gave the same for this input.", "good");
  else verdict(`✗ Python gave ${[...expected].map((value) => number(value)).join(" and ")} for this input.`, "bad");
}

async function measure() {
  $("again").disabled = true;
  times = [];
  for (let call = 0; call < CALLS; call++) model.run({ data }); // by then the browser has optimised the code
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = performance.now();
    for (let call = 0; call < CALLS; call++) model.run({ data });
    times.push(((performance.now() - start) / CALLS) * 1000);
    if (sample % 10 === 9) {
      showTimes();
      await new Promise(requestAnimationFrame);
    }
  }
  $("again").disabled = false;
  document.body.dataset.measured = "yes";
}

// A normal number by two uniform ones.
function normal() {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

// What is shown

function verdict(text, state) {
  $("verdict").textContent = text;
  $("verdict").className = `verdict ${state}`;
}

/** A canvas as large as it is shown, in the pixels of the screen, and its size in those of the page. */
function drawing(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const context = canvas.getContext("2d");
  context.scale(devicePixelRatio, devicePixelRatio);
  return { context, width, height };
}

function shade(value, [low, zero, high]) {
  const part = Math.min(1, Math.abs(value) / LIMIT);
  const end = value < 0 ? low : high;
  return `rgb(${zero.map((channel, k) => Math.round(channel + part * (end[k] - channel))).join(" ")})`;
}

function showInput() {
  const { context, width } = drawing($("heat"));
  const side = width / COLUMNS;
  const ends = ["--low", "--zero", "--high"].map((name) => colour(name).split(" ").map(Number));
  data.forEach((value, k) => {
    context.fillStyle = shade(value, ends);
    context.beginPath();
    context.roundRect((k % COLUMNS) * side + 0.75, Math.floor(k / COLUMNS) * side + 0.75, side - 1.5, side - 1.5, 2);
    context.fill();
  });
}

function showOutput(output) {
  const largest = Math.max(...output.map(Math.abs));
  const scale = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10].find((limit) => limit >= largest) ?? largest;
  $("scale").textContent = `−${scale} to ${scale}`;
  const bars = [...output].map((value, k) => {
    const bar = document.createElement("div");
    bar.className = "bar";
    const length = (50 * Math.abs(value)) / scale;
    const left = value < 0 ? 50 - length : 50;
    bar.innerHTML = `<label>${k}</label><div class="track"><i></i></div><output></output>`;
    bar.querySelector("i").style = `left: ${left}%; width: ${length}%; background: rgb(var(--${value < 0 ? "low" : "high"}))`;
    bar.querySelector("output").textContent = number(value, 5);
    bar.querySelector("output").dataset.value = value;
    return bar;
  });
  $("bars").replaceChildren(...bars);
}

function showTimes() {
  const sorted = times.toSorted((x, y) => x - y);
  const median = sorted[sorted.length >> 1];
  $("median").textContent = median.toFixed(1);
  $("samples").textContent = `median of ${times.length} × ${CALLS} calls`;
  const { context, width, height } = drawing($("spread"));
  const first = sorted[0];
  const last = 2 * median;
  const counts = new Array(BINS).fill(0);
  for (const time of sorted) counts[Math.min(BINS - 1, Math.floor(((time - first) / (last - first)) * BINS))]++;
  const most = Math.max(...counts);
  const room = height - 18;
  context.fillStyle = colour("--accent");
  counts.forEach((count, k) => {
    const tall = (count / most) * room;
    context.fillRect((k * width) / BINS + 1, room - tall, width / BINS - 2, tall);
  });
  context.fillStyle = colour("--line");
  context.fillRect(0, room, width, 1);
  context.fillStyle = colour("--soft");
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "bottom";
  context.fillText(`${first.toFixed(1)} µs`, 0, height);
  context.textAlign = "right";
  context.fillText(`${last.toFixed(1)} µs and more`, width, height);
}

// What the visitor does

function cellAt({ offsetX, offsetY }) {
  const side = $("heat").getBoundingClientRect().width / COLUMNS;
  const [row, column] = [Math.floor(offsetY / side), Math.floor(offsetX / side)];
  return row >= 0 && row < ROWS && column >= 0 && column < COLUMNS ? row * COLUMNS + column : -1;
}

function point(event) {
  const k = cellAt(event);
  if (k < 0) return;
  if (event.buttons) {
    data[k] = event.shiftKey ? -LIMIT : LIMIT;
    run();
  }
  $("cell").textContent = `data[0, ${k}] = ${number(data[k], 2)}`;
}

function start() {
  $("random").onclick = () => {
    data = Float32Array.from(data, normal);
    run();
  };
  $("saved").onclick = () => {
    data = saved.slice();
    run();
  };
  $("again").onclick = measure;
  $("heat").onpointerdown = point;
  $("heat").onpointermove = point;
  $("heat").onpointerleave = () => ($("cell").textContent = "512 numbers; draw on them");
  const redraw = () => (showInput(), times.length && showTimes());
  addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

try {
  const before = performance.now();
  model = await load();
  const loading = performance.now() - before;
  [saved, expected] = await Promise.all([fetched("mlp.input.f32"), fetched("mlp.output.f32")]);
  data = saved.slice();
  start();
  run();
  const [input] = model.inputs;
  $("facts").textContent =
    `${model.name}.wasm, loaded and checked in ${loading.toFixed(0)} ms; ` +
    `${input.name}: ${input.dtype} [${input.shape.join(", ")}]. No server computes anything.`;
  await measure();
} catch (problem) {
  verdict(`${problem.name}: ${problem.message}`, "bad");
  document.body.dataset.measured = "failed";
}
