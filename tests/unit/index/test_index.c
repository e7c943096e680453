/* SPDX-License-Identifier: MIT */
/* An index: a trace comes back as it was, and no file does any harm. */
#include "index/index.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process/pool.h"
#include "index/image.h"
#include "known/exports/codes.h"
#include "support/dump.h"
#include "support/invariants.h"
#include "support/mem.h"
#include "support/unit.h"

static const struct wl_index_opts opts = { .program = "test 1" };

#define UNNAMED "printed by the program" /* a text of the trace that no row names */

struct world {
	struct wl_tmpdir dir;
	char path[WL_PATH_CAP + 32];  /* of what stands for the trace */
	char index[WL_PATH_CAP + 32]; /* of its index */
	struct mem mem;
	struct wl_trace trace; /* a copy that a test may change; its path is that above */
};

/* Rows in every family, one of them longer than 32 bits hold. */
static void put_rows(struct mem *m)
{
	static const wl_ns long_ns = INT64_C(10) << 32;
	const int64_t rows = 5;

	for (unsigned i = 0; i < 6; i++)
		MEM_OP(m, WL_F_KERNELS, .start = (wl_ns)10 * i,
		       .end = i == 3 ? long_ns : 10 * i + 5, .pid = 100 + i % 2, .device = i % 2,
		       .corr = i, .name = i % 2 ? "gemm<float>" : "relu", .grid = i);
	MEM_OP(m, WL_F_MEMCPYS, .start = 5, .end = 9, .bytes = 1 << 20);
	MEM_OP(m, WL_F_MEMSETS, .start = 5, .end = 9, .bytes = 7);
	MEM_OP(m, WL_F_GRAPHS, .start = 50, .end = 90);
	MEM_OP(m, WL_F_SYNCS, .start = 1, .end = 2, .device = 9);
	for (unsigned i = 0; i < 4; i++)
		MEM_API(m, .start = i, .end = i + 1, .tid = i % 2, .corr = i);
	MEM_NVTX(m, .start = 0, .end = 20, .tid = 1, .name = "step");
	MEM_NVTX(m, .start = 0, .end = long_ns, .tid = 3, .name = "rank=3");
	MEM_OSRT(m, .start = 3, .end = 4);
	mem_sched(m, 7, 100, 1, true);
	MEM_SAMPLE(m, .start = 8, .tid = 1, .stack = "main;step");
	mem_metric(m, 0, "SM Active", 9, 50);
	mem_message(m, 1, "a warning");
	mem_table(m, "StringIds", rows, "value");
	(void)mem_string(m, UNNAMED);
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct wl_err err;
	FILE *out;

	assert_non_null(w);
	assert_int_equal(wl_tmpdir_open(getenv("TMPDIR"), &w->dir, &err), WL_OK);
	(void)snprintf(w->path, sizeof(w->path), "%s/t.sqlite", w->dir.path);
	(void)snprintf(w->index, sizeof(w->index), "%s/t.sqlite.wlidx", w->dir.path);
	out = fopen(w->path, "w");
	assert_non_null(out);
	assert_true(fputs("SQLite format 3", out) >= 0);
	assert_int_equal(fclose(out), 0);
	mem_init(&w->mem);
	put_rows(&w->mem);
	w->trace = *mem_seal(&w->mem);
	w->trace.path = w->path;
	assert_null(broken_invariant(&w->trace));
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	mem_release(&w->mem);
	wl_tmpdir_close(&w->dir);
	free(w);
	return 0;
}

static void write_index(struct world *w)
{
	struct wl_index_writer writer;
	struct wl_trace_identity identity;
	struct wl_err err;

	assert_int_equal(wl_trace_identify(w->path, &identity, &err), WL_OK);
	assert_int_equal(wl_index_begin(&w->trace, &identity, &opts, &writer, &err), WL_OK);
	assert_int_equal(wl_index_writer_commit(&writer, &err), WL_OK);
}

/* Open, show all and check; NULL when that is refused. */
static struct wl_index *open_all(struct world *w, struct wl_err *err)
{
	const struct wl_columns all = all_columns();
	struct wl_index *index = NULL;
	int r = wl_index_open(w->path, &opts, NULL, &index, err);

