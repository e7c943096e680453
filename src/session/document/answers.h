/* SPDX-License-Identifier: MIT */
/*
 * answers.h - finished answers, stored in an index or with facts.
 *
 * An index has an answer for each analysis with its default arguments and for each section of a
 * document, over the whole trace; facts have answers of few analyses with more arguments, and of
 * a few windows. In both nothing is selected and ranges are named as the trace does. What a view
 * does to a table (rows, order, columns) comes after that, so one stored table serves them all.
 * Large tables are not stored.
 */
#ifndef WL_SESSION_ANSWERS_H
#define WL_SESSION_ANSWERS_H

#include "base/file/pack.h"
#include "index/index.h"
#include "session/document/plan.h"

/* What stands above tables but depends on the rows of the trace. Owned by the arena. */
struct wl_stored_frame {
	const struct wl_fact *facts; /* of the trace, without its path */
	size_t n_facts;
	const struct wl_doc_window *windows;
	size_t n_windows;
	int64_t n_devices;
	bool in_detail;                 /* with where and when it was recorded */
	const struct wl_doc_step *step; /* NULL where the answer does not speak of steps */
};

struct wl_stored_answer {
	int status;       /* WL_OK, or WL_E_NODATA and no table */
	bool is_of_scope; /* the window has no data: message is not of the analysis */
	const char *message;
	struct wl_stored_frame frame; /* of the analysis alone */
	struct wl_table table;
};

/* Whether the request is one of those that answers are stored for, as far as options go. */
bool wl_answers_fit(const struct wl_request *request);

/* Where stored answers are. fetch gives a copy of the bytes of a name, false where there are none.
 */
struct wl_answer_source {
	bool (*fetch)(const void *ctx, const char *name, struct wl_arena *arena,
		      struct wl_unpack *ret);
	const void *ctx;
};

/* Those in an index, which must outlive it. */
struct wl_answer_source wl_index_answers(const struct wl_index *index);

/* Where they go: put gets names of less than WL_ANSWER_NAME bytes, each once as a rule. */
struct wl_answer_sink {
	void (*put)(void *ctx, const char *name, const void *bytes, size_t n);
	void *ctx;
};

/*
 * A larger answer is computed again instead. This also bounds what a damaged index can make us
 * allocate.
 */
enum { WL_MAX_ANSWER = 4 << 20, WL_ANSWER_NAME = 32 };

/*
 * The answer to a section of a plan over a window, NULL for the whole trace; NULL when it is not
 * there, or damaged, or without memory.
 */
struct wl_stored_answer *wl_answer_find(const struct wl_answer_source *source,
					const struct wl_section_info *section, const char *window,
					struct wl_arena *arena);

/* The frame of a document, all sections of which are shown; NULL as above. */
struct wl_stored_frame *wl_frame_find(const struct wl_answer_source *source, const char *document,
				      const char *window, struct wl_arena *arena);

/*
 * Fill in trace, windows and devices of a document from a frame, as wl_frame_put() of
 * doc_frame.h does from a trace. False when the arena is exhausted.
 */
bool wl_frame_take(const struct wl_stored_frame *frame, const char *label, const char *path,
		   struct wl_arena *arena, struct wl_document *doc) WL_MUST_CHECK;

/* An array of this name, with nothing in it: counts of the reader depend on what it read. */
extern const char wl_counts_vary[];

/*
 * Store what the session answered to a section: a table in the frame of a document, NULL and why
 * there is none. doc is NULL where it is the window that has no data. A table of other columns than
 * the analysis declares, and a larger answer, is not stored. False without memory.
 */
bool wl_answer_put(const struct wl_answer_sink *to, const struct wl_section_info *section,
		   const char *window, const struct wl_document *doc, const struct wl_table *table,
		   const char *message) WL_MUST_CHECK;
bool wl_frame_store(const struct wl_answer_sink *to, const char *window,
		    const struct wl_document *doc) WL_MUST_CHECK;

#endif
