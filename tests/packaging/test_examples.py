"""The shipped examples fail, in torch and under lintgrad, as examples/README.md says."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

from lintgrad.cli import main

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture
def examples(root: Path) -> Path:
    return root / "examples"


@pytest.mark.parametrize("name", ["two_heads.py", "char_rnn.py"])
def test_torch_refuses_a_second_backward(examples: Path, name: str) -> None:
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        runpy.run_path(str(examples / name), run_name="__main__")


def test_the_trainer_never_changes_its_model(examples: Path) -> None:
    program = runpy.run_path(str(examples / "trainer.py"))
    model = program["Classifier"]()
    before = [parameter.clone() for parameter in model.parameters()]

    program["Trainer"](model, torch.utils.data.DataLoader(program["make_data"](), batch_size=32)).fit(
        epochs=1
    )

    assert all(map(torch.equal, before, model.parameters()))


def generator_gradient(program: str) -> object:
    """The gradient in the generator's first layer after one step of the GAN."""
    names: dict[str, object] = {"__name__": "gan"}
    exec(compile(program, "gan.py", "exec"), names)
    made = names["Generator"]()  # type: ignore[operator]
    names["Generator"] = lambda: made
    torch.manual_seed(0)
    names["train"](steps=1)  # type: ignore[operator]
    return made.net[0].weight.grad


def test_the_gans_generator_gets_gradients_of_the_discriminators_loss(examples: Path) -> None:
    program = (examples / "gan.py").read_text(encoding="utf-8")
    cured = program.replace("discriminator(fake), fake_label", "discriminator(fake.detach()), fake_label")

    assert cured != program
    torch.manual_seed(0)
    faulty = generator_gradient(program)
    torch.manual_seed(0)
    assert not torch.allclose(faulty, generator_gradient(cured))


def test_the_clean_program_learns(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(examples / "clean.py"), run_name="__main__")

    losses = [float(loss) for loss in re.findall(r"loss (\d+\.\d+)", capsys.readouterr().out)]
    assert losses[-1] < losses[0] / 2


def test_every_finding_is_confirmed(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    main(["verify", "--isolated", "--format", "json", "examples"])

    found = json.loads(capsys.readouterr().out)["diagnostics"]
    assert [(d["code"], d["verification"]["verdict"]) for d in found] == [
        ("LG105", "confirmed"),
        ("LG301", "confirmed"),
        ("LG302", "confirmed"),
        ("LG101", "confirmed"),
    ]
