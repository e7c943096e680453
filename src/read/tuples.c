/* SPDX-License-Identifier: MIT */
/*
 * tuples.c - numbers tuples and texts, first within a part, then within the build.
 */
#include "read/make_parts.h"

#include <stdlib.h>

#include "read/memo.h"
#include "read/payload.h"

/* Set in a part's number if the other bits are already a string of the build. */
#define KNOWN_STRING ((uint32_t)1 << 31)

size_t wl_tuple_size(enum wl_make make)
{
	switch (make) {
	case WL_MAKE_PLACE:
	case WL_MAKE_OP_PLACE:
	case WL_MAKE_STREAM_PLACE:
		return sizeof(struct wl_place_key);
	case WL_MAKE_THREAD:
	case WL_MAKE_OTHER_THREAD:
	case WL_MAKE_FUNCTION:
		return sizeof(uint64_t);
	case WL_MAKE_KERNEL_NAME:
		return sizeof(struct wl_kernel_name);
	case WL_MAKE_CONFIG:
		return sizeof(struct wl_launch_config);
	case WL_MAKE_SERIES:
		return sizeof(struct wl_metric_key);
	case WL_MAKE_NIC_SERIES:
		return sizeof(struct wl_nic_key);
	case WL_MAKE_NOTHING:
	case WL_MAKE_START:
	case WL_MAKE_DUR:
	case WL_MAKE_NVTX_DUR:
	case WL_MAKE_NVTX_FLAGS:
	case WL_MAKE_TIME:
	case WL_MAKE_STRING:
	case WL_MAKE_TEXT:
	case WL_MAKE_TEXT_OR_STRING:
	case WL_MAKE_PAYLOAD_TEXT:
	case WL_MAKE_U8:
	case WL_MAKE_U32:
	case WL_MAKE_I32:
	case WL_MAKE_U64:
	case WL_MAKE_SYNC_KIND:
	case WL_MAKE_SIZE:
	case WL_MAKE_PAYLOAD:
	case WL_MAKE_PAYLOAD_READ:
	case WL_MAKE_DIFFER:
	case WL_MAKE_IS_ZERO:
	case WL_MAKE_STACK:
	case WL_MAKE_STEP_LOG:
		return 0;
	}
	return 0;
}

bool wl_has_texts(enum wl_make make)
{
	return make == WL_MAKE_TEXT || make == WL_MAKE_TEXT_OR_STRING ||
	       make == WL_MAKE_PAYLOAD_TEXT;
}

/* Makes the tuple of the k-th kept row the slow way, from cells not seen recently. */
typedef uint32_t tuple_fn(struct wl_maker *m, struct wl_making *g, size_t k);

static uint32_t put_tuple(struct wl_making *g, const void *tuple)
{
	uint32_t number = wl_intern_put(&g->tuples, tuple);

	g->failed = g->failed || number == WL_NONE;
	return number;
}

/* The pid of a row that has no globalPid. */
static uint64_t pid_cell(const struct wl_maker *m, const struct wl_making *g, size_t k)
{
	return (uint64_t)wl_cell(m, g, 0, k, 0) & 0xffffff;
}

static uint32_t place_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	const struct wl_place_key key = {
		.process = g->by_pid ? pid_cell(m, g, k)
				     : wl_process_key(m->build, wl_cell(m, g, 0, k, 0)),
		.ordinal = wl_cell_u32(m, g, 1, k),
		.context = wl_cell_u32(m, g, 2, k),
		.stream = wl_cell_u32(m, g, 3, k),
	};

	return put_tuple(g, &key);
}

/* hwId, vmId and processId are the parts of a globalPid: 8, 8 and 24 bits above a thread's 24. */
static uint32_t stream_place_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	uint64_t global = ((uint64_t)wl_cell(m, g, 0, k, 0) & 0xff) << 56 |
			  ((uint64_t)wl_cell(m, g, 1, k, 0) & 0xff) << 48 |
			  ((uint64_t)wl_cell(m, g, 2, k, 0) & 0xffffff) << 24;
	const struct wl_place_key key = {
		.process = wl_process_key(m->build, (int64_t)global),
		.ordinal = WL_NONE,
		.context = wl_cell_u32(m, g, 3, k),
		.stream = wl_cell_u32(m, g, 4, k),
	};

	return put_tuple(g, &key);
}

