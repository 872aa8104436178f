#include "door/cli/exec_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf.h"
#include "explore/files.h"

#define PLATFORM "libheddle_opencl.so"

/* Searches PATH, unless the name has a slash. */
static bool find_executable(char out[PATH_MAX], const char *name)
{
	const char *path = getenv("PATH");
	bool found = false;

	if (strchr(name, '/')) {
		snprintf(out, PATH_MAX, "%s", name);
		return strlen(name) < PATH_MAX && file_is_regular(out);
	}
	while (path && *path) {
		char file[PATH_MAX];
		size_t n = strcspn(path, ":");

		if (n + strlen(name) + 2 < sizeof(file)) {
			snprintf(file, sizeof(file), "%.*s/%s", n ? (int)n : 1,
				 n ? path : ".", name);
			if (file_is_regular(file) &&
			    (!found || !access(file, X_OK))) {
				memcpy(out, file, sizeof(file));
				found = true;
				if (!access(file, X_OK))
					return true;
			}
		}
		path += n + (path[n] == ':');
	}
	return found;
}

/* libcudart.so.12, libcuda.so.1 */
static bool is_cuda_library(const char *library)
{
	return !strncmp(library, "libcudart.so", 12) ||
	       !strncmp(library, "libcuda.so", 10);
}

static void add_preload(struct exec_program *p, const char *library,
			const char *folder)
{
	size_t used = strlen(p->preload);

	snprintf(p->preload + used, sizeof(p->preload) - used, "%s%s/%s",
		 used ? ":" : "", folder, library);
}

static void examine_library(struct exec_program *p, const char *library,
			    const char *folder)
{
	char file[PATH_MAX + 64];

	p->opencl |= !strncmp(library, "libOpenCL.so", 12);
	if (!is_cuda_library(library))
		return;
	if (!strncmp(library, "libcudart.", 10))
		p->cudart = true;
	snprintf(file, sizeof(file), "%s/%.60s", folder, library);
	if (access(file, R_OK))
		snprintf(p->missing, sizeof(p->missing), "%.60s", library);
	else if (p->rpath)
		add_preload(p, library, folder);
}

/* The build had no headers of OpenCL. */
static void examine_platform(struct exec_program *p, const char *folder)
{
	char file[PATH_MAX + 64];

	snprintf(file, sizeof(file), "%s/" PLATFORM, folder);
	p->no_platform = p->opencl && access(file, R_OK);
}

static void examine_elf(struct exec_program *p, const void *data, size_t size,
			const char *folder)
{
	struct elf_bytes section;
	const char *library;
	struct elf f;
	struct diag d;

	if (elf_open(&f, data, size, &d))
		return;
	p->elf = true;
	p->kernels = elf_section(&f, ".nv_fatbin", &section) && section.size;
	p->rpath = elf_string(&f, DT_RPATH, 0) &&
		   !elf_string(&f, DT_RUNPATH, 0);
	for (unsigned i = 0; (library = elf_string(&f, DT_NEEDED, i)); i++)
		examine_library(p, library, folder);
	examine_platform(p, folder);
}

static void examine_file(struct exec_program *p, const char *folder)
{
	int fd = open(p->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;

	/* A program that cannot be read may still be executed. */
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_size > 0) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			    fd, 0);
		if (data != MAP_FAILED) {
			examine_elf(p, data, (size_t)st.st_size, folder);
			munmap(data, (size_t)st.st_size);
		}
	}
	close(fd);
}

enum err exec_program(struct exec_program *p, const char *name,
		      const char *folder, struct diag *d)
{
	*p = (struct exec_program){ .elf = false };
	if (!find_executable(p->path, name))
		return fail(d, ERR_UNKNOWN, "program '%.200s' not found%s",
			    name, strchr(name, '/') ? "" : " in PATH");
	if (access(p->path, X_OK))
		return fail(d, ERR_IO, "cannot run '%.200s': %s", p->path,
			    strerror(errno));
	examine_file(p, folder);
	return ERR_OK;
}

/* Sets the variable to FIRST:OLD-VALUE. */
static enum err prepend_variable(const char *variable, const char *first,
				 struct diag *d)
{
	const char *old = getenv(variable);
	size_t size = strlen(first) + (old ? strlen(old) : 0) + 2;
	char *text = malloc(size);
	int failed = 1;

	if (text) {
		snprintf(text, size, "%s%s%s", first, old && *old ? ":" : "",
			 old ? old : "");
		failed = setenv(variable, text, 1);
	}
	free(text);
	return failed ? fail(d, ERR_NOMEM, "out of memory") : ERR_OK;
}

/* Debian's loader reads the first variable, that of Khronos the second. */
static enum err exec_set_platform(const char *folder, struct diag *d)
{
	char file[PATH_MAX + 64];

	snprintf(file, sizeof(file), "%s/" PLATFORM, folder);
	if (access(file, R_OK))
		return ERR_OK;
	return setenv("OCL_ICD_VENDORS", file, 1) ||
			       setenv("OCL_ICD_FILENAMES", file, 1) ?
		       fail(d, ERR_NOMEM, "out of memory") :
		       ERR_OK;
}

enum err exec_library_path(const struct exec_program *p, const char *folder,
			   struct diag *d)
{
	if (strpbrk(folder, p->preload[0] ? ":; \t" : ":;"))
		return fail(d, ERR_IO,
			    "the dynamic linker cannot use the folder of "
			    "Heddle's libraries, '%.200s', because of its name",
			    folder);
	if (exec_set_platform(folder, d) ||
	    prepend_variable("LD_LIBRARY_PATH", folder, d))
		return d->code;
	return p->preload[0] ? prepend_variable("LD_PRELOAD", p->preload, d) :
			       ERR_OK;
}
