"""karat.utils._pytree: nested tuples, lists and dicts as a flat list and a description of how it was nested.

In: a nest of any objects. Out: its leaves in order, and a TreeSpec that puts as many again where they were. None is a leaf, as in
PyTorch."""

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import UnionType
from typing import Any

from .._karat import Size as _Size

NodeDef = namedtuple("NodeDef", ["type", "flatten_fn", "unflatten_fn", "flatten_with_keys_fn"], defaults=[None])


# ---- the way to a leaf: one key for each level ----


@dataclass(frozen=True)
class SequenceKey:
    """The place in a list, tuple or deque."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """The key of a dict."""

    key: Any

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The name of an attribute, of a named tuple or a dataclass."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        return getattr(obj, self.name)


def keystr(kp):
    """The way as it would be written: ['a'][0].x"""
    return "".join(str(key) for key in kp)


def key_get(obj, kp):
    """What lies at the end of the way."""
    for key in kp:
        obj = key.get(obj)
    return obj


# ---- kinds of nests ----


def is_namedtuple_class(cls):
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_namedtuple_instance(obj):
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj):
    """A named tuple, or a class of them."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def _with_keys(flatten, key, names=lambda values, context: context):
    """Flattens to pairs of a key and a value; `names`: what the keys are made of, in the order of the values."""

    def pairs(nest):
        values, context = flatten(nest)
        return [*zip(map(key, names(values, context)), values)], context

    return pairs


def _list_flatten(d):
    return d, None


def _dict_flatten(d):
    return list(d.values()), list(d.keys())


def _dict_unflatten(values, context):
    return dict(zip(context, values))


# The kinds of nests: (values, context) of one, one of (values, context), the class of its keys and what they are made of.
_PLACES = (SequenceKey, lambda values, context: range(len(values)))
SUPPORTED_NODES = {
    kind: NodeDef(kind, flatten, unflatten, _with_keys(flatten, *keys)) for kind, flatten, unflatten, *keys in (
        (tuple, lambda d: (list(d), None), lambda values, context: tuple(values), *_PLACES),
        (list, _list_flatten, lambda values, context: list(values), *_PLACES),
        (dict, _dict_flatten, _dict_unflatten, MappingKey),
        (namedtuple, lambda d: (list(d), type(d)), lambda values, cls: cls(*values), GetAttrKey, lambda values, cls: cls._fields),
        (OrderedDict, _dict_flatten, lambda values, context: OrderedDict(zip(context, values)), MappingKey),
        (defaultdict, lambda d: (list(d.values()), [d.default_factory, list(d)]),
         lambda values, context: defaultdict(context[0], zip(context[1], values)),
         MappingKey, lambda values, context: context[1]),
        (_Size, lambda d: (list(d), None), lambda values, context: _Size(values), *_PLACES),
        (deque, lambda d: (list(d), d.maxlen), lambda values, context: deque(values, maxlen=context), *_PLACES))
}
_list_flatten_with_keys, _dict_flatten_with_keys = (SUPPORTED_NODES[kind].flatten_with_keys_fn for kind in (list, dict))
_list_unflatten, _tuple_unflatten, _deque_unflatten, _namedtuple_unflatten, _ordereddict_unflatten, _defaultdict_unflatten = (
    SUPPORTED_NODES[kind].unflatten_fn for kind in (list, tuple, deque, namedtuple, OrderedDict, defaultdict))
_tuple_flatten, _deque_flatten, _namedtuple_flatten, _ordereddict_flatten, _defaultdict_flatten = (
    SUPPORTED_NODES[kind].flatten_fn for kind in (tuple, deque, namedtuple, OrderedDict, defaultdict))


