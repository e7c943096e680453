/* SPDX-License-Identifier: MIT */
#include "derive/calls/launch.h"

#include "base/memory/intern.h"
#include "derive/derived.h"
#include "known/exports/codes.h"

/*
 * The calls by (process, id). Ids are counters, so a table per process that is
 * addressed by the id itself is smaller and many times faster than a hash; only
 * a process whose ids are scattered is hashed.
 */
struct span {
	uint32_t min, max; /* ids */
	size_t n;          /* calls with an id */
	size_t base;       /* of its part of the table */
	bool is_dense;
};

struct index {
	const struct wl_trace *trace;
	struct span *process;
	struct wl_intern scattered;
	size_t n_dense; /* slots of dense processes; scattered ones follow */
	bool has_scattered;
	struct wl_vec slot;   /* best call so far, WL_NONE */
	const bool *launches; /* by string: the name of a launching call */
};

enum { SLACK = 1024 }; /* slots that a small process may waste */

static void measure(struct index *x)
{
	const struct wl_trace *t = x->trace;
	const uint32_t *thread = wl_api_thread(t), *corr = wl_api_corr(t);

	for (size_t i = 0; i < t->n_processes; i++)
		x->process[i] = (struct span){ .min = WL_NONE };
	for (size_t i = 0; i < t->family[WL_F_API].n; i++) {
		struct span *p = &x->process[t->threads[thread[i]].process];

		if (corr[i] == WL_NONE)
			continue;
		p->min = corr[i] < p->min ? corr[i] : p->min;
		p->max = corr[i] > p->max ? corr[i] : p->max;
		p->n++;
	}
	for (size_t i = 0; i < t->n_processes; i++) {
		struct span *p = &x->process[i];

		/*
		 * At most four slots per call: 16 bytes, about what an entry of the hash table
		 * takes.
		 */
		p->is_dense = p->n && p->max - p->min < 4 * p->n + SLACK;
		x->has_scattered = x->has_scattered || (p->n && !p->is_dense);
		p->base = x->n_dense;
		x->n_dense += p->is_dense ? (size_t)(p->max - p->min) + 1 : 0;
	}
}

enum { NO_SLOT = -1 };

static int64_t find_scattered(const struct index *x, uint32_t process, uint32_t corr)
{
	const uint32_t key[2] = { process, corr };
	uint32_t number = wl_intern_find(&x->scattered, key);

	return number == WL_NONE ? NO_SLOT : (int64_t)(x->n_dense + number);
}

/* Where the call with this id is noted, or NO_SLOT. */
static inline int64_t find_slot(const struct index *x, uint32_t process, uint32_t corr)
{
	const struct span *p = &x->process[process];

	/*
	 * Also for ids that no call has, because operations come from other tables and may have
	 * lost their call.
	 */
	if (corr == WL_NONE || p->n == 0 || corr < p->min || corr > p->max)
		return NO_SLOT;
	return p->is_dense ? (int64_t)(p->base + (corr - p->min))
			   : find_scattered(x, process, corr);
}

static bool is_better(const struct index *x, uint32_t a, uint32_t b)
{
	const struct wl_trace *t = x->trace;
	const struct wl_family *api = &t->family[WL_F_API];
	uint32_t na = wl_api_name(t)[a], nb = wl_api_name(t)[b];
	bool la = na != WL_NONE && x->launches[na], lb = nb != WL_NONE && x->launches[nb];
	wl_ns da = wl_dur(api, wl_api_dur(t), a), db = wl_dur(api, wl_api_dur(t), b);

	if (la != lb)
		return la;
	if (da != db)
		return da > db;
	/* Equal in all: the one that was put first stays, which is the first row. */
	return wl_api_start(t)[a] < wl_api_start(t)[b];
}

bool wl_calls_have_ids(const struct wl_trace *t)
{
	const uint32_t *corr = wl_api_corr(t);

	for (size_t i = 0; corr && i < t->family[WL_F_API].n; i++) {
		if (corr[i] != WL_NONE && corr[i] != 0)
			return true;
	}
	return false;
}

/* Number the ids of scattered processes. */
static bool number_scattered(struct index *x)
{
	const struct wl_trace *t = x->trace;

	for (size_t i = 0; x->has_scattered && i < t->family[WL_F_API].n; i++) {
		uint32_t process = t->threads[wl_api_thread(t)[i]].process;
		const uint32_t key[2] = { process, wl_api_corr(t)[i] };

		if (key[1] != WL_NONE && !x->process[process].is_dense &&
		    wl_intern_put(&x->scattered, key) == WL_NONE)
			return false;
	}
	return true;
}