	if (r == WL_OK && index) {
		wl_index_load(index, &all);
		r = wl_index_check(index, NULL, err);
	}
	if (r < 0) {
		wl_index_close(index);
		index = NULL;
	}
	return index;
}

static void overwrite(const char *path, int byte)
{
	struct stat st;
	FREED char *bytes;
	FILE *out = fopen(path, "r+");

	assert_non_null(out);
	assert_int_equal(fstat(fileno(out), &st), 0);
	bytes = malloc((size_t)st.st_size);
	assert_non_null(bytes);
	memset(bytes, byte, (size_t)st.st_size);
	assert_int_equal(fwrite(bytes, 1, (size_t)st.st_size, out), st.st_size);
	assert_int_equal(fclose(out), 0);
}

/*
 * What was checked stays; what was not is refused, whatever is written over the file. The
 * first, because cmocka puts its own handlers back after each test.
 */
TEST_WITH(a_file_overwritten_in_place_changes_nothing, setup, teardown)
{
	static const int bytes[] = { 0, 0xff };
	const struct wl_columns all = all_columns();
	struct world *w = *state;
	FREED char *before = dump_trace(&w->trace);

	for (size_t i = 0; i <= WL_COUNT(bytes); i++) {
		struct wl_err err = { .code = WL_OK };
		struct wl_index *used, *fresh = NULL;
		char *after;

		write_index(w);
		used = open_all(w, &err);
		assert_non_null(used);
		assert_int_equal(wl_index_open(w->path, &opts, NULL, &fresh, &err), WL_OK);
		if (i < WL_COUNT(bytes))
			overwrite(w->index, bytes[i]);
		else
			assert_int_equal(truncate(w->index, 0), 0);
		after = dump_trace(wl_index_trace(used));
		assert_string_equal(before, after);
		assert_int_equal(wl_index_check(used, NULL, &err), WL_OK);
		wl_index_load(fresh, &all);
		assert_int_equal(wl_index_check(fresh, NULL, &err), WL_E_FORMAT);
		wl_index_close(used);
		wl_index_close(fresh);
		assert_int_equal(unlink(w->index), 0);
		free(after);
	}
}

TEST_WITH(a_trace_comes_back_as_it_was, setup, teardown)
{
	struct world *w = *state;
	struct wl_pool *pool = wl_pool_new(2);
	struct wl_index *index;
	struct wl_err err = { .code = WL_OK };
	char *before = dump_trace(&w->trace), *after;

	write_index(w);
	index = open_all(w, &err);
	assert_non_null(index);
	assert_null(broken_invariant(wl_index_trace(index)));
	after = dump_trace(wl_index_trace(index));
	assert_string_equal(before, after);
	assert_string_equal(wl_index_trace(index)->reader, "index");
	assert_string_equal(wl_index_trace(index)->path, w->path);
	assert_int_equal(wl_index_check(index, pool, &err), WL_OK);
	wl_index_close(index);
	wl_pool_free(pool);
	free(before);
	free(after);
}

TEST_WITH(texts_that_no_row_names_are_left_out, setup, teardown)
{
	struct world *w = *state;
	const struct wl_trace *t;
	struct wl_index *index;
	struct wl_err err;
	size_t n_left_out = 0;

	write_index(w);
	index = open_all(w, &err);
	assert_non_null(index);
	t = wl_index_trace(index);
	assert_int_equal(t->strings.n, w->trace.strings.n);
	for (uint32_t i = 0; i < t->strings.n; i++) {
		if (strcmp(wl_str(&w->trace, i), UNNAMED) == 0) {
			assert_string_equal(wl_str(t, i), "");
			n_left_out++;
		}
	}
	assert_int_equal(n_left_out, 1);
	wl_index_close(index);
}

TEST_WITH(writing_ends_without_memory, setup, teardown)
{
	struct world *w = *state;
	struct wl_budget budget = { .limit = 1 };
	const struct wl_index_opts tight = { .program = opts.program, .budget = &budget };
	struct wl_index_writer writer;
	struct wl_trace_identity identity;
	struct wl_err err;

	assert_int_equal(wl_trace_identify(w->path, &identity, &err), WL_OK);
	assert_int_equal(wl_index_begin(&w->trace, &identity, &tight, &writer, &err), WL_OK);
	assert_int_equal(wl_index_writer_commit(&writer, &err), WL_E_NOMEM);
	assert_int_equal(access(w->index, F_OK), -1);
}

