/* SPDX-License-Identifier: MIT */
/*
 * map.c - the process has one SIGBUS handler, so this is the one place with state of its own.
 *
 * The handler runs in whichever thread touched the page. It reads the table below,
 * whose entries change only while no thread reads their map, and calls mmap(), which on
 * Linux is a bare system call and safe there.
 */
#include "base/file/map.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"

struct watched {
	_Atomic uintptr_t begin; /* 0: free */
	_Atomic size_t size;
	_Atomic int broken;
};

static struct watched watched[WL_MAPS];
static struct sigaction before;
static atomic_flag installing = ATOMIC_FLAG_INIT;
static _Atomic size_t page_size; /* each open stores it, whatever others do */

/* The entry whose map holds the address, or NULL. */
static struct watched *find(uintptr_t address)
{
	for (size_t i = 0; i < WL_MAPS; i++) {
		uintptr_t begin = atomic_load(&watched[i].begin);

		if (begin && address >= begin && address - begin < atomic_load(&watched[i].size))
			return &watched[i];
	}
	return NULL;
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(sig, info, context);
		return;
	}
	if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(sig);
		return;
	}
	/* The access is tried again when we return, and then ends the process as it should; a
	 * signal that someone sent is sent again. */
	(void)sigaction(SIGBUS, &before, NULL);
	if (info->si_code <= 0)
		(void)raise(sig);
}

/* Put zeros in place of the page that went away. */
static bool put_zeros(void *address)
{
	void *page = (char *)address - ((uintptr_t)address & (page_size - 1));

	return mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	       MAP_FAILED;
}

/* Only a fault has an address: where someone sent the signal, his number stands there. */
static void on_bus_error(int sig, siginfo_t *info, void *context)
{
	int saved = errno;
	struct watched *w = info->si_code > 0 ? find((uintptr_t)info->si_addr) : NULL;

	if (w && put_zeros(info->si_addr))
		atomic_store(&w->broken, 1);
	else
		pass_on(sig, info, context);
	errno = saved;
}

/* Again for each map, because others install handlers too. */
static void install(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction now;

	while (atomic_flag_test_and_set(&installing))
		;
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	(void)sigemptyset(&action.sa_mask);
	if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction != on_bus_error) {
		before = now;
		(void)sigaction(SIGBUS, &action, NULL);
	}
	atomic_flag_clear(&installing);
}

static struct watched *watch(const void *data, size_t size)
{
	for (size_t i = 0; i < WL_MAPS; i++) {
		uintptr_t none = 0;

		if (atomic_compare_exchange_strong(&watched[i].begin, &none, (uintptr_t)data)) {
			atomic_store(&watched[i].broken, 0);
			atomic_store(&watched[i].size, size);
			return &watched[i];
		}
	}
	return NULL;
}

/* What a map of this many bytes takes: whole pages, and one behind them. */
static size_t reserved(size_t size)
{
	return (size + page_size - 1) / page_size * page_size + page_size;
}

/*
 * The page behind the file cannot be touched, so that reading past the end ends the
 * process there, not in whatever happens to follow. Within the last page the same is
 * true under AddressSanitizer.
 */
static void *map_guarded(int fd, size_t size)
{
	size_t room = reserved(size);
	unsigned char *data =
		mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (data == MAP_FAILED)
		return NULL;
	if (mmap(data, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		int saved = errno;

		(void)munmap(data, room);
		errno = saved;
		return NULL;
	}
	WL_POISON(data + size, room - page_size - size);
	return data;
}

static void unmap_guarded(void *data, size_t size)
{
	WL_UNPOISON((unsigned char *)data + size, reserved(size) - page_size - size);
	(void)munmap(data, reserved(size));
}

static int map_fd(int fd, const char *path, struct wl_map *ret, struct wl_err *reterr)
{
	struct watched *w;
	struct stat st;
	void *data;

	if (fstat(fd, &st) < 0)
		return wl_fail(reterr, WL_E_IO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return wl_fail(reterr, WL_E_IO, "%s: %s", path,
			       S_ISREG(st.st_mode) ? "the file is empty" : "not a regular file");
	data = map_guarded(fd, (size_t)st.st_size);
	if (!data)
		return wl_fail(reterr, WL_E_IO, "%s: cannot be mapped: %s", path, strerror(errno));
	w = watch(data, (size_t)st.st_size);
	if (!w) {
		unmap_guarded(data, (size_t)st.st_size);
		return wl_fail(reterr, WL_E_IO, "%s: more than %d files are mapped", path, WL_MAPS);
	}
	*ret = (struct wl_map){ data, data, (size_t)st.st_size, &w->broken };
	return WL_OK;
}

int wl_map_open(const char *path, struct wl_map *ret_map, struct wl_err *reterr)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int r;

	if (fd < 0)
		return wl_fail(reterr, WL_E_IO, "%s: %s", path, wl_open_reason(path));
	install();
	r = map_fd(fd, path, ret_map, reterr);
	(void)close(fd);
	return r;
}

void wl_map_close(struct wl_map *map)
{
	struct watched *w = map->data ? find((uintptr_t)map->data) : NULL;

	/* First the entry: once it is unmapped, another thread may get the same address. */
	if (w) {
		atomic_store(&w->size, 0);
		atomic_store(&w->begin, 0);
		unmap_guarded(map->base, map->size);
	}
	*map = (struct wl_map){ .data = NULL };
}

bool wl_map_is_whole(const struct wl_map *map)
{
	return atomic_load(map->broken) == 0;
}

bool wl_map_is_warm(const struct wl_map *map)
{
	enum { SAMPLES = 64 };
	size_t n_pages = (map->size + page_size - 1) / page_size;

	for (size_t i = 0; i < SAMPLES; i++) {
		size_t page = (n_pages - 1) * i / (SAMPLES - 1);
		unsigned char in_memory = 1;

		if (mincore(map->base + page * page_size, 1, &in_memory) < 0)
			return true;
		if (!(in_memory & 1))
			return false;
	}
	return true;
}

static void advise(const struct wl_map *map, size_t offset, size_t bytes, int advice)
{
	size_t begin = offset & ~(page_size - 1);

	if (offset >= map->size)
		return;
	if (bytes > map->size - offset)
		bytes = map->size - offset;
	(void)madvise(map->base + begin, bytes + (offset - begin), advice);
}

void wl_map_will_need(const struct wl_map *map, size_t offset, size_t bytes)
{
	advise(map, offset, bytes, MADV_WILLNEED);
}

void wl_map_done_with(const struct wl_map *map, size_t offset, size_t bytes)
{
	advise(map, offset, bytes, MADV_DONTNEED);
}
