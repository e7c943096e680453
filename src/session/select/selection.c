/* SPDX-License-Identifier: MIT */
#include "session/select/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"
#include "derive/nvtx/ranks.h"
#include "session/select/selectable.h"
#include "session/select/window.h"

/* Bytes for the parsed lists of a command line. */
enum { LISTS_BUDGET = 1 << 20 };

/* One element of a list: numbers lo..hi, or text where it is none. */
struct item {
	bool is_number;
	int64_t lo, hi;
	const char *text;
	bool used; /* something matched it */
};

struct list {
	struct item *item;
	size_t n;
};

static bool parse_number(const char *text, int64_t *ret)
{
	return *text && wl_parse_i64(text, ret, NULL) == WL_OK && *ret >= 0;
}

/* lo..hi, and lo-hi as many write it. */
static bool parse_range(char *text, const char *glue, struct item *ret)
{
	char *at = strstr(text, glue);

	if (!at)
		return false;
	*at = '\0';
	ret->is_number = parse_number(text, &ret->lo) && parse_number(at + strlen(glue), &ret->hi);
	/*
	 * The text is put back together: it may be a name (PID:ORDINAL, a UUID with dashes), or be
	 * quoted in an error.
	 */
	*at = *glue;
	return ret->is_number;
}

static bool parse_item(char *text, struct item *ret)
{
	*ret = (struct item){ .text = text };
	if (parse_range(text, "..", ret) || parse_range(text, "-", ret))
		return ret->lo <= ret->hi;
	if (strstr(text, ".."))
		return false;
	ret->is_number = parse_number(text, &ret->lo);
	ret->hi = ret->lo;
	return *text != '\0';
}

/* "0,2..3". Text other than numbers is allowed only where named says so. */
static int parse_list(const char *option, const char *spec, bool named, struct wl_arena *arena,
		      struct list *ret, struct wl_err *reterr)
{
	char *copy = wl_arena_strdup(arena, spec), *next = copy;
	size_t n = 1;

	for (const char *p = spec; *p; p++)
		n += *p == ',';
	ret->item = WL_NEW(arena, struct item, n);
	ret->n = 0;
	if (!copy || !ret->item)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory", option);
	while (next) {
		char *comma = strchr(next, ',');

		if (comma)
			*comma = '\0';
		/*
		 * A leading dash is a negative number or a mistyped option, and no name begins with
		 * one.
		 */
		if (!parse_item(next, &ret->item[ret->n]) ||
		    (!ret->item[ret->n].is_number && !(named && *next != '-')))
			return wl_fail(
				reterr, WL_E_USAGE,
				"%s %.100s: \"%.60s\" is not a number or a range such as 2..5%s",
				option, spec, next,
				named ? ", a PID:ORDINAL or the start of a UUID" : "");
		ret->n++;
		next = comma ? comma + 1 : NULL;
	}
	return WL_OK;
}

static bool admits(struct list *l, int64_t v)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		struct item *it = &l->item[i];

		if (it->is_number && v >= it->lo && v <= it->hi)
			any = it->used = true;
	}
	return any;
}

/* PID:ORDINAL of the place, or the beginning of its device's UUID, with or without "GPU-". */
static bool names_place(const struct wl_trace *t, const struct wl_place *p, const char *text)
{
	const struct wl_device *d = &t->devices[p->device];
	const char *uuid = d->uuid == WL_NONE ? "" : wl_str(t, d->uuid);
	char key[64];

	(void)snprintf(key, sizeof(key), "%" PRIu32 ":%" PRIu32, t->processes[p->process].pid,
		       p->ordinal);
	if (strcmp(key, text) == 0)
		return true;
	/* The prefix is the same for all GPUs, so it may be left out. */
	if (strncasecmp(uuid, "GPU-", 4) == 0 && strncasecmp(text, "GPU-", 4) != 0)
		uuid += 4;
	/* Shorter beginnings would match by chance, and look like a mistyped number. */
	return strlen(text) >= 4 && strncasecmp(uuid, text, strlen(text)) == 0;
}

static bool admits_gpu(struct list *l, const struct wl_trace *t, const struct wl_place *p)
{
	bool any = admits(l, p->device);

	for (size_t i = 0; i < l->n; i++) {
		struct item *it = &l->item[i];

		if (!it->is_number && names_place(t, p, it->text))
			any = it->used = true;
	}
	return any;
}

