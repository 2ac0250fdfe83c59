; Made of weights_inside.c by `make runtimes`: clang version 22.1.8
; 3cd7c569056eedf17d10dd3fa4222d378ab5840ce01af0d3bd924716cd0a0a4a

@weights = external constant [0 x i8], align 1

define i32 @attach_weights(ptr %model, ptr %path) nounwind {
entry:
  %weights = getelementptr inbounds nuw i8, ptr %model, i64 8
  store ptr getelementptr inbounds nuw (i8, ptr @weights, i64 64), ptr %weights, align 8
  ret i32 0
}

define void @detach_weights(ptr %model) nounwind {
entry:
  ret void
}
