/* SPDX-License-Identifier: MIT */
/*
 * sandbox.c - Landlock by its bare system calls; the C library of older systems has neither
 * them nor all of their constants.
 */
#include "base/process/sandbox.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process/sandbox_filter.h"

/* A sanitizer looks at the whole process when it ends, which the sandbox would prevent. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(WL_NO_SANDBOX)
#define HAS_SANDBOX 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
	__has_feature(memory_sanitizer)
#define HAS_SANDBOX 0
#endif
#endif
#ifndef HAS_SANDBOX
#define HAS_SANDBOX 1
#endif

enum { CALL_CREATE = 444, CALL_ADD = 445, CALL_RESTRICT = 446 }; /* the same on all machines */
enum { GET_VERSION = 1, PATH_BENEATH = 1 };

/* Rights of files, as in <linux/landlock.h>. */
#define FS_EXECUTE    (UINT64_C(1) << 0)
#define FS_WRITE_FILE (UINT64_C(1) << 1)
#define FS_READ_FILE  (UINT64_C(1) << 2)
#define FS_READ_DIR   (UINT64_C(1) << 3)
#define FS_REMOVE     (UINT64_C(3) << 4) /* directories and files */
#define FS_MAKE_DIR   (UINT64_C(1) << 7)
#define FS_MAKE_REG   (UINT64_C(1) << 8)
#define FS_MAKE_SYM   (UINT64_C(1) << 12)
#define FS_FIRST      ((UINT64_C(1) << 13) - 1) /* all of version 1 */
#define FS_TRUNCATE   (UINT64_C(1) << 14)       /* from version 3 on */
#define NET_BIND      (UINT64_C(1) << 0)
#define NET_CONNECT   (UINT64_C(1) << 1)
#define SCOPES        UINT64_C(3) /* abstract sockets and signals; from version 6 on */

#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)
#define FS_READING  (FS_READ_FILE | FS_READ_DIR)
#define FS_WRITING                                                                                 \
	(FS_READING | FS_WRITE_FILE | FS_REMOVE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SYM |        \
	 FS_TRUNCATE)

struct ruleset {
	uint64_t fs, net, scoped; /* the kernel takes a longer one whose rest is zero */
};

/* struct landlock_path_beneath_attr, which has no room between its members. */
struct beneath {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

static struct ruleset what_is_limited(unsigned may, int version)
{
	struct ruleset r = { .fs = 0 };

	if (!(may & WL_MAY_OPEN))
		r.fs = FS_FIRST | (version >= 3 ? FS_TRUNCATE : 0);
	if (may & WL_MAY_EXEC)
		r.fs &= ~FS_EXECUTE;
	else
		r.fs |= FS_EXECUTE;
	if (version >= 4)
		r.net = (may & WL_MAY_LISTEN ? 0 : NET_BIND) |
			(may & WL_MAY_CONNECT ? 0 : NET_CONNECT);
	if (version >= 6 && !(may & WL_MAY_EXEC))
		r.scoped = SCOPES;
	return r;
}

static void allow(int ruleset, uint64_t limited, const struct wl_sandbox_path *p)
{
	struct beneath rule = { .fd = open(p->path, O_PATH | O_CLOEXEC) };
	struct stat st;

	if (rule.fd < 0)
		return;
	rule.allowed = (p->writes ? FS_WRITING : FS_READING) & limited;
	if (fstat(rule.fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed &= FS_OF_FILES;
	if (rule.allowed)
		(void)syscall(CALL_ADD, ruleset, PATH_BENEATH, &rule, 0U);
	(void)close(rule.fd);
}

/* The version, 0 where the kernel has no Landlock. */
static int limit_files(const struct wl_sandbox *how)
{
	long version = syscall(CALL_CREATE, NULL, (size_t)0, GET_VERSION);
	struct ruleset limited;
	int fd;
	bool ok;

	if (version < 1)
		return 0;
	limited = what_is_limited(how->may, (int)version);
	fd = (int)syscall(CALL_CREATE, &limited, sizeof(limited), 0U);
	if (fd < 0)
		return 0;
	for (size_t i = 0; i < how->n_paths; i++)
		allow(fd, limited.fs, &how->path[i]);
	ok = syscall(CALL_RESTRICT, fd, 0U) == 0;
	(void)close(fd);
	return ok ? (int)version : 0;
}

struct wl_sandbox_state wl_sandbox_enter(const struct wl_sandbox *how)
{
	struct wl_sandbox_state state = { .landlock = 0 };

	if (!HAS_SANDBOX || how->may == WL_MAY_ALL)
		return state;
	/* Without it the kernel lets only root have a filter. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) < 0)
		return state;
	state.landlock = limit_files(how);
	state.seccomp = wl_sandbox_filter(how->may);
	return state;
}

bool wl_sandbox_is_listening(void)
{
	return HAS_SANDBOX && wl_sandbox_filter_sockets();
}
