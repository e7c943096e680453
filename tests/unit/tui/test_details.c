/* SPDX-License-Identifier: MIT */
#include "scene/details.h"

#include <stdio.h>
#include <string.h>

#include "derive/nvtx/forest.h"
#include "known/palette.h"
#include "tui/timeline/tell/timeline_tell.h"

#include "support/unit.h"
#include "support/viewed.h"

/*
 * Stream 7: gemm 200-300, then of one graph a 500-520 and b 530-560. Stream 20: a
 * collective 250-400. So the GPU computes in 200-300, communicates in 300-400, waits
 * until 500 and for 520-530.
 */
static void put_trace(struct mem *m)
{
	MEM_API(m, .start = 100, .end = 110, .tid = 103, .corr = 1);
	MEM_API(m, .start = 120, .end = 130, .tid = 103, .corr = 2);
	MEM_API(m, .start = 140, .end = 150, .tid = 103, .corr = 3, .name = "cudaGraphLaunch");
	MEM_OP(m, WL_F_KERNELS, .start = 200, .end = 300, .corr = 1, .name = "gemm");
	MEM_OP(m, WL_F_KERNELS, .start = 250, .end = 400, .corr = 2, .stream = 20,
	       .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	MEM_OP(m, WL_F_KERNELS, .start = 500, .end = 520, .corr = 3, .name = "a");
	MEM_OP(m, WL_F_KERNELS, .start = 530, .end = 560, .corr = 3, .name = "b");
	MEM_NVTX(m, .start = 90, .end = 200, .tid = 103, .name = "step 0");
	MEM_NVTX(m, .start = 95, .end = 135, .tid = 103, .name = "forward");
}

static int make(void **state)
{
	struct viewed *v = test_malloc(sizeof(*v));

	mem_init(&v->mem);
	put_trace(&v->mem);
	viewed_make(v);
	*state = v;
	return 0;
}

static int drop(void **state)
{
	viewed_release(*state);
	test_free(*state);
	return 0;
}

/* Rows of kernels are by start: gemm, the collective, a, b. */
enum { GEMM, COLLECTIVE, A, B };

static struct wl_op_id kernel(uint32_t row)
{
	return (struct wl_op_id){ WL_F_KERNELS, row };
}

TEST_WITH(an_operation_knows_its_launch, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	struct wl_op_details f;

	wl_op_details_of(d, kernel(COLLECTIVE), WL_COLOUR_COMM, &f);
	assert_int_equal(f.start, 250);
	assert_int_equal(f.end, 400);
	assert_int_equal(f.corr, 2);
	assert_int_equal(wl_api_start(d->trace)[f.call], 120);
	assert_int_equal(f.lead, 130);
	assert_int_equal(f.queue, 120);
	assert_int_equal(f.exposed, 100);
	assert_non_null(f.config);
	assert_int_equal(f.config->grid[0], 1);
	assert_int_equal(f.bytes, -1);
	assert_int_equal(f.same->n, 1);
	assert_int_equal(f.same->p50, 150);
}

TEST_WITH(only_communication_and_copies_are_exposed, make, drop)
{
	struct wl_op_details f;

	wl_op_details_of(&((struct viewed *)*state)->scene, kernel(GEMM), WL_COLOUR_GEMM, &f);
	assert_int_equal(f.exposed, WL_NO_TIME);
}

/* A copy of 4000 bytes in 40-100, of which a kernel hides 10; its launch begins after it. */
TEST(a_copy_knows_its_bytes)
{
	struct viewed v;
	struct wl_op_details f;

	mem_init(&v.mem);
	MEM_OP(&v.mem, WL_F_KERNELS, .start = 0, .end = 50);
	MEM_OP(&v.mem, WL_F_MEMCPYS, .start = 40, .end = 100, .stream = 14, .corr = 9, .kind = 1,
	       .bytes = 4000);
	MEM_API(&v.mem, .start = 45, .end = 60, .tid = 103, .corr = 9, .name = "cudaMemcpyAsync");
	viewed_make(&v);
	wl_op_details_of(&v.scene, (struct wl_op_id){ WL_F_MEMCPYS, 0 }, WL_COLOUR_COPY, &f);
	assert_int_equal(f.bytes, 4000);
	assert_int_equal(f.exposed, 50);
	assert_int_equal(f.lead, -5);
	assert_int_equal(f.queue, WL_NO_TIME);
	assert_null(f.config);
	assert_null(f.same);
	assert_int_equal(f.node, WL_NONE);
	wl_op_details_of(&v.scene, kernel(0), WL_COLOUR_OTHER, &f);
	assert_int_equal(f.call, WL_NONE);
	viewed_release(&v);
}

TEST_WITH(the_path_names_ranges_from_outside, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	struct wl_op_details f;
	char buf[64];

	wl_op_details_of(d, kernel(GEMM), WL_COLOUR_GEMM, &f);
	assert_string_equal(wl_node_path(d, f.node, 0, buf, sizeof(buf)), "step 0 \u203a forward");
	assert_string_equal(wl_node_path(d, f.node, 0, buf, 20), "\u2026 \u203a forward");
	assert_string_equal(wl_node_path(d, f.node, 0, buf, 5), "forw");
	assert_string_equal(wl_node_path(d, f.node, 1, buf, sizeof(buf)), "\u2026 \u203a forward");
	assert_string_equal(wl_node_path(d, f.node, 2, buf, sizeof(buf)), "step 0 \u203a forward");
	wl_op_details_of(d, kernel(A), WL_COLOUR_OTHER, &f);
	assert_string_equal(wl_node_path(d, f.node, 0, buf, sizeof(buf)), "step 0");
	assert_string_equal(wl_node_path(d, WL_NONE, 0, buf, sizeof(buf)), "");
}

TEST_WITH(every_range_finds_its_node, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;

	for (uint32_t i = 0; i < d->forest->n; i++)
		assert_int_equal(wl_node_of_row(d, d->forest->row[i]), i);
}

TEST_WITH(a_graph_launch_has_several_operations, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	struct wl_launched l;

	wl_launched_by(d, wl_link_of(d->links, WL_OP_KERNEL, A), &l);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.op[0].row, A);
	assert_int_equal(l.op[1].row, B);
	assert_int_equal(l.span.begin, 500);
	assert_int_equal(l.span.end, 560);
}

