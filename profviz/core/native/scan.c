/* Reads events one after the other. Most of the data is read in place; its last bytes, where reading ahead would leave
 * it, from a copy that zeros follow: no zero is valid anywhere, so reading stops there by itself. */
#include <stdlib.h>

#include "scan_keys.h"
#include "scan_value.h"

static ALWAYS_INLINE const uint8_t *skip_known_key(struct reader *reader, const uint8_t *p, const uint8_t **end,
                                                   int *is_escaped) {
    if (UNLIKELY(*p != '"'))
        return fail(reader, p);
    p = plain_end(reader, p + 1);
    *is_escaped = 0;
    if (UNLIKELY(p == NULL))
        return NULL;
    if (UNLIKELY(*p != '"')) {
        *is_escaped = 1;
        p = skip_special(reader, p);
        if (p == NULL)
            return NULL;
    }
    *end = p;
    return skip_colon(reader, p + 1);
}

/* What stands behind a value: `,` gives the next key, the closing brace gives itself. */
static ALWAYS_INLINE const uint8_t *skip_comma(struct reader *reader, const uint8_t *p, int *is_last) {
    if (UNLIKELY(*p <= ' ') && (p = skip_blank(reader, p)) == NULL)
        return NULL;
    *is_last = *p == '}';
    if (*is_last)
        return p + 1;
    if (UNLIKELY(*p != ','))
        return fail(reader, p);
    return skip_blank(reader, p + 1);
}

/* The object at p, which is the event's args. */
static ALWAYS_INLINE const uint8_t *read_args(struct reader *reader, const uint8_t *p, struct event *event) {
    const uint8_t *first = p, *key, *end;
    uint8_t plain[LONGEST_PLAIN];
    int is_escaped, is_last = 0, arg;
    event->args_seen = 0;
    event->fields[F_ARGS].kind = K_OBJECT;
    event->fields[F_ARGS].at = p;
    p = skip_blank(reader, p + 1);
    if (UNLIKELY(p == NULL))
        return NULL;
    if (*p == '}') {
        is_last = 1;
        p++;
    }
    while (!is_last) {
        key = p + 1;
        p = skip_known_key(reader, p, &end, &is_escaped);
        if (UNLIKELY(p == NULL))
            return NULL;
        arg = arg_of(key, (size_t)(end - key));
        if (UNLIKELY(is_escaped))
            arg = arg_of(plain, plain_ascii(key, end, plain));
        p = skip_value(reader, p, 2, &event->args[arg]);
        if (UNLIKELY(p == NULL))
            return NULL;
        event->args_seen |= UINT32_C(1) << arg;
        p = skip_comma(reader, p, &is_last);
        if (UNLIKELY(p == NULL))
            return NULL;
    }
    event->fields[F_ARGS].size = (size_t)(p - first);
    return p;
}

/* From an opening brace to behind its closing one; `*is_empty` when nothing is between. */
static const uint8_t *read_event(struct reader *reader, const uint8_t *p, struct event *event, int *is_empty) {
    const uint8_t *key, *end;
    uint8_t plain[LONGEST_PLAIN];
    int is_escaped, is_last = 0, field;
    event->at = p;
    event->args_seen = 0;
    for (field = 0; field < FIELD_COUNT; field++)
        event->fields[field].kind = K_ABSENT;
    p = skip_blank(reader, p + 1);
    if (UNLIKELY(p == NULL))
        return NULL;
    *is_empty = *p == '}';
    if (*is_empty)
        return p + 1;
    while (!is_last) {
        key = p + 1;
        p = skip_known_key(reader, p, &end, &is_escaped);
        if (UNLIKELY(p == NULL))
            return NULL;
        field = field_of(key, (size_t)(end - key));
        if (UNLIKELY(is_escaped))
            field = field_of(plain, plain_ascii(key, end, plain));
        if (field == F_ARGS) {
            event->args_seen = 0;
            p = *p == '{' ? read_args(reader, p, event) : skip_value(reader, p, 1, &event->fields[F_ARGS]);
        } else {
            p = skip_value(reader, p, 1, &event->fields[field]);
        }
        if (UNLIKELY(p == NULL))
            return NULL;
        p = skip_comma(reader, p, &is_last);
        if (UNLIKELY(p == NULL))
            return NULL;
    }
    event->size = (size_t)(p - event->at);
    return p;
}

