/* The tables' layout and memory: columns that grow, and handing them over. */
#include <stdlib.h>
#include <string.h>

#include "scan_state.h"

const struct column_spec scan_columns[TABLE_COUNT][SCAN_MAX_COLUMNS] = {
    {{"events.offset", 8}, {"events.length", 4}},
    {{"slices.event", 4}, {"slices.start", 8}, {"slices.dur", 8}, {"slices.name", 4}, {"slices.category", 4},
     {"slices.lane", 4}, {"slices.correlation", 4}, {"slices.external", 4}, {"slices.state", 1}},
    {{"gpu.slice", 4}, {"gpu.device", 4}, {"gpu.stream", 4}, {"gpu.grid_x", 4}, {"gpu.grid_y", 4}, {"gpu.grid_z", 4},
     {"gpu.block_x", 4}, {"gpu.block_y", 4}, {"gpu.block_z", 4}, {"gpu.registers", 4}, {"gpu.shared", 8},
     {"gpu.bytes", 8}, {"gpu.occupancy", 8}, {"gpu.bandwidth", 8}, {"gpu.graph", 8}, {"gpu.graph_node", 8}},
    {{"dims.slice", 4}, {"dims.text", 4}},
    {{"marks.event", 4}, {"marks.phase", 1}, {"marks.time", 8}, {"marks.name", 4}, {"marks.category", 4},
     {"marks.lane", 4}, {"marks.id", 8}, {"marks.state", 1}},
    {{"values.event", 4}, {"values.key", 4}, {"values.value", 8}},
    {{"memory.event", 4}, {"memory.address", 8}, {"memory.bytes", 8}, {"memory.allocated", 8}, {"memory.reserved", 8},
     {"memory.device_type", 4}, {"memory.device", 4}},
};

static size_t column_count(int which) {
    size_t count = 0;
    while (count < SCAN_MAX_COLUMNS && scan_columns[which][count].name != NULL)
        count++;
    return count;
}

/* About as many rows as a table had before it will have again; memory for no more than these is taken on a guess. */
enum { MOST_BEFORE = 1 << 16 };

/* Row numbers are 32 bits wide, so no table holds more. Small tables double: their blocks are copied when they grow,
 * while the system moves large ones without that. */
NOINLINE int table_grow(struct table *table, int which) {
    size_t count = column_count(which), column;
    size_t capacity = table->capacity + (table->capacity < 1 << 18 ? table->capacity : table->capacity / 2) + 256;
    if (table->capacity == 0 && table->before > capacity)
        capacity = table->before + table->before / 8;
    if (capacity > UINT32_MAX)
        capacity = UINT32_MAX;
    if (capacity <= table->capacity || capacity > SIZE_MAX / 8)
        return -1;
    for (column = 0; column < count; column++) {
        void *grown = realloc(table->column[column], capacity * scan_columns[which][column].width);
        if (grown == NULL)
            return -1;
        table->column[column] = grown;
    }
    table->capacity = capacity;
    return 0;
}

int grow_block(void **block, size_t *capacity, size_t needed, size_t width) {
    size_t wanted;
    void *grown;
    if (needed <= *capacity)
        return 0;
    wanted = *capacity > SIZE_MAX / 4 ? needed : *capacity + *capacity / 2 + 64;
    if (wanted < needed)
        wanted = needed;
    if (wanted > SIZE_MAX / width)
        return -1;
    grown = realloc(*block, wanted * width);
    if (grown == NULL)
        return -1;
    *block = grown;
    *capacity = wanted;
    return 0;
}

void *scanner_take_column(struct scanner *scanner, int which, int column, size_t *size) {
    struct table *table = &scanner->tables[which];
    void *block = table->column[column], *trimmed;
    *size = table->rows * scan_columns[which][column].width;
    table->column[column] = NULL;
    if (*size == 0) {
        free(block);
        return NULL;
    }
    trimmed = realloc(block, *size);
    return trimmed != NULL ? trimmed : block;
}

void scanner_clear_rows(struct scanner *scanner) {
    int which, column;
    size_t before;
    for (which = 0; which < TABLE_COUNT; which++) {
        for (column = 0; column < SCAN_MAX_COLUMNS; column++)
            free(scanner->tables[which].column[column]);
        before = scanner->tables[which].rows;
        memset(&scanner->tables[which], 0, sizeof(struct table));
        scanner->tables[which].before = before < MOST_BEFORE ? before : MOST_BEFORE;
    }
    free(scanner->kept);
    free(scanner->kept_bytes);
    scanner->kept = NULL;
    scanner->kept_bytes = NULL;
    scanner->kept_count = scanner->kept_capacity = scanner->kept_used = scanner->kept_room = 0;
}

static int copy_names(struct scanner *scanner, const uint8_t *const *names, const size_t *sizes, size_t count) {
    size_t number, total = 0;
    uint8_t *to;
    for (number = 0; number < count; number++)
        total += sizeof(size_t) + sizes[number];
    scanner->gpu_names = to = malloc(total + 1);
    if (to == NULL)
        return -1;
    scanner->gpu_names_size = total;
    for (number = 0; number < count; number++) {
        memcpy(to, &sizes[number], sizeof(size_t));
        memcpy(to + sizeof(size_t), names[number], sizes[number]);
        to += sizeof(size_t) + sizes[number];
    }
    return 0;
}

int scanner_init(struct scanner *scanner, uint64_t seed, const uint8_t *const *names, const size_t *sizes,
                 size_t count) {
    memset(scanner, 0, sizeof(*scanner));
    scanner->arg_gaps[0].is_args = scanner->arg_gaps[1].is_args = 1;
    scanner->event_gaps[1].is_first = scanner->arg_gaps[1].is_first = 1;
    if (copy_names(scanner, names, sizes, count) < 0 || intern_init(&scanner->strings, seed, 1) < 0 ||
        intern_init(&scanner->categories, seed, 1) < 0 || intern_init(&scanner->lanes, seed, 0) < 0 ||
        intern_init(&scanner->ids, seed, 0) < 0) {
        scanner_free(scanner);
        return -1;
    }
    return 0;
}

void scanner_free(struct scanner *scanner) {
    scanner_clear_rows(scanner);
    intern_free(&scanner->strings);
    intern_free(&scanner->categories);
    intern_free(&scanner->lanes);
    intern_free(&scanner->ids);
    free(scanner->is_gpu);
    free(scanner->gpu_names);
    free(scanner->scratch);
    scanner->is_gpu = scanner->gpu_names = scanner->scratch = NULL;
}
