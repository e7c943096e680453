/* SPDX-License-Identifier: MIT */
/* take_whatifs.c - what the standard what-if scenarios save of each step. */
#include "compare/fingerprint/take_parts.h"
#include "derive/graph/scenario/held_out.h"

#include <stdio.h>

struct trying {
	struct wl_taking *k;
	struct wl_whatif w;
	struct wl_fp_whatif *ret;
};

/* The blocking call at which the GPU idles longest; NULL for none. */
static const char *find_sync(const struct wl_fingerprint *f)
{
	const struct wl_fp_wait *most = NULL;

	for (size_t i = 0; i < f->n_waits; i++) {
		const struct wl_fp_wait *w = &f->wait[i];

		if (w->cause == WL_CAUSE_SYNC && w->detail && w->ns[WL_OF_STEPS] > 0 &&
		    (!most || w->ns[WL_OF_STEPS] > most->ns[WL_OF_STEPS]))
			most = w;
	}
	return most ? most->detail : NULL;
}

/* As whatif has it; what single steps save is shared by all, as findings have it. */
static wl_ns saving_of_step(const struct wl_whatif *w, const struct wl_whatif_result *result)
{
	wl_ns per_step;

	if (wl_whatif_per_step(w, result, &per_step))
		return per_step;
	return w->n_steps ? result->saving / (wl_ns)w->n_steps : 0;
}

/* What is refused, finds nothing or saves nothing is left out. False without memory. */
static bool try(struct trying *t, const struct wl_asked *ask)
{
	struct wl_fingerprint *f = t->k->f;
	struct wl_whatif_result result;
	struct wl_err err;
	int r = wl_whatif_run(&t->w, ask, 1, &result, &err);
	wl_ns saving = r == WL_OK && !result.refused ? saving_of_step(&t->w, &result) : 0;

	if (saving > 0 && f->n_whatifs < WL_FP_WHATIFS)
		t->ret[f->n_whatifs++] = (struct wl_fp_whatif){ ask->text, saving };
	return r != WL_E_NOMEM;
}

static bool try_sync(struct trying *t, struct wl_arena *scratch)
{
	const char *call = find_sync(t->k->f);
	struct wl_asked ask;
	struct wl_err err;
	char text[256];
	const char *kept;

	if (!call)
		return true;
	(void)snprintf(text, sizeof(text), "no-sync=%s", call);
	kept = wl_arena_strdup(t->k->run->arena, text);
	return kept && (wl_ask_parse(kept, scratch, &ask, &err) < 0 || try(t, &ask));
}

static bool try_all(struct trying *t, struct wl_arena *scratch)
{
	const struct wl_run *run = t->k->run;
	struct wl_asked ask[WL_MOST_ASKS];
	struct wl_fidelity fidelity;
	size_t n = wl_standard_asks(ask);
	bool ok = wl_whatif_begin(run->derived, NULL, scratch, &t->w) &&
		  wl_fidelity_find(&t->w, scratch, &fidelity);

	if (!ok || fidelity.refused)
		return ok;
	if (!run->scope->whole)
		ok = wl_whatif_begin(run->derived, run->scope->process, scratch, &t->w);
	for (size_t i = 0; ok && i < n; i++)
		ok = try(t, &ask[i]);
	return ok && try_sync(t, scratch);
}

bool wl_take_whatifs(struct wl_taking *k)
{
	struct trying t = { .k = k };
	struct wl_arena scratch;
	bool ok;

	if (k->f->n_steps == 0)
		return true;
	t.ret = WL_NEW(k->run->arena, struct wl_fp_whatif, WL_FP_WHATIFS);
	wl_arena_init_child(&scratch, k->run->arena);
	ok = t.ret && try_all(&t, &scratch);
	wl_arena_release(&scratch);
	k->f->whatif = t.ret;
	return ok;
}
