#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/cubin_read.h"

/* ---- the kinds of relocations ---- */

enum reloc_place { PLACE_DATA, PLACE_INST };

struct reloc_row {
	const char *name;
	uint8_t number, place, shift, bits, at;
};

static const struct reloc_row rows[] = {
#define X(id, number, place, shift, bits, at) \
	{ "R_CUDA_" #id, number, PLACE_##place, shift, bits, at },
	SASS_RELOC_MAP(X)
#undef X
};

/* Those that only other programs have, for the message that refuses them. A descriptor
 * of a function is what a kernel is launched by. */
static const struct {
	unsigned number;
	const char *name;
	const char *feature; /* that needs it, or NULL */
} other_rows[] = {
#define LAUNCH "kernels that launch kernels"
	{ 5, "R_CUDA_ABS32_26", NULL },
	{ 6, "R_CUDA_TEX_HEADER_INDEX", NULL },
	{ 7, "R_CUDA_SAMP_HEADER_INDEX", NULL },
	{ 8, "R_CUDA_SURF_HW_DESC", NULL },
	{ 9, "R_CUDA_SURF_HW_SW_DESC", NULL },
	{ 19, "R_CUDA_TEX_SLOT", NULL },
	{ 20, "R_CUDA_SAMP_SLOT", NULL },
	{ 21, "R_CUDA_SURF_SLOT", NULL },
	{ 34, "R_CUDA_FUNC_DESC_32", LAUNCH },
	{ 35, "R_CUDA_FUNC_DESC_64", LAUNCH },
	{ 52, "R_CUDA_SURF_HEADER_INDEX", NULL },
	{ 53, "R_CUDA_INSTRUCTION64", NULL },
	{ 59, "R_CUDA_ABS16_32", NULL },
	{ 60, "R_CUDA_ABS24_32", NULL },
	{ 61, "R_CUDA_FUNC_DESC32_32", LAUNCH },
	{ 62, "R_CUDA_FUNC_DESC32_LO_32", LAUNCH },
	{ 63, "R_CUDA_FUNC_DESC32_HI_32", LAUNCH },
	{ 64, "R_CUDA_CONST_FIELD19_40", NULL },
	{ 65, "R_CUDA_BINDLESSOFF14_40", NULL },
	{ 66, "R_CUDA_CONST_FIELD21_38", NULL },
	{ 67, "R_CUDA_INSTRUCTION128", NULL },
	{ 72, "R_CUDA_UNUSED_CLEAR32", NULL },
	{ 73, "R_CUDA_UNUSED_CLEAR64", NULL },
	{ 74, "R_CUDA_ABS24_40", NULL },
#undef LAUNCH
};

static const struct reloc_row *find_reloc(unsigned number)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

const char *sass_reloc_name(unsigned number, char room[32])
{
	const struct reloc_row *row = find_reloc(number);

	if (row)
		return row->name;
	for (size_t i = 0; i < sizeof(other_rows) / sizeof(*other_rows); i++)
		if (other_rows[i].number == number)
			return other_rows[i].name;
	snprintf(room, 32, "R_CUDA type %u", number);
	return room;
}

/* What a program with such a relocation does that is not simulated, or NULL. */
static const char *reloc_feature(unsigned number)
{
	for (size_t i = 0; i < sizeof(other_rows) / sizeof(*other_rows); i++)
		if (other_rows[i].number == number)
			return other_rows[i].feature;
	return NULL;
}

static enum err refuse_reloc(struct cubin_reader *r, const struct elf_part *p,
			     const struct sass_data *to,
			     const struct sass_reloc *at, unsigned number)
{
	const char *feature = reloc_feature(number);
	char room[32];

	if (feature)
		return fail(r->d, ERR_UNSUPP,
			    "section %s: %s are not supported: relocation %s "
			    "at byte %llu of %s",
			    p->name, feature, sass_reloc_name(number, room),
			    (unsigned long long)at->offset, to->name);
	return fail(r->d, ERR_UNSUPP,
		    "section %s: relocation %s at byte %llu of %s is not "
		    "supported",
		    p->name, sass_reloc_name(number, room),
		    (unsigned long long)at->offset, to->name);
}

static unsigned place_bytes(const struct reloc_row *row)
{
	if (row->place == PLACE_INST)
		return SASS_INST_BYTES;
	return row->bits / 8;
}

/* ---- storing a value ---- */

/* The lower word of an instruction holds bits 0 to 63; fields may reach into
 * the upper one. */
static void store_bits(uint64_t word[2], unsigned at, unsigned bits,
		       uint64_t value)
{
	for (unsigned i = 0; i < bits; i++) {
		unsigned bit = at + i;
		uint64_t one = (uint64_t)1 << bit % 64;

		if (value >> i & 1)
			word[bit / 64] |= one;
		else
			word[bit / 64] &= ~one;
	}
}

static uint64_t reloc_field(const uint64_t word[2], unsigned at, unsigned bits)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bits; i++)
		value |= (word[(at + i) / 64] >> (at + i) % 64 & 1) << i;
	return value;
}

