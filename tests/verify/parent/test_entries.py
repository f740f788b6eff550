"""Where a run may enter a file, and what is said of the names there."""

from __future__ import annotations

import textwrap

import pytest

from lintgrad.diagnostics import Site
from lintgrad.lowering import lower
from lintgrad.source import Problem, SourceFile, parse, spans
from lintgrad.verify.entries import entries
from lintgrad.verify.kinds import kind_of
from lintgrad.verify.protocol import Entry


def found(text: str, *lines: int) -> tuple[Entry, ...]:
    text = textwrap.dedent(text).lstrip("\n")
    source = SourceFile("a.py", text.encode(), text, "utf-8")
    tree = parse(source)
    assert not isinstance(tree, Problem)
    module = lower("a.py", tree)
    sites = {function: Site("a.py", function.origin) for function in module.functions}
    where = spans(source, [site.origin for site in sites.values()])
    return entries(
        text, lines, module, {function: where[id(site.origin)].line for function, site in sites.items()}
    )


TRAINER = """
    class Trainer:
        def loss(self, batch):
            out = self.model(batch)
            return self.criterion(out, batch)

        @timed
        def fit(self, loader: DataLoader, epochs: int):
            def once(batch):
                self.loss(batch).backward()

            for batch in loader:
                self.optimizer.zero_grad()
                once(batch)
                self.optimizer.step()

    def main(args):
        Trainer().fit(args.data)
"""


def test_a_finding_in_a_method_enters_it_and_then_its_callers() -> None:
    assert [(e.function, e.line) for e in found(TRAINER, 12)] == [("Trainer.fit", 7), ("main", 16)]


def test_a_finding_in_a_nested_function_enters_the_one_around() -> None:
    assert [e.function for e in found(TRAINER, 9)] == ["Trainer.fit", "main"]


def test_a_helper_is_entered_through_the_one_that_trains() -> None:
    assert [e.function for e in found(TRAINER, 3)] == ["Trainer.fit", "Trainer.loss"]


def test_each_entry_is_named_once() -> None:
    assert [e.function for e in found(TRAINER, 9, 12, 3)] == ["Trainer.fit", "main", "Trainer.loss"]


def test_kinds_come_from_annotations_and_uses() -> None:
    kinds = found(TRAINER, 12)[0].kinds
    assert kinds["loader"] == "loader"
    assert kinds["epochs"] == "number"
    assert kinds["self.optimizer"] == "optimizer"


def test_a_finding_at_module_level_enters_the_outermost_loop() -> None:
    text = """
        if __name__ == "__main__":
            for epoch in range(3):
                for x in loader:
                    optimizer.step()
            done()
    """
    assert [(e.function, e.line) for e in found(text, 4)] == [("", 2)]
    assert found(text, 5) == ()


def test_a_layer_is_entered_where_its_model_is_made() -> None:
    text = """
        class Net(nn.Module):
            def forward(self, x):
                return self.act(x)

        def train():
            Net()(x).backward()
    """
    assert [e.function for e in found(text, 3)] == ["train", "Net.forward"]


@pytest.mark.parametrize(
    ("place", "words", "kind"),
    [
        ("thing", "step zero_grad", "optimizer"),
        ("sched", "step", "scheduler"),
        ("lr_scheduler", "step zero_grad", "scheduler"),
        ("self.x", "scale step update unscale_", "scaler"),
        ("net", "parameters () train", "module"),
        ("self.model", "()", "module"),
        ("model", "items", ""),
        ("train_loader", "for", "loader"),
        ("train_loader", "dataset", ""),
        ("criterion", "()", "criterion"),
        ("loss", "backward item", "tensor"),
        ("x", "shape", "tensor"),
        ("args", "lr", "config"),
        ("device", "type", "device"),
        ("thing", "", ""),
    ],
)
def test_kinds_by_use(place: str, words: str, kind: str) -> None:
    assert kind_of(place, frozenset(words.split())) == kind
