#include "simt/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/pages.h"

/* A larger slab is not kept. */
enum { SLAB_MAX = 4 << 20 };

struct helper {
	struct crew *crew;
	uint32_t index;
	pthread_t thread;
};

struct crew {
	crew_fn *help;
	uint32_t threads; /* including the calling one */
	struct helper *helpers;
	struct store *stores;
	pid_t process; /* in which the helpers live */

	pthread_mutex_t lock;
	pthread_cond_t opened, left;
	/* Under the lock. */
	uint32_t started;
	struct launch *launch; /* the one that helpers may join, or NULL */
	uint64_t number;       /* of the launch */
	uint32_t max, active;
	bool quit;
};

static void *crew_run(void *arg)
{
	struct helper *h = arg;
	struct crew *c = h->crew;
	uint64_t last = 0;

	pthread_mutex_lock(&c->lock);
	while (!c->quit) {
		struct launch *l = c->launch;

		if (!l || c->number == last || h->index > c->max) {
			pthread_cond_wait(&c->opened, &c->lock);
			continue;
		}
		last = c->number;
		c->active++;
		pthread_mutex_unlock(&c->lock);
		c->help(l, h->index);
		pthread_mutex_lock(&c->lock);
		if (--c->active == 0)
			pthread_cond_signal(&c->left);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

struct crew *crew_new(uint32_t threads, crew_fn *help)
{
	struct crew *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->help = help;
	c->threads = threads;
	c->helpers = calloc(threads, sizeof(*c->helpers));
	c->stores = calloc(threads, sizeof(*c->stores));
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->opened, NULL);
	pthread_cond_init(&c->left, NULL);
	if (!c->helpers || !c->stores) {
		crew_free(c);
		return NULL;
	}
	return c;
}

static void stop_helpers(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->quit = true;
	pthread_cond_broadcast(&c->opened);
	pthread_mutex_unlock(&c->lock);
	for (uint32_t i = 0; i < c->started; i++)
		pthread_join(c->helpers[i].thread, NULL);
}

void crew_free(struct crew *c)
{
	/* After a fork the lock may be held for ever. */
	if (!c || (c->started && c->process != getpid()))
		return;
	stop_helpers(c);
	for (uint32_t i = 0; c->stores && i < c->threads; i++) {
		pages_unmap(c->stores[i].slab, c->stores[i].slab_bytes);
		pages_unmap(c->stores[i].local, c->stores[i].local_bytes);
	}
	pthread_cond_destroy(&c->left);
	pthread_cond_destroy(&c->opened);
	pthread_mutex_destroy(&c->lock);
	free(c->stores);
	free(c->helpers);
	free(c);
}

/* Helpers block all signals: those are for the threads of the program that
 * loaded the library. */
static void start_helpers(struct crew *c, uint32_t n)
{
	sigset_t all, before;

	if (c->started >= n)
		return;
	c->process = getpid();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; c->started < n; c->started++) {
		struct helper *h = &c->helpers[c->started];

		*h = (struct helper){ .crew = c, .index = c->started + 1 };
		if (pthread_create(&h->thread, NULL, crew_run, h))
			break; /* fewer threads give the same results */
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void crew_open(struct crew *c, struct launch *l, uint32_t max)
{
	pthread_mutex_lock(&c->lock);
	c->launch = l;
	c->number++;
	c->max = max < c->threads ? max : c->threads - 1;
	start_helpers(c, c->max);
	pthread_cond_broadcast(&c->opened);
	pthread_mutex_unlock(&c->lock);
}

void crew_close(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->launch = NULL;
	while (c->active)
		pthread_cond_wait(&c->left, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

static void crew_grow(char **p, size_t *have, size_t need)
{
	if (*have >= need)
		return;
	pages_unmap(*p, *have);
	*p = pages_map(need);
	*have = *p ? need : 0;
}

struct store *crew_store(struct crew *c, uint32_t index, size_t slab,
			 size_t local)
{
	struct store *s = &c->stores[index];

	if (slab <= SLAB_MAX)
		crew_grow(&s->slab, &s->slab_bytes, slab);
	crew_grow(&s->local, &s->local_bytes, local);
	return s;
}
