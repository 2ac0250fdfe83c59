; Made of pool.c by `make runtimes`: clang version 22.1.8
; e49429b99078dfc51ec05c644f6301864b1406edfaf651b8e3eaf649de92e11e


define void @hybridize_parallel(ptr %team, ptr %body, ptr %data, i64 %count, i64 %grain, i64 %slots, i64 %wake) nounwind {
entry:
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
  %call.i.i.i = call i32 %7(i32 3, ptr %every.i.i.i, ptr %mask.i.i)
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
  %call.i21.i.i = call i32 %14(i32 3, ptr %mask.i.i, ptr null)
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
  %ulock_wake.i.i = getelementptr inbounds nuw i8, ptr %0, i64 32
  %19 = load ptr, ptr %ulock_wake.i.i, align 8
  %cmp.i77.i = icmp samesign ugt i64 %cond.i76.i, 2
  %or.i.i = select i1 %cmp.i77.i, i32 16777473, i32 16777217
  %call.i.i = call i32 %19(i32 %or.i.i, ptr %add.ptr.i.i, i64 0)
  br label %if.end22.i

if.end22.i:
  %20 = load atomic i64, ptr %ticket.i acquire, align 64
  %and.i.i.i87.i = and i64 %20, 4095
  %shr.i.i.i88.i = lshr i64 %20, 12
  %and.i.i3.i89.i = and i64 %shr.i.i.i88.i, 4095
  %cmp.i7890.i = icmp samesign ult i64 %and.i.i.i87.i, %and.i.i3.i89.i
  br i1 %cmp.i7890.i, label %while.body.i, label %while.end.i

while.body.i:
  %and.i.i.i91.i = phi i64 [ %and.i.i.i.i, %if.end32.i ], [ %and.i.i.i87.i, %if.end22.i ]
  %21 = phi i64 [ %24, %if.end32.i ], [ %20, %if.end22.i ]
  %add28.i = add i64 %21, 1
  %22 = cmpxchg ptr %ticket.i, i64 %21, i64 %add28.i seq_cst seq_cst, align 8
  %23 = extractvalue { i64, i1 } %22, 1
  br i1 %23, label %if.then30.i, label %if.end32.i

if.then30.i:
  %mul.i.i = mul i64 %and.i.i.i91.i, %count
  %div.i.i = udiv i64 %mul.i.i, %cond.i75.i
  %add.i79.i = add nuw nsw i64 %and.i.i.i91.i, 1
  %mul1.i.i = mul i64 %add.i79.i, %count
  %div2.i.i = udiv i64 %mul1.i.i, %cond.i75.i
  call void %body(ptr %data, i64 %div.i.i, i64 %div2.i.i, i64 0)
  br label %if.end32.i

if.end32.i:
  %24 = load atomic i64, ptr %ticket.i acquire, align 64
  %and.i.i.i.i = and i64 %24, 4095
  %shr.i.i.i.i = lshr i64 %24, 12
  %and.i.i3.i.i = and i64 %shr.i.i.i.i, 4095
  %cmp.i78.i = icmp samesign ult i64 %and.i.i.i.i, %and.i.i3.i.i
  br i1 %cmp.i78.i, label %while.body.i, label %while.end.i

while.end.i:
  %and.i.i.i.lcssa.i = phi i64 [ %and.i.i.i87.i, %if.end22.i ], [ %and.i.i.i.i, %if.end32.i ]
  %25 = atomicrmw add ptr %done.i, i64 %and.i.i.i.lcssa.i seq_cst, align 64
  %add37.i = add i64 %25, %and.i.i.i.lcssa.i
  %cmp38.not.i = icmp eq i64 %add37.i, %cond.i75.i
  br i1 %cmp38.not.i, label %run_together.exit, label %if.then39.i

if.then39.i:
  %clock_gettime_nsec_np.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 48
  %26 = load ptr, ptr %clock_gettime_nsec_np.i.i.i, align 8
  %call.i.i81.i = call i64 %26(i32 8)
  %27 = load atomic i64, ptr %done.i acquire, align 64
  %cmp.not28.i.i = icmp eq i64 %27, %cond.i75.i
  br i1 %cmp.not28.i.i, label %wait_for_others.exit.i, label %while.body.lr.ph.i82.i

while.body.lr.ph.i82.i:
  %waiting.i.i = getelementptr inbounds nuw i8, ptr %0, i64 320
  %ulock_wait.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 24
  %sched_yield.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 40
  br label %while.body.i83.i

while.body.i83.i:
  %28 = load ptr, ptr %clock_gettime_nsec_np.i.i.i, align 8
  %call.i26.i.i = call i64 %28(i32 8)
  %sub.i.i = sub i64 %call.i26.i.i, %call.i.i81.i
  %cmp3.i.i = icmp slt i64 %sub.i.i, 50000
  br i1 %cmp3.i.i, label %if.then.i85.i, label %if.end.i84.i

if.then.i85.i:
  call void @llvm.aarch64.hint(i32 1)
  %cmp.i.i86.i = icmp sgt i64 %sub.i.i, 3000
  br i1 %cmp.i.i86.i, label %if.then.i.i.i, label %cleanup.i.i

if.then.i.i.i:
  %29 = load ptr, ptr %sched_yield.i.i.i.i, align 8
  %call.i.i.i.i = call i32 %29()
  br label %cleanup.i.i

if.end.i84.i:
  store atomic i64 1, ptr %waiting.i.i seq_cst, align 64
  %30 = load atomic i64, ptr %done.i seq_cst, align 64
  %cmp7.not.i.i = icmp eq i64 %30, %cond.i75.i
  br i1 %cmp7.not.i.i, label %cleanup.i.i, label %if.then8.i.i

if.then8.i.i:
  %31 = load ptr, ptr %ulock_wait.i.i.i, align 8
  %conv1.i.i.i = and i64 %30, 4294967295
  %call.i27.i.i = call i32 %31(i32 16777217, ptr %done.i, i64 %conv1.i.i.i, i32 0)
  br label %cleanup.i.i

cleanup.i.i:
  %32 = load atomic i64, ptr %done.i acquire, align 64
  %cmp.not.i.i = icmp eq i64 %32, %cond.i75.i
  br i1 %cmp.not.i.i, label %wait_for_others.exit.i, label %while.body.i83.i

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
  %ulock_wake.i = getelementptr inbounds nuw i8, ptr %pool, i64 32
  %3 = load ptr, ptr %ulock_wake.i, align 32
  %call.i = tail call i32 %3(i32 16777473, ptr %add.ptr.i, i64 0)
  %workers4 = getelementptr inbounds nuw i8, ptr %pool, i64 448
  %4 = load atomic i64, ptr %workers4 monotonic, align 64
  %cmp26.not = icmp eq i64 %4, 0
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
  %5 = load i64, ptr %arrayidx, align 8
  %6 = load ptr, ptr %pthread_join.i, align 8
  %call.i25 = tail call i32 %6(i64 %5, ptr null)
  %inc = add nuw i64 %number.027, 1
  %exitcond.not = icmp eq i64 %inc, %4
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

return:
  %retval.0 = phi i64 [ 1, %for.cond.cleanup ], [ 0, %entry ]
  ret i64 %retval.0
}

