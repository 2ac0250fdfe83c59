; Made of device_entry.c by `make runtimes`: clang version 22.1.8
; 829bc7e8416726381238ddd1b31dca81b8cdedf3ea65dc21cdb4700ae143c969


@table_offset = external constant i64, align 8

define ptr @hybridize_device_entry(ptr %self, ptr %arguments, i64 %count, ptr %names) nounwind {
entry:
  %outside.i = alloca ptr, align 8
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
  br i1 %cmp.not152.i, label %for.body.lr.ph.i114, label %if.then3

for.body.lr.ph.i114:
  %PyDict_GetItemWithError42.i = getelementptr inbounds nuw i8, ptr %3, i64 160
  %PyObject_GetAttr.i.i = getelementptr inbounds nuw i8, ptr %3, i64 176
  %Py_DecRef.i106.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %PyObject_CallNoArgs.i.i = getelementptr inbounds nuw i8, ptr %3, i64 8
  br label %for.body.i115

for.body.i115:
  %guard.0153.i = phi ptr [ %12, %for.body.lr.ph.i114 ], [ %incdec.ptr.i, %for.inc.i ]
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
  %arrayidx.i118 = getelementptr inbounds { i64, ptr, i64, i64 }, ptr %guard.0153.i, i64 %sub.i
  %expected10.i = getelementptr inbounds nuw i8, ptr %arrayidx.i118, i64 24
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
  %tobool.not.i117 = icmp eq ptr %49, null
  br i1 %tobool.not.i117, label %slow, label %cond.true.i

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
  %cmp.not.i116 = icmp ult ptr %incdec.ptr.i, %add.ptr.i
  br i1 %cmp.not.i116, label %for.body.i115, label %if.then3

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
  %tobool.not.i119 = icmp eq i32 %call2.i, 0
  br i1 %tobool.not.i119, label %if.end.i120, label %if.end5.thread216

if.end.i120:
  %57 = load ptr, ptr %devices.i, align 8
  %tuple_items.i.i121 = getelementptr inbounds nuw i8, ptr %54, i64 288
  %58 = load i64, ptr %tuple_items.i.i121, align 8
  %add.ptr.i.i122 = getelementptr inbounds i8, ptr %57, i64 %58
  %size.i123 = getelementptr inbounds nuw i8, ptr %57, i64 16
  %59 = load i64, ptr %size.i123, align 8
  %60 = getelementptr ptr, ptr %add.ptr.i.i122, i64 %59
  %arrayidx.i124 = getelementptr i8, ptr %60, i64 -8
  %61 = load ptr, ptr %arrayidx.i124, align 8
  %present.i = getelementptr inbounds nuw i8, ptr %53, i64 88
  %62 = load ptr, ptr %present.i, align 8
  %cmp.i = icmp eq ptr %61, %62
  br i1 %cmp.i, label %cond.end.critedge.i, label %lor.rhs.i

lor.rhs.i:
  %known.i = getelementptr inbounds nuw i8, ptr %53, i64 96
  %63 = load ptr, ptr %known.i, align 8
  %cmp4.i125 = icmp eq ptr %57, %63
  %Py_DecRef.i = getelementptr inbounds nuw i8, ptr %54, i64 48
  %64 = load ptr, ptr %Py_DecRef.i, align 8
  call void %64(ptr %57)
  br i1 %cmp4.i125, label %if.end5.thread213, label %cond.false.i

cond.false.i:
  %is_present.i = getelementptr inbounds nuw i8, ptr %53, i64 104
  %65 = load ptr, ptr %is_present.i, align 8
  %True.i126 = getelementptr inbounds nuw i8, ptr %54, i64 280
  %66 = load ptr, ptr %True.i126, align 8
  %PyObject_CallNoArgs.i.i127 = getelementptr inbounds nuw i8, ptr %54, i64 8
  %67 = load ptr, ptr %PyObject_CallNoArgs.i.i127, align 8
  %call.i.i128 = call ptr %67(ptr %65)
  %tobool.not.i.i129 = icmp eq ptr %call.i.i128, null
  br i1 %tobool.not.i.i129, label %if.end5.thread216, label %if.end5

cond.end.critedge.i:
  %Py_DecRef.c.i = getelementptr inbounds nuw i8, ptr %54, i64 48
  %68 = load ptr, ptr %Py_DecRef.c.i, align 8
  call void %68(ptr %57)
  br label %if.end5.thread213

if.end5.thread213:
  br label %lor.lhs.false

if.end5.thread216:
  br label %cleanup

if.end5:
  %69 = load ptr, ptr %Py_DecRef.i, align 8
  call void %69(ptr %call.i.i128)
  %cmp.i.i.not = icmp eq ptr %call.i.i128, %66
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
  %cmp.i130 = icmp eq i64 %or1.i, 0
  br i1 %cmp.i130, label %if.end12, label %slow

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
  %add237 = add i64 %84, %83
  %cmp21238 = icmp sgt i64 %add237, 0
  br i1 %cmp21238, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %cmp.not110.i = icmp slt i64 %75, 1
  br i1 %cmp.not110.i, label %if.end26, label %for.body.lr.ph.i131

for.body.lr.ph.i131:
  %arguments.i = getelementptr inbounds nuw i8, ptr %2, i64 104
  %tuple_items.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 288
  %PyDict_Next.i.i = getelementptr inbounds nuw i8, ptr %3, i64 168
  %int_class.i.i = getelementptr inbounds nuw i8, ptr %3, i64 264
  %PyLong_AsLongLong.i80.i = getelementptr inbounds nuw i8, ptr %3, i64 96
  %PyErr_Occurred.i.i = getelementptr inbounds nuw i8, ptr %3, i64 104
  %float_class.i.i = getelementptr inbounds nuw i8, ptr %3, i64 256
  %wrapper.i.i = getelementptr inbounds nuw i8, ptr %2, i64 56
  %data_offset.i.i = getelementptr inbounds nuw i8, ptr %2, i64 64
  br label %for.body.i132

for.body.i132:
  %k.0111.i = phi i64 [ 0, %for.body.lr.ph.i131 ], [ %inc.i136, %for.inc.i135 ]
  %85 = load ptr, ptr %arguments.i, align 8
  %arrayidx.i133 = getelementptr inbounds nuw { i64, i64, ptr, i64, ptr, ptr }, ptr %85, i64 %k.0111.i
  %arrayidx2.i = getelementptr inbounds nuw ptr, ptr %77, i64 %k.0111.i
  %86 = load ptr, ptr %arrayidx2.i, align 8
  %arrayidx3.i = getelementptr inbounds nuw ptr, ptr %78, i64 %k.0111.i
  store ptr null, ptr %arrayidx3.i, align 8
  %87 = load i64, ptr %arrayidx.i133, align 8
  switch i64 %87, label %slow [
    i64 0, label %sw.bb.i137
    i64 1, label %sw.bb10.i
    i64 2, label %sw.bb17.i
    i64 3, label %sw.bb24.i
    i64 4, label %sw.bb28.i
    i64 5, label %sw.bb28.i
    i64 6, label %sw.bb28.i
  ]

sw.bb.i137:
  %slot.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 8
  %88 = load i64, ptr %slot.i, align 8
  %arrayidx4.i = getelementptr inbounds ptr, ptr %80, i64 %88
  %89 = load ptr, ptr %program.i.i, align 8
  %type.i.i = getelementptr inbounds nuw i8, ptr %86, i64 8
  %90 = load ptr, ptr %type.i.i, align 8
  %91 = load ptr, ptr %wrapper.i.i, align 8
  %cmp.not.i.i = icmp eq ptr %90, %91
  br i1 %cmp.not.i.i, label %if.end.i.i138, label %checked_buffer.exit.i.thread

if.end.i.i138:
  %92 = load i64, ptr %data_offset.i.i, align 8
  %add.ptr.i.i139 = getelementptr inbounds i8, ptr %86, i64 %92
  %93 = load ptr, ptr %add.ptr.i.i139, align 8
  %tobool.not.i.i140 = icmp eq ptr %93, null
  br i1 %tobool.not.i.i140, label %checked_buffer.exit.i.thread, label %lor.lhs.false.i.i

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
  %object.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 16
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
  %ndim18.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 24
  %107 = load i64, ptr %ndim18.i.i, align 8
  %cmp19.not.i.i = icmp eq i64 %107, %conv.i.i
  br i1 %cmp19.not.i.i, label %for.cond.preheader.i.i, label %checked_buffer.exit.i.thread

for.cond.preheader.i.i:
  %cmp23.not73.not.i.i = icmp eq i32 %103, 0
  br i1 %cmp23.not73.not.i.i, label %for.end.i.i, label %for.body.lr.ph.i.i

for.body.lr.ph.i.i:
  %dims.i.i = getelementptr inbounds nuw i8, ptr %99, i64 32
  %108 = load ptr, ptr %dims.i.i, align 8
  %dims25.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 32
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
  %PyErr_Clear.i.i141 = getelementptr inbounds nuw i8, ptr %3, i64 112
  %115 = load ptr, ptr %PyErr_Clear.i.i141, align 8
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
  br label %for.inc.i135

sw.bb10.i:
  %type.i71.i = getelementptr inbounds nuw i8, ptr %86, i64 8
  %119 = load ptr, ptr %type.i71.i, align 8
  %120 = load ptr, ptr %float_class.i.i, align 8
  %cmp.not.i73.i = icmp eq ptr %119, %120
  br i1 %cmp.not.i73.i, label %if.end.i74.i, label %slow

if.end.i74.i:
  %slot12.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 8
  %121 = load i64, ptr %slot12.i, align 8
  %arrayidx13.i = getelementptr inbounds ptr, ptr %80, i64 %121
  %value1.i.i = getelementptr inbounds nuw i8, ptr %86, i64 16
  %122 = load double, ptr %value1.i.i, align 8
  %object.i75.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 16
  %123 = load ptr, ptr %object.i75.i, align 8
  %cmp2.i.i = icmp eq ptr %123, inttoptr (i64 4 to ptr)
  %conv.i76.i = fptrunc double %122 to float
  %124 = bitcast float %conv.i76.i to i32
  %conv4.i.i = zext i32 %124 to i64
  %125 = bitcast i64 %conv4.i.i to double
  %storemerge.i.i = select i1 %cmp2.i.i, double %125, double %122
  store double %storemerge.i.i, ptr %arrayidx13.i, align 8
  br label %for.inc.i135

sw.bb17.i:
  %type.i77.i = getelementptr inbounds nuw i8, ptr %86, i64 8
  %126 = load ptr, ptr %type.i77.i, align 8
  %127 = load ptr, ptr %int_class.i.i, align 8
  %cmp.not.i78.i = icmp eq ptr %126, %127
  br i1 %cmp.not.i78.i, label %if.end.i79.i, label %slow

if.end.i79.i:
  %slot19.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 8
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
  br i1 %tobool.not.i82.i, label %for.inc.i135, label %if.then5.i.i

if.then5.i.i:
  %PyErr_Clear.i83.i = getelementptr inbounds nuw i8, ptr %3, i64 112
  %131 = load ptr, ptr %PyErr_Clear.i83.i, align 8
  call void %131()
  br label %slow

sw.bb24.i:
  %object.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 16
  %132 = load ptr, ptr %object.i, align 8
  %cmp25.not.i = icmp eq ptr %86, %132
  br i1 %cmp25.not.i, label %for.inc.i135, label %slow

sw.bb28.i:
  %type.i84.i = getelementptr inbounds nuw i8, ptr %86, i64 8
  %133 = load ptr, ptr %type.i84.i, align 8
  %object.i85.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 16
  %134 = load ptr, ptr %object.i85.i, align 8
  %cmp.not.i86.i = icmp eq ptr %133, %134
  br i1 %cmp.not.i86.i, label %if.end.i87.i, label %slow

if.end.i87.i:
  %ndim.i88.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 24
  %135 = load i64, ptr %ndim.i88.i, align 8
  %slot.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 8
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
  %dims.i96.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 32
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
  br label %for.inc.i135

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
  %cond.i.i134 = phi ptr [ %144, %cond.true.i.i ], [ %add.ptr.i.i.i, %cond.false.i.i ]
  %cmp2865.i.i = icmp sgt i64 %135, 0
  br i1 %cmp2865.i.i, label %for.body30.i.i, label %for.inc.i135

for.body30.i.i:
  %k26.066.i.i = phi i64 [ %inc34.i.i, %for.body30.i.i ], [ 0, %cond.end.i.i ]
  %arrayidx31.i.i = getelementptr inbounds nuw ptr, ptr %cond.i.i134, i64 %k26.066.i.i
  %146 = load ptr, ptr %arrayidx31.i.i, align 8
  %arrayidx32.i.i = getelementptr inbounds nuw ptr, ptr %arrayidx.i89.i, i64 %k26.066.i.i
  store ptr %146, ptr %arrayidx32.i.i, align 8
  %inc34.i.i = add nuw nsw i64 %k26.066.i.i, 1
  %exitcond.not.i92.i = icmp eq i64 %inc34.i.i, %135
  br i1 %exitcond.not.i92.i, label %for.inc.i135, label %for.body30.i.i

cleanup.i:
  %147 = add i64 %call2.i.i, 9007199254740992
  %148 = icmp ult i64 %147, 18014398509481985
  br i1 %148, label %for.inc.i135, label %slow

for.inc.i135:
  %inc.i136 = add nuw nsw i64 %k.0111.i, 1
  %149 = load i64, ptr %row_count, align 8
  %cmp.not.not.i = icmp slt i64 %inc.i136, %149
  br i1 %cmp.not.not.i, label %for.body.i132, label %if.end26

for.body:
  %k.0239 = phi i64 [ %inc, %for.body ], [ 0, %if.end12 ]
  %arrayidx = getelementptr inbounds nuw ptr, ptr %arguments, i64 %k.0239
  %150 = load ptr, ptr %arrayidx, align 8
  %arrayidx23 = getelementptr inbounds nuw ptr, ptr %77, i64 %k.0239
  store ptr %150, ptr %arrayidx23, align 8
  %inc = add nuw nsw i64 %k.0239, 1
  %cmp21 = icmp slt i64 %inc, %add237
  br i1 %cmp21, label %for.body, label %for.cond.cleanup

if.end26:
  %151 = load ptr, ptr %program.i.i, align 8
  %row_count.i143 = getelementptr inbounds nuw i8, ptr %151, i64 224
  %152 = load i64, ptr %row_count.i143, align 8
  %cmp.not23.i = icmp sgt i64 %152, 0
  br i1 %cmp.not23.i, label %for.body.lr.ph.i145, label %slow

for.body.lr.ph.i145:
  %rows.i = getelementptr inbounds nuw i8, ptr %151, i64 216
  %153 = load ptr, ptr %rows.i, align 8
  %row_words.i = getelementptr inbounds nuw i8, ptr %151, i64 232
  %154 = load i64, ptr %row_words.i, align 8
  %bound_count.i.i = getelementptr inbounds nuw i8, ptr %151, i64 176
  %bound.i.i = getelementptr inbounds nuw i8, ptr %151, i64 168
  %data_offset.i.i146 = getelementptr inbounds nuw i8, ptr %2, i64 64
  %memory_address.i.i147 = getelementptr inbounds nuw i8, ptr %151, i64 48
  %derived_count.i.i = getelementptr inbounds nuw i8, ptr %151, i64 200
  %derived.i.i = getelementptr inbounds nuw i8, ptr %151, i64 184
  %derived_buffer.i.i = getelementptr inbounds nuw i8, ptr %151, i64 208
  %dirty.i.i = getelementptr inbounds nuw i8, ptr %151, i64 192
  %memory_users.i.i.i = getelementptr inbounds nuw i8, ptr %151, i64 56
  %nobody.i.i.i = getelementptr inbounds nuw i8, ptr %151, i64 72
  br label %for.body.i148

for.body.i148:
  %k.024.i = phi i64 [ 0, %for.body.lr.ph.i145 ], [ %inc.i154, %for.inc.i153 ]
  %mul.i = mul i64 %k.024.i, %154
  %add.ptr.i149 = getelementptr inbounds i64, ptr %153, i64 %mul.i
  %155 = load ptr, ptr %add.ptr.i149, align 8
  %tobool.not.i.i150 = icmp eq ptr %155, null
  br i1 %tobool.not.i.i150, label %for.inc.i153, label %if.end.i.i151

if.end.i.i151:
  %add.ptr.i.i152 = getelementptr inbounds nuw i8, ptr %add.ptr.i149, i64 24
  %156 = load i64, ptr %input_count, align 8
  %cmp.not108.i.i = icmp sgt i64 %156, 0
  br i1 %cmp.not108.i.i, label %for.body.lr.ph.i.i158, label %for.cond7.preheader.i.i

for.body.lr.ph.i.i158:
  %157 = shl i64 %156, 3
  %158 = getelementptr i8, ptr %add.ptr.i149, i64 %157
  %scevgep.i.i = getelementptr i8, ptr %158, i64 24
  br label %for.body.i.i159

for.cond7.preheader.i.i:
  %words.0.lcssa.i.i = phi ptr [ %add.ptr.i.i152, %if.end.i.i151 ], [ %scevgep.i.i, %for.inc.i.i ]
  %159 = load i64, ptr %bound_count.i.i, align 8
  %cmp8.not111.i.i = icmp sgt i64 %159, 0
  br i1 %cmp8.not111.i.i, label %for.body10.lr.ph.i.i, label %for.cond30.preheader.i.i

for.body10.lr.ph.i.i:
  %160 = load ptr, ptr %bound.i.i, align 8
  %161 = load i64, ptr %data_offset.i.i146, align 8
  %162 = mul i64 %159, 24
  %scevgep129.i.i = getelementptr i8, ptr %words.0.lcssa.i.i, i64 %162
  br label %for.body10.i.i

for.body.i.i159:
  %k.0110.i.i = phi i64 [ 0, %for.body.lr.ph.i.i158 ], [ %inc.i.i161, %for.inc.i.i ]
  %words.0109.i.i = phi ptr [ %add.ptr.i.i152, %for.body.lr.ph.i.i158 ], [ %incdec.ptr.i.i, %for.inc.i.i ]
  %163 = load i64, ptr %words.0109.i.i, align 8
  %arrayidx.i.i160 = getelementptr inbounds nuw ptr, ptr %80, i64 %k.0110.i.i
  %164 = load ptr, ptr %arrayidx.i.i160, align 8
  %165 = ptrtoint ptr %164 to i64
  %cmp3.not.i.i = icmp eq i64 %163, %165
  br i1 %cmp3.not.i.i, label %for.inc.i.i, label %for.inc.i153

for.inc.i.i:
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %words.0109.i.i, i64 8
  %inc.i.i161 = add nuw nsw i64 %k.0110.i.i, 1
  %exitcond.not.i.i162 = icmp eq i64 %inc.i.i161, %156
  br i1 %exitcond.not.i.i162, label %for.cond7.preheader.i.i, label %for.body.i.i159

for.cond30.preheader.i.i:
  %words.2.lcssa.i.i = phi ptr [ %words.0.lcssa.i.i, %for.cond7.preheader.i.i ], [ %scevgep129.i.i, %for.inc23.i.i ]
  %166 = load i64, ptr %derived_count.i.i, align 8
  %cmp31.not115.i.i = icmp sgt i64 %166, 0
  br i1 %cmp31.not115.i.i, label %for.body33.lr.ph.i.i, label %for.cond48.preheader.i.i

for.body33.lr.ph.i.i:
  %167 = load ptr, ptr %derived.i.i, align 8
  %168 = load i64, ptr %derived_buffer.i.i, align 8
  %169 = shl i64 %166, 3
  %scevgep131.i.i = getelementptr i8, ptr %words.2.lcssa.i.i, i64 %169
  br label %for.body33.i.i

for.body10.i.i:
  %k6.0113.i.i = phi i64 [ 0, %for.body10.lr.ph.i.i ], [ %inc24.i.i, %for.inc23.i.i ]
  %words.2112.i.i = phi ptr [ %words.0.lcssa.i.i, %for.body10.lr.ph.i.i ], [ %add.ptr25.i.i, %for.inc23.i.i ]
  %arrayidx11.i.i = getelementptr inbounds nuw ptr, ptr %160, i64 %k6.0113.i.i
  %170 = load ptr, ptr %arrayidx11.i.i, align 8
  %add.ptr12.i.i = getelementptr inbounds i8, ptr %170, i64 %161
  %171 = load i64, ptr %add.ptr12.i.i, align 8
  %172 = load i64, ptr %words.2112.i.i, align 8
  %cmp14.not.i.i = icmp eq i64 %171, %172
  br i1 %cmp14.not.i.i, label %if.end16.i.i, label %for.inc.i153

if.end16.i.i:
  %arrayidx17.i.i = getelementptr inbounds nuw i8, ptr %words.2112.i.i, i64 8
  %173 = load i64, ptr %arrayidx17.i.i, align 8
  %174 = inttoptr i64 %173 to ptr
  %175 = load i64, ptr %memory_address.i.i147, align 8
  %add.ptr18.i.i = getelementptr inbounds i8, ptr %174, i64 %175
  %176 = load i64, ptr %add.ptr18.i.i, align 8
  %arrayidx19.i.i = getelementptr inbounds nuw i8, ptr %words.2112.i.i, i64 16
  %177 = load i64, ptr %arrayidx19.i.i, align 8
  %cmp20.not.i.i = icmp eq i64 %176, %177
  br i1 %cmp20.not.i.i, label %for.inc23.i.i, label %for.inc.i153

for.inc23.i.i:
  %inc24.i.i = add nuw nsw i64 %k6.0113.i.i, 1
  %add.ptr25.i.i = getelementptr inbounds nuw i8, ptr %words.2112.i.i, i64 24
  %exitcond130.not.i.i = icmp eq i64 %inc24.i.i, %159
  br i1 %exitcond130.not.i.i, label %for.cond30.preheader.i.i, label %for.body10.i.i

for.cond30.i.i:
  %inc43.i.i = add nuw nsw i64 %k29.0117.i.i, 1
  %incdec.ptr36.i.i = getelementptr inbounds nuw i8, ptr %words.3116.i.i, i64 8
  %exitcond132.not.i.i = icmp eq i64 %inc43.i.i, %166
  br i1 %exitcond132.not.i.i, label %for.cond48.preheader.i.i, label %for.body33.i.i

for.cond48.preheader.i.i:
  %words.3.lcssa.i.i = phi ptr [ %words.2.lcssa.i.i, %for.cond30.preheader.i.i ], [ %scevgep131.i.i, %for.cond30.i.i ]
  %178 = load i64, ptr %result_count, align 8
  %cmp49.not119.i.i = icmp slt i64 %178, 1
  br i1 %cmp49.not119.i.i, label %find.exit, label %for.body51.i.i

for.body33.i.i:
  %k29.0117.i.i = phi i64 [ 0, %for.body33.lr.ph.i.i ], [ %inc43.i.i, %for.cond30.i.i ]
  %words.3116.i.i = phi ptr [ %words.2.lcssa.i.i, %for.body33.lr.ph.i.i ], [ %incdec.ptr36.i.i, %for.cond30.i.i ]
  %arrayidx34.i.i = getelementptr inbounds nuw ptr, ptr %167, i64 %k29.0117.i.i
  %179 = load ptr, ptr %arrayidx34.i.i, align 8
  %add.ptr35.i.i = getelementptr inbounds i8, ptr %179, i64 %168
  %180 = load i64, ptr %add.ptr35.i.i, align 8
  %181 = load i64, ptr %words.3116.i.i, align 8
  %cmp37.not.i.i = icmp eq i64 %180, %181
  br i1 %cmp37.not.i.i, label %lor.lhs.false.i.i157, label %for.inc.i153

lor.lhs.false.i.i157:
  %182 = load ptr, ptr %dirty.i.i, align 8
  %arrayidx38.i.i = getelementptr inbounds nuw ptr, ptr %182, i64 %k29.0117.i.i
  %183 = load ptr, ptr %arrayidx38.i.i, align 8
  %184 = load i64, ptr %183, align 8
  %tobool39.not.i.i = icmp eq i64 %184, 0
  br i1 %tobool39.not.i.i, label %for.cond30.i.i, label %for.inc.i153

for.body51.i.i:
  %k47.0121.i.i = phi i64 [ %inc58.i.i, %for.inc57.i.i ], [ 0, %for.cond48.preheader.i.i ]
  %words.5120.i.i = phi ptr [ %add.ptr59.i.i, %for.inc57.i.i ], [ %words.3.lcssa.i.i, %for.cond48.preheader.i.i ]
  %185 = load i64, ptr %words.5120.i.i, align 8
  %186 = inttoptr i64 %185 to ptr
  %187 = load i64, ptr %186, align 8
  %188 = and i64 %187, 4294967295
  %cmp.i.i.i = icmp eq i64 %188, 1
  br i1 %cmp.i.i.i, label %land.lhs.true.i.i.i, label %for.inc.i153

land.lhs.true.i.i.i:
  %arrayidx53.i.i = getelementptr inbounds nuw i8, ptr %words.5120.i.i, i64 8
  %189 = load i64, ptr %arrayidx53.i.i, align 8
  %190 = inttoptr i64 %189 to ptr
  %191 = load i64, ptr %memory_address.i.i147, align 8
  %add.ptr.i.i.i156 = getelementptr inbounds i8, ptr %186, i64 %191
  %192 = load ptr, ptr %add.ptr.i.i.i156, align 8
  %cmp2.i.i.i = icmp eq ptr %192, %190
  br i1 %cmp2.i.i.i, label %is_free.exit.i.i, label %for.inc.i153

is_free.exit.i.i:
  %193 = load i64, ptr %memory_users.i.i.i, align 8
  %add.ptr4.i.i.i = getelementptr inbounds i8, ptr %186, i64 %193
  %194 = load ptr, ptr %add.ptr4.i.i.i, align 8
  %195 = load ptr, ptr %nobody.i.i.i, align 8
  %cmp5.i.i.i = icmp eq ptr %194, %195
  br i1 %cmp5.i.i.i, label %for.inc57.i.i, label %for.inc.i153

for.inc57.i.i:
  %inc58.i.i = add nuw nsw i64 %k47.0121.i.i, 1
  %add.ptr59.i.i = getelementptr inbounds nuw i8, ptr %words.5120.i.i, i64 16
  %exitcond133.not.i.i = icmp eq i64 %inc58.i.i, %178
  br i1 %exitcond133.not.i.i, label %find.exit, label %for.body51.i.i

for.inc.i153:
  %inc.i154 = add nuw nsw i64 %k.024.i, 1
  %exitcond.not.i155 = icmp eq i64 %inc.i154, %152
  br i1 %exitcond.not.i155, label %slow, label %for.body.i148

find.exit:
  %tobool.not = icmp eq ptr %add.ptr.i149, null
  br i1 %tobool.not, label %slow, label %if.end29

if.end29:
  %add.ptr32 = getelementptr inbounds i64, ptr %add.ptr.i149, i64 %154
  %add.ptr34.idx = mul i64 %76, -16
  %add.ptr34 = getelementptr inbounds i8, ptr %add.ptr32, i64 %add.ptr34.idx
  %Py_IncRef = getelementptr inbounds nuw i8, ptr %3, i64 40
  %196 = load ptr, ptr %Py_IncRef, align 8
  call void %196(ptr %155)
  %cmp37240 = icmp sgt i64 %75, 0
  br i1 %cmp37240, label %for.body39, label %for.cond47.preheader

for.cond47.preheader:
  %cmp48242 = icmp sgt i64 %76, 0
  br i1 %cmp48242, label %for.body50, label %for.cond.cleanup49

for.body39:
  %k35.0241 = phi i64 [ %inc44, %for.body39 ], [ 0, %if.end29 ]
  %197 = load ptr, ptr %Py_IncRef, align 8
  %arrayidx42 = getelementptr inbounds nuw ptr, ptr %78, i64 %k35.0241
  %198 = load ptr, ptr %arrayidx42, align 8
  call void %197(ptr %198)
  %inc44 = add nuw nsw i64 %k35.0241, 1
  %exitcond.not = icmp eq i64 %inc44, %75
  br i1 %exitcond.not, label %for.cond47.preheader, label %for.body39

for.cond.cleanup49:
  %199 = load ptr, ptr %program.i.i, align 8
  %200 = load ptr, ptr %199, align 8
  %failed.i = getelementptr inbounds nuw i8, ptr %200, i64 16
  %201 = load i64, ptr %failed.i, align 8
  %inherited.i = getelementptr inbounds nuw i8, ptr %200, i64 24
  %202 = load i64, ptr %inherited.i, align 8
  %or.i164 = or i64 %202, %201
  %tobool.not.i165 = icmp eq i64 %or.i164, 0
  br i1 %tobool.not.i165, label %if.end.i166, label %cond.end

if.end.i166:
  %203 = load i64, ptr %200, align 8
  %untidy.i = getelementptr inbounds nuw i8, ptr %200, i64 8
  %204 = load i64, ptr %untidy.i, align 8
  %or4.i = or i64 %204, %203
  %tobool5.not.i = icmp eq i64 %or4.i, 0
  br i1 %tobool5.not.i, label %if.end8.i, label %if.then6.i

if.then6.i:
  %205 = load ptr, ptr %add.ptr.i149, align 8
  %True.i167 = getelementptr inbounds nuw i8, ptr %3, i64 280
  %206 = load ptr, ptr %True.i167, align 8
  %PyObject_CallNoArgs.i.i168 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %207 = load ptr, ptr %PyObject_CallNoArgs.i.i168, align 8
  %call.i.i169 = call ptr %207(ptr %205)
  %tobool.not.i.i170 = icmp eq ptr %call.i.i169, null
  br i1 %tobool.not.i.i170, label %cond.end, label %if.end.i.i171

if.end.i.i171:
  %Py_DecRef.i.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %208 = load ptr, ptr %Py_DecRef.i.i, align 8
  call void %208(ptr %call.i.i169)
  %cmp.i.i172 = icmp ne ptr %call.i.i169, %206
  %cond.i.i173 = zext i1 %cmp.i.i172 to i32
  br label %start.exit

if.end8.i:
  %started.i = getelementptr inbounds nuw i8, ptr %200, i64 40
  %209 = load i64, ptr %started.i, align 8
  %inc.i174 = add i64 %209, 1
  store i64 %inc.i174, ptr %started.i, align 8
  %used.i = getelementptr inbounds nuw i8, ptr %add.ptr.i149, i64 16
  store i64 %209, ptr %used.i, align 8
  %number.i = getelementptr inbounds nuw i8, ptr %199, i64 128
  %210 = load i64, ptr %number.i, align 8
  %recent.i = getelementptr inbounds nuw i8, ptr %200, i64 104
  %rem.i = srem i64 %209, 16
  %arrayidx.i175 = getelementptr inbounds i64, ptr %recent.i, i64 %rem.i
  store i64 %210, ptr %arrayidx.i175, align 8
  %graph10.i = getelementptr inbounds nuw i8, ptr %add.ptr.i149, i64 8
  %211 = load ptr, ptr %graph10.i, align 8
  %readers.i = getelementptr inbounds nuw i8, ptr %3, i64 296
  %212 = load ptr, ptr %readers.i, align 8
  %213 = load i64, ptr %212, align 8
  %inc11.i = add i64 %213, 1
  store i64 %inc11.i, ptr %212, align 8
  %asking.i = getelementptr inbounds nuw i8, ptr %200, i64 32
  %214 = load i64, ptr %asking.i, align 8
  %inc12.i = add i64 %214, 1
  store i64 %inc12.i, ptr %asking.i, align 8
  %PyEval_SaveThread.i = getelementptr inbounds nuw i8, ptr %3, i64 24
  %215 = load ptr, ptr %PyEval_SaveThread.i, align 8
  %call13.i = call ptr %215()
  %push.i = getelementptr inbounds nuw i8, ptr %200, i64 64
  %216 = load ptr, ptr %push.i, align 8
  %context.i = getelementptr inbounds nuw i8, ptr %200, i64 88
  %217 = load ptr, ptr %context.i, align 8
  %call14.i = call i32 %216(ptr %217)
  %tobool15.not.i = icmp eq i32 %call14.i, 0
  br i1 %tobool15.not.i, label %if.then16.i, label %if.end20.i

if.then16.i:
  %launch.i = getelementptr inbounds nuw i8, ptr %200, i64 72
  %218 = load ptr, ptr %launch.i, align 8
  %stream.i = getelementptr inbounds nuw i8, ptr %200, i64 96
  %219 = load ptr, ptr %stream.i, align 8
  %call17.i = call i32 %218(ptr %211, ptr %219)
  %pop.i = getelementptr inbounds nuw i8, ptr %200, i64 80
  %220 = load ptr, ptr %pop.i, align 8
  %call19.i = call i32 %220(ptr %outside.i)
  br label %if.end20.i

if.end20.i:
  %place.0.i = phi i64 [ 0, %if.end8.i ], [ 1, %if.then16.i ]
  %result.0.in.i = phi i32 [ %call14.i, %if.end8.i ], [ %call17.i, %if.then16.i ]
  %PyEval_RestoreThread.i = getelementptr inbounds nuw i8, ptr %3, i64 32
  %221 = load ptr, ptr %PyEval_RestoreThread.i, align 8
  call void %221(ptr %call13.i)
  %222 = load i64, ptr %asking.i, align 8
  %dec.i = add i64 %222, -1
  store i64 %dec.i, ptr %asking.i, align 8
  %223 = load ptr, ptr %readers.i, align 8
  %224 = load i64, ptr %223, align 8
  %dec23.i = add i64 %224, -1
  store i64 %dec23.i, ptr %223, align 8
  %tobool24.not.i = icmp eq i32 %result.0.in.i, 0
  br i1 %tobool24.not.i, label %cleanup.i176, label %if.end26.i

if.end26.i:
  %result.0.i = sext i32 %result.0.in.i to i64
  %result27.i = getelementptr inbounds nuw i8, ptr %200, i64 48
  store i64 %result.0.i, ptr %result27.i, align 8
  %place28.i = getelementptr inbounds nuw i8, ptr %200, i64 56
  store i64 %place.0.i, ptr %place28.i, align 8
  %failed29.i = getelementptr inbounds nuw i8, ptr %199, i64 120
  %225 = load ptr, ptr %failed29.i, align 8
  %True30.i = getelementptr inbounds nuw i8, ptr %3, i64 280
  %226 = load ptr, ptr %True30.i, align 8
  %PyObject_CallNoArgs.i68.i = getelementptr inbounds nuw i8, ptr %3, i64 8
  %227 = load ptr, ptr %PyObject_CallNoArgs.i68.i, align 8
  %call.i69.i = call ptr %227(ptr %225)
  %tobool.not.i70.i = icmp eq ptr %call.i69.i, null
  br i1 %tobool.not.i70.i, label %cleanup.i176, label %if.end.i71.i

if.end.i71.i:
  %Py_DecRef.i72.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %228 = load ptr, ptr %Py_DecRef.i72.i, align 8
  call void %228(ptr %call.i69.i)
  %cmp.i73.i = icmp ne ptr %call.i69.i, %226
  %cond.i74.i = zext i1 %cmp.i73.i to i32
  br label %cleanup.i176

cleanup.i176:
  %retval.0.i177 = phi i32 [ 0, %if.end20.i ], [ %cond.i74.i, %if.end.i71.i ], [ 2, %if.end26.i ]
  br label %start.exit

start.exit:
  %retval.1.i = phi i32 [ %retval.0.i177, %cleanup.i176 ], [ %cond.i.i173, %if.end.i.i171 ]
  %cmp64 = icmp eq i32 %retval.1.i, 0
  br i1 %cmp64, label %land.lhs.true, label %cond.end

for.body50:
  %k46.0243 = phi i64 [ %inc61, %for.body50 ], [ 0, %for.cond47.preheader ]
  %arrayidx52.idx = shl i64 %k46.0243, 4
  %arrayidx52 = getelementptr inbounds i8, ptr %add.ptr34, i64 %arrayidx52.idx
  %229 = load i64, ptr %arrayidx52, align 8
  %230 = inttoptr i64 %229 to ptr
  %arrayidx54 = getelementptr inbounds nuw ptr, ptr %81, i64 %k46.0243
  store ptr %230, ptr %arrayidx54, align 8
  %arrayidx56 = getelementptr inbounds nuw ptr, ptr %82, i64 %k46.0243
  store ptr null, ptr %arrayidx56, align 8
  %231 = load ptr, ptr %Py_IncRef, align 8
  call void %231(ptr %230)
  %inc61 = add nuw nsw i64 %k46.0243, 1
  %exitcond262.not = icmp eq i64 %inc61, %76
  br i1 %exitcond262.not, label %for.cond.cleanup49, label %for.body50

land.lhs.true:
  %call65 = call fastcc zeroext i1 @wrap(ptr %call13)
  br i1 %call65, label %cond.true, label %cond.end

cond.true:
  %call66 = call fastcc ptr @returned(ptr %call13)
  br label %cond.end

cond.end:
  %retval.1.i206 = phi i32 [ 0, %cond.true ], [ 0, %land.lhs.true ], [ %retval.1.i, %start.exit ], [ 2, %if.then6.i ], [ 1, %for.cond.cleanup49 ]
  %cond = phi ptr [ %call66, %cond.true ], [ null, %land.lhs.true ], [ null, %start.exit ], [ null, %if.then6.i ], [ null, %for.cond.cleanup49 ]
  %232 = load i64, ptr %result_count, align 8
  %cmp30.i = icmp sgt i64 %232, 0
  br i1 %cmp30.i, label %for.body.lr.ph.i181, label %for.cond5.preheader.i

for.body.lr.ph.i181:
  %Py_DecRef.i182 = getelementptr inbounds nuw i8, ptr %3, i64 48
  br label %for.body.i183

for.cond5.preheader.i:
  %233 = load i64, ptr %row_count, align 8
  %cmp733.i = icmp sgt i64 %233, 0
  br i1 %cmp733.i, label %for.body9.lr.ph.i, label %release.exit

for.body9.lr.ph.i:
  %Py_DecRef10.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  br label %for.body9.i

for.body.i183:
  %k.031.i = phi i64 [ 0, %for.body.lr.ph.i181 ], [ %inc.i186, %for.body.i183 ]
  %234 = load ptr, ptr %Py_DecRef.i182, align 8
  %arrayidx.i184 = getelementptr inbounds nuw ptr, ptr %81, i64 %k.031.i
  %235 = load ptr, ptr %arrayidx.i184, align 8
  call void %234(ptr %235)
  %236 = load ptr, ptr %Py_DecRef.i182, align 8
  %arrayidx3.i185 = getelementptr inbounds nuw ptr, ptr %82, i64 %k.031.i
  %237 = load ptr, ptr %arrayidx3.i185, align 8
  call void %236(ptr %237)
  %inc.i186 = add nuw nsw i64 %k.031.i, 1
  %238 = load i64, ptr %result_count, align 8
  %cmp.i187 = icmp slt i64 %inc.i186, %238
  br i1 %cmp.i187, label %for.body.i183, label %for.cond5.preheader.i

for.body9.i:
  %k4.034.i = phi i64 [ 0, %for.body9.lr.ph.i ], [ %inc13.i, %for.body9.i ]
  %239 = load ptr, ptr %Py_DecRef10.i, align 8
  %arrayidx11.i = getelementptr inbounds nuw ptr, ptr %78, i64 %k4.034.i
  %240 = load ptr, ptr %arrayidx11.i, align 8
  call void %239(ptr %240)
  %inc13.i = add nuw nsw i64 %k4.034.i, 1
  %241 = load i64, ptr %row_count, align 8
  %cmp7.i = icmp slt i64 %inc13.i, %241
  br i1 %cmp7.i, label %for.body9.i, label %release.exit

release.exit:
  %Py_DecRef15.i = getelementptr inbounds nuw i8, ptr %3, i64 48
  %242 = load ptr, ptr %Py_DecRef15.i, align 8
  call void %242(ptr %155)
  %cmp67.not = icmp eq i32 %retval.1.i206, 1
  br i1 %cmp67.not, label %slow, label %cleanup

slow:
  %243 = load ptr, ptr %3, align 8
  %fallback = getelementptr inbounds nuw i8, ptr %2, i64 48
  %244 = load ptr, ptr %fallback, align 8
  %call70 = call ptr %243(ptr %244, ptr %arguments, i64 %count, ptr %names)
  br label %cleanup

cleanup:
  %retval.0 = phi ptr [ null, %cond.true.i ], [ %call70, %slow ], [ %cond, %release.exit ], [ null, %if.end5.thread216 ], [ null, %sw.bb29.i ]
  ret ptr %retval.0
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
  %process2 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %1 = load ptr, ptr %process2, align 8
  %committed = getelementptr inbounds nuw i8, ptr %0, i64 96
  %2 = load ptr, ptr %committed, align 8
  %tobool.not = icmp eq ptr %2, null
  br i1 %tobool.not, label %if.end7, label %if.then

if.then:
  %PyObject_CallNoArgs = getelementptr inbounds nuw i8, ptr %1, i64 8
  %3 = load ptr, ptr %PyObject_CallNoArgs, align 8
  %call4 = tail call ptr %3(ptr %2)
  %tobool5.not.not = icmp eq ptr %call4, null
  br i1 %tobool5.not.not, label %cleanup17, label %if.end

if.end:
  %Py_DecRef = getelementptr inbounds nuw i8, ptr %1, i64 48
  %4 = load ptr, ptr %Py_DecRef, align 8
  tail call void %4(ptr %call4)
  br label %if.end7

if.end7:
  %kind = getelementptr inbounds nuw i8, ptr %0, i64 80
  %5 = load i64, ptr %kind, align 8
  switch i64 %5, label %sw.default [
    i64 0, label %sw.bb
    i64 3, label %sw.bb11
    i64 1, label %sw.bb13
    i64 2, label %sw.bb13
  ]

sw.bb:
  %results = getelementptr inbounds nuw i8, ptr %call, i64 56
  %6 = load ptr, ptr %results, align 8
  %7 = load ptr, ptr %6, align 8
  store ptr null, ptr %6, align 8
  br label %cleanup17

sw.bb11:
  %Py_IncRef = getelementptr inbounds nuw i8, ptr %1, i64 40
  %8 = load ptr, ptr %Py_IncRef, align 8
  %None = getelementptr inbounds nuw i8, ptr %1, i64 272
  %9 = load ptr, ptr %None, align 8
  tail call void %8(ptr %9)
  %10 = load ptr, ptr %None, align 8
  br label %cleanup17

sw.bb13:
  %cmp = icmp eq i64 %5, 2
  %11 = load ptr, ptr %process2, align 8
  %12 = load ptr, ptr %call, align 8
  %result_count.i = getelementptr inbounds nuw i8, ptr %12, i64 144
  %13 = load i64, ptr %result_count.i, align 8
  %..i = select i1 %cmp, i64 80, i64 64
  %PyTuple_New.i = getelementptr inbounds nuw i8, ptr %11, i64 %..i
  %14 = load ptr, ptr %PyTuple_New.i, align 8
  %call3.i = tail call ptr %14(i64 %13)
  %tobool.i = icmp ne ptr %call3.i, null
  %cmp27.i = icmp sgt i64 %13, 0
  %15 = and i1 %cmp27.i, %tobool.i
  br i1 %15, label %for.body.lr.ph.i, label %cleanup17

for.body.lr.ph.i:
  %results.i = getelementptr inbounds nuw i8, ptr %call, i64 56
  %spec.select.v = select i1 %cmp, i64 88, i64 72
  %spec.select = getelementptr inbounds nuw i8, ptr %11, i64 %spec.select.v
  br label %for.body.i

for.body.i:
  %k.028.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i, %for.body.i ]
  %16 = load ptr, ptr %results.i, align 8
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %16, i64 %k.028.i
  %17 = load ptr, ptr %arrayidx.i, align 8
  store ptr null, ptr %arrayidx.i, align 8
  %.sink29.i = load ptr, ptr %spec.select, align 8
  %call8.i = tail call i32 %.sink29.i(ptr %call3.i, i64 %k.028.i, ptr %17)
  %inc.i = add nuw nsw i64 %k.028.i, 1
  %exitcond.not = icmp eq i64 %inc.i, %13
  br i1 %exitcond.not, label %cleanup17, label %for.body.i

