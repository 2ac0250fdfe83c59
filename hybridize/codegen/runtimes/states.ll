; Made of states.c by `make runtimes`: clang version 22.1.8
; 4dd74a4ef2043265f686907d443731acc5757fd33a65dab3bc0da4b90974b743


@ending = internal unnamed_addr constant [6 x i8] c".part\00", align 1
@write_mode = internal constant [3 x i8] c"wb\00", align 1
@state_count = external constant i64, align 8
@state_table = external constant [0 x { i64, i64, i64, i64, i64, i64 }], align 8
@read_mode = internal constant [3 x i8] c"rb\00", align 1
@state_texts = external constant [0 x i8], align 1
@state_header = external constant [0 x i8], align 1
@state_header_bytes = external constant i64, align 8
@key_dtype = internal unnamed_addr constant [6 x i8] c"dtype\00", align 1
@key_shape = internal unnamed_addr constant [6 x i8] c"shape\00", align 1
@key_offsets = internal unnamed_addr constant [13 x i8] c"data_offsets\00", align 1
@state_sizes = external constant [0 x i64], align 8

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
  %call11 = tail call ptr @fopen(ptr %call6, ptr @write_mode)
  %tobool12.not = icmp eq ptr %call11, null
  br i1 %tobool12.not, label %if.end31, label %if.then13

if.then13:
  %1 = load i64, ptr @state_header_bytes, align 8
  %call.i = tail call i64 @fwrite(ptr @state_header, i64 1, i64 %1, ptr %call11)
  %cmp.i = icmp eq i64 %call.i, %1
  %lock.i = getelementptr inbounds nuw i8, ptr %model, i64 32
  tail call void @lock(ptr %lock.i)
  %2 = load i64, ptr @state_count, align 8
  %cmp121.i = icmp sgt i64 %2, 0
  %3 = select i1 %cmp.i, i1 %cmp121.i, i1 false
  br i1 %3, label %for.body.i, label %for.cond.cleanup.i

for.cond.cleanup.i:
  %good.0.in.lcssa.i = phi i1 [ %cmp.i, %if.then13 ], [ %cmp6.i, %for.body.i ]
  store atomic i32 0, ptr %lock.i release, align 8
  br i1 %good.0.in.lcssa.i, label %write_states.exit, label %write_states.exit.thread

write_states.exit.thread:
  %call1552 = tail call i32 @fclose(ptr %call11)
  br label %if.then27

for.body.i:
  %number.022.i = phi i64 [ %inc.i, %for.body.i ], [ 0, %if.then13 ]
  %arrayidx.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.022.i
  %nbytes2.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  %4 = load i64, ptr %nbytes2.i, align 8
  %offset.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 24
  %5 = load i64, ptr %offset.i.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr %model, i64 %5
  %call5.i = tail call i64 @fwrite(ptr %add.ptr.i.i, i64 1, i64 %4, ptr %call11)
  %cmp6.i = icmp eq i64 %call5.i, %4
  %inc.i = add nuw nsw i64 %number.022.i, 1
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
  %cmp127 = icmp sgt i64 %0, 0
  br i1 %cmp127, label %for.body, label %for.cond.cleanup.thread

for.cond.cleanup:
  %add5 = add i64 %add, %mul
  %call6 = tail call ptr @malloc(i64 %add5)
  %tobool7.not = icmp eq ptr %call6, null
  br i1 %tobool7.not, label %return, label %for.body15

for.cond.cleanup.thread:
  %add5236 = or disjoint i64 %mul, 1
  %call6237 = tail call ptr @malloc(i64 %add5236)
  %tobool7.not238 = icmp eq ptr %call6237, null
  br i1 %tobool7.not238, label %return, label %for.cond.cleanup14

for.body:
  %total.0129 = phi i64 [ %add, %for.body ], [ 1, %if.end4 ]
  %number.0128 = phi i64 [ %inc, %for.body ], [ 0, %if.end4 ]
  %arrayidx = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.0128
  %nbytes = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %1 = load i64, ptr %nbytes, align 8
  %add = add i64 %1, %total.0129
  %inc = add nuw nsw i64 %number.0128, 1
  %exitcond.not = icmp eq i64 %inc, %0
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup14:
  %call6239244 = phi ptr [ %call6237, %for.cond.cleanup.thread ], [ %call6, %for.body15 ]
  %call21 = tail call ptr @fopen(ptr %path, ptr @read_mode)
  %tobool22.not = icmp eq ptr %call21, null
  br i1 %tobool22.not, label %if.end26, label %if.then23

for.body15:
  %number11.0131 = phi i64 [ %inc18, %for.body15 ], [ 0, %for.cond.cleanup ]
  %arrayidx16 = getelementptr inbounds nuw { i64, i64, i8, i8 }, ptr %call6, i64 %number11.0131
  tail call void @llvm.memset.p0.i64(ptr align 8 %arrayidx16, i8 0, i64 24, i1 false)
  %inc18 = add nuw nsw i64 %number11.0131, 1
  %exitcond216.not = icmp eq i64 %inc18, %0
  br i1 %exitcond216.not, label %for.cond.cleanup14, label %for.body15

if.then23:
  %add.ptr = getelementptr inbounds nuw i8, ptr %call6239244, i64 %mul
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
  %incdec.ptr.i.i.i.i149.i = phi ptr [ %incdec.ptr.i.i.i.i.i, %while.body.i.i.i.i.i ], [ %call6.i, %if.then13.i ]
  %6 = load i8, ptr %incdec.ptr.i.i.i.i149.i, align 1
  switch i8 %6, label %need_char.exit.thread.i.i [
    i8 32, label %while.body.i.i.i.i.i
    i8 10, label %while.body.i.i.i.i.i
    i8 9, label %while.body.i.i.i.i.i
    i8 13, label %while.body.i.i.i.i.i
    i8 123, label %need_char.exit.i.i
  ]

while.body.i.i.i.i.i:
  %incdec.ptr.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i.i149.i, i64 1
  %exitcond.not.i.i.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i.i, %add.ptr.i
  br i1 %exitcond.not.i.i.i.i.i, label %need_char.exit.thread.i.i, label %land.rhs.i.i.i.i.i

need_char.exit.thread.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %do.body.i.i.sink.split

need_char.exit.i.i:
  %incdec.ptr.i.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i.i149.i, i64 1
  store ptr %incdec.ptr.i.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i.i = icmp ult ptr %incdec.ptr.i.i.i.i, %add.ptr.i
  br i1 %cmp37.i.i.i.i, label %land.rhs.i.i.i.i, label %do.body.i.i

land.rhs.i.i.i.i:
  %7 = phi ptr [ %incdec.ptr.i.i52.i.i, %while.body.i.i.i.i ], [ %incdec.ptr.i.i.i.i, %need_char.exit.i.i ]
  %8 = load i8, ptr %7, align 1
  switch i8 %8, label %do.body.i.i [
    i8 32, label %while.body.i.i.i.i
    i8 10, label %while.body.i.i.i.i
    i8 9, label %while.body.i.i.i.i
    i8 13, label %while.body.i.i.i.i
    i8 125, label %if.end7.i.thread281.i
  ]

while.body.i.i.i.i:
  %incdec.ptr.i.i52.i.i = getelementptr inbounds nuw i8, ptr %7, i64 1
  store ptr %incdec.ptr.i.i52.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i = icmp eq ptr %incdec.ptr.i.i52.i.i, %add.ptr.i
  br i1 %exitcond.not.i.i.i.i, label %do.body.i.i, label %land.rhs.i.i.i.i

if.end7.i.thread281.i:
  %incdec.ptr.i.i.i = getelementptr inbounds nuw i8, ptr %7, i64 1
  store ptr %incdec.ptr.i.i.i, ptr %json.i, align 8
  br label %lor.lhs.false.i.i

do.body.i.i.sink.split:
  %add.ptr.i.sink = phi ptr [ %add.ptr.i, %need_char.exit.thread.i.i ], [ %incdec.ptr.i115.i.i, %take_char.exit116.i.i ]
  %.ph = phi ptr [ %add.ptr.i, %need_char.exit.thread.i.i ], [ %98, %take_char.exit116.i.i ]
  store ptr %add.ptr.i.sink, ptr %json.i, align 8
  br label %do.body.i.i

do.body.i.i:
  %json.promoted.i.i.i.i.i.i = phi ptr [ %add.ptr.i.sink, %do.body.i.i.sink.split ], [ %incdec.ptr.i.i.i.i, %need_char.exit.i.i ], [ %7, %land.rhs.i.i.i.i ], [ %add.ptr.i, %while.body.i.i.i.i ]
  %9 = phi ptr [ %.ph, %do.body.i.i.sink.split ], [ %add.ptr.i, %need_char.exit.i.i ], [ %add.ptr.i, %while.body.i.i.i.i ], [ %add.ptr.i, %land.rhs.i.i.i.i ]
  %cmp37.i.i.i.i.i.i = icmp ult ptr %json.promoted.i.i.i.i.i.i, %9
  br i1 %cmp37.i.i.i.i.i.i, label %land.rhs.i.i.i.i.i.i, label %if.then.i57.i.i

land.rhs.i.i.i.i.i.i:
  %10 = phi ptr [ %incdec.ptr.i.i.i.i.i.i, %while.body.i.i.i.i.i.i ], [ %json.promoted.i.i.i.i.i.i, %do.body.i.i ]
  %11 = load i8, ptr %10, align 1
  switch i8 %11, label %if.then.i57.i.i [
    i8 32, label %while.body.i.i.i.i.i.i
    i8 10, label %while.body.i.i.i.i.i.i
    i8 9, label %while.body.i.i.i.i.i.i
    i8 13, label %while.body.i.i.i.i.i.i
    i8 34, label %need_char.exit.i.i.i
  ]

while.body.i.i.i.i.i.i:
  %incdec.ptr.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %10, i64 1
  store ptr %incdec.ptr.i.i.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i.i.i, %9
  br i1 %exitcond.not.i.i.i.i.i.i, label %if.then.i57.i.i, label %land.rhs.i.i.i.i.i.i

need_char.exit.i.i.i:
  %incdec.ptr.i.i.i53.i.i = getelementptr inbounds nuw i8, ptr %10, i64 1
  store ptr %incdec.ptr.i.i.i53.i.i, ptr %json.i, align 8
  %cmp56.i.i.i = icmp ult ptr %incdec.ptr.i.i.i53.i.i, %9
  br i1 %cmp56.i.i.i, label %land.rhs.i.i.i, label %if.then.i57.i.i

land.rhs.i.i.i:
  %add.ptr205557.i.i.i = phi ptr [ %add.ptr20.i.i.i, %land.end18.i.i.i ], [ %incdec.ptr.i.i.i53.i.i, %need_char.exit.i.i.i ]
  %12 = load i8, ptr %add.ptr205557.i.i.i, align 1
  switch i8 %12, label %land.end18.i.i.i [
    i8 34, label %take_text.exit.i.i
    i8 92, label %land.rhs13.i.i.i
  ]

land.rhs13.i.i.i:
  %add.ptr.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i, i64 1
  %cmp16.i.i.i = icmp ult ptr %add.ptr.i.i.i, %9
  %13 = select i1 %cmp16.i.i.i, i64 2, i64 1
  br label %land.end18.i.i.i

land.end18.i.i.i:
  %cond.i.i.i = phi i64 [ 1, %land.rhs.i.i.i ], [ %13, %land.rhs13.i.i.i ]
  %add.ptr20.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i, i64 %cond.i.i.i
  store ptr %add.ptr20.i.i.i, ptr %json.i, align 8
  %cmp.i.i.i = icmp ult ptr %add.ptr20.i.i.i, %9
  br i1 %cmp.i.i.i, label %land.rhs.i.i.i, label %if.then.i57.i.i

take_text.exit.i.i:
  %incdec.ptr.i.i49.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i, i64 1
  store ptr %incdec.ptr.i.i49.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i56.i.i = icmp ult ptr %incdec.ptr.i.i49.i.i.i, %9
  br i1 %cmp37.i.i.i56.i.i, label %land.rhs.i.i.i61.i.i, label %if.then.i57.i.i

land.rhs.i.i.i61.i.i:
  %14 = phi ptr [ %incdec.ptr.i.i.i63.i.i, %while.body.i.i.i62.i.i ], [ %incdec.ptr.i.i49.i.i.i, %take_text.exit.i.i ]
  %15 = load i8, ptr %14, align 1
  switch i8 %15, label %if.then.i57.i.i [
    i8 32, label %while.body.i.i.i62.i.i
    i8 10, label %while.body.i.i.i62.i.i
    i8 9, label %while.body.i.i.i62.i.i
    i8 13, label %while.body.i.i.i62.i.i
    i8 58, label %take_char.exit.i67.i.i
  ]

while.body.i.i.i62.i.i:
  %incdec.ptr.i.i.i63.i.i = getelementptr inbounds nuw i8, ptr %14, i64 1
  store ptr %incdec.ptr.i.i.i63.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i64.i.i = icmp eq ptr %incdec.ptr.i.i.i63.i.i, %9
  br i1 %exitcond.not.i.i.i64.i.i, label %if.then.i57.i.i, label %land.rhs.i.i.i61.i.i

take_char.exit.i67.i.i:
  %incdec.ptr.i.i68.i.i = getelementptr inbounds nuw i8, ptr %14, i64 1
  br label %need_char.exit69.i.i

