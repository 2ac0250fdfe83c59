; Made of states.c by `make runtimes`: clang version 22.1.8
; 7739659ec62e74d85295606be26f66603b06aad493bb9147959709c212c69f31


@ending = internal unnamed_addr constant [6 x i8] c".part\00", align 1
@write_mode = internal constant [3 x i8] c"wb\00", align 1
@state_count = external constant i64, align 8
@state_table = external constant [0 x { i64, i64, i64, i64, i64, i64 }], align 8
@read_mode = internal constant [3 x i8] c"rb\00", align 1
@state_texts = external constant [0 x i8], align 1
@state_header = external constant [0 x i8], align 1
@state_header_bytes = external constant i64, align 8
@key_dtype = internal constant [6 x i8] c"dtype\00", align 1
@key_shape = internal constant [6 x i8] c"shape\00", align 1
@key_offsets = internal constant [13 x i8] c"data_offsets\00", align 1
@state_sizes = external constant [0 x i64], align 8
@switch.table.is_text = private unnamed_addr constant [10 x i8] [i8 8, i8 poison, i8 12, i8 poison, i8 poison, i8 poison, i8 10, i8 poison, i8 13, i8 9], align 1

define i32 @model_get(ptr %model, ptr %name, ptr %data, i64 %nbytes) nounwind {
entry:
  %tobool.not.i = icmp eq ptr %model, null
  br i1 %tobool.not.i, label %cleanup, label %if.end.i

if.end.i:
  %tobool1.not.i = icmp eq ptr %name, null
  br i1 %tobool1.not.i, label %cleanup, label %if.end4.i

if.end4.i:
  %tobool5.not.i = icmp eq ptr %data, null
  br i1 %tobool5.not.i, label %cleanup, label %if.end8.i

if.end8.i:
  %0 = load i64, ptr @state_count, align 8
  %cmp32.i.i = icmp sgt i64 %0, 0
  br i1 %cmp32.i.i, label %for.body.i.i, label %cleanup

for.cond.i.i:
  %inc.i.i = add nuw nsw i64 %number.033.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc.i.i, %0
  br i1 %exitcond.not.i.i, label %cleanup, label %for.body.i.i

for.body.i.i:
  %number.033.i.i = phi i64 [ %inc.i.i, %for.cond.i.i ], [ 0, %if.end8.i ]
  %arrayidx.i.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.033.i.i
  %1 = load i64, ptr %arrayidx.i.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr @state_texts, i64 %1
  %2 = load i8, ptr %add.ptr.i.i, align 1
  %tobool.not26.i.i = icmp eq i8 %2, 0
  br i1 %tobool.not26.i.i, label %while.end.i.i, label %land.rhs.i.i

land.rhs.i.i:
  %3 = phi i8 [ %5, %while.body.i.i ], [ %2, %for.body.i.i ]
  %other.028.i.i = phi ptr [ %incdec.ptr6.i.i, %while.body.i.i ], [ %name, %for.body.i.i ]
  %own.027.i.i = phi ptr [ %incdec.ptr.i.i, %while.body.i.i ], [ %add.ptr.i.i, %for.body.i.i ]
  %4 = load i8, ptr %other.028.i.i, align 1
  %cmp4.i.i = icmp eq i8 %3, %4
  br i1 %cmp4.i.i, label %while.body.i.i, label %while.end.i.i

while.body.i.i:
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %own.027.i.i, i64 1
  %incdec.ptr6.i.i = getelementptr inbounds nuw i8, ptr %other.028.i.i, i64 1
  %5 = load i8, ptr %incdec.ptr.i.i, align 1
  %tobool.not.i.i = icmp eq i8 %5, 0
  br i1 %tobool.not.i.i, label %while.end.i.i, label %land.rhs.i.i

while.end.i.i:
  %other.0.lcssa.i.i = phi ptr [ %name, %for.body.i.i ], [ %incdec.ptr6.i.i, %while.body.i.i ], [ %other.028.i.i, %land.rhs.i.i ]
  %.lcssa.i.i = phi i8 [ 0, %for.body.i.i ], [ 0, %while.body.i.i ], [ %3, %land.rhs.i.i ]
  %6 = load i8, ptr %other.0.lcssa.i.i, align 1
  %cmp9.not.i.i = icmp eq i8 %.lcssa.i.i, %6
  br i1 %cmp9.not.i.i, label %if.end13.i, label %for.cond.i.i

if.end13.i:
  %nbytes14.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 16
  %7 = load i64, ptr %nbytes14.i, align 8
  %cmp.i = icmp eq i64 %7, %nbytes
  br i1 %cmp.i, label %if.end, label %cond.false.i

cond.false.i:
  %8 = trunc i64 %number.033.i.i to i32
  %conv.i.i = shl i32 %8, 8
  %or.i.i = add i32 %conv.i.i, 264
  br label %cleanup

if.end:
  %lock = getelementptr inbounds nuw i8, ptr %model, i64 32
  tail call void @lock(ptr %lock)
  %offset.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 24
  %9 = load i64, ptr %offset.i, align 8
  %add.ptr.i = getelementptr inbounds i8, ptr %model, i64 %9
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %data, ptr align 1 %add.ptr.i, i64 %nbytes, i1 false)
  store atomic i32 0, ptr %lock release, align 8
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ 0, %if.end ], [ 8, %if.end8.i ], [ 100663297, %if.end.i ], [ %or.i.i, %cond.false.i ], [ 117440513, %if.end4.i ], [ 16777217, %entry ], [ 8, %for.cond.i.i ]
  ret i32 %retval.0
}

declare void @lock(ptr)

define i32 @model_set(ptr %model, ptr %name, ptr %data, i64 %nbytes) nounwind {
entry:
  %tobool.not.i = icmp eq ptr %model, null
  br i1 %tobool.not.i, label %cleanup, label %if.end.i

if.end.i:
  %tobool1.not.i = icmp eq ptr %name, null
  br i1 %tobool1.not.i, label %cleanup, label %if.end4.i

if.end4.i:
  %tobool5.not.i = icmp eq ptr %data, null
  br i1 %tobool5.not.i, label %cleanup, label %if.end8.i

if.end8.i:
  %0 = load i64, ptr @state_count, align 8
  %cmp32.i.i = icmp sgt i64 %0, 0
  br i1 %cmp32.i.i, label %for.body.i.i, label %cleanup

for.cond.i.i:
  %inc.i.i = add nuw nsw i64 %number.033.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc.i.i, %0
  br i1 %exitcond.not.i.i, label %cleanup, label %for.body.i.i

for.body.i.i:
  %number.033.i.i = phi i64 [ %inc.i.i, %for.cond.i.i ], [ 0, %if.end8.i ]
  %arrayidx.i.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.033.i.i
  %1 = load i64, ptr %arrayidx.i.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr @state_texts, i64 %1
  %2 = load i8, ptr %add.ptr.i.i, align 1
  %tobool.not26.i.i = icmp eq i8 %2, 0
  br i1 %tobool.not26.i.i, label %while.end.i.i, label %land.rhs.i.i

land.rhs.i.i:
  %3 = phi i8 [ %5, %while.body.i.i ], [ %2, %for.body.i.i ]
  %other.028.i.i = phi ptr [ %incdec.ptr6.i.i, %while.body.i.i ], [ %name, %for.body.i.i ]
  %own.027.i.i = phi ptr [ %incdec.ptr.i.i, %while.body.i.i ], [ %add.ptr.i.i, %for.body.i.i ]
  %4 = load i8, ptr %other.028.i.i, align 1
  %cmp4.i.i = icmp eq i8 %3, %4
  br i1 %cmp4.i.i, label %while.body.i.i, label %while.end.i.i

while.body.i.i:
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %own.027.i.i, i64 1
  %incdec.ptr6.i.i = getelementptr inbounds nuw i8, ptr %other.028.i.i, i64 1
  %5 = load i8, ptr %incdec.ptr.i.i, align 1
  %tobool.not.i.i = icmp eq i8 %5, 0
  br i1 %tobool.not.i.i, label %while.end.i.i, label %land.rhs.i.i

while.end.i.i:
  %other.0.lcssa.i.i = phi ptr [ %name, %for.body.i.i ], [ %incdec.ptr6.i.i, %while.body.i.i ], [ %other.028.i.i, %land.rhs.i.i ]
  %.lcssa.i.i = phi i8 [ 0, %for.body.i.i ], [ 0, %while.body.i.i ], [ %3, %land.rhs.i.i ]
  %6 = load i8, ptr %other.0.lcssa.i.i, align 1
  %cmp9.not.i.i = icmp eq i8 %.lcssa.i.i, %6
  br i1 %cmp9.not.i.i, label %if.end13.i, label %for.cond.i.i

if.end13.i:
  %nbytes14.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 16
  %7 = load i64, ptr %nbytes14.i, align 8
  %cmp.i = icmp eq i64 %7, %nbytes
  br i1 %cmp.i, label %if.end, label %cond.false.i

cond.false.i:
  %8 = trunc i64 %number.033.i.i to i32
  %conv.i.i = shl i32 %8, 8
  %or.i.i = add i32 %conv.i.i, 264
  br label %cleanup

if.end:
  %lock = getelementptr inbounds nuw i8, ptr %model, i64 32
  tail call void @lock(ptr %lock)
  %offset.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 24
  %9 = load i64, ptr %offset.i, align 8
  %add.ptr.i = getelementptr inbounds i8, ptr %model, i64 %9
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %add.ptr.i, ptr align 1 %data, i64 %nbytes, i1 false)
  store atomic i32 0, ptr %lock release, align 8
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ 0, %if.end ], [ 8, %if.end8.i ], [ 100663297, %if.end.i ], [ %or.i.i, %cond.false.i ], [ 117440513, %if.end4.i ], [ 16777217, %entry ], [ 8, %for.cond.i.i ]
  ret i32 %retval.0
}

define i32 @model_save(ptr %model, ptr %path) nounwind {
entry:
  %tobool.not = icmp eq ptr %model, null
  br i1 %tobool.not, label %return, label %if.end

if.end:
  %tobool1.not = icmp eq ptr %path, null
  br i1 %tobool1.not, label %return, label %while.cond

while.cond:
  %length.0 = phi i64 [ %inc, %while.cond ], [ 0, %if.end ]
  %arrayidx = getelementptr inbounds i8, ptr %path, i64 %length.0
  %0 = load i8, ptr %arrayidx, align 1
  %tobool5.not = icmp eq i8 %0, 0
  %inc = add i64 %length.0, 1
  br i1 %tobool5.not, label %while.end, label %while.cond

while.end:
  %add = add i64 %length.0, 6
  %call6 = tail call ptr @malloc(i64 %add)
  %tobool7.not = icmp eq ptr %call6, null
  br i1 %tobool7.not, label %return, label %if.end10

if.end10:
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %call6, ptr align 1 %path, i64 %length.0, i1 false)
  %add.ptr = getelementptr inbounds i8, ptr %call6, i64 %length.0
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %add.ptr, ptr align 1 @ending, i64 6, i1 false)
  %lock = getelementptr inbounds nuw i8, ptr %model, i64 32
  tail call void @lock(ptr %lock)
  %call11 = tail call ptr @fopen(ptr %call6, ptr @write_mode)
  %tobool12.not = icmp eq ptr %call11, null
  br i1 %tobool12.not, label %if.end31, label %if.then13

if.then13:
  %1 = load i64, ptr @state_header_bytes, align 8
  %call.i = tail call i64 @fwrite(ptr @state_header, i64 1, i64 %1, ptr %call11)
  %cmp.i = icmp eq i64 %call.i, %1
  %2 = load i64, ptr @state_count, align 8
  %cmp119.i = icmp sgt i64 %2, 0
  %3 = select i1 %cmp.i, i1 %cmp119.i, i1 false
  br i1 %3, label %for.body.i, label %for.cond.cleanup.i

for.cond.cleanup.i:
  %good.0.in.lcssa.i = phi i1 [ %cmp.i, %if.then13 ], [ %cmp6.i, %for.body.i ]
  br i1 %good.0.in.lcssa.i, label %write_states.exit, label %write_states.exit.thread

write_states.exit.thread:
  %call1554 = tail call i32 @fclose(ptr %call11)
  br label %if.then27

for.body.i:
  %number.020.i = phi i64 [ %inc.i, %for.body.i ], [ 0, %if.then13 ]
  %arrayidx.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.020.i
  %nbytes2.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  %4 = load i64, ptr %nbytes2.i, align 8
  %offset.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 24
  %5 = load i64, ptr %offset.i.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr %model, i64 %5
  %call5.i = tail call i64 @fwrite(ptr %add.ptr.i.i, i64 1, i64 %4, ptr %call11)
  %cmp6.i = icmp eq i64 %call5.i, %4
  %inc.i = add nuw nsw i64 %number.020.i, 1
  %cmp1.i = icmp slt i64 %inc.i, %2
  %6 = select i1 %cmp6.i, i1 %cmp1.i, i1 false
  br i1 %6, label %for.body.i, label %for.cond.cleanup.i

write_states.exit:
  %call10.i = tail call zeroext i1 @write_to_disk(ptr %call11)
  %call15 = tail call i32 @fclose(ptr %call11)
  %cmp = icmp eq i32 %call15, 0
  %7 = select i1 %cmp, i1 %call10.i, i1 false
  br i1 %7, label %land.lhs.true, label %if.then27

land.lhs.true:
  %call22 = tail call zeroext i1 @replace_file(ptr %call6, ptr %path)
  br i1 %call22, label %if.end31, label %if.then27

if.then27:
  %answer.1.ph = phi i32 [ 134217733, %write_states.exit ], [ 134217733, %write_states.exit.thread ], [ 150994949, %land.lhs.true ]
  %call28 = tail call i32 @remove(ptr %call6)
  br label %if.end31

if.end31:
  %answer.2 = phi i32 [ 0, %land.lhs.true ], [ %answer.1.ph, %if.then27 ], [ 134217733, %if.end10 ]
  store atomic i32 0, ptr %lock release, align 8
  tail call void @free(ptr %call6)
  br label %return

return:
  %retval.1 = phi i32 [ 134217729, %if.end ], [ 16777217, %entry ], [ %answer.2, %if.end31 ], [ 4, %while.end ]
  ret i32 %retval.1
}

declare ptr @malloc(i64)

declare ptr @fopen(ptr, ptr)

declare i32 @fclose(ptr)

declare zeroext i1 @replace_file(ptr, ptr)

declare i32 @remove(ptr)

declare void @free(ptr)

