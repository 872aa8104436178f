/*
 * Kernels in OpenCL C, of every part of the language: language.c runs each and prints a
 * hash of what it wrote, language.txt has what that must be. All compute exactly, or round
 * as IEEE 754 does.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct {
	char a;
	short b;
	int c;
	long d;
	float4 e;
	uchar3 f;
} mixed;
typedef union {
	uint u[4];
	float f[4];
	ulong l[2];
	uchar c[16];
} pun;
constant uint table[16] = { 1,  2,  3,  5,  7,  11, 13, 17,
			    19, 23, 29, 31, 37, 41, 43, 47 };
constant float2 pairs[3] = { (float2)(1, 2), (float2)(3, 4), (float2)(5, 6) };
constant char text[] = "hello, world";
kernel void c_table(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	out[i] = table[in[i] & 15] * (uint)pairs[in[i] % 3].y + text[i % 13];
}
kernel void i_ops(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	int a = in[i], b = in[i + 1];
	uint r = 0;
	r += abs(a);
	r ^= abs_diff(a, b);
	r += add_sat(a, b);
	r ^= hadd(a, b);
	r += rhadd(a, b);
	r ^= clz(a & 0xffff);
	r += mad_hi(a, b, 7);
	r ^= mad_sat(a, b, 9);
	r += mul_hi(a, b);
	r ^= rotate(a, b);
	r += sub_sat(a, b);
	r ^= popcount(a);
	r += mad24(a >> 8, b >> 8, 5);
	r ^= mul24(a >> 8, b >> 8);
	r += max(a, b) ^ min(a, b);
	r += clamp(a, -100, 100);
	r += upsample((short)a, (ushort)b);
	out[i] = r;
}
kernel void u_ops(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uint a = in[i], b = in[i + 1];
	uint r = 0;
	r += abs(a);
	r ^= abs_diff(a, b);
	r += add_sat(a, b);
	r ^= hadd(a, b);
	r += rhadd(a, b);
	r ^= clz(a);
	r += mad_hi(a, b, 7u);
	r ^= mad_sat(a, b, 9u);
	r += mul_hi(a, b);
	r ^= rotate(a, b);
	r += sub_sat(a, b);
	r ^= popcount(a);
	r += mad24(a >> 8, b >> 8, 5u);
	r ^= mul24(a >> 8, b >> 8);
	r += a / (b | 1) + a % (b | 1);
	out[i] = r;
}
kernel void l_ops(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	long a = ((long)in[i] << 32) | in[i + 3],
	     b = ((long)in[i + 1] << 32) | in[i + 2];
	long r = 0;
	r += abs(a);
	r ^= abs_diff(a, b);
	r += add_sat(a, b);
	r ^= hadd(a, b);
	r += rhadd(a, b);
	r ^= clz(a);
	r += mad_hi(a, b, 7L);
	r ^= mad_sat(a, b, 9L);
	r += mul_hi(a, b);
	r ^= rotate(a, b);
	r += sub_sat(a, b);
	r ^= popcount(a);
	r += a / (b | 1) + a % (b | 1);
	r ^= (ulong)a / ((ulong)b >> 17 | 1);
	r += a >> (b & 63);
	r ^= a << (b & 63);
	out[2 * i] = r;
	out[2 * i + 1] = r >> 32;
}
kernel void s_ops(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	short a = in[i], b = in[i + 1];
	char c = in[i + 2], d = in[i + 3];
	int r = 0;
	uchar e = in[i + 4], f = in[i + 5];
	ushort g = in[i + 6], h = in[i + 7];
	r += add_sat(a, b);
	r ^= sub_sat(c, d) << 8;
	r += mul_hi(a, b) + mul_hi(e, f) + mul_hi(c, d);
	r ^= hadd(c, d) + rhadd(e, f);
	r += rotate(a, b) + rotate(e, f) + rotate(c, d);
	r ^= clz(a) + clz(c) * 3 + clz(e) * 9;
	r += abs_diff(c, d) + abs_diff(g, h);
	r += mad_sat(c, d, (char)(a > 0 ? c : d));
	r += add_sat(e, f) + sub_sat(g, h) + mad_sat(g, h, (ushort)3);
	r += a / (b | 1) + c % (d | 1) + popcount(c) * popcount(a);
	r += upsample(c, e);
	out[i] = r;
}
kernel void v_swz(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uint4 v = vload4(i, in);
	uint8 w = vload8(i, in);
	uint16 x = vload16(i, in);
	uint3 t = vload3(i, in);
	uint4 r = v.wzyx + w.s0246 + w.hi + x.odd.lo + x.scafe;
	r.xz = w.s71;
	r.even += t.zy;
	t = t.yzx * t;
	r.xyz ^= t;
	w.lo = r;
	w.s3 = 5;
	r += w.hi * w.lo;
	vstore4(r, i, out);
}
kernel void v_cmp(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	int4 a = as_int4(vload4(i, in)), b = as_int4(vload4(i + 1, in));
	int4 c = a < b;
	int4 r = select(a, b, c);
	r += bitselect(a, b, c ^ 7);
	r += any(a > b) + all(a != b) * 2;
	r = (a > 0) ? r : -r;
	r += ~c;
	r += !(a & 1);
	r += (a && b) || c;
	r = r << 3 | r >> 5;
	vstore4(as_uint4(r), i, out);
}
kernel void v_shuffle(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uint4 v = vload4(i, in);
	uint4 m = vload4(i + 7, in);
	uint8 r = shuffle(v, (uint8)(m, m.wzyx));
	r += shuffle2(v, m, (uint8)(0, 5, 2, 7, m));
	vstore8(r, i, out);
}
kernel void v_char(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	global const uchar *b = (global const uchar *)in;
	uchar16 v = vload16(i, b);
	uchar4 w = vload4(i + 3, b);
	uchar3 t = vload3(i + 1, b);
	short8 s = vload8(i, (global const short *)b);
	uint r = 0;
	uchar16 z = v * (uchar)2 + v.s0123456789abcdef;
	r = z.s3 + z.sf * 256 + convert_uint(w.x) * 65536;
	s = s * s + (short8)(t.x, t.y, t.z, t.z, w.x, w.y, w.z, w.w) / (short)3;
	global uchar *o = (global uchar *)out;
	vstore16(z, i, o);
	vstore3(t + (uchar)1, i + 2000, o);
	vstore8(s, i + 600, (global short *)out);
	out[4000 + i] = r;
}
kernel void conv(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	float f = as_float((in[i] & 0x3fffffff) | 0x30000000) - 3.0f;
	if (in[i] & 4)
		f = -f;
	uint r = 0;
	r += convert_int_sat(f * 1e9f);
	r ^= convert_uchar_sat(f * 100);
	r += convert_char_sat(f * 100) * 7;
	r ^= convert_ushort_sat_rte(f * 1000) << 3;
	r += convert_short_sat_rtn(f * 999);
	r ^= convert_int_rtp(clamp(f, -1e6f, 1e6f));
	r += convert_int_rtz(clamp(f, -1e6f, 1e6f));
	r += convert_int_rte(clamp(f, -1e6f, 1e6f));
	r ^= as_uint(convert_float(in[i]));
	r += as_uint(convert_float_rtz(in[i]));
	r ^= as_uint(convert_float_rtp((int)in[i]));
	r += as_uint(convert_float_rtn((int)in[i + 1]));
	r += convert_uchar_sat((int)in[i]) + convert_char_sat((uint)in[i + 2]);
	out[i] = r;
}
kernel void conv_l(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	ulong a = ((ulong)in[i] << 32 | in[i + 1]) >> (in[i + 2] & 63);
	uint r = as_uint(convert_float(a));
	r += as_uint((float)(long)(a - 5));
	r ^= as_uint(convert_float_rtz(a));
	double d = (double)a;
	r += as_ulong(d) >> 20;
	d = (double)(long)-a;
	r ^= as_ulong(d) >> 13;
	r += convert_int_sat((long)a - 100);
	r += (uint)convert_ulong_sat(d) + (uint)convert_long_sat(d * 3.7);
	out[i] = r;
}
kernel void dbl(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	double a = in[i] / 65536.0, b = (int)in[i + 1] / 3.0;
	double r = a * b + a / b;
	r += fma(a, b, 1.5) + sqrt(a) + floor(b) + fabs(b) + fmax(a, b) -
	     fmin(a, b) + trunc(b / 7) + rint(a / 3) + ceil(b) + fmod(a, b) +
	     round(b / 5);
	int e;
	r += frexp(a, &e);
	r += ldexp(b, e & 7);
	r += copysign(a, b) + (a < b ? 1 : 2);
	double ip;
	r += fract(a, &ip) * 3 + ip + modf(b, &ip) + ip;
	vstore2(as_uint2(r), i, out);
}
kernel void flt_exact(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	float a = (in[i] & 0xffffff) / 256.0f,
	      b = (int)(in[i + 1] | 1) / 1024.0f;
	float r = a * b + 1;
	r = fma(a, b, r) + floor(b) + ceil(a) + trunc(b) + rint(a) + round(b) +
	    fabs(b) + fmax(a, b) + fmin(a, b) + fdim(a, b) + copysign(a, b) +
	    fmod(a, b) + remainder(a, b);
	int e;
	r += frexp(a, &e) + e;
	r += ldexp(b, 3) + ilogb(b) + logb(a) + nextafter(a, b) + sign(b) +
	     step(a, b) + clamp(a, 1.f, 100.f) + mix(1.f, 2.f, .5f);
	float ip;
	r += fract(a, &ip) + ip + modf(b, &ip) + ip;
	int q;
	r += remquo(a, b, &q) + (q & 7);
	r += isnan(r) + isinf(r) * 2 + isfinite(a) + isnormal(b) + signbit(b) +
	     isgreater(a, b) + isless(a, b) * 2 + islessgreater(a, b) +
	     isordered(a, b) + isunordered(a, b);
	r += maxmag(a, b) + minmag(a, b) + smoothstep(1.f, 4.f, 2.f);
	out[i] = as_uint(r);
}
kernel void flt_vec(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	float4 a = convert_float4(vload4(i, in) & 0xffff),
	       b = convert_float4(vload4(i + 1, in) & 0xffff);
	float4 r = a * b - a;
	r.x += dot(a, b);
	r.yzw += cross(a, b).xyz;
	r += fma(a, b, a) + floor(a / 16) + (a > b ? a : b) + mad(a, b, b) * 0;
	r += max(a, b) + min(a, 7.f) + clamp(a, 0.f, 9.f) + fabs(-a) +
	     select(a, b, isgreater(a, b));
	r += (a == b) ? (float4)1 : (float4)(2, 3, 4, 5);
	vstore4(as_uint4(r), i, out);
}
kernel void awg(global uint *out, global const uint *in, local uint *t)
{
	uint l = get_local_id(0), g = get_group_id(0);
	event_t e[2];
	e[0] = async_work_group_copy(t, in + g * 64, 64, 0);
	e[1] = async_work_group_strided_copy(t + 64, in + g * 128, 64, 2, e[0]);
	wait_group_events(2, e);
	uint v = t[63 - l] + t[64 + l] * 3;
	barrier(CLK_LOCAL_MEM_FENCE);
	t[l] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	e[0] = async_work_group_copy(out + g * 64, t, 64, 0);
	wait_group_events(1, e);
	local uint4 *t4 = (local uint4 *)t;
	e[1] = async_work_group_copy((global uint4 *)out + 100 + g * 16, t4, 16,
				     (event_t)0);
	wait_group_events(1, &e[1]);
	prefetch(in, 4);
}
kernel void loopbar(global uint *out, global const uint *in, local uint *t)
{
	uint l = get_local_id(0), i = get_global_id(0);
	uint v = in[i];
	for (int k = 0; k < 10; k++) {
		t[l] = v;
		barrier(CLK_LOCAL_MEM_FENCE);
		v = v * 3 + t[(l + k) & 63];
		barrier(CLK_LOCAL_MEM_FENCE);
		if (in[k] & 1) {
			t[l ^ 1] += v;
			barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
			v ^= t[l];
			barrier(CLK_LOCAL_MEM_FENCE);
		}
	}
	out[i] = v;
}
kernel void scratch(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uint a[200];
	for (uint k = 0; k < 200; k++)
		a[k] = in[i + k];
	uint r = 0;
	for (uint k = 0; k < 400; k++) {
		uint x = (a[k % 200] + k) % 200;
		a[x] ^= r + k;
		r += a[(x * 7 + i) % 200];
	}
	out[i] = r;
}
kernel void scratch_s(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	char c[64];
	short s[32];
	float4 f[9];
	double d[5];
	for (int k = 0; k < 64; k++)
		c[k] = in[i + k];
	for (int k = 0; k < 32; k++)
		s[k] = in[i + k] >> 8;
	for (int k = 0; k < 9; k++)
		f[k] = (float4)(k, c[k], s[k], 1);
	for (int k = 0; k < 5; k++)
		d[k] = c[k] * s[k];
	int r = 0;
	for (int k = 0; k < 50; k++) {
		int x = in[i + k];
		r += c[x & 63];
		s[x >> 5 & 31] += r;
		r ^= s[x >> 10 & 31];
		float4 v = f[(uint)x % 9];
		r += (int)(v.x + v.y * v.z + v.w);
		d[(uint)x % 5] += r;
		f[(uint)(x >> 3) % 9].y = r & 7;
		c[x >> 2 & 63] ^= r;
	}
	out[i] = r + (int)(d[0] + d[1] + d[4]);
}
kernel void atom(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	atomic_add(&out[0], in[i]);
	atomic_inc(&out[1]);
	atomic_max(&out[2], in[i]);
	atomic_min((global int *)&out[3], (int)in[i]);
	atomic_xor(&out[4], in[i]);
	atomic_or(&out[5], in[i] & 0x11111);
	atomic_sub(&out[6], in[i]);
	atomic_dec(&out[7]);
	atomic_and(&out[8], in[i]);
	atomic_max((global int *)&out[9], (int)in[i]);
	uint o, n;
	do {
		o = out[10];
		n = o * 5 + 1;
	} while (0);
	atom_add(&out[11], 3u);
	uint old, nw;
	volatile global uint *p = out + 12;
	do {
		old = *p;
		nw = as_uint(as_float(old) + (float)(in[i] & 15));
	} while (atomic_cmpxchg(p, old, nw) != old);
	if (i < 64)
		out[100 + atomic_inc(&out[13])] = 1;
}
kernel void latom(global uint *out, global const uint *in, local uint *t)
{
	uint l = get_local_id(0), i = get_global_id(0);
	if (l < 8)
		t[l] = 0;
	if (l == 3)
		t[3] = ~0u;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&t[0], in[i]);
	atomic_inc(&t[1]);
	atomic_max(&t[2], in[i]);
	atomic_min(&t[3], in[i]);
	atomic_xor(&t[4], in[i]);
	atomic_or(&t[5], in[i] & 0x11111);
	atomic_sub(&t[6], in[i]);
	atomic_max((local int *)&t[7], (int)in[i]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 8)
		out[get_group_id(0) * 8 + l] = t[l];
}
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void fxchg(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	if (i < 64) {
		float x = atomic_xchg((volatile global float *)out + 1000 + i,
				      (float)i);
		out[i] = as_uint(x);
	}
}
typedef struct {
	int a;
	float b;
	char c[5];
} S;
typedef struct {
	S s[3];
	short t;
} T;
kernel void structs(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	T t;
	for (uint z = 0; z < sizeof(T); z++)
		((private char *)&t)[z] = 0;
	for (int k = 0; k < 3; k++) {
		t.s[k].a = in[i + k];
		t.s[k].b = k;
		for (int j = 0; j < 5; j++)
			t.s[k].c[j] = in[i] >> j;
	}
	t.t = i;
	T u = t;
	u.s[in[i] % 3].c[in[i + 1] % 5] += 3;
	global T *o = (global T *)out;
	o[i] = u;
}
int fact(int n);
int fact(int n)
{
	int r = 1;
	while (n > 1)
		r *= n--;
	return r;
}
__attribute__((noinline)) uint helper(uint a, uint b, uint4 c,
				      global const uint *p)
{
	uint r = 0;
	for (uint k = 0; k < a % 7; k++)
		r += p[k + b % 11] * c.x + c.w;
	return r;
}
__attribute__((noinline)) float fhelper(float a)
{
	return a > 1 ? sqrt(a) : a * a;
}
kernel void calls(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uint r = helper(in[i], in[i + 1], vload4(i, in), in) + fact(in[i] & 7);
	if (in[i] & 1)
		r += helper(in[i + 2], 3, (uint4)5, in + 3);
	r += (uint)fhelper(in[i] & 255);
	out[i] = r;
}
kernel void sw(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uint r = in[i];
	for (int k = 0; k < 20; k++) {
		switch ((r >> 3) % 11) {
		case 0:
			r += 7;
			break;
		case 1:
			r *= 3;
		case 2:
			r ^= k;
			break;
		case 3:
			r = r >> 1 | r << 31;
			break;
		case 4:
			continue;
		case 5:
			r -= 5;
			break;
		case 6:
			if (r & 1)
				goto out_;
			r += 2;
			break;
		case 7:
			r = ~r;
			break;
		default:
			r += 0x12345;
		}
		r *= 5;
	}
out_:
	out[i] = r;
}
kernel void ptr(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	global const uint *p = in + i;
	global const char *c = (global const char *)p;
	uint r = 0;
	while (r < 100000) {
		r += (uint)(c[0] & 0x7f) + 1;
		c++;
		if (c - (global const char *)in > 60000)
			break;
	}
	out[i] = r;
	size_t d = (size_t)(p - in);
	out[i] += d * 3 + sizeof(size_t);
}
kernel void short_ld(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	global const short *s = (global const short *)in;
	global const uchar *u = (global const uchar *)in;
	global const long *l = (global const long *)in;
	out[i] = s[i * 3] + u[i * 5 + 1] + (int)(l[i] >> 7);
	((global short *)out)[2000 + i] = s[i];
	((global uchar *)out)[8000 + i * 3] = u[i];
}
kernel void halfs(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	global const half *h = (global const half *)in;
	float a = vload_half(i, h);
	float4 b = vload_half4(i, h);
	out[i] = isnan(a) ? 1 : as_uint(a);
	float f = (float)(int)(in[i] & 0xfffff) / 77.f;
	vstore_half(f, i, (global half *)(out + 1000));
	vstore_half4_rtz((float4)(f, b.y == b.y ? b.y : 0, f * 2, -f), i,
			 (global half *)(out + 2000));
	vstore_half_rtp(f, i, (global half *)(out + 3000));
	float3 t = vloada_half3(i, h);
	t = isnan(t) ? (float3)0 : t;
	vstorea_half3(t, i, (global half *)(out + 4000));
	vstore_half_rtn(-f, i, (global half *)(out + 5000));
	vstore_half_rte(f * 100, i, (global half *)(out + 6000));
}
kernel void geo(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	out[i] = get_global_size(0) + get_local_size(0) * 3 +
		 get_num_groups(0) * 5 + get_global_offset(0) * 7 +
		 get_work_dim() * 11 + get_global_id(1) + get_global_id(2) +
		 get_local_size(2) * 13 + get_num_groups(1) * 17 +
		 get_global_size(1) * 19 + get_group_id(0) * 23 +
		 get_local_id(0) * 29 + get_global_size(5) + get_local_id(7);
}
kernel void async_dbl(global uint *out, global const uint *in, local double *t)
{
	uint l = get_local_id(0);
	event_t e = async_work_group_copy(
		t, (global const double *)in + get_group_id(0) * 64, 64, 0);
	wait_group_events(1, &e);
	ulong x = as_ulong(t[63 - l]);
	out[get_global_id(0)] = x ^ x >> 32;
}
kernel void localvar(global uint *out, global const uint *in)
{
	local uint a[64];
	local struct {
		uint x;
		uchar y;
	} s;
	local uint4 v[4];
	uint l = get_local_id(0);
	a[l] = in[get_global_id(0)];
	if (l == 0) {
		s.x = 7;
		s.y = in[get_global_id(0)];
	}
	if (l < 4)
		v[l] = vload4(l, in);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = a[l ^ 5] + s.x * s.y + v[l & 3].z;
}
kernel void volat(global uint *out, global const uint *in)
{
	volatile uint x = in[get_global_id(0)];
	x += 1;
      private
	uint *p = (private uint *)&x;
	*p += 2;
	out[get_global_id(0)] = x;
}
constant int cfgs[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
constant struct {
	int n;
	float f[2];
} cs = { 4, { 1.5f, 2.5f } };
kernel void constst(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	out[i] = cfgs[in[i] & 1][in[i + 1] % 3] + cs.n +
		 (uint)(cs.f[in[i] & 1] * 2);
	constant int *p = &cfgs[0][0];
	out[i] += p[in[i] % 6];
}
kernel void den(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	float f = as_float(in[i] & 0x7fffff);
	out[i] = as_uint(f * 1.5f);
	out[i + 256] = as_uint(f + f);
	double d = as_double((ulong)in[i] << 10);
	out[i + 512] = as_ulong(d * 3) >> 3;
	out[i + 768] = f == 0;
}
kernel void den_ld(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	float f = as_float(in[i] & 0x7fffff);
	out[i] = as_uint(fabs(f));
	out[i + 256] = as_uint(fmax(f, -f));
	out[i + 512] = as_uint((float)(as_double((ulong)in[i] << 20)));
}
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void atom64(global uint *out, global const uint *in, local ulong *t)
{
	uint i = get_global_id(0), l = get_local_id(0);
	global ulong *o = (global ulong *)out;
	ulong v = (ulong)in[i] << 7 | in[i + 1];
	atom_add(&o[0], v);
	atom_sub(&o[1], v);
	atom_max(&o[2], v);
	atom_min((global long *)&o[3], (long)-v);
	atom_xor(&o[4], v);
	atom_or(&o[5], v & 0x1010101010101UL);
	atom_inc(&o[6]);
	atom_dec(&o[7]);
	atom_and(&o[8], v);
	ulong old;
	do
		old = o[9];
	while (atom_cmpxchg(&o[9], old, old + v) != old);
	if (l < 8)
		t[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atom_add(&t[0], v);
	atom_max(&t[1], v);
	atom_xor(&t[2], v);
	atom_inc(&t[3]);
	atom_or(&t[4], v & 0x5555);
	atom_min((local long *)&t[5], (long)-v);
	do
		old = t[6];
	while (atom_cmpxchg(&t[6], old, old + v) != old);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 8)
		o[20 + get_group_id(0) * 8 + l] = t[l];
}
#endif
kernel void divs(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	float a = (int)in[i] / 1024.f, b = (int)in[i + 1] / 77.f;
	out[i] = as_uint(a / b);
	double c = (int)in[i], d = (int)in[i + 1];
	out[i + 256] = as_ulong(c / d);
	out[i + 512] = as_uint(sqrt(fabs(a)));
	out[i + 768] = as_ulong(sqrt(fabs(c)));
	out[i + 1024] = as_uint(1.f / a);
	out[i + 1280] =
		as_uint((float)(in[i] % 1000) / (float)(in[i + 1] % 10 + 1));
}
kernel void umod(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uchar a = in[i], b = in[i + 1] | 1;
	ushort c = in[i], d = in[i + 1] | 1;
	short e = in[i], f = in[i + 1] | 1;
	out[i] = a / b + a % b * 256 + (c / d) * 3 + c % d * 7 + (e / f) * 11 +
		 (e % f) * 13;
	int4 v = as_int4(vload4(i, in)), w = as_int4(vload4(i + 3, in)) | 1;
	v = v / w + v % w;
	out[i + 256] = v.x ^ v.y ^ v.z ^ v.w;
}
kernel void bits(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uint a = in[i], b = in[i + 1];
	out[i] = (a >> (b & 31)) | (a << (32 - (b & 31) & 31));
	out[i + 256] = bitselect(a, b, in[i + 2]) ^
		       ((a & ~b) | (b >> 3 & 0xff));
	out[i + 512] = ((int)a << 5 >> 20) + ((a >> 7) & 0x1ff) +
		       ((a & 0xff) * (b & 0xff) + in[i + 2]);
	out[i + 768] = popcount(a) + clz(b) + (31 - clz(b & -b));
	out[i + 1024] = as_uchar4(a).y * 3 + as_char4(b).w;
	out[i + 1280] = (a < b ? a : b) + ((int)a < (int)b) +
			min(min(a, b), in[i + 2]) +
			max(max((int)a, (int)b), (int)in[i + 2]);
	out[i + 1536] = mul24((int)a << 8 >> 8, (int)b << 8 >> 8) +
			mad24(a & 0xffffff, b & 0xffffff, in[i + 2]);
}
kernel void privarr(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	float4 m[4];
	for (int k = 0; k < 4; k++)
		m[k] = convert_float4(vload4(i * 4 + k, in) & 0xff);
	float4 r = 0;
	for (int k = 0; k < 4; k++)
		r += m[k] * m[in[i + k] & 3].wxyz;
	float s[16];
	for (int k = 0; k < 16; k++)
		s[k] = k * r.x;
	for (int k = 0; k < 16; k++) {
		int j = in[i + k] & 15;
		float t = s[k];
		s[k] = s[j];
		s[j] = t + 1;
	}
	out[i] = as_uint(r.x + r.y);
	out[i + 256] = as_uint(s[in[i] & 15]);
	out[i + 512] = as_uint(s[3]);
}
void sortp(private uint *a, int n);
void sortp(private uint *a, int n)
{
	for (int i = 1; i < n; i++) {
		uint v = a[i];
		int j = i - 1;
		while (j >= 0 && a[j] > v) {
			a[j + 1] = a[j];
			j--;
		}
		a[j + 1] = v;
	}
}
kernel void sortk(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uint a[32];
	for (int k = 0; k < 32; k++)
		a[k] = in[i * 32 + k];
	sortp(a, 32);
	for (int k = 0; k < 32; k++)
		out[i * 32 + k] = a[k];
}
kernel void reduce(global uint *out, global const uint *in, local uint *t)
{
	uint l = get_local_id(0);
	t[l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
		if (l < s)
			t[l] += t[l + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l)
		out[get_group_id(0)] = t[0];
}
kernel void early(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	if (i % 3 == 0)
		return;
	for (uint k = 0;; k++) {
		if (k > in[i] % 50)
			return;
		if (in[k + i] % 17 == 3)
			break;
		out[i] += k;
	}
	out[i] ^= 0x55;
}
kernel void nest(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	uint r = 0;
	for (uint a = 0; a < in[i] % 6; a++)
		for (uint b = 0; b < in[i + a] % 5; b++) {
			if ((a ^ b) & 1)
				continue;
			for (uint c = 0; c < 3; c++) {
				if (in[i + c + b] % 7 == 0)
					break;
				r += a * b + c;
				if (r > 500)
					goto end;
			}
			do {
				r++;
			} while (r % 5);
		}
end:
	out[i] = r;
}
kernel void lstruct(global uint *out, global const uint *in)
{
	local struct {
		int a[8];
		float4 v;
		char c;
	} s[4];
	uint l = get_local_id(0);
	if (l < 4) {
		s[l].v = (float4)(l);
		s[l].c = in[l];
		for (int k = 0; k < 8; k++)
			s[l].a[k] = in[l * 8 + k];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] =
		s[l & 3].a[in[l] & 7] + (int)s[in[l] & 3].v.z + s[l >> 4].c;
}
kernel void ldstv(global uint *out, global const uint *in, local uint *t)
{
	uint l = get_local_id(0);
	local uchar *b = (local uchar *)t;
	vstore4(convert_uchar4(vload4(l, in) & 0xff), l, b);
	barrier(CLK_LOCAL_MEM_FENCE);
	ushort2 s = vload2(l, (local ushort *)t);
	uchar3 c = vload3(l, b);
	out[get_global_id(0)] = s.x * s.y + c.x + c.y * c.z;
	barrier(CLK_LOCAL_MEM_FENCE);
	vstore2((ushort2)(l, l + 1), 63 - l, (local ushort *)t);
	barrier(CLK_LOCAL_MEM_FENCE);
	double d = ((local uint *)t)[l];
	out[get_global_id(0)] ^= (uint)d;
	local double *dd = (local double *)t;
	barrier(CLK_LOCAL_MEM_FENCE);
	dd[l] = d * 1.5;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] += (uint)dd[l ^ 7];
	local float4 *f4 = (local float4 *)t;
	barrier(CLK_LOCAL_MEM_FENCE);
	f4[l] = (float4)(l, 1, 2, 3) * (float)d;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] ^= as_uint(f4[l ^ 3].x + f4[l ^ 9].w);
}
kernel void inner(global uint *out, global const uint *in)
{
	out[get_global_id(0)] += in[get_global_id(0)] * 3;
}
kernel void callk(global uint *out, global const uint *in)
{
	inner(out, in);
	out[get_global_id(0)] ^= 7;
	inner(out, in + 1);
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
reqd(global uint *out, global const uint *in)
{
	local uint t[64];
	t[get_local_id(0)] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = t[63 - get_local_id(0)];
}
kernel __attribute__((vec_type_hint(float4)))
__attribute__((work_group_size_hint(64, 1, 1))) void
hint(global uint *restrict out, global const uint *restrict in)
{
	out[get_global_id(0)] = in[get_global_id(0)];
}
typedef float mat[4][4];
kernel void mats(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	mat a, b, c;
	for (int x = 0; x < 4; x++)
		for (int y = 0; y < 4; y++) {
			a[x][y] = in[i + x] & 15;
			b[x][y] = in[i + y] & 15;
			c[x][y] = 0;
		}
	for (int x = 0; x < 4; x++)
		for (int y = 0; y < 4; y++)
			for (int z = 0; z < 4; z++)
				c[x][y] += a[x][z] * b[z][y];
	out[i] = (uint)c[in[i] & 3][in[i + 1] & 3];
}
enum color { RED = 3, GREEN, BLUE = 10 };
kernel void enums(global uint *out, global const uint *in)
{
	enum color c = in[get_global_id(0)] & 1 ? GREEN : BLUE;
	bool b = in[get_global_id(0)] & 2;
	size_t s = get_global_id(0);
	ptrdiff_t d = (global const char *)(in + get_global_id(0)) -
		      (global const char *)in;
	uintptr_t u = (uintptr_t)(in + get_global_id(0)) - (uintptr_t)in;
	out[get_global_id(0)] = c + b * 100 + s * 3 + d + u + sizeof(float3) +
				sizeof(bool) + sizeof(char16);
	union {
		float f;
		uint u;
	} q;
	q.f = 1.5f * (in[get_global_id(0)] & 255);
	out[get_global_id(0)] ^= q.u;
}
#define LONGF(x) ((x)*0x5DEECE66DL + 0xBL)
kernel void lcg(global uint *out, global const uint *in)
{
	ulong s = in[get_global_id(0)];
	for (int k = 0; k < 20; k++)
		s = LONGF(s) & ((1UL << 48) - 1);
	out[get_global_id(0)] = s >> 16;
	long t = -(long)s;
	out[get_global_id(0)] ^= t / 1000003 + t % 77;
	out[get_global_id(0)] += (uint)(s >> 40) * (s < t);
}
kernel void mwc(global uint *out, global const uint *in)
{
	uint x = in[get_global_id(0)], c = in[get_global_id(0) + 1];
	for (int k = 0; k < 30; k++) {
		ulong r = (ulong)x * 4294883355U + c;
		x = r;
		c = r >> 32;
	}
	out[get_global_id(0)] = x ^ c;
}
kernel void innerl(global uint *out, global const uint *in, local uint *t)
{
	local uint s[64];
	t[get_local_id(0)] = in[get_global_id(0)];
	s[63 - get_local_id(0)] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] += t[get_local_id(0) ^ 3] + s[get_local_id(0)];
	inner(out, in + 5);
	for (int i = 0; i < t[5] % 100; i++)
		out[get_global_id(0)] += i * t[i & 63];
}
kernel void callk2(global uint *out, global const uint *in, local uint *t)
{
	inner(out, in);
	out[get_global_id(0)] ^= 7;
	barrier(CLK_LOCAL_MEM_FENCE);
	innerl(out, in + 1, t);
	barrier(CLK_LOCAL_MEM_FENCE);
	innerl(out, in + 2, t);
}
