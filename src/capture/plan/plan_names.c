/* SPDX-License-Identifier: MIT */
/* plan_names.c - goals, launchers and gates by their names. */
#include <stdlib.h>
#include <string.h>

#include "capture/plan/plan.h"

const char *const wl_goal_names[] = { "any", "launch", "nccl", "host", "memory", "ncu", NULL };
const char *const wl_launcher_names[] = { "plain",     "torchrun",   "mpirun", "slurm",
					  "container", "kubernetes", NULL };

/* The number of the name, or -1. */
static int find(const char *const *names, const char *text)
{
	for (int i = 0; names[i]; i++) {
		if (strcmp(names[i], text) == 0)
			return i;
	}
	return -1;
}

int wl_goal_parse(const char *text, enum wl_goal *ret, struct wl_err *reterr)
{
	int i = find(wl_goal_names, text);

	if (i < 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "\"%.60s\" is no goal; goals are any, launch, nccl, host, memory "
			       "and ncu",
			       text);
	*ret = (enum wl_goal)i;
	return WL_OK;
}

int wl_launcher_parse(const char *text, enum wl_launcher *ret, struct wl_err *reterr)
{
	int i = find(wl_launcher_names, text);

	if (i < 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "\"%.60s\" is no launcher; launchers are plain, torchrun, mpirun, "
			       "slurm, container and kubernetes",
			       text);
	*ret = (enum wl_launcher)i;
	return WL_OK;
}

static int refuse(const char *text, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE,
		       "gate \"%.100s\": say none, nvtx:NAME@DOMAIN, cuda-api, "
		       "delay:SECONDS,duration:SECONDS or steps:N, which takes these, too",
		       text);
}

/* "key:N" at *at, moved behind it and a comma; N in 1..most. */
static bool take_number(const char **at, const char *key, int64_t most, int64_t *ret)
{
	size_t n = strlen(key);
	char *end;
	long long value;

	if (strncmp(*at, key, n) != 0 || (*at)[n] < '0' || (*at)[n] > '9')
		return false;
	value = strtoll(*at + n, &end, 10);
	if (value < 1 || value > most || (*end && *end != ','))
		return false;
	*ret = value;
	*at = *end ? end + 1 : end;
	return true;
}

int wl_capture_gate_parse(const char *text, struct wl_capture_gate *ret, struct wl_err *reterr)
{
	enum { MOST_SECONDS = 1000000, MOST_WINDOWS = 4 };
	struct wl_capture_gate g = { .kind = WL_GATE_NONE };
	const char *at = text;

	if (strncmp(text, "nvtx:", 5) == 0 && text[5] && text[5] != '@') {
		g.kind = WL_GATE_NVTX;
		g.range = text + 5;
		at = "";
	} else if (strcmp(text, "cuda-api") == 0) {
		g.kind = WL_GATE_CUDA_API;
		at = "";
	} else if (strcmp(text, "none") == 0) {
		at = "";
	} else {
		bool is_steps = take_number(&at, "steps:", MOST_WINDOWS, &g.windows);
		bool is_delayed = take_number(&at, "delay:", MOST_SECONDS, &g.delay_s);
		bool is_limited = take_number(&at, "duration:", MOST_SECONDS, &g.duration_s);

		g.kind = is_steps                   ? WL_GATE_STEPS
			 : is_delayed || is_limited ? WL_GATE_TIME
						    : WL_GATE_NONE;
	}
	if (!*text || *at)
		return refuse(text, reterr);
	*ret = g;
	return WL_OK;
}
