/* SPDX-License-Identifier: MIT */
/* rows_iterations.c - the rows of each process's iterations, above all GPUs. */
#include <stdio.h>
#include <string.h>

#include "export/timeline/walk.h"

/* "it 4294967295" */
struct name {
	char text[16];
};

static const struct name *make_names(struct wl_walk *w, size_t n)
{
	struct name *name = WL_NEW(&w->arena, struct name, n);

	w->failed = w->failed || !name;
	for (uint32_t i = 0; name && i < n; i++)
		(void)snprintf(name[i].text, sizeof(name[i].text), "it %u", i);
	return name;
}

/* By process: a device that it works on if it has iterations, else WL_NONE. */
static const uint32_t *find_devices(struct wl_walk *w)
{
	const struct wl_trace *t = w->trace;
	uint32_t *device = WL_NEW(&w->arena, uint32_t, t->n_processes);

	for (size_t i = 0; device && i < t->n_processes; i++)
		device[i] = WL_NONE;
	for (size_t i = 0; device && i < t->n_places; i++) {
		const struct wl_place *p = &t->places[i];

		if (w->scope->place_on[i] && p->device != WL_NONE &&
		    w->scope->device_on[p->device] && p->device < device[p->process] &&
		    w->tracks->iterations->process[p->process].n)
			device[p->process] = p->device;
	}
	w->failed = w->failed || !device;
	return device;
}

struct iterations {
	struct wl_walk *walk;
	const struct wl_process_iters *of;
	struct wl_interval window;
	const struct name *name; /* by number */
	struct wl_dealt_rows rows;
};

static void emit_iteration(struct iterations *x, size_t i)
{
	const struct wl_iteration *it = &x->of->at[i];
	const struct wl_emit_arg arg = { .key = "period",
					 .type = WL_ARG_INT,
					 .number = it->tile.end - it->tile.begin };

	if (wl_walk_shows(x->walk, x->window, it->tile.begin, it->tile.end))
		wl_dealt_put(&x->rows, &(struct wl_emit_slice){ .start = it->tile.begin,
								.end = it->tile.end,
								.name = x->name[i].text,
								.args = &arg,
								.n_args = x->walk->plan->args &&
									  !it->is_last });
}

/* Of iterations that begin together only the last can have a length; they are visited from the
 * back. */
static void put_all(struct iterations *x)
{
	const struct wl_iteration *at = x->of->at;
	size_t n = x->of->n;

	for (size_t lo = 0, hi; lo < n && wl_walk_goes_on(x->walk); lo = hi) {
		for (hi = lo + 1; hi < n && at[hi].tile.begin == at[lo].tile.begin;)
			hi++;
		for (size_t i = hi; i-- > lo;)
			emit_iteration(x, i);
	}
}

/* "Iterations 4000 python rank 3". */
static void name_row(const struct wl_walk *w, uint32_t process, char *buf, size_t size)
{
	for (size_t i = 0; i < w->tracks->n; i++) {
		const struct wl_track *at = &w->tracks->at[i];

		if (wl_holds(at) == WL_HOLDS_THREADS && at->process == process) {
			(void)snprintf(buf, size, "Iterations%s",
				       at->label + strcspn(at->label, " "));
			return;
		}
	}
	(void)snprintf(buf, size, "Iterations %u", w->trace->processes[process].pid);
}

static void write_process(struct wl_walk *w, uint32_t process, uint32_t device,
			  const struct name *name, struct wl_lazy_row *group)
{
	const struct wl_process_iters *of = &w->tracks->iterations->process[process];
	char text[256] = "Iterations";
	struct wl_lazy_row row = { .row = { .kind = WL_EMIT_SLICES,
					    .name = text,
					    .description = of->is,
					    .n_events = of->n },
				   .parent = group };
	struct iterations x = { .walk = w,
				.of = of,
				.window = w->scope->device[device],
				.name = name,
				.rows = { .walk = w,
					  .first = &row,
					  .parent = group,
					  .name = text,
					  .further = WL_FURTHER_NUMBER } };

	if (group)
		name_row(w, process, text, sizeof(text));
	wl_dealt_init(&x.rows, false);
	put_all(&x);
	wl_dealt_close(&x.rows);
}

void wl_rows_iterations(struct wl_walk *w)
{
	struct wl_lazy_row group = { .row = { .kind = WL_EMIT_GROUP, .name = "Iterations" } };
	const uint32_t *device = find_devices(w);
	const struct name *name;
	size_t n = 0, most = 0;

	for (size_t i = 0; device && i < w->trace->n_processes; i++) {
		size_t n_iters = w->tracks->iterations->process[i].n;

		n += device[i] != WL_NONE;
		most = device[i] != WL_NONE && n_iters > most ? n_iters : most;
	}
	name = n ? make_names(w, most) : NULL;
	for (uint32_t i = 0; name && i < w->trace->n_processes; i++) {
		if (device[i] != WL_NONE)
			write_process(w, i, device[i], name, n > 1 ? &group : NULL);
	}
}
