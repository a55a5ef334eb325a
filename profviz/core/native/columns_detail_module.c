/* Binds what concerns rows and their level of detail. */
#include "columns_detail_args.h"

#include <stdlib.h>
#include <string.h>


static int is_narrow(const Args *args) { return args->views[args->held - 1].itemsize == 4; }

/* All parts of a detail but its sums. */
static void take_parts(Args *args, PyObject **given, Detail *detail) {
    Py_ssize_t count = ANY_LENGTH, kinds = ANY_LENGTH, blocks;
    memset(detail, 0, sizeof *detail);
    detail->kind = take_array(args, given[KIND], "kind", U8, &count);
    detail->start = take_array(args, given[START], "start", U32 | I64, &count);
    detail->narrow = args->held && is_narrow(args);
    detail->dur = take_array(args, given[DUR], "dur", detail->narrow ? U32 : I64, &count);
    detail->kind_of = take_array(args, given[KINDS], "kinds", U8, &kinds);
    blocks = (count + BLOCK - 1) / BLOCK;
    detail->base = take_array(args, given[BASE], "base_ns", I64, &blocks);
    if (args->failed) return;
    if (!count || kinds < 1 || kinds > MOST_KINDS) {
        args->failed = 1;
        PyErr_SetString(PyExc_ValueError, "a row without slices or kinds has no detail");
        return;
    }
    for (Py_ssize_t k = 0; k < kinds; k++) {
        if (detail->kind_of[k] >= MOST_KINDS) {
            args->failed = 1;
            PyErr_Format(PyExc_ValueError, "kind %d is none", detail->kind_of[k]);
            return;
        }
        for (int shade = 0; shade < SHADES; shade++) detail->place[detail->kind_of[k] + shade * MOST_KINDS] = (uint8_t)k;
    }
    detail->count = (size_t)count;
    detail->kinds = (size_t)kinds;
    detail->blocks = (size_t)blocks;
}

static int64_t *take_sums(Args *args, PyObject *given, const Detail *detail, int writable) {
    Py_ssize_t count = (Py_ssize_t)((detail->blocks + 1) * detail->kinds);
    return take_array(args, given, "sums_ns", I64 | writable, &count);
}

void take_detail(Args *args, PyObject **given, Detail *detail) {
    take_parts(args, given, detail);
    detail->sums = take_sums(args, given[SUMS], detail, 0);
}

static PyObject *done(Args *args) {
    let_go(args);
    return args->failed ? NULL : none_or_error(0);
}

static Source take_source(Args *args, PyObject *start, PyObject *dur) {
    Py_ssize_t count = ANY_LENGTH;
    Source source = {.count = 0};
    source.start = take_array(args, start, "start_ns", I64, &count);
    source.dur = take_array(args, dur, "dur_ns", I64, &count);
    source.count = args->failed ? 0 : (size_t)count;
    return source;
}

static PyObject *gather(PyObject *module, PyObject *given) {
    PyObject *from[4], *to[4];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH, blocks, length;
    int fits = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOOOOOOO", &from[0], &from[1], &from[2], &from[3], &to[0], &to[1], &to[2], &to[3]))
        return NULL;
    Source source = take_source(&args, from[0], from[1]);
    length = (Py_ssize_t)source.count;
    source.kind = take_array(&args, from[2], "kind", U8, &length);
    const uint32_t *at = take_array(&args, from[3], "at", U32, &count);
    blocks = (count + BLOCK - 1) / BLOCK;
    int64_t *base = take_array(&args, to[0], "base_ns", I64 | WRITABLE, &blocks);
    uint32_t *start = take_array(&args, to[1], "start", U32 | WRITABLE, &count);
    uint32_t *dur = take_array(&args, to[2], "dur", U32 | WRITABLE, &count);
    uint8_t *kind = take_array(&args, to[3], "kind", U8 | WRITABLE, &count);
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        fits = gather_narrow(&source, at, (size_t)count, base, start, dur, kind);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    if (args.failed) return NULL;
    return fits < 0 ? none_or_error(fits) : PyBool_FromLong(fits);
}

static PyObject *kinds_in(PyObject *module, PyObject *given) {
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH, found = 0;
    char seen[MOST_KINDS] = {0}, kinds[MOST_KINDS];
    (void)module;
    const uint8_t *kind = take_array(&args, given, "kind", U8, &count);
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < count; i++) seen[kind[i] % MOST_KINDS] = 1;
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    for (int k = 0; k < MOST_KINDS; k++)
        if (seen[k]) kinds[found++] = (char)k;
    return args.failed ? NULL : PyBytes_FromStringAndSize(kinds, found);
}

static PyObject *sum_blocks_of(PyObject *module, PyObject *given) {
    PyObject *parts[PARTS];
    Args args = {.held = 0};
    Detail detail;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOOOOO", &parts[0], &parts[1], &parts[2], &parts[3], &parts[4], &parts[5])) return NULL;
    take_parts(&args, parts, &detail);
    int64_t *sums = take_sums(&args, parts[SUMS], &detail, WRITABLE);
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        sum_blocks(&detail, sums);
        Py_END_ALLOW_THREADS
    }
    return done(&args);
}

