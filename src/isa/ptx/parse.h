/*
 * What the files of the PTX parser share: its state, and the rules that other
 * files call. Private to the parser.
 *
 * A rule returns false on failure, and p->d has the message. On success, p->t is
 * the first token after what the rule has read.
 */
#ifndef HEDDLE_ISA_PTX_PARSE_H
#define HEDDLE_ISA_PTX_PARSE_H

#include "isa/ptx/form.h"
#include "isa/ptx/lex.h"
#include "isa/ptx/symtab.h"

enum {
	PX_MAX_SCOPES = 256,
	PX_MAX_NESTING = 200, /* of expressions and initialisers */
	PX_MAX_OPNDS = 16,    /* of an instruction */
	PX_MAX_ELEMS = 255,   /* of { } and ( ) */
	PX_MAX_FILE = 1 << 16,
	PX_MAX_RANGE = 1 << 24, /* registers in %r<n> */
	PX_MAX_ALIGN = 1 << 16
};

#define PX_MAX_VAR_BYTES ((uint64_t)1 << 40)
#define PX_MAX_INIT_BYTES ((uint64_t)1 << 30)

struct px_scope {
	struct px_sym *syms, *ranges;
	struct px_label *labels;
};

/* An element of an initial value that is not zero. */
struct px_cell {
	uint64_t offset, bits;
};

/* Arrays that grow while a function is read; reused for the next one. */
/* A line that was inlined by a call. */
struct px_inlined {
	uint32_t file, line, column;
	const struct ptx_call *call;
};

struct px_body {
	struct ptx_func *func;
	bool defined; /* it has a body */
	struct ptx_reg *regs;
	struct ptx_var **vars;
	struct ptx_inst *insts;
	struct px_label **labels; /* all, by number; operands hold numbers */
	struct px_label **defs;   /* those of instructions, in order */
	struct ptx_targets *targets;
	struct px_cell *inits; /* of the variable being read */
	size_t reg_count, var_count, inst_count, label_count, def_count;
	size_t target_count, init_count;
	size_t reg_cap, var_cap, inst_cap, label_cap, def_cap;
	size_t target_cap, init_cap;
	uint32_t src_file, src_line;
	bool rolled; /* of the next instruction */
	const struct ptx_call *call;
	struct px_inlined *places; /* lines that were inlined, in order */
	size_t place_count, place_cap;
};

struct px_parser {
	struct ptx_lex lex;
	struct ptx_tok t;
	struct px_atom *atom; /* of t, when it is a NAME or WORD */
	struct diag *d;
	struct ptx_module *m;
	struct px_atoms atoms;
	struct px_scope scope[PX_MAX_SCOPES];
	uint32_t depth;
	uint32_t inner_ranges; /* declared in blocks inside a function */
	uint32_t nesting;
	struct px_body body;
	struct ptx_opnd *opnds; /* free space for operands, in the arena */
	size_t opnd_room;
	struct ptx_var **var_tail;
	struct ptx_func **func_tail;
	const char **files, **pragmas;
	size_t file_count, file_cap, pragma_count, pragma_cap;
	uint64_t var_bytes, init_bytes;
};

/* parse.c: tokens, errors, memory */
bool px_fail(struct px_parser *p, struct ptx_loc at, enum err code,
	     const char *fmt, ...) PRINTF_LIKE(4, 5);
#define px_syntax(p, at, ...) px_fail(p, at, ERR_SYNTAX, __VA_ARGS__)
bool px_nomem(struct px_parser *p);
/*
 * After a failure with ERR_UNSUPP: refuses the function that is being read
 * instead of the module, and returns true. Keeps the pointer `what`, the opcode
 * or directive. After any other failure, returns false.
 */
bool px_refuse(struct px_parser *p, const char *what);
bool px_next(struct px_parser *p);
/* Fails with "expected X, found Y" at the current token. */
bool px_expected(struct px_parser *p, const char *what);
bool px_take(struct px_parser *p, int kind, const char *what);
bool px_accept(struct px_parser *p, int kind, bool *yes);
static inline bool px_is(const struct px_parser *p, int kind)
{
	return p->t.kind == kind;
}
static inline bool px_is_word(const struct px_parser *p, enum px_word w)
{
	return p->t.kind == PTX_TOK_WORD && p->atom->word == w;
}
/* Makes room in *array for one more element of `size` bytes. */
bool px_room(struct px_parser *p, void *array, size_t count, size_t *cap,
	     size_t size);
