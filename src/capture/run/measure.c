/* SPDX-License-Identifier: MIT */
/* measure.c - the second stage of a capture: kernels under ncu. */
#include <dirent.h>
#include <stdio.h>

#include "base/file/file.h"
#include "capture/run/run.h"

static size_t count_reports(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	size_t n = 0;

	while (d && (entry = readdir(d)) != NULL)
		n += wl_path_ends_in(entry->d_name, ".ncu-rep");
	if (d)
		(void)closedir(d);
	return n;
}

static int measure(const struct wl_capture_job *job, const struct wl_plan_step *step,
		   struct wl_watched *ret, struct wl_err *reterr)
{
	struct wl_watch watch;

	if (job->say)
		job->say(job->ctx, step->title);
	watch = wl_capture_watch(job, step);
	return wl_watch_run(&watch, ret, reterr);
}

int wl_capture_measure(const struct wl_capture_job *job, size_t *ret_reports, struct wl_err *reterr)
{
	char words[WL_CAPTURE_QUOTE] = "", line[WL_CAPTURE_QUOTE + 32];
	struct wl_watched watched;
	int r = WL_OK;

	*ret_reports = 0;
	for (size_t i = 0; r == WL_OK && i < job->plan->n_steps; i++) {
		const size_t before = *ret_reports;

		r = measure(job, &job->plan->step[i], &watched, reterr);
		if (r < 0)
			break;
		*ret_reports = count_reports(job->dir);
		if (watched.signal)
			r = wl_fail(reterr, WL_E_CANCELED, "stopped while ncu measured kernels");
		if (*ret_reports > before)
			continue;
		wl_capture_quote(&watched, words);
		(void)snprintf(line, sizeof(line), "ncu wrote no report: %s", words);
		if (job->say)
			job->say(job->ctx, line);
	}
	if (r == WL_OK && *ret_reports == 0)
		r = wl_fail(reterr, WL_E_IO, "ncu measured no kernel: %s",
			    words[0] ? words : "it says nothing");
	return r;
}
