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

static void put_str(struct making *m, const char *key, const char *value)
{
	wl_jsonw_key(&m->json, key);
	wl_jsonw_str(&m->json, value);
}

static void put_int(struct making *m, const char *key, int value)
{
	wl_jsonw_key(&m->json, key);
	wl_jsonw_i64(&m->json, value);
}

static void put_bool(struct making *m, const char *key, bool value)
{
	wl_jsonw_key(&m->json, key);
	wl_jsonw_bool(&m->json, value);
}

static void begin_object(struct making *m, const char *key)
{
	wl_jsonw_key(&m->json, key);
	wl_jsonw_begin_object(&m->json);
}

static void begin_array(struct making *m, const char *key)
{
	wl_jsonw_key(&m->json, key);
	wl_jsonw_begin_array(&m->json);
}

static void put_sql(struct making *m, const char *key, const char *question)
{
	wl_text_clear(&m->question);
	put_question(m->store, question, &m->question);
	m->failed = m->failed || m->question.failed;
	put_str(m, key, wl_text_get(&m->question));
}

static void put_source(struct making *m)
{
	begin_object(m, "datasource");
	put_str(m, "type", "grafana-clickhouse-datasource");
	put_str(m, "uid", "${source}");
	wl_jsonw_end_object(&m->json);
}

/* The members of a question to the data source. */
static void put_target(struct making *m, bool over_time, const char *question)
{
	put_str(m, "refId", "A");
	put_str(m, "editorType", "sql");
	put_str(m, "queryType", over_time ? "timeseries" : "table");
	put_int(m, "format", over_time ? 0 : 1);
	put_sql(m, "rawSql", question);
}

static void put_place(struct making *m, const struct panel *p, int x, int y)
{
	begin_object(m, "gridPos");
	put_int(m, "x", x);
	put_int(m, "y", y);
	put_int(m, "w", p->width);
	put_int(m, "h", p->height);
	wl_jsonw_end_object(&m->json);
}

static void put_fields(struct making *m, const struct panel *p)
{
	begin_object(m, "fieldConfig");
	begin_object(m, "defaults");
	put_str(m, "unit", p->unit);
	begin_object(m, "custom");
	if (p->kind == SERIES) {
		put_str(m, "drawStyle", "line");
		put_str(m, "showPoints", "always");
	} else if (p->kind == SQUARES) {
		begin_object(m, "cellOptions");
		put_str(m, "type", "color-background");
		wl_jsonw_end_object(&m->json);
	}
	wl_jsonw_end_object(&m->json);
	if (p->kind == SQUARES) {
		begin_object(m, "color");
		put_str(m, "mode", "continuous-BlYlRd");
		wl_jsonw_end_object(&m->json);
	}
	wl_jsonw_end_object(&m->json);
	begin_array(m, "overrides");
	wl_jsonw_end_array(&m->json);
	wl_jsonw_end_object(&m->json);
}

/* Rows of (row, column, value) become a table with a column for each column. */
static void put_squares(struct making *m)
{
	begin_array(m, "transformations");
	wl_jsonw_begin_object(&m->json);
	put_str(m, "id", "groupingToMatrix");
	begin_object(m, "options");
	put_str(m, "rowField", "rank");
	put_str(m, "columnField", "step");
	put_str(m, "valueField", "late");
	wl_jsonw_end_object(&m->json);
	wl_jsonw_end_object(&m->json);
	wl_jsonw_end_array(&m->json);
}

static void put_panel(struct making *m, const struct panel *p, int id, int x, int y)
{
	static const char *const types[] = { "timeseries", "table", "barchart", "table" };

	wl_jsonw_newline(&m->json);
	wl_jsonw_begin_object(&m->json);
	put_int(m, "id", id);
	put_str(m, "type", types[p->kind]);
	put_str(m, "title", p->title);
	put_str(m, "description", p->text);
	put_place(m, p, x, y);
	put_source(m);
	begin_array(m, "targets");
	wl_jsonw_begin_object(&m->json);
	put_source(m);
	put_target(m, p->kind == SERIES, p->question);
	wl_jsonw_end_object(&m->json);
	wl_jsonw_end_array(&m->json);
	put_fields(m, p);
	begin_object(m, "options");
	if (p->kind == BARS)
		put_str(m, "orientation", "horizontal");
	wl_jsonw_end_object(&m->json);
	if (p->kind == SQUARES)
		put_squares(m);
	wl_jsonw_end_object(&m->json);
}

static void put_panels(struct making *m)
{
	int x = 0, y = 0, tallest = 0;

	begin_array(m, "panels");
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
	begin_object(m, "templating");
	begin_array(m, "list");
	wl_jsonw_begin_object(&m->json);
	put_str(m, "name", "source");
	put_str(m, "label", "Data source");
	put_str(m, "type", "datasource");
	put_str(m, "query", "grafana-clickhouse-datasource");
	wl_jsonw_end_object(&m->json);
	for (size_t i = 0; i < WL_COUNT(variables); i++) {
		wl_jsonw_newline(&m->json);
		wl_jsonw_begin_object(&m->json);
		put_str(m, "name", variables[i].name);
		put_str(m, "label", variables[i].label);
		put_str(m, "type", "query");
		put_source(m);
		put_sql(m, "query", variables[i].question);
		put_int(m, "refresh", 2); /* as the range of time changes */
		put_int(m, "sort", 0);
		put_bool(m, "multi", false);
		put_bool(m, "includeAll", false);
		wl_jsonw_end_object(&m->json);
	}
	wl_jsonw_end_array(&m->json);
	wl_jsonw_end_object(&m->json);
}

static void put_marks(struct making *m)
{
	begin_object(m, "annotations");
	begin_array(m, "list");
	wl_jsonw_begin_object(&m->json);
	put_str(m, "name", "Verdicts");
	put_source(m);
	put_bool(m, "enable", true);
	put_bool(m, "hide", false);
	put_str(m, "iconColor", "red");
	begin_object(m, "target");
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
	put_str(&m, "title", "warplens: runs");
	put_str(&m, "uid", "warplens-runs");
	put_int(&m, "schemaVersion", MODEL);
	put_int(&m, "version", WL_STORE_SCHEMA);
	put_bool(&m, "editable", true);
	put_str(&m, "timezone", "utc");
	begin_array(&m, "tags");
	wl_jsonw_str(&m.json, "warplens");
	wl_jsonw_end_array(&m.json);
	begin_object(&m, "time");
	put_str(&m, "from", "now-90d");
	put_str(&m, "to", "now");
	wl_jsonw_end_object(&m.json);
	put_variables(&m);
	put_marks(&m);
	put_panels(&m);
	wl_jsonw_end_object(&m.json);
	wl_jsonw_finish(&m.json);
	wl_text_release(&m.question);
	return !m.failed;
}
