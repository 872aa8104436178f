/* System calls: pairs of connected sockets. Those with an address are refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/x86/channel.h"

enum {
	X86_AF_UNIX = 1,
	X86_SOCK_STREAM = 1,
	X86_SOCK_DGRAM = 2,
	X86_SOCK_SEQPACKET = 5,
	X86_SOCK_KIND = 0xf,
	X86_MSG_PEEK = 2,
	X86_MSG_DONTWAIT = 0x40,
	X86_MSG_NOSIGNAL = 0x4000,
	X86_MSG_CLOEXEC = 0x40000000,
	X86_SHUT_WR = 1,
	X86_SHUT_RDWR = 2
};

X86_SYSCALL(socketpair)
{
	unsigned kind = a[1] & X86_SOCK_KIND;
	uint64_t flags = a[1] & ~(uint64_t)X86_SOCK_KIND;
	struct x86_channel *c[2];
	int ends[2] = { -1, -1 };

	if (a[0] != X86_AF_UNIX)
		return -EAFNOSUPPORT;
	if (kind != X86_SOCK_STREAM && kind != X86_SOCK_DGRAM &&
	    kind != X86_SOCK_SEQPACKET)
		return -ESOCKTNOSUPPORT;
	if (flags & ~(uint64_t)(X86_NONBLOCK | X86_CLOEXEC))
		return -EINVAL;
	c[0] = calloc(1, sizeof(*c[0]));
	c[1] = calloc(1, sizeof(*c[1]));
	if (c[0] && c[1]) {
		c[0]->records = c[1]->records = kind != X86_SOCK_STREAM;
		ends[0] = x86_channel_add(p, c[0], c[1], flags);
	}
	if (ends[0] < 0) {
		free(c[0]);
		free(c[1]);
		return c[0] && c[1] ? -EMFILE : -ENOMEM;
	}
	ends[1] = x86_channel_add(p, c[1], c[0], flags);
	return x86_channel_pair(p, t, a[3], ends);
}

/* NULL: the number is none of a socket, and *e says so. */
static struct x86_file *x86_socket(struct x86_process *p, uint32_t number,
				   int64_t *e)
{
	struct x86_file *f = &p->file[number % X86_FILES];

	*e = number >= X86_FILES || !f->open ? -EBADF : -ENOTSOCK;
	return number < X86_FILES && f->in && f->out && f->in != f->out ? f :
									  NULL;
}

static bool x86_message_flags(uint64_t flags, struct x86_move *how)
{
	*how = (struct x86_move){ .dontwait = flags & X86_MSG_DONTWAIT,
				  .peek = flags & X86_MSG_PEEK,
				  .silent = flags & X86_MSG_NOSIGNAL };
	return !((uint32_t)flags &
		 ~(uint32_t)(X86_MSG_PEEK | X86_MSG_DONTWAIT |
			     X86_MSG_NOSIGNAL | X86_MSG_CLOEXEC));
}

X86_SYSCALL(sendto)
{
	const void *from = x86_mem_get(&p->mem, a[1], a[2]);
	struct x86_move how;
	int64_t e;
	struct x86_file *f = x86_socket(p, (uint32_t)a[0], &e);

	if (!f)
		return e;
	if (!x86_message_flags(a[3], &how))
		return -EOPNOTSUPP;
	if (a[4])
		return -EISCONN;
	return from ? x86_channel_put(p, t, f, from, a[2], how) : -EFAULT;
}

X86_SYSCALL(recvfrom)
{
	void *to = x86_mem_put(&p->mem, a[1], a[2]);
	struct x86_move how;
	int64_t e;
	struct x86_file *f = x86_socket(p, (uint32_t)a[0], &e);

	if (!f)
		return e;
	if (!x86_message_flags(a[3], &how))
		return -EOPNOTSUPP;
	return to ? x86_channel_take(p, t, f, to, a[2], how) : -EFAULT;
}

/* Linux' struct msghdr, which ends in the length of the control data, and
 * flags. */
struct x86_message {
	uint64_t name, name_bytes, pieces, count, control, control_bytes, flags;
};

static int64_t x86_message(struct x86_process *p, struct x86_thread *t,
			   const uint64_t *a, bool sends)
{
	struct x86_message *m = x86_mem_put(&p->mem, a[1], sizeof(*m));
	struct x86_message v;
	struct x86_move how;
	int64_t e;
	struct x86_file *f = x86_socket(p, (uint32_t)a[0], &e);

	if (!f)
		return e;
	if (!m)
		return -EFAULT;
	memcpy(&v, m, sizeof(v));
	/* Files are not passed on. */
	if (!x86_message_flags(a[2], &how) || (sends && v.control_bytes))
		return -EOPNOTSUPP;
	e = x86_channel_pieces(p, t, f, v.pieces, v.count, how, sends);
	if (e >= 0 && !sends) {
		v.name_bytes = v.control_bytes = v.flags = 0;
		memcpy(m, &v, sizeof(v));
	}
	return e;
}

X86_SYSCALL(sendmsg)
{
	return x86_message(p, t, a, true);
}

X86_SYSCALL(recvmsg)
{
	return x86_message(p, t, a, false);
}

X86_SYSCALL(shutdown)
{
	int64_t e;
	struct x86_file *f = x86_socket(p, (uint32_t)a[0], &e);

	if (!f)
		return e;
	if ((uint32_t)a[1] > X86_SHUT_RDWR)
		return -EINVAL;
	if (a[1] != X86_SHUT_WR)
		f->in->shut = true;
	if (a[1] != 0)
		f->out->shut = true;
	x86_channels_changed(p);
	return 0;
}
