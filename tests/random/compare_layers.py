"""Run by hand: calls of neural-network operators and linear algebra with random geometry, dtypes, layouts and mistakes, in karat
and in PyTorch, and where they differ: values, gradients, second derivatives, dtypes, sizes, strides, errors.

    tests/random/compare_layers.py /path/to/python-with-torch [first seed] [how many] [families, separated by commas]

A case is one expression over named tensors, called plainly, on meta tensors, under autocast, or in a vmap over two of each; some
tensors hold ties, zeros of both signs, infinities and NaN. Where the reference divides by zero and dies (`FATAL`) nothing is
compared, nor where one of two calls on meta tensors is an error: the dry run has the texts of the CPU. Left out, because PyTorch
reads other memory or counts wrongly: embedding_bag with a last offset that is not the end, and with scale_grad_by_freq. Strides
are compared where a dim has more than one element.
The package never imports torch; this tool starts it in a process of its own.
"""

import collections
import importlib
import json
import math
import random
import re
import subprocess
import sys
import warnings

from compare_optimizers import difference

REAL = ["float32"] * 5 + ["float64"] * 5 + ["bfloat16", "float16"]
COMPLEX = REAL + ["complex64", "complex128"]
WRONG = ["int64", "bool", "uint8"]
WAYS = ["plain"] * 7 + ["meta", "bfloat16", "float16", "vmap"]
LEAST = {"float32": 1e-4, "float64": 1e-7, "bfloat16": 4e-2, "float16": 8e-3, "complex64": 1e-4, "complex128": 1e-7}


class Case:
    """What is drawn for one call: tensors by name, and the expression."""

    def __init__(self, r):
        self.r, self.tensors, self.text, self.wrong = r, {}, "", r.random() < 0.15
        self.way = r.choice(WAYS)
        self.odd = r.choice([None] * 8 + ["ties", "zeros", "not finite"])

    def one(self, *values):
        return self.r.choice(values)

    def often(self, p):
        return self.r.random() < p

    def dtype(self, among=REAL):
        return self.r.choice(WRONG) if self.wrong and self.often(0.15) else self.r.choice(among)

    def size(self, low=1, high=6):
        return 0 if self.often(0.02) else self.r.randint(low, high)

    def add(self, name, shape, dtype, kind="randn", high=0):
        """A tensor; returns its name. A mistake changes its shape or dtype."""
        shape = list(shape)
        if self.wrong and self.often(0.15):
            what = self.one("drop", "more", "size")
            if what == "drop" and shape:
                shape.pop(self.r.randrange(len(shape)))
            elif what == "more":
                shape.insert(self.r.randint(0, len(shape)), self.one(1, 2))
            elif shape:
                shape[self.r.randrange(len(shape))] += self.one(1, -1) if min(shape) > 0 else 1
        if self.wrong and self.often(0.07):
            dtype = self.one("float32", "float64", "int64", "int32", "bfloat16", "complex64")
        layout = self.one(*["dense"] * 5, "turned", "strided", "channels_last", "expanded")
        self.tensors[name] = (shape, dtype, kind, high, layout, self.often(0.7))
        return name

    def maybe(self, p, text):
        return text if self.often(p) else ""

    def per_dim(self, n, *values):
        """A number, or one for each dim."""
        bad = [0, -1] if self.wrong and self.often(0.3) else []
        if self.often(0.5):
            return self.one(*values, *bad)
        count = n if not (self.wrong and self.often(0.1)) else self.one(1, n + 1)
        return tuple(self.one(*values, *bad) for _ in range(count))


# ---- families: each fills in a case ----

def conv(c):
    n, groups, d = c.one(1, 1, 2, 2, 2, 3), c.one(1, 1, 1, 2, 3), c.dtype(COMPLEX)
    turned, cin, per = c.often(0.4), c.one(1, 2, 3), c.one(1, 2, 3, 5)
    kernel, image = [c.size(1, 4) for _ in range(n)], [c.size(1, 9) for _ in range(n)]
    batch = [c.size(1, 3)] if c.often(0.85) else []
    x = c.add("x", batch + [cin * groups] + image, d)
    w = c.add("w", ([cin * groups, per] if turned else [per * groups, cin]) + kernel, d)
    b = c.add("b", [per * groups], d) if c.often(0.5) else "None"
    stride, dilation = c.per_dim(n, 1, 1, 2, 3), c.per_dim(n, 1, 1, 2)
    if turned:
        c.text = (f"F.conv_transpose{n}d({x}, {w}, {b}, {stride}, {c.per_dim(n, 0, 0, 1, 2)}, {c.per_dim(n, 0, 0, 0, 1)}, "
                  f"{groups}, {dilation})")
    else:
        padding = c.per_dim(n, 0, 1, 2) if c.often(0.8) else repr(c.one("same", "valid", "other" if c.wrong else "same"))
        c.text = (f"F.conv{n}d({x}, {w}, {b}, {stride}, {padding}, {dilation}, "
                  f"{groups if not c.wrong else c.one(groups, 2, 0, -1)})")


def pool(c):
    n, d = c.one(1, 2, 2, 2, 3), c.dtype()
    batch, image = ([c.size(1, 3)] if c.often(0.8) else []), [c.size(1, 10) for _ in range(n)]
    x = c.add("x", batch + [c.size(1, 5)] + image, d)
    kernel = c.per_dim(n, 1, 2, 3)
    stride = c.one("None", c.per_dim(n, 1, 2, 3))
    kind = c.one("max", "max", "avg", "avg", "adaptive_avg", "adaptive_max", "lp", "unpool", "fractional")
    if kind == "max":
        c.text = (f"F.max_pool{n}d({x}, {kernel}, {stride}, {c.per_dim(n, 0, 0, 1)}, {c.per_dim(n, 1, 1, 2)}, "
                  f"ceil_mode={c.often(0.4)}, return_indices={c.often(0.5)})")
    elif kind == "avg":
        more = f", divisor_override={c.one(1, 3, 'None', 0 if c.wrong else 2)}" if n > 1 and c.often(0.4) else ""
        c.text = (f"F.avg_pool{n}d({x}, {kernel}, {stride}, {c.per_dim(n, 0, 0, 1)}, ceil_mode={c.often(0.4)}, "
                  f"count_include_pad={c.often(0.5)}{more})")
    elif kind.startswith("adaptive"):
        size = c.one(c.per_dim(n, 1, 2, 3, 5), c.per_dim(n, 1, 2, None) if n > 1 else 4)
        c.text = f"F.{kind}_pool{n}d({x}, {size}{c.maybe(0.5, ', return_indices=True') if 'max' in kind else ''})"
    elif kind == "lp":
        c.text = f"F.lp_pool{n}d({x}, {c.one(1, 2, 3, 1.5)}, {kernel}, {stride}, {c.often(0.4)})"
    elif kind == "unpool":
        c.text = (f"F.max_unpool{n}d(*F.max_pool{n}d({x}, {kernel}, {stride}, return_indices=True), {kernel}, {stride}"
                  f"{c.maybe(0.4, ', output_size=' + x + '.shape')})")
    else:
        n = max(n, 2)
        c.tensors.clear()
        x = c.add("x", batch + [c.size(1, 5)] + [c.size(2, 10) for _ in range(n)], d)
        s = (still(c, "s", [1 if not batch else batch[0], c.tensors["x"][0][-n - 1] if len(c.tensors["x"][0]) > n else 1, n], d,
              "unit"))
        out = c.one(f"output_size={c.per_dim(n, 1, 2, 3)}", f"output_ratio={c.one(0.5, 0.7, (0.5,) * n)}")
        c.text = (f"F.fractional_max_pool{n}d({x}, {c.per_dim(n, 1, 2)}, {out}, return_indices={c.often(0.5)}, "
                  f"_random_samples={s})")


