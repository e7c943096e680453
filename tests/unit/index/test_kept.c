/* SPDX-License-Identifier: MIT */
/* What analyses share comes back from an index as it was found, and hostile arrays do not. */
#include "index/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/pack.h"
#include "derive/calls/launch.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/range_names.h"
#include "support/invariants.h"
#include "support/mem.h"
#include "support/unit.h"

static const struct wl_index_opts opts = { .program = "test" };

enum { STEPS = 6 };

struct world {
	struct wl_tmpdir dir;
	char path[WL_PATH_CAP + 32];
	struct mem mem;
	struct wl_trace trace; /* with the path above */
	struct wl_index_writer writer;
	struct wl_index *index;
	struct wl_derivations derivations;
	struct wl_derived derived; /* with what the index keeps */
	struct wl_derived_source source;
};

/* Steps of two kernels, each launched in a range; one of the ranges has a domain. */
static void put_rows(struct mem *m)
{
	for (unsigned i = 0; i < STEPS; i++) {
		wl_ns at = 1000 * (wl_ns)i;

		MEM_NVTX(m, .start = at, .end = at + 900, .name = "step");
		for (unsigned k = 0; k < 2; k++) {
			unsigned corr = 2 * i + k + 1;

			MEM_API(m, .start = at + 10 + (wl_ns)100 * k,
				.end = at + 60 + (wl_ns)100 * k, .corr = corr);
			MEM_OP(m, WL_F_KERNELS, .start = at + 100 + (wl_ns)300 * k,
			       .end = at + 300 + (wl_ns)300 * k, .corr = corr,
			       .name = k ? "gemm" : "relu");
		}
	}
	MEM_OP(m, WL_F_MEMCPYS, .start = 5, .end = 9, .corr = 77);
	MEM_OP(m, WL_F_MEMSETS, .start = 5, .end = 9, .corr = 78);
	MEM_OP(m, WL_F_GRAPHS, .start = 5, .end = 9, .corr = 79);
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct wl_trace_identity identity;
	struct wl_err err;
	FILE *out;

	assert_non_null(w);
	assert_int_equal(wl_tmpdir_open(getenv("TMPDIR"), &w->dir, &err), WL_OK);
	(void)snprintf(w->path, sizeof(w->path), "%s/t.sqlite", w->dir.path);
	out = fopen(w->path, "w");
	assert_non_null(out);
	assert_int_equal(fclose(out), 0);
	mem_init(&w->mem);
	put_rows(&w->mem);
	w->trace = *mem_seal(&w->mem);
	w->trace.path = w->path;
	w->trace.loaded = all_columns();
	assert_int_equal(wl_trace_identify(w->path, &identity, &err), WL_OK);
	assert_int_equal(wl_index_begin(&w->trace, &identity, &opts, &w->writer, &err), WL_OK);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	wl_derivations_release(&w->derivations);
	wl_index_close(w->index);
	mem_release(&w->mem);
	wl_tmpdir_close(&w->dir);
	free(w);
	return 0;
}

/* Finish the file and open it, with these columns, and find or take these of it. */
static void reopen(struct world *w, const struct wl_columns *want, uint64_t from)
{
	const struct wl_derived_opts how = { .marker = NULL };
	struct wl_err err;

	assert_int_equal(wl_index_writer_commit(&w->writer, &err), WL_OK);
	assert_int_equal(wl_index_open(w->path, &opts, NULL, &w->index, &err), WL_OK);
	assert_non_null(w->index);
	wl_index_load(w->index, want);
	assert_int_equal(wl_index_check(w->index, NULL, &err), WL_OK);
	w->source = wl_kept_source(w->index);
	wl_derivations_init(&w->derivations, wl_index_trace(w->index), &how, &w->source, NULL);
	assert_true(wl_derivations_find(&w->derivations, from, NULL));
	w->derived = wl_derivations_view(&w->derivations, from, NULL);
}

