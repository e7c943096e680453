/* SPDX-License-Identifier: MIT */
#include "derive/comm/end_together.h"

#include <stdlib.h>

#include "base/sort.h"

enum {
	ROUGH_SAMPLES = 32,
	/* Clocks set by NTP differ by milliseconds, in which no more collectives end. */
	FARTHEST_SHIFT = 256,
	MOST_DRIFT = 10000, /* 1 in this: quartz clocks differ by 100 ppm at most */
};

/* Operations a[i] and b[i + shift] at equal index, of which some are samples. */
struct common {
	const struct wl_op_run *a, *b;
	int64_t shift;
	size_t lo, n; /* indexes of a */
	size_t n_samples;
};

static const struct wl_comm_op *sample_a(const struct common *c, size_t x)
{
	return &c->a->at[c->lo + x * c->n / c->n_samples];
}

static const struct wl_comm_op *sample_b(const struct common *c, size_t x)
{
	return &c->b->at[(size_t)((int64_t)(c->lo + x * c->n / c->n_samples) + c->shift)];
}

/*
 * False where less than half of the shorter queue is in common: a few ends at the edge of two
 * captures meet by chance.
 */
static bool set_common(struct common *c, const struct wl_op_run *a, const struct wl_op_run *b,
		       int64_t shift)
{
	int64_t lo = shift < 0 ? -shift : 0, hi = (int64_t)b->n - shift;
	size_t shorter = a->n < b->n ? a->n : b->n;

	hi = hi < (int64_t)a->n ? hi : (int64_t)a->n;
	if (hi <= lo || 2 * (size_t)(hi - lo) < shorter)
		return false;
	*c = (struct common){ a, b, shift, (size_t)lo, (size_t)(hi - lo), (size_t)(hi - lo) };
	if (c->n_samples > WL_END_SAMPLES)
		c->n_samples = WL_END_SAMPLES;
	return true;
}

static bool fit_line(const struct common *c, struct wl_arena *scratch, struct wl_clock_line *ret)
{
	wl_ns a[WL_END_SAMPLES], b[WL_END_SAMPLES];

	for (size_t x = 0; x < c->n_samples; x++) {
		a[x] = wl_comm_end(sample_a(c, x));
		b[x] = wl_comm_end(sample_b(c, x));
	}
	return wl_clock_line_fit(a, b, c->n_samples, scratch, ret);
}

static wl_ns distance(const struct wl_clock_line *line, const struct wl_comm_op *a,
		      const struct wl_comm_op *b)
{
	wl_ns d = wl_clock_aligned(line, wl_comm_end(b)) - wl_comm_end(a);

	return d < 0 ? -d : d;
}

static wl_ns find_residual(const struct common *c, const struct wl_clock_line *line)
{
	int64_t d[WL_END_SAMPLES];

	for (size_t x = 0; x < c->n_samples; x++)
		d[x] = distance(line, sample_a(c, x), sample_b(c, x));
	/* 1.4826 scales the median absolute deviation to the standard deviation of normal noise. */
	return (wl_ns)(1.4826 * (double)wl_select_i64(d, c->n_samples, wl_rank(c->n_samples, 50)));
}

static wl_ns least(wl_ns a, wl_ns b)
{
	return a < b ? a : b;
}

static wl_ns tolerance(const struct wl_end_pairing *p, const struct wl_comm_op *a,
		       const struct wl_comm_op *b)
{
	wl_ns residual = p->is_exact ? 0 : p->residual;
	wl_ns most = least(WL_END_MOST_NS, least(a->dur, b->dur) / 3);

	/* A residual may be as long as the trace: three of them need not fit. */
	most = residual < most / 3 ? 3 * residual : most;
	return most > WL_END_LEAST_NS ? most : WL_END_LEAST_NS;
}

enum wl_end_pair wl_end_compare(const struct wl_end_pairing *p, const struct wl_comm_op *a,
				const struct wl_comm_op *b)
{
	wl_ns start = wl_clock_aligned(&p->line, b->start);
	wl_ns end = wl_clock_aligned(&p->line, wl_comm_end(b));
	bool overlaps = a->start <= end && start <= wl_comm_end(a);
	bool is_near = distance(&p->line, a, b) <= tolerance(p, a, b);

	return overlaps && is_near                    ? WL_END_AGREES
	       : overlaps || is_near || p->has_jumped ? WL_END_DIFFERS
						      : WL_END_MISMATCH;
}

/* How many samples agree before the first mismatch; 0 where that is not enough. */
static size_t count_agreeing(const struct common *c, const struct wl_end_pairing *p, bool *ret_all)
{
	size_t n = 0, x = 0;

	for (; x < c->n_samples; x++) {
		enum wl_end_pair pair = wl_end_compare(p, sample_a(c, x), sample_b(c, x));

		if (pair == WL_END_MISMATCH)
			break;
		n += pair == WL_END_AGREES;
	}
	*ret_all = x == c->n_samples;
	/* At least 95 % of them. */
	return (*ret_all || x >= WL_END_FEWEST) && 20 * n >= 19 * x ? n : 0;
}

