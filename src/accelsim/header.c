/* The header of a kernel's trace. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "accelsim/kernel.h"

/* A value of the header: what it is called, its limits, and where it goes. */
struct header_number {
	const char *name;
	uint64_t min, max;
	bool wide; /* a uint64_t, else a uint32_t */
	size_t at;
};

#define AT(field) offsetof(struct asim_header, field)

enum { SHARED_MAX = 1 << 24 };

static const struct header_number numbers[] = {
	{ "kernel id", 0, UINT32_MAX, false, AT(id) },
	{ "shmem", 0, SHARED_MAX, false, AT(shared_bytes) },
	{ "nregs", 0, 255, false, AT(registers) },
	{ "binary version", 0, 999, false, AT(target) },
	{ "cuda stream id", 0, UINT64_MAX, true, AT(stream) },
	{ "shmem base_addr", 0, UINT64_MAX, true, AT(shared_base) },
	{ "local mem base_addr", 0, UINT64_MAX, true, AT(local_base) },
	{ "accelsim tracer version", 0, UINT32_MAX, false, AT(version) },
};

static enum err header_read_number(struct asim_header *h, struct asim_source *s,
				   const struct header_number *n,
				   const char *text, struct diag *d)
{
	char *end;
	uint64_t v;
	uint32_t v32;

	if (*text < '0' || *text > '9')
		return asim_fail(s, d, ERR_SYNTAX, "%s = '%.40s': no number",
				 n->name, text);
	v = strtoull(text, &end, 0);
	if (*end)
		return asim_fail(s, d, ERR_SYNTAX, "%s = '%.40s': no number",
				 n->name, text);
	if (v < n->min || v > n->max)
		return asim_fail(s, d, ERR_RANGE,
				 "%s = %.40s: expected %" PRIu64 " to %" PRIu64,
				 n->name, text, n->min, n->max);
	if (n->wide) {
		memcpy((char *)h + n->at, &v, sizeof(v));
	} else {
		v32 = (uint32_t)v;
		memcpy((char *)h + n->at, &v32, sizeof(v32));
	}
	return ERR_OK;
}

/* "(16,1,1)" */
static enum err read_dim(uint32_t out[3], struct asim_source *s,
			 const char *name, const char *text, struct diag *d)
{
	static const char separators[] = "(,,)";
	const char *p = text;

	for (int i = 0; i < 3; i++) {
		char *end;
		unsigned long v;

		if (*p++ != separators[i] || *p < '0' || *p > '9')
			break;
		v = strtoul(p, &end, 10);
		if (!v || v > INT32_MAX)
			break;
		out[i] = (uint32_t)v;
		p = end;
		if (i == 2 && !strcmp(p, ")"))
			return ERR_OK;
	}
	return asim_fail(s, d, ERR_SYNTAX,
			 "%s = '%.60s': expected three sizes, as (16,1,1)",
			 name, text);
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/* A line "-name = value". What is not known is for people. */
static enum err read_header_line(struct asim_header *h, struct asim_source *s,
				 const char *line, struct diag *d)
{
	const char *value = strstr(line, " = ");
	size_t size = value ? (size_t)(value - line) : 0;

	if (!value)
		return asim_fail(s, d, ERR_SYNTAX,
				 "'%.60s': expected -name = value", line);
	value += 3;
#define IS(text) (size == strlen(text) && !memcmp(line, text, size))
	if (IS("-kernel name")) {
		if (strlen(value) >= sizeof(h->kernel) || !*value ||
		    !is_printable(value))
			return asim_fail(s, d, ERR_SYNTAX,
					 "a kernel's name has 1 to %zu bytes, "
					 "all of them printable",
					 sizeof(h->kernel) - 1);
		strcpy(h->kernel, value);
		return ERR_OK;
	}
	if (IS("-grid dim"))
		return read_dim(h->grid, s, "grid dim", value, d);
	if (IS("-block dim"))
		return read_dim(h->block, s, "block dim", value, d);
	if (IS("-enable lineinfo")) {
		h->lines = strcmp(value, "0") != 0;
		return ERR_OK;
	}
#undef IS
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (size == strlen(numbers[i].name) + 1 &&
		    !memcmp(line + 1, numbers[i].name, size - 1))
			return header_read_number(h, s, &numbers[i], value, d);
	return ERR_OK;
}

static enum err check_header(const struct asim_header *h,
			     const struct asim_source *s, struct diag *d)
{
	uint64_t threads = (uint64_t)h->block[0] * h->block[1] * h->block[2];

	if (!h->grid[0] || !h->block[0] || !*h->kernel || !h->target)
		return asim_fail(s, d, ERR_SYNTAX,
				 "the header has no %s: is this a trace of "
				 "Accel-Sim?",
				 !*h->kernel  ? "kernel name" :
				 !h->grid[0]  ? "grid dim" :
				 !h->block[0] ? "block dim" :
						"binary version");
	if (h->version < ASIM_FIRST_VERSION || h->version > ASIM_LAST_VERSION)
		return asim_fail(
			s, d, ERR_UNSUPP,
			"accelsim tracer version %u: versions %d to %d "
			"can be read",
			h->version, ASIM_FIRST_VERSION, ASIM_LAST_VERSION);
	if (h->target < 70 || h->target > 90)
		return asim_fail(s, d, ERR_UNSUPP,
				 "binary version %u: machine code of 70 to 90 "
				 "(Volta to Hopper) is known",
				 h->target);
	if (threads > 1024)
		return asim_fail(s, d, ERR_RANGE,
				 "%" PRIu64 " threads in a block: at most 1024",
				 threads);
	if ((uint64_t)h->grid[1] * h->grid[2] > UINT32_MAX)
		return asim_fail(s, d, ERR_RANGE, "a grid of %u x %u x %u",
				 h->grid[0], h->grid[1], h->grid[2]);
	return ERR_OK;
}

enum err asim_read_header(struct asim_header *h, struct asim_source *s,
			  struct diag *d)
{
	const char *line;
	size_t size;

	memset(h, 0, sizeof(*h));
	for (;;) {
		if (asim_source_line(s, &line, &size, d))
			return d->code;
		if (!line || *line == '#')
			return check_header(h, s, d);
		if (memchr(line, 0, size))
			return asim_fail(s, d, ERR_SYNTAX,
					 "a zero byte: this is no text");
		if (!size)
			continue;
		if (*line != '-')
			return asim_fail(s, d, ERR_SYNTAX,
					 "'%.60s': expected -name = value, or "
					 "the line that begins with #",
					 line);
		if (read_header_line(h, s, line, d))
			return d->code;
	}
}
