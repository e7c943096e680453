/* SPDX-License-Identifier: MIT */
#include "analysis/gpu/kernel_blocks.h"

enum {
	BLOCKS,
	SMS,
	SPAN,
	TAIL,
	TAIL_SHARE,
	TAIL_IDLE,
	IMBALANCE,
	BLOCK_AVG,
	BLOCK_MAX,
	BLOCK_RATIO,
	WARPS,
	WARP_IMBALANCE
};
_Static_assert(WARP_IMBALANCE + 1 == (int)WL_N_BLOCK_COLS, "columns and their list agree");

const struct wl_chart wl_blocks_chart = {
	.kind = WL_CHART_BARS,
	.title = "Tails of kernels",
	.shows = "A bar per kernel: its time since a multiprocessor finished its last block while "
		 "others went on, summed over executions. Behind it the share of its span, and the "
		 "imbalance of multiprocessors. Shares are of all tails.",
	.label = "name",
	.parts = { "tail" },
	.also = { "tail_share", "imbalance" },
	.named = { "category" },
	.ranked = true,
	.wide = true,
};

/* A share of nothing stays unset. */
static void put_share(struct wl_table *out, size_t col, double part, double whole)
{
	if (whole > 0)
		wl_put_f64(out, col, part / whole);
}

void wl_blocks_put(const struct wl_block_use *u, size_t first, struct wl_table *out)
{
	wl_put_i64(out, first + BLOCKS, u->blocks);
	wl_put_i64(out, first + SMS, u->sms);
	wl_put_i64(out, first + SPAN, u->span);
	wl_put_i64(out, first + TAIL, u->tail);
	wl_put_ratio(out, first + TAIL_SHARE, u->tail, u->span);
	put_share(out, first + TAIL_IDLE, u->sm_idle_tail, u->sm_span);
	put_share(out, first + IMBALANCE, u->sm_busy_most - u->sm_busy, u->sm_busy_most);
	wl_put_i64(out, first + BLOCK_AVG, u->block_sum / u->blocks);
	wl_put_i64(out, first + BLOCK_MAX, u->block_max);
	put_share(out, first + BLOCK_RATIO, (double)u->block_max * (double)u->blocks,
		  (double)u->block_sum);
	if (!u->warps)
		return;
	wl_put_i64(out, first + WARPS, u->warps);
	put_share(out, first + WARP_IMBALANCE, u->warp_most - u->warp_sum, u->warp_most);
}

void wl_blocks_note(const struct wl_run *r, const struct wl_block_runs *runs, struct wl_table *out)
{
	const struct wl_trace *t = r->trace;
	size_t all = t->family[WL_F_KERNELS].n;

	if (runs->n_foreign)
		wl_table_note(out, "%zu of %zu blocks and warps are of no kernel of the trace",
			      runs->n_foreign, runs->n_blocks);
	if (r->scope->whole && runs->n < all)
		wl_table_note(out,
			      "%zu of %zu kernels have recorded blocks; the others are not here",
			      runs->n, all);
}

const char *wl_blocks_lack(const struct wl_trace *t)
{
	if (t->family[WL_F_BLOCKS].n || t->family[WL_F_WARPS].n)
		return NULL;
	return "thread blocks were not recorded (BLOCK_TRACE, WARP_TRACE); nsys 2026.5 and later "
	       "can trace them, and ncu measures a kernel";
}
