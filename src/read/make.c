#include "read/make.h"

#include <stdlib.h>
#include <string.h>

#include "facts/codes.h"
#include "read/memo.h"

/* Set in a part's number: what follows is a string of the build already. */
#define KNOWN_STRING ((uint32_t)1 << 31)

static enum wl_want want_of(enum wl_make make, size_t source)
{
	if (make == WL_MAKE_TEXT || (make == WL_MAKE_TEXT_OR_STRING && source == 0))
		return WL_WANT_TEXT;
	return make == WL_MAKE_NVTX_FLAGS && source >= 2 ? WL_WANT_PRESENT : WL_WANT_INT;
}

/* Bytes of the tuples that a column's numbers stand for; 0 where it has none. */
static size_t tuple_size(enum wl_make make)
{
	switch (make) {
	case WL_MAKE_PLACE:
	case WL_MAKE_OP_PLACE:
		return sizeof(struct wl_place_key);
	case WL_MAKE_THREAD:
	case WL_MAKE_OTHER_THREAD:
	case WL_MAKE_FUNCTION:
		return sizeof(uint64_t);
	case WL_MAKE_KERNEL_NAME:
		return sizeof(struct wl_kernel_name);
	case WL_MAKE_CONFIG:
		return sizeof(struct wl_launch_config);
	case WL_MAKE_NOTHING:
	case WL_MAKE_START:
	case WL_MAKE_DUR:
	case WL_MAKE_NVTX_DUR:
	case WL_MAKE_NVTX_FLAGS:
	case WL_MAKE_TIME:
	case WL_MAKE_STRING:
	case WL_MAKE_TEXT:
	case WL_MAKE_TEXT_OR_STRING:
	case WL_MAKE_U8:
	case WL_MAKE_U32:
	case WL_MAKE_I32:
	case WL_MAKE_U64:
	case WL_MAKE_SIZE:
		return 0;
	}
	return 0;
}

static bool has_texts(enum wl_make make)
{
	return make == WL_MAKE_TEXT || make == WL_MAKE_TEXT_OR_STRING;
}

void wl_making_init(struct wl_making *g, enum wl_column_id column, struct wl_budget *budget)
{
	*g = (struct wl_making){ .column = column };
	wl_intern_init(&g->tuples, tuple_size(wl_bindings[column].make), budget);
	wl_string_pool_init(&g->texts, budget);
	wl_vec_init(&g->number, sizeof(uint32_t), budget);
}

void wl_making_release(struct wl_making *g)
{
	wl_intern_release(&g->tuples);
	wl_string_pool_release(&g->texts);
	wl_vec_release(&g->number);
	free(g->memo);
	g->memo = NULL;
}

