s_load_dwordx2 s[0:1], s[4:5], 0x4
s_lshl_b32 s2, s6, 8
v_or_b32_e32 v0, s2, v0
s_waitcnt lgkmcnt(0)
v_cmp_gt_i32_e32 vcc, s1, v0
s_and_saveexec_b64 s[2:3], vcc
s_cbranch_execz
s_load_dwordx4 s[4:7], s[4:5], 0x0
v_ashrrev_i32_e32 v1, 31, v0
s_mov_b32 s11, 0x100f000
s_mov_b32 s10, 0
v_lshl_b64 v[0:1], v[0:1], 2
s_waitcnt lgkmcnt(0)
s_mov_b64 s[8:9], s[4:5]
s_mov_b64 s[4:5], s[6:7]
s_mov_b64 s[6:7], s[10:11]
buffer_load_dword v2, v[0:1], s[4:7], 0 addr64
buffer_load_dword v3, v[0:1], s[8:11], 0 addr64
s_waitcnt vmcnt(0)
v_mac_f32_e32 v3, s0, v2
buffer_store_dword v3, v[0:1], s[8:11], 0 addr64
s_endpgm
s_load_dword s7, s[4:5], 0x4
s_load_dwordx4 s[8:11], s[4:5], 0x0
v_mov_b32_e32 v3, 0
s_waitcnt lgkmcnt(0)
v_cmp_gt_i32_e32 vcc, s7, v0
s_and_saveexec_b64 s[4:5], vcc
s_cbranch_execz
v_lshlrev_b32_e32 v1, 2, v0
v_mov_b32_e32 v2, s11
v_add_i32_e32 v1, vcc, s10, v1
v_mov_b32_e32 v3, 0
v_addc_u32_e32 v2, vcc, 0, v2, vcc
s_mov_b64 s[10:11], 0
s_mov_b32 s3, 0x100f000
s_mov_b32 s2, 0
v_mov_b32_e32 v4, v0
s_mov_b32 s0, s2
s_mov_b32 s1, s2
buffer_load_dword v5, v[1:2], s[0:3], 0 addr64
v_add_i32_e32 v4, vcc, 0x100, v4
v_add_i32_e32 v1, vcc, 0x400, v1
v_cmp_le_i32_e64 s[0:1], s7, v4
v_addc_u32_e32 v2, vcc, 0, v2, vcc
s_or_b64 s[10:11], s[0:1], s[10:11]
s_waitcnt vmcnt(0)
v_add_i32_e32 v3, vcc, v5, v3
s_andn2_b64 exec, exec, s[10:11]
s_cbranch_execnz
s_or_b64 exec, exec, s[10:11]
s_or_b64 exec, exec, s[4:5]
s_movk_i32 s0, 0x80
v_lshlrev_b32_e32 v1, 2, v0
s_mov_b32 m0, -1
v_cmp_gt_u32_e32 vcc, s0, v0
ds_write_b32 v1, v3
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_barrier
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz
ds_read2st64_b32 v[2:3], v1 offset1:2
s_waitcnt lgkmcnt(0)
v_add_i32_e32 v2, vcc, v2, v3
ds_write_b32 v1, v2
s_or_b64 exec, exec, s[0:1]
v_cmp_gt_u32_e32 vcc, 64, v0
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_barrier
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz
ds_read2st64_b32 v[2:3], v1 offset1:1
s_waitcnt lgkmcnt(0)
v_add_i32_e32 v2, vcc, v2, v3
ds_write_b32 v1, v2
s_or_b64 exec, exec, s[0:1]
v_cmp_gt_u32_e32 vcc, 32, v0
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_barrier
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz
ds_read2_b32 v[2:3], v1 offset1:32
s_waitcnt lgkmcnt(0)
v_add_i32_e32 v2, vcc, v2, v3
ds_write_b32 v1, v2
s_or_b64 exec, exec, s[0:1]
v_cmp_gt_u32_e32 vcc, 16, v0
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_barrier
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz
ds_read2_b32 v[2:3], v1 offset1:16
s_waitcnt lgkmcnt(0)
v_add_i32_e32 v2, vcc, v2, v3
ds_write_b32 v1, v2
s_or_b64 exec, exec, s[0:1]
v_cmp_gt_u32_e32 vcc, 8, v0
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_barrier
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz
ds_read2_b32 v[2:3], v1 offset1:8
s_waitcnt lgkmcnt(0)
v_add_i32_e32 v2, vcc, v2, v3
ds_write_b32 v1, v2
s_or_b64 exec, exec, s[0:1]
v_cmp_gt_u32_e32 vcc, 4, v0
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_barrier
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz
ds_read2_b32 v[2:3], v1 offset1:4
s_waitcnt lgkmcnt(0)
v_add_i32_e32 v2, vcc, v2, v3
ds_write_b32 v1, v2
s_or_b64 exec, exec, s[0:1]
v_cmp_gt_u32_e32 vcc, 2, v0
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_barrier
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz
ds_read2_b32 v[2:3], v1 offset1:2
s_waitcnt lgkmcnt(0)
v_add_i32_e32 v2, vcc, v2, v3
ds_write_b32 v1, v2
s_or_b64 exec, exec, s[0:1]
s_mov_b32 s7, 0
v_cmp_eq_u32_e32 vcc, 0, v0
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_barrier
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz
ds_read2_b32 v[2:3], v1 offset1:1
s_lshl_b64 s[0:1], s[6:7], 2
s_mov_b32 s11, 0x100f000
s_mov_b32 s10, s7
s_waitcnt lgkmcnt(0)
v_add_i32_e32 v0, vcc, v2, v3
ds_write_b32 v1, v0
v_mov_b32_e32 v0, 0
ds_read_b32 v2, v0
v_mov_b32_e32 v0, s0
v_mov_b32_e32 v1, s1
s_waitcnt lgkmcnt(0)
buffer_store_dword v2, v[0:1], s[8:11], 0 addr64
s_endpgm
s_load_dwordx4 s[8:11], s[4:5], 0x0
s_load_dword s2, s[4:5], 0x4
v_mov_b32_e32 v1, 0
s_mov_b32 s6, 0
s_mov_b32 s7, 0x100f000
s_waitcnt lgkmcnt(0)
s_mov_b64 s[4:5], s[10:11]
v_lshlrev_b32_e32 v2, 3, v0
v_mov_b32_e32 v3, v1
buffer_load_dwordx2 v[2:3], v[2:3], s[4:7], 0 addr64
s_cmp_lt_i32 s2, 1
s_cbranch_scc1
s_waitcnt vmcnt(0)
v_fma_f64 v[4:5], v[2:3], v[2:3], 1.0
s_add_i32 s2, s2, -1
v_div_scale_f64 v[6:7], s[0:1], v[4:5], v[4:5], v[2:3]
v_rcp_f64_e32 v[8:9], v[6:7]
v_cmp_eq_u32_e32 vcc, v5, v7
v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0
v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]
v_div_scale_f64 v[10:11], s[0:1], v[2:3], v[4:5], v[2:3]
v_fma_f64 v[12:13], -v[6:7], v[8:9], 1.0
v_fma_f64 v[8:9], v[8:9], v[12:13], v[8:9]
v_cmp_eq_u32_e64 s[0:1], v3, v11
v_mul_f64 v[12:13], v[10:11], v[8:9]
s_xor_b64 vcc, s[0:1], vcc
v_fma_f64 v[6:7], -v[6:7], v[12:13], v[10:11]
s_cmp_eq_u32 s2, 0
v_div_fmas_f64 v[6:7], v[6:7], v[8:9], v[12:13]
v_sqrt_f64_e32 v[8:9], v[2:3]
v_div_fixup_f64 v[2:3], v[6:7], v[4:5], v[2:3]
v_add_f64 v[2:3], v[2:3], -v[8:9]
s_cbranch_scc0
v_lshl_b64 v[0:1], v[0:1], 3
s_mov_b32 s11, 0x100f000
s_mov_b32 s10, 0
s_waitcnt vmcnt(0)
buffer_store_dwordx2 v[2:3], v[0:1], s[8:11], 0 addr64
s_endpgm
s_load_dwordx4 s[20:23], s[4:5], 0x0
s_load_dword s24, s[4:5], 0x4
s_add_u32 s0, s0, s7
s_addc_u32 s1, s1, 0
v_lshlrev_b32_e32 v0, 2, v0
s_waitcnt lgkmcnt(0)
s_load_dwordx16 s[4:19], s[22:23], 0x0
s_waitcnt lgkmcnt(0)
s_xor_b32 s4, s4, s24
s_xor_b32 s5, s5, s24
s_xor_b32 s6, s6, s24
v_mov_b32_e32 v1, s4
s_xor_b32 s4, s7, s24
v_mov_b32_e32 v2, s5
v_mov_b32_e32 v3, s6
buffer_store_dword v1, off, s[0:3], 0 offset:4
buffer_store_dword v2, off, s[0:3], 0 offset:8
buffer_store_dword v3, off, s[0:3], 0 offset:12
s_waitcnt expcnt(2)
v_mov_b32_e32 v1, s4
s_xor_b32 s4, s8, s24
buffer_store_dword v1, off, s[0:3], 0 offset:16
s_waitcnt expcnt(0)
v_mov_b32_e32 v1, s4
s_xor_b32 s4, s9, s24
buffer_store_dword v1, off, s[0:3], 0 offset:20
s_waitcnt expcnt(0)
v_mov_b32_e32 v1, s4
buffer_store_dword v1, off, s[0:3], 0 offset:24
s_mov_b32 s7, 0x100f000
s_mov_b32 s6, 0
s_mov_b64 s[4:5], s[22:23]
s_waitcnt expcnt(0)
v_mov_b32_e32 v1, 0
buffer_load_dword v2, v[0:1], s[4:7], 0 addr64
s_xor_b32 s4, s10, s24
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s11, s24
buffer_store_dword v3, off, s[0:3], 0 offset:28
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s12, s24
buffer_store_dword v3, off, s[0:3], 0 offset:32
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s13, s24
buffer_store_dword v3, off, s[0:3], 0 offset:36
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s14, s24
buffer_store_dword v3, off, s[0:3], 0 offset:40
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s15, s24
s_load_dwordx16 s[36:51], s[22:23], 0x10
buffer_store_dword v3, off, s[0:3], 0 offset:44
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s16, s24
buffer_store_dword v3, off, s[0:3], 0 offset:48
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s17, s24
buffer_store_dword v3, off, s[0:3], 0 offset:52
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s18, s24
buffer_store_dword v3, off, s[0:3], 0 offset:56
s_xor_b32 s5, s19, s24
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
buffer_store_dword v3, off, s[0:3], 0 offset:60
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s5
s_waitcnt lgkmcnt(0)
s_xor_b32 s4, s36, s24
buffer_store_dword v3, off, s[0:3], 0 offset:64
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s37, s24
buffer_store_dword v3, off, s[0:3], 0 offset:68
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s38, s24
buffer_store_dword v3, off, s[0:3], 0 offset:72
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s39, s24
buffer_store_dword v3, off, s[0:3], 0 offset:76
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s40, s24
buffer_store_dword v3, off, s[0:3], 0 offset:80
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s41, s24
buffer_store_dword v3, off, s[0:3], 0 offset:84
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s42, s24
buffer_store_dword v3, off, s[0:3], 0 offset:88
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s43, s24
buffer_store_dword v3, off, s[0:3], 0 offset:92
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s44, s24
buffer_store_dword v3, off, s[0:3], 0 offset:96
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s45, s24
buffer_store_dword v3, off, s[0:3], 0 offset:100
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s46, s24
buffer_store_dword v3, off, s[0:3], 0 offset:104
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s47, s24
buffer_store_dword v3, off, s[0:3], 0 offset:108
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s48, s24
buffer_store_dword v3, off, s[0:3], 0 offset:112
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s49, s24
buffer_store_dword v3, off, s[0:3], 0 offset:116
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s50, s24
buffer_store_dword v3, off, s[0:3], 0 offset:120
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
s_xor_b32 s4, s51, s24
buffer_store_dword v3, off, s[0:3], 0 offset:124
s_waitcnt expcnt(0)
v_mov_b32_e32 v3, s4
buffer_store_dword v3, off, s[0:3], 0 offset:128
s_waitcnt vmcnt(14) expcnt(0)
v_and_b32_e32 v3, 31, v2
v_lshlrev_b32_e32 v3, 2, v3
v_add_i32_e32 v3, vcc, 4, v3
buffer_load_dword v3, v3, s[0:3], 0 offen
s_or_b32 s8, s24, 1
v_cvt_f32_u32_e32 v4, s8
s_sub_i32 s4, 0, s8
s_mov_b64 s[22:23], s[6:7]
v_rcp_iflag_f32_e32 v4, v4
v_mul_f32_e32 v4, 0x4f7ffffe, v4
v_cvt_u32_f32_e32 v4, v4
v_mul_lo_u32 v5, s4, v4
s_movk_i32 s4, 0x3039
v_mul_lo_u32 v2, v2, s4
v_mul_hi_u32 v5, v4, v5
v_lshrrev_b32_e32 v2, 7, v2
v_add_i32_e32 v4, vcc, v5, v4
s_waitcnt vmcnt(0)
v_mul_hi_u32 v4, v3, v4
v_mul_lo_u32 v5, v4, s8
v_add_i32_e32 v6, vcc, 1, v4
v_sub_i32_e32 v3, vcc, v3, v5
v_cmp_le_u32_e32 vcc, s8, v3
v_cndmask_b32_e32 v4, v4, v6, vcc
v_subrev_i32_e64 v5, s[4:5], s8, v3
v_cndmask_b32_e32 v3, v3, v5, vcc
v_add_i32_e32 v5, vcc, 1, v4
v_cmp_le_u32_e32 vcc, s8, v3
v_cndmask_b32_e32 v3, v4, v5, vcc
v_add_i32_e32 v2, vcc, v3, v2
buffer_store_dword v2, v[0:1], s[20:23], 0 addr64
s_endpgm
s_load_dword s10, s[4:5], 0x4
s_waitcnt lgkmcnt(0)
v_cmp_gt_i32_e32 vcc, s10, v0
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz
s_load_dwordx4 s[0:3], s[4:5], 0x0
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v3, v1
s_mov_b64 s[8:9], 0
s_mov_b32 s7, 0x100f000
s_waitcnt lgkmcnt(0)
s_mov_b32 s4, s2
s_mov_b32 s5, s3
s_mov_b32 s6, 0
v_mov_b32_e32 v4, 1
v_mov_b32_e32 v2, v0
buffer_load_ubyte v0, v[2:3], s[4:7], 0 addr64
s_mov_b64 s[2:3], s[6:7]
v_add_i32_e32 v2, vcc, 64, v2
v_addc_u32_e32 v3, vcc, 0, v3, vcc
v_cmp_le_i32_e32 vcc, s10, v2
s_or_b64 s[8:9], vcc, s[8:9]
s_waitcnt vmcnt(0)
v_lshlrev_b32_e32 v0, 2, v0
buffer_atomic_add v4, v[0:1], s[0:3], 0 addr64
s_andn2_b64 exec, exec, s[8:9]
s_cbranch_execnz
s_endpgm
