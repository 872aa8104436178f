/* Escape times in 6.26 fixed point: exact on every machine. */
extern "C" __global__ void mandelbrot(unsigned short *out, int width,
				      int height, int limit)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x;
	int py = blockIdx.y * blockDim.y + threadIdx.y;
	if (px >= width || py >= height)
		return;
	const int one = 1 << 26;
	int cx = (int)((long long)px * 3 * one / width - 2ll * one - one / 4);
	int cy = (int)((long long)py * 2 * one / height - one);
	int x = 0, y = 0, n = 0;
	while (n < limit) {
		long long xx = (long long)x * x >> 26;
		long long yy = (long long)y * y >> 26;
		if (xx + yy > 4ll * one)
			break;
		int t = (int)(xx - yy) + cx;
		y = (int)((long long)x * y >> 25) + cy;
		x = t;
		n++;
	}
	out[py * width + px] = (unsigned short)n;
}
