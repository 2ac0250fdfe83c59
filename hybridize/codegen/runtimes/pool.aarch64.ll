; Made of pool.c by `make runtimes`: clang version 22.1.8
; e49429b99078dfc51ec05c644f6301864b1406edfaf651b8e3eaf649de92e11e


define void @hybridize_parallel(ptr %team, ptr %body, ptr %data, i64 %count, i64 %grain, i64 %slots, i64 %wake) nounwind {
entry:
  %time.i25.i.i = alloca [2 x i64], align 8
  %time.i.i.i = alloca [2 x i64], align 8
  %every.i.i.i = alloca [16 x i64], align 8
  %mask.i.i = alloca { [16 x i64] }, align 8
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
  br label %for.body.i.i.i

for.body.i.i.i:
  %indvars.iv.i.i.i = phi i64 [ 0, %if.then ], [ %indvars.iv.next.i.i.i, %for.body.i.i.i ]
  %arrayidx.i.i.i = getelementptr inbounds nuw i64, ptr %every.i.i.i, i64 %indvars.iv.i.i.i
  store i64 -1, ptr %arrayidx.i.i.i, align 8
  %indvars.iv.next.i.i.i = add nuw nsw i64 %indvars.iv.i.i.i, 1
  %exitcond.not.i.i.i = icmp eq i64 %indvars.iv.next.i.i.i, 16
  br i1 %exitcond.not.i.i.i, label %keep_signals_away.exit.i.i, label %for.body.i.i.i

keep_signals_away.exit.i.i:
  %sub.i = add i64 %cond.i, -1
  %pthread_sigmask.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load ptr, ptr %pthread_sigmask.i.i.i, align 8
  %call.i.i.i = call i32 %7(i32 2, ptr %every.i.i.i, ptr %mask.i.i)
  %workers.i.i = getelementptr inbounds nuw i8, ptr %0, i64 448
  %ceiling.i.i = getelementptr inbounds nuw i8, ptr %0, i64 456
  %8 = load atomic i64, ptr %workers.i.i monotonic, align 64
  %9 = load atomic i64, ptr %ceiling.i.i monotonic, align 8
  %cond.i22.i.i = call i64 @llvm.umin.i64(i64 %sub.i, i64 %9)
  %cmp23.i.i = icmp ult i64 %8, %cond.i22.i.i
  br i1 %cmp23.i.i, label %while.body.lr.ph.i.i, label %start.exit.i

while.body.lr.ph.i.i:
  %thread.i.i = getelementptr inbounds nuw i8, ptr %0, i64 512
  br label %while.body.i.i

while.body.i.i:
  %10 = phi i64 [ %8, %while.body.lr.ph.i.i ], [ %12, %if.end.i.i ]
  %arrayidx.i.i = getelementptr inbounds nuw i64, ptr %thread.i.i, i64 %10
  %11 = load ptr, ptr %0, align 8
  %call.i19.i.i = call i32 %11(ptr %arrayidx.i.i, ptr null, ptr @worker, ptr %0)
  %cmp.i.i.i = icmp eq i32 %call.i19.i.i, 0
  br i1 %cmp.i.i.i, label %if.then.i.i, label %if.else.i.i

if.then.i.i:
  %add.i.i = add nuw i64 %10, 1
  store atomic i64 %add.i.i, ptr %workers.i.i monotonic, align 64
  br label %if.end.i.i

if.else.i.i:
  store atomic i64 %10, ptr %ceiling.i.i monotonic, align 8
  br label %if.end.i.i

if.end.i.i:
  %12 = load atomic i64, ptr %workers.i.i monotonic, align 64
  %13 = load atomic i64, ptr %ceiling.i.i monotonic, align 8
  %cond.i.i.i = call i64 @llvm.umin.i64(i64 %sub.i, i64 %13)
  %cmp.i.i = icmp ult i64 %12, %cond.i.i.i
  br i1 %cmp.i.i, label %while.body.i.i, label %start.exit.i

start.exit.i:
  %.lcssa.i.i = phi i64 [ %8, %keep_signals_away.exit.i.i ], [ %12, %if.end.i.i ]
  %14 = load ptr, ptr %pthread_sigmask.i.i.i, align 8
  %call.i21.i.i = call i32 %14(i32 2, ptr %mask.i.i, ptr null)
  %add.i = add i64 %.lcssa.i.i, 1
  %cond.i.i = call i64 @llvm.umin.i64(i64 %cond.i, i64 %add.i)
  %cmp.i = icmp ult i64 %add.i, 2
  br i1 %cmp.i, label %run_together.exit, label %if.end.i

if.end.i:
  %mul.i = shl i64 %cond.i.i, 2
  %div.i = udiv i64 %count, %grain
  %cond.i74.i = call i64 @llvm.umin.i64(i64 %mul.i, i64 %div.i)
  %cond.i75.i = call i64 @llvm.umin.i64(i64 %cond.i74.i, i64 4095)
  %rounding.i = getelementptr inbounds nuw i8, ptr %0, i64 168
  %call4.i = call i64 @llvm.aarch64.get.fpcr()
  store atomic i64 %call4.i, ptr %rounding.i monotonic, align 8
  %body5.i = getelementptr inbounds nuw i8, ptr %0, i64 128
  %15 = ptrtoint ptr %body to i64
  store atomic i64 %15, ptr %body5.i monotonic, align 64
  %data7.i = getelementptr inbounds nuw i8, ptr %0, i64 136
  %16 = ptrtoint ptr %data to i64
  store atomic i64 %16, ptr %data7.i monotonic, align 8
  %count9.i = getelementptr inbounds nuw i8, ptr %0, i64 144
  store atomic i64 %count, ptr %count9.i monotonic, align 16
  %chunks11.i = getelementptr inbounds nuw i8, ptr %0, i64 152
  store atomic i64 %cond.i75.i, ptr %chunks11.i monotonic, align 8
  %threads13.i = getelementptr inbounds nuw i8, ptr %0, i64 160
  store atomic i64 %cond.i.i, ptr %threads13.i monotonic, align 32
  %done.i = getelementptr inbounds nuw i8, ptr %0, i64 192
  store atomic i64 0, ptr %done.i monotonic, align 64
  %ticket.i = getelementptr inbounds nuw i8, ptr %0, i64 64
  %17 = load atomic i64, ptr %ticket.i monotonic, align 64
  %shr.i.i = and i64 %17, -4294967296
  %shl.i.i = add i64 %shr.i.i, 4294967296
  %shl.i = shl nuw nsw i64 %cond.i75.i, 12
  %or.i = or disjoint i64 %shl.i.i, %shl.i
  store atomic i64 %or.i, ptr %ticket.i seq_cst, align 64
  %sleepers.i = getelementptr inbounds nuw i8, ptr %0, i64 384
  %18 = load atomic i64, ptr %sleepers.i seq_cst, align 64
  %tobool.not.i = icmp eq i64 %18, 0
  br i1 %tobool.not.i, label %if.end22.i, label %if.then18.i

if.then18.i:
  %add.ptr.i.i = getelementptr inbounds nuw i8, ptr %0, i64 68
  %cond.i76.i = call i64 @llvm.umin.i64(i64 %cond.i.i, i64 %cond.i75.i)
  %sub21.i = add nsw i64 %cond.i76.i, -1
  %syscall.i.i = getelementptr inbounds nuw i8, ptr %0, i64 24
  %19 = load ptr, ptr %syscall.i.i, align 8
  %futex.i.i = getelementptr inbounds nuw i8, ptr %0, i64 48
  %20 = load i64, ptr %futex.i.i, align 8
  %call.i.i = call i64 (i64, ...) %19(i64 %20, ptr %add.ptr.i.i, i32 129, i64 %sub21.i, ptr null)
  br label %if.end22.i

if.end22.i:
  %21 = load atomic i64, ptr %ticket.i acquire, align 64
  %and.i.i.i86.i = and i64 %21, 4095
  %shr.i.i.i87.i = lshr i64 %21, 12
  %and.i.i3.i88.i = and i64 %shr.i.i.i87.i, 4095
  %cmp.i7789.i = icmp samesign ult i64 %and.i.i.i86.i, %and.i.i3.i88.i
  br i1 %cmp.i7789.i, label %while.body.i, label %while.end.i

while.body.i:
  %and.i.i.i90.i = phi i64 [ %and.i.i.i.i, %if.end32.i ], [ %and.i.i.i86.i, %if.end22.i ]
  %22 = phi i64 [ %25, %if.end32.i ], [ %21, %if.end22.i ]
  %add28.i = add i64 %22, 1
  %23 = cmpxchg ptr %ticket.i, i64 %22, i64 %add28.i seq_cst seq_cst, align 8
  %24 = extractvalue { i64, i1 } %23, 1
  br i1 %24, label %if.then30.i, label %if.end32.i

if.then30.i:
  %mul.i.i = mul i64 %and.i.i.i90.i, %count
  %div.i.i = udiv i64 %mul.i.i, %cond.i75.i
  %add.i78.i = add nuw nsw i64 %and.i.i.i90.i, 1
  %mul1.i.i = mul i64 %add.i78.i, %count
  %div2.i.i = udiv i64 %mul1.i.i, %cond.i75.i
  call void %body(ptr %data, i64 %div.i.i, i64 %div2.i.i, i64 0)
  br label %if.end32.i

if.end32.i:
  %25 = load atomic i64, ptr %ticket.i acquire, align 64
  %and.i.i.i.i = and i64 %25, 4095
  %shr.i.i.i.i = lshr i64 %25, 12
  %and.i.i3.i.i = and i64 %shr.i.i.i.i, 4095
  %cmp.i77.i = icmp samesign ult i64 %and.i.i.i.i, %and.i.i3.i.i
  br i1 %cmp.i77.i, label %while.body.i, label %while.end.i

while.end.i:
  %and.i.i.i.lcssa.i = phi i64 [ %and.i.i.i86.i, %if.end22.i ], [ %and.i.i.i.i, %if.end32.i ]
  %26 = atomicrmw add ptr %done.i, i64 %and.i.i.i.lcssa.i seq_cst, align 64
  %add37.i = add i64 %26, %and.i.i.i.lcssa.i
  %cmp38.not.i = icmp eq i64 %add37.i, %cond.i75.i
  br i1 %cmp38.not.i, label %run_together.exit, label %if.then39.i

if.then39.i:
  %clock_gettime.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 32
  %27 = load ptr, ptr %clock_gettime.i.i.i, align 8
  %call.i.i80.i = call i32 %27(i32 1, ptr %time.i.i.i)
  %28 = load i64, ptr %time.i.i.i, align 8
  %arrayidx1.i.i.i = getelementptr inbounds nuw i8, ptr %time.i.i.i, i64 8
  %29 = load i64, ptr %arrayidx1.i.i.i, align 8
  %30 = load atomic i64, ptr %done.i acquire, align 64
  %cmp.not32.i.i = icmp eq i64 %30, %cond.i75.i
  br i1 %cmp.not32.i.i, label %wait_for_others.exit.i, label %while.body.lr.ph.i81.i

while.body.lr.ph.i81.i:
  %arrayidx1.i29.i.i = getelementptr inbounds nuw i8, ptr %time.i25.i.i, i64 8
  %waiting.i.i = getelementptr inbounds nuw i8, ptr %0, i64 320
  %syscall.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 24
  %futex.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 48
  %sched_yield.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 40
  br label %while.body.i82.i

while.body.i82.i:
  %31 = load ptr, ptr %clock_gettime.i.i.i, align 8
  %call.i27.i.i = call i32 %31(i32 1, ptr %time.i25.i.i)
  %32 = load i64, ptr %time.i25.i.i, align 8
  %33 = load i64, ptr %arrayidx1.i29.i.i, align 8
  %reass.add.i.i = sub i64 %32, %28
  %reass.mul.i.i = mul i64 %reass.add.i.i, 1000000000
  %add.i30.i.i = sub i64 %33, %29
  %sub.i.i = add i64 %add.i30.i.i, %reass.mul.i.i
  %cmp3.i.i = icmp slt i64 %sub.i.i, 50000
  br i1 %cmp3.i.i, label %if.then.i84.i, label %if.end.i83.i

if.then.i84.i:
  call void @llvm.aarch64.hint(i32 1)
  %cmp.i.i85.i = icmp sgt i64 %sub.i.i, 3000
  br i1 %cmp.i.i85.i, label %if.then.i.i.i, label %cleanup.i.i

if.then.i.i.i:
  %34 = load ptr, ptr %sched_yield.i.i.i.i, align 8
  %call.i.i.i.i = call i32 %34()
  br label %cleanup.i.i

if.end.i83.i:
  store atomic i64 1, ptr %waiting.i.i seq_cst, align 64
  %35 = load atomic i64, ptr %done.i seq_cst, align 64
  %cmp7.not.i.i = icmp eq i64 %35, %cond.i75.i
  br i1 %cmp7.not.i.i, label %cleanup.i.i, label %if.then8.i.i

if.then8.i.i:
  %36 = load ptr, ptr %syscall.i.i.i, align 8
  %37 = load i64, ptr %futex.i.i.i, align 8
  %call.i31.i.i = call i64 (i64, ...) %36(i64 %37, ptr %done.i, i32 128, i64 %35, ptr null)
  br label %cleanup.i.i

cleanup.i.i:
  %38 = load atomic i64, ptr %done.i acquire, align 64
  %cmp.not.i.i = icmp eq i64 %38, %cond.i75.i
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
  %syscall.i = getelementptr inbounds nuw i8, ptr %pool, i64 24
  %3 = load ptr, ptr %syscall.i, align 8
  %futex.i = getelementptr inbounds nuw i8, ptr %pool, i64 48
  %4 = load i64, ptr %futex.i, align 16
  %call.i = tail call i64 (i64, ...) %3(i64 %4, ptr %add.ptr.i, i32 129, i64 255, ptr null)
  %workers4 = getelementptr inbounds nuw i8, ptr %pool, i64 448
  %5 = load atomic i64, ptr %workers4 monotonic, align 64
  %cmp26.not = icmp eq i64 %5, 0
  br i1 %cmp26.not, label %for.cond.cleanup, label %for.body.lr.ph

for.body.lr.ph:
  %thread = getelementptr inbounds nuw i8, ptr %pool, i64 512
  %pthread_join.i = getelementptr inbounds nuw i8, ptr %pool, i64 8
  br label %for.body

for.cond.cleanup:
  store atomic i64 0, ptr %workers4 monotonic, align 64
  store atomic i64 0, ptr %stop monotonic, align 16
  store atomic i64 0, ptr %lock release, align 64
  br label %return

for.body:
  %number.027 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds nuw i64, ptr %thread, i64 %number.027
  %6 = load i64, ptr %arrayidx, align 8
  %7 = load ptr, ptr %pthread_join.i, align 8
  %call.i25 = tail call i32 %7(i64 %6, ptr null)
  %inc = add nuw i64 %number.027, 1
  %exitcond.not = icmp eq i64 %inc, %5
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

return:
  %retval.0 = phi i64 [ 1, %for.cond.cleanup ], [ 0, %entry ]
  ret i64 %retval.0
}

