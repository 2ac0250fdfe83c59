; Made of library.c by `make runtimes`: clang version 22.1.8
; f253fa9383a43982160e5e257bb61e779e09caf4e451b6ef7e1860ac68d4d522


@generator = external constant i64, align 8
@code_count = external constant i64, align 8
@codes = external constant [0 x i32], align 4
@errors = external constant [0 x i8], align 1
@starts = external constant [0 x i32], align 4
@levels = external constant [0 x { [16 x i8], i64, i64, ptr }], align 8
@level_count = external constant i64, align 8
@reserved = external constant i64, align 8

define void @lock(ptr %word) nounwind {
entry:
  %0 = atomicrmw xchg ptr %word, i32 1 acquire, align 4
  %tobool.not13 = icmp eq i32 %0, 0
  br i1 %tobool.not13, label %while.end6, label %land.rhs

land.rhs:
  %look.012 = phi i32 [ %look.012.be, %land.rhs.backedge ], [ 0, %entry ]
  %1 = load atomic i32, ptr %word monotonic, align 4
  %tobool3.not = icmp eq i32 %1, 0
  br i1 %tobool3.not, label %if.end, label %while.body4

while.body4:
  %inc = add nuw nsw i32 %look.012, 1
  %exitcond.not = icmp eq i32 %inc, 64
  br i1 %exitcond.not, label %if.then, label %land.rhs.backedge

land.rhs.backedge:
  %look.012.be = phi i32 [ %inc, %while.body4 ], [ 0, %if.end ]
  br label %land.rhs

if.then:
  %call = tail call i32 @give_way()
  br label %if.end

if.end:
  %2 = atomicrmw xchg ptr %word, i32 1 acquire, align 4
  %tobool.not = icmp eq i32 %2, 0
  br i1 %tobool.not, label %while.end6, label %land.rhs.backedge

while.end6:
  ret void
}

declare i32 @give_way()

define ptr @take(ptr %model, i64 %nbytes) nounwind {
entry:
  %spare1 = getelementptr inbounds nuw i8, ptr %model, i64 24
  %0 = atomicrmw xchg ptr %spare1, i64 0 acquire, align 8
  %1 = inttoptr i64 %0 to ptr
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %if.end4, label %if.then

if.then:
  %nbytes2 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %2 = load i64, ptr %nbytes2, align 8
  %cmp.not = icmp ult i64 %2, %nbytes
  br i1 %cmp.not, label %if.end, label %cleanup12

if.end:
  %3 = load ptr, ptr %1, align 8
  tail call void @free(ptr %3)
  br label %if.end4

if.end4:
  %add = add i64 %nbytes, 128
  %call = tail call ptr @malloc(i64 %add)
  %tobool6.not = icmp eq ptr %call, null
  br i1 %tobool6.not, label %cleanup12, label %if.end8

if.end8:
  %4 = ptrtoint ptr %call to i64
  %sub.i = sub i64 0, %4
  %and.i = and i64 %sub.i, 63
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %call, i64 %and.i
  store ptr %call, ptr %add.ptr.i, align 8
  %nbytes11 = getelementptr inbounds nuw i8, ptr %add.ptr.i, i64 8
  store i64 %nbytes, ptr %nbytes11, align 8
  br label %cleanup12

cleanup12:
  %retval.1 = phi ptr [ %1, %if.then ], [ %add.ptr.i, %if.end8 ], [ null, %if.end4 ]
  ret ptr %retval.1
}

declare void @free(ptr)

declare ptr @malloc(i64)

define void @give(ptr %model, ptr %block) nounwind {
entry:
  %tobool.not = icmp eq ptr %block, null
  br i1 %tobool.not, label %return, label %if.end

if.end:
  %spare = getelementptr inbounds nuw i8, ptr %model, i64 24
  %0 = ptrtoint ptr %block to i64
  %1 = atomicrmw xchg ptr %spare, i64 %0 acq_rel, align 8
  %tobool1.not = icmp eq i64 %1, 0
  br i1 %tobool1.not, label %return, label %if.then2

if.then2:
  %2 = inttoptr i64 %1 to ptr
  %3 = load ptr, ptr %2, align 8
  tail call void @free(ptr %3)
  br label %return

return:
  ret void
}

