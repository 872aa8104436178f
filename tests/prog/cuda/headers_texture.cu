/* texture.h: texture and surface objects. */
template <class T>
__device__ T fetch(cudaTextureObject_t t, int i, float x, float y, float z)
{
	T v = tex1Dfetch<T>(t, i);
	v = tex1D<T>(t, x);
	T w = tex2D<T>(t, x, y);
	tex3D(&w, t, x, y, z);
	w = tex1DLayered<T>(t, x, i);
	w = tex2DLayered<T>(t, x, y, i);
	w = texCubemap<T>(t, x, y, z);
	w = tex1DLod<T>(t, x, z);
	w = tex2DLod<T>(t, x, y, z);
	w = tex3DLod<T>(t, x, y, z, z);
	w = tex2DLayeredLod<T>(t, x, y, i, z);
	w = tex2DGrad<T>(t, x, y, make_float2(x, y), make_float2(y, z));
	tex2D(&v, t, x, y);
	return i & 1 ? v : w;
}

#define FETCH(T) *(T *)(o + 16 * k++) = fetch<T>(t, i, x, y, z)
__global__ void textures(char *o, cudaTextureObject_t t, int i, float x,
			 float y, float z)
{
	int k = 0;
	FETCH(float);
	FETCH(float2);
	FETCH(float4);
	FETCH(int);
	FETCH(int2);
	FETCH(int4);
	FETCH(unsigned);
	FETCH(uint2);
	FETCH(uint4);
	FETCH(unsigned char);
	FETCH(uchar4);
	FETCH(short2);
	FETCH(ushort4);
	for (int c = 0; c < 4; c++)
		*(float4 *)(o + 16 * k++) = tex2Dgather<float4>(t, x, y, c);
}

template <class T>
__device__ void move(cudaSurfaceObject_t s, int x, int y, int z)
{
	T v = surf1Dread<T>(s, x);
	surf1Dwrite(v, s, x + 16);
	v = surf2Dread<T>(s, x, y, cudaBoundaryModeClamp);
	surf2Dwrite(v, s, x + 16, y, cudaBoundaryModeZero);
	surf3Dread(&v, s, x, y, z, cudaBoundaryModeZero);
	surf3Dwrite(v, s, x + 16, y, z);
	v = surf1DLayeredread<T>(s, x, z);
	surf1DLayeredwrite(v, s, x + 16, z);
	v = surf2DLayeredread<T>(s, x, y, z);
	surf2DLayeredwrite(v, s, x + 16, y, z, cudaBoundaryModeTrap);
}

__global__ void surfaces(cudaSurfaceObject_t s, int x, int y, int z)
{
	move<unsigned char>(s, x, y, z);
	move<short>(s, x, y, z);
	move<uchar4>(s, x, y, z);
	move<float>(s, x, y, z);
	move<float2>(s, x, y, z);
	move<uint4>(s, x, y, z);
	move<float4>(s, x, y, z);
}
