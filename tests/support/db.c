/* SPDX-License-Identifier: MIT */
#include "support/db.h"

#include <stdlib.h>
#include <string.h>

#include "support/invariants.h"
#include "support/unit.h"

int db_setup(void **state)
{
	struct db *db = calloc(1, sizeof(*db));

	*state = db;
	return !db || wl_tmpdir_open(getenv("TMPDIR"), &db->dir, NULL);
}

int db_teardown(void **state)
{
	struct db *db = *state;
	int r;

	wl_input_close(db->in);
	(void)sqlite3_close(db->sql);
	r = wl_tree_remove(db->dir.path, NULL);
	free(db);
	return r;
}

struct db *db_open(void **state, const char *name)
{
	struct db *db = *state;

	assert_null(db->sql);
	(void)snprintf(db->path, sizeof(db->path), "%s/%s", db->dir.path, name);
	assert_int_equal(sqlite3_open(db->path, &db->sql), SQLITE_OK);
	/* One transaction, and no waiting for the disk. */
	db_run(db, "PRAGMA synchronous = OFF; BEGIN");
	return db;
}

void db_run(struct db *db, const char *fmt, ...)
{
	char *sql, *why = NULL;
	va_list ap;

	va_start(ap, fmt);
	sql = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	assert_non_null(sql);
	if (sqlite3_exec(db->sql, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
	sqlite3_free(sql);
}

const char *db_close(struct db *db)
{
	if (db->sql && !sqlite3_get_autocommit(db->sql))
		db_run(db, "COMMIT");
	assert_int_equal(sqlite3_close(db->sql), SQLITE_OK);
	db->sql = NULL;
	return db->path;
}

struct wl_input *db_load(struct db *db)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_columns all = all_columns();
	struct wl_input *in = NULL;
	struct wl_err err = { .code = WL_OK };
	const char *broken;

	if (wl_input_open(db_close(db), &opts, &in, &err) < 0 ||
	    wl_input_load(in, &all, &err) < 0) {
		wl_input_close(in);
		fail_msg("%s", err.msg);
	}
	broken = broken_invariant(wl_input_trace(in));
	if (broken)
		fail_msg("broken: %s", broken);
	return in;
}

const struct wl_trace *db_trace(struct db *db)
{
	assert_null(db->in);
	db->in = db_load(db);
	return wl_input_trace(db->in);
}

static const char *const kernel_columns[DB_N_ERAS] = {
	[DB_2020] = "start, end, deviceId, contextId, streamId, correlationId, globalPid,"
		    "demangledName, shortName, launchType, cacheConfig, registersPerThread,"
		    "gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,"
		    "dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId,"
		    "sharedMemoryExecuted, graphNodeId",
	[DB_2_9_1] = "start, end, deviceId, contextId, streamId, correlationId, globalPid,"
		     "demangledName, shortName, mangledName, launchType, cacheConfig,"
		     "registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,"
		     "staticSharedMemory, dynamicSharedMemory, localMemoryPerThread,"
		     "localMemoryTotal, gridId, sharedMemoryExecuted, graphNodeId,"
		     "sharedMemoryLimitConfig",
	[DB_3_7_2] = "start, end, deviceId, contextId, greenContextId, streamId, correlationId,"
		     "globalPid, demangledName, shortName, mangledName, launchType, cacheConfig,"
		     "registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,"
		     "staticSharedMemory, dynamicSharedMemory, localMemoryPerThread,"
		     "localMemoryTotal, gridId, sharedMemoryExecuted, graphNodeId,"
		     "sharedMemoryLimitConfig",
	[DB_3_25_0] = "start, end, deviceId, contextId, greenContextId, streamId, correlationId,"
		      "globalPid, demangledName, shortName, mangledName, launchType, cacheConfig,"
		      "registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,"
		      "staticSharedMemory, dynamicSharedMemory, localMemoryPerThread,"
		      "localMemoryTotal, gridId, sharedMemoryExecuted, graphNodeId,"
		      "sharedMemoryLimitConfig, qmdBulkReleaseDone, qmdPreexitDone,"
		      "qmdLastCtaDone, graphId, clusterX, clusterY, clusterZ,"
		      "clusterSchedulingPolicy, maxPotentialClusterSize, maxActiveClusters,"
		      "sharedMemoryRequestedPercentage,"
		      "tensorSizeMinusOneElements TEXT NOT NULL DEFAULT ''",
};

void db_make_tables(struct db *db, enum db_era era)
{
	db_run(db,
	       "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
	       "CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);"
	       "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (%s);"
	       "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid,"
	       " correlationId, nameId, returnValue, callchainId);"
	       "CREATE TABLE NVTX_EVENTS (start, end, eventType, rangeId, category, color,"
	       " text TEXT, globalTid, endGlobalTid, textId, domainId, uint64Value, int64Value,"
	       " doubleValue, uint32Value, int32Value, floatValue, jsonTextId, jsonText %s)",
	       kernel_columns[era], era == DB_3_25_0 ? ", binaryData TEXT" : "");
	if (era != DB_2020)
		db_run(db, "CREATE TABLE PROCESSES (globalPid, pid, name)");
}

int64_t db_pid(unsigned vm, unsigned pid)
{
	return (int64_t)((uint64_t)vm << 48 | (uint64_t)pid << 24);
}

int64_t db_tid(unsigned pid, unsigned tid)
{
	return db_pid(0, pid) | tid;
}

void db_string(struct db *db, int id, const char *text)
{
	db_run(db, "INSERT INTO StringIds VALUES (%d, %Q)", id, text);
}

static int64_t or_else(unsigned v, unsigned def)
{
	return v ? v : def;
}

void db_kernel(struct db *db, const struct db_kernel *kernel)
{
	db_run(db,
	       "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, deviceId, contextId,"
	       " streamId, correlationId, demangledName, shortName, graphNodeId, gridX, gridY,"
	       " gridZ, blockX, blockY, blockZ, registersPerThread, staticSharedMemory,"
	       " dynamicSharedMemory) VALUES (%lld, %lld, %lld, %d, %lld, %lld, %d,"
	       " nullif(%d, 0), nullif(%d, 0), nullif(%lld, 0), 4, 2, 1, 128, 1, 1, 32, 0, 1024)",
	       kernel->start, kernel->end, db_pid(kernel->vm, (unsigned)or_else(kernel->pid, 100)),
	       kernel->device, or_else(kernel->context, 1), or_else(kernel->stream, 7),
	       kernel->corr, kernel->name, kernel->name, kernel->node);
}

void db_api(struct db *db, const struct db_api *api)
{
	db_run(db,
	       "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid,"
	       " correlationId, nameId, returnValue) VALUES (%lld, %lld, 0, %lld, %d, %d, 0)",
	       api->start, api->end, db_tid((unsigned)or_else(api->pid, 100), api->tid), api->corr,
	       api->name);
}

void db_nvtx(struct db *db, const struct db_nvtx *nvtx)
{
	db_run(db,
	       "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)"
	       " VALUES (%lld, nullif(%lld, %lld), %d, %Q, %lld, 0)",
	       nvtx->start, nvtx->end, INT64_MIN, nvtx->type ? nvtx->type : 59, nvtx->text,
	       db_tid((unsigned)or_else(nvtx->pid, 100), nvtx->tid));
}
