/* heddle gpus: lists the GPUs, or every parameter of one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonwrite.h"
#include "cfg/param.h"
#include "door/cli/commands.h"
#include "door/cli/configs.h"
#include "door/cli/text.h"
#include "explore/machine.h"
#include "mem/dram.h"
#include "mem/partition.h"

struct gpus_options {
	struct words set;
	bool json, dump;
};

#define AT(field) offsetof(struct gpus_options, field)

static const struct opt gpus_opts[] = {
	OPT_HEADING("Options:"),
	{ "set", 'o', "KEY=VALUE", "set a parameter; may be repeated",
	  opt_words, AT(set) },
	{ "dump", 0, NULL, "print a configuration file of the GPU", opt_on,
	  AT(dump) },
	{ "json", 0, NULL, "print JSON", opt_on, AT(json) },
	OPT_END
};

static void memory_text(char text[CFG_VALUE_SIZE], const struct cfg *c)
{
	char bytes[CFG_VALUE_SIZE], kind[CFG_VALUE_SIZE];

	cfg_bytes_print(bytes, c->dram.bytes);
	cfg_value_print(kind, c, CFG_ID_dram_standard);
	snprintf(text, CFG_VALUE_SIZE, "%.20s %.20s", bytes, kind);
}

static void print_summary(const char *name, const struct cfg *c)
{
	char clock[CFG_VALUE_SIZE], memory[CFG_VALUE_SIZE];
	char rate[CFG_VALUE_SIZE];

	cfg_value_print(clock, c, CFG_ID_gpu_clock);
	snprintf(rate, sizeof(rate), "%.0f GB/s", c->dram.bandwidth);
	memory_text(memory, c);
	printf("%-14s %5d %7s MHz  %-12s %10s  %s\n", name, (int)c->sm.count,
	       clock, memory, rate, c->gpu.about);
}

static void json_summary(struct json *j, const char *name, const struct cfg *c)
{
	char kind[CFG_VALUE_SIZE];

	cfg_value_print(kind, c, CFG_ID_dram_standard);
	json_open(j, NULL, '{');
	json_string(j, "config", name);
	json_string(j, "name", c->gpu.name);
	json_string(j, "about", c->gpu.about);
	json_uint(j, "sms", (uint64_t)c->sm.count);
	json_real(j, "clock_mhz", c->gpu.clock);
	json_string(j, "memory", kind);
	json_uint(j, "memory_bytes", (uint64_t)c->dram.bytes);
	json_real(j, "memory_gb_per_s", c->dram.bandwidth);
	json_close(j, '{');
}

static int list_all(const struct gpus_options *o)
{
	struct json j = { .to = stdout };
	struct configs all;
	struct diag d;
	int code = EXIT_OK;

	if (configs_list(&all, &d)) {
		say_error("%s", d.text);
		configs_free(&all);
		return EXIT_INPUT;
	}
	if (o->json)
		json_open(&j, NULL, '[');
	else
		printf("%s%-14s %5s %11s  %-12s %10s%s\n",
		       tint(stdout, TINT_BOLD), "NAME", "SMs", "clock",
		       "memory", "bandwidth", tint(stdout, TINT_OFF));
	for (size_t i = 0; i < all.count; i++) {
		struct cfg_sheet s;

		cfg_sheet_init(&s);
		if (machine_load(&s, all.names[i], o->set.at, o->set.count,
				 &d)) {
			say_error("%s", d.text);
			code = EXIT_INPUT;
		} else if (o->json) {
			json_summary(&j, all.names[i], &s.cfg);
		} else {
			print_summary(all.names[i], &s.cfg);
		}
		cfg_sheet_free(&s);
	}
	if (o->json)
		json_close(&j, '[');
	configs_free(&all);
	return code;
}

/* resolved: what values that stand for others come to. */
static void print_param(const struct cfg_sheet *s, const struct cfg *resolved,
			enum cfg_id id)
{
	const struct cfg_param *p = &cfg_params[id];
	const struct cfg_origin *from = &s->origin[id];
	const char *derived = machine_derived(&s->cfg, id);
	char value[CFG_VALUE_SIZE], range[256];

	cfg_value_print(value, resolved, id);
	cfg_range_print(range, sizeof(range), id);
	printf("  %-26s %-11s %-11s %s%s%s%s%s\n", p->key, value, p->unit,
	       cfg_source_text(from->source), *from->note ? ": " : "",
	       from->note, derived ? "; derived: " : "",
	       derived ? derived : "");
	printf("  %-26s   %s; %s\n", "", p->doc, range);
}

