#include "explore/compare.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/utf8.h"
#include "cfg/param.h"
#include "explore/view.h"

/* Reasons of a run that this build may not know. */
enum { OTHERS = 64 };
/* What a run that is undivided calls the reasons that it does not tell apart. */
#define UNDIVIDED "empty"

static const char *compare_keep_text(struct compare *c, const char *text)
{
	char *copy = arena_strndup(&c->arena, text, strlen(text));

	utf8_make_plain(copy);
	return copy;
}

struct compare_run *compare_add_empty(struct compare *c, const char *name,
				      struct diag *d)
{
	struct compare_run *to = &c->runs[c->count];

	if (c->count == COMPARE_RUNS) {
		fail(d, ERR_RANGE, "at most %d runs can be compared",
		     COMPARE_RUNS);
		return NULL;
	}
	*to = (struct compare_run){ .name = compare_keep_text(c, name) };
	to->values = arena_new(&c->arena, double, stat_count);
	if (!to->name || !to->values) {
		fail(d, ERR_NOMEM, "out of memory");
		return NULL;
	}
	cfg_defaults(&to->cfg);
	for (unsigned i = 0; i < stat_count; i++)
		to->values[i] = NAN;
	c->count++;
	return to;
}

enum err compare_add_slots(struct compare *c, struct compare_run *to,
			   const char *name, uint64_t n, struct diag *d)
{
	struct run_slots *more;
	size_t i = 0;

	while (i < to->other_count && strcmp(to->others[i].name, name) != 0)
		i++;
	if (i < to->other_count) {
		to->others[i].n += n;
		return ERR_OK;
	}
	/* A result of another version has a few of them. */
	if (to->other_count == OTHERS)
		return fail(d, ERR_RANGE,
			    "'%.160s' has more than %d reasons that this "
			    "version does not know",
			    to->name, OTHERS);
	more = to->others ? to->others :
			    arena_new(&c->arena, struct run_slots, OTHERS);
	if (!more)
		return fail(d, ERR_NOMEM, "out of memory");
	to->others = more;
	more[to->other_count].name = compare_keep_text(c, name);
	more[to->other_count].n = n;
	return more[to->other_count++].name ?
		       ERR_OK :
		       fail(d, ERR_NOMEM, "out of memory");
}

static enum err compare_add_others(struct compare *c, struct compare_run *to,
				   const struct run_result *r, struct diag *d)
{
	for (size_t i = 0; i < r->launch_count; i++) {
		const struct run_launch *l = &r->launches[i];

		/* All launches of a group have the same statistics. */
		if (!l->timed || (l->at_once > 1 && l->place))
			continue;
		for (size_t k = 0; k < l->other_count; k++)
			if (compare_add_slots(c, to, l->others[k].name,
					      l->others[k].n, d))
				return d->code;
	}
	return ERR_OK;
}

enum err compare_add(struct compare *c, const struct run_result *r,
		     const char *name, struct diag *d)
{
	struct compare_run *to = compare_add_empty(c, name, d);
	struct arena lines = { 0 };
	struct run_view v;

	if (!to)
		return d->code;
	for (size_t i = 0; i < r->device_count; i++) {
		if (view_of(&v, &lines, r, i, NULL, d)) {
			arena_free(&lines);
			return d->code;
		}
		stats_add(&to->counts, &v.s);
		to->cycles += v.cycles;
		to->seconds += v.seconds;
		to->launches += v.launches;
	}
	arena_free(&lines);
	to->cfg = r->devices[0].cfg;
	to->undivided = r->undivided;
	if (r->traced_sums)
		to->launches = r->traced_count;
	to->program = compare_keep_text(
		c, to->launches == 1 ? r->launches[0].kernel : r->program);
	to->gpu = compare_keep_text(c, r->devices[0].gpu);
	for (unsigned i = 0; i < stat_count; i++)
		if (stat_name(i))
			to->values[i] = stat_real(&stat_table[i], &to->counts);
	if (compare_add_others(c, to, r, d))
		return d->code;
	return to->program && to->gpu ? ERR_OK :
					fail(d, ERR_NOMEM, "out of memory");
}

double compare_change(double a, double b)
{
	if (a == b || (isnan(a) && isnan(b)))
		return 0;
	if (isnan(a) || a == 0)
		return INFINITY;
	return isnan(b) ? -1 : b / a - 1;
}

/* Updates the largest change so far: *most is the change as it is printed;
 * row->size sorts, and is the same for up and down, so that halving counts as
 * much as doubling. */
static void compare_weigh(struct compare_row *row, double *most, double a,
			  double b)
{
	double change = compare_change(a, b);

	if (change == 0)
		return;
	if (change <= -1)
		change = INFINITY;
	row->size = fmax(row->size, fabs(log1p(change)));
	*most = fmax(*most, fabs(change));
}

const char *change_text(char text[CHANGE_TEXT], double a, double b)
{
	double change = compare_change(a, b);

	if (change == 0)
		text[0] = '\0';
	else if (isinf(change))
		snprintf(text, CHANGE_TEXT, "new");
	else if (change <= -1)
		snprintf(text, CHANGE_TEXT, "gone");
	else if (change >= 9)
		snprintf(text, CHANGE_TEXT, "x %.3g", change + 1);
	else
		snprintf(text, CHANGE_TEXT, "%+.1f%%", 100 * change);
	return text;
}

