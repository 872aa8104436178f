/*
 * Kernels that do one thing as fast as a compute unit can: peaks.sh compares with the
 * data sheets. The instructions are written down, so that no compiler changes them;
 * README.md says how peaks.hsaco is made of this file.
 */
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define ITEM __builtin_amdgcn_workitem_id_x()
#define EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

kernel void fp32(global float *out, int n)
{
	float x[8], a = 1, b = (float)ITEM;

#define ZERO(i) x[i] = 0;
	EIGHT(ZERO)
	for (int i = 0; i < n; i++) {
#define MAC(i) __asm__ volatile("v_mac_f32 %0, %1, %2" : "+v"(x[i]) : "v"(a), "v"(b));
		EIGHT(MAC) EIGHT(MAC) EIGHT(MAC) EIGHT(MAC)
	}
	out[ITEM] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}

kernel void lds(global float *out, int n)
{
	local float words[256];
	float x[8];
	int at = (int)ITEM * 4;

	words[ITEM] = 1;
	for (int i = 0; i < n; i++) {
#define READ(i) __asm__ volatile("ds_read_b32 %0, %1" : "=v"(x[i]) : "v"(at));
		EIGHT(READ)
		__asm__ volatile("s_waitcnt lgkmcnt(0)");
	}
	out[ITEM] = words[ITEM];
}

/* A buffer without limits: addresses are those of lanes. */
typedef unsigned uint4 __attribute__((ext_vector_type(4)));
#define ALL ((uint4)(0, 0, 0, 0x100f000))

kernel void l1(global const float *in, int n)
{
	global const float *at = in + ITEM;
	uint4 all = ALL;
	float x[8];

	for (int i = 0; i < n; i++) {
#define NEAR(i)                                                             \
	__asm__ volatile("buffer_load_dword %0, %1, %2, 0 addr64 offset:%3" \
			 : "=v"(x[i])                                       \
			 : "v"(at), "s"(all), "n"(256 * i));
		EIGHT(NEAR)
		__asm__ volatile("s_waitcnt vmcnt(0)");
	}
}

/* Around the L1; groups read other lines of the same 512 KiB. */
kernel void l2(global const float *in, int n)
{
	global const float *at = in + GROUP % 256 * 64 + ITEM;
	uint4 all = ALL;
	float x[8];

	for (int i = 0; i < n; i++) {
#define FAR(i)                                                            \
	__asm__ volatile("buffer_load_dword %0, %1, %2, 0 addr64 glc"     \
			 : "=v"(x[i])                                     \
			 : "v"(at + 16384 * i), "s"(all));
		EIGHT(FAR)
		__asm__ volatile("s_waitcnt vmcnt(0)");
	}
}

/* Each group reads 2 KiB of its own. */
kernel void dram(global const float *in)
{
	global const float *at = in + GROUP * 512 + ITEM;
	uint4 all = ALL;
	float x[8];

	EIGHT(NEAR)
	__asm__ volatile("s_waitcnt vmcnt(0)");
}
