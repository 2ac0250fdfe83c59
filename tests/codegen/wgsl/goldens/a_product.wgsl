// kernel0
@group(0) @binding(0) var<uniform> words: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read> m0: array<u32>;
@group(0) @binding(2) var<storage, read> m1: array<u32>;
@group(0) @binding(3) var<storage, read_write> m2: array<u32>;
@group(0) @binding(4) var<storage, read> m3: array<u32>;
fn x_at(word: i32) -> u32 { return m0[word]; }
fn w_at(word: i32) -> u32 { return m1[word]; }
fn e0_put(word: i32, x: u32) { m2[word] = x; }
fn e1_at(word: i32) -> u32 { return m3[word]; }
var<workgroup> product0_shared0_m: array<u32, 1152>;
fn product0_shared0_at(word: i32) -> u32 { return product0_shared0_m[word]; }
fn product0_shared0_put(word: i32, x: u32) { product0_shared0_m[word] = x; }
var<workgroup> product0_shared1_m: array<u32, 1152>;
fn product0_shared1_at(word: i32) -> u32 { return product0_shared1_m[word]; }
fn product0_shared1_put(word: i32, x: u32) { product0_shared1_m[word] = x; }
var<workgroup> product0_shared2_m: array<u32, 1024>;
fn product0_shared2_at(word: i32) -> u32 { return product0_shared2_m[word]; }
fn product0_shared2_put(word: i32, x: u32) { product0_shared2_m[word] = x; }
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {
  let thread_ = i32(index_);
  let block_ = i32(group_.x + group_.y * 65535u);
  let x_from4 = i32(words[0][0] >> 2u);
  let w_from4 = i32(words[0][1] >> 2u);
  let e1_from4 = i32(words[0][3] >> 2u);
  let e0_from4 = i32(words[0][2] >> 2u);
  var t_140: f32;
  var t_148: f32;
  var t_156: f32;
  var t_164: f32;
  var t_172: f32;
  var t_180: f32;
  var t_188: f32;
  var t_196: f32;
  var t_205: f32;
  var t_214: f32;
  var t_223: f32;
  var t_232: f32;
  var t_241: f32;
  var t_250: f32;
  var t_259: f32;
  var t_268: f32;
  var i_288: i32;
  var c_289: f32;
  var c_290: f32;
  var c_291: f32;
  var c_292: f32;
  var c_293: f32;
  var c_294: f32;
  var c_295: f32;
  var c_296: f32;
  var c_297: f32;
  var c_298: f32;
  var c_299: f32;
  var c_300: f32;
  var c_301: f32;
  var c_302: f32;
  var c_303: f32;
  var c_304: f32;
  var t_319: f32;
  var t_328: f32;
  var t_337: f32;
  var t_346: f32;
  var t_355: f32;
  var t_364: f32;
  var t_373: f32;
  var t_382: f32;
  var t_392: f32;
  var t_402: f32;
  var t_412: f32;
  var t_422: f32;
  var t_432: f32;
  var t_442: f32;
  var t_452: f32;
  var t_462: f32;
  var i_472: i32;
  var c_473: f32;
  var c_474: f32;
  var c_475: f32;
  var c_476: f32;
  var c_477: f32;
  var c_478: f32;
  var c_479: f32;
  var c_480: f32;
  var c_481: f32;
  var c_482: f32;
  var c_483: f32;
  var c_484: f32;
  var c_485: f32;
  var c_486: f32;
  var c_487: f32;
  var c_488: f32;
  var i_687: i32;
  var t_596: f32;
  var t_597: f32;
  var t_598: f32;
  var t_599: f32;
  var t_600: f32;
  var t_601: f32;
  var t_602: f32;
  var t_603: f32;
  var t_604: f32;
  var t_605: f32;
  var t_606: f32;
  var t_607: f32;
  var t_608: f32;
  var t_609: f32;
  var t_610: f32;
  var t_611: f32;
  let t_8 = i32(u32(block_) / u32(2));
  let t_10 = i32(u32(t_8) / u32(2));
  let t_11 = (i32(u32(t_8) % u32(2))) * 32;
  let t_12 = (i32(u32(block_) % u32(2))) * 32;
  let t_13 = i32(u32(thread_) / u32(8));
  let t_14 = i32(u32(thread_) % u32(8));
  let t_15 = i32(u32(thread_) % u32(16));
  let t_16 = i32(u32(thread_) / u32(16));
  let t_17 = t_11 + t_16;
  let t_18 = u32(t_17) < u32(40);
  let t_19 = t_17 * 20;
  let t_21 = (t_15 * 36) + t_16;
  let t_24 = (i32(u32(thread_) / u32(16))) + 4;
  let t_25 = t_11 + t_24;
  let t_26 = u32(t_25) < u32(40);
  let t_27 = t_25 * 20;
  let t_29 = (t_15 * 36) + t_24;
  let t_32 = (i32(u32(thread_) / u32(16))) + 8;
  let t_33 = t_11 + t_32;
  let t_34 = u32(t_33) < u32(40);
  let t_35 = t_33 * 20;
  let t_37 = (t_15 * 36) + t_32;
  let t_40 = (i32(u32(thread_) / u32(16))) + 12;
  let t_41 = t_11 + t_40;
  let t_42 = u32(t_41) < u32(40);
  let t_43 = t_41 * 20;
  let t_45 = (t_15 * 36) + t_40;
  let t_48 = (i32(u32(thread_) / u32(16))) + 16;
  let t_49 = t_11 + t_48;
  let t_50 = u32(t_49) < u32(40);
  let t_51 = t_49 * 20;
  let t_53 = (t_15 * 36) + t_48;
  let t_56 = (i32(u32(thread_) / u32(16))) + 20;
  let t_57 = t_11 + t_56;
  let t_58 = u32(t_57) < u32(40);
  let t_59 = t_57 * 20;
  let t_61 = (t_15 * 36) + t_56;
  let t_64 = (i32(u32(thread_) / u32(16))) + 24;
  let t_65 = t_11 + t_64;
  let t_66 = u32(t_65) < u32(40);
  let t_67 = t_65 * 20;
  let t_69 = (t_15 * 36) + t_64;
  let t_72 = (i32(u32(thread_) / u32(16))) + 28;
  let t_73 = t_11 + t_72;
  let t_74 = u32(t_73) < u32(40);
  let t_75 = t_73 * 20;
  let t_77 = (t_15 * 36) + t_72;
  let t_78 = i32(u32(thread_) % u32(32));
  let t_79 = i32(u32(thread_) / u32(32));
  let t_80 = t_12 + t_78;
  let t_81 = u32(t_80) < u32(50);
  let t_83 = (t_79 * 36) + t_78;
  let t_86 = (i32(u32(thread_) / u32(32))) + 2;
  let t_90 = (t_86 * 36) + t_78;
  let t_93 = (i32(u32(thread_) / u32(32))) + 4;
  let t_97 = (t_93 * 36) + t_78;
  let t_100 = (i32(u32(thread_) / u32(32))) + 6;
  let t_104 = (t_100 * 36) + t_78;
  let t_107 = (i32(u32(thread_) / u32(32))) + 8;
  let t_111 = (t_107 * 36) + t_78;
  let t_114 = (i32(u32(thread_) / u32(32))) + 10;
  let t_118 = (t_114 * 36) + t_78;
  let t_121 = (i32(u32(thread_) / u32(32))) + 12;
  let t_125 = (t_121 * 36) + t_78;
  let t_128 = (i32(u32(thread_) / u32(32))) + 14;
  let t_132 = (t_128 * 36) + t_78;
  let t_134 = t_19 + t_15;
  if ((u32(t_15) < u32(20)) & t_18) {
    let t_139 = bitcast<f32>(x_at((x_from4 + t_134)));
    t_140 = t_139;
  } else {
    t_140 = 0.0f;
  }
  let t_142 = t_27 + t_15;
  if ((u32(t_15) < u32(20)) & t_26) {
    let t_147 = bitcast<f32>(x_at((x_from4 + t_142)));
    t_148 = t_147;
  } else {
    t_148 = 0.0f;
  }
  let t_150 = t_35 + t_15;
  if ((u32(t_15) < u32(20)) & t_34) {
    let t_155 = bitcast<f32>(x_at((x_from4 + t_150)));
    t_156 = t_155;
  } else {
    t_156 = 0.0f;
  }
  let t_158 = t_43 + t_15;
  if ((u32(t_15) < u32(20)) & t_42) {
    let t_163 = bitcast<f32>(x_at((x_from4 + t_158)));
    t_164 = t_163;
  } else {
    t_164 = 0.0f;
  }
  let t_166 = t_51 + t_15;
  if ((u32(t_15) < u32(20)) & t_50) {
    let t_171 = bitcast<f32>(x_at((x_from4 + t_166)));
    t_172 = t_171;
  } else {
    t_172 = 0.0f;
  }
  let t_174 = t_59 + t_15;
  if ((u32(t_15) < u32(20)) & t_58) {
    let t_179 = bitcast<f32>(x_at((x_from4 + t_174)));
    t_180 = t_179;
  } else {
    t_180 = 0.0f;
  }
  let t_182 = t_67 + t_15;
  if ((u32(t_15) < u32(20)) & t_66) {
    let t_187 = bitcast<f32>(x_at((x_from4 + t_182)));
    t_188 = t_187;
  } else {
    t_188 = 0.0f;
  }
  let t_190 = t_75 + t_15;
  if ((u32(t_15) < u32(20)) & t_74) {
    let t_195 = bitcast<f32>(x_at((x_from4 + t_190)));
    t_196 = t_195;
  } else {
    t_196 = 0.0f;
  }
  let t_199 = t_80 + (t_79 * 50);
  if ((u32(t_79) < u32(20)) & t_81) {
    let t_204 = bitcast<f32>(w_at((w_from4 + t_199)));
    t_205 = t_204;
  } else {
    t_205 = 0.0f;
  }
  let t_208 = t_80 + (t_86 * 50);
  if ((u32(t_86) < u32(20)) & t_81) {
    let t_213 = bitcast<f32>(w_at((w_from4 + t_208)));
    t_214 = t_213;
  } else {
    t_214 = 0.0f;
  }
  let t_217 = t_80 + (t_93 * 50);
  if ((u32(t_93) < u32(20)) & t_81) {
    let t_222 = bitcast<f32>(w_at((w_from4 + t_217)));
    t_223 = t_222;
  } else {
    t_223 = 0.0f;
  }
  let t_226 = t_80 + (t_100 * 50);
  if ((u32(t_100) < u32(20)) & t_81) {
    let t_231 = bitcast<f32>(w_at((w_from4 + t_226)));
    t_232 = t_231;
  } else {
    t_232 = 0.0f;
  }
  let t_235 = t_80 + (t_107 * 50);
  if ((u32(t_107) < u32(20)) & t_81) {
    let t_240 = bitcast<f32>(w_at((w_from4 + t_235)));
    t_241 = t_240;
  } else {
    t_241 = 0.0f;
  }
  let t_244 = t_80 + (t_114 * 50);
  if ((u32(t_114) < u32(20)) & t_81) {
    let t_249 = bitcast<f32>(w_at((w_from4 + t_244)));
    t_250 = t_249;
  } else {
    t_250 = 0.0f;
  }
  let t_253 = t_80 + (t_121 * 50);
  if ((u32(t_121) < u32(20)) & t_81) {
    let t_258 = bitcast<f32>(w_at((w_from4 + t_253)));
    t_259 = t_258;
  } else {
    t_259 = 0.0f;
  }
  let t_262 = t_80 + (t_128 * 50);
  if ((u32(t_128) < u32(20)) & t_81) {
    let t_267 = bitcast<f32>(w_at((w_from4 + t_262)));
    t_268 = t_267;
  } else {
    t_268 = 0.0f;
  }
  product0_shared0_put(t_21, bitcast<u32>(t_140));
  product0_shared0_put(t_29, bitcast<u32>(t_148));
  product0_shared0_put(t_37, bitcast<u32>(t_156));
  product0_shared0_put(t_45, bitcast<u32>(t_164));
  product0_shared0_put(t_53, bitcast<u32>(t_172));
  product0_shared0_put(t_61, bitcast<u32>(t_180));
  product0_shared0_put(t_69, bitcast<u32>(t_188));
  product0_shared0_put(t_77, bitcast<u32>(t_196));
  product0_shared1_put(t_83, bitcast<u32>(t_205));
  product0_shared1_put(t_90, bitcast<u32>(t_214));
  product0_shared1_put(t_97, bitcast<u32>(t_223));
  product0_shared1_put(t_104, bitcast<u32>(t_232));
  product0_shared1_put(t_111, bitcast<u32>(t_241));
  product0_shared1_put(t_118, bitcast<u32>(t_250));
  product0_shared1_put(t_125, bitcast<u32>(t_259));
  product0_shared1_put(t_132, bitcast<u32>(t_268));
  i_288 = 0;
  c_289 = 0.0f;
  c_290 = 0.0f;
  c_291 = 0.0f;
  c_292 = 0.0f;
  c_293 = 0.0f;
  c_294 = 0.0f;
  c_295 = 0.0f;
  c_296 = 0.0f;
  c_297 = 0.0f;
  c_298 = 0.0f;
  c_299 = 0.0f;
  c_300 = 0.0f;
  c_301 = 0.0f;
  c_302 = 0.0f;
  c_303 = 0.0f;
  c_304 = 0.0f;
  loop {
    let t_305 = i_288;
    let t_306 = i32(u32(t_305) % u32(2));
    let t_308 = i32(u32((t_305 + 1)) % u32(2));
    workgroupBarrier();
    let t_310 = (t_305 * 16) + 16;
    let t_311 = t_310 + t_15;
    let t_313 = t_19 + t_311;
    if ((u32(t_311) < u32(20)) & t_18) {
      let t_318 = bitcast<f32>(x_at((x_from4 + t_313)));
      t_319 = t_318;
    } else {
      t_319 = 0.0f;
    }
    let t_322 = t_27 + t_311;
    if ((u32(t_311) < u32(20)) & t_26) {
      let t_327 = bitcast<f32>(x_at((x_from4 + t_322)));
      t_328 = t_327;
    } else {
      t_328 = 0.0f;
    }
    let t_331 = t_35 + t_311;
    if ((u32(t_311) < u32(20)) & t_34) {
      let t_336 = bitcast<f32>(x_at((x_from4 + t_331)));
      t_337 = t_336;
    } else {
      t_337 = 0.0f;
    }
    let t_340 = t_43 + t_311;
    if ((u32(t_311) < u32(20)) & t_42) {
      let t_345 = bitcast<f32>(x_at((x_from4 + t_340)));
      t_346 = t_345;
    } else {
      t_346 = 0.0f;
    }
    let t_349 = t_51 + t_311;
    if ((u32(t_311) < u32(20)) & t_50) {
      let t_354 = bitcast<f32>(x_at((x_from4 + t_349)));
      t_355 = t_354;
    } else {
      t_355 = 0.0f;
    }
    let t_358 = t_59 + t_311;
    if ((u32(t_311) < u32(20)) & t_58) {
      let t_363 = bitcast<f32>(x_at((x_from4 + t_358)));
      t_364 = t_363;
    } else {
      t_364 = 0.0f;
    }
    let t_367 = t_67 + t_311;
    if ((u32(t_311) < u32(20)) & t_66) {
      let t_372 = bitcast<f32>(x_at((x_from4 + t_367)));
      t_373 = t_372;
    } else {
      t_373 = 0.0f;
    }
    let t_376 = t_75 + t_311;
    if ((u32(t_311) < u32(20)) & t_74) {
      let t_381 = bitcast<f32>(x_at((x_from4 + t_376)));
      t_382 = t_381;
    } else {
      t_382 = 0.0f;
    }
    let t_383 = t_310 + t_79;
    let t_386 = t_80 + (t_383 * 50);
    if ((u32(t_383) < u32(20)) & t_81) {
      let t_391 = bitcast<f32>(w_at((w_from4 + t_386)));
      t_392 = t_391;
    } else {
      t_392 = 0.0f;
    }
    let t_393 = t_310 + t_86;
    let t_396 = t_80 + (t_393 * 50);
    if ((u32(t_393) < u32(20)) & t_81) {
      let t_401 = bitcast<f32>(w_at((w_from4 + t_396)));
      t_402 = t_401;
    } else {
      t_402 = 0.0f;
    }
    let t_403 = t_310 + t_93;
    let t_406 = t_80 + (t_403 * 50);
    if ((u32(t_403) < u32(20)) & t_81) {
      let t_411 = bitcast<f32>(w_at((w_from4 + t_406)));
      t_412 = t_411;
    } else {
      t_412 = 0.0f;
    }
    let t_413 = t_310 + t_100;
    let t_416 = t_80 + (t_413 * 50);
    if ((u32(t_413) < u32(20)) & t_81) {
      let t_421 = bitcast<f32>(w_at((w_from4 + t_416)));
      t_422 = t_421;
    } else {
      t_422 = 0.0f;
    }
    let t_423 = t_310 + t_107;
    let t_426 = t_80 + (t_423 * 50);
    if ((u32(t_423) < u32(20)) & t_81) {
      let t_431 = bitcast<f32>(w_at((w_from4 + t_426)));
      t_432 = t_431;
    } else {
      t_432 = 0.0f;
    }
    let t_433 = t_310 + t_114;
    let t_436 = t_80 + (t_433 * 50);
    if ((u32(t_433) < u32(20)) & t_81) {
      let t_441 = bitcast<f32>(w_at((w_from4 + t_436)));
      t_442 = t_441;
    } else {
      t_442 = 0.0f;
    }
    let t_443 = t_310 + t_121;
    let t_446 = t_80 + (t_443 * 50);
    if ((u32(t_443) < u32(20)) & t_81) {
      let t_451 = bitcast<f32>(w_at((w_from4 + t_446)));
      t_452 = t_451;
    } else {
      t_452 = 0.0f;
    }
    let t_453 = t_310 + t_128;
    let t_456 = t_80 + (t_453 * 50);
    if ((u32(t_453) < u32(20)) & t_81) {
      let t_461 = bitcast<f32>(w_at((w_from4 + t_456)));
      t_462 = t_461;
    } else {
      t_462 = 0.0f;
    }
    let t_465 = (t_306 * 576) + (t_13 * 4);
    let t_468 = (t_306 * 576) + (t_14 * 4);
    i_472 = 0;
    c_473 = c_289;
    c_474 = c_290;
    c_475 = c_291;
    c_476 = c_292;
    c_477 = c_293;
    c_478 = c_294;
    c_479 = c_295;
    c_480 = c_296;
    c_481 = c_297;
    c_482 = c_298;
    c_483 = c_299;
    c_484 = c_300;
    c_485 = c_301;
    c_486 = c_302;
    c_487 = c_303;
    c_488 = c_304;
    loop {
      let t_489 = i_472;
      let t_491 = t_465 + (t_489 * 36);
      let t_493 = t_468 + (t_489 * 36);
      let t_495_0 = bitcast<f32>(product0_shared0_at(t_491));
      let t_495_1 = bitcast<f32>(product0_shared0_at(t_491 + 1));
      let t_495_2 = bitcast<f32>(product0_shared0_at(t_491 + 2));
      let t_495_3 = bitcast<f32>(product0_shared0_at(t_491 + 3));
      let t_501_0 = bitcast<f32>(product0_shared1_at(t_493));
      let t_501_1 = bitcast<f32>(product0_shared1_at(t_493 + 1));
      let t_501_2 = bitcast<f32>(product0_shared1_at(t_493 + 2));
      let t_501_3 = bitcast<f32>(product0_shared1_at(t_493 + 3));
      let t_524_0 = bitcast<f32>(product0_shared0_at(((t_491 + 36))));
      let t_524_1 = bitcast<f32>(product0_shared0_at(((t_491 + 36)) + 1));
      let t_524_2 = bitcast<f32>(product0_shared0_at(((t_491 + 36)) + 2));
      let t_524_3 = bitcast<f32>(product0_shared0_at(((t_491 + 36)) + 3));
      let t_531_0 = bitcast<f32>(product0_shared1_at(((t_493 + 36))));
      let t_531_1 = bitcast<f32>(product0_shared1_at(((t_493 + 36)) + 1));
      let t_531_2 = bitcast<f32>(product0_shared1_at(((t_493 + 36)) + 2));
      let t_531_3 = bitcast<f32>(product0_shared1_at(((t_493 + 36)) + 3));
      let t_554_0 = bitcast<f32>(product0_shared0_at(((t_491 + 72))));
      let t_554_1 = bitcast<f32>(product0_shared0_at(((t_491 + 72)) + 1));
      let t_554_2 = bitcast<f32>(product0_shared0_at(((t_491 + 72)) + 2));
      let t_554_3 = bitcast<f32>(product0_shared0_at(((t_491 + 72)) + 3));
      let t_561_0 = bitcast<f32>(product0_shared1_at(((t_493 + 72))));
      let t_561_1 = bitcast<f32>(product0_shared1_at(((t_493 + 72)) + 1));
      let t_561_2 = bitcast<f32>(product0_shared1_at(((t_493 + 72)) + 2));
      let t_561_3 = bitcast<f32>(product0_shared1_at(((t_493 + 72)) + 3));
      let t_566 = fma(t_554_0, t_561_0, (fma(t_524_0, t_531_0, (fma(t_495_0, t_501_0, c_473)))));
      let t_567 = fma(t_554_0, t_561_1, (fma(t_524_0, t_531_1, (fma(t_495_0, t_501_1, c_474)))));
      let t_568 = fma(t_554_0, t_561_2, (fma(t_524_0, t_531_2, (fma(t_495_0, t_501_2, c_475)))));
      let t_569 = fma(t_554_0, t_561_3, (fma(t_524_0, t_531_3, (fma(t_495_0, t_501_3, c_476)))));
      let t_570 = fma(t_554_1, t_561_0, (fma(t_524_1, t_531_0, (fma(t_495_1, t_501_0, c_477)))));
      let t_571 = fma(t_554_1, t_561_1, (fma(t_524_1, t_531_1, (fma(t_495_1, t_501_1, c_478)))));
      let t_572 = fma(t_554_1, t_561_2, (fma(t_524_1, t_531_2, (fma(t_495_1, t_501_2, c_479)))));
      let t_573 = fma(t_554_1, t_561_3, (fma(t_524_1, t_531_3, (fma(t_495_1, t_501_3, c_480)))));
      let t_574 = fma(t_554_2, t_561_0, (fma(t_524_2, t_531_0, (fma(t_495_2, t_501_0, c_481)))));
      let t_575 = fma(t_554_2, t_561_1, (fma(t_524_2, t_531_1, (fma(t_495_2, t_501_1, c_482)))));
      let t_576 = fma(t_554_2, t_561_2, (fma(t_524_2, t_531_2, (fma(t_495_2, t_501_2, c_483)))));
      let t_577 = fma(t_554_2, t_561_3, (fma(t_524_2, t_531_3, (fma(t_495_2, t_501_3, c_484)))));
      let t_578 = fma(t_554_3, t_561_0, (fma(t_524_3, t_531_0, (fma(t_495_3, t_501_0, c_485)))));
      let t_579 = fma(t_554_3, t_561_1, (fma(t_524_3, t_531_1, (fma(t_495_3, t_501_1, c_486)))));
      let t_580 = fma(t_554_3, t_561_2, (fma(t_524_3, t_531_2, (fma(t_495_3, t_501_2, c_487)))));
      let t_581 = fma(t_554_3, t_561_3, (fma(t_524_3, t_531_3, (fma(t_495_3, t_501_3, c_488)))));
      let t_584_0 = bitcast<f32>(product0_shared0_at(((t_491 + 108))));
      let t_584_1 = bitcast<f32>(product0_shared0_at(((t_491 + 108)) + 1));
      let t_584_2 = bitcast<f32>(product0_shared0_at(((t_491 + 108)) + 2));
      let t_584_3 = bitcast<f32>(product0_shared0_at(((t_491 + 108)) + 3));
      let t_591_0 = bitcast<f32>(product0_shared1_at(((t_493 + 108))));
      let t_591_1 = bitcast<f32>(product0_shared1_at(((t_493 + 108)) + 1));
      let t_591_2 = bitcast<f32>(product0_shared1_at(((t_493 + 108)) + 2));
      let t_591_3 = bitcast<f32>(product0_shared1_at(((t_493 + 108)) + 3));
      t_596 = fma(t_584_0, t_591_0, t_566);
      t_597 = fma(t_584_0, t_591_1, t_567);
      t_598 = fma(t_584_0, t_591_2, t_568);
      t_599 = fma(t_584_0, t_591_3, t_569);
      t_600 = fma(t_584_1, t_591_0, t_570);
      t_601 = fma(t_584_1, t_591_1, t_571);
      t_602 = fma(t_584_1, t_591_2, t_572);
      t_603 = fma(t_584_1, t_591_3, t_573);
      t_604 = fma(t_584_2, t_591_0, t_574);
      t_605 = fma(t_584_2, t_591_1, t_575);
      t_606 = fma(t_584_2, t_591_2, t_576);
      t_607 = fma(t_584_2, t_591_3, t_577);
      t_608 = fma(t_584_3, t_591_0, t_578);
      t_609 = fma(t_584_3, t_591_1, t_579);
      t_610 = fma(t_584_3, t_591_2, t_580);
      t_611 = fma(t_584_3, t_591_3, t_581);
      let t_612 = i_472 + 4;
      if (t_612 < 16) {
        i_472 = t_612;
        c_473 = t_596;
        c_474 = t_597;
        c_475 = t_598;
        c_476 = t_599;
        c_477 = t_600;
        c_478 = t_601;
        c_479 = t_602;
        c_480 = t_603;
        c_481 = t_604;
        c_482 = t_605;
        c_483 = t_606;
        c_484 = t_607;
        c_485 = t_608;
        c_486 = t_609;
        c_487 = t_610;
        c_488 = t_611;
      } else {
        break;
      }
    }
    let t_614 = t_308 * 576;
    product0_shared0_put(((t_614 + t_21)), bitcast<u32>(t_319));
    product0_shared0_put(((t_614 + t_29)), bitcast<u32>(t_328));
    product0_shared0_put(((t_614 + t_37)), bitcast<u32>(t_337));
    product0_shared0_put(((t_614 + t_45)), bitcast<u32>(t_346));
    product0_shared0_put(((t_614 + t_53)), bitcast<u32>(t_355));
    product0_shared0_put(((t_614 + t_61)), bitcast<u32>(t_364));
    product0_shared0_put(((t_614 + t_69)), bitcast<u32>(t_373));
    product0_shared0_put(((t_614 + t_77)), bitcast<u32>(t_382));
    product0_shared1_put(((t_614 + t_83)), bitcast<u32>(t_392));
    product0_shared1_put(((t_614 + t_90)), bitcast<u32>(t_402));
    product0_shared1_put(((t_614 + t_97)), bitcast<u32>(t_412));
    product0_shared1_put(((t_614 + t_104)), bitcast<u32>(t_422));
    product0_shared1_put(((t_614 + t_111)), bitcast<u32>(t_432));
    product0_shared1_put(((t_614 + t_118)), bitcast<u32>(t_442));
    product0_shared1_put(((t_614 + t_125)), bitcast<u32>(t_452));
    product0_shared1_put(((t_614 + t_132)), bitcast<u32>(t_462));
    let t_648 = i_288 + 1;
    if (t_648 < 2) {
      i_288 = t_648;
      c_289 = t_596;
      c_290 = t_597;
      c_291 = t_598;
      c_292 = t_599;
      c_293 = t_600;
      c_294 = t_601;
      c_295 = t_602;
      c_296 = t_603;
      c_297 = t_604;
      c_298 = t_605;
      c_299 = t_606;
      c_300 = t_607;
      c_301 = t_608;
      c_302 = t_609;
      c_303 = t_610;
      c_304 = t_611;
    } else {
      break;
    }
  }
  let t_652 = (t_13 * 128) + (t_14 * 4);
  product0_shared2_put(t_652, bitcast<u32>(t_596));
  product0_shared2_put(((t_652 + 1)), bitcast<u32>(t_597));
  product0_shared2_put(((t_652 + 2)), bitcast<u32>(t_598));
  product0_shared2_put(((t_652 + 3)), bitcast<u32>(t_599));
  product0_shared2_put(((t_652 + 32)), bitcast<u32>(t_600));
  product0_shared2_put(((t_652 + 33)), bitcast<u32>(t_601));
  product0_shared2_put(((t_652 + 34)), bitcast<u32>(t_602));
  product0_shared2_put(((t_652 + 35)), bitcast<u32>(t_603));
  product0_shared2_put(((t_652 + 64)), bitcast<u32>(t_604));
  product0_shared2_put(((t_652 + 65)), bitcast<u32>(t_605));
  product0_shared2_put(((t_652 + 66)), bitcast<u32>(t_606));
  product0_shared2_put(((t_652 + 67)), bitcast<u32>(t_607));
  product0_shared2_put(((t_652 + 96)), bitcast<u32>(t_608));
  product0_shared2_put(((t_652 + 97)), bitcast<u32>(t_609));
  product0_shared2_put(((t_652 + 98)), bitcast<u32>(t_610));
  product0_shared2_put(((t_652 + 99)), bitcast<u32>(t_611));
  workgroupBarrier();
  if (thread_ < 1024) {
    i_687 = thread_;
    loop {
      let t_689 = i_687;
      let t_690 = i32(u32(t_689) / u32(32));
      let t_691 = i32(u32(t_689) % u32(32));
      let t_693 = (t_690 * 32) + t_691;
      let t_694 = i32(u32(t_690) % u32(4));
      let t_698 = ((i32(u32(t_690) / u32(4))) * 4) + (i32(u32(t_694) % u32(4)));
      let t_702 = t_11 + (t_698 + ((i32(u32(t_694) / u32(4))) * 32));
      let t_703 = t_12 + t_691;
      if ((u32(t_702) < u32(40)) & (u32(t_703) < u32(50))) {
        let t_710 = bitcast<f32>(product0_shared2_at(t_693));
        let t_714 = bitcast<f32>(e1_at((e1_from4 + t_703)));
        let t_715 = t_710 + t_714;
        e0_put(((e0_from4 + (t_702 * 50)) + t_703), bitcast<u32>((select(t_715, 0.0f, (0.0f >= t_715)))));
      }
      let t_721 = i_687 + 64;
      if (t_721 < 1024) {
        i_687 = t_721;
      } else {
        break;
      }
    }
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('input', 1), ('output', 0), ('input', 2)), words=(0, 0, 0, 0, 4, 0), blocks=4)
