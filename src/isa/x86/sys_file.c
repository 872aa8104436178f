/* System calls: files. What may take the host's time is not the guest's: calls
 * end at once in the guest's time. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/x86/channel.h"
#include "isa/x86/special.h"

enum { X86_AT_NOFOLLOW = 0x100, X86_AT_EMPTY = 0x1000 };

int x86_host_file(const struct x86_process *p, uint64_t number)
{
	if (number >= X86_FILES || !p->file[number].open)
		return -EBADF;
	return p->file[number].host;
}

/* The host's result, or its error. */
static int64_t x86_host_result(int64_t n)
{
	return n < 0 ? -errno : n;
}

/* Reads all of it, or up to the end: how much a pipe has at the moment must not
 * matter. A terminal's line is all it has. */
static int64_t x86_read_all(int host, char *to, uint64_t bytes)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t n = read(host, to + done, bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return done ? (int64_t)done : -errno;
		done += (uint64_t)n;
		if (!n || isatty(host))
			break;
	}
	return (int64_t)done;
}

X86_SYSCALL(read)
{
	int host = x86_host_file(p, (uint32_t)a[0]);
	void *to;

	if (x86_is_channel(p, (uint32_t)a[0]))
		return x86_channel_read(p, t, a);
	to = x86_mem_put(&p->mem, a[1], a[2]);
	if (host < 0)
		return host;
	if (!to)
		return -EFAULT;
	if (p->file[(uint32_t)a[0]].random)
		return x86_sys_getrandom(p, t,
					 (const uint64_t[2]){ a[1], a[2] });
	x86_shared_store(p, host);
	return x86_read_all(host, to, a[2]);
}

/* Writes all of it, as a file would take it. */
static int64_t x86_write_all(int host, const char *from, uint64_t bytes)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t n = write(host, from + done, bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return done ? (int64_t)done : -errno;
		done += (uint64_t)n;
	}
	return (int64_t)done;
}

X86_SYSCALL(write)
{
	int host = x86_host_file(p, (uint32_t)a[0]);
	const void *from;

	if (x86_is_channel(p, (uint32_t)a[0]))
		return x86_channel_write(p, t, a);
	from = x86_mem_get(&p->mem, a[1], a[2]);
	int64_t n;

	if (host < 0)
		return host;
	if (!from)
		return -EFAULT;
	x86_shared_store(p, host);
	n = x86_write_all(host, from, a[2]);
	x86_shared_load(p, host);
	return n;
}

X86_SYSCALL(pread64)
{
	int host = x86_host_file(p, (uint32_t)a[0]);
	void *to = x86_mem_put(&p->mem, a[1], a[2]);

	if (host < 0)
		return host;
	if (!to)
		return -EFAULT;
	x86_shared_store(p, host);
	return x86_host_result(pread(host, to, a[2], (off_t)a[3]));
}

X86_SYSCALL(pwrite64)
{
	int host = x86_host_file(p, (uint32_t)a[0]);
	const void *from = x86_mem_get(&p->mem, a[1], a[2]);

	int64_t n;

	if (host < 0)
		return host;
	if (!from)
		return -EFAULT;
	x86_shared_store(p, host);
	n = x86_host_result(pwrite(host, from, a[2], (off_t)a[3]));
	x86_shared_load(p, host);
	return n;
}

/* Calls `one` for each piece until one is not whole. a[3]: the position, for
 * those that have one. */
static int64_t x86_each_piece(struct x86_process *p, struct x86_thread *t,
			      const uint64_t *a, x86_sys *one)
{
	int64_t sum = 0;

	if (a[2] > 1024)
		return -EINVAL;
	for (uint64_t i = 0; i < a[2]; i++) {
		const void *from = x86_mem_get(&p->mem, a[1] + 16 * i, 16);
		uint64_t piece[4] = { a[0], 0, 0, a[3] + (uint64_t)sum };
		int64_t n;

		if (!from)
			return sum ? sum : -EFAULT;
		memcpy(&piece[1], from, 16);
		n = piece[2] ? one(p, t, piece) : 0;
		if (n < 0)
			return sum ? sum : n;
		sum += n;
		if ((uint64_t)n < piece[2])
			break;
	}
	return sum;
}

X86_SYSCALL(readv)
{
	if (x86_is_channel(p, (uint32_t)a[0]))
		return x86_channel_readv(p, t, a);
	return x86_each_piece(p, t, a, x86_sys_read);
}