/* Between two events: blanks and any number of commas. NULL when the text is used up. */
static ALWAYS_INLINE const uint8_t *skip_between(struct reader *reader, const uint8_t *p) {
    while (p <= reader->safe) {
        if (is_blank(*p))
            p = skip_blank(reader, p);
        else if (*p == ',')
            p++;
        else
            return p;
        if (p == NULL)
            return NULL;
    }
    return fail(reader, NULL);
}

enum outcome { O_SHORT = -1 };

/* Reads events from *position on until something else comes; O_SHORT when that is the end of what is safe. */
static int read_events(struct scanner *scanner, struct reader *reader, const uint8_t **position, uint64_t offset) {
    struct event event;
    const uint8_t *p = *position, *text = p, *next;
    int is_empty;
    for (;;) {
        next = skip_between(reader, p);
        if (next == NULL)
            return O_SHORT;
        *position = p = next;
        if (UNLIKELY(*p != '{')) {
            if (p >= reader->end)
                return SCAN_LANDED;
            return *p == ']' ? SCAN_END : SCAN_ODD;
        }
        next = read_event(reader, p, &event, &is_empty);
        if (UNLIKELY(next == NULL)) {
            if (reader->stop == NULL)
                return O_SHORT;
            return reader->stop >= reader->end ? SCAN_CUT : SCAN_ODD;
        }
        if (LIKELY(!is_empty)) {
            if (UNLIKELY(event.size > UINT32_MAX))
                return SCAN_ODD;
            event.offset = offset + (uint64_t)(p - text);
            event.length = (uint32_t)event.size;
            if (UNLIKELY(take_event(scanner, &event) < 0))
                return SCAN_NO_MEMORY;
        }
        *position = p = next;
    }
}

/* A copy with zeros behind; to be freed by the caller. */
static uint8_t *padded(const uint8_t *data, size_t size) {
    uint8_t *copy = size > SIZE_MAX - 2 * READ_AHEAD ? NULL : malloc(size + 2 * READ_AHEAD);
    if (copy != NULL) {
        if (size != 0)
            memcpy(copy, data, size);
        memset(copy + size, 0, 2 * READ_AHEAD);
    }
    return copy;
}

static enum scan_status scan_tail(struct scanner *scanner, const uint8_t *data, size_t size, uint64_t offset,
                                  size_t *done) {
    struct reader reader;
    const uint8_t *position;
    uint8_t *copy = padded(data, size);
    int status;
    if (copy == NULL)
        return SCAN_NO_MEMORY;
    position = copy;
    reader.end = reader.safe = copy + size;
    reader.stop = NULL;
    status = read_events(scanner, &reader, &position, offset);
    *done = (size_t)(position - copy);
    free(copy);
    return (enum scan_status)status;
}

enum scan_status scanner_scan(struct scanner *scanner, const uint8_t *data, size_t size, size_t start, uint64_t base,
                              size_t *position) {
    size_t done = 0;
    *position = start;
    if (size - start > 2 * READ_AHEAD) {
        struct reader reader;
        const uint8_t *at = data + start;
        int status;
        reader.end = data + size;
        reader.safe = reader.end - READ_AHEAD;
        reader.stop = NULL;
        status = read_events(scanner, &reader, &at, base + start);
        *position = (size_t)(at - data);
        if (status != O_SHORT)
            return (enum scan_status)status;
    }
    start = *position;
    {
        enum scan_status status = scan_tail(scanner, data + start, size - start, base + start, &done);
        *position = start + done;
        return status;
    }
}

int scanner_scan_one(struct scanner *scanner, const uint8_t *text, size_t size, uint64_t offset, uint32_t length) {
    struct reader reader;
    struct event event;
    const uint8_t *end;
    uint8_t *copy;
    int is_empty, taken = 0;
    if (size == 0 || text[0] != '{')
        return 0;
    copy = padded(text, size);
    if (copy == NULL)
        return -1;
    reader.end = reader.safe = copy + size;
    reader.stop = NULL;
    end = read_event(&reader, copy, &event, &is_empty);
    if (end == reader.end && !is_empty) {
        event.offset = offset;
        event.length = length;
        taken = take_event(scanner, &event) < 0 ? -1 : 1;
    }
    free(copy);
    return taken;
}
