/**
 * The types of the wire contract of trente-rules, version 1.
 * Made by trente schema --typescript: do not edit.
 */

/** Say a phrase of the house that needs no values, such as `ajouter_a_la_banque`. */
export interface Announce {
  kind: "announce";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  phrase: string;
}

/**
 * A call of the croupier: the phrase and its values.
 * `house.words.say(event)` is its text in this house, `Language.say` that in any language.
 */
export interface Announced {
  kind: "announced";
  phrase: string;
  values: { [name: string]: Integer | string };
}

export type AnyCommand =
  | OpenShoe
  | Cut
  | Burn
  | PlaceMarker
  | OpenBets
  | Place
  | Slip
  | Increase
  | Insure
  | Withdraw
  | MovePrisoner
  | CloseBets
  | Deal
  | Turn
  | Retract
  | Expose
  | ShowMarker
  | Choose
  | Settle
  | VoidCoup
  | Correct
  | EndShoe
  | Post
  | BuyIn
  | CashOut
  | Announce
  | CloseSession;

export type AnyEvent =
  | ShoeOpened
  | CutMade
  | Burned
  | MarkerPlaced
  | BetsOpened
  | StakePlaced
  | StakeIncreased
  | StakeInsured
  | StakeWithdrawn
  | PrisonerMoved
  | BetsClosed
  | CardTurned
  | CardBurned
  | CardsRetracted
  | MarkerShown
  | CoupDealt
  | ChoiceOffered
  | ChoiceMade
  | ChoiceDropped
  | StakeSettled
  | CoupSettled
  | CoupVoided
  | CoupCorrected
  | LineCorrected
  | StakeCorrected
  | OpeningPosted
  | BoughtIn
  | CashedOut
  | ShoeEnded
  | Announced
  | SessionClosed;

/** Bets are closed: rien ne va plus. */
export interface BetsClosed {
  kind: "bets-closed";
  coup: Integer;
}

/** Bets are open for a coup, counted from 1 in its taille. */
export interface BetsOpened {
  kind: "bets-opened";
  coup: Integer;
}

/** A player has bought chips; `purse` is what the player can stake now. */
export interface BoughtIn {
  kind: "bought-in";
  player: string;
  amount: Integer;
  purse: Integer;
}

/** Burn the first cards as the house does; a live shoe needs those of them that are shown. */
export interface Burn {
  kind: "burn";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  cards?: Card[];
}

/** Cards are burned at the front; `cards` where the house shows them. */
export interface Burned {
  kind: "burned";
  count: Integer;
  cards: Card[];
}

/** Buy chips for `amount` units, at a table with purses. */
export interface BuyIn {
  kind: "buy-in";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  player: string;
  amount: Integer;
}

/** A card: `10♥`, `A♠`. */
export type Card = string;

/** A card shown by mistake is out of play. */
export interface CardBurned {
  kind: "card-burned";
  card: Card;
  place: Integer;
}

/**
 * The score card of the taille, as players keep it.
 * `columns` are the chances of the columns, in pairs, `letters` the heads over them.
 */
export interface CardReading {
  shoe: Integer;
  columns: string[];
  letters: string[];
  rows: CardRow[];
}

/** One line of the score card: a mark for each column, `points` in the order of the deal. */
export interface CardRow {
  coup: Integer;
  marks: ("win" | "" | "refait" | "unknown")[];
  tie: "" | "apres" | "refait";
  points: Integer[];
}

/** A card is turned: its row, the total of the row now, its place in the shoe from 1. */
export interface CardTurned {
  kind: "card-turned";
  card: Card;
  row: "first" | "second";
  total: Integer;
  place: Integer;
}

/**
 * One test of the cards: `seen` and `expected` are counts, or chi-square and its mean.
 * `of` is how many coups it is of, or tailles.
 */
export interface CardsReading {
  test: string;
  of: Integer;
  seen: string;
  expected: string;
  p: string;
  alarm: boolean;
}

/**
 * Cards of the coup that is on were read wrong and are in the shoe again.
 * `cards` are in the order in which they were turned, or with `exposed` shown by mistake, at
 * `places` in the shoe from 1. `row` is the open one now, `total` what it counts. A coup that
 * was dealt is not dealt any more.
 */
export interface CardsRetracted {
  kind: "cards-retracted";
  cards: Card[];
  places: Integer[];
  row: "first" | "second";
  total: Integer;
  exposed: boolean;
  reason: string | null;
}

/** Take `amount` units out of a purse, all of it by default, at a table with purses. */
export interface CashOut {
  kind: "cash-out";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  player: string;
  amount?: Integer | null;
}

/** A player has taken money out of the purse; `purse` is left. */
export interface CashedOut {
  kind: "cashed-out";
  player: string;
  amount: Integer;
  purse: Integer;
}

/**
 * The command that caused an event: its id, the player who gave it, and who entered it.
 * `player` is empty for a command of the staff; `staff`, `device` and `meta` are what the host
 * said about the command.
 */
export interface Cause {
  command: string;
  player: string;
  staff: string;
  device: string;
  meta: { [name: string]: string };
}

/** The least and the most that may be staked on one chance, in units; None where not posted. */
export interface ChanceBounds {
  chance: string;
  minimum?: Integer | null;
  maximum?: Integer | null;
}

/** The chips of all players on one chance: units of free stakes, of prisoners, and how many. */
export interface ChanceChips {
  chance: string;
  amount: Integer;
  prisoners: Integer;
  players: Integer;
}

/**
 * One chance of a table: amounts in units, under what is posted now.
 * `key` is the key of a keyboard that puts a chip on it; `odds` are what a win pays for each
 * unit, rising, as fractions. `most` is what one player may have on it, None without a maximum,
 * 0 where the chance is closed. `opposite` is the other chance of its pair, empty for a side
 * bet. `needs_simple` is whether it takes a stake only from a player with one on a simple
 * chance. `rule` says in the language when it wins.
 */
export interface ChanceFacts {
  id: string;
  name: string;
  simple: boolean;
  key: string;
  odds: string[];
  odds_text: string;
  least: Integer;
  most: Integer | null;
  step: Integer;
  insurable: boolean;
  opposite: string;
  needs_simple: boolean;
  rule: string;
}

/**
 * The odds of one chance, and the bank's edge at the player's best play, in parts of the stake.
 * `insured` is the edge with insurance, None where the house has none; `gain` what insurance
 * saves, its premium paid; `of_premium` the same in parts of the rate. `insure` is whether it is
 * worth its premium now.
 */
export interface ChanceOdds {
  chance: string;
  name: string;
  win: PartText;
  lose: PartText;
  apres: PartText;
  refait: PartText;
  edge: PartText;
  insured: PartText | null;
  gain: PartText | null;
  of_premium: PartText | null;
  insure: boolean | null;
}

