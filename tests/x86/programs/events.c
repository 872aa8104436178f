/* Lists of files to wait for, pairs of sockets, locks that inherit priorities, and
 * what a processor says of itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int list, counter, pair[2], sockets[2];
static char buffer[70000];

/* What is told of one file, or the error. */
static void wait_list(const char *what, int timeout)
{
	struct epoll_event e[8];
	int n = epoll_wait(list, e, 8, timeout);

	printf("%s: %d", what, n);
	for (int i = 0; i < n; i++)
		printf(" %d/%x", (int)e[i].data.u64, e[i].events);
	puts("");
}

static void change(int what, int file, uint32_t events, int number)
{
	struct epoll_event e = { .events = events,
				 .data.u64 = (unsigned)number };

	errno = 0;
	printf("%d ", epoll_ctl(list, what, file, &e));
	puts(strerrorname_np(errno) ? strerrorname_np(errno) : "");
}

static void *tell(void *unused)
{
	uint64_t three = 3;

	usleep(1000);
	write(counter, &three, 8);
	usleep(1000);
	write(pair[1], "p", 1);
	return unused;
}

static void levels_and_edges(void)
{
	uint64_t v = 0;
	pthread_t t;

	list = epoll_create1(EPOLL_CLOEXEC);
	counter = eventfd(0, EFD_NONBLOCK);
	pipe(pair);
	change(EPOLL_CTL_ADD, counter, EPOLLIN, 1);
	change(EPOLL_CTL_ADD, pair[0], EPOLLIN | EPOLLET, 2);
	change(EPOLL_CTL_ADD, pair[0], EPOLLIN, 2);
	change(EPOLL_CTL_MOD, pair[1], EPOLLIN, 2);
	change(EPOLL_CTL_ADD, 200, EPOLLIN, 3);
	wait_list("nothing", 0);
	wait_list("nothing yet", 2);
	pthread_create(&t, NULL, tell, NULL);
	wait_list("the counter", -1);
	read(counter, &v, 8);
	printf("%d\n", (int)v);
	wait_list("the pipe", -1);
	wait_list("the same edge", 0);
	pthread_join(t, NULL);
	write(pair[1], "q", 1);
	wait_list("another edge", 0);
	change(EPOLL_CTL_MOD, pair[0], EPOLLIN | EPOLLONESHOT, 4);
	wait_list("once", 0);
	wait_list("not twice", 0);
	change(EPOLL_CTL_MOD, pair[0], EPOLLIN, 5);
	wait_list("a level", 0);
	wait_list("again", 0);
	close(pair[1]);
	read(pair[0], buffer, sizeof(buffer));
	wait_list("nobody writes", 0);
	change(EPOLL_CTL_DEL, pair[0], 0, 0);
	change(EPOLL_CTL_DEL, pair[0], 0, 0);
}

static void lists_of_lists(void)
{
	struct pollfd f = { list, POLLIN, 0 };
	struct epoll_event e = { .events = EPOLLIN };
	uint64_t one = 1;
	int outer = epoll_create(1), n = poll(&f, 1, 0);

	printf("%d ", n);
	write(counter, &one, 8);
	n = poll(&f, 1, 0);
	printf("%d %d\n", n, f.revents);
	printf("%d ", epoll_ctl(outer, EPOLL_CTL_ADD, list, &e));
	printf("%d\n", epoll_wait(outer, &e, 1, -1));
	n = epoll_ctl(list, EPOLL_CTL_ADD, outer, &e);
	printf("%d %d\n", n, errno == ELOOP);
	n = epoll_wait(counter, &e, 1, 0);
	printf("%d %d\n", n, errno == EINVAL);
	n = (int)read(list, buffer, 8);
	printf("%d %d\n", n, errno == EINVAL);
	close(counter);
	wait_list("closed", 0);
	close(list);
	close(outer);
}

static void *answer(void *unused)
{
	ssize_t n;

	while ((n = read(sockets[1], buffer, sizeof(buffer))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			buffer[i] ^= 0x20;
		write(sockets[1], buffer, (size_t)n);
	}
	printf("the end: %d\n", (int)n);
	close(sockets[1]);
	return unused;
}

/* Reads as much as there is to come. */
static void get(char *to, size_t bytes)
{
	size_t at = 0;

	while (at < bytes)
		at += (size_t)recv(sockets[0], to + at, bytes - at, 0);
	to[at] = '\0';
	puts(to);
}

static void streams(void)
{
	struct iovec v[2] = { { "VEC", 3 }, { "TOR", 3 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
	char text[16];
	pthread_t t;
	int n;

	printf("%d\n", socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	pthread_create(&t, NULL, answer, NULL);
	write(sockets[0], "hello", 5);
	get(text, 5);
	printf("%d\n", (int)sendmsg(sockets[0], &m, MSG_NOSIGNAL));
	get(text, 6);
	printf("%d\n", (int)writev(sockets[0], v, 2));
	get(text, 6);
	shutdown(sockets[0], SHUT_WR);
	printf("%d\n", (int)read(sockets[0], text, 8));
	pthread_join(t, NULL);
	n = (int)send(sockets[0], "x", 1, MSG_NOSIGNAL);
	printf("%d %d\n", n, errno == EPIPE);
	close(sockets[0]);
}

static void records(void)
{
	int n, on = 1;

	printf("%d\n", socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets));
	send(sockets[0], "one", 3, 0);
	send(sockets[0], "three", 5, 0);
	ioctl(sockets[1], FIONREAD, &n);
	printf("%d", (int)recv(sockets[1], buffer, 8, MSG_PEEK));
	printf(" %d", (int)recv(sockets[1], buffer, 2, 0));
	printf(" %d\n", (int)recv(sockets[1], buffer, 8, 0));
	n = (int)recv(sockets[1], buffer, 8, MSG_DONTWAIT);
	printf("%d %d\n", n, errno == EAGAIN);
	ioctl(sockets[1], FIONBIO, &on);
	n = (int)read(sockets[1], buffer, 8);
	printf("%d %d %d\n", n, errno == EAGAIN,
	       fcntl(sockets[1], F_GETFL) == (O_RDWR | O_NONBLOCK));
	close(sockets[0]);
	printf("%d\n", (int)recv(sockets[1], buffer, 8, 0));
	close(sockets[1]);
}

static volatile sig_atomic_t rings;

static void on_alarm(int number)
{
	(void)number;
	rings++;
}

/* A wait for files is not made again after a signal, whatever the handler wants. */
static void interrupted(void)
{
	struct sigaction a = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct pollfd f = { 0, 0, 0 };
	int n;

	sigaction(SIGALRM, &a, NULL);
	pipe(pair);
	f.fd = pair[0];
	ualarm(1000, 0);
	n = poll(&f, 1, -1);
	printf("%d %d %d\n", n, errno == EINTR, (int)rings);
	close(pair[0]);
	close(pair[1]);
}

static pthread_mutex_t lock;
static int shared;

static void *add(void *unused)
{
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&lock);
		shared++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void priorities(void)
{
	pthread_mutexattr_t a;
	pthread_t t[4];

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	printf("%d\n", pthread_mutex_init(&lock, &a));
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", shared);
}

int main(void)
{
	levels_and_edges();
	lists_of_lists();
	streams();
	records();
	interrupted();
	priorities();
	printf("%d\n", !!__builtin_cpu_supports("sse2"));
	return 0;
}
