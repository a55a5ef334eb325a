/* Reading whole JSON values strictly: numbers, literals and, without recursion, whatever is nested. */
#ifndef PROFVIZ_SCAN_VALUE_H
#define PROFVIZ_SCAN_VALUE_H

#include "scan_text.h"

#ifdef PROFVIZ_SSE2
/* Most numbers at one look, from behind their sign: they end at the first or second byte that is no digit. NULL, with
 * nothing said about the text, when this one is longer or not so simple. */
static ALWAYS_INLINE const uint8_t *quick_number(const uint8_t *p, struct token *out) {
    unsigned bits = no_digit_bits(load16(p)), rest;
    const uint8_t *end;
    if (UNLIKELY(bits == 0 || (bits & 1) || (*p == '0' && !(bits & 2))))
        return NULL;
    end = p + first_bit(bits);
    out->whole = (size_t)(end - p);
    if (*end == '.') {
        bits |= no_digit_bits(load16(p + 16)) << 16;
        rest = bits & (bits - 1);
        if (UNLIKELY(rest == 0))
            return NULL;
        end = p + first_bit(rest);
        out->fraction = (size_t)(end - p) - out->whole - 1;
        if (UNLIKELY(out->fraction == 0))
            return NULL;
    }
    if (UNLIKELY((*end | 0x20) == 'e'))
        return NULL;
    out->size = (size_t)(end - out->at);
    return end;
}
#endif

static ALWAYS_INLINE const uint8_t *skip_number(struct reader *reader, const uint8_t *p, struct token *out) {
    const uint8_t *first;
    out->kind = K_NUMBER;
    out->at = p;
    out->fraction = 0;
    out->exponent = 0;
    out->negative = *p == '-';
    first = p += out->negative;
#ifdef PROFVIZ_SSE2
    if (LIKELY(p <= reader->safe)) {
        const uint8_t *end = quick_number(p, out);
        if (LIKELY(end != NULL))
            return end;
        out->fraction = 0;
    }
#endif
    p = skip_digits(reader, p);
    if (UNLIKELY(p == NULL))
        return NULL;
    out->whole = (size_t)(p - first);
    if (UNLIKELY(out->whole == 0))
        return fail(reader, p);
    if (UNLIKELY(*first == '0' && out->whole > 1))
        return fail(reader, first + 1);
    if (*p == '.') {
        first = p + 1;
        p = skip_digits(reader, first);
        if (UNLIKELY(p == NULL))
            return NULL;
        out->fraction = (size_t)(p - first);
        if (UNLIKELY(p == first))
            return fail(reader, p);
    }
    if (UNLIKELY((*p | 0x20) == 'e')) {
        out->exponent = 1;
        p++;
        p += *p == '+' || *p == '-';
        first = p;
        p = skip_digits(reader, p);
        if (p == NULL)
            return NULL;
        if (p == first)
            return fail(reader, p);
    }
    out->size = (size_t)(p - out->at);
    return p;
}

static ALWAYS_INLINE const uint8_t *skip_word(struct reader *reader, const uint8_t *p, const char *word, size_t size) {
    size_t place;
    if (UNLIKELY(p > reader->safe))
        return fail(reader, NULL);
    if (LIKELY(memcmp(p, word, size) == 0))
        return p + size;
    for (place = 0; p[place] == (uint8_t)word[place];)
        place++;
    return fail(reader, p + place);
}

static ALWAYS_INLINE const uint8_t *skip_literal(struct reader *reader, const uint8_t *p, struct token *out) {
    const uint8_t *end;
    out->at = p;
    if (*p == 'n') {
        out->kind = K_NULL;
        end = skip_word(reader, p, "null", 4);
    } else if (*p == 't') {
        out->kind = K_TRUE;
        end = skip_word(reader, p, "true", 4);
    } else if (*p == 'f') {
        out->kind = K_FALSE;
        end = skip_word(reader, p, "false", 5);
    } else {
        return fail(reader, p);
    }
    out->size = end == NULL ? 0 : (size_t)(end - p);
    return end;
}

/* The colon behind a key and the blanks around it. */
static ALWAYS_INLINE const uint8_t *skip_colon(struct reader *reader, const uint8_t *p) {
    if (UNLIKELY(*p != ':')) {
        p = skip_blank(reader, p);
        if (p == NULL)
            return NULL;
        if (*p != ':')
            return fail(reader, p);
    }
    return skip_blank(reader, p + 1);
}

