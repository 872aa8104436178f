#include "prog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"
#include "watch.h"

struct prog_buffer {
	struct prog_buffer *next;
	max_align_t bytes[];
};

/* A program that does not end has a bug: give up early. */
enum { MOST_INSTRUCTIONS = 50000000, HEAP_BYTES = 128 << 10 };

static void must(const char *file, int line, const char *what, int status,
		 const struct heddle_error *err)
{
	if (status != HEDDLE_OK)
		test_streq(file, line, what, "success", err->text);
}

#define MUST(what, call) must(__FILE__, __LINE__, what, call, &p->err)

heddle_ptr prog_room(struct prog *p, size_t size)
{
	heddle_ptr at = 0;

	MUST("heddle_alloc", heddle_alloc(p->dev, size, &at, &p->err));
	return at;
}

heddle_ptr prog_put(struct prog *p, const void *from, size_t size)
{
	heddle_ptr at = prog_room(p, size);

	MUST("heddle_write", heddle_write(p->dev, at, from, size, &p->err));
	return at;
}

void *prog_get(struct prog *p, heddle_ptr from, size_t size)
{
	struct prog_buffer *b = malloc(sizeof(*b) + size);

	OK(b != NULL);
	b->next = p->buffers;
	p->buffers = b;
	MUST("heddle_read", heddle_read(p->dev, b->bytes, from, size, &p->err));
	watch_bytes(b->bytes, size);
	return b->bytes;
}

heddle_ptr prog_global(struct prog *p, const char *name, size_t size)
{
	heddle_ptr at = 0;
	uint64_t has = 0;

	MUST(name,
	     heddle_module_global(p->dev, p->mod, name, &at, &has, &p->err));
	EQ(size, has);
	return at;
}

uint32_t prog_random(struct prog *p)
{
	p->seed ^= p->seed << 13;
	p->seed ^= p->seed >> 17;
	p->seed ^= p->seed << 5;
	return p->seed;
}

static const struct heddle_kernel *find_kernel(const struct prog *p,
					       const char *name)
{
	for (size_t i = 0; i < heddle_module_kernel_count(p->mod); i++) {
		const struct heddle_kernel *k = heddle_module_kernel(p->mod, i);

		if (strcmp(k->name, name) == 0)
			return k;
	}
	return NULL;
}

static void keep_text(void *ctx, const char *text, size_t size)
{
	struct prog *p = ctx;
	char *more = realloc(p->text, p->text_size + size + 1);

	if (!more)
		return;
	memcpy(more + p->text_size, text, size);
	p->text = more;
	p->text_size += size;
	p->text[p->text_size] = '\0';
}

uint64_t prog_timing(struct heddle_device *dev)
{
	const struct heddle_timing *t = heddle_device_timing(dev);
	uint64_t h = UINT64_C(14695981039346656037);
	struct heddle_stat s;

	for (size_t i = 0; t && i < heddle_stats_count(); i++) {
		heddle_stats_get(heddle_timing_stats(t), i, &s, NULL);
		h = (h ^ s.count) * UINT64_C(1099511628211);
	}
	return t ? h | 1 : 0;
}

int prog_try(const char *file, int line, struct prog *p,
	     const struct prog_launch *l)
{
	const struct heddle_kernel *k = find_kernel(p, l->kernel);
	unsigned char block[1 << 15];

	test_ok(file, line, l->kernel, k != NULL);
	test_eq(file, line, "number of arguments", TEST_VALUE(k->param_count),
		TEST_VALUE(l->arg_count));
	OK(k->param_bytes <= sizeof(block));
	for (size_t i = 0; i < l->arg_count; i++) {
		test_eq(file, line, k->params[i].name,
			TEST_VALUE(k->params[i].size),
			TEST_VALUE(l->args[i].size));
		memcpy(block + k->params[i].offset, l->args[i].at,
		       l->args[i].size);
	}
	int status;

	free(p->text);
	p->text = NULL;
	p->text_size = 0;
	status = heddle_launch(p->dev, p->mod,
			       &(struct heddle_launch){
				       .kernel = l->kernel,
				       .grid = l->grid,
				       .block = l->block,
				       .shared_bytes = l->shared,
				       .params = block,
				       .param_bytes = k->param_bytes,
				       .print = keep_text,
				       .ctx = p,
				       .cooperative = p->cooperative,
			       },
			       &p->result, &p->err);
	if (heddle_device_timing(p->dev)) {
		struct heddle_timing_info info;

		heddle_timing_info(heddle_device_timing(p->dev), &info);
		test_ok(file, line, info.law ? info.law : "laws", !info.law);
		OK(p->timed_count < PROG_LAUNCHES);
		p->timed[p->timed_count++] = prog_timing(p->dev);
		watch_launch(p->dev, l->kernel);
	}
	return status;
}

