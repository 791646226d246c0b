"""The runner of the fuzzer, without the fuzzer: what it counts, and what it makes of an input."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.fuzz import corpora, run
from tests.fuzz.plants import is_seen
from tests.fuzz.run import Done, Fuzzer, Log, again, main
from tests.fuzz.worker import Statistics, dictionary

from trente_rules.records import files


def test_a_run_that_was_cut_continues_and_one_of_other_code_does_not(tmp_path: Path) -> None:
    """What was done is counted once; what was done with other code counts no more."""
    about = {"code": "a"}
    log = Log(tmp_path / "done.json", about, resume=True)
    done = log.done("saves")
    done.seconds, done.words = 7.0, {"accepted, dealt": 2, "refused bad-session": 5}
    log.write(done)
    assert Log(log.path, about, resume=True).done("saves") == done
    assert Log(log.path, about, resume=True).done("saves").accepted == 2
    assert Log(log.path, {"code": "b"}, resume=True).done("saves") == Done("saves")
    assert Log(log.path, about, resume=False).done("saves") == Done("saves")


def test_an_input_is_given_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the word that the target says of it; what a target raises leaves."""
    monkeypatch.setattr(corpora, "HERE", tmp_path)
    path = tmp_path / "input"
    path.write_text("schema = 1\n")
    assert main(["record-files", "--input", str(path), "--found"]) == 0
    assert [*corpora.kept("record-files", "found")] == [b"schema = 1\n"]

    def broken(*_given: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr(files, "read_table", broken)
    with pytest.raises(KeyError, match="planted"):
        again("record-files", path)


def test_what_a_machine_was_too_busy_for_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hang has to repeat; a broken promise counts in any case."""
    artifacts = tmp_path / "artifacts"
    artifacts.mkdir()
    monkeypatch.setattr(Fuzzer, "_again", lambda *_given: (0, ""))
    fuzzer, done = Fuzzer(tmp_path, 1), Done("saves")
    for name in ("libfuzzer-timeout-1", "libfuzzer-oom-2", "libfuzzer-slow-unit-3", "crash-4"):
        (artifacts / name).write_bytes(b"{}")
        fuzzer._judge(done, artifacts / name, "Traceback\nKeyError: 'a'\n")
    assert done.unsure == 2
    assert done.failures == ["crash: not alone: KeyError: 'a'"]
    monkeypatch.setattr(Fuzzer, "_again", lambda *_given: (1, "it takes more than 2 s"))
    fuzzer._judge(done, artifacts / "libfuzzer-timeout-1", "")
    assert done.failures[1:] == ["timeout: it takes more than 2 s"]
    kept = {path.name for path in (tmp_path / "failures/saves").iterdir()}
    assert kept == {"crash-4", "libfuzzer-timeout-1"}


def test_words_are_counted_in_a_file(tmp_path: Path) -> None:
    """LibFuzzer ends a process at once: what was counted before is there."""
    statistics = Statistics(tmp_path / "stats.json")
    statistics.note("accepted, played", 0.5)
    assert '"accepted, played": 1' in statistics.path.read_text()


def test_a_dictionary_is_one_of_libfuzzer() -> None:
    """Each word once, byte by byte; none that is too short to help."""
    assert dictionary(["ab", "ab", "x", "é", "y" * 61]) == '"\\x61\\x62"\n"\\xc3\\xa9"\n'


def test_a_target_that_is_not_there_is_named() -> None:
    """With those that are."""
    with pytest.raises(SystemExit, match="no target nowhere; targets: house-files"):
        main(["nowhere"])


@pytest.mark.nightly
@pytest.mark.skipif(find_spec("atheris") is None, reason="the fuzzer is not installed")
@pytest.mark.parametrize("plant", run.PLANTS)
def test_a_planted_fault_is_found(plant: str, tmp_path: Path) -> None:
    """An undocumented error, a hang, a process that grows: each is found, and repeats."""
    done = Fuzzer(tmp_path, 17, plant).run(Done("token-texts"), 120)
    (failure,) = done.failures
    assert is_seen(plant, failure)
