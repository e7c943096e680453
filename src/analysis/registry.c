/* SPDX-License-Identifier: MIT */
/* registry.c - the analyses of analyses.def. Nothing but the lists: what names all calls none. */
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
