/* SPDX-License-Identifier: MIT */
/*
 * sandbox_filter.c - the list of allowed calls as a program for seccomp.
 *
 * One comparison and one answer per call: jumps stay short, and the kernel keeps the answers of
 * calls whose arguments are not looked at. What is not listed gets ENOSYS, for which libraries
 * have other ways, such as clone instead of clone3, whose arguments no filter can see.
 */
#include "base/sandbox_filter.h"

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
#include "base/may.h"

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef OUR_ARCH
enum {
	MAX_STEPS = 512,
	X32 = 0x40000000, /* calls of another kind on x86-64 */
};

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

/* To one whose argument, the low half of it, is this value. The number is loaded again after it. */
static void rule_for(struct program *p, long call, unsigned argument, unsigned short how,
		     uint32_t value, uint32_t what)
{
	const size_t at = offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);

	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4));
	load(p, at); /* both machines have the low half first */
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | how | BPF_K, value, 0, 1));
	answer(p, what);
	load(p, offsetof(struct seccomp_data, nr));
}

static const struct rule rules[] = {
#define CALL(name)      { SYS_##name, 0 },
#define ON(right, name) { SYS_##name, right },
#include "base/sandbox_calls.def"
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

/* Calls that are allowed in one form only. */
static void add_forms(struct program *p, unsigned may)
{
	/* Bytes as if they were typed, for the shell that runs next. */
	rule_for(p, SYS_ioctl, 1, BPF_JEQ, TIOCSTI, SECCOMP_RET_ERRNO | EPERM);
	rule(p, SYS_ioctl, SECCOMP_RET_ALLOW);
	rule_for(p, SYS_kill, 0, BPF_JEQ, 0, SECCOMP_RET_ALLOW);
	rule_for(p, SYS_kill, 0, BPF_JEQ, (uint32_t)getpid(), SECCOMP_RET_ALLOW);
	if (may & WL_MAY_EXEC)
		return;
	rule_for(p, SYS_clone, 0, BPF_JSET, CLONE_THREAD, SECCOMP_RET_ALLOW);
}

static void refuse(struct program *p, const long *call, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rule(p, call[i], SECCOMP_RET_ERRNO | EPERM);
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
	static const long connecting[] = { SYS_connect };
	static const long listening[] = { SYS_listen, SYS_accept, SYS_accept4 };

	refuse(p, worst, WL_COUNT(worst));
	if (!(may & WL_MAY_CONNECT))
		refuse(p, connecting, WL_COUNT(connecting));
	if (!(may & WL_MAY_LISTEN))
		refuse(p, listening, WL_COUNT(listening));
	rule_for(p, SYS_ioctl, 1, BPF_JEQ, TIOCSTI, SECCOMP_RET_ERRNO | EPERM);
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

		rule(p, rules[i].call, ok ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM);
	}
	answer(p, SECCOMP_RET_ERRNO | ENOSYS);
}

bool wl_sandbox_filter(unsigned may)
{
	struct program p = { .n = 0 };
	struct sock_fprog prog;

	begin(&p);
	if (may & WL_MAY_EXEC)
		add_refusals(&p, may);
	else
		add_calls(&p, may);
	prog = (struct sock_fprog){ .len = p.n, .filter = p.step };
	return !p.is_full &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog) == 0;
}

#else
bool wl_sandbox_filter(unsigned may)
{
	(void)may;
	return false;
}
#endif
