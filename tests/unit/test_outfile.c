#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"

/* Runs a test in a folder of its own. */
struct scratch {
	char folder[32], before[4096];
};

static void enter(struct scratch *s)
{
	strcpy(s->folder, "/tmp/outfile-XXXXXX");
	EQ(true, getcwd(s->before, sizeof(s->before)) != NULL);
	EQ(true, mkdtemp(s->folder) != NULL);
	EQ(0, chdir(s->folder));
}

static void leave(const struct scratch *s)
{
	EQ(0, chdir(s->before));
	EQ(0, rmdir(s->folder)); /* nothing is left in it */
}

static void write_text(const char *path, const char *text, enum err result)
{
	struct outfile f;
	struct diag d;

	EQ(ERR_OK, outfile_open(&f, path, &d));
	fputs(text, f.to);
	EQ(result, outfile_close(&f, result, &d));
}

static void has_text(const char *path, const char *want)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");

	EQ(true, f != NULL);
	EQ(true, !f || fgets(text, sizeof(text), f));
	STREQ(want, text);
	if (f)
		fclose(f);
}

TEST(outfile, a_failure_keeps_the_earlier_file)
{
	struct scratch s;

	enter(&s);
	write_text("file", "one", ERR_OK);
	has_text("file", "one");
	write_text("file", "two", ERR_FAULT);
	has_text("file", "one");
	write_text("file", "three", ERR_OK);
	has_text("file", "three");
	EQ(0, unlink("file"));
	leave(&s);
}

/* Each has a name of its own, and none is there before it is complete. */
TEST(outfile, new_files_do_not_replace_others)
{
	struct outfile f[3];
	struct scratch s;
	struct diag d;

	enter(&s);
	write_text("file.2", "old", ERR_OK);
	for (int i = 0; i < 3; i++) {
		/* The temporary name has the number of the process. */
		EQ(ERR_OK, outfile_open(&f[i], "file", &d));
		fprintf(f[i].to, "new %d", i);
		EQ(i != 0, access("file", F_OK) == 0);
		EQ(ERR_OK, outfile_close_new(&f[i], ERR_OK, &d));
	}
	has_text("file", "new 0");
	has_text("file.2", "old");
	has_text("file.3", "new 1");
	has_text("file.4", "new 2");
	EQ(ERR_OK, outfile_open(&f[0], "file", &d));
	EQ(ERR_FAULT, outfile_close_new(&f[0], ERR_FAULT, &d));
	EQ(0, unlink("file") | unlink("file.2") | unlink("file.3") |
		      unlink("file.4"));
	leave(&s);
}

TEST(outfile, a_file_stays_in_the_folder_where_it_was_opened)
{
	struct outfile f;
	struct scratch s;
	struct diag d;

	enter(&s);
	EQ(ERR_OK, outfile_open(&f, "file", &d));
	fputs("text", f.to);
	EQ(0, chdir("/"));
	EQ(ERR_OK, outfile_close(&f, ERR_OK, &d));
	EQ(0, chdir(s.folder));
	has_text("file", "text");
	EQ(0, unlink("file"));
	leave(&s);
}

TEST(outfile, what_is_dropped_was_never_there)
{
	struct outfile f;
	struct scratch s;
	struct diag d;

	enter(&s);
	write_text("file", "one", ERR_OK);
	EQ(ERR_OK, outfile_open(&f, "file", &d));
	fputs("two", f.to);
	outfile_drop(&f);
	has_text("file", "one");
	EQ(0, unlink("file"));
	leave(&s);
}

TEST(outfile, a_check_creates_nothing)
{
	struct scratch s;
	struct diag d;

	enter(&s);
	EQ(ERR_OK, outfile_check("-", &d));
	EQ(ERR_OK, outfile_check("file", &d));
	EQ(ERR_IO, outfile_check("none/file", &d));
	STREQ("cannot create 'none/file': No such file or directory", d.text);
	EQ(ERR_IO, outfile_check(".", &d));
	STREQ("cannot create '.': Is a directory", d.text);
	leave(&s);
}

TEST(outfile, one_file_has_many_names)
{
	struct scratch s;

	enter(&s);
	EQ(0, mkdir("folder", 0777));
	EQ(0, symlink("folder/a", "link"));
	for (int exists = 0; exists < 2; exists++) {
		EQ(true, outfile_same("link", "folder/a"));
		EQ(true, outfile_same("folder/../folder/a", "./folder/a"));
		EQ(false, outfile_same("folder/a", "folder/b"));
		EQ(false, outfile_same("folder/a", "a"));
		write_text("link", "text", ERR_OK);
	}
	EQ(false, outfile_same("-", "-"));
	EQ(false, outfile_same("/dev/null", "/dev/null"));
	/* In folders that do not exist, names are only names. */
	EQ(false, outfile_same("nowhere/a", "nowhere/b"));
	EQ(false, outfile_same("nowhere/a", "b"));
	EQ(false, outfile_same("b", "nowhere/a"));
	EQ(0, unlink("link"));
	EQ(0, unlink("folder/a"));
	EQ(0, rmdir("folder"));
	leave(&s);
}
