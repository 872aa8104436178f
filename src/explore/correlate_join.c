/* Finds the partners of launches. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "explore/correlate.h"

/* A launch of either side. */
struct join_side {
	struct kernel_name name;
	bool sized;
	const uint32_t *grid, *block;
	bool spelt; /* its arguments stand on the other side as well */
	bool used;
};

struct launch_join {
	struct correlate *c;
	size_t pair;
	const struct measured *m;
	const struct run_result *r;
	struct join_side *hardware, *simulated;
	/* Indices, by name and then in order. */
	size_t *by_name_hardware, *by_name_simulated;
	size_t *members, *partners; /* room for a group */
	struct diag *d;
};

/* ---- groups: launches of the same kernel and size ---- */

static bool same_size(const struct join_side *a, const struct join_side *b)
{
	return !a->sized || !b->sized ||
	       (!memcmp(a->grid, b->grid, 3 * sizeof(*a->grid)) &&
		!memcmp(a->block, b->block, 3 * sizeof(*a->block)));
}

/* Whether template arguments agree, where both are known. Profilers differ in
 * how they spell some: those that neither side finds on the other agree with
 * each other when nothing else is left (loose). */
static bool same_arguments(const struct join_side *a, const struct join_side *b,
			   bool loose)
{
	if (!a->name.arguments || !b->name.arguments)
		return true;
	if (!strcmp(a->name.arguments, b->name.arguments))
		return true;
	return loose && !a->spelt && !b->spelt;
}

/* The first place in a list by name with this name. */
static size_t find_name(const size_t *list, size_t count,
			const struct join_side *sides, const char *base)
{
	size_t i;

	SEARCH_FIRST(i, count, strcmp(sides[list[i]].name.base, base) < 0);
	return i;
}

/* Collects the unused launches of a list that fit one; returns their number. */
static size_t collect(size_t *out, const size_t *list, size_t count,
		      const struct join_side *sides,
		      const struct join_side *like, bool loose)
{
	size_t n = 0;

	for (size_t i = find_name(list, count, sides, like->name.base);
	     i < count && !strcmp(sides[list[i]].name.base, like->name.base);
	     i++)
		if (!sides[list[i]].used && same_size(&sides[list[i]], like) &&
		    same_arguments(&sides[list[i]], like, loose))
			out[n++] = list[i];
	return n;
}

/* ---- launches without a partner ---- */

static enum err lone_add(struct launch_join *j, bool hardware,
			 const char *kernel, uint64_t number, const char *why)
{
	struct correlate *c = j->c;
	struct correlate_lone *last;

	for (size_t i = c->lone_count; i && c->lone[i - 1].pair == j->pair;
	     i--) {
		last = &c->lone[i - 1];
		if (last->hardware == hardware &&
		    !strcmp(last->kernel, kernel) && !strcmp(last->why, why)) {
			last->count++;
			return ERR_OK;
		}
	}
	if (!(c->lone_count & (c->lone_count - 1))) {
		size_t room = c->lone_count ? 2 * c->lone_count : 1;
		struct correlate_lone *more =
			arena_new(&c->arena, struct correlate_lone, room);

		if (!more)
			return fail(j->d, ERR_NOMEM, "out of memory");
		if (c->lone_count)
			memcpy(more, c->lone, c->lone_count * sizeof(*more));
		c->lone = more;
	}
	last = &c->lone[c->lone_count++];
	*last = (struct correlate_lone){ .pair = j->pair,
					 .hardware = hardware,
					 .number = number,
					 .count = 1 };
	snprintf(last->why, sizeof(last->why), "%s", why);
	last->kernel = arena_strndup(&c->arena, kernel, strlen(kernel));
	return last->kernel ? ERR_OK : fail(j->d, ERR_NOMEM, "out of memory");
}