define i32 @model_load(ptr %model, ptr %path) nounwind {
entry:
  %key.i.i.i = alloca { ptr, ptr, i8 }, align 8
  %agg.tmp.i.i.i = alloca { ptr, ptr, i8 }, align 8
  %key.i.i = alloca { ptr, ptr, i8 }, align 8
  %length.i = alloca i64, align 8
  %json.i = alloca { ptr, ptr, i8 }, align 8
  %tobool.not = icmp eq ptr %model, null
  br i1 %tobool.not, label %return, label %if.end

if.end:
  %tobool1.not = icmp eq ptr %path, null
  br i1 %tobool1.not, label %return, label %if.end4

if.end4:
  %0 = load i64, ptr @state_count, align 8
  %mul = mul i64 %0, 24
  %cmp118 = icmp sgt i64 %0, 0
  br i1 %cmp118, label %for.body, label %for.cond.cleanup.thread

for.cond.cleanup:
  %add5 = add i64 %add, %mul
  %call6 = tail call ptr @malloc(i64 %add5)
  %tobool7.not = icmp eq ptr %call6, null
  br i1 %tobool7.not, label %return, label %for.body15

for.cond.cleanup.thread:
  %add5213 = or disjoint i64 %mul, 1
  %call6214 = tail call ptr @malloc(i64 %add5213)
  %tobool7.not215 = icmp eq ptr %call6214, null
  br i1 %tobool7.not215, label %return, label %for.cond.cleanup14

for.body:
  %total.0120 = phi i64 [ %add, %for.body ], [ 1, %if.end4 ]
  %number.0119 = phi i64 [ %inc, %for.body ], [ 0, %if.end4 ]
  %arrayidx = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.0119
  %nbytes = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %1 = load i64, ptr %nbytes, align 8
  %add = add i64 %1, %total.0120
  %inc = add nuw nsw i64 %number.0119, 1
  %exitcond.not = icmp eq i64 %inc, %0
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup14:
  %call6216221 = phi ptr [ %call6214, %for.cond.cleanup.thread ], [ %call6, %for.body15 ]
  %call21 = tail call ptr @fopen(ptr %path, ptr @read_mode)
  %tobool22.not = icmp eq ptr %call21, null
  br i1 %tobool22.not, label %if.end26, label %if.then23

for.body15:
  %number11.0122 = phi i64 [ %inc18, %for.body15 ], [ 0, %for.cond.cleanup ]
  %arrayidx16 = getelementptr inbounds nuw { i64, i64, i8, i8 }, ptr %call6, i64 %number11.0122
  tail call void @llvm.memset.p0.i64(ptr align 8 %arrayidx16, i8 0, i64 24, i1 false)
  %inc18 = add nuw nsw i64 %number11.0122, 1
  %exitcond198.not = icmp eq i64 %inc18, %0
  br i1 %exitcond198.not, label %for.cond.cleanup14, label %for.body15

if.then23:
  %add.ptr = getelementptr inbounds nuw i8, ptr %call6216221, i64 %mul
  %call.i = call i64 @fread(ptr %length.i, i64 1, i64 8, ptr %call21)
  %cmp.not.i = icmp eq i64 %call.i, 8
  br i1 %cmp.not.i, label %if.end.i, label %read_file.exit

if.end.i:
  %2 = load i64, ptr %length.i, align 8
  %cmp2.i = icmp ugt i64 %2, 104857600
  br i1 %cmp2.i, label %read_file.exit, label %if.end5.i

if.end5.i:
  %add.i = add nuw nsw i64 %2, 1
  %call6.i = call ptr @malloc(i64 %add.i)
  %tobool.not.i = icmp eq ptr %call6.i, null
  br i1 %tobool.not.i, label %read_file.exit, label %if.end9.i

if.end9.i:
  %3 = load i64, ptr %length.i, align 8
  %call11.i = call i64 @fread(ptr %call6.i, i64 1, i64 %3, ptr %call21)
  %4 = load i64, ptr %length.i, align 8
  %cmp12.i = icmp eq i64 %call11.i, %4
  br i1 %cmp12.i, label %if.then13.i, label %if.end15.thread.i

if.end15.thread.i:
  call void @free(ptr %call6.i)
  br label %read_file.exit

if.then13.i:
  %end.i = getelementptr inbounds nuw i8, ptr %json.i, i64 8
  %add.ptr.i = getelementptr i8, ptr %call6.i, i64 %call11.i
  store ptr %add.ptr.i, ptr %end.i, align 8
  %bad.i = getelementptr inbounds nuw i8, ptr %json.i, i64 16
  store i8 0, ptr %bad.i, align 8
  %5 = getelementptr inbounds nuw i8, ptr %json.i, i64 17
  call void @llvm.memset.p0.i64(ptr align 1 %5, i8 0, i64 7, i1 false)
  %cmp37.i.i.i.i.not.i = icmp eq i64 %call11.i, 0
  br i1 %cmp37.i.i.i.i.not.i, label %need_char.exit.thread.i.i, label %land.rhs.i.i.i.i.i

land.rhs.i.i.i.i.i:
  %incdec.ptr.i.i.i.i138.i = phi ptr [ %incdec.ptr.i.i.i.i.i, %while.body.i.i.i.i.i ], [ %call6.i, %if.then13.i ]
  %6 = load i8, ptr %incdec.ptr.i.i.i.i138.i, align 1
  switch i8 %6, label %need_char.exit.thread.i.i [
    i8 32, label %while.body.i.i.i.i.i
    i8 10, label %while.body.i.i.i.i.i
    i8 9, label %while.body.i.i.i.i.i
    i8 13, label %while.body.i.i.i.i.i
    i8 123, label %need_char.exit.i.i
  ]

while.body.i.i.i.i.i:
  %incdec.ptr.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i.i138.i, i64 1
  %exitcond.not.i.i.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i.i, %add.ptr.i
  br i1 %exitcond.not.i.i.i.i.i, label %need_char.exit.thread.i.i, label %land.rhs.i.i.i.i.i

need_char.exit.thread.i.i:
  store i8 1, ptr %bad.i, align 8
  store ptr %add.ptr.i, ptr %json.i, align 8
  br label %take_char.exit.i.i

need_char.exit.i.i:
  %incdec.ptr.i.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i.i138.i, i64 1
  store ptr %incdec.ptr.i.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i.i = icmp ult ptr %incdec.ptr.i.i.i.i, %add.ptr.i
  br i1 %cmp37.i.i.i.i, label %land.rhs.i.i.i.i, label %take_char.exit.i.i

land.rhs.i.i.i.i:
  %7 = phi ptr [ %incdec.ptr.i.i52.i.i, %while.body.i.i.i.i ], [ %incdec.ptr.i.i.i.i, %need_char.exit.i.i ]
  %8 = load i8, ptr %7, align 1
  switch i8 %8, label %take_char.exit.i.i [
    i8 32, label %while.body.i.i.i.i
    i8 10, label %while.body.i.i.i.i
    i8 9, label %while.body.i.i.i.i
    i8 13, label %while.body.i.i.i.i
    i8 125, label %if.end7.i.thread257.i
  ]

while.body.i.i.i.i:
  %incdec.ptr.i.i52.i.i = getelementptr inbounds nuw i8, ptr %7, i64 1
  store ptr %incdec.ptr.i.i52.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i = icmp eq ptr %incdec.ptr.i.i52.i.i, %add.ptr.i
  br i1 %exitcond.not.i.i.i.i, label %take_char.exit.i.i, label %land.rhs.i.i.i.i

if.end7.i.thread257.i:
  %incdec.ptr.i.i.i = getelementptr inbounds nuw i8, ptr %7, i64 1
  store ptr %incdec.ptr.i.i.i, ptr %json.i, align 8
  br label %lor.lhs.false.i.i

take_char.exit.i.i:
  %json.promoted.i.i.i.i317.i.i = phi ptr [ %incdec.ptr.i.i.i.i, %need_char.exit.i.i ], [ %add.ptr.i, %need_char.exit.thread.i.i ], [ %7, %land.rhs.i.i.i.i ], [ %add.ptr.i, %while.body.i.i.i.i ]
  %end.i.i.i = getelementptr inbounds nuw i8, ptr %key.i.i, i64 8
  %bad.i.i.i = getelementptr inbounds nuw i8, ptr %key.i.i, i64 16
  %9 = getelementptr inbounds nuw i8, ptr %key.i.i, i64 17
  %end.i.i77.i.i = getelementptr inbounds nuw i8, ptr %key.i.i.i, i64 8
  %bad.i.i78.i.i = getelementptr inbounds nuw i8, ptr %key.i.i.i, i64 16
  %10 = getelementptr inbounds nuw i8, ptr %key.i.i.i, i64 17
  %end.i65.i.i.i = getelementptr inbounds nuw i8, ptr %agg.tmp.i.i.i, i64 8
  %bad.i66.i.i.i = getelementptr inbounds nuw i8, ptr %agg.tmp.i.i.i, i64 16
  %11 = getelementptr inbounds nuw i8, ptr %agg.tmp.i.i.i, i64 17
  br label %do.body.i.i

do.body.i.i:
  %12 = phi ptr [ %84, %take_char.exit113.i.i ], [ %add.ptr.i, %take_char.exit.i.i ]
  %json.promoted.i.i.i.i.i.i = phi ptr [ %incdec.ptr.i112.i.i, %take_char.exit113.i.i ], [ %json.promoted.i.i.i.i317.i.i, %take_char.exit.i.i ]
  %cmp37.i.i.i.i.i.i = icmp ult ptr %json.promoted.i.i.i.i.i.i, %12
  br i1 %cmp37.i.i.i.i.i.i, label %land.rhs.i.i.i.i.i.i, label %need_char.exit.i.thread.i.i

land.rhs.i.i.i.i.i.i:
  %13 = phi ptr [ %incdec.ptr.i.i.i.i.i.i, %while.body.i.i.i.i.i.i ], [ %json.promoted.i.i.i.i.i.i, %do.body.i.i ]
  %14 = load i8, ptr %13, align 1
  switch i8 %14, label %need_char.exit.i.thread.i.i [
    i8 32, label %while.body.i.i.i.i.i.i
    i8 10, label %while.body.i.i.i.i.i.i
    i8 9, label %while.body.i.i.i.i.i.i
    i8 13, label %while.body.i.i.i.i.i.i
    i8 34, label %need_char.exit.i.i.i
  ]

while.body.i.i.i.i.i.i:
  %incdec.ptr.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %13, i64 1
  store ptr %incdec.ptr.i.i.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i.i.i, %12
  br i1 %exitcond.not.i.i.i.i.i.i, label %need_char.exit.i.thread.i.i, label %land.rhs.i.i.i.i.i.i

need_char.exit.i.thread.i.i:
  store i8 1, ptr %bad.i, align 8
  store ptr %12, ptr %key.i.i, align 8
  store i8 1, ptr %bad.i.i.i, align 8
  call void @llvm.memset.p0.i64(ptr align 1 %9, i8 0, i64 7, i1 false)
  br label %take_text.exit.thread.i.i

need_char.exit.i.i.i:
  %incdec.ptr.i.i.i53.i.i = getelementptr inbounds nuw i8, ptr %13, i64 1
  %.pre.i.i.i = load i8, ptr %bad.i, align 8
  store ptr %incdec.ptr.i.i.i53.i.i, ptr %json.i, align 8
  store ptr %incdec.ptr.i.i.i53.i.i, ptr %key.i.i, align 8
  store i8 %.pre.i.i.i, ptr %bad.i.i.i, align 8
  call void @llvm.memset.p0.i64(ptr align 1 %9, i8 0, i64 7, i1 false)
  %cmp56.i.i.i = icmp ult ptr %incdec.ptr.i.i.i53.i.i, %12
  br i1 %cmp56.i.i.i, label %land.rhs.i.i.i, label %take_text.exit.thread.i.i

land.rhs.i.i.i:
  %add.ptr205557.i.i.i = phi ptr [ %add.ptr20.i.i.i, %land.end18.i.i.i ], [ %incdec.ptr.i.i.i53.i.i, %need_char.exit.i.i.i ]
  %15 = load i8, ptr %add.ptr205557.i.i.i, align 1
  switch i8 %15, label %land.end18.i.i.i [
    i8 34, label %take_text.exit.i.i
    i8 92, label %land.rhs13.i.i.i
  ]

land.rhs13.i.i.i:
  %add.ptr.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i, i64 1
  %cmp16.i.i.i = icmp ult ptr %add.ptr.i.i.i, %12
  %16 = select i1 %cmp16.i.i.i, i64 2, i64 1
  br label %land.end18.i.i.i

land.end18.i.i.i:
  %cond.i.i.i = phi i64 [ 1, %land.rhs.i.i.i ], [ %16, %land.rhs13.i.i.i ]
  %add.ptr20.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i, i64 %cond.i.i.i
  store ptr %add.ptr20.i.i.i, ptr %json.i, align 8
  %cmp.i.i.i = icmp ult ptr %add.ptr20.i.i.i, %12
  br i1 %cmp.i.i.i, label %land.rhs.i.i.i, label %take_text.exit.thread.i.i

take_text.exit.thread.i.i:
  %.lcssa.i.i.i = phi ptr [ %incdec.ptr.i.i.i53.i.i, %need_char.exit.i.i.i ], [ %12, %need_char.exit.i.thread.i.i ], [ %add.ptr20.i.i.i, %land.end18.i.i.i ]
  store ptr %.lcssa.i.i.i, ptr %end.i.i.i, align 8
  br label %if.then.i57.i.i

take_text.exit.i.i:
  store ptr %add.ptr205557.i.i.i, ptr %end.i.i.i, align 8
  %incdec.ptr.i.i49.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i, i64 1
  store ptr %incdec.ptr.i.i49.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i56.i.i = icmp ult ptr %incdec.ptr.i.i49.i.i.i, %12
  br i1 %cmp37.i.i.i56.i.i, label %land.rhs.i.i.i61.i.i, label %if.then.i57.i.i

land.rhs.i.i.i61.i.i:
  %17 = phi ptr [ %incdec.ptr.i.i.i63.i.i, %while.body.i.i.i62.i.i ], [ %incdec.ptr.i.i49.i.i.i, %take_text.exit.i.i ]
  %18 = load i8, ptr %17, align 1
  switch i8 %18, label %if.then.i57.i.i [
    i8 32, label %while.body.i.i.i62.i.i
    i8 10, label %while.body.i.i.i62.i.i
    i8 9, label %while.body.i.i.i62.i.i
    i8 13, label %while.body.i.i.i62.i.i
    i8 58, label %take_char.exit.i67.i.i
  ]

while.body.i.i.i62.i.i:
  %incdec.ptr.i.i.i63.i.i = getelementptr inbounds nuw i8, ptr %17, i64 1
  store ptr %incdec.ptr.i.i.i63.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i64.i.i = icmp eq ptr %incdec.ptr.i.i.i63.i.i, %12
  br i1 %exitcond.not.i.i.i64.i.i, label %if.then.i57.i.i, label %land.rhs.i.i.i61.i.i

take_char.exit.i67.i.i:
  %incdec.ptr.i.i68.i.i = getelementptr inbounds nuw i8, ptr %17, i64 1
  %19 = trunc nuw i8 %.pre.i.i.i to i1
  br label %need_char.exit69.i.i

if.then.i57.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit69.i.i

need_char.exit69.i.i:
  %loadedv.i.i = phi i1 [ true, %if.then.i57.i.i ], [ %19, %take_char.exit.i67.i.i ]
  %storemerge.i60.i.i = phi ptr [ %12, %if.then.i57.i.i ], [ %incdec.ptr.i.i68.i.i, %take_char.exit.i67.i.i ]
  store ptr %storemerge.i60.i.i, ptr %json.i, align 8
  br i1 %cmp118, label %land.rhs.i.i, label %if.else.i.i

land.rhs.i.i:
  %number.0238.i.i = phi i64 [ %inc.i.i, %while.body.i.i ], [ 0, %need_char.exit69.i.i ]
  %arrayidx.i.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.0238.i.i
  %20 = load i64, ptr %arrayidx.i.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr @state_texts, i64 %20
  %call1.i.i = call fastcc zeroext i1 @is_text(ptr byval({ ptr, ptr, i8 }) align 8 %key.i.i, ptr %add.ptr.i.i)
  br i1 %call1.i.i, label %while.end.i.i, label %while.body.i.i

while.body.i.i:
  %inc.i.i = add nuw nsw i64 %number.0238.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc.i.i, %0
  br i1 %exitcond.not.i.i, label %if.else.i.i, label %land.rhs.i.i

while.end.i.i:
  br i1 %loadedv.i.i, label %if.else.i.i, label %if.then3.i.i

if.then3.i.i:
  %arrayidx5.i.i = getelementptr inbounds nuw { i64, i64, i8, i8 }, ptr %call6216221, i64 %number.0238.i.i
  %cmp37.i.i.i.i72.i.i = icmp ult ptr %storemerge.i60.i.i, %12
  br i1 %cmp37.i.i.i.i72.i.i, label %land.rhs.i.i.i.i95.i.i, label %if.then.i.i73.i.i

land.rhs.i.i.i.i95.i.i:
  %21 = phi ptr [ %incdec.ptr.i.i.i.i99.i.i, %while.body.i.i.i.i98.i.i ], [ %storemerge.i60.i.i, %if.then3.i.i ]
  %22 = load i8, ptr %21, align 1
  switch i8 %22, label %if.then.i.i73.i.i [
    i8 32, label %while.body.i.i.i.i98.i.i
    i8 10, label %while.body.i.i.i.i98.i.i
    i8 9, label %while.body.i.i.i.i98.i.i
    i8 13, label %while.body.i.i.i.i98.i.i
    i8 123, label %take_char.exit.i.i96.i.i
  ]

while.body.i.i.i.i98.i.i:
  %incdec.ptr.i.i.i.i99.i.i = getelementptr inbounds nuw i8, ptr %21, i64 1
  store ptr %incdec.ptr.i.i.i.i99.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i100.i.i = icmp eq ptr %incdec.ptr.i.i.i.i99.i.i, %12
  br i1 %exitcond.not.i.i.i.i100.i.i, label %if.then.i.i73.i.i, label %land.rhs.i.i.i.i95.i.i

take_char.exit.i.i96.i.i:
  %incdec.ptr.i.i.i97.i.i = getelementptr inbounds nuw i8, ptr %21, i64 1
  br label %need_char.exit.i75.i.i

if.then.i.i73.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit.i75.i.i

need_char.exit.i75.i.i:
  %storemerge.i.i76.i.i = phi ptr [ %12, %if.then.i.i73.i.i ], [ %incdec.ptr.i.i.i97.i.i, %take_char.exit.i.i96.i.i ]
  %stop.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx5.i.i, i64 8
  %ndim.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 32
  %sizes.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 40
  %dtype1.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 8
  br label %do.body.i.i.i

do.body.i.i.i:
  %23 = phi ptr [ %12, %need_char.exit.i75.i.i ], [ %73, %take_char.exit.i83.i.i ]
  %24 = phi ptr [ %12, %need_char.exit.i75.i.i ], [ %74, %take_char.exit.i83.i.i ]
  %25 = phi ptr [ %12, %need_char.exit.i75.i.i ], [ %75, %take_char.exit.i83.i.i ]
  %storemerge.i79.i.i = phi ptr [ %storemerge.i.i76.i.i, %need_char.exit.i75.i.i ], [ %incdec.ptr.i204.i.i.i, %take_char.exit.i83.i.i ]
  %dtype.0.i.i.i = phi i1 [ false, %need_char.exit.i75.i.i ], [ %dtype.1.i.i.i, %take_char.exit.i83.i.i ]
  %shape.0.i.i.i = phi i1 [ false, %need_char.exit.i75.i.i ], [ %shape.1.i.i.i, %take_char.exit.i83.i.i ]
  %offsets.0.i.i.i = phi i1 [ false, %need_char.exit.i75.i.i ], [ %offsets.1.i.i.i, %take_char.exit.i83.i.i ]
  store ptr %storemerge.i79.i.i, ptr %json.i, align 8
  %cmp37.i.i.i.i.i.i.i = icmp ult ptr %storemerge.i79.i.i, %25
  br i1 %cmp37.i.i.i.i.i.i.i, label %land.rhs.i.i.i.i.i.i.i, label %need_char.exit.i.thread.i.i.i

land.rhs.i.i.i.i.i.i.i:
  %26 = phi ptr [ %incdec.ptr.i.i.i.i.i.i.i, %while.body.i.i.i.i.i.i.i ], [ %storemerge.i79.i.i, %do.body.i.i.i ]
  %27 = load i8, ptr %26, align 1
  switch i8 %27, label %need_char.exit.i.thread.i.i.i [
    i8 32, label %while.body.i.i.i.i.i.i.i
    i8 10, label %while.body.i.i.i.i.i.i.i
    i8 9, label %while.body.i.i.i.i.i.i.i
    i8 13, label %while.body.i.i.i.i.i.i.i
    i8 34, label %need_char.exit.i.i.i.i
  ]

while.body.i.i.i.i.i.i.i:
  %incdec.ptr.i.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %26, i64 1
  store ptr %incdec.ptr.i.i.i.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i.i.i.i, %25
  br i1 %exitcond.not.i.i.i.i.i.i.i, label %need_char.exit.i.thread.i.i.i, label %land.rhs.i.i.i.i.i.i.i

need_char.exit.i.thread.i.i.i:
  store i8 1, ptr %bad.i, align 8
  store ptr %25, ptr %key.i.i.i, align 8
  store i8 1, ptr %bad.i.i78.i.i, align 8
  call void @llvm.memset.p0.i64(ptr align 1 %10, i8 0, i64 7, i1 false)
  br label %take_text.exit.thread.i.i.i

need_char.exit.i.i.i.i:
  %incdec.ptr.i.i.i42.i.i.i = getelementptr inbounds nuw i8, ptr %26, i64 1
  %.pre.i.i.i.i = load i8, ptr %bad.i, align 8
  store ptr %incdec.ptr.i.i.i42.i.i.i, ptr %json.i, align 8
  store ptr %incdec.ptr.i.i.i42.i.i.i, ptr %key.i.i.i, align 8
  store i8 %.pre.i.i.i.i, ptr %bad.i.i78.i.i, align 8
  call void @llvm.memset.p0.i64(ptr align 1 %10, i8 0, i64 7, i1 false)
  %cmp56.i.i.i.i = icmp ult ptr %incdec.ptr.i.i.i42.i.i.i, %25
  br i1 %cmp56.i.i.i.i, label %land.rhs.i.i94.i.i, label %take_text.exit.thread.i.i.i

land.rhs.i.i94.i.i:
  %add.ptr205557.i.i.i.i = phi ptr [ %add.ptr20.i.i.i.i, %land.end18.i.i.i.i ], [ %incdec.ptr.i.i.i42.i.i.i, %need_char.exit.i.i.i.i ]
  %28 = load i8, ptr %add.ptr205557.i.i.i.i, align 1
  switch i8 %28, label %land.end18.i.i.i.i [
    i8 34, label %take_text.exit.i.i.i
    i8 92, label %land.rhs13.i.i.i.i
  ]

land.rhs13.i.i.i.i:
  %add.ptr.i.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i.i, i64 1
  %cmp16.i.i.i.i = icmp ult ptr %add.ptr.i.i.i.i, %25
  %29 = select i1 %cmp16.i.i.i.i, i64 2, i64 1
  br label %land.end18.i.i.i.i

land.end18.i.i.i.i:
  %cond.i.i.i.i = phi i64 [ 1, %land.rhs.i.i94.i.i ], [ %29, %land.rhs13.i.i.i.i ]
  %add.ptr20.i.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i.i, i64 %cond.i.i.i.i
  store ptr %add.ptr20.i.i.i.i, ptr %json.i, align 8
  %cmp.i.i.i.i = icmp ult ptr %add.ptr20.i.i.i.i, %25
  br i1 %cmp.i.i.i.i, label %land.rhs.i.i94.i.i, label %take_text.exit.thread.i.i.i

take_text.exit.thread.i.i.i:
  %.lcssa.i.i.i.i = phi ptr [ %incdec.ptr.i.i.i42.i.i.i, %need_char.exit.i.i.i.i ], [ %25, %need_char.exit.i.thread.i.i.i ], [ %add.ptr20.i.i.i.i, %land.end18.i.i.i.i ]
  store ptr %.lcssa.i.i.i.i, ptr %end.i.i77.i.i, align 8
  br label %if.then.i46.i.i.i

take_text.exit.i.i.i:
  store ptr %add.ptr205557.i.i.i.i, ptr %end.i.i77.i.i, align 8
  %incdec.ptr.i.i49.i.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i.i, i64 1
  store ptr %incdec.ptr.i.i49.i.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i45.i.i.i = icmp ult ptr %incdec.ptr.i.i49.i.i.i.i, %25
  br i1 %cmp37.i.i.i45.i.i.i, label %land.rhs.i.i.i49.i.i.i, label %if.then.i46.i.i.i

land.rhs.i.i.i49.i.i.i:
  %30 = phi ptr [ %incdec.ptr.i.i.i51.i.i.i, %while.body.i.i.i50.i.i.i ], [ %incdec.ptr.i.i49.i.i.i.i, %take_text.exit.i.i.i ]
  %31 = load i8, ptr %30, align 1
  switch i8 %31, label %if.then.i46.i.i.i [
    i8 32, label %while.body.i.i.i50.i.i.i
    i8 10, label %while.body.i.i.i50.i.i.i
    i8 9, label %while.body.i.i.i50.i.i.i
    i8 13, label %while.body.i.i.i50.i.i.i
    i8 58, label %take_char.exit.i55.i.i.i
  ]

while.body.i.i.i50.i.i.i:
  %incdec.ptr.i.i.i51.i.i.i = getelementptr inbounds nuw i8, ptr %30, i64 1
  store ptr %incdec.ptr.i.i.i51.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i52.i.i.i = icmp eq ptr %incdec.ptr.i.i.i51.i.i.i, %25
  br i1 %exitcond.not.i.i.i52.i.i.i, label %if.then.i46.i.i.i, label %land.rhs.i.i.i49.i.i.i

take_char.exit.i55.i.i.i:
  %incdec.ptr.i.i56.i.i.i = getelementptr inbounds nuw i8, ptr %30, i64 1
  br label %need_char.exit57.i.i.i

if.then.i46.i.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit57.i.i.i

need_char.exit57.i.i.i:
  %.pre.i87.i.i.i = phi i8 [ 1, %if.then.i46.i.i.i ], [ %.pre.i.i.i.i, %take_char.exit.i55.i.i.i ]
  %storemerge.i48.i.i.i = phi ptr [ %25, %if.then.i46.i.i.i ], [ %incdec.ptr.i.i56.i.i.i, %take_char.exit.i55.i.i.i ]
  store ptr %storemerge.i48.i.i.i, ptr %json.i, align 8
  %call.i.i.i = call fastcc zeroext i1 @is_text(ptr byval({ ptr, ptr, i8 }) align 8 %key.i.i.i, ptr @key_dtype)
  br i1 %call.i.i.i, label %if.then.i92.i.i, label %if.else.i.i.i

if.then.i92.i.i:
  %cmp37.i.i.i.i60.i.i.i = icmp ult ptr %storemerge.i48.i.i.i, %25
  br i1 %cmp37.i.i.i.i60.i.i.i, label %land.rhs.i.i.i.i83.i.i.i, label %need_char.exit.i63.thread.i.i.i

land.rhs.i.i.i.i83.i.i.i:
  %32 = phi ptr [ %incdec.ptr.i.i.i.i89.i.i.i, %while.body.i.i.i.i88.i.i.i ], [ %storemerge.i48.i.i.i, %if.then.i92.i.i ]
  %33 = load i8, ptr %32, align 1
  switch i8 %33, label %need_char.exit.i63.thread.i.i.i [
    i8 32, label %while.body.i.i.i.i88.i.i.i
    i8 10, label %while.body.i.i.i.i88.i.i.i
    i8 9, label %while.body.i.i.i.i88.i.i.i
    i8 13, label %while.body.i.i.i.i88.i.i.i
    i8 34, label %need_char.exit.i63.i.i.i
  ]

while.body.i.i.i.i88.i.i.i:
  %incdec.ptr.i.i.i.i89.i.i.i = getelementptr inbounds nuw i8, ptr %32, i64 1
  store ptr %incdec.ptr.i.i.i.i89.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i90.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i89.i.i.i, %25
  br i1 %exitcond.not.i.i.i.i90.i.i.i, label %need_char.exit.i63.thread.i.i.i, label %land.rhs.i.i.i.i83.i.i.i

need_char.exit.i63.thread.i.i.i:
  store ptr %25, ptr %agg.tmp.i.i.i, align 8
  store i8 1, ptr %bad.i66.i.i.i, align 8
  call void @llvm.memset.p0.i64(ptr align 1 %11, i8 0, i64 7, i1 false)
  br label %if.then.i39.i69.i.i.i

need_char.exit.i63.i.i.i:
  %incdec.ptr.i.i.i85.i.i.i = getelementptr inbounds nuw i8, ptr %32, i64 1
  store ptr %incdec.ptr.i.i.i85.i.i.i, ptr %json.i, align 8
  store ptr %incdec.ptr.i.i.i85.i.i.i, ptr %agg.tmp.i.i.i, align 8
  store i8 %.pre.i87.i.i.i, ptr %bad.i66.i.i.i, align 8
  call void @llvm.memset.p0.i64(ptr align 1 %11, i8 0, i64 7, i1 false)
  %cmp56.i68.i.i.i = icmp ult ptr %incdec.ptr.i.i.i85.i.i.i, %25
  br i1 %cmp56.i68.i.i.i, label %land.rhs.i72.i.i.i, label %if.then.i39.i69.i.i.i

land.rhs.i72.i.i.i:
  %add.ptr205557.i73.i.i.i = phi ptr [ %add.ptr20.i79.i.i.i, %land.end18.i77.i.i.i ], [ %incdec.ptr.i.i.i85.i.i.i, %need_char.exit.i63.i.i.i ]
  %34 = load i8, ptr %add.ptr205557.i73.i.i.i, align 1
  switch i8 %34, label %land.end18.i77.i.i.i [
    i8 34, label %take_char.exit.i48.i81.i.i.i
    i8 92, label %land.rhs13.i74.i.i.i
  ]

land.rhs13.i74.i.i.i:
  %add.ptr.i75.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i73.i.i.i, i64 1
  %cmp16.i76.i.i.i = icmp ult ptr %add.ptr.i75.i.i.i, %25
  %35 = select i1 %cmp16.i76.i.i.i, i64 2, i64 1
  br label %land.end18.i77.i.i.i

land.end18.i77.i.i.i:
  %cond.i78.i.i.i = phi i64 [ 1, %land.rhs.i72.i.i.i ], [ %35, %land.rhs13.i74.i.i.i ]
  %add.ptr20.i79.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i73.i.i.i, i64 %cond.i78.i.i.i
  store ptr %add.ptr20.i79.i.i.i, ptr %json.i, align 8
  %cmp.i80.i.i.i = icmp ult ptr %add.ptr20.i79.i.i.i, %25
  br i1 %cmp.i80.i.i.i, label %land.rhs.i72.i.i.i, label %if.then.i39.i69.i.i.i

take_char.exit.i48.i81.i.i.i:
  store ptr %add.ptr205557.i73.i.i.i, ptr %end.i65.i.i.i, align 8
  %incdec.ptr.i.i49.i82.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i73.i.i.i, i64 1
  br label %take_text.exit91.i.i.i

if.then.i39.i69.i.i.i:
  %.lcssa.i70.i.i.i = phi ptr [ %incdec.ptr.i.i.i85.i.i.i, %need_char.exit.i63.i.i.i ], [ %25, %need_char.exit.i63.thread.i.i.i ], [ %add.ptr20.i79.i.i.i, %land.end18.i77.i.i.i ]
  store ptr %.lcssa.i70.i.i.i, ptr %end.i65.i.i.i, align 8
  store i8 1, ptr %bad.i, align 8
  br label %take_text.exit91.i.i.i

take_text.exit91.i.i.i:
  %storemerge.i41.i71.i.i.i = phi ptr [ %25, %if.then.i39.i69.i.i.i ], [ %incdec.ptr.i.i49.i82.i.i.i, %take_char.exit.i48.i81.i.i.i ]
  store ptr %storemerge.i41.i71.i.i.i, ptr %json.i, align 8
  %36 = load i64, ptr %dtype1.i.i.i, align 8
  %add.ptr.i93.i.i = getelementptr inbounds i8, ptr @state_texts, i64 %36
  %call2.i.i.i = call fastcc zeroext i1 @is_text(ptr byval({ ptr, ptr, i8 }) align 8 %agg.tmp.i.i.i, ptr %add.ptr.i93.i.i)
  br label %if.end14.i.i.i

if.else.i.i.i:
  %call3.i.i.i = call fastcc zeroext i1 @is_text(ptr byval({ ptr, ptr, i8 }) align 8 %key.i.i.i, ptr @key_shape)
  br i1 %call3.i.i.i, label %if.then4.i.i.i, label %if.else7.i.i.i

if.then4.i.i.i:
  %cmp37.i.i.i.i94.i.i.i = icmp ult ptr %storemerge.i48.i.i.i, %25
  br i1 %cmp37.i.i.i.i94.i.i.i, label %land.rhs.i.i.i.i98.i.i.i, label %need_char.exit.thread.i.i.i.i

land.rhs.i.i.i.i98.i.i.i:
  %37 = phi ptr [ %incdec.ptr.i.i.i.i109.i.i.i, %while.body.i.i.i.i108.i.i.i ], [ %storemerge.i48.i.i.i, %if.then4.i.i.i ]
  %38 = load i8, ptr %37, align 1
  switch i8 %38, label %need_char.exit.thread.i.i.i.i [
    i8 32, label %while.body.i.i.i.i108.i.i.i
    i8 10, label %while.body.i.i.i.i108.i.i.i
    i8 9, label %while.body.i.i.i.i108.i.i.i
    i8 13, label %while.body.i.i.i.i108.i.i.i
    i8 91, label %need_char.exit.i99.i.i.i
  ]

while.body.i.i.i.i108.i.i.i:
  %incdec.ptr.i.i.i.i109.i.i.i = getelementptr inbounds nuw i8, ptr %37, i64 1
  store ptr %incdec.ptr.i.i.i.i109.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i110.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i109.i.i.i, %25
  br i1 %exitcond.not.i.i.i.i110.i.i.i, label %need_char.exit.thread.i.i.i.i, label %land.rhs.i.i.i.i98.i.i.i

need_char.exit.thread.i.i.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %do.body.i.i.i.i.sink.split

need_char.exit.i99.i.i.i:
  %incdec.ptr.i.i.i100.i.i.i = getelementptr inbounds nuw i8, ptr %37, i64 1
  store ptr %incdec.ptr.i.i.i100.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i101.i.i.i = icmp ult ptr %incdec.ptr.i.i.i100.i.i.i, %25
  br i1 %cmp37.i.i.i101.i.i.i, label %land.rhs.i.i.i102.i.i.i, label %do.body.i.i.i.i

land.rhs.i.i.i102.i.i.i:
  %39 = phi ptr [ %incdec.ptr.i.i23.i.i.i.i, %while.body.i.i.i106.i.i.i ], [ %incdec.ptr.i.i.i100.i.i.i, %need_char.exit.i99.i.i.i ]
  %40 = load i8, ptr %39, align 1
  switch i8 %40, label %do.body.i.i.i.i [
    i8 32, label %while.body.i.i.i106.i.i.i
    i8 10, label %while.body.i.i.i106.i.i.i
    i8 9, label %while.body.i.i.i106.i.i.i
    i8 13, label %while.body.i.i.i106.i.i.i
    i8 93, label %if.then.i103.i.i.i
  ]

while.body.i.i.i106.i.i.i:
  %incdec.ptr.i.i23.i.i.i.i = getelementptr inbounds nuw i8, ptr %39, i64 1
  store ptr %incdec.ptr.i.i23.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i107.i.i.i = icmp eq ptr %incdec.ptr.i.i23.i.i.i.i, %25
  br i1 %exitcond.not.i.i.i107.i.i.i, label %do.body.i.i.i.i, label %land.rhs.i.i.i102.i.i.i

if.then.i103.i.i.i:
  %incdec.ptr.i.i104.i.i.i = getelementptr inbounds nuw i8, ptr %39, i64 1
  store ptr %incdec.ptr.i.i104.i.i.i, ptr %json.i, align 8
  %41 = load i64, ptr %ndim.i.i.i.i, align 8
  %cmp.i105.i.i.i = icmp eq i64 %41, 0
  br label %if.end14.i.i.i

do.body.i.i.i.i.sink.split:
  %.sink = phi ptr [ %25, %need_char.exit.thread.i.i.i.i ], [ %incdec.ptr.i46.i.i.i.i, %take_char.exit47.i.i.i.i ]
  %axis.0.i.i.i.i.ph = phi i64 [ 0, %need_char.exit.thread.i.i.i.i ], [ %inc.i.i.i.i, %take_char.exit47.i.i.i.i ]
  %right.0.i.i.i.i.ph = phi i1 [ true, %need_char.exit.thread.i.i.i.i ], [ %51, %take_char.exit47.i.i.i.i ]
  store ptr %.sink, ptr %json.i, align 8
  br label %do.body.i.i.i.i

do.body.i.i.i.i:
  %incdec.ptr.i4687.i.i.i.i = phi ptr [ %.sink, %do.body.i.i.i.i.sink.split ], [ %incdec.ptr.i.i.i100.i.i.i, %need_char.exit.i99.i.i.i ], [ %39, %land.rhs.i.i.i102.i.i.i ], [ %incdec.ptr.i.i23.i.i.i.i, %while.body.i.i.i106.i.i.i ]
  %axis.0.i.i.i.i = phi i64 [ %axis.0.i.i.i.i.ph, %do.body.i.i.i.i.sink.split ], [ 0, %need_char.exit.i99.i.i.i ], [ 0, %while.body.i.i.i106.i.i.i ], [ 0, %land.rhs.i.i.i102.i.i.i ]
  %right.0.i.i.i.i = phi i1 [ %right.0.i.i.i.i.ph, %do.body.i.i.i.i.sink.split ], [ true, %need_char.exit.i99.i.i.i ], [ true, %while.body.i.i.i106.i.i.i ], [ true, %land.rhs.i.i.i102.i.i.i ]
  %cmp37.i.i26.i.i.i.i = icmp ult ptr %incdec.ptr.i4687.i.i.i.i, %25
  br i1 %cmp37.i.i26.i.i.i.i, label %land.rhs.i.i28.i.i.i.i, label %while.end.sink.split.i.i.i.i.i

land.rhs.i.i28.i.i.i.i:
  %incdec.ptr.i4686.i.i.i.i = phi ptr [ %incdec.ptr.i.i30.i.i.i.i, %while.body.i.i29.i.i.i.i ], [ %incdec.ptr.i4687.i.i.i.i, %do.body.i.i.i.i ]
  %42 = load i8, ptr %incdec.ptr.i4686.i.i.i.i, align 1
  switch i8 %42, label %next_char.exit.i32.i.i.i.i [
    i8 32, label %while.body.i.i29.i.i.i.i
    i8 10, label %while.body.i.i29.i.i.i.i
    i8 9, label %while.body.i.i29.i.i.i.i
    i8 13, label %while.body.i.i29.i.i.i.i
  ]

while.body.i.i29.i.i.i.i:
  %incdec.ptr.i.i30.i.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i4686.i.i.i.i, i64 1
  store ptr %incdec.ptr.i.i30.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i31.i.i.i.i = icmp eq ptr %incdec.ptr.i.i30.i.i.i.i, %25
  br i1 %exitcond.not.i.i31.i.i.i.i, label %while.end.sink.split.i.i.i.i.i, label %land.rhs.i.i28.i.i.i.i

next_char.exit.i32.i.i.i.i:
  %43 = add i8 %42, -58
  %or.cond.i.i.i.i.i = icmp ult i8 %43, -10
  br i1 %or.cond.i.i.i.i.i, label %while.end.sink.split.i.i.i.i.i, label %if.end.i33.i.i.i.i

if.end.i33.i.i.i.i:
  %cmp539.i.i.i.i.i = icmp ult ptr %incdec.ptr.i4686.i.i.i.i, %25
  br i1 %cmp539.i.i.i.i.i, label %land.lhs.true.i.i.i.i.i, label %take_number.exit.i.i.i.i

land.lhs.true.i.i.i.i.i:
  %incdec.ptr.i4685.i.i.i.i = phi ptr [ %incdec.ptr.i34.i.i.i.i, %if.end21.i.i.i.i.i ], [ %incdec.ptr.i4686.i.i.i.i, %if.end.i33.i.i.i.i ]
  %number.040.i.i.i.i.i = phi i64 [ %add.i.i.i.i.i, %if.end21.i.i.i.i.i ], [ 0, %if.end.i33.i.i.i.i ]
  %44 = load i8, ptr %incdec.ptr.i4685.i.i.i.i, align 1
  %45 = add i8 %44, -48
  %or.cond32.i.i.i.i.i = icmp ult i8 %45, 10
  br i1 %or.cond32.i.i.i.i.i, label %while.body.i.i.i91.i.i, label %take_number.exit.i.i.i.i

while.body.i.i.i91.i.i:
  %cmp15.i.i.i.i.i = icmp sgt i64 %number.040.i.i.i.i.i, 922337203685477579
  br i1 %cmp15.i.i.i.i.i, label %while.end.sink.split.i.i.i.i.i, label %if.end21.i.i.i.i.i

if.end21.i.i.i.i.i:
  %mul.i.i.i.i.i = mul i64 %number.040.i.i.i.i.i, 10
  %incdec.ptr.i34.i.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i4685.i.i.i.i, i64 1
  store ptr %incdec.ptr.i34.i.i.i.i, ptr %json.i, align 8
  %46 = load i8, ptr %incdec.ptr.i4685.i.i.i.i, align 1
  %conv19.i.i.i.i.i = sext i8 %46 to i64
  %sub.i.i.i.i.i = add i64 %mul.i.i.i.i.i, -48
  %add.i.i.i.i.i = add i64 %sub.i.i.i.i.i, %conv19.i.i.i.i.i
  %cmp5.i.i.i.i.i = icmp ult ptr %incdec.ptr.i34.i.i.i.i, %25
  br i1 %cmp5.i.i.i.i.i, label %land.lhs.true.i.i.i.i.i, label %take_number.exit.i.i.i.i

while.end.sink.split.i.i.i.i.i:
  %number.0.lcssa.ph.i.i.i.i.i = phi i64 [ 0, %do.body.i.i.i.i ], [ %number.040.i.i.i.i.i, %while.body.i.i.i91.i.i ], [ 0, %next_char.exit.i32.i.i.i.i ], [ 0, %while.body.i.i29.i.i.i.i ]
  store i8 1, ptr %bad.i, align 8
  store ptr %25, ptr %json.i, align 8
  br label %take_number.exit.i.i.i.i

take_number.exit.i.i.i.i:
  %incdec.ptr.i4683.i.i.i.i = phi ptr [ %incdec.ptr.i4686.i.i.i.i, %if.end.i33.i.i.i.i ], [ %25, %while.end.sink.split.i.i.i.i.i ], [ %incdec.ptr.i34.i.i.i.i, %if.end21.i.i.i.i.i ], [ %incdec.ptr.i4685.i.i.i.i, %land.lhs.true.i.i.i.i.i ]
  %number.0.lcssa.i.i.i.i.i = phi i64 [ 0, %if.end.i33.i.i.i.i ], [ %number.0.lcssa.ph.i.i.i.i.i, %while.end.sink.split.i.i.i.i.i ], [ %add.i.i.i.i.i, %if.end21.i.i.i.i.i ], [ %number.040.i.i.i.i.i, %land.lhs.true.i.i.i.i.i ]
  br i1 %right.0.i.i.i.i, label %land.lhs.true.i.i.i.i, label %land.end.i.i.i.i

land.lhs.true.i.i.i.i:
  %47 = load i64, ptr %ndim.i.i.i.i, align 8
  %cmp3.i.i.i.i = icmp slt i64 %axis.0.i.i.i.i, %47
  br i1 %cmp3.i.i.i.i, label %land.rhs.i97.i.i.i, label %land.end.i.i.i.i

land.rhs.i97.i.i.i:
  %48 = load i64, ptr %sizes.i.i.i.i, align 8
  %49 = getelementptr i64, ptr @state_sizes, i64 %48
  %arrayidx.i.i.i.i = getelementptr i64, ptr %49, i64 %axis.0.i.i.i.i
  %50 = load i64, ptr %arrayidx.i.i.i.i, align 8
  %cmp4.i.i.i.i = icmp eq i64 %50, %number.0.lcssa.i.i.i.i.i
  br label %land.end.i.i.i.i

land.end.i.i.i.i:
  %51 = phi i1 [ false, %land.lhs.true.i.i.i.i ], [ false, %take_number.exit.i.i.i.i ], [ %cmp4.i.i.i.i, %land.rhs.i97.i.i.i ]
  %inc.i.i.i.i = add i64 %axis.0.i.i.i.i, 1
  %cmp37.i.i37.i.i.i.i = icmp ult ptr %incdec.ptr.i4683.i.i.i.i, %25
  br i1 %cmp37.i.i37.i.i.i.i, label %land.rhs.i.i39.i.i.i.i, label %do.end.i.i.i.i

land.rhs.i.i39.i.i.i.i:
  %52 = phi ptr [ %incdec.ptr.i.i41.i.i.i.i, %while.body.i.i40.i.i.i.i ], [ %incdec.ptr.i4683.i.i.i.i, %land.end.i.i.i.i ]
  %53 = load i8, ptr %52, align 1
  switch i8 %53, label %do.end.i.i.i.i [
    i8 32, label %while.body.i.i40.i.i.i.i
    i8 10, label %while.body.i.i40.i.i.i.i
    i8 9, label %while.body.i.i40.i.i.i.i
    i8 13, label %while.body.i.i40.i.i.i.i
    i8 44, label %take_char.exit47.i.i.i.i
  ]

while.body.i.i40.i.i.i.i:
  %incdec.ptr.i.i41.i.i.i.i = getelementptr inbounds nuw i8, ptr %52, i64 1
  store ptr %incdec.ptr.i.i41.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i42.i.i.i.i = icmp eq ptr %incdec.ptr.i.i41.i.i.i.i, %25
  br i1 %exitcond.not.i.i42.i.i.i.i, label %do.end.i.i.i.i, label %land.rhs.i.i39.i.i.i.i

take_char.exit47.i.i.i.i:
  %incdec.ptr.i46.i.i.i.i = getelementptr inbounds nuw i8, ptr %52, i64 1
  br label %do.body.i.i.i.i.sink.split

do.end.i.i.i.i:
  %json.promoted.i.i.i49.i.i.i.i = phi ptr [ %incdec.ptr.i4683.i.i.i.i, %land.end.i.i.i.i ], [ %incdec.ptr.i.i41.i.i.i.i, %while.body.i.i40.i.i.i.i ], [ %52, %land.rhs.i.i39.i.i.i.i ]
  %cmp37.i.i.i50.i.i.i.i = icmp ult ptr %json.promoted.i.i.i49.i.i.i.i, %25
  br i1 %cmp37.i.i.i50.i.i.i.i, label %land.rhs.i.i.i55.i.i.i.i, label %if.then.i51.i.i.i.i

land.rhs.i.i.i55.i.i.i.i:
  %54 = phi ptr [ %incdec.ptr.i.i.i57.i.i.i.i, %while.body.i.i.i56.i.i.i.i ], [ %json.promoted.i.i.i49.i.i.i.i, %do.end.i.i.i.i ]
  %55 = load i8, ptr %54, align 1
  switch i8 %55, label %if.then.i51.i.i.i.i [
    i8 32, label %while.body.i.i.i56.i.i.i.i
    i8 10, label %while.body.i.i.i56.i.i.i.i
    i8 9, label %while.body.i.i.i56.i.i.i.i
    i8 13, label %while.body.i.i.i56.i.i.i.i
    i8 93, label %take_char.exit.i61.i.i.i.i
  ]

while.body.i.i.i56.i.i.i.i:
  %incdec.ptr.i.i.i57.i.i.i.i = getelementptr inbounds nuw i8, ptr %54, i64 1
  store ptr %incdec.ptr.i.i.i57.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i58.i.i.i.i = icmp eq ptr %incdec.ptr.i.i.i57.i.i.i.i, %25
  br i1 %exitcond.not.i.i.i58.i.i.i.i, label %if.then.i51.i.i.i.i, label %land.rhs.i.i.i55.i.i.i.i

take_char.exit.i61.i.i.i.i:
  %incdec.ptr.i.i62.i.i.i.i = getelementptr inbounds nuw i8, ptr %54, i64 1
  br label %need_char.exit63.i.i.i.i

if.then.i51.i.i.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit63.i.i.i.i

need_char.exit63.i.i.i.i:
  %storemerge.i54.i.i.i.i = phi ptr [ %25, %if.then.i51.i.i.i.i ], [ %incdec.ptr.i.i62.i.i.i.i, %take_char.exit.i61.i.i.i.i ]
  store ptr %storemerge.i54.i.i.i.i, ptr %json.i, align 8
  br i1 %51, label %land.rhs7.i.i.i.i, label %if.end14.i.i.i

land.rhs7.i.i.i.i:
  %56 = load i64, ptr %ndim.i.i.i.i, align 8
  %cmp9.i.i.i.i = icmp eq i64 %inc.i.i.i.i, %56
  br label %if.end14.i.i.i

if.else7.i.i.i:
  %call8.i.i.i = call fastcc zeroext i1 @is_text(ptr byval({ ptr, ptr, i8 }) align 8 %key.i.i.i, ptr @key_offsets)
  br i1 %call8.i.i.i, label %if.then9.i.i.i, label %if.else12.i.i.i

if.then9.i.i.i:
  %cmp37.i.i.i113.i.i.i = icmp ult ptr %storemerge.i48.i.i.i, %25
  br i1 %cmp37.i.i.i113.i.i.i, label %land.rhs.i.i.i117.i.i.i, label %while.end.sink.split.i.i.i.i

land.rhs.i.i.i117.i.i.i:
  %57 = phi ptr [ %incdec.ptr.i.i.i119.i.i.i, %while.body.i.i.i118.i.i.i ], [ %storemerge.i48.i.i.i, %if.then9.i.i.i ]
  %58 = load i8, ptr %57, align 1
  switch i8 %58, label %while.end.sink.split.i.i.i.i [
    i8 32, label %while.body.i.i.i118.i.i.i
    i8 10, label %while.body.i.i.i118.i.i.i
    i8 9, label %while.body.i.i.i118.i.i.i
    i8 13, label %while.body.i.i.i118.i.i.i
    i8 91, label %need_char.exit125.i.i.i
  ]

while.body.i.i.i118.i.i.i:
  %incdec.ptr.i.i.i119.i.i.i = getelementptr inbounds nuw i8, ptr %57, i64 1
  store ptr %incdec.ptr.i.i.i119.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i120.i.i.i = icmp eq ptr %incdec.ptr.i.i.i119.i.i.i, %25
  br i1 %exitcond.not.i.i.i120.i.i.i, label %while.end.sink.split.i.i.i.i, label %land.rhs.i.i.i117.i.i.i

need_char.exit125.i.i.i:
  %incdec.ptr.i.i124.i.i.i = getelementptr inbounds nuw i8, ptr %57, i64 1
  store ptr %incdec.ptr.i.i124.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i84.i.i = icmp ult ptr %incdec.ptr.i.i124.i.i.i, %25
  br i1 %cmp37.i.i.i84.i.i, label %land.rhs.i.i.i85.i.i, label %while.end.sink.split.i.i.i.i

land.rhs.i.i.i85.i.i:
  %incdec.ptr3638.i.i.i.i.i = phi ptr [ %incdec.ptr.i.i128.i.i.i, %while.body.i.i127.i.i.i ], [ %incdec.ptr.i.i124.i.i.i, %need_char.exit125.i.i.i ]
  %59 = load i8, ptr %incdec.ptr3638.i.i.i.i.i, align 1
  switch i8 %59, label %next_char.exit.i.i87.i.i [
    i8 32, label %while.body.i.i127.i.i.i
    i8 10, label %while.body.i.i127.i.i.i
    i8 9, label %while.body.i.i127.i.i.i
    i8 13, label %while.body.i.i127.i.i.i
  ]

while.body.i.i127.i.i.i:
  %incdec.ptr.i.i128.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr3638.i.i.i.i.i, i64 1
  store ptr %incdec.ptr.i.i128.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i86.i.i = icmp eq ptr %incdec.ptr.i.i128.i.i.i, %25
  br i1 %exitcond.not.i.i.i86.i.i, label %while.end.sink.split.i.i.i.i, label %land.rhs.i.i.i85.i.i

next_char.exit.i.i87.i.i:
  %60 = add i8 %59, -58
  %or.cond.i.i.i.i = icmp ult i8 %60, -10
  br i1 %or.cond.i.i.i.i, label %while.end.sink.split.i.i.i.i, label %if.end.i.i.i.i

if.end.i.i.i.i:
  %cmp539.i.i.i.i = icmp ult ptr %incdec.ptr3638.i.i.i.i.i, %25
  br i1 %cmp539.i.i.i.i, label %land.lhs.true.i129.i.i.i, label %take_number.exit.i.i.i

land.lhs.true.i129.i.i.i:
  %number.040.i.i.i.i = phi i64 [ %add.i.i.i.i, %if.end21.i.i.i.i ], [ 0, %if.end.i.i.i.i ]
  %61 = phi ptr [ %incdec.ptr.i.i89.i.i, %if.end21.i.i.i.i ], [ %incdec.ptr3638.i.i.i.i.i, %if.end.i.i.i.i ]
  %62 = load i8, ptr %61, align 1
  %63 = add i8 %62, -48
  %or.cond32.i.i.i.i = icmp ult i8 %63, 10
  br i1 %or.cond32.i.i.i.i, label %while.body.i.i88.i.i, label %take_number.exit.i.i.i

while.body.i.i88.i.i:
  %cmp15.i.i.i.i = icmp sgt i64 %number.040.i.i.i.i, 922337203685477579
  br i1 %cmp15.i.i.i.i, label %while.end.sink.split.i.i.i.i, label %if.end21.i.i.i.i

if.end21.i.i.i.i:
  %mul.i.i.i.i = mul i64 %number.040.i.i.i.i, 10
  %incdec.ptr.i.i89.i.i = getelementptr inbounds nuw i8, ptr %61, i64 1
  store ptr %incdec.ptr.i.i89.i.i, ptr %json.i, align 8
  %64 = load i8, ptr %61, align 1
  %conv19.i.i.i.i = sext i8 %64 to i64
  %sub.i.i.i.i = add i64 %mul.i.i.i.i, -48
  %add.i.i.i.i = add i64 %sub.i.i.i.i, %conv19.i.i.i.i
  %cmp5.i.i.i.i = icmp ult ptr %incdec.ptr.i.i89.i.i, %25
  br i1 %cmp5.i.i.i.i, label %land.lhs.true.i129.i.i.i, label %take_number.exit.i.i.i

while.end.sink.split.i.i.i.i:
  %number.0.lcssa.ph.i.i.i.i = phi i64 [ 0, %need_char.exit125.i.i.i ], [ 0, %while.body.i.i127.i.i.i ], [ 0, %next_char.exit.i.i87.i.i ], [ 0, %if.then9.i.i.i ], [ %number.040.i.i.i.i, %while.body.i.i88.i.i ], [ 0, %land.rhs.i.i.i117.i.i.i ], [ 0, %while.body.i.i.i118.i.i.i ]
  store i8 1, ptr %bad.i, align 8
  store ptr %25, ptr %json.i, align 8
  br label %take_number.exit.i.i.i

take_number.exit.i.i.i:
  %json.promoted140.i = phi ptr [ %incdec.ptr3638.i.i.i.i.i, %if.end.i.i.i.i ], [ %25, %while.end.sink.split.i.i.i.i ], [ %61, %land.lhs.true.i129.i.i.i ], [ %incdec.ptr.i.i89.i.i, %if.end21.i.i.i.i ]
  %number.0.lcssa.i.i.i.i = phi i64 [ 0, %if.end.i.i.i.i ], [ %number.0.lcssa.ph.i.i.i.i, %while.end.sink.split.i.i.i.i ], [ %number.040.i.i.i.i, %land.lhs.true.i129.i.i.i ], [ %add.i.i.i.i, %if.end21.i.i.i.i ]
  store i64 %number.0.lcssa.i.i.i.i, ptr %arrayidx5.i.i, align 8
  %cmp37.i.i.i132.i.i.i = icmp ult ptr %json.promoted140.i, %24
  br i1 %cmp37.i.i.i132.i.i.i, label %land.rhs.i.i.i137.i.i.i, label %take_number.exit178.i.i.thread.i

land.rhs.i.i.i137.i.i.i:
  %incdec.ptr.i.i.i139.i.i141.i = phi ptr [ %incdec.ptr.i.i.i139.i.i.i, %while.body.i.i.i138.i.i.i ], [ %json.promoted140.i, %take_number.exit.i.i.i ]
  %65 = load i8, ptr %incdec.ptr.i.i.i139.i.i141.i, align 1
  switch i8 %65, label %take_number.exit178.i.i.thread.i [
    i8 32, label %while.body.i.i.i138.i.i.i
    i8 10, label %while.body.i.i.i138.i.i.i
    i8 9, label %while.body.i.i.i138.i.i.i
    i8 13, label %while.body.i.i.i138.i.i.i
    i8 44, label %need_char.exit145.i.i.i
  ]

while.body.i.i.i138.i.i.i:
  %incdec.ptr.i.i.i139.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i139.i.i141.i, i64 1
  %exitcond.not.i.i.i140.i.i.i = icmp eq ptr %incdec.ptr.i.i.i139.i.i.i, %24
  br i1 %exitcond.not.i.i.i140.i.i.i, label %take_number.exit178.i.i.thread.i, label %land.rhs.i.i.i137.i.i.i

need_char.exit145.i.i.i:
  %incdec.ptr.i.i144.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i139.i.i141.i, i64 1
  store ptr %incdec.ptr.i.i144.i.i.i, ptr %json.i, align 8
  %cmp37.i.i148.i.i.i = icmp ult ptr %incdec.ptr.i.i144.i.i.i, %24
  br i1 %cmp37.i.i148.i.i.i, label %land.rhs.i.i154.i.i.i, label %take_number.exit178.i.i.thread.i

land.rhs.i.i154.i.i.i:
  %incdec.ptr3638.i.i155.i.i.i = phi ptr [ %incdec.ptr.i.i157.i.i.i, %while.body.i.i156.i.i.i ], [ %incdec.ptr.i.i144.i.i.i, %need_char.exit145.i.i.i ]
  %66 = load i8, ptr %incdec.ptr3638.i.i155.i.i.i, align 1
  switch i8 %66, label %next_char.exit.i159.i.i.i [
    i8 32, label %while.body.i.i156.i.i.i
    i8 10, label %while.body.i.i156.i.i.i
    i8 9, label %while.body.i.i156.i.i.i
    i8 13, label %while.body.i.i156.i.i.i
  ]

while.body.i.i156.i.i.i:
  %incdec.ptr.i.i157.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr3638.i.i155.i.i.i, i64 1
  store ptr %incdec.ptr.i.i157.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i158.i.i.i = icmp eq ptr %incdec.ptr.i.i157.i.i.i, %24
  br i1 %exitcond.not.i.i158.i.i.i, label %take_number.exit178.i.i.thread.i, label %land.rhs.i.i154.i.i.i

next_char.exit.i159.i.i.i:
  %67 = add i8 %66, -58
  %or.cond.i160.i.i.i = icmp ult i8 %67, -10
  br i1 %or.cond.i160.i.i.i, label %take_number.exit178.i.i.thread.i, label %if.end.i161.i.i.i

if.end.i161.i.i.i:
  %cmp539.i162.i.i.i = icmp ult ptr %incdec.ptr3638.i.i155.i.i.i, %24
  br i1 %cmp539.i162.i.i.i, label %land.lhs.true.i165.i.i.i, label %take_number.exit178.i.i.i

land.lhs.true.i165.i.i.i:
  %number.040.i166.i.i.i = phi i64 [ %add.i175.i.i.i, %if.end21.i170.i.i.i ], [ 0, %if.end.i161.i.i.i ]
  %68 = phi ptr [ %incdec.ptr.i172.i.i.i, %if.end21.i170.i.i.i ], [ %incdec.ptr3638.i.i155.i.i.i, %if.end.i161.i.i.i ]
  %69 = load i8, ptr %68, align 1
  %70 = add i8 %69, -48
  %or.cond32.i167.i.i.i = icmp ult i8 %70, 10
  br i1 %or.cond32.i167.i.i.i, label %while.body.i168.i.i.i, label %take_number.exit178.i.i.i

while.body.i168.i.i.i:
  %cmp15.i169.i.i.i = icmp sgt i64 %number.040.i166.i.i.i, 922337203685477579
  br i1 %cmp15.i169.i.i.i, label %take_number.exit178.i.i.thread.i, label %if.end21.i170.i.i.i

if.end21.i170.i.i.i:
  %mul.i171.i.i.i = mul i64 %number.040.i166.i.i.i, 10
  %incdec.ptr.i172.i.i.i = getelementptr inbounds nuw i8, ptr %68, i64 1
  store ptr %incdec.ptr.i172.i.i.i, ptr %json.i, align 8
  %71 = load i8, ptr %68, align 1
  %conv19.i173.i.i.i = sext i8 %71 to i64
  %sub.i174.i.i.i = add i64 %mul.i171.i.i.i, -48
  %add.i175.i.i.i = add i64 %sub.i174.i.i.i, %conv19.i173.i.i.i
  %cmp5.i176.i.i.i = icmp ult ptr %incdec.ptr.i172.i.i.i, %24
  br i1 %cmp5.i176.i.i.i, label %land.lhs.true.i165.i.i.i, label %take_number.exit178.i.i.i

take_number.exit178.i.i.thread.i:
  %number.0.lcssa.ph.i152.i.i.i = phi i64 [ 0, %need_char.exit145.i.i.i ], [ 0, %while.body.i.i156.i.i.i ], [ 0, %next_char.exit.i159.i.i.i ], [ 0, %take_number.exit.i.i.i ], [ %number.040.i166.i.i.i, %while.body.i168.i.i.i ], [ 0, %land.rhs.i.i.i137.i.i.i ], [ 0, %while.body.i.i.i138.i.i.i ]
  store i64 %number.0.lcssa.ph.i152.i.i.i, ptr %stop.i.i.i, align 8
  br label %if.then.i182.i.i.i

take_number.exit178.i.i.i:
  %json.promoted143.i = phi ptr [ %incdec.ptr3638.i.i155.i.i.i, %if.end.i161.i.i.i ], [ %incdec.ptr.i172.i.i.i, %if.end21.i170.i.i.i ], [ %68, %land.lhs.true.i165.i.i.i ]
  %number.0.lcssa.i153.i.i.i = phi i64 [ 0, %if.end.i161.i.i.i ], [ %add.i175.i.i.i, %if.end21.i170.i.i.i ], [ %number.040.i166.i.i.i, %land.lhs.true.i165.i.i.i ]
  store i64 %number.0.lcssa.i153.i.i.i, ptr %stop.i.i.i, align 8
  %cmp37.i.i.i181.i.i.i = icmp ult ptr %json.promoted143.i, %24
  br i1 %cmp37.i.i.i181.i.i.i, label %land.rhs.i.i.i186.i.i.i, label %if.then.i182.i.i.i

land.rhs.i.i.i186.i.i.i:
  %incdec.ptr.i.i.i188.i.i144.i = phi ptr [ %incdec.ptr.i.i.i188.i.i.i, %while.body.i.i.i187.i.i.i ], [ %json.promoted143.i, %take_number.exit178.i.i.i ]
  %72 = load i8, ptr %incdec.ptr.i.i.i188.i.i144.i, align 1
  switch i8 %72, label %if.then.i182.i.i.i [
    i8 32, label %while.body.i.i.i187.i.i.i
    i8 10, label %while.body.i.i.i187.i.i.i
    i8 9, label %while.body.i.i.i187.i.i.i
    i8 13, label %while.body.i.i.i187.i.i.i
    i8 93, label %take_char.exit.i192.i.i.i
  ]

while.body.i.i.i187.i.i.i:
  %incdec.ptr.i.i.i188.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i188.i.i144.i, i64 1
  %exitcond.not.i.i.i189.i.i.i = icmp eq ptr %incdec.ptr.i.i.i188.i.i.i, %24
  br i1 %exitcond.not.i.i.i189.i.i.i, label %if.then.i182.i.i.i, label %land.rhs.i.i.i186.i.i.i

take_char.exit.i192.i.i.i:
  %incdec.ptr.i.i193.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i188.i.i144.i, i64 1
  br label %need_char.exit194.i.i.i

if.then.i182.i.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit194.i.i.i

need_char.exit194.i.i.i:
  %storemerge.i185.i.i.i = phi ptr [ %24, %if.then.i182.i.i.i ], [ %incdec.ptr.i.i193.i.i.i, %take_char.exit.i192.i.i.i ]
  store ptr %storemerge.i185.i.i.i, ptr %json.i, align 8
  br label %if.end14.i.i.i

if.else12.i.i.i:
  call fastcc void @skip_value(ptr %json.i)
  %.pre.i80.i.i = load ptr, ptr %end.i, align 8
  %json.promoted.i.i196.pre.i.i.i = load ptr, ptr %json.i, align 8
  br label %if.end14.i.i.i

if.end14.i.i.i:
  %73 = phi ptr [ %23, %take_text.exit91.i.i.i ], [ %.pre.i80.i.i, %if.else12.i.i.i ], [ %23, %need_char.exit194.i.i.i ], [ %23, %if.then.i103.i.i.i ], [ %23, %need_char.exit63.i.i.i.i ], [ %23, %land.rhs7.i.i.i.i ]
  %74 = phi ptr [ %24, %take_text.exit91.i.i.i ], [ %.pre.i80.i.i, %if.else12.i.i.i ], [ %24, %need_char.exit194.i.i.i ], [ %24, %if.then.i103.i.i.i ], [ %24, %need_char.exit63.i.i.i.i ], [ %24, %land.rhs7.i.i.i.i ]
  %json.promoted.i.i196.i.i.i = phi ptr [ %storemerge.i41.i71.i.i.i, %take_text.exit91.i.i.i ], [ %json.promoted.i.i196.pre.i.i.i, %if.else12.i.i.i ], [ %storemerge.i185.i.i.i, %need_char.exit194.i.i.i ], [ %incdec.ptr.i.i104.i.i.i, %if.then.i103.i.i.i ], [ %storemerge.i54.i.i.i.i, %need_char.exit63.i.i.i.i ], [ %storemerge.i54.i.i.i.i, %land.rhs7.i.i.i.i ]
  %75 = phi ptr [ %25, %take_text.exit91.i.i.i ], [ %.pre.i80.i.i, %if.else12.i.i.i ], [ %24, %need_char.exit194.i.i.i ], [ %25, %if.then.i103.i.i.i ], [ %25, %need_char.exit63.i.i.i.i ], [ %25, %land.rhs7.i.i.i.i ]
  %dtype.1.i.i.i = phi i1 [ %call2.i.i.i, %take_text.exit91.i.i.i ], [ %dtype.0.i.i.i, %if.else12.i.i.i ], [ %dtype.0.i.i.i, %need_char.exit194.i.i.i ], [ %dtype.0.i.i.i, %if.then.i103.i.i.i ], [ %dtype.0.i.i.i, %need_char.exit63.i.i.i.i ], [ %dtype.0.i.i.i, %land.rhs7.i.i.i.i ]
  %shape.1.i.i.i = phi i1 [ %shape.0.i.i.i, %take_text.exit91.i.i.i ], [ %shape.0.i.i.i, %if.else12.i.i.i ], [ %shape.0.i.i.i, %need_char.exit194.i.i.i ], [ %cmp.i105.i.i.i, %if.then.i103.i.i.i ], [ false, %need_char.exit63.i.i.i.i ], [ %cmp9.i.i.i.i, %land.rhs7.i.i.i.i ]
  %offsets.1.i.i.i = phi i1 [ %offsets.0.i.i.i, %take_text.exit91.i.i.i ], [ %offsets.0.i.i.i, %if.else12.i.i.i ], [ true, %need_char.exit194.i.i.i ], [ %offsets.0.i.i.i, %if.then.i103.i.i.i ], [ %offsets.0.i.i.i, %need_char.exit63.i.i.i.i ], [ %offsets.0.i.i.i, %land.rhs7.i.i.i.i ]
  %cmp37.i.i197.i.i.i = icmp ult ptr %json.promoted.i.i196.i.i.i, %75
  br i1 %cmp37.i.i197.i.i.i, label %land.rhs.i.i198.i.i.i, label %do.end.i.i.i

land.rhs.i.i198.i.i.i:
  %76 = phi ptr [ %incdec.ptr.i.i200.i.i.i, %while.body.i.i199.i.i.i ], [ %json.promoted.i.i196.i.i.i, %if.end14.i.i.i ]
  %77 = load i8, ptr %76, align 1
  switch i8 %77, label %do.end.i.i.i [
    i8 32, label %while.body.i.i199.i.i.i
    i8 10, label %while.body.i.i199.i.i.i
    i8 9, label %while.body.i.i199.i.i.i
    i8 13, label %while.body.i.i199.i.i.i
    i8 44, label %take_char.exit.i83.i.i
  ]

while.body.i.i199.i.i.i:
  %incdec.ptr.i.i200.i.i.i = getelementptr inbounds nuw i8, ptr %76, i64 1
  store ptr %incdec.ptr.i.i200.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i201.i.i.i = icmp eq ptr %incdec.ptr.i.i200.i.i.i, %75
  br i1 %exitcond.not.i.i201.i.i.i, label %do.end.i.i.i, label %land.rhs.i.i198.i.i.i

take_char.exit.i83.i.i:
  %incdec.ptr.i204.i.i.i = getelementptr inbounds nuw i8, ptr %76, i64 1
  br label %do.body.i.i.i

do.end.i.i.i:
  %json.promoted.i.i.i206.i.i.i = phi ptr [ %76, %land.rhs.i.i198.i.i.i ], [ %incdec.ptr.i.i200.i.i.i, %while.body.i.i199.i.i.i ], [ %json.promoted.i.i196.i.i.i, %if.end14.i.i.i ]
  %cmp37.i.i.i207.i.i.i = icmp ult ptr %json.promoted.i.i.i206.i.i.i, %75
  br i1 %cmp37.i.i.i207.i.i.i, label %land.rhs.i.i.i212.i.i.i, label %if.then.i208.i.i.i

land.rhs.i.i.i212.i.i.i:
  %78 = phi ptr [ %incdec.ptr.i.i.i214.i.i.i, %while.body.i.i.i213.i.i.i ], [ %json.promoted.i.i.i206.i.i.i, %do.end.i.i.i ]
  %79 = load i8, ptr %78, align 1
  switch i8 %79, label %if.then.i208.i.i.i [
    i8 32, label %while.body.i.i.i213.i.i.i
    i8 10, label %while.body.i.i.i213.i.i.i
    i8 9, label %while.body.i.i.i213.i.i.i
    i8 13, label %while.body.i.i.i213.i.i.i
    i8 125, label %take_char.exit.i218.i.i.i
  ]

while.body.i.i.i213.i.i.i:
  %incdec.ptr.i.i.i214.i.i.i = getelementptr inbounds nuw i8, ptr %78, i64 1
  store ptr %incdec.ptr.i.i.i214.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i215.i.i.i = icmp eq ptr %incdec.ptr.i.i.i214.i.i.i, %75
  br i1 %exitcond.not.i.i.i215.i.i.i, label %if.then.i208.i.i.i, label %land.rhs.i.i.i212.i.i.i

take_char.exit.i218.i.i.i:
  %incdec.ptr.i.i219.i.i.i = getelementptr inbounds nuw i8, ptr %78, i64 1
  br label %need_char.exit220.i.i.i

if.then.i208.i.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit220.i.i.i

need_char.exit220.i.i.i:
  %storemerge.i211.i.i.i = phi ptr [ %75, %if.then.i208.i.i.i ], [ %incdec.ptr.i.i219.i.i.i, %take_char.exit.i218.i.i.i ]
  store ptr %storemerge.i211.i.i.i, ptr %json.i, align 8
  %is_there.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx5.i.i, i64 16
  store i8 1, ptr %is_there.i.i.i, align 8
  %or.cond.i.i.i = select i1 %dtype.1.i.i.i, i1 %shape.1.i.i.i, i1 false
  %or.cond22.i.i.i = select i1 %or.cond.i.i.i, i1 %offsets.1.i.i.i, i1 false
  br i1 %or.cond22.i.i.i, label %land.rhs.i81.i.i, label %take_entry.exit.i.i

land.rhs.i81.i.i:
  %80 = load i64, ptr %stop.i.i.i, align 8
  %81 = load i64, ptr %arrayidx5.i.i, align 8
  %sub.i.i.i = sub i64 %80, %81
  %nbytes.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 16
  %82 = load i64, ptr %nbytes.i.i.i, align 8
  %cmp.i82.i.i = icmp eq i64 %sub.i.i.i, %82
  %83 = zext i1 %cmp.i82.i.i to i8
  br label %take_entry.exit.i.i

take_entry.exit.i.i:
  %storedv21.i.i.i = phi i8 [ 0, %need_char.exit220.i.i.i ], [ %83, %land.rhs.i81.i.i ]
  %is_right.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx5.i.i, i64 17
  store i8 %storedv21.i.i.i, ptr %is_right.i.i.i, align 1
  br label %if.end.i.i

if.else.i.i:
  call fastcc void @skip_value(ptr %json.i)
  %.pre.i = load ptr, ptr %end.i, align 8
  %json.promoted.i.i102.i.pre.i = load ptr, ptr %json.i, align 8
  br label %if.end.i.i

if.end.i.i:
  %json.promoted146.i = phi ptr [ %json.promoted.i.i102.i.pre.i, %if.else.i.i ], [ %storemerge.i211.i.i.i, %take_entry.exit.i.i ]
  %84 = phi ptr [ %.pre.i, %if.else.i.i ], [ %73, %take_entry.exit.i.i ]
  %cmp37.i.i103.i.i = icmp ult ptr %json.promoted146.i, %84
  br i1 %cmp37.i.i103.i.i, label %land.rhs.i.i105.i.i, label %do.end.i.i

land.rhs.i.i105.i.i:
  %incdec.ptr.i.i107.i147.i = phi ptr [ %incdec.ptr.i.i107.i.i, %while.body.i.i106.i.i ], [ %json.promoted146.i, %if.end.i.i ]
  %85 = load i8, ptr %incdec.ptr.i.i107.i147.i, align 1
  switch i8 %85, label %do.end.i.loopexit.i [
    i8 32, label %while.body.i.i106.i.i
    i8 10, label %while.body.i.i106.i.i
    i8 9, label %while.body.i.i106.i.i
    i8 13, label %while.body.i.i106.i.i
    i8 44, label %take_char.exit113.i.i
  ]

while.body.i.i106.i.i:
  %incdec.ptr.i.i107.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i107.i147.i, i64 1
  %exitcond.not.i.i108.i.i = icmp eq ptr %incdec.ptr.i.i107.i.i, %84
  br i1 %exitcond.not.i.i108.i.i, label %do.end.i.loopexit.split.loop.exit335.i, label %land.rhs.i.i105.i.i

take_char.exit113.i.i:
  %incdec.ptr.i112.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i107.i147.i, i64 1
  store ptr %incdec.ptr.i112.i.i, ptr %json.i, align 8
  br label %do.body.i.i

do.end.i.loopexit.split.loop.exit335.i:
  %json.promoted.i.i102.i229.le.i = ptrtoint ptr %json.promoted146.i to i64
  %86 = ptrtoint ptr %84 to i64
  %87 = sub i64 %86, %json.promoted.i.i102.i229.le.i
  %scevgep230.le.i = getelementptr i8, ptr %json.promoted146.i, i64 %87
  br label %do.end.i.loopexit.i

do.end.i.loopexit.i:
  %incdec.ptr.i.i107.i148.i = phi ptr [ %scevgep230.le.i, %do.end.i.loopexit.split.loop.exit335.i ], [ %incdec.ptr.i.i107.i147.i, %land.rhs.i.i105.i.i ]
  store ptr %incdec.ptr.i.i107.i148.i, ptr %json.i, align 8
  br label %do.end.i.i

do.end.i.i:
  %json.promoted.i.i.i115.i.i = phi ptr [ %incdec.ptr.i.i107.i148.i, %do.end.i.loopexit.i ], [ %json.promoted146.i, %if.end.i.i ]
  %cmp37.i.i.i116.i.i = icmp ult ptr %json.promoted.i.i.i115.i.i, %84
  br i1 %cmp37.i.i.i116.i.i, label %land.rhs.i.i.i121.i.i, label %if.end15.thread59.i

land.rhs.i.i.i121.i.i:
  %88 = phi ptr [ %incdec.ptr.i.i.i123.i.i, %while.body.i.i.i122.i.i ], [ %json.promoted.i.i.i115.i.i, %do.end.i.i ]
  %89 = load i8, ptr %88, align 1
  switch i8 %89, label %if.end15.thread59.i [
    i8 32, label %while.body.i.i.i122.i.i
    i8 10, label %while.body.i.i.i122.i.i
    i8 9, label %while.body.i.i.i122.i.i
    i8 13, label %while.body.i.i.i122.i.i
    i8 125, label %if.end7.i.i
  ]

while.body.i.i.i122.i.i:
  %incdec.ptr.i.i.i123.i.i = getelementptr inbounds nuw i8, ptr %88, i64 1
  store ptr %incdec.ptr.i.i.i123.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i124.i.i = icmp eq ptr %incdec.ptr.i.i.i123.i.i, %84
  br i1 %exitcond.not.i.i.i124.i.i, label %if.end15.thread59.i, label %land.rhs.i.i.i121.i.i

if.end7.i.i:
  %incdec.ptr.i.i128.i.i = getelementptr inbounds nuw i8, ptr %88, i64 1
  %.pre236.i = load i8, ptr %bad.i, align 8
  %90 = trunc nuw i8 %.pre236.i to i1
  store ptr %incdec.ptr.i.i128.i.i, ptr %json.i, align 8
  br i1 %90, label %if.end15.thread59.i, label %lor.lhs.false.i.i

lor.lhs.false.i.i:
  %json.promoted.i.i260.i = phi ptr [ %incdec.ptr.i.i.i, %if.end7.i.thread257.i ], [ %incdec.ptr.i.i128.i.i, %if.end7.i.i ]
  %91 = phi ptr [ %add.ptr.i, %if.end7.i.thread257.i ], [ %84, %if.end7.i.i ]
  %cmp37.i.i.i = icmp ult ptr %json.promoted.i.i260.i, %91
  br i1 %cmp37.i.i.i, label %land.rhs.i132.i.i, label %for.cond.preheader.i.i

land.rhs.i132.i.i:
  %incdec.ptr3638.i.i.i = phi ptr [ %incdec.ptr.i133.i.i, %while.body.i.i.i ], [ %json.promoted.i.i260.i, %lor.lhs.false.i.i ]
  %92 = load i8, ptr %incdec.ptr3638.i.i.i, align 1
  switch i8 %92, label %if.end15.thread59.i [
    i8 32, label %while.body.i.i.i
    i8 10, label %while.body.i.i.i
    i8 9, label %while.body.i.i.i
    i8 13, label %while.body.i.i.i
    i8 0, label %for.cond.preheader.i.i
  ]

while.body.i.i.i:
  %incdec.ptr.i133.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr3638.i.i.i, i64 1
  store ptr %incdec.ptr.i133.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i = icmp eq ptr %incdec.ptr.i133.i.i, %91
  br i1 %exitcond.not.i.i.i, label %for.cond.preheader.i.i, label %land.rhs.i132.i.i

for.cond.preheader.i.i:
  br i1 %cmp118, label %for.body.i.i, label %if.then17.thread.i

if.then17.thread.i:
  call void @free(ptr %call6.i)
  %lock262.i = getelementptr inbounds nuw i8, ptr %model, i64 32
  call void @lock(ptr %lock262.i)
  br label %for.cond.cleanup.i

for.body.i.i:
  %number14.0240.i.i = phi i64 [ %inc29.i.i, %for.inc.i.i ], [ 0, %for.cond.preheader.i.i ]
  %arrayidx17.i.i = getelementptr inbounds nuw { i64, i64, i8, i8 }, ptr %call6216221, i64 %number14.0240.i.i
  %is_there.i.i = getelementptr inbounds nuw i8, ptr %arrayidx17.i.i, i64 16
  %93 = load i8, ptr %is_there.i.i, align 8
  %loadedv18.i.i = trunc nuw i8 %93 to i1
  br i1 %loadedv18.i.i, label %if.end22.i.i, label %if.then19.i.i

if.then19.i.i:
  %94 = trunc i64 %number14.0240.i.i to i32
  %conv.i.i.i = shl i32 %94, 8
  %or.i.i.i = add i32 %conv.i.i.i, 264
  %or2.i.i.i = or i32 %or.i.i.i, 16777216
  br label %if.end15.thread59.i

if.end22.i.i:
  %is_right.i.i = getelementptr inbounds nuw i8, ptr %arrayidx17.i.i, i64 17
  %95 = load i8, ptr %is_right.i.i, align 1
  %loadedv24.i.i = trunc nuw i8 %95 to i1
  br i1 %loadedv24.i.i, label %for.inc.i.i, label %if.then25.i.i

if.then25.i.i:
  %96 = trunc i64 %number14.0240.i.i to i32
  %conv.i137.i.i = shl i32 %96, 8
  %or.i138.i.i = add i32 %conv.i137.i.i, 264
  %or2.i139.i.i = or i32 %or.i138.i.i, 33554432
  br label %if.end15.thread59.i

for.inc.i.i:
  %inc29.i.i = add nuw nsw i64 %number14.0240.i.i, 1
  %exitcond315.not.i.i = icmp eq i64 %inc29.i.i, %0
  br i1 %exitcond315.not.i.i, label %if.then17.i, label %for.body.i.i

if.end15.thread59.i:
  %retval.1.i.ph.i = phi i32 [ %or2.i.i.i, %if.then19.i.i ], [ %or2.i139.i.i, %if.then25.i.i ], [ 117440517, %if.end7.i.i ], [ 117440517, %do.end.i.i ], [ 117440517, %land.rhs.i132.i.i ], [ 117440517, %land.rhs.i.i.i121.i.i ], [ 117440517, %while.body.i.i.i122.i.i ]
  call void @free(ptr %call6.i)
  br label %read_file.exit

if.then17.i:
  call void @free(ptr %call6.i)
  %97 = load i64, ptr %length.i, align 8
  %add18.i = add i64 %97, 8
  %sub.i.i = sub i64 9223372036854775799, %97
  br label %for.body.i49.i

for.body.i49.i:
  %number.036.i.i = phi i64 [ 0, %if.then17.i ], [ %inc.i54.i, %for.inc.i52.i ]
  %data.addr.035.i.i = phi ptr [ %add.ptr, %if.then17.i ], [ %add.ptr.i53.i, %for.inc.i52.i ]
  %arrayidx.i50.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.036.i.i
  %nbytes1.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i50.i, i64 16
  %98 = load i64, ptr %nbytes1.i.i, align 8
  %arrayidx2.i.i = getelementptr inbounds nuw { i64, i64, i8, i8 }, ptr %call6216221, i64 %number.036.i.i
  %99 = load i64, ptr %arrayidx2.i.i, align 8
  %cmp3.i.i = icmp sgt i64 %99, %sub.i.i
  br i1 %cmp3.i.i, label %read_file.exit, label %if.end.i51.i

if.end.i51.i:
  %add.i.i = add i64 %add18.i, %99
  %call6.i.i = call i32 @seek_file(ptr %call21, i64 %add.i.i, i32 0)
  %tobool.not.i.i = icmp eq i32 %call6.i.i, 0
  br i1 %tobool.not.i.i, label %if.end9.i.i, label %read_file.exit

if.end9.i.i:
  %call10.i.i = call i64 @fread(ptr %data.addr.035.i.i, i64 1, i64 %98, ptr %call21)
  %cmp11.not.i.i = icmp eq i64 %call10.i.i, %98
  br i1 %cmp11.not.i.i, label %for.inc.i52.i, label %read_file.exit

for.inc.i52.i:
  %add.ptr.i53.i = getelementptr inbounds i8, ptr %data.addr.035.i.i, i64 %98
  %inc.i54.i = add nuw nsw i64 %number.036.i.i, 1
  %exitcond.not.i55.i = icmp eq i64 %inc.i54.i, %0
  br i1 %exitcond.not.i55.i, label %if.end23.i, label %for.body.i49.i

if.end23.i:
  %lock.i = getelementptr inbounds nuw i8, ptr %model, i64 32
  call void @lock(ptr %lock.i)
  br label %for.body.i

for.cond.cleanup.i:
  %lock263.i = phi ptr [ %lock262.i, %if.then17.thread.i ], [ %lock.i, %for.body.i ]
  store atomic i32 0, ptr %lock263.i release, align 8
  br label %read_file.exit

for.body.i:
  %number.0151.i = phi i64 [ %inc.i, %for.body.i ], [ 0, %if.end23.i ]
  %data.addr.0150.i = phi ptr [ %add.ptr29.i, %for.body.i ], [ %add.ptr, %if.end23.i ]
  %arrayidx.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.0151.i
  %offset.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 24
  %100 = load i64, ptr %offset.i.i, align 8
  %add.ptr.i56.i = getelementptr inbounds i8, ptr %model, i64 %100
  %nbytes.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  %101 = load i64, ptr %nbytes.i, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %add.ptr.i56.i, ptr align 1 %data.addr.0150.i, i64 %101, i1 false)
  %add.ptr29.i = getelementptr inbounds i8, ptr %data.addr.0150.i, i64 %101
  %inc.i = add nuw nsw i64 %number.0151.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %0
  br i1 %exitcond.not.i, label %for.cond.cleanup.i, label %for.body.i