sw.default:
  %18 = load ptr, ptr %process2, align 8
  %19 = load ptr, ptr %call, align 8
  %result_count.i.i = getelementptr inbounds nuw i8, ptr %19, i64 144
  %20 = load i64, ptr %result_count.i.i, align 8
  %PyTuple_New.i.i = getelementptr inbounds nuw i8, ptr %18, i64 64
  %21 = load ptr, ptr %PyTuple_New.i.i, align 8
  %call3.i.i = tail call ptr %21(i64 %20)
  %tobool.i.i = icmp ne ptr %call3.i.i, null
  %cmp27.i.i = icmp sgt i64 %20, 0
  %22 = and i1 %cmp27.i.i, %tobool.i.i
  br i1 %22, label %for.body.lr.ph.i.i, label %sequence_of_results.exit.i

for.body.lr.ph.i.i:
  %results.i.i = getelementptr inbounds nuw i8, ptr %call, i64 56
  %PyTuple_SetItem.i.i = getelementptr inbounds nuw i8, ptr %18, i64 72
  br label %for.body.i.i

for.body.i.i:
  %k.028.i.i = phi i64 [ 0, %for.body.lr.ph.i.i ], [ %inc.i.i, %for.body.i.i ]
  %23 = load ptr, ptr %results.i.i, align 8
  %arrayidx.i.i = getelementptr inbounds nuw ptr, ptr %23, i64 %k.028.i.i
  %24 = load ptr, ptr %arrayidx.i.i, align 8
  store ptr null, ptr %arrayidx.i.i, align 8
  %.sink29.i.i = load ptr, ptr %PyTuple_SetItem.i.i, align 8
  %call8.i.i = tail call i32 %.sink29.i.i(ptr %call3.i.i, i64 %k.028.i.i, ptr %24)
  %inc.i.i = add nuw nsw i64 %k.028.i.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i.i, %20
  br i1 %exitcond.not.i, label %sequence_of_results.exit.thread.i, label %for.body.i.i

