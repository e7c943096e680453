/* SPDX-License-Identifier: MIT */
/* ncu_version.h - which Nsight Compute is installed. */
#ifndef WL_CAPTURE_NCU_VERSION_H
#define WL_CAPTURE_NCU_VERSION_H

#include <stdbool.h>

#include "base/attr.h"
#include "capture/report.h"

/* Find "Version 2024.1.1.0 (build ...)" in what ncu --version prints. False: it is not there. */
bool wl_ncu_version_find(const char *text, char ret_version[WL_REPORT_VERSION_CAP]) WL_MUST_CHECK;

/* Ask the program; empty where it does not answer, or not so. */
void wl_ncu_version(const char *ncu, char ret_version[WL_REPORT_VERSION_CAP]);

#endif
