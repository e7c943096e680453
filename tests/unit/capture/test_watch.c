/* SPDX-License-Identifier: MIT */
#include "capture/run/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/unit.h"

#define MS INT64_C(1000000)

/* Watch a line of sh, which plays the profiler unless the kind says otherwise. */
static void watch(struct wl_watch w, const char *line, struct wl_watched *ret)
{
	const char *const argv[] = { "sh", "-c", line, NULL };
	struct wl_child_end end;
	struct wl_err err = { 0 };

	w.argv = argv;
	w.out = w.err = -1;
	w.grace_ns = w.grace_ns ? w.grace_ns : 5000 * MS;
	w.patience_ns = w.patience_ns ? w.patience_ns : 5000 * MS;
	if (wl_watch_run(&w, ret, &err) != WL_OK)
		fail_msg("%s: %s", line, err.msg);
	assert_int_equal(wl_child_reap(&end), -1); /* nothing is left */
}

TEST(the_status_of_the_tool_is_that_of_the_program)
{
	struct wl_watched r;

	watch((struct wl_watch){ .kind = WL_KIN_MAIN_TOOL }, "sleep 0.4; echo said; exit 3", &r);
	assert_true(r.has_program);
	assert_false(r.has_outlived);
	assert_false(r.is_killed);
	assert_int_equal(wl_child_status(&r.program), 3);
	assert_string_equal(r.tail, "said\n");
	assert_in_range(r.program_ns, 200 * MS, r.tool_ns);
}

TEST(a_program_that_outlives_the_tool_is_waited_for)
{
	struct wl_watched r;

	watch((struct wl_watch){ .kind = WL_KIN_MAIN_TOOL },
	      "sh -c 'sleep 0.9; exit 9' & sleep 0.3; exit 0", &r);
	assert_true(r.has_outlived);
	assert_int_equal(wl_child_status(&r.tool), 0);
	assert_int_equal(wl_child_status(&r.program), 9);
	assert_true(r.tool_ns >= 800 * MS);
}

TEST(the_limit_ends_the_program)
{
	struct wl_watched r;

	watch((struct wl_watch){ .kind = WL_KIN_MAIN_PROGRAM, .limit_ns = 300 * MS },
	      "exec sleep 60", &r);
	assert_true(r.is_limited);
	assert_int_equal(r.signal, 0);
	assert_int_equal(wl_child_status(&r.program), 128 + SIGTERM);
	assert_true(r.tool_ns >= 300 * MS);
}

static atomic_int last, count;

static void interrupt(void *ctx, const struct wl_watch_now *now)
{
	(void)ctx;
	if (now->is_running && !now->is_stopping &&
	    now->now_ns - now->program_begin_ns > 200 * MS) {
		last = SIGINT;
		count = 1;
	}
}

TEST(a_signal_goes_to_the_program_and_not_to_the_tool)
{
	struct wl_watched r;

	count = 0;
	/* the program ends by the signal, and the tool then has its time */
	watch((struct wl_watch){ .kind = WL_KIN_MAIN_TOOL,
				 .tick = interrupt,
				 .signals = { &last, &count } },
	      "sleep 60; status=$?; sleep 0.3; echo written; exit $status", &r);
	assert_int_equal(r.signal, SIGINT);
	assert_false(r.is_killed);
	assert_string_equal(r.tail, "written\n");
	assert_int_equal(wl_child_status(&r.program), 128 + SIGINT);
}

TEST(what_ignores_everything_is_killed)
{
	struct wl_watched r;

	count = 0;
	watch((struct wl_watch){ .kind = WL_KIN_MAIN_TOOL,
				 .tick = interrupt,
				 .grace_ns = 200 * MS,
				 .patience_ns = 200 * MS,
				 .signals = { &last, &count } },
	      "trap '' INT TERM; sh -c 'while :; do sleep 0.1; done'; while :; do sleep 0.1; done",
	      &r);
	assert_true(r.is_killed);
	assert_int_equal(r.tool.signal, SIGKILL);
	assert_int_equal(wl_child_status(&r.program), 128 + SIGKILL);
}

static bool is_tool(const char *path)
{
	return wl_kin_is_tool_path(path, WL_KIN_MAIN_TOOL);
}

TEST(profilers_are_known_by_their_files)
{
	assert_true(is_tool("/opt/nvidia/nsight-systems/2024.1/target-linux-x64/nsys"));
	assert_true(is_tool("/usr/bin/nsys-launcher"));
	assert_true(is_tool("/opt/nvidia/nsight-compute/2024.1/ncu"));
	assert_false(is_tool("/usr/bin/python3"));
	assert_false(is_tool("/home/me/mynsys"));
}

TEST(what_runs_containers_is_a_tool_below_launchers)
{
	assert_true(wl_kin_is_tool_path("/usr/bin/conmon", WL_KIN_MAIN_LAUNCHER));
	assert_true(wl_kin_is_tool_path("/usr/bin/nsys", WL_KIN_MAIN_LAUNCHER));
	assert_false(wl_kin_is_tool_path("/usr/bin/podman-compose", WL_KIN_MAIN_LAUNCHER));
	assert_false(is_tool("/usr/bin/podman"));
}

/*
 * Where a tool runs that starts nothing but tools, there is never a program: each of them ends at
 * once, and every look has the chance to meet one that is ending.
 */
TEST(a_tool_that_ends_is_no_program)
{
	char dir[] = "/tmp/wl-kin-XXXXXX", copy[64], line[256];
	struct wl_kinship kin = { 0 };
	size_t n_tools = 0, n_programs = 0;
	pid_t main;

	assert_non_null(mkdtemp(dir));
	(void)snprintf(copy, sizeof(copy), "%s/nsys", dir);
	(void)snprintf(line, sizeof(line), "cp \"$(command -v dash || command -v sh)\" %s", copy);
	assert_int_equal(system(line), 0);
	main = fork();
	if (main == 0) {
		/* two levels, as nsys starts its agent */
		(void)execl(copy, "nsys", "-c", "while :; do (:) & wait; done", (char *)NULL);
		_exit(127);
	}
	assert_true(main > 0);
	for (int i = 0; i < 1000 && wl_kinship_look(&kin, main, WL_KIN_MAIN_TOOL);) {
		n_tools += wl_kin_count_others(&kin, main);
		i += n_tools > 0; /* from when it has begun */
		n_programs += wl_kin_count_programs(&kin);
	}
	(void)kill(main, SIGKILL);
	(void)waitpid(main, NULL, 0);
	wl_kinship_release(&kin);
	(void)unlink(copy);
	(void)rmdir(dir);
	assert_true(n_tools > 0); /* it met some */
	assert_int_equal(n_programs, 0);
}

/* The helper lives long enough to be taken for the program; the program that follows counts. */
TEST(a_helper_before_the_program_does_not_count)
{
	struct wl_watched r;

	watch((struct wl_watch){ .kind = WL_KIN_MAIN_TOOL },
	      "sleep 0.2; sh -c 'sleep 0.5; exit 9' & sleep 0.3; exit 0", &r);
	assert_true(r.has_outlived);
	assert_int_equal(wl_child_status(&r.program), 9);
}
