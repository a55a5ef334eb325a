/* Takes arrays from Python through the buffer protocol and says what is wrong with them. */
#include "columns_args.h"

#include <string.h>

static int type_of(const Py_buffer *view) {
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=') format++;
    if (!*format || format[1]) return 0;
    int is_signed = strchr("bhilq", *format) != NULL, is_unsigned = strchr("BHILQ?", *format) != NULL;
    if (!is_signed && !is_unsigned) return 0;
    switch (view->itemsize) {
    case 1:
        return is_unsigned ? U8 : 0;
    case 2:
        return is_unsigned ? U16 : 0;
    case 4:
        return is_unsigned ? U32 : I32;
    case 8:
        return is_unsigned ? U64 : I64;
    default:
        return 0;
    }
}

static int check(const Py_buffer *view, const char *name, int types, Py_ssize_t *count) {
    if (!(type_of(view) & types)) {
        PyErr_Format(PyExc_TypeError, "%s has elements of the wrong type (%s)", name, view->format ? view->format : "B");
        return -1;
    }
    if (view->ndim != 1) {
        PyErr_Format(PyExc_ValueError, "%s has %d dimensions, not one", name, view->ndim);
        return -1;
    }
    Py_ssize_t own = view->len / view->itemsize;
    if (own > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s has more than %d elements", name, INT32_MAX);
        return -1;
    }
    if (*count == ANY_LENGTH) *count = own;
    if (own != *count) {
        PyErr_Format(PyExc_ValueError, "%s has %zd elements, not %zd", name, own, *count);
        return -1;
    }
    return 0;
}

static Py_buffer *take(Args *args, PyObject *given, const char *name, int types, Py_ssize_t *count) {
    if (args->failed) return NULL;
    args->failed = 1;
    if (args->held == MOST_ARGS) {
        PyErr_SetString(PyExc_SystemError, "too many arrays");
        return NULL;
    }
    Py_buffer *view = &args->views[args->held];
    int flags = PyBUF_FORMAT | PyBUF_ND | PyBUF_C_CONTIGUOUS | (types & WRITABLE ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(given, view, flags)) return NULL;
    args->held++;
    if (check(view, name, types, count)) return NULL;
    args->failed = 0;
    return view;
}

void *take_array(Args *args, PyObject *given, const char *name, int types, Py_ssize_t *count) {
    Py_buffer *view = take(args, given, name, types, count);
    return view ? view->buf : NULL;
}

Keys take_keys(Args *args, PyObject *given, const char *name, int types, Py_ssize_t *count) {
    Py_buffer *view = take(args, given, name, types, count);
    if (!view) return (Keys){NULL, KEY_U64};
    int type = type_of(view);
    return (Keys){view->buf, type == U16 ? KEY_U16 : type == I32 ? KEY_I32 : type == U32 ? KEY_U32 : KEY_U64};
}

static ElementType element_of(int type) {
    switch (type) {
    case U8: return OF_U8;
    case U16: return OF_U16;
    case U32: return OF_U32;
    case I32: return OF_I32;
    case I64: return OF_I64;
    default: return OF_U64;
    }
}

size_t width_of(ElementType type) {
    return type == OF_U8 ? 1 : type == OF_U16 ? 2 : type == OF_U32 || type == OF_I32 ? 4 : 8;
}

Elements take_elements(Args *args, PyObject *given, const char *name, Py_ssize_t *count) {
    Py_buffer *view = take(args, given, name, INTEGERS, count);
    if (!view) return (Elements){NULL, OF_U64, 0};
    return (Elements){view->buf, element_of(type_of(view)), (size_t)*count};
}

void *take_output(Args *args, PyObject *given, const char *name, Py_ssize_t *count, size_t *width) {
    Py_buffer *view = take(args, given, name, INTEGERS | WRITABLE, count);
    if (!view) return NULL;
    *width = (size_t)view->itemsize;
    return view->buf;
}

void let_go(Args *args) {
    while (args->held) PyBuffer_Release(&args->views[--args->held]);
}

PyObject *none_or_error(int status) {
    if (status == NO_MEMORY) return PyErr_NoMemory();
    if (status) {
        PyErr_SetString(PyExc_ValueError, "the columns contradict each other");
        return NULL;
    }
    Py_INCREF(Py_None);
    return Py_None;
}
