; Made of pool.c by `make runtimes`: clang version 22.1.8
; e49429b99078dfc51ec05c644f6301864b1406edfaf651b8e3eaf649de92e11e

define void @hybridize_parallel(ptr %team, ptr %body, ptr %data, i64 %count, i64 %grain, i64 %slots, i64 %wake) nounwind {
entry:
  %unwanted.i.i.i = alloca i32, align 4
  %ticks.i25.i.i = alloca i64, align 8
  %ticks.i.i.i = alloca i64, align 8
  %mode.i.i = alloca i32, align 4
  %pool1 = getelementptr inbounds nuw i8, ptr %team, i64 8
  %0 = load ptr, ptr %pool1, align 8
  %threads = getelementptr inbounds nuw i8, ptr %team, i64 16
  %1 = load atomic i64, ptr %threads monotonic, align 8
  %cond.i = tail call i64 @llvm.umin.i64(i64 %1, i64 %slots)
  %sub = add i64 %grain, -1
  %shr = lshr i64 %count, 1
  %cmp = icmp ult i64 %sub, %shr
  %cmp2 = icmp ugt i64 %cond.i, 1
  %2 = and i1 %cmp, %cmp2
  br i1 %2, label %land.lhs.true, label %if.end15

land.lhs.true:
  %tobool.not = icmp eq i64 %wake, 0
  br i1 %tobool.not, label %lor.lhs.false, label %land.lhs.true8

lor.lhs.false:
  %workers = getelementptr inbounds nuw i8, ptr %0, i64 448
  %3 = load atomic i64, ptr %workers monotonic, align 64
  %tobool4.not = icmp eq i64 %3, 0
  br i1 %tobool4.not, label %if.end15, label %land.lhs.true5

land.lhs.true5:
  %sleepers = getelementptr inbounds nuw i8, ptr %0, i64 384
  %4 = load atomic i64, ptr %sleepers monotonic, align 64
  %tobool7.not = icmp eq i64 %4, 0
  br i1 %tobool7.not, label %land.lhs.true8, label %if.end15

land.lhs.true8:
  %lock = getelementptr inbounds nuw i8, ptr %0, i64 256
  %5 = cmpxchg ptr %lock, i64 0, i64 1 seq_cst seq_cst, align 8
  %6 = extractvalue { i64, i1 } %5, 1
  br i1 %6, label %if.then, label %if.end15

if.then:
  %sub.i = add i64 %cond.i, -1
  %workers.i.i = getelementptr inbounds nuw i8, ptr %0, i64 448
  %ceiling.i.i = getelementptr inbounds nuw i8, ptr %0, i64 456
  %7 = load atomic i64, ptr %workers.i.i monotonic, align 64
  %8 = load atomic i64, ptr %ceiling.i.i monotonic, align 8
  %cond.i19.i.i = tail call i64 @llvm.umin.i64(i64 %sub.i, i64 %8)
  %cmp20.i.i = icmp ult i64 %7, %cond.i19.i.i
  br i1 %cmp20.i.i, label %while.body.lr.ph.i.i, label %start.exit.i

while.body.lr.ph.i.i:
  %thread.i.i = getelementptr inbounds nuw i8, ptr %0, i64 512
  br label %while.body.i.i

while.body.i.i:
  %9 = phi i64 [ %7, %while.body.lr.ph.i.i ], [ %11, %if.end.i.i ]
  %arrayidx.i.i = getelementptr inbounds nuw i64, ptr %thread.i.i, i64 %9
  %10 = load ptr, ptr %0, align 8
  %call.i.i.i = tail call i64 %10(ptr null, i64 0, ptr @worker, ptr %0, i32 0, ptr null)
  store i64 %call.i.i.i, ptr %arrayidx.i.i, align 8
  %cmp.i.not.i.i = icmp eq i64 %call.i.i.i, 0
  br i1 %cmp.i.not.i.i, label %if.else.i.i, label %if.then.i.i

if.then.i.i:
  %add.i.i = add nuw i64 %9, 1
  store atomic i64 %add.i.i, ptr %workers.i.i monotonic, align 64
  br label %if.end.i.i

if.else.i.i:
  store atomic i64 %9, ptr %ceiling.i.i monotonic, align 8
  br label %if.end.i.i

if.end.i.i:
  %11 = load atomic i64, ptr %workers.i.i monotonic, align 64
  %12 = load atomic i64, ptr %ceiling.i.i monotonic, align 8
  %cond.i.i.i = tail call i64 @llvm.umin.i64(i64 %sub.i, i64 %12)
  %cmp.i.i = icmp ult i64 %11, %cond.i.i.i
  br i1 %cmp.i.i, label %while.body.i.i, label %start.exit.i

start.exit.i:
  %.lcssa.i.i = phi i64 [ %7, %if.then ], [ %11, %if.end.i.i ]
  %add.i = add i64 %.lcssa.i.i, 1
  %cmp.i = icmp ult i64 %add.i, 2
  br i1 %cmp.i, label %run_together.exit, label %if.end.i

if.end.i:
  %cond.i.i = tail call i64 @llvm.umin.i64(i64 %cond.i, i64 %add.i)
  %mul.i = shl i64 %cond.i.i, 2
  %div.i = udiv i64 %count, %grain
  %cond.i74.i = tail call i64 @llvm.umin.i64(i64 %mul.i, i64 %div.i)
  %cond.i75.i = tail call i64 @llvm.umin.i64(i64 %cond.i74.i, i64 4095)
  %rounding.i = getelementptr inbounds nuw i8, ptr %0, i64 168
  call void @llvm.x86.sse.stmxcsr(ptr %mode.i.i)
  %13 = load i32, ptr %mode.i.i, align 4
  %conv.i.i = zext i32 %13 to i64
  store atomic i64 %conv.i.i, ptr %rounding.i monotonic, align 8
  %body5.i = getelementptr inbounds nuw i8, ptr %0, i64 128
  %14 = ptrtoint ptr %body to i64
  store atomic i64 %14, ptr %body5.i monotonic, align 64
  %data7.i = getelementptr inbounds nuw i8, ptr %0, i64 136
  %15 = ptrtoint ptr %data to i64
  store atomic i64 %15, ptr %data7.i monotonic, align 8
  %count9.i = getelementptr inbounds nuw i8, ptr %0, i64 144
  store atomic i64 %count, ptr %count9.i monotonic, align 16
  %chunks11.i = getelementptr inbounds nuw i8, ptr %0, i64 152
  store atomic i64 %cond.i75.i, ptr %chunks11.i monotonic, align 8
  %threads13.i = getelementptr inbounds nuw i8, ptr %0, i64 160
  store atomic i64 %cond.i.i, ptr %threads13.i monotonic, align 32
  %done.i = getelementptr inbounds nuw i8, ptr %0, i64 192
  store atomic i64 0, ptr %done.i monotonic, align 64
  %ticket.i = getelementptr inbounds nuw i8, ptr %0, i64 64
  %16 = load atomic i64, ptr %ticket.i monotonic, align 64
  %shr.i.i = and i64 %16, -4294967296
  %shl.i.i = add i64 %shr.i.i, 4294967296
  %shl.i = shl nuw nsw i64 %cond.i75.i, 12
  %or.i = or disjoint i64 %shl.i.i, %shl.i
  store atomic i64 %or.i, ptr %ticket.i seq_cst, align 64
  %sleepers.i = getelementptr inbounds nuw i8, ptr %0, i64 384
  %17 = load atomic i64, ptr %sleepers.i seq_cst, align 64
  %tobool.not.i = icmp eq i64 %17, 0
  br i1 %tobool.not.i, label %if.end22.i, label %if.then18.i

if.then18.i:
  %add.ptr.i.i = getelementptr inbounds nuw i8, ptr %0, i64 68
  %WakeByAddressAll.i.i = getelementptr inbounds nuw i8, ptr %0, i64 32
  %18 = load ptr, ptr %WakeByAddressAll.i.i, align 8
  call void %18(ptr %add.ptr.i.i)
  br label %if.end22.i

if.end22.i:
  %19 = load atomic i64, ptr %ticket.i acquire, align 64
  %and.i.i.i85.i = and i64 %19, 4095
  %shr.i.i.i86.i = lshr i64 %19, 12
  %and.i.i3.i87.i = and i64 %shr.i.i.i86.i, 4095
  %cmp.i7788.i = icmp samesign ult i64 %and.i.i.i85.i, %and.i.i3.i87.i
  br i1 %cmp.i7788.i, label %while.body.i, label %while.end.i

while.body.i:
  %and.i.i.i89.i = phi i64 [ %and.i.i.i.i, %if.end32.i ], [ %and.i.i.i85.i, %if.end22.i ]
  %20 = phi i64 [ %23, %if.end32.i ], [ %19, %if.end22.i ]
  %add28.i = add i64 %20, 1
  %21 = cmpxchg ptr %ticket.i, i64 %20, i64 %add28.i seq_cst seq_cst, align 8
  %22 = extractvalue { i64, i1 } %21, 1
  br i1 %22, label %if.then30.i, label %if.end32.i

if.then30.i:
  %mul.i.i = mul i64 %and.i.i.i89.i, %count
  %div.i.i = udiv i64 %mul.i.i, %cond.i75.i
  %add.i78.i = add nuw nsw i64 %and.i.i.i89.i, 1
  %mul1.i.i = mul i64 %add.i78.i, %count
  %div2.i.i = udiv i64 %mul1.i.i, %cond.i75.i
  call void %body(ptr %data, i64 %div.i.i, i64 %div2.i.i, i64 0)
  br label %if.end32.i

if.end32.i:
  %23 = load atomic i64, ptr %ticket.i acquire, align 64
  %and.i.i.i.i = and i64 %23, 4095
  %shr.i.i.i.i = lshr i64 %23, 12
  %and.i.i3.i.i = and i64 %shr.i.i.i.i, 4095
  %cmp.i77.i = icmp samesign ult i64 %and.i.i.i.i, %and.i.i3.i.i
  br i1 %cmp.i77.i, label %while.body.i, label %while.end.i

while.end.i:
  %and.i.i.i.lcssa.i = phi i64 [ %and.i.i.i85.i, %if.end22.i ], [ %and.i.i.i.i, %if.end32.i ]
  %24 = atomicrmw add ptr %done.i, i64 %and.i.i.i.lcssa.i seq_cst, align 64
  %add37.i = add i64 %24, %and.i.i.i.lcssa.i
  %cmp38.not.i = icmp eq i64 %add37.i, %cond.i75.i
  br i1 %cmp38.not.i, label %run_together.exit, label %if.then39.i

if.then39.i:
  %frequency.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 56
  %25 = load i64, ptr %frequency.i.i.i, align 8
  %QueryPerformanceCounter.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 40
  %26 = load ptr, ptr %QueryPerformanceCounter.i.i.i, align 8
  %call.i.i80.i = call i32 %26(ptr %ticks.i.i.i)
  %27 = load i64, ptr %ticks.i.i.i, align 8
  %28 = load atomic i64, ptr %done.i acquire, align 64
  %cmp.not36.i.i = icmp eq i64 %28, %cond.i75.i
  br i1 %cmp.not36.i.i, label %wait_for_others.exit.i, label %while.body.lr.ph.i81.i

while.body.lr.ph.i81.i:
  %rem.i.i.i = urem i64 %27, %25
  %mul1.i.i.i = mul i64 %rem.i.i.i, 1000000000
  %div2.i.i.i = udiv i64 %mul1.i.i.i, %25
  %div.i.i.i = udiv i64 %27, %25
  %waiting.i.i = getelementptr inbounds nuw i8, ptr %0, i64 320
  %WaitOnAddress.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 24
  %SwitchToThread.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 48
  br label %while.body.i82.i

while.body.i82.i:
  %29 = load i64, ptr %frequency.i.i.i, align 8
  %30 = load ptr, ptr %QueryPerformanceCounter.i.i.i, align 8
  %call.i28.i.i = call i32 %30(ptr %ticks.i25.i.i)
  %31 = load i64, ptr %ticks.i25.i.i, align 8
  %div.i29.i.i = udiv i64 %31, %29
  %rem.i31.i.i = urem i64 %31, %29
  %mul1.i32.i.i = mul i64 %rem.i31.i.i, 1000000000
  %div2.i33.i.i = udiv i64 %mul1.i32.i.i, %29
  %reass.add.i.i = sub i64 %div.i29.i.i, %div.i.i.i
  %reass.mul.i.i = mul i64 %reass.add.i.i, 1000000000
  %add.i34.i.i = sub i64 %div2.i33.i.i, %div2.i.i.i
  %sub.i.i = add i64 %add.i34.i.i, %reass.mul.i.i
  %cmp3.i.i = icmp slt i64 %sub.i.i, 50000
  br i1 %cmp3.i.i, label %if.then.i84.i, label %if.end.i83.i

if.then.i84.i:
  call void @llvm.x86.sse2.pause()
  %cmp.i.i.i = icmp sgt i64 %sub.i.i, 3000
  br i1 %cmp.i.i.i, label %if.then.i.i.i, label %cleanup.i.i

if.then.i.i.i:
  %32 = load ptr, ptr %SwitchToThread.i.i.i.i, align 8
  %call.i.i.i.i = call i32 %32()
  br label %cleanup.i.i

if.end.i83.i:
  store atomic i64 1, ptr %waiting.i.i seq_cst, align 64
  %33 = load atomic i64, ptr %done.i seq_cst, align 64
  %cmp7.not.i.i = icmp eq i64 %33, %cond.i75.i
  br i1 %cmp7.not.i.i, label %cleanup.i.i, label %if.then8.i.i

if.then8.i.i:
  %conv.i.i.i = trunc i64 %33 to i32
  store i32 %conv.i.i.i, ptr %unwanted.i.i.i, align 4
  %34 = load ptr, ptr %WaitOnAddress.i.i.i, align 8
  %call.i35.i.i = call i32 %34(ptr %done.i, ptr %unwanted.i.i.i, i64 4, i32 -1)
  br label %cleanup.i.i

cleanup.i.i:
  %35 = load atomic i64, ptr %done.i acquire, align 64
  %cmp.not.i.i = icmp eq i64 %35, %cond.i75.i
  br i1 %cmp.not.i.i, label %wait_for_others.exit.i, label %while.body.i82.i

wait_for_others.exit.i:
  %waiting12.i.i = getelementptr inbounds nuw i8, ptr %0, i64 320
  store atomic i64 0, ptr %waiting12.i.i monotonic, align 64
  br label %run_together.exit

run_together.exit:
  store atomic i64 0, ptr %lock release, align 64
  %cmp16 = icmp sgt i64 %count, 0
  %or.cond = and i1 %cmp16, %cmp.i
  br i1 %or.cond, label %if.then17, label %cleanup19

if.end15:
  %cmp16.old = icmp sgt i64 %count, 0
  br i1 %cmp16.old, label %if.then17, label %cleanup19

if.then17:
  call void %body(ptr %data, i64 0, i64 %count, i64 0)
  br label %cleanup19

cleanup19:
  ret void
}

