/* SPDX-License-Identifier: MIT */
#include "serve/page/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gpu/roofline.h"
#include "base/text/json_read.h"
#include "serve/page/pack.h"
#include "support/shown.h"
#include "support/unit.h"

struct written {
	struct viewed v;
	struct wl_show show;
	char *text;
	size_t n;
	struct wl_json *json;
};

static int make(void **state)
{
	struct written *w = test_calloc(1, sizeof(*w));

	shown_make(&w->v, 1, SHOWN_CALLS);
	w->show = (struct wl_show){ .scene = { &w->v.scene }, .n = 1 };
	*state = w;
	return 0;
}

static int drop(void **state)
{
	struct written *w = *state;

	wl_json_free(w->json);
	free(w->text);
	viewed_release(&w->v);
	test_free(w);
	return 0;
}

static void write_head(struct written *w, enum wl_naming naming, const struct wl_pack *pack)
{
	const struct wl_head head = {
		.show = &w->show, .program = "warplens </script>", .pack = pack, .naming = naming
	};
	FILE *out = open_memstream(&w->text, &w->n);
	struct wl_arena arena;
	struct wl_jsonw json;
	struct wl_err err;

	assert_non_null(out);
	wl_arena_init(&arena, 64 << 20);
	wl_jsonw_init(&json, out);
	assert_true(wl_head_write(&head, &json, &arena));
	wl_arena_release(&arena);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(wl_json_parse(w->text, w->n, "head", &w->json, &err), WL_OK);
}

static int64_t number(const struct wl_json *v, const char *key)
{
	double d;

	assert_true(wl_json_number(wl_json_member(v, key), &d));
	return (int64_t)d;
}

TEST_WITH(rows_are_the_tracks, make, drop)
{
	struct written *w = *state;
	const struct wl_tracks *tracks = &w->v.scene.tracks;
	const struct wl_json *rows;

	write_head(w, WL_NAMES_AS_THEY_ARE, NULL);
	rows = wl_json_member(w->json, "rows");
	assert_int_equal(wl_json_size(rows), tracks->n);
	for (size_t i = 0; i < tracks->n; i++) {
		const struct wl_json *row = wl_json_at(rows, i);
		const struct wl_track *t = &tracks->at[i];

		assert_string_equal(wl_json_string(wl_json_member(row, "kind")),
				    wl_row_kind(t)->key);
		assert_string_equal(wl_json_string(wl_json_member(row, "label")), t->label);
		assert_int_equal(number(row, "parent"),
				 t->parent == WL_NONE ? -1 : (int64_t)t->parent);
		assert_int_equal(number(row, "events"), w->v.scene.lanes[i].n_events);
	}
}

TEST_WITH(rows_of_a_second_trace_follow, make, drop)
{
	struct written *w = *state;
	size_t n = w->v.scene.tracks.n, n_devices = w->v.scene.trace->n_devices;
	const struct wl_json *rows, *first, *second;

	w->show.scene[1] = w->show.scene[0];
	w->show.n = 2;
	write_head(w, WL_NAMES_AS_THEY_ARE, NULL);
	rows = wl_json_member(w->json, "rows");
	assert_int_equal(wl_json_size(rows), 2 * n);
	assert_int_equal(wl_json_size(wl_json_member(w->json, "traces")), 2);
	assert_int_equal(wl_json_size(wl_json_member(w->json, "devices")), 2 * n_devices);
	first = wl_json_at(rows, 1);
	second = wl_json_at(rows, n + 1);
	assert_int_equal(number(second, "trace"), 1);
	assert_int_equal(number(second, "parent"), number(first, "parent") + (int64_t)n);
	assert_int_equal(number(second, "device"), number(first, "device") + (int64_t)n_devices);
}

TEST_WITH(times_count_from_the_origin, make, drop)
{
	struct written *w = *state;
	const struct wl_interval extent = w->v.scene.tracks.extent;
	const struct wl_json *trace;
	char origin[32];

	write_head(w, WL_NAMES_AS_THEY_ARE, NULL);
	trace = wl_json_at(wl_json_member(w->json, "traces"), 0);
	(void)snprintf(origin, sizeof(origin), "%lld", (long long)extent.begin);
	assert_string_equal(wl_json_string(wl_json_member(trace, "origin")), origin);
	assert_int_equal(number(trace, "begin"), 0);
	assert_int_equal(number(trace, "end"), extent.end - extent.begin);
}

TEST_WITH(nothing_in_it_ends_a_script, make, drop)
{
	write_head(*state, WL_NAMES_AS_THEY_ARE, NULL);
	assert_null(strstr(((struct written *)*state)->text, "</"));
}

TEST_WITH(a_pack_is_described, make, drop)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 64 << 20));
	struct written *w = *state;
	struct wl_budget budget = { .limit = 0 };
	struct wl_names names;
	const struct wl_packing how = { .show = &w->show, .names = &names, .budget = &budget };
	struct wl_pack pack;
	const struct wl_json *data;

	assert_true(wl_names_find(&names, &w->show, WL_NAMES_AS_THEY_ARE, &arena));
	assert_int_equal(wl_pack_make(&pack, &how), WL_PACKED);
	write_head(w, WL_NAMES_AS_THEY_ARE, &pack);
	data = wl_json_member(w->json, "data");
	assert_int_equal(number(data, "bytes"), pack.bytes);
	assert_int_equal(number(data, "pieces"), 1);
	assert_int_equal(wl_json_size(wl_json_member(data, "columns")), pack.column.n);
	assert_int_equal(wl_json_size(wl_json_member(w->json, "lanes")), pack.lane.n);
	assert_int_equal(wl_json_size(wl_json_member(w->json, "templates")), pack.templates.n);
	assert_int_equal(wl_json_size(wl_json_member(w->json, "configs")), pack.config.n);
	wl_pack_release(&pack);
	wl_names_release(&names);
}

