#include "test.h"

#include <string.h>

#include "base/diag.h"

TEST(diag, every_error_has_a_text_of_its_own)
{
	for (int i = 0; i < ERR_COUNT; i++) {
		const char *text = err_text((enum err)i);

		OK(text != NULL);
		OK(text[0] != '\0');
		OK(strchr(text, '\n') == NULL);
		for (int j = 0; j < i; j++)
			OK(strcmp(text, err_text((enum err)j)) != 0);
	}
}

TEST(diag, success_is_zero)
{
	EQ(0, ERR_OK);
	STREQ("success", err_text(ERR_OK));
}

TEST(diag, a_code_out_of_range_still_has_a_text)
{
	STREQ("unknown error", err_text(ERR_COUNT));
	STREQ("unknown error", err_text((enum err)(ERR_COUNT + 1000)));
}

TEST(diag, fail_returns_its_code_and_fills_the_diagnosis)
{
	struct diag d = { 0 };

	EQ(ERR_RANGE, fail(&d, ERR_RANGE, "%s = %d", "l2.ways", 65));
	EQ(ERR_RANGE, d.code);
	STREQ("l2.ways = 65", d.text);
}

TEST(diag, a_text_too_long_is_cut_and_still_ends)
{
	static char name[2 * sizeof(((struct diag *)0)->text)];
	struct diag d;

	memset(&d, 'z', sizeof(d));
	memset(name, 'x', sizeof(name) - 1);
	EQ(ERR_UNKNOWN, fail(&d, ERR_UNKNOWN, "no parameter named '%s'", name));
	EQ(sizeof(d.text) - 1, strlen(d.text));
	EQ(0, strncmp(d.text, "no parameter named 'xxx", 23));
}

TEST(diag, a_later_failure_replaces_an_earlier_one)
{
	struct diag d = { 0 };

	fail(&d, ERR_SYNTAX, "a rather long first text");
	fail(&d, ERR_IO, "second");
	EQ(ERR_IO, d.code);
	STREQ("second", d.text);
}

TEST(diag, a_check_that_fails_stops_the_process)
{
	volatile int one = 1;

	CHECK(one == 1);
	DIES(CHECK(one == 2));
	DIES(BUG("on purpose"));
}
