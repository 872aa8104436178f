#define _GNU_SOURCE /* dladdr */
#include "door/opencl/compile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "door/common/cache.h"
#include "door/common/process.h"
#include "door/opencl/called.h"
#include "door/opencl/generic.h"
#include "door/opencl/tool.h"

/* What differs from one kind of GPU to the other. */
static const struct isa_tools {
	const char *triple, *libclc;
	const char *units[7]; /* of device/, up to NULL */
} tools[] = {
	[DEVICE_PTX] = { "nvptx64--nvidiacl",
			 "nvptx64--nvidiacl.bc",
			 { "ptx.c", "atomic.c", "print.c", "image.c",
			   "native.cl", "lacking.cl" } },
	[DEVICE_GCN] = { "amdgcn--amdhsa",
			 "amdgcn--amdhsa.bc",
			 { "print.c", "image.c", "lacking.cl" } },
};

struct clang_tools {
	char clang[PATH_MAX];
	char device[PATH_MAX]; /* the folder of device/ */
	char libclc[PATH_MAX];
	char cpu[16];
	struct tool_folder folder;
};

/*
 * Finding
 */

static enum err find_clang(char out[PATH_MAX], struct diag *d)
{
	static const char *const names[] = { "clang",    "clang-19", "clang-18",
					     "clang-17", "clang-16", "clang-15",
					     "clang-14" };
	const char *env = getenv("HEDDLE_CLANG");

	if (env && *env)
		return process_find(out, env) ?
			       ERR_OK :
			       fail(d, ERR_IO,
				    "compiler '%.200s' (from $HEDDLE_CLANG) not "
				    "found; expected clang 14 or newer",
				    env);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (process_find(out, names[i]))
			return ERR_OK;
	return fail(d, ERR_IO,
		    "OpenCL C needs clang 14 or newer, which is not in PATH: "
		    "install the packages 'clang' and 'libclc-VERSION' of its "
		    "version, or set $HEDDLE_CLANG");
}

static enum err find_libclc(char out[PATH_MAX], const char *name,
			    struct diag *d)
{
	static const char *const folders[] = { "/usr/lib/clc", "/usr/share/clc",
					       "/usr/lib64/clc",
					       "/usr/local/lib/clc",
					       "/usr/local/share/clc" };
	const char *env = getenv("HEDDLE_LIBCLC");

	if (env && *env) {
		snprintf(out, PATH_MAX, "%.4000s/%s", env, name);
		return !access(out, R_OK) ?
			       ERR_OK :
			       fail(d, ERR_IO,
				    "$HEDDLE_LIBCLC is '%.200s', which does not "
				    "hold %s",
				    env, name);
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(out, PATH_MAX, "%s/%s", folders[i], name);
		if (!access(out, R_OK))
			return ERR_OK;
	}
	return fail(d, ERR_IO,
		    "OpenCL C needs libclc, whose %s is not in /usr/lib/clc: "
		    "install the package libclc-VERSION of clang's version "
		    "(libclc-14 for clang 14), or set $HEDDLE_LIBCLC to its "
		    "folder",
		    name);
}

/* Looks in the folders above this library: PREFIX/lib/TRIPLE/heddle/cuda. */
static enum err find_device(char out[PATH_MAX], struct diag *d)
{
	const char *env = getenv("HEDDLE_OPENCL_DEVICE");
	char path[PATH_MAX], probe[PATH_MAX + 64];
	Dl_info info;

	if (env && *env) {
		snprintf(out, PATH_MAX, "%s", env);
		return ERR_OK;
	}
	if (!dladdr((const void *)tools, &info) || !info.dli_fname ||
	    !realpath(info.dli_fname, path))
		path[0] = '\0';
	for (int up = 0; up < 6 && strrchr(path, '/'); up++) {
		*strrchr(path, '/') = '\0';
		snprintf(probe, sizeof(probe), "%s/share/heddle/opencl", path);
		if (access(probe, R_OK) || strlen(probe) >= PATH_MAX)
			continue;
		memcpy(out, probe, strlen(probe) + 1);
		return ERR_OK;
	}
	return fail(d, ERR_IO,
		    "cannot find share/heddle/opencl near libheddle_opencl.so; "
		    "name that folder with $HEDDLE_OPENCL_DEVICE");
}

