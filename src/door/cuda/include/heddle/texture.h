/*
 * Texture and surface functions on objects (CUDA C++ programming guide,
 * "Texture Functions", "Surface Functions"; PTX ISA tex, tld4, suld, sust).
 * Coordinates of surfaces count bytes in x, as in CUDA.
 *
 * Every fetch yields four elements of a 32-bit type; heddle_texel<T> takes
 * those that T holds. Texture references (texture<...>) are not provided: CUDA
 * 12 removed them.
 */
#ifndef HEDDLE_CUDA_TEXTURE_H
#define HEDDLE_CUDA_TEXTURE_H
#pragma GCC system_header

#include "../driver_types.h"

template <class T> struct heddle_texel;
#define TEXEL(T, V, ...)                                                      \
	template <> struct heddle_texel<T> {                                  \
		typedef V raw;                                                \
		static HEDDLE_DT T take(V v) { return {__VA_ARGS__}; }        \
	};
#define TEXELS(base, elem, V)                                                 \
	TEXEL(elem, V, (elem)v.x)                                             \
	TEXEL(base##1, V, (elem)v.x)                                          \
	TEXEL(base##2, V, (elem)v.x, (elem)v.y)                               \
	TEXEL(base##4, V, (elem)v.x, (elem)v.y, (elem)v.z, (elem)v.w)
TEXELS(char, signed char, int4)
TEXELS(uchar, unsigned char, uint4)
TEXELS(short, short, int4)
TEXELS(ushort, unsigned short, uint4)
TEXELS(int, int, int4)
TEXELS(uint, unsigned, uint4)
TEXELS(float, float, float4)
TEXEL(char, int4, (char)v.x)
#undef TEXELS
#undef TEXEL

/* One fetch for each result type: name, PTX operation, result, registers of
 * the result, PTX types, parameters after the handle, address, operands. */
#define FETCH_T(name, op, V, reg, ptxtypes, params, addr, ...)                \
	HEDDLE_D void name(V &v, cudaTextureObject_t t, params)               \
	{                                                                     \
		asm(op ".v4." ptxtypes                                        \
				" {%0, %1, %2, %3}, [%4, " addr ";"           \
			     : "=" reg(v.x), "=" reg(v.y), "=" reg(v.z),      \
			       "=" reg(v.w)                                   \
			     : "l"(t), __VA_ARGS__);                          \
	}
#define FETCH(name, op, ctype, params, addr, ...)                             \
	FETCH_T(name, op, float4, "f", "f32." ctype, P(params), addr,         \
		__VA_ARGS__)                                                  \
	FETCH_T(name, op, int4, "r", "s32." ctype, P(params), addr,           \
		__VA_ARGS__)                                                  \
	FETCH_T(name, op, uint4, "r", "u32." ctype, P(params), addr,          \
		__VA_ARGS__)
#define P(...) __VA_ARGS__
FETCH(heddle_tex1dfetch, "tex.1d", "s32", P(int x), "{%5}]", "r"(x))
FETCH(heddle_tex1d, "tex.1d", "f32", P(float x), "{%5}]", "f"(x))
FETCH(heddle_tex2d, "tex.2d", "f32", P(float x, float y), "{%5, %6}]",
      "f"(x), "f"(y))
FETCH(heddle_tex3d, "tex.3d", "f32", P(float x, float y, float z),
      "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
FETCH(heddle_texcube, "tex.cube", "f32", P(float x, float y, float z),
      "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
FETCH(heddle_texa1d, "tex.a1d", "f32", P(float x, int l), "{%5, %6}]", "r"(l),
      "f"(x))
FETCH(heddle_texa2d, "tex.a2d", "f32", P(float x, float y, int l),
      "{%5, %6, %7, %7}]", "r"(l), "f"(x), "f"(y))
FETCH(heddle_tex1dlod, "tex.level.1d", "f32", P(float x, float lod),
      "{%5}], %6", "f"(x), "f"(lod))
FETCH(heddle_tex2dlod, "tex.level.2d", "f32", P(float x, float y, float lod),
      "{%5, %6}], %7", "f"(x), "f"(y), "f"(lod))
FETCH(heddle_tex3dlod, "tex.level.3d", "f32",
      P(float x, float y, float z, float lod), "{%5, %6, %7, %7}], %8",
      "f"(x), "f"(y), "f"(z), "f"(lod))
FETCH(heddle_texa2dlod, "tex.level.a2d", "f32",
      P(float x, float y, int l, float lod), "{%5, %6, %7, %7}], %8", "r"(l),
      "f"(x), "f"(y), "f"(lod))
FETCH(heddle_tex2dgrad, "tex.grad.2d", "f32",
      P(float x, float y, float2 dx, float2 dy),
      "{%5, %6}], {%7, %8}, {%9, %10}", "f"(x), "f"(y), "f"(dx.x), "f"(dx.y),
      "f"(dy.x), "f"(dy.y))
FETCH(heddle_gather_r, "tld4.r.2d", "f32", P(float x, float y), "{%5, %6}]",
      "f"(x), "f"(y))
FETCH(heddle_gather_g, "tld4.g.2d", "f32", P(float x, float y), "{%5, %6}]",
      "f"(x), "f"(y))
FETCH(heddle_gather_b, "tld4.b.2d", "f32", P(float x, float y), "{%5, %6}]",
      "f"(x), "f"(y))
FETCH(heddle_gather_a, "tld4.a.2d", "f32", P(float x, float y), "{%5, %6}]",
      "f"(x), "f"(y))
#undef FETCH
#undef FETCH_T

/* Both forms of CUDA: the value returned, or stored through a pointer. */
#define TEX(name, fetch, params, ...)                                         \
	template <class T>                                                    \
	HEDDLE_DT T name(cudaTextureObject_t t, params)                       \
	{                                                                     \
		typename heddle_texel<T>::raw v;                              \
		fetch(v, t, __VA_ARGS__);                                     \
		return heddle_texel<T>::take(v);                              \
	}                                                                     \
	template <class T>                                                    \
	HEDDLE_DT void name(T *out, cudaTextureObject_t t, params)            \
	{                                                                     \
		*out = name<T>(t, __VA_ARGS__);                               \
	}
TEX(tex1Dfetch, heddle_tex1dfetch, P(int x), x)
TEX(tex1D, heddle_tex1d, P(float x), x)
TEX(tex2D, heddle_tex2d, P(float x, float y), x, y)
TEX(tex3D, heddle_tex3d, P(float x, float y, float z), x, y, z)
TEX(texCubemap, heddle_texcube, P(float x, float y, float z), x, y, z)
TEX(tex1DLayered, heddle_texa1d, P(float x, int layer), x, layer)
TEX(tex2DLayered, heddle_texa2d, P(float x, float y, int layer), x, y, layer)
TEX(tex1DLod, heddle_tex1dlod, P(float x, float lod), x, lod)
TEX(tex2DLod, heddle_tex2dlod, P(float x, float y, float lod), x, y, lod)
TEX(tex3DLod, heddle_tex3dlod, P(float x, float y, float z, float lod), x, y, z,
    lod)
TEX(tex2DLayeredLod, heddle_texa2dlod, P(float x, float y, int layer, float lod),
    x, y, layer, lod)
TEX(tex2DGrad, heddle_tex2dgrad, P(float x, float y, float2 dx, float2 dy), x,
    y, dx, dy)
#undef TEX

template <class T>
HEDDLE_DT T tex2Dgather(cudaTextureObject_t t, float x, float y, int comp = 0)
{
	typename heddle_texel<T>::raw v;
	if (comp == 1)
		heddle_gather_g(v, t, x, y);
	else if (comp == 2)
		heddle_gather_b(v, t, x, y);
	else if (comp == 3)
		heddle_gather_a(v, t, x, y);
	else
		heddle_gather_r(v, t, x, y);
	return heddle_texel<T>::take(v);
}

/* ---- surfaces: moved as untyped bits by size ---- */

template <int size> struct heddle_surf;
#define SURF_1(R, reg, bits, geom, fn, addr, mode, params, ...)               \
	static HEDDLE_DT void read_##fn##_##mode(R *d, cudaSurfaceObject_t s, \
						 params)                      \
	{                                                                     \
		R v;                                                          \
		asm volatile("suld.b." geom "." bits "." #mode                \
			     " %0, [%1, " addr "];"                           \
			     : "=" reg(v) : "l"(s), __VA_ARGS__ : "memory");  \
		*d = v;                                                       \
	}                                                                     \
	static HEDDLE_DT void write_##fn##_##mode(const R *d,                 \
						  cudaSurfaceObject_t s,      \
						  params)                     \
	{                                                                     \
		asm volatile("sust.b." geom "." bits "." #mode                \
			     " [%1, " addr "], %0;"                           \
			     : : reg(*d), "l"(s), __VA_ARGS__ : "memory");    \
	}
#define SURF_2(R, reg, bits, geom, fn, addr, mode, params, ...)               \
	static HEDDLE_DT void read_##fn##_##mode(R *d, cudaSurfaceObject_t s, \
						 params)                      \
	{                                                                     \
		asm volatile("suld.b." geom ".v2." bits "." #mode             \
			     " {%0, %1}, [%2, " addr "];"                     \
			     : "=" reg(d[0]), "=" reg(d[1])                   \
			     : "l"(s), __VA_ARGS__ : "memory");               \
	}                                                                     \
	static HEDDLE_DT void write_##fn##_##mode(const R *d,                 \
						  cudaSurfaceObject_t s,      \
						  params)                     \
	{                                                                     \
		asm volatile("sust.b." geom ".v2." bits "." #mode             \
			     " [%2, " addr "], {%0, %1};"                     \
			     : : reg(d[0]), reg(d[1]), "l"(s), __VA_ARGS__    \
			     : "memory");                                     \
	}
#define SURF_4(R, reg, bits, geom, fn, addr, mode, params, ...)               \
	static HEDDLE_DT void read_##fn##_##mode(R *d, cudaSurfaceObject_t s, \
						 params)                      \
	{                                                                     \
		asm volatile("suld.b." geom ".v4." bits "." #mode             \
			     " {%0, %1, %2, %3}, [%4, " addr "];"             \
			     : "=" reg(d[0]), "=" reg(d[1]), "=" reg(d[2]),   \
			       "=" reg(d[3])                                  \
			     : "l"(s), __VA_ARGS__ : "memory");               \
	}                                                                     \
	static HEDDLE_DT void write_##fn##_##mode(const R *d,                 \
						  cudaSurfaceObject_t s,      \
						  params)                     \
	{                                                                     \
		asm volatile("sust.b." geom ".v4." bits "." #mode             \
			     " [%4, " addr "], {%0, %1, %2, %3};"             \
			     : : reg(d[0]), reg(d[1]), reg(d[2]), reg(d[3]),  \
			       "l"(s), __VA_ARGS__ : "memory");               \
	}
