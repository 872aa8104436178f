#include "door/cli/sweep_target.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "door/cli/clang.h"
#include "door/cli/exec_program.h"
#include "door/cli/program.h"
#include "door/cli/run.h"
#include "door/cli/text.h"

/*
 * Identity
 */

static void finish(char out[STORE_KEY_SIZE], struct sha256 *h)
{
	unsigned char digest[SHA256_BYTES];

	sha256_end(h, digest);
	store_hash(out, digest, sizeof(digest));
}

/* With its NUL, no text can run into the next. */
static void add_text(struct sha256 *h, const char *text)
{
	sha256_add(h, text, strlen(text) + 1);
}

static enum err add_file(struct sha256 *h, const char *path, struct diag *d)
{
	char bytes[65536];
	struct stat st;
	FILE *f = fopen(path, "rb");
	bool failed;
	size_t n;

	if (!f)
		return fail(d, ERR_IO, "cannot open '%.300s': %s", path,
			    strerror(errno));
	if (!fstat(fileno(f), &st))
		sha256_add(h, &st.st_size, sizeof(st.st_size));
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		sha256_add(h, bytes, n);
	failed = ferror(f);
	fclose(f);
	return failed ? fail(d, ERR_IO, "cannot read '%.300s': %s", path,
			     strerror(errno)) :
			ERR_OK;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* A word is what it says and, if it names a file, what is in it: "data.txt" of
 * a program, "x:f32[]=@data.npy" of `heddle run`. */
static enum err add_word(struct sha256 *h, const char *word, struct diag *d)
{
	const char *at = strchr(word, '@');

	add_text(h, word);
	if (is_file(word))
		return add_file(h, word, d);
	return at && is_file(at + 1) ? add_file(h, at + 1, d) : ERR_OK;
}

static enum err identify(struct sweep_target *t, const struct sweep_program *p,
			 struct diag *d)
{
	struct sha256 h;

	sha256_init(&h);
	add_text(&h, p->kind == SWEEP_EXEC ? "exec" : "run");
	add_text(&h, p->kernels ? p->kernels : "");
	add_text(&h, p->record ? "record" : "");
	if (add_file(&h, t->path[0] ? t->path : p->words[0], d))
		return d->code;
	for (size_t i = 1; i < p->word_count; i++)
		if (add_word(&h, p->words[i], d))
			return d->code;
	for (size_t i = 0; i < p->input_count; i++)
		if (add_file(&h, p->inputs[i], d))
			return d->code;
	t->identity.name = p->name;
	t->identity.command = p->command;
	finish(t->identity.hash, &h);
	return ERR_OK;
}

/*
 * Programs
 */

static enum err write_file(const char *path, const char *text, size_t size,
			   struct diag *d)
{
	FILE *f = fopen(path, "wb");
	bool whole = f && fwrite(text, 1, size, f) == size;

	if (f && fclose(f))
		whole = false;
	return whole ? ERR_OK :
		       fail(d, ERR_IO, "cannot write '%.300s': %s", path,
			    strerror(errno));
}

/* A source is compiled once, not at every point. */
static int prepare_run(struct sweep_target *t, const struct sweep_program *p,
		       unsigned sm, const char *folder, struct diag *d)
{
	char **argv = calloc(p->word_count, sizeof(*argv)), *ptx;
	char hash[STORE_KEY_SIZE];
	size_t size = 0;
	int code;

	if (!argv) {
		say_error("out of memory");
		return EXIT_INPUT;
	}
	memcpy(argv, p->words, p->word_count * sizeof(*argv));
	code = run_compile((int)p->word_count, argv, sm, &ptx, &size);
	free(argv);
	if (code >= 0 || !ptx)
		return code;
	store_hash(hash, ptx, size);
	snprintf(t->path, sizeof(t->path), "%s/%s.ptx", folder, hash);
	if (write_file(t->path, ptx, size, d)) {
		say_error("%s", d->text);
		code = EXIT_INPUT;
	}
	free(ptx);
	return code;
}

/* As `heddle exec` finds it. */
static int prepare_exec(struct sweep_target *t, const struct sweep_program *p,
			struct diag *d)
{
	struct exec_program found;
	char folder[CLANG_PATH_SIZE];

