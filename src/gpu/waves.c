#include "gpu/waves.h"

#include <math.h>
#include <stdlib.h>

#include "base/minmax.h"

enum err waves_init(struct waves *w, uint64_t blocks, uint64_t size,
		    struct diag *d)
{
	*w = (struct waves){ .size = size,
			     .count = (blocks + size - 1) / size };
	w->wave = calloc(w->count, sizeof(*w->wave));
	return w->wave ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

void waves_free(struct waves *w)
{
	free(w->wave);
	*w = (struct waves){ 0 };
}

/* Welford's algorithm: sums of squares of cycles would overflow. */
void waves_add(struct waves *w, uint64_t block, cycle_t end)
{
	struct wave_ends *v = &w->wave[block / w->size];
	double x = (double)end, off = x - v->mean;

	v->first = v->blocks ? min_u64(v->first, end) : end;
	v->last = max_u64(v->last, end);
	v->blocks++;
	v->mean += off / (double)v->blocks;
	v->squares += off * (x - v->mean);
}

struct waves_sum waves_sum(const struct waves *w)
{
	struct waves_sum sum = { 0 };
	double squares = 0, blocks = 0;

	for (uint64_t i = 0; i < w->count; i++) {
		const struct wave_ends *v = &w->wave[i];

		squares += v->squares;
		blocks += (double)v->blocks;
		sum.gap = max_u64(sum.gap, v->last - v->first);
	}
	sum.deviation = blocks > 0 ? sqrt(squares / blocks) : 0;
	return sum;
}
