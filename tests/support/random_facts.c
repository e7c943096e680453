/* SPDX-License-Identifier: MIT */
#include "support/random_facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "facts/file.h"
#include "support/random.h"

static int64_t random_cell(uint64_t *state)
{
	switch (random_below(state, 8)) {
	case 0:
		return WL_FACTS_NONE;
	case 1:
		return -random_between(state, 0, 1000);
	case 2:
		return (int64_t)random_next(state);
	default:
		return random_between(state, 0, 1000000);
	}
}

static void put_cell(uint64_t *state, struct wl_facts *f, enum wl_facts_column_id column)
{
	char text[32];

	switch (wl_facts_columns[column].type) {
	case WL_FACTS_STR:
		(void)snprintf(text, sizeof(text), "text %u", random_below(state, 20));
		wl_facts_put_str(f, column, random_below(state, 4) ? text : "");
		break;
	case WL_FACTS_RANK:
		wl_facts_put(f, column, random_below(state, (uint32_t)f->n[WL_FACTS_RANKS]));
		break;
	case WL_FACTS_OP:
		wl_facts_put(f, column, random_below(state, (uint32_t)f->n[WL_FACTS_OPS]));
		break;
	case WL_FACTS_U32:
		wl_facts_put(f, column,
			     random_below(state, 6) ? random_below(state, 100) : WL_NONE);
		break;
	case WL_FACTS_U64:
		wl_facts_put_u64(f, column, random_below(state, 10));
		break;
	case WL_FACTS_I64:
		wl_facts_put(f, column, random_cell(state));
		break;
	}
}

static void put_rows(uint64_t *state, struct wl_facts *f, enum wl_facts_table_id table, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		wl_facts_row(f, table);
		for (size_t c = wl_facts_tables[table].first; c < wl_facts_end(table); c++)
			put_cell(state, f, (enum wl_facts_column_id)c);
	}
}

void random_facts(uint64_t *state, struct wl_budget *budget, struct wl_facts *ret)
{
	char bytes[8] = { (char)random_below(state, 256) };

	wl_facts_init(ret, budget);
	put_rows(state, ret, WL_FACTS_RANKS, 1 + random_below(state, 3));
	put_rows(state, ret, WL_FACTS_OPS, 1 + random_below(state, 4));
	for (size_t t = 0; t < WL_FACTS_N_TABLES; t++) {
		if (t != WL_FACTS_RANKS && t != WL_FACTS_OPS &&
		    wl_facts_tables[t].origin == WL_FACTS_KEPT)
			put_rows(state, ret, (enum wl_facts_table_id)t, random_below(state, 6));
	}
	if (!wl_facts_answers_put(&ret->answers, "a", bytes, random_below(state, sizeof(bytes))) ||
	    !wl_facts_answers_put(&ret->answers, "b", NULL, 0) || !wl_facts_name(ret))
		abort();
}
