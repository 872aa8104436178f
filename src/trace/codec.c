#include "trace/codec.h"

#include <stdlib.h>
#include <string.h>

#include "trace/number.h"

/* More than the longest record: a byte or two, and for each lane a number and
 * the length and stride of a run; a number takes at most 10 bytes. */
enum { RECORD_MAX = 64 + TRACE_LANES * (2 * NUMBER_MAX + 1) };

enum mask_kind { MASK_ALL, MASK_NONE, MASK_SOME, MASK_KINDS };

/* The first byte of a record of lanes: the form, and for FORM_SHAPE the number
 * of the shape in the bits above. All forms but FORM_SAME and FORM_SHAPE are
 * followed by the offsets; then comes the distance of the base. */
enum lanes_form {
	FORM_SAME,   /* offsets as before */
	FORM_STRIDE, /* the stride follows */
	FORM_SHAPE,  /* those of a known shape */
	FORM_RUNS,   /* a new shape: jump, length - 1, and if not 0 stride */
	FORM_EACH,   /* a new shape: the jump from lane to lane */
	FORM_COUNT
};
enum { FORM_BITS = 3 };

/* Values of struct trace_site.bases */
enum { BASE_UNKNOWN, BASE_KNOWN, STEP_KNOWN };

/*
 * Predicting facts, and learning from them.
 */

/* Marks the site as seen; true if it was not seen before. */
static bool is_new(uint64_t *seen, uint32_t site)
{
	uint64_t bit = (uint64_t)1 << site;

	if (LIKELY(*seen & bit))
		return false;
	*seen |= bit;
	return true;
}

static struct trace_site *lanes_site(struct trace_memory *m, uint32_t site)
{
	struct trace_site *s = &m->lanes[site % TRACE_SITES];

	if (is_new(&m->seen_lanes, site % TRACE_SITES))
		*s = (struct trace_site){ .base = m->last };
	return s;
}

static struct trace_site *values_site(struct trace_memory *m, uint32_t site)
{
	struct trace_site *s = &m->values[site % TRACE_VALUES];

	if (is_new(&m->seen_values, site % TRACE_VALUES))
		*s = (struct trace_site){ 0 };
	return s;
}

static struct trace_mask_site *masks_site(struct trace_memory *m, uint32_t site)
{
	struct trace_mask_site *s = &m->masks[site % TRACE_SITES];

	if (is_new(&m->seen_masks, site % TRACE_SITES))
		*s = (struct trace_mask_site){ 0 };
	return s;
}

static uint32_t predict_mask(const struct trace_mask_site *s, uint32_t active)
{
	return s->kind == MASK_ALL  ? active :
	       s->kind == MASK_NONE ? 0 :
				      s->mask & active;
}

static void confirm_mask(struct trace_mask_site *s)
{
	s->missed = s->kind;
}

/* A prediction that was wrong once, as at the end of a loop, stays. If it was
 * wrong twice in a row in the same way, it changes. */
static void learn_mask(struct trace_mask_site *s, enum mask_kind kind,
		       uint32_t mask)
{
	if (s->missed == kind || kind == MASK_SOME)
		s->kind = (uint8_t)kind;
	s->missed = (uint8_t)kind;
	if (kind == MASK_SOME)
		s->mask = mask;
}

/* The predicted base was right. */
static void confirm_base(struct trace_site *s)
{
	s->base += s->step;
	s->missed = s->step;
	s->bases += s->bases < STEP_KNOWN;
}

/* The predicted base was wrong: it is at `distance` from the one before. A
 * step, too, changes when it was wrong twice in a row in the same way. */
static void learn_base(struct trace_site *s, uint64_t distance)
{
	if (s->bases == BASE_KNOWN || (s->bases && distance == s->missed))
		s->step = distance;
	s->missed = distance;
	s->base += distance;
	s->bases += s->bases < STEP_KNOWN;
}

/* The number of every lane: the base plus its offset. */
static inline void codec_lane_values(const struct trace_memory *m,
				     const struct trace_site *s, uint64_t base,
				     uint64_t out[TRACE_LANES])
{
	const uint64_t *offset;
	uint64_t stride = s->stride;

	if (LIKELY(!s->shape)) {
		for (unsigned l = 0; l < TRACE_LANES; l++)
			out[l] = base + l * stride;
		return;
	}
	offset = m->shape[s->shape - 1].offset;
	for (unsigned l = 0; l < TRACE_LANES; l++)
		out[l] = base + offset[l];
}

