/* SPDX-License-Identifier: MIT */
#include "base/process/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/unit.h"

#define MS INT64_C(1000000)

/* Run a shell command with limits; for those that must start. */
static void run_with(struct wl_proc proc, const char *command, struct wl_proc_result *r)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct wl_err err = { 0 };

	proc.argv = argv;
	if (wl_proc_run(&proc, r, &err) != WL_OK)
		fail_msg("%s: %s", command, err.msg);
}

static void run(const char *command, struct wl_proc_result *r)
{
	run_with((struct wl_proc){ .argv = NULL }, command, r);
}

/*
 * The same for what ends at the first request: before 2 s, when it would be killed. A busy machine
 * may hold it up, so as many tries as it takes; ctest ends what is never so quick.
 */
static void run_soon(struct wl_proc proc, const char *command, struct wl_proc_result *r)
{
	do
		run_with(proc, command, r);
	while (r->elapsed_ns >= 1900 * MS);
}

/* Dead processes may stay as zombies of an init that does not reap. */
static bool is_running(long pid)
{
	char path[64], line[512] = "";
	const char *state;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	(void)fclose(f);
	state = strrchr(line, ')');
	return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

/* A kill is asynchronous; ctest ends the wait for one that never comes. */
static void assert_dies(long pid)
{
	assert_true(pid > 1);
	while (is_running(pid))
		(void)nanosleep(&(struct timespec){ .tv_nsec = 10 * MS }, NULL);
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int count_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

TEST(status_and_both_outputs_are_reported)
{
	struct wl_proc_result r;

	run("echo out; echo err >&2; exit 3", &r);
	assert_int_equal(r.end, WL_PROC_EXITED);
	assert_int_equal(r.code, 3);
	assert_string_equal(r.tail, "out\nerr\n");
	assert_int_equal(r.n_tail, 8);
	assert_false(r.tail_is_cut);
	run(":", &r);
	assert_int_equal(r.code, 0);
	assert_string_equal(r.tail, "");
	assert_no_child();
}

TEST(arguments_see_no_shell)
{
	const char *const argv[] = { "echo", "$HOME; *", "a  b", "", "'\"", NULL };
	struct wl_proc_result r;

	assert_int_equal(wl_proc_run(&(struct wl_proc){ .argv = argv }, &r, NULL), WL_OK);
	assert_string_equal(r.tail, "$HOME; * a  b  '\"\n");
}

TEST(a_missing_program_is_an_end_of_its_own)
{
	static const char *const names[] = { "warplens-no-such-program", "/no/such/program",
					     "/dev/null/program" };
	struct wl_proc_result r;

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		const char *const argv[] = { names[i], NULL };

		assert_int_equal(wl_proc_run(&(struct wl_proc){ .argv = argv }, &r, NULL), WL_OK);
		assert_int_equal(r.end, WL_PROC_NOT_FOUND);
	}
	assert_no_child();
}

TEST(what_cannot_be_started_is_an_error)
{
	const char *const argv[] = { "/etc/passwd", NULL };
	struct wl_proc_result r;
	struct wl_err err = { 0 };

	assert_int_equal(wl_proc_run(&(struct wl_proc){ .argv = argv }, &r, &err), WL_E_IO);
	assert_non_null(strstr(err.msg, "/etc/passwd: Permission denied"));
	assert_no_child();
}

TEST(a_signal_is_reported)
{
	struct wl_proc_result r;

	run("kill -KILL $$", &r);
	assert_int_equal(r.end, WL_PROC_SIGNALED);
	assert_int_equal(r.code, SIGKILL);
}

TEST(the_last_output_is_kept)
{
	struct wl_proc_result r;

	run("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; printf end", &r);
	assert_int_equal(r.n_tail, WL_PROC_TAIL);
	assert_true(r.tail_is_cut);
	assert_string_equal(r.tail + WL_PROC_TAIL - 14, "line 19999\nend");
	assert_int_equal(r.tail[r.n_tail], '\0');
}

TEST(the_limit_stops_a_flood)
{
	struct wl_proc_result r;

	run_soon((struct wl_proc){ .limit_ns = 200 * MS }, "exec yes", &r);
	assert_int_equal(r.end, WL_PROC_TIMED_OUT);
	assert_true(r.elapsed_ns >= 200 * MS);
	assert_int_equal(r.n_tail, WL_PROC_TAIL);
}

TEST(the_limit_stops_the_whole_group)
{
	struct wl_proc_result r;
	char *second;
	long pid[2];

	run_soon((struct wl_proc){ .limit_ns = 300 * MS }, "sleep 1000 & echo $$ $!; wait", &r);
	assert_int_equal(r.end, WL_PROC_TIMED_OUT);
	pid[0] = strtol(r.tail, &second, 10);
	pid[1] = strtol(second, NULL, 10);
	assert_dies(pid[0]);
	assert_dies(pid[1]);
	assert_no_child();
}

TEST(who_ignores_the_request_is_killed_after_two_seconds)
{
	struct wl_proc_result r;

	run_with((struct wl_proc){ .limit_ns = 100 * MS },
		 "trap '' TERM; while :; do sleep 0.1; done", &r);
	assert_int_equal(r.end, WL_PROC_TIMED_OUT);
	assert_true(r.elapsed_ns >= 2100 * MS);
	assert_no_child();
}

TEST(a_stopped_or_closed_child_is_stopped_too)
{
	struct wl_proc_result r;

	run_soon((struct wl_proc){ .limit_ns = 100 * MS }, "exec >&- 2>&-; exec sleep 1000", &r);
	assert_int_equal(r.end, WL_PROC_TIMED_OUT);
	run_with((struct wl_proc){ .limit_ns = 100 * MS }, "kill -STOP $$", &r);
	assert_int_equal(r.end, WL_PROC_TIMED_OUT);
}

/* Counts calls, and raises the flag at a given time or count. */
struct watch {
	atomic_int cancel;
	int64_t cancel_ns;
	int cancel_ticks;
	int n_ticks;
	int64_t last_ns;
};

static void on_tick(void *ctx, int64_t elapsed_ns)
{
	struct watch *w = ctx;

	assert_true(elapsed_ns >= w->last_ns);
	w->last_ns = elapsed_ns;
	w->n_ticks++;
	if ((w->cancel_ns > 0 && elapsed_ns >= w->cancel_ns) || w->n_ticks == w->cancel_ticks)
		w->cancel = 1;
}

TEST(the_flag_stops_the_child)
{
	struct watch w = { .cancel_ns = 200 * MS };
	struct wl_proc_result r;

	run_with((struct wl_proc){ .cancel = &w.cancel, .tick = on_tick, .ctx = &w }, "sleep 1000",
		 &r);
	assert_int_equal(r.end, WL_PROC_CANCELED);
	assert_int_equal(r.code, 0);
	assert_true(r.elapsed_ns >= 200 * MS);
	run_with((struct wl_proc){ .cancel = &w.cancel }, "echo started", &r);
	assert_int_equal(r.end, WL_PROC_CANCELED);
	assert_string_equal(r.tail, "");
	assert_no_child();
}

TEST(ticks_come_while_the_child_is_silent)
{
	struct watch w = { .cancel_ticks = 6 };
	struct wl_proc_result r;

	run_with((struct wl_proc){ .cancel = &w.cancel, .tick = on_tick, .ctx = &w }, "sleep 1000",
		 &r);
	assert_int_equal(r.end, WL_PROC_CANCELED);
	assert_true(w.n_ticks >= 6);
}

TEST(nobody_outlives_the_child)
{
	struct wl_proc_result r;

	run_soon((struct wl_proc){ .argv = NULL }, "sleep 1000 & echo $!", &r);
	assert_int_equal(r.end, WL_PROC_EXITED);
	assert_dies(strtol(r.tail, NULL, 10));
}

/* A parent of its own, because the end of the test must not be the end it looks at. */
TEST(a_killed_parent_takes_the_child_along)
{
	char text[32] = "";
	int fd[2];
	pid_t parent;

	assert_int_equal(pipe(fd), 0);
	parent = fork();
	if (parent == 0) {
		char command[64];
		struct wl_proc_result r;

		(void)snprintf(command, sizeof(command), "echo $$ >/proc/%ld/fd/%d; exec sleep 60",
			       (long)getpid(), fd[1]);
		run(command, &r);
		_exit(0);
	}
	assert_true(parent > 0);
	assert_true(read(fd[0], text, sizeof(text) - 1) > 0);
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	assert_dies(strtol(text, NULL, 10));
	(void)close(fd[0]);
	(void)close(fd[1]);
}

TEST(the_child_has_no_input)
{
	struct wl_proc_result r;

	run("cat; readlink /proc/self/fd/0", &r);
	assert_string_equal(r.tail, "/dev/null\n");
}

TEST(the_child_inherits_only_its_two_pipe_ends)
{
	int before = count_descriptors();
	struct wl_proc_result r;

	run("one=$(readlink /proc/$$/fd/1); n=0; for f in /proc/$$/fd/*; do "
	    "[ \"$(readlink $f)\" = \"$one\" ] && n=$((n+1)); done; echo $n",
	    &r);
	assert_string_equal(r.tail, "2\n");
	for (int i = 0; i < 20; i++)
		run("exit 1", &r);
	a_missing_program_is_an_end_of_its_own(state);
	assert_int_equal(count_descriptors(), before);
}

TEST(the_child_leads_a_group_and_starts_with_clean_signals)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	sigset_t block, was;
	struct wl_proc_result r;

	(void)sigemptyset(&block);
	(void)sigaddset(&block, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &block, &was);
	run("set -- $(cat /proc/$$/stat); [ $1 = $5 ] && echo leader; "
	    "exec grep -E 'SigBlk|SigIgn' /proc/self/status",
	    &r);
	(void)sigprocmask(SIG_SETMASK, &was, NULL);
	(void)signal(SIGPIPE, old);
	assert_non_null(strstr(r.tail, "leader\n"));
	assert_non_null(strstr(r.tail, "SigBlk:\t0000000000000000"));
	assert_int_equal(strtoull(strstr(r.tail, "SigIgn:") + 8, NULL, 16) & (1U << (SIGPIPE - 1)),
			 0);
}

