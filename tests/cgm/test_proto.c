/* What an access does to a block's bytes. */
#include <string.h>

#include "mem/cgm/proto.h"
#include "test.h"

static const uint64_t old = 0x80f0f0f0f0f0f0f5, operand = 0x7fff00ff00ff0083;

/* An atomic on the word at byte 16; returns what it leaves there, *found what it
 * returns. */
static uint64_t update(enum cgm_op op, unsigned size, uint64_t compare,
		       uint64_t *found)
{
	struct cgm_packet p = { .op = (uint8_t)op,
				.offset = 16,
				.size = (uint8_t)size,
				.compare = compare };
	uint8_t block[CGM_BLOCK];
	uint64_t v = 0;

	memset(block, 0xee, sizeof(block));
	memcpy(block + 16, &old, size);
	memcpy(p.data + 16, &operand, size);
	cgm_perform(block, &p);
	for (unsigned i = 0; i < CGM_BLOCK; i++)
		OK((i >= 16 && i < 16 + size) || block[i] == 0xee);
	*found = 0;
	memcpy(found, p.data + 16, size);
	memcpy(&v, block + 16, size);
	return v;
}

TEST(atomic, every_operation_has_its_value_and_returns_the_old_one)
{
	for (unsigned size = 1; size <= 8; size *= 2) {
		uint64_t all = UINT64_MAX >> (64 - 8 * size), found;
		uint64_t was = old & all, v = operand & all;
		struct {
			enum cgm_op op;
			uint64_t want;
		} row[] = {
			{ CGM_OP_ADD, (was + v) & all },
			{ CGM_OP_AND, was & v },
			{ CGM_OP_OR, was | v },
			{ CGM_OP_XOR, was ^ v },
			{ CGM_OP_MIN, was < v ? was : v },
			{ CGM_OP_MAX, was < v ? v : was },
			{ CGM_OP_SWAP, v },
		};

		for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
			EQ(row[i].want, update(row[i].op, size, 0, &found));
			EQ(was, found);
		}
	}
}

TEST(atomic, cas_compares_as_many_bytes_as_it_writes)
{
	for (unsigned size = 1; size <= 8; size *= 2) {
		uint64_t all = UINT64_MAX >> (64 - 8 * size), found;

		/* Bits beyond the size do not count. */
		EQ(operand & all,
		   update(CGM_OP_CAS, size, (old & all) | ~all, &found));
		EQ(old & all, found);
		EQ(old & all, update(CGM_OP_CAS, size, old ^ 1, &found));
		EQ(old & all, found);
	}
}

TEST(store, only_the_bytes_of_the_mask_are_written)
{
	struct cgm_packet p = { .op = CGM_OP_STORE,
				.size = 64,
				.mask = 0x8000000000000105 };
	uint8_t block[CGM_BLOCK] = { 0 };

	memset(p.data, 7, sizeof(p.data));
	cgm_perform(block, &p);
	for (unsigned i = 0; i < CGM_BLOCK; i++)
		EQ(p.mask >> i & 1 ? 7 : 0, block[i]);
}

TEST(store, a_mask_has_the_bytes_of_an_access)
{
	EQ(0xff, cgm_mask(0, 8));
	EQ(UINT64_C(0xf000000000000000), cgm_mask(60, 4));
	EQ(UINT64_MAX, cgm_mask(0, 64));
}

TEST(store, a_message_without_data_is_a_header)
{
	EQ(CGM_HEADER, cgm_bytes(&(struct cgm_packet){ .kind = CGM_GETS }));
	EQ(CGM_HEADER + CGM_BLOCK,
	   cgm_bytes(&(struct cgm_packet){ .kind = CGM_DATA_S,
					   .mask = UINT64_MAX }));
}