struct lists {
	struct list gpu, pid, rank, stream;
};

static int parse_lists(const struct wl_selection *s, struct wl_arena *arena, struct lists *l,
		       struct wl_err *reterr)
{
	int r = WL_OK;

	*l = (struct lists){ .gpu = { .n = 0 } };
	if (s->gpu)
		r = parse_list("--gpu", s->gpu, true, arena, &l->gpu, reterr);
	if (r == WL_OK && s->pid)
		r = parse_list("--pid", s->pid, false, arena, &l->pid, reterr);
	if (r == WL_OK && s->rank)
		r = parse_list("--rank", s->rank, false, arena, &l->rank, reterr);
	if (r == WL_OK && s->stream)
		r = parse_list("--stream", s->stream, false, arena, &l->stream, reterr);
	return r;
}

int wl_selection_check(const struct wl_selection *s, struct wl_arena *arena, struct wl_err *reterr)
{
	struct wl_window window;
	struct lists l;
	int r = parse_lists(s, arena, &l, reterr);

	return r < 0 ? r : wl_window_parse(s->window, &window, reterr);
}

/* The flags of a scope while they are set. */
struct flags {
	bool *device, *place, *process;
};

static void admit(const struct wl_selection *s, struct lists *l, const struct wl_trace *t,
		  const struct wl_ranks *ranks, const struct flags *on)
{
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process *p = &t->processes[i];
		bool pid = !s->pid || admits(&l->pid, p->pid);
		bool rank = !s->rank || (ranks->of[i] >= 0 && admits(&l->rank, ranks->of[i]));

		on->process[i] = pid && rank;
	}
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *p = &t->places[i];
		bool stream, gpu;

		if (p->device == WL_NONE)
			continue;
		stream = !s->stream || admits(&l->stream, p->stream);
		gpu = !s->gpu || admits_gpu(&l->gpu, t, p);
		on->place[i] = on->process[p->process] && stream && gpu;
		on->device[p->device] = on->device[p->device] || on->place[i];
	}
	/*
	 * A selection by pid or rank keeps the host rows of processes without GPU work. One by GPU
	 * or stream keeps only processes that have work there.
	 */
	if (!s->gpu && !s->stream)
		return;
	for (size_t i = 0; i < t->n_processes; i++)
		on->process[i] = false;
	for (size_t i = 0; i < t->n_places; i++) {
		if (on->place[i])
			on->process[t->places[i].process] = true;
	}
}

struct named {
	const char *option, *given;
	const struct list *list;
	enum wl_selectable what;
};

static size_t count_used(const struct list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->item[i].used;
	return n;
}

struct checking {
	const struct wl_trace *trace;
	const struct wl_ranks *ranks;
	struct wl_scope_notes *notes;
	struct wl_arena *arena;
	struct wl_err *reterr;
};

/* A list of which nothing is in the trace is an error; one of which a part is not, a note. */
static int check_used(const struct checking *c, const struct named *named)
{
	const struct list *l = named->list;
	const char *what;

	/* Ranks are of processes, but operations are always loaded for them. */
	bool is_of_gpu = named->what != WL_SELECT_PID;

	/* That a trace has no such rows at all is for the analysis to say. */
	if (!named->given || count_used(l) == l->n || c->trace->n_processes == 0 ||
	    (is_of_gpu && c->trace->n_places == 0))
		return WL_OK;
	what = wl_selectable_say(c->trace, c->ranks, named->what, c->arena);
	if (count_used(l) == 0)
		return wl_fail(c->reterr, WL_E_NOMATCH, "%s %.60s: %s", named->option, named->given,
			       what);
	for (size_t i = 0; i < l->n; i++) {
		if (!l->item[i].used)
			wl_scope_note(c->notes, c->arena, "%s %.60s: %s", named->option,
				      l->item[i].text, what);
	}
	return WL_OK;
}

static bool admits_any(const bool *on, size_t n)
{
	size_t i = 0;

	while (i < n && !on[i])
		i++;
	return i < n;
}

