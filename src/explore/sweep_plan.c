#include "explore/sweep_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/machine.h"
#include "gpu/gpu.h"
#include "mem/cgm/system.h"

static enum err plan_error_at(const struct sweep *s, struct sweep_place at,
			      const char *label, struct diag *d)
{
	struct diag inner = *d;

	return fail(d, inner.code, "%.160s:%u:%u: %.100s%s%s", s->path, at.line,
		    at.column, label, *label ? ": " : "", inner.text);
}

/* Any factor of 0 gives 0, so that all points would be the same. */
static enum err plan_refuse_factor(const struct cfg *base, enum cfg_id id,
				   struct diag *d)
{
	const struct cfg_param *p = &cfg_params[id];
	char once[CFG_VALUE_SIZE], twice[CFG_VALUE_SIZE];
	struct cfg c = *base;
	struct diag other;
	double means;

	if (!machine_resolved(base, id, &means) ||
	    cfg_value_set(&c, id, means, &other))
		return fail(d, ERR_RANGE,
			    "%s is 0 in the baseline (%.120s), and any factor "
			    "of it is 0; give values instead: %s = ...",
			    p->key, p->doc, p->key);
	cfg_value_print(once, &c, id);
	if (cfg_value_set(&c, id, 2 * means, &other))
		twice[0] = '\0';
	else
		cfg_value_print(twice, &c, id);
	return fail(d, ERR_RANGE,
		    "%s is 0 in the baseline (%.120s), and any factor of it is "
		    "0; here it means %s, so give values instead: %s = %s%s%s",
		    p->key, p->doc, once, p->key, once, *twice ? ", " : "",
		    twice);
}

/* A factor multiplies the base's value, not that in *c. */
static enum err plan_assign(struct cfg *c, const struct cfg *base,
			    const struct sweep_assign *v, struct diag *d)
{
	double of = 1;

	if (v->variable)
		return ERR_OK;
	if (v->text)
		return cfg_value_parse(c, v->id, v->text, strlen(v->text), d);
	if (v->factor)
		cfg_value_number(base, v->id, &of);
	if (of == 0)
		return plan_refuse_factor(base, v->id, d);
	return cfg_value_set(c, v->id, v->number * of, d);
}

static enum err plan_assign_all(struct cfg *c, const struct sweep *s,
				const struct cfg *base,
				const struct sweep_choice *k, struct diag *d)
{
	for (size_t i = 0; i < k->count; i++)
		if (plan_assign(c, base, &k->assigns[i], d))
			return plan_error_at(s, k->assigns[i].at, "", d);
	return ERR_OK;
}

/* The choice of an axis at a step of its set; the last axis varies fastest. */
static const struct sweep_choice *plan_choice(const struct sweep_set *set,
					      size_t axis, size_t step)
{
	for (size_t i = set->count; --i > axis;)
		step /= set->axes[i].count;
	return &set->axes[axis].choices[step % set->axes[axis].count];
}

/*
 * Checks that a machine can be built from the configuration. One SM is enough:
 * all are the same.
 */
static enum err plan_check_gpu(const struct cfg *c, struct diag *d)
{
	struct cfg small = *c;
	struct gpu *g;

	small.sm.count = cfg_units(&small);
	small.dispatch.cluster = 1;
	if (gpu_new(&g, &small, false, d))
		return d->code;
	gpu_free(g);
	return ERR_OK;
}

static enum err plan_check_system(const struct cfg *c, struct diag *d)
{
	struct cgm_options options = { .threads = 1 };
	struct cgm_system *s;

	if (cgm_system_new(&s, c, &options, d))
		return d->code;
	cgm_system_free(s);
	return ERR_OK;
}

static enum err plan_check_machine(const struct sweep *s, const struct cfg *c,
				   struct diag *d)
{
	if (cfg_check(c, d) ||
	    (sweep_is_for_systems(s, false) && plan_check_system(c, d)))
		return d->code;
	return sweep_is_for_systems(s, true) ? ERR_OK : plan_check_gpu(c, d);
}

/*
 * Environments
 */

/* "4" of env.OMP_NUM_THREADS = 4 */
static void plan_variable_value(char value[CFG_VALUE_SIZE],
				const struct sweep_assign *v)
{
	if (v->text)
		snprintf(value, CFG_VALUE_SIZE, "%s", v->text);
	else
		snprintf(value, CFG_VALUE_SIZE, "%.10g", v->number);
}

/* Sets the variables of a choice; k->env has room. */
static enum err plan_set_variables(struct sweep_plan *p, struct plan_config *k,
				   const struct sweep_choice *c, struct diag *d)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct sweep_assign *v = &c->assigns[i];
		char number[CFG_VALUE_SIZE], *text;
		const char *value = v->text ? v->text : number, *name;
		size_t at = 0, size;

		if (!v->variable)
			continue;
		if (!v->text)
			plan_variable_value(number, v);
		name = strchr(v->variable, '.') + 1;
		size = strlen(name) + strlen(value) + 2;
		text = arena_alloc(&p->arena, 1, size);
		if (!text)
			return fail(d, ERR_NOMEM, "out of memory");
		snprintf(text, size, "%s=%s", name, value);
		while (at < k->env_count &&
		       strncmp(k->env[at], text, strlen(name) + 1) != 0)
			at++;
		k->env[at] = text;
		k->env_count += at == k->env_count;
	}
	return ERR_OK;
}

