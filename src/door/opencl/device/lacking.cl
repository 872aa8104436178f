/*
 * Functions of OpenCL 1.2 that libclc does not have, on GPUs of both vendors.
 */
#define OVERLOAD __attribute__((overloadable, always_inline))

#define MAD_HI(type)                                  \
	OVERLOAD type mad_hi(type a, type b, type c)  \
	{                                             \
		return mul_hi(a, b) + c;              \
	}
#define SIZES(each, type)                             \
	each(type) each(type##2) each(type##3)        \
	each(type##4) each(type##8) each(type##16)

SIZES(MAD_HI, char)
SIZES(MAD_HI, uchar)
SIZES(MAD_HI, short)
SIZES(MAD_HI, ushort)
SIZES(MAD_HI, int)
SIZES(MAD_HI, uint)
SIZES(MAD_HI, long)
SIZES(MAD_HI, ulong)

/* In memory, a vector of three is one of four. */
#define COPY3(type, to, from)                                              \
	OVERLOAD event_t async_work_group_copy(                            \
		to type##3 *d, const from type##3 *s, size_t n, event_t e) \
	{                                                                  \
		return async_work_group_copy((to type##4 *)d,              \
					     (const from type##4 *)s, n, e); \
	}                                                                  \
	OVERLOAD event_t async_work_group_strided_copy(                    \
		to type##3 *d, const from type##3 *s, size_t n,            \
		size_t stride, event_t e)                                  \
	{                                                                  \
		return async_work_group_strided_copy(                      \
			(to type##4 *)d, (const from type##4 *)s, n,       \
			stride, e);                                        \
	}
#define MOVES3(type)                                                 \
	COPY3(type, global, local)                                   \
	COPY3(type, local, global)                                   \
	OVERLOAD void prefetch(const global type##3 *p, size_t n)    \
	{                                                            \
		prefetch((const global type##4 *)p, n);              \
	}

MOVES3(char)
MOVES3(uchar)
MOVES3(short)
MOVES3(ushort)
MOVES3(int)
MOVES3(uint)
MOVES3(long)
MOVES3(ulong)
MOVES3(float)
MOVES3(double)

#define SMOOTH(n)                                                          \
	OVERLOAD double##n smoothstep(double a, double b, double##n x)     \
	{                                                                  \
		return smoothstep((double##n)a, (double##n)b, x);          \
	}

SMOOTH(2)
SMOOTH(3)
SMOOTH(4)
SMOOTH(8)
SMOOTH(16)

#ifdef __AMDGCN__
/* The compiler takes the list of events for one in any space of memory; libclc's
 * function has another name, because it is in private memory. */
void wait_any(int n, event_t __attribute__((address_space(0))) * list)
	__asm__("_Z17wait_group_eventsiPU3AS09ocl_event");
__attribute__((always_inline)) void
wait_any(int n, event_t __attribute__((address_space(0))) * list)
{
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* libclc's say 1 for a dimension that there is not. */
#define OF(register, d)                           \
	((d) == 0 ? __builtin_amdgcn_##register##_x() : \
	 (d) == 1 ? __builtin_amdgcn_##register##_y() : \
	 (d) == 2 ? __builtin_amdgcn_##register##_z() : \
		    0)

OVERLOAD size_t get_local_id(uint d)
{
	return OF(workitem_id, d);
}

OVERLOAD size_t get_group_id(uint d)
{
	return OF(workgroup_id, d);
}

OVERLOAD size_t get_global_id(uint d)
{
	return d > 2 ? 0 :
		       get_group_id(d) * get_local_size(d) + get_local_id(d) +
			       get_global_offset(d);
}
#else
/* The compiler's rotation in PTX shifts by the whole amount. This is written so that
 * it does not see one. */
#define ROTATE(type, wide)                                             \
	OVERLOAD type rotate(type x, type n)                           \
	{                                                              \
		wide by = __builtin_astype(n, wide) & (wide)63;        \
		wide v = __builtin_astype(x, wide);                    \
		return __builtin_astype(                               \
			v << by | v >> (wide)1 >> ((wide)63 - by),     \
			type);                                         \
	}
#define ROTATES(n)               \
	ROTATE(long##n, ulong##n) \
	ROTATE(ulong##n, ulong##n)
ROTATES()
ROTATES(2)
ROTATES(3)
ROTATES(4)
ROTATES(8)
ROTATES(16)
#endif