X86_SYSCALL(writev)
{
	if (x86_is_channel(p, (uint32_t)a[0]))
		return x86_channel_writev(p, t, a);
	return x86_each_piece(p, t, a, x86_sys_write);
}

X86_SYSCALL(preadv)
{
	return x86_each_piece(p, t, a, x86_sys_pread64);
}

X86_SYSCALL(pwritev)
{
	return x86_each_piece(p, t, a, x86_sys_pwrite64);
}

X86_SYSCALL(lseek)
{
	int host = x86_host_file(p, (uint32_t)a[0]);

	if (host < 0)
		return host;
	/* Of a folder: its entries are read again. */
	x86_entries_free(p->file[(uint32_t)a[0]].list);
	p->file[(uint32_t)a[0]].list = NULL;
	return x86_host_result(lseek(host, (off_t)a[1], (int)a[2]));
}

X86_SYSCALL(ftruncate)
{
	int host = x86_host_file(p, (uint32_t)a[0]);

	int64_t n;

	if (host < 0)
		return host;
	x86_shared_store(p, host);
	n = x86_host_result(ftruncate(host, (off_t)a[1]));
	x86_shared_load(p, host);
	return n;
}

X86_SYSCALL(close)
{
	struct x86_file *f = &p->file[(uint32_t)a[0] % X86_FILES];

	if ((uint32_t)a[0] >= X86_FILES || !f->open)
		return -EBADF;
	x86_epoll_closed(p, (uint32_t)a[0]);
	if (x86_is_channel(p, (uint32_t)a[0]))
		x86_channel_drop(p, f);
	else if (!f->borrowed)
		close(f->host);
	x86_entries_free(f->list);
	free(f->path);
	*f = (struct x86_file){ 0 };
	return 0;
}

int x86_guest_path(struct x86_process *p, int64_t folder, uint64_t at,
		   bool follow, char *out)
{
	const char *path = x86_mem_string(&p->mem, at, X86_PATH);
	const char *from = p->cwd;

	if (!path)
		return -EFAULT;
	if (folder != X86_CWD && path[0] != '/') {
		if (x86_host_file(p, (uint64_t)folder) < 0 ||
		    !p->file[folder].path)
			return -EBADF;
		from = p->file[folder].path;
	}
	return x86_path(p, from, path, follow, out);
}

/* Linux' flags of open, of which the host may have others. */
static const struct {
	unsigned guest;
	int host;
} x86_open_flags[] = {
	{ 1, O_WRONLY },          { 2, O_RDWR },      { 0100, O_CREAT },
	{ 0200, O_EXCL },         { 01000, O_TRUNC }, { 02000, O_APPEND },
	{ 0200000, O_DIRECTORY },
};
enum {
	X86_O_NOFOLLOW = 0400000,
	X86_O_EXCL = 0200,
	X86_O_TRUNC = 01000,
	X86_O_TMPFILE = 020200000
};

static int x86_open_host(struct x86_process *p, const char *path,
			 uint64_t flags, uint64_t mode, bool *random)
{
	int host = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int fd;

	for (size_t i = 0;
	     i < sizeof(x86_open_flags) / sizeof(x86_open_flags[0]); i++)
		if (flags & x86_open_flags[i].guest)
			host |= x86_open_flags[i].host;
	if (x86_image_is(p, path) && flags & (O_ACCMODE | X86_O_TRUNC))
		return -ETXTBSY;
	fd = openat(p->root, path, host, (mode_t)(mode & 0777));
	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	return x86_special_open(p, path, host, random);
}

int64_t x86_add_file(struct x86_process *p, int host, const char *path)
{
	for (unsigned i = 0; i < X86_FILES; i++) {
		struct x86_file *f = &p->file[i];
		size_t n = strlen(path) + 2;

		if (f->open)
			continue;
		f->path = malloc(n);
		if (!f->path)
			break;
		snprintf(f->path, n, "/%s", path);
		f->open = true;
		f->host = host;
		f->number = x86_path_number(path);
		return i;
	}
	close(host);
	return -EMFILE;
}

