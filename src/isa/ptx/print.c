/*
 * Prints a module as PTX text. Reading the text gives the same module, and
 * printing that module gives the same text.
 */
#include "isa/ptx/print.h"
#include "isa/ptx/fold.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_params(struct px_out *o, struct ptx_var *const *v,
		       uint32_t count, const char *first, const char *between)
{
	for (uint32_t i = 0; i < count; i++) {
		px_put(o, "%s", i ? between : first);
		px_put_var(o, v[i], PTX_LINK_NONE);
	}
}

static void put_signature(struct px_out *o, const struct ptx_func *f)
{
	if (f->ret_count) {
		px_put(o, "(");
		put_params(o, f->rets, f->ret_count, "", ", ");
		px_put(o, ") ");
	}
	px_put(o, "%s(", f->name);
	put_params(o, f->params, f->param_count, "\n\t", ",\n\t");
	px_put(o, ")");
}

static void put_sizes(struct px_out *o, const char *name, const uint32_t *n)
{
	if (n[0])
		px_put(o, "\n%s %" PRIu32 ", %" PRIu32 ", %" PRIu32, name, n[0],
		       n[1], n[2]);
}

static void put_limit(struct px_out *o, const char *name, uint32_t n)
{
	if (n)
		px_put(o, "\n%s %" PRIu32, name, n);
}

static void put_head(struct px_out *o, const struct ptx_func *f)
{
	px_put(o, "%s%s ", px_linkages[f->linkage],
	       f->is_entry ? ".entry" : ".func");
	put_signature(o, f);
	if (f->limits.noreturn)
		px_put(o, " .noreturn");
}

static void put_limits(struct px_out *o, const struct ptx_func *f)
{
	put_sizes(o, ".maxntid", f->limits.maxntid);
	put_sizes(o, ".reqntid", f->limits.reqntid);
	put_limit(o, ".minnctapersm", f->limits.minnctapersm);
	put_limit(o, ".maxnctapersm", f->limits.maxnctapersm);
	put_limit(o, ".maxnreg", f->limits.maxnreg);
}

static void put_targets(struct px_out *o, const struct ptx_func *f,
			const struct ptx_targets *t)
{
	static const char *const names[] = {
		[PTX_TARGETS_BRANCH] = "branchtargets",
		[PTX_TARGETS_CALL] = "calltargets",
		[PTX_TARGETS_PROTO] = "callprototype",
	};

	px_put(o, "%s: .%s ", t->name, names[t->kind]);
	for (uint32_t i = 0; i < t->count; i++)
		px_put(o, "%s%s", i ? ", " : "",
		       t->kind == PTX_TARGETS_BRANCH ?
			       f->labels[t->labels[i]].name :
			       t->funcs[i]->name);
	if (t->proto) {
		put_signature(o, t->proto);
		if (t->proto->limits.noreturn)
			px_put(o, " .noreturn");
	}
	px_put(o, ";\n");
}

/* The line of the source that was printed last. */
struct put_place {
	uint32_t file, line;
};

static void put_line(struct px_out *o, const struct ptx_func *f,
		     const struct ptx_inst *in, const char *remark)
{
	px_put(o, "\t");
	px_put_inst(o, f, in);
	px_put(o, ";%s\n", remark);
}

/* A comment on the copies of an iteration that begin at instruction i. */
static void put_unrolled(struct px_out *o, const struct ptx_func *f, uint32_t i)
{
	for (uint32_t k = 0; k < f->unroll_count; k++)
		if (f->unrolls[k].first == i)
			px_put(o,
			       "\t// unrolled: %" PRIu32
			       " iterations at once\n",
			       f->unrolls[k].copies);
}

/* By label: whether something jumps to it as the function is executed; branches
 * to the others have become guards (predicate.h). NULL: print all of them. */
static bool *find_targets(const struct ptx_func *f)
{
	bool *used = f->text ? calloc(f->label_count + 1, sizeof(bool)) : NULL;

	for (uint32_t i = 0; used && i < f->inst_count; i++)
		for (uint32_t k = 0; k < f->insts[i].opnd_count; k++)
			if (f->insts[i].opnds[k].kind == PTX_OPND_LABEL)
				used[f->insts[i].opnds[k].label] = true;
	for (uint32_t t = 0; used && t < f->target_count; t++)
		for (uint32_t k = 0;
		     f->targets[t].labels && k < f->targets[t].count; k++)
			used[f->targets[t].labels[k]] = true;
	return used;
}

static void put_location(struct px_out *o, const struct ptx_inst *in,
			 struct put_place *at)
{
	if (in->src_file != at->file || in->src_line != at->line)
		px_put(o, "\t.loc %" PRIu32 " %" PRIu32 " 0\n", in->src_file,
		       in->src_line);
	at->file = in->src_file;
	at->line = in->src_line;
}

