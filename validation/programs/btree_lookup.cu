/*
 * Queries of a B+ tree: a block for each query, a thread for each key of a node;
 * the one whose interval contains the key says which child is next (Rodinia's
 * b+tree). Then ranges: how many keys lie between two.
 *
 * SIZE: queries of the larger launch.
 */
#include "common.h"

#define ORDER 128 /* children of a node */
#define LEVELS 3
#define KEYS (ORDER * ORDER * ORDER / 8)

static struct workload self = { "btree_lookup", "queries", 1500, 1, 65535 };

/* keys[i] is the smallest of child i; one more ends the last child. */
struct node {
	int keys[ORDER + 1];
	int children[ORDER];
};

__global__ void find(const node *tree, const int *wanted, int *value)
{
	__shared__ int at;
	int t = threadIdx.x, key = wanted[blockIdx.x];

	if (t == 0)
		at = 0;
	__syncthreads();
	for (int level = 0; level < LEVELS - 1; level++) {
		const node *here = &tree[at];
		bool mine = here->keys[t] <= key && key < here->keys[t + 1];

		__syncthreads();
		if (mine)
			at = here->children[t];
		__syncthreads();
	}
	if (tree[at].keys[t] == key)
		value[blockIdx.x] = tree[at].children[t];
}

__global__ void range(const node *tree, const int2 *wanted, int *count)
{
	__shared__ int from, to;
	int t = threadIdx.x, low = wanted[blockIdx.x].x,
	    high = wanted[blockIdx.x].y;

	if (t == 0)
		from = to = 0;
	__syncthreads();
	for (int level = 0; level < LEVELS - 1; level++) {
		const node *a = &tree[from], *b = &tree[to];
		bool first = a->keys[t] <= low && low < a->keys[t + 1];
		bool last = b->keys[t] <= high && high < b->keys[t + 1];

		__syncthreads();
		if (first)
			from = a->children[t];
		if (last)
			to = b->children[t];
		__syncthreads();
	}
	for (int k = from; k <= to; k++)
		if (tree[k].keys[t] >= low && tree[k].keys[t] <= high &&
		    tree[k].keys[t] != INT_MAX)
			atomicAdd(&count[blockIdx.x], 1);
}

/* Keys are 3 i + 1, the value of one is i. */
static int build(array<node> &tree)
{
	int leaves = (KEYS + ORDER - 1) / ORDER, inner, first = 1;

	inner = (leaves + ORDER - 1) / ORDER;
	for (size_t k = 0; k < tree.n; k++)
		for (int t = 0; t <= ORDER; t++)
			tree[k].keys[t] = INT_MAX;
	for (int c = 0; c < inner; c++) {
		tree[0].keys[c] = c ? 3 * c * ORDER * ORDER + 1 : INT_MIN;
		tree[0].children[c] = first + c;
	}
	for (int c = 0; c < leaves; c++) {
		node *above = &tree[first + c / ORDER];

		above->keys[c % ORDER] = c ? 3 * c * ORDER + 1 : INT_MIN;
		above->keys[c % ORDER + 1] =
			c + 1 < leaves ? 3 * (c + 1) * ORDER + 1 : INT_MAX;
		above->children[c % ORDER] = first + inner + c;
	}
	for (int i = 0; i < KEYS; i++) {
		node *leaf = &tree[first + inner + i / ORDER];

		leaf->keys[i % ORDER] = 3 * i + 1;
		leaf->children[i % ORDER] = i;
	}
	return first + inner + leaves;
}

static void look(const array<node> &tree, int queries)
{
	array<int> key(queries), value(queries), want(queries), count(queries),
		counted(queries);
	array<int2> pair(queries);
	uint64_t seed = queries;

	for (int q = 0; q < queries; q++) {
		key[q] = random_below(&seed, 3 * KEYS);
		want[q] = key[q] % 3 == 1 ? key[q] / 3 : -1;
		pair[q].x = random_below(&seed, 3 * KEYS - 4000);
		pair[q].y = pair[q].x + random_below(&seed, 3000);
		counted[q] = (pair[q].y + 2) / 3 - (pair[q].x + 1) / 3;
	}
	key.upload();
	pair.upload();
	value.fill(0xff);
	count.fill(0);
	find<<<queries, ORDER>>>(tree.device, key.device, value.device);
	range<<<queries, ORDER>>>(tree.device, pair.device, count.device);
	CHECK_LAUNCH();
	value.download();
	count.download();
	check_exact(&self, value.host, want.host, queries, "values");
	check_exact(&self, count.host, counted.host, queries, "counts");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	array<node> tree(1 + (ORDER + 7) / 8 + KEYS / ORDER);

	build(tree);
	tree.upload();
	look(tree, (n + 49) / 50);
	look(tree, n);
	return report(&self);
}
