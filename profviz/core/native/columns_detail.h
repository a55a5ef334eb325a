/* Level of detail of one row of slices that do not overlap: what is busy between any two moments, exactly. */
#ifndef PROFVIZ_COLUMNS_DETAIL_H
#define PROFVIZ_COLUMNS_DETAIL_H

#include "columns.h"

#define BLOCK 32
#define MOST_KINDS 64
#define SHADES 4
#define CODES (MOST_KINDS * SHADES)
#define STRENGTHS 64

#if defined(__GNUC__) || defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* The slices of a row in blocks of BLOCK. `base` is when each block begins; `start` counts from there where `narrow`
   (uint32), else from zero (int64), and `dur` is as wide. The upper bits of a slice's `kind` are its shade, which sums
   know nothing of: `sums` holds before each block and after the last the busy time of each of `kinds` kinds, kind by
   kind. */
typedef struct {
    const int64_t *base, *sums;
    const void *start, *dur;
    const uint8_t *kind, *kind_of;
    size_t count, blocks, kinds;
    int narrow;
    const uint32_t *slice; /* which of the trace each is, where it is known */
    uint8_t place[CODES]; /* of a kind among those of the row, whatever its shade */
} Detail;

INLINE int64_t start_of(const Detail *detail, size_t i, int narrow) {
    if (narrow) return add_ns(detail->base[i / BLOCK], ((const uint32_t *)detail->start)[i]);
    return ((const int64_t *)detail->start)[i];
}

INLINE int64_t length_of(const Detail *detail, size_t i, int narrow) {
    return narrow ? ((const uint32_t *)detail->dur)[i] : ((const int64_t *)detail->dur)[i];
}

INLINE int64_t end_of(const Detail *detail, size_t i, int narrow) {
    return add_ns(start_of(detail, i, narrow), length_of(detail, i, narrow));
}

/* How many blocks begin before `time`, of which `known` are known to; `step` is a guess at how many more. */
size_t blocks_begun(const Detail *detail, size_t known, size_t *step, int64_t time);

/* How many slices begin before `time`, given how many blocks do. */
size_t begun_within(const Detail *detail, size_t blocks, int64_t time);

/* Asks for the memory of a block ahead of its use. */
void fetch_block(const Detail *detail, size_t block);

/* How long the slices before slice `at` last, kind by kind. */
void sum_before(const Detail *detail, size_t at, int64_t *busy);

/* Columns from which a row picks its slices. */
typedef struct {
    const int64_t *start, *dur;
    const uint8_t *kind;
    size_t count;
} Source;

/* Copies the slices `at` (of `count`) narrowly; 1, 0 where one does not fit, or NOT_SOUND for a place beyond the end. */
int gather_narrow(const Source *source, const uint32_t *at, size_t count, int64_t *base, uint32_t *start, uint32_t *dur,
                  uint8_t *kind);

/* Fills `sums` of a detail whose other parts are there. */
void sum_blocks(const Detail *detail, int64_t *sums);

/* How many of the slices `at` (all where NULL) begin before `time`; NOT_SOUND for a place beyond the end. */
int64_t count_before_time(const Source *source, const uint32_t *at, size_t count, int64_t time);

/* Groups places by depth: `bounds` (of `rows` + 1, zeroed) receives where each row ends in `order`. */
void group_rows(const int32_t *depth, const uint32_t *slices, uint32_t first, size_t count, uint32_t *order,
                uint32_t *bounds, size_t rows);

/* Busy time of each kind before each time, time by time, and how many slices begin before it. */
void busy_before(const Detail *detail, const int64_t *times, size_t count, int64_t *busy, int64_t *before);

/* What shows between `width` + 1 edges. */

/* What lines are painted with: STRENGTHS colours for each of CODES, and what shows in each column where nothing is. */
typedef struct {
    const int64_t *edges;
    size_t width;
    const uint32_t *colours, *ground;
} Paint;

/* Slices that are wide where they show: of which row, where in it, from which pixel to before which; which of the trace
   it is, and its kind with its shade. */
typedef struct {
    int32_t row, place, first, last, slice, code;
} Bar;

typedef struct {
    Bar *items;
    size_t count, room;
    int32_t least; /* px from which a slice is wide */
} Bars;

/* One line of pixels; adds the row's wide slices to `bars` as long as there is room. */
void paint_line(const Detail *detail, const Paint *paint, uint32_t *line, Bars *bars, int32_t row);

/* A picture of `height` lines, `stride` px each. */
typedef struct {
    uint32_t *pixels;
    size_t height, stride;
} Picture;

/* Copies line `line` of `lines` (`width` px each) to the picture's lines from `first` to before `last`, from `left` on. */
typedef struct {
    int32_t first, last, line;
} Band;

/* 0, or NOT_SOUND where a band is not within the picture or has no line. */
int fill_bands(const Picture *picture, size_t left, const uint32_t *lines, size_t count, size_t width, const Band *bands,
               size_t band_count);

/* A piece of a stencil laid on the picture: `width` x `height` px at (x, y), from `from` on in the stencil's bytes, of
   which each line has `stride`. */
typedef struct {
    int32_t x, y, width, height, from, stride;
} Stamp;

/* Lays colour by colour on the picture, as strongly as the stencil says. 0, or NOT_SOUND for what is not within. */
int lay_stamps(const Picture *picture, const uint8_t *stencil, size_t size, const Stamp *stamps, const uint32_t *colours,
               size_t count);

#endif
