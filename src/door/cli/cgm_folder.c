/*
 * heddle cgm --out: values over time, what each requester asked, what became of
 * every request.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "base/spans.h"
#include "door/cli/cgm.h"
#include "door/cli/memory_json.h"
#include "door/cli/outfolder.h"

enum { SLOWEST = 64, PHASES_MOST = SPANS_MOST };

/* Takes a sample where one is due: a window's begin is the first moment of which all
 * is known. */
static void cgm_watch(void *ctx, cycle_t now, cycle_t to)
{
	struct cgm_run *r = ctx;
	uint64_t cycle = now / cgm_system_cycle(r->system);

	(void)to;
	if (cycle >= cgm_series_due(&r->series))
		(void)cgm_series_add(&r->series, r->system, cycle);
}

enum err cgm_folder_open(struct cgm_run *r, struct diag *d)
{
	if (!r->o->out)
		return ERR_OK;
	if (results_open(&r->folder, r->o->out, d))
		return d->code;
	r->record = arena_new(&r->arena, struct cgm_record, r->trace.count + 1);
	if (!r->record)
		return fail(d, ERR_NOMEM, "out of memory");
	if (cgm_series_init(&r->series, &r->arena, r->system, 1, r->o->interval,
			    d) ||
	    cgm_system_watch_blocks(r->system, d))
		return d->code;
	cgm_system_lead(r->system, cgm_watch, r);
	return ERR_OK;
}

static double cgm_ns(const struct cgm_run *r, cycle_t ticks)
{
	return (double)ticks * 1e6 / (double)cgm_system_khz(r->system);
}

/*
 * Every request
 */

static enum err cgm_requests(FILE *to, void *ctx, struct diag *d)
{
	const struct cgm_run *r = ctx;

	(void)d;
	fputs("line,phase,who,what,address,size,sent_ns,latency_ns,found\n",
	      to);
	for (size_t i = 0; i < r->trace.count; i++) {
		const struct cgm_trace_row *x = &r->trace.row[i];
		const struct cgm_record *c = &r->record[i];
		enum cgm_sort sort = cgm_ops[x->op].sort;

		fprintf(to, "%" PRIu32 ",%" PRIu32 ",%s%u,%s,", x->line,
			x->phase, cgm_trace_who((enum cgm_port_kind)x->kind),
			x->index, cgm_ops[x->op].name);
		if (sort == CGM_SORT_FENCE)
			fputs(",,", to);
		else
			fprintf(to, "0x%" PRIx64 ",%u,", x->address, x->size);
		fprintf(to, "%.3f,%.3f,", cgm_ns(r, c->sent),
			cgm_ns(r, c->answered - c->sent));
		if (sort == CGM_SORT_READ || sort == CGM_SORT_RMW)
			fprintf(to, "0x%" PRIx64, c->found);
		fputc('\n', to);
	}
	return ERR_OK;
}

/*
 * The run as JSON
 */

static void cgm_json_requester(struct json *j, const char *who, unsigned index,
			       const char *what, const struct cgm_stat_port *p)
{
	struct cgm_stats st = { .cpu = *p };

	if (!(p->reads + p->writes + p->atomics + p->flushes))
		return;
	json_open_line(j, NULL, '{');
	json_string(j, "who", who);
	json_uint(j, "number", index);
	json_string(j, "port", what);
	for (unsigned k = 0; k < cgm_stat_count; k++)
		if (cgm_stat_rows[k].kind == CGM_KIND_port)
			json_uint(j, cgm_stat_rows[k].name,
				  cgm_stat_value(
					  &st, &cgm_stat_places[CGM_STATS_cpu],
					  &cgm_stat_rows[k]));
	json_close(j, '{');
}

static void cgm_json_requesters(struct json *j, const struct cgm_run *r)
{
	static const struct {
		enum cgm_port_kind kind;
		const char *name;
	} port[] = { { CGM_PORT_FETCH, "instructions" },
		     { CGM_PORT_DATA, "data" },
		     { CGM_PORT_VECTOR, "vectors" },
		     { CGM_PORT_SCALAR, "scalars" } };

	json_open(j, "requesters", '[');
	for (unsigned k = 0; k < sizeof(port) / sizeof(port[0]); k++) {
		const struct cgm_source *s;

		for (unsigned i = 0;
		     (s = cgm_system_source(r->system, port[k].kind, i)); i++)
			cgm_json_requester(j, cgm_trace_who(port[k].kind), i,
					   port[k].name, &s->st);
	}
	json_close(j, '[');
}

