#include "door/cli/memory_json.h"

#include <inttypes.h>

#include "cfg/param.h"
#include "door/cli/configs.h"
#include "heddle/heddle.h"

void memory_json(struct json *j, const struct cgm_stats *st)
{
	json_open(j, "memory", '{');
	for (unsigned i = 0; i < CGM_INSTANCES; i++) {
		const struct cgm_stat_place *p = &cgm_stat_places[i];

		json_open(j, p->name, '{');
		for (unsigned k = 0; k < cgm_stat_count; k++)
			if (cgm_stat_rows[k].kind == p->kind)
				json_uint(j, cgm_stat_rows[k].name,
					  cgm_stat_value(st, p,
							 &cgm_stat_rows[k]));
		json_close(j, '{');
	}
	json_close(j, '{');
}

void memory_json_links(struct json *j, const struct cgm_system *cgm)
{
	uint64_t count[CGM_MESSAGES];

	cgm_system_messages(cgm, count);
	json_open(j, "messages", '{');
	for (unsigned i = 0; i < CGM_MESSAGES; i++)
		if (count[i])
			json_uint(j, cgm_messages[i].name, count[i]);
	json_close(j, '{');
	json_open(j, "links", '[');
	for (unsigned i = 0; i < cgm_system_links(cgm); i++) {
		struct cgm_link l;

		cgm_system_link(cgm, i, &l);
		json_open_line(j, NULL, '{');
		json_string(j, "link", l.name);
		json_bool(j, "ring", l.ring);
		json_uint(j, "messages", l.messages);
		json_uint(j, "bytes", l.bytes);
		json_uint(j, "busy_ticks", l.busy);
		json_uint(j, "waited_ticks", l.waited);
		json_uint(j, "held_ticks", l.held);
		json_uint(j, "peak", l.peak);
		json_uint(j, "room", l.room);
		json_close(j, '{');
	}
	json_close(j, '[');
}

void memory_json_block(struct json *j, const struct cgm_hot_block *b)
{
	json_uint(j, "at", b->block * CGM_BLOCK);
	json_uint(j, "count", b->count);
	json_uint(j, "over", b->over);
	json_uint(j, "forwards", b->forwards);
	json_uint(j, "invalidations", b->invalidations);
	json_uint(j, "recalls", b->recalls);
}

void memory_json_config(struct json *j, const struct cfg *cfg)
{
	json_string(j, "version", heddle_version());
	json_open(j, "parameters", '{');
	for (int i = 0; i < CFG_COUNT; i++)
		configs_json_value(j, cfg_params[i].key, cfg, (enum cfg_id)i);
	json_close(j, '{');
}

void memory_json_span(struct json *j, uint32_t kind, double begin, double end,
		      uint64_t count)
{
	json_open_line(j, NULL, '[');
	json_uint(j, NULL, kind);
	json_real(j, NULL, begin);
	json_real(j, NULL, end);
	json_uint(j, NULL, count);
	json_close(j, '[');
}

/*
 * Values over time
 */

void memory_json_column(struct json *j, const char *name,
			const struct cgm_series *q, unsigned column)
{
	const uint64_t *row = q->row + column;
	uint64_t before = 0;

	if (!q->count || !row[(size_t)(q->count - 1) * q->width])
		return;
	json_key(j, name);
	fputc('[', j->to);
	for (unsigned i = 0; i < q->count; i++) {
		uint64_t now = row[(size_t)i * q->width];

		fprintf(j->to, "%s%" PRIu64, i ? "," : "", now - before);
		before = now;
	}
	fputc(']', j->to);
}

void memory_json_times(struct json *j, const struct cgm_series *q)
{
	json_uint(j, "interval", q->interval);
	json_key(j, "cycles");
	fputc('[', j->to);
	for (unsigned i = 0; i < q->count; i++)
		fprintf(j->to, "%s%" PRIu64, i ? "," : "",
			q->row[(size_t)i * q->width]);
	fputc(']', j->to);
}

/* Maxima are those of the whole run: they have no values over time. */
static void memory_json_statistics(struct json *j, const struct cgm_series *q)
{
	unsigned column = q->memory;

	json_open(j, "memory", '{');
	for (unsigned i = 0; i < CGM_INSTANCES; i++) {
		json_open(j, cgm_stat_places[i].name, '{');
		for (unsigned k = 0; k < cgm_stat_count; k++) {
			const struct cgm_stat_row *r = &cgm_stat_rows[k];

			if (r->kind != cgm_stat_places[i].kind)
				continue;
			if (!r->peak)
				memory_json_column(j, r->name, q, column);
			column++;
		}
		json_close(j, '{');
	}
	json_close(j, '{');
}

void memory_json_series(struct json *j, const struct cgm_series *q)
{
	memory_json_statistics(j, q);
	json_open(j, "messages", '{');
	for (unsigned i = 0; i < CGM_MESSAGES; i++)
		memory_json_column(j, cgm_messages[i].name, q, q->message + i);
	json_close(j, '{');
	json_open(j, "links", '[');
	for (unsigned i = 0; i < q->links; i++) {
		json_open(j, NULL, '{');
		memory_json_column(j, "busy_ticks", q, q->link + i);
		json_close(j, '{');
	}
	json_close(j, '[');
}