const char *moved_text(char text[CHANGE_TEXT], double a, double b)
{
	double moved = round(b - a);
	char n[GROUPED_TEXT];

	text[0] = '\0';
	if (moved != 0)
		snprintf(text, CHANGE_TEXT, "%c%s", moved < 0 ? '-' : '+',
			 grouped_real(n, fabs(moved)));
	return text;
}

const char *compare_text(char text[40], unsigned stat, double v)
{
	if (isnan(v))
		snprintf(text, 40, "-");
	else if (stat_table[stat].kind == STAT_RATE)
		snprintf(text, 40, "%.4g", v);
	else
		grouped_real(text, v);
	return text;
}

/* ---- rows ---- */

static bool compare_selects(const char *key, const struct compare_options *o)
{
	for (size_t i = 0; i < o->only_count; i++)
		if (!fnmatch(o->only[i], key, 0))
			return true;
	return !o->only_count;
}

static enum err compare_check_patterns(const struct compare_options *o,
				       struct diag *d)
{
	char key[STAT_KEY_SIZE];

	for (size_t p = 0; p < o->only_count; p++) {
		bool fits = false;

		for (unsigned i = 0; i < stat_count && !fits; i++)
			fits = stat_key(key, i) && !fnmatch(o->only[p], key, 0);
		if (!fits)
			return fail(d, ERR_UNKNOWN,
				    "--only %.80s: no statistic matches; names "
				    "are GROUP.NAME, such as l2.reads",
				    o->only[p]);
	}
	return ERR_OK;
}

static int compare_by_effect(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;

	if (x->effect != y->effect)
		return x->effect > y->effect ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->stat < y->stat ? -1 : 1;
}

/* Below this many cycles, a change is noise. */
static double compare_noise(const struct compare *c)
{
	double most = 0;

	for (size_t i = 0; i < c->count; i++)
		most = fmax(most, c->runs[i].cycles);
	return COMPARE_NOISE * most;
}

static void compare_find_params(struct compare *c)
{
	char a[CFG_VALUE_SIZE], b[CFG_VALUE_SIZE];

	for (int i = 0; i < CFG_COUNT; i++) {
		bool differs = false;

		/* Names and remarks are shown beside the runs. */
		if (cfg_params[i].type == CFG_TEXT)
			continue;
		cfg_value_print(a, &c->runs[0].cfg, (enum cfg_id)i);
		for (size_t k = 1; k < c->count && !differs; k++) {
			cfg_value_print(b, &c->runs[k].cfg, (enum cfg_id)i);
			differs = strcmp(a, b) != 0;
		}
		if (differs)
			c->params[c->param_count++] = (enum cfg_id)i;
	}
}

static void compare_add_row(struct compare *c, const struct compare_options *o,
			    unsigned stat)
{
	struct compare_row row = { .stat = stat };
	const struct compare_run *first = &c->runs[0];
	double change = 0;

	for (size_t k = 1; k < c->count; k++) {
		compare_weigh(&row, &change, first->values[stat],
			      c->runs[k].values[stat]);
		row.effect =
			fmax(row.effect,
			     fabs(compare_effect(first, &c->runs[k], stat)));
	}
	if (row.size == 0)
		c->same++;
	else if (change < o->min_change)
		c->small++;
	else
		c->rows[c->row_count++] = row;
}

/* Reasons are shown by their slots, unless they were asked for by name. */
static void compare_fold_rows(struct compare *c,
			      const struct compare_options *o)
{
	bool whole = o->all || o->only_count;
	double noise = compare_noise(c);
	size_t shown = 0;

	for (size_t i = 0; i < c->row_count && !whole; i++) {
		struct compare_row *row = &c->rows[i];
		bool slots = c->slot_count &&
			     stat_table[row->stat].group == STAT_GROUP_reason;

		row->folded = slots || row->effect < noise ||
			      shown == COMPARE_SHOWN;
		c->rows_folded += row->folded && !slots;
		shown += !row->folded;
	}
}

/* ---- slots ---- */

static struct compare_slots *compare_slots_named(struct compare *c,
						 const char *name, int reason)
{
	struct compare_slots *at = c->slots;

	for (size_t i = 0; i < c->slot_count; i++, at++)
		if (!strcmp(at->name, name))
			return at;
	*at = (struct compare_slots){ .name = name, .reason = reason };
	c->slot_count++;
	return at;
}

