/**
 * A player at a table in another process: JSON lines out, JSON lines in.
 *
 * npm ci && npm run build && npm start -- python ../wire_host.py
 *
 * The client plays one shoe. Its balance is the sum of the movements it was sent, each counted once;
 * at the end it must be the account that the table has.
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parse, type AnyCommand, type ChoiceOffered, type Entry, type Opening, type Stamped } from "./trente.js";

interface Welcome {
  house: string;
  session: string;
  opening: Opening;
}
interface Refusal {
  error: { code: string; message: string; hint: string };
}
type Line = { welcome: Welcome } | { entry: Entry } | Refusal;

const PLAYER = "ann";

class Client {
  balance = 0;
  account: number | undefined;
  coups = 0;
  repeated = 0;
  private readonly counted = new Set<string>();
  private minimum = 0;
  private number = 0;
  private slip: AnyCommand | undefined;

  constructor(private readonly send: (command: AnyCommand) => void) {}

  read(line: Line): void {
    if ("error" in line) throw new Error(`${line.error.code}: ${line.error.message}`);
    if ("welcome" in line) {
      this.minimum = line.welcome.opening.minimum ?? 1;
      return;
    }
    this.repeated += line.entry.repeated ? 1 : 0;
    for (const movement of line.entry.movements) {
      // A wallet does the same: a movement whose id it knows has been paid already.
      if (movement.player !== PLAYER || this.counted.has(movement.id)) continue;
      this.counted.add(movement.id);
      this.balance += movement.units;
    }
    if (line.entry.repeated) return;
    for (const event of line.entry.events) this.see(event);
    this.next(line.entry.command);
  }

  /** Note what one event says. A kind that is not handled does not compile. */
  private see(event: Stamped): void {
    switch (event.kind) {
      case "bets-opened":
        this.coups += 1;
        this.bet(event);
        return;
      case "choice-offered":
        if (event.stake.owner === PLAYER) this.choose(event);
        return;
      case "session-closed":
        this.account = new Map(event.players).get(PLAYER) ?? 0;
        return;
      case "shoe-opened":
      case "cut-made":
      case "burned":
      case "marker-placed":
      case "stake-placed":
      case "stake-increased":
      case "stake-insured":
      case "stake-withdrawn":
      case "prisoner-moved":
      case "bets-closed":
      case "card-turned":
      case "card-burned":
      case "cards-retracted":
      case "marker-shown":
      case "coup-dealt":
      case "choice-made":
      case "choice-dropped":
      case "stake-settled":
      case "coup-settled":
      case "coup-voided":
      case "coup-corrected":
      case "stake-corrected":
      case "line-corrected":
      case "opening-posted":
      case "bought-in":
      case "cashed-out":
      case "shoe-ended":
      case "announced":
        return;
      default: {
        const never: never = event;
        throw new Error(`an event of a newer release: ${JSON.stringify(never)}`);
      }
    }
  }

  private bet(event: Stamped): void {
    const id = this.id();
    this.slip = {
      kind: "slip",
      id,
      player: PLAYER,
      round: event.round, // refused, should another coup be on when it arrives
      bets: [
        { stake: `${id}-rouge`, chance: "rouge", amount: 10 * this.minimum, insured: this.coups % 2 === 0 },
        { stake: `${id}-inverse`, chance: "inverse", amount: this.minimum },
      ],
    };
    this.send(this.slip);
  }

  private choose({ stake, verdict, courses, round }: Stamped & ChoiceOffered): void {
    const course = courses[this.coups % courses.length] ?? "";
    const own = { id: this.id(), player: PLAYER, round };
    this.send({ kind: "choose", stake: stake.id, course, verdict, ...own });
  }

  /** Send what a dealer does after a command; this client deals for itself. */
  private next(done: AnyCommand): void {
    switch (done.kind) {
      case "slip":
        this.send(done); // its answer may have been lost: sent again, it is not done again
        this.send({ kind: "close-bets", id: this.id() });
        return;
      case "close-bets":
        this.send({ kind: "deal", id: this.id() });
        return;
      case "deal":
        this.send({ kind: "settle", id: this.id() });
        return;
      case "settle":
        this.send({ kind: "open-bets", id: this.id() });
        return;
      default:
        return;
    }
  }

  private id(): string {
    this.number += 1;
    return `node-${this.number}`;
  }
}

const [program, ...rest] = process.argv.slice(2);
if (program === undefined) throw new Error("name the host: npm start -- python ../wire_host.py");
const host = spawn(program, rest, { stdio: ["pipe", "pipe", "inherit"] });
const client = new Client((command) => host.stdin.write(`${JSON.stringify(command)}\n`));
for await (const text of createInterface({ input: host.stdout })) client.read(parse(text) as Line);

const { coups, balance, account, repeated } = client;
console.log(JSON.stringify({ coups, balance, account, repeated }));
process.exitCode = balance === account ? 0 : 1;
