/* Text of numbers to integers and doubles, exactly: times never go through a double. */
#include <math.h>
#include <string.h>

#include "scan_digits.h"

#define FAR_NS (INT64_C(1) << 62)
enum { NS_DIGITS = 19, MAX_WHOLE = 40, MAX_FRACTION = 400, MAX_EXPONENT_DIGITS = 3, MAX_REAL_DIGITS = 19, MAX_DIVISOR = 32 };

static ALWAYS_INLINE int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }
static ALWAYS_INLINE int is_space(uint8_t byte) { return byte == ' ' || (uint8_t)(byte - 9) < 5; }

static size_t digits_at(const uint8_t *at, const uint8_t *end) {
    const uint8_t *first = at;
    while (at < end && is_digit(*at))
        at++;
    return (size_t)(at - first);
}

/* The pieces of a number's text. */
struct parts {
    int negative, has_exponent, exponent;
    const uint8_t *whole, *fraction;
    size_t whole_size, fraction_size;
};

/* Every number a time may be written as, blanks around it included; 0 when it is none. */
static int split_time(const uint8_t *at, size_t size, struct parts *out) {
    const uint8_t *end = at + size;
    memset(out, 0, sizeof(*out));
    while (at < end && is_space(*at))
        at++;
    while (end > at && is_space(end[-1]))
        end--;
    if (at < end && (*at == '-' || *at == '+'))
        out->negative = *at++ == '-';
    out->whole = at;
    out->whole_size = digits_at(at, end);
    at += out->whole_size;
    out->fraction = at;
    if (at < end && *at == '.') {
        out->fraction = ++at;
        out->fraction_size = digits_at(at, end);
        at += out->fraction_size;
    }
    if (out->whole_size > MAX_WHOLE || out->fraction_size > MAX_FRACTION ||
        out->whole_size + out->fraction_size == 0)
        return 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        int negative = 0;
        size_t digits;
        out->has_exponent = 1;
        at++;
        if (at < end && (*at == '-' || *at == '+'))
            negative = *at++ == '-';
        digits = digits_at(at, end);
        if (digits < 1 || digits > MAX_EXPONENT_DIGITS)
            return 0;
        for (; digits > 0; digits--)
            out->exponent = out->exponent * 10 + (*at++ - '0');
        if (negative)
            out->exponent = -out->exponent;
    }
    return at == end;
}

static ALWAYS_INLINE uint8_t digit_of(const struct parts *parts, size_t place) {
    return place < parts->whole_size ? parts->whole[place] : parts->fraction[place - parts->whole_size];
}

/* The digits of both parts times 10 ** power, halves rounded up; FAR_NS when it is that much or more. */
static int64_t scaled(const struct parts *parts, int64_t power) {
    size_t total = parts->whole_size + parts->fraction_size, first = 0, place;
    int64_t keep, done;
    uint64_t value = 0;
    while (first < total && digit_of(parts, first) == '0')
        first++;
    keep = (int64_t)(total - first) + power; /* digits before the rounding place */
    if (first == total || keep < 0)
        return 0;
    if (keep > 19)
        return FAR_NS;
    for (place = first, done = 0; done < keep; done++, place++)
        value = value * 10 + (place < total ? (uint64_t)(digit_of(parts, place) - '0') : 0);
    if (place < total && digit_of(parts, place) >= '5')
        value++;
    return value >= (uint64_t)FAR_NS ? FAR_NS : (int64_t)value;
}

static size_t without_zeros(const uint8_t *at, size_t size) {
    while (size > 0 && *at == '0') {
        at++;
        size--;
    }
    return size;
}

/* Microseconds as nanoseconds, between -FAR_NS and FAR_NS, which also stand for all beyond. */
static int any_time(const uint8_t *at, size_t size, int64_t *ns) {
    struct parts parts;
    int64_t value;
    if (!split_time(at, size, &parts))
        return 0;
    if (without_zeros(parts.whole, parts.whole_size) >= NS_DIGITS && parts.fraction_size == 0 && !parts.has_exponent)
        value = scaled(&parts, 0);
    else
        value = scaled(&parts, 3 + (int64_t)parts.exponent - (int64_t)parts.fraction_size);
    *ns = parts.negative ? -value : value;
    return 1;
}

int read_time(const struct token *token, int64_t *ns) {
    if (LIKELY(plain_time(token, ns)))
        return 1;
    if (token->kind != K_NUMBER && token->kind != K_STRING)
        return 0;
    return any_time(token->at, token->size, ns) && *ns > -FAR_NS && *ns < FAR_NS;
}

/* Whether the event's time is written in nanoseconds, and the duration so that it can be too. */
static int is_ns_pair(const struct token *dur, const struct token *ts) {
    size_t sign;
    if ((ts->kind != K_NUMBER && ts->kind != K_STRING) || ts->size < NS_DIGITS || ts->size >= MAX_WHOLE ||
        digits_at(ts->at, ts->at + ts->size) != ts->size || dur->size >= MAX_WHOLE)
        return 0;
    sign = dur->size > 0 && dur->at[0] == '-';
    return dur->size > sign && digits_at(dur->at + sign, dur->at + dur->size) == dur->size - sign;
}