sequence_of_results.exit.thread.i:
  store ptr %call3.i.i, ptr %both.i, align 16
  %arrayinit.element38.i = getelementptr inbounds nuw i8, ptr %both.i, i64 8
  store ptr null, ptr %arrayinit.element38.i, align 8
  br label %if.end.i33

sequence_of_results.exit.i:
  store ptr %call3.i.i, ptr %both.i, align 16
  %arrayinit.element.i = getelementptr inbounds nuw i8, ptr %both.i, i64 8
  store ptr null, ptr %arrayinit.element.i, align 8
  %tobool.not.i = icmp eq ptr %call3.i.i, null
  br i1 %tobool.not.i, label %finished.exit, label %if.end.i33

if.end.i33:
  %arrayinit.element40.i = phi ptr [ %arrayinit.element38.i, %sequence_of_results.exit.thread.i ], [ %arrayinit.element.i, %sequence_of_results.exit.i ]
  %kind.i = getelementptr inbounds nuw i8, ptr %19, i64 80
  %25 = load i64, ptr %kind.i, align 8
  %cmp.i34 = icmp eq i64 %25, 4
  br i1 %cmp.i34, label %if.then4.i, label %if.else.i35

if.then4.i:
  %PyObject_CallOneArg.i = getelementptr inbounds nuw i8, ptr %18, i64 16
  %26 = load ptr, ptr %PyObject_CallOneArg.i, align 8
  %finish.i = getelementptr inbounds nuw i8, ptr %19, i64 88
  %27 = load ptr, ptr %finish.i, align 8
  %call6.i = tail call ptr %26(ptr %27, ptr %call3.i.i)
  br label %if.end15.i

