/* Structs by value: as kernel parameters, arguments and results. */
struct point {
	float x, y;
};
struct job {
	char tag;
	short weight[3];
	double scale;
	point at;
	int table[5];
};
struct small {
	unsigned char a, b, c;
};

__device__ __noinline__ job moved(job j, point by, small s)
{
	j.at.x += by.x * s.a;
	j.at.y += by.y * s.b;
	j.tag = (char)(j.tag + s.c);
	j.table[s.a % 5] = s.b;
	return j;
}

__device__ __noinline__ small turned(small s)
{
	small t;
	t.a = s.c;
	t.b = s.a;
	t.c = s.b;
	return t;
}

extern "C" __global__ void struct_param(job j, small s, point *points, job *out,
					int n)
{
	int i = threadIdx.x;
	if (i >= n)
		return;
	for (int k = 0; k <= i % 3; k++)
		s = turned(s);
	job r = moved(j, points[i], s);
	r.scale *= j.weight[i % 3];
	out[i] = r;
}
