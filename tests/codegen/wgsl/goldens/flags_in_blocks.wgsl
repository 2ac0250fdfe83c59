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
  let t_6 = b0_from1 + (block_ * 1000);
  if (thread_ < 1000) {
    i_10 = thread_;
    c_11 = true;
    loop {
      let t_14 = byte_(b0_at(((t_6 + i_10)) >> 2u), (t_6 + i_10));
      let t_16 = c_11 & (t_14 != 0);
      let t_17 = i_10 + 128;
      if (t_17 < 1000) {
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
  loops0_shared0_byte(thread_, u32((select(0, 1, t_19))));
  i_25 = 0;
  loop {
    workgroupBarrier();
    let t_26 = 64 >> u32(i_25);
    if (thread_ < t_26) {
      let t_31 = byte_(loops0_shared0_at((thread_) >> 2u), thread_);
      let t_35 = byte_(loops0_shared0_at((((thread_ + t_26))) >> 2u), ((thread_ + t_26)));
      loops0_shared0_byte(thread_, u32((select(0, 1, (((t_31 & 1) != 0) & ((t_35 & 1) != 0))))));
    }
    let t_40 = i_25 + 1;
    if (t_40 < 7) {
      i_25 = t_40;
    } else {
      break;
    }
  }
  workgroupBarrier();
  let t_42 = byte_(loops0_shared0_at(0), 0);
  let t_43 = (t_42 & 1) != 0;
  if (thread_ == 0) {
    b1_byte((b1_from1 + block_), u32((select(0, 1, t_43))));
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 9, 0))
