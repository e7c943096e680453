#include "derive/sweep.h"

enum { N_TRACKS = WL_N_CLASSES + 1 };

/*
 * Operations come in order of start, so each class is under way until the latest
 * end seen so far: one number per class is all the state a union needs.
 */
struct sweep {
	wl_ns now;
	wl_ns until[N_TRACKS];
	struct wl_interval window;
	struct wl_usage *usage; /* sums by mask */
	unsigned wanted;        /* for covered time */
	wl_ns covered;
	const wl_ns *times; /* questions not answered yet */
	size_t n_times;
	wl_ns *answers;
};

static unsigned mask_now(const struct sweep *s)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < N_TRACKS; i++)
		mask |= s->until[i] > s->now ? 1U << i : 0;
	return mask;
}

static void answer(struct sweep *s, wl_ns upto, bool is_covered)
{
	while (s->n_times && *s->times <= upto) {
		wl_ns at = *s->times > s->now ? *s->times : s->now;

		*s->answers++ = s->covered + (is_covered ? at - s->now : 0);
		s->times++;
		s->n_times--;
	}
}

/* Move on to a later time, stopping wherever a class ends. */
static void advance(struct sweep *s, wl_ns to)
{
	while (s->now < to) {
		unsigned mask = mask_now(s);
		wl_ns next = to;

		for (unsigned i = 0; i < N_TRACKS; i++) {
			if (s->until[i] > s->now && s->until[i] < next)
				next = s->until[i];
		}
		if (s->usage)
			s->usage->ns[mask] += next - s->now;
		answer(s, next, (mask & s->wanted) != 0);
		s->covered += (mask & s->wanted) != 0 ? next - s->now : 0;
		s->now = next;
	}
}

/* The next operation of each family on the device, merged in order of start. */
struct cursor {
	struct wl_ops ops;
	enum wl_family_id family;
	size_t row, end;
};

static struct cursor *earliest(struct cursor *c)
{
	struct cursor *best = NULL;

	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++) {
		if (c[i].row < c[i].end &&
		    (!best || c[i].ops.start[c[i].row] < best->ops.start[best->row]))
			best = &c[i];
	}
	return best;
}

static void take(struct sweep *s, const struct wl_trace *t, const struct wl_scope *scope,
		 const struct wl_classes *classes, const struct cursor *c)
{
	enum wl_class class;
	wl_ns start, end;

	if (!wl_op_clip(t, scope, &c->ops, c->row, &start, &end))
		return;
	class = wl_class_of(t, classes, c->family, c->row);
	advance(s, start);
	if (s->until[class] < end)
		s->until[class] = end;
	if (c->family == WL_F_KERNELS && s->until[WL_N_CLASSES] < end)
		s->until[WL_N_CLASSES] = end;
	if (s->usage) {
		s->usage->n_ops++;
		s->usage->n_graphs += c->family == WL_F_GRAPHS;
		s->usage->n_comm += class == WL_COMM && c->family == WL_F_KERNELS;
	}
}

static void run(struct sweep *s, const struct wl_trace *t, const struct wl_scope *scope,
		const struct wl_classes *classes, uint32_t device)
{
	struct cursor cursor[WL_N_OP_FAMILIES];
	struct cursor *c;

	s->window = scope->device[device];
	s->now = s->window.begin;
	for (unsigned i = 0; i < N_TRACKS; i++)
		s->until[i] = s->window.begin;
	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++) {
		cursor[i].family = wl_op_families[i];
		cursor[i].ops = wl_trace_ops(t, cursor[i].family);
		wl_ops_on_device(t, &cursor[i].ops, device, &cursor[i].row, &cursor[i].end);
	}
	while ((c = earliest(cursor)) != NULL) {
		if (!scope->whole && c->ops.start[c->row] >= s->window.end)
			break;
		take(s, t, scope, classes, c);
		c->row++;
	}
	advance(s, s->window.end);
	answer(s, INT64_MAX, false);
}

void wl_sweep_usage(const struct wl_trace *trace, const struct wl_scope *scope,
		    const struct wl_classes *classes, uint32_t device, struct wl_usage *ret)
{
	struct sweep s = { .usage = ret };

	*ret = (struct wl_usage){ 0 };
	run(&s, trace, scope, classes, device);
}

void wl_sweep_covered(const struct wl_trace *trace, const struct wl_scope *scope,
		      const struct wl_classes *classes, uint32_t device, unsigned wanted,
		      const wl_ns *times, size_t n, wl_ns *ret_covered)
{
	struct sweep s = { .wanted = wanted, .times = times, .n_times = n };

	s.answers = ret_covered;
	run(&s, trace, scope, classes, device);
}

wl_ns wl_usage_any(const struct wl_usage *usage, unsigned wanted)
{
	return wl_usage_without(usage, wanted, 0);
}

wl_ns wl_usage_without(const struct wl_usage *usage, unsigned wanted, unsigned without)
{
	wl_ns sum = 0;

	for (unsigned mask = 0; mask < WL_N_MASKS; mask++) {
		if ((mask & wanted) && !(mask & without))
			sum += usage->ns[mask];
	}
	return sum;
}
