// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read_write> m1: array<u32>;
fn b0_at(word: i32) -> u32 { return m0[word]; }
fn b1_put(word: i32, x: u32) { m1[word] = x; }
var<private> numbers_e30cbf91c9b054f8_m: array<u32, 18> = array<u32, 18>(3164712744u, 1069216390u, 505290270u, 1069424158u, 286331153u, 1069617425u, 330382100u, 1069789499u, 1952257862u, 1070024145u, 477218588u, 1070363079u, 2454267026u, 1070745892u, 2576980378u, 1071225241u, 1431655765u, 1071994197u);
fn numbers_e30cbf91c9b054f8_at(word: i32) -> u32 { return numbers_e30cbf91c9b054f8_m[word]; }
fn d_of_float_(x: f32) -> vec2<u32> {
  let bits = bitcast<u32>(x);
  let sign = bits & 0x80000000u;
  let size = bits & 0x7fffffffu;
  let up = countLeadingZeros(size | 1u) - 8u;
  let moved = (size << up) & 0x7fffffu;
  let small = vec2<u32>(moved << 29u, sign | ((897u - up) << 20u) | (moved >> 3u));
  let endless = select(0x38000000u, 0x70000000u, size >= 0x7f800000u);
  let normal = vec2<u32>(size << 29u, sign | ((size >> 3u) + endless));
  let found = select(normal, small, size < 0x800000u);
  return select(found, vec2<u32>(0u, sign), size == 0u);
}
fn ult64_(x: vec2<u32>, y: vec2<u32>) -> bool { return x.y < y.y || (x.y == y.y && x.x < y.x); }
fn d_abs_(x: vec2<u32>) -> vec2<u32> { return vec2<u32>(x.x, x.y & 0x7fffffffu); }
fn d_exponent_(x: vec2<u32>) -> i32 { return i32((x.y >> 20u) & 0x7ffu); }
fn lshr64_(x: vec2<u32>, count: u32) -> vec2<u32> {
  let n = count & 31u;
  let high = x.y >> n;
  let low = (x.x >> n) | ((x.y << 1u) << (31u - n));
  return select(vec2<u32>(low, high), vec2<u32>(high, 0u), (count & 32u) != 0u);
}
fn d_significand_(x: vec2<u32>) -> vec2<u32> {
  let bits = vec2<u32>(x.x << 10u, ((x.y & 0xfffffu) << 10u) | (x.x >> 22u) | 0x40000000u);
  return select(bits, vec2<u32>(0u, 0u), (x.y & 0x7ff00000u) == 0u);
}
fn some64_(x: vec2<u32>) -> u32 { return select(0u, 1u, (x.x | x.y) != 0u); }
fn shl64_(x: vec2<u32>, count: u32) -> vec2<u32> {
  let n = count & 31u;
  let low = x.x << n;
  let high = (x.y << n) | ((x.x >> 1u) >> (31u - n));
  return select(vec2<u32>(low, high), vec2<u32>(0u, low), (count & 32u) != 0u);
}
fn jam64_(x: vec2<u32>, count: i32) -> vec2<u32> {
  let n = u32(clamp(count, 0, 63));
  let moved = lshr64_(x, n);
  return vec2<u32>(moved.x | some64_(shl64_(moved, n) ^ x), moved.y);
}
fn add64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = x.x + y.x;
  return vec2<u32>(low, x.y + y.y + select(0u, 1u, low < x.x));
}
fn sub64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(x.x - y.x, x.y - y.y - select(0u, 1u, x.x < y.x));
}
fn zeros64_(x: vec2<u32>) -> i32 {
  return i32(select(countLeadingZeros(x.y), 32u + countLeadingZeros(x.x), x.y == 0u));
}
fn d_packed_(sign: u32, exponent: i32, significand: vec2<u32>) -> vec2<u32> {
  let up = zeros64_(significand);
  let e = exponent - up;
  var bits = shl64_(significand, u32(up));
  let rest = bits.x & 0x7ffu;
  bits = lshr64_(bits, 11u);
  let more = select(0u, 1u, rest > 0x400u || (rest == 0x400u && (bits.x & 1u) == 1u));
  bits = add64_(bits, vec2<u32>(more, 0u));
  // The highest bit of the significand is added to the exponent, which is one less therefore.
  let top = (u32(e) << 20u) + bits.y;
  let none = vec2<u32>(0u, sign);
  let found = select(vec2<u32>(bits.x, sign | top), none | vec2<u32>(0u, 0x7ff00000u), e >= 0x7fe);
  return select(found, none, e < 0 || some64_(significand) == 0u);
}
fn d_nan_(x: vec2<u32>) -> bool {
  let top = x.y & 0x7fffffffu;
  return top > 0x7ff00000u || (top == 0x7ff00000u && x.x != 0u);
}
fn d_add_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let swapped = ult64_(d_abs_(x), d_abs_(y));
  let a = select(x, y, swapped);
  let b = select(y, x, swapped);
  let exponent = d_exponent_(a);
  let large = lshr64_(d_significand_(a), 1u);
  let small = jam64_(lshr64_(d_significand_(b), 1u), exponent - d_exponent_(b));
  let differ = ((a.y ^ b.y) >> 31u) != 0u;
  let total = select(add64_(large, small), sub64_(large, small), differ);
  let sign = select(a.y, x.y & y.y, some64_(total) == 0u) & 0x80000000u;
  let found = d_packed_(sign, exponent + 1, total);
  let broken = d_nan_(a) || (differ && d_exponent_(b) == 0x7ff);
  return select(found, select(a, vec2<u32>(0u, 0x7ff80000u), broken), exponent == 0x7ff);
}
fn mul32_(x: u32, y: u32) -> vec2<u32> {
  let a = x & 0xffffu;
  let b = x >> 16u;
  let c = y & 0xffffu;
  let d = y >> 16u;
  let low = a * c;
  let first = a * d + (low >> 16u);
  let second = b * c + (first & 0xffffu);
  return vec2<u32>((second << 16u) | (low & 0xffffu), b * d + (first >> 16u) + (second >> 16u));
}
fn umulh64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = mul32_(x.x, y.x);
  let first = add64_(mul32_(x.x, y.y), vec2<u32>(low.y, 0u));
  let second = add64_(mul32_(x.y, y.x), vec2<u32>(first.x, 0u));
  return add64_(mul32_(x.y, y.y), add64_(vec2<u32>(first.y, 0u), vec2<u32>(second.y, 0u)));
}
fn mul64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = mul32_(x.x, y.x);
  return vec2<u32>(low.x, low.y + x.x * y.y + x.y * y.x);
}
fn d_mul_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let sign = (x.y ^ y.y) & 0x80000000u;
  let e = d_exponent_(x);
  let f = d_exponent_(y);
  let a = d_significand_(x);
  let b = d_significand_(y);
  var high = umulh64_(a, b);
  high.x |= some64_(mul64_(a, b));
  let found = d_packed_(sign, e + f - 1021, high);
  let none = some64_(a) == 0u || some64_(b) == 0u;
  let broken = d_nan_(x) || d_nan_(y) || none;
  let endless = select(vec2<u32>(0u, sign | 0x7ff00000u), vec2<u32>(0u, 0x7ff80000u), broken);
  return select(found, endless, max(e, f) == 0x7ff);
}
fn d_fma_(x: vec2<u32>, y: vec2<u32>, z: vec2<u32>) -> vec2<u32> { return d_add_(d_mul_(x, y), z); }
fn d_zero_(x: vec2<u32>) -> bool { return (x.x | (x.y & 0x7fffffffu)) == 0u; }
fn d_lt_(x: vec2<u32>, y: vec2<u32>) -> bool {
  let negative = (x.y >> 31u) != 0u;
  let less = select(ult64_(x, y), ult64_(y, x), negative);
  let differ = ((x.y ^ y.y) >> 31u) != 0u;
  let found = select(less, negative, differ);
  return found && !d_nan_(x) && !d_nan_(y) && !(d_zero_(x) && d_zero_(y));
}
fn d_sqrt_(x: vec2<u32>) -> vec2<u32> {
  let exponent = d_exponent_(x) - 1023;
  // Bit by bit, of the significand and zeros after it: 56 bits of the root.
  var bits = shl64_(d_significand_(x), u32(exponent & 1));
  var root = vec2<u32>(0u, 0u);
  var rest = vec2<u32>(0u, 0u);
  for (var n = 0; n < 56; n++) {
    rest = shl64_(rest, 2u) | lshr64_(bits, 62u);
    bits = shl64_(bits, 2u);
    let trial = shl64_(root, 2u) | vec2<u32>(1u, 0u);
    let fits = !ult64_(rest, trial);
    root = shl64_(root, 1u) | vec2<u32>(select(0u, 1u, fits), 0u);
    rest = select(rest, sub64_(rest, trial), fits);
  }
  root = shl64_(root, 7u) | vec2<u32>(some64_(rest), 0u);
  let found = d_packed_(0u, (exponent >> 1u) + 1023, root);
  let negative = (x.y >> 31u) != 0u && d_exponent_(x) != 0;
  let special = select(x, vec2<u32>(0u, 0x7ff80000u), negative && !d_nan_(x));
  return select(found, special, negative || d_exponent_(x) == 0x7ff || d_exponent_(x) == 0);
}
fn neg64_(x: vec2<u32>) -> vec2<u32> { return sub64_(vec2<u32>(0u, 0u), x); }
fn size64_(x: vec2<u32>) -> vec2<u32> { return select(x, neg64_(x), i32(x.y) < 0); }
fn d_of_i64_(x: vec2<u32>) -> vec2<u32> { return d_packed_(x.y & 0x80000000u, 1023 + 62, size64_(x)); }
fn wide_(x: i32) -> vec2<u32> { return vec2<u32>(u32(x), u32(x >> 31u)); }
fn ashr64_(x: vec2<u32>, count: u32) -> vec2<u32> {
  let n = count & 31u;
  let high = u32(i32(x.y) >> n);
  let low = (x.x >> n) | ((x.y << 1u) << (31u - n));
  return select(vec2<u32>(low, high), vec2<u32>(high, u32(i32(x.y) >> 31u)), (count & 32u) != 0u);
}
fn d_neg_(x: vec2<u32>) -> vec2<u32> { return vec2<u32>(x.x, x.y ^ 0x80000000u); }
fn d_sub_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> { return d_add_(x, d_neg_(y)); }
fn d_div_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let sign = (x.y ^ y.y) & 0x80000000u;
  let e = d_exponent_(x);
  let f = d_exponent_(y);
  var rest = d_significand_(x);
  let divisor = d_significand_(y);
  var quotient = vec2<u32>(0u, 0u);
  for (var n = 0; n < 57; n++) {
    let fits = !ult64_(rest, divisor);
    quotient = shl64_(quotient, 1u) | vec2<u32>(select(0u, 1u, fits), 0u);
    rest = shl64_(select(rest, sub64_(rest, divisor), fits), 1u);
  }
  quotient = shl64_(quotient, 6u) | vec2<u32>(some64_(rest), 0u);
  let found = d_packed_(sign, e - f + 1023, quotient);
  let endless = vec2<u32>(0u, sign | 0x7ff00000u);
  let broken = d_nan_(x) || d_nan_(y) || (e == 0x7ff && f == 0x7ff) || (e == 0 && f == 0);
  let special = select(select(vec2<u32>(0u, sign), endless, e == 0x7ff || f == 0), vec2<u32>(0u, 0x7ff80000u), broken);
  return select(found, special, e == 0x7ff || f == 0x7ff || f == 0 || e == 0);
}
fn eq64_(x: vec2<u32>, y: vec2<u32>) -> bool { return x.x == y.x && x.y == y.y; }
fn d_eq_(x: vec2<u32>, y: vec2<u32>) -> bool {
  return !d_nan_(x) && !d_nan_(y) && (eq64_(x, y) || (d_zero_(x) && d_zero_(y)));
}
fn float_(bits: u32) -> f32 { return bitcast<f32>(bits); }
fn float_of_d_(x: vec2<u32>) -> f32 {
  let sign = x.y & 0x80000000u;
  let exponent = d_exponent_(x) - 896;
  let significand = d_significand_(x);
  // 31 bits, whether any is below them, and the rounding of a number that is too small for a whole significand.
  let count = u32(clamp(1 - exponent, 0, 31));
  let whole = significand.y | select(0u, 1u, significand.x != 0u);
  let bits = (whole >> count) | select(0u, 1u, ((whole >> count) << count) != whole);
  let rest = bits & 0x7fu;
  let more = select(0u, 1u, rest > 0x40u || (rest == 0x40u && ((bits >> 7u) & 1u) == 1u));
  let found = (u32(max(exponent - 1, 0)) << 23u) + (bits >> 7u) + more;
  let special = select(select(found, 0x7f800000u, exponent >= 0xff), 0x7fc00000u, d_nan_(x));
  return float_(sign | special);
}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let b0_from4 = i32(words[0][0] >> 2u);
  let b1_from4 = i32(words[0][1] >> 2u);
  var i_36: i32;
  var c_37: vec2<u32> ;
  var t_40: vec2<u32> ;
  let t_6 = (block_ * 256) + thread_;
  if (t_6 < 40) {
    let t_11 = bitcast<f32>(b0_at((b0_from4 + t_6)));
    let t_12 = d_of_float_(t_11);
    let t_14 = d_fma_((d_mul_(t_12, t_12)), vec2<u32>(1431655765u, 3217380693u), vec2<u32>(0u, 1072693248u));
    let t_15 = d_mul_(t_12, t_14);
    let t_17 = d_lt_(d_abs_(t_12), vec2<u32>(0u, 1062207488u));
    let t_18 = d_abs_(t_12);
    let t_21 = d_add_(t_18, (d_sqrt_((d_fma_(t_18, t_18, vec2<u32>(0u, 1072693248u))))));
    let t_23 = sub64_(t_21, vec2<u32>(1719614413u, 1072079006u));
    let t_25 = add64_((t_23 & vec2<u32>(4294967295u, 1048575u)), vec2<u32>(1719614413u, 1072079006u));
    let t_27 = d_of_i64_(wide_((i32((ashr64_(t_23, 52u)).x))));
    let t_29 = d_sub_(t_25, vec2<u32>(0u, 1072693248u));
    let t_31 = d_div_(t_29, (d_add_(t_29, vec2<u32>(0u, 1073741824u))));
    let t_32 = d_mul_(t_31, t_31);
    i_36 = 0;
    c_37 = vec2<u32>(409044504u, 1069048198u);
    loop {
      let t_39 = vec2<u32>(numbers_e30cbf91c9b054f8_at((i_36 * 2)), numbers_e30cbf91c9b054f8_at((i_36 * 2) + 1));
      t_40 = d_fma_(c_37, t_32, t_39);
      let t_41 = i_36 + 1;
      if (t_41 < 9) {
        i_36 = t_41;
        c_37 = t_40;
      } else {
        break;
      }
    }
    let t_45 = d_fma_((d_mul_(t_40, t_32)), t_31, (d_mul_(t_27, vec2<u32>(897137782u, 1038760431u))));
    let t_47 = d_fma_(t_27, vec2<u32>(4276092928u, 1072049730u), (d_fma_(t_31, vec2<u32>(0u, 1073741824u), t_45)));
    let t_49 = select(t_21, t_47, (d_lt_(t_21, vec2<u32>(0u, 2146435072u))));
    let t_51 = select(t_49, vec2<u32>(0u, 2146959360u), (d_lt_(t_21, vec2<u32>(0u, 0u))));
    let t_53 = select(t_51, vec2<u32>(0u, 4293918720u), (d_eq_(t_21, vec2<u32>(0u, 0u))));
    let t_58 = (t_53 & vec2<u32>(4294967295u, 2147483647u)) | (t_12 & vec2<u32>(0u, 2147483648u));
    b1_put((b1_from4 + t_6), bitcast<u32>((float_of_d_((select(t_58, t_15, t_17))))));
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('output', 0)), words=(0, 0, 1, 0))
