/* cudaCreateChannelDesc<T>(). */
#ifndef HEDDLE_CHANNEL_DESCRIPTOR_H
#define HEDDLE_CHANNEL_DESCRIPTOR_H
#include "cuda_runtime.h"
#endif