/* The architecture to compile for: the highest that is at most `sm` and that every
 * clang from 14 on knows. */
static unsigned known_sm(unsigned sm)
{
	static const unsigned known[] = { 80, 75, 72, 70, 62, 61, 60,
					  53, 52, 50, 37, 35, 30, 20 };
	size_t i = 0;

	while (sm < known[i] && known[i] != 20)
		i++;
	return known[i];
}

static enum err compiler_find(struct clang_tools *c,
			      const struct compile_target *t, struct diag *d)
{
	if (find_clang(c->clang, d) ||
	    find_libclc(c->libclc, tools[t->isa].libclc, d) ||
	    find_device(c->device, d))
		return d->code;
	if (t->isa == DEVICE_GCN)
		snprintf(c->cpu, sizeof(c->cpu), "tahiti");
	else
		snprintf(c->cpu, sizeof(c->cpu), "sm_%u", known_sm(t->sm));
	return tool_folder_make(&c->folder, d);
}

/*
 * Command lines
 */

static void put_path(struct word_list *w, const struct clang_tools *c,
		     const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", c->folder.path, name);
	words_put(w, path);
}

static void put_cc1(struct word_list *w, const char *word)
{
	words_put(w, "-Xclang");
	words_put(w, word);
}

static struct word_list begin(const struct clang_tools *c,
			      const struct compile_target *t, const char *level)
{
	struct word_list w = { 0 };

	words_put(&w, c->clang);
	words_put(&w, "-target");
	words_put(&w, tools[t->isa].triple);
	put_cc1(&w, "-target-cpu");
	put_cc1(&w, c->cpu);
	if (t->isa == DEVICE_PTX) {
		put_cc1(&w, "-target-feature");
		put_cc1(&w, "+ptx72");
	} else {
		words_put(&w, "-nogpulib");
	}
	words_put(&w, level);
	return w;
}

/* Without optimisation, clang 14 fails on pointers to local memory in PTX. */
static const char *level(const struct compile_job *j)
{
	return j->options->unoptimized ? "-O1" : "-O2";
}

static enum err run_and_drop(struct word_list *w, struct text *log,
			     struct diag *d)
{
	enum err e = tool_run(w, log, d);

	words_drop(w);
	return e;
}

static enum err read_blob(const struct clang_tools *c, const char *name,
			  struct blob *out, struct diag *d)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", c->folder.path, name);
	return tool_read(path, &out->at, &out->size, d);
}

/*
 * The units of device/
 */

static bool is_opencl_c(const char *unit)
{
	return strstr(unit, ".cl") != NULL;
}

static enum err unit_compile(const struct clang_tools *c,
			     const struct compile_target *t, const char *unit,
			     const char *to, struct diag *d)
{
	struct word_list w = begin(c, t, "-O2");
	struct text log = { 0 };
	char from[PATH_MAX + 64];
	enum err e;

	snprintf(from, sizeof(from), "%s/%s", c->device, unit);
	/* The header: a function defined here hides the compiler's own
	 * declarations of its other overloads. */
	words_put_all(
		&w, is_opencl_c(unit) ?
			    (const char *const[]){ "-x", "cl", "-cl-std=CL1.2",
						   "-cl-no-stdinc", "-Xclang",
						   "-finclude-default-header",
						   NULL } :
			    (const char *const[]){ "-x", "c", "-std=gnu11",
						   "-ffreestanding", NULL });
	words_put_all(&w, (const char *const[]){ "-emit-llvm", "-c", "-o", to,
						 from, NULL });
	e = run_and_drop(&w, &log, d);
	if (e)
		fail(d, ERR_IO, "cannot compile %s: %.300s", from,
		     log.at ? log.at : "");
	text_free(&log);
	return e;
}