if.else.i35:
  %28 = load ptr, ptr %process2, align 8
  %29 = load ptr, ptr %call, align 8
  %row_count.i.i = getelementptr inbounds nuw i8, ptr %29, i64 264
  %30 = load i64, ptr %row_count.i.i, align 8
  %PyTuple_New.i30.i = getelementptr inbounds nuw i8, ptr %28, i64 64
  %31 = load ptr, ptr %PyTuple_New.i30.i, align 8
  %call2.i.i = tail call ptr %31(i64 %30)
  %tobool.i31.i = icmp ne ptr %call2.i.i, null
  %cmp21.i.i = icmp sgt i64 %30, 0
  %32 = and i1 %cmp21.i.i, %tobool.i31.i
  br i1 %32, label %for.body.lr.ph.i32.i, label %tuple_of_arrays.exit.i

for.body.lr.ph.i32.i:
  %references.i.i = getelementptr inbounds nuw i8, ptr %call, i64 24
  %None.i.i = getelementptr inbounds nuw i8, ptr %28, i64 272
  %Py_IncRef.i.i = getelementptr inbounds nuw i8, ptr %28, i64 40
  %PyTuple_SetItem.i33.i = getelementptr inbounds nuw i8, ptr %28, i64 72
  br label %for.body.i34.i