read_file.exit:
  %retval.2.i = phi i32 [ 4, %if.end5.i ], [ 100663301, %if.then23 ], [ 117440517, %if.end.i ], [ 0, %for.cond.cleanup.i ], [ %retval.1.i.ph.i, %if.end15.thread59.i ], [ 100663301, %if.end15.thread.i ], [ 117440517, %for.body.i49.i ], [ 100663301, %if.end9.i.i ], [ 100663301, %if.end.i51.i ]
  %call25 = call i32 @fclose(ptr %call21)
  br label %if.end26

if.end26:
  %answer.0 = phi i32 [ %retval.2.i, %read_file.exit ], [ 83886085, %for.cond.cleanup14 ]
  call void @free(ptr %call6216221)
  br label %return

return:
  %retval.1 = phi i32 [ 134217729, %if.end ], [ 16777217, %entry ], [ %answer.0, %if.end26 ], [ 4, %for.cond.cleanup ], [ 4, %for.cond.cleanup.thread ]
  ret i32 %retval.1
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)

declare i64 @fwrite(ptr, i64, i64, ptr)

declare zeroext i1 @write_to_disk(ptr)

declare i64 @fread(ptr, i64, i64, ptr)

define internal fastcc zeroext i1 @is_text(ptr byval({ ptr, ptr, i8 }) align 8 %text, ptr %wanted) unnamed_addr {
entry:
  %bytes = alloca [4 x i8], align 1
  %end = getelementptr inbounds nuw i8, ptr %text, i64 8
  %0 = load ptr, ptr %text, align 8
  %1 = load ptr, ptr %end, align 8
  %cmp41 = icmp ult ptr %0, %1
  br i1 %cmp41, label %while.body, label %while.end

while.body:
  %2 = phi ptr [ %30, %cleanup8 ], [ %1, %entry ]
  %3 = phi ptr [ %29, %cleanup8 ], [ %0, %entry ]
  %wanted.addr.042 = phi ptr [ %26, %cleanup8 ], [ %wanted, %entry ]
  %4 = ptrtoint ptr %2 to i64
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %3, i64 1
  store ptr %incdec.ptr.i, ptr %text, align 8
  %5 = load i8, ptr %3, align 1
  store i8 %5, ptr %bytes, align 1
  %cmp.not.i = icmp eq i8 %5, 92
  br i1 %cmp.not.i, label %if.end.i, label %take_letter.exit

if.end.i:
  %cmp4.i = icmp eq ptr %incdec.ptr.i, %2
  br i1 %cmp4.i, label %cleanup8.thread, label %if.end7.i

if.end7.i:
  %incdec.ptr9.i = getelementptr inbounds nuw i8, ptr %3, i64 2
  store ptr %incdec.ptr9.i, ptr %text, align 8
  %6 = load i8, ptr %incdec.ptr.i, align 1
  %7 = add i8 %6, -98
  %8 = tail call i8 @llvm.fshl.i8(i8 %7, i8 %7, i8 7)
  %9 = icmp ult i8 %8, 10
  br i1 %9, label %switch.hole_check, label %escaped.exit.i

escaped.exit.i:
  store i8 %6, ptr %bytes, align 1
  %cmp13.not.i = icmp eq i8 %6, 117
  br i1 %cmp13.not.i, label %for.body.i.i.preheader, label %take_letter.exit

for.body.i.i.preheader:
  %cmp1.i.i33 = icmp ult ptr %incdec.ptr9.i, %2
  br i1 %cmp1.i.i33, label %cond.end.i.i.preheader, label %cleanup8.thread

cond.end.i.i.preheader:
  %scevgep50 = getelementptr i8, ptr %3, i64 6
  br label %cond.end.i.i

for.body.i.i:
  %exitcond.not = icmp eq ptr %incdec.ptr.i.i, %2
  br i1 %exitcond.not, label %cleanup8.thread, label %cond.end.i.i

cond.end.i.i:
  %place.055.i.i36 = phi i32 [ %inc.i.i, %for.body.i.i ], [ 0, %cond.end.i.i.preheader ]
  %number.056.i.i35 = phi i32 [ %number.2.ph.i.i, %for.body.i.i ], [ 0, %cond.end.i.i.preheader ]
  %incdec.ptr57.i.i34 = phi ptr [ %incdec.ptr.i.i, %for.body.i.i ], [ %incdec.ptr9.i, %cond.end.i.i.preheader ]
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr57.i.i34, i64 1
  %10 = load i8, ptr %incdec.ptr57.i.i34, align 1
  %11 = sext i8 %10 to i32
  %12 = add nsw i32 %11, -48
  %or.cond.i.i = icmp ult i32 %12, 10
  br i1 %or.cond.i.i, label %if.then.i.i, label %if.else.i.i

if.then.i.i:
  %shl.i.i = shl i32 %number.056.i.i35, 4
  %or13.i.i = or disjoint i32 %12, %shl.i.i
  br label %for.inc.i.i

if.else.i.i:
  %conv5.i.i = or i32 %11, 32
  %13 = add nsw i32 %conv5.i.i, -97
  %or.cond34.i.i = icmp ult i32 %13, 6
  br i1 %or.cond34.i.i, label %if.then21.i.i, label %cleanup8.thread

if.then21.i.i:
  %shl22.i.i = shl i32 %number.056.i.i35, 4
  %add.i.i = add nsw i32 %conv5.i.i, -87
  %or25.i.i = or i32 %add.i.i, %shl22.i.i
  br label %for.inc.i.i

for.inc.i.i:
  %number.2.ph.i.i = phi i32 [ %or25.i.i, %if.then21.i.i ], [ %or13.i.i, %if.then.i.i ]
  %inc.i.i = add nuw nsw i32 %place.055.i.i36, 1
  %exitcond.i.i = icmp eq i32 %inc.i.i, 4
  br i1 %exitcond.i.i, label %take_digits.exit.i, label %for.body.i.i

take_digits.exit.i:
  store ptr %scevgep50, ptr %text, align 8
  %14 = and i32 %number.2.ph.i.i, -1024
  %or.cond.i = icmp eq i32 %14, 55296
  br i1 %or.cond.i, label %if.then22.i, label %if.end50.i

if.then22.i:
  %sub.ptr.rhs.cast.i = ptrtoint ptr %scevgep50 to i64
  %sub.ptr.sub.i = sub i64 %4, %sub.ptr.rhs.cast.i
  %cmp25.i = icmp slt i64 %sub.ptr.sub.i, 2
  br i1 %cmp25.i, label %cleanup8.thread, label %lor.lhs.false.i

lor.lhs.false.i:
  %15 = load i8, ptr %scevgep50, align 1
  %cmp30.not.i = icmp eq i8 %15, 92
  br i1 %cmp30.not.i, label %lor.lhs.false32.i, label %cleanup8.thread

lor.lhs.false32.i:
  %arrayidx34.i = getelementptr i8, ptr %3, i64 7
  %16 = load i8, ptr %arrayidx34.i, align 1
  %cmp36.not.i = icmp eq i8 %16, 117
  br i1 %cmp36.not.i, label %if.end39.i, label %cleanup8.thread

if.end39.i:
  %add.ptr.i = getelementptr i8, ptr %3, i64 8
  store ptr %add.ptr.i, ptr %text, align 8
  %call41.i = call fastcc i32 @take_digits(ptr %text)
  %17 = and i32 %call41.i, -1024
  %or.cond85.i = icmp eq i32 %17, 56320
  br i1 %or.cond85.i, label %cond.false.thread.i, label %cleanup8.thread

cond.false.thread.i:
  %sub.i = shl nuw nsw i32 %number.2.ph.i.i, 10
  %or.i = add nsw i32 %sub.i, -56613888
  %add.i = add nuw nsw i32 %or.i, %call41.i
  br label %cond.false60.i

if.end50.i:
  %cmp51.i = icmp slt i32 %number.2.ph.i.i, 0
  br i1 %cmp51.i, label %cleanup8.thread, label %if.end54.i

if.end54.i:
  %cmp55.i = icmp samesign ult i32 %number.2.ph.i.i, 128
  br i1 %cmp55.i, label %22, label %cond.false.i

cond.false.i:
  %cmp57.i = icmp samesign ult i32 %number.2.ph.i.i, 2048
  br i1 %cmp57.i, label %for.body.preheader.i, label %cond.false60.i

cond.false60.i:
  %number.1127130134.i = phi i32 [ %add.i, %cond.false.thread.i ], [ %number.2.ph.i.i, %cond.false.i ]
  %cmp61.i = icmp samesign ult i32 %number.1127130134.i, 65536
  %cond.i = select i1 %cmp61.i, i32 2, i32 3
  br label %for.body.preheader.i

for.body.preheader.i:
  %number.1127131.ph.i = phi i32 [ %number.2.ph.i.i, %cond.false.i ], [ %number.1127130134.i, %cond.false60.i ]
  %cond65.ph.i = phi i32 [ 1, %cond.false.i ], [ %cond.i, %cond.false60.i ]
  %18 = zext nneg i32 %cond65.ph.i to i64
  br label %for.body.i

for.cond.cleanup.i:
  %shr74.i = lshr exact i32 32640, %cond65.ph.i
  %19 = or i32 %shr.i, %shr74.i
  %20 = add nuw nsw i32 %cond65.ph.i, 1
  %21 = zext nneg i32 %20 to i64
  br label %22

22:
  %number.2.lcssa155.i = phi i32 [ %19, %for.cond.cleanup.i ], [ %number.2.ph.i.i, %if.end54.i ]
  %cond65146153.i = phi i64 [ %21, %for.cond.cleanup.i ], [ 1, %if.end54.i ]
  %conv79.i = trunc i32 %number.2.lcssa155.i to i8
  br label %take_letter.exit.sink.split

for.body.i:
  %indvars.iv.i = phi i64 [ %18, %for.body.preheader.i ], [ %indvars.iv.next.i, %for.body.i ]
  %number.2136.i = phi i32 [ %number.1127131.ph.i, %for.body.preheader.i ], [ %shr.i, %for.body.i ]
  %23 = trunc i32 %number.2136.i to i8
  %24 = and i8 %23, 63
  %conv69.i = or disjoint i8 %24, -128
  %arrayidx70.i = getelementptr inbounds nuw i8, ptr %bytes, i64 %indvars.iv.i
  store i8 %conv69.i, ptr %arrayidx70.i, align 1
  %indvars.iv.next.i = add nsw i64 %indvars.iv.i, -1
  %shr.i = lshr i32 %number.2136.i, 6
  %cmp66.i = icmp samesign ugt i64 %indvars.iv.i, 1
  br i1 %cmp66.i, label %for.body.i, label %for.cond.cleanup.i

switch.hole_check:
  %switch.maskindex = zext nneg i8 %8 to i16
  %switch.shifted = lshr i16 837, %switch.maskindex
  %switch.lobit = trunc i16 %switch.shifted to i1
  br i1 %switch.lobit, label %switch.lookup, label %escaped.exit.i

switch.lookup:
  %25 = zext nneg i8 %8 to i64
  %switch.gep = getelementptr inbounds nuw i8, ptr @switch.table.is_text, i64 %25
  %switch.load = load i8, ptr %switch.gep, align 1
  br label %take_letter.exit.sink.split

take_letter.exit.sink.split:
  %retval.0.i.ph.i.sink = phi i8 [ %conv79.i, %22 ], [ %switch.load, %switch.lookup ]
  %retval.2.i.ph = phi i64 [ %cond65146153.i, %22 ], [ 1, %switch.lookup ]
  store i8 %retval.0.i.ph.i.sink, ptr %bytes, align 1
  br label %take_letter.exit

take_letter.exit:
  %retval.2.i = phi i64 [ 1, %escaped.exit.i ], [ 1, %while.body ], [ %retval.2.i.ph, %take_letter.exit.sink.split ]
  %26 = getelementptr i8, ptr %wanted.addr.042, i64 %retval.2.i
  br label %for.body

for.body:
  %indvars.iv = phi i64 [ 0, %take_letter.exit ], [ %indvars.iv.next, %for.inc ]
  %wanted.addr.139 = phi ptr [ %wanted.addr.042, %take_letter.exit ], [ %incdec.ptr, %for.inc ]
  %27 = load i8, ptr %wanted.addr.139, align 1
  %tobool2.not = icmp eq i8 %27, 0
  br i1 %tobool2.not, label %cleanup8.thread, label %lor.lhs.false

lor.lhs.false:
  %arrayidx = getelementptr inbounds nuw i8, ptr %bytes, i64 %indvars.iv
  %28 = load i8, ptr %arrayidx, align 1
  %cmp4.not = icmp eq i8 %27, %28
  br i1 %cmp4.not, label %for.inc, label %cleanup8.thread

for.inc:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %incdec.ptr = getelementptr inbounds nuw i8, ptr %wanted.addr.139, i64 1
  %exitcond54.not = icmp eq i64 %indvars.iv.next, %retval.2.i
  br i1 %exitcond54.not, label %cleanup8, label %for.body

cleanup8.thread:
  br label %return

cleanup8:
  %29 = load ptr, ptr %text, align 8
  %30 = load ptr, ptr %end, align 8
  %cmp = icmp ult ptr %29, %30
  br i1 %cmp, label %while.body, label %while.end

while.end:
  %wanted.addr.0.lcssa = phi ptr [ %wanted, %entry ], [ %26, %cleanup8 ]
  %31 = load i8, ptr %wanted.addr.0.lcssa, align 1
  %tobool11.not = icmp eq i8 %31, 0
  br label %return

return:
  %retval.3 = phi i1 [ false, %cleanup8.thread ], [ %tobool11.not, %while.end ]
  ret i1 %retval.3
}

