/* SPDX-License-Identifier: MIT */
#include "compare/diff/diff_tables.h"

#include "compare/diff/diff_words.h"

bool wl_diff_has(const struct wl_diff *d, enum wl_diff_section section)
{
	if (section == WL_DIFF_RANKS)
		return d->n_ranks > 0;
	if (section == WL_DIFF_FUNCTIONS)
		return d->n_functions > 0;
	if (section == WL_DIFF_COPIES)
		return d->copies.n > 0;
	return section != WL_DIFF_GATES || d->n_gated > 0;
}

/* A figure that is shown and not judged; a small one, which may be near 0, without a ratio. */
static void put_metric(const char *name, const wl_ns value[WL_N_SIDES], bool is_large,
		       struct wl_table *out)
{
	wl_ns change = value[WL_AFTER] - value[WL_BEFORE];

	wl_table_row(out);
	wl_put_str(out, WL_VERDICT_METRIC, name);
	wl_put_i64(out, WL_VERDICT_BEFORE, value[WL_BEFORE]);
	wl_put_i64(out, WL_VERDICT_AFTER, value[WL_AFTER]);
	wl_put_i64(out, WL_VERDICT_CHANGE, change);
	if (is_large)
		wl_put_ratio(out, WL_VERDICT_RATIO, change, value[WL_BEFORE]);
}

static void put_verdict(const struct wl_diff *d, struct wl_table *out)
{
	const struct wl_judgement *j = &d->step;
	const struct wl_fingerprint *a = d->side[WL_BEFORE], *b = d->side[WL_AFTER];
	bool steps = d->extent == WL_OF_STEPS;

	wl_table_row(out);
	wl_put_str(out, WL_VERDICT_METRIC, steps ? "step" : "window");
	wl_put_i64(out, WL_VERDICT_BEFORE, j->before);
	wl_put_i64(out, WL_VERDICT_AFTER, j->after);
	wl_put_i64(out, WL_VERDICT_CHANGE, j->after - j->before);
	wl_put_ratio(out, WL_VERDICT_RATIO, j->after - j->before, j->before);
	wl_put_str(out, WL_VERDICT_VERDICT, wl_verdict_name(j->verdict));
	if (!steps)
		return;
	wl_put_i64(out, WL_VERDICT_LOW, j->change.low);
	wl_put_i64(out, WL_VERDICT_HIGH, j->change.high);
	wl_put_i64(out, WL_VERDICT_N_BEFORE, (int64_t)a->n_steps);
	wl_put_i64(out, WL_VERDICT_N_AFTER, (int64_t)b->n_steps);
	wl_put_i64(out, WL_VERDICT_LEFT_BEFORE, (int64_t)a->n_left_out);
	wl_put_i64(out, WL_VERDICT_LEFT_AFTER, (int64_t)b->n_left_out);
	if (d->nearest.scenario) {
		wl_put_str(out, WL_VERDICT_SCENARIO, d->nearest.scenario);
		wl_put_i64(out, WL_VERDICT_REPLAYED, d->nearest.replayed);
		wl_put_i64(out, WL_VERDICT_RESIDUAL, d->nearest.residual);
	}
	if (d->n_ranks)
		put_metric("compute_skew", d->compute_skew, false, out);
	put_metric("mean_step", d->mean, true, out); /* the last: what the other tables add up to */
}

static const char *kind_of(enum wl_part part)
{
	if (part == WL_PART_COMPUTE)
		return "compute";
	if (part == WL_PART_RANK_SKEW)
		return "skew";
	return part < WL_PART_IDLE ? "exposed" : "idle";
}

/* Parts that neither side has are left out, but not the first three. */
static void put_budget(const struct wl_diff *d, struct wl_table *out)
{
	wl_ns change = d->mean[WL_AFTER] - d->mean[WL_BEFORE];

	for (size_t p = 0; p < WL_N_PARTS; p++) {
		wl_ns before = d->part[WL_BEFORE][p], after = d->part[WL_AFTER][p];

		if (p >= WL_PART_IDLE && before == 0 && after == 0)
			continue;
		wl_table_row(out);
		wl_put_str(out, WL_BUDGET_PART, wl_part_name((enum wl_part)p));
		wl_put_str(out, WL_BUDGET_KIND, kind_of((enum wl_part)p));
		wl_put_i64(out, WL_BUDGET_BEFORE, before);
		wl_put_i64(out, WL_BUDGET_AFTER, after);
		wl_put_i64(out, WL_BUDGET_CHANGE, after - before);
		wl_put_ratio(out, WL_BUDGET_SHARE, after - before, change);
	}
}

