/* Names and nested args come again and again: the place they had in a table tells which one to expect, its bytes prove
 * it. Both kinds of text say themselves where they end. */
#ifndef PROFVIZ_SCAN_MEMO_H
#define PROFVIZ_SCAN_MEMO_H

#include "scan_value.h"

static ALWAYS_INLINE uint64_t text_word(const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

static ALWAYS_INLINE uint64_t stir(uint64_t word) {
    word *= UINT64_C(0x9E3779B97F4A7C15);
    return word ^ word >> 32;
}

static ALWAYS_INLINE int memo_fits(const struct value_memo *memo, const uint8_t *p) {
#ifdef PROFVIZ_SSE2
    uint64_t same = 0;
    int place;
    for (place = 0; place < MEMO_SIZE; place += 16)
        same |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(load16(p + place), load16(memo->bytes + place))) << place;
    return (same & memo->bits) == memo->bits && memo->size != 0;
#else
    return memo->size != 0 && memcmp(p, memo->bytes, memo->size) == 0;
#endif
}

static NOINLINE struct value_memo *learn_value(struct value_memo *memo, const uint8_t *p, size_t size) {
    if (size > MEMO_SIZE)
        return NULL;
    memcpy(memo->bytes, p, size);
    memo->size = (uint32_t)size;
    memo->bits = UINT64_MAX >> (MEMO_SIZE - size);
    memo->number = 0;
    return memo;
}

/* An event's name: guessed from the 32 bytes that begin with it. */
static ALWAYS_INLINE const uint8_t *read_name(struct scanner *scanner, struct reader *reader, const uint8_t *p,
                                              struct event *event) {
    struct token *out = &event->fields[F_NAME];
    const uint8_t *end;
    struct value_memo *memo;
    event->name_memo = NULL;
    if (UNLIKELY(p > reader->safe))
        return fail(reader, NULL);
    event->name_key = stir(stir(stir(text_word(p)) ^ text_word(p + 8)) ^ stir(text_word(p + 16)) ^ text_word(p + 24));
    memo = &scanner->names[event->name_key % NAME_MEMOS];
    if (LIKELY(memo_fits(memo, p))) {
        out->kind = K_STRING;
        out->at = p + 1;
        out->size = memo->size - 2;
        event->name_memo = memo;
        return p + memo->size;
    }
    end = skip_value(reader, p, 1, out);
    if (end != NULL && *p == '"')
        event->name_memo = learn_value(memo, p, (size_t)(end - p));
    return end;
}

/* A list or an object in the args: guessed from its beginning and the event's name. */
static ALWAYS_INLINE const uint8_t *read_nested(struct scanner *scanner, struct reader *reader, const uint8_t *p,
                                                struct event *event, int slot) {
    struct token *out = &event->args[slot];
    const uint8_t *end;
    struct value_memo *memo;
    uint64_t key;
    if (UNLIKELY(p > reader->safe))
        return fail(reader, NULL);
    key = stir(stir(text_word(p)) ^ text_word(p + 8) ^ event->name_key);
    /* dims have places of their own: what an event points to must still be its text when its number is noted */
    memo = slot == A_DIMS ? &scanner->dims[key % DIMS_MEMOS] : &scanner->nested[key % NESTED_MEMOS];
    if (LIKELY(memo_fits(memo, p))) {
        end = p + memo->size;
    } else {
        end = skip_nested(reader, p, 2);
        if (UNLIKELY(end == NULL))
            return NULL;
        memo = learn_value(memo, p, (size_t)(end - p));
    }
    out->kind = *p == '{' ? K_OBJECT : K_ARRAY;
    out->at = p;
    out->size = (size_t)(end - p);
    if (slot == A_DIMS)
        event->dims_memo = memo;
    return end;
}

#endif
