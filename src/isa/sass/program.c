#include "isa/sass/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/isa.h"

/* ---- functions of the system -------------------------------------------- */

static const char *const service_names[] = { "vprintf", "__assertfail",
					     "malloc", "free" };
enum { SERVICES = sizeof(service_names) / sizeof(service_names[0]) };

/* The first argument and the result, by convention; values of 64 bits begin at
 * even registers. */
enum { FIRST_ARGUMENT = 4 };

const struct service *sass_service(unsigned number)
{
	return number < SERVICES ? service_find(service_names[number]) : NULL;
}

uint64_t sass_service_address(const char *name)
{
	for (unsigned i = 0; i < SERVICES; i++)
		if (!strcmp(service_names[i], name))
			return SASS_SERVICE_OFFSET + SASS_BYTES * i;
	return 0;
}

bool sass_is_service(uint64_t address)
{
	return address >= SASS_SERVICE_OFFSET &&
	       address - SASS_SERVICE_OFFSET < SERVICES * SASS_BYTES;
}

/* Where calls of services have their arguments. */
static bool place_arguments(struct sass_program *p, struct sass_code *c)
{
	c->services = arena_new(&p->base.arena, struct call_info, SERVICES);
	for (unsigned i = 0; c->services && i < SERVICES; i++) {
		struct call_info *call = &c->services[i];
		uint32_t reg = FIRST_ARGUMENT;

		call->service = sass_service(i);
		call->in_registers = true;
		call->ret_reg = SLOT(SLOT_REG, reg * SASS_REG_BYTES);
		for (uint32_t k = 0; k < call->service->args; k++) {
			bool wide = call->service->bytes[k] > 4;

			reg += wide && reg & 1;
			call->arg_reg[k] = SLOT(SLOT_REG, reg * SASS_REG_BYTES);
			reg += wide ? 2 : 1;
		}
	}
	return c->services != NULL;
}

/* ---- memory -------------------------------------------------------------- */

static enum err sass_nomem(struct diag *d)
{
	return fail(d, ERR_NOMEM, "out of memory");
}

/* Global memory that lives as long as the program. Managed memory has the same
 * address on the host. */
static enum err allocate(struct sass_program *p, bool managed, uint64_t size,
			 uint64_t *at, uint8_t **host, struct diag *d)
{
	void *bytes;
	enum err e;

	*at = 0;
	if (!size)
		return ERR_OK;
	e = managed ? gmem_alloc_shared(p->base.gmem, size, at, d) :
		      gmem_alloc(p->base.gmem, size, at, d);
	if (e)
		return e;
	gmem_keep(p->base.gmem, *at);
	e = gmem_host(p->base.gmem, *at, size, &bytes, d);
	*host = bytes;
	return e;
}

static uint64_t bank_room(uint64_t size)
{
	return (size + 255) & ~UINT64_C(255);
}

static uint64_t banks_size(const struct sass_cubin *c)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < c->bank_count; i++)
		size += bank_room(c->banks[i].data.size);
	for (uint32_t i = 0; i < c->kernel_count; i++) {
		const struct sass_kernel *k = &c->kernels[i];

		size += bank_room(k->bank0_bytes);
		for (uint32_t b = 0; b < k->bank_count; b++)
			size += bank_room(k->banks[b].data.size);
	}
	return size;
}

/* ---- addresses ----------------------------------------------------------- */

/* The kernel whose text an address of code counts from: of data that all
 * kernels share, any will do, see cubin.h. */
static uint64_t code_address(const struct sass_program *p,
			     const struct sass_kernel *k,
			     const struct sass_symbol *y)
{
	uint32_t at = 0;

	for (uint32_t i = 0; !k && i < p->cubin.kernel_count; i++)
		if (sass_symbol_offset(&p->cubin, &p->cubin.kernels[i], y, &at))
			return at;
	return k && sass_symbol_offset(&p->cubin, k, y, &at) ? at : 0;
}

