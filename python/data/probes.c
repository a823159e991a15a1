/* probes.c - how long keys look for a place in a table of Python's dicts or sets, where a file chooses the keys.
 *
 * In: their hashes, a table of any size. Out: how many places were looked at in vain. The order of places is that of CPython: by
 * the hash's low bits, then by ever more of its high ones; a set looks at some places in a row before it goes on. Independent of:
 * what the keys are, and what is refused (karat/_probes.py). */
#include "core/binding.h"

/* Puts the n-th key into the table. Places that it looked at in vain, but no more than `most` and a few. */
static int64_t put(const int64_t *hashes, int64_t n, int32_t *table, uint64_t mask, uint64_t near, int64_t most)
{
    uint64_t rest = (uint64_t)hashes[n], at = rest & mask;
    for (int64_t vain = 0;;) {
        const uint64_t end = at + near <= mask + 1 ? at + near : at + 1;
        for (uint64_t place = at; place < end; place++, vain++) {
            if (!table[place])
                table[place] = (int32_t)(n + 1);
            else if (hashes[table[place] - 1] != hashes[n])
                continue;
            /* or it is the same key once more: others of one hash are counted elsewhere */
            return vain;
        }
        if (vain > most)
            return vain;
        rest >>= 5;
        at = (5 * at + rest + 1) & mask;
    }
}

static PyObject *places_in_vain(PyObject *module, PyObject *args)
{
    Py_buffer hashes, table;
    long long begin, until, near, most, vain = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*w*LLLL", &hashes, &table, &begin, &until, &near, &most))
        return NULL;
    const uint64_t size = (uint64_t)table.len / sizeof(int32_t);
    const bool     fits = begin >= 0 && until <= hashes.len / (Py_ssize_t)sizeof(int64_t) && until < INT32_MAX && near > 0 &&
                      size && !(size & (size - 1)) && until < (long long)size;
    if (fits)
        for (long long n = begin; n < until && vain <= most; n++)
            vain += put(hashes.buf, n, table.buf, size - 1, (uint64_t)near, most - vain);
    else
        PyErr_SetString(PyExc_ValueError, "places_in_vain: a table of 2**n int32 must have room for all keys");
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&table);
    return fits ? PyLong_FromLongLong(vain) : NULL;
}

PyMethodDef kp_probes_functions[] = {
    {"places_in_vain", places_in_vain, METH_VARARGS, "places_in_vain(hashes, table, begin, until, near, most)"},
    {NULL, NULL, 0, NULL},
};
