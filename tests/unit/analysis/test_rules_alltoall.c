/* SPDX-License-Identifier: MIT */
/* What findings say of SendRecv, whose purpose only ranges around its launches tell. */
#include "support/tape.h"

/* Each of 12 times a kernel and a SendRecv on its stream; n_named of the launches are in the range.
 */
static void exchange(struct tape *t, const char *name, unsigned n_named)
{
	start(t);
	for (unsigned i = 0; i < 12; i++) {
		wl_ns begin;

		launch(t, "kernel_a", 5 * US, 100 * US);
		begin = t->now;
		launch(t, "ncclDevKernel_SendRecv(int)", 5 * US, 100 * US);
		range(t, "step", begin, begin + 20 * US);
		if (i < n_named)
			range(t, name, begin, begin + 10 * US);
		range(t, "record_param_comms", begin, begin + 6 * US);
	}
	ask_all(t);
}

TEST(send_and_receive_in_an_all_to_all_is_one)
{
	static const char *const names[] = { "c10d::alltoall_base_, op_id = 991142",
					     "nccl:all_to_all", "AllToAll4D, seq = 45440" };
	static const char *const labels[] = { "`c10d::alltoall_base_`", "`nccl:all_to_all`",
					      "`AllToAll4D`" };

	for (unsigned i = 0; i < WL_COUNT(names); i++) {
		struct tape t;

		exchange(&t, names[i], 12);
		expect_words(&t, "stream-serialisation", "finding",
			     "All-to-all runs on the compute stream; it cannot overlap");
		expect_words(&t, "stream-serialisation", "finding", "SendRecv is launched in ");
		expect_words(&t, "stream-serialisation", "finding", labels[i]);
		expect_no_words(&t, "stream-serialisation", "finding", "if it is");
		expect_words(&t, "stream-serialisation", "action", "Start it asynchronously");
		expect_words(&t, "stream-serialisation", "pytorch", "all_to_all_single");
		finish(&t);
	}
}

TEST(send_and_receive_elsewhere_may_be_anything)
{
	static const struct {
		const char *name;
		unsigned n;
	} cases[] = { { "c10d::send", 12 }, { "nccl:all_to_all", 6 } };

	for (unsigned i = 0; i < WL_COUNT(cases); i++) {
		struct tape t;

		exchange(&t, cases[i].name, cases[i].n);
		expect_words(&t, "stream-serialisation", "finding", "if it is an all-to-all");
		expect_words(&t, "stream-serialisation", "action", "a separate stream");
		finish(&t);
	}
}