/** The chips of all players on the chances, where the house shows them; the newest counts. */
export interface ChipsMessage {
  kind: "chips";
  chances: ChanceChips[];
}

/**
 * A player's choice of a course, should a verdict meet a stake in a state.
 * It may be given before the coup; it acts only if the verdict meets the stake in that state.
 * The verdict may be given by its id; `RuleError` ("unknown-verdict") for an unknown one.
 */
export interface Choice {
  stake: string;
  course: string;
  state: string;
  verdict: Verdict;
}

/** A choice made in advance is not offered now: the default acts. */
export interface ChoiceDropped {
  kind: "choice-dropped";
  stake: string;
  course: string;
  owner: string;
}

/** A player has chosen for a stake of `owner`. */
export interface ChoiceMade {
  kind: "choice-made";
  stake: string;
  course: string;
  state: string;
  verdict: Verdict;
  owner: string;
}

/** A player may choose the course of a stake; the first one is the default. */
export interface ChoiceOffered {
  kind: "choice-offered";
  stake: Stake;
  verdict: Verdict;
  courses: string[];
}

/**
 * The choice for one stake: the question, the courses, and the one that is chosen, if any.
 * `state` is that of the stake before the coup, `met` what the verdict is called.
 */
export interface ChoiceReading {
  stake: string;
  chance: string;
  name: string;
  amount: Integer;
  state: string;
  verdict: string;
  met: string;
  question: string;
  chosen: string;
  courses: CourseReading[];
}

/**
 * Choose a course for a stake, should `verdict` meet it in `state`.
 * The choice is for this coup: `state` may name the one the stake is in, to be checked. A later
 * choice replaces an earlier one; without a choice the house's default acts.
 */
export interface Choose {
  kind: "choose";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  stake: string;
  course: string;
  player?: string;
  state?: string;
  verdict?: string;
}

export type ClientMessage = CommandMessage | ReadyMessage | CutMessage | MarkerMessage | LanguageMessage | PingMessage;

/**
 * The clock: what the table waits for, and how long; the newest counts.
 * `waits_for` is what a player may do now at a table that the service deals: `bets` (place, then
 * say ready), `cut`, `marker`, `choices`, `nothing` (the dealer is at work). `left` is in
 * milliseconds, None where it waits as long as it takes. `ready` of `players` who are connected
 * have said so.
 */
export interface ClockMessage {
  kind: "clock";
  waits_for: "nothing" | "bets" | "cut" | "marker" | "choices";
  left: Integer | null;
  ready: Integer;
  players: Integer;
}

/** Close the bets: rien ne va plus. */
export interface CloseBets {
  kind: "close-bets";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
}

/** Close the session: free stakes are returned, prisoners settled as the house says. */
export interface CloseSession {
  kind: "close-session";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
}

/** A command of the wire contract; a player's own name may be left out of it. */
export interface CommandMessage {
  kind: "command";
  command: GivenCommand;
}

/**
 * Take the settlement of a coup back, with a reason, and settle it again.
 * `target` is the coup, of any shoe of the session: by default the last one of the shoe at hand.
 * `cards` are those of a live shoe that were read wrong, as they are, None where they were read
 * right: a list without a card is refused. `choices` are (stake, course) pairs that replace
 * those made; `void` voids the coup instead. Without `void` a coup that was void is settled.
 */
export interface Correct {
  kind: "correct";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  reason: string;
  cards?: Card[] | null;
  choices?: [string, string][];
  void?: boolean;
  target?: Round | null;
}

/** A coup: the cards of two rows with ` / ` between them. */
export type Coup = string;

/**
 * The settlement of a coup of a shoe is taken back; the events that follow replace it.
 * `reversed` are the lines that count no more, with those that were closed with the shoe where
 * its end is taken back too. `coup` and `verdicts` are those that counted until now, and `void`
 * is why the coup was void. With `with_end` an end of the shoe that came with the coup is taken
 * back too, and decided again. `turned` are the cards of rows that were not completed. Journals
 * of releases before 0.4.0 have number and reason alone, and corrected the last coup. `reason`
 * is None in a view, and `void` is then empty.
 */
export interface CoupCorrected {
  kind: "coup-corrected";
  number: Integer;
  reason: string | null;
  shoe: Integer;
  reversed: Line[];
  coup: Coup | null;
  verdicts: [string, Verdict][];
  void: string;
  with_end: boolean;
  turned: Card[];
}

/** Both rows are complete; `verdicts` are those of every chance of the house. */
export interface CoupDealt {
  kind: "coup-dealt";
  number: Integer;
  coup: Coup;
  verdicts: [string, Verdict][];
}

/**
 * One coup: its rows, verdicts, what it is called, and the viewer's own lines.
 * `status` is how far it went. `winners` are the simple chances that won, `tie` says which kind
 * of tie it was. `outcome` is the result in words. `net` is the viewer's, None before the coup
 * is settled and where it is void. `void` and `reason` (of a correction) are in words, as far as
 * the viewer may see them. `corrected` counts corrections.
 */
export interface CoupReading {
  shoe: Integer;
  coup: Integer;
  status: "betting" | "closed" | "dealing" | "dealt" | "settled" | "void";
  first: RowReading;
  second: RowReading;
  verdicts: { [name: string]: string };
  winners: string[];
  tie: "" | "apres" | "refait";
  outcome: string;
  lines: LineReading[];
  net: Integer | null;
  void: string;
  corrected: Integer;
  reason: string;
  last: boolean;
}

/**
 * One coup as it was settled last; earlier settlements of it are in `taken_back`.
 * `exposed` are cards burned because they were shown by mistake. `marker` is how many cards were
 * out when the marker came up within the coup; `last` that the coup was finished as the last
 * one. `posted` are limits that were posted before it, and hold from it on.
 */
export interface CoupRecord {
  number: number;
  opened?: string;
  closed?: string;
  settled?: string;
  first?: string;
  second?: string;
  first_places?: string;
  second_places?: string;
  points?: number[];
  verdicts?: { [name: string]: string };
  void?: string;
  players_net?: number;
  bank_net?: number;
  stakes?: StakeRecord[];
  exposed?: string;
  exposed_places?: string;
  marker?: number | null;
  last?: boolean;
  posted?: Integer | Opening | null;
  taken_back?: TakenBack[];
}

/** The coup is settled, with the net results of players and bank: None in a view. */
export interface CoupSettled {
  kind: "coup-settled";
  number: Integer;
  players_net: Integer | null;
  bank_net: Integer | null;
}

/**
 * The coup is void: everything is as it was before it.
 * `why` is the code of a reason that the table gave itself, for other languages; nothing where
 * the staff gave one: in a view `reason` is then None, since it may name a player.
 */
