; Made of device_entry.c by `make runtimes`: clang version 22.1.8
; 997936248e09f1795d839c36ac90e37c0f3a12d9f2a3973a6cdfcae4ac2eb598


@table_offset = external constant i64, align 8

define ptr @hybridize_device_entry(ptr %self, ptr %arguments, i64 %count, ptr %names) nounwind {
entry:
  %place.i.i = alloca i64, align 8
  %key.i.i = alloca ptr, align 8
  %value.i.i = alloca ptr, align 8
  %devices.i = alloca ptr, align 8
  %call13 = alloca { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }, align 8
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
  br i1 %cmp.not152.i, label %for.body.lr.ph.i178, label %if.then3

for.body.lr.ph.i178:
  %PyDict_GetItemWithError42.i = getelementptr inbounds nuw i8, ptr %3, i64 160
  %PyObject_GetAttr.i.i = getelementptr inbounds nuw i8, ptr %3, i64 176
  %Py_DecRef.i106.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %PyObject_CallNoArgs.i.i = getelementptr inbounds nuw i8, ptr %3, i64 8
  br label %for.body.i179

for.body.i179:
  %guard.0153.i = phi ptr [ %12, %for.body.lr.ph.i178 ], [ %incdec.ptr.i, %for.inc.i ]
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
  %arrayidx.i182 = getelementptr inbounds { i64, ptr, i64, i64 }, ptr %guard.0153.i, i64 %sub.i
  %expected10.i = getelementptr inbounds nuw i8, ptr %arrayidx.i182, i64 24
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
  %tobool.not.i181 = icmp eq ptr %49, null
  br i1 %tobool.not.i181, label %slow, label %cond.true.i

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
  %cmp.not.i180 = icmp ult ptr %incdec.ptr.i, %add.ptr.i
  br i1 %cmp.not.i180, label %for.body.i179, label %if.then3

check_guards.exit:
  %52 = load ptr, ptr %Py_DecRef.i106.i, align 8
  tail call void %52(ptr %call.i110.i)
  %cmp.i114.i.not = icmp eq ptr %call.i110.i, %50
  br i1 %cmp.i114.i.not, label %if.then3, label %slow

if.then3:
  %program.i.i = getelementptr inbounds nuw i8, ptr %2, i64 8
  %53 = load ptr, ptr %program.i.i, align 8
  %54 = load ptr, ptr %2, align 8
  store ptr null, ptr %devices.i, align 8
  %PyContextVar_Get.i = getelementptr inbounds nuw i8, ptr %53, i64 112
  %55 = load ptr, ptr %PyContextVar_Get.i, align 8
  %variable.i = getelementptr inbounds nuw i8, ptr %53, i64 80
  %56 = load ptr, ptr %variable.i, align 8
  %call2.i = call i32 %55(ptr %56, ptr null, ptr %devices.i)
  %tobool.not.i183 = icmp eq i32 %call2.i, 0
  br i1 %tobool.not.i183, label %if.end.i184, label %if.end5.thread249

if.end.i184:
  %57 = load ptr, ptr %devices.i, align 8
  %tuple_items.i.i185 = getelementptr inbounds nuw i8, ptr %54, i64 288
  %58 = load i64, ptr %tuple_items.i.i185, align 8
  %add.ptr.i.i186 = getelementptr inbounds i8, ptr %57, i64 %58
  %size.i187 = getelementptr inbounds nuw i8, ptr %57, i64 16
  %59 = load i64, ptr %size.i187, align 8
  %60 = getelementptr ptr, ptr %add.ptr.i.i186, i64 %59
  %arrayidx.i188 = getelementptr i8, ptr %60, i64 -8
  %61 = load ptr, ptr %arrayidx.i188, align 8
  %present.i = getelementptr inbounds nuw i8, ptr %53, i64 88
  %62 = load ptr, ptr %present.i, align 8
  %cmp.i = icmp eq ptr %61, %62
  br i1 %cmp.i, label %cond.end.critedge.i, label %lor.rhs.i

lor.rhs.i:
  %known.i = getelementptr inbounds nuw i8, ptr %53, i64 96
  %63 = load ptr, ptr %known.i, align 8
  %cmp4.i189 = icmp eq ptr %57, %63
  %Py_DecRef.i = getelementptr inbounds nuw i8, ptr %54, i64 48
  %64 = load ptr, ptr %Py_DecRef.i, align 8
  call void %64(ptr %57)
  br i1 %cmp4.i189, label %if.end5.thread246, label %cond.false.i

cond.false.i:
  %is_present.i = getelementptr inbounds nuw i8, ptr %53, i64 104
  %65 = load ptr, ptr %is_present.i, align 8
  %True.i190 = getelementptr inbounds nuw i8, ptr %54, i64 280
  %66 = load ptr, ptr %True.i190, align 8
  %PyObject_CallNoArgs.i.i191 = getelementptr inbounds nuw i8, ptr %54, i64 8
  %67 = load ptr, ptr %PyObject_CallNoArgs.i.i191, align 8
  %call.i.i192 = call ptr %67(ptr %65)
  %tobool.not.i.i193 = icmp eq ptr %call.i.i192, null
  br i1 %tobool.not.i.i193, label %if.end5.thread249, label %if.end5

cond.end.critedge.i:
  %Py_DecRef.c.i = getelementptr inbounds nuw i8, ptr %54, i64 48
  %68 = load ptr, ptr %Py_DecRef.c.i, align 8
  call void %68(ptr %57)
  br label %if.end5.thread246

if.end5.thread246:
  br label %lor.lhs.false

if.end5.thread249:
  br label %cleanup

if.end5:
  %69 = load ptr, ptr %Py_DecRef.i, align 8
  call void %69(ptr %call.i.i192)
  %cmp.i.i.not = icmp eq ptr %call.i.i192, %66
  br i1 %cmp.i.i.not, label %lor.lhs.false, label %slow

lor.lhs.false:
  %dirty.i = getelementptr inbounds nuw i8, ptr %2, i64 32
  %70 = load i64, ptr %dirty.i, align 8
  %busy.i = getelementptr inbounds nuw i8, ptr %2, i64 40
  %71 = load ptr, ptr %busy.i, align 8
  %72 = load i64, ptr %71, align 8
  %or.i = or i64 %72, %70
  %writer.i = getelementptr inbounds nuw i8, ptr %2, i64 232
  %73 = load ptr, ptr %writer.i, align 8
  %74 = load i64, ptr %73, align 8
  %or1.i = or i64 %or.i, %74
  %cmp.i194 = icmp eq i64 %or1.i, 0
  br i1 %cmp.i194, label %if.end12, label %slow

if.end12:
  %row_count = getelementptr inbounds nuw i8, ptr %2, i64 264
  %75 = load i64, ptr %row_count, align 8
  %result_count = getelementptr inbounds nuw i8, ptr %2, i64 144
  %76 = load i64, ptr %result_count, align 8
  store ptr %2, ptr %call13, align 8
  %process15 = getelementptr inbounds nuw i8, ptr %call13, i64 8
  store ptr %3, ptr %process15, align 8
  %objects = getelementptr inbounds nuw i8, ptr %call13, i64 16
  %mul = shl i64 %75, 3
  %77 = alloca i8, i64 %mul, align 16
  store ptr %77, ptr %objects, align 8
  %references = getelementptr inbounds nuw i8, ptr %call13, i64 24
  %78 = alloca i8, i64 %mul, align 16
  store ptr %78, ptr %references, align 8
  %scalars = getelementptr inbounds nuw i8, ptr %call13, i64 32
  store ptr null, ptr %scalars, align 8
  %inputs = getelementptr inbounds nuw i8, ptr %call13, i64 40
  %input_count = getelementptr inbounds nuw i8, ptr %2, i64 128
  %79 = load i64, ptr %input_count, align 8
  %mul17 = shl i64 %79, 3
  %80 = alloca i8, i64 %mul17, align 16
  store ptr %80, ptr %inputs, align 8
  %outputs = getelementptr inbounds nuw i8, ptr %call13, i64 48
  %mul18 = shl i64 %76, 3
  %81 = alloca i8, i64 %mul18, align 16
  store ptr %81, ptr %outputs, align 8
  %results19 = getelementptr inbounds nuw i8, ptr %call13, i64 56
  %82 = alloca i8, i64 %mul18, align 16
  store ptr %82, ptr %results19, align 8
  %blocks = getelementptr inbounds nuw i8, ptr %call13, i64 64
  store ptr null, ptr %blocks, align 8
  %views = getelementptr inbounds nuw i8, ptr %call13, i64 72
  store ptr null, ptr %views, align 8
  %figures = getelementptr inbounds nuw i8, ptr %call13, i64 80
  store ptr null, ptr %figures, align 8
  %keyword_count = getelementptr inbounds nuw i8, ptr %2, i64 256
  %83 = load i64, ptr %argument_count.i, align 8
  %84 = load i64, ptr %keyword_count, align 8
  %add262 = add i64 %84, %83
  %cmp21263 = icmp sgt i64 %add262, 0
  br i1 %cmp21263, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %cmp.not110.i = icmp slt i64 %75, 1
  br i1 %cmp.not110.i, label %if.end26, label %for.body.lr.ph.i195

for.body.lr.ph.i195:
  %arguments.i = getelementptr inbounds nuw i8, ptr %2, i64 104
  %tuple_items.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 288
  %PyDict_Next.i.i = getelementptr inbounds nuw i8, ptr %3, i64 168
  %int_class.i.i = getelementptr inbounds nuw i8, ptr %3, i64 264
  %PyLong_AsLongLong.i80.i = getelementptr inbounds nuw i8, ptr %3, i64 96
  %PyErr_Occurred.i.i = getelementptr inbounds nuw i8, ptr %3, i64 104
  %float_class.i.i = getelementptr inbounds nuw i8, ptr %3, i64 256
  %wrapper.i.i = getelementptr inbounds nuw i8, ptr %2, i64 56
  %data_offset.i.i = getelementptr inbounds nuw i8, ptr %2, i64 64
  br label %for.body.i196

for.body.i196:
  %k.0111.i = phi i64 [ 0, %for.body.lr.ph.i195 ], [ %inc.i200, %for.inc.i199 ]
  %85 = load ptr, ptr %arguments.i, align 8
  %arrayidx.i197 = getelementptr inbounds nuw { i64, i64, ptr, i64, ptr, ptr }, ptr %85, i64 %k.0111.i
  %arrayidx2.i = getelementptr inbounds nuw ptr, ptr %77, i64 %k.0111.i
  %86 = load ptr, ptr %arrayidx2.i, align 8
  %arrayidx3.i = getelementptr inbounds nuw ptr, ptr %78, i64 %k.0111.i
  store ptr null, ptr %arrayidx3.i, align 8
  %87 = load i64, ptr %arrayidx.i197, align 8
  switch i64 %87, label %slow [
    i64 0, label %sw.bb.i201
    i64 1, label %sw.bb10.i
    i64 2, label %sw.bb17.i
    i64 3, label %sw.bb24.i
    i64 4, label %sw.bb28.i
    i64 5, label %sw.bb28.i
    i64 6, label %sw.bb28.i
  ]

sw.bb.i201:
  %slot.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 8
  %88 = load i64, ptr %slot.i, align 8
  %arrayidx4.i = getelementptr inbounds ptr, ptr %80, i64 %88
  %89 = load ptr, ptr %program.i.i, align 8
  %type.i.i = getelementptr inbounds nuw i8, ptr %86, i64 8
  %90 = load ptr, ptr %type.i.i, align 8
  %91 = load ptr, ptr %wrapper.i.i, align 8
  %cmp.not.i.i = icmp eq ptr %90, %91
  br i1 %cmp.not.i.i, label %if.end.i.i202, label %checked_buffer.exit.i.thread

if.end.i.i202:
  %92 = load i64, ptr %data_offset.i.i, align 8
  %add.ptr.i.i203 = getelementptr inbounds i8, ptr %86, i64 %92
  %93 = load ptr, ptr %add.ptr.i.i203, align 8
  %tobool.not.i.i204 = icmp eq ptr %93, null
  br i1 %tobool.not.i.i204, label %checked_buffer.exit.i.thread, label %lor.lhs.false.i.i

lor.lhs.false.i.i:
  %type3.i.i = getelementptr inbounds nuw i8, ptr %93, i64 8
  %94 = load ptr, ptr %type3.i.i, align 8
  %buffer_class.i.i = getelementptr inbounds nuw i8, ptr %89, i64 16
  %95 = load ptr, ptr %buffer_class.i.i, align 8
  %cmp4.not.i.i = icmp eq ptr %94, %95
  br i1 %cmp4.not.i.i, label %if.end6.i.i, label %checked_buffer.exit.i.thread

if.end6.i.i:
  %buffer_memory.i.i = getelementptr inbounds nuw i8, ptr %89, i64 24
  %96 = load i64, ptr %buffer_memory.i.i, align 8
  %add.ptr7.i.i = getelementptr inbounds i8, ptr %93, i64 %96
  %97 = load ptr, ptr %add.ptr7.i.i, align 8
  %buffer_layout.i.i = getelementptr inbounds nuw i8, ptr %89, i64 32
  %98 = load i64, ptr %buffer_layout.i.i, align 8
  %add.ptr8.i.i = getelementptr inbounds i8, ptr %93, i64 %98
  %99 = load ptr, ptr %add.ptr8.i.i, align 8
  %memory_accelerator.i.i = getelementptr inbounds nuw i8, ptr %89, i64 40
  %100 = load i64, ptr %memory_accelerator.i.i, align 8
  %add.ptr9.i.i = getelementptr inbounds i8, ptr %97, i64 %100
  %101 = load ptr, ptr %add.ptr9.i.i, align 8
  %accelerator.i.i = getelementptr inbounds nuw i8, ptr %89, i64 8
  %102 = load ptr, ptr %accelerator.i.i, align 8
  %cmp10.not.i.i = icmp eq ptr %101, %102
  br i1 %cmp10.not.i.i, label %if.end12.i.i, label %checked_buffer.exit.i.thread

if.end12.i.i:
  %ndim.i.i = getelementptr inbounds nuw i8, ptr %99, i64 24
  %103 = load i32, ptr %ndim.i.i, align 8
  %conv.i.i = zext i32 %103 to i64
  %descr.i.i = getelementptr inbounds nuw i8, ptr %99, i64 56
  %104 = load ptr, ptr %descr.i.i, align 8
  %object.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 16
  %105 = load ptr, ptr %object.i.i, align 8
  %cmp13.not.i.i = icmp eq ptr %104, %105
  br i1 %cmp13.not.i.i, label %lor.lhs.false15.i.i, label %checked_buffer.exit.i.thread

lor.lhs.false15.i.i:
  %flags.i.i = getelementptr inbounds nuw i8, ptr %99, i64 64
  %106 = load i32, ptr %flags.i.i, align 8
  %and.i.i = and i32 %106, 1
  %tobool16.not.i.i = icmp eq i32 %and.i.i, 0
  br i1 %tobool16.not.i.i, label %checked_buffer.exit.i.thread, label %lor.lhs.false17.i.i

lor.lhs.false17.i.i:
  %ndim18.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 24
  %107 = load i64, ptr %ndim18.i.i, align 8
  %cmp19.not.i.i = icmp eq i64 %107, %conv.i.i
  br i1 %cmp19.not.i.i, label %for.cond.preheader.i.i, label %checked_buffer.exit.i.thread

for.cond.preheader.i.i:
  %cmp23.not73.not.i.i = icmp eq i32 %103, 0
  br i1 %cmp23.not73.not.i.i, label %for.end.i.i, label %for.body.lr.ph.i.i

for.body.lr.ph.i.i:
  %dims.i.i = getelementptr inbounds nuw i8, ptr %99, i64 32
  %108 = load ptr, ptr %dims.i.i, align 8
  %dims25.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 32
  %109 = load ptr, ptr %dims25.i.i, align 8
  br label %for.body.i.i

for.cond.i.i:
  %inc.i.i = add nuw nsw i64 %k.074.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc.i.i, %conv.i.i
  br i1 %exitcond.not.i.i, label %for.end.i.i, label %for.body.i.i

for.body.i.i:
  %k.074.i.i = phi i64 [ 0, %for.body.lr.ph.i.i ], [ %inc.i.i, %for.cond.i.i ]
  %arrayidx.i.i = getelementptr inbounds nuw i64, ptr %108, i64 %k.074.i.i
  %110 = load i64, ptr %arrayidx.i.i, align 8
  %arrayidx26.i.i = getelementptr inbounds nuw i64, ptr %109, i64 %k.074.i.i
  %111 = load i64, ptr %arrayidx26.i.i, align 8
  %cmp27.not.i.i = icmp eq i64 %110, %111
  br i1 %cmp27.not.i.i, label %for.cond.i.i, label %checked_buffer.exit.i.thread

for.end.i.i:
  %112 = load ptr, ptr %PyLong_AsLongLong.i80.i, align 8
  %memory_address.i.i = getelementptr inbounds nuw i8, ptr %89, i64 48
  %113 = load i64, ptr %memory_address.i.i, align 8
  %add.ptr31.i.i = getelementptr inbounds i8, ptr %97, i64 %113
  %114 = load ptr, ptr %add.ptr31.i.i, align 8
  %call32.i.i = call i64 %112(ptr %114)
  %cmp33.i.i = icmp eq i64 %call32.i.i, -1
  br i1 %cmp33.i.i, label %if.then35.i.i, label %checked_buffer.exit.i

if.then35.i.i:
  %PyErr_Clear.i.i205 = getelementptr inbounds nuw i8, ptr %3, i64 112
  %115 = load ptr, ptr %PyErr_Clear.i.i205, align 8
  call void %115()
  br label %checked_buffer.exit.i.thread

checked_buffer.exit.i.thread:
  store ptr null, ptr %arrayidx3.i, align 8
  br label %slow

checked_buffer.exit.i:
  %116 = inttoptr i64 %call32.i.i to ptr
  %data.i.i = getelementptr inbounds nuw i8, ptr %99, i64 16
  %117 = load ptr, ptr %data.i.i, align 8
  %origin.i.i = getelementptr inbounds nuw i8, ptr %89, i64 64
  %118 = load ptr, ptr %origin.i.i, align 8
  %sub.ptr.lhs.cast.i.i = ptrtoint ptr %117 to i64
  %sub.ptr.rhs.cast.i.i = ptrtoint ptr %118 to i64
  %sub.ptr.sub.i.i = sub i64 %sub.ptr.lhs.cast.i.i, %sub.ptr.rhs.cast.i.i
  %add.ptr38.i.i = getelementptr inbounds i8, ptr %116, i64 %sub.ptr.sub.i.i
  store ptr %add.ptr38.i.i, ptr %arrayidx4.i, align 8
  store ptr %93, ptr %arrayidx3.i, align 8
  br label %for.inc.i199

sw.bb10.i:
  %type.i71.i = getelementptr inbounds nuw i8, ptr %86, i64 8
  %119 = load ptr, ptr %type.i71.i, align 8
  %120 = load ptr, ptr %float_class.i.i, align 8
  %cmp.not.i73.i = icmp eq ptr %119, %120
  br i1 %cmp.not.i73.i, label %if.end.i74.i, label %slow

if.end.i74.i:
  %slot12.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 8
  %121 = load i64, ptr %slot12.i, align 8
  %arrayidx13.i = getelementptr inbounds ptr, ptr %80, i64 %121
  %value1.i.i = getelementptr inbounds nuw i8, ptr %86, i64 16
  %122 = load double, ptr %value1.i.i, align 8
  %object.i75.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 16
  %123 = load ptr, ptr %object.i75.i, align 8
  %cmp2.i.i = icmp eq ptr %123, inttoptr (i64 4 to ptr)
  %conv.i76.i = fptrunc double %122 to float
  %124 = bitcast float %conv.i76.i to i32
  %conv4.i.i = zext i32 %124 to i64
  %125 = bitcast i64 %conv4.i.i to double
  %storemerge.i.i = select i1 %cmp2.i.i, double %125, double %122
  store double %storemerge.i.i, ptr %arrayidx13.i, align 8
  br label %for.inc.i199

sw.bb17.i:
  %type.i77.i = getelementptr inbounds nuw i8, ptr %86, i64 8
  %126 = load ptr, ptr %type.i77.i, align 8
  %127 = load ptr, ptr %int_class.i.i, align 8
  %cmp.not.i78.i = icmp eq ptr %126, %127
  br i1 %cmp.not.i78.i, label %if.end.i79.i, label %slow

if.end.i79.i:
  %slot19.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 8
  %128 = load i64, ptr %slot19.i, align 8
  %arrayidx20.i = getelementptr inbounds ptr, ptr %80, i64 %128
  %129 = load ptr, ptr %PyLong_AsLongLong.i80.i, align 8
  %call2.i.i = call i64 %129(ptr %86)
  store i64 %call2.i.i, ptr %arrayidx20.i, align 8
  %cmp3.i.i = icmp eq i64 %call2.i.i, -1
  br i1 %cmp3.i.i, label %land.lhs.true.i.i, label %cleanup.i

land.lhs.true.i.i:
  %130 = load ptr, ptr %PyErr_Occurred.i.i, align 8
  %call4.i.i = call ptr %130()
  %tobool.not.i82.i = icmp eq ptr %call4.i.i, null
  br i1 %tobool.not.i82.i, label %for.inc.i199, label %if.then5.i.i

if.then5.i.i:
  %PyErr_Clear.i83.i = getelementptr inbounds nuw i8, ptr %3, i64 112
  %131 = load ptr, ptr %PyErr_Clear.i83.i, align 8
  call void %131()
  br label %slow

sw.bb24.i:
  %object.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 16
  %132 = load ptr, ptr %object.i, align 8
  %cmp25.not.i = icmp eq ptr %86, %132
  br i1 %cmp25.not.i, label %for.inc.i199, label %slow

sw.bb28.i:
  %type.i84.i = getelementptr inbounds nuw i8, ptr %86, i64 8
  %133 = load ptr, ptr %type.i84.i, align 8
  %object.i85.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 16
  %134 = load ptr, ptr %object.i85.i, align 8
  %cmp.not.i86.i = icmp eq ptr %133, %134
  br i1 %cmp.not.i86.i, label %if.end.i87.i, label %slow

if.end.i87.i:
  %ndim.i88.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 24
  %135 = load i64, ptr %ndim.i88.i, align 8
  %slot.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 8
  %136 = load i64, ptr %slot.i.i, align 8
  %arrayidx.i89.i = getelementptr inbounds ptr, ptr %77, i64 %136
  %cmp2.i90.i = icmp eq i64 %87, 6
  %used.i.i = getelementptr inbounds nuw i8, ptr %86, i64 16
  %137 = load i64, ptr %used.i.i, align 8
  %cmp4.not.i91.i = icmp eq i64 %137, %135
  br i1 %cmp2.i90.i, label %if.then3.i.i, label %if.end17.i.i

if.then3.i.i:
  br i1 %cmp4.not.i91.i, label %if.end6.i93.i, label %slow

if.end6.i93.i:
  store i64 0, ptr %place.i.i, align 8
  store ptr null, ptr %key.i.i, align 8
  store ptr null, ptr %value.i.i, align 8
  %cmp7.not67.i.i = icmp slt i64 %135, 1
  br i1 %cmp7.not67.i.i, label %cleanup14.i.thread.i, label %for.body.lr.ph.i95.i

for.body.lr.ph.i95.i:
  %dims.i96.i = getelementptr inbounds nuw i8, ptr %arrayidx.i197, i64 32
  br label %for.body.i97.i

for.body.i97.i:
  %k.068.i.i = phi i64 [ 0, %for.body.lr.ph.i95.i ], [ %inc.i100.i, %if.end12.i99.i ]
  %138 = load ptr, ptr %PyDict_Next.i.i, align 8
  %call8.i.i = call i32 %138(ptr %86, ptr %place.i.i, ptr %key.i.i, ptr %value.i.i)
  %139 = load ptr, ptr %key.i.i, align 8
  %140 = load ptr, ptr %dims.i96.i, align 8
  %arrayidx9.i.i = getelementptr inbounds nuw i64, ptr %140, i64 %k.068.i.i
  %141 = load i64, ptr %arrayidx9.i.i, align 8
  %142 = inttoptr i64 %141 to ptr
  %cmp10.not.i98.i = icmp eq ptr %139, %142
  br i1 %cmp10.not.i98.i, label %if.end12.i99.i, label %cleanup14.i.i

if.end12.i99.i:
  %143 = load ptr, ptr %value.i.i, align 8
  %arrayidx13.i.i = getelementptr inbounds nuw ptr, ptr %arrayidx.i89.i, i64 %k.068.i.i
  store ptr %143, ptr %arrayidx13.i.i, align 8
  %inc.i100.i = add nuw nsw i64 %k.068.i.i, 1
  %exitcond71.not.i.i = icmp eq i64 %inc.i100.i, %135
  br i1 %exitcond71.not.i.i, label %cleanup14.i.thread.i, label %for.body.i97.i

cleanup14.i.thread.i:
  br label %for.inc.i199

cleanup14.i.i:
  br label %slow

if.end17.i.i:
  br i1 %cmp4.not.i91.i, label %if.end20.i.i, label %slow

if.end20.i.i:
  %cmp22.i.i = icmp eq i64 %87, 5
  br i1 %cmp22.i.i, label %cond.true.i.i, label %cond.false.i.i

cond.true.i.i:
  %items23.i.i = getelementptr inbounds nuw i8, ptr %86, i64 24
  %144 = load ptr, ptr %items23.i.i, align 8
  br label %cond.end.i.i

cond.false.i.i:
  %145 = load i64, ptr %tuple_items.i.i.i, align 8
  %add.ptr.i.i.i = getelementptr inbounds i8, ptr %86, i64 %145
  br label %cond.end.i.i

cond.end.i.i:
  %cond.i.i198 = phi ptr [ %144, %cond.true.i.i ], [ %add.ptr.i.i.i, %cond.false.i.i ]
  %cmp2865.i.i = icmp sgt i64 %135, 0
  br i1 %cmp2865.i.i, label %for.body30.i.i, label %for.inc.i199

for.body30.i.i:
  %k26.066.i.i = phi i64 [ %inc34.i.i, %for.body30.i.i ], [ 0, %cond.end.i.i ]
  %arrayidx31.i.i = getelementptr inbounds nuw ptr, ptr %cond.i.i198, i64 %k26.066.i.i
  %146 = load ptr, ptr %arrayidx31.i.i, align 8
  %arrayidx32.i.i = getelementptr inbounds nuw ptr, ptr %arrayidx.i89.i, i64 %k26.066.i.i
  store ptr %146, ptr %arrayidx32.i.i, align 8
  %inc34.i.i = add nuw nsw i64 %k26.066.i.i, 1
  %exitcond.not.i92.i = icmp eq i64 %inc34.i.i, %135
  br i1 %exitcond.not.i92.i, label %for.inc.i199, label %for.body30.i.i

cleanup.i:
  %147 = add i64 %call2.i.i, 9007199254740992
  %148 = icmp ult i64 %147, 18014398509481985
  br i1 %148, label %for.inc.i199, label %slow

for.inc.i199:
  %inc.i200 = add nuw nsw i64 %k.0111.i, 1
  %149 = load i64, ptr %row_count, align 8
  %cmp.not.not.i = icmp slt i64 %inc.i200, %149
  br i1 %cmp.not.not.i, label %for.body.i196, label %if.end26

for.body:
  %k.0264 = phi i64 [ %inc, %for.body ], [ 0, %if.end12 ]
  %arrayidx = getelementptr inbounds nuw ptr, ptr %arguments, i64 %k.0264
  %150 = load ptr, ptr %arrayidx, align 8
  %arrayidx23 = getelementptr inbounds nuw ptr, ptr %77, i64 %k.0264
  store ptr %150, ptr %arrayidx23, align 8
  %inc = add nuw nsw i64 %k.0264, 1
  %cmp21 = icmp slt i64 %inc, %add262
  br i1 %cmp21, label %for.body, label %for.cond.cleanup

if.end26:
  %151 = load ptr, ptr %program.i.i, align 8
  %state_count = getelementptr inbounds nuw i8, ptr %151, i64 232
  %152 = load i64, ptr %state_count, align 8
  %tobool.not = icmp eq i64 %152, 0
  br i1 %tobool.not, label %if.end30, label %land.lhs.true

land.lhs.true:
  %askers = getelementptr inbounds nuw i8, ptr %151, i64 248
  %153 = load ptr, ptr %askers, align 8
  %size = getelementptr inbounds nuw i8, ptr %153, i64 16
  %154 = load i64, ptr %size, align 8
  %tobool28.not = icmp eq i64 %154, 0
  br i1 %tobool28.not, label %if.end30, label %slow

if.end30:
  %number_words = getelementptr inbounds nuw i8, ptr %151, i64 216
  %155 = load i64, ptr %number_words, align 8
  %mul31 = shl i64 %155, 3
  %156 = alloca i8, i64 %mul31, align 16
  %host_count.i = getelementptr inbounds nuw i8, ptr %151, i64 192
  %157 = load i64, ptr %host_count.i, align 8
  %cmp.not72.i = icmp slt i64 %157, 1
  br i1 %cmp.not72.i, label %for.cond7.preheader.i, label %for.body.lr.ph.i207

for.body.lr.ph.i207:
  %hosts.i = getelementptr inbounds nuw i8, ptr %151, i64 184
  %158 = load ptr, ptr %hosts.i, align 8
  %data_offset.i = getelementptr inbounds nuw i8, ptr %2, i64 64
  %159 = load i64, ptr %data_offset.i, align 8
  br label %for.body.i208

for.cond.i212:
  %inc.i213 = add nuw nsw i64 %k.073.i, 1
  %exitcond.not.i214 = icmp eq i64 %inc.i213, %157
  br i1 %exitcond.not.i214, label %for.cond7.preheader.i, label %for.body.i208

for.cond7.preheader.i:
  %cmp875.i = icmp sgt i64 %155, 0
  br i1 %cmp875.i, label %for.body10.i, label %for.cond17.preheader.i

for.body.i208:
  %k.073.i = phi i64 [ 0, %for.body.lr.ph.i207 ], [ %inc.i213, %for.cond.i212 ]
  %arrayidx.i209 = getelementptr inbounds nuw { ptr, ptr }, ptr %158, i64 %k.073.i
  %160 = load ptr, ptr %arrayidx.i209, align 8
  %add.ptr.i210 = getelementptr inbounds i8, ptr %160, i64 %159
  %161 = load ptr, ptr %add.ptr.i210, align 8
  %memory.i = getelementptr inbounds nuw i8, ptr %arrayidx.i209, i64 8
  %162 = load ptr, ptr %memory.i, align 8
  %cmp5.not.i211 = icmp eq ptr %161, %162
  br i1 %cmp5.not.i211, label %for.cond.i212, label %slow

for.cond17.preheader.i:
  %number_count.i = getelementptr inbounds nuw i8, ptr %151, i64 208
  %163 = load i64, ptr %number_count.i, align 8
  %cmp1877.i = icmp sgt i64 %163, 0
  br i1 %cmp1877.i, label %for.body20.lr.ph.i, label %if.end34

for.body20.lr.ph.i:
  %numbers21.i = getelementptr inbounds nuw i8, ptr %151, i64 200
  %hosts27.i = getelementptr inbounds nuw i8, ptr %151, i64 184
  %memcpy.i = getelementptr inbounds nuw i8, ptr %3, i64 136
  br label %for.body20.i

for.body10.i:
  %k6.076.i = phi i64 [ %inc13.i, %for.body10.i ], [ 0, %for.cond7.preheader.i ]
  %arrayidx11.i = getelementptr inbounds nuw i64, ptr %156, i64 %k6.076.i
  store i64 0, ptr %arrayidx11.i, align 8
  %inc13.i = add nuw nsw i64 %k6.076.i, 1
  %cmp8.i = icmp slt i64 %inc13.i, %155
  br i1 %cmp8.i, label %for.body10.i, label %for.cond17.preheader.i

for.body20.i:
  %k16.078.i = phi i64 [ 0, %for.body20.lr.ph.i ], [ %inc40.i, %if.end38.i ]
  %164 = load ptr, ptr %numbers21.i, align 8
  %arrayidx22.i = getelementptr inbounds nuw { i64, i64, i64 }, ptr %164, i64 %k16.078.i
  %165 = load i64, ptr %arrayidx22.i, align 8
  %cmp23.i = icmp sgt i64 %165, -1
  br i1 %cmp23.i, label %cond.true.i216, label %cond.false.i215

cond.true.i216:
  %arrayidx26.i = getelementptr inbounds nuw ptr, ptr %80, i64 %165
  br label %cond.end.i

cond.false.i215:
  %166 = load ptr, ptr %hosts27.i, align 8
  %not.i = xor i64 %165, -1
  %arrayidx29.i = getelementptr inbounds nuw { ptr, ptr }, ptr %166, i64 %not.i
  %memory30.i = getelementptr inbounds nuw i8, ptr %arrayidx29.i, i64 8
  %167 = load ptr, ptr %memory30.i, align 8
  %data.i = getelementptr inbounds nuw i8, ptr %167, i64 16
  %168 = load ptr, ptr %data.i, align 8
  br label %cond.end.i

cond.end.i:
  %cond.i = phi ptr [ %arrayidx26.i, %cond.true.i216 ], [ %168, %cond.false.i215 ]
  %169 = load ptr, ptr %memcpy.i, align 8
  %offset.i = getelementptr inbounds nuw i8, ptr %arrayidx22.i, i64 8
  %170 = load i64, ptr %offset.i, align 8
  %add.ptr31.i = getelementptr inbounds i8, ptr %156, i64 %170
  %nbytes.i = getelementptr inbounds nuw i8, ptr %arrayidx22.i, i64 16
  %171 = load i64, ptr %nbytes.i, align 8
  %call32.i = call ptr %169(ptr %add.ptr31.i, ptr %cond.i, i64 %171)
  br i1 %cmp23.i, label %if.then34.i, label %if.end38.i

if.then34.i:
  %172 = load i64, ptr %arrayidx22.i, align 8
  %arrayidx37.i = getelementptr inbounds ptr, ptr %80, i64 %172
  store ptr null, ptr %arrayidx37.i, align 8
  br label %if.end38.i

if.end38.i:
  %inc40.i = add nuw nsw i64 %k16.078.i, 1
  %173 = load i64, ptr %number_count.i, align 8
  %cmp18.i = icmp slt i64 %inc40.i, %173
  br i1 %cmp18.i, label %for.body20.i, label %if.end34

if.end34:
  %call35 = call fastcc ptr @find(ptr %call13)
  %tobool36.not = icmp eq ptr %call35, null
  br i1 %tobool36.not, label %slow, label %if.end38

if.end38:
  %174 = load ptr, ptr %call35, align 8
  %row_words = getelementptr inbounds nuw i8, ptr %151, i64 320
  %175 = load i64, ptr %row_words, align 8
  %add.ptr40 = getelementptr inbounds i64, ptr %call35, i64 %175
  %add.ptr42.idx = mul i64 %76, -16
  %add.ptr42 = getelementptr inbounds i8, ptr %add.ptr40, i64 %add.ptr42.idx
  %Py_IncRef = getelementptr inbounds nuw i8, ptr %3, i64 40
  %176 = load ptr, ptr %Py_IncRef, align 8
  call void %176(ptr %174)
  %cmp45265 = icmp sgt i64 %75, 0
  br i1 %cmp45265, label %for.body47, label %for.cond55.preheader

for.cond55.preheader:
  %cmp56267 = icmp sgt i64 %76, 0
  br i1 %cmp56267, label %for.body58, label %for.cond.cleanup57

for.body47:
  %k43.0266 = phi i64 [ %inc52, %for.body47 ], [ 0, %if.end38 ]
  %177 = load ptr, ptr %Py_IncRef, align 8
  %arrayidx50 = getelementptr inbounds nuw ptr, ptr %78, i64 %k43.0266
  %178 = load ptr, ptr %arrayidx50, align 8
  call void %177(ptr %178)
  %inc52 = add nuw nsw i64 %k43.0266, 1
  %exitcond.not = icmp eq i64 %inc52, %75
  br i1 %exitcond.not, label %for.cond55.preheader, label %for.body47

for.cond.cleanup57:
  %179 = load i64, ptr %state_count, align 8
  %mul72 = shl i64 %179, 4
  %180 = alloca i8, i64 %mul72, align 16
  %181 = load i64, ptr %number_words, align 8
  %add.ptr75 = getelementptr i64, ptr %call35, i64 %181
  %182 = load i64, ptr %input_count, align 8
  %add.ptr77 = getelementptr i64, ptr %add.ptr75, i64 %182
  %add.ptr81.idx = mul i64 %179, -16
  %add.ptr81 = getelementptr inbounds i8, ptr %add.ptr42, i64 %add.ptr81.idx
  %cmp85269 = icmp sgt i64 %179, 0
  br i1 %cmp85269, label %for.body87.lr.ph, label %for.cond.cleanup86

for.body87.lr.ph:
  %states88 = getelementptr inbounds nuw i8, ptr %151, i64 224
  %183 = load ptr, ptr %states88, align 8
  br label %for.body87

for.body58:
  %k54.0268 = phi i64 [ %inc69, %for.body58 ], [ 0, %for.cond55.preheader ]
  %arrayidx60.idx = shl i64 %k54.0268, 4
  %arrayidx60 = getelementptr inbounds i8, ptr %add.ptr42, i64 %arrayidx60.idx
  %184 = load i64, ptr %arrayidx60, align 8
  %185 = inttoptr i64 %184 to ptr
  %arrayidx62 = getelementptr inbounds nuw ptr, ptr %81, i64 %k54.0268
  store ptr %185, ptr %arrayidx62, align 8
  %arrayidx64 = getelementptr inbounds nuw ptr, ptr %82, i64 %k54.0268
  store ptr null, ptr %arrayidx64, align 8
  %186 = load ptr, ptr %Py_IncRef, align 8
  call void %186(ptr %185)
  %inc69 = add nuw nsw i64 %k54.0268, 1
  %exitcond282.not = icmp eq i64 %inc69, %76
  br i1 %exitcond282.not, label %for.cond.cleanup57, label %for.body58

for.cond.cleanup86:
  %call100 = call fastcc i32 @start(ptr %call13, ptr %call35, ptr %156)
  %cmp101 = icmp eq i32 %call100, 0
  br i1 %cmp101, label %if.then102, label %cond.end

for.body87:
  %k82.0270 = phi i64 [ 0, %for.body87.lr.ph ], [ %inc98, %for.body87 ]
  %arrayidx89 = getelementptr inbounds nuw i64, ptr %183, i64 %k82.0270
  %187 = load i64, ptr %arrayidx89, align 8
  %.idx = mul i64 %187, 24
  %188 = getelementptr i8, ptr %add.ptr77, i64 %.idx
  %arrayidx92 = getelementptr i8, ptr %188, i64 48
  %189 = load i64, ptr %arrayidx92, align 8
  %190 = inttoptr i64 %189 to ptr
  %arrayidx93 = getelementptr inbounds nuw { ptr, ptr }, ptr %180, i64 %k82.0270
  store ptr %190, ptr %arrayidx93, align 16
  %arrayidx95.idx = shl i64 %k82.0270, 4
  %arrayidx95 = getelementptr inbounds i8, ptr %add.ptr81, i64 %arrayidx95.idx
  %191 = load i64, ptr %arrayidx95, align 8
  %192 = inttoptr i64 %191 to ptr
  %spare = getelementptr inbounds nuw i8, ptr %arrayidx93, i64 8
  store ptr %192, ptr %spare, align 8
  %inc98 = add nuw nsw i64 %k82.0270, 1
  %exitcond283.not = icmp eq i64 %inc98, %179
  br i1 %exitcond283.not, label %for.cond.cleanup86, label %for.body87

if.then102:
  call fastcc void @exchange(ptr %call13, ptr %180)
  %committed.i = getelementptr inbounds nuw i8, ptr %2, i64 96
  %193 = load ptr, ptr %committed.i, align 8
  %tobool.not.i217 = icmp eq ptr %193, null
  br i1 %tobool.not.i217, label %land.lhs.true107, label %commit.exit

commit.exit:
  %PyObject_CallNoArgs.i = getelementptr inbounds nuw i8, ptr %3, i64 8
  %194 = load ptr, ptr %PyObject_CallNoArgs.i, align 8
  %call4.i = call ptr %194(ptr %193)
  %Py_DecRef.i219 = getelementptr inbounds nuw i8, ptr %3, i64 48
  %195 = load ptr, ptr %Py_DecRef.i219, align 8
  call void %195(ptr %call4.i)
  %tobool5.i.not = icmp eq ptr %call4.i, null
  br i1 %tobool5.i.not, label %cond.end.thread, label %land.lhs.true107

land.lhs.true107:
  %call108 = call fastcc zeroext i1 @wrap(ptr %call13)
  br i1 %call108, label %cond.true, label %cond.end.thread

cond.true:
  %call109 = call fastcc ptr @returned(ptr %call13)
  br label %cond.end.thread

cond.end.thread:
  %cond.ph = phi ptr [ null, %commit.exit ], [ null, %land.lhs.true107 ], [ %call109, %cond.true ]
  call fastcc void @release(ptr %call13, ptr %174)
  br label %cleanup

cond.end:
  call fastcc void @release(ptr %call13, ptr %174)
  %cmp110.not = icmp eq i32 %call100, 1
  br i1 %cmp110.not, label %slow, label %cleanup

slow:
  %196 = load ptr, ptr %3, align 8
  %fallback = getelementptr inbounds nuw i8, ptr %2, i64 48
  %197 = load ptr, ptr %fallback, align 8
  %call113 = call ptr %196(ptr %197, ptr %arguments, i64 %count, ptr %names)
  br label %cleanup

cleanup:
  %retval.0 = phi ptr [ null, %cond.true.i ], [ %call113, %slow ], [ null, %cond.end ], [ %cond.ph, %cond.end.thread ], [ null, %if.end5.thread249 ], [ null, %sw.bb29.i ]
  ret ptr %retval.0
}