static enum err plan_environment(struct sweep_plan *p, struct plan_config *k,
				 struct diag *d)
{
	size_t room = p->sweep->base.count;

	for (size_t i = 0; k->set && i < k->set->count; i++)
		room += plan_choice(k->set, i, k->step)->count;
	k->env = arena_alloc(&p->arena, room + 1, sizeof(*k->env));
	if (!k->env)
		return fail(d, ERR_NOMEM, "out of memory");
	if (plan_set_variables(p, k, &p->sweep->base, d))
		return d->code;
	for (size_t i = 0; k->set && i < k->set->count; i++)
		if (plan_set_variables(p, k, plan_choice(k->set, i, k->step),
				       d))
			return d->code;
	return ERR_OK;
}

/*
 * Names
 */

struct plan_text {
	char at[1024];
	size_t used;
};

static void plan_text_add(struct plan_text *t, const char *s)
{
	size_t n = strlen(s), room = sizeof(t->at) - 1 - t->used;

	n = n < room ? n : room;
	/* Columns of text cannot hold a tab. */
	for (size_t i = 0; i < n; i++)
		t->at[t->used++] = (char)(s[i] == '\t' ? ' ' : s[i]);
	t->at[t->used] = '\0';
}

/* "16", "x2", "256K, 8"; the name of a variant. */
static void plan_text_add_choice(struct plan_text *t,
				 const struct sweep_choice *k,
				 const struct cfg *c)
{
	if (k->label) {
		plan_text_add(t, k->label);
		return;
	}
	for (size_t i = 0; i < k->count; i++) {
		const struct sweep_assign *v = &k->assigns[i];
		char value[CFG_VALUE_SIZE];

		if (v->variable)
			plan_variable_value(value, v);
		else if (v->factor)
			snprintf(value, sizeof(value), "x%.10g", v->number);
		else
			cfg_value_print(value, c, v->id);
		plan_text_add(t, i ? ", " : "");
		plan_text_add(t, value);
	}
}

static enum err plan_name_config(struct sweep_plan *p, struct plan_config *k,
				 const struct cfg *c, struct diag *d)
{
	struct plan_text axis = { .used = 0 }, label = { .used = 0 };

	for (size_t i = 0; i < k->set->count; i++) {
		const struct sweep_choice *choice =
			plan_choice(k->set, i, k->step);

		plan_text_add(&axis, i ? " x " : "");
		plan_text_add(&axis, k->set->axes[i].name);
		plan_text_add(&label, i ? " x " : "");
		plan_text_add_choice(&label, choice, c);
	}
	k->axis = arena_strndup(&p->arena, axis.at, axis.used);
	k->label = arena_strndup(&p->arena, label.at, label.used);
	return k->axis && k->label ? ERR_OK :
				     fail(d, ERR_NOMEM, "out of memory");
}

/*
 * Configurations
 */

static enum err plan_find_cost(const struct sweep_plan *p,
			       struct plan_config *k, const struct cfg *c,
			       struct sweep_place at, struct diag *d)
{
	const struct sweep_expr *cost = p->sweep->cost;

	for (size_t i = 0; k->set && i < k->set->count; i++) {
		const struct sweep_choice *choice =
			plan_choice(k->set, i, k->step);

		cost = choice->cost ? choice->cost : cost;
	}
	k->cost = cost ? sweep_expr_value(cost, c) : (double)NAN;
	if (cost && !isfinite(k->cost)) {
		fail(d, ERR_RANGE, "the cost is not a finite number");
		return plan_error_at(p->sweep, at, k->label, d);
	}
	return ERR_OK;
}

static enum err plan_add_baseline(struct sweep_plan *p, struct diag *d)
{
	struct plan_config *k = &p->configs[p->config_count++];
	const struct sweep *s = p->sweep;
	struct sweep_place at = s->base.count ? s->base.assigns[0].at :
						s->gpu_at;

	*k = (struct plan_config){ .axis = "", .label = "" };
	if (plan_check_machine(s, &p->base, d))
		return plan_error_at(s, at, "the baseline", d);
	if (plan_environment(p, k, d))
		return d->code;
	return plan_find_cost(p, k, &p->base, at, d);
}

static enum err plan_add_config(struct sweep_plan *p,
				const struct sweep_set *set, size_t step,
				struct diag *d)
{
	struct plan_config *k = &p->configs[p->config_count++];
	const struct sweep_choice *last = NULL;
	struct cfg c = p->base;

