"""A refait costs a third of the stake; the rest waits for the next coup that decides."""

from fractions import Fraction

from attrs import frozen
from trente_rules import Course, Named, Verdict, hookimpl


@frozen
class ThirdLost:
    kept: Fraction = Fraction(2, 3)

    def build(self, _money):
        waits = Course("waits", staying=self.kept, state="waiting")
        again = {Verdict.REFAIT: [waits], Verdict.CLOSE: [Course("closed", returned=Fraction(1))]}
        return {"free": {Verdict.REFAIT: [waits]}, "waiting": again}


@hookimpl
def trente_refait_rules():
    return [Named("third-lost", ThirdLost)]
