/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/end_together.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/sort.h"

enum {
	ROUGH_SAMPLES = 32,
	/* Clocks set by NTP differ by milliseconds, in which no more collectives end. */
	FARTHEST_SHIFT = 256,
	MOST_MET = 8,     /* operations of one queue that one of another is said to meet */
	FEWEST_WHOLE = 4, /* ends on clocks that differ, of queues that need no shift */
};

wl_ns wl_end_median(const wl_ns *at, size_t n)
{
	wl_ns copy[WL_END_SAMPLES], upper, lower = INT64_MIN;
	size_t n_less = 0;

	memcpy(copy, at, n * sizeof(*at));
	upper = wl_select_i64(copy, n, n / 2);
	if (n % 2)
		return upper;
	for (size_t i = 0; i < n; i++) {
		n_less += at[i] < upper;
		lower = at[i] < upper && at[i] > lower ? at[i] : lower;
	}
	return n_less < n / 2 ? upper : lower + (upper - lower) / 2;
}

double wl_end_spread(const wl_ns *at, size_t n)
{
	wl_ns middle = wl_end_median(at, n);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)llabs(at[i] - middle);
	return sum / (double)n;
}

/* Times on a clock that was fitted are rounded. */
static const double rounding = 1;

double wl_end_agreement(const wl_ns *at, size_t n)
{
	double r1 = wl_end_spread(at, n);

	return r1 <= rounding ? 0 : r1;
}

enum wl_end_verdict wl_end_law(double r1, double r2)
{
	if (5 * r1 <= 4 * r2)
		return WL_END_TOGETHER;
	return 4 * r1 < 5 * r2 ? WL_END_UNDECIDED : WL_END_APART;
}

void wl_end_judge(const struct wl_end_row *a, const struct wl_end_row *b, size_t n,
		  struct wl_end_judgement *ret)
{
	wl_ns d[WL_END_SAMPLES], rest[WL_END_SAMPLES], shortest[WL_END_SAMPLES];
	size_t n_overlap = 0;

	*ret = (struct wl_end_judgement){ .verdict = WL_END_APART };
	for (size_t i = 0; i < n; i++)
		n_overlap += a[i].arrival < b[i].first_end && b[i].arrival < a[i].first_end;
	if (n == 0 || 20 * n_overlap < 19 * n)
		return;
	for (size_t i = 0; i < n; i++) {
		d[i] = b[i].end - a[i].end;
		rest[i] = d[i] - (b[i].arrival - a[i].arrival);
		shortest[i] = a[i].shortest < b[i].shortest ? a[i].shortest : b[i].shortest;
	}
	ret->overlaps = true;
	ret->r1 = wl_end_agreement(d, n);
	ret->r2 = wl_end_spread(rest, n);
	/* Two communicators in step end at a distance from each other. */
	if (2 * llabs(wl_end_median(d, n)) <= wl_end_median(shortest, n))
		ret->verdict = wl_end_law(ret->r1, ret->r2);
}

/* Operations a[i] and b[i + shift] at equal index. */
struct common {
	const struct wl_op_run *a, *b;
	int64_t shift;
	int64_t lo, hi; /* indexes of a */
};

static const struct wl_comm_op *op_a(const struct common *c, int64_t i)
{
	return &c->a->at[i];
}

static const struct wl_comm_op *op_b(const struct common *c, int64_t i)
{
	return &c->b->at[i + c->shift];
}

/*
 * False where less than half of the shorter queue is in common: a few ends at the edge of two
 * captures meet by chance.
 */
static bool set_common(struct common *c, const struct wl_op_run *a, const struct wl_op_run *b,
		       int64_t shift)
{
	int64_t shorter = (int64_t)(a->n < b->n ? a->n : b->n);
	int64_t lo = shift < 0 ? -shift : 0, hi = (int64_t)b->n - shift;

	hi = hi < (int64_t)a->n ? hi : (int64_t)a->n;
	*c = (struct common){ a, b, shift, lo, hi };
	return hi > lo && 2 * (hi - lo) >= shorter;
}

