/* Rows and parents of slices on a lane; knows no file and no Python. */
#include "columns.h"

#include <stdlib.h>

#define FAN 32
#define LEVELS 8

/* The ends of what stands in each row, and above them a tree of lower bounds over `FAN` entries each. A bound is
   mended only when a search found nothing below it: ends only grow, so an old bound is still one. A row never used is
   free from the beginning of time. */
typedef struct {
    int64_t *level[LEVELS];
    size_t count[LEVELS];
    int levels;
    size_t used;
} Places;

/* A slice that is still open; ends descend along the stack. */
typedef struct {
    int64_t end;
    uint32_t slice;
} Holder;

typedef struct {
    Holder *items;
    size_t count, room;
} Holders;

static int grow_level(Places *places, int level, size_t count) {
    size_t old = places->count[level], room = (count + FAN - 1) / FAN * FAN;
    int64_t *made = realloc(places->level[level], room * sizeof *made);
    if (!made) return NO_MEMORY;
    for (size_t i = old; i < room; i++) made[i] = INT64_MIN;
    places->level[level] = made;
    places->count[level] = room;
    return 0;
}

/* Makes room for at least `rows` rows; new ones, and all bounds over them, count as free. */
static int grow(Places *places, size_t rows) {
    size_t count = rows < 2 * places->count[0] ? 2 * places->count[0] : rows;
    places->levels = 0;
    do {
        if (count > places->count[places->levels] && grow_level(places, places->levels, count)) return NO_MEMORY;
        count = places->count[places->levels++] / FAN;
    } while (count > 1 && places->levels < LEVELS);
    return 0;
}

static void clear(Places *places) {
    size_t used = places->used;
    for (int level = 0; level < places->levels; level++) {
        for (size_t i = 0; i < used; i++) places->level[level][i] = INT64_MIN;
        used = (used + FAN - 1) / FAN;
    }
    places->used = 0;
}

static void mend_bound(Places *places, int level, size_t block) {
    const int64_t *below = places->level[level] + block * FAN;
    int64_t least = below[0];
    for (int i = 1; i < FAN; i++)
        if (below[i] < least) least = below[i];
    places->level[level + 1][block] = least;
}

/* The first row at or below `row` that is free at `start`; the number of rows there is room for where none is. */
static size_t first_free(Places *places, size_t row, int64_t start) {
    size_t at = row;
    int level = 0;
    while (at < places->count[level]) {
        size_t stop = (at / FAN + 1) * FAN;
        while (at < stop && places->level[level][at] > start) at++;
        if (at < stop) {
            if (!level) return at;
            at *= FAN;
            level--;
            continue;
        }
        while (at % FAN == 0 && level + 1 < places->levels) {
            at /= FAN;
            mend_bound(places, level++, at - 1);
        }
    }
    return places->count[0];
}

/* Takes the first free row at or below `row`; the row, or NO_MEMORY. */
static int64_t take_place(Places *places, size_t row, int64_t start, int64_t end) {
    row = first_free(places, row, start);
    while (row >= places->count[0]) {
        size_t wanted = row;
        if (grow(places, wanted + 1)) return NO_MEMORY;
        row = first_free(places, wanted, start);
    }
    places->level[0][row] = end;
    if (row >= places->used) places->used = row + 1;
    return (int64_t)row;
}

static int push_holder(Holders *holders, int64_t end, uint32_t slice) {
    if (holders->count == holders->room) {
        size_t room = holders->room ? 2 * holders->room : 256;
        Holder *made = realloc(holders->items, room * sizeof *made);
        if (!made) return NO_MEMORY;
        holders->items = made;
        holders->room = room;
    }
    holders->items[holders->count++] = (Holder){end, slice};
    return 0;
}

static void pop_ended(Holders *holders, int64_t time) {
    while (holders->count && holders->items[holders->count - 1].end <= time) holders->count--;
}

/* How many holders end at `least` or later; they are the first ones. */
static size_t count_holding(const Holders *holders, int64_t least) {
    size_t low = 0, high = holders->count;
    if (high && holders->items[high - 1].end >= least) return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (holders->items[middle].end >= least) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int add_pair(Pairs *pairs, uint32_t later, uint32_t earlier) {
    if (pairs->count == pairs->room) {
        size_t room = pairs->room ? 2 * pairs->room : 64;
        uint32_t *made = realloc(pairs->items, 2 * room * sizeof *made);
        if (!made) return NO_MEMORY;
        pairs->items = made;
        pairs->room = room;
    }
    pairs->items[2 * pairs->count] = later;
    pairs->items[2 * pairs->count++ + 1] = earlier;
    return 0;
}

typedef struct {
    const Slices *slices;
    int32_t *row, *parent;
    Pairs *crossings;
    Holders holders;
    Places places;
} Nester;

static int nest_one(Nester *nester, size_t i) {
    const Slices *slices = nester->slices;
    Holders *holders = &nester->holders;
    int64_t start = slices->start[i];
    int64_t end = slices->lengths ? add_ns(start, slices->stop[i]) : slices->stop[i];
    int64_t least = end < INT64_MIN + slices->tolerance ? INT64_MIN : end - slices->tolerance;
    int64_t row = 0;
    pop_ended(holders, start);
    size_t holding = count_holding(holders, least);
    if (holding < holders->count && add_pair(nester->crossings, (uint32_t)i, holders->items[holders->count - 1].slice))
        return NO_MEMORY;
    nester->parent[i] = -1;
    if (holding) {
        uint32_t parent = holders->items[holding - 1].slice;
        nester->parent[i] = (int32_t)parent;
        row = (int64_t)nester->row[parent] + 1;
    }
    row = take_place(&nester->places, (size_t)row, start, end);
    if (row < 0) return NO_MEMORY;
    nester->row[i] = (int32_t)row;
    pop_ended(holders, end);
    return push_holder(holders, end, (uint32_t)i);
}

int nest_slices(const Slices *slices, int32_t *row, int32_t *parent, Pairs *crossings) {
    Nester nester = {.slices = slices, .row = row, .parent = parent, .crossings = crossings};
    int failed = grow(&nester.places, FAN);
    for (size_t i = 0; i < slices->count && !failed; i++) {
        if (i && key_at(slices->lane, i) != key_at(slices->lane, i - 1)) {
            nester.holders.count = 0;
            clear(&nester.places);
        }
        failed = nest_one(&nester, i);
    }
    for (int level = 0; level < LEVELS; level++) free(nester.places.level[level]);
    free(nester.holders.items);
    return failed;
}
