#include "foreign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "replay/walk.h"
#include "test.h"

#define SHARED_BASE UINT64_C(0x7f5500000000)
#define LOCAL_BASE UINT64_C(0x7f5501000000)

enum { WARPS = 32, RZ = 255 };

/* A kernel that is being written; the lines of each warp of a block. */
struct foreign {
	const struct foreign_style *style;
	const struct function *func;
	FILE *warp[WARPS];
	char *text[WARPS];
	size_t size[WARPS];
	unsigned count[WARPS];
};

/* The operands of an instruction, by its text. */
struct operands {
	char opcode[100];
	unsigned dst, src;
	int regs[16];
	long long imm;
};

static int reg_number(const char *s)
{
	return s[1] == 'Z' ? RZ : atoi(s + 1);
}

/* Whether a register's name is at s. */
static bool is_reg(const char *s)
{
	return s[0] == 'R' && (s[1] == 'Z' || (s[1] >= '0' && s[1] <= '9'));
}

static void add_reg(struct operands *o, int reg, bool first)
{
	o->regs[o->dst + o->src] = reg;
	if (first)
		o->dst++;
	else
		o->src++;
}

/* One operand: a register, memory, a number, or something that a tracer leaves
 * out. */
static void add_operand(struct operands *o, const char *s, bool first)
{
	const char *bracket = strrchr(s, '[');

	s += strspn(s, "-|~!");
	if (is_reg(s)) {
		add_reg(o, reg_number(s), first);
	} else if (*s == 'c') { /* a constant */
	} else if (bracket) {
		const char *r = bracket + 1;

		while (*r && *r != ']' && !is_reg(r))
			r += strcspn(r + 1, "R]") + 1;
		add_reg(o, is_reg(r) ? reg_number(r) : RZ, false);
	} else if (*s >= '0' && *s <= '9') {
		o->imm = strtoll(s, NULL, 0);
	}
}

static void read_operands(struct operands *o, const char *text)
{
	char copy[300], *p = copy, *operand;
	size_t n;

	memset(o, 0, sizeof(*o));
	snprintf(copy, sizeof(copy), "%s", text);
	if (*p == '@')
		p = strchr(p, ' ') + 1;
	n = strcspn(p, " ");
	snprintf(o->opcode, sizeof(o->opcode), "%.*s", (int)n, p);
	p += n;
	for (unsigned i = 0; (operand = strtok(i ? NULL : p, ",")); i++)
		add_operand(o, operand + strspn(operand, " "), i == 0);
}

/* The bytes of an access as the tracer guesses them from the opcode. */
static unsigned guess_width(const char *opcode)
{
	char copy[100];

	snprintf(copy, sizeof(copy), "%s", opcode);
	for (char *p = strtok(copy, "."); p; p = strtok(NULL, ".")) {
		const char *digits = *p == 'U' ? p + 1 : p;

		if (*digits && strspn(digits, "0123456789") == strlen(digits))
			return (unsigned)atoi(digits) / 8;
	}
	return 4;
}

static bool has_stride(const struct access *a, const uint64_t addr[LANES])
{
	unsigned first = (unsigned)__builtin_ctzll(a->mask);
	uint64_t rest = a->mask >> first;
	unsigned n = (unsigned)__builtin_popcountll(rest);

	if (n < 2 || rest & (rest + 1))
		return false;
	for (unsigned i = 2; i < n; i++)
		if (addr[first + i] - addr[first + i - 1] !=
		    addr[first + 1] - addr[first])
			return false;
	return true;
}

static void write_addresses(FILE *to, const struct access *a,
			    const uint64_t addr[LANES], bool compressed)
{
	unsigned first = (unsigned)__builtin_ctzll(a->mask);
	uint64_t last = addr[first];

	if (compressed && has_stride(a, addr)) {
		fprintf(to, "1 0x%" PRIx64 " %d ", addr[first],
			(int)(addr[first + 1] - addr[first]));
		return;
	}
	fprintf(to, compressed ? "2 0x%" PRIx64 " " : "0 ", addr[first]);
	for (unsigned l = first; l < LANES; l++) {
		if (!(a->mask >> l & 1))
			continue;
		if (!compressed)
			fprintf(to, "0x%016" PRIx64 " ", addr[l]);
		else if (l > first)
			fprintf(to, "%lld ", (long long)(addr[l] - last));
		last = addr[l];
	}
}