bool wl_end_overlap(const struct wl_end_pairing *p, const struct wl_comm_op *a,
		    const struct wl_comm_op *b)
{
	return a->start < wl_clock_aligned(&p->line, wl_comm_end(b)) &&
	       wl_clock_aligned(&p->line, b->start) < wl_comm_end(a);
}

static struct wl_end_row row_of(const struct wl_comm_op *op)
{
	return (struct wl_end_row){ wl_comm_end(op), wl_comm_end(op), op->start, op->dur };
}

/* On one clock. */
static void judge(const struct common *c, struct wl_end_judgement *ret)
{
	struct wl_end_row a[WL_END_SAMPLES], b[WL_END_SAMPLES];
	size_t n = wl_end_samples(c->lo, c->hi);

	for (size_t x = 0; x < n; x++) {
		int64_t i = wl_end_sample(c->lo, c->hi, x, n);

		a[x] = row_of(op_a(c, i));
		b[x] = row_of(op_b(c, i));
	}
	wl_end_judge(a, b, n, ret);
}

/* How many of up to WL_END_SAMPLES instances of [lo, hi) overlap. */
static size_t count_overlaps(const struct common *c, const struct wl_end_pairing *p, int64_t lo,
			     int64_t hi, size_t *ret_n)
{
	size_t n = wl_end_samples(lo, hi), n_overlap = 0;

	for (size_t x = 0; x < n; x++) {
		int64_t i = wl_end_sample(lo, hi, x, n);

		n_overlap += wl_end_overlap(p, op_a(c, i), op_b(c, i));
	}
	*ret_n = n;
	return n_overlap;
}

/*
 * Queues that overlap up to an instance, and less than half of the time from there on, got out of
 * step there. Ends that jitter miss each other now and then.
 */
static void try_cut(struct common c, struct wl_end_pairing *p)
{
	int64_t i = c.lo, hi = c.hi;
	size_t n, n_overlap;

	while (i < hi && wl_end_overlap(p, op_a(&c, i), op_b(&c, i)))
		i++;
	if (i == hi || i - c.lo < WL_END_FEWEST)
		return;
	n_overlap = count_overlaps(&c, p, i, hi, &n);
	c.hi = i;
	judge(&c, &p->found);
	if (2 * n_overlap >= n || p->found.verdict != WL_END_TOGETHER)
		p->found = (struct wl_end_judgement){ .verdict = WL_END_APART };
	else
		p->cut = i;
}

struct wanted {
	const struct wl_op_run *run;
	wl_ns at;
};

static bool ends_by(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;

	return wl_comm_end(&w->run->at[i]) <= w->at;
}

/* The shifts at which samples of b overlap operations of a; returns how many they are. */
static size_t list_shifts(const struct wl_op_run *a, const struct wl_op_run *b, int64_t *shift)
{
	size_t n_samples = wl_end_samples(0, (int64_t)b->n), n = 0;

	for (size_t x = 0; x < n_samples; x++) {
		size_t j = (size_t)wl_end_sample(0, (int64_t)b->n, x, n_samples);
		const struct wl_comm_op *op = &b->at[j];
		size_t i = wl_lower_bound(a->n, ends_by, &(struct wanted){ a, op->start });

		for (size_t met = 0; met < MOST_MET && i + met < a->n; met++) {
			if (a->at[i + met].start >= wl_comm_end(op))
				break;
			shift[n++] = (int64_t)j - (int64_t)(i + met);
		}
	}
	wl_sort_i64(shift, n);
	return n;
}

/* The shift with most operations that overlap, of those with enough in common; of several the
 * smallest. 0: there is none. */
