#include "door/cli/gcnlist.h"

#include <inttypes.h>
#include <string.h>

#include "isa/gcn/inst.h"
#include "isa/gcn/object.h"

enum { TEXT_COLUMN = 60 }; /* where the address begins */

static void note_unknown(struct gcn_listing *l, const struct gcn_function *f,
			 uint64_t at, const char *why)
{
	if (!l->unknown++)
		snprintf(l->first_unknown, sizeof(l->first_unknown),
			 "0x%" PRIx64 " of %.120s: %s", at, f->name, why);
}

/* Lists one instruction. Returns its words. */
static size_t list_instruction(struct gcn_listing *l,
			       const struct gcn_function *f, size_t at)
{
	uint32_t words[3] = { 0 };
	size_t left = (f->code.size - at) / sizeof(*words), n;
	struct gcn_inst in;
	const char *why;
	char text[256];

	memcpy(words, f->code.data + at,
	       (left < 3 ? left : 3) * sizeof(*words));
	why = gcn_decode(&in, words, left);
	n = why ? 1 : in.words;
	if (why) {
		note_unknown(l, f, f->address + at, why);
		snprintf(text, sizeof(text), ".long 0x%08x", words[0]);
	} else {
		gcn_print(text, sizeof(text), &in);
	}
	fprintf(l->to, "\t%-*s // %012" PRIX64 ":", TEXT_COLUMN, text,
		f->address + at);
	for (size_t i = 0; i < n; i++)
		fprintf(l->to, " %08X", words[i]);
	fputc('\n', l->to);
	return n;
}

static void list_function(struct gcn_listing *l, const struct gcn_function *f)
{
	fprintf(l->to, "%s%016" PRIx64 " <%s>:\n", l->functions ? "\n" : "",
		f->address, f->name);
	l->functions++;
	for (size_t at = 0; f->code.size - at >= sizeof(uint32_t);)
		at += sizeof(uint32_t) * list_instruction(l, f, at);
}

enum err gcn_list(struct gcn_listing *l, const void *data, size_t size,
		  struct diag *d)
{
	struct gcn_object o;
	struct gcn_function f;
	size_t at = 0;
	bool found;

	if (gcn_object_open(&o, data, size, d))
		return d->code;
	do {
		if (gcn_object_next(&o, &at, &f, &found, d))
			return d->code;
		if (found && (!l->kernel || !strcmp(l->kernel, f.name)))
			list_function(l, &f);
	} while (found);
	if (!l->functions)
		return fail(d, ERR_UNSUPP,
			    l->kernel ? "the file has no function %s" :
					"the file has no functions%s",
			    l->kernel ? l->kernel : "");
	return ERR_OK;
}
