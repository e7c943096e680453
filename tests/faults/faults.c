/* SPDX-License-Identifier: MIT */
/*
 * faults.c - a library to preload: one read or one allocation of the process fails.
 *
 * FAULT_READ=N fails the Nth read with FAULT_ERRNO (EIO by default; 0: as at the end of the file),
 * FAULT_ALLOC=N the Nth allocation, of the program and of its libraries. FAULT_COUNT=FILE
 * receives how many of both there were. Numbers repeat only with one thread.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

/* Set before main(), and never afterwards. */
static struct {
	bool on;
	long read, alloc;
	int error;
} wanted;

static atomic_long n_reads, n_allocs;

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void start(void)
{
	wanted.read = number("FAULT_READ", 0);
	wanted.alloc = number("FAULT_ALLOC", 0);
	wanted.error = (int)number("FAULT_ERRNO", EIO);
	wanted.on = true;
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("FAULT_COUNT");
	char line[64];
	int fd, n;

	wanted.on = false;
	if (!path)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	n = snprintf(line, sizeof(line), "%ld %ld\n", (long)n_reads, (long)n_allocs);
	if (fd < 0 || write(fd, line, (size_t)n) != n)
		_exit(98);
	(void)close(fd);
}

static bool read_fails(void)
{
	return wanted.on && atomic_fetch_add(&n_reads, 1) + 1 == wanted.read;
}

static ssize_t fail_read(void)
{
	errno = wanted.error;
	return wanted.error ? -1 : 0;
}

/* Functions come from dlsym as pointers to objects. */
#define NEXT(fn, name)                                                                             \
	do {                                                                                       \
		void *found_ = dlsym(RTLD_NEXT, name);                                             \
		memcpy(&(fn), &found_, sizeof(found_));                                            \
	} while (0)

ssize_t read(int fd, void *to, size_t n)
{
	static ssize_t (*next)(int, void *, size_t);

	if (!next)
		NEXT(next, "read");
	return read_fails() ? fail_read() : next(fd, to, n);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	static ssize_t (*next)(int, void *, size_t, off_t);

	if (!next)
		NEXT(next, "pread");
	return read_fails() ? fail_read() : next(fd, to, n, at);
}

ssize_t pread64(int fd, void *to, size_t n, off64_t at)
{
	static ssize_t (*next)(int, void *, size_t, off64_t);

	if (!next)
		NEXT(next, "pread64");
	return read_fails() ? fail_read() : next(fd, to, n, at);
}

static bool alloc_fails(void)
{
	bool fails = wanted.on && atomic_fetch_add(&n_allocs, 1) + 1 == wanted.alloc;

	if (fails)
		errno = ENOMEM;
	return fails;
}

void *malloc(size_t size)
{
	return alloc_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return alloc_fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return alloc_fails() ? NULL : __libc_realloc(p, size);
}
