/*
 * SHA-256 (FIPS 180-4): names for contents. Two things with the same digest
 * are taken for the same thing, whoever made them.
 */
#ifndef HEDDLE_BASE_SHA256_H
#define HEDDLE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
	uint32_t state[8];
	uint64_t bytes; /* taken so far */
	unsigned char block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
/* Ends it; sha256_init begins another. */
void sha256_end(struct sha256 *s, unsigned char digest[SHA256_BYTES]);

#endif
