/* tree_values.h - the number behind a cell of the tree, by which rows are sorted. */
#ifndef WL_TUI_TREE_VALUES_H
#define WL_TUI_TREE_VALUES_H

#include "tui/tree_sight.h"

/* Not of PATH and START. Where a node has no such figure, less than all that have. */
double wl_tree_value(const struct wl_tree_sight *s, enum wl_tree_col col, uint32_t node);

#endif
