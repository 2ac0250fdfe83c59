// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<u32>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_put(word: i32, x: u32) { m1[word] = x; }
fn float_(bits: u32) -> f32 { return bitcast<f32>(bits); }
fn nan_(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn wide_(x: i32) -> vec2<u32> { return vec2<u32>(u32(x), u32(x >> 31u)); }
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from4 = i32(words[0][0] >> 2u);
  let b1_from8 = i32(words[0][1] >> 3u);
  var i_15: i32;
  var c_16: f32;
  var c_17: i32;
  var t_26: i32;
  let t_6 = (block_ * 256) + thread_;
  if (t_6 < 9) {
    let t_11 = b0_from4 + (t_6 * 5);
    i_15 = 0;
    c_16 = float_(4286578688u);
    c_17 = 0;
    loop {
      let t_19 = bitcast<f32>(b0_at((t_11 + i_15)));
      let t_24 = (t_19 > c_16 || nan_(t_19) || nan_(c_16)) & !(nan_(c_16));
      let t_25 = select(c_16, t_19, t_24);
      t_26 = select(c_17, i_15, t_24);
      let t_27 = i_15 + 1;
      if (t_27 < 5) {
        i_15 = t_27;
        c_16 = t_25;
        c_17 = t_26;
      } else {
        break;
      }
    }
    let now1 = wide_(t_26);
    b1_put(((b1_from8 + t_6) * 2), now1.x);
    b1_put(((b1_from8 + t_6) * 2) + 1, now1.y);
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 1, 0))
