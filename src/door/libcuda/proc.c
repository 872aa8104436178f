#include <string.h>

#include "door/libcuda/api.h"
#include "door/libcuda/procs.h"

enum { PER_THREAD = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM };

/* The newest function of that name in the program's version. *known: some
 * version has the name. */
static const struct proc *proc_find(const char *name, int version, bool thread,
				    bool *known)
{
	const struct proc *best = NULL;

	for (const struct proc *p = procs; p < procs + proc_count; p++) {
		if (p->thread != thread || strcmp(p->name, name))
			continue;
		*known = true;
		if (p->since <= version && (!best || p->since > best->since))
			best = p;
	}
	return best;
}

static int proc_look_up(const char *name, void **out, int version,
			cuuint64_t flags,
			CUdriverProcAddressQueryResult *status)
{
	const struct proc *p = NULL;
	bool known = false;

	if (!name || !out || version > DRIVER_VERSION ||
	    flags > (CU_GET_PROC_ADDRESS_LEGACY_STREAM | PER_THREAD))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags & PER_THREAD)
		p = proc_find(name, version, true, &known);
	if (!p)
		p = proc_find(name, version, false, &known);
	*out = p ? p->address : NULL;
	*status = p     ? CU_GET_PROC_ADDRESS_SUCCESS :
		  known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT :
			  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return 0;
}

/* Since CUDA 12 an unknown name is an answer, not an error. */
static int proc_get(const char *name, void **out, int version, cuuint64_t flags,
		    CUdriverProcAddressQueryResult *status)
{
	CUdriverProcAddressQueryResult unasked;

	return proc_look_up(name, out, version, flags,
			    status ? status : &unasked);
}

static int proc_get_old(const char *name, void **out, int version,
			cuuint64_t flags)
{
	CUdriverProcAddressQueryResult status;
	int e = proc_look_up(name, out, version, flags, &status);

	return !e && status ? CUDA_ERROR_NOT_FOUND : e;
}

API_ANY(cuGetProcAddress_v2,
	(const char *name, void **out, int version, cuuint64_t flags,
	 CUdriverProcAddressQueryResult *status),
	proc_get(name, out, version, flags, status))
API_OLD(cuGetProcAddress_v1, "cuGetProcAddress", ENTRY_ANY,
	(const char *name, void **out, int version, cuuint64_t flags),
	proc_get_old(name, out, version, flags))
