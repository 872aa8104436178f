#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "explore/html.h"
#include "explore/plot.h"

static char *text;
static size_t size;

static FILE *start(void)
{
	return open_memstream(&text, &size);
}

static void gives(const char *want, FILE *f)
{
	fclose(f);
	STREQ(want, text);
	free(text);
}

TEST(explore_html, texts_cannot_become_markup)
{
	FILE *f = start();

	html(f, "<p title=\"%s\">%s</p>", "\"><script>", "a<b>&'c'");
	gives("<p title=\"&quot;&gt;&lt;script&gt;\">a&lt;b&gt;&amp;&#39;c"
	      "&#39;</p>",
	      f);
}

TEST(explore_html, what_is_no_character_is_replaced)
{
	FILE *f = start();

	html(f, "%s|%s|%s",
	     "a\xff"
	     "b",
	     "\x01\x7f", "\xc3\xa9\t\n");
	gives("a\xef\xbf\xbd"
	      "b|\xef\xbf\xbd\xef\xbf\xbd|\xc3\xa9\t\n",
	      f);
}

TEST(explore_html, numbers_are_printed_as_by_printf)
{
	FILE *f = start();
	size_t n = 7;

	html(f, "%d %u %5.1f%% %.*f %zu %lu %lld %02x %c %g", -3, 4u, 12.34, 2,
	     0.5, n, 18446744073709551615ul, -9ll, 10, '<', 1e6);
	gives("-3 4  12.3% 0.50 7 18446744073709551615 -9 0a &lt; 1e+06", f);
}

TEST(explore_html, a_precision_cuts_a_text_between_characters)
{
	FILE *f = start();

	html(f, "%.2s|%.0s|%.3s", "abcdef", "x", "a&b");
	gives("ab||a&amp;b", f);
}

TEST(explore_html, fields_of_csv_are_quoted_where_needed)
{
	static const char *const want[][2] = {
		{ "plain", "plain" },
		{ "", "" },
		{ "a,b", "\"a,b\"" },
		{ "say \"x\"", "\"say \"\"x\"\"\"" },
		{ "two\nlines", "\"two\nlines\"" },
		{ "=1+1", "'=1+1" },
		{ "@SUM(A1)", "'@SUM(A1)" },
		{ "-3.5", "-3.5" },
		{ "+.5", "+.5" },
		{ "-cmd", "'-cmd" },
		{ "=a,b", "\"'=a,b\"" },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		FILE *f = start();

		csv_text(f, want[i][0]);
		gives(want[i][1], f);
	}
}

TEST(explore_plot, texts_for_gnuplot_have_no_quotes_and_no_lines)
{
	FILE *f = start();

	plot_quote(f, "it's `ls`\n\x01\xff$x \"q\"", 40);
	gives("'it\xe2\x80\x99s \xe2\x80\x99ls\xe2\x80\x99   $x \"q\"'", f);
	f = start();
	plot_quote(f, "123456789", 4);
	gives("'1234...'", f);
}

static bool draws(const char *want, const char *svg)
{
	FILE *f = start();
	bool ok = plot_svg(f, svg, 3, "a <plot>");

	fclose(f);
	if (ok && want)
		STREQ(want, text);
	free(text);
	return ok;
}

TEST(explore_plot, a_drawing_becomes_part_of_a_page)
{
	EQ(true, draws("<svg role=\"img\" viewBox=\"0 0 1 1\">"
		       "<title>a &lt;plot&gt;</title>"
		       "<g id='p3-a'/><use xlink:href='#p3-a'/>"
		       "<path stroke='var(--c1)'/><text>x</text></svg>",
		       "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\">"
		       "<title>gnuplot</title><desc>by</desc><g id='a'/>"
		       "<use xlink:href='#a'/>"
		       "<path stroke='rgb( 47, 109, 179)'/><text>x</text>"
		       "</svg>"));
}

TEST(explore_plot, what_gnuplot_does_not_draw_with_is_refused)
{
	EQ(false, draws(NULL, "no drawing"));
	EQ(false, draws(NULL, "<svg><script>alert(1)</script></svg>"));
	EQ(false, draws(NULL, "<svg><image width='1'/></svg>"));
	EQ(false, draws(NULL, "<svg><g onclick='x()'/></svg>"));
	EQ(false, draws(NULL, "<svg><use xlink:href='http://x/'/></svg>"));
	EQ(false, draws(NULL, "<svg><g id='a></svg>"));
	EQ(false, draws(NULL, "<svg><g id=a/></svg>"));
	EQ(false, draws(NULL, "<svg><g"));
	EQ(true, draws(NULL, "<svg><g/></svg>"));
}
