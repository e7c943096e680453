/* SPDX-License-Identifier: MIT */
#include "cli/line/files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facts/file.h"

/* How many operands of the verb itself come with its traces. */
static size_t count_own(const struct wl_invocation *inv)
{
	const struct wl_analysis *a = inv->verb.analysis;
	size_t n = 0;

	for (size_t i = 0; a && i < a->n_params; i++)
		n += a->params[i].operand && !inv->param[i];
	return n;
}

/*
 * A word that is no file can be an argument of the verb, such as the pattern of search, before or
 * after the files. Once those have been seen, it is a name with a slip: an answer about the other
 * files would pass for one about the whole job.
 */
int wl_files_take(struct wl_invocation *inv, struct wl_err *reterr)
{
	size_t n = 0, own = count_own(inv);

	for (size_t i = 0; i < inv->n_operands; i++) {
		const char *operand = inv->operand[i];
		bool is_file = access(operand, F_OK) == 0;

		if (!is_file && n - (inv->n_job > 0) == own)
			return wl_fail(reterr, WL_E_IO, "--job: no file \"%.200s\"", operand);
		if (is_file && inv->n_job == WL_MAX_JOB)
			return wl_fail(reterr, WL_E_USAGE, "--job: more than %d files", WL_MAX_JOB);
		if (is_file && inv->n_job == 0)
			inv->job_at = n;
		if (!is_file || inv->n_job == 0)
			inv->operand[n++] = operand;
		if (is_file)
			inv->job[inv->n_job++] = operand;
	}
	inv->n_operands = n;
	return WL_OK;
}

/* Not a directory, which is a job already. */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* The first files that stand together; how many there are. Facts and traces are no job. */
static size_t find_files(const struct wl_invocation *inv, size_t *ret_first)
{
	size_t n = inv->n_before ? inv->n_before : inv->n_operands, end;
	size_t first = inv->verb.command ? inv->verb.command->n_own : 0;

	while (first < n && !is_file(inv->operand[first]))
		first++;
	for (end = first; end < n && is_file(inv->operand[end]); end++)
		;
	for (size_t i = first + 1; i < end; i++) {
		if (wl_facts_is_file(inv->operand[i]) != wl_facts_is_file(inv->operand[first]))
			return 0;
	}
	*ret_first = first;
	return end > first ? end - first : 0;
}

/*
 * Quadratic: WL_MAX_JOB names are 8 million comparisons, which are nothing beside opening as many
 * databases.
 */
static bool has_twins(const char *const *path, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (strcmp(path[i], path[k]) == 0)
				return true;
		}
	}
	return false;
}

void wl_files_guess(struct wl_invocation *inv, bool is_assumed)
{
	enum wl_several several = is_assumed ? WL_SEVERAL_JOB : wl_verb_several(&inv->verb);
	size_t first, n;

	/*
	 * --keep-export names one file and cannot hold the exports of several reports: as operands
	 * of their own they are refused where traces are counted.
	 */
	if (several == WL_SEVERAL_OWN || inv->given[WL_OPT_JOB] || inv->given[WL_OPT_SEPARATE] ||
	    inv->given[WL_OPT_KEEP_EXPORT])
		return;
	n = find_files(inv, &first);
	/* Who gives a file twice compares it with itself. */
	if (n < 2 || n > WL_MAX_JOB || has_twins(inv->operand + first, n))
		return;
	/* A name that is not there, or a directory beside files: that is said, or answered, as it
	 * is. */
	if (!inv->verb.command && inv->n_operands - n != count_own(inv))
		return;
	memcpy(inv->job, inv->operand + first, n * sizeof(*inv->job));
	memmove(inv->operand + first + 1, inv->operand + first + n,
		(inv->n_operands - first - n) * sizeof(*inv->operand));
	inv->n_operands -= n - 1;
	inv->n_job = n;
	inv->job_at = first;
	inv->is_guessed = true;
	inv->may_separate = several == WL_SEVERAL_BESIDE || (several == WL_SEVERAL_PAIR && n == 2);
}

void wl_files_separate(const struct wl_invocation *inv, struct wl_invocation *ret)
{
	size_t n = inv->n_job, behind = inv->n_operands - inv->job_at - 1;

	*ret = *inv;
	memcpy(ret->operand + inv->job_at, inv->job, n * sizeof(*inv->job));
	memcpy(ret->operand + inv->job_at + n, inv->operand + inv->job_at + 1,
	       behind * sizeof(*inv->operand));
	ret->n_operands = inv->n_operands + n - 1;
	ret->n_job = 0;
	ret->n_separated = n;
	ret->is_guessed = false;
	ret->may_separate = false;
}