for.body.i34.i:
  %k.022.i.i = phi i64 [ 0, %for.body.lr.ph.i32.i ], [ %inc.i36.i, %cond.end.i.i ]
  %33 = load ptr, ptr %references.i.i, align 8
  %arrayidx.i35.i = getelementptr inbounds nuw ptr, ptr %33, i64 %k.022.i.i
  %34 = load ptr, ptr %arrayidx.i35.i, align 8
  %tobool3.not.i.i = icmp eq ptr %34, null
  br i1 %tobool3.not.i.i, label %cond.false.i.i, label %cond.end.i.i

cond.false.i.i:
  %35 = load ptr, ptr %None.i.i, align 8
  br label %cond.end.i.i

cond.end.i.i:
  %cond.i.i = phi ptr [ %35, %cond.false.i.i ], [ %34, %for.body.i34.i ]
  %36 = load ptr, ptr %Py_IncRef.i.i, align 8
  tail call void %36(ptr %cond.i.i)
  %37 = load ptr, ptr %PyTuple_SetItem.i33.i, align 8
  %call6.i.i = tail call i32 %37(ptr %call2.i.i, i64 %k.022.i.i, ptr %cond.i.i)
  %inc.i36.i = add nuw nsw i64 %k.022.i.i, 1
  %exitcond41.not.i = icmp eq i64 %inc.i36.i, %30
  br i1 %exitcond41.not.i, label %tuple_of_arrays.exit.i, label %for.body.i34.i

