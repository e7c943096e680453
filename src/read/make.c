#include "read/make.h"

#include "facts/codes.h"

static enum wl_want want_of(enum wl_make make, size_t source)
{
	if (make == WL_MAKE_TEXT || (make == WL_MAKE_TEXT_OR_STRING && source == 0))
		return WL_WANT_TEXT;
	return make == WL_MAKE_NVTX_FLAGS && source >= 2 ? WL_WANT_PRESENT : WL_WANT_INT;
}

void wl_making_init(struct wl_making *making, enum wl_column_id column, struct wl_query *query,
		    const struct wl_probe *probe)
{
	const struct wl_binding *binding = &wl_bindings[column];

	making->column = column;
	for (size_t i = 0; i < WL_BIND_SOURCES; i++)
		making->at[i] = binding->source[i] ? wl_query_ask(query, probe, binding->source[i],
								  want_of(binding->make, i))
						   : -1;
}

/* The cell of a source in the k-th kept row. */
static int64_t cell(const struct wl_maker *m, const struct wl_making *g, size_t source, size_t k,
		    int64_t def)
{
	return wl_cell_int(m->batch, g->at[source], m->kept[k], def);
}

static bool is_set(const struct wl_maker *m, const struct wl_making *g, size_t source, size_t k)
{
	return wl_cell_is_set(m->batch, g->at[source], m->kept[k]);
}

/* A value in [0, max], else absent; one that is there but does not fit counts as mistyped. */
static int64_t bounded(struct wl_maker *m, const struct wl_making *g, size_t source, size_t k,
		       int64_t max, int64_t absent)
{
	int64_t v = cell(m, g, source, k, absent);

	if (v >= 0 && v <= max)
		return v;
	m->family->n_mistyped += v != absent;
	return absent;
}

static uint32_t u32(struct wl_maker *m, const struct wl_making *g, size_t source, size_t k)
{
	return (uint32_t)bounded(m, g, source, k, UINT32_MAX, UINT32_MAX);
}

static bool is_time(int64_t v)
{
	return v >= -WL_TIME_MAX && v <= WL_TIME_MAX;
}

/* CUDA's result; 0 where the row does not say. */
static int32_t result(struct wl_maker *m, const struct wl_making *g, size_t k)
{
	int64_t v = cell(m, g, 0, k, 0);

	if (v >= INT32_MIN && v <= INT32_MAX)
		return (int32_t)v;
	m->family->n_mistyped++;
	return -1;
}

static wl_ns time_cell(struct wl_maker *m, const struct wl_making *g, size_t k)
{
	int64_t v = cell(m, g, 0, k, WL_NO_TIME);

	if (is_time(v))
		return v;
	m->family->n_mistyped += is_set(m, g, 0, k);
	return WL_NO_TIME;
}

static bool is_unclosed(const struct wl_maker *m, const struct wl_making *g, size_t k)
{
	return !is_set(m, g, 0, k) && wl_nvtx_is_range((unsigned)cell(m, g, 1, k, 0));
}

static void make_dur(struct wl_maker *m, const struct wl_making *g, uint32_t *out, bool nvtx)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		wl_ns start = m->start[m->kept[k]];
		wl_ns end = cell(m, g, 0, k, start);
		wl_ns dur;

		if (nvtx && is_unclosed(m, g, k))
			end = m->trace_end;
		m->family->n_mistyped += !is_time(end);
		dur = is_time(end) && end > start ? end - start : 0;
		out[k] = dur < WL_LONG ? (uint32_t)dur : WL_LONG;
		if (out[k] == WL_LONG) {
			uint32_t row = (uint32_t)(m->family->n + k);

			wl_vec_push(&m->family->long_row, &row);
			wl_vec_push(&m->family->long_dur, &dur);
		}
	}
}

static void make_flags(struct wl_maker *m, const struct wl_making *g, uint8_t *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		uint8_t flags = is_unclosed(m, g, k) ? WL_NVTX_UNCLOSED : 0;

		for (size_t s = 2; s < 8; s++)
			flags |= is_set(m, g, s, k) ? WL_NVTX_NUMBER : 0;
		if (is_set(m, g, 8, k) || is_set(m, g, 9, k))
			flags |= WL_NVTX_JSON;
		if (is_set(m, g, 10, k))
			flags |= WL_NVTX_BINARY;
		out[k] = flags;
	}
}

/* A place a GPU operation ran at makes its device exist; a wait does not. */
static void make_place(struct wl_maker *m, const struct wl_making *g, uint32_t *out, bool is_op)
{
	struct wl_build *b = m->build;

	for (size_t k = 0; k < m->n_kept; k++) {
		const struct wl_place_key key = {
			.process = (uint64_t)cell(m, g, 0, k, 0) >> 24,
			.ordinal = u32(m, g, 1, k),
			.context = u32(m, g, 2, k),
			.stream = u32(m, g, 3, k),
		};

		out[k] = wl_intern_put(&b->place_keys, &key);
		if (out[k] == WL_NONE) {
			b->place_used.failed = true;
			out[k] = 0;
			continue;
		}
		if (out[k] == b->place_used.n)
			wl_vec_push(&b->place_used, &(uint8_t){ 0 });
		if (is_op && !b->place_used.failed)
			((uint8_t *)b->place_used.data)[out[k]] = 1;
	}
}

