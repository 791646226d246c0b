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

from trente_rules import PACK, Shoe, load_house
from trente_rules.core.cards import compact, parse_compact
from trente_rules.core.shoe import check_whole_packs
from trente_rules.fair import Commitment, FairShoe, SeededShuffler

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
    shoe = FairShoe.seal(0, 1, SERVER).shuffle(["alice", "bob:1"])
    assert fair == shoe.shuffler().take(count)
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
        (("raw", "--source", "seeded", "--seed", "abc"), "not a seed"),
        (("raw", "--source", "seeded", "--seed", "zz" * 16), "not a seed"),
        (("shoes", "--source", "seeded", "--seed", "00" * 15), "120 bits"),
        (("shoes", "--source", "seeded", "--seed", "", "--test"), "not a seed"),
        (("raw", "--source", "fair"), "needs --client"),
        (("raw", "--source", "fair", "--client", ""), "0 bytes"),
        (("raw", *FAIR, "--seed", "00" * 16), "server seed of 16 bytes"),
        (("raw", "--seed", "00" * 16), "--seed does nothing"),
        (("raw", "--test"), "--test does nothing"),
        (("shoes", "--client", "a"), "--client does nothing"),
        (("raw", "--shoes", "3"), "No such option"),
        (("shoes", "--bytes", "3"), "No such option"),
        (("raw", "--bytes", "0"), "is not a whole number from 1 to"),
        (("shoes", "--shoes", "-1"), "is not a whole number from 1 to"),
        (("shoes", "--shoes", str(1 << 63)), "is not a whole number from 1 to"),
        (("shoes", "--packs", "256"), "is not a whole number from 1 to 255"),
        (("cards",), "unknown command 'cards'"),
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
    assert "cannot be shown on a terminal" in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes what it passes on")
@pytest.mark.parametrize("what", ["raw", "shoes"])
def test_a_closed_standard_output_is_told_of(what: str) -> None:
    """`trente rng export raw >&-` has nowhere to write."""
    told_without(f"{shlex.join([*TRENTE, 'rng', 'export', what])} >&-", b"no standard output")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes what it passes on")
def test_the_examples_of_raw_bytes_run_on_a_terminal() -> None:
    """Each writes to a file: who types one as it is printed is not refused."""
    shown = trente("rng", "export", "raw", "--help").out
    examples = [line for line in shown.splitlines() if line.startswith("  trente rng export raw")]
    assert len(examples) == 2
    assert all(" --out " in line for line in examples)


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
    assert told.strip() == b"interrupted"
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


HOUSE: Final = load_house("italian-program")
SEALED: Final = FairShoe.seal(7, HOUSE, SERVER)
CLOSED: Final = SEALED.close_seeds(["alice", "bob:1"])
REVEAL: Final = CLOSED.shuffle().retire().reveal().to_json()
OLD: Final = (
    FairShoe(Commitment.of(SERVER, 7), SERVER)
    .shuffle(["alice", "bob:1"])
    .retire()
    .reveal()
    .to_json()
)
KNOWN: Final = ("--commitment", SEALED.commitment.digest)


def verified(folder: Path, table: object, *options: str) -> tuple[object, str, str]:
    """Write JSON and verify it."""
    file = folder / "reveal.json"
    file.write_text(table if isinstance(table, str) else json.dumps(table), "utf-8")
    ran = trente("rng", "verify", file, *options)
    return ran.status, ran.out, ran.err


def test_a_file_alone_is_no_proof(tmp_path: Path) -> None:
    """S2: sealed when the evening is over, without alice: status 3, and what to compare is said."""
    forged = FairShoe.seal(7, HOUSE).shuffle(["mallory"]).retire().reveal()
    status, out, _err = verified(tmp_path, forged.to_json())
    assert status == 3
    first, *others = out.splitlines()
    assert first.startswith("holds as far as this file shows: the commitment opens, 312 of 312")
    wanted = f"commitment: not checked: compare {forged.commitment.digest} with the one published"
    assert any(line.startswith(wanted) for line in others)
    assert verified(tmp_path, forged.to_json(), "--format", "json")[0] == 3
    for known, told in (
        (KNOWN, f"commitment: does not hold: you gave {SEALED.commitment.digest}"),
        (("--client", "alice"), "client seed 'alice': does not hold: it was left out"),
        (("--nonce", "8"), "nonce: does not hold: you gave 8, the file has 7"),
        (("--seeds", CLOSED.seeds_digest), "digest of the list: does not hold"),
    ):
        status, out, _err = verified(tmp_path, forged.to_json(), *known)
        assert status == 1, known
        assert out.startswith("does not hold: it is not the shoe that you remember\n")
        assert told in out


