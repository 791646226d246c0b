// The page's modules without a page: numbers, keys, the pace, and the line to the table.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

const listeners = new Map();
globalThis.window = globalThis;
globalThis.addEventListener ??= (kind, done) => listeners.set(kind, done);
globalThis.matchMedia = () => ({ matches: false, addEventListener() {} });
globalThis.document = { hidden: false, addEventListener() {}, createElementNS() {}, querySelector: () => null };
globalThis.location = new URL("http://127.0.0.1:8030/");

const lines = [];
class FakeSocket extends EventTarget {
  static OPEN = 1;
  readyState = 1;
  sent = [];
  constructor(address, protocols) {
    super();
    this.address = new URL(address);
    this.protocols = protocols;
    lines.push(this);
  }
  send(text) { this.sent.push(JSON.parse(text)); }
  say(message) { this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) })); }
  close(code = 1006) { this.readyState = 3; this.dispatchEvent(Object.assign(new Event("close"), { code })); }
}
globalThis.WebSocket = FakeSocket;

const { createMoney } = await import("./money.js");
const { digitReader } = await import("./keys.js");
const { changed } = await import("./chips.js");
const { createDealing } = await import("./dealing.js");
const { connect, Refused } = await import("./connection.js");

test("amounts are written in units of the house and in the language", () => {
  const english = createMoney({ currency: "EUR", unit: "0.01", decimals: 2 }, "en");
  assert.equal(english.format(123450), "1,234.50\u00a0EUR");
  assert.equal(english.format(100000), "1,000\u00a0EUR");
  assert.equal(english.signed(-150), "\u22121.50\u00a0EUR");
  assert.equal(english.signed(0), "0\u00a0EUR");
  assert.equal(english.percent(5, 5), "100%");
  assert.equal(english.parse("12.50"), 1250);
  assert.equal(english.parse("12.505"), null);
  assert.equal(english.parse("-1"), null);
  const german = createMoney({ currency: "CHF", unit: "1", decimals: 0 }, "de");
  assert.equal(german.format(12000), "12.000\u00a0CHF");
  assert.equal(german.face(1000), "1k");
  assert.equal(english.parse("1,234.50"), 123450);
  assert.equal(english.parse("12,5"), null);
  for (const language of ["de", "it", "es"]) {
    // What the page writes it also reads: "12.000" is no twelve.
    const cents = createMoney({ currency: "EUR", unit: "0.01", decimals: 2 }, language);
    assert.equal(cents.parse("12.000"), 1_200_000, language);
    assert.equal(cents.parse("1.234,50"), 123_450, language);
    assert.equal(cents.parse("12,50"), 1_250, language);
    assert.equal(cents.parse("1.2345"), null, language);
  }
  const french = createMoney({ currency: "EUR", unit: "0.01", decimals: 2 }, "fr");
  assert.equal(french.parse("12\u202f000,50"), 1_200_050);
});

test("U15: a digit names the value of a chip, never its position", () => {
  const taken = [];
  const type = digitReader([1, 2, 5, 10, 20, 50, 100], (value) => taken.push(value));
  type("5");
  assert.deepEqual(taken, [5]);
  type("0");
  assert.deepEqual(taken, [5, 50]);
  type("7");
  assert.deepEqual(taken, [5, 50]);
  type("2");
  type("0");
  assert.deepEqual(taken, [5, 50, 2, 20]);
});

test("chips make an amount exactly, and what no chip pays is left", () => {
  assert.deepEqual(changed(165, [1, 5, 10, 100, 50]), { chips: [100, 50, 10, 5], left: 0 });
  assert.deepEqual(changed(7, [2, 5]).left, 0);
  assert.deepEqual(changed(3, [5]), { chips: [], left: 3 });
});

test("steps are shown in order at the pace, and a skip shows all that is left", async () => {
  const shown = [];
  const busy = [];
  const dealing = createDealing(() => 20, (now) => busy.push(now));
  const step = (kind, name) => ({ kind, show: () => shown.push(name) });
  dealing.push([step("card-turned", 1), step("card-turned", 2), step("stake-settled", 3)]);
  assert.deepEqual(shown, [1]);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.ok(shown.includes(2));
  dealing.push([step("card-turned", 4), step("card-turned", 5), step("chips", 6)]);
  assert.equal(dealing.skip(), true);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(shown, [1, 2, 3, 4, 5, 6]);
  assert.equal(busy.at(-1), false);
  assert.equal(dealing.skip(), false);
});

test("a line that breaks comes back after the last event seen, and commands are sent again with their ids", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const taken = [];
  const news = [];
  const line = connect({
    table: "salon", token: "t", language: "fr",
    take: (message) => taken.push(message.kind), news: (each) => news.push(each.status),
    refusedBy: async () => 200,
  });
  const first = lines.at(-1);
  assert.deepEqual(first.protocols, ["trente-rules.1", "bearer.t"]);
  assert.equal(first.address.searchParams.get("after"), null);
  first.say({ kind: "state", view: { events: 8 }, said: [] });
  first.say({ kind: "entry", entry: { events: [{ kind: "bets-opened", index: 11 }], movements: [] }, said: {} });
  const placed = line.send({ kind: "place", stake: "s", chance: "rouge", amount: 100 });
  const { command } = first.sent.at(-1);
  assert.match(command.id, /^[0-9a-f]{32}$/);
  first.close();
  assert.equal(news.at(-1), "lost");
  mock.timers.tick(1000);
  const second = lines.at(-1);
  assert.notEqual(second, first);
  assert.equal(second.address.searchParams.get("after"), "11");
  assert.equal(second.sent.length, 0);
  second.say({ kind: "chips", chances: [] });
  assert.deepEqual(second.sent, [{ kind: "command", command }]);
  second.say({ kind: "done", id: command.id, sequence: 4, repeated: true });
  assert.equal((await placed).repeated, true);
  const refused = line.send({ kind: "place", stake: "x", chance: "noir", amount: 1 });
  second.say({ kind: "refused", id: second.sent.at(-1).command.id, problem: { code: "below-minimum", title: "too little" } });
  await assert.rejects(refused, (error) => error instanceof Refused && error.problem.code === "below-minimum");
  const ready = line.ready();
  second.say({ kind: "done", id: "", sequence: 0, repeated: false });
  await ready;
  assert.deepEqual(taken, ["state", "entry", "chips"]);
  second.close(4401);
  assert.equal(news.at(-1), "closed");
  await assert.rejects(line.send({ kind: "place" }));
  mock.timers.reset();
});

test("a quiet line is asked whether somebody is there, and given up where nobody is", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const line = connect({ table: "salon", token: "t", language: "fr", take() {}, news() {}, refusedBy: async () => 200 });
  const first = lines.at(-1);
  first.say({ kind: "state", view: { events: 0 }, said: [] });
  mock.timers.tick(15_000);
  assert.deepEqual(first.sent, [{ kind: "ping" }]);
  first.say({ kind: "pong" });
  mock.timers.tick(15_000);
  mock.timers.tick(8_000);
  mock.timers.tick(1_000);
  assert.notEqual(lines.at(-1), first);
  line.close();
  mock.timers.reset();
});
