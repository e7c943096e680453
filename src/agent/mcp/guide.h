/* SPDX-License-Identifier: MIT */
/* guide.h - instructions for agents that use the program: a SKILL.md made from the registry. */
#ifndef WL_AGENT_GUIDE_H
#define WL_AGENT_GUIDE_H

#include <stdio.h>

/* Write it; write errors remain set in the FILE. */
void wl_guide_write(FILE *out);

#endif