static struct trace_shape *new_shape(struct trace_memory *m,
				     struct trace_site *s, uint32_t mask)
{
	struct trace_shape *shape = &m->shape[m->next_shape];

	s->shape = (uint8_t)(m->next_shape + 1);
	m->next_shape = (m->next_shape + 1) % TRACE_SHAPES;
	if (m->shapes < TRACE_SHAPES)
		m->shapes++;
	memset(shape, 0, sizeof(*shape));
	shape->mask = mask;
	return shape;
}

/*
 * Writing.
 */

static bool codec_make_room(struct trace_writer_stream *s)
{
	size_t room;
	uint8_t *bytes;

	if (s->room - s->size >= RECORD_MAX)
		return true;
	room = s->room < 2 * RECORD_MAX ? 4 * RECORD_MAX : 2 * s->room;
	bytes = s->no_memory ? NULL : realloc(s->bytes, room);
	if (!bytes) {
		s->no_memory = true;
		return false;
	}
	s->bytes = bytes;
	s->room = room;
	return true;
}

static void put_number(struct trace_writer_stream *s, uint64_t v)
{
	s->size = (size_t)(number_put(s->bytes + s->size, v) - s->bytes);
}

/* Starts a record. False: out of memory. */
static bool open_record(struct trace_writer_stream *s)
{
	if (!codec_make_room(s))
		return false;
	put_number(s, s->predicted);
	s->predicted = 0;
	return true;
}

void trace_stream_start(struct trace_writer_stream *s)
{
	/* Entries that are not marked as seen are never read. */
	memset(&s->memory, 0, offsetof(struct trace_memory, lanes));
	s->predicted = 0;
	s->size = 0;
	s->no_memory = false;
}

void trace_stream_free(struct trace_writer_stream *s)
{
	free(s->bytes);
	s->bytes = NULL;
	s->size = s->room = 0;
}

enum err trace_stream_end(struct trace_writer_stream *s)
{
	if (s->predicted || s->size)
		open_record(s);
	return s->no_memory ? ERR_NOMEM : ERR_OK;
}

void trace_put_mask(struct trace_writer_stream *s, uint32_t site,
		    uint32_t active, uint32_t mask)
{
	struct trace_mask_site *m = masks_site(&s->memory, site);
	enum mask_kind kind = mask == active ? MASK_ALL :
			      mask == 0      ? MASK_NONE :
					       MASK_SOME;

	CHECK(active && !(mask & ~active));
	if (LIKELY(predict_mask(m, active) == mask)) {
		confirm_mask(m);
		s->predicted++;
		return;
	}
	learn_mask(m, kind, mask);
	if (!open_record(s))
		return;
	s->bytes[s->size++] = (uint8_t)kind;
	for (int i = 0; kind == MASK_SOME && i < 4; i++)
		s->bytes[s->size++] = (uint8_t)(mask >> 8 * i);
}

void trace_put_value(struct trace_writer_stream *s, uint32_t site,
		     uint64_t value)
{
	struct trace_site *v = values_site(&s->memory, site);
	uint64_t distance = value - v->base;

	if (LIKELY(distance == v->step)) {
		confirm_base(v);
		s->predicted++;
		return;
	}
	learn_base(v, distance);
	if (open_record(s))
		put_number(s, number_fold(distance));
}

/* Whether the lanes are *base plus the offsets; sets *base. */
static bool codec_fits(const uint64_t offset[TRACE_LANES], uint32_t mask,
		       const uint64_t lane[TRACE_LANES], uint64_t *base)
{
	int first = __builtin_ctz(mask);
	uint64_t differ = 0;

	*base = lane[first] - offset[first];
	for (unsigned l = 0; l < TRACE_LANES; l++)
		differ |= (lane[l] - offset[l] - *base) &
			  -(uint64_t)(mask >> l & 1);
	return !differ;
}

/* The lanes of a mask, one after the other. */
#define EACH_LANE(l, mask)                                     \
	for (uint32_t rest_ = (mask), l = 0;                   \
	     rest_ && (l = (uint32_t)__builtin_ctz(rest_), 1); \
	     rest_ &= rest_ - 1)

/* The stride from lane `from` to the next lane of the mask. False: there is no
 * next lane, or the stride is not a whole number. */
