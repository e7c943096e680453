/* SPDX-License-Identifier: MIT */
#include "fleet/past/acks.h"

#include "fleet/store/push.h"

static const int64_t ns_per_ms = 1000000;

static void put_row(struct wl_facts *f, const struct wl_past_run *run)
{
	const bool is_time = run->t_ms > 0 && run->t_ms < INT64_MAX / ns_per_ms;

	wl_facts_row(f, WL_FACTS_RUNS);
	wl_facts_put_str(f, WL_FACTS_RUNS_RUN_ID, run->id);
	wl_facts_put_str(f, WL_FACTS_RUNS_VERSION, run->version);
	wl_facts_put(f, WL_FACTS_RUNS_BEGIN, is_time ? run->t_ms * ns_per_ms : 0);
	wl_facts_row(f, WL_FACTS_ACKS);
	wl_facts_put_str(f, WL_FACTS_ACKS_METRIC, WL_PAST_METRIC);
	wl_facts_put_str(f, WL_FACTS_ACKS_WHO, run->acked_by);
	wl_facts_put_str(f, WL_FACTS_ACKS_WHY, run->acked_why);
	wl_facts_put(f, WL_FACTS_ACKS_AT, run->acked_ms * ns_per_ms);
}

int wl_past_ack_store(const struct wl_store *store, const struct wl_past_run *run,
		      struct wl_err *reterr)
{
	struct wl_budget budget = { 0 };
	struct wl_facts facts;
	int r;

	wl_facts_init(&facts, &budget);
	put_row(&facts, run);
	r = facts.failed ? wl_fail(reterr, WL_E_NOMEM, "no memory for an acknowledgement")
			 : wl_store_put(store, &facts, WL_FACTS_ACKS, reterr);
	wl_facts_release(&facts);
	return r;
}
