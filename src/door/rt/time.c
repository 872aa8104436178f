/* Simulated time of streams, copy engines and the host. */
#include "door/rt/state.h"

static double later_of(double a, double b)
{
	return a > b ? a : b;
}

/* The legacy stream and the blocking streams wait for each other. */
double stream_start_time(const struct rt_stream *s)
{
	const struct rt_device *d = &rt.devices[s->device];
	double t = later_of(rt.host, s->ready);

	if (stream_is_legacy(s))
		return later_of(t, d->blocking);
	if (!(s->flags & RT_STREAM_NON_BLOCKING))
		return later_of(t, d->legacy.ready);
	return t;
}

void stream_begin(struct rt_stream *s, double start)
{
	if (s->began < 0)
		s->began = start;
}

void stream_advance(struct rt_stream *s, double end)
{
	struct rt_device *d = &rt.devices[s->device];

	s->ready = later_of(s->ready, end);
	d->latest = later_of(d->latest, end);
	if (!(s->flags & RT_STREAM_NON_BLOCKING) && !stream_is_legacy(s))
		d->blocking = later_of(d->blocking, end);
}

double rt_now(void)
{
	return rt.host;
}

void host_advance(double end)
{
	rt.host = later_of(rt.host, end);
}

/* The copy engine that is free first takes the copy. */
struct time_span time_copy(struct rt_stream *s, uint64_t bytes, bool host)
{
	struct rt_device *d = &rt.devices[s->device];
	const struct cfg *c = &d->sheet.cfg;
	/* A copy inside the device reads and writes every byte. */
	double rate = host ? c->host.bandwidth : c->dram.bandwidth / 2;
	double *engine = &d->engine[0];
	struct time_span t;

	for (int i = 1; i < c->host.engines && i < MAX_ENGINES; i++)
		if (d->engine[i] < *engine)
			engine = &d->engine[i];
	t.start = later_of(stream_start_time(s), *engine);
	t.end = t.start + c->host.latency * 1e-6 + (double)bytes / (rate * 1e9);
	*engine = t.end;
	stream_begin(s, t.start);
	stream_advance(s, t.end);
	return t;
}

struct time_span time_set(struct rt_stream *s, uint64_t bytes)
{
	const struct cfg *c = &rt.devices[s->device].sheet.cfg;
	struct time_span t = { .start = stream_start_time(s) };

	t.end = t.start + c->host.latency * 1e-6 +
		(double)bytes / (c->dram.bandwidth * 1e9);
	stream_begin(s, t.start);
	stream_advance(s, t.end);
	return t;
}
