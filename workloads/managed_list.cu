/*
 * A hash table with chained buckets in managed memory. The host builds it with
 * ordinary pointers, its nodes scattered over the allocation; the device walks
 * the chains through the same pointers, looks keys up, and reverses every
 * chain in place; then the host walks the reversed chains. Pointer chasing:
 * every load waits for the one before.
 *
 * SIZE: nodes, about eight per bucket. Checked, exactly: the sums and lookups
 * of the device, and then every pointer and value of the reversed chains.
 */
#include "common.h"

#define THREADS 64

static struct workload self = { "managed_list", "nodes", 16384, 1, 1 << 24 };

struct node {
	struct node *next;
	unsigned key, value;
};

struct table {
	struct node **bucket;
	int buckets;
};

/* A thread for each bucket: sums its chain, doubles its values, reverses
 * it. */
__global__ void reverse_chains(struct table *t, unsigned *sums)
{
	int b = blockIdx.x * blockDim.x + threadIdx.x;
	struct node *done = NULL, *next;
	unsigned sum = 0;

	if (b >= t->buckets)
		return;
	for (struct node *p = t->bucket[b]; p; p = next) {
		sum += p->value;
		p->value *= 2;
		next = p->next;
		p->next = done;
		done = p;
	}
	t->bucket[b] = done;
	sums[b] = sum;
}

/* A thread for each key; 0 if it is not in the table. */
__global__ void look_up(const struct table *t, const unsigned *keys, int n,
			unsigned *values)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	const struct node *p = t->bucket[keys[i] % t->buckets];
	while (p && p->key != keys[i])
		p = p->next;
	values[i] = p ? p->value : 0;
}

template <class T> static T *managed(size_t n)
{
	T *p;

	CHECK(cudaMallocManaged(&p, n * sizeof *p));
	return p;
}

/* Node i has key 3 i and value hash(i); it is stored at place[i]. */
static unsigned value_of(int i)
{
	return (unsigned)i * 2246822519u | 1;
}

static void build(struct table *t, struct node *nodes, int n, const int *place)
{
	for (int b = 0; b < t->buckets; b++)
		t->bucket[b] = NULL;
	for (int i = 0; i < n; i++) {
		struct node *p = &nodes[place[i]];

		p->key = 3 * i;
		p->value = value_of(i);
		p->next = t->bucket[p->key % t->buckets];
		t->bucket[p->key % t->buckets] = p;
	}
}

/* After the reversal a chain has its nodes in the order of insertion. */
static void check_chains(const struct table *t, const struct node *nodes, int n,
			 const int *place)
{
	struct node **at = host_alloc<struct node *>(t->buckets);

	memcpy(at, t->bucket, t->buckets * sizeof *at);
	for (int i = 0; i < n; i++) {
		struct node **p = &at[3 * i % t->buckets];

		if (*p != &nodes[place[i]]) {
			note_wrong(&self, i, *p ? (int)(*p - nodes) : -1,
				   place[i], "links");
			break;
		}
		if ((*p)->value != 2 * value_of(i))
			note_wrong(&self, i, (*p)->value, 2 * value_of(i),
				   "values");
		*p = (*p)->next;
	}
	for (int b = 0; b < t->buckets && !self.wrong; b++)
		if (at[b])
			note_wrong(&self, b, (int)(at[b] - nodes), -1, "ends");
	free(at);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	struct table *t = managed<struct table>(1);
	struct node *nodes = managed<struct node>(n);
	unsigned *keys = managed<unsigned>(n), *values = managed<unsigned>(n);
	int *place = host_alloc<int>(n);
	uint64_t random = 1;

	t->buckets = n / 8 + 1;
	t->bucket = managed<struct node *>(t->buckets);
	unsigned *sums = managed<unsigned>(t->buckets);
	unsigned *want = host_alloc<unsigned>(t->buckets);
	for (int i = 0; i < n; i++) { /* a random permutation */
		int j = random_below(&random, i + 1);

		place[i] = place[j];
		place[j] = i;
	}
	build(t, nodes, n, place);
	for (int i = 0; i < n; i++) {
		want[3 * i % t->buckets] += value_of(i);
		keys[i] = random_below(&random, 3 * n);
	}

	look_up<<<blocks_of(n, THREADS), THREADS>>>(t, keys, n, values);
	reverse_chains<<<blocks_of(t->buckets, THREADS), THREADS>>>(t, sums);
	CHECK_LAUNCH();
	CHECK(cudaDeviceSynchronize());

	for (int i = 0; i < n; i++) {
		unsigned found = keys[i] % 3 ? 0 : value_of(keys[i] / 3);

		if (values[i] != found)
			note_wrong(&self, i, values[i], found, "look-ups");
	}
	check_exact(&self, sums, want, t->buckets, "sums");
	check_chains(t, nodes, n, place);

	cudaFree(t->bucket);
	cudaFree(t);
	cudaFree(nodes);
	cudaFree(keys);
	cudaFree(values);
	cudaFree(sums);
	free(place);
	free(want);
	return report(&self);
}