def test_a_shoe_is_verified_by_what_a_player_remembers(tmp_path: Path) -> None:
    """S2: 0 with the commitment, in either case of its digits; what is not checked is listed."""
    drawn = CLOSED.shuffle().preparation
    assert drawn is not None
    status, out, _err = verified(tmp_path, REVEAL, KNOWN[0], KNOWN[1].upper())
    assert status == 0
    assert out.startswith("holds: the commitment opens, 312 of 312 cards are as they must be\n")
    for what in (
        "nonce",
        "plan",
        "client seed",
        "digest of the list",
        "cut you saw",
        "cards you saw",
    ):
        assert f"\n{what}: not checked: " in out
    everything = (
        *(*KNOWN, "--nonce", "7", "--client", "alice", "--seeds", CLOSED.seeds_digest),
        *("--cut", str(drawn.cut), "--marker", str(drawn.marker)),
        *("--plan", REVEAL["plan"]),
    )
    status, out, _err = verified(tmp_path, REVEAL, *everything)
    assert status == 0
    unchecked = [line.split(":")[0] for line in out.splitlines() if "not checked" in line]
    assert unchecked == ["cards you saw"]
    assert verified(tmp_path, REVEAL, *KNOWN, "--cut", "3")[0] == 1


def test_cut_and_marker_of_a_reveal_are_recomputed(tmp_path: Path) -> None:
    """S1: another cut, burn or marker than the drawn one does not hold, whatever else does."""
    for key, value in (("cut", 3), ("burn", 4), ("marker", 40), ("seeds", "0" * 64)):
        assert REVEAL[key] != value
        status, out, _err = verified(tmp_path, REVEAL | {key: value}, *KNOWN)
        assert status == 1, key
        assert out.startswith("does not hold: ")


def test_a_revealed_shoe_is_verified(tmp_path: Path) -> None:
    """1 it does not hold, with the place of the first card that differs; JSON has it all."""
    card = str(REVEAL["cards"]).split()[2]
    other = "J♥" if card != "J♥" else "J♦"
    cards = " ".join([*str(REVEAL["cards"]).split()[:2], other])
    status, out, _err = verified(tmp_path, REVEAL | {"cards": cards}, *KNOWN)
    assert status == 1
    assert out.startswith(f"does not hold: card 3 of 312 must be {card}\n")
    status, out, _err = verified(tmp_path, REVEAL | {"nonce": 8}, "--format", "json")
    assert status == 1
    found = json.loads(out)
    assert (found["holds"], found["complete"], found["opens"]) == (False, False, False)
    assert found["compared"] == 312
    assert {"what": "cut", "holds": False} in [
        {key: check[key] for key in ("what", "holds")} for check in found["checks"]
    ]


def test_a_shoe_of_the_first_scheme_is_verified(tmp_path: Path) -> None:
    """S1: it holds, and its cut is said to be chosen when the order was known."""
    known = ("--commitment", str(OLD["commitment"]))
    status, out, _err = verified(tmp_path, OLD, *known)
    assert status == 3
    assert "\ncut: not checked: chosen when the order was known\n" in out
    playing = FairShoe(Commitment.of(SERVER, 7), SERVER).shuffle(["alice", "bob:1"])
    (drawn,) = playing.drawn(313)
    cards = " ".join(map(str, playing.shoe().cut(drawn).cards))
    status, out, _err = verified(tmp_path, OLD | {"cut_at": drawn, "cards": cards}, *known)
    assert status == 3
    assert "\ncut: holds: " in out


def published(folder: Path, *shoes: FairShoe) -> Path:
    """Publish shoes: a file for each commitment, one for each that is retired."""
    for number, shoe in enumerate(shoes):
        sealed = json.dumps(shoe.commitment.to_json())
        (folder / f"{number}-sealed.json").write_text(sealed, "utf-8")
        if shoe.stage == "retired":
            shown = json.dumps(shoe.reveal().to_json())
            (folder / f"{number}-shown.json").write_text(shown, "utf-8")
    return folder


def retired(nonce: int, seed: bytes | None = None) -> FairShoe:
    """Return a shoe that was dealt."""
    return FairShoe.seal(nonce, 1, seed).shuffle(["ann"]).retire()


def test_an_audit_finds_nothing_where_nothing_is_wrong(tmp_path: Path) -> None:
    """S2: all shoes of an evening, numbered without a gap, all revealed; old ones as well."""
    old = FairShoe(Commitment.of(SERVER, 6, 1), SERVER).shuffle(["ann"]).retire()
    ran = trente("rng", "audit", published(tmp_path, retired(4), retired(5), old))
    assert ran.status == 0
    assert ran.out == "3 commitments and 3 reveals, nonces 4 to 6: nothing is wrong\n"
    ran = trente("rng", "audit", tmp_path, "--first", "3", "--last", "8")
    assert ran.status == 1
    assert "gap: nonce 3 is missing\ngap: nonces 7 to 8 are missing\n" in ran.out


