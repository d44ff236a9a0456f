/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See metrics.h.  */
#include "metrics.h"

enum flag { STRICT, ZERO, INSIDE };
enum { OF_METRICS = EMLAT_FIELDS_MAX };

static const struct {
    const char *name;
    unsigned minuend, subtrahend; /* a field, or OF_METRICS + a metric */
    enum flag flag;
} rows[EMLAT_METRICS] = {
#define F(field)                             EMLAT_INTERACTION_##field
#define M(metric)                            OF_METRICS + (unsigned)EMLAT_METRIC_##metric
#define ROW(name, minuend, subtrahend, flag) {#name, minuend, subtrahend, flag},
    EMLAT_METRIC_TABLE(ROW)
#undef ROW
#undef M
#undef F
};

const char *emlat_metric_name(enum emlat_metric metric)
{
    return rows[metric].name;
}

static bool operand(const struct emlat_record *record, const struct emlat_metrics *metrics,
                    unsigned number, uint64_t *value)
{
    if (number >= OF_METRICS) {
        *value = metrics->value[number - OF_METRICS];
        return metrics->present >> (number - OF_METRICS) & 1;
    }
    *value = record->value[number];
    return emlat_record_has(record, number);
}

void emlat_metrics_of(const struct emlat_record *interaction, struct emlat_metrics *metrics)
{
    metrics->present = metrics->negative = metrics->inside = 0;
    for (unsigned i = 0; i < EMLAT_METRICS; i++) {
        uint64_t minuend, subtrahend;
        metrics->value[i] = 0;
        if (!operand(interaction, metrics, rows[i].minuend, &minuend) ||
            !operand(interaction, metrics, rows[i].subtrahend, &subtrahend))
            continue;
        if (minuend >= subtrahend) {
            metrics->value[i] = minuend - subtrahend;
        } else if (rows[i].flag == STRICT) {
            metrics->value[i] = subtrahend - minuend;
            metrics->negative |= (uint32_t)1 << i;
        } else if (rows[i].flag == INSIDE) {
            metrics->inside |= (uint32_t)1 << i;
        }
        if (minuend >= subtrahend || rows[i].flag == ZERO)
            metrics->present |= (uint32_t)1 << i;
    }
}
