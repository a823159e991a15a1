"""The programs in README.md and docs/ print what the text beside them shows."""

import os
import sys
from pathlib import Path

import karat
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import guides  # noqa: E402

build = Path(os.path.dirname(karat.__file__)).parents[1]


@pytest.mark.skipif(not (build / "bin" / "karat").exists(), reason="an installed package: the programs need the build's folder")
@pytest.mark.parametrize("path", guides.documents(), ids=lambda path: path.name)
def test_programs_print_what_the_text_shows(path):
    assert [found[:3] for found in guides.differences(path, guides.Runner(build))] == []


def test_a_program_that_prints_something_else_is_found(tmp_path):
    document = tmp_path / "guide.md"
    document.write_text("```python\n# one.py\nprint(1)\n```\n\n```text\n2\n```\n\n```python\nprint('a fragment')\n```\n")

    class Fake:
        def python(self, name, text, folder):
            return "1\n"

    assert [found[:3] for found in guides.differences(document, Fake())] == [(1, "2\n", "1\n")]


@pytest.mark.skipif(not (build / "bin" / "karat").exists(), reason="an installed package has no command karat doctor beside it")
def test_every_environment_variable_stands_in_its_guide():
    printed = guides.Runner(build).command([build / "bin" / "karat", "doctor"], build)
    variables = {line.split()[0] for line in printed.splitlines() if line.startswith("KARAT_")}
    guide = (guides.ROOT / "docs" / "environment.md").read_text()
    assert variables and {name for name in variables if f"`{name}`" not in guide} == set()


def test_links_between_documents_lead_somewhere():
    import re

    missing = []
    for path in [*guides.documents(), guides.ROOT / "examples" / "README.md", *guides.ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            if not (path.parent / target).exists():
                missing.append((path.name, target))
    assert missing == []


def test_what_the_guide_shows_of_the_source_stands_there():
    """Blocks of docs/one_operator.md that show hypot and glu, which exist; the others show what a reader adds."""
    folders = [guides.ROOT / "src" / name for name in ("tables", "grad", "ops")]
    source = " ".join(" ".join(p.read_text().split()) for folder in folders for p in folder.rglob("*.[cd]*"))
    text = (guides.ROOT / "docs" / "one_operator.md").read_text()
    blocks = [" ".join(block.split()) for block in text.split("\n\n") if block.startswith("    ")]
    shown = [block for block in blocks if "hypot" in block or "glu" in block]
    assert len(shown) >= 6 and [block for block in shown if block not in source] == []
