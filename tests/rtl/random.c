#include "random.h"

#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 99;

uint32_t random_bits(void)
{
	random_state =
		random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 32);
}

uint64_t random_words(void)
{
	const char *n = getenv("RTL_WORDS");

	return n ? strtoull(n, NULL, 10) : 4000;
}

void random_launch(struct random_launch *r)
{
	for (int i = 0; i < 3; i++) {
		r->launch.grid[i] = random_bits();
		r->launch.block[i] = random_bits();
		r->sm.block[0].id[i] = random_bits();
	}
	for (int i = 0; i < RANDOM_PARAM_BYTES; i++)
		r->params[i] = (uint8_t)random_bits();
	r->kernel.param_bytes = sizeof(r->params);
	r->launch.kernel = &r->kernel;
	r->launch.params = r->params;
	r->machine.l = &r->launch;
	r->machine.sm = &r->sm;
}

/* A register's lanes: of shuffles small numbers matter, of masks few bits. */
void random_warp(struct fl_warp *w)
{
	*w = (struct fl_warp){ .index = random_bits() % 32 };
	for (unsigned r = 0; r < FL_REGS; r++) {
		uint32_t kind = random_bits() % 4;

		for (unsigned l = 0; l < FL_LANES; l++) {
			uint32_t v = random_bits();

			w->reg[r][l] = kind == 0 ? v & 0x1f1f :
				       kind == 1 ? v % 40 :
						   v;
		}
	}
	for (unsigned p = 0; p < FL_PREDS; p++)
		w->pred[p] = random_bits();
	w->pred[FL_PT] = ~0u;
}

/* A constant: often small, for shifts and shuffles. */
static uint32_t random_constant(void)
{
	uint32_t v = random_bits();

	return v % 2 ? v >> v % 32 : v;
}

static void random_b(struct fl_inst *in)
{
	in->imm = !fl_has(in, 'b') || random_bits() % 2;
	if (fl_has(in, 'b'))
		in->b = in->imm ? random_constant() : random_bits() % FL_REGS;
	else if (fl_has(in, 'o'))
		in->b = random_bits() % (RANDOM_PARAM_BYTES + 8) & ~3u;
	else if (fl_has(in, 's'))
		in->b = random_bits() % FL_SREG_COUNT;
	else
		in->imm = false;
}

struct fl_inst random_inst(void)
{
	for (;;) {
		struct fl_inst decoded, in = {
			.op = (uint8_t)(random_bits() % FL_OP_COUNT),
			.guard = random_bits() % 3 ? FL_PT : random_bits() % 16,
			.mod = random_bits() % 32,
		};

		in.d = fl_has(&in, 'd') ? random_bits() % 32 :
		       fl_has(&in, 'p') ? random_bits() % 8 :
					  0;
		in.a = fl_has(&in, 'a') ? random_bits() % 32 :
		       fl_has(&in, 'r') ? random_bits() % 16 :
					  0;
		in.c = fl_has(&in, 'c')               ? random_bits() % 32 :
		       fl_has(&in, 'q')               ? random_bits() % 16 :
		       fl_has(&in, 'y') && in.mod & 3 ? random_bits() % 8 :
							0;
		random_b(&in);
		/* Without such modifiers there is no such instruction. */
		if (fl_ops[in.op].unit < FL_UNIT_MEM &&
		    !fl_decode(&decoded, fl_encode(&in)))
			return in;
	}
}

uint32_t random_param(const struct random_launch *r, uint32_t at)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < 4; i++)
		if (at + i < RANDOM_PARAM_BYTES)
			v |= (uint32_t)r->params[at + i] << 8 * i;
	return v;
}

void random_places(const struct random_launch *r, uint32_t places[9])
{
	memcpy(places, r->sm.block[0].id, 12);
	memcpy(places + 3, r->launch.block, 12);
	memcpy(places + 6, r->launch.grid, 12);
}

uint32_t guarded_lanes(const struct fl_warp *w, const struct fl_inst *in,
		       uint32_t lanes)
{
	uint32_t p = w->pred[in->guard & 7];

	return lanes & (in->guard & FL_PRED_NOT ? ~p : p);
}
