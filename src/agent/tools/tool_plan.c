/* SPDX-License-Identifier: MIT */
/* tool_plan.c - the tool that plans a capture: it gives command lines and does not run them. */
#include <string.h>

#include "agent/tools/call.h"
#include "agent/tools/handles.h"
#include "agent/tools/recapture.h"
#include "agent/tools/schema.h"
#include "analysis/capture/coach.h"
#include "base/text/shell.h"
#include "capture/plan/plan.h"

enum { MAX_WORDS = 64, TEXT_CAP = 4000, MAX_QUESTIONS = 16 };

/* A plan being made. */
struct planning {
	struct wl_wishes wishes;
	const char *word[MAX_WORDS + 1]; /* as given */
	size_t n_words;
	bool has_goal, has_launcher;
	struct wl_recapture recapture; /* of the trace */
	const char *path;              /* path of the trace, or NULL */
	bool wants_payloads;           /* wants NCCL payloads, which an export omits by default */
	struct wl_document coach;      /* of the trace; no sections if no trace is given */
	struct wl_capture_plan plan;
};

/* Split a command line given as text into words; a list is already split. */
static int take_program(struct wl_tool_call *c, struct planning *p, struct wl_err *reterr)
{
	const struct wl_json *given = c->args ? wl_json_member(c->args, "program") : NULL;
	const char *lines;
	size_t n = 0;
	int r = wl_call_text_of(c, "program", given, '\n', &lines, reterr);
	bool is_list = given && wl_json_type_of(given) == WL_JSON_ARRAY;

	if (r < 0)
		return r;
	while (lines && *lines) {
		size_t length = is_list ? strcspn(lines, "\n") : wl_shell_word_length(lines);

		if (length == 0 || n == MAX_WORDS)
			return wl_fail(reterr, WL_E_USAGE, "program: give at most %d words",
				       MAX_WORDS);
		p->word[n++] = wl_call_printf(c, "%.*s", (int)length, lines);
		if (!p->word[n - 1])
			return wl_fail(reterr, WL_E_NOMEM, "no memory for the plan");
		lines += length;
		lines += strspn(lines, is_list ? "\n" : " ");
	}
	p->n_words = n;
	return WL_OK;
}

static int take_wishes(struct wl_tool_call *c, struct planning *p, struct wl_err *reterr)
{
	const char *goal = NULL, *launcher = NULL, *gate = NULL;
	int r = wl_call_text(c, "for", &goal, reterr);

	if (r == WL_OK && goal)
		r = wl_goal_parse(goal, &p->wishes.goal, reterr);
	p->has_goal = r == WL_OK && goal;
	if (r == WL_OK)
		r = wl_call_text(c, "launcher", &launcher, reterr);
	if (r == WL_OK && launcher)
		r = wl_launcher_parse(launcher, &p->wishes.launcher, reterr);
	p->has_launcher = r == WL_OK && launcher;
	if (r == WL_OK)
		r = wl_call_text(c, "gate", &gate, reterr);
	if (r == WL_OK && gate)
		r = wl_capture_gate_parse(gate, &p->wishes.gate, reterr);
	if (r == WL_OK)
		r = wl_call_text(c, "ranks", &p->wishes.ranks, reterr);
	if (r == WL_OK)
		r = wl_call_text(c, "nsys_version", &p->wishes.version, reterr);
	return r;
}

/* What the goal's questions, and those for every trace, lack in the data. */
static uint32_t find_lacks(const struct planning *p, bool all)
{
	const struct wl_view *v = &p->coach.sections[0].view;
	uint32_t lacks = 0;

	for (size_t i = 0; i < v->n_rows; i++) {
		const struct wl_cell keys = wl_table_at(v->table, v->rows[i], WL_COACH_LACKS);
		const struct wl_cell name = wl_table_at(v->table, v->rows[i], WL_COACH_FOR);
		enum wl_goal goal = p->wishes.goal;

		if (keys.set && name.set &&
		    (all || wl_goal_parse(name.str, &goal, NULL) < 0 || goal == p->wishes.goal))
			lacks |= wl_lacks_parse(keys.str);
	}
	return lacks;
}

