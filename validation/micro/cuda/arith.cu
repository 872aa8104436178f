// Latency and throughput of arithmetic: a chain of one warp, and 32 warps with
// four chains each. The operation may be a sequence of machine instructions.
#include <cuda_fp16.h>

#include "micro.cuh"

#define OP(name, type, text)                                                \
	struct name {                                                       \
		typedef type T;                                             \
		static __device__ __forceinline__ void step(T &x, T y, T z) \
		{                                                           \
			text;                                               \
			(void)y;                                            \
			(void)z;                                            \
		}                                                           \
	};
#define ASM_F(text) asm volatile(text : "+f"(x) : "f"(y), "f"(z))
#define ASM_R(text) asm volatile(text : "+r"(x) : "r"(y), "r"(z))
#define ASM_L(text) asm volatile(text : "+l"(x) : "l"(y), "l"(z))
#define ASM_D(text) asm volatile(text : "+d"(x) : "d"(y), "d"(z))

namespace op
{
OP(fadd, float, ASM_F("add.rn.f32 %0, %0, %1;"))
OP(fmul, float, ASM_F("mul.rn.f32 %0, %0, %1;"))
OP(ffma, float, ASM_F("fma.rn.f32 %0, %0, %1, %2;"))
OP(fmin_, float, ASM_F("min.f32 %0, %0, %1;"))
OP(fset_sel, float,
   ASM_F("{.reg .pred p; setp.gt.f32 p, %0, %1; selp.f32 %0, %1, %2, p;}"))
OP(iadd_lop, u32, ASM_R("{add.u32 %0, %0, %1; xor.b32 %0, %0, %2;}"))
OP(imad, u32, ASM_R("mad.lo.u32 %0, %0, %1, %2;"))
OP(imad_hi, u32, ASM_R("mul.hi.u32 %0, %0, %1;"))
OP(imad_wide, u64,
   asm volatile(
	   "{.reg .u32 a, b; mov.b64 {a, b}, %0; mad.wide.u32 %0, a, b, %1;}"
	   : "+l"(x)
	   : "l"(y)))
OP(imad_64, u64, ASM_L("mad.lo.u64 %0, %0, %1, %2;"))
OP(iadd_64, u64, ASM_L("{add.u64 %0, %0, %1; xor.b64 %0, %0, %2;}"))
OP(lop3, u32, ASM_R("lop3.b32 %0, %0, %1, %2, 0x6a;"))
OP(shf, u32, ASM_R("shf.l.wrap.b32 %0, %0, %1, %2;"))
OP(shl, u32, ASM_R("{shl.b32 %0, %0, %1; add.u32 %0, %0, %2;}"))
OP(prmt, u32, ASM_R("prmt.b32 %0, %0, %1, %2;"))
OP(bfe, u32, ASM_R("bfe.u32 %0, %0, %1, 20;"))
OP(imin, u32, ASM_R("{min.u32 %0, %0, %1; xor.b32 %0, %0, %2;}"))
OP(isetp_sel, u32,
   ASM_R("{.reg .pred p; setp.gt.u32 p, %0, %1; selp.u32 %0, %1, %2, p;}"))
OP(popc, u32, ASM_R("popc.b32 %0, %0;"))
OP(brev, u32, ASM_R("{brev.b32 %0, %0; add.u32 %0, %0, %1;}"))
OP(flo, u32, ASM_R("{bfind.u32 %0, %0; add.u32 %0, %0, %1;}"))
OP(dp4a, u32, ASM_R("dp4a.u32.u32 %0, %0, %1, %2;"))
OP(dadd, double, ASM_D("add.rn.f64 %0, %0, %1;"))
OP(dmul, double, ASM_D("mul.rn.f64 %0, %0, %1;"))
OP(dfma, double, ASM_D("fma.rn.f64 %0, %0, %1, %2;"))
OP(dset_sel, double,
   ASM_D("{.reg .pred p; setp.gt.f64 p, %0, %1; selp.f64 %0, %1, %2, p;}"))
OP(hfma2, u32, ASM_R("fma.rn.f16x2 %0, %0, %1, %2;"))
OP(hadd2, u32, ASM_R("add.rn.f16x2 %0, %0, %1;"))
OP(mufu_ex2, float, ASM_F("ex2.approx.ftz.f32 %0, %0;"))
OP(mufu_lg2, float, ASM_F("lg2.approx.ftz.f32 %0, %0;"))
OP(mufu_rcp, float, ASM_F("{rcp.approx.ftz.f32 %0, %0; add.f32 %0, %0, %1;}"))
OP(mufu_rsq, float, ASM_F("rsqrt.approx.ftz.f32 %0, %0;"))
OP(mufu_sqrt, float, ASM_F("sqrt.approx.ftz.f32 %0, %0;"))
OP(mufu_sin, float, ASM_F("sin.approx.ftz.f32 %0, %0;"))
OP(mufu_tanh, float, ASM_F("tanh.approx.f32 %0, %0;"))
OP(f2i_i2f, float,
   ASM_F("{.reg .s32 a; cvt.rzi.s32.f32 a, %0; cvt.rn.f32.s32 %0, a;}"))
OP(f2f16_back, float,
   ASM_F("{.reg .b16 a; cvt.rn.f16.f32 a, %0; cvt.f32.f16 %0, a;}"))
OP(f32_f64_back, float,
   ASM_F("{.reg .f64 a; cvt.f64.f32 a, %0; cvt.rn.f32.f64 %0, a;}"))
OP(i32_f64_back, u32,
   ASM_R("{.reg .f64 a; cvt.rn.f64.s32 a, %0; cvt.rzi.s32.f64 %0, a;}"))
OP(i64_f32_back, u64,
   ASM_L("{.reg .f32 a; cvt.rn.f32.s64 a, %0; cvt.rzi.s64.f32 %0, a;}"))
OP(frnd, float, ASM_F("{cvt.rmi.f32.f32 %0, %0; add.f32 %0, %0, %1;}"))
OP(idiv_s32, int, x = y / (x | 1))
OP(idiv_u32, u32, x = y / (x | 1))
OP(imod_u32, u32, x = y % (x | 1))
OP(idiv_s64, long long, x = y / (x | 1))
OP(fdiv, float, x = y / x)
OP(fdiv_fast, float, x = __fdividef(y, x))
OP(ddiv, double, x = y / x)
OP(frcp, float, x = 1.0f / x)
OP(fsqrt, float, x = sqrtf(x))
OP(dsqrt, double, x = sqrt(x))
OP(frsqrt, float, x = rsqrtf(x))
OP(expf_, float, x = expf(x) - y)
OP(exp_fast, float, x = __expf(x))
OP(logf_, float, x = logf(x) + y)
OP(sinf_, float, x = sinf(x))
OP(powf_, float, x = powf(x, y))
OP(exp_, double, x = exp(x) - y)
OP(shfl, u32, x = __shfl_xor_sync(~0u, x, 1))
OP(shfl_idx, u32, x = __shfl_sync(~0u, x, x & 31))
OP(vote, u32, x = __ballot_sync(~0u, x > y) ^ z)
OP(redux, u32, x = __reduce_add_sync(~0u, x))
OP(match, u32, x = __match_any_sync(~0u, x))
} // namespace op

