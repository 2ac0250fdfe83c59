// SPDX-License-Identifier: Apache-2.0
// Runs an exported model on the GPU of a browser: fetches the calls, and posts the results, as node.mjs writes them.
import { answers } from "./answers.mjs";

const post = (path, body) => fetch(path, { method: "POST", body });
let posts = Promise.resolve(); // one after the other
const progress = (compiled, kernels) => (posts = posts.then(() => post("/compiling", String(kernels - compiled))));
try {
  const { loader, states } = await (await fetch("/asked")).json();
  const { load } = await import(loader);
  let model = await load({ device: "webgpu", progress });
  await progress(0, 0);
  const fresh = async () => {
    if (states) {
      const last = model;
      model = await load({ device: "webgpu", progress }); // before the last one goes, so that both share the GPU
      last.destroy();
    }
    return model; // without states, one is as good as another
  };
  const parts = await answers(fresh, new Uint8Array(await (await fetch("/calls")).arrayBuffer()));
  await post("/results", new Blob(parts));
  await post("/done", JSON.stringify({ adapter: model.adapter }));
} catch (problem) {
  await post("/done", JSON.stringify({ code: problem.code ?? "", problem: `${problem.name}: ${problem.message}` }));
}
