#include "door/cli/intervals.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "door/cli/text.h"
#include "door/common/stats.h"

enum { JSON_INDENT = 8 }; /* of an element's members */

static void intervals_put(void *ctx, const char *text, size_t size)
{
	fwrite(text, 1, size, ctx);
}

enum err intervals_open(struct intervals *v, const char *csv, bool json,
			struct diag *d)
{
	*v = (struct intervals){ .stride = 1 };
	if (csv && csv_open(&v->csv, csv, false, d))
		return d->code;
	if (!json)
		return ERR_OK;
	v->spool = tmpfile();
	return v->spool ? ERR_OK :
			  fail(d, ERR_IO, "cannot create a temporary file: %s",
			       strerror(errno));
}

static void interval_add(struct interval_row *to, const struct interval_row *r)
{
	to->to = r->to;
	to->samples += r->samples;
	to->instructions += r->instructions;
	to->dram_bytes += r->dram_bytes;
	to->l2_reads += r->l2_reads;
	to->l2_hits += r->l2_hits;
}

/* Joins each two neighbours. */
static void intervals_halve(struct intervals *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->row_count; i += 2) {
		v->rows[n] = v->rows[i];
		if (i + 1 < v->row_count)
			interval_add(&v->rows[n], &v->rows[i + 1]);
		n++;
	}
	v->row_count = n;
	v->stride *= 2;
}

static void intervals_keep(struct intervals *v, const struct interval_row *r)
{
	if (v->row_count && v->rows[v->row_count - 1].samples < v->stride) {
		interval_add(&v->rows[v->row_count - 1], r);
		return;
	}
	if (v->row_count == INTERVAL_ROWS)
		intervals_halve(v);
	v->rows[v->row_count++] = *r;
}

static void intervals_spool(struct intervals *v, uint64_t from, uint64_t to,
			    const struct heddle_stats *s)
{
	fprintf(v->spool,
		"%s\n%*s{\n%*s\"from\": %" PRIu64 ",\n%*s\"to\": %" PRIu64
		",\n%*s\"stats\": ",
		v->count ? "," : "", JSON_INDENT - 2, "", JSON_INDENT, "", from,
		JSON_INDENT, "", to, JSON_INDENT, "");
	heddle_stats_print(s, HEDDLE_STATS_JSON, JSON_INDENT, intervals_put,
			   v->spool);
	fprintf(v->spool, "\n%*s}", JSON_INDENT - 2, "");
}

bool intervals_add(struct intervals *v, uint64_t from, uint64_t to,
		   const struct heddle_stats *s)
{
	struct interval_row r = {
		.from = from,
		.to = to,
		.samples = 1,
		.instructions = stat_count_of(s, "sm.instructions"),
		.dram_bytes = stat_count_of(s, "dram.bytes_read") +
			      stat_count_of(s, "dram.bytes_written"),
		.l2_reads = stat_count_of(s, "l2.reads"),
		.l2_hits = stat_count_of(s, "l2.read_hits"),
	};

	bool good = !v->csv.open || csv_row(&v->csv, NULL, from, to, s);

	errno = 0;
	if (v->spool)
		intervals_spool(v, from, to, s);
	intervals_keep(v, &r);
	v->count++;
	if (v->spool && ferror(v->spool))
		v->error = v->error ? v->error : errno ? errno : EIO;
	return good && !v->error;
}

void intervals_whole(struct intervals *v, uint64_t cycles,
		     const struct heddle_stats *s)
{
	if (v->csv.open)
		csv_row(&v->csv, NULL, 0, cycles, s);
}

void intervals_json(struct intervals *v, struct json *j)
{
	char buf[4096];
	size_t n;

	if (!v->spool)
		return;
	json_key(j, "intervals");
	fputc('[', j->to);
	rewind(v->spool);
	while ((n = fread(buf, 1, sizeof(buf), v->spool)))
		fwrite(buf, 1, n, j->to);
	if (v->count)
		fprintf(j->to, "\n%*s", (int)(2 * j->depth), "");
	fputc(']', j->to);
}

void intervals_print(const struct intervals *v, uint64_t sms, double mhz)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (!v->row_count)
		return;
	fprintf(stderr, "  %-14s %12s  %10s  %9s  %7s\n", "over time, from",
		"to cycle", "IPC per SM", "DRAM GB/s", "L2 hits");
	for (size_t i = 0; i < v->row_count; i++) {
		const struct interval_row *r = &v->rows[i];
		double cycles = (double)(r->to - r->from);

		if (r->to == r->from)
			continue;
		fprintf(stderr, "  %15s %12s  %10.2f  %9.1f",
			grouped(a, r->from), grouped(b, r->to),
			(double)r->instructions / cycles / (double)sms,
			(double)r->dram_bytes / cycles * mhz / 1e3);
		if (r->l2_reads)
			fprintf(stderr, "  %6.1f%%\n",
				100 * (double)r->l2_hits / (double)r->l2_reads);
		else
			fprintf(stderr, "  %7s\n", "-");
	}
	if (v->stride > 1)
		fprintf(stderr,
			"  %15s (%s intervals, %s per row; --csv writes "
			"them all)\n",
			"", grouped(a, v->count), grouped(b, v->stride));
}

enum err intervals_close(struct intervals *v, const char *cut, struct diag *d)
{
	if (v->error)
		return fail(d, ERR_IO, "cannot write a temporary file: %s",
			    strerror(v->error));
	if (cut)
		csv_cut(&v->csv, cut);
	return csv_close(&v->csv, false, d);
}

void intervals_free(struct intervals *v)
{
	csv_free(&v->csv);
	if (v->spool)
		fclose(v->spool);
	*v = (struct intervals){ 0 };
}
