/* Kinds of memory: textures, constants, the heap, asynchronous copies. */
#include <string.h>

#include "prog.h"

enum { WIDTH = 16, HEIGHT = 8, TEXELS = WIDTH * HEIGHT };

static uint64_t texture(struct prog *p, const struct heddle_texture *t)
{
	uint64_t handle = 0;

	heddle_texture_new(p->dev, t, &handle, &p->err);
	OK(handle != 0);
	return handle;
}

static int inside(int x, int size)
{
	return x < 0 ? 0 : x >= size ? size - 1 : x;
}

void check_texture_fetch(struct prog *p)
{
	enum { W = WIDTH + 4, H = HEIGHT + 2 };
	int line[TEXELS], want1[W * H];
	float plane[TEXELS * 4], smooth[TEXELS], want2[W * H * 4], want3[W * H];
	const int width = WIDTH, height = HEIGHT;

	for (int i = 0; i < TEXELS; i++)
		line[i] = (int)prog_random(p);
	for (int i = 0; i < 4 * TEXELS; i++)
		plane[i] = i * 0.25f;
	for (int i = 0; i < TEXELS; i++)
		smooth[i] = prog_random(p) % 256;
	for (int i = 0; i < W * H; i++) {
		const int x = i % W, y = i / W;
		const float *from = plane + 4 * (inside(y - 1, HEIGHT) * WIDTH +
						 inside(x - 2, WIDTH));
		const float *row = smooth + y % HEIGHT * WIDTH;

		want1[i] = line[i * 7 % TEXELS];
		memcpy(want2 + 4 * i, from, 4 * sizeof(float));
		want3[i] =
			0.75f * row[x % WIDTH] + 0.25f * row[(x + 1) % WIDTH];
	}
	const uint64_t t1 =
		texture(p, &(struct heddle_texture){ .data = PUT(p, line),
						     .format = HEDDLE_TEXEL_S32,
						     .channels = 1,
						     .width = TEXELS });
	const uint64_t t2 =
		texture(p, &(struct heddle_texture){
				   .data = PUT(p, plane),
				   .format = HEDDLE_TEXEL_F32,
				   .channels = 4,
				   .width = WIDTH,
				   .height = HEIGHT,
				   .address = { HEDDLE_ADDRESS_CLAMP,
						HEDDLE_ADDRESS_CLAMP } });
	const uint64_t t3 =
		texture(p, &(struct heddle_texture){
				   .data = PUT(p, smooth),
				   .format = HEDDLE_TEXEL_F32,
				   .channels = 1,
				   .width = WIDTH,
				   .height = HEIGHT,
				   .linear = 1,
				   .normalized = 1,
				   .address = { HEDDLE_ADDRESS_WRAP,
						HEDDLE_ADDRESS_WRAP } });
	heddle_ptr to1 = prog_room(p, sizeof(want1)),
		   to2 = prog_room(p, sizeof(want2)),
		   to3 = prog_room(p, sizeof(want3));

	RUN(p, "texture_fetch", D1(H), D1(W), 0, ARG(t1), ARG(t2), ARG(t3),
	    ARG(width), ARG(height), ARG(to1), ARG(to2), ARG(to3));
	SAME(p, want1, to1);
	SAME(p, want2, to2);
	SAME(p, want3, to3);
}

void check_surface_copy(struct prog *p)
{
	int in[TEXELS], want[TEXELS], edge[HEIGHT];

	for (int i = 0; i < TEXELS; i++)
		in[i] = prog_random(p) % 1000;
	for (int i = 0; i < TEXELS; i++) {
		const int x = i % WIDTH, y = i / WIDTH;

		want[(HEIGHT - 1 - y) * WIDTH + x] =
			10 * in[i] + (x + 1 < WIDTH ? in[i + 1] : 0);
		edge[y] = in[y * WIDTH];
	}
	heddle_ptr to = prog_room(p, sizeof(want)),
		   edges = prog_room(p, sizeof(edge));
	struct heddle_texture t = { .data = PUT(p, in),
				    .format = HEDDLE_TEXEL_S32,
				    .channels = 1,
				    .width = WIDTH,
				    .height = HEIGHT };
	const uint64_t s1 = texture(p, &t);
	t.data = to;
	const uint64_t s2 = texture(p, &t);

	RUN(p, "surface_copy", D1(HEIGHT), D1(WIDTH), 0, ARG(s1), ARG(s2),
	    ARG(edges));
	SAME(p, want, to);
	SAME(p, edge, edges);
}

