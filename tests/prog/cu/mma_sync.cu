/* Tensor-core instructions by hand: m16n8k16 of halves, m16n8k32 of bytes. The
 * lanes' elements as in PTX ISA, "Matrix Fragments for mma". */
extern "C" __global__ void mma_sync(const unsigned *a, const unsigned *b,
				    float *d, const unsigned *a8,
				    const unsigned *b8, int *d8)
{
	int lane = threadIdx.x, group = lane / 4, pos = lane % 4;
	/* A row of A and a column of B are eight words, of two halves or four
	 * bytes each. */
	unsigned fa[4], fb[2];
	float x[4] = { 1, 2, 3, 4 };
	int y[4] = { -1, -2, -3, -4 };

	for (int k = 0; k < 4; k++)
		fa[k] = a[(group + k % 2 * 8) * 8 + pos + k / 2 * 4];
	for (int k = 0; k < 2; k++)
		fb[k] = b[group * 8 + pos + k * 4];
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
		     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]),
		       "r"(fb[0]), "r"(fb[1]));
	for (int k = 0; k < 4; k++)
		fa[k] = a8[(group + k % 2 * 8) * 8 + pos + k / 2 * 4];
	for (int k = 0; k < 2; k++)
		fb[k] = b8[group * 8 + pos + k * 4];
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+r"(y[0]), "+r"(y[1]), "+r"(y[2]), "+r"(y[3])
		     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]),
		       "r"(fb[0]), "r"(fb[1]));
	for (int k = 0; k < 4; k++) {
		int at = (group + k / 2 * 8) * 8 + pos * 2 + k % 2;
		d[at] = x[k];
		d8[at] = y[k];
	}
}
