#define _GNU_SOURCE
#include "door/common/ptxas.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf.h"
#include "base/sha256.h"
#include "door/common/cache.h"
#include "door/common/process.h"

enum {
	KEY_SIZE = 2 * SHA256_BYTES + 1,
	MAX_ARGUMENTS = 8,
	MESSAGE_SIZE = 2048, /* of ptxas: more is dropped */
	FILE_SIZE = PATH_MAX + KEY_SIZE + 16,
};

/* ---- finding it ---- */

static enum err find_ptxas(char out[PATH_MAX], struct diag *d)
{
	const char *named = getenv("HEDDLE_PTXAS");
	const char *home = getenv("CUDA_HOME");
	char path[PATH_MAX];

	if (named && *named) {
		/* A path, also without a slash. */
		snprintf(path, sizeof(path), "%s%s",
			 strchr(named, '/') ? "" : "./", named);
		if (process_find(out, path))
			return ERR_OK;
		return fail(d, ERR_UNKNOWN,
			    "HEDDLE_PTXAS=%.200s: not a program that can be "
			    "executed",
			    named);
	}
	if (process_find(out, "ptxas"))
		return ERR_OK;
	if (home && *home &&
	    snprintf(path, sizeof(path), "%s/bin/ptxas", home) < PATH_MAX &&
	    process_find(out, path))
		return ERR_OK;
	return fail(d, ERR_UNKNOWN,
		    "machine code of a program that has only PTX needs ptxas "
		    "of NVIDIA's CUDA toolkit, which is not in PATH or "
		    "$CUDA_HOME/bin: install it, or set HEDDLE_PTXAS to it, or "
		    "run the PTX with --isa ptx");
}

/* ---- running it ---- */

/* What it prints, as far as it fits. */
struct message {
	char *at;
	size_t room, used;
};

static void keep_message(void *ctx, const char *bytes, size_t size)
{
	struct message *m = ctx;
	size_t left = m->room - 1 - m->used;

	size = size < left ? size : left;
	memcpy(m->at + m->used, bytes, size);
	m->used += size;
}

static enum err run_child(char *const *argv, char *message, size_t room,
			  bool *ok, struct diag *d)
{
	struct message m = { .at = message, .room = room };
	enum err e = process_run(argv, keep_message, &m, ok, d);

	message[m.used] = '\0';
	return e;
}

/* ---- files ---- */

