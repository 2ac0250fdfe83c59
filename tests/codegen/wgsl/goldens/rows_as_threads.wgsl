// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<u32>;
@group(0) @binding(3) var<storage, read_write> m2: array<u32>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_at(word: i32) -> u32 { return m1[word]; }
fn b1_put(word: i32, x: u32) { m1[word] = x; }
fn b2_put(word: i32, x: u32) { m2[word] = x; }
var<workgroup> loops0_shared0_m: array<u32, 768>;
fn loops0_shared0_at(word: i32) -> u32 { return loops0_shared0_m[word]; }
fn loops0_shared0_put(word: i32, x: u32) { loops0_shared0_m[word] = x; }
fn float_(bits: u32) -> f32 { return bitcast<f32>(bits); }
fn nan_(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from4 = i32(words[0][0] >> 2u);
  let b1_from4 = i32(words[0][1] >> 2u);
  let b2_from4 = i32(words[0][2] >> 2u);
  var i_16: i32;
  var c_17: f32;
  var i_30: i32;
  var i_68: i32;
  var c_69: f32;
  var i_83: i32;
  var t_24: f32;
  var t_73: f32;
  let size_1 = thread_;
  let size_4 = block_;
  let t_6 = size_4 * 256;
  let t_7 = t_6 + size_1;
  let t_8 = t_7 < 300;
  if (t_8) {
    let t_11 = b0_from4 + t_7;
    let t_12 = b0_from4 + t_7;
    i_16 = 0;
    c_17 = float_(4286578688u);
    loop {
      let t_18 = i_16 * 300;
      let t_19 = t_12 + t_18;
      let t_20 = bitcast<f32>(b0_at(t_19));
      let t_21 = c_17 > t_20;
      let t_22 = select(t_20, c_17, t_21);
      let t_23 = nan_(c_17);
      t_24 = select(t_22, c_17, t_23);
      let t_25 = i_16 + 1;
      let t_26 = t_25 < 3;
      if (t_26) {
        i_16 = t_25;
        c_17 = t_24;
      } else {
        break;
      }
    }
    i_30 = 0;
    loop {
      let t_31 = i_30 * 300;
      let t_32 = t_11 + t_31;
      let t_33 = bitcast<f32>(b0_at(t_32));
      let t_34 = t_33 - t_24;
      let t_35 = 89.0f < t_34;
      let t_36 = select(t_34, 89.0f, t_35);
      let t_37 = float_(3268411392u) > t_36;
      let t_38 = select(t_36, float_(3268411392u), t_37);
      let t_39 = t_38 * 1.4426950216293335f;
      let t_40 = round(t_39);
      let t_41 = i32(t_40);
      let t_42 = fma(t_40, float_(3207692288u), t_38);
      let t_43 = fma(t_40, 0.00021219444170128554f, t_42);
      let t_44 = fma(float_(984944939u), t_43, 0.00836885068565607f);
      let t_45 = fma(t_44, t_43, 0.041668400168418884f);
      let t_46 = fma(t_45, t_43, 0.1666651964187622f);
      let t_47 = fma(t_46, t_43, 0.4999999403953552f);
      let t_48 = t_43 * t_43;
      let t_49 = fma(t_47, t_48, t_43);
      let t_50 = t_49 + 1.0f;
      let t_51 = t_41 >> 1u;
      let t_52 = t_41 - t_51;
      let t_53 = t_51 + 127;
      let t_54 = t_53 << 23u;
      let t_55 = bitcast<f32>(t_54);
      let t_56 = t_50 * t_55;
      let t_57 = t_52 + 127;
      let t_58 = t_57 << 23u;
      let t_59 = bitcast<f32>(t_58);
      let t_60 = t_56 * t_59;
      let t_61 = i_30 * 256;
      let t_62 = size_1 + t_61;
      loops0_shared0_put(t_62, bitcast<u32>(t_60));
      let t_63 = i_30 + 1;
      let t_64 = t_63 < 3;
      if (t_64) {
        i_30 = t_63;
      } else {
        break;
      }
    }
    i_68 = 0;
    c_69 = 0.0f;
    loop {
      let t_70 = i_68 * 256;
      let t_71 = size_1 + t_70;
      let t_72 = bitcast<f32>(loops0_shared0_at(t_71));
      t_73 = c_69 + t_72;
      let t_74 = i_68 + 1;
      let t_75 = t_74 < 3;
      if (t_75) {
        i_68 = t_74;
        c_69 = t_73;
      } else {
        break;
      }
    }
    let t_76 = 1.0f / t_73;
    let t_77 = b1_from4 + t_7;
    b1_put(t_77, bitcast<u32>(t_76));
    let t_78 = b1_from4 + t_7;
    let t_79 = bitcast<f32>(b1_at(t_78));
    i_83 = 0;
    loop {
      let t_84 = i_83 * 256;
      let t_85 = size_1 + t_84;
      let t_86 = bitcast<f32>(loops0_shared0_at(t_85));
      let t_87 = t_86 * t_79;
      let t_88 = b2_from4 + t_7;
      let t_89 = i_83 * 300;
      let t_90 = t_88 + t_89;
      b2_put(t_90, bitcast<u32>(t_87));
      let t_91 = i_83 + 1;
      let t_92 = t_91 < 3;
      if (t_92) {
        i_83 = t_91;
      } else {
        break;
      }
    }
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('scratch', 0), ('output', 0)), words=(0, 0, 0, 2, 0), blocks=2)
