/* The profile of `heddle system` as JSON and as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "door/cli/memory_json.h"
#include "door/cli/simulate.h"
#include "door/common/sources.h"
#include "explore/files.h"

enum {
	PROFILE_MOST = 400, /* lines, instructions */
	PROFILE_BLOCKS = 64,
	PROFILE_SAID = 10
};

static size_t profile_most(size_t n)
{
	return n < PROFILE_MOST ? n : PROFILE_MOST;
}

static void profile_json_name(struct json *j, const char *key, const char *name)
{
	if (name)
		json_string(j, key, name);
	else
		json_null(j, key);
}

static void profile_json_functions(struct json *j,
				   const struct simulate_profile *all)
{
	json_open(j, "functions", '[');
	for (size_t i = 0; i < all->function_count; i++) {
		const struct simulate_part *p = &all->functions[i];

		json_open_line(j, NULL, '{');
		profile_json_name(j, "function", p->name);
		json_uint(j, "at", p->at);
		json_uint(j, "slots", p->total);
		json_uint(j, "pauses", p->pauses);
		simulate_json_slots(j, "slot", p->slot);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* The text of a line, without what it is indented by; "": it is not there, or must not
 * be shown. */
static void profile_line_text(const struct sources *s,
			      const struct simulate_part *p, char *text,
			      int size)
{
	FILE *f = p->line ? sources_open(s, p->file) : NULL;
	uint32_t at = 0;
	size_t n;

	text[0] = '\0';
	if (!f)
		return;
	while (at < p->line && fgets(text, size, f))
		at += strchr(text, '\n') || feof(f) || at + 1 == p->line;
	fclose(f);
	if (at < p->line)
		text[0] = '\0';
	n = strspn(text, " \t");
	memmove(text, text + n, strlen(text + n) + 1);
	text[strcspn(text, "\r\n")] = '\0';
}

static void profile_json_lines(struct json *j, const struct sources *sources,
			       const struct simulate_profile *all)
{
	char text[160];

	json_open(j, "lines", '[');
	for (size_t i = 0; i < profile_most(all->line_count); i++) {
		const struct simulate_part *p = &all->lines[i];

		profile_line_text(sources, p, text, sizeof(text));
		json_open_line(j, NULL, '{');
		profile_json_name(j, "file", p->file);
		json_uint(j, "line", p->line);
		profile_json_name(j, "function", p->name);
		json_string(j, "text", text);
		json_uint(j, "slots", p->total);
		simulate_json_slots(j, "slot", p->slot);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void profile_json_instructions(struct json *j,
				      const struct simulation *s)
{
	char text[160];

	json_open(j, "hot_instructions", '[');
	for (size_t i = 0; i < profile_most(s->profile.instruction_count);
	     i++) {
		const struct simulate_part *p = &s->profile.instructions[i];

		json_open_line(j, NULL, '{');
		json_uint(j, "at", p->at);
		x86_process_place(s->process, p->at, text, sizeof(text));
		json_string(j, "place", text);
		x86_process_text(s->process, p->at, text, sizeof(text));
		json_string(j, "text", text);
		json_uint(j, "slots", p->total);
		simulate_json_slots(j, "slot", p->slot);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* The blocks with the most coherence. */
static void profile_json_blocks(struct json *j, const struct simulation *s)
{
	const struct cgm_system *cgm = system_memory(s->system);
	struct cgm_hot_block b;
	char text[160];

	json_open(j, "hot_blocks", '[');
	for (unsigned i = 0;
	     i < PROFILE_BLOCKS && cgm_system_hot_block(cgm, i, &b); i++) {
		x86_process_data(s->process, b.block * CGM_BLOCK, text,
				 sizeof(text));
		json_open_line(j, NULL, '{');
		memory_json_block(j, &b);
		json_string(j, "what", text);
		json_close(j, '{');
	}
	json_close(j, '[');
}

enum err simulate_json_profile(struct json *j, const struct simulation *s,
			       struct diag *d)
{
	struct sources sources = { 0 };
	enum err e = sources_add_program(&sources, s->name, d);

	if (!e && s->o->source)
		e = sources_add_list(&sources, s->o->source, d);
	if (!e) {
		profile_json_functions(j, &s->profile);
		profile_json_lines(j, &sources, &s->profile);
		profile_json_instructions(j, s);
		profile_json_blocks(j, s);
	}
	sources_free(&sources);
	return e;
}

/*
 * As text
 */

/* The use that took most of a part's slots, other than being committed. */
static const char *profile_reason(const struct simulate_part *p)
{
	unsigned best = CPU_SLOT_USES, use = 0;

	for (unsigned u = 0; u < CPU_SLOT_USES; u++)
		if (u != CPU_SLOT_committed && p->slot[u] &&
		    (best == CPU_SLOT_USES || p->slot[u] > p->slot[best]))
			best = u;
	for (unsigned i = 0; best < CPU_SLOT_USES && i < cpu_stat_count; i++)
		if (cpu_stat_rows[i].slot && use++ == best)
			return cpu_stat_rows[i].name;
	return "";
}

static void profile_say_part(const struct simulate_profile *all,
			     const struct simulate_part *p, const char *place)
{
	fprintf(stderr, "    %5.1f%%  %5.1f%%  %-10s %s\n",
		100 * (double)p->total / (double)all->slots,
		100 * (double)p->slot[CPU_SLOT_committed] / (double)p->total,
		profile_reason(p), place);
}

static void profile_say_functions(const struct simulate_profile *all)
{
	size_t n = all->function_count < PROFILE_SAID ? all->function_count :
							PROFILE_SAID;

	fputs("  functions     used  else lost  by commit slots of cores with a "
	      "thread\n",
	      stderr);
	for (size_t i = 0; i < n && all->functions[i].total; i++)
		profile_say_part(all, &all->functions[i],
				 all->functions[i].name ?
					 all->functions[i].name :
					 "(not known)");
}

static void profile_say_lines(const struct simulate_profile *all)
{
	size_t n = all->line_count < PROFILE_SAID ? all->line_count :
						    PROFILE_SAID;
	char place[200];

	fputs("  lines         used  else lost\n", stderr);
	for (size_t i = 0; i < n && all->lines[i].total; i++) {
		const struct simulate_part *p = &all->lines[i];
		const char *name = p->name ? p->name : "(not known)";

		if (p->line)
			snprintf(place, sizeof(place),
				 "%.100s:%" PRIu32 " %.80s",
				 file_base_name(p->file), p->line, name);
		else
			snprintf(place, sizeof(place), "%.80s, no line", name);
		profile_say_part(all, p, place);
	}
}

void simulate_say_profile(const struct simulation *s)
{
	if (!s->o->profile || !s->profile.slots)
		return;
	profile_say_functions(&s->profile);
	profile_say_lines(&s->profile);
}
