/* Python's side of the scanner: module profviz.core._scan. The interface is described in profviz/formats/chrome. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <time.h>

#include "scan.h"

static PyTypeObject *scanner_type, *column_type;

/* A column handed over: writable, as nobody else has it, and freed with this object. */
typedef struct {
    PyObject_HEAD
    void *memory;
    Py_ssize_t size;
} ColumnObject;

static int column_getbuffer(PyObject *self, Py_buffer *view, int flags) {
    static char nothing[1];
    ColumnObject *column = (ColumnObject *)self;
    return PyBuffer_FillInfo(view, self, column->memory != NULL ? column->memory : nothing, column->size, 0, flags);
}

static Py_ssize_t column_length(PyObject *self) { return ((ColumnObject *)self)->size; }

static void column_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    free(((ColumnObject *)self)->memory);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot column_slots[] = {
    {Py_tp_doc, "The memory of one column, as a buffer of bytes."},
    {Py_tp_dealloc, column_dealloc},
    {Py_bf_getbuffer, column_getbuffer},
    {Py_sq_length, column_length},
    {0, NULL},
};
static PyType_Spec column_spec = {"profviz.core._scan.Column", sizeof(ColumnObject), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, column_slots};

typedef struct {
    PyObject_HEAD
    struct scanner scanner;
    int is_busy; /* changed only with the GIL held */
    int is_ready;
} ScannerObject;

static uint64_t hash_seed(void) {
    static uint64_t seed;
    if (seed == 0) {
        PyObject *text = PyUnicode_FromString("profviz");
        /* Python's own secret of this process, if it has one, goes in through the hash of a text */
        seed = text != NULL ? (uint64_t)PyObject_Hash(text) : 0;
        Py_XDECREF(text);
        PyErr_Clear();
        seed ^= (uint64_t)(uintptr_t)malloc ^ ((uint64_t)time(NULL) << 20) ^ ((uint64_t)clock() << 44) ^ 1;
        seed *= UINT64_C(0x9E3779B97F4A7C15);
    }
    return seed;
}

static int fill_names(PyObject *names, const uint8_t **texts, size_t *sizes, Py_ssize_t count) {
    Py_ssize_t number;
    for (number = 0; number < count; number++) {
        char *text;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(names, number), &text, &size) < 0)
            return -1;
        texts[number] = (const uint8_t *)text;
        sizes[number] = (size_t)size;
    }
    return 0;
}

static PyObject *scanner_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *words[] = {"gpu_categories", NULL};
    PyObject *names;
    ScannerObject *self;
    Py_ssize_t count;
    const uint8_t **texts;
    size_t *sizes;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!:Scanner", words, &PyTuple_Type, &names))
        return NULL;
    count = PyTuple_Size(names);
    self = (ScannerObject *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    texts = calloc((size_t)count + 1, sizeof(*texts));
    sizes = calloc((size_t)count + 1, sizeof(*sizes));
    if (texts == NULL || sizes == NULL) {
        PyErr_NoMemory();
    } else if (fill_names(names, texts, sizes, count) == 0) {
        self->is_ready = scanner_init(&self->scanner, hash_seed(), texts, sizes, (size_t)count) == 0;
        if (!self->is_ready)
            PyErr_NoMemory();
    }
    free(texts);
    free(sizes);
    if (!self->is_ready)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void scanner_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    if (((ScannerObject *)self)->is_ready)
        scanner_free(&((ScannerObject *)self)->scanner);
    release(self);
    Py_DECREF(type);
}

/* The C scanner for the caller alone, until `leave`: other threads, and Python code that runs when objects are made,
 * must not get in between. */
static struct scanner *enter(PyObject *self) {
    if (((ScannerObject *)self)->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, "the scanner is at work in another thread");
        return NULL;
    }
    ((ScannerObject *)self)->is_busy = 1;
    return &((ScannerObject *)self)->scanner;
}

static void leave(PyObject *self) { ((ScannerObject *)self)->is_busy = 0; }

