/* json.h - recorded facts for tests: a gzip JSON file as a tree.
 *
 * In: a path, or the name of a file of tests/conformance. Out: nodes to look up and walk. A number keeps its text, so
 * that no integer loses a digit. Independent of: Karat.
 *
 *     json *facts = json_conformance("dtype_facts");
 *     for (const json *row = json_get(facts, "can_cast")->first; row; row = row->next)
 *         ... row->key, json_text(json_get(row, "float32")) ...
 *     json_free(facts); */
#ifndef KARAT_TESTS_JSON_H
#define KARAT_TESTS_JSON_H

#include <stdbool.h>
#include <stddef.h>

#ifndef KT_CONFORMANCE_DIR
#define KT_CONFORMANCE_DIR KT_TEST_SOURCE_DIR "/tests/conformance"
#endif

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json json;
struct json {
    json_kind   kind;
    const char *key;    /* in an object; else NULL */
    const char *text;   /* of a string or number, ending in NUL; else NULL */
    json       *first;  /* of an array or object */
    json       *next;
    size_t      count;  /* of an array or object */
};

json *json_load(const char *path);                       /* NULL, and a line on stderr, where it cannot be read */
json *json_load_in(const char *folder, const char *name); /* folder/name.json.gz */
#define json_conformance(name) json_load_in(KT_CONFORMANCE_DIR, (name))
void  json_free(json *root);                             /* the whole tree; NULL is fine */

const json *json_get(const json *object, const char *key); /* NULL where there is none, or `object` is NULL */
const char *json_text(const json *node);                   /* "" where it is neither string nor number, or NULL */
double      json_number(const json *node);                 /* NaN where it is no number */
bool        json_is(const json *node, const char *text);   /* a string or number with this text? */

#endif
