/* SPDX-License-Identifier: MIT */
#include "read/pages/leaves.h"

#include <stdlib.h>

#include "base/num.h"

/* SQLite's own limit on a tree's depth. */
enum { MAX_DEPTH = 20 };

/* Bytes to read ahead: enough to keep a disk busy, but not so many that we wait for it. */
enum { AHEAD = 32 << 20 };

struct walk {
	const struct wl_db_file *db;
	const atomic_int *cancel;
	struct wl_leaves *leaves;
	uint8_t *seen;   /* a bit per page, so that cycles of pages end the walk */
	size_t from, to; /* pages the system was told to read ahead */
	struct wl_trail trail;
	const char *why;
};

static bool see(struct walk *w, uint32_t number)
{
	uint8_t bit = (uint8_t)(1u << (number & 7));

	if (w->seen[number >> 3] & bit)
		return false;
	w->seen[number >> 3] |= bit;
	return true;
}

static bool strange(struct walk *w, const char *why)
{
	w->why = why;
	return false;
}

/*
 * Leaves are usually contiguous in the file. A page fault reads little ahead, so with a cold file
 * we would wait for the disk at every step.
 */
static void read_ahead(struct walk *w, uint32_t number)
{
	size_t at = (size_t)(number - 1) * w->db->page_size;

	if (!w->db->is_cold || (at >= w->from && at + AHEAD / 2 < w->to))
		return;
	if (at < w->from || at > w->to)
		w->from = w->to = at;
	wl_map_will_need(&w->db->map, w->to, AHEAD);
	w->from = at;
	w->to += AHEAD;
}

static bool put_leaf(struct walk *w, uint32_t number, uint32_t n_cells)
{
	uint16_t cells = (uint16_t)n_cells;

	wl_vec_push(&w->leaves->page, &number);
	wl_vec_push(&w->leaves->cells, &cells);
	w->leaves->rows += n_cells;
	return !w->leaves->page.failed && !w->leaves->cells.failed;
}

static bool visit(struct walk *w, uint32_t number, int depth);

static bool visit_children(struct walk *w, const uint8_t *page, uint32_t at, uint32_t n_cells,
			   int depth)
{
	if (n_cells == 0)
		return strange(w, "an inner page without cells");
	for (uint32_t i = 0; i < n_cells; i++) {
		uint32_t cell = wl_be16(page + at + 12 + (size_t)2 * i);

		if (cell + 4 > w->db->usable)
			return strange(w, "a cell lies outside its page");
		if (!visit(w, wl_be32(page + cell), depth + 1))
			return false;
	}
	return visit(w, wl_be32(page + at + 8), depth + 1);
}

/* False if the walk ends here: the tree is malformed, memory ran out, or the user canceled. */
static bool visit(struct walk *w, uint32_t number, int depth)
{
	const uint8_t *page = wl_db_page(w->db, number);
	uint32_t at = wl_db_header_at(number), n_cells, fixed;

	if (!page)
		return strange(w, "a page number beyond the file");
	if (depth > MAX_DEPTH || !see(w, number))
		return strange(w, "pages that point at each other");
	read_ahead(w, number);
	wl_db_step(w->db, &w->trail, number);
	n_cells = wl_be16(page + at + 3);
	fixed = at + (page[at] == WL_PAGE_LEAF ? 8 : 12);
	if (page[at] != WL_PAGE_LEAF && page[at] != WL_PAGE_INTERIOR)
		return strange(w, depth ? "a page of no table" : "WITHOUT ROWID");
	if (fixed + 2 * n_cells > w->db->usable)
		return strange(w, "more cells than a page has room for");
	if (page[at] == WL_PAGE_LEAF)
		return put_leaf(w, number, n_cells);
	if (w->cancel && *w->cancel)
		return false;
	return visit_children(w, page, at, n_cells, depth);
}

int wl_leaves_find(const struct wl_db_file *db, uint32_t root, const atomic_int *cancel,
		   struct wl_budget *budget, struct wl_leaves *ret, const char **ret_why,
		   struct wl_err *reterr)
{
	struct walk w = { .db = db, .cancel = cancel, .leaves = ret };
	bool done;

	*ret = (struct wl_leaves){ .rows = 0 };
	*ret_why = NULL;
	wl_vec_init(&ret->page, sizeof(uint32_t), budget);
	wl_vec_init(&ret->cells, sizeof(uint16_t), budget);
	w.seen = calloc((size_t)db->n_pages / 8 + 1, 1);
	if (!w.seen)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the pages of a table");
	done = visit(&w, root, 0);
	free(w.seen);
	*ret_why = w.why;
	if (done || w.why)
		return WL_OK;
	if (cancel && *cancel)
		return wl_fail(reterr, WL_E_CANCELED, "stopped");
	return wl_fail(reterr, WL_E_NOMEM, "no memory for the pages of a table");
}

void wl_leaves_release(struct wl_leaves *leaves)
{
	wl_vec_release(&leaves->page);
	wl_vec_release(&leaves->cells);
}
