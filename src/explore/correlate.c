#include "explore/correlate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"

const char *const correlate_size_names[CORRELATE_SIZES] = {
	[CORRELATE_FEW] = "fewer blocks than SMs",
	[CORRELATE_SOME] = "up to 1,000 blocks",
	[CORRELATE_MANY] = "more blocks",
};
const char *const correlate_limit_names[CORRELATE_LIMITS] = {
	[CORRELATE_DRAM] = "bound by DRAM",
	[CORRELATE_ISSUE] = "bound by issue",
	[CORRELATE_LATENCY] = "bound by latency",
	[CORRELATE_UNKNOWN] = "limit not known",
};
const char *const correlate_half_names[CORRELATE_HALVES] = {
	[CORRELATE_LOOK] = "to look at",
	[CORRELATE_HIDDEN] = "only measured",
};

enum correlate_half correlate_half_of(const char *program)
{
	unsigned char digest[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, program, strlen(program));
	sha256_end(&s, digest);
	return digest[0] % 2 ? CORRELATE_HIDDEN : CORRELATE_LOOK;
}

/* ---- pairs ---- */

static enum err correlate_text(struct correlate *c, const char **out,
			       const char *text, struct diag *d)
{
	*out = arena_strndup(&c->arena, text, strlen(text));
	return *out ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

/* An array in the arena with one more element. */
static void *correlate_more(struct arena *a, const void *at, size_t count,
			    size_t size)
{
	void *more = arena_alloc(a, count + 1, size);

	if (more && count)
		memcpy(more, at, count * size);
	return more;
}

static enum err correlate_add_set(struct correlate *c, const char *set,
				  struct diag *d)
{
	for (size_t i = 0; i < c->set_count; i++)
		if (!strcmp(c->sets[i], set))
			return ERR_OK;
	c->sets = correlate_more(&c->arena, c->sets, c->set_count,
				 sizeof(*c->sets));
	if (!c->sets)
		return fail(d, ERR_NOMEM, "out of memory");
	c->sets[c->set_count++] = set;
	return ERR_OK;
}

static enum err correlate_add_pair(struct correlate *c,
				   const struct correlate_source *from,
				   const struct run_result *r, struct diag *d)
{
	struct correlate_pair *p;

	c->pairs = correlate_more(&c->arena, c->pairs, c->pair_count,
				  sizeof(*c->pairs));
	if (!c->pairs)
		return fail(d, ERR_NOMEM, "out of memory");
	p = &c->pairs[c->pair_count];
	*p = (struct correlate_pair){ .first = c->point_count };
	p->half = correlate_half_of(from->program);
	if (correlate_text(c, &p->program, from->program, d) ||
	    correlate_text(c, &p->set, from->set ? from->set : "", d) ||
	    correlate_text(c, &p->profile, from->profile, d) ||
	    correlate_text(c, &p->run, from->run, d) ||
	    correlate_text(c, &p->gpu, r->devices[0].cfg.gpu.name, d))
		return d->code;
	c->pair_count++;
	return correlate_add_set(c, p->set, d);
}

/* No partner at all: say what the two sides have. */
static enum err correlate_strangers(const struct correlate *c,
				    const struct measured *m,
				    const struct run_result *r, struct diag *d)
{
	const char *why = c->lone_count ? c->lone[c->lone_count - 1].why : "";

	for (size_t i = c->lone_count; i--;)
		if (c->lone[i].pair == c->pair_count - 1 && c->lone[i].hardware)
			why = c->lone[i].why;
	return fail(d, ERR_MISMATCH,
		    "'%.120s' and '%.120s' have no launch in common: of the "
		    "profile's %.60s, %.120s",
		    m->path, r->path, m->launches[0].kernel, why);
}

static int correlate_by_id(const void *a, const void *b)
{
	const struct correlate_point *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->launch < y->launch ? -1 : x->launch > y->launch;
}

static enum err correlate_join_new(struct correlate *c,
				   const struct correlate_source *from,
				   const struct measured *m,
				   const struct run_result *r, struct diag *d)
{
	struct correlate_pair *p;

	if (r->traced_count > 1)
		return fail(d, ERR_UNSUPP,
			    "'%.200s' is the replay of several launches, with "
			    "one sum for all; run the program with --out",
			    r->path);
	if (correlate_add_pair(c, from, r, d) ||
	    correlate_join_pair(c, c->pair_count - 1, m, r, d))
		return d->code;
	p = &c->pairs[c->pair_count - 1];
	p->count = c->point_count - p->first;
	if (!p->count)
		return correlate_strangers(c, m, r, d);
	qsort(c->points + p->first, p->count, sizeof(*c->points),
	      correlate_by_id);
	return ERR_OK;
}

enum err correlate_join(struct correlate *c,
			const struct correlate_source *from,
			const struct measured *m, const struct run_result *r,
			struct diag *d)
{
	struct correlate before = *c;
	enum err e = correlate_join_new(c, from, m, r, d);

	/* A pair that failed leaves nothing behind. */
	if (e) {
		c->pair_count = before.pair_count;
		c->point_count = before.point_count;
		c->lone_count = before.lone_count;
		c->set_count = before.set_count;
	}
	return e;
}

enum err correlate_add(struct correlate *c, const struct correlate_source *from,
		       struct diag *d)
{
	struct measured m;
	struct run_result r = { 0 };
	enum err e = measured_read(&m, from->profile, d);

	if (!e)
		e = run_read(&r, from->run, d);
	if (!e && r.incomplete)
		e = fail(d, ERR_FAULT, "'%.200s' is incomplete: %.200s",
			 from->run, r.incomplete);
	if (!e)
		e = correlate_join(c, from, &m, &r, d);
	run_free(&r);
	measured_free(&m);
	return e;
}

void correlate_free(struct correlate *c)
{
	arena_free(&c->arena);
}
