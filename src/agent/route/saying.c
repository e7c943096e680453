/* SPDX-License-Identifier: MIT */
#include "agent/route/saying.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "agent/explain/prose.h"
#include "agent/route/answer_rows.h"
#include "base/memory/sort.h"
#include "render/words/human.h"
#include "render/words/steps.h"
#include "table/order.h"

enum { MAX_KEY = 32 };

static const struct {
	const char *verb, *pick, *first, *plain, *second;
} sentences[] = {
#define WL_SENTENCE(verb, pick, first, plain, second) { verb, pick, first, plain, second },
#include "agent/route/sentences.def"
#undef WL_SENTENCE
};

/* The value of a cell as a number, for comparing. */
static double value_of(const struct wl_table *t, size_t row, size_t col)
{
	struct wl_cell cell = wl_table_at(t, row, col);

	if (!cell.set || wl_type_is_text(t->cols[col].type))
		return -1;
	return wl_type_is_real(t->cols[col].type) ? cell.f64 : (double)cell.i64;
}

/* The place in the view of the row with the largest value in a column, shown or not; without a
 * column, the first row. */
static size_t pick_place(const struct wl_view *v, const char *pick)
{
	size_t n = v->table->is_tree ? v->n_rows : v->n_total, col, best = 0;

	if (!*pick || !wl_table_find_col(v->table, pick, &col))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (value_of(v->table, v->rows[i], col) > value_of(v->table, v->rows[best], col))
			best = i;
	}
	return best;
}

/* Add a clause of n bytes; false, with nothing added, when one of its cells is missing. */
static bool put_clause(struct wl_prose *p, const struct wl_view *v, size_t row, const char *s,
		       size_t n)
{
	size_t before = p->n;

	for (size_t i = 0; i < n;) {
		size_t len = strcspn(s + i, "{}");
		char key[MAX_KEY];

		if (len > n - i)
			len = n - i;
		wl_prose_put_n(p, s + i, len);
		i += len;
		if (i == n)
			break;
		len = strcspn(s + i + 1, "}");
		if (len >= sizeof(key))
			return false;
		memcpy(key, s + i + 1, len);
		key[len] = '\0';
		i += len + 2;
		if (!wl_said_put_cell(p, v, row, key)) {
			p->n = before;
			if (p->text)
				p->text[before] = '\0';
			return false;
		}
	}
	return true;
}

static bool put_sentence(struct wl_prose *p, const struct wl_view *v, size_t row,
			 const char *clauses)
{
	bool is_first = true;

	while (*clauses) {
		size_t n = strcspn(clauses, "|");

		if (!put_clause(p, v, row, clauses, n) && is_first)
			return false;
		is_first = false;
		clauses += n + (clauses[n] == '|');
	}
	if (p->n && !p->failed && p->text[p->n - 1] != '.')
		wl_prose_put(p, ".");
	return !is_first;
}

/* Add how long a step takes, which no single row says. */
static void put_step(struct wl_prose *p, const struct wl_doc_step *step)
{
	char length[WL_UNITS_BUF], count[WL_UNITS_BUF], steps[WL_STEPS_BUF];

	if (step && step->has_kinds)
		wl_prose_say(p, "There are %s. ", wl_steps_say(step, WL_UNIT_AUTO, steps));
	else if (step && step->count > 0 && step->median > 0)
		wl_prose_say(p, "A step takes %s (median of %s steps). ",
			     wl_fmt_ns(length, step->median, WL_UNIT_AUTO),
			     wl_fmt_count(count, step->count));
}

/* Kernel counts of the steps of a device. */
struct step_kernels {
	int64_t device, *n;
	size_t n_steps;
	int64_t median;
};

static bool shows(const struct wl_view *v, const char *key, size_t *ret)
{
	bool is_shown = false;

	if (!v->chosen_cols || !wl_table_find_col(v->table, key, ret))
		return false;
	for (size_t i = 0; i < v->n_cols; i++)
		is_shown = is_shown || v->cols[i] == *ret;
	return is_shown;
}

/* Group the rows' kernel counts by device. Returns the number of devices, 0 if memory runs out. */
static size_t count_kernels(const struct wl_view *v, size_t device, size_t kernels,
			    struct wl_arena *arena, struct step_kernels *of, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_total; i++) {
		const struct wl_cell on = wl_table_at(v->table, v->rows[i], device);
		const struct wl_cell count = wl_table_at(v->table, v->rows[i], kernels);
		size_t k = 0;

		while (k < n && of[k].device != on.i64)
			k++;
		if (!on.set || !count.set || k == most)
			continue;
		if (k == n) {
			of[n] = (struct step_kernels){ .device = on.i64,
						       .n = WL_NEW(arena, int64_t, v->n_total) };
			if (!of[n++].n)
				return 0;
		}
		of[k].n[of[k].n_steps++] = count.i64;
	}
	for (size_t k = 0; k < n; k++) {
		wl_sort_i64(of[k].n, of[k].n_steps);
		of[k].median = of[k].n[wl_rank(of[k].n_steps, 50)];
	}
	return n;
}

