/* Chrome trace events, bytes to columns: the interface of the scanner. Plain C, knows nothing of Python.
 *
 * A scanner reads elements of a JSON array strictly (RFC 8259) and appends rows to the tables below. What is not
 * strictly valid it gives back with its position. It never reads outside the data and never recurses. */
#ifndef PROFVIZ_SCAN_H
#define PROFVIZ_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum scan_status { SCAN_LANDED, SCAN_END, SCAN_ODD, SCAN_CUT, SCAN_NO_MEMORY };

/* bits of the state columns */
enum { STATE_BAD_TIME = 1, STATE_NO_DUR = 2, STATE_KEPT = 4, STATE_BEGIN = 8, STATE_ASYNC = 16 };

enum { SCAN_MISSING = -1, SCAN_MAX_DEPTH = 512, SCAN_MAX_COLUMNS = 16, SCAN_OTHER_PHASE = 1 };
#define SCAN_NO_ID UINT64_MAX
#define SCAN_OTHER_ID (UINT64_C(1) << 63)

enum scan_table { T_EVENTS, T_SLICES, T_GPU, T_DIMS, T_MARKS, T_VALUES, T_MEMORY, TABLE_COUNT };

struct column_spec {
    const char *name; /* "table.column"; NULL ends a table */
    size_t width;     /* bytes of one row */
};
extern const struct column_spec scan_columns[TABLE_COUNT][SCAN_MAX_COLUMNS];

/* Rows of one table, a C array for each column. */
struct table {
    size_t rows, capacity, before; /* `before`: rows when they were last handed over */
    void *column[SCAN_MAX_COLUMNS];
};

/* Distinct byte strings numbered in order of appearance; all their bytes lie in one block. */
struct interned {
    size_t offset, size;
};
struct intern_slot {
    uint32_t hash, number; /* number + 1, 0 when empty */
};
struct intern {
    uint64_t seed;
    struct intern_slot *slots;
    size_t mask; /* count of slots - 1 */
    struct interned *texts;
    size_t count, capacity;
    uint8_t *bytes;
    size_t used, room;
};

struct kept_text {
    uint32_t event;
    size_t offset, size;
};

struct lane_memo {
    uint64_t pid, tid;
    uint32_t shape; /* sizes and kinds of both; 0 when empty */
    uint32_t lane;
};
enum { LANE_MEMOS = 64 };

/* A short category's number, by its first 16 bytes. */
struct category_memo {
    uint64_t words[2];
    uint32_t size, number; /* number + 1, 0 when empty */
};
enum { CATEGORY_MEMOS = 64 };

/* A value's text that was found valid: the same bytes need no second reading. See scan_memo.h. */
enum { MEMO_SIZE = 64, NAME_MEMOS = 1024, DIMS_MEMOS = 1024, NESTED_MEMOS = 2048 };
struct value_memo {
    uint8_t bytes[MEMO_SIZE];
    uint64_t bits;         /* one for each byte that counts */
    uint32_t size, number; /* in the strings + 1; 0 when not interned yet */
};

/* Known texts between two values of an object; number 0 is none. See scan_gap.h. */
enum { GAP_SIZE = 48, GAP_COUNT = 256, GAP_CONTEXTS = 4096 };
struct gap {
    uint8_t bytes[GAP_SIZE];
    uint32_t bits, last_bits; /* one for each byte that counts: the first 32, and those behind */
    uint8_t size, slot;
};
struct gap_book {
    struct gap gaps[GAP_COUNT];
    uint8_t foretold[GAP_CONTEXTS];
    int is_args, is_first; /* stand in args; behind an opening brace */
};

struct scanner {
    struct table tables[TABLE_COUNT];
    struct intern strings, categories, lanes, ids;
    uint8_t *is_gpu; /* by number of category */
    size_t gpu_known, gpu_room;
    uint8_t *gpu_names; /* lower-case names of GPU work, each behind its size as size_t */
    size_t gpu_names_size;
    struct kept_text *kept;
    size_t kept_count, kept_capacity;
    uint8_t *kept_bytes;
    size_t kept_used, kept_room;
    uint8_t *scratch; /* for keys that are put together */
    size_t scratch_room;
    struct lane_memo lane_memos[LANE_MEMOS];
    struct category_memo category_memos[CATEGORY_MEMOS];
    struct value_memo names[NAME_MEMOS], dims[DIMS_MEMOS], nested[NESTED_MEMOS];
    struct gap_book event_gaps[2], arg_gaps[2]; /* those behind a value, and the first ones */
};

/* `names` holds `count` names, `sizes` their sizes. 0, or -1 without memory (then nothing is held). */
int scanner_init(struct scanner *scanner, uint64_t seed, const uint8_t *const *names, const size_t *sizes,
                 size_t count);
void scanner_free(struct scanner *scanner);

/* Reads events of data[start:size]; `*position` is where it stopped. Offsets in the file count from `base`. */
enum scan_status scanner_scan(struct scanner *scanner, const uint8_t *data, size_t size, size_t start, uint64_t base,
                              size_t *position);

/* Takes the one event that `text` wholly is. 1 taken, 0 not valid or blank, -1 no memory. */
int scanner_scan_one(struct scanner *scanner, const uint8_t *text, size_t size, uint64_t offset, uint32_t length);

/* Hands over the memory of a column, to be freed by the caller; NULL when it has no rows. */
void *scanner_take_column(struct scanner *scanner, int table, int column, size_t *size);
/* Forgets all rows and kept texts, whether their columns were taken or not. The interned texts stay. */
void scanner_clear_rows(struct scanner *scanner);

const uint8_t *interned_text(const struct intern *intern, size_t number, size_t *size);
/* Cuts the text of a lane into pid and tid; gives the size of the pid's, which stands first. */
const uint8_t *lane_text(const struct scanner *scanner, size_t number, size_t *pid_size, size_t *tid_size);

#endif
