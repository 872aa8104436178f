#include "page.h"

enum err study_show(struct study_page *p, const char *caption, struct diag *d)
{
	enum err e;

	html(p->out.page,
	     "<figure class=\"plot\"><figcaption>%s</figcaption>\n", caption);
	e = plots_inline(&p->plots, p->shown++, p->out.page, caption, d);
	html(p->out.page, "</figure>\n");
	return e;
}

struct study_form {
	const struct study *s;
	const struct html_page *page;
	const struct study_part *const *parts;
};

static enum err write_parts(struct study_page *p, const struct study_form *f,
			    struct diag *d)
{
	const struct study_part *const *part;

	for (part = f->parts; *part; part++)
		if ((*part)->plot(p, f->s, d))
			return d->code;
	if (plots_draw(&p->plots, d))
		return d->code;
	html_open(p->out.page, f->page);
	fprintf(p->out.text, "# %s\n\n%s.\n", f->page->title,
		f->page->subtitle);
	for (part = f->parts; *part; part++)
		if ((*part)->write(p, f->s, d))
			return d->code;
	html_close(p->out.page, f->page);
	return ERR_OK;
}

static enum err write_page(const struct study_out *o, const void *form,
			   struct diag *d)
{
	struct study_page p = { .out = *o };
	enum err e = plots_begin(&p.plots, false, d);

	if (!e)
		e = write_parts(&p, form, d);
	plots_end(&p.plots);
	return e;
}

enum err study_write(const struct study *s, const char *folder,
		     const struct html_page *page,
		     const struct study_part *const *parts, struct diag *d)
{
	struct study_form f = { s, page, parts };

	return out_files(folder, write_page, &f, d);
}
