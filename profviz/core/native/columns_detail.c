/* Builds the level of detail of rows and sweeps over it. */
#include "columns_detail.h"

#include <string.h>

int gather_narrow(const Source *source, const uint32_t *at, size_t count, int64_t *base, uint32_t *start, uint32_t *dur,
                  uint8_t *kind) {
    for (size_t i = 0; i < count; i++) {
        uint32_t slice = at[i];
        if (slice >= source->count) return NOT_SOUND;
        if (i % BLOCK == 0) base[i / BLOCK] = source->start[slice];
        uint64_t offset = (uint64_t)source->start[slice] - (uint64_t)base[i / BLOCK];
        uint64_t length = (uint64_t)source->dur[slice];
        if ((offset | length) > UINT32_MAX) return 0;
        start[i] = (uint32_t)offset;
        dur[i] = (uint32_t)length;
        kind[i] = source->kind[slice];
    }
    return 1;
}

void sum_blocks(const Detail *detail, int64_t *sums) {
    int64_t busy[MOST_KINDS] = {0};
    for (size_t i = 0; i < detail->count; i++) {
        if (i % BLOCK == 0) memcpy(sums + i / BLOCK * detail->kinds, busy, detail->kinds * sizeof *busy);
        int64_t *own = &busy[detail->place[detail->kind[i]]];
        *own = add_ns(*own, length_of(detail, i, detail->narrow));
    }
    memcpy(sums + detail->blocks * detail->kinds, busy, detail->kinds * sizeof *busy);
}

int64_t count_before_time(const Source *source, const uint32_t *at, size_t count, int64_t time) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2, slice = at ? at[middle] : middle;
        if (slice >= source->count) return NOT_SOUND;
        if (source->start[slice] < time) low = middle + 1;
        else high = middle;
    }
    return (int64_t)low;
}

void group_rows(const int32_t *depth, const uint32_t *slices, uint32_t first, size_t count, uint32_t *order,
                uint32_t *bounds, size_t rows) {
    for (size_t i = 0; i < count; i++) bounds[(size_t)depth[i] + 1]++;
    for (size_t row = 1; row <= rows; row++) bounds[row] += bounds[row - 1];
    for (size_t i = 0; i < count; i++) order[bounds[depth[i]]++] = slices ? slices[i] : first + (uint32_t)i;
    memmove(bounds + 1, bounds, rows * sizeof *bounds);
    bounds[0] = 0;
}

/* The last block that begins before `time`, looked for from one that does: first about as far on as the last time. */
static size_t last_block(const Detail *detail, size_t block, size_t *step, int64_t time) {
    const int64_t *base = detail->base;
    size_t stride = *step / 8 + 1;
    size_t guess = *step < detail->blocks - block ? block + *step : detail->blocks - 1;
    size_t low = block, high = guess;
    if (guess > block && base[guess] >= time) {
        for (; high - low > stride && base[high - stride] >= time; stride *= 2) high -= stride;
        if (high - low > stride) low = high - stride;
    } else {
        low = guess;
        for (high = low + 1; high < detail->blocks && base[high] < time; stride *= 2) {
            low = high;
            high = stride < detail->blocks - high ? high + stride : detail->blocks;
        }
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (base[middle] < time) low = middle;
        else high = middle;
    }
    *step = low - block;
    return low;
}

/* How many slices of a block begin before `time`; the first does. Without branches, which nobody could foretell. */
INLINE size_t count_in_block(const Detail *detail, size_t first, size_t last, int64_t time, int narrow) {
    size_t low = first, count = last - first;
    while (count > 1) {
        size_t half = count / 2;
        low += start_of(detail, low + half, narrow) < time ? half : 0;
        count -= half;
    }
    return low + 1;
}

INLINE void add_slices(const Detail *detail, int64_t *busy, size_t first, size_t last, int narrow) {
    for (size_t i = first; i < last; i++) {
        int64_t *own = &busy[detail->place[detail->kind[i]]];
        *own = add_ns(*own, length_of(detail, i, narrow));
    }
}

INLINE void take_slices(const Detail *detail, int64_t *busy, size_t first, size_t last, int narrow) {
    for (size_t i = first; i < last; i++) {
        int64_t *own = &busy[detail->place[detail->kind[i]]];
        *own = less_ns(*own, length_of(detail, i, narrow));
    }
}

INLINE size_t block_end(const Detail *detail, size_t block) {
    size_t end = (block + 1) * BLOCK;
    return end < detail->count ? end : detail->count;
}

INLINE void sum_to(const Detail *detail, size_t at, int64_t *busy, int narrow) {
    size_t block = at / BLOCK, first = block * BLOCK, last = block < detail->blocks ? block_end(detail, block) : at;
    int back = last - at < at - first;
    memcpy(busy, detail->sums + (block + (size_t)back) * detail->kinds, detail->kinds * sizeof *busy);
    if (back) take_slices(detail, busy, at, last, narrow);
    else add_slices(detail, busy, first, at, narrow);
}

void sum_before(const Detail *detail, size_t at, int64_t *busy) {
    if (detail->narrow) sum_to(detail, at, busy, 1);
    else sum_to(detail, at, busy, 0);
}

size_t blocks_begun(const Detail *detail, size_t known, size_t *step, int64_t time) {
    if (known < detail->blocks && detail->base[known] >= time) return known;
    if (known == detail->blocks) return known;
    return last_block(detail, known, step, time) + 1;
}

size_t begun_within(const Detail *detail, size_t blocks, int64_t time) {
    if (!blocks) return 0;
    size_t first = (blocks - 1) * BLOCK, last = block_end(detail, blocks - 1);
    return detail->narrow ? count_in_block(detail, first, last, time, 1) : count_in_block(detail, first, last, time, 0);
}

void fetch_block(const Detail *detail, size_t block) {
    size_t first = block * BLOCK, width = detail->narrow ? 4 : 8;
    const char *start = (const char *)detail->start + first * width, *dur = (const char *)detail->dur + first * width;
    for (size_t at = 0; at < BLOCK * width; at += 64) {
        PREFETCH(start + at);
        PREFETCH(dur + at);
    }
    PREFETCH(detail->kind + first);
    PREFETCH(detail->sums + block * detail->kinds);
    PREFETCH(detail->sums + (block + 1) * detail->kinds + detail->kinds - 1);
}
