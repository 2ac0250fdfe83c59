// SPDX-License-Identifier: Apache-2.0
// What modules import from `env`: the functions of C's library that JavaScript's Math has, and those that it lacks.
// The float ones (sinf) round the double's result, which is right to half a unit but for rare ties.

const SQRT_PI = 1.772453850905516;
const HALF_LOG_TAU = 0.9189385332046727;
// Bernoulli numbers B2k / (2k (2k - 1)): Stirling's series of the logarithm of gamma.
const STIRLING = [
  1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
];

// C's power is 1 where the base is 1, or the base is -1 and the exponent infinite, NaN or not.
function pow(x, y) {
  return x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : Math.pow(x, y);
}

// All terms of the series have one sign, so nothing cancels.
function erfSeries(x) {
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / SQRT_PI) * Math.exp(-x * x) * sum;
}

// The continued fraction of Laplace, from the bottom up; e^(-x^2) with x^2 in two parts, as it magnifies an error.
function erfcFraction(x) {
  let tail = x;
  for (let n = 160; n >= 1; n--) tail = x + n / 2 / tail;
  const high = Math.fround(x);
  return (Math.exp(-high * high) * Math.exp((high - x) * (high + x))) / (SQRT_PI * tail);
}

function erf(x) {
  if (Number.isNaN(x) || x === 0) return x;
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x);
  return size < 2 ? erfSeries(x) : Math.sign(x) * (1 - erfcFraction(size));
}

function erfc(x) {
  if (x < 0.5) return 1 - erf(x);
  return x > 28 ? 0 : x < 1 ? 1 - erfSeries(x) : erfcFraction(x);
}

function stirling(x) {
  let sum = 0;
  for (let k = STIRLING.length - 1; k >= 0; k--) sum = sum / (x * x) + STIRLING[k];
  return (x - 0.5) * Math.log(x) - x + HALF_LOG_TAU + sum / x;
}

function lgamma(x) {
  if (Number.isNaN(x)) return x;
  if (Math.abs(x) === Infinity || (x <= 0 && Number.isInteger(x))) return Infinity;
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * (x % 2)))) - lgamma(1 - x);
  if (x === 1 || x === 2) return 0;
  let product = 1;
  for (; x < 12; x++) product *= x;
  return stirling(x) - Math.log(product);
}

function tgamma(x) {
  if (x === 0) return 1 / x;
  if (x === -Infinity || (x < 0 && Number.isInteger(x))) return NaN;
  if (x > 172) return Infinity;
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * (x % 2)) * tgamma(1 - x));
  let product = 1;
  for (; x > 2; product *= x) x--;
  if (Number.isInteger(x)) return product;
  for (; x < 12; x++) product /= x;
  return Math.exp(stirling(x)) * product;
}

const bits = new DataView(new ArrayBuffer(8));

function nextafter(x, y) {
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  bits.setFloat64(0, x);
  bits.setBigInt64(0, bits.getBigInt64(0) + (y > x === x > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}

function nextafterf(x, y) {
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? 2 ** -149 : -(2 ** -149);
  bits.setFloat32(0, x);
  bits.setInt32(0, bits.getInt32(0) + (y > x === x > 0 ? 1 : -1));
  return bits.getFloat32(0);
}

// The remainder with the sign of x, as both languages have it.
function fmod(x, y) {
  return x % y;
}

// The function of floats.
function rounded(of) {
  return (x, y) => Math.fround(of(x, y));
}

const { acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, exp, expm1 } = Math;
const { hypot, log, log10, log1p, log2, sin, sinh, tan, tanh } = Math;
const doubles = {
  acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, erfc, exp, expm1, fmod, hypot, lgamma, log,
  log10, log1p, log2, pow, sin, sinh, tan, tanh, tgamma,
};
const floats = Object.entries(doubles).map(([name, of]) => [`${name}f`, rounded(of)]);

// To be given to WebAssembly.instantiate as { env: library }.
export const library = { ...doubles, ...Object.fromEntries(floats), nextafter, nextafterf };