if.then.i57.i.i:
  %key.sroa.4.0165.i.i = phi ptr [ %add.ptr20.i.i.i, %land.end18.i.i.i ], [ %add.ptr205557.i.i.i, %take_text.exit.i.i ], [ %incdec.ptr.i.i.i53.i.i, %need_char.exit.i.i.i ], [ %9, %do.body.i.i ], [ %add.ptr205557.i.i.i, %while.body.i.i.i62.i.i ], [ %add.ptr205557.i.i.i, %land.rhs.i.i.i61.i.i ], [ %9, %land.rhs.i.i.i.i.i.i ], [ %9, %while.body.i.i.i.i.i.i ]
  %storemerge.i.i150163.i.i = phi ptr [ %incdec.ptr.i.i.i53.i.i, %land.end18.i.i.i ], [ %incdec.ptr.i.i.i53.i.i, %take_text.exit.i.i ], [ %incdec.ptr.i.i.i53.i.i, %need_char.exit.i.i.i ], [ %9, %do.body.i.i ], [ %incdec.ptr.i.i.i53.i.i, %while.body.i.i.i62.i.i ], [ %incdec.ptr.i.i.i53.i.i, %land.rhs.i.i.i61.i.i ], [ %9, %land.rhs.i.i.i.i.i.i ], [ %9, %while.body.i.i.i.i.i.i ]
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit69.i.i

need_char.exit69.i.i:
  %key.sroa.4.0164.i.i = phi ptr [ %key.sroa.4.0165.i.i, %if.then.i57.i.i ], [ %add.ptr205557.i.i.i, %take_char.exit.i67.i.i ]
  %storemerge.i.i150162.i.i = phi ptr [ %storemerge.i.i150163.i.i, %if.then.i57.i.i ], [ %incdec.ptr.i.i.i53.i.i, %take_char.exit.i67.i.i ]
  %storemerge.i60.i.i = phi ptr [ %9, %if.then.i57.i.i ], [ %incdec.ptr.i.i68.i.i, %take_char.exit.i67.i.i ]
  store ptr %storemerge.i60.i.i, ptr %json.i, align 8
  br i1 %cmp127, label %land.rhs.lr.ph.i.i, label %if.else.i.i

land.rhs.lr.ph.i.i:
  %cmp37.i.i.i = icmp ult ptr %storemerge.i.i150162.i.i, %key.sroa.4.0164.i.i
  br label %land.rhs.i.i

land.rhs.i.i:
  %number.0257.i.i = phi i64 [ 0, %land.rhs.lr.ph.i.i ], [ %inc.i.i, %while.body.i.i ]
  %arrayidx.i.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.0257.i.i
  %16 = load i64, ptr %arrayidx.i.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr @state_texts, i64 %16
  br i1 %cmp37.i.i.i, label %land.rhs.i72.i.i, label %for.end.i.i.i

land.rhs.i72.i.i:
  %wanted.addr.039.i.i.i = phi ptr [ %incdec.ptr19.i.i.i, %for.inc.i.i.i ], [ %add.ptr.i.i, %land.rhs.i.i ]
  %incdec.ptr183638.i.i.i = phi ptr [ %incdec.ptr18.i.i.i, %for.inc.i.i.i ], [ %storemerge.i.i150162.i.i, %land.rhs.i.i ]
  %17 = load i8, ptr %wanted.addr.039.i.i.i, align 1
  %tobool.not.i.i.i = icmp eq i8 %17, 0
  br i1 %tobool.not.i.i.i, label %for.end.i.i.i, label %for.body.i.i.i

for.body.i.i.i:
  %18 = load i8, ptr %incdec.ptr183638.i.i.i, align 1
  %cmp3.i.i.i = icmp eq i8 %18, 92
  %spec.select.idx.i.i.i = zext i1 %cmp3.i.i.i to i64
  %spec.select.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr183638.i.i.i, i64 %spec.select.idx.i.i.i
  %cmp8.i.i.i = icmp eq ptr %spec.select.i.i.i, %key.sroa.4.0164.i.i
  br i1 %cmp8.i.i.i, label %while.body.i.i, label %lor.lhs.false.i.i.i

lor.lhs.false.i.i.i:
  %19 = load i8, ptr %spec.select.i.i.i, align 1
  %cmp13.not.i.i.i = icmp eq i8 %19, %17
  br i1 %cmp13.not.i.i.i, label %for.inc.i.i.i, label %while.body.i.i

for.inc.i.i.i:
  %incdec.ptr18.i.i.i = getelementptr inbounds nuw i8, ptr %spec.select.i.i.i, i64 1
  %incdec.ptr19.i.i.i = getelementptr inbounds nuw i8, ptr %wanted.addr.039.i.i.i, i64 1
  %cmp.i73.i.i = icmp ult ptr %incdec.ptr18.i.i.i, %key.sroa.4.0164.i.i
  br i1 %cmp.i73.i.i, label %land.rhs.i72.i.i, label %for.end.i.i.i

for.end.i.i.i:
  %incdec.ptr1836.lcssa.i.i.i = phi ptr [ %storemerge.i.i150162.i.i, %land.rhs.i.i ], [ %incdec.ptr183638.i.i.i, %land.rhs.i72.i.i ], [ %incdec.ptr18.i.i.i, %for.inc.i.i.i ]
  %wanted.addr.0.lcssa.i.i.i = phi ptr [ %add.ptr.i.i, %land.rhs.i.i ], [ %wanted.addr.039.i.i.i, %land.rhs.i72.i.i ], [ %incdec.ptr19.i.i.i, %for.inc.i.i.i ]
  %cmp22.i.i.i = icmp eq ptr %incdec.ptr1836.lcssa.i.i.i, %key.sroa.4.0164.i.i
  br i1 %cmp22.i.i.i, label %is_text.exit.i.i, label %while.body.i.i

is_text.exit.i.i:
  %20 = load i8, ptr %wanted.addr.0.lcssa.i.i.i, align 1
  %tobool25.not.i.i.i = icmp eq i8 %20, 0
  br i1 %tobool25.not.i.i.i, label %while.end.i.i, label %while.body.i.i

while.body.i.i:
  %inc.i.i = add nuw nsw i64 %number.0257.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc.i.i, %0
  br i1 %exitcond.not.i.i, label %if.else.i.i, label %land.rhs.i.i

while.end.i.i:
  %21 = load i8, ptr %bad.i, align 8
  %loadedv.i.i = trunc nuw i8 %21 to i1
  br i1 %loadedv.i.i, label %if.else.i.i, label %if.then3.i.i

if.then3.i.i:
  %arrayidx5.i.i = getelementptr inbounds nuw { i64, i64, i8, i8 }, ptr %call6239244, i64 %number.0257.i.i
  %cmp37.i.i.i.i76.i.i = icmp ult ptr %storemerge.i60.i.i, %9
  br i1 %cmp37.i.i.i.i76.i.i, label %land.rhs.i.i.i.i98.i.i, label %if.then.i.i77.i.i

land.rhs.i.i.i.i98.i.i:
  %22 = phi ptr [ %incdec.ptr.i.i.i.i102.i.i, %while.body.i.i.i.i101.i.i ], [ %storemerge.i60.i.i, %if.then3.i.i ]
  %23 = load i8, ptr %22, align 1
  switch i8 %23, label %if.then.i.i77.i.i [
    i8 32, label %while.body.i.i.i.i101.i.i
    i8 10, label %while.body.i.i.i.i101.i.i
    i8 9, label %while.body.i.i.i.i101.i.i
    i8 13, label %while.body.i.i.i.i101.i.i
    i8 123, label %take_char.exit.i.i99.i.i
  ]

while.body.i.i.i.i101.i.i:
  %incdec.ptr.i.i.i.i102.i.i = getelementptr inbounds nuw i8, ptr %22, i64 1
  store ptr %incdec.ptr.i.i.i.i102.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i103.i.i = icmp eq ptr %incdec.ptr.i.i.i.i102.i.i, %9
  br i1 %exitcond.not.i.i.i.i103.i.i, label %if.then.i.i77.i.i, label %land.rhs.i.i.i.i98.i.i

take_char.exit.i.i99.i.i:
  %incdec.ptr.i.i.i100.i.i = getelementptr inbounds nuw i8, ptr %22, i64 1
  br label %need_char.exit.i79.i.i

if.then.i.i77.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit.i79.i.i

need_char.exit.i79.i.i:
  %storemerge.i.i80.i.i = phi ptr [ %9, %if.then.i.i77.i.i ], [ %incdec.ptr.i.i.i100.i.i, %take_char.exit.i.i99.i.i ]
  %stop.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx5.i.i, i64 8
  %ndim.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 32
  %sizes.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 40
  %dtype1.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 8
  br label %do.body.i.i.i

do.body.i.i.i:
  %24 = phi ptr [ %9, %need_char.exit.i79.i.i ], [ %89, %take_char.exit.i86.i.i ]
  %storemerge.i81.i.i = phi ptr [ %storemerge.i.i80.i.i, %need_char.exit.i79.i.i ], [ %incdec.ptr.i291.i.i.i, %take_char.exit.i86.i.i ]
  %dtype.0.i.i.i = phi i1 [ false, %need_char.exit.i79.i.i ], [ %dtype.1.i.i.i, %take_char.exit.i86.i.i ]
  %shape.0.i.i.i = phi i1 [ false, %need_char.exit.i79.i.i ], [ %shape.1.i.i.i, %take_char.exit.i86.i.i ]
  %offsets.0.i.i.i = phi i1 [ false, %need_char.exit.i79.i.i ], [ %offsets.1.i.i.i, %take_char.exit.i86.i.i ]
  store ptr %storemerge.i81.i.i, ptr %json.i, align 8
  %cmp37.i.i.i.i.i.i.i = icmp ult ptr %storemerge.i81.i.i, %24
  br i1 %cmp37.i.i.i.i.i.i.i, label %land.rhs.i.i.i.i.i.i.i, label %if.then.i46.i.i.i

land.rhs.i.i.i.i.i.i.i:
  %25 = phi ptr [ %incdec.ptr.i.i.i.i.i.i.i, %while.body.i.i.i.i.i.i.i ], [ %storemerge.i81.i.i, %do.body.i.i.i ]
  %26 = load i8, ptr %25, align 1
  switch i8 %26, label %if.then.i46.i.i.i [
    i8 32, label %while.body.i.i.i.i.i.i.i
    i8 10, label %while.body.i.i.i.i.i.i.i
    i8 9, label %while.body.i.i.i.i.i.i.i
    i8 13, label %while.body.i.i.i.i.i.i.i
    i8 34, label %need_char.exit.i.i.i.i
  ]

while.body.i.i.i.i.i.i.i:
  %incdec.ptr.i.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %25, i64 1
  store ptr %incdec.ptr.i.i.i.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i.i.i.i, %24
  br i1 %exitcond.not.i.i.i.i.i.i.i, label %if.then.i46.i.i.i, label %land.rhs.i.i.i.i.i.i.i

need_char.exit.i.i.i.i:
  %incdec.ptr.i.i.i42.i.i.i = getelementptr inbounds nuw i8, ptr %25, i64 1
  store ptr %incdec.ptr.i.i.i42.i.i.i, ptr %json.i, align 8
  %cmp56.i.i.i.i = icmp ult ptr %incdec.ptr.i.i.i42.i.i.i, %24
  br i1 %cmp56.i.i.i.i, label %land.rhs.i.i97.i.i, label %if.then.i46.i.i.i

land.rhs.i.i97.i.i:
  %add.ptr205557.i.i.i.i = phi ptr [ %add.ptr20.i.i.i.i, %land.end18.i.i.i.i ], [ %incdec.ptr.i.i.i42.i.i.i, %need_char.exit.i.i.i.i ]
  %27 = load i8, ptr %add.ptr205557.i.i.i.i, align 1
  switch i8 %27, label %land.end18.i.i.i.i [
    i8 34, label %take_text.exit.i.i.i
    i8 92, label %land.rhs13.i.i.i.i
  ]

land.rhs13.i.i.i.i:
  %add.ptr.i.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i.i, i64 1
  %cmp16.i.i.i.i = icmp ult ptr %add.ptr.i.i.i.i, %24
  %28 = select i1 %cmp16.i.i.i.i, i64 2, i64 1
  br label %land.end18.i.i.i.i

land.end18.i.i.i.i:
  %cond.i.i.i.i = phi i64 [ 1, %land.rhs.i.i97.i.i ], [ %28, %land.rhs13.i.i.i.i ]
  %add.ptr20.i.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i.i, i64 %cond.i.i.i.i
  store ptr %add.ptr20.i.i.i.i, ptr %json.i, align 8
  %cmp.i.i.i.i = icmp ult ptr %add.ptr20.i.i.i.i, %24
  br i1 %cmp.i.i.i.i, label %land.rhs.i.i97.i.i, label %if.then.i46.i.i.i

take_text.exit.i.i.i:
  %incdec.ptr.i.i49.i.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i.i.i.i, i64 1
  store ptr %incdec.ptr.i.i49.i.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i45.i.i.i = icmp ult ptr %incdec.ptr.i.i49.i.i.i.i, %24
  br i1 %cmp37.i.i.i45.i.i.i, label %land.rhs.i.i.i49.i.i.i, label %if.then.i46.i.i.i

land.rhs.i.i.i49.i.i.i:
  %29 = phi ptr [ %incdec.ptr.i.i.i51.i.i.i, %while.body.i.i.i50.i.i.i ], [ %incdec.ptr.i.i49.i.i.i.i, %take_text.exit.i.i.i ]
  %30 = load i8, ptr %29, align 1
  switch i8 %30, label %if.then.i46.i.i.i [
    i8 32, label %while.body.i.i.i50.i.i.i
    i8 10, label %while.body.i.i.i50.i.i.i
    i8 9, label %while.body.i.i.i50.i.i.i
    i8 13, label %while.body.i.i.i50.i.i.i
    i8 58, label %take_char.exit.i55.i.i.i
  ]