	if (clang_find_library(folder, d) ||
	    exec_program(&found, p->words[0], folder, d)) {
		say_error("%s", d->text);
		return EXIT_INPUT;
	}
	snprintf(t->path, sizeof(t->path), "%s", found.path);
	return -1;
}

int target_prepare(struct sweep_target *t, const struct sweep *s,
		   const struct sweep_program *p, unsigned sm,
		   const char *folder)
{
	struct diag d;
	int code = p->kind == SWEEP_RUN  ? prepare_run(t, p, sm, folder, &d) :
		   p->kind == SWEEP_EXEC ? prepare_exec(t, p, &d) :
					   -1;

	if (code >= 0) {
		fprintf(stderr, "heddle: in program '%s' of the sweep\n",
			p->name);
		return code;
	}
	snprintf(t->threads, sizeof(t->threads), "%u", s->threads);
	if (identify(t, p, &d)) {
		say_error("program '%s': %s", p->name, d.text);
		return EXIT_INPUT;
	}
	return -1;
}

/*
 * Command lines
 */

static enum err add_all(struct words *to, const char *const *words, size_t n,
			struct diag *d)
{
	for (size_t i = 0; i < n; i++)
		if (words_add(to, words[i], d))
			return d->code;
	return ERR_OK;
}

#define ADD(...)                                               \
	add_all(argv, (const char *const[]){ __VA_ARGS__ },    \
		sizeof((const char *const[]){ __VA_ARGS__ }) / \
			sizeof(const char *),                  \
		d)

static enum err add_engine(struct words *argv, const struct sweep *s,
			   const struct sweep_target *t, struct diag *d)
{
	if (s->engine && ADD("--engine", s->engine))
		return d->code;
	return s->threads ? ADD("--threads", t->threads) : ERR_OK;
}

enum err target_record(struct words *argv, struct sweep_target *t,
		       const struct sweep_program *p, const char *self,
		       const char *config, const char *folder, struct diag *d)
{
	const char *program = t->path[0] ? t->path : p->words[0];

	snprintf(t->trace, sizeof(t->trace), "%.*s/%s.trace", PATH_MAX - 64,
		 folder, t->identity.hash);
	argv->count = 0;
	if (p->kind == SWEEP_EXEC) {
		/* The program sees the baseline's properties. */
		if (ADD(self, "exec", "--quiet", "--gpu", config,
			"--functional", "--record", t->trace, "--",
			p->words[0]))
			return d->code;
	} else if (ADD(self, "run", program, "--quiet", "--record", t->trace)) {
		return d->code;
	}
	if (add_all(argv, p->words + 1, p->word_count - 1, d))
		return d->code;
	return words_add(argv, NULL, d);
}

enum err target_command(struct words *argv, const struct sweep *s,
			const struct sweep_program *p,
			const struct sweep_target *t, const char *self,
			const char *config, const char *out, struct diag *d)
{
	const char *program = t->path[0] ? t->path : p->words[0];

	argv->count = 0;
	if (t->trace[0]) {
		if (ADD(self, "run", t->trace, "--quiet", "--gpu", config,
			"--json", out) ||
		    add_engine(argv, s, t, d))
			return d->code;
		return words_add(argv, NULL, d);
	}
	if (p->kind == SWEEP_EXEC) {
		if (ADD(self, "exec", "--quiet", "--gpu", config, "--out",
			out) ||
		    add_engine(argv, s, t, d) ||
		    (p->kernels && ADD("--kernels", p->kernels)) ||
		    ADD("--", p->words[0]))
			return d->code;
	} else if (ADD(self, "run", program, "--quiet", "--gpu", config,
		       "--json", out) ||
		   add_engine(argv, s, t, d)) {
		return d->code;
	}
	if (add_all(argv, p->words + 1, p->word_count - 1, d))
		return d->code;
	return words_add(argv, NULL, d);
}

/*
 * Who simulates
 */

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* All libraries of the folder, by name. */
static enum err add_folder(struct sha256 *h, const char *folder, struct diag *d)
{
	struct dirent **names = NULL;
	int n = scandir(folder, &names, visible, alphasort);
	enum err e = ERR_OK;

	for (int i = 0; i < n; i++) {
		char path[CLANG_PATH_SIZE + 300];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (!e && is_file(path))
			e = add_file(h, path, d);
		free(names[i]);
	}
	free(names);
	return e;
}

enum err target_version(char version[VERSION_SIZE], char self[PATH_MAX],
			struct diag *d)
{
	char folder[CLANG_PATH_SIZE], hash[STORE_KEY_SIZE];
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
	struct sha256 h;
	struct diag none;

	if (n < 0)
		return fail(d, ERR_IO, "cannot find this program: %s",
			    strerror(errno));
	self[n] = '\0';
	sha256_init(&h);
	if (add_file(&h, self, d))
		return d->code;
	/* Without them nothing can be executed, which is said then. */
	if (!clang_find_library(folder, &none) && add_folder(&h, folder, d))
		return d->code;
	finish(hash, &h);
	snprintf(version, VERSION_SIZE, "%s+%.12s", HEDDLE_VERSION, hash);
	return ERR_OK;
}
