/* SPDX-License-Identifier: MIT */
/* Each case is tried in a child, which is confined and stays so. */
#include "base/process/sandbox.h"

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

#include "base/file/file.h"
#include "base/process/pool.h"
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

static int change_mode(const char *path)
{
	return chmod(path, 0600) ? errno : 0;
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

/* ---- Ways out other than connect ---- */

/* A listener of the test's own, which would get what leaves. */
static struct {
	int stream, datagram;
	struct sockaddr_in at[2];
	int own; /* a stream of the child, made before what listens is open */
} outside;

static void listen_outside(int type, int *fd, struct sockaddr_in *at)
{
	socklen_t n = sizeof(*at);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	*fd = socket(AF_INET, type | SOCK_NONBLOCK, 0);
	assert_true(*fd >= 0);
	assert_int_equal(bind(*fd, (const struct sockaddr *)at, n), 0);
	assert_int_equal(getsockname(*fd, (struct sockaddr *)at, &n), 0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(*fd, 8), 0);
}

static int open_outside(void **state)
{
	(void)state;
	listen_outside(SOCK_STREAM, &outside.stream, &outside.at[0]);
	listen_outside(SOCK_DGRAM, &outside.datagram, &outside.at[1]);
	outside.own = socket(AF_INET, SOCK_STREAM, 0);
	return outside.own < 0;
}

static int close_outside(void **state)
{
	(void)state;
	(void)close(outside.stream);
	(void)close(outside.datagram);
	(void)close(outside.own);
	return 0;
}

static bool nothing_came(void)
{
	char byte;

	return accept(outside.stream, NULL, NULL) < 0 && errno == EAGAIN &&
	       recv(outside.datagram, &byte, 1, 0) < 0 && errno == EAGAIN;
}

static int datagram_by(int domain, int type)
{
	int fd = socket(domain, type, 0);

	if (fd < 0)
		return errno;
	return sendto(fd, "x", 1, 0, (const struct sockaddr *)&outside.at[1],
		      sizeof(outside.at[1])) < 0
		       ? errno
		       : 0;
}

static int send_udp(const char *path)
{
	(void)path;
	return datagram_by(AF_INET, SOCK_DGRAM);
}

static int send_udp6(const char *path)
{
	(void)path;
	return datagram_by(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static int send_raw(const char *path)
{
	(void)path;
	return datagram_by(AF_INET, SOCK_RAW);
}

static int ask_kernel(const char *path)
{
	(void)path;
	return datagram_by(AF_NETLINK, SOCK_RAW);
}

static int have_packets(const char *path)
{
	(void)path;
	return datagram_by(AF_PACKET, SOCK_RAW);
}

static int have_unix(const char *path)
{
	(void)path;
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int have_many_paths(const char *path)
{
	enum { MPTCP = 262 };

	(void)path;
	return socket(AF_INET, SOCK_STREAM, MPTCP) < 0 ? errno : 0;
}

static int pair_for_datagrams(const char *path)
{
	int fd[2];

	(void)path;
	return socketpair(AF_UNIX, SOCK_DGRAM, 0, fd) ? errno : 0;
}

static int pair_of_streams(const char *path)
{
	int fd[2];

	(void)path;
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) ? errno : 0;
}

/* Fast open: the first bytes leave with the call that makes the connection. */
static int sendto_fast(const char *path)
{
	(void)path;
	return sendto(outside.own, "x", 1, MSG_FASTOPEN, (const struct sockaddr *)&outside.at[0],
		      sizeof(outside.at[0])) < 0
		       ? errno
		       : 0;
}

static struct msghdr message(struct iovec *bytes)
{
	static char text[] = "x";

	*bytes = (struct iovec){ .iov_base = text, .iov_len = 1 };
	return (struct msghdr){ .msg_name = &outside.at[0],
				.msg_namelen = sizeof(outside.at[0]),
				.msg_iov = bytes,
				.msg_iovlen = 1 };
}

static int sendmsg_fast(const char *path)
{
	struct iovec bytes;
	struct msghdr m = message(&bytes);

	(void)path;
	return sendmsg(outside.own, &m, MSG_FASTOPEN | MSG_NOSIGNAL) < 0 ? errno : 0;
}

static int sendmmsg_fast(const char *path)
{
	struct iovec bytes;
	struct mmsghdr m = { .msg_hdr = message(&bytes) };

	(void)path;
	return sendmmsg(outside.own, &m, 1, MSG_FASTOPEN | MSG_NOSIGNAL) < 0 ? errno : 0;
}

static int sendto_address(const char *path)
{
	(void)path;
	return sendto(outside.own, "x", 1, MSG_NOSIGNAL, (const struct sockaddr *)&outside.at[0],
		      sizeof(outside.at[0])) < 0
		       ? errno
		       : 0;
}

/* An address whose low half is zero is one, too. */
static int sendto_high_address(const char *path)
{
	(void)path;
	return syscall(SYS_sendto, outside.own, "x", 1UL, (long)MSG_NOSIGNAL, 1UL << 32, 16UL) < 0
		       ? errno
		       : 0;
}

static int connect_own(const char *path)
{
	(void)path;
	return connect(outside.own, (const struct sockaddr *)&outside.at[0], sizeof(outside.at[0]))
		       ? errno
		       : 0;
}

static int have_ring(const char *path)
{
	char params[256] = { 0 };

	(void)path;
	return syscall(SYS_io_uring_setup, 1UL, params) < 0 ? errno : 0;
}

/* What the server does: answers to a client that it accepted. */
static int answer_client(const char *path)
{
	int fd = accept4(outside.stream, NULL, NULL, SOCK_CLOEXEC);

	(void)path;
	if (fd < 0)
		return errno;
	return send(fd, "x", 1, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

/* In the sandbox of a server that has its port: it makes no other socket. */
static int listening(attempt *what)
{
	const struct wl_sandbox how = { .may = WL_MAY_LISTEN };
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (!wl_sandbox_enter(&how).seccomp || !wl_sandbox_is_listening())
			_exit(UNAVAILABLE);
		_exit(what(NULL) & 0xff);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == UNAVAILABLE)
		skip();
	return WEXITSTATUS(status);
}

static const struct {
	attempt *what;
	int of_program; /* what a program gets that may be started, but not connect */
} ways_out[] = {
	{ send_udp, EPERM },
	{ send_udp6, EPERM },
	{ send_raw, EPERM },
	{ have_packets, EPERM },
	{ sendto_fast, EPERM },
	{ sendmsg_fast, EPERM },
	{ sendmmsg_fast, EPERM },
	{ call_server, EPERM },
	{ connect_own, EPERM },
	{ have_unix, 0 },
	{ pair_for_datagrams, 0 },
	{ ask_kernel, EINVAL },    /* the address is none of its kind */
	{ sendto_address, EPIPE }, /* streams that are not connected */
	{ sendto_high_address, EFAULT },
};

TEST_WITH(nothing_leaves_without_connect, open_outside, close_outside)
{
	const struct wl_sandbox listens = { .may = WL_MAY_LISTEN };
	const struct wl_sandbox starts = { .may = WL_MAY_EXEC | WL_MAY_LISTEN };
	const struct wl_sandbox connects = { .may = WL_MAY_CONNECT };

	for (size_t i = 0; i < sizeof(ways_out) / sizeof(ways_out[0]); i++) {
		assert_int_equal(try_in(&nothing, ways_out[i].what, NULL, false), EPERM);
		assert_int_equal(try_in(&listens, ways_out[i].what, NULL, false), EPERM);
		assert_int_equal(try_in(&starts, ways_out[i].what, NULL, false),
				 ways_out[i].of_program);
		assert_int_equal(listening(ways_out[i].what), EPERM);
	}
	assert_int_equal(try_in(&listens, have_many_paths, NULL, false), EPERM);
	assert_int_equal(try_in(&nothing, have_ring, NULL, false), ENOSYS);
	assert_int_equal(try_in(&starts, have_ring, NULL, false), EPERM);
	assert_true(nothing_came());
	assert_int_equal(try_in(&connects, send_udp, NULL, false), 0);
	assert_int_equal(try_in(&connects, sendmsg_fast, NULL, false), 0);
	assert_false(nothing_came());
}

TEST_WITH(who_listens_only_accepts, open_outside, close_outside)
{
	const struct wl_sandbox listens = { .may = WL_MAY_LISTEN };

	assert_int_equal(try_in(&listens, take_port, NULL, false), 0);
	assert_int_equal(try_in(&listens, pair_of_streams, NULL, false), 0);
	assert_int_equal(listening(take_port), EPERM);
	assert_int_equal(listening(have_socket), EPERM);
	assert_int_equal(listening(pair_of_streams), EPERM);
	assert_int_equal(listening(use_threads), 0);
	assert_int_equal(connect_own(NULL), 0);
	assert_int_equal(listening(answer_client), 0);
}

TEST(what_a_reader_does_not_need_fails)
{
	assert_int_equal(try_in(&nothing, run_program, NULL, false), EPERM);
	assert_int_equal(try_in(&nothing, have_child, NULL, false), EPERM);
	assert_int_equal(try_in(&nothing, have_socket, NULL, false), EPERM);
	assert_int_equal(try_in(&nothing, trace_parent, NULL, false), ENOSYS);
	assert_int_equal(try_in(&nothing, signal_parent, NULL, false), ENOSYS);
	assert_int_equal(try_in(&nothing, type_ahead, NULL, false), EPERM);
	assert_int_equal(try_in(&nothing, make_namespace, NULL, false), ENOSYS);
}

TEST(threads_and_memory_go_on)
{
	assert_int_equal(try_in(&nothing, use_threads, NULL, false), 0);
}

TEST(each_right_gives_what_it_says)
{
	const struct wl_sandbox listens = { .may = WL_MAY_LISTEN | WL_MAY_OPEN };
	const struct wl_sandbox connects = { .may = WL_MAY_CONNECT | WL_MAY_OPEN };
	const struct wl_sandbox starts = { .may = WL_MAY_EXEC | WL_MAY_OPEN };
	const struct wl_sandbox opens = { .may = WL_MAY_OPEN };

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

TEST_WITH(only_named_files_are_opened, NULL, remove_scratch)
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
	assert_int_equal(try_in(&how, change_mode, mine.s, true), ENOSYS);
	assert_int_equal(try_in(&how, read_file, other.s, true), EACCES);
	assert_int_equal(try_in(&how, write_file, in(&dir, "new").s, true), EACCES);
	assert_int_equal(try_in(&how, replace_file, in(&dir, "room/made").s, true), 0);
	assert_int_equal(try_in(&how, replace_file, other.s, true), EACCES);
	assert_int_equal(try_in(&how, read_file, "/etc/passwd", true), EACCES);
}

TEST(all_rights_change_nothing)
{
	const struct wl_sandbox all = { .may = WL_MAY_ALL };
	struct wl_sandbox_state is = wl_sandbox_enter(&all);

	assert_int_equal(is.landlock, 0);
	assert_false(is.seccomp);
	assert_int_equal(have_socket(NULL), 0);
}
