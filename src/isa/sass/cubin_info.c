/*
 * Attributes: the sections .nv.info, of the module, .nv.info.KERNEL, and
 * .nv.compat. A record is a byte for its format, a byte for its code, and two
 * bytes of value, or, in format 4, two bytes for the length of the data that
 * follow.
 */
#include <string.h>

#include "base/minmax.h"
#include "isa/sass/cubin_read.h"

enum { FORMAT_LAST_VALUE = 3, FORMAT_DATA = 4 };

struct attribute {
	const struct cubin_section *in;
	unsigned code;
	const uint8_t *data;
	size_t size;
};

/* ---- attributes of the module, each for a symbol ---- */

/* The kernel of the symbol; NULL: it is another function. */
static struct sass_kernel *attribute_kernel(struct cubin_reader *r,
					    uint32_t symbol)
{
	const struct sass_symbol *y = &r->c->symbols[symbol];
	uint32_t k;

	if (y->place != SASS_TEXT)
		return NULL;
	k = r->sections[r->c->texts[y->text].section].kernel;
	return k != CUBIN_NONE && r->c->kernels[k].symbol == symbol ?
		       &r->c->kernels[k] :
		       NULL;
}

static uint32_t *symbol_field(struct sass_kernel *k, unsigned code)
{
	enum { FRAME_SIZE = 0x11, MIN_STACK_SIZE = 0x12, REGCOUNT = 0x2f };

	switch (code) {
	case FRAME_SIZE:
		return &k->frame_bytes;
	case MIN_STACK_SIZE:
		return &k->stack_bytes;
	case REGCOUNT:
		return &k->registers;
	default:
		return NULL;
	}
}

static enum err module_attribute(struct cubin_reader *r,
				 const struct attribute *t)
{
	struct sass_kernel none = { 0 }, *k;
	uint32_t symbol, *field;

	if (!symbol_field(&none, t->code))
		return ERR_OK;
	symbol = t->size == 8 ? cubin_u32(t->data) : CUBIN_NONE;
	if (symbol >= r->c->symbol_count)
		return fail(r->d, ERR_SYNTAX,
			    "section %s: attribute 0x%02x with %zu bytes, for "
			    "symbol %u of %u",
			    t->in->part.name, t->code, t->size, symbol,
			    r->c->symbol_count);
	k = attribute_kernel(r, symbol);
	field = k ? symbol_field(k, t->code) : NULL;
	if (field)
		*field = cubin_u32(t->data + 4);
	return ERR_OK;
}

/* ---- attributes of a kernel ---- */

static enum err bad_attribute(struct cubin_reader *r, const struct attribute *t)
{
	return fail(r->d, ERR_SYNTAX,
		    "section %s: attribute 0x%02x with %zu bytes",
		    t->in->part.name, t->code, t->size);
}

static enum err take_three(struct cubin_reader *r, const struct attribute *t,
			   uint32_t to[3])
{
	if (t->size != 12)
		return bad_attribute(r, t);
	for (int i = 0; i < 3; i++)
		to[i] = cubin_u32(t->data + 4 * i);
	return ERR_OK;
}

static enum err take_exits(struct cubin_reader *r, const struct attribute *t,
			   struct sass_kernel *k)
{
	uint64_t bytes = r->c->texts[k->own].code.size;

	if (t->size % 4)
		return bad_attribute(r, t);
	k->exits = arena_new(r->arena, uint32_t, t->size / 4 + 1);
	if (!k->exits)
		return cubin_no_memory(r);
	k->exit_count = (uint32_t)(t->size / 4);
	for (uint32_t i = 0; i < k->exit_count; i++) {
		k->exits[i] = cubin_u32(t->data + 4 * i);
		if (k->exits[i] >= bytes || k->exits[i] % SASS_INST_BYTES)
			return fail(r->d, ERR_SYNTAX,
				    "section %s: an exit at byte %u of %s, "
				    "which has %llu",
				    t->in->part.name, k->exits[i],
				    r->c->texts[k->own].code.name,
				    (unsigned long long)bytes);
	}
	return ERR_OK;
}

/* Parameters come in any order; a later pass sorts and checks them. */
static enum err count_param(struct cubin_reader *r, const struct attribute *t,
			    struct sass_kernel *k)
{
	(void)r;
	if (t->size != 12)
		return bad_attribute(r, t);
	k->param_count++;
	return ERR_OK;
}

static enum err take_param(struct cubin_reader *r, const struct attribute *t,
			   struct sass_kernel *k)
{
	enum { KPARAM_INFO_V2 = 0x45, OLD_SIZE_SHIFT = 18, V2_SIZE = 0xffff };
	uint32_t ordinal = cubin_u16(t->data + 4);
	uint32_t last = cubin_u32(t->data + 8);
	struct sass_kernel_param *p;

