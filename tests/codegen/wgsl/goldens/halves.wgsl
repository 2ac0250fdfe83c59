// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<atomic<u32>>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_short(index: i32, x: u32) {
  let place = u32(index & 1) << 4u;
  let mask = 65535u << place;
  let part = (x & 65535u) << place;
  atomicAnd(&m1[index >> 1u], ~mask); atomicOr(&m1[index >> 1u], part);
}
fn short_(word: u32, index: i32) -> i32 { return i32((word >> (u32(index & 1) << 4u)) & 0xffffu); }
fn neg_(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ 0x80000000u); }
fn float_of_u32_(x: u32) -> f32 {
  if (x < 0x1000000u) { return f32(x); }
  let up = countLeadingZeros(x);
  let moved = x << up;
  let significand = moved >> 8u;
  let rest = moved & 0xffu;
  let more = select(0u, 1u, rest > 0x80u || (rest == 0x80u && (significand & 1u) == 1u));
  return bitcast<f32>(((158u - up) << 23u) + (significand - 0x800000u) + more);
}
fn float_of_i32_(x: i32) -> f32 {
  if (x < 0) { return neg_(float_of_u32_(u32(-x))); }
  return float_of_u32_(u32(x));
}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from2 = i32(words[0][0] >> 1u);
  let b1_from2 = i32(words[0][1] >> 1u);
  let t_6 = (block_ * 256) + thread_;
  if (t_6 < 40) {
    let t_11 = short_(b0_at(((b0_from2 + t_6)) >> 1u), (b0_from2 + t_6));
    let t_13 = t_11 & 32767;
    let t_14 = t_13 << 13u;
    let t_18 = select((t_14 + 939524096), (t_14 | 2139095040), (t_13 >= 31744));
    let t_21 = bitcast<i32>((float_of_i32_(t_13) * 5.960464477539063e-08f));
    let t_26 = (select(t_18, t_21, (t_13 < 1024))) | ((t_11 & 32768) << 16u);
    let t_27 = bitcast<f32>(t_26);
    let t_29 = bitcast<i32>((t_27 + t_27));
    let t_30 = t_29 & 2147483647;
    let t_39 = i32(u32(((t_30 + (-939520001)) + ((t_30 >> 13u) & 1))) >> 13u);
    let t_41 = select(t_39, ((bitcast<i32>((bitcast<f32>(t_30) + 0.5f))) - 1056964608), (t_30 < 947912704));
    let t_45 = select((select(t_41, 31744, (t_30 >= 1199570944))), 32256, (t_30 > 2139095040));
    let t_50 = (((t_45 | ((i32(u32(t_29) >> 16u)) & 32768))) & 65535);
    let t_51 = t_50 & 32767;
    let t_52 = t_51 << 13u;
    let t_56 = select((t_52 + 939524096), (t_52 | 2139095040), (t_51 >= 31744));
    let t_59 = bitcast<i32>((float_of_i32_(t_51) * 5.960464477539063e-08f));
    let t_64 = (select(t_56, t_59, (t_51 < 1024))) | ((t_50 & 32768) << 16u);
    let t_67 = bitcast<i32>(bitcast<f32>(t_64));
    let t_68 = t_67 & 2147483647;
    let t_77 = i32(u32(((t_68 + (-939520001)) + ((t_68 >> 13u) & 1))) >> 13u);
    let t_79 = select(t_77, ((bitcast<i32>((bitcast<f32>(t_68) + 0.5f))) - 1056964608), (t_68 < 947912704));
    let t_83 = select((select(t_79, 31744, (t_68 >= 1199570944))), 32256, (t_68 > 2139095040));
    b1_short((b1_from2 + t_6), u32((((t_83 | ((i32(u32(t_67) >> 16u)) & 32768))) & 65535)));
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 1, 0))
