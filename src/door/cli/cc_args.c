#include "door/cli/cc_args.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "door/cli/clang.h"
#include "door/cli/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum err add_input(struct cc_inputs *in, enum cc_kind kind,
			  const char *text, struct diag *d)
{
	if (in->count == in->room) {
		size_t room = in->room ? 2 * in->room : 16;
		struct cc_input *at = realloc(in->at, room * sizeof(*at));

		if (!at)
			return fail(d, ERR_NOMEM, "out of memory");
		in->at = at;
		in->room = room;
	}
	in->at[in->count++] = (struct cc_input){ kind, text };
	in->sources += cc_is_source(kind);
	return ERR_OK;
}

/* --- options that are passed to clang with their value */

#define PASSED(function, flag)                                                \
	static enum err function(void *to, const char *value, struct diag *d) \
	{                                                                     \
		return words_add(to, flag, d) ? d->code :                     \
						words_add(to, value, d);      \
	}
PASSED(pass_define, "-D")
PASSED(pass_undefine, "-U")
PASSED(pass_include, "-I")
PASSED(pass_system, "-isystem")
PASSED(pass_before, "-include")
PASSED(pass_depend_file, "-MF")
PASSED(pass_depend_target, "-MT")
PASSED(pass_depend_quoted, "-MQ")

#define SWITCH(function, flag)                                                \
	static enum err function(void *to, const char *value, struct diag *d) \
	{                                                                     \
		(void)value;                                                  \
		return words_add(to, flag, d);                                \
	}
SWITCH(pass_quiet, "-w")
SWITCH(pass_profile, "-pg")
SWITCH(pass_depend, "-MD")
SWITCH(pass_depend_user, "-MMD")
SWITCH(pass_depend_phony, "-MP")
SWITCH(pass_threads, "-pthread")

/* Two words for the linker, which must stay together and in order. */
static enum err link_words(void *to, const char *flag, const char *value,
			   struct diag *d)
{
	if (add_input(to, CC_LINK, flag, d))
		return d->code;
	return add_input(to, CC_LINK, value, d);
}

/* -lcudart is ours and always linked. */
static enum err link_library(void *to, const char *value, struct diag *d)
{
	static const char *const ours[] = { "cudart", "cudart_static",
					    "cudadevrt" };

	for (size_t i = 0; i < COUNT(ours); i++)
		if (!strcmp(value, ours[i]))
			return ERR_OK;
	if (!strcmp(value, "cuda"))
		return add_input(to, CC_DRIVER, value, d);
	return link_words(to, "-l", value, d);
}

static enum err link_folder(void *to, const char *value, struct diag *d)
{
	return link_words(to, "-L", value, d);
}

static enum err set_rdc(void *to, const char *value, struct diag *d)
{
	(void)to;
	if (!strcmp(value, "false"))
		return ERR_OK;
	return fail(d, ERR_UNSUPP,
		    "linking device code of several files is not supported: a "
		    "kernel can only use device functions and variables of its "
		    "own file");
}

static enum err set_stream(void *to, const char *value, struct diag *d)
{
	(void)to;
	if (!strcmp(value, "legacy") || !strcmp(value, "null"))
		return ERR_OK;
	return fail(d, ERR_UNSUPP,
		    "only the legacy default stream is supported");
}

static enum err set_machine(void *to, const char *value, struct diag *d)
{
	(void)to;
	return strcmp(value, "64") ?
		       fail(d, ERR_UNSUPP,
			    "only 64-bit programs are supported") :
		       ERR_OK;
}

static enum err set_language(void *to, const char *value, struct diag *d)
{
	static const char *const known[] = { "cu", "c++", "c", "none" };

	for (size_t i = 0; i < COUNT(known); i++)
		if (!strcmp(value, known[i])) {
			*(const char **)to = known[i];
			return ERR_OK;
		}
	return fail(d, ERR_UNKNOWN, "expected cu, c++ or c");
}

