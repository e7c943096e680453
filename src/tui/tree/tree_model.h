/* SPDX-License-Identifier: MIT */
/*
 * tree_model.h - the NVTX tree as the tree view shows it: its nodes and their figures.
 *
 * Aggregated, ranges of one path are a node (derive/nvtx/folds.h), and below it stand the
 * kernels and copies that were launched in it and in no range inside, by name. In order
 * of time, each range is a node, and below it stand its operations one by one; such
 * nodes are made when their parent is first opened, because there may be millions.
 *
 * The figures are those of the verbs tree and nvtx-kernels over the same window
 * (derive/use/range_use.h), and of derive/use/branches.h. A model is made in the background
 * (wl_tree_model_make) and belongs to the view's thread then.
 */
#ifndef WL_TUI_TREE_MODEL_H
#define WL_TUI_TREE_MODEL_H

#include "analysis/analysis.h"
#include "derive/use/branches.h"

enum wl_tree_mode { WL_TREE_AGGREGATED, WL_TREE_CHRONOLOGICAL, WL_N_TREE_MODES };

enum wl_tree_kind {
	WL_TREE_RANGE,   /* push/pop */
	WL_TREE_SPAN,    /* start/end */
	WL_TREE_OP,      /* a kernel, or another operation: all of one name, or a single one */
	WL_TREE_OUTSIDE, /* "(no NVTX)": operations in no push/pop range */
	WL_TREE_MORE,    /* stands for siblings that are not made yet; n_names says how many */
};

/* Times are sums over the window, 0 where the kind has no such figure. */
struct wl_tree_figures {
	wl_ns gpu;      /* busy time; of OP the sum of durations */
	wl_ns own;      /* of gpu: launched in no range inside */
	wl_ns comm;     /* of gpu: communication */
	wl_ns exposed;  /* of comm: hidden by no compute */
	wl_ns bridged;  /* busy time of what other threads launched meanwhile */
	wl_ns wall;     /* on the host; of OP 0 */
	wl_ns p50, p99; /* of durations: of ranges on the host, of OP on the GPU */
	size_t calls;   /* ranges, or executions */
	size_t ops;     /* operations inside */
};

struct wl_tree_node {
	uint32_t parent;            /* an earlier node; WL_NONE for a root */
	uint32_t first, last, next; /* children and siblings in the order made, WL_NONE ends */
	/*
	 * Which one it is. Aggregated: the fold; of OP the number of its name (see wl_tree_model).
	 * In order of time: the range (nodes of the forest, then spans); of OP the operation,
	 * counted through the families.
	 */
	uint32_t id;
	uint32_t depth;   /* how many ancestors */
	uint32_t n_names; /* different names that are folded here */
	uint8_t kind;     /* enum wl_tree_kind */
	bool is_open;     /* its children are shown */
	bool has_children;
	const char *label; /* what it is called in all traces: the path is made of it */
	const char *name;  /* the same, but its exact name where it is the only one */
	wl_ns start;       /* in order of time; WL_NO_TIME else */
	struct wl_tree_figures is;
};

struct wl_tree_items;

/* How many children of a node are made at a time, in order of time. */
enum { WL_TREE_CHUNK = 500 };

struct wl_tree_model {
	struct wl_arena arena;
	struct wl_vec node; /* struct wl_tree_node: parents before children */
	uint32_t first_root, last_root;
	enum wl_tree_mode mode;
	const struct wl_trace *trace;
	const struct wl_forest *forest;
	struct wl_folds folds;  /* by path, with labels; in both modes */
	uint32_t *node_of_fold; /* aggregated; WL_NONE where it is left out */
	size_t n_paths;         /* folds that have something in the window */
	/*
	 * Numbers of operation names: kernel names first, of which the first with its text
	 * counts, then kinds of copies, then memset and graph.
	 */
	size_t n_op_names;
	/* Of the whole window. all.wall is the sum over roots. */
	struct wl_tree_figures all;
	wl_ns kernels, kernels_in,
		kernels_bridged; /* sums of durations, as the verb tree has them */
	/* Iterations in the window, of all processes that are on; n is 0 without any. */
	size_t n_iterations, first_iteration, last_iteration, n_processes;
	/* Aggregated: what each iteration adds to gpu, [fold * n_at + iteration]; may be NULL. */
	size_t n_at;
	const wl_ns *busy_at;
	struct wl_tree_items *items; /* of the order of time; NULL aggregated */
};