/* Names what the result depends on: the compiler and the sources. */
static enum err unit_digest(const struct clang_tools *c, const char *unit,
			    char out[2 * SHA256_BYTES + 1], struct diag *d)
{
	static const char *const files[] = { "common.h", "image.h" };
	unsigned char digest[SHA256_BYTES];
	char path[PATH_MAX + 64];
	struct sha256 s;
	struct stat st;

	sha256_init(&s);
	for (size_t i = 0; i < 3; i++) {
		char *text;
		size_t size;

		snprintf(path, sizeof(path), "%s/%s", c->device,
			 i < 2 ? files[i] : unit);
		if (tool_read(path, &text, &size, d))
			return d->code;
		sha256_add(&s, text, size);
		free(text);
	}
	if (!stat(c->clang, &st)) {
		sha256_add(&s, &st.st_mtim, sizeof(st.st_mtim));
		sha256_add(&s, &st.st_size, sizeof(st.st_size));
	}
	sha256_add(&s, c->clang, strlen(c->clang) + 1);
	sha256_add(&s, c->cpu, strlen(c->cpu));
	sha256_end(&s, digest);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
	return ERR_OK;
}

/* Finds the unit's bitcode, in the cache or in our folder. A file appears in the
 * cache when it is complete. */
static enum err unit_find(const struct clang_tools *c,
			  const struct compile_target *t, const char *unit,
			  char out[PATH_MAX + 256], struct diag *d)
{
	char digest[2 * SHA256_BYTES + 1], cache[PATH_MAX], own[PATH_MAX + 64];

	if (unit_digest(c, unit, digest, d))
		return d->code;
	snprintf(own, sizeof(own), "%s/%s.bc", c->folder.path, unit);
	if (!cache_folder(cache, "opencl", 200)) {
		memcpy(out, own, sizeof(own));
		return unit_compile(c, t, unit, own, d);
	}
	snprintf(out, PATH_MAX + 256, "%s/%s-%s.bc", cache, unit, digest);
	if (!access(out, R_OK))
		return ERR_OK;
	snprintf(own, sizeof(own), "%.4000s/%s.%ld.tmp", cache,
		 strrchr(c->folder.path, '/') + 1, (long)getpid());
	if (unit_compile(c, t, unit, own, d))
		return d->code;
	if (rename(own, out))
		return fail(d, ERR_IO, "cannot write %.300s", out);
	return ERR_OK;
}

/*
 * The two steps
 */

static const char prelude_name[] = "prelude.h";

static enum err write_sources(const struct compile_job *j,
			      const struct clang_tools *c, struct diag *d)
{
	char name[PATH_MAX];

	for (size_t i = 0; i < j->header_count; i++) {
		const struct program_header *h = &j->headers[i];

		if (h->name[0] == '/' || strstr(h->name, ".."))
			return fail(d, ERR_SYNTAX,
				    "the header name '%.200s' leads out of the "
				    "program",
				    h->name);
		snprintf(name, sizeof(name), "include/%.3000s", h->name);
		if (tool_write(&c->folder, name, h->text, strlen(h->text), d))
			return d->code;
	}
	return tool_write(&c->folder, j->name, j->source, strlen(j->source), d);
}

static bool mentions_printf(const struct compile_job *j)
{
	bool found = strstr(j->source, "printf") != NULL ||
		     strstr(j->source, "#include") != NULL;

	for (size_t i = 0; !found && i < j->header_count; i++)
		found = strstr(j->headers[i].text, "printf") != NULL;
	return found;
}

/* The log names the program, not our folder. */
static void log_shorten(struct text *log, const struct clang_tools *c)
{
	char prefix[PATH_MAX + 16];
	size_t n;

	n = (size_t)snprintf(prefix, sizeof(prefix), "%s/", c->folder.path);
	for (char *p = log->at; p && (p = strstr(p, prefix));) {
		memmove(p, p + n, strlen(p + n) + 1);
		log->size -= n;
	}
}

/* Lines are those of the program, not of a file in our folder. */
static void put_prefix_map(struct word_list *w, const struct clang_tools *c)
{
	char option[PATH_MAX + 64];

	snprintf(option, sizeof(option),
		 "-fdebug-prefix-map=%s/=", c->folder.path);
	words_put(w, option);
}

/* What programs find defined is what the device says it has. */
static void put_extensions(struct word_list *w)
{
	const char *p = device_extensions();
	struct text t = { 0 };

	text_printf(&t, "-cl-ext=-all,+__opencl_c_fp64,+__opencl_c_images,"
			"+__opencl_c_3d_image_writes");
	for (size_t n; *p; p += n + (p[n] == ' ')) {
		n = strcspn(p, " ");
		text_printf(&t, ",+%.*s", (int)n, p);
	}
	w->bad |= t.bad;
	if (!t.bad)
		put_cc1(w, t.at);
	text_free(&t);
}

