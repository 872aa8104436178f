/*
 * Compiling PTX with a ptxas of our own: a script that counts its calls and
 * copies a cubin.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "door/common/isa_choice.h"
#include "door/common/ptxas.h"
#include "test.h"

static char folder[64];

static void write_text(const char *name, const char *text, int mode)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	OK(f);
	fputs(text, f);
	fclose(f);
	OK(!chmod(path, (mode_t)mode));
}

/* A script that does `what` after it has counted the call. */
static void write_ptxas(const char *what)
{
	char text[1024], path[128];

	snprintf(text, sizeof(text),
		 "#!/bin/sh\n"
		 "[ \"$1\" = --version ] && { echo V1.2; exit; }\n"
		 "echo \"$1 $2\" >>%s/calls\n"
		 "in=$3 out=$5\n"
		 "%s\n",
		 folder, what);
	write_text("ptxas", text, 0755);
	snprintf(path, sizeof(path), "%s/ptxas", folder);
	setenv("HEDDLE_PTXAS", path, 1);
}

static char copy_fixture[600];

static void setup(void)
{
	snprintf(folder, sizeof(folder), "/tmp/heddle-test-XXXXXX");
	OK(mkdtemp(folder));
	setenv("XDG_CACHE_HOME", folder, 1);
	snprintf(copy_fixture, sizeof(copy_fixture),
		 "cat '%s/tests/unit/data/cubin/parts_90.cubin' >$out",
		 HEDDLE_SOURCE_DIR);
	write_ptxas(copy_fixture);
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	OK(!system(command));
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HEDDLE_PTXAS");
}

/* Calls so far, without those for the version. */
static int calls(void)
{
	char path[128], line[128];
	int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/calls", folder);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		n++;
	if (f)
		fclose(f);
	return n;
}

/* Files in the cache; *other: of them, those that are not results. */
static int kept(int *other, char last[300])
{
	char path[128];
	struct dirent *e;
	int n = 0;
	DIR *dir;

	*other = 0;
	snprintf(path, sizeof(path), "%s/heddle/ptxas", folder);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		n++;
		*other += strlen(e->d_name) != 64 + strlen(".cubin");
		snprintf(last, 300, "%s/%.100s", path, e->d_name);
	}
	if (dir)
		closedir(dir);
	return n;
}

static enum err compile(const char *text, unsigned sm, struct diag *d)
{
	struct ptxas_source s = { "k.ptx", text, strlen(text), sm, 0 };
	size_t size = 0;
	void *cubin;
	enum err e = ptxas_compile(&s, &cubin, &size, d);

	if (!e) {
		EQ(9768, size);
		OK(!memcmp(cubin, "\177ELF", 4));
		free(cubin);
	}
	return e;
}

TEST(ptxas, a_result_is_computed_once)
{
	char last[300];
	struct diag d;
	int other;

	setup();
	EQ(ERR_OK, compile("one", 90, &d));
	EQ(1, calls());
	EQ(ERR_OK, compile("one", 90, &d));
	EQ(1, calls());
	EQ(ERR_OK, compile("two", 90, &d));
	EQ(2, calls());
	EQ(ERR_OK, compile("one", 80, &d));
	EQ(3, calls());
	EQ(3, kept(&other, last));
	EQ(0, other);
	/* A file that is cut is made again. */
	OK(!truncate(last, 5000));
	EQ(ERR_OK, compile("one", 90, &d));
	EQ(ERR_OK, compile("two", 90, &d));
	EQ(ERR_OK, compile("one", 80, &d));
	EQ(4, calls());
	teardown();
}

TEST(ptxas, a_refusal_names_the_module_and_leaves_nothing)
{
	char last[300];
	struct diag d;
	int other;

	setup();
	write_ptxas("echo \"ptxas $in, line 3; fatal : no such thing\" >&2\n"
		    "echo more; exit 255");
	EQ(ERR_SYNTAX, compile("one", 90, &d));
	STREQ("k.ptx: ptxas -arch=sm_90: ptxas k.ptx, line 3; fatal : no such "
	      "thing",
	      d.text);
	EQ(0, kept(&other, last));
	/* It claims success and has written half of it. */
	write_ptxas("printf '\\177ELF' >$out");
	EQ(ERR_SYNTAX, compile("one", 90, &d));
	EQ(0, kept(&other, last));
	write_ptxas("kill -9 $$");
	EQ(ERR_SYNTAX, compile("one", 90, &d));
	OK(strstr(d.text, "without a message"));
	teardown();
}

TEST(ptxas, a_missing_one_is_explained)
{
	char *path = strdup(getenv("PATH"));
	struct diag d;

	setup();
	setenv("HEDDLE_PTXAS", "/nowhere/ptxas", 1);
	EQ(ERR_UNKNOWN, compile("one", 90, &d));
	OK(strstr(d.text, "HEDDLE_PTXAS=/nowhere/ptxas"));
	unsetenv("HEDDLE_PTXAS");
	unsetenv("CUDA_HOME");
	setenv("PATH", "/nowhere::", 1);
	EQ(ERR_UNKNOWN, compile("one", 90, &d));
	OK(strstr(d.text, "CUDA toolkit") && strstr(d.text, "--isa ptx"));
	/* In PATH, and in CUDA's folder. */
	setenv("PATH", folder, 1);
	write_ptxas("/bin/true");
	unsetenv("HEDDLE_PTXAS");
	EQ(ERR_SYNTAX, compile("one", 90, &d));
	setenv("PATH", path, 1);
	free(path);
	teardown();
}

TEST(ptxas, without_a_cache_it_still_compiles)
{
	struct diag d;

	setup();
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	setenv("TMPDIR", folder, 1);
	EQ(ERR_OK, compile("one", 90, &d));
	EQ(ERR_OK, compile("one", 90, &d));
	EQ(2, calls());
	/* Nothing is left. */
	char command[200];
	snprintf(command, sizeof(command), "ls -d %s/heddle-* 2>/dev/null",
		 folder);
	OK(system(command));
	unsetenv("TMPDIR");
	teardown();
}

TEST(ptxas, processes_may_share_the_cache)
{
	char last[300], slow[700];
	struct diag d;
	int other, status;

	setup();
	snprintf(slow, sizeof(slow), "sleep 0.1; %s", copy_fixture);
	write_ptxas(slow);
	for (int i = 0; i < 4; i++)
		if (!fork())
			_exit(compile("one", 90, &d) ? 1 : 0);
	for (int i = 0; i < 4; i++) {
		OK(wait(&status) > 0);
		EQ(0, status);
	}
	EQ(1, kept(&other, last));
	EQ(0, other);
	teardown();
}

TEST(ptxas, choices_of_the_instruction_set_have_names)
{
	enum isa_choice c;
	struct diag d;

	EQ(ERR_OK, isa_choice_read(&c, "sass", &d));
	EQ(ISA_SASS, c);
	EQ(ERR_OK, isa_choice_read(&c, "ptx", &d));
	EQ(ISA_PTX, c);
	EQ(ERR_OK, isa_choice_read(&c, "auto", &d));
	EQ(ISA_AUTO, c);
	EQ(ERR_UNKNOWN, isa_choice_read(&c, "SASS", &d));
	STREQ("expected auto, sass or ptx", d.text);
}
