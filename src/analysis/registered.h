/* SPDX-License-Identifier: MIT */
/* registered.h - the descriptors of all analyses, for the registry and for tests that run each
 * one. */
#ifndef WL_ANALYSIS_REGISTERED_H
#define WL_ANALYSIS_REGISTERED_H

#include "analysis/analysis.h"

#define WL_ANALYSIS(name) WL_DECLARE_ANALYSIS(name);
#define WL_SECTION(name)  WL_DECLARE_ANALYSIS(name);
#include "analysis/analyses.def"
#undef WL_ANALYSIS
#undef WL_SECTION

#endif
