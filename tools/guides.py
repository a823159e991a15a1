"""guides.py - runs the programs of README.md, CHANGELOG.md and docs/*.md, and compares what they print with what the text shows.

    python tools/guides.py BUILD              says which blocks differ; exit status 1 if any does
    python tools/guides.py BUILD --write      puts what was printed into the text instead

Three kinds of fenced blocks are programs:
- `python`, first line `# name.py`: run as `karat run name.py` in an empty folder;
- `c`, first line `/* name.c */`: compiled against the built library, then run;
- `console`: each line after `$ ` is a shell command with `karat` on its PATH; the lines below it are its output.
The `text` block that follows a program is what it prints; of a traceback it shows the part from the exception's name on.
Blocks with another first line are fragments and are not run.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
TRACEBACK = re.compile(r"^Traceback \(most recent call last\):\n(?:^[ ].*\n)+", re.M)


class Runner:
    def __init__(self, build):
        self.build = Path(build).resolve()
        self.environment = dict(os.environ, PATH=f"{self.build}/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="80",
                                LD_LIBRARY_PATH=str(self.build / "lib"), PYTHONDONTWRITEBYTECODE="1")
        for name in [name for name in self.environment if name.startswith("KARAT_")]:
            del self.environment[name]

    def command(self, words, folder, **options):
        done = subprocess.run(words, cwd=folder, env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, **options)
        return TRACEBACK.sub("", done.stdout)

    def python(self, name, text, folder):
        Path(folder, name).write_text(text)
        return self.command([self.build / "bin" / "karat", "run", name], folder)

    def c(self, name, text, folder):
        Path(folder, name).write_text(text)
        built = self.command(["cc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include",
                              f"-I{self.build}/generated/include", name, f"-L{self.build}/lib", "-lkarat", "-lm",
                              "-o", "program"], folder)
        return self.command(["./program"], folder) if Path(folder, "program").exists() else built

    def console(self, text, folder):
        printed = []
        for line in text.splitlines():
            if line.startswith("$ "):
                printed += [line, self.command(line[2:], folder, shell=True).rstrip("\n")]
        return "\n".join(one for one in printed if one) + "\n"


def named(language, text):
    """The file name in a program's first line; None for a fragment."""
    comment = {"python": r"# (\w+\.py)\n", "c": r"/\* (\w+\.c) \*/\n"}.get(language)
    found = comment and re.match(comment, text)
    return found and found[1]


def differences(path, runner):
    """(line, shown, printed) for each program of a document whose output is not what the document shows."""
    document = path.read_text()
    blocks = list(FENCE.finditer(document))
    for block, following in zip(blocks, blocks[1:] + [None]):
        language, text = block[1], block[2]
        name = named(language, text)
        with tempfile.TemporaryDirectory() as folder:
            if language == "console":
                shown, printed, place = text, runner.console(text, folder), block
            elif name and following and following[1] == "text":
                shown, printed, place = following[2], getattr(runner, language)(name, text, folder), following
            elif name:
                shown, printed, place = "", getattr(runner, language)(name, text, folder), None
            else:
                continue
        if printed.rstrip() != shown.rstrip():
            yield document.count("\n", 0, block.start()) + 1, shown, printed, place


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def main(build, *options):
    runner, wrong = Runner(build), 0
    for path in documents():
        found = list(differences(path, runner))
        if "--write" in options:
            document = path.read_text()
            for _, _, printed, place in reversed(found):
                if place:
                    document = document[: place.start(2)] + printed.rstrip() + "\n" + document[place.end(2) :]
            path.write_text(document)
        for line, shown, printed, _ in found:
            wrong += 1
            print(f"{path.relative_to(ROOT)}:{line}: shows\n{shown}prints\n{printed}")
    return 1 if wrong and "--write" not in options else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