TEST_WITH(things_come_back_as_they_were_found, setup, teardown)
{
	struct world *w = *state;
	const struct wl_derived *found = &w->mem.derived;
	const struct wl_columns all = all_columns();
	const struct wl_iterations *iters, *kept_iters;
	const struct wl_range_names *names, *kept_names;
	const struct wl_links *links, *kept_links;
	struct wl_derived_source source;
	struct wl_links of_file;
	struct wl_arena arena;

	wl_kept_put(found, &w->writer);
	reopen(w, &all, wl_kept_from);
	source = wl_kept_source(w->index);
	links = found->links;
	kept_links = w->derived.links;
	for (size_t k = 0; k < WL_N_OP_FAMILIES; k++)
		assert_memory_equal(links->of[k], kept_links->of[k],
				    w->trace.family[wl_op_families[k]].n * sizeof(uint32_t));
	/* They are those of the file, and not found again. */
	wl_arena_init_on(&arena, NULL);
	assert_true(source.links(source.ctx, w->derived.trace, &arena, &of_file));
	assert_memory_equal(links->of[0], of_file.of[0],
			    w->trace.family[wl_op_families[0]].n * sizeof(uint32_t));
	wl_arena_release(&arena);
	names = found->range_names;
	kept_names = w->derived.range_names;
	assert_int_equal(names->n, kept_names->n);
	for (size_t i = 0; i < names->n; i++) {
		assert_string_equal(names->name[i].exact, kept_names->name[i].exact);
		assert_string_equal(names->name[i].label_text, kept_names->name[i].label_text);
		assert_int_equal(names->name[i].label, kept_names->name[i].label);
	}
	iters = found->iterations;
	kept_iters = w->derived.iterations;
	assert_int_equal(iters->n_found, 1);
	assert_int_equal(kept_iters->n_found, 1);
	for (size_t i = 0; i < w->trace.n_processes; i++) {
		const struct wl_process_iters *a = &iters->process[i], *b = &kept_iters->process[i];

		assert_int_equal(a->n, STEPS);
		assert_int_equal(b->n, STEPS);
		assert_string_equal(a->what, b->what);
		assert_int_equal(a->steady, b->steady);
		assert_int_equal(a->median, b->median);
		for (size_t k = 0; k < a->n; k++) {
			assert_int_equal(a->at[k].tile.begin, b->at[k].tile.begin);
			assert_int_equal(a->at[k].last_end, b->at[k].last_end);
			assert_int_equal(a->at[k].marker, b->at[k].marker);
			assert_int_equal(a->at[k].is_last, b->at[k].is_last);
		}
	}
}

TEST_WITH(without_its_columns_nothing_is_kept, setup, teardown)
{
	struct wl_columns want = { { 0 } };
	struct world *w = *state;
	struct wl_iterations iters;
	struct wl_range_names names;
	struct wl_links links;

	wl_kept_put(&w->mem.derived, &w->writer);
	wl_columns_add(&want, WL_KERNELS_NAME);
	wl_columns_add(&want, WL_NVTX_START);
	reopen(w, &want, WL_FROM(LINKS));
	assert_false(w->source.links(w->index, w->derived.trace, &w->derivations.arena, &links));
	assert_false(
		w->source.range_names(w->index, w->derived.trace, &w->derivations.arena, &names));
	assert_false(
		w->source.iterations(w->index, w->derived.trace, &w->derivations.arena, &iters));
	assert_non_null(w->derived.links); /* found, as without an index */
}

static void put_u32(struct world *w, const char *name, size_t n, uint32_t value)
{
	uint32_t *v = malloc(n * sizeof(*v));

	assert_non_null(v);
	for (size_t i = 0; i < n; i++)
		v[i] = value;
	wl_index_put(&w->writer, name, v, n, sizeof(*v));
	free(v);
}

