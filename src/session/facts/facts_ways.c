/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_ways.h"

#include <string.h>

#include "analysis/axes.h"
#include "derive/comm/matches.h"
#include "derive/derived.h"
#include "derive/graph/straggler.h"
#include "session/facts/facts_info.h"

/*
 * The analysis reads what facts have; where MPI calls were not kept it would say that there are
 * none.
 */
static int run_nccl(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_analysis *asked = wl_analysis_get("nccl");
	enum wl_axis axis;

	if (run->derived->matches->queues.n_ops || run->trace->family[WL_F_GRAPHS].n ||
	    !run->derived->stragglers->no_mpi)
		return asked->run(run, out, reterr);
	wl_table_note(out, "%s", wl_no_mpi_in_facts);
	return wl_axis_asked(asked, run->arg, &axis) ? wl_axis_check(asked, axis, run, reterr)
						     : WL_OK;
}

/* MPI calls that were not kept may be the collectives. */
static const char *lacks_collectives(const struct wl_run *run)
{
	return run->derived->stragglers->no_mpi ? NULL : wl_analysis_get("nccl")->lacks(run);
}

struct way {
	const char *name;
	enum wl_facts_way way;
	/* NULL: it reads what facts have. */
	int (*run)(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr);
};

static struct way find_way(const struct wl_analysis *analysis)
{
	static const struct way all[] = {
		{ "ranks", WL_FACTS_RUN, NULL },
		{ "budget", WL_FACTS_RUN, NULL },
		{ "clocks", WL_FACTS_RUN, NULL },
		{ "overlap", WL_FACTS_RUN, NULL },
		{ "iters", WL_FACTS_RUN, NULL },
		{ "nccl", WL_FACTS_RUN, run_nccl },
		{ "files", WL_FACTS_RUN, wl_facts_files },
		{ "gpus", WL_FACTS_RUN, wl_facts_gpus },
		{ "processes", WL_FACTS_RUN, wl_facts_processes },
		{ "findings", WL_FACTS_FIND, NULL },
		{ "path", WL_FACTS_FOLLOW, NULL },
	};

	for (size_t i = 0; i < WL_COUNT(all); i++) {
		if (strcmp(analysis->name, all[i].name) == 0)
			return all[i];
	}
	return (struct way){ analysis->name, WL_FACTS_NO_WAY, NULL };
}

enum wl_facts_way wl_facts_way_of(const struct wl_analysis *analysis)
{
	return find_way(analysis).way;
}

enum wl_facts_way wl_facts_adapt(struct wl_analysis *analysis)
{
	const struct way way = find_way(analysis);

	if (way.run) {
		analysis->run = way.run;
		/* That of others asks what facts do not have. */
		analysis->lacks = way.run == run_nccl ? lacks_collectives : NULL;
	}
	return way.way;
}
