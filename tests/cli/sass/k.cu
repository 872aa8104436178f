#include <cstdio>
__device__ __noinline__ float helper(float x){ return x*sinf(x)+1; }
__global__ void add(const float*a,float*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) b[i]=helper(a[i])+b[i];}
__global__ void second(int*p){ p[threadIdx.x]=threadIdx.x; printf("%d\n",p[0]);}
int main(){return 0;}