static bool stride_from(uint32_t from, uint32_t mask,
			const uint64_t lane[TRACE_LANES], uint64_t *stride)
{
	uint32_t after = from + 1 < TRACE_LANES ? mask >> (from + 1) : 0;
	int64_t gap, distance;

	if (!after)
		return false;
	gap = 1 + __builtin_ctz(after);
	distance = (int64_t)(lane[from + gap] - lane[from]);
	*stride = (uint64_t)(distance / gap);
	return distance % gap == 0;
}

static bool is_strided(uint32_t mask, const uint64_t lane[TRACE_LANES],
		       uint64_t *stride)
{
	uint32_t first = (uint32_t)__builtin_ctz(mask);

	if (!stride_from(first, mask, lane, stride))
		return false;
	EACH_LANE(l, mask)
	if (lane[l] - lane[first] != (l - first) * *stride)
		return false;
	return true;
}

/* The number of a known shape that fits the lanes, plus 1; 0: none. */
static unsigned known_shape(const struct trace_memory *m, uint32_t mask,
			    const uint64_t lane[TRACE_LANES])
{
	uint64_t base;

	for (unsigned i = 0; i < m->shapes; i++)
		if (!(mask & ~m->shape[i].mask) &&
		    codec_fits(m->shape[i].offset, mask, lane, &base))
			return i + 1;
	return 0;
}

/* How many lanes of the mask after `from` continue with the stride. */
static uint32_t run_length(uint32_t from, uint32_t mask,
			   const uint64_t lane[TRACE_LANES], uint64_t stride)
{
	uint32_t n = 0;

	EACH_LANE(l, mask)
	{
		if (l <= from)
			continue;
		if (lane[l] - lane[from] != (l - from) * stride)
			break;
		n++;
	}
	return n;
}

/* Writes the runs; returns how many there are. */
static unsigned put_runs(struct trace_writer_stream *s, uint32_t mask,
			 const uint64_t lane[TRACE_LANES])
{
	uint64_t before = lane[__builtin_ctz(mask)], stride;
	unsigned runs = 0;

	while (mask) {
		uint32_t at = (uint32_t)__builtin_ctz(mask), more = 0;

		if (stride_from(at, mask, lane, &stride))
			more = run_length(at, mask, lane, stride);
		put_number(s, number_fold(lane[at] - before));
		put_number(s, more);
		if (more)
			put_number(s, number_fold(stride));
		for (uint32_t i = 0; i <= more; i++) {
			before = lane[__builtin_ctz(mask)];
			mask &= mask - 1;
		}
		runs++;
	}
	return runs;
}

static void put_each(struct trace_writer_stream *s, uint32_t mask,
		     const uint64_t lane[TRACE_LANES])
{
	uint64_t before = lane[__builtin_ctz(mask)];

	EACH_LANE(l, mask)
	{
		put_number(s, number_fold(lane[l] - before));
		before = lane[l];
	}
}

static void put_new_shape(struct trace_writer_stream *s,
			  struct trace_site *site, uint32_t mask,
			  const uint64_t lane[TRACE_LANES])
{
	struct trace_shape *shape = new_shape(&s->memory, site, mask);
	uint64_t first = lane[__builtin_ctz(mask)];
	size_t start = s->size;

	EACH_LANE(l, mask)
	shape->offset[l] = lane[l] - first;
	s->bytes[s->size++] = FORM_RUNS;
	if (3 * put_runs(s, mask, lane) <= (unsigned)__builtin_popcount(mask))
		return;
	s->size = start;
	s->bytes[s->size++] = FORM_EACH;
	put_each(s, mask, lane);
}

/* Writes the offsets and learns them. */
static void put_offsets(struct trace_writer_stream *s, struct trace_site *site,
			uint32_t mask, const uint64_t lane[TRACE_LANES])
{
	uint64_t stride;
	unsigned shape;

	if (is_strided(mask, lane, &stride)) {
		site->stride = stride;
		site->shape = 0;
		s->bytes[s->size++] = FORM_STRIDE;
		put_number(s, number_fold(stride));
		return;
	}
	shape = known_shape(&s->memory, mask, lane);
	if (!shape) {
		put_new_shape(s, site, mask, lane);
		return;
	}
	site->shape = (uint8_t)shape;
	s->bytes[s->size++] = (uint8_t)(FORM_SHAPE | (shape - 1) << FORM_BITS);
}