static uint32_t thread_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	uint64_t global = wl_thread_key(m->build, wl_cell(m, g, 0, k, 0));
	bool may_lack = g->binding->make == WL_MAKE_OTHER_THREAD;

	return may_lack && !wl_is_set(m, g, 0, k) ? WL_NONE : put_tuple(g, &global);
}

/* The thread of a row that has a pid and a threadId, which has 32 bits in CUPTI. */
static uint32_t pid_thread_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	uint64_t global = pid_cell(m, g, k) << 24 | ((uint64_t)wl_cell(m, g, 1, k, 0) & 0xffffff);

	return put_tuple(g, &global);
}

static uint32_t string_cell(const struct wl_maker *m, const struct wl_making *g, size_t source,
			    size_t k)
{
	return wl_is_set(m, g, source, k)
		       ? wl_strings_map_get(m->strings, wl_cell(m, g, source, k, 0))
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
		c.grid[d] = wl_cell_u32(m, g, d, k);
		c.block[d] = wl_cell_u32(m, g, 3 + d, k);
	}
	c.registers = wl_cell_u32(m, g, 6, k);
	c.static_shared = wl_cell_u32(m, g, 7, k);
	c.dynamic_shared = wl_cell_u32(m, g, 8, k);
	return put_tuple(g, &c);
}

static uint32_t series_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	const struct wl_metric_key key = { .type = (uint64_t)wl_cell(m, g, 0, k, 0),
					   .metric = wl_cell_u32(m, g, 1, k) };

	return put_tuple(g, &key);
}

static uint32_t nic_series_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	const struct wl_nic_key key = { .adapter = (uint64_t)wl_cell(m, g, 0, k, 0),
					.port = wl_cell_u32(m, g, 1, k),
					.list = (uint64_t)wl_cell(m, g, 2, k, 0),
					.metric = wl_cell_u32(m, g, 3, k) };

	return put_tuple(g, &key);
}

/* Kept by its number in the file: merging makes the string without the version suffix. */
static uint32_t function_tuple(struct wl_maker *m, struct wl_making *g, size_t k)
{
	int64_t raw = wl_cell(m, g, 0, k, 0);

	return wl_is_set(m, g, 0, k) ? put_tuple(g, &raw) : WL_NONE;
}

/* Which of the given sources are OK in this row. */
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

/* Tuples of n cells being made, and the slow way to make one. */
struct tupling {
	struct wl_maker *m;
	struct wl_making *g;
	tuple_fn *slow;
	size_t n;
	const int64_t *column[WL_BIND_SOURCES];
};

/* Make the tuple of the k-th kept row the slow way, and remember it. */
static void remember(const struct tupling *t, size_t k, uint64_t states, struct wl_memo_slot *slot)
{
	struct wl_maker *m = t->m;
	size_t before = m->n_mistyped;

	slot->states = states;
	slot->number = t->slow(m, t->g, k);
	slot->n_mistyped = (uint32_t)(m->n_mistyped - before);
	m->n_mistyped = before;
	for (size_t i = 0; i < t->n; i++)
		slot->value[i] = t->column[i][m->kept[k]];
}

/* Writes the number of each row's tuple of n cells; inline, so that n is a constant in the hot
 * loop. */
static inline void make_tuples(struct wl_maker *m, struct wl_making *g, uint32_t *out, size_t n,
			       tuple_fn *slow)
{
	static const int64_t absent[WL_BATCH_ROWS];
	struct tupling t = { .m = m, .g = g, .slow = slow, .n = n };
	uint64_t all = WL_MEMO_USED; /* plus the sources OK in all rows */
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

		t.column[i] = g->at[i] < 0 ? absent : c->value;
		if (g->at[i] >= 0 && !c->all_null)
			*(c->all_ok ? &all : &some) |= (uint64_t)1 << i;
	}
	for (size_t k = 0; k < m->n_kept; k++) {
		size_t row = m->kept[k];
		uint64_t states = some ? all | states_of(m, g, row, some) : all;
		struct wl_memo_slot *slot;
		bool hit;

		slot = wl_memo_find(g->memo, t.column, row, states, n, &hit);
		if (!hit)
			remember(&t, k, states, slot);
		n_mistyped += slot->n_mistyped;
		out[k] = slot->number;
	}
	m->n_mistyped += n_mistyped;
}

