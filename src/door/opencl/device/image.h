/*
 * What a kernel knows of an image: the address that it gets points to this, on the
 * device. The library writes it, image.c reads it.
 */
#ifndef HEDDLE_OPENCL_DEVICE_IMAGE_H
#define HEDDLE_OPENCL_DEVICE_IMAGE_H

struct heddle_image {
	unsigned long long data;         /* address of the first pixel */
	unsigned long long row, slice;   /* bytes; a layer is a row or a slice */
	int width, height, depth, layers; /* 0: it has no such dimension */
	int order, type;                 /* CL_RGBA, CL_FLOAT: same as CLK_... */
	int element;                     /* bytes of a pixel */
	int reserved;
};

/* A sampler is its bits, as CLK_... defines them. */
enum {
	HEDDLE_SAMPLER_NORMALIZED = 1,
	HEDDLE_SAMPLER_ADDRESS = 0xe, /* CL_ADDRESS_NONE + half of it */
	HEDDLE_SAMPLER_LINEAR = 0x20,
	HEDDLE_SAMPLER_NEAREST = 0x10
};

#endif
