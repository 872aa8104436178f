#include "explore/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cfg/cfg.h"

double ratio_of(double over, double under)
{
	return under > 0 ? over / under : 0;
}

/* ---- sums ---- */

static int lines_by_place(const void *a, const void *b)
{
	const struct run_line *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

static int lines_by_heat(const void *a, const void *b)
{
	const struct run_line *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited > y->waited ? -1 : 1;
	if (x->issued != y->issued)
		return x->issued > y->issued ? -1 : 1;
	return lines_by_place(a, b);
}

static int code_by_pc(const void *a, const void *b)
{
	const struct run_code *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void add_code(struct run_code *to, const struct run_code *c)
{
	to->issued += c->issued;
	to->waited += c->waited;
	to->lanes += c->lanes;
	for (unsigned r = 0; r < REASON_COUNT; r++)
		to->slots[r] += c->slots[r];
}

/* Joins the instructions of n entries of one line. */
static enum err join_code(struct run_line *to, const struct run_line *l,
			  size_t n, struct arena *a, struct diag *d)
{
	size_t count = 0, k = 0;
	struct run_code *code;

	for (size_t i = 0; i < n; i++)
		count += l[i].code_count;
	code = arena_new(a, struct run_code, count + 1);
	if (!code)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < l[i].code_count; c++)
			code[k++] = l[i].code[c];
	qsort(code, count, sizeof(*code), code_by_pc);
	for (size_t i = k = 0; i < count; i++) {
		if (k && !code_by_pc(&code[k - 1], &code[i]))
			add_code(&code[k - 1], &code[i]);
		else
			code[k++] = code[i];
	}
	to->code = code;
	to->code_count = k;
	return ERR_OK;
}

/* Joins n entries of one line; the instruction is that of the hottest. */
static enum err join_line(struct run_line *to, const struct run_line *l,
			  size_t n, struct arena *a, struct diag *d)
{
	uint64_t most = l->waited;
	struct run_line sum = *l;

	for (size_t i = 1; i < n; i++) {
		sum.issued += l[i].issued;
		sum.waited += l[i].waited;
		sum.total_issued += l[i].total_issued;
		sum.total_waited += l[i].total_waited;
		for (unsigned r = 0; r < REASON_COUNT; r++)
			sum.slots[r] += l[i].slots[r];
		sum.source = sum.source ? sum.source : l[i].source;
		if (l[i].waited <= most)
			continue;
		most = l[i].waited;
		sum.instruction = l[i].instruction;
	}
	if (n > 1 && join_code(&sum, l, n, a, d))
		return d->code;
	*to = sum;
	return ERR_OK;
}

/* Joins equal lines of several launches. */
static enum err view_join_lines(struct run_view *v, struct arena *a,
				struct diag *d)
{
	size_t n = 0, end;

	if (!v->line_count)
		return ERR_OK;
	qsort(v->lines, v->line_count, sizeof(*v->lines), lines_by_place);
	for (size_t i = 0; i < v->line_count; i = end) {
		for (end = i + 1; end < v->line_count; end++)
			if (lines_by_place(&v->lines[i], &v->lines[end]) != 0)
				break;
		if (join_line(&v->lines[n], &v->lines[i], end - i, a, d))
			return d->code;
		v->waited += v->lines[n++].waited;
	}
	v->line_count = n;
	qsort(v->lines, n, sizeof(*v->lines), lines_by_heat);
	return ERR_OK;
}

static bool view_includes(const struct run_view *v, const struct run_launch *l,
			  size_t device)
{
	return l->timed && l->device == device &&
	       (!v->name || !strcmp(v->name, l->kernel));
}

static void view_add_launch(struct run_view *v, const struct run_launch *l)
{
	bool apart = l->at_once <= 1;

	v->launches++;
	if (!v->longest || l->cycles > v->longest->cycles)
		v->longest = l;
	if (l->line_count)
		memcpy(v->lines + v->line_count, l->lines,
		       l->line_count * sizeof(*l->lines));
	v->line_count += l->line_count;
	for (int u = 0; u < UNIT_COUNT; u++) {
		v->operations[u] += l->operations[u];
		if (l->largest[u] > v->largest[u])
			v->largest[u] = l->largest[u];
	}
	if (v->name && !apart) {
		v->together++;
		return;
	}
	/* All launches of a group have the same statistics. */
	if (!apart && l->place)
		return;
	stats_add(&v->s, &l->stats);
	v->cycles += (double)l->group_cycles;
	v->seconds += ratio_of((double)l->group_cycles, l->mhz * 1e6);
}

enum err view_of(struct run_view *v, struct arena *a,
		 const struct run_result *r, size_t device, const char *kernel,
		 struct diag *d)
{
	size_t lines = 0;

	*v = (struct run_view){ .name = kernel, .device = &r->devices[device] };
	for (size_t i = 0; i < r->launch_count; i++)
		if (view_includes(v, &r->launches[i], device))
			lines += r->launches[i].line_count;
	v->lines = arena_new(a, struct run_line, lines + 1);
	if (!v->lines)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < r->launch_count; i++)
		if (view_includes(v, &r->launches[i], device))
			view_add_launch(v, &r->launches[i]);
	return view_join_lines(v, a, d);
}