/* What is optional in OpenCL C 3.0, and defined by nobody else. */
static void put_features(struct word_list *w, const struct options *o)
{
	static const char *const features[] = {
		"-D__opencl_c_atomic_order_acq_rel=1",
		"-D__opencl_c_atomic_order_seq_cst=1",
		"-D__opencl_c_atomic_scope_device=1",
		"-D__opencl_c_atomic_scope_all_devices=1", NULL
	};

	for (char *const *p = o->clang.at; p && *p; p++)
		if (!strcmp(*p, "-cl-std=CL3.0"))
			words_put_all(w, features);
}

static enum err source_run(struct compile_job *j, const struct clang_tools *c,
			   struct diag *d)
{
	struct word_list w = begin(c, &j->target, level(j));
	char prelude[PATH_MAX + 64];

	snprintf(prelude, sizeof(prelude), "%s/%s", c->device, prelude_name);
	words_put_all(
		&w,
		(const char *const[]){
			"-x", "cl", "-cl-std=CL1.2", "-cl-kernel-arg-info",
			"-gline-directives-only", "-fno-color-diagnostics",
			"-Wno-unused-command-line-argument",
			"-Wno-atomic-alignment", "-include", prelude, NULL });
	put_extensions(&w);
	put_features(&w, j->options);
	put_prefix_map(&w, c);
	words_put(&w, "-fdebug-compilation-dir=.");
	if (j->target.incoherent)
		words_put(&w, "-DHEDDLE_INCOHERENT");
	if (mentions_printf(j))
		words_put(&w, "-DHEDDLE_PRINTF");
	words_put(&w, "-I");
	put_path(&w, c, "include");
	words_put_all(&w, j->options->clang.at ?
				  (const char *const *)j->options->clang.at :
				  (const char *const[]){ NULL });
	put_cc1(&w, "-disable-llvm-passes");
	words_put_all(&w,
		      (const char *const[]){ "-emit-llvm", "-c", "-o", NULL });
	put_path(&w, c, "program.bc");
	put_path(&w, c, j->name);
	return run_and_drop(&w, &j->log, d);
}

enum err compile_source(struct compile_job *j, struct diag *d)
{
	struct clang_tools c;
	enum err e = compiler_find(&c, &j->target, d);

	if (e)
		return e;
	e = write_sources(j, &c, d);
	if (!e)
		e = source_run(j, &c, d);
	log_shorten(&j->log, &c);
	if (!e)
		e = read_blob(&c, "program.bc", &j->out, d);
	tool_folder_remove(&c.folder);
	return e;
}

/* Links everything into the text of intermediate code. alone: nobody calls a function
 * that is no kernel from outside. */
static enum err link_run(struct compile_job *j, const struct clang_tools *c,
			 bool alone, struct diag *d)
{
	struct word_list w = begin(c, &j->target, level(j));
	const char *const *units = tools[j->target.isa].units;
	char path[PATH_MAX + 256];
	enum err e = ERR_OK;

	words_put_all(&w, (const char *const[]){ "-x", "cl", "-cl-std=CL1.2",
						 "-fno-color-diagnostics",
						 "/dev/null", NULL });
	if (alone)
		words_put_all(&w,
			      (const char *const[]){
				      "-mllvm", "-amdgpu-internalize-symbols",
				      NULL });
	for (size_t i = 0; !e && i < j->object_count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "object%zu.bc", i);
		e = tool_write(&c->folder, name, j->objects[i].at,
			       j->objects[i].size, d);
		put_cc1(&w, "-mlink-bitcode-file");
		words_put(&w, "-Xclang");
		put_path(&w, c, name);
	}
	for (; !e && *units; units++) {
		e = unit_find(c, &j->target, *units, path, d);
		put_cc1(&w, "-mlink-builtin-bitcode");
		put_cc1(&w, path);
	}
	put_cc1(&w, "-mlink-builtin-bitcode");
	put_cc1(&w, c->libclc);
	words_put_all(&w,
		      (const char *const[]){ "-emit-llvm", "-S", "-o", NULL });
	put_path(&w, c, "linked.ll");
	if (e) {
		words_drop(&w);
		return e;
	}
	return run_and_drop(&w, &j->log, d);
}