define void @shared(ptr %team, ptr %body, ptr %data, i64 %count, i64 %grain, i64 %slots, i64 %wake) nounwind {
entry:
  %work = alloca { ptr, ptr, i64, i64, i64 }, align 8
  %cmp = icmp slt i64 %grain, %count
  %tobool = icmp ne i64 %wake, 0
  %or.cond = and i1 %cmp, %tobool
  br i1 %or.cond, label %if.then, label %if.end15

if.then:
  %arrayidx = getelementptr inbounds nuw i8, ptr %team, i64 8
  %0 = load ptr, ptr %arrayidx, align 8
  %threads = getelementptr inbounds nuw i8, ptr %0, i64 56
  %1 = load i64, ptr %threads, align 8
  %cond.i = tail call i64 @llvm.smin.i64(i64 %1, i64 %slots)
  %add.i = add nsw i64 %count, -1
  %sub.i = add i64 %add.i, %grain
  %div.i = sdiv i64 %sub.i, %grain
  %cond.i32 = tail call i64 @llvm.smin.i64(i64 %cond.i, i64 %div.i)
  %sub.i34 = add i64 %cond.i32, %add.i
  %div.i35 = sdiv i64 %sub.i34, %cond.i32
  store ptr %body, ptr %work, align 8
  %data5 = getelementptr inbounds nuw i8, ptr %work, i64 8
  store ptr %data, ptr %data5, align 8
  %count6 = getelementptr inbounds nuw i8, ptr %work, i64 16
  store i64 %count, ptr %count6, align 8
  %size7 = getelementptr inbounds nuw i8, ptr %work, i64 24
  store i64 %div.i35, ptr %size7, align 8
  %parts = getelementptr inbounds nuw i8, ptr %work, i64 32
  %sub.i37 = add i64 %div.i35, %add.i
  %div.i38 = sdiv i64 %sub.i37, %div.i35
  store i64 %div.i38, ptr %parts, align 8
  %cmp10 = icmp sgt i64 %div.i38, 1
  br i1 %cmp10, label %cleanup.thread, label %cleanup

cleanup.thread:
  %parallel_for = getelementptr inbounds nuw i8, ptr %0, i64 64
  %2 = load ptr, ptr %parallel_for, align 8
  %context = getelementptr inbounds nuw i8, ptr %0, i64 72
  %3 = load ptr, ptr %context, align 8
  call void %2(ptr %3, ptr @task, ptr %work, i64 %div.i38)
  br label %if.end18

cleanup:
  %cmp16 = icmp sgt i64 %count, 0
  br i1 %cmp16, label %if.then17, label %if.end18

if.end15:
  %cmp16.old = icmp sgt i64 %count, 0
  br i1 %cmp16.old, label %if.then17, label %if.end18

if.then17:
  tail call void %body(ptr %data, i64 0, i64 %count, i64 0)
  br label %if.end18

if.end18:
  ret void
}

define internal void @task(ptr %argument, i64 %number) nounwind {
entry:
  %parts = getelementptr inbounds nuw i8, ptr %argument, i64 32
  %0 = load i64, ptr %parts, align 8
  %cmp.not = icmp ult i64 %number, %0
  br i1 %cmp.not, label %if.end, label %cleanup

if.end:
  %size = getelementptr inbounds nuw i8, ptr %argument, i64 24
  %1 = load i64, ptr %size, align 8
  %mul = mul i64 %1, %number
  %add = add i64 %mul, %1
  %2 = load ptr, ptr %argument, align 8
  %data = getelementptr inbounds nuw i8, ptr %argument, i64 8
  %3 = load ptr, ptr %data, align 8
  %count = getelementptr inbounds nuw i8, ptr %argument, i64 16
  %4 = load i64, ptr %count, align 8
  %add. = tail call i64 @llvm.smin.i64(i64 %add, i64 %4)
  tail call void %2(ptr %3, i64 %mul, i64 %add., i64 %number)
  br label %cleanup

cleanup:
  ret void
}

