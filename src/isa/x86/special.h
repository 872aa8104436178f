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
/* Where a link leads, without a 0 behind it, in at most `bytes`; its length, or
 * -ENOENT. */
int x86_special_link(const struct x86_process *p, const char *name, char *to,
		     size_t bytes);
/* A new file of the host that has no name; or a negative error. */
int x86_special_nameless(unsigned mode);

/* The program's own file, which may lie outside of the root: image.c. */
bool x86_image_is(const struct x86_process *p, const char *name);
/* The host's file, to be read; or a negative error. */
int x86_image_reopen(const struct x86_process *p);

#endif