TEST(closed_standard_descriptors_do_no_harm)
{
	int saved[3];
	struct wl_proc_result r;

	for (int fd = 0; fd < 3; fd++) {
		saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
		(void)close(fd);
	}
	run("echo fine; echo too >&2; cat", &r);
	for (int fd = 0; fd < 3; fd++) {
		assert_int_equal(fcntl(fd, F_GETFD), -1);
		if (saved[fd] >= 0)
			(void)dup2(saved[fd], fd);
		(void)close(saved[fd]);
	}
	assert_string_equal(r.tail, "fine\ntoo\n");
}

TEST(a_lost_status_is_an_error)
{
	const char *const argv[] = { "true", NULL };
	void (*old)(int) = signal(SIGCHLD, SIG_IGN);
	struct wl_proc_result r;
	struct wl_err err = { 0 };
	int rc = wl_proc_run(&(struct wl_proc){ .argv = argv }, &r, &err);

	(void)signal(SIGCHLD, old);
	assert_int_equal(rc, WL_E_IO);
	assert_non_null(strstr(err.msg, "no exit status of true"));
}

static int foreground(const char *command, int in_fd)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	int code = -1;

	assert_int_equal(wl_proc_foreground(argv, in_fd, &code, NULL), WL_OK);
	return code;
}

TEST(the_foreground_reports_like_a_shell)
{
	const char *const missing[] = { "warplens-no-such-program", NULL };
	const char *const bad[] = { "/etc/passwd", NULL };
	struct wl_err err = { 0 };
	int code = -1;

	assert_int_equal(foreground("exit 7", -1), 7);
	assert_int_equal(foreground("kill -TERM $$", -1), 128 + SIGTERM);
	assert_int_equal(wl_proc_foreground(missing, -1, &code, NULL), WL_OK);
	assert_int_equal(code, 127);
	assert_int_equal(wl_proc_foreground(bad, -1, &code, &err), WL_E_IO);
	assert_no_child();
}

TEST(the_foreground_shares_the_group_and_reads_what_it_is_given)
{
	char command[128];
	int fd[2];

	(void)snprintf(command, sizeof(command), "set -- $(cat /proc/$$/stat); [ $5 = %ld ]",
		       (long)getpgrp());
	assert_int_equal(foreground(command, -1), 0);
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	assert_int_equal(write(fd[1], "hello\n", 6), 6);
	(void)close(fd[1]);
	assert_int_equal(foreground("read x; [ \"$x\" = hello ]", fd[0]), 0);
	(void)close(fd[0]);
}
