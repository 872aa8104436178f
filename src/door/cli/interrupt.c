#define _GNU_SOURCE /* ppoll */
#include "door/cli/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "door/cli/text.h"

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
enum { CAUGHT = sizeof(caught) / sizeof(caught[0]) };

/* A signal handler has no context, so this is global. */
static volatile sig_atomic_t came;
static struct heddle_device *volatile device;
static volatile pid_t child;

static void on_signal(int number)
{
	came = number;
	if (device)
		heddle_stop(device);
	if (child)
		kill(child, number);
}

void interrupt_catch(void)
{
	struct sigaction sa = { .sa_handler = on_signal,
				.sa_flags = (int)SA_RESETHAND };

	sigemptyset(&sa.sa_mask);
	for (unsigned i = 0; i < CAUGHT; i++)
		sigaction(caught[i], &sa, NULL);
}

bool interrupted(void)
{
	return came != 0;
}

/* Signals are let in only while it waits, so that none is missed before that. */
ssize_t interrupt_read(int fd, void *to, size_t size)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };
	sigset_t ours, before;
	int ready = -1;

	sigemptyset(&ours);
	for (unsigned i = 0; i < CAUGHT; i++)
		sigaddset(&ours, caught[i]);
	sigprocmask(SIG_BLOCK, &ours, &before);
	if (!interrupted())
		ready = ppoll(&input, 1, NULL, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ready < 0 || interrupted() ? -1 : read(fd, to, size);
}

int interrupt_exit(void)
{
	return exit_of_signal(came ? came : SIGINT);
}

void interrupt_stops_device(struct heddle_device *dev)
{
	device = dev;
}

void interrupt_stops_child(pid_t pid)
{
	child = pid;
}
