/* SPDX-License-Identifier: MIT */
#include "base/file/map.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "support/limit.h"
#include "support/unit.h"

enum { FILL = 0xaa, N_THREADS = 8 };

static size_t page;

/* Each test has a directory as its state. Whatever hangs at work ends the program. */
static int setup(void **state)
{
	struct wl_tmpdir *dir = calloc(1, sizeof(*dir));

	limit_cpu();
	page = (size_t)sysconf(_SC_PAGESIZE);
	*state = dir;
	return !dir || wl_tmpdir_open(getenv("TMPDIR"), dir, NULL);
}

static int teardown(void **state)
{
	wl_tmpdir_close(*state);
	free(*state);
	return 0;
}

static const char *path_in(void **state, const char *name)
{
	static char path[WL_PATH_CAP + 64];
	const struct wl_tmpdir *dir = *state;

	(void)snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	return path;
}

/* A file of that many bytes, none of which is 0. */
static const char *make_file(void **state, const char *name, size_t size)
{
	const char *path = path_in(state, name);
	FILE *f = fopen(path, "wbe");

	assert_non_null(f);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(fputc(FILL, f), FILL);
	assert_int_equal(fclose(f), 0);
	return path;
}

static struct wl_map open_map(const char *path)
{
	struct wl_map map;

	assert_int_equal(wl_map_open(path, &map, NULL), WL_OK);
	return map;
}

static void expect_bytes(const struct wl_map *map, size_t begin, size_t end, unsigned char byte)
{
	for (size_t i = begin; i < end; i++) {
		if (map->data[i] != byte)
			fail_msg("byte %zu is %d", i, map->data[i]);
	}
}

/* --- before this process has a map, and so a handler ------------------------------------------ */

/* Fault where no map of ours is. */
static void touch_foreign_page(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	const volatile unsigned char *data = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0 && data != MAP_FAILED && ftruncate(fd, 0) == 0)
		(void)data[0];
}

static void leave_with_7(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	_exit(info->si_addr ? 7 : 9);
}

static void leave_with_8(int sig)
{
	(void)sig;
	_exit(8);
}

/* The status of a child that opens a map and faults elsewhere. */
static int fault_elsewhere(void **state, const struct sigaction *before)
{
	char own[WL_PATH_CAP + 64];
	const char *foreign;
	int status = -1;
	pid_t child;

	(void)snprintf(own, sizeof(own), "%s", make_file(state, "own", page));
	foreign = make_file(state, "foreign", page);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct wl_map map;

		if (before && sigaction(SIGBUS, before, NULL) < 0)
			_exit(2);
		if (wl_map_open(own, &map, NULL) < 0)
			_exit(3);
		touch_foreign_page(foreign);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

TEST_WITH(a_fault_elsewhere_ends_the_process, setup, teardown)
{
	const struct sigaction fallback = { .sa_handler = SIG_DFL };
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	int status = fault_elsewhere(state, &fallback);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
	status = fault_elsewhere(state, &ignored);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
}

TEST_WITH(a_fault_elsewhere_reaches_the_earlier_handler, setup, teardown)
{
	const struct sigaction with_info = { .sa_sigaction = leave_with_7, .sa_flags = SA_SIGINFO };
	const struct sigaction plain = { .sa_handler = leave_with_8 };
	int status = fault_elsewhere(state, &with_info);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	status = fault_elsewhere(state, &plain);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 8);
}

/* Nothing faults, so nothing would fault again. */
TEST_WITH(a_signal_that_someone_sent_ends_the_process, setup, teardown)
{
	const char *path = make_file(state, "f", page);
	int status = -1;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct wl_map map;

		(void)signal(SIGBUS, SIG_DFL);
		if (wl_map_open(path, &map, NULL) < 0)
			_exit(3);
		(void)raise(SIGBUS);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
}

/* --- bytes ------------------------------------------------------------------------------------ */

TEST_WITH(the_map_has_the_bytes_of_the_file, setup, teardown)
{
	const size_t sizes[] = { 1, 100, page - 1, page, page + 1, 5 * page };

	for (size_t i = 0; i < WL_COUNT(sizes); i++) {
		struct wl_map map = open_map(make_file(state, "f", sizes[i]));

		assert_int_equal(map.size, sizes[i]);
		expect_bytes(&map, 0, sizes[i], FILL);
		assert_true(wl_map_is_whole(&map));
		wl_map_close(&map);
		assert_null(map.data);
	}
}