static void reloc_store(uint8_t *p, const uint64_t word[2], unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(word[i / 8] >> i % 8 * 8);
}

static void reloc_load(const uint8_t *p, uint64_t word[2], unsigned bytes)
{
	word[0] = word[1] = 0;
	for (unsigned i = 0; i < bytes; i++)
		word[i / 8] |= (uint64_t)p[i] << i % 8 * 8;
}

void sass_reloc_apply(const struct sass_reloc *r, uint64_t value,
		      uint8_t *bytes)
{
	const struct reloc_row *row = find_reloc(r->type);
	unsigned n = place_bytes(row);
	uint64_t word[2];

	reloc_load(bytes + r->offset, word, n);
	store_bits(word, row->at, row->bits, value >> row->shift);
	if (r->type == SASS_RELOC_ABS55_16_34)
		store_bits(word, 16, 8, value >> 2);
	reloc_store(bytes + r->offset, word, n);
}

/* ---- reading ---- */

/* Whether a section of the file holds relocations for one that is needed. */
static struct sass_data *reloc_target(const struct cubin_reader *r,
				      const struct elf_part *p)
{
	if (p->head.sh_type != SHT_RELA && p->head.sh_type != SHT_REL)
		return NULL;
	if (p->head.sh_info >= r->section_count)
		return NULL;
	return r->sections[p->head.sh_info].data;
}

static unsigned entry_bytes(const struct elf_part *p)
{
	return p->head.sh_type == SHT_RELA ? sizeof(Elf64_Rela) :
					     sizeof(Elf64_Rel);
}

/* A relocation without an addend of its own adds what is in its place. An
 * instruction's field is too narrow for that, and empty. */
static enum err implicit_addend(struct cubin_reader *r,
				const struct elf_part *p,
				const struct sass_data *to,
				const struct reloc_row *row,
				struct sass_reloc *out)
{
	uint64_t word[2] = { 0, 0 };
	char room[32];

	if (!to->bytes)
		return ERR_OK;
	reloc_load(to->bytes + out->offset, word, place_bytes(row));
	if (row->place == PLACE_DATA && !row->shift) {
		out->addend = (int64_t)word[0];
		return ERR_OK;
	}
	if (!reloc_field(word, row->at, row->bits))
		return ERR_OK;
	return fail(r->d, ERR_UNSUPP,
		    "section %s: %s at byte %llu of %s has an addend in its "
		    "place",
		    p->name, sass_reloc_name(row->number, room),
		    (unsigned long long)out->offset, to->name);
}

