; Made of entry.c by `make runtimes`: clang version 22.1.8
; 2c69214c7aff42866b8dc14e65dd9c16ab0fbd82e1c9a656e286573a5c47f459


@table_offset = external constant i64, align 8

define ptr @hybridize_entry(ptr %self, ptr %arguments, i64 %count, ptr %names) nounwind {
entry:
  %both.i.i.i = alloca [2 x ptr], align 16
  %length.i.i.i = alloca i64, align 8
  %place.i.i = alloca i64, align 8
  %key.i.i = alloca ptr, align 8
  %value.i.i = alloca ptr, align 8
  %tensor.i.i = alloca { ptr, i64, i64, ptr, ptr, i64 }, align 8
  %0 = load i64, ptr @table_offset, align 8
  %add.ptr = getelementptr inbounds i8, ptr %self, i64 %0
  %1 = load ptr, ptr %add.ptr, align 8
  %data = getelementptr inbounds nuw i8, ptr %1, i64 16
  %2 = load ptr, ptr %data, align 8
  %3 = load ptr, ptr %2, align 8
  %argument_count.i = getelementptr inbounds nuw i8, ptr %2, i64 112
  %4 = load i64, ptr %argument_count.i, align 8
  %cmp.not.i = icmp eq i64 %count, %4
  br i1 %cmp.not.i, label %if.end.i, label %slow

if.end.i:
  %tobool.not.i = icmp eq ptr %names, null
  br i1 %tobool.not.i, label %is_called_right.exit, label %if.end3.i

if.end3.i:
  %size.i = getelementptr inbounds nuw i8, ptr %names, i64 16
  %5 = load i64, ptr %size.i, align 8
  %keyword_count4.i = getelementptr inbounds nuw i8, ptr %2, i64 256
  %6 = load i64, ptr %keyword_count4.i, align 8
  %cmp5.not.i = icmp eq i64 %5, %6
  br i1 %cmp5.not.i, label %if.end7.i, label %slow

if.end7.i:
  %tuple_items.i.i = getelementptr inbounds nuw i8, ptr %3, i64 288
  %7 = load i64, ptr %tuple_items.i.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr %names, i64 %7
  %cmp9.not.not25.i = icmp sgt i64 %5, 0
  br i1 %cmp9.not.not25.i, label %for.body.lr.ph.i, label %if.end

for.body.lr.ph.i:
  %keywords.i = getelementptr inbounds nuw i8, ptr %2, i64 248
  %8 = load ptr, ptr %keywords.i, align 8
  br label %for.body.i

for.cond.i:
  %inc.i = add nuw nsw i64 %k.026.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %5
  br i1 %exitcond.not.i, label %if.end, label %for.body.i

for.body.i:
  %k.026.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i, %for.cond.i ]
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %add.ptr.i.i, i64 %k.026.i
  %9 = load ptr, ptr %arrayidx.i, align 8
  %arrayidx10.i = getelementptr inbounds nuw ptr, ptr %8, i64 %k.026.i
  %10 = load ptr, ptr %arrayidx10.i, align 8
  %cmp11.not.i = icmp eq ptr %9, %10
  br i1 %cmp11.not.i, label %for.cond.i, label %slow

is_called_right.exit:
  %keyword_count.i = getelementptr inbounds nuw i8, ptr %2, i64 256
  %11 = load i64, ptr %keyword_count.i, align 8
  %cmp2.i = icmp eq i64 %11, 0
  br i1 %cmp2.i, label %if.end, label %slow

if.end:
  %guards.i = getelementptr inbounds nuw i8, ptr %2, i64 160
  %12 = load ptr, ptr %guards.i, align 8
  %guard_count.i = getelementptr inbounds nuw i8, ptr %2, i64 168
  %13 = load i64, ptr %guard_count.i, align 8
  %add.ptr.idx.i = shl nsw i64 %13, 5
  %add.ptr.i = getelementptr inbounds i8, ptr %12, i64 %add.ptr.idx.i
  %cmp.not152.i = icmp sgt i64 %13, 0
  br i1 %cmp.not152.i, label %for.body.lr.ph.i180, label %lor.lhs.false

for.body.lr.ph.i180:
  %PyDict_GetItemWithError42.i = getelementptr inbounds nuw i8, ptr %3, i64 160
  %PyObject_GetAttr.i.i = getelementptr inbounds nuw i8, ptr %3, i64 176
  %Py_DecRef.i106.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %PyObject_CallNoArgs.i.i = getelementptr inbounds nuw i8, ptr %3, i64 8
  br label %for.body.i181

for.body.i181:
  %guard.0153.i = phi ptr [ %12, %for.body.lr.ph.i180 ], [ %incdec.ptr.i, %for.inc.i ]
  %owner3.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 8
  %14 = load ptr, ptr %owner3.i, align 8
  %15 = load i64, ptr %guard.0153.i, align 8
  switch i64 %15, label %slow [
    i64 6, label %sw.bb.i
    i64 7, label %sw.bb7.i
    i64 0, label %sw.bb11.i
    i64 1, label %sw.epilog.i
    i64 8, label %sw.bb21.i
    i64 3, label %sw.bb26.i
    i64 2, label %sw.bb29.i
    i64 4, label %sw.bb35.i
    i64 5, label %sw.bb41.i
  ]

sw.bb.i:
  %version.i = getelementptr inbounds nuw i8, ptr %14, i64 24
  %16 = load i64, ptr %version.i, align 8
  %expected.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 24
  %17 = load i64, ptr %expected.i, align 8
  %cmp4.i = icmp eq i64 %16, %17
  br i1 %cmp4.i, label %if.then.i, label %if.else.i

if.then.i:
  %key.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 16
  %18 = load i64, ptr %key.i, align 8
  %add.ptr5.i = getelementptr inbounds { i64, ptr, i64, i64 }, ptr %guard.0153.i, i64 %18
  br label %for.inc.i

if.else.i:
  store i64 0, ptr %expected.i, align 8
  br label %for.inc.i

sw.bb7.i:
  %version8.i = getelementptr inbounds nuw i8, ptr %14, i64 24
  %19 = load i64, ptr %version8.i, align 8
  %key9.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 16
  %20 = load i64, ptr %key9.i, align 8
  %sub.i = sub i64 0, %20
  %arrayidx.i184 = getelementptr inbounds { i64, ptr, i64, i64 }, ptr %guard.0153.i, i64 %sub.i
  %expected10.i = getelementptr inbounds nuw i8, ptr %arrayidx.i184, i64 24
  store i64 %19, ptr %expected10.i, align 8
  br label %for.inc.i

sw.bb11.i:
  %21 = load ptr, ptr %PyDict_GetItemWithError42.i, align 8
  %key12.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 16
  %22 = load i64, ptr %key12.i, align 8
  %23 = inttoptr i64 %22 to ptr
  %call.i = tail call ptr %21(ptr %14, ptr %23)
  %expected13.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 24
  %24 = load i64, ptr %expected13.i, align 8
  %25 = inttoptr i64 %24 to ptr
  %cmp14.i = icmp eq ptr %call.i, %25
  br i1 %cmp14.i, label %for.inc.i, label %if.then49.i

sw.bb21.i:
  %key22.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 16
  %26 = load i64, ptr %key22.i, align 8
  %27 = inttoptr i64 %26 to ptr
  %28 = load i64, ptr %27, align 8
  %expected23.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 24
  %29 = load i64, ptr %expected23.i, align 8
  %cmp24.i = icmp eq i64 %28, %29
  br i1 %cmp24.i, label %for.inc.i, label %if.then49.i

sw.bb26.i:
  %call27.i = tail call fastcc zeroext i1 @is_same_tensor(ptr %3, ptr %guard.0153.i)
  br i1 %call27.i, label %for.inc.i, label %if.then49.i

sw.bb29.i:
  %expected30.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 24
  %30 = load i64, ptr %expected30.i, align 8
  %31 = load ptr, ptr %PyObject_CallNoArgs.i.i, align 8
  %call.i.i = tail call ptr %31(ptr %14)
  %tobool.not.i.i = icmp eq ptr %call.i.i, null
  br i1 %tobool.not.i.i, label %cleanup, label %ask.exit.i

ask.exit.i:
  %32 = inttoptr i64 %30 to ptr
  %33 = load ptr, ptr %Py_DecRef.i106.i, align 8
  tail call void %33(ptr %call.i.i)
  %cmp.i.not.i = icmp eq ptr %call.i.i, %32
  br i1 %cmp.i.not.i, label %for.inc.i, label %slow

sw.bb35.i:
  %key36.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 16
  %34 = load i64, ptr %key36.i, align 8
  %35 = inttoptr i64 %34 to ptr
  %expected37.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 24
  %36 = load i64, ptr %expected37.i, align 8
  %37 = load ptr, ptr %PyObject_GetAttr.i.i, align 8
  %call.i103.i = tail call ptr %37(ptr %14, ptr %35)
  %tobool.not.i104.i = icmp eq ptr %call.i103.i, null
  br i1 %tobool.not.i104.i, label %.thread.i, label %has_attribute.exit.i

.thread.i:
  %PyErr_Clear.i.i = getelementptr inbounds nuw i8, ptr %3, i64 112
  %38 = load ptr, ptr %PyErr_Clear.i.i, align 8
  tail call void %38()
  br label %slow

has_attribute.exit.i:
  %39 = inttoptr i64 %36 to ptr
  %40 = load ptr, ptr %Py_DecRef.i106.i, align 8
  tail call void %40(ptr %call.i103.i)
  %cmp.i107.i = icmp eq ptr %call.i103.i, %39
  %cond.fr.i = freeze i1 %cmp.i107.i
  br i1 %cond.fr.i, label %for.inc.i, label %slow

sw.bb41.i:
  %41 = load ptr, ptr %PyDict_GetItemWithError42.i, align 8
  %key43.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 16
  %42 = load i64, ptr %key43.i, align 8
  %43 = inttoptr i64 %42 to ptr
  %call44.i = tail call ptr %41(ptr %14, ptr %43)
  %expected45.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 24
  %44 = load i64, ptr %expected45.i, align 8
  %45 = inttoptr i64 %44 to ptr
  %cmp46.not.i = icmp eq ptr %call44.i, %45
  br i1 %cmp46.not.i, label %for.inc.i, label %slow

sw.epilog.i:
  %key16.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 16
  %46 = load i64, ptr %key16.i, align 8
  %add.ptr17.i = getelementptr inbounds i8, ptr %14, i64 %46
  %47 = load i64, ptr %add.ptr17.i, align 8
  %expected18.i = getelementptr inbounds nuw i8, ptr %guard.0153.i, i64 24
  %48 = load i64, ptr %expected18.i, align 8
  %cmp19.i = icmp eq i64 %47, %48
  br i1 %cmp19.i, label %for.inc.i, label %if.then49.i

if.then49.i:
  %doubt.i = getelementptr inbounds nuw i8, ptr %2, i64 224
  %49 = load ptr, ptr %doubt.i, align 8
  %tobool.not.i183 = icmp eq ptr %49, null
  br i1 %tobool.not.i183, label %slow, label %cond.true.i

cond.true.i:
  %True.i = getelementptr inbounds nuw i8, ptr %3, i64 280
  %50 = load ptr, ptr %True.i, align 8
  %51 = load ptr, ptr %PyObject_CallNoArgs.i.i, align 8
  %call.i110.i = tail call ptr %51(ptr %49)
  %tobool.not.i111.i = icmp eq ptr %call.i110.i, null
  br i1 %tobool.not.i111.i, label %cleanup, label %check_guards.exit

for.inc.i:
  %guard.2129.i = phi ptr [ %guard.0153.i, %has_attribute.exit.i ], [ %guard.0153.i, %sw.bb41.i ], [ %guard.0153.i, %sw.bb7.i ], [ %guard.0153.i, %sw.bb26.i ], [ %guard.0153.i, %sw.bb11.i ], [ %add.ptr5.i, %if.then.i ], [ %guard.0153.i, %sw.epilog.i ], [ %guard.0153.i, %if.else.i ], [ %guard.0153.i, %sw.bb21.i ], [ %guard.0153.i, %ask.exit.i ]
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %guard.2129.i, i64 32
  %cmp.not.i182 = icmp ult ptr %incdec.ptr.i, %add.ptr.i
  br i1 %cmp.not.i182, label %for.body.i181, label %lor.lhs.false

check_guards.exit:
  %52 = load ptr, ptr %Py_DecRef.i106.i, align 8
  tail call void %52(ptr %call.i110.i)
  %cmp.i114.i.not = icmp eq ptr %call.i110.i, %50
  br i1 %cmp.i114.i.not, label %lor.lhs.false, label %slow

lor.lhs.false:
  %dirty.i = getelementptr inbounds nuw i8, ptr %2, i64 32
  %53 = load i64, ptr %dirty.i, align 8
  %busy.i = getelementptr inbounds nuw i8, ptr %2, i64 40
  %54 = load ptr, ptr %busy.i, align 8
  %55 = load i64, ptr %54, align 8
  %or.i = or i64 %55, %53
  %writer.i = getelementptr inbounds nuw i8, ptr %2, i64 232
  %56 = load ptr, ptr %writer.i, align 8
  %57 = load i64, ptr %56, align 8
  %or1.i = or i64 %or.i, %57
  %cmp.i = icmp eq i64 %or1.i, 0
  br i1 %cmp.i, label %if.end8, label %slow

if.end8:
  %row_count = getelementptr inbounds nuw i8, ptr %2, i64 264
  %58 = load i64, ptr %row_count, align 8
  %result_count = getelementptr inbounds nuw i8, ptr %2, i64 144
  %59 = load i64, ptr %result_count, align 8
  %view_count = getelementptr inbounds nuw i8, ptr %2, i64 272
  %60 = load i64, ptr %view_count, align 8
  %mul = shl i64 %58, 3
  %61 = alloca i8, i64 %mul, align 16
  %62 = alloca i8, i64 %mul, align 16
  %63 = alloca i8, i64 %mul, align 16
  %input_count = getelementptr inbounds nuw i8, ptr %2, i64 128
  %64 = load i64, ptr %input_count, align 8
  %mul14 = shl i64 %64, 3
  %65 = alloca i8, i64 %mul14, align 16
  %cmp18463 = icmp sgt i64 %64, 0
  br i1 %cmp18463, label %for.body.lr.ph, label %for.cond23.preheader

for.body.lr.ph:
  %inputs19 = getelementptr inbounds nuw i8, ptr %2, i64 120
  %.pre = load ptr, ptr %inputs19, align 8
  br label %for.body

for.cond23.preheader:
  %66 = load i64, ptr %argument_count.i, align 8
  %keyword_count = getelementptr inbounds nuw i8, ptr %2, i64 256
  %67 = load i64, ptr %keyword_count, align 8
  %add = add i64 %67, %66
  %cmp24465 = icmp sgt i64 %add, 0
  br i1 %cmp24465, label %for.body26, label %for.cond.cleanup25

for.body:
  %k.0464 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds nuw ptr, ptr %.pre, i64 %k.0464
  %68 = load ptr, ptr %arrayidx, align 8
  %arrayidx21 = getelementptr inbounds nuw ptr, ptr %65, i64 %k.0464
  store ptr %68, ptr %arrayidx21, align 8
  %inc = add nuw nsw i64 %k.0464, 1
  %cmp18 = icmp slt i64 %inc, %64
  br i1 %cmp18, label %for.body, label %for.cond23.preheader

