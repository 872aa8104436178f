#include "rig.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "explore/machine.h"
#include "fastlanes/compile.h"
#include "test.h"

const struct rig_other *rig_other;

uint8_t *rig_memory(void)
{
	static void *at;

	if (rig_other)
		return rig_other->memory();
	if (!at)
		at = mmap(NULL, FL_MEMORY_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	OK(at != MAP_FAILED);
	return at;
}

void rig_config(struct rig *r, const char *const *settings)
{
	struct cfg_sheet sheet;
	size_t n = 0;

	while (settings && settings[n])
		n++;
	cfg_sheet_init(&sheet);
	if (machine_load(&sheet, HEDDLE_SOURCE_DIR "/configs/fastlanes.cfg",
			 settings, n, &r->d) ||
	    fl_config_from(&r->config, &sheet.cfg, 0, &r->d))
		STREQ("", r->d.text);
	cfg_sheet_free(&sheet);
}

bool rig_compile(struct rig *r, const char *name, const char *text, size_t size,
		 const char *kernel)
{
	uint8_t *bytes;
	size_t n;
	struct fl_code *c = NULL;

	if (fl_compile(&c, name, text, size, kernel, &r->d))
		return false;
	/* Through the file, which is checked. */
	if (fl_code_write(c, &bytes, &n, &r->d) ||
	    fl_code_read(&r->code, name, bytes, n, &r->d))
		STREQ("", r->d.text);
	free(bytes);
	fl_code_free(c);
	memcpy(rig_memory() + FL_DATA_BASE, r->code->init, r->code->init_bytes);
	return true;
}

void rig_param(struct rig *r, uint32_t index, uint64_t value)
{
	const struct fl_kernel *k = &r->code->kernels[0];
	const struct fl_param *p = &r->code->params[k->first_param + index];

	OK(index < k->param_count && p->size <= 8);
	memcpy(r->params + p->offset, &value, p->size);
}

void rig_run(struct rig *r, uint32_t blocks, uint32_t threads)
{
	r->launch.code = r->code;
	r->launch.kernel = &r->code->kernels[0];
	r->launch.grid[0] = blocks;
	r->launch.block[0] = threads;
	for (int i = 1; i < 3; i++) {
		r->launch.grid[i] += !r->launch.grid[i];
		r->launch.block[i] += !r->launch.block[i];
	}
	r->launch.params = r->params;
	r->launch.memory = rig_memory();
	if (!r->launch.local_base)
		r->launch.local_base = FL_MEMORY_BYTES / 2;
	if (rig_other)
		rig_other->before(r);
	if (fl_model_run(&r->config, &r->launch, &r->stats, &r->fault, &r->d))
		STREQ("", r->d.text);
	if (rig_other)
		rig_other->after(r);
}

void rig_free(struct rig *r)
{
	fl_code_free(r->code);
	r->code = NULL;
}
