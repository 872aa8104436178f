/* Reading the parts of a trace's sections: struct cursor of trace/format.h.
 * Checksums keep damaged files away from it, hostile ones have good checksums. */
#include "test.h"

#include <stdlib.h>

#include "trace/format.h"

static const uint8_t bytes[] = { 3, 'a', 'b', 'c', 9, 2, 'x', 0 };

static struct cursor over(size_t from, size_t to)
{
	return (struct cursor){ bytes + from, bytes + to, false };
}

TEST(trace_cursor, bytes_lie_within_the_section)
{
	struct cursor c = over(0, 4);

	EQ(bytes, cursor_bytes(&c, 3));
	EQ(bytes + 3, cursor_bytes(&c, 1));
	EQ(bytes + 4, cursor_bytes(&c, 0));
	OK(!c.bad);
	EQ(NULL, cursor_bytes(&c, 1));
	OK(c.bad);
	c = over(0, 4);
	EQ(NULL, cursor_bytes(&c, 5));
	OK(c.bad);
}

TEST(trace_cursor, once_bad_it_gives_nothing)
{
	struct cursor c = over(0, 4);

	EQ(0, cursor_bounded(&c, 2));
	OK(c.bad);
	EQ(NULL, cursor_bytes(&c, 0));
	EQ(0, cursor_number(&c));
	EQ(NULL, cursor_text(&c));
	c = over(0, 4);
	EQ(3, cursor_bounded(&c, 3));
	OK(!c.bad);
}

TEST(trace_cursor, a_text_has_its_length_and_no_nul)
{
	struct cursor c = over(0, 8);
	char *text = cursor_text(&c);

	STREQ("abc", text);
	free(text);
	EQ(NULL, cursor_text(&c)); /* 9 bytes of 3 */
	OK(c.bad);
	c = over(5, 8);
	text = cursor_text(&c);
	OK(c.bad);
	free(text);
}
