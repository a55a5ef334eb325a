/* Which keys of an event and of its args mean something: looked up by length first. */
#ifndef PROFVIZ_SCAN_KEYS_H
#define PROFVIZ_SCAN_KEYS_H

#include "scan_text.h"

#define IS(text) (memcmp(key, text, sizeof(text) - 1) == 0)

static ALWAYS_INLINE int field_of(const uint8_t *key, size_t size) {
    switch (size) {
    case 2:
        return IS("ph") ? F_PH : IS("ts") ? F_TS : IS("id") ? F_ID : F_OTHER;
    case 3:
        return IS("cat") ? F_CAT : IS("pid") ? F_PID : IS("tid") ? F_TID : IS("dur") ? F_DUR : IS("id2") ? F_ID2
                                                                                                    : F_OTHER;
    case 4:
        return IS("name") ? F_NAME : IS("args") ? F_ARGS : F_OTHER;
    default:
        return F_OTHER;
    }
}

static ALWAYS_INLINE int arg_of(const uint8_t *key, size_t size) {
    switch (size) {
    case 4:
        return IS("grid") ? A_GRID : IS("Addr") ? A_M_ADDRESS : A_OTHER;
    case 5:
        return IS("block") ? A_BLOCK : IS("bytes") ? A_BYTES : IS("Bytes") ? A_M_BYTES : A_OTHER;
    case 6:
        return IS("device") ? A_DEVICE : IS("stream") ? A_STREAM : A_OTHER;
    case 8:
        return IS("graph id") ? A_GRAPH : A_OTHER;
    case 9:
        return IS("Device Id") ? A_M_DEVICE : A_OTHER;
    case 10:
        return IS("Input Dims") ? A_DIMS : A_OTHER;
    case 11:
        return IS("External id")   ? A_EXTERNAL
               : IS("correlation") ? A_CORRELATION
               : IS("external id") ? A_EXTERNAL_LOWER
               : IS("Device Type") ? A_M_DEVICE_TYPE
                                   : A_OTHER;
    case 13:
        return IS("shared memory") ? A_SHARED : IS("graph node id") ? A_GRAPH_NODE : A_OTHER;
    case 14:
        return IS("Total Reserved") ? A_M_RESERVED : A_OTHER;
    case 15:
        return IS("Total Allocated") ? A_M_ALLOCATED : A_OTHER;
    case 20:
        return IS("registers per thread") ? A_REGISTERS : A_OTHER;
    case 23:
        return IS("memory bandwidth (GB/s)") ? A_BANDWIDTH : A_OTHER;
    case 25:
        return IS("est. achieved occupancy %") ? A_OCCUPANCY : A_OTHER;
    default:
        return A_OTHER;
    }
}

#undef IS

#endif
