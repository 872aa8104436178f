/*
 * Makes an SVG of gnuplot's part of a page: drops its head, makes its names
 * unique, and replaces its colours by those of the page's style, so that they
 * follow light and dark.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/html.h"
#include "explore/plot.h"

/* Colours of the script, and their names in the page's style. */
static const struct {
	unsigned rgb;
	const char *name;
} colours[] = {
	{ 0x2f6db3, "c1" },   { 0xc2570c, "c2" },  { 0x2f7f6d, "c3" },
	{ 0x8a4fb0, "c4" },   { 0xb3832a, "c5" },  { 0xb33a63, "c6" },
	{ 0x4b6b20, "c7" },   { 0x5a6b7b, "c8" },  { 0x59636e, "soft" },
	{ 0xdde2e7, "line" }, { 0x1b1f24, "ink" },
};

/* Everything that gnuplot draws with; anything else is refused. */
static const char *const elements[] = {
	"svg",  "title", "desc",    "g",        "rect",    "defs",
	"path", "use",   "circle",  "filter",   "feFlood", "feComposite",
	"text", "tspan", "polygon", "polyline", "line",
};
static const char *const attributes[] = {
	"viewBox",
	"xmlns",
	"xmlns:xlink",
	"id",
	"x",
	"y",
	"width",
	"height",
	"r",
	"cx",
	"cy",
	"d",
	"fill",
	"stroke",
	"stroke-width",
	"color",
	"transform",
	"points",
	"class",
	"font-family",
	"font-size",
	"text-anchor",
	"stroke-linecap",
	"stroke-linejoin",
	"xlink:href",
	"filterUnits",
	"flood-color",
	"flood-opacity",
	"result",
	"in",
	"in2",
	"operator",
	"fill-opacity",
	"stroke-dasharray",
	"stroke-opacity",
	"font-weight",
	"font-style",
	"xml:space",
	"opacity",
	"shape-rendering",
};

static bool svg_is_listed(const char *const *list, size_t n, const char *at,
			  size_t size)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == size && !memcmp(list[i], at, size))
			return true;
	return false;
}

#define LISTED(list, at, size) \
	svg_is_listed(list, sizeof(list) / sizeof((list)[0]), at, size)

static bool svg_is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == ':' || c == '-' || c == '_';
}

static size_t svg_name_length(const char *at)
{
	size_t n = 0;

	while (svg_is_name_char(at[n]))
		n++;
	return n;
}

/* Writes rgb( 47, 109, 179) as the page's name of that colour. */
static bool svg_put_colour(FILE *to, const char *value, size_t size)
{
	unsigned r, g, b;
	char text[40];

	if (size >= sizeof(text))
		return false;
	memcpy(text, value, size);
	text[size] = '\0';
	if (!strcmp(text, "black")) {
		fputs("var(--ink)", to);
		return true;
	}
	if (!strcmp(text, "white")) {
		fputs("var(--bg)", to);
		return true;
	}
	if (sscanf(text, "rgb(%u,%u,%u)", &r, &g, &b) != 3)
		return false;
	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
		if (colours[i].rgb == (r << 16 | g << 8 | b)) {
			fprintf(to, "var(--%s)", colours[i].name);
			return true;
		}
	return false;
}

/* Writes the value of an attribute; false: it does not belong on a page. */
static bool svg_put_value(FILE *to, const char *name, size_t name_size,
			  const char *value, size_t size, size_t number)
{
	bool id = name_size == 2 && !memcmp(name, "id", 2);
	bool link = name_size == 10 && !memcmp(name, "xlink:href", 10);

	/* A link may only lead to another part of the drawing. */
	if (link && (!size || value[0] != '#'))
		return false;
	if (memchr(value, '<', size))
		return false;
	if (id || link) {
		fprintf(to, "%sp%zu-", link ? "#" : "", number);
		fwrite(value + link, 1, size - link, to);
		return true;
	}
	if (svg_put_colour(to, value, size))
		return true;
	fwrite(value, 1, size, to);
	return true;
}

static size_t svg_space(const char *at)
{
	return strspn(at, " \t\r\n");
}

/* Writes an attribute; returns its end, or NULL. */
static const char *svg_put_attribute(FILE *to, const char *name, size_t number)
{
	size_t n = svg_name_length(name);
	const char *at = name + n, *end;
	char quote;

	at += svg_space(at);
	if (!LISTED(attributes, name, n) || *at != '=')
		return NULL;
	at++;
	at += svg_space(at);
	quote = *at;
	if (quote != '"' && quote != '\'')
		return NULL;
	end = strchr(++at, quote);
	if (!end)
		return NULL;
	fprintf(to, " %.*s=%c", (int)n, name, quote);
	if (!svg_put_value(to, name, n, at, (size_t)(end - at), number))
		return NULL;
	fputc(quote, to);
	return end + 1;
}

/* Writes a tag from its '<' on; returns its end, or NULL. */
static const char *svg_put_tag(FILE *to, const char *at, size_t number)
{
	const char *name = at + 1 + (at[1] == '/');
	size_t n = svg_name_length(name);

	if (!LISTED(elements, name, n))
		return NULL;
	fwrite(at, 1, (size_t)(name + n - at), to);
	if (n == 3 && at[1] == 's')
		fputs(" role=\"img\"", to);
	at = name + n;
	at += svg_space(at);
	while (at && *at && *at != '>' && *at != '/') {
		at = svg_put_attribute(to, at, number);
		at = at ? at + svg_space(at) : NULL;
	}
	if (at && *at == '/')
		fputc(*at++, to);
	if (!at || *at != '>')
		return NULL;
	fputc('>', to);
	return at + 1;
}

/* gnuplot's titles would pop up when the reader points at something. */
static const char *svg_skip_title(const char *at)
{
	static const char *const open[] = { "<title>", "<desc>" };
	static const char *const close[] = { "</title>", "</desc>" };

	for (int i = 0; i < 2; i++) {
		const char *end;

		if (strncmp(at, open[i], strlen(open[i])) != 0)
			continue;
		end = strstr(at, close[i]);
		return end ? end + strlen(close[i]) : NULL;
	}
	return NULL;
}

bool plot_svg(FILE *to, const char *svg, size_t number, const char *alt)
{
	const char *at = strstr(svg, "<svg"), *next;

	if (!at)
		return false;
	at = svg_put_tag(to, at, number);
	if (!at)
		return false;
	html(to, "<title>%s</title>", alt);
	while (*at) {
		size_t text = strcspn(at, "<");

		fwrite(at, 1, text, to);
		at += text;
		if (!*at)
			break;
		next = svg_skip_title(at);
		at = next ? next : svg_put_tag(to, at, number);
		if (!at)
			return false;
	}
	return true;
}
