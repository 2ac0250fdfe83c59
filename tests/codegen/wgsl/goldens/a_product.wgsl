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
  var i_1110: i32;
  var t_1021: f32;
  var t_1022: f32;
  var t_1023: f32;
  var t_1024: f32;
  var t_1025: f32;
  var t_1026: f32;
  var t_1027: f32;
  var t_1028: f32;
  var t_1029: f32;
  var t_1030: f32;
  var t_1031: f32;
  var t_1032: f32;
  var t_1033: f32;
  var t_1034: f32;
  var t_1035: f32;
  var t_1036: f32;
  let size_1 = thread_;
  let size_4 = block_;
  let t_7 = i32(u32(size_4) % u32(2));
  let t_8 = i32(u32(size_4) / u32(2));
  let t_9 = i32(u32(t_8) % u32(2));
  let t_10 = i32(u32(t_8) / u32(2));
  let t_11 = t_9 * 32;
  let t_12 = t_7 * 32;
  let t_13 = i32(u32(size_1) / u32(8));
  let t_14 = i32(u32(size_1) % u32(8));
  let t_15 = i32(u32(size_1) % u32(16));
  let t_16 = i32(u32(size_1) / u32(16));
  let t_17 = t_11 + t_16;
  let t_18 = u32(t_17) < u32(40);
  let t_19 = t_17 * 20;
  let t_20 = t_15 * 36;
  let t_21 = t_20 + t_16;
  let t_22 = i32(u32(size_1) % u32(16));
  let t_23 = i32(u32(size_1) / u32(16));
  let t_24 = t_23 + 4;
  let t_25 = t_11 + t_24;
  let t_26 = u32(t_25) < u32(40);
  let t_27 = t_25 * 20;
  let t_28 = t_22 * 36;
  let t_29 = t_28 + t_24;
  let t_30 = i32(u32(size_1) % u32(16));
  let t_31 = i32(u32(size_1) / u32(16));
  let t_32 = t_31 + 8;
  let t_33 = t_11 + t_32;
  let t_34 = u32(t_33) < u32(40);
  let t_35 = t_33 * 20;
  let t_36 = t_30 * 36;
  let t_37 = t_36 + t_32;
  let t_38 = i32(u32(size_1) % u32(16));
  let t_39 = i32(u32(size_1) / u32(16));
  let t_40 = t_39 + 12;
  let t_41 = t_11 + t_40;
  let t_42 = u32(t_41) < u32(40);
  let t_43 = t_41 * 20;
  let t_44 = t_38 * 36;
  let t_45 = t_44 + t_40;
  let t_46 = i32(u32(size_1) % u32(16));
  let t_47 = i32(u32(size_1) / u32(16));
  let t_48 = t_47 + 16;
  let t_49 = t_11 + t_48;
  let t_50 = u32(t_49) < u32(40);
  let t_51 = t_49 * 20;
  let t_52 = t_46 * 36;
  let t_53 = t_52 + t_48;
  let t_54 = i32(u32(size_1) % u32(16));
  let t_55 = i32(u32(size_1) / u32(16));
  let t_56 = t_55 + 20;
  let t_57 = t_11 + t_56;
  let t_58 = u32(t_57) < u32(40);
  let t_59 = t_57 * 20;
  let t_60 = t_54 * 36;
  let t_61 = t_60 + t_56;
  let t_62 = i32(u32(size_1) % u32(16));
  let t_63 = i32(u32(size_1) / u32(16));
  let t_64 = t_63 + 24;
  let t_65 = t_11 + t_64;
  let t_66 = u32(t_65) < u32(40);
  let t_67 = t_65 * 20;
  let t_68 = t_62 * 36;
  let t_69 = t_68 + t_64;
  let t_70 = i32(u32(size_1) % u32(16));
  let t_71 = i32(u32(size_1) / u32(16));
  let t_72 = t_71 + 28;
  let t_73 = t_11 + t_72;
  let t_74 = u32(t_73) < u32(40);
  let t_75 = t_73 * 20;
  let t_76 = t_70 * 36;
  let t_77 = t_76 + t_72;
  let t_78 = i32(u32(size_1) % u32(32));
  let t_79 = i32(u32(size_1) / u32(32));
  let t_80 = t_12 + t_78;
  let t_81 = u32(t_80) < u32(50);
  let t_82 = t_79 * 36;
  let t_83 = t_82 + t_78;
  let t_84 = i32(u32(size_1) % u32(32));
  let t_85 = i32(u32(size_1) / u32(32));
  let t_86 = t_85 + 2;
  let t_87 = t_12 + t_84;
  let t_88 = u32(t_87) < u32(50);
  let t_89 = t_86 * 36;
  let t_90 = t_89 + t_84;
  let t_91 = i32(u32(size_1) % u32(32));
  let t_92 = i32(u32(size_1) / u32(32));
  let t_93 = t_92 + 4;
  let t_94 = t_12 + t_91;
  let t_95 = u32(t_94) < u32(50);
  let t_96 = t_93 * 36;
  let t_97 = t_96 + t_91;
  let t_98 = i32(u32(size_1) % u32(32));
  let t_99 = i32(u32(size_1) / u32(32));
  let t_100 = t_99 + 6;
  let t_101 = t_12 + t_98;
  let t_102 = u32(t_101) < u32(50);
  let t_103 = t_100 * 36;
  let t_104 = t_103 + t_98;
  let t_105 = i32(u32(size_1) % u32(32));
  let t_106 = i32(u32(size_1) / u32(32));
  let t_107 = t_106 + 8;
  let t_108 = t_12 + t_105;
  let t_109 = u32(t_108) < u32(50);
  let t_110 = t_107 * 36;
  let t_111 = t_110 + t_105;
  let t_112 = i32(u32(size_1) % u32(32));
  let t_113 = i32(u32(size_1) / u32(32));
  let t_114 = t_113 + 10;
  let t_115 = t_12 + t_112;
  let t_116 = u32(t_115) < u32(50);
  let t_117 = t_114 * 36;
  let t_118 = t_117 + t_112;
  let t_119 = i32(u32(size_1) % u32(32));
  let t_120 = i32(u32(size_1) / u32(32));
  let t_121 = t_120 + 12;
  let t_122 = t_12 + t_119;
  let t_123 = u32(t_122) < u32(50);
  let t_124 = t_121 * 36;
  let t_125 = t_124 + t_119;
  let t_126 = i32(u32(size_1) % u32(32));
  let t_127 = i32(u32(size_1) / u32(32));
  let t_128 = t_127 + 14;
  let t_129 = t_12 + t_126;
  let t_130 = u32(t_129) < u32(50);
  let t_131 = t_128 * 36;
  let t_132 = t_131 + t_126;
  let t_133 = u32(t_15) < u32(20);
  let t_134 = t_19 + t_15;
  let t_135 = t_133 & t_18;
  if (t_135) {
    let t_138 = x_from4 + t_134;
    let t_139 = bitcast<f32>(x_at(t_138));
    t_140 = t_139;
  } else {
    t_140 = 0.0f;
  }
  let t_141 = u32(t_22) < u32(20);
  let t_142 = t_27 + t_22;
  let t_143 = t_141 & t_26;
  if (t_143) {
    let t_146 = x_from4 + t_142;
    let t_147 = bitcast<f32>(x_at(t_146));
    t_148 = t_147;
  } else {
    t_148 = 0.0f;
  }
  let t_149 = u32(t_30) < u32(20);
  let t_150 = t_35 + t_30;
  let t_151 = t_149 & t_34;
  if (t_151) {
    let t_154 = x_from4 + t_150;
    let t_155 = bitcast<f32>(x_at(t_154));
    t_156 = t_155;
  } else {
    t_156 = 0.0f;
  }
  let t_157 = u32(t_38) < u32(20);
  let t_158 = t_43 + t_38;
  let t_159 = t_157 & t_42;
  if (t_159) {
    let t_162 = x_from4 + t_158;
    let t_163 = bitcast<f32>(x_at(t_162));
    t_164 = t_163;
  } else {
    t_164 = 0.0f;
  }
  let t_165 = u32(t_46) < u32(20);
  let t_166 = t_51 + t_46;
  let t_167 = t_165 & t_50;
  if (t_167) {
    let t_170 = x_from4 + t_166;
    let t_171 = bitcast<f32>(x_at(t_170));
    t_172 = t_171;
  } else {
    t_172 = 0.0f;
  }
  let t_173 = u32(t_54) < u32(20);
  let t_174 = t_59 + t_54;
  let t_175 = t_173 & t_58;
  if (t_175) {
    let t_178 = x_from4 + t_174;
    let t_179 = bitcast<f32>(x_at(t_178));
    t_180 = t_179;
  } else {
    t_180 = 0.0f;
  }
  let t_181 = u32(t_62) < u32(20);
  let t_182 = t_67 + t_62;
  let t_183 = t_181 & t_66;
  if (t_183) {
    let t_186 = x_from4 + t_182;
    let t_187 = bitcast<f32>(x_at(t_186));
    t_188 = t_187;
  } else {
    t_188 = 0.0f;
  }
  let t_189 = u32(t_70) < u32(20);
  let t_190 = t_75 + t_70;
  let t_191 = t_189 & t_74;
  if (t_191) {
    let t_194 = x_from4 + t_190;
    let t_195 = bitcast<f32>(x_at(t_194));
    t_196 = t_195;
  } else {
    t_196 = 0.0f;
  }
  let t_197 = u32(t_79) < u32(20);
  let t_198 = t_79 * 50;
  let t_199 = t_80 + t_198;
  let t_200 = t_197 & t_81;
  if (t_200) {
    let t_203 = w_from4 + t_199;
    let t_204 = bitcast<f32>(w_at(t_203));
    t_205 = t_204;
  } else {
    t_205 = 0.0f;
  }
  let t_206 = u32(t_86) < u32(20);
  let t_207 = t_86 * 50;
  let t_208 = t_87 + t_207;
  let t_209 = t_206 & t_88;
  if (t_209) {
    let t_212 = w_from4 + t_208;
    let t_213 = bitcast<f32>(w_at(t_212));
    t_214 = t_213;
  } else {
    t_214 = 0.0f;
  }
  let t_215 = u32(t_93) < u32(20);
  let t_216 = t_93 * 50;
  let t_217 = t_94 + t_216;
  let t_218 = t_215 & t_95;
  if (t_218) {
    let t_221 = w_from4 + t_217;
    let t_222 = bitcast<f32>(w_at(t_221));
    t_223 = t_222;
  } else {
    t_223 = 0.0f;
  }
  let t_224 = u32(t_100) < u32(20);
  let t_225 = t_100 * 50;
  let t_226 = t_101 + t_225;
  let t_227 = t_224 & t_102;
  if (t_227) {
    let t_230 = w_from4 + t_226;
    let t_231 = bitcast<f32>(w_at(t_230));
    t_232 = t_231;
  } else {
    t_232 = 0.0f;
  }
  let t_233 = u32(t_107) < u32(20);
  let t_234 = t_107 * 50;
  let t_235 = t_108 + t_234;
  let t_236 = t_233 & t_109;
  if (t_236) {
    let t_239 = w_from4 + t_235;
    let t_240 = bitcast<f32>(w_at(t_239));
    t_241 = t_240;
  } else {
    t_241 = 0.0f;
  }
  let t_242 = u32(t_114) < u32(20);
  let t_243 = t_114 * 50;
  let t_244 = t_115 + t_243;
  let t_245 = t_242 & t_116;
  if (t_245) {
    let t_248 = w_from4 + t_244;
    let t_249 = bitcast<f32>(w_at(t_248));
    t_250 = t_249;
  } else {
    t_250 = 0.0f;
  }
  let t_251 = u32(t_121) < u32(20);
  let t_252 = t_121 * 50;
  let t_253 = t_122 + t_252;
  let t_254 = t_251 & t_123;
  if (t_254) {
    let t_257 = w_from4 + t_253;
    let t_258 = bitcast<f32>(w_at(t_257));
    t_259 = t_258;
  } else {
    t_259 = 0.0f;
  }
  let t_260 = u32(t_128) < u32(20);
  let t_261 = t_128 * 50;
  let t_262 = t_129 + t_261;
  let t_263 = t_260 & t_130;
  if (t_263) {
    let t_266 = w_from4 + t_262;
    let t_267 = bitcast<f32>(w_at(t_266));
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
    let t_307 = t_305 + 1;
    let t_308 = i32(u32(t_307) % u32(2));
    workgroupBarrier();
    let t_309 = t_305 * 16;
    let t_310 = t_309 + 16;
    let t_311 = t_310 + t_15;
    let t_312 = u32(t_311) < u32(20);
    let t_313 = t_19 + t_311;
    let t_314 = t_312 & t_18;
    if (t_314) {
      let t_317 = x_from4 + t_313;
      let t_318 = bitcast<f32>(x_at(t_317));
      t_319 = t_318;
    } else {
      t_319 = 0.0f;
    }
    let t_320 = t_310 + t_22;
    let t_321 = u32(t_320) < u32(20);
    let t_322 = t_27 + t_320;
    let t_323 = t_321 & t_26;
    if (t_323) {
      let t_326 = x_from4 + t_322;
      let t_327 = bitcast<f32>(x_at(t_326));
      t_328 = t_327;
    } else {
      t_328 = 0.0f;
    }
    let t_329 = t_310 + t_30;
    let t_330 = u32(t_329) < u32(20);
    let t_331 = t_35 + t_329;
    let t_332 = t_330 & t_34;
    if (t_332) {
      let t_335 = x_from4 + t_331;
      let t_336 = bitcast<f32>(x_at(t_335));
      t_337 = t_336;
    } else {
      t_337 = 0.0f;
    }
    let t_338 = t_310 + t_38;
    let t_339 = u32(t_338) < u32(20);
    let t_340 = t_43 + t_338;
    let t_341 = t_339 & t_42;
    if (t_341) {
      let t_344 = x_from4 + t_340;
      let t_345 = bitcast<f32>(x_at(t_344));
      t_346 = t_345;
    } else {
      t_346 = 0.0f;
    }
    let t_347 = t_310 + t_46;
    let t_348 = u32(t_347) < u32(20);
    let t_349 = t_51 + t_347;
    let t_350 = t_348 & t_50;
    if (t_350) {
      let t_353 = x_from4 + t_349;
      let t_354 = bitcast<f32>(x_at(t_353));
      t_355 = t_354;
    } else {
      t_355 = 0.0f;
    }
    let t_356 = t_310 + t_54;
    let t_357 = u32(t_356) < u32(20);
    let t_358 = t_59 + t_356;
    let t_359 = t_357 & t_58;
    if (t_359) {
      let t_362 = x_from4 + t_358;
      let t_363 = bitcast<f32>(x_at(t_362));
      t_364 = t_363;
    } else {
      t_364 = 0.0f;
    }
    let t_365 = t_310 + t_62;
    let t_366 = u32(t_365) < u32(20);
    let t_367 = t_67 + t_365;
    let t_368 = t_366 & t_66;
    if (t_368) {
      let t_371 = x_from4 + t_367;
      let t_372 = bitcast<f32>(x_at(t_371));
      t_373 = t_372;
    } else {
      t_373 = 0.0f;
    }
    let t_374 = t_310 + t_70;
    let t_375 = u32(t_374) < u32(20);
    let t_376 = t_75 + t_374;
    let t_377 = t_375 & t_74;
    if (t_377) {
      let t_380 = x_from4 + t_376;
      let t_381 = bitcast<f32>(x_at(t_380));
      t_382 = t_381;
    } else {
      t_382 = 0.0f;
    }
    let t_383 = t_310 + t_79;
    let t_384 = u32(t_383) < u32(20);
    let t_385 = t_383 * 50;
    let t_386 = t_80 + t_385;
    let t_387 = t_384 & t_81;
    if (t_387) {
      let t_390 = w_from4 + t_386;
      let t_391 = bitcast<f32>(w_at(t_390));
      t_392 = t_391;
    } else {
      t_392 = 0.0f;
    }
    let t_393 = t_310 + t_86;
    let t_394 = u32(t_393) < u32(20);
    let t_395 = t_393 * 50;
    let t_396 = t_87 + t_395;
    let t_397 = t_394 & t_88;
    if (t_397) {
      let t_400 = w_from4 + t_396;
      let t_401 = bitcast<f32>(w_at(t_400));
      t_402 = t_401;
    } else {
      t_402 = 0.0f;
    }
    let t_403 = t_310 + t_93;
    let t_404 = u32(t_403) < u32(20);
    let t_405 = t_403 * 50;
    let t_406 = t_94 + t_405;
    let t_407 = t_404 & t_95;
    if (t_407) {
      let t_410 = w_from4 + t_406;
      let t_411 = bitcast<f32>(w_at(t_410));
      t_412 = t_411;
    } else {
      t_412 = 0.0f;
    }
    let t_413 = t_310 + t_100;
    let t_414 = u32(t_413) < u32(20);
    let t_415 = t_413 * 50;
    let t_416 = t_101 + t_415;
    let t_417 = t_414 & t_102;
    if (t_417) {
      let t_420 = w_from4 + t_416;
      let t_421 = bitcast<f32>(w_at(t_420));
      t_422 = t_421;
    } else {
      t_422 = 0.0f;
    }
    let t_423 = t_310 + t_107;
    let t_424 = u32(t_423) < u32(20);
    let t_425 = t_423 * 50;
    let t_426 = t_108 + t_425;
    let t_427 = t_424 & t_109;
    if (t_427) {
      let t_430 = w_from4 + t_426;
      let t_431 = bitcast<f32>(w_at(t_430));
      t_432 = t_431;
    } else {
      t_432 = 0.0f;
    }
    let t_433 = t_310 + t_114;
    let t_434 = u32(t_433) < u32(20);
    let t_435 = t_433 * 50;
    let t_436 = t_115 + t_435;
    let t_437 = t_434 & t_116;
    if (t_437) {
      let t_440 = w_from4 + t_436;
      let t_441 = bitcast<f32>(w_at(t_440));
      t_442 = t_441;
    } else {
      t_442 = 0.0f;
    }
    let t_443 = t_310 + t_121;
    let t_444 = u32(t_443) < u32(20);
    let t_445 = t_443 * 50;
    let t_446 = t_122 + t_445;
    let t_447 = t_444 & t_123;
    if (t_447) {
      let t_450 = w_from4 + t_446;
      let t_451 = bitcast<f32>(w_at(t_450));
      t_452 = t_451;
    } else {
      t_452 = 0.0f;
    }
    let t_453 = t_310 + t_128;
    let t_454 = u32(t_453) < u32(20);
    let t_455 = t_453 * 50;
    let t_456 = t_129 + t_455;
    let t_457 = t_454 & t_130;
    if (t_457) {
      let t_460 = w_from4 + t_456;
      let t_461 = bitcast<f32>(w_at(t_460));
      t_462 = t_461;
    } else {
      t_462 = 0.0f;
    }
    let t_463 = t_306 * 576;
    let t_464 = t_13 * 4;
    let t_465 = t_463 + t_464;
    let t_467_0 = bitcast<f32>(product0_shared0_at(t_465));
    let t_467_1 = bitcast<f32>(product0_shared0_at(t_465 + 1));
    let t_467_2 = bitcast<f32>(product0_shared0_at(t_465 + 2));
    let t_467_3 = bitcast<f32>(product0_shared0_at(t_465 + 3));
    let t_472 = t_306 * 576;
    let t_473 = t_14 * 4;
    let t_474 = t_472 + t_473;
    let t_476_0 = bitcast<f32>(product0_shared1_at(t_474));
    let t_476_1 = bitcast<f32>(product0_shared1_at(t_474 + 1));
    let t_476_2 = bitcast<f32>(product0_shared1_at(t_474 + 2));
    let t_476_3 = bitcast<f32>(product0_shared1_at(t_474 + 3));
    let t_481 = fma(t_467_0, t_476_0, c_289);
    let t_482 = fma(t_467_0, t_476_1, c_290);
    let t_483 = fma(t_467_0, t_476_2, c_291);
    let t_484 = fma(t_467_0, t_476_3, c_292);
    let t_485 = fma(t_467_1, t_476_0, c_293);
    let t_486 = fma(t_467_1, t_476_1, c_294);
    let t_487 = fma(t_467_1, t_476_2, c_295);
    let t_488 = fma(t_467_1, t_476_3, c_296);
    let t_489 = fma(t_467_2, t_476_0, c_297);
    let t_490 = fma(t_467_2, t_476_1, c_298);
    let t_491 = fma(t_467_2, t_476_2, c_299);
    let t_492 = fma(t_467_2, t_476_3, c_300);
    let t_493 = fma(t_467_3, t_476_0, c_301);
    let t_494 = fma(t_467_3, t_476_1, c_302);
    let t_495 = fma(t_467_3, t_476_2, c_303);
    let t_496 = fma(t_467_3, t_476_3, c_304);
    let t_497 = t_306 * 576;
    let t_498 = t_13 * 4;
    let t_499 = t_497 + t_498;
    let t_500 = t_499 + 36;
    let t_502_0 = bitcast<f32>(product0_shared0_at(t_500));
    let t_502_1 = bitcast<f32>(product0_shared0_at(t_500 + 1));
    let t_502_2 = bitcast<f32>(product0_shared0_at(t_500 + 2));
    let t_502_3 = bitcast<f32>(product0_shared0_at(t_500 + 3));
    let t_507 = t_306 * 576;
    let t_508 = t_14 * 4;
    let t_509 = t_507 + t_508;
    let t_510 = t_509 + 36;
    let t_512_0 = bitcast<f32>(product0_shared1_at(t_510));
    let t_512_1 = bitcast<f32>(product0_shared1_at(t_510 + 1));
    let t_512_2 = bitcast<f32>(product0_shared1_at(t_510 + 2));
    let t_512_3 = bitcast<f32>(product0_shared1_at(t_510 + 3));
    let t_517 = fma(t_502_0, t_512_0, t_481);
    let t_518 = fma(t_502_0, t_512_1, t_482);
    let t_519 = fma(t_502_0, t_512_2, t_483);
    let t_520 = fma(t_502_0, t_512_3, t_484);
    let t_521 = fma(t_502_1, t_512_0, t_485);
    let t_522 = fma(t_502_1, t_512_1, t_486);
    let t_523 = fma(t_502_1, t_512_2, t_487);
    let t_524 = fma(t_502_1, t_512_3, t_488);
    let t_525 = fma(t_502_2, t_512_0, t_489);
    let t_526 = fma(t_502_2, t_512_1, t_490);
    let t_527 = fma(t_502_2, t_512_2, t_491);
    let t_528 = fma(t_502_2, t_512_3, t_492);
    let t_529 = fma(t_502_3, t_512_0, t_493);
    let t_530 = fma(t_502_3, t_512_1, t_494);
    let t_531 = fma(t_502_3, t_512_2, t_495);
    let t_532 = fma(t_502_3, t_512_3, t_496);
    let t_533 = t_306 * 576;
    let t_534 = t_13 * 4;
    let t_535 = t_533 + t_534;
    let t_536 = t_535 + 72;
    let t_538_0 = bitcast<f32>(product0_shared0_at(t_536));
    let t_538_1 = bitcast<f32>(product0_shared0_at(t_536 + 1));
    let t_538_2 = bitcast<f32>(product0_shared0_at(t_536 + 2));
    let t_538_3 = bitcast<f32>(product0_shared0_at(t_536 + 3));
    let t_543 = t_306 * 576;
    let t_544 = t_14 * 4;
    let t_545 = t_543 + t_544;
    let t_546 = t_545 + 72;
    let t_548_0 = bitcast<f32>(product0_shared1_at(t_546));
    let t_548_1 = bitcast<f32>(product0_shared1_at(t_546 + 1));
    let t_548_2 = bitcast<f32>(product0_shared1_at(t_546 + 2));
    let t_548_3 = bitcast<f32>(product0_shared1_at(t_546 + 3));
    let t_553 = fma(t_538_0, t_548_0, t_517);
    let t_554 = fma(t_538_0, t_548_1, t_518);
    let t_555 = fma(t_538_0, t_548_2, t_519);
    let t_556 = fma(t_538_0, t_548_3, t_520);
    let t_557 = fma(t_538_1, t_548_0, t_521);
    let t_558 = fma(t_538_1, t_548_1, t_522);
    let t_559 = fma(t_538_1, t_548_2, t_523);
    let t_560 = fma(t_538_1, t_548_3, t_524);
    let t_561 = fma(t_538_2, t_548_0, t_525);
    let t_562 = fma(t_538_2, t_548_1, t_526);
    let t_563 = fma(t_538_2, t_548_2, t_527);
    let t_564 = fma(t_538_2, t_548_3, t_528);
    let t_565 = fma(t_538_3, t_548_0, t_529);
    let t_566 = fma(t_538_3, t_548_1, t_530);
    let t_567 = fma(t_538_3, t_548_2, t_531);
    let t_568 = fma(t_538_3, t_548_3, t_532);
    let t_569 = t_306 * 576;
    let t_570 = t_13 * 4;
    let t_571 = t_569 + t_570;
    let t_572 = t_571 + 108;
    let t_574_0 = bitcast<f32>(product0_shared0_at(t_572));
    let t_574_1 = bitcast<f32>(product0_shared0_at(t_572 + 1));
    let t_574_2 = bitcast<f32>(product0_shared0_at(t_572 + 2));
    let t_574_3 = bitcast<f32>(product0_shared0_at(t_572 + 3));
    let t_579 = t_306 * 576;
    let t_580 = t_14 * 4;
    let t_581 = t_579 + t_580;
    let t_582 = t_581 + 108;
    let t_584_0 = bitcast<f32>(product0_shared1_at(t_582));
    let t_584_1 = bitcast<f32>(product0_shared1_at(t_582 + 1));
    let t_584_2 = bitcast<f32>(product0_shared1_at(t_582 + 2));
    let t_584_3 = bitcast<f32>(product0_shared1_at(t_582 + 3));
    let t_589 = fma(t_574_0, t_584_0, t_553);
    let t_590 = fma(t_574_0, t_584_1, t_554);
    let t_591 = fma(t_574_0, t_584_2, t_555);
    let t_592 = fma(t_574_0, t_584_3, t_556);
    let t_593 = fma(t_574_1, t_584_0, t_557);
    let t_594 = fma(t_574_1, t_584_1, t_558);
    let t_595 = fma(t_574_1, t_584_2, t_559);
    let t_596 = fma(t_574_1, t_584_3, t_560);
    let t_597 = fma(t_574_2, t_584_0, t_561);
    let t_598 = fma(t_574_2, t_584_1, t_562);
    let t_599 = fma(t_574_2, t_584_2, t_563);
    let t_600 = fma(t_574_2, t_584_3, t_564);
    let t_601 = fma(t_574_3, t_584_0, t_565);
    let t_602 = fma(t_574_3, t_584_1, t_566);
    let t_603 = fma(t_574_3, t_584_2, t_567);
    let t_604 = fma(t_574_3, t_584_3, t_568);
    let t_605 = t_306 * 576;
    let t_606 = t_13 * 4;
    let t_607 = t_605 + t_606;
    let t_608 = t_607 + 144;
    let t_610_0 = bitcast<f32>(product0_shared0_at(t_608));
    let t_610_1 = bitcast<f32>(product0_shared0_at(t_608 + 1));
    let t_610_2 = bitcast<f32>(product0_shared0_at(t_608 + 2));
    let t_610_3 = bitcast<f32>(product0_shared0_at(t_608 + 3));
    let t_615 = t_306 * 576;
    let t_616 = t_14 * 4;
    let t_617 = t_615 + t_616;
    let t_618 = t_617 + 144;
    let t_620_0 = bitcast<f32>(product0_shared1_at(t_618));
    let t_620_1 = bitcast<f32>(product0_shared1_at(t_618 + 1));
    let t_620_2 = bitcast<f32>(product0_shared1_at(t_618 + 2));
    let t_620_3 = bitcast<f32>(product0_shared1_at(t_618 + 3));
    let t_625 = fma(t_610_0, t_620_0, t_589);
    let t_626 = fma(t_610_0, t_620_1, t_590);
    let t_627 = fma(t_610_0, t_620_2, t_591);
    let t_628 = fma(t_610_0, t_620_3, t_592);
    let t_629 = fma(t_610_1, t_620_0, t_593);
    let t_630 = fma(t_610_1, t_620_1, t_594);
    let t_631 = fma(t_610_1, t_620_2, t_595);
    let t_632 = fma(t_610_1, t_620_3, t_596);
    let t_633 = fma(t_610_2, t_620_0, t_597);
    let t_634 = fma(t_610_2, t_620_1, t_598);
    let t_635 = fma(t_610_2, t_620_2, t_599);
    let t_636 = fma(t_610_2, t_620_3, t_600);
    let t_637 = fma(t_610_3, t_620_0, t_601);
    let t_638 = fma(t_610_3, t_620_1, t_602);
    let t_639 = fma(t_610_3, t_620_2, t_603);
    let t_640 = fma(t_610_3, t_620_3, t_604);
    let t_641 = t_306 * 576;
    let t_642 = t_13 * 4;
    let t_643 = t_641 + t_642;
    let t_644 = t_643 + 180;
    let t_646_0 = bitcast<f32>(product0_shared0_at(t_644));
    let t_646_1 = bitcast<f32>(product0_shared0_at(t_644 + 1));
    let t_646_2 = bitcast<f32>(product0_shared0_at(t_644 + 2));
    let t_646_3 = bitcast<f32>(product0_shared0_at(t_644 + 3));
    let t_651 = t_306 * 576;
    let t_652 = t_14 * 4;
    let t_653 = t_651 + t_652;
    let t_654 = t_653 + 180;
    let t_656_0 = bitcast<f32>(product0_shared1_at(t_654));
    let t_656_1 = bitcast<f32>(product0_shared1_at(t_654 + 1));
    let t_656_2 = bitcast<f32>(product0_shared1_at(t_654 + 2));
    let t_656_3 = bitcast<f32>(product0_shared1_at(t_654 + 3));
    let t_661 = fma(t_646_0, t_656_0, t_625);
    let t_662 = fma(t_646_0, t_656_1, t_626);
    let t_663 = fma(t_646_0, t_656_2, t_627);
    let t_664 = fma(t_646_0, t_656_3, t_628);
    let t_665 = fma(t_646_1, t_656_0, t_629);
    let t_666 = fma(t_646_1, t_656_1, t_630);
    let t_667 = fma(t_646_1, t_656_2, t_631);
    let t_668 = fma(t_646_1, t_656_3, t_632);
    let t_669 = fma(t_646_2, t_656_0, t_633);
    let t_670 = fma(t_646_2, t_656_1, t_634);
    let t_671 = fma(t_646_2, t_656_2, t_635);
    let t_672 = fma(t_646_2, t_656_3, t_636);
    let t_673 = fma(t_646_3, t_656_0, t_637);
    let t_674 = fma(t_646_3, t_656_1, t_638);
    let t_675 = fma(t_646_3, t_656_2, t_639);
    let t_676 = fma(t_646_3, t_656_3, t_640);
    let t_677 = t_306 * 576;
    let t_678 = t_13 * 4;
    let t_679 = t_677 + t_678;
    let t_680 = t_679 + 216;
    let t_682_0 = bitcast<f32>(product0_shared0_at(t_680));
    let t_682_1 = bitcast<f32>(product0_shared0_at(t_680 + 1));
    let t_682_2 = bitcast<f32>(product0_shared0_at(t_680 + 2));
    let t_682_3 = bitcast<f32>(product0_shared0_at(t_680 + 3));
    let t_687 = t_306 * 576;
    let t_688 = t_14 * 4;
    let t_689 = t_687 + t_688;
    let t_690 = t_689 + 216;
    let t_692_0 = bitcast<f32>(product0_shared1_at(t_690));
    let t_692_1 = bitcast<f32>(product0_shared1_at(t_690 + 1));
    let t_692_2 = bitcast<f32>(product0_shared1_at(t_690 + 2));
    let t_692_3 = bitcast<f32>(product0_shared1_at(t_690 + 3));
    let t_697 = fma(t_682_0, t_692_0, t_661);
    let t_698 = fma(t_682_0, t_692_1, t_662);
    let t_699 = fma(t_682_0, t_692_2, t_663);
    let t_700 = fma(t_682_0, t_692_3, t_664);
    let t_701 = fma(t_682_1, t_692_0, t_665);
    let t_702 = fma(t_682_1, t_692_1, t_666);
    let t_703 = fma(t_682_1, t_692_2, t_667);
    let t_704 = fma(t_682_1, t_692_3, t_668);
    let t_705 = fma(t_682_2, t_692_0, t_669);
    let t_706 = fma(t_682_2, t_692_1, t_670);
    let t_707 = fma(t_682_2, t_692_2, t_671);
    let t_708 = fma(t_682_2, t_692_3, t_672);
    let t_709 = fma(t_682_3, t_692_0, t_673);
    let t_710 = fma(t_682_3, t_692_1, t_674);
    let t_711 = fma(t_682_3, t_692_2, t_675);
    let t_712 = fma(t_682_3, t_692_3, t_676);
    let t_713 = t_306 * 576;
    let t_714 = t_13 * 4;
    let t_715 = t_713 + t_714;
    let t_716 = t_715 + 252;
    let t_718_0 = bitcast<f32>(product0_shared0_at(t_716));
    let t_718_1 = bitcast<f32>(product0_shared0_at(t_716 + 1));
    let t_718_2 = bitcast<f32>(product0_shared0_at(t_716 + 2));
    let t_718_3 = bitcast<f32>(product0_shared0_at(t_716 + 3));
    let t_723 = t_306 * 576;
    let t_724 = t_14 * 4;
    let t_725 = t_723 + t_724;
    let t_726 = t_725 + 252;
    let t_728_0 = bitcast<f32>(product0_shared1_at(t_726));
    let t_728_1 = bitcast<f32>(product0_shared1_at(t_726 + 1));
    let t_728_2 = bitcast<f32>(product0_shared1_at(t_726 + 2));
    let t_728_3 = bitcast<f32>(product0_shared1_at(t_726 + 3));
    let t_733 = fma(t_718_0, t_728_0, t_697);
    let t_734 = fma(t_718_0, t_728_1, t_698);
    let t_735 = fma(t_718_0, t_728_2, t_699);
    let t_736 = fma(t_718_0, t_728_3, t_700);
    let t_737 = fma(t_718_1, t_728_0, t_701);
    let t_738 = fma(t_718_1, t_728_1, t_702);
    let t_739 = fma(t_718_1, t_728_2, t_703);
    let t_740 = fma(t_718_1, t_728_3, t_704);
    let t_741 = fma(t_718_2, t_728_0, t_705);
    let t_742 = fma(t_718_2, t_728_1, t_706);
    let t_743 = fma(t_718_2, t_728_2, t_707);
    let t_744 = fma(t_718_2, t_728_3, t_708);
    let t_745 = fma(t_718_3, t_728_0, t_709);
    let t_746 = fma(t_718_3, t_728_1, t_710);
    let t_747 = fma(t_718_3, t_728_2, t_711);
    let t_748 = fma(t_718_3, t_728_3, t_712);
    let t_749 = t_306 * 576;
    let t_750 = t_13 * 4;
    let t_751 = t_749 + t_750;
    let t_752 = t_751 + 288;
    let t_754_0 = bitcast<f32>(product0_shared0_at(t_752));
    let t_754_1 = bitcast<f32>(product0_shared0_at(t_752 + 1));
    let t_754_2 = bitcast<f32>(product0_shared0_at(t_752 + 2));
    let t_754_3 = bitcast<f32>(product0_shared0_at(t_752 + 3));
    let t_759 = t_306 * 576;
    let t_760 = t_14 * 4;
    let t_761 = t_759 + t_760;
    let t_762 = t_761 + 288;
    let t_764_0 = bitcast<f32>(product0_shared1_at(t_762));
    let t_764_1 = bitcast<f32>(product0_shared1_at(t_762 + 1));
    let t_764_2 = bitcast<f32>(product0_shared1_at(t_762 + 2));
    let t_764_3 = bitcast<f32>(product0_shared1_at(t_762 + 3));
    let t_769 = fma(t_754_0, t_764_0, t_733);
    let t_770 = fma(t_754_0, t_764_1, t_734);
    let t_771 = fma(t_754_0, t_764_2, t_735);
    let t_772 = fma(t_754_0, t_764_3, t_736);
    let t_773 = fma(t_754_1, t_764_0, t_737);
    let t_774 = fma(t_754_1, t_764_1, t_738);
    let t_775 = fma(t_754_1, t_764_2, t_739);
    let t_776 = fma(t_754_1, t_764_3, t_740);
    let t_777 = fma(t_754_2, t_764_0, t_741);
    let t_778 = fma(t_754_2, t_764_1, t_742);
    let t_779 = fma(t_754_2, t_764_2, t_743);
    let t_780 = fma(t_754_2, t_764_3, t_744);
    let t_781 = fma(t_754_3, t_764_0, t_745);
    let t_782 = fma(t_754_3, t_764_1, t_746);
    let t_783 = fma(t_754_3, t_764_2, t_747);
    let t_784 = fma(t_754_3, t_764_3, t_748);
    let t_785 = t_306 * 576;
    let t_786 = t_13 * 4;
    let t_787 = t_785 + t_786;
    let t_788 = t_787 + 324;
    let t_790_0 = bitcast<f32>(product0_shared0_at(t_788));
    let t_790_1 = bitcast<f32>(product0_shared0_at(t_788 + 1));
    let t_790_2 = bitcast<f32>(product0_shared0_at(t_788 + 2));
    let t_790_3 = bitcast<f32>(product0_shared0_at(t_788 + 3));
    let t_795 = t_306 * 576;
    let t_796 = t_14 * 4;
    let t_797 = t_795 + t_796;
    let t_798 = t_797 + 324;
    let t_800_0 = bitcast<f32>(product0_shared1_at(t_798));
    let t_800_1 = bitcast<f32>(product0_shared1_at(t_798 + 1));
    let t_800_2 = bitcast<f32>(product0_shared1_at(t_798 + 2));
    let t_800_3 = bitcast<f32>(product0_shared1_at(t_798 + 3));
    let t_805 = fma(t_790_0, t_800_0, t_769);
    let t_806 = fma(t_790_0, t_800_1, t_770);
    let t_807 = fma(t_790_0, t_800_2, t_771);
    let t_808 = fma(t_790_0, t_800_3, t_772);
    let t_809 = fma(t_790_1, t_800_0, t_773);
    let t_810 = fma(t_790_1, t_800_1, t_774);
    let t_811 = fma(t_790_1, t_800_2, t_775);
    let t_812 = fma(t_790_1, t_800_3, t_776);
    let t_813 = fma(t_790_2, t_800_0, t_777);
    let t_814 = fma(t_790_2, t_800_1, t_778);
    let t_815 = fma(t_790_2, t_800_2, t_779);
    let t_816 = fma(t_790_2, t_800_3, t_780);
    let t_817 = fma(t_790_3, t_800_0, t_781);
    let t_818 = fma(t_790_3, t_800_1, t_782);
    let t_819 = fma(t_790_3, t_800_2, t_783);
    let t_820 = fma(t_790_3, t_800_3, t_784);
    let t_821 = t_306 * 576;
    let t_822 = t_13 * 4;
    let t_823 = t_821 + t_822;
    let t_824 = t_823 + 360;
    let t_826_0 = bitcast<f32>(product0_shared0_at(t_824));
    let t_826_1 = bitcast<f32>(product0_shared0_at(t_824 + 1));
    let t_826_2 = bitcast<f32>(product0_shared0_at(t_824 + 2));
    let t_826_3 = bitcast<f32>(product0_shared0_at(t_824 + 3));
    let t_831 = t_306 * 576;
    let t_832 = t_14 * 4;
    let t_833 = t_831 + t_832;
    let t_834 = t_833 + 360;
    let t_836_0 = bitcast<f32>(product0_shared1_at(t_834));
    let t_836_1 = bitcast<f32>(product0_shared1_at(t_834 + 1));
    let t_836_2 = bitcast<f32>(product0_shared1_at(t_834 + 2));
    let t_836_3 = bitcast<f32>(product0_shared1_at(t_834 + 3));
    let t_841 = fma(t_826_0, t_836_0, t_805);
    let t_842 = fma(t_826_0, t_836_1, t_806);
    let t_843 = fma(t_826_0, t_836_2, t_807);
    let t_844 = fma(t_826_0, t_836_3, t_808);
    let t_845 = fma(t_826_1, t_836_0, t_809);
    let t_846 = fma(t_826_1, t_836_1, t_810);
    let t_847 = fma(t_826_1, t_836_2, t_811);
    let t_848 = fma(t_826_1, t_836_3, t_812);
    let t_849 = fma(t_826_2, t_836_0, t_813);
    let t_850 = fma(t_826_2, t_836_1, t_814);
    let t_851 = fma(t_826_2, t_836_2, t_815);
    let t_852 = fma(t_826_2, t_836_3, t_816);
    let t_853 = fma(t_826_3, t_836_0, t_817);
    let t_854 = fma(t_826_3, t_836_1, t_818);
    let t_855 = fma(t_826_3, t_836_2, t_819);
    let t_856 = fma(t_826_3, t_836_3, t_820);
    let t_857 = t_306 * 576;
    let t_858 = t_13 * 4;
    let t_859 = t_857 + t_858;
    let t_860 = t_859 + 396;
    let t_862_0 = bitcast<f32>(product0_shared0_at(t_860));
    let t_862_1 = bitcast<f32>(product0_shared0_at(t_860 + 1));
    let t_862_2 = bitcast<f32>(product0_shared0_at(t_860 + 2));
    let t_862_3 = bitcast<f32>(product0_shared0_at(t_860 + 3));
    let t_867 = t_306 * 576;
    let t_868 = t_14 * 4;
    let t_869 = t_867 + t_868;
    let t_870 = t_869 + 396;
    let t_872_0 = bitcast<f32>(product0_shared1_at(t_870));
    let t_872_1 = bitcast<f32>(product0_shared1_at(t_870 + 1));
    let t_872_2 = bitcast<f32>(product0_shared1_at(t_870 + 2));
    let t_872_3 = bitcast<f32>(product0_shared1_at(t_870 + 3));
    let t_877 = fma(t_862_0, t_872_0, t_841);
    let t_878 = fma(t_862_0, t_872_1, t_842);
    let t_879 = fma(t_862_0, t_872_2, t_843);
    let t_880 = fma(t_862_0, t_872_3, t_844);
    let t_881 = fma(t_862_1, t_872_0, t_845);
    let t_882 = fma(t_862_1, t_872_1, t_846);
    let t_883 = fma(t_862_1, t_872_2, t_847);
    let t_884 = fma(t_862_1, t_872_3, t_848);
    let t_885 = fma(t_862_2, t_872_0, t_849);
    let t_886 = fma(t_862_2, t_872_1, t_850);
    let t_887 = fma(t_862_2, t_872_2, t_851);
    let t_888 = fma(t_862_2, t_872_3, t_852);
    let t_889 = fma(t_862_3, t_872_0, t_853);
    let t_890 = fma(t_862_3, t_872_1, t_854);
    let t_891 = fma(t_862_3, t_872_2, t_855);
    let t_892 = fma(t_862_3, t_872_3, t_856);
    let t_893 = t_306 * 576;
    let t_894 = t_13 * 4;
    let t_895 = t_893 + t_894;
    let t_896 = t_895 + 432;
    let t_898_0 = bitcast<f32>(product0_shared0_at(t_896));
    let t_898_1 = bitcast<f32>(product0_shared0_at(t_896 + 1));
    let t_898_2 = bitcast<f32>(product0_shared0_at(t_896 + 2));
    let t_898_3 = bitcast<f32>(product0_shared0_at(t_896 + 3));
    let t_903 = t_306 * 576;
    let t_904 = t_14 * 4;
    let t_905 = t_903 + t_904;
    let t_906 = t_905 + 432;
    let t_908_0 = bitcast<f32>(product0_shared1_at(t_906));
    let t_908_1 = bitcast<f32>(product0_shared1_at(t_906 + 1));
    let t_908_2 = bitcast<f32>(product0_shared1_at(t_906 + 2));
    let t_908_3 = bitcast<f32>(product0_shared1_at(t_906 + 3));
    let t_913 = fma(t_898_0, t_908_0, t_877);
    let t_914 = fma(t_898_0, t_908_1, t_878);
    let t_915 = fma(t_898_0, t_908_2, t_879);
    let t_916 = fma(t_898_0, t_908_3, t_880);
    let t_917 = fma(t_898_1, t_908_0, t_881);
    let t_918 = fma(t_898_1, t_908_1, t_882);
    let t_919 = fma(t_898_1, t_908_2, t_883);
    let t_920 = fma(t_898_1, t_908_3, t_884);
    let t_921 = fma(t_898_2, t_908_0, t_885);
    let t_922 = fma(t_898_2, t_908_1, t_886);
    let t_923 = fma(t_898_2, t_908_2, t_887);
    let t_924 = fma(t_898_2, t_908_3, t_888);
    let t_925 = fma(t_898_3, t_908_0, t_889);
    let t_926 = fma(t_898_3, t_908_1, t_890);
    let t_927 = fma(t_898_3, t_908_2, t_891);
    let t_928 = fma(t_898_3, t_908_3, t_892);
    let t_929 = t_306 * 576;
    let t_930 = t_13 * 4;
    let t_931 = t_929 + t_930;
    let t_932 = t_931 + 468;
    let t_934_0 = bitcast<f32>(product0_shared0_at(t_932));
    let t_934_1 = bitcast<f32>(product0_shared0_at(t_932 + 1));
    let t_934_2 = bitcast<f32>(product0_shared0_at(t_932 + 2));
    let t_934_3 = bitcast<f32>(product0_shared0_at(t_932 + 3));
    let t_939 = t_306 * 576;
    let t_940 = t_14 * 4;
    let t_941 = t_939 + t_940;
    let t_942 = t_941 + 468;
    let t_944_0 = bitcast<f32>(product0_shared1_at(t_942));
    let t_944_1 = bitcast<f32>(product0_shared1_at(t_942 + 1));
    let t_944_2 = bitcast<f32>(product0_shared1_at(t_942 + 2));
    let t_944_3 = bitcast<f32>(product0_shared1_at(t_942 + 3));
    let t_949 = fma(t_934_0, t_944_0, t_913);
    let t_950 = fma(t_934_0, t_944_1, t_914);
    let t_951 = fma(t_934_0, t_944_2, t_915);
    let t_952 = fma(t_934_0, t_944_3, t_916);
    let t_953 = fma(t_934_1, t_944_0, t_917);
    let t_954 = fma(t_934_1, t_944_1, t_918);
    let t_955 = fma(t_934_1, t_944_2, t_919);
    let t_956 = fma(t_934_1, t_944_3, t_920);
    let t_957 = fma(t_934_2, t_944_0, t_921);
    let t_958 = fma(t_934_2, t_944_1, t_922);
    let t_959 = fma(t_934_2, t_944_2, t_923);
    let t_960 = fma(t_934_2, t_944_3, t_924);
    let t_961 = fma(t_934_3, t_944_0, t_925);
    let t_962 = fma(t_934_3, t_944_1, t_926);
    let t_963 = fma(t_934_3, t_944_2, t_927);
    let t_964 = fma(t_934_3, t_944_3, t_928);
    let t_965 = t_306 * 576;
    let t_966 = t_13 * 4;
    let t_967 = t_965 + t_966;
    let t_968 = t_967 + 504;
    let t_970_0 = bitcast<f32>(product0_shared0_at(t_968));
    let t_970_1 = bitcast<f32>(product0_shared0_at(t_968 + 1));
    let t_970_2 = bitcast<f32>(product0_shared0_at(t_968 + 2));
    let t_970_3 = bitcast<f32>(product0_shared0_at(t_968 + 3));
    let t_975 = t_306 * 576;
    let t_976 = t_14 * 4;
    let t_977 = t_975 + t_976;
    let t_978 = t_977 + 504;
    let t_980_0 = bitcast<f32>(product0_shared1_at(t_978));
    let t_980_1 = bitcast<f32>(product0_shared1_at(t_978 + 1));
    let t_980_2 = bitcast<f32>(product0_shared1_at(t_978 + 2));
    let t_980_3 = bitcast<f32>(product0_shared1_at(t_978 + 3));
    let t_985 = fma(t_970_0, t_980_0, t_949);
    let t_986 = fma(t_970_0, t_980_1, t_950);
    let t_987 = fma(t_970_0, t_980_2, t_951);
    let t_988 = fma(t_970_0, t_980_3, t_952);
    let t_989 = fma(t_970_1, t_980_0, t_953);
    let t_990 = fma(t_970_1, t_980_1, t_954);
    let t_991 = fma(t_970_1, t_980_2, t_955);
    let t_992 = fma(t_970_1, t_980_3, t_956);
    let t_993 = fma(t_970_2, t_980_0, t_957);
    let t_994 = fma(t_970_2, t_980_1, t_958);
    let t_995 = fma(t_970_2, t_980_2, t_959);
    let t_996 = fma(t_970_2, t_980_3, t_960);
    let t_997 = fma(t_970_3, t_980_0, t_961);
    let t_998 = fma(t_970_3, t_980_1, t_962);
    let t_999 = fma(t_970_3, t_980_2, t_963);
    let t_1000 = fma(t_970_3, t_980_3, t_964);
    let t_1001 = t_306 * 576;
    let t_1002 = t_13 * 4;
    let t_1003 = t_1001 + t_1002;
    let t_1004 = t_1003 + 540;
    let t_1006_0 = bitcast<f32>(product0_shared0_at(t_1004));
    let t_1006_1 = bitcast<f32>(product0_shared0_at(t_1004 + 1));
    let t_1006_2 = bitcast<f32>(product0_shared0_at(t_1004 + 2));
    let t_1006_3 = bitcast<f32>(product0_shared0_at(t_1004 + 3));
    let t_1011 = t_306 * 576;
    let t_1012 = t_14 * 4;
    let t_1013 = t_1011 + t_1012;
    let t_1014 = t_1013 + 540;
    let t_1016_0 = bitcast<f32>(product0_shared1_at(t_1014));
    let t_1016_1 = bitcast<f32>(product0_shared1_at(t_1014 + 1));
    let t_1016_2 = bitcast<f32>(product0_shared1_at(t_1014 + 2));
    let t_1016_3 = bitcast<f32>(product0_shared1_at(t_1014 + 3));
    t_1021 = fma(t_1006_0, t_1016_0, t_985);
    t_1022 = fma(t_1006_0, t_1016_1, t_986);
    t_1023 = fma(t_1006_0, t_1016_2, t_987);
    t_1024 = fma(t_1006_0, t_1016_3, t_988);
    t_1025 = fma(t_1006_1, t_1016_0, t_989);
    t_1026 = fma(t_1006_1, t_1016_1, t_990);
    t_1027 = fma(t_1006_1, t_1016_2, t_991);
    t_1028 = fma(t_1006_1, t_1016_3, t_992);
    t_1029 = fma(t_1006_2, t_1016_0, t_993);
    t_1030 = fma(t_1006_2, t_1016_1, t_994);
    t_1031 = fma(t_1006_2, t_1016_2, t_995);
    t_1032 = fma(t_1006_2, t_1016_3, t_996);
    t_1033 = fma(t_1006_3, t_1016_0, t_997);
    t_1034 = fma(t_1006_3, t_1016_1, t_998);
    t_1035 = fma(t_1006_3, t_1016_2, t_999);
    t_1036 = fma(t_1006_3, t_1016_3, t_1000);
    let t_1037 = t_308 * 576;
    let t_1038 = t_1037 + t_21;
    product0_shared0_put(t_1038, bitcast<u32>(t_319));
    let t_1040 = t_1037 + t_29;
    product0_shared0_put(t_1040, bitcast<u32>(t_328));
    let t_1042 = t_1037 + t_37;
    product0_shared0_put(t_1042, bitcast<u32>(t_337));
    let t_1044 = t_1037 + t_45;
    product0_shared0_put(t_1044, bitcast<u32>(t_346));
    let t_1046 = t_1037 + t_53;
    product0_shared0_put(t_1046, bitcast<u32>(t_355));
    let t_1048 = t_1037 + t_61;
    product0_shared0_put(t_1048, bitcast<u32>(t_364));
    let t_1050 = t_1037 + t_69;
    product0_shared0_put(t_1050, bitcast<u32>(t_373));
    let t_1052 = t_1037 + t_77;
    product0_shared0_put(t_1052, bitcast<u32>(t_382));
    let t_1054 = t_308 * 576;
    let t_1055 = t_1054 + t_83;
    product0_shared1_put(t_1055, bitcast<u32>(t_392));
    let t_1057 = t_1054 + t_90;
    product0_shared1_put(t_1057, bitcast<u32>(t_402));
    let t_1059 = t_1054 + t_97;
    product0_shared1_put(t_1059, bitcast<u32>(t_412));
    let t_1061 = t_1054 + t_104;
    product0_shared1_put(t_1061, bitcast<u32>(t_422));
    let t_1063 = t_1054 + t_111;
    product0_shared1_put(t_1063, bitcast<u32>(t_432));
    let t_1065 = t_1054 + t_118;
    product0_shared1_put(t_1065, bitcast<u32>(t_442));
    let t_1067 = t_1054 + t_125;
    product0_shared1_put(t_1067, bitcast<u32>(t_452));
    let t_1069 = t_1054 + t_132;
    product0_shared1_put(t_1069, bitcast<u32>(t_462));
    let t_1071 = i_288 + 1;
    let t_1072 = t_1071 < 2;
    if (t_1072) {
      i_288 = t_1071;
      c_289 = t_1021;
      c_290 = t_1022;
      c_291 = t_1023;
      c_292 = t_1024;
      c_293 = t_1025;
      c_294 = t_1026;
      c_295 = t_1027;
      c_296 = t_1028;
      c_297 = t_1029;
      c_298 = t_1030;
      c_299 = t_1031;
      c_300 = t_1032;
      c_301 = t_1033;
      c_302 = t_1034;
      c_303 = t_1035;
      c_304 = t_1036;
    } else {
      break;
    }
  }
  let t_1073 = t_13 * 128;
  let t_1074 = t_14 * 4;
  let t_1075 = t_1073 + t_1074;
  product0_shared2_put(t_1075, bitcast<u32>(t_1021));
  let t_1077 = t_1075 + 1;
  product0_shared2_put(t_1077, bitcast<u32>(t_1022));
  let t_1079 = t_1075 + 2;
  product0_shared2_put(t_1079, bitcast<u32>(t_1023));
  let t_1081 = t_1075 + 3;
  product0_shared2_put(t_1081, bitcast<u32>(t_1024));
  let t_1083 = t_1075 + 32;
  product0_shared2_put(t_1083, bitcast<u32>(t_1025));
  let t_1085 = t_1075 + 33;
  product0_shared2_put(t_1085, bitcast<u32>(t_1026));
  let t_1087 = t_1075 + 34;
  product0_shared2_put(t_1087, bitcast<u32>(t_1027));
  let t_1089 = t_1075 + 35;
  product0_shared2_put(t_1089, bitcast<u32>(t_1028));
  let t_1091 = t_1075 + 64;
  product0_shared2_put(t_1091, bitcast<u32>(t_1029));
  let t_1093 = t_1075 + 65;
  product0_shared2_put(t_1093, bitcast<u32>(t_1030));
  let t_1095 = t_1075 + 66;
  product0_shared2_put(t_1095, bitcast<u32>(t_1031));
  let t_1097 = t_1075 + 67;
  product0_shared2_put(t_1097, bitcast<u32>(t_1032));
  let t_1099 = t_1075 + 96;
  product0_shared2_put(t_1099, bitcast<u32>(t_1033));
  let t_1101 = t_1075 + 97;
  product0_shared2_put(t_1101, bitcast<u32>(t_1034));
  let t_1103 = t_1075 + 98;
  product0_shared2_put(t_1103, bitcast<u32>(t_1035));
  let t_1105 = t_1075 + 99;
  product0_shared2_put(t_1105, bitcast<u32>(t_1036));
  workgroupBarrier();
  let t_1111 = size_1 < 1024;
  if (t_1111) {
    i_1110 = size_1;
    loop {
      let t_1112 = i_1110;
      let t_1113 = i32(u32(t_1112) / u32(32));
      let t_1114 = i32(u32(t_1112) % u32(32));
      let t_1115 = t_1113 * 32;
      let t_1116 = t_1115 + t_1114;
      let t_1117 = i32(u32(t_1113) % u32(4));
      let t_1118 = i32(u32(t_1113) / u32(4));
      let t_1119 = t_1118 * 4;
      let t_1120 = i32(u32(t_1117) % u32(4));
      let t_1121 = t_1119 + t_1120;
      let t_1122 = i32(u32(t_1117) / u32(4));
      let t_1123 = t_1122 * 32;
      let t_1124 = t_1121 + t_1123;
      let t_1125 = t_11 + t_1124;
      let t_1126 = t_12 + t_1114;
      let t_1127 = u32(t_1125) < u32(40);
      let t_1128 = u32(t_1126) < u32(50);
      let t_1129 = t_1127 & t_1128;
      if (t_1129) {
        let t_1133 = bitcast<f32>(product0_shared2_at(t_1116));
        let t_1136 = e1_from4 + t_1126;
        let t_1137 = bitcast<f32>(e1_at(t_1136));
        let t_1138 = t_1133 + t_1137;
        let t_1139 = 0.0f >= t_1138;
        let t_1140 = select(t_1138, 0.0f, t_1139);
        let t_1141 = t_1125 * 50;
        let t_1142 = e0_from4 + t_1141;
        let t_1143 = t_1142 + t_1126;
        e0_put(t_1143, bitcast<u32>(t_1140));
      }
      let t_1144 = i_1110 + 64;
      let t_1145 = t_1144 < 1024;
      if (t_1145) {
        i_1110 = t_1144;
      } else {
        break;
      }
    }
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('input', 1), ('output', 0), ('input', 2)), words=(0, 0, 0, 0, 4, 0), blocks=4)