define internal fastcc ptr @find(ptr %call) unnamed_addr {
entry:
  %0 = load ptr, ptr %call, align 8
  %program.i = getelementptr inbounds nuw i8, ptr %0, i64 8
  %1 = load ptr, ptr %program.i, align 8
  %row_count = getelementptr inbounds nuw i8, ptr %1, i64 312
  %2 = load i64, ptr %row_count, align 8
  %cmp.not24 = icmp sgt i64 %2, 0
  br i1 %cmp.not24, label %for.body.lr.ph, label %cleanup3

for.body.lr.ph:
  %rows = getelementptr inbounds nuw i8, ptr %1, i64 304
  %3 = load ptr, ptr %rows, align 8
  %row_words = getelementptr inbounds nuw i8, ptr %1, i64 320
  %4 = load i64, ptr %row_words, align 8
  %number_words.i = getelementptr inbounds nuw i8, ptr %1, i64 216
  %input_count.i = getelementptr inbounds nuw i8, ptr %0, i64 128
  %inputs.i = getelementptr inbounds nuw i8, ptr %call, i64 40
  %bound_count.i = getelementptr inbounds nuw i8, ptr %1, i64 176
  %bound.i = getelementptr inbounds nuw i8, ptr %1, i64 168
  %data_offset.i = getelementptr inbounds nuw i8, ptr %0, i64 64
  %memory_address.i.i = getelementptr inbounds nuw i8, ptr %1, i64 48
  %derived_count.i = getelementptr inbounds nuw i8, ptr %1, i64 288
  %derived.i = getelementptr inbounds nuw i8, ptr %1, i64 272
  %derived_buffer.i = getelementptr inbounds nuw i8, ptr %1, i64 296
  %dirty.i = getelementptr inbounds nuw i8, ptr %1, i64 280
  %state_count.i = getelementptr inbounds nuw i8, ptr %1, i64 232
  %states.i = getelementptr inbounds nuw i8, ptr %1, i64 224
  %storage_offset.i.i = getelementptr inbounds nuw i8, ptr %0, i64 72
  %process.i.i = getelementptr inbounds nuw i8, ptr %call, i64 8
  %storage_exposed.i.i = getelementptr inbounds nuw i8, ptr %1, i64 240
  %memory_users.i.i = getelementptr inbounds nuw i8, ptr %1, i64 56
  %result_count.i = getelementptr inbounds nuw i8, ptr %0, i64 144
  %nobody.i.i = getelementptr inbounds nuw i8, ptr %1, i64 72
  br label %for.body

for.body:
  %k.025 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.inc ]
  %mul = mul i64 %4, %k.025
  %add.ptr = getelementptr inbounds i64, ptr %3, i64 %mul
  %5 = load ptr, ptr %add.ptr, align 8
  %tobool.not.i = icmp eq ptr %5, null
  br i1 %tobool.not.i, label %for.inc, label %if.end.i

