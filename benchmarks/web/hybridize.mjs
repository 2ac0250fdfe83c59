import { load as model } from "./lenet.mjs";

export async function load() {
  const net = await model();
  window.synchronous = true;
  return (image) => net.run({ image }).output;
}