/* The labels by the instruction that they stand before: at[i] is the first one of
 * those before instruction i, plus 1, next[k] the one behind label k. */
struct put_labels {
	const struct ptx_label *label;
	uint32_t *at, *next;
};

static bool find_labels(struct put_labels *to, const struct ptx_label *labels,
			uint32_t count, uint32_t insts)
{
	*to = (struct put_labels){
		.label = labels,
		.at = calloc((size_t)insts + 1, sizeof(uint32_t)),
		.next = calloc((size_t)count + 1, sizeof(uint32_t)),
	};
	for (uint32_t k = count; to->at && to->next && k-- > 0;) {
		to->next[k] = to->at[labels[k].inst];
		to->at[labels[k].inst] = k + 1;
	}
	return to->at && to->next;
}

static void put_labels(struct px_out *o, const struct put_labels *l, uint32_t i,
		       const bool *used)
{
	for (uint32_t k = l->at[i]; k; k = l->next[k - 1])
		if (!used || used[k - 1])
			px_put(o, "%s:\n", l->label[k - 1].name);
}

static void put_in_order(struct px_out *o, const struct ptx_func *f,
			 const struct put_labels *labels)
{
	const struct ptx_inst *insts = f->text ? f->text : f->insts;
	uint32_t n = f->copy ? f->text_count : f->inst_count;
	struct put_place at = { 0, 0 };

	for (uint32_t i = 0; i < n; i++) {
		put_labels(o, labels, i, NULL);
		put_location(o, &insts[i], &at);
		put_line(o, f, &insts[i], "");
	}
	put_labels(o, labels, n, NULL);
}

/* What is said behind an instruction. */
static const char *fold_remark(enum ptx_fold fold)
{
	switch (fold) {
	case FOLD_AWAY:
		return " // folded";
	case FOLD_MERGED:
		return " // merged";
	case FOLD_WIDE_8:
		return " // loads 8 bytes";
	case FOLD_WIDE_16:
		return " // loads 16 bytes";
	case FOLD_COMBINED:
	case FOLD_COMBINED_RESULT:
	case FOLD_REDUCED:
		return " // one lane for all";
	case FOLD_COUNTED:
		return " // counts lanes";
	case FOLD_SCANNED:
		return " // one lane for a whole warp";
	default:
		return "";
	}
}

/* The copies of iterations are left out, but for a comment. A jump that is not in
 * the text takes no time. */
static void put_executed(struct px_out *o, const struct ptx_func *f,
			 const struct put_labels *labels)
{
	bool *used = find_targets(f);
	struct put_place at = { 0, 0 };

	for (uint32_t i = 0; i < f->inst_count; i++) {
		const struct ptx_inst *in = &f->insts[i];
		uint32_t copy = f->copy ? f->copy[i] : 0;
		bool added = copy == PTX_COPY_EXIT && in->guard == PTX_NO_REG;

		put_labels(o, labels, i, used);
		if (copy)
			put_unrolled(o, f, i);
		if (copy && !added)
			continue;
		put_location(o, in, &at);
		put_line(o, f, in,
			 added   ? fold_remark(FOLD_AWAY) :
			 f->fold ? fold_remark((enum ptx_fold)f->fold[i]) :
				   "");
	}
	put_labels(o, labels, f->inst_count, used);
	free(used);
}

static void put_code(struct px_out *o, const struct ptx_func *f)
{
	struct put_labels labels;
	bool moved = f->copy && !o->executed;

	if (!find_labels(&labels, moved ? f->text_labels : f->labels,
			 moved ? f->text_label_count : ptx_text_labels(f),
			 moved ? f->text_count : f->inst_count))
		o->nomem = true;
	else if (o->executed)
		put_executed(o, f, &labels);
	else
		put_in_order(o, f, &labels);
	free(labels.at);
	free(labels.next);
}

/* The body is gone. What refused the function is printed, so that the reader
 * refuses it again. */
static void put_refused(struct px_out *o, const struct ptx_func *f)
{
	if (f->refused_for[0] == '.')
		px_put(o, " %s\n{\n}\n", f->refused_for);
	else
		px_put(o, "\n{\n\t%s; // refused, with the whole body\n}\n",
		       f->refused_for);
}

