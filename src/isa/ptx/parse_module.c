/* The directives of a module. */
#include <string.h>

#include "isa/ptx/parse.h"

static bool parse_version(struct px_parser *p)
{
	const char *s = p->t.text;
	unsigned major = 0, minor = 0;
	uint32_t i = 0;

	for (; i < p->t.size && i < 4 && s[i] >= '0' && s[i] <= '9'; i++)
		major = major * 10 + (unsigned)(s[i] - '0');
	if (!i || i + 2 > p->t.size || s[i] != '.' || p->t.size > 8)
		return px_expected(p, "a version such as 8.0");
	for (i++; i < p->t.size && s[i] >= '0' && s[i] <= '9'; i++)
		minor = minor * 10 + (unsigned)(s[i] - '0');
	if (i != p->t.size)
		return px_expected(p, "a version such as 8.0");
	p->m->version_major = major;
	p->m->version_minor = minor;
	return px_next(p);
}

static bool parse_sm_number(struct px_parser *p)
{
	const char *s = p->atom->text;
	uint32_t n = 0;

	if (!px_is(p, PTX_TOK_NAME) || strncmp(s, "sm_", 3))
		return px_expected(p, "a target such as sm_90");
	for (s += 3; *s >= '0' && *s <= '9' && n < 1000; s++)
		n = n * 10 + (uint32_t)(*s - '0');
	if (n < 10 || n > 999 || (*s && strcmp(s, "a") && strcmp(s, "f")))
		return px_expected(p, "a target such as sm_90");
	p->m->sm = n;
	return true;
}

static bool check_target_option(struct px_parser *p)
{
	static const char *const known[] = { "texmode_unified",
					     "texmode_independent", "debug",
					     "map_f64_to_f32" };

	if (!px_is(p, PTX_TOK_NAME))
		return px_expected(p, "a target option");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(p->atom->text, known[i]))
			return true;
	return px_expected(p, "texmode_unified, texmode_independent, debug or "
			      "map_f64_to_f32");
}

static bool parse_target(struct px_parser *p)
{
	char text[160];
	size_t n;
	bool more;

	if (!px_is(p, PTX_TOK_NAME))
		return px_expected(p, "a target such as sm_90");
	if (!parse_sm_number(p))
		return false;
	n = p->atom->size;
	memcpy(text, p->atom->text, n);
	if (!px_next(p) || !px_accept(p, ',', &more))
		return false;
	while (more) {
		if (!check_target_option(p))
			return false;
		if (n + p->atom->size + 2 > sizeof(text))
			return px_expected(p, "fewer target options");
		memcpy(text + n, ", ", 2);
		memcpy(text + n + 2, p->atom->text, p->atom->size);
		n += p->atom->size + 2;
		if (!px_next(p) || !px_accept(p, ',', &more))
			return false;
	}
	p->m->target = arena_strndup(&p->m->arena, text, n);
	return p->m->target ? true : px_nomem(p);
}

static bool parse_address_size(struct px_parser *p)
{
	if (!px_is(p, PTX_TOK_INT) || (p->t.bits != 32 && p->t.bits != 64))
		return px_expected(p, "32 or 64");
	p->m->address_size = (uint32_t)p->t.bits;
	return px_next(p);
}

/* .version, .target, and .address_size, which old PTX does not have. */
static bool parse_header(struct px_parser *p)
{
	if (!px_is_word(p, PX_VERSION))
		return px_expected(p, ".version");
	if (!px_next(p) || !parse_version(p))
		return false;
	if (!px_is_word(p, PX_TARGET))
		return px_expected(p, ".target");
	if (!px_next(p) || !parse_target(p))
		return false;
	if (!px_is_word(p, PX_ADDRESS_SIZE))
		return true;
	return px_next(p) && parse_address_size(p);
}

/* .file 1 "kernel.cu", 1300000000, 4096 */
static bool parse_file(struct px_parser *p)
{
	uint64_t number, ignored;
	const char *name;
	bool more;

	if (!px_next(p) ||
	    !px_const_int(p, "a file number", 0, PX_MAX_FILE - 1, &number))
		return false;
	if (!px_is(p, PTX_TOK_STRING))
		return px_expected(p, "the name of a file");
	name = arena_strndup(&p->m->arena, p->t.text, p->t.size);
	if (!name)
		return px_nomem(p);
	while (p->file_count <= number) {
		if (!px_room(p, &p->files, p->file_count, &p->file_cap,
			     sizeof(const char *)))
			return false;
		p->files[p->file_count++] = NULL;
	}
	p->files[number] = name;
	if (!px_next(p) || !px_accept(p, ',', &more))
		return false;
	if (!more)
		return true;
	return px_const_int(p, "a time", 0, UINT64_MAX, &ignored) &&
	       px_take(p, ',', "','") &&
	       px_const_int(p, "a size", 0, UINT64_MAX, &ignored);
}

bool px_pragma(struct px_parser *p, bool keep, bool *rolled)
{
	static const char nounroll[] = "nounroll";
	bool more;

	if (!px_next(p))
		return false;
	do {
		if (!px_is(p, PTX_TOK_STRING))
			return px_expected(p, "a string");
		*rolled |= p->t.size == sizeof(nounroll) - 1 &&
			   !memcmp(p->t.text, nounroll, p->t.size);
		if (keep) {
			char *s = arena_strndup(&p->m->arena, p->t.text,
						p->t.size);

			if (!s)
				return px_nomem(p);
			if (!px_room(p, &p->pragmas, p->pragma_count,
				     &p->pragma_cap, sizeof(const char *)))
				return false;
			p->pragmas[p->pragma_count++] = s;
		}
		if (!px_next(p) || !px_accept(p, ',', &more))
			return false;
	} while (more);
	return px_take(p, ';', "';'");
}

