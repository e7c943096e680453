/* SPDX-License-Identifier: MIT */
/* registered.h - the descriptors of all rules, for their registry. */
#ifndef WL_FINDINGS_REGISTERED_H
#define WL_FINDINGS_REGISTERED_H

#include "findings/rule.h"

#define WL_RULE(name) WL_DECLARE_RULE(name);
#include "findings/findings.def"
#undef WL_RULE

#endif
