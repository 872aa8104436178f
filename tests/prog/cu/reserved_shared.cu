/* Shared memory of the system, where cooperative groups keep what they need for
 * tiles of several warps: no block has it in its own variables. */
extern "C" __global__ void reserved_shared(unsigned *out)
{
	__shared__ unsigned own[64];
	extern __shared__ unsigned more[];
	unsigned i = threadIdx.x, got = 3 * i;
	own[i] = 1000 + i;
	more[i] = 2000 + i;
	__syncthreads();
#if __CUDA_ARCH__ >= 800
	asm volatile("{\n\t"
		     ".reg .u32 at;\n\t"
		     "mov.u32 at, %%reserved_smem_offset_1;\n\t"
		     "mad.lo.u32 at, %1, 4, at;\n\t"
		     "st.shared.u32 [at], %2;\n\t"
		     "bar.sync 0;\n\t"
		     "ld.shared.u32 %0, [at];\n\t"
		     "}"
		     : "=r"(got)
		     : "r"(i), "r"(3 * i)
		     : "memory");
#endif
	out[i] = got;
	out[64 + i] = own[63 - i];
	out[128 + i] = more[63 - i];
}
