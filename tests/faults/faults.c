/* SPDX-License-Identifier: MIT */
/*
 * faults.c - a library to preload: one call of the process fails, or each in a child of its own.
 *
 * FAULT_KIND is alloc (of the program and of its libraries), read, write, sync, rename or map.
 * FAULT_AT=N fails the Nth of them with FAULT_ERRNO (EIO, for alloc ENOMEM; 0: end of file, or half
 * of what is to be written), and those after it if FAULT_ON=1. FAULT_COUNT=FILE receives how many
 * there were.
 *
 * With FAULT_EACH=S the process forks at every Sth of them from FAULT_AT on; there it fails, and
 * the child goes on to its end. Its output must be that of the file FAULT_WANT, if there is one,
 * with status FAULT_STATUS, or it has status 3 or 6 and a line on standard error. FAULT_COUNT
 * receives a line of the number of children and one for each that was wrong. Numbers repeat only
 * with one thread; standard output must be a file.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

enum kind { ALLOC, READ, WRITE, SYNC, RENAME, MAP, N_KINDS };
enum { TEXT = 1 << 16, SECONDS = 300, MAX_FDS = 32 };

static const char *const kinds[] = { "alloc", "read", "write", "sync", "rename", "map" };

/* Set before main(); in a child once more. */
static struct {
	bool on, is_child, is_forever;
	enum kind kind;
	long at, each;
	int error, status, count;
	const char *want;
} wanted;

