/* SPDX-License-Identifier: MIT */
/* registered.h - declares the descriptors of all rules, for the registry. */
#ifndef WL_FINDINGS_REGISTERED_H
#define WL_FINDINGS_REGISTERED_H

#include "findings/rule.h"

#define WL_RULE(name) WL_DECLARE_RULE(name);
#include "findings/findings.def"
#undef WL_RULE

#endif