static enum err set_true_false(void *to, const char *value, struct diag *d)
{
	if (strcmp(value, "true") && strcmp(value, "false"))
		return fail(d, ERR_SYNTAX, "expected true or false");
	*(const char **)to = value;
	return ERR_OK;
}

#define AT(field) offsetof(struct cc_args, field)

const struct opt cc_opts[] = {
	OPT_HEADING("What to make (default: a program):"),
	{ NULL, 'o', "FILE", "name of the result (a.out, or the source's name)",
	  opt_string, AT(output) },
	{ NULL, 'c', NULL, "compile each source to an object", opt_on,
	  AT(compile) },
	{ "ptx", 0, NULL, "compile each .cu file to PTX", opt_on, AT(ptx) },
	{ "fatbin", 0, NULL, "compile each .cu file to a fat binary", opt_on,
	  AT(fatbin) },
	{ "shared", 0, NULL, "link a shared library", opt_on, AT(shared) },
	{ NULL, 'E', NULL, "run the preprocessor only", opt_on,
	  AT(preprocess) },
	{ NULL, 'M', NULL, "print the source's dependencies as a make rule",
	  opt_on, AT(depend) },
	{ "MM", 0, NULL, "the same without system headers", opt_on,
	  AT(depend_user) },
	{ "odir", 0, "FOLDER", "folder for the results, without -o", opt_string,
	  AT(folder) },
	OPT_HEADING("Compiling:"),
	{ NULL, 'D', "NAME[=VALUE]", "define a macro", pass_define, AT(all) },
	{ NULL, 'U', "NAME", "undefine a macro", pass_undefine, AT(all) },
	{ NULL, 'I', "FOLDER", "search this folder for headers", pass_include,
	  AT(all) },
	{ "isystem", 0, "FOLDER", "the same, after the folders of -I",
	  pass_system, AT(all) },
	{ "include", 0, "FILE", "include a file before the source", pass_before,
	  AT(all) },
	{ "std", 0, "NAME", "C++ standard: c++11 to c++20 (gnu++17)",
	  opt_string, AT(standard) },
	{ NULL, 'x', "LANGUAGE",
	  "language of the files that follow: cu, c++, c", set_language,
	  AT(language) },
	{ NULL, 'O', "LEVEL", "optimisation of host code: 0 to 3 (2)",
	  opt_string, AT(level) },
	{ NULL, 'g', NULL, "debug information for host code", opt_on,
	  AT(debug) },
	{ NULL, 'G', NULL, "debug information for device code", opt_on,
	  AT(device_debug) },
	{ "arch", 0, "sm_XX", "the oldest GPU to run on (sm_80)", opt_words,
	  AT(archs) },
	{ "gencode", 0, "arch=...,code=...", "the same, once for each GPU",
	  opt_words, AT(archs) },
	{ "use_fast_math", 0, NULL, "use __sinf for sinf, and so on", opt_on,
	  AT(fast_math) },
	{ "fmad", 0, "true|false", "fuse multiply and add (true)",
	  set_true_false, AT(fmad) },
	{ "Xcompiler", 0, "A,B,...", "options for host code and linking",
	  opt_words, AT(xcompiler) },
	{ "Xdevice", 0, "A,B,...",
	  "options for clang when it compiles device code", opt_words,
	  AT(xdevice) },
	{ "cubin-image", 0, "FILE",
	  "add machine code of the same kernels, a cubin, to the program",
	  opt_words, AT(cubins) },
	{ NULL, 'w', NULL, "suppress warnings", pass_quiet, AT(all) },
	{ "MD", 0, NULL, "also write the dependencies", pass_depend, AT(host) },
	{ "MMD", 0, NULL, "the same without system headers", pass_depend_user,
	  AT(host) },
	{ "MF", 0, "FILE", "write dependencies to this file", pass_depend_file,
	  AT(host) },
	{ "MT", 0, "NAME", "target of the make rule", pass_depend_target,
	  AT(host) },
	{ "MQ", 0, "NAME", "the same, quoted for make", pass_depend_quoted,
	  AT(host) },
	{ "MP", 0, NULL, "add a rule for each header", pass_depend_phony,
	  AT(host) },
	{ "pg", 0, NULL, "generate code for gprof", pass_profile, AT(host) },
	OPT_HEADING("Linking:"),
	{ NULL, 'l', "NAME", "link a library", link_library, AT(inputs) },
	{ NULL, 'L', "FOLDER", "search this folder for libraries", link_folder,
	  AT(inputs) },
	{ "Xlinker", 0, "A,B,...", "options for the linker", opt_words,
	  AT(xlinker) },
	{ "pthread", 0, NULL, "use POSIX threads", pass_threads, AT(host) },
	OPT_HEADING("How to compile:"),
	{ "clang", 0, "PROGRAM",
	  "the compiler (default: $HEDDLE_CLANG, else the first clang in PATH)",
	  opt_string, AT(clang) },
	{ "verbose", 'v', NULL, "print the commands", opt_on, AT(verbose) },
	{ "dryrun", 0, NULL, "print the commands, do not run them", opt_on,
	  AT(dryrun) },
	{ "keep", 0, NULL, "keep PTX and objects", opt_on, AT(keep) },
	OPT_HEADING("Accepted only with the value that Heddle supports:"),
	{ "rdc", 0, "false", "device code of several files is not linked",
	  set_rdc, AT(all) },
	{ "default-stream", 0, "legacy", "kind of the default stream",
	  set_stream, AT(all) },
	{ "machine", 'm', "64", "64-bit programs", set_machine, AT(all) },
	OPT_END
};

