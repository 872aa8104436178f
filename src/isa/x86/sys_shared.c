#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/minmax.h"
#include "isa/x86/shared.h"
#include "isa/x86/sys.h"

/* Whether the mapping is one of the file; negative: of any. */
static bool x86_shared_is_of(const struct x86_shared *s, int host)
{
	struct stat st;

	return host < 0 || (!fstat(host, &st) && st.st_dev == s->device &&
			    st.st_ino == s->inode);
}

/* Writes the bytes of a page that have been stored to; `room`: those that the file
 * has. */
static void x86_shared_store_page(const struct x86_process *p,
				  struct x86_shared *s, uint64_t at,
				  uint64_t room)
{
	const uint8_t *now = p->mem.memory + s->at + at;
	uint64_t first = 0, end = min_u64(room, X86_PAGE);

	if (!memcmp(now, s->seen + at, end))
		return;
	while (now[first] == s->seen[at + first])
		first++;
	while (now[end - 1] == s->seen[at + end - 1])
		end--;
	if (pwrite(s->host, now + first, end - first,
		   (off_t)(s->offset + at + first)) >= 0)
		memcpy(s->seen + at + first, now + first, end - first);
}

static void x86_shared_store_one(const struct x86_process *p,
				 struct x86_shared *s)
{
	struct stat st;
	uint64_t size;

	if (fstat(s->host, &st))
		return;
	size = (uint64_t)st.st_size;
	for (uint64_t at = 0; at < s->bytes && s->offset + at < size;
	     at += X86_PAGE)
		x86_shared_store_page(p, s, at, size - s->offset - at);
}

void x86_shared_store(struct x86_process *p, int host)
{
	for (struct x86_shared *s = p->shared; s; s = s->next)
		if (x86_shared_is_of(s, host))
			x86_shared_store_one(p, s);
}

static void x86_shared_load_one(struct x86_process *p, struct x86_shared *s)
{
	for (uint64_t at = 0; at < s->bytes; at += X86_PAGE) {
		uint8_t page[X86_PAGE] = { 0 };

		if (pread(s->host, page, X86_PAGE, (off_t)(s->offset + at)) < 0)
			return;
		if (!memcmp(page, s->seen + at, X86_PAGE))
			continue;
		memcpy(s->seen + at, page, X86_PAGE);
		memcpy(p->mem.memory + s->at + at, page, X86_PAGE);
	}
}

void x86_shared_load(struct x86_process *p, int host)
{
	for (struct x86_shared *s = p->shared; s; s = s->next)
		if (x86_shared_is_of(s, host))
			x86_shared_load_one(p, s);
}

static void x86_shared_drop(struct x86_shared *s)
{
	if (s->host >= 0)
		close(s->host);
	free(s->seen);
	free(s);
}

int64_t x86_shared_add(struct x86_process *p, uint64_t at, uint64_t bytes,
		       int host, uint64_t offset)
{
	struct x86_shared *s = calloc(1, sizeof(*s));
	struct stat st;

	if (!s)
		return -ENOMEM;
	s->at = at;
	s->bytes = bytes;
	s->offset = offset;
	s->host = fcntl(host, F_DUPFD_CLOEXEC, 0);
	s->seen = malloc(bytes);
	if (s->host < 0 || !s->seen || fstat(host, &st)) {
		x86_shared_drop(s);
		return -ENOMEM;
	}
	s->device = st.st_dev;
	s->inode = st.st_ino;
	memcpy(s->seen, p->mem.memory + at, bytes);
	s->next = p->shared;
	p->shared = s;
	return (int64_t)at;
}

/* What is left of a mapping on both sides of the pages that end. */
static void x86_shared_cut(struct x86_process *p, struct x86_shared *s,
			   uint64_t at, uint64_t end)
{
	uint64_t last = s->at + s->bytes;

	if (end < last && x86_shared_add(p, end, last - end, s->host,
					 s->offset + (end - s->at)) < 0)
		BUG("no memory for what is left of a shared mapping");
	s->bytes = at > s->at ? at - s->at : 0;
}

void x86_shared_end(struct x86_process *p, uint64_t at, uint64_t bytes)
{
	for (struct x86_shared **link = &p->shared; *link;) {
		struct x86_shared *s = *link;

		if (s->at >= at + bytes || at >= s->at + s->bytes) {
			link = &s->next;
			continue;
		}
		x86_shared_store_one(p, s);
		x86_shared_cut(p, s, at, at + bytes);
		if (link == &p->shared)
			while (*link != s)
				link = &(*link)->next;
		if (s->bytes) {
			link = &s->next;
		} else {
			*link = s->next;
			x86_shared_drop(s);
		}
	}
}

void x86_shared_move(struct x86_process *p, uint64_t from, uint64_t old,
		     uint64_t to, uint64_t bytes)
{
	for (struct x86_shared *s = p->shared; s; s = s->next) {
		if (s->at != from || s->bytes != old)
			continue;
		s->at = to;
		if (x86_shared_add(p, to + old, bytes - old, s->host,
				   s->offset + old) < 0)
			BUG("no memory for what is added to a shared mapping");
		x86_shared_load_one(p, p->shared);
		return;
	}
}

void x86_shared_free(struct x86_process *p)
{
	while (p->shared) {
		struct x86_shared *s = p->shared;

		p->shared = s->next;
		x86_shared_store_one(p, s);
		x86_shared_drop(s);
	}
}

X86_SYSCALL(msync)
{
	if (a[0] % X86_PAGE)
		return -EINVAL;
	if (!x86_mem_is_mapped(&p->mem, a[0], a[1]))
		return -ENOMEM;
	x86_shared_store(p, -1);
	x86_shared_load(p, -1);
	return 0;
}
