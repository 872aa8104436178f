/*
 * Profiles: counts what each instruction of a module does. Every host thread
 * has its own tables, by function and instruction; they are added up when read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "sm/coalesce.h"

enum { SECTOR_BYTES = 32 };

struct profile_counts {
	uint64_t executions, lanes, diverged;
	struct heddle_traffic global, local, shared;
};

/* A host thread's tables; [f] is NULL until function f is executed. */
struct profile_table {
	struct profile_counts **funcs;
	bool nomem;
};

/* The instruction of a row of the profile. */
struct profile_place {
	const struct function *func;
	uint32_t pc;
};

struct heddle_profile {
	const struct program *program; /* of the first launch */
	struct profile_table *tables;  /* one per host thread */
	uint32_t table_count;
	struct profile_place *rows; /* made on demand */
	size_t row_count;
	bool counted;
};

int heddle_profile_new(struct heddle_profile **out, struct heddle_error *err)
{
	struct diag d;

	*out = calloc(1, sizeof(**out));
	return api_result(*out ? ERR_OK : fail(&d, ERR_NOMEM, "out of memory"),
			  &d, err);
}

static uint32_t profile_func_count(const struct heddle_profile *p)
{
	return p->program ? p->program->func_count : 0;
}

void heddle_profile_free(struct heddle_profile *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->table_count; i++) {
		for (uint32_t f = 0;
		     p->tables[i].funcs && f < profile_func_count(p); f++)
			free(p->tables[i].funcs[f]);
		free(p->tables[i].funcs);
	}
	free(p->tables);
	free(p->rows);
	free(p);
}

static void add_request(struct heddle_traffic *t, unsigned parts,
			unsigned ideal)
{
	t->requests++;
	t->parts += parts;
	/* Lanes that share an address need fewer parts. */
	t->ideal += ideal < parts ? ideal : parts;
}

static void count_access(struct profile_counts *c, const struct access *a)
{
	struct heddle_traffic *t = a->space == SPACE_LOCAL ? &c->local :
							     &c->global;
	uint32_t mask = (uint32_t)a->mask; /* the SM's warps have 32 lanes */

	switch (a->space) {
	case SPACE_SHARED:
		add_request(&c->shared, bank_passes(a->addr, mask, a->bytes),
			    bank_ideal(mask, a->bytes));
		break;
	case SPACE_LOCAL:
		/* Hardware interleaves the lanes' local memory by words, so
		 * that the copies of a variable in all lanes are adjacent. */
		add_request(t, coalesce_ideal(mask, a->bytes, SECTOR_BYTES),
			    coalesce_ideal(mask, a->bytes, SECTOR_BYTES));
		break;
	case SPACE_GLOBAL:
		add_request(t,
			    coalesce_sectors(a->addr, mask, a->bytes,
					     SECTOR_BYTES),
			    coalesce_ideal(mask, a->bytes, SECTOR_BYTES));
		break;
	default:
		break; /* constants and parameters are broadcast */
	}
}

static void profile_watch(void *ctx, unsigned worker, const struct step *s)
{
	struct heddle_profile *p = ctx;
	struct profile_table *own = &p->tables[worker];
	const struct function *f = s->code->func;
	struct profile_counts **table = &own->funcs[f->index], *c;
	struct access access[STEP_ACCESSES];
	unsigned n = step_accesses(s, access);

	if (!*table) {
		*table = calloc(f->inst_count + 1, sizeof(**table));
		own->nomem |= !*table;
	}
	if (!*table)
		return;
	c = &(*table)[s->in->index];
	c->executions++;
	c->lanes += lanes_count(s->mask);
	c->diverged += s->mask && s->mask != s->active;
	for (unsigned i = 0; i < n; i++)
		if (access[i].mask)
			count_access(c, &access[i]);
}

static enum err make_tables(struct heddle_profile *p, uint32_t threads,
			    struct diag *d)
{
	struct profile_table *more;

	if (threads <= p->table_count)
		return ERR_OK;
	more = realloc(p->tables, threads * sizeof(*more));
	if (!more)
		return fail(d, ERR_NOMEM, "out of memory");
	p->tables = more;
	while (p->table_count < threads) {
		struct profile_table *own = &p->tables[p->table_count];

		own->nomem = false;
		own->funcs =
			calloc(profile_func_count(p) + 1, sizeof(*own->funcs));
		if (!own->funcs)
			return fail(d, ERR_NOMEM, "out of memory");
		p->table_count++;
	}
	return ERR_OK;
}

