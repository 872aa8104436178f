/*
 * A program of tests on another engine: what it launches, and what came of it.
 *
 *	HEDDLE_TEST_ENGINE, HEDDLE_TEST_THREADS   who simulates timed launches
 *	HEDDLE_TEST_LOG                           a file that gets a line for
 *	                                          each of them and for what is
 *	                                          read back
 *
 * Two engines that are exact write the same file (engine/all.sh).
 */
#ifndef HEDDLE_TESTS_WATCH_H
#define HEDDLE_TESTS_WATCH_H

#include <stddef.h>

#include "heddle/heddle.h"

/* The engine of the environment, if time is simulated and the test itself has
 * no wishes. */
void watch_options(struct heddle_device_options *o);
/* A launch has ended: its cycles and all of its statistics. */
void watch_launch(const struct heddle_device *dev, const char *kernel);
/* What the test has read. */
void watch_bytes(const void *bytes, size_t size);

#endif
