/* SPDX-License-Identifier: MIT */
#include "capture/plan/plan.h"

#include <string.h>

#include "support/unit.h"

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

struct planned {
	struct wl_arena arena;
	struct wl_capture_plan plan;
	struct wl_err err;
	int status;
};

static int make(void **state)
{
	static struct planned planned;

	planned = (struct planned){ .status = WL_OK };
	wl_arena_init(&planned.arena, 1 << 20);
	*state = &planned;
	return 0;
}

static int release(void **state)
{
	struct planned *p = *state;

	wl_arena_release(&p->arena);
	return 0;
}

static const char *line_of(struct planned *p, const struct wl_wishes *w, size_t step)
{
	const char *line;

	p->status = wl_capture_plan_make(w, &p->arena, &p->plan, &p->err);
	if (p->status != WL_OK)
		fail_msg("status %d: %s", p->status, p->err.msg);
	assert_true(step < p->plan.n_steps);
	line = wl_capture_plan_line(&p->plan.step[step], &p->arena);
	assert_non_null(line);
	return line;
}

static void refuses(struct planned *p, const struct wl_wishes *w, const char *text)
{
	p->status = wl_capture_plan_make(w, &p->arena, &p->plan, &p->err);
	assert_int_equal(p->status, WL_E_USAGE);
	if (!strstr(p->err.msg, text))
		fail_msg("\"%s\" lacks \"%s\"", p->err.msg, text);
}

static bool notes(const struct planned *p, const char *text)
{
	for (size_t i = 0; i < p->plan.n_notes; i++) {
		if (strstr(p->plan.note[i], text))
			return true;
	}
	return false;
}

TEST_WITH(a_plain_capture_records_cuda_nvtx_and_os_calls, make, release)
{
	const struct wl_wishes w = { .program = ARGV("python", "train.py", "a b") };

	assert_string_equal(line_of(*state, &w, 0),
			    "nsys profile --trace=cuda,nvtx,osrt "
			    "--sample=none --cpuctxsw=none --cuda-graph-trace=node "
			    "--force-overwrite=true --output=./run python train.py 'a b'");
}

TEST_WITH(what_a_trace_had_is_recorded_whatever_the_goal, make, release)
{
	const struct wl_wishes w = { .goal = WL_GOAL_MEMORY,
				     .also = WL_ALSO_OSRT | WL_ALSO_MPI | WL_ALSO_SAMPLES |
					     WL_ALSO_SCHED | WL_ALSO_FAULTS,
				     .program = ARGV("./a") };

	assert_string_equal(line_of(*state, &w, 0),
			    "nsys profile --trace=cuda,nvtx,osrt,mpi --sample=process-tree "
			    "--cpuctxsw=process-tree --cuda-graph-trace=node "
			    "--cuda-memory-usage=true --cuda-um-gpu-page-faults=true "
			    "--cuda-um-cpu-page-faults=true --force-overwrite=true "
			    "--output=./run ./a");
}

TEST_WITH(python_is_sampled_where_it_runs, make, release)
{
	struct wl_wishes w = { .goal = WL_GOAL_HOST,
			       .program = ARGV("/usr/bin/python3.11", "-m", "a") };

	assert_non_null(strstr(line_of(*state, &w, 0), " --python-sampling=true "));
	w.program = ARGV("env", "A=1", "./train.py");
	assert_non_null(strstr(line_of(*state, &w, 0), " --python-sampling=true "));
	w.program = ARGV("./jacobi", "-n", "8");
	assert_null(strstr(line_of(*state, &w, 0), "python"));
	assert_true(notes(*state, "add --python-sampling=true"));
}

TEST_WITH(a_range_gate_lets_the_program_live_on, make, release)
{
	struct wl_wishes w = { .program = ARGV("./a") };

	assert_int_equal(wl_capture_gate_parse("nvtx:decode@LLM", &w.gate, NULL), WL_OK);
	assert_non_null(strstr(line_of(*state, &w, 0),
			       " --capture-range=nvtx --nvtx-capture=decode@LLM "
			       "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0 "
			       "--capture-range-end=stop "));
}

TEST_WITH(a_limited_time_does_not_end_the_program, make, release)
{
	struct wl_wishes w = { .program = ARGV("./a") };

	assert_int_equal(wl_capture_gate_parse("delay:60,duration:5", &w.gate, NULL), WL_OK);
	assert_non_null(strstr(line_of(*state, &w, 0), " --delay=60 --duration=5 --kill=none "));
}

