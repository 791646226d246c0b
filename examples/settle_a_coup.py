"""Settle one coup at Monte Carlo in 1911."""

from trente_rules import INVERSE, ROUGE, Coup, Stake, load_house, settle

house = load_house("monte-carlo-1911")
coup = Coup.parse("4♥ 10♠ J♦ 9♣ / 8♠ 7♦ Q♣ 6♥")  # first row 33, second row 31
stakes = [Stake("a1", "alice", ROUGE, 100), Stake("b1", "bob", INVERSE, 40)]
for line in settle(house, coup, stakes).lines:
    print(line)