def interpolate(c):
    n = c.one(1, 2, 2, 2, 3)
    mode = (c.one("nearest", "nearest-exact", "area", {1: "linear", 2: "bilinear", 3: "trilinear"}[n], "bicubic" if n == 2
            else "nearest"))
    x = c.add("x", [c.size(1, 3), c.size(1, 4)] + [c.size(1, 7) for _ in range(n)], c.dtype(REAL + ["uint8"]))
    how = c.one(f"size={c.per_dim(n, 1, 2, 5, 8)}", f"scale_factor={c.per_dim(n, 0.5, 1.7, 2, 2.0, 3.3)}")
    aligned = (c.maybe(0.5, f", align_corners={c.often(0.5)}") if mode not in ("nearest", "nearest-exact", "area") or c.wrong
               else "")
    more = c.maybe(0.3, f", recompute_scale_factor={c.often(0.5)}") + (c.maybe(0.4, ", antialias=True"))
    c.text = f"F.interpolate({x}, {how}, mode={mode!r}{aligned}{more})"


def grid(c):
    n, d = c.one(2, 2, 3), c.dtype()
    batch = c.size(1, 3)
    x = c.add("x", [batch, c.size(1, 4)] + [c.size(1, 6) for _ in range(n)], d)
    if c.often(0.3):
        t = c.add("t", [batch, n, n + 1], d)
        c.text = f"F.affine_grid({t}, {[batch, 2] + [c.size(1, 4) for _ in range(n)]}, align_corners={c.often(0.5)})"
        del c.tensors["x"]
        return
    g = c.add("g", [batch] + [c.size(1, 4) for _ in range(n)] + [n], d)
    c.text = (f"F.grid_sample({x}, {g}, mode={c.one('bilinear', 'nearest', 'bicubic')!r}, "
              f"padding_mode={c.one('zeros', 'border', 'reflection')!r}, align_corners={c.often(0.5)})")


def fold(c):
    d, image = c.dtype(COMPLEX), [c.size(2, 8), c.size(2, 8)]
    batch, channels = ([c.size(1, 3)] if c.often(0.8) else []), c.size(1, 3)
    k, di, p, s = c.per_dim(2, 1, 2, 3), c.per_dim(2, 1, 1, 2), c.per_dim(2, 0, 1), c.per_dim(2, 1, 2)
    if c.often(0.5):
        c.text = f"F.unfold({c.add('x', batch + [channels] + image, d)}, {k}, {di}, {p}, {s})"
        return
    two = lambda v: v if isinstance(v, tuple) else (v, v)
    try:
        blocks = (math.prod((i + 2 * pp - dd * (kk - 1) - 1) // ss + 1 for i, kk, dd, pp, ss in zip(image, two(k), two(di),
                  two(p), two(s))))
    except ZeroDivisionError:
        blocks = 2
    area = math.prod(two(k))
    x = c.add("x", batch + [max(channels * area, 0), max(blocks, 0)], d)
    c.text = f"F.fold({x}, {tuple(image)}, {k}, {di}, {p}, {s})"


def norm(c):
    d, kind = c.dtype(), c.one("layer", "rms", "batch", "group", "instance", "local", "normalize")
    if kind in ("layer", "rms"):
        shape = [c.size(1, 5) for _ in range(c.one(1, 2, 3))] + [c.one(1, 3, 17, 40)]
        inner = shape[-c.one(1, 1, 2):]
        x, w = c.add("x", shape, d), c.add("w", inner, c.one(d, d, "float32")) if c.often(0.6) else "None"
        b = (", " + c.add("b", inner, c.tensors["w"][1] if w == "w" else d) if kind == "layer" and c.often(0.6)
             else ", None" if kind == "layer" else "")
        c.text = f"F.{kind}_norm({x}, {inner}, {w}{b}, eps={c.one(1e-5, 1e-2, 0.0)})"
        return
    channels = c.one(1, 2, 4, 6)
    shape = [c.size(1, 4), channels] + [c.size(1, 5) for _ in range(c.one(0, 1, 2, 3))]
    x = c.add("x", shape, d)
    w = c.add("w", [channels], c.one(d, d, "float32")) if c.often(0.6) else "None"
    b = c.add("b", [channels], c.tensors["w"][1] if w == "w" else d) if c.often(0.6) else "None"
    if kind in ("batch", "instance"):
        stats = (c.add("m", [channels], c.tensors["w"][1] if w == "w" else d, "still"),
                 c.add("v", [channels], c.tensors["w"][1] if w == "w" else d, "still_positive")) if c.often(0.6) else ("None",
                 "None")
        flag = "training" if kind == "batch" else "use_input_stats"
        c.text = (f"(F.{kind}_norm({x}, {stats[0]}, {stats[1]}, {w}, {b}, {flag}={c.often(0.6)}, "
        f"momentum={c.one(0.1, 0.5, 1.0, 0.0)}, "
                  f"eps={c.one(1e-5, 1e-2)}), {stats[0]}, {stats[1]})")
    elif kind == "group":
        c.text = (f"F.group_norm({x}, {c.one(1, 2, channels, 3 if c.wrong else 1, 0 if c.wrong else 1)}, {w}, {b}, "
                  f"{c.one(1e-5, 1e-2)})")
    elif kind == "local":
        c.text = (f"F.local_response_norm({x}, {c.one(1, 2, 3, 5, 0 if c.wrong else 2)}, alpha={c.one(1e-4, 0.5)}, "
                  f"beta={c.one(0.75, 0.5)}, k={c.one(1.0, 2.0)})")
    else:
        c.text = (f"F.normalize({x}, p={c.one(1, 2.0, 3, 0.5, math.inf) if not c.wrong else 0}, "
                  f"dim={c.one(0, 1, -1, 5 if c.wrong else 1)}, eps={c.one(1e-12, 0.5)})")


def attention(c):
    d, e, v = c.dtype(), c.one(1, 4, 8, 16, 17), c.one(4, 8, 8, 3)
    length, keys = c.one(1, 4, 7, 1, 4, 7, 0, 3, 5, 33), c.one(2, 5, 7, 2, 5, 7, 0, 1, 6, 40)
    lead = [c.size(1, 3) for _ in range(c.one(0, 1, 1, 2, 2, 2, 3))]
    gqa = len(lead) >= 2 and c.often(0.3)
    few = lead[:-1] + [c.one(1, lead[-1], 2)] if gqa else lead
    if gqa:
        lead = lead[:-1] + [few[-1] * c.one(1, 2, 3)]
    args = [c.add("q", lead + [length, e], d), c.add("k", few + [keys, e], d), c.add("v", few + [keys, v], d)]
    if c.often(0.5):
        kind = c.one("bool", "bool", d, d, "float32", "float64", "int64" if c.wrong else "bool")
        shape = (c.one([length, keys], [1, keys], [length, 1], [keys], lead[:1] + [1] * (len(lead) - 1) + [length, keys],
                 lead + [length, keys]))
        args.append("attn_mask=" + c.add("mask", shape, kind, "mask" if kind == "bool" else c.one("randn", "infs")))
        if c.wrong and c.often(0.3):
            args.append("is_causal=True")
    elif c.often(0.5):
        args.append("is_causal=True")
    args += [f"scale={c.one(0.5, 1.0, 0.0)}"] if c.often(0.3) else []
    args += ["enable_gqa=True"] if gqa else []
    args += ["dropout_p=0.0"] if c.often(0.3) else [f"dropout_p={c.one(-0.5, 1.5)}"] if c.wrong and c.often(0.2) else []
    c.text = f"F.scaled_dot_product_attention({', '.join(args)})"


def recurrent(c):
    kind, bi, layers, bias, d = c.one("LSTM", "GRU", "RNN"), c.often(0.5), c.one(1, 1, 2), c.often(0.7), c.dtype()
    proj = c.one(0, 2) if kind == "LSTM" else 0
    hidden, inputs, first = c.one(1, 3, 4), c.one(1, 3, 5), c.often(0.5)
    more = (f", proj_size={proj}" if proj else "") + (f", nonlinearity={c.one('tanh', 'relu')!r}" if kind == "RNN" else "")
    m = (f"T.nn.{kind}({inputs}, {hidden if not c.wrong else c.one(hidden, 0, -1)}, {layers}, bias={bias}, batch_first={first}, "
         f"bidirectional={bi}, dtype=T.{d}{more})")
    length, batch = c.size(1, 6), c.size(1, 4)
    batched = c.often(0.8)
    shape = [length, batch, inputs] if not first else [batch, length, inputs]
    x = c.add("x", shape if batched else [length, inputs], d)
    start = ""
    if c.often(0.5):
        state = lambda size: [layers * (1 + bi)] + ([batch] if batched else []) + [size]
        h = c.add("h", state(proj or hidden), d)
        start = f", ({h}, {c.add('c', state(hidden), d)})" if kind == "LSTM" else f", {h}"
    if batched and c.often(0.4):
        lengths = [c.r.randint(0 if c.wrong else 1, max(length, 1)) for _ in range(batch)]
        if c.often(0.5):
            lengths.sort(reverse=True)
        x = (f"T.nn.utils.rnn.pack_padded_sequence({x}, {lengths}, batch_first={first}, "
             f"enforce_sorted={lengths == sorted(lengths, reverse=True) or c.wrong})")
    c.text = f"fixed({m})({x}{start})"