void wl_tuples_run(struct wl_making *g, struct wl_maker *m, uint32_t *out)
{
	enum wl_make how = g->binding->make;

	if (how == WL_MAKE_PLACE || how == WL_MAKE_OP_PLACE)
		make_tuples(m, g, out, 4, place_tuple);
	else if (how == WL_MAKE_STREAM_PLACE)
		make_tuples(m, g, out, 5, stream_place_tuple);
	else if (how == WL_MAKE_THREAD && g->by_pid)
		make_tuples(m, g, out, 2, pid_thread_tuple);
	else if (how == WL_MAKE_THREAD || how == WL_MAKE_OTHER_THREAD)
		make_tuples(m, g, out, 1, thread_tuple);
	else if (how == WL_MAKE_KERNEL_NAME)
		make_tuples(m, g, out, 3, name_tuple);
	else if (how == WL_MAKE_CONFIG)
		make_tuples(m, g, out, 9, config_tuple);
	else if (how == WL_MAKE_SERIES)
		make_tuples(m, g, out, 2, series_tuple);
	else if (how == WL_MAKE_NIC_SERIES)
		make_tuples(m, g, out, 4, nic_series_tuple);
	else
		make_tuples(m, g, out, 1, function_tuple);
}

/* A text stored in the row itself, or WL_NONE. */
static uint32_t text_cell(const struct wl_maker *m, struct wl_making *g, size_t k)
{
	const struct wl_batch_column *c = &m->batch->column[g->at[0] < 0 ? 0 : g->at[0]];
	size_t row = m->kept[k];
	uint32_t number;

	/* A range named "" counts as unnamed. */
	if (!wl_is_set(m, g, 0, k) || (c->len[row] == 0 && g->column == WL_NVTX_NAME))
		return WL_NONE;
	number = wl_string_put_raw(&g->texts, c->len[row] ? m->batch->text + c->value[row] : "",
				   c->len[row]);
	g->failed = g->failed || number >= KNOWN_STRING;
	return number;
}

/* The contents of a payload as text; WL_NONE if it cannot be read. JSON is text already. */
static uint32_t payload_text(const struct wl_maker *m, struct wl_making *g, size_t k)
{
	char text[WL_PAYLOAD_TEXT];
	size_t row = m->kept[k], at = wl_is_set(m, g, 0, k) ? 0 : 1, n;
	const struct wl_batch_column *c;
	uint32_t number;

	if (!wl_is_set(m, g, at, k))
		return WL_NONE;
	c = &m->batch->column[g->at[at]];
	n = at ? wl_payload_cut(m->batch->text + c->value[row], c->len[row], text)
	       : wl_payload_text(m->build, m->batch->text + c->value[row], c->len[row], text);
	if (n == 0)
		return WL_NONE;
	number = wl_string_put_raw(&g->texts, text, n);
	g->failed = g->failed || number >= KNOWN_STRING;
	return number;
}

void wl_texts_run(struct wl_making *g, const struct wl_maker *m, uint32_t *out)
{
	enum wl_make how = g->binding->make;

	for (size_t k = 0; k < m->n_kept; k++) {
		out[k] = how == WL_MAKE_PAYLOAD_TEXT ? payload_text(m, g, k)
			 : wl_has_texts(how)         ? text_cell(m, g, k)
						     : string_cell(m, g, 0, k);
		if (how == WL_MAKE_TEXT_OR_STRING && out[k] == WL_NONE) {
			uint32_t string = string_cell(m, g, 1, k);

			/* Strings never need more than half of all numbers: more would not fit in
			 * memory. */
			out[k] = string < KNOWN_STRING ? string | KNOWN_STRING : WL_NONE;
		}
	}
}

