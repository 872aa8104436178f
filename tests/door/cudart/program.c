#include "program.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] =
	".version 6.3\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .global .align 4 .u32 variable = 41;\n"
	".visible .const .align 4 .b8 table[16];\n"
	".extern .shared .align 16 .b8 dynamic[];\n"

	".visible .entry add(.param .u64 p, .param .u32 n, .param .u32 v)\n"
	"{ .reg .u64 %a, %o; .reg .u32 %i, %b, %d, %t, %n, %v; .reg .pred %q;\n"
	"mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %d, %ntid.x;\n"
	"mad.lo.u32 %i, %b, %d, %t; ld.param.u32 %n, [n];\n"
	"setp.ge.u32 %q, %i, %n; @%q ret;\n"
	"ld.param.u64 %a, [p]; mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o;\n"
	"ld.global.u32 %t, [%a]; ld.param.u32 %v, [v]; add.u32 %t, %t, %v;\n"
	"st.global.u32 [%a], %t; ret; }\n"

	".visible .entry index(.param .u64 p)\n"
	"{ .reg .u64 %a, %o; .reg .u32 %i, %b, %d, %t;\n"
	"mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %d, %ntid.x;\n"
	"mad.lo.u32 %i, %b, %d, %t; mad.lo.u32 %d, %b, 1000, %t;\n"
	"ld.param.u64 %a, [p]; mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o;\n"
	"st.global.u32 [%a], %d; ret; }\n"

	".visible .entry reverse(.param .u64 p)\n"
	"{ .reg .u64 %a, %o, %s; .reg .u32 %d, %t, %v;\n"
	"mov.u32 %t, %tid.x; mov.u32 %d, %ntid.x; ld.param.u64 %a, [p];\n"
	"mul.wide.u32 %o, %t, 4; add.u64 %o, %a, %o; ld.global.u32 %v, [%o];\n"
	"mov.u64 %s, dynamic; sub.u32 %d, %d, 1; sub.u32 %d, %d, %t;\n"
	"mul.wide.u32 %a, %d, 4; add.u64 %a, %s, %a; st.shared.u32 [%a], %v;\n"
	"bar.sync 0; mul.wide.u32 %a, %t, 4; add.u64 %s, %s, %a;\n"
	"ld.shared.u32 %v, [%s]; st.global.u32 [%o], %v; ret; }\n"

	".visible .entry variables(.param .u64 p)\n"
	"{ .reg .u64 %a; .reg .u32 %v, %c;\n"
	"ld.param.u64 %a, [p]; ld.global.u32 %v, [variable];\n"
	"ld.const.u32 %c, [table+4]; add.u32 %c, %c, %v; st.global.u32 [%a], %c;\n"
	"add.u32 %v, %v, 1; st.global.u32 [variable], %v; ret; }\n"

	".visible .entry store(.param .u64 p, .param .u32 v)\n"
	"{ .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a, [p];\n"
	"ld.param.u32 %v, [v]; st.global.u32 [%a], %v; ret; }\n"

	".visible .entry texture(.param .u64 t, .param .u64 p, .param .u32 n)\n"
	"{ .reg .u64 %a, %o, %h; .reg .u32 %t, %n; .reg .pred %q;\n"
	".reg .f32 %x, %y, %z, %w; mov.u32 %t, %tid.x; ld.param.u32 %n, [n];\n"
	"setp.ge.u32 %q, %t, %n; @%q ret; ld.param.u64 %h, [t];\n"
	"tex.1d.v4.f32.s32 {%x, %y, %z, %w}, [%h, {%t}];\n"
	"ld.param.u64 %a, [p]; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;\n"
	"st.global.f32 [%a], %x; ret; }\n"

	".visible .entry surface(.param .u64 s, .param .u64 p)\n"
	"{ .reg .u64 %a, %o, %h; .reg .u32 %t, %b, %v;\n"
	"mov.u32 %t, %tid.x; shl.b32 %b, %t, 2; ld.param.u64 %h, [s];\n"
	"suld.b.1d.b32.trap {%v}, [%h, {%b}];\n"
	"ld.param.u64 %a, [p]; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;\n"
	"st.global.u32 [%a], %v; sust.b.1d.b32.trap [%h, {%b}], {%t}; ret; }\n"

	".visible .entry spin(.param .u32 n)\n"
	"{ .reg .u32 %i, %n; .reg .pred %q; mov.u32 %i, 0; ld.param.u32 %n, [n];\n"
	"again: add.u32 %i, %i, 1; setp.lt.u32 %q, %i, %n; @%q bra again; ret; }\n";

