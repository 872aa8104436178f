/* System calls: files without a name, in a folder or in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/x86/special.h"

/* A number for a new file whose path is only told. */
static int64_t x86_nameless_add(struct x86_process *p, unsigned mode,
				const char *path)
{
	int host = x86_special_nameless(mode);
	int64_t number = host < 0 ? host : x86_add_file(p, host, path);

	/* Nobody else is called so, and no two of them have one number. */
	if (number >= 0)
		p->file[number].number += ++p->nameless;
	return number;
}

/* Folders for such files are always there. */
static int x86_nameless_folder(const struct x86_process *p, const char *name)
{
	struct stat s;

	if (fstatat(p->root, name, &s, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT && (!strcmp(name, "tmp") ||
					   !strcmp(name, "var/tmp")) ?
			       0 :
			       -errno;
	if (!S_ISDIR(s.st_mode))
		return -ENOTDIR;
	return faccessat(p->root, name, W_OK, 0) < 0 ? -errno : 0;
}

int64_t x86_nameless_open(struct x86_process *p, const char *folder,
			  uint64_t flags, uint64_t mode)
{
	char path[X86_PATH + 32];
	int e = x86_nameless_folder(p, folder);

	if (!(flags & O_ACCMODE))
		return -EINVAL;
	if (e)
		return e;
	snprintf(path, sizeof(path), "%s/#%llu (deleted)", folder,
		 (unsigned long long)p->nameless + 1);
	return x86_nameless_add(p, (unsigned)mode & 0777 & ~022u, path);
}

enum { X86_MFD_CLOEXEC = 1, X86_MFD_NAME = 249 };

X86_SYSCALL(memfd_create)
{
	const char *name = x86_mem_string(&p->mem, a[0], X86_MFD_NAME + 1);
	char path[X86_MFD_NAME + 32];

	if (a[1] & ~(uint64_t)X86_MFD_CLOEXEC)
		return -EINVAL;
	if (!name)
		return x86_mem_string(&p->mem, a[0], X86_PATH) ? -EINVAL :
								 -EFAULT;
	snprintf(path, sizeof(path), "memfd:%s (deleted)", name);
	return x86_nameless_add(p, 0777, path);
}
