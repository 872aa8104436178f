/* Work-items of an NVIDIA GPU: a group is a block, an item is a thread. */
#include "common.h"

/* The library writes these before a launch, where they are not 0. volatile: the
 * compiler must not take them for the constants that they look like. */
CONSTANT volatile ulong heddle_cl_offset[3];
CONSTANT volatile uint heddle_cl_dim;

#define READ(register, dimension)                                        \
	((dimension) == 0 ? (uint)__nvvm_read_ptx_sreg_##register##_x() : \
	 (dimension) == 1 ? (uint)__nvvm_read_ptx_sreg_##register##_y() : \
			    (uint)__nvvm_read_ptx_sreg_##register##_z())

#define WORK(type, title, mangled, ...)             \
	API type title(uint d) __asm__(mangled);    \
	API type title(uint d)                      \
	{                                           \
		return __VA_ARGS__;                 \
	}

WORK(ulong, local_id, "_Z12get_local_idj", d > 2 ? 0 : READ(tid, d))
WORK(ulong, local_size, "_Z14get_local_sizej", d > 2 ? 1 : READ(ntid, d))
WORK(ulong, group_id, "_Z12get_group_idj", d > 2 ? 0 : READ(ctaid, d))
WORK(ulong, num_groups, "_Z14get_num_groupsj", d > 2 ? 1 : READ(nctaid, d))
WORK(ulong, global_size, "_Z15get_global_sizej",
     d > 2 ? 1 : (ulong)READ(nctaid, d) * READ(ntid, d))
WORK(ulong, global_offset, "_Z17get_global_offsetj",
     d > 2 ? 0 : heddle_cl_offset[d])
WORK(ulong, global_id, "_Z13get_global_idj",
     d > 2 ? 0 :
	     (ulong)READ(ctaid, d) * READ(ntid, d) + READ(tid, d) +
		     heddle_cl_offset[d])

API uint work_dim(void) __asm__("_Z12get_work_dimv");
API uint work_dim(void)
{
	return heddle_cl_dim;
}