TEST_WITH(the_work_of_a_range_lies_on_the_gpu, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	struct wl_link at;

	assert_true(wl_projection_of(d, d->forest->row[0], &at));
	assert_int_equal(at.begin, 200);
	assert_int_equal(at.end, 560);
	assert_true(wl_projection_of(d, d->forest->row[1], &at));
	assert_int_equal(at.end, 300);
	assert_int_equal(d->tracks.at[at.track].kind, WL_TRACK_NVTX_GPU);
}

TEST_WITH(what_was_before_on_each_stream, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	struct wl_op_details f;

	wl_op_details_of(d, kernel(A), WL_COLOUR_OTHER, &f);
	assert_int_equal(wl_op_before(d, &f).row, GEMM);
	assert_int_equal(wl_op_waited_for(d, &f).row, COLLECTIVE);
	wl_op_details_of(d, kernel(GEMM), WL_COLOUR_GEMM, &f);
	assert_int_equal(wl_op_before(d, &f).family, WL_N_FAMILIES);
	assert_int_equal(wl_op_waited_for(d, &f).family, WL_N_FAMILIES);
	/* gemm is still under way when the collective begins. */
	wl_op_details_of(d, kernel(COLLECTIVE), WL_COLOUR_COMM, &f);
	assert_int_equal(wl_op_waited_for(d, &f).family, WL_N_FAMILIES);
}

TEST_WITH(a_gap_has_a_cause_and_an_end, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	struct wl_gap_details g;

	assert_true(wl_gap_at(d, 0, 450, &g));
	assert_int_equal(g.begin, 400);
	assert_int_equal(g.end, 500);
	assert_int_equal(g.cause, WL_CAUSE_DISPATCH);
	assert_int_equal(g.after.row, A);
	assert_true(wl_gap_at(d, 0, 400, &g));
	assert_false(wl_gap_at(d, 0, 500, &g));
	assert_false(wl_gap_at(d, 0, 350, &g));
	assert_false(wl_gap_at(d, 0, 100, &g));
	assert_false(wl_gap_at(d, 0, 600, &g));
	assert_true(wl_gap_is_outside(d, 0, 100));
	assert_true(wl_gap_is_outside(d, 0, 560));
	assert_false(wl_gap_is_outside(d, 0, 450));
}