if.end.i:
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %add.ptr, i64 40
  %6 = load i64, ptr %number_words.i, align 8
  %add.ptr3.i = getelementptr inbounds i64, ptr %add.ptr.i, i64 %6
  %7 = load i64, ptr %input_count.i, align 8
  %cmp.not151.i = icmp sgt i64 %7, 0
  br i1 %cmp.not151.i, label %for.body.lr.ph.i, label %for.cond8.preheader.i

for.body.lr.ph.i:
  %8 = load ptr, ptr %inputs.i, align 8
  br label %for.body.i

for.cond8.preheader.i:
  %words.0.lcssa.i = phi ptr [ %add.ptr3.i, %if.end.i ], [ %incdec.ptr.i, %for.inc.i ]
  %9 = load i64, ptr %bound_count.i, align 8
  %cmp9.not154.i = icmp sgt i64 %9, 0
  br i1 %cmp9.not154.i, label %for.body11.lr.ph.i, label %for.cond30.preheader.i

for.body11.lr.ph.i:
  %10 = load ptr, ptr %bound.i, align 8
  %11 = load i64, ptr %data_offset.i, align 8
  %12 = mul i64 %9, 24
  %scevgep.i = getelementptr i8, ptr %words.0.lcssa.i, i64 %12
  br label %for.body11.i

