/* The section on source lines: the hottest, and all of each file, with their
 * instructions and the reasons for which warps waited before these. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "explore/files.h"
#include "explore/html.h"
#include "explore/report_parts.h"
#include "explore/style.h"

/* Keeps a page small enough to be sent and scrolled. */
enum {
	LINES_HOT = 25,
	LINES_OF_FILE = 400,
	FILES_SHOWN = 12,
	CODE_OF_LINE = 100,
	CODE_SHOWN = 2500,
	REASONS_NAMED = 3
};

struct source_part {
	const struct run_view *v;
	uint64_t issued;       /* of all lines */
	uint64_t most_slots;   /* of one line */
	size_t code_left;      /* instructions that may still be shown */
	bool reasons, inlined; /* the run has them */
};

static uint64_t slots_sum(const uint64_t slots[REASON_COUNT])
{
	uint64_t all = 0;

	for (unsigned r = 0; r < REASON_COUNT; r++)
		all += slots[r];
	return all;
}

static const char *reason_name(unsigned r)
{
	static const char *const names[] = {
#define REASON(id, name, doc) name,
#include "stat/stat.def"
	};

	return names[r];
}

/* The largest reason after `last`, in order of size; REASON_COUNT: none. */
static unsigned next_reason(const uint64_t slots[REASON_COUNT], unsigned last)
{
	unsigned best = REASON_COUNT;

	for (unsigned r = 0; r < REASON_COUNT; r++) {
		bool after = last == REASON_COUNT || slots[r] < slots[last] ||
			     (slots[r] == slots[last] && r > last);

		if (slots[r] && after &&
		    (best == REASON_COUNT || slots[r] > slots[best]))
			best = r;
	}
	return best;
}

/* A bar as long as its share of `most`, in the colours of its reasons, and the
 * names of the largest. */
static void reason_bar(FILE *to, const uint64_t slots[REASON_COUNT],
		       uint64_t most)
{
	uint64_t all = slots_sum(slots);
	unsigned r = REASON_COUNT, named = 0;

	if (!all)
		return;
	html(to,
	     "<div class=\"why1\"><div class=\"mini\" style=\"width:%.1f%%\">",
	     100 * ratio_of((double)all, (double)most));
	while ((r = next_reason(slots, r)) < REASON_COUNT)
		html(to,
		     "<i class=\"%s\" style=\"flex:%.3f\" title=\"%s %" PRIu64
		     " slots\"></i>",
		     style_reason((int)r),
		     1000 * ratio_of((double)slots[r], (double)all),
		     reason_name(r), slots[r]);
	html(to, "</div><small>");
	while (named < REASONS_NAMED &&
	       (r = next_reason(slots, r)) < REASON_COUNT &&
	       (!named || 200 * slots[r] > all))
		html(to, "%s%s %.0f%%", named++ ? ", " : "", reason_name(r),
		     100 * ratio_of((double)slots[r], (double)all));
	html(to, "</small></div>");
}

static void code_rows(FILE *to, struct source_part *p, const struct run_line *l)
{
	size_t n = l->code_count < CODE_OF_LINE ? l->code_count : CODE_OF_LINE;
	uint64_t most = 0;
	char a[GROUPED_TEXT];

	if (n > p->code_left)
		n = p->code_left;
	if (!n)
		return;
	p->code_left -= n;
	for (size_t i = 0; i < n; i++)
		if (slots_sum(l->code[i].slots) > most)
			most = slots_sum(l->code[i].slots);
	html(to,
	     "<details class=\"ptx\"><summary>%zu instruction%s</summary>"
	     "<table><thead><tr><th scope=\"col\" class=\"n\">executed</th>"
	     "<th scope=\"col\" class=\"n\">lanes</th>"
	     "<th scope=\"col\">instruction</th></tr></thead><tbody>\n",
	     l->code_count, l->code_count == 1 ? "" : "s");
	for (size_t i = 0; i < n; i++) {
		const struct run_code *c = &l->code[i];

		html(to,
		     "<tr><td class=\"n\">%s</td><td class=\"n\">%.1f</td>"
		     "<td><code>%s</code>",
		     grouped(a, c->issued),
		     ratio_of((double)c->lanes, (double)c->issued), c->text);
		reason_bar(to, c->slots, most);
		html(to, "</td></tr>\n");
	}
	html(to, "</tbody></table>");
	if (n < l->code_count)
		html(to,
		     "<p class=\"about\">%zu more are in the run's JSON."
		     "</p>",
		     l->code_count - n);
	html(to, "</details>");
}

/* The cells with numbers: own, and with what was inlined. */
static void share_cells(FILE *to, const struct source_part *p,
			const struct run_line *l)
{
	double waited = (double)p->v->waited;

	html(to, "<td class=\"n\">%.1f%%</td>",
	     100 * ratio_of((double)l->waited, waited));
	if (p->inlined)
		html(to, "<td class=\"n\">%.1f%%</td>",
		     100 * ratio_of((double)l->total_waited, waited));
	html(to, "<td class=\"n\">%.1f%%</td>",
	     100 * ratio_of((double)l->issued, (double)p->issued));
}

static void table_heads(FILE *to, const struct source_part *p,
			const char *first)
{
	html(to, "<div class=\"scroll\"><table class=\"src\"><thead><tr>");
	if (first)
		html(to, "<th scope=\"col\" class=\"n\">%s</th>", first);
	html(to, "<th scope=\"col\" class=\"n\">waiting</th>");
	if (p->inlined)
		html(to, "<th scope=\"col\" class=\"n\">with inlined</th>");
	html(to, "<th scope=\"col\" class=\"n\">issued</th>"
		 "<th scope=\"col\">line</th></tr></thead><tbody>\n");
}

