#include "cfg/cfg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/param.h"

/* A text buffer that grows. */
struct dump_text {
	char *at;
	size_t used, room;
	bool no_memory;
};

static void cfg_dump_put(struct dump_text *p, const char *fmt, ...)
	PRINTF_LIKE(2, 3);

static void cfg_dump_put(struct dump_text *p, const char *fmt, ...)
{
	va_list ap, again;
	size_t need;

	va_start(ap, fmt);
	va_copy(again, ap);
	need = p->used + (size_t)vsnprintf(NULL, 0, fmt, ap) + 1;
	va_end(ap);
	if (need > p->room && !p->no_memory) {
		size_t room = 2 * need > 16384 ? 2 * need : 16384;
		char *at = realloc(p->at, room);

		p->no_memory = !at;
		p->at = at ? at : p->at;
		p->room = at ? room : p->room;
	}
	if (!p->no_memory)
		p->used += (size_t)vsnprintf(p->at + p->used, p->room - p->used,
					     fmt, again);
	va_end(again);
}

char *cfg_dump(const struct cfg *c, const struct cfg_origin *origin)
{
	struct dump_text p = { 0 };
	char value[CFG_VALUE_SIZE];

	for (int i = 0; i < CFG_COUNT; i++) {
		enum cfg_section_id in = cfg_params[i].section;

		if (!i || in != cfg_params[i - 1].section)
			cfg_dump_put(&p, "%s# %s\n", i ? "\n" : "",
				     cfg_sections[in].title);
		cfg_value_print(value, c, (enum cfg_id)i);
		cfg_dump_put(&p, "%s = %s", cfg_params[i].key, value);
		if (origin)
			cfg_dump_put(&p, " # source: %s%s%s",
				     cfg_source_text(origin[i].source),
				     *origin[i].note ? " " : "",
				     origin[i].note);
		cfg_dump_put(&p, "\n");
	}
	if (p.no_memory) {
		free(p.at);
		return NULL;
	}
	return p.at;
}

bool cfg_equal(const struct cfg *a, const struct cfg *b)
{
	char left[CFG_VALUE_SIZE], right[CFG_VALUE_SIZE];

	for (int i = 0; i < CFG_COUNT; i++) {
		cfg_value_print(left, a, (enum cfg_id)i);
		cfg_value_print(right, b, (enum cfg_id)i);
		if (strcmp(left, right) != 0)
			return false;
	}
	return true;
}
