/* Takes the level of detail of rows from Python. */
#ifndef PROFVIZ_COLUMNS_DETAIL_ARGS_H
#define PROFVIZ_COLUMNS_DETAIL_ARGS_H

#include "columns_args.h"
#include "columns_detail.h"

enum { BASE, START, DUR, KIND, KINDS, SUMS, PARTS };

/* From the parts of a `core.detail.Detail`. */
void take_detail(Args *args, PyObject **given, Detail *detail);

/* The edges of pixels; `width` receives how many pixels they are. */
const int64_t *take_edges(Args *args, PyObject *given, Py_ssize_t *width);

/* What `columns_picture_module.c` binds. */
PyObject *hold_row(PyObject *module, PyObject *given);
PyObject *paint_rows(PyObject *module, PyObject *given);
PyObject *fill_picture(PyObject *module, PyObject *given);
PyObject *stamp_picture(PyObject *module, PyObject *given);

#endif
