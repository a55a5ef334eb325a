/* libFuzzer's entry to the scanner: a text read whole, in pieces of random sizes as the reader does it, event by event
 * and with memory running out must give the same rows; positions only grow. The build says which path is tried, and
 * turns the scanner's allocations into those below: see run.py. */
#include <stdlib.h>
#include <string.h>

#include "scan.h"

#undef malloc
#undef calloc
#undef realloc
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);

/* Allocations of the scanner until one fails; 0 when none does. */
static uint32_t countdown;

static int fails(void) { return countdown != 0 && --countdown == 0; }

void *scan_malloc(size_t size) { return fails() ? NULL : malloc(size); }
void *scan_calloc(size_t count, size_t size) { return fails() ? NULL : calloc(count, size); }
void *scan_realloc(void *block, size_t size) { return fails() ? NULL : realloc(block, size); }

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition))                                                                                             \
            abort();                                                                                                  \
    } while (0)

static void make(struct scanner *scanner, uint64_t seed) {
    static const uint8_t *const names[] = {(const uint8_t *)"kernel", (const uint8_t *)"gpu_memcpy"};
    static const size_t sizes[] = {6, 10};
    CHECK(scanner_init(scanner, seed, names, sizes, 2) == 0);
}

/* A copy that ends where its memory ends, so that reading on is seen. */
static uint8_t *exact(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    CHECK(copy != NULL);
    memcpy(copy, data, size);
    return copy;
}

static void check_rows(const struct scanner *scanner, size_t size) {
    const struct table *slices = &scanner->tables[T_SLICES], *marks = &scanner->tables[T_MARKS];
    const struct table *events = &scanner->tables[T_EVENTS];
    size_t row;
    CHECK(slices->rows <= events->rows && marks->rows <= events->rows);
    CHECK(scanner->tables[T_GPU].rows <= slices->rows && scanner->tables[T_DIMS].rows <= slices->rows);
    CHECK(scanner->tables[T_MEMORY].rows <= marks->rows && scanner->kept_count <= events->rows);
    for (row = 0; row < events->rows; row++) {
        uint64_t offset = ((uint64_t *)events->column[0])[row];
        uint32_t length = ((uint32_t *)events->column[1])[row];
        CHECK(length > 2 && offset + length <= size);
        CHECK(row == 0 || offset >= ((uint64_t *)events->column[0])[row - 1] + ((uint32_t *)events->column[1])[row - 1]);
    }
    for (row = 0; row < slices->rows; row++) {
        CHECK(((uint32_t *)slices->column[3])[row] < scanner->strings.count);
        CHECK(((uint32_t *)slices->column[4])[row] < scanner->categories.count);
        CHECK(((uint32_t *)slices->column[5])[row] < scanner->lanes.count);
        CHECK(llabs(((int64_t *)slices->column[1])[row]) < INT64_C(1) << 62);
        CHECK(llabs(((int64_t *)slices->column[2])[row]) <= INT64_C(1) << 62);
    }
    for (row = 0; row < marks->rows; row++) {
        uint64_t id = ((uint64_t *)marks->column[6])[row];
        CHECK(id == SCAN_NO_ID || id < SCAN_OTHER_ID || id - SCAN_OTHER_ID < scanner->ids.count);
    }
}

/* Same rows in both; doubles by their bits. */
static void check_same(const struct scanner *one, const struct scanner *two) {
    int table, column;
    for (table = 0; table < TABLE_COUNT; table++) {
        size_t rows = one->tables[table].rows;
        CHECK(rows == two->tables[table].rows);
        for (column = 0; rows > 0 && column < SCAN_MAX_COLUMNS && scan_columns[table][column].name; column++)
            CHECK(memcmp(one->tables[table].column[column], two->tables[table].column[column],
                         rows * scan_columns[table][column].width) == 0);
    }
    CHECK(one->strings.count == two->strings.count && one->strings.used == two->strings.used);
    CHECK(one->categories.count == two->categories.count && one->lanes.used == two->lanes.used);
    CHECK(one->ids.used == two->ids.used && one->kept_used == two->kept_used);
    CHECK(one->kept_used == 0 || memcmp(one->kept_bytes, two->kept_bytes, one->kept_used) == 0);
    CHECK(one->strings.used == 0 || memcmp(one->strings.bytes, two->strings.bytes, one->strings.used) == 0);
}

