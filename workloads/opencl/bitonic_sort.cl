/* One step: pairs that are `distance` apart, in runs of 2 << stage. */
kernel void bitonic_step(global uint *data, int stage, int distance)
{
	int i = get_global_id(0);
	int left = (i / distance) * 2 * distance + i % distance;
	uint a = data[left], b = data[left + distance];
	bool up = ((i >> stage) & 1) == 0;

	data[left] = up ? min(a, b) : max(a, b);
	data[left + distance] = up ? max(a, b) : min(a, b);
}
