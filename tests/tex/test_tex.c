/*
 * Do texture and surface instructions give what a GPU gives? The vectors were
 * recorded on an H200 (record.cu, CUDA 13.0, driver 580); the comparison is bit
 * by bit, without tolerance.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"

#include "cases.h"

_Static_assert((int)F32 == (int)HEDDLE_TEXEL_F32, "formats are in one order");
_Static_assert((int)BORDER == (int)HEDDLE_ADDRESS_BORDER, "so are modes");

/* A device, and the kernels loaded so far. */
struct rig {
	struct heddle_device *dev;
	struct heddle_module *mods[INSN_COUNT];
	struct heddle_error err;
};

static void rig_init(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	EQ(HEDDLE_OK, heddle_device_new(&r->dev, NULL, &r->err));
}

static void rig_free(struct rig *r)
{
	for (int i = 0; i < INSN_COUNT; i++)
		if (r->mods[i])
			heddle_module_free(r->dev, r->mods[i]);
	heddle_device_free(r->dev);
}

static void succeed(struct rig *r, int status)
{
	if (status != HEDDLE_OK)
		fprintf(stderr, "%s\n", r->err.text);
	EQ(HEDDLE_OK, status);
}

static struct heddle_module *module_of(struct rig *r, enum insn id)
{
	static char text[8192];

	if (!r->mods[id]) {
		insn_kernel(id, text, sizeof(text));
		succeed(r,
			heddle_module_load(r->dev, &r->mods[id], insns[id].text,
					   text, strlen(text), &r->err));
	}
	return r->mods[id];
}

static uint64_t upload(struct rig *r, const void *from, size_t size)
{
	heddle_ptr p;

	succeed(r, heddle_alloc(r->dev, size, &p, &r->err));
	succeed(r, heddle_write(r->dev, p, from, size, &r->err));
	return p;
}

static struct heddle_texture texture_of(const struct tex_case *c, heddle_ptr p)
{
	struct heddle_texture t = {
		.data = p,
		.format = (enum heddle_texel)c->format,
		.channels = (uint32_t)c->channels,
		.width = (uint32_t)c->width,
		.height = (uint32_t)c->height,
		.depth = (uint32_t)c->depth,
		.layers = (uint32_t)c->layers,
		.linear = c->linear,
		.normalized = c->normalized,
		.read_as_float = c->as_float,
	};

	for (int i = 0; i < 3; i++)
		t.address[i] = (enum heddle_address_mode)c->address;
	memcpy(t.border, case_border, sizeof(t.border));
	return t;
}

struct params {
	uint64_t object, in, out;
	uint32_t n;
};

/* Runs a case's kernel; *result has what its launch says. */
static int launch(struct rig *r, const struct tex_case *c, uint64_t object,
		  heddle_ptr in, heddle_ptr out, struct heddle_result *result)
{
	struct params params = { object, in, out, (uint32_t)c->count };
	struct heddle_launch l = {
		.kernel = "fetch",
		.grid = { c->place == WRITTEN ? 1 : 4, 1, 1 },
		.block = { c->place == WRITTEN ? 1 : 128, 1, 1 },
		.params = &params,
		.param_bytes = offsetof(struct params, n) + sizeof(params.n),
	};

	return heddle_launch(r->dev, module_of(r, c->insn), &l, result,
			     &r->err);
}

/* The words that the case leaves, in the order of the file; malloc'ed. */
static uint32_t *results(struct rig *r, const struct tex_case *c,
			 heddle_ptr texels, heddle_ptr out)
{
	size_t size = sizeof(uint32_t) * WORDS_OUT * (size_t)c->count;
	uint32_t *all = malloc(size), *kept;
	size_t n = 0;

	if (c->place == WRITTEN) {
		kept = calloc((size_t)case_words(c), sizeof(*kept));
		succeed(r, heddle_read(r->dev, kept, texels,
				       (uint64_t)case_bytes(c), &r->err));
		free(all);
		return kept;
	}
	kept = malloc(size);
	succeed(r, heddle_read(r->dev, all, out, size, &r->err));
	for (int i = 0; i < c->count * WORDS_OUT; i++)
		if (i % WORDS_OUT < c->words)
			kept[n++] = all[i];
	free(all);
	return kept;
}

static void compare(const struct tex_case *c, const uint32_t *want,
		    const uint32_t *got, const uint32_t *in)
{
	for (int i = 0; i < case_words(c); i++) {
		if (want[i] == got[i])
			continue;
		fprintf(stderr, "%s: word %d of %d", c->name, i, case_words(c));
		for (int k = 0; k < WORDS_IN && c->place != WRITTEN; k++)
			fprintf(stderr, " %08x",
				in[i / c->words * WORDS_IN + k]);
		fprintf(stderr, "\n");
		EQ(want[i], got[i]);
	}
}

