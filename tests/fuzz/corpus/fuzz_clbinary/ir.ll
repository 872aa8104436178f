; ModuleID = 'p'
define dso_local spir_kernel void @k(i32 addrspace(1)* %0, <4 x float> %1) #0 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 !reqd_work_group_size !11 !vec_type_hint !12 {
  ret void
}
!6 = !{i32 1, i32 0}
!7 = !{!"none", !"none"}
!8 = !{!"int*", !"float4"}
!9 = !{!"const restrict", !""}
!10 = !{!"p", !"v"}
!11 = !{i32 4, i32 1, i32 1}
!12 = !{<4 x float> undef, i32 0}
