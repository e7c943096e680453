#include "derive/host_rows.h"

#include <ctype.h>

#include "facts/calls.h"

enum flags { F_KNOWN = 1, F_ALLOCATES = 2, F_LOADS = 4 };

static uint8_t flags_of(const char *name)
{
	unsigned flags = F_KNOWN;

	flags |= wl_call_allocates(name) ? F_ALLOCATES : 0;
	flags |= wl_call_loads(name) ? F_LOADS : 0;
	return (uint8_t)flags;
}

/* Of the names that API rows have, of which there are few. */
static const uint8_t *find_flags(const struct wl_trace *t, struct wl_arena *arena)
{
	uint8_t *flags = WL_NEW(arena, uint8_t, t->strings.n);

	for (size_t i = 0; flags && wl_api_name(t) && i < t->family[WL_F_API].n; i++) {
		uint32_t name = wl_api_name(t)[i];

		if (name != WL_NONE && !flags[name])
			flags[name] = flags_of(wl_str(t, name));
	}
	return flags;
}

static uint8_t call_flags(const struct wl_host_rows *h, size_t row)
{
	uint32_t name = wl_api_name(h->trace) ? wl_api_name(h->trace)[row] : WL_NONE;

	return name == WL_NONE ? F_KNOWN : h->flags[name];
}

static uint32_t list_of_call(const void *ctx, size_t row)
{
	const struct wl_host_rows *h = ctx;
	uint8_t flags = call_flags(h, row);
	enum wl_call_kind kind = WL_CALL_OTHER;

	if (h->blocks[row] != WL_BLOCKS_NOT)
		kind = WL_CALL_SYNC;
	else if (flags & F_ALLOCATES)
		kind = WL_CALL_ALLOC;
	else if (flags & F_LOADS)
		kind = WL_CALL_LOAD;
	return wl_api_thread(h->trace)[row] * WL_N_CALL_KINDS + kind;
}

static uint32_t list_of_os(const void *ctx, size_t row)
{
	return wl_osrt_thread(((const struct wl_host_rows *)ctx)->trace)[row];
}

static uint32_t list_of_overhead(const void *ctx, size_t row)
{
	return wl_overhead_thread(((const struct wl_host_rows *)ctx)->trace)[row];
}

/* "flush" in any case. */
static bool says_flush(const char *name)
{
	static const char word[] = "flush";

	for (; *name; name++) {
		size_t i = 0;

		while (word[i] && tolower((unsigned char)name[i]) == word[i])
			i++;
		if (!word[i])
			return true;
	}
	return false;
}

static uint32_t list_of_flush(const void *ctx, size_t row)
{
	const struct wl_trace *t = ((const struct wl_host_rows *)ctx)->trace;

	if (!wl_overhead_name(t) || !says_flush(wl_str(t, wl_overhead_name(t)[row])))
		return WL_NONE;
	return t->threads[wl_overhead_thread(t)[row]].process;
}

static bool make_lists(struct wl_host_rows *h, struct wl_arena *arena)
{
	const struct wl_trace *t = h->trace;

	return wl_outer_lists_make(t, WL_F_API, t->n_threads * WL_N_CALL_KINDS, list_of_call, h,
				   arena, &h->calls) &&
	       wl_outer_lists_make(t, WL_F_OSRT, t->n_threads, list_of_os, h, arena, &h->os) &&
	       wl_outer_lists_make(t, WL_F_OVERHEAD, t->n_threads, list_of_overhead, h, arena,
				   &h->overhead) &&
	       wl_outer_lists_make(t, WL_F_OVERHEAD, t->n_processes, list_of_flush, h, arena,
				   &h->flushes);
}

bool wl_host_rows_make(const struct wl_trace *trace, const struct wl_blocking *blocking,
		       struct wl_arena *arena, struct wl_host_rows *ret)
{
	*ret = (struct wl_host_rows){ .trace = trace,
				      .flags = find_flags(trace, arena),
				      .blocks = blocking->call };
	return ret->flags && make_lists(ret, arena);
}
