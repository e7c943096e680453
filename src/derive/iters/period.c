/* SPDX-License-Identifier: MIT */
/*
 * Lengths are tried in ascending order, and a length is kept only if its share is above that of all
 * shorter ones. The answer is among those kept, because it is the shortest within half a point of
 * the best. The check of a length may therefore stop at the mismatch that puts it below the best so
 * far.
 *
 * In a long sequence, each length is first checked at a few positions. They are the same for every
 * length, counted from either end, which reads memory in order.
 */
#include "derive/iters/period.h"

#include "base/memory/vec.h"

enum {
	BRUTE = 50000000,    /* up to this many comparisons, all are made */
	SCREEN = 128,        /* positions checked first, half from each end */
	LOOK = 1024,         /* positions checked second */
	LARGE = 65536,       /* sample of positions, once full comparisons become too many */
	MOST_LOOKS = 200000, /* most second looks */
	MOST_PASSES = 64,    /* how often the whole sequence may be compared */
	MOST_SAMPLES = 4000, /* how often LARGE positions may be; then the search ends */
	BLOCK = 4096,
};

/* Shares that tie with 0.9 are kept, too: such a length is chosen in place of a best one of 0.9,
 * and is then rejected. */
static const double least_share = 0.9, tie = 0.005, good_enough = 0.995;

struct candidate {
	size_t length;
	double share;
};

struct search {
	const uint32_t *seq;
	size_t n;
	struct wl_vec records; /* struct candidate, share ascending */
	double best;
	size_t screen[SCREEN];
	size_t n_compared, n_looks, n_samples;
	bool estimated;
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void add_record(struct search *s, size_t length, double share)
{
	s->best = share;
	wl_vec_push(&s->records, &(struct candidate){ length, share });
}

/* Count the mismatches at a distance; gives up somewhere beyond the limit. */
static size_t mismatches(struct search *s, size_t length, size_t limit)
{
	const uint32_t *a = s->seq, *b = s->seq + length;
	size_t of = s->n - length, found = 0, i = 0;

	while (i < of && found <= limit) {
		size_t end = of - i < BLOCK ? of : i + BLOCK;

		for (; i < end; i++)
			found += a[i] != b[i];
	}
	s->n_compared += i;
	return found;
}

/* The most mismatches that still leave a sufficient share above the best so far. */
static size_t most_mismatches(const struct search *s, size_t of)
{
	double least = s->best > least_share - tie ? s->best : least_share - tie;

	return (size_t)((double)of * (1 - least)) + 1;
}

static bool is_record(const struct search *s, double share)
{
	return share >= least_share - tie && share > s->best;
}

static void check_exactly(struct search *s, size_t length)
{
	size_t of = s->n - length, limit = most_mismatches(s, of);
	size_t bad = mismatches(s, length, limit);
	double share = (double)(of - bad) / (double)of;

	if (bad <= limit && is_record(s, share))
		add_record(s, length, share);
}

/* Mismatches at n random positions, drawn evenly from all positions of the length. */
static size_t sample(const struct search *s, size_t length, size_t n)
{
	uint64_t state = 1, of = s->n - length;
	size_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t r = next_random(&state) >> 32;
		size_t at = (size_t)(of >> 32 ? r % of : r * of >> 32);

		bad += s->seq[at] != s->seq[at + length];
	}
	return bad;
}

/*
 * If 90% of all positions match, at most 15% of the two thirds at either end do not. The limits are
 * about four standard deviations above that, and further above 10% of mismatches spread over the
 * whole.
 */
static bool passes_screen(const struct search *s, size_t length)
{
	static const struct {
		size_t n, most;
	} limits[] = { { 16, 11 }, { 32, 16 }, { 64, 22 }, { SCREEN, 36 } };
	size_t bad = 0, i = 0;

	for (size_t k = 0; k < WL_COUNT(limits); k++) {
		for (; i < limits[k].n; i += 2) {
			size_t at = s->screen[i], from_end = s->n - 1 - s->screen[i + 1];

			bad += s->seq[at] != s->seq[at + length];
			bad += s->seq[from_end] != s->seq[from_end - length];
		}
		if (bad > limits[k].most)
			return false;
	}
	return true;
}

/* Five standard deviations above what a share of 89.5% would allow. */
static bool passes_look(struct search *s, size_t length)
{
	s->n_looks++;
	return sample(s, length, LOOK) <= 108 + 49;
}

static void check_by_sample(struct search *s, size_t length)
{
	double share = 1 - (double)sample(s, length, LARGE) / LARGE;

	s->n_samples++;
	s->estimated = true;
	if (is_record(s, share))
		add_record(s, length, share);
}

/* Check one promising length. False when the budget for such checks is spent. */
static bool check(struct search *s, size_t length)
{
	if (s->n_compared / MOST_PASSES < s->n)
		check_exactly(s, length);
	else if (s->n_samples < MOST_SAMPLES)
		check_by_sample(s, length);
	else
		return false;
	return true;
}

static void search_long(struct search *s)
{
	uint64_t state = 0;

	for (size_t i = 0; i < SCREEN; i++)
		s->screen[i] = (size_t)(next_random(&state) % (s->n - s->n / 3));
	for (size_t length = 1; length <= s->n / 3 && s->best < good_enough; length++) {
		if (!passes_screen(s, length))
			continue;
		if (s->n_looks == MOST_LOOKS || (passes_look(s, length) && !check(s, length))) {
			s->estimated = true;
			break;
		}
	}
}

static void choose(const struct search *s, struct wl_period *ret)
{
	const struct candidate *c = s->records.data;

	for (size_t i = 0; i < s->records.n; i++) {
		if (s->best - c[i].share > tie)
			continue;
		if (c[i].share >= least_share)
			*ret = (struct wl_period){ c[i].length, c[i].share, s->estimated };
		return;
	}
}

bool wl_period_find(const uint32_t *seq, size_t n, struct wl_arena *arena, struct wl_period *ret)
{
	struct search s = { .seq = seq, .n = n };
	bool ok;

	*ret = (struct wl_period){ .length = 0 };
	wl_vec_init(&s.records, sizeof(struct candidate), wl_arena_budget(arena));
	if (n <= UINT32_MAX && (uint64_t)n * n / 3 <= BRUTE) {
		for (size_t length = 1; length <= n / 3; length++)
			check_exactly(&s, length);
	} else {
		search_long(&s);
	}
	ok = !s.records.failed;
	if (ok)
		choose(&s, ret);
	wl_vec_release(&s.records);
	return ok;
}