void check_copy_async(struct prog *p)
{
	enum { TILES = 7 };
	const int tiles = TILES;
	int in[TILES * 64 * 4], want[64] = { 0 };

	for (size_t i = 0; i < COUNT(in); i++)
		in[i] = prog_random(p) % 1000;
	for (int i = 0; i < TILES * 64 * 4; i++)
		want[(i / 4 + 64 - 17) % 64] += in[i] * (i % 4 + 1);
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "copy_async", D1(1), D1(64), 0, ARG(from), ARG(tiles), ARG(to));
	SAME(p, want, to);
}

static void check_bulk_lanes(struct prog *p)
{
	enum { CHUNKS = 32 * 33 / 2, WORDS = 4 * CHUNKS };
	int in[2 * WORDS], want[2 * WORDS];

	for (size_t i = 0; i < COUNT(in); i++)
		in[i] = (int)prog_random(p);
	for (int w = 0; w < 2; w++)
		for (int l = 0; l < 32; l++) {
			int from = l * (l + 1) / 2, to = CHUNKS - from - l - 1;

			memcpy(want + w * WORDS + 4 * to,
			       in + (1 - w) * WORDS + 4 * from,
			       16 * (size_t)(l + 1));
		}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "bulk_lanes", D1(1), D1(64), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}

void check_bulk_copy(struct prog *p)
{
	enum { TILES = 8, TILE = 256, BLOCKS = 2 };
	const int tiles = TILES;
	int in[BLOCKS * TILES * TILE], want[BLOCKS * TILES * TILE];

	for (size_t i = 0; i < COUNT(in); i++)
		in[i] = prog_random(p) % 1000;
	for (int i = 0; i < BLOCKS * TILES * TILE; i++)
		want[i] = in[i / TILE * TILE + TILE - 1 - i % TILE] +
			  i / TILE % TILES;
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "bulk_tiles", D1(BLOCKS), D1(96), 0, ARG(from), ARG(to),
	    ARG(tiles));
	SAME(p, want, to);
	check_bulk_lanes(p);
}

/* Depth and sum of the tree after n different values were inserted: the parent
 * of a new node is one of its neighbours in order, the one inserted later. */
static void plant(const int *in, int i, int n, int out[2])
{
	int value[32], depth[32];

	out[0] = out[1] = 0;
	for (int k = 0; k < n; k++) {
		int below = -1, above = 1000;

		depth[k] = 1;
		value[k] = in[(i * 5 + k * 11) % 97];
		for (int j = 0; j < k; j++) {
			if (value[j] < value[k] && value[j] > below)
				below = value[j];
			if (value[j] > value[k] && value[j] < above)
				above = value[j];
		}
		for (int j = 0; j < k; j++)
			if ((value[j] == below || value[j] == above) &&
			    depth[j] >= depth[k])
				depth[k] = depth[j] + 1;
		out[0] = depth[k] > out[0] ? depth[k] : out[0];
		out[1] += value[k];
	}
}

void check_device_malloc(struct prog *p)
{
	const int n = 20;
	int in[97], want[2 * 64];

	for (int i = 0; i < 97; i++)
		in[i] = i * 37 % 97;
	for (int i = 0; i < 64; i++)
		plant(in, i, n - i % 4, want + 2 * i);
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	/* The heap cannot hold all of them unless they are freed. */
	for (int launch = 0; launch < 4; launch++) {
		RUN(p, "device_malloc", D1(2), D1(32), 0, ARG(from), ARG(n),
		    ARG(to));
		SAME(p, want, to);
	}
}

