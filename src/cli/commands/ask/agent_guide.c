/* SPDX-License-Identifier: MIT */
/* agent_guide.c - the command that prints how agents use the program. */
#include <stdio.h>

#include "agent/mcp/guide.h"
#include "cli/line/opt.h"
#include "cli/status.h"

static int run(const struct wl_invocation *inv)
{
	struct wl_err err;

	if (inv->n_operands > 0) {
		(void)wl_fail(&err, WL_E_USAGE, "agent-guide takes no operand");
		return wl_report_failure(&err);
	}
	wl_guide_write(stdout);
	return wl_finish_stdout();
}

static const struct wl_example examples[] = {
	{ "warplens agent-guide > SKILL.md", "Write the guide to a file that agents find." },
	{ NULL, NULL },
};

static const struct wl_form forms[] = { { WL_FORM("mcp", "guide") }, { .verb = NULL } };

const struct wl_command wl_command_agent_guide = {
	.name = "agent-guide",
	.topic = WL_TOPIC_SHARE,
	.forms = forms,
	.help = "Print a SKILL.md that teaches coding agents this program",
	.about =
		"Prints a page in Markdown with front matter, as agents read skills: the order of "
		"work, rules for reporting numbers, all verbs, tools and findings. It is made from "
		"the registry of verbs. For Claude Code, save it as "
		".claude/skills/warplens/SKILL.md.",
	.operands = "",
	.examples = examples,
	.run = run,
};