TEST_WITH(closing_twice_does_nothing, setup, teardown)
{
	struct wl_map none = { .data = NULL }, map = open_map(make_file(state, "f", 10));

	wl_map_close(&none);
	wl_map_close(&map);
	wl_map_close(&map);
}

TEST_WITH(advice_changes_nothing, setup, teardown)
{
	struct wl_map map = open_map(make_file(state, "f", 3 * page + 7));

	wl_map_will_need(&map, 0, map.size);
	wl_map_will_need(&map, 5, 1);
	wl_map_will_need(&map, page + 1, 2 * page);
	expect_bytes(&map, 0, map.size, FILL);
	assert_true(wl_map_is_whole(&map));
	wl_map_close(&map);
}

/* The status of a child that reads one byte of the map. */
static int read_past_the_end(const char *path, size_t at)
{
	int status = -1;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct wl_map map;

		(void)signal(SIGSEGV, SIG_DFL); /* not cmocka's */
		if (wl_map_open(path, &map, NULL) < 0)
			_exit(3);
		(void)close(STDERR_FILENO); /* a sanitizer's report is what we want, not see */
		(void)*(const volatile unsigned char *)(map.data + at);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static bool is_well(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_WITH(reading_past_the_end_ends_the_process, setup, teardown)
{
	const char *path = make_file(state, "f", 2 * page);

	assert_true(is_well(read_past_the_end(path, 2 * page - 1)));
	assert_false(is_well(read_past_the_end(path, 2 * page)));
	assert_false(is_well(read_past_the_end(path, 3 * page - 1)));
	path = make_file(state, "f", 2 * page + 10);
	assert_true(is_well(read_past_the_end(path, 2 * page + 9)));
	assert_false(is_well(read_past_the_end(path, 3 * page)));
#if WL_RED_ZONE
	assert_false(is_well(read_past_the_end(path, 2 * page + 10)));
	assert_false(is_well(read_past_the_end(path, 3 * page - 1)));
#endif
}

/* --- files that shrink ------------------------------------------------------------------------ */

TEST_WITH(pages_that_went_away_are_zeros, setup, teardown)
{
	const char *path = make_file(state, "f", 16 * page);
	struct wl_map map = open_map(path);

	assert_int_equal(truncate(path, (off_t)(4 * page + 100)), 0);
	expect_bytes(&map, 0, 4 * page + 100, FILL);
	assert_true(wl_map_is_whole(&map));
	expect_bytes(&map, 5 * page, 16 * page, 0);
	assert_false(wl_map_is_whole(&map));
	expect_bytes(&map, 0, 4 * page + 100, FILL);
	wl_map_close(&map);
}

TEST_WITH(a_file_that_lost_all_pages_is_zeros, setup, teardown)
{
	const char *path = make_file(state, "f", 3 * page + 5);
	struct wl_map map = open_map(path);

	assert_int_equal(truncate(path, 0), 0);
	expect_bytes(&map, 0, map.size, 0);
	assert_false(wl_map_is_whole(&map));
	wl_map_close(&map);
}

/* A broken map says nothing about the others, nor about the next in its place. */
TEST_WITH(only_the_map_of_the_file_is_broken, setup, teardown)
{
	struct wl_map other = open_map(make_file(state, "other", 4 * page));
	const char *path = make_file(state, "f", 4 * page);
	struct wl_map map = open_map(path), twin = open_map(path);

	assert_int_equal(truncate(path, 0), 0);
	expect_bytes(&map, 0, map.size, 0);
	assert_false(wl_map_is_whole(&map));
	assert_true(wl_map_is_whole(&twin));
	assert_true(wl_map_is_whole(&other));
	expect_bytes(&other, 0, other.size, FILL);
	wl_map_close(&map);
	map = open_map(make_file(state, "new", 4 * page));
	assert_true(wl_map_is_whole(&map));
	expect_bytes(&map, 0, map.size, FILL);
	wl_map_close(&map);
	wl_map_close(&twin);
	wl_map_close(&other);
}

/* As test programs and runtimes do: the next map has its zeros all the same. */
TEST_WITH(a_handler_that_came_later_gives_way_to_the_next_map, setup, teardown)
{
	struct wl_map first = open_map(make_file(state, "first", page)), second;
	const char *path = make_file(state, "second", page);

	(void)signal(SIGBUS, leave_with_8);
	second = open_map(path);
	assert_int_equal(truncate(path, 0), 0);
	expect_bytes(&second, 0, page, 0);
	assert_false(wl_map_is_whole(&second));
	wl_map_close(&first);
	wl_map_close(&second);
}

struct toucher {
	const struct wl_map *map;
	size_t first; /* page */
	size_t wrong; /* bytes that are neither 0 nor those of the file */
};

/* Reads the byte once: it may become 0 at any time. */
static bool is_wrong(const volatile unsigned char *p)
{
	unsigned char byte = *p;

	return byte != 0 && byte != FILL;
}

static void *touch_all(void *arg)
{
	struct toucher *t = arg;
	size_t n = t->map->size / page;

	for (size_t i = 0; i < n; i++) {
		const unsigned char *p = t->map->data + (t->first + i) % n * page;

		t->wrong += is_wrong(p);
		t->wrong += is_wrong(p + page - 1);
	}
	return NULL;
}

TEST_WITH(threads_may_meet_the_same_page, setup, teardown)
{
	for (size_t round = 0; round < 20; round++) {
		const char *path = make_file(state, "f", 64 * page);
		struct wl_map map = open_map(path);
		struct toucher t[N_THREADS];
		pthread_t thread[N_THREADS];

		for (size_t i = 0; i < N_THREADS; i++) {
			t[i] = (struct toucher){ .map = &map, .first = i / 2 * 8 };
			assert_int_equal(pthread_create(&thread[i], NULL, touch_all, &t[i]), 0);
			if (i == round % N_THREADS)
				assert_int_equal(truncate(path, (off_t)page), 0);
		}
		for (size_t i = 0; i < N_THREADS; i++) {
			assert_int_equal(pthread_join(thread[i], NULL), 0);
			assert_int_equal(t[i].wrong, 0);
		}
		expect_bytes(&map, 0, page, FILL);
		expect_bytes(&map, 60 * page, 64 * page, 0);
		assert_false(wl_map_is_whole(&map));
		wl_map_close(&map);
	}
}

/* --- what cannot be mapped -------------------------------------------------------------------- */

TEST_WITH(as_many_maps_as_promised, setup, teardown)
{
	const char *path = make_file(state, "f", page);
	struct wl_map map[WL_MAPS], more;
	struct wl_err err = { .code = WL_OK };

	for (size_t i = 0; i < WL_MAPS; i++)
		map[i] = open_map(path);
	assert_int_equal(wl_map_open(path, &more, &err), WL_E_IO);
	assert_non_null(strstr(err.msg, "more than 1024 files"));
	wl_map_close(&map[100]);
	map[100] = open_map(path);
	assert_int_equal(truncate(path, 0), 0);
	expect_bytes(&map[WL_MAPS - 1], 0, page, 0);
	assert_false(wl_map_is_whole(&map[WL_MAPS - 1]));
	assert_true(wl_map_is_whole(&map[100]));
	for (size_t i = 0; i < WL_MAPS; i++)
		wl_map_close(&map[i]);
}

static void expect_refused(const char *path, const char *word)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_map map;

	assert_int_equal(wl_map_open(path, &map, &err), WL_E_IO);
	if (!strstr(err.msg, word) || !strstr(err.msg, path))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, word);
}

TEST_WITH(what_is_no_file_with_bytes_is_refused, setup, teardown)
{
	expect_refused(make_file(state, "empty", 0), "empty");
	expect_refused(path_in(state, "missing"), "No such file");
	expect_refused(path_in(state, "."), "not a regular file");
	expect_refused("/dev/null", "not a regular file");
	assert_int_equal(mkfifo(path_in(state, "fifo"), 0600), 0);
	expect_refused(path_in(state, "fifo"), "not a regular file");
}