for.body.i:
  %k.0153.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i, %for.inc.i ]
  %words.0152.i = phi ptr [ %add.ptr3.i, %for.body.lr.ph.i ], [ %incdec.ptr.i, %for.inc.i ]
  %13 = load i64, ptr %words.0152.i, align 8
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %8, i64 %k.0153.i
  %14 = load ptr, ptr %arrayidx.i, align 8
  %15 = ptrtoint ptr %14 to i64
  %cmp4.not.i = icmp eq i64 %13, %15
  br i1 %cmp4.not.i, label %for.inc.i, label %for.inc

for.inc.i:
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %words.0152.i, i64 8
  %inc.i = add nuw nsw i64 %k.0153.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %7
  br i1 %exitcond.not.i, label %for.cond8.preheader.i, label %for.body.i

for.cond30.preheader.i:
  %words.2.lcssa.i = phi ptr [ %words.0.lcssa.i, %for.cond8.preheader.i ], [ %scevgep.i, %for.inc23.i ]
  %16 = load i64, ptr %derived_count.i, align 8
  %cmp31.not158.i = icmp sgt i64 %16, 0
  br i1 %cmp31.not158.i, label %for.body33.lr.ph.i, label %for.cond48.preheader.i

for.body33.lr.ph.i:
  %17 = load ptr, ptr %derived.i, align 8
  %18 = load i64, ptr %derived_buffer.i, align 8
  %19 = shl i64 %16, 3
  %scevgep178.i = getelementptr i8, ptr %words.2.lcssa.i, i64 %19
  br label %for.body33.i

