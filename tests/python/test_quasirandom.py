"""SobolEngine: its points, scrambled and not, against PyTorch's and against what a Sobol sequence is."""

import pytest

import karat
from karat.quasirandom import SobolEngine


def test_first_points_are_those_of_the_sequence():
    assert SobolEngine(2).draw(4).tolist() == [[0, 0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    assert SobolEngine(3).draw(5)[4].tolist() == [0.375, 0.375, 0.625]


@pytest.mark.parametrize("dimension", [1, 7, 300, SobolEngine.MAXDIM])
def test_every_dimension_is_balanced(dimension):
    points = SobolEngine(dimension).draw_base2(6)
    for one in points.t()[:: max(1, dimension // 20)]:  # each interval of 1/64 has one point
        assert sorted((one * 64).long().tolist()) == list(range(64))


def test_scrambled_points_of_a_seed():
    engine = SobolEngine(3, scramble=True, seed=1)
    assert engine.shift.tolist() == [287468019, 388430972, 764873974]  # observed: PyTorch 2.11
    assert engine.sobolstate[0, :3].tolist() == [699466964, 415565209, 228163850]
    points = engine.draw_base2(5)
    assert sorted((points[:, 1] * 32).long().tolist()) == list(range(32))
    assert karat.equal(SobolEngine(3, scramble=True, seed=1).draw(32), points)


def test_seedless_scrambling_follows_the_default_generator():
    karat.manual_seed(5)
    one = SobolEngine(4, scramble=True).draw(3)
    karat.manual_seed(5)
    assert karat.equal(SobolEngine(4, scramble=True).draw(3), one)


def test_drawing_in_parts_going_on_and_going_back():
    whole, engine = SobolEngine(5, scramble=True, seed=3).draw(20), SobolEngine(5, scramble=True, seed=3)
    parts = karat.cat([engine.draw(), engine.draw(6), engine.draw(0), engine.draw(13)])
    assert karat.equal(parts, whole) and engine.num_generated == 20
    assert karat.equal(engine.reset().fast_forward(7).draw(2), whole[7:9])
    out = karat.empty(0, device="cpu")  # where the points are
    assert engine.draw(2, out=out) is out and karat.equal(out, whole[9:11])
    assert SobolEngine(2).draw(2, dtype=karat.float64).dtype is karat.float64


def test_wrong_dimensions_and_counts():
    for dimension in (0, -1, 21202):
        with pytest.raises(ValueError, match=r"Supported range of dimensionality for SobolEngine is \[1, 21201\]"):
            SobolEngine(dimension)
    engine = SobolEngine(2)
    engine.draw(3)
    with pytest.raises(ValueError, match=r"3 points have been previously generated, then: n=3\+2\*\*2=7"):
        engine.draw_base2(2)
    with pytest.raises(ValueError, match="must not be negative"):
        engine.draw(-1)


@pytest.mark.parametrize("scramble", [False, True])
def test_after_the_last_bit_the_points_come_again(scramble):
    last = 2**30
    engine = SobolEngine(3, scramble=scramble, seed=5).fast_forward(last - 1)
    drawn = engine.draw(3)
    assert engine.num_generated == last + 2
    assert drawn[1].tolist() == drawn[0].tolist()  # one bit of the Gray code changes, and there is no number for it
    assert ((drawn >= 0) & (drawn < 1)).all()