	if (ordinal >= k->param_count || k->params[ordinal].size)
		return fail(r->d, ERR_SYNTAX,
			    "section %s: parameter %u of %u, or twice",
			    t->in->part.name, ordinal, k->param_count);
	p = &k->params[ordinal];
	p->offset = cubin_u16(t->data + 6);
	p->size = t->code == KPARAM_INFO_V2 ? last & V2_SIZE :
					      last >> OLD_SIZE_SHIFT;
	if (!p->size)
		return fail(r->d, ERR_SYNTAX,
			    "section %s: parameter %u without bytes",
			    t->in->part.name, ordinal);
	return ERR_OK;
}

static enum err take_block(struct cubin_reader *r, const struct attribute *t,
			   struct sass_kernel *k)
{
	if (t->size != 8)
		return bad_attribute(r, t);
	k->param_base = cubin_u16(t->data + 4);
	k->param_bytes = cubin_u16(t->data + 6);
	return ERR_OK;
}

static enum err take_registers(struct cubin_reader *r,
			       const struct attribute *t, struct sass_kernel *k)
{
	(void)r;
	k->max_registers = cubin_u16(t->data);
	return ERR_OK;
}

static enum err take_barriers(struct cubin_reader *r, const struct attribute *t,
			      struct sass_kernel *k)
{
	(void)r;
	k->barriers = t->data[0];
	return ERR_OK;
}

static enum err take_max(struct cubin_reader *r, const struct attribute *t,
			 struct sass_kernel *k)
{
	return take_three(r, t, k->max_threads);
}

static enum err take_required(struct cubin_reader *r, const struct attribute *t,
			      struct sass_kernel *k)
{
	return take_three(r, t, k->required);
}

static enum err take_cluster(struct cubin_reader *r, const struct attribute *t,
			     struct sass_kernel *k)
{
	k->needs_cluster = true;
	return take_three(r, t, k->cluster);
}

static enum err take_explicit(struct cubin_reader *r, const struct attribute *t,
			      struct sass_kernel *k)
{
	(void)r;
	(void)t;
	k->needs_cluster = true;
	return ERR_OK;
}

/* What is not here says nothing that a loader needs. */
static const struct {
	uint8_t code, pass;
	enum err (*take)(struct cubin_reader *r, const struct attribute *t,
			 struct sass_kernel *k);
} kernel_attributes[] = {
	{ 0x05, 0, take_max },      /* MAX_THREADS */
	{ 0x0a, 0, take_block },    /* PARAM_CBANK */
	{ 0x10, 0, take_required }, /* REQNTID */
	{ 0x17, 0, count_param },   /* KPARAM_INFO */
	{ 0x17, 1, take_param },
	{ 0x1b, 0, take_registers }, /* MAXREG_COUNT */
	{ 0x1c, 0, take_exits },     /* EXIT_INSTR_OFFSETS */
	{ 0x3d, 0, take_cluster },   /* CTA_PER_CLUSTER */
	{ 0x3e, 0, take_explicit },  /* EXPLICIT_CLUSTER */
	{ 0x45, 0, count_param },    /* KPARAM_INFO_V2 */
	{ 0x45, 1, take_param },
	{ 0x4c, 0, take_barriers }, /* NUM_BARRIERS */
};

static enum err kernel_attribute(struct cubin_reader *r,
				 const struct attribute *t, unsigned pass)
{
	size_t n = sizeof(kernel_attributes) / sizeof(*kernel_attributes);
	struct sass_kernel *k = &r->c->kernels[t->in->kernel];

	for (size_t i = 0; i < n; i++)
		if (kernel_attributes[i].code == t->code &&
		    kernel_attributes[i].pass == pass)
			return kernel_attributes[i].take(r, t, k);
	return ERR_OK;
}

/* sm_90a and sm_100f have the flags of sm_90 and sm_100. */
static void compatibility(struct cubin_reader *r, const struct attribute *t)
{
	enum { VARIANT = 0x09 };
	static const char variants[] = { 0, 'a', 'f' };

	if (t->code == VARIANT && t->data[0] < sizeof(variants) && t->data[0])
		r->c->variant = variants[t->data[0]];
}

/* ---- records ---- */

enum info_kind { OTHER, OF_MODULE, OF_KERNEL, COMPATIBILITY };

static enum info_kind info_kind(const struct cubin_section *s)
{
	if (!strcmp(s->part.name, ".nv.compat"))
		return COMPATIBILITY;
	if (!strcmp(s->part.name, ".nv.info"))
		return OF_MODULE;
	if (!strncmp(s->part.name, ".nv.info.", strlen(".nv.info.")) &&
	    s->kernel != CUBIN_NONE)
		return OF_KERNEL;
	return OTHER;
}

static enum err take_attribute(struct cubin_reader *r,
			       const struct attribute *t, enum info_kind kind,
			       unsigned pass)
{
	switch (kind) {
	case OF_MODULE:
		return pass ? ERR_OK : module_attribute(r, t);
	case OF_KERNEL:
		return kernel_attribute(r, t, pass);
	case COMPATIBILITY:
		compatibility(r, t);
		return ERR_OK;
	case OTHER:
		break;
	}
	return ERR_OK;
}

/* Reads the record at *at and moves behind it; false: it is damaged. */
static bool next_record(const struct elf_bytes *b, size_t *at,
			struct attribute *t)
{
	const uint8_t *p = b->data + *at;
	size_t left = b->size - *at;
	unsigned n;

