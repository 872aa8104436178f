/* heddle system --config: a program on simulated cores, cycle by cycle. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/human.h"
#include "door/cli/interrupt.h"
#include "door/cli/jsonfile.h"
#include "door/cli/regions.h"
#include "door/cli/simulate.h"
#include "door/cli/text.h"

/* Cycles between two looks for an interrupt. */
enum { SIMULATE_SLICE = 200000 };

static void simulate_say_progress(const struct simulation *s, double seconds)
{
	char cycles[GROUPED_TEXT], count[GROUPED_TEXT], rate[GROUPED_TEXT];
	struct cpu_stats st;

	system_cpu_stats(s->system, &st);
	fprintf(stderr, "heddle: %s: %s cycles, %s instructions, %s cycles/s\n",
		s->name, grouped(cycles, system_cycles(s->system)),
		grouped(count, st.instructions),
		scaled(rate, (double)system_cycles(s->system) / seconds));
}

static enum err simulate_run(struct simulation *s, struct diag *d)
{
	double start = clock_seconds(), said = start;

	while (!system_ended(s->system) && !interrupted()) {
		double now;

		if (system_run(s->system, SIMULATE_SLICE, d))
			return d->code;
		now = clock_seconds();
		if (s->o->progress && now - said >= 5) {
			simulate_say_progress(s, now - start);
			said = now;
		}
	}
	s->stopped = !system_ended(s->system);
	s->seconds = clock_seconds() - start;
	return ERR_OK;
}

/*
 * What is printed
 */

static double simulate_share(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

static void simulate_say_slots(const struct cpu_stats *st)
{
	bool said[CPU_SLOT_USES] = { false };
	char slots[GROUPED_TEXT];
	struct cpu_stats all = *st;

	fprintf(stderr, "  commit slots, %s: used, or the reason why not\n",
		grouped(slots, st->slots));
	for (unsigned n = 0; n < CPU_SLOT_USES; n++) {
		unsigned best = CPU_SLOT_USES, use = 0;

		for (unsigned i = 0; i < CPU_SLOT_USES; i++)
			if (!said[i] &&
			    (best == CPU_SLOT_USES ||
			     *cpu_stat_slot(&all, (enum cpu_slot_use)i) >
				     *cpu_stat_slot(&all,
						    (enum cpu_slot_use)best)))
				best = i;
		said[best] = true;
		for (unsigned i = 0; i < cpu_stat_count; i++) {
			const struct cpu_stat_row *r = &cpu_stat_rows[i];
			double share = simulate_share(cpu_stat_value(st, r),
						      st->slots);

			if (r->slot && use++ == best && share >= 0.05)
				fprintf(stderr, "    %5.1f%%  %-10s %s\n",
					share, r->name, r->doc);
		}
	}
}

static void simulate_say_hits(const char *name, uint64_t hits, uint64_t all)
{
	char count[GROUPED_TEXT];

	if (all)
		fprintf(stderr, "    %-12s %5.1f%% of %s hit\n", name,
			simulate_share(hits, all), grouped(count, all));
}

static void simulate_say_memory(const struct cgm_stats *st)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];

	fputs("  caches\n", stderr);
	simulate_say_hits("L1I", st->l1i.hits, st->l1i.accesses);
	simulate_say_hits("L1D, loads", st->l1d.hits,
			  st->l1d.accesses - st->l1d.passed);
	simulate_say_hits("L2", st->l2.hits, st->l2.accesses);
	simulate_say_hits("L3", st->l3.hits, st->l3.requests);
	fprintf(stderr,
		"    coherence    %s forwards, %s upgrades, %s "
		"invalidations\n",
		grouped(a, st->l3.forwards), grouped(b, st->l3.upgrades),
		grouped(c, st->l2.invalidations));
	fprintf(stderr, "    memory       %s reads, %s writes\n",
		grouped(a, st->memory.reads), grouped(b, st->memory.writes));
}

