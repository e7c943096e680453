/* SPDX-License-Identifier: MIT */
#include "analysis/host/host_calls.h"

#include <string.h>

bool wl_host_call_part(const struct wl_host_calls *calls, size_t row, wl_ns *start, wl_ns *end)
{
	*start = calls->rows.start[row];
	*end = wl_thread_row_end(&calls->rows, row);
	return wl_host_clip(calls->run->trace, calls->run->scope, calls->rows.thread[row], start,
			    end);
}

/* The string of the name, or the number after the last string if it has none. */
uint64_t wl_host_call_code(const struct wl_host_calls *calls, size_t row)
{
	return calls->name[row] == WL_NONE ? calls->run->trace->strings.n : calls->name[row];
}

static void codes(void *ctx, size_t row, size_t n, uint64_t *code, int64_t *value)
{
	const struct wl_host_calls *c = ctx;

	for (size_t i = 0; i < n; i++) {
		wl_ns start, end;

		code[i] = wl_host_call_part(c, row + i, &start, &end)
				  ? wl_host_call_code(c, row + i)
				  : WL_NO_CODE;
		if (value)
			value[i] = end - start;
	}
}

static int compare(void *ctx, uint64_t code_a, uint64_t code_b)
{
	const struct wl_trace *t = ((const struct wl_host_calls *)ctx)->run->trace;

	return strcmp(wl_str(t, (uint32_t)code_a), wl_str(t, (uint32_t)code_b));
}

bool wl_host_calls_find(const struct wl_run *r, enum wl_family_id family, enum wl_column_id name,
			struct wl_host_calls *ret)
{
	const struct wl_trace *t = r->trace;
	/* Names are strings of the trace: codes are dense, and grouping needs no hashing. */
	const struct wl_group_spec spec = { .n_rows = t->family[family].n,
					    .n_codes = t->strings.n + 1,
					    .codes = codes,
					    .compare = compare,
					    .pool = r->pool };

	*ret = (struct wl_host_calls){ .run = r,
				       .rows = wl_trace_thread_rows(t, family),
				       .name = t->column[name] };
	return wl_groups_make(&spec, ret, r->arena, &ret->groups);
}

void wl_host_call_put(const struct wl_host_calls *calls, uint32_t group, struct wl_table *out)
{
	const struct wl_groups *g = &calls->groups;
	const struct wl_stats *s = &g->stats[group];

	wl_table_row(out);
	wl_put_str(out, WL_HOST_CALL_NAME, wl_str(calls->run->trace, (uint32_t)g->code[group]));
	wl_put_i64(out, WL_HOST_CALL_CALLS, (int64_t)s->n);
	wl_put_i64(out, WL_HOST_CALL_SUM, s->sum);
	wl_put_ratio(out, WL_HOST_CALL_SHARE, s->sum, g->total);
	wl_put_stats(out, WL_HOST_CALL_AVG, WL_STAT_SPREAD, s);
}
