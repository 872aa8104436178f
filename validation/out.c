#include "out.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>

#include "base/outfile.h"
#include "explore/html.h"

static enum err out_path(char path[PATH_MAX], const char *folder,
			 const char *name, struct diag *d)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);

	return n >= 0 && n < PATH_MAX ?
		       ERR_OK :
		       fail(d, ERR_RANGE, "the path '%.200s...' is too long",
			    path);
}

enum err out_files(const char *folder,
		   enum err write(const struct study_out *o, const void *ctx,
				  struct diag *d),
		   const void *ctx, struct diag *d)
{
	char page[PATH_MAX], text[PATH_MAX];
	struct outfile a, b;
	enum err e;

	if (out_path(page, folder, "index.html", d) ||
	    out_path(text, folder, "tables.md", d) || outfile_open(&a, page, d))
		return d->code;
	e = outfile_open(&b, text, d);
	if (!e) {
		e = write(&(struct study_out){ a.to, b.to }, ctx, d);
		e = outfile_close(&b, e, d);
	}
	return outfile_close(&a, e, d);
}

void out_section(const struct study_out *o, const char *heading,
		 const char *about)
{
	html_section(o->page, heading, about);
	fprintf(o->text, "\n## %s\n\n%s\n", heading, about);
}

void out_section_end(const struct study_out *o)
{
	html_section_end(o->page);
}

void out_details(const struct study_out *o, const char *summary)
{
	html(o->page, "<details><summary>%s</summary>\n", summary);
	fprintf(o->text, "\n%s:\n", summary);
}

void out_details_end(const struct study_out *o)
{
	html(o->page, "</details>\n");
}

void out_table(const struct study_out *o, const char *const *heads)
{
	size_t n = 0;

	html(o->page, "<div class=\"scroll pin\"><table><thead><tr>");
	fprintf(o->text, "\n|");
	for (; heads[n]; n++) {
		html(o->page, "<th scope=\"col\"%s>%s</th>",
		     n ? " class=\"n\"" : "", heads[n]);
		fprintf(o->text, " %s |", heads[n]);
	}
	html(o->page, "</tr></thead><tbody>\n");
	fprintf(o->text, "\n|");
	while (n--)
		fprintf(o->text, "---|");
	fputc('\n', o->text);
}

void out_table_end(const struct study_out *o)
{
	html(o->page, "</tbody></table></div>\n");
}

void out_row(const struct study_out *o, const char *name)
{
	html(o->page, "<tr><th scope=\"row\" class=\"nw\">%s</th>", name);
	fprintf(o->text, "| %s |", name);
}

void out_row_end(const struct study_out *o)
{
	html(o->page, "</tr>\n");
	fputc('\n', o->text);
}

void out_cell(const struct study_out *o, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	html(o->page, "<td class=\"n\">%s</td>", text);
	fprintf(o->text, " %s |", text);
}

void out_words(const struct study_out *o, const char *words)
{
	html(o->page, "<td class=\"why\">%s</td>", words);
	fprintf(o->text, " %s |", words);
}

void out_percent(const struct study_out *o, double share)
{
	if (isnan(share))
		out_cell(o, "-");
	else
		out_cell(o, "%.1f%%", 100 * share);
}

void out_ratio(const struct study_out *o, double v)
{
	if (isnan(v))
		out_cell(o, "-");
	else
		out_cell(o, "%.2f", v);
}

void out_whole(const struct study_out *o, double v)
{
	if (isnan(v))
		out_cell(o, "-");
	else
		out_cell(o, "%.0f", v);
}
