/*
 * A cubin: machine code of NVIDIA GPUs in an ELF file, as ptxas and nvlink
 * write it. Reading makes of the bytes what a loader needs: kernels with their
 * code and attributes, constant banks, variables, symbols and relocations.
 *
 * Reads: both layouts of the header (OS/ABI 0x33, version 7, of CUDA 12 and
 *	before; 0x41, version 8, of CUDA 13), linked and unlinked programs.
 * Does not resolve addresses: see sass_reloc_apply, and the loader.
 * Refuses: relocatable objects (nvcc -rdc=true -cubin), relocations that it
 *	does not know, 32-bit addresses.
 *
 * Code. ptxas gives each kernel its own copies of the functions that it calls,
 * in its own section. nvlink keeps the functions of separate objects in sections
 * of their own, which all kernels share. Then the text of a kernel, here, is
 * its own section, and after it those of all functions, at the same offsets for
 * all kernels, so that one address will do for a function:
 *
 *	k1->text   | k1 |.....| f | g |     the gap repeats k1's last instruction
 *	k2->text   | k2       | f | g |
 *
 * Owner:   everything is in the arena that sass_cubin_read is given, nothing
 *          points into the bytes of the file.
 */
#ifndef HEDDLE_SASS_CUBIN_H
#define HEDDLE_SASS_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum { SASS_INST_BYTES = 16 };

/*
 * Relocations that programs for sm_70 and later have once they are linked: how
 * a value is stored at its place, which is a word of data or an instruction:
 * its `bits` from bit `shift` on go to bit `at`.
 *
 *	id             number  place  shift bits at */
#define SASS_RELOC_MAP(X)                                   \
	X(NONE, 0, DATA, 0, 0, 0)                           \
	X(32, 1, DATA, 0, 32, 0)                            \
	X(64, 2, DATA, 0, 64, 0)                            \
	X(G32, 3, DATA, 0, 32, 0)                           \
	X(G64, 4, DATA, 0, 64, 0)                           \
	X(ABS32_32, 55, INST, 0, 32, 32)                    \
	X(ABS32_LO_32, 56, INST, 0, 32, 32)                 \
	X(ABS32_HI_32, 57, INST, 32, 32, 32)                \
	X(ABS47_34, 58, INST, 2, 47, 34)                    \
	X(32_LO, 70, DATA, 0, 32, 0)                        \
	X(32_HI, 71, DATA, 32, 32, 0)                       \
	/* Split: the lowest 8 of its bits go to bit 16. */ \
	X(ABS55_16_34, 75, INST, 10, 47, 34)

enum sass_reloc_type {
#define X(id, number, place, shift, bits, at) SASS_RELOC_##id = (number),
	SASS_RELOC_MAP(X)
#undef X
};

/* Where a symbol's value counts from. */
enum sass_home {
	SASS_UNDEFINED, /* a function of the driver, such as vprintf */
	SASS_TEXT,      /* sass_symbol.text */
	SASS_GLOBAL,    /* cubin.global: variables that begin as zeros */
	SASS_INIT,      /* cubin.init: variables with values */
	SASS_CONSTANT,  /* bank 3 */
	SASS_SHARED,    /* of a kernel: an offset in the code's own terms */
	SASS_ELSEWHERE, /* a section without an address at run time */
};

/* Symbol i is entry i of the file's table. */
struct sass_symbol {
	const char *name; /* "" if it has none; of a section: the section's */
	enum sass_home place;
	uint64_t value, size;
	uint32_t text;    /* SASS_TEXT: index in cubin.texts */
	bool is_function; /* SASS_TEXT: has an address that is a function's */
	bool is_variable;
	bool is_managed; /* the host accesses it at the same address */
	bool is_local;   /* other modules do not see it */
};

struct sass_reloc {
	enum sass_reloc_type type;
	uint64_t offset; /* of its place: the word or the instruction */
	const struct sass_symbol *symbol;
	int64_t addend;
};

/* Bytes of a section, and what depends on addresses in it. */
struct sass_data {
	const char *name; /* of the section */
	uint8_t *bytes;   /* NULL: zeros */
	uint64_t size;
	uint32_t align;            /* a power of two */
	struct sass_reloc *relocs; /* by offset */
	uint32_t reloc_count;
};

/* A section of code. */
struct sass_text {
	struct sass_data code; /* whole instructions */
	const char *owner;     /* the kernel or function that it belongs to */
	uint32_t section;      /* index in the file */
	bool is_kernel;
	uint32_t at; /* of a function: offset in every kernel's text */
};

