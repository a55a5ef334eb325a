/* Binds the painting of many rows at once. */
#include "columns_detail_args.h"

#include <stdlib.h>

#define HELD "profviz.core.held"

/* A row's detail with the arrays that it looks into, kept as long as the capsule is. */
typedef struct {
    Args args;
    Detail detail;
} Held;

static void drop(PyObject *capsule) {
    Held *held = PyCapsule_GetPointer(capsule, HELD);
    let_go(&held->args);
    free(held);
}

PyObject *hold_row(PyObject *module, PyObject *given) {
    PyObject *parts[PARTS], *slices, *capsule = NULL;
    (void)module;
    if (!PyArg_ParseTuple(given, "OOOOOOO", &parts[0], &parts[1], &parts[2], &parts[3], &parts[4], &parts[5], &slices))
        return NULL;
    Held *held = calloc(1, sizeof *held);
    if (!held) return PyErr_NoMemory();
    take_detail(&held->args, parts, &held->detail);
    Py_ssize_t count = (Py_ssize_t)held->detail.count;
    held->detail.slice = take_array(&held->args, slices, "slice", U32, &count);
    if (!held->args.failed) capsule = PyCapsule_New(held, HELD, drop);
    if (!capsule) {
        let_go(&held->args);
        free(held);
    }
    return capsule;
}

/* The details of a tuple of capsules; NULL with an error set where one is none. */
static const Detail **take_rows(PyObject *rows) {
    Py_ssize_t count = PyTuple_Size(rows);
    if (count < 0) return NULL;
    const Detail **made = malloc(((size_t)count + 1) * sizeof *made);
    if (!made) PyErr_NoMemory();
    for (Py_ssize_t i = 0; made && i < count; i++) {
        Held *held = PyCapsule_GetPointer(PyTuple_GetItem(rows, i), HELD);
        if (!held) {
            free(made);
            return NULL;
        }
        made[i] = &held->detail;
    }
    return made;
}

PyObject *paint_rows(PyObject *module, PyObject *given) {
    PyObject *rows, *objects[5];
    Args args = {.held = 0};
    Py_ssize_t width = 0, colours = CODES * STRENGTHS, cells, bar_cells = ANY_LENGTH;
    Paint paint = {.width = 0};
    Bars bars = {.count = 0};
    int least;
    (void)module;
    if (!PyArg_ParseTuple(given, "O!OOOOOi", &PyTuple_Type, &rows, &objects[0], &objects[1], &objects[2], &objects[3],
                          &objects[4], &least))
        return NULL;
    const Detail **details = take_rows(rows);
    if (!details) return NULL;
    Py_ssize_t count = PyTuple_Size(rows);
    paint.edges = take_edges(&args, objects[0], &width);
    paint.colours = take_array(&args, objects[1], "colours", U32, &colours);
    paint.ground = take_array(&args, objects[2], "ground", U32, &width);
    cells = count * width;
    uint32_t *lines = take_array(&args, objects[3], "lines", U32 | WRITABLE, &cells);
    bars.items = take_array(&args, objects[4], "bars", I32 | WRITABLE, &bar_cells);
    if (!args.failed) {
        bars.room = (size_t)bar_cells * sizeof(int32_t) / sizeof(Bar);
        bars.least = least > 1 ? least : 1;
        paint.width = (size_t)width;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < count; i++)
            paint_line(details[i], &paint, lines + (size_t)i * paint.width, &bars, (int32_t)i);
        Py_END_ALLOW_THREADS
    }
    let_go(&args);
    free(details);
    return args.failed ? NULL : PyLong_FromSize_t(bars.count);
}

static Picture take_picture(Args *args, PyObject *given, unsigned int stride) {
    Py_ssize_t count = ANY_LENGTH;
    uint32_t *pixels = take_array(args, given, "picture", U32 | WRITABLE, &count);
    if (!args->failed && (!stride || count % (Py_ssize_t)stride)) {
        args->failed = 1;
        PyErr_SetString(PyExc_ValueError, "the picture has no whole number of lines");
    }
    return (Picture){pixels, args->failed ? 0 : (size_t)count / stride, stride};
}

/* How many structs of `fields` int32 an array holds. */
static Py_ssize_t count_of(Args *args, Py_ssize_t cells, Py_ssize_t fields, const char *name) {
    if (args->failed || cells % fields == 0) return cells / fields;
    args->failed = 1;
    PyErr_Format(PyExc_ValueError, "%s has %zd numbers, not %zd each", name, cells, fields);
    return 0;
}

static PyObject *finished(Args *args, int status) {
    let_go(args);
    return args->failed ? NULL : none_or_error(status);
}

PyObject *fill_picture(PyObject *module, PyObject *given) {
    PyObject *objects[3];
    Args args = {.held = 0};
    unsigned int stride, left, width;
    Py_ssize_t cells = ANY_LENGTH, line_cells = ANY_LENGTH;
    int status = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OIIOIO", &objects[0], &stride, &left, &objects[1], &width, &objects[2])) return NULL;
    Picture picture = take_picture(&args, objects[0], stride);
    const uint32_t *lines = take_array(&args, objects[1], "lines", U32, &line_cells);
    const Band *bands = take_array(&args, objects[2], "bands", I32, &cells);
    Py_ssize_t count = count_of(&args, cells, 3, "bands");
    if (!args.failed) {
        size_t line_count = width ? (size_t)line_cells / width : 0;
        Py_BEGIN_ALLOW_THREADS
        status = fill_bands(&picture, left, lines, line_count, width, bands, (size_t)count);
        Py_END_ALLOW_THREADS
    }
    return finished(&args, status);
}

PyObject *stamp_picture(PyObject *module, PyObject *given) {
    PyObject *objects[4];
    Args args = {.held = 0};
    unsigned int stride;
    Py_ssize_t size = ANY_LENGTH, cells = ANY_LENGTH;
    int status = 0;
    (void)module;
    if (!PyArg_ParseTuple(given, "OIOOO", &objects[0], &stride, &objects[1], &objects[2], &objects[3])) return NULL;
    Picture picture = take_picture(&args, objects[0], stride);
    const uint8_t *stencil = take_array(&args, objects[1], "stencil", U8, &size);
    const Stamp *stamps = take_array(&args, objects[2], "stamps", I32, &cells);
    Py_ssize_t count = count_of(&args, cells, 6, "stamps");
    const uint32_t *colours = take_array(&args, objects[3], "colours", U32, &count);
    if (!args.failed) {
        Py_BEGIN_ALLOW_THREADS
        status = lay_stamps(&picture, stencil, (size_t)size, stamps, colours, (size_t)count);
        Py_END_ALLOW_THREADS
    }
    return finished(&args, status);
}
