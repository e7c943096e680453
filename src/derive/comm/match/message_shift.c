/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/message_shift.h"

#include <stdlib.h>

#include "base/memory/sort.h"
#include "derive/comm/match/end_together.h"

/* By which clocks of one host and hosts whose clocks are fitted may be off. */
enum { MOST_LATE_NS = 5000 };

bool wl_message_is_late(const struct wl_comm_op *send, const struct wl_comm_op *receive)
{
	return send->start > wl_comm_end(receive) + MOST_LATE_NS;
}

/* What a shift explains: samples with a receive, those that overlap it, those that are too late. */
struct score {
	size_t n, n_overlaps, n_late;
};

static size_t count_samples(const struct wl_message_run *r)
{
	return r->n < WL_END_SAMPLES ? r->n : WL_END_SAMPLES;
}

static struct score try_shift(const struct wl_message_run *r, int64_t shift)
{
	size_t n_samples = count_samples(r);
	struct score s = { 0, 0, 0 };

	for (size_t x = 0; x < n_samples; x++) {
		size_t i = x * r->n / n_samples;
		int64_t at = (int64_t)r->index[i] + shift;
		const struct wl_comm_op *send = &r->op[r->send[i]], *receive;

		if (at < 0 || at >= (int64_t)r->n_receives)
			continue;
		receive = &r->op[r->receive[at]];
		s.n++;
		s.n_late += wl_message_is_late(send, receive);
		s.n_overlaps +=
			send->start <= wl_comm_end(receive) && receive->start <= wl_comm_end(send);
	}
	return s;
}

struct wanted {
	const struct wl_message_run *run;
	wl_ns end;
};

static wl_ns end_of(const struct wl_message_run *r, size_t receive)
{
	return wl_comm_end(&r->op[r->receive[receive]]);
}

static bool ends_earlier(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;

	return end_of(w->run, i) < w->end;
}

/* The receive that ends nearest to a time. */
static size_t nearest(const struct wl_message_run *r, wl_ns end)
{
	size_t i = wl_lower_bound(r->n_receives, ends_earlier, &(struct wanted){ r, end });

	return i == r->n_receives || (i > 0 && end - end_of(r, i - 1) <= end_of(r, i) - end) ? i - 1
											     : i;
}

/* The shift that most samples have; of several the smallest. */
static int64_t vote(const struct wl_message_run *r)
{
	size_t n_samples = count_samples(r), most = 0;
	int64_t shift[WL_END_SAMPLES], best = 0;

	for (size_t x = 0; x < n_samples; x++) {
		size_t i = x * r->n / n_samples;

		shift[x] =
			(int64_t)nearest(r, wl_comm_end(&r->op[r->send[i]])) - (int64_t)r->index[i];
	}
	wl_sort_i64(shift, n_samples);
	for (size_t lo = 0, hi; lo < n_samples; lo = hi) {
		for (hi = lo + 1; hi < n_samples && shift[hi] == shift[lo];)
			hi++;
		if (hi - lo > most || (hi - lo == most && llabs(shift[lo]) < llabs(best))) {
			most = hi - lo;
			best = shift[lo];
		}
	}
	return best;
}

bool wl_message_shift(const struct wl_message_run *r, int64_t *ret)
{
	struct score best = try_shift(r, 0), other;
	int64_t voted;

	*ret = 0;
	if (r->n == 0 || r->n_receives == 0)
		return false;
	voted = vote(r);
	other = try_shift(r, voted);
	if (other.n_overlaps > best.n_overlaps) {
		best = other;
		*ret = voted;
	}
	return 2 * best.n >= count_samples(r) && 20 * best.n_late <= best.n;
}
