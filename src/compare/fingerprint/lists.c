/* SPDX-License-Identifier: MIT */
#include "compare/fingerprint/lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file/checksum.h"
#include "base/memory/sort.h"
#include "base/text/apportion.h"
#include "derive/rows/stats.h"

struct making {
	const struct wl_listing *l;
	struct wl_arena *arena;             /* of the result */
	struct wl_arena *scratch;           /* of what is only needed to make it */
	struct wl_amount *of[WL_N_EXTENTS]; /* by group */
	wl_ns *first;                       /* by group: first start in the first step */
	uint32_t first_process;
	uint32_t *order;  /* groups, the largest first */
	uint32_t *row_of; /* by group; WL_NONE for those without a row */
	wl_ns *matrix;    /* by row and step */
};

static void add(struct wl_amount *a, wl_ns ns)
{
	a->calls++;
	a->ns = wl_add_up(a->ns, ns);
}

static void sum_up(void *ctx, const struct wl_step_event *e)
{
	struct making *m = ctx;

	if (e->in_window)
		add(&m->of[WL_OF_WINDOW][e->group], e->window_ns);
	if (e->step == WL_FP_STEPS)
		return;
	add(&m->of[WL_OF_STEPS][e->group], e->ns);
	if (e->step == 0 && e->process == m->first_process && e->start < m->first[e->group])
		m->first[e->group] = e->start;
}

static void sum_by_step(void *ctx, const struct wl_step_event *e)
{
	struct making *m = ctx;
	wl_ns *sum;

	if (e->step == WL_FP_STEPS || m->row_of[e->group] == WL_NONE)
		return;
	sum = &m->matrix[m->row_of[e->group] * m->l->from->sample->n_steps + e->step];
	*sum = wl_add_up(*sum, e->ns);
}

static bool is_used(const struct making *m, uint32_t group)
{
	return m->of[WL_OF_STEPS][group].calls || m->of[WL_OF_WINDOW][group].calls;
}

static bool larger_first(const void *ctx, uint32_t a, uint32_t b)
{
	const struct making *m = ctx;

	if (m->of[WL_OF_STEPS][a].ns != m->of[WL_OF_STEPS][b].ns)
		return m->of[WL_OF_STEPS][a].ns > m->of[WL_OF_STEPS][b].ns;
	return m->of[WL_OF_WINDOW][a].ns > m->of[WL_OF_WINDOW][b].ns;
}

static bool earlier_first(const void *ctx, uint32_t a, uint32_t b)
{
	const struct making *m = ctx;

	return m->first[a] < m->first[b];
}

static void add_row(struct wl_fp_row *to, const struct making *m, uint32_t group)
{
	for (size_t x = 0; x < WL_N_EXTENTS; x++) {
		to->of[x].calls += m->of[x][group].calls;
		to->of[x].ns = wl_add_up(to->of[x].ns, m->of[x][group].ns);
	}
}

const char *wl_fp_name(const char *name, struct wl_arena *arena)
{
	enum { SUM = 20 }; /* "... " and 16 digits */
	size_t n = strlen(name), cut = WL_FP_NAME - SUM;
	char *text;

	if (n <= WL_FP_NAME)
		return wl_arena_strdup(arena, name);
	while (cut > 0 && ((unsigned char)name[cut] & 0xC0) == 0x80)
		cut--; /* not inside a character */
	text = WL_NEW(arena, char, WL_FP_NAME + 1);
	if (text)
		(void)snprintf(text, WL_FP_NAME + 1, "%.*s... %016" PRIx64, (int)cut, name,
			       wl_checksum(name, n));
	return text;
}

size_t wl_fp_name_cost(const char *name)
{
	size_t cost = 0;

	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		if (c < 0x20 || c == 0x7f || strchr("<>&\"\\", c))
			cost += 6;
		else /* the shortest characters that are escaped have two bytes */
			cost += c < 0x80 ? 1 : 3;
	}
	return cost;
}

