/*
 * The harness of our tests.
 *
 *	TEST(arena, memory_comes_zeroed)
 *	{
 *		EQ(0, first_byte());
 *	}
 *
 * The name is a sentence. The list of tests is generated from the lines that
 * start with TEST( (scripts/gen-tests), so that none can be forgotten. The
 * first check that fails ends its test; checks may sit in helper functions,
 * but only on the thread that runs the test.
 *
 * LABEL(group, threads), at the start of a line, gives a group a CTest label;
 * `threads` is what the thread-sanitizer build runs.
 */
#ifndef HEDDLE_TESTS_TEST_H
#define HEDDLE_TESTS_TEST_H

#include <stdbool.h>
#include <stdint.h>

#define TEST(group, name)                  \
	void test_##group##__##name(void); \
	void test_##group##__##name(void)

#define LABEL(group, label) struct label_##group##_##label

/* Numbers and pointers of any type; both values are printed when they differ.
 * A negative number never equals an unsigned one. NaN equals NaN. */
#define EQ(want, got) \
	test_eq(__FILE__, __LINE__, #got, TEST_VALUE(want), TEST_VALUE(got))
#define OK(cond) test_ok(__FILE__, __LINE__, #cond, (cond) ? 1 : 0)
/* NULL equals only NULL. */
#define STREQ(want, got) test_streq(__FILE__, __LINE__, #got, (want), (got))
/* The statement must stop the process as BUG does; it runs in a child. */
#define DIES(statement)                                            \
	do {                                                       \
		if (test_child())                                  \
			test_died(__FILE__, __LINE__, #statement); \
		else {                                             \
			statement;                                 \
			test_survived();                           \
		}                                                  \
	} while (0)

struct test_value {
	enum { TEST_SIGNED, TEST_UNSIGNED, TEST_FLOAT, TEST_POINTER } kind;
	union {
		int64_t i;
		uint64_t u;
		double f;
		const void *p;
	};
};

/* clang-format off */
#define TEST_VALUE(x)                              \
	_Generic((x),                              \
		_Bool: test_unsigned,              \
		char: test_signed,                 \
		signed char: test_signed,          \
		short: test_signed,                \
		int: test_signed,                  \
		long: test_signed,                 \
		long long: test_signed,            \
		unsigned char: test_unsigned,      \
		unsigned short: test_unsigned,     \
		unsigned: test_unsigned,           \
		unsigned long: test_unsigned,      \
		unsigned long long: test_unsigned, \
		float: test_float,                 \
		double: test_float,                \
		default: test_pointer)(x)
/* clang-format on */

struct test_value test_signed(int64_t i);
struct test_value test_unsigned(uint64_t u);
struct test_value test_float(double f);
struct test_value test_pointer(const void *p);

void test_eq(const char *file, int line, const char *what,
	     struct test_value want, struct test_value got);
void test_ok(const char *file, int line, const char *what, int cond);
void test_streq(const char *file, int line, const char *what, const char *want,
		const char *got);

/* What DIES is made of. test_child returns 0 in the child it starts, 1 in the
 * test once that child has ended. */
int test_child(void);
void test_died(const char *file, int line, const char *what);
void test_survived(void);

/* One row of the generated list. */
struct test_case {
	const char *group, *name;
	void (*run)(void);
};
extern const struct test_case test_list[];
extern const int test_count;

#endif