TEST_WITH(an_old_nsys_gets_no_option_that_it_lacks, make, release)
{
	struct wl_wishes w = { .goal = WL_GOAL_HOST,
			       .version = "2022.4.2.1",
			       .program = ARGV("python", "a.py") };

	assert_null(strstr(line_of(*state, &w, 0), "python-sampling"));
	assert_true(notes(*state, "Python stacks are not sampled: nsys 2022.4.2.1 lacks "
				  "--python-sampling (2023.4 and later have it)"));
	w.version = "2023.4.4.54";
	assert_non_null(strstr(line_of(*state, &w, 0), " --python-sampling=true "));
	assert_false(notes(*state, "Python"));
}

TEST_WITH(metrics_have_another_name_since_2025, make, release)
{
	struct wl_wishes w = { .preset = WL_PRESET_FULL, .program = ARGV("./a") };

	assert_non_null(strstr(line_of(*state, &w, 0), " --gpu-metrics-devices=all "));
	w.version = "2024.2";
	assert_non_null(strstr(line_of(*state, &w, 0), " --gpu-metrics-device=all "));
}

/* An nsys that is not known may be an old one, which ends at an option that it lacks. */
TEST_WITH(events_are_traced_where_nsys_is_known_to_do_it, make, release)
{
	struct wl_wishes w = { .events = true, .program = ARGV("./a") };

	assert_null(strstr(line_of(*state, &w, 0), "--cuda-event-trace"));
	assert_true(notes(*state, "--cuda-event-trace=true"));
	w.version = "2024.6";
	assert_null(strstr(line_of(*state, &w, 0), "--cuda-event-trace"));
	assert_true(notes(*state, "lacks --cuda-event-trace (2025.1 and later have it)"));
	w.version = "2025.1.1.65";
	assert_non_null(strstr(line_of(*state, &w, 0), " --cuda-event-trace=true "));
	assert_false(notes(*state, "event"));
}

TEST_WITH(mpirun_runs_a_profiler_for_each_rank, make, release)
{
	const struct wl_wishes w = { .launcher = WL_LAUNCHER_MPIRUN,
				     .goal = WL_GOAL_NCCL,
				     .dir = "/r",
				     .program = ARGV("mpirun", "-np", "4", "--mca", "a", "b",
						     "./app", "-x") };

	assert_string_equal(line_of(*state, &w, 0),
			    "mpirun -np 4 --mca a b nsys profile "
			    "--trace=cuda,nvtx,mpi --mpi-impl=openmpi --sample=none "
			    "--cpuctxsw=none "
			    "--cuda-graph-trace=node --force-overwrite=true "
			    "'--output=/r/run.rank%q{OMPI_COMM_WORLD_RANK}' ./app -x");
	assert_string_equal(((struct planned *)*state)->plan.output,
			    "/r/run.rank%q{OMPI_COMM_WORLD_RANK}");
}

/* The number of words that other ranks skip is that of nsys and its options. */
TEST_WITH(other_ranks_skip_the_profiler, make, release)
{
	const struct wl_wishes w = { .launcher = WL_LAUNCHER_TORCHRUN,
				     .ranks = "0,3",
				     .program = ARGV("torchrun", "--nproc-per-node", "4", "-m",
						     "train") };
	struct planned *p = *state;
	const char *const *argv;

	(void)line_of(p, &w, 0);
	argv = p->plan.step[0].argv;
	assert_string_equal(argv[3], "--no_python");
	assert_string_equal(argv[4], "sh");
	assert_string_equal(argv[6], "case \"$RANK\" in 0|3) ;; *) shift 8 ;; esac; exec \"$@\"");
	assert_string_equal(argv[7], "sh");
	assert_string_equal(argv[8], "nsys");
	assert_string_equal(argv[8 + 8], "python");
	assert_string_equal(argv[8 + 9], "-m");
	assert_string_equal(argv[8 + 10], "train");
	assert_null(argv[8 + 11]);
}

TEST_WITH(a_second_dash_dash_marks_the_program, make, release)
{
	struct wl_wishes w = { .launcher = WL_LAUNCHER_MPIRUN,
			       .program = ARGV("mpirun", "--odd", "x", "./app") };

	refuses(*state, &w, "Write \"--\" before it");
	w.program = ARGV("mpirun", "--odd", "x", "--", "./app");
	assert_non_null(strstr(line_of(*state, &w, 0), "mpirun --odd x nsys profile "));
}

