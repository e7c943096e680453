/* SPDX-License-Identifier: MIT */
#include "derive/kinds/classes.h"

#include "derive/nvtx/conventions.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

struct classes {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_classes found;
};

static void find(struct classes *c)
{
	c->trace = mem_seal(&c->mem);
	wl_arena_init(&c->arena, 1 << 20);
	assert_true(wl_classes_find(&c->mem.derived, &c->arena, &c->found));
}

static void release(struct classes *c)
{
	wl_arena_release(&c->arena);
	mem_release(&c->mem);
}

static enum wl_class class_of(const struct classes *c, enum wl_family_id family, size_t row)
{
	return wl_class_of(c->trace, &c->found, family, row);
}

TEST(kernels_are_told_apart_by_their_demangled_name)
{
	WITH(struct classes, c, release, mem_init(&c.mem));

	MEM_OP(&c.mem, WL_F_KERNELS, .start = 1, .name = "gemm<nccl>", .brief = "ncclKernel");
	MEM_OP(&c.mem, WL_F_KERNELS, .start = 2,
	       .name = "void deep_ep::intranode::dispatch<8>(int)", .brief = "dispatch");
	MEM_OP(&c.mem, WL_F_KERNELS, .start = 3, .name = "ncclDevKernel_X");
	find(&c);
	assert_int_equal(class_of(&c, WL_F_KERNELS, 0), WL_COMPUTE);
	assert_int_equal(class_of(&c, WL_F_KERNELS, 1), WL_COMM);
	assert_int_equal(class_of(&c, WL_F_KERNELS, 2), WL_COMM);
}

TEST(the_users_conventions_name_more_that_communicate)
{
	static const char *const globs[] = { "mine::*_exchange", NULL };
	static const char *const none[] = { NULL };
	const struct wl_conventions conventions = {
		.name = "mine", .detect = none, .anchor = none, .comm = globs
	};
	struct classes c;

	mem_init(&c.mem);
	MEM_OP(&c.mem, WL_F_KERNELS, .start = 1, .name = "void mine::halo_exchange<4>(int)");
	MEM_OP(&c.mem, WL_F_KERNELS, .start = 2, .name = "mine::gemm");
	c.trace = mem_seal(&c.mem);
	mem_derive(&c.mem, &(struct wl_derived_opts){ .conventions = &conventions });
	wl_arena_init(&c.arena, 1 << 20);
	assert_true(wl_classes_find(&c.mem.derived, &c.arena, &c.found));
	assert_int_equal(class_of(&c, WL_F_KERNELS, 0), WL_COMM);
	assert_int_equal(class_of(&c, WL_F_KERNELS, 1), WL_COMPUTE);
	release(&c);
}

TEST(sets_replays_and_copies_within_a_device_compute)
{
	WITH(struct classes, c, release, mem_init(&c.mem));

	MEM_OP(&c.mem, WL_F_MEMSETS, .end = 1);
	MEM_OP(&c.mem, WL_F_GRAPHS, .end = 1);
	MEM_OP(&c.mem, WL_F_MEMCPYS, .end = 1, .kind = WL_COPY_D2D);
	find(&c);
	assert_int_equal(class_of(&c, WL_F_MEMSETS, 0), WL_COMPUTE);
	assert_int_equal(class_of(&c, WL_F_GRAPHS, 0), WL_COMPUTE);
	assert_int_equal(class_of(&c, WL_F_MEMCPYS, 0), WL_COMPUTE);
	assert_null(c.found.copy_is_comm);
}

TEST(copies_that_leave_a_device_copy)
{
	WITH(struct classes, c, release, mem_init(&c.mem));

	for (uint8_t kind = 0; kind < 15; kind++) {
		MEM_OP(&c.mem, WL_F_MEMCPYS, .start = kind, .kind = kind);
		MEM_OP(&c.mem, WL_F_MEMCPYS, .start = 100 + kind, .kind = kind, .across = 1);
	}
	find(&c);
	for (size_t kind = 0; kind < 15; kind++) {
		assert_int_equal(class_of(&c, WL_F_MEMCPYS, kind),
				 kind >= 5 && kind <= 8 ? WL_COMPUTE : WL_COPY);
		assert_int_equal(class_of(&c, WL_F_MEMCPYS, 15 + kind), WL_COPY);
	}
}

TEST(without_kinds_every_copy_copies)
{
	struct wl_classes less;
	WITH(struct classes, c, release, mem_init(&c.mem));

	MEM_OP(&c.mem, WL_F_MEMCPYS, .kind = WL_COPY_D2D);
	find(&c);
	c.mem.build.trace.column[WL_MEMCPYS_KIND] = NULL;
	assert_true(wl_classes_find(&c.mem.derived, &c.arena, &less));
	assert_int_equal(wl_class_of(c.trace, &less, WL_F_MEMCPYS, 0), WL_COPY);
}

/* A copy of the kind, launched at [start, start + 2) by thread 1, and an NCCL call at [10, 20]. */
static void put_copy(struct classes *c, uint8_t kind, wl_ns start, unsigned corr)
{
	MEM_OP(&c->mem, WL_F_MEMCPYS, .start = 100 + (wl_ns)corr, .corr = corr, .kind = kind);
	MEM_API(&c->mem, .start = start, .end = start + 2, .tid = 1, .corr = corr,
		.name = "cudaMemcpyAsync");
}

static void put_range(struct classes *c)
{
	MEM_NVTX(&c->mem, .start = 10, .end = 20, .tid = 1, .name = "ncclAllGather");
}

TEST(copies_between_devices_inside_nccl_calls_communicate)
{
	static const bool want[] = { true, true, false, false, false, true, false, false };
	WITH(struct classes, c, release, mem_init(&c.mem));

	put_range(&c);
	put_copy(&c, WL_COPY_D2D, 10, 1);
	put_copy(&c, WL_COPY_P2P, 15, 2);
	put_copy(&c, WL_COPY_H2D, 15, 3);     /* not between devices */
	put_copy(&c, WL_COPY_UVM_D2D, 15, 4); /* a migration */
	put_copy(&c, WL_COPY_D2D, 9, 5);      /* begins before */
	put_copy(&c, WL_COPY_D2D, 18, 6);     /* ends with it */
	put_copy(&c, WL_COPY_D2D, 19, 7);     /* ends after */
	mem_op(&c.mem, WL_F_MEMCPYS,          /* has no call */
	       &(struct mem_op){ .start = 108, .corr = 8, .kind = WL_COPY_D2D });
	find(&c);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(class_of(&c, WL_F_MEMCPYS, i) == WL_COMM, want[i]);
}

TEST(without_calls_or_ranges_no_copy_communicates)
{
	static const enum wl_column_id wanted[] = { WL_MEMCPYS_KIND, WL_MEMCPYS_CORR, WL_API_CORR,
						    WL_API_NAME };

	for (size_t i = 0; i <= WL_COUNT(wanted); i++) {
		struct classes c;
		struct wl_classes less;

		mem_init(&c.mem);
		put_range(&c);
		put_copy(&c, WL_COPY_D2D, 15, 1);
		find(&c);
		assert_true(c.found.copy_is_comm[0]);
		if (i < WL_COUNT(wanted))
			c.mem.build.trace.column[wanted[i]] = NULL; /* nobody asked for it */
		else
			c.mem.build.trace.family[WL_F_API].n = 0;
		assert_true(wl_classes_find(&c.mem.derived, &c.arena, &less));
		assert_null(less.copy_is_comm);
		release(&c);
	}
}
