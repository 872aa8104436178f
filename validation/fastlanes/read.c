/* Reads the numbers of a study. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "explore/measured.h"
#include "study.h"

/* As `heddle fastlanes run` has it unless it is told otherwise. */
const struct fl_external study_external = { .latency = 8, .interval = 1 };

double study_get(const struct study *s, size_t kernel, const char *variant,
		 const char *key)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct study_value *v = &s->values[i];

		if (!strcmp(v->kernel, s->kernels[kernel]) &&
		    !strcmp(v->variant, variant) && !strcmp(v->key, key))
			return v->value;
	}
	return NAN;
}

struct fl_rates study_rates(const struct study *s, size_t kernel,
			    const char *variant)
{
#define RATE(key) study_get(s, kernel, variant, key)
	return (struct fl_rates){ .turns = RATE("turns"),
				  .operations = RATE("operations"),
				  .cycle_fm = RATE("cycle_fm"),
				  .longer = RATE("longer"),
				  .eta = RATE("eta"),
				  .ipc = RATE("ipc"),
				  .beta = RATE("beta"),
				  .p_ls = RATE("p_ls"),
				  .D = 32,
				  .R = RATE("R"),
				  .W = RATE("W"),
				  .L = RATE("L") };
#undef RATE
}

/* ---- files ---- */

static size_t find_kernel(struct study *s, const char *name)
{
	size_t i = 0;

	while (i < s->kernel_count && strcmp(s->kernels[i], name) != 0)
		i++;
	if (i == s->kernel_count && i < STUDY_KERNELS)
		s->kernels[s->kernel_count++] = name;
	return i;
}

static enum err read_values(struct study *s, const char *path, struct diag *d)
{
	struct study_csv c = { 0 };
	enum err e = study_csv_open(&c, &s->arena, path, "kernel", d);
	size_t room = 0;

	for (size_t i = 0; !e && i < c.size; i++)
		room += c.text[i] == '\n';
	s->values = arena_new(&s->arena, struct study_value, room + 1);
	if (!e && !s->values)
		e = fail(d, ERR_NOMEM, "out of memory");
	while (!e && !csv_ended(&c.r)) {
		e = csv_read_row(&c.r, d);
		if (e || c.r.count != 4 || s->count == room)
			continue;
		s->values[s->count++] = (struct study_value){
			c.r.fields[0], c.r.fields[1], c.r.fields[2],
			strtod(c.r.fields[3], NULL)
		};
		s->circuit |= !strcmp(c.r.fields[1], "rtl");
		if (find_kernel(s, c.r.fields[0]) == STUDY_KERNELS)
			e = fail(d, ERR_RANGE, "'%.200s': too many kernels",
				 path);
	}
	return e;
}

static void add_peer(struct study_peer *p, const char *name, double rate)
{
	if (!p->least_of || rate < p->least) {
		p->least = rate;
		p->least_of = name;
	}
	if (!p->most_of || rate > p->most) {
		p->most = rate;
		p->most_of = name;
	}
}

static enum err read_peer(struct study *s, const char *path, struct diag *d)
{
	struct study_csv c = { 0 };
	enum err e = study_csv_open(&c, &s->arena, path, "program", d);

	while (!e && !csv_ended(&c.r)) {
		e = csv_read_row(&c.r, d);
		if (e || c.r.count != 5)
			continue;
		add_peer(strcmp(c.r.fields[2], "functional") ? &s->timed :
							       &s->functional,
			 c.r.fields[0],
			 strtod(c.r.fields[1], NULL) /
				 strtod(c.r.fields[4], NULL));
	}
	return e;
}

/* ---- the H200 ---- */

/* Instructions for each cycle of a multiprocessor that has a block, over all launches
 * of the kernel. */
static enum err read_profile(double *ipc, const char *path, const char *kernel,
			     struct diag *d)
{
	struct measured m;
	enum err e = measured_read(&m, path, d);
	double instructions = 0, cycles = 0, value;

	for (size_t i = 0; !e && i < m.count; i++) {
		const struct measured_launch *l = &m.launches[i];

		if (strcmp(l->name.base, kernel) != 0)
			continue;
		e = measured_number(&value, &m, l, "smsp__inst_executed.sum",
				    strlen("smsp__inst_executed.sum"), d);
		instructions += value;
		if (!e)
			e = measured_number(&value, &m, l,
					    "sm__cycles_active.sum",
					    strlen("sm__cycles_active.sum"), d);
		cycles += value;
	}
	*ipc = cycles > 0 ? instructions / cycles : NAN;
	measured_free(&m);
	return e;
}

static enum err read_profiles(struct study *s, const char *folder,
			      struct diag *d)
{
	static const struct {
		const char *name, *file, *kernel;
	} at[] = {
		{ "BS", "black_scholes", "black_scholes" },
		{ "SP", "scalar_prod", "scalar_products" },
		{ "FW1", "fwt", "walsh_shared" },
		{ "FW2", "fwt", "walsh_radix4" },
		{ "FW3", "fwt", "modulate" },
		{ "QR1", "quasirandom_generator", "sobol" },
		{ "QR2", "quasirandom_generator", "to_normal" },
		{ "Scan1", "scan", "scan_naive" },
		{ "Scan2", "scan", "scan_efficient" },
		{ "Scan3", "scan", "add_offsets" },
	};
	char path[PATH_MAX];

	for (size_t k = 0; k < s->kernel_count; k++) {
		s->h200_ipc[k] = NAN;
		for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
			if (strcmp(at[i].name, s->kernels[k]) != 0)
				continue;
			snprintf(path, sizeof(path), "%s/%s.csv", folder,
				 at[i].file);
			if (read_profile(&s->h200_ipc[k], path, at[i].kernel, d))
				return d->code;
		}
	}
	return ERR_OK;
}

enum err study_read(struct study *s, const struct study_files *f,
		    struct diag *d)
{
	*s = (struct study){ 0 };
	if (read_values(s, f->values, d) || read_peer(s, f->peer, d) ||
	    read_profiles(s, f->profiles, d))
		return d->code;
	if (!s->kernel_count)
		return fail(d, ERR_RANGE, "'%.200s' has no kernel", f->values);
	return ERR_OK;
}

void study_free(struct study *s)
{
	arena_free(&s->arena);
}