def test_an_audit_finds_what_is_wrong(tmp_path: Path) -> None:
    """S2: gaps, doubles, shoes never shown or never sealed, reveals that do not hold, seeds."""
    published(
        tmp_path,
        *(retired(1, SERVER), retired(2, SERVER), FairShoe.seal(5, 1)),
        *(retired(6), retired(6)),
    )
    (tmp_path / "3-sealed.json").unlink()
    broken = retired(9).reveal().to_json()
    (tmp_path / "broken.json").write_text(json.dumps(broken | {"cut": 60}), "utf-8")
    ran = trente("rng", "audit", tmp_path, "--format", "json")
    assert ran.status == 1
    found = [(each["what"], each["words"]) for each in ran.json["findings"]]
    assert sorted({what for what, _words in found}) == [
        *("double", "gap", "not revealed", "not sealed", "wrong"),
    ]
    told = "\n".join(words for _what, words in found)
    for wanted in (
        "nonces 3 to 4 are missing",
        "nonces 7 to 8 are missing",
        "nonce 6 has 2 commitments",
        "two shoes have the same server seed",
        "nonce 5 was sealed, and its seed never shown",
        "nonce 6 has no commitment in the folder: '3-shown.json'",
        "nonce 9 has no commitment in the folder: 'broken.json'",
        "'broken.json': does not hold: cut: it must be",
    ):
        assert wanted in told, wanted


def test_a_shoe_is_of_the_scheme_that_was_published(tmp_path: Path) -> None:
    """A digest names no scheme: one that leaves the cut open is no proof, whatever is published."""
    old = FairShoe(Commitment.of(SERVER, 7, 6), SERVER)
    plan = "packs=6 cut=0-312 burn=5 marker=20-40"
    told = {**old.commitment.to_json(), "method": "trente-fair-2", "plan": plan}
    del told["packs"]
    (tmp_path / "sealed.json").write_text(json.dumps(told), "utf-8")
    shown = old.shuffle(["alice"]).retire().reveal().to_json() | {"cut": 133, "marker": 40}
    (tmp_path / "shown.json").write_text(json.dumps(shown), "utf-8")
    known = ("--commitment", old.commitment.digest, "--nonce", "7", "--client", "alice")
    cheated = (*known, "--cut", "133", "--marker", "40")
    ran = trente("rng", "verify", tmp_path / "shown.json", *cheated)
    assert ran.status == 3
    assert ran.out.startswith("holds, but the house may have chosen cut and marker when it knew")
    assert "\nplan: not checked: trente-fair-1 binds none" in ran.out
    for more in (("--plan", plan), ("--sealed", str(tmp_path / "sealed.json"))):
        ran = trente("rng", "verify", tmp_path / "shown.json", *cheated, *more)
        assert ran.status == 1
        assert f"plan: does not hold: you gave {plan!r}, the file has none" in ran.out
    assert "what was published: does not hold: the file has other values: method" in ran.out
    ran = trente("rng", "audit", tmp_path)
    assert ran.status == 1
    digest = old.commitment.digest
    assert f"wrong: commitment {digest} has 2 plans: 'sealed.json', 'shown.json'" in ran.out
    published(tmp_path, CLOSED.shuffle().retire())
    sealed = str(next(tmp_path.glob("*-sealed.json")))
    status, out, _err = verified(tmp_path, REVEAL, "--sealed", sealed)
    assert status == 0
    assert "what was published: holds: all of it is the same: method, commitment" in out


def test_an_audit_compares_what_one_commitment_binds(tmp_path: Path) -> None:
    """A plan or a beacon published and another one revealed; two orders of one commitment."""
    shoes = [FairShoe.seal(nonce, 1, beacon="drand 1" * (nonce == 2)) for nonce in (1, 2, 3, 4)]
    told = [shoe.commitment.to_json() for shoe in shoes]
    told[0]["plan"] = "packs=1 cut=0-52 burn=5 marker=none"
    told[1]["beacon"] = "drand 2"
    closed = [shoe.close_seeds(["a"]) for shoe in shoes]
    told += [
        each.shuffle(beacon="b0" * bool(each.commitment.beacon)).retire().reveal().to_json()
        for each in closed
    ]
    told.append(shoes[2].shuffle(["b"]).retire().reveal().to_json())
    for number, table in enumerate(told):
        (tmp_path / f"{number}.json").write_text(json.dumps(table), "utf-8")
    ran = trente("rng", "audit", tmp_path)
    assert ran.status == 1
    digests = [shoe.commitment.digest for shoe in shoes]
    assert ran.out.splitlines()[1:] == [
        f"wrong: commitment {digests[0]} has 2 plans: '0.json', '4.json'",
        f"wrong: commitment {digests[1]} has 2 beacons: '1.json', '5.json'",
        f"double: commitment {digests[2]} has 2 lists of client seeds: '6.json', '8.json'",
    ]
    ran = trente("rng", "audit", tmp_path, "--first", "2", "--last", "3")
    assert "outside: nonce 1 is below the first announced (2): '0.json'" in ran.out
    assert "outside: nonce 4 is above the last announced (3): '3.json'" in ran.out
    for span in (("--first", "9", "--last", "3"), ("--first", "9"), ("--last", "0")):
        ran = trente("rng", "audit", tmp_path, *span)
        assert (ran.status, ran.out) == (2, ""), span
        assert "no nonce is from" in ran.err
    for option in ("--first", "--last"):
        assert trente("rng", "audit", tmp_path, option, "-1").status == 2


