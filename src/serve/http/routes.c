/* SPDX-License-Identifier: MIT */
#include "serve/http/routes.h"

#include <stdio.h>
#include <string.h>

static const struct wl_route routes[] = {
	{ "", "", true, false, wl_answer_page },
	{ "progress", "", true, false, wl_answer_progress },
	{ "meta", "", false, false, wl_answer_meta },
	{ "view", "a b w rows lanes by", false, false, wl_answer_view },
	{ "merge", "row", false, true, wl_answer_merge },
	{ "events", "row a b max by", false, false, wl_answer_events },
	{ "names", "from n", false, false, wl_answer_names },
	{ "event", "row ref at", false, false, wl_answer_event },
	{ "stats", "a b rows by", false, true, wl_answer_stats },
	{ "gaps", "a b min device", false, true, wl_answer_gaps },
	{ "search", "q mode after w min max cat word gpu trace a b rows grid range list", false,
	  true, wl_answer_search },
	{ "table", "verb trace a b n", false, true, wl_answer_table },
	{ "stacks", "during trace a b", false, true, wl_answer_stacks },
	{ "sql", "q trace", false, true, wl_answer_sql },
	{ "export", "fmt trace a b during", false, true, wl_answer_export },
	{ "show", "path from to", false, false, wl_answer_show },
	{ "shown", "", true, false, wl_answer_shown },
};

const struct wl_route *wl_route_find(const char *path)
{
	for (size_t i = 0; i < WL_COUNT(routes); i++) {
		if (strcmp(routes[i].path, path) == 0)
			return &routes[i];
	}
	return NULL;
}

/* A whole number at *s and the text behind it, which *s moves past; 0 where it is not so. */
static int take_number(const char **s, const char *behind)
{
	enum { MAX_DIGITS = 18 };
	size_t sign = **s == '-', digits = strspn(*s + sign, "0123456789"), n = sign + digits;

	if (digits == 0 || digits > MAX_DIGITS || strncmp(*s + n, behind, strlen(behind)) != 0)
		return 0;
	*s += n + strlen(behind);
	return (int)n;
}

bool wl_route_parse_file(const char *path, char ret_query[WL_FILE_QUERY_BUF])
{
	static const char start[] = "export/perfetto/";
	const char *a, *b, *trace;
	int n_a, n_b, n_trace;

	if (strncmp(path, start, strlen(start)) != 0)
		return false;
	a = path += strlen(start);
	n_a = take_number(&path, "-");
	b = path;
	n_b = n_a ? take_number(&path, "/") : 0;
	trace = path;
	n_trace = n_b ? take_number(&path, ".pftrace") : 0;
	if (n_trace == 0 || *path)
		return false;
	(void)snprintf(ret_query, WL_FILE_QUERY_BUF, "fmt=perfetto&a=%.*s&b=%.*s&trace=%.*s", n_a,
		       a, n_b, b, n_trace, trace);
	return true;
}

static int status_of(enum wl_status code)
{
	switch (code) {
	case WL_E_USAGE:
	case WL_E_NOMATCH:
	case WL_E_NOJOB:
		return 400;
	case WL_E_NODATA:
	case WL_E_INCOMPARABLE:
		return 404;
	case WL_E_CANCELED:
	case WL_E_NOMEM:
	case WL_E_TIMEOUT:
		return 503;
	case WL_OK:
	case WL_E_FORMAT:
	case WL_E_IO:
	case WL_E_OUTPUT:
	case WL_E_RETRY:
		break;
	}
	return 500;
}

/* Memory of one request, besides the answer itself. */
enum { REQUEST_BYTES = 512 << 20 };

static int ask(const struct wl_route *route, struct wl_served *served, const char *text,
	       struct wl_arena *arena, struct wl_answer *ret, struct wl_err *reterr)
{
	struct wl_query query;
	int r = wl_query_parse(text, arena, &query, reterr);

	if (r == WL_OK)
		r = wl_query_only(&query, route->keys, reterr);
	if (r == WL_OK)
		r = route->answer(&(struct wl_ask){ served, &query, arena }, ret, reterr);
	return r;
}

void wl_route_ask(const struct wl_route *route, struct wl_served *served, const char *query,
		  struct wl_answer *ret)
{
	struct wl_arena arena;
	struct wl_err err = { .code = WL_OK };

	*ret = WL_ANSWER_NONE;
	if (!route->early && !wl_served_is_ready(served)) {
		wl_answer_fail(ret, 503, WL_STILL_READING);
		return;
	}
	if (route->slow && served->stop) {
		wl_answer_fail(ret, 503, "the server stops");
		return;
	}
	wl_arena_init(&arena, REQUEST_BYTES);
	if (ask(route, served, query, &arena, ret, &err) < 0)
		wl_answer_fail(ret, status_of(err.code), err.msg);
	else if (route->slow && served->stop) /* what was found until then is not the answer */
		wl_answer_fail(ret, 503, "the server stops");
	wl_arena_release(&arena);
}
