"""A casino under a bad wallet, killed in mid-play: every unit is counted afterwards.

Run it as ``python examples/casino_host --size small --seed 1``. It serves the wallet, starts the
casino in a process of its own (host.py), kills that without warning, once when stakes are in
prison, starts it again, and at the end compares journals and wallet, movement by movement.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from casino import HOUSES, SIZES, accounts_of, house_of, specs_of
from trente_rules.table import SqliteJournal, balance, faults, recover
from wallet import Faults, Wallet, serve

HERE = Path(__file__).parent


class Watch:
    """Starts the casino, kills it at chosen moments, and starts it again."""

    def __init__(self, folder, port, size, seed):
        self.arguments = [sys.executable, str(HERE / "host.py"), folder, str(port), size, seed]
        self.counts, self.failures = Counter(), []
        self.kills, self.with_prisoners, self.coups = 0, 0, 0

    def play(self, kills):
        """Run the casino to its end; kill it after so many coups: mostly with prisoners."""
        for run, (coups, prisoners) in enumerate((*kills, (10**9, False)), 1):
            if self.once(str(run), coups, prisoners=prisoners):
                return

    def once(self, run, coups, *, prisoners):
        """Run the casino until it ends or is killed; return whether it ended."""
        pipe, held, done = subprocess.PIPE, {}, 0
        with subprocess.Popen([*self.arguments, run], stdout=pipe, text=True) as casino:
            for line in casino.stdout:
                said = json.loads(line)
                if "coup" not in said:
                    self.counts.update(said["counts"])
                    self.failures += said["failures"]
                    return casino.wait() == 0
                done += 1
                held[said["coup"]] = said["prisoners"]
                if done >= coups and (sum(held.values()) or not prisoners):
                    casino.kill()  # SIGKILL
                    self.kills += 1
                    self.with_prisoners += sum(held.values()) > 0
                    break
        self.coups += done
        return False


def audit(folder, specs, wallet, brought):
    """Compare the journals with the wallet; return the lines of the report, and the faults."""
    wrong, moved, coups, corrected, net = [], {}, 0, 0, Counter()
    for spec in specs:
        with SqliteJournal(folder / f"{spec.name}.journal") as journal:
            journal.check()
            table = recover(journal)
            movements = list(journal.movements())
            ids = {move.id for move in movements}
            own = Counter()
            for move in movements:
                moved[move.id] = move.player, move.units
                own[move.player] += move.units
            kinds = Counter(entry.command.kind for entry in journal.entries())
            coups += kinds["close-bets"]
            corrected += kinds["correct"]
        accounts = dict(table.state.accounts)
        net.update(accounts)
        checks = {
            "is not balanced": balance(table.state) == 0,
            "has faults": not list(faults(table.state)),
            "has a movement twice": len(ids) == len(movements),
            "has accounts that are not the sums of its movements": +own == +Counter(accounts)
            and -own == -Counter(accounts),
        }
        wrong += [f"{spec.name} {what}" for what, right in checks.items() if not right]
    lines = [f"{coups} coups, {corrected} corrections, {len(moved)} movements"]
    if wallet.moved != moved:
        here, there = set(wallet.moved.items()), set(moved.items())
        wrong.append(f"the wallet did {len(here - there)} movements more, {len(there - here)} less")
    for currency in dict.fromkeys(currency for _base, currency, _unit in HOUSES.values()):
        players = [each for each in brought if each.startswith(currency.lower())]
        house = next(house_of(n) for n, (_b, own, _u) in HOUSES.items() if own == currency)
        start, has = (sum(each[p] for p in players) for each in (brought, wallet.accounts))
        won, text = sum(net[player] for player in players), house.money.text
        exact = start + won == has
        exact &= all(brought[p] + net[p] == wallet.accounts[p] for p in players)
        lines.append(
            f"{currency}: {text(start)} brought, players' net {text(won)}, "
            f"wallet {text(has)}: {'exact' if exact else 'WRONG'}"
        )
        if not exact:
            wrong.append(f"the accounts in {currency} are not exact")
    return lines, wrong


def report(title, counts):
    """Print counts, one to a line."""
    print(f"\n{title}")
    for name, number in sorted(counts.items()):
        print(f"  {number:>9,}  {name}")


def main():
    """Run it, print the report; exit status 1 where a unit is missing."""
    parser = argparse.ArgumentParser(prog="casino_host", description=__doc__.split("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--folder", help="keep the journals here (default: a temporary folder)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(chosen.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(run(folder, chosen.size, chosen.seed))


def run(folder, size, seed):
    """Run a casino in a folder; return the exit status."""
    begun, specs = time.monotonic(), specs_of(size)
    brought = accounts_of(specs)
    wallet, failing = Wallet(brought), Faults(seed)
    server = serve(wallet, failing)
    tables, live, players, shoes, coups = SIZES[size]
    print(f"{tables} tables, {live} of them live, {players} players, seed {seed}")
    watch = Watch(str(folder), server.server_address[1], size, seed)
    whole = tables * shoes * coups
    kills = (
        [(whole // 3, True)]
        if size == "small"
        else [(whole // 8, False), (whole // 8, True), (whole // 8, True), (whole // 8, False)]
    )
    watch.play(kills)
    time.sleep(0.2)  # the calls that are still under way
    server.shutdown()
    lines, wrong = audit(folder, specs, wallet, brought)
    wrong += watch.failures
    print(f"killed {watch.kills} times, {watch.with_prisoners} of them with stakes in prison")
    report("the last run of the casino:", watch.counts)
    report("the way to the wallet:", failing.counts)
    report("the wallet:", wallet.counts)
    print()
    for line in (*lines, *(f"FAULT: {each}" for each in wrong)):
        print(line)
    print(f"{'every unit is where it should be' if not wrong else 'NOT EXACT'}; ", end="")
    print(f"{time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    main()
