/* SPDX-License-Identifier: MIT */
/* capture_params.h - the options of capture. */
#ifndef WL_CLI_COMMANDS_CAPTURE_PARAMS_H
#define WL_CLI_COMMANDS_CAPTURE_PARAMS_H

#include "cli/commands/capture/wishes.h"

/* After those of a plan. */
enum wl_capture_param {
	WL_CAPTURE_DIR = WL_N_WISHES,
	WL_CAPTURE_DRY_RUN,
	WL_CAPTURE_AGAIN,
	WL_CAPTURE_TIMEOUT,
	WL_CAPTURE_GRACE,
	WL_CAPTURE_PATIENCE,
	WL_CAPTURE_LEAST_FREE,
	WL_CAPTURE_OPEN,
	WL_CAPTURE_KEEP,
	WL_CAPTURE_ALLOW_SECRET,
	WL_CAPTURE_NCU,
	WL_CAPTURE_NCU_TOOL,
	WL_CAPTURE_SWEEP,
	WL_CAPTURE_NSYS_OPTION,
	WL_N_CAPTURE_PARAMS
};

/* Values of --open. */
enum { WL_CAPTURE_OPEN_SUMMARY };

extern const struct wl_param wl_capture_params[WL_N_CAPTURE_PARAMS];
extern const struct wl_foreign_option wl_capture_foreign[]; /* those of "nsys profile" */

#endif
