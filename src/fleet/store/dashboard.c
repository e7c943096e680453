/* SPDX-License-Identifier: MIT */
#include "fleet/store/dashboard.h"

#include <ctype.h>
#include <string.h>

#include "base/text/json_write.h"

enum kind { SERIES, TABLE, BARS, SQUARES };

/* Of the model of Grafana 10.4; later ones bring it up to date as they open it. */
enum { MODEL = 39, WIDTH = 24 };

static const struct panel {
	enum kind kind;
	int width, height;
	const char *unit, *title, *text, *question;
} panels[] = {
#define WL_PANEL(kind, width, height, unit, title, text, question)                                 \
	{ kind, width, height, unit, title, text, question },
#include "fleet/store/panels.def"
};

/* What words after "@" stand for besides tables. They may hold such words in turn. */
static const char series[] = "project = ${project:sqlstring} AND config = ${config:sqlstring} AND "
			     "gpu = ${gpu:sqlstring} AND toString(world) = ${world:sqlstring}";
static const char recent[] =
	"SELECT run_id FROM @runs WHERE @series AND t <= (SELECT max(t) FROM @runs WHERE run_id = "
	"${run:sqlstring}) ORDER BY t DESC, run_id LIMIT 11";

static const char marks[] =
	"SELECT @t AS time, concat(kind, ': ', verdict, ' ', toString(round(delta / 1e6, 2)), ' "
	"ms') "
	"AS text, verdict AS tags FROM @verdicts WHERE metric = 'step_p50' AND verdict IN "
	"('slower', "
	"'faster') AND run_id GLOBAL IN (SELECT run_id FROM @runs WHERE @series) AND "
	"$__timeFilter(@t) ORDER BY time";

static const struct {
	const char *name, *label, *question;
} variables[] = {
	{ "project", "Project", "SELECT DISTINCT project FROM @runs ORDER BY project" },
	{ "config", "Configuration",
	  "SELECT DISTINCT config FROM @runs WHERE project = ${project:sqlstring} ORDER BY "
	  "config" },
	{ "gpu", "GPU",
	  "SELECT DISTINCT gpu FROM @runs WHERE project = ${project:sqlstring} AND config = "
	  "${config:sqlstring} ORDER BY gpu" },
	{ "world", "Ranks",
	  "SELECT DISTINCT toString(world) AS ranks FROM @runs WHERE project = "
	  "${project:sqlstring} "
	  "AND config = ${config:sqlstring} AND gpu = ${gpu:sqlstring} ORDER BY ranks" },
	{ "run", "Run",
	  "SELECT run_id FROM @runs WHERE @series ORDER BY t DESC, run_id LIMIT 500" },
};

static bool is_word(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && strncmp(word, name, n) == 0;
}

static void put_question(const struct wl_store *store, const char *question, struct wl_text *to);

static void put_word(const struct wl_store *store, const char *word, size_t n, struct wl_text *to)
{
	if (is_word(word, n, "t"))
		wl_text_puts(to, store->version >= WL_STORE_MODERN ? "t"
								   : "toDateTime(intDiv(t, 1000))");
	else if (is_word(word, n, "series"))
		put_question(store, series, to);
	else if (is_word(word, n, "recent"))
		put_question(store, recent, to);
	else
		for (size_t i = 0; i < wl_store_n_tables; i++) {
			const char *name = wl_facts_tables[wl_store_tables[i].facts].name;

			if (is_word(word, n, name))
				wl_text_printf(to, "%s.%s", store->database, name);
		}
}

static void put_question(const struct wl_store *store, const char *question, struct wl_text *to)
{
	for (const char *at = question; *at;) {
		size_t n = strcspn(at, "@");

		wl_text_put(to, at, n);
		at += n;
		if (!*at)
			return;
		for (n = 1; isalpha((unsigned char)at[n]) || at[n] == '_'; n++)
			;
		put_word(store, at + 1, n - 1, to);
		at += n;
	}
}