TEST(a_gap_knows_the_call_that_opened_it)
{
	struct wl_gap_details g;
	struct viewed v;

	mem_init(&v.mem);
	MEM_OP(&v.mem, WL_F_KERNELS, .start = 10000, .end = 20000, .corr = 1);
	MEM_OP(&v.mem, WL_F_KERNELS, .start = 30000, .end = 40000, .corr = 2);
	MEM_OP(&v.mem, WL_F_KERNELS, .start = 50000, .end = 60000, .corr = 3);
	MEM_API(&v.mem, .start = 0, .end = 1000, .tid = 103, .corr = 1);
	MEM_API(&v.mem, .start = 2000, .end = 21000, .tid = 103, .name = "cudaDeviceSynchronize");
	MEM_API(&v.mem, .start = 28000, .end = 29000, .tid = 103, .corr = 2);
	MEM_API(&v.mem, .start = 48000, .end = 49000, .tid = 103, .corr = 3);
	MEM_NVTX(&v.mem, .start = 1500, .end = 22000, .tid = 103, .name = "loss");
	viewed_make(&v);
	assert_true(wl_gap_at(&v.scene, 0, 25000, &g));
	assert_string_equal(g.opened_by, "cudaDeviceSynchronize");
	assert_string_equal(g.opened_in, "loss");
	assert_true(wl_gap_at(&v.scene, 0, 45000, &g));
	assert_null(g.opened_by);
	assert_null(g.opened_in);
	viewed_release(&v);
}

/* What a gap at t says of its function; "" for none. */
static const char *function_at(const struct wl_scene *scene, wl_ns t, wl_ns *ret_time)
{
	static char text[420];
	struct wl_gap_function f;
	struct wl_gap_details g;

	assert_true(wl_gap_at(scene, 0, t, &g));
	text[0] = '\0';
	*ret_time = 0;
	if (!wl_gap_function_of(scene, &g, &f))
		return text;
	(void)snprintf(text, sizeof(text), "%s|%s", f.name, f.under);
	*ret_time = f.time;
	return text;
}

/*
 * Gaps of 20000-30000 and 40000-50000. The thread samples every 2000 ns, in the first gap most in
 * parse, called by load. Its launch calls, 28000-29000 and 48000-49000, do not count.
 */
TEST(a_gap_knows_the_function)
{
	static const char *const stacks[] = { "main;load;parse", "main;load;parse",
					      "main;load;parse", "main;load;read",
					      "main;load;read" };
	struct viewed v;
	wl_ns time;

	for (int with = 0; with < 2; with++) {
		mem_init(&v.mem);
		for (unsigned i = 0; i < 3; i++) {
			MEM_OP(&v.mem, WL_F_KERNELS, .start = 10000 + 20000 * i,
			       .end = 20000 + 20000 * i, .corr = i + 1);
			MEM_API(&v.mem, .start = 8000 + 20000 * i, .end = 9000 + 20000 * i,
				.tid = 103, .corr = i + 1);
		}
		for (int i = 0; with && i < 5; i++)
			MEM_SAMPLE(&v.mem, .start = 20000 + 2000 * i, .tid = 103,
				   .stack = stacks[i]);
		viewed_make(&v);
		assert_string_equal(function_at(&v.scene, 25000, &time), with ? "parse|load" : "");
		assert_int_equal(time, with ? 6000 : 0);
		assert_string_equal(function_at(&v.scene, 45000, &time), "");
		viewed_release(&v);
	}
}

