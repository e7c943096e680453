/* SPDX-License-Identifier: MIT */
/*
 * sandbox_filter.c - the list of allowed calls as a program for seccomp.
 *
 * One comparison and one answer per call: jumps stay short, and the kernel keeps the answers of
 * calls whose arguments are not looked at. What is not listed gets ENOSYS, for which libraries
 * have other ways, such as clone instead of clone3, whose arguments no filter can see.
 */
#include "base/process/sandbox_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/process/may.h"

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef OUR_ARCH
enum {
	MAX_STEPS = 1024,
	X32 = 0x40000000, /* calls of another kind on x86-64 */
};

/* As in <sys/socket.h>, the same on both machines. */
enum {
	INET = 2,
	INET6 = 10,
	PACKET = 17,
	STREAM = 1,
	FAST_OPEN = 0x20000000,
	TYPE_OF_SOCKET = 0xf,            /* the rest is SOCK_CLOEXEC and SOCK_NONBLOCK */
	INET_OR_INET6 = ~(INET ^ INET6), /* bits in which both have */
	OF_BOTH = INET & INET6,          /* this value, and no other family */
	ZERO_OR_TCP = ~6, /* and two that no stream has; MPTCP and SCTP have more bits */
};

/* Arguments are compared by halves; both machines have the low one first. */
#define LOW(argument)  (2 * (argument))
#define HIGH(argument) (2 * (argument) + 1)
#define REFUSED        (SECCOMP_RET_ERRNO | EPERM)

struct rule {
	long call;
	unsigned on; /* one of these rights is needed; 0: none */
};

struct program {
	struct sock_filter step[MAX_STEPS];
	unsigned short n;
	bool is_full;
};

static void add(struct program *p, struct sock_filter step)
{
	if (p->n == MAX_STEPS)
		p->is_full = true;
	else
		p->step[p->n++] = step;
}

static void load(struct program *p, size_t offset)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void answer(struct program *p, uint32_t what)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

/* The answer to one call. */
static void rule(struct program *p, long call, uint32_t what)
{
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1));
	answer(p, what);
}

/* One half of an argument: those of its bits that count, and their value. All zero: any call. */
struct test {
	unsigned half;
	uint32_t bits, value;
	bool is_other; /* any value but this one */
};

/* A call that passes both tests. */
struct form {
	long call;
	struct test test[2];
	uint32_t what;
};

/* The answer to it. The number of the call is loaded again behind it. */
static void rule_for(struct program *p, const struct form *f)
{
	const struct test *t = f->test;
	enum { STEPS_OF_TEST = 3, REST = 2 };

	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)f->call, 0,
					    2 * STEPS_OF_TEST + REST));
	for (unsigned i = 0; i < 2; i++) {
		unsigned char past = (unsigned char)((1 - i) * STEPS_OF_TEST + 1);

		load(p, offsetof(struct seccomp_data, args) + t[i].half * sizeof(uint32_t));
		add(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, t[i].bits));
		add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, t[i].value,
						    t[i].is_other ? past : 0,
						    t[i].is_other ? 0 : past));
	}
	answer(p, f->what);
	load(p, offsetof(struct seccomp_data, nr));
}

static void rules_for(struct program *p, const struct form *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rule_for(p, &f[i]);
}

static const struct rule rules[] = {
#define CALL(name)      { SYS_##name, 0 },
#define ON(right, name) { SYS_##name, right },
#include "base/process/sandbox_calls.def"
#undef CALL
#undef ON
};

static void begin(struct program *p)
{
	load(p, offsetof(struct seccomp_data, arch));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0));
	answer(p, SECCOMP_RET_KILL_PROCESS);
	load(p, offsetof(struct seccomp_data, nr));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1));
	answer(p, SECCOMP_RET_ERRNO | ENOSYS);
}

/* Bytes as if they were typed, for the shell that runs next. */
static const struct form typing = { SYS_ioctl,
				    { { LOW(1), UINT32_MAX, TIOCSTI, false } },
				    REFUSED };

/* Who may not connect sends no bytes with the call that opens a connection either. */
static const struct form fast_open[] = {
	{ SYS_sendto, { { LOW(3), FAST_OPEN, FAST_OPEN, false } }, REFUSED },
	{ SYS_sendmsg, { { LOW(2), FAST_OPEN, FAST_OPEN, false } }, REFUSED },
	{ SYS_sendmmsg, { { LOW(3), FAST_OPEN, FAST_OPEN, false } }, REFUSED },
};

/*
 * Nor datagrams. The address of sendmsg lies in memory, which no filter reads: there are no sockets
 * that would take it.
 */
static const struct form no_datagrams[] = {
	{ SYS_sendto, { { LOW(4), UINT32_MAX, 0, true } }, REFUSED },
	{ SYS_sendto, { { HIGH(4), UINT32_MAX, 0, true } }, REFUSED },
	{ SYS_socket, { { LOW(0), (uint32_t)INET_OR_INET6, OF_BOTH, true } }, REFUSED },
	{ SYS_socket, { { LOW(1), TYPE_OF_SOCKET, STREAM, true } }, REFUSED },
	{ SYS_socket, { { LOW(2), (uint32_t)ZERO_OR_TCP, 0, true } }, REFUSED },
	{ SYS_socketpair, { { LOW(1), TYPE_OF_SOCKET, STREAM, true } }, REFUSED },
};

