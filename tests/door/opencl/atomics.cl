/* Atomics of OpenCL C 2.0 in all orders and scopes; see language.c. */
#define WORDS 16

/* Every item does each, in some order; results do not depend on it. */
#define EACH(name, space, type, stype)                                         \
	void name(space atomic_##type *a, space atomic_##stype *s, uint i,     \
		  type v)                                                      \
	{                                                                      \
		atomic_fetch_add(&a[0], v);                                    \
		atomic_fetch_add_explicit(&a[1], v, memory_order_relaxed);     \
		atomic_fetch_sub_explicit(&a[2], v, memory_order_acquire,      \
					  memory_scope_work_group);            \
		atomic_fetch_or_explicit(&a[3], v & 0x1248, memory_order_release, \
					 memory_scope_device);                 \
		atomic_fetch_xor_explicit(&a[4], v, memory_order_acq_rel,      \
					  memory_scope_device);                \
		atomic_fetch_and_explicit(&a[5], v | 0xf0f0,                   \
					  memory_order_seq_cst,                \
					  memory_scope_all_svm_devices);       \
		atomic_fetch_max(&a[6], v);                                    \
		atomic_fetch_min(&a[7], v);                                    \
		atomic_fetch_max_explicit(&s[8], (stype)v,                     \
					  memory_order_relaxed);               \
		atomic_fetch_min_explicit(&s[9], -(stype)(v >> 1),             \
					  memory_order_acquire);               \
		type was = atomic_load(&a[10]);                                \
		while (!atomic_compare_exchange_weak(&a[10], &was, was + v))   \
			;                                                      \
		was = atomic_load_explicit(&a[11], memory_order_acquire,       \
					   memory_scope_device);               \
		while (!atomic_compare_exchange_strong_explicit(               \
			&a[11], &was, was ^ (v << 1 | i),                      \
			memory_order_acq_rel, memory_order_relaxed,            \
			memory_scope_device))                                  \
			;                                                      \
		if (i < 4)                                                     \
			atomic_store_explicit(&a[12 + i], v,                   \
					      memory_order_release);           \
	}

EACH(words, global, uint, int)
EACH(wide, global, ulong, long)
EACH(local_words, local, uint, int)
EACH(local_wide, local, ulong, long)

kernel void atomics32(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);

	words((global atomic_uint *)out, (global atomic_int *)out, i, in[i]);
}

kernel void atomics64(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);

	wide((global atomic_ulong *)out, (global atomic_long *)out, i,
	     (ulong)in[i] << 20 | in[i + 1]);
}

kernel void atomics_local(global uint *out, global const uint *in,
			  local ulong *t)
{
	uint i = get_global_id(0), l = get_local_id(0), g = get_group_id(0);
	local atomic_uint *t32 = (local atomic_uint *)(t + WORDS);
	uint n = get_local_size(0);

	for (uint k = l; k < 2 * WORDS; k += n)
		t[k] = k * 77;
	work_group_barrier(CLK_LOCAL_MEM_FENCE);
	local_wide((local atomic_ulong *)t, (local atomic_long *)t, l,
		   (ulong)in[i] << 20 | in[i + 1]);
	local_words(t32, (local atomic_int *)t32, l, in[i]);
	work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
	for (uint k = l; k < 2 * WORDS; k += n)
		((global ulong *)out)[2 * WORDS * g + k] = t[k];
}

/* What one item exchanges another one has left. */
kernel void exchange(global uint *out, global const uint *in)
{
	uint i = get_global_id(0);
	global atomic_float *f = (global atomic_float *)out;
	float was = atomic_exchange(f, (float)(i + 1));

	atomic_fetch_add((global atomic_uint *)&out[1], (uint)was);
	if (i < 3)
		atomic_store_explicit((global atomic_float *)&out[2 + i],
				      in[i] * 0x1p-20f, memory_order_relaxed);
	/* The last one is still there: all of them are in the sum then. */
	work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
	if (atomic_fetch_add((global atomic_uint *)&out[8], 1) ==
	    get_global_size(0) - 1)
		out[1] += (uint)atomic_exchange_explicit(
			f, 0.0f, memory_order_acq_rel, memory_scope_device);
}

/* A lock of a flag, taken by one item of a group at a time. */
kernel void lock(global uint *out, global const uint *in)
{
	global atomic_flag *flag = (global atomic_flag *)out;
	uint l = get_local_id(0), n = get_local_size(0);

	for (uint turn = 0; turn < 8; turn++) {
		if (l == turn * 7 % n) {
			while (atomic_flag_test_and_set_explicit(
				flag, memory_order_acquire,
				memory_scope_device))
				;
			out[1] = out[1] + in[get_global_id(0)];
			out[2] += 1;
			atomic_flag_clear_explicit(flag, memory_order_release,
						   memory_scope_device);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

/* Groups hand a message on, one after the other. */
kernel void pass(global uint *out, global const uint *in)
{
	global atomic_uint *turn = (global atomic_uint *)out;
	uint g = get_group_id(0), l = get_local_id(0);
	uint n = get_local_size(0);

	if (l == 0)
		while (atomic_load_explicit(turn, memory_order_acquire,
					    memory_scope_device) != g)
			;
	work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
	uint v = out[64 + (l + 1) % n] * 3 + in[g * n + l];
	work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
	out[64 + l] = v;
	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release,
			       memory_scope_device);
	work_group_barrier(CLK_GLOBAL_MEM_FENCE);
	if (l == 0)
		atomic_store_explicit(turn, g + 1, memory_order_relaxed,
				      memory_scope_device);
}
