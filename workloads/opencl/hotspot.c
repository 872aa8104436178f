/* Hotspot: the temperature of a chip, a stencil with a source of heat. */
#include "common.h"

enum { STEPS = 4 };
static const float step = 0.1f, rx = 0.5f, ry = 0.4f, rz = 0.05f;

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
			double v = (at(t, n, x, y + 1) + at(t, n, x, y - 1) -
				    2 * c) *
				   ry;
			double h = (at(t, n, x + 1, y) + at(t, n, x - 1, y) -
				    2 * c) *
				   rx;

			out[y * n + x] =
				(float)(c + step * (power[y * n + x] + v + h +
						    (80 - c) * rz));
		}
}

int main(int argc, char **argv)
{
	int n = read_choices(argc, argv, "hotspot", 64, 16, 2048, 16);
	size_t bytes = (size_t)n * n * 4;
	float *power = allocate(bytes),
	      *t[2] = { allocate(bytes), allocate(bytes) };
	float *to = allocate(bytes), *want[2] = { NULL, t[1] };
	const float *got;
	cl_mem mp, m[2];
	cl_kernel k;

	for (int i = 0; i < n * n; i++) {
		power[i] = random_float(0, 2);
		t[0][i] = random_float(75, 90);
	}
	want[0] = keep(t[0], bytes);
	open_device("");
	mp = buffer(bytes, power);
	m[0] = buffer(bytes, t[0]);
	m[1] = buffer(bytes, NULL);
	k = find_kernel("hotspot");
	for (int i = 0; i < STEPS; i++) {
		set_args(k, "mmmiffff", mp, m[i % 2], m[1 - i % 2], n, step, rx,
			 ry, rz);
		run_2d(k, n, n, 16, 16);
	}
	got = results(m[STEPS % 2], bytes, to);
	(void)inputs(mp, bytes, power);
	for (int i = 0; i < STEPS; i++)
		reference(power, want[i % 2], want[1 - i % 2], n);
	return compare_floats(got, want[STEPS % 2], (size_t)n * n, 1e-5);
}
