/* SPDX-License-Identifier: MIT */
#include "serve/shown/names.h"

#include <stdio.h>
#include <string.h>

#include "serve/shown/labels.h"
#include "serve/shown/templates.h"
#include "support/shown.h"
#include "support/unit.h"

static int make(void **state)
{
	struct viewed *v = test_malloc(sizeof(*v));

	shown_make(v, 1, SHOWN_CALLS);
	*state = v;
	return 0;
}

static int drop(void **state)
{
	viewed_release(*state);
	test_free(*state);
	return 0;
}

static const char *name_of(const struct wl_names *names, size_t row, const struct wl_lane *lane,
			   size_t i)
{
	uint32_t n = wl_names_of(names, row, lane->ref[i], lane->cat[i]);

	assert_in_range(n, 0, names->n - 1);
	assert_int_equal(names->at[n].category, lane->cat[i]);
	return names->at[n].text;
}

TEST_WITH(every_event_has_its_name_and_category, make, drop)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 64 << 20));
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	const struct wl_show show = { .scene = { d }, .n = 1 };
	struct wl_names names;

	assert_true(wl_names_find(&names, &show, WL_NAMES_AS_THEY_ARE, &arena));
	for (size_t t = 0; t < d->tracks.n; t++) {
		for (size_t l = 0; l < d->lanes[t].n; l++) {
			const struct wl_lane *lane = &d->lanes[t].lane[l];

			for (size_t i = 0; i < lane->n; i++) {
				const char *want = wl_track_event_name(&d->tracks, t, lane->ref[i],
								       lane->cat[i]);
				const char *got = name_of(&names, t, lane, i);

				if (d->tracks.at[t].kind == WL_TRACK_GAPS)
					assert_memory_equal(got, want, strlen(want));
				else
					assert_string_equal(got, want);
			}
		}
	}
	for (size_t i = 0; i < names.n; i++) { /* no name is there twice */
		for (size_t k = 0; k < i; k++)
			assert_false(names.at[i].category == names.at[k].category &&
				     strcmp(names.at[i].text, names.at[k].text) == 0);
	}
	wl_names_release(&names);
}

TEST_WITH(names_come_in_the_order_of_rows_and_events, make, drop)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 64 << 20));
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	const struct wl_show show = { .scene = { d, d }, .n = 2 };
	struct wl_names names;
	uint32_t next = 0;

	assert_true(wl_names_find(&names, &show, WL_NAMES_AS_THEY_ARE, &arena));
	for (size_t row = 0; row < wl_show_rows(&show); row++) {
		size_t track;

		(void)wl_show_find(&show, row, &track);
		for (size_t l = 0; l < d->lanes[track].n; l++) {
			const struct wl_lane *lane = &d->lanes[track].lane[l];

			for (size_t i = 0; i < lane->n; i++) {
				uint32_t n = wl_names_of(&names, row, lane->ref[i], lane->cat[i]);

				assert_true(n <= next);
				next += n == next;
				/* The second trace is the first: nothing new. */
				assert_true(row < d->tracks.n || n < next);
			}
		}
	}
	assert_int_equal(next, names.n);
	wl_names_release(&names);
}

static bool has_name(const struct wl_names *names, const char *part)
{
	for (size_t i = 0; i < names->n; i++) {
		if (strstr(names->at[i].text, part))
			return true;
	}
	return false;
}

TEST_WITH(redacted_names_tell_libraries_only, make, drop)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 64 << 20));
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	const struct wl_show show = { .scene = { d }, .n = 1 };
	struct wl_names names;

	assert_true(wl_names_find(&names, &show, WL_NAMES_REDACTED, &arena));
	assert_false(has_name(&names, "secret"));
	assert_false(has_name(&names, "acme"));
	assert_false(has_name(&names, "step"));
	assert_false(has_name(&names, "op_id"));
	assert_false(has_name(&names, "layer"));
	assert_true(has_name(&names, "ncclDevKernel_AllReduce"));
	assert_true(has_name(&names, "at::native::f~"));
	assert_true(has_name(&names, "cudaLaunchKernel"));
	wl_names_release(&names);
}

