/* order.c against sorting whole rows with qsort. */
#include "model/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

enum { MAX_ROWS = 300 };

/* A row as it was put; seq is its number, and what all its other columns are made of. */
struct row {
	uint64_t owner; /* device, or globalTid */
	wl_ns start, end;
	uint32_t seq;
};

static int by_all(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
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

/* Values that are indexes must be in range: as many strings, names and shapes as rows. */
static void make_catalogue(struct mem *m)
{
	char text[16];

	for (uint32_t i = 0; i < MAX_ROWS; i++) {
		struct wl_launch_config config = { .registers = i };

		(void)snprintf(text, sizeof(text), "s%u", i);
		assert_int_equal(mem_string(m, text), i);
		assert_int_equal(
			wl_intern_put(&m->build.kernel_names, &(struct wl_kernel_name){ i, i, i }),
			i);
		assert_int_equal(wl_intern_put(&m->build.configs, &config), i);
		(void)mem_thread(m, 3, i);
	}
}

static void rows_are_in_the_order_of_whole_tuples(void **state)
{
	static struct row want[MAX_ROWS];
	uint64_t seed = 1;

	(void)state;
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

static void unordered_families_stay_as_in_the_file(void **state)
{
	struct mem m;
	const struct wl_trace *t;

	(void)state;
	mem_init(&m);
	mem_message(&m, 3, "z");
	mem_message(&m, 1, "a");
	mem_message(&m, 2, "m");
	t = mem_seal(&m);
	assert_string_equal(wl_str(t, wl_diagnostics_text(t)[0]), "z");
	assert_string_equal(wl_str(t, wl_diagnostics_text(t)[1]), "a");
	assert_string_equal(wl_str(t, wl_diagnostics_text(t)[2]), "m");
	mem_release(&m);
}

static void put_kernels(struct mem *m, int n)
{
	for (int i = 0; i < n; i++)
		mem_op(m, WL_F_KERNELS,
		       &(struct mem_op){ .start = -i, .end = i % 3 ? 0 : (wl_ns)1 << 33 });
}

static void every_byte_limit_of_sorting_is_kept(void **state)
{
	size_t n_refused = 0;

	(void)state;
	for (size_t extra = 0;; extra += 4) {
		struct wl_err err = { .code = WL_OK };
		struct mem m;
		int r;

		mem_init(&m);
		put_kernels(&m, 100);
		m.build.budget.limit = m.build.budget.used + extra;
		r = wl_build_finish(&m.build, &err);
		if (r < 0) {
			assert_int_equal(r, WL_E_NOMEM);
			assert_non_null(strstr(err.msg, "mem: no memory"));
			n_refused++;
		} else {
			assert_in_range(m.build.budget.peak, 0, m.build.budget.limit);
		}
		mem_release(&m);
		if (r == WL_OK)
			break;
	}
	assert_in_range(n_refused, 100, 10000);
}

static void a_second_load_joins_the_first(void **state)
{
	struct mem m;
	const struct wl_trace *t;

	(void)state;
	mem_init(&m);
	put_kernels(&m, 10);
	t = mem_seal(&m);
	assert_int_equal(t->family[WL_F_KERNELS].n, 10);
	mem_api(&m, &(struct mem_call){ .start = 5, .end = 6 });
	mem_api(&m, &(struct mem_call){ .start = 4, .end = 6 });
	assert_ptr_equal(mem_seal(&m), t);
	assert_int_equal(t->family[WL_F_KERNELS].n, 10);
	assert_int_equal(wl_kernels_start(t)[0], -9);
	assert_int_equal(wl_api_start(t)[0], 4);
	mem_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_in_the_order_of_whole_tuples),
		cmocka_unit_test(unordered_families_stay_as_in_the_file),
		cmocka_unit_test(every_byte_limit_of_sorting_is_kept),
		cmocka_unit_test(a_second_load_joins_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