static int64_t x86_open_at(struct x86_process *p, int64_t folder, uint64_t path,
			   uint64_t flags, uint64_t mode)
{
	bool follow = !(flags & (X86_O_NOFOLLOW | X86_O_EXCL));
	char name[X86_PATH];
	int host, e = x86_guest_path(p, folder, path, follow, name);
	bool random = false;
	int64_t number;

	if (e)
		return e;
	if ((flags & X86_O_TMPFILE) == X86_O_TMPFILE)
		return x86_nameless_open(p, name, flags, mode);
	if (flags & X86_O_TRUNC)
		x86_shared_store(p, -1);
	host = x86_open_host(p, name, flags, mode, &random);
	if (host < 0)
		return host;
	if (flags & X86_O_TRUNC)
		x86_shared_load(p, host);
	number = x86_add_file(p, host, name);
	if (number >= 0)
		p->file[number].random = random;
	return number;
}

X86_SYSCALL(open)
{
	return x86_open_at(p, X86_CWD, a[0], a[1], a[2]);
}

X86_SYSCALL(openat)
{
	return x86_open_at(p, (int32_t)a[0], a[1], a[2], a[3]);
}

/* Linux' struct stat of x86-64. Device, numbers and times are the same wherever
 * it runs. */
struct x86_stat {
	uint64_t dev, ino, nlink;
	uint32_t mode, uid, gid, pad;
	uint64_t rdev;
	int64_t size, block_size, blocks;
	uint64_t times[6];
	int64_t unused[3];
};

static int64_t x86_put_stat(struct x86_process *p, uint64_t at,
			    const struct stat *s, uint64_t number)
{
	struct x86_stat v = { .dev = 1,
			      .ino = number,
			      .nlink = s->st_nlink > 0,
			      .mode = s->st_mode,
			      .uid = 1000,
			      .gid = 1000,
			      .size = S_ISDIR(s->st_mode) ? 4096 : s->st_size,
			      .block_size = 4096,
			      .times = { X86_EPOCH_NS / 1000000000, 0,
					 X86_EPOCH_NS / 1000000000, 0,
					 X86_EPOCH_NS / 1000000000, 0 } };
	void *to = x86_mem_put(&p->mem, at, sizeof(v));

	v.blocks = (v.size + 511) / 512;
	if (!to)
		return -EFAULT;
	memcpy(to, &v, sizeof(v));
	return 0;
}

X86_SYSCALL(fstat)
{
	int host = x86_host_file(p, (uint32_t)a[0]);
	struct stat s;

	if (host < 0 && !x86_is_channel(p, (uint32_t)a[0]))
		return host;
	/* Whatever the standard files are, they are pipes for the guest. */
	if (host < 0 || p->file[(uint32_t)a[0]].borrowed)
		s = (struct stat){ .st_mode = S_IFIFO | 0600, .st_nlink = 1 };
	else if (fstat(host, &s) < 0)
		return -errno;
	return x86_put_stat(p, a[1], &s,
			    p->file[(uint32_t)a[0]].path ?
				    p->file[(uint32_t)a[0]].number :
				    2 + (uint32_t)a[0]);
}

uint64_t x86_path_number(const char *path)
{
	uint64_t h = 14695981039346656037u;

	for (; *path; path++)
		h = (h ^ (uint8_t)*path) * 1099511628211u;
	return h >> 1;
}