TEST_WITH(too_little_memory_is_told, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	const struct wl_show show = { .scene = { d }, .n = 1 };

	size_t n_failed = 0;

	for (size_t bytes = 1; bytes < 40000; bytes += 997) {
		struct wl_arena arena;
		struct wl_names names;
		struct wl_templates t;

		wl_arena_init(&arena, bytes);
		n_failed += !wl_names_find(&names, &show, WL_NAMES_REDACTED, &arena) ||
			    !wl_templates_find(&names, &arena, &t);
		wl_names_release(&names);
		wl_arena_release(&arena);
	}
	assert_true(n_failed > 0);
}

/* ---- Templates ---- */

/* Put the integers back, as the page does. */
static void assemble(const char *template, const char *name, char *buf)
{
	size_t at = 0;

	for (const char *c = template; *c; c++) {
		uint64_t v;

		if (*c != '#') {
			*buf++ = *c;
		} else if (c[1] == '#') {
			*buf++ = *c++;
		} else {
			assert_true(wl_template_integer(name, &at, &v));
			buf += snprintf(buf, 24, "%llu", (unsigned long long)v);
		}
	}
	*buf = '\0';
}

TEST(a_name_comes_back_to_the_byte)
{
	static const struct {
		const char *name, *template;
	} cases[] = {
		{ "", "" },
		{ "step 12", "step #" },
		{ "step12x layer3", "step#x layer#" },
		{ "op_id = 12, seq = 7", "op_id = #, seq = #" },
		{ "007", "007" },
		{ "0", "#" },
		{ "#", "##" },
		{ "# 1", "## 1" },
		{ "5# #6", "5## ##6" },
		{ "0x7f00 1", "0x7f00 #" },
		{ "fp16 stage2_f", "fp16 stage2_f" },
		{ "4503599627370495 4503599627370496", "# 4503599627370496" },
		{ "99999999999999999999999999", "99999999999999999999999999" },
		{ "a-1", "a-#" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char template[128], back[128];

		wl_template_write(cases[i].name, template);
		assert_string_equal(template, cases[i].template);
		assemble(template, cases[i].name, back);
		assert_string_equal(back, cases[i].name);
	}
}

TEST(labels_are_numbered_once)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	static const struct wl_web_name at[] = {
		{ .text = "kernel" },
		{ .text = "step 007", .label = "step #" },
		{ .text = "x" },
		{ .text = "at 0x7f", .label = "at #" },
		{ .text = "step 8", .label = "step #" },
	};
	const struct wl_names names = { .n = 5, .at = at };
	struct wl_labels labels;

	assert_true(wl_labels_find(&names, &arena, &labels));
	assert_int_equal(labels.n, 2);
	assert_string_equal(labels.text[0], "step #");
	assert_string_equal(labels.text[1], "at #");
	assert_int_equal(labels.of_name[0], WL_NONE);
	assert_int_equal(labels.of_name[1], 0);
	assert_int_equal(labels.of_name[3], 1);
	assert_int_equal(labels.of_name[4], 0);
}

TEST(names_that_differ_in_numbers_share_a_template)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	static const struct wl_web_name at[] = {
		{ .text = "step 1" },
		{ .text = "x" },
		{ .text = "step 2" },
		{ .text = "step 2", .category = 1 },
	};
	const struct wl_names names = { .n = 4, .at = at };
	struct wl_templates t;

	assert_true(wl_templates_find(&names, &arena, &t));
	assert_int_equal(t.n, 2);
	assert_string_equal(t.text[0], "step #");
	assert_string_equal(t.text[1], "x");
	assert_int_equal(t.of_name[2], 0);
	assert_int_equal(t.of_name[3], 0);
	assert_int_equal(t.n_integers, 3);
}
