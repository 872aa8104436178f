#include "simt/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simt/block.h"
#include "simt/heap.h"
#include "simt/mem.h"
#include "simt/view.h"

/* Argument i of lane l, from the caller's frame. */
static uint64_t service_argument(const struct warp *w,
				 const struct call_info *call, uint32_t i,
				 uint32_t bytes, int l)
{
	const char *lane = w->local + (uint64_t)l * w->local_size;
	uint64_t v = 0;

	memcpy(&v, lane + w->frame->local_base + call->arg_local[i], bytes);
	return v;
}

static void service_result(struct warp *w, const struct call_info *call,
			   uint64_t v, uint32_t bytes, int l)
{
	char *lane = w->local + (uint64_t)l * w->local_size;

	if (call->ret_count)
		memcpy(lane + w->frame->local_base + call->rets[0].to, &v,
		       bytes);
}

/* Host address of guest bytes at a generic address of one lane, or NULL. *max:
 * how many bytes may be read from there. */
static const char *guest_bytes(struct warp *w, uint64_t at, int l,
			       uint64_t *max)
{
	const struct block *b = w->block;
	const struct range *r;
	uint64_t off;

	switch (window_of(at)) {
	case SPACE_LOCAL:
		off = at - WINDOW_LOCAL;
		if (off >= w->local_size)
			return NULL;
		*max = w->local_size - off;
		return w->local + (uint64_t)l * w->local_size + off;
	case SPACE_SHARED:
		off = at - WINDOW_SHARED;
		if (off >= b->shared_bytes)
			return NULL;
		*max = b->shared_bytes - off;
		return b->shared + off;
	default:
		r = gmem_find(b->launch->machine->gmem, at, 1);
		if (!r)
			return NULL;
		*max = r->size - (at - r->base);
		return r->host + (at - r->base);
	}
}

/* Copies a guest string, truncated to fit. False: it cannot be read. */
static bool guest_string(struct warp *w, uint64_t at, int l, char *out,
			 size_t size)
{
	uint64_t max = 0;
	const char *p = guest_bytes(w, at, l, &max);
	size_t i;

	if (!p)
		return false;
	for (i = 0; i + 1 < size && i < max && p[i]; i++)
		out[i] = p[i];
	out[i] = 0;
	return true;
}

/* One conversion of a format, such as "%-08.3lld". */
struct conversion {
	char spec[40]; /* for the host's printf, without length and letter */
	char letter;
	int longs; /* 0, 1: l, 2: ll */
	int stars; /* number of '*' */
};

static const char *read_conversion(const char *p, struct conversion *c)
{
	size_t n = 0;

	memset(c, 0, sizeof(*c));
	c->spec[n++] = '%';
	for (; *p && strchr("-+ #0123456789.*", *p); p++) {
		c->stars += *p == '*';
		if (n < sizeof(c->spec) - 8)
			c->spec[n++] = *p;
	}
	for (; *p && strchr("hlLqjzt", *p); p++)
		c->longs += *p == 'l' || *p == 'q' || *p == 'j' || *p == 'z' ||
			    *p == 't';
	c->letter = *p;
	return *p ? p + 1 : p;
}

/* The argument buffer of vprintf: values at their natural alignment. */
struct args {
	const char *p;
	uint64_t at, max;
};

static uint64_t next_arg(struct args *a, uint32_t bytes)
{
	uint64_t v = 0;

	a->at = (a->at + bytes - 1) & ~(uint64_t)(bytes - 1);
	if (a->p && a->at + bytes <= a->max)
		memcpy(&v, a->p + a->at, bytes);
	a->at += bytes;
	return v;
}

static int format_one(struct warp *w, int l, struct conversion *c,
		      struct args *a, char *out, size_t size)
{
	size_t n = strlen(c->spec);
	char text[1024];
	double d;
	uint64_t v;