TEST_WITH(columns_that_nobody_asked_for_stay_hidden, setup, teardown)
{
	struct wl_columns want = { { 0 } };
	struct world *w = *state;
	struct wl_index *index;
	const struct wl_trace *t;
	struct wl_err err;

	write_index(w);
	assert_int_equal(wl_index_open(w->path, &opts, NULL, &index, &err), WL_OK);
	t = wl_index_trace(index);
	assert_int_equal(t->family[WL_F_KERNELS].n, 0);
	assert_int_equal(t->family[WL_F_TABLES].n, 1);
	wl_columns_add(&want, WL_API_CORR);
	wl_index_load(index, &want);
	assert_int_equal(t->family[WL_F_API].n, 4);
	assert_non_null(wl_api_start(t));
	assert_null(wl_api_name(t));
	assert_int_equal(t->family[WL_F_KERNELS].n, 0);
	assert_null(wl_kernels_start(t));
	want = (struct wl_columns){ { 0 } };
	wl_columns_add(&want, WL_MEMSETS_BYTES);
	wl_index_load(index, &want);
	assert_int_equal(t->family[WL_F_KERNELS].n, 6); /* all devices are known, or none */
	assert_non_null(wl_kernels_place(t));
	assert_null(wl_kernels_name(t));
	assert_int_equal(t->family[WL_F_API].n, 4);
	assert_int_equal(wl_index_check(index, NULL, &err), WL_OK);
	wl_index_close(index);
}

/* A change of the trace, or of its name, or another program: the index is not of it. */
TEST_WITH(another_trace_has_no_index, setup, teardown)
{
	const struct wl_index_opts other = { .program = "test 2" };
	struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 2, .tv_nsec = 3 } };
	struct world *w = *state;
	struct wl_index *index;
	struct wl_err err;

	assert_int_equal(wl_index_open(w->path, &opts, NULL, &index, &err), WL_OK);
	assert_null(index);
	write_index(w);
	assert_int_equal(wl_index_open(w->path, &other, NULL, &index, &err), WL_E_FORMAT);
	assert_non_null(strstr(err.msg, "another version"));
	assert_int_equal(utimensat(AT_FDCWD, w->path, times, 0), 0);
	assert_int_equal(wl_index_open(w->path, &opts, NULL, &index, &err), WL_E_FORMAT);
	assert_non_null(strstr(err.msg, "before it changed"));
	write_index(w);
	assert_int_equal(wl_index_open(w->path, &opts, NULL, &index, &err), WL_OK);
	wl_index_close(index);
	times[1].tv_nsec = 4;
	assert_int_equal(utimensat(AT_FDCWD, w->path, times, 0), 0);
	assert_int_equal(wl_index_open(w->path, &opts, NULL, &index, &err), WL_E_FORMAT);
}

TEST_WITH(a_file_that_others_may_write_is_not_used, setup, teardown)
{
	struct world *w = *state;
	struct wl_index *index;
	struct wl_err err;

	write_index(w);
	assert_int_equal(chmod(w->index, 0664), 0);
	assert_int_equal(wl_index_open(w->path, &opts, NULL, &index, &err), WL_E_FORMAT);
	assert_non_null(strstr(err.msg, "written by others"));
	write_index(w); /* whatever the mode of the one before */
	assert_int_equal(wl_index_open(w->path, &opts, NULL, &index, &err), WL_OK);
	assert_non_null(index);
	wl_index_close(index);
}

