#include "isa/ptx/time_banks.h"

#include <string.h>

enum { MAX_BANKS = 64, MAX_READS = 64 };

/* A register that an instruction reads, and the operand's position. */
struct bank_read {
	uint16_t home;
	uint8_t position;
};

struct bank_reads {
	struct bank_read read[MAX_READS];
	unsigned count;
};

static void collect_reads(const struct time_live *l, struct bank_reads *s,
			  uint32_t inst)
{
	s->count = 0;
	for (uint32_t i = l->at[inst]; i < l->at[inst + 1]; i++) {
		const struct ptx_live_ref *r = &l->ref[i];

		if (r->write || l->home[r->cell] == LIVE_NO_HOME)
			continue;
		for (unsigned w = 0; w < l->words[r->cell]; w++)
			if (s->count < MAX_READS)
				s->read[s->count++] = (struct bank_read){
					(uint16_t)(l->home[r->cell] + w),
					r->position
				};
	}
}

static bool writes_home(const struct time_live *l, uint32_t inst, uint16_t home)
{
	for (uint32_t i = l->at[inst]; i < l->at[inst + 1]; i++) {
		uint32_t c = l->ref[i].cell;

		if (l->ref[i].write && l->home[c] != LIVE_NO_HOME &&
		    home >= l->home[c] && home < l->home[c] + l->words[c])
			return true;
	}
	return false;
}

static bool has_read(const struct bank_reads *s, struct bank_read r)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->read[i].home == r.home &&
		    s->read[i].position == r.position)
			return true;
	return false;
}

static bool is_repeated(const struct bank_reads *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (s->read[i].home == s->read[n].home)
			return true;
	return false;
}

/* Writes the reads of all banks, or of those with the most reads if there are
 * more banks than a timed instruction holds. */
static void pack_banks(uint8_t out[TIMED_BANKS], uint8_t bank[MAX_BANKS],
		       unsigned banks)
{
	if (banks <= TIMED_BANKS) {
		memcpy(out, bank, banks);
		return;
	}
	for (unsigned i = 0; i < TIMED_BANKS; i++) {
		unsigned max = 0, at;

		for (unsigned b = 1; b < banks; b++)
			if (bank[b] > bank[max])
				max = b;
		for (at = max % TIMED_BANKS; out[at];)
			at = (at + 1) % TIMED_BANKS;
		out[at] = bank[max];
		bank[max] = 0;
	}
}

static uint8_t port_passes(unsigned reads, const struct cfg *cfg)
{
	unsigned ports = (unsigned)cfg->regs.read_ports;

	return (uint8_t)((reads + ports - 1) / ports);
}

void banks_set(struct timed_inst *r, const struct time_live *l,
	       const struct cfg *cfg, uint32_t inst,
	       const struct timed_inst *before)
{
	unsigned banks = (unsigned)cfg->regs.banks;
	uint8_t all[MAX_BANKS] = { 0 }, left[MAX_BANKS] = { 0 };
	struct bank_reads now, old = { .count = 0 };

	collect_reads(l, &now, inst);
	if (before && timed_has_fixed_latency(before) &&
	    timed_has_fixed_latency(r))
		collect_reads(l, &old, inst - 1);
	for (unsigned i = 0; i < now.count; i++) {
		uint16_t home = now.read[i].home;

		if (is_repeated(&now, i))
			continue;
		all[home % banks]++;
		if (!has_read(&old, now.read[i]) ||
		    writes_home(l, inst - 1, home))
			left[home % banks]++;
	}
	pack_banks(r->reads, all, banks);
	pack_banks(r->reuse, left, banks);
	for (unsigned b = 0; b < TIMED_BANKS; b++) {
		r->passes[b] = port_passes(r->reads[b], cfg);
		r->reuse_passes[b] = port_passes(r->reuse[b], cfg);
		r->saved = (uint8_t)(r->saved + r->reads[b] - r->reuse[b]);
	}
}