static int views_by_cycles(const void *a, const void *b)
{
	const struct run_view *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int names_ascending(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum err view_kernels(struct view_list *out, struct arena *a,
		      const struct run_result *r, size_t device, struct diag *d)
{
	const char **names = arena_new(a, const char *, r->launch_count + 1);
	size_t n = 0, count = 0;

	*out = (struct view_list){ 0 };
	if (!names)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < r->launch_count; i++)
		if (r->launches[i].timed && r->launches[i].device == device)
			names[n++] = r->launches[i].kernel;
	if (n)
		qsort(names, n, sizeof(*names), names_ascending);
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(names[i], names[count - 1]) != 0)
			names[count++] = names[i];
	out->at = arena_new(a, struct run_view, count + 1);
	if (!out->at)
		return fail(d, ERR_NOMEM, "out of memory");
	for (; out->count < count; out->count++)
		if (view_of(&out->at[out->count], a, r, device,
			    names[out->count], d))
			return d->code;
	if (count)
		qsort(out->at, count, sizeof(*out->at), views_by_cycles);
	return ERR_OK;
}

/* ---- shares of the peak ---- */

static struct peak_share *add_share(struct peak_shares *out, const char *name,
				    double share)
{
	struct peak_share *s = &out->at[out->count++];

	CHECK(out->count <= MAX_SHARES);
	*s = (struct peak_share){ .name = name, .share = share };
	if (share > out->most || !out->of) {
		out->most = share;
		out->of = name;
	}
	return s;
}

struct peak_shares view_sm_shares(const struct run_view *v)
{
	const struct cfg *c = &v->device->cfg;
	double sm_cycles = (double)v->s.sm.cycles;
	double issue = (double)(c->sm.schedulers * c->sm.issue_width) /
		       (double)c->sm.issue_interval;
	struct peak_shares out = { 0 };
	struct peak_share *s;

	s = add_share(&out, "issue",
		      ratio_of((double)v->s.sm.instructions,
			       sm_cycles * issue));
	snprintf(s->about, sizeof(s->about),
		 "warp-instructions, of %.3g per cycle and SM", issue);
	for (int u = 0; u < UNIT_COUNT; u++) {
		double lanes = (double)c->unit[u].lanes;
		double n = (double)v->s.unit[u];

		if (n == 0 || lanes == 0)
			continue;
		s = add_share(&out, unit_names[u],
			      ratio_of(n * (double)c->sm.warp_size,
				       sm_cycles * lanes));
		snprintf(s->about, sizeof(s->about),
			 "%.0f lanes per cycle and SM", lanes);
	}
	return out;
}

static void add_memory_share(struct peak_shares *out, const char *name,
			     double did, double could, const char *about)
{
	struct peak_share *s;

	if (could <= 0)
		return;
	s = add_share(out, name, ratio_of(did, could));
	snprintf(s->about, sizeof(s->about), "%s", about);
}

struct peak_shares view_memory_shares(const struct run_view *v)
{
	const struct cfg *c = &v->device->cfg;
	const struct stats *s = &v->s;
	double sm_cycles = (double)s->sm.cycles;
	double slices = v->cycles * (double)c->l2.slices;
	struct peak_shares out = { 0 };
	char text[120], a[GROUPED_TEXT];

	snprintf(text, sizeof(text), "passes, one per cycle and SM");
	add_memory_share(&out, "shared memory", (double)s->lsu.shared_passes,
			 sm_cycles, text);
	snprintf(text, sizeof(text),
		 "lines read or written, %d per cycle and SM",
		 (int)c->l1.lookups);
	if (c->l1.on)
		add_memory_share(&out, "L1 lookups",
				 (double)(s->l1.reads + s->l1.writes),
				 sm_cycles * (double)c->l1.lookups, text);
	snprintf(text, sizeof(text), "%d bytes per cycle into an SM",
		 (int)c->net.sm_in);
	add_memory_share(&out, "network to SMs", (double)s->lsu.bytes_in,
			 sm_cycles * (double)c->net.sm_in, text);
	snprintf(text, sizeof(text), "%d bytes per cycle out of an SM",
		 (int)c->net.sm_out);
	add_memory_share(&out, "network to L2", (double)s->lsu.bytes_out,
			 sm_cycles * (double)c->net.sm_out, text);
	snprintf(text, sizeof(text), "requests, %d per cycle and slice",
		 (int)c->l2.lookups);
	add_memory_share(&out, "L2 lookups",
			 (double)(s->l2.reads + s->l2.writes + s->l2.atomics),
			 slices * (double)c->l2.lookups, text);
	snprintf(text, sizeof(text), "bytes, of %sB/s",
		 scaled(a, c->dram.bandwidth * 1e9));
	add_memory_share(&out, "DRAM",
			 (double)(s->dram.bytes_read + s->dram.bytes_written),
			 v->seconds * c->dram.bandwidth * 1e9, text);
	return out;
}