void wl_making_ask(struct wl_making *g, struct wl_query *query, const struct wl_probe *probe)
{
	const struct wl_binding *binding = &wl_bindings[g->column];

	for (size_t i = 0; i < WL_BIND_SOURCES; i++)
		g->at[i] = binding->source[i] ? wl_query_ask(query, probe, binding->source[i],
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
	m->n_mistyped += v != absent;
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
	m->n_mistyped++;
	return -1;
}

static wl_ns time_cell(struct wl_maker *m, const struct wl_making *g, size_t k)
{
	int64_t v = cell(m, g, 0, k, WL_NO_TIME);

	if (is_time(v))
		return v;
	m->n_mistyped += is_set(m, g, 0, k);
	return WL_NO_TIME;
}

static bool is_unclosed(const struct wl_maker *m, const struct wl_making *g, size_t k)
{
	return !is_set(m, g, 0, k) && wl_nvtx_is_range((unsigned)cell(m, g, 1, k, 0));
}

/* Ends that are all there and in order of magnitude: the loop of nearly every batch. */
static bool make_plain_dur(const struct wl_maker *m, const struct wl_making *g, uint32_t *out)
{
	const struct wl_batch_column *end = &m->batch->column[g->at[0] < 0 ? 0 : g->at[0]];
	uint64_t wrong = 0;

	if (g->at[0] < 0 || !end->all_ok || m->n_kept != m->batch->n)
		return false;
	for (size_t k = 0; k < m->n_kept; k++) {
		uint64_t dur = (uint64_t)end->value[k] - (uint64_t)m->start[k];

		wrong |= dur >= WL_LONG;
		out[k] = (uint32_t)dur;
	}
	return !wrong;
}

static void make_dur(struct wl_maker *m, const struct wl_making *g, uint32_t *out, bool nvtx)
{
	if (make_plain_dur(m, g, out))
		return;
	for (size_t k = 0; k < m->n_kept; k++) {
		wl_ns start = m->start[m->kept[k]];
		wl_ns end = cell(m, g, 0, k, start);
		wl_ns dur;

		if (nvtx && is_unclosed(m, g, k))
			end = m->trace_end;
		m->n_mistyped += !is_time(end);
		dur = is_time(end) && end > start ? end - start : 0;
		out[k] = dur < WL_LONG ? (uint32_t)dur : WL_LONG;
		if (out[k] == WL_LONG) {
			uint32_t row = (uint32_t)(m->first + k);

			wl_vec_push(&m->long_row, &row);
			wl_vec_push(&m->long_dur, &dur);
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

/* How the tuple of the k-th kept row is made; the slow way, of cells not seen lately. */
typedef uint32_t tuple_fn(struct wl_maker *m, struct wl_making *g, size_t k);

static uint32_t put_tuple(struct wl_making *g, const void *tuple)
{
	uint32_t number = wl_intern_put(&g->tuples, tuple);

	g->failed = g->failed || number == WL_NONE;
	return number;
}

static uint32_t place_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	const struct wl_place_key key = {
		.process = (uint64_t)cell(m, g, 0, k, 0) >> 24,
		.ordinal = u32(m, g, 1, k),
		.context = u32(m, g, 2, k),
		.stream = u32(m, g, 3, k),
	};

	return put_tuple(g, &key);
}

static uint32_t thread_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	uint64_t global = (uint64_t)cell(m, g, 0, k, 0);
	bool may_lack = wl_bindings[g->column].make == WL_MAKE_OTHER_THREAD;

	return may_lack && !is_set(m, g, 0, k) ? WL_NONE : put_tuple(g, &global);
}

static uint32_t string_cell(const struct wl_maker *m, const struct wl_making *g, size_t source,
			    size_t k)
{
	return is_set(m, g, source, k) ? wl_strings_map_get(m->strings, cell(m, g, source, k, 0))
				       : WL_NONE;
}

static uint32_t name_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	struct wl_kernel_name n = { string_cell(m, g, 0, k), string_cell(m, g, 1, k),
				    string_cell(m, g, 2, k) };

	if (n.demangled == WL_NONE)
		n.demangled = n.brief != WL_NONE ? n.brief : n.mangled;
	if (n.brief == WL_NONE)
		n.brief = n.demangled;
	if (n.mangled == WL_NONE)
		n.mangled = n.demangled;
	return put_tuple(g, &n);
}

static uint32_t config_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	struct wl_launch_config c;

	for (size_t d = 0; d < 3; d++) {
		c.grid[d] = u32(m, g, d, k);
		c.block[d] = u32(m, g, 3 + d, k);
	}
	c.registers = u32(m, g, 6, k);
	c.static_shared = u32(m, g, 7, k);
	c.dynamic_shared = u32(m, g, 8, k);
	return put_tuple(g, &c);
}

/* By its number in the file: without its version it is a string that merging makes. */
static uint32_t function_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	int64_t raw = cell(m, g, 0, k, 0);

	return is_set(m, g, 0, k) ? put_tuple(g, &raw) : WL_NONE;
}

