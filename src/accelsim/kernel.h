/*
 * The trace of one kernel, as the tracer of Accel-Sim writes it and its
 * post-processing groups it: kernel-N.traceg, versions 3 to 5.
 *
 *   -name = value                     lines of the header
 *   #traces format = ...              the first line that begins with #
 *   #BEGIN_TB                         a block
 *   thread block = x,y,z
 *   warp = w
 *   insts = n                         and n lines, one for each instruction:
 *   [line] pc mask ndst {Rd} opcode nsrc {Rs} width [addresses] [immediate]
 *   #END_TB
 *
 * addresses, if width is not 0: "0" and one for each lane of the mask; "1", the
 * address of the first lane and the stride; or "2", the address of the first
 * lane and for each other one its distance from the lane before.
 *
 * The same instruction at the same place is one *instruction* of the kernel, with
 * a number; each line is a *record* of one. Functions that a kernel calls have
 * program counters of their own, which also begin at 0: a program counter may
 * have several instructions.
 *
 * Models:  everything in the file that is not for people.
 * Does not model: version 6 and files before post-processing, which are refused.
 * Owner:   the caller.
 */
#ifndef HEDDLE_ACCELSIM_KERNEL_H
#define HEDDLE_ACCELSIM_KERNEL_H

#include <stdbool.h>

#include "accelsim/source.h"
#include "arch/listing.h"

enum { ASIM_FIRST_VERSION = 3, ASIM_LAST_VERSION = 5 };

struct asim_header {
	char kernel[1024]; /* as mangled */
	uint32_t id, version, target, registers;
	uint32_t grid[3], block[3];
	uint32_t shared_bytes;
	uint64_t stream; /* its handle; 0: the default one */
	/* Generic addresses of shared and local memory; 0: not known. */
	uint64_t shared_base, local_base;
	bool lines; /* every instruction has the number of a source line */
};

/* Reads the header, up to the first line of instructions. */
MUST_USE enum err asim_read_header(struct asim_header *h, struct asim_source *s,
				   struct diag *d);

/* Bytes of the windows of shared and local memory in generic addresses. */
#define ASIM_WINDOW (UINT64_C(1) << 24)

/* An instruction, and what all its records have in common. */
struct asim_inst {
	struct listed_inst listed;
	uint32_t pc;
	uint32_t next;   /* the number of the next one with this pc, or NONE */
	uint32_t after;  /* the number of the one that followed it, or NONE */
	uint32_t number; /* in the code: asim_sort */
	uint32_t first_line; /* of the file: its first record */
	uint16_t text_bytes;
	char *text; /* of its line, from ndst to the last source */
	bool exits;
	/* Addresses of all records: the lowest and the highest, with its line;
	 * the lines where bits 0 to 3 were first set; the line of a record with
	 * lanes and without addresses. 0: no such line. */
	uint64_t low, high;
	uint32_t high_line, bit_line[4], bare_line;
};

#define ASIM_NONE UINT32_MAX

/* All instructions of a kernel. */
struct asim_code {
	struct asim_header header;
	struct asim_inst *inst;
	uint32_t count, room;
	uint32_t *at; /* by pc / 16: the first instruction, or NONE */
	uint32_t at_room;
	uint32_t text;    /* all inst.listed.index are below: asim_sort */
	uint32_t *sorted; /* numbers, in the order of the code: asim_sort */
	bool complete;    /* no more are added */
	/* Sums over the file. */
	uint64_t blocks, records, lanes, addresses;
	/* The lowest and the highest address in the window of local memory;
	 * low > high: none. */
	uint64_t local_low, local_high;
};

void asim_code_free(struct asim_code *c);

/* One line: an instruction that a warp executed. */
struct asim_record {
	uint32_t inst; /* its number; in a complete code asim_inst.number */
	uint32_t mask;
	/* Of its addresses in asim_block.address; STRIDED: base and stride,
	 * else one for each lane; ASIM_NONE: there are none. */
	uint32_t at;
};

#define ASIM_STRIDED (UINT32_C(1) << 31)

/* A block. Its warps follow each other in record[]. */
struct asim_block {
	uint64_t index; /* in the grid */
	uint32_t warps;
	struct asim_warp {
		uint32_t first, count;
	} warp[32];
	struct asim_record *record;
	uint32_t count, room;
	uint64_t *address;
	uint32_t address_count, address_room;
};

void asim_block_clear(struct asim_block *b); /* frees what it owns */

/* Reads the next block; *found: there is one. New instructions are added, unless
 * the code is complete. */
MUST_USE enum err asim_read_block(struct asim_block *b, struct asim_code *c,
				  struct asim_source *s, bool *found,
				  struct diag *d);

/* The code is complete: sets the order, index and jumps of its instructions. */
MUST_USE enum err asim_sort(struct asim_code *c, struct diag *d);

/* The addresses of a record's lanes; those of other lanes repeat one of them. */
void asim_addresses(const struct asim_block *b, const struct asim_record *r,
		    uint64_t address[32]);

#endif
