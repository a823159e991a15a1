"""A device with generators of its own in Python: the mirror under MIRROR_DRAWS, which it reads when it is opened. So each test
is a program in a process of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import karat

BACKENDS = Path(karat.__file__).parents[2] / "backends"

BEGIN = """
import copy, pickle, warnings
import karat
from karat._karat import default_generator_of
def raises(text, call):
    try:
        call()
    except Exception as e:
        assert text in str(e), e
        return type(e)
    raise AssertionError("no error: " + text)
warnings.simplefilter("ignore")
karat.manual_seed(42)  # before the device is found
"""


def run(program):
    environment = dict(os.environ, MIRROR_DRAWS="1", KARAT_BACKEND_PATH=str(BACKENDS))
    program = BEGIN + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_numbers_and_seeds():
    run("""
        # PyTorch 2.11 on a GPU gives these for seed 42
        first = [float.fromhex(x) for x in ("0x1.39d5e0p-1", "0x1.499bb4p-7", "0x1.97f9c2p-2", "0x1.4a34d6p-5")]
        assert karat.rand(4, device="mirror").tolist() == first
        karat.manual_seed(42)
        assert karat.rand(4, device="mirror").tolist() == first
        assert karat.randint(0, 1000, (4,), device="mirror").tolist() != karat.randint(0, 1000, (4,), device="mirror").tolist()
        karat.default_generator.manual_seed(42)  # the CPU's alone
        assert karat.rand(4, device="mirror").tolist() != first
        seed = karat.seed()
        assert default_generator_of("mirror:1").initial_seed() == seed == karat.initial_seed()
        here = karat.get_rng_state()
        karat.nn.functional.dropout(karat.ones(100, device="mirror"), 0.5)
        assert karat.equal(karat.get_rng_state(), here)
        """)


def test_generators():
    run("""
        g = karat.Generator(device="mirror")
        assert g.device.type == "mirror" and g.initial_seed() == 67280421310721 and g.get_offset() == 0
        assert g.manual_seed(3) is g and g.get_state().tolist() == [3] + 15 * [0]
        a = karat.rand(4, device="mirror", generator=g)
        assert g.get_offset() == 4 and g.get_state().tolist()[8] == 4
        twins = [g.clone_state(), copy.copy(g), pickle.loads(pickle.dumps(g))]
        b = karat.rand(4, device="mirror", generator=g).tolist()
        assert a.tolist() != b
        for twin in twins:
            assert twin.device.type == "mirror" and karat.rand(4, device="mirror", generator=twin).tolist() == b
        assert g.set_offset(0) is g and karat.rand(4, device="mirror", generator=g).tolist() == a.tolist()
        assert g.set_offset(-4) is g and g.get_offset() == 2**64 - 4
        assert raises("offset must be a multiple of 4", lambda: g.set_offset(3)) is RuntimeError
        assert raises("manual_offset expected a long, but got float", lambda: g.set_offset(1.5)) is RuntimeError
        assert raises("RNG state is wrong size", lambda: g.set_state(karat.zeros(5, dtype=karat.uint8))) is RuntimeError
        assert raises("CPU Generator does not use offset", karat.Generator().get_offset) is RuntimeError
        assert raises("CPU Generator does not use offset", lambda: karat.Generator().set_offset(4)) is RuntimeError
        assert raises("size 5056 but found the input RNG state size to be 16",
                      lambda: karat.Generator().set_state(g.get_state())) is RuntimeError
        g.seed()
        assert g.get_offset() == 0
        own = default_generator_of("mirror")
        assert own is default_generator_of("mirror:0") and own is not default_generator_of("mirror:1")
        del own  # the object, not the device's generator
        karat.rand(4, device="mirror", generator=default_generator_of("mirror"))
        assert default_generator_of("mirror").get_offset() == 4 and default_generator_of("cpu") is karat.default_generator
        """)


def test_a_generator_of_another_device_is_refused():
    run("""
        g, cpu = karat.Generator("mirror"), karat.Generator()
        for call in (lambda: karat.rand(2, device="mirror", generator=cpu),
                     lambda: karat.empty(2, device="mirror").normal_(generator=cpu),
                     lambda: karat.multinomial(karat.ones(3, device="mirror"), 2, generator=cpu)):
            assert raises("Expected a 'mirror' device type for generator but found 'cpu'", call) is RuntimeError
        assert raises("Expected a 'cpu' device type for generator but found 'mirror'",
                      lambda: karat.rand(2, generator=g)) is RuntimeError
        """)


def test_a_module_of_the_device_has_its_generators():
    run("""
        mirror = karat._device.make("mirror")
        assert mirror.initial_seed() == 42 and mirror.default_generators[0] is mirror.default_generators[0]
        mirror.manual_seed(7)
        assert mirror.default_generators[0].initial_seed() == 7 and mirror.default_generators[1].initial_seed() == 42
        state, before = mirror.get_rng_state(), karat.rand(3, device="mirror").tolist()
        assert state.tolist() == [7] + 15 * [0] and mirror.get_rng_state().tolist()[8] == 4
        with karat.random.fork_rng(device_type="mirror"):
            karat.randn(3, device="mirror")
        assert mirror.get_rng_state().tolist()[8] == 4
        mirror.set_rng_state(state)
        assert karat.rand(3, device="mirror").tolist() == before
        """)


def test_each_replay_draws_anew():
    run("""
        mirror = karat._device.make("mirror")
        x = karat.ones(8, device="mirror")
        g = mirror.CUDAGraph()
        with mirror.graph(g):
            y = karat.rand_like(x)
            z = karat.nn.functional.dropout(y, 0.5)
            error = raises("normal cannot be captured: device 'mirror' has no kernel 'normal'", x.normal_)
        assert error is RuntimeError and default_generator_of("mirror").get_offset() == 0
        seen = []
        for _ in range(3):
            g.replay()
            mirror.synchronize()
            seen.append(tuple(y.tolist()))
            assert set((z / y).tolist()) <= {0.0, 2.0}
        assert len(set(seen)) == 3 and default_generator_of("mirror").get_offset() == 3 * 8
        karat.manual_seed(42)
        assert tuple(karat.rand(8, device="mirror").tolist()) == seen[0]
        """)