/* .section .debug_info { ... }: skipped. */
bool px_section(struct px_parser *p)
{
	struct ptx_loc at = p->t.loc;

	if (!px_next(p))
		return false;
	if (!px_is(p, PTX_TOK_WORD) && !px_is(p, PTX_TOK_NAME))
		return px_expected(p, "the name of a section");
	if (!px_next(p))
		return false;
	if (!px_is(p, '{'))
		return px_expected(p, "'{'");
	if (!ptx_lex_skip_braces(&p->lex))
		return px_syntax(p, at,
				 "the section is not closed, expected '}'");
	return px_next(p);
}

static bool parse_linkage(struct px_parser *p, enum ptx_linkage *out)
{
	*out = PTX_LINK_NONE;
	for (;;) {
		enum ptx_linkage l;

		switch (px_is(p, PTX_TOK_WORD) ? p->atom->word : 0) {
		case PX_VISIBLE:
			l = PTX_LINK_VISIBLE;
			break;
		case PX_EXTERN:
			l = PTX_LINK_EXTERN;
			break;
		case PX_WEAK:
			l = PTX_LINK_WEAK;
			break;
		case PX_COMMON:
			l = PTX_LINK_COMMON;
			break;
		default:
			return true;
		}
		if (*out)
			return px_expected(p, "a variable or a function after "
					      "the linkage");
		*out = l;
		if (!px_next(p))
			return false;
	}
}

static bool parse_declaration(struct px_parser *p)
{
	enum ptx_linkage l;

	if (!parse_linkage(p, &l))
		return false;
	if (px_is_word(p, PX_ENTRY) || px_is_word(p, PX_FUNC))
		return px_func(p, l);
	if (px_is_space(p))
		return px_var_statement(p, l);
	return px_expected(p, l ? "a variable or a function" :
				  "a directive, a variable or a function");
}

static bool parse_func_name(struct px_parser *p, struct ptx_func **out)
{
	struct ptx_loc at = p->t.loc;
	struct px_atom *atom = p->atom;
	struct px_sym *s = NULL;

	if (!px_is(p, PTX_TOK_NAME))
		return px_expected(p, "the name of a function");
	if (!px_next(p) || !px_lookup(p, &s, atom, at))
		return false;
	if (!s || s->kind != PX_SYM_FUNC || s->func->is_entry)
		return px_syntax(p, at,
				 "expected a .func that is declared before, "
				 "found '%s'",
				 atom->text);
	*out = s->func;
	return true;
}

static bool alias_params_match(struct ptx_var *const *a,
			       struct ptx_var *const *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i]->bytes != b[i]->bytes || a[i]->space != b[i]->space)
			return false;
	return true;
}

/* .alias name, function; */
static bool parse_alias(struct px_parser *p)
{
	struct ptx_loc at = p->t.loc;
	struct ptx_func *f, *to;

	if (!px_next(p) || !parse_func_name(p, &f) || !px_take(p, ',', "','") ||
	    !parse_func_name(p, &to))
		return false;
	if (f->has_body || f->alias)
		return px_syntax(p, at,
				 "'%s' is already defined, it cannot become an "
				 "alias",
				 f->name);
	if (!to->has_body || to->alias)
		return px_syntax(p, at,
				 "'%s' has no body, it cannot be aliased",
				 to->name);
	if (f->param_count != to->param_count ||
	    f->ret_count != to->ret_count ||
	    !alias_params_match(f->params, to->params, f->param_count) ||
	    !alias_params_match(f->rets, to->rets, f->ret_count))
		return px_syntax(p, at,
				 "'%s' and '%s' have different prototypes",
				 f->name, to->name);
	f->alias = to;
	return px_take(p, ';', "';'");
}

static bool parse_module_directive(struct px_parser *p)
{
	switch (px_is(p, PTX_TOK_WORD) ? p->atom->word : 0) {
	case PX_FILE:
		return parse_file(p);
	case PX_SECTION:
		return px_section(p);
	case PX_PRAGMA:
		return px_pragma(p, true, &p->m->rolled);
	case PX_ADDRESS_SIZE:
		return px_next(p) && parse_address_size(p);
	case PX_ALIAS:
		return parse_alias(p);
	}
	/* @@DWARF lines: the debug sections of old compilers */
	if (px_is(p, '@') && *p->lex.at == '@') {
		ptx_lex_skip_line(&p->lex);
		return px_next(p);
	}
	if (px_is(p, ';')) /* after the end of a variable or a function */
		return px_next(p);
	return parse_declaration(p);
}

bool px_module(struct px_parser *p)
{
	if (!parse_header(p))
		return false;
	while (!px_is(p, PTX_TOK_END))
		if (!parse_module_directive(p))
			return false;
	p->m->file_count = (uint32_t)p->file_count;
	p->m->pragma_count = (uint32_t)p->pragma_count;
	return px_names(p) &&
	       px_keep(p, &p->m->files, p->files, p->file_count,
		       sizeof(const char *)) &&
	       px_keep(p, &p->m->pragmas, p->pragmas, p->pragma_count,
		       sizeof(const char *));
}