/* The times that a standard has at this clock, which are no parameters. */
static void print_dram_times(const struct cfg *c)
{
	struct dram_config dram;
	struct diag ignored;

	if (c->mem.kind == CFG_MEM_LATENCY ||
	    mem_dram_config(&dram, c, &ignored))
		return;
	printf("  timing of %s at %g MHz, in clocks; derived:\n"
	       "    burst %u",
	       dram_standards[dram.standard].name, dram.dram_khz / 1e3,
	       dram.burst_clocks);
	for (int i = 0; i < DRAM_T_COUNT; i++)
		printf("%s%s %u", i % 8 == 7 ? ",\n    " : ", ",
		       dram_times[i].name, dram.clocks[i]);
	putchar('\n');
}

static void print_sheet(const struct cfg_sheet *s)
{
	struct cfg resolved = s->cfg;

	machine_resolve(&resolved);
	for (int i = 0; i < CFG_COUNT; i++) {
		enum cfg_section_id in = cfg_params[i].section;

		if (!i || in != cfg_params[i - 1].section)
			printf("%s%s%s: %s%s\n", i ? "\n" : "",
			       tint(stdout, TINT_BOLD), cfg_sections[in].name,
			       cfg_sections[in].title, tint(stdout, TINT_OFF));
		print_param(s, &resolved, (enum cfg_id)i);
		if (in == CFG_SECTION_dram &&
		    (i + 1 == CFG_COUNT || in != cfg_params[i + 1].section))
			print_dram_times(&s->cfg);
	}
}

static void json_sheet(const struct cfg_sheet *s)
{
	struct json j = { .to = stdout };
	struct cfg resolved = s->cfg;
	char range[256];

	machine_resolve(&resolved);
	json_open(&j, NULL, '{');
	for (int i = 0; i < CFG_COUNT; i++) {
		const struct cfg_param *p = &cfg_params[i];

		json_open(&j, p->key, '{');
		configs_json_value(&j, "value", &s->cfg, (enum cfg_id)i);
		if (machine_derived(&s->cfg, (enum cfg_id)i)) {
			configs_json_value(&j, "resolved", &resolved,
					   (enum cfg_id)i);
			json_string(&j, "derived",
				    machine_derived(&s->cfg, (enum cfg_id)i));
		}
		json_string(&j, "unit", p->unit);
		cfg_range_print(range, sizeof(range), (enum cfg_id)i);
		json_string(&j, "range", range);
		json_string(&j, "source", cfg_source_text(s->origin[i].source));
		json_string(&j, "note", s->origin[i].note);
		json_close(&j, '{');
	}
	json_close(&j, '{');
}

static int show_one(const struct gpus_options *o, const char *name)
{
	struct cfg_sheet s;
	struct diag d;
	int code = EXIT_OK;

	cfg_sheet_init(&s);
	if (machine_load(&s, name, o->set.at, o->set.count, &d)) {
		say_error("%s", d.text);
		code = EXIT_INPUT;
	} else if (o->json) {
		json_sheet(&s);
	} else if (o->dump) {
		char *text = cfg_dump(&s.cfg, s.origin);

		if (text)
			fputs(text, stdout);
		else
			code = EXIT_INPUT;
		free(text);
	} else {
		print_sheet(&s);
	}
	cfg_sheet_free(&s);
	return code;
}

static int gpus_main(int argc, char **argv)
{
	struct gpus_options o = { 0 };
	struct words names = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_gpus, to, argc, argv, &names);

	if (code < 0 && names.count > 1) {
		say_error("expected one GPU, %zu given", names.count);
		code = EXIT_USAGE;
	} else if (code < 0 && !names.count && o.dump) {
		say_error("--dump needs the name of a GPU");
		code = EXIT_USAGE;
	} else if (code < 0) {
		code = names.count ? show_one(&o, names.at[0]) : list_all(&o);
	}
	words_free(&o.set);
	words_free(&names);
	return code;
}

const struct command cmd_gpus = {
	.name = "gpus",
	.summary = "List the GPUs, or the parameters of one",
	.usage = "[NAME] [OPTIONS]",
	.details =
		"Without a name, lists the GPUs: SMs, clock, memory.\n"
		"With a name, prints every parameter with its value, unit, "
		"range and source:\n"
		"measured, vendor, paper, assumed, or default if the "
		"configuration does not set\nit. A value that stands for "
		"another, such as 0 for the DRAM standard's, is shown\nas "
		"what it comes to, with the word derived; --dump keeps it. "
		"NAME is one of the list, or "
		"a configuration file.\n\n"
		"'heddle run --gpu NAME' simulates how long a kernel takes on "
		"it.\n\n"
		"Examples:\n"
		"  heddle gpus\n"
		"  heddle gpus h200\n"
		"  heddle gpus h200 -o sm.count=64 -o l2.bytes=30M\n"
		"  heddle gpus h200 --dump > mine.cfg\n"
		"  heddle gpus ./mine.cfg --json\n",
	.tables = { gpus_opts },
	.run = gpus_main,
};