declare i64 @llvm.aarch64.get.fpcr()

define internal ptr @worker(ptr %argument) nounwind {
entry:
  %clock_gettime_nsec_np.i = getelementptr inbounds nuw i8, ptr %argument, i64 48
  %0 = load ptr, ptr %clock_gettime_nsec_np.i, align 8
  %call.i = tail call i64 %0(i32 8)
  %ticket1 = getelementptr inbounds nuw i8, ptr %argument, i64 64
  %stop = getelementptr inbounds nuw i8, ptr %argument, i64 464
  %1 = load atomic i64, ptr %ticket1 acquire, align 64
  %2 = load atomic i64, ptr %stop acquire, align 16
  %tobool.not54 = icmp eq i64 %2, 0
  br i1 %tobool.not54, label %if.end.lr.ph, label %cleanup21

if.end.lr.ph:
  %threads.i = getelementptr inbounds nuw i8, ptr %argument, i64 160
  %body4.i = getelementptr inbounds nuw i8, ptr %argument, i64 128
  %data6.i = getelementptr inbounds nuw i8, ptr %argument, i64 136
  %count8.i = getelementptr inbounds nuw i8, ptr %argument, i64 144
  %chunks10.i = getelementptr inbounds nuw i8, ptr %argument, i64 152
  %rounding.i = getelementptr inbounds nuw i8, ptr %argument, i64 168
  %sched_yield.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 40
  %sleepers = getelementptr inbounds nuw i8, ptr %argument, i64 384
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %argument, i64 68
  %ulock_wait.i = getelementptr inbounds nuw i8, ptr %argument, i64 24
  %done.i = getelementptr inbounds nuw i8, ptr %argument, i64 192
  %waiting.i = getelementptr inbounds nuw i8, ptr %argument, i64 320
  %ulock_wake.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 32
  br label %if.end

if.end:
  %3 = phi i64 [ %1, %if.end.lr.ph ], [ %27, %cleanup18 ]
  %since.055 = phi i64 [ %call.i, %if.end.lr.ph ], [ %since.1, %cleanup18 ]
  br label %do.body.i

do.body.i:
  %4 = load atomic i64, ptr %ticket1 acquire, align 64
  %shr.i.i = lshr i64 %4, 24
  %and.i.i = and i64 %shr.i.i, 255
  %add.i = add nuw nsw i64 %and.i.i, 1
  %and.i.i.i.i = and i64 %4, 4095
  %shr.i.i.i.i = lshr i64 %4, 12
  %and.i.i3.i.i = and i64 %shr.i.i.i.i, 4095
  %cmp.i.i = icmp samesign ult i64 %and.i.i.i.i, %and.i.i3.i.i
  br i1 %cmp.i.i, label %lor.lhs.false.i, label %if.then4

lor.lhs.false.i:
  %5 = load atomic i64, ptr %threads.i monotonic, align 32
  %cmp.not.i = icmp ult i64 %add.i, %5
  br i1 %cmp.not.i, label %if.end.i, label %if.then4

if.end.i:
  %6 = load atomic i64, ptr %body4.i monotonic, align 64
  %7 = load atomic i64, ptr %data6.i monotonic, align 8
  %8 = load atomic i64, ptr %count8.i monotonic, align 16
  %9 = load atomic i64, ptr %chunks10.i monotonic, align 8
  %10 = load atomic i64, ptr %rounding.i monotonic, align 8
  %sub.i = add i64 %4, 16773120
  %11 = cmpxchg ptr %ticket1, i64 %4, i64 %sub.i seq_cst seq_cst, align 8
  %12 = extractvalue { i64, i1 } %11, 1
  br i1 %12, label %do.end.i, label %do.body.i

do.end.i:
  %13 = inttoptr i64 %6 to ptr
  %14 = inttoptr i64 %7 to ptr
  tail call void @llvm.aarch64.set.fpcr(i64 %10)
  br label %for.body.i

for.cond.cleanup.i:
  %15 = atomicrmw add ptr %done.i, i64 %inc.i seq_cst, align 64
  %add30.i = add i64 %15, %inc.i
  %cmp31.i = icmp eq i64 %add30.i, %9
  br i1 %cmp31.i, label %land.lhs.true.i, label %if.end15

for.body.i.loopexit:
  br label %for.body.i

for.body.i:
  %ticket.085.i = phi i64 [ %4, %do.end.i ], [ %16, %for.body.i.loopexit ]
  %ran.084.i = phi i64 [ 0, %do.end.i ], [ %inc.i, %for.body.i.loopexit ]
  %shr.i.i.i = lshr i64 %ticket.085.i, 12
  %and.i.i.i = and i64 %shr.i.i.i, 4095
  %sub17.i = add nsw i64 %and.i.i.i, -1
  %mul.i.i = mul i64 %sub17.i, %8
  %div.i.i = udiv i64 %mul.i.i, %9
  %mul1.i.i = mul i64 %and.i.i.i, %8
  %div2.i.i = udiv i64 %mul1.i.i, %9
  tail call void %13(ptr %14, i64 %div.i.i, i64 %div2.i.i, i64 %add.i)
  %inc.i = add i64 %ran.084.i, 1
  br label %do.body18.i

do.body18.i:
  %16 = load atomic i64, ptr %ticket1 acquire, align 64
  %and.i.i.i69.i = and i64 %16, 4095
  %shr.i.i.i70.i = lshr i64 %16, 12
  %and.i.i3.i71.i = and i64 %shr.i.i.i70.i, 4095
  %cmp.i72.i = icmp samesign ult i64 %and.i.i.i69.i, %and.i.i3.i71.i
  br i1 %cmp.i72.i, label %land.rhs.i, label %for.cond.cleanup.i

land.rhs.i:
  %sub25.i = add i64 %16, -4096
  %17 = cmpxchg ptr %ticket1, i64 %16, i64 %sub25.i seq_cst seq_cst, align 8
  %18 = extractvalue { i64, i1 } %17, 1
  br i1 %18, label %for.body.i.loopexit, label %do.body18.i

land.lhs.true.i:
  %19 = load atomic i64, ptr %waiting.i seq_cst, align 64
  %tobool.not.i = icmp eq i64 %19, 0
  br i1 %tobool.not.i, label %if.end15, label %if.then35.i

if.then35.i:
  %20 = load ptr, ptr %ulock_wake.i.i, align 8
  %call.i.i = tail call i32 %20(i32 16777217, ptr %done.i, i64 0)
  br label %if.end15

if.then4:
  %21 = load ptr, ptr %clock_gettime_nsec_np.i, align 8
  %call.i36 = tail call i64 %21(i32 8)
  %sub = sub i64 %call.i36, %since.055
  %cmp = icmp sgt i64 %sub, 19999
  br i1 %cmp, label %cleanup, label %if.then7

if.then7:
  tail call void @llvm.aarch64.hint(i32 1)
  %cmp.i = icmp sgt i64 %sub, 3000
  br i1 %cmp.i, label %if.then.i, label %cleanup18

if.then.i:
  %22 = load ptr, ptr %sched_yield.i.i, align 8
  %call.i.i38 = tail call i32 %22()
  br label %cleanup18

cleanup:
  %23 = atomicrmw add ptr %sleepers, i64 1 seq_cst, align 64
  %shr = lshr i64 %3, 32
  %24 = load ptr, ptr %ulock_wait.i, align 8
  %call.i39 = tail call i32 %24(i32 16777217, ptr %add.ptr.i, i64 %shr, i32 0)
  %25 = atomicrmw sub ptr %sleepers, i64 1 seq_cst, align 64
  br label %if.end15

if.end15:
  %26 = load ptr, ptr %clock_gettime_nsec_np.i, align 8
  %call.i41 = tail call i64 %26(i32 8)
  br label %cleanup18

cleanup18:
  %since.1 = phi i64 [ %call.i41, %if.end15 ], [ %since.055, %if.then.i ], [ %since.055, %if.then7 ]
  %27 = load atomic i64, ptr %ticket1 acquire, align 64
  %28 = load atomic i64, ptr %stop acquire, align 16
  %tobool.not = icmp eq i64 %28, 0
  br i1 %tobool.not, label %if.end, label %cleanup21

cleanup21:
  ret ptr null
}

declare void @llvm.aarch64.set.fpcr(i64)

declare void @llvm.aarch64.hint(i32)

declare i64 @llvm.umin.i64(i64, i64)
