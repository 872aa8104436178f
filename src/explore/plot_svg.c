/*
 * What gnuplot has drawn, made part of a page: without its head, its names
 * made unique, its colours those of the page's style, so that they follow
 * light and dark.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/html.h"
#include "explore/plot.h"

/* Colours of the script, and what they are on a page. */
static const struct {
	unsigned rgb;
	const char *name;
} colours[] = {
	{ 0x2f6db3, "c1" },   { 0xc2570c, "c2" },  { 0x2f7f6d, "c3" },
	{ 0x8a4fb0, "c4" },   { 0xb3832a, "c5" },  { 0xb33a63, "c6" },
	{ 0x4b6b20, "c7" },   { 0x5a6b7b, "c8" },  { 0x59636e, "soft" },
	{ 0xdde2e7, "line" }, { 0x1b1f24, "ink" },
};

/* All that gnuplot draws with; anything else is not its own. */
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

/* rgb( 47, 109, 179) as the colour of the page that it is. */
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

/* The value of an attribute; false: it does not belong on a page. */
static bool svg_put_value(FILE *to, const char *name, size_t name_size,
			  const char *value, size_t size, size_t number)
{
	bool id = name_size == 2 && !memcmp(name, "id", 2);
	bool link = name_size == 10 && !memcmp(name, "xlink:href", 10);

	/* A link is to another part of the same drawing. */
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

/* An attribute; where it ends, or NULL. */
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

/* A tag from its '<' on; where it ends, or NULL. */
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

/* Titles that gnuplot gives would be shown to whoever points at something. */
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
