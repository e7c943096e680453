/* SPDX-License-Identifier: MIT */
#include "derive/comm/payloads.h"

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;

/* An NCCL call, with a payload unless bytes are negative. */
static void range(struct mem *m, const char *name, wl_ns start, wl_ns end)
{
	MEM_NVTX(m, .start = start, .end = end, .pid = 1, .name = name);
}

static void call(struct mem *m, wl_ns start, wl_ns end, uint64_t comm, uint64_t bytes)
{
	range(m, "ncclAllReduce", start, end);
	mem_nccl_call(m, &(struct mem_call){ .start = start, .end = end, .pid = 1 }, comm, bytes,
		      WL_NO_U64);
}

static void launch(struct mem *m, wl_ns at, unsigned corr)
{
	MEM_API(m, .start = at, .end = at + 1, .pid = 1, .corr = corr);
	MEM_OP(m, WL_F_KERNELS, .start = at + 10, .end = at + 20, .pid = 1, .stream = 20,
	       .corr = corr, .name = "ncclDevKernel_AllReduce_x");
}

static void expect(const struct mem *m, size_t kernel, uint64_t comm, int64_t bytes)
{
	struct wl_payload p = wl_payload_of(m->derived.payloads, kernel);

	assert_true(p.comm == comm);
	assert_int_equal(p.bytes, bytes);
}

TEST(a_launch_lies_in_its_call)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	call(&m, 100, 200, 7, 4096);
	launch(&m, 150, 1);
	launch(&m, 300, 2);
	range(&m, "ncclAllReduce", 400, 500); /* without a payload */
	launch(&m, 450, 3);
	(void)mem_seal(&m);
	expect(&m, 0, 7, 4096);
	/* The stream has one communicator: it is that of kernels whose call says nothing. */
	expect(&m, 1, 7, -1);
	expect(&m, 2, 7, -1);
}

TEST(a_stream_of_two_communicators_names_none)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	call(&m, 100, 200, 7, 4096);
	launch(&m, 150, 1);
	call(&m, 300, 400, 8, 4096);
	launch(&m, 350, 2);
	launch(&m, 500, 3);
	(void)mem_seal(&m);
	expect(&m, 1, 8, 4096);
	expect(&m, 2, WL_NO_U64, -1);
}

TEST(a_group_launches_at_its_end)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	/* Two calls, two kernels. */
	range(&m, "ncclGroupStart", 100, 101);
	range(&m, "ncclGroupStart", 102, 103);
	call(&m, 110, 120, 7, 4096);
	range(&m, "ncclGroupEnd", 121, 122);
	call(&m, 130, 140, 8, 64);
	range(&m, "ncclGroupEnd", 150, 200);
	launch(&m, 160, 1);
	launch(&m, 170, 2);
	/* Two calls of one communicator, one kernel; then of two communicators. */
	range(&m, "ncclGroupStart", 300, 301);
	call(&m, 310, 320, 7, 1);
	call(&m, 330, 340, 7, 2);
	range(&m, "ncclGroupEnd", 350, 400);
	launch(&m, 360, 3);
	range(&m, "ncclGroupStart", 500, 501);
	call(&m, 510, 520, 7, 1);
	call(&m, 530, 540, 8, 2);
	range(&m, "ncclGroupEnd", 550, 600);
	launch(&m, 560, 4);
	(void)mem_seal(&m);
	expect(&m, 0, 7, 4096);
	expect(&m, 1, 8, 64);
	expect(&m, 2, 7, -1);
	expect(&m, 3, WL_NO_U64, -1);
}

TEST(an_init_says_how_many_ranks)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	mem_nccl_call(&m, &(struct mem_call){ .start = 1, .end = 2, .pid = 1 }, 9, WL_NO_U64, 64);
	mem_nccl_call(&m, &(struct mem_call){ .start = 1, .end = 2, .pid = 2 }, 9, WL_NO_U64, 64);
	mem_nccl_call(&m, &(struct mem_call){ .start = 3, .end = 4, .pid = 2 }, 5, WL_NO_U64, 2);
	(void)mem_seal(&m);
	assert_int_equal(wl_comm_ranks(m.derived.payloads, 9), 64);
	assert_int_equal(wl_comm_ranks(m.derived.payloads, 5), 2);
	assert_int_equal(wl_comm_ranks(m.derived.payloads, 6), 0);
}

/* One collective of a process: range, payload, launch and kernel. */
static void collective(struct mem *m, unsigned pid, unsigned corr, uint64_t comm, uint64_t bytes,
		       wl_ns end)
{
	wl_ns at = (wl_ns)corr * 1000 * us;

	MEM_NVTX(m, .start = at, .end = at + 10, .pid = pid, .name = "ncclAllReduce");
	mem_nccl_call(m, &(struct mem_call){ .start = at, .end = at + 10, .pid = pid }, comm, bytes,
		      WL_NO_U64);
	MEM_API(m, .start = at + 1, .end = at + 2, .pid = pid, .corr = corr);
	MEM_OP(m, WL_F_KERNELS, .start = at + 100, .end = at + end, .pid = pid, .stream = 20,
	       .corr = corr, .name = "ncclDevKernel_AllReduce_x");
}