for.cond.cleanup25:
  %cmp.not171.i = icmp slt i64 %58, 1
  br i1 %cmp.not171.i, label %for.cond.cleanup39, label %for.body.lr.ph.i185

for.body.lr.ph.i185:
  %arguments.i = getelementptr inbounds nuw i8, ptr %2, i64 104
  %exchange.i = getelementptr inbounds nuw i8, ptr %2, i64 240
  %word.i.i = getelementptr inbounds nuw i8, ptr %tensor.i.i, i64 16
  %shape.i.i = getelementptr inbounds nuw i8, ptr %tensor.i.i, i64 24
  %strides.i.i = getelementptr inbounds nuw i8, ptr %tensor.i.i, i64 32
  %tuple_items.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 288
  %PyDict_Next.i.i = getelementptr inbounds nuw i8, ptr %3, i64 168
  %int_class.i.i = getelementptr inbounds nuw i8, ptr %3, i64 264
  %PyLong_AsLongLong.i.i = getelementptr inbounds nuw i8, ptr %3, i64 96
  %PyErr_Occurred.i.i = getelementptr inbounds nuw i8, ptr %3, i64 104
  %float_class.i.i = getelementptr inbounds nuw i8, ptr %3, i64 256
  %PyObject_GetAttr.i.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 176
  %Py_DecRef.i.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %size_slot.i.i.i = getelementptr inbounds nuw i8, ptr %2, i64 192
  %wrapper.i.i = getelementptr inbounds nuw i8, ptr %2, i64 56
  %data_offset.i.i = getelementptr inbounds nuw i8, ptr %2, i64 64
  %ndarray.i.i = getelementptr inbounds nuw i8, ptr %3, i64 240
  br label %for.body.i186

for.body.i186:
  %k.0172.i = phi i64 [ 0, %for.body.lr.ph.i185 ], [ %inc.i189, %for.inc.i188 ]
  %69 = load ptr, ptr %arguments.i, align 8
  %arrayidx.i187 = getelementptr inbounds nuw { i64, i64, ptr, i64, ptr, ptr }, ptr %69, i64 %k.0172.i
  %arrayidx2.i = getelementptr inbounds nuw ptr, ptr %61, i64 %k.0172.i
  %70 = load ptr, ptr %arrayidx2.i, align 8
  %arrayidx3.i = getelementptr inbounds nuw i64, ptr %63, i64 %k.0172.i
  %arrayidx4.i = getelementptr inbounds nuw ptr, ptr %62, i64 %k.0172.i
  store ptr null, ptr %arrayidx4.i, align 8
  %71 = load i64, ptr %arrayidx.i187, align 8
  switch i64 %71, label %slow [
    i64 0, label %sw.bb.i192
    i64 7, label %sw.bb8.i
    i64 8, label %sw.bb15.i
    i64 1, label %sw.bb22.i
    i64 2, label %sw.bb28.i
    i64 3, label %sw.bb34.i
    i64 4, label %sw.bb38.i
    i64 5, label %sw.bb38.i
    i64 6, label %sw.bb38.i
  ]

sw.bb.i192:
  %72 = load ptr, ptr %wrapper.i.i, align 8
  %tobool.not.i.i193 = icmp eq ptr %72, null
  br i1 %tobool.not.i.i193, label %if.end7.i.i, label %if.then.i.i

if.then.i.i:
  %type.i.i = getelementptr inbounds nuw i8, ptr %70, i64 8
  %73 = load ptr, ptr %type.i.i, align 8
  %cmp.not.i.i = icmp eq ptr %73, %72
  br i1 %cmp.not.i.i, label %if.end.i.i, label %slow

if.end.i.i:
  %74 = load i64, ptr %data_offset.i.i, align 8
  %add.ptr.i.i194 = getelementptr inbounds i8, ptr %70, i64 %74
  %75 = load ptr, ptr %add.ptr.i.i194, align 8
  %tobool4.not.i.i = icmp eq ptr %75, null
  br i1 %tobool4.not.i.i, label %slow, label %if.end7.i.i

if.end7.i.i:
  %given.addr.0.i.i = phi ptr [ %75, %if.end.i.i ], [ %70, %sw.bb.i192 ]
  %type8.i.i = getelementptr inbounds nuw i8, ptr %given.addr.0.i.i, i64 8
  %76 = load ptr, ptr %type8.i.i, align 8
  %77 = load ptr, ptr %ndarray.i.i, align 8
  %cmp9.not.i.i = icmp eq ptr %76, %77
  br i1 %cmp9.not.i.i, label %if.end11.i.i, label %slow

if.end11.i.i:
  %ndim.i.i = getelementptr inbounds nuw i8, ptr %given.addr.0.i.i, i64 24
  %78 = load i32, ptr %ndim.i.i, align 8
  %conv.i.i = zext i32 %78 to i64
  %descr.i.i = getelementptr inbounds nuw i8, ptr %given.addr.0.i.i, i64 56
  %79 = load ptr, ptr %descr.i.i, align 8
  %object.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 16
  %80 = load ptr, ptr %object.i.i, align 8
  %cmp12.not.i.i = icmp eq ptr %79, %80
  br i1 %cmp12.not.i.i, label %lor.lhs.false.i.i, label %slow

lor.lhs.false.i.i:
  %flags.i.i = getelementptr inbounds nuw i8, ptr %given.addr.0.i.i, i64 64
  %81 = load i32, ptr %flags.i.i, align 8
  %and.i.i = and i32 %81, 257
  %cmp14.not.i.i = icmp eq i32 %and.i.i, 257
  br i1 %cmp14.not.i.i, label %lor.lhs.false16.i.i, label %slow

lor.lhs.false16.i.i:
  %ndim17.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 24
  %82 = load i64, ptr %ndim17.i.i, align 8
  %cmp18.not.i.i = icmp eq i64 %82, %conv.i.i
  br i1 %cmp18.not.i.i, label %if.end21.i.i, label %slow

if.end21.i.i:
  %dims.i.i = getelementptr inbounds nuw i8, ptr %given.addr.0.i.i, i64 32
  %83 = load ptr, ptr %dims.i.i, align 8
  %cmp32.i.i = icmp eq i32 %78, 0
  br i1 %cmp32.i.i, label %checked_array.exit.i, label %for.body.lr.ph.i129.i

for.body.lr.ph.i129.i:
  %dims1.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 32
  br label %for.body.i130.i

for.body.i130.i:
  %k.033.i.i = phi i64 [ 0, %for.body.lr.ph.i129.i ], [ %inc.i136.i, %for.inc.i135.i ]
  %arrayidx.i131.i = getelementptr inbounds nuw i64, ptr %83, i64 %k.033.i.i
  %84 = load i64, ptr %arrayidx.i131.i, align 8
  %85 = load ptr, ptr %dims1.i.i, align 8
  %arrayidx2.i.i = getelementptr inbounds nuw i64, ptr %85, i64 %k.033.i.i
  %86 = load i64, ptr %arrayidx2.i.i, align 8
  %cmp3.i132.i = icmp eq i64 %84, %86
  br i1 %cmp3.i132.i, label %for.inc.i135.i, label %if.end.i133.i

if.end.i133.i:
  %cmp4.i.i = icmp sgt i64 %86, -1
  br i1 %cmp4.i.i, label %slow, label %if.end6.i134.i

if.end6.i134.i:
  %not.i.i = xor i64 %86, -1
  %87 = load i64, ptr %size_slot.i.i.i, align 8
  %shr.i.i = lshr i64 %not.i.i, 1
  %88 = getelementptr ptr, ptr %65, i64 %87
  %89 = getelementptr ptr, ptr %88, i64 %shr.i.i
  %arrayidx8.i.i = getelementptr i8, ptr %89, i64 8
  %90 = and i64 %86, 1
  %tobool.not.not.i.i = icmp eq i64 %90, 0
  br i1 %tobool.not.not.i.i, label %if.else.i.i, label %if.then9.i.i

if.then9.i.i:
  store i64 %84, ptr %arrayidx8.i.i, align 8
  br label %for.inc.i135.i

if.else.i.i:
  %91 = load i64, ptr %arrayidx8.i.i, align 8
  %cmp10.not.i138.i = icmp eq i64 %91, %84
  br i1 %cmp10.not.i138.i, label %for.inc.i135.i, label %slow

for.inc.i135.i:
  %inc.i136.i = add nuw nsw i64 %k.033.i.i, 1
  %exitcond.not.i137.i = icmp eq i64 %inc.i136.i, %conv.i.i
  br i1 %exitcond.not.i137.i, label %checked_array.exit.i, label %for.body.i130.i

checked_array.exit.i:
  %tobool.not.not.i = icmp eq ptr %given.addr.0.i.i, null
  br i1 %tobool.not.not.i, label %slow, label %cleanup.i

cleanup.i:
  store ptr %given.addr.0.i.i, ptr %arrayidx4.i, align 8
  %data.i = getelementptr inbounds nuw i8, ptr %given.addr.0.i.i, i64 16
  %92 = load ptr, ptr %data.i, align 8
  br label %sw.epilog.i190

sw.bb8.i:
  %93 = load ptr, ptr %exchange.i, align 8
  %type.i97.i = getelementptr inbounds nuw i8, ptr %70, i64 8
  %94 = load ptr, ptr %type.i97.i, align 8
  %95 = load ptr, ptr %93, align 8
  %cmp.not.i98.i = icmp eq ptr %94, %95
  br i1 %cmp.not.i98.i, label %if.end.i100.i, label %land.lhs.true.i.i

land.lhs.true.i.i:
  %parameter.i.i = getelementptr inbounds nuw i8, ptr %93, i64 8
  %96 = load ptr, ptr %parameter.i.i, align 8
  %cmp3.not.i.i = icmp eq ptr %94, %96
  br i1 %cmp3.not.i.i, label %if.end.i100.i, label %checked_tensor.exit.thread.i

if.end.i100.i:
  %flag.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 40
  %97 = load ptr, ptr %flag.i.i.i, align 8
  %tobool.not.i.i.i = icmp eq ptr %97, null
  br i1 %tobool.not.i.i.i, label %lor.lhs.false.i101.i, label %lor.rhs.i.i.i

lor.rhs.i.i.i:
  %flag1.i.i.i = getelementptr inbounds nuw i8, ptr %93, i64 64
  %98 = load ptr, ptr %flag1.i.i.i, align 8
  %99 = load ptr, ptr %PyObject_GetAttr.i.i.i.i, align 8
  %call.i.i.i.i = call ptr %99(ptr %70, ptr %98)
  %tobool.not.i.i.i.i = icmp eq ptr %call.i.i.i.i, null
  br i1 %tobool.not.i.i.i.i, label %has_right_flag.exit.thread55.i.i, label %has_right_flag.exit.i.i

has_right_flag.exit.thread55.i.i:
  %PyErr_Clear.i.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 112
  %100 = load ptr, ptr %PyErr_Clear.i.i.i.i, align 8
  call void %100()
  br label %checked_tensor.exit.thread.i

has_right_flag.exit.i.i:
  %101 = load ptr, ptr %Py_DecRef.i.i.i.i, align 8
  call void %101(ptr %call.i.i.i.i)
  %cmp.i.i.i.i = icmp eq ptr %call.i.i.i.i, %97
  br i1 %cmp.i.i.i.i, label %lor.lhs.false.i101.i, label %checked_tensor.exit.thread.i

lor.lhs.false.i101.i:
  %call5.i.i = call fastcc zeroext i1 @look(ptr %3, ptr %93, ptr %70, ptr %tensor.i.i)
  br i1 %call5.i.i, label %if.end7.i103.i, label %checked_tensor.exit.thread.i

if.end7.i103.i:
  %102 = load i64, ptr %word.i.i, align 8
  %object.i104.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 16
  %103 = load ptr, ptr %object.i104.i, align 8
  %104 = ptrtoint ptr %103 to i64
  %cmp8.not.i.i = icmp eq i64 %102, %104
  br i1 %cmp8.not.i.i, label %lor.lhs.false9.i.i, label %checked_tensor.exit.thread.i

lor.lhs.false9.i.i:
  %105 = load ptr, ptr %tensor.i.i, align 8
  %shr.i.i.i = lshr i64 %102, 43
  %and.i.i.i = and i64 %shr.i.i.i, 31
  %tobool.not.i51.i.i = icmp ne ptr %105, null
  %106 = ptrtoint ptr %105 to i64
  %sub.i.i.i = add nsw i64 %and.i.i.i, -1
  %and.i52.i.i = and i64 %sub.i.i.i, %106
  %cmp.i.i.i = icmp eq i64 %and.i52.i.i, 0
  %107 = and i1 %tobool.not.i51.i.i, %cmp.i.i.i
  br i1 %107, label %if.end14.i.i, label %checked_tensor.exit.thread.i

if.end14.i.i:
  %and.i53.i.i = and i64 %102, 4294967295
  %108 = load ptr, ptr %shape.i.i, align 8
  %cmp32.i.i.i = icmp eq i64 %and.i53.i.i, 0
  br i1 %cmp32.i.i.i, label %if.end12.i, label %for.body.lr.ph.i.i.i

for.body.lr.ph.i.i.i:
  %dims1.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 32
  br label %for.body.i.i.i

for.body.i.i.i:
  %k.033.i.i.i = phi i64 [ 0, %for.body.lr.ph.i.i.i ], [ %inc.i.i.i, %for.inc.i.i.i ]
  %arrayidx.i.i.i = getelementptr inbounds nuw i64, ptr %108, i64 %k.033.i.i.i
  %109 = load i64, ptr %arrayidx.i.i.i, align 8
  %110 = load ptr, ptr %dims1.i.i.i, align 8
  %arrayidx2.i.i.i = getelementptr inbounds nuw i64, ptr %110, i64 %k.033.i.i.i
  %111 = load i64, ptr %arrayidx2.i.i.i, align 8
  %cmp3.i.i.i = icmp eq i64 %109, %111
  br i1 %cmp3.i.i.i, label %for.inc.i.i.i, label %if.end.i.i.i

if.end.i.i.i:
  %cmp4.i.i.i = icmp sgt i64 %111, -1
  br i1 %cmp4.i.i.i, label %checked_tensor.exit.thread.i, label %if.end6.i.i.i

if.end6.i.i.i:
  %not.i.i.i = xor i64 %111, -1
  %112 = load i64, ptr %size_slot.i.i.i, align 8
  %shr.i54.i.i = lshr i64 %not.i.i.i, 1
  %113 = getelementptr ptr, ptr %65, i64 %112
  %114 = getelementptr ptr, ptr %113, i64 %shr.i54.i.i
  %arrayidx8.i.i.i = getelementptr i8, ptr %114, i64 8
  %115 = and i64 %111, 1
  %tobool.not.not.i.i.i = icmp eq i64 %115, 0
  br i1 %tobool.not.not.i.i.i, label %if.else.i.i.i, label %if.then9.i.i.i

if.then9.i.i.i:
  store i64 %109, ptr %arrayidx8.i.i.i, align 8
  br label %for.inc.i.i.i

if.else.i.i.i:
  %116 = load i64, ptr %arrayidx8.i.i.i, align 8
  %cmp10.not.i.i.i = icmp eq i64 %116, %109
  br i1 %cmp10.not.i.i.i, label %for.inc.i.i.i, label %checked_tensor.exit.thread.i

for.inc.i.i.i:
  %inc.i.i.i = add nuw nsw i64 %k.033.i.i.i, 1
  %exitcond.not.i.i.i = icmp eq i64 %inc.i.i.i, %and.i53.i.i
  br i1 %exitcond.not.i.i.i, label %for.body.lr.ph.i.i, label %for.body.i.i.i

