/* SPDX-License-Identifier: MIT */
#include "analysis/file_ranks.h"

#include <inttypes.h>
#include <stdio.h>

struct wl_file_ranks *wl_file_ranks_find(const struct wl_run *r)
{
	const struct wl_trace *t = r->trace;
	struct wl_file_ranks *of = WL_NEW(r->arena, struct wl_file_ranks, t->n_files);

	for (size_t i = 0; of && i < t->n_processes; i++) {
		const struct wl_process *p = &t->processes[i];
		struct wl_file_ranks *f = &of[p->file];

		if (!p->on_gpu)
			continue;
		f->low = f->n == 0 || p->rank < f->low ? p->rank : f->low;
		f->high = f->n == 0 || p->rank > f->high ? p->rank : f->high;
		f->n++;
	}
	return of;
}

void wl_file_ranks_put(const struct wl_file_ranks *of, struct wl_table *out, size_t col)
{
	char text[48];

	if (of->n == 0 || of->low < 0)
		return;
	if (of->low == of->high)
		(void)snprintf(text, sizeof(text), "%" PRId64, of->low);
	else
		(void)snprintf(text, sizeof(text), "%" PRId64 "-%" PRId64, of->low, of->high);
	wl_put_copy(out, col, text);
}
