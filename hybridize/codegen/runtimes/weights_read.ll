; Made of weights_read.c by `make runtimes`: clang version 22.1.8
; 08763210f8e2a5e4cf6cac39904d730d343acb171a2d6f3646bcac00584b1ac9

@weights_bytes = external constant i64, align 8
@.str = private unnamed_addr constant [3 x i8] c"rb\00", align 1
@weights_checksum = external constant i64, align 8

define i32 @attach_weights(ptr %model, ptr %path) nounwind {
entry:
  %tobool.not = icmp eq ptr %path, null
  br i1 %tobool.not, label %return, label %if.end

if.end:
  %0 = load i64, ptr @weights_bytes, align 8
  %add = add i64 %0, 64
  %call1 = tail call ptr @malloc(i64 %add)
  %tobool2.not = icmp eq ptr %call1, null
  br i1 %tobool2.not, label %return, label %if.end5

if.end5:
  %call6 = tail call ptr @fopen(ptr %path, ptr @.str)
  %tobool7.not = icmp eq ptr %call6, null
  br i1 %tobool7.not, label %if.end19, label %if.then8

if.then8:
  %1 = ptrtoint ptr %call1 to i64
  %sub.i = sub i64 0, %1
  %and.i = and i64 %sub.i, 63
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %call1, i64 %and.i
  %call10 = tail call i64 @fread(ptr %add.ptr.i, i64 1, i64 %0, ptr %call6)
  %cmp = icmp eq i64 %call10, %0
  br i1 %cmp, label %land.rhs, label %if.end16.critedge

land.rhs:
  %call11 = tail call i32 @fgetc(ptr %call6)
  %cmp12 = icmp eq i32 %call11, -1
  %call13 = tail call i32 @fclose(ptr %call6)
  %mapped = getelementptr inbounds nuw i8, ptr %model, i64 16
  store ptr %call1, ptr %mapped, align 8
  %weights = getelementptr inbounds nuw i8, ptr %model, i64 8
  store ptr %add.ptr.i, ptr %weights, align 8
  br i1 %cmp12, label %land.lhs.true, label %if.end19

land.lhs.true:
  %div19.i = lshr i64 %0, 3
  %cmp20.not.i = icmp eq i64 %div19.i, 0
  br i1 %cmp20.not.i, label %is_right.exit, label %for.body.i

for.body.i:
  %total.022.i = phi i64 [ %add8.i, %for.body.i ], [ 0, %land.lhs.true ]
  %k.021.i = phi i64 [ %inc.i, %for.body.i ], [ 0, %land.lhs.true ]
  %arrayidx.i = getelementptr inbounds nuw i64, ptr %add.ptr.i, i64 %k.021.i
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
  %total.0.lcssa.i = phi i64 [ 0, %land.lhs.true ], [ %add8.i, %for.body.i ]
  %3 = load i64, ptr @weights_checksum, align 8
  %cmp9.i = icmp eq i64 %total.0.lcssa.i, %3
  br i1 %cmp9.i, label %return, label %if.end19

if.end16.critedge:
  %call13.c = tail call i32 @fclose(ptr %call6)
  %mapped.c = getelementptr inbounds nuw i8, ptr %model, i64 16
  store ptr %call1, ptr %mapped.c, align 8
  %weights.c = getelementptr inbounds nuw i8, ptr %model, i64 8
  store ptr %add.ptr.i, ptr %weights.c, align 8
  br label %if.end19

if.end19:
  %problem.1 = phi i32 [ 16777221, %if.end5 ], [ 33554437, %if.end16.critedge ], [ 33554437, %land.rhs ], [ 50331653, %is_right.exit ]
  tail call void @free(ptr %call1)
  br label %return

return:
  %retval.3 = phi i32 [ 0, %is_right.exit ], [ 5, %entry ], [ %problem.1, %if.end19 ], [ 4, %if.end ]
  ret i32 %retval.3
}

declare ptr @malloc(i64)

declare ptr @fopen(ptr, ptr)

declare i64 @fread(ptr, i64, i64, ptr)

declare i32 @fgetc(ptr)

declare i32 @fclose(ptr)

declare void @free(ptr)

define void @detach_weights(ptr %model) nounwind {
entry:
  %mapped = getelementptr inbounds nuw i8, ptr %model, i64 16
  %0 = load ptr, ptr %mapped, align 8
  tail call void @free(ptr %0)
  ret void
}

declare i64 @llvm.fshl.i64(i64, i64, i64)
