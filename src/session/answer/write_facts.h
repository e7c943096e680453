/* SPDX-License-Identifier: MIT */
/* write_facts.h - collects the facts of a trace, with answers that go with them. */
#ifndef WL_SESSION_WRITE_FACTS_H
#define WL_SESSION_WRITE_FACTS_H

#include "session/facts/facts_rows.h"
#include "session/open/session.h"

/*
 * Collect the facts of an open trace: tables, and the answers that facts give (docs/facts.md).
 * They are not named yet (facts/file.h), so that the caller can add answers. Release *ret also
 * after a failure. WL_E_NODATA without GPU operations, else what the session fails with.
 */
int wl_facts_collect(struct wl_session *session, const struct wl_facts_keys *keys,
		     struct wl_budget *budget, struct wl_pool *pool, struct wl_facts *ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

#endif
