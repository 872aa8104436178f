/* System calls: names of files, and folders. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/x86/special.h"

enum { X86_AT_REMOVEDIR = 0x200 };

/* Calls of the host return -1, and errno says why. */
static int64_t x86_folder_result(int n)
{
	return n < 0 ? -errno : n;
}

static int64_t x86_remove_at(struct x86_process *p, int64_t folder,
			     uint64_t path, int flags)
{
	char name[X86_PATH];
	int e = x86_guest_path(p, folder, path, false, name);

	return e ? e : x86_folder_result(unlinkat(p->root, name, flags));
}

X86_SYSCALL(unlink)
{
	return x86_remove_at(p, X86_CWD, a[0], 0);
}

X86_SYSCALL(rmdir)
{
	return x86_remove_at(p, X86_CWD, a[0], AT_REMOVEDIR);
}

X86_SYSCALL(unlinkat)
{
	return x86_remove_at(p, (int32_t)a[0], a[1],
			     a[2] & X86_AT_REMOVEDIR ? AT_REMOVEDIR : 0);
}

static int64_t x86_mkdir_at(struct x86_process *p, int64_t folder,
			    uint64_t path, uint64_t mode)
{
	char name[X86_PATH];
	int e = x86_guest_path(p, folder, path, false, name);

	return e ? e :
		   x86_folder_result(
			   mkdirat(p->root, name, (mode_t)(mode & 0777)));
}

X86_SYSCALL(mkdir)
{
	return x86_mkdir_at(p, X86_CWD, a[0], a[1]);
}

X86_SYSCALL(mkdirat)
{
	return x86_mkdir_at(p, (int32_t)a[0], a[1], a[2]);
}

/* from and to: a folder and a path each. */
static int64_t x86_rename_at(struct x86_process *p, const uint64_t from[2],
			     const uint64_t to[2])
{
	char old[X86_PATH], new[X86_PATH];
	int e = x86_guest_path(p, (int32_t)from[0], from[1], false, old);

	if (!e)
		e = x86_guest_path(p, (int32_t)to[0], to[1], false, new);
	return e ? e : x86_folder_result(renameat(p->root, old, p->root, new));
}

X86_SYSCALL(rename)
{
	return x86_rename_at(p, (const uint64_t[2]){ (uint32_t)X86_CWD, a[0] },
			     (const uint64_t[2]){ (uint32_t)X86_CWD, a[1] });
}

X86_SYSCALL(renameat)
{
	return x86_rename_at(p, a, a + 2);
}

X86_SYSCALL(renameat2)
{
	return a[4] ? -EINVAL : x86_rename_at(p, a, a + 2);
}

