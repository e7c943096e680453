/* SPDX-License-Identifier: MIT */
#include "render/chart/label_places.h"

#include "support/random.h"
#include "support/unit.h"

static const struct wl_svg_box area = { 0, 0, 700, 400 };

static bool do_touch(struct wl_svg_box a, struct wl_svg_box b)
{
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

TEST(a_place_is_taken_once)
{
	struct wl_label_places l = { .area = area };

	assert_true(wl_label_places_take(&l, (struct wl_svg_box){ 10, 10, 40, 14 }));
	assert_false(wl_label_places_take(&l, (struct wl_svg_box){ 40, 20, 40, 14 }));
	assert_true(wl_label_places_take(&l, (struct wl_svg_box){ 50, 10, 40, 14 }));
	assert_false(wl_label_places_take(&l, (struct wl_svg_box){ 690, 100, 40, 14 }));
}

TEST(marks_and_lines_are_kept_free)
{
	struct wl_label_places l = { .area = area };

	wl_label_places_add_mark(&l, (struct wl_svg_box){ 100, 100, 20, 20 });
	wl_label_places_add_line(&l, (struct wl_svg_line){ 200, 200, 400, 300 });
	assert_false(wl_label_places_take(&l, (struct wl_svg_box){ 110, 110, 40, 14 }));
	/* Through the middle of the line; and in its hull, but above it. */
	assert_false(wl_label_places_take(&l, (struct wl_svg_box){ 290, 245, 20, 10 }));
	assert_true(wl_label_places_take(&l, (struct wl_svg_box){ 340, 205, 40, 14 }));
}

TEST(a_lonely_mark_has_its_label_beside_it)
{
	const struct wl_svg_box mark = { 100, 100, 20, 20 };
	struct wl_label_places l = { .area = area };
	struct wl_label_place place;

	wl_label_places_add_mark(&l, mark);
	assert_true(wl_label_places_take_near(&l, mark, 10, &place));
	assert_false(place.has_leader);
	assert_true(place.box.x >= 120 && place.box.x < 124);
	assert_true(place.box.y > 100 && place.box.y + place.box.h < 120);
}

/* At the right edge it stands on another side. */
TEST(a_label_stays_in_the_picture)
{
	const struct wl_svg_box mark = { 680, 100, 20, 20 };
	struct wl_label_places l = { .area = area };
	struct wl_label_place place;

	wl_label_places_add_mark(&l, mark);
	assert_true(wl_label_places_take_near(&l, mark, 24, &place));
	assert_true(place.box.x + place.box.w <= 700);
}

/* The line leads from the middle of the mark to the box. */
TEST(a_hidden_mark_has_a_leader)
{
	const struct wl_svg_box mark = { 100, 100, 12, 12 };
	struct wl_label_places l = { .area = area };
	struct wl_label_place place;

	wl_label_places_add_mark(&l, mark);
	wl_label_places_add_mark(&l, (struct wl_svg_box){ 90, 90, 40, 40 });
	assert_true(wl_label_places_take_near(&l, mark, 10, &place));
	assert_true(place.has_leader);
	assert_true(place.leader.x1 == 106 && place.leader.y1 == 106);
	assert_true(place.leader.x2 >= place.box.x && place.leader.x2 <= place.box.x + place.box.w);
	assert_true(place.leader.y2 >= place.box.y && place.leader.y2 <= place.box.y + place.box.h);
}

/* However crowded: 24 marks within a part of the picture that gets smaller. */
TEST(labels_never_overlap)
{
	enum { N = 24 };
	uint64_t seed = 7;

	for (int round = 0; round < random_cases(60); round++) {
		struct wl_label_places l = { .area = area };
		struct wl_svg_box mark[N];
		struct wl_label_place place[N];
		const uint32_t part = 20 + 7 * (uint32_t)round % 380;

		for (int i = 0; i < N; i++) {
			mark[i] = (struct wl_svg_box){ 150 + random_below(&seed, part),
						       random_below(&seed, part), 12, 12 };
			wl_label_places_add_mark(&l, mark[i]);
		}
		wl_label_places_add_line(&l, (struct wl_svg_line){ 0, 300, 400, 50 });
		for (int i = 0; i < N; i++) {
			assert_true(wl_label_places_take_near(&l, mark[i], 17, &place[i]));
			for (int k = 0; k < i; k++)
				assert_false(do_touch(place[i].box, place[k].box));
		}
	}
}