static atomic_long n_calls, n_tried;

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void start(void)
{
	const char *kind = getenv("FAULT_KIND"), *count = getenv("FAULT_COUNT");

	for (int i = 0; kind && i < N_KINDS; i++) {
		if (strcmp(kind, kinds[i]) == 0)
			wanted.kind = (enum kind)i;
	}
	wanted.at = number("FAULT_AT", 0);
	wanted.each = number("FAULT_EACH", 0);
	wanted.error = (int)number("FAULT_ERRNO", EIO);
	wanted.status = (int)number("FAULT_STATUS", 0);
	wanted.is_forever = number("FAULT_ON", 0) != 0;
	wanted.want = getenv("FAULT_WANT");
	wanted.count = count ? open(count, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	wanted.on = kind != NULL;
}

__attribute__((destructor)) static void report(void)
{
	bool is_child = wanted.is_child;

	wanted.on = false;
	if (!is_child && wanted.count >= 0)
		(void)dprintf(wanted.count, "%ld\n", wanted.each ? (long)n_tried : (long)n_calls);
}

/* ---- One in a child ---- */

static bool has_bytes_of(int fd, const char *path)
{
	static char a[TEXT], b[TEXT];
	int other = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n, m;
	off_t at = 0;

	if (other < 0)
		return false;
	do {
		n = pread(fd, a, sizeof(a), at);
		m = pread(other, b, sizeof(b), at);
		at += n;
	} while (n > 0 && n == m && memcmp(a, b, (size_t)n) == 0);
	(void)close(other);
	return n == 0 && m == 0;
}

/* A file that begins as another one, to which nothing more is written then. */
static int copy_of(int fd)
{
	static char bytes[TEXT];
	int to = memfd_create("fault", 0);
	off_t at = 0;
	ssize_t n;

	while (to >= 0 && (n = pread(fd, bytes, sizeof(bytes), at)) > 0 &&
	       write(to, bytes, (size_t)n) == n)
		at += n;
	return to;
}

static void judge(int status, int out, int err)
{
	static char line[400];
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	bool says =
		pread(err, line, sizeof(line) - 1, 0) > 10 && strncmp(line, "warplens: ", 10) == 0;

	if (code == wanted.status && (!wanted.want || has_bytes_of(out, wanted.want)))
		return;
	if ((code == 3 || code == 6) && says)
		return;
	(void)dprintf(wanted.count, "bad %s=%ld errno %d: status %d, %s\n", kinds[wanted.kind],
		      (long)n_calls, wanted.error, code, says ? line : "nothing said");
	memset(line, 0, sizeof(line));
}

/* Files that are open have one position in both processes. */
static void places(off_t *at, bool back)
{
	for (int fd = 0; fd < MAX_FDS; fd++) {
		if (!back)
			at[fd] = lseek(fd, 0, SEEK_CUR);
		else if (at[fd] >= 0)
			(void)lseek(fd, at[fd], SEEK_SET);
	}
}

/* True in the child. */
static bool fork_here(void)
{
	int out = copy_of(STDOUT_FILENO), err = memfd_create("fault", 0), status = 0;
	off_t at[MAX_FDS];
	pid_t child;

	places(at, false);
	child = fork();
	if (child == 0) {
		(void)dup2(out, STDOUT_FILENO);
		(void)dup2(err, STDERR_FILENO);
		(void)alarm(SECONDS);
		wanted.is_child = true;
		return true;
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	places(at, true);
	n_tried++;
	judge(child > 0 ? status : 0, out, err);
	(void)close(out);
	(void)close(err);
	return false;
}

/* ---- Calls ---- */

static bool fails(enum kind kind)
{
	int before = errno;
	long n;
	bool yes;

	if (!wanted.on || kind != wanted.kind)
		return false;
	n = atomic_fetch_add(&n_calls, 1) + 1;
	if (wanted.is_child || !wanted.each) {
		yes = n == wanted.at || (wanted.is_forever && n > wanted.at);
	} else {
		yes = false;
		if (n >= wanted.at && (n - wanted.at) % wanted.each == 0) {
			wanted.on = false;
			yes = fork_here();
			wanted.at = yes ? n : wanted.at;
			wanted.on = true;
		}
	}
	errno = yes ? kind == ALLOC ? ENOMEM : wanted.error : before;
	return yes;
}

static ssize_t failure(void)
{
	return wanted.error ? -1 : 0;
}

/* Functions come from dlsym as pointers to objects. */
#define NEXT(fn, name)                                                                             \
	do {                                                                                       \
		void *found_ = (fn) ? NULL : dlsym(RTLD_NEXT, name);                               \
		if (found_)                                                                        \
			memcpy(&(fn), &found_, sizeof(found_));                                    \
	} while (0)

ssize_t read(int fd, void *to, size_t n)
{
	static ssize_t (*next)(int, void *, size_t);

	NEXT(next, "read");
	return fails(READ) ? failure() : next(fd, to, n);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	static ssize_t (*next)(int, void *, size_t, off_t);

	NEXT(next, "pread");
	return fails(READ) ? failure() : next(fd, to, n, at);
}

ssize_t pread64(int fd, void *to, size_t n, off64_t at)
{
	static ssize_t (*next)(int, void *, size_t, off64_t);

	NEXT(next, "pread64");
	return fails(READ) ? failure() : next(fd, to, n, at);
}

ssize_t write(int fd, const void *from, size_t n)
{
	static ssize_t (*next)(int, const void *, size_t);

	NEXT(next, "write");
	if (!fails(WRITE))
		return next(fd, from, n);
	return wanted.error ? -1 : next(fd, from, (n + 1) / 2);
}

int fsync(int fd)
{
	static int (*next)(int);

	NEXT(next, "fsync");
	return fails(SYNC) ? -1 : next(fd);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	static int (*next)(int, const char *, int, const char *);

	NEXT(next, "renameat");
	return fails(RENAME) ? -1 : next(from_dir, from, to_dir, to);
}

int rename(const char *from, const char *to)
{
	static int (*next)(const char *, const char *);

	NEXT(next, "rename");
	return fails(RENAME) ? -1 : next(from, to);
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t from)
{
	static void *(*next)(void *, size_t, int, int, int, off_t);

	NEXT(next, "mmap");
	return fails(MAP) ? MAP_FAILED : next(at, n, prot, flags, fd, from);
}

void *malloc(size_t size)
{
	return fails(ALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails(ALLOC) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails(ALLOC) ? NULL : __libc_realloc(p, size);
}
