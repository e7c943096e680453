/* SPDX-License-Identifier: MIT */
/* plan_ncu.c - the options of Nsight Compute that a wish asks for. */
#include <inttypes.h>
#include <string.h>

#include "base/text/clean.h"
#include "base/text/utf8.h"
#include "capture/plan/plan_parts.h"

/* One character of a name in a regular expression. */
static char *put_pattern(char *to, const char **name)
{
	const char *at = *name;
	uint32_t cp = wl_utf8_next(name);
	size_t n = (size_t)(*name - at);

	/* A line that is pasted holds no control; whether ncu counts bytes or characters, .+ fits.
	 */
	if (wl_clean_is_acting(cp))
		return stpcpy(to, n > 1 ? ".+" : ".");
	if (n == 1 && strchr("\\^$.|?*+()[]{}", *at))
		*to++ = '\\';
	memcpy(to, at, n);
	return to + n;
}

/* A regular expression that matches the name and, without controls in it, nothing else. */
static const char *exactly(struct wl_planning *p, const char *name)
{
	char *out = WL_NEW(p->arena, char, 2 * strlen(name) + 16), *to = out;

	if (!out) {
		p->is_failed = true;
		return "";
	}
	to = stpcpy(to, "regex:^");
	while (*name)
		to = put_pattern(to, &name);
	(void)stpcpy(to, "$");
	return out;
}

/* ncu writes the domain first, and a slash behind the name of a push/pop range. */
static void put_range(struct wl_planning *p, struct wl_argv_words *words)
{
	const char *range = p->w->gate.range, *at = strrchr(range, '@');

	wl_argv_words_add(words, "--nvtx");
	wl_argv_words_add(words, "--nvtx-include");
	if (at)
		wl_argv_words_addf(words, "%s@%.*s/", at + 1, (int)(at - range), range);
	else
		wl_argv_words_addf(words, "%s/", range);
}

static int put_gate(struct wl_planning *p, struct wl_argv_words *words)
{
	switch (p->w->gate.kind) {
	case WL_GATE_NONE:
		return WL_OK;
	case WL_GATE_NVTX:
		put_range(p, words);
		return WL_OK;
	case WL_GATE_CUDA_API:
		wl_argv_words_add(words, "--profile-from-start");
		wl_argv_words_add(words, "off");
		return WL_OK;
	case WL_GATE_TIME:
	case WL_GATE_STEPS:
		break;
	}
	return wl_fail(p->reterr, WL_E_USAGE,
		       "ncu has no gate by time; use nvtx:NAME@DOMAIN or cuda-api, or choose "
		       "launches");
}

/* Where a program has many launches, a few in the middle tell as much as all. */
static void put_kernel(struct wl_planning *p, const struct wl_plan_kernel *k,
		       struct wl_argv_words *words)
{
	const int64_t skip = k ? k->skip : 0, count = k ? k->count : 20;

	if (k) {
		wl_argv_words_add(words, "--kernel-name-base");
		wl_argv_words_add(words, "function");
		wl_argv_words_add(words, "--kernel-name");
		wl_argv_words_add(words, exactly(p, k->name));
		wl_argv_words_add(words, "--launch-skip");
		wl_argv_words_addf(words, "%" PRId64, skip);
	}
	wl_argv_words_add(words, "--launch-count");
	wl_argv_words_addf(words, "%" PRId64, count);
	if (!p->rank) { /* else the other ranks would wait for this one for ever */
		wl_argv_words_add(words, "--kill");
		wl_argv_words_add(words, "yes");
	}
}

static const char *set_of(const struct wl_planning *p)
{
	static const char *const sets[] = { [WL_PRESET_NORMAL] = "roofline",
					    [WL_PRESET_LIGHT] = "basic",
					    [WL_PRESET_FULL] = "full" };

	return sets[p->w->preset];
}

int wl_plan_ncu(struct wl_planning *p, const struct wl_plan_kernel *kernel, size_t number,
		struct wl_argv_words *words)
{
	int r;

	wl_argv_words_add(words, p->w->tool ? p->w->tool : "ncu");
	wl_argv_words_add(words, "--target-processes");
	wl_argv_words_add(words, "all");
	put_kernel(p, kernel, words);
	r = put_gate(p, words);
	wl_argv_words_add(words, "--set");
	wl_argv_words_add(words, set_of(p));
	wl_argv_words_add(words, "--clock-control");
	wl_argv_words_add(words, "base");
	wl_argv_words_add(words, "--cache-control");
	wl_argv_words_add(words, "all");
	wl_argv_words_add(words, "--force-overwrite");
	wl_argv_words_add(words, "--export");
	if (number)
		wl_argv_words_addf(words, "%s.kernel%zu", p->output, number);
	else
		wl_argv_words_add(words, p->output);
	wl_plan_note(p, "ncu locks the clocks to base: do not compare its durations with those of "
			"nsys");
	return r;
}