TEST_WITH(a_redacted_head_names_nobody, make, drop)
{
	struct written *w = *state;

	w->v.scene.path = "/home/acme/trace.sqlite";
	write_head(w, WL_NAMES_REDACTED, NULL);
	assert_null(strstr(w->text, "acme"));
	assert_null(strstr(w->text, "step"));
	assert_non_null(strstr(w->text, "\"redacted\":true"));
}

enum { KERNEL, X, Y, PEAK, SLOPE, ROOF, SHARE, OF_ROOF, N_COLS };

static const struct wl_col roof_cols[] = {
	[KERNEL] = { "kernel", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL, NULL },
	[X] = { "arithmetic_intensity", "FLOP/B", WL_T_REAL, WL_PLAIN, NULL },
	[Y] = { "tflops", "TFLOP/s", WL_T_REAL, WL_PLAIN, NULL },
	[PEAK] = { "peak_tflops", "Peak", WL_T_REAL, WL_MINOR, NULL },
	[SLOPE] = { "bandwidth", "GB/s", WL_T_REAL, WL_MINOR, NULL },
	[ROOF] = { "roof", "Roof", WL_T_ENUM, WL_PLAIN, NULL },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, NULL },
	[OF_ROOF] = { "roof_share", "Of roof", WL_T_RATIO, WL_PLAIN, NULL },
};

/* Two kernels below their roofs, and a note that names one. */
static void put_roofline(struct written *w, struct wl_table *t, struct wl_section *s,
			 struct wl_arena *arena)
{
	static const char *const names[] = { "acme::secret<int>(int)", "b" };
	struct wl_err err;

	wl_table_init(t, arena, roof_cols, N_COLS);
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		wl_table_row(t);
		wl_put_str(t, KERNEL, names[i]);
		wl_put_f64(t, X, 10);
		wl_put_f64(t, Y, 1 + (double)i);
		wl_put_f64(t, PEAK, 100);
		wl_put_f64(t, SLOPE, 3000);
		wl_put_str(t, ROOF, "DRAM");
		wl_put_f64(t, SHARE, 0.5);
	}
	wl_table_note(t, "acme is slow");
	*s = (struct wl_section){ .analysis = "roofline",
				  .title = "Roofline",
				  .chart = &wl_roofline_chart };
	assert_int_equal(
		wl_view_make(t, &(struct wl_view_opts){ .limit = 0 }, arena, &s->view, &err),
		WL_OK);
	w->v.scene.roofline = s;
}

/* A table with its chart, without columns that a terminal shows last. */
TEST_WITH(a_roofline_is_a_table_of_its_trace, make, drop)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct written *w = *state;
	const struct wl_json *tables, *table;
	struct wl_section section;
	struct wl_table t;

	put_roofline(w, &t, &section, &arena);
	write_head(w, WL_NAMES_AS_THEY_ARE, NULL);
	tables = wl_json_member(wl_json_at(wl_json_member(w->json, "traces"), 0), "tables");
	assert_int_equal(wl_json_size(tables), 1);
	table = wl_json_at(tables, 0);
	assert_string_equal(wl_json_string(wl_json_member(table, "verb")), "roofline");
	assert_int_equal(wl_json_size(wl_json_member(table, "columns")), 6);
	assert_int_equal(wl_json_size(wl_json_member(table, "rows")), 2);
	assert_int_equal(number(table, "total"), 2);
	assert_string_equal(wl_json_string(wl_json_at(wl_json_member(table, "notes"), 0)),
			    "acme is slow");
	assert_non_null(strstr(wl_json_string(wl_json_member(table, "figure")), "<figure>"));
	assert_null(strstr(w->text, "</"));
}

TEST_WITH(a_redacted_roofline_names_nobody, make, drop)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct written *w = *state;
	struct wl_section section;
	struct wl_table t;

	put_roofline(w, &t, &section, &arena);
	w->v.scene.path = "/home/acme/trace.sqlite";
	write_head(w, WL_NAMES_REDACTED, NULL);
	assert_null(strstr(w->text, "acme"));
	assert_null(strstr(w->text, "secret"));
	assert_non_null(strstr(w->text, "kernel~"));
	assert_non_null(strstr(w->text, "figure"));
}

TEST_WITH(a_roofline_that_is_missing_says_why, make, drop)
{
	struct written *w = *state;
	const struct wl_section section = { .analysis = "roofline",
					    .title = "Roofline",
					    .missing = "no kernels" };
	const struct wl_json *tables;

	w->v.scene.roofline = &section;
	write_head(w, WL_NAMES_AS_THEY_ARE, NULL);
	tables = wl_json_member(wl_json_at(wl_json_member(w->json, "traces"), 0), "tables");
	assert_string_equal(wl_json_string(wl_json_member(wl_json_at(tables, 0), "missing")),
			    "no kernels");
}
