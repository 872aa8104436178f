/* Loading a static program, and the stack that Linux gives it. */
#include <elf.h>
#include <stdio.h>

#include "isa/x86/sys.h"

static enum err x86_check_head(const struct elf *f, struct diag *d)
{
	if (f->head.e_machine != EM_X86_64)
		return fail(d, ERR_UNSUPP,
			    "not a program for x86-64 (ELF machine %u)",
			    f->head.e_machine);
	if (f->head.e_type != ET_EXEC && f->head.e_type != ET_DYN)
		return fail(d, ERR_UNSUPP,
			    "not a program but an object file; link it");
	return ERR_OK;
}

static void x86_program_head(const struct elf *f, size_t i, Elf64_Phdr *ph)
{
	memcpy(ph, f->data + f->programs.at + i * f->programs.step,
	       sizeof(*ph));
}

/* Checks all segments before any is mapped; `base` is added to addresses. */
static enum err x86_check_segment(const struct elf *f, const Elf64_Phdr *ph,
				  uint64_t base, struct diag *d)
{
	uint64_t at = base + ph->p_vaddr;

	if (ph->p_type == PT_INTERP)
		return fail(d, ERR_UNSUPP,
			    "the program is linked dynamically; link it with "
			    "-static");
	if (ph->p_type != PT_LOAD)
		return ERR_OK;
	if (ph->p_offset > f->size || ph->p_filesz > f->size - ph->p_offset ||
	    ph->p_filesz > ph->p_memsz)
		return fail(d, ERR_SYNTAX,
			    "a segment lies outside of the file");
	if (ph->p_vaddr >= X86_SPACE || at < X86_PAGE || at >= X86_MMAP_TOP ||
	    ph->p_memsz > X86_MMAP_TOP - at)
		return fail(d, ERR_UNSUPP,
			    "a segment at 0x%llx: addresses from 0x1000 to "
			    "0x%llx are supported",
			    (unsigned long long)at,
			    (unsigned long long)X86_MMAP_TOP);
	return ERR_OK;
}

static void x86_note_segment(struct x86_image *i, uint64_t at, uint64_t end,
			     uint64_t offset)
{
	if (i->segments < X86_SEGMENTS)
		i->segment[i->segments++] =
			(struct x86_segment){ at, end, offset };
}

static void x86_map_segment(struct x86_process *p, const struct elf *f,
			    const Elf64_Phdr *ph, uint64_t base)
{
	uint64_t at = base + ph->p_vaddr, end = at + ph->p_memsz;
	uint64_t page = at & ~(uint64_t)(X86_PAGE - 1);
	unsigned allow = (ph->p_flags & PF_R ? X86_READ : 0) |
			 (ph->p_flags & PF_W ? X86_WRITE : 0) |
			 (ph->p_flags & PF_X ? X86_EXEC | X86_READ : 0);

	if (!ph->p_memsz)
		return;
	/* Segments may meet in a page: what is there stays. */
	for (uint64_t i = page; i < end; i += X86_PAGE)
		x86_mem_protect(&p->mem, i, X86_PAGE,
				allow | (p->mem.allowed[i >> X86_PAGE_BITS] &
					 (X86_READ | X86_WRITE | X86_EXEC)));
	memcpy(p->mem.memory + at, f->data + ph->p_offset, ph->p_filesz);
	if (ph->p_filesz)
		x86_note_segment(&p->image, page,
				 x86_round_up(at + ph->p_filesz),
				 ph->p_offset & ~(uint64_t)(X86_PAGE - 1));
	if (x86_round_up(end) > p->brk)
		p->brk = p->brk_start = x86_round_up(end);
}

static enum err x86_map_program(struct x86_process *p, const struct elf *f,
				uint64_t base, struct diag *d)
{
	bool any = false;
	Elf64_Phdr ph;

	for (size_t i = 0; i < f->programs.count; i++) {
		x86_program_head(f, i, &ph);
		if (x86_check_segment(f, &ph, base, d))
			return d->code;
		any |= ph.p_type == PT_LOAD;
	}
	if (!any)
		return fail(d, ERR_SYNTAX, "the program has no segments");
	for (size_t i = 0; i < f->programs.count; i++) {
		x86_program_head(f, i, &ph);
		if (ph.p_type == PT_LOAD)
			x86_map_segment(p, f, &ph, base);
	}
	return ERR_OK;
}

/* The address at which the program's headers are in memory; 0: they are not. */
static uint64_t x86_headers_at(const struct elf *f, uint64_t base)
{
	Elf64_Phdr ph;

	for (size_t i = 0; i < f->programs.count; i++) {
		x86_program_head(f, i, &ph);
		if (ph.p_type == PT_LOAD && ph.p_offset <= f->head.e_phoff &&
		    f->head.e_phoff - ph.p_offset < ph.p_filesz)
			return base + ph.p_vaddr + f->head.e_phoff -
			       ph.p_offset;
	}
	return 0;
}

