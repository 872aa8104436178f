/* Names, folders, copies of numbers, and memory that is given back. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(const char *folder)
{
	DIR *d = opendir(folder);
	char *name[32];
	int n = 0;

	for (struct dirent *e; (e = readdir(d)) && n < 32;)
		name[n++] = strdup(e->d_name);
	closedir(d);
	qsort(name, (size_t)n, sizeof(*name), by_name);
	for (int i = 0; i < n; i++)
		printf("%s\n", name[i]);
}

/* Prints what a call returned. */
static void say(long result)
{
	printf("%ld\n", result);
}

static void names(void)
{
	struct stat s;
	FILE *f;

	say(mkdir("d", 0755));
	say(mkdir("d/e", 0700));
	f = fopen("d/a", "w");
	for (int i = 0; i < 100; i++)
		fprintf(f, "line %d\n", i);
	fclose(f);
	say(rename("d/a", "d/b"));
	say(access("d/a", F_OK));
	say(access("d/b", R_OK));
	say(truncate("d/b", 5000));
	say(stat("d/b", &s));
	say((long)s.st_size);
	list("d");
	say(chdir("d"));
	say(access("b", F_OK));
	say(renameat(AT_FDCWD, "b", AT_FDCWD, "e/c"));
	say(rmdir("e"));
	say(errno == ENOTEMPTY);
	say(chdir(".."));
	say(unlinkat(AT_FDCWD, "d/e/c", 0));
	say(unlinkat(AT_FDCWD, "d/e", AT_REMOVEDIR));
	say(rmdir("d"));
	say(rmdir("d"));
	say(errno == ENOENT);
}

static void numbers(void)
{
	int a = open("w", O_CREAT | O_RDWR | O_TRUNC, 0600), b = dup(a);
	char text[8] = "";

	/* They share a position. */
	say(write(a, "one", 3));
	say(write(b, "two", 3));
	say(dup2(b, 20));
	say(fcntl(b, F_DUPFD, 30));
	say(close(a));
	say(close(b));
	say(lseek(20, 2, SEEK_SET));
	say(read(30, text, 4));
	say(dup2(20, 20));
	puts(text);
	close(20);
	close(30);
	say(dup(20));
	say(errno == EBADF);
	unlink("w");
}

/* What is not needed is zero afterwards, and stays mapped. */
static void memory(void)
{
	char *p = mmap(NULL, 16384, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(p, 7, 16384);
	printf("%d\n", madvise(p + 4096, 8192, MADV_DONTNEED));
	printf("%d %d %d %d\n", p[4095], p[4096], p[12287], p[12288]);
	p[5000] = 3;
	printf("%d %d\n", p[5000], madvise(p + 1, 1, MADV_DONTNEED));
}

/* An arena that shrinks and grows: what calloc gives is zero. */
static void *arena(void *unused)
{
	char *p = malloc(100000), *q;
	int sum = 0;

	memset(p, 1, 100000);
	free(p);
	q = calloc(1, 120000);
	for (int i = 0; i < 120000; i++)
		sum += q[i];
	free(q);
	printf("%d\n", sum);
	return unused;
}

int main(void)
{
	char name[16] = "";
	pthread_t t;

	names();
	numbers();
	memory();
	pthread_create(&t, NULL, arena, NULL);
	pthread_join(t, NULL);
	prctl(PR_SET_NAME, "a.name.that.is.too.long");
	prctl(PR_GET_NAME, name);
	puts(name);
	return 0;
}