static void put_definition(struct px_out *o, const struct px_names *names,
			   const struct ptx_func *f)
{
	px_put(o, "\n");
	put_head(o, f);
	put_limits(o, f);
	if (f->refused) {
		put_refused(o, f);
		return;
	}
	px_put(o, "\n{\n");
	px_put_regs(o, names, f);
	for (uint32_t i = 0; i < f->var_count; i++) {
		px_put(o, "\t");
		px_put_var(o, f->vars[i], f->vars[i]->linkage);
		px_put_init(o, f->vars[i]);
		px_put(o, ";\n");
	}
	for (uint32_t i = 0; i < f->target_count; i++)
		put_targets(o, f, &f->targets[i]);
	put_code(o, f);
	px_put(o, "}\n");
}

static bool has_later_func(const struct ptx_opnd *p, int n, uint32_t index)
{
	for (int i = 0; i < n; i++)
		if ((p[i].kind == PTX_OPND_FUNC && p[i].func->index > index) ||
		    (p[i].elems &&
		     has_later_func(p[i].elems, p[i].count, index)))
			return true;
	return false;
}

static bool names_func(const struct ptx_var *v)
{
	for (const struct ptx_reloc *r = v->relocs; r; r = r->next)
		if (r->func)
			return true;
	return false;
}

static bool func_looks_ahead(const struct ptx_func *f)
{
	for (uint32_t i = 0; i < f->inst_count; i++)
		if (has_later_func(f->insts[i].opnds, f->insts[i].opnd_count,
				   f->index))
			return true;
	for (uint32_t i = 0; i < f->target_count; i++)
		for (uint32_t j = 0;
		     f->targets[i].funcs && j < f->targets[i].count; j++)
			if (f->targets[i].funcs[j]->index > f->index)
				return true;
	for (uint32_t i = 0; i < f->var_count; i++)
		if (names_func(f->vars[i]))
			return true;
	return false;
}

/* Whether variables or bodies refer to functions that are defined later. */
static bool needs_declarations(const struct ptx_module *m)
{
	for (const struct ptx_var *v = m->vars; v; v = v->next)
		if (names_func(v))
			return true;
	for (const struct ptx_func *f = m->funcs; f; f = f->next)
		if (func_looks_ahead(f))
			return true;
	return false;
}

static bool needs_externs(const struct ptx_module *m)
{
	for (const struct ptx_var *v = m->vars; v; v = v->next)
		for (const struct ptx_reloc *r = v->relocs; r; r = r->next)
			if (r->var && r->var->index > v->index)
				return true;
	return false;
}

static void put_header(struct px_out *o, const struct ptx_module *m)
{
	px_put(o, ".version %" PRIu32 ".%" PRIu32 "\n", m->version_major,
	       m->version_minor);
	px_put(o, ".target %s\n.address_size %" PRIu32 "\n", m->target,
	       m->address_size);
	for (uint32_t i = 0; i < m->file_count; i++)
		if (m->files[i])
			px_put(o, ".file %" PRIu32 " \"%s\"\n", i, m->files[i]);
	for (uint32_t i = 0; i < m->pragma_count; i++)
		px_put(o, ".pragma \"%s\";\n", m->pragmas[i]);
}

static void put_vars(struct px_out *o, const struct ptx_module *m)
{
	bool externs = needs_externs(m);

	for (const struct ptx_var *v = m->vars; v && externs; v = v->next) {
		px_put_var(o, v, PTX_LINK_EXTERN);
		px_put(o, ";\n");
	}
	for (const struct ptx_var *v = m->vars; v; v = v->next) {
		if (externs && v->linkage == PTX_LINK_EXTERN)
			continue;
		px_put_var(o, v, v->linkage);
		px_put_init(o, v);
		px_put(o, ";\n");
	}
}

static char *print_module(const struct ptx_module *m, bool executed)
{
	struct px_out o = { .executed = executed };
	struct px_names names;
	bool declare = needs_declarations(m);

	if (!px_module_names(&names, m))
		return NULL;
	put_header(&o, m);
	for (const struct ptx_func *f = m->funcs; f && declare; f = f->next) {
		put_head(&o, f);
		px_put(&o, ";\n");
	}
	put_vars(&o, m);
	for (const struct ptx_func *f = m->funcs; f; f = f->next) {
		if (f->has_body) {
			put_definition(&o, &names, f);
		} else if (!declare) {
			put_head(&o, f);
			px_put(&o, ";\n");
		}
	}
	for (const struct ptx_func *f = m->funcs; f; f = f->next)
		if (f->alias)
			px_put(&o, ".alias %s, %s;\n", f->name, f->alias->name);
	free(names.name);
	if (o.nomem) {
		free(o.text);
		return NULL;
	}
	return o.text;
}

char *ptx_print(const struct ptx_module *m)
{
	return print_module(m, false);
}

char *ptx_print_executed(const struct ptx_module *m)
{
	return print_module(m, true);
}
