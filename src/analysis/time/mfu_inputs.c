/* SPDX-License-Identifier: MIT */
#include "analysis/time/mfu_inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"

/* More than a job computes in its lifetime: sums of such values stay finite. */
static const double most_flops = 1e30;

/* "1.5e15", "1.5P": K, M, G, T, P and E are powers of 1000. */
static bool parse_flops(const char *text, double *ret)
{
	static const char units[] = "KMGTPE";
	const char *unit;
	char *end;

	/* strtod() would also accept "inf", "nan" and hexadecimal numbers. */
	if (text[strspn(text, "0123456789.eE+-KMGTP")] != '\0')
		return false;
	*ret = strtod(text, &end);
	if (end == text)
		return false;
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		*ret *= pow(1000, (double)(unit - units + 1));
		end++;
	}
	return *end == '\0' && *ret > 0 && *ret <= most_flops;
}

/* A line of --flops: N, or NAME=N for ranges of that name. */
static int read_line(char *line, struct wl_mfu_region *ret, struct wl_err *reterr)
{
	/* The last "=": names of ranges may contain "=", numbers do not. */
	char *number = strrchr(line, '=');

	*ret = (struct wl_mfu_region){ .range = number ? line : NULL };
	if (number)
		*number++ = '\0';
	if ((number && *line == '\0') || !parse_flops(number ? number : line, &ret->flops))
		return wl_fail(
			reterr, WL_E_USAGE,
			"--flops %.100s: write 1.5e15, 1.5P or NAME=1.5P, where NAME is part "
			"of a range's name",
			number ? number : line);
	return WL_OK;
}

static int read_flops(const char *text, struct wl_mfu_inputs *in, struct wl_err *reterr)
{
	int r = WL_OK;

	if (strlen(text) >= sizeof(in->text))
		return wl_fail(reterr, WL_E_USAGE, "--flops: more than %d characters in all",
			       WL_MFU_TEXT);
	/* Names of regions point into this copy. */
	memcpy(in->text, text, strlen(text) + 1);
	for (char *line = in->text, *end; r == WL_OK && line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		if (in->n == WL_MFU_MOST_REGIONS)
			return wl_fail(reterr, WL_E_USAGE, "--flops: given more than %d times",
				       WL_MFU_MOST_REGIONS);
		r = read_line(line, &in->region[in->n++], reterr);
	}
	in->has_flops = true;
	return r;
}

static int read_model(const union wl_arg *arg, struct wl_mfu_inputs *in, struct wl_err *reterr)
{
	struct wl_err why;
	int r = arg[WL_MFU_MODEL].doc ? wl_llm_read(arg[WL_MFU_MODEL].doc, &in->llm, &why)
				      : wl_llm_parse(arg[WL_MFU_SHAPE].str, &in->llm, &why);

	if (r < 0)
		return wl_fail(reterr, why.code, "%s: %s",
			       arg[WL_MFU_MODEL].doc ? "--model" : "--shape", why.msg);
	if (arg[WL_MFU_TOKENS].i64 <= 0 || arg[WL_MFU_SEQ].i64 <= 0)
		return wl_fail(
			reterr, WL_E_USAGE,
			"mfu: a model needs --tokens, the tokens of a step over all GPUs, and "
			"--seq, the length of a sequence");
	in->has_model = true;
	in->has_flops = true;
	in->tokens = arg[WL_MFU_TOKENS].i64;
	in->work = (struct wl_llm_work){ .sequence = arg[WL_MFU_SEQ].i64,
					 .causal = arg[WL_MFU_ATTENTION].i64 == 0,
					 .backward = arg[WL_MFU_PASS].i64 == 0,
					 .recompute =
						 (enum wl_llm_recompute)arg[WL_MFU_RECOMPUTE].i64 };
	wl_llm_cost(&in->llm, &in->work, &in->cost);
	in->region[in->n++] =
		(struct wl_mfu_region){ .flops = in->cost.flops * (double)in->tokens,
					.hardware = in->cost.hardware * (double)in->tokens };
	if (in->region[0].hardware > most_flops)
		return wl_fail(reterr, WL_E_USAGE, "mfu: more than 10^30 FLOPs: check --tokens");
	return WL_OK;
}