for.body11.i:
  %k7.0156.i = phi i64 [ 0, %for.body11.lr.ph.i ], [ %inc24.i, %for.inc23.i ]
  %words.2155.i = phi ptr [ %words.0.lcssa.i, %for.body11.lr.ph.i ], [ %add.ptr25.i, %for.inc23.i ]
  %arrayidx12.i = getelementptr inbounds nuw ptr, ptr %10, i64 %k7.0156.i
  %20 = load ptr, ptr %arrayidx12.i, align 8
  %add.ptr13.i = getelementptr inbounds i8, ptr %20, i64 %11
  %21 = load i64, ptr %add.ptr13.i, align 8
  %22 = load i64, ptr %words.2155.i, align 8
  %cmp15.not.i = icmp eq i64 %21, %22
  br i1 %cmp15.not.i, label %if.end17.i, label %for.inc

if.end17.i:
  %arrayidx18.i = getelementptr inbounds nuw i8, ptr %words.2155.i, i64 8
  %23 = load i64, ptr %arrayidx18.i, align 8
  %arrayidx19.i = getelementptr inbounds nuw i8, ptr %words.2155.i, i64 16
  %24 = load i64, ptr %arrayidx19.i, align 8
  %25 = inttoptr i64 %23 to ptr
  %26 = load i64, ptr %memory_address.i.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr %25, i64 %26
  %27 = load i64, ptr %add.ptr.i.i, align 8
  %cmp.i.i = icmp eq i64 %27, %24
  br i1 %cmp.i.i, label %for.inc23.i, label %for.inc

for.inc23.i:
  %inc24.i = add nuw nsw i64 %k7.0156.i, 1
  %add.ptr25.i = getelementptr inbounds nuw i8, ptr %words.2155.i, i64 24
  %exitcond177.not.i = icmp eq i64 %inc24.i, %9
  br i1 %exitcond177.not.i, label %for.cond30.preheader.i, label %for.body11.i

for.cond30.i:
  %inc43.i = add nuw nsw i64 %k29.0160.i, 1
  %incdec.ptr36.i = getelementptr inbounds nuw i8, ptr %words.3159.i, i64 8
  %exitcond179.not.i = icmp eq i64 %inc43.i, %16
  br i1 %exitcond179.not.i, label %for.cond48.preheader.i, label %for.body33.i

for.cond48.preheader.i:
  %words.3.lcssa.i = phi ptr [ %words.2.lcssa.i, %for.cond30.preheader.i ], [ %scevgep178.i, %for.cond30.i ]
  %28 = load i64, ptr %state_count.i, align 8
  %cmp49.not162.i = icmp sgt i64 %28, 0
  br i1 %cmp49.not162.i, label %for.body51.lr.ph.i, label %for.cond69.preheader.i

for.body51.lr.ph.i:
  %29 = load i64, ptr %memory_address.i.i, align 8
  %30 = shl i64 %28, 4
  %scevgep180.i = getelementptr i8, ptr %words.3.lcssa.i, i64 %30
  br label %for.body51.i

for.body33.i:
  %k29.0160.i = phi i64 [ 0, %for.body33.lr.ph.i ], [ %inc43.i, %for.cond30.i ]
  %words.3159.i = phi ptr [ %words.2.lcssa.i, %for.body33.lr.ph.i ], [ %incdec.ptr36.i, %for.cond30.i ]
  %arrayidx34.i = getelementptr inbounds nuw ptr, ptr %17, i64 %k29.0160.i
  %31 = load ptr, ptr %arrayidx34.i, align 8
  %add.ptr35.i = getelementptr inbounds i8, ptr %31, i64 %18
  %32 = load i64, ptr %add.ptr35.i, align 8
  %33 = load i64, ptr %words.3159.i, align 8
  %cmp37.not.i = icmp eq i64 %32, %33
  br i1 %cmp37.not.i, label %lor.lhs.false.i, label %for.inc

lor.lhs.false.i:
  %34 = load ptr, ptr %dirty.i, align 8
  %arrayidx38.i = getelementptr inbounds nuw ptr, ptr %34, i64 %k29.0160.i
  %35 = load ptr, ptr %arrayidx38.i, align 8
  %36 = load i64, ptr %35, align 8
  %tobool39.not.i = icmp eq i64 %36, 0
  br i1 %tobool39.not.i, label %for.cond30.i, label %for.inc

for.cond69.preheader.i:
  %words.5.lcssa.i = phi ptr [ %words.3.lcssa.i, %for.cond48.preheader.i ], [ %scevgep180.i, %for.inc62.i ]
  %37 = load i64, ptr %result_count.i, align 8
  %cmp70.not166.i = icmp slt i64 %37, 1
  br i1 %cmp70.not166.i, label %cleanup3, label %for.body72.i

for.body51.i:
  %k47.0164.i = phi i64 [ 0, %for.body51.lr.ph.i ], [ %inc63.i, %for.inc62.i ]
  %words.5163.i = phi ptr [ %words.3.lcssa.i, %for.body51.lr.ph.i ], [ %add.ptr64.i, %for.inc62.i ]
  %38 = load i64, ptr %words.5163.i, align 8
  %arrayidx53.i = getelementptr inbounds nuw i8, ptr %words.5163.i, i64 8
  %39 = load i64, ptr %arrayidx53.i, align 8
  %40 = inttoptr i64 %38 to ptr
  %add.ptr.i135.i = getelementptr inbounds i8, ptr %40, i64 %29
  %41 = load i64, ptr %add.ptr.i135.i, align 8
  %cmp.i136.i = icmp eq i64 %41, %39
  br i1 %cmp.i136.i, label %lor.lhs.false55.i, label %for.inc

lor.lhs.false55.i:
  %42 = load ptr, ptr %bound.i, align 8
  %43 = load ptr, ptr %states.i, align 8
  %arrayidx57.i = getelementptr inbounds nuw i64, ptr %43, i64 %k47.0164.i
  %44 = load i64, ptr %arrayidx57.i, align 8
  %arrayidx58.i = getelementptr inbounds ptr, ptr %42, i64 %44
  %45 = load ptr, ptr %arrayidx58.i, align 8
  %46 = load i64, ptr %storage_offset.i.i, align 8
  %add.ptr.i137.i = getelementptr inbounds i8, ptr %45, i64 %46
  %47 = load ptr, ptr %add.ptr.i137.i, align 8
  %48 = load ptr, ptr %process.i.i, align 8
  %None.i.i = getelementptr inbounds nuw i8, ptr %48, i64 272
  %49 = load ptr, ptr %None.i.i, align 8
  %cmp.i138.i = icmp eq ptr %47, %49
  br i1 %cmp.i138.i, label %for.inc62.i, label %is_hidden.exit.i

is_hidden.exit.i:
  %50 = load i64, ptr %storage_exposed.i.i, align 8
  %add.ptr3.i.i = getelementptr inbounds i8, ptr %47, i64 %50
  %51 = load ptr, ptr %add.ptr3.i.i, align 8
  %True.i.i = getelementptr inbounds nuw i8, ptr %48, i64 280
  %52 = load ptr, ptr %True.i.i, align 8
  %cmp5.i.not.i = icmp eq ptr %51, %52
  br i1 %cmp5.i.not.i, label %for.inc, label %for.inc62.i

for.inc62.i:
  %inc63.i = add nuw nsw i64 %k47.0164.i, 1
  %add.ptr64.i = getelementptr inbounds nuw i8, ptr %words.5163.i, i64 16
  %exitcond181.not.i = icmp eq i64 %inc63.i, %28
  br i1 %exitcond181.not.i, label %for.cond69.preheader.i, label %for.body51.i

for.body72.i:
  %k68.0168.i = phi i64 [ %inc79.i, %for.inc78.i ], [ 0, %for.cond69.preheader.i ]
  %words.6167.i = phi ptr [ %add.ptr80.i, %for.inc78.i ], [ %words.5.lcssa.i, %for.cond69.preheader.i ]
  %53 = load i64, ptr %words.6167.i, align 8
  %54 = inttoptr i64 %53 to ptr
  %55 = load i64, ptr %54, align 8
  %56 = and i64 %55, 4294967295
  %cmp.i139.i = icmp eq i64 %56, 1
  br i1 %cmp.i139.i, label %land.lhs.true.i.i, label %for.inc

land.lhs.true.i.i:
  %arrayidx74.i = getelementptr inbounds nuw i8, ptr %words.6167.i, i64 8
  %57 = load i64, ptr %arrayidx74.i, align 8
  %58 = load i64, ptr %memory_address.i.i, align 8
  %add.ptr.i.i.i = getelementptr inbounds i8, ptr %54, i64 %58
  %59 = load i64, ptr %add.ptr.i.i.i, align 8
  %cmp.i.i.i = icmp eq i64 %59, %57
  br i1 %cmp.i.i.i, label %is_free.exit.i, label %for.inc

is_free.exit.i:
  %60 = load i64, ptr %memory_users.i.i, align 8
  %add.ptr.i140.i = getelementptr inbounds i8, ptr %54, i64 %60
  %61 = load ptr, ptr %add.ptr.i140.i, align 8
  %62 = load ptr, ptr %nobody.i.i, align 8
  %cmp3.i.i = icmp eq ptr %61, %62
  br i1 %cmp3.i.i, label %for.inc78.i, label %for.inc

for.inc78.i:
  %inc79.i = add nuw nsw i64 %k68.0168.i, 1
  %add.ptr80.i = getelementptr inbounds nuw i8, ptr %words.6167.i, i64 16
  %exitcond182.not.i = icmp eq i64 %inc79.i, %37
  br i1 %exitcond182.not.i, label %cleanup3, label %for.body72.i

for.inc:
  %inc = add nuw nsw i64 %k.025, 1
  %exitcond.not = icmp eq i64 %inc, %2
  br i1 %exitcond.not, label %cleanup3, label %for.body

cleanup3:
  %spec.select = phi ptr [ null, %entry ], [ %add.ptr, %for.inc78.i ], [ null, %for.inc ], [ %add.ptr, %for.cond69.preheader.i ]
  ret ptr %spec.select
}

define internal fastcc i32 @start(ptr %call, ptr %row, ptr %numbers) unnamed_addr {
entry:
  %outside = alloca ptr, align 8
  %block = alloca ptr, align 8
  %arguments = alloca [64 x ptr], align 16
  %process1 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %0 = load ptr, ptr %process1, align 8
  %1 = load ptr, ptr %call, align 8
  %program.i = getelementptr inbounds nuw i8, ptr %1, i64 8
  %2 = load ptr, ptr %program.i, align 8
  %3 = load ptr, ptr %2, align 8
  %failed = getelementptr inbounds nuw i8, ptr %3, i64 16
  %4 = load i64, ptr %failed, align 8
  %inherited = getelementptr inbounds nuw i8, ptr %3, i64 24
  %5 = load i64, ptr %inherited, align 8
  %or = or i64 %5, %4
  %tobool.not = icmp eq i64 %or, 0
  br i1 %tobool.not, label %if.end, label %cleanup81

if.end:
  %add.ptr = getelementptr inbounds nuw i8, ptr %row, i64 40
  %number_words = getelementptr inbounds nuw i8, ptr %2, i64 216
  %6 = load i64, ptr %number_words, align 8
  %cmp152 = icmp sgt i64 %6, 0
  br i1 %cmp152, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %is_sent = getelementptr inbounds nuw i8, ptr %row, i64 32
  br label %for.body

for.cond.cleanup:
  %7 = load i64, ptr %3, align 8
  %untidy = getelementptr inbounds nuw i8, ptr %3, i64 8
  %8 = load i64, ptr %untidy, align 8
  %or10 = or i64 %8, %7
  %tobool11.not = icmp eq i64 %or10, 0
  br i1 %tobool11.not, label %if.end14, label %if.then12

for.body:
  %k.0153 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %if.end7 ]
  %arrayidx = getelementptr inbounds nuw i64, ptr %add.ptr, i64 %k.0153
  %9 = load i64, ptr %arrayidx, align 8
  %arrayidx4 = getelementptr inbounds nuw i64, ptr %numbers, i64 %k.0153
  %10 = load i64, ptr %arrayidx4, align 8
  %cmp5.not = icmp eq i64 %9, %10
  br i1 %cmp5.not, label %if.end7, label %if.then6