TEST_WITH(contradictions_are_refused, make, release)
{
	struct wl_wishes w = { .program = ARGV("./a"), .ranks = "0" };

	refuses(*state, &w, "ranks need a launcher");
	w.launcher = WL_LAUNCHER_MPIRUN;
	w.program = ARGV("mpirun", "./a");
	w.ranks = "0;rm";
	refuses(*state, &w, "give numbers");
	w = (struct wl_wishes){ .goal = WL_GOAL_NCU, .program = ARGV("./a") };
	w.gate = (struct wl_capture_gate){ .kind = WL_GATE_TIME, .delay_s = 1 };
	refuses(*state, &w, "ncu has no gate by time");
	w = (struct wl_wishes){ .launcher = WL_LAUNCHER_TORCHRUN, .program = ARGV("torchrun") };
	refuses(*state, &w,
		"behind \"--\" is only \"torchrun\": give both launcher and program, such as "
		"\"-- torchrun --nproc-per-node 8 train.py\"");
	w = (struct wl_wishes){ .launcher = WL_LAUNCHER_CONTAINER, .program = ARGV("./a") };
	refuses(*state, &w,
		"behind \"--\" is only \"./a\": give both launcher and program, such as "
		"\"-- docker run OPTIONS IMAGE PROGRAM\"");
	w.program = ARGV("./a", "x", "y", "z");
	refuses(*state, &w,
		"\"./a x y z\" does not start a container: give launcher and program behind "
		"\"--\", such as \"-- docker run OPTIONS IMAGE PROGRAM\", or leave --launcher "
		"container out");
	w.program = ARGV("docker", "run", "--rm", "image");
	refuses(*state, &w, "behind \"--\" is only \"docker run --rm image\"");
	w.program = ARGV("docker", "run", "image", "--");
	refuses(*state, &w, "behind \"--\" is only \"docker run image --\"");
	w = (struct wl_wishes){ .program = ARGV("./a"),
				.version = "2021.1",
				.gate = { .kind = WL_GATE_STEPS, .windows = 1 } };
	refuses(*state, &w, "lacks --session");
}

TEST_WITH(ncu_measures_exactly_the_kernels_given, make, release)
{
	static const struct wl_plan_kernel kernels[] = { { "gemm<1>", 40, 5 }, { "relu", 0, 1 } };
	const struct wl_wishes w = { .goal = WL_GOAL_NCU,
				     .kernel = kernels,
				     .n_kernels = 2,
				     .gate = { .kind = WL_GATE_NVTX, .range = "decode@LLM" },
				     .program = ARGV("./a") };

	assert_string_equal(line_of(*state, &w, 0),
			    "ncu --target-processes all --kernel-name-base function --kernel-name "
			    "'regex:^gemm<1>$' --launch-skip 40 --launch-count 5 --kill yes --nvtx "
			    "--nvtx-include LLM@decode/ --set roofline --clock-control base "
			    "--cache-control all --force-overwrite --export ./run.kernel1 ./a");
	assert_non_null(strstr(line_of(*state, &w, 1), "'regex:^relu$' --launch-skip 0 "));
	assert_false(((struct planned *)*state)->plan.traces_cuda);
}

TEST_WITH(names_of_kernels_forge_no_line, make, release)
{
	static const struct wl_plan_kernel kernels[] = {
		{ "k\033[2J\n  $ sh\xe2\x80\xae##[x]", 0, 1 },
	};
	const struct wl_wishes w = {
		.goal = WL_GOAL_NCU, .kernel = kernels, .n_kernels = 1, .program = ARGV("./a")
	};
	struct planned *planned = *state;

	assert_non_null(strstr(line_of(*state, &w, 0), " 'regex:^k.\\[2J.  \\$ sh.+##\\[x\\]$' "));
	assert_non_null(
		strstr(wl_capture_plan_text(&planned->plan, &planned->arena),
		       "1. Measure kernel k\uFFFD[2J\uFFFD  $ sh\uFFFD\uFFFD#[x] with ncu:\n"));
}

