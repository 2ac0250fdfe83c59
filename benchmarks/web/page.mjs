// Loads a runtime and its model, and runs it once; `measure` then times calls, each with an image of its own.
const image = async () => new Float32Array(await (await fetch("image.bin")).arrayBuffer());
const { load } = await import(`./${location.search.slice(1)}.mjs`);
const data = await image();
const begun = performance.now();
const call = await load();
window.first = { output: Array.from(await call(data)), milliseconds: performance.now() - begun };

/** Microseconds of a call: the median of samples of so many calls that the browser's clock is fine enough. */
window.measure = async (seconds) => {
  const sample = async (calls) => {
    const start = performance.now();
    if (window.synchronous) for (let k = 0; k < calls; k++) call(data);
    else for (let k = 0; k < calls; k++) await call(data);
    return (performance.now() - start) / calls;
  };
  let calls = 50;
  for (const until = performance.now() + 1000 * seconds; performance.now() < until; ) {
    calls = Math.max(1, Math.ceil(20 / Math.max(await sample(calls), 1e-4))); // 20 ms
  }
  const times = [];
  for (const until = performance.now() + 1000 * seconds; times.length < 9 || performance.now() < until; ) {
    times.push(1000 * (await sample(calls)));
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
};