static uint64_t symbol_address(const struct sass_program *p,
			       const struct sass_kernel *k,
			       const struct sass_symbol *y)
{
	switch (y->place) {
	case SASS_UNDEFINED:
		return sass_service_address(y->name);
	case SASS_TEXT:
		return code_address(p, k, y);
	case SASS_GLOBAL:
		return p->global[y->is_managed] + y->value;
	case SASS_INIT:
		return p->init[y->is_managed] + y->value;
	case SASS_CONSTANT:
		return p->bank_address[3] + y->value;
	case SASS_SHARED:
		return y->value;
	default:
		return 0;
	}
}

static void relocate(const struct sass_program *p, const struct sass_kernel *k,
		     const struct sass_reloc *r, uint32_t count, uint8_t *bytes)
{
	for (uint32_t i = 0; i < count; i++)
		if (r[i].symbol)
			sass_reloc_apply(&r[i],
					 symbol_address(p, k, r[i].symbol) +
						 (uint64_t)r[i].addend,
					 bytes);
}

static void copy_data(const struct sass_program *p, const struct sass_kernel *k,
		      const struct sass_data *from, uint8_t *to)
{
	if (!from->size)
		return;
	if (from->bytes)
		memcpy(to, from->bytes, from->size);
	relocate(p, k, from->relocs, from->reloc_count, to);
}

/* ---- constant banks ------------------------------------------------------ */

struct bank_cursor {
	uint8_t *host;
	uint64_t at;
};

static struct sass_bank_view next_bank(struct bank_cursor *c, uint64_t size)
{
	struct sass_bank_view v = { .bytes = c->host,
				    .size = (uint32_t)size,
				    .address = c->at };

	c->host += bank_room(size);
	c->at += bank_room(size);
	return v;
}

/* Gives every bank its place; addresses must be known before any is filled. */
static void place_banks(struct sass_program *p, struct bank_cursor c)
{
	const struct sass_cubin *cubin = &p->cubin;
	struct sass_bank_view shared[SASS_BANKS] = { 0 };

	for (uint32_t i = 0; i < cubin->bank_count; i++) {
		uint32_t bank = cubin->banks[i].bank % SASS_BANKS;

		shared[bank] = next_bank(&c, cubin->banks[i].data.size);
		p->bank_address[bank] = shared[bank].address;
	}
	for (uint32_t i = 0; i < cubin->kernel_count; i++) {
		const struct sass_kernel *k = &cubin->kernels[i];
		struct sass_code *code = &p->codes[i];

		memcpy(code->bank, shared, sizeof(shared));
		code->bank[0] = next_bank(&c, k->bank0_bytes);
		for (uint32_t b = 0; b < k->bank_count; b++)
			code->bank[k->banks[b].bank % SASS_BANKS] =
				next_bank(&c, k->banks[b].data.size);
	}
}

static uint8_t *bank_bytes(const struct sass_program *p, uint64_t address)
{
	return p->bank_host + (address - p->banks);
}

static void fill_banks(struct sass_program *p)
{
	const struct sass_cubin *c = &p->cubin;

	for (uint32_t i = 0; i < c->bank_count; i++) {
		uint64_t at = p->bank_address[c->banks[i].bank % SASS_BANKS];

		copy_data(p, NULL, &c->banks[i].data, bank_bytes(p, at));
	}
	for (uint32_t i = 0; i < c->kernel_count; i++) {
		const struct sass_kernel *k = &c->kernels[i];

		for (uint32_t b = 0; b < k->bank_count; b++) {
			uint32_t bank = k->banks[b].bank % SASS_BANKS;
			uint64_t at = p->codes[i].bank[bank].address;

			copy_data(p, k, &k->banks[b].data, bank_bytes(p, at));
		}
	}
}

static bool has_managed(const struct sass_cubin *c, enum sass_home place)
{
	for (uint32_t i = 0; i < c->symbol_count; i++)
		if (c->symbols[i].place == place && c->symbols[i].is_managed)
			return true;
	return false;
}

/* A section with managed variables is there twice: they are in managed memory,
 * the others are not. */
static enum err place_variables(struct sass_program *p, enum sass_home place,
				uint64_t size, uint64_t at[2], uint8_t *host[2],
				struct diag *d)
{
	enum err e = allocate(p, false, size, &at[0], &host[0], d);

