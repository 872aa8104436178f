#include "tests/gcn/programs.h"

#include <math.h>

int program_id;

#define kernel
#define global
#define constant static const
#define uchar unsigned char
#define ulong unsigned long
#define get_global_id(n) program_id
/* The functions that have a form for each type. */
#define exp expf
#define log logf
#define sin sinf
#define cos cosf
#define pow powf
#define atan2 atan2f
#define fabs fabsf
#define sqrt(x) ((__typeof__(x))sqrt((double)(x)))

#include "tests/gcn/programs.cl"
