/* SPDX-License-Identifier: MIT */
#include "compare/fingerprint/take.h"

#include <assert.h>
#include <string.h>

#include "analysis/empty.h"
#include "base/text/apportion.h"
#include "compare/fingerprint/take_parts.h"
#include "derive/derived.h"
#include "derive/kinds/capture_modes.h"
#include "derive/rows/stats.h"

void wl_fp_want(struct wl_wanted *wanted)
{
	static const enum wl_column_id columns[] = { WL_OP_STARTS,    WL_MEMCPYS_KIND,
						     WL_MEMCPYS_SRC,  WL_MEMCPYS_DST,
						     WL_KERNELS_NODE, WL_DIAGNOSTICS_TEXT,
						     WL_N_COLUMNS };

	wl_want(wanted,
		WL_FROM(LEDGER) | WL_FROM(NAMED) | WL_FROM(RANKS) | WL_FROM(LINKS) |
			WL_FROM(FOLDS) | WL_FROM(WHATIF) | WL_FROM(STACK_NAMES) |
			WL_FROM(LOST_STACKS),
		columns);
}

static void add(wl_ns *sum, wl_ns ns)
{
	*sum = wl_add_up(*sum, ns);
}

static void add_tile(wl_ns *part, const struct wl_tile *t)
{
	add(&part[WL_PART_COMPUTE], t->compute);
	add(&part[WL_PART_EXPOSED_COMM], t->loss[WL_LOSS_EXPOSED_COMM]);
	add(&part[WL_PART_EXPOSED_COPY], t->loss[WL_LOSS_EXPOSED_COPY]);
	for (size_t c = 0; c < WL_N_CAUSES; c++)
		add(&part[WL_PART_IDLE + c], t->loss[c]);
}

static wl_ns idle_of(const struct wl_tile *t)
{
	wl_ns sum = 0;

	for (size_t c = 0; c < WL_N_CAUSES; c++)
		sum += t->loss[c];
	return sum;
}

/* One series over the steps, of the mean over processes. */
static bool make_series(const struct wl_taking *k, wl_ns (*value)(const struct wl_tile *),
			struct wl_series *ret)
{
	const struct wl_sample *s = &k->sample;
	wl_ns *at = WL_NEW(k->run->arena, wl_ns, s->n_steps);

	for (size_t i = 0; at && i < s->n_steps; i++) {
		for (size_t m = 0; m < s->n_members; m++)
			add(&at[i], value(wl_sample_tile(s, k->ledger, m, i)));
		at[i] = wl_rounded_mean(at[i], (int64_t)s->n_members);
	}
	return at && wl_series_make(at, s->n_steps, k->run->arena, ret);
}

static wl_ns busy_of(const struct wl_tile *t)
{
	return t->length - idle_of(t);
}

static wl_ns exposed_comm_of(const struct wl_tile *t)
{
	return t->loss[WL_LOSS_EXPOSED_COMM];
}

static bool take_steps(struct wl_taking *k)
{
	const struct wl_sample *s = &k->sample;
	struct wl_fingerprint *f = k->f;
	wl_ns *step = WL_NEW(k->run->arena, wl_ns, s->n_steps);
	wl_ns *part = f->part[WL_OF_STEPS];

	if (!step)
		return false;
	for (size_t i = 0; i < s->n_steps; i++) {
		for (size_t m = 0; m < s->n_members; m++) {
			const struct wl_tile *t = wl_sample_tile(s, k->ledger, m, i);

			/*
			 * A step lasts as long as that of the slowest process; what the others are
			 * shorter is rank skew, so that the parts of all add up to processes times
			 * the step.
			 */
			step[i] = t->length > step[i] ? t->length : step[i];
			add_tile(part, t);
		}
		for (size_t m = 0; m < s->n_members; m++)
			add(&part[WL_PART_RANK_SKEW],
			    step[i] - wl_sample_tile(s, k->ledger, m, i)->length);
	}
	f->step = step;
	f->n_steps = s->n_steps;
	f->n_processes = s->n_members;
	f->n_left_out = s->n_left_out;
	f->n_thinned = s->n_thinned;
	return make_series(k, busy_of, &f->busy) && make_series(k, idle_of, &f->idle) &&
	       make_series(k, exposed_comm_of, &f->exposed_comm);
}

/* Tiles of a device's lane, the rest among them, make up its window. */
static void take_window(struct wl_taking *k)
{
	struct wl_fingerprint *f = k->f;
	wl_ns *part = f->part[WL_OF_WINDOW], sum = 0;

	for (size_t i = 0; i < k->ledger->n; i++) {
		const struct wl_ledger_lane *lane = &k->ledger->lane[i];
		wl_ns length = 0;

		if (!lane->of_device)
			continue;
		for (size_t t = 0; t < lane->n_tiles; t++) {
			add_tile(part, &lane->tile[t]);
			add(&length, lane->tile[t].length);
		}
		f->n_devices++;
		f->window_ns = length > f->window_ns ? length : f->window_ns;
		add(&sum, length);
	}
	/*
	 * Where the product is larger than a fingerprint may hold, the sums do not add up, and
	 * wl_fp_problem() refuses them.
	 */
	if (f->n_devices && f->window_ns <= WL_FP_MAX / (wl_ns)f->n_devices)
		part[WL_PART_RANK_SKEW] = (wl_ns)f->n_devices * f->window_ns - sum;
}

