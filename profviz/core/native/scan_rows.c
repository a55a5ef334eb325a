/* Appends the rows of one event: all of them, or none where memory runs out. */
#include <math.h>
#include <string.h>

#include "scan_digits.h"

static const struct token ABSENT = {NULL, 0, 0, 0, K_ABSENT, 0, 0};

static ALWAYS_INLINE const struct token *arg(const struct event *event, int which) {
    return event->args_seen >> which & 1 ? &event->args[which] : &ABSENT;
}

static ALWAYS_INLINE int32_t int32_arg(const struct token *token, uint8_t *state) {
    int64_t value;
    if (is_missing(token))
        return SCAN_MISSING;
    if (LIKELY(read_integer(token, INT32_MIN, INT32_MAX, &value)))
        return (int32_t)value;
    *state |= STATE_KEPT;
    return SCAN_MISSING;
}

static ALWAYS_INLINE int64_t int64_arg(const struct token *token, uint8_t *state) {
    int64_t value;
    if (is_missing(token))
        return SCAN_MISSING;
    if (LIKELY(read_integer(token, INT64_MIN, INT64_MAX, &value)))
        return value;
    *state |= STATE_KEPT;
    return SCAN_MISSING;
}

static double real_arg(const struct token *token, uint8_t *state) {
    double value;
    if (is_missing(token))
        return NAN;
    if (LIKELY(read_real(token, &value)))
        return value;
    *state |= STATE_KEPT;
    return NAN;
}

static void triple_arg(const struct token *token, int32_t out[3], uint8_t *state) {
    if (!is_missing(token) && read_triple(token, out))
        return;
    out[0] = out[1] = out[2] = SCAN_MISSING;
    if (!is_missing(token))
        *state |= STATE_KEPT;
}

#define PUT(table, place, type, value) (((type *)(table)->column[place])[row] = (value))

/* Writes the next gpu row; there is room. Gives the state bits it found. */
static uint8_t put_gpu(struct table *table, const struct event *event, uint32_t slice) {
    static const uint8_t ints[] = {A_DEVICE, A_STREAM}, longs[] = {A_SHARED, A_BYTES};
    size_t row = table->rows, place;
    uint8_t state = 0;
    int32_t triple[3];
    PUT(table, 0, uint32_t, slice);
    for (place = 0; place < 2; place++) {
        PUT(table, 1 + place, int32_t, int32_arg(arg(event, ints[place]), &state));
        PUT(table, 10 + place, int64_t, int64_arg(arg(event, longs[place]), &state));
        PUT(table, 12 + place, double, real_arg(arg(event, A_OCCUPANCY + (int)place), &state));
        PUT(table, 14 + place, int64_t, int64_arg(arg(event, A_GRAPH + (int)place), &state));
        triple_arg(arg(event, A_GRID + (int)place), triple, &state);
        PUT(table, 3 + 3 * place, int32_t, triple[0]);
        PUT(table, 4 + 3 * place, int32_t, triple[1]);
        PUT(table, 5 + 3 * place, int32_t, triple[2]);
    }
    PUT(table, 9, int32_t, int32_arg(arg(event, A_REGISTERS), &state));
    table->rows++;
    return state;
}

/* Writes the next memory row; there is room. Gives the state bits it found. */
static uint8_t put_memory(struct table *table, const struct event *event, uint32_t number) {
    size_t row = table->rows, place;
    uint8_t state = 0;
    PUT(table, 0, uint32_t, number);
    for (place = 0; place < 4; place++)
        PUT(table, 1 + place, int64_t, int64_arg(arg(event, A_M_ADDRESS + (int)place), &state));
    for (place = 0; place < 2; place++)
        PUT(table, 5 + place, int32_t, int32_arg(arg(event, A_M_DEVICE_TYPE + (int)place), &state));
    table->rows++;
    return state;
}

static ALWAYS_INLINE uint8_t time_of(const struct event *event, int64_t *ns) {
    if (LIKELY(plain_time(&event->fields[F_TS], ns)) || LIKELY(read_time(&event->fields[F_TS], ns)))
        return 0;
    *ns = 0;
    return STATE_BAD_TIME;
}

