"""``trente rng``: exports by the code that shuffles for play, and the verifier of fair shoes."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from time import sleep
from typing import Final

import pytest
from tests.cli.calling import HANGS, TRENTE, Terminal, trente, trente_process

from trente_rules import PACK, Shoe
from trente_rules.core.cards import compact, parse_compact
from trente_rules.core.shoe import check_whole_packs
from trente_rules.fair import FairShoe, FairShuffler, SeededShuffler

SEED: Final = bytes(range(16))
SERVER: Final = bytes(range(32))
SEEDED: Final = ("--source", "seeded", "--seed", SEED.hex())
FAIR: Final = ("--source", "fair", "--client", "bob:1", "--client", "alice")
ENDLESS: Final = 1 << 50


def exported(folder: Path, *arguments: str) -> bytes:
    """Export to a new file; answer what it holds, after the checksum that was told is checked."""
    file = folder / f"export-{len(list(folder.iterdir()))}"
    ran = trente("rng", "export", *arguments, "--out", file)
    assert (ran.status, ran.out) == (0, "")
    data = file.read_bytes()
    assert ran.err.endswith(f"SHA-256 {sha256(data).hexdigest()}\n")
    return data


@pytest.mark.parametrize("count", [1, 8, 65_535, 65_536, 65_537, 200_000])
def test_raw_bytes_are_those_that_shuffles_take(tmp_path: Path, count: int) -> None:
    """So many bytes, the very ones of the stream, whatever is written at once."""
    data = exported(tmp_path, "raw", "--bytes", str(count), *SEEDED)
    assert data == SeededShuffler(SEED).take(count)
    fair = exported(tmp_path, "raw", "--bytes", str(count), *FAIR, "--seed", SERVER.hex())
    assert fair == FairShuffler(SERVER, ["alice", "bob:1"], 0).take(count)
    system = exported(tmp_path, "raw", "--bytes", str(count))
    assert len(system) == count


def test_shoes_are_those_that_are_played(tmp_path: Path) -> None:
    """One a line: shoe k of a seed is stream k, a fair shoe k has nonce k."""
    lines = exported(tmp_path, "shoes", "--shoes", "3", *SEEDED).decode("ascii").splitlines()
    assert lines == [
        compact(Shoe.shuffled(6, SeededShuffler(SEED, number)).cards) for number in range(3)
    ]
    fair = exported(
        tmp_path, "shoes", "--shoes", "3", "--packs", "2", *FAIR, "--seed", SERVER.hex()
    )
    assert fair.decode("ascii").splitlines() == [
        compact(FairShoe.seal(number, 2, SERVER).shuffle(["alice", "bob:1"]).cards)
        for number in range(3)
    ]


@pytest.mark.parametrize("source", [(), FAIR])
def test_shoes_without_a_seed_are_whole_packs_and_differ(
    tmp_path: Path, source: tuple[str, ...]
) -> None:
    """The operating system's generator, and fair shoes with a server seed each."""
    lines = exported(tmp_path, "shoes", "--shoes", "5", "--packs", "8", *source).splitlines()
    assert len(set(lines)) == 5
    for line in lines:
        check_whole_packs(parse_compact(line.decode("ascii")), 8)