static enum err read_whole(const char *path, void **bytes, size_t *size,
			   struct diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	char *p = NULL;
	size_t n = 0;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		p = malloc((size_t)st.st_size + 1);
	while (p && n < (size_t)st.st_size) {
		ssize_t got = read(fd, p + n, (size_t)st.st_size - n);

		if (got <= 0 && !(got < 0 && errno == EINTR))
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (!p || n < (size_t)st.st_size) {
		free(p);
		return fail(d, ERR_IO, "cannot read '%.300s': %s", path,
			    strerror(errno));
	}
	*bytes = p;
	*size = n;
	return ERR_OK;
}

/* Whether all of a cubin is there. */
static bool is_whole(const void *bytes, size_t size)
{
	struct elf_part part;
	struct elf f;
	struct diag d;

	if (elf_open(&f, bytes, size, &d) || f.head.e_machine != EM_CUDA ||
	    !f.sections.count)
		return false;
	for (size_t i = 0; i < f.sections.count; i++)
		if (elf_part(&f, i, &part, &d))
			return false;
	return true;
}

static bool write_whole(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* ---- the folder of results ---- */

/* A folder for this time only. */
static bool passing_folder(char out[PATH_MAX])
{
	const char *base = getenv("TMPDIR");
	int n = snprintf(out, PATH_MAX, "%s/heddle-XXXXXX",
			 base && *base == '/' ? base : "/tmp");

	return n < PATH_MAX - 2 * KEY_SIZE && mkdtemp(out);
}

/* ---- compiling ---- */

/* One call of ptxas_compile. */
struct ptxas_job {
	const struct ptxas_source *s;
	char ptxas[PATH_MAX];
	char arch[24];
	char folder[PATH_MAX];
	bool passing; /* the folder */
	char key[KEY_SIZE];
	char kept[FILE_SIZE];
	/* In the folder, until the result is complete. */
	char in[FILE_SIZE], out[FILE_SIZE];
};

/* Lines of the source cost nothing. */
static const char lines_option[] = "-lineinfo";

static enum err make_key(struct ptxas_job *j, struct diag *d)
{
	static char version[MESSAGE_SIZE], of[PATH_MAX];
	unsigned char digest[SHA256_BYTES];
	struct sha256 h;
	bool ok = true;

	/* A process asks each ptxas once. */
	if (strcmp(of, j->ptxas) != 0) {
		char *const argv[] = { j->ptxas, "--version", NULL };
		enum err e = run_child(argv, version, sizeof(version), &ok, d);

		if (e)
			return e;
		if (!ok)
			return fail(d, ERR_IO, "'%.200s --version' fails",
				    j->ptxas);
		snprintf(of, sizeof(of), "%s", j->ptxas);
	}
	sha256_init(&h);
	sha256_add(&h, version, strlen(version) + 1);
	sha256_add(&h, j->arch, strlen(j->arch) + 1);
	sha256_add(&h, lines_option, sizeof(lines_option));
	sha256_add(&h, j->s->text, j->s->size);
	sha256_end(&h, digest);
	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(j->key + 2 * i, 3, "%02x", digest[i]);
	return ERR_OK;
}

/* Creates an empty file with a name of its own; returns it open, or -1. */
static int own_file(char name[FILE_SIZE], const char *folder,
		    const char *suffix)
{
	snprintf(name, FILE_SIZE, "%s/XXXXXX%s", folder, suffix);
	return mkostemps(name, (int)strlen(suffix), O_CLOEXEC);
}

static enum err write_input(struct ptxas_job *j, struct diag *d)
{
	int fd = own_file(j->in, j->folder, ".ptx.tmp");
	bool ok = fd >= 0 && write_whole(fd, j->s->text, j->s->size);

	if (fd >= 0 && close(fd))
		ok = false;
	if (!ok)
		return fail(d, ERR_IO, "cannot write '%.200s': %s", j->in,
			    strerror(errno));
	fd = own_file(j->out, j->folder, ".cubin.tmp");
	if (fd < 0)
		return fail(d, ERR_IO, "cannot write '%.200s': %s", j->out,
			    strerror(errno));
	close(fd);
	return ERR_OK;
}

/* ptxas names the file that it was given; the user knows another. */
static enum err refuse(const struct ptxas_job *j, char *message, struct diag *d)
{
	const char *file, *rest;

	message[strcspn(message, "\n")] = '\0';
	file = strstr(message, j->in);
	if (!file)
		return fail(d, ERR_SYNTAX, "%.100s: ptxas %s: %.300s",
			    j->s->name, j->arch,
			    *message ? message : "fails without a message");
	rest = file + strlen(j->in);
	return fail(d, ERR_SYNTAX, "%.100s: ptxas %s: %.*s%.100s%.250s",
		    j->s->name, j->arch, (int)(file - message), message,
		    j->s->name, rest);
}

static enum err run_ptxas(struct ptxas_job *j, void **cubin, size_t *size,
			  struct diag *d)
{
	char *const argv[MAX_ARGUMENTS] = {
		j->ptxas, j->arch, (char *)lines_option, j->in, "-o", j->out
	};
	char message[MESSAGE_SIZE];
	bool ok;
	enum err e = run_child(argv, message, sizeof(message), &ok, d);

	if (e)
		return e;
	if (!ok)
		return refuse(j, message, d);
	e = read_whole(j->out, cubin, size, d);
	if (e)
		return e;
	if (is_whole(*cubin, *size))
		return ERR_OK;
	free(*cubin);
	return refuse(j, message, d);
}

/* Looks for the result of an earlier call. */
static bool find_kept(struct ptxas_job *j, void **cubin, size_t *size)
{
	struct diag d;

	if (read_whole(j->kept, cubin, size, &d))
		return false;
	if (is_whole(*cubin, *size))
		return true;
	free(*cubin);
	return false;
}

static enum err compile_in_folder(struct ptxas_job *j, void **cubin,
				  size_t *size, struct diag *d)
{
	enum err e;

	snprintf(j->kept, sizeof(j->kept), "%s/%s.cubin", j->folder, j->key);
	if (!j->passing && find_kept(j, cubin, size))
		return ERR_OK;
	e = write_input(j, d);
	if (!e)
		e = run_ptxas(j, cubin, size, d);
	unlink(j->in);
	/* That it cannot be kept is no reason to fail. */
	if (e || j->passing || rename(j->out, j->kept))
		unlink(j->out);
	return e;
}

enum err ptxas_compile(const struct ptxas_source *s, void **cubin, size_t *size,
		       struct diag *d)
{
	struct ptxas_job j = { .s = s };
	char variant[2] = { s->variant };
	enum err e = find_ptxas(j.ptxas, d);

	snprintf(j.arch, sizeof(j.arch), "-arch=sm_%u%s", s->sm, variant);
	if (!e)
		e = make_key(&j, d);
	if (e)
		return e;
	j.passing = !cache_folder(j.folder, "ptxas", 2 * KEY_SIZE);
	if (j.passing && !passing_folder(j.folder))
		return fail(d, ERR_IO,
			    "no folder for the files of ptxas: neither "
			    "$XDG_CACHE_HOME, $HOME/.cache nor $TMPDIR can be "
			    "written");
	e = compile_in_folder(&j, cubin, size, d);
	if (j.passing)
		rmdir(j.folder);
	return e;
}