/* Which of the open brackets are braces, a bit each. */
struct nest {
    uint64_t braces[SCAN_MAX_DEPTH / 64];
    int depth;
};

static ALWAYS_INLINE int nest_push(struct nest *nest, int is_brace) {
    uint64_t bit = UINT64_C(1) << (nest->depth & 63), *word;
    if (UNLIKELY(nest->depth >= SCAN_MAX_DEPTH))
        return 0;
    word = &nest->braces[nest->depth++ >> 6];
    *word = is_brace ? *word | bit : *word & ~bit;
    return 1;
}

static ALWAYS_INLINE int nest_is_brace(const struct nest *nest) {
    int top = nest->depth - 1;
    return (int)(nest->braces[top >> 6] >> (top & 63) & 1);
}

static ALWAYS_INLINE const uint8_t *skip_key(struct reader *reader, const uint8_t *p) {
    if (UNLIKELY(*p != '"'))
        return fail(reader, p);
    p = skip_string(reader, p + 1);
    return UNLIKELY(p == NULL) ? NULL : skip_colon(reader, p + 1);
}

/* A value that is no bracket. */
static ALWAYS_INLINE const uint8_t *skip_plain(struct reader *reader, const uint8_t *p) {
    struct token token;
    if (*p == '"') {
        p = skip_string(reader, p + 1);
        return UNLIKELY(p == NULL) ? NULL : p + 1;
    }
    if ((uint8_t)(*p - '0') < 10 || *p == '-')
        return skip_number(reader, p, &token);
    return skip_literal(reader, p, &token);
}

/* From an opening bracket that has `depth` others around it to behind its closing one. */
static NOINLINE const uint8_t *skip_nested(struct reader *reader, const uint8_t *p, int depth) {
    struct nest nest;
    int is_brace = 0, is_first;
    nest.depth = depth;
    for (;;) {
        /* here p is at the beginning of a value */
        if (*p == '[' || *p == '{') {
            is_brace = *p == '{';
            if (UNLIKELY(!nest_push(&nest, is_brace)))
                return fail(reader, p);
            is_first = 1;
            p++;
        } else {
            p = skip_plain(reader, p);
            if (UNLIKELY(p == NULL))
                return NULL;
            is_first = 0;
        }
        /* what follows a value, or an opening bracket */
        for (;;) {
            if (*p <= ' ' && (p = skip_blank(reader, p)) == NULL)
                return NULL;
            if (*p == (is_brace ? '}' : ']')) {
                p++;
                if (--nest.depth == depth)
                    return p;
                is_brace = nest_is_brace(&nest);
                is_first = 0;
                if (UNLIKELY(p > reader->safe)) /* closing brackets alone would walk out of the text */
                    return fail(reader, NULL);
                continue;
            }
            if (!is_first) {
                if (UNLIKELY(*p != ','))
                    return fail(reader, p);
                p = skip_blank(reader, p + 1);
                if (UNLIKELY(p == NULL))
                    return NULL;
            }
            break;
        }
        if (is_brace) {
            p = skip_key(reader, p);
            if (UNLIKELY(p == NULL))
                return NULL;
        }
        if (UNLIKELY(p > reader->safe)) /* so would opening ones */
            return fail(reader, NULL);
    }
}

static ALWAYS_INLINE const uint8_t *skip_value(struct reader *reader, const uint8_t *p, int depth, struct token *out) {
    if (LIKELY((uint8_t)(*p - '0') < 10 || *p == '-'))
        return skip_number(reader, p, out);
    if (*p == '"') {
        const uint8_t *end = skip_string(reader, p + 1);
        if (UNLIKELY(end == NULL))
            return NULL;
        out->kind = K_STRING;
        out->at = p + 1;
        out->size = (size_t)(end - p) - 1;
        return end + 1;
    }
    if (*p == '[' || *p == '{') {
        const uint8_t *end = skip_nested(reader, p, depth);
        if (UNLIKELY(end == NULL))
            return NULL;
        out->kind = *p == '{' ? K_OBJECT : K_ARRAY;
        out->at = p;
        out->size = (size_t)(end - p);
        return end;
    }
    return skip_literal(reader, p, out);
}

#endif