	return !e && has_managed(&p->cubin, place) ?
		       allocate(p, true, size, &at[1], &host[1], d) :
		       e;
}

static enum err place_memory(struct sass_program *p, struct diag *d)
{
	const struct sass_cubin *c = &p->cubin;
	uint8_t *global[2], *init[2] = { NULL };
	enum err e;

	e = place_variables(p, SASS_GLOBAL, c->global.size, p->global, global,
			    d);
	if (!e)
		e = place_variables(p, SASS_INIT, c->init.size, p->init, init,
				    d);
	if (!e)
		e = allocate(p, false, banks_size(c), &p->banks, &p->bank_host,
			     d);
	if (e)
		return e;
	place_banks(p, (struct bank_cursor){ p->bank_host, p->banks });
	for (unsigned i = 0; i < 2; i++)
		if (init[i])
			copy_data(p, NULL, &c->init, init[i]);
	fill_banks(p);
	for (uint32_t i = 0; i < c->kernel_count; i++) {
		struct sass_kernel *k = &c->kernels[i];

		relocate(p, k, k->relocs, k->reloc_count, k->text);
	}
	return ERR_OK;
}

/* ---- functions and variables --------------------------------------------- */

static enum param_kind kind_of_param(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8 ? PARAM_INT :
								  PARAM_BYTES;
}

static const char *type_of_param(uint32_t size)
{
	switch (size) {
	case 1:
		return "b8";
	case 2:
		return "b16";
	case 4:
		return "b32";
	case 8:
		return "b64";
	default:
		return "b8";
	}
}

static uint32_t align_of_param(const struct sass_kernel_param *p)
{
	uint32_t low = p->offset & -p->offset;

	return low && low < 16 ? low : 16;
}

static bool sass_params(struct sass_program *p, struct function *f,
			const struct sass_kernel *k)
{
	f->params = arena_new(&p->base.arena, struct param, k->param_count + 1);
	for (uint32_t i = 0; f->params && i < k->param_count; i++) {
		char name[32];
		int n = snprintf(name, sizeof(name), "param_%u", i);

		f->params[i] = (struct param){
			.name = arena_strndup(&p->base.arena, name, (size_t)n),
			.type = type_of_param(k->params[i].size),
			.kind = kind_of_param(k->params[i].size),
			.size = k->params[i].size,
			.align = align_of_param(&k->params[i]),
			.offset = k->params[i].offset,
		};
		if (!f->params[i].name)
			return false;
	}
	f->param_count = k->param_count;
	f->param_bytes = k->param_bytes;
	return f->params != NULL;
}

static bool sass_function(struct sass_program *p, uint32_t i)
{
	const struct sass_kernel *k = &p->cubin.kernels[i];
	struct function *f = &p->base.funcs[i];

	p->codes[i].kernel = k;
	*f = (struct function){
		.program = &p->base,
		.name = k->name,
		.index = i,
		.is_kernel = true,
		.has_body = true,
		.inst_count = k->text_size / SASS_BYTES,
		.registers = k->registers,
		.local_bytes = k->stack_bytes,
		.barriers = k->barriers,
		.shared_used = k->shared_bytes,
		.shared_start = k->shared_base + k->shared_bytes,
		.limits.max_registers = k->max_registers,
	};
	memcpy(f->limits.max, k->max_threads, sizeof(f->limits.max));
	memcpy(f->limits.required, k->required, sizeof(f->limits.required));
	return sass_params(p, f, k) && place_arguments(p, &p->codes[i]);
}

static enum space variable_space(const struct sass_symbol *y)
{
	return y->place == SASS_CONSTANT ? SPACE_CONST : SPACE_GLOBAL;
}

static bool is_variable_seen(const struct sass_symbol *y)
{
	return y->is_variable && y->name[0] &&
	       (y->place == SASS_GLOBAL || y->place == SASS_INIT ||
		y->place == SASS_CONSTANT);
}

