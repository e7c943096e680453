/* SPDX-License-Identifier: MIT */
#include "base/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/unit.h"

static void start(struct wl_child *c, struct wl_child_how how, const char *command)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct wl_err err = { 0 };

	how.argv = argv;
	if (wl_child_start(&how, c, &err) != WL_OK)
		fail_msg("%s: %s", command, err.msg);
}

/* Until the child of this pid has ended. */
static struct wl_child_end end_of(struct wl_child *c, pid_t pid)
{
	struct wl_child_end end = { 0 };

	for (int i = 0; i < 1000; i++) {
		pid_t ended;

		wl_child_pump(c, 10);
		ended = wl_child_reap(&end);
		if (ended == pid)
			break;
		assert_true(ended >= 0);
	}
	wl_child_pump(c, 0);
	return end;
}

static const struct wl_child_how quiet = { .out = -1, .err = -1 };

TEST(output_is_kept_and_passed_on_apart)
{
	struct wl_child_end end;
	char out[64] = "", err[64] = "";
	struct wl_child c;
	int o[2], e[2];

	assert_int_equal(pipe(o), 0);
	assert_int_equal(pipe(e), 0);
	start(&c, (struct wl_child_how){ .out = o[1], .err = e[1] },
	      "echo one; echo two >&2; cat; exit 5");
	end = end_of(&c, c.pid);
	assert_int_equal(end.code, 5);
	assert_int_equal(end.signal, 0);
	assert_int_equal(wl_child_status(&end), 5);
	assert_int_equal(read(o[0], out, sizeof(out) - 1), 4);
	assert_int_equal(read(e[0], err, sizeof(err) - 1), 4);
	assert_string_equal(out, "one\n");
	assert_string_equal(err, "two\n");
	assert_int_equal(c.n_tail, 8);
	wl_child_close(&c);
	for (int i = 0; i < 2; i++) {
		(void)close(o[i]);
		(void)close(e[i]);
	}
}

TEST(a_signal_is_told_from_a_status)
{
	struct wl_child_end end;
	struct wl_child c;

	start(&c, quiet, "kill -9 $$");
	end = end_of(&c, c.pid);
	assert_int_equal(end.signal, SIGKILL);
	assert_int_equal(wl_child_status(&end), 128 + SIGKILL);
	wl_child_close(&c);
	assert_int_equal(wl_child_reap(&end), -1);
}

TEST(variables_are_set_and_replaced)
{
	static const char *const env[] = { "HOME=/else", "WL_NEW_ONE=a b", NULL };
	struct wl_child_how how = quiet;
	struct wl_child c;

	how.env = env;
	start(&c, how, "echo $HOME; echo $WL_NEW_ONE; env | grep -c ^HOME=; command -v env");
	(void)end_of(&c, c.pid);
	assert_ptr_equal(strstr(c.tail, "/else\na b\n1\n/"), c.tail);
	wl_child_close(&c);
}

TEST(what_it_leaves_behind_is_adopted)
{
	struct wl_child_end end;
	struct wl_child c;
	pid_t orphan;

	wl_child_adopt(true);
	start(&c, quiet, "sh -c 'echo $$; sleep 0.2; exit 9' & sleep 0.1");
	end = end_of(&c, c.pid);
	assert_int_equal(end.code, 0);
	orphan = (pid_t)strtol(c.tail, NULL, 10);
	end = end_of(&c, orphan);
	assert_int_equal(end.code, 9);
	assert_int_equal(wl_child_reap(&end), -1);
	wl_child_adopt(false);
	wl_child_close(&c);
}

TEST(the_end_of_long_output_is_kept)
{
	struct wl_child c;

	start(&c, quiet, "seq 1 20000; echo last");
	(void)end_of(&c, c.pid);
	assert_int_equal(c.n_tail, WL_CHILD_TAIL);
	assert_string_equal(c.tail + c.n_tail - 11, "20000\nlast\n");
	wl_child_close(&c);
}

TEST(a_reader_that_has_gone_does_not_stop_the_child)
{
	struct wl_child_end end;
	struct wl_child c;
	int fd[2];

	(void)signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fd), 0);
	(void)close(fd[0]);
	start(&c, (struct wl_child_how){ .out = fd[1], .err = -1 }, "seq 1 50000; exit 4");
	end = end_of(&c, c.pid);
	assert_int_equal(end.code, 4);
	(void)close(fd[1]);
	(void)signal(SIGPIPE, SIG_DFL);
	wl_child_close(&c);
}

TEST(it_leads_a_group_of_its_own)
{
	struct wl_child c;

	start(&c, quiet, "read -r line < /proc/$$/stat; echo ${line##*)}");
	(void)end_of(&c, c.pid);
	assert_int_equal(strtol(strchr(strchr(c.tail + 1, ' ') + 1, ' ') + 1, NULL, 10), c.pid);
	wl_child_close(&c);
}

TEST(a_missing_program_is_an_error)
{
	static const char *const argv[] = { "/no/such/program", NULL };
	struct wl_child_how how = quiet;
	struct wl_child c;
	struct wl_err err;

	how.argv = argv;
	assert_int_equal(wl_child_start(&how, &c, &err), WL_E_IO);
	assert_non_null(strstr(err.msg, "/no/such/program: no such program"));
	assert_int_equal(c.from[0], -1);
}