/* Which of some sources are OK in this row. */
static uint64_t states_of(const struct wl_maker *m, const struct wl_making *g, size_t row,
			  uint64_t some)
{
	uint64_t ok = 0;

	for (; some; some &= some - 1) {
		int i = __builtin_ctzll(some);

		ok |= (uint64_t)(m->batch->column[g->at[i]].state[row] == WL_CELL_OK) << i;
	}
	return ok;
}

/* Make the tuple of the k-th kept row the slow way, and remember it. */
static void remember(struct wl_maker *m, struct wl_making *g, struct wl_memo_slot *slot,
		     uint64_t states, const int64_t *const *column, size_t k, size_t n,
		     tuple_fn *slow)
{
	size_t before = m->n_mistyped;

	slot->states = states;
	slot->number = slow(m, g, k);
	slot->n_mistyped = (uint32_t)(m->n_mistyped - before);
	m->n_mistyped = before;
	for (size_t i = 0; i < n; i++)
		slot->value[i] = column[i][m->kept[k]];
}

/* The number of each row's tuple of n cells; inline, so that n is known where it counts. */
static inline void make_tuples(struct wl_maker *m, struct wl_making *g, uint32_t *out, size_t n,
			       tuple_fn *slow)
{
	static const int64_t absent[WL_BATCH_ROWS];
	const int64_t *column[WL_BIND_SOURCES];
	uint64_t all = WL_MEMO_USED; /* and sources that are OK in all rows */
	uint64_t some = 0;           /* sources that are OK in some */
	size_t n_mistyped = 0;

	if (!g->memo)
		g->memo = calloc(1, sizeof(*g->memo));
	if (!g->memo) {
		g->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct wl_batch_column *c = &m->batch->column[g->at[i] < 0 ? 0 : g->at[i]];

		column[i] = g->at[i] < 0 ? absent : c->value;
		if (g->at[i] >= 0)
			*(c->all_ok ? &all : &some) |= (uint64_t)1 << i;
	}
	for (size_t k = 0; k < m->n_kept; k++) {
		size_t row = m->kept[k];
		uint64_t states = some ? all | states_of(m, g, row, some) : all;
		struct wl_memo_slot *slot;
		bool hit;

		slot = wl_memo_find(g->memo, column, row, states, n, &hit);
		if (!hit)
			remember(m, g, slot, states, column, k, n, slow);
		n_mistyped += slot->n_mistyped;
		out[k] = slot->number;
	}
	m->n_mistyped += n_mistyped;
}

/* A text of the row itself, or WL_NONE. */
static uint32_t text_cell(const struct wl_maker *m, struct wl_making *g, size_t k)
{
	const struct wl_batch_column *c = &m->batch->column[g->at[0] < 0 ? 0 : g->at[0]];
	size_t row = m->kept[k];
	uint32_t number;

	if (!is_set(m, g, 0, k))
		return WL_NONE;
	number = wl_string_put_raw(&g->texts, c->len[row] ? m->batch->text + c->value[row] : "",
				   c->len[row]);
	g->failed = g->failed || number >= KNOWN_STRING;
	return number;
}

