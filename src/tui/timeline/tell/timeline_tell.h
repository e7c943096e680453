/* SPDX-License-Identifier: MIT */
/*
 * timeline_tell.h - declarations that the parts of the timeline with texts share: their state
 * between events, texts under construction, and jumps to what they describe.
 *
 * The second trace (timeline_second.c) lies under the first on the axis of the first:
 * a time of the second plus a shift is a time of the first.
 */
#ifndef WL_TUI_TIMELINE_TELL_H
#define WL_TUI_TIMELINE_TELL_H

#include "export/timeline/timeline.h"
#include "scene/details.h"
#include "tui/timeline/timeline.h"

extern const struct wl_timeline_part wl_timeline_telling, wl_timeline_stepping_gaps,
	wl_timeline_finding, wl_timeline_linking, wl_timeline_summing, wl_timeline_bookmarking,
	wl_timeline_writing, wl_timeline_comparing, wl_timeline_mapping;

/* Slots of wl_app_ask() that these parts use. */
enum { WL_ASK_PANEL, WL_ASK_SUMS, WL_ASK_EXPORT };

/* A question about a range: what is asked, and texts that must live until it is answered. */
struct wl_range_question {
	const char *analysis;             /* or */
	const struct wl_visitor *visitor; /* which lives as long */
	/* Arguments name, by and min, where it has them; NULL: as usual. */
	const char *naming, *by, *min;
	size_t limit; /* rows; 0 for all */
	struct wl_interval range;
	uint32_t device; /* WL_NONE: all */
	bool pending;
	bool says_missing; /* no data is an answer */
	char window[64], gpu[16];
	const char *args[16];
};

/* Write all rows of the range to export_path, whose ending says as what; nothing must be pending.
 */
void wl_timeline_write_trace(struct wl_timeline *t);

/* Ask; one that is pending must not be asked again. */
void wl_range_ask(struct wl_timeline *t, struct wl_range_question *q, int slot,
		  wl_answer_fn *answered);

enum { WL_PANEL_KERNELS = 12, WL_MAX_LINKS = 64 };

/* The kernels of a range with the most time, as the panel shows them. */
struct wl_range_kernels {
	struct wl_range_question question;
	bool has_answer; /* of this range and device: */
	struct wl_interval range;
	uint32_t device;
	size_t n;
	struct {
		char name[80];
		int64_t calls;
		wl_ns sum, avg;
	} at[WL_PANEL_KERNELS];
};

/* Those of a range of a device; NULL until the worker has answered, which is asked if need be. */
const struct wl_range_kernels *wl_timeline_kernels(struct wl_timeline *t, struct wl_interval range,
						   uint32_t device);

struct wl_timeline_kept {
	struct wl_range_kernels kernels;
	/* The text of s and t in the making. */
	struct wl_range_question summing;
	size_t sum_step;        /* which table comes next */
	bool sum_all;           /* t: the first tables; else one */
	struct wl_vec sum_text; /* char */
	/* E: the file that is asked for. */
	struct wl_range_question exporting;
	char export_path[1024];
	struct wl_visitor trace_writer;
	struct wl_export_done exported; /* by it */
	size_t finding;                 /* the last one that was shown; SIZE_MAX: none */
	struct wl_link link[WL_MAX_LINKS];
	size_t n_links;
	/* What the call, or the range, under the cursor leads to, found once. */
	uint32_t launched_call; /* WL_NONE: nothing was looked for */
	struct wl_launched launched;
	uint32_t projected_row; /* WL_NONE: the same */
	bool has_projection;
	struct wl_link projection;
	/* By process, then iteration: it stands out. Found when first asked for; may be NULL. */
	const bool **outlier;
};

/* A text in the making; what does not fit is left out. */
struct wl_text_buf {
	char *buf;
	size_t size, n;
};

void wl_text_buf_init(struct wl_text_buf *w, char *buf, size_t size);
void wl_tell(struct wl_text_buf *w, const char *fmt, ...) WL_PRINTF(2, 3);

/* What the call launched, kept until another is asked for. */
const struct wl_launched *wl_timeline_launched(struct wl_timeline *t, uint32_t call);
/* Where the work of the range lies, kept as long; NULL for nowhere. */
const struct wl_link *wl_timeline_projection(struct wl_timeline *t, uint32_t nvtx_row);

/* The GPU of the selected row; WL_NONE for none. */
uint32_t wl_timeline_device(const struct wl_timeline *t);

/* Go to [begin, end) of a row: the view stays as wide as it is, or shows all of it. */
void wl_timeline_jump_to(struct wl_timeline *t, struct wl_link to);

/* The name of an operation in the app's style; in buf if it must be made. */
const char *wl_timeline_op_name(const struct wl_timeline *t, struct wl_op_id id);

/* "sync, cudaStreamSynchronize": the cause of a gap and what it was. */
const char *wl_gap_words(const struct wl_gap_details *gap, char *buf, size_t size);

/* What is known of the event under the cursor, line by line; n lines were made. */
enum { WL_DETAIL_LINES = 8 };
struct wl_detail {
	size_t n;
	struct {
		char left[768], right[192];
	} line[WL_DETAIL_LINES];
};

void wl_timeline_detail(struct wl_timeline *t, bool wide, struct wl_detail *ret);

/*
 * How long each GPU waits for others in iteration number it, of those that have it: from
 * its end to the last end of all, and before that in communication that nothing hides,
 * where ranks meet. All that beyond the least of them, who is the slowest. Returns how
 * many there are, in the order of their rows.
 */
struct wl_rank_wait {
	uint32_t device;
	wl_ns wait; /* 0 of the slowest */
};
size_t wl_rank_waits(const struct wl_scene *scene, uint32_t it, struct wl_rank_wait *ret,
		     size_t cap);

/* Sums of a range in a line: "3.1ms of GPU 0: compute 41% exposed comm 42% copy 0% idle 17%". */
void wl_tell_sums(struct wl_text_buf *w, const struct wl_range_sums *sums, uint32_t device);

/* ---- The second trace; timeline_second.c ---- */

/* How the second trace is aligned with the first. */
struct wl_alignment {
	wl_ns shift;         /* a time of B plus this is a time of A */
	uint32_t it_a, it_b; /* iterations that begin together; WL_NONE: the first operations do */
};

/*
 * Align by the iteration of the GPU that is under way at t of A, and that of the same
 * number on the same GPU of B, or its last one; by the first operations where either has
 * no iterations. False where either has no operations.
 */
bool wl_align(const struct wl_scene *a, const struct wl_scene *b, uint32_t device, wl_ns t,
	      struct wl_alignment *ret);

/* The same at the cursor; false also where there is no second trace, or none of its rows yet. */
bool wl_timeline_second_shift(struct wl_timeline *t, wl_ns *ret_shift);
/* How it is aligned: "B: it 12 = it 12". "" where it is not shown. */
const char *wl_timeline_second_words(struct wl_timeline *t, char *buf, size_t size);
/* The chart of a line of a GPU row: where B is busier than A, and where less. */
void wl_timeline_draw_delta(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_line *line,
			    const struct wl_timeline_layout *l);

#endif
