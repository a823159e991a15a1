"""The order in which backward runs, against a model of PyTorch's rule on random graphs: of the nodes whose consumers have all
run the newest comes first, and a leaf is given its gradient as soon as that is complete. Hooks tell what ran when."""

import os
import random

import pytest

import karat

SEED = int(os.environ.get("KARAT_SEED", random.randrange(1 << 30)))
GRAPHS = 2000 if os.environ.get("KARAT_TEST_ALL") else 150


class Model:
    """What was recorded: a number for each node in the order of their making, and where its edges lead, which is another
    number, or ("leaf", i)."""

    def __init__(self):
        self.edges = []

    def node(self, *inputs):
        self.edges.append(inputs)
        return len(self.edges) - 1

    def order(self, root):
        behind, stack = set(), [root]
        while stack:
            at = stack.pop()
            if at not in behind:
                behind.add(at)
                stack += [] if isinstance(at, tuple) else self.edges[at]
        left = {at: 0 for at in behind}
        for at in behind:
            for to in () if isinstance(at, tuple) else self.edges[at]:
                left[to] += 1
        ready, ran = [root], []
        while ready:
            leaves = [at for at in ready if isinstance(at, tuple)]
            at = leaves[0] if leaves else max(ready)
            ready.remove(at)
            ran.append(at)
            for to in () if isinstance(at, tuple) else self.edges[at]:
                left[to] -= 1
                if not left[to]:
                    ready.append(to)
        return ran


def random_graph(r):
    model, ran, elsewhere = Model(), [], []
    leaves = [karat.tensor([r.random(), r.random()], requires_grad=True) for _ in range(r.choice((2, 4, 30)))]
    made = [(leaf, ("leaf", i)) for i, leaf in enumerate(leaves)]

    def keep(t, node):
        made.append((t, node))
        if r.random() < 0.7:
            t.register_hook(lambda g: ran.append((node, [l.grad is not None for l in leaves])))

    for i, leaf in enumerate(leaves):
        if r.random() < 0.7:
            leaf.register_post_accumulate_grad_hook(
                lambda leaf, i=i: ran.append((("leaf", i), [l.grad is not None for l in leaves])))
    for _ in range(r.randrange(1, 40)):
        (a, of_a), (b, of_b), (c, of_c) = (r.choice(made) for _ in range(3))
        kind = r.randrange(5)
        if kind == 0:
            keep(a * b, model.node(of_a, of_b))
        elif kind == 1:
            keep(a - b, model.node(of_a, of_b))
        elif kind == 2:
            keep(a.cos(), model.node(of_a))
        elif kind == 3:
            keep(karat.lerp(a, b, c), model.node(of_a, of_b, of_c))
        else:
            elsewhere.append(a * 2)
            model.node(of_a)
    t, node = made[-1]
    return model, ran, leaves, elsewhere, t.sum(), model.node(node)


@pytest.mark.parametrize("part", range(10))
def test_hooks_fire_as_in_the_model(part):
    for i in range(part, GRAPHS, 10):
        model, ran, leaves, elsewhere, loss, node = random_graph(random.Random(SEED + i))
        loss.backward()
        have, wanted = [False] * len(leaves), []
        for at in model.order(node):
            if isinstance(at, tuple):
                have[at[1]] = True
            wanted.append((at, list(have)))
        hooked = {at for at, _ in ran}
        assert ran == [step for step in wanted if step[0] in hooked], f"KARAT_SEED={SEED + i}"
        assert [leaf.grad is not None for leaf in leaves] == have