static bool describe_variables(struct sass_program *p)
{
	const struct sass_cubin *c = &p->cubin;

	p->base.vars =
		arena_new(&p->base.arena, struct variable, c->symbol_count + 1);
	for (uint32_t i = 0; p->base.vars && i < c->symbol_count; i++) {
		const struct sass_symbol *y = &c->symbols[i];

		if (is_variable_seen(y))
			p->base.vars[p->base.var_count++] = (struct variable){
				.name = y->name,
				.space = variable_space(y),
				.address = symbol_address(p, NULL, y),
				.bytes = y->size,
			};
	}
	for (uint32_t i = 0; i < c->bank_count; i++)
		if (c->banks[i].bank == 3)
			p->base.const_bytes = (uint32_t)c->banks[i].data.size;
	return p->base.vars != NULL;
}

/* ---- the program --------------------------------------------------------- */

static enum err build(struct sass_program *p, struct diag *d)
{
	uint32_t count = p->cubin.kernel_count;
	enum err e;

	p->base.funcs = arena_new(&p->base.arena, struct function, count + 1);
	p->codes = arena_new(&p->base.arena, struct sass_code, count + 1);
	if (!p->base.funcs || !p->codes)
		return sass_nomem(d);
	p->base.func_count = count;
	e = place_memory(p, d);
	for (uint32_t i = 0; !e && i < count; i++)
		if (!sass_function(p, i))
			e = sass_nomem(d);
	if (!e && !describe_variables(p))
		e = sass_nomem(d);
	for (uint32_t i = 0; !e && i < count; i++)
		e = sass_lower(p, &p->base.funcs[i], d);
	return e;
}

bool sass_executes(uint32_t sm)
{
	return sm >= 70 && sm <= 90;
}

static enum err check_code_target(const struct sass_cubin *c, const char *name,
				  struct diag *d)
{
	if (sass_executes(c->sm))
		return ERR_OK;
	return fail(d, ERR_UNSUPP,
		    "%s: machine code of sm_%u: that of sm_70 to sm_90 runs",
		    name, c->sm);
}

enum err sass_program_new(struct program **out, const char *name,
			  const char *bytes, size_t size, const struct cfg *cfg,
			  struct gmem *g, struct diag *d)
{
	struct sass_program *p = calloc(1, sizeof(*p));
	struct diag why = { .text = "" };
	enum err e;

	(void)cfg; /* a compiler has chosen the order */
	if (!p)
		return sass_nomem(d);
	p->base.isa = &isa_sass;
	p->base.gmem = g;
	p->base.turns_at_branches = true;
	p->base.lanes_by_place = true;
	p->base.whole_words = true;
	p->base.name = arena_strndup(&p->base.arena, name, strlen(name));
	for (unsigned i = 0; i < SASS_SREGS; i++)
		p->sreg_at[i] = SASS_SREG_UNUSED;
	e = p->base.name ? sass_cubin_read(&p->cubin, &p->base.arena, bytes,
					   size, &why) :
			   sass_nomem(&why);
	if (e)
		e = fail(d, e, "%s: %s", name, why.text);
	if (!e && sass_lines_read(&p->lines, &p->base.arena, &p->cubin, &why))
		e = fail(d, why.code, "%s: %s", name, why.text);
	if (!e)
		e = check_code_target(&p->cubin, name, d);
	p->base.target = p->cubin.sm;
	if (!e)
		e = build(p, d);
	if (e) {
		sass_program_free(&p->base);
		return e;
	}
	*out = &p->base;
	return ERR_OK;
}

void sass_program_free(struct program *program)
{
	struct sass_program *p = (struct sass_program *)(void *)program;
	const uint64_t blocks[] = { p->global[0], p->global[1], p->init[0],
				    p->init[1], p->banks };

	for (unsigned i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (blocks[i])
			gmem_drop(p->base.gmem, blocks[i]);
	for (uint32_t i = 0; p->codes && i < p->base.func_count; i++) {
		if (p->base.funcs[i].code)
			free(p->base.funcs[i].code->insts);
		free(p->codes[i].pool);
	}
	arena_free(&p->base.arena);
	free(p);
}
