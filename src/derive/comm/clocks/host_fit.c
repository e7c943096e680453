/* SPDX-License-Identifier: MIT */
#include "derive/comm/clocks/host_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/sort.h"
#include "derive/comm/clock_line.h"
#include "derive/comm/clocks/host_rounds.h"

static const double per_billion = 1e9;
static const wl_ns most_offset = (wl_ns)1 << 60;

/* How much worse than the best ones ends may agree. */
static const double most_looser = 3;

/* Anchors of one host, and those of the hub in the same collectives. */
struct edge {
	size_t lo, hi; /* of fitting.order */
	uint32_t hub, host;
};

struct fitting {
	const struct wl_clock_anchor *anchor;
	size_t n;
	bool drift;
	uint32_t *hub_of; /* by anchor: that of the hub of its match */
	uint32_t *order;  /* anchors of hosts that are no hub, by hub, then host, then match */
	struct edge *edge;
	size_t n_edges;
	bool has_circle; /* some edges are not of the tree */
	uint32_t *root;  /* by host: union-find */
	struct wl_host_fit *to;
	struct wl_arena *arena, *scratch;
};

/* Of two hosts the one with more anchors, then the first. */
static bool is_better(const struct fitting *f, uint32_t a, uint32_t b)
{
	size_t na = f->to->host[a].n_anchors, nb = f->to->host[b].n_anchors;

	return na != nb ? na > nb : a < b;
}

static void find_hubs(struct fitting *f)
{
	for (size_t lo = 0, hi; lo < f->n; lo = hi) {
		uint32_t hub = (uint32_t)lo;

		for (hi = lo + 1; hi < f->n && f->anchor[hi].match == f->anchor[lo].match; hi++) {
			if (is_better(f, f->anchor[hi].host, f->anchor[hub].host))
				hub = (uint32_t)hi;
		}
		for (size_t i = lo; i < hi; i++)
			f->hub_of[i] = hub;
	}
}

static bool pair_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fitting *f = ctx;
	uint32_t hub_a = f->anchor[f->hub_of[a]].host, hub_b = f->anchor[f->hub_of[b]].host;

	if (hub_a != hub_b)
		return hub_a < hub_b;
	if (f->anchor[a].host != f->anchor[b].host)
		return f->anchor[a].host < f->anchor[b].host;
	return f->anchor[a].end < f->anchor[b].end;
}

static bool list_edges(struct fitting *f)
{
	size_t n = 0;

	f->order = WL_NEW(f->scratch, uint32_t, 2 * f->n);
	f->edge = WL_NEW(f->scratch, struct edge, f->n);
	if (!f->order || !f->edge)
		return false;
	for (uint32_t i = 0; i < f->n; i++) {
		if (f->hub_of[i] != i)
			f->order[n++] = i;
	}
	wl_sort_index(f->order, n, f->order + n, pair_less, f);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		uint32_t hub = f->anchor[f->hub_of[f->order[lo]]].host;
		uint32_t host = f->anchor[f->order[lo]].host;

		for (hi = lo; hi < n && f->anchor[f->order[hi]].host == host &&
			      f->anchor[f->hub_of[f->order[hi]]].host == hub;)
			hi++;
		f->edge[f->n_edges++] = (struct edge){ lo, hi, hub, host };
	}
	return true;
}

/* Count the anchors of each host, and list those that are compared. */
static bool meet(struct fitting *f)
{
	for (size_t i = 0; i < f->to->n_hosts; i++)
		f->to->host[i].n_anchors = 0;
	for (size_t i = 0; i < f->n; i++)
		f->to->host[f->anchor[i].host].n_anchors++;
	find_hubs(f);
	return list_edges(f);
}

/* Mark the anchors of an edge whose groups agree much worse than its best one. */
static size_t find_loose(const struct fitting *f, const struct edge *e, bool *is_loose)
{
	double most = HUGE_VAL;
	size_t n = 0;

	for (size_t i = e->lo; i < e->hi; i++)
		most = fmin(most, f->anchor[f->order[i]].r1);
	most = fmax(WL_CLOCK_TICK_NS, most_looser * most);
	for (size_t i = e->lo; i < e->hi; i++) {
		is_loose[f->order[i]] = f->anchor[f->order[i]].r1 > most;
		n += is_loose[f->order[i]];
	}
	return n;
}

/* A hub that no anchor is compared with does not count either. */
static void drop_hubs(const struct fitting *f, bool *is_loose)
{
	for (size_t i = 0; i < f->n; i++)
		is_loose[i] |= f->hub_of[i] == i;
	for (size_t i = 0; i < f->n; i++) {
		if (!is_loose[i])
			is_loose[f->hub_of[i]] = false;
	}
}