void trace_put_lanes(struct trace_writer_stream *s, uint32_t site,
		     uint32_t mask, const uint64_t lane[TRACE_LANES])
{
	struct trace_memory *m = &s->memory;
	uint64_t offset[TRACE_LANES], base;
	struct trace_site *at;
	bool same;

	if (!mask)
		return;
	at = lanes_site(m, site);
	codec_lane_values(m, at, 0, offset);
	same = codec_fits(offset, mask, lane, &base);
	if (LIKELY(same && base - at->base == at->step)) {
		confirm_base(at);
		m->last = base;
		s->predicted++;
		return;
	}
	if (!open_record(s))
		return;
	if (same) {
		s->bytes[s->size++] = FORM_SAME;
	} else {
		put_offsets(s, at, mask, lane);
		codec_lane_values(m, at, 0, offset);
		CHECK(codec_fits(offset, mask, lane, &base));
	}
	put_number(s, number_fold(base - at->base));
	learn_base(at, base - at->base);
	m->last = base;
}

/*
 * Reading.
 */

static bool codec_fail(struct trace_reader_stream *s)
{
	s->bad = true;
	s->predicted = 0;
	s->at = s->end;
	return false;
}

static bool get_byte(struct trace_reader_stream *s, uint8_t *out)
{
	if (s->at == s->end)
		return codec_fail(s);
	*out = *s->at++;
	return true;
}

static bool codec_get_number(struct trace_reader_stream *s, uint64_t *out)
{
	return number_get(&s->at, s->end, out) || codec_fail(s);
}

static bool get_distance(struct trace_reader_stream *s, uint64_t *out)
{
	if (!codec_get_number(s, out))
		return false;
	*out = number_unfold(*out);
	return true;
}

void trace_read_start(struct trace_reader_stream *s, const void *bytes,
		      size_t size)
{
	memset(&s->memory, 0, offsetof(struct trace_memory, lanes));
	s->at = bytes;
	s->end = size ? s->at + size : s->at;
	s->predicted = 0;
	s->bad = false;
	if (size)
		codec_get_number(s, &s->predicted);
}

bool trace_read_done(const struct trace_reader_stream *s)
{
	return !s->bad && !s->predicted && s->at == s->end;
}

/* Whether the next fact was predicted; counts it. */
static bool was_predicted(struct trace_reader_stream *s)
{
	if (!s->predicted)
		return false;
	s->predicted--;
	return true;
}

/* Reads the count that follows a record. */
static bool close_record(struct trace_reader_stream *s)
{
	return codec_get_number(s, &s->predicted);
}

static bool read_mask(struct trace_reader_stream *s, uint32_t active,
		      enum mask_kind *kind, uint32_t *out)
{
	uint8_t byte;

	if (!get_byte(s, &byte))
		return false;
	if (byte >= MASK_KINDS)
		return codec_fail(s);
	*kind = (enum mask_kind)byte;
	*out = byte == MASK_ALL ? active : 0;
	for (int i = 0; *kind == MASK_SOME && i < 4; i++) {
		if (!get_byte(s, &byte))
			return false;
		*out |= (uint32_t)byte << 8 * i;
	}
	return *out & ~active ? codec_fail(s) : close_record(s);
}

bool trace_get_mask(struct trace_reader_stream *s, uint32_t site,
		    uint32_t active, uint32_t *out)
{
	struct trace_mask_site *m = masks_site(&s->memory, site);
	enum mask_kind kind;

	if (LIKELY(was_predicted(s))) {
		*out = predict_mask(m, active);
		confirm_mask(m);
		return true;
	}
	if (!read_mask(s, active, &kind, out)) {
		*out = 0;
		return false;
	}
	learn_mask(m, kind, *out);
	return true;
}

bool trace_get_value(struct trace_reader_stream *s, uint32_t site,
		     uint64_t *out)
{
	struct trace_site *v = values_site(&s->memory, site);
	uint64_t distance;

	*out = 0;
	if (LIKELY(was_predicted(s)))
		confirm_base(v);
	else if (get_distance(s, &distance) && close_record(s))
		learn_base(v, distance);
	else
		return false;
	*out = v->base;
	return true;
}