define i64 @hybridize_shutdown(ptr %pool) nounwind {
entry:
  %lock = getelementptr inbounds nuw i8, ptr %pool, i64 256
  %0 = cmpxchg ptr %lock, i64 0, i64 1 seq_cst seq_cst, align 8
  %1 = extractvalue { i64, i1 } %0, 1
  br i1 %1, label %if.end, label %return

if.end:
  %stop = getelementptr inbounds nuw i8, ptr %pool, i64 464
  store atomic i64 1, ptr %stop seq_cst, align 16
  %ticket = getelementptr inbounds nuw i8, ptr %pool, i64 64
  %2 = load atomic i64, ptr %ticket monotonic, align 64
  %shr.i = and i64 %2, -4294967296
  %shl.i = add i64 %shr.i, 4294967296
  store atomic i64 %shl.i, ptr %ticket seq_cst, align 64
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %pool, i64 68
  %WakeByAddressAll.i = getelementptr inbounds nuw i8, ptr %pool, i64 32
  %3 = load ptr, ptr %WakeByAddressAll.i, align 32
  tail call void %3(ptr %add.ptr.i)
  %workers4 = getelementptr inbounds nuw i8, ptr %pool, i64 448
  %4 = load atomic i64, ptr %workers4 monotonic, align 64
  %cmp25.not = icmp eq i64 %4, 0
  br i1 %cmp25.not, label %for.cond.cleanup, label %for.body.lr.ph

for.body.lr.ph:
  %thread = getelementptr inbounds nuw i8, ptr %pool, i64 512
  %WaitForSingleObject.i = getelementptr inbounds nuw i8, ptr %pool, i64 8
  %CloseHandle.i = getelementptr inbounds nuw i8, ptr %pool, i64 16
  br label %for.body

for.cond.cleanup:
  store atomic i64 0, ptr %workers4 monotonic, align 64
  store atomic i64 0, ptr %stop monotonic, align 16
  store atomic i64 0, ptr %lock release, align 64
  br label %return

for.body:
  %number.026 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds nuw i64, ptr %thread, i64 %number.026
  %5 = load i64, ptr %arrayidx, align 8
  %6 = load ptr, ptr %WaitForSingleObject.i, align 8
  %call.i = tail call i32 %6(i64 %5, i32 -1)
  %7 = load ptr, ptr %CloseHandle.i, align 8
  %call1.i = tail call i32 %7(i64 %5)
  %inc = add nuw i64 %number.026, 1
  %exitcond.not = icmp eq i64 %inc, %4
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

return:
  %retval.0 = phi i64 [ 1, %for.cond.cleanup ], [ 0, %entry ]
  ret i64 %retval.0
}

