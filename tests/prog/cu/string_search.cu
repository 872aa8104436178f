/* Marks where a word begins; letters are compared without case. */
__device__ char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

extern "C" __global__ void string_search(const char *text, int n,
					 const char *word, char *mark,
					 int *first)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int k = 0;
	while (word[k] && i + k < n && lower(text[i + k]) == lower(word[k]))
		k++;
	mark[i] = word[k] ? '.' : '^';
	if (!word[k])
		atomicMin(first, i);
}
