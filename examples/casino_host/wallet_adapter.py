"""A seamless wallet at a live table: every unit moves once, whatever is lost on the way.

A wallet has three calls, each idempotent by the id of a movement. ``debit`` may be refused,
``settle`` may not; ``rollback`` undoes a debit, or forbids one that is still on its way. A call
that fails in any other way may have been done, or not: it is sent again. One adapter serves a
table; players may use it from many threads.
"""

import sqlite3
from collections import defaultdict
from threading import Lock

CHIPS = "bought-in", "cashed-out"


class Diary:
    """What must outlive the process, besides the journal: debits under way, and movements sent."""

    def __init__(self, path):
        self.run = sqlite3.connect(path, isolation_level=None, check_same_thread=False).execute
        self.run("PRAGMA journal_mode = WAL")
        self.run("CREATE TABLE IF NOT EXISTS debits (player, command, movement PRIMARY KEY)")
        self.run("CREATE TABLE IF NOT EXISTS cursor (one INTEGER PRIMARY KEY, sent)")

    def begin(self, key, ids):
        marks = ", ".join("(?, ?, ?)" for _id in ids)  # one statement: all of them, or none
        self.run(
            f"INSERT OR IGNORE INTO debits VALUES {marks}",  # noqa: S608 - question marks alone
            [value for movement in ids for value in (*key, movement)],
        )

    def end(self, key):
        self.run("DELETE FROM debits WHERE player = ? AND command = ?", key)

    def open(self):
        return self.run("SELECT DISTINCT player, command FROM debits").fetchall()

    def ids(self, key):
        query = "SELECT movement FROM debits WHERE player = ? AND command = ?"
        return [movement for (movement,) in self.run(query, key)]

    @property
    def sent(self):
        return (self.run("SELECT sent FROM cursor").fetchone() or ("",))[0]

    @sent.setter
    def sent(self, movement):
        self.run("INSERT OR REPLACE INTO cursor VALUES (1, ?)", (movement,))


class WalletAdapter:
    def __init__(self, table, journal, wallet, diary):
        self.table, self.journal, self.wallet, self.diary = table, journal, wallet, diary
        self.busy, self.paying = defaultdict(Lock), Lock()

    def execute(self, command):
        """Debit what a player's command costs, then do it; or do neither, and raise why."""
        with self.busy[command.player]:
            asked = self.table.preview(command)
            debits = [move for move in self.mine(asked.movements) if move.units < 0]
            if asked.repeated or not debits:
                return self.table.execute(command)
            self.diary.begin(command.key, [move.id for move in debits])
            try:
                for move in debits:
                    self.wallet.debit(move.id, move.player, -move.units)
                return self.table.execute(command, expected=asked.movements)
            finally:
                self.close(command.key)

    def mine(self, movements):
        """Leave out what the wallet does not see: with purses that is all but the chips."""
        purses = self.table.state.setup.purses
        return (each for each in movements if (each.reason in CHIPS) == purses)

    def close(self, key):
        """Roll the debits of a command back, unless the table has done it."""
        if self.journal.find(*key) is None:
            for movement in self.diary.ids(key):
                self.wallet.rollback(movement)
        self.diary.end(key)

    def pay(self):
        """Send the movements after the cursor: credits, reversals, and the debits once more."""
        with self.paying:
            for move in self.mine(self.journal.movements(after=self.diary.sent)):
                self.wallet.settle(move.id, move.player, move.units)
                self.diary.sent = move.id

    def resume(self):
        """Do what a process that was killed could not."""
        for key in self.diary.open():
            self.close(key)
        self.pay()
