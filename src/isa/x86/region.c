#include "isa/x86/region.h"

#include <stdlib.h>

#include "base/diag.h"

void x86_regions_free(struct x86_regions *r)
{
	free(r->visit);
	r->visit = NULL;
	r->visits = r->room = 0;
}

static struct x86_visit *x86_visit_find(const struct x86_regions *r,
					const struct x86_mark *m)
{
	for (size_t i = r->visits; i-- > 0;)
		if (r->visit[i].thread == m->thread &&
		    r->visit[i].number == m->number)
			return &r->visit[i];
	return NULL;
}

static struct x86_visit *x86_visit_add(struct x86_regions *r,
				       const struct x86_mark *m)
{
	if (r->visits == r->room) {
		r->room = r->room ? r->room * 2 : 16;
		r->visit = realloc(r->visit, r->room * sizeof(*r->visit));
		if (!r->visit)
			BUG("out of memory for regions");
	}
	r->visit[r->visits] =
		(struct x86_visit){ .thread = m->thread, .number = m->number };
	r->region[m->number].threads++;
	return &r->visit[r->visits++];
}

static void x86_region_unmatched(struct x86_unmatched *u, uint64_t at,
				 unsigned thread)
{
	if (!u->count++) {
		u->at = at;
		u->thread = thread;
	}
}

static void x86_region_begin(struct x86_regions *r, const struct x86_mark *m)
{
	struct x86_region *g = &r->region[m->number];
	struct x86_visit *v = x86_visit_find(r, m);

	if (!v)
		v = x86_visit_add(r, m);
	if (v->depth++)
		return;
	v->at = m->at;
	v->own = m->own;
	g->entries++;
	if (!g->inside++) {
		g->since_all = m->all;
		g->since_time = m->time;
	}
}

static void x86_region_left(struct x86_region *g, const struct x86_visit *v,
			    const struct x86_mark *m)
{
	g->own += m->own - v->own;
	if (!--g->inside) {
		g->all += m->all - g->since_all;
		g->time += m->time - g->since_time;
	}
}

static void x86_region_end(struct x86_regions *r, const struct x86_mark *m)
{
	struct x86_region *g = &r->region[m->number];
	struct x86_visit *v = x86_visit_find(r, m);

	if (!v || !v->depth)
		x86_region_unmatched(&g->ends, m->at, m->thread);
	else if (!--v->depth)
		x86_region_left(g, v, m);
}

void x86_regions_mark(struct x86_regions *r, const struct x86_mark *m)
{
	if (m->end)
		x86_region_end(r, m);
	else
		x86_region_begin(r, m);
}

static void x86_visit_close(struct x86_regions *r, const struct x86_visit *v,
			    const struct x86_mark *m)
{
	struct x86_region *g = &r->region[v->number];

	if (!v->depth)
		return;
	x86_region_unmatched(&g->begins, v->at, v->thread);
	x86_region_left(g, v, m);
}

void x86_regions_leave(struct x86_regions *r, const struct x86_mark *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->visits; i++) {
		if (r->visit[i].thread == m->thread)
			x86_visit_close(r, &r->visit[i], m);
		else
			r->visit[kept++] = r->visit[i];
	}
	r->visits = kept;
}
