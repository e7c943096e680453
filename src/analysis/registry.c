/* SPDX-License-Identifier: MIT */
/* registry.c - the lists of analyses from analyses.def. Contains only the lists: code that names
 * all analyses calls none of them. */
#include "analysis/registered.h"

const struct wl_analysis *const wl_analyses[] = {
#define WL_ANALYSIS(name) &wl_analysis_##name,
#define WL_SECTION(name)
#include "analysis/analyses.def"
#undef WL_ANALYSIS
#undef WL_SECTION
};

const size_t wl_n_analyses = WL_COUNT(wl_analyses);

const struct wl_analysis *const wl_sections[] = {
#define WL_ANALYSIS(name)
#define WL_SECTION(name) &wl_analysis_##name,
#include "analysis/analyses.def"
#undef WL_ANALYSIS
#undef WL_SECTION
};

const size_t wl_n_sections = WL_COUNT(wl_sections);
