#include "derive/launch.h"

#include "base/sort.h"
#include "facts/codes.h"

/* (process, correlation id) of rows, for either side of the join. */
struct side {
	const struct wl_trace *trace;
	const uint32_t *owner; /* place or thread */
	const uint32_t *corr;
	bool of_api;
};

static uint64_t key(const struct side *s, uint32_t row)
{
	uint32_t owner = s->owner[row];
	uint32_t process =
		s->of_api ? s->trace->threads[owner].process : s->trace->places[owner].process;

	return (uint64_t)process << 32 | s->corr[row];
}

static bool key_less(const void *ctx, uint32_t a, uint32_t b)
{
	return key(ctx, a) < key(ctx, b);
}

/* Rows that have an id, sorted by key; NULL when the arena is exhausted. */
static uint32_t *sorted_rows(const struct side *s, size_t n, struct wl_arena *arena, size_t *ret_n)
{
	uint32_t *rows = WL_NEW(arena, uint32_t, n);
	uint32_t *tmp = WL_NEW(arena, uint32_t, n);
	size_t kept = 0;

	if (!rows || !tmp)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (s->corr[i] != WL_NONE)
			rows[kept++] = (uint32_t)i;
	}
	wl_sort_index(rows, kept, tmp, key_less, s);
	*ret_n = kept;
	return rows;
}

static bool is_better(const struct wl_trace *t, uint32_t a, uint32_t b)
{
	const struct wl_family *api = &t->family[WL_F_API];
	bool la = wl_is_launch_call(wl_str(t, wl_api_name(t)[a]));
	bool lb = wl_is_launch_call(wl_str(t, wl_api_name(t)[b]));
	wl_ns da = wl_dur(api, wl_api_dur(t), a), db = wl_dur(api, wl_api_dur(t), b);

	if (la != lb)
		return la;
	if (da != db)
		return da > db;
	return wl_api_start(t)[a] < wl_api_start(t)[b];
}

bool wl_launches_find(const struct wl_trace *trace, struct wl_arena *arena, struct wl_launches *ret)
{
	const struct side s = { trace, wl_api_thread(trace), wl_api_corr(trace), true };
	size_t n, kept = 0;
	uint32_t *rows = sorted_rows(&s, trace->family[WL_F_API].n, arena, &n);

	if (!rows)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || key(&s, rows[kept - 1]) != key(&s, rows[i]))
			rows[kept++] = rows[i];
		else if (is_better(trace, rows[i], rows[kept - 1]))
			rows[kept - 1] = rows[i];
	}
	*ret = (struct wl_launches){ rows, kept };
	return true;
}

const uint32_t *wl_launch_links(const struct wl_trace *trace, const struct wl_launches *launches,
				enum wl_family_id family, struct wl_arena *arena)
{
	struct wl_ops ops = wl_trace_ops(trace, family);
	const struct side mine = { trace, ops.place, ops.corr, false };
	const struct side api = { trace, wl_api_thread(trace), wl_api_corr(trace), true };
	uint32_t *links = WL_NEW(arena, uint32_t, ops.n);
	struct wl_arena scratch;
	uint32_t *rows;
	size_t n;

	if (!links)
		return NULL;
	for (size_t i = 0; i < ops.n; i++)
		links[i] = WL_NONE;
	wl_arena_init_child(&scratch, arena);
	rows = sorted_rows(&mine, ops.n, &scratch, &n);
	for (size_t i = 0, j = 0; rows && i < n; i++) {
		uint64_t want = key(&mine, rows[i]);

		while (j < launches->n && key(&api, launches->api[j]) < want)
			j++;
		if (j < launches->n && key(&api, launches->api[j]) == want)
			links[rows[i]] = launches->api[j];
	}
	wl_arena_release(&scratch);
	return rows ? links : NULL;
}
