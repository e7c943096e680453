/* SPDX-License-Identifier: MIT */
/* order.c against sorting whole rows with qsort. */
#include "model/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/process/pool.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

enum { MAX_ROWS = 300 };

/* A row as it was put; seq is its number, and what all its other columns are made of. */
struct row {
	uint64_t owner; /* device, or globalTid */
	wl_ns start, end;
	uint32_t seq;
	bool by_length; /* ties of start are ordered by end */
};

static int by_all(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->by_length && a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (a->seq > b->seq) - (a->seq < b->seq);
}

/* Times with many ties, and lengths on both sides of what fits in 32 bits. */
static void random_times(uint64_t *seed, struct row *r)
{
	static const wl_ns lengths[] = {
		0, 0, 1, 5, (wl_ns)WL_LONG - 1, (wl_ns)WL_LONG, (wl_ns)WL_LONG + 1, (wl_ns)1 << 40
	};

	r->start = random_between(seed, -5, 5);
	r->end = r->start + lengths[random_below(seed, WL_COUNT(lengths))];
}

/* Process 3's device comes before 9's, whichever is put first; a wait has none. */
static uint32_t put_owner(struct mem *m, enum wl_family_id family, uint64_t *seed, struct row *r)
{
	static const unsigned pids[] = { 9, 3, 0x10000 };
	unsigned pid = pids[random_below(seed, 3)], tid = random_below(seed, 3);
	struct wl_place_key key = { .process = pid, .ordinal = tid, .stream = 7 };
	bool is_op = true;

	if (wl_family_infos[family].order == WL_BY_THREAD) {
		r->owner = (uint64_t)pid << 24 | tid;
		return mem_thread(m, pid, tid);
	}
	r->owner = (pid == 3 ? 0 : pid == 9 ? 3 : 6) + tid;
	key.stream += random_below(seed, 3);
	if (family == WL_F_SYNCS) {
		is_op = false;
		if (random_below(seed, 4) == 0) {
			key.ordinal = 99;
			r->owner = UINT64_MAX;
		}
	}
	return mem_place(m, &key, is_op);
}

/* Every device exists, so that their numbers are known. */
static void make_devices(struct mem *m)
{
	for (uint32_t ordinal = 0; ordinal < 3; ordinal++) {
		(void)mem_place(m, &(struct wl_place_key){ .process = 9, .ordinal = ordinal }, 1);
		(void)mem_place(m, &(struct wl_place_key){ .process = 3, .ordinal = ordinal }, 1);
		(void)mem_place(m, &(struct wl_place_key){ .process = 0x10000, .ordinal = ordinal },
				1);
	}
}

static uint64_t column_value(const struct wl_trace *t, size_t c, size_t row)
{
	uint64_t v = 0;

	memcpy(&v, (const char *)t->column[c] + row * wl_column_infos[c].size,
	       wl_column_infos[c].size);
	return v;
}

/* Put rows of one family in random order; want is what must come out. */
static void put_rows(struct mem *m, enum wl_family_id family, uint64_t *seed, struct row *want,
		     uint32_t n)
{
	size_t first = wl_family_infos[family].first_column;
	bool has_dur = strcmp(wl_column_infos[first + 1].name, "dur") == 0;
	size_t rest = first + (has_dur ? 3 : 2);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t owner = put_owner(m, family, seed, &want[i]);

		random_times(seed, &want[i]);
		if (!has_dur)
			want[i].end = want[i].start;
		want[i].seq = i;
		want[i].by_length = wl_family_infos[family].order == WL_BY_THREAD;
		mem_row(m, family, want[i].start, want[i].end);
		mem_put(m, (enum wl_column_id)(rest - 1), &owner);
		for (size_t c = rest; c < wl_family_end(family); c++)
			mem_put(m, (enum wl_column_id)c, &(uint64_t){ i });
	}
	qsort(want, n, sizeof(*want), by_all);
}