while.body.i.i.i50.i.i.i:
  %incdec.ptr.i.i.i51.i.i.i = getelementptr inbounds nuw i8, ptr %29, i64 1
  store ptr %incdec.ptr.i.i.i51.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i52.i.i.i = icmp eq ptr %incdec.ptr.i.i.i51.i.i.i, %24
  br i1 %exitcond.not.i.i.i52.i.i.i, label %if.then.i46.i.i.i, label %land.rhs.i.i.i49.i.i.i

take_char.exit.i55.i.i.i:
  %incdec.ptr.i.i56.i.i.i = getelementptr inbounds nuw i8, ptr %29, i64 1
  br label %need_char.exit57.i.i.i

if.then.i46.i.i.i:
  %key.sroa.6.0332.i.i.i = phi ptr [ %add.ptr20.i.i.i.i, %land.end18.i.i.i.i ], [ %add.ptr205557.i.i.i.i, %take_text.exit.i.i.i ], [ %incdec.ptr.i.i.i42.i.i.i, %need_char.exit.i.i.i.i ], [ %24, %do.body.i.i.i ], [ %add.ptr205557.i.i.i.i, %while.body.i.i.i50.i.i.i ], [ %add.ptr205557.i.i.i.i, %land.rhs.i.i.i49.i.i.i ], [ %24, %land.rhs.i.i.i.i.i.i.i ], [ %24, %while.body.i.i.i.i.i.i.i ]
  %storemerge.i.i317330.i.i.i = phi ptr [ %incdec.ptr.i.i.i42.i.i.i, %land.end18.i.i.i.i ], [ %incdec.ptr.i.i.i42.i.i.i, %take_text.exit.i.i.i ], [ %incdec.ptr.i.i.i42.i.i.i, %need_char.exit.i.i.i.i ], [ %24, %do.body.i.i.i ], [ %incdec.ptr.i.i.i42.i.i.i, %while.body.i.i.i50.i.i.i ], [ %incdec.ptr.i.i.i42.i.i.i, %land.rhs.i.i.i49.i.i.i ], [ %24, %land.rhs.i.i.i.i.i.i.i ], [ %24, %while.body.i.i.i.i.i.i.i ]
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit57.i.i.i

need_char.exit57.i.i.i:
  %key.sroa.6.0331.i.i.i = phi ptr [ %key.sroa.6.0332.i.i.i, %if.then.i46.i.i.i ], [ %add.ptr205557.i.i.i.i, %take_char.exit.i55.i.i.i ]
  %storemerge.i.i317329.i.i.i = phi ptr [ %storemerge.i.i317330.i.i.i, %if.then.i46.i.i.i ], [ %incdec.ptr.i.i.i42.i.i.i, %take_char.exit.i55.i.i.i ]
  %storemerge.i48.i.i.i = phi ptr [ %24, %if.then.i46.i.i.i ], [ %incdec.ptr.i.i56.i.i.i, %take_char.exit.i55.i.i.i ]
  store ptr %storemerge.i48.i.i.i, ptr %json.i, align 8
  %cmp37.i.i82.i.i = icmp ult ptr %storemerge.i.i317329.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp37.i.i82.i.i, label %land.rhs.i60.i.i.i, label %for.end.i.i.i.i

land.rhs.i60.i.i.i:
  %wanted.addr.039.i.idx.i.i.i = phi i64 [ %wanted.addr.039.i.add.i.i.i, %for.inc.i.i.i.i ], [ 0, %need_char.exit57.i.i.i ]
  %incdec.ptr183638.i.i.i.i = phi ptr [ %incdec.ptr18.i.i.i.i, %for.inc.i.i.i.i ], [ %storemerge.i.i317329.i.i.i, %need_char.exit57.i.i.i ]
  %wanted.addr.039.i.ptr.i.i.i = getelementptr inbounds nuw i8, ptr @key_dtype, i64 %wanted.addr.039.i.idx.i.i.i
  %31 = load i8, ptr %wanted.addr.039.i.ptr.i.i.i, align 1
  %exitcond.i.i.i = icmp eq i64 %wanted.addr.039.i.idx.i.i.i, 5
  br i1 %exitcond.i.i.i, label %for.end.i.i.i.i, label %for.body.i.i.i.i

for.body.i.i.i.i:
  %32 = load i8, ptr %incdec.ptr183638.i.i.i.i, align 1
  %cmp3.i.i.i.i = icmp eq i8 %32, 92
  %spec.select.idx.i.i.i.i = zext i1 %cmp3.i.i.i.i to i64
  %spec.select.i.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr183638.i.i.i.i, i64 %spec.select.idx.i.i.i.i
  %cmp8.i.i.i.i = icmp eq ptr %spec.select.i.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp8.i.i.i.i, label %if.else.i.i.i, label %lor.lhs.false.i.i.i.i

lor.lhs.false.i.i.i.i:
  %33 = load i8, ptr %spec.select.i.i.i.i, align 1
  %cmp13.not.i.i.i.i = icmp eq i8 %33, %31
  br i1 %cmp13.not.i.i.i.i, label %for.inc.i.i.i.i, label %if.else.i.i.i

for.inc.i.i.i.i:
  %incdec.ptr18.i.i.i.i = getelementptr inbounds nuw i8, ptr %spec.select.i.i.i.i, i64 1
  %wanted.addr.039.i.add.i.i.i = add nuw nsw i64 %wanted.addr.039.i.idx.i.i.i, 1
  %cmp.i61.i.i.i = icmp ult ptr %incdec.ptr18.i.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp.i61.i.i.i, label %land.rhs.i60.i.i.i, label %for.end.i.loopexit.split.loop.exit519.i.i.i

for.end.i.loopexit.split.loop.exit519.i.i.i:
  %incdec.ptr19.i.ptr.le.i.i.i = getelementptr inbounds nuw i8, ptr @key_dtype, i64 %wanted.addr.039.i.add.i.i.i
  br label %for.end.i.i.i.i

for.end.i.i.i.i:
  %incdec.ptr1836.lcssa.i.i.i.i = phi ptr [ %storemerge.i.i317329.i.i.i, %need_char.exit57.i.i.i ], [ %incdec.ptr18.i.i.i.i, %for.end.i.loopexit.split.loop.exit519.i.i.i ], [ %incdec.ptr183638.i.i.i.i, %land.rhs.i60.i.i.i ]
  %wanted.addr.0.lcssa.i.i.i.i = phi ptr [ @key_dtype, %need_char.exit57.i.i.i ], [ %incdec.ptr19.i.ptr.le.i.i.i, %for.end.i.loopexit.split.loop.exit519.i.i.i ], [ getelementptr inbounds nuw (i8, ptr @key_dtype, i64 5), %land.rhs.i60.i.i.i ]
  %cmp22.i.i.i.i = icmp eq ptr %incdec.ptr1836.lcssa.i.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp22.i.i.i.i, label %is_text.exit.i.i.i, label %if.else.i.i.i

is_text.exit.i.i.i:
  %34 = load i8, ptr %wanted.addr.0.lcssa.i.i.i.i, align 1
  %tobool25.not.i.i.i.i = icmp eq i8 %34, 0
  br i1 %tobool25.not.i.i.i.i, label %if.then.i95.i.i, label %if.else.i.i.i

if.then.i95.i.i:
  %cmp37.i.i.i.i64.i.i.i = icmp ult ptr %storemerge.i48.i.i.i, %24
  br i1 %cmp37.i.i.i.i64.i.i.i, label %land.rhs.i.i.i.i87.i.i.i, label %if.then.i39.i73.i.i.i

land.rhs.i.i.i.i87.i.i.i:
  %35 = phi ptr [ %incdec.ptr.i.i.i.i93.i.i.i, %while.body.i.i.i.i92.i.i.i ], [ %storemerge.i48.i.i.i, %if.then.i95.i.i ]
  %36 = load i8, ptr %35, align 1
  switch i8 %36, label %if.then.i39.i73.i.i.i [
    i8 32, label %while.body.i.i.i.i92.i.i.i
    i8 10, label %while.body.i.i.i.i92.i.i.i
    i8 9, label %while.body.i.i.i.i92.i.i.i
    i8 13, label %while.body.i.i.i.i92.i.i.i
    i8 34, label %need_char.exit.i67.i.i.i
  ]

while.body.i.i.i.i92.i.i.i:
  %incdec.ptr.i.i.i.i93.i.i.i = getelementptr inbounds nuw i8, ptr %35, i64 1
  store ptr %incdec.ptr.i.i.i.i93.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i94.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i93.i.i.i, %24
  br i1 %exitcond.not.i.i.i.i94.i.i.i, label %if.then.i39.i73.i.i.i, label %land.rhs.i.i.i.i87.i.i.i

need_char.exit.i67.i.i.i:
  %incdec.ptr.i.i.i89.i.i.i = getelementptr inbounds nuw i8, ptr %35, i64 1
  store ptr %incdec.ptr.i.i.i89.i.i.i, ptr %json.i, align 8
  %cmp56.i72.i.i.i = icmp ult ptr %incdec.ptr.i.i.i89.i.i.i, %24
  br i1 %cmp56.i72.i.i.i, label %land.rhs.i76.i.i.i, label %if.then.i39.i73.i.i.i

land.rhs.i76.i.i.i:
  %add.ptr205557.i77.i.i.i = phi ptr [ %add.ptr20.i83.i.i.i, %land.end18.i81.i.i.i ], [ %incdec.ptr.i.i.i89.i.i.i, %need_char.exit.i67.i.i.i ]
  %37 = load i8, ptr %add.ptr205557.i77.i.i.i, align 1
  switch i8 %37, label %land.end18.i81.i.i.i [
    i8 34, label %take_char.exit.i48.i85.i.i.i
    i8 92, label %land.rhs13.i78.i.i.i
  ]

land.rhs13.i78.i.i.i:
  %add.ptr.i79.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i77.i.i.i, i64 1
  %cmp16.i80.i.i.i = icmp ult ptr %add.ptr.i79.i.i.i, %24
  %38 = select i1 %cmp16.i80.i.i.i, i64 2, i64 1
  br label %land.end18.i81.i.i.i

land.end18.i81.i.i.i:
  %cond.i82.i.i.i = phi i64 [ 1, %land.rhs.i76.i.i.i ], [ %38, %land.rhs13.i78.i.i.i ]
  %add.ptr20.i83.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i77.i.i.i, i64 %cond.i82.i.i.i
  store ptr %add.ptr20.i83.i.i.i, ptr %json.i, align 8
  %cmp.i84.i.i.i = icmp ult ptr %add.ptr20.i83.i.i.i, %24
  br i1 %cmp.i84.i.i.i, label %land.rhs.i76.i.i.i, label %if.then.i39.i73.i.i.i

take_char.exit.i48.i85.i.i.i:
  %incdec.ptr.i.i49.i86.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr205557.i77.i.i.i, i64 1
  br label %take_text.exit95.i.i.i

if.then.i39.i73.i.i.i:
  %storemerge.i.i68337.i.i.i = phi ptr [ %incdec.ptr.i.i.i89.i.i.i, %need_char.exit.i67.i.i.i ], [ %24, %if.then.i95.i.i ], [ %incdec.ptr.i.i.i89.i.i.i, %land.end18.i81.i.i.i ], [ %24, %land.rhs.i.i.i.i87.i.i.i ], [ %24, %while.body.i.i.i.i92.i.i.i ]
  %.lcssa.i74.i.i.i = phi ptr [ %incdec.ptr.i.i.i89.i.i.i, %need_char.exit.i67.i.i.i ], [ %24, %if.then.i95.i.i ], [ %add.ptr20.i83.i.i.i, %land.end18.i81.i.i.i ], [ %24, %land.rhs.i.i.i.i87.i.i.i ], [ %24, %while.body.i.i.i.i92.i.i.i ]
  store i8 1, ptr %bad.i, align 8
  br label %take_text.exit95.i.i.i

take_text.exit95.i.i.i:
  %storemerge.i.i68336.i.i.i = phi ptr [ %storemerge.i.i68337.i.i.i, %if.then.i39.i73.i.i.i ], [ %incdec.ptr.i.i.i89.i.i.i, %take_char.exit.i48.i85.i.i.i ]
  %agg.tmp.sroa.2.0.i.i.i = phi ptr [ %.lcssa.i74.i.i.i, %if.then.i39.i73.i.i.i ], [ %add.ptr205557.i77.i.i.i, %take_char.exit.i48.i85.i.i.i ]
  %storemerge.i41.i75.i.i.i = phi ptr [ %24, %if.then.i39.i73.i.i.i ], [ %incdec.ptr.i.i49.i86.i.i.i, %take_char.exit.i48.i85.i.i.i ]
  store ptr %storemerge.i41.i75.i.i.i, ptr %json.i, align 8
  %39 = load i64, ptr %dtype1.i.i.i, align 8
  %add.ptr.i96.i.i = getelementptr inbounds i8, ptr @state_texts, i64 %39
  %cmp37.i99.i.i.i = icmp ult ptr %storemerge.i.i68336.i.i.i, %agg.tmp.sroa.2.0.i.i.i
  br i1 %cmp37.i99.i.i.i, label %land.rhs.i107.i.i.i, label %for.end.i100.i.i.i

