/* SPDX-License-Identifier: MIT */
/*
 * facts_info.h - what facts of several traces hold about files, GPUs and processes: sections of
 * info and report.
 */
#ifndef WL_SESSION_FACTS_INFO_H
#define WL_SESSION_FACTS_INFO_H

#include "analysis/analysis.h"

/* Runs on what facts_job.h makes; cells that facts do not know are empty, and a note says so. */
typedef int wl_facts_run(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr);

wl_facts_run wl_facts_files, wl_facts_gpus, wl_facts_processes;

#endif
