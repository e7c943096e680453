/* SPDX-License-Identifier: MIT */
/*
 * answers.h - finished answers in an index: those to questions without options.
 *
 * An answer is stored for each analysis with its default arguments and for each
 * section of a document, over the whole trace, nothing selected, ranges named as the
 * trace does. What a view does to a table (rows, order, columns) comes after that, so
 * one stored table serves them all. Large tables are not stored.
 */
#ifndef WL_SESSION_ANSWERS_H
#define WL_SESSION_ANSWERS_H

#include "index/index.h"
#include "session/plan.h"

/* What stands above tables but depends on the rows of the trace. Owned by the arena. */
struct wl_stored_frame {
	const struct wl_fact *facts; /* of the trace, without its path */
	size_t n_facts;
	const struct wl_doc_window *windows;
	size_t n_windows;
	int64_t n_devices;
	const struct wl_doc_step *step; /* NULL where the answer does not speak of steps */
};

struct wl_stored_answer {
	int status; /* WL_OK, or WL_E_NODATA and no table */
	const char *message;
	struct wl_stored_frame frame; /* of the analysis alone */
	struct wl_table table;
};

/* Whether the request is one of those that answers are stored for, as far as options go. */
bool wl_answers_fit(const struct wl_request *request);

/* The answer to a section of a plan; NULL when it is not there, or damaged, or without memory. */
struct wl_stored_answer *wl_answer_find(const struct wl_index *index,
					const struct wl_section_info *section,
					struct wl_arena *arena);

/* The frame of a document, all sections of which are shown; NULL as above. */
struct wl_stored_frame *wl_frame_find(const struct wl_index *index, const char *document,
				      struct wl_arena *arena);

/*
 * Fill in trace, windows and devices of a document from a frame, as wl_frame_put() of
 * doc_frame.h does from a trace. False when the arena is exhausted.
 */
bool wl_frame_take(const struct wl_stored_frame *frame, const char *label, const char *path,
		   struct wl_arena *arena, struct wl_document *doc) WL_MUST_CHECK;

/* An array of this name, with nothing in it: counts of the reader depend on what it read. */
extern const char wl_counts_vary[];

/* What the session answered to a section alone: a document of one table, or WL_E_NODATA. */
void wl_answer_put(struct wl_index_writer *w, const struct wl_section_info *section, int status,
		   const char *message, const struct wl_document *doc);
void wl_frame_store(struct wl_index_writer *w, const struct wl_document *doc);

#endif