def test_an_audit_reads_hostile_files(tmp_path: Path) -> None:
    """S2: pipes, links to nothing, deep and large files, stores of a host: named, never a hang."""
    published(tmp_path, retired(1))
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "link.json").symlink_to(tmp_path / "nothing")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "deep.json").write_text("[" * 100_000, "utf-8")
    (tmp_path / "large.json").write_text(" " * 1_000_001, "utf-8")
    (tmp_path / "\x1b[2J.json").write_text('{"nonce": 9}', "utf-8")
    (tmp_path / "store.json").write_text(json.dumps(retired(1).to_json()), "utf-8")
    (tmp_path / "notes.txt").write_text("not read", "utf-8")
    ran = trente("rng", "audit", tmp_path)
    assert ran.status == 1
    assert ran.out.count("\nunusable: ") == 7
    assert "\x1b" not in ran.out
    assert SERVER.hex() not in ran.out
    empty = tmp_path / "empty"
    empty.mkdir()
    for folder in (empty, tmp_path / "none", tmp_path / "notes.txt"):
        ran = trente("rng", "audit", folder)
        assert (ran.status, ran.out) == (2, "")


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_the_memory_of_an_audit_does_not_grow(tmp_path: Path) -> None:
    """S2: ten thousand shoes more, and a few kilobytes of memory."""
    code = (
        "import resource, sys; from trente_rules.fair import audit; "
        "audit(sys.argv[1]); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    table = retired(1).commitment.to_json()
    used = []
    for first, last in ((0, 100), (100, 20_100)):
        for nonce in range(first, last):
            told = json.dumps(table | {"nonce": 2 * nonce, "commitment": f"{nonce:064x}"})
            (tmp_path / f"{nonce}.json").write_text(told, "utf-8")
        command = [sys.executable, "-c", code, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, check=True, timeout=HANGS)
        used.append(int(done.stdout))
    assert used[1] - used[0] < 8_192  # kilobytes


def test_a_revealed_shoe_comes_through_a_pipe() -> None:
    """Without a file, or with -, the standard input is read."""
    for words in ((), ("-",)):
        done = subprocess.run(
            [*TRENTE, "rng", "verify", *words, *KNOWN],
            input=json.dumps(REVEAL).encode(),
            capture_output=True,
            check=True,
            timeout=HANGS,
        )
        assert done.stdout.startswith(b"holds: ")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "is a list"),
        ('{"nonce": 1, "nonce": 2}', "a key occurs twice"),
        (REVEAL | {"nonce": 1 << 63}, "nonce"),
        (f'{{"nonce": {"9" * 5000}}}', "not JSON"),
        (REVEAL | {"client_seeds": []}, "client seeds are 0"),
        (REVEAL | {"client_seeds": [None]}, "client_seeds[1]: expected a text, got nothing"),
        (REVEAL | {"commitment": "x"}, "is not a SHA-256"),
        (REVEAL | {"server_seed": "00"}, "server seed of 1 bytes"),
        (REVEAL | {"cards": "11♥"}, "'11♥' is not a card"),
        (REVEAL | {"cards": ""}, "no cards to verify"),
        ({**OLD, "cut_at": 313}, "cannot cut at 313"),
        ({**OLD, "packs": 0}, "0 packs"),
        ({**OLD, "plan": "packs=6"}, "trente-fair-1 with a plan"),
        (REVEAL | {"plan": "packs=6 cut=0-312 burn=05 marker=none"}, "is not the plan of a shoe"),
        (REVEAL | {"packs": 6}, "of trente-fair-2 with a plan"),
        (REVEAL | {"beacon": "x" * 257}, "the beacon"),
        (REVEAL | {"nonce": 7.0}, "got the decimal number 7.0"),
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