/* Reads everything, skipping over what is odd by one byte; gives the status at the end. */
static enum scan_status read_whole(struct scanner *scanner, const uint8_t *data, size_t size) {
    size_t at = 0, position;
    for (;;) {
        enum scan_status status = scanner_scan(scanner, data, size, at, 0, &position);
        CHECK(status != SCAN_NO_MEMORY && position >= at && position <= size);
        CHECK((status == SCAN_LANDED) == (position == size));
        if (status == SCAN_LANDED || status == SCAN_CUT)
            return status;
        CHECK(status == SCAN_ODD || data[position] == ']');
        at = position + 1;
    }
}

/* The same with text that comes piece by piece: an event that is cut is read again with more behind it. */
static enum scan_status read_pieces(struct scanner *scanner, const uint8_t *data, size_t size, uint32_t random) {
    size_t begin = 0, end = 0, position;
    for (;;) {
        enum scan_status status;
        uint8_t *piece;
        if (end < size) {
            random = random * 1664525u + 1013904223u;
            end += 1 + (random >> 16) % (random & 0x300 ? 1500 : 17);
            end = end > size ? size : end;
        }
        piece = exact(data + begin, end - begin);
        status = scanner_scan(scanner, piece, end - begin, 0, begin, &position);
        free(piece);
        CHECK(status != SCAN_NO_MEMORY && position <= end - begin);
        begin += position;
        if (status == SCAN_ODD || status == SCAN_END)
            begin++;
        else if (end == size)
            return status;
    }
}

/* Each event by itself, as mended text is taken. */
static void read_singly(struct scanner *scanner, const struct scanner *whole, const uint8_t *data) {
    const struct table *events = &whole->tables[T_EVENTS];
    size_t row;
    for (row = 0; row < events->rows; row++) {
        uint64_t offset = ((uint64_t *)events->column[0])[row];
        uint32_t length = ((uint32_t *)events->column[1])[row];
        uint8_t *text = exact(data + offset, length);
        CHECK(scanner_scan_one(scanner, text, length, offset, length) == 1);
        CHECK(scanner_scan_one(scanner, text, length - 1, offset, length) == 0);
        free(text);
    }
}

/* Everything again, with some allocation of each scan failing; what could not be taken is read once more. */
static void read_without_memory(struct scanner *scanner, const uint8_t *data, size_t size, uint32_t random) {
    size_t at = 0, position;
    for (;;) {
        enum scan_status status;
        random = random * 1664525u + 1013904223u;
        countdown = 1 + (random >> 16) % 99; /* a table takes up to 16 at once */
        status = scanner_scan(scanner, data, size, at, 0, &position);
        countdown = 0;
        CHECK(position >= at && position <= size);
        check_rows(scanner, size);
        if (status == SCAN_LANDED || status == SCAN_CUT)
            return;
        at = status == SCAN_NO_MEMORY ? position : position + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct scanner whole, pieces, single;
    uint8_t *copy;
    enum scan_status status;
    if (size > 1 << 16)
        return 0;
    copy = exact(data, size);
    make(&whole, 1);
    make(&pieces, 2);
    make(&single, 3);
    status = read_whole(&whole, copy, size);
    check_rows(&whole, size);
    CHECK(read_pieces(&pieces, data, size, (uint32_t)size * 2654435761u + (size ? data[size / 2] : 0)) == status);
    check_same(&whole, &pieces);
    read_singly(&single, &whole, copy);
    check_same(&whole, &single);
    scanner_free(&single);
    make(&single, 4);
    read_without_memory(&single, copy, size, (uint32_t)size + (size ? data[size / 3] : 0));
    check_same(&whole, &single);
    scanner_clear_rows(&pieces);
    CHECK(pieces.tables[T_EVENTS].rows == 0 && pieces.kept_count == 0);
    CHECK(read_pieces(&pieces, data, size, (uint32_t)size) == status); /* with all that was learned */
    check_rows(&pieces, size);
    scanner_free(&whole);
    scanner_free(&pieces);
    scanner_free(&single);
    free(copy);
    return 0;
}
