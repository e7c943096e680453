/* SPDX-License-Identifier: MIT */
#include "known/kernels/labels.h"

#include <stdint.h>
#include <string.h>

#include "base/memory/sort.h"
#include "base/memory/texts.h"
#include "known/kernels/forks.h"
#include "known/kernels/label_words.h"

/* The distinct names, in order of head and words. */
struct labelling {
	struct wl_arena *arena;
	struct wl_worded *at;
	size_t n;
};

static bool names_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_worded *at = ctx;
	int heads = strcmp(at[a].head, at[b].head);

	return heads ? heads < 0 : wl_words_compare(&at[a], &at[b], NULL) < 0;
}

/* After punctuation the next word, after a qualifier also what it qualifies. */
static void keep_word(void *ctx, size_t i, uint32_t at)
{
	struct wl_worded *w = (struct wl_worded *)ctx + i;

	while (at < w->n && !wl_word_is_text(w, at))
		at++;
	for (; at < w->n; at += 3) {
		w->word[at].keep = true;
		if (!wl_word_is_qualifier(w, at))
			break;
	}
}

/* Names of a group have the same head and stand together. */
static bool mark_groups(struct labelling *l)
{
	uint32_t *shared = WL_NEW(l->arena, uint32_t, l->n);
	uint32_t *stack = WL_NEW(l->arena, uint32_t, l->n);

	if (!shared || !stack)
		return false;
	for (size_t lo = 0, hi; lo < l->n; lo = hi) {
		for (hi = lo + 1; hi < l->n && strcmp(l->at[hi].head, l->at[lo].head) == 0; hi++)
			(void)wl_words_compare(&l->at[hi - 1], &l->at[hi], &shared[hi]);
		wl_forks_mark(shared + lo, hi - lo, stack, keep_word, l->at + lo);
	}
	return true;
}

static bool sort_groups(struct labelling *l)
{
	uint32_t *order = WL_NEW(l->arena, uint32_t, 2 * l->n);
	struct wl_worded *sorted = WL_NEW(l->arena, struct wl_worded, l->n);

	if (!order || !sorted)
		return false;
	wl_sort_all(order, l->n, names_less, l->at);
	for (size_t i = 0; i < l->n; i++)
		sorted[i] = l->at[order[i]];
	l->at = sorted;
	return true;
}

enum { SHORT, QUALIFIED, WHOLE };

static const char *spell(const struct labelling *l, size_t i, int how)
{
	const struct wl_worded *w = &l->at[i];

	if (how == WHOLE || (how == QUALIFIED && w->is_flat))
		return w->name;
	return wl_words_join(w, how == QUALIFIED, l->arena);
}

/* Mark the names whose label another one has; returns how many, SIZE_MAX without memory. */
static size_t find_alike(const struct labelling *l, const char *const *label, bool *alike)
{
	const uint32_t *first = wl_texts_merge(label, l->n, l->arena);
	size_t n = 0;

	if (!first)
		return SIZE_MAX;
	memset(alike, 0, l->n * sizeof(*alike));
	for (size_t i = 0; i < l->n; i++) {
		if (first[i] == i)
			continue;
		alike[i] = alike[first[i]] = true;
		n++;
	}
	return n;
}

/* Spell the marked names in this way, or all of them; false without memory. */
static bool spell_marked(const struct labelling *l, const bool *marked, int how, const char **label)
{
	for (size_t i = 0; i < l->n; i++) {
		if (!marked || marked[i])
			label[i] = spell(l, i, how);
		if (!label[i])
			return false;
	}
	return true;
}

/* One label for each name; those that look alike are spelled out, in the end all of them. */
static bool spell_all(const struct labelling *l, const char **label)
{
	bool *alike = WL_NEW(l->arena, bool, l->n + 1);

	if (!alike || !spell_marked(l, NULL, SHORT, label))
		return false;
	for (int how = QUALIFIED; how <= WHOLE; how++) {
		size_t n = find_alike(l, label, alike);

		if (n == 0 || n == SIZE_MAX)
			return n == 0;
		if (!spell_marked(l, alike, how, label))
			return false;
	}
	return find_alike(l, label, alike) == 0 || spell_marked(l, NULL, WHOLE, label);
}

/* The distinct names with their words; which[i] is the number of name i among them. */
static bool split_names(struct labelling *l, const char *const *name, size_t n, uint32_t *which)
{
	const uint32_t *first = wl_texts_merge(name, n, l->arena);

	l->at = WL_NEW(l->arena, struct wl_worded, n);
	if (!first || !l->at)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (first[i] != i) {
			which[i] = which[first[i]];
			continue;
		}
		which[i] = (uint32_t)l->n;
		l->at[l->n].number = which[i];
		if (!wl_words_split(&l->at[l->n++], name[i], l->arena))
			return false;
	}
	return true;
}

bool wl_kernel_labels(const char *const *name, size_t n, struct wl_arena *arena, const char **ret)
{
	struct labelling l = { .arena = arena };
	uint32_t *which = WL_NEW(arena, uint32_t, n + 1);
	const char **label = WL_NEW(arena, const char *, n + 1);
	const char **by_number = WL_NEW(arena, const char *, n + 1);

	if (n == 0)
		return true;
	if (!which || !label || !by_number || !split_names(&l, name, n, which) ||
	    !sort_groups(&l) || !mark_groups(&l) || !spell_all(&l, label))
		return false;
	for (size_t i = 0; i < l.n; i++)
		by_number[l.at[i].number] = label[i];
	for (size_t i = 0; i < n; i++)
		ret[i] = by_number[which[i]];
	return true;
}
