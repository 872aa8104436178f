/*
 * The functions of OpenCL that may be as exact as the hardware is, on the special
 * function units of an NVIDIA GPU. libclc's use operations that the compiler does
 * not have there.
 */
#define OVERLOAD __attribute__((overloadable, always_inline))

#define EACH1(name, scalar)                                         \
	OVERLOAD float name(float x) { return scalar; }             \
	OVERLOAD float2 name(float2 x)                              \
	{                                                           \
		return (float2)(name(x.x), name(x.y));              \
	}                                                           \
	OVERLOAD float3 name(float3 x)                              \
	{                                                           \
		return (float3)(name(x.x), name(x.y), name(x.z));   \
	}                                                           \
	OVERLOAD float4 name(float4 x)                              \
	{                                                           \
		return (float4)(name(x.lo), name(x.hi));            \
	}                                                           \
	OVERLOAD float8 name(float8 x)                              \
	{                                                           \
		return (float8)(name(x.lo), name(x.hi));            \
	}                                                           \
	OVERLOAD float16 name(float16 x)                            \
	{                                                           \
		return (float16)(name(x.lo), name(x.hi));           \
	}

#define EACH2(name, scalar)                                         \
	OVERLOAD float name(float x, float y) { return scalar; }    \
	OVERLOAD float2 name(float2 x, float2 y)                    \
	{                                                           \
		return (float2)(name(x.x, y.x), name(x.y, y.y));    \
	}                                                           \
	OVERLOAD float3 name(float3 x, float3 y)                    \
	{                                                           \
		return (float3)(name(x.x, y.x), name(x.y, y.y),     \
				name(x.z, y.z));                    \
	}                                                           \
	OVERLOAD float4 name(float4 x, float4 y)                    \
	{                                                           \
		return (float4)(name(x.lo, y.lo), name(x.hi, y.hi)); \
	}                                                           \
	OVERLOAD float8 name(float8 x, float8 y)                    \
	{                                                           \
		return (float8)(name(x.lo, y.lo), name(x.hi, y.hi)); \
	}                                                           \
	OVERLOAD float16 name(float16 x, float16 y)                 \
	{                                                           \
		return (float16)(name(x.lo, y.lo), name(x.hi, y.hi)); \
	}

#define LOG2_E 1.44269504088896340736f
#define LOG2_10 3.32192809488736234787f
#define LN_2 0.69314718055994530942f
#define LOG10_2 0.30102999566398119521f

#define BOTH1(function, scalar)      \
	EACH1(native_##function, scalar) \
	EACH1(half_##function, scalar)
#define BOTH2(function, scalar)      \
	EACH2(native_##function, scalar) \
	EACH2(half_##function, scalar)

BOTH1(exp2, __nvvm_ex2_approx_f(x))
BOTH1(exp, __nvvm_ex2_approx_f(x *LOG2_E))
BOTH1(exp10, __nvvm_ex2_approx_f(x *LOG2_10))
BOTH1(log2, __nvvm_lg2_approx_f(x))
BOTH1(log, __nvvm_lg2_approx_f(x) * LN_2)
BOTH1(log10, __nvvm_lg2_approx_f(x) * LOG10_2)
BOTH1(sin, __nvvm_sin_approx_f(x))
BOTH1(cos, __nvvm_cos_approx_f(x))
BOTH1(tan, __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)))
BOTH1(rsqrt, __nvvm_rsqrt_approx_f(x))
BOTH1(sqrt, __nvvm_sqrt_approx_f(x))
BOTH1(recip, __nvvm_div_approx_f(1.0f, x))
BOTH2(divide, __nvvm_div_approx_f(x, y))
BOTH2(powr, __nvvm_ex2_approx_f(y *__nvvm_lg2_approx_f(x)))