/* From the first request after a barrier to its last answer. */
static void cgm_json_phases(struct json *j, const struct cgm_run *r)
{
	json_open(j, "phase_spans", '[');
	for (size_t i = 0; i < r->trace.count;) {
		uint32_t phase = r->trace.row[i].phase;
		cycle_t from = CYCLE_NEVER, to = 0;
		size_t first = i;

		for (; i < r->trace.count && r->trace.row[i].phase == phase;
		     i++) {
			from = min_u64(from, r->record[i].sent);
			to = max_u64(to, r->record[i].answered);
		}
		if (phase < PHASES_MOST)
			memory_json_span(j, phase, cgm_ns(r, from),
					 cgm_ns(r, to), i - first);
	}
	json_close(j, '[');
}

static void cgm_json_request(struct json *j, const struct cgm_run *r, size_t i)
{
	const struct cgm_trace_row *x = &r->trace.row[i];
	const struct cgm_record *c = &r->record[i];

	json_open_line(j, NULL, '{');
	json_uint(j, "line", x->line);
	json_string(j, "who", cgm_trace_who((enum cgm_port_kind)x->kind));
	json_uint(j, "number", x->index);
	json_string(j, "what", cgm_ops[x->op].name);
	json_uint(j, "address", x->address);
	json_uint(j, "size", x->size);
	json_real(j, "sent_ns", cgm_ns(r, c->sent));
	json_real(j, "latency_ns", cgm_ns(r, c->answered - c->sent));
	json_close(j, '{');
}

/* Those with the longest latency; of the same the first of the trace. */
static void cgm_json_slowest(struct json *j, const struct cgm_run *r)
{
	size_t at[SLOWEST], n = 0;

	for (size_t i = 0; i < r->trace.count; i++) {
		cycle_t mine = r->record[i].answered - r->record[i].sent;
		size_t k = n;

		while (k && r->record[at[k - 1]].answered -
					    r->record[at[k - 1]].sent <
				    mine)
			k--;
		if (k == SLOWEST)
			continue;
		n += n < SLOWEST;
		for (size_t m = n - 1; m > k; m--)
			at[m] = at[m - 1];
		at[k] = i;
	}
	json_open(j, "slowest", '[');
	for (size_t k = 0; k < n; k++)
		cgm_json_request(j, r, at[k]);
	json_close(j, '[');
}

static void cgm_json_blocks(struct json *j, const struct cgm_run *r)
{
	struct cgm_hot_block b;

	json_open(j, "hot_blocks", '[');
	for (unsigned i = 0;
	     i < SLOWEST && cgm_system_hot_block(r->system, i, &b); i++) {
		json_open_line(j, NULL, '{');
		memory_json_block(j, &b);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void cgm_json_details(struct json *j, struct cgm_run *r)
{
	(void)cgm_series_end(&r->series, r->system,
			     r->end / cgm_system_cycle(r->system));
	json_real(j, "host_seconds", r->seconds);
	cgm_json_requesters(j, r);
	cgm_json_slowest(j, r);
	cgm_json_phases(j, r);
	cgm_json_blocks(j, r);
	json_open(j, "series", '{');
	memory_json_times(j, &r->series);
	memory_json_series(j, &r->series);
	json_close(j, '{');
}

void cgm_json(struct json *j, struct cgm_run *r, bool details)
{
	const struct cgm_system *s = r->system;

	json_open(j, NULL, '{');
	json_string(j, "kind", "cgm");
	json_string(j, "program", r->name);
	json_string(j, "config", r->o->config);
	json_string(j, "engine", r->plan.engine.name);
	json_uint(j, "threads", cgm_system_threads(s));
	json_uint(j, "window", cgm_system_window(s));
	json_bool(j, "exact", r->plan.engine.exact);
	json_uint(j, "ticks", r->end);
	json_uint(j, "ticks_khz", cgm_system_khz(s));
	json_uint(j, "cycles", r->end / cgm_system_cycle(s));
	json_real(j, "clock_mhz", r->sheet.cfg.cgm.clock);
	json_uint(j, "requests", r->trace.count);
	json_uint(j, "wrong", r->played.wrong);
	memory_json(j, &r->st);
	memory_json_links(j, s);
	memory_json_config(j, &r->sheet.cfg);
	if (details)
		cgm_json_details(j, r);
	json_close(j, '{');
}

static enum err cgm_folder_json(struct json *j, void *ctx, struct diag *d)
{
	(void)d;
	cgm_json(j, ctx, true);
	return ERR_OK;
}

enum err cgm_folder_write(struct cgm_run *r, struct diag *d)
{
	const struct outfolder o = {
		.sheet = &r->sheet,
		.json = cgm_folder_json,
		.name = RESULTS_REQUESTS,
		.write = cgm_requests,
		.ctx = r,
	};

	return r->o->out ? outfolder_write(&r->folder, &o, d) : ERR_OK;
}
