/* SPDX-License-Identifier: MIT */
#include "agent/tools/recapture.h"

#include <stdio.h>
#include <string.h>

#include "analysis/capture/coach.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

struct told {
	struct mem mem;
	struct wl_arena arena;
	struct wl_recapture r;
	struct wl_err err;
	char words[400];
};

static void begin(struct told *x)
{
	*x = (struct told){ .words = "" };
	mem_init(&x->mem);
	wl_arena_init(&x->arena, 1 << 20);
}

static void end(struct told *x)
{
	wl_arena_release(&x->arena);
	mem_release(&x->mem);
}

static void meta(struct told *x, const char *name, const char *value)
{
	const struct wl_meta row = { .table = mem_string(&x->mem, "META_DATA_CAPTURE"),
				     .name = mem_string(&x->mem, name),
				     .value = mem_string(&x->mem, value) };

	wl_vec_push(&x->mem.build.meta, &row);
}

/* The words of the plan with blanks between. */
static const char *find(struct told *x)
{
	size_t used = 0;

	if (wl_recapture_find(mem_seal(&x->mem), &x->arena, &x->r, &x->err) != WL_OK)
		fail_msg("%s", x->err.msg);
	for (size_t i = 0; x->r.word[i] && used < sizeof(x->words); i++)
		used += (size_t)snprintf(x->words + used, sizeof(x->words) - used, "%s%s",
					 i ? " " : "", x->r.word[i]);
	return x->words;
}

TEST(the_program_is_that_of_the_trace)
{
	WITH(struct told, x, end, begin(&x));

	meta(&x, "PROCESS_0:COMMAND", "./jacobi");
	meta(&x, "PROCESS_0:ARGUMENT_0", "--api-key=hunter2");
	meta(&x, "PROCESS_0:ENVIRONMENT_VARIABLE", "OMPI_COMM_WORLD_RANK=\"3\"");
	meta(&x, "PROCESS_0:ENVIRONMENT_VARIABLE", "OMPI_COMM_WORLD_SIZE=\"8\"");
	assert_string_equal(find(&x), "mpirun -n 8 -- ./jacobi --api-key=***");
	assert_true(x.r.is_traced);
	assert_int_equal(x.r.launcher, WL_LAUNCHER_MPIRUN);
}

TEST(torchrun_starts_python_itself)
{
	WITH(struct told, x, end, begin(&x));

	meta(&x, "PROCESS_0:COMMAND", "/usr/bin/python3");
	meta(&x, "PROCESS_0:ARGUMENT_0", "-u");
	meta(&x, "PROCESS_0:ARGUMENT_1", "train.py");
	meta(&x, "PROCESS_0:ENVIRONMENT_VARIABLE", "TORCHELASTIC_RUN_ID=\"a\"");
	assert_string_equal(find(&x), "torchrun --nproc-per-node 1 -- train.py");
}

TEST(a_command_that_a_terminal_would_obey_is_not_taken)
{
	WITH(struct told, x, end, begin(&x));

	meta(&x, "PROCESS_0:COMMAND", "a\033[2J");
	assert_string_equal(find(&x), "python train.py");
	assert_false(x.r.is_traced);
}

TEST(the_users_words_come_first)
{
	WITH(struct told, x, end, begin(&x));
	static const char *const given[] = { "mpirun", "-n", "2", "./b" };

	meta(&x, "PROCESS_0:COMMAND", "./jacobi");
	x.r.given = given;
	x.r.n_given = 4;
	assert_string_equal(find(&x), "mpirun -n 2 ./b");
	assert_int_equal(x.r.launcher, WL_LAUNCHER_MPIRUN);
}

TEST(what_was_recorded_is_found)
{
	WITH(struct told, x, end, begin(&x));
	const struct mem_call call = { .start = 1, .end = 2, .pid = 100, .tid = 100 };

	meta(&x, "EXPORT_PRODUCT_VERSION", "2025.1.1.103");
	mem_osrt(&x.mem, &call);
	mem_mpi_other(&x.mem, &call);
	mem_sched(&x.mem, 1, 100, 100, true);
	mem_table(&x.mem, "SAMPLING_CALLCHAINS", 3, "id");
	mem_table(&x.mem, "GPU_METRICS", 0, "id");
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 1, .end = 2, .kind = WL_COPY_UVM_H2D);
	(void)find(&x);
	assert_int_equal(x.r.had, WL_ALSO_OSRT | WL_ALSO_MPI | WL_ALSO_SCHED | WL_ALSO_SAMPLES |
					  WL_ALSO_FAULTS);
	assert_string_equal(x.r.version, "2025.1.1.103");
	assert_int_equal(wl_recapture_also(wl_lacks_parse("sched,memory,ranks")),
			 WL_ALSO_SCHED | WL_ALSO_MEMORY);
}
