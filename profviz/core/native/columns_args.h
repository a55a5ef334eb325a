/* Takes arrays from Python through the buffer protocol and says what is wrong with them. */
#ifndef PROFVIZ_COLUMNS_ARGS_H
#define PROFVIZ_COLUMNS_ARGS_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "columns.h"

/* Element types, as bits, so that an argument may have one of several. */
enum { U8 = 1, U16 = 2, I32 = 4, U32 = 8, I64 = 16, U64 = 32, WRITABLE = 64 };
#define LANE_TYPES (U16 | I32 | U32)
#define INTEGERS (U8 | U16 | I32 | U32 | I64 | U64)

#define MOST_ARGS 16
#define ANY_LENGTH (-1)

/* The arrays one call holds; all are let go together. */
typedef struct {
    Py_buffer views[MOST_ARGS];
    int held;
    int failed;
} Args;

/* The elements of a one-dimensional contiguous array of one of `types` and of `count` elements; NULL and an error set,
   once for all, where it is none. `count` receives the length where it is ANY_LENGTH. */
void *take_array(Args *args, PyObject *given, const char *name, int types, Py_ssize_t *count);

/* The same for lanes, threads and ids. */
Keys take_keys(Args *args, PyObject *given, const char *name, int types, Py_ssize_t *count);

/* Integers of any type a column may have, and as many of them. */
Elements take_elements(Args *args, PyObject *given, const char *name, Py_ssize_t *count);

size_t width_of(ElementType type);

/* The same to be written to, with the width of one. */
void *take_output(Args *args, PyObject *given, const char *name, Py_ssize_t *count, size_t *width);

void let_go(Args *args);

/* None, or the exception that belongs to a status of the plain C functions. */
PyObject *none_or_error(int status);

/* What columns_detail_module.c adds to the module. */
extern PyMethodDef detail_methods[];
/* and columns_move_module.c */
extern PyMethodDef move_methods[];

#endif
