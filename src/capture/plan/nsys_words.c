/* SPDX-License-Identifier: MIT */
#include "capture/plan/nsys_words.h"

#include <string.h>

#include "capture/plan/plan_parts.h"

/* The parts of a gate, which nsys spreads over four options. */
struct gate_words {
	const char *delay, *duration, *range, *name;
};

struct taking {
	struct wl_planning p; /* for texts */
	struct gate_words gate;
	struct wl_nsys_setting *set;
	size_t n_set;
	struct wl_wishes *wishes;
	struct wl_nsys_words *ret;
	struct wl_err *reterr;
	wl_variable_fn *variable;
};

/* "%q{RANK}" is the variable; what else begins with a percent sign nsys knows in the run only. */
static int expand(struct taking *t, const char *value, const char **ret)
{
	const char *percent, *text = "";

	while ((percent = strchr(value, '%'))) {
		size_t n = strncmp(percent, "%q{", 3) == 0 ? strcspn(percent, "}") : 0;
		const char *name = wl_planf(&t->p, "%.*s", n > 3 ? (int)n - 3 : 0, percent + 3);
		const char *known = percent[1] == '%' ? "%"
				    : n && percent[n] ? t->variable(name)
						      : NULL;

		if (n && percent[n] && !known)
			return wl_fail(t->reterr, WL_E_USAGE,
				       "--output=%.80s: there is no variable %.60s", value, name);
		if (!known)
			return wl_fail(t->reterr, WL_E_USAGE,
				       "--output=%.80s: of %%, only %%q{NAME} is known before the "
				       "run; leave it out, each run has a directory of its own",
				       value);
		text = wl_planf(&t->p, "%s%.*s%s", text, (int)(percent - value), value, known);
		value = percent + (n ? n + 1 : 2);
	}
	*ret = wl_planf(&t->p, "%s%s", text, value);
	return WL_OK;
}

/* The directory of runs; who names a report means what stands before its ending. */
static int take_dir(struct taking *t, const char *value)
{
	static const char *const endings[] = { ".nsys-rep", ".qdrep" };
	int r = expand(t, value, &t->ret->dir);

	for (size_t i = 0; r == WL_OK && i < WL_COUNT(endings); i++) {
		size_t n = strlen(t->ret->dir), end = strlen(endings[i]);

		if (n > end && strcmp(t->ret->dir + n - end, endings[i]) == 0 &&
		    t->ret->dir[n - end - 1] != '/')
			t->ret->dir = wl_planf(&t->p, "%.*s", (int)(n - end), t->ret->dir);
	}
	return r;
}

static int take_delay(struct taking *t, const char *value)
{
	t->gate.delay = value;
	return WL_OK;
}

static int take_duration(struct taking *t, const char *value)
{
	t->gate.duration = value;
	return WL_OK;
}

static int take_range(struct taking *t, const char *value)
{
	t->gate.range = strcmp(value, "none") == 0 ? NULL : value;
	return WL_OK;
}

static int take_name(struct taking *t, const char *value)
{
	t->gate.name = value;
	return WL_OK;
}

static int take_overwrite(struct taking *t, const char *value)
{
	(void)value;
	t->ret->unneeded =
		wl_planf(&t->p, "%s--force-overwrite (each run has a directory of its own); ",
			 t->ret->unneeded);
	return WL_OK;
}

static int take_stats(struct taking *t, const char *value)
{
	(void)value;
	t->ret->unneeded =
		wl_planf(&t->p, "%s--stats (the summary is printed); ", t->ret->unneeded);
	return WL_OK;
}

static int take_export(struct taking *t, const char *value)
{
	if (strcmp(value, "sqlite") != 0 && strcmp(value, "none") != 0)
		return wl_fail(
			t->reterr, WL_E_USAGE,
			"--export=%.40s: capture exports SQLite; \"nsys export\" makes other "
			"formats of the report",
			value);
	t->ret->unneeded =
		wl_planf(&t->p, "%s--export (capture exports the report); ", t->ret->unneeded);
	return WL_OK;
}

static int refuse_session(struct taking *t, const char *value)
{
	return wl_fail(
		t->reterr, WL_E_USAGE,
		"--session-new=%.40s: capture names its sessions, as it stops them; leave it "
		"out",
		value);
}

