/* A stack of nodes pushed by compare and swap, and lists per bucket pushed by
 * exchange. */
struct node {
	node *next;
	int value;
};

extern "C" __global__ void list_push(node *nodes, int n,
				     unsigned long long *head,
				     unsigned long long *bucket)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= 2 * n)
		return;
	node *mine = nodes + i;
	mine->value = i * 3;
	if (i >= n) {
		mine->next = (node *)atomicExch(&bucket[i % 8],
						(unsigned long long)mine);
		return;
	}
	unsigned long long old = *(volatile unsigned long long *)head, seen;
	do {
		seen = old;
		mine->next = (node *)seen;
		__threadfence();
		old = atomicCAS(head, seen, (unsigned long long)mine);
	} while (old != seen);
}
