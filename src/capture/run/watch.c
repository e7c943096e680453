/* SPDX-License-Identifier: MIT */
#include "capture/run/watch.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define NS_PER_MS    INT64_C(1000000)
#define NS_PER_S     (1000 * NS_PER_MS)
#define LEFTOVERS_NS (5 * NS_PER_S)
#define START_NS                                                                                   \
	(60 * NS_PER_S)           /* for nsys to start the program; it hangs where TMPDIR is full  \
				   */
#define SETTLED_NS NS_PER_S       /* no helper of nsys lives that long */
#define TERM_NS    (2 * NS_PER_S) /* between SIGTERM and SIGKILL */

enum { POLL_MS = 20 };

enum stage {
	RUNNING,
	PROGRAM_ASKED, /* the signal went to the program */
	TOOL_ASKED,    /* SIGINT went to the profiler */
	TERMINATED,    /* SIGTERM went to all processes */
	KILLED,
};

struct watching {
	const struct wl_watch *w;
	struct wl_watched *ret;
	struct wl_child child;
	struct wl_kinship kin;
	int64_t now, looked_ns, look_cost, stage_ns, program_end_ns, program_begin_ns, idle_ns;
	enum stage stage;
	bool is_main_over, has_status;
	pid_t program, program_parent;
	int seen; /* signals */
};

static void say(const struct watching *s, const char *line)
{
	if (s->w->say)
		s->w->say(s->w->ctx, line);
}

static int signals(const struct watching *s)
{
	return s->w->signals.count ? *s->w->signals.count : 0;
}

static bool is_running(const struct watching *s)
{
	return wl_kin_count_programs(&s->kin) > 0;
}

/*
 * When a process was started on our clock, if that agrees with when it was seen. Ticks of 10 ms are
 * rounded down: no program begins before what started it.
 */
static int64_t begin_of(const struct watching *s, const struct wl_kin *kin)
{
	const long ticks = sysconf(_SC_CLK_TCK);
	const int64_t begin = ticks > 0 ? kin->start * (NS_PER_S / ticks) : 0;

	if (begin > s->now || s->now - begin >= 10 * NS_PER_S)
		return s->now;
	return begin > s->child.begin_ns ? begin : s->child.begin_ns;
}

/*
 * The first program is the one whose life is measured and whose status counts. nsys runs helpers
 * of its own now and then: if what was taken for the program has ended and another one runs, that
 * is it.
 */
static void note_program(struct watching *s)
{
	const struct wl_kin *first = NULL;

	for (size_t i = 0; i < s->kin.n; i++) {
		const struct wl_kin *k = &s->kin.kin[i];
		const struct wl_kin *parent = wl_kin_find(&s->kin, k->parent);

		if (k->is_program && !(parent && parent->is_program) &&
		    (!first || k->start < first->start))
			first = k;
	}
	if (!first)
		return;
	s->ret->has_program = true;
	s->program = first->pid;
	s->program_parent = first->parent;
	s->program_end_ns = 0;
	s->has_status = false;
	s->program_begin_ns = begin_of(s, first);
}

/* The program is known for sure. Until then a helper of nsys may have been taken for it. */
static bool is_settled(const struct watching *s)
{
	const int64_t end = s->program_end_ns ? s->program_end_ns : s->now;

	return s->ret->has_program && (s->is_main_over || end - s->program_begin_ns >= SETTLED_NS);
}

static void look(struct watching *s)
{
	const bool is_rare = is_settled(s);
	const int64_t wait = (is_rare ? 20 : 5) * s->look_cost;
	const int64_t least = (is_rare ? 100 : 15) * NS_PER_MS;

	if (s->looked_ns && s->now - s->looked_ns < (wait > least ? wait : least))
		return;
	s->looked_ns = s->now;
	(void)wl_kinship_look(&s->kin, s->child.pid, s->w->kind); /* none: as if they had ended */
	if (!s->ret->has_program || (s->program_end_ns && is_running(s) && !s->is_main_over))
		note_program(s);
	if (!s->ret->has_cuda)
		s->ret->has_cuda = wl_kin_has_cuda(&s->kin);
	s->look_cost = wl_clock_wall_ns() - s->now;
}