land.rhs.i107.i.i.i:
  %wanted.addr.039.i108.i.i.i = phi ptr [ %incdec.ptr19.i120.i.i.i, %for.inc.i118.i.i.i ], [ %add.ptr.i96.i.i, %take_text.exit95.i.i.i ]
  %incdec.ptr183638.i109.i.i.i = phi ptr [ %incdec.ptr18.i119.i.i.i, %for.inc.i118.i.i.i ], [ %storemerge.i.i68336.i.i.i, %take_text.exit95.i.i.i ]
  %40 = load i8, ptr %wanted.addr.039.i108.i.i.i, align 1
  %tobool.not.i110.i.i.i = icmp eq i8 %40, 0
  br i1 %tobool.not.i110.i.i.i, label %for.end.i100.i.i.i, label %for.body.i111.i.i.i

for.body.i111.i.i.i:
  %41 = load i8, ptr %incdec.ptr183638.i109.i.i.i, align 1
  %cmp3.i112.i.i.i = icmp eq i8 %41, 92
  %spec.select.idx.i113.i.i.i = zext i1 %cmp3.i112.i.i.i to i64
  %spec.select.i114.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr183638.i109.i.i.i, i64 %spec.select.idx.i113.i.i.i
  %cmp8.i115.i.i.i = icmp eq ptr %spec.select.i114.i.i.i, %agg.tmp.sroa.2.0.i.i.i
  br i1 %cmp8.i115.i.i.i, label %if.end14.i.i.i, label %lor.lhs.false.i116.i.i.i

lor.lhs.false.i116.i.i.i:
  %42 = load i8, ptr %spec.select.i114.i.i.i, align 1
  %cmp13.not.i117.i.i.i = icmp eq i8 %42, %40
  br i1 %cmp13.not.i117.i.i.i, label %for.inc.i118.i.i.i, label %if.end14.i.i.i

for.inc.i118.i.i.i:
  %incdec.ptr18.i119.i.i.i = getelementptr inbounds nuw i8, ptr %spec.select.i114.i.i.i, i64 1
  %incdec.ptr19.i120.i.i.i = getelementptr inbounds nuw i8, ptr %wanted.addr.039.i108.i.i.i, i64 1
  %cmp.i121.i.i.i = icmp ult ptr %incdec.ptr18.i119.i.i.i, %agg.tmp.sroa.2.0.i.i.i
  br i1 %cmp.i121.i.i.i, label %land.rhs.i107.i.i.i, label %for.end.i100.i.i.i

for.end.i100.i.i.i:
  %incdec.ptr1836.lcssa.i101.i.i.i = phi ptr [ %storemerge.i.i68336.i.i.i, %take_text.exit95.i.i.i ], [ %incdec.ptr18.i119.i.i.i, %for.inc.i118.i.i.i ], [ %incdec.ptr183638.i109.i.i.i, %land.rhs.i107.i.i.i ]
  %wanted.addr.0.lcssa.i102.i.i.i = phi ptr [ %add.ptr.i96.i.i, %take_text.exit95.i.i.i ], [ %incdec.ptr19.i120.i.i.i, %for.inc.i118.i.i.i ], [ %wanted.addr.039.i108.i.i.i, %land.rhs.i107.i.i.i ]
  %cmp22.i103.i.i.i = icmp eq ptr %incdec.ptr1836.lcssa.i101.i.i.i, %agg.tmp.sroa.2.0.i.i.i
  br i1 %cmp22.i103.i.i.i, label %land.rhs24.i105.i.i.i, label %if.end14.i.i.i

land.rhs24.i105.i.i.i:
  %43 = load i8, ptr %wanted.addr.0.lcssa.i102.i.i.i, align 1
  %tobool25.not.i106.i.i.i = icmp eq i8 %43, 0
  br label %if.end14.i.i.i

if.else.i.i.i:
  br i1 %cmp37.i.i82.i.i, label %land.rhs.i134.i.i.i, label %for.end.i127.i.i.i

land.rhs.i134.i.i.i:
  %wanted.addr.039.i135.idx.i.i.i = phi i64 [ %wanted.addr.039.i135.add.i.i.i, %for.inc.i145.i.i.i ], [ 0, %if.else.i.i.i ]
  %incdec.ptr183638.i136.i.i.i = phi ptr [ %incdec.ptr18.i146.i.i.i, %for.inc.i145.i.i.i ], [ %storemerge.i.i317329.i.i.i, %if.else.i.i.i ]
  %wanted.addr.039.i135.ptr.i.i.i = getelementptr inbounds nuw i8, ptr @key_shape, i64 %wanted.addr.039.i135.idx.i.i.i
  %44 = load i8, ptr %wanted.addr.039.i135.ptr.i.i.i, align 1
  %exitcond455.i.i.i = icmp eq i64 %wanted.addr.039.i135.idx.i.i.i, 5
  br i1 %exitcond455.i.i.i, label %for.end.i127.i.i.i, label %for.body.i138.i.i.i

for.body.i138.i.i.i:
  %45 = load i8, ptr %incdec.ptr183638.i136.i.i.i, align 1
  %cmp3.i139.i.i.i = icmp eq i8 %45, 92
  %spec.select.idx.i140.i.i.i = zext i1 %cmp3.i139.i.i.i to i64
  %spec.select.i141.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr183638.i136.i.i.i, i64 %spec.select.idx.i140.i.i.i
  %cmp8.i142.i.i.i = icmp eq ptr %spec.select.i141.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp8.i142.i.i.i, label %if.else7.i.i.i, label %lor.lhs.false.i143.i.i.i

lor.lhs.false.i143.i.i.i:
  %46 = load i8, ptr %spec.select.i141.i.i.i, align 1
  %cmp13.not.i144.i.i.i = icmp eq i8 %46, %44
  br i1 %cmp13.not.i144.i.i.i, label %for.inc.i145.i.i.i, label %if.else7.i.i.i

for.inc.i145.i.i.i:
  %incdec.ptr18.i146.i.i.i = getelementptr inbounds nuw i8, ptr %spec.select.i141.i.i.i, i64 1
  %wanted.addr.039.i135.add.i.i.i = add nuw nsw i64 %wanted.addr.039.i135.idx.i.i.i, 1
  %cmp.i148.i.i.i = icmp ult ptr %incdec.ptr18.i146.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp.i148.i.i.i, label %land.rhs.i134.i.i.i, label %for.end.i127.loopexit.split.loop.exit522.i.i.i

for.end.i127.loopexit.split.loop.exit522.i.i.i:
  %incdec.ptr19.i147.ptr.le.i.i.i = getelementptr inbounds nuw i8, ptr @key_shape, i64 %wanted.addr.039.i135.add.i.i.i
  br label %for.end.i127.i.i.i

for.end.i127.i.i.i:
  %incdec.ptr1836.lcssa.i128.i.i.i = phi ptr [ %storemerge.i.i317329.i.i.i, %if.else.i.i.i ], [ %incdec.ptr18.i146.i.i.i, %for.end.i127.loopexit.split.loop.exit522.i.i.i ], [ %incdec.ptr183638.i136.i.i.i, %land.rhs.i134.i.i.i ]
  %wanted.addr.0.lcssa.i129.i.i.i = phi ptr [ @key_shape, %if.else.i.i.i ], [ %incdec.ptr19.i147.ptr.le.i.i.i, %for.end.i127.loopexit.split.loop.exit522.i.i.i ], [ getelementptr inbounds nuw (i8, ptr @key_shape, i64 5), %land.rhs.i134.i.i.i ]
  %cmp22.i130.i.i.i = icmp eq ptr %incdec.ptr1836.lcssa.i128.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp22.i130.i.i.i, label %is_text.exit149.i.i.i, label %if.else7.i.i.i

is_text.exit149.i.i.i:
  %47 = load i8, ptr %wanted.addr.0.lcssa.i129.i.i.i, align 1
  %tobool25.not.i133.i.i.i = icmp eq i8 %47, 0
  br i1 %tobool25.not.i133.i.i.i, label %if.then4.i.i.i, label %if.else7.i.i.i

if.then4.i.i.i:
  %cmp37.i.i.i.i152.i.i.i = icmp ult ptr %storemerge.i48.i.i.i, %24
  br i1 %cmp37.i.i.i.i152.i.i.i, label %land.rhs.i.i.i.i158.i.i.i, label %need_char.exit.thread.i.i.i.i

land.rhs.i.i.i.i158.i.i.i:
  %48 = phi ptr [ %incdec.ptr.i.i.i.i169.i.i.i, %while.body.i.i.i.i168.i.i.i ], [ %storemerge.i48.i.i.i, %if.then4.i.i.i ]
  %49 = load i8, ptr %48, align 1
  switch i8 %49, label %need_char.exit.thread.i.i.i.i [
    i8 32, label %while.body.i.i.i.i168.i.i.i
    i8 10, label %while.body.i.i.i.i168.i.i.i
    i8 9, label %while.body.i.i.i.i168.i.i.i
    i8 13, label %while.body.i.i.i.i168.i.i.i
    i8 91, label %need_char.exit.i159.i.i.i
  ]

while.body.i.i.i.i168.i.i.i:
  %incdec.ptr.i.i.i.i169.i.i.i = getelementptr inbounds nuw i8, ptr %48, i64 1
  store ptr %incdec.ptr.i.i.i.i169.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i.i170.i.i.i = icmp eq ptr %incdec.ptr.i.i.i.i169.i.i.i, %24
  br i1 %exitcond.not.i.i.i.i170.i.i.i, label %need_char.exit.thread.i.i.i.i, label %land.rhs.i.i.i.i158.i.i.i

need_char.exit.thread.i.i.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %do.body.i.i.i.i.sink.split

need_char.exit.i159.i.i.i:
  %incdec.ptr.i.i.i160.i.i.i = getelementptr inbounds nuw i8, ptr %48, i64 1
  store ptr %incdec.ptr.i.i.i160.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i161.i.i.i = icmp ult ptr %incdec.ptr.i.i.i160.i.i.i, %24
  br i1 %cmp37.i.i.i161.i.i.i, label %land.rhs.i.i.i162.i.i.i, label %do.body.i.i.i.i

land.rhs.i.i.i162.i.i.i:
  %50 = phi ptr [ %incdec.ptr.i.i23.i.i.i.i, %while.body.i.i.i166.i.i.i ], [ %incdec.ptr.i.i.i160.i.i.i, %need_char.exit.i159.i.i.i ]
  %51 = load i8, ptr %50, align 1
  switch i8 %51, label %do.body.i.i.i.i [
    i8 32, label %while.body.i.i.i166.i.i.i
    i8 10, label %while.body.i.i.i166.i.i.i
    i8 9, label %while.body.i.i.i166.i.i.i
    i8 13, label %while.body.i.i.i166.i.i.i
    i8 93, label %if.then.i163.i.i.i
  ]

while.body.i.i.i166.i.i.i:
  %incdec.ptr.i.i23.i.i.i.i = getelementptr inbounds nuw i8, ptr %50, i64 1
  store ptr %incdec.ptr.i.i23.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i167.i.i.i = icmp eq ptr %incdec.ptr.i.i23.i.i.i.i, %24
  br i1 %exitcond.not.i.i.i167.i.i.i, label %do.body.i.i.i.i, label %land.rhs.i.i.i162.i.i.i

if.then.i163.i.i.i:
  %incdec.ptr.i.i164.i.i.i = getelementptr inbounds nuw i8, ptr %50, i64 1
  store ptr %incdec.ptr.i.i164.i.i.i, ptr %json.i, align 8
  %52 = load i64, ptr %ndim.i.i.i.i, align 8
  %cmp.i165.i.i.i = icmp eq i64 %52, 0
  br label %if.end14.i.i.i

do.body.i.i.i.i.sink.split:
  %.sink = phi ptr [ %24, %need_char.exit.thread.i.i.i.i ], [ %incdec.ptr.i46.i.i.i.i, %take_char.exit47.i.i.i.i ]
  %axis.0.i.i.i.i.ph = phi i64 [ 0, %need_char.exit.thread.i.i.i.i ], [ %inc.i.i.i.i, %take_char.exit47.i.i.i.i ]
  %right.0.i.i.i.i.ph = phi i1 [ true, %need_char.exit.thread.i.i.i.i ], [ %62, %take_char.exit47.i.i.i.i ]
  store ptr %.sink, ptr %json.i, align 8
  br label %do.body.i.i.i.i

do.body.i.i.i.i:
  %incdec.ptr.i4687.i.i.i.i = phi ptr [ %.sink, %do.body.i.i.i.i.sink.split ], [ %incdec.ptr.i.i.i160.i.i.i, %need_char.exit.i159.i.i.i ], [ %50, %land.rhs.i.i.i162.i.i.i ], [ %incdec.ptr.i.i23.i.i.i.i, %while.body.i.i.i166.i.i.i ]
  %axis.0.i.i.i.i = phi i64 [ %axis.0.i.i.i.i.ph, %do.body.i.i.i.i.sink.split ], [ 0, %need_char.exit.i159.i.i.i ], [ 0, %while.body.i.i.i166.i.i.i ], [ 0, %land.rhs.i.i.i162.i.i.i ]
  %right.0.i.i.i.i = phi i1 [ %right.0.i.i.i.i.ph, %do.body.i.i.i.i.sink.split ], [ true, %need_char.exit.i159.i.i.i ], [ true, %while.body.i.i.i166.i.i.i ], [ true, %land.rhs.i.i.i162.i.i.i ]
  %cmp37.i.i26.i.i.i.i = icmp ult ptr %incdec.ptr.i4687.i.i.i.i, %24
  br i1 %cmp37.i.i26.i.i.i.i, label %land.rhs.i.i28.i.i.i.i, label %while.end.sink.split.i.i.i.i.i

