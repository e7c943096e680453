/* SPDX-License-Identifier: MIT */
#include "base/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/spawn.h"

enum { MAX_READS = 64 }; /* of one pipe before the other one is looked at */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

void wl_child_close(struct wl_child *child)
{
	close_fd(&child->from[0]);
	close_fd(&child->from[1]);
}

int wl_child_status(const struct wl_child_end *end)
{
	return end->signal ? 128 + end->signal : end->code;
}

void wl_child_adopt(bool on)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, on ? 1UL : 0UL, 0UL, 0UL, 0UL);
}

static bool is_set_by(const char *const *env, const char *entry)
{
	const size_t n = strcspn(entry, "=");

	for (size_t i = 0; env && env[i]; i++) {
		if (strncmp(env[i], entry, n) == 0 && env[i][n] == '=')
			return true;
	}
	return false;
}

/* Our environment with env set in it. The caller frees the list. NULL without memory. */
static const char **merged(const char *const *env)
{
	size_t n = 0, n_env = 0, to = 0;
	const char **all;

	while (environ && environ[n])
		n++;
	while (env && env[n_env])
		n_env++;
	all = malloc((n + n_env + 1) * sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (!is_set_by(env, environ[i]))
			all[to++] = environ[i];
	}
	for (size_t i = 0; i < n_env; i++)
		all[to++] = env[i];
	all[to] = NULL;
	return all;
}

/* Returns an errno value; that of exec, too. */
static int spawn(const struct wl_child_how *how, const int to[2], pid_t *ret_pid)
{
	const char **env = merged(how->env);
	int rc = env ? wl_spawn(&(struct wl_spawn){ .argv = how->argv,
						    .env = env,
						    .in = how->has_input ? WL_SPAWN_OURS
									 : WL_SPAWN_NULL,
						    .out = to[0],
						    .err = to[1],
						    .has_own_group = true,
						    .with_us = SIGTERM },
				ret_pid)
		     : ENOMEM;

	free(env);
	return rc;
}

/* Two pipes: from[i] is ours and does not block. Returns an errno value. */
static int make_pipes(int from[2], int to[2])
{
	for (int i = 0; i < 2; i++) {
		int fd[2];

		if (pipe2(fd, O_CLOEXEC))
			return errno;
		from[i] = fd[0];
		to[i] = fd[1];
		if (fcntl(fd[0], F_SETFL, O_NONBLOCK))
			return errno;
	}
	return 0;
}

int wl_child_start(const struct wl_child_how *how, struct wl_child *ret, struct wl_err *reterr)
{
	int to[2] = { -1, -1 };
	int rc;

	*ret = (struct wl_child){ .from = { -1, -1 },
				  .to = { how->out, how->err },
				  .begin_ns = wl_clock_wall_ns() };
	rc = make_pipes(ret->from, to);
	if (!rc)
		rc = spawn(how, to, &ret->pid);
	close_fd(&to[0]);
	close_fd(&to[1]);
	if (!rc)
		return WL_OK;
	wl_child_close(ret);
	ret->pid = 0;
	return wl_fail(reterr, WL_E_IO, "cannot start %.200s: %s", how->argv[0],
		       rc == ENOENT || rc == ENOTDIR ? "no such program" : strerror(rc));
}

/* Append, and forget the oldest bytes where the room ends. n is WL_CHILD_TAIL at most. */
static void keep(struct wl_child *c, const char *bytes, size_t n)
{
	const size_t room = WL_CHILD_TAIL - c->n_tail;

	if (n > room) {
		const size_t drop = n - room;

		memmove(c->tail, c->tail + drop, c->n_tail - drop);
		c->n_tail -= drop;
	}
	memcpy(c->tail + c->n_tail, bytes, n);
	c->n_tail += n;
	c->tail[c->n_tail] = '\0';
}

/* A reader that has gone is no reason to stop the child: its output is dropped from then on. */
static void pass_on(int *to, const char *bytes, size_t n)
{
	while (n > 0 && *to >= 0) {
		ssize_t done = write(*to, bytes, n);

		if (done < 0 && errno == EAGAIN)
			(void)poll(&(struct pollfd){ .fd = *to, .events = POLLOUT }, 1, 100);
		else if (done < 0 && errno != EINTR)
			*to = -1;
		if (done > 0) {
			bytes += done;
			n -= (size_t)done;
		}
	}
}

static void drain(struct wl_child *c, int i)
{
	char buf[4096];

	for (int k = 0; k < MAX_READS && c->from[i] >= 0; k++) {
		ssize_t n = read(c->from[i], buf, sizeof(buf));

		if (n > 0) {
			keep(c, buf, (size_t)n);
			pass_on(&c->to[i], buf, (size_t)n);
		} else if (n < 0 && errno == EAGAIN) {
			return;
		} else if (n == 0 || errno != EINTR) {
			close_fd(&c->from[i]);
		}
	}
}

void wl_child_pump(struct wl_child *child, int ms)
{
	struct pollfd p[2] = { { .fd = child->from[0], .events = POLLIN },
			       { .fd = child->from[1], .events = POLLIN } };

	if (poll(p, 2, ms) <= 0)
		return;
	drain(child, 0);
	drain(child, 1);
}

pid_t wl_child_reap(struct wl_child_end *ret)
{
	int status = 0;
	pid_t pid;

	do
		pid = waitpid(-1, &status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid > 0)
		*ret = (struct wl_child_end){ .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
					      .signal =
						      WIFSIGNALED(status) ? WTERMSIG(status) : 0 };
	return pid;
}