/* Why the other side has no partner for a launch. list, sides: of that side. */
static const char *lone_why(const struct join_side *like, const size_t *list,
			    size_t count, const struct join_side *sides,
			    const char *other, char text[160])
{
	size_t i = find_name(list, count, sides, like->name.base);
	bool size = false, arguments = false;

	if (i == count || strcmp(sides[list[i]].name.base, like->name.base)) {
		snprintf(text, 160, "the %s has no launch of this kernel",
			 other);
		return text;
	}
	for (; i < count && !strcmp(sides[list[i]].name.base, like->name.base);
	     i++) {
		bool same = same_arguments(&sides[list[i]], like, false);

		arguments = arguments || same;
		size = size || (same && same_size(&sides[list[i]], like));
	}
	if (!arguments)
		snprintf(text, 160,
			 "the %s has this kernel only with other template "
			 "arguments",
			 other);
	else if (!size)
		snprintf(text, 160,
			 "the %s has this kernel only with other sizes of grid "
			 "or block",
			 other);
	else
		snprintf(text, 160,
			 "the %s has fewer launches of this kernel and size",
			 other);
	return text;
}

/* Why a launch of the run cannot be compared; NULL: it can. */
static const char *unusable(const struct run_launch *l, char text[160])
{
	if (l->fault)
		snprintf(text, 160, "launch %" PRIu64 " of the run faulted",
			 l->number);
	else if (!l->timed)
		snprintf(text, 160, "the run did not time it (--kernels)");
	else if (!l->whole)
		snprintf(text, 160,
			 "launch %" PRIu64 " of the run was cut short",
			 l->number);
	else
		return NULL;
	return text;
}

/* ---- points ---- */

static enum correlate_size point_size(const struct correlate_point *p,
				      const struct cfg *c)
{
	double blocks = (double)p->grid[0] * p->grid[1] * p->grid[2];

	return blocks < (double)c->sm.count    ? CORRELATE_FEW :
	       blocks <= CORRELATE_SOME_BLOCKS ? CORRELATE_SOME :
						 CORRELATE_MANY;
}

static enum correlate_limit point_limit(const struct correlate_point *p)
{
	double dram = p->hardware[CORRELATE_DRAM_USE];
	double ipc = p->hardware[CORRELATE_IPC];

	if (dram > CORRELATE_DRAM_SHARE)
		return CORRELATE_DRAM;
	if (ipc > CORRELATE_ISSUE_IPC)
		return CORRELATE_ISSUE;
	return isnan(dram) || isnan(ipc) ? CORRELATE_UNKNOWN :
					   CORRELATE_LATENCY;
}

static enum err point_add(struct launch_join *j,
			  const struct measured_launch *h,
			  const struct run_launch *l,
			  struct correlate_point **out)
{
	const struct cfg *cfg = &j->r->devices[l->device].cfg;
	struct correlate *c = j->c;
	struct correlate_point *p = &c->points[c->point_count];

	*p = (struct correlate_point){
		.pair = j->pair, .id = h->id, .launch = l->number, .launches = 1
	};
	p->kernel = arena_strndup(&c->arena, l->kernel, strlen(l->kernel));
	if (!p->kernel)
		return fail(j->d, ERR_NOMEM, "out of memory");
	memcpy(p->grid, l->grid, sizeof(p->grid));
	memcpy(p->block, l->block, sizeof(p->block));
	if (correlate_hardware(p, j->m, h, cfg, j->d))
		return j->d->code;
	correlate_simulated(p, l, cfg);
	p->size = point_size(p, cfg);
	p->limit = point_limit(p);
	c->point_count++;
	*out = p;
	return ERR_OK;
}

/* ---- joining ---- */

static enum err join_one(struct launch_join *j, size_t h, size_t s)
{
	const struct run_launch *l = &j->r->launches[s];
	const struct measured_launch *m = &j->m->launches[h];
	struct correlate_point *p;
	char text[160];

	j->hardware[h].used = j->simulated[s].used = true;
	if (unusable(l, text))
		return lone_add(j, true, m->kernel, m->id, text);
	return point_add(j, m, l, &p);
}

