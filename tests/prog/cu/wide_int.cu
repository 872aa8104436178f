/* Integers wider than a register: high halves of products, carries through
 * chains, 128-bit arithmetic, division. */
typedef unsigned long long u64;

__device__ void add256(const u64 *a, const u64 *b, u64 *sum)
{
	asm("add.cc.u64 %0, %4, %8;\n\t"
	    "addc.cc.u64 %1, %5, %9;\n\t"
	    "addc.cc.u64 %2, %6, %10;\n\t"
	    "addc.u64 %3, %7, %11;"
	    : "=l"(sum[0]), "=l"(sum[1]), "=l"(sum[2]), "=l"(sum[3])
	    : "l"(a[0]), "l"(a[1]), "l"(a[2]), "l"(a[3]), "l"(b[0]),
	      "l"(b[1]), "l"(b[2]), "l"(b[3]));
}

__device__ u64 sub96(u64 a, unsigned a2, u64 b, unsigned b2, unsigned *top)
{
	unsigned d0, d1;
	asm("sub.cc.u32 %0, %3, %6;\n\t"
	    "subc.cc.u32 %1, %4, %7;\n\t"
	    "subc.u32 %2, %5, %8;"
	    : "=r"(d0), "=r"(d1), "=r"(*top)
	    : "r"((unsigned)a), "r"((unsigned)(a >> 32)), "r"(a2),
	      "r"((unsigned)b), "r"((unsigned)(b >> 32)), "r"(b2));
	return (u64)d1 << 32 | d0;
}

extern "C" __global__ void wide_int(const u64 *in, u64 *out)
{
	int i = threadIdx.x;
	const u64 *a = in + 8 * i, *b = a + 4;
	u64 *o = out + 16 * i, sum[4];
	unsigned top;

	o[0] = __umul64hi(a[0], b[0]);
	o[1] = __mul64hi((long long)a[1], (long long)b[1]);
	o[2] = __umulhi((unsigned)a[0], (unsigned)b[0]);
	o[3] = __mulhi((int)a[1], (int)b[1]);
	add256(a, b, sum);
	for (int k = 0; k < 4; k++)
		o[4 + k] = sum[k];
	o[8] = sub96(a[0], (unsigned)a[2], b[0], (unsigned)b[2], &top);
	o[9] = top;
	unsigned __int128 x = (unsigned __int128)a[1] << 64 | a[0];
	unsigned __int128 y = (unsigned __int128)b[1] << 64 | b[0];
	unsigned __int128 z = x * y + (x >> 7) - (y << 3);
	o[10] = (u64)z;
	o[11] = (u64)(z >> 64);
	o[12] = a[0] / (b[0] >> (i % 60) | 1);
	o[13] = (u64)((long long)a[1] % (long long)(b[1] >> (i % 50) | 1));
	o[14] = (unsigned)a[2] / ((unsigned)b[2] >> (i % 30) | 1);
	o[15] = (u64)(long long)((int)a[3] % ((short)b[3] | 1));
}