static int read_peak(const char *text, struct wl_mfu_inputs *in, struct wl_err *reterr)
{
	struct wl_err why;

	if (!text)
		return WL_OK;
	if (wl_parse_real(text, &in->peak, &why) < 0 || !(in->peak > 0) || in->peak > 1e9)
		return wl_fail(reterr, WL_E_USAGE,
			       "--peak %.100s: write the dense TFLOP/s of a GPU, such as 989.4",
			       text);
	return WL_OK;
}

/* Regions are all steps or all ranges; --range names a region without a name. */
static int name_regions(const char *range, struct wl_mfu_inputs *in, struct wl_err *reterr)
{
	size_t n_named = 0;

	if (in->n == 0)
		in->n = 1;
	for (size_t i = 0; i < in->n; i++)
		n_named += in->region[i].range != NULL;
	if ((n_named || range) && n_named + (range != NULL) != in->n)
		return wl_fail(reterr, WL_E_USAGE,
			       "mfu: the FLOPs of %s: name each range once, with --flops NAME=N or "
			       "--range NAME",
			       n_named < in->n ? "some ranges have no name"
					       : "--range are missing");
	if (n_named == 0 && in->n > 1)
		return wl_fail(reterr, WL_E_USAGE, "--flops: given twice for each step");
	for (size_t i = 0; range && i < in->n; i++) {
		if (!in->region[i].range)
			in->region[i].range = range;
	}
	in->by = n_named || range ? WL_MFU_BY_RANGE : WL_MFU_BY_STEP;
	return WL_OK;
}

/* Given FLOPs apply to steps or ranges; a stage has neither a count nor a length. */
static int check_stages(const union wl_arg *arg, const struct wl_mfu_inputs *in,
			struct wl_err *reterr)
{
	if (in->has_flops)
		return wl_fail(
			reterr, WL_E_USAGE,
			"--by stage: --%s gives the FLOPs of steps or ranges, not of stages; "
			"take those of a report with --ncu FILE",
			arg[WL_MFU_FLOPS].str   ? "flops"
			: arg[WL_MFU_MODEL].doc ? "model"
						: "shape");
	if (in->by == WL_MFU_BY_RANGE)
		return wl_fail(reterr, WL_E_USAGE, "--by stage: not with --range");
	return WL_OK;
}

static int check_phases(const union wl_arg *arg, const struct wl_mfu_inputs *in,
			struct wl_err *reterr)
{
	if (!arg[WL_MFU_PHASE_MAP].doc)
		return wl_fail(reterr, WL_E_USAGE,
			       "--by phase: needs --phase-map FILE, which says what the phases "
			       "are");
	if (arg[WL_MFU_RANGE].str)
		return wl_fail(reterr, WL_E_USAGE, "--range: not with --phase-map");
	if (in->has_flops && in->by == WL_MFU_BY_STEP)
		return wl_fail(reterr, WL_E_USAGE,
			       "--by phase: --%s gives the FLOPs of steps; give those of a phase's "
			       "ranges with --flops PHASE=N, or a report with --ncu FILE",
			       arg[WL_MFU_FLOPS].str   ? "flops"
			       : arg[WL_MFU_MODEL].doc ? "model"
						       : "shape");
	return WL_OK;
}

/* Chooses what the rows are: as --by says, else as the other options imply. */
static int choose_rows(const union wl_arg *arg, struct wl_mfu_inputs *in, struct wl_err *reterr)
{
	bool has_map = arg[WL_MFU_PHASE_MAP].doc != NULL, named = in->by == WL_MFU_BY_RANGE;
	int64_t by = arg[WL_MFU_BY].i64;
	int r = WL_OK;

	if (by < 0)
		by = has_map ? WL_MFU_BY_PHASE : (int64_t)in->by;
	if (has_map && by != WL_MFU_BY_PHASE)
		return wl_fail(reterr, WL_E_USAGE, "--phase-map: only with --by phase");
	if (by == WL_MFU_BY_RANGE && !named)
		return wl_fail(reterr, WL_E_USAGE,
			       "--by range: name the ranges with --range NAME or --flops NAME=N");
	if (by == WL_MFU_BY_STEP && named)
		return wl_fail(reterr, WL_E_USAGE, "--by step: not with names of ranges");
	if (by == WL_MFU_BY_STAGE)
		r = check_stages(arg, in, reterr);
	if (by == WL_MFU_BY_PHASE)
		r = check_phases(arg, in, reterr);
	in->by = (enum wl_mfu_by)by;
	return r;
}