/*
 * Find all of a trace in the run's scope. Charged to the budget, not to the run's arena;
 * borrows from the trace and from what the run has derived. Drop it, also after a failure.
 */
void wl_tree_model_want(struct wl_wanted *wanted); /* add what a run needs to have for it */
int wl_tree_model_make(struct wl_tree_model *model, const struct wl_run *run,
		       enum wl_tree_mode mode, struct wl_budget *budget,
		       struct wl_err *reterr) WL_MUST_CHECK;
void wl_tree_model_drop(struct wl_tree_model *model); /* accepts a zeroed one */

static inline size_t wl_tree_n(const struct wl_tree_model *model)
{
	return model->node.n;
}

static inline struct wl_tree_node *wl_tree_get(const struct wl_tree_model *model, uint32_t node)
{
	return (struct wl_tree_node *)model->node.data + node;
}

/*
 * Make sure that the first children of a node are there; WL_NONE: the roots. Pointers to
 * nodes are void afterwards. Without memory there are fewer.
 */
void wl_tree_list(struct wl_tree_model *model, uint32_t node);
/* Make the next ones in place of a node MORE, which becomes the first of them. */
void wl_tree_list_more(struct wl_tree_model *model, uint32_t more);

/*
 * In order of time: the ranges that nodes are made of, by number, and the node of one,
 * with those above it, made if need be. WL_NONE where it is not in the window, deeper
 * than WL_PATH_SHOWN, or behind more than WL_TREE_FURTHEST siblings.
 */
enum { WL_TREE_FURTHEST = 50000 };
size_t wl_tree_n_items(const struct wl_tree_model *model);
const char *wl_tree_item_name(const struct wl_tree_model *model, uint32_t item);
uint32_t wl_tree_of_item(struct wl_tree_model *model, uint32_t item);

/* The range, as an item, and as a fold, of a row of nvtx; WL_NONE for none. Linear in ranges. */
uint32_t wl_tree_item_of_row(const struct wl_tree_model *model, uint32_t nvtx_row);
uint32_t wl_tree_fold_of_item(const struct wl_tree_model *model, uint32_t item);

/* What a node is called: of several names folded into one, "layer ×32"; in buf if need be. */
enum { WL_TREE_NAME = 512 };
const char *wl_tree_node_name(const struct wl_tree_node *node, char buf[WL_TREE_NAME]);

/* The names from the root, joined by " › ", at most size - 1 bytes; cut at its beginning. */
const char *wl_tree_path(const struct wl_tree_model *model, uint32_t node, char *buf, size_t size);

/* Aggregated: the node of a fold, or with WL_NONE that of OUTSIDE; WL_NONE for none. */
uint32_t wl_tree_of_fold(const struct wl_tree_model *model, uint32_t fold);

/*
 * By node of a: the node of b with the same path of labels and kind, WL_NONE for none. Of
 * ranges, and of operations by name. Owned by the arena; NULL when that is exhausted.
 */
uint32_t *wl_tree_match(const struct wl_tree_model *a, const struct wl_tree_model *b,
			struct wl_arena *arena) WL_MUST_CHECK;

/*
 * The range of a node that stands for it: itself, or of a fold the one with the median
 * duration on the host, the first of several; a row of the nvtx family. Of an operation
 * that of its parent. WL_NONE for none. Linear in ranges.
 */
uint32_t wl_tree_median_range(const struct wl_tree_model *model, uint32_t node);

/* Operations of one name in and below a node. */
struct wl_tree_top {
	const char *name;
	uint32_t kernel_name; /* WL_NONE where it is no kernel */
	wl_ns sum;
	size_t calls;
};

/*
 * The n with the largest sums, in this order; returns how many there are. Linear in what is
 * below; in order of time that may be a whole trace, and of more than WL_TREE_MOST_SUMMED
 * operations none are known.
 */
enum { WL_TREE_MOST_SUMMED = 1 << 20 };
size_t wl_tree_tops(const struct wl_tree_model *model, uint32_t node, struct wl_tree_top *ret,
		    size_t n);

/* The kernel name of an OP, WL_NONE where it is no kernel. */
uint32_t wl_tree_kernel_name(const struct wl_tree_model *model, const struct wl_tree_node *node);

#endif
