import { loadWith } from "./tfjs.mjs";

export const load = () => loadWith("wasm");
