/* The tables of nvprof: a trace of launches, with durations or with metrics, and
 * metrics or events of each kernel as means over its launches. */
#include <ctype.h>
#include <string.h>

#include "explore/csvread.h"
#include "explore/measured.h"

/* Columns of a trace that are no metrics. */
static const char *const nvprof_about[] = {
	"Start",          "Grid X",  "Grid Y",  "Grid Z",     "Block X",
	"Block Y",        "Block Z", "Size",    "Throughput", "SrcMemType",
	"DstMemType",     "Device",  "Context", "Stream",     "Src Dev",
	"Src Ctx",        "Dst Dev", "Dst Ctx", "Name",       "Kernel",
	"Correlation_ID",
};

static const char *const nvprof_sizes[6] = {
	"Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z",
};

static bool nvprof_is_trace(const struct csv_reader *r)
{
	return (csv_find(r, "Duration") >= 0 && csv_find(r, "Name") >= 0 &&
		csv_find(r, "Grid X") >= 0) ||
	       (csv_find(r, "Context") >= 0 && csv_find(r, "Kernel") >= 0);
}

static bool nvprof_is_mean(const struct csv_reader *r)
{
	return csv_find(r, "Kernel") >= 0 && csv_find(r, "Invocations") >= 0 &&
	       csv_find(r, "Avg") >= 0;
}

bool measured_is_nvprof(const struct csv_reader *r)
{
	return nvprof_is_trace(r) || nvprof_is_mean(r);
}

/* The name without the number that a trace appends: "scale(float *) [112]". */
static const char *nvprof_kernel(struct csv_reader *r, const char *text)
{
	size_t n = strlen(text), digits = 0;

	if (n && text[n - 1] == ']') {
		n--;
		while (n && isdigit((unsigned char)text[n - 1])) {
			n--;
			digits++;
		}
		if (digits && n >= 2 && !memcmp(text + n - 2, " [", 2))
			return arena_strndup(r->arena, text, n - 2);
	}
	return text;
}

static bool nvprof_is_metric(const char *column)
{
	for (size_t i = 0; i < sizeof(nvprof_about) / sizeof(*nvprof_about);
	     i++)
		if (!strcmp(column, nvprof_about[i]))
			return false;
	return true;
}

struct nvprof_trace {
	const char **names, **units;
	size_t columns;
	int kernel;
	int sizes[6];
};

static enum err nvprof_read_sizes(struct measured_launch *l,
				  struct csv_reader *r,
				  const struct nvprof_trace *t, struct diag *d)
{
	l->sized = true;
	for (int i = 0; i < 6; i++)
		l->sized = l->sized && t->sizes[i] >= 0;
	for (int i = 0; i < 6 && l->sized; i++) {
		uint64_t v;

		if (measured_whole(&v, r, nvprof_sizes[i],
				   r->fields[t->sizes[i]], d))
			return d->code;
		*(i < 3 ? &l->grid[i] : &l->block[i - 3]) = (uint32_t)v;
	}
	return ERR_OK;
}

static enum err nvprof_add_traced(struct measured *m, struct csv_reader *r,
				  const struct nvprof_trace *t, struct diag *d)
{
	const char *kernel = nvprof_kernel(r, r->fields[t->kernel]);
	struct measured_launch *l;

	if (!kernel)
		return fail(d, ERR_NOMEM, "out of memory");
	/* A copy, not a kernel. */
	if (!strncmp(kernel, "[CUDA ", 6))
		return ERR_OK;
	if (measured_add(m, r, &l, kernel, t->columns, d) ||
	    nvprof_read_sizes(l, r, t, d))
		return d->code;
	for (size_t i = 0; i < t->columns; i++)
		if (nvprof_is_metric(t->names[i]))
			measured_add_value(l, t->names[i],
					   t->units ? t->units[i] : "",
					   r->fields[i], r->row_line);
	return ERR_OK;
}

/* Units are in the second line, without quotes: neither the place of the name
 * nor the device has one. */
static enum err nvprof_read_trace(struct measured *m, struct csv_reader *r,
				  struct diag *d)
{
	struct nvprof_trace t = { .columns = r->count };
	bool first = true;
	enum err e = ERR_OK;

	t.kernel = csv_find(r, "Name");
	if (t.kernel < 0)
		t.kernel = csv_find(r, "Kernel");
	for (int i = 0; i < 6; i++)
		t.sizes[i] = csv_find(r, nvprof_sizes[i]);
	if (measured_keep_row(&t.names, r, d))
		return d->code;
	while (measured_next(r, t.columns, &e, d)) {
		if (first && !*r->fields[t.kernel])
			e = measured_keep_row(&t.units, r, d);
		else
			e = nvprof_add_traced(m, r, &t, d);
		if (e)
			return e;
		first = false;
	}
	return e;
}

/* The entry of a kernel, which all of its metrics share. */
static enum err nvprof_mean_of(struct measured *m, struct csv_reader *r,
			       const char *kernel, struct measured_launch **out,
			       struct diag *d)
{
	for (size_t i = 0; i < m->count; i++)
		if (!strcmp(m->launches[i].kernel, kernel)) {
			*out = &m->launches[i];
			return ERR_OK;
		}
	return measured_add(m, r, out, kernel, 0, d);
}

static enum err nvprof_read_means(struct measured *m, struct csv_reader *r,
				  struct diag *d)
{
	int kernel = csv_find(r, "Kernel"), mean = csv_find(r, "Avg");
	int number = csv_find(r, "Invocations");
	int name = csv_find(r, "Metric Name");
	size_t columns = r->count;
	struct measured_launch *l;
	enum err e = ERR_OK;

	if (name < 0)
		name = csv_find(r, "Event Name");
	if (name < 0)
		return fail(d, ERR_SYNTAX,
			    "%.200s:%u: the table has neither a column Metric "
			    "Name nor Event Name",
			    r->name, r->row_line);
	while (measured_next(r, columns, &e, d)) {
		if (nvprof_mean_of(m, r, r->fields[kernel], &l, d) ||
		    measured_whole(&l->invocations, r, "Invocations",
				   r->fields[number], d) ||
		    measured_grow_values(m, l, d))
			return d->code;
		measured_add_value(l, r->fields[name], "", r->fields[mean],
				   r->row_line);
	}
	return e;
}

enum err measured_read_nvprof(struct measured *m, struct csv_reader *r,
			      struct diag *d)
{
	return nvprof_is_mean(r) ? nvprof_read_means(m, r, d) :
				   nvprof_read_trace(m, r, d);
}
