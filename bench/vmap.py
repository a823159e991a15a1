"""vmap of small functions over 1,000 rows by karat and, given an interpreter that has it, by PyTorch, in turns. Timings gate
nothing.

usage: vmap.py [--reference PYTHON] [--threads N] [--only REGEX] [--rows N]
Out: one line a function: karat's time, PyTorch's, how many times as fast karat is, slowest first; last, how many are no slower.
A function that only one side can run is named on the way.
"""

import importlib
import re

import in_turns


class Make:
    """What a function is given: (torch, rows) -> a tensor; those of `shared` have no rows."""

    @staticmethod
    def real(*shape):
        return lambda m, rows: m.randn(rows, *shape)

    @staticmethod
    def positive(*shape):
        return lambda m, rows: m.rand(rows, *shape) + 0.1

    @staticmethod
    def index(below, *shape):
        return lambda m, rows: m.randint(0, below, (rows, *shape))

    @staticmethod
    def symmetric(n):
        return lambda m, rows: (lambda a: a @ a.transpose(-1, -2) + n * m.eye(n))(m.randn(rows, n, n))

    @staticmethod
    def shared(make):
        def made(m, _):
            return make(m, 1)[0]
        made.is_shared = True
        return made


real, positive, index, symmetric, shared = Make.real, Make.positive, Make.index, Make.symmetric, Make.shared



def assigned(x, y):
    x = x.clone()
    x[2:5] = y
    return x


