/*
 * Memory through the library: what the host and the GPU share, its addresses,
 * its cost, and what is refused.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

#include "run_ptx.h"

#define GIB (UINT64_C(1) << 30)

/* Adds 1 to the word at the address in out[0]. */
static const char bump[] =
	KERNEL("ld.global.u64 %rd2, [%rd0]; ld.u32 %r1, [%rd2]; "
	       "add.u32 %r1, %r1, 1; st.u32 [%rd2], %r1; ret;");

static struct heddle_device *device(struct heddle_device_options o)
{
	struct heddle_device *dev = NULL;
	struct heddle_error err;

	heddle_device_new(&dev, &o, &err);
	STREQ("", err.text);
	return dev;
}

static int try_bump(struct heddle_device *dev, uint64_t at)
{
	struct heddle_module *mod = NULL;
	struct heddle_result result;
	heddle_ptr out;
	int status;

	EQ(0, heddle_module_load(dev, &mod, "t", bump, strlen(bump), NULL));
	EQ(0, heddle_alloc(dev, OUT_BYTES, &out, NULL));
	EQ(0, heddle_write(dev, out, &at, sizeof(at), NULL));
	status = heddle_launch(dev, mod,
			       &(struct heddle_launch){
				       .kernel = "k",
				       .grid = { 1, 1, 1 },
				       .block = { 1, 1, 1 },
				       .params = &out,
				       .param_bytes = sizeof(out),
			       },
			       &result, NULL);
	EQ(0, heddle_free(dev, out, NULL));
	heddle_module_free(dev, mod);
	return status;
}

TEST(api_memory, shared_memory_has_one_address_for_both)
{
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	void *at = NULL;
	volatile uint32_t *word;
	uint32_t copy = 0;

	EQ(0, heddle_alloc_shared(dev, 100, &at, NULL));
	word = (volatile uint32_t *)at;
	EQ(0, word[0]);
	word[1] = 41;
	EQ(0, try_bump(dev, (uintptr_t)&word[1]));
	EQ(42, word[1]);
	EQ(0, heddle_read(dev, &copy, (uintptr_t)&word[1], 4, NULL));
	EQ(42, copy);
	/* To the byte. */
	EQ(0, try_bump(dev, (uintptr_t)at + 96));
	EQ(HEDDLE_FAULT, try_bump(dev, (uintptr_t)at + 100));
	EQ(0, heddle_free(dev, (uintptr_t)at, NULL));
	EQ(HEDDLE_FAULT, try_bump(dev, (uintptr_t)at));
	heddle_device_free(dev);
}

TEST(api_memory, only_shared_and_mapped_memory_can_stay_with_the_host)
{
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	void *at = NULL;
	heddle_ptr own;
	uint32_t *mine = calloc(64, 4);

	EQ(0, heddle_alloc_shared(dev, 100, &at, NULL));
	EQ(0, heddle_alloc(dev, 100, &own, NULL));
	EQ(0, heddle_map(dev, mine, 256, NULL));
	EQ(0, heddle_stay(dev, (uintptr_t)at, NULL));
	EQ(0, heddle_stay(dev, (uintptr_t)mine, NULL));
	EQ(HEDDLE_RANGE, heddle_stay(dev, own, NULL));
	EQ(HEDDLE_RANGE, heddle_stay(dev, (uintptr_t)at + 4, NULL));
	EQ(0, try_bump(dev, (uintptr_t)at));
	EQ(1, *(uint32_t *)at);
	EQ(0, heddle_unmap(dev, mine, NULL));
	EQ(HEDDLE_RANGE, heddle_stay(dev, (uintptr_t)mine, NULL));
	free(mine);
	heddle_device_free(dev);
}

TEST(api_memory, shared_memory_is_where_it_was_in_the_last_run)
{
	void *at[2][3] = { { NULL } };

	for (int run = 0; run < 2; run++) {
		struct heddle_device *dev =
			device((struct heddle_device_options){ 0 });
		heddle_ptr other;

		EQ(0, heddle_alloc_shared(dev, 5, &at[run][0], NULL));
		EQ(0, heddle_alloc(dev, 1000, &other, NULL));
		EQ(0, heddle_alloc_shared(dev, 5 << 20, &at[run][1], NULL));
		EQ(0, heddle_alloc_shared(dev, 5, &at[run][2], NULL));
		for (int i = 0; i < 3; i++)
			memset(at[run][i], 1, 5);
		heddle_device_free(dev);
	}
	/* Some hosts, such as the thread sanitizer, use the device's addresses
	 * themselves. */
	for (int i = 0; i < 3; i++)
		if ((uintptr_t)at[0][i] >> 45 == 1)
			EQ(at[0][i], at[1][i]);
}