enum err profile_attach(struct heddle_profile *p, struct launch *run,
			struct diag *d)
{
	if (!p)
		return ERR_OK;
	if (p->program && p->program != run->program)
		return fail(d, ERR_RANGE,
			    "a profile is for launches of one module");
	p->program = run->program;
	p->counted = false;
	run->watch = profile_watch;
	run->watch_ctx = p;
	return make_tables(p, run->machine->threads, d);
}

static void add_traffic(struct heddle_traffic *to,
			const struct heddle_traffic *t)
{
	to->requests += t->requests;
	to->parts += t->parts;
	to->ideal += t->ideal;
}

/* The counts of one instruction, summed over all host threads. */
static struct profile_counts profile_total(const struct heddle_profile *p,
					   const struct function *f,
					   uint32_t pc)
{
	struct profile_counts sum = { 0 };

	for (uint32_t i = 0; i < p->table_count; i++) {
		const struct profile_counts *c = p->tables[i].funcs[f->index];

		if (!c)
			continue;
		c += pc;
		sum.executions += c->executions;
		sum.lanes += c->lanes;
		sum.diverged += c->diverged;
		add_traffic(&sum.global, &c->global);
		add_traffic(&sum.local, &c->local);
		add_traffic(&sum.shared, &c->shared);
	}
	return sum;
}

/* Lists the instructions that were executed, unless out is NULL; returns their
 * number. */
static size_t list_rows(struct heddle_profile *p, struct profile_place *out)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->program->func_count; i++) {
		const struct function *f = &p->program->funcs[i];

		for (uint32_t pc = 0; pc < f->inst_count; pc++) {
			if (!profile_total(p, f, pc).executions)
				continue;
			if (out)
				out[n] = (struct profile_place){ f, pc };
			n++;
		}
	}
	return n;
}

size_t heddle_profile_count(struct heddle_profile *p)
{
	if (!p->program || p->counted)
		return p->row_count;
	free(p->rows);
	p->row_count = list_rows(p, NULL);
	p->rows = calloc(p->row_count + 1, sizeof(*p->rows));
	if (!p->rows) {
		p->row_count = 0;
		return 0;
	}
	list_rows(p, p->rows);
	p->counted = true;
	return p->row_count;
}

/* Fills in where and what the instruction is; returns its timing kind. */
static enum timing_kind profile_describe(struct heddle_profile_row *out,
					 const struct profile_place *at)
{
	struct inst_text in;

	at->func->program->isa->describe(at->func, at->pc, &in);
	out->function = at->func->name;
	out->pc = at->pc;
	out->file = in.file;
	out->line = in.line;
	out->ptx_line = in.asm_line;
	out->unit = unit_names[in.unit];
	snprintf(out->instruction, sizeof(out->instruction), "%.*s",
		 (int)sizeof(out->instruction) - 1, in.text);
	return in.kind;
}

int heddle_profile_get(struct heddle_profile *p, size_t i,
		       struct heddle_profile_row *out, struct heddle_error *err)
{
	struct profile_counts c;
	struct diag d;
	enum timing_kind kind;

	memset(out, 0, sizeof(*out));
	if (i >= heddle_profile_count(p))
		return api_result(fail(&d, ERR_RANGE, "no row %zu of %zu", i,
				       p->row_count),
				  &d, err);
	for (uint32_t k = 0; k < p->table_count; k++)
		if (p->tables[k].nomem)
			return api_result(fail(&d, ERR_NOMEM, "out of memory"),
					  &d, err);
	kind = profile_describe(out, &p->rows[i]);
	c = profile_total(p, p->rows[i].func, p->rows[i].pc);
	out->executions = c.executions;
	out->lanes = c.lanes;
	out->branches = kind == KIND_BRANCH;
	if (out->branches)
		out->diverged = c.diverged;
	out->global = c.global;
	out->local = c.local;
	out->shared = c.shared;
	if (kind != KIND_LOAD)
		out->writes = c.global.requests || c.local.requests ||
			      c.shared.requests;
	return api_result(ERR_OK, &d, err);
}
