#include <string.h>

#include "test.h"

#include "run_ptx.h"

static void keep(void *ctx, const char *text, size_t size)
{
	struct run *r = ctx;
	size_t room = sizeof(r->printed) - 1 - r->printed_size;

	size = size < room ? size : room;
	memcpy(r->printed + r->printed_size, text, size);
	r->printed_size += size;
	r->printed[r->printed_size] = 0;
}

static struct heddle_dim3 or_one(struct heddle_dim3 d, uint32_t x)
{
	return (struct heddle_dim3){ d.x ? d.x : x, d.y ? d.y : 1,
				     d.z ? d.z : 1 };
}

static int launch(struct heddle_device *dev, struct heddle_module *mod,
		  struct run *r)
{
	return heddle_launch(dev, mod,
			     &(struct heddle_launch){
				     .kernel = "k",
				     .grid = or_one(r->grid, 1),
				     .block = or_one(r->block, 32),
				     .shared_bytes = r->shared,
				     .params = &r->at,
				     .param_bytes = sizeof(r->at),
				     .print = keep,
				     .ctx = r,
			     },
			     &r->result, &r->err);
}

/* Another launch on the same device. */
static bool still_works(struct heddle_device *dev)
{
	static const char text[] =
		KERNEL("st.global.u32 [%rd1], %r0; bar.sync 0; ret;");
	struct heddle_module *mod = NULL;
	struct run r = { .block = { 64, 1, 1 } };
	uint32_t last = 0;
	bool ok;

	ok = !heddle_module_load(dev, &mod, "probe", text, strlen(text), NULL);
	ok = ok && !heddle_alloc(dev, OUT_BYTES, &r.at, NULL) &&
	     !launch(dev, mod, &r) &&
	     r.result.fault.kind == HEDDLE_FAULT_NONE &&
	     !heddle_read(dev, &last, r.at + 63 * 4, 4, NULL);
	heddle_module_free(dev, mod);
	return ok && last == 63;
}

static void run(struct heddle_device *dev, struct run *r, const char *text)
{
	struct heddle_module *mod;

	r->status =
		heddle_module_load(dev, &mod, "t", text, strlen(text), &r->err);
	if (r->status)
		return;
	EQ(0, heddle_alloc(dev, OUT_BYTES, &r->at, NULL));
	EQ(0, heddle_write(dev, r->at, r->b, OUT_BYTES, NULL));
	r->status = launch(dev, mod, r);
	EQ(0, heddle_read(dev, r->b, r->at, OUT_BYTES, NULL));
	heddle_module_free(dev, mod);
	r->usable = r->status != HEDDLE_FAULT || still_works(dev);
}

void run_ptx(struct run *r, const char *text)
{
	struct heddle_device *dev;

	r->printed_size = 0;
	r->printed[0] = 0;
	memset(&r->result, 0, sizeof(r->result));
	EQ(0, heddle_device_new(&dev, &r->options, NULL));
	run(dev, r, text);
	heddle_device_free(dev);
}

void run_ok(struct run *r, const char *text)
{
	run_ptx(r, text);
	STREQ("", r->err.text);
	EQ(HEDDLE_OK, r->status);
	EQ(HEDDLE_FAULT_NONE, r->result.fault.kind);
}

void run_both(struct run *r, const char *text)
{
	static struct run stack;

	stack = *r;
	stack.options.divergence = HEDDLE_DIVERGE_STACK;
	run_ok(&stack, text);
	r->options.divergence = HEDDLE_DIVERGE_INDEPENDENT;
	run_ok(r, text);
	for (int i = 0; i < OUT_BYTES / 4; i++)
		EQ(stack.w[i], r->w[i]);
	STREQ(stack.printed, r->printed);
	EQ(stack.result.warp_instructions, r->result.warp_instructions);
	EQ(stack.result.thread_instructions, r->result.thread_instructions);
}
