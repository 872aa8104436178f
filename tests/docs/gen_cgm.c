/*
 * Writes docs/cgm.md to the standard output: the prose of docs/cgm.in.md, with
 * the protocol's messages, states and transitions from its table where a line
 * says @protocol, and the statistics where one says @statistics. `make docs`
 * keeps it, a test compares.
 */
#include <stdio.h>
#include <string.h>

#include "mem/cgm/proto.h"
#include "stat/cgm.h"

static const char *const lanes[CGM_LANES] = {
	[CGM_LANE_REQUEST] = "request",
	[CGM_LANE_COHERENCE] = "coherence",
	[CGM_LANE_REPLY] = "reply",
};

static void operations(void)
{
	puts("### Accesses\n\n| access | what it does |\n|---|---|");
	for (unsigned i = 0; i < CGM_OPS; i++)
		printf("| `%s` | %s |\n", cgm_ops[i].name, cgm_ops[i].doc);
}

static void messages(void)
{
	puts("\n### Messages\n\n| message | lane | data | what it says |\n"
	     "|---|---|---|---|");
	for (unsigned i = 0; i < CGM_MESSAGES; i++)
		printf("| `%s` | %s | %s | %s |\n", cgm_messages[i].name,
		       lanes[cgm_messages[i].lane],
		       cgm_messages[i].payload ? "yes" : "",
		       cgm_messages[i].doc);
}

static void states(const char *title, const struct cgm_state_info *s,
		   unsigned count)
{
	printf("\n### States of %s\n\n| state | | what it means |\n"
	       "|---|---|---|\n",
	       title);
	for (unsigned i = 0; i < count; i++)
		printf("| `%s` | %s | %s |\n", s[i].name,
		       s[i].stable ? "" : "in between", s[i].doc);
}

static void actions_of(const struct cgm_row *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < CGM_ACTIONS; i++)
		if (r->actions >> i & 1)
			printf("%s%s", n++ ? "; " : "", cgm_actions[i].doc);
}

/* rows: [states][events], one after the other. */
static void transitions(const char *title, const struct cgm_row *rows,
			const struct cgm_state_info *s, unsigned state_count,
			const struct cgm_event_info *e, unsigned event_count)
{
	printf("\n### Transitions of %s\n\n"
	       "| state | event | next | what it does |\n|---|---|---|---|\n",
	       title);
	for (unsigned i = 0; i < state_count; i++)
		for (unsigned k = 0; k < event_count; k++) {
			const struct cgm_row *r = &rows[i * event_count + k];

			if (!r->there)
				continue;
			printf("| `%s` | %s | `%s` | ", s[i].name, e[k].name,
			       s[r->next].name);
			actions_of(r);
			puts(" |");
		}
}

static void protocol(void)
{
	operations();
	messages();
	states("a block in a second-level cache", cgm_cstates, CGM_CSTATES);
	transitions("a second-level cache", &cgm_table.cache[0][0], cgm_cstates,
		    CGM_CSTATES, cgm_cevents, CGM_CEVENTS);
	states("a block in its L3 slice", cgm_hstates, CGM_HSTATES);
	transitions("an L3 slice", &cgm_table.home[0][0], cgm_hstates,
		    CGM_HSTATES, cgm_hevents, CGM_HEVENTS);
}

static void statistics(void)
{
	for (unsigned i = 0; i < CGM_INSTANCES; i++) {
		const struct cgm_stat_place *p = &cgm_stat_places[i];

		printf("%s- `%s`: %s\n", i ? "" : "", p->name, p->title);
	}
	puts("\n| of | statistic | unit | what it is |\n|---|---|---|---|");
	for (unsigned k = 0; k < cgm_stat_count; k++) {
		const struct cgm_stat_row *r = &cgm_stat_rows[k];
		unsigned n = 0;

		printf("| ");
		for (unsigned i = 0; i < CGM_INSTANCES; i++)
			if (cgm_stat_places[i].kind == r->kind)
				printf("%s`%s`", n++ ? ", " : "",
				       cgm_stat_places[i].name);
		printf(" | `%s` | %s | %s%s |\n", r->name, r->unit, r->doc,
		       r->peak ? "; the maximum" : "");
	}
}

int main(int argc, char **argv)
{
	FILE *in = fopen(argc > 1 ? argv[1] : CGM_PROSE, "r");
	char line[1024];

	if (!in)
		return 1;
	while (fgets(line, sizeof(line), in)) {
		if (!strcmp(line, "@protocol\n"))
			protocol();
		else if (!strcmp(line, "@statistics\n"))
			statistics();
		else
			fputs(line, stdout);
	}
	fclose(in);
	return 0;
}
