/* SPDX-License-Identifier: MIT */
#include "derive/comm/pairs.h"

#include "derive/derived.h"
#include "derive/rows/ops.h"

/* Operations come in order of start, so each set is active until the latest end seen so far. */
struct sweep {
	wl_ns now;
	wl_ns until[WL_N_SETS];
	wl_ns *mix; /* by mask of sets: the time for which exactly these are active */
};

/*
 * Uses masks instead of pairs: advancing costs one pass over the sets, and pairs are summed once at
 * the end.
 */
static void advance(struct sweep *s, wl_ns to)
{
	while (s->now < to) {
		wl_ns next = to;
		unsigned mask = 0;

		for (unsigned i = 0; i < WL_N_SETS; i++) {
			if (s->until[i] <= s->now)
				continue;
			mask |= 1U << i;
			next = s->until[i] < next ? s->until[i] : next;
		}
		if (mask == 0) {
			s->now = to;
			return;
		}
		s->mix[mask] += next - s->now;
		s->now = next;
	}
}

static void put(struct sweep *s, struct wl_pairs *p, unsigned set, wl_ns end)
{
	p->n_ops[set]++;
	if (s->until[set] < end)
		s->until[set] = end;
}

static void add_up(const struct sweep *s, struct wl_pairs *p)
{
	for (unsigned mask = 1; mask < 1U << WL_N_SETS; mask++) {
		if (s->mix[mask] == 0)
			continue;
		/* Constant cost: 2^WL_N_SETS masks for any trace. */
		for (unsigned a = 0; a < WL_N_SETS; a++) {
			for (unsigned b = 0; b < WL_N_SETS; b++)
				p->ns[a][b] += mask >> a & mask >> b & 1 ? s->mix[mask] : 0;
		}
	}
}

static void sweep(struct sweep *s, const struct wl_derived *derived, const struct wl_scope *scope,
		  uint32_t device, struct wl_pairs *ret)
{
	const struct wl_trace *trace = derived->trace;
	struct wl_op_cursor cursor;
	struct wl_op op;

	s->now = INT64_MIN;
	for (unsigned i = 0; i < WL_N_SETS; i++)
		s->until[i] = INT64_MIN;
	wl_ops_begin(trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		enum wl_class class = wl_class_of(trace, derived->classes, op.family, op.row);

		if (!scope->place_on[op.place] ||
		    !wl_clip(scope, scope->device[device], &op.start, &op.end))
			continue;
		advance(s, op.start);
		/* Communication belongs to two sets: its class and its kind of collective. */
		put(s, ret, class, op.end);
		if (class == WL_COMM)
			put(s, ret,
			    WL_N_CLASSES + wl_collective_of(trace, derived->collectives, op.family,
							    op.row),
			    op.end);
		ret->n_graphs += op.family == WL_F_GRAPHS;
		ret->n_comm_kernels += class == WL_COMM && op.family == WL_F_KERNELS;
	}
	advance(s, INT64_MAX);
}

bool wl_pairs_find(const struct wl_derived *derived, const struct wl_scope *scope, uint32_t device,
		   struct wl_arena *arena, struct wl_pairs *ret)
{
	struct wl_arena scratch;
	struct sweep s;

	*ret = (struct wl_pairs){ .n_graphs = 0 };
	wl_arena_init_child(&scratch, arena);
	s.mix = WL_NEW(&scratch, wl_ns, (size_t)1 << WL_N_SETS);
	if (s.mix) {
		sweep(&s, derived, scope, device, ret);
		add_up(&s, ret);
	}
	wl_arena_release(&scratch);
	return s.mix != NULL;
}
