/* SPDX-License-Identifier: MIT */
#include "derive/calls/library_calls.h"

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

struct fixture {
	struct mem mem;
	const struct wl_library_calls *found;
};

static void setup(struct fixture *f)
{
	mem_init(&f->mem);
}

static void cuda_call(struct fixture *f, wl_ns start, unsigned tid)
{
	MEM_API(&f->mem, .start = start, .end = start + 5, .tid = tid);
}

static void library(struct fixture *f, enum wl_family_id family, wl_ns start, wl_ns end,
		    const char *name)
{
	mem_library_call(&f->mem, family,
			 &(struct mem_call){ .start = start, .end = end, .tid = 1, .name = name },
			 NULL, 0);
}

static void seal(struct fixture *f)
{
	mem_seal(&f->mem);
	f->found = f->mem.derived.library_calls;
}

/* What the CUDA call in this row lies in; "" for nothing. */
static const char *around(const struct fixture *f, size_t row)
{
	uint32_t call = f->found->of[row];

	return call == WL_NONE ? "" : f->found->call[call].name;
}

TEST(the_innermost_call_counts)
{
	struct fixture f;

	setup(&f);
	library(&f, WL_F_CUDNN, 100, 200, "cudnnRNNForward");
	library(&f, WL_F_CUBLAS, 120, 140, "cublasSgemm");
	for (wl_ns at = 90; at < 210; at += 10)
		cuda_call(&f, at, 1);
	seal(&f);
	assert_int_equal(f.found->n, 2);
	assert_string_equal(around(&f, 0), "");
	assert_string_equal(around(&f, 1), "cudnnRNNForward"); /* at its begin */
	assert_string_equal(around(&f, 2), "cudnnRNNForward");
	assert_string_equal(around(&f, 3), "cublasSgemm");
	assert_string_equal(around(&f, 4), "cublasSgemm");
	assert_string_equal(around(&f, 5), "cudnnRNNForward"); /* at the end of cublasSgemm */
	assert_string_equal(around(&f, 10), "cudnnRNNForward");
	assert_string_equal(around(&f, 11), "");
	assert_string_equal(f.found->call[1].library, "cuBLAS");
	mem_release(&f.mem);
}

/* Of crossing ones the last that has begun; one that ended is not seen again. */
TEST(crossing_calls)
{
	struct fixture f;

	setup(&f);
	library(&f, WL_F_CUDNN, 0, 100, "a");
	library(&f, WL_F_CUDNN, 50, 150, "b");
	library(&f, WL_F_CUBLAS, 60, 70, "c");
	library(&f, WL_F_CUBLAS, 80, 80, "empty");
	cuda_call(&f, 40, 1);
	cuda_call(&f, 65, 1);
	cuda_call(&f, 80, 1);
	cuda_call(&f, 120, 1);
	seal(&f);
	assert_string_equal(around(&f, 0), "a");
	assert_string_equal(around(&f, 1), "c");
	assert_string_equal(around(&f, 2), "b");
	assert_string_equal(around(&f, 3), "b");
	mem_release(&f.mem);
}

TEST(ties_go_to_the_shorter_then_the_later_table)
{
	struct fixture f;

	setup(&f);
	library(&f, WL_F_CUDNN, 0, 20, "short");
	library(&f, WL_F_CUBLAS, 0, 100, "long");
	library(&f, WL_F_CUBLAS, 200, 300, "later");
	library(&f, WL_F_CUDNN, 200, 300, "earlier");
	cuda_call(&f, 10, 1);
	cuda_call(&f, 250, 1);
	seal(&f);
	assert_string_equal(around(&f, 0), "short");
	assert_string_equal(around(&f, 1), "later");
	mem_release(&f.mem);
}

TEST(other_threads_do_not_count)
{
	struct fixture f;

	setup(&f);
	library(&f, WL_F_CUDNN, 0, 100, "a");
	cuda_call(&f, 10, 2);
	cuda_call(&f, 20, 1);
	seal(&f);
	assert_int_equal(f.found->n, 1);
	assert_true((f.found->of[0] == WL_NONE) != (f.found->of[1] == WL_NONE));
	mem_release(&f.mem);
}

TEST(openacc_has_a_place_in_the_program)
{
	static const struct {
		enum wl_family_id family;
		const char *file;
		uint32_t line;
		const char *text;
	} of[] = {
		{ WL_F_ACC_LAUNCHES, "solve.f90", 54, "solve.f90:54 (Wait)" },
		{ WL_F_ACC_DATA, "solve.f90", 54, "solve.f90:54 (Wait)" },
		{ WL_F_ACC_OTHERS, "solve.f90", 0, "solve.f90 (Wait)" },
		{ WL_F_ACC_OTHERS, "solve.f90", WL_NONE, "solve.f90 (Wait)" },
		{ WL_F_ACC_OTHERS, NULL, 54, "Wait" },
		{ WL_F_ACC_OTHERS, NULL, 55, "Wait" },
	};
	struct fixture f;

	setup(&f);
	for (size_t i = 0; i < WL_COUNT(of); i++) {
		const wl_ns at = (wl_ns)i * 100;
		const struct mem_call call = {
			.start = at, .end = at + 50, .tid = 1, .name = "Wait"
		};

		mem_library_call(&f.mem, of[i].family, &call, of[i].file, of[i].line);
		cuda_call(&f, at + 10, 1);
	}
	seal(&f);
	assert_int_equal(f.found->n, 3);
	for (size_t i = 0; i < WL_COUNT(of); i++) {
		assert_string_equal(around(&f, i), of[i].text);
		assert_string_equal(f.found->call[f.found->of[i]].library, "OpenACC");
	}
	mem_release(&f.mem);
}

TEST(without_rows_nothing_is_found)
{
	struct fixture f;

	setup(&f);
	cuda_call(&f, 10, 1);
	seal(&f);
	assert_int_equal(f.found->n, 0);
	assert_string_equal(around(&f, 0), "");
	mem_release(&f.mem);
}