export interface CoupVoided {
  kind: "coup-voided";
  number: Integer;
  reason: string | null;
  lines: Line[];
  why: "" | "out-of-cards" | "marker-out" | "no-coup-left" | "too-few-cards" | "exposed";
}

/**
 * One course that is offered for a stake; amounts in units.
 * `name` is what it is called, `call` what the croupier calls, empty for nothing. `returned`
 * goes back now with `won` on top, `taken` goes to the bank now, `staying` stays in `state`,
 * empty where nothing stays. `sentence` says all that. `worth` is the exact value of the stake,
 * in units, under best play from here, as a fraction; `worth_text` the same in money.
 */
export interface CourseReading {
  course: string;
  name: string;
  call: string;
  moves: string[];
  sentence: string;
  returned: Integer;
  won: Integer;
  taken: Integer;
  staying: Integer;
  state: string;
  worth: string;
  worth_text: string;
  best: boolean;
  default: boolean;
}

/**
 * Cut the cards: the first `place` go behind the others; a live shoe is left as it is.
 * None is the place that was drawn for the shoe, where it is a fair one, and otherwise 0.
 * `card` is the card shown at the cut, needed for a live shoe where its colour decides that of
 * the first row. A shoe of known order shows the lowest of the cards lifted, now its last card.
 */
export interface Cut {
  kind: "cut";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  place?: Integer | null;
  by?: "player" | "croupier" | "player-on-right";
  card?: Card | null;
}

/**
 * The cards are cut.
 * `card` is the card shown, in a house where its colour decides that of the first row, which is
 * then `first_row`, for this shoe.
 */
export interface CutMade {
  kind: "cut-made";
  place: Integer;
  by: string;
  card: Card | null;
  first_row: "" | "noir" | "rouge";
}

/** The player cuts: so many cards go behind the others. Taken while the table waits for it. */
export interface CutMessage {
  kind: "cut";
  place: Integer;
}

/** Deal the coup to its end, from a shoe whose order is known. */
export interface Deal {
  kind: "deal";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
}

/**
 * The dealer's page besides the view: the coup so far, and what comes next.
 * `next_row` is the row that the next card belongs to, empty where none is dealt, `next_colour`
 * its colour, `total` what it counts now. `allowed` are the commands that can be given now.
 * `said` are the calls of the coup, each in the language of the house and the one asked for.
 * `waiting` counts the choices that players have not made. `staked` are the free units on each
 * chance, `held` those in prison. `coups` are the last ones, which can be corrected.
 */
export interface DealerReading {
  first: RowReading;
  second: RowReading;
  next_row: string;
  next_colour: string;
  total: Integer;
  left: Integer | null;
  marker: Integer | null;
  marker_shown: boolean;
  allowed: string[];
  said: [string, string][];
  waiting: Integer;
  staked: { [name: string]: Integer };
  held: { [name: string]: Integer };
  players: Integer;
  coups: CoupReading[];
}

/** A command of this client was done: its id. `repeated` where it had been done before. */
export interface DoneMessage {
  kind: "done";
  id: string;
  sequence: Integer;
  repeated: boolean;
}

/**
 * The end of the taille, and of the session where it was closed.
 * `why` is `marker`, `cards` or `called`, empty while the taille is not over. `left` cards were
 * not dealt; `marker` is how many were out when it came up between two coups. `posted` are
 * limits that were posted after the last coup, `stakes` those that were closed.
 */
export interface EndOf {
  why?: string;
  left?: number;
  posted?: Integer | Opening | null;
  at?: string;
  marker?: number | null;
  session_closed?: boolean;
  session_at?: string;
  stakes?: StakeRecord[];
}

/** End the taille before its marker or its last card: les cartes passent. */
export interface EndShoe {
  kind: "end-shoe";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
}

/**
 * A command that a table has done: its events, and the money it moved.
 * `sequence` counts the commands of a table, or of its journal, from 1; `round` is the coup that
 * was on after the command; `first_event` is the index, in the session, of its first event.
 * `repeated` is true where the command had been done before and was sent again. `schema` is that
 * of the release that wrote it: an earlier one wrote fewer fields.
 */
export interface Entry {
  schema: Integer;
  sequence: Integer;
  round: Round;
  command: AnyCommand;
  first_event: Integer;
  events: Stamped[];
  movements: Movement[];
  repeated: boolean;
}

/**
 * An entry: what a command did, as far as the client may see it; each event has its index.
 * `said` gives the index of each announcement among the events with its text in the language of
 * the house and in that of the client.
 */
export interface EntryMessage {
  kind: "entry";
  entry: EntryView;
  said: { [name: string]: [string, string] };
}

/**
 * The part of an entry that a viewer may see: events, and movements of own money.
 * Each event has its stamp: where one is left out, its index in the session is. Of the command
 * that caused them only its player knows, and the dealer.
 */
export interface EntryView {
  schema: Integer;
  sequence: Integer;
  round: Round;
  events: Stamped[];
  movements: Movement[];
  repeated: boolean;
}

/** A part of the events of a table, in order; `next` is the last index that was looked at. */
export interface EventsPage {
  entries: EntryView[];
  next: Integer;
}

/** Burn a card that was shown by mistake, or void the coup, as the house says. */
export interface Expose {
  kind: "expose";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  card?: Card | null;
}

/** A command as it is given to the service: a player may leave out their own name. */
export type GivenCommand =
  | OpenShoe
  | Cut
  | Burn
  | PlaceMarker
  | OpenBets
  | OwnPlace
  | OwnSlip
  | Increase
  | Insure
  | Withdraw
  | MovePrisoner
  | CloseBets
  | Deal
  | Turn
  | Retract
  | Expose
  | ShowMarker
  | Choose
  | Settle
  | VoidCoup
  | Correct
  | EndShoe
  | Post
  | BuyIn
  | CashOut
  | Announce
  | CloseSession;

/** The state of the service: up and ready for more, or about to end. */
export interface Health {
  status: "ok" | "stopping" | "failing";
  checks?: { [name: string]: string };
}

/**
 * The stakes of earlier coups, as limits need them: each player's total for each coup.
 * It is built from `bets`, (party, units) pairs in the order of the coups; a coup without a
 * stake has none. A party is that of `Stake.party`.
 */
export interface History {
  bets: [string, Integer][];
}

/** A house that tables may be made of; `unit` is a decimal of its currency. */
export interface HouseChoice {
  name: string;
  title: string;
  currency: string;
  unit: string;
}