void prog_run(const char *file, int line, struct prog *p,
	      const struct prog_launch *l)
{
	must(file, line, l->kernel, prog_try(file, line, p, l), &p->err);
}

void prog_eq(const char *file, int line, const char *array, size_t i,
	     struct test_value want, struct test_value got)
{
	char what[96];

	snprintf(what, sizeof(what), "%s[%zu]", array, i);
	test_eq(file, line, what, want, got);
}

void prog_near(const char *file, int line, const char *array, size_t i,
	       double want, double got, double error)
{
	if (!(fabs(got - want) <= error * fmax(1, fabs(want))))
		prog_eq(file, line, array, i, TEST_VALUE(want),
			TEST_VALUE(got));
}

/* ---- the list of tests: every program in every mode ---- */

struct mode {
	const char *folder; /* of the PTX, or of the machine code */
	enum heddle_divergence divergence;
	unsigned threads;
	const char *gpu; /* timed on this GPU, with few SMs; NULL: not timed */
};

/* The architecture of a mode's machine code; 0: PTX. */
static unsigned mode_sm(const struct mode *m)
{
	const char *sm = strstr(m->folder, "/sm_");

	return sm ? (unsigned)atoi(sm + 4) : 0;
}

/* Programs that need more than the oldest architecture has. */
static bool can_run(const char *name, unsigned sm)
{
	static const struct {
		const char *name;
		unsigned sm;
	} needs[] = { { "warp_match", 80 },
		      { "bf16_math", 80 },
		      { "mma_sync", 80 },
		      { "bulk_copy", 90 } };

	for (size_t i = 0; sm && i < COUNT(needs); i++)
		if (!strcmp(name, needs[i].name))
			return sm >= needs[i].sm;
	return true;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;

	if (!f)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && ftell(f) >= 0) {
		*size = (size_t)ftell(f);
		rewind(f);
		text = malloc(*size + 1);
		if (text && fread(text, 1, *size, f) != *size) {
			free(text);
			text = NULL;
		}
	}
	fclose(f);
	return text;
}

static void load(struct prog *p, const char *folder, const char *name)
{
	char path[1024];
	size_t size = 0;
	char *text;

	snprintf(path, sizeof(path), "%s/%s.%s", folder, name,
		 strstr(folder, "/sm_") ? "cubin" : "ptx");
	text = read_file(path, &size);
	test_ok(path, 1, "can be read", text != NULL);
	int status =
		heddle_module_load(p->dev, &p->mod, path, text, size, &p->err);
	free(text);
	MUST("heddle_module_load", status);
}

/* As in configs/, but small: what is timed is the same. */
static struct heddle_config *read_config(struct prog *p, const char *gpu)
{
	struct heddle_config *c;
	char path[1024];

	snprintf(path, sizeof(path), HEDDLE_SOURCE_DIR "/configs/%s.cfg", gpu);
	MUST("heddle_config_load", heddle_config_load(&c, path, &p->err));
	MUST("heddle_config_set", heddle_config_set(c, "sm.count=3", &p->err));
	return c;
}

