/* Code for the disassembler: branches, loops, shared memory, doubles, scratch. */
#define ID __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()

kernel void saxpy(global float *y, global const float *x, float a, int n)
{
	int i = GROUP * 256 + ID;

	if (i < n)
		y[i] += a * x[i];
}

kernel void reduce(global int *out, global const int *in, int n)
{
	local int part[256];
	int sum = 0;

	for (int i = ID; i < n; i += 256)
		sum += in[i];
	part[ID] = sum;
	for (int k = 128; k; k /= 2) {
		__builtin_amdgcn_s_waitcnt(0);
		__builtin_amdgcn_s_barrier();
		if (ID < k)
			part[ID] += part[ID + k];
	}
	if (!ID)
		out[GROUP] = part[0];
}

kernel void roots(global double *out, global const double *a, int n)
{
	double x = a[ID];

	for (int i = 0; i < n; i++)
		x = x / (x * x + 1.0) - __builtin_sqrt(x);
	out[ID] = x;
}

kernel void lookup(global uint *out, global const uint *in, uint m)
{
	uint table[32];

	for (uint i = 0; i < 32; i++)
		table[i] = in[i] ^ m;
	out[ID] = table[in[ID] % 32] / (m | 1) + (in[ID] * 12345u >> 7);
}

kernel void histogram(global int *bins, global const uchar *in, int n)
{
	for (int i = ID; i < n; i += 64)
		__atomic_fetch_add(&bins[in[i]], 1, __ATOMIC_RELAXED);
}