/* Sets *out to a copy in the module's arena. */
bool px_keep(struct px_parser *p, void *out, const void *from, size_t count,
	     size_t size);
#define px_new(p, type) arena_new(&(p)->m->arena, type, 1)

/* parse_module.c */
bool px_module(struct px_parser *p);

/* parse_scope.c: declarations */
bool px_declare(struct px_parser *p, struct px_sym **out, enum px_sym_kind k,
		struct px_atom *atom, struct ptx_loc loc);
bool px_open_scope(struct px_parser *p);
bool px_close_scope(struct px_parser *p);
/* Sets *out to NULL if there is no such name. */
bool px_lookup(struct px_parser *p, struct px_sym **out, struct px_atom *atom,
	       struct ptx_loc loc);
bool px_use_reg(struct px_parser *p, struct px_sym *s, uint32_t *reg);
bool px_label_named(struct px_parser *p, struct px_atom *atom,
		    struct ptx_loc loc, uint32_t *number);
bool px_label_defined(struct px_parser *p, struct px_atom *atom,
		      struct ptx_loc loc, bool targets, uint32_t at);
bool px_names(struct px_parser *p);

/* parse_expr.c: constants */
struct px_value {
	enum { PX_INT, PX_F32, PX_F64, PX_ADDR } kind;
	bool is_unsigned;
	bool generic, masked; /* of ADDR */
	uint32_t shift;
	uint64_t bits; /* ADDR: addend */
	struct ptx_var *var;
	struct ptx_func *func;
	struct ptx_loc loc;
};
/* Names in the expression are errors unless `addresses` is set. */
bool px_expr(struct px_parser *p, struct px_value *v, bool addresses);
bool px_const_int(struct px_parser *p, const char *what, uint64_t min,
		  uint64_t max, uint64_t *out);

/* parse_init.c, parse_var.c */
bool px_init(struct px_parser *p, struct ptx_var *v);
bool px_var_statement(struct px_parser *p, enum ptx_linkage linkage);
bool px_is_space(const struct px_parser *p);
/* Declares the parameter's name if `declare` is set. */
bool px_param(struct px_parser *p, struct ptx_var **out, bool declare);
bool px_attribute(struct px_parser *p, bool *managed);
bool px_size_var(struct px_parser *p, struct ptx_var *v);
uint64_t px_elem_bytes(const struct ptx_var *v);

/* parse_func.c, parse_body.c, parse_inst.c, parse_opnd.c */
bool px_func(struct px_parser *p, enum ptx_linkage linkage);
/* [(returns)] name [(parameters)]; the name is `_` in a prototype. */
bool px_signature(struct px_parser *p, struct ptx_func *f, bool prototype);
/* From '{' to '}', which stays the current token. */
bool px_body(struct px_parser *p);
/* Moves the body into the function, when all labels are known. */
bool px_body_end(struct px_parser *p);
/* Drops the body of a refused function; keeps its signature. */
void px_body_drop(struct ptx_func *f);
bool px_instruction(struct px_parser *p);
/* Checks what needs the whole function: calls, and branches through lists. */
bool px_check_targets(struct px_parser *p, const struct ptx_func *f,
		      const struct ptx_inst *in);
/* Fails: an .entry cannot be called. */
bool px_no_call(struct px_parser *p, struct ptx_loc at,
		const struct ptx_func *entry);
/* Sets *rolled if it says "nounroll". */
bool px_pragma(struct px_parser *p, bool keep, bool *rolled);
bool px_section(struct px_parser *p);

/* With `is_label`, a name is that of a label or a list, declared or not. */
bool px_opnd(struct px_parser *p, struct ptx_opnd *o, bool is_label);
bool px_args(struct px_parser *p, struct ptx_opnd *o);
/* Copies n operands into the arena, next to each other. */
bool px_opnds(struct px_parser *p, struct ptx_opnd **out,
	      const struct ptx_opnd *from, size_t n);

/* form.c: checks the operands against the row's form */
bool px_check_inst(struct px_parser *p, const struct ptx_inst *in);

#endif
