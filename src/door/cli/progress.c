#include "door/cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "door/cli/text.h"

#define PATIENCE 0.5    /* seconds before the first line */
#define TTY_EVERY 0.1   /* seconds between lines */
#define PLAIN_EVERY 5.0 /* the same where lines cannot be overwritten */

double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_init(struct progress *p, bool on)
{
	*p = (struct progress){ .on = on, .tty = isatty(STDERR_FILENO) };
	pthread_mutex_init(&p->lock, NULL);
}

void progress_free(struct progress *p)
{
	pthread_mutex_destroy(&p->lock);
}

void progress_start(struct progress *p)
{
	p->start = p->last = clock_seconds();
}

static void clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

void progress_end(struct progress *p)
{
	clear(p);
	fflush(stdout);
}

static void show(struct progress *p, double spent, uint64_t done,
		 uint64_t blocks, uint64_t instructions)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT], d[GROUPED_TEXT];

	clear(p);
	fprintf(stderr, "%s of %s blocks (%.0f%%), %swarp-instructions/s",
		grouped(a, done), grouped(b, blocks),
		blocks ? 100.0 * (double)done / (double)blocks : 100.0,
		scaled(c, (double)instructions / spent));
	if (done && done < blocks)
		fprintf(stderr, ", %s left",
			duration(d, spent * (double)(blocks - done) /
					    (double)done));
	if (!p->tty)
		fputc('\n', stderr);
	p->shown = p->tty;
	fflush(stderr);
}

void progress_report(void *ctx, uint64_t done, uint64_t blocks,
		     uint64_t instructions)
{
	struct progress *p = ctx;
	double now = clock_seconds();

	if (!p->on || now - p->start < PATIENCE ||
	    now - p->last < (p->tty ? TTY_EVERY : PLAIN_EVERY) * 0.9)
		return;
	p->last = now;
	pthread_mutex_lock(&p->lock);
	show(p, now - p->start, done, blocks, instructions);
	pthread_mutex_unlock(&p->lock);
}

void progress_print(void *ctx, const char *text, size_t size)
{
	struct progress *p = ctx;

	pthread_mutex_lock(&p->lock);
	clear(p);
	fwrite(text, 1, size, stdout);
	pthread_mutex_unlock(&p->lock);
}