/* The rows that have room get their names; the rest is others. */
static bool choose_rows(struct making *m, size_t n_used, struct wl_fp_list *ret)
{
	const struct wl_listing *l = m->l;
	size_t most = n_used < l->max_rows ? n_used : l->max_rows, bytes = 0;
	struct wl_fp_row *row = WL_NEW(m->arena, struct wl_fp_row, most);

	if (!row)
		return false;
	ret->row = row;
	ret->others = (struct wl_fp_row){ .name = "(others)", .position = -1 };
	for (size_t i = 0; i < n_used; i++) {
		uint32_t group = m->order[i];
		const char *name = NULL;

		if (ret->n < most) {
			name = l->name(l->from, group, m->arena);
			name = name ? wl_fp_name(name, m->arena) : NULL;
			if (!name)
				return false;
		}
		if (!name || bytes + wl_fp_name_cost(name) > l->max_bytes) {
			add_row(&ret->others, m, group);
			ret->n_others++;
			continue;
		}
		bytes += wl_fp_name_cost(name);
		row[ret->n] = (struct wl_fp_row){ .name = name, .position = -1 };
		add_row(&row[ret->n], m, group);
		m->row_of[group] = (uint32_t)ret->n;
		m->order[ret->n++] = group;
	}
	return true;
}

static bool put_series(struct making *m, struct wl_fp_row *row, size_t n)
{
	const struct wl_sample *sample = m->l->from->sample;

	m->matrix = WL_NEW(m->scratch, wl_ns, n * sample->n_steps);
	if (!m->matrix)
		return false;
	m->l->events(m->l->from, sum_by_step, m);
	for (size_t r = 0; r < n; r++) {
		wl_ns *at = m->matrix + r * sample->n_steps;

		for (size_t k = 0; k < sample->n_steps; k++)
			at[k] = wl_rounded_mean(at[k], (int64_t)sample->n_members);
		if (!wl_series_make(at, sample->n_steps, m->arena, &row[r].series))
			return false;
	}
	return true;
}

/* Positions count the rows only: what has no name cannot be matched by its place either. */
static bool put_positions(struct making *m, struct wl_fp_row *row, size_t n)
{
	uint32_t *order = WL_NEW(m->scratch, uint32_t, 2 * n);
	int64_t position = 0;

	if (!order)
		return false;
	memcpy(order, m->order, n * sizeof(*order));
	wl_sort_index(order, n, order + n, earlier_first, m);
	for (size_t i = 0; i < n && m->first[order[i]] != INT64_MAX; i++)
		row[m->row_of[order[i]]].position = position++;
	return true;
}

static bool prepare(struct making *m)
{
	size_t n = m->l->n_groups;
	const struct wl_sample *sample = m->l->from->sample;

	m->of[WL_OF_STEPS] = WL_NEW(m->scratch, struct wl_amount, n);
	m->of[WL_OF_WINDOW] = WL_NEW(m->scratch, struct wl_amount, n);
	m->first = WL_NEW(m->scratch, wl_ns, n);
	m->row_of = WL_NEW(m->scratch, uint32_t, n);
	m->order = WL_NEW(m->arena, uint32_t, n);
	if (!m->of[WL_OF_STEPS] || !m->of[WL_OF_WINDOW] || !m->first || !m->row_of || !m->order)
		return false;
	for (size_t i = 0; i < n; i++) {
		m->first[i] = INT64_MAX;
		m->row_of[i] = WL_NONE;
	}
	m->first_process = WL_NONE;
	for (uint32_t p = 0; sample->n_steps && p < m->l->from->run->trace->n_processes; p++) {
		if (sample->step_of[p] && m->first_process == WL_NONE)
			m->first_process = p;
	}
	return true;
}

static bool make(struct making *m, struct wl_fp_list *ret)
{
	size_t n = 0;
	uint32_t *tmp = WL_NEW(m->scratch, uint32_t, m->l->n_groups);

	*ret = (struct wl_fp_list){ .n = 0 };
	if (!tmp || !prepare(m))
		return false;
	m->l->events(m->l->from, sum_up, m);
	for (uint32_t g = 0; g < m->l->n_groups; g++) {
		if (is_used(m, g))
			m->order[n++] = g;
	}
	wl_sort_index(m->order, n, tmp, larger_first, m);
	if (!choose_rows(m, n, ret))
		return false;
	return put_series(m, ret->row, ret->n) &&
	       (!m->l->with_positions || put_positions(m, ret->row, ret->n));
}

bool wl_list_make(const struct wl_listing *l, struct wl_arena *arena, struct wl_fp_list *ret,
		  const uint32_t **ret_group)
{
	struct wl_arena scratch;
	struct making m = { .l = l, .arena = arena, .scratch = &scratch };
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = make(&m, ret);
	wl_arena_release(&scratch);
	*ret_group = m.order;
	return ok;
}
