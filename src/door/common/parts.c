#include "door/common/parts.h"

static void rows_halve(struct part_rows *r, size_t columns)
{
	for (size_t i = 0; i < r->rows; i++)
		for (size_t k = 0; k < columns; k++) {
			uint64_t n = r->count[i][k];

			if (k % 2)
				r->count[i][k / 2] += n;
			else
				r->count[i][k / 2] = n;
		}
}

/* Joins each two neighbours. */
static void parts_halve(struct part_maps *p)
{
	size_t n = (p->columns + 1) / 2;

	rows_halve(&p->sms, p->columns);
	rows_halve(&p->slices, p->columns);
	for (size_t i = 0; i < n; i++) {
		size_t last = 2 * i + 1 < p->columns ? 2 * i + 1 : 2 * i;

		p->end[i] = p->end[last];
	}
	p->columns = n;
	p->stride *= 2;
}

static void rows_add(struct part_rows *r, size_t column, bool fresh,
		     const uint64_t *count, size_t n)
{
	size_t share = (n + PARTS_ROWS - 1) / PARTS_ROWS;

	r->components = n;
	r->rows = share ? (n + share - 1) / share : 0;
	for (size_t i = 0; fresh && i < r->rows; i++)
		r->count[i][column] = 0;
	for (size_t i = 0; i < n; i++)
		r->count[i / share][column] += count[i];
}

void parts_add(struct part_maps *p, uint64_t to, const struct heddle_parts *of)
{
	bool fresh;

	if (!p->stride)
		p->stride = 1;
	fresh = !p->columns || p->in_last == p->stride;
	if (fresh && p->columns == PARTS_COLUMNS)
		parts_halve(p);
	if (fresh) {
		p->columns++;
		p->in_last = 0;
	}
	p->in_last++;
	p->end[p->columns - 1] = to;
	rows_add(&p->sms, p->columns - 1, fresh, of->issued, of->sms);
	rows_add(&p->slices, p->columns - 1, fresh, of->requests, of->slices);
}

static void rows_json(const struct part_maps *p, const struct part_rows *r,
		      struct json *j, const char *key)
{
	json_open(j, key, '{');
	json_uint(j, "components", r->components);
	json_open(j, "rows", '[');
	for (size_t i = 0; i < r->rows; i++) {
		json_open_line(j, NULL, '[');
		for (size_t k = 0; k < p->columns; k++)
			json_uint(j, NULL, r->count[i][k]);
		json_close(j, '[');
	}
	json_close(j, '[');
	json_close(j, '{');
}

void parts_json(const struct part_maps *p, struct json *j)
{
	if (!p->columns)
		return;
	json_open(j, "parts", '{');
	json_open_line(j, "ends", '[');
	for (size_t k = 0; k < p->columns; k++)
		json_uint(j, NULL, p->end[k]);
	json_close(j, '[');
	rows_json(p, &p->sms, j, "sms");
	rows_json(p, &p->slices, j, "slices");
	json_close(j, '{');
}
