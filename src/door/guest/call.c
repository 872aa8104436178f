/* Calls: from the words of a guest to the arguments of door/opencl, and back. */
#include "door/guest/rt_state.h"
#include "door/guest/state.h"
#include "door/opencl/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gcl_state gcl;

/*
 * The functions, from call.def
 */

#define A(type, i) (type)(uintptr_t) a[i]
#define FROM_INT (uint64_t)(int64_t)
#define FROM_NEW(type) (uint64_t)(uintptr_t)
#define FROM_PTR (uint64_t)(uintptr_t)
#define FROM_ADDR (uint64_t)(uintptr_t)
/* A function that returns nothing always succeeds. */
#define clSVMFree(c, at) (clSVMFree(c, at), CL_SUCCESS)
#define DO(result, name, ...)                           \
	static uint64_t do_##name(const uint64_t *a)    \
	{                                               \
		return FROM_##result name(__VA_ARGS__); \
	}
/* clang-format off */
#define CALL1(way, result, name, t0, k0) DO(result, name, A(t0, 0))
#define CALL2(way, result, name, t0, k0, t1, k1) DO(result, name, A(t0, 0), A(t1, 1))
#define CALL3(way, result, name, t0, k0, t1, k1, t2, k2) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2))
#define CALL4(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3))
#define CALL5(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4))
#define CALL6(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4), A(t5, 5))
#define CALL7(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4), A(t5, 5), A(t6, 6))
#define CALL8(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4), A(t5, 5), A(t6, 6), A(t7, 7))
#define CALL9(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4), A(t5, 5), A(t6, 6), A(t7, 7), A(t8, 8))
#define CALL10(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4), A(t5, 5), A(t6, 6), A(t7, 7), A(t8, 8), A(t9, 9))
#define CALL11(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4), A(t5, 5), A(t6, 6), A(t7, 7), A(t8, 8), A(t9, 9), A(t10, 10))
#define CALL12(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10, t11, k11) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4), A(t5, 5), A(t6, 6), A(t7, 7), A(t8, 8), A(t9, 9), A(t10, 10), A(t11, 11))
#define CALL13(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10, t11, k11, t12, k12) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4), A(t5, 5), A(t6, 6), A(t7, 7), A(t8, 8), A(t9, 9), A(t10, 10), A(t11, 11), A(t12, 12))
#define CALL14(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10, t11, k11, t12, k12, t13, k13) DO(result, name, A(t0, 0), A(t1, 1), A(t2, 2), A(t3, 3), A(t4, 4), A(t5, 5), A(t6, 6), A(t7, 7), A(t8, 8), A(t9, 9), A(t10, 10), A(t11, 11), A(t12, 12), A(t13, 13))
/* clang-format on */
#include "door/guest/call.def"

#define CLASS_INT RESULT_INT
#define CLASS_NEW(type) RESULT_HANDLE
#define CLASS_PTR RESULT_ADDRESS
#define CLASS_ADDR RESULT_WORD
#define ARG_V                \
	{                    \
		KIND_V, 0, 0 \
	}
#define ARG_H                \
	{                    \
		KIND_H, 0, 0 \
	}
#define ARG_HS(n)             \
	{                     \
		KIND_HS, n, 0 \
	}
#define ARG_I(b)             \
	{                    \
		KIND_I, 0, b \
	}
#define ARG_IN(n, b)          \
	{                     \
		KIND_IN, n, b \
	}
#define ARG_D(n)             \
	{                    \
		KIND_D, n, 0 \
	}
#define ARG_IS(n)             \
	{                     \
		KIND_IS, n, 0 \
	}
#define ARG_O(b)             \
	{                    \
		KIND_O, 0, b \
	}
#define ARG_ON(n, b)          \
	{                     \
		KIND_ON, n, b \
	}
#define ARG_OH                \
	{                     \
		KIND_OH, 0, 0 \
	}
#define ARG_OHN(n)             \
	{                      \
		KIND_OHN, n, 0 \
	}
#define ARG_OHS(n)             \
	{                      \
		KIND_OHS, n, 0 \
	}
#define ARG_S                \
	{                    \
		KIND_S, 0, 0 \
	}
#define ARG_L                \
	{                    \
		KIND_L, 0, 0 \
	}
