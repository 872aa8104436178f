#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "door/cli/commands.h"
#include "door/cli/interrupt.h"
#include "door/cli/program.h"
#include "door/cli/text.h"
#include "door/common/isa_choice.h"

static const char *kind_text(const struct heddle_param *p, bool machine)
{
	if (p->kind == HEDDLE_PARAM_SHARED)
		return "local memory";
	/* Machine code has sizes only. */
	if (machine && p->kind == HEDDLE_PARAM_INT)
		return p->size == 8 ? "number or address" : "number";
	switch (p->kind) {
	case HEDDLE_PARAM_INT:
		return p->size == 8 ? "integer or address" : "integer";
	case HEDDLE_PARAM_FLOAT:
		return "floating point";
	case HEDDLE_PARAM_BYTES:
		return "struct";
	case HEDDLE_PARAM_TEXTURE:
		return "texture or surface";
	case HEDDLE_PARAM_SHARED:
		break;
	}
	return "";
}

static void print_kernel_param(uint32_t index, const struct heddle_param *p,
			       bool machine)
{
	char type[48];

	if (p->kind == HEDDLE_PARAM_BYTES)
		snprintf(type, sizeof(type), ".b8[%" PRIu32 "]", p->size);
	else
		snprintf(type, sizeof(type), "%s%s", p->type_name ? "" : ".",
			 p->type_name ? p->type_name : p->type);
	printf("  --arg %-2" PRIu32 " %-10s %-19s %" PRIu32 " bytes at %" PRIu32
	       "\n",
	       index, type, kind_text(p, machine), p->size, p->offset);
}

static void print_kernel(const struct heddle_kernel *k)
{
	char name[256];

	demangle(name, sizeof(name), k->name);
	printf("%s%s%s", tint(stdout, TINT_BOLD), name, tint(stdout, TINT_OFF));
	if (strcmp(name, k->name) != 0)
		printf("  (%s)", k->name);
	if (k->refused)
		printf("\n  refused: %s", k->refused);
	printf("\n  %" PRIu32 " instructions, %" PRIu32 " registers, %" PRIu32
	       " bytes of static shared memory\n",
	       k->instructions, k->registers, k->shared_bytes);
	if (isa_is_machine(k->isa))
		printf("  machine code for %s%" PRIu32 ", %" PRIu32
		       " bytes of local memory, %" PRIu32 " barrier%s\n",
		       isa_target_prefix(k->isa), k->ptx_version,
		       k->local_bytes, k->barriers,
		       k->barriers == 1 ? "" : "s");
	if (k->required[0])
		printf("  requires a block of %" PRIu32 "x%" PRIu32 "x%" PRIu32
		       " threads\n",
		       k->required[0], k->required[1], k->required[2]);
	else if (k->max_threads)
		printf("  at most %" PRIu32 " threads in a block\n",
		       k->max_threads);
	for (uint32_t i = 0; i < k->param_count; i++)
		print_kernel_param(i, &k->params[i], isa_is_machine(k->isa));
}

static int list_kernels(const char *path, const struct compile_options *compile)
{
	struct loaded_program p = { 0 };
	struct diag d;
	size_t count;

	if (program_load(&p, path, compile, NULL, &d)) {
		if (interrupted())
			return interrupt_exit();
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	count = heddle_module_kernel_count(p.mod);
	for (size_t i = 0; i < count; i++) {
		if (i)
			putchar('\n');
		print_kernel(heddle_module_kernel(p.mod, i));
	}
	if (!count)
		fprintf(stderr, "%s has no kernel\n", path);
	program_unload(&p);
	return EXIT_OK;
}

static int kernels_main(int argc, char **argv)
{
	struct compile_options compile = { 0 };
	struct words files = { 0 };
	void *const to[] = { &compile };
	int code = command_parse_program(&cmd_kernels, to, argc, argv, &files);

	if (code < 0)
		code = list_kernels(files.at[0], &compile);
	words_free(&files);
	compile_options_free(&compile);
	return code;
}

const struct command cmd_kernels = {
	.name = "kernels",
	.summary = "List a program's kernels, their parameters and resources",
	.usage = "PROGRAM [OPTIONS]",
	.details =
		"PROGRAM is a .ptx file, a .cu or .cl file that clang "
		"compiles first, or machine\ncode: a cubin, a fat binary, or a "
		"code object of an AMD GPU of GFX6.\n\n"
		"Examples:\n"
		"  heddle kernels matmul.cu\n"
		"  heddle kernels matmul.cubin\n"
		"  heddle kernels -DTILE=32 matmul.cu\n",
	.tables = { compile_opts },
	.run = kernels_main,
};
