/*
 * Names while a module is read. Every text is interned into one atom; what it
 * stands for hangs on the atom, innermost scope first, so that looking a name
 * up costs one hash and leaving a scope costs what was declared in it.
 *
 * Registers of a range, `.reg .b32 %r<100>`, come into being when they are
 * first named: a function has only the registers that it uses.
 *
 * Atoms and their texts live in the module's arena.
 */
#ifndef HEDDLE_ISA_PTX_SYMTAB_H
#define HEDDLE_ISA_PTX_SYMTAB_H

#include "isa/ptx/module.h"

enum px_word {
	PX_WORD_NONE,
#define WORD(id, text) PX_##id,
#include "isa/ptx/word.def"
	PX_WORD_COUNT
};

enum px_sym_kind { PX_SYM_REG, PX_SYM_RANGE, PX_SYM_VAR, PX_SYM_FUNC };

struct px_sym {
	enum px_sym_kind kind;
	uint32_t depth; /* of its scope; 0: the module */
	struct ptx_loc loc;
	struct px_atom *atom;
	struct px_sym *outer; /* what it hides */
	struct px_sym *next;  /* in its scope */
	union {
		struct ptx_var *var;
		struct ptx_func *func;
		uint32_t reg;   /* index, or PTX_NO_REG: not yet used */
		uint32_t count; /* of a range */
	};
	enum ptx_type type; /* of REG and RANGE */
	uint8_t vec;
	bool of_range; /* a register that a range brought about */
};

/* A label or the name of a target list; may be named before it is defined. */
struct px_label {
	struct px_atom *atom;
	struct px_label *outer, *next;
	struct px_label *same; /* the one of an outer scope that it is */
	uint32_t depth;
	enum { PX_LABEL_OPEN, PX_LABEL_CODE, PX_LABEL_TARGETS } state;
	uint32_t number; /* among all that the function names */
	uint32_t at;     /* instruction, or index of the target list */
	uint32_t index;  /* among the function's labels, when CODE */
	struct ptx_loc used, loc;
};

/* What an opcode's text has been matched to. */
struct px_opcode {
	struct ptx_opcode op;
	struct px_opcode *other; /* the next row that has it */
	bool searched;           /* for `other` */
};

struct px_atom {
	const char *text;
	uint32_t size;
	struct px_sym *sym, *range;
	struct px_label *label;
	struct px_opcode *opcode;
	uint16_t word;   /* enum px_word */
	uint8_t type;    /* enum ptx_type + 1 */
	uint16_t sreg;   /* first special register of this name, + 1 */
	uint32_t taken;  /* by this function, see px_names */
	uint32_t suffix; /* last one tried for it */
};

struct px_place {
	struct px_atom *atom;
	uint32_t hash;
};

struct px_atoms {
	struct arena *arena;
	struct px_place *slot; /* open addressing; malloc'ed */
	uint32_t mask, count;
};

/* NULL and false: out of memory. */
bool px_atoms_init(struct px_atoms *s, struct arena *a);
void px_atoms_free(struct px_atoms *s);
struct px_atom *px_intern(struct px_atoms *s, const char *text, size_t size,
			  uint32_t hash);
/* NULL when there is none. */
struct px_atom *px_find(const struct px_atoms *s, const char *text, size_t size,
			uint32_t hash);

/*
 * The range that a name belongs to, if one of at least `depth` does: %r12 to
 * %r<20>, or to %r1<5>. The innermost, *twice when there are two as near.
 */
struct px_sym *px_find_range(const struct px_atoms *s,
			     const struct px_atom *name, uint32_t depth,
			     bool *twice);

#endif