int read_duration(const struct token *dur, const struct token *ts, int64_t *ns) {
    struct parts parts;
    if (LIKELY(plain_time(dur, ns)))
        return 1;
    if (dur->kind != K_NUMBER && dur->kind != K_STRING)
        return 0;
    if (UNLIKELY(is_ns_pair(dur, ts)) && split_time(dur->at, dur->size, &parts)) {
        *ns = scaled(&parts, 0);
        if (parts.negative)
            *ns = -*ns;
        return 1;
    }
    return any_time(dur->at, dur->size, ns);
}

static const double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The exponent behind `at`; saturates far beyond what any column takes. */
static int64_t exponent_value(const uint8_t *at, const uint8_t *end) {
    int negative = 0;
    int64_t value = 0;
    if (at < end && (*at == '-' || *at == '+'))
        negative = *at++ == '-';
    for (; at < end && is_digit(*at); at++)
        if (value < INT64_C(1000000000000))
            value = value * 10 + (*at - '0');
    return negative ? -value : value;
}

/* 128 bits, as not every compiler has them. */
struct wide {
    uint64_t high, low;
};

static ALWAYS_INLINE struct wide doubled(struct wide a) {
    struct wide out = {a.high << 1 | a.low >> 63, a.low << 1};
    return out;
}

static ALWAYS_INLINE int is_less(struct wide a, struct wide b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

static ALWAYS_INLINE struct wide minus(struct wide a, struct wide b) {
    struct wide out = {a.high - b.high - (a.low < b.low), a.low - b.low};
    return out;
}

/* value / 10 ** power rounded once, half to even, for value > 0 and power to MAX_DIVISOR: division bit by bit. */
static NOINLINE double divided(uint64_t value, int power) {
    struct wide rest = {0, value}, divisor = {0, 1};
    uint64_t bits = 0;
    int exponent = 0, place;
    for (; power > 0; power--) {
        struct wide twice = doubled(divisor), eight = doubled(doubled(twice));
        divisor.low = eight.low + twice.low;
        divisor.high = eight.high + twice.high + (divisor.low < eight.low);
    }
    for (; !is_less(rest, divisor); exponent++)
        divisor = doubled(divisor);
    for (; is_less(doubled(rest), divisor); exponent--)
        rest = doubled(rest);
    for (place = 0; place < 54; place++, bits <<= 1) { /* 53 bits and the one that rounds, then a free one */
        rest = doubled(rest);
        if (!is_less(rest, divisor)) {
            rest = minus(rest, divisor);
            bits |= 1;
        }
    }
    bits >>= 1;
    if ((bits & 1) && (rest.high != 0 || rest.low != 0 || (bits & 2)))
        bits += 1;
    return ldexp((double)(bits >> 1), exponent - 53);
}

/* The double that is nearest to the number, for all that have up to 19 digits and are neither huge nor tiny: a whole
 * double times or by an exact power of ten rounds once, what is longer is divided bit by bit. */
int read_real(const struct token *token, double *out) {
    const uint8_t *at, *end;
    size_t digits, place, significant = 0;
    int64_t power;
    uint64_t value = 0;
    if (token->kind != K_NUMBER)
        return 0;
    at = token->at + token->negative;
    end = token->at + token->size;
    digits = token->whole + token->fraction;
    power = -(int64_t)token->fraction;
    for (place = 0; place < digits; place++) {
        uint8_t digit = (uint8_t)(at[place + (place >= token->whole)] - '0');
        if ((significant > 0 || digit != 0) && ++significant > MAX_REAL_DIGITS)
            return 0;
        value = value * 10 + digit;
    }
    if (token->exponent) {
        at += digits + (token->fraction > 0);
        power += exponent_value(at + 1, end);
    }
    if (value <= UINT64_C(1) << 53 && power >= -22 && power <= 22)
        *out = power < 0 ? (double)value / TENS[-power] : (double)value * TENS[power];
    else if (value > 0 && power >= -MAX_DIVISOR && power <= 0)
        *out = divided(value, (int)-power);
    else
        return 0;
    if (token->negative)
        *out = -*out;
    return 1;
}

int read_id(const struct token *token, uint64_t *out) {
    if ((token->kind != K_NUMBER && token->kind != K_STRING) || token->size == 0 || token->size > 19 ||
        digits_at(token->at, token->at + token->size) != token->size || (token->at[0] == '0' && token->size > 1))
        return 0;
    *out = digits_value(token->at, token->size);
    return *out < SCAN_OTHER_ID;
}

void number_token(const uint8_t *at, const uint8_t *end, struct token *out) {
    out->kind = K_NUMBER;
    out->at = at;
    out->negative = at < end && *at == '-';
    out->exponent = 0;
    out->fraction = 0;
    at += out->negative;
    out->whole = digits_at(at, end);
    at += out->whole;
    if (at < end && *at == '.') {
        out->fraction = digits_at(at + 1, end);
        at += 1 + out->fraction;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        out->exponent = 1;
        at++;
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        at += digits_at(at, end);
    }
    out->size = (size_t)(at - out->at);
}
