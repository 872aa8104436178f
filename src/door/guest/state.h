/* What the files of door/guest share. */
#ifndef HEDDLE_GUEST_STATE_H
#define HEDDLE_GUEST_STATE_H

#include "door/guest/guest.h"
#include "door/guest/wire.h"
#include "door/opencl/cl.h"
#include "door/rt/handle.h"
#include "isa/x86/mem.h"

/* Memory of the device, which is in the program's. */
struct allocation {
	struct allocation *next;
	uint64_t at, size; /* at: the device's address */
};

struct gcl_state {
	struct heddle_device *sim;
	struct heddle_config *config;
	struct system *system;       /* NULL: nothing takes time */
	struct apu *apu;             /* on it */
	char refused[256];           /* why it has no GPU */
	struct x86_process *process; /* of the call in progress, or the last */
	struct allocation *allocations;
	uint64_t used;     /* bytes of them */
	bool flushes;      /* GCL_FLUSHES */
	uint64_t distance; /* of the program's addresses from the device's */
	bool shares;       /* kernels may access all memory of the program */
	bool coherent;     /* its caches, and the GPU's: without fences */
	/* Handles: an object of door/opencl for each number, and back. */
	void **object;
	size_t objects, object_room;
	struct handles number;
};
extern struct gcl_state gcl;

/* rt_module.c: opens the GPU if it is not yet. */
MUST_USE enum err gcl_open(struct diag *d);

/* handle.c */
/* The object; one that no handle is equal to if there is none. */
void *gcl_object(uint64_t handle);
/* The handle of an object that has just been made, and of a known one. 0: NULL. */
uint64_t gcl_handle_new(void *object);
uint64_t gcl_handle(void *object);
void gcl_handles_free(void);

/* The host's address of a guest's, which need not be one; NULL: 0. */
void *gcl_pointer(uint64_t at);
/* The inverse. */
uint64_t gcl_address(const void *host);

/*
 * call.c
 */
enum { GCL_WORDS = 14 };

enum gcl_kind {
	KIND_V,
	KIND_H,
	KIND_HS,
	KIND_I,
	KIND_IN,
	KIND_D,
	KIND_IS,
	KIND_O,
	KIND_ON,
	KIND_OH,
	KIND_OHN,
	KIND_OHS,
	KIND_S,
	KIND_L,
	KIND_P,
	KIND_C,
	KIND_F,
	KIND_Q,
	KIND_STRINGS,
	KIND_PAIRS,
	KIND_IMAGE,
	KIND_VALUE
};

struct gcl_arg {
	uint8_t kind;  /* enum gcl_kind */
	uint8_t other; /* the argument that says how many */
	uint8_t bytes; /* STRINGS: the argument with the lengths */
};

enum gcl_result { RESULT_INT, RESULT_HANDLE, RESULT_ADDRESS, RESULT_WORD };

struct gcl_row {
	const char *name;
	enum gcl_result result;
	uint8_t count;
	struct gcl_arg arg[GCL_WORDS];
	uint64_t (*call)(const uint64_t *a);
};

/* A call in progress. */
struct gcl_call {
	const struct gcl_row *row;
	const struct x86_mem *mem;
	uint64_t word[GCL_WORDS]; /* as the program gave them */
	uint64_t host[GCL_WORDS]; /* as door/opencl gets them */
	void *room[GCL_WORDS];    /* copies of what addresses lead to */
};

/* place.c: GCL_PLACE. */
enum { GCL_PLACE_WORDS = 9 };
uint64_t gcl_place(const uint64_t word[GCL_PLACE_WORDS]);

/* special.c */
bool gcl_read_pairs(struct gcl_call *c, unsigned i);
bool gcl_read_image(struct gcl_call *c, unsigned i);
bool gcl_read_strings(struct gcl_call *c, unsigned i);
bool gcl_read_value(struct gcl_call *c, unsigned i);
/* CL_PROGRAM_BINARIES: a list of places, which are the program's. */
bool gcl_read_places(struct gcl_call *c, unsigned i);
/* Puts the answer to a query into the program's terms: for some names its words are
 * handles or addresses. */
void gcl_translate_answer(cl_uint name, void *value, size_t size);

#endif
