"""A player at a table of ``trente serve``, for one shoe.

Run it as ``python service_client.py http://127.0.0.1:8030 TOKEN TABLE``; it needs ``websockets``.

In the middle the connection is lost while a slip is on its way: the client comes again after the
last event it has seen, and sends the slip again. At the end its balance, the sum of the movements
it was sent, must be the account that the service has.
"""

import json
import sys
from urllib.request import Request, urlopen

from websockets.sync.client import connect

LOST_AT = 8  # the coup at which the connection is lost
if not sys.argv[3:]:
    sys.exit("usage: python service_client.py ADDRESS TOKEN TABLE")
ADDRESS, TOKEN, TABLE = sys.argv[1:4]


def read(path):
    request = Request(ADDRESS + path, headers={"Authorization": f"Bearer {TOKEN}"})  # noqa: S310
    with urlopen(request) as response:  # noqa: S310 - the address is the caller's
        return json.load(response)


NAME, HOUSE = read("/api/me")["name"], read(f"/api/tables/{TABLE}/house")


class Client:
    coups = repeated = 0
    last = -1  # the index of the last event that was seen
    slip, over = None, False

    def play(self):
        while not self.over:
            after = "" if self.last < 0 else f"?after={self.last}"
            url = f"{ADDRESS.replace('http', 'ws', 1)}/api/tables/{TABLE}/socket{after}"
            with connect(url, subprotocols=["trente-rules.1", f"bearer.{TOKEN}"]) as self.socket:
                self.lost = False
                if self.slip:
                    self.send("command", command=self.slip)
                while not (self.over or self.lost):
                    self.take(json.loads(self.socket.recv()))

    def send(self, kind, **message: object):
        self.socket.send(json.dumps({"kind": kind, **message}))

    def take(self, message):
        match message:
            case {"kind": "state", "view": view}:
                self.moved, self.last = {"": view["account"]}, view["events"] - 1
            case {"kind": "entry", "entry": entry}:
                self.moved |= {each["id"]: each["units"] for each in entry["movements"]}
                for event in entry["events"]:
                    self.see(event)
            case {"kind": "clock", "waits_for": "bets"} if not self.slip:
                self.bet()
            case {"kind": "clock", "waits_for": "cut"}:
                self.send("cut", place=HOUSE["cut"][0])
            case {"kind": "clock", "waits_for": "marker"}:
                self.send("marker", from_end=HOUSE["marker"]["low"])
            case {"kind": "done", "id": id_, "repeated": repeated}:
                self.repeated += repeated
                if self.slip and id_ == self.slip["id"]:
                    self.send("ready")
            case {"kind": "refused", "id": id_, "problem": problem} if id_:
                sys.exit(f"{problem['code']}: {problem['title']}")

    def see(self, event):
        self.last = event["index"]
        if event["kind"] == "bets-opened":
            self.slip = None
        if event["kind"] == "shoe-ended":
            self.over = True
        if event["kind"] == "choice-offered" and event["stake"]["owner"] == NAME:
            what = {"stake": event["stake"]["id"], "verdict": event["verdict"]}
            choose = {"kind": "choose", "id": f"choice-{self.last}", **what}
            self.send("command", command={**choose, "course": event["courses"][-1]})

    def bet(self):
        first, second = [each for each in HOUSE["chances"] if each["insurable"]][:2]
        amount = max(first["least"], HOUSE["insurance"]["minimum_stake"])
        insured = {"stake": f"{self.last}-1", "chance": first["id"], "insured": True}
        other = {"stake": f"{self.last}-2", "chance": second["id"]}
        bets = [{**each, "amount": amount} for each in (insured, other)]
        self.slip = {"kind": "slip", "id": f"slip-{self.last}", "bets": bets}
        self.send("command", command=self.slip)
        self.coups += 1
        self.lost = self.coups == LOST_AT


client = Client()
client.play()
balance, account = sum(client.moved.values()), read(f"/api/tables/{TABLE}")["view"]["account"]
played = {"coups": client.coups, "repeated": client.repeated, "balance": balance}
print(json.dumps({**played, "account": account}))
sys.exit(balance != account)
