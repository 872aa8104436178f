/* Nothing: the compiler is clang. */
#ifndef HEDDLE_HOST_CONFIG_H
#define HEDDLE_HOST_CONFIG_H
#include "heddle/config.h"
#endif