	switch (c->letter) {
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		v = next_arg(a, c->longs ? 8 : 4);
		if (!c->longs && strchr("di", c->letter))
			v = (uint64_t)(int64_t)(int32_t)v;
		snprintf(c->spec + n, 8, "ll%c", c->letter);
		return snprintf(out, size, c->spec, (long long)v);
	case 'c':
		snprintf(c->spec + n, 8, "c");
		return snprintf(out, size, c->spec, (int)next_arg(a, 4));
	case 'p':
		snprintf(c->spec + n, 8, "p");
		return snprintf(out, size, c->spec,
				(void *)(uintptr_t)next_arg(a, 8));
	case 's':
		if (!guest_string(w, next_arg(a, 8), l, text, sizeof(text)))
			snprintf(text, sizeof(text), "(null)");
		snprintf(c->spec + n, 8, "s");
		return snprintf(out, size, c->spec, text);
	case '%':
		return snprintf(out, size, "%%");
	case 0: /* the format ends in the middle of a conversion */
		return snprintf(out, size, "%%");
	default:
		if (!strchr("eEfFgGaA", c->letter))
			return snprintf(out, size, "%%%c", c->letter);
		v = next_arg(a, 8);
		memcpy(&d, &v, 8);
		snprintf(c->spec + n, 8, "%c", c->letter);
		return snprintf(out, size, c->spec, d);
	}
}

/* Replaces each '*' by its width or precision from the arguments. */
static void fill_stars(struct conversion *c, struct args *a)
{
	char out[sizeof(c->spec)];
	size_t n = 0;

	for (const char *p = c->spec; *p && n + 12 < sizeof(out); p++) {
		int value = *p == '*' ? (int)next_arg(a, 4) % 1000 : 0;

		if (*p != '*')
			out[n++] = *p;
		else if (value < 0 && n && out[n - 1] == '.')
			n--; /* a negative precision is none */
		else
			n += (size_t)snprintf(out + n, 12, "%d", value);
	}
	out[n] = 0;
	memcpy(c->spec, out, n + 1);
}

static int print_lane(struct warp *w, int l, const char *format, struct args *a)
{
	char out[2048];
	int count = 0;

	for (const char *p = format; *p;) {
		const char *percent = strchr(p, '%');
		size_t plain = percent ? (size_t)(percent - p) : strlen(p);
		struct conversion c;
		int n;

		block_print(w->block, p, plain);
		if (!percent)
			break;
		p = read_conversion(percent + 1, &c);
		if (c.stars)
			fill_stars(&c, a);
		n = format_one(w, l, &c, a, out, sizeof(out));
		n = n < 0                 ? 0 :
		    n >= (int)sizeof(out) ? (int)sizeof(out) - 1 :
					    n;
		block_print(w->block, out, (size_t)n);
		count += c.letter && c.letter != '%';
	}
	return count;
}

static void run_vprintf(struct warp *w, const struct inst *in,
			const struct call_info *call)
{
	(void)in;
	for (int l = 0; l < LANES; l++) {
		struct args a = { 0 };
		char format[4096];
		int n = -1;

		if (!(w->mask >> l & 1))
			continue;
		a.p = guest_bytes(w, service_argument(w, call, 1, 8, l), l,
				  &a.max);
		if (guest_string(w, service_argument(w, call, 0, 8, l), l,
				 format, sizeof(format)))
			n = print_lane(w, l, format, &a);
		service_result(w, call, (uint64_t)(int64_t)n, 4, l);
	}
}

struct assertion {
	char message[160], file[160], function[80];
	uint32_t line;
};

/* Arguments: message, file, line, function, size of a character. */
static void read_assertion(struct assertion *a, struct warp *w,
			   const struct call_info *call, int l)
{
	if (!guest_string(w, service_argument(w, call, 0, 8, l), l, a->message,
			  sizeof(a->message)))
		a->message[0] = 0;
	if (!guest_string(w, service_argument(w, call, 1, 8, l), l, a->file,
			  sizeof(a->file)))
		a->file[0] = 0;
	a->line = (uint32_t)service_argument(w, call, 2, 4, l);
	if (!guest_string(w, service_argument(w, call, 3, 8, l), l, a->function,
			  sizeof(a->function)))
		a->function[0] = 0;
}

