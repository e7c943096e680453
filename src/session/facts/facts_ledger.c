/* SPDX-License-Identifier: MIT */
/* facts_ledger.c - steps and idle time of facts as the ledger and iterations of their ranks. */
#include <string.h>

#include "derive/iters/iters.h"
#include "derive/iters/step_change.h"
#include "derive/ledger/ledger.h"
#include "session/facts/facts_job_parts.h"

/* The tile of a step, or the rest, which is last. */
static struct wl_tile *tile_of(struct wl_tile *tile, size_t n, uint32_t step)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tile[mid].iter < step)
			lo = mid + 1;
		else
			hi = mid;
	}
	return tile[lo].iter == step ? &tile[lo] : &tile[n - 1];
}

static struct wl_tile step_at(const struct wl_facts_making *m, uint32_t rank, size_t row)
{
	wl_ns begin = wl_facts_time_at(m, WL_FACTS_STEPS_BEGIN, row);
	wl_ns length = wl_facts_length_at(m, WL_FACTS_STEPS_LENGTH, row);
	struct wl_tile tile = {
		.iter = wl_facts_u32(m->f, WL_FACTS_STEPS_STEP, row),
		.is_whole = wl_facts_i64(m->f, WL_FACTS_STEPS_PERIOD, row) != WL_FACTS_NONE,
		.begin = wl_facts_on_job(m, rank, begin),
		.end = wl_facts_on_job(m, rank, begin + length),
		.length = length,
		.compute = wl_facts_length_at(m, WL_FACTS_STEPS_COMPUTE, row),
		.copies = wl_facts_length_at(m, WL_FACTS_STEPS_COPY, row),
	};

	tile.loss[WL_LOSS_EXPOSED_COMM] = wl_facts_length_at(m, WL_FACTS_STEPS_EXPOSED_COMM, row);
	tile.loss[WL_LOSS_EXPOSED_COPY] = wl_facts_length_at(m, WL_FACTS_STEPS_EXPOSED_COPY, row);
	return tile;
}

/*
 * What no step has, with what the window of the job has beyond that of the rank. The former is on
 * the rank's clock, as steps are: these fill its window to the nanosecond, or leave a rest.
 */
static struct wl_tile rest_of(const struct wl_facts_making *m, uint32_t rank,
			      const struct wl_tile *tile, size_t n)
{
	const struct wl_interval *window = &m->to->scope.device[rank];
	wl_ns own = wl_facts_time_at(m, WL_FACTS_RANKS_END, rank) -
		    wl_facts_time_at(m, WL_FACTS_RANKS_BEGIN, rank);
	struct wl_interval on_clock = wl_facts_window_at(m, rank);
	wl_ns more = window->end - window->begin - (on_clock.end - on_clock.begin);
	wl_ns unused = more > 0 ? more : 0;
	struct wl_tile rest = {
		.iter = WL_NONE,
		.begin = window->begin,
		.end = window->end,
		.length = own + unused,
		.compute = wl_facts_length_at(m, WL_FACTS_RANKS_COMPUTE, rank),
		.copies = wl_facts_length_at(m, WL_FACTS_RANKS_COPY, rank),
	};

	rest.loss[WL_LOSS_EXPOSED_COMM] = wl_facts_length_at(m, WL_FACTS_RANKS_EXPOSED_COMM, rank);
	rest.loss[WL_LOSS_EXPOSED_COPY] = wl_facts_length_at(m, WL_FACTS_RANKS_EXPOSED_COPY, rank);
	rest.loss[WL_CAUSE_UNUSED] = unused;
	for (size_t i = 0; i < n; i++) {
		rest.length -= tile[i].length;
		rest.compute -= tile[i].compute;
		rest.copies -= tile[i].copies;
		rest.loss[WL_LOSS_EXPOSED_COMM] -= tile[i].loss[WL_LOSS_EXPOSED_COMM];
		rest.loss[WL_LOSS_EXPOSED_COPY] -= tile[i].loss[WL_LOSS_EXPOSED_COPY];
	}
	return rest;
}

static enum wl_cause cause_at(const struct wl_facts_making *m, size_t row)
{
	const char *text = wl_facts_str(m->f, WL_FACTS_IDLE_CAUSE, row);
	unsigned c = 0;

	while (c < WL_N_CAUSES && strcmp(wl_cause_name((enum wl_cause)c), text) != 0)
		c++;
	return c < WL_N_CAUSES ? (enum wl_cause)c : WL_CAUSE_UNKNOWN;
}

