/* SPDX-License-Identifier: MIT */
/*
 * fuzz_prose.c - the bytes are names and messages of a small trace, and arguments of a request.
 *
 * The first byte chooses a verb, the second what is selected and the format; texts follow, with
 * 0x1E between them: kernel, range, diagnostic, argument, function. Whatever they say, the verb
 * answers or refuses in a sentence, and only commands hold the path of the trace: a text that looks
 * like a command stays as it is. Behind the verbs come a plan, a question and the tools of MCP,
 * which make sentences of their own; no line of a plan is a command to a log.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/route/route.h"
#include "agent/route/saying.h"
#include "base/file/file.h"
#include "base/text/clean.h"
#include "base/text/json_write.h"
#include "base/text/log_command.h"
#include "capture/plan/plan.h"
#include "fuzz/fuzz.h"
#include "render/render.h"
#include "session/open/session.h"
#include "support/toolbox.h"

enum { MEMORY = 64 << 20, SEPARATOR = 0x1E, MOST = 4096 };

enum { KERNEL, RANGE, DIAGNOSTIC, ARGUMENT, FUNCTION, N_TEXTS };

enum { BY_GPU = 1, BY_MARKER = 2, BY_WHERE = 4, BY_WINDOW = 8, IN_FULL = 16, FORMAT_SHIFT = 5 };

static struct wl_tmpdir dir;
static char path[WL_PATH_CAP + 32];
static sqlite3 *db;
static sqlite3_stmt *name, *diagnostic, *file, *metric;

static void need(bool promised)
{
	if (!promised)
		abort();
}

/* Five steps on each of two GPUs, with idle time, copies, communication and a slow step. */
static const char tables[] =
	"PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;"
	"CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
	"INSERT INTO StringIds VALUES (0, ''), (1, ''), (2, ''), (3, 'cudaLaunchKernel'),"
	" (4, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'), (5, 'cudaStreamSynchronize'),"
	" (6, 'cudaMemcpyAsync'), (7, 'MPI_Allreduce'), (8, 'read'), (9, 'cudaGraphLaunch');"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,"
	" contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
	" demangledName INTEGER, shortName INTEGER);"
	"WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c WHERE x < 39)"
	" INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT x / 8 * 100000 + x / 2 % 4 * 20000 +"
	" (x > 30) * 50000, x / 8 * 100000 + x / 2 % 4 * 20000 + 9000 + (x > 30) * 50000, x % 2, 1,"
	" 7, x, (100 + x % 2) << 24, CASE x / 2 % 4 WHEN 3 THEN 4 ELSE 0 END,"
	" CASE x / 2 % 4 WHEN 3 THEN 4 ELSE 0 END FROM c;"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER,"
	" contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes "
	"INTEGER,"
	" copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT start + 10000, start + 15000, deviceId, 1, "
	"8,"
	" 1000 + correlationId, globalPid, 65536, 2, 0, 2 FROM CUPTI_ACTIVITY_KIND_KERNEL"
	" WHERE correlationId % 8 < 2;"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER,"
	" globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 4000, start - 2000, 0, globalPid + "
	"1,"
	" correlationId, 3, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT start + 10000,"
	" start + 15500, 0, globalPid + 1, 5000 + correlationId, 5, 0 FROM "
	"CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT start - 800, start - 400, 0, globalPid + 1,"
	" correlationId, 6, 0 FROM CUPTI_ACTIVITY_KIND_MEMCPY;"
	"CREATE TABLE OSRT_API(start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);"
	"INSERT INTO OSRT_API SELECT start + 15500, start + 15900, globalPid + 1, 2 FROM"
	" CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId % 8 = 4;"
	"CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
	" globalTid INTEGER, textId INTEGER, domainId INTEGER);"
	"INSERT INTO NVTX_EVENTS SELECT start - 5000, start + 90000, 59, NULL, globalPid + 1, 1, 0"
	" FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId % 8 < 2;"
	"CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER, timestampType INTEGER, source INTEGER,"
	" severity INTEGER, text TEXT, globalPid INTEGER);"
	"INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 1, 2, '', 0), (1, 1, 1, 3, 'x', 0);";

