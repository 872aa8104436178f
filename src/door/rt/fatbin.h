/*
 * Fat binaries: what nvcc puts into a program for each of its sources.
 *
 *	wrapper (in .nvFatBinSegment)        what __cudaRegisterFatBinary gets
 *	  `-> fat binary (in .nv_fatbin)     16 bytes, then images
 *	        image: PTX for compute_75    64 bytes or more, then the PTX
 *	        image: machine code, sm_75   64 bytes or more, then an ELF file
 *	        ...
 *
 * Every number is little endian.
 *
 *	wrapper     u32 magic 0x466243b1
 *	            u32 version; 1, or 2 for device code that was linked (-rdc)
 *	            ptr the fat binary
 *	            ptr version 2: the fat binaries that were linked, up to NULL
 *	fat binary  u32 magic 0xba55ed50
 *	            u16 version, 1
 *	            u16 bytes of this header
 *	            u64 bytes of the images, which follow
 *	image       u16 kind: 1 PTX, 2 ELF, 8 intermediate code of the linker
 *	            u16 version, 0x101
 *	            u32 bytes of this header, with names and options after it
 *	            u64 bytes of the data after the header, padding included
 *	            u32 bytes of the data without padding, if compressed
 *	            u32 offset of the description of ptxas' options in the header
 *	            u16 u16 version of the PTX or of the ELF, minor and major
 *	            u32 compute capability, 90 for 9.0
 *	            u32 u32 offset of its name in the header, and its length
 *	            u64 flags: 0x1 64 bits, 0x2 debug, 0x10 Linux, 0x2000 LZ4,
 *	                0x8000 zstd, 0x100000 sm_90a, 0x200000 sm_100f
 *	            u64 unknown; 0 in PTX and ELF
 *	            u64 bytes once decompressed, if compressed
 *
 * The layout was found by taking apart the output of nvcc and fatbinary of CUDA
 * 11.8 and 13.0. 11.8 compresses PTX to a block of LZ4, 13.0 to a frame of
 * zstd, or of LZ4 with `nvcc -compress-mode=speed`; -no-compress leaves it
 * plain.
 *
 * Reads: the above, plain PTX and machine code that is not in a fat binary.
 * Does not read: fat binaries of CUDA before 4.0, 32-bit wrappers.
 * Nothing is copied or kept: the bytes belong to the caller and must stay.
 */
#ifndef HEDDLE_DOOR_RT_FATBIN_H
#define HEDDLE_DOOR_RT_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* For data in the memory of this process that states its own size. */
#define FATBIN_SIZE_UNKNOWN SIZE_MAX
/* An image that claims to be larger, once decompressed, is refused. */
#define FATBIN_PLAIN_MAX ((uint64_t)1 << 30)

enum fatbin_kind {
	FATBIN_PTX,
	FATBIN_ELF,  /* machine code */
	FATBIN_OTHER /* intermediate code, stored in its own way; or unknown */
};

enum fatbin_packing { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };

struct fatbin_image {
	enum fatbin_kind kind;
	enum fatbin_packing packing;
	/* Compute capability, 90 for 9.0; 0: not stated. Variant 'a' runs on
	 * this one only, 'f' also on later ones of its family; 0: none. */
	unsigned sm;
	char variant;
	/* Of the PTX or of the ELF: major and minor; 0: not stated. */
	unsigned version[2];
	/* Name of the source, not terminated; NULL and 0: not stated. */
	const char *name;
	size_t name_size;
	const void *data; /* as stored */
	size_t size;
	uint64_t plain_size; /* once decompressed */
	unsigned part;       /* which of the fat binaries it is in, from 0 */
	size_t next, end;    /* for fatbin_next: next image, end of the part */
	unsigned parts;      /* for fatbin_next: fat binaries begun */
};

