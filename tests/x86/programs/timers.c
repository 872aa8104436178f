/* Timers that send signals, timers that are files, and an event loop around them. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L

static volatile sig_atomic_t rang, code, value;
static int notified;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void ring(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	rang++;
	code = info->si_code;
	value = info->si_value.sival_int;
}

static void notify(union sigval v)
{
	pthread_mutex_lock(&lock);
	notified += v.sival_int;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

static struct itimerspec after(long ns, long every)
{
	return (struct itimerspec){ .it_value = { ns / 1000000000L,
						  ns % 1000000000L },
				    .it_interval = { 0, every } };
}

static void by_signal(void)
{
	struct sigaction a = { .sa_sigaction = ring, .sa_flags = SA_SIGINFO };
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL,
			      .sigev_signo = SIGUSR1,
			      .sigev_value.sival_int = 77 };
	struct itimerspec spec = after(2 * MS, 2 * MS), left;
	timer_t timer;

	sigaction(SIGUSR1, &a, NULL);
	printf("%d\n", timer_create(CLOCK_MONOTONIC, &e, &timer));
	printf("%d\n", timer_settime(timer, 0, &spec, NULL));
	timer_gettime(timer, &left);
	printf("%d\n",
	       left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 2 * MS);
	while (rang < 3)
		pause();
	printf("%d %d\n", code == SI_TIMER, value);
	printf("%d\n", timer_delete(timer));
	printf("%d\n", timer_settime(timer, 0, &spec, NULL) == -1);
}

/* The program's own signals carry values, too. */
static void by_hand(void)
{
	const union sigval v = { .sival_int = 99 };

	printf("%d\n", sigqueue(getpid(), SIGUSR1, v));
	printf("%d %d\n", value, code == SI_QUEUE);
	printf("%d\n", pthread_sigqueue(pthread_self(), SIGUSR1,
					(union sigval){ .sival_int = 100 }));
	printf("%d\n", value);
	printf("%d\n", sigqueue(1 << 22, SIGUSR1, v) == -1);
}

static void by_thread(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD,
			      .sigev_notify_function = notify,
			      .sigev_value.sival_int = 5 };
	struct itimerspec spec = after(MS, MS);
	timer_t timer;

	printf("%d\n", timer_create(CLOCK_REALTIME, &e, &timer));
	timer_settime(timer, 0, &spec, NULL);
	pthread_mutex_lock(&lock);
	while (notified < 15)
		pthread_cond_wait(&more, &lock);
	pthread_mutex_unlock(&lock);
	printf("%d\n", notified % 5);
	timer_delete(timer);
}

static void as_file(void)
{
	struct itimerspec spec = after(3 * MS, MS), left;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t times = 0, sum = 0;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct timespec now;

	printf("%d\n", timerfd_settime(fd, 0, &spec, NULL));
	timerfd_gettime(fd, &left);
	printf("%d\n", left.it_interval.tv_nsec == MS);
	printf("%d\n", poll(&p, 1, 0));
	printf("%d %d\n", poll(&p, 1, 1000), p.revents == POLLIN);
	while (sum < 5)
		if (read(fd, &times, sizeof(times)) == sizeof(times))
			sum += times;
	printf("%d\n", times >= 1);
	/* Once, at a time of the clock that has a date. */
	close(fd);
	fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	clock_gettime(CLOCK_REALTIME, &now);
	spec = (struct itimerspec){ .it_value = { now.tv_sec + 1, 0 } };
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL);
	printf("%d\n", read(fd, &times, 8) == -1 && errno == EAGAIN);
	p.fd = fd;
	printf("%d\n", poll(&p, 1, 3000));
	printf("%d\n", (int)read(fd, &times, 8));
	printf("%d\n", (int)times);
	printf("%d\n", poll(&p, 1, 5));
	close(fd);
}

static void *writes(void *at)
{
	for (int i = 0; i < 5; i++) {
		usleep(1500);
		if (write(*(int *)at, "x", 1) != 1)
			break;
	}
	return NULL;
}

/* Ticks and bytes, until there have been enough of both. */
static void loop(void)
{
	int e = epoll_create1(0), fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec spec = after(MS, MS);
	struct epoll_event v = { .events = EPOLLIN, .data.u32 = 1 };
	int ends[2], ticks = 0, bytes = 0;
	pthread_t t;

	if (pipe(ends))
		return;
	epoll_ctl(e, EPOLL_CTL_ADD, fd, &v);
	v.data.u32 = 2;
	epoll_ctl(e, EPOLL_CTL_ADD, ends[0], &v);
	timerfd_settime(fd, 0, &spec, NULL);
	pthread_create(&t, NULL, writes, &ends[1]);
	while (ticks < 8 || bytes < 5) {
		struct epoll_event got[2];
		int n = epoll_wait(e, got, 2, -1);

		for (int i = 0; i < n; i++) {
			uint64_t times;
			char c;

			if (got[i].data.u32 == 1)
				ticks += read(fd, &times, 8) == 8 ? (int)times :
								    0;
			else
				bytes += (int)read(ends[0], &c, 1);
		}
	}
	pthread_join(t, NULL);
	printf("%d %d\n", ticks >= 8, bytes);
}

int main(void)
{
	by_signal();
	by_hand();
	by_thread();
	as_file();
	loop();
	return 0;
}
