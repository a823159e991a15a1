"""karat.utils._pytree: nested tuples, lists and dicts as a flat list and a description of how it was nested.

In: a nest of any objects. Out: its leaves in order, and a TreeSpec that puts as many again where they were. None is a leaf, as in
PyTorch."""

from collections import OrderedDict, defaultdict, deque, namedtuple

NodeDef = namedtuple("NodeDef", ["type", "flatten_fn", "unflatten_fn"])


def _is_namedtuple(cls):
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def _dict_flatten(d):
    return list(d.values()), list(d.keys())


SUPPORTED_NODES = {
    tuple: NodeDef(tuple, lambda d: (list(d), None), lambda values, context: tuple(values)),
    list: NodeDef(list, lambda d: (d, None), lambda values, context: list(values)),
    dict: NodeDef(dict, _dict_flatten, lambda values, context: dict(zip(context, values))),
    namedtuple: NodeDef(namedtuple, lambda d: (list(d), type(d)), lambda values, context: context(*values)),
    OrderedDict: NodeDef(OrderedDict, _dict_flatten, lambda values, context: OrderedDict(zip(context, values))),
    defaultdict: NodeDef(defaultdict, lambda d: (list(d.values()), [d.default_factory, list(d.keys())]),
                         lambda values, context: defaultdict(context[0], zip(context[1], values))),
    deque: NodeDef(deque, lambda d: (list(d), d.maxlen), lambda values, context: deque(values, maxlen=context)),
}


def register_pytree_node(cls, flatten_fn, unflatten_fn, **_names):
    """Objects of the class are nests from now on: flatten_fn gives (values, context), unflatten_fn takes both."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn)


def _get_node_type(tree):
    cls = type(tree)
    if cls in SUPPORTED_NODES:
        return cls
    if _is_namedtuple(cls):
        return namedtuple
    if isinstance(tree, tuple) and hasattr(cls, "n_sequence_fields"):  # torch.return_types
        return tuple
    return None


def _is_leaf(tree, is_leaf=None):
    return (is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) is None


class TreeSpec:
    """How leaves are nested: the type of the nest, what it needs beside its values, and those of its parts."""

    __slots__ = ("type", "context", "_children", "num_leaves", "num_nodes", "num_children")

    def __init__(self, type, context, children_specs):
        self.type, self.context, self._children = type, context, children_specs
        leaf = type is None
        self.num_children = len(children_specs)
        self.num_leaves = 1 if leaf else sum(child.num_leaves for child in children_specs)
        self.num_nodes = 1 + sum(child.num_nodes for child in children_specs)

    def is_leaf(self):
        return self.type is None

    def children(self):
        return list(self._children)

    def child(self, index):
        return self._children[index]

    @property
    def children_specs(self):
        return self._children

    def __eq__(self, other):
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type, self.context, self._children) == (other.type, other.context, other._children)

    def __hash__(self):
        return hash((self.type, str(self.context), tuple(self._children)))

    def __repr__(self, indent=0):
        if self.is_leaf():
            return "*"
        inner = indent + 2
        texts = [child.__repr__(inner) for child in self._children]
        return f"TreeSpec({self.type.__name__}, {self.context}, [{(',' + chr(10) + ' ' * inner).join(texts)}])"

    def unflatten(self, leaves):
        return tree_unflatten(leaves, self)


class LeafSpec(TreeSpec):
    def __init__(self):
        super().__init__(None, None, [])


_LEAF = LeafSpec()


def treespec_leaf():
    return _LEAF


def _flatten(tree, leaves, is_leaf):
    node = _get_node_type(tree)
    if node is None or (is_leaf is not None and is_leaf(tree)):
        leaves.append(tree)
        return _LEAF
    values, context = SUPPORTED_NODES[node].flatten_fn(tree)
    return TreeSpec(node, context, [_flatten(value, leaves, is_leaf) for value in values])


def tree_flatten(tree, is_leaf=None):
    """(leaves, spec)."""
    leaves = []
    return leaves, _flatten(tree, leaves, is_leaf)


def tree_unflatten(leaves, treespec):
    leaves = leaves if isinstance(leaves, (list, tuple)) else list(leaves)
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree "
                         f"that holds {treespec.num_leaves} items ({treespec}).")
    return _unflatten(iter(leaves), treespec)


def _unflatten(leaves, spec):
    if spec.is_leaf():
        return next(leaves)
    return SUPPORTED_NODES[spec.type].unflatten_fn([_unflatten(leaves, child) for child in spec._children], spec.context)


class _Star:
    def __repr__(self):
        return "*"


def treespec_pprint(spec):
    """The nest with a star for every leaf."""
    return repr(tree_unflatten([_Star()] * spec.num_leaves, spec))


def tree_leaves(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree, is_leaf=None):
    yield from tree_leaves(tree, is_leaf)


def tree_structure(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[1]


def _matching(spec, tree):
    """The parts of `tree` where `spec` has leaves."""
    if spec.is_leaf():
        return [tree]
    node = _get_node_type(tree)
    if node is not spec.type:
        raise ValueError(f"Node type mismatch; expected {spec.type}, but got {type(tree)}.")
    values, context = SUPPORTED_NODES[node].flatten_fn(tree)
    if node is dict and set(context) == set(spec.context):
        values = [tree[key] for key in spec.context]
    elif context != spec.context:
        raise ValueError(f"Node context mismatch; expected {spec.context}, but got {context}.")
    if len(values) != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(values)}.")
    return [part for child, value in zip(spec._children, values) for part in _matching(child, value)]


def tree_map(func, tree, *rests, is_leaf=None):
    """func of the leaves at each place, nested as `tree` is."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_matching(spec, rest) for rest in rests]
    return _unflatten(iter([func(*each) for each in zip(leaves, *others)]), spec)


def tree_map_(func, tree, *rests, is_leaf=None):
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(types, func, tree=None, is_leaf=None):
    """func of the leaves of these types; the others stay."""
    if tree is None:
        raise TypeError("tree_map_only: a tree is needed")
    return tree_map(lambda one: func(one) if isinstance(one, types) else one, tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    return all(pred(one) for one in tree_leaves(tree, is_leaf))


def tree_any(pred, tree, is_leaf=None):
    return any(pred(one) for one in tree_leaves(tree, is_leaf))


def _broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """The leaves of `tree`, each as often as the part of the spec that it stands for has leaves; None: they do not fit."""
    if _is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf():
        return None
    node = _get_node_type(tree)
    if node is not treespec.type:
        return None
    values, context = SUPPORTED_NODES[node].flatten_fn(tree)
    if len(values) != treespec.num_children or context != treespec.context:
        return None
    flat = []
    for value, child in zip(values, treespec._children):
        part = _broadcast_to_and_flatten(value, child, is_leaf)
        if part is None:
            return None
        flat += part
    return flat
