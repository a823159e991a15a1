"""torch.utils._pytree: nests as leaves with the way to each of them."""

import collections
import dataclasses
import enum

import pytest

import karat
from karat.utils import _pytree as pytree

Pair = collections.namedtuple("Pair", "x y")


def test_the_way_to_every_leaf():
    nest = {"a": [1, (2,)], "b": collections.OrderedDict(z=Pair(3, collections.deque([4])))}
    ways = [(pytree.keystr(path), leaf) for path, leaf in pytree.tree_leaves_with_path(nest)]
    assert ways == [("['a'][0]", 1), ("['a'][1][0]", 2), ("['b']['z'].x", 3), ("['b']['z'].y[0]", 4)]
    leaves, spec = pytree.tree_flatten_with_path(nest)
    assert [pytree.key_get(nest, path) for path, _ in leaves] == [1, 2, 3, 4] and spec == pytree.tree_structure(nest)
    assert leaves[2][0] == (pytree.MappingKey("b"), pytree.MappingKey("z"), pytree.GetAttrKey("x"))
    assert pytree.tree_leaves_with_path(5) == [((), 5)]
    shown = pytree.tree_map_with_path(lambda path, x, y: f"{pytree.keystr(path)}{x}{y}", [1, (2,)], [3, (4,)])
    assert shown == ["[0]13", ("[1][0]24",)]


def test_classes_that_are_registered():
    class Box:
        def __init__(self, inside):
            self.inside = inside

    pytree.register_pytree_node(Box, lambda box: ([box.inside], None), lambda values, context: Box(*values))
    assert pytree.tree_map(lambda x: x + 1, Box(1)).inside == 2
    with pytest.raises(ValueError, match="Did not find a flatten_with_keys_fn for type: .*Box"):
        pytree.tree_leaves_with_path(Box(1))
    with pytest.raises(ValueError, match="is already registered as pytree node"):
        pytree.register_pytree_node(Box, None, None)
    pytree._deregister_pytree_node(Box)
    assert pytree.tree_is_leaf(Box(1)) and not pytree.tree_is_leaf([1])
    keys = lambda box: ([(pytree.GetAttrKey("inside"), box.inside)], None)
    pytree.register_pytree_node(Box, lambda box: ([box.inside], None), lambda values, context: Box(*values),
                                serialized_type_name="Box", flatten_with_keys_fn=keys)
    assert pytree.keystr(pytree.tree_leaves_with_path(Box([1]))[0][0]) == ".inside[0]"
    pytree._deregister_pytree_node(Box)


def test_dataclasses():
    @dataclasses.dataclass
    class Point:
        x: object
        y: object = None

    assert pytree.tree_leaves(Point(1, 2)) == [Point(1, 2)]
    pytree.register_dataclass(Point)
    assert pytree.tree_map(lambda v: v + 1, Point(1, [2])) == Point(2, [3])
    assert pytree.tree_leaves_with_path(Point(1)) == [((pytree.GetAttrKey("x"),), 1)]
    assert pytree.tree_map(lambda v: v + 1, Point(1)) == Point(2, None)
    pytree._deregister_pytree_node(Point)


def test_leaves_of_a_type():
    assert pytree.tree_map_only(int, lambda x: x + 1, [1, "a", 2.5]) == [2, "a", 2.5]
    assert pytree.tree_map_only((int, float), lambda x: x + 1, [1, "a", 2.5]) == [2, "a", 3.5]
    assert pytree.tree_map_only(lambda x: x == 1, lambda x: x + 1, [1, "a", 2.5]) == [2, "a", 2.5]
    assert pytree.tree_any_only(int, lambda x: x > 1, [1, 2, "a"]) and not pytree.tree_all_only(int, lambda x: x > 1, [1, 2, "a"])
    assert pytree.arg_tree_leaves(1, [2, 3], a={"x": 4}) == [1, 2, 3, 4]
    assert pytree.treespec_tuple([pytree.treespec_leaf()] * 2) == pytree.tree_structure((1, 2))
    assert pytree.treespec_dict({"a": pytree.treespec_leaf()}) == pytree.tree_structure({"a": 1})


def test_specs_as_text_and_results_with_names():
    import time

    from karat.utils import _pytree

    spec = _pytree.tree_flatten({"a": [1, 2], "b": (3, {"c": 4})})[1]
    text = _pytree.treespec_dumps(spec)
    assert text.startswith('[1, {"type": "builtins.dict", "context": "[\\"a\\", \\"b\\"]"')
    assert _pytree.treespec_loads(text) == spec
    found = karat.max(karat.ones(2, 2), 0)
    assert _pytree.is_structseq(found) and _pytree.is_structseq_class(type(found)) and not _pytree.is_structseq_instance((1,))
    assert _pytree.is_structseq_instance(time.localtime()) and not _pytree.is_structseq_class(found)
    with pytest.raises(TypeError, match="Expected `treespec` to be an instance of PyTreeSpec"):
        _pytree.treespec_dumps(3)
    with pytest.raises(ValueError, match="Unknown protocol 7"):
        _pytree.treespec_dumps(spec, 7)
    with pytest.raises(NotImplementedError, match="Deserializing nobodys in pytree is not registered"):
        _pytree.treespec_loads('[1, {"type": "nobodys", "context": "null", "children_spec": []}]')


