/* heddle trace info: shows the contents of a trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "accelsim/list.h"
#include "base/demangle.h"
#include "base/jsonwrite.h"
#include "door/cli/commands.h"
#include "door/cli/text.h"
#include "door/cli/trace.h"

/* Launches that are listed without --all. */
enum { LISTED = 40 };

struct info_options {
	bool json, all, quick;
};

#define AT(field) offsetof(struct info_options, field)

static const struct opt info_opts[] = {
	OPT_HEADING("Options:"),
	{ "all", 0, NULL, "list all launches, not only the first 40", opt_on,
	  AT(all) },
	{ "quick", 0, NULL,
	  "read only the headers of the file's sections, not every byte",
	  opt_on, AT(quick) },
	{ "json", 0, NULL, "print JSON", opt_on, AT(json) },
	OPT_END
};

static const char *const copy_names[TRACE_COPY_KINDS] = {
	[TRACE_TO_DEVICE] = "to_device",
	[TRACE_FROM_DEVICE] = "from_device",
	[TRACE_INSIDE] = "inside",
	[TRACE_SET] = "set",
};

static const char *const copy_texts[TRACE_COPY_KINDS] = {
	[TRACE_TO_DEVICE] = "to the device",
	[TRACE_FROM_DEVICE] = "from it",
	[TRACE_INSIDE] = "inside it",
	[TRACE_SET] = "memory sets",
};

/* Sums over all items. */
struct trace_sums {
	uint64_t modules, copies[TRACE_COPY_KINDS], bytes[TRACE_COPY_KINDS];
	uint64_t launches, whole, blocks;
	uint64_t warp_instructions, thread_instructions, file_bytes;
	uint32_t depends;
};

static void sums_add_launch(struct trace_sums *s,
			    const struct trace_launch_record *r)
{
	s->launches++;
	s->whole += r->whole;
	s->blocks += r->blocks;
	s->warp_instructions += r->warp_instructions;
	s->thread_instructions += r->thread_instructions;
	s->file_bytes += r->file_bytes;
	s->depends |= r->outcome.depends;
}

static struct trace_sums sums_of(const struct trace *t)
{
	struct trace_sums s = { 0 };

	for (size_t i = 0; i < trace_item_count(t); i++) {
		struct trace_item at = trace_item(t, i);
		const struct trace_copy *c;

		switch (at.kind) {
		case TRACE_MODULE:
			s.modules++;
			break;
		case TRACE_COPY:
			c = trace_get_copy(t, at.number);
			s.copies[c->kind]++;
			s.bytes[c->kind] += c->bytes;
			break;
		case TRACE_LAUNCH:
			sums_add_launch(&s, trace_get_launch(t, at.number));
			break;
		}
	}
	return s;
}

/* Bytes of the file per instruction. */
static double bytes_each(uint64_t bytes, uint64_t instructions)
{
	return instructions ? (double)bytes / (double)instructions : 0;
}

static void info_print_head(const struct trace *t, const char *path,
			    bool damaged)
{
	const struct trace_info *i = trace_get_info(t);
	char n[GROUPED_TEXT];

	printf("%s%s%s: %s, %s\n", tint(stdout, TINT_BOLD), path,
	       tint(stdout, TINT_OFF),
	       bytes_text(n, (double)trace_file_bytes(t)),
	       damaged ? "damaged" : "complete");
	printf("  recorded  by %s: %s\n", *i->producer ? i->producer : "?",
	       *i->command ? i->command : "?");
	printf("  GPU       %s%ssm_%" PRIu32 ", %" PRIu32 " SMs, %s, %s\n",
	       i->gpu, *i->gpu ? ", " : "", i->sm, i->sm_count,
	       bytes_text(n, (double)i->memory),
	       i->independent ? "independent lanes" : "lanes in lock step");
}

static void info_print_copies(const struct trace_sums *s)
{
	const char *before = "  copies    ";
	char n[GROUPED_TEXT];

	for (int k = 0; k < TRACE_COPY_KINDS; k++) {
		if (!s->copies[k])
			continue;
		printf("%s%" PRIu64 " %s (%s)", before, s->copies[k],
		       copy_texts[k], bytes_text(n, (double)s->bytes[k]));
		before = ", ";
	}
	if (*before == ' ')
		fputs("  copies    none", stdout);
	putchar('\n');
}