define internal fastcc void @skip_value(ptr %json) unnamed_addr {
entry:
  %end.i = getelementptr inbounds nuw i8, ptr %json, i64 8
  %0 = load ptr, ptr %end.i, align 8
  %json.promoted = load ptr, ptr %json, align 8
  %bad.i.i.i = getelementptr inbounds nuw i8, ptr %json, i64 16
  %cmp37.i132 = icmp ult ptr %json.promoted, %0
  br i1 %cmp37.i132, label %land.rhs.i.preheader.lr.ph, label %if.end21.thread

land.rhs.i.preheader.lr.ph:
  %bad.i.i.i.promoted = load i8, ptr %bad.i.i.i, align 8
  br label %land.rhs.i.preheader

land.rhs.i.preheader:
  %depth.0133 = phi i64 [ 0, %land.rhs.i.preheader.lr.ph ], [ %depth.3, %do.body.backedge ]
  %1 = phi ptr [ %json.promoted, %land.rhs.i.preheader.lr.ph ], [ %9, %do.body.backedge ]
  %2 = phi i8 [ %bad.i.i.i.promoted, %land.rhs.i.preheader.lr.ph ], [ 0, %do.body.backedge ]
  br label %land.rhs.i

land.rhs.i:
  %3 = phi ptr [ %incdec.ptr.i, %while.body.i ], [ %1, %land.rhs.i.preheader ]
  %4 = load i8, ptr %3, align 1
  switch i8 %4, label %if.else3 [
    i8 32, label %while.body.i
    i8 10, label %while.body.i
    i8 9, label %while.body.i
    i8 13, label %while.body.i
    i8 34, label %if.then
    i8 0, label %if.end21.thread
  ]

while.body.i:
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %3, i64 1
  store ptr %incdec.ptr.i, ptr %json, align 8
  %exitcond.not.i = icmp eq ptr %incdec.ptr.i, %0
  br i1 %exitcond.not.i, label %if.end21.thread, label %land.rhs.i

if.then:
  %cmp37.i.i.i.i = icmp ult ptr %3, %0
  br i1 %cmp37.i.i.i.i, label %need_char.exit.i, label %if.then.i39.i

need_char.exit.i:
  %incdec.ptr.i.i.i = getelementptr inbounds nuw i8, ptr %3, i64 1
  store ptr %incdec.ptr.i.i.i, ptr %json, align 8
  %cmp56.i = icmp ult ptr %incdec.ptr.i.i.i, %0
  br i1 %cmp56.i, label %land.rhs.i59, label %if.then.i39.i

land.rhs.i59:
  %add.ptr205557.i = phi ptr [ %add.ptr20.i, %land.end18.i ], [ %incdec.ptr.i.i.i, %need_char.exit.i ]
  %5 = load i8, ptr %add.ptr205557.i, align 1
  switch i8 %5, label %land.end18.i [
    i8 34, label %take_char.exit.i48.i
    i8 92, label %land.rhs13.i
  ]

land.rhs13.i:
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i, i64 1
  %cmp16.i = icmp ult ptr %add.ptr.i, %0
  %6 = select i1 %cmp16.i, i64 2, i64 1
  br label %land.end18.i

land.end18.i:
  %cond.i60 = phi i64 [ 1, %land.rhs.i59 ], [ %6, %land.rhs13.i ]
  %add.ptr20.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i, i64 %cond.i60
  store ptr %add.ptr20.i, ptr %json, align 8
  %cmp.i = icmp ult ptr %add.ptr20.i, %0
  br i1 %cmp.i, label %land.rhs.i59, label %if.then.i39.i

take_char.exit.i48.i:
  %incdec.ptr.i.i49.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i, i64 1
  br label %if.end21

if.then.i39.i:
  store i8 1, ptr %bad.i.i.i, align 8
  br label %if.end21

if.end21.thread:
  store i8 1, ptr %bad.i.i.i, align 8
  store ptr %0, ptr %json, align 8
  br label %do.end

if.else3:
  %7 = and i8 %4, -33
  %or.cond = icmp eq i8 %7, 91
  %inc = zext i1 %or.cond to i64
  %spec.select = add i64 %depth.0133, %inc
  %or.cond42 = icmp eq i8 %7, 93
  %dec = sext i1 %or.cond42 to i64
  %depth.2 = add i64 %spec.select, %dec
  %incdec.ptr = getelementptr inbounds nuw i8, ptr %3, i64 1
  br label %if.end21

if.end21:
  %incdec.ptr.sink = phi ptr [ %incdec.ptr, %if.else3 ], [ %0, %if.then.i39.i ], [ %incdec.ptr.i.i49.i, %take_char.exit.i48.i ]
  %8 = phi i8 [ %2, %if.else3 ], [ 1, %if.then.i39.i ], [ %2, %take_char.exit.i48.i ]
  %depth.3 = phi i64 [ %depth.2, %if.else3 ], [ %depth.0133, %if.then.i39.i ], [ %depth.0133, %take_char.exit.i48.i ]
  store ptr %incdec.ptr.sink, ptr %json, align 8
  %loadedv = trunc nuw i8 %8 to i1
  br i1 %loadedv, label %do.end, label %land.rhs

land.rhs:
  %cmp22 = icmp sgt i64 %depth.3, 0
  br i1 %cmp22, label %do.body.backedge, label %lor.rhs

do.body.backedge:
  %9 = phi ptr [ %incdec.ptr.sink, %land.rhs ], [ %incdec.ptr3638.i68, %land.rhs.i67 ]
  %cmp37.i = icmp ult ptr %9, %0
  br i1 %cmp37.i, label %land.rhs.i.preheader, label %if.end21.thread

lor.rhs:
  %cmp37.i65 = icmp ult ptr %incdec.ptr.sink, %0
  br i1 %cmp37.i65, label %land.rhs.i67, label %do.end

land.rhs.i67:
  %incdec.ptr3638.i68 = phi ptr [ %incdec.ptr.i70, %while.body.i69 ], [ %incdec.ptr.sink, %lor.rhs ]
  %10 = load i8, ptr %incdec.ptr3638.i68, align 1
  switch i8 %10, label %do.body.backedge [
    i8 32, label %while.body.i69
    i8 10, label %while.body.i69
    i8 9, label %while.body.i69
    i8 13, label %while.body.i69
    i8 0, label %do.end
    i8 44, label %do.end
    i8 125, label %do.end
    i8 93, label %do.end
  ]

while.body.i69:
  %incdec.ptr.i70 = getelementptr inbounds nuw i8, ptr %incdec.ptr3638.i68, i64 1
  store ptr %incdec.ptr.i70, ptr %json, align 8
  %exitcond.not.i71 = icmp eq ptr %incdec.ptr.i70, %0
  br i1 %exitcond.not.i71, label %do.end, label %land.rhs.i67

do.end:
  ret void
}