/* --- aliases, and options that the help does not list */

/* A row with one letter names the option with that letter. */
static const struct alias {
	const char *name, *row;
} aliases[] = {
	{ "output-file", "o" },
	{ "compile", "c" },
	{ "preprocess", "E" },
	{ "generate-dependencies", "M" },
	{ "generate-nonsystem-dependencies", "MM" },
	{ "generate-dependencies-with-compile", "MD" },
	{ "generate-nonsystem-dependencies-with-compile", "MMD" },
	{ "dependency-output", "MF" },
	{ "dependency-target-name", "MT" },
	{ "generate-dependency-targets", "MP" },
	{ "output-directory", "odir" },
	{ "define-macro", "D" },
	{ "undefine-macro", "U" },
	{ "include-path", "I" },
	{ "system-include", "isystem" },
	{ "pre-include", "include" },
	{ "library", "l" },
	{ "library-path", "L" },
	{ "optimize", "O" },
	{ "debug", "g" },
	{ "device-debug", "G" },
	{ "gpu-architecture", "arch" },
	{ "gpu-code", "arch" },
	{ "code", "arch" },
	{ "generate-code", "gencode" },
	{ "compiler-options", "Xcompiler" },
	{ "linker-options", "Xlinker" },
	{ "disable-warnings", "w" },
	{ "profile", "pg" },
	{ "dry-run", "dryrun" },
	{ "use-fast-math", "use_fast_math" },
	{ "keep-intermediate-files", "keep" },
	{ "save-temps", "keep" },
	{ "relocatable-device-code", "rdc" },
};

/* Options of nvcc that do not change what a program computes here: ptxas and
 * nvlink do not run, the runtime is always shared, the host compiler is clang,
 * line numbers are always generated. */