/* A function within a kernel's text. */
struct sass_func {
	const char *name; /* the source's, without ptxas' prefix $kernel$ */
	uint32_t at, size;
};

struct sass_kernel_param {
	uint32_t offset, size; /* in the parameter block */
};

/* A constant bank with contents; c[bank][...]. */
struct sass_bank {
	uint32_t bank;
	struct sass_data data;
};

struct sass_kernel {
	const char *name;
	uint32_t symbol; /* index in cubin.symbols */
	uint32_t own;    /* index in cubin.texts */

	uint8_t *text;      /* whole instructions, for the loader to patch */
	uint32_t text_size; /* bytes */
	struct sass_reloc *relocs; /* offsets count from the text's beginning */
	uint32_t reloc_count;
	struct sass_func *funcs; /* by `at`, without the kernel itself */
	uint32_t func_count;

	uint32_t registers;    /* of a thread */
	uint32_t barriers;     /* named barriers of a block */
	uint32_t shared_bytes; /* static, without those of the system */
	/* Offset of static shared memory in the window: 0x400 from sm_90 on,
	 * where the system has the first bytes. */
	uint32_t shared_base;
	uint32_t shared_align;
	uint32_t frame_bytes; /* local memory of its own frame */
	uint32_t stack_bytes; /* with those of its calls, as far as known */
	uint32_t max_threads[3], required[3]; /* of a block; 0: any */
	uint32_t max_registers;               /* as told to ptxas; 0: nothing */
	bool needs_cluster;                   /* runs in clusters only */
	uint32_t cluster[3]; /* blocks of one; 0: the launch says */

	struct sass_kernel_param *params; /* by ordinal */
	uint32_t param_count;
	uint32_t param_base;     /* of the parameter block in bank 0 */
	uint32_t param_bytes;    /* of the parameter block */
	uint32_t bank0_bytes;    /* driver's area and parameters */
	struct sass_bank *banks; /* of its own, bank 0 excepted */
	uint32_t bank_count;

	uint32_t *exits; /* offsets of EXIT from its own section's beginning */
	uint32_t exit_count;
};

/* Sections of debugging information; size 0: absent. See lines.h. */
struct sass_debug {
	struct sass_data line;      /* .debug_line: address to source line */
	struct sass_data line_str;  /* .debug_line_str, of DWARF 5 */
	struct sass_data str;       /* .debug_str */
	struct sass_data line_sass; /* address to line of the PTX */
	struct sass_data ptx;       /* the PTX: strings, one of each line */
};

struct sass_cubin {
	uint32_t sm;  /* 90 of sm_90 and sm_90a */
	char variant; /* 'a': for this GPU only; 'f': its family; 0: none */
	struct sass_symbol *symbols;
	uint32_t symbol_count;
	struct sass_text *texts;
	uint32_t text_count;
	struct sass_kernel *kernels;
	uint32_t kernel_count;
	struct sass_bank *banks; /* of all kernels: 3, 4, ... */
	uint32_t bank_count;
	struct sass_data global; /* bytes == NULL */
	struct sass_data init;
	struct sass_debug debug;
};

/* Whether the bytes look like a cubin: an ELF file for a GPU. */
bool sass_cubin_matches(const void *bytes, size_t size);
/* Its architecture, 90 of sm_90, by its header alone; 0: not known. */
uint32_t sass_cubin_sm(const void *bytes, size_t size);

/* Reads a cubin into *a, which is the caller's to free, also on failure. Errors
 * name the section. ERR_SYNTAX: it is damaged; ERR_UNSUPP: see above. */
MUST_USE enum err sass_cubin_read(struct sass_cubin *out, struct arena *a,
				  const void *bytes, size_t size,
				  struct diag *d);

/* NULL: there is none of that name. */
const struct sass_kernel *sass_cubin_kernel(const struct sass_cubin *c,
					    const char *name);

/* The function that an offset of a kernel's text lies in; NULL: the kernel. */
const struct sass_func *sass_kernel_func(const struct sass_kernel *k,
					 uint32_t at);

/* The offset in k's text of a symbol with place SASS_TEXT. False: it is another
 * kernel's, which k cannot reach. */
bool sass_symbol_offset(const struct sass_cubin *c, const struct sass_kernel *k,
			const struct sass_symbol *y, uint32_t *at);

/* Stores the value of a relocation, symbol and addend included, at its place:
 * bytes + r->offset, which sass_cubin_read has checked. */
void sass_reloc_apply(const struct sass_reloc *r, uint64_t value,
		      uint8_t *bytes);
/* "R_CUDA_64", or "R_CUDA type 99". */
const char *sass_reloc_name(unsigned number, char room[32]);

#endif
