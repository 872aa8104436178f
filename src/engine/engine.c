#include "engine/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/minmax.h"
#include "base/pin.h"
#include "base/team.h"
#include "engine/drift.h"
#include "gpu/partition.h"

const struct engine engine_list[] = {
	{ "serial", "one thread: defines the right answer", .exact = true },
	{ "exact", "several threads, which meet after each half of a window",
	  .exact = true, .threads = true },
	{ "cycle", "several threads, which meet in every cycle", .exact = true,
	  .threads = true, .cycles = 1 },
	{ "slack:K", "several threads, at most K cycles ahead of the slowest",
	  .threads = true, .drift = &drift_slack },
	{ "workgroup",
	  "several threads, which wait for each other when a block ends",
	  .threads = true, .drift = &drift_workgroup },
	{ .doc = NULL },
};

/* "serial, exact, cycle" */
static void list_engine_names(char *to, size_t size)
{
	size_t n = 0;

	*to = 0;
	for (const struct engine *e = engine_list; e->name[0] && n < size; e++)
		n += (size_t)snprintf(to + n, size - n, "%s%s", n ? ", " : "",
				      e->name);
}

static const char number_suffix[] = ":K";

/* Where the number of an engine starts in its name, after the colon; 0: the
 * engine has none. */
static size_t number_offset(const struct engine *e)
{
	size_t n = strlen(e->name), k = strlen(number_suffix);

	return n > k && !strcmp(e->name + n - k, number_suffix) ? n - k + 1 : 0;
}

/* With more, clocks could overflow. */
static const uint64_t max_slack = UINT64_C(1) << 32;

static enum err engine_read_number(struct engine *e, const char *name,
				   const char *digits, struct diag *d)
{
	char *end;

	errno = 0;
	e->slack = strtoull(digits, &end, 10);
	if (*digits < '0' || *digits > '9' || *end || errno || !e->slack ||
	    e->slack > max_slack)
		return fail(d, ERR_RANGE,
			    "engine '%.40s': expected a number of cycles "
			    "from 1 to %" PRIu64 ", such as %.*s10",
			    name, max_slack, (int)(digits - name), name);
	snprintf(e->name, sizeof(e->name), "%.*s%" PRIu64, (int)(digits - name),
		 name, e->slack);
	return ERR_OK;
}

enum err engine_find(struct engine *out, const char *name, struct diag *d)
{
	char names[128];

	for (const struct engine *e = engine_list; e->name[0]; e++) {
		size_t n = number_offset(e);

		if (n ? strncmp(e->name, name, n) : strcmp(e->name, name))
			continue;
		*out = *e;
		return n ? engine_read_number(out, name, name + n, d) : ERR_OK;
	}
	list_engine_names(names, sizeof(names));
	return fail(d, ERR_UNKNOWN, "no engine named '%.40s'; there are: %s",
		    name, names);
}

enum err engine_plan_exact(struct engine_plan *out, const char *name,
			   unsigned threads, struct diag *d)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	*out = (struct engine_plan){ .threads = threads };
	if (engine_find(&out->engine,
			name        ? name :
			threads > 1 ? "exact" :
				      "serial",
			d))
		return d->code;
	if (!out->engine.exact)
		return fail(d, ERR_UNSUPP,
			    "the engine %s is not exact, and is for launches "
			    "on a GPU alone",
			    out->engine.name);
	out->window = out->engine.cycles;
	if (!out->engine.threads)
		out->threads = 1;
	else if (!threads)
		out->threads = cores > 1 ? (unsigned)cores : 1;
	return ERR_OK;
}

static bool engine_simulate(const struct engine_plan *plan, struct gpu *g,
			    struct team *team, cycle_t *window)
{
	const struct engine *e = &plan->engine;

	if (e->drift)
		return drift_run(g, e->drift, e->slack, team, window);
	if (team_members(team) > 1)
		return engine_exact(g, *window, team);
	engine_serial(g, *window);
	return true;
}

struct team *engine_team(const struct engine_plan *plan, struct team **kept)
{
	unsigned members = plan->engine.threads ? plan->threads : 1;

	/* Reuse the last team if it has the right number of members. */
	if (*kept && team_members(*kept) != members) {
		team_free(*kept);
		*kept = NULL;
	}
	if (!*kept)
		*kept = team_new(members);
	return *kept;
}

enum err engine_run(const struct engine_plan *plan, struct gpu *g,
		    struct team *team, struct engine_report *out,
		    struct diag *d)
{
	const struct engine *e = &plan->engine;
	cycle_t window = gpu_lookahead(g);
	enum err err = ERR_OK;
	struct pins pins;

	if (e->cycles || plan->window)
		window = min_u64(window, e->cycles ? e->cycles : plan->window);
	if (plan->pin)
		err = pins_set(&pins, team, d);
	gpu_assign_threads(g, team_members(team));
	if (!err && !engine_simulate(plan, g, team, &window))
		err = fail(d, ERR_NOMEM, "out of memory");
	if (plan->pin && !err)
		pins_undo(&pins);
	if (!gpu_over(g))
		gpu_abandon(g);
	*out = (struct engine_report){ e->name, team_members(team), window,
				       e->exact };
	return err;
}
