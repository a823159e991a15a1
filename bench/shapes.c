/* shapes.c - how near reductions, joining and shaping come to the memory's speed. In: nothing. Out: one line a figure, as
 * figure.h has it: what is read and written against a copy of as many bytes; then the time of small calls. */
#include "figure.h"

#define RUN(name, call)                                                                                                \
    static void name(const work *w)                                                                                    \
    {                                                                                                                  \
        KT_SCOPE;                                                                                                      \
        call;                                                                                                          \
    }
RUN(run_sum, kt_sum(w->a))
RUN(run_mean, kt_mean(w->a))
RUN(run_amax, kt_amax(w->a))
RUN(run_max_last, kt_max_dim(w->a, 1))
RUN(run_argmax, kt_argmax(w->a))
RUN(run_var, kt_var(w->a))
RUN(run_var_last, kt_var_dim(w->a, KT_SHAPE(1)))
RUN(run_prod, kt_prod(w->a))
RUN(run_norm, kt_norm(w->a))
RUN(run_logsumexp, kt_logsumexp(w->a, KT_SHAPE(1)))
RUN(run_any, kt_any(w->a))
RUN(run_all, kt_all(w->a))
RUN(run_count, kt_count_nonzero(w->a))
RUN(run_cat, kt_cat_out(w->to, ((kt_tensor *[]){(kt_tensor *)w->a, (kt_tensor *)w->b}), 2))
RUN(run_cat_last, kt_cat(((kt_tensor *[]){(kt_tensor *)w->a, (kt_tensor *)w->b}), 2, .dim = 1))
RUN(run_stack, kt_stack(((kt_tensor *[]){(kt_tensor *)w->a, (kt_tensor *)w->b}), 2))
RUN(run_flip, kt_flip(w->a, KT_SHAPE(0)))
RUN(run_flip_last, kt_flip(w->a, KT_SHAPE(1)))
RUN(run_roll, kt_roll(w->a, KT_SHAPE(100), .dims = KT_SHAPE(1)))
RUN(run_tril, kt_tril(w->a))
RUN(run_pad, kt_nn_pad(w->a, KT_SHAPE(1, 1, 1, 1)))
RUN(run_repeat, kt_repeat(w->a, KT_SHAPE(2, 1)))
RUN(run_clone, kt_clone(w->a))

static void folds(void)
{
    KT_SCOPE;
    const double four = (double)count * 4;
    const work   one = {NULL, NULL, numbers(KT_SHAPE(2048, 2048), KT_F32), NULL};
    static const struct {
        const char *name;
        void (*run)(const work *w);
    } all[] = {{"sum float32", run_sum},       {"mean float32", run_mean},          {"amax float32", run_amax},
               {"max of each row", run_max_last}, {"argmax float32", run_argmax},      {"var float32", run_var},
               {"var of each row", run_var_last}, {"prod float32", run_prod},          {"norm float32", run_norm},
               {"logsumexp of each row", run_logsumexp}, {"count_nonzero float32", run_count}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        work w = one;
        w.run = all[i].run;
        figure(all[i].name, &w, four);
    }
    static const kt_dtype narrow[] = {KT_BF16, KT_F16, KT_I8};
    static const char    *names[] = {"sum bfloat16", "sum float16", "sum int8"};
    for (int i = 0; i < 3; i++)
        figure(names[i], &(work){run_sum, NULL, numbers(KT_SHAPE(count), narrow[i]), NULL},
               (double)count * (double)kt_dtype_size(narrow[i]));
    kt_tensor *no = kt_zeros(KT_SHAPE(count), .dtype = KT_BOOL), *yes = kt_ones(KT_SHAPE(count), .dtype = KT_BOOL);
    figure("any bool", &(work){run_any, NULL, no, NULL}, (double)count);
    figure("all bool", &(work){run_all, NULL, yes, NULL}, (double)count);
    figure("sum bool", &(work){run_sum, NULL, yes, NULL}, (double)count);
}

static void moves(void)
{
    KT_SCOPE;
    kt_tensor   *a = numbers(KT_SHAPE(1024, 1024), KT_F32), *b = numbers(KT_SHAPE(1024, 1024), KT_F32);
    const work   two = {run_cat, kt_empty(KT_SHAPE(2048, 1024)), a, b};
    const double four = (double)(4 << 20); /* bytes of one */
    figure("cat of two 4 MB tensors", &two, 4 * four);
    figure("cat along the last dim", &(work){run_cat_last, NULL, a, b}, 4 * four);
    figure("stack", &(work){run_stack, NULL, a, b}, 4 * four);
    kt_tensor *m = numbers(KT_SHAPE(2048, 2048), KT_F32);
    static const struct {
        const char *name;
        void (*run)(const work *w);
        double bytes;
    } all[] = {{"clone", run_clone, 8}, {"flip of rows", run_flip, 8}, {"flip of columns", run_flip_last, 8},
               {"roll of columns", run_roll, 8}, {"tril", run_tril, 6}, {"pad by one", run_pad, 8}, {"repeat", run_repeat, 12}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        figure(all[i].name, &(work){all[i].run, NULL, m, NULL}, (double)count * all[i].bytes);
}

/* ---- time of one call ---- */
static void small_calls(void)
{
    KT_SCOPE;
    static const struct {
        const char *name;
        void (*run)(const work *w);
    } all[] = {{"cat of two vectors of 8", run_cat_last}, {"flip of 1 x 8", run_flip_last}, {"sum of 1 x 8", run_sum},
               {"tril of 1 x 8", run_tril},         {"pad of 1 x 8", run_pad}};
    const work one = {NULL, NULL, numbers(KT_SHAPE(1, 8), KT_F32), numbers(KT_SHAPE(1, 8), KT_F32)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double best = INFINITY;
        for (int r = 0; r < ROUNDS; r++) {
            const double start = now();
            for (int k = 0; k < 10000; k++)
                all[i].run(&one);
            best = fmin(best, (now() - start) / 10000);
        }
        printf("%-32s %7.1f ns\n", all[i].name, best * 1e9);
    }
}

int main(void)
{
    printf("instruction set %s, %d threads, %lld elements, best of %d\n", kt_cpu_isa(), kt_get_num_threads(),
           (long long)count, ROUNDS);
    folds();
    moves();
    small_calls();
    return kt_report(stderr);
}
