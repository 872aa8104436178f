/*
 * The kernels of the benchmarks of compute units. bench/kernels.hsaco is made of it:
 *
 *	clang -target amdgcn--amdhsa -mcpu=tahiti -x cl -cl-std=CL1.2 -nogpulib \
 *	    -O2 -c kernels.cl -o kernels.o && ld.lld -shared kernels.o -o kernels.hsaco
 *
 * It needs no library: numbers of groups and items come from built-in functions.
 */
#define GROUP_X __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define ITEM_X __builtin_amdgcn_workitem_id_x()
#define ITEM_Y __builtin_amdgcn_workitem_id_y()

static void meet(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
vecadd(global const float *a, global const float *b, global float *c, int n)
{
	int i = (int)(GROUP_X * 256 + ITEM_X);

	if (i < n)
		c[i] = a[i] + b[i];
}

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
matmul_tiled(global const float *a, global const float *b, global float *c,
	     int n)
{
	local float ta[16][16], tb[16][16];
	int x = (int)ITEM_X, y = (int)ITEM_Y;
	int column = (int)GROUP_X * 16 + x, row = (int)GROUP_Y * 16 + y;
	float sum = 0;

	for (int k = 0; k < n; k += 16) {
		ta[y][x] = a[row * n + k + x];
		tb[y][x] = b[(k + y) * n + column];
		meet();
		for (int i = 0; i < 16; i++)
			sum += ta[y][i] * tb[i][x];
		meet();
	}
	c[row * n + column] = sum;
}