/* The same trace, or none: with any byte of the file changed. */
TEST_WITH(no_changed_byte_gives_another_trace, setup, teardown)
{
	struct world *w = *state;
	FREED char *before = dump_trace(&w->trace);
	size_t n_refused = 0;
	struct stat st;
	int fd;

	write_index(w);
	fd = open(w->index, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at++) {
		struct wl_err err = { .code = WL_OK };
		struct wl_index *index;
		unsigned char byte, other;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		other = byte ^ (unsigned char)(1 << at % 8);
		assert_int_equal(pwrite(fd, &other, 1, at), 1);
		index = open_all(w, &err);
		n_refused += !index;
		if (index) { /* between the arrays */
			char *after = dump_trace(wl_index_trace(index));

			assert_string_equal(before, after);
			free(after);
		}
		wl_index_close(index);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	assert_true(n_refused > (size_t)st.st_size / 4);
	(void)close(fd);
}

TEST_WITH(no_cut_file_is_used, setup, teardown)
{
	struct world *w = *state;
	struct stat st;

	write_index(w);
	assert_int_equal(stat(w->index, &st), 0);
	for (off_t n = st.st_size - 1; n >= 0; n--) {
		struct wl_err err = { .code = WL_OK };

		assert_int_equal(truncate(w->index, n), 0);
		assert_null(open_all(w, &err));
		assert_int_not_equal(err.code, WL_OK);
	}
}

/* What is written is read back: with sums that fit, but values that cannot be. */
static void refuses_file(struct world *w, const char *what)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_index *index = open_all(w, &err);

	if (index)
		print_error("not refused: %s\n", what);
	assert_null(index);
}

static void refuses(struct world *w, const char *what)
{
	write_index(w);
	refuses_file(w, what);
}

/* The texts of the trace as they are, which the program would make whole. */
static void refuses_texts(struct world *w, const char *what)
{
	struct wl_index_writer writer;
	struct wl_trace_identity identity;
	struct wl_err err;

	assert_int_equal(wl_trace_identify(w->path, &identity, &err), WL_OK);
	assert_int_equal(wl_index_writer_begin(&writer, w->index, wl_image_layout(opts.program),
					       &identity, &err),
			 WL_OK);
	wl_image_put(&w->trace, &writer);
	assert_int_equal(wl_index_writer_commit(&writer, &err), WL_OK);
	refuses_file(w, what);
}

/* One value of a column instead of the one there. */
static void refuses_value(struct world *w, enum wl_column_id column, size_t row, const void *value)
{
	const struct wl_column_info *info = &wl_column_infos[column];
	const void *before = w->trace.column[column];
	size_t n = w->trace.family[info->family].n;
	FREED char *copy = malloc(n * info->size);

	assert_non_null(copy);
	assert_true(row < n);
	memcpy(copy, before, n * info->size);
	memcpy(copy + row * info->size, value, info->size);
	w->trace.column[column] = copy;
	refuses(w, info->name);
	w->trace.column[column] = before;
}

TEST_WITH(hostile_columns_are_refused, setup, teardown)
{
	const uint32_t big = 1000000, none = WL_NONE;
	const int64_t minus = -1, past = WL_TIME_MAX + 1;
	struct world *w = *state;

	refuses_value(w, WL_KERNELS_PLACE, 2, &big);
	refuses_value(w, WL_KERNELS_PLACE, 2, &none);
	refuses_value(w, WL_KERNELS_NAME, 5, &big);
	refuses_value(w, WL_KERNELS_NAME, 5, &none);
	refuses_value(w, WL_KERNELS_CONFIG, 0, &big);
	refuses_value(w, WL_KERNELS_START, 0, &past);
	refuses_value(w, WL_KERNELS_START, 0, &(wl_ns){ 1000 }); /* out of order */
	refuses_value(w, WL_KERNELS_DUR, 0, &none);              /* not in the side table */
	refuses_value(w, WL_API_THREAD, 1, &big);
	refuses_value(w, WL_API_NAME, 1, &big);
	refuses_value(w, WL_NVTX_END_THREAD, 1, &big);
	refuses_value(w, WL_MEMCPYS_BYTES, 0, &minus);
	refuses_value(w, WL_DIAGNOSTICS_TEXT, 0, &big);
	refuses_value(w, WL_DIAGNOSTICS_TIME, 0, &past);
	refuses_value(w, WL_TABLES_ROWS, 0, &minus);
	for (size_t place = 0; place < w->trace.n_places; place++) {
		if (w->trace.places[place].device == WL_NONE)
			refuses_value(w, WL_MEMCPYS_PLACE, 0, &(uint32_t){ (uint32_t)place });
	}
}

