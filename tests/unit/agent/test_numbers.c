/* SPDX-License-Identifier: MIT */
#include "agent/check/numbers.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static const char result[] =
	"{\"answer\":\"kernels: 154 rows; first: Name void gemm<128, 64>(float*), Calls 22564, Sum "
	"6.92 ms\",\"trace\":\"t1\",\"verb\":\"kernels\",\"window\":{\"spec\":\"39s..42s\",\"begin_"
	"ns\":0,\"end_ns\":3000000000,\"length_ns\":3000000000},\"step\":{\"what\":\"NVTX range "
	"step "
	"77 ms\",\"count\":20,\"median_ns\":53400000},\"notes\":[\"averages over steps 1-57 (mean "
	"30.69 ms)\",\"GPU 2 runs the same kernels 15 % slower (gemm 283.7 vs 247.1 us)\",\"CUDA "
	"12.4.1, driver 550.54; change -757 us\"],\"how\":\"warplens kernels t.sqlite -n 4321\","
	"\"coverage\":{\"idle\":{\"have\":152,\"of\":192}},\"total_rows\":154,\"columns\":["
	"\"name\",\"gpu\",\"calls\",\"sum\",\"share\",\"bytes\","
	"\"rate\",\"pid\",\"delta\"],\"units\":{\"sum\":\"ns\",\"share\":\"ratio\",\"bytes\":"
	"\"bytes\",\"rate\":\"bytes/s\",\"delta\":\"ns\"},\"rows\":[[\"void gemm<128, "
	"64>(float*)\","
	"0,22564,6923456,0.1312,1048576,12300000000,\"4711\",-5200000],[\"flash_fwd_hdim128\",1,12,"
	"999499,0.0451,2500000,0,\"4712\",0],[\"util 93 % at 41 ms\",2,7,15000,1.37,64,5,\"4713\","
	"1]]}";

static const char sql_result[] = "{\"columns\":[\"name\",\"total\",\"mean_ms\"],\"rows\":[[\"k\","
				 "8765432,1.25]]}";

static void expect(const char *answer, size_t n_unfound, size_t n_asked)
{
	struct wl_evidence e = { 0 };
	struct wl_numbers_check check;
	struct wl_err err;

	wl_evidence_ask(&e, "Which kernels take more than 4 ms, and is it 45 %?");
	wl_evidence_add(&e, result);
	wl_evidence_add(&e, sql_result);
	assert_int_equal(wl_numbers_check(&e, answer, &check, &err), WL_OK);
	if (check.n_unfound != n_unfound || check.n_asked != n_asked)
		fail_msg("\"%s\": %zu unfound, %zu asked: %s", answer, check.n_unfound,
			 check.n_asked, check.text);
	free(check.text);
	wl_evidence_release(&e);
}

static const char *const told[] = {
	"",
	"No numbers at all.",
	"It takes 6.92 ms.",
	"It takes 6.9 ms, about 7 ms, 6923 us, 6,923.5 us, 6923456 ns or 0.00692 s.",
	"It takes **6.92** ms, `6.92 ms` and 6.92ms.",
	"13.12 %, 13.1%, 13 percent or a ratio of 0.131.",
	"22,564 calls, 22564 calls, 22.6k calls, 22.56 thousand calls.",
	"1.37x, 1.37 times, a factor of 1.37 and 137 %.",
	"1.05 MB, 1 MiB, 1024 KiB, 1048576 bytes; 12.3 GB/s",
	"GPU 0, GPUs 0, 1 and 2, GPU2 and gpu:1 on H100 with FP8 and sm_90.",
	"steps 1-57, step 12, iteration #40",
	"process 4711 and PID 4712",
	"283.7 vs 247.1 us, 247.1\u2013283.7 us",
	"the change is -757 us, or \u22120.757 ms, or 757 us less",
	"-5.2 ms",
	"5.2 ms",
	"1. first\n2. second\n3) third\n",
	"## 1. Heading\n**2.** bold",
	"| Kernel | Sum (ms) | % | N |\n|-|-:|-|-|\n| a | 6.92 | 13.1 | 22,564 |\n| b | 0.9995 |\n",
	"CUDA 12.4.1 with driver 550.54",
	"the kernels `void gemm<128, 64>(float*)`, gemm<128, 64>",
	"the kernel void gemm<128, 64>(float*) is slow",
	"flash_fwd_hdim128 is flash attention with ZeRO-3 and 64-bit 2D copies",
	"two of the three kernels",
	"20 steps of 53.4 ms in 3 s",
	"283.7 us \u00b1 247.1 of 15",
	"79.2 % of idle time is explained",
	"6.923456e6 ns",
	"8.77 ms by SQL, 8765432 in all, mean 1.25 ms",
};

TEST(what_tools_said_is_found)
{
	for (size_t i = 0; i < WL_COUNT(told); i++)
		expect(told[i], 0, 0);
}

static const char *const untold[] = {
	"It takes 6.93 ms.",
	"It takes 6.92 us.",
	"It takes 6.92 s.",
	"It takes 6.92.", /* of what? */
	"6.9235 us",
	"13.2 %",
	"1.312 %",
	"13.12x",
	"22,565 calls",
	"22.5k calls",
	"1.05 MiB",
	"12.3 GiB/s",
	"GPU 3",
	"GPU7",
	"step 58",
	"process 4719",
	"5.2 ms faster by 93 %",
	"41 ms",     /* only a name says so */
	"93 % busy", /* the same */
	"77 ms",     /* the same */
	"-n 4321",   /* what the model sent */
	"39 s",      /* the same */
	"+757 us",   /* the sign is another */
	"-6.92 ms",
	"8. a list that does not begin with 1",
	"1. first\n3. third",
	"ten milliseconds",
	"fifty percent",
	"two hundred kernels",
	"CUDA 12.4.2",
	"a 128x256 tile",
	"\xEF\xBC\x95 ms",     /* fullwidth 5 */
	"\xC2\xBD of it",      /* one half */
	"6\xE2\x80\x8B.95 ms", /* a zero-width space inside */
	"num_workers=4",
	"the kernel (128)",
	"sub-5 us",
	"x2.5",
	"| Kernel | Sum (us) |\n|---|---|\n| a | 6.92 |\n",
};