/* What a single verb reads, each: metrics, memory, files, MPI, samples of stacks, graphs. */
static const char more_tables[] =
	"CREATE TABLE TARGET_INFO_GPU(vmId INTEGER, id INTEGER, name TEXT);"
	"INSERT INTO TARGET_INFO_GPU VALUES (1 << 48, 0, 'GPU'), (1 << 48, 1, 'GPU');"
	"CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
	"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 100), (1, 1, 101);"
	"CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER, sourceId INTEGER, typeName TEXT,"
	" metricId INTEGER, metricName TEXT);"
	"INSERT INTO TARGET_INFO_GPU_METRICS VALUES ((1 << 48) + (1 << 32), (1 << 48) + (1 << 32),"
	" '', 0, 'SMs Active [Throughput %]'), ((1 << 48) + (1 << 32), (1 << 48) + (1 << 32), '', "
	"1,"
	" 'x');"
	"CREATE TABLE GPU_METRICS(timestamp INTEGER, typeId INTEGER, metricId INTEGER, value "
	"INTEGER);"
	"INSERT INTO GPU_METRICS SELECT start, (1 << 48) + (1 << 32), correlationId % 2, 50"
	" FROM CUPTI_ACTIVITY_KIND_KERNEL;"
	"CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER, globalPid INTEGER, deviceId "
	"INTEGER,"
	" contextId INTEGER, address INTEGER, pc INTEGER, bytes INTEGER, memKind INTEGER,"
	" memoryOperationType INTEGER, name TEXT, correlationId INTEGER);"
	"INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS SELECT start, globalPid, deviceId, 1, "
	"correlationId,"
	" 0, 1 << 20, 2, 0, NULL, NULL FROM CUPTI_ACTIVITY_KIND_KERNEL;"
	"CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS(fileAccessId INTEGER, processId INTEGER,"
	" openedAt INTEGER, closedAt INTEGER, filePath TEXT);"
	"INSERT INTO OSRT_FILE_ACCESS_DESCRIPTORS VALUES (1, 100, 0, 0, '');"
	"CREATE TABLE OSRT_FILE_ACCESS_EVENTS(fileAccessId INTEGER, threadId INTEGER,"
	" startedAt INTEGER, endedAt INTEGER, eventType INTEGER, apiCallId INTEGER,"
	" bytesProcessed INTEGER, context TEXT);"
	"INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES (1, 1, 1000, 9000, 3, 8, 4096, '');"
	"CREATE TABLE MPI_RANKS(globalTid INTEGER, rank INTEGER);"
	"INSERT INTO MPI_RANKS VALUES ((100 << 24) + 1, 0), ((101 << 24) + 1, 1);"
	"CREATE TABLE MPI_COLLECTIVES_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER,"
	" textId INTEGER, commHandle INTEGER, rootRank INTEGER, size INTEGER, recvSize INTEGER,"
	" requestHandle INTEGER);"
	"INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (91000, 93000, (100 << 24) + 1, 7, 1, NULL, 8, "
	"8,"
	" NULL), (90000, 93000, (101 << 24) + 1, 7, 1, NULL, 8, 8, NULL);"
	"CREATE TABLE COMPOSITE_EVENTS(id INTEGER PRIMARY KEY, start INTEGER, cpu INTEGER,"
	" threadState INTEGER, globalTid INTEGER, cpuCycles INTEGER);"
	"INSERT INTO COMPOSITE_EVENTS SELECT rowid, start + 18000, 0, 1, globalPid + 1, 1"
	" FROM CUPTI_ACTIVITY_KIND_KERNEL;"
	"CREATE TABLE SAMPLING_CALLCHAINS(id INTEGER, symbol INTEGER, module INTEGER,"
	" unresolved INTEGER, specialEntry INTEGER, stackDepth INTEGER);"
	"INSERT INTO SAMPLING_CALLCHAINS SELECT rowid, 2, 1, 0, NULL, 0 FROM"
	" CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT rowid, 1, 2, 0, NULL, 1 FROM"
	" CUPTI_ACTIVITY_KIND_KERNEL;"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER,"
	" contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
	" graphId INTEGER, graphExecId INTEGER);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE SELECT start + 18000, start + 19000, "
	"deviceId, 1,"
	" 7, 9000 + correlationId, globalPid, 1, 2 FROM CUPTI_ACTIVITY_KIND_KERNEL"
	" WHERE correlationId % 8 < 2;"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 800, start - 400, 0, globalPid + 1,"
	" correlationId, 9, 0 FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE;";