/* A function that nobody defines is an error here, not in a launch. */
static enum err link_check(struct compile_job *j, const char *ir,
			   struct diag *d)
{
	bool missing = false;

	for (const char *p = ir; (p = strstr(p, "\ndeclare "));) {
		const char *end, *name = strchr(++p, '@');

		end = strchr(p, '\n');
		if (!end)
			break;
		if (!name || name > end || !strncmp(name, "@llvm.", 6))
			continue;
		text_printf(&j->log, "error: undefined function '%.*s'\n",
			    (int)strcspn(name + 1, "("), name + 1);
		missing = true;
	}
	return missing ? fail(d, ERR_SYNTAX, "undefined functions") : ERR_OK;
}

static enum err link_called(const struct compile_job *j,
			    const struct clang_tools *c, const char *ir,
			    struct diag *d)
{
	struct text changed = { 0 };
	enum err e = ERR_OK;

	if (called_kernels_copy(&changed, ir, &j->meta))
		e = changed.bad ? fail(d, ERR_NOMEM, "out of memory") :
				  tool_write(&c->folder, "linked.ll",
					     changed.at, changed.size, d);
	text_free(&changed);
	return e;
}

static enum err code_run(struct compile_job *j, const struct clang_tools *c,
			 struct diag *d)
{
	struct word_list w = begin(c, &j->target, level(j));
	bool text = j->target.isa == DEVICE_PTX;

	put_cc1(&w, "-disable-llvm-passes");
	words_put_all(&w, (const char *const[]){ "-Wno-override-module", "-x",
						 "ir", NULL });
	put_path(&w, c, "linked.ll");
	words_put_all(&w,
		      (const char *const[]){ text ? "-S" : "-c", "-o", NULL });
	put_path(&w, c, "code");
	return run_and_drop(&w, &j->log, d);
}

/* The compiler marks calls for debuggers, in the middle of a statement, where PTX
 * has no labels. */
static void code_strip(struct blob *b)
{
	char *to = b->at;

	for (char *p = b->at; *p;) {
		size_t n = strcspn(p, "\n"), digits = 0;

		n += p[n] != '\0';
		if (!strncmp(p, "Ltmp", 4))
			digits = strspn(p + 4, "0123456789");
		if (!digits || strncmp(p + 4 + digits, ":\n", 2) != 0) {
			memmove(to, p, n);
			to += n;
		}
		p += n;
	}
	*to = '\0';
	b->size = (size_t)(to - b->at);
}

/* Makes the code once more, of kernels and what they call: a function that was put where
 * it is called may need generic pointers only where nobody calls it. */
static enum err code_again(struct compile_job *j, const struct clang_tools *c,
			   struct diag *d)
{
	struct blob ir = { 0 };
	enum err e = link_run(j, c, true, d);

	if (!e)
		e = read_blob(c, "linked.ll", &ir, d);
	if (!e)
		e = link_called(j, c, ir.at, d);
	if (!e)
		e = code_run(j, c, d);
	free(ir.at);
	return e;
}

static enum err code_make(struct compile_job *j, const struct clang_tools *c,
			  struct diag *d)
{
	size_t before = j->log.size;
	enum err e = code_run(j, c, d);

	if (!e || j->target.isa != DEVICE_GCN || !generic_explain(&j->log))
		return e;
	j->log.size = before;
	j->log.at[before] = '\0';
	e = code_again(j, c, d);
	if (e)
		generic_explain(&j->log);
	return e;
}

enum err compile_link(struct compile_job *j, struct diag *d)
{
	struct clang_tools c;
	struct blob ir = { 0 };
	enum err e = compiler_find(&c, &j->target, d);

	if (e)
		return e;
	e = link_run(j, &c, false, d);
	if (!e)
		e = read_blob(&c, "linked.ll", &ir, d);
	if (!e)
		e = link_check(j, ir.at, d);
	if (!e)
		e = meta_read_ir(&j->meta, ir.at, d);
	if (!e)
		e = link_called(j, &c, ir.at, d);
	if (!e)
		e = code_make(j, &c, d);
	if (!e)
		e = read_blob(&c, "code", &j->out, d);
	if (!e && j->target.isa == DEVICE_PTX)
		code_strip(&j->out);
	free(ir.at);
	log_shorten(&j->log, &c);
	tool_folder_remove(&c.folder);
	return e;
}
