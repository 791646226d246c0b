/**
 * A player at a table of `trente serve`, for one shoe.
 *
 * npm ci && npm run build && npm start -- http://127.0.0.1:8030 TOKEN TABLE
 *
 * In the middle the connection is lost while a slip is on its way: the client comes again after the
 * last event it has seen, and sends the slip again. At the end its balance, the sum of the movements
 * it was sent, must be the account that the service has.
 */

import { parse } from "./trente.js";
import type { ClientMessage, GivenCommand, HouseFacts, Me, ServerMessage, Stamped, TableNow } from "./trente.js";

const LOST_AT = 8; // the coup at which the connection is lost
const [address = "", token = "", table = ""] = process.argv.slice(2);

async function read<T>(path: string): Promise<T> {
  const response = await fetch(address + path, { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(await response.text());
  return parse(await response.text()) as T;
}

const { name } = await read<Me>("/api/me");
const house = await read<HouseFacts>(`/api/tables/${table}/house`);
const result = { coups: 0, balance: 0, account: 0, repeated: 0 };
const counted = new Set<string>();
let last = -1; // the index of the last event that was seen
let slip: GivenCommand | undefined;
let socket: WebSocket;
let end: () => void;
const shoe = new Promise<void>((resolve) => { end = resolve; });

function connect(): void {
  const url = `${address.replace("http", "ws")}/api/tables/${table}/socket${last < 0 ? "" : `?after=${last}`}`;
  const opened = (socket = new WebSocket(url, ["trente-rules.1", `bearer.${token}`]));
  opened.onopen = () => { if (slip) send({ kind: "command", command: slip }); };
  opened.onmessage = ({ data }) => { if (opened === socket) take(parse(String(data)) as ServerMessage); };
}

function send(message: ClientMessage): void {
  socket.send(JSON.stringify(message));
}

function take(message: ServerMessage): void {
  switch (message.kind) {
    case "state":
      result.balance = message.view.account ?? 0;
      last = message.view.events - 1;
      return;
    case "entry":
      for (const { id, units } of message.entry.movements) {
        if (!counted.has(id)) result.balance += units; // as a wallet does
        counted.add(id);
      }
      return message.entry.events.forEach(see);
    case "clock": // what the table waits for
      if (message.waits_for === "bets" && !slip) bet();
      if (message.waits_for === "cut") send({ kind: "cut", place: house.cut?.[0] ?? 0 });
      if (message.waits_for === "marker") send({ kind: "marker", from_end: house.marker?.low ?? 0 });
      return;
    case "done":
      result.repeated += Number(message.repeated);
      if (message.id === slip?.id) send({ kind: "ready", ready: true });
      return;
    case "refused": // without an id somebody else was quicker, to cut or to place the marker
      if (message.id) throw new Error(`${message.problem.code}: ${message.problem.title}`);
  }
}

function bet(): void {
  const [first, second] = house.chances.filter((chance) => chance.insurable);
  if (!first || !second) throw new Error("nothing can be insured in this house");
  const amount = Math.max(first.least, house.insurance?.minimum_stake ?? 0);
  const id = `slip-${last}`;
  const insured = { stake: `${id}-1`, chance: first.id, amount, insured: true };
  slip = { kind: "slip", id, bets: [insured, { stake: `${id}-2`, chance: second.id, amount }] };
  send({ kind: "command", command: slip });
  result.coups += 1;
  if (result.coups !== LOST_AT) return;
  socket.close();
  connect();
}

function see(event: Stamped): void {
  last = event.index;
  if (event.kind === "bets-opened") slip = undefined;
  if (event.kind === "shoe-ended") end();
  if (event.kind !== "choice-offered" || event.stake.owner !== name) return;
  const { stake, courses, verdict } = event;
  const course = courses.at(-1) ?? ""; // the first one is what happens without a choice
  send({ kind: "command", command: { kind: "choose", id: `choice-${last}`, stake: stake.id, course, verdict } });
}

connect();
await shoe;
result.account = (await read<TableNow>(`/api/tables/${table}`)).view.account ?? 0;
console.log(JSON.stringify(result));
process.exit(result.account === result.balance ? 0 : 1);