static void make_strings(const struct wl_maker *m, struct wl_making *g, enum wl_make how,
			 uint32_t *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		out[k] = has_texts(how) ? text_cell(m, g, k) : string_cell(m, g, 0, k);
		if (how == WL_MAKE_TEXT_OR_STRING && out[k] == WL_NONE) {
			uint32_t string = string_cell(m, g, 1, k);

			/* More strings than half of all numbers do not fit in memory. */
			out[k] = string < KNOWN_STRING ? string | KNOWN_STRING : WL_NONE;
		}
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

void wl_making_run(struct wl_making *g, struct wl_maker *m, void *out)
{
	enum wl_make how = wl_bindings[g->column].make;

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
		make_tuples(m, g, out, 4, place_tuple);
		break;
	case WL_MAKE_THREAD:
	case WL_MAKE_OTHER_THREAD:
		make_tuples(m, g, out, 1, thread_tuple);
		break;
	case WL_MAKE_KERNEL_NAME:
		make_tuples(m, g, out, 3, name_tuple);
		break;
	case WL_MAKE_CONFIG:
		make_tuples(m, g, out, 9, config_tuple);
		break;
	case WL_MAKE_FUNCTION:
		make_tuples(m, g, out, 1, function_tuple);
		break;
	case WL_MAKE_STRING:
	case WL_MAKE_TEXT:
	case WL_MAKE_TEXT_OR_STRING:
		make_strings(m, g, how, out);
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

/* A place a GPU operation ran at makes its device exist; a wait does not. */
static uint32_t merge_place(struct wl_build *b, const void *tuple, bool is_op)
{
	uint32_t number = wl_intern_put(&b->place_keys, tuple);

	if (number == WL_NONE)
		b->place_used.failed = true;
	else if (number == b->place_used.n)
		wl_vec_push(&b->place_used, &(uint8_t){ 0 });
	if (is_op && !b->place_used.failed)
		((uint8_t *)b->place_used.data)[number] = 1;
	return number;
}

/* Tables of tuples without a flag of their own for running out of numbers. */
static uint32_t merge_into(struct wl_intern *to, const void *tuple)
{
	uint32_t number = wl_intern_put(to, tuple);

	to->items.failed = to->items.failed || number == WL_NONE;
	return number;
}

static uint32_t merge_tuple(struct wl_build *b, struct wl_strings_map *strings, enum wl_make how,
			    const void *tuple)
{
	if (how == WL_MAKE_PLACE || how == WL_MAKE_OP_PLACE)
		return merge_place(b, tuple, how == WL_MAKE_OP_PLACE);
	if (how == WL_MAKE_THREAD || how == WL_MAKE_OTHER_THREAD)
		return merge_into(&b->thread_keys, tuple);
	if (how == WL_MAKE_KERNEL_NAME)
		return merge_into(&b->kernel_names, tuple);
	if (how == WL_MAKE_CONFIG)
		return merge_into(&b->configs, tuple);
	return wl_strings_map_function(strings, b, *(const int64_t *)tuple);
}

void wl_making_merge(struct wl_making *g, struct wl_strings_map *strings, struct wl_build *b)
{
	enum wl_make how = wl_bindings[g->column].make;
	const struct wl_vec *tuples = &g->tuples.items;
	const struct wl_strings texts = wl_string_view(&g->texts);
	uint32_t *number = wl_vec_extend(&g->number, tuples->n + texts.n);

	b->strings.failed = b->strings.failed || g->failed || g->number.failed;
	if (!number)
		return;
	for (size_t i = 0; i < tuples->n; i++)
		number[i] =
			merge_tuple(b, strings, how, (const char *)tuples->data + i * tuples->size);
	for (size_t i = 0; i < texts.n; i++)
		number[tuples->n + i] =
			wl_string_put(&b->strings, wl_string_get(&g->texts, (uint32_t)i),
				      wl_string_length(&g->texts, (uint32_t)i));
	wl_intern_release(&g->tuples);
	wl_string_pool_release(&g->texts);
}

void wl_making_renumber(const struct wl_making *g, void *cells, size_t n)
{
	enum wl_make how = wl_bindings[g->column].make;
	const uint32_t *number = g->number.data;
	uint32_t *cell = cells;
	bool same = !has_texts(how);

	if (!has_texts(how) && !tuple_size(how))
		return;
	for (size_t i = 0; same && i < g->number.n; i++)
		same = number[i] == i;
	for (size_t i = 0; !same && i < n; i++) {
		if (cell[i] < KNOWN_STRING)
			cell[i] = number[cell[i]];
		else if (cell[i] != WL_NONE && has_texts(how))
			cell[i] &= ~KNOWN_STRING;
	}
}