TEST_WITH(gates_are_parsed, make, release)
{
	static const char *const bad[] = { "",       "nvtx:",   "nvtx:@LLM", "cuda",
					   "delay:", "delay:0", "steps:9",   "duration:5,delay:1",
					   "none:1", "delay:5s" };
	struct wl_capture_gate g;

	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		if (wl_capture_gate_parse(bad[i], &g, NULL) != WL_E_USAGE)
			fail_msg("\"%s\" is taken for a gate", bad[i]);
	}
	assert_int_equal(wl_capture_gate_parse("duration:7", &g, NULL), WL_OK);
	assert_int_equal(g.kind, WL_GATE_TIME);
	assert_int_equal(g.delay_s, 0);
	assert_int_equal(g.duration_s, 7);
	assert_int_equal(wl_capture_gate_parse("steps:2", &g, NULL), WL_OK);
	assert_int_equal(g.windows, 2);
	assert_int_equal(g.delay_s, 0);
	assert_int_equal(wl_capture_gate_parse("steps:3,delay:7,duration:2", &g, NULL), WL_OK);
	assert_int_equal(g.kind, WL_GATE_STEPS);
	assert_int_equal(g.windows, 3);
	assert_int_equal(g.delay_s, 7);
	assert_int_equal(g.duration_s, 2);
}

TEST_WITH(sessions_begin_and_end_each_window, make, release)
{
	const struct wl_wishes w = { .gate = { .kind = WL_GATE_STEPS, .windows = 2 },
				     .program = ARGV("./server") };
	struct planned *p = *state;

	assert_non_null(strstr(line_of(p, &w, 0), "nsys launch --session-new=warplens-run "));
	assert_int_equal(p->plan.n_steps, 5);
	assert_string_equal(line_of(p, &w, 3),
			    "nsys start --session=warplens-run --sample=none --cpuctxsw=none "
			    "--force-overwrite=true --output=./run.2");
	assert_string_equal(line_of(p, &w, 4), "nsys stop --session=warplens-run");
	assert_string_equal(p->plan.step[4].title, "End it; the program goes on");
}

TEST_WITH(exports_find_the_report_of_each_rank, make, release)
{
	struct planned *p = *state;
	const struct wl_wishes one = { .program = ARGV("./a") };
	const struct wl_wishes ranks = { .launcher = WL_LAUNCHER_SLURM,
					 .dir = "my reports",
					 .program = ARGV("srun", "-n", "2", "./a") };
	struct wl_err err = { 0 };

	(void)line_of(p, &one, 0);
	assert_int_equal(wl_capture_plan_export(&p->plan, &p->arena, &err), WL_OK);
	assert_string_equal(wl_capture_plan_line(&p->plan.step[1], &p->arena),
			    "nsys export --type sqlite --include-blobs=true ./run.nsys-rep");
	(void)line_of(p, &ranks, 0);
	assert_int_equal(wl_capture_plan_export(&p->plan, &p->arena, &err), WL_OK);
	assert_string_equal(wl_capture_plan_line(&p->plan.step[1], &p->arena),
			    "sh -c 'for report in \"$1\"*.nsys-rep; do nsys export --type sqlite "
			    "--include-blobs=true \"$report\"; done' sh 'my reports/run.rank'");
}

TEST_WITH(a_session_can_have_another_name_than_the_run, make, release)
{
	const struct wl_wishes w = {
		.gate = { .kind = WL_GATE_STEPS, .windows = 1, .delay_s = 3, .duration_s = 4 },
		.session = "a-7",
		.program = ARGV("./server")
	};
	struct planned *p = *state;

	assert_non_null(strstr(line_of(p, &w, 1), "nsys start --session=warplens-a-7 "));
	assert_non_null(strstr(line_of(p, &w, 1), "--output=./run.1"));
	assert_string_equal(p->plan.step[1].title, "Begin to record after 3 s");
	assert_string_equal(p->plan.step[2].title, "End it after 4 s; the program goes on");
}

TEST_WITH(too_little_memory_is_an_error, make, release)
{
	const struct wl_wishes w = { .launcher = WL_LAUNCHER_SLURM,
				     .program = ARGV("srun", "-N", "2", "./a") };
	struct wl_capture_plan plan;
	struct wl_arena arena;

	for (size_t bytes = 0; bytes < 8192; bytes += 64) {
		int r;

		wl_arena_init(&arena, bytes);
		r = wl_capture_plan_make(&w, &arena, &plan, NULL);
		assert_true(r == WL_OK || r == WL_E_NOMEM);
		wl_arena_release(&arena);
	}
}
