/*
 * Any bytes as an option file of GPGPU-Sim, or as an .icnt file. It must be refused
 * with a message of one line, or make a configuration that reads back to the
 * same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/gpgpusim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const struct diag *d)
{
	if (!d->code || !d->text[0])
		abort();
	for (const char *p = d->text; *p; p++)
		if ((unsigned char)*p < 0x20)
			abort();
}

static void check_written(const struct gpgpusim *g)
{
	struct cfg_sheet again;
	struct diag d;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		abort();
	gpgpusim_write(g, to);
	fclose(to);
	cfg_sheet_init(&again);
	if (cfg_read_text(&again, "again", text, size, CFG_ANY, &d) ||
	    !cfg_equal(&g->sheet.cfg, &again.cfg))
		abort();
	cfg_sheet_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* One bit of the length chooses the kind of file. */
	const char *name = size & 1 ? "fuzz.icnt" : "fuzz.config";
	struct gpgpusim g;
	struct diag d = { 0 };

	gpgpusim_init(&g);
	if (gpgpusim_read_text(&g, name, (const char *)data, size, &d) ||
	    gpgpusim_convert(&g, "fuzz", &d))
		check_message(&d);
	else
		check_written(&g);
	gpgpusim_free(&g);
	return 0;
}