define internal i32 @worker(ptr %argument) nounwind {
entry:
  %ticks.i48 = alloca i64, align 8
  %unwanted.i = alloca i32, align 4
  %ticks.i36 = alloca i64, align 8
  %word.i.i = alloca i32, align 4
  %ticks.i = alloca i64, align 8
  %frequency.i = getelementptr inbounds nuw i8, ptr %argument, i64 56
  %0 = load i64, ptr %frequency.i, align 8
  %QueryPerformanceCounter.i = getelementptr inbounds nuw i8, ptr %argument, i64 40
  %1 = load ptr, ptr %QueryPerformanceCounter.i, align 8
  %call.i = call i32 %1(ptr %ticks.i)
  %2 = load i64, ptr %ticks.i, align 8
  %ticket1 = getelementptr inbounds nuw i8, ptr %argument, i64 64
  %stop = getelementptr inbounds nuw i8, ptr %argument, i64 464
  %3 = load atomic i64, ptr %ticket1 acquire, align 64
  %4 = load atomic i64, ptr %stop acquire, align 16
  %tobool.not70 = icmp eq i64 %4, 0
  br i1 %tobool.not70, label %if.end.lr.ph, label %cleanup21

if.end.lr.ph:
  %rem.i = urem i64 %2, %0
  %mul1.i = mul i64 %rem.i, 1000000000
  %div2.i = udiv i64 %mul1.i, %0
  %div.i = udiv i64 %2, %0
  %mul.i = mul i64 %div.i, 1000000000
  %add.i = add i64 %div2.i, %mul.i
  %threads.i = getelementptr inbounds nuw i8, ptr %argument, i64 160
  %body4.i = getelementptr inbounds nuw i8, ptr %argument, i64 128
  %data6.i = getelementptr inbounds nuw i8, ptr %argument, i64 136
  %count8.i = getelementptr inbounds nuw i8, ptr %argument, i64 144
  %chunks10.i = getelementptr inbounds nuw i8, ptr %argument, i64 152
  %rounding.i = getelementptr inbounds nuw i8, ptr %argument, i64 168
  %SwitchToThread.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 48
  %sleepers = getelementptr inbounds nuw i8, ptr %argument, i64 384
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %argument, i64 68
  %WaitOnAddress.i = getelementptr inbounds nuw i8, ptr %argument, i64 24
  %done.i = getelementptr inbounds nuw i8, ptr %argument, i64 192
  %waiting.i = getelementptr inbounds nuw i8, ptr %argument, i64 320
  %WakeByAddressAll.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 32
  br label %if.end

if.end:
  %5 = phi i64 [ %3, %if.end.lr.ph ], [ %33, %cleanup18 ]
  %since.071 = phi i64 [ %add.i, %if.end.lr.ph ], [ %since.1, %cleanup18 ]
  br label %do.body.i

do.body.i:
  %6 = load atomic i64, ptr %ticket1 acquire, align 64
  %shr.i.i = lshr i64 %6, 24
  %and.i.i = and i64 %shr.i.i, 255
  %add.i35 = add nuw nsw i64 %and.i.i, 1
  %and.i.i.i.i = and i64 %6, 4095
  %shr.i.i.i.i = lshr i64 %6, 12
  %and.i.i3.i.i = and i64 %shr.i.i.i.i, 4095
  %cmp.i.i = icmp samesign ult i64 %and.i.i.i.i, %and.i.i3.i.i
  br i1 %cmp.i.i, label %lor.lhs.false.i, label %if.then4

lor.lhs.false.i:
  %7 = load atomic i64, ptr %threads.i monotonic, align 32
  %cmp.not.i = icmp ult i64 %add.i35, %7
  br i1 %cmp.not.i, label %if.end.i, label %if.then4

if.end.i:
  %8 = load atomic i64, ptr %body4.i monotonic, align 64
  %9 = load atomic i64, ptr %data6.i monotonic, align 8
  %10 = load atomic i64, ptr %count8.i monotonic, align 16
  %11 = load atomic i64, ptr %chunks10.i monotonic, align 8
  %12 = load atomic i64, ptr %rounding.i monotonic, align 8
  %sub.i = add i64 %6, 16773120
  %13 = cmpxchg ptr %ticket1, i64 %6, i64 %sub.i seq_cst seq_cst, align 8
  %14 = extractvalue { i64, i1 } %13, 1
  br i1 %14, label %do.end.i, label %do.body.i

do.end.i:
  %15 = inttoptr i64 %8 to ptr
  %16 = inttoptr i64 %9 to ptr
  %conv.i.i = trunc i64 %12 to i32
  store i32 %conv.i.i, ptr %word.i.i, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr %word.i.i)
  br label %for.body.i

