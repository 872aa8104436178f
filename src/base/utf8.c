#include "base/utf8.h"

void utf8_make_plain(char *s)
{
	for (unsigned char *c = (unsigned char *)s; c && *c; c++) {
		/* U+0080 to U+009F have two bytes. */
		if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
			c[0] = c[1] = '?';
		if ((*c < 0x20 && *c != '\t') || *c == 0x7f)
			*c = '?';
	}
}

size_t utf8_length(const char *s)
{
	const unsigned char *c = (const unsigned char *)s;
	size_t n = c[0] < 0x80 ? 1 :
		   c[0] < 0xc2 ? 0 :
		   c[0] < 0xe0 ? 2 :
		   c[0] < 0xf0 ? 3 :
		   c[0] < 0xf5 ? 4 :
				 0;

	for (size_t i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	/* An overlong encoding, a surrogate, or beyond U+10FFFF. */
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
		return 0;
	return n;
}