/* Take from the trace what the call leaves open: program, launcher, nsys, and what to record. */
static int repeat_run(struct wl_tool_call *c, struct planning *p, const struct wl_trace *t,
		      bool all, struct wl_err *reterr)
{
	const uint32_t lacks = find_lacks(p, all);
	int r;

	p->recapture = (struct wl_recapture){ .given = p->word,
					      .n_given = p->n_words,
					      .has_launcher = p->has_launcher,
					      .launcher = p->wishes.launcher };
	r = wl_recapture_find(t, &c->arena, &p->recapture, reterr);
	p->wishes.launcher = p->recapture.launcher;
	p->wishes.program = p->recapture.word;
	p->recapture.lacks_metrics =
		p->wishes.goal != WL_GOAL_NCU && (lacks >> WL_LACK_METRICS & 1);
	p->wishes.also = p->recapture.had | wl_recapture_also(lacks);
	p->wishes.events = p->recapture.had_events || (lacks >> WL_LACK_EVENTS & 1);
	p->wants_payloads = p->wishes.goal != WL_GOAL_NCU && ((lacks >> WL_LACK_PAYLOADS & 1) ||
							      t->family[WL_F_NCCL_CALLS].present ||
							      t->family[WL_F_NCCL_OPS].present);
	if (!p->wishes.version && p->wishes.goal != WL_GOAL_NCU)
		p->wishes.version = p->recapture.version;
	return r;
}

/* Find what the trace leaves open; without a given goal, take that of the first such question. */
static int ask_trace(struct wl_tool_call *c, struct planning *p, struct wl_err *reterr)
{
	struct wl_request q = { .analysis = wl_analysis_get("coach"), .pool = c->opts->pool };
	const struct wl_view *v;
	const bool all = !p->has_goal;
	struct wl_handle *h;
	int r = wl_call_trace(c, "trace", &h, reterr);

	if (r == WL_OK)
		r = wl_call_run(c, h, &q, &p->coach, reterr);
	if (r < 0 || p->coach.n_sections == 0)
		return r;
	p->path = h->path;
	v = &p->coach.sections[0].view;
	for (size_t i = 0; i < v->n_rows && !p->has_goal; i++) {
		const struct wl_cell lacks = wl_table_at(v->table, v->rows[i], WL_COACH_LACKS);
		const struct wl_cell goal = wl_table_at(v->table, v->rows[i], WL_COACH_FOR);

		if (lacks.set && goal.set &&
		    wl_goal_parse(goal.str, &p->wishes.goal, NULL) == WL_OK)
			p->has_goal = true;
	}
	return repeat_run(c, p, wl_session_trace(h->trace.session), all, reterr);
}

/* Without a trace, only the call says what to run. */
static void take_given(struct planning *p)
{
	static const char *const stand_in[] = { "python", "train.py", NULL };

	p->wishes.program = p->n_words ? p->word : stand_in;
}

/* ---- The reply ---- */

static int put_steps(struct wl_tool_call *c, const struct planning *p, struct wl_err *reterr)
{
	wl_jsonw_open_array(&c->w, "steps");
	for (size_t i = 0; i < p->plan.n_steps; i++) {
		const struct wl_plan_step *step = &p->plan.step[i];
		const char *line = wl_capture_plan_line(step, &c->arena);

		if (!line)
			return wl_fail(reterr, WL_E_NOMEM, "no memory for the plan");
		wl_jsonw_begin_object(&c->w);
		wl_call_put(c, "title", step->title, 300);
		if (*line)
			wl_call_put(c, "command", line, TEXT_CAP);
		if (step->file)
			wl_call_put(c, "file", step->file, 300);
		if (step->text)
			wl_call_put(c, "text", step->text, TEXT_CAP);
		wl_jsonw_end_object(&c->w);
	}
	wl_jsonw_end_array(&c->w);
	wl_jsonw_put_strs(&c->w, "notes", p->plan.note, p->plan.n_notes);
	return WL_OK;
}

static void put_questions(struct wl_tool_call *c, const struct planning *p)
{
	const struct wl_view *v = p->coach.n_sections ? &p->coach.sections[0].view : NULL;
	static const struct {
		const char *key;
		size_t col;
	} texts[] = { { "question", WL_COACH_QUESTION },
		      { "for", WL_COACH_FOR },
		      { "missing", WL_COACH_MISSING },
		      { "change", WL_COACH_CHANGE } };
	size_t n = 0;

	wl_jsonw_open_array(&c->w, "open_questions");
	for (size_t i = 0; v && i < v->n_rows && n < MAX_QUESTIONS; i++) {
		if (!wl_table_at(v->table, v->rows[i], WL_COACH_LACKS).set)
			continue;
		n++;
		wl_jsonw_begin_object(&c->w);
		for (size_t k = 0; k < WL_COUNT(texts); k++) {
			const struct wl_cell cell = wl_table_at(v->table, v->rows[i], texts[k].col);

			if (cell.set)
				wl_call_put(c, texts[k].key, cell.str, 300);
		}
		wl_jsonw_end_object(&c->w);
	}
	wl_jsonw_end_array(&c->w);
}

