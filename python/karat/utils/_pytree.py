"""karat.utils._pytree: nested tuples, lists and dicts as a flat list and a description of how it was nested.

In: a nest of any objects. Out: its leaves in order, and a TreeSpec that puts as many again where they were. None is a leaf, as in
PyTorch."""

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import UnionType
from typing import Any

from .._karat import Size

NodeDef = namedtuple("NodeDef", ["type", "flatten_fn", "unflatten_fn", "flatten_with_keys_fn"], defaults=[None])
__all__ = """PyTree Context FlattenFunc UnflattenFunc DumpableContext ToDumpableContextFn FromDumpableContextFn PyTreeSpec
    TreeSpec LeafSpec keystr key_get register_pytree_node
    tree_is_leaf tree_flatten tree_flatten_with_path tree_unflatten tree_iter
    tree_leaves tree_leaves_with_path tree_structure tree_map tree_map_with_path tree_map_ tree_map_only tree_map_only_ tree_all
    tree_any tree_all_only tree_any_only treespec_dumps treespec_loads treespec_pprint is_namedtuple is_namedtuple_class
    is_namedtuple_instance is_structseq is_structseq_class is_structseq_instance""".split()


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
        (Size, lambda d: (list(d), None), lambda values, context: Size(values), *_PLACES),
        (list, _list_flatten, lambda values, context: list(values), *_PLACES),
        (dict, _dict_flatten, _dict_unflatten, MappingKey),
        (namedtuple, lambda d: (list(d), type(d)), lambda values, cls: cls(*values), GetAttrKey, lambda values, cls: cls._fields),
        (OrderedDict, _dict_flatten, lambda values, context: OrderedDict(zip(context, values)), MappingKey),
        (defaultdict, lambda d: (list(d.values()), [d.default_factory, list(d)]),
         lambda values, context: defaultdict(context[0], zip(context[1], values)),
         MappingKey, lambda values, context: context[1]),
        (deque, lambda d: (list(d), d.maxlen), lambda values, context: deque(values, maxlen=context), *_PLACES))
}
_tuple_flatten, _deque_flatten, _namedtuple_flatten, _ordereddict_flatten, _defaultdict_flatten = (
    SUPPORTED_NODES[kind].flatten_fn for kind in (tuple, deque, namedtuple, OrderedDict, defaultdict))
_list_unflatten, _tuple_unflatten, _deque_unflatten, _namedtuple_unflatten, _ordereddict_unflatten, _defaultdict_unflatten = (
    SUPPORTED_NODES[kind].unflatten_fn for kind in (list, tuple, deque, namedtuple, OrderedDict, defaultdict))
_list_flatten_with_keys, _dict_flatten_with_keys = (SUPPORTED_NODES[kind].flatten_with_keys_fn for kind in (list, dict))


