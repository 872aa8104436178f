/*
 * A cubin that is ready to run: the program that all instruction sets share
 * (simt/program.h), and what only machine code needs of it.
 *
 * A kernel's text is one function with the device functions that it calls:
 * calls are jumps inside of it. The index of an instruction is its offset in
 * the text, divided by SASS_BYTES.
 *
 * Registers of a warp, in this order:
 *
 *   R0, R1, ...    as many as the code names, LANES words each, so that a
 *                  64-bit value is a pair: LANES low words, LANES high words
 *   the sink       takes what is written to RZ
 *   UR0, UR1, ...  LANES equal words each
 *   P0..P6, sink, UP0..UP6, sink    predicates; uniform: all ones or zero
 *   B0..B15        convergence barriers: of each lane, the lanes that it meets
 *   the results of reductions at a barrier of the block: a word, a predicate
 *
 * Constants, in the pool of a launch (launch.pool): zeros for RZ, ones for PT,
 * immediates, and words of constant banks, which each launch fills in.
 *
 * Owner:   lives as long as its program; owns the cubin.
 */
#ifndef HEDDLE_ISA_SASS_PROGRAM_H
#define HEDDLE_ISA_SASS_PROGRAM_H

#include "isa/sass/cubin.h"
#include "isa/sass/inst.h"
#include "isa/sass/lines.h"
#include "simt/launch.h"
#include "simt/program.h"
#include "simt/service.h"

enum {
	SASS_BANKS = 32,
	SASS_SREGS = 256,
	SASS_REG_BYTES = 4 * LANES,
	/* Registers of the sink: more than any instruction writes at once. Code
	 * that names a group past its last register stays inside. */
	SASS_SINK_REGS = 16,
	SASS_BARRIERS = 16
};

/* Where a kernel's registers are: offsets in SLOT_REG. */
struct sass_layout {
	uint32_t regs, uregs; /* how many */
	uint32_t sink, ureg, pred, upred, barrier;
	uint32_t result, result_pred; /* of reductions at a block barrier */
	uint32_t rpc;                 /* the return address Rpc, a pair */
	uint32_t bytes;
};

/* A word of a constant bank in the pool. */
struct sass_const {
	uint32_t at; /* offset in the pool */
	uint32_t offset;
	uint8_t bank, bytes;
	bool is_signed; /* and shorter than a word */
};

/* A constant bank as code sees it. */
struct sass_bank_view {
	const uint8_t *bytes;
	uint32_t size;
	uint64_t address; /* in global memory, for caches */
};

/* What only machine code knows of a kernel. */
struct sass_code {
	const struct sass_kernel *kernel;
	struct sass_inst *insts; /* as decoded, by index */
	struct sass_layout at;
	char *pool; /* as every launch begins with it */
	uint32_t pool_bytes;
	struct sass_const *consts;
	uint32_t const_count;
	/* Bank 0 has an address only: each launch has its own. */
	struct sass_bank_view bank[SASS_BANKS];
	struct call_info *services; /* by number */
};

struct sass_program {
	struct program base;
	struct sass_cubin cubin;
	struct sass_lines lines;
	struct sass_code *codes; /* by function, a kernel each */
	/* Addresses of allocations; 0: none. Of variables [1] is managed. */
	uint64_t global[2], init[2], banks;
	uint8_t *bank_host;                /* of `banks` */
	uint64_t bank_address[SASS_BANKS]; /* of banks of all kernels */
	/* Special registers that warps store: their offset in SLOT_SREG, or
	 * SASS_SREG_UNUSED. */
	uint32_t sreg_at[SASS_SREGS];
};

#define SASS_SREG_UNUSED UINT32_MAX

/* launch.state. */
struct sass_launch {
	struct sass_bank_view bank[SASS_BANKS];
	uint8_t *bank0;
	char *pool;
};

static inline const struct sass_program *
sass_program_of(const struct program *p)
{
	return (const struct sass_program *)(const void *)p;
}
static inline const struct sass_code *sass_code_of(const struct function *f)
{
	return &sass_program_of(f->program)->codes[f->index];
}
/* Instruction `inst` of a kernel's text, as decoded. */
static inline const struct sass_inst *sass_inst_at(const struct function *f,
						   uint32_t inst)
{
	return &sass_code_of(f)->insts[inst];
}

/*
 * Code has addresses beyond those of memory. Each kernel's text begins at a
 * multiple of SASS_TEXT_SPAN, so that the lower word is the offset. Functions
 * of the system have addresses at the end of every text's range.
 */
#define SASS_TEXT_SPAN (UINT64_C(1) << 32)
#define SASS_TEXT_BASE UINT64_C(0x500000000000)
#define SASS_SERVICE_OFFSET UINT32_C(0xffff0000)

static inline uint64_t sass_text_address(const struct function *f)
{
	return SASS_TEXT_BASE + f->index * SASS_TEXT_SPAN;
}

/* Services by number; NULL: there are no more. */
const struct service *sass_service(unsigned number);
/* The address of a function of the system; 0: there is none. */
uint64_t sass_service_address(const char *name);
/* Whether code at this address is a function of the system. */
bool sass_is_service(uint64_t address);

MUST_USE enum err sass_program_new(struct program **out, const char *name,
				   const char *bytes, size_t size,
				   const struct cfg *cfg, struct gmem *g,
				   struct diag *d);
void sass_program_free(struct program *p);

/* lower.c: makes the code of a kernel. A kernel that cannot run is refused;
 * fails with ERR_NOMEM only. */
MUST_USE enum err sass_lower(struct sass_program *p, struct function *f,
			     struct diag *d);
/* mark.c: isa.mark */
enum err sass_mark(struct program *p, struct diag *d);
/* launch_state.c */
enum err sass_begin_launch(struct launch *l, struct diag *d);
void sass_end_launch(struct launch *l);
/* sreg_launch.c: whether the register can be read, and whether it is constant
 * while a block runs. */
enum sass_sreg_when { SASS_SREG_NONE, SASS_SREG_STORED, SASS_SREG_READ };
enum sass_sreg_when sass_sreg_when(unsigned number);
bool sass_sreg_is_timer(unsigned number); /* in nanoseconds */
bool sass_sreg_is_high(unsigned number);  /* the upper word of a time */
bool sass_sreg_is_place(unsigned number); /* depends on the SM */
void sass_start_launch(char *sregs, const struct launch *l, uint32_t warp);
void sass_start_block(char *sregs, const struct block *b);

/* Whether machine code of this architecture is executed, 90 for sm_90. */
bool sass_executes(uint32_t sm);

#endif
