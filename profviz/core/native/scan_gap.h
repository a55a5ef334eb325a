/* What stands between two values of an object - comma, key, colon, blanks, or the closing brace - guessed from what
 * stood there before.
 *
 * A gap that was read strictly once is known by its bytes; where the same bytes come again they need no second reading.
 * The guess makes the processor go on with the next value before it has seen the end of the key. */
#ifndef PROFVIZ_SCAN_GAP_H
#define PROFVIZ_SCAN_GAP_H

#include "scan_keys.h"
#include "scan_value.h"

/* Of a gap that closes the object; any other slot is a field's or an arg's number. */
enum { SLOT_CLOSE = 31 };

static ALWAYS_INLINE int gap_fits(const struct gap *gap, const uint8_t *p) {
#ifdef PROFVIZ_SSE2
    const __m128i *known = (const __m128i *)(const void *)gap->bytes;
    uint32_t same = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(load16(p), _mm_loadu_si128(known))) |
                    (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(load16(p + 16), _mm_loadu_si128(known + 1))) << 16;
    if (UNLIKELY(gap->size > 32)) {
        uint32_t last = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(load16(p + 32), _mm_loadu_si128(known + 2)));
        if (UNLIKELY((last & gap->last_bits) != gap->last_bits))
            return 0;
    }
    return (same & gap->bits) == gap->bits;
#else
    return memcmp(p, gap->bytes, gap->size) == 0;
#endif
}

static unsigned gap_hash(const uint8_t bytes[GAP_SIZE]) {
    uint64_t hash = 0, word;
    int place;
    for (place = 0; place < GAP_SIZE; place += 8) {
        memcpy(&word, bytes + place, 8);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return (unsigned)(hash >> 8);
}

/* Puts the gap from `at` to `end` on record and foretells it wherever `context` comes again. */
static NOINLINE uint8_t learn_gap(struct gap_book *book, unsigned context, const uint8_t *at, const uint8_t *end,
                                  int slot) {
    enum { TRIES = 4 };
    size_t size = (size_t)(end - at);
    uint8_t bytes[GAP_SIZE] = {0};
    unsigned hash, try, number = 0;
    struct gap *gap;
    if (size > GAP_SIZE)
        return 0;
    memcpy(bytes, at, size);
    hash = gap_hash(bytes);
    for (try = TRIES; try-- > 0;) {
        number = 1 + (hash + try) % (GAP_COUNT - 1);
        gap = &book->gaps[number];
        if (gap->size == 0 || (gap->size == size && memcmp(gap->bytes, bytes, GAP_SIZE) == 0))
            break;
    } /* all taken by others: the last one tried gives way */
    gap = &book->gaps[number];
    memcpy(gap->bytes, bytes, GAP_SIZE);
    gap->size = (uint8_t)size;
    gap->slot = (uint8_t)slot;
    gap->bits = size < 32 ? (UINT32_C(1) << size) - 1 : UINT32_MAX;
    gap->last_bits = size > 32 ? (UINT32_C(1) << (size - 32)) - 1 : 0;
    return book->foretold[context] = (uint8_t)number;
}

/* Reads a gap byte by byte: at an opening brace, or behind a value. */
static NOINLINE const uint8_t *read_gap(struct reader *reader, struct gap_book *book, unsigned context,
                                        const uint8_t *at, int *slot, unsigned *number) {
    const uint8_t *p = at, *key, *end;
    uint8_t plain[LONGEST_PLAIN];
    int is_escaped = 0;
    *number = 0;
    p = skip_blank(reader, book->is_first ? p + 1 : p);
    if (p == NULL)
        return NULL;
    if (*p == '}') {
        *slot = SLOT_CLOSE;
        *number = learn_gap(book, context, at, p + 1, SLOT_CLOSE);
        return p + 1;
    }
    if (!book->is_first) {
        if (*p != ',')
            return fail(reader, p);
        p = skip_blank(reader, p + 1);
        if (p == NULL)
            return NULL;
    }
    if (*p != '"')
        return fail(reader, p);
    key = p + 1;
    end = plain_end(reader, key);
    if (end == NULL)
        return NULL;
    if (*end != '"') {
        is_escaped = 1;
        end = skip_special(reader, end);
        if (end == NULL)
            return NULL;
    }
    p = skip_colon(reader, end + 1);
    if (p == NULL)
        return NULL;
    if (is_escaped) {
        size_t size = plain_ascii(key, end, plain);
        *slot = book->is_args ? arg_of(plain, size) : field_of(plain, size);
    } else {
        *slot = book->is_args ? arg_of(key, (size_t)(end - key)) : field_of(key, (size_t)(end - key));
    }
    *number = learn_gap(book, context, at, p, *slot);
    return p;
}

/* From an opening brace or the end of a value to the next value, or behind the closing brace. */
static ALWAYS_INLINE const uint8_t *skip_gap(struct reader *reader, struct gap_book *book, unsigned context,
                                             const uint8_t *p, int *slot, unsigned *number) {
    const struct gap *gap;
    if (UNLIKELY(p > reader->safe))
        return fail(reader, NULL);
    *number = book->foretold[context];
    gap = &book->gaps[*number];
    if (LIKELY(gap_fits(gap, p)) && LIKELY(gap->size != 0)) {
        *slot = gap->slot;
        p += gap->size;
        if (UNLIKELY(*p <= ' ') && *slot != SLOT_CLOSE)
            return skip_blank(reader, p);
        return p;
    }
    return read_gap(reader, book, context, p, slot, number);
}

#endif
