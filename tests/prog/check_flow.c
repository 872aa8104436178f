/* Control flow: lanes that take different paths. */
#include <string.h>

#include "prog.h"

void check_loop_break(struct prog *p)
{
	uint32_t in[300], want[300];

	for (int i = 0; i < 300; i++) {
		in[i] = (i < 100 ? (uint32_t)i : prog_random(p) % 1000) + 1;
		uint32_t x = in[i], steps = 0, odd = 0;

		for (; x != 1 && steps < 60; steps++) {
			odd += x & 1;
			x = x & 1 ? 3 * x + 1 : x >> 1;
		}
		want[i] = 1000 * steps + odd;
	}
	const int n = 300;
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "loop_break", D1(5), D1(64), 0, ARG(from), ARG(to), ARG(n));
	SAME(p, want, to);
}

static void step_nested_if(int *m, int v, int r)
{
	const int low = v & 15;

	if (low % 8 == 7)
		m[0] += v;
	else if (low == 11)
		m[1] ^= v;
	else if (low == 3)
		m[2]++;
	else if (v % 2 && !(v & 16))
		m[4] -= 3;
	else if (v % 2 && v & 32)
		m[3] = m[0] + 1;
	else if (v % 2 == 0 && v & 64)
		m[5] += m[4];
	else if (v % 8 == 6 && v > m[6])
		m[6] = v;
	m[7] += r;
}

void check_nested_if(struct prog *p)
{
	const int rounds = 20;
	int want[128 * 8] = { 0 };

	for (int i = 0; i < 128; i++)
		for (int r = 0; r < rounds; r++)
			step_nested_if(want + 8 * i, 7 * i + 13 * r, r);
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "nested_if", D1(1), D1(128), 0, ARG(to), ARG(rounds));
	SAME(p, want, to);
}

static void search_loop_nest(int target, int out[2])
{
	int visited = 0;

	for (int a = 1; a < 12; a++) {
		for (int b = a; b < 12; b++) {
			const int gap = target - a * b;

			if ((a + b) % 5 == 0)
				continue;
			out[1] = visited += gap < 0     ? 1 :
					    gap < a + 2 ? gap + 1 :
							  a + 2;
			out[0] = 10000 * a + 100 * b + gap;
			if (gap >= 0 && gap < a + 2)
				return;
			out[0] = -2;
			if (visited > 150)
				return;
		}
	}
	out[0] = -1;
}

void check_loop_nest(struct prog *p)
{
	int target[128], want[256];

	for (int i = 0; i < 128; i++) {
		target[i] = i < 120 ? i : 1000 + i;
		search_loop_nest(target[i], want + 2 * i);
	}
	heddle_ptr from = PUT(p, target), to = prog_room(p, sizeof(want));

	RUN(p, "loop_nest", D1(2), D1(64), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}

struct interpreter {
	uint32_t a, b, top, out, stack[8];
	int pc;
};

static void interpret(struct interpreter *m, int code, int r)
{
	uint32_t a = m->a, b = m->b;

	switch (code) {
	case 0:
		m->a = a + b;
		break;
	case 1:
		m->a = a ^ b * 8;
		break;
	case 2:
		m->b = a * 2654435761u;
		break;
	case 3:
		m->stack[m->top++ % 8] = a;
		break;
	case 4:
		m->a = m->stack[--m->top % 8];
		break;
	case 5:
		m->a = a > b ? a - b : b - a;
		break;
	case 6:
		for (m->b = r; a; a &= a - 1)
			m->b++;
		break;
	case 7:
		m->a = a >> 5 | a << 27;
		break;
	case 8:
		m->pc += a % 2 ? 2 : 0;
		break;
	case 9:
		m->a = -1 - a;
		break;
	case 10:
		m->b = b + m->out + 7;
		break;
	case 11:
		m->out = a;
		break;
	case 12:
		m->a = a % (b | 1);
		break;
	case 13:
		m->b = a / (b % 16 + 1);
		break;
	case 14:
		m->top = b % 8;
		m->a = a + m->top;
		break;
	case 15:
		m->a = a + m->top;
		break;
	default:
		m->a = 0;
		m->b++;
	}
}

void check_switch_dense(struct prog *p)
{
	const int size = 61, rounds = 200;
	uint8_t code[61];
	uint32_t want[128];

	for (int i = 0; i < size; i++)
		code[i] = prog_random(p) % 17;
	for (int i = 0; i < 128; i++) {
		struct interpreter m = { .a = i, .b = 1, .pc = i % size };

		for (int r = 0; r < rounds; r++) {
			interpret(&m, code[m.pc], r);
			m.pc = (m.pc + 1) % size;
		}
		want[i] = m.a ^ m.b * 31 ^ m.top << 24;
	}
	heddle_ptr from = PUT(p, code), to = prog_room(p, sizeof(want));

	RUN(p, "switch_dense", D1(2), D1(64), 0, ARG(from), ARG(size),
	    ARG(rounds), ARG(to));
	SAME(p, want, to);
}

void check_mandelbrot(struct prog *p)
{
	enum { WIDTH = 70, HEIGHT = 40 };
	const int width = WIDTH, height = HEIGHT, limit = 40;
	const int64_t one = 1 << 26;
	uint16_t want[WIDTH * HEIGHT];

	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		const int64_t cx = i % WIDTH * 3 * one / WIDTH - 9 * one / 4;
		const int64_t cy = i / WIDTH * 2 * one / HEIGHT - one;
		int64_t x = 0, y = 0;
		int n = 0;

		for (; n < limit; n++) {
			const int64_t xx = x * x >> 26, yy = y * y >> 26;

			if (xx + yy > 4 * one)
				break;
			y = (x * y >> 25) + cy;
			x = xx - yy + cx;
		}
		want[i] = n;
	}
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "mandelbrot", D2(5, 5), D2(16, 8), 0, ARG(to), ARG(width),
	    ARG(height), ARG(limit));
	SAME(p, want, to);
}

void check_early_exit(struct prog *p)
{
	int want[512] = { 0 };

	for (int i = 0; i < 512; i++) {
		const int from = (i % 256 * 5 + 3) % 256;

		if (i / 32 % 2 == 0 && i % 32 <= 20)
			want[i] = from * from + 1;
	}
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "early_exit", D1(2), D1(256), 0, ARG(to));
	SAME(p, want, to);
}

void check_clock_wait(struct prog *p)
{
	int want[64 * 3];

	for (size_t i = 0; i < COUNT(want); i++)
		want[i] = 1;
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "clock_wait", D1(1), D1(64), 0, ARG(to));
	SAME(p, want, to);
}
