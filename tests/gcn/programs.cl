/*
 * Kernels without barriers: compiled for the GPU (programs.o, see README.md), and
 * with programs.c for the host, whose results are the expected ones.
 */
kernel void integers(global int *out, global const int *in, int n)
{
	int i = get_global_id(0), a, b;

	if (i >= n)
		return;
	a = in[i];
	b = in[(i * 7 + 3) % n];
	out[8 * i] = a / (b ? b : 3);
	out[8 * i + 1] = a % (b ? b : 3);
	out[8 * i + 2] = (int)((unsigned)a / (unsigned)(b ? b : 3));
	out[8 * i + 3] = a * b - (a >> (b & 31));
	out[8 * i + 4] = (int)((unsigned)a >> (b & 31)) ^ (b << (a & 31));
	out[8 * i + 5] = a > b ? a : b;
	out[8 * i + 6] = (int)(((long)a * b) >> 20);
	out[8 * i + 7] = (int)((ulong)(unsigned)a * (unsigned)b % 1000003u);
}

kernel void longs(global long *out, global const long *in, int n)
{
	int i = get_global_id(0);
	long a, b;

	if (i >= n)
		return;
	a = in[i];
	b = in[(i + 1) % n] | 1;
	out[4 * i] = a / b;
	out[4 * i + 1] = a % b;
	out[4 * i + 2] = (a << (b & 63)) + (long)((ulong)a >> (b & 31));
	out[4 * i + 3] = a < b ? a * b : a - b;
}

/* Operations that round correctly. */
kernel void floats(global float *out, global const float *in, int n)
{
	int i = get_global_id(0);
	float a, b;

	if (i >= n)
		return;
	a = in[i];
	b = in[(i + 5) % n];
	out[4 * i] = a + b;
	out[4 * i + 1] = a - b * 0.5f;
	out[4 * i + 2] = (float)(int)a + (float)(unsigned)(b < 0 ? -b : b);
	out[4 * i + 3] = a < b ? a : b;
}

kernel void functions(global float *out, global const float *in, int n)
{
	int i = get_global_id(0);
	float a;

	if (i >= n)
		return;
	a = in[i];
	out[8 * i] = exp(a * 0.125f);
	out[8 * i + 1] = log(fabs(a) + 0.5f);
	out[8 * i + 2] = sin(a);
	out[8 * i + 3] = cos(a);
	out[8 * i + 4] = sqrt(fabs(a));
	out[8 * i + 5] = pow(fabs(a) + 1, 1.7f);
	out[8 * i + 6] = atan2(a, 2.5f);
	out[8 * i + 7] = in[(i + 3) % n] / (a + 0.25f);
}

kernel void doubles(global double *out, global const double *in, int n)
{
	int i = get_global_id(0);
	double a, b;

	if (i >= n)
		return;
	a = in[i];
	b = in[(i + 7) % n];
	out[4 * i] = a / b;
	out[4 * i + 1] = sqrt(a * a + b * b);
	out[4 * i + 2] = a < b ? floor(a) : ceil(b);
	out[4 * i + 3] = (double)(int)a * 0.1 + (double)(float)b;
}

/* Bytes and halves of words; an array of each lane. */
kernel void pieces(global uchar *out, global const uchar *in,
		   global const short *shorts, int n)
{
	int i = get_global_id(0);
	uchar table[32];

	if (i >= n)
		return;
	for (int k = 0; k < 32; k++)
		table[(k * 5 + in[i]) & 31] =
			(uchar)(in[(i + k) % n] + shorts[(i + k) % n]);
	for (int k = 0; k < 4; k++)
		out[4 * i + k] = table[(in[i] + k * 3) & 31] ^ (uchar)shorts[i];
}

constant float weights[8] = { 0.5f, -1, 2, 0.25f, 3, -0.125f, 8, 1 };

/* Divergence: loops of different lengths, in branches. */
kernel void paths(global float *out, global const int *in, int n)
{
	int i = get_global_id(0), steps = 0;
	unsigned v;
	float sum = 0;

	if (i >= n)
		return;
	v = (unsigned)in[i] % 1000 + 1;
	while (v != 1 && steps < 200) {
		if (v % 2) {
			v = 3 * v + 1;
			sum += weights[v % 8];
		} else {
			v /= 2;
			switch (v % 5) {
			case 0:
				sum += 1;
				break;
			case 1:
				sum -= 2;
				break;
			case 3:
				continue;
			default:
				sum *= 0.5f;
			}
		}
		steps++;
	}
	out[i] = sum + (float)steps;
}
