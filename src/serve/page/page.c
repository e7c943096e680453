/* SPDX-License-Identifier: MIT */
#include "serve/page/page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text/units.h"
#include "serve/page/page_parts.h"
#include "serve/page/pyramid.h"
#include "serve/shown/compared.h"

enum {
	PICTURE = 1 << 14,     /* columns of a row's picture */
	MIN_PICTURE = 1 << 10, /* below that a picture shows nothing that a reader wants */
	EVENT_BYTES = 8,       /* of an event in a file, at most as a rule */
	MIN_EVENTS = 64,       /* per row; fewer are not worth a try */
	MAX_TRIES = 12,        /* to find out how many events fit */
};

/* ---- Head ---- */

static int write_head(struct wl_page *page, const struct wl_page_opts *opts, struct wl_err *reterr)
{
	const struct wl_head head = { .show = &page->show,
				      .program = opts->program,
				      .pack = &page->pack,
				      .banner = page->banner[0] ? page->banner : NULL,
				      .naming = opts->naming,
				      .compared = page->compared };
	struct wl_arena scratch;
	struct wl_jsonw json;
	FILE *out = open_memstream(&page->head, &page->head_size);
	bool ok;

	if (!out)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the head of the page");
	wl_arena_init_on(&scratch, opts->budget);
	wl_jsonw_init(&json, out);
	ok = wl_head_write(&head, &json, &scratch) && !ferror(out);
	wl_arena_release(&scratch);
	if (fclose(out) != 0 || !ok)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the head of the page");
	return WL_OK;
}

/* ---- Packing ---- */

static void drop_pack(struct wl_page *page)
{
	wl_pack_release(&page->pack);
	wl_names_release(&page->names);
	wl_arena_release(&page->arena);
	free(page->head);
	page->head = NULL;
}

/* Everything once, with pictures of n_columns or none; *ret_fits when it is small enough. */
static int try(struct wl_page *page, const struct wl_page_opts *opts, uint32_t n_columns,
	       bool *ret_fits, struct wl_err *reterr)
{
	const struct wl_packing how = { .show = &page->show,
					.names = &page->names,
					.max_bytes = (size_t)(opts->max_size / 4 * 3 + 3),
					.n_columns = n_columns,
					.budget = opts->budget,
					.stop = opts->stop };
	struct wl_page_out size = { .file = NULL };
	int r;

	drop_pack(page);
	*ret_fits = false;
	wl_arena_init_on(&page->arena, opts->budget);
	if (!wl_names_find(&page->names, &page->show, opts->naming, &page->arena))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the names of the page");
	switch (wl_pack_make(&page->pack, &how)) {
	case WL_PACK_NO_MEMORY:
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the data of the page");
	case WL_PACK_STOPPED:
		return wl_fail(reterr, WL_E_CANCELED, "stopped");
	case WL_PACK_TOO_LARGE:
		return WL_OK;
	case WL_PACKED:
		break;
	}
	r = write_head(page, opts, reterr);
	if (r < 0)
		return r;
	wl_page_put(&size, page->title, page);
	page->size = size.n;
	*ret_fits = size.n <= opts->max_size;
	return WL_OK;
}

/* What a page has of rows that are too large. */
struct reduction {
	struct wl_pyramid_share share;
	uint32_t n_columns;
	struct wl_cut *cut; /* by row */
};

static void write_banner(struct wl_page *page, const struct wl_page_opts *opts,
			 const struct reduction *how)
{
	const struct wl_interval extent = wl_show_extent(&page->show, 0);
	char zoom[WL_UNITS_BUF], size[WL_UNITS_BUF];

	(void)snprintf(page->banner, sizeof(page->banner),
		       "%" PRIu64
		       " events are too many for a file of %s: it has %s, and the zoom of the rest "
		       "ends at %s per pixel. See all with: %.200s",
		       page->n_events, wl_fmt_bytes(size, (int64_t)opts->max_size),
		       how->share.n ? "the longest of each row" : "pictures of the rows",
		       wl_fmt_ns(zoom, (extent.end - extent.begin) / how->n_columns, WL_UNIT_AUTO),
		       opts->serve);
}

static size_t rows_with_events(const struct wl_show *show)
{
	size_t n = 0;

	for (size_t s = 0; s < show->n; s++) {
		for (size_t t = 0; t < show->scene[s]->tracks.n; t++)
			n += show->scene[s]->lanes[t].n > 0;
	}
	return n;
}

static int try_reduced(struct wl_page *page, const struct wl_page_opts *opts,
		       const struct reduction *how, bool *ret_fits, struct wl_err *reterr)
{
	page->show.cut = NULL;
	wl_pyramid_cut(&page->show, &how->share, how->cut);
	page->show.cut = how->cut;
	write_banner(page, opts, how);
	return try(page, opts, how->n_columns, ret_fits, reterr);
}