def cell(c):
    kind, d = c.one("lstm", "gru", "rnn_tanh", "rnn_relu"), c.dtype()
    hidden, inputs, batch = c.one(1, 3), c.one(2, 4), ([c.size(1, 3)] if c.often(0.8) else [])
    gates = {"lstm": 4, "gru": 3}.get(kind, 1)
    x, h = c.add("x", batch + [inputs], d), c.add("h", batch + [hidden], d)
    state = f"({h}, {c.add('c', batch + [hidden], d)})" if kind == "lstm" else h
    c.text = (f"T.{kind}_cell({x}, {state}, {c.add('u', [gates * hidden, inputs], d)}, "
    f"{c.add('w', [gates * hidden, hidden], d)}, "
              f"{c.add('a', [gates * hidden], d)}, {c.add('b', [gates * hidden], d)})")


def bag(c):
    d, rows, width = c.dtype(), c.size(2, 7), c.one(1, 3, 8, 16, 33)
    w = c.add("w", [rows, width], d)
    kind = c.one("int64", "int64", "int32")
    high = rows + (2 if c.wrong and c.often(0.4) else 0)
    if c.often(0.3):
        i = c.add("i", [c.size(0, 4) for _ in range(c.one(0, 1, 2, 3))], kind, "index", high)
        often = c.maybe(0.2, ", scale_grad_by_freq=True")
        c.text = f"F.embedding({i}, {w}, padding_idx={c.one('None', 0, -1, 9 if c.wrong else 1)}{often})"
        return
    mode = c.one("sum", "mean", "max", "other" if c.wrong else "sum")
    pad = f", padding_idx={c.one(0, -1, 1)}" if c.often(0.4) else ""
    if c.often(0.4):
        i = c.add("i", [c.size(1, 3), c.size(0, 4)], kind, "index", high)
        n, offsets, last = c.tensors["i"][0], "None", ""
    else:
        count = c.size(1, 8)
        i = c.add("i", [count], kind, "index", high)
        at = sorted(c.r.randint(0, count) for _ in range(c.size(0, 3)))
        offsets = [0] + at if not c.wrong else c.one([1] + at, [0] + at, [0, count + 3], [-1])
        last = ", include_last_offset=True" if c.often(0.3) else ""
        offsets = offsets + [count] if last else offsets
        offsets, n = f"T.tensor({offsets}, dtype=T.{kind if not c.wrong else c.one('int32', 'int64', 'float32')})", [count]
    weights = f", per_sample_weights={c.add('s', n, d)}" if c.often(0.4) and (mode == "sum" or c.wrong) else ""
    c.text = f"F.embedding_bag({i}, {w}, {offsets}, mode={mode!r}{weights}{pad}{last})"


