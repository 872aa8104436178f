#include "door/cli/summary.h"

#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"
#include "base/outfile.h"
#include "door/cli/report.h"
#include "door/cli/text.h"
#include "door/common/isa_choice.h"
#include "door/common/launch_json.h"

static bool has_address(enum heddle_fault_kind kind)
{
	return kind == HEDDLE_FAULT_ADDRESS ||
	       kind == HEDDLE_FAULT_MISALIGNED || kind == HEDDLE_FAULT_SHARED ||
	       kind == HEDDLE_FAULT_LOCAL;
}

/* Warns that the numbers are those of a part of the launch. */
static void summary_print_cut(const struct summary *s)
{
	const struct timing *t = s->timing;
	enum heddle_fault_kind kind = s->result.fault.kind;
	char a[GROUPED_TEXT];

	if (!t || !t->result || t->info.whole)
		return;
	fprintf(stderr,
		"%scut short%s after %s cycles: %s; the numbers until then:\n",
		tint(stderr, TINT_RED), tint(stderr, TINT_OFF),
		grouped(a, t->info.cycles),
		t->unwritten                 ? "a file could not be written" :
		kind == HEDDLE_FAULT_STOPPED ? "interrupted" :
					       fault_name(kind));
}

static void summary_print_head(const struct summary *s)
{
	const struct heddle_launch *l = s->launch;
	const struct heddle_result *r = &s->result;
	char name[256], a[GROUPED_TEXT], b[GROUPED_TEXT];

	demangle(name, sizeof(name), s->kernel->name);
	fprintf(stderr,
		"%s%s%s: grid %" PRIu32 "x%" PRIu32 "x%" PRIu32
		", block %" PRIu32 "x%" PRIu32 "x%" PRIu32,
		tint(stderr, TINT_BOLD), name, tint(stderr, TINT_OFF),
		l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y,
		l->block.z);
	if (s->timing)
		fprintf(stderr, ", on %s", s->timing->sheet.cfg.gpu.name);
	if (isa_is_machine(s->kernel->isa))
		fprintf(stderr, ", machine code for %s%" PRIu32,
			isa_target_prefix(s->kernel->isa),
			s->kernel->ptx_version);
	if (s->repeat > 1)
		fprintf(stderr, ", %s launches", grouped(a, s->done));
	fprintf(stderr, "\n  executed  %s block%s, %s thread%s\n",
		grouped(a, r->blocks), r->blocks == 1 ? "" : "s",
		grouped(b, r->threads), r->threads == 1 ? "" : "s");
	fprintf(stderr, "            %s warp-instructions",
		grouped(a, s->warp_instructions));
	if (r->warp_instructions)
		fprintf(stderr, ", %.1f of %u lanes active",
			(double)r->thread_instructions /
				(double)r->warp_instructions,
			strcmp(s->kernel->isa, "gcn") ? 32 : 64);
	fputc('\n', stderr);
}

static void summary_print_speed(const struct summary *s)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	fprintf(stderr, "  %s      %s", s->timing ? "host" : "time",
		duration(a, s->seconds));
	if (s->seconds > 0)
		fprintf(stderr, ", %s warp-instructions/s",
			scaled(b, (double)s->warp_instructions / s->seconds));
	if (s->seconds > 0 && s->timing && s->timing->result)
		fprintf(stderr, ", %s cycles/s",
			scaled(b, (double)s->cycles / s->seconds));
	fputc('\n', stderr);
}

void summary_print(const struct summary *s)
{
	summary_print_cut(s);
	summary_print_head(s);
	if (s->timing)
		report_print(s->timing);
	summary_print_speed(s);
	if (s->timing && s->timing->result)
		advice_print(stderr, &s->timing->advice);
	if (s->profile)
		profile_print(s->profile);
}

void summary_fault(const struct summary *s)
{
	const struct heddle_fault *f = &s->result.fault;
	char name[256];

	say_error("%s", f->text[0] ? f->text : fault_name(f->kind));
	/* A limit of the whole GPU concerns no single thread. */
	if (f->kind == HEDDLE_FAULT_LIMIT)
		return;
	demangle(name, sizeof(name), f->kernel);
	fprintf(stderr, "  kernel       %s\n", name);
	if (f->line)
		fprintf(stderr, "  at           %s:%" PRIu32 "\n", f->file,
			f->line);
	fprintf(stderr,
		"  block        (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n",
		f->block.x, f->block.y, f->block.z);
	fprintf(stderr,
		"  thread       (%" PRIu32 ",%" PRIu32 ",%" PRIu32
		"), lane %" PRIu32 " of warp %" PRIu32 "\n",
		f->thread.x, f->thread.y, f->thread.z, f->lane, f->warp);
	if (f->instruction[0]) {
		demangle(name, sizeof(name), f->function);
		fprintf(stderr, "  instruction  %s\n", f->instruction);
		fprintf(stderr, "               number %" PRIu32 " of %s",
			f->pc, name);
		if (f->ptx_line)
			fprintf(stderr, ", PTX line %" PRIu32, f->ptx_line);
		fputc('\n', stderr);
	}
	if (has_address(f->kind))
		fprintf(stderr, "  address      0x%" PRIx64 "\n", f->address);
}

static void summary_write_json(const struct summary *s, FILE *to)
{
	const struct heddle_result *r = &s->result;
	struct json j = { .to = to };
	char name[256];

	demangle(name, sizeof(name), s->kernel->name);
	json_open(&j, NULL, '{');
	json_string(&j, "heddle", HEDDLE_VERSION);
	json_string(&j, "status", s->status);
	json_string(&j, "program", s->program);
	json_string(&j, "kernel", name);
	json_string(&j, "symbol", s->kernel->name);
	json_code(&j, s->kernel->isa, s->kernel->ptx_version);
	json_dim3(&j, "grid", s->launch->grid);
	json_dim3(&j, "block", s->launch->block);
	json_uint(&j, "shared_bytes", s->launch->shared_bytes);
	json_uint(&j, "seed", s->seed);
	json_uint(&j, "launches", s->done);
	json_uint(&j, "blocks", r->blocks);
	json_uint(&j, "threads", r->threads);
	json_uint(&j, "warp_instructions", r->warp_instructions);
	json_uint(&j, "thread_instructions", r->thread_instructions);
	json_uint(&j, "hazards", r->hazards);
	json_real(&j, "seconds", s->seconds);
	json_fault(&j, &r->fault);
	if (s->timing && s->timing->result) {
		advice_json(&j, &s->timing->advice);
		report_json(s->timing, &j);
	}
	if (s->profile)
		profile_json(s->profile, &j);
	if (s->outputs)
		outputs_json(s->outputs, &j);
	if (s->more)
		s->more(s->more_ctx, &j);
	json_close(&j, '{');
}

enum err summary_json(const struct summary *s, const char *path, struct diag *d)
{
	struct outfile f;

	if (outfile_open(&f, path, d))
		return d->code;
	summary_write_json(s, f.to);
	return outfile_close(&f, ERR_OK, d);
}