/* A dashboard under construction. */
struct making {
	const struct wl_store *store;
	struct wl_jsonw json;
	struct wl_text question;
	bool failed;
};

static void put_sql(struct making *m, const char *key, const char *question)
{
	wl_text_clear(&m->question);
	put_question(m->store, question, &m->question);
	m->failed = m->failed || m->question.failed;
	wl_jsonw_put_str(&m->json, key, wl_text_get(&m->question));
}

/* A member that is the same in every dashboard, as JSON. */
static void put_fixed(struct making *m, const char *key, const char *json)
{
	wl_jsonw_put_raw(&m->json, key, json, strlen(json));
}

static void put_source(struct making *m)
{
	put_fixed(m, "datasource",
		  "{\"type\":\"grafana-clickhouse-datasource\",\"uid\":\"${source}\"}");
}

/* The members of a question to the data source. */
static void put_target(struct making *m, bool over_time, const char *question)
{
	wl_jsonw_put_str(&m->json, "refId", "A");
	wl_jsonw_put_str(&m->json, "editorType", "sql");
	wl_jsonw_put_str(&m->json, "queryType", over_time ? "timeseries" : "table");
	wl_jsonw_put_i64(&m->json, "format", over_time ? 0 : 1);
	put_sql(m, "rawSql", question);
}

static void put_place(struct making *m, const struct panel *p, int x, int y)
{
	wl_jsonw_open_object(&m->json, "gridPos");
	wl_jsonw_put_i64(&m->json, "x", x);
	wl_jsonw_put_i64(&m->json, "y", y);
	wl_jsonw_put_i64(&m->json, "w", p->width);
	wl_jsonw_put_i64(&m->json, "h", p->height);
	wl_jsonw_end_object(&m->json);
}

static void put_fields(struct making *m, const struct panel *p)
{
	static const char *const customs[] = {
		[SERIES] = "{\"drawStyle\":\"line\",\"showPoints\":\"always\"}",
		[TABLE] = "{}",
		[BARS] = "{}",
		[SQUARES] = "{\"cellOptions\":{\"type\":\"color-background\"}}",
	};

	wl_jsonw_open_object(&m->json, "fieldConfig");
	wl_jsonw_open_object(&m->json, "defaults");
	wl_jsonw_put_str(&m->json, "unit", p->unit);
	put_fixed(m, "custom", customs[p->kind]);
	if (p->kind == SQUARES)
		put_fixed(m, "color", "{\"mode\":\"continuous-BlYlRd\"}");
	wl_jsonw_end_object(&m->json);
	put_fixed(m, "overrides", "[]");
	wl_jsonw_end_object(&m->json);
}

/* Rows of (row, column, value) become a table with a column for each column. */
static const char squares[] =
	"[{\"id\":\"groupingToMatrix\",\"options\":{\"rowField\":\"rank\",\"columnField\":"
	"\"step\",\"valueField\":\"late\"}}]";

static void put_panel(struct making *m, const struct panel *p, int id, int x, int y)
{
	static const char *const types[] = { "timeseries", "table", "barchart", "table" };

	wl_jsonw_newline(&m->json);
	wl_jsonw_begin_object(&m->json);
	wl_jsonw_put_i64(&m->json, "id", id);
	wl_jsonw_put_str(&m->json, "type", types[p->kind]);
	wl_jsonw_put_str(&m->json, "title", p->title);
	wl_jsonw_put_str(&m->json, "description", p->text);
	put_place(m, p, x, y);
	put_source(m);
	wl_jsonw_open_array(&m->json, "targets");
	wl_jsonw_begin_object(&m->json);
	put_source(m);
	put_target(m, p->kind == SERIES, p->question);
	wl_jsonw_end_object(&m->json);
	wl_jsonw_end_array(&m->json);
	put_fields(m, p);
	put_fixed(m, "options", p->kind == BARS ? "{\"orientation\":\"horizontal\"}" : "{}");
	if (p->kind == SQUARES)
		put_fixed(m, "transformations", squares);
	wl_jsonw_end_object(&m->json);
}

