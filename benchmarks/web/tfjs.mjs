// The layers of benchmarks/web.py's net, with its weights.
const script = (source) =>
  new Promise((resolve, reject) => {
    const element = document.createElement("script");
    Object.assign(element, { src: source, onload: resolve, onerror: reject });
    document.head.append(element);
  });

export async function loadWith(backend) {
  await script("tfjs/tf.min.js");
  if (backend === "wasm") {
    await script("tfjs-backend-wasm/tf-backend-wasm.min.js");
    tf.wasm.setWasmPaths("tfjs-backend-wasm/");
    tf.wasm.setThreadsCount(1);
  }
  await tf.setBackend(backend);
  await tf.ready();
  const { conv2d, averagePooling2d, flatten, dense } = tf.layers;
  const window = { kernelSize: 5, padding: "same", activation: "relu" };
  const model = tf.sequential({
    layers: [
      conv2d({ filters: 6, inputShape: [8, 8, 1], ...window }),
      averagePooling2d({ poolSize: 2, strides: 2 }),
      conv2d({ filters: 16, ...window }),
      averagePooling2d({ poolSize: 2, strides: 2 }),
      flatten(),
      dense({ units: 120, activation: "relu" }),
      dense({ units: 84, activation: "relu" }),
      dense({ units: 10, activation: "softmax" }),
    ],
  });
  const numbers = new Float32Array(await (await fetch("lenet.weights.bin")).arrayBuffer());
  let at = 0;
  model.setWeights(
    model.getWeights().map(({ shape }) => {
      const count = shape.reduce((product, size) => product * size, 1);
      return tf.tensor(numbers.subarray(at, (at += count)), shape);
    }),
  );
  globalThis.synchronous = true;
  return (image) => tf.tidy(() => model.predict(tf.tensor(image, [1, 8, 8, 1])).dataSync());
}
