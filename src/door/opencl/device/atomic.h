/*
 * Atomics of OpenCL C 2.0 and later, with and without an order and a scope: libclc has no
 * such functions. The compiler has them as operations. For AMD's GPUs it knows orders
 * and scopes, as long as all units see one second-level cache; elsewhere they are relaxed
 * operations between fences.
 */
#if __OPENCL_C_VERSION__ >= 200
#define __HEDDLE_INLINE static inline __attribute__((always_inline))

#ifdef __AMDGCN__
/* Statements: of a conditional expression clang 14 writes bitcode that it cannot read. */
#define __HEDDLE_FENCE(order, s)                                    \
	do {                                                        \
		if ((s) == memory_scope_device ||                   \
		    (s) == memory_scope_all_svm_devices)            \
			__builtin_amdgcn_fence(order, "");          \
		else                                                \
			__builtin_amdgcn_fence(order, "workgroup"); \
	} while (0)
/* Without coherence a fence writes back and drops, whatever its order. */
__HEDDLE_INLINE void __heddle_fence(memory_order o, memory_scope s)
{
	if (s == memory_scope_work_item || o == memory_order_relaxed)
		return;
#ifndef HEDDLE_INCOHERENT
	if (o == memory_order_acquire)
		__HEDDLE_FENCE(__ATOMIC_ACQUIRE, s);
	else if (o == memory_order_release)
		__HEDDLE_FENCE(__ATOMIC_RELEASE, s);
	else
#endif
		__HEDDLE_FENCE(__ATOMIC_SEQ_CST, s);
}
#else
__HEDDLE_INLINE void __heddle_fence(memory_order o, memory_scope s)
{
	if (s == memory_scope_work_item || o == memory_order_relaxed)
		return;
	if (s == memory_scope_all_svm_devices)
		__nvvm_membar_sys();
	else if (s == memory_scope_device)
		__nvvm_membar_gl();
	else
		__nvvm_membar_cta();
}
#endif

#if defined(__AMDGCN__) && !defined(HEDDLE_INCOHERENT)
#define __HEDDLE_READ(p, o, s) __opencl_atomic_load(p, o, s)
#define __HEDDLE_WRITE(p, v, o, s) __opencl_atomic_store(p, v, o, s)
#define __HEDDLE_UPDATE(op, p, v, o, s) __opencl_atomic_##op(p, v, o, s)
#define __HEDDLE_SWAP(p, e, v, o, f, s) \
	__opencl_atomic_compare_exchange_strong(p, e, v, o, f, s)
#else
__HEDDLE_INLINE void __heddle_before(memory_order o, memory_scope s)
{
	if (o != memory_order_acquire)
		__heddle_fence(o, s);
}
__HEDDLE_INLINE void __heddle_behind(memory_order o, memory_scope s)
{
	if (o != memory_order_release)
		__heddle_fence(o, s);
}
#define __HEDDLE_BETWEEN(operation, o, s)           \
	({                                          \
		__heddle_before(o, s);              \
		__auto_type __heddle_v = operation; \
		__heddle_behind(o, s);              \
		__heddle_v;                         \
	})
#define __HEDDLE_READ(p, o, s) \
	__HEDDLE_BETWEEN(__opencl_atomic_load(p, memory_order_relaxed, s), o, s)
#define __HEDDLE_WRITE(p, v, o, s)                                    \
	({                                                            \
		__heddle_before(o, s);                                \
		__opencl_atomic_store(p, v, memory_order_relaxed, s); \
	})
#define __HEDDLE_UPDATE(op, p, v, o, s)                                       \
	__HEDDLE_BETWEEN(__opencl_atomic_##op(p, v, memory_order_relaxed, s), \
			 o, s)
#define __HEDDLE_SWAP(p, e, v, o, f, s)                           \
	__HEDDLE_BETWEEN(__opencl_atomic_compare_exchange_strong( \
				 p, e, v, memory_order_relaxed,   \
				 memory_order_relaxed, s),        \
			 o, s)
#endif

/* Without an order, or without a scope. */
#define __HEDDLE_PICK_ATOMIC(_1, _2, _3, _4, _5, _6, NAME, ...) NAME

#define __HEDDLE_READ1(p) \
	__HEDDLE_READ(p, memory_order_seq_cst, memory_scope_device)
#define __HEDDLE_READ2(p, o) __HEDDLE_READ(p, o, memory_scope_device)
#define atomic_load(p) __HEDDLE_READ1(p)
#define atomic_load_explicit(...)                                 \
	__HEDDLE_PICK_ATOMIC(__VA_ARGS__, 0, 0, 0, __HEDDLE_READ, \
			     __HEDDLE_READ2, __HEDDLE_READ1, 0)   \
	(__VA_ARGS__)

#define __HEDDLE_WRITE2(p, v) \
	__HEDDLE_WRITE(p, v, memory_order_seq_cst, memory_scope_device)
#define __HEDDLE_WRITE3(p, v, o) __HEDDLE_WRITE(p, v, o, memory_scope_device)
#define atomic_store(p, v) __HEDDLE_WRITE2(p, v)
#define atomic_store_explicit(...)                                   \
	__HEDDLE_PICK_ATOMIC(__VA_ARGS__, 0, 0, __HEDDLE_WRITE,      \
			     __HEDDLE_WRITE3, __HEDDLE_WRITE2, 0, 0) \
	(__VA_ARGS__)

#define __HEDDLE_UPDATE2(op, p, v) \
	__HEDDLE_UPDATE(op, p, v, memory_order_seq_cst, memory_scope_device)
#define __HEDDLE_UPDATE3(op, p, v, o) \
	__HEDDLE_UPDATE(op, p, v, o, memory_scope_device)