define i32 @model_create(ptr %place, ptr %options) nounwind {
entry:
  %retval.i52.i.i = alloca { i32, i32, i32, i32 }, align 8
  %retval.i44.i.i = alloca { i32, i32, i32, i32 }, align 4
  %retval.i38.i.i = alloca { i32, i32, i32, i32 }, align 4
  %retval.i32.i.i = alloca { i32, i32, i32, i32 }, align 8
  %retval.i.i.i = alloca { i32, i32, i32, i32 }, align 8
  %tobool.not = icmp eq ptr %place, null
  br i1 %tobool.not, label %cleanup48, label %if.end

if.end:
  store ptr null, ptr %place, align 8
  %tobool1.not = icmp eq ptr %options, null
  br i1 %tobool1.not, label %if.end.cont, label %if.end.else

if.end.else:
  %options.sroa.gep = getelementptr inbounds nuw i8, ptr %options, i64 8
  %.else.val97 = load ptr, ptr %options.sroa.gep, align 8
  br label %if.end.cont

if.end.cont:
  %0 = phi ptr [ null, %if.end ], [ %.else.val97, %if.end.else ]
  call win64cc void @x86_cpuid(i32 0, ptr %retval.i.i.i)
  %.fca.0.load.i.i.i = load i64, ptr %retval.i.i.i, align 8
  %ref.tmp.sroa.0.0.extract.trunc.i.i = trunc i64 %.fca.0.load.i.i.i to i32
  %cmp.i.i = icmp ult i32 %ref.tmp.sroa.0.0.extract.trunc.i.i, 7
  br i1 %cmp.i.i, label %reached_x86_level.exit.i, label %lor.rhs.i.i

lor.rhs.i.i:
  call win64cc void @x86_cpuid(i32 -2147483648, ptr %retval.i32.i.i)
  %.fca.0.load.i33.i.i = load i64, ptr %retval.i32.i.i, align 8
  %ref.tmp1.sroa.0.0.extract.trunc.i.i = trunc i64 %.fca.0.load.i33.i.i to i32
  %cmp4.i.i = icmp ult i32 %ref.tmp1.sroa.0.0.extract.trunc.i.i, -2147483647
  br i1 %cmp4.i.i, label %reached_x86_level.exit.i, label %if.end.i.i

if.end.i.i:
  call win64cc void @x86_cpuid(i32 1, ptr %retval.i38.i.i)
  %.fca.1.gep.i41.i.i = getelementptr inbounds nuw i8, ptr %retval.i38.i.i, i64 8
  %.fca.1.load.i42.i.i = load i64, ptr %.fca.1.gep.i41.i.i, align 4
  %and.i66.i.i = and i64 %.fca.1.load.i42.i.i, 953692673
  %cmp.i.i.i = icmp eq i64 %and.i66.i.i, 953692673
  br i1 %cmp.i.i.i, label %lor.rhs8.i.i, label %reached_x86_level.exit.i

lor.rhs8.i.i:
  call win64cc void @x86_cpuid(i32 -2147483647, ptr %retval.i44.i.i)
  %.fca.1.gep.i47.i.i = getelementptr inbounds nuw i8, ptr %retval.i44.i.i, i64 8
  %.fca.1.load.i48.i.i = load i64, ptr %.fca.1.gep.i47.i.i, align 4
  %and.i5067.i.i = and i64 %.fca.1.load.i48.i.i, 33
  %cmp.i51.i.i = icmp eq i64 %and.i5067.i.i, 33
  br i1 %cmp.i51.i.i, label %if.end15.i.i, label %reached_x86_level.exit.i

if.end15.i.i:
  call win64cc void @x86_cpuid(i32 7, ptr %retval.i52.i.i)
  %.fca.0.load.i53.i.i = load i64, ptr %retval.i52.i.i, align 8
  %ref.tmp16.sroa.0.4.extract.shift.i.i = lshr i64 %.fca.0.load.i53.i.i, 32
  %ref.tmp16.sroa.0.4.extract.trunc.i.i = trunc nuw i64 %ref.tmp16.sroa.0.4.extract.shift.i.i to i32
  %call18.i.i = call win64cc i32 @x86_xgetbv()
  %and.i58.i.i = and i32 %ref.tmp16.sroa.0.4.extract.trunc.i.i, 296
  %cmp.i59.i.i = icmp eq i32 %and.i58.i.i, 296
  %and.i60.i.i = and i32 %call18.i.i, 6
  %cmp.i61.i.i = icmp eq i32 %and.i60.i.i, 6
  %or.cond.i.i = select i1 %cmp.i59.i.i, i1 %cmp.i61.i.i, i1 false
  br i1 %or.cond.i.i, label %if.end22.i.i, label %reached_x86_level.exit.i

if.end22.i.i:
  %and.i62.i.i = and i32 %ref.tmp16.sroa.0.4.extract.trunc.i.i, -805109760
  %cmp.i63.i.i = icmp eq i32 %and.i62.i.i, -805109760
  br i1 %cmp.i63.i.i, label %land.rhs.i.i, label %reached_x86_level.exit.i

land.rhs.i.i:
  %and.i64.i.i = and i32 %call18.i.i, 230
  %cmp.i65.i.i = icmp eq i32 %and.i64.i.i, 230
  %1 = select i1 %cmp.i65.i.i, i64 4, i64 3
  br label %reached_x86_level.exit.i

reached_x86_level.exit.i:
  %retval.1.i.i = phi i64 [ 1, %lor.rhs8.i.i ], [ 1, %lor.rhs.i.i ], [ 1, %if.end.cont ], [ 1, %if.end.i.i ], [ 1, %if.end15.i.i ], [ %1, %land.rhs.i.i ], [ 3, %if.end22.i.i ]
  %2 = load i64, ptr @level_count, align 8
  %add.ptr.idx.i = mul nsw i64 %2, 40
  %add.ptr.i = getelementptr inbounds i8, ptr @levels, i64 %add.ptr.idx.i
  %cmp.not22.i = icmp sgt i64 %2, 0
  br i1 %cmp.not22.i, label %for.body.i, label %cleanup48

for.body.i:
  %level.024.i = phi ptr [ %incdec.ptr.i, %for.inc.i ], [ @levels, %reached_x86_level.exit.i ]
  %name.addr.023.i = phi ptr [ %name.addr.120.i, %for.inc.i ], [ %0, %reached_x86_level.exit.i ]
  %tobool.not.i = icmp eq ptr %name.addr.023.i, null
  br i1 %tobool.not.i, label %land.lhs.true4.i, label %land.lhs.true.i

land.lhs.true.i:
  %3 = load i8, ptr %name.addr.023.i, align 1
  %tobool.not14.i.i = icmp eq i8 %3, 0
  br i1 %tobool.not14.i.i, label %equal.exit.i, label %land.rhs.i16.i

land.rhs.i16.i:
  %4 = phi i8 [ %6, %while.body.i.i ], [ %3, %land.lhs.true.i ]
  %y.addr.016.i.i = phi ptr [ %incdec.ptr4.i.i, %while.body.i.i ], [ %level.024.i, %land.lhs.true.i ]
  %x.addr.015.i.i = phi ptr [ %incdec.ptr.i.i, %while.body.i.i ], [ %name.addr.023.i, %land.lhs.true.i ]
  %5 = load i8, ptr %y.addr.016.i.i, align 1
  %cmp.i17.i = icmp eq i8 %4, %5
  br i1 %cmp.i17.i, label %while.body.i.i, label %equal.exit.i

while.body.i.i:
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %x.addr.015.i.i, i64 1
  %incdec.ptr4.i.i = getelementptr inbounds nuw i8, ptr %y.addr.016.i.i, i64 1
  %6 = load i8, ptr %incdec.ptr.i.i, align 1
  %tobool.not.i.i = icmp eq i8 %6, 0
  br i1 %tobool.not.i.i, label %equal.exit.i, label %land.rhs.i16.i

equal.exit.i:
  %y.addr.0.lcssa.i.i = phi ptr [ %level.024.i, %land.lhs.true.i ], [ %incdec.ptr4.i.i, %while.body.i.i ], [ %y.addr.016.i.i, %land.rhs.i16.i ]
  %.lcssa.i.i = phi i8 [ 0, %land.lhs.true.i ], [ 0, %while.body.i.i ], [ %4, %land.rhs.i16.i ]
  %7 = load i8, ptr %y.addr.0.lcssa.i.i, align 1
  %cmp7.i.i = icmp eq i8 %.lcssa.i.i, %7
  br i1 %cmp7.i.i, label %land.lhs.true4.i, label %for.inc.i

land.lhs.true4.i:
  %x86_level.i = getelementptr inbounds nuw i8, ptr %level.024.i, i64 16
  %8 = load i64, ptr %x86_level.i, align 8
  %cmp5.not.i = icmp sgt i64 %8, %retval.1.i.i
  br i1 %cmp5.not.i, label %for.inc.i, label %if.end8

for.inc.i:
  %name.addr.120.i = phi ptr [ %name.addr.023.i, %equal.exit.i ], [ null, %land.lhs.true4.i ]
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %level.024.i, i64 40
  %cmp.not.i = icmp ult ptr %incdec.ptr.i, %add.ptr.i
  br i1 %cmp.not.i, label %for.body.i, label %cleanup48

if.end8:
  %options.sroa.gep77 = getelementptr inbounds nuw i8, ptr %options, i64 32
  br i1 %tobool1.not, label %if.end17, label %if.end8.cont

if.end8.cont:
  %.else.val89 = load i32, ptr %options.sroa.gep77, align 8
  %cmp = icmp slt i32 %.else.val89, 0
  br i1 %cmp, label %cleanup48, label %if.end11

if.end11:
  %cmp13 = icmp samesign ugt i32 %.else.val89, 1
  br i1 %cmp13, label %land.lhs.true.cont, label %if.end17

land.lhs.true.cont:
  %options.sroa.gep80 = getelementptr inbounds nuw i8, ptr %options, i64 16
  %.else.val96 = load ptr, ptr %options.sroa.gep80, align 8
  %tobool14.not = icmp eq ptr %.else.val96, null
  br i1 %tobool14.not, label %cleanup48, label %if.end17

if.end17:
  %nbytes = getelementptr inbounds nuw i8, ptr %level.024.i, i64 24
  %9 = load i64, ptr %nbytes, align 8
  %add = add i64 %9, 64
  %call18 = call ptr @malloc(i64 %add)
  %tobool19.not = icmp eq ptr %call18, null
  br i1 %tobool19.not, label %cleanup48, label %if.end22

if.end22:
  %10 = ptrtoint ptr %call18 to i64
  %sub.i = sub i64 0, %10
  %and.i = and i64 %sub.i, 63
  %add.ptr.i75 = getelementptr inbounds nuw i8, ptr %call18, i64 %and.i
  br i1 %tobool1.not, label %if.end22.cont.cont, label %if.end22.cont.else

if.end22.cont.else:
  %.else.val = load i32, ptr %options.sroa.gep77, align 8
  %conv = sext i32 %.else.val to i64
  %options.sroa.gep83 = getelementptr inbounds nuw i8, ptr %options, i64 16
  %.else.val94 = load ptr, ptr %options.sroa.gep83, align 8
  %options.sroa.gep86 = getelementptr inbounds nuw i8, ptr %options, i64 24
  %.else.val91 = load ptr, ptr %options.sroa.gep86, align 8
  br label %if.end22.cont.cont

if.end22.cont.cont:
  %11 = phi ptr [ %.else.val94, %if.end22.cont.else ], [ null, %if.end22 ]
  %conv105108 = phi i64 [ %conv, %if.end22.cont.else ], [ 0, %if.end22 ]
  %12 = phi ptr [ %.else.val91, %if.end22.cont.else ], [ null, %if.end22 ]
  store ptr %call18, ptr %add.ptr.i75, align 8
  %.compoundliteral.sroa.2.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 8
  store ptr null, ptr %.compoundliteral.sroa.2.0..sroa_idx, align 8
  %.compoundliteral.sroa.3.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 16
  store ptr null, ptr %.compoundliteral.sroa.3.0..sroa_idx, align 8
  %.compoundliteral.sroa.4.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 24
  store ptr null, ptr %.compoundliteral.sroa.4.0..sroa_idx, align 8
  %.compoundliteral.sroa.5.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 32
  store i32 0, ptr %.compoundliteral.sroa.5.0..sroa_idx, align 8
  %.compoundliteral.sroa.6.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 36
  store i32 0, ptr %.compoundliteral.sroa.6.0..sroa_idx, align 4
  %.compoundliteral.sroa.7.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 40
  store ptr null, ptr %.compoundliteral.sroa.7.0..sroa_idx, align 8
  %.compoundliteral.sroa.8.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 48
  store ptr %add.ptr.i75, ptr %.compoundliteral.sroa.8.0..sroa_idx, align 8
  %.compoundliteral.sroa.9.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 56
  store i64 %conv105108, ptr %.compoundliteral.sroa.9.0..sroa_idx, align 8
  %.compoundliteral.sroa.10.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 64
  store ptr %11, ptr %.compoundliteral.sroa.10.0..sroa_idx, align 8
  %.compoundliteral.sroa.11.0..sroa_idx = getelementptr inbounds nuw i8, ptr %add.ptr.i75, i64 72
  store ptr %12, ptr %.compoundliteral.sroa.11.0..sroa_idx, align 8
  br i1 %tobool1.not, label %if.end22.cont.cont.cont, label %if.end22.cont.cont.else

if.end22.cont.cont.else:
  %.else.val98 = load ptr, ptr %options, align 8
  br label %if.end22.cont.cont.cont

if.end22.cont.cont.cont:
  %13 = phi ptr [ null, %if.end22.cont.cont ], [ %.else.val98, %if.end22.cont.cont.else ]
  %call31 = call i32 @attach_weights(ptr %add.ptr.i75, ptr %13)
  %tobool32.not = icmp eq i32 %call31, 0
  br i1 %tobool32.not, label %if.then33, label %if.then45

if.then33:
  %setup = getelementptr inbounds nuw i8, ptr %level.024.i, i64 32
  %14 = load ptr, ptr %setup, align 8
  %15 = load ptr, ptr %.compoundliteral.sroa.2.0..sroa_idx, align 8
  %call35 = call i32 %14(ptr %add.ptr.i75, ptr %15)
  %tobool36.not = icmp eq i32 %call35, 0
  br i1 %tobool36.not, label %if.end39, label %if.then41

if.end39:
  %call38 = call fastcc i32 @prepare_calls(ptr %add.ptr.i75)
  %tobool40.not = icmp eq i32 %call38, 0
  br i1 %tobool40.not, label %if.else, label %if.then41

if.then41:
  %answer.0111 = phi i32 [ %call38, %if.end39 ], [ %call35, %if.then33 ]
  call void @detach_weights(ptr %add.ptr.i75)
  br label %if.then45

if.then45:
  %answer.1.ph = phi i32 [ %answer.0111, %if.then41 ], [ %call31, %if.end22.cont.cont.cont ]
  call void @free(ptr %call18)
  br label %cleanup48

if.else:
  store ptr %add.ptr.i75, ptr %place, align 8
  br label %cleanup48

cleanup48:
  %retval.2 = phi i32 [ %answer.1.ph, %if.then45 ], [ 4, %if.end17 ], [ 1, %entry ], [ 16777223, %if.end8.cont ], [ 33554439, %land.lhs.true.cont ], [ 0, %if.else ], [ 7, %reached_x86_level.exit.i ], [ 7, %for.inc.i ]
  ret i32 %retval.2
}

