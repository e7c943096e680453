/* SPDX-License-Identifier: MIT */
#include "analysis/empty.h"

#include <stdio.h>
#include <string.h>

#include "base/text/units.h"
#include "known/calls/calls.h"
#include "known/exports/codes.h"

enum { WARNING = 2, ERROR = 3, MAX_SAID = 2, SAID_ROOM = 300 };

const enum wl_column_id wl_empty_columns[] = {
	WL_DIAGNOSTICS_SEVERITY, WL_DIAGNOSTICS_TEXT, WL_API_NAME,   WL_API_START, WL_API_DUR,
	WL_API_THREAD,           WL_API_CORR,         WL_API_RESULT, WL_N_COLUMNS
};

bool wl_has_operations(const struct wl_trace *t)
{
	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++) {
		if (t->family[wl_op_families[i]].present)
			return true;
	}
	return false;
}

/* Whether CUDA was traced: nsys lists what it collects, one row each. */
static bool was_traced(const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_meta; i++) {
		if (strcmp(wl_str(t, t->meta[i].name), "CAPTURE_EVENT_TYPE") == 0 &&
		    strcmp(wl_str(t, t->meta[i].value), "Cuda") == 0)
			return true;
	}
	return false;
}

static bool is_among(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i], text) == 0)
			return true;
	}
	return false;
}

size_t wl_messages_about_cuda(const struct wl_trace *t, const char **ret, size_t max)
{
	const uint8_t *severity = wl_diagnostics_severity(t);
	const uint32_t *text = wl_diagnostics_text(t);
	size_t n_rows = severity && text ? t->family[WL_F_DIAGNOSTICS].n : 0, n = 0;

	for (size_t i = 0; i < n_rows && n < max; i++) {
		const char *said = text[i] == WL_NONE ? "" : wl_str(t, text[i]);

		if ((severity[i] == WARNING || severity[i] == ERROR) && strstr(said, "CUDA") &&
		    !is_among(said, ret, n))
			ret[n++] = said;
	}
	return n;
}

/* The profiler's messages on one line, to follow a reason; "" if there are none. */
static void say(const struct wl_trace *t, char out[SAID_ROOM])
{
	const char *said[MAX_SAID];
	size_t n = wl_messages_about_cuda(t, said, MAX_SAID), used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n && used < SAID_ROOM; i++)
		used += (size_t)snprintf(out + used, SAID_ROOM - used, "%s\"%.120s\"",
					 i ? " " : "; the profiler said: ", said[i]);
	/* Some messages have several lines; an error has one. */
	for (char *c = strchr(out, '\n'); c; c = strchr(c, '\n'))
		*c = ' ';
}

/* Whether the call is inside another and has its correlation id: it is the driver's part of it. */
static bool is_part_of(const struct wl_trace *t, size_t i, size_t outer)
{
	const wl_ns *start = wl_api_start(t);

	return wl_api_thread(t)[i] == wl_api_thread(t)[outer] &&
	       wl_api_corr(t)[i] == wl_api_corr(t)[outer] &&
	       start[i] < start[outer] + wl_dur(&t->family[WL_F_API], wl_api_dur(t), outer);
}

/* Counts launches that succeeded, each once. 0 if the columns were not loaded. */
static size_t count_launches(const struct wl_trace *t)
{
	const uint32_t *name = wl_api_name(t);
	const int32_t *result = wl_api_result(t);
	bool is_loaded =
		name && wl_api_start(t) && wl_api_dur(t) && wl_api_thread(t) && wl_api_corr(t);
	size_t n = 0, outer = SIZE_MAX;

	/* Each thread's calls are sorted by start. */
	for (size_t i = 0; is_loaded && i < t->family[WL_F_API].n; i++) {
		if (name[i] == WL_NONE || !wl_call_launches(wl_str(t, name[i])) ||
		    (outer != SIZE_MAX && is_part_of(t, i, outer)))
			continue;
		outer = i;
		n += !result || result[i] == 0;
	}
	return n;
}

/* "2023.2.1": the nsys version that recorded, from its installation path; n is 0 if it is
 * unknown. */
static const char *recorder(const struct wl_trace *t, size_t *ret_n)
{
	static const char product[] = "nsight-systems";
	const char *path = wl_trace_meta(t, "TargetInstallDir");
	const char *at = path ? strstr(path, product) : NULL;

	*ret_n = 0;
	if (!at)
		return "";
	at += strlen(product);
	at += *at == '/' || *at == '-';
	*ret_n = strspn(at, "0123456789.");
	return at;
}

/* The first call that failed with a fatal error, and how many return the same error; 0 for none. */
static size_t count_fatal(const struct wl_trace *t, size_t *ret_first)
{
	const int32_t *result = wl_api_result(t);
	const wl_ns *start = wl_api_start(t);
	size_t n = result && start && wl_api_name(t) ? t->family[WL_F_API].n : 0, n_same = 0;
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		if (wl_cuda_fatal_name(result[i]) && (first == SIZE_MAX || start[i] < start[first]))
			first = i;
	}
	for (size_t i = 0; first != SIZE_MAX && i < n; i++)
		n_same += result[i] == result[first];
	*ret_first = first;
	return n_same;
}

