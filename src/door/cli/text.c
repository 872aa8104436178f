#include "door/cli/text.h"

#include <stdarg.h>

void say_error(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "heddle: %serror:%s ", tint(stderr, TINT_RED),
		tint(stderr, TINT_OFF));
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

_Static_assert((int)HEDDLE_OK == (int)ERR_OK &&
		       (int)HEDDLE_FAULT == (int)ERR_FAULT &&
		       (int)HEDDLE_MISMATCH == (int)ERR_MISMATCH,
	       "the library's status codes are ours");

enum err fail_api(struct diag *d, const struct heddle_error *e)
{
	return fail(d, (enum err)e->code, "%s",
		    e->text[0] ? e->text : err_text((enum err)e->code));
}
