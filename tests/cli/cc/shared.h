/* Between the files of the program: C++ and C. */
#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" int devices(void);
int scale_on_device(float *x, int n);
#else
int devices(void);
#endif