static void expect_rows(const struct wl_trace *t, enum wl_family_id family, const struct row *want,
			uint32_t n)
{
	size_t first = wl_family_infos[family].first_column;
	bool has_dur = strcmp(wl_column_infos[first + 1].name, "dur") == 0;
	const wl_ns *start = t->column[first];
	const uint32_t *dur = has_dur ? t->column[first + 1] : NULL;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(start[i], want[i].start);
		if (has_dur)
			assert_int_equal(wl_dur(&t->family[family], dur, i),
					 want[i].end - want[i].start);
		for (size_t c = first + (has_dur ? 3 : 2); c < wl_family_end(family); c++) {
			uint64_t mask = wl_column_infos[c].size == 1 ? 0xff : UINT32_MAX;

			if (column_value(t, c, i) != (want[i].seq & mask))
				fail_msg("row %zu of %s.%s is of another row", i,
					 wl_family_infos[family].name, wl_column_infos[c].name);
		}
	}
}

/* Values that are indexes must be in range: as many strings, names, shapes and stacks as rows. */
static void make_catalogue(struct mem *m)
{
	char text[16];

	for (uint32_t i = 0; i < MAX_ROWS; i++) {
		struct wl_launch_config config = { .registers = i };
		const struct wl_stack_frame frame = { i, i, WL_FRAME_FUNCTION };
		const struct wl_stack stack = { WL_NONE, i };

		(void)snprintf(text, sizeof(text), "s%u", i);
		assert_int_equal(mem_string(m, text), i);
		assert_int_equal(
			wl_intern_put(&m->build.kernel_names, &(struct wl_kernel_name){ i, i, i }),
			i);
		assert_int_equal(wl_intern_put(&m->build.configs, &config), i);
		assert_int_equal(wl_intern_put(&m->build.frames, &frame), i);
		assert_int_equal(wl_intern_put(&m->build.stacks, &stack), i);
		(void)mem_thread(m, 3, i);
	}
}

TEST(rows_are_in_the_order_of_whole_tuples)
{
	static struct row want[MAX_ROWS];
	uint64_t seed = 1;

	for (uint32_t round = 0; round < 10 * WL_N_FAMILIES; round++) {
		enum wl_family_id family = (enum wl_family_id)(round % WL_N_FAMILIES);
		uint32_t n = round < WL_N_FAMILIES ? 2 : random_below(&seed, MAX_ROWS);
		struct mem m;

		if (wl_family_infos[family].order == WL_BY_ROW)
			continue;
		mem_init(&m);
		make_catalogue(&m);
		make_devices(&m);
		put_rows(&m, family, &seed, want, n);
		expect_rows(mem_seal(&m), family, want, n);
		mem_release(&m);
	}
}

TEST(unordered_families_stay_as_in_the_file)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_trace *t;

	mem_message(&m, 3, "z");
	mem_message(&m, 1, "a");
	mem_message(&m, 2, "m");
	t = mem_seal(&m);
	assert_string_equal(wl_str(t, wl_diagnostics_text(t)[0]), "z");
	assert_string_equal(wl_str(t, wl_diagnostics_text(t)[1]), "a");
	assert_string_equal(wl_str(t, wl_diagnostics_text(t)[2]), "m");
}

static void put_kernels(struct mem *m, int n)
{
	for (int i = 0; i < n; i++)
		MEM_OP(m, WL_F_KERNELS, .start = -i, .end = i % 3 ? 0 : (wl_ns)1 << 33);
}

TEST(every_byte_limit_of_sorting_is_kept)
{
	size_t n_refused = 0;

	for (size_t extra = 0;; extra += 4) {
		struct wl_err err = { .code = WL_OK };
		struct mem m;
		int r;

		mem_init(&m);
		put_kernels(&m, 100);
		m.build.budget->limit = m.build.budget->used + extra;
		r = wl_build_finish(&m.build, &err);
		if (r < 0) {
			assert_int_equal(r, WL_E_NOMEM);
			assert_non_null(strstr(err.msg, "mem: no memory"));
			n_refused++;
		} else {
			assert_in_range(m.build.budget->peak, 0, m.build.budget->limit);
		}
		mem_release(&m);
		if (r == WL_OK)
			break;
	}
	assert_in_range(n_refused, 100, 10000);
}