	if (left < 4 || !p[0] || p[0] > FORMAT_DATA)
		return false;
	t->code = p[1];
	t->data = p + 2;
	t->size = 2;
	*at += 4;
	if (p[0] <= FORMAT_LAST_VALUE)
		return true;
	n = cubin_u16(p + 2);
	if (n > left - 4)
		return false;
	t->data = p + 4;
	t->size = n;
	*at += n;
	return true;
}

static enum err read_records(struct cubin_reader *r,
			     const struct cubin_section *s, enum info_kind kind,
			     unsigned pass)
{
	struct attribute t = { .in = s };
	enum err e = ERR_OK;

	for (size_t at = 0, from = 0; !e && at < s->part.bytes.size;
	     from = at) {
		if (!next_record(&s->part.bytes, &at, &t))
			return fail(r->d, ERR_SYNTAX,
				    "section %s: a damaged attribute at byte "
				    "%zu of %zu",
				    s->part.name, from, s->part.bytes.size);
		e = take_attribute(r, &t, kind, pass);
	}
	return e;
}

/* ---- checks ---- */

/* Older tools keep the numbers of registers and barriers in the header of the
 * code. */
static void from_header(struct cubin_reader *r, struct sass_kernel *k)
{
	enum { REGISTER_SHIFT = 24, BARRIER_SHIFT = 20, BARRIER_MASK = 0x7f };
	const Elf64_Shdr *h =
		&r->sections[r->c->texts[k->own].section].part.head;

	if (!k->registers)
		k->registers = h->sh_info >> REGISTER_SHIFT;
	if (!k->barriers)
		k->barriers = h->sh_flags >> BARRIER_SHIFT & BARRIER_MASK;
}

static enum err check_params(struct cubin_reader *r, struct sass_kernel *k)
{
	if (!k->param_bytes) {
		k->param_base = k->bank0_bytes;
	} else if (k->param_base + k->param_bytes > k->bank0_bytes) {
		return fail(r->d, ERR_SYNTAX,
			    "section .nv.constant0.%s: %u bytes, where the "
			    "parameters end at %u",
			    k->name, k->bank0_bytes,
			    k->param_base + k->param_bytes);
	}
	for (uint32_t i = 0; i < k->param_count; i++) {
		const struct sass_kernel_param *p = &k->params[i];

		if (p->offset + p->size > k->param_bytes)
			return fail(r->d, ERR_SYNTAX,
				    "section .nv.info.%s: parameter %u has %u "
				    "bytes at %u of %u",
				    k->name, i, p->size, p->offset,
				    k->param_bytes);
	}
	return ERR_OK;
}

static enum err check_kernel(struct cubin_reader *r, struct sass_kernel *k)
{
	enum { MAX_REGISTERS = 255, MAX_STACK = 1 << 24, MAX_BARRIERS = 16 };

	from_header(r, k);
	if (!k->registers || k->registers > MAX_REGISTERS)
		return fail(r->d, ERR_SYNTAX,
			    "section .nv.info: %u registers for kernel %s",
			    k->registers, k->name);
	if (k->barriers > MAX_BARRIERS)
		return fail(r->d, ERR_SYNTAX,
			    "section .nv.info.%s: %u barriers, where a block "
			    "has %u",
			    k->name, k->barriers, MAX_BARRIERS);
	/* Of recursion, and of calls of functions that are not known, nobody
	 * knows how much stack they need. */
	if (k->stack_bytes == UINT32_MAX)
		k->stack_bytes = 0;
	k->stack_bytes = (uint32_t)max_u64(k->stack_bytes, k->frame_bytes);
	if (k->stack_bytes > MAX_STACK)
		return fail(r->d, ERR_SYNTAX,
			    "section .nv.info: %u bytes of local memory for "
			    "kernel %s",
			    k->stack_bytes, k->name);
	if (!r->c->texts[k->own].code.size)
		return fail(r->d, ERR_SYNTAX, "section .text.%s: no code",
			    k->name);
	return check_params(r, k);
}

static enum err read_pass(struct cubin_reader *r, unsigned pass)
{
	enum err e = ERR_OK;

	for (uint32_t i = 0; !e && i < r->section_count; i++) {
		enum info_kind kind = info_kind(&r->sections[i]);

		if (kind != OTHER)
			e = read_records(r, &r->sections[i], kind, pass);
	}
	return e;
}

enum err cubin_attributes(struct cubin_reader *r)
{
	enum err e = read_pass(r, 0);

	for (uint32_t i = 0; !e && i < r->c->kernel_count; i++) {
		struct sass_kernel *k = &r->c->kernels[i];

		k->params = arena_new(r->arena, struct sass_kernel_param,
				      (size_t)k->param_count + 1);
		if (!k->params)
			return cubin_no_memory(r);
	}
	if (!e)
		e = read_pass(r, 1);
	for (uint32_t i = 0; !e && i < r->c->kernel_count; i++)
		e = check_kernel(r, &r->c->kernels[i]);
	return e;
}