# name: (torch, functional, func) -> the function of one row, then what it is given; last, the keywords of vmap
WORK = {
    # elementwise
    "sin": (lambda m, F, f: m.sin, real(8)),
    "polynomial": (lambda m, F, f: lambda x: x * x * 2 + x - 1, real(8)),
    "where": (lambda m, F, f: lambda x: m.where(x > 0, x, x * 0.1), real(8)),
    "gelu": (lambda m, F, f: F.gelu, real(8)),
    "clamp": (lambda m, F, f: lambda x: x.clamp(-1, 1), real(8)),
    "add of two": (lambda m, F, f: lambda x, y: x + y, real(8), real(8)),
    "add of a number": (lambda m, F, f: lambda x, y: x + y, real(8), real()),
    "pow": (lambda m, F, f: lambda x, y: x ** y, positive(8), real(8)),
    "lerp": (lambda m, F, f: lambda x, y: m.lerp(x, y, 0.3), real(8), real(8)),
    "in place": (lambda m, F, f: lambda x: x.clone().mul_(2).add_(1), real(8)),
    "compare": (lambda m, F, f: lambda x, y: (x > y).any(), real(8), real(8)),
    "masked_fill": (lambda m, F, f: lambda x: x.masked_fill(x < 0, 0.5), real(8)),
    "to float64": (lambda m, F, f: lambda x: x.double().exp(), real(8)),
    "complex": (lambda m, F, f: lambda x, y: m.complex(x, y).abs(), real(8), real(8)),
    # reductions and scans
    "sum": (lambda m, F, f: m.sum, real(8, 8)),
    "mean of a dim": (lambda m, F, f: lambda x: x.mean(1), real(8, 8)),
    "var": (lambda m, F, f: lambda x: x.var(), real(8, 8)),
    "std of a dim": (lambda m, F, f: lambda x: x.std(0), real(8, 8)),
    "prod": (lambda m, F, f: m.prod, real(8)),
    "amax": (lambda m, F, f: lambda x: x.amax(-1), real(8, 8)),
    "max of a dim": (lambda m, F, f: lambda x: x.max(-1), real(8, 8)),
    "argmax": (lambda m, F, f: m.argmax, real(8)),
    "logsumexp": (lambda m, F, f: lambda x: x.logsumexp(0), real(8)),
    "softmax": (lambda m, F, f: lambda x: x.softmax(-1), real(8)),
    "log_softmax": (lambda m, F, f: lambda x: x.log_softmax(0), real(8)),
    "cumsum": (lambda m, F, f: lambda x: x.cumsum(0), real(8)),
    "cumprod": (lambda m, F, f: lambda x: x.cumprod(0), real(8)),
    "cummax": (lambda m, F, f: lambda x: x.cummax(0), real(8)),
    "logcumsumexp": (lambda m, F, f: lambda x: x.logcumsumexp(0), real(8)),
    "median": (lambda m, F, f: lambda x: x.median(0), real(8)),
    "quantile": (lambda m, F, f: lambda x: x.quantile(0.3), real(8)),
    "kthvalue": (lambda m, F, f: lambda x: x.kthvalue(3), real(8)),
    "mode": (lambda m, F, f: lambda x: x.mode(), real(8)),
    "sort": (lambda m, F, f: lambda x: x.sort(), real(8)),
    "argsort": (lambda m, F, f: lambda x: x.argsort(descending=True), real(8)),
    "topk": (lambda m, F, f: lambda x: x.topk(3), real(8)),
    "sort of 64": (lambda m, F, f: lambda x: x.sort(), real(64)),
    "topk of 64": (lambda m, F, f: lambda x: x.topk(5), real(64)),
    "diff": (lambda m, F, f: lambda x: x.diff(), real(8)),
    # norms
    "norm": (lambda m, F, f: lambda x: x.norm(), real(8)),
    "vector_norm 3": (lambda m, F, f: lambda x: m.linalg.vector_norm(x, 3), real(8)),
    "matrix_norm": (lambda m, F, f: m.linalg.matrix_norm, real(8, 8)),
    "normalize": (lambda m, F, f: lambda x: F.normalize(x, dim=0), real(8)),
    "cosine_similarity": (lambda m, F, f: lambda x, y: F.cosine_similarity(x, y, 0), real(8), real(8)),
    "pairwise_distance": (lambda m, F, f: F.pairwise_distance, real(8), real(8)),
    "cdist": (lambda m, F, f: lambda x: m.cdist(x, x), real(8, 8)),
    "cdist, p 1": (lambda m, F, f: lambda x, y: m.cdist(x, y, 1.0), real(8, 8), real(5, 8)),
    "cdist of 32": (lambda m, F, f: lambda x, y: m.cdist(x, y), real(32, 4), real(32, 4)),
    "layer_norm": (lambda m, F, f: lambda x, w, b: F.layer_norm(x, (8,), w, b), real(8), shared(real(8)), shared(real(8))),
    "layer_norm, own weights": (lambda m, F, f: lambda x, w, b: F.layer_norm(x, (8,), w, b), real(8), real(8), real(8)),
    "rms_norm": (lambda m, F, f: lambda x, w: F.rms_norm(x, (8,), w), real(8), shared(real(8))),
    "group_norm": (lambda m, F, f: lambda x: F.group_norm(x[None], 2)[0], real(4, 6)),
    "batch_norm": (lambda m, F, f: lambda x: F.batch_norm(x, None, None, training=True), real(4, 6)),
    "instance_norm": (lambda m, F, f: lambda x: F.instance_norm(x[None])[0], real(4, 6)),
    # products
    "dot": (lambda m, F, f: m.dot, real(8), real(8)),
    "matmul": (lambda m, F, f: m.matmul, real(8, 8), real(8, 8)),
    "matrix by vector": (lambda m, F, f: m.mv, real(8, 8), real(8)),
    "by shared matrix": (lambda m, F, f: m.matmul, real(8), shared(real(8, 8))),
    "shared by vector": (lambda m, F, f: m.matmul, shared(real(8, 8)), real(8)),
    "outer": (lambda m, F, f: m.outer, real(8), real(8)),
    "bmm": (lambda m, F, f: m.bmm, real(2, 4, 4), real(2, 4, 4)),
    "addmm": (lambda m, F, f: m.addmm, real(4, 4), real(4, 4), real(4, 4)),
    "linear": (lambda m, F, f: F.linear, real(8), shared(real(4, 8)), shared(real(4))),
    "linear, own weights": (lambda m, F, f: F.linear, real(8), real(4, 8), real(4)),
    "bilinear": (lambda m, F, f: F.bilinear, real(8), real(8), shared(real(3, 8, 8))),
    "einsum": (lambda m, F, f: lambda x, y: m.einsum("ij,jk->ik", x, y), real(4, 6), real(6, 5)),
    "einsum of three": (lambda m, F, f: lambda x, y, z: m.einsum("i,ij,j->", x, y, z), real(8), real(8, 8), real(8)),
    "tensordot": (lambda m, F, f: lambda x, y: m.tensordot(x, y, 2), real(4, 5), real(4, 5)),
    "kron": (lambda m, F, f: m.kron, real(3, 3), real(2, 2)),
    "cross": (lambda m, F, f: lambda x, y: m.linalg.cross(x, y), real(3), real(3)),
    "trace": (lambda m, F, f: m.trace, real(8, 8)),
    "mlp": (lambda m, F, f: lambda x, a, b: F.linear(F.linear(x, a).relu(), b), real(8), shared(real(16, 8)),
            shared(real(4, 16))),
    # indexing
    "select": (lambda m, F, f: lambda x: x[1], real(8, 4)),
    "slice": (lambda m, F, f: lambda x: x[2:6] * 2, real(8)),
    "index by tensor": (lambda m, F, f: lambda x, i: x[i], real(8), index(8, 4)),
    "index of shared": (lambda m, F, f: lambda x, i: x[i], shared(real(8, 4)), index(8)),
    "index_select": (lambda m, F, f: lambda x, i: x.index_select(0, i), real(8, 4), index(8, 3)),
    "take": (lambda m, F, f: m.take, real(8), index(8, 3)),
    "take_along_dim": (lambda m, F, f: lambda x, i: m.take_along_dim(x, i, 0), real(8), index(8, 3)),
    "gather": (lambda m, F, f: lambda x, i: x.gather(0, i), real(8), index(8, 3)),
    "scatter": (lambda m, F, f: lambda x, i, y: x.scatter(0, i, y), real(8), index(8, 3), real(3)),
    "scatter_add": (lambda m, F, f: lambda x, i, y: x.scatter_add(0, i, y), real(8), index(8, 3), real(3)),
    "scatter_reduce": (lambda m, F, f: lambda x, i, y: x.scatter_reduce(0, i, y, "amax"), real(8), index(8, 3), real(3)),
    "index_add": (lambda m, F, f: lambda x, i, y: x.index_add(0, i, y), real(8), index(8, 3), real(3)),
    "index_add, shared index": (lambda m, F, f: lambda x, i, y: x.index_add(0, i, y), real(8), shared(index(8, 3)), real(3)),
    "index_fill": (lambda m, F, f: lambda x, i: x.index_fill(0, i, 0.5), real(8), shared(index(8, 3))),
    "index_copy": (lambda m, F, f: lambda x, i, y: x.index_copy(0, i, y), real(8), shared(index(8, 3)), real(3)),
    "index_put": (lambda m, F, f: lambda x, i, y: x.index_put((i,), y), real(8), index(8, 3), real(3)),
    "assign a slice": (lambda m, F, f: assigned, real(8), real(3)),
    "embedding": (lambda m, F, f: F.embedding, index(8, 3), shared(real(8, 4))),
    "embedding, own weights": (lambda m, F, f: F.embedding, index(8, 3), real(8, 4)),
    "one_hot": (lambda m, F, f: lambda i: F.one_hot(i, 8), index(8)),
    "searchsorted": (lambda m, F, f: m.searchsorted, shared(lambda m, rows: m.randn(rows, 8).sort().values), real(3)),
    "tril": (lambda m, F, f: m.tril, real(8, 8)),
    "diag": (lambda m, F, f: m.diag, real(8)),
    "diagonal": (lambda m, F, f: m.diagonal, real(8, 8)),
    # shapes
    "cat": (lambda m, F, f: lambda x, y: m.cat([x, y]), real(8), real(4)),
    "stack": (lambda m, F, f: lambda x, y: m.stack([x, y]), real(8), real(8)),
    "split": (lambda m, F, f: lambda x: sum(x.split(2)), real(8)),
    "flip": (lambda m, F, f: lambda x: x.flip(0), real(8)),
    "roll": (lambda m, F, f: lambda x: x.roll(2, 0), real(8)),
    "pad": (lambda m, F, f: lambda x: F.pad(x, (1, 1)), real(8)),
    "pad, reflect": (lambda m, F, f: lambda x: F.pad(x, (1, 1), mode="reflect"), real(2, 8)),
    "repeat": (lambda m, F, f: lambda x: x.repeat(2), real(8)),
    "transpose": (lambda m, F, f: lambda x: x.t().contiguous(), real(8, 4)),
    "reshape": (lambda m, F, f: lambda x: x.reshape(4, 8).flatten(), real(8, 4)),
    "unfold": (lambda m, F, f: lambda x: x.unfold(0, 3, 1).sum(-1), real(8)),
    "pixel_shuffle": (lambda m, F, f: lambda x: F.pixel_shuffle(x, 2), real(4, 4, 4)),
    # losses
    "mse_loss": (lambda m, F, f: F.mse_loss, real(8), real(8)),
    "l1_loss": (lambda m, F, f: F.l1_loss, real(8), real(8)),
    "smooth_l1_loss": (lambda m, F, f: F.smooth_l1_loss, real(8), real(8)),
    "huber_loss": (lambda m, F, f: F.huber_loss, real(8), real(8)),
    "cross_entropy": (lambda m, F, f: F.cross_entropy, real(8), index(8)),
    "cross_entropy of rows": (lambda m, F, f: F.cross_entropy, real(4, 8), index(8, 4)),
    "cross_entropy, smoothed": (lambda m, F, f: lambda x, y: F.cross_entropy(x, y, label_smoothing=0.1), real(4, 8), index(8, 4)),
    "cross_entropy, weights": (lambda m, F, f: lambda x, y, w: F.cross_entropy(x, y, w), real(4, 8), index(8, 4),
                               shared(positive(8))),
    "nll_loss": (lambda m, F, f: lambda x, y: F.nll_loss(x.log_softmax(-1), y), real(4, 8), index(8, 4)),
    "bce_with_logits": (lambda m, F, f: F.binary_cross_entropy_with_logits, real(8), positive(8)),
    "binary_cross_entropy": (lambda m, F, f: lambda x, y: F.binary_cross_entropy(x.sigmoid(), y.sigmoid()), real(8), real(8)),
    "kl_div": (lambda m, F, f: lambda x, y: F.kl_div(x, y, reduction="sum"), real(8), positive(8)),
    "gaussian_nll_loss": (lambda m, F, f: lambda x, y: F.gaussian_nll_loss(x, y, m.ones(8)), real(8), real(8)),
    "poisson_nll_loss": (lambda m, F, f: F.poisson_nll_loss, real(8), positive(8)),
    "hinge_embedding_loss": (lambda m, F, f: lambda x, y: F.hinge_embedding_loss(x, y.sign()), real(8), real(8)),
    "margin_ranking_loss": (lambda m, F, f: lambda x, y, z: F.margin_ranking_loss(x, y, z.sign()), real(8), real(8), real(8)),
    "triplet_margin_loss": (lambda m, F, f: F.triplet_margin_loss, real(8), real(8), real(8)),
    "multi_margin_loss": (lambda m, F, f: F.multi_margin_loss, real(8), index(8)),
    "soft_margin_loss": (lambda m, F, f: lambda x, y: F.soft_margin_loss(x, y.sign()), real(8), real(8)),
    "multilabel_soft_margin": (lambda m, F, f: F.multilabel_soft_margin_loss, real(4, 8), positive(4, 8)),
    # images
    "conv1d": (lambda m, F, f: lambda x, w: F.conv1d(x, w), real(3, 16), shared(real(4, 3, 3))),
    "conv2d": (lambda m, F, f: lambda x, w: F.conv2d(x[None], w)[0], real(3, 8, 8), shared(real(4, 3, 3, 3))),
    "conv2d, bias, padded": (lambda m, F, f: lambda x, w, b: F.conv2d(x, w, b, padding=1), real(3, 8, 8),
                             shared(real(4, 3, 3, 3)), shared(real(4))),
    "conv2d, stride 2": (lambda m, F, f: lambda x, w: F.conv2d(x, w, stride=2), real(3, 8, 8), shared(real(4, 3, 3, 3))),
    "conv2d, 16 channels": (lambda m, F, f: lambda x, w: F.conv2d(x, w, padding=1), real(16, 8, 8), shared(real(16, 16, 3, 3))),
    "conv2d, depthwise": (lambda m, F, f: lambda x, w: F.conv2d(x, w, groups=4), real(4, 8, 8), shared(real(4, 1, 3, 3))),
    "conv2d, own weights": (lambda m, F, f: F.conv2d, real(3, 8, 8), real(4, 3, 3, 3)),
    "conv2d, weights alone": (lambda m, F, f: F.conv2d, shared(real(3, 8, 8)), real(4, 3, 3, 3)),
    "conv3d": (lambda m, F, f: lambda x, w: F.conv3d(x, w), real(2, 5, 5, 5), shared(real(3, 2, 3, 3, 3))),
    "conv_transpose2d": (lambda m, F, f: lambda x, w: F.conv_transpose2d(x, w), real(3, 6, 6), shared(real(3, 4, 3, 3))),
    "max_pool1d": (lambda m, F, f: lambda x: F.max_pool1d(x, 2), real(2, 8)),
    "max_pool2d": (lambda m, F, f: lambda x: F.max_pool2d(x, 2), real(3, 8, 8)),
    "avg_pool1d": (lambda m, F, f: lambda x: F.avg_pool1d(x, 2), real(2, 8)),
    "avg_pool2d": (lambda m, F, f: lambda x: F.avg_pool2d(x, 2), real(3, 8, 8)),
    "adaptive_avg_pool2d": (lambda m, F, f: lambda x: F.adaptive_avg_pool2d(x, 2), real(3, 8, 8)),
    "lp_pool2d": (lambda m, F, f: lambda x: F.lp_pool2d(x, 2, 2), real(3, 8, 8)),
    "interpolate, nearest": (lambda m, F, f: lambda x: F.interpolate(x[None], scale_factor=2)[0], real(3, 4, 4)),
    "interpolate, bilinear": (lambda m, F, f: lambda x: F.interpolate(x[None], scale_factor=2, mode="bilinear")[0],
                              real(3, 4, 4)),
    "interpolate, linear": (lambda m, F, f: lambda x: F.interpolate(x[None], scale_factor=2, mode="linear")[0], real(3, 8)),
    "grid_sample": (lambda m, F, f: lambda x, g: F.grid_sample(x[None], g[None], align_corners=False)[0], real(3, 4, 4),
                    real(4, 4, 2)),
    "unfold of images": (lambda m, F, f: lambda x: F.unfold(x[None], 3)[0], real(3, 6, 6)),
    # attention
    "attention": (lambda m, F, f: F.scaled_dot_product_attention, real(4, 8), real(4, 8), real(4, 8)),
    "attention, heads": (lambda m, F, f: lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), real(2, 6, 4),
                         real(2, 6, 4), real(2, 6, 4)),
    # linear algebra
    "inv": (lambda m, F, f: m.linalg.inv, symmetric(4)),
    "solve": (lambda m, F, f: m.linalg.solve, symmetric(4), real(4)),
    "cholesky": (lambda m, F, f: m.linalg.cholesky, symmetric(4)),
    "det": (lambda m, F, f: m.linalg.det, symmetric(4)),
    "slogdet": (lambda m, F, f: m.linalg.slogdet, symmetric(4)),
    "eigh": (lambda m, F, f: m.linalg.eigh, symmetric(4)),
    "eigvalsh": (lambda m, F, f: m.linalg.eigvalsh, symmetric(4)),
    "svd": (lambda m, F, f: m.linalg.svd, real(4, 4)),
    "qr": (lambda m, F, f: m.linalg.qr, real(4, 4)),
    "pinv": (lambda m, F, f: m.linalg.pinv, real(4, 3)),
    "lstsq": (lambda m, F, f: m.linalg.lstsq, real(4, 3), real(4, 2)),
    "matrix_exp": (lambda m, F, f: m.linalg.matrix_exp, real(4, 4)),
    "matrix_power": (lambda m, F, f: lambda x: m.linalg.matrix_power(x, 3), real(4, 4)),
    "triangular solve": (lambda m, F, f: lambda a, b: m.linalg.solve_triangular(a, b, upper=False), symmetric(4), real(4, 2)),
    "cholesky_solve": (lambda m, F, f: lambda b, a: m.cholesky_solve(b, a), real(4, 2), symmetric(4)),
    "lu_factor": (lambda m, F, f: m.linalg.lu_factor, symmetric(4)),
    # random numbers
    "rand": (lambda m, F, f: lambda x: x + m.rand(8), real(8), {"randomness": "different"}),
    "randn_like": (lambda m, F, f: lambda x: x + m.randn_like(x), real(8), {"randomness": "different"}),
    "rand, same": (lambda m, F, f: lambda x: x + m.rand(8), real(8), {"randomness": "same"}),
    "dropout": (lambda m, F, f: lambda x: F.dropout(x, 0.5), real(8), {"randomness": "different"}),
    "bernoulli": (lambda m, F, f: m.bernoulli, lambda m, rows: m.rand(rows, 8), {"randomness": "different"}),
    "multinomial": (lambda m, F, f: lambda x: m.multinomial(x, 2), positive(8), {"randomness": "different"}),
    "randint": (lambda m, F, f: lambda x: x + m.randint(0, 5, (8,)), real(8), {"randomness": "different"}),
    # transforms inside
    "grad": (lambda m, F, f: f.grad(lambda x: x.sin().sum()), real(8)),
    "grad of a loss": (lambda m, F, f: f.grad(lambda w, x, y: F.cross_entropy(x @ w, y)), shared(real(8, 4)), real(8), index(4)),
    "grad of an mlp": (lambda m, F, f: f.grad(lambda a, b, x, y: F.mse_loss((x @ a).tanh() @ b, y), argnums=(0, 1)),
                       shared(real(8, 16)), shared(real(16, 4)), real(8), real(4)),
    "grad of conv2d": (lambda m, F, f: f.grad(lambda w, x: F.conv2d(x[None], w).square().sum()), shared(real(4, 3, 3, 3)),
                       real(3, 8, 8)),
    "grad of layer_norm": (lambda m, F, f: f.grad(lambda w, x: F.layer_norm(x, (8,), w).square().sum()), shared(real(8)),
                           real(8)),
    "grad of attention": (lambda m, F, f: f.grad(lambda x: F.scaled_dot_product_attention(x, x, x).sum()), real(4, 8)),
    "grad of embedding": (lambda m, F, f: f.grad(lambda w, i: F.embedding(i, w).square().sum()), shared(real(8, 4)),
                          index(8, 3)),
    "grad of cdist": (lambda m, F, f: f.grad(lambda x, y: m.cdist(x, y).sum()), real(8, 8), real(5, 8)),
    "grad of max_pool2d": (lambda m, F, f: f.grad(lambda x: F.max_pool2d(x, 2).square().sum()), real(3, 8, 8)),
    "grad of inv": (lambda m, F, f: f.grad(lambda x: m.linalg.inv(x).sum()), symmetric(4)),
    "grad of logdet": (lambda m, F, f: f.grad(m.logdet), symmetric(4)),
    "grad of cumsum": (lambda m, F, f: f.grad(lambda x: x.cumsum(0).square().sum()), real(8)),
    "grad of sort": (lambda m, F, f: f.grad(lambda x: x.sort().values[:3].sum()), real(8)),
    "grad of gather": (lambda m, F, f: f.grad(lambda x, i: x.gather(0, i).square().sum()), real(8), index(8, 3)),
    "grad of index": (lambda m, F, f: f.grad(lambda x: x[[0, 2]].square().sum()), real(8)),
    "grad of norm": (lambda m, F, f: f.grad(lambda x: x.norm()), real(8)),
    "grad of prod": (lambda m, F, f: f.grad(m.prod), real(8)),
    "grad_and_value": (lambda m, F, f: f.grad_and_value(lambda x: x.pow(3).sum()), real(8)),
    "grad of grad": (lambda m, F, f: f.grad(f.grad(lambda x: x.sin() * x)), real()),
    "jacrev": (lambda m, F, f: f.jacrev(lambda x: x.sin() * x.sum()), real(8)),
    "jacfwd": (lambda m, F, f: f.jacfwd(lambda x: x.sin() * x.sum()), real(8)),
    "hessian": (lambda m, F, f: f.hessian(lambda x: x.sin().sum() * x.sum()), real(8)),
    "jvp": (lambda m, F, f: lambda x, t: f.jvp(m.sin, (x,), (t,)), real(8), real(8)),
    "vjp": (lambda m, F, f: lambda x, t: f.vjp(m.sin, x)[1](t), real(8), real(8)),
    "nested vmap": (lambda m, F, f: f.vmap(lambda x: x.sin().sum()), real(4, 8)),
    "nested vmap, pairs": (lambda m, F, f: f.vmap(lambda x: x.dot(x)), real(4, 8)),
    # dims and chunks
    "in_dims 1": (lambda m, F, f: lambda x: x.sin().sum(), lambda m, rows: m.randn(8, rows), {"in_dims": 1}),
    "in_dims (0, 1)": (lambda m, F, f: m.dot, real(8), lambda m, rows: m.randn(8, rows), {"in_dims": (0, 1)}),
    "matmul, in_dims 2": (lambda m, F, f: m.matmul, lambda m, rows: m.randn(8, 8, rows), real(8, 8), {"in_dims": (2, 0)}),
    "out_dims 1": (lambda m, F, f: lambda x: x * 2, real(8), {"out_dims": 1}),
    "chunks of 100": (lambda m, F, f: lambda x: x.sin().sum(), real(8), {"chunk_size": 100}),
    "chunks of 250, matmul": (lambda m, F, f: m.matmul, real(8, 8), real(8, 8), {"chunk_size": 250}),
}


def call_of(m, work, rows):
    """The function over all rows, ready to be called."""
    functional, func = (importlib.import_module(f"{m.__name__}.{name}") for name in ("nn.functional", "func"))
    make, *makers = work
    keywords = makers.pop() if isinstance(makers[-1], dict) else {}
    given = [maker(m, rows) for maker in makers]
    if any(hasattr(maker, "is_shared") for maker in makers):
        keywords = {"in_dims": tuple(None if hasattr(maker, "is_shared") else 0 for maker in makers)}
    batched = func.vmap(make(m, functional, func), **keywords)
    return lambda: batched(*given)


def measure(module, threads, only, rows):
    """What one process finds: seconds of a call by name of the work, or what it raised."""
    m = importlib.import_module(module)
    m.set_num_threads(threads)
    found = {}
    for name, work in WORK.items():
        if re.search(only, name):
            m.manual_seed(0)
            try:
                found[name] = in_turns.seconds(call_of(m, work, rows), threads)
            except Exception as error:
                found[name] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return found


if __name__ == "__main__":
    in_turns.main(__file__, __doc__, measure, rows=1000)