for.cond.cleanup.i:
  %17 = atomicrmw add ptr %done.i, i64 %inc.i seq_cst, align 64
  %add30.i = add i64 %17, %inc.i
  %cmp31.i = icmp eq i64 %add30.i, %11
  br i1 %cmp31.i, label %land.lhs.true.i, label %if.end15

for.body.i.loopexit:
  br label %for.body.i

for.body.i:
  %ticket.085.i = phi i64 [ %6, %do.end.i ], [ %18, %for.body.i.loopexit ]
  %ran.084.i = phi i64 [ 0, %do.end.i ], [ %inc.i, %for.body.i.loopexit ]
  %shr.i.i.i = lshr i64 %ticket.085.i, 12
  %and.i.i.i = and i64 %shr.i.i.i, 4095
  %sub17.i = add nsw i64 %and.i.i.i, -1
  %mul.i.i = mul i64 %sub17.i, %10
  %div.i.i = udiv i64 %mul.i.i, %11
  %mul1.i.i = mul i64 %and.i.i.i, %10
  %div2.i.i = udiv i64 %mul1.i.i, %11
  call void %15(ptr %16, i64 %div.i.i, i64 %div2.i.i, i64 %add.i35)
  %inc.i = add i64 %ran.084.i, 1
  br label %do.body18.i