void check_constant_table(struct prog *p)
{
	static const int primes[] = {
		2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37
	};
	const double weight[4] = { 0.5, -2, 8, 1e6 };
	double want[64];

	for (int i = 0; i < 64; i++)
		want[i] = primes[i % 12] * weight[i / 16] +
			  (i % 2 ? "beta" : "alph")[i % 4] +
			  (i % 2 ? -36 : 3.5);
	heddle_ptr to = prog_room(p, sizeof(want)),
		   at = prog_global(p, "weight", sizeof(weight));

	OK(heddle_write(p->dev, at, weight, sizeof(weight), &p->err) == 0);
	RUN(p, "constant_table", D1(1), D1(64), 0, ARG(to));
	SAME(p, want, to);
}

void check_address_of(struct prog *p)
{
	static const int primes[8] = { 2, 3, 5, 7, 11, 13, 17, 19 };
	int table[40], want[64] = { 0 }, next[32];

	for (int i = 0; i < 40; i++)
		table[i] = i * i;
	for (int i = 0; i < 32; i++) {
		for (int k = i % 4; k < i % 4 + 4; k++)
			want[i] += i & 1 ? primes[k] : 1 << k;
		for (int k = i; k < i + 8; k++)
			want[32 + i] += k * k;
		next[i] = primes[1 + i % 7];
	}
	heddle_ptr to = prog_room(p, sizeof(want)),
		   first = prog_room(p, sizeof(heddle_ptr));

	RUN(p, "address_of", D1(1), D1(32), 0, ARG(table), ARG(to), ARG(first));
	SAME(p, want, to);
	RUN(p, "address_of_next", D1(1), D1(32), 0, ARG(to), ARG(first));
	SAME(p, next, to);
}

void check_wide_param(struct prog *p)
{
	static int wide[8100];
	int want[128];

	for (int i = 0; i < 8100; i++)
		wide[i] = i * 3 - 5000;
	for (int i = 0; i < 128; i++)
		want[i] = wide[8099] + wide[i] + wide[i * 60];
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "wide_param", D1(1), D1(128), 0, ARG(wide), ARG(to));
	SAME(p, want, to);
}

void check_atomic_narrow(struct prog *p)
{
	const uint16_t want[3] = { 0, 0, 3 * 96 };
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "atomic_narrow", D1(1), D1(96), 0, ARG(to));
	SAME(p, want, to);
}

void check_reserved_shared(struct prog *p)
{
	uint32_t want[192];

	for (uint32_t i = 0; i < 64; i++) {
		want[i] = 3 * i;
		want[64 + i] = 1063 - i;
		want[128 + i] = 2063 - i;
	}
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "reserved_shared", D1(1), D1(64), 256, ARG(to));
	SAME(p, want, to);
}

void check_pointer_table(struct prog *p)
{
	const int sums[3] = { 111 + 'o' + 'n' + 'e' + 's',
			      22222 + 't' + 'w' + 'o' + 's',
			      36 + 't' + 'h' + 'r' + 'e' + 'e' + 's' };
	const int twos[3] = { 200, 2000, 20000 };
	const float table[6] = { 0.5f, 1.5f, -2.5f, 1e10f, 0, 3 };
	int want[32];

	for (int i = 0; i < 32; i++)
		want[i] = sums[i % 3] + twos[i % 3];
	heddle_ptr to = prog_room(p, sizeof(want)),
		   fto = prog_room(p, sizeof(table)),
		   counter = prog_global(p, "counter", 8);

	RUN(p, "pointer_table", D1(1), D1(32), 0, ARG(to), ARG(fto));
	SAME(p, want, to);
	SAME(p, table, fto);
	EQ(-5 + 2 * 32, *(const int64_t *)prog_get(p, counter, 8));
}

void check_shared_arrays(struct prog *p)
{
	enum { N = 50 };
	const int n = N;
	double want[N];

	for (int i = 0; i < N; i++)
		want[i] = (N - 1 - i) * 0.5 +
			  (i % 2 ? i % 32 * 2 : i % 32 + 100) - (i + 1) % N * 3;
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "shared_arrays", D1(1), D1(64), N * (8 + 4 + 2), ARG(n),
	    ARG(to));
	SAME(p, want, to);
}