/* A value that the column's domain has not; NULL where it has all. */
static const void *not_in(enum wl_column_domain domain)
{
	static const uint32_t big = 1000000, none = WL_NONE;
	static const int64_t minus = -1, past = WL_TIME_MAX + 1;

	switch (domain) {
	case WL_D_START:
	case WL_D_TIME:
		return &past;
	case WL_D_LENGTH: /* not in the side table */
		return &none;
	case WL_D_SIZE:
		return &minus;
	case WL_D_PLACE:
	case WL_D_THREAD:
	case WL_D_THREAD_OR_NONE:
	case WL_D_KERNEL_NAME:
	case WL_D_CONFIG:
	case WL_D_TEXT:
	case WL_D_STACK:
	case WL_D_SERIES:
		return &big;
	case WL_D_CODE:
		break;
	}
	return NULL;
}

TEST_WITH(every_column_keeps_to_its_domain, setup, teardown)
{
	struct world *w = *state;
	size_t seen = 0;

	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		const struct wl_column_info *info = &wl_column_infos[c];
		const void *value = not_in(info->domain);

		if (!value || w->trace.family[info->family].n == 0)
			continue;
		refuses_value(w, (enum wl_column_id)c, 0, value);
		seen |= (size_t)1 << info->domain;
	}
	/* The rows above have columns of all domains but the one that takes every value. */
	assert_int_equal(seen, ((size_t)1 << WL_D_CODE) - 1);
}

