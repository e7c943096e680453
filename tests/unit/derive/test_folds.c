/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/folds.h"

#include <stdio.h>
#include <string.h>

#include "derive/derived.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

struct folded {
	struct mem mem;
	struct wl_arena arena;
	struct wl_folds f;
};

static void init(struct folded *x)
{
	memset(x, 0, sizeof(*x));
	mem_init(&x->mem);
	wl_arena_init(&x->arena, 1 << 24);
}

static void release(struct folded *x)
{
	wl_arena_release(&x->arena);
	mem_release(&x->mem);
}

static void push(struct folded *x, unsigned tid, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&x->mem, .start = start, .end = end, .tid = tid, .name = name);
}

static void span(struct folded *x, wl_ns start, wl_ns end, unsigned end_tid, const char *name)
{
	MEM_NVTX(&x->mem, .start = start, .end = end, .end_tid = end_tid, .kind = WL_NVTX_START_END,
		 .name = name);
}

static void fold(struct folded *x, struct wl_fold_opts opts)
{
	const struct wl_forest *forest;

	if (!x->mem.derived.trace)
		(void)mem_seal(&x->mem);
	forest = x->mem.derived.forest;
	assert_non_null(forest);
	assert_true(wl_folds_find(&x->mem.derived, forest, &opts, &x->arena, &x->f));
}

/* True when some fold has this path and style. */
static bool has(struct folded *x, const char *path, bool is_span)
{
	for (uint32_t i = 0; i < x->f.n; i++) {
		const char *text = wl_fold_path(&x->f, i, &x->arena);

		assert_non_null(text);
		if (strcmp(text, path) == 0 && x->f.fold[i].is_span == is_span)
			return true;
	}
	return false;
}

TEST(names_and_paths_fold_over_threads)
{
	WITH(struct folded, x, release, init(&x));

	for (unsigned tid = 0; tid < 2; tid++) {
		push(&x, tid, 0, 50, "step 1");
		push(&x, tid, 10, 20, "layer 3");
		push(&x, tid, 50, 90, "step 2");
	}
	push(&x, 0, 95, 96, "layer 4");
	fold(&x, (struct wl_fold_opts){ .by_path = false });
	assert_int_equal(x.f.n, 2);
	assert_string_equal(wl_fold_name(&x.f, x.f.of_node[0]), "step #");
	assert_int_equal(x.f.of_node[0], x.f.of_node[2]);
	fold(&x, (struct wl_fold_opts){ .exact = true });
	assert_int_equal(x.f.n, 4);
	fold(&x, (struct wl_fold_opts){ .by_path = true });
	assert_int_equal(x.f.n, 3);
	assert_true(has(&x, "step #", false));
	assert_true(has(&x, "step # > layer #", false));
	assert_true(has(&x, "layer #", false));
	fold(&x, (struct wl_fold_opts){ .by_path = true, .exact = true });
	assert_int_equal(x.f.n, 4);
	assert_true(has(&x, "step 1 > layer 3", false));
}

TEST(spans_stand_below_what_contains_them)
{
	WITH(struct folded, x, release, init(&x));

	push(&x, 0, 0, 50, "a");
	push(&x, 0, 10, 30, "b");
	span(&x, 12, 20, 0, "inside");
	span(&x, 20, 40, 0, "crosses");
	span(&x, 12, 20, 7, "other thread");
	span(&x, 60, 70, 0, "a");
	fold(&x, (struct wl_fold_opts){ .by_path = true });
	assert_int_equal(x.f.n, 6);
	assert_true(has(&x, "a > b > inside", true));
	assert_true(has(&x, "a > crosses", true));
	assert_true(has(&x, "other thread", true));
	assert_true(has(&x, "a", true));
	assert_true(has(&x, "a", false));
}

/* Each range holds the next: the texts of all paths must not grow with their square. */
TEST(the_text_of_a_deep_path_is_cut)
{
	WITH(struct folded, x, release, init(&x));
	static const char cut[] = "... > ";
	const char *text;

	for (wl_ns i = 0; i < 100; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "n%d", (int)i);
		push(&x, 0, i, 1000 - i, name);
	}
	fold(&x, (struct wl_fold_opts){ .by_path = true });
	assert_int_equal(x.f.n, 100);
	text = wl_fold_path(&x.f, x.f.of_node[WL_PATH_SHOWN - 1], &x.arena);
	assert_int_equal(strncmp(text, "n0 > n1 > ", 10), 0);
	text = wl_fold_path(&x.f, x.f.of_node[99], &x.arena);
	assert_int_equal(strncmp(text, cut, strlen(cut)), 0);
	assert_int_equal(strncmp(text + strlen(cut), "n36 > n37 > ", 12), 0);
	assert_string_equal(text + strlen(text) - 9, "n98 > n99");
}
