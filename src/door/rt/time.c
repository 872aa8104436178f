#include "door/rt/state.h"

static double later(double a, double b)
{
	return a > b ? a : b;
}

/* The legacy stream and the blocking streams wait for each other. */
double stream_now(const struct rt_stream *s)
{
	const struct rt_device *d = &rt.devices[s->device];
	double t = later(rt.host, s->ready);

	if (stream_is_legacy(s))
		return later(t, d->blocking);
	if (!(s->flags & RT_STREAM_NON_BLOCKING))
		return later(t, d->legacy.ready);
	return t;
}

void stream_passed(struct rt_stream *s, double end)
{
	struct rt_device *d = &rt.devices[s->device];

	s->ready = later(s->ready, end);
	d->latest = later(d->latest, end);
	if (!(s->flags & RT_STREAM_NON_BLOCKING) && !stream_is_legacy(s))
		d->blocking = later(d->blocking, end);
}

void host_passed(double end)
{
	rt.host = later(rt.host, end);
}

/* The first of the engines that is free takes a copy. */
struct span time_copy(struct rt_stream *s, uint64_t bytes, bool host)
{
	struct rt_device *d = &rt.devices[s->device];
	const struct cfg *c = &d->sheet.cfg;
	/* Inside of the device every byte is read and written. */
	double rate = host ? c->host.bandwidth : c->dram.bandwidth / 2;
	double *engine = &d->engine[0];
	struct span t;

	for (int i = 1; i < c->host.engines && i < MAX_ENGINES; i++)
		if (d->engine[i] < *engine)
			engine = &d->engine[i];
	t.start = later(stream_now(s), *engine);
	t.end = t.start + c->host.latency * 1e-6 + (double)bytes / (rate * 1e9);
	*engine = t.end;
	stream_passed(s, t.end);
	return t;
}

struct span time_set(struct rt_stream *s, uint64_t bytes)
{
	const struct cfg *c = &rt.devices[s->device].sheet.cfg;
	struct span t = { .start = stream_now(s) };

	t.end = t.start + c->host.latency * 1e-6 +
		(double)bytes / (c->dram.bandwidth * 1e9);
	stream_passed(s, t.end);
	return t;
}