/* Leave only the anchors that count. */
static bool drop_loose(struct fitting *f)
{
	bool *is_loose = WL_NEW(f->arena, bool, f->n);
	struct wl_clock_anchor *kept = WL_NEW(f->scratch, struct wl_clock_anchor, f->n);
	size_t n = 0;

	if (!is_loose || !kept)
		return false;
	f->to->is_loose = is_loose;
	for (size_t i = 0; i < f->n_edges; i++)
		n += find_loose(f, &f->edge[i], is_loose);
	if (n == 0)
		return true;
	drop_hubs(f, is_loose);
	n = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (!is_loose[i])
			kept[n++] = f->anchor[i];
	}
	f->anchor = kept;
	f->n = n;
	f->n_edges = 0;
	return meet(f);
}

static bool edge_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fitting *f = ctx;

	return f->edge[a].hi - f->edge[a].lo > f->edge[b].hi - f->edge[b].lo;
}

static uint32_t find_root(uint32_t *root, uint32_t i)
{
	while (root[i] != i) {
		root[i] = root[root[i]];
		i = root[i];
	}
	return i;
}

/* The line from one end of an edge to the other: its clock becomes that of the parent. */
static bool fit_edge(struct fitting *f, const struct edge *e, uint32_t child,
		     struct wl_host_clock *ret)
{
	size_t n = e->hi - e->lo;
	wl_ns *first = WL_NEW(f->scratch, wl_ns, n), *second = WL_NEW(f->scratch, wl_ns, n);
	struct wl_clock_line line;
	double drift;

	for (size_t i = 0; first && second && i < n; i++) {
		uint32_t own = f->order[e->lo + i], hub = f->hub_of[own];

		first[i] = f->anchor[child == e->host ? hub : own].end;
		second[i] = f->anchor[child == e->host ? own : hub].end;
	}
	if (!first || !second || !wl_clock_line_fit(first, second, n, f->scratch, &line))
		return false;
	drift = f->drift ? -line.slope : 0;
	ret->drift = llround(drift * per_billion);
	/* The drift is whole now: the offset is the median of what that leaves. */
	ret->offset = 0;
	for (size_t i = 0; i < n; i++)
		first[i] -= wl_host_time(ret, second[i]);
	ret->offset = wl_select_i64(first, n, wl_rank(n, 50));
	return true;
}

/* The clock of a child, by that of its parent and the line between them. */
static void compose(const struct wl_host_clock *parent, const struct wl_host_clock *line,
		    struct wl_host_clock *ret)
{
	double p = (double)parent->drift / per_billion, l = (double)line->drift / per_billion;

	ret->offset = line->offset + parent->offset + (wl_ns)llround(p * (double)line->offset);
	ret->drift = line->drift + parent->drift + llround(p * l * per_billion);
	/* Lines of a hostile trace add up: what they move must stay within 64 bits. */
	if (ret->offset < -most_offset || ret->offset > most_offset)
		ret->offset = 0;
	ret->is_tied = true;
}

/* Hang the hosts that tree edges reach on the reference, wave by wave. */
static bool hang(struct fitting *f, const uint32_t *tree, size_t n_tree)
{
	struct wl_host_clock *host = f->to->host;
	bool changed = true;

	/* As many waves as the tree is deep: of hubs and their hosts two or three as a rule. */
	while (changed) {
		changed = false;
		for (size_t i = 0; i < n_tree; i++) {
			const struct edge *e = &f->edge[tree[i]];
			uint32_t child = host[e->hub].is_tied ? e->host : e->hub;
			uint32_t parent = child == e->host ? e->hub : e->host;
			struct wl_host_clock line;

			if (!host[parent].is_tied || host[child].is_tied)
				continue;
			if (!fit_edge(f, e, child, &line))
				return false;
			compose(&host[parent], &line, &host[child]);
			changed = true;
		}
	}
	return true;
}

/* The tree of the edges with most collectives. */
static bool grow_tree(struct fitting *f)
{
	uint32_t *order = WL_NEW(f->scratch, uint32_t, 2 * f->n_edges);
	size_t n = 0;

	f->root = WL_NEW(f->scratch, uint32_t, f->to->n_hosts);
	if (!order || !f->root)
		return false;
	for (uint32_t i = 0; i < f->to->n_hosts; i++)
		f->root[i] = i;
	wl_sort_all(order, f->n_edges, edge_less, f);
	for (size_t i = 0; i < f->n_edges; i++) {
		uint32_t a = find_root(f->root, f->edge[order[i]].hub);
		uint32_t b = find_root(f->root, f->edge[order[i]].host);

		f->has_circle |= a == b;
		if (a == b)
			continue;
		f->root[b] = a;
		order[n++] = order[i];
	}
	f->to->host[f->to->reference].is_tied = true;
	return hang(f, order, n);
}

