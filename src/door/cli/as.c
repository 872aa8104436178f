/*
 * heddle as: the inverse of heddle dis for machine code.
 *
 * A line is an instruction with what may stand around it:
 *
 *	[ADDRESS] [CONTROL] TEXT ; [LOW WORD
 *	                            HIGH WORD]
 *
 * ADDRESS is a comment or a number, CONTROL is in brackets, the words are the
 * comments that heddle dis and cuobjdump write. Without CONTROL, the control
 * word is that of HIGH WORD, or of the instruction that is replaced. TEXT .inst
 * gives the two words themselves.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "base/outfile.h"
#include "door/cli/commands.h"
#include "door/cli/fileuse.h"
#include "door/cli/program.h"
#include "door/cli/sasslist.h"
#include "door/cli/text.h"
#include "isa/sass/cubin.h"
#include "isa/sass/inst.h"

struct as_options {
	const char *out, *arch, *patch;
};

static const struct opt as_opts[] = {
	OPT_HEADING("Options:"),
	{ "output", 'o', "FILE",
	  "write to this file (default: a listing to the standard output)",
	  opt_string, offsetof(struct as_options, out) },
	{ "arch", 0, "SM", "the architecture, such as sm_90 (without --patch)",
	  opt_string, offsetof(struct as_options, arch) },
	{ "patch", 0, "CUBIN",
	  "replace instructions of this cubin; -o names the new one",
	  opt_string, offsetof(struct as_options, patch) },
	OPT_END
};

/* What a line says. */
struct as_line {
	bool has_address, has_control, has_text, has_words;
	uint64_t address;
	struct sass_ctrl control;
	char text[512];
	uint64_t w[2];
};

struct assembler {
	const char *path; /* of the text */
	unsigned line;
	const char *next, *end;
	unsigned sm;
	/* --patch: the cubin, and the function that is being changed. */
	uint8_t *cubin;
	size_t cubin_size;
	char function[1024];
	uint8_t *code;
	uint64_t code_size;
	/* Otherwise: the instructions. */
	struct sass_words {
		uint64_t w[2];
	} * out;
	size_t count, room;
	size_t first;  /* of this function */
	uint64_t done; /* replaced */
};

static enum err as_fail(const struct assembler *a, struct diag *d,
			const char *why, const char *what)
{
	return fail(d, ERR_SYNTAX, "%s:%u: %s%s", a->path, a->line, why, what);
}

/* The next line, without its end; false: there is none. A line that is too long
 * is cut, and then is no instruction. */
static bool next_line(struct assembler *a, char *to, size_t room)
{
	const char *start = a->next, *end;
	size_t n;

	if (start >= a->end)
		return false;
	end = memchr(start, '\n', (size_t)(a->end - start));
	a->next = end ? end + 1 : a->end;
	n = (size_t)((end ? end : a->end) - start);
	n = n < room - 1 ? n : room - 1;
	memcpy(to, start, n);
	to[n] = '\0';
	a->line++;
	return true;
}

static const char *skip_space(const char *s)
{
	return s + strspn(s, " \t\r");
}

/* A number in hexadecimal; NULL: there is none. */
static const char *read_hex(const char *s, uint64_t *v)
{
	char *end;

	if (!isxdigit((unsigned char)*s))
		return NULL;
	*v = strtoull(s, &end, 16);
	return end;
}

/* A comment of one number: an address, or a word, which begins with 0x. */
static const char *read_comment(const char *s, uint64_t *v, bool *is_word)
{
	const char *start;

	if (strncmp(s, "/*", 2))
		return NULL;
	start = skip_space(s + 2);
	*is_word = !strncmp(start, "0x", 2);
	s = read_hex(start, v);
	s = s ? skip_space(s) : NULL;
	return s && !strncmp(s, "*/", 2) ? s + 2 : NULL;
}

/* "0010" in a comment or "0x10:" before an instruction. */
static const char *read_address(const char *s, struct as_line *l)
{
	bool is_word;
	const char *end = read_comment(s, &l->address, &is_word);

	if (!end && !strncmp(s, "0x", 2)) {
		end = read_hex(s, &l->address);
		end = end && *end == ':' ? end + 1 : NULL;
	}
	l->has_address = end != NULL;
	return skip_space(end ? end : s);
}