static void leave(void)
{
	(void)sqlite3_finalize(name);
	(void)sqlite3_finalize(diagnostic);
	(void)sqlite3_finalize(file);
	(void)sqlite3_finalize(metric);
	(void)sqlite3_close(db);
	wl_tmpdir_close(&dir);
}

static void prepare(const char *statement, sqlite3_stmt **ret)
{
	need(sqlite3_prepare_v2(db, statement, -1, ret, NULL) == SQLITE_OK);
}

static void make_trace(void)
{
	if (db)
		return;
	need(wl_tmpdir_open(NULL, &dir, NULL) == WL_OK);
	(void)snprintf(path, sizeof(path), "%s/t.sqlite", dir.path);
	need(sqlite3_open(path, &db) == SQLITE_OK);
	need(sqlite3_exec(db, tables, NULL, NULL, NULL) == SQLITE_OK);
	need(sqlite3_exec(db, more_tables, NULL, NULL, NULL) == SQLITE_OK);
	prepare("UPDATE StringIds SET value = ?2 WHERE id = ?1", &name);
	prepare("UPDATE DIAGNOSTIC_EVENT SET text = ?2 WHERE severity = ?1", &diagnostic);
	prepare("UPDATE OSRT_FILE_ACCESS_DESCRIPTORS SET filePath = ?2 WHERE fileAccessId = ?1",
		&file);
	prepare("UPDATE TARGET_INFO_GPU_METRICS SET metricName = ?2 WHERE metricId = ?1", &metric);
	(void)atexit(leave);
}

static void put(sqlite3_stmt *to, int id, const char *text)
{
	need(sqlite3_bind_int(to, 1, id) == SQLITE_OK &&
	     sqlite3_bind_text(to, 2, text, -1, SQLITE_STATIC) == SQLITE_OK);
	need(sqlite3_step(to) == SQLITE_DONE && sqlite3_reset(to) == SQLITE_OK);
}

static void fill_trace(char *const text[N_TEXTS])
{
	need(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK);
	put(name, 0, text[KERNEL]);
	put(name, 1, text[RANGE]);
	put(name, 2, text[FUNCTION]);
	put(diagnostic, 2, text[DIAGNOSTIC]);
	put(file, 1, text[FUNCTION]);
	put(metric, 1, text[DIAGNOSTIC]);
	need(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
}

/* Texts are cut at separators; those that are missing are empty. */
static void split(char *bytes, char *text[N_TEXTS])
{
	for (size_t i = 0; i < N_TEXTS; i++) {
		char *end = strchr(bytes, SEPARATOR);

		text[i] = bytes;
		bytes = end ? end + 1 : bytes + strlen(bytes);
		if (end)
			*end = '\0';
	}
}

static void check_table(const struct wl_table *t)
{
	for (const struct wl_note *n = t->notes; n; n = n->next) {
		need(n->command || !strstr(n->text, path));
		need(!n->command || (n->at + n->n <= strlen(n->text) && strstr(n->text, path)));
	}
	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t i = 0; i < t->n_cols; i++) {
			const struct wl_cell c = wl_table_at(t, row, i);
			bool is_shell = (t->cols[i].flags & WL_SHELL) != 0;

			if (c.set && wl_type_is_text(t->cols[i].type) && strstr(c.str, path))
				need(is_shell || strcmp(c.str, path) == 0);
		}
	}
}