static void print_depends(uint32_t depends)
{
#define X(id, bit, text)             \
	if (depends & TRACE_ON_##id) \
		printf("            it %s\n", text);
	TRACE_ON_MAP(X)
#undef X
}

static void print_sums(const struct trace_sums *s)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];

	info_print_copies(s);
	printf("  launches  %s, %s work-groups, %s warp-instructions",
	       grouped(a, s->launches), grouped(b, s->blocks),
	       grouped(c, s->warp_instructions));
	printf(", %.3f bytes each\n",
	       bytes_each(s->file_bytes, s->warp_instructions));
	if (s->depends)
		puts("  time      the program may depend on time; a replay repeats "
		     "what was recorded:");
	print_depends(s->depends);
}

static void print_launch(const struct trace *t, uint32_t number)
{
	const struct trace_launch_record *r = trace_get_launch(t, number);
	const struct trace_launch *l = &r->launch;
	char name[256], a[GROUPED_TEXT], b[GROUPED_TEXT];

	demangle_instance(name, sizeof(name), l->kernel);
	printf("  %5" PRIu32 "  %s: grid %" PRIu32 "x%" PRIu32 "x%" PRIu32
	       ", block %" PRIu32 "x%" PRIu32 "x%" PRIu32 "\n",
	       number, name, l->grid[0], l->grid[1], l->grid[2], l->block[0],
	       l->block[1], l->block[2]);
	printf("         %s work-groups, %s warp-instructions, %.3f bytes each",
	       grouped(a, r->blocks), grouped(b, r->warp_instructions),
	       bytes_each(r->file_bytes, r->warp_instructions));
	if (l->stream)
		printf(", stream %" PRIu32, l->stream);
	if (!r->whole)
		printf(", %sincomplete%s", tint(stdout, TINT_RED),
		       tint(stdout, TINT_OFF));
	putchar('\n');
	if (r->ended && r->outcome.fault)
		printf("         faulted: %s\n", r->outcome.text);
	else if (!r->ended)
		puts("         its end is not in the file");
}

static void print_modules(const struct trace *t)
{
	for (size_t i = 0; i < trace_item_count(t); i++) {
		struct trace_item at = trace_item(t, i);

		if (at.kind == TRACE_MODULE)
			printf("  module    %" PRIu32 ": %s\n", at.number,
			       trace_module_name(t, at.number));
	}
}

static void info_print(const struct trace *t, const char *path, bool damaged,
		       const struct info_options *o)
{
	struct trace_sums s = sums_of(t);
	uint64_t listed = 0;

	info_print_head(t, path, damaged);
	print_modules(t);
	print_sums(&s);
	for (size_t i = 0; i < trace_item_count(t); i++) {
		struct trace_item at = trace_item(t, i);

		if (at.kind != TRACE_LAUNCH)
			continue;
		if (listed++ < LISTED || o->all)
			print_launch(t, at.number);
	}
	if (listed > LISTED && !o->all)
		printf("  ... %" PRIu64 " more, --all lists them\n",
		       listed - LISTED);
}

static void json_copy(struct json *j, const struct trace_copy *c)
{
	json_open_line(j, NULL, '{');
	json_string(j, "copy", copy_names[c->kind]);
	json_uint(j, "device", c->device);
	json_uint(j, "stream", c->stream);
	json_uint(j, "at", c->at);
	json_uint(j, "bytes", c->bytes);
	if (c->kind == TRACE_INSIDE)
		json_uint(j, "from", c->from);
	if (c->kind == TRACE_SET)
		json_uint(j, "value", c->value);
	json_close(j, '{');
}