/* trace: the file that it is recorded to, or NULL. */
static void check_prog(struct prog *p, const char *name, const struct mode *m,
		       const char *trace, void (*run)(struct prog *p))
{
	struct heddle_config *config = m->gpu ? read_config(p, m->gpu) : NULL;
	struct heddle_device_options options = {
		.sm_major = mode_sm(m) / 10,
		.sm_minor = mode_sm(m) % 10,
		.threads = m->threads,
		.divergence = m->divergence,
		.heap_bytes = HEAP_BYTES,
		.max_warp_instructions = MOST_INSTRUCTIONS,
		.config = config,
	};

	watch_options(&options);
	MUST("heddle_device_new",
	     heddle_device_new(&p->dev, &options, &p->err));
	heddle_config_free(config);
	if (trace)
		MUST("heddle_trace_begin",
		     heddle_trace_begin(p->dev, trace, name, &p->err));
	load(p, m->folder, name);
	run(p);
	if (trace)
		MUST("heddle_trace_end", heddle_trace_end(p->dev, &p->err));
	heddle_module_free(p->dev, p->mod);
	heddle_device_free(p->dev);
	while (p->buffers) {
		struct prog_buffer *b = p->buffers;

		p->buffers = b->next;
		free(b);
	}
	free(p->text);
}

static void check(const char *name, const struct mode *m,
		  void (*run)(struct prog *p))
{
	struct prog p = { .seed = 2463534242u };

	if (!can_run(name, mode_sm(m)))
		return;

	check_prog(&p, name, m, NULL, run);
}

/* ---- traces: recorded without time, replayed with and without ---- */

struct replay {
	struct heddle_device *dev;
	const struct prog *live; /* NULL: not timed */
	size_t launches, compared;
};

static int on_replayed(void *ctx, const struct heddle_replayed *r)
{
	struct replay *t = ctx;

	for (size_t i = 0; i < r->count; i++)
		if (t->live && !r->launches[i].depends) {
			OK(t->launches < t->live->timed_count);
			EQ(t->live->timed[t->launches], prog_timing(t->dev));
			t->compared++;
		}
	t->launches++;
	return 0;
}

/* A launch that faulted is in the trace, but is not replayed. */
static void replay(const char *path, const struct heddle_device_options *o,
		   const struct prog *live)
{
	struct replay t = { .live = live };
	struct heddle_replay_options options = { .done = on_replayed,
						 .ctx = &t };
	struct heddle_error err;
	int status;

	OK(!heddle_device_new(&t.dev, o, &err));
	status = heddle_replay(t.dev, path, &options, &err);
	if (status != HEDDLE_FAULT || !strstr(err.text, "when it was recorded"))
		must(__FILE__, __LINE__, "heddle_replay", status, &err);
	heddle_device_free(t.dev);
}

static void check_traced(const char *name, const struct mode *m,
			 void (*run)(struct prog *p))
{
	struct prog plain = { .seed = 2463534242u }, live = plain, *p = &plain;
	struct heddle_config *config = read_config(p, m->gpu);
	struct heddle_device_options timed = { .threads = 1,
					       .heap_bytes = HEAP_BYTES,
					       .config = config };
	char path[] = "/tmp/heddle-prog-XXXXXX";
	struct mode mode = *m;
	int fd = mkstemp(path);

	OK(fd >= 0);
	close(fd);
	mode.gpu = NULL;
	check_prog(&plain, name, &mode, path, run);
	check_prog(&live, name, m, NULL, run);
	replay(path, &(struct heddle_device_options){ .threads = 2 }, NULL);
	replay(path, &timed, &live);
	heddle_config_free(config);
	unlink(path);
}

/* ---- traces as another simulator's tracer writes them ---- */

/* What does not depend on time, nor on what that tracer leaves out. */
static const char *const foreign_stats[] = {
	"sm.instructions",    "sm.lanes",           "sm.guarded_off",
	"lsu.global_loads",   "lsu.global_stores",  "lsu.global_atomics",
	"lsu.local_loads",    "lsu.local_stores",   "lsu.shared_loads",
	"lsu.shared_stores",  "lsu.shared_atomics", "lsu.async_copies",
	"lsu.global_sectors", "lsu.local_sectors",  "lsu.shared_passes",
};

enum { FOREIGN_STATS = COUNT(foreign_stats) };

struct foreign_replay {
	struct heddle_device *dev;
	uint64_t stats[PROG_LAUNCHES][FOREIGN_STATS];
	bool depends[PROG_LAUNCHES];
	size_t launches;
};

