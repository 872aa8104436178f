/* Shared mappings of files, locks, devices, and what databases ask of files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 5 };

static int number_at(int fd, off_t at)
{
	int v = -1;

	if (pread(fd, &v, sizeof(v), at) != sizeof(v))
		return -2;
	return v;
}

static void put_at(int fd, off_t at, int v)
{
	if (pwrite(fd, &v, sizeof(v), at) != sizeof(v))
		puts("not written");
}

/* What one side writes the other sees. */
static int *both_ways(int fd)
{
	int *m, *other;

	m = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m == MAP_FAILED) {
		puts("not mapped");
		exit(1);
	}
	printf("%d %d\n", m[0], m[PAGE]);
	m[1] = 111;
	m[3 * PAGE / 4] = 333;
	printf("%d %d\n", number_at(fd, 4), number_at(fd, 3 * PAGE));
	put_at(fd, 8, 222);
	put_at(fd, 2 * PAGE, 444);
	printf("%d %d %d\n", m[1], m[2], m[2 * PAGE / 4]);
	m[5] = 555;
	printf("%d\n", msync(m, PAGE, MS_SYNC));
	other = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	printf("%d\n", other[5]);
	munmap(other, PAGE);
	return m;
}

/* A hole in the middle; a file that becomes shorter and longer. */
static void pieces(int fd, int *m)
{
	struct stat st;
	char *q;

	m[PAGE / 4] = 10;
	m[4 * PAGE / 4] = 40;
	munmap((char *)m + 2 * PAGE, PAGE);
	m[PAGE / 4 + 1] = 11;
	m[3 * PAGE / 4 + 1] = 31;
	printf("%d %d %d\n", number_at(fd, PAGE), number_at(fd, PAGE + 4),
	       number_at(fd, 3 * PAGE + 4));
	q = mremap(m, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
	printf("%d\n", *(int *)(void *)(q + 3 * PAGE + 4));
	*(int *)(void *)(q + PAGE) = 12;
	printf("%d\n", number_at(fd, PAGE));
	printf("%d\n", ftruncate(fd, 6 * PAGE));
	fstat(fd, &st);
	printf("%ld\n", (long)st.st_size);
	munmap(q, 4 * PAGE);
	printf("%d %d\n", number_at(fd, 4 * PAGE), number_at(fd, 5 * PAGE));
}

static void *add(void *at)
{
	for (int i = 0; i < 1000; i++)
		__atomic_fetch_add((int *)at, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void shared_by_threads(int fd)
{
	int *m = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_t t[3];

	m[0] = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, add, m);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	munmap(m, PAGE);
	printf("%d\n", number_at(fd, 0));
}

static void refused(void)
{
	int fd = open("data", O_RDONLY);
	void *m = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	printf("%s\n", m == MAP_FAILED ? strerrorname_np(errno) : "mapped");
	m = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	*(int *)m = 9;
	printf("%d\n", number_at(fd, 0));
	munmap(m, PAGE);
	close(fd);
}

static void locks(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_len = 10 };
	struct stat a, b;
	struct statvfs v;

	printf("%d\n", fcntl(fd, F_SETLK, &l));
	printf("%d\n", fcntl(fd, F_GETLK, &l));
	printf("%d\n", l.l_type == F_UNLCK);
	fstat(fd, &a);
	stat("data", &b);
	printf("%d %d\n", a.st_ino == b.st_ino, a.st_dev == b.st_dev);
	printf("%d\n", statvfs(".", &v));
	printf("%d\n", v.f_bsize > 0);
}

static void devices(void)
{
	char bytes[64];
	int fd = open("/dev/urandom", O_RDONLY), sum = 0;
	struct stat st;
	char line[200];
	FILE *f;

	printf("%zd\n", read(fd, bytes, sizeof(bytes)));
	for (int i = 0; i < 64; i++)
		sum += bytes[i] != 0;
	printf("%d\n", sum > 32);
	close(fd);
	fd = open("/dev/zero", O_RDONLY);
	printf("%zd\n", read(fd, bytes, 8));
	printf("%d\n", bytes[7]);
	close(fd);
	fd = open("/dev/null", O_RDWR);
	printf("%zd %zd\n", write(fd, bytes, 8), read(fd, bytes, 8));
	close(fd);
	printf("%d\n", stat("/dev/null", &st));
	printf("%d\n", S_ISCHR(st.st_mode));
	f = fopen("/proc/cpuinfo", "r");
	printf("%d\n", f && fgets(line, sizeof(line), f) &&
			       !strncmp(line, "processor", 9));
	fclose(f);
}

/* What a thread's stack is, which libraries read from /proc/self/maps. */
static void stack(void)
{
	pthread_attr_t a;
	size_t bytes;
	char *at;

	printf("%d\n", pthread_getattr_np(pthread_self(), &a));
	pthread_attr_getstack(&a, (void **)&at, &bytes);
	printf("%d\n", (char *)&a > at && (char *)&a < at + bytes);
}

int main(void)
{
	int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0644);

	for (int i = 0; i < PAGES * PAGE / 4; i++)
		if (write(fd, &i, sizeof(i)) != sizeof(i))
			return 1;
	pieces(fd, both_ways(fd));
	shared_by_threads(fd);
	refused();
	locks(fd);
	devices();
	stack();
	close(fd);
	return unlink("data");
}
