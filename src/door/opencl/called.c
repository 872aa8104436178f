#include "door/opencl/called.h"

#include <string.h>

struct name {
	const char *at; /* '@' */
	size_t size;
};

static struct name name_at(const char *p)
{
	return (struct name){ p, strcspn(p, "(") };
}

static bool is_kernel(const struct meta *kernels, struct name n)
{
	for (size_t i = 0; i < kernels->count; i++)
		if (strlen(kernels->kernels[i].name) + 1 == n.size &&
		    !strncmp(kernels->kernels[i].name, n.at + 1, n.size - 1))
			return true;
	return false;
}

/* The function that is called at p, after "call ", if it is a kernel: those return
 * nothing, and have a calling convention of their own. */
static bool calls_kernel(const char *p, const struct meta *kernels,
			 struct name *name)
{
	static const char *const conventions[] = { "spir_kernel ",
						   "ptx_kernel ",
						   "amdgpu_kernel " };

	for (size_t i = 0; i < sizeof(conventions) / sizeof(*conventions); i++)
		if (!strncmp(p, conventions[i], strlen(conventions[i])))
			p += strlen(conventions[i]);
	if (strncmp(p, "void @", 6) != 0)
		return false;
	*name = name_at(p + 5);
	return is_kernel(kernels, *name);
}

/* The next call of a kernel from p on, or NULL; *name is what it calls. */
static const char *next_call(const char *p, const struct meta *kernels,
			     struct name *name)
{
	for (; (p = strstr(p, "call ")); p++)
		if (calls_kernel(p + 5, kernels, name))
			return p;
	return NULL;
}

/* The text from p to end; calls of kernels become calls of their copies. */
static void copy_calls(struct text *to, const char *p, const char *end,
		       const struct meta *kernels)
{
	struct name n;

	for (const char *call; (call = next_call(p, kernels, &n)) && call < end;
	     p = n.at + n.size) {
		text_add(to, p, (size_t)(call - p));
		text_printf(to, "call void %.*s.called", (int)n.size, n.at);
	}
	text_add(to, p, (size_t)(end - p));
}

/* The line that defines a function, or NULL. */
static const char *definition_of(const char *ir, struct name n)
{
	for (const char *p = ir; (p = strstr(p, "\ndefine "));) {
		const char *at = strchr(++p, '@');

		if (at && name_at(at).size == n.size &&
		    !strncmp(at, n.at, n.size))
			return p;
	}
	return NULL;
}

/*
 * A copy as a function of the module's own. It has no metadata: what describes the
 * function in the source belongs to the kernel.
 */
static void copy_definition(struct text *to, const char *line,
			    const struct meta *kernels)
{
	const char *name = strchr(line, '@');
	size_t size = name_at(name).size;
	const char *rest = name + size, *body = strstr(rest, " {\n");
	const char *end = body ? strstr(body, "\n}\n") : NULL, *metadata;

	if (!end)
		return;
	metadata = strstr(rest, " !");
	text_printf(to, "\ndefine internal void %.*s.called", (int)size, name);
	text_add(to, rest,
		 (size_t)((metadata && metadata < body ? metadata : body) -
			  rest));
	copy_calls(to, body, end + strlen("\n}\n"), kernels);
}

static bool is_first_call(const char *ir, const struct meta *kernels,
			  const char *call, struct name n)
{
	struct name other;
	const char *p = next_call(ir, kernels, &other);

	while (p < call &&
	       (other.size != n.size || strncmp(other.at, n.at, n.size) != 0))
		p = next_call(p + 1, kernels, &other);
	return p == call;
}

bool called_kernels_copy(struct text *to, const char *ir,
			 const struct meta *kernels)
{
	struct name n;

	if (!next_call(ir, kernels, &n))
		return false;
	copy_calls(to, ir, ir + strlen(ir), kernels);
	for (const char *p = ir; (p = next_call(p, kernels, &n)); p++) {
		const char *line = is_first_call(ir, kernels, p, n) ?
					   definition_of(ir, n) :
					   NULL;

		if (line)
			copy_definition(to, line, kernels);
	}
	return true;
}
