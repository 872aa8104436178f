/* Texture objects. */
#ifndef HEDDLE_TEXTURE_TYPES_H
#define HEDDLE_TEXTURE_TYPES_H
#include "driver_types.h"
#endif