/* By anchor: how far its end is from the median of its collective, on the reference's clock. */
static bool find_distances(struct fitting *f, wl_ns *distance)
{
	const struct wl_host_clock *host = f->to->host;
	wl_ns *end = WL_NEW(f->scratch, wl_ns, f->to->n_hosts);

	for (size_t lo = 0, hi; end && lo < f->n; lo = hi) {
		wl_ns median;

		for (hi = lo; hi < f->n && f->anchor[hi].match == f->anchor[lo].match; hi++) {
			distance[hi] = wl_host_time(&host[f->anchor[hi].host], f->anchor[hi].end);
			end[hi - lo] = distance[hi];
		}
		median = wl_select_i64(end, hi - lo, wl_rank(hi - lo, 50));
		for (size_t i = lo; i < hi; i++)
			distance[i] = llabs(distance[i] - median);
	}
	return end != NULL;
}

static bool find_residuals(struct fitting *f)
{
	wl_ns *distance = WL_NEW(f->scratch, wl_ns, f->n), *own = WL_NEW(f->scratch, wl_ns, f->n);
	size_t *next = WL_NEW(f->scratch, size_t, f->to->n_hosts), n = 0;

	if (!distance || !own || !next || !find_distances(f, distance))
		return false;
	for (size_t i = 0; i < f->to->n_hosts; n += f->to->host[i].n_anchors, i++)
		next[i] = n;
	for (size_t i = 0; i < f->n; i++)
		own[next[f->anchor[i].host]++] = distance[i];
	for (size_t i = 0; i < f->to->n_hosts; i++) {
		struct wl_host_clock *host = &f->to->host[i];
		wl_ns *at = own + (next[i] - host->n_anchors);

		wl_sort_i64(at, host->n_anchors);
		if (host->n_anchors) {
			host->residual = at[wl_rank(host->n_anchors, 99)];
			host->residual_p50 = at[wl_rank(host->n_anchors, 50)];
		}
	}
	f->to->residual = wl_select_i64(distance, f->n, wl_rank(f->n, 99));
	return true;
}

/* How far a clock is moved at most over its anchors. */
static bool find_moves(const struct fitting *f, wl_ns *moved)
{
	for (size_t i = 0; moved && i < f->n; i++) {
		uint32_t host = f->anchor[i].host;
		wl_ns by = llabs(wl_host_time(&f->to->host[host], f->anchor[i].end) -
				 f->anchor[i].end);

		moved[host] = by > moved[host] ? by : moved[host];
	}
	return moved != NULL;
}

/* A correction that is no more than the error stays out: clocks that are equal stay equal. */
static bool leave_out_noise(struct fitting *f)
{
	wl_ns *moved = WL_NEW(f->scratch, wl_ns, f->to->n_hosts);
	bool is_left = false;

	if (!find_moves(f, moved))
		return false;
	for (size_t i = 0; i < f->to->n_hosts; i++) {
		struct wl_host_clock *host = &f->to->host[i];

		if (moved[i] == 0 || moved[i] > host->residual)
			continue;
		host->offset = host->drift = 0;
		is_left = true;
	}
	return !is_left || find_residuals(f);
}

/* Share out what the edges of a circle contradict, where that leaves less. */
static bool close_circles(struct fitting *f)
{
	const struct wl_clock_anchors anchors = { f->anchor, f->n, f->to->n_hosts, !f->drift };
	struct wl_host_clock *tree = WL_NEW(f->scratch, struct wl_host_clock, f->to->n_hosts);
	wl_ns residual = f->to->residual;

	if (!f->has_circle || residual == 0)
		return true;
	if (!tree)
		return false;
	memcpy(tree, f->to->host, f->to->n_hosts * sizeof(*tree));
	if (!wl_host_rounds_run(&anchors, f->to->reference, f->scratch, f->to->host) ||
	    !find_residuals(f))
		return false;
	if (f->to->residual < residual)
		return true;
	memcpy(f->to->host, tree, f->to->n_hosts * sizeof(*tree));
	f->to->residual = residual;
	return true;
}

static bool fit(struct fitting *f)
{
	f->hub_of = WL_NEW(f->scratch, uint32_t, f->n);
	if (!f->hub_of)
		return false;
	if (!meet(f) || !drop_loose(f))
		return false;
	f->to->reference = 0;
	for (uint32_t i = 1; i < f->to->n_hosts; i++)
		f->to->reference = is_better(f, i, f->to->reference) ? i : f->to->reference;
	return grow_tree(f) && find_residuals(f) && close_circles(f) && leave_out_noise(f);
}

bool wl_host_fit_find(const struct wl_clock_anchors *anchors, struct wl_arena *arena,
		      struct wl_host_fit *ret)
{
	struct wl_arena scratch;
	struct fitting f = { .anchor = anchors->at,
			     .n = anchors->n,
			     .drift = !anchors->no_drift,
			     .to = ret,
			     .arena = arena,
			     .scratch = &scratch };
	bool ok;

	*ret = (struct wl_host_fit){ .host = WL_NEW(arena, struct wl_host_clock, anchors->n_hosts),
				     .n_hosts = anchors->n_hosts,
				     .reference = WL_NONE };
	if (!ret->host || anchors->n == 0)
		return ret->host != NULL;
	wl_arena_init_child(&scratch, arena);
	ok = fit(&f);
	wl_arena_release(&scratch);
	return ok;
}