/* The operands of the address are named, so that they do not depend on how many
 * registers of data come before. */
#define SURF_MODES(N, R, reg, bits, geom, fn, addr, params, ...)              \
	SURF_##N(R, reg, bits, geom, fn, addr, trap, P(params), __VA_ARGS__)  \
	SURF_##N(R, reg, bits, geom, fn, addr, clamp, P(params), __VA_ARGS__) \
	SURF_##N(R, reg, bits, geom, fn, addr, zero, P(params), __VA_ARGS__)
#define SURF_SIZE(bytes, N, R, reg, bits)                                     \
	template <> struct heddle_surf<bytes> {                               \
		typedef R word;                                               \
		SURF_MODES(N, R, reg, bits, "1d", 1d, "{%[x]}", P(int x),     \
			   [x] "r"(x))                                        \
		SURF_MODES(N, R, reg, bits, "2d", 2d, "{%[x], %[y]}",         \
			   P(int x, int y), [x] "r"(x), [y] "r"(y))           \
		SURF_MODES(N, R, reg, bits, "3d", 3d,                         \
			   "{%[x], %[y], %[z], %[z]}", P(int x, int y, int z),\
			   [x] "r"(x), [y] "r"(y), [z] "r"(z))                \
		SURF_MODES(N, R, reg, bits, "a1d", a1d, "{%[l], %[x]}",       \
			   P(int x, int l), [l] "r"(l), [x] "r"(x))           \
		SURF_MODES(N, R, reg, bits, "a2d", a2d,                       \
			   "{%[l], %[x], %[y], %[y]}", P(int x, int y, int l),\
			   [l] "r"(l), [x] "r"(x), [y] "r"(y))                \
	};