/* "A step has 485 kernels on GPU 0 and 500 on GPU 1 (medians of 20 and 20 steps). " */
static bool put_kernels(struct wl_prose *p, const struct wl_view *v)
{
	enum { MOST = 8 };
	struct step_kernels of[MOST];
	size_t device, kernels, n;
	bool is_same = true;
	char count[WL_UNITS_BUF];

	if (!shows(v, "kernels", &kernels) || !wl_table_find_col(v->table, "device", &device))
		return false;
	n = count_kernels(v, device, kernels, p->arena, of, MOST);
	if (n == 0)
		return false;
	for (size_t k = 1; k < n; k++)
		is_same = is_same && of[k].median == of[0].median && of[k].n_steps == of[0].n_steps;
	wl_prose_say(p, "A step has %s kernels", wl_fmt_count(count, of[0].median));
	if (is_same && n > 1 && n < MOST)
		wl_prose_say(p, " on each of %zu GPUs (median of %zu steps). ", n, of[0].n_steps);
	for (size_t k = 0; k < n && !(is_same && n > 1 && n < MOST); k++)
		wl_prose_say(p, "%s%s on GPU %" PRId64 " (median of %zu steps)%s", k ? ", " : "",
			     k ? wl_fmt_count(count, of[k].median) : "", of[k].device,
			     of[k].n_steps, k + 1 < n ? "" : ". ");
	return true;
}

/*
 * Add the verdict on all rows before naming one. For ranks, because arriving last may cost nothing;
 * for idle time, to state a doubt if counters contradict it.
 */
static void put_verdict(struct wl_prose *p, const struct wl_table *table)
{
	for (const struct wl_note *n = table->notes; n; n = n->next) {
		if (n->is_verdict && *n->text)
			wl_prose_say(p, "%c%s. ", toupper((unsigned char)*n->text), n->text + 1);
	}
}

/* Add the second sentence if there is a second row. */
static void put_next(struct wl_prose *p, const struct wl_view *v, const char *clauses)
{
	size_t before = p->n;

	if (v->n_rows < 2 || !*clauses)
		return;
	wl_prose_put(p, " ");
	if (!put_sentence(p, v, v->rows[1], clauses) && p->text) {
		p->n = before;
		p->text[before] = '\0';
	}
}

const char *wl_saying_of(const char *verb, const struct wl_document *doc, bool is_filtered,
			 struct wl_arena *arena)
{
	struct wl_prose p = { .arena = arena };
	const struct wl_view *v = &doc->sections[0].view;
	struct wl_err err;

	if (doc->n_sections != 1 || doc->sections[0].missing || v->n_rows == 0)
		return NULL;
	for (size_t i = 0; i < WL_COUNT(sentences); i++) {
		if (strcmp(sentences[i].verb, verb) != 0)
			continue;
		if (strcmp(verb, "iters") == 0 && !put_kernels(&p, v))
			put_step(&p, doc->step);
		put_verdict(&p, v->table);
		if (!put_sentence(&p, v, v->rows[pick_place(v, sentences[i].pick)],
				  is_filtered ? sentences[i].plain : sentences[i].first))
			continue;
		put_next(&p, v, sentences[i].second);
		return wl_prose_end(&p, &err);
	}
	return NULL;
}

/* The sort column of the verb's first sentence whose row the view does not show; else NULL. */
static const char *left_out(const char *verb, const struct wl_view *v)
{
	for (size_t i = 0; i < WL_COUNT(sentences); i++) {
		if (strcmp(sentences[i].verb, verb) == 0 &&
		    pick_place(v, sentences[i].pick) >= v->n_rows)
			return sentences[i].pick;
	}
	return NULL;
}

const char *wl_saying_sort(const char *verb, struct wl_document *doc, struct wl_arena *arena)
{
	const struct wl_view *v = &doc->sections[0].view;
	struct wl_section *section = WL_NEW(arena, struct wl_section, 1);
	const char *pick;
	uint32_t *rows;
	struct wl_err err;

	/* With several traces the limit applies to each; a tree also shows a row's ancestors. */
	if (!section || doc->n_sections != 1 || doc->sections[0].missing || v->n_rows == 0 ||
	    v->levels || doc->n_traces > 1)
		return NULL;
	pick = left_out(verb, v);
	rows = pick ? WL_NEW(arena, uint32_t, v->n_total) : NULL;
	if (!rows)
		return NULL;
	memcpy(rows, v->rows, v->n_total * sizeof(*rows));
	if (wl_order_sort(v->table, pick, rows, v->n_total, arena, &err) < 0)
		return NULL;
	*section = doc->sections[0];
	section->view.rows = rows;
	doc->sections = section;
	return pick;
}

const char *wl_saying_template(size_t i, bool is_filtered, const char **ret_pick,
			       const char **ret_first, const char **ret_second)
{
	if (i >= WL_COUNT(sentences))
		return NULL;
	*ret_pick = sentences[i].pick;
	*ret_first = is_filtered ? sentences[i].plain : sentences[i].first;
	*ret_second = sentences[i].second;
	return sentences[i].verb;
}