/* plan takes no trace: the output of coach includes the line for this goal. */
static const char *coach_of(struct wl_tool_call *c, const struct planning *p)
{
	const char *path = wl_shell_word(p->path, &c->arena);
	const bool is_any = p->wishes.goal == WL_GOAL_ANY;

	return path ? wl_call_printf(c, "warplens coach %s%s%s --launcher %s --", path,
				     is_any ? "" : " --for ",
				     is_any ? "" : wl_goal_names[p->wishes.goal],
				     wl_launcher_names[p->wishes.launcher])
		    : NULL;
}

static const char *how_of(struct wl_tool_call *c, const struct planning *p)
{
	const char *line =
		p->path ? coach_of(c, p)
			: wl_call_printf(c, "warplens plan --for %s --launcher %s%s%s --",
					 wl_goal_names[p->wishes.goal],
					 wl_launcher_names[p->wishes.launcher],
					 p->wishes.ranks ? " --ranks " : "",
					 p->wishes.ranks ? p->wishes.ranks : "");

	for (size_t i = 0; line && p->wishes.program[i]; i++) {
		const char *word = wl_shell_word(p->wishes.program[i], &c->arena);

		line = word ? wl_call_printf(c, "%s %s", line, word) : NULL;
	}
	return line;
}

static int reply(struct wl_tool_call *c, const struct planning *p, struct wl_err *reterr)
{
	int r = wl_call_begin(c, reterr);

	if (r < 0)
		return r;
	wl_call_put(c, "answer",
		    wl_call_printf(c, "%zu step%s for the goal %s; nothing was run",
				   p->plan.n_steps, p->plan.n_steps == 1 ? "" : "s",
				   wl_goal_names[p->wishes.goal]),
		    300);
	r = put_steps(c, p, reterr);
	if (r < 0)
		return r;
	put_questions(c, p);
	wl_call_put(c, "how", how_of(c, p), 2000);
	return wl_call_end(c, reterr);
}

int wl_tool_plan_capture(struct wl_tool_call *c, struct wl_err *reterr)
{
	struct planning p = { .has_goal = false };
	const char *trace = NULL;
	int r = wl_call_only(c, "trace for launcher gate ranks program nsys_version", reterr);

	if (r == WL_OK)
		r = take_wishes(c, &p, reterr);
	if (r == WL_OK)
		r = take_program(c, &p, reterr);
	if (r == WL_OK)
		r = wl_call_text(c, "trace", &trace, reterr);
	take_given(&p);
	if (r == WL_OK && trace)
		r = ask_trace(c, &p, reterr);
	if (r == WL_OK)
		r = wl_capture_plan_make(&p.wishes, &c->arena, &p.plan, reterr);
	if (r == WL_OK && p.wants_payloads)
		r = wl_capture_plan_export(&p.plan, &c->arena, reterr);
	if (r == WL_OK)
		wl_recapture_note(&p.recapture, &p.plan);
	return r == WL_OK ? reply(c, &p, reterr) : r;
}

/* ---- Schemas ---- */

void wl_schema_plan_input(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(
		w, "trace", "string",
		"A trace that leaves questions open; they are listed, and choose the goal where "
		"none is given. It also gives program, launcher and nsys version where the call "
		"does not, and the plan records again what the trace has.");
	wl_schema_enum(w, "for", wl_goal_names, "What the capture must answer.");
	wl_schema_enum(w, "launcher", wl_launcher_names, "What starts the program.");
	wl_schema_put(w, "gate", "string",
		      "When to record: nvtx:NAME@DOMAIN, cuda-api, delay:5,duration:10, steps:3.");
	wl_schema_put(w, "ranks", "string", "Record only these ranks: \"0,3\".");
	wl_schema_put(w, "program", "string",
		      "Command line of the program, with its launcher: torchrun --nproc-per-node 8 "
		      "train.py");
	wl_schema_put(w, "nsys_version", "string", "Plan for this nsys, such as 2023.4.");
	wl_schema_end(w, "", true);
}

void wl_schema_plan_output(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(w, "answer", "string", NULL);
	wl_schema_list(w, "steps", "object",
		       "In order: title and command, or a file to save with its text.");
	wl_schema_list(w, "notes", "string", "What the plan leaves out, and why.");
	wl_schema_list(w, "open_questions", "object", "Of the trace: what it cannot answer.");
	wl_schema_put(
		w, "how", "string",
		"The command line that gives the same plan; of a trace coach, among its lines.");
	wl_schema_end(w, "answer steps notes open_questions how", true);
}