TEST_WITH(steps_go_from_gap_to_gap, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	struct wl_gap_details g;

	assert_true(wl_gap_next(d, 0, 0, 1, &g));
	assert_int_equal(g.begin, 400);
	assert_true(wl_gap_next(d, 0, 400, 1, &g));
	assert_int_equal(g.begin, 520);
	assert_false(wl_gap_next(d, 0, 400, 11, &g));
	assert_false(wl_gap_next(d, 0, 520, 1, &g));
	assert_true(wl_gap_before(d, 0, 520, 1, &g));
	assert_int_equal(g.begin, 400);
	assert_true(wl_gap_before(d, WL_NONE, 1000, 1, &g));
	assert_int_equal(g.begin, 520);
	assert_true(wl_gap_before(d, 0, 1000, 11, &g));
	assert_int_equal(g.begin, 400);
	assert_false(wl_gap_before(d, 0, 400, 1, &g));
	assert_int_equal(wl_gap_threshold(d, 0), 100000);
}

TEST_WITH(sums_add_up, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	struct wl_range_sums s;

	wl_range_sums_of(d, 0, (struct wl_interval){ 200, 600 }, &s);
	assert_int_equal(s.n_devices, 1);
	assert_int_equal(s.length, 400);
	assert_int_equal(s.compute, 150);
	assert_int_equal(s.exposed_comm, 100);
	assert_int_equal(s.exposed_copy, 0);
	assert_int_equal(s.idle, 150);
	assert_int_equal(s.cause[WL_CAUSE_DISPATCH], 110);
	assert_int_equal(s.cause[WL_CAUSE_UNUSED], 40);
	assert_int_equal(s.unused, 40);
	wl_range_sums_of(d, 0, (struct wl_interval){ 0, 210 }, &s);
	assert_int_equal(s.unused, 200);
	wl_range_sums_of(d, 0, (struct wl_interval){ 600, 700 }, &s);
	assert_int_equal(s.unused, 100);
	assert_int_equal(s.idle, 100);
	wl_range_sums_of(d, WL_NONE, (struct wl_interval){ 350, 450 }, &s);
	assert_int_equal(s.exposed_comm, 50);
	assert_int_equal(s.cause[WL_CAUSE_DISPATCH], 50);
}

TEST_WITH(links_lead_to_rows, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	struct wl_link to = wl_link_to_op(d, kernel(COLLECTIVE));

	assert_int_equal(d->tracks.at[to.track].kind, WL_TRACK_STREAM);
	assert_int_equal(to.begin, 250);
	to = wl_link_to_call(d, 0);
	assert_int_equal(d->tracks.at[to.track].kind, WL_TRACK_API);
	assert_int_equal(to.end, 110);
	to = wl_link_to_range(d, d->forest->row[1]);
	assert_int_equal(d->tracks.at[to.track].kind, WL_TRACK_NVTX);
	assert_int_equal(to.begin, 95);
}

/* ---- Iterations of two GPUs, made by hand ---- */

struct by_hand {
	struct wl_scene scene;
	struct wl_track track[4];
	struct wl_iteration at[2][3];
	struct wl_process_iters process[2];
	struct wl_iterations iterations;
	struct wl_lanes lanes[4];
};

static void by_hand(struct by_hand *h, wl_ns origin, size_t n)
{
	memset(h, 0, sizeof(*h));
	for (uint32_t g = 0; g < 2; g++) {
		h->track[(size_t)2 * g] =
			(struct wl_track){ .kind = WL_TRACK_GPU, .device = g, .process = g };
		h->track[(size_t)2 * g + 1] =
			(struct wl_track){ .kind = WL_TRACK_ITERATIONS, .device = g, .process = g };
		for (size_t i = 0; i < n; i++) {
			wl_ns begin = origin + (wl_ns)i * 1000;

			h->at[g][i] =
				(struct wl_iteration){ .tile = { begin, begin + 1000 },
						       .last_end = begin + 900 + (wl_ns)50 * g };
		}
		h->process[g] = (struct wl_process_iters){
			.method = WL_ITER_NVTX, .at = h->at[g], .n = n, .median = 1000
		};
	}
	h->iterations.process = h->process;
	h->scene.tracks =
		(struct wl_tracks){ .n = 4, .at = h->track, .iterations = &h->iterations };
	h->scene.lanes = h->scene.flat = h->lanes;
}