def register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                         from_dumpable_context=None, flatten_with_keys_fn=None):
    """Objects of the class are nests from now on: flatten_fn gives (values, context), unflatten_fn takes both, and
    flatten_with_keys_fn gives ([(key, value)], context). Nests are not written to files: what serves that is not kept."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


def _register_pytree_node(cls, flatten_fn, unflatten_fn, to_str_fn=None, maybe_from_str_fn=None, **keywords):
    """The old name of register_pytree_node."""
    register_pytree_node(cls, flatten_fn, unflatten_fn, **keywords)


def _deregister_pytree_node(cls):
    """Objects of the class are leaves again."""
    del SUPPORTED_NODES[cls]
    _SERIAL.pop(_NAMES.pop(cls, None), None)


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """The fields of a dataclass are the values of a nest; one that is None is left out and comes back as None."""
    from dataclasses import fields

    names = [field.name for field in fields(cls) if field.init] if field_names is None else list(field_names)
    names = [name for name in names if name not in (drop_field_names or ())]

    def flatten(obj):
        given = [name for name in names if getattr(obj, name) is not None]
        return [getattr(obj, name) for name in given], [given, [name for name in names if name not in given]]

    def unflatten(values, context):
        return cls(**dict(zip(context[0], values)), **dict.fromkeys(context[1]))

    register_pytree_node(cls, flatten, unflatten, serialized_type_name=serialized_type_name,
                         flatten_with_keys_fn=_with_keys(flatten, GetAttrKey, lambda values, context: context[0]))


def _as_node(cls):
    """Registers a class of results with names: an instance is made of a sequence."""
    places, key = _PLACES[1], _PLACES[0]

    def flatten(result):
        return list(result), None

    SUPPORTED_NODES[cls] = NodeDef(cls, flatten, lambda values, context: cls(values), _with_keys(flatten, key, places))
    return cls


def _get_node_type(tree):
    cls = type(tree)
    if cls in SUPPORTED_NODES:
        return cls
    if is_namedtuple_class(cls):
        return namedtuple
    if isinstance(tree, tuple) and cls.__module__.endswith("return_types"):  # of functions with several results
        return _as_node(cls)
    return None


def tree_is_leaf(tree, is_leaf=None):
    """Is it no nest?"""
    return _get_node_type(tree) is None or (is_leaf is not None and bool(is_leaf(tree)))


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


def treespec_tuple(iterable=()):
    """The spec of a tuple of what these specs say."""
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping=(), /, **keywords):
    """The spec of a dict of what these specs say."""
    specs = dict(mapping, **keywords)
    return TreeSpec(dict, list(specs), list(specs.values()))


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


def _chosen(types):
    """A function that tells the leaves that are meant: of these types, or those of which a function says so."""
    return (lambda one: isinstance(one, types)) if isinstance(types, (type, tuple, UnionType)) else types


def map_only(types, /):
    """A decorator: the function changes only what is of these types."""
    chosen = _chosen(types)
    return lambda func: lambda one: func(one) if chosen(one) else one


def tree_map_only(types, func, tree, is_leaf=None):
    """func of the leaves of these types; the others stay."""
    leaves, spec = tree_flatten(tree, is_leaf)
    chosen = _chosen(types)
    return _unflatten(iter([func(one) if chosen(one) else one for one in leaves]), spec)


def tree_map_only_(types, func, tree, is_leaf=None):
    tree_map_only(types, func, tree, is_leaf)
    return tree


def tree_all(pred, tree, is_leaf=None):
    return all(pred(one) for one in tree_leaves(tree, is_leaf))


def tree_any(pred, tree, is_leaf=None):
    return any(pred(one) for one in tree_leaves(tree, is_leaf))


def tree_all_only(types, pred, tree, is_leaf=None):
    return all(pred(one) for one in tree_leaves(tree, is_leaf) if _chosen(types)(one))


def tree_any_only(types, pred, tree, is_leaf=None):
    return any(pred(one) for one in tree_leaves(tree, is_leaf) if _chosen(types)(one))


def arg_tree_leaves(*args, **kwargs):
    """The leaves of a call's arguments."""
    return [leaf for part in (*args, *kwargs.values()) for leaf in tree_leaves(part)]


def _leaves_with_paths(path, tree, is_leaf):
    if tree_is_leaf(tree, is_leaf):
        return [(path, tree)]
    flatten = SUPPORTED_NODES[_get_node_type(tree)].flatten_with_keys_fn
    if flatten is None:
        raise ValueError(f"Did not find a flatten_with_keys_fn for type: {type(tree)}. Please pass a flatten_with_keys_fn "
                         "argument to register_pytree_node.")
    return [leaf for key, value in flatten(tree)[0] for leaf in _leaves_with_paths((*path, key), value, is_leaf)]


