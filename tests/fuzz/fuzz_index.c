/* SPDX-License-Identifier: MIT */
/*
 * fuzz_index.c - the bytes are changes of a valid index, whose sums are then made to fit.
 *
 * So every change gets past the sums, which find accidents only, and reaches the checks that
 * hold off a forger. An index is refused, or the trace keeps every promise of
 * model/trace.h, and all that is derived, kept or answered from it stays within its copies.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/checksum.h"
#include "fuzz/fuzz.h"
#include "index/kept.h"
#include "session/answer/write_index.h"
#include "session/document/answers.h"
#include "support/db.h"
#include "support/invariants.h"

enum { MAX_CHANGES = 32, CHANGE_BYTES = 8, MEMORY = 64 << 20 };

/* As src/index/file.c writes it; an index without changes must open, which proves it. */
struct header {
	char magic[8];
	uint64_t byte_order, layout;
	struct wl_trace_identity identity;
	uint64_t directory, n_sections, directory_checksum, size, checksum;
};

static const struct wl_index_opts index_opts = { .program = "fuzz" };

static struct {
	void *db;                      /* of db.h */
	const char *path;              /* of the trace */
	char index[WL_PATH_CAP + 300]; /* of its index */
	unsigned char *good, *bytes;   /* the valid index, and the changed one */
	size_t size;
	struct header header;
	struct wl_index_section *directory; /* the changed one, outside of what changes reach */
} w;

static void need(bool promised)
{
	if (!promised)
		abort();
}

/* Eight steps of one kernel each. */
static void put_trace(struct db *db)
{
	db_make_tables(db, DB_3_25_0);
	db_string(db, 1, "cudaLaunchKernel");
	db_string(db, 2, "gemm");
	db_string(db, 3, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	for (unsigned i = 0; i < 8; i++) {
		int64_t at = 1000 * (int64_t)i;

		db_kernel(db, &(struct db_kernel){ .start = at + 500,
						   .end = i == 7 ? INT64_C(9) << 32 : at + 900,
						   .corr = i + 1,
						   .stream = 7 + i % 2,
						   .name = i % 2 ? 2 : 3 });
		db_api(db,
		       &(struct db_api){
			       .start = at, .end = at + 100, .tid = 1, .corr = i + 1, .name = 1 });
		db_nvtx(db, &(struct db_nvtx){
				    .start = at, .end = at + 950, .tid = 1, .text = "step" });
	}
}

static void read_good(void)
{
	FILE *in = fopen(w.index, "rb");
	struct stat st;

	need(in && fstat(fileno(in), &st) == 0);
	w.size = (size_t)st.st_size;
	w.good = malloc(w.size);
	w.bytes = malloc(w.size);
	need(w.good && w.bytes && fread(w.good, 1, w.size, in) == w.size);
	(void)fclose(in);
	memcpy(&w.header, w.good, sizeof(w.header));
	w.directory = calloc((size_t)w.header.n_sections, sizeof(*w.directory));
	need(w.directory != NULL);
}

static void clean_up(void)
{
	(void)db_teardown(&w.db);
	free(w.good);
	free(w.bytes);
	free(w.directory);
}

static void prepare(void)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_err err;
	struct db *db;

	need(setenv("TMPDIR", "/dev/shm", 0) == 0 && db_setup(&w.db) == 0);
	db = db_open(&w.db, "t.sqlite");
	put_trace(db);
	w.path = db_close(db);
	need(wl_write_index(w.path, &opts, &index_opts, NULL, &err) == WL_OK);
	need(snprintf(w.index, sizeof(w.index), "%s.wlidx", w.path) < (int)sizeof(w.index));
	read_good();
	need(atexit(clean_up) == 0);
}

static bool lies_within(const struct wl_index_section *s)
{
	return s->offset <= w.size && s->size > 0 && s->n <= (w.size - s->offset) / s->size;
}

