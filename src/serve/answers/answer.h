/* SPDX-License-Identifier: MIT */
/*
 * answer.h - the answer to a request: a status, a type and bytes, or a file.
 */
#ifndef WL_SERVE_ANSWER_H
#define WL_SERVE_ANSWER_H

#include "base/text/json_write.h"
#include "serve/answers/query.h"
#include "serve/answers/served.h"

struct wl_answer {
	int status; /* of HTTP */
	const char *type;
	char *bytes; /* the holder's to free(); NULL where there are none */
	size_t n;
	int fd;             /* a file to be sent instead, the holder's to close(); -1: none */
	const char *suffix; /* of a download, which is called range; NULL: no download */
	bool is_page;       /* a document that a browser shows, with a policy of its own */
};

/* A question: who is asked, what for. The arena lives as long as the question. */
struct wl_ask {
	struct wl_served *served;
	const struct wl_query *query;
	struct wl_arena *arena;
};

/* Fill *ret, which is an empty answer of status 200, or return what wl_fail() returned. */
typedef int wl_answer_fn_of(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr);

#define WL_ANSWER_NONE ((struct wl_answer){ .status = 200, .fd = -1 })

void wl_answer_release(struct wl_answer *answer);

/* JSON under way; order of calls: begin, the writing, end. */
struct wl_json_answer {
	FILE *out;
	struct wl_jsonw json;
};

int wl_answer_begin_json(struct wl_answer *a, struct wl_json_answer *j,
			 struct wl_err *reterr) WL_MUST_CHECK;
int wl_answer_end_json(struct wl_answer *a, struct wl_json_answer *j,
		       struct wl_err *reterr) WL_MUST_CHECK;
/* The same where another function wrote to out. */
int wl_answer_end_bytes(struct wl_answer *a, struct wl_json_answer *j,
			struct wl_err *reterr) WL_MUST_CHECK;

/* n bytes of binary data to be filled; NULL without memory. */
char *wl_answer_binary(struct wl_answer *a, size_t n) WL_MUST_CHECK;

/* Replace whatever it is by a message, {"error": ...} of the status. */
void wl_answer_fail(struct wl_answer *a, int status, const char *msg);

/* A row of the page: which scene and track it is. */
struct wl_asked_row {
	uint32_t row;
	const struct wl_scene *scene;
	size_t which; /* of the scenes */
	size_t track;
	const struct wl_lanes *lanes;
	wl_ns origin;
	bool is_merged;  /* all streams of the GPU that the track is (merged.h) */
	bool is_compute; /* of the GPU that the track is, what it computes */
};

/*
 * row is one of the page; behind these come the merged streams of each (merged.h), and behind those
 * what each computes, which is drawn only.
 */
struct wl_asked_row wl_asked_row(const struct wl_served *s, uint32_t row);

/* The row that event i of a lane of a row is of: that row, or of merged streams its own. */
struct wl_asked_row wl_asked_row_of(const struct wl_served *s, const struct wl_asked_row *row,
				    const struct wl_lane *lane, size_t i);

enum { WL_ASK_MAX_ROWS = 1024 };

/* The rows of parameter "rows". */
int wl_ask_rows(const struct wl_ask *ask, struct wl_number_list *ret,
		struct wl_err *reterr) WL_MUST_CHECK;

/* The same, and those behind them. */
int wl_ask_drawn_rows(const struct wl_ask *ask, struct wl_number_list *ret,
		      struct wl_err *reterr) WL_MUST_CHECK;

/* The times a < b of the request, both needed, counted from an origin. */
int wl_ask_range(const struct wl_ask *ask, struct wl_interval *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* How far times of a request may be from an origin: what a double has exactly. */
#define WL_ASK_TIME_MAX (INT64_C(1) << 53)

/* A time of a request on the clock of the trace; false where no trace has it. */
bool wl_asked_time(wl_ns origin, wl_ns t, wl_ns *ret) WL_MUST_CHECK;

wl_answer_fn_of wl_answer_progress, wl_answer_meta, wl_answer_page, wl_answer_view, wl_answer_merge,
	wl_answer_events, wl_answer_names, wl_answer_event, wl_answer_stats, wl_answer_gaps,
	wl_answer_search, wl_answer_table, wl_answer_export, wl_answer_show, wl_answer_shown,
	wl_answer_stacks, wl_answer_sql;

#endif
