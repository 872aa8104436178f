/*
 * Formats of elements in buffers and images: how many bits each component has,
 * and what number they are.
 */
#ifndef HEDDLE_ISA_GCN_FORMAT_H
#define HEDDLE_ISA_GCN_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum gcn_number {
	GCN_NUMBER_UNORM,
	GCN_NUMBER_SNORM,
	GCN_NUMBER_USCALED,
	GCN_NUMBER_SSCALED,
	GCN_NUMBER_UINT,
	GCN_NUMBER_SINT,
	GCN_NUMBER_SNORM_OGL,
	GCN_NUMBER_FLOAT
};

struct gcn_data_format {
	uint8_t bytes; /* of an element; 0: there is no such format */
	uint8_t count; /* components */
	uint8_t bits[4];
};

/* `code` has 4 bits in a buffer's resource, 6 in an image's. */
struct gcn_data_format gcn_data_format(unsigned code);

/* From the words of an element to four values, floats or integers; components
 * that the format does not have are 0, 0, 0 and 1. */
void gcn_format_unpack(struct gcn_data_format f, enum gcn_number n,
		       const uint32_t words[4], uint32_t out[4]);
void gcn_format_pack(struct gcn_data_format f, enum gcn_number n,
		     const uint32_t in[4], uint32_t words[4]);
/* Values by a resource's selectors, 3 bits each: 0, 1, components from 4 on. */
void gcn_format_select(uint32_t selectors, enum gcn_number n,
		       const uint32_t in[4], uint32_t out[4]);

#endif
