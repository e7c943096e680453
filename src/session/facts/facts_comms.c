/* SPDX-License-Identifier: MIT */
/* facts_comms.c - the communicators of a job of facts, and how many ranks each has. */
#include "base/memory/sort.h"
#include "derive/comm/payloads.h"
#include "session/facts/facts_job_parts.h"

static uint64_t comm_at(const struct wl_facts_making *m, size_t row)
{
	return wl_facts_u64(m->f, WL_FACTS_ARRIVALS_COMM, row);
}

/* Arrivals of a communicator follow each other on each rank: one row of these says its size. */
static bool says_size(const struct wl_facts_making *m, size_t row)
{
	uint32_t size = wl_facts_u32(m->f, WL_FACTS_ARRIVALS_SIZE, row);

	return size != WL_NONE && comm_at(m, row) != WL_NO_U64 &&
	       (row == 0 || comm_at(m, row - 1) != comm_at(m, row) ||
		wl_facts_u32(m->f, WL_FACTS_ARRIVALS_SIZE, row - 1) != size);
}

static bool comm_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_payload *of = ctx;

	return of[a].comm != of[b].comm ? of[a].comm < of[b].comm : of[a].bytes > of[b].bytes;
}

bool wl_facts_make_comms(struct wl_facts_making *m)
{
	struct wl_payloads *payloads = WL_NEW(m->arena, struct wl_payloads, 1);
	struct wl_payload *said, *comm;
	uint32_t *order, *tmp;
	size_t n = 0;

	for (size_t i = 0; i < m->f->n[WL_FACTS_ARRIVALS]; i++)
		n += says_size(m, i);
	said = WL_NEW(m->arena, struct wl_payload, n);
	comm = WL_NEW(m->arena, struct wl_payload, n);
	order = WL_NEW(m->arena, uint32_t, n);
	tmp = WL_NEW(m->arena, uint32_t, n);
	if (!payloads || !said || !comm || !order || !tmp)
		return false;
	n = 0;
	for (size_t i = 0; i < m->f->n[WL_FACTS_ARRIVALS]; i++) {
		if (!says_size(m, i))
			continue;
		order[n] = (uint32_t)n;
		said[n++] = (struct wl_payload){
			.comm = comm_at(m, i),
			.bytes = wl_facts_u32(m->f, WL_FACTS_ARRIVALS_SIZE, i),
		};
	}
	wl_sort_index(order, n, tmp, comm_before, said);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || said[order[i - 1]].comm != said[order[i]].comm)
			comm[payloads->n_comms++] = said[order[i]];
	}
	payloads->comm = comm;
	m->to->derived.payloads = payloads;
	return true;
}