static void make_thread(struct wl_maker *m, const struct wl_making *g, uint32_t *out, bool may_lack)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		uint64_t global = (uint64_t)cell(m, g, 0, k, 0);

		if (may_lack && !is_set(m, g, 0, k)) {
			out[k] = WL_NONE;
			continue;
		}
		out[k] = wl_intern_put(&m->build->thread_keys, &global);
		if (out[k] == WL_NONE)
			m->build->thread_keys.items.failed = true;
	}
}

static uint32_t string_cell(const struct wl_maker *m, const struct wl_making *g, size_t source,
			    size_t k)
{
	return is_set(m, g, source, k) ? wl_strings_map_get(m->strings, cell(m, g, source, k, 0))
				       : WL_NONE;
}

static void make_kernel_name(struct wl_maker *m, const struct wl_making *g, uint32_t *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		struct wl_kernel_name n = { string_cell(m, g, 0, k), string_cell(m, g, 1, k),
					    string_cell(m, g, 2, k) };

		if (n.demangled == WL_NONE)
			n.demangled = n.brief != WL_NONE ? n.brief : n.mangled;
		if (n.brief == WL_NONE)
			n.brief = n.demangled;
		if (n.mangled == WL_NONE)
			n.mangled = n.demangled;
		out[k] = wl_intern_put(&m->build->kernel_names, &n);
		if (out[k] == WL_NONE)
			m->build->kernel_names.items.failed = true;
	}
}

static void make_config(struct wl_maker *m, const struct wl_making *g, uint32_t *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		struct wl_launch_config c;

		for (size_t d = 0; d < 3; d++) {
			c.grid[d] = u32(m, g, d, k);
			c.block[d] = u32(m, g, 3 + d, k);
		}
		c.registers = u32(m, g, 6, k);
		c.static_shared = u32(m, g, 7, k);
		c.dynamic_shared = u32(m, g, 8, k);
		out[k] = wl_intern_put(&m->build->configs, &c);
		if (out[k] == WL_NONE)
			m->build->configs.items.failed = true;
	}
}

static void make_string(struct wl_maker *m, const struct wl_making *g, enum wl_make how,
			uint32_t *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		out[k] = WL_NONE;
		if (how == WL_MAKE_TEXT || how == WL_MAKE_TEXT_OR_STRING)
			out[k] = wl_cell_string(m->batch, g->at[0], m->kept[k], m->build);
		if (how == WL_MAKE_TEXT_OR_STRING && out[k] == WL_NONE)
			out[k] = string_cell(m, g, 1, k);
		if (how == WL_MAKE_STRING)
			out[k] = string_cell(m, g, 0, k);
		if (how == WL_MAKE_FUNCTION && is_set(m, g, 0, k))
			out[k] = wl_strings_map_function(m->strings, m->build, cell(m, g, 0, k, 0));
	}
}

static void make_number(struct wl_maker *m, const struct wl_making *g, enum wl_make how, void *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		if (how == WL_MAKE_U8)
			((uint8_t *)out)[k] = (uint8_t)bounded(m, g, 0, k, WL_NO_U8 - 1, WL_NO_U8);
		else if (how == WL_MAKE_U32)
			((uint32_t *)out)[k] = u32(m, g, 0, k);
		else if (how == WL_MAKE_I32)
			((int32_t *)out)[k] = result(m, g, k);
		else if (how == WL_MAKE_U64)
			((uint64_t *)out)[k] =
				is_set(m, g, 0, k) ? (uint64_t)cell(m, g, 0, k, 0) : WL_NO_U64;
		else if (how == WL_MAKE_SIZE)
			((int64_t *)out)[k] = bounded(m, g, 0, k, INT64_MAX, 0);
		else if (how == WL_MAKE_TIME)
			((wl_ns *)out)[k] = time_cell(m, g, k);
		else
			((wl_ns *)out)[k] = m->start[m->kept[k]];
	}
}

void wl_making_run(const struct wl_making *g, struct wl_maker *m)
{
	enum wl_make how = wl_bindings[g->column].make;
	void *out = wl_vec_extend(&m->build->column[g->column], m->n_kept);

	if (!out)
		return;
	switch (how) {
	case WL_MAKE_DUR:
	case WL_MAKE_NVTX_DUR:
		make_dur(m, g, out, how == WL_MAKE_NVTX_DUR);
		break;
	case WL_MAKE_NVTX_FLAGS:
		make_flags(m, g, out);
		break;
	case WL_MAKE_PLACE:
	case WL_MAKE_OP_PLACE:
		make_place(m, g, out, how == WL_MAKE_OP_PLACE);
		break;
	case WL_MAKE_THREAD:
	case WL_MAKE_OTHER_THREAD:
		make_thread(m, g, out, how == WL_MAKE_OTHER_THREAD);
		break;
	case WL_MAKE_KERNEL_NAME:
		make_kernel_name(m, g, out);
		break;
	case WL_MAKE_CONFIG:
		make_config(m, g, out);
		break;
	case WL_MAKE_STRING:
	case WL_MAKE_FUNCTION:
	case WL_MAKE_TEXT:
	case WL_MAKE_TEXT_OR_STRING:
		make_string(m, g, how, out);
		break;
	case WL_MAKE_NOTHING:
	case WL_MAKE_START:
	case WL_MAKE_TIME:
	case WL_MAKE_U8:
	case WL_MAKE_U32:
	case WL_MAKE_I32:
	case WL_MAKE_U64:
	case WL_MAKE_SIZE:
		make_number(m, g, how, out);
		break;
	}
}