static void simulate_say(const struct simulation *s)
{
	const struct cfg *cfg = &s->sheet.cfg;
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];
	char threads[GROUPED_TEXT];
	uint64_t cycles = system_cycles(s->system);
	const struct cpu_stats *st = &s->cpu;

	if (s->stopped)
		fprintf(stderr, "%s: interrupted; so far:\n", s->name);
	else
		system_say_status(s->name, &s->end);
	fprintf(stderr,
		"  cycles    %s, %s at %.0f MHz\n"
		"  executed  %s instructions, %s thread%s; IPC %.2f of %u "
		"core%s, %.2f while busy\n",
		grouped(a, cycles), duration(b, system_ns(s->system) * 1e-9),
		cfg->cgm.cpu_clock, grouped(c, st->instructions),
		grouped(threads, s->end.threads),
		s->end.threads == 1 ? "" : "s",
		cycles ? (double)st->instructions / (double)cycles : 0,
		(unsigned)cfg->cgm.cores, cfg->cgm.cores == 1 ? "" : "s",
		st->busy ? (double)st->instructions / (double)st->busy : 0);
	fprintf(stderr,
		"  branches  %s, %.2f%% mispredicted; wrong paths: %.1f%% of "
		"what was fetched\n",
		grouped(a, st->branches),
		simulate_share(st->mispredicted, st->branches),
		simulate_share(st->wrong, st->fetched));
	if (st->hurried)
		fprintf(stderr,
			"  then      %s instructions after region %" PRIu64
			", executed without detail\n",
			grouped(a, st->hurried), s->o->detail_until);
	simulate_say_slots(st);
	simulate_say_memory(&s->cgm);
	regions_print(x86_process_regions(s->process), 1e-9);
	system_say_opencl();
	simulate_say_profile(s);
	fprintf(stderr, "  time      %s, %s cycles/s, %s instructions/s\n",
		duration(a, s->seconds), scaled(b, (double)cycles / s->seconds),
		scaled(c, (double)st->instructions / s->seconds));
}

static enum err simulate_file_json(struct json *j, void *ctx, struct diag *d)
{
	return simulate_json(j, ctx, false, d);
}

/* Both are tried, whatever becomes of the other. */
static bool simulate_write(struct simulation *s)
{
	struct diag d;
	bool good = true;

	if (json_file(s->o->json, simulate_file_json, s, &d)) {
		say_error("%s", d.text);
		good = false;
	}
	if (simulate_folder_write(s, &d)) {
		say_error("%s", d.text);
		good = false;
	} else if (s->o->out && !s->o->quiet) {
		fprintf(stderr, "  page      %s/" RESULTS_PAGE "\n", s->o->out);
	}
	return good;
}

static int simulate_report(struct simulation *s)
{
	struct diag d;

	system_cpu_stats(s->system, &s->cpu);
	system_cgm_stats(s->system, &s->cgm);
	x86_process_end(s->process, &s->end);
	if (system_limited(s->system))
		s->end.how = X86_LIMITED;
	CHECK(!cpu_stats_broken_law(&s->cpu, &d));
	CHECK(s->stopped || !cgm_stats_broken_law(&s->cgm, &d));
	if (simulate_profile_make(s, &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	if (!s->stopped)
		system_say_end(&s->end, s->o->limit);
	system_say_refused(s->process);
	regions_warn(s->process);
	if (!s->o->quiet)
		simulate_say(s);
	if (!simulate_write(s))
		return EXIT_INPUT;
	return s->stopped ? interrupt_exit() : system_exit(&s->end);
}

static enum err simulate_make(struct simulation *s, const struct words *rest,
			      struct diag *d)
{
	const struct system_options_given *o = s->o;
	bool serial = o->engine && !strcmp(o->engine, "serial");
	struct system_options options = { .limit = o->limit };
	struct x86_service service;

	if (o->gpu)
		return fail(d, ERR_RANGE,
			    "--gpu: with --config, the GPU is the "
			    "configuration's");
	if (o->engine && !serial && strcmp(o->engine, "exact"))
		return fail(d, ERR_UNKNOWN,
			    "--engine %s: a system has serial and exact",
			    o->engine);
	if (serial && o->threads > 1)
		return fail(d, ERR_RANGE, "--engine serial has one thread");
	options.threads = o->threads;
	if (o->detail_until != UINT64_MAX)
		options.detail_until = (uint32_t)o->detail_until + 1;
	if (configs_load(&s->sheet, o->config, o->set.at, o->set.count, d) ||
	    system_open_gpu(&service, o, d) ||
	    system_load(&s->process, o, rest, system_cores(&s->sheet.cfg),
			service, d) ||
	    x86_process_guest(s->process, &s->guest, d))
		return d->code;
	if (system_new(&s->system, &s->sheet.cfg, &s->guest, &options, d) ||
	    simulate_folder_open(s, d))
		return d->code;
	if ((o->out || o->profile) && system_observe(s->system, o->interval, d))
		return d->code;
	system_attach_gpu(s->system);
	return ERR_OK;
}

int system_simulate(const struct system_options_given *o,
		    const struct words *rest)
{
	struct simulation s = { .o = o,
				.words = rest,
				.name = rest->at[0],
				.folder = { .lock = -1 } };
	int code = EXIT_INPUT;
	struct diag d;

	cfg_sheet_init(&s.sheet);
	if (simulate_make(&s, rest, &d) || simulate_run(&s, &d))
		say_error("%s", d.text);
	else
		code = simulate_report(&s);
	simulate_profile_free(&s.profile);
	results_close(&s.folder);
	system_close_gpu();
	system_free(s.system);
	x86_process_free(s.process);
	cfg_sheet_free(&s.sheet);
	return code;
}