/* Writes a slice's rows, the gpu and dims rows with it; gives its state, -1 without memory. */
static int take_slice(struct scanner *scanner, const struct event *event, const struct labels *labels, uint8_t phase) {
    struct table *table = &scanner->tables[T_SLICES], *dims = &scanner->tables[T_DIMS];
    const struct token *external = arg(event, A_EXTERNAL), *shape = arg(event, A_DIMS);
    size_t row = table->rows;
    uint8_t state;
    int64_t start, dur = 0;
    uint32_t text = 0;
    int is_gpu = scanner->is_gpu[labels->category];
    if (!is_missing(shape) && ((text = intern_remembered(scanner, shape, event->dims_memo)) == UINT32_MAX || table_room(dims, T_DIMS)))
        return -1;
    if (UNLIKELY(table_room(table, T_SLICES) || (is_gpu && table_room(&scanner->tables[T_GPU], T_GPU))))
        return -1;
    state = time_of(event, &start);
    if (phase != 'X' || (UNLIKELY(!plain_time(&event->fields[F_DUR], &dur)) &&
                         UNLIKELY(!read_duration(&event->fields[F_DUR], &event->fields[F_TS], &dur)))) {
        dur = 0;
        state |= STATE_NO_DUR | (phase == 'B' ? STATE_BEGIN : phase == 'X' ? 0 : STATE_ASYNC);
    }
    if (is_missing(external))
        external = arg(event, A_EXTERNAL_LOWER);
    PUT(table, 0, uint32_t, (uint32_t)scanner->tables[T_EVENTS].rows);
    PUT(table, 1, int64_t, start);
    PUT(table, 2, int64_t, dur);
    PUT(table, 3, uint32_t, labels->name);
    PUT(table, 4, uint32_t, labels->category);
    PUT(table, 5, uint32_t, labels->lane);
    PUT(table, 6, int32_t, int32_arg(arg(event, A_CORRELATION), &state));
    PUT(table, 7, int32_t, int32_arg(external, &state));
    if (is_gpu)
        state |= put_gpu(&scanner->tables[T_GPU], event, (uint32_t)row);
    PUT(table, 8, uint8_t, state);
    table->rows++;
    if (!is_missing(shape)) {
        row = dims->rows++;
        ((uint32_t *)dims->column[0])[row] = (uint32_t)table->rows - 1;
        ((uint32_t *)dims->column[1])[row] = text;
    }
    return state;
}

/* Number of a mark's id, or its place among those that are none; 0 without memory. */
static int read_mark_id(struct scanner *scanner, const struct event *event, uint8_t phase, uint64_t *out) {
    const struct token *id = &event->fields[F_ID];
    uint32_t number;
    if (!is_missing(id) && LIKELY(read_id(id, out)))
        return 1;
    if (is_missing(id) && memchr("benSTF", phase, 6) != NULL)
        id = &event->fields[F_ID2];
    *out = SCAN_NO_ID;
    if (is_missing(id))
        return 1;
    number = intern_token(&scanner->ids, id);
    *out = SCAN_OTHER_ID | number;
    return number != UINT32_MAX;
}

/* Adds a counter's numbers; 1 when some value is none and none was added, -1 without memory. */
static int take_values(struct scanner *scanner, const struct event *event) {
    const struct token *args = &event->fields[F_ARGS];
    const uint8_t *at = args->at, *end = at + args->size;
    struct table *table = &scanner->tables[T_VALUES];
    size_t row, first = table->rows;
    struct counted counted;
    int is_odd = 0;
    while ((at = next_counted(at, end, &counted, &is_odd)) != NULL)
        continue;
    if (is_odd)
        return 1;
    at = args->at;
    while ((at = next_counted(at, end, &counted, &is_odd)) != NULL) {
        uint32_t key = intern_bytes(&scanner->strings, counted.key, counted.key_size, 0);
        if (key == UINT32_MAX || table_room(table, T_VALUES)) {
            table->rows = first;
            return -1;
        }
        row = table->rows++;
        PUT(table, 0, uint32_t, (uint32_t)scanner->tables[T_EVENTS].rows);
        PUT(table, 1, uint32_t, key);
        PUT(table, 2, double, counted.value);
    }
    return 0;
}

/* Whether the string is this one, escapes or not. */
static ALWAYS_INLINE int equals(const struct token *token, const char *text, size_t size) {
    uint8_t plain[LONGEST_PLAIN];
    if (token->kind != K_STRING || token->size < size)
        return 0;
    if (LIKELY(token->size == size))
        return memcmp(token->at, text, size) == 0;
    return memchr(token->at, '\\', token->size) != NULL &&
           plain_ascii(token->at, token->at + token->size, plain) == size && memcmp(plain, text, size) == 0;
}

static ALWAYS_INLINE int is_memory(const struct event *event, uint8_t phase) {
    return (phase == 'i' || phase == 'I') && equals(&event->fields[F_NAME], "[memory]", 8);
}

