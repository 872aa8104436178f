/*
 * Any bytes as a configuration. Reading must give a configuration or a message
 * of one line. A configuration must print to a text that reads back to the
 * same, and the check must pass or say which rule is broken.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/cfg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const struct diag *d)
{
	if (!d->code || !d->text[0])
		abort();
	for (const char *p = d->text; *p; p++)
		if ((unsigned char)*p < 0x20)
			abort();
}

static void check_dump(const struct cfg_sheet *s)
{
	char *text = cfg_dump(&s->cfg, s->origin);
	struct cfg_sheet again;
	struct diag d = { 0 };
	char *text_again;

	cfg_sheet_init(&again);
	if (!text ||
	    cfg_read_text(&again, "again", text, strlen(text), CFG_ANY, &d))
		abort();
	text_again = cfg_dump(&again.cfg, again.origin);
	if (!text_again || strcmp(text, text_again) != 0 ||
	    !cfg_equal(&s->cfg, &again.cfg))
		abort();
	free(text);
	free(text_again);
	cfg_sheet_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* One bit of the length chooses how strict the reader is. */
	enum cfg_reading how = size & 1 ? CFG_SOURCED : CFG_ANY;
	struct diag d = { 0 };
	struct cfg_sheet s;

	cfg_sheet_init(&s);
	if (cfg_read_text(&s, "fuzz", (const char *)data, size, how, &d)) {
		check_message(&d);
	} else {
		check_dump(&s);
		if (cfg_check(&s.cfg, &d))
			check_message(&d);
	}
	cfg_sheet_free(&s);
	return 0;
}