static bool fill(struct index *x)
{
	const struct wl_trace *t = x->trace;
	size_t n = x->n_dense + x->scattered.items.n;
	uint32_t *slot = wl_vec_extend(&x->slot, n);

	/* No call has an id, or memory is exhausted; only the latter is a failure. */
	if (!slot)
		return n == 0;
	for (size_t i = 0; i < n; i++)
		slot[i] = WL_NONE;
	for (uint32_t i = 0; i < t->family[WL_F_API].n; i++) {
		int64_t at =
			find_slot(x, t->threads[wl_api_thread(t)[i]].process, wl_api_corr(t)[i]);

		if (at != NO_SLOT && (slot[at] == WL_NONE || is_better(x, i, slot[at])))
			slot[at] = i;
	}
	return true;
}

static bool link_ids(const struct index *x, const struct wl_call_ids *ids, struct wl_arena *arena,
		     const uint32_t **ret)
{
	const struct wl_trace *t = x->trace;
	const uint32_t *slot = x->slot.data;
	uint32_t *link;

	*ret = NULL;
	if (!ids->corr)
		return true;
	link = WL_NEW(arena, uint32_t, ids->n);
	for (size_t i = 0; link && i < ids->n; i++) {
		uint32_t process = t->places[ids->place[i]].process;
		int64_t at = slot ? find_slot(x, process, ids->corr[i]) : NO_SLOT;

		link[i] = at == NO_SLOT ? WL_NONE : slot[at];
	}
	*ret = link;
	return link != NULL;
}

static bool link_family(const struct index *x, enum wl_family_id family, struct wl_arena *arena,
			const uint32_t **ret)
{
	struct wl_ops ops = wl_trace_ops(x->trace, family);

	return link_ids(x, &(struct wl_call_ids){ ops.place, ops.corr, ops.n }, arena, ret);
}

static bool *launching_names(const struct wl_trace *t, struct wl_arena *arena)
{
	bool *is = WL_NEW(arena, bool, t->strings.n);

	/* All strings, once: a lookup per call would match the same few names millions of times. */
	for (uint32_t i = 0; is && i < t->strings.n; i++)
		is[i] = wl_is_launch_call(wl_str(t, i));
	return is;
}

static bool has_calls(const struct wl_trace *t)
{
	return t->family[WL_F_API].n && wl_api_corr(t) && wl_api_name(t);
}

/* The index of calls, while families are linked to it. */
struct linking {
	struct index index;
	struct wl_arena scratch;
};

static bool begin(struct linking *l, const struct wl_trace *t, struct wl_arena *arena)
{
	struct index *x = &l->index;

	*l = (struct linking){ .index = { .trace = t } };
	wl_arena_init_child(&l->scratch, arena);
	wl_intern_init(&x->scattered, 2 * sizeof(uint32_t), wl_arena_budget(arena));
	wl_vec_init(&x->slot, sizeof(uint32_t), wl_arena_budget(arena));
	if (!has_calls(t))
		return true;
	x->process = WL_NEW(&l->scratch, struct span, t->n_processes);
	x->launches = launching_names(t, &l->scratch);
	if (!x->process || !x->launches)
		return false;
	measure(x);
	return number_scattered(x) && fill(x);
}

static void end(struct linking *l)
{
	wl_vec_release(&l->index.slot);
	wl_intern_release(&l->index.scattered);
	wl_arena_release(&l->scratch);
}

bool wl_links_find(const struct wl_derived *given, struct wl_arena *arena, struct wl_links *ret)
{
	struct linking l;
	bool ok = begin(&l, given->trace, arena);

	for (unsigned i = 0; ok && i < WL_N_OP_FAMILIES; i++)
		ok = link_family(&l.index, wl_op_families[i], arena, &ret->of[i]);
	end(&l);
	return ok;
}

bool wl_calls_find(const struct wl_trace *trace, enum wl_family_id family, struct wl_arena *arena,
		   const uint32_t **ret)
{
	struct linking l;
	bool ok = begin(&l, trace, arena) && link_family(&l.index, family, arena, ret);

	end(&l);
	return ok;
}

bool wl_calls_of_ids(const struct wl_trace *trace, const struct wl_call_ids *ids, size_t n,
		     struct wl_arena *arena, const uint32_t **ret)
{
	struct linking l;
	size_t n_rows = 0;
	bool ok;

	for (size_t i = 0; i < n; i++) {
		ret[i] = NULL;
		n_rows += ids[i].corr ? ids[i].n : 0;
	}
	/* An index of all calls costs more than anything that is asked of it. */
	if (n_rows == 0)
		return true;
	ok = begin(&l, trace, arena);
	for (size_t i = 0; ok && i < n; i++)
		ok = link_ids(&l.index, &ids[i], arena, &ret[i]);
	end(&l);
	return ok;
}