/* A module with managed variables can be used on one device only. */
static const char managed_ptx[] =
	".version 6.3\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .global .align 4 .attribute(.managed) .u32 managed = 7;\n"
	".visible .entry grow()\n"
	"{ .reg .u32 %v; ld.global.u32 %v, [managed]; add.u32 %v, %v, 1;\n"
	"st.global.u32 [managed], %v; ret; }\n";

/* A stub's address is all that matters; they must differ. */
#define STUB(name)                                \
	__attribute__((noinline)) void name(void) \
	{                                         \
		__asm__ volatile("# " #name);     \
		abort();                          \
	}
STUB(kernel_add)
STUB(kernel_index)
STUB(kernel_reverse)
STUB(kernel_variable)
STUB(kernel_store)
STUB(kernel_texture)
STUB(kernel_surface)
STUB(kernel_spin)
STUB(kernel_missing)
STUB(kernel_grow)
STUB(kernel_sass)

/* A program may call its functions as we call ours; they must not meet. */
#define OWN(name)        \
	void name(void); \
	void name(void)  \
	{                \
		abort(); \
	}
OWN(rt_enter)
OWN(rt_free)
OWN(rt_launch)

int variable[1], table[4];
int *managed;

/* The formats, see src/door/rt/fatbin.h. */
struct header {
	uint32_t magic;
	uint16_t version, header;
	uint64_t size;
};

struct image {
	uint16_t kind, version;
	uint32_t header;
	uint64_t stored;
	uint32_t packed, options;
	uint16_t minor, major;
	uint32_t sm, name, name_size;
	uint64_t flags, unknown, plain;
};

struct wrapper {
	uint32_t magic, version;
	const void *image;
	void *unused;
};

/* A fat binary that grows; it lives as long as the program. */
struct fat {
	char *data;
	size_t size;
};

static void put(struct fat *f, const void *data, size_t size, size_t padded)
{
	f->data = realloc(f->data, f->size + padded);
	if (!f->data)
		abort();
	memset(f->data + f->size, 0, padded);
	memcpy(f->data + f->size, data, size);
	f->size += padded;
}

static void put_image(struct fat *f, uint16_t kind, unsigned sm,
		      const void *data, size_t size)
{
	size_t padded = (size + 7) / 8 * 8;
	struct image im = { .kind = kind,
			    .version = 0x101,
			    .header = sizeof(im),
			    .stored = padded,
			    .major = 6,
			    .minor = 3,
			    .sm = sm,
			    .flags = 0x11 };

	if (!f->size) {
		struct header h = { 0xba55ed50, 1, sizeof(h), 0 };

		put(f, &h, sizeof(h), sizeof(h));
	}
	put(f, &im, sizeof(im), sizeof(im));
	put(f, data, size, padded);
	((struct header *)(void *)f->data)->size =
		f->size - sizeof(struct header);
}

enum { MOST_IMAGES = 16 };

static void **register_fat(const struct fat *f)
{
	extern void **__cudaRegisterFatBinary(void *);
	static struct wrapper wrappers[MOST_IMAGES];
	static int count;

	if (count == MOST_IMAGES)
		abort();
	wrappers[count] = (struct wrapper){ 0x466243b1, 1, f->data, NULL };
	return __cudaRegisterFatBinary(&wrappers[count++]);
}

static void **make(uint16_t kind, const void *data, size_t size)
{
	struct fat f = { 0 };

	put_image(&f, kind, 50, data, size);
	return register_fat(&f);
}

void **register_ptx(const char *text)
{
	return make(1, text, strlen(text) + 1);
}

void **register_choice(const struct ptx_image *list, size_t count)
{
	struct fat f = { 0 };

	for (size_t i = 0; i < count; i++)
		put_image(&f, 1, list[i].sm, list[i].text,
			  strlen(list[i].text) + 1);
	return register_fat(&f);
}

static void **image, **sass, **sharing;

void register_kernel(void **to, void (*stub)(void), const char *name)
{
	extern void __cudaRegisterFunction(void **, const char *, char *,
					   const char *, int, void *, void *,
					   void *, void *, int *);

	__cudaRegisterFunction(to, (const char *)stub, (char *)name, name, -1,
			       NULL, NULL, NULL, NULL, NULL);
}

/* Before main, as a compiler has it; the environment is set before that. */
__attribute__((constructor(200))) static void start(void)
{
	extern void __cudaRegisterFatBinaryEnd(void **);
	extern void __cudaRegisterVar(void **, char *, char *, const char *,
				      int, size_t, int, int);
	extern void __cudaRegisterManagedVar(
		void **, void **, char *, const char *, int, size_t, int, int);
	static const char elf[64] = "\177ELF\2\1\1";

	image = make(1, ptx, sizeof(ptx));
	register_kernel(image, kernel_add, "add");
	register_kernel(image, kernel_index, "index");
	register_kernel(image, kernel_reverse, "reverse");
	register_kernel(image, kernel_variable, "variables");
	register_kernel(image, kernel_store, "store");
	register_kernel(image, kernel_texture, "texture");
	register_kernel(image, kernel_surface, "surface");
	register_kernel(image, kernel_spin, "spin");
	register_kernel(image, kernel_missing, "missing");
	__cudaRegisterVar(image, (char *)variable, NULL, "variable", 0, 4, 0,
			  0);
	__cudaRegisterVar(image, (char *)table, NULL, "table", 0, 16, 1, 0);
	__cudaRegisterFatBinaryEnd(image);
	sharing = make(1, managed_ptx, sizeof(managed_ptx));
	register_kernel(sharing, kernel_grow, "grow");
	__cudaRegisterManagedVar(sharing, (void **)&managed, NULL, "managed", 0,
				 4, 0, 0);
	__cudaRegisterFatBinaryEnd(sharing);
	sass = make(2, elf, sizeof(elf));
	register_kernel(sass, kernel_sass, "sass");
	__cudaRegisterFatBinaryEnd(sass);
}

__attribute__((destructor(200))) static void end(void)
{
	extern void __cudaUnregisterFatBinary(void **);

	__cudaUnregisterFatBinary(image);
	__cudaUnregisterFatBinary(sass);
	__cudaUnregisterFatBinary(sharing);
}

/* What a stub does: pops what <<< >>> has pushed. */
cudaError_t launch(void (*kernel)(void), dim3 grid, dim3 block, size_t shared,
		   cudaStream_t s, void **args)
{
	extern unsigned __cudaPushCallConfiguration(dim3, dim3, size_t,
						    cudaStream_t);
	extern cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *,
						      void *);

	__cudaPushCallConfiguration(grid, block, shared, s);
	grid = block = (dim3){ 0, 0, 0 };
	if (__cudaPopCallConfiguration(&grid, &block, &shared, &s))
		abort();
	return cudaLaunchKernel((const void *)kernel, grid, block, args, shared,
				s);
}

cudaError_t add(int *p, int n, int v, cudaStream_t s)
{
	return launch(kernel_add, DIM((unsigned)(n + 63) / 64, 1, 1),
		      DIM(64, 1, 1), 0, s, ARGS(&p, &n, &v));
}