class Colour(enum.Enum):
    RED = 1


@pytest.mark.parametrize("tree", [
    collections.OrderedDict(a=1, b=[2]), collections.defaultdict(list, {"a": 1}), collections.deque([1, 2], maxlen=3),
    collections.deque([1]), {Colour.RED: 1}, karat.Size([1, 2])], ids=lambda tree: type(tree).__name__)
def test_specs_of_all_pythons_nests_come_back_from_their_text(tree):
    spec = pytree.tree_structure(tree)
    again = pytree.treespec_loads(pytree.treespec_dumps(spec))
    assert again == spec
    leaves = pytree.tree_leaves(tree)
    assert pytree.tree_unflatten(leaves, again) == tree and type(pytree.tree_unflatten(leaves, again)) is type(tree)


def test_registered_classes_have_the_name_and_context_that_they_say():
    point = collections.namedtuple("Point", "x y")
    spec = pytree.tree_structure(point(1, 2))
    with pytest.raises(NotImplementedError, match="Please register using `_register_namedtuple`"):
        pytree.treespec_dumps(spec)
    pytree._register_namedtuple(point, serialized_type_name="tests.Point")
    assert '"context": "tests.Point"' in pytree.treespec_dumps(spec)
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec

    def registered(**how):
        cls = type("Box", (), {"__init__": lambda self, x: setattr(self, "x", x)})
        pytree.register_pytree_node(cls, lambda box: ([box.x], None), lambda values, context: cls(*values), **how)
        return pytree.tree_structure(cls(1))

    with pytest.raises(NotImplementedError, match="No registered serialization name for .*Box"):
        pytree.treespec_dumps(registered())
    with pytest.raises(ValueError, match="Both to_dumpable_context and from_dumpable_context for .* must be None or registered"):
        registered(serialized_type_name="Box1", to_dumpable_context=lambda context: "x")
    spec = registered(serialized_type_name="Box2", to_dumpable_context=lambda context: "how",
                      from_dumpable_context=lambda text: None)
    assert '"context": "how"' in pytree.treespec_dumps(spec) and pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
    spec = registered(serialized_type_name="Box3", to_dumpable_context=lambda context: int,
                      from_dumpable_context=lambda text: None)
    with pytest.raises(TypeError, match="Object of type type is not JSON serializable"):
        pytree.treespec_dumps(spec)
    with pytest.raises(TypeError, match="Please make the context json dump-able"):
        pytree.treespec_dumps(pytree.tree_structure({object(): 1}))


def test_results_with_names_keep_their_class():
    found = karat.tensor([[1.0, 2], [4, 3]]).max(1)
    twice = pytree.tree_map(lambda t: t * 2, found)
    assert type(twice) is type(found) and twice.values.tolist() == [4, 8] and twice.indices.tolist() == [2, 0]
    assert not pytree.is_structseq_class(type("Own", (tuple,), {"n_fields": 2, "n_sequence_fields": 2, "n_unnamed_fields": 0}))


def test_constants_are_part_of_the_spec():
    class Config:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return self.n == other.n

    with pytest.raises(TypeError, match="expects `cls` to have a non-default `__hash__`"):
        pytree.register_constant(Config)
    Config.__hash__ = lambda self: hash(self.n)
    pytree.register_constant(Config)
    leaves, spec = pytree.tree_flatten([Config(1), 2])
    assert leaves == [2] and spec == pytree.tree_structure([Config(1), 3]) != pytree.tree_structure([Config(2), 3])
    assert pytree.is_constant_class(Config) and pytree.tree_unflatten([5], spec) == [Config(1), 5]
    pytree._deregister_pytree_node(Config)
    assert not pytree.is_constant_class(Config) and len(pytree.tree_leaves([Config(1), 2])) == 2
    with pytest.raises(TypeError, match="expects `cls` to have a non-default `__eq__`"):
        pytree.register_constant(type("Plain", (), {}))


def test_fields_of_a_dataclass_are_named_all_or_dropped():
    @dataclasses.dataclass
    class Data:
        a: int
        b: int = 5

    with pytest.raises(ValueError, match="Missing fields in `field_names`: {'b'}"):
        pytree.register_dataclass(Data, field_names=["a"])
    with pytest.raises(ValueError, match="Unexpected fields in `field_names`: {'z'}"):
        pytree.register_dataclass(Data, field_names=["a", "b", "z"])
    pytree.register_dataclass(Data, field_names=["a"], drop_field_names=["b"])
    assert pytree.tree_map(lambda x: x + 1, Data(1, 2)) == Data(2, 5)
    with pytest.warns(UserWarning, match="Overwriting the previous registration"):
        pytree.register_dataclass(Data)
    assert pytree.tree_map(lambda x: x + 1, Data(1, 2)) == Data(2, 3)
    with pytest.raises(ValueError, match="field_names must be specified"):
        pytree.register_dataclass(type("Plain", (), {}))