/* A stack that is written from its top. */
struct x86_stack {
	struct x86_process *p;
	uint64_t at, bottom;
	bool full;
};

static uint64_t x86_stack_put(struct x86_stack *s, const void *from,
			      size_t bytes)
{
	if (s->at - s->bottom < bytes + X86_PAGE) {
		s->full = true;
		return s->at;
	}
	s->at -= bytes;
	memcpy(s->p->mem.memory + s->at, from, bytes);
	return s->at;
}

static size_t x86_count_words(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* Copies the strings; `at` receives their addresses. */
static void x86_stack_strings(struct x86_stack *s, const char *const *list,
			      size_t n, uint64_t *at)
{
	for (size_t i = n; i-- > 0;)
		at[i] = x86_stack_put(s, list[i], strlen(list[i]) + 1);
}

/* argc, argv, envp and the auxiliary vector, as words. */
static size_t x86_stack_words(struct x86_process *p, const struct elf *f,
			      const struct x86_options *o, uint64_t base,
			      struct x86_stack *s, uint64_t *w)
{
	size_t argc = x86_count_words(o->argv), envc = x86_count_words(o->envp);
	uint64_t random[2] = { x86_random(p), x86_random(p) };
	uint64_t platform = x86_stack_put(s, "x86_64", 7);
	uint64_t seed = x86_stack_put(s, random, sizeof(random));
	uint64_t name = x86_stack_put(s, o->argv[0], strlen(o->argv[0]) + 1);
	const uint64_t aux[][2] = {
		{ AT_PHDR, x86_headers_at(f, base) },
		{ AT_PHENT, f->head.e_phentsize },
		{ AT_PHNUM, f->head.e_phnum },
		{ AT_PAGESZ, X86_PAGE },
		{ AT_BASE, 0 },
		{ AT_FLAGS, 0 },
		{ AT_ENTRY, base + f->head.e_entry },
		{ AT_UID, 1000 },
		{ AT_EUID, 1000 },
		{ AT_GID, 1000 },
		{ AT_EGID, 1000 },
		{ AT_SECURE, 0 },
		{ AT_CLKTCK, 100 },
		{ AT_HWCAP, 0x078bfbff }, /* CPUID's EDX of old; unused */
		{ AT_PLATFORM, platform },
		{ AT_RANDOM, seed },
		{ AT_EXECFN, name },
		{ AT_NULL, 0 },
	};
	size_t n = 0;

	w[n++] = argc;
	x86_stack_strings(s, o->argv, argc, w + n);
	n += argc;
	w[n++] = 0;
	x86_stack_strings(s, o->envp, envc, w + n);
	n += envc;
	w[n++] = 0;
	memcpy(w + n, aux, sizeof(aux));
	return n + 2 * (sizeof(aux) / sizeof(aux[0]));
}

enum { X86_AUX_WORDS = 64 };

static enum err x86_make_stack(struct x86_process *p, const struct elf *f,
			       const struct x86_options *o, uint64_t base,
			       struct diag *d)
{
	size_t most = x86_count_words(o->argv) + x86_count_words(o->envp) +
		      X86_AUX_WORDS;
	struct x86_stack s = { .p = p,
			       .at = X86_STACK_TOP,
			       .bottom = X86_STACK_TOP - X86_STACK_BYTES };
	uint64_t *w = arena_new(&p->arena, uint64_t, most);
	size_t n;

	if (!w)
		return fail(d, ERR_NOMEM, "out of memory");
	x86_mem_map(&p->mem, s.bottom, X86_STACK_BYTES, X86_READ | X86_WRITE);
	n = x86_stack_words(p, f, o, base, &s, w);
	/* RSP is a multiple of 16 when the program starts. */
	s.at &= ~15ull;
	if (n % 2)
		s.at -= 8;
	x86_stack_put(&s, w, n * sizeof(*w));
	if (s.full)
		return fail(d, ERR_RANGE,
			    "arguments and environment do not fit on the "
			    "stack of 8 MiB");
	p->thread[0]->cpu.r[X86_RSP] = s.at;
	return ERR_OK;
}

enum err x86_load_program(struct x86_process *p, const struct x86_options *o,
			  struct diag *d)
{
	uint64_t base;
	struct elf f;

	if (elf_open(&f, o->image, o->size, d) || x86_check_head(&f, d))
		return d->code;
	base = f.head.e_type == ET_DYN ? X86_PIE_BASE : 0;
	if (x86_map_program(p, &f, base, d) ||
	    x86_make_stack(p, &f, o, base, d) ||
	    x86_read_symbols(p, &f, base, d))
		return d->code;
	if (o->lines && x86_lines_read(&p->lines, &p->arena, &f, base, d))
		return d->code;
	p->thread[0]->cpu.rip = base + f.head.e_entry;
	return ERR_OK;
}
