#define SIDE 16

/* One step of the heat equation; cells beyond the edge are as warm as it. */
kernel void hotspot(global const float *power, global const float *from,
		    global float *to, int n, float step, float rx, float ry,
		    float rz)
{
	local float t[SIDE + 2][SIDE + 2];
	int x = get_global_id(0), y = get_global_id(1);
	int i = get_local_id(0) + 1, j = get_local_id(1) + 1;
	float mine = from[y * n + x];

	t[j][i] = mine;
	if (i == 1)
		t[j][0] = from[y * n + max(x - 1, 0)];
	if (i == SIDE)
		t[j][SIDE + 1] = from[y * n + min(x + 1, n - 1)];
	if (j == 1)
		t[0][i] = from[max(y - 1, 0) * n + x];
	if (j == SIDE)
		t[SIDE + 1][i] = from[min(y + 1, n - 1) * n + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	to[y * n + x] = mine + step * (power[y * n + x] +
				       (t[j + 1][i] + t[j - 1][i] - 2 * mine) * ry +
				       (t[j][i + 1] + t[j][i - 1] - 2 * mine) * rx +
				       (80.0f - mine) * rz);
}