static void compare_count_slots(struct compare *c, size_t run)
{
	const struct compare_run *r = &c->runs[run];
	double all = 0;

	for (unsigned i = 0, reason = 0; i < stat_count; i++) {
		bool joined = c->undivided && stat_is_divided(i);

		if (stat_table[i].kind != STAT_REASON)
			continue;
		compare_slots_named(c, joined ? UNDIVIDED : stat_table[i].name,
				    joined ? -1 : (int)reason)
			->slots[run] += (double)r->counts.reason[reason];
		reason++;
	}
	for (size_t i = 0; i < r->other_count; i++)
		compare_slots_named(c, r->others[i].name, -1)->slots[run] +=
			(double)r->others[i].n;
	for (size_t i = 0; i < c->slot_count; i++)
		all += c->slots[i].slots[run];
	for (size_t i = 0; i < c->slot_count && all > 0; i++)
		c->slots[i].cycles[run] =
			c->slots[i].slots[run] / all * r->cycles;
}

static int compare_by_cycles_moved(const void *a, const void *b)
{
	const struct compare_slots *x = a, *y = b;

	if (x->moved != y->moved)
		return x->moved > y->moved ? -1 : 1;
	if (x->slots[0] != y->slots[0])
		return x->slots[0] > y->slots[0] ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Leaves out what no run has. */
static void compare_drop_empty_slots(struct compare *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->slot_count; i++) {
		bool any = false;

		for (size_t k = 0; k < c->count; k++)
			any |= c->slots[i].slots[k] > 0;
		if (any)
			c->slots[n++] = c->slots[i];
	}
	c->slot_count = n;
}

static enum err compare_find_slots(struct compare *c,
				   const struct compare_options *o,
				   struct diag *d)
{
	double noise = compare_noise(c);

	c->slots = arena_new(&c->arena, struct compare_slots,
			     REASON_COUNT + c->count * OTHERS);
	if (!c->slots)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t k = 0; k < c->count; k++)
		compare_count_slots(c, k);
	compare_drop_empty_slots(c);
	for (size_t i = 0; i < c->slot_count; i++) {
		struct compare_slots *s = &c->slots[i];

		for (size_t k = 1; k < c->count; k++)
			s->moved = fmax(s->moved,
					fabs(s->cycles[k] - s->cycles[0]));
		s->folded = !o->all && s->moved < noise;
		c->slots_folded += s->folded;
	}
	if (c->slot_count)
		qsort(c->slots, c->slot_count, sizeof(*c->slots),
		      compare_by_cycles_moved);
	return ERR_OK;
}

const char *compare_slots_doc(const struct compare *c,
			      const struct compare_slots *s)
{
	unsigned i = 0;

	if (s->reason < 0)
		return c->undivided && !strcmp(s->name, UNDIVIDED) ?
			       "no warp: unfilled, launch, tail and no_block "
			       "together" :
			       "not known to this version of Heddle";
	while (stat_table[i].kind != STAT_REASON)
		i++;
	return stat_table[i + (unsigned)s->reason].doc;
}

const char *compare_verdict(char text[VERDICT_TEXT], const struct compare *c,
			    size_t run)
{
	double a = c->runs[0].cycles, b = c->runs[run].cycles;
	char n[GROUPED_TEXT], change[CHANGE_TEXT];

	if (a == b)
		snprintf(text, VERDICT_TEXT, "%c takes as many cycles as A.",
			 compare_letter(run));
	else
		snprintf(text, VERDICT_TEXT,
			 "%c takes %s cycles %s than A (%s).",
			 compare_letter(run), grouped_real(n, fabs(b - a)),
			 b > a ? "more" : "fewer", change_text(change, a, b));
	return text;
}

bool compare_others_text(char *text, size_t size, const struct compare *c)
{
	size_t used = 0, n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->slot_count; i++)
		if (c->slots[i].reason < 0 && used < size &&
		    !(c->undivided && !strcmp(c->slots[i].name, UNDIVIDED))) {
			used += (size_t)snprintf(text + used, size - used,
						 "%s'%.40s'", n ? ", " : "",
						 c->slots[i].name);
			n++;
		}
	if (n && used < size)
		snprintf(text + used, size - used,
			 "%s not known to this version of Heddle, and shown as "
			 "the results name %s: another version may divide the "
			 "slots differently.",
			 n == 1 ? " is a reason" : " are reasons",
			 n == 1 ? "it" : "them");
	return n > 0;
}

enum err compare_rows(struct compare *c, const struct compare_options *o,
		      struct diag *d)
{
	char key[STAT_KEY_SIZE];

	for (size_t k = 0; k < c->count; k++)
		c->undivided |= c->runs[k].undivided;
	if (compare_check_patterns(o, d) || compare_find_slots(c, o, d))
		return d->code;
	c->rows = arena_new(&c->arena, struct compare_row, stat_count);
	c->params = arena_new(&c->arena, enum cfg_id, CFG_COUNT);
	if (!c->rows || !c->params)
		return fail(d, ERR_NOMEM, "out of memory");
	for (unsigned i = 0; i < stat_count; i++)
		if (stat_key(key, i) && compare_selects(key, o) &&
		    !(c->undivided && stat_is_divided(i)))
			compare_add_row(c, o, i);
	if (c->row_count)
		qsort(c->rows, c->row_count, sizeof(*c->rows),
		      compare_by_effect);
	compare_fold_rows(c, o);
	compare_find_params(c);
	return ERR_OK;
}

void compare_free(struct compare *c)
{
	arena_free(&c->arena);
}
