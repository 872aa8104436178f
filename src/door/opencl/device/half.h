/*
 * Loads and stores of halves. They are part of OpenCL without cl_khr_fp16, which is
 * when clang 14 does not declare them; libclc defines them.
 */
#ifndef cl_khr_fp16
#define __HEDDLE_FN __attribute__((overloadable, pure))
#define __HEDDLE_LOADS(space)                                     \
	__HEDDLE_FN float vload_half(size_t, const space half *); \
	__HEDDLE_LOAD(space, 2)                                   \
	__HEDDLE_LOAD(space, 3)                                   \
	__HEDDLE_LOAD(space, 4)                                   \
	__HEDDLE_LOAD(space, 8)                                   \
	__HEDDLE_LOAD(space, 16)
#define __HEDDLE_LOAD(space, n)                                         \
	__HEDDLE_FN float##n vload_half##n(size_t, const space half *); \
	__HEDDLE_FN float##n vloada_half##n(size_t, const space half *);

__HEDDLE_LOADS(global)
__HEDDLE_LOADS(local)
__HEDDLE_LOADS(constant)
__HEDDLE_LOADS(private)
#undef __HEDDLE_FN
#undef __HEDDLE_LOADS
#undef __HEDDLE_LOAD

#define __HEDDLE_FN __attribute__((overloadable))
#define __HEDDLE_STORES(space, type)      \
	__HEDDLE_STORE(space, type, )     \
	__HEDDLE_STORE(space, type, _rte) \
	__HEDDLE_STORE(space, type, _rtz) \
	__HEDDLE_STORE(space, type, _rtp) \
	__HEDDLE_STORE(space, type, _rtn)
#define __HEDDLE_STORE(space, type, mode)                               \
	__HEDDLE_FN void vstore_half##mode(type, size_t, space half *); \
	__HEDDLE_STORE_N(space, type, 2, mode)                          \
	__HEDDLE_STORE_N(space, type, 3, mode)                          \
	__HEDDLE_STORE_N(space, type, 4, mode)                          \
	__HEDDLE_STORE_N(space, type, 8, mode)                          \
	__HEDDLE_STORE_N(space, type, 16, mode)
#define __HEDDLE_STORE_N(space, type, n, mode)                                \
	__HEDDLE_FN void vstore_half##n##mode(type##n, size_t, space half *); \
	__HEDDLE_FN void vstorea_half##n##mode(type##n, size_t, space half *);

__HEDDLE_STORES(global, float)
__HEDDLE_STORES(local, float)
__HEDDLE_STORES(private, float)
__HEDDLE_STORES(global, double)
__HEDDLE_STORES(local, double)
__HEDDLE_STORES(private, double)
#undef __HEDDLE_FN
#undef __HEDDLE_STORES
#undef __HEDDLE_STORE
#undef __HEDDLE_STORE_N
#endif
