/* The addresses of symbols.def. This file must not include cuda.h, which
 * defines many of the names as macros. */
#include "door/libcuda/procs.h"

#define PROC(name, since, symbol) extern char symbol[];
#define PROC_THREAD(name, since, symbol) extern char symbol[];
#include "door/libcuda/symbols.def"

const struct proc procs[] = {
#define PROC(name, since, symbol) { #name, since, false, symbol },
#define PROC_THREAD(name, since, symbol) { #name, since, true, symbol },
#include "door/libcuda/symbols.def"
};
const size_t proc_count = sizeof(procs) / sizeof(procs[0]);
