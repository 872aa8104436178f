#include "engine/engine.h"

#include <stdio.h>
#include <string.h>

#include "base/minmax.h"
#include "gpu/part.h"

const struct engine engine_list[] = {
	{ "serial", "one thread: defines the right answer", .exact = true },
	{ "exact",
	  "several threads, which meet when a message can be under way",
	  .exact = true, .threads = true },
	{ "cycle", "several threads, which meet in every cycle", .exact = true,
	  .threads = true, .cycles = 1 },
	{ 0 },
};

/* "serial, exact, cycle" */
static void list_names(char *to, size_t size)
{
	size_t n = 0;

	*to = 0;
	for (const struct engine *e = engine_list; e->name && n < size; e++)
		n += (size_t)snprintf(to + n, size - n, "%s%s", n ? ", " : "",
				      e->name);
}

enum err engine_find(const struct engine **out, const char *name,
		     struct diag *d)
{
	char names[128];

	for (const struct engine *e = engine_list; e->name; e++)
		if (!strcmp(e->name, name)) {
			*out = e;
			return ERR_OK;
		}
	list_names(names, sizeof(names));
	return fail(d, ERR_UNKNOWN, "no engine named '%.40s'; there are: %s",
		    name, names);
}

void engine_run(const struct engine_plan *plan, struct gpu *g,
		struct engine_report *out)
{
	const struct engine *e = plan->engine;
	cycle_t window = gpu_lookahead(g);
	unsigned threads = 1;

	if (e->cycles || plan->window)
		window = least(window, e->cycles ? e->cycles : plan->window);
	if (e->threads && plan->threads > 1)
		threads = engine_exact(g, window, plan->threads);
	else
		engine_serial(g, window);
	*out = (struct engine_report){ e->name, threads, window, e->exact };
}
