// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<u32>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_at(word: i32) -> u32 { return m0[word]; }
fn b2_put(word: i32, x: u32) { m1[word] = x; }
fn mul32_(x: u32, y: u32) -> vec2<u32> {
  let a = x & 0xffffu;
  let b = x >> 16u;
  let c = y & 0xffffu;
  let d = y >> 16u;
  let low = a * c;
  let first = a * d + (low >> 16u);
  let second = b * c + (first & 0xffffu);
  return vec2<u32>((second << 16u) | (low & 0xffffu), b * d + (first >> 16u) + (second >> 16u));
}
fn mul64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = mul32_(x.x, y.x);
  return vec2<u32>(low.x, low.y + x.x * y.y + x.y * y.x);
}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from8 = i32(words[0][0] >> 3u);
  let b1_from8 = i32(words[0][1] >> 3u);
  let b2_from8 = i32(words[0][2] >> 3u);
  let t_6 = (block_ * 256) + thread_;
  if (t_6 < 40) {
    let t_11 = vec2<u32>(b0_at(((b0_from8 + t_6) * 2)), b0_at(((b0_from8 + t_6) * 2) + 1));
    let t_13 = vec2<u32>(b1_at(((b1_from8 + t_6) * 2)), b1_at(((b1_from8 + t_6) * 2) + 1));
    let now1 = (mul64_(t_11, t_13));
    b2_put(((b2_from8 + t_6) * 2), now1.x);
    b2_put(((b2_from8 + t_6) * 2) + 1, now1.y);
  }
}

// kernel1
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<u32>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_at(word: i32) -> u32 { return m0[word]; }
fn b2_put(word: i32, x: u32) { m1[word] = x; }
fn eq64_(x: vec2<u32>, y: vec2<u32>) -> bool { return x.x == y.x && x.y == y.y; }
fn ult64_(x: vec2<u32>, y: vec2<u32>) -> bool { return x.y < y.y || (x.y == y.y && x.x < y.x); }
fn sub64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(x.x - y.x, x.y - y.y - select(0u, 1u, x.x < y.x));
}
fn divided_(x: vec2<u32>, y: vec2<u32>) -> vec4<u32> {
  if (x.y == 0u && y.y == 0u) { return vec4<u32>(x.x / y.x, 0u, x.x % y.x, 0u); }
  var rest = vec2<u32>(0u, 0u);
  var quotient = x;
  for (var n = 0; n < 64; n++) {
    let over = rest.y >> 31u;
    rest = vec2<u32>((rest.x << 1u) | (quotient.y >> 31u), (rest.y << 1u) | (rest.x >> 31u));
    quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
    if (over != 0u || !ult64_(rest, y)) {
      rest = sub64_(rest, y);
      quotient.x |= 1u;
    }
  }
  return vec4<u32>(quotient, rest);
}
fn neg64_(x: vec2<u32>) -> vec2<u32> { return sub64_(vec2<u32>(0u, 0u), x); }
fn size64_(x: vec2<u32>) -> vec2<u32> { return select(x, neg64_(x), i32(x.y) < 0); }
fn sdiv64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let quotient = divided_(size64_(x), size64_(y)).xy;
  return select(quotient, neg64_(quotient), ((x.y ^ y.y) >> 31u) != 0u);
}
fn mul32_(x: u32, y: u32) -> vec2<u32> {
  let a = x & 0xffffu;
  let b = x >> 16u;
  let c = y & 0xffffu;
  let d = y >> 16u;
  let low = a * c;
  let first = a * d + (low >> 16u);
  let second = b * c + (first & 0xffffu);
  return vec2<u32>((second << 16u) | (low & 0xffffu), b * d + (first >> 16u) + (second >> 16u));
}
fn mul64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = mul32_(x.x, y.x);
  return vec2<u32>(low.x, low.y + x.x * y.y + x.y * y.x);
}
fn slt64_(x: vec2<u32>, y: vec2<u32>) -> bool {
  return i32(x.y) < i32(y.y) || (x.y == y.y && x.x < y.x);
}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from8 = i32(words[0][0] >> 3u);
  let b1_from8 = i32(words[0][1] >> 3u);
  let b2_from8 = i32(words[0][2] >> 3u);
  let t_6 = (block_ * 256) + thread_;
  if (t_6 < 40) {
    let t_11 = vec2<u32>(b0_at(((b0_from8 + t_6) * 2)), b0_at(((b0_from8 + t_6) * 2) + 1));
    let t_13 = vec2<u32>(b1_at(((b1_from8 + t_6) * 2)), b1_at(((b1_from8 + t_6) * 2) + 1));
    let t_14 = eq64_(t_13, vec2<u32>(0u, 0u));
    let t_15 = eq64_(t_13, vec2<u32>(4294967295u, 4294967295u));
    let t_17 = select(t_13, vec2<u32>(1u, 0u), (t_14 | t_15));
    let t_18 = sdiv64_(t_11, t_17);
    let t_20 = sub64_(t_11, (mul64_(t_18, t_17)));
    let t_25 = (!eq64_(t_20, vec2<u32>(0u, 0u))) & (slt64_((t_20 ^ t_13), vec2<u32>(0u, 0u)));
    let t_28 = select((select(t_18, (sub64_(t_18, vec2<u32>(1u, 0u))), t_25)), (sub64_(vec2<u32>(0u, 0u), t_11)), t_15);
    let now1 = (select(t_28, vec2<u32>(0u, 0u), t_14));
    b2_put(((b2_from8 + t_6) * 2), now1.x);
    b2_put(((b2_from8 + t_6) * 2) + 1, now1.y);
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 320, 0, 1, 0))
// WgslLaunch(kernel='kernel1', buffers=(('input', 0), ('output', 0)), words=(0, 320, 320, 1, 0))