TEST(what_no_tool_said_is_not_found)
{
	for (size_t i = 0; i < WL_COUNT(untold); i++) {
		/* Where a sentence has more than one number, the others are found. */
		struct wl_evidence e = { 0 };
		struct wl_numbers_check check;
		struct wl_err err;

		wl_evidence_add(&e, result);
		wl_evidence_add(&e, sql_result);
		assert_int_equal(wl_numbers_check(&e, untold[i], &check, &err), WL_OK);
		if (check.n_unfound != 1)
			fail_msg("\"%s\": %zu unfound: %s", untold[i], check.n_unfound, check.text);
		assert_non_null(strstr(check.text, " [not in the results]"));
		assert_false(wl_numbers_withhold(&check));
		free(check.text);
		wl_evidence_release(&e);
	}
}

TEST(numbers_of_the_question_are_marked_as_such)
{
	expect("Kernels above 4 ms: one, with 6.92 ms.", 0, 1);
	expect("Yes, 45 %.", 0, 1);
	expect("Yes, 0.45 ms.", 1, 0);
	expect("Yes, 4000 us and 45 % and 46 %.", 1, 2);
}

TEST(marks_follow_the_unit_and_two_withhold)
{
	struct wl_evidence e = { 0 };
	struct wl_numbers_check check;
	struct wl_err err;

	wl_evidence_add(&e, result);
	assert_int_equal(
		wl_numbers_check(&e, "From 6.92 ms to **6.95** ms, 41.5 % more.", &check, &err),
		WL_OK);
	assert_string_equal(check.text, "From 6.92 ms to **6.95** ms [not in the results], 41.5 % "
					"[not in the results] more.");
	assert_int_equal(check.n_numbers, 3);
	assert_int_equal(check.n_unfound, 2);
	assert_string_equal(check.unfound, "6.95** ms, 41.5 %");
	assert_true(wl_numbers_withhold(&check));
	free(check.text);
	wl_evidence_release(&e);
}

static enum wl_column_kind column(const char *verb, const char *key, struct wl_quantity *ret_unit)
{
	if (strcmp(key, "saving") == 0) {
		*ret_unit = (struct wl_quantity){ WL_DIM_TIME, 1 };
		return WL_COLUMN_NUMBER;
	}
	return verb && strcmp(verb, "findings") == 0 && strcmp(key, "text") == 0 ? WL_COLUMN_PROSE
										 : WL_COLUMN_NAME;
}

TEST(sentences_in_columns_count_where_the_program_wrote_them)
{
	static const char found[] =
		"{\"verb\":\"findings\",\"columns\":[\"code\",\"kernel\",\"text\"],\"units\":{},"
		"\"rows\":[[\"launch-bound\",\"k 88 us\",\"k 88 us idles: 6.5 ms of each step (13 "
		"%)\"]]}";
	struct wl_evidence e = { .column = column };
	struct wl_numbers_check check;
	struct wl_err err;

	wl_evidence_add(&e, found);
	assert_int_equal(wl_numbers_check(&e, "6.5 ms, 13 %, \"k 88 us\"", &check, &err), WL_OK);
	assert_int_equal(check.n_unfound, 0);
	free(check.text);
	/* The name is quoted in the sentence, and says nothing of its own. */
	assert_int_equal(wl_numbers_check(&e, "it takes 88 us", &check, &err), WL_OK);
	assert_int_equal(check.n_unfound, 1);
	free(check.text);
	wl_evidence_release(&e);
}

TEST(members_of_objects_have_the_units_of_their_columns)
{
	struct wl_evidence e = { .column = column };
	struct wl_numbers_check check;
	struct wl_err err;

	wl_evidence_add(&e, "{\"findings\":[{\"saving\":6923456,\"name\":\"took 5 s\"}]}");
	assert_int_equal(wl_numbers_check(&e, "6.92 ms, not 5 s", &check, &err), WL_OK);
	assert_int_equal(check.n_unfound, 1);
	assert_string_equal(check.unfound, "5 s");
	free(check.text);
	wl_evidence_release(&e);
}

TEST(advice_may_be_quoted_but_proves_nothing)
{
	struct wl_evidence e = { 0 };
	struct wl_numbers_check check;
	struct wl_err err;

	wl_evidence_quote(&e, "Host code in gaps of up to 100 us counts as launching.");
	assert_int_equal(wl_numbers_check(&e, "Gaps of up to 100 us count.", &check, &err), WL_OK);
	assert_int_equal(check.n_unfound, 0);
	free(check.text);
	assert_int_equal(wl_numbers_check(&e, "The GPU idles for 100 us.\n100 us", &check, &err),
			 WL_OK);
	assert_int_equal(check.n_unfound, 2);
	free(check.text);
	wl_evidence_release(&e);
}

TEST(nothing_is_evidence_for_nothing)
{
	struct wl_evidence e = { 0 };
	struct wl_numbers_check check;
	struct wl_err err;

	wl_evidence_add(&e, "{}");
	wl_evidence_add(&e, "not JSON: 17.5 ms");
	assert_int_equal(wl_numbers_check(&e, "0 GPUs, 17.5 ms", &check, &err), WL_OK);
	assert_int_equal(check.n_unfound, 1);
	free(check.text);
	wl_evidence_release(&e);
}
