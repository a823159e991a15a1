/* export.inc.c - the one symbol of a compute type's file: its kernels. The last of the templates. */
const kt__cpu_type KT__CPU_SYMBOL(ID, KT_ISA) = {
    .elementwise    = FN(elementwise),
    .has            = FN(has),
    .loop           = FN(loop_of),
    .takes_halves   = FN(takes_halves),
    .cast           = FN(cast),
    .range          = FN(range),
    .matmul         = FN(matmul),
    .finish_product = FN(finish_product),
};
