/* Files without a name, the program's own file and its memory, numbers of files. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int initialized = 1;

static void say(const char *what, long result)
{
	printf("%s %ld%s%s\n", what, result, result < 0 ? " " : "",
	       result < 0 ? strerrorname_np(errno) : "");
}

/* What a file keeps that nobody can open. */
static void keeps(const char *what, int fd)
{
	char text[8] = "";
	struct stat s;
	char *m;

	if (fd < 0) {
		say(what, fd);
		return;
	}
	printf("%s\n", what);
	say("written", write(fd, "nobody", 6));
	say("longer", ftruncate(fd, 8192));
	m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	printf("%.6s\n", m);
	m[0] = 'N';
	m[4096] = '!';
	say("read", pread(fd, text, 6, 0));
	say("read", pread(fd, text + 6, 1, 4096));
	printf("%s\n", text);
	munmap(m, 8192);
	say("stat", fstat(fd, &s));
	printf("mode %o links %d size %ld\n", s.st_mode, (int)s.st_nlink,
	       (long)s.st_size);
}

static void nameless(void)
{
	int in = open("/tmp", O_TMPFILE | O_RDWR | O_EXCL, 0640);
	int memory = memfd_create("some", MFD_CLOEXEC);
	int named = open("named", O_CREAT | O_RDWR, 0600);
	struct stat a, b;
	FILE *f = tmpfile();
	int c;

	keeps("O_TMPFILE", in);
	keeps("memfd", memory);
	say("unlink", unlink("named"));
	keeps("unlinked", named);
	say("gone", open("named", O_RDWR));
	fputs("line\n", f);
	rewind(f);
	while ((c = fgetc(f)) != EOF)
		putchar(c);
	fclose(f);
	fstat(memory, &a);
	fstat(memfd_create("some", 0), &b);
	printf("another one: %d\n", a.st_ino != b.st_ino);
	fstat(dup(memory), &b);
	printf("the same: %d\n", a.st_ino == b.st_ino);
	say("read only", open("/tmp", O_TMPFILE | O_RDONLY, 0600));
	say("no folder", open("none", O_TMPFILE | O_RDWR, 0600));
	close(open("plain", O_CREAT | O_WRONLY, 0600));
	say("a file", open("plain", O_TMPFILE | O_RDWR, 0600));
	say("flags", memfd_create("some", 0x8000));
	say("name", memfd_create((char *)16, 0));
}

/* The program's own file, by the link and by what that says. */
static void itself(void)
{
	char path[4096] = "", head[4] = "", few[4] = "";
	struct stat a, b;
	int fd;

	say("few", readlink("/proc/self/exe", few, 1));
	printf("%s\n", few);
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		puts("no link");
	printf("%s\n", strrchr(path, '/') + 1);
	fd = open("/proc/self/exe", O_RDONLY);
	say("read", read(fd, head, 4));
	printf("%d\n", memcmp(head, "\177ELF", 4));
	say("stat", fstat(fd, &a));
	say("stat", stat(path, &b));
	printf("the same: %d %d\n", a.st_ino == b.st_ino,
	       a.st_size == b.st_size);
	say("stat", stat("/proc/self/exe", &b));
	printf("the same: %d\n", a.st_ino == b.st_ino);
	say("lstat", lstat("/proc/self/exe", &b));
	printf("a link: %d\n", S_ISLNK(b.st_mode));
	say("access", access("/proc/self/exe", R_OK));
	say("write", open("/proc/self/exe", O_RDWR));
	say("link", open("/proc/self/exe", O_RDONLY | O_NOFOLLOW));
}

/* The line of an address in the program's map. */
static void line_of(const char *what, const void *address)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long from, to, offset, number;
	char line[4352], allows[8], name[4096];

	while (f && fgets(line, sizeof(line), f)) {
		name[0] = '\0';
		if (sscanf(line, "%lx-%lx %7s %lx %*x:%*x %lu %4095[^\n]",
			   &from, &to, allows, &offset, &number, name) < 5)
			puts("not a line");
		if ((unsigned long)address - from >= to - from)
			continue;
		printf("%s: %s %s %d\n", what, allows,
		       strrchr(name, '/') ? strrchr(name, '/') + 1 : name,
		       number != 0);
	}
	fclose(f);
}

static void maps(void)
{
	char *page =
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *some = malloc(100);
	int local;

	line_of("code", (const void *)&maps);
	line_of("data", &initialized);
	line_of("heap", some);
	line_of("stack", &local);
	line_of("page", page);
	line_of("nothing", (void *)16);
	free(some);
}

/* Entries of a folder have the numbers of the files. */
static void numbers(const char *folder)
{
	DIR *d = opendir(folder);
	char path[512];
	struct stat s;
	int n = 0, same = 0;

	for (struct dirent *e; (e = readdir(d)); n++) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		same += !lstat(path, &s) && s.st_ino == e->d_ino;
	}
	closedir(d);
	printf("%s: %d of %d\n", folder, same, n);
}

int main(void)
{
	nameless();
	itself();
	maps();
	mkdir("folder", 0700);
	mkdir("folder/within", 0700);
	close(open("folder/plain", O_CREAT | O_WRONLY, 0600));
	numbers("folder");
	numbers("folder/within");
	rmdir("folder/within");
	unlink("folder/plain");
	rmdir("folder");
	unlink("plain");
	return 0;
}
