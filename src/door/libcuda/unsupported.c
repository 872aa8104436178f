#include "door/libcuda/api.h"

/*
 * Functions that are not supported say so. They ignore their arguments, so one
 * declaration is enough for all, whatever cuda.h declares; the calling
 * conventions of x86-64 and arm64 allow a caller to pass more arguments than a
 * function takes.
 */
#define UNSUPPORTED(symbol)                                        \
	CUresult missing_##symbol(void) NAMED(#symbol);            \
	CUresult missing_##symbol(void)                            \
	{                                                          \
		int e = api_enter(#symbol, ENTRY_INIT);            \
                                                                   \
		return api_leave(e ? e : rt_unsupported(#symbol)); \
	}
#include "door/libcuda/unsupported.def"
