/* The nearest center of each point. Features are stored one after the other, so
 * that neighbouring items read neighbouring words. */
kernel void assign(global const float *points, global const float *centers,
		   global int *member, int n, int k, int features)
{
	int i = get_global_id(0), best = 0;
	float least = FLT_MAX;

	if (i >= n)
		return;
	for (int c = 0; c < k; c++) {
		float d = 0;

		for (int f = 0; f < features; f++) {
			float e = points[f * n + i] - centers[c * features + f];

			d += e * e;
		}
		if (d < least) {
			least = d;
			best = c;
		}
	}
	member[i] = best;
}