/* A line among the hottest. */
static void hot_row(FILE *to, struct source_part *p, const struct run_line *l)
{
	const char *source = l->source ? l->source + strspn(l->source, " \t") :
					 "";
	char a[GROUPED_TEXT];

	html(to, "<tr>");
	share_cells(to, p, l);
	html(to, "<td>");
	if (*source)
		html(to, "<code>%s</code><br>", source);
	html(to, "<small class=\"at\"><span title=\"%s\">%s", l->file,
	     file_base_name(l->file));
	if (l->line)
		html(to, ":%" PRIu32, l->line);
	html(to, "</span>, issued %s", grouped(a, l->issued));
	if (l->instruction[0])
		html(to, ", most waiting before <code>%s</code>",
		     l->instruction);
	html(to, "</small>");
	reason_bar(to, l->slots, p->most_slots);
	html(to, "</td></tr>\n");
}

/* A line in the listing of its file. */
static void file_row(FILE *to, struct source_part *p, const struct run_line *l)
{
	html(to, "<tr><td class=\"n\">");
	if (l->line)
		html(to, "%" PRIu32, l->line);
	html(to, "</td>");
	share_cells(to, p, l);
	html(to, "<td><code>%s</code>", l->source ? l->source : "");
	reason_bar(to, l->slots, p->most_slots);
	code_rows(to, p, l);
	html(to, "</td></tr>\n");
}

/* The lines of a file, in order. */
struct source_file {
	const struct run_line **lines;
	size_t count;
	uint64_t waited;
};

static int lines_in_file(const void *a, const void *b)
{
	const struct run_line *const *x = a, *const *y = b;
	int c = strcmp((*x)->file, (*y)->file);

	return c ? c : (*x)->line < (*y)->line ? -1 : (*x)->line > (*y)->line;
}

static int files_by_heat(const void *a, const void *b)
{
	const struct source_file *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited > y->waited ? -1 : 1;
	return strcmp(x->lines[0]->file, y->lines[0]->file);
}

/* Sorts lines by file; returns the number of files. There is room for as many
 * as lines. */
static size_t source_files(struct source_file *out, const struct run_line **l,
			   size_t n)
{
	size_t count = 0;

	qsort(l, n, sizeof(*l), lines_in_file);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(l[i - 1]->file, l[i]->file) != 0)
			out[count++] = (struct source_file){ .lines = &l[i] };
		out[count - 1].count++;
		out[count - 1].waited += l[i]->waited;
	}
	qsort(out, count, sizeof(*out), files_by_heat);
	return count;
}

static void file_listing(FILE *to, struct source_part *p,
			 const struct source_file *f)
{
	size_t shown = f->count < LINES_OF_FILE ? f->count : LINES_OF_FILE;

	html(to,
	     "<details><summary>%s <small>%zu line%s, %.1f%% of the waiting"
	     "</small></summary>\n",
	     f->lines[0]->file, f->count, f->count == 1 ? "" : "s",
	     100 * ratio_of((double)f->waited, (double)p->v->waited));
	table_heads(to, p, "#");
	for (size_t i = 0; i < shown; i++)
		file_row(to, p, f->lines[i]);
	html(to, "</tbody></table></div>\n");
	if (shown < f->count)
		html(to,
		     "<p class=\"about\">%zu more lines are in the run's "
		     "JSON.</p>\n",
		     f->count - shown);
	html(to, "</details>\n");
}

/* All lines, file by file. Without memory for it the hottest lines remain. */
static void file_listings(FILE *to, struct source_part *p)
{
	size_t n = p->v->line_count, count, shown;
	const struct run_line **l = malloc((n + 1) * sizeof(*l));
	struct source_file *f = malloc((n + 1) * sizeof(*f));

	for (size_t i = 0; l && i < n; i++)
		l[i] = &p->v->lines[i];
	count = l && f ? source_files(f, l, n) : 0;
	shown = count < FILES_SHOWN ? count : FILES_SHOWN;
	for (size_t i = 0; i < shown; i++)
		file_listing(to, p, &f[i]);
	if (shown < count)
		html(to,
		     "<p class=\"about\">%zu more files are in the run's "
		     "JSON.</p>\n",
		     count - shown);
	free(f);
	free(l);
}

static struct source_part source_part_of(const struct run_view *v)
{
	struct source_part p = { .v = v, .code_left = CODE_SHOWN };

	for (size_t i = 0; i < v->line_count; i++) {
		const struct run_line *l = &v->lines[i];
		uint64_t slots = slots_sum(l->slots);

		p.issued += l->issued;
		p.reasons |= slots > 0;
		p.inlined |= l->total_issued != l->issued;
		if (slots > p.most_slots)
			p.most_slots = slots;
	}
	return p;
}

void part_lines(FILE *to, const struct run_view *v)
{
	struct source_part p = source_part_of(v);
	size_t shown = 0;

	if (!v->waited)
		return;
	html_section(
		to, "Hottest source lines",
		"By the cycles that warps waited before they could issue "
		"an instruction of the line. The bars are issue slots lost "
		"meanwhile, by reason.");
	table_heads(to, &p, NULL);
	/* Lines without instructions of their own come last. */
	for (; shown < v->line_count && shown < LINES_HOT; shown++) {
		if (!v->lines[shown].issued)
			break;
		hot_row(to, &p, &v->lines[shown]);
	}
	html(to, "</tbody></table></div>\n");
	if (p.reasons) {
		html(to,
		     "<h3>Source by file</h3>\n<p class=\"about\">Lines that "
		     "have instructions%s. Unfold a line to see them.</p>\n",
		     p.inlined ? ", and lines that were inlined into them "
				 "count for the line that called them as well" :
				 "");
		file_listings(to, &p);
	}
	html_section_end(to);
}
