/* Advice in a terminal and in JSON. */
#include <inttypes.h>
#include <string.h>

#include "explore/advice.h"
#include "explore/files.h"

enum { WIDTH = 79 };

const char *advice_bound_text(char text[ADVICE_BOUND_TEXT], double bound)
{
	snprintf(text, ADVICE_BOUND_TEXT, "at most %.0f%% of the cycles, %.3gx",
		 100 * bound, advice_speedup(bound));
	return text;
}

const char *advice_place_text(char text[ADVICE_TEXT],
			      const struct advice_finding *f)
{
	text[0] = '\0';
	if (f->line)
		snprintf(text, ADVICE_TEXT, "%.360s:%" PRIu32,
			 file_base_name(f->file), f->line);
	return text;
}

/* Prints words from column `from` on, in lines that begin there. */
static void print_wrapped(FILE *to, unsigned from, const char *text)
{
	unsigned column = from;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (column > from && column + 1 + n > WIDTH) {
			fprintf(to, "\n%*s", (int)from, "");
			column = from;
		} else if (column > from) {
			fputc(' ', to);
			column++;
		}
		fprintf(to, "%.*s", (int)n, text);
		column += (unsigned)n;
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', to);
}

static void print_finding(FILE *to, size_t number,
			  const struct advice_finding *f)
{
	char text[2 * ADVICE_TEXT], bound[ADVICE_BOUND_TEXT];

	snprintf(text, sizeof(text), "%s Gain: %s. (%s)", f->finding,
		 advice_bound_text(bound, f->bound), f->rule);
	fprintf(to, "    %zu. ", number);
	print_wrapped(to, 7, text);
	fprintf(to, "%7s", "");
	print_wrapped(to, 7, f->evidence);
	fprintf(to, "%7s", "");
	print_wrapped(to, 7, f->remedy);
}

static void print_findings(FILE *to, const struct advice_list *a)
{
	for (size_t i = 0; i < a->count; i++)
		print_finding(to, i + 1, &a->at[i]);
}

void advice_print(FILE *to, const struct advice_list *a)
{
	fputs("  advice    ", to);
	print_wrapped(to, 12,
		      a->count ? "what limits it, largest possible gain first" :
				 a->none);
	print_findings(to, a);
}

void advice_print_kernel(FILE *to, const char *kernel,
			 const struct advice_list *a)
{
	fputs("  advice    ", to);
	if (a->count) {
		fprintf(to, "%s\n", kernel);
		print_findings(to, a);
		return;
	}
	fprintf(to, "%s\n%7s", kernel, "");
	print_wrapped(to, 7, a->none);
}

void advice_json(struct json *j, const struct advice_list *a)
{
	json_open(j, "advice", '[');
	for (size_t i = 0; i < a->count; i++) {
		const struct advice_finding *f = &a->at[i];

		json_open(j, NULL, '{');
		json_string(j, "rule", f->rule);
		json_string(j, "finding", f->finding);
		json_string(j, "evidence", f->evidence);
		json_string(j, "remedy", f->remedy);
		json_real(j, "bound", f->bound);
		if (f->line) {
			json_string(j, "file", f->file);
			json_uint(j, "line", f->line);
		}
		json_close(j, '{');
	}
	json_close(j, '[');
	if (!a->count)
		json_string(j, "advice_about", a->none);
}
