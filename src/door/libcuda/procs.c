/* The addresses of symbols.def. cuda.h, which makes macros of many names, must
 * not be included here. */
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
