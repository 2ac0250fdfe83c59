// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<atomic<u32>>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_byte(index: i32, x: u32) {
  let place = u32(index & 3) << 3u;
  let mask = 255u << place;
  let part = (x & 255u) << place;
  atomicAnd(&m1[index >> 2u], ~mask); atomicOr(&m1[index >> 2u], part);
}
var<workgroup> loops0_shared0_m: array<atomic<u32>, 32>;
fn loops0_shared0_at(word: i32) -> u32 { return atomicLoad(&loops0_shared0_m[word]); }
fn loops0_shared0_byte(index: i32, x: u32) {
  let place = u32(index & 3) << 3u;
  let mask = 255u << place;
  let part = (x & 255u) << place;
  atomicAnd(&loops0_shared0_m[index >> 2u], ~mask); atomicOr(&loops0_shared0_m[index >> 2u], part);
}
fn byte_(word: u32, index: i32) -> i32 { return i32((word >> (u32(index & 3) << 3u)) & 0xffu); }
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from1 = i32(words[0][0]);
  let b1_from1 = i32(words[0][1]);
  var i_10: i32;
  var c_11: bool;
  var t_19: bool;
  var i_25: i32;
  let size_1 = thread_;
  let size_3 = block_;
  let t_5 = size_3 * 1000;
  let t_6 = b0_from1 + t_5;
  let t_12 = size_1 < 1000;
  if (t_12) {
    i_10 = size_1;
    c_11 = true;
    loop {
      let t_13 = t_6 + i_10;
      let t_14 = byte_(b0_at((t_13) >> 2u), t_13);
      let t_15 = t_14 != 0;
      let t_16 = c_11 & t_15;
      let t_17 = i_10 + 128;
      let t_18 = t_17 < 1000;
      if (t_18) {
        i_10 = t_17;
        c_11 = t_16;
      } else {
        t_19 = t_16;
        break;
      }
    }
  } else {
    t_19 = true;
  }
  let t_20 = select(0, 1, t_19);
  loops0_shared0_byte(size_1, u32(t_20));
  i_25 = 0;
  loop {
    workgroupBarrier();
    let t_26 = i32(u32(64) >> u32(i_25));
    let t_27 = size_1 < t_26;
    if (t_27) {
      let t_30 = size_1 + t_26;
      let t_32 = byte_(loops0_shared0_at((size_1) >> 2u), size_1);
      let t_33 = (t_32 & 1) != 0;
      let t_35 = byte_(loops0_shared0_at((t_30) >> 2u), t_30);
      let t_36 = (t_35 & 1) != 0;
      let t_37 = t_33 & t_36;
      let t_38 = select(0, 1, t_37);
      loops0_shared0_byte(size_1, u32(t_38));
    }
    let t_40 = i_25 + 1;
    let t_41 = t_40 < 7;
    if (t_41) {
      i_25 = t_40;
    } else {
      break;
    }
  }
  workgroupBarrier();
  let t_42 = byte_(loops0_shared0_at(0), 0);
  let t_43 = (t_42 & 1) != 0;
  let t_44 = size_1 == 0;
  if (t_44) {
    let t_47 = b1_from1 + size_3;
    let t_48 = select(0, 1, t_43);
    b1_byte(t_47, u32(t_48));
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 9, 0), blocks=9)