static const struct harmless {
	const char *name;
	bool value;
} harmless[] = {
	{ "Werror", true },
	{ "Wno-deprecated-gpu-targets", false },
	{ "Wdefault-stream-launch", false },
	{ "Wmissing-launch-bounds", false },
	{ "Wext-lambda-captures-this", false },
	{ "Xarchive", true },
	{ "Xcudafe", true },
	{ "Xfatbin", true },
	{ "Xnvlink", true },
	{ "Xptxas", true },
	{ "allow-unsupported-compiler", false },
	{ "archive-options", true },
	{ "ccbin", true },
	{ "compiler-bindir", true },
	{ "compress-mode", true },
	{ "cudart", true },
	{ "diag-suppress", true },
	{ "diag-warn", true },
	{ "display-error-number", false },
	{ "dopt", true },
	{ "expt-extended-lambda", false },
	{ "expt-relaxed-constexpr", false },
	{ "extended-lambda", false },
	{ "extra-device-vectorization", false },
	{ "forward-unknown-opts", false },
	{ "forward-unknown-to-host-compiler", false },
	{ "forward-unknown-to-host-linker", false },
	{ "ftz", true },
	{ "generate-line-info", false },
	{ "keep-dir", true },
	{ "libdevice-directory", true },
	{ "lineinfo", false },
	{ "link", false },
	{ "maxrregcount", true },
	{ "no-compress", false },
	{ "no-display-error-number", false },
	{ "no-exceptions", false },
	{ "nvlink-options", true },
	{ "prec-div", true },
	{ "prec-sqrt", true },
	{ "ptxas-options", true },
	{ "res-usage", false },
	{ "resource-usage", false },
	{ "restrict", false },
	{ "source-in-ptx", false },
	{ "split-compile", true },
	{ "src-in-ptx", false },
	{ "static-global-template-stub", true },
	{ "t", true },
	{ "target-directory", true },
	{ "threads", true },
};

static const struct refused {
	const char *name, *why;
} refused[] = {
	{ "dc", "device code of several files is not linked" },
	{ "device-c", "device code of several files is not linked" },
	{ "dlink", "device code of several files is not linked" },
	{ "device-link", "device code of several files is not linked" },
	{ "dw", "Heddle has no intermediate form of host code" },
	{ "device-w", "Heddle has no intermediate form of host code" },
	{ "cuda", "Heddle has no intermediate form of host code" },
	{ "cubin", "Heddle runs PTX: use -ptx or -fatbin" },
	{ "optix-ir", "Heddle runs PTX: use -ptx or -fatbin" },
	{ "ltoir", "Heddle runs PTX: use -ptx or -fatbin" },
	{ "lib", "compile with -c and use ar" },
	{ "run", "run the program, or use 'heddle exec'" },
};

/* --- reading */

struct cc_scan {
	struct cc_args *a;
	const struct command *c;
	int argc, next;
	char **argv;
	struct diag d;
};

static int cc_usage_error(const struct cc_scan *s, const char *option,
			  const char *why)
{
	say_error("%s: %s", option, why);
	fprintf(stderr, "Try 'heddle %s --help'.\n", s->c->name);
	return EXIT_USAGE;
}

static int cc_unknown(const struct cc_scan *s, const char *option,
		      const char *name, size_t length)
{
	char word[64], text[128];
	struct nearest near = { .word = word };

	snprintf(word, sizeof(word), "%.*s",
		 (int)(length < sizeof(word) ? length : sizeof(word) - 1),
		 name);
	for (const struct opt *o = cc_opts; o->help; o++)
		if (o->name)
			nearest_offer(&near, o->name);
	snprintf(text, sizeof(text), "unknown option%s%s%s",
		 nearest_best(&near) ? ", did you mean -" : "",
		 nearest_best(&near) ? nearest_best(&near) : "",
		 nearest_best(&near) ? "?" : "");
	return cc_usage_error(s, option, text);
}

static const struct opt *row_of_letter(char letter)
{
	for (const struct opt *o = cc_opts; o->help; o++)
		if (letter && o->letter == letter)
			return o;
	return NULL;
}

static bool cc_is_name(const char *want, const char *name, size_t length)
{
	return want && strlen(want) == length && !memcmp(want, name, length);
}

static const struct opt *row_of_name(const char *name, size_t length)
{
	if (length == 1)
		return row_of_letter(name[0]);
	for (const struct opt *o = cc_opts; o->help; o++)
		if (cc_is_name(o->name, name, length))
			return o;
	for (size_t i = 0; i < COUNT(aliases); i++)
		if (cc_is_name(aliases[i].name, name, length))
			return row_of_name(aliases[i].row,
					   strlen(aliases[i].row));
	return NULL;
}