/* Joins a mean over launches with the mean of as many. */
static enum err join_mean(struct launch_join *j, size_t h, const size_t *list,
			  size_t count)
{
	const struct measured_launch *m = &j->m->launches[h];
	struct correlate_point *p = NULL, one;
	char text[160];

	j->hardware[h].used = true;
	for (size_t i = 0; i < count; i++)
		j->simulated[list[i]].used = true;
	if (count != m->invocations) {
		snprintf(text, sizeof(text),
			 "a mean over %" PRIu64 " launches; the run has %zu",
			 m->invocations, count);
		return lone_add(j, true, m->kernel, m->id, text);
	}
	for (size_t i = 0; i < count; i++) {
		const struct run_launch *l = &j->r->launches[list[i]];

		if (unusable(l, text))
			return lone_add(j, true, m->kernel, m->id, text);
	}
	for (size_t i = 0; i < count; i++) {
		const struct run_launch *l = &j->r->launches[list[i]];

		if (!p && point_add(j, m, l, &p))
			return j->d->code;
		one = *p;
		correlate_simulated(&one, l, &j->r->devices[l->device].cfg);
		for (int k = 0; k < CORRELATE_METRICS; k++)
			p->simulated[k] +=
				i ? (one.simulated[k] - p->simulated[k]) /
						(double)(i + 1) :
				    0;
	}
	p->launches = count;
	return ERR_OK;
}

/* Of a run that timed only some launches, as many as the profile has: those are
 * meant. Otherwise both sides are counted from the first. */
static size_t only_timed(const struct launch_join *j, size_t *list,
			 size_t count, size_t wanted)
{
	size_t timed = 0, n = 0;

	for (size_t i = 0; i < count; i++)
		timed += j->r->launches[list[i]].timed;
	if (timed != wanted)
		return count;
	for (size_t i = 0; i < count; i++)
		if (j->r->launches[list[i]].timed)
			list[n++] = list[i];
	return n;
}

/* Joins the launches like this one of the profile. */
static enum err join_group(struct launch_join *j, size_t h, bool loose)
{
	const struct join_side *like = &j->hardware[h];
	size_t members = collect(j->members, j->by_name_hardware, j->m->count,
				 j->hardware, like, false);
	size_t partners = collect(j->partners, j->by_name_simulated,
				  j->r->launch_count, j->simulated, like,
				  loose);

	if (j->m->launches[h].invocations > 1) {
		if (!partners)
			return ERR_OK;
		partners = only_timed(j, j->partners, partners,
				      j->m->launches[h].invocations);
		return join_mean(j, h, j->partners, partners);
	}
	partners = only_timed(j, j->partners, partners, members);
	for (size_t i = 0; i < members && i < partners; i++)
		if (join_one(j, j->members[i], j->partners[i]))
			return j->d->code;
	return ERR_OK;
}

static enum err join_all(struct launch_join *j)
{
	for (int loose = 0; loose < 2; loose++)
		for (size_t i = 0; i < j->m->count; i++)
			if (!j->hardware[i].used && join_group(j, i, loose))
				return j->d->code;
	return ERR_OK;
}

static enum err join_rest(struct launch_join *j)
{
	char why[160];

	for (size_t i = 0; i < j->m->count; i++)
		if (!j->hardware[i].used &&
		    lone_add(j, true, j->m->launches[i].kernel,
			     j->m->launches[i].id,
			     lone_why(&j->hardware[i], j->by_name_simulated,
				      j->r->launch_count, j->simulated, "run",
				      why)))
			return j->d->code;
	for (size_t i = 0; i < j->r->launch_count; i++)
		if (!j->simulated[i].used && j->r->launches[i].timed &&
		    lone_add(j, false, j->r->launches[i].kernel,
			     j->r->launches[i].number,
			     lone_why(&j->simulated[i], j->by_name_hardware,
				      j->m->count, j->hardware, "profile",
				      why)))
			return j->d->code;
	return ERR_OK;
}

/* ---- preparation ---- */

/* Sorts by name; equal ones keep their order. A merge sort, for qsort has no
 * argument. */
