#include "explore/html.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "explore/style.h"

static void html_escape(FILE *to, const char *s, int most)
{
	static const char special[] = "&<>\"'";
	static const char *const entity[] = { "&amp;", "&lt;", "&gt;", "&quot;",
					      "&#39;" };

	for (int used = 0; *s && (most < 0 || used < most);) {
		size_t n = utf8_length(s);
		const char *p = strchr(special, *s);
		unsigned char c = (unsigned char)*s;

		if (p)
			fputs(entity[p - special], to);
		else if (!n || (c < 0x20 && c != '\t' && c != '\n') ||
			 c == 0x7f)
			fputs("\xef\xbf\xbd", to);
		else
			fwrite(s, 1, n, to);
		s += n ? n : 1;
		used += n ? (int)n : 1;
	}
}

/* A conversion of a format. */
struct html_spec {
	char text[32]; /* with the number in place of * */
	int precision; /* -1: none */
	int longs;     /* l's; z counts as one */
	char kind;
};

static const char *html_read_spec(struct html_spec *s, const char *at,
				  va_list *ap)
{
	size_t used = 1;
	bool dot = false;

	*s = (struct html_spec){ .text = "%", .precision = -1 };
	at++;
	do {
		CHECK(used < 16 && *at);
		if (*at == '*') {
			int v = va_arg(*ap, int);

			used += (size_t)snprintf(s->text + used, 12, "%d", v);
			if (dot)
				s->precision = v;
			continue;
		}
		if (*at == '.') {
			dot = true;
			s->precision = 0;
		} else if (dot && *at >= '0' && *at <= '9') {
			s->precision = 10 * s->precision + (*at - '0');
		}
		s->longs += *at == 'l' || *at == 'z';
		s->text[used++] = *at;
	} while (!strchr("scdiuxfge%", *at++));
	s->kind = s->text[used - 1];
	return at;
}

_Static_assert(sizeof(long) == sizeof(long long) &&
		       sizeof(long) == sizeof(size_t),
	       "one case for all longs");

/* The format is the caller's, checked where html() is called. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void html_convert(FILE *to, const struct html_spec *s, va_list *ap)
{
	char one[2] = { 0 };

	switch (s->kind) {
	case 's':
		html_escape(to, va_arg(*ap, const char *), s->precision);
		return;
	case 'c':
		one[0] = (char)va_arg(*ap, int);
		html_escape(to, one, -1);
		return;
	case '%':
		fputc('%', to);
		return;
	case 'f':
	case 'g':
	case 'e':
		fprintf(to, s->text, va_arg(*ap, double));
		return;
	default:
		if (s->longs)
			fprintf(to, s->text, va_arg(*ap, long));
		else
			fprintf(to, s->text, va_arg(*ap, int));
	}
}
#pragma GCC diagnostic pop

void html(FILE *to, const char *fmt, ...)
{
	struct html_spec s;
	va_list ap;

	va_start(ap, fmt);
	while (*fmt) {
		size_t n = strcspn(fmt, "%");

		fwrite(fmt, 1, n, to);
		fmt += n;
		if (!*fmt)
			break;
		fmt = html_read_spec(&s, fmt, &ap);
		html_convert(to, &s, &ap);
	}
	va_end(ap);
}

void csv_text(FILE *to, const char *text)
{
	bool quote = text[strcspn(text, ",\"\r\n")] != '\0';
	/* A number may begin with a sign. */
	bool formula = *text && strchr("=@\t\r", *text);

	if (!formula && *text && strchr("+-", *text))
		formula = text[1] && !strchr("0123456789.", text[1]);
	if (quote)
		fputc('"', to);
	if (formula)
		fputc('\'', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	if (quote)
		fputc('"', to);
}

void csv_real(FILE *to, double v)
{
	if (isfinite(v))
		fprintf(to, ",%.17g", v);
	else
		fputc(',', to);
}

void html_open(FILE *to, const struct html_page *p)
{
	html(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		 "<meta charset=\"utf-8\">\n"
		 "<meta name=\"viewport\" "
		 "content=\"width=device-width, initial-scale=1\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" "
		 "content=\"default-src 'none'; style-src 'unsafe-inline'; "
		 "img-src data:");
	if (p->script)
		html(to, "; script-src 'sha256-%s'", p->script_hash);
	html(to,
	     "\">\n<link rel=\"icon\" href=\"data:,\">\n"
	     "<title>%s</title>\n<style>\n",
	     p->title);
	fputs(page_style, to);
	html(to, "</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n",
	     p->title);
	if (p->subtitle)
		html(to, "<p class=\"sub\">%s</p>\n", p->subtitle);
	html(to, "</header>\n<main>\n");
}

void html_close(FILE *to, const struct html_page *p)
{
	html(to, "</main>\n");
	if (p->script) {
		/* As it is: the hash is of these bytes. */
		fputs("<script>", to);
		fputs(p->script, to);
		fputs("</script>\n", to);
	}
	html(to, "</body>\n</html>\n");
}

void html_section(FILE *to, const char *heading, const char *about)
{
	html(to, "<section>\n<h2>%s</h2>\n", heading);
	if (about)
		html(to, "<p class=\"about\">%s</p>\n", about);
}

void html_section_end(FILE *to)
{
	html(to, "</section>\n");
}

void html_card(FILE *to, const char *name, const char *value, const char *about)
{
	html(to, "<div class=\"card\"><dt>%s</dt><dd>%s", name, value);
	if (about)
		html(to, "<small>%s</small>", about);
	html(to, "</dd></div>\n");
}

void html_bar(FILE *to, const char *name, double share, const char *fill,
	      const char *about)
{
	double width = !(share > 0) ? 0 : share > 1 ? 1 : share;

	html(to,
	     "<tr><th scope=\"row\">%s</th>"
	     "<td class=\"track\"><div><i class=\"%s\" "
	     "style=\"width:%.2f%%\"></i></div></td>"
	     "<td class=\"n\">%.1f%%</td><td class=\"why\">%s</td></tr>\n",
	     name, fill, 100 * width, 100 * share, about);
}