X86_SYSCALL(truncate)
{
	char name[X86_PATH];
	int e = x86_guest_path(p, X86_CWD, a[0], true, name), fd;
	int64_t result;

	if (e)
		return e;
	fd = openat(p->root, name,
		    O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	result = x86_folder_result(ftruncate(fd, (off_t)a[1]));
	close(fd);
	return result;
}

static int64_t x86_access_at(struct x86_process *p, int64_t folder,
			     uint64_t path)
{
	char name[X86_PATH];
	struct stat s;
	int64_t e = x86_guest_path(p, folder, path, true, name);

	if (!e)
		e = x86_folder_result(
			fstatat(p->root, name, &s, AT_SYMLINK_NOFOLLOW));
	return e == -ENOENT ? x86_special_stat(p, name, &s) : e;
}

X86_SYSCALL(access)
{
	return x86_access_at(p, X86_CWD, a[0]);
}

X86_SYSCALL(faccessat)
{
	return x86_access_at(p, (int32_t)a[0], a[1]);
}

/* Linux' struct statfs: type, block, blocks, free, free for all, files, ... */
enum { X86_STATFS_WORDS = 15, X86_STATFS_NAME = 8, X86_EXT4 = 0xef53 };

static int64_t x86_put_statfs(struct x86_process *p, uint64_t at)
{
	uint64_t v[X86_STATFS_WORDS] = { X86_EXT4, 4096,    1 << 18, 1 << 17,
					 1 << 17,  1 << 16, 1 << 15 };
	void *to = x86_mem_put(&p->mem, at, sizeof(v));

	v[X86_STATFS_NAME] = NAME_MAX;
	v[X86_STATFS_NAME + 1] = 4096;
	if (!to)
		return -EFAULT;
	memcpy(to, v, sizeof(v));
	return 0;
}

X86_SYSCALL(statfs)
{
	int64_t e = x86_access_at(p, X86_CWD, a[0]);

	return e ? e : x86_put_statfs(p, a[1]);
}

X86_SYSCALL(fstatfs)
{
	int host = x86_host_file(p, (uint32_t)a[0]);

	return host < 0 ? host : x86_put_statfs(p, a[1]);
}

static int64_t x86_readlink_at(struct x86_process *p, int64_t folder,
			       uint64_t path, uint64_t to, uint64_t bytes)
{
	char name[X86_PATH];
	void *out = x86_mem_put(&p->mem, to, bytes);
	int e = x86_guest_path(p, folder, path, false, name);

	if (e)
		return e;
	if (!out)
		return -EFAULT;
	e = (int)x86_folder_result((int)readlinkat(p->root, name, out, bytes));
	return e == -ENOENT ? x86_special_link(p, name, out, bytes) : e;
}

X86_SYSCALL(readlink)
{
	return x86_readlink_at(p, X86_CWD, a[0], a[1], a[2]);
}

X86_SYSCALL(readlinkat)
{
	return x86_readlink_at(p, (int32_t)a[0], a[1], a[2], a[3]);
}

X86_SYSCALL(getcwd)
{
	size_t n = strlen(p->cwd) + 1;
	void *to = x86_mem_put(&p->mem, a[0], n);

	if (a[1] < n)
		return -ERANGE;
	if (!to)
		return -EFAULT;
	memcpy(to, p->cwd, n);
	return (int64_t)n;
}

X86_SYSCALL(chdir)
{
	char name[X86_PATH];
	struct stat s;
	int e = x86_guest_path(p, X86_CWD, a[0], true, name);

	if (e)
		return e;
	if (fstatat(p->root, name, &s, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISDIR(s.st_mode))
		return -ENOTDIR;
	if (strlen(name) + 2 > sizeof(p->cwd))
		return -ENAMETOOLONG;
	p->cwd[0] = '/';
	strcpy(p->cwd + 1, strcmp(name, ".") ? name : "");
	return 0;
}

/*
 * The entries of a folder, by name: the same order everywhere. They are read when
 * the program first asks for them.
 */

static int x86_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void x86_entries_free(struct x86_entries *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->count; i++)
		free(l->name[i]);
	free(l->name);
	free(l);
}

static bool x86_entries_add(struct x86_entries *l, unsigned char type,
			    const char *name)
{
	size_t size = strlen(name) + 2;
	char **more = realloc(l->name, (l->count + 1) * sizeof(*more));
	char *copy = malloc(size);

	if (more)
		l->name = more;
	if (!more || !copy) {
		free(copy);
		return false;
	}
	snprintf(copy, size, "%s", name);
	copy[size - 1] = (char)type; /* behind the end */
	l->name[l->count++] = copy;
	return true;
}

static struct x86_entries *x86_entries_read(int host)
{
	struct x86_entries *l = calloc(1, sizeof(*l));
	int fd = l ? openat(host, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	bool whole = d != NULL;
	struct dirent *e;

	while (whole && (e = readdir(d)))
		whole = x86_entries_add(l, e->d_type, e->d_name);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	if (!whole) {
		x86_entries_free(l);
		return NULL;
	}
	qsort(l->name, l->count, sizeof(*l->name), x86_by_name);
	return l;
}

/* Linux' struct linux_dirent64: number, next position, length, type, name. */
enum { X86_DIRENT = 19 };

/* The number that stat tells of an entry of a folder. */
static uint64_t x86_entry_number(const struct x86_process *p,
				 const char *folder, const char *name)
{
	char path[X86_PATH];

	return x86_path(p, folder, name, false, path) ? 0 :
							x86_path_number(path);
}

static uint64_t x86_put_entry(uint8_t *to, uint64_t room, uint64_t position,
			      uint64_t number, const char *name)
{
	size_t n = strlen(name);
	uint64_t head[2] = { number, position + 1 };
	uint16_t length = (uint16_t)((X86_DIRENT + n + 1 + 7) / 8 * 8);

	if (length > room)
		return 0;
	memset(to, 0, length);
	memcpy(to, head, sizeof(head));
	memcpy(to + 16, &length, sizeof(length));
	to[18] = (uint8_t)name[n + 1];
	memcpy(to + X86_DIRENT, name, n);
	return length;
}

X86_SYSCALL(getdents64)
{
	int host = x86_host_file(p, (uint32_t)a[0]);
	uint64_t room = (uint32_t)a[2], used = 0, n;
	uint8_t *to = x86_mem_put(&p->mem, a[1], room);
	struct x86_file *f;

	if (host < 0)
		return host;
	if (!to)
		return -EFAULT;
	f = &p->file[(uint32_t)a[0]];
	if (!f->list)
		f->list = x86_entries_read(host);
	if (!f->list)
		return -ENOTDIR;
	while (f->list->next < f->list->count) {
		const char *name = f->list->name[f->list->next];

		n = x86_put_entry(to + used, room - used, f->list->next,
				  x86_entry_number(p, f->path, name), name);
		if (!n)
			return used ? (int64_t)used : -EINVAL;
		used += n;
		f->list->next++;
	}
	return (int64_t)used;
}