define internal fastcc i32 @take_digits(ptr %text) unnamed_addr {
entry:
  %end = getelementptr inbounds nuw i8, ptr %text, i64 8
  %0 = load ptr, ptr %end, align 8
  %text.promoted = load ptr, ptr %text, align 8
  br label %for.body

for.body:
  %incdec.ptr57 = phi ptr [ %text.promoted, %entry ], [ %incdec.ptr, %for.inc ]
  %number.056 = phi i32 [ 0, %entry ], [ %number.2.ph, %for.inc ]
  %place.055 = phi i32 [ 0, %entry ], [ %inc, %for.inc ]
  %cmp1 = icmp ult ptr %incdec.ptr57, %0
  br i1 %cmp1, label %cond.end, label %cleanup29

cond.end:
  %incdec.ptr = getelementptr inbounds nuw i8, ptr %incdec.ptr57, i64 1
  store ptr %incdec.ptr, ptr %text, align 8
  %1 = load i8, ptr %incdec.ptr57, align 1
  %2 = sext i8 %1 to i32
  %3 = add nsw i32 %2, -48
  %or.cond = icmp ult i32 %3, 10
  br i1 %or.cond, label %if.then, label %if.else

if.then:
  %shl = shl i32 %number.056, 4
  %or13 = or disjoint i32 %3, %shl
  br label %for.inc

if.else:
  %conv5 = or i32 %2, 32
  %4 = add nsw i32 %conv5, -97
  %or.cond34 = icmp ult i32 %4, 6
  br i1 %or.cond34, label %if.then21, label %cleanup29

if.then21:
  %shl22 = shl i32 %number.056, 4
  %add = add nsw i32 %conv5, -87
  %or25 = or i32 %add, %shl22
  br label %for.inc

for.inc:
  %number.2.ph = phi i32 [ %or25, %if.then21 ], [ %or13, %if.then ]
  %inc = add nuw nsw i32 %place.055, 1
  %exitcond = icmp eq i32 %inc, 4
  br i1 %exitcond, label %cleanup29, label %for.body

cleanup29:
  %spec.select = phi i32 [ -1, %for.body ], [ -1, %if.else ], [ %number.2.ph, %for.inc ]
  ret i32 %spec.select
}

declare i32 @seek_file(ptr, i64, i32)

declare i8 @llvm.fshl.i8(i8, i8, i8)