static void sort_by_name(size_t *list, size_t *room, size_t n,
			 const struct join_side *sides)
{
	size_t half = n / 2, a = 0, b = half;

	if (n < 2)
		return;
	sort_by_name(list, room, half, sides);
	sort_by_name(list + half, room, n - half, sides);
	for (size_t i = 0; i < n; i++)
		room[i] = b == n || (a < half &&
				     strcmp(sides[list[a]].name.base,
					    sides[list[b]].name.base) <= 0) ?
				  list[a++] :
				  list[b++];
	memcpy(list, room, n * sizeof(*list));
}

static void mark_spelt(struct join_side *sides, size_t count,
		       const size_t *list, size_t others,
		       const struct join_side *other)
{
	for (size_t i = 0; i < count; i++) {
		const struct kernel_name *n = &sides[i].name;
		size_t k = find_name(list, others, other, n->base);

		/* Equal launches follow each other. */
		if (i && n->arguments && sides[i - 1].name.arguments &&
		    !strcmp(sides[i - 1].name.base, n->base) &&
		    !strcmp(sides[i - 1].name.arguments, n->arguments)) {
			sides[i].spelt = sides[i - 1].spelt;
			continue;
		}
		for (; n->arguments && !sides[i].spelt && k < others &&
		       !strcmp(other[list[k]].name.base, n->base);
		     k++)
			sides[i].spelt = other[list[k]].name.arguments &&
					 !strcmp(other[list[k]].name.arguments,
						 n->arguments);
	}
}

static enum err join_prepare(struct launch_join *j, struct arena *a)
{
	size_t nh = j->m->count, ns = j->r->launch_count;
	size_t most = nh > ns ? nh : ns;

	j->hardware = arena_new(a, struct join_side, nh + 1);
	j->simulated = arena_new(a, struct join_side, ns + 1);
	j->by_name_hardware = arena_new(a, size_t, nh + 1);
	j->by_name_simulated = arena_new(a, size_t, ns + 1);
	j->members = arena_new(a, size_t, most + 1);
	j->partners = arena_new(a, size_t, most + 1);
	if (!j->hardware || !j->simulated || !j->by_name_hardware ||
	    !j->by_name_simulated || !j->members || !j->partners)
		return fail(j->d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < nh; i++) {
		const struct measured_launch *l = &j->m->launches[i];

		j->hardware[i] = (struct join_side){ .name = l->name,
						     .sized = l->sized,
						     .grid = l->grid,
						     .block = l->block };
		j->by_name_hardware[i] = i;
	}
	for (size_t i = 0; i < ns; i++) {
		const struct run_launch *l = &j->r->launches[i];

		j->simulated[i] = (struct join_side){ .sized = true,
						      .grid = l->grid,
						      .block = l->block };
		j->by_name_simulated[i] = i;
		if (kernel_name_read(&j->simulated[i].name, a, l->kernel, j->d))
			return j->d->code;
	}
	sort_by_name(j->by_name_hardware, j->members, nh, j->hardware);
	sort_by_name(j->by_name_simulated, j->members, ns, j->simulated);
	mark_spelt(j->hardware, nh, j->by_name_simulated, ns, j->simulated);
	mark_spelt(j->simulated, ns, j->by_name_hardware, nh, j->hardware);
	return ERR_OK;
}

/* Room for the points of a pair, after those that are there. */
static enum err join_room(struct correlate *c, size_t more, struct diag *d)
{
	struct correlate_point *points = arena_new(
		&c->arena, struct correlate_point, c->point_count + more + 1);

	if (!points)
		return fail(d, ERR_NOMEM, "out of memory");
	if (c->point_count)
		memcpy(points, c->points, c->point_count * sizeof(*points));
	c->points = points;
	return ERR_OK;
}

enum err correlate_join_pair(struct correlate *c, size_t pair,
			     const struct measured *m,
			     const struct run_result *r, struct diag *d)
{
	struct launch_join j = { .c = c, .pair = pair, .m = m, .r = r, .d = d };
	struct arena a = { 0 };
	enum err e = join_room(c, m->count, d);

	if (!e)
		e = join_prepare(&j, &a);
	if (!e)
		e = join_all(&j);
	if (!e)
		e = join_rest(&j);
	arena_free(&a);
	return e;
}
