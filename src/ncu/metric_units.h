/* SPDX-License-Identifier: MIT */
/* metric_units.h - units of metrics as ncu writes them: "usecond", "Gbyte/second", "Ghz". */
#ifndef WL_NCU_METRIC_UNITS_H
#define WL_NCU_METRIC_UNITS_H

#include <stddef.h>

/*
 * The factor from this unit to base units: ns for times, per second for rates, bytes for sizes. 1
 * for an unknown or missing unit.
 */
double wl_metric_unit_scale(const char *unit, size_t n);

#endif
