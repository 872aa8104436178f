/* Typical applications. */
#include <string.h>
#include <strings.h>

#include "prog.h"

void check_spmv(struct prog *p)
{
	enum { ROWS = 70, MOST = ROWS * 60 };
	const int rows = ROWS;
	int first[ROWS + 1] = { 0 }, col[MOST];
	float value[MOST], x[ROWS], want[ROWS] = { 0 };

	for (int r = 0; r < ROWS; r++)
		x[r] = (int)(prog_random(p) % 21) - 10;
	for (int r = 0; r < ROWS; r++) {
		first[r + 1] = first[r] + (r % 10 == 0 ? 60 : r % 7);
		for (int k = first[r]; k < first[r + 1]; k++) {
			col[k] = prog_random(p) % ROWS;
			value[k] = (int)(prog_random(p) % 9) * 0.5f;
			want[r] += value[k] * x[col[k]];
		}
	}
	heddle_ptr dfirst = PUT(p, first), dcol = PUT(p, col),
		   dvalue = PUT(p, value), dx = PUT(p, x),
		   y1 = prog_room(p, sizeof(want)),
		   y2 = prog_room(p, sizeof(want));

	RUN(p, "spmv_scalar", D1(3), D1(32), 0, ARG(dfirst), ARG(dcol),
	    ARG(dvalue), ARG(dx), ARG(y1), ARG(rows));
	SAME(p, want, y1);
	RUN(p, "spmv_warp", D1(18), D1(128), 0, ARG(dfirst), ARG(dcol),
	    ARG(dvalue), ARG(dx), ARG(y2), ARG(rows));
	SAME(p, want, y2);
}

enum { NODES = 200, EDGES = 3 };

/* Levels by relaxation until nothing changes, unlike the kernel. */
static void levels(const int *to, int *level)
{
	for (int changed = 1; changed;) {
		changed = 0;
		for (int k = 0; k < NODES * EDGES; k++) {
			const int from = level[k / EDGES], next = level[to[k]];

			if (from >= 0 && (next < 0 || next > from + 1)) {
				level[to[k]] = from + 1;
				changed = 1;
			}
		}
	}
}

void check_bfs(struct prog *p)
{
	int first[NODES + 1], to[NODES * EDGES], want[NODES],
		start[NODES] = { 0 };
	int size = 1, depth = 1;

	memset(want, -1, sizeof(want));
	want[0] = 0;
	for (int v = 0; v <= NODES; v++)
		first[v] = v * EDGES;
	/* Edges to nodes nearby, so that there are many levels. */
	for (int k = 0; k < NODES * EDGES; k++)
		to[k] = (k / EDGES + prog_random(p) % 15 + 190) % NODES;
	heddle_ptr dfirst = PUT(p, first), dto = PUT(p, to),
		   level = PUT(p, want), now = PUT(p, start),
		   next = prog_room(p, sizeof(start));

	levels(to, want);
	for (; size > 0; depth++) {
		const heddle_ptr count = prog_room(p, sizeof(int)), old = now;

		RUN(p, "bfs_level", D1((size + 31) / 32), D1(32), 0,
		    ARG(dfirst), ARG(dto), ARG(level), ARG(now), ARG(size),
		    ARG(next), ARG(count), ARG(depth));
		size = *(const int *)prog_get(p, count, sizeof(int));
		now = next;
		next = old;
	}
	OK(depth > 8);
	SAME(p, want, level);
}

void check_life(struct prog *p)
{
	enum { WIDTH = 37, HEIGHT = 29, STEPS = 6 };
	const int width = WIDTH, height = HEIGHT;
	uint8_t want[WIDTH * HEIGHT], old[WIDTH * HEIGHT];

	for (int i = 0; i < WIDTH * HEIGHT; i++)
		want[i] = prog_random(p) % 3 == 0;
	heddle_ptr now = PUT(p, want), then = prog_room(p, sizeof(want));

	for (int step = 0; step < STEPS; step++) {
		const heddle_ptr last = now;

		memcpy(old, want, sizeof(old));
		for (int i = 0; i < WIDTH * HEIGHT; i++) {
			const int x = i % WIDTH + WIDTH, y = i / WIDTH + HEIGHT;
			int sum = 0; /* with the cell itself */

			for (int k = 0; k < 9; k++)
				sum += old[(y + k / 3 - 1) % HEIGHT * WIDTH +
					   (x + k % 3 - 1) % WIDTH];
			want[i] = sum == 3 || (sum == 4 && old[i]);
		}
		RUN(p, "life", D2(3, 8), D2(16, 4), 0, ARG(now), ARG(then),
		    ARG(width), ARG(height));
		now = then;
		then = last;
	}
	SAME(p, want, now);
}

void check_string_search(struct prog *p)
{
	const char text[] = "The warp goes over the weft, under the WARP beam; "
			    "wa warwarp, and the last warp.",
		   word[] = "Warp";
	const int n = sizeof(text) - 1, most[1] = { 1000 }, least[1] = { 4 };
	char want[sizeof(text)] = "";

	for (int i = 0; i < n; i++)
		want[i] = strncasecmp(text + i, word, 4) == 0 ? '^' : '.';
	heddle_ptr dtext = PUT(p, text), dword = PUT(p, word),
		   mark = prog_room(p, sizeof(text)), first = PUT(p, most);

	RUN(p, "string_search", D1(3), D1(32), 0, ARG(dtext), ARG(n),
	    ARG(dword), ARG(mark), ARG(first));
	STREQ(want, prog_get(p, mark, sizeof(text)));
	SAME(p, least, first);
}

void check_stencil(struct prog *p)
{
	enum { N = 12 };
	const int n = N;
	int in[N][N][N], want[N * N * N];

	for (int i = 0; i < N * N * N; i++)
		in[i / N / N][i / N % N][i % N] = prog_random(p) % 1000;
	for (int i = 0; i < N * N * N; i++) {
		want[i] = 9 * in[i / N / N][i / N % N][i % N];
		for (int k = 0; k < 27; k++) {
			const int dz = k / 9 - 1, dy = k / 3 % 3 - 1,
				  dx = k % 3 - 1, z = i / N / N + dz,
				  y = i / N % N + dy, x = i % N + dx;

			if (dx * dx + dy * dy + dz * dz <= 1 && x >= 0 &&
			    x < N && y >= 0 && y < N && z >= 0 && z < N)
				want[i] += in[z][y][x];
		}
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "stencil", ((struct heddle_dim3){ 3, 4, 2 }),
	    ((struct heddle_dim3){ 4, 3, 6 }), 0, ARG(from), ARG(to), ARG(n));
	SAME(p, want, to);
}