static void put_note(struct wl_fingerprint *f, const char *text)
{
	if (f->n_notes < WL_COUNT(f->note))
		f->note[f->n_notes++] = text;
}

/* The notes name these limits. */
static_assert(WL_FP_STEPS == 512 && WL_FP_RANKS == 64, "notes of a fingerprint");

static void put_notes(struct wl_taking *k)
{
	struct wl_fingerprint *f = k->f;

	if (k->sample.is_uneven)
		put_note(f, "processes have different numbers of steps; only steps that all "
			    "of them have are compared");
	if (k->sample.has_outliers)
		put_note(f, "more than a quarter of the steps are outliers in some process, "
			    "so outliers are kept");
	if (f->n_thinned)
		put_note(f, "512 evenly spaced steps were sampled");
	if (f->n_processes > WL_FP_RANKS)
		put_note(f, "more than 64 processes: the single steps of each are not stored");
	if (f->n_steps && strcmp(f->method, wl_iter_method_name(WL_ITER_SEQUENCE)) == 0)
		put_note(f, "steps are guessed from repeating kernels; this may be a layer, not a "
			    "step; a marker names steps");
	if (f->is_of_sums ? k->run->trace->family[WL_F_GRAPHS].n > 0
			  : wl_ops_admitted(k->run->trace, k->run->scope, WL_F_GRAPHS) > 0)
		put_note(f, "CUDA graphs were recorded as a whole: communication and idle "
			    "time inside them are not visible (record with "
			    "--cuda-graph-trace=node)");
}

static bool take(struct wl_taking *k, struct wl_arena *scratch)
{
	k->iterations = k->run->derived->iterations;
	k->ledger = k->run->derived->ledger;
	if (!wl_sample_find(k->run->trace, k->iterations, k->ledger, scratch, &k->sample))
		return false;
	take_window(k);
	/* Facts of several traces have no rows, and so no launches of any. */
	if (!k->run->derived->links) {
		if (!take_steps(k) || !wl_take_names(k) || !wl_fp_keep_sums(k->f, k->run->arena))
			return false;
		put_notes(k);
		return true;
	}
	if (!take_steps(k) || !wl_take_lists(k) || !wl_take_waits(k) || !wl_take_functions(k) ||
	    !wl_take_names(k))
		return false;
	put_notes(k);
	return true;
}

/* To record CUDA is no remedy where its calls were recorded. */
static int fail_empty(const struct wl_trace *t, struct wl_err *reterr)
{
	struct wl_no_gpu why;

	wl_why_no_gpu(t, &why);
	return wl_fail(reterr, WL_E_NODATA, "no GPU operations to compare: %s; %s", why.reason,
		       why.remedy);
}

static int settle(bool ok, const struct wl_fingerprint *f, struct wl_err *reterr)
{
	const char *problem = ok ? wl_fp_problem(f) : NULL;

	if (!ok)
		return wl_fail(reterr, WL_E_NOMEM, "no memory to compare the trace");
	return problem ? wl_fail(reterr, WL_E_FORMAT, "cannot be compared: %s", problem) : WL_OK;
}

int wl_fp_take_measured(const struct wl_run *run, struct wl_fingerprint *ret, struct wl_err *reterr)
{
	struct wl_taking k = { .run = run, .f = ret };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_fingerprint){ .label = "",
					.window = "all",
					.selection = "",
					.host = "",
					.recorded = "",
					.command = "" };
	if (wl_count_ops(run->trace) == 0)
		return fail_empty(run->trace, reterr);
	wl_arena_init_child(&scratch, run->arena);
	ok = take(&k, &scratch);
	wl_arena_release(&scratch);
	ret->graphs = wl_capture_graphs(run->trace);
	ret->tracing = wl_capture_tracing(run->trace);
	return settle(ok, ret, reterr);
}

int wl_fp_take_replayed(const struct wl_run *run, struct wl_fingerprint *f, struct wl_err *reterr)
{
	struct wl_taking k = { .run = run, .f = f };

	return settle(f->is_of_sums || wl_take_whatifs(&k), f, reterr);
}

int wl_fp_take(const struct wl_run *run, struct wl_fingerprint *ret, struct wl_err *reterr)
{
	int r = wl_fp_take_measured(run, ret, reterr);

	return r < 0 ? r : wl_fp_take_replayed(run, ret, reterr);
}