do.body18.i:
  %18 = load atomic i64, ptr %ticket1 acquire, align 64
  %and.i.i.i69.i = and i64 %18, 4095
  %shr.i.i.i70.i = lshr i64 %18, 12
  %and.i.i3.i71.i = and i64 %shr.i.i.i70.i, 4095
  %cmp.i72.i = icmp samesign ult i64 %and.i.i.i69.i, %and.i.i3.i71.i
  br i1 %cmp.i72.i, label %land.rhs.i, label %for.cond.cleanup.i

land.rhs.i:
  %sub25.i = add i64 %18, -4096
  %19 = cmpxchg ptr %ticket1, i64 %18, i64 %sub25.i seq_cst seq_cst, align 8
  %20 = extractvalue { i64, i1 } %19, 1
  br i1 %20, label %for.body.i.loopexit, label %do.body18.i

land.lhs.true.i:
  %21 = load atomic i64, ptr %waiting.i seq_cst, align 64
  %tobool.not.i = icmp eq i64 %21, 0
  br i1 %tobool.not.i, label %if.end15, label %if.then35.i

if.then35.i:
  %22 = load ptr, ptr %WakeByAddressAll.i.i, align 8
  call void %22(ptr %done.i)
  br label %if.end15

if.then4:
  %23 = load i64, ptr %frequency.i, align 8
  %24 = load ptr, ptr %QueryPerformanceCounter.i, align 8
  %call.i39 = call i32 %24(ptr %ticks.i36)
  %25 = load i64, ptr %ticks.i36, align 8
  %div.i40 = udiv i64 %25, %23
  %mul.i41 = mul i64 %div.i40, 1000000000
  %rem.i42 = urem i64 %25, %23
  %mul1.i43 = mul i64 %rem.i42, 1000000000
  %div2.i44 = udiv i64 %mul1.i43, %23
  %add.i45 = sub i64 %mul.i41, %since.071
  %sub = add i64 %add.i45, %div2.i44
  %cmp = icmp sgt i64 %sub, 19999
  br i1 %cmp, label %cleanup, label %if.then7

