#include "test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "door/rt/select.h"

static void opens(const char *text)
{
	STREQ(NULL, select_open(text));
}

static void refuses(const char *text, const char *item)
{
	const char *why = select_open(text);

	OK(why != NULL);
	OK(strstr(why, item) == why);
}

/* Which of so many launches of one kernel are timed: "-x-". */
static const char *launches(const char *kernel, unsigned n)
{
	static char text[64];

	for (unsigned i = 0; i < n; i++)
		text[i] = select_timed(kernel, i + 1) ? 'x' : '-';
	text[n] = '\0';
	return text;
}

TEST(select, without_a_word_everything_is_timed)
{
	opens(NULL);
	STREQ("xxx", launches("k", 3));
}

TEST(select, none_is_none)
{
	opens("none");
	STREQ("---", launches("k", 3));
	opens(NULL);
}

TEST(select, launches_by_number)
{
	opens("3");
	STREQ("--x--", launches("k", 5));
	opens("2-3,5");
	STREQ("-xx-x-", launches("k", 6));
	opens("4-");
	STREQ("---xx", launches("k", 5));
	opens("1-18446744073709551615");
	STREQ("xx", launches("k", 2));
	opens(NULL);
}

TEST(select, kernels_by_name)
{
	opens("scale");
	STREQ("xx", launches("scale", 2));
	STREQ("xx", launches("_ZN2ns5scaleEPf", 2));
	STREQ("xx", launches("_Z5scaleIfEvPT_", 2));
	STREQ("--", launches("rescale", 2));
	STREQ("--", launches("_Z7rescalePf", 2));
	opens("*scale");
	STREQ("x", launches("_Z7rescalePf", 1));
	opens("ns::s*");
	STREQ("x", launches("_ZN2ns5scaleEPf", 1));
	STREQ("-", launches("scale", 1));
	opens("_ZN2ns5scaleEPf");
	STREQ("x", launches("_ZN2ns5scaleEPf", 1));
	STREQ("-", launches("_ZN2ns5scaleEPi", 1));
	opens(NULL);
}

TEST(select, the_first_launches_of_kernels)
{
	opens("a*:2");
	STREQ("xx--", launches("alpha", 4));
	STREQ("xx--", launches("alp", 4));
	STREQ("----", launches("beta", 4));
	opens("first:1");
	STREQ("x--", launches("alpha", 3));
	STREQ("x--", launches("beta", 3));
	opens("ns::k:1,2");
	STREQ("xx-", launches("_ZN2ns1kEv", 3));
	opens(NULL);
}

/* "first" is a word only before a colon. */
TEST(select, a_kernel_called_first_can_be_named)
{
	opens("first");
	STREQ("x", launches("first", 1));
	STREQ("-", launches("k", 1));
	opens(NULL);
}

TEST(select, many_kernels_are_counted_apart)
{
	opens("first:1");
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 1000; i++) {
			char name[16] = "k....";

			for (int c = 1, v = i; c < 5; c++, v /= 10)
				name[c] = (char)('0' + v % 10);
			EQ(round == 0, select_timed(name, 1));
		}
	opens(NULL);
}

TEST(select, mistakes_name_the_item)
{
	refuses("0", "'0': ");
	refuses("1,7-3", "'7-3': ");
	refuses("3x", "'3x': ");
	refuses("3-x", "'3-x': ");
	refuses("99999999999999999999", "'99999999999999999999': ");
	refuses("k:", "'k:': ");
	refuses("k:0", "'k:0': ");
	refuses("k:x", "'k:x': ");
	refuses(":3", "':3': ");
	refuses("1,,2", "'': ");
	refuses("", "'': ");
	refuses("1,", "'': ");
	refuses("none,1", "'none': ");
	opens(NULL);
}
