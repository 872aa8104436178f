/* Pipes between threads, counters of events, and waiting for them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

enum { BYTES = 200000 };

static int pair[2], counter;

/* More than a pipe holds, in pieces of all sizes. */
static void *produce(void *unused)
{
	static unsigned char all[BYTES];

	for (int i = 0; i < BYTES; i++)
		all[i] = (unsigned char)(i * 7);
	for (int at = 0, n = 1; at < BYTES; at += n, n = n * 3 % 70001 + 1) {
		if (n > BYTES - at)
			n = BYTES - at;
		if (write(pair[1], all + at, (size_t)n) != n)
			puts("a write is short");
	}
	close(pair[1]);
	return unused;
}

static void through(void)
{
	unsigned char part[777];
	int at = 0, wrong = 0;
	pthread_t t;
	ssize_t n;

	printf("%d\n", pipe(pair));
	pthread_create(&t, NULL, produce, NULL);
	while ((n = read(pair[0], part, sizeof(part))) > 0)
		for (ssize_t i = 0; i < n; i++, at++)
			wrong += part[i] != (unsigned char)(at * 7);
	pthread_join(t, NULL);
	printf("%d %d\n", at, wrong);
	close(pair[0]);
}

static void *tell(void *unused)
{
	uint64_t v = 40;

	usleep(2000);
	write(counter, &v, sizeof(v));
	usleep(2000);
	write(pair[1], "x", 1);
	return unused;
}

static void wait_for(void)
{
	struct pollfd f[2];
	struct timeval most = { 5, 0 };
	uint64_t v = 0;
	pthread_t t;
	fd_set set;

	pipe2(pair, O_NONBLOCK);
	counter = eventfd(0, 0);
	f[0] = (struct pollfd){ counter, POLLIN, 0 };
	f[1] = (struct pollfd){ pair[0], POLLIN, 0 };
	printf("%d\n", poll(f, 2, 3));
	printf("%d", (int)read(pair[0], &v, 1));
	printf(" %d\n", errno == EAGAIN);
	pthread_create(&t, NULL, tell, NULL);
	printf("%d", poll(f, 2, -1));
	printf(" %d %d\n", f[0].revents, f[1].revents);
	printf("%d", (int)read(counter, &v, sizeof(v)));
	printf(" %d\n", (int)v);
	FD_ZERO(&set);
	FD_SET(pair[0], &set);
	printf("%d", select(pair[0] + 1, &set, NULL, NULL, &most));
	printf(" %d\n", FD_ISSET(pair[0], &set) != 0);
	pthread_join(t, NULL);
	close(pair[1]);
	printf("%d\n", (int)read(pair[0], &v, 8));
	printf("%d", poll(f + 1, 1, 0));
	printf(" %d\n", f[1].revents);
	printf("%d\n", (int)read(pair[0], &v, 8));
	close(pair[0]);
	f[1].fd = 99;
	printf("%d", poll(f + 1, 1, 0));
	printf(" %d\n", f[1].revents);
}

static volatile sig_atomic_t broken;

static void on_pipe(int number)
{
	broken = number;
}

int main(void)
{
	through();
	wait_for();
	signal(SIGPIPE, on_pipe);
	pipe(pair);
	close(pair[0]);
	printf("%d ", (int)write(pair[1], "x", 1));
	printf("%d %d\n", errno == EPIPE, broken == SIGPIPE);
	return 0;
}
