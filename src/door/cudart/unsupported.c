#include "door/rt/rt.h"

/*
 * What is not there says so. The arguments are not looked at, so that one
 * declaration does for all; a caller that passes more than it takes is fine by
 * the calling conventions of x86-64 and arm64.
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
