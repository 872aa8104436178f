/*
 * Writes docs/params.md, the table of parameters as a page, to the standard
 * output: `make docs` keeps it, a test compares.
 */
#include <stdio.h>

#include "cfg/param.h"

static void head(enum cfg_section_id in)
{
	printf("\n## %s: %s\n\n"
	       "| parameter | default | unit | range | what it is |\n"
	       "|---|---|---|---|---|\n",
	       cfg_sections[in].name, cfg_sections[in].title);
}

static void row(const struct cfg *c, enum cfg_id id)
{
	const struct cfg_param *p = &cfg_params[id];
	char value[CFG_VALUE_SIZE], range[256];

	cfg_value_print(value, c, id);
	cfg_range_print(range, sizeof(range), id);
	printf("| `%s` | %s | %s | %s | %s |\n", p->key, value, p->unit, range,
	       p->doc);
}

static void choices(void)
{
	printf("\n## Choices\n\n| parameter | choice | meaning |\n"
	       "|---|---|---|\n");
	for (int i = 0; i < CFG_COUNT; i++)
		for (const struct cfg_choice *c = cfg_params[i].choices;
		     c && c->word; c++)
			printf("| `%s` | `%s` | %s |\n", cfg_params[i].key,
			       c->word, c->doc);
}

int main(void)
{
	struct cfg c;

	cfg_defaults(&c);
	printf("# The parameters\n\n"
	       "<!-- made by `make docs` from src/cfg/param.def; "
	       "changes here are lost -->\n\n"
	       "%d parameters describe a GPU to the timing model. Cycles are "
	       "those of `gpu.clock`.\nSizes take the suffixes K, M and G, "
	       "for 1024, 1024^2 and 1024^3. The defaults are\nthose of no "
	       "product; [configs.md](configs.md) says how a GPU is "
	       "described.\n",
	       CFG_COUNT);
	for (int i = 0; i < CFG_COUNT; i++) {
		if (!i || cfg_params[i].section != cfg_params[i - 1].section)
			head(cfg_params[i].section);
		row(&c, (enum cfg_id)i);
	}
	choices();
	return 0;
}