static int64_t most_overlaps(const struct wl_op_run *a, const struct wl_op_run *b)
{
	int64_t shift[WL_END_SAMPLES * MOST_MET], best = 0;
	size_t n = list_shifts(a, b, shift), most = 0;
	struct common c;

	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && shift[hi] == shift[lo];)
			hi++;
		if (hi - lo < most || !set_common(&c, a, b, shift[lo]))
			continue;
		if (hi - lo > most || llabs(shift[lo]) <= llabs(best))
			best = shift[lo];
		most = hi - lo;
	}
	return best;
}

static bool pair_on_one_clock(const struct wl_op_run *a, const struct wl_op_run *b,
			      struct wl_end_pairing *ret)
{
	struct wl_end_pairing other = *ret;
	struct common c;
	bool is_common = set_common(&c, a, b, 0);

	if (a->n == b->n)
		judge(&c, &ret->found);
	if (ret->found.overlaps)
		return ret->found.verdict != WL_END_APART;
	other.shift = most_overlaps(a, b);
	if ((other.shift != 0 || a->n != b->n) && set_common(&c, a, b, other.shift)) {
		judge(&c, &other.found);
		if (other.found.overlaps) {
			*ret = other;
			return ret->found.verdict != WL_END_APART;
		}
	}
	if (is_common && set_common(&c, a, b, 0))
		try_cut(c, ret);
	if (other.shift != 0 && set_common(&c, a, b, other.shift))
		try_cut(c, &other);
	if (other.cut != WL_END_WHOLE &&
	    (ret->cut == WL_END_WHOLE ||
	     other.cut - (other.shift < 0 ? -other.shift : 0) > ret->cut))
		*ret = other;
	/* Where they do not belong together, the shift is what is known. */
	if (ret->cut == WL_END_WHOLE)
		ret->shift = other.shift;
	return ret->cut != WL_END_WHOLE;
}

static bool fit_line(const struct common *c, struct wl_arena *scratch, struct wl_clock_line *ret)
{
	wl_ns a[WL_END_SAMPLES], b[WL_END_SAMPLES];
	size_t n = wl_end_samples(c->lo, c->hi);

	for (size_t x = 0; x < n; x++) {
		int64_t i = wl_end_sample(c->lo, c->hi, x, n);

		a[x] = wl_comm_end(op_a(c, i));
		b[x] = wl_comm_end(op_b(c, i));
	}
	return n == 0 || wl_clock_line_fit(a, b, n, scratch, ret);
}

/* Samples of two queues on clocks that differ. */
struct apart {
	wl_ns end[WL_END_SAMPLES]; /* what the line leaves of end differences */
	wl_ns dur[WL_END_SAMPLES]; /* differences of durations */
	size_t n;
};

static void measure(const struct common *c, const struct wl_end_pairing *p, struct apart *to)
{
	to->n = wl_end_samples(c->lo, c->hi);
	for (size_t x = 0; x < to->n; x++) {
		int64_t i = wl_end_sample(c->lo, c->hi, x, to->n);
		const struct wl_comm_op *a = op_a(c, i), *b = op_b(c, i);

		to->end[x] = wl_clock_aligned(&p->line, wl_comm_end(b)) - wl_comm_end(a);
		to->dur[x] = b->dur - a->dur;
	}
}

/* Operations that end by so much apart, if the first one lasts as long. */
static bool would_overlap(const struct wl_comm_op *a, wl_ns end, wl_ns dur)
{
	return end - (a->dur + dur) < 0 && -a->dur < end;
}

/* What the line leaves, less some, of the samples [from, to). */
static size_t count_aligned(const struct common *c, const struct apart *s, size_t from, size_t to,
			    wl_ns less)
{
	size_t n = 0;

	for (size_t x = from; x < to; x++) {
		int64_t i = wl_end_sample(c->lo, c->hi, x, s->n);

		n += would_overlap(op_a(c, i), s->end[x] - less, s->dur[x]);
	}
	return n;
}

