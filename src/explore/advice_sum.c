#include <stdlib.h>
#include <string.h>

#include "explore/advice.h"
#include "explore/view.h"

/* The index of a rule; SIZE_MAX: out of memory. */
static size_t sum_index(struct advice_sum *sum, const char *rule)
{
	size_t i = 0;

	while (i < sum->count && strcmp(sum->at[i].finding.rule, rule) != 0)
		i++;
	if (i < sum->count)
		return i;
	if (sum->count == sum->room) {
		size_t room = sum->room ? 2 * sum->room : 4;
		struct advice_part *at = realloc(sum->at, room * sizeof(*at));

		if (!at)
			return SIZE_MAX;
		sum->at = at;
		sum->room = room;
	}
	sum->at[i] = (struct advice_part){ .most = -1 };
	return sum->count++;
}

bool advice_sum_add(struct advice_sum *sum, const struct advice_list *a,
		    double cycles)
{
	sum->cycles += cycles;
	sum->launches++;
	if (!a->count)
		memcpy(sum->none, a->none, sizeof(sum->none));
	for (size_t k = 0; k < a->count; k++) {
		double saved = a->at[k].bound * cycles;
		size_t i = sum_index(sum, a->at[k].rule);

		if (i == SIZE_MAX)
			return false;
		sum->at[i].saved += saved;
		if (saved <= sum->at[i].most)
			continue;
		sum->at[i].most = saved;
		sum->at[i].finding = a->at[k];
	}
	return true;
}

/* The part with the most savings that is not yet taken; NULL: none. */
static const struct advice_part *next_part(const struct advice_sum *sum,
					   const struct advice_list *taken)
{
	const struct advice_part *best = NULL;

	for (size_t i = 0; i < sum->count; i++) {
		const struct advice_part *p = &sum->at[i];
		bool new = true;

		for (size_t k = 0; new &&k < taken->count; k++)
			new = strcmp(taken->at[k].rule, p->finding.rule) != 0;
		if (new && (!best || p->saved > best->saved))
			best = p;
	}
	return best;
}

void advice_sum_find(struct advice_list *out, const struct advice_sum *sum)
{
	memset(out, 0, sizeof(*out));
	while (out->count < ADVICE_FINDINGS) {
		const struct advice_part *p = next_part(sum, out);
		double bound = p ? ratio_of(p->saved, sum->cycles) : 0;

		if (bound < ADVICE_LEAST)
			break;
		out->at[out->count] = p->finding;
		out->at[out->count++].bound = bound;
	}
	if (!out->count)
		snprintf(out->none, sizeof(out->none), "%s",
			 sum->none[0] ?
				 sum->none :
				 "Nothing stands out over all launches.");
}

void advice_sum_free(struct advice_sum *sum)
{
	free(sum->at);
	*sum = (struct advice_sum){ 0 };
}
