"""The command karat, which `python -m karat` and the console script of an installed package hand their words to."""

import json
import re
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.cpu_only("starts programs of its own"),
              pytest.mark.not_sanitized("starts the command for its texts")]


def karat(*words):
    return subprocess.run([sys.executable, "-m", "karat", *words], capture_output=True, text=True)


def test_one_command_knows_all():
    done = karat("--help")
    assert done.returncode == 0
    for word in ("demo", "doctor", "ops", "run"):
        assert f"karat {word}" in done.stdout
    assert karat("--version").stdout.startswith("karat 0.")
    done = karat("doctor")
    assert done.returncode == 0 and "KARAT_NUM_THREADS" in done.stdout and "kernels" in done.stdout
    assert re.search(r"^cuda  +none: (no|the) plugin libkarat_cuda.so|^cuda:0  +\S.* multiprocessors\n +CUDA", done.stdout, re.M)
    done = karat("doctor", "now")
    assert (done.returncode, done.stderr) == (2, "karat doctor takes no arguments\n")
    assert karat("demo").returncode == 0
    for part in ("doctor", "demo", "ops", "run"):
        for word in ("--help", "-h"):
            done = karat(part, word)
            assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith(f"usage: karat {part}")
    done = karat("nonsense")
    assert done.returncode == 2 and "unknown command 'nonsense'" in done.stderr
    done = karat("run", "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: karat run")


@pytest.mark.parametrize("name, row", [
    ("add", "add"), ("add_", "add"), ("kt_add", "add"), ("kt_add_s_", "add"), ("kt_add_out", "add"), ("kt_sum_kw", "sum"),
    ("torch.add", "add"),
    ("torch.Tensor.add_", "add"), ("Tensor.mul", "mul"), ("aten::mm", "mm"), ("cross_entropy", "nn_cross_entropy"),
    ("F.cross_entropy", "nn_cross_entropy"), ("nn.functional.cross_entropy", "nn_cross_entropy"),
    ("torch.nn.functional.cross_entropy", "nn_cross_entropy"), ("torch.linalg.norm", "linalg_norm"), ("F.gelu", "gelu"),
    ("torch.multiply", "mul"), ("torch.concat", "concat"), ("clip_", "clamp"), ("torch.unique", "unique"),
    ("index_put_", "index_put"),
    ("uniform_", "uniform"), ("resize_", "resize_"), ("torch.special.softmax", "special_softmax"), ("var", "var"),
    ("torch.special.expit", "sigmoid"), ("special.psi", "digamma"),
])
def test_operators_are_found_by_any_name(name, row):
    done = karat("ops", "--json", name)
    assert done.returncode == 0, done.stderr
    assert row in [one["name"] for one in json.loads(done.stdout)]


def test_overloads_come_together():
    names = [one["name"] for one in json.loads(karat("ops", "--json", "var").stdout)]
    assert names == ["var", "var_dim", "var_correction"]


def test_every_operator_says_what_it_takes_and_gives():
    shown = json.loads(karat("ops", "--json").stdout)
    whole = json.loads(karat("ops", "--json", "--internal").stdout)
    assert len(whole) > 530 and 0 < len(whole) - len(shown) < len(whole) / 5
    assert not any(one["internal"] for one in shown)
    assert not any(one["name"].endswith("_backward") for one in shown)
    for one in whole:
        for fact in ("takes", "gives", "derivative", "section", "doc", "schema", "python"):
            assert one[fact], (one["name"], fact)
    by_name = {one["name"]: one for one in whole}
    assert by_name["matmul"]["gives"] == "the dtype of the operands, which must be one"
    assert by_name["matmul"]["takes"] == "integers, floats, complex"
    assert by_name["zeros"]["gives"] == "dtype=, or the default dtype"
    assert by_name["add"]["derivative"] == "AddBackward0"


def test_json_of_names_that_are_not_all_there_is_json():
    done = karat("ops", "--json", "nosuch", "add", "nosuch", "sub")
    assert done.returncode == 1 and [one["name"] for one in json.loads(done.stdout)] == ["add", "sub"]


def test_the_reference_has_every_public_operator():
    whole = json.loads(karat("ops", "--json").stdout)
    text = karat("ops", "--markdown").stdout
    rows = [line for line in text.splitlines() if line.startswith("| `kt_")]
    assert len(rows) == len(whole)
    for row, one in zip(rows, whole):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        assert len(cells) == 6 and cells[0].startswith(f"`kt_{one['name']}"), row
        assert cells[1] == "`" + one["schema"].replace("|", "\\|") + "`"
        assert [re.sub(r"\\(.)", r"\1", cell) for cell in cells[2:5]] == [one["takes"], one["gives"], one["derivative"]]
    assert karat("ops", "--markdown", "add").returncode == 2


def test_a_wrong_name_has_near_ones():
    done = karat("ops", "torch.matmull")
    assert done.returncode == 1 and "unknown operator 'torch.matmull'; did you mean matmul" in done.stderr
    done = karat("ops", "--nonsense")
    assert done.returncode == 2 and "--nonsense" in done.stderr


def test_the_list_has_sections():
    text = karat("ops").stdout
    assert "\nmatrix products\n" in text and text.startswith("arithmetic\n") and "internal ones with --internal" in text
    text = karat("ops", "add").stdout
    for word in ("takes", "gives", "derivative", "kt_add_ (in place)", "kt_add_out"):
        assert word in text


def test_ops_tells_its_usage_and_the_name_that_was_meant():
    done = karat("ops", "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: karat ops") and not done.stderr
    done = karat("ops", "--unknown")
    assert done.returncode == 2 and "unknown option '--unknown'" in done.stderr and "usage: karat ops" in done.stderr
    done = karat("ops", "ADD")
    assert done.returncode == 1 and "unknown operator 'ADD'; did you mean add" in done.stderr


@pytest.mark.parametrize("value", ["abc", "0", "1025", "99999999999999999999999"])
def test_a_bad_variable_is_said(value):
    import os

    done = subprocess.run([sys.executable, "-c", "import karat"], capture_output=True, text=True,
                          env={**os.environ, "KARAT_NUM_THREADS": value})
    assert done.returncode == 0
    assert done.stderr == (f"karat: warning: KARAT_NUM_THREADS={value} is invalid and ignored: expected a number from 1 "
                           "to 1024\n")


def test_a_wrong_variable_is_said_once_by_run_and_by_each_child(tmp_path):
    import os

    program = tmp_path / "p.py"
    program.write_text("import sys, torch, subprocess\nif len(sys.argv) < 2:\n"
                       "    subprocess.run([sys.executable, __file__, 'child'], check=True)\n")
    done = subprocess.run([sys.executable, "-m", "karat", "run", str(program)], capture_output=True, text=True,
                          env={**os.environ, "KARAT_POLICY": "bogus"}, check=True)
    assert done.stderr.count("KARAT_POLICY=bogus is invalid") == 2


def test_an_unknown_variable_is_said():
    import os

    done = subprocess.run([sys.executable, "-c", "import karat"], capture_output=True, text=True,
                          env={**os.environ, "KARAT_POLCY": "strict"})
    assert done.returncode == 0
    assert done.stderr == "karat: warning: unknown variable KARAT_POLCY ignored; did you mean KARAT_POLICY\n"


@pytest.mark.parametrize("name, takes", [
    ("sub", "integers, floats, complex"), ("rsub", "integers, floats, complex"), ("inner", "integers, floats, complex")])
def test_ops_does_not_say_that_bools_are_taken_where_they_are_refused(name, takes):
    assert [one["takes"] for one in json.loads(karat("ops", "--json", name).stdout)] == [takes]
