"""syntax.py - what is wrong with a schema that a user wrote, in PyTorch's words and at its place. The engine's reader
(src/tables/schema.h) takes what is left."""

import re

_TOKEN = re.compile(r"\s*(?:(?P<number>\d[\w.]*(?:(?<=e)[+-]\d+)?j?)|(?P<ident>[A-Za-z_]\w*)|(?P<string>\"[^\"]*\"|'[^']*')|"
                    r"(?P<arrow>->)|(?P<dots>\.\.\.)|(?P<sign>[-+()\[\]{}:,.?!*=|@<>/%^&~])|(?P<other>\S))")
_KINDS = {"dots": "..."}
_TYPES = frozenset("""Tensor SymInt int float bool Scalar number str Device ScalarType Layout MemoryFormat Generator Stream
    Storage QScheme complex Dimname DimVector Any AnyEnumType NoneType Dict Future Await RRef Union Quantizer ConstQuantizerPtr
    SymBool SymFloat DeviceObjType PyObject AnyClassType __torch__""".split())


class _Reader:
    """The tokens of a schema, one after another."""

    def __init__(self, text):
        self.text, self.tokens = text, []
        at = 0
        while at < len(text) and text[at:].strip():
            found = _TOKEN.match(text, at)
            kind = found.lastgroup
            start, at = found.span(kind)
            said = found.group(kind)
            if kind == "other":
                self.fail(f"expected a valid token but found '{said}' here:", start, 1)
            self.tokens.append((said if kind == "sign" else _KINDS.get(kind, kind), said, start))
        self.tokens.append(("eof", "", len(text)))
        self.place = 0

    def fail(self, words, start, size):
        pointer = f"\n{' ' * start}{'~' * size} <--- HERE\n" if start < len(self.text) else ""
        raise RuntimeError(f"{words}\n{self.text}{pointer}")

    @property
    def kind(self):
        return self.tokens[self.place][0]

    def take(self):
        self.place += 1
        return self.tokens[self.place - 1]

    def takes(self, kind):
        """Is the next token of that kind? Then it is passed."""
        if self.kind != kind:
            return False
        self.place += 1
        return True

    def expect(self, kind, instead=None):
        found, said, start = self.tokens[self.place]
        if found != kind:
            self.fail(f"expected {instead or kind} but found '{found}' here:", start, len(said))
        return self.take()

    # ---- the grammar ----

    def schema(self):
        if self.kind != "ident":
            self.expect("ident")
        self.take()
        if self.takes(":"):
            self.expect(":")
            self.expect("ident")
        if self.takes("."):
            self.expect("ident")
        if self.kind == "eof":
            raise RuntimeError("Tried to parse a function schema but only the operator name was given")
        if self.kind != "(":
            self.expect("eof")
        self.listed(self.argument)
        self.expect("arrow")
        if self.kind == "(":
            self.listed(self.result)
        else:
            self.result()
        self.expect("eof")

    def listed(self, one):
        self.expect("(")
        if self.takes(")"):
            return
        one()
        while self.takes(","):
            one()
        self.expect(")")

    def argument(self):
        if self.takes("*") or self.takes("..."):
            return
        name, unsized = self.type()
        self.expect("ident")
        if self.takes("="):
            self.default(name, unsized)

    def result(self):
        if not self.takes("..."):
            self.type()
            self.takes("ident")

    def type(self):
        """(the name of a type that takes no number as its default, is it a list without a length?)"""
        if self.kind == "(":
            self.listed(self.type)
            return None, False
        _, name, start = self.expect("ident")
        if name not in _TYPES:
            self.fail("\nunknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar; for "
                      "a full list, please see "
                      "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func :",
                      start, len(name))
        if self.kind == "(":
            self.listed(self.type) if name in ("Dict", "Union") else self.alias()
        else:
            self.takes("!")
        unsized = False
        while self.kind in ("?", "["):
            if self.takes("?"):
                name, unsized = None, False
            elif self.take() and not self.takes("]"):
                self.expect("number")
                self.expect("]")
            else:
                name, unsized = None, True
        return name, unsized

    def alias(self):
        self.expect("(")
        self.names()
        self.takes("!")
        if self.takes("arrow"):
            self.names()
        self.expect(")")

    def names(self):
        if self.takes("*"):
            return
        self.expect("ident")
        while self.takes("|"):
            self.expect("ident")

    def default(self, name, unsized):
        if name == "Tensor" and self.tokens[self.place][1] != "None":
            self.expect("None")
        if unsized and self.kind != "ident":
            self.expect("[") and self.numbers()
        elif self.takes("["):
            self.numbers()
        else:
            self.number(name)

    def numbers(self):
        if self.takes("]"):
            return
        self.number(None)
        while self.takes(","):
            self.number(None)
        self.expect("]")

    def number(self, name):
        if self.takes("string"):
            return
        if self.kind == "ident":
            said = self.take()[1]
            if said in ("None", "True", "False", "Mean", "contiguous_format", "strided") or name in ("ScalarType", "Layout"):
                return
            self.fail("\ninvalid numeric default value:", self.tokens[self.place][2], len(self.tokens[self.place][1]))
        self.takes("-")
        self.expect("number")


class Parts(_Reader):
    """A schema in parts: its name, and arguments and results as the engine's reader gives them, of any type that PyTorch has."""

    def __init__(self, text):
        super().__init__(text)
        self.name = text.partition("(")[0].strip()
        self.arguments, self.returns, self.keyword = [], [], False
        self.schema()

    def said(self, start):
        """The text from a place to the next token."""
        return re.sub(r"\s+", " ", self.text[start:self.tokens[self.place][2]].strip())

    def typed(self):
        start = self.tokens[self.place][2]
        kind = self.type()
        said = self.said(start)
        alias = re.match(r"Tensor\(([^)]*)\)", said)
        return said, alias and alias[1], kind

    def argument(self):
        if self.takes("*"):
            self.keyword = True
            return
        said, alias, kind = self.typed()
        name, value = self.expect("ident")[1], None
        if self.takes("="):
            start = self.tokens[self.place][2]
            self.default(*kind)
            value = self.said(start)
        self.arguments.append((said, name, value, self.keyword, alias))

    def result(self):
        said, alias, _ = self.typed()
        name = self.take()[1] if self.kind == "ident" else ""
        self.returns.append((said, name, None, False, alias))


def check(text):
    """RuntimeError: PyTorch could not read the schema."""
    _Reader(text).schema()


def named(text):
    """The schema with a name for each alias that has none: "Tensor!" is "Tensor($0! -> )", as PyTorch prints it."""
    count = iter(range(text.count("!")))
    return re.sub(r"\bTensor!", lambda found: f"Tensor(${next(count)}! -> )", text)
