#include "door/rt/rt.h"

/*
 * Functions that are not supported say so. They ignore their arguments, so one
 * declaration is enough for all; the calling conventions of x86-64 and arm64
 * allow a caller to pass more arguments than a function takes.
 */
#define UNSUPPORTED(name)                                       \
	__attribute__((visibility("default"))) int name(void);  \
	__attribute__((visibility("default"))) int name(void)   \
	{                                                       \
		int e = rt_enter(#name, RT_ASK);                \
                                                                \
		return rt_leave(e ? e : rt_unsupported(#name)); \
	}
#include "door/cudart/unsupported.def"
