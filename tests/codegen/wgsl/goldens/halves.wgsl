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
  let size_1 = block_;
  let size_4 = thread_;
  let t_3 = size_1 * 256;
  let t_6 = t_3 + size_4;
  let t_7 = t_6 < 40;
  if (t_7) {
    let t_10 = b0_from2 + t_6;
    let t_11 = short_(b0_at((t_10) >> 1u), t_10);
    let t_13 = t_11 & 32767;
    let t_14 = t_13 << 13u;
    let t_15 = t_14 + 939524096;
    let t_16 = t_13 >= 31744;
    let t_17 = t_14 | 2139095040;
    let t_18 = select(t_15, t_17, t_16);
    let t_19 = float_of_i32_(t_13);
    let t_20 = t_19 * 5.960464477539063e-08f;
    let t_21 = bitcast<i32>(t_20);
    let t_22 = t_11 & 32768;
    let t_23 = t_22 << 16u;
    let t_24 = t_13 < 1024;
    let t_25 = select(t_18, t_21, t_24);
    let t_26 = t_25 | t_23;
    let t_27 = bitcast<f32>(t_26);
    let t_28 = t_27 + t_27;
    let t_29 = bitcast<i32>(t_28);
    let t_30 = t_29 & 2147483647;
    let t_31 = bitcast<f32>(t_30);
    let t_32 = t_31 + 0.5f;
    let t_33 = bitcast<i32>(t_32);
    let t_34 = t_33 - 1056964608;
    let t_35 = i32(u32(t_30) >> 13u);
    let t_36 = t_35 & 1;
    let t_37 = t_30 + (-939520001);
    let t_38 = t_37 + t_36;
    let t_39 = i32(u32(t_38) >> 13u);
    let t_40 = t_30 < 947912704;
    let t_41 = select(t_39, t_34, t_40);
    let t_42 = t_30 >= 1199570944;
    let t_43 = select(t_41, 31744, t_42);
    let t_44 = t_30 > 2139095040;
    let t_45 = select(t_43, 32256, t_44);
    let t_46 = i32(u32(t_29) >> 16u);
    let t_47 = t_46 & 32768;
    let t_48 = t_45 | t_47;
    let t_49 = (t_48) & 65535;
    let t_51 = t_49 & 32767;
    let t_52 = t_51 << 13u;
    let t_53 = t_52 + 939524096;
    let t_54 = t_51 >= 31744;
    let t_55 = t_52 | 2139095040;
    let t_56 = select(t_53, t_55, t_54);
    let t_57 = float_of_i32_(t_51);
    let t_58 = t_57 * 5.960464477539063e-08f;
    let t_59 = bitcast<i32>(t_58);
    let t_60 = t_49 & 32768;
    let t_61 = t_60 << 16u;
    let t_62 = t_51 < 1024;
    let t_63 = select(t_56, t_59, t_62);
    let t_64 = t_63 | t_61;
    let t_65 = bitcast<f32>(t_64);
    let t_66 = b1_from2 + t_6;
    let t_67 = bitcast<i32>(t_65);
    let t_68 = t_67 & 2147483647;
    let t_69 = bitcast<f32>(t_68);
    let t_70 = t_69 + 0.5f;
    let t_71 = bitcast<i32>(t_70);
    let t_72 = t_71 - 1056964608;
    let t_73 = i32(u32(t_68) >> 13u);
    let t_74 = t_73 & 1;
    let t_75 = t_68 + (-939520001);
    let t_76 = t_75 + t_74;
    let t_77 = i32(u32(t_76) >> 13u);
    let t_78 = t_68 < 947912704;
    let t_79 = select(t_77, t_72, t_78);
    let t_80 = t_68 >= 1199570944;
    let t_81 = select(t_79, 31744, t_80);
    let t_82 = t_68 > 2139095040;
    let t_83 = select(t_81, 32256, t_82);
    let t_84 = i32(u32(t_67) >> 16u);
    let t_85 = t_84 & 32768;
    let t_86 = t_83 | t_85;
    let t_87 = (t_86) & 65535;
    b1_short(t_66, u32(t_87));
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 1, 0), blocks=1)
