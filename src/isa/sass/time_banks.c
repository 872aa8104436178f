/*
 * Which banks of the register file an instruction reads, and which of its
 * operands the reuse cache has.
 *
 * The cache has an entry for each bank and operand slot. An instruction with a
 * reuse bit leaves the register there that it reads in that slot; one without
 * it clears the entry. Several slots with the same register read it once.
 */
#include <string.h>

#include "isa/sass/regs.h"
#include "isa/sass/time.h"

enum {
	/* How far back an operand may have been left in the cache. */
	REUSE_REACH = 4,
	NO_SLOT = 0xff
};

/* The operand slots, by where their register is encoded. */
static uint8_t slot_of_role(const struct sass_inst *in, unsigned role)
{
	for (unsigned i = 0; i < in->enc->items; i++) {
		const struct sass_item *t = &in->enc->item[i];

		if (t->kind != SASS_ITEM_OPND || t->place.role != role)
			continue;
		switch (t->place.field.part[0].at) {
		case 24:
			return 0;
		case 32:
			return 1;
		case 64:
			return 2;
		}
	}
	return NO_SLOT;
}

/* A register that an instruction reads. */
struct port_read {
	uint8_t reg, slot;
	bool reuse;
};

static unsigned list_reads(const struct sass_inst *in,
			   struct port_read out[SASS_USES])
{
	struct sass_use use[SASS_USES];
	unsigned n = sass_uses(in, use), count = 0;

	for (unsigned i = 0; i < n; i++)
		if (use[i].file == SASS_FILE_R && !use[i].writes)
			out[count++] = (struct port_read){
				.reg = use[i].reg,
				.slot = slot_of_role(in, use[i].role),
				.reuse = in->opnd[use[i].role].reuse
			};
	return count;
}

/* Whether one of the instructions before has left the register in the cache. */
static bool is_cached(const struct port_read *r, const struct sass_inst *in,
		      uint32_t before, unsigned banks)
{
	struct port_read old[SASS_USES];

	for (uint32_t i = 1; i <= before && i <= REUSE_REACH; i++) {
		unsigned n = list_reads(in - i, old);

		for (unsigned k = 0; k < n; k++)
			if (old[k].slot == r->slot &&
			    old[k].reg % banks == r->reg % banks)
				return old[k].reuse && old[k].reg == r->reg;
	}
	return false;
}

static bool is_read_twice(const struct port_read *read, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (read[i].reg == read[n].reg)
			return true;
	return false;
}

static uint8_t sass_passes(unsigned reads, const struct cfg *cfg)
{
	unsigned ports = (unsigned)cfg->regs.read_ports;

	return (uint8_t)((reads + ports - 1) / ports);
}

void sass_set_banks(struct timed_inst *r, const struct sass_inst *in,
		    uint32_t before, const struct cfg *cfg)
{
	unsigned banks = (unsigned)cfg->regs.banks, n;
	struct port_read read[SASS_USES];

	n = list_reads(in, read);
	for (unsigned i = 0; i < n; i++) {
		unsigned b = read[i].reg % banks % TIMED_BANKS;

		if (is_read_twice(read, i))
			continue;
		r->reads[b]++;
		if (read[i].slot == NO_SLOT ||
		    !is_cached(&read[i], in, before, banks))
			r->reuse[b]++;
	}
	for (unsigned b = 0; b < TIMED_BANKS; b++) {
		r->passes[b] = sass_passes(r->reads[b], cfg);
		r->reuse_passes[b] = sass_passes(r->reuse[b], cfg);
		r->saved = (uint8_t)(r->saved + r->reads[b] - r->reuse[b]);
	}
}
