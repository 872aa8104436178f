/*
 * The temperature of a chip from the power of its parts: an explicit solver of
 * the heat equation on a grid, after the HotSpot thermal model. A block loads a
 * tile with a rim and makes several time steps in shared memory; the valid part
 * shrinks by one cell per step (a pyramid, or ghost zone), which saves launches
 * and costs cells that are computed twice.
 *
 * Temperatures are relative to that of the surroundings. Heat flows between
 * neighbours and to the surroundings; none crosses the edges of the chip.
 *
 * SIZE: rows and columns of the grid, any.
 * Check: the same steps in double precision on the CPU, one by one.
 */
#include "common.h"

#define TILE 16
#define AT_ONCE 2 /* steps per launch */
#define INNER (TILE - 2 * AT_ONCE)
#define STEPS 5

static struct workload self = { "hotspot", "rows and columns", 128, 1, 8192 };

/* What a step adds per kelvin of difference and per watt. */
struct flow {
	float side;    /* from a neighbour */
	float outside; /* from the surroundings */
	float power;
};

__global__ void heat(const float *power, const float *in, float *out, int n,
		     int steps, struct flow flow)
{
	__shared__ float rise[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * INNER - AT_ONCE + tx;
	int y = blockIdx.y * INNER - AT_ONCE + ty;
	bool on_chip = x >= 0 && x < n && y >= 0 && y < n;
	size_t here = (size_t)y * n + x;
	float now = on_chip ? in[here] : 0;
	float watt = on_chip ? power[here] : 0;
	/* At an edge of the chip the neighbour is the cell itself. */
	int west = x > 0 ? tx - 1 : tx, east = x < n - 1 ? tx + 1 : tx;
	int north = y > 0 ? ty - 1 : ty, south = y < n - 1 ? ty + 1 : ty;

	rise[ty][tx] = now;
	for (int s = 1; s <= steps; s++) {
		bool right = on_chip && tx >= s && tx < TILE - s && ty >= s &&
			     ty < TILE - s;

		__syncthreads();
		if (right)
			now += flow.power * watt - flow.outside * now +
			       flow.side * (rise[ty][west] + rise[ty][east] +
					    rise[north][tx] + rise[south][tx] -
					    4 * now);
		__syncthreads();
		rise[ty][tx] = now;
	}
	if (on_chip && tx >= AT_ONCE && tx < TILE - AT_ONCE && ty >= AT_ONCE &&
	    ty < TILE - AT_ONCE)
		out[here] = now;
}

/*
 * A chip of silicon, 16 mm x 16 mm x 0.5 mm, in n x n cells. The time step is
 * half of the largest that is stable.
 */
static struct flow chip_flow(int n)
{
	const double width = 0.016, thickness = 0.0005;
	const double conductivity = 100;     /* W / (m K) */
	const double heat_capacity = 1.75e6; /* J / (m^3 K) */
	double cell = width / n;
	double to_side = conductivity * thickness; /* W / K */
	double to_outside = conductivity * cell * cell / thickness;
	double capacity = heat_capacity * thickness * cell * cell;
	double step = 0.5 * capacity / (4 * to_side + to_outside);
	struct flow f = { (float)(step / capacity * to_side),
			  (float)(step / capacity * to_outside),
			  (float)(step / capacity) };

	return f;
}

static void step_cpu(const float *power, const double *in, double *out, int n,
		     struct flow f)
{
	for (int y = 0; y < n; y++) {
		for (int x = 0; x < n; x++) {
			size_t i = (size_t)y * n + x;
			double change = f.power * power[i] - f.outside * in[i];

			if (x > 0)
				change += f.side * (in[i - 1] - in[i]);
			if (x < n - 1)
				change += f.side * (in[i + 1] - in[i]);
			if (y > 0)
				change += f.side * (in[i - n] - in[i]);
			if (y < n - 1)
				change += f.side * (in[i + n] - in[i]);
			out[i] = in[i] + change;
		}
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), now = 0;
	size_t cells = (size_t)n * n;
	struct flow flow = chip_flow(n);
	float *power = host_alloc<float>(cells);
	float *got = host_alloc<float>(cells);
	float *want = host_alloc<float>(cells);
	double *cpu[2] = { host_alloc<double>(cells),
			   host_alloc<double>(cells) };
	float *gpu[2];
	dim3 grid(blocks_of(n, INNER), blocks_of(n, INNER));

	/* One watt for each square millimetre, on average */
	random_floats(power, cells, 0, 2.0f * 256 / cells, 1);
	random_floats(got, cells, 0, 50, 2);
	for (size_t i = 0; i < cells; i++)
		cpu[0][i] = got[i];
	float *watts = device_copy(power, cells);
	gpu[0] = device_copy(got, cells);
	gpu[1] = device_alloc<float>(cells);

	for (int done = 0; done < STEPS; done += AT_ONCE, now = !now) {
		int steps = STEPS - done < AT_ONCE ? STEPS - done : AT_ONCE;

		heat<<<grid, dim3(TILE, TILE)>>>(watts, gpu[now], gpu[!now], n,
						 steps, flow);
		CHECK_LAUNCH();
	}
	from_device(got, gpu[now], cells);
	for (int s = 0; s < STEPS; s++)
		step_cpu(power, cpu[s % 2], cpu[(s + 1) % 2], n, flow);
	for (size_t i = 0; i < cells; i++)
		want[i] = (float)cpu[STEPS % 2][i];
	check_close(&self, got, want, cells, 1e-5, 1e-5);
	CHECK(cudaFree(watts));
	CHECK(cudaFree(gpu[0]));
	CHECK(cudaFree(gpu[1]));
	free(power);
	free(got);
	free(want);
	free(cpu[0]);
	free(cpu[1]);
	return report(&self);
}
