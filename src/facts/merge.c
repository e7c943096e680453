/* SPDX-License-Identifier: MIT */
#include "facts/merge.h"

#include <string.h>

#include "base/memory/arena.h"

void wl_facts_merge_begin(struct wl_facts *ret, struct wl_budget *budget)
{
	wl_facts_init(ret, budget);
}

/* How the numbers of an added set are translated. */
struct shift {
	const uint32_t *text; /* by number */
	uint32_t rank, op;    /* offsets: rows are appended to the existing ones */
};

static void copy_numbers(const struct wl_vec *from, uint32_t *to, enum wl_facts_type type,
			 const struct shift *shift)
{
	const uint32_t *v = from->data;

	for (size_t i = 0; i < from->n; i++) {
		switch (type) {
		case WL_FACTS_STR:
			to[i] = shift->text[v[i]];
			break;
		case WL_FACTS_RANK:
			to[i] = v[i] + shift->rank;
			break;
		case WL_FACTS_OP:
			to[i] = v[i] + shift->op;
			break;
		case WL_FACTS_U32:
		case WL_FACTS_U64:
		case WL_FACTS_I64:
			to[i] = v[i];
			break;
		}
	}
}

static void append(struct wl_facts *ret, const struct wl_facts *f, const struct shift *shift)
{
	for (size_t c = 0; c < WL_FACTS_N_COLUMNS; c++) {
		const struct wl_facts_column_info *info = &wl_facts_columns[c];
		const struct wl_vec *from = &f->column[c];
		void *to;

		if (wl_facts_tables[info->table].origin != WL_FACTS_KEPT || from->n == 0)
			continue;
		to = wl_vec_extend(&ret->column[c], from->n);
		ret->failed = ret->failed || !to;
		if (ret->failed)
			return;
		if (from->size == 8)
			memcpy(to, from->data, from->n * from->size);
		else
			copy_numbers(from, to, info->type, shift);
	}
	for (size_t t = 0; t < WL_FACTS_N_TABLES; t++) {
		if (wl_facts_tables[t].origin == WL_FACTS_KEPT)
			ret->n[t] += f->n[t];
	}
}

static void copy_answers(struct wl_facts *ret, const struct wl_facts *f)
{
	const struct wl_facts_answer *item = f->answers.item.data;
	const char *bytes = f->answers.bytes.data;

	for (size_t i = 0; i < f->answers.item.n; i++) {
		if (!wl_facts_answers_put(&ret->answers, bytes + item[i].name, bytes + item[i].at,
					  item[i].n))
			ret->failed = true;
	}
}

void wl_facts_merge_add(struct wl_facts *ret, const struct wl_facts *f)
{
	struct shift shift = { .rank = (uint32_t)ret->n[WL_FACTS_RANKS],
			       .op = (uint32_t)ret->n[WL_FACTS_OPS] };
	size_t n = f->texts.at.n ? f->texts.at.n : 1;
	struct wl_arena arena;
	uint32_t *text;

	wl_arena_init_on(&arena, ret->budget);
	text = WL_NEW(&arena, uint32_t, n);
	ret->failed = ret->failed || !text;
	for (uint32_t i = 0; !ret->failed && i < n; i++) {
		const char *s = wl_facts_text(&f->texts, i);

		text[i] = wl_facts_texts_put(&ret->texts, s, strlen(s));
		ret->failed = text[i] == WL_NONE;
	}
	shift.text = text;
	/* The first set's answers are kept, in case all sets are of its trace. */
	if (!ret->failed && shift.rank == 0 && ret->answers.item.n == 0)
		copy_answers(ret, f);
	if (!ret->failed)
		append(ret, f, &shift);
	wl_arena_release(&arena);
}

/* Whether all ranks are of one trace, and therefore have the same facts and answers. */
static bool is_of_one(const struct wl_facts *f)
{
	const uint32_t *part = wl_facts_column(f, WL_FACTS_RANKS_PART);

	for (size_t i = 1; i < f->n[WL_FACTS_RANKS]; i++) {
		if (part[i] != part[0])
			return false;
	}
	return true;
}

bool wl_facts_merge_finish(struct wl_facts *ret)
{
	if (!wl_facts_settle(ret))
		return false;
	if (!is_of_one(ret)) {
		wl_facts_answers_release(&ret->answers);
		wl_facts_answers_init(&ret->answers, ret->budget);
	}
	return true;
}