/* The value of an option: attached to it, or the next word. */
static const char *value_of(struct cc_scan *s, const char *attached)
{
	if (attached)
		return attached;
	return s->next < s->argc ? s->argv[s->next++] : NULL;
}

static int cc_apply(struct cc_scan *s, const struct opt *o, const char *option,
		    const char *attached)
{
	const char *value = NULL;

	if (!o->value && attached)
		return cc_usage_error(s, option, "takes no value");
	if (o->value) {
		value = value_of(s, attached);
		if (!value)
			return cc_usage_error(s, option, "needs a value");
	}
	if (o->set((char *)s->a + o->at, value, &s->d))
		return cc_usage_error(s, option, s->d.text);
	return -1;
}

/* Handles a known option that the help does not list; false: it is unknown. */
static bool cc_take_silent(struct cc_scan *s, const char *option,
			   const char *name, size_t length,
			   const char *attached, int *code)
{
	*code = -1;
	for (size_t i = 0; i < COUNT(harmless); i++)
		if (cc_is_name(harmless[i].name, name, length)) {
			if (harmless[i].value && !value_of(s, attached))
				*code = cc_usage_error(s, option,
						       "needs a value");
			return true;
		}
	for (size_t i = 0; i < COUNT(refused); i++)
		if (cc_is_name(refused[i].name, name, length)) {
			*code = cc_usage_error(s, option, refused[i].why);
			return true;
		}
	return false;
}

static int cc_take_option(struct cc_scan *s, const char *option)
{
	const char *name = option + 1 + (option[1] == '-');
	const char *equals = strchr(name, '=');
	const size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const char *attached = equals ? equals + 1 : NULL;
	const struct opt *o = row_of_name(name, length);
	int code;

	if (o)
		return cc_apply(s, o, option, attached);
	if (cc_take_silent(s, option, name, length, attached, &code))
		return code;
	if (option[1] == '-')
		return cc_unknown(s, option, name, length);
	/* Warnings and code generation are clang's own business. */
	if (option[1] == 'W' || option[1] == 'f')
		return words_add(&s->a->host, option, &s->d) ? EXIT_INPUT : -1;
	o = row_of_letter(option[1]);
	if (o && o->value)
		return cc_apply(s, o, option, option + 2);
	return cc_unknown(s, option, name, length);
}

static const struct suffix {
	const char *suffix;
	enum cc_kind kind;
} suffixes[] = {
	{ ".cu", CC_CUDA }, { ".cpp", CC_CXX }, { ".cc", CC_CXX },
	{ ".cxx", CC_CXX }, { ".C", CC_CXX },   { ".c++", CC_CXX },
	{ ".c", CC_C },     { ".o", CC_LINK },  { ".obj", CC_LINK },
	{ ".a", CC_LINK },  { ".so", CC_LINK },
};

static int cc_take_file(struct cc_scan *s, const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *dot = strrchr(base, '.'), *x = s->a->language;
	enum cc_kind kind = CC_LINK;
	bool known = false;

	if (x && strcmp(x, "none")) {
		kind = !strcmp(x, "cu") ? CC_CUDA :
		       !strcmp(x, "c")  ? CC_C :
					  CC_CXX;
		known = true;
	}
	for (size_t i = 0; !known && i < COUNT(suffixes); i++)
		if (dot && !strcmp(dot, suffixes[i].suffix)) {
			kind = suffixes[i].kind;
			known = true;
		}
	/* libx.so.1 */
	if (!known && !strstr(base, ".so."))
		return cc_usage_error(s, path,
				      "expected a source (.cu, .cpp, .c), an "
				      "object or a library");
	if (add_input(&s->a->inputs, kind, path, &s->d))
		return cc_usage_error(s, path, s->d.text);
	return -1;
}

