/* Reads events one after the other. Most of the data is read in place; its last bytes, where reading ahead would leave
 * it, from a copy that zeros follow: no zero is valid anywhere, so reading stops there by itself. */
#include <stdlib.h>

#include "scan_gap.h"
#include "scan_memo.h"

/* The object at p, which is the event's args. */
static ALWAYS_INLINE const uint8_t *read_args(struct scanner *scanner, struct reader *reader, const uint8_t *p,
                                              struct event *event) {
    const uint8_t *first = p;
    /* which args there are depends on the category, and much on the arg before */
    unsigned context = (unsigned)(event->fields[F_CAT].kind == K_STRING ? event->fields[F_CAT].size : 0), number;
    int slot, is_first = 1;
    event->args_seen = 0;
    event->fields[F_ARGS].kind = K_OBJECT;
    event->fields[F_ARGS].at = p;
    for (;;) {
        p = skip_gap(reader, &scanner->arg_gaps[is_first], context % GAP_CONTEXTS, p, &slot, &number);
        if (UNLIKELY(p == NULL))
            return NULL;
        if (slot == SLOT_CLOSE)
            break;
        if (slot == A_DIMS)
            event->dims_memo = NULL;
        if (*p == '[' || *p == '{')
            p = read_nested(scanner, reader, p, event, slot);
        else
            p = skip_value(reader, p, 2, &event->args[slot]);
        if (UNLIKELY(p == NULL))
            return NULL;
        event->args_seen |= UINT32_C(1) << slot;
        context = context * 4 + number;
        is_first = 0;
    }
    event->fields[F_ARGS].size = (size_t)(p - first);
    return p;
}

/* From an opening brace to behind its closing one; `*is_empty` when nothing is between. */
static ALWAYS_INLINE const uint8_t *read_event(struct scanner *scanner, struct reader *reader, const uint8_t *p,
                                               struct event *event, int *is_empty) {
    unsigned context = 0, number;
    int slot;
    event->at = p;
    event->args_seen = 0;
    event->name_key = 0;
    event->name_memo = event->dims_memo = NULL;
    for (slot = 0; slot < FIELD_COUNT; slot++)
        event->fields[slot].kind = K_ABSENT;
    *is_empty = 1;
    for (;;) {
        p = skip_gap(reader, &scanner->event_gaps[*is_empty], context, p, &slot, &number);
        if (UNLIKELY(p == NULL))
            return NULL;
        if (slot == SLOT_CLOSE)
            break;
        if (slot == F_ARGS) {
            event->args_seen = 0;
            if (LIKELY(*p == '{'))
                p = read_args(scanner, reader, p, event);
            else
                p = skip_value(reader, p, 1, &event->fields[F_ARGS]);
        } else if (slot == F_NAME) {
            p = read_name(scanner, reader, p, event);
        } else {
            p = skip_value(reader, p, 1, &event->fields[slot]);
        }
        if (UNLIKELY(p == NULL))
            return NULL;
        /* what comes next depends on what came before, and on the kind of event */
        context = number | (unsigned)*is_empty << 8;
        if (event->fields[F_PH].kind == K_STRING)
            context |= (event->fields[F_PH].at[0] & 7u) << 9;
        *is_empty = 0;
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
        next = read_event(scanner, reader, p, &event, &is_empty);
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
    end = read_event(scanner, &reader, copy, &event, &is_empty);
    if (end == reader.end && !is_empty) {
        event.offset = offset;
        event.length = length;
        taken = take_event(scanner, &event) < 0 ? -1 : 1;
    }
    free(copy);
    return taken;
}
