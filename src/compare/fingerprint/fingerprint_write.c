/* SPDX-License-Identifier: MIT */
/* fingerprint_write.c - writes a fingerprint as JSON, one line per row. */
#include "compare/fingerprint/fingerprint_json.h"

#include "base/text/json_write.h"
#include "known/definitions.h"

static void put_array(struct wl_jsonw *w, const char *key, const int64_t *v, size_t n)
{
	wl_jsonw_open_array(w, key);
	for (size_t i = 0; i < n; i++)
		wl_jsonw_i64(w, v[i]);
	wl_jsonw_end_array(w);
}

/* How many values there were, the steps say. */
static void put_series(struct wl_jsonw *w, const char *key, const struct wl_series *s)
{
	wl_jsonw_newline(w);
	wl_jsonw_open_object(w, key);
	wl_jsonw_put_i64(w, "worth", (int64_t)s->worth);
	put_array(w, "at", s->at, s->n_kept);
	wl_jsonw_end_object(w);
}

static void put_amounts(struct wl_jsonw *w, const struct wl_fp_row *r)
{
	const int64_t calls[] = { r->of[WL_OF_STEPS].calls, r->of[WL_OF_WINDOW].calls };
	const int64_t ns[] = { r->of[WL_OF_STEPS].ns, r->of[WL_OF_WINDOW].ns };

	put_array(w, "calls", calls, WL_N_EXTENTS);
	put_array(w, "ns", ns, WL_N_EXTENTS);
}

static void put_list(struct wl_jsonw *w, const char *key, const struct wl_fp_list *list)
{
	wl_jsonw_newline(w);
	wl_jsonw_open_object(w, key);
	wl_jsonw_open_array(w, "rows");
	for (size_t i = 0; i < list->n; i++) {
		const struct wl_fp_row *r = &list->row[i];

		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "name", r->name);
		put_amounts(w, r);
		put_array(w, "gpu", r->gpu, WL_N_EXTENTS);
		wl_jsonw_put_i64(w, "position", r->position);
		if (r->category)
			wl_jsonw_put_str(w, "category", r->category);
		wl_jsonw_put_i64(w, "worth", (int64_t)r->series.worth);
		put_array(w, "at", r->series.at, r->series.n_kept);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_newline(w);
	wl_jsonw_open_object(w, "others");
	wl_jsonw_put_i64(w, "names", (int64_t)list->n_others);
	put_amounts(w, &list->others);
	wl_jsonw_end_object(w);
	wl_jsonw_end_object(w);
}

static void put_parts(struct wl_jsonw *w, const struct wl_fingerprint *f)
{
	wl_jsonw_newline(w);
	wl_jsonw_open_object(w, "parts");
	for (size_t p = 0; p < WL_N_PARTS; p++) {
		const int64_t ns[] = { f->part[WL_OF_STEPS][p], f->part[WL_OF_WINDOW][p] };

		put_array(w, wl_part_name((enum wl_part)p), ns, WL_N_EXTENTS);
	}
	wl_jsonw_end_object(w);
}