if.then7:
  call void @llvm.x86.sse2.pause()
  %cmp.i = icmp sgt i64 %sub, 3000
  br i1 %cmp.i, label %if.then.i, label %cleanup18

if.then.i:
  %26 = load ptr, ptr %SwitchToThread.i.i, align 8
  %call.i.i = call i32 %26()
  br label %cleanup18

cleanup:
  %27 = atomicrmw add ptr %sleepers, i64 1 seq_cst, align 64
  %shr = lshr i64 %5, 32
  %conv.i = trunc nuw i64 %shr to i32
  store i32 %conv.i, ptr %unwanted.i, align 4
  %28 = load ptr, ptr %WaitOnAddress.i, align 8
  %call.i47 = call i32 %28(ptr %add.ptr.i, ptr %unwanted.i, i64 4, i32 -1)
  %29 = atomicrmw sub ptr %sleepers, i64 1 seq_cst, align 64
  br label %if.end15

if.end15:
  %30 = load i64, ptr %frequency.i, align 8
  %31 = load ptr, ptr %QueryPerformanceCounter.i, align 8
  %call.i51 = call i32 %31(ptr %ticks.i48)
  %32 = load i64, ptr %ticks.i48, align 8
  %div.i52 = udiv i64 %32, %30
  %mul.i53 = mul i64 %div.i52, 1000000000
  %rem.i54 = urem i64 %32, %30
  %mul1.i55 = mul i64 %rem.i54, 1000000000
  %div2.i56 = udiv i64 %mul1.i55, %30
  %add.i57 = add i64 %div2.i56, %mul.i53
  br label %cleanup18

cleanup18:
  %since.1 = phi i64 [ %add.i57, %if.end15 ], [ %since.071, %if.then.i ], [ %since.071, %if.then7 ]
  %33 = load atomic i64, ptr %ticket1 acquire, align 64
  %34 = load atomic i64, ptr %stop acquire, align 16
  %tobool.not = icmp eq i64 %34, 0
  br i1 %tobool.not, label %if.end, label %cleanup21

cleanup21:
  ret i32 0
}

declare void @llvm.x86.sse.ldmxcsr(ptr)

declare void @llvm.x86.sse2.pause()

declare void @llvm.x86.sse.stmxcsr(ptr)

declare i64 @llvm.umin.i64(i64, i64)