land.rhs.i.i28.i.i.i.i:
  %incdec.ptr.i4686.i.i.i.i = phi ptr [ %incdec.ptr.i.i30.i.i.i.i, %while.body.i.i29.i.i.i.i ], [ %incdec.ptr.i4687.i.i.i.i, %do.body.i.i.i.i ]
  %53 = load i8, ptr %incdec.ptr.i4686.i.i.i.i, align 1
  switch i8 %53, label %next_char.exit.i32.i.i.i.i [
    i8 32, label %while.body.i.i29.i.i.i.i
    i8 10, label %while.body.i.i29.i.i.i.i
    i8 9, label %while.body.i.i29.i.i.i.i
    i8 13, label %while.body.i.i29.i.i.i.i
  ]

while.body.i.i29.i.i.i.i:
  %incdec.ptr.i.i30.i.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i4686.i.i.i.i, i64 1
  store ptr %incdec.ptr.i.i30.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i31.i.i.i.i = icmp eq ptr %incdec.ptr.i.i30.i.i.i.i, %24
  br i1 %exitcond.not.i.i31.i.i.i.i, label %while.end.sink.split.i.i.i.i.i, label %land.rhs.i.i28.i.i.i.i

next_char.exit.i32.i.i.i.i:
  %54 = add i8 %53, -58
  %or.cond.i.i.i.i.i = icmp ult i8 %54, -10
  br i1 %or.cond.i.i.i.i.i, label %while.end.sink.split.i.i.i.i.i, label %if.end.i33.i.i.i.i

if.end.i33.i.i.i.i:
  %cmp539.i.i.i.i.i = icmp ult ptr %incdec.ptr.i4686.i.i.i.i, %24
  br i1 %cmp539.i.i.i.i.i, label %land.lhs.true.i.i.i.i.i, label %take_number.exit.i.i.i.i

land.lhs.true.i.i.i.i.i:
  %incdec.ptr.i4685.i.i.i.i = phi ptr [ %incdec.ptr.i34.i.i.i.i, %if.end21.i.i.i.i.i ], [ %incdec.ptr.i4686.i.i.i.i, %if.end.i33.i.i.i.i ]
  %number.040.i.i.i.i.i = phi i64 [ %add.i.i.i.i.i, %if.end21.i.i.i.i.i ], [ 0, %if.end.i33.i.i.i.i ]
  %55 = load i8, ptr %incdec.ptr.i4685.i.i.i.i, align 1
  %56 = add i8 %55, -48
  %or.cond32.i.i.i.i.i = icmp ult i8 %56, 10
  br i1 %or.cond32.i.i.i.i.i, label %while.body.i.i.i94.i.i, label %take_number.exit.i.i.i.i

while.body.i.i.i94.i.i:
  %cmp15.i.i.i.i.i = icmp sgt i64 %number.040.i.i.i.i.i, 922337203685477579
  br i1 %cmp15.i.i.i.i.i, label %while.end.sink.split.i.i.i.i.i, label %if.end21.i.i.i.i.i

if.end21.i.i.i.i.i:
  %mul.i.i.i.i.i = mul i64 %number.040.i.i.i.i.i, 10
  %incdec.ptr.i34.i.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i4685.i.i.i.i, i64 1
  store ptr %incdec.ptr.i34.i.i.i.i, ptr %json.i, align 8
  %57 = load i8, ptr %incdec.ptr.i4685.i.i.i.i, align 1
  %conv19.i.i.i.i.i = sext i8 %57 to i64
  %sub.i.i.i.i.i = add i64 %mul.i.i.i.i.i, -48
  %add.i.i.i.i.i = add i64 %sub.i.i.i.i.i, %conv19.i.i.i.i.i
  %cmp5.i.i.i.i.i = icmp ult ptr %incdec.ptr.i34.i.i.i.i, %24
  br i1 %cmp5.i.i.i.i.i, label %land.lhs.true.i.i.i.i.i, label %take_number.exit.i.i.i.i

while.end.sink.split.i.i.i.i.i:
  %number.0.lcssa.ph.i.i.i.i.i = phi i64 [ 0, %do.body.i.i.i.i ], [ %number.040.i.i.i.i.i, %while.body.i.i.i94.i.i ], [ 0, %next_char.exit.i32.i.i.i.i ], [ 0, %while.body.i.i29.i.i.i.i ]
  store i8 1, ptr %bad.i, align 8
  store ptr %24, ptr %json.i, align 8
  br label %take_number.exit.i.i.i.i

take_number.exit.i.i.i.i:
  %incdec.ptr.i4683.i.i.i.i = phi ptr [ %incdec.ptr.i4686.i.i.i.i, %if.end.i33.i.i.i.i ], [ %24, %while.end.sink.split.i.i.i.i.i ], [ %incdec.ptr.i34.i.i.i.i, %if.end21.i.i.i.i.i ], [ %incdec.ptr.i4685.i.i.i.i, %land.lhs.true.i.i.i.i.i ]
  %number.0.lcssa.i.i.i.i.i = phi i64 [ 0, %if.end.i33.i.i.i.i ], [ %number.0.lcssa.ph.i.i.i.i.i, %while.end.sink.split.i.i.i.i.i ], [ %add.i.i.i.i.i, %if.end21.i.i.i.i.i ], [ %number.040.i.i.i.i.i, %land.lhs.true.i.i.i.i.i ]
  br i1 %right.0.i.i.i.i, label %land.lhs.true.i.i.i.i, label %land.end.i.i.i.i

land.lhs.true.i.i.i.i:
  %58 = load i64, ptr %ndim.i.i.i.i, align 8
  %cmp3.i156.i.i.i = icmp slt i64 %axis.0.i.i.i.i, %58
  br i1 %cmp3.i156.i.i.i, label %land.rhs.i157.i.i.i, label %land.end.i.i.i.i

land.rhs.i157.i.i.i:
  %59 = load i64, ptr %sizes.i.i.i.i, align 8
  %60 = getelementptr i64, ptr @state_sizes, i64 %59
  %arrayidx.i.i.i.i = getelementptr i64, ptr %60, i64 %axis.0.i.i.i.i
  %61 = load i64, ptr %arrayidx.i.i.i.i, align 8
  %cmp4.i.i.i.i = icmp eq i64 %61, %number.0.lcssa.i.i.i.i.i
  br label %land.end.i.i.i.i

land.end.i.i.i.i:
  %62 = phi i1 [ false, %land.lhs.true.i.i.i.i ], [ false, %take_number.exit.i.i.i.i ], [ %cmp4.i.i.i.i, %land.rhs.i157.i.i.i ]
  %inc.i.i.i.i = add i64 %axis.0.i.i.i.i, 1
  %cmp37.i.i37.i.i.i.i = icmp ult ptr %incdec.ptr.i4683.i.i.i.i, %24
  br i1 %cmp37.i.i37.i.i.i.i, label %land.rhs.i.i39.i.i.i.i, label %do.end.i.i.i.i

land.rhs.i.i39.i.i.i.i:
  %63 = phi ptr [ %incdec.ptr.i.i41.i.i.i.i, %while.body.i.i40.i.i.i.i ], [ %incdec.ptr.i4683.i.i.i.i, %land.end.i.i.i.i ]
  %64 = load i8, ptr %63, align 1
  switch i8 %64, label %do.end.i.i.i.i [
    i8 32, label %while.body.i.i40.i.i.i.i
    i8 10, label %while.body.i.i40.i.i.i.i
    i8 9, label %while.body.i.i40.i.i.i.i
    i8 13, label %while.body.i.i40.i.i.i.i
    i8 44, label %take_char.exit47.i.i.i.i
  ]

while.body.i.i40.i.i.i.i:
  %incdec.ptr.i.i41.i.i.i.i = getelementptr inbounds nuw i8, ptr %63, i64 1
  store ptr %incdec.ptr.i.i41.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i42.i.i.i.i = icmp eq ptr %incdec.ptr.i.i41.i.i.i.i, %24
  br i1 %exitcond.not.i.i42.i.i.i.i, label %do.end.i.i.i.i, label %land.rhs.i.i39.i.i.i.i

take_char.exit47.i.i.i.i:
  %incdec.ptr.i46.i.i.i.i = getelementptr inbounds nuw i8, ptr %63, i64 1
  br label %do.body.i.i.i.i.sink.split

do.end.i.i.i.i:
  %json.promoted.i.i.i49.i.i.i.i = phi ptr [ %incdec.ptr.i4683.i.i.i.i, %land.end.i.i.i.i ], [ %incdec.ptr.i.i41.i.i.i.i, %while.body.i.i40.i.i.i.i ], [ %63, %land.rhs.i.i39.i.i.i.i ]
  %cmp37.i.i.i50.i.i.i.i = icmp ult ptr %json.promoted.i.i.i49.i.i.i.i, %24
  br i1 %cmp37.i.i.i50.i.i.i.i, label %land.rhs.i.i.i55.i.i.i.i, label %if.then.i51.i.i.i.i

land.rhs.i.i.i55.i.i.i.i:
  %65 = phi ptr [ %incdec.ptr.i.i.i57.i.i.i.i, %while.body.i.i.i56.i.i.i.i ], [ %json.promoted.i.i.i49.i.i.i.i, %do.end.i.i.i.i ]
  %66 = load i8, ptr %65, align 1
  switch i8 %66, label %if.then.i51.i.i.i.i [
    i8 32, label %while.body.i.i.i56.i.i.i.i
    i8 10, label %while.body.i.i.i56.i.i.i.i
    i8 9, label %while.body.i.i.i56.i.i.i.i
    i8 13, label %while.body.i.i.i56.i.i.i.i
    i8 93, label %take_char.exit.i61.i.i.i.i
  ]

while.body.i.i.i56.i.i.i.i:
  %incdec.ptr.i.i.i57.i.i.i.i = getelementptr inbounds nuw i8, ptr %65, i64 1
  store ptr %incdec.ptr.i.i.i57.i.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i58.i.i.i.i = icmp eq ptr %incdec.ptr.i.i.i57.i.i.i.i, %24
  br i1 %exitcond.not.i.i.i58.i.i.i.i, label %if.then.i51.i.i.i.i, label %land.rhs.i.i.i55.i.i.i.i

take_char.exit.i61.i.i.i.i:
  %incdec.ptr.i.i62.i.i.i.i = getelementptr inbounds nuw i8, ptr %65, i64 1
  br label %need_char.exit63.i.i.i.i

if.then.i51.i.i.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit63.i.i.i.i

need_char.exit63.i.i.i.i:
  %storemerge.i54.i.i.i.i = phi ptr [ %24, %if.then.i51.i.i.i.i ], [ %incdec.ptr.i.i62.i.i.i.i, %take_char.exit.i61.i.i.i.i ]
  store ptr %storemerge.i54.i.i.i.i, ptr %json.i, align 8
  br i1 %62, label %land.rhs7.i.i.i.i, label %if.end14.i.i.i

land.rhs7.i.i.i.i:
  %67 = load i64, ptr %ndim.i.i.i.i, align 8
  %cmp9.i.i.i.i = icmp eq i64 %inc.i.i.i.i, %67
  br label %if.end14.i.i.i

if.else7.i.i.i:
  br i1 %cmp37.i.i82.i.i, label %land.rhs.i182.i.i.i, label %for.end.i175.i.i.i

land.rhs.i182.i.i.i:
  %wanted.addr.039.i183.idx.i.i.i = phi i64 [ %wanted.addr.039.i183.add.i.i.i, %for.inc.i193.i.i.i ], [ 0, %if.else7.i.i.i ]
  %incdec.ptr183638.i184.i.i.i = phi ptr [ %incdec.ptr18.i194.i.i.i, %for.inc.i193.i.i.i ], [ %storemerge.i.i317329.i.i.i, %if.else7.i.i.i ]
  %wanted.addr.039.i183.ptr.i.i.i = getelementptr inbounds nuw i8, ptr @key_offsets, i64 %wanted.addr.039.i183.idx.i.i.i
  %68 = load i8, ptr %wanted.addr.039.i183.ptr.i.i.i, align 1
  %exitcond456.i.i.i = icmp eq i64 %wanted.addr.039.i183.idx.i.i.i, 12
  br i1 %exitcond456.i.i.i, label %for.end.i175.i.i.i, label %for.body.i186.i.i.i

for.body.i186.i.i.i:
  %69 = load i8, ptr %incdec.ptr183638.i184.i.i.i, align 1
  %cmp3.i187.i.i.i = icmp eq i8 %69, 92
  %spec.select.idx.i188.i.i.i = zext i1 %cmp3.i187.i.i.i to i64
  %spec.select.i189.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr183638.i184.i.i.i, i64 %spec.select.idx.i188.i.i.i
  %cmp8.i190.i.i.i = icmp eq ptr %spec.select.i189.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp8.i190.i.i.i, label %if.else12.i.i.i, label %lor.lhs.false.i191.i.i.i

lor.lhs.false.i191.i.i.i:
  %70 = load i8, ptr %spec.select.i189.i.i.i, align 1
  %cmp13.not.i192.i.i.i = icmp eq i8 %70, %68
  br i1 %cmp13.not.i192.i.i.i, label %for.inc.i193.i.i.i, label %if.else12.i.i.i

