/* SPDX-License-Identifier: MIT */
#include "serve/page/pack.h"

#include <stdio.h>
#include <string.h>

#include "derive/lanes/columns.h"
#include "serve/page/pyramid.h"
#include "support/shown.h"
#include "support/unit.h"

enum { SEEDS = 20 };

struct packed {
	struct viewed v;
	struct wl_show show;
	struct wl_names names;
	struct wl_pack pack;
	struct wl_budget budget;
	struct wl_arena arena;
	unsigned char *bytes; /* inflated */
};

static void find_names(struct packed *p)
{
	wl_arena_init_on(&p->arena, &p->budget);
	assert_true(wl_names_find(&p->names, &p->show, WL_NAMES_AS_THEY_ARE, &p->arena));
}

static struct wl_packing packing_of(struct packed *p)
{
	return (struct wl_packing){ .show = &p->show, .names = &p->names, .budget = &p->budget };
}

static struct packed *begin(uint64_t seed)
{
	struct packed *p = test_calloc(1, sizeof(*p));

	shown_make(&p->v, seed, SHOWN_CALLS);
	p->show = (struct wl_show){ .scene = { &p->v.scene }, .n = 1 };
	return p;
}

static void make(struct packed *p, uint32_t n_columns)
{
	struct wl_packing how = packing_of(p);

	find_names(p);
	how = packing_of(p);
	how.n_columns = n_columns;
	assert_int_equal(wl_pack_make(&p->pack, &how), WL_PACKED);
	p->bytes = shown_inflate(&p->pack);
}

static void end(struct packed *p)
{
	if (p->bytes)
		test_free(p->bytes);
	wl_pack_release(&p->pack);
	wl_names_release(&p->names);
	wl_arena_release(&p->arena);
	viewed_release(&p->v);
	assert_int_equal(p->budget.used, 0);
	test_free(p);
}

static uint64_t *column(const struct packed *p, const char *key, int64_t of, size_t n)
{
	size_t got;
	uint64_t *values = shown_column(&p->pack, p->bytes, key, of, &got);

	assert_int_equal(got, n);
	return values;
}

/* ---- Round trip ---- */

static void check_times(const struct packed *p, const struct wl_lane *lane, int64_t number)
{
	uint64_t *start = column(p, "start", number, lane->n);
	uint64_t *dur = column(p, "dur", number, lane->n);
	wl_ns at = 0;

	for (size_t i = 0; i < lane->n; i++) {
		at += shown_unzigzag(start[i]);
		assert_int_equal(at + wl_show_origin(&p->show, 0), lane->start[i]);
		assert_int_equal(dur[i], wl_lane_dur(lane, i));
		at += (wl_ns)dur[i];
	}
	test_free(start);
	test_free(dur);
}

static void check_names(const struct packed *p, const struct wl_lane *lane, size_t row,
			int64_t number)
{
	uint64_t *name = column(p, "name", number, lane->n);
	uint64_t *ref = column(p, "ref", number, lane->n);
	int64_t last = -1;

	for (size_t i = 0; i < lane->n; i++) {
		last += shown_unzigzag(ref[i]) + 1;
		assert_int_equal(last, lane->ref[i]);
		assert_int_equal(name[i], wl_names_of(&p->names, row, lane->ref[i], lane->cat[i]));
	}
	test_free(name);
	test_free(ref);
}

static void check_op(const struct packed *p, uint32_t ref, uint64_t config, uint64_t bytes)
{
	const struct wl_trace *t = p->v.scene.trace;
	const struct wl_launch_config *configs = p->pack.config.data;
	const struct wl_track_op op = wl_track_op_of(ref);
	int64_t size = op.kind == WL_OP_MEMCPY   ? wl_memcpys_bytes(t)[op.row]
		       : op.kind == WL_OP_MEMSET ? wl_memsets_bytes(t)[op.row]
						 : 0;

	assert_int_equal(bytes, size < 0 ? 0 : size);
	if (op.kind != WL_OP_KERNEL) {
		assert_int_equal(config, 0);
		return;
	}
	assert_in_range(config, 1, p->pack.config.n);
	assert_memory_equal(&configs[config - 1], &t->configs[wl_kernels_config(t)[op.row]],
			    sizeof(*configs));
}

static void check_operations(const struct packed *p, const struct wl_lane *lane, int64_t number)
{
	uint64_t *launch = column(p, "launch", number, lane->n);
	uint64_t *config = column(p, "config", number, lane->n);
	uint64_t *bytes = column(p, "bytes", number, lane->n);
	int64_t last = 0;

	for (size_t i = 0; i < lane->n; i++) {
		const struct wl_track_op op = wl_track_op_of(lane->ref[i]);
		uint32_t call = wl_link_of(p->v.scene.links, op.kind, op.row);

		assert_int_equal(launch[i] == 0, call == WL_NONE);
		if (launch[i]) {
			last += shown_unzigzag(launch[i] - 1);
			assert_int_equal(last, call);
		}
		check_op(p, lane->ref[i], config[i], bytes[i]);
	}
	test_free(launch);
	test_free(config);
	test_free(bytes);
}

