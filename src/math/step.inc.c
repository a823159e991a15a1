/* step.inc.c - what a step of an optimizer makes of one element, in T. A template: T, FN and MATH are defined, and fma.h is
 * included.
 *
 * In: a parameter, its states, its gradient; numbers of the step, calculated in float64 and rounded once. Out: the same, updated.
 * Each fma stands where PyTorch's vectors have one, so that float32 and float64 have its bits. Independent of: loops, memory. */

typedef struct FN(step_numbers) {
    T    scale, rate, decay;                          /* decay: a factor of the parameter where it is decoupled */
    T    weight, square, square_rest, root, eps;      /* adam; eps: adagrad's too */
    T    momentum, share;                             /* sgd; share: of the gradient in the buffer */
    T    sign;                                        /* of the gradient that is followed */
    bool decays, from_gradient;                       /* from_gradient: the average is nearer to it */
} FN(step_numbers);

/* power1, power2: beta1 and beta2 to the number of steps. */
KT_ALWAYS void FN(adam_numbers)(FN(step_numbers) *by, bool decoupled, double rate, double beta1, double beta2, double power1,
                                double power2, double decay, double eps)
{
    const T weight = (T)(1 - beta1);
    by->from_gradient = weight >= (T)0.5;
    by->weight = by->from_gradient ? weight - 1 : weight;
    by->square = (T)(1 - beta2);
    by->square_rest = (T)beta2;
    by->decays = decay != 0;
    by->decay = (T)(decoupled ? 1 - rate * decay : decay);
    by->rate = (T)(rate / (1 - power1));
    by->root = (T)sqrt(1 - power2);
    by->eps = (T)eps;
}

KT_ALWAYS void FN(sgd_numbers)(FN(step_numbers) *by, double rate, double decay, double momentum, double dampening)
{
    by->decay = (T)decay;
    by->decays = decay != 0;
    by->momentum = (T)momentum;
    by->share = (T)(1 - dampening);
    by->rate = (T)rate;
}

KT_ALWAYS void FN(adagrad_numbers)(FN(step_numbers) *by, double rate, double step, double rate_decay, double decay, double eps)
{
    by->decay = (T)decay;
    by->decays = decay != 0;
    by->rate = (T)(rate / (1 + (step - 1) * rate_decay));
    by->eps = (T)eps;
}

/* The gradient that a step follows: negated, and with the decay of weights in it. */
KT_ALWAYS T FN(followed)(T g, T p, T sign, T decay, bool decays)
{
    g = sign * g;
    return decays ? FN(fma)(p, decay, g) : g;
}

KT_ALWAYS T FN(adam_mean)(T m, T g, T weight, bool from_gradient) { return FN(fma)(weight, g - m, from_gradient ? g : m); }
KT_ALWAYS T FN(adam_variance)(T v, T g, T square, T rest) { return FN(fma)(square * g, g, v * rest); }
KT_ALWAYS T FN(adam_largest)(T x, T v) { return x > v || x != x ? x : v; }
KT_ALWAYS T FN(adam_parameter)(T p, T mean, T variance, T rate, T root, T eps)
{
    return p - rate * mean / (MATH(sqrt)(variance) / root + eps);
}

KT_ALWAYS T FN(sgd_buffer)(T b, T g, T momentum, T share, bool first) { return first ? g : FN(fma)(g, share, b * momentum); }
KT_ALWAYS T FN(sgd_direction)(T buffer, T g, T momentum, bool nesterov)
{
    return nesterov ? FN(fma)(buffer, momentum, g) : buffer;
}
KT_ALWAYS T FN(sgd_parameter)(T p, T direction, T rate) { return FN(fma)(-rate, direction, p); }

KT_ALWAYS T FN(adagrad_sum)(T s, T g) { return FN(fma)(g, g, s); }
KT_ALWAYS T FN(adagrad_parameter)(T p, T g, T sum, T rate, T eps) { return p - rate * g / (MATH(sqrt)(sum) + eps); }

KT_ALWAYS bool FN(is_endless)(T g) { return !(g - g == 0); }