for.inc.i193.i.i.i:
  %incdec.ptr18.i194.i.i.i = getelementptr inbounds nuw i8, ptr %spec.select.i189.i.i.i, i64 1
  %wanted.addr.039.i183.add.i.i.i = add nuw nsw i64 %wanted.addr.039.i183.idx.i.i.i, 1
  %cmp.i196.i.i.i = icmp ult ptr %incdec.ptr18.i194.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp.i196.i.i.i, label %land.rhs.i182.i.i.i, label %for.end.i175.loopexit.split.loop.exit525.i.i.i

for.end.i175.loopexit.split.loop.exit525.i.i.i:
  %incdec.ptr19.i195.ptr.le.i.i.i = getelementptr inbounds nuw i8, ptr @key_offsets, i64 %wanted.addr.039.i183.add.i.i.i
  br label %for.end.i175.i.i.i

for.end.i175.i.i.i:
  %incdec.ptr1836.lcssa.i176.i.i.i = phi ptr [ %storemerge.i.i317329.i.i.i, %if.else7.i.i.i ], [ %incdec.ptr18.i194.i.i.i, %for.end.i175.loopexit.split.loop.exit525.i.i.i ], [ %incdec.ptr183638.i184.i.i.i, %land.rhs.i182.i.i.i ]
  %wanted.addr.0.lcssa.i177.i.i.i = phi ptr [ @key_offsets, %if.else7.i.i.i ], [ %incdec.ptr19.i195.ptr.le.i.i.i, %for.end.i175.loopexit.split.loop.exit525.i.i.i ], [ getelementptr inbounds nuw (i8, ptr @key_offsets, i64 12), %land.rhs.i182.i.i.i ]
  %cmp22.i178.i.i.i = icmp eq ptr %incdec.ptr1836.lcssa.i176.i.i.i, %key.sroa.6.0331.i.i.i
  br i1 %cmp22.i178.i.i.i, label %is_text.exit197.i.i.i, label %if.else12.i.i.i

is_text.exit197.i.i.i:
  %71 = load i8, ptr %wanted.addr.0.lcssa.i177.i.i.i, align 1
  %tobool25.not.i181.i.i.i = icmp eq i8 %71, 0
  br i1 %tobool25.not.i181.i.i.i, label %if.then9.i.i.i, label %if.else12.i.i.i

if.then9.i.i.i:
  %cmp37.i.i.i200.i.i.i = icmp ult ptr %storemerge.i48.i.i.i, %24
  br i1 %cmp37.i.i.i200.i.i.i, label %land.rhs.i.i.i204.i.i.i, label %while.end.sink.split.i.i.i.i

land.rhs.i.i.i204.i.i.i:
  %72 = phi ptr [ %incdec.ptr.i.i.i206.i.i.i, %while.body.i.i.i205.i.i.i ], [ %storemerge.i48.i.i.i, %if.then9.i.i.i ]
  %73 = load i8, ptr %72, align 1
  switch i8 %73, label %while.end.sink.split.i.i.i.i [
    i8 32, label %while.body.i.i.i205.i.i.i
    i8 10, label %while.body.i.i.i205.i.i.i
    i8 9, label %while.body.i.i.i205.i.i.i
    i8 13, label %while.body.i.i.i205.i.i.i
    i8 91, label %need_char.exit212.i.i.i
  ]

while.body.i.i.i205.i.i.i:
  %incdec.ptr.i.i.i206.i.i.i = getelementptr inbounds nuw i8, ptr %72, i64 1
  store ptr %incdec.ptr.i.i.i206.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i207.i.i.i = icmp eq ptr %incdec.ptr.i.i.i206.i.i.i, %24
  br i1 %exitcond.not.i.i.i207.i.i.i, label %while.end.sink.split.i.i.i.i, label %land.rhs.i.i.i204.i.i.i

need_char.exit212.i.i.i:
  %incdec.ptr.i.i211.i.i.i = getelementptr inbounds nuw i8, ptr %72, i64 1
  store ptr %incdec.ptr.i.i211.i.i.i, ptr %json.i, align 8
  %cmp37.i.i.i87.i.i = icmp ult ptr %incdec.ptr.i.i211.i.i.i, %24
  br i1 %cmp37.i.i.i87.i.i, label %land.rhs.i.i.i88.i.i, label %while.end.sink.split.i.i.i.i

land.rhs.i.i.i88.i.i:
  %incdec.ptr3638.i.i.i.i.i = phi ptr [ %incdec.ptr.i.i215.i.i.i, %while.body.i.i214.i.i.i ], [ %incdec.ptr.i.i211.i.i.i, %need_char.exit212.i.i.i ]
  %74 = load i8, ptr %incdec.ptr3638.i.i.i.i.i, align 1
  switch i8 %74, label %next_char.exit.i.i90.i.i [
    i8 32, label %while.body.i.i214.i.i.i
    i8 10, label %while.body.i.i214.i.i.i
    i8 9, label %while.body.i.i214.i.i.i
    i8 13, label %while.body.i.i214.i.i.i
  ]

while.body.i.i214.i.i.i:
  %incdec.ptr.i.i215.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr3638.i.i.i.i.i, i64 1
  store ptr %incdec.ptr.i.i215.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i89.i.i = icmp eq ptr %incdec.ptr.i.i215.i.i.i, %24
  br i1 %exitcond.not.i.i.i89.i.i, label %while.end.sink.split.i.i.i.i, label %land.rhs.i.i.i88.i.i

next_char.exit.i.i90.i.i:
  %75 = add i8 %74, -58
  %or.cond.i.i.i.i = icmp ult i8 %75, -10
  br i1 %or.cond.i.i.i.i, label %while.end.sink.split.i.i.i.i, label %if.end.i.i.i.i

if.end.i.i.i.i:
  %cmp539.i.i.i.i = icmp ult ptr %incdec.ptr3638.i.i.i.i.i, %24
  br i1 %cmp539.i.i.i.i, label %land.lhs.true.i216.i.i.i, label %take_number.exit.i.i.i

land.lhs.true.i216.i.i.i:
  %number.040.i.i.i.i = phi i64 [ %add.i.i.i.i, %if.end21.i.i.i.i ], [ 0, %if.end.i.i.i.i ]
  %76 = phi ptr [ %incdec.ptr.i.i92.i.i, %if.end21.i.i.i.i ], [ %incdec.ptr3638.i.i.i.i.i, %if.end.i.i.i.i ]
  %77 = load i8, ptr %76, align 1
  %78 = add i8 %77, -48
  %or.cond32.i.i.i.i = icmp ult i8 %78, 10
  br i1 %or.cond32.i.i.i.i, label %while.body.i.i91.i.i, label %take_number.exit.i.i.i

while.body.i.i91.i.i:
  %cmp15.i.i.i.i = icmp sgt i64 %number.040.i.i.i.i, 922337203685477579
  br i1 %cmp15.i.i.i.i, label %while.end.sink.split.i.i.i.i, label %if.end21.i.i.i.i

if.end21.i.i.i.i:
  %mul.i.i.i.i = mul i64 %number.040.i.i.i.i, 10
  %incdec.ptr.i.i92.i.i = getelementptr inbounds nuw i8, ptr %76, i64 1
  store ptr %incdec.ptr.i.i92.i.i, ptr %json.i, align 8
  %79 = load i8, ptr %76, align 1
  %conv19.i.i.i.i = sext i8 %79 to i64
  %sub.i.i.i.i = add i64 %mul.i.i.i.i, -48
  %add.i.i.i.i = add i64 %sub.i.i.i.i, %conv19.i.i.i.i
  %cmp5.i.i.i.i = icmp ult ptr %incdec.ptr.i.i92.i.i, %24
  br i1 %cmp5.i.i.i.i, label %land.lhs.true.i216.i.i.i, label %take_number.exit.i.i.i

while.end.sink.split.i.i.i.i:
  %number.0.lcssa.ph.i.i.i.i = phi i64 [ 0, %need_char.exit212.i.i.i ], [ 0, %while.body.i.i214.i.i.i ], [ 0, %next_char.exit.i.i90.i.i ], [ 0, %if.then9.i.i.i ], [ %number.040.i.i.i.i, %while.body.i.i91.i.i ], [ 0, %land.rhs.i.i.i204.i.i.i ], [ 0, %while.body.i.i.i205.i.i.i ]
  store i8 1, ptr %bad.i, align 8
  store ptr %24, ptr %json.i, align 8
  br label %take_number.exit.i.i.i

take_number.exit.i.i.i:
  %json.promoted151.i = phi ptr [ %incdec.ptr3638.i.i.i.i.i, %if.end.i.i.i.i ], [ %24, %while.end.sink.split.i.i.i.i ], [ %76, %land.lhs.true.i216.i.i.i ], [ %incdec.ptr.i.i92.i.i, %if.end21.i.i.i.i ]
  %number.0.lcssa.i.i.i.i = phi i64 [ 0, %if.end.i.i.i.i ], [ %number.0.lcssa.ph.i.i.i.i, %while.end.sink.split.i.i.i.i ], [ %number.040.i.i.i.i, %land.lhs.true.i216.i.i.i ], [ %add.i.i.i.i, %if.end21.i.i.i.i ]
  store i64 %number.0.lcssa.i.i.i.i, ptr %arrayidx5.i.i, align 8
  %80 = load ptr, ptr %end.i, align 8
  %cmp37.i.i.i219.i.i.i = icmp ult ptr %json.promoted151.i, %80
  br i1 %cmp37.i.i.i219.i.i.i, label %land.rhs.i.i.i224.i.i.i, label %take_number.exit265.i.i.thread.i

land.rhs.i.i.i224.i.i.i:
  %incdec.ptr.i.i.i226.i.i152.i = phi ptr [ %incdec.ptr.i.i.i226.i.i.i, %while.body.i.i.i225.i.i.i ], [ %json.promoted151.i, %take_number.exit.i.i.i ]
  %81 = load i8, ptr %incdec.ptr.i.i.i226.i.i152.i, align 1
  switch i8 %81, label %take_number.exit265.i.i.thread.i [
    i8 32, label %while.body.i.i.i225.i.i.i
    i8 10, label %while.body.i.i.i225.i.i.i
    i8 9, label %while.body.i.i.i225.i.i.i
    i8 13, label %while.body.i.i.i225.i.i.i
    i8 44, label %need_char.exit232.i.i.i
  ]

while.body.i.i.i225.i.i.i:
  %incdec.ptr.i.i.i226.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i226.i.i152.i, i64 1
  %exitcond.not.i.i.i227.i.i.i = icmp eq ptr %incdec.ptr.i.i.i226.i.i.i, %80
  br i1 %exitcond.not.i.i.i227.i.i.i, label %take_number.exit265.i.i.thread.i, label %land.rhs.i.i.i224.i.i.i

need_char.exit232.i.i.i:
  %incdec.ptr.i.i231.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i226.i.i152.i, i64 1
  store ptr %incdec.ptr.i.i231.i.i.i, ptr %json.i, align 8
  %cmp37.i.i235.i.i.i = icmp ult ptr %incdec.ptr.i.i231.i.i.i, %80
  br i1 %cmp37.i.i235.i.i.i, label %land.rhs.i.i241.i.i.i, label %take_number.exit265.i.i.thread.i

land.rhs.i.i241.i.i.i:
  %incdec.ptr3638.i.i242.i.i.i = phi ptr [ %incdec.ptr.i.i244.i.i.i, %while.body.i.i243.i.i.i ], [ %incdec.ptr.i.i231.i.i.i, %need_char.exit232.i.i.i ]
  %82 = load i8, ptr %incdec.ptr3638.i.i242.i.i.i, align 1
  switch i8 %82, label %next_char.exit.i246.i.i.i [
    i8 32, label %while.body.i.i243.i.i.i
    i8 10, label %while.body.i.i243.i.i.i
    i8 9, label %while.body.i.i243.i.i.i
    i8 13, label %while.body.i.i243.i.i.i
  ]

while.body.i.i243.i.i.i:
  %incdec.ptr.i.i244.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr3638.i.i242.i.i.i, i64 1
  store ptr %incdec.ptr.i.i244.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i245.i.i.i = icmp eq ptr %incdec.ptr.i.i244.i.i.i, %80
  br i1 %exitcond.not.i.i245.i.i.i, label %take_number.exit265.i.i.thread.i, label %land.rhs.i.i241.i.i.i

next_char.exit.i246.i.i.i:
  %83 = add i8 %82, -58
  %or.cond.i247.i.i.i = icmp ult i8 %83, -10
  br i1 %or.cond.i247.i.i.i, label %take_number.exit265.i.i.thread.i, label %if.end.i248.i.i.i

if.end.i248.i.i.i:
  %cmp539.i249.i.i.i = icmp ult ptr %incdec.ptr3638.i.i242.i.i.i, %80
  br i1 %cmp539.i249.i.i.i, label %land.lhs.true.i252.i.i.i, label %take_number.exit265.i.i.i

land.lhs.true.i252.i.i.i:
  %number.040.i253.i.i.i = phi i64 [ %add.i262.i.i.i, %if.end21.i257.i.i.i ], [ 0, %if.end.i248.i.i.i ]
  %84 = phi ptr [ %incdec.ptr.i259.i.i.i, %if.end21.i257.i.i.i ], [ %incdec.ptr3638.i.i242.i.i.i, %if.end.i248.i.i.i ]
  %85 = load i8, ptr %84, align 1
  %86 = add i8 %85, -48
  %or.cond32.i254.i.i.i = icmp ult i8 %86, 10
  br i1 %or.cond32.i254.i.i.i, label %while.body.i255.i.i.i, label %take_number.exit265.i.i.i

