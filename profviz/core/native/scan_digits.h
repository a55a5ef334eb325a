/* Digits to integers, for the rows that nearly every event has. */
#ifndef PROFVIZ_SCAN_DIGITS_H
#define PROFVIZ_SCAN_DIGITS_H

#include <string.h>

#include "scan_state.h"

/* Eight ASCII digits at once, the first one in the lowest byte. */
static ALWAYS_INLINE uint64_t eight_digits(uint64_t word) {
    word = (word & UINT64_C(0x0F0F0F0F0F0F0F0F)) * 2561 >> 8;
    word = (word & UINT64_C(0x00FF00FF00FF00FF)) * 6553601 >> 16;
    return (word & UINT64_C(0x0000FFFF0000FFFF)) * UINT64_C(42949672960001) >> 32;
}

static const uint64_t POWERS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* The number of up to 19 digits; behind an event's tokens there is always more that may be read. */
static ALWAYS_INLINE uint64_t digits_value(const uint8_t *at, size_t size) {
    uint64_t value = 0;
#ifdef IS_LITTLE_ENDIAN
    while (size > 0) {
        size_t now = size < 8 ? size : 8;
        uint64_t word;
        memcpy(&word, at, 8);
        value = value * POWERS[now] + eight_digits(word << (64 - 8 * now)); /* zeros before it count nothing */
        at += now;
        size -= now;
    }
#else
    for (; size > 0; size--)
        value = value * 10 + (uint64_t)(*at++ - '0');
#endif
    return value;
}

/* The way nearly every time is written: digits, a point, three digits. */
static ALWAYS_INLINE int plain_time(const struct token *token, int64_t *ns) {
    const uint8_t *fraction;
    if (token->kind != K_NUMBER || token->fraction != 3 || token->negative || token->exponent || token->whole > 15)
        return 0;
    fraction = token->at + token->whole + 1;
    *ns = (int64_t)(digits_value(token->at, token->whole) * 1000) + (fraction[0] - '0') * 100 +
          (fraction[1] - '0') * 10 + (fraction[2] - '0');
    return 1;
}

/* 0 when the token is no integer from low to high. */
static ALWAYS_INLINE int read_integer(const struct token *token, int64_t low, int64_t high, int64_t *out) {
    uint64_t value;
    if (token->kind != K_NUMBER || token->fraction != 0 || token->exponent || token->whole > 19)
        return 0;
    value = digits_value(token->at + token->negative, token->whole);
    if (value > (uint64_t)INT64_MAX + token->negative)
        return 0;
    *out = token->negative ? (value > (uint64_t)INT64_MAX ? INT64_MIN : -(int64_t)value) : (int64_t)value;
    return *out >= low && *out <= high;
}

#endif
