/* Texture objects: linear memory, points of a plane, interpolation. */
extern "C" __global__ void texture_fetch(cudaTextureObject_t line,
					 cudaTextureObject_t plane,
					 cudaTextureObject_t smooth, int width,
					 int height, int *out1, float4 *out2,
					 float *out3)
{
	int x = threadIdx.x, y = blockIdx.x, i = y * blockDim.x + x;

	out1[i] = tex1Dfetch<int>(line, (i * 7) % (width * height));
	/* Beyond the edges: clamped. */
	out2[i] = tex2D<float4>(plane, x - 2 + 0.5f, y - 1 + 0.5f);
	/* Wrapped around, a quarter of the way to the next texel. */
	out3[i] = tex2D<float>(smooth, (x + 0.75f) / width,
			       (y + 0.5f) / height);
}
