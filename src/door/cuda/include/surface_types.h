/* Surface objects. */
#ifndef HEDDLE_SURFACE_TYPES_H
#define HEDDLE_SURFACE_TYPES_H
#include "driver_types.h"
#endif
