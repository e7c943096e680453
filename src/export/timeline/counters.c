/* SPDX-License-Identifier: MIT */
#include "export/timeline/counters.h"

enum { WHOLE = 10000, LEAST_BIN = 1000 * 1000 };

wl_ns wl_counter_bin(struct wl_interval window)
{
	static const int steps[] = { 2, 5, 10 };
	wl_ns least = (window.end - window.begin) / WL_COUNTER_BINS, unit = LEAST_BIN, bin = unit;

	for (unsigned i = 0; bin < least; i = (i + 1) % 3) {
		bin = unit * steps[i];
		unit = i == 2 ? bin : unit;
	}
	return bin;
}

static wl_ns length(const struct wl_counter *c)
{
	wl_ns left = c->window.end - c->window.begin - c->at;

	return left < c->bin ? left : c->bin;
}

static void set(struct wl_counter *c, wl_ns at, int64_t value)
{
	if (value != c->value)
		c->write(c->ctx, c->window.begin + at, value);
	c->value = value;
}

/* The share covered of the current bin. */
static int64_t share(const struct wl_counter *c)
{
	wl_ns bin = length(c);

	/* In a hostile trace a bin may be long enough to overflow. */
	return bin >= (wl_ns)1 << 48 ? c->covered / (bin / WHOLE)
				     : (c->covered * WHOLE + bin / 2) / bin;
}

/* Finish the current bin and go on to the one that contains a time since the window's begin. */
static void turn(struct wl_counter *c, wl_ns to)
{
	wl_ns next = to / c->bin * c->bin;

	set(c, c->at, share(c));
	if (next > c->at + c->bin)
		set(c, c->at + c->bin, 0);
	c->at = next;
	c->covered = 0;
}

void wl_counter_put(struct wl_counter *c, wl_ns begin, wl_ns end)
{
	begin = begin > c->window.begin ? begin : c->window.begin;
	end = end < c->window.end ? end : c->window.end;
	while (begin < end) {
		wl_ns from = begin - c->window.begin, until;

		if (from >= c->at + c->bin)
			turn(c, from);
		until = c->window.begin + c->at + length(c);
		until = until < end ? until : end;
		c->covered += until - begin;
		begin = until;
	}
}

void wl_counter_end(struct wl_counter *c)
{
	set(c, c->at, share(c));
	set(c, c->at + length(c), 0);
}
