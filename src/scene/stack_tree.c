/* SPDX-License-Identifier: MIT */
#include "scene/stack_tree.h"

#include "base/memory/sort.h"

/* What is asked, and found on the way. */
struct making {
	const struct wl_stack_choice *choice;
	size_t max;
	struct wl_arena *arena;
	struct wl_stack_tree *ret;
	/* By stack: */
	wl_ns *total;
	uint32_t *order, *number; /* the largest first; its node, or WL_NONE */
};

static bool is_larger(const void *ctx, uint32_t a, uint32_t b)
{
	const wl_ns *total = ctx;

	/* Of equal ones the caller, which has the lower number, comes first. */
	return total[a] != total[b] ? total[a] > total[b] : a < b;
}

/* A caller has no less time than what it calls: the largest nodes are a tree. */
static size_t choose(struct making *m, const struct wl_trace *t, const wl_ns *self)
{
	size_t n = 0;

	for (size_t i = t->n_stacks; i-- > 0;) {
		m->total[i] += self[i];
		if (t->stacks[i].caller != WL_NONE)
			m->total[t->stacks[i].caller] += m->total[i];
	}
	for (uint32_t i = 0; i < t->n_stacks; i++) {
		m->number[i] = WL_NONE;
		if (m->total[i] > 0)
			m->order[n++] = i;
	}
	wl_sort_index(m->order, n, m->order + t->n_stacks, is_larger, m->total);
	m->ret->n_all = n;
	return n < m->max ? n : m->max;
}

/* Time without a stack; returns how many nodes. */
static size_t put_without(const struct wl_stack_sums *sums, struct wl_stack_node *node)
{
	size_t n = 0;

	for (size_t i = 0; i < WL_N_STACK_STATES; i++) {
		wl_ns time = sums->total.without[i];

		if (time)
			node[n++] = (struct wl_stack_node){ WL_NONE, wl_stack_without[i], "", time,
							    time };
	}
	return n;
}

static bool put_nodes(struct making *m, const struct wl_trace *t, const struct wl_stack_sums *sums)
{
	size_t n = choose(m, t, sums->self), more;
	struct wl_stack_node *node = WL_NEW(m->arena, struct wl_stack_node, n + WL_N_STACK_STATES);

	if (!node)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t s = m->order[i], caller = t->stacks[s].caller;
		const struct wl_stack_frame *frame = &t->frames[t->stacks[s].frame];

		m->number[s] = (uint32_t)i;
		node[i] = (struct wl_stack_node){ caller == WL_NONE ? WL_NONE : m->number[caller],
						  wl_frame_name(t, frame, m->arena),
						  wl_module_name(t, frame->module), m->total[s],
						  sums->self[s] };
		if (!node[i].function)
			return false;
	}
	more = put_without(sums, node + n);
	m->ret->node = node;
	m->ret->n = n + more;
	m->ret->n_all += more;
	m->ret->total = sums->total.all;
	return true;
}

static int visit(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		 struct wl_err *reterr)
{
	struct making *m = ctx;
	const struct wl_trace *t = run->trace;
	struct wl_stack_sums sums;
	struct wl_arena scratch;
	bool ok;

	(void)notes;
	if (t->n_stacks == 0)
		return wl_fail(reterr, WL_E_NODATA, "the trace has no call stacks");
	wl_arena_init_child(&scratch, m->arena);
	m->total = WL_NEW(&scratch, wl_ns, t->n_stacks);
	m->order = WL_NEW(&scratch, uint32_t, 2 * t->n_stacks);
	m->number = WL_NEW(&scratch, uint32_t, t->n_stacks);
	ok = m->total && m->order && m->number &&
	     wl_stack_sums_find(run->derived, run->scope, m->choice, &scratch, &sums) &&
	     put_nodes(m, t, &sums);
	wl_arena_release(&scratch);
	return ok ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "no memory for call stacks");
}

int wl_stack_tree_find(struct wl_session *session, const struct wl_request *request,
		       const struct wl_stack_choice *choice, size_t max, struct wl_arena *arena,
		       struct wl_stack_tree *ret, struct wl_err *reterr)
{
	struct making m = { .choice = choice, .max = max, .arena = arena, .ret = ret };
	struct wl_visitor visitor = { .name = "stacks", .visit = visit, .ctx = &m };
	struct wl_request asked = *request;
	struct wl_document frame;

	*ret = (struct wl_stack_tree){ .n = 0 };
	wl_stack_want(&visitor.wanted, choice);
	asked.analysis = NULL;
	asked.document = NULL;
	asked.visitor = &visitor;
	return wl_session_run(session, &asked, arena, &frame, reterr);
}