/**
 * Everything that a page needs to know of a house and of what is posted at a table.
 * `unit` is the smallest amount in the currency, `decimals` the places of its amounts, and
 * `decimal` and `thousands` how the language writes them. `language` is that of the calls,
 * `now_language` the one that names and texts here are in. `burn` is the number of cards, None
 * where the first card says it. `cut` are the least and the most cards that go behind, None
 * where nobody cuts; `cut_by` is then empty. `every_coup` is a machine that shuffles for each
 * coup. `first_colour` is that of the first row, empty where the cut decides it. `chips` are the
 * values of chips in units, rising. `refaits` are the points whose tie is a refait.
 */
export interface HouseFacts {
  name: string;
  title: string;
  fingerprint: string;
  currency: string;
  unit: string;
  decimals: Integer;
  decimal: string;
  thousands: string;
  rounding: string;
  language: string;
  now_language: string;
  packs: Integer;
  burn: Integer | null;
  cut_by: string;
  cut: [Integer, Integer] | null;
  cut_after_bets: boolean;
  marker: MarkerFacts | null;
  every_coup: boolean;
  late_bets: boolean;
  first_colour: string;
  wins: "lowest" | "highest";
  chips: Integer[];
  purses: boolean;
  chances: ChanceFacts[];
  states: StateFacts[];
  insurance: InsuranceFacts | null;
  prisoners_move: boolean;
  both_sides: boolean;
  refaits: Integer[];
  phrases: PhraseFacts[];
  languages: LanguageFacts[];
}

/** The house of a snapshot. */
export interface HouseName {
  name: string;
  fingerprint: string;
}

/** The house whose rules were played. */
export interface HouseOf {
  name: string;
  fingerprint: string;
}

/** Add units to a free stake; where it is insured, the premium with it. */
export interface Increase {
  kind: "increase";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  stake: string;
  amount: Integer;
  player?: string;
  chips?: string;
}

/**
 * The insurance of a house: its rate as a fraction of the stake, and what it is bought for.
 * Amounts are units; 0 means no bound. `covers` are the states of stakes that can be insured,
 * `prisoners` whether there is a prison among them. `lasts` is how long a premium insures a
 * stake. `premium_text` says in the language what is paid. What one stake pays, a preview of the
 * command says: its event has the premium.
 */
export interface InsuranceFacts {
  rate: string;
  rate_text: string;
  premium_text: string;
  minimum_stake: Integer;
  maximum_stake: Integer;
  multiple: Integer;
  minimum_premium: Integer;
  maximum_premium: Integer;
  covers: string[];
  prisoners: boolean;
  lasts: "coup" | "until-decided";
}

/** Insure a stake for this coup; the premium is paid now. */
export interface Insure {
  kind: "insure";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  stake: string;
  player?: string;
  proof?: boolean;
}

/**
 * A whole number. Amounts are units of the house: a stake is at most 10**18, a sum may be more.
 * JavaScript reads numbers exactly up to 2**53 - 1 (9007199254740991): a reader there must
 * refuse a larger one, never round it.
 */
export type Integer = number;

/**
 * One coup in the journal: its steps as the history of a table writes them, whole.
 * `steps` are events with the command, the time and who gave it; `taken_back` settlements that
 * count no more, `outcome` the one that does.
 */
export interface JournalReading {
  shoe: Integer;
  coup: Integer;
  status: string;
  opened_at: string | null;
  closed_at: string | null;
  dealt_at: string | null;
  first: { [name: string]: unknown };
  second: { [name: string]: unknown };
  retracted: { [name: string]: unknown }[];
  dealt: string | null;
  verdicts: { [name: string]: string } | null;
  outcome: { [name: string]: unknown } | null;
  taken_back: { [name: string]: unknown }[];
  steps: { [name: string]: unknown }[];
}

/** A language of the page: its code, and its name in itself. */
export interface LanguageFacts {
  code: string;
  name: string;
}

/** The client wants the second text of announcements in another language. */
export interface LanguageMessage {
  kind: "language";
  language: string;
}

/**
 * The figures of one wager at one amount against the odds; amounts in units, texts as numbers.
 * `chance` is empty, and `amount` 0, for all stakes together.
 */
export interface LevelReading {
  chance: string;
  insured: boolean;
  amount: Integer;
  stakes: Integer;
  turnover: Integer;
  net: Integer;
  expected: string;
  z: string;
  p: string;
  alarm: boolean;
}

/**
 * The result of one stake; amounts in units.
 * The stake and the premium go in: `stake.standing + premium == returned + forfeited + staying +
 * premium_kept + premium_returned`. `won` is paid by the bank on top. `after` is the stake as it
 * continues, None where nothing of it stays. `residue` is the exact amount less the rounded one,
 * above zero where the bank has the difference; `premium_residue` is the amount by which a
 * premium that is kept was rounded up.
 */
export interface Line {
  stake: Stake;
  verdict: Verdict;
  course: string;
  returned: Integer;
  won: Integer;
  forfeited: Integer;
  staying: Integer;
  after: Stake | null;
  insured: boolean;
  premium_kept: Integer;
  premium_returned: Integer;
  residue: Share;
  premium_residue: Share;
}

/**
 * A stake has another line in a coup after a corrected one: the cards of that coup are kept.
 * `was` is the line that counts no more, None where the stake had left the table before, and
 * `line` the one that counts, None where it has now. `coup` is 0 for the end of a shoe or of a
 * session.
 */
export interface LineCorrected {
  kind: "line-corrected";
  shoe: Integer;
  coup: Integer;
  was: Line | null;
  line: Line | null;
}

/**
 * The result of one stake of the viewer in a coup; amounts in units.
 * `state` is that of the stake before, `after` the one it stays in, empty where it left. `text`
 * says all that in one line. `net` counts a stake that stays as the player's.
 */
export interface LineReading {
  stake: string;
  player: string;
  chance: string;
  amount: Integer;
  state: string;
  insured: boolean;
  verdict: string;
  course: string;
  returned: Integer;
  won: Integer;
  lost: Integer;
  staying: Integer;
  premium: Integer;
  after: string;
  net: Integer;
  text: string;
}

/**
 * A live shoe, whose order is not known: its packs, the cards seen, the cards burned unseen.
 * `marker` is where the marker was put, from the end; `marker_out` is true once it came up.
 */
export interface LiveShoe {
  kind: "live";
  packs: Integer;
  seen: string;
  unseen: Integer;
  marker: Integer | null;
  marker_out: boolean;
}

/** The marker: who places it, and how many cards may lie behind it. */
export interface MarkerFacts {
  placed_by: string;
  low: Integer;
  high: Integer;
}

/** The player puts the marker in, before the last so many cards; as for the cut. */
export interface MarkerMessage {
  kind: "marker";
  from_end: Integer;
}