static void reap(struct watching *s)
{
	struct wl_child_end end;
	pid_t pid;

	while ((pid = wl_child_reap(&end)) > 0) {
		if (pid == s->child.pid) {
			s->is_main_over = true;
			s->ret->tool = end;
			s->looked_ns = 0;
			s->ret->has_outlived =
				s->program && s->program_end_ns == 0 && kill(s->program, 0) == 0;
		} else if (s->program &&
			   (pid == s->program || (pid == s->program_parent && !s->has_status))) {
			s->has_status = true;
			s->ret->program = end;
		}
		if (s->w->reaped)
			s->w->reaped(s->w->ctx, pid, &end);
	}
}

/* A program that ended is noticed at once: its launcher reaps it. */
static void note_end(struct watching *s)
{
	if (s->program && s->program_end_ns == 0 && kill(s->program, 0) < 0) {
		s->program_end_ns = s->now;
		s->looked_ns = 0;
	}
}

static void enter(struct watching *s, enum stage stage)
{
	s->stage = stage;
	s->stage_ns = s->now;
	s->looked_ns = 0;
	s->seen = signals(s);
}

static void ask_program(struct watching *s, int number)
{
	s->ret->signal = number;
	if (is_running(s)) {
		enter(s, PROGRAM_ASKED);
		wl_kin_signal_programs(&s->kin, number);
		say(s, "asked the program to end");
	} else if (s->ret->has_program) {
		enter(s, PROGRAM_ASKED);
		say(s, "the report is being written; a second signal stops that");
	} else {
		enter(s, TOOL_ASKED);
		(void)kill(s->child.pid, SIGINT);
	}
}

static void ask_tool(struct watching *s)
{
	enter(s, TOOL_ASKED);
	if (s->w->kind == WL_KIN_MAIN_PROGRAM || s->is_main_over)
		wl_kin_signal_programs(&s->kin, SIGTERM);
	else
		(void)kill(s->child.pid, SIGINT);
	say(s, s->is_main_over ? "the program does not end: sent SIGTERM"
			       : "the program does not end: asked the profiler to stop it");
}

static void terminate(struct watching *s)
{
	if (!s->is_main_over && s->w->kind != WL_KIN_MAIN_PROGRAM)
		s->ret->is_killed = true;
	enter(s, TERMINATED);
	(void)wl_kinship_look(&s->kin, s->child.pid, s->w->kind);
	wl_kin_signal_all(&s->kin, SIGTERM);
	say(s, "ending what is left");
}

static void kill_all(struct watching *s)
{
	enter(s, KILLED);
	(void)wl_kinship_look(&s->kin, s->child.pid, s->w->kind);
	wl_kin_signal_all(&s->kin, SIGKILL);
}

/* How long the stage may last before the next one. */
static int64_t due(const struct watching *s)
{
	switch (s->stage) {
	case RUNNING:
		break;
	case PROGRAM_ASKED:
		return is_running(s) ? s->w->grace_ns : s->w->patience_ns;
	case TOOL_ASKED:
		return s->is_main_over ? TERM_NS : s->w->patience_ns;
	case TERMINATED:
	case KILLED:
		return TERM_NS;
	}
	return INT64_MAX;
}

static void advance(struct watching *s)
{
	switch (s->stage) {
	case RUNNING:
		break;
	case PROGRAM_ASKED:
		ask_tool(s);
		break;
	case TOOL_ASKED:
		terminate(s);
		break;
	case TERMINATED:
	case KILLED:
		kill_all(s);
		break;
	}
}

/* The report takes too long, or the program was never started. */
static bool is_stuck(const struct watching *s)
{
	if (s->is_main_over || s->w->kind == WL_KIN_MAIN_PROGRAM || is_running(s))
		return false;
	if (s->program_end_ns)
		return s->now - s->program_end_ns > s->w->patience_ns;
	return s->w->kind == WL_KIN_MAIN_TOOL && !s->ret->has_program &&
	       s->now - s->child.begin_ns > START_NS;
}