TEST(who_ends_last_is_the_slowest)
{
	struct wl_rank_wait rank[4];
	struct by_hand h;

	by_hand(&h, 0, 3);
	assert_int_equal(wl_rank_waits(&h.scene, 1, rank, 4), 2);
	assert_int_equal(rank[0].wait, 50);
	assert_int_equal(rank[1].wait, 0);
	assert_int_equal(wl_rank_waits(&h.scene, 3, rank, 4), 0);
	assert_int_equal(wl_rank_waits(&h.scene, 0, rank, 1), 1);
	assert_int_equal(wl_gap_threshold(&h.scene, 1), 10);
}

static struct wl_budget budget; /* without limit */

/* A GPU row with one piece of communication that nothing hides. */
static void put_exposed(struct by_hand *h, size_t track, wl_ns begin, wl_ns end)
{
	struct wl_lane_builder b;

	wl_lane_builder_init(&b, WL_TRACK_CATS, &budget);
	assert_int_equal(
		wl_lane_add(&b,
			    &(struct wl_lane_event){ .start = begin, .end = end, .cat = WL_COMM },
			    0),
		0);
	assert_true(wl_lanes_finish(&b, &h->lanes[track]));
}

/* Both end iteration 1 together, in a collective to which GPU 1 came late. */
TEST(who_waits_least_in_collectives_is_the_slowest)
{
	struct wl_rank_wait rank[2];
	struct by_hand h;

	by_hand(&h, 0, 3);
	h.at[0][1].last_end = h.at[1][1].last_end = 1950;
	put_exposed(&h, 0, 1850, 1950);
	put_exposed(&h, 2, 1930, 1950);
	h.scene.flat = (struct wl_lanes[4]){ { .n = 0 } };
	assert_int_equal(wl_rank_waits(&h.scene, 1, rank, 2), 2);
	assert_int_equal(rank[0].wait, 80);
	assert_int_equal(rank[1].wait, 0);
	wl_lanes_release(&h.lanes[0]);
	wl_lanes_release(&h.lanes[2]);
}

TEST(traces_are_aligned_by_iteration)
{
	struct wl_alignment at;
	struct by_hand a, b;

	by_hand(&a, 0, 3);
	by_hand(&b, 50000, 2);
	assert_true(wl_align(&a.scene, &b.scene, 0, 1500, &at));
	assert_int_equal(at.it_a, 1);
	assert_int_equal(at.it_b, 1);
	assert_int_equal(at.shift, 1000 - 51000);
	/* B ends before: its last iteration. */
	assert_true(wl_align(&a.scene, &b.scene, 0, 2500, &at));
	assert_int_equal(at.it_b, 1);
	assert_int_equal(at.shift, 2000 - 51000);
	/* Before the first iteration: that. */
	assert_true(wl_align(&a.scene, &b.scene, WL_NONE, -5, &at));
	assert_int_equal(at.shift, -50000);
	b.process[0].n = b.process[1].n = 0;
	assert_false(wl_align(&a.scene, &b.scene, 0, 0, &at));
}

TEST_WITH(without_iterations_the_first_operations_count, make, drop)
{
	struct viewed *v = *state;
	struct wl_alignment at;

	assert_true(wl_align(&v->scene, &v->scene, 0, 300, &at));
	assert_int_equal(at.it_a, WL_NONE);
	assert_int_equal(at.shift, 0);
}

TEST(figures_are_brief)
{
	char buf[WL_UNITS_BUF];

	assert_string_equal(wl_brief_ns(buf, 2184112), "2.184ms");
	assert_string_equal(wl_brief_ns(buf, 5), "5ns");
	assert_string_equal(wl_short_ns(buf, 2184112), "2.18ms");
	assert_string_equal(wl_short_ns(buf, 999600), "1ms");
	assert_string_equal(wl_short_ns(buf, -125700), "-126us");
	assert_string_equal(wl_brief_share(buf, 1, 3000), "<0.1%");
	assert_string_equal(wl_brief_share(buf, 1, 3), "33%");
	assert_string_equal(wl_brief_share(buf, 1, 300), "0.3%");
	assert_string_equal(wl_brief_share(buf, 0, 3), "0%");
	assert_string_equal(wl_brief_share(buf, 0, 0), "-");
}