for.body.lr.ph.i.i:
  %117 = load ptr, ptr %strides.i.i, align 8
  br label %for.body.i.i

for.body.i.i:
  %dec60.in.i.i = phi i64 [ %and.i53.i.i, %for.body.lr.ph.i.i ], [ %dec60.i.i, %for.inc.i.i ]
  %dense.059.i.i = phi i64 [ 1, %for.body.lr.ph.i.i ], [ %mul.i.i, %for.inc.i.i ]
  %dec60.i.i = add nsw i64 %dec60.in.i.i, -1
  %arrayidx.i.i = getelementptr inbounds i64, ptr %108, i64 %dec60.i.i
  %118 = load i64, ptr %arrayidx.i.i, align 8
  %cmp22.not.i.i = icmp eq i64 %118, 1
  br i1 %cmp22.not.i.i, label %for.inc.i.i, label %land.lhs.true23.i.i

land.lhs.true23.i.i:
  %arrayidx24.i.i = getelementptr inbounds i64, ptr %117, i64 %dec60.i.i
  %119 = load i64, ptr %arrayidx24.i.i, align 8
  %cmp25.not.i.i = icmp eq i64 %119, %dense.059.i.i
  br i1 %cmp25.not.i.i, label %for.inc.i.i, label %checked_tensor.exit.thread.i

for.inc.i.i:
  %mul.i.i = mul i64 %118, %dense.059.i.i
  %cmp20.i.i = icmp slt i64 %dec60.in.i.i, 2
  br i1 %cmp20.i.i, label %if.end12.i, label %for.body.i.i

checked_tensor.exit.thread.i:
  br label %slow

if.end12.i:
  store ptr %70, ptr %arrayidx4.i, align 8
  br label %sw.epilog.i190

sw.bb15.i:
  %type.i = getelementptr inbounds nuw i8, ptr %70, i64 8
  %120 = load ptr, ptr %type.i, align 8
  %121 = load ptr, ptr %exchange.i, align 8
  %122 = load ptr, ptr %121, align 8
  %cmp17.not.i = icmp eq ptr %120, %122
  br i1 %cmp17.not.i, label %if.end19.i, label %slow

if.end19.i:
  store ptr %70, ptr %arrayidx4.i, align 8
  br label %for.inc.i188

sw.bb22.i:
  %type.i105.i = getelementptr inbounds nuw i8, ptr %70, i64 8
  %123 = load ptr, ptr %type.i105.i, align 8
  %124 = load ptr, ptr %float_class.i.i, align 8
  %cmp.not.i107.i = icmp eq ptr %123, %124
  br i1 %cmp.not.i107.i, label %take_float.exit.thread.i, label %slow

take_float.exit.thread.i:
  %value1.i.i = getelementptr inbounds nuw i8, ptr %70, i64 16
  %125 = load double, ptr %value1.i.i, align 8
  %object.i109.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 16
  %126 = load ptr, ptr %object.i109.i, align 8
  %cmp2.i.i = icmp eq ptr %126, inttoptr (i64 4 to ptr)
  %conv.i110.i = fptrunc double %125 to float
  %127 = bitcast float %conv.i110.i to i32
  %conv4.i.i = zext i32 %127 to i64
  %128 = bitcast i64 %conv4.i.i to double
  %storemerge.i.i = select i1 %cmp2.i.i, double %128, double %125
  store double %storemerge.i.i, ptr %arrayidx3.i, align 8
  br label %sw.epilog.i190

sw.bb28.i:
  %type.i111.i = getelementptr inbounds nuw i8, ptr %70, i64 8
  %129 = load ptr, ptr %type.i111.i, align 8
  %130 = load ptr, ptr %int_class.i.i, align 8
  %cmp.not.i112.i = icmp eq ptr %129, %130
  br i1 %cmp.not.i112.i, label %if.end.i113.i, label %slow

if.end.i113.i:
  %131 = load ptr, ptr %PyLong_AsLongLong.i.i, align 8
  %call2.i.i = call i64 %131(ptr %70)
  store i64 %call2.i.i, ptr %arrayidx3.i, align 8
  %cmp3.i.i = icmp eq i64 %call2.i.i, -1
  br i1 %cmp3.i.i, label %land.lhs.true.i114.i, label %take_int.exit.i

land.lhs.true.i114.i:
  %132 = load ptr, ptr %PyErr_Occurred.i.i, align 8
  %call4.i.i = call ptr %132()
  %tobool.not.i115.i = icmp eq ptr %call4.i.i, null
  br i1 %tobool.not.i115.i, label %sw.epilog.i190, label %if.then5.i.i

if.then5.i.i:
  %PyErr_Clear.i.i191 = getelementptr inbounds nuw i8, ptr %3, i64 112
  %133 = load ptr, ptr %PyErr_Clear.i.i191, align 8
  call void %133()
  br label %slow

take_int.exit.i:
  %134 = add i64 %call2.i.i, 9007199254740992
  %135 = icmp ult i64 %134, 18014398509481985
  br i1 %135, label %sw.epilog.i190, label %slow

sw.bb34.i:
  %object.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 16
  %136 = load ptr, ptr %object.i, align 8
  %cmp35.not.i = icmp eq ptr %70, %136
  br i1 %cmp35.not.i, label %for.inc.i188, label %slow

sw.bb38.i:
  %type.i116.i = getelementptr inbounds nuw i8, ptr %70, i64 8
  %137 = load ptr, ptr %type.i116.i, align 8
  %object.i117.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 16
  %138 = load ptr, ptr %object.i117.i, align 8
  %cmp.not.i118.i = icmp eq ptr %137, %138
  br i1 %cmp.not.i118.i, label %if.end.i119.i, label %slow

if.end.i119.i:
  %ndim.i120.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 24
  %139 = load i64, ptr %ndim.i120.i, align 8
  %slot.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 8
  %140 = load i64, ptr %slot.i.i, align 8
  %arrayidx.i121.i = getelementptr inbounds ptr, ptr %61, i64 %140
  %cmp2.i122.i = icmp eq i64 %71, 6
  %used.i.i = getelementptr inbounds nuw i8, ptr %70, i64 16
  %141 = load i64, ptr %used.i.i, align 8
  %cmp4.not.i.i = icmp eq i64 %141, %139
  br i1 %cmp2.i122.i, label %if.then3.i.i, label %if.end17.i.i

if.then3.i.i:
  br i1 %cmp4.not.i.i, label %if.end6.i124.i, label %slow

if.end6.i124.i:
  store i64 0, ptr %place.i.i, align 8
  store ptr null, ptr %key.i.i, align 8
  store ptr null, ptr %value.i.i, align 8
  %cmp7.not67.i.i = icmp slt i64 %139, 1
  br i1 %cmp7.not67.i.i, label %take_apart.exit.thread155.i, label %for.body.lr.ph.i126.i

for.body.lr.ph.i126.i:
  %dims.i127.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 32
  br label %for.body.i128.i

for.body.i128.i:
  %k.068.i.i = phi i64 [ 0, %for.body.lr.ph.i126.i ], [ %inc.i.i, %if.end12.i.i ]
  %142 = load ptr, ptr %PyDict_Next.i.i, align 8
  %call8.i.i = call i32 %142(ptr %70, ptr %place.i.i, ptr %key.i.i, ptr %value.i.i)
  %143 = load ptr, ptr %key.i.i, align 8
  %144 = load ptr, ptr %dims.i127.i, align 8
  %arrayidx9.i.i = getelementptr inbounds nuw i64, ptr %144, i64 %k.068.i.i
  %145 = load i64, ptr %arrayidx9.i.i, align 8
  %146 = inttoptr i64 %145 to ptr
  %cmp10.not.i.i = icmp eq ptr %143, %146
  br i1 %cmp10.not.i.i, label %if.end12.i.i, label %take_apart.exit.i

if.end12.i.i:
  %147 = load ptr, ptr %value.i.i, align 8
  %arrayidx13.i.i = getelementptr inbounds nuw ptr, ptr %arrayidx.i121.i, i64 %k.068.i.i
  store ptr %147, ptr %arrayidx13.i.i, align 8
  %inc.i.i = add nuw nsw i64 %k.068.i.i, 1
  %exitcond71.not.i.i = icmp eq i64 %inc.i.i, %139
  br i1 %exitcond71.not.i.i, label %take_apart.exit.thread155.i, label %for.body.i128.i

if.end17.i.i:
  br i1 %cmp4.not.i.i, label %if.end20.i.i, label %slow

if.end20.i.i:
  %cmp22.i.i = icmp eq i64 %71, 5
  br i1 %cmp22.i.i, label %cond.true.i.i, label %cond.false.i.i

cond.true.i.i:
  %items23.i.i = getelementptr inbounds nuw i8, ptr %70, i64 24
  %148 = load ptr, ptr %items23.i.i, align 8
  br label %cond.end.i.i

cond.false.i.i:
  %149 = load i64, ptr %tuple_items.i.i.i, align 8
  %add.ptr.i.i.i = getelementptr inbounds i8, ptr %70, i64 %149
  br label %cond.end.i.i

cond.end.i.i:
  %cond.i123.i = phi ptr [ %148, %cond.true.i.i ], [ %add.ptr.i.i.i, %cond.false.i.i ]
  %cmp2865.i.i = icmp sgt i64 %139, 0
  br i1 %cmp2865.i.i, label %for.body30.i.i, label %for.inc.i188

for.body30.i.i:
  %k26.066.i.i = phi i64 [ %inc34.i.i, %for.body30.i.i ], [ 0, %cond.end.i.i ]
  %arrayidx31.i.i = getelementptr inbounds nuw ptr, ptr %cond.i123.i, i64 %k26.066.i.i
  %150 = load ptr, ptr %arrayidx31.i.i, align 8
  %arrayidx32.i.i = getelementptr inbounds nuw ptr, ptr %arrayidx.i121.i, i64 %k26.066.i.i
  store ptr %150, ptr %arrayidx32.i.i, align 8
  %inc34.i.i = add nuw nsw i64 %k26.066.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc34.i.i, %139
  br i1 %exitcond.not.i.i, label %for.inc.i188, label %for.body30.i.i

take_apart.exit.thread155.i:
  br label %for.inc.i188

take_apart.exit.i:
  br label %slow

sw.epilog.i190:
  %input.1.i = phi ptr [ %92, %cleanup.i ], [ %105, %if.end12.i ], [ %arrayidx3.i, %take_float.exit.thread.i ], [ %arrayidx3.i, %take_int.exit.i ], [ %arrayidx3.i, %land.lhs.true.i114.i ]
  %slot.i = getelementptr inbounds nuw i8, ptr %arrayidx.i187, i64 8
  %151 = load i64, ptr %slot.i, align 8
  %arrayidx42.i = getelementptr inbounds ptr, ptr %65, i64 %151
  store ptr %input.1.i, ptr %arrayidx42.i, align 8
  br label %for.inc.i188

for.inc.i188:
  %inc.i189 = add nuw nsw i64 %k.0172.i, 1
  %152 = load i64, ptr %row_count, align 8
  %cmp.not.not.i = icmp slt i64 %inc.i189, %152
  br i1 %cmp.not.not.i, label %for.body.i186, label %for.body40.lr.ph

for.body40.lr.ph:
  %Py_IncRef = getelementptr inbounds nuw i8, ptr %3, i64 40
  br label %for.body40

for.body26:
  %k22.0466 = phi i64 [ %inc31, %for.body26 ], [ 0, %for.cond23.preheader ]
  %arrayidx27 = getelementptr inbounds nuw ptr, ptr %arguments, i64 %k22.0466
  %153 = load ptr, ptr %arrayidx27, align 8
  %arrayidx29 = getelementptr inbounds nuw ptr, ptr %61, i64 %k22.0466
  store ptr %153, ptr %arrayidx29, align 8
  %inc31 = add nuw nsw i64 %k22.0466, 1
  %exitcond.not = icmp eq i64 %inc31, %add
  br i1 %exitcond.not, label %for.cond.cleanup25, label %for.body26

for.cond.cleanup39:
  %mul46 = mul i64 %60, 80
  %154 = alloca i8, i64 %mul46, align 16
  %cmp50469 = icmp sgt i64 %60, 0
  br i1 %cmp50469, label %for.body52, label %for.cond.cleanup51

for.body40:
  %k36.0468 = phi i64 [ 0, %for.body40.lr.ph ], [ %inc44, %for.body40 ]
  %155 = load ptr, ptr %Py_IncRef, align 8
  %arrayidx42 = getelementptr inbounds nuw ptr, ptr %62, i64 %k36.0468
  %156 = load ptr, ptr %arrayidx42, align 8
  call void %155(ptr %156)
  %inc44 = add nuw nsw i64 %k36.0468, 1
  %exitcond488.not = icmp eq i64 %inc44, %58
  br i1 %exitcond488.not, label %for.cond.cleanup39, label %for.body40

for.cond.cleanup51:
  %tobool.not = icmp eq i64 %60, 0
  br i1 %tobool.not, label %land.lhs.true, label %lor.rhs

for.body52:
  %k48.0470 = phi i64 [ %inc56, %for.body52 ], [ 0, %for.cond.cleanup39 ]
  %arrayidx54 = getelementptr inbounds nuw { ptr, ptr, i64, i64, i32, i32, ptr, ptr, ptr, ptr, ptr }, ptr %154, i64 %k48.0470
  %owner = getelementptr inbounds nuw i8, ptr %arrayidx54, i64 8
  store ptr null, ptr %owner, align 8
  %inc56 = add nuw nsw i64 %k48.0470, 1
  %exitcond489.not = icmp eq i64 %inc56, %60
  br i1 %exitcond489.not, label %lor.rhs, label %for.body52

lor.rhs:
  %157 = load i64, ptr %view_count, align 8
  %cmp.not79.i = icmp slt i64 %157, 1
  br i1 %cmp.not79.i, label %lor.end, label %for.body.lr.ph.i195

for.body.lr.ph.i195:
  %arguments.i196 = getelementptr inbounds nuw i8, ptr %2, i64 104
  %PyObject_GetBuffer.i = getelementptr inbounds nuw i8, ptr %3, i64 192
  %exchange.i.i206 = getelementptr inbounds nuw i8, ptr %2, i64 240
  %PyObject_GetAttr.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 176
  %Py_DecRef.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %size_slot.i.i227 = getelementptr inbounds nuw i8, ptr %2, i64 192
  br label %for.body.i198

for.body.i198:
  %158 = phi i64 [ %157, %for.body.lr.ph.i195 ], [ %188, %for.inc.i200 ]
  %k.080.i = phi i64 [ 0, %for.body.lr.ph.i195 ], [ %inc.i201, %for.inc.i200 ]
  %159 = load ptr, ptr %arguments.i196, align 8
  %arrayidx.i199 = getelementptr inbounds nuw { i64, i64, ptr, i64, ptr, ptr }, ptr %159, i64 %k.080.i
  %160 = load i64, ptr %arrayidx.i199, align 8
  %cmp3.not.i = icmp eq i64 %160, 8
  br i1 %cmp3.not.i, label %if.end.i203, label %for.inc.i200

