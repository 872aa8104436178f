/* Hotspot: the temperature of a chip, a stencil with a source of heat. Cells beyond
 * the edge are as warm as it. */
#include "common.h"

enum { STEPS = 4 };
static const float step = 0.1f, rx = 0.5f, ry = 0.4f, rz = 0.05f;

static float next_of(float c, float power, float north, float south, float west,
		     float east)
{
	return c + step * (power + (south + north - 2 * c) * ry +
			   (east + west - 2 * c) * rx + (80 - c) * rz);
}

static void row(const float *power, const float *t, float *out, int n, int y)
{
	const float *here = t + y * n, *p = power + y * n;
	const float *north = y ? here - n : here;
	const float *south = y < n - 1 ? here + n : here;
	float *to = out + y * n;

	to[0] = next_of(here[0], p[0], north[0], south[0], here[0], here[1]);
	for (int x = 1; x < n - 1; x++)
		to[x] = next_of(here[x], p[x], north[x], south[x], here[x - 1],
				here[x + 1]);
	to[n - 1] = next_of(here[n - 1], p[n - 1], north[n - 1], south[n - 1],
			    here[n - 2], here[n - 1]);
}

/* Every column, by one thread, with clamped coordinates in double precision. */
static float at(const float *t, int n, int x, int y)
{
	x = x < 0 ? 0 : x >= n ? n - 1 : x;
	y = y < 0 ? 0 : y >= n ? n - 1 : y;
	return t[y * n + x];
}

static void reference(const float *power, const float *t, float *out, int n)
{
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			double c = at(t, n, x, y);
			double v = at(t, n, x, y + 1) + at(t, n, x, y - 1);
			double h = at(t, n, x + 1, y) + at(t, n, x - 1, y);

			out[y * n + x] = (float)(c + step * (power[y * n + x] +
							     (v - 2 * c) * ry +
							     (h - 2 * c) * rx +
							     (80 - c) * rz));
		}
}

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "hotspot", 224, 2, 4096, 1);
	size_t count = (size_t)n * n, bytes = count * sizeof(float);
	float *power = allocate(bytes),
	      *t[2] = { allocate(bytes), allocate(bytes) };
	float *want[2] = { allocate(bytes), allocate(bytes) };

	for (size_t i = 0; i < count; i++) {
		power[i] = random_float(0, 2);
		t[0][i] = want[0][i] = random_float(75, 90);
	}
	section_begin();
	for (int i = 0; i < STEPS; i++) {
#pragma omp parallel for
		for (int y = 0; y < n; y++)
			row(power, t[i % 2], t[1 - i % 2], n, y);
	}
	section_end();
	for (int i = 0; i < STEPS; i++)
		reference(power, want[i % 2], want[1 - i % 2], n);
	for (size_t i = 0; i < count; i++)
		if (far(t[STEPS % 2][i], want[STEPS % 2][i], 1e-5))
			return wrong(i, t[STEPS % 2][i], want[STEPS % 2][i]);
	return finish();
}
