/* SPDX-License-Identifier: MIT */
#include "findings/severity.h"

double wl_finding_weight(const struct wl_finding *f)
{
	return f->accounts_for > f->share ? f->accounts_for : f->share;
}

bool wl_finding_may_save_nothing(const struct wl_finding *f)
{
	return f->replayed.is_known && !f->is_joint && f->saves.time <= f->saves.error;
}

bool wl_finding_is_refuted(const struct wl_finding *f)
{
	return f->replayed.is_known && f->window_share >= 0.1 &&
	       (double)f->alone < WL_LISTED_SHARE * (double)f->saves.run;
}

bool wl_finding_is_covered(const struct wl_finding *f)
{
	return f->replayed.is_known && wl_finding_weight(f) >= WL_LISTED_SHARE &&
	       f->saves.share < WL_LISTED_SHARE && f->alone > f->saves.error &&
	       (double)f->alone >= WL_LISTED_SHARE * (double)f->saves.run;
}

bool wl_finding_is_alone(const struct wl_finding *f)
{
	return f->replayed.is_known && wl_finding_weight(f) < WL_LISTED_SHARE;
}

bool wl_finding_is_minor(const struct wl_finding *f)
{
	if (f->kind == WL_FINDING_TRACE)
		return false;
	if (wl_finding_weight(f) < WL_LISTED_SHARE)
		return true;
	return f->kind == WL_FINDING_SAVING && f->saves.share < WL_LISTED_SHARE &&
	       !wl_finding_is_refuted(f) && !wl_finding_is_covered(f);
}

const char *wl_finding_severity(const struct wl_finding *f)
{
	double share = f->late > 0 ? f->late : f->saves.share;

	if (f->late > 0)
		return share < 0.03 ? "low" : share < 0.1 ? "medium" : "high";
	if (f->kind != WL_FINDING_SAVING)
		return "info";
	if (wl_finding_is_minor(f))
		return "minor";
	if (wl_finding_is_refuted(f) || wl_finding_is_covered(f) || f->is_doubted)
		return "info";
	if (share < 0.03 || wl_finding_may_save_nothing(f))
		return "low";
	return share < 0.1 ? "medium" : "high";
}