#define ARG_P                \
	{                    \
		KIND_P, 0, 0 \
	}
#define ARG_C                \
	{                    \
		KIND_C, 0, 0 \
	}
#define ARG_F                \
	{                    \
		KIND_F, 0, 0 \
	}
#define ARG_Q(n)             \
	{                    \
		KIND_Q, n, 0 \
	}
#define ARG_STRINGS(n, m)          \
	{                          \
		KIND_STRINGS, n, m \
	}
#define ARG_PAIRS                \
	{                        \
		KIND_PAIRS, 0, 0 \
	}
#define ARG_IMAGE                \
	{                        \
		KIND_IMAGE, 0, 0 \
	}
#define ARG_VALUE                \
	{                        \
		KIND_VALUE, 0, 0 \
	}
#define ROW(result, name, n, ...) \
	[GCL_##name] = { #name, CLASS_##result, n, { __VA_ARGS__ }, do_##name },

static const struct gcl_row rows[GCL_FUNCTIONS] = {
/* clang-format off */
#define CALL1(way, result, name, t0, k0) ROW(result, name, 1, ARG_##k0)
#define CALL2(way, result, name, t0, k0, t1, k1) ROW(result, name, 2, ARG_##k0, ARG_##k1)
#define CALL3(way, result, name, t0, k0, t1, k1, t2, k2) ROW(result, name, 3, ARG_##k0, ARG_##k1, ARG_##k2)
#define CALL4(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3) ROW(result, name, 4, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3)
#define CALL5(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4) ROW(result, name, 5, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4)
#define CALL6(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5) ROW(result, name, 6, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4, ARG_##k5)
#define CALL7(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6) ROW(result, name, 7, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4, ARG_##k5, ARG_##k6)
#define CALL8(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7) ROW(result, name, 8, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4, ARG_##k5, ARG_##k6, ARG_##k7)
#define CALL9(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8) ROW(result, name, 9, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4, ARG_##k5, ARG_##k6, ARG_##k7, ARG_##k8)
#define CALL10(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9) ROW(result, name, 10, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4, ARG_##k5, ARG_##k6, ARG_##k7, ARG_##k8, ARG_##k9)
#define CALL11(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10) ROW(result, name, 11, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4, ARG_##k5, ARG_##k6, ARG_##k7, ARG_##k8, ARG_##k9, ARG_##k10)
#define CALL12(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10, t11, k11) ROW(result, name, 12, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4, ARG_##k5, ARG_##k6, ARG_##k7, ARG_##k8, ARG_##k9, ARG_##k10, ARG_##k11)
#define CALL13(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10, t11, k11, t12, k12) ROW(result, name, 13, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4, ARG_##k5, ARG_##k6, ARG_##k7, ARG_##k8, ARG_##k9, ARG_##k10, ARG_##k11, ARG_##k12)
#define CALL14(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10, t11, k11, t12, k12, t13, k13) ROW(result, name, 14, ARG_##k0, ARG_##k1, ARG_##k2, ARG_##k3, ARG_##k4, ARG_##k5, ARG_##k6, ARG_##k7, ARG_##k8, ARG_##k9, ARG_##k10, ARG_##k11, ARG_##k12, ARG_##k13)
/* clang-format on */
#include "door/guest/call.def"
};

/*
 * Arguments
 */

enum { LIST_MOST = 64, STRING_MOST = 16 << 20, DIMENSIONS = 3 };

/* Functions of the program that are passed on and never called. */
static void never(void)
{
}

/* The library calls the program's when the command has ended. */
static void CL_CALLBACK frees_nothing(cl_command_queue q, cl_uint count,
				      void **list, void *data)
{
	(void)q, (void)count, (void)list, (void)data;
}

static uint64_t here(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static const void *readable(const struct gcl_call *c, uint64_t at,
			    uint64_t size)
{
	return x86_mem_get(c->mem, at, size);
}

static bool writable(const struct gcl_call *c, uint64_t at, uint64_t size)
{
	return x86_mem_can(c->mem, at, size, X86_WRITE | X86_DECODED);
}

/* Gives argument i a copy of bytes of the program, or zeroed room for them. */
static bool take_room(struct gcl_call *c, unsigned i, uint64_t size,
		      bool copies)
{
	const void *from = NULL;

	if (copies) {
		from = readable(c, c->word[i], size);
		if (!from)
			return false;
	} else if (!writable(c, c->word[i], size)) {
		return false;
	}
	c->room[i] = calloc(1, size + 8);
	if (!c->room[i])
		return false;
	if (from)
		memcpy(c->room[i], from, size);
	c->host[i] = here(c->room[i]);
	return true;
}

static bool take_handles(struct gcl_call *c, unsigned i, uint64_t count)
{
	if (!take_room(c, i, 8 * count, true))
		return false;
	for (uint64_t k = 0; k < count; k++) {
		uint64_t *w = (uint64_t *)c->room[i] + k;

		*w = here(gcl_object(*w));
	}
	return true;
}

static bool take_list(struct gcl_call *c, unsigned i)
{
	for (uint64_t n = 1; n <= LIST_MOST; n++) {
		const void *last = readable(c, c->word[i] + 8 * (n - 1), 8);
		uint64_t v;

		if (!last)
			return false;
		memcpy(&v, last, sizeof(v));
		if (!v)
			return take_room(c, i, 8 * n, true);
	}
	return false;
}

static bool take_string(struct gcl_call *c, unsigned i)
{
	const char *s = x86_mem_string(c->mem, c->word[i], STRING_MOST);

	c->host[i] = here(s);
	return s != NULL;
}

/* The room for an answer is the program's; how much is used must be known. */
static bool take_query(struct gcl_call *c, unsigned i)
{
	unsigned n = c->row->arg[i].other;

	if ((cl_uint)c->word[n] == CL_PROGRAM_BINARIES)
		return gcl_read_places(c, i);
	c->host[i] = here(gcl_pointer(c->word[i]));
	return writable(c, c->word[i], c->word[n + 1]);
}

static bool take_address(struct gcl_call *c, unsigned i)
{
	const struct gcl_arg *a = &c->row->arg[i];
	uint64_t count = (uint32_t)c->word[a->other];

	switch ((enum gcl_kind)a->kind) {
	case KIND_HS:
		return take_handles(c, i, count);
	case KIND_I:
		return take_room(c, i, a->bytes, true);
	case KIND_IN:
		return take_room(c, i, count * a->bytes, true);
	case KIND_D:
		return take_room(c, i,
				 8 * (count < DIMENSIONS ? count : DIMENSIONS),
				 true);
	case KIND_IS:
		c->host[i] = here(gcl_pointer(c->word[i]));
		return readable(c, c->word[i], c->word[a->other]) != NULL;
	case KIND_O:
		return take_room(c, i, a->bytes, false);
	case KIND_ON:
		return take_room(c, i, count * a->bytes, false);
	case KIND_OH:
		return take_room(c, i, 8, false);
	case KIND_OHN:
	case KIND_OHS:
		return take_room(c, i, 8 * count, false);
	case KIND_S:
		return take_string(c, i);
	case KIND_L:
		return take_list(c, i);
	case KIND_P:
		c->host[i] = here(gcl_pointer(c->word[i]));
		return true;
	case KIND_C:
		c->host[i] = (uint64_t)(uintptr_t)never;
		return true;
	case KIND_F:
		c->host[i] = (uint64_t)(uintptr_t)frees_nothing;
		return true;
	case KIND_Q:
		return take_query(c, i);
	case KIND_STRINGS:
		return gcl_read_strings(c, i);
	case KIND_PAIRS:
		return gcl_read_pairs(c, i);
	case KIND_IMAGE:
		return gcl_read_image(c, i);
	case KIND_VALUE:
		return gcl_read_value(c, i);
	default:
		return false;
	}
}

static bool take_argument(struct gcl_call *c, unsigned i)
{
	switch ((enum gcl_kind)c->row->arg[i].kind) {
	case KIND_V:
		c->host[i] = c->word[i];
		return true;
	case KIND_H:
		c->host[i] = here(gcl_object(c->word[i]));
		return true;
	default:
		/* NULL is what it is; whether it may be is for door/opencl. */
		c->host[i] = 0;
		return !c->word[i] || take_address(c, i);
	}
}

/* The size of an answer is wanted, whether the program wants it or not. */
static bool take_answer_size(struct gcl_call *c)
{
	for (unsigned i = 0; i + 1 < c->row->count; i++)
		if (c->row->arg[i].kind == KIND_Q && !c->host[i + 1]) {
			c->room[i + 1] = calloc(1, 8);
			c->host[i + 1] = here(c->room[i + 1]);
			return c->room[i + 1] != NULL;
		}
	return true;
}

static bool take_arguments(struct gcl_call *c, uint64_t words)
{
	const void *from = readable(c, words, 8ull * c->row->count);

	if (!from)
		return false;
	memcpy(c->word, from, 8ull * c->row->count);
	for (unsigned i = 0; i < c->row->count; i++)
		if (!take_argument(c, i))
			return false;
	return take_answer_size(c);
}

/*
 * Results
 */

/* Writes what the program asked for; it was checked before. */
static void give(uint64_t at, const void *from, uint64_t size)
{
	void *to = x86_mem_put(x86_process_mem(gcl.process), at, size);

	if (to && size)
		memcpy(to, from, size);
}

static void give_handles(const struct gcl_call *c, unsigned i, uint64_t count,
			 bool made)
{
	void *const *from = c->room[i];

	for (uint64_t k = 0; k < count; k++) {
		uint64_t v = !from[k] ? 0 :
			     made     ? gcl_handle_new(from[k]) :
					gcl_handle(from[k]);

		if (v)
			give(c->word[i] + 8 * k, &v, sizeof(v));
	}
}

static void give_answer(const struct gcl_call *c, unsigned i)
{
	size_t size;

	memcpy(&size, c->room[i + 1], sizeof(size));
	gcl_translate_answer((cl_uint)c->word[c->row->arg[i].other],
			     gcl_pointer(c->word[i]), size);
}

static void give_argument(const struct gcl_call *c, unsigned i)
{
	const struct gcl_arg *a = &c->row->arg[i];
	uint64_t count = (uint32_t)c->word[a->other];

	switch ((enum gcl_kind)a->kind) {
	case KIND_O:
		give(c->word[i], c->room[i], a->bytes);
		break;
	case KIND_ON:
		give(c->word[i], c->room[i], count * a->bytes);
		break;
	case KIND_OH:
		give_handles(c, i, 1, true);
		break;
	case KIND_OHN:
	case KIND_OHS:
		give_handles(c, i, count, a->kind == KIND_OHN);
		break;
	case KIND_Q:
		give_answer(c, i);
		break;
	default:
		break;
	}
}

static int64_t give_results(const struct gcl_call *c, uint64_t result)
{
	if (c->row->result == RESULT_INT && result)
		return (int64_t)result;
	for (unsigned i = 0; i < c->row->count; i++)
		if (c->word[i])
			give_argument(c, i);
	if (c->row->result == RESULT_HANDLE)
		return (int64_t)gcl_handle_new((void *)(uintptr_t)result);
	if (c->row->result == RESULT_WORD)
		return (int64_t)result;
	if (c->row->result == RESULT_ADDRESS)
		return (int64_t)gcl_address((void *)(uintptr_t)result);
	return 0;
}

/* An address was wrong. */
static int64_t give_error(const struct gcl_call *c)
{
	const cl_int e = CL_INVALID_VALUE;
	uint64_t place = c->word[c->row->count - 1];

	if (c->row->result == RESULT_INT)
		return e;
	if (c->row->result == RESULT_WORD)
		return 0;
	if (place && writable(c, place, sizeof(e)))
		give(place, &e, sizeof(e));
	return 0;
}

/* What the program has copied, or is about to: bytes of the arguments. */
static void count_moved(struct x86_thread *t, const struct gcl_call *c)
{
	switch (c->row - rows) {
	case GCL_clCreateBuffer:
	case GCL_clCreateImage:
	case GCL_clCreateImage2D:
	case GCL_clCreateImage3D:
	case GCL_clSVMAlloc:
	case GCL_clSetKernelArgSVMPointer:
		timed_buffer_made();
		break;
	case GCL_clEnqueueSVMMap:
		timed_moved(t, 0, c->word[2] & CL_MAP_READ);
		break;
	case GCL_clEnqueueMapBuffer:
		timed_moved(t, 0, c->word[3] & CL_MAP_READ);
		break;
	case GCL_clEnqueueReadBuffer:
		timed_moved(t, c->word[4], true);
		break;
	case GCL_clEnqueueWriteBuffer:
		timed_moved(t, c->word[4], false);
		break;
	case GCL_clEnqueueReadBufferRect:
	case GCL_clEnqueueWriteBufferRect:
		timed_moved(t, 0, c->row - rows == GCL_clEnqueueReadBufferRect);
		break;
	default:
		break;
	}
}

static int64_t call_row(struct x86_thread *t, const struct gcl_row *row,
			uint64_t words)
{
	struct gcl_call c = { .row = row, .mem = x86_process_mem(gcl.process) };
	int64_t result = take_arguments(&c, words) ?
				 give_results(&c, row->call(c.host)) :
				 give_error(&c);

	count_moved(t, &c);

	for (unsigned i = 0; i < row->count; i++)
		free(c.room[i]);
	return result;
}

/*
 * Functions of our own
 */

/* Whether clWaitForEvents would wait. */
static bool must_wait(cl_uint count, const cl_event *list)
{
	cl_context first = NULL, context;
	bool waits = false;
	cl_int status;

	for (cl_uint i = 0; i < count; i++) {
		if (clGetEventInfo(list[i], CL_EVENT_CONTEXT, sizeof(context),
				   &context, NULL) ||
		    clGetEventInfo(list[i], CL_EVENT_COMMAND_EXECUTION_STATUS,
				   sizeof(status), &status, NULL))
			return false;
		if (first && context != first)
			return false;
		first = context;
		waits |= status > CL_COMPLETE;
	}
	return waits;
}

static int64_t call_wait(struct x86_thread *t, uint64_t words)
{
	static const struct gcl_row row = {
		.name = "clWaitForEvents",
		.count = 3,
		.arg = { { KIND_V, 0, 0 }, { KIND_HS, 0, 0 }, { KIND_O, 0, 4 } }
	};
	struct gcl_call c = { .row = &row,
			      .mem = x86_process_mem(gcl.process) };
	cl_int e = CL_INVALID_VALUE;
	int64_t result = 1;

	timed_place(t);
	if (take_arguments(&c, words)) {
		cl_uint count = (cl_uint)c.word[0];
		const cl_event *list = c.room[1];

		if (must_wait(count, list))
			result = X86_SERVICE_SLEEP;
		else
			e = clWaitForEvents(count, list);
	}
	if (result == 1 && c.room[2])
		give(c.word[2], &e, sizeof(e));
	for (unsigned i = 0; i < row.count; i++)
		free(c.room[i]);
	return result;
}

static int64_t call_place(struct x86_thread *t, uint64_t words)
{
	const void *from = x86_mem_get(x86_process_mem(gcl.process), words,
				       8 * GCL_PLACE_WORDS);
	uint64_t w[GCL_PLACE_WORDS];

	if (!from)
		return 0;
	memcpy(w, from, sizeof(w));
	timed_place(t);
	return (int64_t)gcl_place(w);
}

static int64_t serve(void *ctx, struct x86_process *p, struct x86_thread *t,
		     uint64_t function, uint64_t words)
{
	int64_t result;
	struct diag d;

	(void)ctx;
	gcl.process = p;
	if (gcl_open(&d)) {
		x86_process_refuse(p, t, d.text);
		return 0;
	}
	timed_call(t, function);
	cl.moved = function & GCL_MOVED;
	function &= ~(uint64_t)GCL_MOVED;
	if (function == GCL_WAIT)
		return call_wait(t, words);
	if (function == GCL_PLACE)
		return call_place(t, words);
	if (function == GCL_FLUSHES)
		return gcl.flushes;
	if (function >= GCL_FUNCTIONS)
		return CL_INVALID_OPERATION;
	result = call_row(t, &rows[function], words);
	cl.moved = false;
	/* What kernels have printed comes before what the program prints next. */
	fflush(stdout);
	return result;
}

struct x86_service gcl_service(void)
{
	return (struct x86_service){ .call = serve, .number = GCL_SYSCALL };
}
