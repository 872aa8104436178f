#include "simt/mma_sparse.h"

#include <string.h>

enum { SPARSE_ROWS = 16 };

/* Bits of metadata of a row of A: 16, 32 or 64. */
static unsigned sparse_row_bits(const struct mma_op *m)
{
	unsigned bits = mma_elem_bits(m->type[MMA_A]), k = m->shape.k;

	return bits == 32 ? 2 * k : bits == 4 ? k / 2 : k;
}

bool mma_has_selector(const struct mma_op *m, unsigned selector)
{
	return selector < 64 / sparse_row_bits(m);
}

/*
 * Collects the metadata of each row: of four lanes, those of the selector have
 * rows i and i + 8. Of elements of 16 bits and more, a lane has 16 bits of the
 * first row, then as many of the second; of smaller ones, every other lane has 32
 * bits of the first row, and those between them of the second.
 */
static void sparse_rows(const struct mma_op *m, const uint32_t meta[LANES],
			uint64_t row[SPARSE_ROWS])
{
	bool both = mma_elem_bits(m->type[MMA_A]) >= 16;
	unsigned size = both ? 16 : 32, n = sparse_row_bits(m) / size;
	unsigned step = both ? 1 : 2;

	memset(row, 0, SPARSE_ROWS * sizeof(*row));
	for (unsigned i = 0; i < SPARSE_ROWS; i++)
		for (unsigned p = 0; p < n; p++) {
			unsigned low = i / 8;
			unsigned l = i % 8 * 4 + (m->selector * n + p) * step;
			uint32_t bits = both ? meta[l] >> 16 * low & 0xffff :
					       meta[l + low];

			row[i] |= (uint64_t)bits << size * p;
		}
}

/* The column of the element that is stored at place c of a row. */
static unsigned sparse_column(unsigned bits, uint64_t row, unsigned c)
{
	switch (bits) {
	case 32:
		return 2 * c + (row >> (4 * c + 1) & 1);
	case 4:
		return c / 4 * 8 + (row >> c / 2 * 2 & 3) * 2 + c % 2;
	default:
		return c / 2 * 4 + (row >> 2 * c & 3);
	}
}

/* Each row has a B of its own. */
void mma_run_sparse(struct mma_job *j, const struct mma_op *m,
		    const uint32_t meta[LANES])
{
	unsigned bits = mma_elem_bits(j->a_type), half = j->k / 2;
	uint64_t row[SPARSE_ROWS];
	struct mma_job one = *j;

	sparse_rows(m, meta, row);
	one.m = 1;
	one.k = half;
	for (unsigned i = 0; i < j->m; i++) {
		for (unsigned c = 0; c < half; c++)
			memcpy(&one.b[c * j->n],
			       &j->b[sparse_column(bits, row[i], c) * j->n],
			       j->n * sizeof(*one.b));
		memcpy(one.a, &j->a[i * half], half * sizeof(*one.a));
		memcpy(one.c, &j->c[i * j->n], j->n * sizeof(*one.c));
		mma_run(&one);
		memcpy(&j->d[i * j->n], one.d, j->n * sizeof(*one.d));
	}
}
