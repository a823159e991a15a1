/* second_differences.h - second derivatives beside central differences in float64. In: a problem of differences.h. The function
 * that is differentiated is the squares of the gradients of sum(f(x) ^ 3), of all inputs. */
#ifndef KT_TEST_SECOND_DIFFERENCES_H
#define KT_TEST_SECOND_DIFFERENCES_H

#include "support/differences.h"

static const problem *differentiated;

static kt_tensor *squares_of_gradients(kt_tensor **x)
{
    const problem *p = differentiated;
    const bool     was = kt_grad_enabled();
    kt_tensor     *leaf[MOST_INPUTS] = {0}, *sum = NULL;
    kt_set_grad_enabled(true);
    for (int i = 0; i < p->n; i++) {
        leaf[i] = was ? x[i] : kt_detach(x[i]);
        kt_set_requires_grad(leaf[i], true);
    }
    kt_tensor *y = p->f(leaf);
    if (!kt_backward(kt_sum(kt_mul(y, kt_mul(y, y))), .create_graph = true)) /* a norm's squares would have a constant sum */
        for (int i = 0; i < p->n; i++) {
            kt_tensor *square = kt_sum(kt_mul(kt_grad(leaf[i]), kt_grad(leaf[i])));
            sum = sum ? kt_add(sum, square) : square;
        }
    for (int i = 0; i < p->n; i++)
        kt_set_grad(leaf[i], NULL);
    kt_set_grad_enabled(was);
    return sum;
}

static void check_twice(const problem *p)
{
    problem second = *p;
    second.f = squares_of_gradients;
    differentiated = p;
    check(&second);
}

#endif