int wl_mfu_inputs_read(const union wl_arg *arg, struct wl_mfu_inputs *ret, struct wl_err *reterr)
{
	int given = (arg[WL_MFU_FLOPS].str != NULL) + (arg[WL_MFU_MODEL].doc != NULL) +
		    (arg[WL_MFU_SHAPE].str != NULL) + (arg[WL_MFU_NCU].doc != NULL);
	int r = WL_OK;

	*ret = (struct wl_mfu_inputs){ .n = 0 };
	if (given > 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "mfu: give one of --flops, --model, --shape and --ncu, not several");
	/* It is -1 if the option is absent. */
	if (arg[WL_MFU_GPUS].i64 == 0)
		return wl_fail(reterr, WL_E_USAGE, "--gpus 0: a job has at least one GPU");
	if (arg[WL_MFU_FLOPS].str)
		r = read_flops(arg[WL_MFU_FLOPS].str, ret, reterr);
	else if (given && !arg[WL_MFU_NCU].doc)
		r = read_model(arg, ret, reterr);
	if (r == WL_OK)
		r = read_peak(arg[WL_MFU_PEAK].str, ret, reterr);
	if (r == WL_OK)
		r = name_regions(arg[WL_MFU_RANGE].str, ret, reterr);
	return r < 0 ? r : choose_rows(arg, ret, reterr);
}

/* "fp16, int8": the types for which a GPU has a peak. */
static const char *list_types(const struct wl_gpu_peaks *p, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < WL_N_DTYPES && used < size; i++) {
		if (p->peak[i] > 0)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
						 wl_dtype_names[i]);
	}
	return buf;
}

static int peak_of(const struct wl_run *run, uint32_t device, struct wl_mfu_peak *ret,
		   struct wl_err *reterr)
{
	uint32_t name = run->trace->devices[device].name;
	int64_t type = run->arg[WL_MFU_DTYPE].i64;
	const struct wl_gpu_peaks *p;
	char types[96];

	*ret = (struct wl_mfu_peak){ .gpu = name == WL_NONE ? NULL : wl_str(run->trace, name) };
	if (!ret->gpu)
		return wl_fail(reterr, WL_E_USAGE,
			       "mfu: the trace does not name the model of GPU %u: give its dense "
			       "TFLOP/s with --peak",
			       device);
	p = wl_gpu_peaks_find(ret->gpu);
	if (!p)
		return wl_fail(reterr, WL_E_USAGE,
			       "mfu: the peak of \"%.100s\" (GPU %u) is unknown: give its dense "
			       "TFLOP/s with --peak",
			       ret->gpu, device);
	if (p->peak[type] <= 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "mfu: \"%.100s\" (GPU %u) has no known peak for %s: choose --dtype "
			       "from %s, or give the dense TFLOP/s with --peak",
			       ret->gpu, device, wl_dtype_names[type],
			       list_types(p, types, sizeof(types)));
	ret->tflops = p->peak[type];
	ret->source = p->source;
	ret->is_open = p->checked == WL_PEAKS_OPEN;
	return WL_OK;
}

int wl_mfu_peak_find(const struct wl_run *run, const struct wl_mfu_inputs *in,
		     struct wl_mfu_peak *ret, struct wl_err *reterr)
{
	struct wl_mfu_peak other;
	int r = WL_OK;

	*ret = (struct wl_mfu_peak){ .tflops = in->peak };
	for (uint32_t i = 0; in->peak <= 0 && r == WL_OK && i < run->trace->n_devices; i++) {
		if (!run->scope->device_on[i])
			continue;
		r = peak_of(run, i, &other, reterr);
		/* All rows use one peak: a share of two different peaks would fit neither. */
		if (r == WL_OK && ret->gpu && ret->tflops != other.tflops)
			return wl_fail(reterr, WL_E_USAGE,
				       "mfu: the GPUs have different peaks, \"%.100s\" and "
				       "\"%.100s\": select GPUs of one model with --gpu",
				       ret->gpu, other.gpu);
		*ret = other;
	}
	return r;
}
