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
  var t_138: f32;
  var t_146: f32;
  var t_154: f32;
  var t_162: f32;
  var t_170: f32;
  var t_178: f32;
  var t_186: f32;
  var t_194: f32;
  var t_203: f32;
  var t_212: f32;
  var t_221: f32;
  var t_230: f32;
  var t_239: f32;
  var t_248: f32;
  var t_257: f32;
  var t_266: f32;
  var i_286: i32;
  var c_287: f32;
  var c_288: f32;
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
  var t_317: f32;
  var t_326: f32;
  var t_335: f32;
  var t_344: f32;
  var t_353: f32;
  var t_362: f32;
  var t_371: f32;
  var t_380: f32;
  var t_390: f32;
  var t_400: f32;
  var t_410: f32;
  var t_420: f32;
  var t_430: f32;
  var t_440: f32;
  var t_450: f32;
  var t_460: f32;
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
  var i_701: i32;
  var t_461: i32;
  var t_462: i32;
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
  let t_13 = i32(u32(thread_) % u32(16));
  let t_14 = i32(u32(thread_) / u32(16));
  let t_15 = t_11 + t_14;
  let t_16 = u32(t_15) < u32(40);
  let t_17 = t_15 * 20;
  let t_19 = (t_13 * 36) + t_14;
  let t_22 = (i32(u32(thread_) / u32(16))) + 4;
  let t_23 = t_11 + t_22;
  let t_24 = u32(t_23) < u32(40);
  let t_25 = t_23 * 20;
  let t_27 = (t_13 * 36) + t_22;
  let t_30 = (i32(u32(thread_) / u32(16))) + 8;
  let t_31 = t_11 + t_30;
  let t_32 = u32(t_31) < u32(40);
  let t_33 = t_31 * 20;
  let t_35 = (t_13 * 36) + t_30;
  let t_38 = (i32(u32(thread_) / u32(16))) + 12;
  let t_39 = t_11 + t_38;
  let t_40 = u32(t_39) < u32(40);
  let t_41 = t_39 * 20;
  let t_43 = (t_13 * 36) + t_38;
  let t_46 = (i32(u32(thread_) / u32(16))) + 16;
  let t_47 = t_11 + t_46;
  let t_48 = u32(t_47) < u32(40);
  let t_49 = t_47 * 20;
  let t_51 = (t_13 * 36) + t_46;
  let t_54 = (i32(u32(thread_) / u32(16))) + 20;
  let t_55 = t_11 + t_54;
  let t_56 = u32(t_55) < u32(40);
  let t_57 = t_55 * 20;
  let t_59 = (t_13 * 36) + t_54;
  let t_62 = (i32(u32(thread_) / u32(16))) + 24;
  let t_63 = t_11 + t_62;
  let t_64 = u32(t_63) < u32(40);
  let t_65 = t_63 * 20;
  let t_67 = (t_13 * 36) + t_62;
  let t_70 = (i32(u32(thread_) / u32(16))) + 28;
  let t_71 = t_11 + t_70;
  let t_72 = u32(t_71) < u32(40);
  let t_73 = t_71 * 20;
  let t_75 = (t_13 * 36) + t_70;
  let t_76 = i32(u32(thread_) % u32(32));
  let t_77 = i32(u32(thread_) / u32(32));
  let t_78 = t_12 + t_76;
  let t_79 = u32(t_78) < u32(50);
  let t_81 = (t_77 * 36) + t_76;
  let t_84 = (i32(u32(thread_) / u32(32))) + 2;
  let t_88 = (t_84 * 36) + t_76;
  let t_91 = (i32(u32(thread_) / u32(32))) + 4;
  let t_95 = (t_91 * 36) + t_76;
  let t_98 = (i32(u32(thread_) / u32(32))) + 6;
  let t_102 = (t_98 * 36) + t_76;
  let t_105 = (i32(u32(thread_) / u32(32))) + 8;
  let t_109 = (t_105 * 36) + t_76;
  let t_112 = (i32(u32(thread_) / u32(32))) + 10;
  let t_116 = (t_112 * 36) + t_76;
  let t_119 = (i32(u32(thread_) / u32(32))) + 12;
  let t_123 = (t_119 * 36) + t_76;
  let t_126 = (i32(u32(thread_) / u32(32))) + 14;
  let t_130 = (t_126 * 36) + t_76;
  let t_132 = t_17 + t_13;
  if ((u32(t_13) < u32(20)) & t_16) {
    let t_137 = bitcast<f32>(x_at((x_from4 + t_132)));
    t_138 = t_137;
  } else {
    t_138 = 0.0f;
  }
  let t_140 = t_25 + t_13;
  if ((u32(t_13) < u32(20)) & t_24) {
    let t_145 = bitcast<f32>(x_at((x_from4 + t_140)));
    t_146 = t_145;
  } else {
    t_146 = 0.0f;
  }
  let t_148 = t_33 + t_13;
  if ((u32(t_13) < u32(20)) & t_32) {
    let t_153 = bitcast<f32>(x_at((x_from4 + t_148)));
    t_154 = t_153;
  } else {
    t_154 = 0.0f;
  }
  let t_156 = t_41 + t_13;
  if ((u32(t_13) < u32(20)) & t_40) {
    let t_161 = bitcast<f32>(x_at((x_from4 + t_156)));
    t_162 = t_161;
  } else {
    t_162 = 0.0f;
  }
  let t_164 = t_49 + t_13;
  if ((u32(t_13) < u32(20)) & t_48) {
    let t_169 = bitcast<f32>(x_at((x_from4 + t_164)));
    t_170 = t_169;
  } else {
    t_170 = 0.0f;
  }
  let t_172 = t_57 + t_13;
  if ((u32(t_13) < u32(20)) & t_56) {
    let t_177 = bitcast<f32>(x_at((x_from4 + t_172)));
    t_178 = t_177;
  } else {
    t_178 = 0.0f;
  }
  let t_180 = t_65 + t_13;
  if ((u32(t_13) < u32(20)) & t_64) {
    let t_185 = bitcast<f32>(x_at((x_from4 + t_180)));
    t_186 = t_185;
  } else {
    t_186 = 0.0f;
  }
  let t_188 = t_73 + t_13;
  if ((u32(t_13) < u32(20)) & t_72) {
    let t_193 = bitcast<f32>(x_at((x_from4 + t_188)));
    t_194 = t_193;
  } else {
    t_194 = 0.0f;
  }
  let t_197 = t_78 + (t_77 * 50);
  if ((u32(t_77) < u32(20)) & t_79) {
    let t_202 = bitcast<f32>(w_at((w_from4 + t_197)));
    t_203 = t_202;
  } else {
    t_203 = 0.0f;
  }
  let t_206 = t_78 + (t_84 * 50);
  if ((u32(t_84) < u32(20)) & t_79) {
    let t_211 = bitcast<f32>(w_at((w_from4 + t_206)));
    t_212 = t_211;
  } else {
    t_212 = 0.0f;
  }
  let t_215 = t_78 + (t_91 * 50);
  if ((u32(t_91) < u32(20)) & t_79) {
    let t_220 = bitcast<f32>(w_at((w_from4 + t_215)));
    t_221 = t_220;
  } else {
    t_221 = 0.0f;
  }
  let t_224 = t_78 + (t_98 * 50);
  if ((u32(t_98) < u32(20)) & t_79) {
    let t_229 = bitcast<f32>(w_at((w_from4 + t_224)));
    t_230 = t_229;
  } else {
    t_230 = 0.0f;
  }
  let t_233 = t_78 + (t_105 * 50);
  if ((u32(t_105) < u32(20)) & t_79) {
    let t_238 = bitcast<f32>(w_at((w_from4 + t_233)));
    t_239 = t_238;
  } else {
    t_239 = 0.0f;
  }
  let t_242 = t_78 + (t_112 * 50);
  if ((u32(t_112) < u32(20)) & t_79) {
    let t_247 = bitcast<f32>(w_at((w_from4 + t_242)));
    t_248 = t_247;
  } else {
    t_248 = 0.0f;
  }
  let t_251 = t_78 + (t_119 * 50);
  if ((u32(t_119) < u32(20)) & t_79) {
    let t_256 = bitcast<f32>(w_at((w_from4 + t_251)));
    t_257 = t_256;
  } else {
    t_257 = 0.0f;
  }
  let t_260 = t_78 + (t_126 * 50);
  if ((u32(t_126) < u32(20)) & t_79) {
    let t_265 = bitcast<f32>(w_at((w_from4 + t_260)));
    t_266 = t_265;
  } else {
    t_266 = 0.0f;
  }
  product0_shared0_put(t_19, bitcast<u32>(t_138));
  product0_shared0_put(t_27, bitcast<u32>(t_146));
  product0_shared0_put(t_35, bitcast<u32>(t_154));
  product0_shared0_put(t_43, bitcast<u32>(t_162));
  product0_shared0_put(t_51, bitcast<u32>(t_170));
  product0_shared0_put(t_59, bitcast<u32>(t_178));
  product0_shared0_put(t_67, bitcast<u32>(t_186));
  product0_shared0_put(t_75, bitcast<u32>(t_194));
  product0_shared1_put(t_81, bitcast<u32>(t_203));
  product0_shared1_put(t_88, bitcast<u32>(t_212));
  product0_shared1_put(t_95, bitcast<u32>(t_221));
  product0_shared1_put(t_102, bitcast<u32>(t_230));
  product0_shared1_put(t_109, bitcast<u32>(t_239));
  product0_shared1_put(t_116, bitcast<u32>(t_248));
  product0_shared1_put(t_123, bitcast<u32>(t_257));
  product0_shared1_put(t_130, bitcast<u32>(t_266));
  i_286 = 0;
  c_287 = 0.0f;
  c_288 = 0.0f;
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
  loop {
    let t_303 = i_286;
    let t_304 = i32(u32(t_303) % u32(2));
    let t_306 = i32(u32((t_303 + 1)) % u32(2));
    workgroupBarrier();
    let t_308 = (t_303 * 16) + 16;
    let t_309 = t_308 + t_13;
    let t_311 = t_17 + t_309;
    if ((u32(t_309) < u32(20)) & t_16) {
      let t_316 = bitcast<f32>(x_at((x_from4 + t_311)));
      t_317 = t_316;
    } else {
      t_317 = 0.0f;
    }
    let t_320 = t_25 + t_309;
    if ((u32(t_309) < u32(20)) & t_24) {
      let t_325 = bitcast<f32>(x_at((x_from4 + t_320)));
      t_326 = t_325;
    } else {
      t_326 = 0.0f;
    }
    let t_329 = t_33 + t_309;
    if ((u32(t_309) < u32(20)) & t_32) {
      let t_334 = bitcast<f32>(x_at((x_from4 + t_329)));
      t_335 = t_334;
    } else {
      t_335 = 0.0f;
    }
    let t_338 = t_41 + t_309;
    if ((u32(t_309) < u32(20)) & t_40) {
      let t_343 = bitcast<f32>(x_at((x_from4 + t_338)));
      t_344 = t_343;
    } else {
      t_344 = 0.0f;
    }
    let t_347 = t_49 + t_309;
    if ((u32(t_309) < u32(20)) & t_48) {
      let t_352 = bitcast<f32>(x_at((x_from4 + t_347)));
      t_353 = t_352;
    } else {
      t_353 = 0.0f;
    }
    let t_356 = t_57 + t_309;
    if ((u32(t_309) < u32(20)) & t_56) {
      let t_361 = bitcast<f32>(x_at((x_from4 + t_356)));
      t_362 = t_361;
    } else {
      t_362 = 0.0f;
    }
    let t_365 = t_65 + t_309;
    if ((u32(t_309) < u32(20)) & t_64) {
      let t_370 = bitcast<f32>(x_at((x_from4 + t_365)));
      t_371 = t_370;
    } else {
      t_371 = 0.0f;
    }
    let t_374 = t_73 + t_309;
    if ((u32(t_309) < u32(20)) & t_72) {
      let t_379 = bitcast<f32>(x_at((x_from4 + t_374)));
      t_380 = t_379;
    } else {
      t_380 = 0.0f;
    }
    let t_381 = t_308 + t_77;
    let t_384 = t_78 + (t_381 * 50);
    if ((u32(t_381) < u32(20)) & t_79) {
      let t_389 = bitcast<f32>(w_at((w_from4 + t_384)));
      t_390 = t_389;
    } else {
      t_390 = 0.0f;
    }
    let t_391 = t_308 + t_84;
    let t_394 = t_78 + (t_391 * 50);
    if ((u32(t_391) < u32(20)) & t_79) {
      let t_399 = bitcast<f32>(w_at((w_from4 + t_394)));
      t_400 = t_399;
    } else {
      t_400 = 0.0f;
    }
    let t_401 = t_308 + t_91;
    let t_404 = t_78 + (t_401 * 50);
    if ((u32(t_401) < u32(20)) & t_79) {
      let t_409 = bitcast<f32>(w_at((w_from4 + t_404)));
      t_410 = t_409;
    } else {
      t_410 = 0.0f;
    }
    let t_411 = t_308 + t_98;
    let t_414 = t_78 + (t_411 * 50);
    if ((u32(t_411) < u32(20)) & t_79) {
      let t_419 = bitcast<f32>(w_at((w_from4 + t_414)));
      t_420 = t_419;
    } else {
      t_420 = 0.0f;
    }
    let t_421 = t_308 + t_105;
    let t_424 = t_78 + (t_421 * 50);
    if ((u32(t_421) < u32(20)) & t_79) {
      let t_429 = bitcast<f32>(w_at((w_from4 + t_424)));
      t_430 = t_429;
    } else {
      t_430 = 0.0f;
    }
    let t_431 = t_308 + t_112;
    let t_434 = t_78 + (t_431 * 50);
    if ((u32(t_431) < u32(20)) & t_79) {
      let t_439 = bitcast<f32>(w_at((w_from4 + t_434)));
      t_440 = t_439;
    } else {
      t_440 = 0.0f;
    }
    let t_441 = t_308 + t_119;
    let t_444 = t_78 + (t_441 * 50);
    if ((u32(t_441) < u32(20)) & t_79) {
      let t_449 = bitcast<f32>(w_at((w_from4 + t_444)));
      t_450 = t_449;
    } else {
      t_450 = 0.0f;
    }
    let t_451 = t_308 + t_126;
    let t_454 = t_78 + (t_451 * 50);
    if ((u32(t_451) < u32(20)) & t_79) {
      let t_459 = bitcast<f32>(w_at((w_from4 + t_454)));
      t_460 = t_459;
    } else {
      t_460 = 0.0f;
    }
    t_461 = i32(u32(thread_) / u32(8));
    t_462 = i32(u32(thread_) % u32(8));
    let t_465 = (t_304 * 576) + (t_461 * 4);
    let t_468 = (t_304 * 576) + (t_462 * 4);
    i_472 = 0;
    c_473 = c_287;
    c_474 = c_288;
    c_475 = c_289;
    c_476 = c_290;
    c_477 = c_291;
    c_478 = c_292;
    c_479 = c_293;
    c_480 = c_294;
    c_481 = c_295;
    c_482 = c_296;
    c_483 = c_297;
    c_484 = c_298;
    c_485 = c_299;
    c_486 = c_300;
    c_487 = c_301;
    c_488 = c_302;
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
    product0_shared0_put((((t_306 * 576) + t_19)), bitcast<u32>(t_317));
    product0_shared0_put((((t_306 * 576) + t_27)), bitcast<u32>(t_326));
    product0_shared0_put((((t_306 * 576) + t_35)), bitcast<u32>(t_335));
    product0_shared0_put((((t_306 * 576) + t_43)), bitcast<u32>(t_344));
    product0_shared0_put((((t_306 * 576) + t_51)), bitcast<u32>(t_353));
    product0_shared0_put((((t_306 * 576) + t_59)), bitcast<u32>(t_362));
    product0_shared0_put((((t_306 * 576) + t_67)), bitcast<u32>(t_371));
    product0_shared0_put((((t_306 * 576) + t_75)), bitcast<u32>(t_380));
    product0_shared1_put((((t_306 * 576) + t_81)), bitcast<u32>(t_390));
    product0_shared1_put((((t_306 * 576) + t_88)), bitcast<u32>(t_400));
    product0_shared1_put((((t_306 * 576) + t_95)), bitcast<u32>(t_410));
    product0_shared1_put((((t_306 * 576) + t_102)), bitcast<u32>(t_420));
    product0_shared1_put((((t_306 * 576) + t_109)), bitcast<u32>(t_430));
    product0_shared1_put((((t_306 * 576) + t_116)), bitcast<u32>(t_440));
    product0_shared1_put((((t_306 * 576) + t_123)), bitcast<u32>(t_450));
    product0_shared1_put((((t_306 * 576) + t_130)), bitcast<u32>(t_460));
    let t_662 = i_286 + 1;
    if (t_662 < 2) {
      i_286 = t_662;
      c_287 = t_596;
      c_288 = t_597;
      c_289 = t_598;
      c_290 = t_599;
      c_291 = t_600;
      c_292 = t_601;
      c_293 = t_602;
      c_294 = t_603;
      c_295 = t_604;
      c_296 = t_605;
      c_297 = t_606;
      c_298 = t_607;
      c_299 = t_608;
      c_300 = t_609;
      c_301 = t_610;
      c_302 = t_611;
    } else {
      break;
    }
  }
  let t_666 = (t_461 * 128) + (t_462 * 4);
  product0_shared2_put(t_666, bitcast<u32>(t_596));
  product0_shared2_put(((t_666 + 1)), bitcast<u32>(t_597));
  product0_shared2_put(((t_666 + 2)), bitcast<u32>(t_598));
  product0_shared2_put(((t_666 + 3)), bitcast<u32>(t_599));
  product0_shared2_put(((t_666 + 32)), bitcast<u32>(t_600));
  product0_shared2_put(((t_666 + 33)), bitcast<u32>(t_601));
  product0_shared2_put(((t_666 + 34)), bitcast<u32>(t_602));
  product0_shared2_put(((t_666 + 35)), bitcast<u32>(t_603));
  product0_shared2_put(((t_666 + 64)), bitcast<u32>(t_604));
  product0_shared2_put(((t_666 + 65)), bitcast<u32>(t_605));
  product0_shared2_put(((t_666 + 66)), bitcast<u32>(t_606));
  product0_shared2_put(((t_666 + 67)), bitcast<u32>(t_607));
  product0_shared2_put(((t_666 + 96)), bitcast<u32>(t_608));
  product0_shared2_put(((t_666 + 97)), bitcast<u32>(t_609));
  product0_shared2_put(((t_666 + 98)), bitcast<u32>(t_610));
  product0_shared2_put(((t_666 + 99)), bitcast<u32>(t_611));
  workgroupBarrier();
  if (thread_ < 1024) {
    i_701 = thread_;
    loop {
      let t_703 = i_701;
      let t_704 = i32(u32(t_703) / u32(32));
      let t_705 = i32(u32(t_703) % u32(32));
      let t_707 = (t_704 * 32) + t_705;
      let t_708 = i32(u32(t_704) % u32(4));
      let t_712 = ((i32(u32(t_704) / u32(4))) * 4) + (i32(u32(t_708) % u32(4)));
      let t_716 = t_11 + (t_712 + ((i32(u32(t_708) / u32(4))) * 32));
      let t_717 = t_12 + t_705;
      if ((u32(t_716) < u32(40)) & (u32(t_717) < u32(50))) {
        let t_724 = bitcast<f32>(product0_shared2_at(t_707));
        let t_728 = bitcast<f32>(e1_at((e1_from4 + t_717)));
        let t_729 = t_724 + t_728;
        e0_put(((e0_from4 + (t_716 * 50)) + t_717), bitcast<u32>((select(t_729, 0.0f, (0.0f >= t_729)))));
      }
      let t_735 = i_701 + 64;
      if (t_735 < 1024) {
        i_701 = t_735;
      } else {
        break;
      }
    }
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('input', 1), ('output', 0), ('input', 2)), words=(0, 0, 0, 0, 4, 0), blocks=4)
