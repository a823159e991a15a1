"""torch.utils._pytree: nests as leaves with the way to each of them."""

import collections
import dataclasses

import pytest

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

    import karat
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
    ordered = _pytree.tree_flatten(collections.OrderedDict(a=1))[1]
    assert _pytree.treespec_loads(_pytree.treespec_dumps(ordered)) == ordered