/* What is not passed on to nsys as it is. */
static const struct {
	const char *name;
	int (*take)(struct taking *t, const char *value);
} own[] = {
	{ "--output", take_dir },
	{ "--delay", take_delay },
	{ "--duration", take_duration },
	{ "--capture-range", take_range },
	{ "--nvtx-capture", take_name },
	{ "--force-overwrite", take_overwrite },
	{ "--stats", take_stats },
	{ "--export", take_export },
	{ "--session-new", refuse_session },
	{ "--session", refuse_session },
};

static int take_one(struct taking *t, const struct wl_nsys_setting *s)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (strcmp(own[i].name, s->name) == 0)
			return own[i].take(t, s->value);
	}
	t->set[t->n_set++] = *s;
	t->ret->passed = wl_planf(&t->p, "%s %s=%s", t->ret->passed, s->name, s->value);
	return WL_OK;
}

/* The gate by the words of --gate; NULL for none. */
static int gate_text(struct taking *t, const char **ret)
{
	const struct gate_words *g = &t->gate;
	bool is_timed = g->delay || g->duration;

	*ret = NULL;
	if (is_timed && g->range)
		return wl_fail(t->reterr, WL_E_USAGE,
			       "--capture-range and --delay or --duration: a capture has one gate; "
			       "give one of them");
	if (g->name && (!g->range || strcmp(g->range, "nvtx") != 0))
		return wl_fail(t->reterr, WL_E_USAGE,
			       "--nvtx-capture needs --capture-range=nvtx; --gate nvtx:%.60s is "
			       "both",
			       g->name);
	if (g->range && strcmp(g->range, "nvtx") == 0 && !g->name)
		return wl_fail(t->reterr, WL_E_USAGE,
			       "--capture-range=nvtx needs --nvtx-capture=NAME@DOMAIN; --gate "
			       "nvtx:NAME@DOMAIN is both");
	if (g->range && strcmp(g->range, "nvtx") == 0)
		*ret = wl_planf(&t->p, "nvtx:%s", g->name);
	else if (g->range && strcmp(g->range, "cudaProfilerApi") == 0)
		*ret = "cuda-api";
	else if (g->range)
		return wl_fail(t->reterr, WL_E_USAGE,
			       "--capture-range=%.40s: captures begin by nvtx or cudaProfilerApi; "
			       "\"nsys profile\" has others",
			       g->range);
	else if (is_timed)
		*ret = wl_planf(&t->p, "%s%s%s%s%s", g->delay ? "delay:" : "",
				g->delay ? g->delay : "", g->delay && g->duration ? "," : "",
				g->duration ? "duration:" : "", g->duration ? g->duration : "");
	return WL_OK;
}

static int take_gate(struct taking *t, bool is_gated)
{
	const char *text;
	int r = gate_text(t, &text);

	if (r < 0 || !text)
		return r;
	if (is_gated)
		return wl_fail(t->reterr, WL_E_USAGE,
			       "--gate and nsys's options for it: a capture has one gate; %.80s is "
			       "what they say",
			       text);
	t->ret->ours = wl_planf(&t->p, "%s --gate %s", t->ret->ours, text);
	return wl_capture_gate_parse(text, &t->wishes->gate, t->reterr);
}

int wl_nsys_words_take(const struct wl_nsys_setting *given, size_t n, bool is_gated,
		       wl_variable_fn *variable, struct wl_arena *arena, struct wl_wishes *wishes,
		       struct wl_nsys_words *ret, struct wl_err *reterr)
{
	struct taking t = { .p = { .arena = arena },
			    .wishes = wishes,
			    .ret = ret,
			    .reterr = reterr,
			    .variable = variable,
			    .set = WL_NEW(arena, struct wl_nsys_setting, n + 1) };
	int r = WL_OK;

	*ret = (struct wl_nsys_words){ "", "", "", NULL };
	for (size_t i = 0; t.set && r == WL_OK && i < n; i++)
		r = take_one(&t, &given[i]);
	if (r == WL_OK && t.set)
		r = take_gate(&t, is_gated);
	if (r == WL_OK && ret->dir)
		ret->ours = wl_planf(&t.p, "%s --dir %s", ret->ours, ret->dir);
	if (r == WL_OK && (!t.set || t.p.is_failed))
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for the options of nsys");
	wishes->set = t.set;
	wishes->n_set = t.n_set;
	return r;
}
