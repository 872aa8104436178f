/*
 * Memory objects. Each device of the context has memory for a buffer from its
 * first use on; `valid` says which have the current contents, and mem_on copies
 * them to where they are needed. A sub-buffer and an image of a buffer share the
 * memory of their parent.
 *
 * Images are linear memory, packed. Kernels get the address of a descriptor (struct
 * heddle_image of device/image.h) and do the rest in software: the units for
 * textures of the simulated GPU have no part in it.
 *
 * Mapped memory is host memory of the object's size, or the program's own
 * (CL_MEM_USE_HOST_PTR): mapping copies to it, unmapping back. If devices may
 * access the program's own, that is the object's memory, and nothing is copied.
 */
#ifndef HEDDLE_OPENCL_MEM_H
#define HEDDLE_OPENCL_MEM_H

#include "door/opencl/command.h"

struct mem_callback {
	struct mem_callback *next;
	void(CL_CALLBACK *fn)(cl_mem, void *);
	void *data;
};

/* One side of a move: memory of an object, or of the host. */
struct side {
	cl_mem mem; /* NULL: host */
	char *host;
	size_t offset, row, slice; /* bytes */
};

/* Copies a box of bytes. */
struct move {
	struct side to, from;
	size_t width, height, depth; /* bytes, rows, slices */
};

struct mapping {
	struct mapping *next;
	void *pointer;
	bool writes;
	struct move back; /* from the host to the object */
};

struct mem_image {
	cl_image_format format;
	cl_image_desc desc;
	size_t element, channels;    /* bytes, numbers of a pixel */
	size_t width, height, depth; /* a layer counts as a row or a slice */
	size_t row, slice;
	void *descriptor[CL_DEVICES]; /* on the device; NULL: not made */
};

struct _cl_mem {
	struct object o;
	cl_context context;
	cl_mem_object_type type;
	cl_mem_flags flags;
	size_t size;
	char *host_ptr; /* CL_MEM_USE_HOST_PTR */
	void *direct;   /* its device address: it is the memory; or NULL */
	cl_mem parent;  /* NULL: it has memory of its own */
	size_t origin;  /* in the parent */
	void *at[CL_DEVICES];
	uint32_t valid; /* bit i: device i has the contents */
	char *shadow;   /* what is mapped; NULL: never was */
	struct mapping *mappings;
	struct mem_callback *callbacks;
	struct mem_image image;
};

bool mem_is_image(const struct _cl_mem *m);
/* The address of the object's memory on the device, with its contents. `write`: the
 * others lose them. s: the stream for copies. */
cl_int mem_on(cl_mem m, cl_device_id d, struct rt_stream *s, bool write,
	      void **out);
/* The address of the descriptor. */
cl_int image_on(cl_mem m, cl_device_id d, struct rt_stream *s, bool write,
		void **out);
/* Makes an object and the memory of its first device. */
cl_int mem_new(cl_mem *out, cl_context c, cl_mem_object_type type,
	       cl_mem_flags flags, size_t size);
/* Checks flags of clCreateBuffer and clCreateImage. */
cl_int mem_check_flags(cl_mem_flags flags, const void *host);
/* Gives a new object its contents. */
cl_int mem_fill_from(cl_mem m, const struct move *from_host);
size_t image_element(const cl_image_format *f);
void mem_image_free(cl_mem m);

/* A command that moves. */
struct move_command {
	cl_command_type type;
	struct move move;
	cl_bool blocking;
	bool nothing; /* the event only */
};
cl_int move_submit(cl_command_queue q, const struct move_command *m,
		   const struct wait_list *w);
/* The object is of the queue's context, and allows what the host does. */
cl_int mem_check(cl_command_queue q, cl_mem m, bool image);
cl_int mem_check_host(const struct _cl_mem *m, bool reads, bool writes);
bool map_flags_are_valid(cl_map_flags flags);
bool pattern_size_is_valid(size_t size);
/* Fills shared virtual memory. */
cl_int fill_svm(cl_command_queue q, void *at, const void *pattern,
		size_t pattern_size, size_t size, const struct wait_list *w);
/* Whether the box of an image lies in it; and its place. */
cl_int image_box(const struct _cl_mem *m, const size_t origin[3],
		 const size_t region[3], struct side *side);
/* Sets the width, height and depth of a move to a box of the image. */
void image_extent(const struct _cl_mem *m, const size_t region[3],
		  struct move *move);

#endif