TEST_WITH(links_out_of_range_are_not_taken, setup, teardown)
{
	const struct wl_columns all = all_columns();
	struct world *w = *state;
	struct wl_links links;

	put_u32(w, "links.kernels", (size_t)2 * STEPS, 2 * STEPS); /* one past the calls */
	put_u32(w, "links.memcpys", 1, WL_NONE);
	put_u32(w, "links.memsets", 1, WL_NONE);
	put_u32(w, "links.graphs", 1, WL_NONE);
	reopen(w, &all, wl_kept_from);
	assert_false(w->source.links(w->index, w->derived.trace, &w->derivations.arena, &links));
	assert_int_equal(w->derived.links->of[0][0], 0);
}

TEST_WITH(a_range_must_have_a_name, setup, teardown)
{
	const struct wl_columns all = all_columns();
	struct world *w = *state;
	struct wl_range_names names;
	struct wl_vec bytes;

	wl_vec_init(&bytes, 1, &w->writer.budget);
	wl_pack_u64(&bytes, 0);
	wl_index_put(&w->writer, "range_names.name", bytes.data, bytes.n, 1);
	put_u32(w, "range_names.of", STEPS, WL_NONE);
	wl_vec_release(&bytes);
	reopen(w, &all, wl_kept_from);
	assert_false(
		w->source.range_names(w->index, w->derived.trace, &w->derivations.arena, &names));
	assert_int_equal(w->derived.range_names->n, 1);
}

/* Replace 8 bytes of the iterations in the file, with a sum that fits; true when they are taken. */
static bool takes(struct world *w, const char *record, size_t n, size_t at, uint64_t value)
{
	const struct wl_columns all = all_columns();
	struct wl_trace_identity identity;
	struct wl_iterations iters;
	struct wl_err err;
	char *bad = malloc(n);
	bool taken;

	assert_non_null(bad);
	memcpy(bad, record, n);
	memcpy(bad + at, &value, sizeof(value));
	assert_int_equal(wl_trace_identify(w->path, &identity, &err), WL_OK);
	assert_int_equal(wl_index_begin(&w->trace, &identity, &opts, &w->writer, &err), WL_OK);
	wl_index_put(&w->writer, "iterations.3", bad, n, 1);
	free(bad);
	wl_derivations_release(&w->derivations);
	wl_index_close(w->index);
	reopen(w, &all, wl_kept_from);
	taken = w->source.iterations(w->index, w->derived.trace, &w->derivations.arena, &iters);
	for (size_t i = 0; taken && i < w->trace.n_processes; i++) {
		const struct wl_process_iters *p = &iters.process[i];

		assert_true(p->steady == WL_NONE || p->steady < p->n);
		for (size_t k = 0; k < p->n; k++) {
			assert_true(!p->by_marker || p->by_marker[k] < p->n);
			assert_true(!p->by_marker || p->at[k].marker < STEPS);
			assert_true(p->at[k].tile.begin <= p->at[k].tile.end);
		}
	}
	return taken;
}

TEST_WITH(no_record_of_iterations_does_harm, setup, teardown)
{
	static const uint64_t values[] = { 0, 5, UINT32_MAX, UINT64_MAX };
	const struct wl_columns all = all_columns();
	struct world *w = *state;
	const struct wl_index_section *s;
	size_t n, n_refused = 0, n_tried = 0;
	FREED char *record;

	wl_kept_put(&w->mem.derived, &w->writer);
	reopen(w, &all, wl_kept_from);
	s = wl_index_section_find(wl_index_get_file(w->index), "iterations.3", 1);
	assert_non_null(s);
	n = (size_t)s->n;
	record = malloc(n);
	assert_non_null(record);
	assert_true(wl_index_section_copy(wl_index_get_file(w->index), s, record));
	for (size_t at = 0; at + 8 <= n; at += 3) {
		for (size_t i = 0; i < WL_COUNT(values); i++, n_tried++)
			n_refused += !takes(w, record, n, at, values[i]);
	}
	assert_true(n_refused > n_tried / 2);
}
