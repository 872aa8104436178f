/*
 * Cubins as programs: what is found in them, and what is refused.
 */
#include "test.h"

#include <heddle/heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_cubin(const char *name, size_t *size)
{
	char path[1024];
	char *bytes = malloc(1 << 20);
	FILE *f;

	snprintf(path, sizeof(path),
		 HEDDLE_SOURCE_DIR "/tests/unit/data/cubin/%s.cubin", name);
	f = fopen(path, "rb");
	OK(f != NULL && bytes != NULL);
	*size = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

struct loaded {
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct heddle_error err;
};

static int load_bytes(struct loaded *l, const char *bytes, size_t size)
{
	EQ(0, heddle_device_new(&l->dev, NULL, &l->err));
	return heddle_module_load(l->dev, &l->mod, "t.cubin", bytes, size,
				  &l->err);
}

static int load_cubin(struct loaded *l, const char *name)
{
	size_t size;
	char *bytes = read_cubin(name, &size);
	int status = load_bytes(l, bytes, size);

	free(bytes);
	return status;
}

static void unload(struct loaded *l)
{
	heddle_module_free(l->dev, l->mod);
	heddle_device_free(l->dev);
}

static const struct heddle_kernel *kernel_of(const struct loaded *l,
					     const char *name)
{
	for (size_t i = 0; i < heddle_module_kernel_count(l->mod); i++)
		if (!strcmp(heddle_module_kernel(l->mod, i)->name, name))
			return heddle_module_kernel(l->mod, i);
	return NULL;
}

TEST(sass_program, variables_have_addresses_and_values)
{
	struct loaded l = { 0 };
	heddle_ptr counter, where, at;
	uint64_t size, pointer = 0;
	float weights[4];
	int value = 0;

	EQ(0, load_cubin(&l, "parts_90"));
	EQ(0, heddle_module_global(l.dev, l.mod, "counter", &counter, &size,
				   &l.err));
	EQ(4u, size);
	EQ(0, heddle_read(l.dev, &value, counter, 4, &l.err));
	EQ(7, value);
	EQ(0,
	   heddle_module_global(l.dev, l.mod, "where", &where, &size, &l.err));
	EQ(0, heddle_read(l.dev, &pointer, where, 8, &l.err));
	EQ(counter, pointer);
	EQ(0,
	   heddle_module_global(l.dev, l.mod, "weights", &at, &size, &l.err));
	EQ(0, heddle_read(l.dev, weights, at, sizeof(weights), &l.err));
	EQ(3.0f, weights[2]);
	unload(&l);
}

TEST(sass_program, a_kernel_for_clusters_is_refused)
{
	struct loaded l = { 0 };

	EQ(0, load_cubin(&l, "cluster"));
	OK(kernel_of(&l, "pair") != NULL);
	OK(strstr(kernel_of(&l, "pair")->refused, "clusters") != NULL);
	unload(&l);
}

/* One bit that no row knows refuses the kernel that has it, by name and offset,
 * and no other. */
TEST(sass_program, an_unknown_bit_refuses_its_kernel)
{
	static const unsigned char s2r[] = { 0x19, 0x79 }; /* opcode, guard */
	struct loaded l = { 0 };
	size_t size, refused = 0;
	char *bytes = read_cubin("parts_90", &size);
	bool broken = false;

	for (size_t i = 0; !broken && i + 16 <= size; i += 16)
		if (!memcmp(bytes + i, s2r, sizeof(s2r))) {
			bytes[i + 7] ^= 0x40; /* of a part that it lacks */
			broken = true;
		}
	OK(broken);
	EQ(0, load_bytes(&l, bytes, size));
	for (size_t i = 0; i < heddle_module_kernel_count(l.mod); i++) {
		const struct heddle_kernel *k = heddle_module_kernel(l.mod, i);

		if (!k->refused)
			continue;
		refused++;
		OK(strstr(k->refused, k->name) != NULL);
		OK(strstr(k->refused, "+0x") != NULL);
		OK(strstr(k->refused, "unknown") != NULL);
	}
	EQ(1u, refused);
	unload(&l);
	free(bytes);
}

TEST(sass_program, other_architectures_are_refused_by_name)
{
	struct loaded l = { 0 };

	OK(load_cubin(&l, "parts_100") != 0);
	OK(strstr(l.err.text, "sm_100") != NULL);
	heddle_device_free(l.dev);
}
