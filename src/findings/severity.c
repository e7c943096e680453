/* SPDX-License-Identifier: MIT */
#include "findings/severity.h"

double wl_finding_weight(const struct wl_finding *f)
{
	return f->accounts_for > f->share ? f->accounts_for : f->share;
}

bool wl_finding_may_save_nothing(const struct wl_finding *f)
{
	return f->replayed.is_known && f->replayed.saving <= f->replayed.error;
}

/* The replayed saving as a share; of what was not replayed all that it speaks of. */
static double saved_share(const struct wl_finding *f)
{
	if (!f->replayed.is_known)
		return wl_finding_weight(f);
	return f->replayed.saving <= 0 || f->saving <= 0
		       ? 0
		       : f->share * (double)f->replayed.saving / (double)f->saving;
}

const char *wl_finding_severity(const struct wl_finding *f)
{
	double share = saved_share(f);

	if (f->kind != WL_FINDING_SAVING)
		return "info";
	if (wl_finding_weight(f) < WL_LISTED_SHARE)
		return "minor";
	if (share < 0.03 || wl_finding_may_save_nothing(f))
		return "low";
	return share < 0.1 ? "medium" : "high";
}
