#include "door/common/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/demangle.h"
#include "door/common/text.h"

#define PATIENCE 0.5    /* seconds before the first line */
#define TTY_EVERY 0.1   /* seconds between lines */
#define PLAIN_EVERY 5.0 /* the same if lines cannot be overwritten */

void progress_init(struct progress *p, bool on)
{
	*p = (struct progress){ .on = on,
				.tty = isatty(STDERR_FILENO),
				.label = "" };
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
}

static void show_left(double spent, uint64_t done, uint64_t blocks)
{
	char a[GROUPED_TEXT];

	if (done && done < blocks)
		fprintf(stderr, ", %s left",
			duration(a, spent * (double)(blocks - done) /
					    (double)done));
}

static double percent(uint64_t done, uint64_t blocks)
{
	return blocks ? 100.0 * (double)done / (double)blocks : 100.0;
}

/* Begins a line if it is time for one; true: the caller holds the lock. */
static bool begin(struct progress *p, double *spent)
{
	double now = clock_seconds();

	*spent = now - p->start;
	if (!p->on || *spent < PATIENCE ||
	    now - p->last < (p->tty ? TTY_EVERY : PLAIN_EVERY) * 0.9)
		return false;
	p->last = now;
	pthread_mutex_lock(&p->lock);
	clear(p);
	fputs(p->label, stderr);
	return true;
}

static void end(struct progress *p)
{
	if (!p->tty)
		fputc('\n', stderr);
	p->shown = p->tty;
	fflush(stderr);
	pthread_mutex_unlock(&p->lock);
}

void progress_report(void *ctx, uint64_t done, uint64_t blocks,
		     uint64_t instructions)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];
	struct progress *p = ctx;
	double spent;

	if (!begin(p, &spent))
		return;
	fprintf(stderr, "%s of %s blocks (%.0f%%), %s warp-instructions/s",
		grouped(a, done), grouped(b, blocks), percent(done, blocks),
		scaled(c, (double)instructions / spent));
	show_left(spent, done, blocks);
	end(p);
}

/* Numbers are short so that the line fits on a terminal and can be cleared. */
void progress_timed(struct progress *p,
		    const struct heddle_timing_progress *now)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];
	double spent;

	if (!begin(p, &spent))
		return;
	fprintf(stderr, "%s cycles, %s of %s blocks (%.0f%%)",
		scaled(a, (double)now->cycles), grouped(b, now->blocks_done),
		grouped(c, now->blocks),
		percent(now->blocks_done, now->blocks));
	fprintf(stderr, ", %s inst/s",
		scaled(a, (double)now->warp_instructions / spent));
	/* Blocks end in waves: the first few tell nothing about the rest. */
	if (10 * now->blocks_done >= now->blocks)
		show_left(spent, now->blocks_done, now->blocks);
	end(p);
}

void progress_read(struct progress *p, const char *file, uint64_t bytes,
		   uint64_t all)
{
	const char *slash = strrchr(file, '/');
	char a[GROUPED_TEXT];
	double spent;

	if (!begin(p, &spent))
		return;
	fprintf(stderr, "reading %s: %s (%.0f%%)", slash ? slash + 1 : file,
		bytes_text(a, (double)bytes), percent(bytes, all));
	show_left(spent, bytes, all);
	end(p);
}

void progress_print(void *ctx, const char *text, size_t size)
{
	struct progress *p = ctx;

	pthread_mutex_lock(&p->lock);
	clear(p);
	fwrite(text, 1, size, stdout);
	pthread_mutex_unlock(&p->lock);
}

void progress_warn(void *ctx, const char *kernel, const char *line)
{
	struct progress *p = ctx;
	char name[256];

	demangle(name, sizeof(name), kernel);
	pthread_mutex_lock(&p->lock);
	clear(p);
	fflush(stdout);
	fprintf(stderr, "heddle: warning: kernel %s, %s\n", name, line);
	pthread_mutex_unlock(&p->lock);
}
