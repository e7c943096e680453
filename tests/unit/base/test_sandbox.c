/* SPDX-License-Identifier: MIT */
/* Each case is tried in a child, which is confined and stays so. */
#include "base/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "support/unit.h"

/* What a child tries: 0 where it could, else the errno value. */
typedef int attempt(const char *path);

enum { UNAVAILABLE = 200 };

static int try_in(const struct wl_sandbox *how, attempt *what, const char *path,
		  bool needs_landlock)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct wl_sandbox_state is = wl_sandbox_enter(how);

		if (!is.seccomp || (needs_landlock && is.landlock < 4))
			_exit(UNAVAILABLE);
		_exit(what(path) & 0xff);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == UNAVAILABLE)
		skip();
	return WEXITSTATUS(status);
}

static int run_program(const char *path)
{
	char program[] = "/bin/true";
	char *argv[] = { program, NULL }, *env[] = { NULL };

	(void)path;
	(void)execve(program, argv, env);
	return errno;
}

static int have_child(const char *path)
{
	pid_t pid = fork();

	(void)path;
	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static int have_socket(const char *path)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)path;
	return fd < 0 ? errno : 0;
}

static int call_server(const char *path)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(9),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)path;
	if (fd < 0)
		return errno;
	return connect(fd, (const struct sockaddr *)&to, sizeof(to)) ? errno : 0;
}

static int take_port(const char *path)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)path;
	if (fd < 0)
		return errno;
	return bind(fd, (const struct sockaddr *)&at, sizeof(at)) || listen(fd, 1) ? errno : 0;
}

static int trace_parent(const char *path)
{
	(void)path;
	return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) < 0 ? errno : 0;
}

static int signal_parent(const char *path)
{
	(void)path;
	return kill(getppid(), 0) ? errno : 0;
}

static int type_ahead(const char *path)
{
	(void)path;
	return ioctl(STDIN_FILENO, TIOCSTI, "x") ? errno : 0;
}

static int make_namespace(const char *path)
{
	(void)path;
	return syscall(SYS_unshare, 0) ? errno : 0;
}

static int read_file(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY);

	return fd < 0 ? errno : read(fd, &byte, 1) < 0 ? errno : 0;
}

static int write_file(const char *path)
{
	return open(path, O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0;
}

static int replace_file(const char *path)
{
	char temp[WL_PATH_CAP + 8];
	int fd;

	(void)snprintf(temp, sizeof(temp), "%s.tmp", path);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || fchmod(fd, 0644) || fsync(fd))
		return errno ? errno : EIO;
	return rename(temp, path) || unlink(path) ? errno : 0;
}

static bool add_one(void *ctx, size_t i, struct wl_arena *arena)
{
	int *out = ctx;

	(void)arena;
	out[i] = 1;
	return true;
}

static int use_threads(const char *path)
{
	struct wl_pool *pool = wl_pool_new(4);
	struct wl_arena arena;
	int done[64] = { 0 }, n = 0;
	bool ok;

	(void)path;
	wl_arena_init(&arena, 0);
	ok = wl_pool_map(pool, 64, add_one, done, &arena);
	wl_arena_release(&arena);
	wl_pool_free(pool);
	for (size_t i = 0; i < 64; i++)
		n += done[i];
	return ok && n == 64 ? 0 : EIO;
}

static const struct wl_sandbox nothing = { .may = 0 };

static void what_a_reader_does_not_need_fails(void **state)
{
	(void)state;
	assert_int_equal(try_in(&nothing, run_program, NULL, false), EPERM);
	assert_int_equal(try_in(&nothing, have_child, NULL, false), EPERM);
	assert_int_equal(try_in(&nothing, have_socket, NULL, false), EPERM);
	assert_int_equal(try_in(&nothing, trace_parent, NULL, false), ENOSYS);
	assert_int_equal(try_in(&nothing, signal_parent, NULL, false), ENOSYS);
	assert_int_equal(try_in(&nothing, type_ahead, NULL, false), EPERM);
	assert_int_equal(try_in(&nothing, make_namespace, NULL, false), ENOSYS);
}