/* A GPU operation at a place makes its device exist; a wait does not. */
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

/* For tables of tuples that have no flag of their own for running out of numbers. */
static uint32_t merge_into(struct wl_intern *to, const void *tuple)
{
	uint32_t number = wl_intern_put(to, tuple);

	to->items.failed = to->items.failed || number == WL_NONE;
	return number;
}

/* The name that a table of names gives a number; WL_NONE if none. */
static uint32_t meaning(const struct wl_build *b, enum wl_metric_key_of of, uint64_t type,
			uint32_t metric)
{
	const struct wl_metric_key key = { .type = type, .metric = metric, .of = of };
	uint32_t known = wl_intern_find(&b->metric_keys, &key);

	return known == WL_NONE ? WL_NONE : ((const uint32_t *)b->metric_names.data)[known];
}

/* The low byte of typeId is the GPU's number; the rest is the same for all GPUs of a machine. */
static uint32_t merge_series(struct wl_build *b, const struct wl_metric_key *key)
{
	const struct wl_counter_series series = {
		.of = WL_COUNTER_OF_GPU,
		.gpu = wl_build_find_gpu(b, (int64_t)(key->type & 0xff)),
		.number = (uint32_t)(key->type & 0xff),
		.metric = key->metric,
		.name = meaning(b, WL_KEY_METRIC, key->type, key->metric),
		.nic = WL_NONE,
		.unit = WL_NONE,
	};

	return merge_into(&b->series, &series);
}

static uint32_t merge_nic_series(struct wl_build *b, const struct wl_nic_key *key)
{
	const uint32_t number = meaning(b, WL_KEY_NIC_NUMBER, key->adapter, 0);
	const struct wl_counter_series series = {
		.adapter = key->adapter,
		.of = WL_COUNTER_OF_NIC,
		.gpu = WL_NONE,
		.number = number,
		.metric = key->metric,
		.name = meaning(b, WL_KEY_NET_METRIC, key->list, key->metric),
		.nic = number == WL_NONE ? WL_NONE : meaning(b, WL_KEY_NIC, number, 0),
		.unit = meaning(b, WL_KEY_NET_UNIT, key->list, key->metric),
		.port = key->port,
	};

	return merge_into(&b->series, &series);
}

static uint32_t merge_tuple(struct wl_build *b, struct wl_strings_map *strings, enum wl_make how,
			    const void *tuple)
{
	if (how == WL_MAKE_PLACE || how == WL_MAKE_OP_PLACE || how == WL_MAKE_STREAM_PLACE)
		return merge_place(b, tuple, how == WL_MAKE_OP_PLACE);
	if (how == WL_MAKE_THREAD || how == WL_MAKE_OTHER_THREAD)
		return merge_into(&b->thread_keys, tuple);
	if (how == WL_MAKE_KERNEL_NAME)
		return merge_into(&b->kernel_names, tuple);
	if (how == WL_MAKE_CONFIG)
		return merge_into(&b->configs, tuple);
	if (how == WL_MAKE_SERIES)
		return merge_series(b, tuple);
	if (how == WL_MAKE_NIC_SERIES)
		return merge_nic_series(b, tuple);
	return wl_strings_map_function(strings, b, *(const int64_t *)tuple);
}

void wl_making_merge(struct wl_making *g, struct wl_strings_map *strings, struct wl_build *b)
{
	enum wl_make how = g->binding->make;
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
	enum wl_make how = g->binding->make;
	const uint32_t *number = g->number.data;
	uint32_t *cell = cells;
	bool same = !wl_has_texts(how);

	if (!wl_has_texts(how) && !wl_tuple_size(how))
		return;
	for (size_t i = 0; same && i < g->number.n; i++)
		same = number[i] == i;
	for (size_t i = 0; !same && i < n; i++) {
		if (cell[i] < KNOWN_STRING)
			cell[i] = number[cell[i]];
		else if (cell[i] != WL_NONE && wl_has_texts(how))
			cell[i] &= ~KNOWN_STRING;
	}
}
