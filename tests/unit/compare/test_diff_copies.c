/* SPDX-License-Identifier: MIT */
/* Copies within the GPU count with compute: where they explain its change, the cause names them. */
#include "compare/diff/diff_parts.h"
#include "compare/diff/diff_words.h"
#include "support/unit.h"

static const struct wl_fp_row comm_row = { .name = "AllReduce", .category = "communication" };
static const char *const labels[] = { "AllReduce", "gemm" };

struct made {
	struct wl_pair copy[2], kernel[2];
	struct wl_diff d;
};

/* The step changes by compute, of which copies within the GPU and a kernel have their part. */
static void make(struct made *m, wl_ns compute, wl_ns local, wl_ns gemm)
{
	*m = (struct made){ .d.step.verdict = compute > 0 ? WL_SLOWER : WL_FASTER };
	m->copy[0] = (struct wl_pair){ .name = "HtoD, pinned to device", .change = 9 * compute };
	m->copy[1] = (struct wl_pair){ .name = "DtoD, device to device", .change = local };
	m->kernel[0] = (struct wl_pair){ .name = "AllReduce",
					 .change = 2 * local,
					 .after.row = &comm_row };
	m->kernel[1] = (struct wl_pair){ .name = "gemm", .change = gemm, .duration_effect = gemm };
	m->d.copies = (struct wl_row_pairs){ .pair = m->copy, .n = 2 };
	m->d.kernels = (struct wl_row_pairs){ .pair = m->kernel + 1, .n = 1 };
	m->d.kernel_label = labels + 1;
	m->d.mean[WL_BEFORE] = m->d.part[WL_BEFORE][WL_PART_COMPUTE] = 100000;
	m->d.mean[WL_AFTER] = m->d.part[WL_AFTER][WL_PART_COMPUTE] = 100000 + compute;
}

TEST(copies_that_explain_compute_are_named)
{
	struct made m;
	char words[WL_WORDS];

	make(&m, -6000, -8000, -3000);
	assert_string_equal(wl_diff_cause(&m.d, words), "Main cause: copies within the GPU -8 us "
							"(compute in all -6 us)");
	/* Less than half of what the copies changed: it explains nothing. */
	assert_string_equal(wl_diff_kernel(&m.d, words), "");
	make(&m, 6000, 8000, 5000);
	assert_string_equal(wl_diff_cause(&m.d, words), "Main cause: copies within the GPU +8 us "
							"(compute in all +6 us)");
	assert_string_equal(wl_diff_kernel(&m.d, words),
			    "Largest kernel increase: gemm +5 us (longer calls)");
	/* Collectives are no compute: that they changed more does not count. */
	m.d.kernels = (struct wl_row_pairs){ .pair = m.kernel, .n = 2 };
	assert_int_equal(wl_diff_copies_in_compute(&m.d, 6000), 8000);
}

TEST(other_causes_stay)
{
	struct made m;
	char words[WL_WORDS];

	make(&m, -6000, -2900, -2000); /* less than half */
	assert_string_equal(wl_diff_cause(&m.d, words), "Main cause: compute -6 us");
	assert_string_equal(wl_diff_kernel(&m.d, words),
			    "Largest kernel decrease: gemm -2 us (shorter calls)");
	make(&m, -6000, 8000, -2000); /* the other direction */
	assert_string_equal(wl_diff_cause(&m.d, words), "Main cause: compute -6 us");
	make(&m, -6000, -4000, -4001); /* a kernel changed more */
	assert_string_equal(wl_diff_cause(&m.d, words), "Main cause: compute -6 us");
	make(&m, -6000, -4000, -2000);
	m.copy[1].name = "DtoDx"; /* copies of no known kind */
	assert_string_equal(wl_diff_cause(&m.d, words), "Main cause: compute -6 us");
}
