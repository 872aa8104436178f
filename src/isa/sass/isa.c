#include "isa/sass/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/exec_tex.h"
#include "isa/sass/listed.h"
#include "isa/sass/program.h"
#include "isa/sass/time.h"
#include "isa/sass/work.h"

static bool sass_matches(const char *bytes, size_t size)
{
	return sass_cubin_matches(bytes, size);
}

static bool sass_runs(const char *bytes, size_t size)
{
	return sass_executes(sass_cubin_sm(bytes, size));
}

/* ---- text ---------------------------------------------------------------- */

/* A text that grows. */
struct growing {
	char *text;
	size_t size, room;
	bool failed;
};

static void grow_by(struct growing *g, const char *text, size_t size)
{
	if (g->failed)
		return;
	if (g->size + size + 1 > g->room) {
		size_t room = 2 * (g->size + size + 1);
		char *more = realloc(g->text, room);

		g->failed = !more;
		if (!more)
			return;
		g->text = more;
		g->room = room;
	}
	memcpy(g->text + g->size, text, size);
	g->size += size;
	g->text[g->size] = '\0';
}

static void grow_line(struct growing *g, const char *fmt, ...)
	PRINTF_LIKE(2, 3);

static void grow_line(struct growing *g, const char *fmt, ...)
{
	char line[600];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n > 0)
		grow_by(g, line,
			(size_t)n < sizeof(line) ? (size_t)n :
						   sizeof(line) - 1);
}

/* One line for each instruction, also of kernels that are refused, up to the
 * first that cannot be decoded. */
static void print_kernel(struct growing *g, const struct function *f)
{
	const struct sass_code *c = sass_code_of(f);

	grow_line(g, "\t\tFunction : %s\n", f->name);
	for (uint32_t i = 0; i < f->inst_count && c->insts[i].enc; i++) {
		char text[300];

		sass_print(text, sizeof(text), &c->insts[i],
			   (uint64_t)i * SASS_BYTES);
		grow_line(g, "        /*%04x*/  %s ;\n", i * SASS_BYTES, text);
	}
	if (f->refused)
		grow_line(g, "        // refused: %s\n", f->refused);
	grow_line(g, "\t\t..........\n");
}

static char *sass_print_program(const struct program *p, bool executed)
{
	struct growing g = { 0 };

	(void)executed; /* it is what was read */
	grow_line(&g, "code for sm_%u\n", p->target);
	for (uint32_t i = 0; i < p->func_count; i++)
		print_kernel(&g, &p->funcs[i]);
	if (g.failed) {
		free(g.text);
		return NULL;
	}
	return g.text;
}

static void sass_describe(const struct function *f, uint32_t inst,
			  struct inst_text *out)
{
	const struct sass_program *p = sass_program_of(f->program);
	const struct sass_inst *in = sass_inst_at(f, inst);
	uint32_t at = inst * SASS_BYTES;
	struct inst_place place;

	sass_print(out->text, sizeof(out->text), in, at);
	/* Without lines of a source, those of the PTX that it was made of. */
	out->file = p->base.name;
	out->asm_line = sass_lines_ptx(&p->lines, sass_code_of(f)->kernel, at);
	out->line = out->asm_line;
	out->col = 0;
	if (sass_lines_at(&p->lines, sass_code_of(f)->kernel, at, &place)) {
		out->file = place.file;
		out->line = place.line;
	}
	out->unit = (enum unit_class)sass_row_of(in)->unit;
	out->kind = (enum timing_kind)sass_row_of(in)->kind;
}

static bool sass_caller(const struct function *f, uint32_t inst, unsigned depth,
			struct inst_place *out)
{
	const struct sass_program *p = sass_program_of(f->program);

	return sass_lines_caller(&p->lines, sass_code_of(f)->kernel,
				 inst * SASS_BYTES, depth, out);
}

static struct inst_work sass_work(const struct function *f, uint32_t inst)
{
	return sass_work_of(sass_inst_at(f, inst));
}

const struct isa isa_sass = {
	.name = "sass",
	.lanes = LANES,
	.native = true,
	.matches = sass_matches,
	.runs = sass_runs,
	.load = sass_program_new,
	.listed = sass_listed,
	.unload = sass_program_free,
	.print = sass_print_program,
	.describe = sass_describe,
	.caller = sass_caller,
	.work = sass_work,
	.time = sass_time,
	.mark = sass_mark,
	.begin_launch = sass_begin_launch,
	.end_launch = sass_end_launch,
	.start_launch = sass_start_launch,
	.start_block = sass_start_block,
	.surface_addresses = sass_surface_addresses,
};
