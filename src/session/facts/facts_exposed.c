/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_exposed.h"

#include "findings/rule.h"
#include "session/facts/facts_job.h"

WL_DECLARE_RULE(exposed_comm);

/* ---- Of a trace ---- */

/* The row of ranks of a device; WL_NONE. */
static uint32_t rank_of(const struct wl_facts *f, uint32_t device)
{
	for (uint32_t i = 0; i < f->n[WL_FACTS_RANKS]; i++) {
		if (wl_facts_u32(f, WL_FACTS_RANKS_DEVICE, i) == device)
			return i;
	}
	return WL_NONE;
}

static void drop_rows(struct wl_facts *f)
{
	for (size_t c = WL_FACTS_FIRST_EXPOSED_IN; c < wl_facts_end(WL_FACTS_EXPOSED_IN); c++)
		f->column[c].n = 0;
	f->n[WL_FACTS_EXPOSED_IN] = 0;
}

static void put_gpu(const struct wl_rule_gpu *gpu, uint32_t rank, struct wl_facts *to)
{
	int64_t place = 0;

	for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];

		if (atom->loss != WL_LOSS_EXPOSED_COMM || gpu->left[i] == 0)
			continue;
		wl_facts_row(to, WL_FACTS_EXPOSED_IN);
		wl_facts_put(to, WL_FACTS_EXPOSED_IN_RANK, rank);
		wl_facts_put(to, WL_FACTS_EXPOSED_IN_STEP, gpu->lane->tile[atom->tile].iter);
		wl_facts_put(to, WL_FACTS_EXPOSED_IN_PLACE, place++);
		wl_facts_put_str(to, WL_FACTS_EXPOSED_IN_STAGE, atom->stage);
		wl_facts_put_str(to, WL_FACTS_EXPOSED_IN_TYPE, atom->detail);
		wl_facts_put(to, WL_FACTS_EXPOSED_IN_NS, gpu->left[i]);
	}
}

bool wl_facts_exposed_put(const struct wl_run *run, struct wl_facts *facts)
{
	struct wl_rule_state d;
	bool ok = wl_rule_state_init(&d, run);

	drop_rows(facts);
	ok = ok && (d.n_gpus == 0 || wl_rules_apply_before(&wl_rule_exposed_comm, &d));
	for (size_t i = 0; ok && i < d.n_gpus; i++) {
		uint32_t rank = rank_of(facts, d.gpu[i].lane->device);

		if (rank != WL_NONE)
			put_gpu(&d.gpu[i], rank, facts);
	}
	wl_rule_state_release(&d);
	return ok && !facts->failed;
}

/* ---- Of a job ---- */

/* The tile of a step, from one on; n_tiles where there is none. */
static size_t tile_of(const struct wl_ledger_lane *lane, size_t from, uint32_t step)
{
	while (from < lane->n_tiles && lane->tile[from].iter < step)
		from++;
	return from < lane->n_tiles && lane->tile[from].iter == step ? from : lane->n_tiles;
}

/* Rows are by rank and step, and steps outside of any last, as tiles are. *row moves on. */
static bool add_atoms(const struct wl_facts *f, size_t *row, struct wl_arena *arena,
		      struct wl_ledger_lane *lane)
{
	size_t lo = *row, n = 0, from = 0;
	struct wl_atom *atom;

	while (*row < f->n[WL_FACTS_EXPOSED_IN] &&
	       wl_facts_u32(f, WL_FACTS_EXPOSED_IN_RANK, *row) == lane->device)
		++*row;
	atom = WL_NEW(arena, struct wl_atom, *row - lo);
	for (size_t i = lo; atom && i < *row; i++) {
		size_t tile = tile_of(lane, from, wl_facts_u32(f, WL_FACTS_EXPOSED_IN_STEP, i));
		wl_ns ns = wl_facts_length(f, WL_FACTS_EXPOSED_IN_NS, i);

		/* Facts that were made up may have other steps. */
		if (tile == lane->n_tiles || ns == 0)
			continue;
		from = tile;
		/* One text has one number, and so one address: rules compare these. */
		atom[n] = (struct wl_atom){ .tile = (uint32_t)tile,
					    .loss = WL_LOSS_EXPOSED_COMM,
					    .n = 1,
					    .detail = wl_facts_str(f, WL_FACTS_EXPOSED_IN_TYPE, i),
					    .stage = wl_facts_str(f, WL_FACTS_EXPOSED_IN_STAGE, i),
					    .ns = ns };
		n++;
	}
	lane->atom = atom;
	lane->n_atoms = n;
	return atom != NULL;
}

bool wl_facts_exposed_run(const struct wl_facts *f, const struct wl_run *run,
			  struct wl_derived *ret_derived, struct wl_run *ret)
{
	const struct wl_ledger *given = run->derived->ledger;
	struct wl_ledger *ledger = WL_NEW(run->arena, struct wl_ledger, 1);
	struct wl_ledger_lane *lane = WL_NEW(run->arena, struct wl_ledger_lane, given->n);
	bool ok = ledger && lane;
	size_t row = 0;

	for (size_t i = 0; ok && i < given->n; i++) {
		lane[i] = given->lane[i];
		ok = add_atoms(f, &row, run->arena, &lane[i]);
	}
	if (!ok)
		return false;
	*ledger = (struct wl_ledger){ .lane = lane, .n = given->n };
	*ret_derived = *run->derived;
	ret_derived->ledger = ledger;
	*ret = *run;
	ret->derived = ret_derived;
	return true;
}

bool wl_facts_exposed_find(struct wl_rule_state *d)
{
	return d->n_gpus == 0 || wl_rule_apply(&wl_rule_exposed_comm, d);
}
