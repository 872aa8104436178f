/*
 * Errors, in three kinds that never mix.
 *
 * The user's mistake is returned as an enum err with a struct diag that names
 * the thing at fault and what would be right. The guest's fault (an illegal
 * address, a trap) is not an error of Heddle: it is recorded in the launch, see
 * simt/fault.h. A bug in Heddle stops the process and names the source line:
 * BUG and CHECK, which are on in every build.
 *
 * Library code never prints and never exits for the first two kinds.
 */
#ifndef HEDDLE_BASE_DIAG_H
#define HEDDLE_BASE_DIAG_H

#include <stdarg.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_USE __attribute__((warn_unused_result))
#define NORETURN __attribute__((noreturn))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/*       id       text */
#define ERR_MAP(X)                                   \
	X(OK, "success")                             \
	X(NOMEM, "out of memory")                    \
	X(SYNTAX, "malformed input")                 \
	X(RANGE, "value out of range")               \
	X(UNKNOWN, "no such name")                   \
	X(UNSUPP, "not supported by this simulator") \
	X(IO, "input or output failed")              \
	X(FAULT, "the program faulted")              \
	X(MISMATCH, "values differ")

enum err {
#define X(id, text) ERR_##id,
	ERR_MAP(X)
#undef X
		ERR_COUNT
};

struct diag {
	enum err code;
	char text[480]; /* one line, names the thing at fault, no newline */
};

/* Fills *d and returns `code`, so that callers can write return fail(...). */
enum err fail(struct diag *d, enum err code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
enum err vfail(struct diag *d, enum err code, const char *fmt, va_list ap)
	PRINTF_LIKE(3, 0);
const char *err_text(enum err code);

NORETURN void bug_at(const char *file, int line, const char *what);

#define BUG(what) bug_at(__FILE__, __LINE__, what)
#define CHECK(cond) (LIKELY(cond) ? (void)0 : BUG(#cond))

#endif
