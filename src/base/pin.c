#define _GNU_SOURCE /* sched_setaffinity */
#include "base/pin.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/team.h"

struct pin_job {
	const struct pins *pins;
	atomic_int error;
	atomic_uint member, core; /* that the error happened with */
};

/* The n-th core of the set, counted from 0. */
static unsigned pins_core(const struct pins *p, unsigned n)
{
	unsigned i = 0;

	for (;; i++)
		if (p->cores[i / 64] >> i % 64 & 1 && n-- == 0)
			return i;
}

static int pin_bind(const uint64_t cores[PIN_CORES / 64])
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned i = 0; i < PIN_CORES && i < CPU_SETSIZE; i++)
		if (cores[i / 64] >> i % 64 & 1)
			CPU_SET(i, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? errno : 0;
}

static void pin_member(void *ctx, unsigned member)
{
	struct pin_job *j = ctx;
	uint64_t one[PIN_CORES / 64] = { 0 };
	unsigned core = pins_core(j->pins, member % j->pins->count);
	int error;

	one[core / 64] = UINT64_C(1) << core % 64;
	error = pin_bind(one);
	if (!error)
		return;
	atomic_store(&j->member, member);
	atomic_store(&j->core, core);
	atomic_store(&j->error, error);
}

static enum err pins_read_cores(struct pins *p, struct diag *d)
{
	cpu_set_t set;

	*p = (struct pins){ 0 };
	if (sched_getaffinity(0, sizeof(set), &set))
		return fail(d, ERR_UNSUPP,
			    "pinned threads: cannot ask the host which cores "
			    "this process may use (%s)",
			    strerror(errno));
	for (unsigned i = 0; i < PIN_CORES && i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set)) {
			p->cores[i / 64] |= UINT64_C(1) << i % 64;
			p->count++;
		}
	if (!p->count)
		return fail(d, ERR_UNSUPP,
			    "pinned threads: this process may use none of the "
			    "host's first %d cores",
			    PIN_CORES);
	return ERR_OK;
}

enum err pins_set(struct pins *p, struct team *t, struct diag *d)
{
	struct pin_job j = { .pins = p };

	if (pins_read_cores(p, d))
		return d->code;
	team_do(t, pin_member, &j);
	if (!atomic_load(&j.error))
		return ERR_OK;
	pins_undo(p);
	return fail(d, ERR_UNSUPP,
		    "pinned threads: cannot bind thread %u to core %u (%s)",
		    atomic_load(&j.member), atomic_load(&j.core),
		    strerror(atomic_load(&j.error)));
}

void pins_undo(const struct pins *p)
{
	if (pin_bind(p->cores))
		return; /* the thread stays pinned: slower at worst */
}
