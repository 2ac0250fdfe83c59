// SPDX-License-Identifier: Apache-2.0
// Runs an exported WebAssembly module: node node.mjs NAME.mjs CALLS RESULTS. The files are those of library.py.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { answers } from "./answers.mjs";

const [loader, calls, results] = process.argv.slice(2);
const { load } = await import(pathToFileURL(loader).href);
const parts = await answers(() => load(), Uint8Array.from(readFileSync(calls)));
writeFileSync(results, Buffer.concat(parts));
