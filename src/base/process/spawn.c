/* SPDX-License-Identifier: MIT */
/*
 * spawn.c - fork and exec, because posix_spawn has no way to end a child with its parent.
 *
 * The process may have threads: between fork and exec the child calls nothing that takes a lock
 * or memory. All signals are blocked meanwhile, so that no handler of ours runs in the child. A
 * pipe that closes on exec carries the errno value of what failed.
 */
#include "base/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* exec takes the strings as not const, and never writes to them. */
static char *const *plain(const char *const *list)
{
	union {
		const char *const *from;
		char *const *to;
	} cast = { list };

	return cast.to;
}

/* What is handled gets its default; so does what we ignore and programs expect to end them. */
static void reset_signals(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL }, now;

	(void)sigemptyset(&usual.sa_mask);
	for (int number = 1; number < NSIG; number++) {
		bool ours = number == SIGPIPE || number == SIGXFSZ;

		if (sigaction(number, NULL, &now) == 0 &&
		    (ours || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)))
			(void)sigaction(number, &usual, NULL);
	}
}

/* Where it has the number already, it only has to stay open. */
static bool put_at(int fd, int number)
{
	if (fd == WL_SPAWN_OURS)
		return true;
	return fd == number ? fcntl(fd, F_SETFD, 0) == 0 : dup2(fd, number) == number;
}

/* stdin comes last: where our own is closed, another descriptor may have its number. */
static bool put_files(const struct wl_spawn *how)
{
	int in = how->in;

	if (!put_at(how->out, STDOUT_FILENO) || !put_at(how->err, STDERR_FILENO))
		return false;
	if (in == WL_SPAWN_NULL) {
		in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (in < 0)
			return false;
	}
	return put_at(in, STDIN_FILENO);
}

/* In the child. Returns only where it cannot be the program, with errno. */
static void become(const struct wl_spawn *how, pid_t parent)
{
	sigset_t none;

	reset_signals();
	(void)sigemptyset(&none);
	if (how->has_own_group && setpgid(0, 0))
		return;
	if (!put_files(how))
		return;
	/* A parent that ended before the call sends nothing. */
	if (how->with_us && (prctl(PR_SET_PDEATHSIG, (unsigned long)how->with_us, 0UL, 0UL, 0UL) ||
			     getppid() != parent))
		return;
	if (sigprocmask(SIG_SETMASK, &none, NULL))
		return;
	(void)execvpe(how->argv[0], plain(how->argv),
		      how->env ? plain(how->env) : (char *const *)environ);
}

/* What the child wrote: an errno value, or nothing when exec closed the pipe. */
static int read_failure(int fd)
{
	int why = 0;
	ssize_t n;

	do
		n = read(fd, &why, sizeof(why));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(why) ? why : 0;
}

/* Above the numbers that the child's own descriptors get. */
static int make_pipe(int fd[2])
{
	int made[2], why = 0;

	if (pipe2(made, O_CLOEXEC))
		return errno;
	for (int i = 0; i < 2; i++) {
		fd[i] = fcntl(made[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (fd[i] < 0)
			why = errno;
	}
	(void)close(made[0]);
	(void)close(made[1]);
	for (int i = 0; why && i < 2; i++) {
		if (fd[i] >= 0)
			(void)close(fd[i]);
	}
	return why;
}

static pid_t start(const struct wl_spawn *how, int failure)
{
	const pid_t us = getpid();
	sigset_t all, before;
	pid_t pid;
	int why;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	why = errno;
	if (pid == 0) {
		become(how, us);
		why = errno;
		(void)!write(failure, &why, sizeof(why));
		_exit(127);
	}
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return pid;
}

int wl_spawn(const struct wl_spawn *how, pid_t *ret_pid)
{
	int fd[2] = { -1, -1 }, why = make_pipe(fd);
	pid_t pid;

	if (why)
		return why;
	pid = start(how, fd[1]);
	why = pid < 0 ? errno : 0;
	(void)close(fd[1]);
	if (!why)
		why = read_failure(fd[0]);
	(void)close(fd[0]);
	if (why && pid > 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (!why)
		*ret_pid = pid;
	return why;
}