static const int STEPS = 32;

template <class O>
__global__ void chain(typename O::T y, typename O::T z, int n, u64 *out,
		      typename O::T *keep)
{
	typename O::T x = y + (typename O::T)threadIdx.x;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1)
			t = now();
#pragma unroll
		for (int k = 0; k < STEPS; k++)
			O::step(x, y, z);
	}
	out[threadIdx.x / 32] = now() - t;
	*keep = x;
}

template <class O>
__global__ void __launch_bounds__(1024)
	rate(typename O::T y, typename O::T z, int n, Span *out,
	     typename O::T *keep)
{
	typedef typename O::T T;
	T a = y, b = y + (T)threadIdx.x, c = z, d = z + (T)threadIdx.x;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			t = now();
		}
#pragma unroll
		for (int k = 0; k < STEPS / 4; k++) {
			O::step(a, y, z);
			O::step(b, y, z);
			O::step(c, y, z);
			O::step(d, y, z);
		}
	}
	u64 e = now();
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, e };
	keep[threadIdx.x] = a + b + c + d;
}

static Buffer<char> *space;

template <class O> static void measure(const char *name)
{
	typedef typename O::T T;
	Buffer<u64> out(64);
	Buffer<Span> spans(64);
	T *keep = (T *)space->data;
	T y = (T)1.25, z = (T)3;
	LAUNCH(chain<O>, 1, 32, 0, y, z, 4, out.data, keep);
	row("latency", "cycle", (double)out.read(1)[0] / (4 * STEPS), "%s",
	    name);
	LAUNCH(rate<O>, 1, 1024, 0, y, z, 4, spans.data, keep);
	row("interval", "cycle/warp",
	    longest(spans.read(32)) / (4 * STEPS * 32.0), "%s", name);
}
#define MEASURE(name) measure<op::name>(#name)

// Matrices: one warp's chain through the accumulator, and 8 warps with four
// accumulators each.
#define MMA(name, text)                                                    \
	struct name {                                                      \
		static __device__ __forceinline__ void step(u32 *c,        \
							    const u32 *a)  \
		{                                                          \
			asm volatile(text                                  \
				     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), \
				       "+r"(c[3])                          \
				     : "r"(a[0]), "r"(a[1]), "r"(a[2]),    \
				       "r"(a[3]));                         \
		}                                                          \
	};
MMA(hmma_16816_f32,
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
    "{%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};")
MMA(hmma_16816_f16,
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, "
    "{%4,%5,%6,%7}, {%4,%5}, {%0,%1};")
MMA(hmma_1688_f32,
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
    "{%4,%5}, {%6}, {%0,%1,%2,%3};")
