/* SPDX-License-Identifier: MIT */
/*
 * Numbers are counted in buckets of equal width from the least to the largest. The
 * few buckets in which wanted ranks lie hold few numbers in most cases, and the
 * search goes on among these. A bucket is at most a 16th of its range, so that
 * there is an end after a few rounds, even if all numbers but one are in it.
 */
#include "base/memory/select.h"

#include <string.h>

enum { SMALL = 32, MIN_BITS = 4, MAX_BITS = 11, MAX_BUCKETS = 1 << MAX_BITS };

static void sort_few(uint32_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t x = v[i];
		size_t at = i;

		for (; at > 0 && v[at - 1] > x; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
}

/* A number's bucket is (number - low) >> shift. */
struct buckets {
	uint32_t low;
	unsigned shift;
	size_t n;
	uint32_t count[MAX_BUCKETS];
};

/* About a bucket for every two numbers, in limits, so that buckets do not cost more than they. */
static void choose_buckets(const uint32_t *v, size_t n, struct buckets *b)
{
	uint32_t low = UINT32_MAX, high = 0;
	unsigned bits = MIN_BITS;

	for (size_t i = 0; i < n; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
	}
	while (bits < MAX_BITS && n >> (bits + 1))
		bits++;
	b->low = low;
	b->shift = 0;
	while ((high - low) >> b->shift >> bits)
		b->shift++;
	b->n = ((high - low) >> b->shift) + 1;
}

static void count(const uint32_t *v, size_t n, struct buckets *b)
{
	memset(b->count, 0, b->n * sizeof(b->count[0]));
	for (size_t i = 0; i < n; i++)
		b->count[(v[i] - b->low) >> b->shift]++;
}

/* Some ranks that lie in one bucket. */
struct part {
	size_t bucket;
	size_t before;     /* numbers in all buckets before it */
	size_t first, end; /* of the ranks */
};

/* The next ranks that share a bucket; *p is the part before. */
static void next_part(const struct buckets *b, const size_t *rank, size_t n_ranks, struct part *p)
{
	p->first = p->end;
	while (rank[p->first] - p->before >= b->count[p->bucket])
		p->before += b->count[p->bucket++];
	while (p->end < n_ranks && rank[p->end] - p->before < b->count[p->bucket])
		p->end++;
}

/* Move the numbers of one bucket to the front, and lose none. */
static void bring_forward(uint32_t *v, size_t n, const struct buckets *b, size_t bucket)
{
	size_t front = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t x = v[i];

		if ((x - b->low) >> b->shift == bucket) {
			v[i] = v[front];
			v[front++] = x;
		}
	}
}

/* Keep the numbers whose bucket is marked; returns how many. */
static size_t keep_marked(uint32_t *v, size_t n, const struct buckets *b, const uint8_t *marked)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t x = v[i];

		v[kept] = x;
		kept += marked[(x - b->low) >> b->shift];
	}
	return kept;
}

/* Keep the numbers of the buckets in which ranks lie; returns how many. */
static size_t keep_wanted(uint32_t *v, size_t n, const struct buckets *b, size_t base,
			  const size_t *rank, size_t n_ranks)
{
	uint8_t marked[MAX_BUCKETS] = { 0 };
	struct part p = { .before = base };

	while (p.end < n_ranks) {
		next_part(b, rank, n_ranks, &p);
		marked[p.bucket] = 1;
	}
	return keep_marked(v, n, b, marked);
}

/* The same of n numbers before which base others stand, which the ranks count. */
static void select_from(uint32_t *v, size_t n, size_t base, const size_t *rank, size_t n_ranks,
			uint32_t *ret)
{
	struct part p = { .before = base };
	struct buckets b;
	size_t left = 0;

	if (n <= SMALL) {
		sort_few(v, n);
		for (size_t i = 0; i < n_ranks; i++)
			ret[i] = v[rank[i] - base];
		return;
	}
	choose_buckets(v, n, &b);
	count(v, n, &b);
	if (b.shift)
		left = keep_wanted(v, n, &b, base, rank, n_ranks);
	while (p.end < n_ranks) {
		size_t n_in;

		next_part(&b, rank, n_ranks, &p);
		n_in = b.count[p.bucket];
		if (b.shift == 0) { /* a bucket is a number */
			for (size_t i = p.first; i < p.end; i++)
				ret[i] = b.low + (uint32_t)p.bucket;
			continue;
		}
		if (n_in < left)
			bring_forward(v, left, &b, p.bucket);
		select_from(v, n_in, p.before, rank + p.first, p.end - p.first, ret + p.first);
		v += n_in;
		left -= n_in;
	}
}

void wl_select_u32(uint32_t *v, size_t n, const size_t *rank, size_t n_ranks, uint32_t *ret)
{
	select_from(v, n, 0, rank, n_ranks, ret);
}