int cc_args_read(struct cc_args *a, const struct command *c, int argc,
		 char **argv)
{
	struct cc_scan s = { .a = a, .c = c, .argc = argc, .argv = argv };

	while (s.next < argc) {
		const char *arg = argv[s.next++];
		int code;

		if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
			command_help(c);
			return EXIT_OK;
		}
		if (!strcmp(arg, "--version") || !strcmp(arg, "-V")) {
			puts("heddle " HEDDLE_VERSION);
			return EXIT_OK;
		}
		code = arg[0] == '-' && arg[1] ? cc_take_option(&s, arg) :
						 cc_take_file(&s, arg);
		if (code >= 0)
			return code;
	}
	if (!a->inputs.count)
		return cc_usage_error(&s, "cc", "no file given");
	if (a->output && cc_stage(a) != CC_STAGE_LINK && a->inputs.sources > 1)
		return cc_usage_error(
			&s, "-o",
			"one name cannot be used for the results of "
			"several files");
	if (a->cubins.count && a->inputs.sources > 1)
		return cc_usage_error(
			&s, "--cubin-image",
			"it belongs to one source: compile several "
			"sources one by one");
	return -1;
}

void cc_args_free(struct cc_args *a)
{
	struct words *const lists[] = { &a->all,       &a->host,    &a->archs,
					&a->xcompiler, &a->xlinker, &a->xdevice,
					&a->cubins };

	for (size_t i = 0; i < COUNT(lists); i++)
		words_free(lists[i]);
	free(a->inputs.at);
}

enum cc_stage cc_stage(const struct cc_args *a)
{
	if (a->preprocess || a->depend || a->depend_user)
		return CC_STAGE_PREPROCESS;
	if (a->ptx)
		return CC_STAGE_PTX;
	if (a->fatbin)
		return CC_STAGE_FATBIN;
	return a->compile ? CC_STAGE_OBJECT : CC_STAGE_LINK;
}

/* --- architectures */

/* Inserts an architecture, highest first, unless it is there. */
static void add_arch(unsigned arch[CC_ARCHS], size_t *count, unsigned sm)
{
	size_t i = 0;

	while (i < *count && arch[i] > sm)
		i++;
	if ((i < *count && arch[i] == sm) || *count == CC_ARCHS)
		return;
	memmove(&arch[i + 1], &arch[i], (*count - i) * sizeof(arch[0]));
	arch[i] = sm;
	(*count)++;
}

/* Adds every sm_XX and compute_XX of the text; `arch=compute_70,code=[sm_70]`
 * names one twice. The letter of sm_90a is ignored. */
static size_t add_archs(unsigned arch[CC_ARCHS], size_t *count,
			const char *text)
{
	static const char *const prefixes[] = { "sm_", "compute_" };
	size_t found = 0;

	for (size_t i = 0; i < COUNT(prefixes); i++)
		for (const char *p = text; (p = strstr(p, prefixes[i]));) {
			char *end;
			unsigned long sm;

			p += strlen(prefixes[i]);
			sm = strtoul(p, &end, 10);
			if (end == p || sm < 10 || sm > 999)
				continue;
			add_arch(arch, count, clang_arch((unsigned)sm));
			found++;
		}
	return found;
}

enum err cc_archs(const struct cc_args *a, unsigned arch[CC_ARCHS],
		  size_t *count, struct diag *d)
{
	static const char *const any[] = { "native", "all", "all-major" };

	*count = 0;
	for (size_t i = 0; i < a->archs.count; i++) {
		const char *text = a->archs.at[i];
		bool known = add_archs(arch, count, text) > 0;

		for (size_t k = 0; !known && k < COUNT(any); k++)
			known = !strcmp(text, any[k]);
		if (!known)
			return fail(d, ERR_SYNTAX,
				    "invalid architecture '%s': expected "
				    "sm_XX, such as sm_80",
				    text);
	}
	if (!*count)
		add_arch(arch, count, clang_arch(0));
	return ERR_OK;
}