/* Generic addresses are those of windows. */
static bool is_generic(const char *opcode)
{
	static const char *const names[] = { "LD", "ST", "ATOM" };
	size_t n = strcspn(opcode, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (n == strlen(names[i]) && !memcmp(opcode, names[i], n))
			return true;
	return false;
}

/* Of a copy from global to shared memory, the first access. */
static void write_access(struct foreign *f, FILE *to, const struct step *s,
			 const struct operands *o)
{
	struct access a[STEP_ACCESSES];
	unsigned n = s->mask ? step_accesses(s, a) : 0;
	bool windows = f->style->windows || is_generic(o->opcode);
	uint64_t addr[LANES];

	if (!s->mask && strchr("LSAR", o->opcode[0]) && o->src) {
		/* The tracer writes addresses of no lane. */
		fprintf(to, "0 ");
		return;
	}
	if (!n || a[0].space == SPACE_CONST || !a[0].mask) {
		fprintf(to, "0 ");
		return;
	}
	for (unsigned l = 0; l < LANES; l++)
		addr[l] = a[0].addr[l] +
			  (!windows                   ? 0 :
			   a[0].space == SPACE_SHARED ? SHARED_BASE :
			   a[0].space == SPACE_LOCAL  ? LOCAL_BASE :
							0);
	fprintf(to, "%u ", guess_width(o->opcode));
	write_addresses(to, &a[0], addr, f->style->compressed);
}

static void write_step(void *ctx, unsigned worker, const struct step *s)
{
	struct foreign *f = ctx;
	FILE *to = f->warp[s->warp];
	struct inst_text text;
	struct operands o;

	(void)worker;
	if (s->in->flip & INST_PSEUDO)
		return;
	f->func = s->code->func;
	f->func->program->isa->describe(f->func, s->in->index, &text);
	read_operands(&o, text.text);
	f->count[s->warp]++;
	fprintf(to, "%04x %08x %u ", s->in->index * 16, (unsigned)s->mask,
		o.dst);
	if (o.dst)
		fprintf(to, "R%d ", o.regs[0]);
	fprintf(to, "%s %u ", o.opcode, o.src);
	for (unsigned i = 0; i < o.src; i++)
		fprintf(to, "R%d ", o.regs[o.dst + i]);
	write_access(f, to, s, &o);
	if (f->style->version > 3)
		fprintf(to, "%lld ", o.imm);
	fputc('\n', to);
}

static void write_header(FILE *to, const struct foreign *f, unsigned number,
			 const struct trace_launch *l)
{
	fprintf(to, "-kernel name = %s\n-kernel id = %u\n", l->kernel, number);
	fprintf(to, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n",
		l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
		l->block[2]);
	fprintf(to, "-shmem = %u\n-nregs = %u\n-binary version = %u\n",
		(unsigned)(f->func->shared_used + l->dynamic_shared),
		f->func->registers, f->func->program->target);
	fprintf(to, "-cuda stream id = 0\n");
	fprintf(to, "-shmem base_addr = 0x%016" PRIx64 "\n", SHARED_BASE);
	fprintf(to, "-local mem base_addr = 0x%016" PRIx64 "\n", LOCAL_BASE);
	fprintf(to, "-nvbit version = 1.5.5\n-accelsim tracer version = %d\n",
		f->style->version);
	if (f->style->version > 3)
		fprintf(to, "-enable lineinfo = 0\n");
	fprintf(to,
		"\n#traces format = PC mask dest_num [reg_dests] opcode "
		"src_num [reg_srcs] mem_width [adrrescompress?] "
		"[mem_addresses]%s\n\n",
		f->style->version > 3 ? " immediate" : "");
}

static void write_block(FILE *to, struct foreign *f, struct walker *k,
			uint32_t launch, const struct trace_launch *l,
			uint64_t index, bool header)
{
	unsigned warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
	struct diag d;

	for (unsigned i = 0; i < warps; i++) {
		f->warp[i] = open_memstream(&f->text[i], &f->size[i]);
		f->count[i] = 0;
	}
	STREQ("ok", walker_block(k, launch, index, write_step, f, &d) ? d.text :
									"ok");
	if (header)
		write_header(to, f, launch + 1, l);
	fprintf(to, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\n",
		(unsigned)(index % l->grid[0]),
		(unsigned)(index / l->grid[0] % l->grid[1]),
		(unsigned)(index / l->grid[0] / l->grid[1]));
	for (unsigned i = 0; i < warps; i++) {
		fclose(f->warp[i]);
		fprintf(to, "\nwarp = %u\ninsts = %u\n%s", i, f->count[i],
			f->text[i]);
		free(f->text[i]);
	}
	fprintf(to, "\n#END_TB\n");
}

static void write_kernel(const char *folder, const struct foreign_style *style,
			 struct walker *k, uint32_t launch,
			 const struct trace_launch *l)
{
	struct foreign f = { .style = style };
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	char path[400], command[600];
	FILE *to;

	snprintf(path, sizeof(path), "%s/kernel-%u.traceg", folder, launch + 1);
	to = fopen(path, "w");
	OK(to != NULL);
	for (uint64_t i = 0; i < blocks; i++)
		write_block(to, &f, k, launch, l, i, i == 0);
	fclose(to);
	if (!style->xz)
		return;
	snprintf(command, sizeof(command), "%s %s", style->xz, path);
	EQ(0, system(command));
}

bool foreign_write(const char *trace, const char *folder,
		   const struct foreign_style *style)
{
	const struct trace_launch_record *r;
	struct walker *k;
	struct trace *t;
	char path[400];
	struct diag d;
	uint32_t n = 0;
	FILE *list;

	OK(!trace_open(&t, trace, &d));
	OK(!walker_new(&k, t, &d));
	snprintf(path, sizeof(path), "%s/kernelslist.g", folder);
	list = fopen(path, "w");
	OK(list != NULL);
	for (; (r = trace_get_launch(t, n)) && !r->outcome.fault; n++) {
		write_kernel(folder, style, k, n, &r->launch);
		fprintf(list, "kernel-%u.traceg%s\n", n + 1,
			style->xz ? style->after : "");
	}
	fclose(list);
	walker_free(k);
	trace_close(t);
	return n && !r;
}
