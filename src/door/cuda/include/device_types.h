/* cudaRoundMode. */
#ifndef HEDDLE_DEVICE_TYPES_H
#define HEDDLE_DEVICE_TYPES_H
#include "driver_types.h"
#endif
