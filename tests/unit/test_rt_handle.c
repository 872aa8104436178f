#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "door/rt/handle.h"

enum { N = 1000 };

TEST(rt_handle, what_was_added_is_found_and_nothing_else)
{
	static char places[N];
	struct handles t = { 0 };

	OK(!handle_is(&t, places, HANDLE_STREAM));
	OK(handle_add(&t, places, HANDLE_STREAM));
	OK(handle_is(&t, places, HANDLE_STREAM));
	OK(!handle_is(&t, places, HANDLE_EVENT));
	OK(!handle_is(&t, places + 1, HANDLE_STREAM));
	OK(!handle_is(&t, NULL, HANDLE_STREAM));
	handle_remove(&t, places);
	handle_remove(&t, places);
	OK(!handle_is(&t, places, HANDLE_STREAM));
	EQ(0, t.count);
	free(t.slots);
}

TEST(rt_handle, removals_leave_no_holes_in_the_way_of_others)
{
	static char places[N];
	bool there[N] = { 0 };
	struct handles t = { 0 };
	uint32_t seed = 1;

	for (int i = 0; i < 100 * N; i++) {
		int k;

		seed = seed * 1664525 + 1013904223;
		k = (int)(seed >> 8) % N;
		if (there[k])
			handle_remove(&t, &places[k]);
		else
			OK(handle_add(&t, &places[k], HANDLE_NODE));
		there[k] = !there[k];
		k = (int)(seed >> 4) % N;
		EQ(there[k], handle_is(&t, &places[k], HANDLE_NODE));
	}
	for (int k = 0; k < N; k++)
		EQ(there[k], handle_is(&t, &places[k], HANDLE_NODE));
	free(t.slots);
}

TEST(rt_handle, symbols_have_values)
{
	struct handles t = { 0 };
	static int a, b, value;

	OK(symbol_add(&t, &a, SYMBOL_FUNC, &value));
	EQ(&value, symbol_value(&t, &a, SYMBOL_FUNC));
	EQ(NULL, symbol_value(&t, &a, SYMBOL_VAR));
	EQ(NULL, symbol_value(&t, &b, SYMBOL_FUNC));
	EQ(&a, handle_any(&t, SYMBOL_FUNC, NULL, 0));
	EQ(NULL, handle_any(&t, SYMBOL_VAR, NULL, 0));
	free(t.slots);
}
