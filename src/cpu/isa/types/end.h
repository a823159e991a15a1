/* end.h - takes back the names of a compute type, so that the next one can be included. */
#undef T
#undef A
#undef ID
#undef SELF
#undef KT_IS_INTEGER
#undef KT_IS_COMPLEX
#undef PICK
#undef MUL
#undef MATH
#undef NEAR_FORMS
#undef BRIEF_FORMS
#undef KT_FROM_HALVES
#undef KT_HAS_HALVES
