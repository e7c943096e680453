/* SPDX-License-Identifier: MIT */
/* run_changes.c - what differs between two runs. */
#include <string.h>

#include "cli/run_facts.h"
#include "cli/run_tables.h"

/*
 * Lists of arguments that differ in more pairs than this are compared by position. That is 8 MB of
 * lengths, and no common subsequence of more than 2,048, which uint16_t holds.
 */
enum { MOST_PAIRS = 1 << 22 };

struct comparing {
	struct wl_table *out;
	const struct wl_run_fact *a, *b; /* all facts; arguments come first */
	size_t n_a, n_b;
	size_t n_args_a, n_args_b;
	size_t n_same;
};

static const struct wl_run_fact *same_fact(const struct wl_run_fact *list, size_t n,
					   const struct wl_run_fact *fact)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].what, fact->what) == 0 && strcmp(list[i].name, fact->name) == 0)
			return &list[i];
	return NULL;
}

/* fact is a, or b where a is NULL. */
static void put_change(struct wl_table *out, const struct wl_run_fact *fact,
		       const struct wl_run_fact *a, const struct wl_run_fact *b)
{
	wl_table_row(out);
	wl_put_str(out, WL_CHANGE_WHAT, fact->what);
	wl_put_str(out, WL_CHANGE_NAME, fact->name);
	wl_put_str(out, WL_CHANGE_A, a ? a->value : NULL);
	wl_put_str(out, WL_CHANGE_B, b ? b->value : NULL);
	if (a && b && a->ns > 0 && b->ns >= 0)
		wl_put_f64(out, WL_CHANGE_SHARE, (double)(b->ns - a->ns) / (double)a->ns);
}

/* Times differ by their nanoseconds, all else by its text. */
static bool is_same(const struct wl_run_fact *a, const struct wl_run_fact *b)
{
	return a->ns == b->ns && (a->ns >= 0 || strcmp(a->value, b->value) == 0);
}

static size_t count_arguments(const struct wl_run_fact *fact, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(fact[i].what, "argument") == 0)
		i++;
	return i;
}

/* Arguments of a from i to end_i became those of b from k to end_k: in pairs as far as they go. */
static void put_block(struct comparing *c, size_t i, size_t end_i, size_t k, size_t end_k)
{
	for (; i < end_i && k < end_k; i++, k++)
		put_change(c->out, &c->a[i], &c->a[i], &c->b[k]);
	for (; i < end_i; i++)
		put_change(c->out, &c->a[i], &c->a[i], NULL);
	for (; k < end_k; k++)
		put_change(c->out, &c->b[k], NULL, &c->b[k]);
}

/*
 * By (arguments of a left, of b left), those from lo on: how many the longest common subsequence
 * has. NULL without memory.
 */
static const uint16_t *longest(const struct comparing *c, size_t lo, size_t n, size_t m)
{
	uint16_t *len = WL_NEW(c->out->arena, uint16_t, (n + 1) * (m + 1));

	/*
	 * The arena's memory is zero: that is the row below the last argument of a, and the column
	 * past the last of b.
	 */
	for (size_t i = n; len && i-- > 0;) {
		for (size_t k = m; k-- > 0;) {
			uint16_t *at = &len[i * (m + 1) + k];
			const uint16_t down = at[m + 1], right = at[1];

			if (is_same(&c->a[lo + i], &c->b[lo + k]))
				*at = (uint16_t)(at[m + 2] + 1);
			else
				*at = down > right ? down : right;
		}
	}
	return len;
}

/* What lies between a common begin and a common end. */
static void compare_middle(struct comparing *c, size_t lo, size_t n, size_t m)
{
	const uint16_t *len;
	size_t i = 0, k = 0, from_i = 0, from_k = 0;

	if (n == 0 || m == 0 || n > MOST_PAIRS / m) {
		put_block(c, lo, lo + n, lo, lo + m);
		return;
	}
	len = longest(c, lo, n, m);
	if (!len) {
		c->out->failed = true;
		return;
	}
	while (i < n && k < m) {
		const uint16_t *at = &len[i * (m + 1) + k];

		if (is_same(&c->a[lo + i], &c->b[lo + k])) {
			put_block(c, lo + from_i, lo + i, lo + from_k, lo + k);
			from_i = ++i;
			from_k = ++k;
			c->n_same++;
		} else if (at[m + 1] >= at[1]) {
			i++;
		} else {
			k++;
		}
	}
	put_block(c, lo + from_i, lo + n, lo + from_k, lo + m);
}

static void compare_arguments(struct comparing *c)
{
	size_t n = c->n_args_a, m = c->n_args_b, lo = 0;

	while (lo < n && lo < m && is_same(&c->a[lo], &c->b[lo]))
		lo++;
	c->n_same += lo;
	for (; n > lo && m > lo && is_same(&c->a[n - 1], &c->b[m - 1]); n--, m--)
		c->n_same++;
	compare_middle(c, lo, n - lo, m - lo);
}

/* All else has a name. */
static void compare_named(struct comparing *c)
{
	for (size_t i = c->n_args_a; i < c->n_a; i++) {
		const struct wl_run_fact *other = same_fact(c->b, c->n_b, &c->a[i]);

		if (other && is_same(&c->a[i], other))
			c->n_same++;
		else
			put_change(c->out, &c->a[i], &c->a[i], other);
	}
	for (size_t i = c->n_args_b; i < c->n_b; i++)
		if (!same_fact(c->a, c->n_a, &c->b[i]))
			put_change(c->out, &c->b[i], NULL, &c->b[i]);
}

void wl_run_put_changes(struct wl_table *out, const struct wl_manifest *a,
			const struct wl_manifest *b, size_t *ret_n_same)
{
	struct comparing c = { .out = out };

	c.a = wl_run_facts(a, out->arena, &c.n_a);
	c.b = wl_run_facts(b, out->arena, &c.n_b);
	*ret_n_same = 0;
	if (!c.a || !c.b) {
		out->failed = true;
		return;
	}
	c.n_args_a = count_arguments(c.a, c.n_a);
	c.n_args_b = count_arguments(c.b, c.n_b);
	compare_arguments(&c);
	compare_named(&c);
	*ret_n_same = c.n_same;
}