static void steer(struct watching *s)
{
	if (s->stage != RUNNING) {
		if (s->now - s->stage_ns >= due(s) ||
		    (signals(s) != s->seen && s->now - s->stage_ns > 200 * NS_PER_MS))
			advance(s);
		return;
	}
	if (signals(s) != s->seen) {
		ask_program(s, *s->w->signals.last);
	} else if (s->w->limit_ns && s->program && !s->program_end_ns &&
		   s->now - s->program_begin_ns >= s->w->limit_ns) {
		s->ret->is_limited = true;
		ask_program(s, SIGTERM);
		s->ret->signal = 0;
	} else if (is_stuck(s)) {
		say(s, "the profiler does not end");
		terminate(s);
	}
}

/* For the agent of nsys to end after nsys; "nsys stop" may still write a report. */
static int64_t leftovers_ns(const struct watching *s)
{
	return s->w->tick ? s->w->patience_ns : LEFTOVERS_NS;
}

/* Everything has ended; tools that stay behind get some seconds, and then are ended. */
static bool is_over(struct watching *s)
{
	if (!s->is_main_over || is_running(s)) {
		s->idle_ns = 0;
		return false;
	}
	if (s->looked_ns && wl_kin_count_others(&s->kin, s->child.pid) == 0)
		return true;
	if (s->idle_ns == 0)
		s->idle_ns = s->now;
	if (s->now - s->idle_ns > leftovers_ns(s) && s->stage < TERMINATED)
		terminate(s);
	return s->now - s->idle_ns > leftovers_ns(s) + 3 * TERM_NS;
}

static void finish(struct watching *s)
{
	struct wl_watched *r = s->ret;

	wl_child_pump(&s->child, 0);
	reap(s);
	/* nsys passes the status on, but not after a duration; its launcher always does */
	if (!s->has_status && r->is_killed)
		r->program = (struct wl_child_end){ .signal = SIGKILL };
	else if (!s->has_status ||
		 (!r->has_outlived && !r->is_killed && wl_child_status(&r->tool) != 0))
		r->program = r->tool;
	r->program_ns = -1;
	if (s->program)
		r->program_ns =
			(s->program_end_ns ? s->program_end_ns : s->now) - s->program_begin_ns;
	r->tool_ns = s->now - s->child.begin_ns;
	r->n_tail = s->child.n_tail;
	memcpy(r->tail, s->child.tail, s->child.n_tail + 1);
	wl_child_close(&s->child);
	wl_kinship_release(&s->kin);
}

static void tick(struct watching *s)
{
	const struct wl_watch_now now = { .now_ns = s->now,
					  .has_program = s->ret->has_program,
					  .is_running = is_running(s),
					  .is_stopping = s->stage != RUNNING,
					  .program_begin_ns = s->program_begin_ns };

	if (s->w->tick)
		s->w->tick(s->w->ctx, &now);
}

int wl_watch_run(const struct wl_watch *watch, struct wl_watched *ret, struct wl_err *reterr)
{
	struct watching s = { .w = watch, .ret = ret };
	int r;

	*ret = (struct wl_watched){ .program_ns = -1 };
	s.seen = 0;
	wl_child_adopt(true);
	r = wl_child_start(&(struct wl_child_how){ .argv = watch->argv,
						   .env = watch->env,
						   .out = watch->out,
						   .err = watch->err,
						   .has_input = watch->has_input },
			   &s.child, reterr);
	while (r == WL_OK) {
		wl_child_pump(&s.child, POLL_MS);
		s.now = wl_clock_wall_ns();
		reap(&s);
		note_end(&s);
		look(&s);
		if (is_over(&s))
			break;
		steer(&s);
		tick(&s);
	}
	if (r == WL_OK)
		finish(&s);
	wl_child_adopt(false);
	return r;
}
