"""Policies as scopes: what each rung accepts, nesting, threads, the process default."""

import os
import subprocess
import sys

import pytest

import karat


def test_names_and_nesting():
    assert karat.get_policy() == "torch"
    with karat.policy("strict"):
        assert karat.get_policy() == "strict"
        with karat.policy("permissive"):
            assert karat.get_policy() == "permissive"
        assert karat.get_policy() == "strict"
    assert karat.get_policy() == "torch"


def test_an_exception_puts_the_policy_back():
    with pytest.raises(KeyError):
        with karat.policy("safe"):
            raise KeyError
    assert karat.get_policy() == "torch"


def test_unknown():
    with pytest.raises(ValueError, match="policy must be .* not 'loose'"):
        karat.policy("loose")
    assert karat.get_policy() == "torch"


def test_a_scope_may_be_entered_again():
    strict = karat.policy("strict")
    with strict:
        with strict:
            pass
        assert karat.get_policy() == "strict"
    assert karat.get_policy() == "torch"


def test_the_ladder():
    a, b = karat.ones(2), karat.arange(2)
    h = karat.ones(2, 2).half()
    with karat.policy("strict"):
        with pytest.raises((RuntimeError, TypeError)):
            a + b
        assert (a + 1.5).dtype is karat.float32  # numbers stay weak
        assert b.to(karat.float32).dtype is karat.float32  # asked for
    with karat.policy("safe"):
        with pytest.raises((RuntimeError, TypeError)):
            a + b
        assert (a + karat.ones(2).half()).dtype is karat.float32
    assert (a + b).dtype is karat.float32
    with karat.policy("permissive"):
        assert (karat.ones(2, 2) @ h).dtype is karat.float32


def test_as_a_decorator():
    @karat.policy("strict")
    def inside():
        return karat.get_policy()

    assert inside() == "strict" and karat.get_policy() == "torch"


def test_the_process_default():
    script = "import karat; print(karat.get_policy())"
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "KARAT_POLICY": "safe"}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "safe", done.stderr


def test_version():
    assert karat.__version__.count(".") == 2
    assert isinstance(karat._karat.isa, str)
