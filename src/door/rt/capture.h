/* Streams that capture, for the files behind rt.h. */
#ifndef HEDDLE_RT_CAPTURE_H
#define HEDDLE_RT_CAPTURE_H

#include "door/rt/state.h"

/* The event marks the stream's place in its capture. */
int capture_record(struct rt_stream *s, struct rt_event *e);
/* The stream waits for the event; one of them is in a capture. */
int capture_wait(struct rt_stream *s, struct rt_event *e);
/* Work in the legacy stream: refused while a stream captures that would have
 * to wait for it. */
int capture_implicit(int device);

#endif
