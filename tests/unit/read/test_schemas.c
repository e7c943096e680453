/* SPDX-License-Identifier: MIT */
/* A second schema beside that of Nsight Systems: its tables name and compute columns otherwise. */
#include "read/bind.h"
#include "support/db.h"
#include "support/unit.h"

static const struct wl_binding nsys[WL_N_COLUMNS] = {
#define WL_TABLE(FAMILY, table, ...)
#define WL_BIND(FAMILY, COLUMN, make, ...) [WL_##FAMILY##_##COLUMN] = { make, { __VA_ARGS__ } },
#include "read/bindings.def"
#undef WL_TABLE
#undef WL_BIND
};

static const struct wl_binding other[WL_N_COLUMNS] = {
	[WL_MEMCPYS_START] = { WL_MAKE_START, { "begun" } },
	[WL_MEMCPYS_DUR] = { WL_MAKE_DUR, { "done" } },
	[WL_MEMCPYS_PLACE] = { WL_MAKE_OP_PLACE, { "owner", "gpu", "ctx", "queue" } },
	[WL_MEMCPYS_CORR] = { WL_MAKE_U32, { "call" } },
	[WL_MEMCPYS_BYTES] = { WL_MAKE_SIZE, { "size" } },
	[WL_MEMCPYS_KIND] = { WL_MAKE_U8, { "way" } },
	[WL_MEMCPYS_SRC] = { WL_MAKE_U8, { "" } },
	[WL_MEMCPYS_DST] = { WL_MAKE_U8, { "" } },
	[WL_MEMCPYS_ACROSS] = { WL_MAKE_DIFFER, { "", "" } },
	[WL_MEMCPYS_CAUSE] = { WL_MAKE_U8, { "" } },
	[WL_MEMCPYS_NODE] = { WL_MAKE_U64, { "" } },
	[WL_MEMCPYS_COUNT] = { WL_MAKE_U32, { "" } },
};

/* In place of read/bind.c, which the linker then leaves out. */
const struct wl_family_table wl_family_tables[] = {
	{ WL_F_KERNELS, "CUPTI_ACTIVITY_KIND_KERNEL", { "start", "end", "deviceId" }, nsys },
	{ WL_F_MEMCPYS, "CUPTI_ACTIVITY_KIND_MEMCPY", { "start", "end", "deviceId" }, nsys },
	{ WL_F_MEMCPYS, "copies", { "begun", "done", "gpu" }, other },
};

const size_t wl_n_family_tables = WL_COUNT(wl_family_tables);

TEST_WITH(each_table_is_read_by_its_own_schema, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	DB_KERNEL(db, .start = 100, .end = 200);
	db_run(db, "CREATE TABLE copies(begun, done, owner, gpu, ctx, queue, call, size, way)");
	db_run(db, "INSERT INTO copies VALUES(30, 50, %lld, 0, 1, 9, 4, 4096, 1)", db_pid(0, 100));
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_KERNELS].n, 1);
	assert_int_equal(wl_kernels_dur(t)[0], 100);
	assert_int_equal(t->family[WL_F_MEMCPYS].n, 1);
	assert_int_equal(wl_memcpys_start(t)[0], 30);
	assert_int_equal(wl_memcpys_dur(t)[0], 20);
	assert_int_equal(wl_memcpys_corr(t)[0], 4);
	assert_int_equal(wl_memcpys_bytes(t)[0], 4096);
	assert_int_equal(wl_memcpys_kind(t)[0], 1);
	assert_int_equal(t->places[wl_memcpys_place(t)[0]].stream, 9);
}