static wl_ns busy_of(const struct wl_facts_making *m, uint32_t rank)
{
	return wl_facts_length_at(m, WL_FACTS_RANKS_COMPUTE, rank) +
	       wl_facts_length_at(m, WL_FACTS_RANKS_EXPOSED_COMM, rank) +
	       wl_facts_length_at(m, WL_FACTS_RANKS_EXPOSED_COPY, rank);
}

/* The lane of a process is that of the GPU where it spends most time, as that of a trace. */
static bool choose_lanes(const struct wl_facts_making *m, struct wl_ledger_lane *lane)
{
	uint32_t *best = WL_NEW(m->arena, uint32_t, m->n); /* by first rank of a process */

	for (uint32_t i = 0; best && i < m->n; i++) {
		uint32_t *of = &best[m->first[i]];

		if (m->first[i] == i || busy_of(m, i) > busy_of(m, *of))
			*of = i;
	}
	for (uint32_t i = 0; best && i < m->n; i++)
		lane[best[m->first[i]]].of_process = true;
	return best != NULL;
}

/* Rows of steps and of idle time are by rank. */
bool wl_facts_make_ledger(struct wl_facts_making *m)
{
	struct wl_ledger *ledger = WL_NEW(m->arena, struct wl_ledger, 1);
	struct wl_ledger_lane *lane = WL_NEW(m->arena, struct wl_ledger_lane, m->n);
	size_t *first_step = WL_NEW(m->arena, size_t, m->n);
	size_t step = 0, idle = 0;

	if (!ledger || !lane || !first_step)
		return false;
	for (uint32_t i = 0; i < m->n; i++) {
		size_t first = step, n;
		struct wl_tile *tile;

		first_step[i] = first;
		while (step < m->f->n[WL_FACTS_STEPS] &&
		       wl_facts_u32(m->f, WL_FACTS_STEPS_RANK, step) == i)
			step++;
		n = step - first + 1;
		tile = WL_NEW(m->arena, struct wl_tile, n);
		if (!tile)
			return false;
		for (size_t k = 0; k + 1 < n; k++)
			tile[k] = step_at(m, i, first + k);
		tile[n - 1] = rest_of(m, i, tile, n - 1);
		for (; idle < m->f->n[WL_FACTS_IDLE] &&
		       wl_facts_u32(m->f, WL_FACTS_IDLE_RANK, idle) == i;
		     idle++)
			tile_of(tile, n, wl_facts_u32(m->f, WL_FACTS_IDLE_STEP, idle))
				->loss[cause_at(m, idle)] +=
				wl_facts_length_at(m, WL_FACTS_IDLE_NS, idle);
		/* Steps that fill the window leave no rest. */
		if (n > 1 && tile[n - 1].length == 0)
			n--;
		lane[i] = (struct wl_ledger_lane){ .device = i,
						   .process = step > first ? i : WL_NONE,
						   .of_device = true,
						   .tile = tile,
						   .n_tiles = n };
	}
	*ledger = (struct wl_ledger){ .lane = lane, .n = m->n };
	m->to->derived.ledger = ledger;
	m->to->first_step = first_step;
	return choose_lanes(m, lane);
}

static enum wl_iter_method method_at(const struct wl_facts_making *m, size_t row)
{
	const char *text = wl_facts_str(m->f, WL_FACTS_RANKS_METHOD, row);
	unsigned k = WL_ITER_NONE;

	while (k <= WL_ITER_SEQUENCE &&
	       strcmp(wl_iter_method_name((enum wl_iter_method)k), text) != 0)
		k++;
	/* Facts that were made up have steps all the same. */
	return k <= WL_ITER_SEQUENCE && k > WL_ITER_NONE ? (enum wl_iter_method)k : WL_ITER_NVTX;
}

static enum wl_step_kind kind_at(const struct wl_facts_making *m, size_t row)
{
	const char *text = wl_facts_str(m->f, WL_FACTS_STEPS_KIND, row);
	unsigned k = 0;

	while (k < WL_N_STEP_KINDS && strcmp(wl_step_kind_name((enum wl_step_kind)k), text) != 0)
		k++;
	return k < WL_N_STEP_KINDS ? (enum wl_step_kind)k : WL_STEP_NONE;
}

