/* The state of the process: starting, entering, leaving and ending. */
#include "door/rt/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cfg/configs.h"
#include "door/common/results.h"
#include "door/rt/report.h"
#include "door/rt/select.h"
#include "door/rt/series.h"

struct rt_state rt = { .lock = PTHREAD_MUTEX_INITIALIZER, .next_id = 1 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static _Thread_local struct rt_thread this_thread;

struct rt_thread *rt_thread(void)
{
	return &this_thread;
}

void rt_say(const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "heddle: %s\n", text);
}

void rt_lost_file(const char *what, const char *why)
{
	const char *status = getenv(RESULTS_STATUS);
	FILE *f = status ? fopen(status, "we") : NULL;

	rt_say("error: %s; no %s is written", why, what);
	if (f) {
		fputs("lost\n", f);
		fclose(f);
	}
}

/* Reads the configuration of one device. */
static enum err device_configure(struct rt_device *dev, const char *name,
				 struct diag *d)
{
	struct heddle_error he;
	char *text;

	cfg_sheet_init(&dev->sheet);
	if (configs_load(&dev->sheet, name,
			 (const char *const *)rt.settings.set,
			 rt.settings.set_count, d))
		return d->code;
	text = cfg_dump(&dev->sheet.cfg, dev->sheet.origin);
	if (!text)
		return fail(d, ERR_NOMEM, "out of memory");
	if (heddle_config_text(&dev->config, name, text, strlen(text), &he))
		fail(d, (enum err)he.code, "%s", he.text);
	free(text);
	dev->sm = (unsigned)dev->sheet.cfg.gpu.capability;
	return dev->config ? ERR_OK : d->code;
}

static enum err make_devices(struct diag *d)
{
	const char *wrong;

	if (settings_read(&rt.settings, d))
		return d->code;
	for (int i = 0; i < rt.settings.gpu_count; i++) {
		if (device_configure(&rt.devices[i], rt.settings.gpus[i], d))
			return d->code;
		device_init(&rt.devices[i], i);
		rt.device_count++;
	}
	wrong = select_open(rt.settings.kernels);
	return wrong ? fail(d, ERR_SYNTAX, "HEDDLE_KERNELS: %s", wrong) :
		       ERR_OK;
}

/* Destroys the default streams of a thread that ends. */
static void thread_end(void *p)
{
	struct rt_thread *t = p;

	if (rt.forked)
		return;
	pthread_mutex_lock(&rt.lock);
	rt_flush();
	for (int i = 0; i < MAX_DEVICES; i++) {
		if (!t->streams[i])
			continue;
		capture_drop_stream(t->streams[i]);
		handle_remove(&rt.handles, t->streams[i]);
		stream_release(t->streams[i]);
		free(t->streams[i]);
		t->streams[i] = NULL;
	}
	pthread_mutex_unlock(&rt.lock);
}

/* As with the vendor's driver, a forked child cannot use what its parent used.
 * A thread that the child does not have may hold the lock. */
static void after_fork_in_child(void)
{
	rt.forked = rt.used;
	series_forked();
	pthread_mutex_init(&rt.lock, NULL);
}

static void rt_start(void)
{
	const char *gpus[MAX_DEVICES];
	struct heddle_config *configs[MAX_DEVICES];
	struct diag d;

	pthread_key_create(&thread_key, thread_end);
	pthread_atfork(NULL, NULL, after_fork_in_child);
	if (make_devices(&d)) {
		rt_say("error: %s", d.text);
		rt.broken = true;
		return;
	}
	for (int i = 0; i < rt.device_count; i++) {
		gpus[i] = rt.settings.gpus[i];
		configs[i] = rt.devices[i].config;
	}
	report_open(&(struct report_setup){
		.out = rt.settings.out,
		.sources = rt.settings.sources,
		.inexact_engine = rt.settings.inexact ? rt.settings.engine :
							NULL,
		.quiet = rt.settings.quiet,
		.timed = !rt.settings.functional,
		.devices = (unsigned)rt.device_count,
		.gpus = gpus,
		.configs = configs });
}

/* At the end of the process, runs the launches held back, so that they are
 * reported. Stops a launch that another thread has in flight. */
__attribute__((destructor)) static void rt_finish(void)
{
	struct timespec until;

	if (!rt.device_count || rt.broken || rt.forked)
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	if (pthread_mutex_trylock(&rt.lock)) {
		for (int i = 0; i < rt.device_count; i++)
			if (rt.devices[i].sim)
				heddle_stop(rt.devices[i].sim);
		if (pthread_mutex_timedlock(&rt.lock, &until))
			return;
	}
	rt_flush();
	for (int i = 0; i < rt.device_count; i++)
		trace_stop(&rt.devices[i]);
	series_close();
	rt_leave_quietly(0);
	report_end();
}

/* The destructor of a thread runs only if its key has a value. */
static void register_thread(void)
{
	if (!pthread_getspecific(thread_key))
		pthread_setspecific(thread_key, &this_thread);
}

int rt_enter(const char *name, enum rt_entry kind)
{
	struct rt_thread *t = &this_thread;
	const struct rt_device *d = &rt.devices[t->device];

	pthread_once(&once, rt_start);
	pthread_mutex_lock(&rt.lock);
	if (rt.broken || rt.forked)
		return cudaErrorInitializationError;
	rt.used |= kind != RT_REGISTER;
	register_thread();
	report_call(name);
	if (t->in_callback)
		return cudaErrorNotPermitted;
	if (kind != RT_WORK)
		return cudaSuccess;
	return d->lost ? cudaErrorDevicesUnavailable : d->fault;
}

int rt_leave_quietly(int e)
{
	char *text = rt.printed;
	size_t size = rt.printed_size;

	if (size) {
		rt.printed = NULL;
		rt.printed_size = rt.printed_room = 0;
	}
	pthread_mutex_unlock(&rt.lock);
	if (size) {
		fwrite(text, 1, size, stdout);
		free(text);
	}
	return e;
}

void rt_unlocked(void (*fn)(void *), void *data)
{
	rt_leave_quietly(0);
	fn(data);
	pthread_mutex_lock(&rt.lock);
}

/* cudaErrorNotReady is an answer, not an error to remember. For the program, a
 * callback runs on a thread of its own. */
int rt_leave(int e)
{
	if (e && e != cudaErrorNotReady && !this_thread.in_callback)
		this_thread.last_error = e;
	return rt_leave_quietly(e);
}

int rt_last_error(bool clear)
{
	int e = this_thread.last_error;

	if (clear)
		this_thread.last_error = cudaSuccess;
	return e;
}

/* There are few names, so a list is enough. They live forever. */
int rt_unsupported(const char *name)
{
	static const char *said[512];
	static size_t count;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(said[i], name))
			return cudaErrorNotSupported;
	if (count < sizeof(said) / sizeof(said[0]))
		said[count++] = name;
	rt_say("%s is not supported", name);
	return cudaErrorNotSupported;
}

/* The call that runs a callback has not returned, so no other thread can know
 * of it or has to wait for it. */
void call_host(void (*fn)(void *), void *data)
{
	this_thread.in_callback = true;
	rt_leave_quietly(0);
	fn(data);
	pthread_mutex_lock(&rt.lock);
	this_thread.in_callback = false;
}
