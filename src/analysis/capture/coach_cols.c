/* SPDX-License-Identifier: MIT */
/* coach_cols.c - the columns and goals of coach, for the analysis and for the command. */
#include "analysis/capture/coach.h"

const struct wl_col wl_coach_cols[WL_N_COACH_COLS] = {
	[WL_COACH_QUESTION] = { "question", "Question", WL_T_STR, WL_KEY | WL_PROSE,
				"What people ask." },
	[WL_COACH_FOR] = { "for", "For", WL_T_ENUM, WL_MINOR,
			   "What --for calls it; capture: asked of every trace." },
	[WL_COACH_STATE] = { "state", "State", WL_T_ENUM, WL_PLAIN,
			     "answered, partly or no: how far this trace answers it." },
	[WL_COACH_VERB] = { "verb", "Verb", WL_T_STR, WL_MINOR,
			    "The verb that answers it; empty where none does." },
	[WL_COACH_MISSING] = { "missing", "In this trace", WL_T_STR, WL_PROSE,
			       "What is missing; of an answered question what there is." },
	[WL_COACH_CHANGE] = { "change", "Record with", WL_T_STR, WL_PROSE | WL_MINOR,
			      "What to change in the capture." },
	[WL_COACH_LACKS] = { "lacks", "Lacks", WL_T_STR, WL_MINOR,
			     "The same for programs: keys with commas between." },
};

const char *const wl_coach_goals[] = { "all", "launch", "nccl", "host", "memory", "ncu", NULL };