TEST(api_memory, an_address_that_the_host_uses_is_left_alone)
{
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	const size_t size = 1 << 16;
	void *first = NULL, *second = NULL;
	char *taken;

	EQ(0, heddle_alloc_shared(dev, size, &first, NULL));
	EQ(0, heddle_free(dev, (uintptr_t)first, NULL));
	taken = mmap(first, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	OK(taken != MAP_FAILED);
	taken[0] = 7;
	EQ(0, heddle_alloc_shared(dev, size, &second, NULL));
	OK(second != taken);
	memset(second, 1, size);
	EQ(7, taken[0]);
	EQ(0, try_bump(dev, (uintptr_t)second));
	munmap(taken, size);
	heddle_device_free(dev);
}

TEST(api_memory, the_hosts_memory_is_mapped_and_unmapped)
{
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	uint32_t *mine = calloc(64, 4);
	struct heddle_error err;
	char want[200];

	EQ(HEDDLE_FAULT, try_bump(dev, (uintptr_t)mine));
	EQ(0, heddle_map(dev, mine, 256, NULL));
	EQ(0, try_bump(dev, (uintptr_t)&mine[63]));
	EQ(1, mine[63]);
	EQ(HEDDLE_FAULT, try_bump(dev, (uintptr_t)&mine[64]));

	EQ(HEDDLE_RANGE, heddle_map(dev, mine, 4, &err));
	snprintf(want, sizeof(want),
		 "4 bytes at %p: the GPU has something else there",
		 (void *)mine);
	STREQ(want, err.text);
	EQ(HEDDLE_RANGE, heddle_map(dev, mine + 63, 8, NULL));
	EQ(HEDDLE_RANGE, heddle_map(dev, (char *)mine - 16, 17, NULL));
	EQ(0, heddle_map(dev, (char *)mine - 16, 16, NULL));
	EQ(0, heddle_unmap(dev, (char *)mine - 16, NULL));

	EQ(HEDDLE_RANGE, heddle_free(dev, (uintptr_t)mine, NULL));
	EQ(HEDDLE_RANGE, heddle_unmap(dev, mine + 1, NULL));
	EQ(0, heddle_unmap(dev, mine, NULL));
	EQ(HEDDLE_RANGE, heddle_unmap(dev, mine, NULL));
	EQ(HEDDLE_FAULT, try_bump(dev, (uintptr_t)mine));
	EQ(1, mine[63]);
	heddle_device_free(dev);
	free(mine);
}

TEST(api_memory, what_cannot_be_mapped_is_refused)
{
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	struct heddle_error err;
	heddle_ptr p;
	char byte;
	void *at;

	EQ(HEDDLE_RANGE, heddle_map(dev, NULL, 4, NULL));
	EQ(HEDDLE_RANGE, heddle_map(dev, &byte, 0, NULL));
	EQ(HEDDLE_RANGE, heddle_map(dev, &byte, UINT64_MAX, NULL));
	EQ(HEDDLE_RANGE, heddle_map(dev, (void *)0x1000000, 4, &err));
	STREQ("4 bytes at 0x1000000: the GPU has shared and local memory at "
	      "0x1000000 to 0x5000000",
	      err.text);
	EQ(0, heddle_alloc(dev, 256, &p, NULL));
	EQ(HEDDLE_RANGE, heddle_map(dev, (void *)(uintptr_t)p, 1, NULL));
	EQ(HEDDLE_RANGE, heddle_unmap(dev, (void *)(uintptr_t)p, NULL));
	EQ(HEDDLE_RANGE, heddle_alloc_shared(dev, 0, &at, NULL));
	EQ(HEDDLE_NOMEM, heddle_alloc_shared(dev, UINT64_MAX, &at, NULL));
	heddle_device_free(dev);
}

TEST(api_memory, thirty_two_bits_of_address_reach_shared_memory)
{
	struct heddle_device *dev =
		device((struct heddle_device_options){ .address32 = 1 });
	struct heddle_error err;
	char byte = 0;
	void *at = NULL;

	if (heddle_alloc_shared(dev, 100, &at, &err) == HEDDLE_OK) {
		OK((uintptr_t)at < 4 * GIB);
		memset(at, 1, 100);
	} else {
		/* A host that uses these addresses itself. */
		STREQ("the host has no 100 bytes left", err.text);
	}
	if ((uintptr_t)&byte > 4 * GIB)
		EQ(HEDDLE_RANGE, heddle_map(dev, &byte, 1, NULL));
	heddle_device_free(dev);
}

/* The number of the process's pages in memory. */
static uint64_t resident(void)
{
	unsigned long all = 0, here = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	OK(f != NULL);
	EQ(2, fscanf(f, "%lu %lu", &all, &here));
	fclose(f);
	return here * (uint64_t)sysconf(_SC_PAGESIZE);
}

TEST(api_memory, memory_costs_nothing_until_it_is_touched)
{
	struct heddle_device *dev =
		device((struct heddle_device_options){ .memory = 141 * GIB });
	uint64_t before = resident(), left, all, size;
	heddle_ptr p, base;
	char byte = 1;

	EQ(0, heddle_alloc(dev, 100 * GIB, &p, NULL));
	heddle_memory_info(dev, &left, &all);
	EQ(141 * GIB, all);
	OK(left <= 41 * GIB && left > 40 * GIB);
	EQ(HEDDLE_NOMEM, heddle_alloc(dev, 100 * GIB, &base, NULL));
	EQ(0, heddle_write(dev, p + 99 * GIB, &byte, 1, NULL));
	EQ(0, heddle_set(dev, p, 0, 100 * GIB, NULL));
	EQ(0, heddle_read(dev, &byte, p + 99 * GIB, 1, NULL));
	EQ(0, byte);
	OK(resident() - before < 64 << 20);
	EQ(0, heddle_range(dev, p + 100 * GIB - 1, &base, &size, NULL));
	EQ(p, base);
	EQ(100 * GIB, size);
	EQ(HEDDLE_RANGE, heddle_range(dev, p + 100 * GIB, &base, &size, NULL));
	EQ(0, heddle_free(dev, p, NULL));
	heddle_memory_info(dev, &left, &all);
	OK(left > 140 * GIB);
	heddle_device_free(dev);
}

TEST(api_memory, zeros_are_written_to_the_byte)
{
	const uint64_t size = 70 << 20;
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	unsigned char *copy = malloc(size);
	heddle_ptr p;

	EQ(0, heddle_alloc(dev, size, &p, NULL));
	EQ(0, heddle_set(dev, p, 0xa5, size, NULL));
	EQ(0, heddle_set(dev, p + 3, 0, size - 8, NULL));
	EQ(0, heddle_read(dev, copy, p, size, NULL));
	for (uint64_t i = 0; i < size; i++)
		if (copy[i] != (i < 3 || i >= size - 5 ? 0xa5 : 0))
			EQ(0, i);
	free(copy);
	heddle_device_free(dev);
}

TEST(api_memory, a_copy_inside_of_the_device_may_overlap)
{
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	char text[] = "0123456789", got[11] = "";
	heddle_ptr p;

	EQ(0, heddle_alloc(dev, 10, &p, NULL));
	EQ(0, heddle_write(dev, p, text, 10, NULL));
	EQ(0, heddle_copy(dev, p + 2, p, 6, NULL));
	EQ(0, heddle_read(dev, got, p, 10, NULL));
	STREQ("0101234589", got);
	EQ(0, heddle_copy(dev, p, p + 2, 6, NULL));
	EQ(0, heddle_read(dev, got, p, 10, NULL));
	STREQ("0123454589", got);
	EQ(HEDDLE_RANGE, heddle_copy(dev, p + 5, p, 6, NULL));
	EQ(HEDDLE_RANGE, heddle_copy(dev, p, p + 5, 6, NULL));
	heddle_device_free(dev);
}

TEST(api_memory, devices_of_different_numbers_share_no_address)
{
	struct heddle_device *dev[3];
	struct heddle_error err;
	heddle_ptr p[3];

	for (unsigned i = 0; i < 3; i++) {
		dev[i] = device((struct heddle_device_options){
			.number = i < 2 ? i : 15, .memory = 2048 * GIB });
		EQ(0, heddle_alloc(dev[i], 512 * GIB, &p[i], NULL));
	}
	EQ(p[0] + (UINT64_C(1) << 41), p[1]);
	EQ(p[0] + 15 * (UINT64_C(1) << 41), p[2]);
	EQ(0, try_bump(dev[2], p[2] + 512 * GIB - 4));
	EQ(HEDDLE_FAULT, try_bump(dev[2], p[1]));
	for (int i = 0; i < 3; i++)
		heddle_device_free(dev[i]);
	EQ(HEDDLE_RANGE,
	   heddle_device_new(&dev[0],
			     &(struct heddle_device_options){ .number = 16 },
			     &err));
	STREQ("device number 16: at most 15", err.text);
	EQ(HEDDLE_RANGE,
	   heddle_device_new(&dev[0],
			     &(struct heddle_device_options){ .number = 1,
							      .address32 = 1 },
			     &err));
}

TEST(api_memory, what_belongs_to_a_module_is_not_freed_by_hand)
{
	static const char text[] = MODULE(".global .b8 big[8192];", "ret;");
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	struct heddle_module *mod = NULL;
	heddle_ptr at;
	uint64_t size;

	EQ(0, heddle_module_load(dev, &mod, "t", text, strlen(text), NULL));
	EQ(0, heddle_module_global(dev, mod, "big", &at, &size, NULL));
	EQ(8192, size);
	EQ(HEDDLE_RANGE, heddle_free(dev, at, NULL));
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

TEST(api_memory, managed_variables_are_the_hosts_too)
{
	static const char text[] = MODULE(
		".global .attribute(.managed) .align 4 .u32 counter = 5; "
		".global .attribute(.managed) .align 4 .b8 table[12000]; "
		".global .u32 plain = 6;",
		"atom.global.add.u32 %r1, [counter], 1; "
		"mov.u64 %rd2, table; st.global.u32 [%rd2+11996], %r1; ret;");
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	struct heddle_module *mod = NULL;
	struct heddle_result result;
	struct heddle_error err;
	heddle_ptr out, counter, table;
	volatile uint32_t *seen;

	heddle_module_load(dev, &mod, "t", text, strlen(text), &err);
	STREQ("", err.text);
	EQ(0, heddle_module_global(dev, mod, "counter", &counter, NULL, NULL));
	EQ(0, heddle_module_global(dev, mod, "table", &table, NULL, NULL));
	seen = (volatile uint32_t *)(uintptr_t)counter;
	EQ(5, *seen);
	*seen = 10;
	EQ(0, heddle_alloc(dev, OUT_BYTES, &out, NULL));
	EQ(0, heddle_launch(dev, mod,
			    &(struct heddle_launch){ .kernel = "k",
						     .grid = { 1, 1, 1 },
						     .block = { 1, 1, 1 },
						     .params = &out,
						     .param_bytes = 8 },
			    &result, NULL));
	EQ(11, *seen);
	EQ(10, ((volatile uint32_t *)(uintptr_t)table)[2999]);
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

TEST(api_memory, a_texture_whose_texels_were_freed_is_not_found)
{
	static const char text[] =
		KERNEL("ld.global.u64 %rd2, [%rd0]; "
		       "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd2, {%r0}]; "
		       "st.global.u32 [%rd1+8], %r1; ret;");
	struct heddle_device *dev = device((struct heddle_device_options){ 0 });
	struct heddle_module *mod = NULL;
	struct heddle_result result;
	struct heddle_error err;
	heddle_ptr out, texels;
	uint64_t handle;
	uint32_t got;

	heddle_module_load(dev, &mod, "t", text, strlen(text), &err);
	STREQ("", err.text);
	EQ(0, heddle_alloc(dev, OUT_BYTES, &out, NULL));
	EQ(0, heddle_alloc(dev, 64, &texels, NULL));
	EQ(0, heddle_set(dev, texels, 3, 64, NULL));
	EQ(0, heddle_texture_new(
		      dev,
		      &(struct heddle_texture){ .data = texels,
						.format = HEDDLE_TEXEL_U32,
						.channels = 1,
						.width = 16 },
		      &handle, NULL));
	EQ(0, heddle_write(dev, out, &handle, 8, NULL));
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { 1, 1, 1 },
				   .params = &out,
				   .param_bytes = 8 };
	EQ(0, heddle_launch(dev, mod, &l, &result, NULL));
	EQ(0, heddle_read(dev, &got, out + 8, 4, NULL));
	EQ(0x03030303, got);
	EQ(0, heddle_free(dev, texels, NULL));
	EQ(HEDDLE_FAULT, heddle_launch(dev, mod, &l, &result, NULL));
	EQ(HEDDLE_FAULT_ILLEGAL, result.fault.kind);
	EQ(0, heddle_texture_free(dev, handle, NULL));
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}
