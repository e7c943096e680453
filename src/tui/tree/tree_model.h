/* SPDX-License-Identifier: MIT */
/*
 * tree_model.h - the NVTX tree as the tree view shows it: its nodes and their figures.
 *
 * Aggregated, all ranges of one path are one node (derive/nvtx/folds.h); its children include, by
 * name, the kernels and copies launched directly in it. In chronological mode each range is a node
 * with its single operations below it; these nodes are made when their parent is first opened,
 * because there may be millions.
 *
 * The figures equal those of the verbs tree and nvtx-kernels over the same window
 * (derive/use/range_use.h) and those of derive/use/branches.h. A model is made in the background
 * (wl_tree_model_make) and then belongs to the view's thread.
 */
#ifndef WL_TUI_TREE_MODEL_H
#define WL_TUI_TREE_MODEL_H

#include "analysis/analysis.h"
#include "derive/use/branches.h"

enum wl_tree_mode { WL_TREE_AGGREGATED, WL_TREE_CHRONOLOGICAL, WL_N_TREE_MODES };

enum wl_tree_kind {
	WL_TREE_RANGE,   /* push/pop */
	WL_TREE_SPAN,    /* start/end */
	WL_TREE_OP,      /* kernels or other operations: all of one name, or a single one */
	WL_TREE_OUTSIDE, /* "(no NVTX)": operations in no push/pop range */
	WL_TREE_MORE,    /* stands for siblings that are not made yet; n_names says how many */
};

/* Times are sums over the window; 0 if the kind has no such figure. */
struct wl_tree_figures {
	wl_ns gpu;      /* busy time; of OP the sum of durations */
	wl_ns own;      /* of gpu: launched directly in this range */
	wl_ns comm;     /* of gpu: communication */
	wl_ns exposed;  /* of communication: not hidden by compute */
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
	 * Aggregated: the fold; for OP the number of its name (see wl_tree_model). Chronological:
	 * the range (nodes of the forest, then spans); for OP the operation, numbered through the
	 * families.
	 */
	uint32_t id;
	uint32_t depth;   /* how many ancestors */
	uint32_t n_names; /* different names that are folded here */
	uint8_t kind;     /* enum wl_tree_kind */
	bool is_open;     /* its children are shown */
	bool has_children;
	const char *label; /* its name in all traces, from which the path is made */
	const char *name;  /* like label, but the exact name if only one is folded */
	wl_ns start;       /* start in chronological mode, else WL_NO_TIME */
	struct wl_tree_figures is;
};

struct wl_tree_items;

/* Children made at a time in chronological mode. */
enum { WL_TREE_CHUNK = 500 };

struct wl_tree_model {
	struct wl_arena arena;
	struct wl_vec node; /* struct wl_tree_node: parents before children */
	uint32_t first_root, last_root;
	enum wl_tree_mode mode;
	const struct wl_trace *trace;
	const struct wl_forest *forest;
	struct wl_folds folds;  /* by path, with labels; in both modes */
	uint32_t *node_of_fold; /* aggregated; WL_NONE if left out */
	size_t n_paths;         /* folds that have something in the window */
	/*
	 * Numbers of operation names: kernel names (equal texts share the first number), then kinds
	 * of copies, then memset and graph.
	 */
	size_t n_op_names;
	/* Of the whole window. all.wall is the sum over roots. */
	struct wl_tree_figures all;
	wl_ns kernels, kernels_in, kernels_bridged; /* sums of durations, as in the verb tree */
	/* Iterations in the window, of all processes in scope; n is 0 if there are none. */
	size_t n_iterations, first_iteration, last_iteration, n_processes;
	/* Aggregated: what each iteration adds to gpu, [fold * n_at + iteration]; may be NULL. */
	size_t n_at;
	const wl_ns *busy_at;
	struct wl_tree_items *items; /* chronological mode; NULL if aggregated */
};

/*
 * Build the model of a trace in the run's scope. Charged to the budget, not to the run's arena;
 * borrows from the trace and from the run's derived results. Drop it even after a failure.
 */
void wl_tree_model_want(struct wl_wanted *wanted); /* add the inputs that a run needs for it */
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
 * Ensure that the first children of a node exist; WL_NONE: the roots. Invalidates pointers to
 * nodes. If memory runs out, fewer exist.
 */
void wl_tree_list(struct wl_tree_model *model, uint32_t node);
/* Replace a node MORE by the next siblings; it becomes the first of them. */
void wl_tree_list_more(struct wl_tree_model *model, uint32_t more);

/*
 * In chronological mode: the range of a node by number, and the node of a range, made with its
 * ancestors if needed. WL_NONE if it is outside the window, deeper than WL_PATH_SHOWN, or after
 * more than WL_TREE_FURTHEST siblings.
 */
enum { WL_TREE_FURTHEST = 50000 };
size_t wl_tree_n_items(const struct wl_tree_model *model);
const char *wl_tree_item_name(const struct wl_tree_model *model, uint32_t item);
uint32_t wl_tree_of_item(struct wl_tree_model *model, uint32_t item);

/* The range, as an item, and as a fold, of a row of nvtx; WL_NONE for none. Linear in ranges. */
uint32_t wl_tree_item_of_row(const struct wl_tree_model *model, uint32_t nvtx_row);
uint32_t wl_tree_fold_of_item(const struct wl_tree_model *model, uint32_t item);

/* A node's name; "layer ×32" for several folded names; in buf if needed. */
enum { WL_TREE_NAME = 512 };
const char *wl_tree_node_name(const struct wl_tree_node *node, char buf[WL_TREE_NAME]);

/* The names from the root, joined by " › ", at most size - 1 bytes; cut at its beginning. */
const char *wl_tree_path(const struct wl_tree_model *model, uint32_t node, char *buf, size_t size);

/* Aggregated: the node of a fold, or of OUTSIDE for WL_NONE; WL_NONE if there is none. */
uint32_t wl_tree_of_fold(const struct wl_tree_model *model, uint32_t fold);

/*
 * By node of a: the node of b with the same path of labels and kind, WL_NONE for none. Of
 * ranges, and of operations by name. Owned by the arena; NULL when that is exhausted.
 */
uint32_t *wl_tree_match(const struct wl_tree_model *a, const struct wl_tree_model *b,
			struct wl_arena *arena) WL_MUST_CHECK;

/*
 * A node's representative range, as a row of the nvtx family: itself; for a fold the first with the
 * median duration on the host; for an operation its parent's. WL_NONE for none. Linear in ranges.
 */
uint32_t wl_tree_median_range(const struct wl_tree_model *model, uint32_t node);

/* Operations of one name in and below a node. */
struct wl_tree_top {
	const char *name;
	uint32_t kernel_name; /* WL_NONE if it is not a kernel */
	wl_ns sum;
	size_t calls;
};

/*
 * The n operations with the largest sums, largest first; returns how many there are. Linear in the
 * subtree, which in chronological mode may be a whole trace; returns 0 above WL_TREE_MOST_SUMMED
 * operations.
 */
enum { WL_TREE_MOST_SUMMED = 1 << 20 };
size_t wl_tree_tops(const struct wl_tree_model *model, uint32_t node, struct wl_tree_top *ret,
		    size_t n);

/* The kernel name of an OP, WL_NONE if it is not a kernel. */
uint32_t wl_tree_kernel_name(const struct wl_tree_model *model, const struct wl_tree_node *node);

#endif
