/* SPDX-License-Identifier: MIT */
/* The SPEC of --window: what it may look like, and which times it means in a trace. */
#include "session/select/selection.h"
#include "session/select/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/mem.h"
#include "support/unit.h"

#define SECOND INT64_C(1000000000)

static struct wl_window parsed(const char *spec)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_window w;

	if (wl_window_parse(spec, &w, &err) < 0)
		fail_msg("%s: %s", spec, err.msg);
	return w;
}

static void expect_refusal(const char *spec, const char *words)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_window w;

	if (wl_window_parse(spec, &w, &err) != WL_E_USAGE)
		fail_msg("%s: not refused", spec);
	assert_int_equal(err.code, WL_E_USAGE);
	if (!strstr(err.msg, words) || !strstr(err.msg, "--window"))
		fail_msg("%s: \"%s\" does not say \"%s\"", spec, err.msg, words);
	assert_int_equal(wl_window_parse(spec, &w, NULL), WL_E_USAGE);
}

TEST(no_window_is_all)
{
	assert_int_equal(parsed(NULL).kind, WL_WINDOW_ALL);
	assert_int_equal(parsed("all").kind, WL_WINDOW_ALL);
	expect_refusal("ALL", "not a window");
}

struct times {
	const char *spec;
	bool has_begin, has_end, begin_relative, end_relative;
	wl_ns begin, end;
};