declare i32 @attach_weights(ptr, ptr)

define internal fastcc i32 @prepare_calls(ptr %model) unnamed_addr {
entry:
  %0 = load i64, ptr @reserved, align 8
  %cmp = icmp slt i64 %0, 0
  br i1 %cmp, label %return, label %if.end

if.end:
  tail call void @touch_image()
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %return, label %if.end2

if.end2:
  %spare1.i = getelementptr inbounds nuw i8, ptr %model, i64 24
  %1 = atomicrmw xchg ptr %spare1.i, i64 0 acquire, align 8
  %2 = inttoptr i64 %1 to ptr
  %tobool.not.i = icmp eq i64 %1, 0
  br i1 %tobool.not.i, label %if.end4.i, label %if.then.i

if.then.i:
  %nbytes2.i = getelementptr inbounds nuw i8, ptr %2, i64 8
  %3 = load i64, ptr %nbytes2.i, align 8
  %cmp.not.i = icmp ult i64 %3, %0
  br i1 %cmp.not.i, label %if.end.i, label %for.body.preheader

if.end.i:
  %4 = load ptr, ptr %2, align 8
  tail call void @free(ptr %4)
  br label %if.end4.i

if.end4.i:
  %add.i = add nuw i64 %0, 128
  %call.i = tail call ptr @malloc(i64 %add.i)
  %tobool6.not.i = icmp eq ptr %call.i, null
  br i1 %tobool6.not.i, label %return, label %if.end8.i

if.end8.i:
  %5 = ptrtoint ptr %call.i to i64
  %sub.i.i = sub i64 0, %5
  %and.i.i = and i64 %sub.i.i, 63
  %add.ptr.i.i = getelementptr inbounds nuw i8, ptr %call.i, i64 %and.i.i
  store ptr %call.i, ptr %add.ptr.i.i, align 8
  %nbytes11.i = getelementptr inbounds nuw i8, ptr %add.ptr.i.i, i64 8
  store i64 %0, ptr %nbytes11.i, align 8
  br label %for.body.preheader

for.body.preheader:
  %retval.1.i = phi ptr [ %2, %if.then.i ], [ %add.ptr.i.i, %if.end8.i ]
  %add.ptr = getelementptr inbounds nuw i8, ptr %retval.1.i, i64 64
  br label %for.body

if.end.i17:
  %6 = getelementptr i8, ptr %add.ptr, i64 %0
  %arrayidx8 = getelementptr i8, ptr %6, i64 -1
  store volatile i8 0, ptr %arrayidx8, align 1
  %7 = ptrtoint ptr %retval.1.i to i64
  %8 = atomicrmw xchg ptr %spare1.i, i64 %7 acq_rel, align 8
  %tobool1.not.i = icmp eq i64 %8, 0
  br i1 %tobool1.not.i, label %return, label %if.then2.i

if.then2.i:
  %9 = inttoptr i64 %8 to ptr
  %10 = load ptr, ptr %9, align 8
  tail call void @free(ptr %10)
  br label %return

for.body:
  %at.021 = phi i64 [ %add, %for.body ], [ 0, %for.body.preheader ]
  %arrayidx = getelementptr inbounds i8, ptr %add.ptr, i64 %at.021
  store volatile i8 0, ptr %arrayidx, align 1
  %add = add i64 %at.021, 4096
  %cmp7 = icmp slt i64 %add, %0
  br i1 %cmp7, label %for.body, label %if.end.i17

return:
  %retval.1 = phi i32 [ 0, %entry ], [ 0, %if.end ], [ 4, %if.end4.i ], [ 0, %if.then2.i ], [ 0, %if.end.i17 ]
  ret i32 %retval.1
}

