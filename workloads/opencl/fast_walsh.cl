kernel void fast_walsh(global float *data, int step)
{
	int i = get_global_id(0), pair = i % step + 2 * step * (i / step);
	float a = data[pair], b = data[pair + step];

	data[pair] = a + b;
	data[pair + step] = a - b;
}