def test_the_standard_output_holds_nothing_else() -> None:
    """Bytes for a pipe: what is told goes to the standard error."""
    done = subprocess.run(
        [*TRENTE, "rng", "export", "raw", "--bytes", "100000", *SEEDED],
        capture_output=True,
        check=True,
        timeout=HANGS,
    )
    assert done.stdout == SeededShuffler(SEED).take(100_000)
    assert b"100000 bytes of trente-seeded-1" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("raw", "--source", "seeded"), "needs --seed"),
        (("raw", "--source", "seeded", "--seed", "abc"), "3 hexadecimal digits"),
        (("raw", "--source", "seeded", "--seed", "zz" * 16), "character 1"),
        (("shoes", "--source", "seeded", "--seed", "00" * 15), "120 bits"),
        (("shoes", "--source", "seeded", "--seed", "", "--test"), "0 bytes"),
        (("raw", "--source", "fair"), "needs --client"),
        (("raw", "--source", "fair", "--client", ""), "0 bytes"),
        (("raw", *FAIR, "--seed", "00" * 16), "server seed of 16 bytes"),
        (("raw", "--seed", "00" * 16), "--seed does nothing"),
        (("raw", "--test"), "--test does nothing"),
        (("shoes", "--client", "a"), "--client does nothing"),
        (("raw", "--shoes", "3"), "No such option"),
        (("shoes", "--bytes", "3"), "No such option"),
        (("raw", "--bytes", "0"), "x>=1"),
        (("shoes", "--shoes", "-1"), "x>=1"),
        (("shoes", "--shoes", str(1 << 63)), "is above"),
        (("shoes", "--packs", "256"), "1<=x<=255"),
        (("cards",), "No such command"),
    ],
)
def test_misuse_is_told(arguments: tuple[str, ...], told: str) -> None:
    """Exit status 2, and nothing written."""
    ran = trente("rng", "export", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err


def test_a_short_seed_is_allowed_for_a_test(tmp_path: Path) -> None:
    """--test says that it is one."""
    data = exported(tmp_path, "shoes", "--shoes", "1", "--packs", "1", "--test", *SEEDED[:3], "07")
    shoe = compact(SeededShuffler("07", test=True).shuffle(PACK))
    assert data.decode("ascii") == shoe + "\n"


def test_raw_bytes_do_not_go_to_a_terminal() -> None:
    """They would garble it."""
    ran = trente("rng", "export", "raw", out=Terminal())
    assert ran.status == 2
    assert "not for a terminal" in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes what it passes on")
@pytest.mark.parametrize("what", ["raw", "shoes"])
def test_a_closed_standard_output_is_told_of(what: str) -> None:
    """`trente rng export raw >&-` has nowhere to write."""
    told_without(f"{shlex.join([*TRENTE, 'rng', 'export', what])} >&-", b"no standard output")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes what it passes on")
def test_a_closed_standard_input_is_told_of() -> None:
    """`trente rng verify <&-` has nothing to read."""
    told_without(f"{shlex.join([*TRENTE, 'rng', 'verify'])} <&-", b"no standard input")


def told_without(line: str, told: bytes) -> None:
    """Run a line of shell that closes a stream: misuse, told of in a sentence."""
    done = subprocess.run(
        ["/bin/sh", "-c", line], stderr=subprocess.PIPE, check=False, timeout=HANGS
    )
    assert done.returncode == 2
    assert told in done.stderr
    assert b"Traceback" not in done.stderr


def test_no_file_is_written_over(tmp_path: Path) -> None:
    """What is there stays; a place that cannot be written is told of."""
    file = tmp_path / "there"
    file.write_text("mine", "utf-8")
    ran = trente("rng", "export", "raw", "--out", file)
    assert ran.status == 1
    assert "is there already" in ran.err
    assert file.read_text("utf-8") == "mine"
    ran = trente("rng", "export", "raw", "--out", tmp_path / "no folder" / "file")
    assert ran.status == 1
    assert "cannot be written" in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are POSIX")
def test_a_file_that_cannot_be_finished_is_removed(tmp_path: Path) -> None:
    """A disk that is full: told of, and no half of a file is left for a laboratory."""
    limited = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); "
        "from trente_rules.cli import main; main()"
    )
    file = tmp_path / "bytes"
    done = subprocess.run(
        [sys.executable, "-c", limited, "rng", "export", "raw", "--out", file],
        capture_output=True,
        check=False,
        timeout=HANGS,
    )
    assert done.returncode == 1
    assert b"cannot be written" in done.stderr
    assert b"Traceback" not in done.stderr
    assert not file.exists()


