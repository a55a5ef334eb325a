/* Binds packing, joining and picking of columns. */
#include "columns_args.h"

static PyObject *extremes(PyObject *module, PyObject *given) {
    PyObject *object;
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH;
    uint64_t least = 0, most = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "O", &object)) return NULL;
    Elements values = take_elements(&args, object, "values", &count);
    if (!args.failed && !count) {
        PyErr_SetString(PyExc_ValueError, "values has no elements");
        args.failed = 1;
    }
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        find_extremes(values, &least, &most);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    if (args.failed) return NULL;
    if (values.type == OF_I32 || values.type == OF_I64)
        return Py_BuildValue("LL", (long long)(int64_t)least, (long long)(int64_t)most);
    return Py_BuildValue("KK", (unsigned long long)least, (unsigned long long)most);
}

static PyObject *lessen_values(PyObject *module, PyObject *given) {
    PyObject *objects[2];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH;
    unsigned long long base;
    size_t width;
    (void)module;
    if (!PyArg_ParseTuple(given, "OKO", &objects[0], &base, &objects[1])) return NULL;
    Elements values = take_elements(&args, objects[0], "values", &count);
    void *out = take_output(&args, objects[1], "out", &count, &width);
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        lessen(values, base, out, width);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    return args.failed ? NULL : none_or_error(0);
}

static PyObject *put(PyObject *module, PyObject *given) {
    PyObject *objects[5];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH, numbers = ANY_LENGTH, spanned = ANY_LENGTH, known_count = ANY_LENGTH, room = ANY_LENGTH;
    unsigned long long base;
    Elements values = {NULL, OF_U8, 0}, known = {NULL, OF_U32, 0};
    Spans spans = {NULL, NULL, 0};
    size_t width;
    int status = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOOKOO", &objects[0], &objects[1], &objects[2], &base, &objects[3], &objects[4]))
        return NULL;
    if (objects[0] != Py_None) values = take_elements(&args, objects[0], "values", &count);
    spans.bounds = take_array(&args, objects[1], "bounds", I64, &numbers);
    spans.count = numbers > 0 ? (size_t)numbers / 3 : 0;
    if (objects[2] != Py_None) {
        spanned = (Py_ssize_t)spans.count;
        spans.moves = take_array(&args, objects[2], "moves", I64, &spanned);
    }
    if (objects[3] != Py_None) {
        known.at = take_array(&args, objects[3], "known", U32, &known_count);
        known.count = known_count > 0 ? (size_t)known_count : 0;
    }
    void *out = take_output(&args, objects[4], "out", &room, &width);
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        status = put_spans(values, &spans, base, known, out, width, (size_t)room);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    return args.failed ? NULL : none_or_error(status);
}

static PyObject *pick_values(PyObject *module, PyObject *given) {
    PyObject *objects[3];
    Args args = {.held = 0};
    Py_ssize_t count = ANY_LENGTH, picked = ANY_LENGTH;
    size_t width, width_out;
    int status = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOO", &objects[0], &objects[1], &objects[2])) return NULL;
    Elements values = take_elements(&args, objects[0], "values", &count);
    Elements places = take_elements(&args, objects[1], "places", &picked);
    void *out = take_output(&args, objects[2], "out", &picked, &width_out);
    width = args.failed ? 0 : width_of(values.type);
    if (!args.failed && width != width_out) {
        PyErr_SetString(PyExc_TypeError, "out is not as wide as values");
        args.failed = 1;
    }
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        status = pick_elements(values.at, width, (size_t)count, places, out);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    return args.failed ? NULL : none_or_error(status);
}

PyMethodDef move_methods[] = {
    {"extremes", extremes, METH_VARARGS, "extremes(values) -> (least, most)"},
    {"lessen", lessen_values, METH_VARARGS, "lessen(values, base, out)"},
    {"put", put, METH_VARARGS, "put(values or None, bounds, moves or None, base, known or None, out)"},
    {"pick", pick_values, METH_VARARGS, "pick(values, places, out)"},
    {NULL, NULL, 0, NULL},
};
