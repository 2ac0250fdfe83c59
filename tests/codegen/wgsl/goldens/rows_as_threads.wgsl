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
  let t_7 = (block_ * 256) + thread_;
  if (t_7 < 300) {
    let t_11 = b0_from4 + t_7;
    i_16 = 0;
    c_17 = float_(4286578688u);
    loop {
      let t_20 = bitcast<f32>(b0_at((t_11 + (i_16 * 300))));
      t_24 = select((select(t_20, c_17, (c_17 > t_20))), c_17, nan_(c_17));
      let t_25 = i_16 + 1;
      if (t_25 < 3) {
        i_16 = t_25;
        c_17 = t_24;
      } else {
        break;
      }
    }
    i_30 = 0;
    loop {
      let t_33 = bitcast<f32>(b0_at((t_11 + (i_30 * 300))));
      let t_34 = t_33 - t_24;
      let t_36 = select(t_34, 89.0f, (89.0f < t_34));
      let t_38 = select(t_36, float_(3268411392u), (float_(3268411392u) > t_36));
      let t_40 = round((t_38 * 1.4426950216293335f));
      let t_41 = i32(t_40);
      let t_43 = fma(t_40, 0.00021219444170128554f, (fma(t_40, float_(3207692288u), t_38)));
      let t_45 = fma((fma(float_(984944939u), t_43, 0.00836885068565607f)), t_43, 0.041668400168418884f);
      let t_47 = fma((fma(t_45, t_43, 0.1666651964187622f)), t_43, 0.4999999403953552f);
      let t_51 = t_41 >> 1u;
      let t_56 = ((fma(t_47, (t_43 * t_43), t_43)) + 1.0f) * (bitcast<f32>(((t_51 + 127) << 23u)));
      loops0_shared0_put((thread_ + (i_30 * 256)), bitcast<u32>((t_56 * (bitcast<f32>((((t_41 - t_51) + 127) << 23u))))));
      let t_63 = i_30 + 1;
      if (t_63 < 3) {
        i_30 = t_63;
      } else {
        break;
      }
    }
    i_68 = 0;
    c_69 = 0.0f;
    loop {
      let t_72 = bitcast<f32>(loops0_shared0_at((thread_ + (i_68 * 256))));
      t_73 = c_69 + t_72;
      let t_74 = i_68 + 1;
      if (t_74 < 3) {
        i_68 = t_74;
        c_69 = t_73;
      } else {
        break;
      }
    }
    b1_put((b1_from4 + t_7), bitcast<u32>((1.0f / t_73)));
    let t_79 = bitcast<f32>(b1_at((b1_from4 + t_7)));
    i_83 = 0;
    loop {
      let t_86 = bitcast<f32>(loops0_shared0_at((thread_ + (i_83 * 256))));
      b2_put(((b2_from4 + t_7) + (i_83 * 300)), bitcast<u32>((t_86 * t_79)));
      let t_91 = i_83 + 1;
      if (t_91 < 3) {
        i_83 = t_91;
      } else {
        break;
      }
    }
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('scratch', 0), ('output', 0)), words=(0, 0, 0, 2, 0))
