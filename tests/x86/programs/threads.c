/* POSIX threads: mutexes, barriers, thread-local storage, timeouts, and a lock
 * of our own. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static atomic_int spin, tickets;
static _Thread_local long mine;
static long sum, guarded;

static void *work(void *id)
{
	for (int i = 0; i < ROUNDS; i++) {
		mine += (long)id;
		pthread_mutex_lock(&mutex);
		sum += mine;
		pthread_mutex_unlock(&mutex);
		while (atomic_exchange(&spin, 1))
			__builtin_ia32_pause();
		guarded++;
		atomic_store(&spin, 0);
		if (i % 50 == 0)
			pthread_barrier_wait(&barrier);
	}
	atomic_fetch_add(&tickets, (int)(long)id);
	return (void *)mine;
}

static int times_out(void)
{
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	int e;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 2000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&mutex);
	e = pthread_cond_timedwait(&never, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	return e == ETIMEDOUT;
}

int main(void)
{
	pthread_t thread[THREADS];
	long total = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(thread[i], &result);
		total += (long)result;
	}
	usleep(1000);
	printf("%ld %ld %ld %d %d\n", sum, guarded, total, tickets,
	       times_out());
	return 0;
}
