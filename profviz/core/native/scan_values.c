/* Second looks into a valid event's text, for what is rare or known to matter only later: a counter's numbers, lists of
 * three, strings with escapes. */
#include <string.h>

#include "scan_digits.h"

static int hex_digit(uint8_t byte) { return byte <= '9' ? byte - '0' : (byte | 0x20) - 'a' + 10; }

static uint8_t short_escape(uint8_t byte) {
    switch (byte) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return byte;
    }
}

size_t plain_ascii(const uint8_t *at, const uint8_t *end, uint8_t out[LONGEST_PLAIN]) {
    size_t size = 0;
    while (at < end) {
        int value = *at++, place;
        if (value == '\\' && at < end) {
            value = short_escape(*at++);
            if (at[-1] == 'u' && end - at >= 4) {
                for (value = 0, place = 0; place < 4; place++)
                    value = value << 4 | hex_digit(*at++);
            }
        }
        if (value >= 0x80 || size == LONGEST_PLAIN)
            return 0;
        out[size++] = (uint8_t)value;
    }
    return size;
}

static const uint8_t *over_blank(const uint8_t *at, const uint8_t *end) {
    while (at < end && *at <= ' ')
        at++;
    return at;
}

static const uint8_t *over_string(const uint8_t *at, const uint8_t *end) {
    while (at < end && *at != '"')
        at += *at == '\\' ? 2 : 1;
    return at < end ? at : end;
}

/* The next key with a number of the object that `at` is in, first called with its opening brace. NULL at the end, and
 * with *is_odd set at a value that is neither null nor a simple number. */
const uint8_t *next_counted(const uint8_t *at, const uint8_t *end, struct counted *out, int *is_odd) {
    for (;;) {
        struct token token;
        at = over_blank(at + 1, end); /* over the brace or the comma */
        if (at >= end || *at != '"')
            return NULL;
        out->key = ++at;
        at = over_string(at, end);
        out->key_size = (size_t)(at - out->key);
        at = over_blank(at + 1, end);
        at = over_blank(at + 1, end); /* over the colon */
        if (at >= end)
            return NULL;
        if (*at == 'n') {
            at = over_blank(at + 4, end);
            continue;
        }
        if (*at == '-' || (uint8_t)(*at - '0') < 10) {
            number_token(at, end, &token);
            at = over_blank(at + token.size, end);
            if (read_real(&token, &out->value))
                return at;
        }
        *is_odd = 1;
        return NULL;
    }
}

int read_triple(const struct token *token, int32_t out[3]) {
    const uint8_t *at = token->at, *end = at + token->size;
    int place;
    if (token->kind != K_ARRAY)
        return 0;
    for (place = 0; place < 3; place++) {
        struct token item;
        int64_t value;
        at = over_blank(at + 1, end); /* over the bracket or the comma */
        if (at >= end || (*at != '-' && (uint8_t)(*at - '0') > 9))
            return 0;
        number_token(at, end, &item);
        if (!read_integer(&item, INT32_MIN, INT32_MAX, &value))
            return 0;
        out[place] = (int32_t)value;
        at = over_blank(at + item.size, end);
        if (at >= end || *at != (place < 2 ? ',' : ']'))
            return 0;
    }
    return 1;
}