	*k = (struct plan_config){ .set = set, .step = step };
	for (size_t i = 0; i < set->count; i++) {
		last = plan_choice(set, i, step);
		if (plan_assign_all(&c, p->sweep, &p->base, last, d))
			return d->code;
	}
	if (plan_name_config(p, k, &c, d))
		return d->code;
	if (plan_check_machine(p->sweep, &c, d))
		return plan_error_at(p->sweep, last->at, k->label, d);
	if (plan_environment(p, k, d))
		return d->code;
	return plan_find_cost(p, k, &c, last->at, d);
}

static enum err plan_set_steps(const struct sweep_plan *p,
			       const struct sweep_set *set, size_t *steps,
			       struct diag *d)
{
	size_t most = PLAN_MAX_POINTS / p->sweep->program_count;

	*steps = 1;
	for (size_t i = 0; i < set->count; i++) {
		if (set->axes[i].count > most / *steps) {
			fail(d, ERR_RANGE, "the sweep has more than %d points",
			     PLAN_MAX_POINTS);
			return plan_error_at(p->sweep, set->at, "", d);
		}
		*steps *= set->axes[i].count;
	}
	return ERR_OK;
}

/* Allocates all configurations. */
static enum err plan_reserve(struct sweep_plan *p, struct diag *d)
{
	const struct sweep *s = p->sweep;
	size_t most = PLAN_MAX_POINTS / s->program_count, all = 1, steps;

	for (size_t i = 0; i < s->set_count; i++) {
		if (plan_set_steps(p, &s->sets[i], &steps, d))
			return d->code;
		all += steps;
		if (all > most) {
			fail(d, ERR_RANGE, "the sweep has more than %d points",
			     PLAN_MAX_POINTS);
			return plan_error_at(s, s->sets[i].at, "", d);
		}
	}
	p->configs = arena_new(&p->arena, struct plan_config, all);
	return p->configs ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

enum err plan_make(struct sweep_plan *p, const struct sweep *s,
		   const struct cfg *gpu, struct diag *d)
{
	*p = (struct sweep_plan){ .sweep = s, .base = *gpu };
	if (plan_assign_all(&p->base, s, gpu, &s->base, d) ||
	    plan_reserve(p, d) || plan_add_baseline(p, d))
		return d->code;
	for (size_t i = 0; i < s->set_count; i++) {
		size_t steps;

		if (plan_set_steps(p, &s->sets[i], &steps, d))
			return d->code;
		for (size_t step = 0; step < steps; step++)
			if (plan_add_config(p, &s->sets[i], step, d))
				return d->code;
	}
	return ERR_OK;
}

void plan_free(struct sweep_plan *p)
{
	arena_free(&p->arena);
}

size_t plan_points(const struct sweep_plan *p)
{
	return p->config_count * p->sweep->program_count;
}

void plan_resolve(const struct sweep_plan *p, size_t config, struct cfg *out)
{
	const struct plan_config *k = &p->configs[config];
	struct diag d;

	*out = p->base;
	for (size_t i = 0; k->set && i < k->set->count; i++)
		if (plan_assign_all(out, p->sweep, &p->base,
				    plan_choice(k->set, i, k->step), &d))
			BUG("a configuration that passed the check does not resolve");
}

size_t plan_setting_count(const struct sweep_plan *p, size_t config)
{
	const struct plan_config *k = &p->configs[config];
	size_t n = 0;

	for (size_t i = 0; k->set && i < k->set->count; i++)
		n += plan_choice(k->set, i, k->step)->count;
	return n;
}

static double plan_ratio(const struct sweep_plan *p, enum cfg_id id, double v)
{
	double base;

	cfg_value_number(&p->base, id, &base);
	return base != 0 && cfg_params[id].type != CFG_BOOL ? v / base :
							      (double)NAN;
}

static void plan_variable_number(struct plan_setting *out)
{
	char *end;
	double v = strtod(out->value, &end);

	if (end != out->value && !*end)
		out->number = v;
}

void plan_setting(const struct sweep_plan *p, size_t config, size_t i,
		  struct plan_setting *out)
{
	const struct plan_config *k = &p->configs[config];
	const struct sweep_choice *choice;
	const struct sweep_assign *v;
	struct cfg c;
	size_t axis = 0;

	while (i >= plan_choice(k->set, axis, k->step)->count)
		i -= plan_choice(k->set, axis++, k->step)->count;
	choice = plan_choice(k->set, axis, k->step);
	v = &choice->assigns[i];
	plan_resolve(p, config, &c);
	*out = (struct plan_setting){ .key = sweep_assign_key(v),
				      .number = (double)NAN,
				      .factor = (double)NAN };
	if (v->variable) {
		plan_variable_value(out->value, v);
		plan_variable_number(out);
		return;
	}
	cfg_value_print(out->value, &c, v->id);
	if (!cfg_value_number(&c, v->id, &out->number)) {
		out->number = (double)NAN;
		return;
	}
	out->factor = v->factor ? v->number : plan_ratio(p, v->id, out->number);
}
