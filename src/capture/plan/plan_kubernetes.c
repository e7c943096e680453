/* SPDX-License-Identifier: MIT */
/*
 * plan_kubernetes.c - the plan for a cluster with Nsight Operator.
 *
 * The operator's webhook injects nsys into pods with a label as they are created. What nsys
 * records is an option of the chart (docs.nvidia.com/nsight-operator, installation guide, 26.2).
 */
#include <stdio.h>
#include <string.h>

#include "capture/plan/plan_parts.h"

#define CHART "https://helm.ngc.nvidia.com/nvidia/devtools/charts/nsight-operator-26.2.1.tgz"

/* The word of the command line that names the program: the script of an interpreter. */
static const char *program_name(const struct wl_planning *p)
{
	const char *const *argv = p->program;
	const char *name = wl_path_name(argv[0]);

	if (strncmp(name, "python", 6) != 0)
		return name;
	for (size_t i = 1; argv[i]; i++) {
		if (argv[i][0] != '-')
			return wl_path_name(argv[i]);
	}
	return name;
}

/* In a YAML string between double quotes; the regular expression's own backslash is two. */
static const char *quoted(struct wl_planning *p, const char *text, bool is_pattern)
{
	char *out = WL_NEW(p->arena, char, 4 * strlen(text) + 1), *to = out;

	if (!out) {
		p->is_failed = true;
		return "";
	}
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*to++ = '\\';
		else if (is_pattern && strchr("^$.|?*+()[]{}", *text))
			to = stpcpy(to, "\\\\");
		if ((unsigned char)*text < ' ') /* a line of its own would be a key */
			to += snprintf(to, sizeof("\\x00"), "\\x%02x", (unsigned)*text);
		else
			*to++ = *text;
	}
	return out;
}

/* nsys without its name, its session and its output, which are the operator's. */
static const char *arguments(struct wl_planning *p, const struct wl_argv_words *tool)
{
	const char *all = "";

	for (size_t i = 2; i < tool->n; i++) {
		if (strncmp(tool->word[i], "--output", 8) != 0 &&
		    strncmp(tool->word[i], "--session", 9) != 0 &&
		    strncmp(tool->word[i], "--force", 7) != 0)
			all = wl_planf(p, "%s%s%s", all, *all ? " " : "", tool->word[i]);
	}
	return all;
}

int wl_plan_kubernetes(struct wl_planning *p)
{
	static const char *const helm[] = { "helm",
					    "upgrade",
					    "--install",
					    "nsight-operator",
					    CHART,
					    "--namespace",
					    "nsight-operator",
					    "--create-namespace",
					    "-f",
					    "nsight-values.yaml",
					    NULL };
	struct wl_argv_words tool = { .arena = p->arena };
	int r = wl_plan_nsys(p, WL_NSYS_PROFILE, &tool);

	if (r < 0)
		return r;
	p->plan->output = NULL;
	if (tool.is_failed)
		p->is_failed = true;
	else
		wl_plan_add(p, &(struct wl_plan_step){
				       .title = "Tell Nsight Operator what to record",
				       .file = "nsight-values.yaml",
				       .text = wl_planf(p,
							"nsight-injector:\n"
							"  nsightToolConfig:\n"
							"    nsightToolArgs: \"%s\"\n"
							"    injectionIncludePatterns:\n"
							"      - \".*%s.*\"\n",
							quoted(p, arguments(p, &tool), false),
							quoted(p, program_name(p), true)),
				       .argv = helm });
	wl_plan_add(p, &(struct wl_plan_step){
			       .title = "Label the pods to record, in the template of the workload",
			       .file = "pod-labels.yaml",
			       .text = "metadata:\n"
				       "  labels:\n"
				       "    nvidia-nsight-profile: enabled\n" });
	wl_plan_note(p,
		     "restart the workload: only pods created after the label is set are recorded");
	wl_plan_note(p, "the operator stores one report per process; download them and open their "
			"directory as one job");
	return WL_OK;
}