static PyObject *method_scan(PyObject *self, PyObject *args) {
    Py_buffer data;
    Py_ssize_t start;
    long long base;
    size_t position = 0;
    enum scan_status status;
    struct scanner *scanner = NULL;
    if (!PyArg_ParseTuple(args, "y*nL:scan", &data, &start, &base))
        return NULL;
    if (start < 0 || start > data.len)
        PyErr_SetString(PyExc_ValueError, "start lies outside the data");
    else
        scanner = enter(self);
    if (scanner == NULL) {
        PyBuffer_Release(&data);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    status = scanner_scan(scanner, data.buf, (size_t)data.len, (size_t)start, (uint64_t)base, &position);
    Py_END_ALLOW_THREADS
    leave(self);
    PyBuffer_Release(&data);
    if (status == SCAN_NO_MEMORY)
        return PyErr_NoMemory();
    return Py_BuildValue("ni", (Py_ssize_t)position, (int)status);
}

static PyObject *method_scan_one(PyObject *self, PyObject *args) {
    Py_buffer text;
    unsigned long long offset, length;
    PyObject *offset_object, *length_object;
    int taken;
    struct scanner *scanner;
    if (!PyArg_ParseTuple(args, "y*OO:scan_one", &text, &offset_object, &length_object))
        return NULL;
    offset = PyLong_AsUnsignedLongLong(offset_object);
    length = PyErr_Occurred() ? 0 : PyLong_AsUnsignedLongLong(length_object);
    if (!PyErr_Occurred() && length > UINT32_MAX)
        PyErr_SetString(PyExc_OverflowError, "an event's length has 32 bits");
    scanner = PyErr_Occurred() ? NULL : enter(self);
    if (scanner == NULL) {
        PyBuffer_Release(&text);
        return NULL;
    }
    taken = scanner_scan_one(scanner, text.buf, (size_t)text.len, offset, (uint32_t)length);
    leave(self);
    PyBuffer_Release(&text);
    return taken < 0 ? PyErr_NoMemory() : PyBool_FromLong(taken);
}

static PyObject *counts_of(const struct scanner *scanner) {
    PyObject *counts = PyTuple_New(TABLE_COUNT);
    int table;
    for (table = 0; table < TABLE_COUNT && counts != NULL; table++) {
        PyObject *rows = PyLong_FromSize_t(scanner->tables[table].rows);
        if (rows == NULL || PyTuple_SetItem(counts, table, rows) < 0)
            Py_CLEAR(counts);
    }
    return counts;
}

static int add_column(PyObject *columns, struct scanner *scanner, int table, int place) {
    ColumnObject *column = PyObject_New(ColumnObject, column_type);
    size_t size;
    int failed;
    if (column == NULL)
        return -1;
    column->memory = scanner_take_column(scanner, table, place, &size);
    column->size = (Py_ssize_t)size;
    failed = PyDict_SetItemString(columns, scan_columns[table][place].name, (PyObject *)column);
    Py_DECREF(column);
    return failed;
}

static PyObject *columns_of(struct scanner *scanner) {
    PyObject *columns = PyDict_New();
    int table, place;
    if (columns == NULL)
        return NULL;
    for (table = 0; table < TABLE_COUNT && columns != NULL; table++)
        for (place = 0; place < SCAN_MAX_COLUMNS && scan_columns[table][place].name != NULL && columns != NULL; place++)
            if (add_column(columns, scanner, table, place) < 0)
                Py_CLEAR(columns);
    scanner_clear_rows(scanner);
    return columns;
}

static PyObject *bytes_of(const uint8_t *text, size_t size) {
    return PyBytes_FromStringAndSize((const char *)text, (Py_ssize_t)size);
}

static PyObject *text_item(const struct scanner *scanner, const struct intern *intern, size_t number) {
    size_t size;
    const uint8_t *text = interned_text(intern, number, &size);
    (void)scanner;
    return bytes_of(text, size);
}

static PyObject *lane_item(const struct scanner *scanner, const struct intern *intern, size_t number) {
    size_t pid, tid;
    const uint8_t *text = lane_text(scanner, number, &pid, &tid);
    (void)intern;
    return Py_BuildValue("NN", bytes_of(text, pid), bytes_of(text + pid, tid));
}

static PyObject *kept_item(const struct scanner *scanner, const struct intern *intern, size_t number) {
    const struct kept_text *kept = &scanner->kept[number];
    (void)intern;
    return Py_BuildValue("kN", (unsigned long)kept->event, bytes_of(scanner->kept_bytes + kept->offset, kept->size));
}

static PyObject *list_of(const struct scanner *scanner, const struct intern *intern, size_t count,
                         PyObject *(*item)(const struct scanner *, const struct intern *, size_t)) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    size_t number;
    for (number = 0; number < count && list != NULL; number++) {
        PyObject *made = item(scanner, intern, number);
        if (made == NULL || PyList_SetItem(list, (Py_ssize_t)number, made) < 0)
            Py_CLEAR(list);
    }
    return list;
}