#define __HEDDLE_UPDATES(op, ...)                                      \
	__HEDDLE_PICK_ATOMIC(__VA_ARGS__, 0, 0, __HEDDLE_UPDATE,       \
			     __HEDDLE_UPDATE3, __HEDDLE_UPDATE2, 0, 0) \
	(op, __VA_ARGS__)
#define atomic_exchange(p, v) __HEDDLE_UPDATE2(exchange, p, v)
#define atomic_exchange_explicit(...) __HEDDLE_UPDATES(exchange, __VA_ARGS__)
#define atomic_fetch_add(p, v) __HEDDLE_UPDATE2(fetch_add, p, v)
#define atomic_fetch_add_explicit(...) __HEDDLE_UPDATES(fetch_add, __VA_ARGS__)
#define atomic_fetch_sub(p, v) __HEDDLE_UPDATE2(fetch_sub, p, v)
#define atomic_fetch_sub_explicit(...) __HEDDLE_UPDATES(fetch_sub, __VA_ARGS__)
#define atomic_fetch_or(p, v) __HEDDLE_UPDATE2(fetch_or, p, v)
#define atomic_fetch_or_explicit(...) __HEDDLE_UPDATES(fetch_or, __VA_ARGS__)
#define atomic_fetch_xor(p, v) __HEDDLE_UPDATE2(fetch_xor, p, v)
#define atomic_fetch_xor_explicit(...) __HEDDLE_UPDATES(fetch_xor, __VA_ARGS__)
#define atomic_fetch_and(p, v) __HEDDLE_UPDATE2(fetch_and, p, v)
#define atomic_fetch_and_explicit(...) __HEDDLE_UPDATES(fetch_and, __VA_ARGS__)
#define atomic_fetch_min(p, v) __HEDDLE_UPDATE2(fetch_min, p, v)
#define atomic_fetch_min_explicit(...) __HEDDLE_UPDATES(fetch_min, __VA_ARGS__)
#define atomic_fetch_max(p, v) __HEDDLE_UPDATE2(fetch_max, p, v)
#define atomic_fetch_max_explicit(...) __HEDDLE_UPDATES(fetch_max, __VA_ARGS__)

#define __HEDDLE_SWAP5(p, e, v, o, f) \
	__HEDDLE_SWAP(p, e, v, o, f, memory_scope_device)
#define atomic_compare_exchange_strong(p, e, v) \
	__HEDDLE_SWAP5(p, e, v, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_strong_explicit(...)                           \
	__HEDDLE_PICK_ATOMIC(__VA_ARGS__, __HEDDLE_SWAP, __HEDDLE_SWAP5, 0, 0, \
			     0, 0)                                             \
	(__VA_ARGS__)
#define atomic_compare_exchange_weak atomic_compare_exchange_strong
#define atomic_compare_exchange_weak_explicit \
	atomic_compare_exchange_strong_explicit

#define atomic_init(p, v) \
	__HEDDLE_WRITE(p, v, memory_order_relaxed, memory_scope_work_item)

#define __HEDDLE_SET1(p) (__HEDDLE_UPDATE2(exchange, p, 1) != 0)
#define __HEDDLE_SET2(p, o) (__HEDDLE_UPDATE3(exchange, p, 1, o) != 0)
#define __HEDDLE_SET3(p, o, s) (__HEDDLE_UPDATE(exchange, p, 1, o, s) != 0)
#define atomic_flag_test_and_set(p) __HEDDLE_SET1(p)
#define atomic_flag_test_and_set_explicit(...)                    \
	__HEDDLE_PICK_ATOMIC(__VA_ARGS__, 0, 0, 0, __HEDDLE_SET3, \
			     __HEDDLE_SET2, __HEDDLE_SET1, 0)     \
	(__VA_ARGS__)
#define __HEDDLE_CLEAR2(p, o) __HEDDLE_WRITE3(p, 0, o)
#define __HEDDLE_CLEAR3(p, o, s) __HEDDLE_WRITE(p, 0, o, s)
#define atomic_flag_clear(p) __HEDDLE_WRITE2(p, 0)
#define atomic_flag_clear_explicit(...)                             \
	__HEDDLE_PICK_ATOMIC(__VA_ARGS__, 0, 0, 0, __HEDDLE_CLEAR3, \
			     __HEDDLE_CLEAR2, atomic_flag_clear, 0) \
	(__VA_ARGS__)
#ifndef ATOMIC_VAR_INIT
#define ATOMIC_VAR_INIT(v) (v)
#endif
#ifndef ATOMIC_FLAG_INIT
#define ATOMIC_FLAG_INIT 0
#endif

/* Of all memory in any case: more than flags ask for. */
#define atomic_work_item_fence(flags, order, scope) \
	((void)(flags), __heddle_fence(order, scope))

/* A barrier, and what its scope asks for beyond the group. */
#define __HEDDLE_BARRIER1(flags) barrier(flags)
#define __HEDDLE_BARRIER2(flags, s)                                \
	(__heddle_beyond(memory_order_release, s), barrier(flags), \
	 __heddle_beyond(memory_order_acquire, s))
__HEDDLE_INLINE void __heddle_beyond(memory_order o, memory_scope s)
{
	if (s == memory_scope_device || s == memory_scope_all_svm_devices)
		__heddle_fence(o, s);
}
#define work_group_barrier(...)                                          \
	__HEDDLE_PICK_ATOMIC(__VA_ARGS__, 0, 0, 0, 0, __HEDDLE_BARRIER2, \
			     __HEDDLE_BARRIER1, 0)                       \
	(__VA_ARGS__)
#endif