if.then6:
  store i64 0, ptr %is_sent, align 8
  %.pre = load i64, ptr %arrayidx4, align 8
  br label %if.end7

if.end7:
  %11 = phi i64 [ %.pre, %if.then6 ], [ %9, %for.body ]
  store i64 %11, ptr %arrayidx, align 8
  %inc = add nuw nsw i64 %k.0153, 1
  %exitcond.not = icmp eq i64 %inc, %6
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

if.then12:
  %12 = load ptr, ptr %row, align 8
  %True = getelementptr inbounds nuw i8, ptr %0, i64 280
  %13 = load ptr, ptr %True, align 8
  %PyObject_CallNoArgs.i = getelementptr inbounds nuw i8, ptr %0, i64 8
  %14 = load ptr, ptr %PyObject_CallNoArgs.i, align 8
  %call.i = tail call ptr %14(ptr %12)
  %tobool.not.i = icmp eq ptr %call.i, null
  br i1 %tobool.not.i, label %cleanup81, label %if.end.i

if.end.i:
  %Py_DecRef.i = getelementptr inbounds nuw i8, ptr %0, i64 48
  %15 = load ptr, ptr %Py_DecRef.i, align 8
  tail call void %15(ptr %call.i)
  %cmp.i = icmp ne ptr %call.i, %13
  %cond.i = zext i1 %cmp.i to i32
  br label %cleanup81

if.end14:
  %is_sent16 = getelementptr inbounds nuw i8, ptr %row, i64 32
  %16 = load i64, ptr %is_sent16, align 8
  %tobool17.not = icmp eq i64 %16, 0
  store i64 1, ptr %is_sent16, align 8
  %started = getelementptr inbounds nuw i8, ptr %3, i64 40
  %17 = load i64, ptr %started, align 8
  %inc19 = add i64 %17, 1
  store i64 %inc19, ptr %started, align 8
  %used = getelementptr inbounds nuw i8, ptr %row, i64 16
  store i64 %17, ptr %used, align 8
  %number = getelementptr inbounds nuw i8, ptr %2, i64 128
  %18 = load i64, ptr %number, align 8
  %recent = getelementptr inbounds nuw i8, ptr %3, i64 120
  %rem = srem i64 %17, 16
  %arrayidx21 = getelementptr inbounds i64, ptr %recent, i64 %rem
  store i64 %18, ptr %arrayidx21, align 8
  %graph22 = getelementptr inbounds nuw i8, ptr %row, i64 8
  %19 = load ptr, ptr %graph22, align 8
  %block23 = getelementptr inbounds nuw i8, ptr %row, i64 24
  %20 = load i64, ptr %block23, align 8
  %21 = inttoptr i64 %20 to ptr
  store ptr %21, ptr %block, align 8
  br i1 %tobool17.not, label %for.body28, label %for.cond.cleanup27

for.cond.cleanup27:
  %readers = getelementptr inbounds nuw i8, ptr %0, i64 296
  %22 = load ptr, ptr %readers, align 8
  %23 = load i64, ptr %22, align 8
  %inc36 = add i64 %23, 1
  store i64 %inc36, ptr %22, align 8
  %asking = getelementptr inbounds nuw i8, ptr %3, i64 32
  %24 = load i64, ptr %asking, align 8
  %inc37 = add i64 %24, 1
  store i64 %inc37, ptr %asking, align 8
  %PyEval_SaveThread = getelementptr inbounds nuw i8, ptr %0, i64 24
  %25 = load ptr, ptr %PyEval_SaveThread, align 8
  %call38 = call ptr %25()
  %push = getelementptr inbounds nuw i8, ptr %3, i64 64
  %26 = load ptr, ptr %push, align 8
  %context = getelementptr inbounds nuw i8, ptr %3, i64 104
  %27 = load ptr, ptr %context, align 8
  %call39 = call i32 %26(ptr %27)
  %tobool40.not = icmp eq i32 %call39, 0
  br i1 %tobool40.not, label %if.then41, label %if.end56

for.body28:
  %k24.0154 = phi i64 [ %inc34, %for.body28 ], [ 0, %if.end14 ]
  %cmp29 = icmp eq i64 %k24.0154, 0
  %cmp30.not = icmp sgt i64 %k24.0154, %6
  %or.cond = or i1 %cmp29, %cmp30.not
  %28 = getelementptr i64, ptr %numbers, i64 %k24.0154
  %arrayidx31 = getelementptr i8, ptr %28, i64 -8
  %cond = select i1 %or.cond, ptr %block, ptr %arrayidx31
  %arrayidx32 = getelementptr inbounds nuw ptr, ptr %arguments, i64 %k24.0154
  store ptr %cond, ptr %arrayidx32, align 8
  %inc34 = add nuw nsw i64 %k24.0154, 1
  %exitcond155.not = icmp eq i64 %inc34, 64
  br i1 %exitcond155.not, label %for.cond.cleanup27, label %for.body28

if.then41:
  br i1 %tobool17.not, label %if.end48, label %if.then50

if.end48:
  %call44 = getelementptr inbounds nuw i8, ptr %3, i64 88
  %29 = load ptr, ptr %call44, align 8
  %numbers45 = getelementptr inbounds nuw i8, ptr %3, i64 96
  %30 = load ptr, ptr %numbers45, align 8
  %stream = getelementptr inbounds nuw i8, ptr %3, i64 112
  %31 = load ptr, ptr %stream, align 8
  %call46 = call i32 %29(ptr %30, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 0, ptr %31, ptr %arguments, ptr null)
  %tobool49.not = icmp eq i32 %call46, 0
  br i1 %tobool49.not, label %if.then50, label %if.end54

if.then50:
  %launch = getelementptr inbounds nuw i8, ptr %3, i64 72
  %32 = load ptr, ptr %launch, align 8
  %stream51 = getelementptr inbounds nuw i8, ptr %3, i64 112
  %33 = load ptr, ptr %stream51, align 8
  %call52 = call i32 %32(ptr %19, ptr %33)
  br label %if.end54

if.end54:
  %place.1 = phi i64 [ 2, %if.end48 ], [ 1, %if.then50 ]
  %result.1.in = phi i32 [ %call46, %if.end48 ], [ %call52, %if.then50 ]
  %pop = getelementptr inbounds nuw i8, ptr %3, i64 80
  %34 = load ptr, ptr %pop, align 8
  %call55 = call i32 %34(ptr %outside)
  br label %if.end56

if.end56:
  %place.2 = phi i64 [ 0, %for.cond.cleanup27 ], [ %place.1, %if.end54 ]
  %result.2.in = phi i32 [ %call39, %for.cond.cleanup27 ], [ %result.1.in, %if.end54 ]
  %PyEval_RestoreThread = getelementptr inbounds nuw i8, ptr %0, i64 32
  %35 = load ptr, ptr %PyEval_RestoreThread, align 8
  call void %35(ptr %call38)
  %36 = load i64, ptr %asking, align 8
  %dec = add i64 %36, -1
  store i64 %dec, ptr %asking, align 8
  %37 = load ptr, ptr %readers, align 8
  %38 = load i64, ptr %37, align 8
  %dec59 = add i64 %38, -1
  store i64 %dec59, ptr %37, align 8
  %tobool60.not = icmp eq i32 %result.2.in, 0
  br i1 %tobool60.not, label %cleanup, label %if.end62

if.end62:
  %result.2 = sext i32 %result.2.in to i64
  %cmp63 = icmp eq i64 %6, 0
  %conv65 = zext i1 %cmp63 to i64
  store i64 %conv65, ptr %is_sent16, align 8
  %result67 = getelementptr inbounds nuw i8, ptr %3, i64 48
  store i64 %result.2, ptr %result67, align 8
  %place68 = getelementptr inbounds nuw i8, ptr %3, i64 56
  store i64 %place.2, ptr %place68, align 8
  %failed69 = getelementptr inbounds nuw i8, ptr %2, i64 120
  %39 = load ptr, ptr %failed69, align 8
  %True70 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %40 = load ptr, ptr %True70, align 8
  %PyObject_CallNoArgs.i140 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %41 = load ptr, ptr %PyObject_CallNoArgs.i140, align 8
  %call.i141 = call ptr %41(ptr %39)
  %tobool.not.i142 = icmp eq ptr %call.i141, null
  br i1 %tobool.not.i142, label %cleanup, label %if.end.i143

if.end.i143:
  %Py_DecRef.i144 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %42 = load ptr, ptr %Py_DecRef.i144, align 8
  call void %42(ptr %call.i141)
  %cmp.i145 = icmp ne ptr %call.i141, %40
  %cond.i146 = zext i1 %cmp.i145 to i32
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ 0, %if.end56 ], [ %cond.i146, %if.end.i143 ], [ 2, %if.end62 ]
  br label %cleanup81

cleanup81:
  %retval.2 = phi i32 [ 1, %entry ], [ %retval.0, %cleanup ], [ %cond.i, %if.end.i ], [ 2, %if.then12 ]
  ret i32 %retval.2
}

define internal fastcc void @exchange(ptr %call, ptr %states) unnamed_addr {
entry:
  %0 = load ptr, ptr %call, align 8
  %program.i = getelementptr inbounds nuw i8, ptr %0, i64 8
  %1 = load ptr, ptr %program.i, align 8
  %state_count = getelementptr inbounds nuw i8, ptr %1, i64 232
  %2 = load i64, ptr %state_count, align 8
  %cmp34 = icmp sgt i64 %2, 0
  br i1 %cmp34, label %for.body.lr.ph, label %for.cond6.preheader

for.body.lr.ph:
  %memory_address = getelementptr inbounds nuw i8, ptr %1, i64 48
  br label %for.body

for.cond6.preheader:
  %host_state_count = getelementptr inbounds nuw i8, ptr %1, i64 264
  %3 = load i64, ptr %host_state_count, align 8
  %cmp736 = icmp sgt i64 %3, 0
  br i1 %cmp736, label %for.body9.lr.ph, label %for.cond.cleanup8

for.body9.lr.ph:
  %host_states = getelementptr inbounds nuw i8, ptr %1, i64 256
  %process = getelementptr inbounds nuw i8, ptr %call, i64 8
  %hosts = getelementptr inbounds nuw i8, ptr %1, i64 184
  br label %for.body9

for.body:
  %k.035 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds nuw { ptr, ptr }, ptr %states, i64 %k.035
  %4 = load ptr, ptr %arrayidx, align 8
  %5 = load i64, ptr %memory_address, align 8
  %add.ptr = getelementptr inbounds i8, ptr %4, i64 %5
  %spare = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %6 = load ptr, ptr %spare, align 8
  %add.ptr4 = getelementptr inbounds i8, ptr %6, i64 %5
  %7 = load ptr, ptr %add.ptr, align 8
  %8 = load ptr, ptr %add.ptr4, align 8
  store ptr %8, ptr %add.ptr, align 8
  store ptr %7, ptr %add.ptr4, align 8
  %inc = add nuw nsw i64 %k.035, 1
  %9 = load i64, ptr %state_count, align 8
  %cmp = icmp slt i64 %inc, %9
  br i1 %cmp, label %for.body, label %for.cond6.preheader

for.cond.cleanup8:
  ret void

for.body9:
  %k5.037 = phi i64 [ 0, %for.body9.lr.ph ], [ %inc16, %for.body9 ]
  %10 = load ptr, ptr %host_states, align 8
  %arrayidx11 = getelementptr inbounds nuw { i64, ptr, i64 }, ptr %10, i64 %k5.037
  %11 = load ptr, ptr %process, align 8
  %memcpy = getelementptr inbounds nuw i8, ptr %11, i64 136
  %12 = load ptr, ptr %memcpy, align 8
  %13 = load ptr, ptr %hosts, align 8
  %14 = load i64, ptr %arrayidx11, align 8
  %arrayidx12 = getelementptr inbounds { ptr, ptr }, ptr %13, i64 %14
  %memory13 = getelementptr inbounds nuw i8, ptr %arrayidx12, i64 8
  %15 = load ptr, ptr %memory13, align 8
  %data = getelementptr inbounds nuw i8, ptr %15, i64 16
  %16 = load ptr, ptr %data, align 8
  %value = getelementptr inbounds nuw i8, ptr %arrayidx11, i64 8
  %17 = load ptr, ptr %value, align 8
  %nbytes = getelementptr inbounds nuw i8, ptr %arrayidx11, i64 16
  %18 = load i64, ptr %nbytes, align 8
  %call14 = tail call ptr %12(ptr %16, ptr %17, i64 %18)
  %inc16 = add nuw nsw i64 %k5.037, 1
  %19 = load i64, ptr %host_state_count, align 8
  %cmp7 = icmp slt i64 %inc16, %19
  br i1 %cmp7, label %for.body9, label %for.cond.cleanup8
}