if.end.i203:
  %arrayidx4.i204 = getelementptr inbounds nuw { ptr, ptr, i64, i64, i32, i32, ptr, ptr, ptr, ptr, ptr }, ptr %154, i64 %k.080.i
  %flag.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i199, i64 40
  %161 = load ptr, ptr %flag.i.i, align 8
  %tobool.not.i.i205 = icmp eq ptr %161, null
  %arrayidx10.i209.phi.trans.insert = getelementptr inbounds nuw ptr, ptr %62, i64 %k.080.i
  %.pre491 = load ptr, ptr %arrayidx10.i209.phi.trans.insert, align 8
  br i1 %tobool.not.i.i205, label %if.end8.i, label %lor.rhs.i.i

lor.rhs.i.i:
  %162 = load ptr, ptr %exchange.i.i206, align 8
  %flag1.i.i = getelementptr inbounds nuw i8, ptr %162, i64 64
  %163 = load ptr, ptr %flag1.i.i, align 8
  %164 = load ptr, ptr %PyObject_GetAttr.i.i.i, align 8
  %call.i.i.i = call ptr %164(ptr %.pre491, ptr %163)
  %tobool.not.i.i.i207 = icmp eq ptr %call.i.i.i, null
  br i1 %tobool.not.i.i.i207, label %cleanup36.sink.split.i, label %has_right_flag.exit.i

has_right_flag.exit.i:
  %165 = load ptr, ptr %Py_DecRef.i.i.i, align 8
  call void %165(ptr %call.i.i.i)
  %cmp.i.i.i208 = icmp eq ptr %call.i.i.i, %161
  br i1 %cmp.i.i.i208, label %if.end8.i, label %if.then77

if.end8.i:
  %166 = load ptr, ptr %PyObject_GetBuffer.i, align 8
  %call11.i = call i32 %166(ptr %.pre491, ptr %arrayidx4.i204, i32 60)
  %tobool.not.i210 = icmp eq i32 %call11.i, 0
  br i1 %tobool.not.i210, label %if.end13.i, label %cleanup36.sink.split.i

if.end13.i:
  %format.i = getelementptr inbounds nuw i8, ptr %arrayidx4.i204, i64 40
  %167 = load ptr, ptr %format.i, align 8
  %tobool14.not.i = icmp eq ptr %167, null
  br i1 %tobool14.not.i, label %if.then77, label %land.rhs.i.i

land.rhs.i.i:
  %indvars.iv.i.i = phi i64 [ %indvars.iv.next.i.i, %for.body.i.i212 ], [ 0, %if.end13.i ]
  %word.010.i.i = phi i64 [ %or.i.i, %for.body.i.i212 ], [ 0, %if.end13.i ]
  %arrayidx.i.i211 = getelementptr inbounds nuw i8, ptr %167, i64 %indvars.iv.i.i
  %168 = load i8, ptr %arrayidx.i.i211, align 1
  %tobool.not.i66.i = icmp eq i8 %168, 0
  br i1 %tobool.not.i66.i, label %format_word.exit.i, label %for.body.i.i212

for.body.i.i212:
  %conv3.i.i = zext i8 %168 to i64
  %169 = shl nuw nsw i64 %indvars.iv.i.i, 3
  %shl.i.i = shl nuw i64 %conv3.i.i, %169
  %or.i.i = or i64 %shl.i.i, %word.010.i.i
  %indvars.iv.next.i.i = add nuw nsw i64 %indvars.iv.i.i, 1
  %exitcond.not.i.i213 = icmp eq i64 %indvars.iv.next.i.i, 8
  br i1 %exitcond.not.i.i213, label %format_word.exit.i, label %land.rhs.i.i

format_word.exit.i:
  %word.0.lcssa.i.i = phi i64 [ %or.i.i, %for.body.i.i212 ], [ %word.010.i.i, %land.rhs.i.i ]
  %object.i214 = getelementptr inbounds nuw i8, ptr %arrayidx.i199, i64 16
  %170 = load ptr, ptr %object.i214, align 8
  %171 = ptrtoint ptr %170 to i64
  %cmp17.not.i215 = icmp eq i64 %word.0.lcssa.i.i, %171
  br i1 %cmp17.not.i215, label %if.end19.i216, label %if.then77

if.end19.i216:
  %ndim.i = getelementptr inbounds nuw i8, ptr %arrayidx4.i204, i64 36
  %172 = load i32, ptr %ndim.i, align 4
  %conv.i = zext i32 %172 to i64
  %ndim20.i = getelementptr inbounds nuw i8, ptr %arrayidx.i199, i64 24
  %173 = load i64, ptr %ndim20.i, align 8
  %cmp21.not.i = icmp eq i64 %173, %conv.i
  br i1 %cmp21.not.i, label %lor.lhs.false23.i, label %if.then77

lor.lhs.false23.i:
  %174 = load ptr, ptr %arrayidx4.i204, align 16
  %itemsize.i = getelementptr inbounds nuw i8, ptr %arrayidx4.i204, i64 24
  %175 = load i64, ptr %itemsize.i, align 8
  %tobool.not.i67.i = icmp ne ptr %174, null
  %176 = ptrtoint ptr %174 to i64
  %sub.i.i = add i64 %175, -1
  %and.i.i217 = and i64 %sub.i.i, %176
  %cmp.i.i = icmp eq i64 %and.i.i217, 0
  %177 = and i1 %tobool.not.i67.i, %cmp.i.i
  br i1 %177, label %if.end26.i, label %if.then77

if.end26.i:
  %shape.i = getelementptr inbounds nuw i8, ptr %arrayidx4.i204, i64 48
  %178 = load ptr, ptr %shape.i, align 16
  %cmp32.i.i218 = icmp eq i32 %172, 0
  br i1 %cmp32.i.i218, label %if.end30.i, label %for.body.lr.ph.i.i219

for.body.lr.ph.i.i219:
  %dims1.i.i220 = getelementptr inbounds nuw i8, ptr %arrayidx.i199, i64 32
  br label %for.body.i68.i

for.body.i68.i:
  %k.033.i.i221 = phi i64 [ 0, %for.body.lr.ph.i.i219 ], [ %inc.i.i233, %for.inc.i.i232 ]
  %arrayidx.i69.i = getelementptr inbounds nuw i64, ptr %178, i64 %k.033.i.i221
  %179 = load i64, ptr %arrayidx.i69.i, align 8
  %180 = load ptr, ptr %dims1.i.i220, align 8
  %arrayidx2.i.i222 = getelementptr inbounds nuw i64, ptr %180, i64 %k.033.i.i221
  %181 = load i64, ptr %arrayidx2.i.i222, align 8
  %cmp3.i.i223 = icmp eq i64 %179, %181
  br i1 %cmp3.i.i223, label %for.inc.i.i232, label %if.end.i.i224

if.end.i.i224:
  %cmp4.i.i225 = icmp sgt i64 %181, -1
  br i1 %cmp4.i.i225, label %if.then77, label %if.end6.i.i

if.end6.i.i:
  %not.i.i226 = xor i64 %181, -1
  %182 = load i64, ptr %size_slot.i.i227, align 8
  %shr.i.i228 = lshr i64 %not.i.i226, 1
  %183 = getelementptr ptr, ptr %65, i64 %182
  %184 = getelementptr ptr, ptr %183, i64 %shr.i.i228
  %arrayidx8.i.i229 = getelementptr i8, ptr %184, i64 8
  %185 = and i64 %181, 1
  %tobool.not.not.i.i230 = icmp eq i64 %185, 0
  br i1 %tobool.not.not.i.i230, label %if.else.i.i236, label %if.then9.i.i231

if.then9.i.i231:
  store i64 %179, ptr %arrayidx8.i.i229, align 8
  br label %for.inc.i.i232

if.else.i.i236:
  %186 = load i64, ptr %arrayidx8.i.i229, align 8
  %cmp10.not.i.i237 = icmp eq i64 %186, %179
  br i1 %cmp10.not.i.i237, label %for.inc.i.i232, label %if.then77

for.inc.i.i232:
  %inc.i.i233 = add nuw nsw i64 %k.033.i.i221, 1
  %exitcond.not.i70.i = icmp eq i64 %inc.i.i233, %conv.i
  br i1 %exitcond.not.i70.i, label %if.end30.i, label %for.body.i68.i

if.end30.i:
  %slot.i235 = getelementptr inbounds nuw i8, ptr %arrayidx.i199, i64 8
  %187 = load i64, ptr %slot.i235, align 8
  %arrayidx32.i = getelementptr inbounds ptr, ptr %65, i64 %187
  store ptr %174, ptr %arrayidx32.i, align 8
  %.pre88.i = load i64, ptr %view_count, align 8
  br label %for.inc.i200

for.inc.i200:
  %188 = phi i64 [ %158, %for.body.i198 ], [ %.pre88.i, %if.end30.i ]
  %inc.i201 = add nuw nsw i64 %k.080.i, 1
  %cmp.not.not.i202 = icmp slt i64 %inc.i201, %188
  br i1 %cmp.not.not.i202, label %for.body.i198, label %lor.end

cleanup36.sink.split.i:
  %PyErr_Clear.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 112
  %189 = load ptr, ptr %PyErr_Clear.i.i.i, align 8
  call void %189()
  br label %if.then77

lor.end:
  %190 = load i64, ptr %dirty.i, align 8
  %191 = load ptr, ptr %busy.i, align 8
  %192 = load i64, ptr %191, align 8
  %or.i240 = or i64 %192, %190
  %193 = load ptr, ptr %writer.i, align 8
  %194 = load i64, ptr %193, align 8
  %or1.i242 = or i64 %or.i240, %194
  %cmp.i243 = icmp eq i64 %or1.i242, 0
  br i1 %cmp.i243, label %land.lhs.true, label %if.then77

land.lhs.true:
  %scratch_bytes436 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %prepare = getelementptr inbounds nuw i8, ptr %2, i64 184
  %195 = load ptr, ptr %prepare, align 8
  %tobool61.not = icmp eq ptr %195, null
  br i1 %tobool61.not, label %if.end78, label %if.end75

if.end75:
  %frame_words = getelementptr inbounds nuw i8, ptr %2, i64 200
  %196 = load i64, ptr %frame_words, align 8
  %mul63 = shl i64 %196, 3
  %197 = alloca i8, i64 %mul63, align 16
  %size_slot = getelementptr inbounds nuw i8, ptr %2, i64 192
  %198 = load i64, ptr %size_slot, align 8
  %199 = getelementptr ptr, ptr %65, i64 %198
  %arrayidx66 = getelementptr i8, ptr %199, i64 8
  store ptr %arrayidx66, ptr %199, align 8
  %call71 = call i64 %195(ptr %arrayidx66, ptr %197)
  %tobool72.not = icmp eq i64 %call71, 0
  br i1 %tobool72.not, label %if.then77, label %if.end78

if.then77:
  %200 = load i64, ptr %view_count, align 8
  %cmp22.i = icmp sgt i64 %200, 0
  br i1 %cmp22.i, label %for.body.i249.preheader, label %for.cond2.preheader.i

for.body.i249.preheader:
  %PyBuffer_Release.i = getelementptr inbounds nuw i8, ptr %3, i64 200
  br label %for.body.i249

for.cond2.preheader.i:
  %201 = load i64, ptr %row_count, align 8
  %cmp425.i = icmp sgt i64 %201, 0
  br i1 %cmp425.i, label %for.body6.i.preheader, label %slow

for.body6.i.preheader:
  %Py_DecRef.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  br label %for.body6.i

for.body.i249:
  %k.023.i = phi i64 [ %inc.i251, %for.body.i249 ], [ 0, %for.body.i249.preheader ]
  %202 = load ptr, ptr %PyBuffer_Release.i, align 8
  %arrayidx.i250 = getelementptr inbounds nuw { ptr, ptr, i64, i64, i32, i32, ptr, ptr, ptr, ptr, ptr }, ptr %154, i64 %k.023.i
  call void %202(ptr %arrayidx.i250)
  %inc.i251 = add nuw nsw i64 %k.023.i, 1
  %203 = load i64, ptr %view_count, align 8
  %cmp.i253 = icmp slt i64 %inc.i251, %203
  br i1 %cmp.i253, label %for.body.i249, label %for.cond2.preheader.i

for.body6.i:
  %k1.026.i = phi i64 [ %inc10.i, %for.body6.i ], [ 0, %for.body6.i.preheader ]
  %204 = load ptr, ptr %Py_DecRef.i, align 8
  %arrayidx8.i = getelementptr inbounds nuw ptr, ptr %62, i64 %k1.026.i
  %205 = load ptr, ptr %arrayidx8.i, align 8
  call void %204(ptr %205)
  %inc10.i = add nuw nsw i64 %k1.026.i, 1
  %206 = load i64, ptr %row_count, align 8
  %cmp4.i246 = icmp slt i64 %inc10.i, %206
  br i1 %cmp4.i246, label %for.body6.i, label %slow

if.end78:
  %call9.sroa.110.0444 = phi ptr [ %197, %if.end75 ], [ %scratch_bytes436, %land.lhs.true ]
  %output_count = getelementptr inbounds nuw i8, ptr %2, i64 152
  %207 = load i64, ptr %output_count, align 8
  %mul79 = shl i64 %207, 3
  %208 = alloca i8, i64 %mul79, align 16
  %mul81 = shl i64 %59, 3
  %209 = alloca i8, i64 %mul81, align 16
  %210 = alloca i8, i64 %mul81, align 16
  %cmp87471 = icmp sgt i64 %59, 0
  br i1 %cmp87471, label %for.body89, label %for.cond.cleanup88

for.cond.cleanup88:
  %211 = load i64, ptr %call9.sroa.110.0444, align 8
  %write_bytes = getelementptr inbounds nuw i8, ptr %2, i64 176
  %212 = load i64, ptr %write_bytes, align 8
  %add99 = add i64 %212, %211
  %cmp100 = icmp ult i64 %add99, 16385
  br i1 %cmp100, label %cond.true, label %cond.end

for.body89:
  %k85.0472 = phi i64 [ %inc95, %for.body89 ], [ 0, %if.end78 ]
  %arrayidx91 = getelementptr inbounds nuw ptr, ptr %210, i64 %k85.0472
  store ptr null, ptr %arrayidx91, align 8
  %arrayidx93 = getelementptr inbounds nuw ptr, ptr %209, i64 %k85.0472
  store ptr null, ptr %arrayidx93, align 8
  %inc95 = add nuw nsw i64 %k85.0472, 1
  %exitcond490.not = icmp eq i64 %inc95, %59
  br i1 %exitcond490.not, label %for.cond.cleanup88, label %for.body89

cond.true:
  %213 = alloca i8, i64 %add99, align 64
  br label %cond.end

cond.end:
  %cond = phi ptr [ %213, %cond.true ], [ null, %for.cond.cleanup88 ]
  %214 = load i64, ptr %result_count, align 8
  %cmp.not70.i.i = icmp slt i64 %214, 1
  br i1 %cmp.not70.i.i, label %if.end.i273, label %for.body.lr.ph.i.i254

for.body.lr.ph.i.i254:
  %outputs.i.i = getelementptr inbounds nuw i8, ptr %2, i64 136
  %exchange.i.i255 = getelementptr inbounds nuw i8, ptr %2, i64 240
  %aligned_alloc.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 120
  %page_bytes.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 304
  %madvise.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 184
  %free.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 128
  %bytes.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 248
  %Py_IncRef.i.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 40
  %PyArray_NewFromDescr.i.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 224
  %ndarray.i.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 240
  %PyArray_SetBaseObject.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 232
  %Py_DecRef.i.i.i305 = getelementptr inbounds nuw i8, ptr %3, i64 48
  br label %for.body.i.i256