TEST(every_event_comes_back)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct packed *p = begin(seed);
		const struct wl_scene *d = &p->v.scene;
		const struct wl_pack_lane *lanes;
		int64_t number = 0;

		make(p, 0);
		lanes = p->pack.lane.data;
		for (size_t t = 0; t < d->tracks.n; t++) {
			for (size_t l = 0; l < d->lanes[t].n; l++, number++) {
				const struct wl_lane *lane = &d->lanes[t].lane[l];

				assert_int_equal(lanes[number].row, t);
				assert_int_equal(lanes[number].n, lane->n);
				check_times(p, lane, number);
				check_names(p, lane, t, number);
				if (d->tracks.at[t].kind == WL_TRACK_STREAM)
					check_operations(p, lane, number);
			}
		}
		assert_int_equal(p->pack.lane.n, number);
		assert_int_equal(p->pack.n_events, d->n_events);
		end(p);
	}
}

/* A name of its template and its integers, as the page puts it together. */
static void assert_name(const struct packed *p, size_t i, const char *template,
			const int64_t *integer)
{
	char text[512], *to = text;

	for (const char *c = template; *c; c++) {
		if (*c == '#' && c[1] != '#')
			to += snprintf(to, 24, "%lld", (long long)*integer++);
		else
			*to++ = *c;
		c += *c == '#' && c[1] == '#';
	}
	*to = '\0';
	assert_string_equal(text, p->names.at[i].text);
}

static size_t holes_of(const char *template)
{
	size_t n = 0;

	for (; *template; template ++) {
		if (template[0] == '#' && template[1] == '#')
			template ++;
		else
			n += *template == '#';
	}
	return n;
}

TEST(every_name_comes_back)
{
	enum { HOLES = 8 };
	struct packed *p = begin(3);
	const struct wl_templates *t = &p->pack.templates;
	uint64_t *template, *category, *integers;
	int64_t(*last)[HOLES];
	size_t at = 0;

	make(p, 0);
	template = column(p, "name.template", -1, p->names.n);
	category = column(p, "name.category", -1, p->names.n);
	integers = column(p, "name.integers", -1, t->n_integers);
	last = test_calloc(t->n, sizeof(*last));
	for (size_t i = 0; i < p->names.n; i++) {
		const char *text = t->text[template[i]];

		assert_int_equal(category[i], p->names.at[i].category);
		for (size_t k = 0; k < holes_of(text); k++)
			last[template[i]][k] += shown_unzigzag(integers[at++]);
		assert_name(p, i, text, last[template[i]]);
	}
	assert_int_equal(at, t->n_integers);
	test_free(last);
	test_free(template);
	test_free(category);
	test_free(integers);
	end(p);
}

/* ---- Less ---- */

TEST(a_window_has_what_lies_in_it)
{
	struct packed *p = begin(5);
	struct wl_scene *d = &p->v.scene;
	wl_ns middle = (d->tracks.extent.begin + d->tracks.extent.end) / 2;
	size_t n = 0;

	d->window = (struct wl_interval){ middle - 500, middle + 500 };
	p->show.in_window = true;
	make(p, 0);
	for (size_t t = 0; t < d->tracks.n; t++) {
		for (size_t l = 0; l < d->lanes[t].n; l++) {
			const struct wl_lane *lane = &d->lanes[t].lane[l];

			for (size_t i = 0; i < lane->n; i++)
				n += lane->start[i] < middle + 500 &&
				     (lane->start[i] >= middle - 500 ||
				      wl_lane_end(lane, i) > middle - 500);
		}
	}
	assert_true(n > 0);
	assert_int_equal(p->pack.n_events, n);
	end(p);
}

static size_t count_long(const struct wl_scene *d, size_t track, wl_ns min)
{
	size_t n = 0;

	for (size_t l = 0; l < d->lanes[track].n; l++) {
		for (size_t i = 0; i < d->lanes[track].lane[l].n; i++)
			n += wl_lane_dur(&d->lanes[track].lane[l], i) >= min;
	}
	return n;
}

/* How many of a track's events a cut leaves, and in *ret_all of at least its length. */
static size_t count_kept(const struct packed *p, size_t track, size_t *ret_all)
{
	const struct wl_scene *d = &p->v.scene;
	size_t n = 0;

	for (size_t l = 0; l < d->lanes[track].n; l++) {
		for (size_t i = 0; i < d->lanes[track].lane[l].n; i++)
			n += wl_show_has(&p->show, track, &d->lanes[track].lane[l], i);
	}
	*ret_all = count_long(d, track, p->show.cut[track].all);
	return n;
}

