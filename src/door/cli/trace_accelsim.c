/* heddle trace info of a list of Accel-Sim. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "accelsim/list.h"
#include "accelsim/play.h"
#include "base/demangle.h"
#include "base/jsonwrite.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"
#include "door/cli/trace.h"

/* Kernels that are listed without --all. */
enum { LISTED_KERNELS = 40 };

/* What a kernel's file holds, as far as it was read. */
struct kernel_facts {
	bool read, whole;
	uint64_t blocks, records, lanes;
	uint32_t instructions;
	char wrong[480];
};

static bool keep_reading(void *ctx, uint64_t bytes)
{
	(void)ctx, (void)bytes;
	return !interrupted();
}

/* Reads the whole file, and looks up its instructions. */
static void find_facts(struct kernel_facts *f, const struct asim_command *c)
{
	struct asim_code code;
	struct program *p = NULL;
	struct diag d;
	enum err e = asim_scan(&code, c->path, keep_reading, NULL, &d);

	if (!e)
		e = asim_program(&p, &code, c->path, NULL, &d);
	*f = (struct kernel_facts){ .read = true,
				    .whole = !e,
				    .blocks = code.blocks,
				    .records = code.records,
				    .lanes = code.lanes,
				    .instructions = code.count };
	if (e)
		snprintf(f->wrong, sizeof(f->wrong), "%s", d.text);
	if (!e)
		asim_program_free(p);
	asim_code_free(&code);
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_kernel(const struct asim_command *c,
			 const struct kernel_facts *f)
{
	const struct asim_header *h = c->header;
	char name[256], a[GROUPED_TEXT], b[GROUPED_TEXT], n[GROUPED_TEXT];

	demangle_instance(name, sizeof(name), h->kernel);
	printf("  %5" PRIu32 "  %s: grid %" PRIu32 "x%" PRIu32 "x%" PRIu32
	       ", block %" PRIu32 "x%" PRIu32 "x%" PRIu32 "\n",
	       c->number, name, h->grid[0], h->grid[1], h->grid[2], h->block[0],
	       h->block[1], h->block[2]);
	printf("         %s: %s, version %" PRIu32 ", sm_%" PRIu32 ", %" PRIu32
	       " registers, %" PRIu32 " bytes of shared memory",
	       name_of(c->path), bytes_text(n, (double)c->file_bytes),
	       h->version, h->target, h->registers, h->shared_bytes);
	if (c->stream)
		printf(", stream %" PRIu32, c->stream);
	putchar('\n');
	if (f->read)
		printf("         %s blocks, %s warp-instructions of %" PRIu32
		       " in the text%s\n",
		       grouped(a, f->blocks), grouped(b, f->records),
		       f->instructions, f->whole ? "" : ", incomplete");
}

static void print_head(const struct asim_list *l)
{
	uint64_t copies = 0, bytes = 0;
	char n[GROUPED_TEXT];

	for (size_t i = 0; i < l->count; i++)
		if (!l->command[i].path) {
			copies++;
			bytes += l->command[i].bytes;
		}
	printf("%s%s%s: traces of Accel-Sim, %s\n", tint(stdout, TINT_BOLD),
	       l->path, tint(stdout, TINT_OFF),
	       bytes_text(n, (double)l->file_bytes));
	printf("  copies    %" PRIu64 " to the device (%s)", copies,
	       bytes_text(n, (double)bytes));
	if (l->ignored)
		printf(", %" PRIu64 " others without an address", l->ignored);
	printf("\n  kernels   %" PRIu32 "\n", l->kernels);
}

static void json_kernel(struct json *j, const struct asim_command *c,
			const struct kernel_facts *f)
{
	const struct asim_header *h = c->header;

	json_open(j, NULL, '{');
	json_uint(j, "launch", c->number);
	json_string(j, "kernel", h->kernel);
	json_string(j, "file", c->path);
	json_uint(j, "file_bytes", c->file_bytes);
	json_uint(j, "version", h->version);
	json_uint(j, "sm", h->target);
	json_uints(j, "grid", h->grid, 3);
	json_uints(j, "block", h->block, 3);
	json_uint(j, "registers", h->registers);
	json_uint(j, "shared_bytes", h->shared_bytes);
	json_uint(j, "stream", c->stream);
	json_uint(j, "group", c->group);
	if (f->read) {
		json_bool(j, "whole", f->whole);
		json_uint(j, "work_groups", f->blocks);
		json_uint(j, "warp_instructions", f->records);
		json_uint(j, "thread_instructions", f->lanes);
		json_uint(j, "instructions", f->instructions);
	}
	json_close(j, '{');
}

static void json_list_copy(struct json *j, const struct asim_command *c)
{
	json_open_line(j, NULL, '{');
	json_string(j, "copy", "to_device");
	json_uint(j, "at", c->at);
	json_uint(j, "bytes", c->bytes);
	json_close(j, '{');
}

/* Shows the kernels one by one, since reading them takes time. False: something
 * is wrong with one. */
static bool show_commands(const struct asim_list *l, struct json *j, bool all,
			  bool quick)
{
	bool good = true;

	for (size_t i = 0; i < l->count && !interrupted(); i++) {
		const struct asim_command *c = &l->command[i];
		struct kernel_facts f = { 0 };

		if (!c->path) {
			if (j)
				json_list_copy(j, c);
			continue;
		}
		if (!quick)
			find_facts(&f, c);
		if (j)
			json_kernel(j, c, &f);
		else if (all || c->number < LISTED_KERNELS)
			print_kernel(c, &f);
		if (f.read && !f.whole && !interrupted()) {
			good = false;
			fflush(stdout);
			fprintf(stderr, "heddle: warning: %s\n", f.wrong);
		}
	}
	return good;
}

int accelsim_info(const char *path, bool json, bool all, bool quick)
{
	struct json j = { .to = stdout };
	struct asim_list *l;
	struct diag d;
	bool good;

	if (asim_list_open(&l, path, &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	if (json) {
		json_open(&j, NULL, '{');
		json_string(&j, "producer", "Accel-Sim");
		json_uint(&j, "file_bytes", l->file_bytes);
		json_uint(&j, "launches", l->kernels);
		json_uint(&j, "ignored", l->ignored);
		json_open(&j, "items", '[');
	} else {
		print_head(l);
	}
	good = show_commands(l, json ? &j : NULL, all, quick);
	if (json) {
		json_close(&j, '[');
		json_close(&j, '{');
		putchar('\n');
	} else if (l->kernels > LISTED_KERNELS && !all) {
		printf("  ... %u more, --all lists them\n",
		       l->kernels - LISTED_KERNELS);
	}
	asim_list_free(l);
	return interrupted() ? interrupt_exit() : good ? EXIT_OK : EXIT_INPUT;
}
