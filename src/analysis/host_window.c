/* SPDX-License-Identifier: MIT */
#include "analysis/host_window.h"

#include <stdio.h>

#include "analysis/empty.h"
#include "base/text/units.h"
#include "derive/rows/host_extent.h"

/* Rows of threads, and file accesses, which are also host rows. */
static bool is_of_host(enum wl_family_id family)
{
	return wl_family_infos[family].order == WL_BY_THREAD || family == WL_F_FILE_EVENTS;
}

/* Covers all processes: few traces have several and select one. */
static bool find_accesses(const struct wl_trace *t, struct wl_interval *ret)
{
	const wl_ns *start = wl_file_events_start(t), *end = wl_file_events_end(t);
	size_t n = t->family[WL_F_FILE_EVENTS].n;

	for (size_t i = 0; start && end && i < n; i++) {
		ret->begin = i > 0 && ret->begin < start[i] ? ret->begin : start[i];
		ret->end = i > 0 && ret->end > end[i] ? ret->end : end[i];
	}
	return start && end && n > 0;
}

/* Columns of a family are adjacent in lists: returns the next column of another host family. */
static const enum wl_column_id *next_family(const enum wl_column_id *at, enum wl_family_id last)
{
	while (at && *at != WL_N_COLUMNS &&
	       (wl_column_infos[*at].family == last || !is_of_host(wl_column_infos[*at].family)))
		at++;
	return at && *at != WL_N_COLUMNS ? at : NULL;
}

bool wl_host_window_widen(const struct wl_trace *t, const struct wl_scope *scope,
			  const enum wl_column_id *list, struct wl_interval *window)
{
	enum wl_family_id family = WL_N_FAMILIES;
	bool any = false;

	while ((list = next_family(list, family)) != NULL) {
		struct wl_interval extent;

		family = wl_column_infos[*list].family;
		if (t->family[family].n == 0 ||
		    !(family == WL_F_FILE_EVENTS ? find_accesses(t, &extent)
						 : wl_host_extent(t, scope, family, &extent)))
			continue;
		window->begin = extent.begin < window->begin ? extent.begin : window->begin;
		window->end = extent.end > window->end ? extent.end : window->end;
		any = true;
	}
	return any;
}

/* Names the rows if they belong to one family. */
static const char *name_rows(const struct wl_trace *t, const enum wl_column_id *list)
{
	enum wl_family_id family = WL_N_FAMILIES;
	const char *name = NULL;

	while ((list = next_family(list, family)) != NULL) {
		family = wl_column_infos[*list].family;
		if (t->family[family].n == 0)
			continue;
		if (name)
			return "host rows";
		name = wl_family_infos[family].help;
	}
	return name ? name : "host rows";
}

const char *wl_host_window_words(const struct wl_trace *t, const struct wl_scope *scope,
				 const enum wl_column_id *list, const struct wl_interval *window,
				 char buf[WL_HOST_WINDOW_BUF])
{
	struct wl_interval gpu = { INT64_MAX, INT64_MIN };
	char begin[WL_UNITS_BUF], end[WL_UNITS_BUF];

	if (!scope->whole || !wl_has_operations(t))
		return NULL;
	if (!window) {
		(void)snprintf(buf, WL_HOST_WINDOW_BUF,
			       "the window spans the %s that are counted, not the GPU work",
			       name_rows(t, list));
		return buf;
	}
	for (size_t i = 0; i < t->n_devices; i++) {
		const struct wl_interval *d = &scope->device[i];

		if (!scope->device_on[i] || d->begin >= d->end)
			continue;
		gpu.begin = d->begin < gpu.begin ? d->begin : gpu.begin;
		gpu.end = d->end > gpu.end ? d->end : gpu.end;
	}
	if (gpu.begin > gpu.end || (gpu.begin == window->begin && gpu.end == window->end))
		return NULL;
	wl_fmt_times(begin, end, (const int64_t[]){ gpu.begin, gpu.end }, WL_UNIT_AUTO);
	(void)snprintf(buf, WL_HOST_WINDOW_BUF,
		       "the window spans the %s that are counted; GPUs worked from %s to %s",
		       name_rows(t, list), begin, end);
	return buf;
}