TEST(a_second_load_joins_the_first)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_trace *t;

	put_kernels(&m, 10);
	t = mem_seal(&m);
	assert_int_equal(t->family[WL_F_KERNELS].n, 10);
	MEM_API(&m, .start = 5, .end = 6);
	MEM_API(&m, .start = 4, .end = 6);
	assert_ptr_equal(mem_seal(&m), t);
	assert_int_equal(t->family[WL_F_KERNELS].n, 10);
	assert_int_equal(wl_kernels_start(t)[0], -9);
	assert_int_equal(wl_api_start(t)[0], 4);
}

/* How rows come: more than one task has, in and out of order, owners in runs or mixed. */
enum disorder { NONE, NEIGHBOURS, NEAR, STRAYS, TIES, BLOCKS, BACKWARDS, ANYHOW, N_DISORDERS };

struct shape {
	enum disorder disorder;
	uint32_t n, n_owners;
	bool runs; /* of an owner follow each other in the file */
	unsigned n_threads;
};

static wl_ns shaped_start(uint64_t *seed, const struct shape *s, uint32_t i)
{
	switch (s->disorder) {
	case NEIGHBOURS:
		return 10 * (int64_t)(i ^ (random_below(seed, 20) == 0));
	case NEAR:
		return 10 * (int64_t)i + (random_below(seed, 9) ? 0 : random_below(seed, 3000));
	case STRAYS:
		return random_below(seed, s->n / 2) ? 10 * (int64_t)i : random_below(seed, s->n);
	case TIES:
		return i / 50;
	case BLOCKS: /* as of two files, one after the other */
		return i < s->n / 2 ? 10 * (int64_t)i : 10 * (int64_t)(i - s->n / 2);
	case BACKWARDS:
		return -(int64_t)i;
	case ANYHOW:
		return random_below(seed, s->n);
	case NONE:
	case N_DISORDERS:
		break;
	}
	return 10 * (int64_t)i;
}

static void shape_row(uint64_t *seed, const struct shape *s, uint32_t i, struct row *r)
{
	uint32_t run = s->n / s->n_owners + 1;

	r->owner = s->runs ? (s->n_owners - 1 - i / run) : random_below(seed, s->n_owners);
	r->start = shaped_start(seed, s, i);
	r->end = r->start + random_below(seed, 3);
	if (random_below(seed, 100) == 0)
		r->end = r->start + (wl_ns)WL_LONG - 1 + random_below(seed, 3);
	r->seq = i;
	r->by_length = true;
}

/* Calls of as many threads, put into the columns as the reader does. */
static void put_shape(struct mem *m, uint64_t *seed, const struct shape *s, struct row *want)
{
	struct wl_build *b = &m->build;
	struct wl_build_family *f = &b->family[WL_F_API];
	wl_ns *start = wl_vec_extend(&b->column[WL_API_START], s->n);
	uint32_t *dur = wl_vec_extend(&b->column[WL_API_DUR], s->n);
	uint32_t *thread = wl_vec_extend(&b->column[WL_API_THREAD], s->n);
	uint32_t *corr = wl_vec_extend(&b->column[WL_API_CORR], s->n);

	assert_true(start && dur && thread && corr);
	for (uint32_t i = 0; i < s->n_owners; i++) /* numbers against the order of owners */
		(void)mem_thread(m, 7, s->n_owners - 1 - i);
	for (uint32_t i = 0; i < s->n; i++) {
		struct row *r = &want[i];

		shape_row(seed, s, i, r);
		start[i] = r->start;
		dur[i] = r->end - r->start < (wl_ns)WL_LONG ? (uint32_t)(r->end - r->start)
							    : WL_LONG;
		thread[i] = s->n_owners - 1 - (uint32_t)r->owner;
		corr[i] = i;
		if (dur[i] == WL_LONG) {
			wl_ns length = r->end - r->start;

			wl_vec_push(&f->long_row, &i);
			wl_vec_push(&f->long_dur, &length);
		}
	}
	f->present = f->filled = true;
	f->n = s->n;
	qsort(want, s->n, sizeof(*want), by_all);
}

