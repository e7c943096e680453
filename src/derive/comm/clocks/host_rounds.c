/* SPDX-License-Identifier: MIT */
#include "derive/comm/clocks/host_rounds.h"

#include <math.h>

#include "base/memory/compare.h"
#include "base/memory/sort.h"

static const double per_billion = 1e9;

/* Ends that scatter by less, in ns, are all worth the same. */
static const double least_scatter = 5000;

/* The ends of a collective, on the reference's clock and beside the first of them. */
struct meeting {
	wl_ns base;
	double sum, weight; /* of its anchors */
};

struct rounds {
	const struct wl_clock_anchor *anchor;
	size_t n;
	struct wl_host_clock *host;
	uint32_t *of;            /* by anchor: its meeting */
	struct meeting *meeting; /* in the order of anchors */
	double *at, *weight;     /* by anchor */
	uint32_t *order;         /* anchors by host */
	wl_ns *distance;
};

WL_LESS_BY(host_less, wl_clock_anchor, host)

static wl_ns time_of(const struct rounds *r, size_t i)
{
	return wl_host_time(&r->host[r->anchor[i].host], r->anchor[i].end);
}

static bool begin(struct rounds *r, struct wl_arena *scratch)
{
	uint32_t n_meetings = 0;

	r->of = WL_NEW(scratch, uint32_t, r->n);
	r->meeting = WL_NEW(scratch, struct meeting, r->n);
	r->at = WL_NEW(scratch, double, r->n);
	r->weight = WL_NEW(scratch, double, r->n);
	r->order = WL_NEW(scratch, uint32_t, 2 * r->n);
	r->distance = WL_NEW(scratch, wl_ns, r->n);
	if (!r->of || !r->meeting || !r->at || !r->weight || !r->order || !r->distance)
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		if (i == 0 || r->anchor[i].match != r->anchor[i - 1].match)
			r->meeting[n_meetings++].base = time_of(r, i);
		r->of[i] = n_meetings - 1;
		r->order[i] = i;
	}
	wl_sort_index(r->order, r->n, r->order + r->n, host_less, r->anchor);
	return true;
}

static double mean_of(const struct meeting *m)
{
	return m->sum / m->weight;
}

/* Add up the meetings, each anchor with its weight. */
static void add_up(struct rounds *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->meeting[r->of[i]].sum = r->meeting[r->of[i]].weight = 0;
	for (size_t i = 0; i < r->n; i++) {
		r->at[i] = (double)(time_of(r, i) - r->meeting[r->of[i]].base);
		r->meeting[r->of[i]].sum += r->weight[i] * r->at[i];
		r->meeting[r->of[i]].weight += r->weight[i];
	}
}

/* By its distance from the mean of all, which is there without weights. */
static void weigh(struct rounds *r)
{
	double most;

	for (size_t i = 0; i < r->n; i++)
		r->weight[i] = 1;
	add_up(r);
	for (size_t i = 0; i < r->n; i++) {
		r->weight[i] = fabs(r->at[i] - mean_of(&r->meeting[r->of[i]]));
		r->distance[i] = (wl_ns)r->weight[i];
	}
	wl_sort_i64(r->distance, r->n);
	most = 3 * 1.4826 * (double)r->distance[wl_rank(r->n, 50)];
	most = most > least_scatter ? most : least_scatter;
	for (size_t i = 0; i < r->n; i++)
		r->weight[i] = r->weight[i] > most ? most / r->weight[i] : 1;
	add_up(r);
}

/* Weighted sums of one host's anchors: when, and how far the others of the meeting are ahead. */
struct sums {
	double weight, x, y, xx, xy;
};

static double ahead(const struct rounds *r, uint32_t i)
{
	const struct meeting *m = &r->meeting[r->of[i]];

	return (m->sum - r->weight[i] * r->at[i]) / (m->weight - r->weight[i]) - r->at[i];
}

/* x counts from the middle, where the sums are small. */
static struct sums add_host(const struct rounds *r, size_t lo, size_t hi, wl_ns middle)
{
	struct sums s = { 0, 0, 0, 0, 0 };

	for (size_t k = lo; k < hi; k++) {
		uint32_t i = r->order[k];
		double x = (double)(r->anchor[i].end - middle), y = ahead(r, i);
		double w = r->weight[i];

		s.weight += w;
		s.x += w * x;
		s.y += w * y;
		s.xx += w * x * x;
		s.xy += w * x * y;
	}
	return s;
}

static void move_host(struct rounds *r, size_t lo, size_t hi)
{
	struct wl_host_clock *host = &r->host[r->anchor[r->order[lo]].host];
	wl_ns middle = r->anchor[r->order[lo + (hi - lo) / 2]].end;
	const struct sums s = add_host(r, lo, hi, middle);
	double mean_x = s.x / s.weight, mean_y = s.y / s.weight;
	double spread = s.xx / s.weight - mean_x * mean_x;
	double slope =
		host->drift != 0 && spread > 0 ? (s.xy / s.weight - mean_x * mean_y) / spread : 0;
	int64_t drift = llround(slope * per_billion);
	double offset = mean_y - (double)drift / per_billion * ((double)middle + mean_x);

	/* A hostile trace may have any ends: what cannot be is left. */
	if (!isfinite(offset) || fabs(offset) > 1e17 || fabs(slope) > 1e-2)
		return;
	host->drift += drift;
	host->offset += llround(offset);
	for (size_t k = lo; k < hi; k++) {
		uint32_t i = r->order[k];
		struct meeting *m = &r->meeting[r->of[i]];
		double at = (double)(time_of(r, i) - m->base);

		m->sum += r->weight[i] * (at - r->at[i]);
		r->at[i] = at;
	}
}

bool wl_host_rounds_run(const struct wl_clock_anchors *anchors, uint32_t reference,
			struct wl_arena *scratch, struct wl_host_clock *hosts)
{
	struct rounds r = { .anchor = anchors->at, .n = anchors->n, .host = hosts };

	if (!begin(&r, scratch))
		return false;
	for (unsigned round = 0; round < WL_HOST_ROUNDS; round++) {
		weigh(&r);
		for (size_t lo = 0, hi; lo < r.n; lo = hi) {
			uint32_t host = r.anchor[r.order[lo]].host;

			for (hi = lo; hi < r.n && r.anchor[r.order[hi]].host == host;)
				hi++;
			if (host != reference && hosts[host].is_tied)
				move_host(&r, lo, hi);
		}
	}
	return true;
}
