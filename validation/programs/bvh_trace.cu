/*
 * Rays through triangles in a tree of boxes: a walk with a stack in local memory,
 * nearest hits and any hit (shadows), a walk without a stack over links, and
 * mirrors by a recursive function. The tree is built by halves on the host.
 *
 * SIZE: columns and rows of the larger picture.
 */
#include "common.h"

#include <algorithm>
#include <vector>

#define LEAF 4

static struct workload self = { "bvh_trace", "rows", 96, 8, 2048 };

struct node {
	float low[3];
	int first; /* triangle of a leaf, or the second child */
	float high[3];
	int count; /* 0: inner; the first child follows */
};

struct triangle {
	float4 a, u, v; /* a corner and two edges */
};

struct scene {
	const struct node *nodes;
	const int *skip; /* the next node if this one is missed */
	const struct triangle *triangles;
	int size;
};

struct ray {
	float3 o, d;
};

__host__ __device__ static float3 cross3(float3 a, float3 b)
{
	return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
			   a.x * b.y - a.y * b.x);
}

__host__ __device__ static float dot3(float3 a, float3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

__host__ __device__ static bool box_hit(const struct node &n, struct ray r,
					float3 inv, float most)
{
	float a = (n.low[0] - r.o.x) * inv.x, b = (n.high[0] - r.o.x) * inv.x;
	float near = fminf(a, b), far = fmaxf(a, b);

	a = (n.low[1] - r.o.y) * inv.y;
	b = (n.high[1] - r.o.y) * inv.y;
	near = fmaxf(near, fminf(a, b));
	far = fminf(far, fmaxf(a, b));
	a = (n.low[2] - r.o.z) * inv.z;
	b = (n.high[2] - r.o.z) * inv.z;
	near = fmaxf(near, fminf(a, b));
	far = fminf(far, fmaxf(a, b));
	return far >= fmaxf(near, 0) && near < most;
}

__host__ __device__ static bool triangle_hit(const struct triangle &t,
					     struct ray r, float *most)
{
	float3 u = make_float3(t.u.x, t.u.y, t.u.z);
	float3 v = make_float3(t.v.x, t.v.y, t.v.z);
	float3 p = cross3(r.d, v);
	float det = dot3(u, p);

	if (fabsf(det) < 1e-9f)
		return false;
	float3 s = make_float3(r.o.x - t.a.x, r.o.y - t.a.y, r.o.z - t.a.z);
	float x = dot3(s, p) / det;
	float3 q = cross3(s, u);
	float y = dot3(r.d, q) / det, at = dot3(v, q) / det;
	if (x < 0 || y < 0 || x + y > 1 || at < 1e-4f || at >= *most)
		return false;
	*most = at;
	return true;
}

__device__ static int nearest(const struct scene &s, struct ray r, float *at,
			      bool any)
{
	int stack[32], top = 0, hit = -1, i = 0;
	float3 inv = make_float3(1 / r.d.x, 1 / r.d.y, 1 / r.d.z);

	for (;;) {
		struct node n = s.nodes[i];

		if (box_hit(n, r, inv, *at)) {
			if (!n.count) {
				stack[top++] = n.first;
				i++;
				continue;
			}
			for (int k = n.first; k < n.first + n.count; k++)
				if (triangle_hit(s.triangles[k], r, at)) {
					hit = k;
					if (any)
						return hit;
				}
		}
		if (!top)
			return hit;
		i = stack[--top];
	}
}

__host__ __device__ static struct ray camera(int i, int size)
{
	struct ray r = { make_float3(0.01f, 0.02f, -3),
			 make_float3((i % size + 0.5f) / size - 0.5f,
				     (i / size + 0.5f) / size - 0.5f, 1) };

	return r;
}

__global__ void trace(struct scene s, int size, int *hit, unsigned char *shadow)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float at = 1e30f;

	if (i >= size * size)
		return;
	struct ray r = camera(i, size);
	int k = nearest(s, r, &at, false);
	hit[i] = k;
	if (k < 0)
		return;
	r.o = make_float3(r.o.x + at * r.d.x, r.o.y + at * r.d.y,
			  r.o.z + at * r.d.z);
	r.d = make_float3(0.4f, 1, -0.6f);
	at = 1e30f;
	shadow[i] = nearest(s, r, &at, true) >= 0;
}

__global__ void trace_links(struct scene s, int size, int *hit)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, best = -1;
	float at = 1e30f;

	if (i >= size * size)
		return;
	struct ray r = camera(i, size);
	float3 inv = make_float3(1 / r.d.x, 1 / r.d.y, 1 / r.d.z);
	for (int n = 0; n < s.size;) {
		struct node node = s.nodes[n];
		bool inside = box_hit(node, r, inv, at);

		if (inside && node.count)
			for (int k = node.first; k < node.first + node.count;
			     k++)
				if (triangle_hit(s.triangles[k], r, &at))
					best = k;
		n = inside && !node.count ? n + 1 : s.skip[n];
	}
	hit[i] = best;
}

