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
  let t_6 = (block_ * 256) + thread_;
  if (t_6 < 40) {
    let t_11 = bitcast<f32>(b0_at((b0_from4 + t_6)));
    let t_13 = fixed_((t_11 + 1.0f));
    let t_17 = bitcast<i32>(t_13) - 1060439283;
    let t_21 = t_17 >> 23u;
    let t_22 = 127 - t_21;
    let t_28 = fma((t_11 - (t_13 - 1.0f)), (bitcast<f32>(((select(0, t_22, (t_22 > 0))) << 23u))), ((bitcast<f32>(((t_17 & 8388607) + 1060439283))) - 1.0f));
    let t_29 = float_of_i32_(t_21);
    let t_32 = fma((fma(0.07037683576345444f, t_28, float_(3186348472u))), t_28, 0.11676998436450958f);
    let t_34 = fma((fma(t_32, t_28, float_(3187563855u))), t_28, 0.14249323308467865f);
    let t_36 = fma((fma(t_34, t_28, float_(3190468176u))), t_28, 0.2000071406364441f);
    let t_38 = fma((fma(t_36, t_28, float_(3196059644u))), t_28, 0.3333333134651184f);
    let t_41 = fma(t_29, float_(3109978243u), ((t_28 * t_28) * (fma(t_28, t_38, float_(3204448256u)))));
    let t_45 = select(t_11, (fma(t_29, 0.693359375f, (t_28 + t_41))), (t_11 < float_(2139095040u)));
    let t_47 = select(t_45, float_(2143289344u), (t_11 < float_(3212836864u)));
    let t_49 = select(t_47, float_(4286578688u), (t_11 == float_(3212836864u)));
    b1_put((b1_from4 + t_6), bitcast<u32>((select(t_49, t_11, (t_11 == 0.0f)))));
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 1, 0))
