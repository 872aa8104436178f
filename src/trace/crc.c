#include "trace/crc.h"

#include <pthread.h>

#define REFLECTED UINT32_C(0x82f63b78) /* the polynomial */

enum { TABLES = 8 };

/* table[k][b]: the effect of byte b on the sum if k bytes follow it. */
static uint32_t table[TABLES][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void crc_fill(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t v = b;

		for (int i = 0; i < 8; i++)
			v = v >> 1 ^ (v & 1 ? REFLECTED : 0);
		table[0][b] = v;
	}
	for (int k = 1; k < TABLES; k++)
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t v = table[k - 1][b];

			table[k][b] = v >> 8 ^ table[0][v & 0xff];
		}
}

/* Eight bytes at once: their effects are independent and are added up. */
static uint32_t crc_eight_bytes(uint32_t sum, const uint8_t *p)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < TABLES; i++) {
		uint8_t b = i < 4 ? (uint8_t)(p[i] ^ sum >> 8 * i) : p[i];

		v ^= table[TABLES - 1 - i][b];
	}
	return v;
}

uint32_t trace_crc(const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	uint32_t sum = ~(uint32_t)0;

	pthread_once(&once, crc_fill);
	for (; size >= TABLES; size -= TABLES, p += TABLES)
		sum = crc_eight_bytes(sum, p);
	for (; size; size--, p++)
		sum = sum >> 8 ^ table[0][(sum ^ *p) & 0xff];
	return ~sum;
}