/** The marker is in, before the last `from_end` cards. */
export interface MarkerPlaced {
  kind: "marker-placed";
  from_end: Integer;
  by: string;
}

/** The marker is out; `last` where the coup is finished as the last one of the taille. */
export interface MarkerShown {
  kind: "marker-shown";
  last: boolean;
}

/**
 * Who a token is of: its name, its role, the tables it is for (`*` is all), and its end.
 * `expires` is in seconds since 1970.
 */
export interface Me {
  name: string;
  role: "player" | "dealer" | "supervisor" | "auditor";
  tables: string[];
  expires: Integer;
}

/**
 * A table against the odds: all stakes, each wager at each amount, and the cards dealt.
 * `corrections` counts the corrections of the session, `pending` the stakes whose end is not
 * known yet; those are in no other figure.
 */
export interface MonitorReading {
  house: string;
  fingerprint: string;
  deal: string;
  coups: Integer;
  false_alarms: string;
  alarm: boolean;
  total: LevelReading;
  levels: LevelReading[];
  cards: CardsReading[];
  pending: Integer;
  corrections: Integer;
  voided: Integer;
  bank_net: Integer;
}

/**
 * Move a stake in prison to another chance, still in prison, where the house allows it.
 * `position` is its new place on the cloth.
 */
export interface MovePrisoner {
  kind: "move-prisoner";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  stake: string;
  chance: string;
  player?: string;
  position?: Integer | null;
}

/**
 * Units that move from a player to the table (below zero) or to a player; never zero.
 * `reverses` is the id of the movement that this one takes back, whole.
 */
export interface Movement {
  id: string;
  round: Round;
  stake: string;
  player: string;
  units: Integer;
  reason:
  | "stake"
  | "premium"
  | "withdrawn"
  | "premium-withdrawn"
  | "returned"
  | "won"
  | "premium-returned"
  | "void"
  | "closed"
  | "bought-in"
  | "cashed-out"
  | "reversal";
  reverses: string;
}

/** A part of the movements of a table, in order; `next` is the id to continue after. */
export interface MovementsPage {
  movements: Movement[];
  next: string;
}

/** The viewer's net of one coup, and the sum up to it, in units. */
export interface NetStep {
  shoe: Integer;
  coup: Integer;
  net: Integer;
  total: Integer;
}

/**
 * The odds of the next coup: `cards` are those not seen yet, burned ones among them.
 * `error` is by how much a figure may be off. `edge_holds` and `insured_holds` say for which
 * stakes the edges hold exactly, empty where for all.
 */
export interface OddsReading {
  cards: Integer;
  error: string;
  chances: ChanceOdds[];
  edge_holds: string;
  insured_holds: string;
}

/**
 * Open the bets of the next coup. A coup not yet settled is settled first, by the defaults.
 * Where the shoe ends with that coup, it is settled and no bets open.
 */
export interface OpenBets {
  kind: "open-bets";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
}

/**
 * Open a shoe: `cards` in their order, or None where they come one by one (a live shoe).
 * A list without a card is refused: it never opens a live shoe.
 * Where a machine shuffles for every coup, these are the cards of the next coup. A reader of a
 * sealed journal who has no key finds a `Sealed` in their place; no table takes that.
 * `source` is the origin of the order: the JSON of a `Provenance`, or any text. `cut` and
 * `marker` are where this shoe must be cut, and how many cards must lie behind its marker: of a
 * fair shoe they are drawn with its order. The table then takes no others.
 */
export interface OpenShoe {
  kind: "open-shoe";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  cards?: Card[] | Sealed | null;
  source?: string;
  cut?: Integer | null;
  marker?: Integer | null;
}

/**
 * The bounds posted when a table opens, in units.
 * `minimum` is needed where the house sets it daily, or runs tables with several minima. What
 * else is posted narrows what the house allows: a `maximum`, the bounds of single chances
 * (`per_chance`), and `insurance_minimum`, the least stake that is insured.
 */
export interface Opening {
  minimum?: Integer | null;
  maximum?: Integer | null;
  per_chance?: ChanceBounds[];
  insurance_minimum?: Integer | null;
}

/** Other limits hold from the next coup on; `was` are those that held until now. */
export interface OpeningPosted {
  kind: "opening-posted";
  opening: Opening;
  was: Opening | null;
}

/**
 * Place a stake: `amount` in units. `chips` may name their currency, to be checked.
 * `position` is its place on the cloth, counted from the left, for a house that settles by it.
 */
export interface OwnPlace {
  kind: "place";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  stake: string;
  player?: string;
  chance: string;
  amount: Integer;
  insured?: boolean;
  proof?: boolean;
  group?: string;
  chips?: string;
  position?: Integer | null;
}

/**
 * The viewer's own coups: those that ended with a gain, with a loss, with neither.
 * `staked` and `net` are units; a stake in prison counts as the player's until it leaves.
 */
export interface OwnReading {
  won: Integer;
  lost: Integer;
  neither: Integer;
  staked: Integer;
  net: Integer;
}

/** Place several stakes of one player: all of them, or none. */
export interface OwnSlip {
  kind: "slip";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  player?: string;
  bets: SlipBet[];
}

/**
 * How the service deals a table by itself; times in milliseconds.
 * `bets` is how long bets are open; None waits until every player who is connected is ready.
 * `cut` is how long a player may take to cut or to place the marker, `choices` how long the
 * players may take to choose at a refait; None waits as long as it takes. `card` is the time
 * between two cards; 0 deals the coup in one command, and each page shows it at its own pace.
 * `rest` is the time after a coup is settled.
 */
export interface Pace {
  bets?: Integer | null;
  cut?: Integer | null;
  choices?: Integer | null;
  card?: Integer;
  rest?: Integer;
}

/** A part of one: `value` as a decimal, `text` in per cent, as the language writes it. */
export interface PartText {
  value: string;
  text: string;
}

/**
 * A phrase that the dealer may call at will, with its text.
 * It is `said` in the language of the house, and `translated` into the one asked for.
 */
export interface PhraseFacts {
  phrase: string;
  said: string;
  translated: string;
}

/** Ask for a pong, to know that somebody is there. */
export interface PingMessage {
  kind: "ping";
}

/**
 * Place a stake: `amount` in units. `chips` may name their currency, to be checked.
 * `position` is its place on the cloth, counted from the left, for a house that settles by it.
 */
export interface Place {
  kind: "place";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  stake: string;
  player: string;
  chance: string;
  amount: Integer;
  insured?: boolean;
  proof?: boolean;
  group?: string;
  chips?: string;
  position?: Integer | null;
}

/**
 * Put the marker in, `from_end` cards before the end.
 * None where the house leaves no choice, or the place was drawn with the order of a fair shoe.
 * In a live shoe the place is only stored: the shoe ends when the marker comes up.
 */
