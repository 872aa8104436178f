/* The attribute macros. */
#ifndef HEDDLE_HOST_DEFINES_H
#define HEDDLE_HOST_DEFINES_H
#include "heddle/config.h"
#endif
