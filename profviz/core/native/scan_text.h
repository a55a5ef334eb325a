/* Reading the smallest things of JSON: blanks, strings, runs of digits; 16 bytes at a time where SSE2 is.
 *
 * All take p <= safe + READ_AHEAD / 2 and give NULL with reader->stop set when they can't go on. */
#ifndef PROFVIZ_SCAN_TEXT_H
#define PROFVIZ_SCAN_TEXT_H

#include <string.h>

#include "scan_state.h"

#if !defined(PROFVIZ_SCALAR) && (defined(__SSE2__) || defined(_M_X64))
#define PROFVIZ_SSE2 1
#include <emmintrin.h>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static ALWAYS_INLINE unsigned first_bit(unsigned mask) {
    unsigned long place;
    _BitScanForward(&place, mask);
    return (unsigned)place;
}
#else
#define first_bit(mask) ((unsigned)__builtin_ctz(mask))
#endif
#endif

static ALWAYS_INLINE const uint8_t *fail(struct reader *reader, const uint8_t *at) {
    reader->stop = at;
    return NULL;
}

static ALWAYS_INLINE int is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

#ifdef PROFVIZ_SSE2
static ALWAYS_INLINE __m128i load16(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }

/* Bits of what can't stand plainly in a string: signed comparison also finds every byte with its high bit set. */
static ALWAYS_INLINE unsigned special_bits(__m128i text) {
    __m128i low = _mm_cmplt_epi8(text, _mm_set1_epi8(0x20));
    __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\\')));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(low, marks));
}

static ALWAYS_INLINE unsigned solid_bits(__m128i text) {
    __m128i blank = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\n')));
    __m128i other = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('\r')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\t')));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(blank, other)) ^ 0xFFFF;
}

static ALWAYS_INLINE unsigned no_digit_bits(__m128i text) {
    __m128i moved = _mm_add_epi8(text, _mm_set1_epi8(0x80 - '0'));
    return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(moved, _mm_set1_epi8(-128 + 9)));
}
#endif

/* The first byte of a string's rest that is not plain ASCII; NULL when the text is used up before. */
static ALWAYS_INLINE const uint8_t *plain_end(struct reader *reader, const uint8_t *p) {
    for (;;) {
        if (UNLIKELY(p > reader->safe))
            return fail(reader, NULL);
#ifdef PROFVIZ_SSE2
        {
            unsigned bits = special_bits(load16(p));
            if (LIKELY(bits != 0))
                return p + first_bit(bits);
        }
#else
        {
            int place;
            for (place = 0; place < 16; place++)
                if (p[place] < 0x20 || p[place] >= 0x80 || p[place] == '"' || p[place] == '\\')
                    return p + place;
        }
#endif
        p += 16;
    }
}

static int hex_value(uint8_t byte) {
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Four hex digits at p, or how many there are as a negative number less one. */
static int hex4(const uint8_t *p) {
    int value = 0, place;
    for (place = 0; place < 4; place++) {
        int digit = hex_value(p[place]);
        if (digit < 0)
            return -1 - place;
        value = value << 4 | digit;
    }
    return value;
}

/* The escape at p; surrogates only as a pair. */
static const uint8_t *skip_escape(struct reader *reader, const uint8_t *p) {
    int value;
    switch (p[1]) {
    case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
        return p + 2;
    case 'u':
        break;
    default:
        return fail(reader, p + 1);
    }
    if (hex_value(p[2]) == 0xD && hex_value(p[3]) >= 0xC)
        return fail(reader, p + 3);
    value = hex4(p + 2);
    if (value < 0)
        return fail(reader, p + 2 + (-1 - value));
    if (value < 0xD800 || value > 0xDFFF)
        return p + 6;
    p += 6;
    if (p[0] != '\\')
        return fail(reader, p);
    if (p[1] != 'u')
        return fail(reader, p + 1);
    if (hex_value(p[2]) != 0xD)
        return fail(reader, p + 2);
    if (hex_value(p[3]) < 0xC)
        return fail(reader, p + 3);
    value = hex4(p + 2);
    return value < 0 ? fail(reader, p + 2 + (-1 - value)) : p + 6;
}

/* The character of several bytes at p: shortest form, no surrogates, at most U+10FFFF. */
static const uint8_t *skip_utf8(struct reader *reader, const uint8_t *p) {
    uint8_t low = 0x80, high = 0xBF;
    int more, place;
    if (p[0] < 0xC2 || p[0] > 0xF4)
        return fail(reader, p);
    more = p[0] < 0xE0 ? 1 : p[0] < 0xF0 ? 2 : 3;
    if (p[0] == 0xE0)
        low = 0xA0;
    else if (p[0] == 0xED)
        high = 0x9F;
    else if (p[0] == 0xF0)
        low = 0x90;
    else if (p[0] == 0xF4)
        high = 0x8F;
    if (p[1] < low || p[1] > high)
        return fail(reader, p + 1);
    for (place = 2; place <= more; place++)
        if ((p[place] & 0xC0) != 0x80)
            return fail(reader, p + place);
    return p + 1 + more;
}

/* The rest of a string from its first byte that is no plain ASCII; gives the closing quote. */
static NOINLINE const uint8_t *skip_special(struct reader *reader, const uint8_t *p) {
    while (*p != '"') {
        if (*p == '\\')
            p = skip_escape(reader, p);
        else if (*p >= 0x80)
            p = skip_utf8(reader, p);
        else
            return fail(reader, p);
        if (p == NULL)
            return NULL;
        p = plain_end(reader, p);
        if (p == NULL)
            return NULL;
    }
    return p;
}

/* From behind the opening quote to the closing one. */
static ALWAYS_INLINE const uint8_t *skip_string(struct reader *reader, const uint8_t *p) {
    p = plain_end(reader, p);
    if (UNLIKELY(p == NULL) || LIKELY(*p == '"'))
        return p;
    return skip_special(reader, p);
}

static NOINLINE const uint8_t *skip_blank_run(struct reader *reader, const uint8_t *p) {
    for (;;) {
        if (UNLIKELY(p > reader->safe))
            return fail(reader, NULL);
#ifdef PROFVIZ_SSE2
        {
            unsigned bits = solid_bits(load16(p));
            if (LIKELY(bits != 0))
                return p + first_bit(bits);
            p += 16;
        }
#else
        if (!is_blank(*p))
            return p;
        p++;
#endif
    }
}

static ALWAYS_INLINE const uint8_t *skip_blank(struct reader *reader, const uint8_t *p) {
    if (*p > ' ')
        return p;
    if (LIKELY(p[0] == ' ' && p[1] > ' '))
        return p + 1;
    return skip_blank_run(reader, p);
}

/* The first byte from p on that is no digit. */
static ALWAYS_INLINE const uint8_t *skip_digits(struct reader *reader, const uint8_t *p) {
    for (;;) {
        if (UNLIKELY(p > reader->safe))
            return fail(reader, NULL);
#ifdef PROFVIZ_SSE2
        {
            unsigned bits = no_digit_bits(load16(p));
            if (LIKELY(bits != 0))
                return p + first_bit(bits);
            p += 16;
        }
#else
        if ((uint8_t)(*p - '0') > 9)
            return p;
        p++;
#endif
    }
}

#endif
