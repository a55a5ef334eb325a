/* The module profviz.core._columns: binds the plain C functions; every output array is allocated by the caller. */
#include "columns_args.h"

#include <stdlib.h>
#include <string.h>

static PyObject *sort_order(PyObject *module, PyObject *given) {
    PyObject *objects[4];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH;
    int status = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOOO", &objects[0], &objects[1], &objects[2], &objects[3])) return NULL;
    Keys lane = take_keys(&args, objects[0], "lane", LANE_TYPES, &count);
    const int64_t *start = take_array(&args, objects[1], "start_ns", I64, &count);
    const int64_t *dur = take_array(&args, objects[2], "dur_ns", I64, &count);
    uint32_t *order = take_array(&args, objects[3], "order", U32 | WRITABLE, &count);
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        status = sort_columns(lane, start, dur, (size_t)count, order);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    return args.failed ? NULL : none_or_error(status);
}

static PyObject *pairs_or_error(Pairs *pairs, int status) {
    PyObject *made;
    if (status) made = none_or_error(status);
    else made = PyBytes_FromStringAndSize((const char *)pairs->items, (Py_ssize_t)(pairs->count * 2 * sizeof *pairs->items));
    free(pairs->items);
    return made;
}

static PyObject *nest(PyObject *module, PyObject *given) {
    PyObject *objects[5];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH;
    Slices slices = {.count = 0};
    Pairs crossings = {NULL, 0, 0};
    long long tolerance;
    int status = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOpOLOO", &objects[0], &objects[1], &slices.lengths, &objects[2], &tolerance,
                          &objects[3], &objects[4]))
        return NULL;
    if (tolerance < 0) {
        PyErr_SetString(PyExc_ValueError, "the tolerance is negative");
        return NULL;
    }
    slices.tolerance = tolerance;
    slices.start = take_array(&args, objects[0], "start_ns", I64, &count);
    slices.stop = take_array(&args, objects[1], slices.lengths ? "dur_ns" : "end_ns", I64, &count);
    slices.lane = take_keys(&args, objects[2], "lane", LANE_TYPES, &count);
    int32_t *row = take_array(&args, objects[3], "row", I32 | WRITABLE, &count);
    int32_t *parent = take_array(&args, objects[4], "parent", I32 | WRITABLE, &count);
    if (!args.failed) {
        slices.count = (size_t)count;
        Py_BEGIN_ALLOW_THREADS
        status = nest_slices(&slices, row, parent, &crossings);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    return args.failed ? NULL : pairs_or_error(&crossings, status);
}

static PyObject *match_spans(PyObject *module, PyObject *given) {
    PyObject *objects[4], *made = NULL;
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH;
    int64_t left = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOOO", &objects[0], &objects[1], &objects[2], &objects[3])) return NULL;
    Keys keys = take_keys(&args, objects[0], "key", LANE_TYPES | U64, &count);
    const int64_t *time = take_array(&args, objects[1], "time_ns", I64, &count);
    const uint8_t *begins = take_array(&args, objects[2], "is_begin", U8, &count);
    int64_t *end = take_array(&args, objects[3], "end", I64 | WRITABLE, &count);
    uint32_t *unmatched = args.failed ? NULL : malloc(((size_t)count + 1) * sizeof *unmatched);
    if (unmatched) {
        Py_BEGIN_ALLOW_THREADS
        left = match_marks(keys, time, begins, (size_t)count, end, unmatched);
        Py_END_ALLOW_THREADS
    }
    if (!args.failed && (!unmatched || left < 0)) PyErr_NoMemory();
    else if (!args.failed) made = PyBytes_FromStringAndSize((const char *)unmatched, (Py_ssize_t)(left * sizeof *unmatched));
    free(unmatched);
    let_go(&args);
    return made;
}

static PyObject *pair_up(PyObject *module, PyObject *given) {
    PyObject *objects[5];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH;
    size_t pairs = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4])) return NULL;
    const uint8_t *opens = take_array(&args, objects[0], "opens", U8, &count);
    const uint8_t *closes = take_array(&args, objects[1], "closes", U8, &count);
    const uint8_t *heads = take_array(&args, objects[2], "heads", U8, &count);
    int32_t *sources = take_array(&args, objects[3], "sources", I32 | WRITABLE, &count);
    int32_t *targets = take_array(&args, objects[4], "targets", I32 | WRITABLE, &count);
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        pairs = pair_points(opens, closes, heads, (size_t)count, sources, targets);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    return args.failed ? NULL : PyLong_FromSize_t(pairs);
}

static PyObject *enclosing(PyObject *module, PyObject *given) {
    PyObject *objects[7];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH, points = ANY_LENGTH;
    Nested slices;
    int status = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4],
                          &objects[5], &objects[6]))
        return NULL;
    slices.start = take_array(&args, objects[0], "start_ns", I64, &count);
    slices.dur = take_array(&args, objects[1], "dur_ns", I64, &count);
    slices.lane = take_keys(&args, objects[2], "lane", LANE_TYPES, &count);
    slices.parent = take_array(&args, objects[3], "parent", I32, &count);
    Keys lane = take_keys(&args, objects[4], "at_lane", LANE_TYPES, &points);
    const int64_t *time = take_array(&args, objects[5], "at_ns", I64, &points);
    int64_t *found = take_array(&args, objects[6], "found", I64 | WRITABLE, &points);
    if (!args.failed) {
        slices.count = (size_t)count;
        Py_BEGIN_ALLOW_THREADS
        status = find_enclosing(&slices, lane, time, (size_t)points, found);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    return args.failed ? NULL : none_or_error(status);
}

static PyMethodDef methods[] = {
    {"sort_order", sort_order, METH_VARARGS, "sort_order(lane, start_ns, dur_ns, order)"},
    {"nest", nest, METH_VARARGS, "nest(start_ns, stop_ns, stop_is_length, lane, tolerance_ns, row, parent) -> pairs"},
    {"match_spans", match_spans, METH_VARARGS, "match_spans(key, time_ns, is_begin, end) -> unmatched ends"},
    {"pair_points", pair_up, METH_VARARGS, "pair_points(opens, closes, heads, sources, targets) -> how many"},
    {"enclosing", enclosing, METH_VARARGS, "enclosing(start_ns, dur_ns, lane, parent, at_lane, at_ns, found)"},
    {NULL, NULL, 0, NULL},
};

static int add_others(PyObject *module) {
    return PyModule_AddFunctions(module, detail_methods) || PyModule_AddFunctions(module, move_methods) ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)add_others},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "profviz.core._columns",
    .m_doc = "Columns of slices: order, nesting, matching, packing, level of detail.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__columns(void) { return PyModuleDef_Init(&definition); }
