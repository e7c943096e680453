/* SPDX-License-Identifier: MIT */
/* ncu_choice.h - columns and parameters of the analysis "ncu-choice". */
#ifndef WL_ANALYSIS_NCU_CHOICE_H
#define WL_ANALYSIS_NCU_CHOICE_H

enum wl_ncu_choice_col {
	WL_CHOICE_KERNEL, /* name of the function */
	WL_CHOICE_LAUNCHES,
	WL_CHOICE_SUM,
	WL_CHOICE_SHARE,
	WL_CHOICE_SKIP, /* number of launches to skip before those to measure */
	WL_CHOICE_COUNT,
	WL_CHOICE_STEP,
	WL_N_CHOICE_COLS
};

enum wl_ncu_choice_param { WL_CHOICE_TOP, WL_N_CHOICE_PARAMS };

#endif