while.body.i255.i.i.i:
  %cmp15.i256.i.i.i = icmp sgt i64 %number.040.i253.i.i.i, 922337203685477579
  br i1 %cmp15.i256.i.i.i, label %take_number.exit265.i.i.thread.i, label %if.end21.i257.i.i.i

if.end21.i257.i.i.i:
  %mul.i258.i.i.i = mul i64 %number.040.i253.i.i.i, 10
  %incdec.ptr.i259.i.i.i = getelementptr inbounds nuw i8, ptr %84, i64 1
  store ptr %incdec.ptr.i259.i.i.i, ptr %json.i, align 8
  %87 = load i8, ptr %84, align 1
  %conv19.i260.i.i.i = sext i8 %87 to i64
  %sub.i261.i.i.i = add i64 %mul.i258.i.i.i, -48
  %add.i262.i.i.i = add i64 %sub.i261.i.i.i, %conv19.i260.i.i.i
  %cmp5.i263.i.i.i = icmp ult ptr %incdec.ptr.i259.i.i.i, %80
  br i1 %cmp5.i263.i.i.i, label %land.lhs.true.i252.i.i.i, label %take_number.exit265.i.i.i

take_number.exit265.i.i.thread.i:
  %number.0.lcssa.ph.i239.i.i.i = phi i64 [ 0, %need_char.exit232.i.i.i ], [ 0, %while.body.i.i243.i.i.i ], [ 0, %next_char.exit.i246.i.i.i ], [ 0, %take_number.exit.i.i.i ], [ %number.040.i253.i.i.i, %while.body.i255.i.i.i ], [ 0, %land.rhs.i.i.i224.i.i.i ], [ 0, %while.body.i.i.i225.i.i.i ]
  store i64 %number.0.lcssa.ph.i239.i.i.i, ptr %stop.i.i.i, align 8
  br label %if.then.i269.i.i.i

take_number.exit265.i.i.i:
  %json.promoted154.i = phi ptr [ %incdec.ptr3638.i.i242.i.i.i, %if.end.i248.i.i.i ], [ %incdec.ptr.i259.i.i.i, %if.end21.i257.i.i.i ], [ %84, %land.lhs.true.i252.i.i.i ]
  %number.0.lcssa.i240.i.i.i = phi i64 [ 0, %if.end.i248.i.i.i ], [ %add.i262.i.i.i, %if.end21.i257.i.i.i ], [ %number.040.i253.i.i.i, %land.lhs.true.i252.i.i.i ]
  store i64 %number.0.lcssa.i240.i.i.i, ptr %stop.i.i.i, align 8
  %cmp37.i.i.i268.i.i.i = icmp ult ptr %json.promoted154.i, %80
  br i1 %cmp37.i.i.i268.i.i.i, label %land.rhs.i.i.i273.i.i.i, label %if.then.i269.i.i.i

land.rhs.i.i.i273.i.i.i:
  %incdec.ptr.i.i.i275.i.i155.i = phi ptr [ %incdec.ptr.i.i.i275.i.i.i, %while.body.i.i.i274.i.i.i ], [ %json.promoted154.i, %take_number.exit265.i.i.i ]
  %88 = load i8, ptr %incdec.ptr.i.i.i275.i.i155.i, align 1
  switch i8 %88, label %if.then.i269.i.i.i [
    i8 32, label %while.body.i.i.i274.i.i.i
    i8 10, label %while.body.i.i.i274.i.i.i
    i8 9, label %while.body.i.i.i274.i.i.i
    i8 13, label %while.body.i.i.i274.i.i.i
    i8 93, label %take_char.exit.i279.i.i.i
  ]

while.body.i.i.i274.i.i.i:
  %incdec.ptr.i.i.i275.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i275.i.i155.i, i64 1
  %exitcond.not.i.i.i276.i.i.i = icmp eq ptr %incdec.ptr.i.i.i275.i.i.i, %80
  br i1 %exitcond.not.i.i.i276.i.i.i, label %if.then.i269.i.i.i, label %land.rhs.i.i.i273.i.i.i

take_char.exit.i279.i.i.i:
  %incdec.ptr.i.i280.i.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i.i275.i.i155.i, i64 1
  br label %need_char.exit281.i.i.i

if.then.i269.i.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit281.i.i.i

need_char.exit281.i.i.i:
  %storemerge.i272.i.i.i = phi ptr [ %80, %if.then.i269.i.i.i ], [ %incdec.ptr.i.i280.i.i.i, %take_char.exit.i279.i.i.i ]
  store ptr %storemerge.i272.i.i.i, ptr %json.i, align 8
  br label %if.end14.i.i.i

if.else12.i.i.i:
  call fastcc void @skip_value(ptr %json.i)
  %.pre.i83.i.i = load ptr, ptr %end.i, align 8
  %json.promoted.i.i283.pre.i.i.i = load ptr, ptr %json.i, align 8
  br label %if.end14.i.i.i

if.end14.i.i.i:
  %json.promoted.i.i283.i.i.i = phi ptr [ %json.promoted.i.i283.pre.i.i.i, %if.else12.i.i.i ], [ %storemerge.i54.i.i.i.i, %need_char.exit63.i.i.i.i ], [ %storemerge.i272.i.i.i, %need_char.exit281.i.i.i ], [ %storemerge.i41.i75.i.i.i, %for.end.i100.i.i.i ], [ %storemerge.i41.i75.i.i.i, %land.rhs24.i105.i.i.i ], [ %storemerge.i54.i.i.i.i, %land.rhs7.i.i.i.i ], [ %incdec.ptr.i.i164.i.i.i, %if.then.i163.i.i.i ], [ %storemerge.i41.i75.i.i.i, %for.body.i111.i.i.i ], [ %storemerge.i41.i75.i.i.i, %lor.lhs.false.i116.i.i.i ]
  %89 = phi ptr [ %.pre.i83.i.i, %if.else12.i.i.i ], [ %24, %need_char.exit63.i.i.i.i ], [ %80, %need_char.exit281.i.i.i ], [ %24, %for.end.i100.i.i.i ], [ %24, %land.rhs24.i105.i.i.i ], [ %24, %land.rhs7.i.i.i.i ], [ %24, %if.then.i163.i.i.i ], [ %24, %for.body.i111.i.i.i ], [ %24, %lor.lhs.false.i116.i.i.i ]
  %dtype.1.i.i.i = phi i1 [ %dtype.0.i.i.i, %if.else12.i.i.i ], [ %dtype.0.i.i.i, %need_char.exit63.i.i.i.i ], [ %dtype.0.i.i.i, %need_char.exit281.i.i.i ], [ false, %for.end.i100.i.i.i ], [ %tobool25.not.i106.i.i.i, %land.rhs24.i105.i.i.i ], [ %dtype.0.i.i.i, %land.rhs7.i.i.i.i ], [ %dtype.0.i.i.i, %if.then.i163.i.i.i ], [ false, %for.body.i111.i.i.i ], [ false, %lor.lhs.false.i116.i.i.i ]
  %shape.1.i.i.i = phi i1 [ %shape.0.i.i.i, %if.else12.i.i.i ], [ false, %need_char.exit63.i.i.i.i ], [ %shape.0.i.i.i, %need_char.exit281.i.i.i ], [ %shape.0.i.i.i, %for.end.i100.i.i.i ], [ %shape.0.i.i.i, %land.rhs24.i105.i.i.i ], [ %cmp9.i.i.i.i, %land.rhs7.i.i.i.i ], [ %cmp.i165.i.i.i, %if.then.i163.i.i.i ], [ %shape.0.i.i.i, %for.body.i111.i.i.i ], [ %shape.0.i.i.i, %lor.lhs.false.i116.i.i.i ]
  %offsets.1.i.i.i = phi i1 [ %offsets.0.i.i.i, %if.else12.i.i.i ], [ %offsets.0.i.i.i, %need_char.exit63.i.i.i.i ], [ true, %need_char.exit281.i.i.i ], [ %offsets.0.i.i.i, %for.end.i100.i.i.i ], [ %offsets.0.i.i.i, %land.rhs24.i105.i.i.i ], [ %offsets.0.i.i.i, %land.rhs7.i.i.i.i ], [ %offsets.0.i.i.i, %if.then.i163.i.i.i ], [ %offsets.0.i.i.i, %for.body.i111.i.i.i ], [ %offsets.0.i.i.i, %lor.lhs.false.i116.i.i.i ]
  %cmp37.i.i284.i.i.i = icmp ult ptr %json.promoted.i.i283.i.i.i, %89
  br i1 %cmp37.i.i284.i.i.i, label %land.rhs.i.i285.i.i.i, label %do.end.i.i.i

land.rhs.i.i285.i.i.i:
  %90 = phi ptr [ %incdec.ptr.i.i287.i.i.i, %while.body.i.i286.i.i.i ], [ %json.promoted.i.i283.i.i.i, %if.end14.i.i.i ]
  %91 = load i8, ptr %90, align 1
  switch i8 %91, label %do.end.i.i.i [
    i8 32, label %while.body.i.i286.i.i.i
    i8 10, label %while.body.i.i286.i.i.i
    i8 9, label %while.body.i.i286.i.i.i
    i8 13, label %while.body.i.i286.i.i.i
    i8 44, label %take_char.exit.i86.i.i
  ]

while.body.i.i286.i.i.i:
  %incdec.ptr.i.i287.i.i.i = getelementptr inbounds nuw i8, ptr %90, i64 1
  store ptr %incdec.ptr.i.i287.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i288.i.i.i = icmp eq ptr %incdec.ptr.i.i287.i.i.i, %89
  br i1 %exitcond.not.i.i288.i.i.i, label %do.end.i.i.i, label %land.rhs.i.i285.i.i.i

take_char.exit.i86.i.i:
  %incdec.ptr.i291.i.i.i = getelementptr inbounds nuw i8, ptr %90, i64 1
  br label %do.body.i.i.i

do.end.i.i.i:
  %json.promoted.i.i.i293.i.i.i = phi ptr [ %90, %land.rhs.i.i285.i.i.i ], [ %incdec.ptr.i.i287.i.i.i, %while.body.i.i286.i.i.i ], [ %json.promoted.i.i283.i.i.i, %if.end14.i.i.i ]
  %cmp37.i.i.i294.i.i.i = icmp ult ptr %json.promoted.i.i.i293.i.i.i, %89
  br i1 %cmp37.i.i.i294.i.i.i, label %land.rhs.i.i.i299.i.i.i, label %if.then.i295.i.i.i

land.rhs.i.i.i299.i.i.i:
  %92 = phi ptr [ %incdec.ptr.i.i.i301.i.i.i, %while.body.i.i.i300.i.i.i ], [ %json.promoted.i.i.i293.i.i.i, %do.end.i.i.i ]
  %93 = load i8, ptr %92, align 1
  switch i8 %93, label %if.then.i295.i.i.i [
    i8 32, label %while.body.i.i.i300.i.i.i
    i8 10, label %while.body.i.i.i300.i.i.i
    i8 9, label %while.body.i.i.i300.i.i.i
    i8 13, label %while.body.i.i.i300.i.i.i
    i8 125, label %take_char.exit.i305.i.i.i
  ]

while.body.i.i.i300.i.i.i:
  %incdec.ptr.i.i.i301.i.i.i = getelementptr inbounds nuw i8, ptr %92, i64 1
  store ptr %incdec.ptr.i.i.i301.i.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i302.i.i.i = icmp eq ptr %incdec.ptr.i.i.i301.i.i.i, %89
  br i1 %exitcond.not.i.i.i302.i.i.i, label %if.then.i295.i.i.i, label %land.rhs.i.i.i299.i.i.i

take_char.exit.i305.i.i.i:
  %incdec.ptr.i.i306.i.i.i = getelementptr inbounds nuw i8, ptr %92, i64 1
  br label %need_char.exit307.i.i.i

if.then.i295.i.i.i:
  store i8 1, ptr %bad.i, align 8
  br label %need_char.exit307.i.i.i

need_char.exit307.i.i.i:
  %storemerge.i298.i.i.i = phi ptr [ %89, %if.then.i295.i.i.i ], [ %incdec.ptr.i.i306.i.i.i, %take_char.exit.i305.i.i.i ]
  store ptr %storemerge.i298.i.i.i, ptr %json.i, align 8
  %is_there.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx5.i.i, i64 16
  store i8 1, ptr %is_there.i.i.i, align 8
  %or.cond.i.i.i = select i1 %dtype.1.i.i.i, i1 %shape.1.i.i.i, i1 false
  %or.cond22.i.i.i = select i1 %or.cond.i.i.i, i1 %offsets.1.i.i.i, i1 false
  br i1 %or.cond22.i.i.i, label %land.rhs.i84.i.i, label %take_entry.exit.i.i

land.rhs.i84.i.i:
  %94 = load i64, ptr %stop.i.i.i, align 8
  %95 = load i64, ptr %arrayidx5.i.i, align 8
  %sub.i.i.i = sub i64 %94, %95
  %nbytes.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 16
  %96 = load i64, ptr %nbytes.i.i.i, align 8
  %cmp.i85.i.i = icmp eq i64 %sub.i.i.i, %96
  %97 = zext i1 %cmp.i85.i.i to i8
  br label %take_entry.exit.i.i

take_entry.exit.i.i:
  %storedv21.i.i.i = phi i8 [ 0, %need_char.exit307.i.i.i ], [ %97, %land.rhs.i84.i.i ]
  %is_right.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx5.i.i, i64 17
  store i8 %storedv21.i.i.i, ptr %is_right.i.i.i, align 1
  br label %if.end.i.i

