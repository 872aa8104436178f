#include "simt/converge.h"

/* The live lanes that those in `of` meet at b. */
static lanes_t meets(const struct warp *w, slot_t b, lanes_t of)
{
	const pred_t *with = slot_at(w, b);
	lanes_t all = 0;

	if (LIKELY(lanes_are_all(of))) {
		for (int l = 0; l < LANES; l++)
			all |= with[l];
		return all & warp_live(w);
	}
	for (; of; of &= of - 1)
		all |= with[lanes_first(of)];
	return all & warp_live(w);
}

static bool waits_at(const struct split *s, slot_t b)
{
	return s->state == SPLIT_CONVERGE && s->converge == b;
}

lanes_t converge_needs(const struct warp *w, const struct split *s)
{
	return meets(w, s->converge, s->mask);
}

/* Makes the lanes of `group` that wait at b ready: those at the same
 * instruction as one split. */
static void release_group(struct warp *w, slot_t b, lanes_t group)
{
	for (int i = 0; i < w->split_count; i++) {
		struct split *s = &w->splits[i];

		if (!waits_at(s, b) || !(s->mask & group))
			continue;
		if (s->mask & ~group)
			warp_divide_split(w, i, s->mask & ~group);
		s->state = SPLIT_READY;
		for (int k = w->split_count - 1; k > i; k--) {
			struct split *o = &w->splits[k];
			lanes_t come = o->mask & group;

			if (!waits_at(o, b) || o->pc != s->pc)
				continue;
			s->mask |= come;
			o->mask &= ~come;
			if (!o->mask)
				warp_remove_split(w, k);
		}
	}
}

static lanes_t lanes_at(const struct warp *w, slot_t b)
{
	lanes_t waiting = 0;

	for (int i = 0; i < w->split_count; i++)
		if (waits_at(&w->splits[i], b))
			waiting |= w->splits[i].mask;
	return waiting;
}

/* Releases one group of lanes at b that is complete. False: there is none. */
static bool release_one(struct warp *w, slot_t b)
{
	lanes_t waiting = lanes_at(w, b);

	for (int i = 0; i < w->split_count; i++) {
		lanes_t mask = w->splits[i].mask, needs;

		if (!waits_at(&w->splits[i], b))
			continue;
		needs = meets(w, b, mask);
		if (needs & ~waiting)
			continue;
		release_group(w, b, needs | mask);
		return true;
	}
	return false;
}

static void release_complete(struct warp *w, slot_t b)
{
	while (release_one(w, b))
		;
}

void converge_enter(struct warp *w, slot_t b)
{
	pred_t *with = slot_at(w, b);
	const pred_t mask = (pred_t)w->mask;

	for (int l = 0; l < LANES; l++)
		with[l] = mask >> l & 1 ? mask : with[l];
}

void converge_leave(struct warp *w, slot_t b)
{
	pred_t *with = slot_at(w, b);
	const pred_t leave = (pred_t)w->mask;
	lanes_t others = meets(w, b, w->mask);

	for (int l = 0; l < LANES; l++) {
		if (leave >> l & 1)
			with[l] = 0;
		else if (others >> l & 1)
			with[l] &= ~leave;
	}
	release_complete(w, b);
}

/* Nobody waits for the lanes of `group` at b any more. */
static void forget_lanes(struct warp *w, slot_t b, lanes_t group)
{
	pred_t *with = slot_at(w, b);

	for (int l = 0; l < LANES; l++)
		if (!(group >> l & 1))
			with[l] &= ~(pred_t)group;
}

/* Lanes that went ahead of those that spun, and wait for the whole warp or block. A
 * mask that was in a register meanwhile still has them. */
static lanes_t gone_ahead(const struct warp *w)
{
	lanes_t gone = 0;

	for (int i = 0; w->ahead && i < w->split_count; i++) {
		const struct split *s = &w->splits[i];

		if (s->state != SPLIT_READY && s->state != SPLIT_CONVERGE)
			gone |= s->mask & w->ahead;
	}
	return gone;
}

/* Releases the lanes that wait at the barrier of split i, if the others that
 * they wait for have yielded, or went ahead and wait elsewhere. */
static bool release_for_yield(struct warp *w, int i)
{
	slot_t b = w->splits[i].converge;
	lanes_t waiting = lanes_at(w, b);
	lanes_t needs = meets(w, b, w->splits[i].mask);
	lanes_t group = (needs & waiting) | w->splits[i].mask;

	if (needs & ~(waiting | w->yielded | gone_ahead(w)))
		return false;
	w->ahead |= group;
	forget_lanes(w, b, group);
	release_group(w, b, group);
	return true;
}

bool converge_unlock(struct warp *w)
{
	const struct split *inner = NULL;
	lanes_t group;

	for (int i = 0; i < w->split_count; i++) {
		const struct split *s = &w->splits[i];

		if (s->state == SPLIT_CONVERGE) {
			if (!inner || s->converge > inner->converge)
				inner = s;
		} else if (s->mask & ~w->ahead) {
			return false;
		}
	}
	if (!inner)
		return false;
	group = (meets(w, inner->converge, inner->mask) &
		 lanes_at(w, inner->converge)) |
		inner->mask;
	forget_lanes(w, inner->converge, group);
	release_group(w, inner->converge, group);
	return true;
}

static void release_yielded(struct warp *w)
{
	for (int i = 0; w->yielded && i < w->split_count; i++)
		if (w->splits[i].state == SPLIT_CONVERGE &&
		    release_for_yield(w, i))
			i = -1; /* the list has changed */
}

void converge_wait(struct warp *w, slot_t b)
{
	if (LIKELY(!(meets(w, b, w->mask) & ~w->mask)))
		return;
	warp_part(w);
	warp_wait_converge(w, b);
	release_complete(w, b);
	release_yielded(w);
}

void converge_yield(struct warp *w)
{
	w->yielded |= w->active;
	release_yielded(w);
}

void converge_exited(struct warp *w)
{
	for (int i = 0; i < w->split_count; i++)
		if (w->splits[i].state == SPLIT_CONVERGE &&
		    release_one(w, w->splits[i].converge))
			i = -1; /* the list has changed */
}