static void run_assertfail(struct warp *w, const struct inst *in,
			   const struct call_info *call)
{
	const uint32_t *dim = w->block->launch->block;
	const uint32_t *at = w->block->ctaid;
	struct assertion a;
	char text[640];

	for (int l = 0; l < LANES; l++) {
		uint32_t t = w->id * LANES + (uint32_t)l;
		int n;

		if (!(w->mask >> l & 1))
			continue;
		read_assertion(&a, w, call, l);
		n = snprintf(text, sizeof(text),
			     "%s:%u: %s: block: [%u,%u,%u], thread: "
			     "[%u,%u,%u] Assertion `%s` failed.\n",
			     a.file, a.line, a.function, at[0], at[1], at[2],
			     t % dim[0], t / dim[0] % dim[1],
			     t / dim[0] / dim[1], a.message);
		if (n > 0)
			block_print(w->block, text,
				    n < (int)sizeof(text) ? (size_t)n :
							    sizeof(text) - 1);
	}
	read_assertion(&a, w, call, (int)lanes_first(w->mask));
	warp_fault(w, in, FAULT_ASSERT, w->mask, 0,
		   "assertion `%s` failed at %s:%u", a.message, a.file, a.line);
}

static void service_malloc(struct warp *w, const struct call_info *call)
{
	struct heap *h = w->block->launch->machine->heap;

	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1)
			service_result(w, call,
				       heap_take(h, service_argument(w, call, 0,
								     8, l)),
				       8, l);
}

static void service_free(struct warp *w, const struct inst *in,
			 const struct call_info *call)
{
	for (int l = 0; l < LANES; l++) {
		uint64_t at;

		if (!(w->mask >> l & 1))
			continue;
		at = service_argument(w, call, 0, 8, l);
		if (at && !heap_give(w->block->launch->machine->heap, at)) {
			warp_fault(w, in, FAULT_ADDRESS, lane_bit((unsigned)l),
				   at,
				   "free of 0x%" PRIx64
				   ", which malloc did not return",
				   at);
			return;
		}
	}
}

static void service_perform(struct warp *w, const struct inst *in,
			    const struct call_info *call)
{
	if (call->service->ret)
		service_malloc(w, call);
	else
		service_free(w, in, call);
}

/* malloc and free. If time is modelled, they wait for the end of the epoch. */
static void run_heap(struct warp *w, const struct inst *in,
		     const struct call_info *call)
{
	struct view *v = warp_view(w);

	if (!v) {
		service_perform(w, in, call);
		return;
	}
	CHECK(v->heap_count < VIEW_WARPS);
	v->heap[v->heap_count++] = (struct heap_call){
		.warp = w, .in = in, .mask = w->mask, .cycle = v->now
	};
	w->effect->calls_heap = true;
}

void heap_call_perform(const struct heap_call *c)
{
	struct warp *w = c->warp;

	w->mask = c->mask;
	w->worker->view->now = c->cycle; /* the time of a fault, if any */
	service_perform(w, c->in, c->in->x);
}

static const struct service services[] = {
	{ "vprintf", 2, { 8, 8 }, 4, false, true, run_vprintf },
	{ "__assertfail", 5, { 8, 8, 4, 8, 8 }, 0, false, false, run_assertfail },
	{ "malloc", 1, { 8 }, 8, true, true, run_heap },
	{ "free", 1, { 8 }, 0, true, true, run_heap },
};

const struct service *service_find(const char *name)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++)
		if (!strcmp(services[i].name, name))
			return &services[i];
	return NULL;
}
