/* SPDX-License-Identifier: MIT */
/* late_words.h - text for people on why a rank is late, or why none is named. */
#ifndef WL_ANALYSIS_LATE_WORDS_H
#define WL_ANALYSIS_LATE_WORDS_H

#include "derive/graph/late/late.h"

const char *wl_late_reason_name(enum wl_late_reason reason); /* "slow GPU", ... */

/* Why no rank is named if much communication is unmatched. */
extern const char wl_too_much_unmatched[];

/* For facts: why lateness in MPI calls is unknown (struct wl_stragglers, no_mpi). */
extern const char wl_no_mpi_in_facts[];

#endif
