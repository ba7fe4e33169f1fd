"""What each word runs, without running it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import ModuleType

import pytest


class Recorded:
    """The commands a verb ran, with the exit codes they are given."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.levels: list[str] = []
        self.codes: dict[str, int] = {}

    def code_of(self, command: list[str]) -> int:
        line = " ".join(command)
        return next((code for word, code in self.codes.items() if word in line), 0)

    def with_word(self, word: str) -> list[str]:
        return next(command for command in self.commands if word in command)


@pytest.fixture
def recorded(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    made = Recorded()

    def call(command: list[str], **_options: object) -> int:
        made.commands.append(command)
        return made.code_of(command)

    def run(command: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        made.commands.append(command)
        return subprocess.CompletedProcess(command, made.code_of(command), "")

    monkeypatch.setattr(dev.subprocess, "call", call)
    monkeypatch.setattr(dev.subprocess, "run", run)
    monkeypatch.setattr(dev.Venv, "ensure", lambda self, level: made.levels.append(level.name))
    for name in ("missing_qt_packages", "missing_font"):
        monkeypatch.setattr(dev, name, list)
    monkeypatch.setattr(dev, "missing_tools", dict)
    monkeypatch.setattr(dev, "display_trouble", lambda: "there is no display")
    monkeypatch.setattr(dev, "qt_trouble", lambda python: None)
    return made


def test_demo_without_a_display_runs_in_the_terminal(
    dev: ModuleType, recorded: Recorded, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.codes = {" run ": 3}  # dead letters left: what a demo is there to show
    assert dev.demo(dev.Venv(checkout), []) == 0
    assert recorded.levels == ["CORE"]
    run = recorded.with_word("run")
    data, out = Path(run[run.index("--data-dir") + 1]), Path(run[run.index("--out") + 1])
    assert data.is_dir()
    assert out.is_relative_to(data)
    assert run[run.index("--lane-column") + 1] == "customer"
    assert "--practice" in run
    said = capsys.readouterr().out
    assert "status" not in str(recorded.commands)  # `run` has said how it ended, and where
    assert str(out) not in said
    assert said.count(str(data)) == 1
    assert f"--data-dir '{data}'" in said
    dev.demo(dev.Venv(checkout), [])
    again = recorded.commands[-1]
    assert again[again.index("--data-dir") + 1] != str(data)


def test_demo_passes_a_real_failure_on(
    dev: ModuleType, recorded: Recorded, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.codes = {" run ": 1}
    assert dev.demo(dev.Venv(checkout), []) == 1
    assert "Window:" not in capsys.readouterr().out
    recorded.codes = {" run ": 4}
    assert dev.demo(dev.Venv(checkout), []) == 4
    assert "Window:" in capsys.readouterr().out


def test_demo_with_a_display_opens_the_window(
    dev: ModuleType, recorded: Recorded, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "display_trouble", lambda: None)
    assert dev.demo(dev.Venv(checkout), []) == 0
    assert recorded.levels == ["WINDOW"]
    (command,) = recorded.commands
    assert command[1:4] == ["-m", "desktop_app", "--data-dir"]
    assert command[-1] == "--demo"


def test_demo_whose_qt_fails_says_one_line_and_goes_on(
    dev: ModuleType,
    recorded: Recorded,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(dev, "display_trouble", lambda: None)
    monkeypatch.setattr(dev, "qt_trouble", lambda python: "could not connect")
    assert dev.demo(dev.Venv(checkout), []) == 0
    assert "No window here (could not connect); running in the terminal." in capsys.readouterr().out
    assert "run" in recorded.commands[0]


def test_run_passes_everything_on(dev: ModuleType, recorded: Recorded, checkout: Path) -> None:
    recorded.codes = {"status": 4}
    assert dev.run(dev.Venv(checkout), ["--json", "status", "--batch", "7"]) == 4
    assert recorded.commands[0][1:] == ["-m", "desktop_app", "--json", "status", "--batch", "7"]
    assert recorded.levels == ["CORE"]


def test_test_leaves_the_long_ones_to_all(
    dev: ModuleType, recorded: Recorded, checkout: Path
) -> None:
    assert dev.test(dev.Venv(checkout), ["tests/store", "-k", "lane"]) == 0
    quick = recorded.commands[-1]
    assert quick[quick.index("-m", 3) + 1] == "not long"
    assert quick[-3:] == ["tests/store", "-k", "lane"]
    assert not any("hypothesis" in word for word in quick)
    dev.test(dev.Venv(checkout), ["--all"])
    assert "not long" not in recorded.commands[-1]
    assert "--all" not in recorded.commands[-1]
    assert "--hypothesis-profile=search" in recorded.commands[-1]
    assert recorded.levels == ["ALL", "ALL"]


def test_test_without_root_runs_all_it_can_and_ends_with_3(
    dev: ModuleType,
    recorded: Recorded,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(dev, "missing_qt_packages", lambda: ["libegl1"])
    monkeypatch.setattr(dev, "missing_tools", lambda: {"Xvfb": "xvfb"})
    monkeypatch.setattr(dev, "apt_install", lambda packages: False)
    assert dev.test(dev.Venv(checkout), []) == 3
    assert "no:pytest-qt" in recorded.commands[-1]
    said = capsys.readouterr().out
    assert "missing libegl1, xvfb" in said
    assert "tests/ui" in said
    recorded.codes = {"pytest": 1}
    assert dev.test(dev.Venv(checkout), []) == 1


def test_lint_runs_every_check_even_after_a_failure(
    dev: ModuleType, recorded: Recorded, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.codes = {"format": 1, "mypy": 2}
    assert dev.lint(dev.Venv(checkout), []) == 1
    assert len(recorded.commands) == 4
    assert "Lint failed: ruff format, mypy" in capsys.readouterr().out
    recorded.codes = {}
    assert dev.lint(dev.Venv(checkout), []) == 0


def test_bench_by_name_and_all(
    dev: ModuleType, recorded: Recorded, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = checkout / "tests" / "bench"
    folder.mkdir(parents=True)
    for name in ("makespan.py", "import_speed.py", "__init__.py", "_shared.py"):
        (folder / name).touch()
    venv = dev.Venv(checkout)
    assert dev.bench(venv, ["makespan", "--scale", "60"]) == 0
    assert recorded.commands[-1][1:] == ["-m", "tests.bench.makespan", "--scale", "60"]
    assert dev.bench(venv, []) == 0
    assert [command[2] for command in recorded.commands[1:]] == [
        "tests.bench.import_speed",
        "tests.bench.makespan",
    ]
    assert dev.bench(venv, ["nothing"]) == 2
    assert "import_speed, makespan" in capsys.readouterr().out
    recorded.codes = {"import_speed": 1}
    ran = len(recorded.commands)
    assert dev.bench(venv, []) == 1
    assert len(recorded.commands) == ran + 2, "one that fails ends the run of the others"
    assert "Benches that failed: import_speed" in capsys.readouterr().out


def test_words_there_are_not(dev: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main([]) == 2
    assert dev.main(["nonsense"]) == 2
    assert dev.main(["--help"]) == 0
    assert "python3 dev.py demo" in capsys.readouterr().out


def test_trouble_is_one_sentence(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(venv: object, arguments: list[str]) -> int:
        raise dev.SetupTrouble("do this")

    monkeypatch.setitem(dev.VERBS, "lint", stop)
    assert dev.main(["lint"]) == 1
    assert capsys.readouterr().out == "do this\n"