/* An element of an array of the catalogue, for the time of a call. */
/* NOLINTBEGIN(bugprone-macro-parentheses): types and members */
#define REFUSES(w, array, type, change)                                                            \
	do {                                                                                       \
		const type *before = (w)->trace.array;                                             \
		type *copy = malloc((w)->trace.n_##array * sizeof(type)), *e = copy;               \
                                                                                                   \
		assert_non_null(copy);                                                             \
		assert_true((w)->trace.n_##array > 0);                                             \
		memcpy(copy, before, (w)->trace.n_##array * sizeof(type));                         \
		change;                                                                            \
		(w)->trace.array = copy;                                                           \
		refuses(w, #array ": " #change);                                                   \
		(w)->trace.array = before;                                                         \
		free(copy);                                                                        \
	} while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

TEST_WITH(hostile_catalogues_are_refused, setup, teardown)
{
	const uint32_t big = 1000000;
	const unsigned char two = 2;
	struct world *w = *state;

	REFUSES(w, places, struct wl_place, e->process = big);
	REFUSES(w, places, struct wl_place, e->device = big);
	REFUSES(w, threads, struct wl_thread, e->process = big);
	REFUSES(w, threads, struct wl_thread, e->name = big);
	REFUSES(w, kernel_names, struct wl_kernel_name, e->mangled = big);
	REFUSES(w, frames, struct wl_stack_frame, e->symbol = big);
	REFUSES(w, frames, struct wl_stack_frame, e->module = big);
	REFUSES(w, frames, struct wl_stack_frame, e->kind = WL_N_FRAME_KINDS);
	REFUSES(w, stacks, struct wl_stack, e->frame = big);
	REFUSES(w, stacks, struct wl_stack, e->caller = 0);
	REFUSES(w, processes, struct wl_process, e->key = UINT64_MAX);
	REFUSES(w, processes, struct wl_process, e->rank_source = (enum wl_rank_source)77);
	REFUSES(w, processes, struct wl_process, memcpy(&e->on_gpu, &two, 1));
	REFUSES(w, devices, struct wl_device, memcpy(&e->proven, &two, 1));
	REFUSES(w, devices, struct wl_device, e->gpu = big);
	REFUSES(w, devices, struct wl_device, e->process = big);
	REFUSES(w, source_columns, struct wl_source_column, e->table = big);
	w->trace.host = big;
	refuses(w, "host");
	w->trace.host = WL_NONE;
	w->trace.duration = -5;
	refuses(w, "duration");
	w->trace.duration = WL_NO_TIME;
}

TEST_WITH(hostile_strings_are_refused, setup, teardown)
{
	struct world *w = *state;
	const struct wl_strings before = w->trace.strings;
	size_t n = before.n;
	size_t size = before.offset[n - 1] + strlen(before.blob + before.offset[n - 1]) + 1;
	uint64_t *offset = malloc(n * sizeof(*offset));
	FREED char *blob = malloc(size);

	assert_non_null(offset);
	assert_non_null(blob);
	memcpy(offset, before.offset, n * sizeof(*offset));
	memcpy(blob, before.blob, size);
	w->trace.strings = (struct wl_strings){ blob, offset, n };
	blob[0] = '\xff';
	refuses_texts(w, "invalid UTF-8");
	blob[0] = before.blob[0];
	offset[1]++;
	refuses_texts(w, "an offset into a string");
	offset[1] = UINT64_C(1) << 40;
	refuses_texts(w, "an offset outside");
	free(offset);
}

TEST_WITH(columns_are_charged, setup, teardown)
{
	const struct wl_columns all = all_columns();
	struct wl_budget budget = { .limit = 0 }, small = { .limit = 0 };
	struct world *w = *state;
	struct wl_index *index;
	struct wl_err err;
	size_t used;

	write_index(w);
	assert_int_equal(wl_index_open(w->path, &opts, &budget, &index, &err), WL_OK);
	used = budget.used;
	wl_index_load(index, &all);
	assert_int_equal(wl_index_check(index, NULL, &err), WL_OK);
	assert_true(budget.used > used);
	small.limit = budget.used - 1;
	wl_index_close(index);
	assert_int_equal(budget.used, 0);
	assert_int_equal(wl_index_open(w->path, &opts, &small, &index, &err), WL_OK);
	wl_index_load(index, &all);
	assert_int_equal(wl_index_check(index, NULL, &err), WL_E_NOMEM);
	wl_index_close(index);
	assert_int_equal(small.used, 0);
}

/* The owner is asked of the file that is read, so no name between matters. */
TEST_WITH(a_link_is_no_index, setup, teardown)
{
	struct world *w = *state;
	char elsewhere[sizeof(w->index) + 16];
	struct wl_index *index;
	struct wl_err err;

	write_index(w);
	(void)snprintf(elsewhere, sizeof(elsewhere), "%s.there", w->index);
	assert_int_equal(rename(w->index, elsewhere), 0);
	assert_int_equal(symlink(elsewhere, w->index), 0);
	assert_int_equal(wl_index_open(w->path, &opts, NULL, &index, &err), WL_E_FORMAT);
	assert_non_null(strstr(err.msg, "is a symbolic link"));
}

TEST_WITH(an_index_is_removed_and_nothing_else, setup, teardown)
{
	struct world *w = *state;
	struct wl_err err;
	bool was_there = true;
	FILE *out;

	assert_int_equal(wl_index_remove(w->path, &opts, &was_there, &err), WL_OK);
	assert_false(was_there);
	write_index(w);
	assert_int_equal(wl_index_remove(w->path, &opts, &was_there, &err), WL_OK);
	assert_true(was_there);
	assert_int_equal(access(w->index, F_OK), -1);
	out = fopen(w->index, "w");
	assert_non_null(out);
	assert_true(fputs("my own notes", out) >= 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(wl_index_remove(w->path, &opts, &was_there, &err), WL_E_USAGE);
	assert_int_equal(access(w->index, F_OK), 0);
}

TEST_WITH(a_directory_tells_traces_of_one_name_apart, setup, teardown)
{
	const struct wl_index_opts elsewhere = { .dir = "/indexes", .program = "test" };
	char a[WL_PATH_CAP], b[WL_PATH_CAP];
	struct wl_err err;

	assert_int_equal(wl_index_path("x/run.sqlite", &elsewhere, a, &err), WL_OK);
	assert_int_equal(wl_index_path("y/run.sqlite", &elsewhere, b, &err), WL_OK);
	assert_string_not_equal(a, b);
	assert_int_equal(strncmp(a, "/indexes/run.sqlite-", 20), 0);
	assert_int_equal(wl_index_path("x/run.sqlite", &opts, a, &err), WL_OK);
	assert_string_equal(a, "x/run.sqlite.wlidx");
}
