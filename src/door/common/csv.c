#include "door/common/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void csv_put(void *ctx, const char *text, size_t size)
{
	fwrite(text, 1, size, ctx);
}

enum err csv_open(struct csv *c, const char *path, bool launches,
		  struct diag *d)
{
	*c = (struct csv){ 0 };
	if (outfile_open(&c->file, path, d))
		return d->code;
	c->open = true;
	fputs(launches ? "launch,at_once,device,kernel,from,to," : "from,to,",
	      c->file.to);
	heddle_stats_print(NULL, HEDDLE_STATS_CSV_HEADER, 0, csv_put,
			   c->file.to);
	return ERR_OK;
}

/* Names of kernels may contain commas, and names of lambdas quotes. */
static void csv_quoted(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

bool csv_row(struct csv *c, const struct csv_launch *l, uint64_t from,
	     uint64_t to, const struct heddle_stats *s)
{
	FILE *f = c->file.to;

	errno = 0;
	if (l) {
		fprintf(f, "%" PRIu64 ",%" PRIu32 ",%d,", l->number, l->at_once,
			l->device);
		csv_quoted(f, l->kernel);
		fputc(',', f);
	}
	fprintf(f, "%" PRIu64 ",%" PRIu64 ",", from, to);
	heddle_stats_print(s,
			   l && l->own ? HEDDLE_STATS_OWN_CSV_ROW :
					 HEDDLE_STATS_CSV_ROW,
			   0, csv_put, f);
	if (!c->error && ferror(f))
		c->error = errno ? errno : EIO;
	return !c->error;
}

void csv_cut(struct csv *c, const char *why)
{
	if (c->open)
		fprintf(c->file.to, "# cut short: %s\n", why);
}

enum err csv_close(struct csv *c, bool new, struct diag *d)
{
	enum err e = ERR_OK;

	if (!c->open)
		return ERR_OK;
	c->open = false;
	if (c->error)
		e = fail(d, ERR_IO, "cannot write '%.300s': %s", c->file.path,
			 strerror(c->error));
	return new ? outfile_close_new(&c->file, e, d) :
		     outfile_close(&c->file, e, d);
}

void csv_free(struct csv *c)
{
	if (c->open)
		outfile_drop(&c->file);
	*c = (struct csv){ 0 };
}
