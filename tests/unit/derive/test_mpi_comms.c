/* SPDX-License-Identifier: MIT */
#include "derive/comm/mpi_comms.h"

#include "support/mem.h"
#include "support/unit.h"

struct fixture {
	struct mem mem;
	struct wl_arena arena;
	struct wl_mpi_comms comms;
};

static void setup(struct fixture *f)
{
	mem_init(&f->mem);
	wl_arena_init(&f->arena, 1 << 20);
}

static void seal(struct fixture *f)
{
	assert_true(wl_mpi_comms_find(mem_seal(&f->mem), &f->arena, &f->comms));
}

static void release(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->mem);
}

static const char *name_at(const struct fixture *f, int64_t rank, uint64_t number, wl_ns time)
{
	uint32_t comm = wl_mpi_comm_of(&f->comms, rank, number, time);

	return comm == WL_NONE ? "" : f->comms.at[comm].name;
}

/* Numbers are pointers of each process. */
TEST(ranks_share_the_world_and_groups)
{
	WITH(struct fixture, f, release, setup(&f));

	for (uint64_t rank = 0; rank < 4; rank++) {
		const struct mem_comm world = { 10, rank, 1000 + rank, 0, 4, NULL };
		const struct mem_comm self = { 10, rank, 1500 + rank, WL_NO_U64, 1, NULL };
		const struct mem_comm half = { 20,          rank, 2000 + rank,
					       1000 + rank, 2,    rank < 2 ? "0,1" : "2,3" };

		mem_mpi_comm(&f.mem, &half);
		mem_mpi_comm(&f.mem, &self);
		mem_mpi_comm(&f.mem, &world);
	}
	seal(&f);
	assert_int_equal(f.comms.n, 4);
	assert_string_equal(name_at(&f, 0, 1000, 50), "MPI_COMM_WORLD");
	assert_string_equal(name_at(&f, 3, 1003, 50), "MPI_COMM_WORLD");
	assert_true(wl_mpi_comm_of(&f.comms, 0, 1000, 50) == wl_mpi_comm_of(&f.comms, 3, 1003, 50));
	assert_string_equal(name_at(&f, 2, 1502, 50), "MPI_COMM_SELF");
	assert_string_equal(name_at(&f, 1, 2001, 50), "ranks 0,1");
	assert_string_equal(name_at(&f, 2, 2002, 50), "ranks 2,3");
	assert_int_equal(f.comms.at[wl_mpi_comm_of(&f.comms, 2, 2002, 50)].size, 2);
	assert_string_equal(name_at(&f, 0, 1003, 50), ""); /* of another rank */
	assert_string_equal(name_at(&f, 9, 1003, 50), "");
}

/* Freed, and the number used again. */
TEST(a_number_stands_for_the_last_one_made)
{
	WITH(struct fixture, f, release, setup(&f));
	const struct mem_comm first = { 100, 0, 7, 1, 2, "0,1" },
			      second = { 200, 0, 7, 1, 3, NULL };

	mem_mpi_comm(&f.mem, &second);
	mem_mpi_comm(&f.mem, &first);
	seal(&f);
	assert_string_equal(name_at(&f, 0, 7, 50), "ranks 0,1"); /* clocks may disagree */
	assert_string_equal(name_at(&f, 0, 7, 100), "ranks 0,1");
	assert_string_equal(name_at(&f, 0, 7, 199), "ranks 0,1");
	assert_string_equal(name_at(&f, 0, 7, 200), "0x7 of rank 0");
}

TEST(nothing_listed_is_nothing_found)
{
	WITH(struct fixture, f, release, setup(&f));

	seal(&f);
	assert_int_equal(f.comms.n, 0);
	assert_string_equal(name_at(&f, 0, 7, 0), "");
}