static void json_trace_launch(struct json *j, uint32_t number,
			      const struct trace_launch_record *r)
{
	const struct trace_launch *l = &r->launch;

	json_open(j, NULL, '{');
	json_uint(j, "launch", number);
	json_uint(j, "module", l->module);
	json_string(j, "kernel", l->kernel);
	json_uints(j, "grid", l->grid, 3);
	json_uints(j, "block", l->block, 3);
	json_uint(j, "dynamic_shared_bytes", l->dynamic_shared);
	json_uint(j, "device", l->device);
	json_uint(j, "stream", l->stream);
	json_uint(j, "group", l->group);
	json_bool(j, "cooperative", l->cooperative);
	json_uint(j, "registers", l->registers);
	json_bool(j, "whole", r->whole);
	json_uint(j, "fault", r->outcome.fault);
	json_string(j, "fault_text", r->outcome.text);
	json_open_line(j, "depends_on", '[');
#define X(id, bit, text)                        \
	if (r->outcome.depends & TRACE_ON_##id) \
		json_string(j, NULL, #id);
	TRACE_ON_MAP(X)
#undef X
	json_close(j, '[');
	json_uint(j, "work_groups", r->blocks);
	json_uint(j, "warp_instructions", r->warp_instructions);
	json_uint(j, "thread_instructions", r->thread_instructions);
	json_uint(j, "plain_bytes", r->plain_bytes);
	json_uint(j, "file_bytes", r->file_bytes);
	json_close(j, '{');
}

static void json_items(struct json *j, const struct trace *t)
{
	json_open(j, "items", '[');
	for (size_t i = 0; i < trace_item_count(t); i++) {
		struct trace_item at = trace_item(t, i);

		switch (at.kind) {
		case TRACE_MODULE:
			json_open_line(j, NULL, '{');
			json_uint(j, "module", at.number);
			json_string(j, "name", trace_module_name(t, at.number));
			json_close(j, '{');
			break;
		case TRACE_COPY:
			json_copy(j, trace_get_copy(t, at.number));
			break;
		case TRACE_LAUNCH:
			json_trace_launch(j, at.number,
					  trace_get_launch(t, at.number));
			break;
		}
	}
	json_close(j, '[');
}

static void print_json(struct trace *t)
{
	const struct trace_info *i = trace_get_info(t);
	struct trace_sums s = sums_of(t);
	struct json j = { .to = stdout };
	const char *damage = trace_damage(t, NULL);

	json_open(&j, NULL, '{');
	json_uint(&j, "file_bytes", trace_file_bytes(t));
	json_bool(&j, "whole", !damage);
	if (damage)
		json_string(&j, "damage", damage);
	json_string(&j, "producer", i->producer);
	json_string(&j, "command", i->command);
	json_string(&j, "gpu", i->gpu);
	json_uint(&j, "sm", i->sm);
	json_uint(&j, "sm_count", i->sm_count);
	json_bool(&j, "independent_lanes", i->independent);
	json_uint(&j, "memory_bytes", i->memory);
	json_uint(&j, "launches", s.launches);
	json_uint(&j, "work_groups", s.blocks);
	json_uint(&j, "warp_instructions", s.warp_instructions);
	json_uint(&j, "thread_instructions", s.thread_instructions);
	json_real(&j, "bytes_per_warp_instruction",
		  bytes_each(s.file_bytes, s.warp_instructions));
	json_items(&j, t);
	json_close(&j, '{');
	putchar('\n');
}

static int show_info(const char *path, const struct info_options *o)
{
	struct trace *t;
	struct diag d;
	bool damaged;

	if (asim_list_is(path))
		return accelsim_info(path, o->json, o->all, o->quick);
	if (!trace_begin(&t, path))
		return EXIT_INPUT;
	if (!o->quick && trace_check(t, &d) && d.code != ERR_SYNTAX) {
		say_error("%s", d.text);
		trace_close(t);
		return EXIT_INPUT;
	}
	damaged = trace_warn(t, path);
	if (o->json)
		print_json(t);
	else
		info_print(t, path, damaged, o);
	trace_close(t);
	return damaged ? EXIT_INPUT : EXIT_OK;
}

static int info_main(int argc, char **argv)
{
	struct info_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = trace_parse(&cmd_trace_info, to, argc, argv, &files, 1);

	if (code < 0)
		code = show_info(files.at[0], &o);
	words_free(&files);
	return code;
}

const struct command cmd_trace_info = {
	.name = "trace info",
	.summary = "Show the contents of a trace, and check it",
	.usage = "TRACE [OPTIONS]",
	.details =
		"Bytes are those of the file, per warp-instruction of its "
		"launches. Of a file\nthat is cut or damaged, the intact part "
		"is listed, and the exit code is 1.\n\n"
		"TRACE may be one of Accel-Sim: its kernelslist.g, or the "
		".traceg of a kernel.\n\n"
		"Examples:\n"
		"  heddle trace info matmul.trace\n"
		"  heddle trace info --json matmul.trace\n"
		"  heddle trace info traces/kernelslist.g\n",
	.tables = { info_opts },
	.run = info_main,
};
