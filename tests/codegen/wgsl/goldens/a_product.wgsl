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
var<workgroup> product0_shared0_m: array<u32, 576>;
fn product0_shared0_at(word: i32) -> u32 { return product0_shared0_m[word]; }
fn product0_shared0_put(word: i32, x: u32) { product0_shared0_m[word] = x; }
var<workgroup> product0_shared1_m: array<u32, 576>;
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
  var t_84: f32;
  var t_91: f32;
  var t_98: f32;
  var t_105: f32;
  var t_113: f32;
  var t_121: f32;
  var t_129: f32;
  var t_137: f32;
  var i_149: i32;
  var c_150: f32;
  var c_151: f32;
  var c_152: f32;
  var c_153: f32;
  var c_154: f32;
  var c_155: f32;
  var c_156: f32;
  var c_157: f32;
  var c_158: f32;
  var c_159: f32;
  var c_160: f32;
  var c_161: f32;
  var c_162: f32;
  var c_163: f32;
  var c_164: f32;
  var c_165: f32;
  var t_176: f32;
  var t_184: f32;
  var t_192: f32;
  var t_200: f32;
  var t_209: f32;
  var t_218: f32;
  var t_227: f32;
  var t_236: f32;
  var i_581: i32;
  var t_507: f32;
  var t_508: f32;
  var t_509: f32;
  var t_510: f32;
  var t_511: f32;
  var t_512: f32;
  var t_513: f32;
  var t_514: f32;
  var t_515: f32;
  var t_516: f32;
  var t_517: f32;
  var t_518: f32;
  var t_519: f32;
  var t_520: f32;
  var t_521: f32;
  var t_522: f32;
  let size_1 = thread_;
  let size_5 = block_;
  let t_3 = size_1 / 8;
  let t_4 = size_1 % 8;
  let t_7 = size_5 % 2;
  let t_8 = size_5 / 2;
  let t_9 = t_8 % 2;
  let t_10 = t_9 * 32;
  let t_11 = t_7 * 32;
  let t_12 = size_1 % 8;
  let t_13 = size_1 / 8;
  let t_14 = t_10 + t_13;
  let t_15 = t_14 < 40;
  let t_16 = t_14 * 20;
  let t_17 = x_from4 + t_16;
  let t_18 = t_12 * 36;
  let t_19 = t_18 + t_13;
  let t_20 = size_1 + 64;
  let t_21 = t_20 % 8;
  let t_22 = t_20 / 8;
  let t_23 = t_10 + t_22;
  let t_24 = t_23 < 40;
  let t_25 = t_23 * 20;
  let t_26 = x_from4 + t_25;
  let t_27 = t_21 * 36;
  let t_28 = t_27 + t_22;
  let t_29 = size_1 + 128;
  let t_30 = t_29 % 8;
  let t_31 = t_29 / 8;
  let t_32 = t_10 + t_31;
  let t_33 = t_32 < 40;
  let t_34 = t_32 * 20;
  let t_35 = x_from4 + t_34;
  let t_36 = t_30 * 36;
  let t_37 = t_36 + t_31;
  let t_38 = size_1 + 192;
  let t_39 = t_38 % 8;
  let t_40 = t_38 / 8;
  let t_41 = t_10 + t_40;
  let t_42 = t_41 < 40;
  let t_43 = t_41 * 20;
  let t_44 = x_from4 + t_43;
  let t_45 = t_39 * 36;
  let t_46 = t_45 + t_40;
  let t_47 = size_1 % 32;
  let t_48 = size_1 / 32;
  let t_49 = t_11 + t_47;
  let t_50 = t_49 < 50;
  let t_51 = w_from4 + t_49;
  let t_52 = t_48 * 36;
  let t_53 = t_52 + t_47;
  let t_54 = size_1 + 64;
  let t_55 = t_54 % 32;
  let t_56 = t_54 / 32;
  let t_57 = t_11 + t_55;
  let t_58 = t_57 < 50;
  let t_59 = w_from4 + t_57;
  let t_60 = t_56 * 36;
  let t_61 = t_60 + t_55;
  let t_62 = size_1 + 128;
  let t_63 = t_62 % 32;
  let t_64 = t_62 / 32;
  let t_65 = t_11 + t_63;
  let t_66 = t_65 < 50;
  let t_67 = w_from4 + t_65;
  let t_68 = t_64 * 36;
  let t_69 = t_68 + t_63;
  let t_70 = size_1 + 192;
  let t_71 = t_70 % 32;
  let t_72 = t_70 / 32;
  let t_73 = t_11 + t_71;
  let t_74 = t_73 < 50;
  let t_75 = w_from4 + t_73;
  let t_76 = t_72 * 36;
  let t_77 = t_76 + t_71;
  let t_78 = t_12 < 20;
  let t_79 = t_15 & t_78;
  let t_80 = t_17 + t_12;
  if (t_79) {
    let t_83 = bitcast<f32>(x_at(t_80));
    t_84 = t_83;
  } else {
    t_84 = 0.0f;
  }
  let t_85 = t_21 < 20;
  let t_86 = t_24 & t_85;
  let t_87 = t_26 + t_21;
  if (t_86) {
    let t_90 = bitcast<f32>(x_at(t_87));
    t_91 = t_90;
  } else {
    t_91 = 0.0f;
  }
  let t_92 = t_30 < 20;
  let t_93 = t_33 & t_92;
  let t_94 = t_35 + t_30;
  if (t_93) {
    let t_97 = bitcast<f32>(x_at(t_94));
    t_98 = t_97;
  } else {
    t_98 = 0.0f;
  }
  let t_99 = t_39 < 20;
  let t_100 = t_42 & t_99;
  let t_101 = t_44 + t_39;
  if (t_100) {
    let t_104 = bitcast<f32>(x_at(t_101));
    t_105 = t_104;
  } else {
    t_105 = 0.0f;
  }
  let t_106 = t_48 < 20;
  let t_107 = t_50 & t_106;
  let t_108 = t_48 * 50;
  let t_109 = t_51 + t_108;
  if (t_107) {
    let t_112 = bitcast<f32>(w_at(t_109));
    t_113 = t_112;
  } else {
    t_113 = 0.0f;
  }
  let t_114 = t_56 < 20;
  let t_115 = t_58 & t_114;
  let t_116 = t_56 * 50;
  let t_117 = t_59 + t_116;
  if (t_115) {
    let t_120 = bitcast<f32>(w_at(t_117));
    t_121 = t_120;
  } else {
    t_121 = 0.0f;
  }
  let t_122 = t_64 < 20;
  let t_123 = t_66 & t_122;
  let t_124 = t_64 * 50;
  let t_125 = t_67 + t_124;
  if (t_123) {
    let t_128 = bitcast<f32>(w_at(t_125));
    t_129 = t_128;
  } else {
    t_129 = 0.0f;
  }
  let t_130 = t_72 < 20;
  let t_131 = t_74 & t_130;
  let t_132 = t_72 * 50;
  let t_133 = t_75 + t_132;
  if (t_131) {
    let t_136 = bitcast<f32>(w_at(t_133));
    t_137 = t_136;
  } else {
    t_137 = 0.0f;
  }
  product0_shared0_put(t_19, bitcast<u32>(t_84));
  product0_shared0_put(t_28, bitcast<u32>(t_91));
  product0_shared0_put(t_37, bitcast<u32>(t_98));
  product0_shared0_put(t_46, bitcast<u32>(t_105));
  product0_shared1_put(t_53, bitcast<u32>(t_113));
  product0_shared1_put(t_61, bitcast<u32>(t_121));
  product0_shared1_put(t_69, bitcast<u32>(t_129));
  product0_shared1_put(t_77, bitcast<u32>(t_137));
  workgroupBarrier();
  i_149 = 0;
  c_150 = 0.0f;
  c_151 = 0.0f;
  c_152 = 0.0f;
  c_153 = 0.0f;
  c_154 = 0.0f;
  c_155 = 0.0f;
  c_156 = 0.0f;
  c_157 = 0.0f;
  c_158 = 0.0f;
  c_159 = 0.0f;
  c_160 = 0.0f;
  c_161 = 0.0f;
  c_162 = 0.0f;
  c_163 = 0.0f;
  c_164 = 0.0f;
  c_165 = 0.0f;
  loop {
    let t_166 = i_149 & 1;
    let t_167 = i_149 + 1;
    let t_168 = t_167 * 8;
    let t_169 = t_168 + t_12;
    let t_170 = t_169 < 20;
    let t_171 = t_15 & t_170;
    let t_172 = t_17 + t_169;
    if (t_171) {
      let t_175 = bitcast<f32>(x_at(t_172));
      t_176 = t_175;
    } else {
      t_176 = 0.0f;
    }
    let t_177 = t_168 + t_21;
    let t_178 = t_177 < 20;
    let t_179 = t_24 & t_178;
    let t_180 = t_26 + t_177;
    if (t_179) {
      let t_183 = bitcast<f32>(x_at(t_180));
      t_184 = t_183;
    } else {
      t_184 = 0.0f;
    }
    let t_185 = t_168 + t_30;
    let t_186 = t_185 < 20;
    let t_187 = t_33 & t_186;
    let t_188 = t_35 + t_185;
    if (t_187) {
      let t_191 = bitcast<f32>(x_at(t_188));
      t_192 = t_191;
    } else {
      t_192 = 0.0f;
    }
    let t_193 = t_168 + t_39;
    let t_194 = t_193 < 20;
    let t_195 = t_42 & t_194;
    let t_196 = t_44 + t_193;
    if (t_195) {
      let t_199 = bitcast<f32>(x_at(t_196));
      t_200 = t_199;
    } else {
      t_200 = 0.0f;
    }
    let t_201 = t_168 + t_48;
    let t_202 = t_201 < 20;
    let t_203 = t_50 & t_202;
    let t_204 = t_201 * 50;
    let t_205 = t_51 + t_204;
    if (t_203) {
      let t_208 = bitcast<f32>(w_at(t_205));
      t_209 = t_208;
    } else {
      t_209 = 0.0f;
    }
    let t_210 = t_168 + t_56;
    let t_211 = t_210 < 20;
    let t_212 = t_58 & t_211;
    let t_213 = t_210 * 50;
    let t_214 = t_59 + t_213;
    if (t_212) {
      let t_217 = bitcast<f32>(w_at(t_214));
      t_218 = t_217;
    } else {
      t_218 = 0.0f;
    }
    let t_219 = t_168 + t_64;
    let t_220 = t_219 < 20;
    let t_221 = t_66 & t_220;
    let t_222 = t_219 * 50;
    let t_223 = t_67 + t_222;
    if (t_221) {
      let t_226 = bitcast<f32>(w_at(t_223));
      t_227 = t_226;
    } else {
      t_227 = 0.0f;
    }
    let t_228 = t_168 + t_72;
    let t_229 = t_228 < 20;
    let t_230 = t_74 & t_229;
    let t_231 = t_228 * 50;
    let t_232 = t_75 + t_231;
    if (t_230) {
      let t_235 = bitcast<f32>(w_at(t_232));
      t_236 = t_235;
    } else {
      t_236 = 0.0f;
    }
    let t_237 = t_166 * 288;
    let t_238 = t_3 * 4;
    let t_239 = t_237 + t_238;
    let t_241_0 = bitcast<f32>(product0_shared0_at(t_239));
    let t_241_1 = bitcast<f32>(product0_shared0_at(t_239 + 1));
    let t_241_2 = bitcast<f32>(product0_shared0_at(t_239 + 2));
    let t_241_3 = bitcast<f32>(product0_shared0_at(t_239 + 3));
    let t_246 = t_166 * 288;
    let t_247 = t_4 * 4;
    let t_248 = t_246 + t_247;
    let t_250_0 = bitcast<f32>(product0_shared1_at(t_248));
    let t_250_1 = bitcast<f32>(product0_shared1_at(t_248 + 1));
    let t_250_2 = bitcast<f32>(product0_shared1_at(t_248 + 2));
    let t_250_3 = bitcast<f32>(product0_shared1_at(t_248 + 3));
    let t_255 = fma(t_241_0, t_250_0, c_150);
    let t_256 = fma(t_241_0, t_250_1, c_151);
    let t_257 = fma(t_241_0, t_250_2, c_152);
    let t_258 = fma(t_241_0, t_250_3, c_153);
    let t_259 = fma(t_241_1, t_250_0, c_154);
    let t_260 = fma(t_241_1, t_250_1, c_155);
    let t_261 = fma(t_241_1, t_250_2, c_156);
    let t_262 = fma(t_241_1, t_250_3, c_157);
    let t_263 = fma(t_241_2, t_250_0, c_158);
    let t_264 = fma(t_241_2, t_250_1, c_159);
    let t_265 = fma(t_241_2, t_250_2, c_160);
    let t_266 = fma(t_241_2, t_250_3, c_161);
    let t_267 = fma(t_241_3, t_250_0, c_162);
    let t_268 = fma(t_241_3, t_250_1, c_163);
    let t_269 = fma(t_241_3, t_250_2, c_164);
    let t_270 = fma(t_241_3, t_250_3, c_165);
    let t_271 = t_166 * 288;
    let t_272 = t_3 * 4;
    let t_273 = t_271 + t_272;
    let t_274 = t_273 + 36;
    let t_276_0 = bitcast<f32>(product0_shared0_at(t_274));
    let t_276_1 = bitcast<f32>(product0_shared0_at(t_274 + 1));
    let t_276_2 = bitcast<f32>(product0_shared0_at(t_274 + 2));
    let t_276_3 = bitcast<f32>(product0_shared0_at(t_274 + 3));
    let t_281 = t_166 * 288;
    let t_282 = t_4 * 4;
    let t_283 = t_281 + t_282;
    let t_284 = t_283 + 36;
    let t_286_0 = bitcast<f32>(product0_shared1_at(t_284));
    let t_286_1 = bitcast<f32>(product0_shared1_at(t_284 + 1));
    let t_286_2 = bitcast<f32>(product0_shared1_at(t_284 + 2));
    let t_286_3 = bitcast<f32>(product0_shared1_at(t_284 + 3));
    let t_291 = fma(t_276_0, t_286_0, t_255);
    let t_292 = fma(t_276_0, t_286_1, t_256);
    let t_293 = fma(t_276_0, t_286_2, t_257);
    let t_294 = fma(t_276_0, t_286_3, t_258);
    let t_295 = fma(t_276_1, t_286_0, t_259);
    let t_296 = fma(t_276_1, t_286_1, t_260);
    let t_297 = fma(t_276_1, t_286_2, t_261);
    let t_298 = fma(t_276_1, t_286_3, t_262);
    let t_299 = fma(t_276_2, t_286_0, t_263);
    let t_300 = fma(t_276_2, t_286_1, t_264);
    let t_301 = fma(t_276_2, t_286_2, t_265);
    let t_302 = fma(t_276_2, t_286_3, t_266);
    let t_303 = fma(t_276_3, t_286_0, t_267);
    let t_304 = fma(t_276_3, t_286_1, t_268);
    let t_305 = fma(t_276_3, t_286_2, t_269);
    let t_306 = fma(t_276_3, t_286_3, t_270);
    let t_307 = t_166 * 288;
    let t_308 = t_3 * 4;
    let t_309 = t_307 + t_308;
    let t_310 = t_309 + 72;
    let t_312_0 = bitcast<f32>(product0_shared0_at(t_310));
    let t_312_1 = bitcast<f32>(product0_shared0_at(t_310 + 1));
    let t_312_2 = bitcast<f32>(product0_shared0_at(t_310 + 2));
    let t_312_3 = bitcast<f32>(product0_shared0_at(t_310 + 3));
    let t_317 = t_166 * 288;
    let t_318 = t_4 * 4;
    let t_319 = t_317 + t_318;
    let t_320 = t_319 + 72;
    let t_322_0 = bitcast<f32>(product0_shared1_at(t_320));
    let t_322_1 = bitcast<f32>(product0_shared1_at(t_320 + 1));
    let t_322_2 = bitcast<f32>(product0_shared1_at(t_320 + 2));
    let t_322_3 = bitcast<f32>(product0_shared1_at(t_320 + 3));
    let t_327 = fma(t_312_0, t_322_0, t_291);
    let t_328 = fma(t_312_0, t_322_1, t_292);
    let t_329 = fma(t_312_0, t_322_2, t_293);
    let t_330 = fma(t_312_0, t_322_3, t_294);
    let t_331 = fma(t_312_1, t_322_0, t_295);
    let t_332 = fma(t_312_1, t_322_1, t_296);
    let t_333 = fma(t_312_1, t_322_2, t_297);
    let t_334 = fma(t_312_1, t_322_3, t_298);
    let t_335 = fma(t_312_2, t_322_0, t_299);
    let t_336 = fma(t_312_2, t_322_1, t_300);
    let t_337 = fma(t_312_2, t_322_2, t_301);
    let t_338 = fma(t_312_2, t_322_3, t_302);
    let t_339 = fma(t_312_3, t_322_0, t_303);
    let t_340 = fma(t_312_3, t_322_1, t_304);
    let t_341 = fma(t_312_3, t_322_2, t_305);
    let t_342 = fma(t_312_3, t_322_3, t_306);
    let t_343 = t_166 * 288;
    let t_344 = t_3 * 4;
    let t_345 = t_343 + t_344;
    let t_346 = t_345 + 108;
    let t_348_0 = bitcast<f32>(product0_shared0_at(t_346));
    let t_348_1 = bitcast<f32>(product0_shared0_at(t_346 + 1));
    let t_348_2 = bitcast<f32>(product0_shared0_at(t_346 + 2));
    let t_348_3 = bitcast<f32>(product0_shared0_at(t_346 + 3));
    let t_353 = t_166 * 288;
    let t_354 = t_4 * 4;
    let t_355 = t_353 + t_354;
    let t_356 = t_355 + 108;
    let t_358_0 = bitcast<f32>(product0_shared1_at(t_356));
    let t_358_1 = bitcast<f32>(product0_shared1_at(t_356 + 1));
    let t_358_2 = bitcast<f32>(product0_shared1_at(t_356 + 2));
    let t_358_3 = bitcast<f32>(product0_shared1_at(t_356 + 3));
    let t_363 = fma(t_348_0, t_358_0, t_327);
    let t_364 = fma(t_348_0, t_358_1, t_328);
    let t_365 = fma(t_348_0, t_358_2, t_329);
    let t_366 = fma(t_348_0, t_358_3, t_330);
    let t_367 = fma(t_348_1, t_358_0, t_331);
    let t_368 = fma(t_348_1, t_358_1, t_332);
    let t_369 = fma(t_348_1, t_358_2, t_333);
    let t_370 = fma(t_348_1, t_358_3, t_334);
    let t_371 = fma(t_348_2, t_358_0, t_335);
    let t_372 = fma(t_348_2, t_358_1, t_336);
    let t_373 = fma(t_348_2, t_358_2, t_337);
    let t_374 = fma(t_348_2, t_358_3, t_338);
    let t_375 = fma(t_348_3, t_358_0, t_339);
    let t_376 = fma(t_348_3, t_358_1, t_340);
    let t_377 = fma(t_348_3, t_358_2, t_341);
    let t_378 = fma(t_348_3, t_358_3, t_342);
    let t_379 = t_166 * 288;
    let t_380 = t_3 * 4;
    let t_381 = t_379 + t_380;
    let t_382 = t_381 + 144;
    let t_384_0 = bitcast<f32>(product0_shared0_at(t_382));
    let t_384_1 = bitcast<f32>(product0_shared0_at(t_382 + 1));
    let t_384_2 = bitcast<f32>(product0_shared0_at(t_382 + 2));
    let t_384_3 = bitcast<f32>(product0_shared0_at(t_382 + 3));
    let t_389 = t_166 * 288;
    let t_390 = t_4 * 4;
    let t_391 = t_389 + t_390;
    let t_392 = t_391 + 144;
    let t_394_0 = bitcast<f32>(product0_shared1_at(t_392));
    let t_394_1 = bitcast<f32>(product0_shared1_at(t_392 + 1));
    let t_394_2 = bitcast<f32>(product0_shared1_at(t_392 + 2));
    let t_394_3 = bitcast<f32>(product0_shared1_at(t_392 + 3));
    let t_399 = fma(t_384_0, t_394_0, t_363);
    let t_400 = fma(t_384_0, t_394_1, t_364);
    let t_401 = fma(t_384_0, t_394_2, t_365);
    let t_402 = fma(t_384_0, t_394_3, t_366);
    let t_403 = fma(t_384_1, t_394_0, t_367);
    let t_404 = fma(t_384_1, t_394_1, t_368);
    let t_405 = fma(t_384_1, t_394_2, t_369);
    let t_406 = fma(t_384_1, t_394_3, t_370);
    let t_407 = fma(t_384_2, t_394_0, t_371);
    let t_408 = fma(t_384_2, t_394_1, t_372);
    let t_409 = fma(t_384_2, t_394_2, t_373);
    let t_410 = fma(t_384_2, t_394_3, t_374);
    let t_411 = fma(t_384_3, t_394_0, t_375);
    let t_412 = fma(t_384_3, t_394_1, t_376);
    let t_413 = fma(t_384_3, t_394_2, t_377);
    let t_414 = fma(t_384_3, t_394_3, t_378);
    let t_415 = t_166 * 288;
    let t_416 = t_3 * 4;
    let t_417 = t_415 + t_416;
    let t_418 = t_417 + 180;
    let t_420_0 = bitcast<f32>(product0_shared0_at(t_418));
    let t_420_1 = bitcast<f32>(product0_shared0_at(t_418 + 1));
    let t_420_2 = bitcast<f32>(product0_shared0_at(t_418 + 2));
    let t_420_3 = bitcast<f32>(product0_shared0_at(t_418 + 3));
    let t_425 = t_166 * 288;
    let t_426 = t_4 * 4;
    let t_427 = t_425 + t_426;
    let t_428 = t_427 + 180;
    let t_430_0 = bitcast<f32>(product0_shared1_at(t_428));
    let t_430_1 = bitcast<f32>(product0_shared1_at(t_428 + 1));
    let t_430_2 = bitcast<f32>(product0_shared1_at(t_428 + 2));
    let t_430_3 = bitcast<f32>(product0_shared1_at(t_428 + 3));
    let t_435 = fma(t_420_0, t_430_0, t_399);
    let t_436 = fma(t_420_0, t_430_1, t_400);
    let t_437 = fma(t_420_0, t_430_2, t_401);
    let t_438 = fma(t_420_0, t_430_3, t_402);
    let t_439 = fma(t_420_1, t_430_0, t_403);
    let t_440 = fma(t_420_1, t_430_1, t_404);
    let t_441 = fma(t_420_1, t_430_2, t_405);
    let t_442 = fma(t_420_1, t_430_3, t_406);
    let t_443 = fma(t_420_2, t_430_0, t_407);
    let t_444 = fma(t_420_2, t_430_1, t_408);
    let t_445 = fma(t_420_2, t_430_2, t_409);
    let t_446 = fma(t_420_2, t_430_3, t_410);
    let t_447 = fma(t_420_3, t_430_0, t_411);
    let t_448 = fma(t_420_3, t_430_1, t_412);
    let t_449 = fma(t_420_3, t_430_2, t_413);
    let t_450 = fma(t_420_3, t_430_3, t_414);
    let t_451 = t_166 * 288;
    let t_452 = t_3 * 4;
    let t_453 = t_451 + t_452;
    let t_454 = t_453 + 216;
    let t_456_0 = bitcast<f32>(product0_shared0_at(t_454));
    let t_456_1 = bitcast<f32>(product0_shared0_at(t_454 + 1));
    let t_456_2 = bitcast<f32>(product0_shared0_at(t_454 + 2));
    let t_456_3 = bitcast<f32>(product0_shared0_at(t_454 + 3));
    let t_461 = t_166 * 288;
    let t_462 = t_4 * 4;
    let t_463 = t_461 + t_462;
    let t_464 = t_463 + 216;
    let t_466_0 = bitcast<f32>(product0_shared1_at(t_464));
    let t_466_1 = bitcast<f32>(product0_shared1_at(t_464 + 1));
    let t_466_2 = bitcast<f32>(product0_shared1_at(t_464 + 2));
    let t_466_3 = bitcast<f32>(product0_shared1_at(t_464 + 3));
    let t_471 = fma(t_456_0, t_466_0, t_435);
    let t_472 = fma(t_456_0, t_466_1, t_436);
    let t_473 = fma(t_456_0, t_466_2, t_437);
    let t_474 = fma(t_456_0, t_466_3, t_438);
    let t_475 = fma(t_456_1, t_466_0, t_439);
    let t_476 = fma(t_456_1, t_466_1, t_440);
    let t_477 = fma(t_456_1, t_466_2, t_441);
    let t_478 = fma(t_456_1, t_466_3, t_442);
    let t_479 = fma(t_456_2, t_466_0, t_443);
    let t_480 = fma(t_456_2, t_466_1, t_444);
    let t_481 = fma(t_456_2, t_466_2, t_445);
    let t_482 = fma(t_456_2, t_466_3, t_446);
    let t_483 = fma(t_456_3, t_466_0, t_447);
    let t_484 = fma(t_456_3, t_466_1, t_448);
    let t_485 = fma(t_456_3, t_466_2, t_449);
    let t_486 = fma(t_456_3, t_466_3, t_450);
    let t_487 = t_166 * 288;
    let t_488 = t_3 * 4;
    let t_489 = t_487 + t_488;
    let t_490 = t_489 + 252;
    let t_492_0 = bitcast<f32>(product0_shared0_at(t_490));
    let t_492_1 = bitcast<f32>(product0_shared0_at(t_490 + 1));
    let t_492_2 = bitcast<f32>(product0_shared0_at(t_490 + 2));
    let t_492_3 = bitcast<f32>(product0_shared0_at(t_490 + 3));
    let t_497 = t_166 * 288;
    let t_498 = t_4 * 4;
    let t_499 = t_497 + t_498;
    let t_500 = t_499 + 252;
    let t_502_0 = bitcast<f32>(product0_shared1_at(t_500));
    let t_502_1 = bitcast<f32>(product0_shared1_at(t_500 + 1));
    let t_502_2 = bitcast<f32>(product0_shared1_at(t_500 + 2));
    let t_502_3 = bitcast<f32>(product0_shared1_at(t_500 + 3));
    t_507 = fma(t_492_0, t_502_0, t_471);
    t_508 = fma(t_492_0, t_502_1, t_472);
    t_509 = fma(t_492_0, t_502_2, t_473);
    t_510 = fma(t_492_0, t_502_3, t_474);
    t_511 = fma(t_492_1, t_502_0, t_475);
    t_512 = fma(t_492_1, t_502_1, t_476);
    t_513 = fma(t_492_1, t_502_2, t_477);
    t_514 = fma(t_492_1, t_502_3, t_478);
    t_515 = fma(t_492_2, t_502_0, t_479);
    t_516 = fma(t_492_2, t_502_1, t_480);
    t_517 = fma(t_492_2, t_502_2, t_481);
    t_518 = fma(t_492_2, t_502_3, t_482);
    t_519 = fma(t_492_3, t_502_0, t_483);
    t_520 = fma(t_492_3, t_502_1, t_484);
    t_521 = fma(t_492_3, t_502_2, t_485);
    t_522 = fma(t_492_3, t_502_3, t_486);
    let t_523 = t_166 ^ 1;
    let t_524 = t_523 * 288;
    let t_525 = t_524 + t_19;
    product0_shared0_put(t_525, bitcast<u32>(t_176));
    let t_527 = t_524 + t_28;
    product0_shared0_put(t_527, bitcast<u32>(t_184));
    let t_529 = t_524 + t_37;
    product0_shared0_put(t_529, bitcast<u32>(t_192));
    let t_531 = t_524 + t_46;
    product0_shared0_put(t_531, bitcast<u32>(t_200));
    let t_533 = t_523 * 288;
    let t_534 = t_533 + t_53;
    product0_shared1_put(t_534, bitcast<u32>(t_209));
    let t_536 = t_533 + t_61;
    product0_shared1_put(t_536, bitcast<u32>(t_218));
    let t_538 = t_533 + t_69;
    product0_shared1_put(t_538, bitcast<u32>(t_227));
    let t_540 = t_533 + t_77;
    product0_shared1_put(t_540, bitcast<u32>(t_236));
    workgroupBarrier();
    let t_542 = i_149 + 1;
    let t_543 = t_542 < 3;
    if (t_543) {
      i_149 = t_542;
      c_150 = t_507;
      c_151 = t_508;
      c_152 = t_509;
      c_153 = t_510;
      c_154 = t_511;
      c_155 = t_512;
      c_156 = t_513;
      c_157 = t_514;
      c_158 = t_515;
      c_159 = t_516;
      c_160 = t_517;
      c_161 = t_518;
      c_162 = t_519;
      c_163 = t_520;
      c_164 = t_521;
      c_165 = t_522;
    } else {
      break;
    }
  }
  let t_544 = t_3 * 128;
  let t_545 = t_4 * 4;
  let t_546 = t_544 + t_545;
  product0_shared2_put(t_546, bitcast<u32>(t_507));
  let t_548 = t_546 + 1;
  product0_shared2_put(t_548, bitcast<u32>(t_508));
  let t_550 = t_546 + 2;
  product0_shared2_put(t_550, bitcast<u32>(t_509));
  let t_552 = t_546 + 3;
  product0_shared2_put(t_552, bitcast<u32>(t_510));
  let t_554 = t_546 + 32;
  product0_shared2_put(t_554, bitcast<u32>(t_511));
  let t_556 = t_546 + 33;
  product0_shared2_put(t_556, bitcast<u32>(t_512));
  let t_558 = t_546 + 34;
  product0_shared2_put(t_558, bitcast<u32>(t_513));
  let t_560 = t_546 + 35;
  product0_shared2_put(t_560, bitcast<u32>(t_514));
  let t_562 = t_546 + 64;
  product0_shared2_put(t_562, bitcast<u32>(t_515));
  let t_564 = t_546 + 65;
  product0_shared2_put(t_564, bitcast<u32>(t_516));
  let t_566 = t_546 + 66;
  product0_shared2_put(t_566, bitcast<u32>(t_517));
  let t_568 = t_546 + 67;
  product0_shared2_put(t_568, bitcast<u32>(t_518));
  let t_570 = t_546 + 96;
  product0_shared2_put(t_570, bitcast<u32>(t_519));
  let t_572 = t_546 + 97;
  product0_shared2_put(t_572, bitcast<u32>(t_520));
  let t_574 = t_546 + 98;
  product0_shared2_put(t_574, bitcast<u32>(t_521));
  let t_576 = t_546 + 99;
  product0_shared2_put(t_576, bitcast<u32>(t_522));
  workgroupBarrier();
  let t_582 = size_1 < 1024;
  if (t_582) {
    i_581 = size_1;
    loop {
      let t_583 = i_581 / 32;
      let t_584 = i_581 % 32;
      let t_585 = t_583 * 32;
      let t_586 = t_585 + t_584;
      let t_588 = t_583 % 4;
      let t_589 = t_583 / 4;
      let t_590 = t_589 * 4;
      let t_591 = t_588 % 4;
      let t_592 = t_590 + t_591;
      let t_593 = t_588 / 4;
      let t_594 = t_593 * 32;
      let t_595 = t_592 + t_594;
      let t_596 = t_10 + t_595;
      let t_597 = t_11 + t_584;
      let t_598 = t_596 < 40;
      let t_599 = t_597 < 50;
      let t_600 = t_598 & t_599;
      if (t_600) {
        let t_603 = bitcast<f32>(product0_shared2_at(t_586));
        let t_604 = e1_from4 + t_597;
        let t_605 = bitcast<f32>(e1_at(t_604));
        let t_606 = t_603 + t_605;
        let t_607 = 0.0f >= t_606;
        let t_608 = select(t_606, 0.0f, t_607);
        let t_609 = t_596 * 50;
        let t_610 = e0_from4 + t_609;
        let t_611 = t_610 + t_597;
        e0_put(t_611, bitcast<u32>(t_608));
      }
      let t_612 = i_581 + 64;
      let t_613 = t_612 < 1024;
      if (t_613) {
        i_581 = t_612;
      } else {
        break;
      }
    }
  }
}

// WgslLaunch(kernel='kernel0', buffers=(('input', 0), ('input', 1), ('output', 0), ('input', 2)), words=(0, 0, 0, 0, 4, 0), blocks=4)
