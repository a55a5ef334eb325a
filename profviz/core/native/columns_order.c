/* Stable order of slices: lanes by counting, then a natural merge sort of each lane, since traces are nearly sorted. */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_RUN 24
#define MOST_RUNS 96
#define AHEAD 12

typedef struct {
    size_t at, count;
} Run;

typedef struct {
    const Ordering *by;
    uint32_t *order;
    uint32_t *scratch;
    size_t room;
    Run runs[MOST_RUNS];
    int depth;
} Sorter;

/* Whether place a stands before place b. */
static inline int before(const Ordering *by, uint32_t a, uint32_t b) {
    if (by->keyed) {
        uint64_t left = key_at(by->keys, a), right = key_at(by->keys, b);
        if (left != right) return left < right;
    }
    if (by->start[a] != by->start[b]) return by->start[a] < by->start[b];
    if (by->dur && by->dur[a] != by->dur[b]) return by->dur[a] > by->dur[b];
    return a < b;
}

static void reverse(uint32_t *order, size_t count) {
    for (size_t i = 0, j = count; i + 1 < j; i++) {
        uint32_t kept = order[i];
        order[i] = order[--j];
        order[j] = kept;
    }
}

/* How many places from the front are in order, after turning round those that descend. */
static size_t take_run(const Ordering *by, uint32_t *order, size_t count) {
    size_t i = 1;
    if (count < 2) return count;
    if (before(by, order[1], order[0])) {
        while (i < count && before(by, order[i], order[i - 1])) i++;
        reverse(order, i);
    } else {
        while (i < count && !before(by, order[i], order[i - 1])) i++;
    }
    return i;
}

/* How many of the sorted places stand before `place`. */
static size_t count_before(const Ordering *by, const uint32_t *order, size_t count, uint32_t place) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (before(by, order[middle], place)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void insert_up_to(const Ordering *by, uint32_t *order, size_t sorted, size_t count) {
    for (size_t i = sorted; i < count; i++) {
        uint32_t place = order[i];
        size_t at = count_before(by, order, i, place);
        memmove(order + at + 1, order + at, (i - at) * sizeof *order);
        order[at] = place;
    }
}

static int need_scratch(Sorter *sorter, size_t count) {
    if (count <= sorter->room) return 0;
    size_t room = count < 2 * sorter->room ? 2 * sorter->room : count;
    uint32_t *made = realloc(sorter->scratch, room * sizeof *made);
    if (!made) return NO_MEMORY;
    sorter->scratch = made;
    sorter->room = room;
    return 0;
}

static void merge_forward(const Ordering *by, const uint32_t *left, const uint32_t *left_end, uint32_t *right,
                          const uint32_t *right_end, uint32_t *out) {
    while (left < left_end && right < right_end) {
        if (right + AHEAD < right_end) PREFETCH(by->start + right[AHEAD]);
        if (left + AHEAD < left_end) PREFETCH(by->start + left[AHEAD]);
        *out++ = before(by, *right, *left) ? *right++ : *left++;
    }
    memcpy(out, left, (size_t)(left_end - left) * sizeof *out); /* what is left of the right part stands already */
}

static void merge_backward(const Ordering *by, const uint32_t *left, const uint32_t *left_end, const uint32_t *right,
                           const uint32_t *right_end, uint32_t *out) {
    while (left < left_end && right < right_end) {
        if (right_end - right > AHEAD) PREFETCH(by->start + right_end[-1 - AHEAD]);
        if (left_end - left > AHEAD) PREFETCH(by->start + left_end[-1 - AHEAD]);
        *--out = before(by, right_end[-1], left_end[-1]) ? *--left_end : *--right_end;
    }
    size_t rest = (size_t)(right_end - right);
    memcpy(out - rest, right, rest * sizeof *out);
}

/* Merges two neighbouring runs; only what really interleaves is moved. */
static int merge(Sorter *sorter, Run first, Run second) {
    const Ordering *by = sorter->by;
    uint32_t *left = sorter->order + first.at, *right = sorter->order + second.at;
    size_t skipped = count_before(by, left, first.count, right[0]);
    size_t lefts = first.count - skipped;
    if (!lefts) return 0;
    size_t rights = count_before(by, right, second.count, left[first.count - 1]);
    left += skipped;
    if (need_scratch(sorter, lefts < rights ? lefts : rights)) return NO_MEMORY;
    if (lefts <= rights) {
        memcpy(sorter->scratch, left, lefts * sizeof *left);
        merge_forward(by, sorter->scratch, sorter->scratch + lefts, right, right + rights, left);
    } else {
        memcpy(sorter->scratch, right, rights * sizeof *right);
        merge_backward(by, left, right, sorter->scratch, sorter->scratch + rights, right + rights);
    }
    return 0;
}

static int merge_last_two(Sorter *sorter) {
    Run *first = &sorter->runs[sorter->depth - 2];
    int failed = merge(sorter, first[0], first[1]);
    first->count += first[1].count;
    sorter->depth--;
    return failed;
}

/* Each run but the last is kept at least twice as long as the next, so that all merging costs n log n and the stack
   stays within the bits of a size. */
static int push_run(Sorter *sorter, Run run) {
    sorter->runs[sorter->depth++] = run;
    while (sorter->depth > 1 && sorter->runs[sorter->depth - 2].count < 2 * sorter->runs[sorter->depth - 1].count)
        if (merge_last_two(sorter)) return NO_MEMORY;
    return 0;
}

static int sort_part(Sorter *sorter, size_t first, size_t last) {
    sorter->depth = 0;
    for (size_t at = first; at < last;) {
        size_t least = last - at < LEAST_RUN ? last - at : LEAST_RUN;
        size_t count = take_run(sorter->by, sorter->order + at, last - at);
        if (count < least) {
            insert_up_to(sorter->by, sorter->order + at, count, least);
            count = least;
        }
        if (push_run(sorter, (Run){at, count})) return NO_MEMORY;
        at += count;
    }
    while (sorter->depth > 1)
        if (merge_last_two(sorter)) return NO_MEMORY;
    return 0;
}

int sort_places(const Ordering *by, uint32_t *order, size_t count) {
    Sorter sorter = {.by = by, .order = order};
    int failed = sort_part(&sorter, 0, count);
    free(sorter.scratch);
    return failed;
}

static void range_of(Keys keys, size_t count, uint64_t *least, uint64_t *most) {
    *least = UINT64_MAX;
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = key_at(keys, i);
        if (key < *least) *least = key;
        if (key > *most) *most = key;
    }
}