/* The iterations of a rank are its tiles. */
static bool fill_iterations(const struct wl_facts_making *m, const struct wl_ledger_lane *lane,
			    struct wl_process_iters *to)
{
	uint32_t rank = lane->device;
	size_t row = m->to->first_step[rank], n = lane->n_tiles;
	uint32_t dropped = wl_facts_u32(m->f, WL_FACTS_RANKS_DROPPED, rank);
	struct wl_iteration *at;

	n -= n && lane->tile[n - 1].iter == WL_NONE;
	at = WL_NEW(m->arena, struct wl_iteration, n);
	for (size_t i = 0; at && i < n; i++, row++) {
		const struct wl_tile *tile = &lane->tile[i];
		wl_ns last = wl_facts_time_at(m, WL_FACTS_STEPS_BEGIN, row) +
			     wl_facts_length_at(m, WL_FACTS_STEPS_SPAN, row);

		at[i] = (struct wl_iteration){ .tile = { tile->begin, tile->end },
					       .last_end = wl_facts_on_job(m, rank, last),
					       .marker = WL_NONE,
					       .kind = kind_at(m, row),
					       .is_last = !tile->is_whole };
	}
	*to = (struct wl_process_iters){
		.method = n ? method_at(m, rank) : WL_ITER_NONE,
		.what = "",
		.is = wl_facts_str(m->f, WL_FACTS_RANKS_STEP_IS, rank),
		.by = wl_facts_str(m->f, WL_FACTS_RANKS_STEP_BY, rank),
		.is_guess = wl_facts_u32(m->f, WL_FACTS_RANKS_GUESS, rank) == 1,
		.at = at,
		.n = n,
		.n_dropped = dropped == WL_NONE ? 0 : dropped,
	};
	return at != NULL;
}

bool wl_facts_make_iterations(struct wl_facts_making *m)
{
	struct wl_iterations *all = WL_NEW(m->arena, struct wl_iterations, 1);
	struct wl_step_change *change = WL_NEW(m->arena, struct wl_step_change, 1);
	struct wl_process_iters *process = WL_NEW(m->arena, struct wl_process_iters, m->n);
	bool ok = all && process;

	for (size_t i = 0; ok && i < m->n; i++)
		ok = fill_iterations(m, &m->to->derived.ledger->lane[i], &process[i]);
	m->to->derived.iterations = all;
	if (!change || !ok || !wl_iterations_known(process, m->first, m->n, m->arena, all))
		return false;
	m->to->derived.step_change = change;
	return wl_step_change_of(all, m->n, m->to->derived.matches, m->arena, change);
}

/* The steps in a window, which begins and ends with some; without one the empty rest. */
static bool narrow_lane(const struct wl_ledger_lane *whole, const struct wl_interval *window,
			struct wl_arena *arena, struct wl_ledger_lane *to)
{
	struct wl_tile *none;
	size_t n = 0;

	*to = *whole;
	while (to->n_tiles && to->tile->iter != WL_NONE && to->tile->begin < window->begin) {
		to->tile++;
		to->n_tiles--;
	}
	while (n < to->n_tiles && to->tile[n].iter != WL_NONE && to->tile[n].end <= window->end &&
	       window->begin < window->end)
		n++;
	to->n_tiles = n;
	if (n)
		return true;
	none = WL_NEW(arena, struct wl_tile, 1);
	if (none)
		*none = (struct wl_tile){ .iter = WL_NONE,
					  .begin = window->begin,
					  .end = window->begin };
	to->tile = none;
	to->n_tiles = 1;
	return none != NULL;
}

bool wl_facts_job_narrow(const struct wl_facts_job *job, const struct wl_scope *scope,
			 struct wl_arena *arena, struct wl_derived *ret)
{
	const struct wl_ledger *whole = job->derived.ledger;
	struct wl_ledger *ledger = WL_NEW(arena, struct wl_ledger, 1);
	struct wl_ledger_lane *lane = WL_NEW(arena, struct wl_ledger_lane, whole->n);
	bool ok = ledger && lane;

	*ret = job->derived;
	for (size_t i = 0; ok && i < whole->n; i++)
		ok = narrow_lane(&whole->lane[i], &scope->device[i], arena, &lane[i]);
	if (ok)
		*ledger = (struct wl_ledger){ .lane = lane, .n = whole->n };
	ret->ledger = ledger;
	return ok;
}

size_t wl_facts_job_step(const struct wl_facts_job *job, const struct wl_ledger_lane *lane,
			 size_t tile)
{
	const struct wl_ledger_lane *whole = &job->derived.ledger->lane[lane->device];

	return job->first_step[lane->device] + (size_t)(&lane->tile[tile] - whole->tile);
}