static void expect_shape(const struct wl_trace *t, const struct shape *s, const struct row *want)
{
	const struct wl_family *f = &t->family[WL_F_API];

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t thread = s->n_owners - 1 - (uint32_t)want[i].owner;

		if (wl_api_start(t)[i] != want[i].start ||
		    wl_dur(f, wl_api_dur(t), i) != want[i].end - want[i].start ||
		    wl_api_thread(t)[i] != thread || wl_api_corr(t)[i] != want[i].seq)
			fail_msg("disorder %d, %u rows, %u owners, %u threads: row %u is another",
				 (int)s->disorder, s->n, s->n_owners, s->n_threads, i);
	}
	for (size_t i = 1; i < f->n_long; i++)
		assert_true(f->long_row[i - 1] < f->long_row[i]);
}

static void order_shape(uint64_t *seed, const struct shape *s)
{
	struct row *want = malloc((s->n + 1) * sizeof(*want));
	struct wl_err err = { .code = WL_OK };
	struct mem m;

	assert_non_null(want);
	mem_init(&m);
	put_shape(&m, seed, s, want);
	m.build.pool = s->n_threads ? wl_pool_new(s->n_threads) : NULL;
	if (wl_build_finish(&m.build, &err) < 0)
		fail_msg("%s", err.msg);
	wl_pool_free(m.build.pool);
	m.build.pool = NULL;
	expect_shape(&m.build.trace, s, want);
	mem_release(&m);
	free(want);
}

TEST(any_disorder_is_sorted_on_any_number_of_threads)
{
	static const uint32_t rows[] = { 0, 1, 2, 3, 500, 4095, 70000 };
	static const uint32_t owners[] = { 1, 2, 9, 60 };
	uint64_t seed = 5;

	for (unsigned d = 0; d < N_DISORDERS; d++) {
		for (unsigned i = 0; i < WL_COUNT(rows); i++)
			order_shape(&seed, &(struct shape){ (enum disorder)d, rows[i],
							    owners[(d + i) % WL_COUNT(owners)],
							    (d + i) % 3 == 0, (d + i) % 5 });
	}
}

TEST(tasks_share_long_families)
{
	uint64_t seed = 6;

	for (unsigned d = 0; d < N_DISORDERS; d++)
		order_shape(&seed, &(struct shape){ (enum disorder)d, 300000 + d, d % 2 ? 8 : 1,
						    d % 4 == 3, 1 + d % 4 });
	order_shape(&seed, &(struct shape){ NEAR, 300000, 40000, false, 2 });
	order_shape(&seed, &(struct shape){ NEAR, 1200000, 2, false, 2 });
}

/* Owners that are mixed, and else in order: no more than ends, and what tasks hold. */
TEST(dealing_takes_little_memory)
{
	enum { N = 1 << 20, BYTES = 8 + 4 + 4 + 4, HELD = 65536 * BYTES };
	struct shape s = { NONE, N, 50, false, 0 };
	struct row *want;
	uint64_t seed = 7;
	struct mem m;

	if (WL_RED_ZONE) /* all on the heap, where nothing can be released */
		skip();
	want = malloc(N * sizeof(*want));
	assert_non_null(want);
	mem_init(&m);
	put_shape(&m, &seed, &s, want);
	/* Long lengths are not what this is about. */
	for (uint32_t i = 0; i < N; i++)
		((uint32_t *)m.build.column[WL_API_DUR].data)[i] &= 1;
	m.build.family[WL_F_API].long_row.n = m.build.family[WL_F_API].long_dur.n = 0;
	m.build.budget->limit = m.build.budget->used + HELD + (size_t)2 * 50 * 4 * 4096 + 200000;
	assert_int_equal(wl_build_finish(&m.build, NULL), WL_OK);
	assert_in_range(m.build.budget->used, N * BYTES, m.build.budget->limit - HELD);
	mem_release(&m);
	free(want);
}