TEST(times_take_units_and_open_ends)
{
	static const struct times cases[] = {
		{ "39s..42s", true, true, false, false, 39 * SECOND, 42 * SECOND },
		{ "..500ms", false, true, false, false, 0, SECOND / 2 },
		{ "39s..", true, false, false, false, 39 * SECOND, 0 },
		{ "..", false, false, false, false, 0, 0 },
		{ "10ns..20ns", true, true, false, false, 10, 20 },
		{ "5ns..5ns", true, true, false, false, 5, 5 },
		{ "-350s..-1ms", true, true, false, false, -350 * SECOND, -1000000 },
		{ "1.5us..2.25us", true, true, false, false, 1500, 2250 },
		{ "+1ms..+5ms", true, true, true, true, 1000000, 5000000 },
		{ "+1ms..5ms", true, true, true, true, 1000000, 5000000 },
		{ "1ms..+5ms", true, true, false, true, 1000000, 5000000 },
		{ "+1ms..", true, false, true, false, 1000000, 0 },
		{ "..+5ms", false, true, false, true, 0, 5000000 },
		{ "+-5ns..+5ns", true, true, true, true, -5, 5 },
		{ "1 ms..2 ms", true, true, false, false, 1000000, 2000000 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		const struct times *c = &cases[i];
		struct wl_window w = parsed(c->spec);

		assert_int_equal(w.kind, WL_WINDOW_TIMES);
		if (w.has_begin != c->has_begin || w.has_end != c->has_end ||
		    w.begin_relative != c->begin_relative || w.end_relative != c->end_relative ||
		    (w.has_begin && w.begin != c->begin) || (w.has_end && w.end != c->end))
			fail_msg("%s: %" PRId64 "..%" PRId64, c->spec, w.begin, w.end);
	}
}

TEST(names_of_ranges_may_hold_anything)
{
	static const struct {
		const char *spec, *name;
		bool has_instance;
		size_t instance;
	} cases[] = {
		{ "nvtx:step", "step", false, 0 },
		{ "nvtx:step#3", "step", true, 3 },
		{ "nvtx:step#0", "step", true, 0 },
		{ "nvtx:a#b", "a#b", false, 0 },
		{ "nvtx:a#1#2", "a#1", true, 2 },
		{ "nvtx:step#", "step#", false, 0 },
		{ "nvtx:step#-1", "step#-1", false, 0 },
		{ "nvtx:domain:forward 1..2, x", "domain:forward 1..2, x", false, 0 },
		{ "nvtx:all", "all", false, 0 },
		{ "nvtx: ", " ", false, 0 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct wl_window w = parsed(cases[i].spec);

		assert_int_equal(w.kind, WL_WINDOW_NVTX);
		assert_string_equal(w.name, cases[i].name);
		assert_int_equal(w.has_instance, cases[i].has_instance);
		assert_int_equal(w.instance, cases[i].instance);
	}
}

TEST(a_name_has_room_or_is_refused)
{
	char spec[sizeof(((struct wl_window *)NULL)->name) + 8];
	size_t room = sizeof(((struct wl_window *)NULL)->name);

	(void)snprintf(spec, sizeof(spec), "nvtx:%0*d", (int)room - 1, 0);
	assert_int_equal(strlen(parsed(spec).name), room - 1);
	(void)snprintf(spec, sizeof(spec), "nvtx:%0*d", (int)room, 0);
	expect_refusal(spec, "not a window");
}

TEST(iterations_are_counted_from_zero)
{
	assert_int_equal(parsed("steady").kind, WL_WINDOW_STEADY);
	assert_int_equal(parsed("iter:3").kind, WL_WINDOW_ITERATIONS);
	assert_int_equal(parsed("iter:3").first, 3);
	assert_int_equal(parsed("iter:3").last, 3);
	assert_int_equal(parsed("iter:0..12").first, 0);
	assert_int_equal(parsed("iter:0..12").last, 12);
	expect_refusal("iter:", "not a window");
	expect_refusal("iter:x", "not a window");
	expect_refusal("iter:-1", "not a window");
	expect_refusal("iter:1..", "not a window");
	expect_refusal("iter:..1", "not a window");
	expect_refusal("iter:1..2..3", "not a window");
	expect_refusal("iter:99999999999999999999999", "not a window");
	expect_refusal("iter:2..1", "ends before it begins");
}

TEST(what_is_no_window_is_refused)
{
	static const char *const cases[] = { "",        "x",     "5",    "39s",     "1...2",
					     "1..2..3", "nvtx:", "nvtx", "nvtx:#3", "a.b",
					     "1-2",     "...",   ". ." };

	for (size_t i = 0; i < WL_COUNT(cases); i++)
		expect_refusal(cases[i], "");
	expect_refusal("1x..2ns", "'1x' is not a duration");
	expect_refusal("..soon", "'soon' is not a duration");
	expect_refusal("+..", "is not a duration");
	expect_refusal("5s..3s", "ends before it begins");
	expect_refusal("1.5ms..2us", "ends before it begins");
	expect_refusal("+5s..+3s", "ends before it begins");
	expect_refusal("2400000000s..", "out of range");
	expect_refusal("..-2400000000s", "out of range");
	expect_refusal("99999999999s..", "");
	expect_refusal("0000000000000000000000000000000000000000000000000000000000000000001..", "");
}

/* --- in a trace ---------------------------------------------------------------------------- */

/*
 *   pid 100   device 0   kernels 1000-2000 and 5000-6000, launched inside two ranges "step"
 *   pid 101   device 1   kernel 3000-4500, launched inside one range "step"
 *   pid 102   no device  a range "host" and a range "step" that launch nothing
 */
struct world {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_scope scope;
	struct wl_scope_notes notes;
	struct wl_err err;
};

static void put_range(struct world *w, unsigned pid, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&w->mem, .start = start, .end = end, .pid = pid, .tid = 1, .name = name);
}

/* A call at a time, and the kernel that it launches. */
static void put_launch(struct world *w, unsigned pid, wl_ns at, wl_ns start, wl_ns end)
{
	unsigned corr = (unsigned)start;

	MEM_API(&w->mem, .start = at, .end = at + 10, .pid = pid, .tid = 1, .corr = corr);
	MEM_OP(&w->mem, WL_F_KERNELS, .start = start, .end = end, .pid = pid, .corr = corr);
}

static int setup(void **state)
{
	struct world *w = test_calloc(1, sizeof(*w));

	mem_init(&w->mem);
	put_launch(w, 100, 100, 1000, 2000);
	put_launch(w, 100, 600, 5000, 6000);
	put_launch(w, 101, 150, 3000, 4500);
	put_range(w, 100, 0, 500, "step");
	put_range(w, 100, 500, 900, "step");
	put_range(w, 101, 100, 500, "step");
	put_range(w, 102, 0, 900, "step");
	put_range(w, 102, 0, 900, "host");
	w->trace = mem_seal(&w->mem);
	wl_arena_init(&w->arena, 1 << 20);
	*state = w;
	return w->trace->n_devices != 2 || w->trace->n_processes != 3;
}

static int teardown(void **state)
{
	struct world *w = *state;

	wl_arena_release(&w->arena);
	mem_release(&w->mem);
	test_free(w);
	return 0;
}

static int resolve(struct world *w, const struct wl_selection *s)
{
	w->err = (struct wl_err){ .code = WL_OK };
	return wl_selection_resolve(s, &w->mem.derived, &w->arena, &w->scope, &w->notes, &w->err);
}

static void apply(struct world *w, const char *spec)
{
	if (resolve(w, &(struct wl_selection){ .window = spec }) < 0)
		fail_msg("%s: %s", spec, w->err.msg);
}

static void expect_device(const struct world *w, size_t device, wl_ns begin, wl_ns end)
{
	assert_int_equal(w->scope.device[device].begin, begin);
	assert_int_equal(w->scope.device[device].end, end);
}

static void expect_process(const struct world *w, size_t process, wl_ns begin, wl_ns end)
{
	assert_int_equal(w->scope.process[process].begin, begin);
	assert_int_equal(w->scope.process[process].end, end);
}

static void expect_note(const struct world *w, const char *words)
{
	for (size_t i = 0; i < w->notes.n; i++) {
		if (strstr(w->notes.text[i], words))
			return;
	}
	fail_msg("no note says \"%s\"", words);
}

TEST(all_is_from_the_first_start_to_the_last_end)
{
	struct world *w = *state;

	apply(w, NULL);
	assert_true(w->scope.whole);
	expect_device(w, 0, 1000, 6000);
	expect_device(w, 1, 1000, 6000);
	expect_process(w, 0, -WL_TIME_MAX, WL_TIME_MAX);
	assert_int_equal(w->notes.n, 0);
}

TEST(only_selected_devices_make_the_extent)
{
	struct world *w = *state;

	assert_int_equal(resolve(w, &(struct wl_selection){ .gpu = "1" }), WL_OK);
	expect_device(w, 0, 0, 0);
	expect_device(w, 1, 3000, 4500);
	/* but + counts from the first operation of all, or devices could not be compared */
	assert_int_equal(
		resolve(w, &(struct wl_selection){ .gpu = "1", .window = "+500ns..+600ns" }),
		WL_OK);
	expect_device(w, 1, 1500, 1600);
}

TEST(absolute_times_hold_for_devices_and_processes)
{
	struct world *w = *state;

	apply(w, "1500ns..3500ns");
	assert_false(w->scope.whole);
	for (size_t i = 0; i < 2; i++)
		expect_device(w, i, 1500, 3500);
	for (size_t i = 0; i < 3; i++)
		expect_process(w, i, 1500, 3500);
}

TEST(an_open_end_is_the_extent_for_devices_and_open_for_the_host)
{
	struct world *w = *state;

	apply(w, "1500ns..");
	expect_device(w, 0, 1500, 6000);
	expect_process(w, 0, 1500, WL_TIME_MAX);
	apply(w, "..3500ns");
	expect_device(w, 1, 1000, 3500);
	expect_process(w, 1, -WL_TIME_MAX, 3500);
	apply(w, "..");
	expect_device(w, 0, 1000, 6000);
	expect_process(w, 0, -WL_TIME_MAX, WL_TIME_MAX);
	assert_false(w->scope.whole);
}

TEST(a_plus_counts_from_the_first_operation)
{
	struct world *w = *state;

	apply(w, "+500ns..+1000ns");
	expect_device(w, 0, 1500, 2000);
	expect_process(w, 2, 1500, 2000);
	apply(w, "+500ns..");
	expect_device(w, 0, 1500, 6000);
	apply(w, "1500ns..+1000ns");
	expect_device(w, 0, 1500, 2000);
}

TEST(a_window_beside_everything_is_refused)
{
	struct world *w = *state;

	static const char *const beside[] = { "900s..", "..-5ns", "7s..8s", "+7s..", "-9s..-8s" };

	for (size_t i = 0; i < WL_COUNT(beside); i++) {
		assert_int_equal(resolve(w, &(struct wl_selection){ .window = beside[i] }),
				 WL_E_NOMATCH);
		if (!strstr(w->err.msg, "the trace runs from 0 s to 0.006 ms"))
			fail_msg("%s: %s", beside[i], w->err.msg);
	}
	apply(w, "5us..+1ns"); /* known to end before it begins only here */
	assert_int_equal(w->scope.device[0].begin, w->scope.device[0].end);
}

TEST(a_window_beyond_the_trace_is_noted)
{
	struct world *w = *state;

	apply(w, "-500ms..2us");
	expect_device(w, 0, -SECOND / 2, 2000);
	expect_note(w,
		    "the window exceeds the trace (0 s to 0.006 ms); time outside counts as idle");
	apply(w, "1us..6us");
	assert_int_equal(w->notes.n, 0);
}

TEST(a_time_needs_its_unit)
{
	static const struct {
		const char *spec, *why;
	} cases[] = {
		{ "39..42", "'39' has no unit; write 39s or 39ms" },
		{ "0..42", "'42' has no unit; write 42s or 42ms" },
		{ "+5..", "'5' has no unit; write 5s or 5ms" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++)
		expect_refusal(cases[i].spec, cases[i].why);
}

TEST(a_plus_does_not_depend_on_the_selection)
{
	struct world *w = *state;

	assert_int_equal(resolve(w, &(struct wl_selection){ .pid = "102", .window = "+1ns..+5ns" }),
			 WL_OK);
	assert_true(w->scope.process_on[2]);
	expect_process(w, 2, 1001, 1005);
	assert_int_equal(resolve(w, &(struct wl_selection){ .pid = "102", .window = "1ns..5ns" }),
			 WL_OK);
	expect_process(w, 2, 1, 5);
}

TEST(without_any_operation_there_is_no_data)
{
	struct world none = { .err = { .code = WL_OK } };

	mem_init(&none.mem);
	MEM_API(&none.mem, .start = 1, .end = 2);
	none.trace = mem_seal(&none.mem);
	wl_arena_init(&none.arena, 1 << 16);
	assert_int_equal(resolve(&none, &(struct wl_selection){ .window = "+1ns..+5ns" }),
			 WL_E_NODATA);
	assert_int_equal(resolve(&none, &(struct wl_selection){ .window = "nvtx:x" }), WL_E_NODATA);
	assert_int_equal(resolve(&none, &(struct wl_selection){ .window = "1ns..5ns" }), WL_OK);
	wl_arena_release(&none.arena);
	mem_release(&none.mem);
}

TEST(a_range_gives_each_process_its_own_window)
{
	struct world *w = *state;

	apply(w, "nvtx:step#0");
	expect_device(w, 0, 1000, 2000);
	expect_device(w, 1, 3000, 4500);
	expect_process(w, 0, 1000, 2000);
	expect_process(w, 1, 3000, 4500);
	expect_process(w, 2, 0, 0);
	expect_note(w, "the range launched no GPU operation in 1 process");
	apply(w, "nvtx:step#1");
	expect_device(w, 0, 5000, 6000);
	expect_device(w, 1, 0, 0); /* it has only one */
}

TEST(which_of_several_ranges_is_said)
{
	struct world *w = *state;

	apply(w, "nvtx:step");
	expect_device(w, 0, 1000, 2000);
	expect_note(w, "the first of up to 2 matching ranges");
	apply(w, "nvtx:step#0");
	for (size_t i = 0; i < w->notes.n; i++)
		assert_null(strstr(w->notes.text[i], "the first of"));
}

TEST(ranges_that_do_not_exist_are_a_slip)
{
	struct world *w = *state;

	assert_int_equal(resolve(w, &(struct wl_selection){ .window = "nvtx:nobody" }), WL_E_USAGE);
	assert_non_null(strstr(w->err.msg, "warplens search"));
	assert_int_equal(resolve(w, &(struct wl_selection){ .window = "nvtx:step#2" }), WL_E_USAGE);
	assert_non_null(strstr(w->err.msg, "occurs 2 times, counted from 0"));
}

TEST(a_range_without_work_is_a_slip)
{
	struct world *w = *state;

	assert_int_equal(resolve(w, &(struct wl_selection){ .window = "nvtx:host" }), WL_E_USAGE);
	assert_non_null(strstr(w->err.msg, "no GPU operation was launched while the range was "
					   "open (0 s to 0.0009 ms)"));
	assert_int_equal(resolve(w, &(struct wl_selection){ .gpu = "0", .window = "nvtx:host" }),
			 WL_E_USAGE);
	assert_non_null(strstr(w->err.msg, "no selected process has this range"));
}

TEST(a_range_may_have_work_of_other_threads)
{
	struct world w = { .notes = { .n = 0 } };

	mem_init(&w.mem);
	put_launch(&w, 100, 100, 1000, 2000);
	MEM_NVTX(&w.mem, .start = 50, .end = 150, .pid = 100, .tid = 2, .name = "backward");
	MEM_NVTX(&w.mem, .start = 200, .end = 300, .pid = 100, .tid = 2, .name = "backward");
	w.trace = mem_seal(&w.mem);
	wl_arena_init(&w.arena, 1 << 20);
	apply(&w, "nvtx:backward#0");
	expect_device(&w, 0, 1000, 2000);
	expect_note(&w, "work that other threads launched meanwhile");
	assert_int_equal(resolve(&w, &(struct wl_selection){ .window = "nvtx:backward#1" }),
			 WL_E_USAGE);
	wl_arena_release(&w.arena);
	mem_release(&w.mem);
}

TEST(a_range_holds_for_selected_devices_only)
{
	struct world *w = *state;

	assert_int_equal(resolve(w, &(struct wl_selection){ .gpu = "1", .window = "nvtx:step#0" }),
			 WL_OK);
	expect_device(w, 0, 0, 0);
	expect_device(w, 1, 3000, 4500);
	expect_process(w, 0, 0, 0);
}

TEST(notes_are_dropped_when_there_are_too_many)
{
	struct world *w = *state;
	struct wl_arena tiny;

	w->notes.n = 0;
	for (int i = 0; i < 100; i++)
		wl_scope_note(&w->notes, &w->arena, "note %d", i);
	assert_int_equal(w->notes.n, WL_COUNT(w->notes.text));
	assert_string_equal(w->notes.text[1], "note 1");
	wl_arena_init(&tiny, 1);
	w->notes.n = 0;
	wl_scope_note(&w->notes, &tiny, "no room for this");
	assert_int_equal(w->notes.n, 0);
	wl_arena_release(&tiny);
}

TEST(every_budget_gives_an_answer_or_says_no)
{
	static const char *const specs[] = { NULL, "1ns..2ns", "+1ns..+2ns", "nvtx:step" };
	struct world *w = *state;

	for (size_t i = 0; i < WL_COUNT(specs); i++) {
		int r = WL_E_NOMEM;

		for (size_t budget = 0; r != WL_OK; budget += 64) {
			struct wl_arena arena;

			assert_in_range(budget, 0, 1 << 20);
			wl_arena_init(&arena, budget);
			r = wl_selection_resolve(
				&(struct wl_selection){ .gpu = "0..1", .window = specs[i] },
				&w->mem.derived, &arena, &w->scope, &w->notes, &w->err);
			assert_true(r == WL_OK || r == WL_E_NOMEM);
			wl_arena_release(&arena);
		}
	}
}

TEST_GROUP(setup, teardown)