@pytest.mark.parametrize("what", [("raw", "--bytes"), ("shoes", "--shoes")])
def test_a_reader_that_goes_away_ends_an_export_quietly(what: tuple[str, str]) -> None:
    """As in a pipe to head: exit status 0, no word."""
    with subprocess.Popen(
        [*TRENTE, "rng", "export", what[0], what[1], str(ENDLESS)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert len(running.stdout.read(1000)) == 1000
        running.stdout.close()
        assert running.wait(HANGS) == 0
        assert running.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
@pytest.mark.parametrize("to_file", [True, False])
def test_ctrl_c_ends_an_export_cleanly(tmp_path: Path, *, to_file: bool) -> None:
    """Exit status 130, one word, and no half of a file."""
    file = tmp_path / "shoes"
    out = str(file) if to_file else "-"
    # A shell's background jobs ignore Ctrl-C, and so do their children: here it is heard.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    program = [TRENTE[0], TRENTE[1], heard + TRENTE[2]]
    with subprocess.Popen(
        [*program, "rng", "export", "shoes", "--shoes", str(ENDLESS), "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        try:
            if to_file:
                while not (file.exists() and file.stat().st_size):
                    assert running.poll() is None
                    sleep(0.01)
            else:
                running.stdout.read(1000)
            running.send_signal(signal.SIGINT)
            _out, told = running.communicate(timeout=HANGS)
        finally:
            running.kill()  # nothing endless is waited for, whatever went wrong
    assert running.returncode == 130
    assert told.strip() == b"stopped"
    assert not file.exists()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_memory_does_not_grow_with_what_is_asked_for() -> None:
    """Sixteen million bytes more: the most memory ever used is the same but for little."""
    code = (
        "import resource, sys; from trente_rules.cli.rng import raw; "
        "raw.main(['--bytes', sys.argv[1]], standalone_mode=False); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    used = []
    for count in ("65536", str(1 << 24)):
        with Path(os.devnull).open("wb") as nowhere:
            done = subprocess.run(
                [sys.executable, "-c", code, count],
                stdout=nowhere,
                stderr=subprocess.PIPE,
                check=True,
                timeout=HANGS,
            )
        used.append(int(done.stderr.split()[-1]))
    assert used[1] - used[0] < 4096  # kilobytes


REVEAL: Final = FairShoe.seal(7, 6, SERVER).shuffle(["alice", "bob:1"]).retire().reveal().to_json()


def verified(folder: Path, table: object, *options: str) -> tuple[object, str, str]:
    """Write JSON and verify it."""
    file = folder / "reveal.json"
    file.write_text(table if isinstance(table, str) else json.dumps(table), "utf-8")
    ran = trente("rng", "verify", file, *options)
    return ran.status, ran.out, ran.err


def test_a_revealed_shoe_is_verified(tmp_path: Path) -> None:
    """0 it holds, 1 it does not, with the place of the first card that is another."""
    status, out, _err = verified(tmp_path, REVEAL)
    assert status == 0
    assert out == "holds: the commitment opens, 312 of 312 cards are as they must be\n"
    status, out, _err = verified(tmp_path, REVEAL | {"cards": "Q♥ 8♥ J♥"})
    assert status == 1
    assert out == "does not hold: card 3 of 312 must be J♦\n"
    status, out, _err = verified(tmp_path, REVEAL | {"nonce": 8}, "--format", "json")
    assert status == 1
    found = json.loads(out)
    assert list(found) == ["holds", "opens", "compared", "difference", "expected"]
    assert (found["holds"], found["opens"], found["compared"]) == (False, False, 312)


def test_a_revealed_shoe_comes_through_a_pipe() -> None:
    """Without a file, or with -, the standard input is read."""
    for words in ((), ("-",)):
        done = subprocess.run(
            [*TRENTE, "rng", "verify", *words],
            input=json.dumps(REVEAL).encode(),
            capture_output=True,
            check=True,
            timeout=HANGS,
        )
        assert done.stdout.startswith(b"holds: ")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "is a list"),
        ('{"nonce": 1, "nonce": 2}', "a key is there twice"),
        (REVEAL | {"nonce": 1 << 63}, "nonce"),
        (f'{{"nonce": {"9" * 5000}}}', "no JSON"),
        (REVEAL | {"client_seeds": []}, "client seeds are 0"),
        (REVEAL | {"client_seeds": [None]}, "client_seeds[1]: None is nothing"),
        (REVEAL | {"commitment": "x"}, "is not a SHA-256"),
        (REVEAL | {"server_seed": "00"}, "server seed of 1 bytes"),
        (REVEAL | {"cards": "11♥"}, "'11♥' is not a card"),
        (REVEAL | {"cards": ""}, "no cards to verify"),
        (REVEAL | {"cut_at": 313}, "cannot cut at 313"),
        (REVEAL | {"packs": 0}, "0 packs"),
        ("9" * 1_000_001, "more than 1000000"),
    ],
)
def test_what_is_no_revealed_shoe_is_misuse(tmp_path: Path, table: object, told: str) -> None:
    """Exit status 2: a shoe that does not hold is told apart from a file that is none."""
    status, out, err = verified(tmp_path, table)
    assert (status, out) == (2, "")
    assert told in err
    assert len(err) < 500


def test_a_file_that_is_no_text_is_misuse(tmp_path: Path) -> None:
    """Bytes that are no UTF-8, and a file that is not there."""
    file = tmp_path / "bytes"
    file.write_bytes(b'{"cards": "\xff"}')
    ran = trente("rng", "verify", file)
    assert ran.status == 2
    assert "not UTF-8" in ran.err
    assert trente("rng", "verify", tmp_path / "none").status == 2


def test_help_tells_of_both(tmp_path: Path) -> None:
    """`trente rng` without more shows what there is."""
    ran = trente_process("rng", "--help", folder=tmp_path)
    assert ran.status == 0
    assert "export" in ran.out
    assert "verify" in ran.out
    assert trente("rng", "export", "shoes", "--help", out=io.StringIO()).status == 0