declare void @detach_weights(ptr)

define void @model_destroy(ptr %model) nounwind {
entry:
  %tobool.not = icmp eq ptr %model, null
  br i1 %tobool.not, label %return, label %if.end

if.end:
  %spare1 = getelementptr inbounds nuw i8, ptr %model, i64 24
  %atomic-load = load atomic ptr, ptr %spare1 seq_cst, align 8
  %tobool2.not = icmp eq ptr %atomic-load, null
  br i1 %tobool2.not, label %if.end4, label %if.then3

if.then3:
  %0 = load ptr, ptr %atomic-load, align 8
  tail call void @free(ptr %0)
  br label %if.end4

if.end4:
  tail call void @detach_weights(ptr %model)
  %1 = load ptr, ptr %model, align 8
  tail call void @free(ptr %1)
  br label %return

return:
  ret void
}

define i32 @model_seed(ptr %model, i64 %seed) nounwind {
entry:
  %tobool.not = icmp eq ptr %model, null
  br i1 %tobool.not, label %return, label %if.end

if.end:
  %0 = load i64, ptr @generator, align 8
  %add.ptr = getelementptr inbounds i8, ptr %model, i64 %0
  %lock = getelementptr inbounds nuw i8, ptr %model, i64 32
  %1 = atomicrmw xchg ptr %lock, i32 1 acquire, align 4
  %tobool.not13.i = icmp eq i32 %1, 0
  br i1 %tobool.not13.i, label %lock.exit, label %land.rhs.i

land.rhs.i:
  %look.012.i = phi i32 [ %look.012.i.be, %land.rhs.i.backedge ], [ 0, %if.end ]
  %2 = load atomic i32, ptr %lock monotonic, align 4
  %tobool3.not.i = icmp eq i32 %2, 0
  br i1 %tobool3.not.i, label %if.end.i, label %while.body4.i

while.body4.i:
  %inc.i = add nuw nsw i32 %look.012.i, 1
  %exitcond.not.i = icmp eq i32 %inc.i, 64
  br i1 %exitcond.not.i, label %if.then.i, label %land.rhs.i.backedge

land.rhs.i.backedge:
  %look.012.i.be = phi i32 [ %inc.i, %while.body4.i ], [ 0, %if.end.i ]
  br label %land.rhs.i

if.then.i:
  %call.i = tail call i32 @give_way()
  br label %if.end.i

if.end.i:
  %3 = atomicrmw xchg ptr %lock, i32 1 acquire, align 4
  %tobool.not.i = icmp eq i32 %3, 0
  br i1 %tobool.not.i, label %lock.exit, label %land.rhs.i.backedge

lock.exit:
  store i64 %seed, ptr %add.ptr, align 8
  %arrayidx1 = getelementptr inbounds nuw i8, ptr %add.ptr, i64 8
  store i64 0, ptr %arrayidx1, align 8
  store atomic i32 0, ptr %lock release, align 8
  br label %return

return:
  %retval.0 = phi i32 [ 0, %lock.exit ], [ 16777217, %entry ]
  ret i32 %retval.0
}