if.else.i.i:
  call fastcc void @skip_value(ptr %json.i)
  %json.promoted.i.i105.i.pre.i = load ptr, ptr %json.i, align 8
  br label %if.end.i.i

if.end.i.i:
  %json.promoted157.i = phi ptr [ %json.promoted.i.i105.i.pre.i, %if.else.i.i ], [ %storemerge.i298.i.i.i, %take_entry.exit.i.i ]
  %98 = load ptr, ptr %end.i, align 8
  %cmp37.i.i106.i.i = icmp ult ptr %json.promoted157.i, %98
  br i1 %cmp37.i.i106.i.i, label %land.rhs.i.i108.i.i, label %do.end.i.i

land.rhs.i.i108.i.i:
  %incdec.ptr.i.i110.i158.i = phi ptr [ %incdec.ptr.i.i110.i.i, %while.body.i.i109.i.i ], [ %json.promoted157.i, %if.end.i.i ]
  %99 = load i8, ptr %incdec.ptr.i.i110.i158.i, align 1
  switch i8 %99, label %do.end.i.loopexit.i [
    i8 32, label %while.body.i.i109.i.i
    i8 10, label %while.body.i.i109.i.i
    i8 9, label %while.body.i.i109.i.i
    i8 13, label %while.body.i.i109.i.i
    i8 44, label %take_char.exit116.i.i
  ]

while.body.i.i109.i.i:
  %incdec.ptr.i.i110.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i110.i158.i, i64 1
  %exitcond.not.i.i111.i.i = icmp eq ptr %incdec.ptr.i.i110.i.i, %98
  br i1 %exitcond.not.i.i111.i.i, label %do.end.i.loopexit.split.loop.exit368.i, label %land.rhs.i.i108.i.i

take_char.exit116.i.i:
  %incdec.ptr.i115.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr.i.i110.i158.i, i64 1
  br label %do.body.i.i.sink.split

do.end.i.loopexit.split.loop.exit368.i:
  %json.promoted.i.i105.i251.le.i = ptrtoint ptr %json.promoted157.i to i64
  %100 = ptrtoint ptr %98 to i64
  %101 = sub i64 %100, %json.promoted.i.i105.i251.le.i
  %scevgep252.le.i = getelementptr i8, ptr %json.promoted157.i, i64 %101
  br label %do.end.i.loopexit.i

do.end.i.loopexit.i:
  %incdec.ptr.i.i110.i159.i = phi ptr [ %scevgep252.le.i, %do.end.i.loopexit.split.loop.exit368.i ], [ %incdec.ptr.i.i110.i158.i, %land.rhs.i.i108.i.i ]
  store ptr %incdec.ptr.i.i110.i159.i, ptr %json.i, align 8
  br label %do.end.i.i

do.end.i.i:
  %json.promoted.i.i.i118.i.i = phi ptr [ %incdec.ptr.i.i110.i159.i, %do.end.i.loopexit.i ], [ %json.promoted157.i, %if.end.i.i ]
  %cmp37.i.i.i119.i.i = icmp ult ptr %json.promoted.i.i.i118.i.i, %98
  br i1 %cmp37.i.i.i119.i.i, label %land.rhs.i.i.i124.i.i, label %if.end15.thread59.i

land.rhs.i.i.i124.i.i:
  %102 = phi ptr [ %incdec.ptr.i.i.i126.i.i, %while.body.i.i.i125.i.i ], [ %json.promoted.i.i.i118.i.i, %do.end.i.i ]
  %103 = load i8, ptr %102, align 1
  switch i8 %103, label %if.end15.thread59.i [
    i8 32, label %while.body.i.i.i125.i.i
    i8 10, label %while.body.i.i.i125.i.i
    i8 9, label %while.body.i.i.i125.i.i
    i8 13, label %while.body.i.i.i125.i.i
    i8 125, label %if.end7.i.i
  ]

while.body.i.i.i125.i.i:
  %incdec.ptr.i.i.i126.i.i = getelementptr inbounds nuw i8, ptr %102, i64 1
  store ptr %incdec.ptr.i.i.i126.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i127.i.i = icmp eq ptr %incdec.ptr.i.i.i126.i.i, %98
  br i1 %exitcond.not.i.i.i127.i.i, label %if.end15.thread59.i, label %land.rhs.i.i.i124.i.i

if.end7.i.i:
  %incdec.ptr.i.i131.i.i = getelementptr inbounds nuw i8, ptr %102, i64 1
  %.pre.i = load i8, ptr %bad.i, align 8
  %104 = trunc nuw i8 %.pre.i to i1
  store ptr %incdec.ptr.i.i131.i.i, ptr %json.i, align 8
  br i1 %104, label %if.end15.thread59.i, label %lor.lhs.false.i.i

lor.lhs.false.i.i:
  %json.promoted.i.i284.i = phi ptr [ %incdec.ptr.i.i.i, %if.end7.i.thread281.i ], [ %incdec.ptr.i.i131.i.i, %if.end7.i.i ]
  %105 = phi ptr [ %add.ptr.i, %if.end7.i.thread281.i ], [ %98, %if.end7.i.i ]
  %cmp37.i134.i.i = icmp ult ptr %json.promoted.i.i284.i, %105
  br i1 %cmp37.i134.i.i, label %land.rhs.i136.i.i, label %for.cond.preheader.i.i

land.rhs.i136.i.i:
  %incdec.ptr3638.i.i.i = phi ptr [ %incdec.ptr.i137.i.i, %while.body.i.i.i ], [ %json.promoted.i.i284.i, %lor.lhs.false.i.i ]
  %106 = load i8, ptr %incdec.ptr3638.i.i.i, align 1
  switch i8 %106, label %if.end15.thread59.i [
    i8 32, label %while.body.i.i.i
    i8 10, label %while.body.i.i.i
    i8 9, label %while.body.i.i.i
    i8 13, label %while.body.i.i.i
    i8 0, label %for.cond.preheader.i.i
  ]

while.body.i.i.i:
  %incdec.ptr.i137.i.i = getelementptr inbounds nuw i8, ptr %incdec.ptr3638.i.i.i, i64 1
  store ptr %incdec.ptr.i137.i.i, ptr %json.i, align 8
  %exitcond.not.i.i.i = icmp eq ptr %incdec.ptr.i137.i.i, %105
  br i1 %exitcond.not.i.i.i, label %for.cond.preheader.i.i, label %land.rhs.i136.i.i

for.cond.preheader.i.i:
  br i1 %cmp127, label %for.body.i.i, label %if.then17.thread.i

if.then17.thread.i:
  call void @free(ptr %call6.i)
  %lock286.i = getelementptr inbounds nuw i8, ptr %model, i64 32
  call void @lock(ptr %lock286.i)
  br label %for.cond.cleanup.i

for.body.i.i:
  %number14.0260.i.i = phi i64 [ %inc29.i.i, %for.inc.i.i ], [ 0, %for.cond.preheader.i.i ]
  %arrayidx17.i.i = getelementptr inbounds nuw { i64, i64, i8, i8 }, ptr %call6239244, i64 %number14.0260.i.i
  %is_there.i.i = getelementptr inbounds nuw i8, ptr %arrayidx17.i.i, i64 16
  %107 = load i8, ptr %is_there.i.i, align 8
  %loadedv18.i.i = trunc nuw i8 %107 to i1
  br i1 %loadedv18.i.i, label %if.end22.i.i, label %if.then19.i.i

if.then19.i.i:
  %108 = trunc i64 %number14.0260.i.i to i32
  %conv.i.i.i = shl i32 %108, 8
  %or.i.i.i = add i32 %conv.i.i.i, 264
  %or2.i.i.i = or i32 %or.i.i.i, 16777216
  br label %if.end15.thread59.i

if.end22.i.i:
  %is_right.i.i = getelementptr inbounds nuw i8, ptr %arrayidx17.i.i, i64 17
  %109 = load i8, ptr %is_right.i.i, align 1
  %loadedv24.i.i = trunc nuw i8 %109 to i1
  br i1 %loadedv24.i.i, label %for.inc.i.i, label %if.then25.i.i

if.then25.i.i:
  %110 = trunc i64 %number14.0260.i.i to i32
  %conv.i141.i.i = shl i32 %110, 8
  %or.i142.i.i = add i32 %conv.i141.i.i, 264
  %or2.i143.i.i = or i32 %or.i142.i.i, 33554432
  br label %if.end15.thread59.i

for.inc.i.i:
  %inc29.i.i = add nuw nsw i64 %number14.0260.i.i, 1
  %exitcond344.not.i.i = icmp eq i64 %inc29.i.i, %0
  br i1 %exitcond344.not.i.i, label %if.then17.i, label %for.body.i.i

if.end15.thread59.i:
  %retval.1.i.ph.i = phi i32 [ %or2.i.i.i, %if.then19.i.i ], [ %or2.i143.i.i, %if.then25.i.i ], [ 117440517, %if.end7.i.i ], [ 117440517, %do.end.i.i ], [ 117440517, %land.rhs.i136.i.i ], [ 117440517, %land.rhs.i.i.i124.i.i ], [ 117440517, %while.body.i.i.i125.i.i ]
  call void @free(ptr %call6.i)
  br label %read_file.exit

if.then17.i:
  call void @free(ptr %call6.i)
  %111 = load i64, ptr %length.i, align 8
  %add18.i = add i64 %111, 8
  %sub.i.i = sub i64 9223372036854775799, %111
  br label %for.body.i49.i

for.body.i49.i:
  %number.036.i.i = phi i64 [ 0, %if.then17.i ], [ %inc.i54.i, %for.inc.i52.i ]
  %data.addr.035.i.i = phi ptr [ %add.ptr, %if.then17.i ], [ %add.ptr.i53.i, %for.inc.i52.i ]
  %arrayidx.i50.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.036.i.i
  %nbytes1.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i50.i, i64 16
  %112 = load i64, ptr %nbytes1.i.i, align 8
  %arrayidx2.i.i = getelementptr inbounds nuw { i64, i64, i8, i8 }, ptr %call6239244, i64 %number.036.i.i
  %113 = load i64, ptr %arrayidx2.i.i, align 8
  %cmp3.i.i = icmp sgt i64 %113, %sub.i.i
  br i1 %cmp3.i.i, label %read_file.exit, label %if.end.i51.i

if.end.i51.i:
  %add.i.i = add i64 %add18.i, %113
  %call6.i.i = call i32 @seek_file(ptr %call21, i64 %add.i.i, i32 0)
  %tobool.not.i.i = icmp eq i32 %call6.i.i, 0
  br i1 %tobool.not.i.i, label %if.end9.i.i, label %read_file.exit

if.end9.i.i:
  %call10.i.i = call i64 @fread(ptr %data.addr.035.i.i, i64 1, i64 %112, ptr %call21)
  %cmp11.not.i.i = icmp eq i64 %call10.i.i, %112
  br i1 %cmp11.not.i.i, label %for.inc.i52.i, label %read_file.exit

for.inc.i52.i:
  %add.ptr.i53.i = getelementptr inbounds i8, ptr %data.addr.035.i.i, i64 %112
  %inc.i54.i = add nuw nsw i64 %number.036.i.i, 1
  %exitcond.not.i55.i = icmp eq i64 %inc.i54.i, %0
  br i1 %exitcond.not.i55.i, label %if.end23.i, label %for.body.i49.i

if.end23.i:
  %lock.i = getelementptr inbounds nuw i8, ptr %model, i64 32
  call void @lock(ptr %lock.i)
  br label %for.body.i

for.cond.cleanup.i:
  %lock287.i = phi ptr [ %lock286.i, %if.then17.thread.i ], [ %lock.i, %for.body.i ]
  store atomic i32 0, ptr %lock287.i release, align 8
  br label %read_file.exit

for.body.i:
  %number.0162.i = phi i64 [ %inc.i, %for.body.i ], [ 0, %if.end23.i ]
  %data.addr.0161.i = phi ptr [ %add.ptr29.i, %for.body.i ], [ %add.ptr, %if.end23.i ]
  %arrayidx.i = getelementptr inbounds nuw { i64, i64, i64, i64, i64, i64 }, ptr @state_table, i64 %number.0162.i
  %offset.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 24
  %114 = load i64, ptr %offset.i.i, align 8
  %add.ptr.i56.i = getelementptr inbounds i8, ptr %model, i64 %114
  %nbytes.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  %115 = load i64, ptr %nbytes.i, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %add.ptr.i56.i, ptr align 1 %data.addr.0161.i, i64 %115, i1 false)
  %add.ptr29.i = getelementptr inbounds i8, ptr %data.addr.0161.i, i64 %115
  %inc.i = add nuw nsw i64 %number.0162.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %0
  br i1 %exitcond.not.i, label %for.cond.cleanup.i, label %for.body.i

read_file.exit:
  %retval.2.i = phi i32 [ 4, %if.end5.i ], [ 100663301, %if.then23 ], [ 117440517, %if.end.i ], [ 0, %for.cond.cleanup.i ], [ %retval.1.i.ph.i, %if.end15.thread59.i ], [ 100663301, %if.end15.thread.i ], [ 117440517, %for.body.i49.i ], [ 100663301, %if.end9.i.i ], [ 100663301, %if.end.i51.i ]
  %call25 = call i32 @fclose(ptr %call21)
  br label %if.end26

if.end26:
  %answer.0 = phi i32 [ %retval.2.i, %read_file.exit ], [ 83886085, %for.cond.cleanup14 ]
  call void @free(ptr %call6239244)
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

declare i32 @seek_file(ptr, i64, i32)
