/* Calls: functions, their arguments and their local memory. */
#include <stdlib.h>
#include <string.h>

#include "prog.h"

static uint32_t twice(uint32_t a)
{
	const uint32_t k = 0x9e3779b1u, once = (a ^ 1) * k;

	return (a ^ once) * k;
}

static uint64_t wide(uint32_t a, uint32_t add, uint64_t c)
{
	const uint32_t m = twice(a);

	return (uint64_t)(m >> 16) << 40 | c << 32 | ((m & 0xffff) + add);
}

void check_calls_nested(struct prog *p)
{
	uint64_t want[128];

	for (int i = 0; i < 128; i++) {
		want[i] = 0;
		if (i % 3 == 0)
			want[i] = wide(i, i / 2, i % 50);
		else
			for (int k = 0; k < i % 5; k++)
				want[i] += wide(i + k, 2, 1);
		if (i & 1)
			want[i] += twice((uint32_t)want[i]);
	}
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "calls_nested", D1(2), D1(64), 0, ARG(to));
	SAME(p, want, to);
}

void check_recursion(struct prog *p)
{
	uint32_t want[64 * 3];

	for (uint32_t t = 0; t < 64; t++) {
		const uint32_t m = t % 3, n = t % 5;
		uint32_t a = 0, b = 1;

		for (uint32_t k = 0; k < t % 11; k++) {
			const uint32_t sum = a + b;

			a = b;
			b = sum;
		}
		want[3 * t] = m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3;
		want[3 * t + 1] = a;
		want[3 * t + 2] = t % 2 == 0;
	}
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "recursion", D1(1), D1(64), 0, ARG(to));
	SAME(p, want, to);
}

static int by_value(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

void check_quicksort(struct prog *p)
{
	enum { ROWS = 64, WIDTH = 40 };
	const int width = WIDTH;
	int want[ROWS * WIDTH];

	for (size_t i = 0; i < COUNT(want); i++)
		want[i] = (int)(prog_random(p) % 201) - 100;
	heddle_ptr rows = PUT(p, want);

	/* Threads do not change their last 0 to 3 values. */
	for (int r = 0; r < ROWS; r++)
		qsort(want + r * WIDTH, WIDTH - r % 4, sizeof(int), by_value);
	RUN(p, "quicksort", D1(2), D1(32), 0, ARG(rows), ARG(width));
	SAME(p, want, rows);
}

static int call_op(int which, int a, int b)
{
	int s = 0;

	switch (which) {
	case 0:
		return a + b;
	case 1:
		return a * b;
	case 2:
		for (int d = 1; d <= b; d++)
			if (a % d == 0 && b % d == 0)
				s = d;
		return s;
	default:
		for (int k = 0; k < b % 4; k++)
			s += call_op(k, a, k + 1);
		return s;
	}
}

void check_function_pointer(struct prog *p)
{
	int which[128], want[128];

	for (int i = 0; i < 128; i++) {
		which[i] = prog_random(p) % 4;
		want[i] = call_op(which[i], i + 1, 12);
		if (i % 2)
			want[i] += call_op(which[i] ^ 1, want[i], 3);
	}
	heddle_ptr from = PUT(p, which), to = prog_room(p, sizeof(want));

	RUN(p, "function_pointer", D1(2), D1(64), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}

void check_virtual_call(struct prog *p)
{
	int want[64];

	for (int i = 0; i < 64; i++) {
		const int square = i * i * 100 + 4;

		want[i] =
			square + (i % 3 == 0 ? square :
				  i % 3 == 1 ? (i + 1) * (i + 1) / 2 * 100 + 3 :
					       i * i * 100 + i % 7 * 3);
	}
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "virtual_call", D1(1), D1(64), 0, ARG(to));
	SAME(p, want, to);
}

struct point {
	float x, y;
};
struct job {
	char tag;
	short weight[3];
	double scale;
	struct point at;
	int table[5];
};
struct small {
	unsigned char a[3];
};

void check_struct_param(struct prog *p)
{
	/* Static, so that its padding, which is copied, is the same in every
	 * run. */
	static const struct job job = {
		'q', { -3, 5, 7 }, 0.75, { 1.5f, -2 }, { 1, -2, 3, -4, 5 }
	};
	const struct small small = { { 9, 4, 2 } };
	const int n = 40;
	struct point points[40];
	const struct job *got;

	for (int i = 0; i < n; i++)
		points[i] = (struct point){ i * 0.25f, 8.0f - i };
	heddle_ptr from = PUT(p, points), to = prog_room(p, 40 * sizeof(*got));

	RUN(p, "struct_param", D1(1), D1(64), 0, ARG(job), ARG(small),
	    ARG(from), ARG(to), ARG(n));
	got = prog_get(p, to, 40 * sizeof(*got));
	for (int i = 0; i < n; i++) {
		/* Rotated k times: a[j] comes from a[(j - k) mod 3]. */
		const int k = i % 3 + 1;
		const int a = small.a[(3 - k) % 3], b = small.a[(4 - k) % 3],
			  c = small.a[(5 - k) % 3];

		EQ((char)(job.tag + c), got[i].tag);
		EQ(job.weight[1], got[i].weight[1]);
		EQ(0.75 * job.weight[i % 3], got[i].scale);
		EQ(job.at.x + points[i].x * a, got[i].at.x);
		EQ(job.at.y + points[i].y * b, got[i].at.y);
		for (int j = 0; j < 5; j++)
			EQ(j == a % 5 ? b : job.table[j], got[i].table[j]);
	}
}

static int queens(int n, int row, unsigned columns, unsigned left,
		  unsigned right)
{
	int count = 0;

	if (row == n)
		return 1;
	for (int c = 0; c < n; c++) {
		const unsigned bit = 1u << c;

		if (!(bit & (columns | left | right)))
			count += queens(n, row + 1, columns | bit,
					(left | bit) << 1, (right | bit) >> 1);
	}
	return count;
}

void check_local_stack(struct prog *p)
{
	const int n = 6;
	int want[36];

	for (int i = 0; i < n * n; i++) {
		const unsigned a = 1u << i / n, b = 1u << i % n;

		want[i] = b & (a | a << 1 | a >> 1) ?
				  0 :
				  queens(n, 2, a | b, (a << 1 | b) << 1,
					 (a >> 1 | b) >> 1);
	}
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "local_stack", D1(2), D1(32), 0, ARG(n), ARG(to));
	SAME(p, want, to);
}
