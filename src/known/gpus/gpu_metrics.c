/* SPDX-License-Identifier: MIT */
#include "known/gpus/gpu_metrics.h"

#include <string.h>
#include <strings.h>

#include "base/attr.h"

static const struct {
	enum wl_gpu_metric what;
	const char *spelling;
} spellings[] = {
#define WL_GPU_METRIC(ID, brief, spelling) { WL_METRIC_##ID, spelling },
#define WL_GPU_METRIC_ALSO(ID, spelling)   { WL_METRIC_##ID, spelling },
#include "known/gpus/gpu_metrics.def"
#undef WL_GPU_METRIC
#undef WL_GPU_METRIC_ALSO
};

/* Words that end the name of a share of the peak, in names without a unit. */
static const char *const percents[] = { " Throughput",     " Bandwidth",         " Active",
					" Issue",          " In Flight",         " in Active SMs",
					" bytes received", " bytes transmitted", " User Data",
					" Protocol Data" };

static bool ends_with(const char *name, size_t n, const char *end)
{
	size_t k = strlen(end);

	return n >= k && strncasecmp(name + n - k, end, k) == 0;
}

static void set_unit(struct wl_metric_facts *f, const char *unit, size_t n)
{
	n = n < sizeof(f->unit) ? n : sizeof(f->unit) - 1;
	memcpy(f->unit, unit, n);
	f->unit[n] = '\0';
}

/* "SMs Active [Throughput %]": the part in brackets at the end; false where there is none. */
static bool take_written_unit(const char *name, struct wl_metric_facts *f)
{
	const char *open = strrchr(name, '[');
	size_t n = strlen(name), base = open ? (size_t)(open - name) : 0;

	while (base > 0 && name[base - 1] == ' ')
		base--;
	if (base == 0 || name[n - 1] != ']')
		return false;
	set_unit(f, open + 1, (size_t)(name + n - 1 - (open + 1)));
	f->is_percent = strcasecmp(f->unit, "Throughput %") == 0 || strcmp(f->unit, "%") == 0;
	f->length = base;
	return true;
}

static void guess_unit(const char *name, struct wl_metric_facts *f)
{
	for (size_t i = 0; i < WL_COUNT(percents); i++)
		f->is_percent |= ends_with(name, f->length, percents[i]);
	if (strcasestr(name, " Requests "))
		set_unit(f, "requests", sizeof("requests") - 1);
}

static enum wl_gpu_metric what_of(const char *name, size_t n)
{
	for (size_t i = 0; i < WL_COUNT(spellings); i++) {
		if (strlen(spellings[i].spelling) == n &&
		    strncasecmp(spellings[i].spelling, name, n) == 0)
			return spellings[i].what;
	}
	return WL_METRIC_OTHER;
}

struct wl_metric_facts wl_metric_facts_of(const char *name)
{
	struct wl_metric_facts f = { .per = 1 };

	if (!take_written_unit(name, &f)) {
		f.length = strlen(name);
		guess_unit(name, &f);
	}
	if (f.is_percent)
		set_unit(&f, "%", 1);
	/* Values are Hz also where the name says MHz. */
	if (ends_with(name, f.length, " Clock Frequency")) {
		set_unit(&f, "MHz", sizeof("MHz") - 1);
		f.per = 1e6;
	}
	f.what = what_of(name, f.length);
	return f;
}

/* "bytes/ms", "B/s": bytes per second that one of it is; 0 of other units. */
static double bytes_per_second(const char *unit)
{
	static const struct {
		const char *unit;
		double bytes;
	} rates[] = { { "bytes/s", 1 }, { "bytes/ms", 1e3 }, { "bytes/us", 1e6 },
		      { "B/s", 1 },     { "B/ms", 1e3 },     { "B/us", 1e6 } };

	for (size_t i = 0; i < WL_COUNT(rates); i++) {
		if (strcasecmp(unit, rates[i].unit) == 0)
			return rates[i].bytes;
	}
	return 0;
}

struct wl_metric_facts wl_nic_metric_facts_of(const char *name, const char *unit)
{
	struct wl_metric_facts f = { .length = strlen(name), .per = 1 };

	set_unit(&f, unit, strlen(unit));
	f.bytes = bytes_per_second(unit);
	f.what = what_of(name, f.length);
	return f;
}

const char *wl_gpu_metric_brief(enum wl_gpu_metric what)
{
	static const char *const briefs[WL_N_GPU_METRICS] = {
		[WL_METRIC_OTHER] = "",
#define WL_GPU_METRIC(ID, brief, spelling) [WL_METRIC_##ID] = (brief),
#define WL_GPU_METRIC_ALSO(ID, spelling)
#include "known/gpus/gpu_metrics.def"
#undef WL_GPU_METRIC
#undef WL_GPU_METRIC_ALSO
	};

	return briefs[what];
}