static int keep_stats(void *ctx, const struct heddle_replayed *r)
{
	struct foreign_replay *f = ctx;
	const struct heddle_timing *t = heddle_device_timing(f->dev);
	struct heddle_stat s;

	OK(f->launches < PROG_LAUNCHES);
	f->depends[f->launches] = r->launches[0].depends != 0;
	for (size_t i = 0; i < FOREIGN_STATS; i++) {
		OK(!heddle_stats_find(heddle_timing_stats(t), foreign_stats[i],
				      &s, NULL));
		f->stats[f->launches][i] = s.count;
	}
	f->launches++;
	return 0;
}

static int foreign_run(struct foreign_replay *f, const char *path,
		       const struct heddle_device_options *o,
		       struct heddle_error *err)
{
	struct heddle_replay_options options = { .done = keep_stats, .ctx = f };
	int status;

	OK(!heddle_device_new(&f->dev, o, err));
	status = heddle_replay(f->dev, path, &options, err);
	heddle_device_free(f->dev);
	return status;
}

/* Programs with instructions of which that tracer does not tell enough: addresses
 * of surfaces, which addresses are parameters', and in old versions the numbers of
 * barriers. Others wait in loops, which make a long trace and show nothing more. */
static bool foreign_skips(const char *name)
{
	return !strcmp(name, "surface_copy") || !strcmp(name, "address_of") ||
	       !strcmp(name, "block_flag") || !strcmp(name, "grid_sync") ||
	       !strcmp(name, "warp_flag");
}

static bool foreign_refuses(const char *name)
{
	return !strcmp(name, "named_barrier") || !strcmp(name, "bulk_copy");
}

static void compare_foreign(const struct foreign_replay *own,
			    const struct foreign_replay *other)
{
	EQ(own->launches, other->launches);
	for (size_t n = 0; n < own->launches; n++)
		for (size_t i = 0; i < FOREIGN_STATS; i++)
			test_eq(__FILE__, __LINE__, foreign_stats[i],
				TEST_VALUE(own->stats[n][i]),
				TEST_VALUE(other->stats[n][i]));
}

static void foreign_compare(const char *trace, const char *folder,
			    const char *name,
			    const struct heddle_device_options *o)
{
	static struct foreign_replay own, other;
	struct heddle_error err;
	char list[600];
	int status;

	own.launches = other.launches = 0;
	must(__FILE__, __LINE__, "heddle_replay",
	     foreign_run(&own, trace, o, &err), &err);
	snprintf(list, sizeof(list), "%s/kernelslist.g", folder);
	status = foreign_run(&other, list, o, &err);
	if (foreign_refuses(name)) {
		EQ(HEDDLE_UNSUPP, status);
		return;
	}
	must(__FILE__, __LINE__, "heddle_replay of the list", status, &err);
	compare_foreign(&own, &other);
}

static void check_foreign(const char *name, const struct mode *m,
			  void (*run)(struct prog *p))
{
	static const struct foreign_style styles[] = {
		{ .version = 3 },
		{ .version = 4, .compressed = true },
		{ .version = 5, .compressed = true, .windows = true },
	};
	struct prog plain = { .seed = 2463534242u }, *p = &plain;
	struct heddle_config *config = read_config(p, m->gpu);
	struct heddle_device_options timed = { .threads = 1,
					       .heap_bytes = HEAP_BYTES,
					       .config = config };
	char folder[] = "/tmp/heddle-foreign-XXXXXX", trace[64], remove[96];
	const struct foreign_style *style;
	struct mode mode = *m;

	if (!can_run(name, mode_sm(m)) || foreign_skips(name))
		return;
	if (mode_sm(m) == 75) /* as a Turing of that size would be */
		MUST("heddle_config_set",
		     heddle_config_set(config, "gpu.capability=75", &p->err));
	OK(mkdtemp(folder) != NULL);
	snprintf(trace, sizeof(trace), "%s/trace", folder);
	/* Such a trace has what was executed, not what stands for malloc and free. */
	MUST("heddle_config_set",
	     heddle_config_set(config, "system.malloc_instructions=0",
			       &p->err));
	mode.gpu = NULL;
	check_prog(&plain, name, &mode, trace, run);
	style = foreign_refuses(name) ? &styles[2] :
					&styles[(unsigned char)name[0] % 3];
	if (foreign_write(trace, folder, style))
		foreign_compare(trace, folder, name, &timed);
	heddle_config_free(config);
	snprintf(remove, sizeof(remove), "rm -r %s", folder);
	EQ(0, system(remove));
}

