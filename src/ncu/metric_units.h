/* SPDX-License-Identifier: MIT */
/* metric_units.h - units of metrics as ncu writes them: "usecond", "Gbyte/second", "Ghz". */
#ifndef WL_NCU_METRIC_UNITS_H
#define WL_NCU_METRIC_UNITS_H

#include <stddef.h>

/*
 * What a value in this unit is multiplied with to be in base units: a time is in ns, a rate per
 * second, a size in bytes. A unit that is not known, or none, is 1.
 */
double wl_metric_unit_scale(const char *unit, size_t n);

#endif
