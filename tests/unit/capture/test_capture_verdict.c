/* SPDX-License-Identifier: MIT */
#include "capture/run/verdict.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

static const char *const program[] = { "./a", NULL };

/* A capture that went well: one report with kernels. Tests spoil it. */
struct scene {
	struct wl_wishes wishes;
	struct wl_capture_plan plan;
	struct wl_watched watched;
	struct wl_collected report[2];
	struct wl_collection collection;
	struct wl_capture_verdict verdict;
	struct wl_err err;
	int64_t free_bytes;
};

static void stage(struct scene *s)
{
	*s = (struct scene){ .wishes = { .program = program },
			     .plan = { .traces_cuda = true },
			     .watched = { .has_program = true, .program_ns = 1500000000 },
			     .free_bytes = INT64_C(1) << 40 };
	for (size_t i = 0; i < 2; i++)
		s->report[i] = (struct wl_collected){ .report = "d/run.nsys-rep",
						      .facts = { 10, 10, 5, 25 } };
	s->collection = (struct wl_collection){ .report = s->report, .n = 1 };
}

static int judge(struct scene *s)
{
	const struct wl_capture_evidence e = { .wishes = &s->wishes,
					       .plan = &s->plan,
					       .watched = &s->watched,
					       .collection = &s->collection,
					       .free_bytes = s->free_bytes,
					       .patience_ns = 60000000000 };

	return wl_capture_judge(&e, &s->verdict, &s->err);
}

static void says(struct scene *s, enum wl_status status, const char *text)
{
	assert_int_equal(judge(s), status);
	if (!strstr(s->err.msg, text))
		fail_msg("no \"%s\" in: %s", text, s->err.msg);
}

static void tail(struct scene *s, const char *text)
{
	s->watched.n_tail = strlen(text);
	memcpy(s->watched.tail, text, strlen(text) + 1);
}

TEST(a_good_capture_has_no_warnings)
{
	struct scene s;

	stage(&s);
	assert_int_equal(judge(&s), WL_OK);
	assert_int_equal(s.verdict.n_warnings, 0);
}

TEST(no_kernels_is_a_failure_only_where_cuda_was_used)
{
	struct scene s;

	stage(&s);
	s.report[0].facts = (struct wl_report_facts){ 0, 0, 5, 5 };
	assert_int_equal(judge(&s), WL_OK);
	assert_int_equal(s.verdict.n_warnings, 1);
	assert_non_null(strstr(s.verdict.warning[0], "did not load libcuda.so"));
	s.watched.has_cuda = true;
	says(&s, WL_E_NODATA, "no kernels although the program uses CUDA");
	s.watched.has_cuda = false;
	s.report[0].facts.n_cuda = 3;
	says(&s, WL_E_NODATA, "no kernels although");
	s.plan.traces_cuda = false;
	assert_int_equal(judge(&s), WL_OK);
}

TEST(a_gate_that_never_opened_is_explained)
{
	static const struct {
		struct wl_capture_gate gate;
		const char *text;
	} cases[] = {
		{ { .kind = WL_GATE_NVTX, .range = "decode@LLM" },
		  "ran for 1.5 s and began no NVTX range \"decode\" in domain LLM" },
		{ { .kind = WL_GATE_NVTX, .range = "decode" },
		  "range \"decode\" in the default domain;" },
		{ { .kind = WL_GATE_CUDA_API }, "did not call cudaProfilerStart" },
		{ { .kind = WL_GATE_TIME, .delay_s = 9 },
		  "ended after 1.5 s, recording begins after 9 s" },
		{ { .kind = WL_GATE_STEPS, .windows = 2 }, "before window 1 began" },
	};
	struct scene s;

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		stage(&s);
		s.collection.n = 0;
		s.wishes.gate = cases[i].gate;
		says(&s, WL_E_NODATA, cases[i].text);
	}
}

TEST(an_empty_report_of_a_gate_is_a_failure)
{
	struct scene s;

	stage(&s);
	s.report[0].facts = (struct wl_report_facts){ 0 };
	assert_int_equal(judge(&s), WL_OK);
	assert_non_null(strstr(s.verdict.warning[0], "nothing else was recorded"));
	s.wishes.gate.kind = WL_GATE_CUDA_API;
	says(&s, WL_E_NODATA, "run.nsys-rep is empty");
}