def tree_leaves_with_path(tree, is_leaf=None):
    """[(path, leaf)]: keystr writes a path."""
    return _leaves_with_paths((), tree, is_leaf)


def tree_flatten_with_path(tree, is_leaf=None):
    """([(path, leaf)], spec)."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """func(path, leaf, ...) of the leaves at each place, nested as `tree` is."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [_matching(spec, rest) for rest in rests]
    return _unflatten(iter([func(*leaf, *each) for leaf, *each in zip(leaves, *others)]), spec)


def _broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """The leaves of `tree`, each as often as the part of the spec that it stands for has leaves; None: they do not fit."""
    if tree_is_leaf(tree, is_leaf):
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


def is_structseq_class(cls):
    """A class of results with names, as torch.return_types.max and time.struct_time."""
    return isinstance(cls, type) and issubclass(cls, tuple) and all(
        isinstance(getattr(cls, name, None), int) for name in ("n_fields", "n_sequence_fields", "n_unnamed_fields"))


def is_structseq_instance(obj):
    """A result of such a class."""
    return is_structseq_class(type(obj))


def is_structseq(obj):
    """Such a result, or its class."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


PyTreeSpec = TreeSpec
Context = DumpableContext = PyTree = Any
FlattenFunc = Callable[[Any], tuple[list[Any], Any]]
UnflattenFunc = Callable[[Iterable[Any], Any], Any]
ToDumpableContextFn = FromDumpableContextFn = Callable[[Any], Any]
_DUMPED = 1  # the version of the text


def _dumped_factory(context):
    factory, keys = context
    return {"default_factory_module": factory.__module__, "default_factory_name": factory.__qualname__, "dict_context": keys}


def _loaded_factory(said):
    from importlib import import_module

    return [getattr(import_module(said["default_factory_module"]), said["default_factory_name"]), said["dict_context"]]


# How a kind of nest is named in such a text, and two functions for its context, where JSON's own text does not serve.
_SERIAL = {f"{kind.__module__}.{kind.__qualname__}": (kind, None, None) for kind in (dict, list, tuple, OrderedDict, deque)}
_SERIAL["collections.defaultdict"] = (defaultdict, _dumped_factory, _loaded_factory)
_SERIAL["torch.Size"] = (_Size, None, None)
_NAMES = {kind: name for name, (kind, _, _) in _SERIAL.items()}


def _dumped(spec):
    import json

    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    if spec.type is namedtuple:
        raise NotImplementedError(f"Can't serialize TreeSpec of namedtuple class {spec.context} because we didn't register a "
                                  "serializated_type_name. Please register using `_register_namedtuple`.")
    name = _NAMES.get(spec.type)
    if name is None:
        raise NotImplementedError(f"No registered serialization name for {spec.type} found. Please update your "
                                  "_register_pytree_node call with a `serialized_type_name` kwarg.")
    dump = _SERIAL[name][1] or json.dumps
    try:
        context = dump(spec.context)
    except TypeError as e:
        raise TypeError("Unable to serialize context. Please make the context json dump-able, or register a custom serializer "
                        "using _register_pytree_node.") from e
    return {"type": name, "context": context, "children_spec": [_dumped(child) for child in spec._children]}


def _loaded(one):
    import json

    if one["type"] is None:
        return TreeSpec(None, None, [])
    if one["type"] not in _SERIAL:
        raise NotImplementedError(f"Deserializing {one['type']} in pytree is not registered.")
    kind, _, load = _SERIAL[one["type"]]
    return TreeSpec(kind, (load or json.loads)(one["context"]), [_loaded(child) for child in one["children_spec"]])


def treespec_dumps(treespec, protocol=None):
    """A spec as text: of the kinds that come with Python, and of those that were registered with a name."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    if protocol not in (None, _DUMPED):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{_DUMPED}]")
    import json

    return json.dumps([_DUMPED, _dumped(treespec)])


def treespec_loads(serialized):
    """The spec of such a text."""
    import json

    protocol, schema = json.loads(serialized)
    if protocol != _DUMPED:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{_DUMPED}]")
    return _loaded(schema)
