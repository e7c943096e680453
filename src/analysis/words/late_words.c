/* SPDX-License-Identifier: MIT */
#include "analysis/words/late_words.h"

const char wl_too_much_unmatched[] =
	"no straggler is named: over 20% of the communication time is not matched across GPUs";

const char wl_no_mpi_in_facts[] =
	"MPI calls are not kept in facts where a rank has too many, or where several processes use "
	"one GPU: what ranks wait in them, and how late they are, is known from the traces";

const char *wl_late_reason_name(enum wl_late_reason reason)
{
	static const char *const name[] = {
		[WL_LATE_SLOW_GPU] = "slow GPU",       [WL_LATE_SHARED_GPU] = "shared GPU",
		[WL_LATE_SLOW_KERNEL] = "slow kernel", [WL_LATE_MORE_WORK] = "more work",
		[WL_LATE_HOST] = "late host",          [WL_LATE_COPIES] = "slow copies",
	};

	return name[reason];
}