static int check_selected(const struct checking *c, const struct wl_selection *s,
			  const struct lists *l, const struct flags *on)
{
	const struct named all[] = { { "--gpu", s->gpu, &l->gpu, WL_SELECT_GPU },
				     { "--pid", s->pid, &l->pid, WL_SELECT_PID },
				     { "--rank", s->rank, &l->rank, WL_SELECT_RANK },
				     { "--stream", s->stream, &l->stream, WL_SELECT_STREAM } };
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < WL_COUNT(all); i++)
		r = check_used(c, &all[i]);
	/* Each list names something, but no operation is in all of them. */
	if (r == WL_OK && (s->gpu || s->stream) && c->trace->n_places &&
	    !admits_any(on->process, c->trace->n_processes))
		r = wl_fail(c->reterr, WL_E_NOMATCH,
			    "nothing in the trace matches this combination of --gpu, --pid, "
			    "--rank and --stream");
	return r;
}

void wl_selection_want(const struct wl_selection *s, struct wl_wanted *wanted)
{
	struct wl_window w;
	/*
	 * A malformed window wants nothing here; wl_selection_check() has refused it with its
	 * message.
	 */
	bool parsed = wl_window_parse(s->window, &w, NULL) == WL_OK;

	/* Any operation column brings the start, length and place of all operations along. */
	if (s->gpu || s->stream || s->rank || (parsed && (w.begin_relative || w.end_relative)))
		wl_columns_add(&wanted->columns, WL_KERNELS_PLACE);
	if (s->rank)
		wl_want(wanted, WL_FROM(RANKS), NULL);
	if (parsed && w.kind == WL_WINDOW_NVTX)
		wl_want(wanted, WL_FROM(PROJECTION), NULL);
	if (parsed && wl_window_is_iterations(&w))
		wl_want(wanted, WL_FROM(ITERATIONS), NULL);
}

/* Starts of all that has a time, with its thread or place. */
static const enum wl_column_id rest_columns[] = { WL_OP_STARTS, WL_API_START, WL_NVTX_START,
						  WL_OSRT_START, WL_N_COLUMNS };

void wl_selection_rest(struct wl_columns *set)
{
	for (const enum wl_column_id *c = rest_columns; *c != WL_N_COLUMNS; c++)
		wl_columns_add(set, *c);
}

static bool has_all(struct list *pids, const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_processes; i++)
		(void)admits(pids, t->processes[i].pid);
	return count_used(pids) == pids->n;
}

bool wl_selection_is_judged(const struct wl_selection *s, const struct wl_trace *t)
{
	struct wl_arena arena;
	struct wl_window w;
	struct lists l;
	bool ok = wl_window_parse(s->window, &w, NULL) < 0 || wl_window_is_within(&w, t);

	wl_arena_init(&arena, LISTS_BUDGET);
	if (ok && s->pid && parse_lists(s, &arena, &l, NULL) == WL_OK)
		ok = has_all(&l.pid, t);
	wl_arena_release(&arena);
	return ok;
}

int wl_selection_resolve(const struct wl_selection *s, const struct wl_derived *derived,
			 struct wl_arena *arena, struct wl_scope *ret_scope,
			 struct wl_scope_notes *ret_notes, struct wl_err *reterr)
{
	const struct wl_trace *t = derived->trace;
	struct flags on = { WL_NEW(arena, bool, t->n_devices), WL_NEW(arena, bool, t->n_places),
			    WL_NEW(arena, bool, t->n_processes) };
	struct wl_interval *device = WL_NEW(arena, struct wl_interval, t->n_devices);
	struct wl_interval *process = WL_NEW(arena, struct wl_interval, t->n_processes);
	struct wl_window window;
	struct lists l;
	int r = parse_lists(s, arena, &l, reterr);

	*ret_notes = (struct wl_scope_notes){ .n = 0 };
	if (r == WL_OK)
		r = wl_window_parse(s->window, &window, reterr);
	if (r < 0)
		return r;
	if (!on.device || !on.place || !on.process || !device || !process)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the selection", t->path);
	admit(s, &l, t, derived->ranks, &on);
	r = check_selected(&(struct checking){ t, derived->ranks, ret_notes, arena, reterr }, s, &l,
			   &on);
	if (r < 0)
		return r;
	*ret_scope = (struct wl_scope){ .device = device,
					.device_on = on.device,
					.place_on = on.place,
					.process = process,
					.process_on = on.process };
	return wl_window_apply(
		&window,
		&(struct wl_windowing){ derived, ret_scope, device, process, ret_notes, arena },
		reterr);
}