/* Two communicators end together to the ns, and are told apart by their hashes. */
TEST(communicators_are_told_apart)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_matches *f;

	for (unsigned pid = 1; pid <= 4; pid++) {
		for (unsigned i = 1; i <= 30; i++)
			collective(&m, pid, i, pid <= 2 ? 7 : 8, 64, 40 * us);
	}
	(void)mem_seal(&m);
	f = m.derived.matches;
	assert_int_equal(f->n_groups, 2);
	assert_int_equal(f->n, 60);
}

/* From the 20th on one member has messages of another size; what follows is not matched. */
TEST(another_size_stops_the_group)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_matches *f;

	for (unsigned pid = 1; pid <= 2; pid++) {
		for (unsigned i = 1; i <= 30; i++)
			collective(&m, pid, i, 7, pid == 2 && i == 20 ? 128 : 64, 40 * us);
	}
	(void)mem_seal(&m);
	f = m.derived.matches;
	assert_int_equal(f->n, 19);
	assert_int_equal(f->set[0].stopped, 19);
}

/* Calls come first; of two kernels that start together each has the operation that ends with it. */
TEST(operations_belong_to_kernels_by_their_times)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	for (unsigned pid = 1; pid <= 2; pid++) {
		for (wl_ns at = 100; at <= 500; at += 200)
			MEM_OP(&m, WL_F_KERNELS, .start = at, .end = at + 20 * pid, .pid = pid,
			       .stream = 20 + (unsigned)at, .corr = (unsigned)at,
			       .name = "ncclDevKernel_AllReduce_x");
	}
	mem_nccl_op(&m, 300, 340, 9, 4096);
	mem_nccl_op(&m, 300, 320, 8, WL_NO_U64);
	mem_nccl_op(&m, 100, 140, 9, 100);
	mem_nccl_op(&m, 100, 120, 9, 100);
	mem_nccl_op(&m, 501, 520, 9, 100);
	MEM_API(&m, .start = 90, .end = 95, .pid = 1, .corr = 100);
	call(&m, 80, 99, 7, 4096);
	(void)mem_seal(&m);
	expect(&m, 0, 7, 4096);
	expect(&m, 1, 8, -1);
	expect(&m, 2, WL_NO_U64, -1);
	expect(&m, 3, 9, 200);
	expect(&m, 4, 9, 8192);
	expect(&m, 5, WL_NO_U64, -1);
}

/*
 * Three ranks send to each other, and leave 100 us apart: with the payloads' two peers each is with
 * all others, and the order of calls is enough. With one peer each no record says which ranks meet.
 */
TEST(exchanges_with_all_others_are_matched_by_order)
{
	for (unsigned n_peers = 1; n_peers <= 2; n_peers++) {
		struct mem m;

		mem_init(&m);
		for (unsigned pid = 1; pid <= 3; pid++) {
			mem_nccl_call(&m, &(struct mem_call){ .start = 1, .end = 2, .pid = pid }, 7,
				      WL_NO_U64, 3);
			for (unsigned i = 1; i <= 20; i++) {
				wl_ns at = i * 1000 * us;
				struct mem_call c = { .start = at + 10,
						      .end = at + 20,
						      .pid = pid };
				const char *const name[] = { "ncclGroupStart", "ncclSend",
							     "ncclSend", "ncclGroupEnd" };

				for (unsigned k = 0; k < 4; k++, c.start += 20, c.end += 20) {
					MEM_NVTX(&m, .start = c.start, .end = c.end, .pid = pid,
						 .name = name[k]);
					c.peer = n_peers == 1 ? pid % 3 : (pid + k) % 3;
					if (k == 1 || k == 2)
						mem_nccl_call(&m, &c, 7, 64, WL_NO_U64);
				}
				MEM_API(&m, .start = at + 72, .end = at + 75, .pid = pid,
					.corr = i);
				MEM_OP(&m, WL_F_KERNELS, .start = at + pid * 10 * us,
				       .end = at + (100 + pid * 100) * us, .pid = pid, .stream = 24,
				       .corr = i, .name = "ncclDevKernel_SendRecv");
			}
		}
		(void)mem_seal(&m);
		assert_int_equal(wl_payload_of(m.derived.payloads, 0).n_peers, n_peers);
		assert_int_equal(m.derived.matches->n, n_peers == 1 ? 0 : 20);
		mem_release(&m);
	}
}