/*
 * As many events as fit: what fits is doubled, what does not is halved towards what did. A page
 * that is nearly full is good enough, because every try packs all of it.
 */
static int fill(struct wl_page *page, const struct wl_page_opts *opts, struct reduction *how,
		bool *ret_fits, struct wl_err *reterr)
{
	size_t best = 0, over = 0;
	int r = try_reduced(page, opts, how, ret_fits, reterr);

	for (int i = 0; r == WL_OK && i < MAX_TRIES; i++) {
		if (*ret_fits)
			best = how->share.n;
		else
			over = how->share.n;
		if (*ret_fits ? page->size > opts->max_size / 5 * 4 : over == 0)
			return r;
		how->share.n = over == 0 ? best * 2 : best + (over - best) / 2;
		if (how->share.n < MIN_EVENTS || how->share.n - best < best / 8)
			how->share.n = best;
		if (*ret_fits && how->share.n == best)
			return r;
		r = try_reduced(page, opts, how, ret_fits, reterr);
	}
	if (r == WL_OK && !*ret_fits) {
		how->share.n = best;
		r = try_reduced(page, opts, how, ret_fits, reterr);
	}
	return r;
}

/* Rows that accounts are made of stay whole if they can; else all have less, and coarser pictures.
 */
static int reduce(struct wl_page *page, const struct wl_page_opts *opts, struct wl_arena *arena,
		  struct wl_err *reterr)
{
	size_t rows = rows_with_events(&page->show);
	struct reduction how = { .n_columns = PICTURE };
	struct reduction least = { .share = { .without_whole = true }, .n_columns = MIN_PICTURE };
	bool fits = false;
	int r = WL_OK;

	how.cut = WL_NEW(arena, struct wl_cut, wl_show_rows(&page->show) + 1);
	if (!how.cut)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
	/* The least of all first: where it is too much, so is everything else. */
	least.cut = how.cut;
	r = try_reduced(page, opts, &least, &fits, reterr);
	if (r == WL_OK && !fits)
		return wl_fail(reterr, WL_E_USAGE,
			       "--max-size: the rows alone take more; select less with --gpu, "
			       "--rank or --window");
	/* Coarser pictures are better than no events at all. */
	fits = false;
	while (r == WL_OK && (!fits || page->pack.n_events == 0) && how.n_columns >= MIN_PICTURE) {
		how.share.n = (size_t)(opts->max_size / EVENT_BYTES) / (rows ? rows : 1);
		r = fill(page, opts, &how, &fits, reterr);
		if (how.share.without_whole)
			how.n_columns /= 2;
		how.share.without_whole = true;
	}
	return r == WL_OK && !fits ? try_reduced(page, opts, &least, &fits, reterr) : r;
}

/* ---- All ---- */

static void write_title(struct wl_page *page, enum wl_naming naming)
{
	const struct wl_show *show = &page->show;

	if (naming == WL_NAMES_REDACTED)
		(void)snprintf(page->title, sizeof(page->title), "warplens");
	else if (show->n == 1)
		(void)snprintf(page->title, sizeof(page->title), "%.200s - warplens",
			       show->scene[0]->path);
	else
		(void)snprintf(page->title, sizeof(page->title), "%.100s, %.100s - warplens",
			       show->scene[0]->path, show->scene[1]->path);
}

static int make(struct wl_page *page, const struct wl_page_opts *opts, struct wl_arena *arena,
		struct wl_err *reterr)
{
	struct wl_compared compared;
	bool fits;
	int r = WL_OK;

	if (page->show.n == WL_N_SIDES) {
		r = wl_compared_make(&page->show, arena, &compared, reterr);
		page->compared = &compared;
	}
	if (r == WL_OK)
		r = try(page, opts, 0, &fits, reterr);
	if (r == WL_OK && !fits)
		r = reduce(page, opts, arena, reterr);
	page->show.cut = NULL; /* the names are numbered, and the data packed */
	page->compared = NULL; /* and the head written */
	return r;
}

int wl_page_make(struct wl_page *page, const struct wl_page_opts *opts, struct wl_err *reterr)
{
	struct wl_arena arena;
	int r;

	*page = (struct wl_page){ .show = opts->show };
	write_title(page, opts->naming);
	page->n_events = wl_show_count_all(&page->show);
	wl_arena_init_on(&arena, opts->budget);
	r = make(page, opts, &arena, reterr);
	wl_arena_release(&arena);
	return r;
}

void wl_page_release(struct wl_page *page)
{
	drop_pack(page);
}