for.body.i.i256:
  %k.071.i.i = phi i64 [ 0, %for.body.lr.ph.i.i254 ], [ %inc.i.i272, %for.inc.i.i271 ]
  %215 = load ptr, ptr %outputs.i.i, align 8
  %arrayidx.i.i257 = getelementptr inbounds nuw { ptr, i64, i64, i64, ptr, i64 }, ptr %215, i64 %k.071.i.i
  %dims2.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i257, i64 16
  %216 = load i64, ptr %dims2.i.i, align 8
  %add.ptr.i.i258 = getelementptr inbounds i8, ptr %call9.sroa.110.0444, i64 %216
  %arrayidx3.i.i = getelementptr inbounds i8, ptr %add.ptr.i.i258, i64 -8
  %217 = load i64, ptr %arrayidx3.i.i, align 8
  %218 = load ptr, ptr %exchange.i.i255, align 8
  %tobool.not.i.i259 = icmp eq ptr %218, null
  br i1 %tobool.not.i.i259, label %if.end12.i.i298, label %if.then.i.i260

if.then.i.i260:
  %219 = load ptr, ptr %arrayidx.i.i257, align 8
  %220 = ptrtoint ptr %219 to i64
  %arrayidx5.i.i = getelementptr inbounds nuw ptr, ptr %208, i64 %k.071.i.i
  %and.i.i.i.i = and i64 %220, 4294967295
  %shr.i.i.i.i = lshr i64 %220, 43
  %and.i92.i.i.i = and i64 %shr.i.i.i.i, 31
  %cmp97.not.i.i.i = icmp eq i64 %and.i.i.i.i, 0
  br i1 %cmp97.not.i.i.i, label %for.cond.cleanup.i.i.i, label %for.body.i.i.i261

for.cond.cleanup.i.i.i:
  %nbytes.0.lcssa.i.i.i = phi i64 [ %and.i92.i.i.i, %if.then.i.i260 ], [ %mul.i.i.i, %for.body.i.i.i261 ]
  %mul4.i.i.i = shl nuw nsw i64 %and.i.i.i.i, 4
  %add5.i.i.i = add nuw nsw i64 %mul4.i.i.i, 207
  %sub.i.i.i265 = add i64 %add5.i.i.i, %nbytes.0.lcssa.i.i.i
  %and.i.i.i266 = and i64 %sub.i.i.i265, -64
  %221 = load ptr, ptr %aligned_alloc.i.i.i, align 8
  %call8.i.i.i = call ptr %221(i64 16, i64 %and.i.i.i266)
  %tobool.not.i.i.i267 = icmp eq ptr %call8.i.i.i, null
  br i1 %tobool.not.i.i.i267, label %new_block.exit.i.i, label %if.end.i.i.i268

for.body.i.i.i261:
  %nbytes.099.i.i.i = phi i64 [ %mul.i.i.i, %for.body.i.i.i261 ], [ %and.i92.i.i.i, %if.then.i.i260 ]
  %k.098.i.i.i = phi i64 [ %inc.i.i.i263, %for.body.i.i.i261 ], [ 0, %if.then.i.i260 ]
  %arrayidx.i.i.i262 = getelementptr inbounds nuw i64, ptr %add.ptr.i.i258, i64 %k.098.i.i.i
  %222 = load i64, ptr %arrayidx.i.i.i262, align 8
  %mul.i.i.i = mul i64 %222, %nbytes.099.i.i.i
  %inc.i.i.i263 = add nuw nsw i64 %k.098.i.i.i, 1
  %exitcond.not.i.i.i264 = icmp eq i64 %inc.i.i.i263, %and.i.i.i.i
  br i1 %exitcond.not.i.i.i264, label %for.cond.cleanup.i.i.i, label %for.body.i.i.i261

if.end.i.i.i268:
  %223 = load i64, ptr %page_bytes.i.i.i, align 8
  %cmp10.i.i.i = icmp sgt i64 %nbytes.0.lcssa.i.i.i, 4194303
  br i1 %cmp10.i.i.i, label %land.lhs.true.i.i.i, label %if.end17.i.i.i

land.lhs.true.i.i.i:
  %224 = load ptr, ptr %madvise.i.i.i, align 8
  %tobool11.not.i.i.i = icmp eq ptr %224, null
  br i1 %tobool11.not.i.i.i, label %if.end17.i.i.i, label %if.then12.i.i.i

if.then12.i.i.i:
  %add.ptr.i.i.i.i = getelementptr inbounds i8, ptr %call8.i.i.i, i64 %223
  %add.ptr1.i.i.i.i = getelementptr inbounds i8, ptr %add.ptr.i.i.i.i, i64 -1
  %225 = ptrtoint ptr %add.ptr1.i.i.i.i to i64
  %sub.i.i.i.i = sub i64 0, %223
  %and.i93.i.i.i = and i64 %225, %sub.i.i.i.i
  %226 = inttoptr i64 %and.i93.i.i.i to ptr
  %sub15.i.i.i = sub i64 %and.i.i.i266, %223
  %call16.i.i.i = call i32 %224(ptr %226, i64 %sub15.i.i.i, i32 14)
  br label %if.end17.i.i.i

if.end17.i.i.i:
  %add.ptr18.i.i.i = getelementptr inbounds nuw i8, ptr %call8.i.i.i, i64 80
  %add.ptr19.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr18.i.i.i, i64 %and.i.i.i.i
  store i64 1, ptr %call8.i.i.i, align 8
  %add.ptr21.i.i.i = getelementptr inbounds nuw i8, ptr %call8.i.i.i, i64 8
  store i64 0, ptr %add.ptr21.i.i.i, align 8
  %add.ptr22.i.i.i = getelementptr inbounds nuw i8, ptr %call8.i.i.i, i64 24
  store i64 0, ptr %add.ptr22.i.i.i, align 8
  %227 = load ptr, ptr %free.i.i.i, align 8
  %deleter.i.i.i = getelementptr inbounds nuw i8, ptr %218, i64 112
  %228 = load i64, ptr %deleter.i.i.i, align 8
  %add.ptr23.i.i.i = getelementptr inbounds i8, ptr %call8.i.i.i, i64 %228
  store ptr %227, ptr %add.ptr23.i.i.i, align 8
  %229 = getelementptr inbounds nuw i8, ptr %call8.i.i.i, i64 %mul4.i.i.i
  %add.ptr1.i95.i.i.i = getelementptr inbounds nuw i8, ptr %229, i64 143
  %230 = ptrtoint ptr %add.ptr1.i95.i.i.i to i64
  %and.i96.i.i.i = and i64 %230, -64
  %231 = inttoptr i64 %and.i96.i.i.i to ptr
  store ptr %231, ptr %arrayidx5.i.i, align 8
  %tensor.i.i.i = getelementptr inbounds nuw i8, ptr %218, i64 104
  %232 = load i64, ptr %tensor.i.i.i, align 8
  %add.ptr26.i.i.i = getelementptr inbounds i8, ptr %call8.i.i.i, i64 %232
  store ptr %231, ptr %add.ptr26.i.i.i, align 8
  %.compoundliteral.sroa.2.0.add.ptr26.sroa_idx.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr26.i.i.i, i64 8
  store i64 1, ptr %.compoundliteral.sroa.2.0.add.ptr26.sroa_idx.i.i.i, align 8
  %.compoundliteral.sroa.3.0.add.ptr26.sroa_idx.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr26.i.i.i, i64 16
  store i64 %220, ptr %.compoundliteral.sroa.3.0.add.ptr26.sroa_idx.i.i.i, align 8
  %.compoundliteral.sroa.4.0.add.ptr26.sroa_idx.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr26.i.i.i, i64 24
  store ptr %add.ptr18.i.i.i, ptr %.compoundliteral.sroa.4.0.add.ptr26.sroa_idx.i.i.i, align 8
  %.compoundliteral.sroa.5.0.add.ptr26.sroa_idx.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr26.i.i.i, i64 32
  store ptr %add.ptr19.i.i.i, ptr %.compoundliteral.sroa.5.0.add.ptr26.sroa_idx.i.i.i, align 8
  %.compoundliteral.sroa.6.0.add.ptr26.sroa_idx.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr26.i.i.i, i64 40
  store i64 0, ptr %.compoundliteral.sroa.6.0.add.ptr26.sroa_idx.i.i.i, align 8
  br i1 %cmp97.not.i.i.i, label %for.inc.i.i271, label %for.body34.i.i.i

for.body34.i.i.i:
  %k30.0102.i.i.i = phi i64 [ %dec.i.i.i, %for.body34.i.i.i ], [ %and.i.i.i.i, %if.end17.i.i.i ]
  %dense.0101.i.i.i = phi i64 [ %mul42.i.i.i, %for.body34.i.i.i ], [ 1, %if.end17.i.i.i ]
  %dec.i.i.i = add nsw i64 %k30.0102.i.i.i, -1
  %arrayidx35.i.i.i = getelementptr inbounds i64, ptr %add.ptr.i.i258, i64 %dec.i.i.i
  %233 = load i64, ptr %arrayidx35.i.i.i, align 8
  %arrayidx36.i.i.i = getelementptr inbounds i64, ptr %add.ptr18.i.i.i, i64 %dec.i.i.i
  store i64 %233, ptr %arrayidx36.i.i.i, align 8
  %arrayidx37.i.i.i = getelementptr inbounds i64, ptr %add.ptr19.i.i.i, i64 %dec.i.i.i
  store i64 %dense.0101.i.i.i, ptr %arrayidx37.i.i.i, align 8
  %234 = load i64, ptr %arrayidx35.i.i.i, align 8
  %spec.select.i.i.i = call i64 @llvm.umax.i64(i64 %234, i64 1)
  %mul42.i.i.i = mul i64 %spec.select.i.i.i, %dense.0101.i.i.i
  %cmp32.i.i.i269 = icmp samesign ugt i64 %k30.0102.i.i.i, 1
  br i1 %cmp32.i.i.i269, label %for.body34.i.i.i, label %for.inc.i.i271

new_block.exit.i.i:
  %PyErr_NoMemory.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 144
  %235 = load ptr, ptr %PyErr_NoMemory.i.i.i, align 8
  %call9.i.i.i = call ptr %235()
  %arrayidx7.i.i = getelementptr inbounds nuw ptr, ptr %210, i64 %k.071.i.i
  store ptr null, ptr %arrayidx7.i.i, align 8
  br label %results_of.exit

if.end12.i.i298:
  %tobool13.not.i.i = icmp eq i64 %217, 0
  %236 = load ptr, ptr %arrayidx.i.i257, align 8
  %ndim18.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i257, i64 8
  %237 = load i64, ptr %ndim18.i.i, align 8
  br i1 %tobool13.not.i.i, label %cond.false.i.i306, label %cond.true.i.i299

cond.true.i.i299:
  %add.i.i.i = add i64 %217, 64
  store i64 %add.i.i.i, ptr %length.i.i.i, align 8
  %238 = load ptr, ptr %bytes.i.i.i, align 8
  %239 = load ptr, ptr %Py_IncRef.i.i.i.i, align 8
  call void %239(ptr %238)
  %240 = load ptr, ptr %PyArray_NewFromDescr.i.i.i.i, align 8
  %241 = load ptr, ptr %ndarray.i.i.i.i, align 8
  %call.i.i.i.i300 = call ptr %240(ptr %241, ptr %238, i32 1, ptr %length.i.i.i, ptr null, ptr null, i32 0, ptr null)
  %tobool.not.i64.i.i = icmp eq ptr %call.i.i.i.i300, null
  br i1 %tobool.not.i64.i.i, label %new_array_on_line.exit.i.i, label %if.end.i65.i.i

if.end.i65.i.i:
  %conv.i.i301 = trunc i64 %237 to i32
  %data1.i.i.i = getelementptr inbounds nuw i8, ptr %call.i.i.i.i300, i64 16
  %242 = load ptr, ptr %data1.i.i.i, align 8
  %add.ptr1.i.i66.i.i = getelementptr inbounds nuw i8, ptr %242, i64 63
  %243 = ptrtoint ptr %add.ptr1.i.i66.i.i to i64
  %and.i.i67.i.i = and i64 %243, -64
  %244 = inttoptr i64 %and.i.i67.i.i to ptr
  %245 = load ptr, ptr %Py_IncRef.i.i.i.i, align 8
  call void %245(ptr %236)
  %246 = load ptr, ptr %PyArray_NewFromDescr.i.i.i.i, align 8
  %247 = load ptr, ptr %ndarray.i.i.i.i, align 8
  %call.i23.i.i.i = call ptr %246(ptr %247, ptr %236, i32 %conv.i.i301, ptr %add.ptr.i.i258, ptr null, ptr %244, i32 1281, ptr null)
  %tobool4.not.i.i.i = icmp eq ptr %call.i23.i.i.i, null
  br i1 %tobool4.not.i.i.i, label %if.then5.i.i.i, label %if.else.i.i.i302

if.then5.i.i.i:
  %248 = load ptr, ptr %Py_DecRef.i.i.i305, align 8
  call void %248(ptr %call.i.i.i.i300)
  br label %new_array_on_line.exit.i.i

if.else.i.i.i302:
  %249 = load ptr, ptr %PyArray_SetBaseObject.i.i.i, align 8
  %call8.i68.i.i = call i32 %249(ptr %call.i23.i.i.i, ptr %call.i.i.i.i300)
  br label %new_array_on_line.exit.i.i

new_array_on_line.exit.i.i:
  %retval.0.i.i.i = phi ptr [ null, %cond.true.i.i299 ], [ %call.i23.i.i.i, %if.else.i.i.i302 ], [ null, %if.then5.i.i.i ]
  br label %cond.end.i.i303

cond.false.i.i306:
  %conv19.i.i = trunc i64 %237 to i32
  %250 = load ptr, ptr %Py_IncRef.i.i.i.i, align 8
  call void %250(ptr %236)
  %251 = load ptr, ptr %PyArray_NewFromDescr.i.i.i.i, align 8
  %252 = load ptr, ptr %ndarray.i.i.i.i, align 8
  %call.i.i.i307 = call ptr %251(ptr %252, ptr %236, i32 %conv19.i.i, ptr %add.ptr.i.i258, ptr null, ptr null, i32 0, ptr null)
  br label %cond.end.i.i303

cond.end.i.i303:
  %cond.i.i = phi ptr [ %retval.0.i.i.i, %new_array_on_line.exit.i.i ], [ %call.i.i.i307, %cond.false.i.i306 ]
  %tobool21.not.i.i = icmp eq ptr %cond.i.i, null
  br i1 %tobool21.not.i.i, label %results_of.exit, label %if.end23.i.i

if.end23.i.i:
  %arrayidx24.i.i304 = getelementptr inbounds nuw ptr, ptr %209, i64 %k.071.i.i
  store ptr %cond.i.i, ptr %arrayidx24.i.i304, align 8
  %data.i.i = getelementptr inbounds nuw i8, ptr %cond.i.i, i64 16
  %253 = load ptr, ptr %data.i.i, align 8
  br label %for.inc.i.i271

for.inc.i.i271:
  %.sink = phi ptr [ %208, %if.end23.i.i ], [ %210, %if.end17.i.i.i ], [ %210, %for.body34.i.i.i ]
  %call8.i.i.i.sink = phi ptr [ %253, %if.end23.i.i ], [ %call8.i.i.i, %if.end17.i.i.i ], [ %call8.i.i.i, %for.body34.i.i.i ]
  %arrayidx7.i.i445 = getelementptr inbounds nuw ptr, ptr %.sink, i64 %k.071.i.i
  store ptr %call8.i.i.i.sink, ptr %arrayidx7.i.i445, align 8
  %inc.i.i272 = add nuw nsw i64 %k.071.i.i, 1
  %254 = load i64, ptr %result_count, align 8
  %cmp.not.not.i.i = icmp slt i64 %inc.i.i272, %254
  br i1 %cmp.not.not.i.i, label %for.body.i.i256, label %if.end.i273

