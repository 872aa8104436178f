/* How long system calls take: the one place where that is said. */
#include "system/impl.h"

static uint64_t system_file_ns(const struct system *s, uint64_t bytes)
{
	/* A GB/s is a byte per nanosecond. */
	return (uint64_t)s->os.file +
	       (uint64_t)((double)bytes / s->os.file_rate + 0.5);
}

cycle_t system_call_ticks(const struct system *s, const struct guest_call *c)
{
	switch (c->kind) {
	case GUEST_CALL_WAIT:
		return system_ticks(s, (uint64_t)s->os.wait);
	case GUEST_CALL_WAKE:
		return system_ticks(s, (uint64_t)s->os.wake);
	case GUEST_CALL_START:
		return system_ticks(s, (uint64_t)s->os.start);
	case GUEST_CALL_MEMORY:
		return system_ticks(s, (uint64_t)s->os.map);
	case GUEST_CALL_FILE:
		return system_ticks(s, system_file_ns(s, c->bytes));
	case GUEST_CALL_PRIVATE:
		return system_ticks(s, c->ns);
	default:
		return system_ticks(s, (uint64_t)s->os.call);
	}
}
