/* Matching of begins and ends, and which slice encloses a moment; knows no file and no Python. */
#include "columns.h"

#include <stdlib.h>

/* An open begin holds, in place of its end, the one that was open before it: -1 for none, else -2 - place. */
static int64_t linked(int64_t place) { return place < 0 ? -1 : -2 - place; }

static int64_t unlinked(int64_t link) { return link == -1 ? -1 : -2 - link; }

static void leave_open(int64_t *end, int64_t open) {
    while (open >= 0) {
        int64_t earlier = unlinked(end[open]);
        end[open] = -1;
        open = earlier;
    }
}

static int sort_by_time(const int64_t *time, uint32_t *order, size_t count) {
    Ordering by = {.start = time};
    return sort_places(&by, order, count);
}

int64_t match_marks(Keys keys, const int64_t *time, const uint8_t *begins, size_t count, int64_t *end,
                    uint32_t *unmatched) {
    const uint32_t *order = unmatched; /* the ends that stay are written behind where the order is read */
    int64_t open = -1;
    uint64_t key = 0;
    size_t left = 0;
    if (sort_columns(keys, time, NULL, count, unmatched)) return NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        uint32_t mark = order[i];
        if (key_at(keys, mark) != key) {
            leave_open(end, open);
            open = -1;
            key = key_at(keys, mark);
        }
        end[mark] = begins[mark] ? linked(open) : -1;
        if (begins[mark]) {
            open = mark;
        } else if (open < 0) {
            unmatched[left++] = mark;
        } else {
            int64_t begin = open;
            open = unlinked(end[begin]);
            end[begin] = mark;
        }
    }
    leave_open(end, open);
    return sort_by_time(time, unmatched, left) ? NO_MEMORY : (int64_t)left;
}

size_t pair_points(const uint8_t *opens, const uint8_t *closes, const uint8_t *heads, size_t count, int32_t *sources,
                   int32_t *targets) {
    size_t pairs = 0;
    int32_t before = -1, first_open = -1;
    for (size_t i = 0; i < count; i++) {
        if (heads[i] || !i) {
            size_t at = i;
            before = -1;
            do {
                if (opens[at]) break;
            } while (++at < count && !heads[at]);
            first_open = at < count && opens[at] && (at == i || !heads[at]) ? (int32_t)at : -1;
        }
        int32_t source = before >= 0 ? before : first_open;
        if (!opens[i] && source >= 0) {
            sources[pairs] = source;
            targets[pairs++] = (int32_t)i;
        }
        if (!closes[i]) before = (int32_t)i;
    }
    return pairs;
}

/* What the point before this one found: `last` is the latest slice begun then, `found` the one that enclosed it. */
typedef struct {
    int64_t lane, last, found;
} Before;

static int begun(const Nested *slices, size_t i, int64_t lane, int64_t time) {
    int64_t own = lane_at(slices->lane, i);
    return own != lane ? own < lane : slices->start[i] <= time;
}

/* How many slices stand at or before a point; no fewer than `at`. Strides that double keep near points cheap. */
static size_t count_begun(const Nested *slices, size_t at, int64_t lane, int64_t time) {
    size_t low = at, high = at, stride = 1;
    while (high < slices->count && begun(slices, high, lane, time)) {
        low = high + 1;
        high = stride < slices->count - high ? high + stride : slices->count;
        stride *= 2;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (begun(slices, middle, lane, time)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int holds(const Nested *slices, int64_t i, int64_t time) {
    return slices->start[i] == time || add_ns(slices->start[i], slices->dur[i]) > time;
}

/* From `slice` outwards to the first that holds `time`. A slice that was over at the point before stays over, so those
   between what was last then and what was found then are passed in one step: each is passed once in all. */
static int climb(const Nested *slices, int64_t slice, int64_t time, const Before *before, int64_t *found) {
    while (slice >= 0) {
        if (slice <= before->last && slice > before->found) {
            slice = before->found;
        } else if (holds(slices, slice, time)) {
            break;
        } else {
            if (slices->parent[slice] >= slice || slices->parent[slice] < -1) return NOT_SOUND;
            slice = slices->parent[slice];
        }
    }
    *found = slice;
    return 0;
}

static int enclose_all(const Nested *slices, Keys lane, const int64_t *time, size_t count, const uint32_t *order,
                       int64_t *found) {
    Before before = {INT64_MIN, -1, -1};
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t point = order[i];
        int64_t own = lane_at(lane, point);
        at = count_begun(slices, at, own, time[point]);
        int64_t slice = at && lane_at(slices->lane, at - 1) == own ? (int64_t)at - 1 : -1;
        if (own != before.lane) before = (Before){own, -1, -1};
        if (climb(slices, slice, time[point], &before, &found[point])) return NOT_SOUND;
        before.last = slice;
        before.found = found[point];
    }
    return 0;
}

int find_enclosing(const Nested *slices, Keys lane, const int64_t *time, size_t count, int64_t *found) {
    uint32_t *order = malloc((count + 1) * sizeof *order);
    int failed = order ? sort_columns(lane, time, NULL, count, order) : NO_MEMORY;
    if (!failed) failed = enclose_all(slices, lane, time, count, order, found);
    free(order);
    return failed;
}