if.end.i273:
  %tobool.not.i274 = icmp eq ptr %cond, null
  br i1 %tobool.not.i274, label %land.lhs.true.i, label %if.end5.i

land.lhs.true.i:
  %scratch.i.i = getelementptr inbounds nuw i8, ptr %3, i64 312
  %255 = load ptr, ptr %scratch.i.i, align 8
  %scratch_bytes.i.i = getelementptr inbounds nuw i8, ptr %3, i64 320
  %256 = load i64, ptr %scratch_bytes.i.i, align 8
  store ptr null, ptr %scratch.i.i, align 8
  store i64 0, ptr %scratch_bytes.i.i, align 8
  %cmp.not.i.i294 = icmp ult i64 %256, %add99
  br i1 %cmp.not.i.i294, label %if.end.i.i295, label %take_scratch.exit.i

if.end.i.i295:
  %free.i.i = getelementptr inbounds nuw i8, ptr %3, i64 128
  %257 = load ptr, ptr %free.i.i, align 8
  call void %257(ptr %255)
  %aligned_alloc.i.i = getelementptr inbounds nuw i8, ptr %3, i64 120
  %258 = load ptr, ptr %aligned_alloc.i.i, align 8
  %call.i.i296 = call ptr %258(i64 64, i64 %add99)
  %tobool.not.i24.i = icmp eq ptr %call.i.i296, null
  br i1 %tobool.not.i24.i, label %take_scratch.exit.thread.i, label %if.end5.i

take_scratch.exit.thread.i:
  %PyErr_NoMemory.i.i = getelementptr inbounds nuw i8, ptr %3, i64 144
  %259 = load ptr, ptr %PyErr_NoMemory.i.i, align 8
  %call4.i.i297 = call ptr %259()
  br label %results_of.exit

take_scratch.exit.i:
  %tobool3.not.i = icmp eq ptr %255, null
  br i1 %tobool3.not.i, label %results_of.exit, label %if.end5.i

if.end5.i:
  %nbytes.0.i = phi i64 [ %256, %take_scratch.exit.i ], [ 0, %if.end.i273 ], [ %add99, %if.end.i.i295 ]
  %scratch.addr.0.i = phi ptr [ %255, %take_scratch.exit.i ], [ %cond, %if.end.i273 ], [ %call.i.i296, %if.end.i.i295 ]
  %260 = load i64, ptr %result_count, align 8
  %261 = load i64, ptr %output_count, align 8
  %cmp67.i.i = icmp slt i64 %260, %261
  br i1 %cmp67.i.i, label %for.body.lr.ph.i36.i, label %for.cond.cleanup.i.i

for.body.lr.ph.i36.i:
  %outputs.i37.i = getelementptr inbounds nuw i8, ptr %2, i64 136
  %.pre492 = load ptr, ptr %outputs.i37.i, align 8
  br label %for.body.i39.i

for.cond.cleanup.i.i:
  %262 = load i64, ptr %write_bytes, align 8
  %add.ptr6.i.i = getelementptr inbounds i8, ptr %scratch.addr.0.i, i64 %262
  %release.i.i = getelementptr inbounds nuw i8, ptr %call9.sroa.110.0444, i64 8
  %263 = load i64, ptr %release.i.i, align 8
  %tobool.not.i27.i = icmp eq i64 %263, 0
  br i1 %tobool.not.i27.i, label %lor.lhs.false.i.i287, label %if.then.i28.i

for.body.i39.i:
  %k.068.i.i290 = phi i64 [ %260, %for.body.lr.ph.i36.i ], [ %inc.i46.i, %cond.end.i43.i ]
  %arrayidx.i40.i = getelementptr inbounds { ptr, i64, i64, i64, ptr, i64 }, ptr %.pre492, i64 %k.068.i.i290
  %offset.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i40.i, i64 24
  %264 = load i64, ptr %offset.i.i, align 8
  %cmp2.i.i291 = icmp slt i64 %264, 0
  br i1 %cmp2.i.i291, label %cond.true.i47.i, label %cond.false.i41.i

cond.true.i47.i:
  %target.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i40.i, i64 32
  %265 = load ptr, ptr %target.i.i, align 8
  br label %cond.end.i43.i

cond.false.i41.i:
  %add.ptr.i42.i = getelementptr inbounds nuw i8, ptr %scratch.addr.0.i, i64 %264
  br label %cond.end.i43.i

cond.end.i43.i:
  %cond.i44.i = phi ptr [ %265, %cond.true.i47.i ], [ %add.ptr.i42.i, %cond.false.i41.i ]
  %arrayidx5.i45.i = getelementptr inbounds ptr, ptr %208, i64 %k.068.i.i290
  store ptr %cond.i44.i, ptr %arrayidx5.i45.i, align 8
  %inc.i46.i = add nsw i64 %k.068.i.i290, 1
  %cmp.i.i292 = icmp slt i64 %inc.i46.i, %261
  br i1 %cmp.i.i292, label %for.body.i39.i, label %for.cond.cleanup.i.i

lor.lhs.false.i.i287:
  %pending.i.i = getelementptr inbounds nuw i8, ptr %2, i64 208
  %266 = load ptr, ptr %pending.i.i, align 8
  %tobool7.not.i.i = icmp eq ptr %266, null
  br i1 %tobool7.not.i.i, label %if.else.i.i288, label %if.then.i28.i

if.then.i28.i:
  %readers.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 296
  %267 = load ptr, ptr %readers.i.i.i, align 8
  %268 = load i64, ptr %267, align 8
  %inc.i.i29.i = add i64 %268, 1
  store i64 %inc.i.i29.i, ptr %267, align 8
  %269 = load i64, ptr %release.i.i, align 8
  %tobool.not.i.i30.i = icmp eq i64 %269, 0
  br i1 %tobool.not.i.i30.i, label %cond.end.i.i.i.thread, label %cond.end.i.i.i

cond.end.i.i.i.thread:
  %program.i.i.i447 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %270 = load ptr, ptr %program.i.i.i447, align 8
  call void %270(ptr %65, ptr %208, ptr %add.ptr6.i.i)
  br label %run_while_python_may.exit.i.i

cond.end.i.i.i:
  %PyEval_SaveThread.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 24
  %271 = load ptr, ptr %PyEval_SaveThread.i.i.i, align 8
  %call3.i.i.i = call ptr %271()
  %program.i.i.i = getelementptr inbounds nuw i8, ptr %2, i64 8
  %272 = load ptr, ptr %program.i.i.i, align 8
  call void %272(ptr %65, ptr %208, ptr %add.ptr6.i.i)
  %tobool4.not.i.i31.i = icmp eq ptr %call3.i.i.i, null
  br i1 %tobool4.not.i.i31.i, label %run_while_python_may.exit.i.i, label %if.then.i.i32.i

if.then.i.i32.i:
  %PyEval_RestoreThread.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 32
  %273 = load ptr, ptr %PyEval_RestoreThread.i.i.i, align 8
  call void %273(ptr %call3.i.i.i)
  br label %run_while_python_may.exit.i.i

run_while_python_may.exit.i.i:
  %274 = load ptr, ptr %readers.i.i.i, align 8
  %275 = load i64, ptr %274, align 8
  %dec.i.i33.i = add i64 %275, -1
  store i64 %dec.i.i33.i, ptr %274, align 8
  %call6.i.i.i = call fastcc zeroext i1 @nothing_pending(ptr %2)
  br i1 %call6.i.i.i, label %if.end11.i.i285, label %run.exit.i

if.else.i.i288:
  %program.i.i = getelementptr inbounds nuw i8, ptr %2, i64 8
  %276 = load ptr, ptr %program.i.i, align 8
  call void %276(ptr %65, ptr %208, ptr %add.ptr6.i.i)
  br label %if.end11.i.i285

if.end11.i.i285:
  %277 = load i64, ptr %result_count, align 8
  %278 = load i64, ptr %output_count, align 8
  %cmp1669.i.i = icmp slt i64 %277, %278
  br i1 %cmp1669.i.i, label %for.body18.lr.ph.i.i, label %run.exit.i

for.body18.lr.ph.i.i:
  %outputs20.i.i = getelementptr inbounds nuw i8, ptr %2, i64 136
  %memcpy.i.i = getelementptr inbounds nuw i8, ptr %3, i64 136
  br label %for.body18.i.i

for.body18.i.i:
  %279 = phi i64 [ %278, %for.body18.lr.ph.i.i ], [ %285, %if.end31.i.i ]
  %k12.070.i.i = phi i64 [ %277, %for.body18.lr.ph.i.i ], [ %inc33.i.i, %if.end31.i.i ]
  %280 = load ptr, ptr %outputs20.i.i, align 8
  %arrayidx21.i.i = getelementptr inbounds { ptr, i64, i64, i64, ptr, i64 }, ptr %280, i64 %k12.070.i.i
  %target22.i.i = getelementptr inbounds nuw i8, ptr %arrayidx21.i.i, i64 32
  %281 = load ptr, ptr %target22.i.i, align 8
  %arrayidx24.i35.i = getelementptr inbounds ptr, ptr %208, i64 %k12.070.i.i
  %282 = load ptr, ptr %arrayidx24.i35.i, align 8
  %cmp25.not.i.i286 = icmp eq ptr %281, %282
  br i1 %cmp25.not.i.i286, label %if.end31.i.i, label %if.then26.i.i

if.then26.i.i:
  %283 = load ptr, ptr %memcpy.i.i, align 8
  %nbytes.i.i = getelementptr inbounds nuw i8, ptr %arrayidx21.i.i, i64 40
  %284 = load i64, ptr %nbytes.i.i, align 8
  %call30.i.i = call ptr %283(ptr %281, ptr %282, i64 %284)
  %.pre.i.i = load i64, ptr %output_count, align 8
  br label %if.end31.i.i

if.end31.i.i:
  %285 = phi i64 [ %.pre.i.i, %if.then26.i.i ], [ %279, %for.body18.i.i ]
  %inc33.i.i = add nsw i64 %k12.070.i.i, 1
  %cmp16.i.i = icmp slt i64 %inc33.i.i, %285
  br i1 %cmp16.i.i, label %for.body18.i.i, label %run.exit.i

run.exit.i:
  %retval.0.i34.i = phi i1 [ false, %run_while_python_may.exit.i.i ], [ true, %if.end11.i.i285 ], [ true, %if.end31.i.i ]
  %tobool7.not.i = icmp eq i64 %nbytes.0.i, 0
  br i1 %tobool7.not.i, label %if.end10.i, label %if.then8.i

if.then8.i:
  call fastcc void @give_scratch(ptr %3, ptr %scratch.addr.0.i, i64 %nbytes.0.i)
  br label %if.end10.i

if.end10.i:
  br i1 %retval.0.i34.i, label %land.lhs.true11.i, label %results_of.exit

land.lhs.true11.i:
  %committed.i.i = getelementptr inbounds nuw i8, ptr %2, i64 96
  %286 = load ptr, ptr %committed.i.i, align 8
  %tobool.not.i48.i = icmp eq ptr %286, null
  br i1 %tobool.not.i48.i, label %land.lhs.true13.i, label %commit.exit.i

commit.exit.i:
  %PyObject_CallNoArgs.i.i277 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %287 = load ptr, ptr %PyObject_CallNoArgs.i.i277, align 8
  %call4.i50.i = call ptr %287(ptr %286)
  %Py_DecRef.i.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %288 = load ptr, ptr %Py_DecRef.i.i, align 8
  call void %288(ptr %call4.i50.i)
  %tobool5.i.not.i = icmp eq ptr %call4.i50.i, null
  br i1 %tobool5.i.not.i, label %results_of.exit, label %land.lhs.true13.i

land.lhs.true13.i:
  %exchange.i52.i = getelementptr inbounds nuw i8, ptr %2, i64 240
  %289 = load ptr, ptr %exchange.i52.i, align 8
  %tobool.not.i53.i = icmp eq ptr %289, null
  br i1 %tobool.not.i53.i, label %for.end.critedge.i.i, label %land.rhs.lr.ph.i.i

land.rhs.lr.ph.i.i:
  %make.i.i = getelementptr inbounds nuw i8, ptr %289, i64 24
  %290 = load i64, ptr %result_count, align 8
  %cmp.i5796.i = icmp sgt i64 %290, 0
  br i1 %cmp.i5796.i, label %for.body.i60.i, label %for.end.critedge.i.i

for.body.i60.i:
  %k.091.i97.i = phi i64 [ %inc.i63.i, %if.end16.i.i ], [ 0, %land.rhs.lr.ph.i.i ]
  %arrayidx.i61.i = getelementptr inbounds nuw ptr, ptr %210, i64 %k.091.i97.i
  %291 = load ptr, ptr %arrayidx.i61.i, align 8
  store ptr null, ptr %arrayidx.i61.i, align 8
  %292 = load ptr, ptr %make.i.i, align 8
  %tobool5.not.i.i = icmp eq ptr %292, null
  %arrayidx12.i.i = getelementptr inbounds nuw ptr, ptr %209, i64 %k.091.i97.i
  br i1 %tobool5.not.i.i, label %if.else.i64.i, label %if.then.i62.i

if.then.i62.i:
  %call8.i.i284 = call i32 %292(ptr %291, ptr %arrayidx12.i.i)
  %tobool9.not.i.i = icmp eq i32 %call8.i.i284, 0
  br i1 %tobool9.not.i.i, label %if.end16.i.i, label %results_of.exit

if.else.i64.i:
  %call13.i.i = call fastcc zeroext i1 @make_of_capsule(ptr %3, ptr %289, ptr %291, ptr %arrayidx12.i.i)
  br i1 %call13.i.i, label %if.end16.i.i, label %results_of.exit

if.end16.i.i:
  %inc.i63.i = add nuw nsw i64 %k.091.i97.i, 1
  %293 = load i64, ptr %result_count, align 8
  %cmp.i57.i = icmp slt i64 %inc.i63.i, %293
  br i1 %cmp.i57.i, label %for.body.i60.i, label %for.end.critedge.i.i

for.end.critedge.i.i:
  %PyType_GenericAlloc.i.i = getelementptr inbounds nuw i8, ptr %3, i64 56
  %wrapper.i.i279 = getelementptr inbounds nuw i8, ptr %2, i64 56
  %294 = load ptr, ptr %wrapper.i.i279, align 8
  %tobool21.not92.i.i = icmp eq ptr %294, null
  br i1 %tobool21.not92.i.i, label %cond.true.i281, label %land.rhs22.lr.ph.i.i

land.rhs22.lr.ph.i.i:
  %data_offset.i.i280 = getelementptr inbounds nuw i8, ptr %2, i64 64
  %Py_IncRef.i.i = getelementptr inbounds nuw i8, ptr %3, i64 40
  %None.i.i = getelementptr inbounds nuw i8, ptr %3, i64 272
  %storage_offset.i.i = getelementptr inbounds nuw i8, ptr %2, i64 72
  br label %land.rhs22.i.i

