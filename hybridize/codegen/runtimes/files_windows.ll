; Made of files_windows.c by `make runtimes`: clang version 22.1.8
; fcee36f0e1224116fc25aea9b6426c8e97c62fa45e4b31154d160eec759d3d8a

define zeroext i1 @write_to_disk(ptr %file) nounwind {
entry:
  %call = tail call i32 @fflush(ptr %file)
  %cmp = icmp eq i32 %call, 0
  br i1 %cmp, label %land.rhs, label %land.end

land.rhs:
  %call1 = tail call i32 @fileno(ptr %file)
  %call2 = tail call i32 @_commit(i32 %call1)
  %cmp3 = icmp eq i32 %call2, 0
  br label %land.end

land.end:
  %0 = phi i1 [ false, %entry ], [ %cmp3, %land.rhs ]
  ret i1 %0
}

declare i32 @fflush(ptr)

declare i32 @_commit(i32)

declare i32 @fileno(ptr)

define zeroext i1 @replace_file(ptr %path, ptr %place) nounwind {
entry:
  %call = tail call i32 @MoveFileExA(ptr %path, ptr %place, i32 9)
  %cmp = icmp ne i32 %call, 0
  ret i1 %cmp
}

declare i32 @MoveFileExA(ptr, ptr, i32)