__device__ static float bounce(const struct scene &s, struct ray r, int depth)
{
	float at = 1e30f;
	int k = nearest(s, r, &at, false);

	if (k < 0)
		return 1;
	if (depth == 0)
		return 0.1f;
	struct triangle t = s.triangles[k];
	float3 n = cross3(make_float3(t.u.x, t.u.y, t.u.z),
			  make_float3(t.v.x, t.v.y, t.v.z));
	float f = 2 * dot3(r.d, n) / dot3(n, n);
	struct ray next = { make_float3(r.o.x + at * r.d.x, r.o.y + at * r.d.y,
					r.o.z + at * r.d.z),
			    make_float3(r.d.x - f * n.x, r.d.y - f * n.y,
					r.d.z - f * n.z) };
	return 0.05f + 0.8f * bounce(s, next, depth - 1);
}

__global__ void mirrors(struct scene s, int size, int depth, float *light)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < size && y < size)
		light[y * size + x] =
			bounce(s, camera(y * size + x, size), depth);
}

static int build(std::vector<struct node> &nodes, std::vector<int> &skip,
		 struct triangle *t, int first, int n)
{
	struct node own = { { 1e30f, 1e30f, 1e30f },
			    first,
			    { -1e30f, -1e30f, -1e30f },
			    n <= LEAF ? n : 0 };
	int at = nodes.size(), axis = 0;

	for (int i = first; i < first + n; i++)
		for (int k = 0; k < 4; k++)
			for (int d = 0; d < 3; d++) {
				float v = (&t[i].a.x)[d] +
					  (k & 1 ? (&t[i].u.x)[d] : 0) +
					  (k & 2 ? (&t[i].v.x)[d] : 0);

				own.low[d] = fminf(own.low[d], v - 1e-4f);
				own.high[d] = fmaxf(own.high[d], v + 1e-4f);
			}
	nodes.push_back(own);
	skip.push_back(0);
	if (n > LEAF) {
		for (int d = 1; d < 3; d++)
			if (own.high[d] - own.low[d] >
			    own.high[axis] - own.low[axis])
				axis = d;
		std::sort(t + first, t + first + n,
			  [=](const struct triangle &a,
			      const struct triangle &b) {
				  return (&a.a.x)[axis] < (&b.a.x)[axis];
			  });
		build(nodes, skip, t, first, n / 2);
		int second = build(nodes, skip, t, first + n / 2, n - n / 2);
		nodes[at].first = second;
	}
	skip[at] = nodes.size();
	return at;
}

static void run(int size, int count, int depth)
{
	array<struct triangle> t(count);
	std::vector<struct node> nodes;
	std::vector<int> skip;
	uint64_t seed = count;

	for (int i = 0; i < count; i++)
		for (int k = 0; k < 12; k++)
			(&t[i].a.x)[k] = (k < 4 ? 2 : 0.5f) *
					 (random_float(&seed) - 0.5f);
	build(nodes, skip, t.host, 0, count);
	t.upload();
	array<struct node> tree(nodes.size());
	array<int> links(nodes.size());
	std::copy(nodes.begin(), nodes.end(), tree.host);
	std::copy(skip.begin(), skip.end(), links.host);
	tree.upload();
	links.upload();
	struct scene s = { tree.device, links.device, t.device,
			   (int)nodes.size() };
	int n = size * size, wrong = 0, few = 1, yes = 1;
	array<int> hit(n), linked(n);
	array<unsigned char> shadow(n);
	array<float> light(n);
	trace<<<blocks_of(n, 64), 64>>>(s, size, hit.device, shadow.device);
	trace_links<<<blocks_of(n, 128), 128>>>(s, size, linked.device);
	mirrors<<<dim3(blocks_of(size, 8), blocks_of(size, 8)), dim3(8, 8)>>>(
		s, size, depth, light.device);
	CHECK_LAUNCH();
	hit.download();
	linked.download();
	light.download();
	check_exact(&self, linked.host, hit.host, n, "links");
	for (int i = 0; i < n; i++) {
		float at = 1e30f;
		int best = -1;

		for (int k = 0; k < count; k++)
			if (triangle_hit(t[k], camera(i, size), &at))
				best = k;
		/* Edges may be on either side. */
		wrong += best != hit[i] || (best < 0) != (light[i] == 1);
	}
	few = wrong <= n / 500 + 1;
	check_exact(&self, &few, &yes, 1, "hits");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 6, 20, 3);
	run(n, 500, 2);
	return report(&self);
}