land.rhs22.i.i:
  %295 = phi ptr [ %294, %land.rhs22.lr.ph.i.i ], [ %304, %if.end32.i.i ]
  %k19.093.i.i = phi i64 [ 0, %land.rhs22.lr.ph.i.i ], [ %inc43.i.i, %if.end32.i.i ]
  %296 = load i64, ptr %result_count, align 8
  %cmp24.i.i = icmp slt i64 %k19.093.i.i, %296
  br i1 %cmp24.i.i, label %for.body27.i.i, label %cond.true.i281

for.body27.i.i:
  %297 = load ptr, ptr %PyType_GenericAlloc.i.i, align 8
  %call29.i.i = call ptr %297(ptr %295, i64 0)
  %tobool30.not.not.i.i = icmp eq ptr %call29.i.i, null
  br i1 %tobool30.not.not.i.i, label %results_of.exit, label %if.end32.i.i

if.end32.i.i:
  %arrayidx34.i.i = getelementptr inbounds nuw ptr, ptr %209, i64 %k19.093.i.i
  %298 = load ptr, ptr %arrayidx34.i.i, align 8
  %299 = load i64, ptr %data_offset.i.i280, align 8
  %add.ptr.i58.i = getelementptr inbounds i8, ptr %call29.i.i, i64 %299
  store ptr %298, ptr %add.ptr.i58.i, align 8
  %300 = load ptr, ptr %Py_IncRef.i.i, align 8
  %301 = load ptr, ptr %None.i.i, align 8
  call void %300(ptr %301)
  %302 = load ptr, ptr %None.i.i, align 8
  %303 = load i64, ptr %storage_offset.i.i, align 8
  %add.ptr36.i.i = getelementptr inbounds i8, ptr %call29.i.i, i64 %303
  store ptr %302, ptr %add.ptr36.i.i, align 8
  store ptr %call29.i.i, ptr %arrayidx34.i.i, align 8
  %inc43.i.i = add nuw nsw i64 %k19.093.i.i, 1
  %304 = load ptr, ptr %wrapper.i.i279, align 8
  %tobool21.not.i59.i = icmp eq ptr %304, null
  br i1 %tobool21.not.i59.i, label %cond.true.i281, label %land.rhs22.i.i

cond.true.i281:
  %kind.i.i = getelementptr inbounds nuw i8, ptr %2, i64 80
  %305 = load i64, ptr %kind.i.i, align 8
  switch i64 %305, label %sw.default.i.i [
    i64 0, label %sw.bb.i.i
    i64 3, label %sw.bb5.i.i
    i64 1, label %sw.bb7.i.i
    i64 2, label %sw.bb7.i.i
  ]

sw.bb.i.i:
  %306 = load ptr, ptr %209, align 16
  store ptr null, ptr %209, align 16
  br label %results_of.exit

sw.bb5.i.i:
  %Py_IncRef.i74.i = getelementptr inbounds nuw i8, ptr %3, i64 40
  %307 = load ptr, ptr %Py_IncRef.i74.i, align 8
  %None.i75.i = getelementptr inbounds nuw i8, ptr %3, i64 272
  %308 = load ptr, ptr %None.i75.i, align 8
  call void %307(ptr %308)
  %309 = load ptr, ptr %None.i75.i, align 8
  br label %results_of.exit

sw.bb7.i.i:
  %cmp.i65.i = icmp eq i64 %305, 2
  %310 = load i64, ptr %result_count, align 8
  %..i.i.i = select i1 %cmp.i65.i, i64 80, i64 64
  %PyTuple_New.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 %..i.i.i
  %311 = load ptr, ptr %PyTuple_New.i.i.i, align 8
  %call3.i.i67.i = call ptr %311(i64 %310)
  %tobool.i.i.i = icmp ne ptr %call3.i.i67.i, null
  %cmp27.i.i.i = icmp sgt i64 %310, 0
  %312 = and i1 %cmp27.i.i.i, %tobool.i.i.i
  br i1 %312, label %for.body.lr.ph.i.i.i282, label %results_of.exit

for.body.lr.ph.i.i.i282:
  %spec.select.v.i.i = select i1 %cmp.i65.i, i64 88, i64 72
  %spec.select.i.i = getelementptr inbounds nuw i8, ptr %3, i64 %spec.select.v.i.i
  br label %for.body.i.i69.i

for.body.i.i69.i:
  %k.028.i.i.i = phi i64 [ 0, %for.body.lr.ph.i.i.i282 ], [ %inc.i.i72.i, %for.body.i.i69.i ]
  %arrayidx.i.i70.i = getelementptr inbounds nuw ptr, ptr %209, i64 %k.028.i.i.i
  %313 = load ptr, ptr %arrayidx.i.i70.i, align 8
  store ptr null, ptr %arrayidx.i.i70.i, align 8
  %.sink29.i.i.i = load ptr, ptr %spec.select.i.i, align 8
  %call8.i.i71.i = call i32 %.sink29.i.i.i(ptr %call3.i.i67.i, i64 %k.028.i.i.i, ptr %313)
  %inc.i.i72.i = add nuw nsw i64 %k.028.i.i.i, 1
  %exitcond.not.i.i283 = icmp eq i64 %inc.i.i72.i, %310
  br i1 %exitcond.not.i.i283, label %for.cond.cleanup108, label %for.body.i.i69.i

sw.default.i.i:
  %314 = load i64, ptr %result_count, align 8
  %PyTuple_New.i.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 64
  %315 = load ptr, ptr %PyTuple_New.i.i.i.i, align 8
  %call3.i.i.i.i = call ptr %315(i64 %314)
  %tobool.i.i.i.i = icmp ne ptr %call3.i.i.i.i, null
  %cmp27.i.i.i.i = icmp sgt i64 %314, 0
  %316 = and i1 %cmp27.i.i.i.i, %tobool.i.i.i.i
  br i1 %316, label %for.body.lr.ph.i.i.i.i, label %sequence_of_results.exit.i.i.i

for.body.lr.ph.i.i.i.i:
  %PyTuple_SetItem.i.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 72
  br label %for.body.i.i.i.i

for.body.i.i.i.i:
  %k.028.i.i.i.i = phi i64 [ 0, %for.body.lr.ph.i.i.i.i ], [ %inc.i.i.i.i, %for.body.i.i.i.i ]
  %arrayidx.i.i.i.i = getelementptr inbounds nuw ptr, ptr %209, i64 %k.028.i.i.i.i
  %317 = load ptr, ptr %arrayidx.i.i.i.i, align 8
  store ptr null, ptr %arrayidx.i.i.i.i, align 8
  %.sink29.i.i.i.i = load ptr, ptr %PyTuple_SetItem.i.i.i.i, align 8
  %call8.i.i.i.i = call i32 %.sink29.i.i.i.i(ptr %call3.i.i.i.i, i64 %k.028.i.i.i.i, ptr %317)
  %inc.i.i.i.i = add nuw nsw i64 %k.028.i.i.i.i, 1
  %exitcond.not.i.i82.i = icmp eq i64 %inc.i.i.i.i, %314
  br i1 %exitcond.not.i.i82.i, label %sequence_of_results.exit.thread.i.i.i, label %for.body.i.i.i.i

sequence_of_results.exit.thread.i.i.i:
  store ptr %call3.i.i.i.i, ptr %both.i.i.i, align 16
  %arrayinit.element38.i.i.i = getelementptr inbounds nuw i8, ptr %both.i.i.i, i64 8
  store ptr null, ptr %arrayinit.element38.i.i.i, align 8
  br label %if.end.i21.i.i

sequence_of_results.exit.i.i.i:
  store ptr %call3.i.i.i.i, ptr %both.i.i.i, align 16
  %arrayinit.element.i.i.i = getelementptr inbounds nuw i8, ptr %both.i.i.i, i64 8
  store ptr null, ptr %arrayinit.element.i.i.i, align 8
  %tobool.not.i.i77.i = icmp eq ptr %call3.i.i.i.i, null
  br i1 %tobool.not.i.i77.i, label %finished.exit.i.i, label %if.end.i21.i.i

if.end.i21.i.i:
  %arrayinit.element40.i.i.i = phi ptr [ %arrayinit.element38.i.i.i, %sequence_of_results.exit.thread.i.i.i ], [ %arrayinit.element.i.i.i, %sequence_of_results.exit.i.i.i ]
  %318 = load i64, ptr %kind.i.i, align 8
  %cmp.i22.i.i = icmp eq i64 %318, 4
  br i1 %cmp.i22.i.i, label %if.then4.i.i.i, label %if.else.i23.i.i

if.then4.i.i.i:
  %PyObject_CallOneArg.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 16
  %319 = load ptr, ptr %PyObject_CallOneArg.i.i.i, align 8
  %finish.i.i.i = getelementptr inbounds nuw i8, ptr %2, i64 88
  %320 = load ptr, ptr %finish.i.i.i, align 8
  %call6.i.i81.i = call ptr %319(ptr %320, ptr %call3.i.i.i.i)
  br label %if.end15.i.i.i

if.else.i23.i.i:
  %321 = load i64, ptr %row_count, align 8
  %322 = load ptr, ptr %PyTuple_New.i.i.i.i, align 8
  %call2.i.i.i.i = call ptr %322(i64 %321)
  %tobool.i31.i.i.i = icmp ne ptr %call2.i.i.i.i, null
  %cmp21.i.i.i.i = icmp sgt i64 %321, 0
  %323 = and i1 %cmp21.i.i.i.i, %tobool.i31.i.i.i
  br i1 %323, label %for.body.lr.ph.i32.i.i.i, label %tuple_of_arrays.exit.i.i.i

for.body.lr.ph.i32.i.i.i:
  %None.i.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 272
  %Py_IncRef.i.i.i80.i = getelementptr inbounds nuw i8, ptr %3, i64 40
  %PyTuple_SetItem.i33.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 72
  br label %for.body.i34.i.i.i

for.body.i34.i.i.i:
  %k.022.i.i.i.i = phi i64 [ 0, %for.body.lr.ph.i32.i.i.i ], [ %inc.i36.i.i.i, %cond.end.i.i.i.i ]
  %arrayidx.i35.i.i.i = getelementptr inbounds nuw ptr, ptr %62, i64 %k.022.i.i.i.i
  %324 = load ptr, ptr %arrayidx.i35.i.i.i, align 8
  %tobool3.not.i.i.i.i = icmp eq ptr %324, null
  br i1 %tobool3.not.i.i.i.i, label %cond.false.i.i.i.i, label %cond.end.i.i.i.i

cond.false.i.i.i.i:
  %325 = load ptr, ptr %None.i.i.i.i, align 8
  br label %cond.end.i.i.i.i

cond.end.i.i.i.i:
  %cond.i.i.i.i = phi ptr [ %325, %cond.false.i.i.i.i ], [ %324, %for.body.i34.i.i.i ]
  %326 = load ptr, ptr %Py_IncRef.i.i.i80.i, align 8
  call void %326(ptr %cond.i.i.i.i)
  %327 = load ptr, ptr %PyTuple_SetItem.i33.i.i.i, align 8
  %call6.i.i.i.i = call i32 %327(ptr %call2.i.i.i.i, i64 %k.022.i.i.i.i, ptr %cond.i.i.i.i)
  %inc.i36.i.i.i = add nuw nsw i64 %k.022.i.i.i.i, 1
  %exitcond41.not.i.i.i = icmp eq i64 %inc.i36.i.i.i, %321
  br i1 %exitcond41.not.i.i.i, label %tuple_of_arrays.exit.i.i.i, label %for.body.i34.i.i.i

tuple_of_arrays.exit.i.i.i:
  store ptr %call2.i.i.i.i, ptr %arrayinit.element40.i.i.i, align 8
  %tobool9.not.i.i.i = icmp eq ptr %call2.i.i.i.i, null
  br i1 %tobool9.not.i.i.i, label %if.end15.i.i.i, label %if.then10.i.i.i

if.then10.i.i.i:
  %328 = load ptr, ptr %3, align 8
  %finish11.i.i.i = getelementptr inbounds nuw i8, ptr %2, i64 88
  %329 = load ptr, ptr %finish11.i.i.i, align 8
  %call12.i.i.i = call ptr %328(ptr %329, ptr %both.i.i.i, i64 2, ptr null)
  %Py_DecRef.i.i78.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %330 = load ptr, ptr %Py_DecRef.i.i78.i, align 8
  %331 = load ptr, ptr %arrayinit.element40.i.i.i, align 8
  call void %330(ptr %331)
  %.pre.i.i.i = load ptr, ptr %both.i.i.i, align 16
  br label %if.end15.i.i.i

if.end15.i.i.i:
  %332 = phi ptr [ %call3.i.i.i.i, %if.then4.i.i.i ], [ %.pre.i.i.i, %if.then10.i.i.i ], [ %call3.i.i.i.i, %tuple_of_arrays.exit.i.i.i ]
  %value.0.i.i.i = phi ptr [ %call6.i.i81.i, %if.then4.i.i.i ], [ %call12.i.i.i, %if.then10.i.i.i ], [ null, %tuple_of_arrays.exit.i.i.i ]
  %Py_DecRef16.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %333 = load ptr, ptr %Py_DecRef16.i.i.i, align 8
  call void %333(ptr %332)
  br label %finished.exit.i.i

finished.exit.i.i:
  %retval.0.i.i79.i = phi ptr [ %value.0.i.i.i, %if.end15.i.i.i ], [ null, %sequence_of_results.exit.i.i.i ]
  br label %results_of.exit

results_of.exit:
  %retval.0.i = phi ptr [ null, %take_scratch.exit.i ], [ null, %if.end10.i ], [ null, %if.then.i62.i ], [ null, %take_scratch.exit.thread.i ], [ null, %commit.exit.i ], [ %309, %sw.bb5.i.i ], [ null, %for.body27.i.i ], [ %call3.i.i67.i, %sw.bb7.i.i ], [ null, %new_block.exit.i.i ], [ %retval.0.i.i79.i, %finished.exit.i.i ], [ %306, %sw.bb.i.i ], [ null, %if.else.i64.i ], [ null, %cond.end.i.i303 ]
  %tobool104.not = icmp eq ptr %retval.0.i, null
  %334 = and i1 %tobool104.not, %cmp87471
  br i1 %334, label %for.body109.lr.ph, label %for.cond.cleanup108

for.body109.lr.ph:
  %Py_DecRef = getelementptr inbounds nuw i8, ptr %3, i64 48
  %free = getelementptr inbounds nuw i8, ptr %3, i64 128
  br label %for.body109

for.cond.cleanup108:
  %retval.0.i545 = phi ptr [ null, %for.body109 ], [ %retval.0.i, %results_of.exit ], [ %call3.i.i67.i, %for.body.i.i69.i ]
  %335 = load i64, ptr %view_count, align 8
  %cmp22.i309 = icmp sgt i64 %335, 0
  br i1 %cmp22.i309, label %for.body.i326.preheader, label %for.cond2.preheader.i310

for.body.i326.preheader:
  %PyBuffer_Release.i328 = getelementptr inbounds nuw i8, ptr %3, i64 200
  br label %for.body.i326

for.cond2.preheader.i310:
  %336 = load i64, ptr %row_count, align 8
  %cmp425.i312 = icmp sgt i64 %336, 0
  br i1 %cmp425.i312, label %for.body6.i316.preheader, label %cleanup

for.body6.i316.preheader:
  %Py_DecRef.i318 = getelementptr inbounds nuw i8, ptr %3, i64 48
  br label %for.body6.i316

