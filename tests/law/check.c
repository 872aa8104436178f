/* The laws that must hold for every run. */
#include "law.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *find_value(const char *dump, const char *key)
{
	size_t n = strlen(key);

	for (const char *at = strstr(dump, key); at; at = strstr(at + 1, key))
		if ((at == dump || at[-1] == '\n') && at[n] == ' ')
			return strchr(at, '=') + 1;
	printf("no %s in the configuration\n", key);
	abort();
}

double config_number(const char *dump, const char *key)
{
	char *end;
	double v = strtod(find_value(dump, key), &end);

	switch (*end) {
	case 'K':
		return v * 1024;
	case 'M':
		return v * 1024 * 1024;
	case 'G':
		return v * 1024 * 1024 * 1024;
	default:
		return v;
	}
}

void config_value(const char *dump, const char *key, char *to, size_t size)
{
	const char *at = find_value(dump, key);

	at += strspn(at, " ");
	snprintf(to, size, "%.*s", (int)strcspn(at, " \n"), at);
}

bool config_is(const char *dump, const char *key, const char *word)
{
	const char *at = find_value(dump, key);

	while (*at == ' ')
		at++;
	return strncmp(at, word, strlen(word)) == 0;
}

double stat_of(const struct outcome *o, const char *key)
{
	char name[128];

	for (size_t i = 0; i < o->stats; i++) {
		const struct heddle_stat *s = &o->stat[i];

		snprintf(name, sizeof(name), "%s.%s", s->group, s->name);
		if (strcmp(name, key) == 0)
			return (double)s->count;
	}
	printf("no statistic %s\n", key);
	abort();
}

static bool equal(const char *what, double want, double got)
{
	if (want == got)
		return true;
	printf("%s: %.0f and %.0f\n", what, want, got);
	return false;
}

static bool at_most(const char *what, double most, double got)
{
	if (got <= most)
		return true;
	printf("%s: %.0f of at most %.0f\n", what, got, most);
	return false;
}

static bool reasons_add_up(const struct outcome *o)
{
	double sum = 0;

	for (size_t i = 0; i < o->stats; i++)
		if (strcmp(o->stat[i].group, "reason") == 0)
			sum += (double)o->stat[i].count;
	return equal("reasons and slots", stat_of(o, "sm.slots"), sum);
}

static bool cache_adds_up(const struct outcome *o, const char *cache)
{
	static const char *const part[] = { "read_hits", "read_pending",
					    "read_misses" };
	char key[64];
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		snprintf(key, sizeof(key), "%s.%s", cache, part[i]);
		sum += stat_of(o, key);
	}
	snprintf(key, sizeof(key), "%s.reads", cache);
	return equal(key, stat_of(o, key), sum);
}

/* There are as many answers as requests. */
static bool messages_add_up(const struct outcome *o)
{
	return equal("reads of the L2", stat_of(o, "lsu.reads_sent"),
		     stat_of(o, "l2.reads") + stat_of(o, "l2.combined")) &&
	       equal("sectors read", stat_of(o, "lsu.read_sectors_sent"),
		     stat_of(o, "l2.sectors_read") +
			     stat_of(o, "l2.sectors_combined")) &&
	       equal("answers", stat_of(o, "lsu.reads_sent"),
		     stat_of(o, "lsu.answers")) &&
	       equal("writes of the L2", stat_of(o, "lsu.writes_sent"),
		     stat_of(o, "l2.writes")) &&
	       equal("atomics of the L2", stat_of(o, "lsu.atomics_sent"),
		     stat_of(o, "l2.atomics")) &&
	       equal("answered atomics", stat_of(o, "lsu.atomics_sent"),
		     stat_of(o, "lsu.atomic_answers"));
}

bool has_atomics(const struct outcome *o)
{
	return stat_of(o, "l2.atomics") > 0;
}

bool bytes_add_up(const struct outcome *o)
{
	return equal("bytes from SMs to slices", stat_of(o, "lsu.bytes_out"),
		     stat_of(o, "l2.bytes_in")) &&
	       equal("bytes from slices to SMs", stat_of(o, "l2.bytes_out"),
		     stat_of(o, "lsu.bytes_in"));
}

/*
 * A port passes no more than its width. Stores, and what they fetch, may pass
 * after the last block has ended, which is not part of the cycles: up to `rest`
 * bytes per SM.
 */
