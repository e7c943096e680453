/* SPDX-License-Identifier: MIT */
#include "derive/use/stack_groups.h"

#include "base/memory/bound.h"
#include "base/memory/sort.h"

/* No padding. */
struct pair {
	uint32_t group, stack;
};

struct sum {
	wl_ns ns, account;
	uint32_t n;
};

void wl_stack_groups_init(struct wl_stack_groups *g, const struct wl_trace *trace,
			  const struct wl_thread_stacks *stacks, struct wl_budget *budget)
{
	*g = (struct wl_stack_groups){ .trace = trace, .stacks = stacks };
	wl_intern_init(&g->pairs, sizeof(struct pair), budget);
	wl_vec_init(&g->sums, sizeof(struct sum), budget);
}

void wl_stack_groups_release(struct wl_stack_groups *g)
{
	wl_vec_release(&g->sums);
	wl_intern_release(&g->pairs);
}

static void add(struct wl_stack_groups *g, uint32_t stack, struct sum more)
{
	const struct pair pair = { g->group, stack };
	uint32_t i = wl_intern_put(&g->pairs, &pair);

	if (i == g->sums.n)
		wl_vec_push(&g->sums, &(struct sum){ .ns = 0 });
	if (i == WL_NONE || g->sums.failed) {
		g->sums.failed = true;
		return;
	}
	((struct sum *)g->sums.data)[i].ns += more.ns;
	((struct sum *)g->sums.data)[i].account += more.account;
	((struct sum *)g->sums.data)[i].n += more.n;
}

/* Add the periodic samples taken in [begin, end). */
static void add_samples(struct wl_stack_groups *g, wl_ns begin, wl_ns end)
{
	const uint32_t *sample = g->stacks->sample;
	const wl_ns *start = wl_samples_start(g->trace);
	const size_t hi = g->stacks->of_samples[g->thread].hi;

	for (size_t i = wl_thread_samples_from(g->stacks, g->thread, begin);
	     i < hi && start[sample[i]] < end; i++)
		add(g, wl_samples_stack(g->trace)[sample[i]], (struct sum){ .n = 1 });
}

static void take_piece(void *ctx, const struct wl_stack_piece *piece)
{
	struct wl_stack_groups *g = ctx;
	const wl_ns ns = piece->end - piece->begin;

	add(g, piece->stack, (struct sum){ .account = ns });
	switch ((enum wl_stack_state)piece->state) {
	case WL_STACK_OF_CPU:
	case WL_STACK_OF_NONE:
		add(g, WL_NONE, (struct sum){ .ns = ns });
		add_samples(g, piece->begin, piece->end);
		break;
	case WL_STACK_OF_CALL:
	case WL_STACK_OF_OS:
	case WL_STACK_OF_RUNNABLE:
	case WL_STACK_OF_BLOCKED:
	case WL_STACK_OF_OFF:
	case WL_N_STACK_STATES:
		if (piece->stack != WL_NONE)
			add(g, piece->stack, (struct sum){ .ns = ns });
		break;
	}
}

void wl_stack_groups_add(struct wl_stack_groups *g, uint32_t group, uint32_t thread, wl_ns begin,
			 wl_ns end)
{
	g->group = group;
	g->thread = thread;
	if (g->stacks)
		wl_thread_stacks_visit(g->stacks, thread, begin, end, take_piece, g);
}

static bool pair_less(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct pair *a = (const struct pair *)ctx + ia, *b = (const struct pair *)ctx + ib;

	return a->group != b->group ? a->group < b->group : a->stack < b->stack;
}

bool wl_stack_groups_keep(const struct wl_stack_groups *g, struct wl_arena *arena,
			  struct wl_group_stacks *ret)
{
	const struct pair *pair = g->pairs.items.data;
	size_t n = g->sums.n;
	struct wl_group_stack *at = WL_NEW(arena, struct wl_group_stack, n + 1);
	struct wl_arena scratch;
	uint32_t *order;

	wl_arena_init_child(&scratch, arena);
	order = WL_NEW(&scratch, uint32_t, 2 * n + 1);
	if (order)
		wl_sort_all(order, n, pair_less, pair);
	for (size_t i = 0; at && order && i < n; i++) {
		const struct sum *sum = (const struct sum *)g->sums.data + order[i];

		at[i] = (struct wl_group_stack){ pair[order[i]].group, pair[order[i]].stack, sum->n,
						 sum->ns, sum->account };
	}
	*ret = (struct wl_group_stacks){ at, n };
	wl_arena_release(&scratch);
	return at && order && !g->sums.failed;
}

struct wl_slice wl_group_stacks_of(const struct wl_group_stacks *stacks, size_t group)
{
	struct wl_slice rows;

	rows.lo = WL_BELOW_BY(wl_group_stack, group, stacks->at, stacks->n, group);
	rows.hi = rows.lo;
	while (rows.hi < stacks->n && stacks->at[rows.hi].group == group)
		rows.hi++;
	return rows;
}