static void put_waits(struct wl_jsonw *w, const struct wl_fingerprint *f)
{
	wl_jsonw_newline(w);
	wl_jsonw_open_array(w, "idle");
	for (size_t i = 0; i < f->n_waits; i++) {
		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "cause", wl_cause_name(f->wait[i].cause));
		wl_jsonw_put_str(w, "detail", f->wait[i].detail);
		put_array(w, "ns", f->wait[i].ns, WL_N_EXTENTS);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

/* Row and time of each, one after the other. */
static void put_rank_kernels(struct wl_jsonw *w, const struct wl_fp_rank *r)
{
	wl_jsonw_open_array(w, "kernels");
	for (size_t i = 0; i < r->n_kernels; i++) {
		wl_jsonw_i64(w, (int64_t)r->kernel[i].row);
		wl_jsonw_i64(w, r->kernel[i].ns);
	}
	wl_jsonw_end_array(w);
}

static void put_ranks(struct wl_jsonw *w, const struct wl_fingerprint *f)
{
	wl_jsonw_newline(w);
	wl_jsonw_open_array(w, "ranks");
	for (size_t i = 0; i < f->n_ranks; i++) {
		const struct wl_fp_rank *r = &f->rank[i];

		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		wl_jsonw_put_i64(w, "rank", r->rank);
		wl_jsonw_put_i64(w, "pid", r->pid);
		wl_jsonw_put_i64(w, "device", r->device);
		wl_jsonw_put_i64(w, "compute", r->compute);
		wl_jsonw_put_i64(w, "exposed_comm", r->exposed_comm);
		wl_jsonw_put_i64(w, "worth", (int64_t)r->period.worth);
		put_array(w, "at", r->period.at, r->period.n_kept);
		put_rank_kernels(w, r);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

static void put_texts(struct wl_jsonw *w, const char *key, const char *const *text, size_t n)
{
	wl_jsonw_newline(w);
	wl_jsonw_put_strs(w, key, text, n);
}

/* Of a trace without call stacks: nothing. */
static void put_functions(struct wl_jsonw *w, const struct wl_fingerprint *f)
{
	if (f->n_functions == 0)
		return;
	wl_jsonw_newline(w);
	wl_jsonw_open_array(w, "functions");
	for (size_t i = 0; i < f->n_functions; i++) {
		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "name", f->function[i].name);
		put_array(w, "ns", f->function[i].ns, WL_N_EXTENTS);
		put_array(w, "sampled", f->function[i].sampled, WL_N_EXTENTS);
		put_array(w, "samples", f->function[i].n, WL_N_EXTENTS);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

static void put_whatifs(struct wl_jsonw *w, const struct wl_fingerprint *f)
{
	wl_jsonw_newline(w);
	wl_jsonw_open_array(w, "whatif");
	for (size_t i = 0; i < f->n_whatifs; i++) {
		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "scenario", f->whatif[i].scenario);
		wl_jsonw_put_i64(w, "saving", f->whatif[i].saving);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

static void put_head(struct wl_jsonw *w, const struct wl_fingerprint *f)
{
	wl_jsonw_put_str(w, "schema", WL_FP_SCHEMA);
	wl_jsonw_put_i64(w, "definitions", WL_DEFINITIONS);
	wl_jsonw_newline(w);
	wl_jsonw_put_str(w, "label", f->label);
	wl_jsonw_put_str(w, "window", f->window);
	wl_jsonw_put_str(w, "selection", f->selection);
	wl_jsonw_put_str(w, "method", f->method);
	wl_jsonw_put_str(w, "what", f->what);
	wl_jsonw_put_str(w, "host", f->host);
	wl_jsonw_put_str(w, "recorded", f->recorded);
	wl_jsonw_put_str(w, "command", f->command);
	put_texts(w, "gpus", f->gpu, f->n_gpus);
	wl_jsonw_newline(w);
	wl_jsonw_put_i64(w, "devices", (int64_t)f->n_devices);
	wl_jsonw_put_i64(w, "processes", (int64_t)f->n_processes);
	wl_jsonw_put_i64(w, "left_out", (int64_t)f->n_left_out);
	wl_jsonw_put_i64(w, "thinned", (int64_t)f->n_thinned);
	wl_jsonw_put_i64(w, "window_ns", f->window_ns);
	wl_jsonw_newline(w);
	put_array(w, "steps", f->step, f->n_steps);
}

void wl_fp_write(const struct wl_fingerprint *f, FILE *out)
{
	struct wl_jsonw w;

	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	put_head(&w, f);
	put_parts(&w, f);
	wl_jsonw_newline(&w);
	put_array(&w, "launches", f->launches, WL_N_EXTENTS);
	put_series(&w, "launches_by_step", &f->launch_series);
	put_series(&w, "busy", &f->busy);
	put_series(&w, "idle_by_step", &f->idle);
	put_series(&w, "exposed_comm", &f->exposed_comm);
	put_list(&w, "kernels", &f->kernels);
	put_list(&w, "ranges", &f->ranges);
	put_list(&w, "categories", &f->categories);
	if (f->has_copies)
		put_list(&w, "copies", &f->copies);
	put_waits(&w, f);
	put_functions(&w, f);
	put_ranks(&w, f);
	put_whatifs(&w, f);
	put_texts(&w, "notes", f->note, f->n_notes);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
}
