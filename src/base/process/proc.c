/* SPDX-License-Identifier: MIT */
/*
 * The life of a captured child: spawn, pump, reap.
 *
 * pump() alternates between draining the pipe, asking for the child's end and
 * looking at flag and clock. The end is asked for with WNOWAIT: as long as the
 * dead leader is not reaped its pid, which is also the number of its group,
 * cannot be given to anybody else, so the last kill of the group cannot hit a
 * stranger. End of file on the pipe is no sign of the end: a child may close its
 * output early, and a grandchild may keep it open for ever.
 */
#include "base/process/proc.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/spawn.h"

#define NS_PER_MS INT64_C(1000000)
#define GRACE_NS  (2000 * NS_PER_MS)

enum {
	POLL_MS = 50,
	MAX_READS = 64, /* between two looks at the clock, for a child that floods us */
};

/* A child that runs. */
struct child {
	pid_t pid;
	int out;           /* our end of the pipe, -1 after end of file */
	int64_t begin_ns;  /* when it was started */
	int64_t killed_ns; /* when it got SIGTERM, 0: not yet */
	bool is_killed;    /* SIGKILL went out */
	int quiet_ms;      /* how long to sleep without a pipe to wait for */
	siginfo_t end;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static bool is_missing(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR;
}

static int fail_start(const char *const *argv, int errnum, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_IO, "cannot start %s: %s", argv[0], strerror(errnum));
}

/* Start the program with its output in a pipe, to end with us. Returns an errno value. */
static int start(const char *const *argv, struct child *c)
{
	int fd[2];
	int rc;

	if (pipe2(fd, O_CLOEXEC))
		return errno;
	rc = fcntl(fd[0], F_SETFL, O_NONBLOCK) ? errno : 0;
	if (!rc)
		rc = wl_spawn(&(struct wl_spawn){ .argv = argv,
						  .in = WL_SPAWN_NULL,
						  .out = fd[1],
						  .err = fd[1],
						  .has_own_group = true,
						  .with_us = SIGKILL },
			      &c->pid);
	close_fd(&fd[1]);
	if (rc)
		close_fd(&fd[0]);
	c->out = fd[0];
	return rc;
}

/* Append, and forget the oldest bytes where the room ends. */
static void keep_tail(struct wl_proc_result *r, const char *bytes, size_t n)
{
	size_t room = WL_PROC_TAIL - r->n_tail;

	assert(n <= WL_PROC_TAIL);
	if (n > room) {
		size_t drop = n - room;

		memmove(r->tail, r->tail + drop, r->n_tail - drop);
		r->n_tail -= drop;
		r->tail_is_cut = true;
	}
	memcpy(r->tail + r->n_tail, bytes, n);
	r->n_tail += n;
	r->tail[r->n_tail] = '\0';
}

static void drain(struct child *c, struct wl_proc_result *r)
{
	char buf[WL_PROC_TAIL];

	for (int i = 0; i < MAX_READS && c->out >= 0; i++) {
		ssize_t n = read(c->out, buf, sizeof(buf));

		if (n > 0)
			keep_tail(r, buf, (size_t)n);
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n < 0 && errno == EAGAIN)
			return;
		else
			close_fd(&c->out);
	}
}

/* Wait for output, at most POLL_MS; without a pipe sleep, at first only for a moment. */
static void wait_a_little(struct child *c)
{
	struct pollfd p = { .fd = c->out, .events = POLLIN };

	if (c->out >= 0) {
		(void)poll(&p, 1, POLL_MS);
		return;
	}
	(void)poll(NULL, 0, c->quiet_ms);
	if (c->quiet_ms < POLL_MS / 2)
		c->quiet_ms *= 2;
}

/* 1 and c->end when the child is dead and not yet reaped, 0 while it lives, else -errno. */
static int has_ended(struct child *c)
{
	c->end.si_pid = 0;
	if (waitid(P_PID, (id_t)c->pid, &c->end, WEXITED | WNOHANG | WNOWAIT))
		return errno == EINTR ? 0 : -errno;
	return c->end.si_pid != 0;
}

static void kill_group(const struct child *c, int sig)
{
	(void)kill(-c->pid, sig);
}

static bool is_canceled(const struct wl_proc *p)
{
	return p->cancel && *p->cancel;
}

/* End the child if it must; *end remembers why. */
static void stop_if_due(const struct wl_proc *p, struct child *c, enum wl_proc_end *end)
{
	int64_t now = wl_clock_wall_ns();

	if (c->killed_ns == 0) {
		if (is_canceled(p))
			*end = WL_PROC_CANCELED;
		else if (p->limit_ns > 0 && now - c->begin_ns >= p->limit_ns)
			*end = WL_PROC_TIMED_OUT;
		else
			return;
		c->killed_ns = now;
		kill_group(c, SIGTERM);
	} else if (!c->is_killed && now - c->killed_ns >= GRACE_NS) {
		c->is_killed = true;
		kill_group(c, SIGKILL);
	}
}

/* Until the child is dead: 0, or -errno when its status cannot be had. */
static int pump(const struct wl_proc *p, struct child *c, struct wl_proc_result *r)
{
	for (;;) {
		int ended = has_ended(c);

		drain(c, r);
		if (ended)
			return ended < 0 ? ended : 0;
		stop_if_due(p, c, &r->end);
		if (p->tick)
			p->tick(p->ctx, wl_clock_wall_ns() - c->begin_ns);
		wait_a_little(c);
	}
}

static void reap(const struct child *c)
{
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int wl_proc_run(const struct wl_proc *proc, struct wl_proc_result *ret, struct wl_err *reterr)
{
	struct child c = { .out = -1, .begin_ns = wl_clock_wall_ns(), .quiet_ms = 1 };
	int rc;

	*ret = (struct wl_proc_result){ .end = WL_PROC_EXITED };
	if (is_canceled(proc)) {
		ret->end = WL_PROC_CANCELED;
		return WL_OK;
	}
	rc = start(proc->argv, &c);
	if (is_missing(rc)) {
		ret->end = WL_PROC_NOT_FOUND;
		return WL_OK;
	}
	if (rc)
		return fail_start(proc->argv, rc, reterr);
	rc = pump(proc, &c, ret);
	if (!rc) {
		kill_group(&c, SIGKILL);
		reap(&c);
	}
	close_fd(&c.out);
	ret->elapsed_ns = wl_clock_wall_ns() - c.begin_ns;
	if (rc)
		return wl_fail(reterr, WL_E_IO, "no exit status of %s: %s", proc->argv[0],
			       strerror(-rc));
	if (ret->end != WL_PROC_EXITED)
		return WL_OK;
	if (c.end.si_code != CLD_EXITED)
		ret->end = WL_PROC_SIGNALED;
	ret->code = c.end.si_status;
	return WL_OK;
}

int wl_proc_foreground(const char *const *argv, int in_fd, int *ret_code, struct wl_err *reterr)
{
	pid_t pid = -1;
	int status = 0;
	int rc = wl_spawn(&(struct wl_spawn){ .argv = argv,
					      .in = in_fd >= 0 ? in_fd : WL_SPAWN_OURS,
					      .out = WL_SPAWN_OURS,
					      .err = WL_SPAWN_OURS },
			  &pid);

	if (is_missing(rc)) {
		*ret_code = 127;
		return WL_OK;
	}
	if (rc)
		return fail_start(argv, rc, reterr);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return wl_fail(reterr, WL_E_IO, "no exit status of %s: %s", argv[0],
				       strerror(errno));
	*ret_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return WL_OK;
}