/* The time from the end of an operation to the next one's. */
static wl_ns step_at(const struct wl_op_run *run, size_t i)
{
	return wl_comm_end(&run->at[i + 1]) - wl_comm_end(&run->at[i]);
}

/* Whether 95 % of the times from end to end agree, one aside, but for what clocks drift. */
static bool keeps_order(const struct common *c)
{
	size_t n = c->n - 1 < WL_END_SAMPLES ? c->n - 1 : WL_END_SAMPLES, n_agree = 0;

	for (size_t x = 0; x < n; x++) {
		size_t i = c->lo + x * (c->n - 1) / n;
		wl_ns a = step_at(c->a, i), b = step_at(c->b, (size_t)((int64_t)i + c->shift));

		n_agree += llabs(a - b) <= WL_END_LEAST_NS + a / MOST_DRIFT;
	}
	return n >= WL_END_FEWEST && 20 * (n_agree + 1) >= 19 * n;
}

/* Two queues and the best pairing of them so far. */
struct search {
	const struct wl_op_run *a, *b;
	const struct wl_clocks *clocks;
	struct wl_arena *scratch;
	struct wl_end_pairing best;
	size_t n_agree; /* samples of the best; 0: none does */
	bool is_whole;  /* the last one tried has no mismatch */
};

/* False when memory is exhausted. */
static bool try_shift(struct search *s, int64_t shift)
{
	struct wl_end_pairing p = { .shift = shift, .is_exact = s->clocks->is_exact };
	struct common c;
	size_t n;

	s->is_whole = false;
	if (!set_common(&c, s->a, s->b, shift))
		return true;
	/* Few ends lie on some line always: they are compared as the clocks are. */
	if (!s->clocks->is_one && c.n >= WL_END_FEWEST && !fit_line(&c, s->scratch, &p.line))
		return false;
	p.residual = least(s->clocks->residual, find_residual(&c, &p.line));
	n = count_agreeing(&c, &p, &s->is_whole);
	if (!s->clocks->is_one && !(n && s->is_whole) && keeps_order(&c)) {
		p.has_jumped = s->is_whole = true;
		n = c.n_samples;
	}
	if (n > s->n_agree) {
		s->n_agree = n;
		s->best = p;
	}
	return true;
}

struct wanted {
	const struct wl_op_run *run;
	wl_ns end;
};

static bool ends_earlier(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;

	return wl_comm_end(&w->run->at[i]) < w->end;
}

/* The operation that ends nearest to a time; the earlier of two. */
static size_t nearest(const struct wl_op_run *run, wl_ns end)
{
	size_t i = wl_lower_bound(run->n, ends_earlier, &(struct wanted){ run, end });

	if (i == run->n)
		return i - 1;
	return i > 0 && end - wl_comm_end(&run->at[i - 1]) <= wl_comm_end(&run->at[i]) - end ? i - 1
											     : i;
}

/*
 * The shift that most samples of b have from the nearest end of a, no farther than within; of
 * several the smallest.
 */
static int64_t vote(const struct wl_op_run *a, const struct wl_op_run *b, wl_ns within)
{
	size_t n_samples = b->n < WL_END_SAMPLES ? b->n : WL_END_SAMPLES, n = 0, most = 0;
	int64_t shift[WL_END_SAMPLES], best = 0;

	for (size_t x = 0; x < n_samples; x++) {
		size_t j = x * b->n / n_samples, i = nearest(a, wl_comm_end(&b->at[j]));

		if (llabs(wl_comm_end(&a->at[i]) - wl_comm_end(&b->at[j])) <= within)
			shift[n++] = (int64_t)j - (int64_t)i;
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
	int64_t d[ROUGH_SAMPLES];
	struct common c;
	size_t n;

	if (!set_common(&c, a, b, shift) || c.n < WL_END_FEWEST)
		return INT64_MAX;
	n = c.n - 1 < ROUGH_SAMPLES ? c.n - 1 : ROUGH_SAMPLES;
	for (size_t x = 0; x < n; x++) {
		size_t i = c.lo + x * (c.n - 1) / n;

		d[x] = llabs(step_at(b, (size_t)((int64_t)i + shift)) - step_at(a, i));
	}
	wl_sort_i64(d, n);
	return d[wl_rank(n, 50)];
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

bool wl_end_together(const struct wl_op_run *a, const struct wl_op_run *b,
		     const struct wl_clocks *clocks, struct wl_arena *scratch,
		     struct wl_end_pairing *ret, bool *ret_ok)
{
	struct search s = { .a = a, .b = b, .clocks = clocks, .scratch = scratch };
	int64_t shift = 0;

	/*
	 * Captures usually begin together, so that a shift is looked for only where none does not
	 * explain all samples.
	 */
	*ret_ok = try_shift(&s, 0);
	if (*ret_ok && !(s.n_agree > 0 && s.is_whole)) {
		shift = vote(a, b, clocks->is_one ? WL_END_MOST_NS : INT64_MAX);
		if (!clocks->is_one)
			shift = smoothest(a, b, shift);
		*ret_ok = shift == 0 || try_shift(&s, shift);
	}
	*ret = s.n_agree ? s.best : (struct wl_end_pairing){ .shift = shift };
	return *ret_ok && s.n_agree > 0;
}
