#include "door/libcuda/api.h"

/*
 * What is not there says so. The arguments are not looked at, so that one
 * declaration does for all, whatever cuda.h says of the name; a caller that
 * passes more than it takes is fine by the calling conventions of x86-64 and
 * arm64.
 */
#define UNSUPPORTED(symbol)                                    \
	CUresult missing_##symbol(void) NAMED(#symbol);        \
	CUresult missing_##symbol(void)                        \
	{                                                      \
		int e = enter(#symbol, ENTRY_INIT);            \
                                                               \
		return leave(e ? e : rt_unsupported(#symbol)); \
	}
#include "door/libcuda/unsupported.def"