def loss(c):
    d, how = c.dtype(), f", reduction={c.one('mean', 'sum', 'none', 'other' if c.wrong and c.often(0.3) else 'mean')!r}"
    kind = c.one("cross", "cross", "cross_soft", "nll", "bce", "bce_logits", "pair", "pair", "hinge", "cosine", "margin_rank",
    "triplet",
                 "multi_margin", "multilabel", "multilabel_soft", "soft_margin", "gaussian", "poisson", "kl", "ctc", "triplet_d")
    n, k = c.size(1, 5), c.one(1, 3, 4, 7)
    inner = [c.size(1, 3) for _ in range(c.one(0, 0, 1, 2))]
    other = c.one(d, d, d, "float32", "float64")
    high = k + (2 if c.wrong and c.often(0.4) else 0)
    if kind in ("cross", "nll"):
        batch = [n] if c.often(0.9) or inner else []
        x = c.add("x", batch + [k] + inner, d)
        t = c.add("t", batch + inner, c.one("int64", "int64", "int64", "uint8" if not c.wrong else "int32"), "index", high)
        w = c.add("w", [k], c.one(d, d, other)) if c.often(0.4) else "None"
        smooth = f", label_smoothing={c.one(0.1, 1.0, 0.0, 1.5 if c.wrong else 0.3)}" if kind == "cross" and c.often(0.4) else ""
        name = "cross_entropy" if kind == "cross" else "nll_loss"
        c.text = f"F.{name}({x}, {t}, weight={w}, ignore_index={c.one(-100, 0, 1, -1)}{how}{smooth})"
    elif kind == "cross_soft":
        shape = [n, k] + inner
        w = c.add("w", [k], c.one(d, d, other)) if c.often(0.4) else "None"
        c.text = (f"F.cross_entropy({c.add('x', shape, d)}, {c.add('t', shape, other, 'unit')}, weight={w}{how}"
                  f"{c.maybe(0.4, f', label_smoothing={c.one(0.1, 1.0)}')})")
    elif kind in ("bce", "bce_logits"):
        x, t = c.add("x", [n, k], d, "unit" if kind == "bce" else "randn"), c.add("t", [n, k], other, "unit")
        w = f", weight={c.add('w', c.one([k], [n, k], [n, 1]), other)}" if c.often(0.4) else ""
        p = f", pos_weight={c.add('p', c.one([k], [1]), other)}" if kind == "bce_logits" and c.often(0.4) else ""
        c.text = f"F.binary_cross_entropy{'_with_logits' if kind != 'bce' else ''}({x}, {t}{w}{p}{how})"
    elif kind == "pair":
        name = c.one("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
        more = {"smooth_l1_loss": f", beta={c.one(1.0, 0.5, 0.0, -1.0 if c.wrong else 2.0)}",
                "huber_loss": f", delta={c.one(1.0, 0.5, 0.0 if c.wrong else 2.0)}"}.get(name, "")
        w = f", weight={c.add('w', [n, k], other)}" if c.often(0.2) and name != "smooth_l1_loss" else ""
        c.text = (f"F.{name}({c.add('x', [n, k], d if name == 'huber_loss' else c.dtype(COMPLEX))}, "
                  f"{c.add('t', c.one([n, k], [k], [n, 1]), other)}{how}{more}{w})")
    elif kind == "hinge":
        c.text = (f"F.hinge_embedding_loss({c.add('x', [n, k], d)}, {c.add('t', [n, k], other, 'sign')}, "
                  f"margin={c.one(1.0, 0.3)}{how})")
    elif kind == "cosine":
        c.text = (f"F.cosine_embedding_loss({c.add('x', [n, k], d)}, {c.add('y', [n, k], other)}, "
        f"{c.add('t', [n], c.one('int64', d), 'sign')}, "
                  f"margin={c.one(0.0, 0.4)}{how})")
    elif kind == "margin_rank":
        c.text = (f"F.margin_ranking_loss({c.add('x', [n], d)}, {c.add('y', [n], other)}, {c.add('t', [n], d, 'sign')}, "
                  f"margin={c.one(0.0, 0.5)}{how})")
    elif kind in ("triplet", "triplet_d"):
        three = ", ".join(c.add(name, [n, k], d) for name in "xyz")
        c.text = (f"F.triplet_margin_loss({three}, margin={c.one(1.0, 0.2, -1.0 if c.wrong else 0.5)}, "
        f"p={c.one(2.0, 1.0, 3.0)}, swap={c.often(0.4)}{how})"
                  if kind == "triplet" else f"F.triplet_margin_with_distance_loss({three}, margin={c.one(1.0, 0.2)}, "
                  f"swap={c.often(0.4)}{how})")
    elif kind == "multi_margin":
        w = f", weight={c.add('w', [k], d)}" if c.often(0.4) else ""
        c.text = (f"F.multi_margin_loss({c.add('x', [n, k], d)}, {c.add('t', [n], 'int64', 'index', high)}, "
                  f"p={c.one(1, 2, 3 if c.wrong else 1)}, margin={c.one(1.0, 0.3)}{w}{how})")
    elif kind == "multilabel":
        c.text = f"F.multilabel_margin_loss({c.add('x', [n, k], d)}, {c.add('t', [n, k], 'int64', 'label', high)}{how})"
    elif kind == "multilabel_soft":
        w = f", weight={c.add('w', [k], d)}" if c.often(0.4) else ""
        c.text = f"F.multilabel_soft_margin_loss({c.add('x', [n, k], d)}, {c.add('t', [n, k], other, 'unit')}{w}{how})"
    elif kind == "soft_margin":
        c.text = f"F.soft_margin_loss({c.add('x', [n, k], d)}, {c.add('t', [n, k], other, 'sign')}{how})"
    elif kind == "gaussian":
        v = c.one(c.add("v", c.one([n, k], [n, 1], [n]), d, "positive"), "0.5")
        if v == "0.5":
            c.tensors.pop("v")
        c.text = (f"F.gaussian_nll_loss({c.add('x', [n, k], d)}, {c.add('t', [n, k], other)}, {v}, full={c.often(0.5)}, "
                  f"eps={c.one(1e-6, 0.1)}{how})")
    elif kind == "poisson":
        c.text = (f"F.poisson_nll_loss({c.add('x', [n, k], d, 'positive')}, {c.add('t', [n, k], other, 'positive')}, "
                  f"log_input={c.often(0.5)}, full={c.often(0.5)}{how})")
    elif kind == "kl":
        how = f", reduction={c.one('mean', 'sum', 'none', 'batchmean')!r}"
        logs = c.often(0.5)
        c.text = (f"F.kl_div({c.add('x', [n, k], d)}, {c.add('t', c.one([n, k], [k]), other, 'randn' if logs else 'unit')}, "
                  f"log_target={logs}{how})")
    else:
        steps, classes, batch, most = c.r.randint(1, 8), c.one(2, 4), c.size(1, 3), c.one(1, 2, 3)
        x = c.add("x", [steps, batch, classes], d)
        t = c.add("t", [batch, most], "int64", "label_one", classes)
        inputs = [c.r.randint(1, steps + (1 if c.wrong else 0)) for _ in range(batch)]
        targets = [c.r.randint(0, most) for _ in range(batch)]
        c.text = (f"F.ctc_loss({x}.log_softmax(-1), {t}, T.tensor({inputs}, dtype=T.int64), T.tensor({targets}, dtype=T.int64), "
                  f"blank={c.one(0, 0, classes if c.wrong else 0)}, zero_infinity={c.often(0.5)}{how})")


def linalg(c):
    d = c.dtype(COMPLEX)
    batch, n, m = [c.size(1, 2) for _ in range(c.one(0, 0, 1, 2))], c.size(1, 4), c.size(1, 4)
    kind = c.one("inv", "det", "slogdet", "solve", "triangular", "cholesky", "cholesky_inverse", "cholesky_solve", "qr", "eigh",
                 "eigvalsh", "eigvals", "svdvals", "svd", "pinv", "lstsq", "lu", "lu_factor", "matrix_exp", "matrix_rank", "cond",
                 "matrix_norm", "vector_norm", "matrix_power", "multi_dot", "cross", "householder", "tensorsolve", "vander",
                 "ldl", "lu_solve", "eig", "tensorinv", "vecdot")
    how = c.one("randn", "randn", "randn", "ones", "zeros") if c.wrong or c.often(0.1) else "randn"
    square = lambda name="a", kind=how: c.add(name, batch + [n, n], d, kind)
    spd = lambda name="a": f"spd({square(name, 'randn')})"
    if kind in ("inv", "det", "slogdet", "matrix_exp"):
        c.text = f"T.linalg.{kind}({square()})"
    elif kind == "eigvals":
        c.text = f"T.linalg.eigvals({square()}).abs().sort().values"
    elif kind == "eig":
        c.text = f"rebuilt_eig({square()})"
    elif kind in ("eigh",):
        c.text = f"rebuilt_eigh({spd()}{c.one('', ', UPLO=' + repr(c.one('U', 'L', 'u', 'X' if c.wrong else 'l')))})"
    elif kind == "eigvalsh":
        c.text = f"T.linalg.eigvalsh({spd()})"
    elif kind in ("solve", "lu_solve"):
        b = c.add("b", c.one(batch + [n, m], batch + [n], [n, m]), d)
        left = c.maybe(0.3, ", left=False")
        c.text = (f"T.linalg.solve({square()}, {b}{left})" if kind == "solve"
                  else f"T.linalg.lu_solve(*T.linalg.lu_factor({square()}), {b}{left}{c.maybe(0.3, ', adjoint=True')})")
    elif kind == "triangular":
        left = c.often(0.6)
        b = c.add("b", batch + ([n, m] if left else [m, n]), d)
        c.text = f"T.linalg.solve_triangular({square()}, {b}, upper={c.often(0.5)}, left={left}, unitriangular={c.often(0.3)})"
    elif kind == "cholesky":
        c.text = f"T.linalg.cholesky({spd() if not c.wrong else square()}{c.maybe(0.4, ', upper=True')})"
    elif kind == "cholesky_inverse":
        c.text = f"T.cholesky_inverse(T.linalg.cholesky({spd()}){c.maybe(0.3, ', upper=True')})"
    elif kind == "cholesky_solve":
        c.text = f"T.cholesky_solve({c.add('b', batch + [n, m], d)}, T.linalg.cholesky({spd()}){c.maybe(0.3, ', upper=True')})"
    elif kind == "qr":
        c.text = (f"T.linalg.qr({c.add('a', batch + [n, m], d)}, "
                  f"mode={c.one('reduced', 'complete', 'r', 'x' if c.wrong else 'r')!r})")
    elif kind == "svd":
        c.text = f"rebuilt_svd({c.add('a', batch + [n, m], d)}, {c.often(0.5)})"
    elif kind == "svdvals":
        c.text = f"T.linalg.svdvals({c.add('a', batch + [n, m], d)})"
    elif kind == "pinv":
        c.text = f"T.linalg.pinv({c.add('a', batch + [n, m], d, how)}{c.one('', ', rtol=0.01', ', atol=0.1')})"
    elif kind == "lstsq":
        b = c.add("b", c.one(batch + [n, 2], batch + [n]), d)
        c.text = (f"T.linalg.lstsq({c.add('a', batch + [n, m], d)}, "
                  f"{b}{c.maybe(0.5, ', driver=' + repr(c.one('gelsy', 'gels', 'gelsd', 'gelss')))})")
    elif kind in ("lu", "lu_factor"):
        c.text = f"T.linalg.{kind}({c.add('a', batch + [n, m], d)})"
    elif kind == "ldl":
        c.text = f"T.linalg.ldl_factor({spd()}, hermitian={c.often(0.5)})"
    elif kind == "matrix_rank":
        c.text = f"T.linalg.matrix_rank({c.add('a', batch + [n, m], d, how)}{c.one('', ', tol=0.5', ', rtol=0.1')})"
    elif kind == "cond":
        p = c.one("None", 2, -2, "'fro'", "'nuc'", 1, -1, "math.inf", 7 if c.wrong else 1)
        c.text = f"T.linalg.cond({square() if p not in ('None', 2, -2) else c.add('a', batch + [n, m], d, how)}, {p})"
    elif kind == "matrix_norm":
        order = c.one(1, -1, 2, -2, "math.inf", "'nuc'", "'fro'", 3 if c.wrong else 1)
        more = c.maybe(0.3, ", keepdim=True") + c.maybe(0.2, ", dim=(0, 1)")
        c.text = f"T.linalg.matrix_norm({c.add('a', batch + [n, m], d)}, {order}{more})"
    elif kind == "vector_norm":
        order, more = (c.one(0, 1, 2, 3, -1, 0.5, "math.inf", "-math.inf"), c.one("", ", dim=-1", ", dim=0, keepdim=True",
                       ", dim=()"))
        c.text = f"T.linalg.vector_norm({c.add('a', batch + [n, m], d)}, {order}{more})"
    elif kind == "matrix_power":
        c.text = f"T.linalg.matrix_power({square()}, {c.one(0, 1, 2, 3, -1, -2)})"
    elif kind == "multi_dot":
        k = c.size(1, 4)
        c.text = (f"T.linalg.multi_dot([{c.add('a', c.one([n, m], [m]), d)}, {c.add('b', [m, k], d)}, "
                  f"{c.add('e', c.one([k, 2], [k]), d)}])")
    elif kind == "cross":
        c.text = f"T.linalg.cross({c.add('a', batch + [3], d)}, {c.add('b', c.one(batch + [3], [3]), d)})"
    elif kind == "householder":
        c.text = f"T.linalg.householder_product({c.add('a', batch + [n + m, n], d)}, {c.add('t', batch + [n], d)})"
    elif kind == "tensorsolve":
        c.text = f"T.linalg.tensorsolve({c.add('a', [2, 3, 6], d)}, {c.add('b', [2, 3], d)})"
    elif kind == "tensorinv":
        c.text = f"T.linalg.tensorinv({c.add('a', [2, 3, 6], d)}, ind={c.one(2, 2, 0 if c.wrong else 2)})"
    elif kind == "vecdot":
        c.text = f"T.linalg.vecdot({c.add('a', batch + [n], d)}, {c.add('b', [n], d)}{c.maybe(0.3, ', dim=0')})"
    else:
        c.text = f"T.linalg.vander({c.add('a', batch + [n], d)}{c.maybe(0.4, f', N={c.one(1, 3, 0)}')})"


def lists(c):
    kind = (c.one("add", "mul", "sub", "div", "maximum", "pow", "exp", "neg", "norm", "addcmul", "addcdiv", "lerp", "sqrt",
            "clamp_min", "abs", "copy", "zero", "max"))
    count = c.one(0, 1, 2, 3)
    ds = [c.dtype(COMPLEX + ["int64", "int32", "bool"]) if c.often(0.3) else "float32" for _ in range(count)]
    names = lambda letter: "[" + ", ".join(c.add(f"{letter}{i}", [i + 1, 2], ds[i]) for i in range(count)) + "]"
    scalars = f"[{', '.join(str(c.one(2, 0.5, 3)) for _ in range(count + (1 if c.wrong else 0)))}]"
    place = c.one("", "_")
    a = names("a")
    if kind in ("exp", "neg", "sqrt", "abs"):
        c.text = f"listed(T._foreach_{kind}{place}, {a})"
    elif kind == "zero":
        c.text = f"listed(T._foreach_zero_, {a})"
    elif kind == "copy":
        c.text = f"listed(T._foreach_copy_, {a}, {names('b')})"
    elif kind == "max":
        c.text = f"listed(T._foreach_max, {a})"
    elif kind == "norm":
        c.text = f"listed(T._foreach_norm, {a}, {c.one(2, 1, 'math.inf', 0, 3)})"
    elif kind in ("addcmul", "addcdiv"):
        c.text = f"listed(T._foreach_{kind}{place}, {a}, {names('b')}, {names('e')}, {c.one('value=2', 'value=0.5', scalars)})"
    elif kind == "lerp":
        c.text = f"listed(T._foreach_lerp{place}, {a}, {names('b')}, {c.one('0.3', names('e'), scalars)})"
    elif kind == "pow":
        c.text = f"listed(T._foreach_pow{place}, {c.one(a, '2.0', a)}, {c.one('2', names('b'), scalars)})"
    else:
        alpha = c.one("", ", alpha=2") if kind in ("add", "sub") else ""
        other = c.one("2", "0.5", names("b"), scalars)
        c.text = f"listed(T._foreach_{kind}{place}, {a}, {other}{alpha if other.startswith('[b') else ''})"


def similar(c):
    d, n, m, k = c.dtype(), c.size(1, 4), c.size(1, 4), c.size(1, 5)
    kind = c.one("cosine", "pairwise", "pdist", "cdist", "bilinear", "shuffle", "unshuffle", "channel", "one_hot", "pad", "glu",
     "softmax",
                 "log_softmax", "gumbel", "prelu", "rrelu", "dropout")
    if kind == "cosine":
        c.text = (f"F.cosine_similarity({c.add('x', [n, k], d)}, {c.add('y', c.one([n, k], [k], [1, k]), d)}, "
                  f"dim={c.one(0, 1, -1)}, eps={c.one(1e-8, 0.5)})")
    elif kind == "pairwise":
        c.text = (f"F.pairwise_distance({c.add('x', [n, k], c.dtype(COMPLEX))}, {c.add('y', c.one([n, k], [k]), d)}, "
                  f"p={c.one(2.0, 1.0, 0.5, math.inf)!r}, keepdim={c.often(0.3)})".replace("inf", "math.inf"))
    elif kind == "pdist":
        c.text = (f"F.pdist({c.add('x', [n, k], d)}, "
                  f"p={c.one('2.0', '1.0', '0.0', '0.5', 'math.inf', '-1.0' if c.wrong else '3.0')})")
    elif kind == "cdist":
        lead = c.one([], [2], [1])
        c.text = (f"T.cdist({c.add('x', lead + [n, k], d)}, {c.add('y', c.one(lead, []) + [m, k], d)}, "
                  f"p={c.one('2.0', '1.0', '0.0', '0.5', 'math.inf')})")
    elif kind == "bilinear":
        b = c.add("b", [2], d) if c.often(0.5) else "None"
        c.text = f"F.bilinear({c.add('x', [n, k], d)}, {c.add('y', [n, m], d)}, {c.add('w', [2, k, m], d)}, {b})"
    elif kind == "shuffle":
        c.text = (f"F.pixel_shuffle({c.add('x', c.one([n], []) + [4 * m, k, 3], c.dtype(COMPLEX + WRONG))}, "
                  f"{c.one(1, 2, 3 if c.wrong else 2, 0 if c.wrong else 2)})")
    elif kind == "unshuffle":
        c.text = (f"F.pixel_unshuffle({c.add('x', c.one([n], []) + [m, 4, 6], c.dtype(COMPLEX + WRONG))}, "
                  f"{c.one(1, 2, 3 if c.wrong else 2, 0 if c.wrong else 2)})")
    elif kind == "channel":
        c.text = (f"F.channel_shuffle({c.add('x', [n, 6, k, 2][:c.one(3, 4)], c.dtype(COMPLEX + WRONG))}, "
                  f"{c.one(1, 2, 3, 4 if c.wrong else 6, 0 if c.wrong else 1)})")
    elif kind == "one_hot":
        x = c.add("x", c.one([n], [n, k], []), c.one("int64", "int64", "int32" if c.wrong else "int64"), "index", 4)
        c.text = f"F.one_hot({x}, {c.one(-1, 4, 7, 2 if c.wrong else 5, 0 if c.wrong else 5)})"
    elif kind == "pad":
        dims = c.one(1, 2, 3)
        mode = c.one("constant", "reflect", "replicate", "circular")
        sides = [c.one(0, 1, 2, -1) for _ in range(2 * dims if not c.wrong else c.one(2 * dims, 3))]
        x = c.add("x", [c.size(1, 2), c.size(1, 3)] + [c.size(2, 5) for _ in range(dims)], c.dtype(COMPLEX + WRONG))
        c.text = f"F.pad({x}, {sides}, mode={mode!r}{c.maybe(0.3, ', value=1.5')})"
    elif kind == "glu":
        c.text = f"F.glu({c.add('x', [n, 2 * k], d)}, {c.one(-1, 1, 0)})"
    elif kind in ("softmax", "log_softmax"):
        c.text = (f"F.{kind}({c.add('x', [n, c.one(1, 5, 33, 70), m], d)}, "
                  f"{c.one(0, 1, 2, -1)}{c.maybe(0.2, ', dtype=T.float64')})")
    elif kind == "gumbel":
        c.text = f"F.gumbel_softmax({c.add('x', [n, k], d)}, tau={c.one(1.0, 0.5)}, hard={c.often(0.5)}, dim={c.one(-1, 0)})"
    elif kind == "prelu":
        c.text = f"F.prelu({c.add('x', [n, k, m], d)}, {c.add('w', c.one([1], [k], []), d)})"
    elif kind == "rrelu":
        c.text = f"F.rrelu({c.add('x', [n, k], d)}, {c.one(0.1, 0.5)}, {c.one(0.3, 0.6)}, training={c.often(0.5)})"
    else:
        name = c.one("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
        c.text = (f"F.{name}({c.add('x', [n, k, m, 2, 2][:c.r.randint(1, 5)], c.dtype(COMPLEX))}, "
                  f"{c.one(0.0, 0.3, 1.0, -1 if c.wrong else 0.5, 2 if c.wrong else 0.5)}, {c.often(0.8)})")


SHAPES = ["PixelShuffle(2)", "PixelUnshuffle(2)", "ChannelShuffle(2)", "Flatten()", "Flatten(0, 1)", "Flatten(-1, 0)",
          "Unflatten(1, (2, 2))", "Unflatten(1, (3, 2))", "Upsample(scale_factor=2)", "Upsample(size=3, mode='bilinear')",
          "ZeroPad2d((1, -1, 0, 2))", "ReflectionPad2d(1)", "ReflectionPad2d(4)", "ReplicationPad2d((0, 1, 2, 0))",
          "CircularPad2d(1)", "CircularPad2d(5)", "ConstantPad2d(1, 2.5)", "Unfold(2)", "Fold((3, 3), 2)",
          "UpsamplingNearest2d(2)", "UpsamplingBilinear2d(scale_factor=2)"]
ACTIVATIONS = ["ELU(0.5)", "CELU(0.7)", "SELU()", "GELU()", "GELU('tanh')", "GELU('x')", "Hardtanh(-0.5, 0.3)", "Hardtanh(1, 0)",
               "Hardswish()", "Hardsigmoid()", "Hardshrink(0.2)", "Softshrink(0.2)", "Softshrink(-1)", "LeakyReLU(0.3)",
               "LogSigmoid()", "Mish()", "SiLU()", "ReLU6()", "RReLU(0.1, 0.3)", "RReLU(0.5, 0.1)", "Sigmoid()", "Softplus(2, 1)",
               "Softsign()", "Tanhshrink()", "Threshold(0.1, 2)", "GLU(-2)", "GLU(0)", "Softmin(-1)", "Softmax(0)", "Softmax2d()",
               "LogSoftmax(-1)"]


def module(c):
    """Layers as modules: padding modes, attention, encoder layers, losses with their options."""
    d = c.dtype()
    kind = c.one("conv", "conv", "attention", "attention", "attention_forward", "encoder", "decoder", "embedding", "bag", "norm",
                 "pool", "shape", "activation", "adaptive_softmax")
    batch = [c.size(1, 3)] if c.often(0.85) else []
    if kind == "conv":
        n, groups, turned = c.one(1, 2, 2, 3), c.one(1, 1, 2), c.often(0.3)
        mode = c.one("zeros", "reflect", "replicate", "circular", "other" if c.wrong else "zeros")
        padding = c.per_dim(n, 0, 1, 2) if turned or c.often(0.8) else repr(c.one("same", "valid"))
        x = c.add("x", batch + [2 * groups] + [c.size(1, 7) for _ in range(n)], d)
        c.text = (f"fixed(T.nn.Conv{'Transpose' if turned else ''}{n}d({2 * groups}, {groups * c.one(1, 2)}, "
                  f"{c.per_dim(n, 1, 2, 3)}, stride={c.per_dim(n, 1, 1, 2)}, padding={padding}, "
                  f"dilation={c.per_dim(n, 1, 1, 2)}, groups={groups if not c.wrong else c.one(groups, 3, 0)}, "
                  f"bias={c.often(0.7)}, padding_mode={mode!r}, dtype=T.{d}))({x})")
    elif kind in ("attention", "attention_forward"):
        heads, e, first = c.one(1, 2), c.one(4, 6, 3 if c.wrong else 8), c.often(0.5)
        length, keys = c.one(1, 3, 5), c.one(1, 4, 6)
        batch = c.one(1, 2, 3) if batch else None
        shape = lambda n, e: [n, e] if batch is None else [batch, n, e] if first else [n, batch, e]
        own = c.often(0.4)
        kdim, vdim = (c.one("None", 5), c.one("None", 7)) if not own and c.often(0.3) else ("None", "None")
        q = c.add("q", shape(length, e), d)
        k = q if own else c.add("k", shape(keys, e if kdim == "None" else kdim), d)
        v = k if own else c.add("v", shape(keys, e if vdim == "None" else vdim), d)
        keys = length if own else keys
        masks = ""
        if c.often(0.4):
            dims = c.one([length, keys], [(batch or 1) * heads, length, keys])
            of = c.one("bool", d, "float32" if c.wrong else d)
            masks += ", attn_mask=" + still(c, "mask", dims, of, c.one("mask", "infs"))
        if c.often(0.4):
            dims = [keys] if batch is None else [batch, keys]
            masks += ", key_padding_mask=" + still(c, "pad", dims, c.one("bool", d), "mask")
        more = f", need_weights={c.often(0.6)}, average_attn_weights={c.often(0.5)}{c.maybe(0.2, ', is_causal=True')}"
        c.text = (f"fixed(T.nn.MultiheadAttention({e}, {heads}, bias={c.often(0.7)}, add_bias_kv={c.often(0.2)}, "
                  f"add_zero_attn={c.often(0.2)}, kdim={kdim}, vdim={vdim}, batch_first={first}, dtype=T.{d}))"
                  f"({q}, {k}, {v}{masks}{more})")
    elif kind in ("encoder", "decoder"):
        name, first = kind.capitalize(), c.often(0.5)
        between = c.one("T.relu", "'gelu'", "'relu'", "'tanh'" if c.wrong else "F.gelu")
        m = (f"fixed(T.nn.Transformer{name}Layer(4, 2, 5, 0.0, {between}, "
             f"batch_first={first}, norm_first={c.often(0.5)}, bias={c.often(0.7)}, dtype=T.{d}){c.maybe(0.5, '.eval()')})")
        memory = f", {c.add('m', batch + [3, 4] if first else [3] + batch + [4], d)}" if kind == "decoder" else ""
        x = c.add("x", batch + [5, 4] if first else [5] + batch + [4], d)
        mask = ""
        if c.often(0.4):
            mask = f", {'src' if kind == 'encoder' else 'tgt'}_mask=" + still(c, "mask", [5, 5], c.one("bool", d), "mask")
        c.text = f"{m}({x}{memory}{mask})"
    elif kind == "embedding":
        whole = c.one("int64", "int32", "uint8" if c.wrong else "int64")
        i = c.add("i", [c.size(0, 4) for _ in range(c.one(0, 1, 2))], whole, "index", 5 if not c.wrong else 7)
        c.text = (f"fixed(T.nn.Embedding(5, 3, padding_idx={c.one('None', 0, -1, 9 if c.wrong else 2)}, "
                  f"max_norm={c.one('None', 'None', 0.5)}, norm_type={c.one(2.0, 1.0)}, dtype=T.{d}))({i})")
    elif kind == "bag":
        i = c.add("i", [c.size(1, 3), c.size(1, 4)], "int64", "index", 5 if not c.wrong else 7)
        c.text = (f"fixed(T.nn.EmbeddingBag(5, 3, mode={c.one('sum', 'mean', 'max', 'x' if c.wrong else 'sum')!r}, "
                  f"padding_idx={c.one('None', 0, -1)}, max_norm={c.one('None', 'None', 0.5)}, dtype=T.{d}))({i})")
    elif kind == "norm":
        n = c.one(1, 2, 3)
        name = c.one(f"BatchNorm{n}d(4", f"InstanceNorm{n}d(4", "GroupNorm(2, 4",
                     "GroupNorm(3, 4" if c.wrong else "GroupNorm(4, 4", f"BatchNorm{n}d(3" if c.wrong else f"BatchNorm{n}d(4")
        own = f", track_running_stats={c.often(0.5)}, momentum={c.one(0.1, 'None')}" if not name.startswith("G") else ""
        x = c.add("x", (batch or c.one([], [2])) + [4] + [c.size(1, 4) for _ in range(n)], d)
        m = f"T.nn.{name}, eps={c.one(1e-5, 0.1)}, affine={c.often(0.6)}{own}, dtype=T.{d}){c.maybe(0.4, '.eval()')}"
        c.text = f"told_state(fixed({m}), {x})"
    elif kind == "pool":
        n = c.one(1, 2, 3)
        x = c.add("x", batch + [c.size(1, 3)] + [c.size(2, 8) for _ in range(n)], d)
        m = c.one(f"MaxPool{n}d({c.per_dim(n, 1, 2, 3)}, padding={c.per_dim(n, 0, 1)}, ceil_mode={c.often(0.5)})",
                  f"AvgPool{n}d({c.per_dim(n, 1, 2, 3)}, ceil_mode={c.often(0.5)})", f"AdaptiveAvgPool{n}d({c.one(1, 2, 3)})",
                  f"AdaptiveMaxPool{n}d({c.one(1, 2, 3)}, return_indices={c.often(0.5)})", f"LPPool{n}d(2, {c.one(1, 2)})",
                  f"AdaptiveAvgPool{n}d({(None,) * n if n > 1 else 2})")
        c.text = f"T.nn.{m}({x})"
    elif kind == "shape":
        x = c.add("x", batch + [4, 4, 4], c.dtype(COMPLEX))
        c.text = f"T.nn.{c.one(*SHAPES)}({x})"
    elif kind == "activation":
        x = c.add("x", batch + [4, c.size(1, 5)], c.dtype(REAL + ["complex64", "int64"]))
        c.text = f"T.nn.{c.one(*ACTIVATIONS)}({x})"
    else:
        x, t = c.add("x", [4, 5], d), c.add("t", [4], "int64", "index", 9 if not c.wrong else 12)
        c.text = (f"list(fixed(T.nn.AdaptiveLogSoftmaxWithLoss(5, 9, {c.one([3], [2, 5], [5, 3] if c.wrong else [4])}, "
                  f"div_value={c.one(4.0, 2.0)}, head_bias={c.often(0.5)}, dtype=T.{d}))({x}, {t}))")


def outs(c):
    """Linear algebra and layers into a tensor that is there."""
    d = c.dtype(COMPLEX)
    n, m, batch = c.size(1, 4), c.size(1, 4), c.one([], [], [2])
    call, results = c.one(
        ("T.linalg.inv(A, OUT)", 1), ("T.linalg.det(A, OUT)", 1), ("T.linalg.slogdet(A, OUT)", 2),
        ("T.linalg.solve(A, B, OUT)", 1),
        ("T.linalg.cholesky(spd(A), OUT)", 1), ("T.linalg.qr(B, OUT)", 2), ("T.linalg.eigvalsh(spd(A), OUT)", 1),
        ("T.linalg.svdvals(B, OUT)", 1), ("T.linalg.pinv(B, OUT)", 1), ("T.linalg.lu_factor(A, OUT)", 2),
        ("T.linalg.lu(A, OUT)", 3),
        ("T.linalg.matrix_rank(B, OUT)", 1), ("T.linalg.cond(A, OUT)", 1), ("T.linalg.matrix_norm(B, OUT)", 1),
        ("T.linalg.vector_norm(B, OUT)", 1), ("T.linalg.norm(B, OUT)", 1), ("T.linalg.matrix_power(A, 2, OUT)", 1),
        ("T.linalg.multi_dot([B, B.mT.contiguous(), B], OUT)", 1), ("T.linalg.solve_triangular(A, B, upper=True, OUT)", 1),
        ("T.linalg.householder_product(B, T.ones(B.shape[:-2] + (min(B.shape[-2:]),), dtype=B.dtype), OUT)", 1),
        ("T.cholesky_inverse(T.linalg.cholesky(spd(A)), OUT)", 1), ("T.cholesky_solve(B, T.linalg.cholesky(spd(A)), OUT)", 1),
        ("T.linalg.inv_ex(A, OUT)", 2), ("T.linalg.cholesky_ex(spd(A), OUT)", 2), ("T.linalg.ldl_factor(spd(A), OUT)", 2),
        ("T.linalg.tensorinv(A, ind=1, OUT)", 1), ("T.linalg.lstsq(B, B).solution.add(1)", 0), ("T.linalg.eigvals(A, OUT)", 1),
        ("F.avg_pool2d(A[None] if A.dim() < 3 else A, 1, OUT)", 1), ("F.one_hot(A.real.long().abs(), 20)", 0),
        ("T.logdet(spd(A))", 0), ("T.nn.functional.softmax(B, -1)", 0), ("T.dot(B.flatten(), B.flatten(), OUT)", 1))
    names = []
    for i in range(results):
        real = {"complex64": "float32", "complex128": "float64"}.get(d, d)
        wanted = c.one(d, d, d, real, "float64", "int32", "complex64", "int64")
        names.append(still(c, f"o{i}", c.one([0], [0], [n, n], [n], batch + [n, n], []), wanted, "zeros"))
    out = f"out={names[0]}" if results == 1 else f"out=({', '.join(names)}{',' if results == 1 else ''})"
    text = call.replace("OUT", out)
    for name, shape in [("A", [n, n]), ("B", [n, m])]:
        text = text.replace(name, still(c, name.lower(), batch + shape, d)) if name in text else text
    c.text = f"({text}, [{', '.join(names)}])"


def still(c, name, *about):
    """A tensor through which nothing flows."""
    c.add(name, *about)
    c.tensors[name] = c.tensors[name][:5] + (c.wrong and c.often(0.1),)
    return name


FAMILIES = ({f.__name__: f for f in (conv, pool, interpolate, grid, fold, norm, attention, recurrent, cell, bag, loss, linalg,
            lists, similar, module, outs)})


# ---- one process: its answers ----

def odd_values(T, x, odd):
    """Some elements are others."""
    if odd == "ties":
        return x.round()
    some = T.rand(x.shape) < 0.2
    if odd == "zeros":
        return T.where(some, T.where(x > 0, T.zeros_like(x), -T.zeros_like(x)), x)
    return T.where(some, T.where(x > 0.5, T.full_like(x, math.inf), T.where(x < -0.5, T.full_like(x, -math.inf),
                                                                            T.full_like(x, math.nan))), x)


def tensor_of(T, spec, odd=None):
    shape, name, kind, high, layout, _ = spec
    d = getattr(T, name)
    draw = lambda s: T.randn(s, dtype=T.float64)
    wide = list(shape)
    if layout == "strided" and wide:
        wide[-1] *= 2
    elif layout == "turned" and len(wide) > 1:
        wide[-1], wide[-2] = wide[-2], wide[-1]
    elif layout == "expanded" and wide:
        wide[0] = 1
    x = draw(wide)
    x = odd_values(T, x, odd) if odd and d.is_floating_point else x
    x = (x * 3 if d in (T.int64, T.int32, T.uint8) else x)
    if kind in ("index", "label", "label_one"):
        low = {"index": 0, "label": -1, "label_one": 1}[kind]
        x = T.randint(low, max(high, low + 1), wide)
    elif kind in ("unit", "positive", "still_positive"):
        x = x.sigmoid() + (0.01 if kind != "unit" else 0)
    elif kind == "sign":
        x = (x > 0).to(T.float64) * 2 - 1
    elif kind == "mask":
        x = x > -0.3
    elif kind == "infs":
        x = x.masked_fill(x < -0.8, -math.inf)
    elif kind in ("ones", "zeros"):
        x = T.full_like(x, kind == "ones")
    elif d.is_complex:
        x = T.complex(x, draw(wide))
    x = x.abs().to(d) if d == T.uint8 else x.to(d)
    if layout == "strided" and shape:
        x = x[..., ::2]
    elif layout == "turned" and len(shape) > 1:
        x = x.transpose(-1, -2)
    elif layout == "channels_last" and len(shape) in (4, 5):
        x = x.to(memory_format=T.channels_last if len(shape) == 4 else T.channels_last_3d)
    elif layout == "expanded" and shape:
        x = x.expand(shape)
    return x


def told(T, x):
    if isinstance(x, T.Tensor):
        y = x.detach()
        real = T.view_as_real(y.resolve_conj()) if y.is_complex() else y
        return [str(x.dtype).rpartition(".")[2], list(x.shape), [s for n, s in zip(x.shape, x.stride()) if n > 1 and x.numel()],
                [] if x.is_meta else real.double().flatten().tolist(), x.requires_grad]
    return [told(T, one) for one in x] if isinstance(x, (list, tuple)) else None if x is None else repr(x)


def scope_of(T, way):
    """Names that expressions use beside T and F."""
    def fixed(m):
        T.manual_seed(7)
        with T.no_grad():
            for p in m.parameters():
                p.copy_(T.randn(p.shape, dtype=T.float64).to(p.dtype) * 0.5)
        return m.to("meta") if way == "meta" else m

    def rebuilt_svd(a, full):
        u, s, v = T.linalg.svd(a, full_matrices=full)
        k = s.shape[-1]
        return (u[..., :k] * s.unsqueeze(-2).to(u.dtype)) @ v[..., :k, :], s, list(u.stride()), list(v.stride())

    def rebuilt_eigh(a, **how):
        w, v = T.linalg.eigh(a, **how)
        return (v * w.unsqueeze(-2).to(v.dtype)) @ v.mH, w, list(v.stride())

    def rebuilt_eig(a):
        w, v = T.linalg.eig(a)
        return (v * w.unsqueeze(-2)) @ T.linalg.inv(v), w.abs().sort().values

    def told_state(m, x):
        return m(x), list(m.state_dict().values())

    def listed(f, first, *more):
        done = f(first, *more)
        return first if done is None else done

    return {"T": T, "F": T.nn.functional, "math": math, "inf": math.inf, "fixed": fixed, "rebuilt_svd": rebuilt_svd,
            "rebuilt_eigh": rebuilt_eigh, "rebuilt_eig": rebuilt_eig, "listed": listed, "told_state": told_state,
            "spd": lambda a: a @ a.mH + T.eye(a.shape[-1], dtype=a.dtype, device=a.device) * 0.5}


def flat(T, x):
    if isinstance(x, T.Tensor):
        return [x]
    return [y for one in x for y in flat(T, one)] if isinstance(x, (list, tuple)) else []


def flowing(T, y, seed):
    T.manual_seed(seed)
    return T.randn(y.shape, dtype=T.float64).to(y)


def called(T, case, scope):
    """The value of the expression, in the way of the case."""
    if case.way in ("bfloat16", "float16"):
        with T.autocast("cpu", dtype=getattr(T, case.way)):
            return eval(case.text, scope)
    if case.way == "vmap" and case.tensors:
        names = list(case.tensors)
        each = lambda *tensors: eval(case.text, scope | dict(zip(names, tensors)))
        return T.vmap(each, randomness="different")(*(scope[name] for name in names))
    return eval(case.text, scope)


def tried(answer, name, make):
    try:
        answer[name] = make()
    except Exception as e:
        answer[name] = [type(e).__name__, str(e).split("\n")[0]]
        return False
    return True


def answer_of(T, case, seed):
    answer = {}
    T.manual_seed(seed)
    scope = scope_of(T, case.way)
    for name, spec in case.tensors.items():
        x = tensor_of(T, spec, case.odd)
        if case.way == "vmap":
            x = T.stack([x, tensor_of(T, spec, case.odd)])
        elif case.way == "meta":
            x = x.to("meta")
        flows = spec[5] and (x.is_floating_point() or x.is_complex()) and not spec[2].startswith("still")
        scope[name] = x.requires_grad_() if flows else x
    if "listed" in case.text and "_(" in case.text.replace("_, ", "_("):
        scope |= {name: scope[name].detach() for name in case.tensors}
    T.manual_seed(seed)
    out = []
    if not tried(answer, "value", lambda: (out.append(called(T, case, scope)), told(T, out[0]))[1]):
        return answer
    ys = [y for y in flat(T, out[0]) if y.requires_grad]
    xs = [scope[name] for name in case.tensors if scope[name].requires_grad]
    if not ys or not xs:
        return answer
    weights = [flowing(T, y, seed + i) for i, y in enumerate(flat(T, out[0]), 1) if y.requires_grad]
    twice = seed % 3 == 0 and all(x.dtype in (T.float64, T.complex128) for x in xs)
    grads = []
    if not tried(answer, "grad", lambda: (grads.extend(T.autograd.grad(ys, xs, weights, create_graph=twice, retain_graph=True,
                                                                       allow_unused=True)), told(T, grads))[1]):
        return answer
    ends = [g for g in grads if g is not None and g.requires_grad]
    if twice and ends:
        more = [flowing(T, g, seed - i) for i, g in enumerate(grads, 1) if g is not None and g.requires_grad]
        tried(answer, "second", lambda: told(T, T.autograd.grad(ends, xs, more, allow_unused=True)))
    return answer


def drawn(seed, names):
    r = random.Random(seed)
    case = Case(r)
    FAMILIES[r.choice(names)](case)
    return case


def execute(name, first, n, names):
    T = importlib.import_module(name)
    importlib.import_module(name + ".nn.functional")
    T.set_num_threads(1)
    warnings.simplefilter("ignore")
    for seed in range(first, first + n):
        case = drawn(seed, names)
        print(json.dumps([seed]), flush=True)
        print(json.dumps([seed, answer_of(T, case, seed)]), flush=True)


# ---- both ----

def answers(python, name, first, n, names):
    """Of all cases: a process that dies is started again behind the case that it died in."""
    found, end = {}, first + n
    while first < end:
        done = subprocess.run([python, __file__, "--execute", name, str(first), str(end - first), ",".join(names)],
                              stdout=subprocess.PIPE, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.endswith("]")]
        found |= {line[0]: line[1] for line in lines if len(line) > 1}
        if done.returncode == 0:
            break
        at = lines[-1][0] if lines else first
        found[at] = {"FATAL": done.returncode}
        first = at + 1
    return found


def is_error(answer):
    value = (answer or {}).get("value")
    return bool(value) and isinstance(value[0], str) and len(value) == 2


def texts(answer):
    """What an answer says where it failed."""
    return [part[1] for part in (answer or {}).values() if isinstance(part, list) and len(part) == 2
            and all(isinstance(x, str) for x in part)]


def without_numbers(text):
    return "".join(c for c in text if not c.isdigit())


def known(case, ours, theirs):
    """Why two answers differ, where that is meant; or None."""
    said, told_too = texts(theirs), texts(ours)
    if any("integer multiplication overflow" in text for text in said) and told_too:
        return "both refuse a size below 0, which PyTorch multiplies with the others"
    if any(re.match(r"the derivative for '\w+' is not implemented|Batching rule not implemented|"
                    r"Vmap does not currently support", text) for text in said) and not told_too:
        return "PyTorch lacks the derivative, or the rule for examples; Karat computes"
    if any(re.search(r"mkldnn|primitive|oneDNN|INTERNAL ASSERT", text) for text in said) and not told_too:
        return "PyTorch fails inside"
    if case.way == "vmap" and said and [without_numbers(t) for t in said] == [without_numbers(t) for t in told_too]:
        return "both refuse examples; PyTorch names sizes in which they are folded"
    return None


def main():
    first, n = (int(sys.argv[2]) if len(sys.argv) > 2 else 0), (int(sys.argv[3]) if len(sys.argv) > 3 else 1000)
    names = sys.argv[4].split(",") if len(sys.argv) > 4 else list(FAMILIES)
    ours, theirs = answers(sys.executable, "karat", first, n, names), answers(sys.argv[1], "torch", first, n, names)
    differ, refused, meant = 0, 0, collections.Counter()
    for seed in range(first, first + n):
        case, a, b = drawn(seed, names), ours.get(seed), theirs.get(seed)
        if b is not None and "FATAL" in b or (case.way == "meta" and (is_error(a) or is_error(b))):
            continue
        least = max([LEAST.get(spec[1], 1e-4) for spec in case.tensors.values()] + [LEAST[case.way] if case.way in LEAST else 0],
                    default=1e-4)
        found = difference(a, b, least, unit=1)
        refused += is_error(b)
        if found and (reason := known(case, a, b)):
            meant[reason] += 1
            continue
        differ += found is not None
        if found:
            tensors = ({name: f"{spec[1]}{spec[0]} {spec[2]} {spec[4]}{'' if spec[5] else ' still'}" for name,
                       spec in case.tensors.items()})
            print(f"seed {seed}: {case.text} ({case.way}, {case.odd})\n  {tensors}\n  {found}")
    for reason, count in meant.most_common():
        print(f"known: {count} of: {reason}")
    print(f"{n} cases, {refused} of them errors, {differ} differ")
    return differ > 0


if __name__ == "__main__":
    if sys.argv[1] == "--execute":
        execute(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5].split(","))
    else:
        sys.exit(main())