MMA(bmma_16816_bf16,
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
    "{%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};")
MMA(tf32_1688,
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
    "{%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};")
MMA(imma_16832,
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "
    "{%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};")
MMA(imma_16816,
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "
    "{%4,%5}, {%6}, {%0,%1,%2,%3};")
struct dmma_884 {
	static __device__ __forceinline__ void step(u32 *c, const u32 *a)
	{
		asm volatile(
			"{.reg .f64 d0, d1, e; mov.b64 d0, {%0, %1}; "
			"mov.b64 d1, {%2, %3}; mov.b64 e, {%4, %5}; "
			"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d0, d1}, "
			"{e}, {e}, {d0, d1}; mov.b64 {%0, %1}, d0; "
			"mov.b64 {%2, %3}, d1;}"
			: "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
			: "r"(a[0]), "r"(a[1]));
	}
};

template <class O, int N>
__global__ void matrix(u32 x, int n, Span *out, u32 *keep)
{
	u32 a[4] = { x, x + 1, x + 2, x + 3 }, c[N][4];
	for (int k = 0; k < N; k++)
		for (int i = 0; i < 4; i++)
			c[k][i] = x + k + i;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			t = now();
		}
#pragma unroll
		for (int k = 0; k < 16; k++)
			O::step(c[k % N], a);
	}
	u64 e = now();
	u32 sum = 0;
	for (int k = 0; k < N; k++)
		for (int i = 0; i < 4; i++)
			sum += c[k][i];
	keep[threadIdx.x] = sum;
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, e };
}

template <class O> static void measure_matrix(const char *name)
{
	Buffer<Span> spans(64);
	u32 *keep = (u32 *)space->data;
	LAUNCH((matrix<O, 1>), 1, 32, 0, 0, 8, spans.data, keep);
	row("latency", "cycle", longest(spans.read(1)) / 128, "%s", name);
	for (int warps : { 4, 8, 16 }) {
		LAUNCH((matrix<O, 4>), 1, warps * 32, 0, 0, 8, spans.data,
		       keep);
		row("interval", "cycle/warp",
		    longest(spans.read(warps)) / (128.0 * warps), "%s,warps=%d",
		    name, warps);
	}
}

int main()
{
	part = "arith";
	Buffer<char> b(1 << 16);
	space = &b;
	MEASURE(fadd);
	MEASURE(fmul);
	MEASURE(ffma);
	MEASURE(fmin_);
	MEASURE(fset_sel);
	MEASURE(iadd_lop);
	MEASURE(imad);
	MEASURE(imad_hi);
	MEASURE(imad_wide);
	MEASURE(imad_64);
	MEASURE(iadd_64);
	MEASURE(lop3);
	MEASURE(shf);
	MEASURE(shl);
	MEASURE(prmt);
	MEASURE(bfe);
	MEASURE(imin);
	MEASURE(isetp_sel);
	MEASURE(popc);
	MEASURE(brev);
	MEASURE(flo);
	MEASURE(dp4a);
	MEASURE(dadd);
	MEASURE(dmul);
	MEASURE(dfma);
	MEASURE(dset_sel);
	MEASURE(hfma2);
	MEASURE(hadd2);
	MEASURE(mufu_ex2);
	MEASURE(mufu_lg2);
	MEASURE(mufu_rcp);
	MEASURE(mufu_rsq);
	MEASURE(mufu_sqrt);
	MEASURE(mufu_sin);
	MEASURE(mufu_tanh);
	MEASURE(f2i_i2f);
	MEASURE(f2f16_back);
	MEASURE(f32_f64_back);
	MEASURE(i32_f64_back);
	MEASURE(i64_f32_back);
	MEASURE(frnd);
	MEASURE(idiv_s32);
	MEASURE(idiv_u32);
	MEASURE(imod_u32);
	MEASURE(idiv_s64);
	MEASURE(fdiv);
	MEASURE(fdiv_fast);
	MEASURE(ddiv);
	MEASURE(frcp);
	MEASURE(fsqrt);
	MEASURE(dsqrt);
	MEASURE(frsqrt);
	MEASURE(expf_);
	MEASURE(exp_fast);
	MEASURE(logf_);
	MEASURE(sinf_);
	MEASURE(powf_);
	MEASURE(exp_);
	MEASURE(shfl);
	MEASURE(shfl_idx);
	MEASURE(vote);
	MEASURE(redux);
	MEASURE(match);
	measure_matrix<hmma_16816_f32>("hmma_16816_f32");
	measure_matrix<hmma_16816_f16>("hmma_16816_f16");
	measure_matrix<hmma_1688_f32>("hmma_1688_f32");
	measure_matrix<bmma_16816_bf16>("hmma_16816_bf16");
	measure_matrix<tf32_1688>("hmma_1688_tf32");
	measure_matrix<imma_16832>("imma_16832");
	measure_matrix<imma_16816>("imma_16816");
	measure_matrix<dmma_884>("dmma_884");
	return 0;
}