static void render(const struct wl_document *doc, unsigned how)
{
	const struct wl_render_opts opts = { .width = 80 };
	const struct wl_format *format = &wl_formats[(how >> FORMAT_SHIFT) % wl_n_formats];
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	need(out != NULL);
	format->render(doc, &opts, out);
	wl_render_frame(doc, &opts, out);
	need(fclose(out) == 0);
	free(bytes);
}

/* Operands have the argument, and with every other round of verbs so do options that take any text.
 */
static const char *argument_of(const struct wl_param *p, unsigned verb, const char *argument)
{
	bool is_text = p->type == WL_P_STR || p->type == WL_P_REGEX;
	bool wants = verb / (unsigned)(wl_n_analyses + wl_n_documents) % 2 != 0;

	return p->operand || (wants && is_text) ? argument : NULL;
}

/* Words of a plan are those of its user; names of kernels are those of a trace. */
static void plan(unsigned how, char *const text[N_TEXTS])
{
	const char *const program[] = { "./a", text[ARGUMENT], text[FUNCTION], NULL };
	const struct wl_plan_kernel kernel = { text[KERNEL], 0, 1 };
	const struct wl_wishes wishes = { .goal = (enum wl_goal)(how % WL_N_GOALS),
					  .launcher = (enum wl_launcher)(how / 8 % WL_N_LAUNCHERS),
					  .kernel = &kernel,
					  .n_kernels = how % WL_N_GOALS == WL_GOAL_NCU,
					  .version = text[DIAGNOSTIC],
					  .name = "run",
					  .program = program };
	struct wl_err err = { .code = WL_OK };
	struct wl_capture_plan made;
	struct wl_arena arena;
	char *shown = NULL;
	const char *lines;
	size_t size;
	FILE *out;
	int r;

	wl_arena_init(&arena, MEMORY);
	r = wl_capture_plan_make(&wishes, &arena, &made, &err);
	need(r == WL_OK || (err.code == r && err.msg[0]));
	if (r == WL_OK) {
		lines = wl_capture_plan_text(&made, &arena);
		out = open_memstream(&shown, &size);
		need(lines && out);
		wl_put_clean_plan(out, lines);
		need(fclose(out) == 0);
		for (const char *at = shown; at; at = strchr(at, '\n')) {
			at += *at == '\n';
			need(!wl_log_command_first(at));
		}
		free(shown);
	}
	wl_arena_release(&arena);
}

static void question(unsigned how, char *const text[N_TEXTS])
{
	struct wl_route_result route;

	(void)how;
	need(wl_route(text[ARGUMENT], true, &route) == WL_OK);
}

/* Each tool on the trace, with the argument where it takes a text; the reply is one JSON object. */
static void tool(unsigned how, char *const text[N_TEXTS])
{
	static const struct {
		const char *tool, *trace, *key;
	} calls[] = {
		{ "open_trace", "path", NULL },    { "findings", "trace", NULL },
		{ "plan_capture", "trace", NULL }, { "sql", "trace", "query" },
		{ "describe", "trace", "name" },   { "skill", "trace", "name" },
		{ "analyze", "trace", "verb" },    { "analyze", "trace", "where" },
	};
	const size_t i = how % WL_COUNT(calls);
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r;
	struct wl_jsonw w;
	char *args = NULL;
	size_t size;
	FILE *out = open_memstream(&args, &size);

	need(box && out);
	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_jsonw_key(&w, calls[i].trace);
	wl_jsonw_str(&w, path);
	if (calls[i].key) {
		wl_jsonw_key(&w, calls[i].key);
		wl_jsonw_str(&w, text[ARGUMENT]);
	}
	if (calls[i].key && strcmp(calls[i].key, "where") == 0) {
		wl_jsonw_key(&w, "verb");
		wl_jsonw_str(&w, "kernels");
	}
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
	need(fclose(out) == 0);
	r = toolbox_ask(box, calls[i].tool, args, NULL);
	need(r.status == WL_OK && r.doc);
	need(!r.reply.is_error || (*toolbox_text(&r, "error") && *toolbox_text(&r, "next")));
	toolbox_reply_release(&r);
	wl_toolbox_free(box);
	free(args);
}