static enum err check_place(struct cubin_reader *r, const struct elf_part *p,
			    const struct sass_data *to,
			    const struct reloc_row *row, uint64_t at)
{
	const struct cubin_section *s = &r->sections[p->head.sh_info];
	unsigned n = place_bytes(row);
	bool code = s->text != CUBIN_NONE;

	if (at > to->size || n > to->size - at ||
	    (row->place == PLACE_INST && (!code || at % SASS_INST_BYTES)))
		return fail(r->d, ERR_SYNTAX,
			    "section %s: %s at byte %llu of %s, which has %llu",
			    p->name, row->name, (unsigned long long)at,
			    to->name, (unsigned long long)to->size);
	return ERR_OK;
}

static enum err read_reloc(struct cubin_reader *r, const struct elf_part *p,
			   const struct sass_data *to, const uint8_t *at,
			   struct sass_reloc *out)
{
	uint64_t info = cubin_u64(at + 8), symbol = info >> 32;
	unsigned number = (uint32_t)info;
	const struct reloc_row *row = find_reloc(number);
	enum err e;

	out->offset = cubin_u64(at);
	if (!row)
		return refuse_reloc(r, p, to, out, number);
	if (symbol >= r->c->symbol_count)
		return fail(r->d, ERR_SYNTAX, "section %s: symbol %llu of %u",
			    p->name, (unsigned long long)symbol,
			    r->c->symbol_count);
	e = check_place(r, p, to, row, out->offset);
	if (e)
		return e;
	out->type = row->number;
	out->symbol = &r->c->symbols[symbol];
	if (p->head.sh_type == SHT_RELA) {
		out->addend = (int64_t)cubin_u64(at + 16);
		return ERR_OK;
	}
	return implicit_addend(r, p, to, row, out);
}

/* .rel and .rela sections may have the same target. */
static enum err count_relocs(struct cubin_reader *r)
{
	for (uint32_t i = 0; i < r->section_count; i++) {
		const struct elf_part *p = &r->sections[i].part;
		struct sass_data *to = reloc_target(r, p);

		if (!to)
			continue;
		if (p->bytes.size % entry_bytes(p) ||
		    p->bytes.size / entry_bytes(p) >
			    UINT32_MAX - to->reloc_count)
			return fail(r->d, ERR_SYNTAX,
				    "section %s: %zu bytes, where an entry "
				    "has %u",
				    p->name, p->bytes.size, entry_bytes(p));
		to->reloc_count += (uint32_t)(p->bytes.size / entry_bytes(p));
	}
	return ERR_OK;
}

static enum err fill_relocs(struct cubin_reader *r, const struct elf_part *p,
			    struct sass_data *to)
{
	size_t step = entry_bytes(p);

	for (size_t at = 0; at < p->bytes.size; at += step) {
		enum err e = read_reloc(r, p, to, p->bytes.data + at,
					&to->relocs[to->reloc_count]);

		if (e)
			return e;
		to->reloc_count++;
	}
	return ERR_OK;
}

static int compare_relocs(const void *a, const void *b)
{
	const struct sass_reloc *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void sort_relocs(struct cubin_reader *r)
{
	for (uint32_t i = 0; i < r->section_count; i++) {
		struct sass_data *to = r->sections[i].data;

		if (to && to->reloc_count)
			qsort(to->relocs, to->reloc_count, sizeof(*to->relocs),
			      compare_relocs);
	}
}

enum err cubin_relocs(struct cubin_reader *r)
{
	enum err e = count_relocs(r);

	for (uint32_t i = 0; !e && i < r->section_count; i++) {
		struct sass_data *to = r->sections[i].data;

		if (!to || !to->reloc_count)
			continue;
		to->relocs =
			arena_new(r->arena, struct sass_reloc, to->reloc_count);
		to->reloc_count = 0;
		if (!to->relocs)
			return cubin_no_memory(r);
	}
	for (uint32_t i = 0; !e && i < r->section_count; i++) {
		struct sass_data *to = reloc_target(r, &r->sections[i].part);

		if (to)
			e = fill_relocs(r, &r->sections[i].part, to);
	}
	if (!e)
		sort_relocs(r);
	return e;
}
