/* SPDX-License-Identifier: MIT */
/* claim.c - rules claim time: each nanosecond is claimed at most once. */
#include "base/memory/bound.h"
#include "findings/rule.h"
#include "known/calls/operators.h"

bool wl_claim_init(struct wl_rule_state *d, struct wl_claim *ret)
{
	struct wl_arena *arena = d->run->arena;

	*ret = (struct wl_claim){ .number = ++d->n_claims,
				  .ns = WL_NEW(arena, wl_ns, d->n_gpus),
				  .extra = WL_NEW(arena, wl_ns, d->n_gpus),
				  .n = WL_NEW(arena, uint64_t, d->n_gpus),
				  .n_steps = WL_NEW(arena, uint32_t, d->n_gpus),
				  .is_rare = WL_NEW(arena, bool, d->n_gpus),
				  .step = WL_NEW(arena, uint32_t *, d->n_gpus),
				  .peak = wl_arena_calloc(arena, d->n_gpus, sizeof(*ret->peak)) };
	return ret->peak && ret->ns && ret->extra && ret->n && ret->n_steps && ret->is_rare &&
	       ret->step;
}

void wl_rule_state_keep(struct wl_rule_state *d, const struct wl_claim *claim, size_t g,
			size_t atom, wl_ns ns)
{
	wl_vec_push(&d->taken,
		    &(struct wl_taken){ claim->number, (uint32_t)g, (uint32_t)atom, ns });
}

/* A pair of names; the second may be NULL. No padding. */
struct pair {
	const char *name, *of;
};

/* The time of a claim by name. */
struct tally {
	struct wl_intern seen;
	struct wl_vec sums; /* wl_ns */
};

static void init_tally(struct tally *g, struct wl_budget *budget)
{
	wl_intern_init(&g->seen, sizeof(struct pair), budget);
	wl_vec_init(&g->sums, sizeof(wl_ns), budget);
}

static void release_tally(struct tally *g)
{
	wl_vec_release(&g->sums);
	wl_intern_release(&g->seen);
}

static void add_to_tally(struct tally *g, const char *name, const char *of, wl_ns ns)
{
	const struct pair key = { name, of };
	uint32_t i = wl_intern_put(&g->seen, &key);

	if (i == g->sums.n)
		wl_vec_push(&g->sums, &(wl_ns){ 0 });
	if (i == WL_NONE || g->sums.failed)
		g->sums.failed = true;
	else
		((wl_ns *)g->sums.data)[i] += ns;
}

/*
 * The named pair with the most time, and the time without a name. Names come in the order of atoms,
 * which makes ties deterministic.
 */
static wl_ns largest(const struct tally *g, struct pair *ret, wl_ns *ret_unnamed)
{
	wl_ns most = 0;

	*ret = (struct pair){ NULL, NULL };
	*ret_unnamed = 0;
	for (size_t i = 0; i < g->sums.n; i++) {
		const struct pair *key = (const struct pair *)g->seen.items.data + i;
		wl_ns ns = ((const wl_ns *)g->sums.data)[i];

		if (!key->name) {
			*ret_unnamed += ns;
		} else if (ns > most) {
			*ret = *key;
			most = ns;
		}
	}
	return most;
}

struct claiming {
	struct wl_rule_state *d;
	wl_name_of *name;
	struct tally *details;         /* by GPU */
	wl_ns (*by_loss)[WL_N_LOSSES]; /* by GPU */
	struct tally openers;
	bool has_copies;
	struct wl_claim *claim;
};

static const char *detail_of(const struct wl_atom *atom)
{
	return atom->detail;
}

static bool is_in_operator(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_HOST && atom->detail && wl_range_is_operator(atom->detail);
}

/* The step's own range is not a name for what happens in it. */
static const char *name_of(const struct claiming *c, const struct wl_rule_gpu *gpu,
			   const struct wl_atom *atom)
{
	const char *name = c->name(atom);

	return name && name == atom->detail && wl_atom_is_in_step_alone(gpu, atom) ? NULL : name;
}

static void take_atom(struct claiming *c, size_t g, size_t i, uint64_t *n_by_loss)
{
	struct wl_rule_gpu *gpu = &c->d->gpu[g];
	const struct wl_atom *atom = &gpu->lane->atom[i];
	wl_ns ns = gpu->left[i];

	c->claim->ns[g] += ns;
	c->claim->asleep_ns += atom->flags & WL_LOST_ASLEEP ? ns : 0;
	c->claim->operator_ns += is_in_operator(atom) ? ns : 0;
	if (atom->loss == WL_CAUSE_OS && atom->detail)
		c->claim->os_ns[wl_os_class_of(atom->detail)] += ns;
	n_by_loss[atom->loss] += atom->n;
	c->by_loss[g][atom->loss] += ns;
	for (size_t k = 0; ns == atom->ns && k < WL_N_PEAKS; k++)
		wl_peak_add(c->claim->peak[g], atom->peak[k].at, atom->peak[k].ns);
	add_to_tally(&c->details[g], name_of(c, gpu, atom), atom->stage, ns);
	add_to_tally(&c->openers, atom->opener, atom->opener_range, ns);
	if (atom->loss == WL_LOSS_EXPOSED_COPY) {
		c->claim->always = c->has_copies ? c->claim->always & atom->flags : atom->flags;
		c->has_copies = true;
	}
	wl_claim_add_stacks(c->d, c->claim, g, i);
	wl_rule_state_keep(c->d, c->claim, g, i, ns);
	gpu->left[i] = 0;
}