define internal fastcc zeroext i1 @wrap(ptr %call) unnamed_addr {
entry:
  %0 = load ptr, ptr %call, align 8
  %process2 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %1 = load ptr, ptr %process2, align 8
  %result_count = getelementptr inbounds nuw i8, ptr %0, i64 144
  %2 = load i64, ptr %result_count, align 8
  %cmp.not83 = icmp slt i64 %2, 1
  br i1 %cmp.not83, label %cleanup23, label %for.body.lr.ph

for.body.lr.ph:
  %program.i = getelementptr inbounds nuw i8, ptr %0, i64 8
  %3 = load ptr, ptr %program.i, align 8
  %buffers = getelementptr inbounds nuw i8, ptr %3, i64 152
  %buffer_words = getelementptr inbounds nuw i8, ptr %3, i64 136
  %PyType_GenericAlloc.i = getelementptr inbounds nuw i8, ptr %1, i64 56
  %Py_IncRef.i = getelementptr inbounds nuw i8, ptr %1, i64 40
  %outputs = getelementptr inbounds nuw i8, ptr %call, i64 48
  %buffer_memory = getelementptr inbounds nuw i8, ptr %3, i64 24
  %storages = getelementptr inbounds nuw i8, ptr %3, i64 160
  %storage_words = getelementptr inbounds nuw i8, ptr %3, i64 144
  %wrapper = getelementptr inbounds nuw i8, ptr %0, i64 56
  %data_offset = getelementptr inbounds nuw i8, ptr %0, i64 64
  %storage_offset = getelementptr inbounds nuw i8, ptr %0, i64 72
  %results = getelementptr inbounds nuw i8, ptr %call, i64 56
  br label %for.body

for.body:
  %k.084 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.inc ]
  %4 = load ptr, ptr %buffers, align 8
  %arrayidx = getelementptr inbounds nuw ptr, ptr %4, i64 %k.084
  %5 = load ptr, ptr %arrayidx, align 8
  %6 = load i64, ptr %buffer_words, align 8
  %7 = load ptr, ptr %PyType_GenericAlloc.i, align 8
  %type.i = getelementptr inbounds nuw i8, ptr %5, i64 8
  %8 = load ptr, ptr %type.i, align 8
  %call.i = tail call ptr %7(ptr %8, i64 0)
  %tobool.not.i = icmp ne ptr %call.i, null
  %cmp10.i = icmp sgt i64 %6, 2
  %or.cond.i = and i1 %cmp10.i, %tobool.not.i
  br i1 %or.cond.i, label %for.body.i, label %copied.exit

for.body.i:
  %k.011.i = phi i64 [ %inc.i, %for.body.i ], [ 2, %for.body ]
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %5, i64 %k.011.i
  %9 = load ptr, ptr %arrayidx.i, align 8
  %10 = load ptr, ptr %Py_IncRef.i, align 8
  tail call void %10(ptr %9)
  %arrayidx1.i = getelementptr inbounds nuw ptr, ptr %call.i, i64 %k.011.i
  store ptr %9, ptr %arrayidx1.i, align 8
  %inc.i = add nuw nsw i64 %k.011.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %6
  br i1 %exitcond.not.i, label %if.end, label %for.body.i

copied.exit:
  %tobool.not = icmp eq ptr %call.i, null
  br i1 %tobool.not, label %cleanup23, label %if.end

if.end:
  %11 = load ptr, ptr %outputs, align 8
  %arrayidx5 = getelementptr inbounds nuw ptr, ptr %11, i64 %k.084
  %12 = load ptr, ptr %arrayidx5, align 8
  %13 = load i64, ptr %buffer_memory, align 8
  %add.ptr = getelementptr inbounds i8, ptr %call.i, i64 %13
  store ptr %12, ptr %add.ptr, align 8
  %14 = load ptr, ptr %outputs, align 8
  %arrayidx7 = getelementptr inbounds nuw ptr, ptr %14, i64 %k.084
  store ptr null, ptr %arrayidx7, align 8
  %15 = load ptr, ptr %storages, align 8
  %arrayidx8 = getelementptr inbounds nuw ptr, ptr %15, i64 %k.084
  %16 = load ptr, ptr %arrayidx8, align 8
  %17 = load i64, ptr %storage_words, align 8
  %18 = load ptr, ptr %PyType_GenericAlloc.i, align 8
  %type.i60 = getelementptr inbounds nuw i8, ptr %16, i64 8
  %19 = load ptr, ptr %type.i60, align 8
  %call.i61 = tail call ptr %18(ptr %19, i64 0)
  %tobool.not.i62 = icmp ne ptr %call.i61, null
  %cmp10.i63 = icmp sgt i64 %17, 2
  %or.cond.i64 = and i1 %cmp10.i63, %tobool.not.i62
  br i1 %or.cond.i64, label %for.body.i67, label %copied.exit73

for.body.i67:
  %k.011.i68 = phi i64 [ %inc.i71, %for.body.i67 ], [ 2, %if.end ]
  %arrayidx.i69 = getelementptr inbounds nuw ptr, ptr %16, i64 %k.011.i68
  %20 = load ptr, ptr %arrayidx.i69, align 8
  %21 = load ptr, ptr %Py_IncRef.i, align 8
  tail call void %21(ptr %20)
  %arrayidx1.i70 = getelementptr inbounds nuw ptr, ptr %call.i61, i64 %k.011.i68
  store ptr %20, ptr %arrayidx1.i70, align 8
  %inc.i71 = add nuw nsw i64 %k.011.i68, 1
  %exitcond.not.i72 = icmp eq i64 %inc.i71, %17
  br i1 %exitcond.not.i72, label %cond.end, label %for.body.i67

copied.exit73:
  %tobool10.not = icmp eq ptr %call.i61, null
  br i1 %tobool10.not, label %cleanup20, label %cond.end

cond.end:
  %22 = load ptr, ptr %PyType_GenericAlloc.i, align 8
  %23 = load ptr, ptr %wrapper, align 8
  %call11 = tail call ptr %22(ptr %23, i64 0)
  %tobool12.not.not = icmp eq ptr %call11, null
  br i1 %tobool12.not.not, label %cleanup20, label %for.inc

cleanup20:
  %Py_DecRef = getelementptr inbounds nuw i8, ptr %1, i64 48
  %24 = load ptr, ptr %Py_DecRef, align 8
  tail call void %24(ptr %call.i)
  %25 = load ptr, ptr %Py_DecRef, align 8
  tail call void %25(ptr %call.i61)
  br label %cleanup23

for.inc:
  %26 = load i64, ptr %data_offset, align 8
  %add.ptr16 = getelementptr inbounds i8, ptr %call11, i64 %26
  store ptr %call.i, ptr %add.ptr16, align 8
  %27 = load i64, ptr %storage_offset, align 8
  %add.ptr17 = getelementptr inbounds i8, ptr %call11, i64 %27
  store ptr %call.i61, ptr %add.ptr17, align 8
  %28 = load ptr, ptr %results, align 8
  %arrayidx18 = getelementptr inbounds nuw ptr, ptr %28, i64 %k.084
  store ptr %call11, ptr %arrayidx18, align 8
  %inc = add nuw nsw i64 %k.084, 1
  %29 = load i64, ptr %result_count, align 8
  %cmp.not.not = icmp slt i64 %inc, %29
  br i1 %cmp.not.not, label %for.body, label %cleanup23

cleanup23:
  %cmp.not82 = phi i1 [ false, %cleanup20 ], [ true, %entry ], [ false, %copied.exit ], [ true, %for.inc ]
  ret i1 %cmp.not82
}

define internal fastcc ptr @returned(ptr %call) unnamed_addr {
entry:
  %both.i = alloca [2 x ptr], align 16
  %0 = load ptr, ptr %call, align 8
  %kind = getelementptr inbounds nuw i8, ptr %0, i64 80
  %1 = load i64, ptr %kind, align 8
  switch i64 %1, label %sw.default [
    i64 0, label %sw.bb
    i64 3, label %sw.bb5
    i64 1, label %sw.bb7
    i64 2, label %sw.bb7
  ]

sw.bb:
  %results = getelementptr inbounds nuw i8, ptr %call, i64 56
  %2 = load ptr, ptr %results, align 8
  %3 = load ptr, ptr %2, align 8
  store ptr null, ptr %2, align 8
  br label %cleanup

sw.bb5:
  %process2 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %4 = load ptr, ptr %process2, align 8
  %Py_IncRef = getelementptr inbounds nuw i8, ptr %4, i64 40
  %5 = load ptr, ptr %Py_IncRef, align 8
  %None = getelementptr inbounds nuw i8, ptr %4, i64 272
  %6 = load ptr, ptr %None, align 8
  tail call void %5(ptr %6)
  %7 = load ptr, ptr %None, align 8
  br label %cleanup

sw.bb7:
  %cmp = icmp eq i64 %1, 2
  %process1.i = getelementptr inbounds nuw i8, ptr %call, i64 8
  %8 = load ptr, ptr %process1.i, align 8
  %result_count.i = getelementptr inbounds nuw i8, ptr %0, i64 144
  %9 = load i64, ptr %result_count.i, align 8
  %..i = select i1 %cmp, i64 80, i64 64
  %PyTuple_New.i = getelementptr inbounds nuw i8, ptr %8, i64 %..i
  %10 = load ptr, ptr %PyTuple_New.i, align 8
  %call3.i = tail call ptr %10(i64 %9)
  %tobool.i = icmp ne ptr %call3.i, null
  %cmp27.i = icmp sgt i64 %9, 0
  %11 = and i1 %cmp27.i, %tobool.i
  br i1 %11, label %for.body.lr.ph.i, label %cleanup

for.body.lr.ph.i:
  %results.i = getelementptr inbounds nuw i8, ptr %call, i64 56
  %spec.select.v = select i1 %cmp, i64 88, i64 72
  %spec.select = getelementptr inbounds nuw i8, ptr %8, i64 %spec.select.v
  br label %for.body.i

for.body.i:
  %k.028.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i, %for.body.i ]
  %12 = load ptr, ptr %results.i, align 8
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %12, i64 %k.028.i
  %13 = load ptr, ptr %arrayidx.i, align 8
  store ptr null, ptr %arrayidx.i, align 8
  %.sink29.i = load ptr, ptr %spec.select, align 8
  %call8.i = tail call i32 %.sink29.i(ptr %call3.i, i64 %k.028.i, ptr %13)
  %inc.i = add nuw nsw i64 %k.028.i, 1
  %exitcond.not = icmp eq i64 %inc.i, %9
  br i1 %exitcond.not, label %cleanup, label %for.body.i

