/* The only type that the runtime's and the driver's headers both define. */
#ifndef HEDDLE_CUDA_UUID_H
#define HEDDLE_CUDA_UUID_H
#pragma GCC system_header

#define CU_UUID_HAS_BEEN_DEFINED

struct CUuuid_st {
	char bytes[16];
};
typedef struct CUuuid_st CUuuid;

#endif
