/* SPDX-License-Identifier: MIT */
/* Busy time of a device by the call that launches what comes next. */
#include "derive/calls/feeding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

enum { TEXT = 256 };

struct seen {
	const struct wl_trace *trace;
	char text[TEXT];
};

/* "10-20 c2": of the launch with correlation 2. */
static void take(void *ctx, uint32_t call, wl_ns begin, wl_ns end)
{
	struct seen *s = ctx;
	size_t n = strlen(s->text);

	(void)snprintf(s->text + n, TEXT - n, "%s%" PRId64 "-%" PRId64 " ", n ? ", " : "", begin,
		       end);
	n = strlen(s->text);
	if (call == WL_NONE)
		(void)snprintf(s->text + n, TEXT - n, "none");
	else
		(void)snprintf(s->text + n, TEXT - n, "c%u", (unsigned)wl_api_corr(s->trace)[call]);
}

/* A kernel and its launch; without one where corr is 0. */
static void kernel(struct mem *m, wl_ns start, wl_ns end, unsigned stream, unsigned corr)
{
	MEM_OP(m, WL_F_KERNELS, .start = start, .end = end, .stream = stream, .corr = corr);
	if (corr)
		MEM_API(m, .start = 1, .end = 2, .tid = 7, .corr = corr);
}

static void expect(struct mem *m, const char *want)
{
	const struct wl_trace *t = mem_seal(m);
	struct seen s = { .trace = t };
	struct mem_scope scope;

	mem_scope_whole(&scope, t);
	wl_feeding_visit(t, m->derived.links, &scope.scope, 0, take, &s);
	assert_string_equal(s.text, want);
	mem_release(m);
}

TEST(busy_time_is_of_the_next_launch)
{
	struct mem m;

	mem_init(&m);
	kernel(&m, 100, 200, 7, 1);
	kernel(&m, 150, 180, 8, 2);
	kernel(&m, 300, 310, 7, 3);
	kernel(&m, 310, 320, 7, 4);
	expect(&m, "100-150 c2, 150-200 c3, 300-310 c4, 310-320 c4");
}

TEST(of_those_that_start_together_the_lowest_stream_counts)
{
	struct mem m;

	mem_init(&m);
	kernel(&m, 100, 200, 7, 1);
	kernel(&m, 150, 400, 9, 2);
	kernel(&m, 150, 160, 8, 3);
	kernel(&m, 250, 260, 8, 0);
	expect(&m, "100-150 c3, 150-250 none, 250-400 none");
}

TEST(work_without_length_counts_only_beside_other_work)
{
	struct mem m;

	mem_init(&m);
	kernel(&m, 50, 50, 7, 1);
	kernel(&m, 100, 200, 7, 2);
	kernel(&m, 150, 150, 7, 3);
	kernel(&m, 180, 180, 7, 4);
	kernel(&m, 180, 190, 8, 5);
	kernel(&m, 500, 500, 7, 6);
	expect(&m, "100-180 c4, 180-200 c4");
}

TEST(a_device_without_work_has_none)
{
	struct mem m;

	mem_init(&m);
	kernel(&m, 50, 50, 7, 1);
	expect(&m, "");
}