SURF_SIZE(1, 1, unsigned short, "h", "b8")
SURF_SIZE(2, 1, unsigned short, "h", "b16")
SURF_SIZE(4, 1, unsigned, "r", "b32")
SURF_SIZE(8, 2, unsigned, "r", "b32")
SURF_SIZE(16, 4, unsigned, "r", "b32")
#undef SURF_SIZE
#undef SURF_MODES
#undef SURF_1
#undef SURF_2
#undef SURF_4

#define SURF(CUDA, fn, params, ...)                                           \
	template <class T>                                                    \
	HEDDLE_DT T surf##CUDA##read(cudaSurfaceObject_t s, params,           \
				     enum cudaSurfaceBoundaryMode mode =      \
					     cudaBoundaryModeTrap)            \
	{                                                                     \
		typedef heddle_surf<sizeof(T)> h;                             \
		typename h::word w[4] = {};                                   \
		if (mode == cudaBoundaryModeZero)                             \
			h::read_##fn##_zero(w, s, __VA_ARGS__);               \
		else if (mode == cudaBoundaryModeClamp)                       \
			h::read_##fn##_clamp(w, s, __VA_ARGS__);              \
		else                                                          \
			h::read_##fn##_trap(w, s, __VA_ARGS__);               \
		T v;                                                          \
		__builtin_memcpy(&v, w, sizeof(T));                           \
		return v;                                                     \
	}                                                                     \
	template <class T>                                                    \
	HEDDLE_DT void surf##CUDA##read(T *out, cudaSurfaceObject_t s,        \
					params,                               \
					enum cudaSurfaceBoundaryMode mode =   \
						cudaBoundaryModeTrap)         \
	{                                                                     \
		*out = surf##CUDA##read<T>(s, __VA_ARGS__, mode);             \
	}                                                                     \
	template <class T>                                                    \
	HEDDLE_DT void surf##CUDA##write(T v, cudaSurfaceObject_t s, params,  \
					 enum cudaSurfaceBoundaryMode mode =  \
						 cudaBoundaryModeTrap)        \
	{                                                                     \
		typedef heddle_surf<sizeof(T)> h;                             \
		typename h::word w[4] = {};                                   \
		__builtin_memcpy(w, &v, sizeof(T));                           \
		if (mode == cudaBoundaryModeZero)                             \
			h::write_##fn##_zero(w, s, __VA_ARGS__);              \
		else if (mode == cudaBoundaryModeClamp)                       \
			h::write_##fn##_clamp(w, s, __VA_ARGS__);             \
		else                                                          \
			h::write_##fn##_trap(w, s, __VA_ARGS__);              \
	}
SURF(1D, 1d, P(int x), x)
SURF(2D, 2d, P(int x, int y), x, y)
SURF(3D, 3d, P(int x, int y, int z), x, y, z)
SURF(1DLayered, a1d, P(int x, int layer), x, layer)
SURF(2DLayered, a2d, P(int x, int y, int layer), x, y, layer)
#undef SURF
#undef P

#endif