for.body.i326:
  %k.023.i327 = phi i64 [ %inc.i330, %for.body.i326 ], [ 0, %for.body.i326.preheader ]
  %337 = load ptr, ptr %PyBuffer_Release.i328, align 8
  %arrayidx.i329 = getelementptr inbounds nuw { ptr, ptr, i64, i64, i32, i32, ptr, ptr, ptr, ptr, ptr }, ptr %154, i64 %k.023.i327
  call void %337(ptr %arrayidx.i329)
  %inc.i330 = add nuw nsw i64 %k.023.i327, 1
  %338 = load i64, ptr %view_count, align 8
  %cmp.i332 = icmp slt i64 %inc.i330, %338
  br i1 %cmp.i332, label %for.body.i326, label %for.cond2.preheader.i310

for.body6.i316:
  %k1.026.i317 = phi i64 [ %inc10.i320, %for.body6.i316 ], [ 0, %for.body6.i316.preheader ]
  %339 = load ptr, ptr %Py_DecRef.i318, align 8
  %arrayidx8.i319 = getelementptr inbounds nuw ptr, ptr %62, i64 %k1.026.i317
  %340 = load ptr, ptr %arrayidx8.i319, align 8
  call void %339(ptr %340)
  %inc10.i320 = add nuw nsw i64 %k1.026.i317, 1
  %341 = load i64, ptr %row_count, align 8
  %cmp4.i322 = icmp slt i64 %inc10.i320, %341
  br i1 %cmp4.i322, label %for.body6.i316, label %cleanup

for.body109:
  %k102.0474 = phi i64 [ 0, %for.body109.lr.ph ], [ %inc115, %for.body109 ]
  %342 = load ptr, ptr %Py_DecRef, align 8
  %arrayidx111 = getelementptr inbounds nuw ptr, ptr %209, i64 %k102.0474
  %343 = load ptr, ptr %arrayidx111, align 8
  call void %342(ptr %343)
  %344 = load ptr, ptr %free, align 8
  %arrayidx113 = getelementptr inbounds nuw ptr, ptr %210, i64 %k102.0474
  %345 = load ptr, ptr %arrayidx113, align 8
  call void %344(ptr %345)
  %inc115 = add nuw nsw i64 %k102.0474, 1
  %cmp106 = icmp slt i64 %inc115, %59
  br i1 %cmp106, label %for.body109, label %for.cond.cleanup108

slow:
  %346 = load ptr, ptr %3, align 8
  %fallback = getelementptr inbounds nuw i8, ptr %2, i64 48
  %347 = load ptr, ptr %fallback, align 8
  %call117 = call ptr %346(ptr %347, ptr %arguments, i64 %count, ptr %names)
  br label %cleanup

cleanup:
  %retval.0 = phi ptr [ null, %cond.true.i ], [ %call117, %slow ], [ %retval.0.i545, %for.body6.i316 ], [ %retval.0.i545, %for.cond2.preheader.i310 ], [ null, %sw.bb29.i ]
  ret ptr %retval.0
}

define internal fastcc zeroext i1 @is_same_tensor(ptr %process, ptr %guard) unnamed_addr {
entry:
  %tensor = alloca { ptr, i64, i64, ptr, ptr, i64 }, align 8
  %expected = getelementptr inbounds nuw i8, ptr %guard, i64 24
  %0 = load i64, ptr %expected, align 8
  %1 = inttoptr i64 %0 to ptr
  %key = getelementptr inbounds nuw i8, ptr %guard, i64 16
  %2 = load i64, ptr %key, align 8
  %3 = inttoptr i64 %2 to ptr
  %owner = getelementptr inbounds nuw i8, ptr %guard, i64 8
  %4 = load ptr, ptr %owner, align 8
  %call = call fastcc zeroext i1 @look(ptr %process, ptr %3, ptr %4, ptr %tensor)
  br i1 %call, label %if.end, label %cleanup33

if.end:
  %5 = load ptr, ptr %tensor, align 8
  %6 = ptrtoint ptr %5 to i64
  %7 = load i64, ptr %1, align 8
  %cmp.not = icmp eq i64 %7, %6
  br i1 %cmp.not, label %lor.lhs.false, label %cleanup33

lor.lhs.false:
  %word = getelementptr inbounds nuw i8, ptr %tensor, i64 16
  %8 = load i64, ptr %word, align 8
  %arrayidx1 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %9 = load i64, ptr %arrayidx1, align 8
  %cmp2.not = icmp eq i64 %8, %9
  br i1 %cmp2.not, label %if.end4, label %cleanup33

if.end4:
  %and.i = and i64 %8, 4294967295
  %add.ptr = getelementptr inbounds nuw i8, ptr %1, i64 16
  %add.ptr7 = getelementptr inbounds nuw i64, ptr %add.ptr, i64 %and.i
  %cmp8.not51.not = icmp eq i64 %and.i, 0
  br i1 %cmp8.not51.not, label %cleanup33, label %for.body.lr.ph

for.body.lr.ph:
  %shape = getelementptr inbounds nuw i8, ptr %tensor, i64 24
  %10 = load ptr, ptr %shape, align 8
  br label %for.body

for.cond:
  %inc = add nuw nsw i64 %k.052, 1
  %exitcond.not = icmp eq i64 %inc, %and.i
  br i1 %exitcond.not, label %for.body18.lr.ph, label %for.body

for.body18.lr.ph:
  %strides19 = getelementptr inbounds nuw i8, ptr %tensor, i64 32
  %11 = load ptr, ptr %strides19, align 8
  br label %for.body18

for.body:
  %k.052 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.cond ]
  %arrayidx9 = getelementptr inbounds nuw i64, ptr %10, i64 %k.052
  %12 = load i64, ptr %arrayidx9, align 8
  %arrayidx10 = getelementptr inbounds nuw i64, ptr %add.ptr, i64 %k.052
  %13 = load i64, ptr %arrayidx10, align 8
  %cmp11.not = icmp eq i64 %12, %13
  br i1 %cmp11.not, label %for.cond, label %cleanup33

for.body18:
  %k14.054 = phi i64 [ 0, %for.body18.lr.ph ], [ %inc26, %for.body18 ]
  %arrayidx20 = getelementptr inbounds nuw i64, ptr %11, i64 %k14.054
  %14 = load i64, ptr %arrayidx20, align 8
  %arrayidx21 = getelementptr inbounds nuw i64, ptr %add.ptr7, i64 %k14.054
  %15 = load i64, ptr %arrayidx21, align 8
  %cmp22.not = icmp eq i64 %14, %15
  %inc26 = add nuw nsw i64 %k14.054, 1
  %exitcond57.not = icmp ne i64 %inc26, %and.i
  %or.cond.not = select i1 %cmp22.not, i1 %exitcond57.not, i1 false
  br i1 %or.cond.not, label %for.body18, label %cleanup33

cleanup33:
  %retval.3 = phi i1 [ false, %entry ], [ false, %if.end ], [ false, %lor.lhs.false ], [ %cmp22.not, %for.body18 ], [ true, %if.end4 ], [ false, %for.body ]
  ret i1 %retval.3
}

define internal fastcc zeroext i1 @look(ptr %process, ptr %library, ptr %array, ptr %tensor) unnamed_addr {
entry:
  %body = getelementptr inbounds nuw i8, ptr %library, i64 32
  %0 = load i64, ptr %body, align 8
  %add.ptr = getelementptr inbounds i8, ptr %array, i64 %0
  %1 = load ptr, ptr %add.ptr, align 8
  %traits1 = getelementptr inbounds nuw i8, ptr %library, i64 40
  %2 = load i64, ptr %traits1, align 8
  %add.ptr2 = getelementptr inbounds i8, ptr %1, i64 %2
  %3 = load i64, ptr %add.ptr2, align 8
  %usual = getelementptr inbounds nuw i8, ptr %library, i64 48
  %4 = load i64, ptr %usual, align 8
  %cmp.not = icmp eq i64 %3, %4
  br i1 %cmp.not, label %if.end, label %land.lhs.true

land.lhs.true:
  %other = getelementptr inbounds nuw i8, ptr %library, i64 56
  %5 = load i64, ptr %other, align 8
  %cmp3.not = icmp eq i64 %3, %5
  br i1 %cmp3.not, label %if.end, label %cleanup

if.end:
  %look = getelementptr inbounds nuw i8, ptr %library, i64 16
  %6 = load ptr, ptr %look, align 8
  %call = tail call i32 %6(ptr %array, ptr %tensor)
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %if.end5, label %if.then4

if.then4:
  %PyErr_Clear = getelementptr inbounds nuw i8, ptr %process, i64 112
  %7 = load ptr, ptr %PyErr_Clear, align 8
  tail call void %7()
  br label %cleanup

if.end5:
  %device = getelementptr inbounds nuw i8, ptr %tensor, i64 8
  %8 = load i64, ptr %device, align 8
  %cmp6 = icmp eq i64 %8, 1
  br i1 %cmp6, label %land.rhs, label %cleanup

land.rhs:
  %byte_offset = getelementptr inbounds nuw i8, ptr %tensor, i64 40
  %9 = load i64, ptr %byte_offset, align 8
  %cmp7 = icmp eq i64 %9, 0
  br label %cleanup

cleanup:
  %retval.0 = phi i1 [ false, %land.lhs.true ], [ false, %if.then4 ], [ false, %if.end5 ], [ %cmp7, %land.rhs ]
  ret i1 %retval.0
}

define internal fastcc void @give_scratch(ptr %process, ptr %block, i64 %nbytes) unnamed_addr {
entry:
  %scratch_bytes = getelementptr inbounds nuw i8, ptr %process, i64 320
  %0 = load i64, ptr %scratch_bytes, align 8
  %cmp = icmp ugt i64 %nbytes, %0
  br i1 %cmp, label %if.then, label %if.end

if.then:
  %scratch = getelementptr inbounds nuw i8, ptr %process, i64 312
  %1 = load ptr, ptr %scratch, align 8
  store ptr %block, ptr %scratch, align 8
  store i64 %nbytes, ptr %scratch_bytes, align 8
  br label %if.end

if.end:
  %block.addr.0 = phi ptr [ %1, %if.then ], [ %block, %entry ]
  %free = getelementptr inbounds nuw i8, ptr %process, i64 128
  %2 = load ptr, ptr %free, align 8
  tail call void %2(ptr %block.addr.0)
  ret void
}

define internal fastcc zeroext i1 @nothing_pending(ptr %table) unnamed_addr {
entry:
  %0 = load ptr, ptr %table, align 8
  %pending = getelementptr inbounds nuw i8, ptr %table, i64 208
  %1 = load ptr, ptr %pending, align 8
  %tobool.not = icmp eq ptr %1, null
  br i1 %tobool.not, label %cleanup10, label %lor.lhs.false

lor.lhs.false:
  %2 = load i64, ptr %1, align 8
  %tobool3.not = icmp eq i64 %2, 0
  br i1 %tobool3.not, label %cleanup10, label %if.end

if.end:
  %PyObject_CallNoArgs = getelementptr inbounds nuw i8, ptr %0, i64 8
  %3 = load ptr, ptr %PyObject_CallNoArgs, align 8
  %taken = getelementptr inbounds nuw i8, ptr %table, i64 216
  %4 = load ptr, ptr %taken, align 8
  %call = tail call ptr %3(ptr %4)
  %tobool4.not = icmp eq ptr %call, null
  br i1 %tobool4.not, label %cleanup10, label %if.end6

if.end6:
  %None = getelementptr inbounds nuw i8, ptr %0, i64 272
  %5 = load ptr, ptr %None, align 8
  %cmp = icmp eq ptr %call, %5
  br i1 %cmp, label %if.end8, label %if.then7

if.then7:
  %PyErr_SetObject = getelementptr inbounds nuw i8, ptr %0, i64 152
  %6 = load ptr, ptr %PyErr_SetObject, align 8
  %type = getelementptr inbounds nuw i8, ptr %call, i64 8
  %7 = load ptr, ptr %type, align 8
  tail call void %6(ptr %7, ptr %call)
  br label %if.end8

if.end8:
  %Py_DecRef = getelementptr inbounds nuw i8, ptr %0, i64 48
  %8 = load ptr, ptr %Py_DecRef, align 8
  tail call void %8(ptr %call)
  br label %cleanup10

cleanup10:
  %retval.1 = phi i1 [ true, %entry ], [ true, %lor.lhs.false ], [ %cmp, %if.end8 ], [ false, %if.end ]
  ret i1 %retval.1
}

define internal fastcc zeroext i1 @make_of_capsule(ptr %process, ptr %library, ptr %block, ptr %result) unnamed_addr {
entry:
  %operands = alloca [8 x ptr], align 16
  %operand_count = getelementptr inbounds nuw i8, ptr %library, i64 88
  %0 = load i64, ptr %operand_count, align 8
  %cmp34 = icmp sgt i64 %0, 0
  br i1 %cmp34, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %operands1 = getelementptr inbounds nuw i8, ptr %library, i64 80
  %1 = load ptr, ptr %operands1, align 8
  br label %for.body

for.cond.cleanup:
  %PyCapsule_New = getelementptr inbounds nuw i8, ptr %process, i64 208
  %2 = load ptr, ptr %PyCapsule_New, align 8
  %capsule3 = getelementptr inbounds nuw i8, ptr %library, i64 96
  %3 = load ptr, ptr %capsule3, align 8
  %call = tail call ptr %2(ptr %block, ptr %3, ptr null)
  %tobool.not = icmp eq ptr %call, null
  br i1 %tobool.not, label %if.then, label %if.end

for.body:
  %k.035 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds nuw ptr, ptr %1, i64 %k.035
  %4 = load ptr, ptr %arrayidx, align 8
  %arrayidx2 = getelementptr inbounds nuw ptr, ptr %operands, i64 %k.035
  store ptr %4, ptr %arrayidx2, align 8
  %inc = add nuw nsw i64 %k.035, 1
  %exitcond.not = icmp eq i64 %inc, %0
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

if.then:
  %free = getelementptr inbounds nuw i8, ptr %process, i64 128
  %5 = load ptr, ptr %free, align 8
  tail call void %5(ptr %block)
  br label %cleanup

if.end:
  store ptr %call, ptr %operands, align 16
  %6 = load ptr, ptr %process, align 8
  %maker = getelementptr inbounds nuw i8, ptr %library, i64 72
  %7 = load ptr, ptr %maker, align 8
  %8 = load i64, ptr %operand_count, align 8
  %call6 = call ptr %6(ptr %7, ptr %operands, i64 %8, ptr null)
  store ptr %call6, ptr %result, align 8
  %PyCapsule_IsValid = getelementptr inbounds nuw i8, ptr %process, i64 216
  %9 = load ptr, ptr %PyCapsule_IsValid, align 8
  %10 = load ptr, ptr %capsule3, align 8
  %call8 = call i32 %9(ptr %call, ptr %10)
  %tobool9.not = icmp eq i32 %call8, 0
  br i1 %tobool9.not, label %if.end12, label %if.then10

if.then10:
  %free11 = getelementptr inbounds nuw i8, ptr %process, i64 128
  %11 = load ptr, ptr %free11, align 8
  call void %11(ptr %block)
  br label %if.end12

if.end12:
  %Py_DecRef = getelementptr inbounds nuw i8, ptr %process, i64 48
  %12 = load ptr, ptr %Py_DecRef, align 8
  call void %12(ptr %call)
  %13 = load ptr, ptr %result, align 8
  %cmp13 = icmp ne ptr %13, null
  br label %cleanup

cleanup:
  %retval.0 = phi i1 [ %cmp13, %if.end12 ], [ false, %if.then ]
  ret i1 %retval.0
}

declare i64 @llvm.umax.i64(i64, i64)