static int64_t x86_stat_at(struct x86_process *p, int64_t folder, uint64_t path,
			   uint64_t to, bool follow)
{
	char name[X86_PATH];
	struct stat s;
	int e = x86_guest_path(p, folder, path, follow, name);

	if (e)
		return e;
	e = fstatat(p->root, name, &s, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
	if (e == -ENOENT)
		e = x86_special_stat(p, name, &s);
	return e ? e : x86_put_stat(p, to, &s, x86_path_number(name));
}

X86_SYSCALL(stat)
{
	return x86_stat_at(p, X86_CWD, a[0], a[1], true);
}

X86_SYSCALL(lstat)
{
	return x86_stat_at(p, X86_CWD, a[0], a[1], false);
}

X86_SYSCALL(newfstatat)
{
	const char *path = x86_mem_string(&p->mem, a[1], X86_PATH);
	const uint64_t file[2] = { a[0], a[2] };

	if (path && !path[0] && a[3] & X86_AT_EMPTY)
		return x86_sys_fstat(p, t, file);
	return x86_stat_at(p, (int32_t)a[0], a[1], a[2],
			   !(a[3] & X86_AT_NOFOLLOW));
}

int x86_free_file(const struct x86_process *p, uint64_t least)
{
	for (uint64_t i = least; i < X86_FILES; i++)
		if (!p->file[i].open)
			return (int)i;
	return -EMFILE;
}

/* Another number for an open file: both share its position. */
static int64_t x86_dup(struct x86_process *p, uint32_t old, int64_t number)
{
	const struct x86_file *from = &p->file[old];
	struct x86_file *to;
	char *path = NULL;
	int host = from->host;

	if (number < 0)
		return number;
	if (x86_is_channel(p, old)) {
		p->file[number] = *from;
		x86_channel_hold(&p->file[number]);
		return number;
	}
	if (from->path) {
		path = strdup(from->path);
		if (!path)
			return -ENOMEM;
	}
	if (!from->borrowed)
		host = fcntl(from->host, F_DUPFD_CLOEXEC, 0);
	if (host < 0) {
		free(path);
		return -errno;
	}
	to = &p->file[number];
	*to = (struct x86_file){ .open = true,
				 .borrowed = from->borrowed,
				 .random = from->random,
				 .number = from->number,
				 .host = host,
				 .path = path };
	return number;
}

static bool x86_is_open(const struct x86_process *p, uint32_t number)
{
	return number < X86_FILES && p->file[number].open;
}

X86_SYSCALL(dup)
{
	return !x86_is_open(p, (uint32_t)a[0]) ?
		       -EBADF :
		       x86_dup(p, (uint32_t)a[0], x86_free_file(p, 0));
}

static int64_t x86_dup_to(struct x86_process *p, struct x86_thread *t,
			  uint32_t old, uint32_t number)
{
	if (!x86_is_open(p, old) || number >= X86_FILES)
		return -EBADF;
	if (p->file[number].open)
		x86_sys_close(p, t, (const uint64_t[1]){ number });
	return x86_dup(p, old, number);
}

X86_SYSCALL(dup2)
{
	if ((uint32_t)a[0] == (uint32_t)a[1])
		return x86_is_open(p, (uint32_t)a[0]) ?
			       (int64_t)(uint32_t)a[0] :
			       -EBADF;
	return x86_dup_to(p, t, (uint32_t)a[0], (uint32_t)a[1]);
}

X86_SYSCALL(dup3)
{
	if ((uint32_t)a[0] == (uint32_t)a[1])
		return -EINVAL;
	return x86_dup_to(p, t, (uint32_t)a[0], (uint32_t)a[1]);
}

enum {
	X86_DUPFD = 0,
	X86_GETFD = 1,
	X86_SETFD,
	X86_GETFL,
	X86_SETFL,
	X86_GETLK,
	X86_SETLK,
	X86_SETLKW,
	X86_OFD_GETLK = 36,
	X86_OFD_SETLK,
	X86_OFD_SETLKW,
	X86_DUPFD_CLOEXEC = 1030
};
enum { X86_F_UNLCK = 2 };

/* Nobody else has a lock: the first member of struct flock says so. */
static int64_t x86_get_lock(struct x86_process *p, uint64_t at)
{
	const uint16_t type = X86_F_UNLCK;
	void *to = x86_mem_put(&p->mem, at, sizeof(type));

	if (!to)
		return -EFAULT;
	memcpy(to, &type, sizeof(type));
	return 0;
}

/* The access mode has the same values everywhere. */
static int64_t x86_get_flags_of(const struct x86_file *f)
{
	int nonblocking = f->nonblocking ? X86_NONBLOCK : 0;

	if (f->host >= 0)
		return (fcntl(f->host, F_GETFL) & O_ACCMODE) | nonblocking;
	return nonblocking | (!f->out ? O_RDONLY : f->in ? O_RDWR : O_WRONLY);
}

X86_SYSCALL(fcntl)
{
	struct x86_file *f = &p->file[(uint32_t)a[0] % X86_FILES];

	if (!x86_is_open(p, (uint32_t)a[0]))
		return -EBADF;
	switch (a[1]) {
	case X86_DUPFD:
	case X86_DUPFD_CLOEXEC:
		return x86_dup(p, (uint32_t)a[0], x86_free_file(p, a[2]));
	case X86_GETFD:
	case X86_SETFD:
		return 0;
	case X86_SETFL:
		f->nonblocking = a[2] & X86_NONBLOCK;
		return 0;
	case X86_GETFL:
		return x86_get_flags_of(f);
	case X86_GETLK:
	case X86_OFD_GETLK:
		return x86_get_lock(p, a[2]);
	case X86_SETLK:
	case X86_SETLKW:
	case X86_OFD_SETLK:
	case X86_OFD_SETLKW:
		return 0;
	default:
		return -EINVAL;
	}
}