static void judge_around(const struct common *c, const struct apart *s, struct wl_end_pairing *p)
{
	p->found = (struct wl_end_judgement){ .verdict = WL_END_APART };
	if (s->n == 0 || 20 * count_aligned(c, s, 0, s->n, 0) < 19 * s->n)
		return;
	p->found.overlaps = true;
	p->found.r1 = wl_end_agreement(s->end, s->n);
	p->found.r2 = wl_end_spread(s->dur, s->n);
	p->found.verdict = wl_end_law(p->found.r1, p->found.r2);
}

/* Where the end differences change most: before that sample. */
static size_t find_jump(const struct apart *s)
{
	size_t at = 1;

	for (size_t x = 2; x < s->n; x++) {
		if (llabs(s->end[x] - s->end[x - 1]) > llabs(s->end[at] - s->end[at - 1]))
			at = x;
	}
	return at;
}

/* Whether ends agree better than durations before and after one jump of a clock. */
static void judge_jump(const struct common *c, const struct apart *s, struct wl_end_pairing *p)
{
	size_t at = find_jump(s), rest = s->n - at, n;
	double r1;

	if (at < WL_END_FEWEST || rest < WL_END_FEWEST)
		return;
	r1 = (wl_end_spread(s->end, at) * (double)at +
	      wl_end_spread(s->end + at, rest) * (double)rest) /
	     (double)s->n;
	n = count_aligned(c, s, 0, at, wl_end_median(s->end, at)) +
	    count_aligned(c, s, at, s->n, wl_end_median(s->end + at, rest));
	if (20 * n < 19 * s->n || wl_end_law(r1, wl_end_spread(s->dur, s->n)) != WL_END_TOGETHER)
		return;
	p->has_jumped = true;
	p->found =
		(struct wl_end_judgement){ WL_END_TOGETHER, true, r1, wl_end_spread(s->dur, s->n) };
}

/* The time from the end of an operation to the next one's. */
static wl_ns step_at(const struct wl_op_run *run, int64_t i)
{
	return wl_comm_end(&run->at[i + 1]) - wl_comm_end(&run->at[i]);
}

bool wl_end_fit(const struct wl_op_run *a, const struct wl_op_run *b, int64_t shift,
		struct wl_arena *scratch, struct wl_end_pairing *ret)
{
	struct apart apart;
	struct common c;

	*ret = (struct wl_end_pairing){ .shift = shift, .cut = WL_END_WHOLE };
	if (!set_common(&c, a, b, shift))
		return true;
	/* Few ends fit each other by chance at some shift: they are compared as the clocks are. */
	if (c.hi - c.lo < (shift == 0 && a->n == b->n ? FEWEST_WHOLE : WL_END_FEWEST)) {
		judge(&c, &ret->found);
		return true;
	}
	if (!fit_line(&c, scratch, &ret->line))
		return false;
	measure(&c, ret, &apart);
	judge_around(&c, &apart, ret);
	if (ret->found.verdict == WL_END_APART)
		judge_jump(&c, &apart, ret);
	return true;
}

/* The operation that ends nearest to a time; the earlier of two. */
static size_t nearest(const struct wl_op_run *run, wl_ns end)
{
	size_t i = wl_lower_bound(run->n, ends_by, &(struct wanted){ run, end - 1 });

	if (i == run->n)
		return i - 1;
	return i > 0 && end - wl_comm_end(&run->at[i - 1]) <= wl_comm_end(&run->at[i]) - end ? i - 1
											     : i;
}

/* The shift that most samples of b have from the nearest end of a; of several the smallest. */
static int64_t vote(const struct wl_op_run *a, const struct wl_op_run *b)
{
	size_t n = wl_end_samples(0, (int64_t)b->n), most = 0;
	int64_t shift[WL_END_SAMPLES], best = 0;

	for (size_t x = 0; x < n; x++) {
		int64_t j = wl_end_sample(0, (int64_t)b->n, x, n);

		shift[x] = j - (int64_t)nearest(a, wl_comm_end(&b->at[j]));
	}
	wl_sort_i64(shift, n);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && shift[hi] == shift[lo];)
			hi++;
		if (hi - lo > most || (hi - lo == most && llabs(shift[lo]) < llabs(best))) {
			most = hi - lo;
			best = shift[lo];
		}
	}
	return best;
}

