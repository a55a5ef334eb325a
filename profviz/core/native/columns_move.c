/* Packing columns, joining their parts and picking from them; knows nothing of what is in them and no Python. */
#include "columns.h"

/* Runs LOOP(From, To) for the types of `from` and the `width` of what is written. */
#define TO_WIDTH(LOOP, From)                                                                                          \
    switch (width) {                                                                                                  \
    case 1: LOOP(From, uint8_t) break;                                                                                \
    case 2: LOOP(From, uint16_t) break;                                                                               \
    case 4: LOOP(From, uint32_t) break;                                                                               \
    default: LOOP(From, uint64_t)                                                                                     \
    }
#define OF_EACH_TYPE(LOOP)                                                                                            \
    switch (from.type) {                                                                                              \
    case OF_U8: TO_WIDTH(LOOP, uint8_t) break;                                                                        \
    case OF_U16: TO_WIDTH(LOOP, uint16_t) break;                                                                      \
    case OF_U32: TO_WIDTH(LOOP, uint32_t) break;                                                                      \
    case OF_I32: TO_WIDTH(LOOP, int32_t) break;                                                                       \
    case OF_I64: TO_WIDTH(LOOP, int64_t) break;                                                                       \
    default: TO_WIDTH(LOOP, uint64_t)                                                                                 \
    }

#define EXTREMES(Type)                                                                                                \
    {                                                                                                                 \
        const Type *at = from.at;                                                                                     \
        Type low = at[0], high = at[0];                                                                               \
        for (size_t i = 1; i < from.count; i++) {                                                                     \
            low = at[i] < low ? at[i] : low;                                                                          \
            high = at[i] > high ? at[i] : high;                                                                       \
        }                                                                                                             \
        *least = (uint64_t)low;                                                                                       \
        *most = (uint64_t)high;                                                                                       \
    }

void find_extremes(Elements from, uint64_t *least, uint64_t *most) {
    switch (from.type) {
    case OF_U8: EXTREMES(uint8_t) break;
    case OF_U16: EXTREMES(uint16_t) break;
    case OF_U32: EXTREMES(uint32_t) break;
    case OF_I32: EXTREMES(int32_t) break;
    case OF_I64: EXTREMES(int64_t) break;
    default: EXTREMES(uint64_t)
    }
}

/* All arithmetic is modulo the width of what is written, so that the sign needs no care. */
#define ADD(From, To)                                                                                                 \
    {                                                                                                                 \
        const From *restrict in = (const From *)from.at + first;                                                      \
        To *restrict to = (To *)out + at;                                                                             \
        for (size_t i = 0; i < count; i++) to[i] = (To)((To)in[i] + (To)add);                                         \
    }

static void add_to(Elements from, size_t first, size_t count, uint64_t add, void *out, size_t width, size_t at) {
    OF_EACH_TYPE(ADD)
}

#define LOOK_UP(From, To)                                                                                             \
    {                                                                                                                 \
        const From *restrict in = (const From *)from.at + first;                                                      \
        To *restrict to = (To *)out + at;                                                                             \
        for (size_t i = 0; i < count; i++) {                                                                          \
            uint64_t number = (uint64_t)in[i] + add;                                                                  \
            beyond |= number >= known.count;                                                                          \
            to[i] = (To)numbers[number < known.count ? number : 0];                                                   \
        }                                                                                                             \
    }

static int look_up(Elements from, size_t first, size_t count, uint64_t add, Elements known, void *out, size_t width,
                   size_t at) {
    const uint32_t *numbers = known.at;
    int beyond = 0;
    if (!known.count) return count ? NOT_SOUND : 0;
    OF_EACH_TYPE(LOOK_UP)
    return beyond ? NOT_SOUND : 0;
}

void lessen(Elements from, uint64_t base, void *out, size_t width) {
    add_to(from, 0, from.count, 0 - base, out, width, 0);
}

#define FILL(To)                                                                                                      \
    for (size_t i = 0; i < count; i++) ((To *)out)[at + i] = (To)value;

static void fill(uint64_t value, void *out, size_t width, size_t at, size_t count) {
    switch (width) {
    case 1: FILL(uint8_t) break;
    case 2: FILL(uint16_t) break;
    case 4: FILL(uint32_t) break;
    default: FILL(uint64_t)
    }
}

/* Where all is alike, `from` has no memory and only `add` counts. */
static int put_alike(uint64_t add, Elements known, void *out, size_t width, size_t at, size_t count) {
    if (known.at && count) {
        if (add >= known.count) return NOT_SOUND;
        add = ((const uint32_t *)known.at)[add];
    }
    fill(add, out, width, at, count);
    return 0;
}

int put_spans(Elements from, const Spans *spans, uint64_t base, Elements known, void *out, size_t width, size_t room) {
    int failed = 0;
    for (size_t i = 0; i < spans->count && !failed; i++) {
        const int64_t *span = spans->bounds + 3 * i;
        uint64_t add = base + (spans->moves ? (uint64_t)spans->moves[i] : 0);
        if (span[0] < 0 || span[1] < span[0] || span[2] < 0) return NOT_SOUND;
        size_t first = (size_t)span[0], count = (size_t)(span[1] - span[0]), at = (size_t)span[2];
        if ((from.at && (size_t)span[1] > from.count) || at > room || count > room - at) return NOT_SOUND;
        if (!from.at) failed = put_alike(add, known, out, width, at, count);
        else if (known.at) failed = look_up(from, first, count, add, known, out, width, at);
        else add_to(from, first, count, add, out, width, at);
    }
    return failed;
}

/* Here `from` holds the places. Those beyond either end give the value that stands there. */
#define PICK(From, To)                                                                                                \
    {                                                                                                                 \
        const From *restrict places = from.at;                                                                        \
        const To *restrict in = values;                                                                               \
        for (size_t i = 0; i < from.count; i++) {                                                                     \
            From place = places[i];                                                                                   \
            ((To *)out)[i] = in[place <= 0 ? 0 : (uint64_t)place < count ? (uint64_t)place : count - 1];              \
        }                                                                                                             \
    }

int pick_elements(const void *values, size_t width, size_t count, Elements from, void *out) {
    if (!count) return from.count ? NOT_SOUND : 0;
    OF_EACH_TYPE(PICK)
    return 0;
}
