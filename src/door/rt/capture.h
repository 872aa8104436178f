/* Stream capture, for the files behind rt.h. */
#ifndef HEDDLE_RT_CAPTURE_H
#define HEDDLE_RT_CAPTURE_H

#include "door/rt/state.h"

/* Records the stream's position in its capture in the event. */
int capture_record(struct rt_stream *s, struct rt_event *e);
/* Makes the stream wait for the event; at least one of them is in a capture. */
int capture_wait(struct rt_stream *s, struct rt_event *e);
/* Refuses work in the legacy stream while a stream captures that would have to
 * wait for that work. */
int capture_check_implicit(int device);

#endif