struct fatbin {
	const uint8_t *data;
	size_t size;
	enum { FATBIN_SEQUENCE, FATBIN_TEXT, FATBIN_CUBIN } form;
	unsigned parts; /* fat binaries one after another; 1 for other forms */
	unsigned images;
	/* From a wrapper of version 2: see fatbin_prelinked. */
	const void *const *prelinked;
	unsigned prelinked_count;
};

/*
 * data: a fat binary, several with zeros between them (the contents of
 * .nv_fatbin or __nv_relfatbin), PTX, machine code for a GPU (a cubin); with
 * FATBIN_SIZE_UNKNOWN also a wrapper.
 *
 * size: no byte beyond it is read. FATBIN_SIZE_UNKNOWN: the data is in memory
 * and a compiler wrote it, whose sizes are trusted; then one fat binary is
 * read, and PTX ends in NUL.
 *
 * ERR_SYNTAX: it is none of these, or its headers are inconsistent. On success
 * all headers have been checked, compressed data has not. *f needs no closing.
 */
MUST_USE enum err fatbin_open(struct fatbin *f, const void *data, size_t size,
			      struct diag *d);

/*
 *	struct fatbin_image im = { 0 };
 *	while (fatbin_next(&f, &im))
 *		...
 */
bool fatbin_next(const struct fatbin *f, struct fatbin_image *im);

/* One of f->parts fat binaries, from 0. Shares the bytes of f. */
MUST_USE enum err fatbin_part(const struct fatbin *f, unsigned i,
			      struct fatbin *one, struct diag *d);

/*
 * The fat binary of object `i` of f->prelinked_count that were compiled with
 * -rdc=true and then linked into f. f itself holds the machine code that the
 * linker made, or nothing; only the objects hold PTX, each its own, with
 * .extern for what another object defines.
 */
MUST_USE enum err fatbin_prelinked(const struct fatbin *f, unsigned i,
				   struct fatbin *one, struct diag *d);

/* Can a GPU of compute capability `sm` run this image? PTX runs on later GPUs,
 * machine code on those with its major number and no lower minor number. */
bool fatbin_runs(const struct fatbin_image *im, unsigned sm);

/* Decompresses PTX or machine code: *data is malloc'ed and followed by a NUL.
 * ERR_SYNTAX, ERR_RANGE (FATBIN_PLAIN_MAX), ERR_NOMEM, ERR_UNSUPP (another
 * kind, unknown size, no zstd in this build). */
MUST_USE enum err fatbin_plain(const struct fatbin_image *im, void **data,
			       size_t *size, struct diag *d);

/* Which image was chosen. */
struct fatbin_pick {
	enum fatbin_kind kind;
	unsigned rank; /* higher is better, within a kind; 0: none yet */
	unsigned sm;
	char variant; /* as in fatbin_image */
	bool newer;   /* it is for higher compute capabilities only */
};

/*
 * Chooses the PTX for compute capability `sm` (90 for 9.0): the highest that
 * can run there, and among equals 'a' before 'f' before neither. *text is
 * malloc'ed and ends in NUL, which *size does not count. f must have one part.
 *
 * pick: NULL, or in: the last choice, out: this one. After a first choice, the
 * call takes the next best. If nothing can run there, the first choice is the
 * PTX of the lowest higher compute capability, which works if it has no
 * instruction that is new; there is no second choice then.
 *
 * ERR_UNSUPP if there is none: says what there is and how to rebuild.
 */
MUST_USE enum err fatbin_ptx(const struct fatbin *f, unsigned sm,
			     struct fatbin_pick *pick, char **text,
			     size_t *size, struct diag *d);

/*
 * Chooses the machine code for compute capability `sm` as a driver does: of
 * that which can run there the highest, and among equals 'a' before 'f' before
 * neither. *data is malloc'ed. f must have one part. pick: NULL, or out.
 *
 * ERR_UNSUPP if there is none: says what there is.
 */
MUST_USE enum err fatbin_machine(const struct fatbin *f, unsigned sm,
				 struct fatbin_pick *pick, void **data,
				 size_t *size, struct diag *d);

#endif