static void run_case(struct rig *r, const struct tex_case *c,
		     const uint32_t *want)
{
	size_t in_size = sizeof(uint32_t) * WORDS_IN * (size_t)c->count;
	unsigned char *texels = malloc((size_t)case_bytes(c));
	uint32_t *coords = malloc(in_size), *got;
	struct heddle_result result;
	uint64_t object;

	case_texels(c, texels);
	case_coords(c, coords);
	EQ(want[0], case_checksum(c, texels, coords));
	heddle_ptr data = upload(r, texels, (size_t)case_bytes(c));
	heddle_ptr in = upload(r, coords, in_size), out;
	succeed(r, heddle_alloc(r->dev, in_size, &out, &r->err));
	struct heddle_texture t = texture_of(c, data);
	succeed(r, heddle_texture_new(r->dev, &t, &object, &r->err));
	succeed(r, launch(r, c, object, in, out, &result));
	got = results(r, c, data, out);
	compare(c, want + 1, got, coords);
	succeed(r, heddle_texture_free(r->dev, object, &r->err));
	succeed(r, heddle_free(r->dev, data, &r->err));
	succeed(r, heddle_free(r->dev, in, &r->err));
	succeed(r, heddle_free(r->dev, out, &r->err));
	free(got);
	free(coords);
	free(texels);
}

/* The recorded file, whole; malloc'ed. */
static uint32_t *vectors(void)
{
	FILE *f = fopen(HEDDLE_SOURCE_DIR "/tests/tex/tex.vec", "rb");
	size_t words = 0, n;
	uint32_t *v;

	for (int i = 0; i < CASE_COUNT; i++)
		words += 1 + (size_t)case_words(&cases[i]);
	v = malloc((words + 1) * sizeof(*v));
	OK(f != NULL);
	n = fread(v, sizeof(*v), words + 1, f);
	fclose(f);
	EQ(words, n);
	return v;
}

static bool is_surface(const struct tex_case *c)
{
	return c->place == SURFACE || c->place == WRITTEN;
}

static void run_cases(bool surfaces)
{
	uint32_t *all = vectors(), *v = all;
	struct rig r;

	rig_init(&r);
	for (int i = 0; i < CASE_COUNT; i++) {
		if (is_surface(&cases[i]) == surfaces)
			run_case(&r, &cases[i], v);
		v += 1 + case_words(&cases[i]);
	}
	rig_free(&r);
	free(all);
}

TEST(tex, textures_give_what_the_hardware_gives)
{
	run_cases(false);
}

TEST(tex, surfaces_give_what_the_hardware_gives)
{
	run_cases(true);
}

/* One access of a 4 x 4 surface of words. */
static enum heddle_fault_kind surface_fault(enum insn id, int32_t x, int32_t y,
					    uint64_t flip)
{
	const struct tex_case c = { .name = "fault",
				    .insn = id,
				    .place = SURFACE,
				    .format = U32,
				    .channels = 1,
				    .width = 4,
				    .height = 4,
				    .count = 1,
				    .words = 1 };
	uint32_t in[WORDS_IN] = { (uint32_t)x, (uint32_t)y }, zero[16] = { 0 };
	struct heddle_result result;
	struct rig r;
	uint64_t object;

	rig_init(&r);
	heddle_ptr data = upload(&r, zero, sizeof(zero));
	struct heddle_texture t = texture_of(&c, data);
	succeed(&r, heddle_texture_new(r.dev, &t, &object, &r.err));
	launch(&r, &c, object ^ flip, upload(&r, in, sizeof(in)),
	       upload(&r, zero, sizeof(zero)), &result);
	rig_free(&r);
	return result.fault.kind;
}

TEST(tex, a_trapping_access_outside_of_the_surface_faults)
{
	EQ(HEDDLE_FAULT_NONE, surface_fault(INSN_SULD_2D_B32_TRAP, 12, 3, 0));
	EQ(HEDDLE_FAULT_ADDRESS,
	   surface_fault(INSN_SULD_2D_B32_TRAP, 16, 3, 0));
	EQ(HEDDLE_FAULT_ADDRESS,
	   surface_fault(INSN_SULD_2D_B32_TRAP, 12, 4, 0));
	EQ(HEDDLE_FAULT_ADDRESS,
	   surface_fault(INSN_SULD_2D_B32_TRAP, -4, 0, 0));
}

TEST(tex, a_misaligned_surface_offset_faults_even_when_clamped)
{
	EQ(HEDDLE_FAULT_MISALIGNED,
	   surface_fault(INSN_SULD_2D_B32_CLAMP, 2, 0, 0));
	EQ(HEDDLE_FAULT_MISALIGNED,
	   surface_fault(INSN_SULD_2D_B64_ZERO, 4, 0, 0));
}

TEST(tex, an_unknown_handle_faults)
{
	EQ(HEDDLE_FAULT_ILLEGAL, surface_fault(INSN_SULD_2D_B32_ZERO, 0, 0, 2));
	EQ(HEDDLE_FAULT_ILLEGAL, surface_fault(INSN_TEX_2D, 0, 0, 1));
}

TEST(tex, a_texture_must_lie_in_its_memory)
{
	struct heddle_texture t = { .format = HEDDLE_TEXEL_F32,
				    .channels = 1,
				    .width = 8,
				    .height = 8 };
	uint32_t zero[64] = { 0 };
	uint64_t object;
	struct rig r;

	rig_init(&r);
	t.data = upload(&r, zero, sizeof(zero));
	EQ(HEDDLE_OK, heddle_texture_new(r.dev, &t, &object, &r.err));
	EQ(HEDDLE_OK, heddle_texture_free(r.dev, object, &r.err));
	EQ(HEDDLE_UNKNOWN, heddle_texture_free(r.dev, object, &r.err));
	t.height = 1 << 19;
	EQ(HEDDLE_RANGE, heddle_texture_new(r.dev, &t, &object, &r.err));
	t.height = 8, t.channels = 3;
	EQ(HEDDLE_RANGE, heddle_texture_new(r.dev, &t, &object, &r.err));
	rig_free(&r);
}