declare i64 @llvm.aarch64.get.fpcr()

define internal ptr @worker(ptr %argument) nounwind {
entry:
  %time.i45 = alloca [2 x i64], align 8
  %time.i36 = alloca [2 x i64], align 8
  %time.i = alloca [2 x i64], align 8
  %clock_gettime.i = getelementptr inbounds nuw i8, ptr %argument, i64 32
  %0 = load ptr, ptr %clock_gettime.i, align 8
  %call.i = call i32 %0(i32 1, ptr %time.i)
  %1 = load i64, ptr %time.i, align 8
  %arrayidx1.i = getelementptr inbounds nuw i8, ptr %time.i, i64 8
  %2 = load i64, ptr %arrayidx1.i, align 8
  %ticket1 = getelementptr inbounds nuw i8, ptr %argument, i64 64
  %stop = getelementptr inbounds nuw i8, ptr %argument, i64 464
  %3 = load atomic i64, ptr %ticket1 acquire, align 64
  %4 = load atomic i64, ptr %stop acquire, align 16
  %tobool.not63 = icmp eq i64 %4, 0
  br i1 %tobool.not63, label %if.end.lr.ph, label %cleanup21

if.end.lr.ph:
  %mul.i = mul i64 %1, 1000000000
  %add.i = add i64 %mul.i, %2
  %threads.i = getelementptr inbounds nuw i8, ptr %argument, i64 160
  %body4.i = getelementptr inbounds nuw i8, ptr %argument, i64 128
  %data6.i = getelementptr inbounds nuw i8, ptr %argument, i64 136
  %count8.i = getelementptr inbounds nuw i8, ptr %argument, i64 144
  %chunks10.i = getelementptr inbounds nuw i8, ptr %argument, i64 152
  %rounding.i = getelementptr inbounds nuw i8, ptr %argument, i64 168
  %arrayidx1.i40 = getelementptr inbounds nuw i8, ptr %time.i36, i64 8
  %sched_yield.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 40
  %sleepers = getelementptr inbounds nuw i8, ptr %argument, i64 384
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %argument, i64 68
  %syscall.i = getelementptr inbounds nuw i8, ptr %argument, i64 24
  %futex.i = getelementptr inbounds nuw i8, ptr %argument, i64 48
  %done.i = getelementptr inbounds nuw i8, ptr %argument, i64 192
  %waiting.i = getelementptr inbounds nuw i8, ptr %argument, i64 320
  %arrayidx1.i49 = getelementptr inbounds nuw i8, ptr %time.i45, i64 8
  br label %if.end

if.end:
  %5 = phi i64 [ %3, %if.end.lr.ph ], [ %35, %cleanup18 ]
  %since.064 = phi i64 [ %add.i, %if.end.lr.ph ], [ %since.1, %cleanup18 ]
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
  call void @llvm.aarch64.set.fpcr(i64 %12)
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
  %22 = load ptr, ptr %syscall.i, align 8
  %23 = load i64, ptr %futex.i, align 8
  %call.i.i = call i64 (i64, ...) %22(i64 %23, ptr %done.i, i32 129, i64 1, ptr null)
  br label %if.end15

if.then4:
  %24 = load ptr, ptr %clock_gettime.i, align 8
  %call.i38 = call i32 %24(i32 1, ptr %time.i36)
  %25 = load i64, ptr %time.i36, align 8
  %mul.i39 = mul i64 %25, 1000000000
  %26 = load i64, ptr %arrayidx1.i40, align 8
  %add.i41 = sub i64 %26, %since.064
  %sub = add i64 %add.i41, %mul.i39
  %cmp = icmp sgt i64 %sub, 19999
  br i1 %cmp, label %cleanup, label %if.then7

if.then7:
  call void @llvm.aarch64.hint(i32 1)
  %cmp.i = icmp sgt i64 %sub, 3000
  br i1 %cmp.i, label %if.then.i, label %cleanup18

if.then.i:
  %27 = load ptr, ptr %sched_yield.i.i, align 8
  %call.i.i43 = call i32 %27()
  br label %cleanup18

cleanup:
  %28 = atomicrmw add ptr %sleepers, i64 1 seq_cst, align 64
  %shr = lshr i64 %5, 32
  %29 = load ptr, ptr %syscall.i, align 8
  %30 = load i64, ptr %futex.i, align 8
  %call.i44 = call i64 (i64, ...) %29(i64 %30, ptr %add.ptr.i, i32 128, i64 %shr, ptr null)
  %31 = atomicrmw sub ptr %sleepers, i64 1 seq_cst, align 64
  br label %if.end15

if.end15:
  %32 = load ptr, ptr %clock_gettime.i, align 8
  %call.i47 = call i32 %32(i32 1, ptr %time.i45)
  %33 = load i64, ptr %time.i45, align 8
  %mul.i48 = mul i64 %33, 1000000000
  %34 = load i64, ptr %arrayidx1.i49, align 8
  %add.i50 = add i64 %mul.i48, %34
  br label %cleanup18

cleanup18:
  %since.1 = phi i64 [ %add.i50, %if.end15 ], [ %since.064, %if.then.i ], [ %since.064, %if.then7 ]
  %35 = load atomic i64, ptr %ticket1 acquire, align 64
  %36 = load atomic i64, ptr %stop acquire, align 16
  %tobool.not = icmp eq i64 %36, 0
  br i1 %tobool.not, label %if.end, label %cleanup21

cleanup21:
  ret ptr null
}

declare void @llvm.aarch64.set.fpcr(i64)

declare void @llvm.aarch64.hint(i32)

declare i64 @llvm.umin.i64(i64, i64)
