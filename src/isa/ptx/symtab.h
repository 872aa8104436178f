/*
 * The names of a module while it is read. Every text is interned as one atom.
 * The atom lists the symbols of that name, innermost scope first: a lookup
 * costs one hash, and leaving a scope costs as much as was declared in it.
 *
 * A register of a range, `.reg .b32 %r<100>`, is created when it is first
 * named: a function has only the registers that it uses.
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
	struct px_sym *outer; /* the symbol that it hides */
	struct px_sym *next;  /* in its scope */
	union {
		struct ptx_var *var;
		struct ptx_func *func;
		uint32_t reg;   /* index, or PTX_NO_REG: not yet used */
		uint32_t count; /* of a range */
	};
	enum ptx_type type; /* of REG and RANGE */
	uint8_t vec;
	bool of_range; /* a register of a range */
};

/* A label or the name of a target list. Uses may precede the definition. */
struct px_label {
	struct px_atom *atom;
	struct px_label *outer, *next;
	struct px_label *same; /* in an outer scope: what this one refers to */
	uint32_t depth;
	enum { PX_LABEL_OPEN, PX_LABEL_CODE, PX_LABEL_TARGETS } state;
	uint32_t number; /* among all labels that the function names */
	uint32_t at;     /* instruction, or index of the target list */
	uint32_t index;  /* among the function's labels, when CODE */
	struct ptx_loc used, loc;
};

/* The row that an opcode's text has been matched to. */
struct px_opcode {
	struct ptx_opcode op;
	struct px_opcode *other; /* the next row that covers it */
	bool searched;           /* `other` is known */
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
	uint32_t taken;  /* number of the function that has it: px_names */
	uint32_t suffix; /* last one tried */
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

/* Return false or NULL when out of memory. */
bool px_atoms_init(struct px_atoms *s, struct arena *a);
void px_atoms_free(struct px_atoms *s);
struct px_atom *px_intern(struct px_atoms *s, const char *text, size_t size,
			  uint32_t hash);
/* Returns NULL if there is none. */
struct px_atom *px_find(const struct px_atoms *s, const char *text, size_t size,
			uint32_t hash);

/*
 * The innermost range, of scope `depth` or deeper, that a name belongs to: %r12
 * to %r<20>, or to %r1<5>. NULL: none. *twice: two ranges of the same scope have
 * the name.
 */
struct px_sym *px_find_range(const struct px_atoms *s,
			     const struct px_atom *name, uint32_t depth,
			     bool *twice);

#endif