sw.default:
  %process1.i20 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %14 = load ptr, ptr %process1.i20, align 8
  %result_count.i.i = getelementptr inbounds nuw i8, ptr %0, i64 144
  %15 = load i64, ptr %result_count.i.i, align 8
  %PyTuple_New.i.i = getelementptr inbounds nuw i8, ptr %14, i64 64
  %16 = load ptr, ptr %PyTuple_New.i.i, align 8
  %call3.i.i = tail call ptr %16(i64 %15)
  %tobool.i.i = icmp ne ptr %call3.i.i, null
  %cmp27.i.i = icmp sgt i64 %15, 0
  %17 = and i1 %cmp27.i.i, %tobool.i.i
  br i1 %17, label %for.body.lr.ph.i.i, label %sequence_of_results.exit.i

for.body.lr.ph.i.i:
  %results.i.i = getelementptr inbounds nuw i8, ptr %call, i64 56
  %PyTuple_SetItem.i.i = getelementptr inbounds nuw i8, ptr %14, i64 72
  br label %for.body.i.i

for.body.i.i:
  %k.028.i.i = phi i64 [ 0, %for.body.lr.ph.i.i ], [ %inc.i.i, %for.body.i.i ]
  %18 = load ptr, ptr %results.i.i, align 8
  %arrayidx.i.i = getelementptr inbounds nuw ptr, ptr %18, i64 %k.028.i.i
  %19 = load ptr, ptr %arrayidx.i.i, align 8
  store ptr null, ptr %arrayidx.i.i, align 8
  %.sink29.i.i = load ptr, ptr %PyTuple_SetItem.i.i, align 8
  %call8.i.i = tail call i32 %.sink29.i.i(ptr %call3.i.i, i64 %k.028.i.i, ptr %19)
  %inc.i.i = add nuw nsw i64 %k.028.i.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i.i, %15
  br i1 %exitcond.not.i, label %sequence_of_results.exit.thread.i, label %for.body.i.i

sequence_of_results.exit.thread.i:
  store ptr %call3.i.i, ptr %both.i, align 16
  %arrayinit.element38.i = getelementptr inbounds nuw i8, ptr %both.i, i64 8
  store ptr null, ptr %arrayinit.element38.i, align 8
  br label %if.end.i21

sequence_of_results.exit.i:
  store ptr %call3.i.i, ptr %both.i, align 16
  %arrayinit.element.i = getelementptr inbounds nuw i8, ptr %both.i, i64 8
  store ptr null, ptr %arrayinit.element.i, align 8
  %tobool.not.i = icmp eq ptr %call3.i.i, null
  br i1 %tobool.not.i, label %finished.exit, label %if.end.i21

if.end.i21:
  %arrayinit.element40.i = phi ptr [ %arrayinit.element38.i, %sequence_of_results.exit.thread.i ], [ %arrayinit.element.i, %sequence_of_results.exit.i ]
  %20 = load i64, ptr %kind, align 8
  %cmp.i22 = icmp eq i64 %20, 4
  br i1 %cmp.i22, label %if.then4.i, label %if.else.i23

if.then4.i:
  %PyObject_CallOneArg.i = getelementptr inbounds nuw i8, ptr %14, i64 16
  %21 = load ptr, ptr %PyObject_CallOneArg.i, align 8
  %finish.i = getelementptr inbounds nuw i8, ptr %0, i64 88
  %22 = load ptr, ptr %finish.i, align 8
  %call6.i = tail call ptr %21(ptr %22, ptr %call3.i.i)
  br label %if.end15.i

if.else.i23:
  %23 = load ptr, ptr %process1.i20, align 8
  %24 = load ptr, ptr %call, align 8
  %row_count.i.i = getelementptr inbounds nuw i8, ptr %24, i64 264
  %25 = load i64, ptr %row_count.i.i, align 8
  %PyTuple_New.i30.i = getelementptr inbounds nuw i8, ptr %23, i64 64
  %26 = load ptr, ptr %PyTuple_New.i30.i, align 8
  %call2.i.i = tail call ptr %26(i64 %25)
  %tobool.i31.i = icmp ne ptr %call2.i.i, null
  %cmp21.i.i = icmp sgt i64 %25, 0
  %27 = and i1 %cmp21.i.i, %tobool.i31.i
  br i1 %27, label %for.body.lr.ph.i32.i, label %tuple_of_arrays.exit.i

for.body.lr.ph.i32.i:
  %references.i.i = getelementptr inbounds nuw i8, ptr %call, i64 24
  %None.i.i = getelementptr inbounds nuw i8, ptr %23, i64 272
  %Py_IncRef.i.i = getelementptr inbounds nuw i8, ptr %23, i64 40
  %PyTuple_SetItem.i33.i = getelementptr inbounds nuw i8, ptr %23, i64 72
  br label %for.body.i34.i

for.body.i34.i:
  %k.022.i.i = phi i64 [ 0, %for.body.lr.ph.i32.i ], [ %inc.i36.i, %cond.end.i.i ]
  %28 = load ptr, ptr %references.i.i, align 8
  %arrayidx.i35.i = getelementptr inbounds nuw ptr, ptr %28, i64 %k.022.i.i
  %29 = load ptr, ptr %arrayidx.i35.i, align 8
  %tobool3.not.i.i = icmp eq ptr %29, null
  br i1 %tobool3.not.i.i, label %cond.false.i.i, label %cond.end.i.i

cond.false.i.i:
  %30 = load ptr, ptr %None.i.i, align 8
  br label %cond.end.i.i

cond.end.i.i:
  %cond.i.i = phi ptr [ %30, %cond.false.i.i ], [ %29, %for.body.i34.i ]
  %31 = load ptr, ptr %Py_IncRef.i.i, align 8
  tail call void %31(ptr %cond.i.i)
  %32 = load ptr, ptr %PyTuple_SetItem.i33.i, align 8
  %call6.i.i = tail call i32 %32(ptr %call2.i.i, i64 %k.022.i.i, ptr %cond.i.i)
  %inc.i36.i = add nuw nsw i64 %k.022.i.i, 1
  %exitcond41.not.i = icmp eq i64 %inc.i36.i, %25
  br i1 %exitcond41.not.i, label %tuple_of_arrays.exit.i, label %for.body.i34.i

tuple_of_arrays.exit.i:
  store ptr %call2.i.i, ptr %arrayinit.element40.i, align 8
  %tobool9.not.i = icmp eq ptr %call2.i.i, null
  br i1 %tobool9.not.i, label %if.end15.i, label %if.then10.i

if.then10.i:
  %33 = load ptr, ptr %14, align 8
  %finish11.i = getelementptr inbounds nuw i8, ptr %0, i64 88
  %34 = load ptr, ptr %finish11.i, align 8
  %call12.i = call ptr %33(ptr %34, ptr %both.i, i64 2, ptr null)
  %Py_DecRef.i = getelementptr inbounds nuw i8, ptr %14, i64 48
  %35 = load ptr, ptr %Py_DecRef.i, align 8
  %36 = load ptr, ptr %arrayinit.element40.i, align 8
  call void %35(ptr %36)
  %.pre.i = load ptr, ptr %both.i, align 16
  br label %if.end15.i

if.end15.i:
  %37 = phi ptr [ %call3.i.i, %if.then4.i ], [ %.pre.i, %if.then10.i ], [ %call3.i.i, %tuple_of_arrays.exit.i ]
  %value.0.i = phi ptr [ %call6.i, %if.then4.i ], [ %call12.i, %if.then10.i ], [ null, %tuple_of_arrays.exit.i ]
  %Py_DecRef16.i = getelementptr inbounds nuw i8, ptr %14, i64 48
  %38 = load ptr, ptr %Py_DecRef16.i, align 8
  call void %38(ptr %37)
  br label %finished.exit

finished.exit:
  %retval.0.i = phi ptr [ %value.0.i, %if.end15.i ], [ null, %sequence_of_results.exit.i ]
  br label %cleanup

cleanup:
  %retval.0 = phi ptr [ %retval.0.i, %finished.exit ], [ %3, %sw.bb ], [ %7, %sw.bb5 ], [ %call3.i, %sw.bb7 ], [ %call3.i, %for.body.i ]
  ret ptr %retval.0
}

define internal fastcc void @release(ptr %call, ptr %holder) unnamed_addr {
entry:
  %process1 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %0 = load ptr, ptr %process1, align 8
  %1 = load ptr, ptr %call, align 8
  %result_count29 = getelementptr inbounds nuw i8, ptr %1, i64 144
  %2 = load i64, ptr %result_count29, align 8
  %cmp30 = icmp sgt i64 %2, 0
  br i1 %cmp30, label %for.body.lr.ph, label %for.cond5.preheader

for.body.lr.ph:
  %Py_DecRef = getelementptr inbounds nuw i8, ptr %0, i64 48
  %outputs = getelementptr inbounds nuw i8, ptr %call, i64 48
  %results = getelementptr inbounds nuw i8, ptr %call, i64 56
  br label %for.body

for.cond5.preheader:
  %3 = phi ptr [ %1, %entry ], [ %11, %for.body ]
  %row_count32 = getelementptr inbounds nuw i8, ptr %3, i64 264
  %4 = load i64, ptr %row_count32, align 8
  %cmp733 = icmp sgt i64 %4, 0
  br i1 %cmp733, label %for.body9.lr.ph, label %for.cond.cleanup8

for.body9.lr.ph:
  %Py_DecRef10 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %references = getelementptr inbounds nuw i8, ptr %call, i64 24
  br label %for.body9

for.body:
  %k.031 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %5 = load ptr, ptr %Py_DecRef, align 8
  %6 = load ptr, ptr %outputs, align 8
  %arrayidx = getelementptr inbounds nuw ptr, ptr %6, i64 %k.031
  %7 = load ptr, ptr %arrayidx, align 8
  tail call void %5(ptr %7)
  %8 = load ptr, ptr %Py_DecRef, align 8
  %9 = load ptr, ptr %results, align 8
  %arrayidx3 = getelementptr inbounds nuw ptr, ptr %9, i64 %k.031
  %10 = load ptr, ptr %arrayidx3, align 8
  tail call void %8(ptr %10)
  %inc = add nuw nsw i64 %k.031, 1
  %11 = load ptr, ptr %call, align 8
  %result_count = getelementptr inbounds nuw i8, ptr %11, i64 144
  %12 = load i64, ptr %result_count, align 8
  %cmp = icmp slt i64 %inc, %12
  br i1 %cmp, label %for.body, label %for.cond5.preheader

for.cond.cleanup8:
  %Py_DecRef15 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %13 = load ptr, ptr %Py_DecRef15, align 8
  tail call void %13(ptr %holder)
  ret void

for.body9:
  %k4.034 = phi i64 [ 0, %for.body9.lr.ph ], [ %inc13, %for.body9 ]
  %14 = load ptr, ptr %Py_DecRef10, align 8
  %15 = load ptr, ptr %references, align 8
  %arrayidx11 = getelementptr inbounds nuw ptr, ptr %15, i64 %k4.034
  %16 = load ptr, ptr %arrayidx11, align 8
  tail call void %14(ptr %16)
  %inc13 = add nuw nsw i64 %k4.034, 1
  %17 = load ptr, ptr %call, align 8
  %row_count = getelementptr inbounds nuw i8, ptr %17, i64 264
  %18 = load i64, ptr %row_count, align 8
  %cmp7 = icmp slt i64 %inc13, %18
  br i1 %cmp7, label %for.body9, label %for.cond.cleanup8
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