static void put_pair(const struct wl_pair *p, struct wl_table *out)
{
	wl_table_row(out);
	wl_put_str(out, WL_ROWS_NAME, p->name);
	wl_put_str(out, WL_ROWS_STATE, wl_row_state_name(p->state));
	wl_put_f64(out, WL_ROWS_CALLS_BEFORE, p->before.calls);
	wl_put_f64(out, WL_ROWS_CALLS_AFTER, p->after.calls);
	wl_put_i64(out, WL_ROWS_BEFORE, p->before.ns);
	wl_put_i64(out, WL_ROWS_AFTER, p->after.ns);
	wl_put_i64(out, WL_ROWS_CHANGE, p->change);
	wl_put_ratio(out, WL_ROWS_RATIO, p->change, p->before.ns);
	wl_put_i64(out, WL_ROWS_COUNT_EFFECT, p->count_effect);
	wl_put_i64(out, WL_ROWS_DURATION_EFFECT, p->duration_effect);
}

static void put_kernels(const struct wl_diff *d, struct wl_table *out)
{
	for (size_t i = 0; i < d->kernels.n; i++) {
		const struct wl_pair *p = &d->kernels.pair[i];

		put_pair(p, out);
		if (p->state == WL_ROW_RENAMED)
			wl_put_str(out, WL_ROWS_WAS, p->before.row->name);
	}
}

static void put_ranges(const struct wl_diff *d, struct wl_table *out)
{
	for (size_t i = 0; i < d->ranges.n; i++) {
		const struct wl_pair *p = &d->ranges.pair[i];

		put_pair(p, out);
		if (p->is_others)
			continue;
		wl_put_i64(out, WL_RANGES_GPU_BEFORE, p->before.gpu);
		wl_put_i64(out, WL_RANGES_GPU_AFTER, p->after.gpu);
		wl_put_i64(out, WL_RANGES_GPU_CHANGE, p->after.gpu - p->before.gpu);
	}
}

static void put_idle(const struct wl_diff *d, struct wl_table *out)
{
	for (size_t i = 0; i < d->n_waits; i++) {
		const struct wl_wait_change *w = &d->wait[i];

		wl_table_row(out);
		wl_put_str(out, WL_IDLE_CAUSE, wl_cause_name(w->cause));
		wl_put_str(out, WL_IDLE_DETAIL, w->detail);
		wl_put_i64(out, WL_IDLE_BEFORE, w->ns[WL_BEFORE]);
		wl_put_i64(out, WL_IDLE_AFTER, w->ns[WL_AFTER]);
		wl_put_i64(out, WL_IDLE_CHANGE, w->ns[WL_AFTER] - w->ns[WL_BEFORE]);
	}
}

static void put_functions(const struct wl_diff *d, struct wl_table *out)
{
	for (size_t i = 0; i < d->n_functions; i++) {
		const struct wl_function_change *f = &d->function[i];

		wl_table_row(out);
		wl_put_str(out, WL_FUNCTIONS_NAME, f->name ? f->name : WL_NO_STACK);
		wl_put_i64(out, WL_FUNCTIONS_BEFORE, f->ns[WL_BEFORE]);
		wl_put_i64(out, WL_FUNCTIONS_AFTER, f->ns[WL_AFTER]);
		wl_put_i64(out, WL_FUNCTIONS_CHANGE, f->ns[WL_AFTER] - f->ns[WL_BEFORE]);
		wl_put_i64(out, WL_FUNCTIONS_ERROR, f->error);
	}
}

