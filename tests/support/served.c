/* SPDX-License-Identifier: MIT */
#include "support/served.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

static void put_launch(struct mem *m, unsigned corr, wl_ns at, const struct mem_op *op)
{
	struct mem_op launched = *op;

	launched.corr = corr;
	mem_api(m, &(struct mem_call){ .start = at, .end = at + 5, .tid = 103, .corr = corr });
	mem_op(m, WL_F_KERNELS, &launched);
}

static void put_trace(struct mem *m)
{
	mem_nvtx(m, &(struct mem_range){ .start = 0, .end = 700, .tid = 103, .name = "step 1" });
	mem_nvtx(m, &(struct mem_range){ .start = 20, .end = 60, .tid = 103, .name = "inner" });
	put_launch(m, 1, 30, &(struct mem_op){ .start = 100, .end = 300, .name = "gemm" });
	put_launch(m, 2, 70, &(struct mem_op){ .start = 400, .end = 500, .name = "gemm" });
	put_launch(m, 3, 80, &(struct mem_op){ .start = 600, .end = 600, .name = "a # b" });
	put_launch(m, 4, 90,
		   &(struct mem_op){ .start = 250,
				     .end = 450,
				     .stream = 20,
				     .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL" });
}

void served_make(struct served *s)
{
	struct wl_err err;

	memset(s, 0, sizeof(*s));
	mem_init(&s->viewed.mem);
	put_trace(&s->viewed.mem);
	viewed_make(&s->viewed);
	s->served.opts.program = "warplens test";
	s->served.opts.label[0] = "memory";
	s->served.show.scene[0] = &s->viewed.scene;
	s->served.show.n = 1;
	wl_arena_init(&s->served.arena, 64 << 20);
	assert_int_equal(wl_served_finish(&s->served, &err), WL_OK);
}

void served_release(struct served *s)
{
	wl_served_release(&s->served);
	viewed_release(&s->viewed);
}

struct wl_answer served_ask(struct served *s, const char *question)
{
	const char *mark = strchr(question, '?');
	char path[64] = "";
	const struct wl_route *route;
	struct wl_answer answer = WL_ANSWER_NONE;
	size_t n = mark ? (size_t)(mark - question) : strlen(question);

	(void)snprintf(path, sizeof(path), "%.*s", (int)(n < sizeof(path) ? n : 0), question);
	route = n < sizeof(path) ? wl_route_find(path) : NULL;
	if (route)
		wl_route_ask(route, &s->served, mark ? mark + 1 : NULL, &answer);
	else
		answer.status = 404;
	return answer;
}
