#include "simt/service.h"

#include <inttypes.h>
#include <stdarg.h>
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

	if (call->in_registers) {
		const uint32_t *reg = slot_at(w, call->arg_reg[i]);

		v = reg[l];
		return bytes > 4 ? v | (uint64_t)reg[LANES + l] << 32 : v;
	}
	memcpy(&v, lane + w->frame->local_base + call->arg_local[i], bytes);
	return v;
}

static void service_result(struct warp *w, const struct call_info *call,
			   uint64_t v, uint32_t bytes, int l)
{
	char *lane = w->local + (uint64_t)l * w->local_size;

	if (call->in_registers) {
		uint32_t *reg = slot_at(w, call->ret_reg);

		reg[l] = (uint32_t)v;
		if (bytes > 4)
			reg[LANES + l] = (uint32_t)(v >> 32);
		return;
	}
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
		off = at - window_start(SPACE_SHARED, at);
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

/* A guest's string in place, which ends with its memory if no 0 does. NULL: it
 * cannot be read. */
static const char *guest_text(struct warp *w, uint64_t at, int l, size_t *size)
{
	uint64_t max = 0;
	const char *p = guest_bytes(w, at, l, &max);

	*size = p ? strnlen(p, (size_t)max) : 0;
	return p;
}

/* The argument buffer of vprintf: values at their natural alignment. */
struct args {
	const char *p;
	uint64_t at, max;
	int count; /* taken so far */
};

static uint64_t next_arg(struct args *a, uint32_t bytes)
{
	uint64_t v = 0;

	a->at = (a->at + bytes - 1) & ~(uint64_t)(bytes - 1);
	if (a->p && a->at + bytes <= a->max)
		memcpy(&v, a->p + a->at, bytes);
	a->at += bytes;
	a->count++;
	return v;
}

/* A GPU pads to any width. A conversion wider than this, the size of CUDA's
 * buffer for printf, is printed as it is written, not carried out. */
enum { MAX_WIDTH = 1 << 20 };

/* One conversion of a format, such as "%-08.3lld". */
struct conversion {
	char flags[6];        /* each of "-+ #0" at most once */
	int width, precision; /* as for '*' of the host's printf: -1 is none */
	int longs;            /* 0, 1: l, 2: ll */
	int shorts;           /* 0, 1: h, 2: hh */
	char letter;          /* 0: the format ended */
};

static const char *read_flags(const char *p, const char *end,
			      struct conversion *c)
{
	for (; p < end && *p && strchr("-+ #0", *p); p++)
		if (!strchr(c->flags, *p))
			c->flags[strlen(c->flags)] = *p;
	return p;
}

/* A width or precision: '*' takes it from the arguments. The value saturates
 * where it is too wide. */
static const char *read_width(const char *p, const char *end, struct args *a,
			      int *out)
{
	int n = 0;

	if (p < end && *p == '*') {
		n = (int)(int32_t)next_arg(a, 4);
		*out = n < -MAX_WIDTH ? -MAX_WIDTH - 1 : n;
		return p + 1;
	}
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (n <= MAX_WIDTH)
			n = 10 * n + (*p - '0');
	*out = n;
	return p;
}

/* Reads what follows a '%'; returns what follows the conversion. */
static const char *read_conversion(const char *p, const char *end,
				   struct conversion *c, struct args *a)
{
	*c = (struct conversion){ .precision = -1 };
	p = read_flags(p, end, c);
	p = read_width(p, end, a, &c->width);
	if (p < end && *p == '.')
		p = read_width(p + 1, end, a, &c->precision);
	for (; p < end && *p && strchr("hlLqjzt", *p); p++) {
		c->shorts += *p == 'h';
		c->longs += *p == 'l' || *p == 'q' || *p == 'j' || *p == 'z' ||
			    *p == 't';
	}
	c->letter = p < end ? *p : 0;
	return p < end ? p + 1 : p;
}

static bool too_wide(const struct conversion *c)
{
	return c->width > MAX_WIDTH || c->width < -MAX_WIDTH ||
	       (c->letter != 's' && c->precision > MAX_WIDTH);
}

/* Prints text of any length as the block's. */
static void print_formatted(struct block *b, const char *format, ...)
{
	char small[256], *text = small;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(small, sizeof(small), format, args);
	va_end(args);
	if (n >= (int)sizeof(small)) {
		text = malloc((size_t)n + 1);
		if (!text)
			return; /* as block_print */
		va_start(args, format);
		n = vsnprintf(text, (size_t)n + 1, format, args);
		va_end(args);
	}
	if (n > 0)
		block_print(b, text, (size_t)n);
	if (text != small)
		free(text);
}

static void print_string(struct block *b, const struct conversion *c,
			 const char *text, size_t size)
{
	bool left = c->width < 0 || strchr(c->flags, '-');
	size_t width = (size_t)abs(c->width);
	int pad;

	if (c->precision >= 0 && (size_t)c->precision < size)
		size = (size_t)c->precision;
	pad = width > size ? (int)(width - size) : 0;
	print_formatted(b, "%*s", left ? 0 : pad, "");
	block_print(b, text, size);
	print_formatted(b, "%*s", left ? pad : 0, "");
}

static void print_guest_string(struct warp *w, int l,
			       const struct conversion *c, uint64_t at)
{
	size_t size;
	const char *text = guest_text(w, at, l, &size);

	print_string(w->block, c, text ? text : "(null)", text ? size : 6);
}

/* The value of an integer argument, as wide as the conversion says. */
static uint64_t converted(const struct conversion *c, uint64_t v)
{
	bool is_signed = strchr("di", c->letter);

	if (c->longs)
		return v;
	if (c->shorts == 1)
		return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	if (c->shorts)
		return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	return is_signed ? (uint64_t)(int32_t)v : v;
}

/* Prints the next argument as the host's printf does. False: there is no such
 * conversion, or it is too wide; its argument is taken, if there is one. */
static bool print_argument(struct warp *w, int l, const struct conversion *c,
			   struct args *a)
{
	bool fp = c->letter && strchr("eEfFgGaA", c->letter);
	bool integer = c->letter && strchr("diuxXo", c->letter);
	char spec[24];
	uint64_t v;
	double d;

	if (!fp && !integer && (!c->letter || !strchr("cps", c->letter)))
		return false;
	v = next_arg(a, fp || (integer && c->longs) || strchr("ps", c->letter) ?
				8 :
				4);
	if (too_wide(c))
		return false;
	snprintf(spec, sizeof(spec), "%%%s*.*%s%c", c->flags,
		 integer ? "ll" : "", c->letter);
	if (c->letter == 's') {
		print_guest_string(w, l, c, v);
	} else if (fp) {
		memcpy(&d, &v, 8);
		print_formatted(w->block, spec, c->width, c->precision, d);
	} else if (integer) {
		print_formatted(w->block, spec, c->width, c->precision,
				(long long)converted(c, v));
	} else if (c->letter == 'c') {
		print_formatted(w->block, spec, c->width, c->precision, (int)v);
	} else {
		print_formatted(w->block, spec, c->width, c->precision,
				(void *)(uintptr_t)v);
	}
	return true;
}

/* Returns the number of arguments taken, as a GPU does. */
static int print_lane(struct warp *w, int l, const char *p, size_t size,
		      struct args *a)
{
	const char *end = p + size;

	while (p < end) {
		const char *percent = memchr(p, '%', (size_t)(end - p));
		struct conversion c;

		block_print(w->block, p,
			    (size_t)((percent ? percent : end) - p));
		if (!percent)
			break;
		p = read_conversion(percent + 1, end, &c, a);
		if (c.letter == '%' && p == percent + 2)
			block_print(w->block, "%", 1);
		else if (!print_argument(w, l, &c, a))
			block_print(w->block, percent, (size_t)(p - percent));
	}
	return a->count;
}

static void run_vprintf(struct warp *w, const struct inst *in,
			const struct call_info *call)
{
	(void)in;
	service_note(w->effect, call->service, w->mask);
	for (int l = 0; l < LANES; l++) {
		struct args a = { 0 };
		const char *format;
		size_t size;
		int n = -1;

		if (!(w->mask >> l & 1))
			continue;
		a.p = guest_bytes(w, service_argument(w, call, 1, 8, l), l,
				  &a.max);
		format = guest_text(w, service_argument(w, call, 0, 8, l), l,
				    &size);
		if (format)
			n = print_lane(w, l, format, size, &a);
		service_result(w, call, (uint64_t)(int64_t)n, 4, l);
	}
}

/* A string of a failed assertion. The line that is printed shows ASSERT_PRINTED
 * characters of each, more than compilers make of an expression or a name; the
 * fault's text ASSERT_NAMED. */
enum { ASSERT_PRINTED = 1 << 16, ASSERT_NAMED = 600 };

struct assert_string {
	const char *text;
	size_t size;
};

static struct assert_string
assert_string(struct warp *w, const struct call_info *call, uint32_t i, int l)
{
	struct assert_string s;

	s.text = guest_text(w, service_argument(w, call, i, 8, l), l, &s.size);
	if (!s.text)
		s.text = "";
	return s;
}

/* For "%.*s%s": how many characters to show of at most `max`, and what to add
 * where it is cut. */
#define ASSERT_CUT(s, max)                                    \
	(int)((s).size > (max) ? (max) : (s).size), (s).text, \
		(s).size > (max) ? "..." : ""

/* Arguments: message, file, line, function, size of a character. */
struct assertion {
	struct assert_string message, file, function;
	uint32_t line;
};

static struct assertion read_assertion(struct warp *w,
				       const struct call_info *call, int l)
{
	return (struct assertion){
		.message = assert_string(w, call, 0, l),
		.file = assert_string(w, call, 1, l),
		.line = (uint32_t)service_argument(w, call, 2, 4, l),
		.function = assert_string(w, call, 3, l),
	};
}

static void run_assertfail(struct warp *w, const struct inst *in,
			   const struct call_info *call)
{
	const uint32_t *dim = w->block->launch->block;
	const uint32_t *at = w->block->ctaid;
	struct assertion a;

	for (int l = 0; l < LANES; l++) {
		uint32_t t = w->id * LANES + (uint32_t)l;

		if (!(w->mask >> l & 1))
			continue;
		a = read_assertion(w, call, l);
		print_formatted(w->block,
				"%.*s%s:%u: %.*s%s: block: [%u,%u,%u], thread: "
				"[%u,%u,%u] Assertion `%.*s%s` failed.\n",
				ASSERT_CUT(a.file, ASSERT_PRINTED), a.line,
				ASSERT_CUT(a.function, ASSERT_PRINTED), at[0],
				at[1], at[2], t % dim[0], t / dim[0] % dim[1],
				t / dim[0] / dim[1],
				ASSERT_CUT(a.message, ASSERT_PRINTED));
	}
	a = read_assertion(w, call, (int)lanes_first(w->mask));
	warp_fault(w, in, FAULT_ASSERT, w->mask, 0,
		   "assertion `%.*s%s` failed at %.*s%s:%u",
		   ASSERT_CUT(a.message, ASSERT_NAMED),
		   ASSERT_CUT(a.file, ASSERT_NAMED / 3), a.line);
}

/* These set bytes[l] to the size of what lane l allocates or frees; 0: nothing. */
static void service_malloc(struct warp *w, const struct call_info *call,
			   uint64_t bytes[LANES])
{
	struct heap *h = w->block->launch->machine->heap;

	for (int l = 0; l < LANES; l++) {
		uint64_t at;

		if (!(w->mask >> l & 1))
			continue;
		bytes[l] = service_argument(w, call, 0, 8, l);
		at = heap_take(h, bytes[l]);
		if (!at)
			bytes[l] = 0;
		service_result(w, call, at, 8, l);
	}
}

static void service_free(struct warp *w, const struct inst *in,
			 const struct call_info *call, uint64_t bytes[LANES])
{
	for (int l = 0; l < LANES; l++) {
		uint64_t at;

		if (!(w->mask >> l & 1))
			continue;
		at = service_argument(w, call, 0, 8, l);
		if (!at)
			continue;
		bytes[l] = heap_give(w->block->launch->machine->heap, at);
		if (!bytes[l]) {
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
			    const struct call_info *call, uint64_t bytes[LANES])
{
	if (call->service->kind == SERVICE_MALLOC)
		service_malloc(w, call, bytes);
	else
		service_free(w, in, call, bytes);
}

/* Notes what malloc is asked for, or free gives back, if the launch is recorded. It
 * does so now: the facts of a warp are in the order of its instructions. */
static void record_sizes(struct warp *w, const struct inst *in,
			 const struct call_info *call)
{
	const struct launch *launch = w->block->launch;
	uint64_t bytes[LANES] = { 0 };

	if (!launch->hooks || !launch->hooks->sizes)
		return;
	for (lanes_t left = w->mask; left; left &= left - 1) {
		unsigned l = lanes_first(left);
		uint64_t v = service_argument(w, call, 0, 8, (int)l);

		bytes[l] = call->service->kind == SERVICE_MALLOC ?
				   v :
				   heap_size(launch->machine->heap, v);
	}
	(void)launch->hooks->sizes(w, in, bytes);
}

void service_replay(struct warp *w, const struct inst *in,
		    const struct service *s)
{
	service_note(w->effect, s, w->mask);
	if (service_uses_heap(s))
		(void)w->block->launch->hooks->sizes(w, in, w->effect->addr);
	if (!s->returns)
		warp_fault(w, in, FAULT_ASSERT, w->mask, 0,
			   "an assertion failed");
}

/* malloc and free. If time is modelled, they wait for the end of the epoch. */
static void run_heap(struct warp *w, const struct inst *in,
		     const struct call_info *call)
{
	struct view *v = warp_view(w);
	uint64_t bytes[LANES];

	service_note(w->effect, call->service, w->mask);
	record_sizes(w, in, call);
	if (!v) {
		service_perform(w, in, call, bytes);
		return;
	}
	CHECK(v->call_count < VIEW_WARPS);
	v->calls[v->call_count++] = (struct service_call){ .warp = w,
							   .in = in,
							   .call = call,
							   .mask = w->mask,
							   .cycle = v->now };
}

void service_call_perform(const struct service_call *c, uint64_t bytes[LANES])
{
	struct warp *w = c->warp;

	if (!c->call) {
		memcpy(bytes, c->bytes, sizeof(c->bytes));
		return;
	}
	memset(bytes, 0, sizeof(c->bytes));
	w->mask = c->mask;
	w->worker->view->now = c->cycle; /* the time of a fault, if any */
	service_perform(w, c->in, c->call, bytes);
}

static const struct service services[] = {
	{ "vprintf", 2, { 8, 8 }, 4, SERVICE_PRINT, true, run_vprintf },
	{ "__assertfail",
	  5,
	  { 8, 8, 4, 8, 8 },
	  0,
	  SERVICE_NONE,
	  false,
	  run_assertfail },
	{ "malloc", 1, { 8 }, 8, SERVICE_MALLOC, true, run_heap },
	{ "free", 1, { 8 }, 0, SERVICE_FREE, true, run_heap },
};

const struct service *service_find(const char *name)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++)
		if (!strcmp(services[i].name, name))
			return &services[i];
	return NULL;
}
