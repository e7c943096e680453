/* SPDX-License-Identifier: MIT */
/*
 * definitions.h - the number of the definitions that the numbers follow (docs/definitions).
 *
 * It grows by one whenever the meaning of a number changes, so that numbers of different
 * meaning are never compared: it stands in JSON, baselines and indexes. CHANGELOG.md says
 * what changed with each.
 */
#ifndef WL_KNOWN_DEFINITIONS_H
#define WL_KNOWN_DEFINITIONS_H

/* Files that do not say are of 1. */
enum { WL_DEFINITIONS = 4 };

#endif
