/* Locks whose owner ends without giving them back. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { LOCKS = 3 };

static pthread_mutex_t lock[LOCKS];
static pthread_barrier_t held;

static const char *name(int e)
{
	return e == EOWNERDEAD      ? "its owner has ended" :
	       e == ENOTRECOVERABLE ? "not recoverable" :
	       e                    ? "?" :
				      "locked";
}

static void *keeps(void *arg)
{
	(void)arg;
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_lock(&lock[i]);
	pthread_mutex_unlock(&lock[1]);
	pthread_barrier_wait(&held);
	usleep(100); /* others wait */
	return NULL;
}

static void *waits(void *arg)
{
	int e;

	(void)arg;
	pthread_barrier_wait(&held);
	e = pthread_mutex_lock(&lock[0]);
	if (e == EOWNERDEAD)
		pthread_mutex_consistent(&lock[0]);
	pthread_mutex_unlock(&lock[0]);
	return (void *)(long)e;
}

static void of_protocol(int protocol)
{
	pthread_mutexattr_t attr;
	pthread_t keeper, waiter[2];
	void *e[2];

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&attr, protocol);
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&lock[i], &attr);
	pthread_barrier_init(&held, NULL, 3);
	pthread_create(&keeper, NULL, keeps, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&waiter[i], NULL, waits, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(waiter[i], &e[i]);
	pthread_join(keeper, NULL);
	printf("two that wait: %s\n", name((int)((long)e[0] + (long)e[1])));
	printf("unlocked: %s\n", name(pthread_mutex_lock(&lock[1])));
	pthread_mutex_unlock(&lock[1]);
	printf("nobody waits: %s\n", name(pthread_mutex_lock(&lock[2])));
	pthread_mutex_unlock(&lock[2]);
	printf("then: %s\n", name(pthread_mutex_lock(&lock[2])));
}

int main(void)
{
	of_protocol(PTHREAD_PRIO_NONE);
	of_protocol(PTHREAD_PRIO_INHERIT);
	return 0;
}