TEST(every_rank_and_window_has_a_report)
{
	static const char *const mpi[] = { "mpirun", "-np", "3", "./a", "-n", "7", NULL };
	struct scene s;

	stage(&s);
	s.wishes.ranks = "0,3";
	says(&s, WL_E_NODATA, "1 of 2 ranks have a report");
	s.wishes.launcher = WL_LAUNCHER_MPIRUN;
	s.watched.program.code = 3;
	says(&s, WL_E_NODATA, "1 of 2 ranks have a report; a rank failed, and mpirun");
	s.collection.n = 0;
	says(&s, WL_E_NODATA, "no report; a rank failed, and mpirun");
	s.wishes.launcher = WL_LAUNCHER_TORCHRUN;
	says(&s, WL_E_NODATA, "no report; a rank failed, and torchrun");
	s.watched.signal = 2;
	says(&s, WL_E_CANCELED, "stopped");
	s.watched = (struct wl_watched){ .has_program = true };
	s.collection.n = 2;
	assert_int_equal(judge(&s), WL_OK);
	s.wishes.ranks = NULL;
	s.wishes.launcher = WL_LAUNCHER_MPIRUN;
	s.wishes.program = mpi;
	says(&s, WL_E_NODATA, "2 of 3 ranks");
	stage(&s);
	s.wishes.gate = (struct wl_capture_gate){ .kind = WL_GATE_STEPS, .windows = 2 };
	s.watched.signal = 2;
	says(&s, WL_E_NODATA, "1 of 2 windows have a report; the program was stopped");
}

TEST(what_ended_nsys_early_is_said)
{
	struct scene s;

	stage(&s);
	s.watched.is_killed = true;
	says(&s, WL_E_TIMEOUT, "may lack its end");
	s.collection.n = 0;
	says(&s, WL_E_TIMEOUT, "more than 60 s with --patience");
	s.watched.is_killed = false;
	s.watched.signal = 2;
	says(&s, WL_E_CANCELED, "stopped before there was a report");
	s.watched.signal = 0;
	s.free_bytes = 100;
	says(&s, WL_E_OUTPUT, "disk is full");
	s.free_bytes = -1;
	s.collection.stream = "d/run.qdstrm";
	says(&s, WL_E_FORMAT, "d/run.qdstrm");
	s.collection.stream = NULL;
	tail(&s, "it broke\x1b[1m\n[1/1] [100%] run\r\nGenerated:\n");
	says(&s, WL_E_IO, "nsys wrote no report: it broke [1m");
	s.watched.has_program = false;
	s.watched.tool.code = 1;
	says(&s, WL_E_IO, "did not start the program: it broke");
}

TEST(a_very_large_report_is_a_warning)
{
	struct scene s;

	stage(&s);
	s.report[0].bytes = WL_REPORT_LARGE;
	assert_int_equal(judge(&s), WL_OK);
	assert_int_equal(s.verdict.n_warnings, 0);
	s.report[0].bytes = 3 * WL_REPORT_LARGE;
	assert_int_equal(judge(&s), WL_OK);
	assert_non_null(strstr(s.verdict.warning[0], "stay below 2 GB"));
}

TEST(a_stopped_program_is_a_warning)
{
	struct scene s;

	stage(&s);
	s.watched.signal = 2;
	assert_int_equal(judge(&s), WL_OK);
	assert_non_null(strstr(s.verdict.warning[0], "stopped by signal 2"));
	s.watched.signal = 0;
	s.watched.is_limited = true;
	assert_int_equal(judge(&s), WL_OK);
	assert_non_null(strstr(s.verdict.warning[0], "time limit"));
}

TEST(only_a_mishap_before_the_program_is_tried_again)
{
	struct scene s;

	stage(&s);
	s.watched.tool.code = 1;
	tail(&s, "Local Endpoint is not available.\n");
	assert_false(wl_capture_is_mishap(&s.watched, 0));
	s.watched.has_program = false;
	assert_true(wl_capture_is_mishap(&s.watched, 0));
	assert_false(wl_capture_is_mishap(&s.watched, 1));
	s.watched.signal = 2;
	assert_false(wl_capture_is_mishap(&s.watched, 0));
	s.watched.signal = 0;
	tail(&s, "unknown option\n");
	assert_false(wl_capture_is_mishap(&s.watched, 0));
}
