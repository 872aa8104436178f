/* What the files of the PTX printer share. Private to the printer. */
#ifndef HEDDLE_ISA_PTX_PRINT_H
#define HEDDLE_ISA_PTX_PRINT_H

#include "isa/ptx/module.h"

/* Text that grows, or that is cut to a buffer of fixed size. */
struct px_out {
	char *text;
	size_t size, cap;
	bool fixed, nomem;
	bool executed; /* ptx_print_executed */
};

extern const char *const px_linkages[]; /* ".visible ", by ptx_linkage */

void px_put(struct px_out *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
void px_put_inst(struct px_out *o, const struct ptx_func *f,
		 const struct ptx_inst *in);
/* From the linkage to the last dimension, without initial value, semicolon. */
void px_put_var(struct px_out *o, const struct ptx_var *v,
		enum ptx_linkage linkage);
void px_put_init(struct px_out *o, const struct ptx_var *v);

/* Sorted names, malloc'ed. */
struct px_names {
	const char **name;
	size_t count;
};

/* Returns false if out of memory. */
bool px_module_names(struct px_names *s, const struct ptx_module *m);
/* Declarations of all registers that are not parameters. */
void px_put_regs(struct px_out *o, const struct px_names *module,
		 const struct ptx_func *f);

#endif