/* When a program fails, work that the profiler had not collected yet is lost. */
static void explain_error(const struct wl_trace *t, size_t first, size_t n, struct wl_no_gpu *ret)
{
	const uint32_t *name = wl_api_name(t);
	int32_t result = wl_api_result(t)[first];
	size_t n_launches = count_launches(t);
	char at[WL_UNITS_BUF];

	(void)snprintf(
		ret->reason, sizeof(ret->reason),
		"CUDA calls were recorded, but nothing that ran on a GPU (%zu launch%s): "
		"%zu call%s returned %d (%s), the first %.100s at %s; the program failed, and "
		"GPU rows may have been lost with it",
		n_launches, n_launches == 1 ? "" : "es", n, n == 1 ? "" : "s", result,
		wl_cuda_fatal_name(result), name[first] == WL_NONE ? "?" : wl_str(t, name[first]),
		wl_fmt_ns(at, wl_api_start(t)[first], WL_UNIT_AUTO));
	(void)snprintf(ret->remedy, sizeof(ret->remedy),
		       "find the error with compute-sanitizer, then record a run that ends "
		       "normally");
}

/* For traces in which the calls were recorded. */
static void explain_calls(const struct wl_trace *t, bool was_said, struct wl_no_gpu *ret)
{
	size_t n = count_launches(t), n_version, first, n_fatal = count_fatal(t, &first);
	const char *version = recorder(t, &n_version);
	char launches[96] = "";

	/* Checked before the usual reasons: a newer nsys does not help a program that failed. */
	if (n_fatal) {
		explain_error(t, first, n_fatal, ret);
		return;
	}
	if (n)
		(void)snprintf(launches, sizeof(launches), " (%zu launch%s%s%.*s)", n,
			       n == 1 ? "" : "es", n_version ? "; recorded by nsys " : "",
			       (int)(n_version < 20 ? n_version : 20), version);
	(void)snprintf(ret->reason, sizeof(ret->reason),
		       "CUDA calls were recorded, but nothing that ran on a GPU%s%s", launches,
		       was_said ? ""
				: ": usual reasons are a driver newer than nsys, missing "
				  "permissions, another profiler, or WSL");
	(void)snprintf(ret->remedy, sizeof(ret->remedy),
		       "run \"nsys status -e\", update nsys and record again; \"warplens api "
		       "TRACE\" lists the calls");
}

void wl_why_no_gpu(const struct wl_trace *t, struct wl_no_gpu *ret)
{
	const char *said;

	if (t->family[WL_F_API].present) {
		explain_calls(t, wl_messages_about_cuda(t, &said, 1) > 0, ret);
		return;
	}
	(void)snprintf(ret->reason, sizeof(ret->reason),
		       was_traced(t)
			       ? "CUDA was traced, but the program made no CUDA call that nsys "
				 "could record"
			       : "CUDA was not traced");
	(void)snprintf(ret->remedy, sizeof(ret->remedy),
		       was_traced(t)
			       ? "check that the program uses a GPU and ends normally; run "
				 "\"nsys status -e\", and update nsys if the driver is newer"
			       : "record with nsys profile --trace=cuda,nvtx,osrt COMMAND, or "
				 "warplens capture -- COMMAND");
}

/*
 * From the surest reason to the least sure: dropped rows, other work that is present, calls and
 * messages, and finally what to record. Recording CUDA is no remedy if it was recorded.
 */
int wl_fail_empty(const struct wl_trace *t, enum wl_family_id missing, struct wl_err *reterr)
{
	const struct wl_family_info *info = &wl_family_infos[missing];
	char said[SAID_ROOM];

	if (t->family[missing].n_dropped)
		return wl_fail(reterr, WL_E_NODATA,
			       "none of the %zu rows of %s has a valid time and device",
			       t->family[missing].n_dropped, info->help);
	if (wl_is_op(missing) && wl_has_operations(t))
		return wl_fail(reterr, WL_E_NODATA, "the trace has no %s", info->help);
	say(t, said);
	if (wl_is_op(missing) && t->family[WL_F_API].present) {
		struct wl_no_gpu why;

		wl_why_no_gpu(t, &why);
		return wl_fail(reterr, WL_E_NODATA, "%s; %s%s", why.reason, why.remedy, said);
	}
	if ((wl_is_op(missing) || missing == WL_F_API) && was_traced(t))
		return wl_fail(reterr, WL_E_NODATA, "CUDA was traced, but the trace has no %s%s",
			       info->help, said);
	return wl_fail(reterr, WL_E_NODATA, "the trace has no %s; record with %s", info->help,
		       info->capture);
}