#define NVCC HEDDLE_SOURCE_DIR "/tests/prog/nvcc"
#define CLANG HEDDLE_PROG_CLANG
#define SASS(sm) HEDDLE_PROG_SASS "/sm_" #sm

static const struct mode
	clang = { CLANG, HEDDLE_DIVERGE_AUTO, 1, NULL },
	nvcc = { NVCC, HEDDLE_DIVERGE_AUTO, 1, NULL },
	clang_threads = { CLANG, HEDDLE_DIVERGE_AUTO, 4, NULL },
	nvcc_threads = { NVCC, HEDDLE_DIVERGE_AUTO, 4, NULL },
	clang_stack = { CLANG, HEDDLE_DIVERGE_STACK, 1, NULL },
	nvcc_stack = { NVCC, HEDDLE_DIVERGE_STACK, 1, NULL },
	clang_timed = { CLANG, HEDDLE_DIVERGE_AUTO, 1, "qv100" },
	nvcc_timed = { NVCC, HEDDLE_DIVERGE_AUTO, 1, "h200" },
	clang_traced = { CLANG, HEDDLE_DIVERGE_AUTO, 1, "h200" },
	nvcc_traced = { NVCC, HEDDLE_DIVERGE_AUTO, 1, "qv100" },
	sm75 = { SASS(75), HEDDLE_DIVERGE_AUTO, 1, NULL },
	sm80 = { SASS(80), HEDDLE_DIVERGE_AUTO, 1, NULL },
	sm90 = { SASS(90), HEDDLE_DIVERGE_AUTO, 1, NULL },
	sm90_debug = { SASS(90_debug), HEDDLE_DIVERGE_AUTO, 1, NULL },
	sm90_threads = { SASS(90), HEDDLE_DIVERGE_AUTO, 4, NULL },
	sm90_timed = { SASS(90), HEDDLE_DIVERGE_AUTO, 1, "h200" },
	sm90_traced = { SASS(90), HEDDLE_DIVERGE_AUTO, 1, "h200" },
	sm75_foreign = { SASS(75), HEDDLE_DIVERGE_AUTO, 1, "qv100" },
	sm80_foreign = { SASS(80), HEDDLE_DIVERGE_AUTO, 1, "a100" },
	sm90_foreign = { SASS(90), HEDDLE_DIVERGE_AUTO, 1, "h200" };

/* The modes in which a program is run, by its column in programs.def. */
#define MODES_ANY(X, name) \
	MODES_PROGRESS(X, name) X(clang_stack, name) X(nvcc_stack, name)
#define MODES_PROGRESS(X, name) \
	X(clang, name)          \
	X(nvcc, name)           \
	X(clang_threads, name)  \
	X(nvcc_threads, name)   \
	X(clang_timed, name)    \
	X(nvcc_timed, name)     \
	X(clang_traced, name)   \
	X(nvcc_traced, name)    \
	X(sm75, name)           \
	X(sm80, name)           \
	X(sm90, name)           \
	X(sm90_debug, name)     \
	X(sm90_threads, name)   \
	X(sm90_timed, name)     \
	X(sm90_traced, name)    \
	X(sm75_foreign, name) X(sm80_foreign, name) X(sm90_foreign, name)

#define CHECK_OF(mode)                               \
	(strstr(#mode, "_traced")  ? check_traced :  \
	 strstr(#mode, "_foreign") ? check_foreign : \
				     check)
#define FUNCTION(mode, name)                                \
	static void mode##__##name(void)                    \
	{                                                   \
		CHECK_OF(mode)(#name, &mode, check_##name); \
	}
#define PROG(name, modes, what) MODES_##modes(FUNCTION, name)
#include "programs.def"

#define ROW(mode, name) { #mode, #name, mode##__##name },
const struct test_case test_list[] = {
#define PROG(name, modes, what) MODES_##modes(ROW, name)
#include "programs.def"
};
const int test_count = COUNT(test_list);