/* Programs have sockets of the machine, which the C library asks for names of interfaces. */
static const struct form no_packets[] = {
	{ SYS_socket,
	  { { LOW(0), (uint32_t)INET_OR_INET6, OF_BOTH, false },
	    { LOW(1), TYPE_OF_SOCKET, STREAM, true } },
	  REFUSED },
	{ SYS_socket, { { LOW(0), UINT32_MAX, PACKET, false } }, REFUSED },
};

/* Calls that are allowed in one form only. */
static void add_forms(struct program *p, unsigned may)
{
	const struct form own[] = {
		{ SYS_kill, { { LOW(0), UINT32_MAX, 0, false } }, SECCOMP_RET_ALLOW },
		{ SYS_kill,
		  { { LOW(0), UINT32_MAX, (uint32_t)getpid(), false } },
		  SECCOMP_RET_ALLOW },
		{ SYS_clone, { { LOW(0), CLONE_THREAD, CLONE_THREAD, false } }, SECCOMP_RET_ALLOW },
	};

	rule_for(p, &typing);
	rule(p, SYS_ioctl, SECCOMP_RET_ALLOW);
	rules_for(p, own, WL_COUNT(own));
	if (may & WL_MAY_CONNECT)
		return;
	rules_for(p, fast_open, WL_COUNT(fast_open));
	rules_for(p, no_datagrams, WL_COUNT(no_datagrams));
}

static void refuse(struct program *p, const long *call, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rule(p, call[i], REFUSED);
}

/* Programs that are started need other calls than we do: only the worst are refused. */
static void add_refusals(struct program *p, unsigned may)
{
	static const long worst[] = { SYS_ptrace,
				      SYS_process_vm_readv,
				      SYS_process_vm_writev,
				      SYS_bpf,
				      SYS_mount,
				      SYS_umount2,
				      SYS_unshare,
				      SYS_setns,
				      SYS_init_module,
				      SYS_finit_module,
				      SYS_kexec_load,
				      SYS_perf_event_open,
				      SYS_userfaultfd,
				      SYS_add_key,
				      SYS_keyctl,
				      SYS_request_key };
	/* A ring makes any call of sockets, and no filter sees it. */
	static const long connecting[] = { SYS_connect, SYS_io_uring_setup };
	static const long listening[] = { SYS_listen, SYS_accept, SYS_accept4 };

	refuse(p, worst, WL_COUNT(worst));
	if (!(may & WL_MAY_CONNECT)) {
		refuse(p, connecting, WL_COUNT(connecting));
		rules_for(p, fast_open, WL_COUNT(fast_open));
		rules_for(p, no_packets, WL_COUNT(no_packets));
	}
	if (!(may & WL_MAY_LISTEN))
		refuse(p, listening, WL_COUNT(listening));
	rule_for(p, &typing);
	answer(p, SECCOMP_RET_ALLOW);
}

/* Exec, sockets and files give a reason that people can read; the rest does not exist. */
static void add_calls(struct program *p, unsigned may)
{
	static const long started[] = {
		SYS_execve, SYS_execveat, SYS_clone,
#ifdef __x86_64__
		SYS_fork,   SYS_vfork,
#endif
	};

	add_forms(p, may);
	refuse(p, started, WL_COUNT(started));
	for (size_t i = 0; i < WL_COUNT(rules); i++) {
		bool ok = !rules[i].on || (rules[i].on & may);

		rule(p, rules[i].call, ok ? SECCOMP_RET_ALLOW : REFUSED);
	}
	answer(p, SECCOMP_RET_ERRNO | ENOSYS);
}

static bool install(const struct program *p)
{
	union {
		const struct sock_filter *from;
		struct sock_filter *to;
	} cast = { .from = p->step };
	struct sock_fprog prog = { .len = p->n, .filter = cast.to };

	return !p->is_full &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog) == 0;
}

bool wl_sandbox_filter(unsigned may)
{
	struct program p = { .n = 0 };

	begin(&p);
	if (may & WL_MAY_EXEC)
		add_refusals(&p, may);
	else
		add_calls(&p, may);
	return install(&p);
}

/* Where two filters differ, the kernel takes the refusal. */
bool wl_sandbox_filter_sockets(void)
{
	static const long made[] = { SYS_socket, SYS_socketpair, SYS_bind, SYS_listen,
				     SYS_connect };
	struct program p = { .n = 0 };

	begin(&p);
	refuse(&p, made, WL_COUNT(made));
	answer(&p, SECCOMP_RET_ALLOW);
	return install(&p);
}

#else
bool wl_sandbox_filter(unsigned may)
{
	(void)may;
	return false;
}

bool wl_sandbox_filter_sockets(void)
{
	return false;
}
#endif
