#include "door/opencl/generic.h"

#include <string.h>

/* Whether a node that cannot be selected converts a pointer to a generic one, or accesses
 * memory (in "<(...)>") in no address space. */
static bool is_generic(const char *node, size_t size)
{
	char line[1024];

	if (size >= sizeof(line))
		size = sizeof(line) - 1;
	memcpy(line, node, size);
	line[size] = '\0';
	if (strstr(line, "addrspacecast["))
		return true;
	return strstr(line, "<(") && !strstr(line, "addrspace ");
}

/* "program.cl:5:20", with which a line of the dump ends if it is known. */
static const char *place_in(const char *line, size_t size, int *length)
{
	const char *at = line;

	for (const char *p = line; p + 1 < line + size; p++)
		if (p[0] == ',' && p[1] == ' ')
			at = p + 2;
	*length = (int)(line + size - at);
	return memchr(at, ':', (size_t)*length) && strncmp(at, "undef:", 6) ?
		       at :
		       NULL;
}

bool generic_explain(struct text *log)
{
	static const char head[] = "fatal error: error in backend: "
				   "Cannot select: ";
	static const char in[] = "\nIn function: ";
	char *dump = log->at ? strstr(log->at, head) : NULL;
	const char *node, *place, *function;
	struct text said = { 0 };
	int length;

	if (!dump)
		return false;
	node = dump + sizeof(head) - 1;
	if (!is_generic(node, strcspn(node, "\n")))
		return false;
	place = place_in(node, strcspn(node, "\n"), &length);
	function = strstr(node, in);
	if (place)
		text_printf(&said, "%.*s: ", length, place);
	text_printf(&said, "error: ");
	if (function)
		text_printf(&said, "function '%.*s': ",
			    (int)strcspn(function + sizeof(in) - 1, "\n"),
			    function + sizeof(in) - 1);
	text_printf(&said,
		    "the memory of a pointer without an address space "
		    "is not known, and Southern Islands has no "
		    "instructions for such pointers; write global, local "
		    "or private before its '*'\n");
	*dump = '\0';
	log->size = (size_t)(dump - log->at);
	if (!said.bad)
		text_printf(log, "%s", said.at);
	text_free(&said);
	return true;
}