/* What, which section, where in it, and a value of four bytes. */
static void change(const uint8_t *at)
{
	struct wl_index_section *s = &w.directory[at[1] % w.header.n_sections];
	size_t where = at[2] | (size_t)at[3] << 8;
	size_t n = lies_within(s) ? (size_t)(s->n * s->size) : 0;
	uint32_t value;

	memcpy(&value, at + 4, sizeof(value));
	switch (at[0] % 6) {
	case 0: /* one byte */
		if (n > 0)
			w.bytes[s->offset + where % n] = at[4];
		break;
	case 1: /* a number */
		if (n >= sizeof(value))
			memcpy(w.bytes + s->offset + where % (n / sizeof(value)) * sizeof(value),
			       &value, sizeof(value));
		break;
	case 2: /* fewer elements, or more */
		s->n = value;
		break;
	case 3:
		s->size = value;
		break;
	case 4:
		s->offset = at[2] % 2 ? value : (uint64_t)value * 64;
		break;
	default: /* there is no such array, or two of them */
		s->name[at[2] % 8] = (char)at[4];
		break;
	}
}

/* Sums that fit, as a forger makes them. Where arrays overlap header or directory, none does. */
static void sign(void)
{
	struct header h = w.header;
	struct wl_index_section *s = w.directory;
	size_t n = (size_t)h.n_sections * sizeof(*s);

	for (size_t i = 0; i < h.n_sections; i++) {
		if (lies_within(&s[i]))
			s[i].checksum = wl_checksum_rows(w.bytes + s[i].offset, (size_t)s[i].size,
							 0, (size_t)s[i].n);
	}
	h.directory_checksum = wl_checksum(s, n);
	h.checksum = wl_checksum(&h, offsetof(struct header, checksum));
	memcpy(w.bytes, &h, sizeof(h));
	memcpy(w.bytes + h.directory, s, n);
}

/* The answer to every verb without arguments, and the frame of every document. */
static void take_answers(const struct wl_index *index)
{
	const struct wl_answer_source source = wl_index_answers(index);
	struct wl_arena arena;

	wl_arena_init(&arena, MEMORY);
	for (size_t i = 0; i < wl_n_analyses; i++) {
		const struct wl_section_info section = { .analysis = wl_analyses[i]->name };
		const struct wl_stored_answer *a = wl_answer_find(&source, &section, NULL, &arena);

		need(!a || a->status == WL_OK || (a->status == WL_E_NODATA && a->message));
		need(!a || a->status != WL_OK || wl_table_ok(&a->table));
	}
	for (size_t i = 0; i < wl_n_documents; i++)
		(void)wl_frame_find(&source, wl_documents[i]->name, NULL, &arena);
	wl_arena_release(&arena);
}

static void derive(const struct wl_index *index)
{
	const uint64_t all = (UINT64_C(1) << WL_N_DERIVATIONS) - 1;
	const struct wl_derived_source kept = wl_kept_source(index);
	const struct wl_derived_opts opts = { .marker = NULL };
	struct wl_budget budget = { .limit = MEMORY };
	struct wl_derivations d;

	wl_derivations_init(&d, wl_index_trace(index), &opts, &kept, &budget);
	need(wl_derivations_find(&d, all, NULL));
	wl_derivations_release(&d);
	need(budget.used == 0);
}

/* Whether it is used. */
static bool use(void)
{
	const struct wl_columns all = all_columns();
	struct wl_index *index = NULL;
	struct wl_err err = { .code = WL_OK };
	int r = wl_index_open(w.path, &index_opts, NULL, &index, &err);

	need(r == WL_OK || (err.code == r && *err.msg));
	if (r == WL_OK) {
		take_answers(index); /* before the columns are looked at, as a session does */
		wl_index_load(index, &all);
		r = wl_index_check(index, NULL, &err);
		need(r == WL_OK || (err.code == r && *err.msg));
	}
	if (r == WL_OK) {
		need(!broken_invariant(wl_index_trace(index)));
		derive(index);
	}
	wl_index_close(index);
	return r == WL_OK;
}

static void write_bytes(void)
{
	int fd = open(w.index, O_WRONLY | O_TRUNC | O_CLOEXEC);

	need(fd >= 0 && write(fd, w.bytes, w.size) == (ssize_t)w.size && close(fd) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size / CHANGE_BYTES < MAX_CHANGES ? size / CHANGE_BYTES : MAX_CHANGES;

	if (!w.good)
		prepare();
	memcpy(w.bytes, w.good, w.size);
	memcpy(w.directory, w.good + w.header.directory,
	       (size_t)w.header.n_sections * sizeof(*w.directory));
	for (size_t i = 0; i < n; i++)
		change(data + i * CHANGE_BYTES);
	sign();
	write_bytes();
	need(use() || n > 0);
	return 0;
}
