#include "analysis/empty.h"

#include <stdio.h>
#include <string.h>

enum { WARNING = 2, ERROR = 3, MAX_SAID = 2, SAID_ROOM = 300 };

const enum wl_column_id wl_empty_columns[] = { WL_DIAGNOSTICS_SEVERITY, WL_DIAGNOSTICS_TEXT,
					       WL_API_NAME, WL_N_COLUMNS };

static bool is_operation(enum wl_family_id family)
{
	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++) {
		if (wl_op_families[i] == family)
			return true;
	}
	return false;
}

bool wl_has_operations(const struct wl_trace *t)
{
	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++) {
		if (t->family[wl_op_families[i]].present)
			return true;
	}
	return false;
}

/* The capture was asked for CUDA: nsys lists what it collects, one row each. */
static bool was_traced(const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_meta; i++) {
		if (strcmp(wl_str(t, t->meta[i].name), "CAPTURE_EVENT_TYPE") == 0 &&
		    strcmp(wl_str(t, t->meta[i].value), "Cuda") == 0)
			return true;
	}
	return false;
}

/* The first warnings of the profiler that speak of CUDA, each once; "" when there are none. */
static void say(const struct wl_trace *t, char out[SAID_ROOM])
{
	const uint8_t *severity = wl_diagnostics_severity(t);
	const uint32_t *text = wl_diagnostics_text(t);
	size_t n = severity && text ? t->family[WL_F_DIAGNOSTICS].n : 0, used = 0, n_said = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n && n_said < MAX_SAID && used < SAID_ROOM; i++) {
		const char *said = text[i] == WL_NONE ? "" : wl_str(t, text[i]);

		if ((severity[i] != WARNING && severity[i] != ERROR) || !strstr(said, "CUDA") ||
		    strstr(out, said))
			continue;
		used += (size_t)snprintf(out + used, SAID_ROOM - used, "%s\"%.120s\"",
					 n_said++ ? " " : "; the profiler said: ", said);
	}
	/* Some messages have lines; an error is one. */
	for (char *c = strchr(out, '\n'); c; c = strchr(c, '\n'))
		*c = ' ';
}

/* 0 where names were not loaded. */
static size_t count_launches(const struct wl_trace *t)
{
	const uint32_t *name = wl_api_name(t);
	size_t n = 0;

	for (size_t i = 0; name && i < t->family[WL_F_API].n; i++)
		n += name[i] != WL_NONE && strstr(wl_str(t, name[i]), "Launch");
	return n;
}

static int fail_without_operations(const struct wl_analysis *a, const struct wl_trace *t,
				   const char *said, struct wl_err *reterr)
{
	size_t n = count_launches(t);
	char launches[64] = "";

	if (n)
		(void)snprintf(launches, sizeof(launches), " (%zu launch call%s)", n,
			       n == 1 ? "" : "s");
	return wl_fail(reterr, WL_E_NODATA,
		       "%s: CUDA calls were recorded, but nothing that ran on a GPU%s; \"warplens "
		       "api TRACE\" lists the calls%s",
		       a->name, launches, said);
}

/* To record CUDA again is no remedy where that was done. */
int wl_fail_empty(const struct wl_analysis *a, const struct wl_trace *t, enum wl_family_id missing,
		  struct wl_err *reterr)
{
	const struct wl_family_info *info = &wl_family_infos[missing];
	char said[SAID_ROOM];

	if (t->family[missing].n_dropped)
		return wl_fail(reterr, WL_E_NODATA,
			       "%s: none of the %zu rows of %s has a valid time and device",
			       a->name, t->family[missing].n_dropped, info->help);
	if (is_operation(missing) && wl_has_operations(t))
		return wl_fail(reterr, WL_E_NODATA, "%s: the trace has no %s", a->name, info->help);
	say(t, said);
	if (is_operation(missing) && t->family[WL_F_API].present)
		return fail_without_operations(a, t, said, reterr);
	if ((is_operation(missing) || missing == WL_F_API) && was_traced(t))
		return wl_fail(reterr, WL_E_NODATA,
			       "%s: CUDA was traced, but the trace has no %s%s", a->name,
			       info->help, said);
	return wl_fail(reterr, WL_E_NODATA, "%s: the trace has no %s; record with %s", a->name,
		       info->help, info->capture);
}