static bool get_runs(struct trace_reader_stream *s, struct trace_shape *shape)
{
	uint32_t mask = shape->mask, at = (uint32_t)__builtin_ctz(mask);
	uint64_t jump, more, stride = 0, value = 0;

	while (mask) {
		if (!get_distance(s, &jump) || !codec_get_number(s, &more))
			return false;
		if (more >= (unsigned)__builtin_popcount(mask))
			return codec_fail(s);
		if (more && !get_distance(s, &stride))
			return false;
		at = (uint32_t)__builtin_ctz(mask);
		value += jump;
		for (uint64_t i = 0; i <= more; i++) {
			uint32_t l = (uint32_t)__builtin_ctz(mask);

			value += (l - at) * stride;
			shape->offset[l] = value;
			at = l;
			mask &= mask - 1;
		}
	}
	return true;
}

static bool get_each(struct trace_reader_stream *s, struct trace_shape *shape)
{
	uint64_t jump, value = 0;

	EACH_LANE(l, shape->mask)
	{
		if (!get_distance(s, &jump))
			return false;
		value += jump;
		shape->offset[l] = value;
	}
	return true;
}

static bool get_shape(struct trace_reader_stream *s, struct trace_shape *shape,
		      bool (*get)(struct trace_reader_stream *,
				  struct trace_shape *))
{
	struct trace_memory *m = &s->memory;
	int64_t min = INT64_MAX, max = INT64_MIN;
	uint64_t spread;

	if (!get(s, shape))
		return false;
	for (int l = 0; l < TRACE_LANES; l++) {
		int64_t at = (int64_t)shape->offset[l];

		min = at < min ? at : min;
		max = at > max ? at : max;
	}
	spread = (uint64_t)max - (uint64_t)min;
	m->spread[shape - m->shape] = spread < UINT32_MAX ? (uint32_t)spread :
							    UINT32_MAX;
	return true;
}

static uint32_t stride_spread(uint64_t stride)
{
	uint64_t step = (int64_t)stride < 0 ? -stride : stride;

	return step < UINT32_MAX / TRACE_LANES ?
		       (uint32_t)step * (TRACE_LANES - 1) :
		       UINT32_MAX;
}

static bool get_offsets(struct trace_reader_stream *s, struct trace_site *site,
			uint32_t mask)
{
	struct trace_memory *m = &s->memory;
	uint8_t byte;
	unsigned number;

	if (!get_byte(s, &byte))
		return false;
	number = byte >> FORM_BITS;
	switch (byte & ((1 << FORM_BITS) - 1)) {
	case FORM_SAME:
		return number ? codec_fail(s) : true;
	case FORM_STRIDE:
		site->shape = 0;
		return number ? codec_fail(s) : get_distance(s, &site->stride);
	case FORM_SHAPE:
		if (number >= m->shapes)
			return codec_fail(s);
		site->shape = (uint8_t)(number + 1);
		return true;
	case FORM_RUNS:
		return number ?
			       codec_fail(s) :
			       get_shape(s, new_shape(m, site, mask), get_runs);
	case FORM_EACH:
		return number ?
			       codec_fail(s) :
			       get_shape(s, new_shape(m, site, mask), get_each);
	default:
		return codec_fail(s);
	}
}

bool trace_get_pattern(struct trace_reader_stream *s, uint32_t site,
		       uint32_t mask, struct trace_pattern *out)
{
	struct trace_memory *m = &s->memory;
	struct trace_site *at;
	uint64_t distance;

	*out = (struct trace_pattern){ 0 };
	if (!mask)
		return true;
	at = lanes_site(m, site);
	if (LIKELY(was_predicted(s)))
		confirm_base(at);
	else if (get_offsets(s, at, mask) && get_distance(s, &distance) &&
		 close_record(s))
		learn_base(at, distance);
	else
		return false;
	m->last = at->base;
	out->base = at->base;
	out->stride = at->stride;
	if (at->shape) {
		out->shape = &m->shape[at->shape - 1];
		out->spread = m->spread[at->shape - 1];
	} else {
		out->spread = stride_spread(at->stride);
	}
	return true;
}

bool trace_get_lanes(struct trace_reader_stream *s, uint32_t site,
		     uint32_t mask, uint64_t out[TRACE_LANES])
{
	struct trace_pattern p;
	bool good = trace_get_pattern(s, site, mask, &p);

	if (mask)
		trace_spread_out(&p, out);
	return good;
}
