/* SPDX-License-Identifier: MIT */
#include "read/bind.h"

/* Each schema is a file like bindings.def; it yields an array of bindings and, below, its
 * tables. */
static const struct wl_binding nsys[WL_N_COLUMNS] = {
#define WL_TABLE(FAMILY, table, ...)
#define WL_BIND(FAMILY, COLUMN, make, ...) [WL_##FAMILY##_##COLUMN] = { make, { __VA_ARGS__ } },
#include "read/bindings.def"
#undef WL_TABLE
#undef WL_BIND
};

const struct wl_family_table wl_family_tables[] = {
#define WL_BIND(FAMILY, COLUMN, make, ...)
#define WL_TABLE(FAMILY, table, ...) { WL_F_##FAMILY, table, { __VA_ARGS__ }, nsys },
#include "read/bindings.def"
#undef WL_TABLE
#undef WL_BIND
};

const size_t wl_n_family_tables = WL_COUNT(wl_family_tables);
