/* Counting, finding, reversing and permuting bits. */
extern "C" __global__ void bit_tricks(const unsigned *in, unsigned *out)
{
	int i = threadIdx.x;
	unsigned a = in[2 * i], b = in[2 * i + 1];
	unsigned long long w = (unsigned long long)a << 32 | b;
	unsigned *o = out + 16 * i;

	o[0] = __popc(a);
	o[1] = __clz(a);
	o[2] = __ffs(a);
	o[3] = __brev(a);
	o[4] = __popcll(w);
	o[5] = __clzll(w);
	o[6] = __ffsll(w);
	o[7] = (unsigned)(__brevll(w) >> 32);
	o[8] = __byte_perm(a, b, 0x5140);
	o[9] = __funnelshift_l(a, b, i);
	o[10] = __funnelshift_r(a, b, i);
	o[11] = __sad((int)a, (int)b, 7);
	o[12] = a << (b & 31) | a >> (31 & -b);
	/* Fields by mask and shift: compilers find bfe and bfi. */
	o[13] = a >> 5 & 0x3ff;
	o[14] = (unsigned)((int)(a << 7) >> 20);
	o[15] = (a & ~0xff00u) | (b & 0xff) << 8;
}
