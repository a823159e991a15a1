/* scan.h - the CPU's scans. In: plans of the family "scans" (plugin/backend.h). Out: the outputs. */
#ifndef KT_CPU_SCAN_H
#define KT_CPU_SCAN_H

#include <karat/plugin/backend.h>

kt_status kt__cpu_scan(const kt_plan *plan);

#endif
