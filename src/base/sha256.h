/*
 * SHA-256 (FIPS 180-4), to name data by its content: data with the same digest
 * is taken to be the same.
 */
#ifndef HEDDLE_BASE_SHA256_H
#define HEDDLE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
	uint32_t state[8];
	uint64_t bytes; /* added so far */
	unsigned char block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
/* Computes the digest; call sha256_init before adding anything else. */
void sha256_end(struct sha256 *s, unsigned char digest[SHA256_BYTES]);

#endif