def register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                         from_dumpable_context=None, flatten_with_keys_fn=None):
    """Objects of the class are nests from now on: flatten_fn gives (values, context), unflatten_fn takes both, and
    flatten_with_keys_fn gives ([(key, value)], context). In the text of a spec the class has the serialized_type_name, and its
    context is what to_dumpable_context makes of it."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
    _WRITTEN[cls] = serialized_type_name, to_dumpable_context or _as_json, from_dumpable_context or _of_json


def _register_namedtuple(cls, *, serialized_type_name):
    """The name of a class of named tuples in the text of a spec."""
    _NAMED[cls] = serialized_type_name


@dataclass(frozen=True)
class ConstantNode:
    """The context of an object that has no leaves: the object."""

    value: Any


def register_constant(cls):
    """Objects of the class are part of the spec: they have no leaves. Specs compare and hash them."""
    for own in ("__eq__", "__hash__"):
        if getattr(cls, own) in (getattr(object, own), None):
            raise TypeError(f"register_constant(cls) expects `cls` to have a non-default `{own}` implementation.")
    register_pytree_node(cls, lambda obj: ([], ConstantNode(obj)), lambda values, context: context.value,
                         flatten_with_keys_fn=lambda obj: ([], ConstantNode(obj)))
    _CONSTANTS.add(cls)


def is_constant_class(cls):
    """Was it given to register_constant?"""
    return isinstance(cls, type) and cls in _CONSTANTS


def _register_pytree_node(cls, flatten_fn, unflatten_fn, to_str_fn=None, maybe_from_str_fn=None, **keywords):
    """The old name of register_pytree_node."""
    import warnings

    warnings.warn("`torch.utils._pytree._register_pytree_node` is deprecated. Please use "
                  "`torch.utils._pytree.register_pytree_node` instead.", FutureWarning, stacklevel=2)
    _forget(cls)
    register_pytree_node(cls, flatten_fn, unflatten_fn, **keywords)


def _forget(cls):
    """For what may register a class again."""
    import warnings

    if cls in SUPPORTED_NODES:
        warnings.warn(f"{cls} is already registered as pytree node. Overwriting the previous registration.", stacklevel=3)
        _deregister_pytree_node(cls)


def _deregister_pytree_node(cls):
    """Objects of the class are leaves again."""
    del SUPPORTED_NODES[cls]
    _WRITTEN.pop(cls, None)
    _CONSTANTS.discard(cls)


def _fields_of(cls, names, dropped):
    """The names of what a class is made of, which those given have to agree with."""
    from dataclasses import fields, is_dataclass

    if not is_dataclass(cls):
        if names is None:
            raise ValueError("field_names must be specified with a list of all fields used to initialize "
                             f"{cls}, as it is not a dataclass.")
        return list(names)
    own = [field.name for field in fields(cls) if field.init]
    if names is None:
        return own
    parts = [f"{what} fields in `field_names`: {wrong}. {advice}\n" for wrong, what, advice in (
        (set(own) - {*names, *(dropped or ())}, "Missing", "If you want to include these fields in the pytree, please add them "
         "to `field_names`, otherwise please add them to `drop_field_names`."),
        (set(names) - set(own), "Unexpected", "Please remove these fields, or add them to `drop_field_names`.")) if wrong]
    if parts:
        raise ValueError("field_names does not include all dataclass fields.\n" + "".join(parts))
    return list(names)


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """The fields of a dataclass are the values of a nest; one that is None is left out and comes back as None. Fields that are
    dropped come back with their defaults. Of another class, field_names says what makes it."""
    names = [name for name in _fields_of(cls, field_names, drop_field_names) if name not in (drop_field_names or ())]

    def flatten(obj):
        given = [name for name in names if getattr(obj, name) is not None]
        return [getattr(obj, name) for name in given], [given, [name for name in names if name not in given]]

    def unflatten(values, context):
        return cls(**dict(zip(context[0], values)), **dict.fromkeys(context[1]))

    _forget(cls)
    register_pytree_node(cls, flatten, unflatten, serialized_type_name=serialized_type_name,
                         flatten_with_keys_fn=_with_keys(flatten, GetAttrKey, lambda values, context: context[0]))


def _get_node_type(tree):
    cls = type(tree)
    if cls in SUPPORTED_NODES:
        return cls
    if is_namedtuple_class(cls):
        return namedtuple
    if isinstance(tree, tuple) and cls.__module__.endswith("return_types") and is_structseq_class(cls):
        register_pytree_node(cls, lambda d: (list(d), None), lambda values, context: cls(values))
        return cls
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
    return isinstance(cls, type) and cls.__bases__ == (tuple,) and not cls.__flags__ & _MAY_HAVE_SUBCLASSES and all(
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


# ---- specs as text ----


def _enum_as_json(one):
    from enum import Enum

    if isinstance(one, Enum):
        return {"__enum__": True, "fqn": f"{type(one).__module__}:{type(one).__qualname__}", "name": one.name}
    raise TypeError(f"Object of type {type(one).__name__} is not JSON serializable")


def _enum_of_json(one):
    if one.get("__enum__") is not True:
        return one
    module, _, path = one["fqn"].partition(":")
    return _named(module, path)[one["name"]]


def _named(module, path):
    """What a module has under a name, which may have dots."""
    from functools import reduce
    from importlib import import_module

    return reduce(getattr, path.split("."), import_module(module))


def _as_json(context):
    import json

    try:
        return json.dumps(context, default=_enum_as_json)
    except TypeError as e:
        raise TypeError("Unable to serialize context. Please make the context json dump-able, or register a custom serializer "
                        "using _register_pytree_node.") from e


def _of_json(text):
    import json

    return json.loads(text, object_hook=_enum_of_json)


def _default_as_json(context):
    factory, keys = context
    return {"default_factory_module": factory.__module__, "default_factory_name": factory.__qualname__, "dict_context": keys}


def _default_of_json(one):
    return [_named(one["default_factory_module"], one["default_factory_name"]), one["dict_context"]]


def _name_of_namedtuple(cls):
    if cls not in _NAMED:
        raise NotImplementedError(f"Can't serialize TreeSpec of namedtuple class {cls} because we didn't register a "
                                  "serializated_type_name. Please register using `_register_namedtuple`.")
    return _NAMED[cls]


# A class: its name in the text, and its context as what goes into the text and back.
_WRITTEN = {
    **{kind: (f"{kind.__module__}.{kind.__qualname__}", _as_json, _of_json) for kind in (dict, list, tuple, OrderedDict, deque)},
    Size: ("torch.Size", _as_json, _of_json),
    defaultdict: ("collections.defaultdict", _default_as_json, _default_of_json),
    namedtuple: ("collections.namedtuple", _name_of_namedtuple,
                 lambda name: next(cls for cls, one in _NAMED.items() if one == name)),
}
_NAMED = {}  # classes of named tuples, and their names in the text
_CONSTANTS = set()
_MAY_HAVE_SUBCLASSES = 1 << 10  # a flag of Python's types, which those of results with names do not have


def _dumped(spec):
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    if spec.type not in _WRITTEN:
        raise NotImplementedError(f"Serializing {spec.type} in pytree is not registered.")
    name, as_text, _ = _WRITTEN[spec.type]
    if name is None:
        raise NotImplementedError(f"No registered serialization name for {spec.type} found. Please update your "
                                  "_register_pytree_node call with a `serialized_type_name` kwarg.")
    return {"type": name, "context": as_text(spec.context), "children_spec": [_dumped(child) for child in spec._children]}


def _loaded(one):
    if one["type"] is None:
        return TreeSpec(None, None, [])
    found = [(cls, of_text) for cls, (name, _, of_text) in _WRITTEN.items() if name == one["type"]]
    if not found:
        raise NotImplementedError(f"Deserializing {one['type']} in pytree is not registered.")
    (cls, of_text), *_ = found
    return TreeSpec(cls, of_text(one["context"]), [_loaded(child) for child in one["children_spec"]])


def treespec_dumps(treespec, protocol=None):
    """A spec as text: of Python's nests, and of classes that were registered with a name."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    if protocol not in (None, _DUMPED):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{_DUMPED}]")
    import json

    return json.dumps([_DUMPED, _dumped(treespec)], default=_enum_as_json)


def treespec_loads(serialized):
    """The spec of such a text."""
    import json

    protocol, schema = json.loads(serialized, object_hook=_enum_of_json)
    if protocol != _DUMPED:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{_DUMPED}]")
    return _loaded(schema)