static PyObject *visible(PyObject *module, PyObject *given) {
    PyObject *objects[3];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH;
    long long from, to;
    int64_t first, last;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOOLL", &objects[0], &objects[1], &objects[2], &from, &to)) return NULL;
    Source source = take_source(&args, objects[0], objects[1]);
    const uint32_t *at = objects[2] == Py_None ? NULL : take_array(&args, objects[2], "at", U32, &count);
    if (args.failed) return done(&args);
    if (!at) count = (Py_ssize_t)source.count;
    first = count_before_time(&source, at, (size_t)count, from);
    last = count_before_time(&source, at, (size_t)count, to);
    if (first > 0) {
        size_t before = at ? at[first - 1] : (size_t)first - 1;
        if (add_ns(source.start[before], source.dur[before]) > from) first--;
    }
    let_go(&args);
    if (first < 0 || last < 0) return none_or_error(NOT_SOUND);
    return Py_BuildValue("LL", (long long)first, (long long)(last > first ? last : first));
}

static int64_t deepest(const int32_t *depth, Py_ssize_t count) {
    int64_t most = -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (depth[i] < 0) return INT64_MAX;
        if (depth[i] > most) most = depth[i];
    }
    return most;
}

static PyObject *bounds_or_error(uint32_t *bounds, size_t rows) {
    PyObject *made = bounds ? PyBytes_FromStringAndSize((const char *)bounds, (Py_ssize_t)((rows + 1) * sizeof *bounds))
                            : PyErr_NoMemory();
    free(bounds);
    return made;
}

static PyObject *group(PyObject *module, PyObject *given) {
    PyObject *objects[3];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH;
    unsigned int first;
    uint32_t *bounds = NULL;
    int64_t rows = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOIO", &objects[0], &objects[1], &first, &objects[2])) return NULL;
    const int32_t *depth = take_array(&args, objects[0], "depth", I32, &count);
    const uint32_t *slices = objects[1] == Py_None ? NULL : take_array(&args, objects[1], "slices", U32, &count);
    uint32_t *order = take_array(&args, objects[2], "order", U32 | WRITABLE, &count);
    if (args.failed) return done(&args);
    Py_BEGIN_ALLOW_THREADS
    rows = deepest(depth, count);
    rows = rows == INT64_MAX ? rows : rows + 1;
    if (rows < 65536 + 4 * (int64_t)count) {
        bounds = calloc((size_t)rows + 2, sizeof *bounds);
        if (bounds) group_rows(depth, slices, first, (size_t)count, order, bounds, (size_t)rows);
    }
    Py_END_ALLOW_THREADS
    let_go(&args);
    return rows < 65536 + 4 * (int64_t)count ? bounds_or_error(bounds, (size_t)rows) : none_or_error(0);
}

static PyObject *busy(PyObject *module, PyObject *given) {
    PyObject *parts[PARTS], *objects[3];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH, cells;
    Detail detail;
    (void)module;
    if (!PyArg_ParseTuple(given, "(OOOOOO)OOO", &parts[0], &parts[1], &parts[2], &parts[3], &parts[4], &parts[5],
                          &objects[0], &objects[1], &objects[2]))
        return NULL;
    take_detail(&args, parts, &detail);
    const int64_t *times = take_array(&args, objects[0], "times_ns", I64, &count);
    cells = count * (Py_ssize_t)detail.kinds;
    int64_t *made = take_array(&args, objects[1], "busy", I64 | WRITABLE, &cells);
    int64_t *before = take_array(&args, objects[2], "before", I64 | WRITABLE, &count);
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        busy_before(&detail, times, (size_t)count, made, before);
        Py_END_ALLOW_THREADS
    }
    return done(&args);
}

const int64_t *take_edges(Args *args, PyObject *given, Py_ssize_t *width) {
    Py_ssize_t count = ANY_LENGTH;
    const int64_t *edges = take_array(args, given, "edges_ns", I64, &count);
    if (!args->failed && !count) {
        args->failed = 1;
        PyErr_SetString(PyExc_ValueError, "no pixels without an edge");
    }
    *width = count - 1;
    return edges;
}

PyMethodDef detail_methods[] = {
    {"gather", gather, METH_VARARGS, "gather(start_ns, dur_ns, kind, at, base_ns, start, dur, kind) -> whether all fit"},
    {"kinds_in", kinds_in, METH_O, "kinds_in(kind) -> the kinds that occur, ascending"},
    {"sum_blocks", sum_blocks_of, METH_VARARGS, "sum_blocks(base_ns, start, dur, kind, kinds, sums_ns)"},
    {"visible", visible, METH_VARARGS, "visible(start_ns, dur_ns, at, from_ns, to_ns) -> (first, last)"},
    {"group", group, METH_VARARGS, "group(depth, slices, first, order) -> bounds, None for depths far apart"},
    {"busy", busy, METH_VARARGS, "busy(detail, times_ns, busy, before)"},
    {"hold", hold_row, METH_VARARGS, "hold(base_ns, start, dur, kind, kinds, sums_ns, slice) -> a row to paint"},
    {"paint", paint_rows, METH_VARARGS, "paint(rows, edges_ns, colours, ground, lines, bars, least) -> how many bars"},
    {"fill", fill_picture, METH_VARARGS, "fill(picture, stride, left, lines, width, bands)"},
    {"stamp", stamp_picture, METH_VARARGS, "stamp(picture, stride, stencil, stamps, colours)"},
    {NULL, NULL, 0, NULL},
};