export interface PlaceMarker {
  kind: "place-marker";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  from_end?: Integer | null;
  by?: "croupier" | "player";
}

/** The answer to a ping. */
export interface PongMessage {
  kind: "pong";
}

/** Post other limits between two coups; prisoners stay, and the coups before are left alone. */
export interface Post {
  kind: "post";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  opening: Opening;
}

/** A stake in prison is on another chance. */
export interface PrisonerMoved {
  kind: "prisoner-moved";
  stake: Stake;
  was_on: string;
}

/**
 * Why something was refused, as problem details (RFC 9457) with the library's own values.
 * `type` is `urn:trente-rules:error:CODE`, `title` the message, `detail` what to do about it,
 * `code` stable and safe to match on. `values` are the fields of the error, such as `phase` or
 * `allowed`.
 */
export interface Problem {
  type: string;
  title: string;
  status: Integer;
  code: string;
  detail: string;
  values: { [name: string]: unknown };
}

/**
 * Where draws come from. It holds no secret: neither a server seed nor a seed.
 * `method` names the specification and its version (docs/entropy.md), `commitment` is the
 * SHA-256 that was published for the seed, in 64 hexadecimal digits, `nonce` the number of the
 * shoe (or of the stream), `client_seeds` what players gave, `position` how many bytes of the
 * stream were taken before. `plan` is what the commitment binds of a fair shoe, `beacon` and
 * `beacon_value` the beacon that was named and its value, `seeds` the SHA-256 of the list of
 * client seeds. JSON leaves out what a source does not have. A fair shoe has a plan where its
 * method is `trente-fair-2`, and no other: `TrenteError` ("bad-provenance").
 */
export interface Provenance {
  source: "system" | "seeded" | "fair" | "given";
  method?: string;
  commitment?: string;
  nonce?: number | null;
  client_seeds?: string[];
  position?: number;
  plan?: string;
  beacon?: string;
  beacon_value?: string;
  seeds?: string;
}

/** The player wants the coup to be dealt; with `ready` false not yet. */
export interface ReadyMessage {
  kind: "ready";
  ready?: boolean;
}

/**
 * The record of one taille.
 * `sha256` is over all but itself and the fields of the user; empty where the record is not
 * sealed. `warnings` name the unknown keys that were passed over when it was read.
 */
export interface Record {
  schema: number;
  engine: string;
  sha256?: string;
  house: HouseOf;
  table: TableOf;
  shoe: ShoeOf;
  provenance?: Provenance | null;
  prisoners?: Standing[];
  coups?: CoupRecord[];
  end?: EndOf;
  rules?: RulesOf;
}

/** A message of this client was refused: the id of its command, empty where it had none. */
export interface RefusedMessage {
  kind: "refused";
  id: string;
  problem: Problem;
}

/**
 * One coup with its events, as the viewer saw them, from the opening of its bets.
 * `said` gives the index of each announcement with its text in the language of the house and in
 * the one asked for, as in the message of an entry.
 */
export interface ReplayReading {
  coup: CoupReading;
  events: Stamped[];
  said: { [name: string]: [string, string] };
}

/**
 * Take back the last `cards` turned of the coup that is on: a live shoe was read wrong.
 * Cards that were exposed between them stay out, and so does the marker. With `exposed` the last
 * cards that were exposed by mistake are taken back instead, before another card is turned.
 */
export interface Retract {
  kind: "retract";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  cards?: Integer;
  exposed?: boolean;
  reason?: string;
}

/**
 * A coup of a session: `SESSION/SHOE/COUP`, such as `a1b2c3/2/14`. The coup is 0 before the
 * first of a shoe, and for what ends a shoe or a session.
 */
export type Round = string;

/** One row of a coup: its colour, its cards in order, its point, None where not complete. */
export interface RowReading {
  colour: "noir" | "rouge";
  cards: string[];
  point: Integer | null;
}

/** The rules of the house: its TOML, or the name of a file in the folder of the record. */
export interface RulesOf {
  file?: string;
  toml?: string;
}

/** Cards that are sealed, as a reader without the key has them: no table takes them. */
export interface Sealed {
  sealed: string;
}

export type ServerMessage =
  | StateMessage
  | EntryMessage
  | ChipsMessage
  | ClockMessage
  | DoneMessage
  | RefusedMessage
  | PongMessage;

/**
 * The session is over: the net of every player, sorted, and of the bank since it began.
 * In a view `players` has the viewer alone, and `bank` is None.
 */
export interface SessionClosed {
  kind: "session-closed";
  players: [string, Integer][];
  bank: Integer | null;
}

/** Settle the coup that is dealt. */
export interface Settle {
  kind: "settle";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
}

/** An exact fraction: `1/2`, `1`, `-1/3`. */
export type Share = string;

/**
 * The ordered cards of one taille, and how far they are dealt.
 * `cards` never change their order. `position` counts the cards that are out, `burned` those of
 * them burned at the front. `marker` is how many cards lie before the marker, or None. The cards
 * to come are a secret: `repr` leaves them out.
 */
export interface Shoe {
  kind: "known";
  cards: string | Sealed;
  packs: Integer;
  position: Integer;
  burned: Integer;
  marker: Integer | null;
}

/** The taille is over, and `left` cards were not dealt. */
export interface ShoeEnded {
  kind: "shoe-ended";
  shoe: Integer;
  why: "marker" | "cards" | "called";
  left: Integer;
}

/**
 * The shoe, and what was done to it before the first coup.
 * `order` are all cards before the cut, empty while the taille is not over. `source` describes
 * where they are from, if the record has no provenance. `server_seed` is the revealed seed of a
 * provably fair shoe. `first_row` is the colour of the first row where `cut_card`, the card
 * shown at the cut, decided it. `shuffled` is `every-coup` where a machine shuffled for every
 * coup: places are then counted anew in each, and the record has no order. With `order_sealed`
 * it was left out because it is sealed in the journal, and the key was not given.
 */
export interface ShoeOf {
  number: number;
  opened?: string;
  packs: number;
  live: boolean;
  source?: string;
  server_seed?: string;
  cut?: number | null;
  cut_by?: string;
  cut_card?: string;
  first_row?: string;
  shuffled?: string;
  burn?: number | null;
  burned?: string;
  marker?: number | null;
  marker_by?: string;
  order?: string[];
  order_sealed?: boolean;
}

/** A shoe is on the table; `live` where its cards come one by one. */
export interface ShoeOpened {
  kind: "shoe-opened";
  shoe: Integer;
  packs: Integer;
  live: boolean;
  source: string;
}

/**
 * The cards of the shoe on the table: `low` are aces to sixes, `high` eights to kings.
 * `burned` are those burned unseen. `cut` and `marker` (cards behind it) are None where they are
 * not known, `to_marker` how many cards come before it.
 */
