/* SPDX-License-Identifier: MIT */
#include "facts/answers.h"

#include <stdlib.h>
#include <string.h>

void wl_facts_answers_init(struct wl_facts_answers *a, struct wl_budget *budget)
{
	wl_vec_init(&a->item, sizeof(struct wl_facts_answer), budget);
	wl_vec_init(&a->bytes, 1, budget);
}

void wl_facts_answers_release(struct wl_facts_answers *a)
{
	wl_vec_release(&a->item);
	wl_vec_release(&a->bytes);
}

static const char *name_of(const struct wl_facts_answers *a, size_t i)
{
	return (const char *)a->bytes.data + ((const struct wl_facts_answer *)a->item.data)[i].name;
}

bool wl_facts_answers_put(struct wl_facts_answers *a, const char *name, const void *bytes, size_t n)
{
	size_t n_name = strlen(name) + 1;
	const struct wl_facts_answer item = { a->bytes.n, a->bytes.n + n_name, n };
	char *to;

	to = wl_vec_extend(&a->bytes, n_name + n);
	if (!to)
		return false;
	memcpy(to, name, n_name);
	if (n)
		memcpy(to + n_name, bytes, n);
	wl_vec_push(&a->item, &item);
	return !a->item.failed;
}

static int by_name(const void *va, const void *vb, void *ctx)
{
	const struct wl_facts_answer *a = va, *b = vb;
	const char *bytes = ctx;
	int order = strcmp(bytes + a->name, bytes + b->name);

	return order ? order : (a->at > b->at) - (a->at < b->at);
}

void wl_facts_answers_settle(struct wl_facts_answers *a)
{
	struct wl_facts_answer *item = a->item.data;
	size_t n = 0;

	if (a->item.n == 0)
		return;
	qsort_r(item, a->item.n, sizeof(*item), by_name, a->bytes.data);
	for (size_t i = 0; i < a->item.n; i++) {
		if (n == 0 || strcmp(name_of(a, n - 1), name_of(a, i)) != 0)
			item[n++] = item[i];
	}
	a->item.n = n;
}

bool wl_facts_answers_are_settled(const struct wl_facts_answers *a)
{
	for (size_t i = 1; i < a->item.n; i++) {
		if (strcmp(name_of(a, i - 1), name_of(a, i)) >= 0)
			return false;
	}
	return true;
}

const char *wl_facts_answers_find(const struct wl_facts_answers *a, const char *name, size_t *ret_n)
{
	const struct wl_facts_answer *item = a->item.data;
	size_t lo = 0, hi = a->item.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(name_of(a, mid), name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == a->item.n || strcmp(name_of(a, lo), name) != 0)
		return NULL;
	*ret_n = item[lo].n;
	return (const char *)a->bytes.data + item[lo].at;
}
