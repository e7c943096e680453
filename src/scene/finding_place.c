/* SPDX-License-Identifier: MIT */
#include "scene/finding_place.h"

#include "base/memory/sort.h"
#include "findings/best_place.h"

/* The lane of a row of a device; NULL for none. */
static const struct wl_lane *lane_of(const struct wl_scene *scene, enum wl_holds holds,
				     uint32_t device)
{
	uint32_t track = wl_track_of_device(&scene->tracks, holds, device);

	return track == WL_NONE ? NULL : wl_scene_lane(scene, track);
}

/* What events of some categories that start inside are: the longest, the first of equal ones; and
 * all. */
struct found {
	wl_ns at, length, sum; /* at: WL_NO_TIME where there is none */
};

static struct found find_in(const struct wl_lane *lane, uint32_t cats, struct wl_interval inside)
{
	struct found found = { WL_NO_TIME, -1, 0 };

	for (size_t i = 0; i < lane->n; i++) {
		wl_ns start = lane->start[i], length = wl_lane_end(lane, i) - start;

		if (!(cats >> lane->cat[i] & 1) || start < inside.begin || start >= inside.end)
			continue;
		found.sum += length;
		if (length > found.length) {
			found.at = start;
			found.length = length;
		}
	}
	return found;
}

/* An idle part that goes on with the one before it. */
static bool goes_on(const struct wl_lane *gaps, size_t i)
{
	return i > 0 && gaps->cat[i] >= WL_GAP_OF_CAUSE && gaps->cat[i - 1] >= WL_GAP_OF_CAUSE &&
	       wl_lane_end(gaps, i - 1) == gaps->start[i];
}

/* Where the gap that has most of some causes has the first of them; WL_NO_TIME: there is none. */
static wl_ns longest_gap(const struct wl_lane *gaps, uint32_t cats, struct wl_interval inside)
{
	struct found best = { WL_NO_TIME, 0, 0 }, gap = best;

	for (size_t i = wl_lane_from(gaps, inside.begin);
	     i < gaps->n && gaps->start[i] < inside.end; i++) {
		if (!goes_on(gaps, i))
			gap = (struct found){ WL_NO_TIME, 0, 0 };
		if (!(cats >> gaps->cat[i] & 1))
			continue;
		gap.at = gap.at == WL_NO_TIME ? gaps->start[i] : gap.at;
		gap.sum += wl_lane_end(gaps, i) - gaps->start[i];
		best = gap.sum > best.sum ? gap : best;
	}
	return best.at;
}

static bool begins_in(const struct wl_iteration *step, struct wl_interval inside)
{
	return inside.begin <= step->tile.begin && step->tile.begin < inside.end;
}

/* The steady iteration, the first inside where none there counts as that; NULL for none. */
static const struct wl_iteration *steady(const struct wl_process_iters *iters,
					 struct wl_interval inside)
{
	if (iters && iters->steady != WL_NONE && begins_in(&iters->at[iters->steady], inside))
		return &iters->at[iters->steady];
	for (size_t i = 0; iters && i < iters->n; i++) {
		if (begins_in(&iters->at[i], inside))
			return &iters->at[i];
	}
	return NULL;
}

/* What the steps lose to some causes of gaps. */
struct lost {
	wl_ns *ns; /* by step; 0 of one that does not begin inside */
	size_t n;  /* steps that lose any of it */
	wl_ns sum;
};

static bool find_lost(const struct wl_lane *gaps, uint32_t cats,
		      const struct wl_process_iters *iters, struct wl_interval inside,
		      struct wl_arena *arena, struct lost *ret)
{
	*ret = (struct lost){ .ns = WL_NEW(arena, wl_ns, iters->n + 1) };
	for (size_t i = 0; ret->ns && i < iters->n; i++) {
		const struct wl_interval tile = iters->at[i].tile;
		wl_ns by_cat[WL_N_GAP_CATS] = { 0 };

		if (begins_in(&iters->at[i], inside))
			(void)wl_lane_time(gaps, tile.begin, tile.end, by_cat);
		for (size_t k = 0; k < WL_N_GAP_CATS; k++)
			ret->ns[i] += cats >> k & 1 ? by_cat[k] : 0;
		ret->n += ret->ns[i] > 0;
		ret->sum += ret->ns[i];
	}
	return ret->ns != NULL;
}

