/* Binary trees of malloc'ed nodes, built, added up and freed by each thread. */
struct tree {
	tree *left, *right;
	int value;
};

__device__ __noinline__ int take_down(tree *t)
{
	if (!t)
		return 0;
	int sum = t->value + take_down(t->left) + take_down(t->right);
	free(t);
	return sum;
}

extern "C" __global__ void device_malloc(const int *in, int n, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	tree *root = 0;
	int depth = 0;

	for (int k = 0; k < n - i % 4; k++) {
		tree *t = (tree *)malloc(sizeof(tree)), **at = &root;
		int d = 1;
		t->left = t->right = 0;
		t->value = in[(i * 5 + k * 11) % 97];
		for (; *at; d++)
			at = t->value < (*at)->value ? &(*at)->left
						     : &(*at)->right;
		*at = t;
		depth = max(depth, d);
	}
	out[2 * i] = depth;
	out[2 * i + 1] = take_down(root);
}
