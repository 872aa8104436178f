/*
 * How long a kernel takes on a GPU of your choice, and what its warps waited for.
 *
 *	cc example_timed.c $(pkg-config --cflags --libs heddle) -o example_timed
 *	./example_timed [GPU] [FILE.ptx KERNEL]
 *
 * Without a file it times a kernel of its own. The kernel gets two addresses,
 * `from` and `to`, of as many floats as there are threads.
 */
#include <heddle/heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 528, THREADS = 256, TOP = 3 };

/* Each thread reads a float of a column and writes it to a row: a transposition
 * of a matrix with THREADS rows, whose loads are not coalesced. */
static const char transpose[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".visible .entry transpose(.param .u64 from, .param .u64 to)\n"
	"{\n"
	"	.reg .f32 %f;\n"
	"	.reg .b32 %r<6>;\n"
	"	.reg .b64 %d<5>;\n"
	"	mov.u32        %r0, %ctaid.x;\n"
	"	mov.u32        %r1, %ntid.x;\n"
	"	mov.u32        %r2, %tid.x;\n"
	"	mov.u32        %r3, %nctaid.x;\n"
	"	mad.lo.u32     %r4, %r2, %r3, %r0;\n"
	"	mad.lo.u32     %r5, %r0, %r1, %r2;\n"
	"	ld.param.u64   %d0, [from];\n"
	"	ld.param.u64   %d1, [to];\n"
	"	mul.wide.u32   %d2, %r4, 4;\n"
	"	mul.wide.u32   %d3, %r5, 4;\n"
	"	add.u64        %d0, %d0, %d2;\n"
	"	add.u64        %d1, %d1, %d3;\n"
	"	ld.global.f32  %f, [%d0];\n"
	"	st.global.f32  [%d1], %f;\n"
	"	ret;\n"
	"}\n";

/* A whole file, malloc'ed; NULL: it cannot be read. */
static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t size = 0, room = 1 << 16;
	char *text = malloc(room);

	while (f && text && !feof(f) && !ferror(f)) {
		size += fread(text + size, 1, room - size - 1, f);
		if (size + 1 == room) {
			char *more = realloc(text, room *= 2);

			if (!more)
				free(text);
			text = more;
		}
	}
	if (text)
		text[size] = '\0';
	if (!f || ferror(f)) {
		perror(path);
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

static int by_count(const void *a, const void *b)
{
	const struct heddle_stat *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

/* The group "reason" says what the issue slots were used for or lost to. */
static void print_reasons(const struct heddle_stats *stats)
{
	struct heddle_stat slots, row, reasons[64];
	size_t n = 0;

	if (heddle_stats_find(stats, "sm.slots", &slots, NULL))
		return;
	for (size_t i = 0; i < heddle_stats_count(); i++)
		if (!heddle_stats_get(stats, i, &row, NULL) &&
		    !strcmp(row.group, "reason") && strcmp(row.name, "issued") &&
		    n < sizeof(reasons) / sizeof(reasons[0]))
			reasons[n++] = row;
	qsort(reasons, n, sizeof(reasons[0]), by_count);
	for (size_t i = 0; i < n && i < TOP; i++)
		printf("%5.1f%%  %-10s %s\n",
		       100 * (double)reasons[i].count / (double)slots.count,
		       reasons[i].name, reasons[i].doc);
}

/* Launches the kernel on a timed device and prints what is known of it. */
static int time_kernel(struct heddle_device *dev, struct heddle_module *mod,
		       const char *kernel, struct heddle_error *err)
{
	uint64_t bytes = (uint64_t)BLOCKS * THREADS * sizeof(float);
	struct {
		heddle_ptr from, to;
	} params;
	struct heddle_launch launch = { .kernel = kernel,
					.grid = { BLOCKS, 1, 1 },
					.block = { THREADS, 1, 1 },
					.params = &params,
					.param_bytes = sizeof(params) };
	struct heddle_timing_info info;
	struct heddle_result result;

	if (heddle_alloc(dev, bytes, &params.from, err) ||
	    heddle_alloc(dev, bytes, &params.to, err) ||
	    heddle_launch(dev, mod, &launch, &result, err))
		return 1;
	heddle_timing_info(heddle_device_timing(dev), &info);
	printf("%s: %llu cycles, %.2f us\n", kernel,
	       (unsigned long long)info.cycles, 1e6 * result.gpu_seconds);
	print_reasons(heddle_timing_stats(heddle_device_timing(dev)));
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "h200";
	const char *file = argc > 3 ? argv[2] : "transpose.ptx";
	const char *kernel = argc > 3 ? argv[3] : "transpose";
	char *own = argc > 3 ? read_file(file) : NULL;
	const char *text = own ? own : transpose;
	struct heddle_config *gpu = NULL;
	struct heddle_device *dev = NULL;
	struct heddle_module *mod = NULL;
	struct heddle_error err;
	int failed;

	if (argc > 3 && !own)
		return 1;
	/* Each call returns HEDDLE_OK, which is 0, or fills err. */
	failed = heddle_config_load(&gpu, name, &err) ||
		 heddle_device_new(
			 &dev, &(struct heddle_device_options){ .config = gpu },
			 &err) ||
		 heddle_module_load(dev, &mod, file, text, strlen(text),
				    &err) ||
		 time_kernel(dev, mod, kernel, &err);
	if (failed)
		fprintf(stderr, "%s\n", err.text);
	if (mod)
		heddle_module_free(dev, mod);
	if (dev)
		heddle_device_free(dev);
	heddle_config_free(gpu);
	free(own);
	return failed;
}
