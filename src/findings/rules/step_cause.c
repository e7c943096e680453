/* SPDX-License-Identifier: MIT */
#include "findings/rules/step_cause.h"

#include <string.h>

enum { SMALL_PERCENT = 3 }; /* less is not a change of step times or of work */

struct comparing {
	struct wl_rule_state *d;
	struct wl_changed_gpu *gpu;
	struct wl_step_cause *ret;
	struct wl_arena *scratch;
};

/* Choose the tiles of one side. */
static void choose_tiles(const struct wl_step_change *c, const struct wl_rule_gpu *gpu,
			 enum wl_step_side side, bool *is_on)
{
	const struct wl_ledger_lane *lane = gpu->lane;

	for (size_t i = 0; i < lane->n_tiles; i++)
		is_on[i] = lane->tile[i].iter != WL_NONE &&
			   wl_step_side_of(c, lane->process, lane->tile[i].iter) == side;
}

static wl_ns longer(const struct wl_changed_gpu *g)
{
	return g->now.length - g->like.length;
}

/* The increase of a GPU's waits for others, which is not its own compute, copies or idle time. */
static wl_ns waits_longer(const struct wl_changed_gpu *g)
{
	return g->now.loss[WL_LOSS_EXPOSED_COMM] - g->like.loss[WL_LOSS_EXPOSED_COMM] +
	       g->now.loss[WL_CAUSE_MPI] - g->like.loss[WL_CAUSE_MPI];
}

static bool compare_gpu(const struct comparing *c, size_t number)
{
	const struct wl_rule_gpu *gpu = &c->d->gpu[number];
	struct wl_changed_gpu *g = &c->gpu[number];
	bool *is_on = WL_NEW(c->scratch, bool, gpu->lane->n_tiles);
	wl_ns *room = WL_NEW(c->scratch, wl_ns, gpu->lane->n_tiles);

	if (!is_on || !room)
		return false;
	choose_tiles(c->ret->change, gpu, WL_STEP_REFERENCE, is_on);
	g->like = wl_usual_step_of(gpu, is_on, room);
	choose_tiles(c->ret->change, gpu, WL_STEP_CHANGED, is_on);
	g->now = wl_usual_step_of(gpu, is_on, room);
	g->takes_part = g->like.length > 0 && g->now.length > 0;
	c->ret->n += g->takes_part;
	c->ret->by += g->takes_part ? longer(g) : 0;
	return true;
}

static bool is_half(const struct wl_step_cause *c, wl_ns part)
{
	return part > 0 && 2 * part >= (c->shared ? c->shared : c->by);
}

/* Whether a few GPUs cause the increase themselves, and all others wait. */
static bool is_one_sided(const struct comparing *c)
{
	size_t n_own = 0, n_wait = 0;

	for (size_t i = 0; i < c->d->n_gpus; i++) {
		struct wl_changed_gpu *g = &c->gpu[i];

		if (!g->takes_part)
			continue;
		g->waits = is_half(c->ret, waits_longer(g));
		g->has_own = !g->waits && is_half(c->ret, longer(g) - waits_longer(g));
		n_own += g->has_own;
		n_wait += g->waits;
	}
	return n_own > 0 && n_wait >= n_own && n_own + n_wait == c->ret->n;
}

/* The mean increase of the waiting GPUs without their waits, if that is itself a change; else 0. */
static wl_ns find_shared(const struct comparing *c)
{
	wl_ns sum = 0, like = 0, n = 0;

	for (size_t i = 0; i < c->d->n_gpus; i++) {
		const struct wl_changed_gpu *g = &c->gpu[i];

		if (!g->takes_part || !g->waits)
			continue;
		sum += longer(g) - waits_longer(g);
		like += g->like.length;
		n++;
	}
	return sum > 0 && 100 * sum >= SMALL_PERCENT * like ? sum / n : 0;
}

static void mark_who_stands_out(struct comparing *c)
{
	for (size_t i = 0; c->ret->shared && i < c->d->n_gpus; i++) {
		struct wl_changed_gpu *g = &c->gpu[i];
		wl_ns own = g->has_own ? longer(g) - waits_longer(g) : 0;

		g->stands_out = 100 * (own - c->ret->shared) >= SMALL_PERCENT * g->like.length;
	}
}

static bool is_by_compute(const struct comparing *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->d->n_gpus; i++) {
		const struct wl_changed_gpu *g = &c->gpu[i];

		n += g->takes_part && is_half(c->ret, g->now.compute - g->like.compute);
	}
	return 2 * n > c->ret->n;
}

/* Find the loss that increases most, averaged over all GPUs. */
static bool is_by_loss(const struct comparing *c)
{
	wl_ns most = 0;

	for (unsigned k = 0; k < WL_N_LOSSES; k++) {
		wl_ns sum = 0;

		/* Waits for the GPU that stands out are not shared by all. */
		if (c->ret->shared && (k == WL_LOSS_EXPOSED_COMM || k == WL_CAUSE_MPI))
			continue;
		for (size_t i = 0; i < c->d->n_gpus; i++) {
			const struct wl_changed_gpu *g = &c->gpu[i];

			sum += g->takes_part ? g->now.loss[k] - g->like.loss[k] : 0;
		}
		if (sum > most) {
			most = sum;
			c->ret->loss = (enum wl_loss)k;
		}
	}
	c->ret->loss_ns = most / (wl_ns)c->ret->n;
	return is_half(c->ret, c->ret->loss_ns);
}

