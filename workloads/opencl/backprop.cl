#define SIDE 16

/* Products of inputs and weights, summed over 16 inputs at a time. */
kernel void forward(global const float *input, global const float *weight,
		    global float *partial, int hidden)
{
	local float t[SIDE][SIDE];
	int x = get_local_id(0), y = get_local_id(1);
	int in = get_group_id(1) * SIDE + y, out = get_global_id(0);

	t[y][x] = input[in] * weight[in * hidden + out];
	for (int d = SIDE / 2; d > 0; d /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (y < d)
			t[y][x] += t[y + d][x];
	}
	if (y == 0)
		partial[get_group_id(1) * hidden + out] = t[0][x];
}

kernel void adjust(global const float *input, global const float *delta,
		   global float *weight, global float *momentum, int hidden)
{
	int out = get_global_id(0), in = get_global_id(1);
	int i = in * hidden + out;
	float change = 0.3f * delta[out] * input[in] + 0.3f * momentum[i];

	weight[i] += change;
	momentum[i] = change;
}
