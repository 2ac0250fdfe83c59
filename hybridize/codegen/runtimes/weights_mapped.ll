; Made of weights_mapped.c by `make runtimes`: clang version 22.1.8
; de650bb138ae802ba93d8f5ececc02d58751a7e7941ff2e13b3a946d2cdedfbe

@open_flags = external constant i64, align 8
@weights_bytes = external constant i64, align 8
@weights_checksum = external constant i64, align 8

define i32 @attach_weights(ptr %model, ptr %path) nounwind {
entry:
  %tobool.not = icmp eq ptr %path, null
  br i1 %tobool.not, label %return, label %if.end

if.end:
  %0 = load i64, ptr @open_flags, align 8
  %conv = trunc i64 %0 to i32
  %call1 = tail call i32 (ptr, i32, ...) @open(ptr %path, i32 %conv)
  %cmp = icmp slt i32 %call1, 0
  br i1 %cmp, label %return, label %if.end5

if.end5:
  %call6 = tail call i64 @lseek(i32 %call1, i64 0, i32 2)
  %1 = load i64, ptr @weights_bytes, align 8
  %cmp7 = icmp eq i64 %call6, %1
  br i1 %cmp7, label %cond.true, label %if.then13.critedge

cond.true:
  %call10 = tail call ptr @mmap(ptr null, i64 %call6, i32 1, i32 2, i32 %call1, i64 0)
  %call11 = tail call i32 @close(i32 %call1)
  %cmp16 = icmp eq ptr %call10, inttoptr (i64 -1 to ptr)
  br i1 %cmp16, label %return, label %if.end20

if.then13.critedge:
  %call11.c = tail call i32 @close(i32 %call1)
  br label %return

if.end20:
  %mapped = getelementptr inbounds nuw i8, ptr %model, i64 16
  store ptr %call10, ptr %mapped, align 8
  %weights = getelementptr inbounds nuw i8, ptr %model, i64 8
  store ptr %call10, ptr %weights, align 8
  %div19.i = lshr i64 %call6, 3
  %cmp20.not.i = icmp eq i64 %div19.i, 0
  br i1 %cmp20.not.i, label %is_right.exit, label %for.body.i

for.body.i:
  %total.022.i = phi i64 [ %add8.i, %for.body.i ], [ 0, %if.end20 ]
  %k.021.i = phi i64 [ %inc.i, %for.body.i ], [ 0, %if.end20 ]
  %arrayidx.i = getelementptr inbounds nuw i64, ptr %call10, i64 %k.021.i
  %2 = load i64, ptr %arrayidx.i, align 8
  %or.i = tail call i64 @llvm.fshl.i64(i64 %2, i64 %2, i64 31)
  %mul.i = shl nuw nsw i64 %k.021.i, 1
  %add.i = or disjoint i64 %mul.i, 1
  %mul3.i = mul i64 %add.i, %2
  %mul4.i = shl nuw nsw i64 %k.021.i, 2
  %add5.i = or disjoint i64 %mul4.i, 3
  %mul6.i = mul i64 %or.i, %add5.i
  %add7.i = add i64 %mul3.i, %total.022.i
  %add8.i = add i64 %add7.i, %mul6.i
  %inc.i = add nuw nsw i64 %k.021.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %div19.i
  br i1 %exitcond.not.i, label %is_right.exit, label %for.body.i

is_right.exit:
  %total.0.lcssa.i = phi i64 [ 0, %if.end20 ], [ %add8.i, %for.body.i ]
  %3 = load i64, ptr @weights_checksum, align 8
  %cmp9.i = icmp eq i64 %total.0.lcssa.i, %3
  br i1 %cmp9.i, label %return, label %if.end23

if.end23:
  %call.i = tail call i32 @munmap(ptr %call10, i64 %call6)
  br label %return

return:
  %retval.2 = phi i32 [ 0, %is_right.exit ], [ 5, %entry ], [ 16777221, %if.end ], [ 33554437, %if.then13.critedge ], [ 50331653, %if.end23 ], [ 67108869, %cond.true ]
  ret i32 %retval.2
}

declare i32 @open(ptr, i32, ...)

declare i64 @lseek(i32, i64, i32)

declare ptr @mmap(ptr, i64, i32, i32, i32, i64)

declare i32 @close(i32)

define void @detach_weights(ptr %model) nounwind {
entry:
  %mapped = getelementptr inbounds nuw i8, ptr %model, i64 16
  %0 = load ptr, ptr %mapped, align 8
  %1 = load i64, ptr @weights_bytes, align 8
  %call = tail call i32 @munmap(ptr %0, i64 %1)
  ret void
}

declare i32 @munmap(ptr, i64)

declare i64 @llvm.fshl.i64(i64, i64, i64)
