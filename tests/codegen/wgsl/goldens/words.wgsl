// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<u32>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_at(word: i32) -> u32 { return m0[word]; }
fn b2_put(word: i32, x: u32) { m1[word] = x; }
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from4 = i32(words[0][0] >> 2u);
  let b1_from4 = i32(words[0][1] >> 2u);
  let b2_from4 = i32(words[0][2] >> 2u);
  let t_6 = (block_ * 256) + thread_;
  if (t_6 < 40) {
    let t_11 = i32(b0_at((b0_from4 + t_6)));
    let t_13 = i32(b1_at((b1_from4 + t_6)));
    b2_put((b2_from4 + t_6), u32((t_11 ^ t_13)));
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 160, 0, 1, 0))
