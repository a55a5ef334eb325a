/* Sorting, nesting and matching of slices, and their level of detail: plain arrays in and out; knows no Python. */
#ifndef PROFVIZ_COLUMNS_H
#define PROFVIZ_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

enum { NO_MEMORY = -1, NOT_SOUND = -2 };

typedef enum { KEY_U16, KEY_I32, KEY_U32, KEY_U64 } KeyType;

/* A column of lanes, threads or ids of one of four types. */
typedef struct {
    const void *at;
    KeyType type;
} Keys;

/* The key of one place, in an unsigned type that keeps the order. */
static inline uint64_t key_at(Keys keys, size_t i) {
    switch (keys.type) {
    case KEY_U16:
        return ((const uint16_t *)keys.at)[i];
    case KEY_I32:
        return (uint64_t)((int64_t)((const int32_t *)keys.at)[i] + INT64_C(0x80000000));
    case KEY_U32:
        return ((const uint32_t *)keys.at)[i];
    default:
        return ((const uint64_t *)keys.at)[i];
    }
}

/* The number a key stands for; for lanes only, which have at most 32 bits. */
static inline int64_t lane_at(Keys keys, size_t i) {
    int64_t key = (int64_t)key_at(keys, i);
    return keys.type == KEY_I32 ? key - INT64_C(0x80000000) : key;
}

/* Elements of one of the types that columns are packed in. */
typedef enum { OF_U8, OF_U16, OF_U32, OF_I32, OF_U64, OF_I64 } ElementType;
typedef struct {
    const void *at;
    ElementType type;
    size_t count;
} Elements;

/* start + length as numpy adds: it wraps. */
static inline int64_t add_ns(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* a - b, wrapping likewise. */
static inline int64_t less_ns(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

/* What `sort_places` compares: key (where `keyed`), start, then the longer one first (where `dur` is given). */
typedef struct {
    Keys keys;
    int keyed;
    const int64_t *start, *dur;
} Ordering;

/* Sorts the places in `order`, equal ones by number. 0 or NO_MEMORY. */
int sort_places(const Ordering *by, uint32_t *order, size_t count);

/* The places 0..count-1 sorted by (key, start, -dur, place); `dur` may be NULL. 0 or NO_MEMORY. */
int sort_columns(Keys keys, const int64_t *start, const int64_t *dur, size_t count, uint32_t *order);

/* Pairs (later, earlier) of slices that cross, owned by whoever asked. */
typedef struct {
    uint32_t *items;
    size_t count, room;
} Pairs;

/* The slices to nest, sorted by (lane, start, -length); `stop` holds ends, or lengths where `lengths` is set. */
typedef struct {
    Keys lane;
    const int64_t *start, *stop;
    int lengths;
    size_t count;
    int64_t tolerance;
} Slices;

/* Fills row and parent of each slice and collects the crossings. 0 or NO_MEMORY. */
int nest_slices(const Slices *slices, int32_t *row, int32_t *parent, Pairs *crossings);

/* For each begin the place of its end, -1 for none and for ends; `unmatched` (of `count` places) gets the ends that
   close nothing, by (time, place). How many those are, or NO_MEMORY. */
int64_t match_marks(Keys keys, const int64_t *time, const uint8_t *begins, size_t count, int64_t *end,
                    uint32_t *unmatched);

/* Points stand in groups, the first of each being a head. Each point that does not open is a target: of the last point
   before it in its group that does not close, else of the first in the group that opens; none where there is neither.
   How many pairs there are; `sources` and `targets` have room for `count`. */
size_t pair_points(const uint8_t *opens, const uint8_t *closes, const uint8_t *heads, size_t count, int32_t *sources,
                   int32_t *targets);

typedef struct {
    const int64_t *start, *dur;
    Keys lane;
    const int32_t *parent;
    size_t count;
} Nested;

/* The innermost slice at each point, -1 for none. 0, NO_MEMORY, or NOT_SOUND where a parent does not come before. */
int find_enclosing(const Nested *slices, Keys lane, const int64_t *time, size_t count, int64_t *found);

/* Least and greatest of at least one element, signed ones extended. */
void find_extremes(Elements from, uint64_t *least, uint64_t *most);

/* Each element less `base`, in `width` bytes. */
void lessen(Elements from, uint64_t base, void *out, size_t width);

/* Stretches of a part: (first, last, where they go) for each, and how much their values move by, where they do. */
typedef struct {
    const int64_t *bounds, *moves;
    size_t count;
} Spans;

/* Writes the spans' values plus `base` and their moves to `out`, of `room` elements of `width` bytes; of `known` (uint32,
   where it has memory) what stands at that number. Without memory all of `from` is zero. 0 or NOT_SOUND. */
int put_spans(Elements from, const Spans *spans, uint64_t base, Elements known, void *out, size_t width, size_t room);

/* The values at `places`; those beyond either end give the value that stands there. 0, or NOT_SOUND without values. */
int pick_elements(const void *values, size_t width, size_t count, Elements places, void *out);

#endif