#define METHOD(name, made)                                                                                            \
    static PyObject *method_##name(PyObject *self, PyObject *unused) {                                                \
        PyObject *result;                                                                                             \
        struct scanner *scanner = enter(self);                                                                        \
        (void)unused;                                                                                                 \
        if (scanner == NULL)                                                                                          \
            return NULL;                                                                                              \
        result = made;                                                                                                \
        leave(self);                                                                                                  \
        return result;                                                                                                \
    }

METHOD(counts, counts_of(scanner))
METHOD(columns, columns_of(scanner))
METHOD(strings, list_of(scanner, &scanner->strings, scanner->strings.count, text_item))
METHOD(categories, list_of(scanner, &scanner->categories, scanner->categories.count, text_item))
METHOD(ids, list_of(scanner, &scanner->ids, scanner->ids.count, text_item))
METHOD(lanes, list_of(scanner, &scanner->lanes, scanner->lanes.count, lane_item))
METHOD(kept, list_of(scanner, NULL, scanner->kept_count, kept_item))

static PyMethodDef scanner_methods[] = {
    {"scan", method_scan, METH_VARARGS, "scan(data, start, base) -> (position, status)"},
    {"scan_one", method_scan_one, METH_VARARGS, "scan_one(text, offset, length) -> whether it is a valid event"},
    {"counts", method_counts, METH_NOARGS, "Rows of each table."},
    {"columns", method_columns, METH_NOARGS, "Hands over the rows: a buffer for each `table.column`."},
    {"strings", method_strings, METH_NOARGS, "Names, keys and texts of args, as the file spells them."},
    {"categories", method_categories, METH_NOARGS, "Categories, as the file spells them."},
    {"lanes", method_lanes, METH_NOARGS, "Pairs of pid and tid, as the file spells them."},
    {"ids", method_ids, METH_NOARGS, "Ids that are no plain decimals, as the file spells them."},
    {"kept", method_kept, METH_NOARGS, "Event numbers and texts of the events that Python has to look at."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot scanner_slots[] = {
    {Py_tp_doc, "Scanner(gpu_categories): reads Chrome trace events into columns."},
    {Py_tp_new, scanner_new},
    {Py_tp_dealloc, scanner_dealloc},
    {Py_tp_methods, scanner_methods},
    {0, NULL},
};
static PyType_Spec scanner_spec = {"profviz.core._scan.Scanner", sizeof(ScannerObject), 0, Py_TPFLAGS_DEFAULT,
                                   scanner_slots};

static struct PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "_scan", "Chrome trace events, bytes to columns.", -1,
                                        NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__scan(void) {
    static const char *const names[] = {"LANDED", "END", "ODD", "CUT"};
    PyObject *module = PyModule_Create(&module_def);
    long status;
    if (module == NULL)
        return NULL;
    scanner_type = (PyTypeObject *)PyType_FromSpec(&scanner_spec);
    column_type = (PyTypeObject *)PyType_FromSpec(&column_spec);
    if (scanner_type == NULL || column_type == NULL || PyModule_AddType(module, scanner_type) < 0)
        Py_CLEAR(module);
    for (status = 0; module != NULL && status < 4; status++)
        if (PyModule_AddIntConstant(module, names[status], status) < 0)
            Py_CLEAR(module);
    return module;
}