static void threads_and_memory_go_on(void **state)
{
	(void)state;
	assert_int_equal(try_in(&nothing, use_threads, NULL, false), 0);
}

static void each_right_gives_what_it_says(void **state)
{
	const struct wl_sandbox listens = { .may = WL_MAY_LISTEN | WL_MAY_OPEN };
	const struct wl_sandbox connects = { .may = WL_MAY_CONNECT | WL_MAY_OPEN };
	const struct wl_sandbox starts = { .may = WL_MAY_EXEC | WL_MAY_OPEN };
	const struct wl_sandbox opens = { .may = WL_MAY_OPEN };

	(void)state;
	assert_int_equal(try_in(&listens, take_port, NULL, true), 0);
	assert_int_equal(try_in(&listens, call_server, NULL, true), EPERM);
	assert_int_equal(try_in(&listens, run_program, NULL, true), EPERM);
	assert_int_equal(try_in(&connects, call_server, NULL, true), ECONNREFUSED);
	assert_int_equal(try_in(&connects, take_port, NULL, true), EACCES);
	assert_int_equal(try_in(&starts, run_program, NULL, true), 0);
	assert_int_equal(try_in(&starts, call_server, NULL, true), EPERM);
	assert_int_equal(try_in(&starts, trace_parent, NULL, true), EPERM);
	assert_int_equal(try_in(&opens, read_file, "/etc/passwd", true), 0);
	assert_int_equal(try_in(&opens, have_socket, NULL, true), EPERM);
}

struct path {
	char s[WL_PATH_CAP + 16];
};

static struct path in(const struct wl_tmpdir *dir, const char *name)
{
	struct path p;

	(void)snprintf(p.s, sizeof(p.s), "%s/%s", dir->path, name);
	return p;
}

static int remove_scratch(void **state)
{
	if (*state)
		wl_tmpdir_close(*state);
	return 0;
}

static void only_named_files_are_opened(void **state)
{
	static struct wl_tmpdir dir;
	struct path mine, other, room;
	struct wl_sandbox_path paths[2];
	const struct wl_sandbox how = { .path = paths, .n_paths = 2 };

	assert_int_equal(wl_tmpdir_open(getenv("TMPDIR"), &dir, NULL), WL_OK);
	*state = &dir;
	mine = in(&dir, "mine");
	other = in(&dir, "other");
	room = in(&dir, "room");
	paths[0] = (struct wl_sandbox_path){ mine.s, false };
	paths[1] = (struct wl_sandbox_path){ room.s, true };
	assert_int_equal(write_file(mine.s), 0);
	assert_int_equal(write_file(other.s), 0);
	assert_int_equal(mkdir(room.s, 0755), 0);
	assert_int_equal(try_in(&how, read_file, mine.s, true), 0);
	assert_int_equal(try_in(&how, write_file, mine.s, true), EACCES);
	assert_int_equal(try_in(&how, read_file, other.s, true), EACCES);
	assert_int_equal(try_in(&how, write_file, in(&dir, "new").s, true), EACCES);
	assert_int_equal(try_in(&how, replace_file, in(&dir, "room/made").s, true), 0);
	assert_int_equal(try_in(&how, replace_file, other.s, true), EACCES);
	assert_int_equal(try_in(&how, read_file, "/etc/passwd", true), EACCES);
}

static void all_rights_change_nothing(void **state)
{
	const struct wl_sandbox all = { .may = WL_MAY_ALL };
	struct wl_sandbox_state is = wl_sandbox_enter(&all);

	(void)state;
	assert_int_equal(is.landlock, 0);
	assert_false(is.seccomp);
	assert_int_equal(have_socket(NULL), 0);
}

TEST_MAIN(sandbox)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_reader_does_not_need_fails),
		cmocka_unit_test(threads_and_memory_go_on),
		cmocka_unit_test(each_right_gives_what_it_says),
		cmocka_unit_test_teardown(only_named_files_are_opened, remove_scratch),
		cmocka_unit_test(all_rights_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
