#include "base/diag.h"

#include <stdio.h>
#include <stdlib.h>

enum err vfail(struct diag *d, enum err code, const char *fmt, va_list ap)
{
	d->code = code;
	vsnprintf(d->text, sizeof(d->text), fmt, ap);
	return code;
}

enum err fail(struct diag *d, enum err code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfail(d, code, fmt, ap);
	va_end(ap);
	return code;
}

const char *err_text(enum err code)
{
	static const char *const text[ERR_COUNT] = {
#define X(id, words) [ERR_##id] = words,
		ERR_MAP(X)
#undef X
	};
	return (unsigned)code < ERR_COUNT ? text[code] : "unknown error";
}

void bug_at(const char *file, int line, const char *what)
{
	fprintf(stderr,
		"heddle: internal error at %s:%d: %s\n"
		"This is a bug in Heddle, please report it with the program "
		"that shows it.\n",
		file, line, what);
	abort();
}