export interface ShoeReading {
  packs: Integer;
  cards_out: Integer;
  cards_left: Integer;
  points_out: Integer;
  low_out: Integer;
  low_left: Integer;
  high_out: Integer;
  high_left: Integer;
  burned: Integer;
  cut: Integer | null;
  marker: Integer | null;
  to_marker: Integer | null;
}

/**
 * A shoe that the service shuffles and opens, or a live one at a live table.
 * `id` is that of the command, as the sender counts them: sent again, it opens no second shoe.
 */
export interface ShoeWanted {
  id: string;
}

/** Record that the marker of a live shoe came up before the next card. */
export interface ShowMarker {
  kind: "show-marker";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
}

/** Place several stakes of one player: all of them, or none. */
export interface Slip {
  kind: "slip";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  player: string;
  bets: SlipBet[];
}

/** One stake of a slip, as in `Place`. */
export interface SlipBet {
  stake: string;
  chance: string;
  amount: Integer;
  insured?: boolean;
  proof?: boolean;
  group?: string;
  chips?: string;
  position?: Integer | null;
}

/** A snapshot; `entries` are what the table did at each command of the last shoes. */
export interface Snapshot {
  schema: Integer;
  engine: string;
  house: HouseName;
  table: string;
  opening: Integer | Opening | null;
  state: TableState;
  entries: SnapshotEntry[];
  purses?: boolean;
  session: string;
}

/** An entry as it is written; older schemas had no movements. */
export interface SnapshotEntry {
  sequence: Integer;
  round: Round;
  command: AnyCommand;
  first_event: Integer;
  events: AnyEvent[];
  movements: Movement[] | null;
}

/**
 * One stake of one player on one chance.
 * `amount` is in units of the house and never changes while the stake is on the table. `share`
 * is its worth now, as a part of the amount; `handed_back` counts units of it that have left the
 * table already. `insured` asks for insurance; `proof` is whether the premium was paid where the
 * house wants it in advance. `group` names players who bet together, where that is known.
 * `position` is the place of the stake on the cloth, counted from the left, where that is known.
 * `covered` is true of a prisoner that a premium of an earlier coup still insures.
 */
export interface Stake {
  id: string;
  owner: string;
  chance: string;
  amount: Integer;
  state: string;
  share: Share;
  insured: boolean;
  proof: boolean;
  handed_back: Integer;
  group: string;
  position: Integer | null;
  covered: boolean;
}

/**
 * A correction of an earlier coup changes what lies on the table now.
 * `was` is None for a stake that had left the table, `now` for one that has left it since.
 */
export interface StakeCorrected {
  kind: "stake-corrected";
  was: Stake | null;
  now: Stake | null;
}

/** A stake is larger by `added`; `premium` is the increase of its premium. */
export interface StakeIncreased {
  kind: "stake-increased";
  stake: Stake;
  added: Integer;
  premium: Integer;
}

/** A stake is insured for this coup. */
export interface StakeInsured {
  kind: "stake-insured";
  stake: Stake;
  premium: Integer;
}

/** A stake is on the table, and its premium paid. */
export interface StakePlaced {
  kind: "stake-placed";
  stake: Stake;
  premium: Integer;
}

/**
 * A stake of one coup: before the deal, what was chosen, and how it was settled.
 * `choices` are (verdict, course) pairs. `order` is its place in the order of the settlement,
 * from 1. `after` is its state in the next coup, empty where nothing of it stays; `chance_after`
 * is its next chance if that differs: a void puts a moved prisoner back.
 */
export interface StakeRecord {
  id: string;
  player: string;
  group?: string;
  chance: string;
  amount: number;
  state?: string;
  share?: Share;
  handed_back?: number;
  position?: number | null;
  covered?: boolean;
  insured?: boolean;
  premium?: number;
  choices?: { [name: string]: string };
  order: number;
  verdict: string;
  course: string;
  returned?: number;
  won?: number;
  forfeited?: number;
  staying?: number;
  premium_returned?: number;
  residue?: Share;
  premium_residue?: Share;
  after?: string;
  share_after?: Share;
  handed_back_after?: number;
  covered_after?: boolean;
  chance_after?: string;
}

/** A stake is settled, in the order of the house. */
export interface StakeSettled {
  kind: "stake-settled";
  line: Line;
}

/** Units of a stake, and of its premium, are returned; `left` stay on the table. */
export interface StakeWithdrawn {
  kind: "stake-withdrawn";
  stake: Stake;
  taken: Integer;
  premium: Integer;
  left: Integer;
}

/**
 * The place of an event: session, round, index in the session, time, and what caused it.
 * `schema` is the version of the form of the event. `round` is the coup that the event belongs
 * to; its coup is 0 before the first coup of a shoe, and for what ends a shoe or a session.
 */
export interface Stamp {
  schema: Integer;
  session: string;
  round: Round;
  index: Integer;
  at: string;
  cause: Cause;
}

/** An event with its stamp: it can be read alone. */
export type Stamped = AnyEvent & Stamp;

/** A stake on the table, such as a prisoner: the fields of `Stake`, as a record names them. */
export interface Standing {
  id: string;
  player: string;
  group?: string;
  chance: string;
  amount: number;
  state?: string;
  share?: Share;
  handed_back?: number;
  position?: number | null;
  covered?: boolean;
}

/** A prison of the house, by the state of its stakes, and what it is called. */
export interface StateFacts {
  id: string;
  name: string;
}

/**
 * The table now: the first message of a connection that does not resume.
 * `view.events` is the index of the next event. `said` are the calls of the coup so far, each in
 * the language of the house and in that of the client.
 */
export interface StateMessage {
  kind: "state";
  view: TableView;
  said: [string, string][];
}

/**
 * The statistics of this taille and of the session.
 * `refait_name` is what players call a refait here: "un après" where 31 alone loses.
 */
export interface StatisticsReading {
  taille: SumsReading;
  session: SumsReading;
  tailles: Integer;
  shoe: ShoeReading;
  refait_name: string;
}

/**
 * The sums of a taille or a session.
 * `wins` counts the coups that each chance won, `refaits` the coups that were a refait. `points`
 * counts the rows that ended on each point, from 31. `own` and `net_by_coup` are the viewer's:
 * the last 300 coups in which they had a stake; without a player `own` is None.
 */
export interface SumsReading {
  coups: Integer;
  apres: Integer;
  refaits: Integer;
  voided: Integer;
  corrected: Integer;
  wins: { [name: string]: Integer };
  points: Integer[];
  own: OwnReading | null;
  net_by_coup: NetStep[];
}

