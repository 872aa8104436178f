/* Prints an executed instruction. */
#include <inttypes.h>
#include <string.h>

#include "api/device.h"
#include "base/demangle.h"
#include "door/cli/trace.h"
#include "explore/trace_map.h"

/* The column of the source line, if the instruction leaves room. */
enum { PLACE_COLUMN = 50, ADDRESSES_PER_LINE = 4 };

static unsigned next_lane(uint32_t mask, unsigned after)
{
	uint32_t rest = after < 31 ? mask >> (after + 1) : 0;

	return rest ? after + 1 + (unsigned)__builtin_ctz(rest) : LANES;
}

/* The last lane of a run of lanes from `first` on with a constant stride. */
static unsigned run_end(const struct access *a, unsigned first, int64_t *stride)
{
	unsigned l = next_lane(a->mask, first), last = first;

	*stride = 0;
	if (l == LANES || (a->addr[l] - a->addr[first]) % (l - first))
		return first;
	*stride = (int64_t)(a->addr[l] - a->addr[first]) / (l - first);
	for (; l < LANES; l = next_lane(a->mask, l)) {
		if (a->addr[l] - a->addr[first] !=
		    (uint64_t)*stride * (l - first))
			break;
		last = l;
	}
	return last;
}

static void print_run(FILE *to, const struct access *a, unsigned first,
		      unsigned last, int64_t stride)
{
	if (first == last)
		fprintf(to, " lane %u 0x%" PRIx64, first, a->addr[first]);
	else if (!stride)
		fprintf(to, " lanes %u-%u 0x%" PRIx64, first, last,
			a->addr[first]);
	else
		fprintf(to, " lanes %u-%u 0x%" PRIx64 "%+" PRId64, first, last,
			a->addr[first], stride);
}

static void print_inst_access(FILE *to, const struct access *a)
{
	unsigned n = 0, first;

	fprintf(to, "%22s%s %s %" PRIu32 " B:", "", a->write ? "write" : "read",
		trace_space(a->space), a->bytes);
	for (first = a->mask ? (unsigned)__builtin_ctz(a->mask) : LANES;
	     first < LANES;) {
		int64_t stride;
		unsigned last = run_end(a, first, &stride);

		if (n && n % ADDRESSES_PER_LINE == 0)
			fprintf(to, "\n%23s", "");
		print_run(to, a, first, last, stride);
		first = next_lane(a->mask, last);
		n++;
	}
	fputs("\n", to);
}

void trace_print_inst(FILE *to, const struct step *s)
{
	const struct function *f = s->code->func;
	struct access access[STEP_ACCESSES];
	unsigned n = step_accesses(s, access);
	struct inst_text in;
	const char *slash;
	char name[200];

	f->program->isa->describe(f, s->in->index, &in);
	slash = strrchr(in.file, '/');
	fprintf(to, "  %6" PRIu32 "  %08" PRIx64 "    %-*s  %s:%" PRIu32,
		s->in->index, s->mask, PLACE_COLUMN, in.text,
		slash ? slash + 1 : in.file, in.line);
	if (!f->is_kernel) {
		demangle(name, sizeof(name), f->name);
		fprintf(to, " in %s", name);
	}
	fputs("\n", to);
	for (unsigned i = 0; i < n; i++)
		print_inst_access(to, &access[i]);
}
