/* Files that are there without the root having them: sys_special.c. */
#ifndef HEDDLE_ISA_X86_SPECIAL_H
#define HEDDLE_ISA_X86_SPECIAL_H

#include "isa/x86/sys.h"

struct stat;

/* Opens the file of a name relative to the root, with the host's flags. *random: it
 * reads as numbers of the guest. -ENOENT: it is none of these. */
int x86_special_open(const struct x86_process *p, const char *name, int flags,
		     bool *random);
int x86_special_stat(const struct x86_process *p, const char *name,
		     struct stat *s);

#endif