/*
 * How unlike the times from end to end are, at a shift: the median of some, evenly spaced. An
 * offset of clocks does not show in it, and drift hardly does.
 */
static wl_ns roughness(const struct wl_op_run *a, const struct wl_op_run *b, int64_t shift)
{
	int64_t d[ROUGH_SAMPLES], n;
	struct common c;

	if (!set_common(&c, a, b, shift) || c.hi - c.lo < WL_END_FEWEST)
		return INT64_MAX;
	n = c.hi - c.lo - 1 < ROUGH_SAMPLES ? c.hi - c.lo - 1 : ROUGH_SAMPLES;
	for (int64_t x = 0; x < n; x++) {
		int64_t i = c.lo + x * (c.hi - c.lo - 1) / n;

		d[x] = llabs(step_at(b, i + shift) - step_at(a, i));
	}
	wl_sort_i64(d, (size_t)n);
	return d[wl_rank((size_t)n, 50)];
}

/*
 * Clocks that are not fitted yet are off by more than the time between two ends, so the nearest
 * end is another collective's: of the shifts around, the one with the smoothest times.
 */
static int64_t smoothest(const struct wl_op_run *a, const struct wl_op_run *b, int64_t around)
{
	wl_ns least_rough = roughness(a, b, around);
	int64_t best = around;

	for (int64_t by = 1; by <= FARTHEST_SHIFT; by++) {
		const int64_t shift[] = { around + by, around - by };

		for (size_t k = 0; k < 2; k++) {
			wl_ns rough = roughness(a, b, shift[k]);

			if (rough < least_rough) {
				least_rough = rough;
				best = shift[k];
			}
		}
	}
	return best;
}

/* Whether the second pairing explains more than the first. */
static bool is_better(const struct wl_end_pairing *a, const struct wl_end_pairing *b)
{
	if (b->found.verdict == WL_END_APART || a->found.verdict == WL_END_APART)
		return a->found.verdict == WL_END_APART;
	if (a->has_jumped != b->has_jumped)
		return a->has_jumped;
	return b->found.r1 < a->found.r1;
}

/*
 * Captures usually begin together: where ends agree to what some clocks count, no other shift is
 * looked for. A line through the ends of other collectives may leave little, too.
 */
static bool pair_clocks(const struct wl_op_run *a, const struct wl_op_run *b,
			struct wl_arena *scratch, struct wl_end_pairing *ret)
{
	struct wl_end_pairing other;
	int64_t shift;

	if (!wl_end_fit(a, b, 0, scratch, ret))
		return false;
	if (ret->found.verdict == WL_END_TOGETHER && !ret->has_jumped &&
	    ret->found.r1 <= WL_CLOCK_TICK_NS)
		return true;
	shift = smoothest(a, b, vote(a, b));
	if (shift == 0)
		return true;
	if (!wl_end_fit(a, b, shift, scratch, &other))
		return false;
	if (is_better(ret, &other))
		*ret = other;
	return true;
}

bool wl_end_together(const struct wl_op_run *a, const struct wl_op_run *b, bool is_one_clock,
		     struct wl_arena *scratch, struct wl_end_pairing *ret, bool *ret_ok)
{
	*ret = (struct wl_end_pairing){ .cut = WL_END_WHOLE };
	*ret_ok = true;
	if (is_one_clock)
		return pair_on_one_clock(a, b, ret);
	*ret_ok = pair_clocks(a, b, scratch, ret);
	return *ret_ok && ret->found.verdict != WL_END_APART;
}