static uint64_t most_of(const uint64_t n_by_loss[WL_N_LOSSES])
{
	uint64_t most = 0;

	for (size_t k = 0; k < WL_N_LOSSES; k++)
		most = n_by_loss[k] > most ? n_by_loss[k] : most;
	return most;
}

static bool has_it(const struct wl_rule_gpu *g, const wl_ns *by_tile, wl_ns all, size_t tile)
{
	return by_tile[tile] > 0 && 2 * (double)by_tile[tile] * (double)g->n_steps >= (double)all;
}

/*
 * Count the steps that have a claim: those that lose at least half of the mean to it. If they are
 * few, they are listed; without memory they are not.
 */
static void count_steps(const struct wl_rule_state *d, struct wl_claim *claim, size_t g,
			const wl_ns *by_tile)
{
	const struct wl_rule_gpu *gpu = &d->gpu[g];
	wl_ns all = claim->ns[g] + claim->extra[g];
	uint32_t n = 0, *step;

	for (size_t i = 0; i < gpu->lane->n_tiles; i++)
		n += has_it(gpu, by_tile, all, i);
	claim->n_steps[g] = n;
	claim->is_rare[g] = 2 * (size_t)n <= gpu->n_steps;
	claim->step[g] = step = claim->is_rare[g] ? WL_NEW(d->run->arena, uint32_t, n) : NULL;
	n = 0;
	for (size_t i = 0; step && i < gpu->lane->n_tiles; i++) {
		if (has_it(gpu, by_tile, all, i))
			step[n++] = gpu->lane->tile[i].iter;
	}
}

static bool take_gpu(struct claiming *c, size_t g, wl_wants *wants, const void *ctx)
{
	const struct wl_rule_gpu *gpu = &c->d->gpu[g];
	uint64_t n_by_loss[WL_N_LOSSES] = { 0 };
	struct wl_arena scratch;
	wl_ns *by_tile;

	wl_arena_init_child(&scratch, c->d->run->arena);
	by_tile = WL_NEW(&scratch, wl_ns, gpu->lane->n_tiles);
	for (size_t i = 0; by_tile && i < gpu->lane->n_atoms; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];

		if (!gpu->in_sample[atom->tile] || !wants(ctx, gpu, atom))
			continue;
		if (gpu->left[i] == 0)
			continue;
		by_tile[atom->tile] += gpu->left[i];
		take_atom(c, g, i, n_by_loss);
	}
	c->claim->n[g] = most_of(n_by_loss);
	if (by_tile && gpu->by_step)
		count_steps(c->d, c->claim, g, by_tile);
	wl_arena_release(&scratch);
	return by_tile != NULL;
}

static void choose_names(const struct claiming *c, struct wl_claim *claim)
{
	size_t g = wl_claim_gpu(c->d, claim);
	struct pair detail = { NULL, NULL }, opener;
	wl_ns unopened;

	claim->named_of = c->d->n_gpus ? claim->ns[g] : 0;
	if (c->d->n_gpus)
		claim->detail_ns = largest(&c->details[g], &detail, &claim->unnamed_ns);
	claim->opened_ns = largest(&c->openers, &opener, &unopened);
	claim->detail = detail.name;
	claim->stage = detail.of;
	claim->opener = opener.name;
	claim->opener_range = opener.of;
	for (size_t k = 0; c->d->n_gpus && k < WL_N_LOSSES; k++)
		claim->by_loss[k] = c->by_loss[g][k];
}

bool wl_rule_state_claim_by(struct wl_rule_state *d, wl_wants *wants, const void *ctx,
			    wl_name_of *name, struct wl_claim *ret)
{
	struct wl_budget *budget = wl_arena_budget(d->run->arena);
	struct claiming c = { .d = d, .name = name, .claim = ret };
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, d->run->arena);
	c.details = WL_NEW(&scratch, struct tally, d->n_gpus);
	c.by_loss = wl_arena_calloc(&scratch, d->n_gpus, sizeof(*c.by_loss));
	ok = c.details && c.by_loss && wl_claim_init(d, ret);
	init_tally(&c.openers, budget);
	for (size_t g = 0; c.details && g < d->n_gpus; g++)
		init_tally(&c.details[g], budget);
	for (size_t g = 0; ok && g < d->n_gpus; g++) {
		ok = take_gpu(&c, g, wants, ctx) && !c.details[g].sums.failed;
		ret->all += ret->ns[g];
	}
	ok = ok && !c.openers.sums.failed;
	if (ok)
		choose_names(&c, ret);
	ok = ok && wl_claim_name_function(d, wl_claim_gpu(d, ret), ret);
	release_tally(&c.openers);
	for (size_t g = 0; c.details && g < d->n_gpus; g++)
		release_tally(&c.details[g]);
	wl_arena_release(&scratch);
	return ok;
}