define ptr @model_error(i32 %code) nounwind {
entry:
  %0 = load i64, ptr @code_count, align 8
  %cmp6 = icmp sgt i64 %0, 0
  br i1 %cmp6, label %land.rhs, label %while.end

land.rhs:
  %number.07 = phi i64 [ %inc, %while.body ], [ 0, %entry ]
  %arrayidx = getelementptr inbounds nuw i32, ptr @codes, i64 %number.07
  %1 = load i32, ptr %arrayidx, align 4
  %cmp1.not = icmp eq i32 %1, %code
  br i1 %cmp1.not, label %while.end, label %while.body

while.body:
  %inc = add nuw nsw i64 %number.07, 1
  %exitcond.not = icmp eq i64 %inc, %0
  br i1 %exitcond.not, label %while.end, label %land.rhs

while.end:
  %number.0.lcssa = phi i64 [ 0, %entry ], [ %0, %while.body ], [ %number.07, %land.rhs ]
  %arrayidx2 = getelementptr inbounds nuw i32, ptr @starts, i64 %number.0.lcssa
  %2 = load i32, ptr %arrayidx2, align 4
  %idx.ext = sext i32 %2 to i64
  %add.ptr = getelementptr inbounds i8, ptr @errors, i64 %idx.ext
  ret ptr %add.ptr
}

declare win64cc i32 @x86_xgetbv()

declare win64cc void @x86_cpuid(i32, ptr)

declare void @touch_image()

declare i64 @llvm.smin.i64(i64, i64)
