/*
 * A module that is ready to run on a device, whatever its instruction set:
 * functions with their code, constants, and variables with their addresses.
 *
 * The instruction set that loads a program fills it in, and keeps its own data
 * after it. What cannot run is refused when the program is loaded, not in the
 * middle of a run: an unsupported instruction refuses its function and the
 * functions that call it by name; any other error refuses the module.
 *
 * Owner:   the caller of isa.load; isa.unload frees it.
 */
#ifndef HEDDLE_SIMT_PROGRAM_H
#define HEDDLE_SIMT_PROGRAM_H

#include "arch/inst.h"
#include "arch/space.h"
#include "base/arena.h"
#include "simt/gmem.h"

struct isa;
struct program;
struct wave;
struct wave_op;

enum param_kind {
	PARAM_INT,
	PARAM_FLOAT,
	PARAM_TEXTURE,
	PARAM_BYTES,
	PARAM_SHARED /* an offset in dynamic shared memory */
};

/* A parameter of a kernel. */
struct param {
	const char *name;
	const char *type; /* as the instruction set writes it: "u64" */
	enum param_kind kind;
	uint32_t size, align;
	uint32_t offset; /* in the parameter block */
	/* As the source has them; NULL: not known. */
	const char *type_name, *access, *address_space;
	bool is_const, is_restrict, is_volatile;
};

/* What a module promises about the launches of a kernel; 0: nothing. */
struct launch_limits {
	uint32_t required[3], max[3]; /* threads of a block */
	uint32_t min_blocks;          /* resident on an SM */
	uint32_t max_registers;       /* of a thread */
};

struct function {
	const struct program *program;
	const char *name;
	uint32_t index; /* in program.funcs */
	bool is_kernel;
	bool has_body;
	struct code *code;   /* NULL: no body, or refused */
	const char *refused; /* why it cannot run, or NULL */
	struct param *params;
	uint32_t param_count, param_bytes;
	struct launch_limits limits;
	uint32_t inst_count;  /* of its text: inst.index is below */
	uint32_t registers;   /* declared, in units of 32 bits */
	uint32_t local_bytes; /* declared, without call frames */
	uint32_t shared_used; /* static shared memory that it can access */
	/* Dynamic shared memory starts here; 0: at program.shared_static. */
	uint32_t shared_start;
	/* Bytes behind the block's own shared memory that belong to the system
	 * and that it uses: the scratch of cooperative groups. */
	uint32_t shared_system;
	uint32_t barriers; /* named barriers of a block; 0: not known */
};

/* A variable that the host can find by name. */
struct variable {
	const char *name;
	enum space space;
	uint64_t address; /* in its space */
	uint64_t bytes;
	bool binds;  /* a texture or surface reference */
	slot_t slot; /* if it binds: the constant that holds its object */
};

/* An argument or result that a call copies. Source and destination are each a
 * slot, or an offset in a frame's local memory. */
struct call_arg {
	bool from_local, to_local;
	uint32_t from, to;
	uint32_t bytes;
	uint8_t from_reg, to_reg; /* bytes of a register; 1: a predicate */
};

/* in->x of a call. */
struct call_info {
	const struct code *target; /* NULL: through a register, or a service */
	const struct service *service; /* vprintf, malloc, ... */
	struct call_arg *args, *rets;  /* in order */
	uint32_t arg_count, ret_count;
	uint32_t arg_local[16]; /* service: offsets of arguments in the frame */
	/* Service, instead: 32-bit registers of the arguments and the result; a
	 * wider value continues in the next register. */
	bool in_registers;
	slot_t arg_reg[5], ret_reg;
};

struct program {
	const struct isa *isa;
	const char *name;   /* of the file, for errors */
	struct arena arena; /* of everything that it points to */
	struct function *funcs;
	uint32_t func_count;
	struct variable *vars;
	uint32_t var_count;
	char *pool; /* constants, one value for each lane */
	uint32_t pool_bytes;
	uint32_t const_bytes;   /* of variables in constant memory */
	uint32_t shared_static; /* dynamic shared memory starts here */
	uint32_t sreg_bytes;    /* of a warp's special registers */
	uint32_t target;        /* 90 of sm_90 */
	/* Diverged lanes take turns at branches only: in between, all lanes of a
	 * warp may share registers. */
	bool turns_at_branches;
	/* Diverged lanes as hardware treats those of machine code: the lanes
	 * that are furthest ahead in the code run first, with all that are ready
	 * at the same instruction; and one at which lanes wait for others
	 * counts for each group of them that arrives, not once for all. */
	bool lanes_by_place;
	bool whole_words;     /* of shared memory: program_shared_bytes */
	bool reads_place;     /* some code reads on which SM it runs */
	bool sited;           /* code.sites is filled in: replay/tape.h */
	bool old_trace;       /* it replays a trace of format version 1 */
	bool no_sizes;        /* it replays one before version 3 */
	uint32_t group_facts; /* the maximum of a tape_group */
	/* Of wavefronts: the original executors while others are in their place
	 * (replay/wave_tape.h). */
	void (**wave_plain)(struct wave *w, const struct wave_op *op);
	struct gmem *gmem;
};

/* Where the dynamic shared memory of a kernel starts. */
static inline uint32_t program_shared_start(const struct function *f)
{
	return f->shared_start ? f->shared_start : f->program->shared_static;
}

/* Shared memory of the system: its size, what is in use of it
 * (%reserved_smem_offset_end), and where the part for cooperative groups begins
 * (%reserved_smem_offset_1). The latter two are the driver's choice: as an H200 has
 * them. Allocations are multiples of SHARED_UNIT. */
enum {
	SHARED_SYSTEM = 1024,
	SHARED_SYSTEM_END = 288,
	SHARED_SYSTEM_1 = 0,
	SHARED_UNIT = 128
};

/* What an allocation of so many bytes takes. */
static inline uint64_t program_shared_units(uint64_t bytes)
{
	return (bytes + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
}

/* All of a block's shared memory. Allocations have whole words: machine code
 * reads and writes the word around a value of 16 bits that an atomic changes. */
static inline uint64_t program_shared_bytes(const struct function *f,
					    uint64_t dynamic)
{
	uint64_t own = program_shared_start(f) + dynamic;

	if (f->shared_system)
		return program_shared_units(own) + f->shared_system;
	return f->program->whole_words ? (own + 3) & ~UINT64_C(3) : own;
}

/* NULL: no function or variable has that name. */
const struct function *program_find(const struct program *p, const char *name);
const struct variable *program_variable(const struct program *p,
					const char *name);

/* Binds a texture or surface reference to an object, for later launches. */
void program_bind(struct program *p, const struct variable *v, uint64_t handle);

#endif
