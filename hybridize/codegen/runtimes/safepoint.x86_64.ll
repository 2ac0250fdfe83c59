; Made of safepoint.c by `make runtimes`: clang version 22.1.8
; 5328e682490a315fd296b3ed13b63035138b9a3ea96b6a14bc98db2ec1ff5a14


@hybridize_watched = external global { ptr, ptr, ptr }, align 8
@hybridize_effect = external global ptr, align 8

define zeroext i1 @has_failed() nounwind {
entry:
  %kind = alloca ptr, align 8
  %value = alloca ptr, align 8
  %traceback = alloca ptr, align 8
  store ptr null, ptr %kind, align 8
  store ptr null, ptr %value, align 8
  store ptr null, ptr %traceback, align 8
  %call = tail call i32 @PyGILState_Ensure()
  %0 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @hybridize_watched, i64 8), align 8
  %1 = load volatile i64, ptr %0, align 8
  %dec = add i64 %1, -1
  store volatile i64 %dec, ptr %0, align 8
  %call1 = tail call ptr @PyEval_SaveThread()
  tail call void @PyEval_RestoreThread(ptr %call1)
  %call2 = tail call i32 @PyErr_CheckSignals()
  %tobool.not = icmp eq i32 %call2, 0
  br i1 %tobool.not, label %lor.lhs.false, label %if.end

if.end:
  call void @PyErr_Fetch(ptr %kind, ptr %value, ptr %traceback)
  call void @PyErr_NormalizeException(ptr %kind, ptr %value, ptr %traceback)
  %.pre = load ptr, ptr %traceback, align 8
  %tobool3.not = icmp eq ptr %.pre, null
  br i1 %tobool3.not, label %if.then11, label %if.then4

if.then4:
  %2 = load ptr, ptr %value, align 8
  %call5 = call i32 @PyException_SetTraceback(ptr %2, ptr %.pre)
  br label %if.then11

lor.lhs.false:
  %3 = load ptr, ptr @hybridize_watched, align 8
  %4 = load volatile i64, ptr %3, align 8
  %tobool8.not = icmp eq i64 %4, 0
  br i1 %tobool8.not, label %lor.lhs.false9, label %if.then11

lor.lhs.false9:
  %5 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @hybridize_watched, i64 16), align 8
  %6 = load volatile i64, ptr %5, align 8
  %tobool10.not = icmp eq i64 %6, 0
  br i1 %tobool10.not, label %if.end13, label %if.then11

if.then11:
  %7 = load ptr, ptr @hybridize_effect, align 8
  %8 = load ptr, ptr %value, align 8
  %call12 = call i32 %7(ptr null, ptr %8)
  %9 = icmp ne i32 %call12, 0
  br label %if.end13

if.end13:
  %answer.0 = phi i1 [ %9, %if.then11 ], [ false, %lor.lhs.false9 ]
  %10 = load ptr, ptr %kind, align 8
  call void @Py_DecRef(ptr %10)
  %11 = load ptr, ptr %value, align 8
  call void @Py_DecRef(ptr %11)
  %12 = load ptr, ptr %traceback, align 8
  call void @Py_DecRef(ptr %12)
  %13 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @hybridize_watched, i64 8), align 8
  %14 = load volatile i64, ptr %13, align 8
  %inc = add i64 %14, 1
  store volatile i64 %inc, ptr %13, align 8
  call void @PyGILState_Release(i32 %call)
  ret i1 %answer.0
}

declare i32 @PyGILState_Ensure()

declare void @PyEval_RestoreThread(ptr)

declare ptr @PyEval_SaveThread()

declare i32 @PyErr_CheckSignals()

declare void @PyErr_Fetch(ptr, ptr, ptr)

declare void @PyErr_NormalizeException(ptr, ptr, ptr)

declare i32 @PyException_SetTraceback(ptr, ptr)

declare void @Py_DecRef(ptr)

declare void @PyGILState_Release(i32)

define zeroext i1 @safepoint(ptr %loop) nounwind {
entry:
  %0 = tail call i64 @llvm.readcyclecounter()
  %since = getelementptr inbounds nuw i8, ptr %loop, i64 16
  %1 = load i64, ptr %since, align 8
  %sub = sub i64 %0, %1
  %cmp = icmp ugt i64 %sub, 67108864
  %interval = getelementptr inbounds nuw i8, ptr %loop, i64 8
  %2 = load i64, ptr %interval, align 8
  %mul = shl i64 %2, 1
  %cond = tail call i64 @llvm.smin.i64(i64 %mul, i64 256)
  %cond5 = select i1 %cmp, i64 1, i64 %cond
  store i64 %cond5, ptr %interval, align 8
  store i64 %cond5, ptr %loop, align 8
  br i1 %cmp, label %if.end, label %land.lhs.true

land.lhs.true:
  %3 = load ptr, ptr @hybridize_watched, align 8
  %4 = load volatile i64, ptr %3, align 8
  %tobool.not = icmp eq i64 %4, 0
  br i1 %tobool.not, label %cleanup, label %if.end

if.end:
  store i64 %0, ptr %since, align 8
  %call9 = tail call zeroext i1 @has_failed()
  br label %cleanup

cleanup:
  %retval.0 = phi i1 [ %call9, %if.end ], [ false, %land.lhs.true ]
  ret i1 %retval.0
}

declare i64 @llvm.readcyclecounter()

declare i64 @llvm.smin.i64(i64, i64)