static void put_ranks(const struct wl_diff *d, struct wl_table *out)
{
	for (size_t i = 0; i < d->n_ranks; i++) {
		const struct wl_rank_change *r = &d->rank[i];

		wl_table_row(out);
		if (r->rank >= 0)
			wl_put_i64(out, WL_RANKS_RANK, r->rank);
		wl_put_i64(out, WL_RANKS_PID_BEFORE, r->pid[WL_BEFORE]);
		wl_put_i64(out, WL_RANKS_PID_AFTER, r->pid[WL_AFTER]);
		wl_put_i64(out, WL_RANKS_BEFORE, r->j.before);
		wl_put_i64(out, WL_RANKS_AFTER, r->j.after);
		wl_put_i64(out, WL_RANKS_CHANGE, r->j.after - r->j.before);
		wl_put_i64(out, WL_RANKS_LOW, r->j.change.low);
		wl_put_i64(out, WL_RANKS_HIGH, r->j.change.high);
		wl_put_str(out, WL_RANKS_VERDICT, wl_verdict_name(r->j.verdict));
		wl_put_i64(out, WL_RANKS_DEVICE, r->device);
		wl_put_i64(out, WL_RANKS_COMPUTE_BEFORE, r->compute[WL_BEFORE]);
		wl_put_i64(out, WL_RANKS_COMPUTE_AFTER, r->compute[WL_AFTER]);
		wl_put_i64(out, WL_RANKS_COMPUTE_CHANGE,
			   r->compute[WL_AFTER] - r->compute[WL_BEFORE]);
		wl_put_i64(out, WL_RANKS_COMM_BEFORE, r->exposed_comm[WL_BEFORE]);
		wl_put_i64(out, WL_RANKS_COMM_AFTER, r->exposed_comm[WL_AFTER]);
		wl_put_i64(out, WL_RANKS_COMM_CHANGE,
			   r->exposed_comm[WL_AFTER] - r->exposed_comm[WL_BEFORE]);
	}
}

static void put_gate_times(const struct wl_gated *g, struct wl_table *out)
{
	const struct wl_gate_result *r = &g->result;
	struct wl_range_of_change of = g->gate->is_relative ? r->j.change : r->value;

	wl_put_i64(out, WL_GATES_BEFORE, r->j.before);
	wl_put_i64(out, WL_GATES_AFTER, r->j.after);
	wl_put_i64(out, WL_GATES_CHANGE, r->j.after - r->j.before);
	wl_put_i64(out, WL_GATES_LIMIT, r->limit);
	wl_put_i64(out, WL_GATES_LOW, of.low);
	wl_put_i64(out, WL_GATES_HIGH, of.high);
}

static void put_gates(const struct wl_diff *d, struct wl_table *out)
{
	for (size_t i = 0; i < d->n_gated; i++) {
		const struct wl_gated *g = &d->gated[i];
		const struct wl_judgement *j = &g->result.j;
		char message[WL_WORDS];

		wl_table_row(out);
		wl_put_str(out, WL_GATES_GATE, g->gate->text);
		wl_put_str(out, WL_GATES_OUTCOME, wl_outcome_name(g->result.outcome));
		wl_put_copy(out, WL_GATES_MESSAGE, wl_gate_words(d, g, message));
		wl_put_str(out, WL_GATES_METRIC, wl_metric_name(g->gate->metric));
		if (!j->is_known)
			continue;
		if (g->gate->metric != WL_METRIC_LAUNCHES) {
			put_gate_times(g, out);
			continue;
		}
		wl_put_i64(out, WL_GATES_LAUNCHES_BEFORE, j->before);
		wl_put_i64(out, WL_GATES_LAUNCHES_AFTER, j->after);
	}
}

void wl_diff_fill(const struct wl_diff *d, enum wl_diff_section section, struct wl_table *out)
{
	switch (section) {
	case WL_DIFF_VERDICT:
		put_verdict(d, out);
		wl_diff_notes(d, out);
		break;
	case WL_DIFF_BUDGET:
		put_budget(d, out);
		break;
	case WL_DIFF_KERNELS:
		put_kernels(d, out);
		break;
	case WL_DIFF_RANGES:
		put_ranges(d, out);
		break;
	case WL_DIFF_IDLE:
		put_idle(d, out);
		break;
	case WL_DIFF_CATEGORIES:
		for (size_t i = 0; i < d->categories.n; i++)
			put_pair(&d->categories.pair[i], out);
		break;
	case WL_DIFF_COPIES:
		for (size_t i = 0; i < d->copies.n; i++)
			put_pair(&d->copies.pair[i], out);
		break;
	case WL_DIFF_RANKS:
		put_ranks(d, out);
		break;
	case WL_DIFF_FUNCTIONS:
		put_functions(d, out);
		break;
	case WL_DIFF_GATES:
		put_gates(d, out);
		break;
	case WL_N_DIFF_SECTIONS:
		break;
	}
}