/** A table as it is: its summary, and what the asker may see of it. */
export interface TableNow {
  summary: TableSummary;
  view: TableView;
}

/** The table: its name, its opening, its money, who played, when. */
export interface TableOf {
  name: string;
  opening?: Integer | Opening;
  currency: string;
  unit: string;
  players?: string[];
}

/**
 * A table to create: its name in addresses, its house, and how it is dealt.
 * `opening` is what is posted; None takes the lowest that the house allows. With `purses`
 * players buy in before they bet. `pace` is how the service deals; None leaves that to a dealer
 * or a shoe reader. With `live` the cards come one by one from outside. `chips` is whether
 * players see how much the others have on each chance. `title` is shown to people. `advance` is
 * what a player without a purse is given at a table with purses, when they come first: play
 * money of a local table, 0 elsewhere.
 */
export interface TableSetup {
  table: string;
  house: string;
  opening?: Integer | Opening | null;
  purses?: boolean;
  pace?: Pace | null;
  live?: boolean;
  chips?: "shown" | "hidden";
  title?: string;
  advance?: Integer;
}

/**
 * A table between two commands.
 * `coup_number` counts from 1 in the taille, `shoe_number` in the session. `cards` are those of
 * the coup that is dealt, `first_cards` how many of them make the first row once it is complete.
 * The `cloth` has the stakes on the table in the order they were placed; `prisoners` are those
 * that were there when the bets opened. `chosen` are the choices made for this coup. `accounts`
 * are the net results of the players in units, stakes and premiums on the table taken off;
 * `bank` is that of the bank. `events` counts the events of the session. `last_shoe` is a shoe
 * that ended with its last coup, until the next one: a correction of that coup decides its end
 * again. `uncut` is true from the opening of a shoe until it is cut, in a house that cuts after
 * the first bets. `posted` is the opening that was posted since the table opened, None where
 * that of the setup holds. `deposits` are the units that players have bought in, less those they
 * cashed out. `first_row` is the colour of the first row of this shoe where the cut decides it.
 * `exposed` are the places, in a live shoe, of the cards shown by mistake in this coup.
 * `drawn_cut` and `drawn_marker` are the only cut and the only place of the marker that this
 * shoe takes, None where nothing was drawn.
 */
export interface TableState {
  phase:
  | "no-shoe"
  | "cut"
  | "burn"
  | "mark"
  | "ready"
  | "betting"
  | "closed"
  | "dealing"
  | "dealt"
  | "ended";
  shoe_number: Integer;
  coup_number: Integer;
  shoe: Shoe | LiveShoe | null;
  cards: string;
  first_cards: Integer;
  marker_shown: boolean;
  coup: Coup | null;
  stakes: Stake[];
  prisoners: Stake[];
  choices: Choice[];
  accounts: [string, Integer][];
  bank: Integer;
  history: History;
  events: Integer;
  last_shoe: Shoe | LiveShoe | null;
  uncut: boolean;
  first_row: "" | "noir" | "rouge";
  posted: Opening | null;
  deposits: [string, Integer][];
  exposed: Integer[];
  drawn_cut: Integer | null;
  drawn_marker: Integer | null;
}

/**
 * A table in a list: who deals, what is posted, where it is in its session.
 * `players` counts those who are connected to this process, `currency` and `unit` are those of
 * the house (`unit` as a decimal of the currency). `closed` is true once its session is over.
 */
export interface TableSummary {
  table: string;
  title: string;
  house: string;
  currency: string;
  unit: string;
  phase: string;
  round: string;
  events: Integer;
  opening: Integer | Opening | null;
  purses: boolean;
  dealt_by: "service" | "dealer";
  live: boolean;
  players: Integer;
  closed: boolean;
}

/**
 * The part of a table that a viewer may see now, such as a client that connects again.
 * `cards` are those of the coup so far, `first_cards` how many of them make the first row once
 * it is complete, `verdicts` the results of the coup once it is dealt. `left` is the number of
 * cards still in the shoe, None without a shoe; `live` is whether its cards come one by one.
 * `stakes`, `choices` and `offers` are those that the viewer sees, `account` and `purse` are
 * their own, in units: None for an audience, and `purse` also at a table without purses.
 * `allowed` are the kinds of command that the viewer may give now. `events` counts those of the
 * session so far: the next one has this index.
 */
export interface TableView {
  schema: Integer;
  table: string;
  round: Round;
  phase:
  | "no-shoe"
  | "cut"
  | "burn"
  | "mark"
  | "ready"
  | "betting"
  | "closed"
  | "dealing"
  | "dealt"
  | "ended";
  events: Integer;
  opening: Integer | Opening | null;
  live: boolean;
  left: Integer | null;
  first_row: string;
  cards: Card[];
  first_cards: Integer;
  marker_shown: boolean;
  verdicts: [string, Verdict][];
  stakes: Stake[];
  choices: Choice[];
  offers: ChoiceOffered[];
  account: Integer | null;
  purse: Integer | null;
  allowed: string[];
}

/** A settlement that was corrected: when, and why. */
export interface TakenBack {
  settled?: string;
  first?: string;
  second?: string;
  first_places?: string;
  second_places?: string;
  points?: number[];
  verdicts?: { [name: string]: string };
  void?: string;
  players_net?: number;
  bank_net?: number;
  stakes?: StakeRecord[];
  at?: string;
  reason: string;
}

/** A token: it is sent as `Authorization: Bearer TOKEN`. */
export interface TokenIssued {
  token: string;
}

/** A token to issue: for whom, and for how many seconds from now. */
export interface TokenWanted {
  name: string;
  role: "player" | "dealer" | "supervisor" | "auditor";
  tables?: string[];
  seconds?: Integer;
}

/** Turn one card; for a live shoe it is given. */
export interface Turn {
  kind: "turn";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  card?: Card | null;
}

/** The meaning of a coup for a chance: `win`, `refait`, `refait-40`. */
export type Verdict = string;

/** Void the coup, with a reason: stakes, premiums and prisoners are as they were before it. */
export interface VoidCoup {
  kind: "void-coup";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  reason: string;
}

/** Take a free stake back, or `amount` units of it; a premium comes back with it. */
export interface Withdraw {
  kind: "withdraw";
  id: string;
  at?: string;
  round?: Round | null;
  staff?: string;
  device?: string;
  meta?: { [name: string]: string };
  stake: string;
  amount?: Integer | null;
  player?: string;
}

/** Read JSON; refuse a number that JavaScript would round: amounts are exact, or are not read. */
export function parse(text: string): unknown {
  return JSON.parse(text, (name: string, value: unknown) => {
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      throw new RangeError(`${name}: a number above 2**53 - 1 is not exact in JavaScript`);
    }
    return value;
  });
}