static void put_panels(struct making *m)
{
	int x = 0, y = 0, tallest = 0;

	wl_jsonw_open_array(&m->json, "panels");
	for (size_t i = 0; i < WL_COUNT(panels); i++) {
		const struct panel *p = &panels[i];

		if (x + p->width > WIDTH) {
			x = 0;
			y += tallest;
			tallest = 0;
		}
		put_panel(m, p, (int)i + 1, x, y);
		x += p->width;
		tallest = p->height > tallest ? p->height : tallest;
	}
	wl_jsonw_newline(&m->json);
	wl_jsonw_end_array(&m->json);
}

static void put_variables(struct making *m)
{
	static const char first[] =
		"{\"name\":\"source\",\"label\":\"Data source\",\"type\":\"datasource\","
		"\"query\":\"grafana-clickhouse-datasource\"}";

	wl_jsonw_open_object(&m->json, "templating");
	wl_jsonw_open_array(&m->json, "list");
	wl_jsonw_raw(&m->json, first, sizeof(first) - 1);
	for (size_t i = 0; i < WL_COUNT(variables); i++) {
		wl_jsonw_newline(&m->json);
		wl_jsonw_begin_object(&m->json);
		wl_jsonw_put_str(&m->json, "name", variables[i].name);
		wl_jsonw_put_str(&m->json, "label", variables[i].label);
		wl_jsonw_put_str(&m->json, "type", "query");
		put_source(m);
		put_sql(m, "query", variables[i].question);
		wl_jsonw_put_i64(&m->json, "refresh", 2); /* as the range of time changes */
		wl_jsonw_put_i64(&m->json, "sort", 0);
		wl_jsonw_put_bool(&m->json, "multi", false);
		wl_jsonw_put_bool(&m->json, "includeAll", false);
		wl_jsonw_end_object(&m->json);
	}
	wl_jsonw_end_array(&m->json);
	wl_jsonw_end_object(&m->json);
}

static void put_marks(struct making *m)
{
	wl_jsonw_open_object(&m->json, "annotations");
	wl_jsonw_open_array(&m->json, "list");
	wl_jsonw_begin_object(&m->json);
	wl_jsonw_put_str(&m->json, "name", "Verdicts");
	put_source(m);
	wl_jsonw_put_bool(&m->json, "enable", true);
	wl_jsonw_put_bool(&m->json, "hide", false);
	wl_jsonw_put_str(&m->json, "iconColor", "red");
	wl_jsonw_open_object(&m->json, "target");
	put_target(m, false, marks);
	wl_jsonw_end_object(&m->json);
	wl_jsonw_end_object(&m->json);
	wl_jsonw_end_array(&m->json);
	wl_jsonw_end_object(&m->json);
}

bool wl_store_put_dashboard(const struct wl_store *store, FILE *out)
{
	struct making m = { .store = store };

	wl_jsonw_init(&m.json, out);
	wl_jsonw_begin_object(&m.json);
	wl_jsonw_put_str(&m.json, "title", "warplens: runs");
	wl_jsonw_put_str(&m.json, "uid", "warplens-runs");
	wl_jsonw_put_i64(&m.json, "schemaVersion", MODEL);
	wl_jsonw_put_i64(&m.json, "version", WL_STORE_SCHEMA);
	wl_jsonw_put_bool(&m.json, "editable", true);
	wl_jsonw_put_str(&m.json, "timezone", "utc");
	put_fixed(&m, "tags", "[\"warplens\"]");
	put_fixed(&m, "time", "{\"from\":\"now-90d\",\"to\":\"now\"}");
	put_variables(&m);
	put_marks(&m);
	put_panels(&m);
	wl_jsonw_end_object(&m.json);
	wl_jsonw_finish(&m.json);
	wl_text_release(&m.question);
	return !m.failed;
}
