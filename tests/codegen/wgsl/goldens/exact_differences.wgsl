// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<u32>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_put(word: i32, x: u32) { m1[word] = x; }
fn fixed_(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ words[0][3]); }
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
fn float_(bits: u32) -> f32 { return bitcast<f32>(bits); }
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from4 = i32(words[0][0] >> 2u);
  let b1_from4 = i32(words[0][1] >> 2u);
  let size_1 = block_;
  let size_4 = thread_;
  let t_3 = size_1 * 256;
  let t_6 = t_3 + size_4;
  let t_7 = t_6 < 40;
  if (t_7) {
    let t_10 = b0_from4 + t_6;
    let t_11 = bitcast<f32>(b0_at(t_10));
    let t_12 = t_11 + 1.0f;
    let t_13 = fixed_(t_12);
    let t_14 = t_13 - 1.0f;
    let t_15 = t_11 - t_14;
    let t_16 = bitcast<i32>(t_13);
    let t_17 = t_16 - 1060439283;
    let t_18 = t_17 & 8388607;
    let t_19 = t_18 + 1060439283;
    let t_20 = bitcast<f32>(t_19);
    let t_21 = t_17 >> 23u;
    let t_22 = 127 - t_21;
    let t_23 = t_22 > 0;
    let t_24 = select(0, t_22, t_23);
    let t_25 = t_24 << 23u;
    let t_26 = bitcast<f32>(t_25);
    let t_27 = t_20 - 1.0f;
    let t_28 = fma(t_15, t_26, t_27);
    let t_29 = float_of_i32_(t_21);
    let t_30 = t_28 * t_28;
    let t_31 = fma(0.07037683576345444f, t_28, float_(3186348472u));
    let t_32 = fma(t_31, t_28, 0.11676998436450958f);
    let t_33 = fma(t_32, t_28, float_(3187563855u));
    let t_34 = fma(t_33, t_28, 0.14249323308467865f);
    let t_35 = fma(t_34, t_28, float_(3190468176u));
    let t_36 = fma(t_35, t_28, 0.2000071406364441f);
    let t_37 = fma(t_36, t_28, float_(3196059644u));
    let t_38 = fma(t_37, t_28, 0.3333333134651184f);
    let t_39 = fma(t_28, t_38, float_(3204448256u));
    let t_40 = t_30 * t_39;
    let t_41 = fma(t_29, float_(3109978243u), t_40);
    let t_42 = t_28 + t_41;
    let t_43 = fma(t_29, 0.693359375f, t_42);
    let t_44 = t_11 < float_(2139095040u);
    let t_45 = select(t_11, t_43, t_44);
    let t_46 = t_11 < float_(3212836864u);
    let t_47 = select(t_45, float_(2143289344u), t_46);
    let t_48 = t_11 == float_(3212836864u);
    let t_49 = select(t_47, float_(4286578688u), t_48);
    let t_50 = t_11 == 0.0f;
    let t_51 = select(t_49, t_11, t_50);
    let t_52 = b1_from4 + t_6;
    b1_put(t_52, bitcast<u32>(t_51));
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 1, 0), blocks=1)