tuple_of_arrays.exit.i:
  store ptr %call2.i.i, ptr %arrayinit.element40.i, align 8
  %tobool9.not.i = icmp eq ptr %call2.i.i, null
  br i1 %tobool9.not.i, label %if.end15.i, label %if.then10.i

if.then10.i:
  %38 = load ptr, ptr %18, align 8
  %finish11.i = getelementptr inbounds nuw i8, ptr %19, i64 88
  %39 = load ptr, ptr %finish11.i, align 8
  %call12.i = call ptr %38(ptr %39, ptr %both.i, i64 2, ptr null)
  %Py_DecRef.i = getelementptr inbounds nuw i8, ptr %18, i64 48
  %40 = load ptr, ptr %Py_DecRef.i, align 8
  %41 = load ptr, ptr %arrayinit.element40.i, align 8
  call void %40(ptr %41)
  %.pre.i = load ptr, ptr %both.i, align 16
  br label %if.end15.i

if.end15.i:
  %42 = phi ptr [ %call3.i.i, %if.then4.i ], [ %.pre.i, %if.then10.i ], [ %call3.i.i, %tuple_of_arrays.exit.i ]
  %value.0.i = phi ptr [ %call6.i, %if.then4.i ], [ %call12.i, %if.then10.i ], [ null, %tuple_of_arrays.exit.i ]
  %Py_DecRef16.i = getelementptr inbounds nuw i8, ptr %18, i64 48
  %43 = load ptr, ptr %Py_DecRef16.i, align 8
  call void %43(ptr %42)
  br label %finished.exit

finished.exit:
  %retval.0.i = phi ptr [ %value.0.i, %if.end15.i ], [ null, %sequence_of_results.exit.i ]
  br label %cleanup17

cleanup17:
  %retval.1 = phi ptr [ %retval.0.i, %finished.exit ], [ %7, %sw.bb ], [ %10, %sw.bb11 ], [ null, %if.then ], [ %call3.i, %sw.bb13 ], [ %call3.i, %for.body.i ]
  ret ptr %retval.1
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
