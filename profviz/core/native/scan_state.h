/* What the parts of the scanner share: tokens, the event being read, and the functions between the files. */
#ifndef PROFVIZ_SCAN_STATE_H
#define PROFVIZ_SCAN_STATE_H

#include "scan.h"

#if defined(__GNUC__) || defined(__clang__)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define NOINLINE __attribute__((noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#define NOINLINE __declspec(noinline)
#define ALWAYS_INLINE __forceinline
#endif

/* where words are loaded from text, the first byte has to be the lowest */
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IS_LITTLE_ENDIAN 1
#endif

enum kind { K_ABSENT, K_NULL, K_FALSE, K_TRUE, K_NUMBER, K_STRING, K_OBJECT, K_ARRAY };

/* A value as it stands in the text; of a string what is between the quotes. */
struct token {
    const uint8_t *at;
    size_t size;
    size_t whole, fraction; /* digits of a number */
    uint8_t kind;
    uint8_t negative, exponent; /* of a number: begins with -, has an exponent */
};

enum arg {
    A_CORRELATION, A_EXTERNAL, A_EXTERNAL_LOWER, A_DEVICE, A_STREAM, A_GRID, A_BLOCK, A_REGISTERS, A_SHARED, A_BYTES,
    A_OCCUPANCY, A_BANDWIDTH, A_GRAPH, A_GRAPH_NODE, A_DIMS,
    A_M_ADDRESS, A_M_BYTES, A_M_ALLOCATED, A_M_RESERVED, A_M_DEVICE_TYPE, A_M_DEVICE,
    ARG_COUNT, A_OTHER = ARG_COUNT
};

enum field { F_PH, F_NAME, F_CAT, F_PID, F_TID, F_TS, F_DUR, F_ID, F_ID2, F_ARGS, FIELD_COUNT, F_OTHER = FIELD_COUNT };

/* One event's tokens. An arg counts only when its bit is in `args_seen`. */
struct event {
    const uint8_t *at;
    size_t size;
    uint64_t offset;
    uint32_t length;
    uint32_t args_seen;
    uint64_t name_key;
    struct value_memo *name_memo, *dims_memo; /* what is remembered of these values; NULL when nothing */
    struct token fields[FIELD_COUNT + 1];
    struct token args[ARG_COUNT + 1];
};

/* The text being read. Wherever p <= safe, at least READ_AHEAD bytes from p may be read. */
struct reader {
    const uint8_t *end, *safe;
    const uint8_t *stop; /* where reading failed; NULL when it came too near to the end to go on */
};
enum { READ_AHEAD = 64 };

static ALWAYS_INLINE int is_missing(const struct token *token) { return token->kind <= K_NULL; }

/* What a row needs of the event's texts. */
struct labels {
    uint32_t name, category, lane;
};

/* scan_labels.c: interns them; -1 without memory */
int read_labels(struct scanner *scanner, const struct event *event, struct labels *out);
uint32_t intern_remembered(struct scanner *scanner, const struct token *token, struct value_memo *memo);

/* scan_rows.c: 0, or -1 without memory (then no row is added) */
int take_event(struct scanner *scanner, const struct event *event);

/* scan_values.c */
struct counted {
    const uint8_t *key;
    size_t key_size;
    double value;
};
const uint8_t *next_counted(const uint8_t *at, const uint8_t *end, struct counted *out, int *is_odd);
/* A valid string without its escapes; 0 when it is longer than LONGEST_PLAIN or not all ASCII. */
enum { LONGEST_PLAIN = 32 };
size_t plain_ascii(const uint8_t *at, const uint8_t *end, uint8_t out[LONGEST_PLAIN]);
int read_triple(const struct token *token, int32_t out[3]);

/* scan_number.c: 0 when the token is no such number */
int read_time(const struct token *token, int64_t *ns);
int read_duration(const struct token *dur, const struct token *ts, int64_t *ns);
int read_real(const struct token *token, double *out);
int read_id(const struct token *token, uint64_t *out);
/* Reads the number at `at` of a valid text. */
void number_token(const uint8_t *at, const uint8_t *end, struct token *out);

/* scan_intern.c: number of the text, UINT32_MAX without memory; `is_raw` spells it with a zero byte before */
int intern_init(struct intern *intern, uint64_t seed, int with_empty);
void intern_free(struct intern *intern);
uint32_t intern_bytes(struct intern *intern, const uint8_t *bytes, size_t size, int is_raw);
static ALWAYS_INLINE uint32_t intern_token(struct intern *intern, const struct token *token) {
    if (LIKELY(token->kind == K_STRING))
        return intern_bytes(intern, token->at, token->size, 0);
    return is_missing(token) ? 0 : intern_bytes(intern, token->at, token->size, 1);
}

/* scan_table.c */
int table_grow(struct table *table, int which);
int grow_block(void **block, size_t *capacity, size_t needed, size_t width);
static ALWAYS_INLINE int table_room(struct table *table, int which) {
    return LIKELY(table->rows < table->capacity) ? 0 : table_grow(table, which);
}

#endif
