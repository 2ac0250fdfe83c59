; Made of image_elf.c by `make runtimes`: clang version 22.1.8
; f1c90cf92be13725ec0b2d04e49fb07aa343e41e7bc4c144f31a161d1995a242


@__ehdr_start = extern_weak hidden constant { [16 x i8], i16, i16, i32, i64, i64, i64, i32, i16, i16, i16 }, align 8

define void @touch_image() nounwind {
entry:
  %tobool.not = icmp eq ptr @__ehdr_start, null
  br i1 %tobool.not, label %cleanup36, label %if.end

if.end:
  %0 = load i64, ptr getelementptr inbounds nuw (i8, ptr @__ehdr_start, i64 32), align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr @__ehdr_start, i64 %0
  %1 = load i16, ptr getelementptr inbounds nuw (i8, ptr @__ehdr_start, i64 56), align 8
  %idx.ext = zext i16 %1 to i64
  %add.ptr1.idx = mul nuw nsw i64 %idx.ext, 56
  %add.ptr1 = getelementptr inbounds nuw i8, ptr %add.ptr, i64 %add.ptr1.idx
  %cmp58.not = icmp eq i16 %1, 0
  br i1 %cmp58.not, label %cleanup36, label %land.rhs

land.rhs:
  %first.059 = phi ptr [ %incdec.ptr, %while.body ], [ %add.ptr, %if.end ]
  %2 = load i32, ptr %first.059, align 8
  %cmp3.not = icmp eq i32 %2, 1
  br i1 %cmp3.not, label %lor.rhs, label %while.body

lor.rhs:
  %offset = getelementptr inbounds nuw i8, ptr %first.059, i64 8
  %3 = load i64, ptr %offset, align 8
  %tobool5.not = icmp eq i64 %3, 0
  br i1 %tobool5.not, label %while.end, label %while.body

while.body:
  %incdec.ptr = getelementptr inbounds nuw i8, ptr %first.059, i64 56
  %cmp = icmp ult ptr %incdec.ptr, %add.ptr1
  br i1 %cmp, label %land.rhs, label %while.end

while.end:
  %first.0.lcssa = phi ptr [ %incdec.ptr, %while.body ], [ %first.059, %lor.rhs ]
  %cmp6.not = icmp eq ptr %first.0.lcssa, %add.ptr1
  br i1 %cmp6.not, label %cleanup36, label %for.body.lr.ph

for.body.lr.ph:
  %address20 = getelementptr inbounds nuw i8, ptr %first.0.lcssa, i64 16
  br label %for.body

for.body:
  %segment.063 = phi ptr [ %add.ptr, %for.body.lr.ph ], [ %incdec.ptr32, %for.inc31 ]
  %4 = load i32, ptr %segment.063, align 8
  %cmp13.not = icmp eq i32 %4, 1
  br i1 %cmp13.not, label %lor.lhs.false, label %for.inc31

lor.lhs.false:
  %flags = getelementptr inbounds nuw i8, ptr %segment.063, i64 4
  %5 = load i32, ptr %flags, align 4
  %and = and i32 %5, 4
  %tobool15.not = icmp eq i32 %and, 0
  br i1 %tobool15.not, label %for.inc31, label %lor.lhs.false16

lor.lhs.false16:
  %memory_bytes = getelementptr inbounds nuw i8, ptr %segment.063, i64 40
  %6 = load i64, ptr %memory_bytes, align 8
  %tobool17.not = icmp eq i64 %6, 0
  br i1 %tobool17.not, label %for.inc31, label %if.end19

if.end19:
  %address = getelementptr inbounds nuw i8, ptr %segment.063, i64 16
  %7 = load i64, ptr %address, align 8
  %8 = load i64, ptr %address20, align 8
  %sub = sub i64 %7, %8
  %add.ptr21 = getelementptr inbounds nuw i8, ptr @__ehdr_start, i64 %sub
  br label %for.body27

for.cond.cleanup26:
  %9 = getelementptr i8, ptr %add.ptr21, i64 %6
  %arrayidx30 = getelementptr i8, ptr %9, i64 -1
  %10 = load volatile i8, ptr %arrayidx30, align 1
  br label %for.inc31

for.body27:
  %at.061 = phi i64 [ 0, %if.end19 ], [ %add, %for.body27 ]
  %arrayidx = getelementptr inbounds nuw i8, ptr %add.ptr21, i64 %at.061
  %11 = load volatile i8, ptr %arrayidx, align 1
  %add = add i64 %at.061, 4096
  %cmp24 = icmp ult i64 %add, %6
  br i1 %cmp24, label %for.body27, label %for.cond.cleanup26

for.inc31:
  %incdec.ptr32 = getelementptr inbounds nuw i8, ptr %segment.063, i64 56
  %cmp10 = icmp ult ptr %incdec.ptr32, %add.ptr1
  br i1 %cmp10, label %for.body, label %cleanup36

cleanup36:
  ret void
}
