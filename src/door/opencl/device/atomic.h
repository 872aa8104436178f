/*
 * Atomics of OpenCL C 2.0 and later, with and without an order and a scope. The
 * compiler has them as operations, but not for PTX; libclc has no such functions.
 */
#if __OPENCL_C_VERSION__ >= 200 && defined(__AMDGCN__)
#define __HEDDLE_ATOMIC_PICK(_1, _2, _3, _4, _5, _6, NAME, ...) NAME

#define __HEDDLE_LOAD1(p) \
	__opencl_atomic_load(p, memory_order_seq_cst, memory_scope_device)
#define __HEDDLE_LOAD2(p, o) __opencl_atomic_load(p, o, memory_scope_device)
#define __HEDDLE_LOAD3(p, o, s) __opencl_atomic_load(p, o, s)
#define atomic_load(p) __HEDDLE_LOAD1(p)
#define atomic_load_explicit(...)                                          \
	__HEDDLE_ATOMIC_PICK(__VA_ARGS__, 0, 0, 0, __HEDDLE_LOAD3,         \
			     __HEDDLE_LOAD2, __HEDDLE_LOAD1, 0)            \
	(__VA_ARGS__)

/* What has a pointer and a value. */
#define __HEDDLE_TWO2(op, p, v) \
	__opencl_atomic_##op(p, v, memory_order_seq_cst, memory_scope_device)
#define __HEDDLE_TWO3(op, p, v, o) \
	__opencl_atomic_##op(p, v, o, memory_scope_device)
#define __HEDDLE_TWO4(op, p, v, o, s) __opencl_atomic_##op(p, v, o, s)
#define __HEDDLE_TWO(op, ...)                                              \
	__HEDDLE_ATOMIC_PICK(__VA_ARGS__, 0, 0, __HEDDLE_TWO4,             \
			     __HEDDLE_TWO3, __HEDDLE_TWO2, 0, 0)           \
	(op, __VA_ARGS__)
#define atomic_store(p, v) __HEDDLE_TWO2(store, p, v)
#define atomic_store_explicit(...) __HEDDLE_TWO(store, __VA_ARGS__)
#define atomic_exchange(p, v) __HEDDLE_TWO2(exchange, p, v)
#define atomic_exchange_explicit(...) __HEDDLE_TWO(exchange, __VA_ARGS__)
#define atomic_fetch_add(p, v) __HEDDLE_TWO2(fetch_add, p, v)
#define atomic_fetch_add_explicit(...) __HEDDLE_TWO(fetch_add, __VA_ARGS__)
#define atomic_fetch_sub(p, v) __HEDDLE_TWO2(fetch_sub, p, v)
#define atomic_fetch_sub_explicit(...) __HEDDLE_TWO(fetch_sub, __VA_ARGS__)
#define atomic_fetch_or(p, v) __HEDDLE_TWO2(fetch_or, p, v)
#define atomic_fetch_or_explicit(...) __HEDDLE_TWO(fetch_or, __VA_ARGS__)
#define atomic_fetch_xor(p, v) __HEDDLE_TWO2(fetch_xor, p, v)
#define atomic_fetch_xor_explicit(...) __HEDDLE_TWO(fetch_xor, __VA_ARGS__)
#define atomic_fetch_and(p, v) __HEDDLE_TWO2(fetch_and, p, v)
#define atomic_fetch_and_explicit(...) __HEDDLE_TWO(fetch_and, __VA_ARGS__)
#define atomic_fetch_min(p, v) __HEDDLE_TWO2(fetch_min, p, v)
#define atomic_fetch_min_explicit(...) __HEDDLE_TWO(fetch_min, __VA_ARGS__)
#define atomic_fetch_max(p, v) __HEDDLE_TWO2(fetch_max, p, v)
#define atomic_fetch_max_explicit(...) __HEDDLE_TWO(fetch_max, __VA_ARGS__)

#define __HEDDLE_SWAP5(p, e, v, a, b) \
	__opencl_atomic_compare_exchange_strong(p, e, v, a, b, \
						memory_scope_device)
#define __HEDDLE_SWAP6(p, e, v, a, b, s) \
	__opencl_atomic_compare_exchange_strong(p, e, v, a, b, s)
#define atomic_compare_exchange_strong(p, e, v)        \
	__HEDDLE_SWAP5(p, e, v, memory_order_seq_cst, \
		       memory_order_seq_cst)
#define atomic_compare_exchange_strong_explicit(...)                 \
	__HEDDLE_ATOMIC_PICK(__VA_ARGS__, __HEDDLE_SWAP6,            \
			     __HEDDLE_SWAP5, 0, 0, 0, 0)             \
	(__VA_ARGS__)
#define atomic_compare_exchange_weak atomic_compare_exchange_strong
#define atomic_compare_exchange_weak_explicit \
	atomic_compare_exchange_strong_explicit

#define atomic_init(p, v) \
	__opencl_atomic_store(p, v, memory_order_relaxed, \
			      memory_scope_work_item)
#define atomic_flag_test_and_set(p) (__HEDDLE_TWO2(exchange, p, 1) != 0)
#define atomic_flag_clear(p) __HEDDLE_TWO2(store, p, 0)

/* A fence of its flags in any case: more than a scope asks for. */
#define atomic_work_item_fence(flags, order, scope) mem_fence(flags)
#define work_group_barrier(flags, ...) barrier(flags)
#endif
