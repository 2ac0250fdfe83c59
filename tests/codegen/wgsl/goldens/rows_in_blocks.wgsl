// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<u32>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_put(word: i32, x: u32) { m1[word] = x; }
var<workgroup> loops0_shared1_m: array<u32, 128>;
fn loops0_shared1_at(word: i32) -> u32 { return loops0_shared1_m[word]; }
fn loops0_shared1_put(word: i32, x: u32) { loops0_shared1_m[word] = x; }
var<workgroup> loops0_shared0_m: array<u32, 1000>;
fn loops0_shared0_at(word: i32) -> u32 { return loops0_shared0_m[word]; }
fn loops0_shared0_put(word: i32, x: u32) { loops0_shared0_m[word] = x; }
var<workgroup> loops0_shared2_m: array<u32, 128>;
fn loops0_shared2_at(word: i32) -> u32 { return loops0_shared2_m[word]; }
fn loops0_shared2_put(word: i32, x: u32) { loops0_shared2_m[word] = x; }
fn float_(bits: u32) -> f32 { return bitcast<f32>(bits); }
fn nan_(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from4 = i32(words[0][0] >> 2u);
  let b1_from4 = i32(words[0][1] >> 2u);
  var i_10: i32;
  var c_11: f32;
  var t_21: f32;
  var i_26: i32;
  var i_49: i32;
  var i_86: i32;
  var c_87: f32;
  var t_94: f32;
  var i_99: i32;
  var i_118: i32;
  let size_1 = thread_;
  let size_3 = block_;
  let t_5 = size_3 * 1000;
  let t_6 = b0_from4 + t_5;
  let t_12 = size_1 < 1000;
  if (t_12) {
    i_10 = size_1;
    c_11 = float_(4286578688u);
    loop {
      let t_13 = t_6 + i_10;
      let t_14 = bitcast<f32>(b0_at(t_13));
      let t_15 = c_11 > t_14;
      let t_16 = select(t_14, c_11, t_15);
      let t_17 = nan_(c_11);
      let t_18 = select(t_16, c_11, t_17);
      let t_19 = i_10 + 128;
      let t_20 = t_19 < 1000;
      if (t_20) {
        i_10 = t_19;
        c_11 = t_18;
      } else {
        t_21 = t_18;
        break;
      }
    }
  } else {
    t_21 = float_(4286578688u);
  }
  loops0_shared1_put(size_1, bitcast<u32>(t_21));
  i_26 = 0;
  loop {
    workgroupBarrier();
    let t_27 = i32(u32(64) >> u32(i_26));
    let t_28 = size_1 < t_27;
    if (t_28) {
      let t_31 = size_1 + t_27;
      let t_33 = bitcast<f32>(loops0_shared1_at(size_1));
      let t_35 = bitcast<f32>(loops0_shared1_at(t_31));
      let t_36 = t_33 > t_35;
      let t_37 = select(t_35, t_33, t_36);
      let t_38 = nan_(t_33);
      let t_39 = select(t_37, t_33, t_38);
      loops0_shared1_put(size_1, bitcast<u32>(t_39));
    }
    let t_41 = i_26 + 1;
    let t_42 = t_41 < 7;
    if (t_42) {
      i_26 = t_41;
    } else {
      break;
    }
  }
  workgroupBarrier();
  let t_43 = bitcast<f32>(loops0_shared1_at(0));
  let t_44 = size_3 * 1000;
  let t_45 = b0_from4 + t_44;
  let t_50 = size_1 < 1000;
  if (t_50) {
    i_49 = size_1;
    loop {
      let t_51 = t_45 + i_49;
      let t_52 = bitcast<f32>(b0_at(t_51));
      let t_53 = t_52 - t_43;
      let t_54 = 89.0f < t_53;
      let t_55 = select(t_53, 89.0f, t_54);
      let t_56 = float_(3268411392u) > t_55;
      let t_57 = select(t_55, float_(3268411392u), t_56);
      let t_58 = t_57 * 1.4426950216293335f;
      let t_59 = round(t_58);
      let t_60 = i32(t_59);
      let t_61 = fma(t_59, float_(3207692288u), t_57);
      let t_62 = fma(t_59, 0.00021219444170128554f, t_61);
      let t_63 = fma(float_(984944939u), t_62, 0.00836885068565607f);
      let t_64 = fma(t_63, t_62, 0.041668400168418884f);
      let t_65 = fma(t_64, t_62, 0.1666651964187622f);
      let t_66 = fma(t_65, t_62, 0.4999999403953552f);
      let t_67 = t_62 * t_62;
      let t_68 = fma(t_66, t_67, t_62);
      let t_69 = t_68 + 1.0f;
      let t_70 = t_60 >> 1u;
      let t_71 = t_60 - t_70;
      let t_72 = t_70 + 127;
      let t_73 = t_72 << 23u;
      let t_74 = bitcast<f32>(t_73);
      let t_75 = t_69 * t_74;
      let t_76 = t_71 + 127;
      let t_77 = t_76 << 23u;
      let t_78 = bitcast<f32>(t_77);
      let t_79 = t_75 * t_78;
      let t_80 = i_49;
      loops0_shared0_put(t_80, bitcast<u32>(t_79));
      let t_81 = i_49 + 128;
      let t_82 = t_81 < 1000;
      if (t_82) {
        i_49 = t_81;
      } else {
        break;
      }
    }
  }
  let t_88 = size_1 < 1000;
  if (t_88) {
    i_86 = size_1;
    c_87 = 0.0f;
    loop {
      let t_89 = i_86;
      let t_90 = bitcast<f32>(loops0_shared0_at(t_89));
      let t_91 = c_87 + t_90;
      let t_92 = i_86 + 128;
      let t_93 = t_92 < 1000;
      if (t_93) {
        i_86 = t_92;
        c_87 = t_91;
      } else {
        t_94 = t_91;
        break;
      }
    }
  } else {
    t_94 = 0.0f;
  }
  loops0_shared2_put(size_1, bitcast<u32>(t_94));
  i_99 = 0;
  loop {
    workgroupBarrier();
    let t_100 = i32(u32(64) >> u32(i_99));
    let t_101 = size_1 < t_100;
    if (t_101) {
      let t_104 = size_1 + t_100;
      let t_106 = bitcast<f32>(loops0_shared2_at(size_1));
      let t_108 = bitcast<f32>(loops0_shared2_at(t_104));
      let t_109 = t_106 + t_108;
      loops0_shared2_put(size_1, bitcast<u32>(t_109));
    }
    let t_111 = i_99 + 1;
    let t_112 = t_111 < 7;
    if (t_112) {
      i_99 = t_111;
    } else {
      break;
    }
  }
  workgroupBarrier();
  let t_113 = bitcast<f32>(loops0_shared2_at(0));
  let t_114 = 1.0f / t_113;
  let t_119 = size_1 < 1000;
  if (t_119) {
    i_118 = size_1;
    loop {
      let t_120 = i_118;
      let t_121 = bitcast<f32>(loops0_shared0_at(t_120));
      let t_122 = t_121 * t_114;
      let t_123 = size_3 * 1000;
      let t_124 = b1_from4 + t_123;
      let t_125 = t_124 + i_118;
      b1_put(t_125, bitcast<u32>(t_122));
      let t_126 = i_118 + 128;
      let t_127 = t_126 < 1000;
      if (t_127) {
        i_118 = t_126;
      } else {
        break;
      }
    }
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 4, 0), blocks=4)