/* Fills `order` with the places grouped by key, and `bounds` (of keys + 1) with where each group ends. */
static void group(Keys keys, uint64_t least, size_t count, uint32_t *order, uint32_t *bounds, size_t groups) {
    for (size_t i = 0; i < count; i++) bounds[key_at(keys, i) - least + 1]++;
    for (size_t k = 1; k <= groups; k++) bounds[k] += bounds[k - 1];
    for (size_t i = 0; i < count; i++) order[bounds[key_at(keys, i) - least]++] = (uint32_t)i;
}

static int sort_groups(Keys keys, uint64_t least, size_t groups, const Ordering *by, size_t count, uint32_t *order) {
    uint32_t *bounds = calloc(groups + 1, sizeof *bounds);
    Sorter sorter = {.by = by, .order = order};
    int failed = bounds ? 0 : NO_MEMORY;
    if (!failed) group(keys, least, count, order, bounds, groups);
    for (size_t k = 0, first = 0; k < groups && !failed; k++) {
        failed = sort_part(&sorter, first, bounds[k]);
        first = bounds[k];
    }
    free(sorter.scratch);
    free(bounds);
    return failed;
}

int sort_columns(Keys keys, const int64_t *start, const int64_t *dur, size_t count, uint32_t *order) {
    uint64_t least, most;
    if (!count) return 0;
    range_of(keys, count, &least, &most);
    Ordering by = {.keys = keys, .keyed = 0, .start = start, .dur = dur};
    if (most - least < 65536 + count / 4)
        return sort_groups(keys, least, (size_t)(most - least) + 1, &by, count, order);
    by.keyed = 1;
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    return sort_places(&by, order, count);
}