/* Kernels and thread blocks of a lane by step; a kernel counts where it starts. */
struct work {
	wl_ns *kernels, *blocks;
};

static wl_ns blocks_of(const struct wl_launch_config *config)
{
	uint64_t n = (uint64_t)config->grid[0] * config->grid[1];

	/* The largest grid has 2^31 x 2^16 x 2^16 blocks. */
	return (wl_ns)(n < (uint64_t)1 << 31 ? n * config->grid[2] : n);
}

static void count_work(const struct comparing *c, const struct wl_ledger_lane *lane,
		       const struct wl_process_iters *iters, const struct work *w)
{
	const struct wl_trace *t = c->d->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	const uint32_t *config = wl_kernels_config(t);

	for (size_t i = 0; i < ops.n; i++) {
		const struct wl_place *p = &t->places[ops.place[i]];
		uint32_t step;

		if (p->device != lane->device || p->process != lane->process)
			continue;
		step = wl_iteration_around(iters, ops.start[i]);
		if (step == WL_NONE)
			continue;
		w->kernels[step]++;
		if (config && config[i] != WL_NONE)
			w->blocks[step] += blocks_of(&t->configs[config[i]]);
	}
}

/* The median over the steps of a side. */
static uint64_t median_of(const struct wl_step_change *c, size_t process, const wl_ns *of,
			  enum wl_step_side side, wl_ns *room)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (wl_step_side_of(c, process, i) == side)
			room[n++] = of[i];
	}
	return (uint64_t)wl_middle(room, n);
}

static bool differ(const uint64_t of[2])
{
	uint64_t low = of[0] < of[1] ? of[0] : of[1], by = of[0] + of[1] - 2 * low;

	return by > 0 && (double)by >= (double)low / 100 * SMALL_PERCENT;
}

/* Find whether a GPU does other work; the figures of the first such GPU are kept. */
static bool compare_work(struct comparing *c, const struct wl_ledger_lane *lane, bool *ret_differs)
{
	const struct wl_step_change *change = c->ret->change;
	const struct wl_process_iters *iters =
		&c->d->run->derived->iterations->process[lane->process];
	struct work w = { WL_NEW(c->scratch, wl_ns, iters->n),
			  WL_NEW(c->scratch, wl_ns, iters->n) };
	wl_ns *room = WL_NEW(c->scratch, wl_ns, iters->n);
	uint64_t kernels[2], blocks[2];

	if (!w.kernels || !w.blocks || !room)
		return false;
	count_work(c, lane, iters, &w);
	for (unsigned i = 0; i < 2; i++) {
		enum wl_step_side side = i ? WL_STEP_CHANGED : WL_STEP_REFERENCE;

		kernels[i] = median_of(change, lane->process, w.kernels, side, room);
		blocks[i] = median_of(change, lane->process, w.blocks, side, room);
	}
	*ret_differs = differ(kernels) || differ(blocks);
	if (*ret_differs && !c->ret->kernels[0] && !c->ret->kernels[1]) {
		memcpy(c->ret->kernels, kernels, sizeof(kernels));
		memcpy(c->ret->blocks, blocks, sizeof(blocks));
	}
	return true;
}

/* Find whether more than half of the GPUs do other work. */
static bool find_work(struct comparing *c, bool *ret_differs)
{
	size_t n = 0;

	for (size_t i = 0; i < c->d->n_gpus; i++) {
		bool differs = false;

		if (!c->gpu[i].takes_part)
			continue;
		if (!compare_work(c, c->d->gpu[i].lane, &differs))
			return false;
		n += differs;
	}
	*ret_differs = 2 * n > c->ret->n;
	return true;
}

static bool find_kind(struct comparing *c)
{
	bool is_work = false, is_sided;

	if (!find_work(c, &is_work))
		return false;
	if (is_work) {
		c->ret->kind = WL_STEP_BY_WORK;
		return true;
	}
	is_sided = is_one_sided(c);
	c->ret->shared = is_sided ? find_shared(c) : 0;
	mark_who_stands_out(c);
	if (is_sided && !c->ret->shared)
		c->ret->kind = WL_STEP_BY_ONE;
	else if (is_by_compute(c))
		c->ret->kind = WL_STEP_BY_COMPUTE;
	else if (is_by_loss(c))
		c->ret->kind = WL_STEP_BY_LOSS;
	return true;
}

bool wl_step_cause_find(struct wl_rule_state *d, struct wl_step_cause *ret)
{
	const struct wl_step_change *change = d->run->derived->step_change;
	struct wl_arena scratch;
	struct comparing c = { .d = d,
			       .gpu = WL_NEW(d->run->arena, struct wl_changed_gpu, d->n_gpus),
			       .ret = ret,
			       .scratch = &scratch };
	bool ok = c.gpu != NULL;

	*ret = (struct wl_step_cause){ .change = change, .gpu = c.gpu };
	if (!ok || !change || change->kind == WL_CHANGE_NONE)
		return ok;
	wl_arena_init_child(&scratch, d->run->arena);
	for (size_t i = 0; ok && i < d->n_gpus; i++)
		ok = !d->gpu[i].by_step || compare_gpu(&c, i);
	if (ok && ret->n) {
		ret->by /= (wl_ns)ret->n;
		ok = find_kind(&c);
	}
	wl_arena_release(&scratch);
	return ok;
}
