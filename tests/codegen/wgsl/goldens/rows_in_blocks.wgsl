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
  let t_6 = b0_from4 + (block_ * 1000);
  if (thread_ < 1000) {
    i_10 = thread_;
    c_11 = float_(4286578688u);
    loop {
      let t_14 = bitcast<f32>(b0_at((t_6 + i_10)));
      let t_18 = select((select(t_14, c_11, (c_11 > t_14))), c_11, nan_(c_11));
      let t_19 = i_10 + 128;
      if (t_19 < 1000) {
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
  loops0_shared1_put(thread_, bitcast<u32>(t_21));
  i_26 = 0;
  loop {
    workgroupBarrier();
    let t_27 = 64 >> u32(i_26);
    if (thread_ < t_27) {
      let t_32 = bitcast<f32>(loops0_shared1_at(thread_));
      let t_35 = bitcast<f32>(loops0_shared1_at(((thread_ + t_27))));
      let t_39 = select((select(t_35, t_32, (t_32 > t_35))), t_32, nan_(t_32));
      loops0_shared1_put(thread_, bitcast<u32>(t_39));
    }
    let t_41 = i_26 + 1;
    if (t_41 < 7) {
      i_26 = t_41;
    } else {
      break;
    }
  }
  workgroupBarrier();
  let t_43 = bitcast<f32>(loops0_shared1_at(0));
  if (thread_ < 1000) {
    i_49 = thread_;
    loop {
      let t_52 = bitcast<f32>(b0_at((t_6 + i_49)));
      let t_53 = t_52 - t_43;
      let t_55 = select(t_53, 89.0f, (89.0f < t_53));
      let t_57 = select(t_55, float_(3268411392u), (float_(3268411392u) > t_55));
      let t_59 = round((t_57 * 1.4426950216293335f));
      let t_60 = i32(t_59);
      let t_62 = fma(t_59, 0.00021219444170128554f, (fma(t_59, float_(3207692288u), t_57)));
      let t_64 = fma((fma(float_(984944939u), t_62, 0.00836885068565607f)), t_62, 0.041668400168418884f);
      let t_66 = fma((fma(t_64, t_62, 0.1666651964187622f)), t_62, 0.4999999403953552f);
      let t_70 = t_60 >> 1u;
      let t_75 = ((fma(t_66, (t_62 * t_62), t_62)) + 1.0f) * (bitcast<f32>(((t_70 + 127) << 23u)));
      loops0_shared0_put((i_49), bitcast<u32>((t_75 * (bitcast<f32>((((t_60 - t_70) + 127) << 23u))))));
      let t_81 = i_49 + 128;
      if (t_81 < 1000) {
        i_49 = t_81;
      } else {
        break;
      }
    }
  }
  if (thread_ < 1000) {
    i_86 = thread_;
    c_87 = 0.0f;
    loop {
      let t_90 = bitcast<f32>(loops0_shared0_at((i_86)));
      let t_91 = c_87 + t_90;
      let t_92 = i_86 + 128;
      if (t_92 < 1000) {
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
  loops0_shared2_put(thread_, bitcast<u32>(t_94));
  i_99 = 0;
  loop {
    workgroupBarrier();
    let t_100 = 64 >> u32(i_99);
    if (thread_ < t_100) {
      let t_105 = bitcast<f32>(loops0_shared2_at(thread_));
      let t_108 = bitcast<f32>(loops0_shared2_at(((thread_ + t_100))));
      loops0_shared2_put(thread_, bitcast<u32>((t_105 + t_108)));
    }
    let t_111 = i_99 + 1;
    if (t_111 < 7) {
      i_99 = t_111;
    } else {
      break;
    }
  }
  workgroupBarrier();
  let t_113 = bitcast<f32>(loops0_shared2_at(0));
  let t_114 = 1.0f / t_113;
  if (thread_ < 1000) {
    i_118 = thread_;
    loop {
      let t_121 = bitcast<f32>(loops0_shared0_at((i_118)));
      b1_put(((b1_from4 + (block_ * 1000)) + i_118), bitcast<u32>((t_121 * t_114)));
      let t_126 = i_118 + 128;
      if (t_126 < 1000) {
        i_118 = t_126;
      } else {
        break;
      }
    }
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 4, 0))