bool wl_rule_state_claim(struct wl_rule_state *d, wl_wants *wants, const void *ctx,
			 struct wl_claim *ret)
{
	return wl_rule_state_claim_by(d, wants, ctx, detail_of, ret);
}

uint64_t wl_rule_state_count(const struct wl_rule_state *d, size_t g, wl_wants *wants,
			     const void *ctx)
{
	const struct wl_rule_gpu *gpu = &d->gpu[g];
	uint64_t n_by_loss[WL_N_LOSSES] = { 0 };

	for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];

		if (gpu->left[i] > 0 && wants(ctx, gpu, atom))
			n_by_loss[atom->loss] += atom->n;
	}
	return most_of(n_by_loss);
}

wl_ns wl_rule_state_take(struct wl_rule_state *d, size_t g, uint32_t tile, enum wl_loss loss,
			 wl_ns most, struct wl_claim *claim)
{
	struct wl_rule_gpu *gpu = &d->gpu[g];
	const struct wl_ledger_lane *lane = gpu->lane;
	wl_ns taken = 0;

	for (size_t i = WL_BELOW_BY(wl_atom, tile, lane->atom, lane->n_atoms, tile);
	     taken < most && i < lane->n_atoms && lane->atom[i].tile == tile; i++) {
		wl_ns ns = gpu->left[i] < most - taken ? gpu->left[i] : most - taken;

		if (lane->atom[i].loss != loss || ns == 0)
			continue;
		gpu->left[i] -= ns;
		taken += ns;
		wl_rule_state_keep(d, claim, g, i, ns);
		claim->operator_ns += is_in_operator(&lane->atom[i]) ? ns : 0;
	}
	claim->ns[g] += taken;
	return taken;
}

wl_ns wl_rule_state_take_compute(struct wl_rule_state *d, size_t g, uint32_t tile, wl_ns most,
				 struct wl_claim *claim)
{
	wl_ns *left = &d->gpu[g].compute[tile], taken = *left < most ? *left : most;

	*left -= taken;
	claim->extra[g] += taken;
	return taken;
}

void wl_claim_count_steps(const struct wl_rule_state *d, struct wl_claim *claim, size_t g,
			  const wl_ns *by_tile)
{
	if (d->gpu[g].by_step)
		count_steps(d, claim, g, by_tile);
}

bool wl_claim_is_of_steps(const struct wl_rule_state *d, const struct wl_claim *claim, size_t g)
{
	return d->gpu[g].by_step && !claim->is_rare[g];
}

wl_ns wl_claim_per_step(const struct wl_rule_state *d, const struct wl_claim *claim, size_t g)
{
	wl_ns all = claim->ns[g] + claim->extra[g];

	return wl_claim_is_of_steps(d, claim, g) ? all / (wl_ns)d->gpu[g].n_steps : all;
}

static double share_of(wl_ns part, wl_ns whole)
{
	return whole ? (double)part / (double)whole : 0;
}

double wl_claim_window_share(const struct wl_rule_state *d, const struct wl_claim *claim, size_t g)
{
	return share_of(claim->ns[g] + claim->extra[g], d->gpu[g].window);
}

double wl_claim_share(const struct wl_rule_state *d, const struct wl_claim *claim, size_t g)
{
	return wl_claim_is_of_steps(d, claim, g)
		       ? share_of(claim->ns[g] + claim->extra[g], d->gpu[g].length)
		       : wl_claim_window_share(d, claim, g);
}

wl_ns wl_claim_idle(const struct wl_claim *claim)
{
	wl_ns ns = 0;

	for (size_t k = 0; k < WL_N_LOSSES; k++)
		ns += k == WL_LOSS_EXPOSED_COMM || k == WL_LOSS_EXPOSED_COPY ? 0
									     : claim->by_loss[k];
	return ns;
}

struct wl_peak wl_claim_longest(const struct wl_claim *c, size_t t)
{
	struct wl_peak longest = { .ns = 0 };

	for (size_t i = 0; i < WL_N_PEAKS; i++)
		longest = c->peak[t][i].ns > longest.ns ? c->peak[t][i] : longest;
	return longest;
}

size_t wl_claim_gpu(const struct wl_rule_state *d, const struct wl_claim *claim)
{
	size_t best = 0;

	for (size_t i = 1; i < d->n_gpus; i++) {
		if (wl_claim_window_share(d, claim, i) > wl_claim_window_share(d, claim, best))
			best = i;
	}
	return best;
}