/* Writes a mark's row and those of its numbers; `state` is what the slice beside it found. -1 without memory. */
static int take_mark(struct scanner *scanner, const struct event *event, const struct labels *labels, uint8_t phase,
                     uint8_t state) {
    struct table *table = &scanner->tables[T_MARKS], *memory = &scanner->tables[T_MEMORY];
    size_t row = table->rows;
    int64_t time;
    uint64_t id;
    if (!read_mark_id(scanner, event, phase, &id) || table_room(table, T_MARKS))
        return -1;
    if (is_memory(event, phase)) {
        if (table_room(memory, T_MEMORY))
            return -1;
        state |= put_memory(memory, event, (uint32_t)scanner->tables[T_EVENTS].rows);
    }
    if (phase == 'C' && event->fields[F_ARGS].kind == K_OBJECT) {
        int odd = take_values(scanner, event);
        if (odd < 0)
            return -1;
        state |= odd ? STATE_KEPT : 0;
    }
    state |= time_of(event, &time);
    PUT(table, 0, uint32_t, (uint32_t)scanner->tables[T_EVENTS].rows);
    PUT(table, 1, uint8_t, phase);
    PUT(table, 2, int64_t, time);
    PUT(table, 3, uint32_t, labels->name);
    PUT(table, 4, uint32_t, labels->category);
    PUT(table, 5, uint32_t, labels->lane);
    PUT(table, 6, uint64_t, id);
    PUT(table, 7, uint8_t, state & (STATE_BAD_TIME | STATE_KEPT));
    table->rows++;
    return state;
}

static NOINLINE int keep_text(struct scanner *scanner, const struct event *event) {
    struct kept_text *kept;
    if (scanner->kept_used > SIZE_MAX / 2 ||
        grow_block((void **)&scanner->kept, &scanner->kept_capacity, scanner->kept_count + 1, sizeof(*kept)) < 0 ||
        grow_block((void **)&scanner->kept_bytes, &scanner->kept_room, scanner->kept_used + event->size, 1) < 0)
        return -1;
    kept = &scanner->kept[scanner->kept_count++];
    kept->event = (uint32_t)scanner->tables[T_EVENTS].rows;
    kept->offset = scanner->kept_used;
    kept->size = event->size;
    memcpy(scanner->kept_bytes + scanner->kept_used, event->at, event->size);
    scanner->kept_used += event->size;
    return 0;
}

static ALWAYS_INLINE uint8_t phase_of(const struct token *token) {
    uint8_t plain[LONGEST_PLAIN];
    if (token->kind != K_STRING)
        return SCAN_OTHER_PHASE;
    if (LIKELY(token->size == 1))
        return token->at[0];
    return plain_ascii(token->at, token->at + token->size, plain) == 1 ? plain[0] : SCAN_OTHER_PHASE;
}

/* Drops the rows at a table's end whose first column is `from` or more. */
static void drop_rows(struct table *table, size_t from) {
    while (table->rows > 0 && ((uint32_t *)table->column[0])[table->rows - 1] >= from)
        table->rows--;
}

/* Drops what there is of the event that could not be taken wholly. */
static NOINLINE int take_back(struct scanner *scanner) {
    size_t event = scanner->tables[T_EVENTS].rows;
    drop_rows(&scanner->tables[T_SLICES], event);
    drop_rows(&scanner->tables[T_MARKS], event);
    drop_rows(&scanner->tables[T_VALUES], event);
    drop_rows(&scanner->tables[T_MEMORY], event);
    drop_rows(&scanner->tables[T_GPU], scanner->tables[T_SLICES].rows);
    drop_rows(&scanner->tables[T_DIMS], scanner->tables[T_SLICES].rows);
    return -1;
}

int take_event(struct scanner *scanner, const struct event *event) {
    struct table *events = &scanner->tables[T_EVENTS];
    size_t row = events->rows;
    uint8_t phase = phase_of(&event->fields[F_PH]);
    int state = 0;
    struct labels labels;
    if (UNLIKELY(table_room(events, T_EVENTS)))
        return -1;
    if (UNLIKELY(phase == 'M')) {
        state = STATE_KEPT;
    } else {
        if (UNLIKELY(read_labels(scanner, event, &labels) < 0))
            return -1;
        if (phase == 'X' || phase == 'B' || phase == 'b' || phase == 'S')
            state = take_slice(scanner, event, &labels, phase);
        if (phase != 'X' && state >= 0)
            state = take_mark(scanner, event, &labels, phase,
                              (uint8_t)(state | (phase == SCAN_OTHER_PHASE ? STATE_KEPT : 0)));
        if (UNLIKELY(state < 0))
            return take_back(scanner);
    }
    if (UNLIKELY(state & STATE_KEPT) && keep_text(scanner, event) < 0)
        return take_back(scanner);
    PUT(events, 0, uint64_t, event->offset);
    PUT(events, 1, uint32_t, event->length);
    events->rows++;
    return 0;
}