static bool ports_hold(const struct outcome *o, const char *dump)
{
	double cycles = (double)o->cycles, rest = 32768;
	double sms = config_number(dump, "sm.count");
	double doors = config_number(dump, "net.channels");

	if (doors == 0)
		doors = config_number(dump, "l2.slices");
	return at_most("bytes out of SMs",
		       sms * (config_number(dump, "net.sm_out") * cycles +
			      rest),
		       stat_of(o, "lsu.bytes_out")) &&
	       at_most("bytes into SMs",
		       sms * (config_number(dump, "net.sm_in") * cycles + rest),
		       stat_of(o, "lsu.bytes_in")) &&
	       at_most("bytes into slices",
		       config_number(dump, "net.slice_in") * doors * cycles +
			       sms * rest,
		       stat_of(o, "l2.bytes_in")) &&
	       at_most("bytes out of slices",
		       config_number(dump, "net.slice_out") * doors * cycles +
			       sms * rest,
		       stat_of(o, "l2.bytes_out") -
			       config_number(dump, "net.header") *
				       stat_of(o, "l2.combined") -
			       32 * stat_of(o, "l2.sectors_combined"));
}

static bool dram_holds(const struct outcome *o, const char *dump)
{
	double rest = 32768 * config_number(dump, "sm.count");
	double seconds =
		(double)o->cycles / (config_number(dump, "gpu.clock") * 1e6);
	double peak = config_number(dump, "dram.bandwidth") * 1e9;

	return at_most("bytes of the DRAM", peak * seconds + rest,
		       stat_of(o, "dram.bytes_read") +
			       stat_of(o, "dram.bytes_written")) &&
	       equal("rows and requests",
		     stat_of(o, "dram.reads") + stat_of(o, "dram.writes"),
		     stat_of(o, "dram.row_hits") +
			     stat_of(o, "dram.row_misses") +
			     stat_of(o, "dram.row_conflicts"));
}

static bool counters_agree(const struct outcome *o, const char *dump)
{
	if (!reasons_add_up(o) || !cache_adds_up(o, "l1") ||
	    !cache_adds_up(o, "l2") || !messages_add_up(o) ||
	    !equal("cycles", (double)o->cycles, stat_of(o, "gpu.cycles")))
		return false;
	return config_is(dump, "mem.kind", "latency") ||
	       (ports_hold(o, dump) && dram_holds(o, dump));
}

bool same_memory(const struct outcome *a, const struct outcome *b)
{
	for (size_t i = 0; i < a->bytes; i++)
		if (a->memory[i] != b->memory[i]) {
			printf("memory differs at byte %zu: %02x, %02x\n", i,
			       a->memory[i], b->memory[i]);
			return false;
		}
	return true;
}

bool same_stats(const struct outcome *a, const struct outcome *b)
{
	for (size_t i = 0; i < a->stats; i++)
		if (a->stat[i].count != b->stat[i].count) {
			printf("window %d, %u threads: %s.%s is %" PRIu64
			       ", not %" PRIu64 "\n",
			       (int)b->window, b->threads, a->stat[i].group,
			       a->stat[i].name, b->stat[i].count,
			       a->stat[i].count);
			return false;
		}
	if (a->own != b->own)
		return printf("statistics of single kernels differ\n"), false;
	if (a->samples != b->samples || a->events != b->events)
		return printf("samples or events differ\n"), false;
	return true;
}

static bool ways_agree(const struct program *p, const struct heddle_config *c,
		       const struct outcome *whole)
{
	static struct outcome other;
	static const struct way ways[] = { { .window = 1, .threads = 1 },
					   { .window = 7, .threads = 1 },
					   { .threads = 3 } };

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (ways[i].window >= whole->window)
			continue;
		if (!program_run(p, c, ways[i], &other) ||
		    !same_memory(whole, &other) || !same_stats(whole, &other))
			return false;
	}
	return true;
}

bool program_obeys(const struct program *p, const struct heddle_config *c)
{
	static struct outcome plain, timed;
	bool good;
	char *dump;

	printf("  %s\n", p->kernel);
	if (!program_run(p, c, PLAIN_WAY, &timed))
		return false;
	if (timed.status == HEDDLE_UNSUPP || timed.status == HEDDLE_RANGE)
		return printf("    refused: %s\n", timed.error), true;
	if (timed.status || !timed.exact)
		return printf("    %s\n", timed.error), false;
	if (!program_run(p, NULL, PLAIN_WAY, &plain))
		return false;
	dump = heddle_config_dump(c);
	good = same_memory(&plain, &timed) && counters_agree(&timed, dump) &&
	       ways_agree(p, c, &timed);
	free(dump);
	return good;
}