/* The median of the steps that lose at least half of the mean. One that loses any is there. */
static wl_ns usual_loss(const struct lost *lost, size_t n_steps, wl_ns *tmp)
{
	size_t n = 0;

	for (size_t i = 0; i < n_steps; i++) {
		if (lost->ns[i] > 0 && lost->ns[i] >= lost->sum / (wl_ns)lost->n / 2)
			tmp[n++] = lost->ns[i];
	}
	return wl_select_i64(tmp, n, n / 2);
}

static size_t steps_apart(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * A step that shows what the steps lose: its loss is the median, or nearest to it; of equal ones
 * the one that is nearest to the steady step. NULL where no step loses any, or without memory.
 */
static const struct wl_iteration *typical(const struct wl_lane *gaps, uint32_t cats,
					  const struct wl_process_iters *iters,
					  struct wl_interval inside, struct wl_arena *arena)
{
	const size_t steady = iters->steady == WL_NONE ? 0 : iters->steady;
	size_t best = WL_NONE;
	struct lost lost;
	wl_ns *tmp, usual, least = INT64_MAX;

	tmp = WL_NEW(arena, wl_ns, iters->n + 1);
	if (!tmp || !find_lost(gaps, cats, iters, inside, arena, &lost) || lost.n == 0)
		return NULL;
	usual = usual_loss(&lost, iters->n, tmp);
	for (size_t i = 0; i < iters->n; i++) {
		wl_ns off = lost.ns[i] > usual ? lost.ns[i] - usual : usual - lost.ns[i];

		if (lost.ns[i] == 0 || off > least ||
		    (off == least && steps_apart(i, steady) >= steps_apart(best, steady)))
			continue;
		best = i;
		least = off;
	}
	return &iters->at[best];
}

/* The longest gap of these causes in a typical step; without steps that have any, of all. */
static wl_ns telling_gap(const struct wl_lane *gaps, uint32_t cats,
			 const struct wl_process_iters *iters, struct wl_interval inside,
			 struct wl_arena *arena)
{
	const struct wl_iteration *step;
	wl_ns at = WL_NO_TIME;
	struct wl_arena scratch;

	wl_arena_init_child(&scratch, arena);
	step = iters ? typical(gaps, cats, iters, inside, &scratch) : NULL;
	if (step)
		at = longest_gap(gaps, cats, step->tile);
	wl_arena_release(&scratch);
	return at == WL_NO_TIME ? longest_gap(gaps, cats, inside) : at;
}

/*
 * From a time in a gap to its end, over idle parts of any cause; work of these causes that nothing
 * hides goes on with it. Empty where there is no gap.
 */
static struct wl_interval rest_of_gap(const struct wl_lane *gaps, uint32_t cats, wl_ns at)
{
	uint32_t first = gaps ? wl_lane_at(gaps, at) : WL_NONE;
	wl_ns end = first == WL_NONE ? at : wl_lane_end(gaps, first);

	for (size_t i = (size_t)first + 1; first != WL_NONE && i < gaps->n; i++) {
		if (!goes_on(gaps, i) && !(gaps->start[i] == end && cats >> gaps->cat[i] & 1))
			break;
		end = wl_lane_end(gaps, i);
	}
	return (struct wl_interval){ at, end };
}

/* The part of the gap around a time that has most of these causes; WL_NO_TIME: no gap. */
static wl_ns part_of_gap(const struct wl_lane *gaps, uint32_t cats, wl_ns at)
{
	wl_ns part;

	if (!gaps || wl_lane_at(gaps, at) == WL_NONE)
		return WL_NO_TIME;
	part = find_in(gaps, cats, rest_of_gap(gaps, cats, at)).at;
	return part == WL_NO_TIME ? at : part;
}

static bool names_a_time(const struct wl_finding_sought *sought)
{
	return sought->at != WL_NO_TIME && sought->at >= sought->inside.begin &&
	       sought->at < sought->inside.end;
}

/* The step that begins at the time that is named; NULL: that is a gap. */
static const struct wl_iteration *named_step(const struct wl_process_iters *iters, wl_ns at)
{
	for (size_t i = 0; iters && i < iters->n; i++) {
		if (iters->at[i].tile.begin == at)
			return &iters->at[i];
	}
	return NULL;
}

/* Of the gap at a time, from the first part of the finding's causes to the last. */
static struct wl_interval span_of_gap(const struct wl_lane *gaps, const char *code, wl_ns at)
{
	const uint32_t cats = wl_gap_cats(wl_finding_best_place(code).losses);
	const struct wl_interval gap = rest_of_gap(gaps, cats, at);
	struct wl_interval span = { WL_NO_TIME, WL_NO_TIME };

	for (size_t i = 0; gaps && i < gaps->n && gaps->start[i] < gap.end; i++) {
		if (gaps->start[i] < gap.begin || !(cats >> gaps->cat[i] & 1))
			continue;
		span.begin = span.begin == WL_NO_TIME ? gaps->start[i] : span.begin;
		span.end = wl_lane_end(gaps, i);
	}
	return span;
}

struct wl_interval wl_finding_span(const struct wl_scene *scene,
				   const struct wl_finding_sought *sought, enum wl_holds row,
				   wl_ns at)
{
	const struct wl_lane *lane = lane_of(scene, row, sought->device);
	const struct wl_iteration *step = named_step(wl_device_iters(scene, sought->device), at);
	struct wl_interval span = { WL_NO_TIME, WL_NO_TIME };
	uint32_t event;

	if (step && names_a_time(sought))
		return step->tile;
	if (row == WL_HOLDS_GAPS && at != WL_NO_TIME)
		span = span_of_gap(lane, sought->code, names_a_time(sought) ? sought->at : at);
	if (span.begin != WL_NO_TIME)
		return span;
	event = lane && at != WL_NO_TIME ? wl_lane_at(lane, at) : WL_NONE;
	return (struct wl_interval){ at, event == WL_NONE ? at : wl_lane_end(lane, event) };
}

wl_ns wl_finding_place(const struct wl_scene *scene, const struct wl_finding_sought *sought,
		       struct wl_arena *arena, enum wl_holds *ret_row)
{
	const struct wl_interval inside = sought->inside;
	const uint32_t device = sought->device;
	const struct wl_lane *gaps = lane_of(scene, WL_HOLDS_GAPS, device);
	const struct wl_lane *iterations = lane_of(scene, WL_HOLDS_ITERATIONS, device);
	const struct wl_lane *gpu = lane_of(scene, WL_HOLDS_GPU_TIME, device);
	const struct wl_best_place best_place = wl_finding_best_place(sought->code);
	const uint32_t cats = wl_gap_cats(best_place.losses);
	const struct wl_process_iters *iters = wl_device_iters(scene, device);
	const struct wl_iteration *step = steady(iters, inside);
	wl_ns at = WL_NO_TIME;

	if (names_a_time(sought)) {
		if (!named_step(iters, sought->at))
			at = part_of_gap(gaps, cats, sought->at);
		*ret_row = at != WL_NO_TIME ? WL_HOLDS_GAPS : WL_HOLDS_OPS;
		return at != WL_NO_TIME ? at : sought->at;
	}
	/*
	 * From the most telling place to the least: a gap that the finding is about, the slowest
	 * step, a usual step, the beginning of the work.
	 */
	if (cats && gaps)
		at = telling_gap(gaps, cats, iters, inside, arena);
	*ret_row = at != WL_NO_TIME ? WL_HOLDS_GAPS : WL_HOLDS_OPS;
	if (at == WL_NO_TIME && iterations && best_place.slowest)
		at = find_in(iterations, UINT32_MAX, inside).at;
	if (at == WL_NO_TIME && step)
		at = step->tile.begin;
	if (at == WL_NO_TIME && gpu && gpu->n > 0)
		at = gpu->start[0] > inside.begin ? gpu->start[0] : inside.begin;
	return at;
}