/* What is no verb of a session. */
typedef void asker(unsigned how, char *const text[N_TEXTS]);
static asker *const askers[] = { plan, question, tool };

static void choose(unsigned verb, struct wl_request *q)
{
	verb %= (unsigned)(wl_n_analyses + wl_n_documents);
	if (verb < wl_n_analyses)
		q->analysis = wl_analyses[verb];
	else
		q->document = wl_documents[verb - wl_n_analyses];
}

static void ask(unsigned verb, unsigned how, char *const text[N_TEXTS])
{
	static const struct wl_input_opts input = { .budget = NULL };
	const char *args[WL_MAX_PARAMS] = { NULL }, *argument = text[ARGUMENT];
	struct wl_request q = {
		.selection = { .gpu = how & BY_GPU ? "0" : NULL,
			       .window = how & BY_WINDOW ? "iter:1..3" : NULL },
		.marker = how & BY_MARKER && *argument ? argument : NULL,
		.in_full = (how & IN_FULL) != 0,
		.args = args,
	};
	struct wl_err err = { .code = WL_OK };
	struct wl_document doc;
	struct wl_session *session;
	struct wl_arena arena;
	int r;

	choose(verb, &q);
	for (size_t i = 0; q.analysis && i < q.analysis->n_params; i++)
		args[i] = argument_of(&q.analysis->params[i], verb, argument);
	q.args = q.analysis ? args : NULL;
	if (how & BY_WHERE && q.analysis)
		q.view.where = argument;
	need(wl_session_open(path, &input, &session, &err) == WL_OK);
	wl_arena_init(&arena, MEMORY);
	r = wl_request_check(&q, &err);
	if (r == WL_OK)
		r = wl_session_run(session, &q, &arena, &doc, &err);
	need(r == WL_OK || (err.code == r && err.msg[0]));
	for (size_t i = 0; r == WL_OK && i < doc.n_sections; i++) {
		if (!doc.sections[i].missing)
			check_table(doc.sections[i].view.table);
	}
	if (r == WL_OK) {
		render(&doc, how);
		(void)wl_saying_of(q.analysis ? q.analysis->name : q.document->name, &doc,
				   q.view.where != NULL, &arena);
	}
	wl_arena_release(&arena);
	wl_session_close(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size > 2 ? size - 2 : 0;
	char *text[N_TEXTS], *bytes;
	unsigned verb, how;

	if (n > MOST)
		return 0;
	bytes = calloc(n + 1, 1);
	need(bytes != NULL);
	if (n)
		memcpy(bytes, data + 2, n);
	make_trace();
	/* A fuzzer that watches comparisons learns the path; of a name that holds it nothing is
	 * known. */
	if (strstr(bytes, path)) {
		free(bytes);
		return 0;
	}
	split(bytes, text);
	fill_trace(text);
	verb = size > 0 ? data[0] : 0;
	how = size > 1 ? data[1] : 0;
	/* From above, so that the numbers of verbs stay those of the seeds. */
	if (UINT8_MAX - verb < WL_COUNT(askers))
		askers[UINT8_MAX - verb](how, text);
	else
		ask(verb, how, text);
	free(bytes);
	return 0;
}