TEST(a_pyramid_has_pictures_and_the_longest)
{
	enum { COLUMNS = 1024, EVENTS = 10 };
	struct packed *p = begin(7);
	const struct wl_scene *d = &p->v.scene;
	const struct wl_viewport view = { d->tracks.extent.begin, d->tracks.extent.end, COLUMNS };
	struct wl_cut *cut = test_calloc(d->tracks.n, sizeof(*cut));
	struct wl_picture_column want[COLUMNS];
	const struct wl_pyramid_share share = { .n = EVENTS, .without_whole = true };
	const struct wl_pack_column *c;
	size_t n = 0, n_pictures = 0;

	wl_pyramid_cut(&p->show, &share, cut);
	p->show.cut = cut;
	make(p, COLUMNS);
	for (size_t t = 0; t < d->tracks.n; t++) {
		size_t longest, kept = count_kept(p, t, &longest), all = count_long(d, t, 0);

		assert_true(longest <= EVENTS && kept >= longest);
		/* About as many as asked for, also where one length has more. */
		assert_true(kept <= EVENTS + EVENTS / 2);
		assert_true(kept == all || kept >= EVENTS / 2);
		/* An eighth shorter would be too many, or these are all. */
		assert_true(kept == all || count_long(d, t, cut[t].some) > EVENTS);
		n += kept;
	}
	assert_int_equal(p->pack.n_events, n);
	c = p->pack.column.data;
	for (size_t i = 0; i < p->pack.column.n; i++) {
		if (strcmp(c[i].key, "columns") != 0)
			continue;
		wl_lane_draw(wl_scene_lane(d, (size_t)c[i].of), &view, want);
		assert_int_equal(c[i].n, COLUMNS);
		assert_int_equal(c[i].bytes, sizeof(want));
		assert_memory_equal(p->bytes + c[i].offset, want, sizeof(want));
		n_pictures++;
	}
	assert_true(n_pictures > 4);
	test_free(cut);
	end(p);
}

TEST(rows_of_accounts_stay_whole)
{
	struct packed *p = begin(7);
	const struct wl_scene *d = &p->v.scene;
	struct wl_cut *cut = test_calloc(d->tracks.n, sizeof(*cut));
	const struct wl_pack_column *c;

	wl_pyramid_cut(&p->show, &(struct wl_pyramid_share){ .n = 0 }, cut);
	p->show.cut = cut;
	make(p, 256);
	for (size_t t = 0; t < d->tracks.n; t++) {
		enum wl_track_kind kind = d->tracks.at[t].kind;
		size_t longest;

		if (kind == WL_TRACK_GPU || kind == WL_TRACK_GAPS || kind == WL_TRACK_ITERATIONS)
			assert_int_equal(cut[t].all, 0);
		else if (d->lanes[t].n)
			assert_int_equal(count_kept(p, t, &longest), 0);
	}
	c = p->pack.column.data;
	for (size_t i = 0; i < p->pack.column.n; i++) { /* what is whole needs no picture */
		if (strcmp(c[i].key, "columns") == 0)
			assert_true(cut[c[i].of].all > 0);
	}
	test_free(cut);
	end(p);
}

TEST(too_many_bytes_are_told)
{
	struct packed *p = begin(9);
	struct wl_packing how;

	find_names(p);
	how = packing_of(p);
	how.max_bytes = 100;
	assert_int_equal(wl_pack_make(&p->pack, &how), WL_PACK_TOO_LARGE);
	assert_true(p->pack.data.n <= 100);
	end(p);
}

TEST(who_stops_gets_nothing)
{
	const atomic_int stop = 1;
	struct packed *p = begin(9);
	struct wl_packing how;

	find_names(p);
	how = packing_of(p);
	how.stop = &stop;
	assert_int_equal(wl_pack_make(&p->pack, &how), WL_PACK_STOPPED);
	end(p);
}

TEST(too_little_memory_is_told)
{
	struct packed *p = begin(9);
	struct wl_packing how;
	size_t n_failed = 0;

	find_names(p);
	how = packing_of(p);
	for (size_t bytes = 1; bytes < 100000; bytes += 1999) {
		struct wl_budget budget = { .limit = bytes };

		how.budget = &budget;
		n_failed += wl_pack_make(&p->pack, &how) == WL_PACK_NO_MEMORY;
		wl_pack_release(&p->pack);
		assert_int_equal(budget.used, 0);
	}
	assert_true(n_failed > 0);
	end(p);
}