/* "[B------:R-:W0:Y:S04]" */
static const char *read_control(struct assembler *a, const char *s,
				struct as_line *l, struct diag *d)
{
	size_t n;

	if (*s != '[')
		return s;
	n = sass_read_ctrl(s + 1, &l->control);
	if (!n || s[n + 1] != ']') {
		as_fail(a, d,
			"not a control word such as "
			"[B------:R-:W0:Y:S04]: ",
			s);
		return NULL;
	}
	l->has_control = true;
	return skip_space(s + n + 2);
}

/* The text up to a semicolon, and the low word after it. */
static enum err read_rest(struct assembler *a, const char *s, struct as_line *l,
			  struct diag *d)
{
	const char *end = strchr(s, ';');
	size_t n = end ? (size_t)(end - s) : strlen(s);
	bool is_word = false;

	if (end) {
		const char *after = skip_space(end + 1);

		if (read_comment(after, &l->w[0], &is_word) && !is_word)
			return as_fail(a, d, "not a word: ", after);
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	if (n >= sizeof(l->text))
		return as_fail(a, d, "an instruction that is too long", "");
	memcpy(l->text, s, n);
	l->text[n] = '\0';
	l->has_text = n;
	return ERR_OK;
}

/* Lines of a listing that are no instructions. */
static bool is_heading(const char *s)
{
	static const char *const words[] = { "code for ",
					     ".target",
					     ".headerflags",
					     "..........",
					     "Fatbin ",
					     "========",
					     "arch = ",
					     "host = ",
					     "code version ",
					     "compile_size",
					     "compressed",
					     "ptxasOptions",
					     "#",
					     "//" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return true;
	return !*s;
}

/* The section of code of a function, in the cubin's bytes. */
static enum err find_code(struct assembler *a, const char *name, struct diag *d)
{
	struct elf f;
	enum err e = elf_open(&f, a->cubin, a->cubin_size, d);

	for (size_t i = 0; !e && i < f.sections.count; i++) {
		struct elf_part p;

		e = elf_part(&f, i, &p, d);
		if (e || strncmp(p.name, ".text.", 6) ||
		    strcmp(p.name + 6, name))
			continue;
		a->code = a->cubin + (p.bytes.data - a->cubin);
		a->code_size = p.bytes.size;
		return ERR_OK;
	}
	return e ? e : as_fail(a, d, "the cubin has no function named ", name);
}

static enum err start_function(struct assembler *a, const char *s,
			       struct diag *d)
{
	size_t n;

	s = skip_space(s);
	n = strcspn(s, " \t\r");
	snprintf(a->function, sizeof(a->function), "%.*s", (int)n, s);
	a->first = a->count;
	return a->cubin ? find_code(a, a->function, d) : ERR_OK;
}

/* What of a word the text does not say is that of the words beside it or of the
 * instruction that is replaced, if it is of the same form. */
static void complete(struct sass_inst *in, const struct as_line *l,
		     const uint64_t *like, uint64_t w[2])
{
	const uint64_t timing = UINT64_C(0x1ffff) << 41;
	struct sass_inst old;
	bool same = like && sass_decode(&old, in->sm, like) != SASS_UNKNOWN &&
		    old.enc == in->enc;

	if (l->has_control)
		in->ctrl = l->control;
	if (same) {
		in->rest[0] = old.rest[0];
		in->rest[1] = old.rest[1];
		if (!l->has_control)
			in->ctrl.rest = old.ctrl.rest;
	}
	sass_encode(in, w);
	for (unsigned i = 0; same && i < 2; i++)
		w[i] = (w[i] & ~in->enc->hidden[i]) |
		       (like[i] & in->enc->hidden[i]);
	if (like && !l->has_control)
		w[1] = (w[1] & ~timing) | (like[1] & timing);
}

static enum err read_inst_words(struct assembler *a, const char *s,
				uint64_t w[2], struct diag *d)
{
	s = read_hex(skip_space(s), &w[0]);
	s = s && *s == ',' ? read_hex(skip_space(s + 1), &w[1]) : NULL;
	return s && !*s ? ERR_OK :
			  as_fail(a, d, "not .inst with two words", "");
}

/* The words of an instruction. like: what it replaces, or the words beside it;
 * NULL: nothing. */
static enum err make_words(struct assembler *a, const struct as_line *l,
			   const uint64_t *like, uint64_t w[2], struct diag *d)
{
	struct sass_inst in;
	struct diag why;

	if (!strncmp(l->text, ".inst ", 6))
		return read_inst_words(a, l->text + 6, w, d);
	if (!l->has_text && like) {
		memcpy(w, like, 2 * sizeof(w[0]));
		if (sass_decode(&in, a->sm, w) == SASS_UNKNOWN)
			return as_fail(a, d, "no instruction that is known",
				       "");
	} else if (sass_parse(&in, a->sm, l->address, l->text, &why)) {
		return as_fail(a, d, "", why.text);
	}
	complete(&in, l, like, w);
	return ERR_OK;
}

static enum err patch_words(struct assembler *a, const struct as_line *l,
			    struct diag *d)
{
	uint64_t old[2], w[2];

	if (!a->code)
		return as_fail(a, d, "no line 'Function : NAME' before it", "");
	if (!l->has_address || l->address % SASS_BYTES ||
	    l->address + SASS_BYTES > a->code_size)
		return as_fail(a, d,
			       "an address in the function is needed, such as "
			       "/*0010*/: ",
			       l->text);
	memcpy(old, a->code + l->address, sizeof(old));
	if (make_words(a, l, l->has_words ? l->w : old, w, d))
		return d->code;
	memcpy(a->code + l->address, w, sizeof(w));
	a->done++;
	return ERR_OK;
}

static enum err append_words(struct assembler *a, struct as_line *l,
			     struct diag *d)
{
	uint64_t here = (a->count - a->first) * SASS_BYTES;

	if (l->has_address && l->address != here)
		return as_fail(a, d,
			       "the address is not the next one: ", l->text);
	if (!l->has_text)
		return as_fail(a, d, "no instruction", "");
	l->address = here;
	if (a->count == a->room) {
		struct sass_words *more;

		a->room = 2 * a->room + 256;
		more = realloc(a->out, a->room * sizeof(*more));
		if (!more)
			return fail(d, ERR_NOMEM, "out of memory");
		a->out = more;
	}
	if (make_words(a, l, l->has_words ? l->w : NULL, a->out[a->count].w, d))
		return d->code;
	a->count++;
	return ERR_OK;
}

/* Whether the next line is the high word of this one; takes it. */
static void take_high_word(struct assembler *a, struct as_line *l)
{
	const char *start = a->next;
	unsigned line = a->line;
	bool is_word = false;
	char text[256];

	if (!next_line(a, text, sizeof(text)))
		return;
	if (read_comment(skip_space(text), &l->w[1], &is_word) && is_word) {
		l->has_words = true;
		return;
	}
	a->next = start;
	a->line = line;
}

static enum err assemble_line(struct assembler *a, const char *s,
			      struct diag *d)
{
	struct as_line l = { 0 };

	s = skip_space(s);
	if (!strncmp(s, "Function :", 10))
		return start_function(a, s + 10, d);
	if (is_heading(s))
		return ERR_OK;
	s = read_address(s, &l);
	s = read_control(a, s, &l, d);
	if (!s || read_rest(a, s, &l, d))
		return d->code;
	if (strstr(s, "/* 0x"))
		take_high_word(a, &l);
	return a->cubin ? patch_words(a, &l, d) : append_words(a, &l, d);
}

static enum err assemble(struct assembler *a, struct diag *d)
{
	char text[1024];

	while (next_line(a, text, sizeof(text)))
		if (assemble_line(a, text, d))
			return d->code;
	if (!a->cubin && !a->count)
		return fail(d, ERR_SYNTAX, "%s: no instructions", a->path);
	if (a->cubin && !a->done)
		return fail(d, ERR_SYNTAX, "%s: no instructions to replace",
			    a->path);
	return ERR_OK;
}

static enum err write_result(struct assembler *a, const struct as_options *o,
			     struct diag *d)
{
	struct sass_listing l = { 0 };
	struct outfile f;

	if (outfile_open(&f, o->out ? o->out : "-", d))
		return d->code;
	l.to = f.to;
	if (a->cubin)
		fwrite(a->cubin, 1, a->cubin_size, f.to);
	else if (o->out)
		fwrite(a->out, sizeof(*a->out), a->count, f.to);
	else
		sass_list_code(&l, a->sm, (const uint8_t *)a->out,
			       a->count * SASS_BYTES);
	return outfile_close(&f, ERR_OK, d);
}

/* The cubin that is to be patched, and its architecture. */
static enum err open_cubin(struct assembler *a, const char *path,
			   struct diag *d)
{
	struct arena room = { 0 };
	struct sass_cubin c;
	enum err e;

	if (program_read_file(path, (char **)&a->cubin, &a->cubin_size, d))
		return d->code;
	if (!sass_cubin_matches(a->cubin, a->cubin_size))
		return fail(d, ERR_UNSUPP, "'%s' is not a cubin", path);
	e = sass_cubin_read(&c, &room, a->cubin, a->cubin_size, d);
	if (!e)
		a->sm = c.sm;
	arena_free(&room);
	return e;
}

static enum err as_check(struct assembler *a, const struct as_options *o,
			 struct diag *d)
{
	struct file_uses u = { 0 };
	enum err e = file_uses_add(&u, "FILE", a->path, false, d);

	e = e ? e : file_uses_add(&u, "--patch", o->patch, false, d);
	e = e ? e : file_uses_add(&u, "-o", o->out, true, d);
	e = e ? e : file_uses_check(&u, d);
	file_uses_free(&u);
	if (e)
		return e;
	if (o->patch)
		return open_cubin(a, o->patch, d);
	a->sm = sass_list_arch(o->arch);
	return ERR_OK;
}

static int run_as(const char *path, const struct as_options *o)
{
	struct assembler a = { .path = path };
	char *text = NULL;
	size_t size = 0;
	struct diag d;
	enum err e = as_check(&a, o, &d);

	e = e ? e : program_read_file(path, &text, &size, &d);
	a.next = text;
	a.end = text ? text + size : NULL;
	e = e ? e : assemble(&a, &d);
	e = e ? e : write_result(&a, o, &d);
	if (e)
		say_error("%s", d.text);
	free(text);
	free(a.cubin);
	free(a.out);
	return e ? EXIT_INPUT : EXIT_OK;
}

/* What is wrong with the options; NULL: nothing. */
static const char *as_wrong(const struct as_options *o,
			    const struct words *files)
{
	if (files->count != 1)
		return "one FILE is needed; see 'heddle as --help'";
	if (o->patch && o->arch)
		return "--arch is not for --patch: the cubin says it";
	if (o->patch && !o->out)
		return "--patch needs -o, the new cubin";
	if (!o->patch && !(o->arch && sass_list_arch(o->arch)))
		return "--arch must name an architecture, such as sm_90";
	return NULL;
}

static int as_main(int argc, char **argv)
{
	struct as_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_as, to, argc, argv, &files);

	if (code < 0 && as_wrong(&o, &files)) {
		say_error("%s", as_wrong(&o, &files));
		code = EXIT_USAGE;
	}
	if (code < 0)
		code = run_as(files.at[0], &o);
	words_free(&files);
	return code;
}

const struct command cmd_as = {
	.name = "as",
	.summary = "Assemble machine code, or patch that of a cubin",
	.usage = "FILE --arch SM [-o CODE] | FILE --patch CUBIN -o CUBIN",
	.details =
		"FILE holds instructions as 'heddle dis' and cuobjdump -sass "
		"print them, one on each\nline. Before an instruction may stand "
		"its address, as /*0010*/ or 0x10:, and its\ncontrol word, as "
		"[B------:R-:W0:Y:S04]; after it a semicolon and the comments "
		"with\nits two words, whose control word counts if there is "
		"none in brackets.\n.inst LOW, HIGH gives the words "
		"themselves.\n\n"
		"With --patch, lines 'Function : NAME' say which function the "
		"addresses are in. An\ninstruction replaces the one there and "
		"keeps its control word unless it has one;\na control word "
		"without an instruction replaces only that. Without --patch, "
		"the\nbytes are written to -o.\n\n"
		"Examples:\n"
		"  heddle dis k.cubin --kernel k -o k.txt && heddle as k.txt "
		"--arch sm_90 -o k.bin\n"
		"  heddle as edits.txt --patch k.cubin -o faster.cubin\n",
	.tables = { as_opts },
	.run = as_main,
};
