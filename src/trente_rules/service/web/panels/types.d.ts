/** What the panels are given. Types only: nothing of it is run. */

import type {
  AnyCommand,
  Choice,
  ChoiceOffered,
  ClockMessage,
  DoneMessage,
  HouseFacts,
  Problem,
  Stake,
} from "../trente.js";

export type ProblemBody = Problem;

export interface Api {
  readonly token: string;
  get(path: string): Promise<any>;
  post(path: string, body?: unknown): Promise<any>;
  delete(path: string): Promise<any>;
}

export interface Texts {
  readonly language: string;
  readonly languages: readonly string[];
  say(key: string, values?: { [name: string]: unknown }): string;
  has(key: string): boolean;
  /** The text of a key, or nothing where the catalogue has none. */
  find(key: string): string | undefined;
  count(key: string, count: number, values?: { [name: string]: unknown }): string;
  chance(id: string): string;
  verdict(id: string): string;
  state(id: string): string;
  course(id: string): string;
  phase(id: string): string;
  load(language: string): Promise<void>;
  subscribe(listener: () => void): () => void;
}

export type Pace = "slow" | "normal" | "fast" | "once";

export interface Settings {
  language: string;
  theme: "light" | "dark" | "system";
  pace: Pace;
  voice: boolean;
  confirm_insurance: boolean;
  odds: boolean;
}

export interface SettingsStore {
  get(): Settings;
  set(changed: Partial<Settings>): void;
  subscribe(listener: (now: Settings, before: Settings) => void): () => void;
}

export interface Money {
  format(units: number): string;
  signed(units: number): string;
  parse(text: string): number | null;
}

export interface Change {
  kind: string;
  said?: string[];
}

/** What a player has been shown of the table; of FELT's scene the part that the panels read. */
export interface Shown {
  phase: string;
  round: string;
  events: number;
  left: number | null;
  stakes: Stake[];
  choices: Choice[];
  offers: ChoiceOffered[];
  /** The calls of the coup, in the language of the house and in one's own. */
  said: string[][];
}

/** What the store holds of a table, as far as the panels read it. */
export interface Seen {
  table: string;
  facts: HouseFacts | null;
  clock: { waits_for: ClockMessage["waits_for"]; until: number | null } | null;
  status: string;
  shown: Shown;
  /** True while cards that have come are still being shown. */
  dealing: boolean;
}

export interface Store {
  get(): Seen;
  subscribe(listener: (now: Seen, change: Change) => void): () => void;
}

export interface Connection {
  send(command: Sendable): Promise<DoneMessage>;
  close(): void;
}

/** The keys of the page: one list, which the help reads. */
export interface Keys {
  add(key: { key: string; label: () => string; run: () => void }): unknown;
  list(): readonly { key: string; label: () => string }[];
}

/** A command without its id, which is drawn where it is sent. */
export type Sendable = { kind: AnyCommand["kind"]; id?: string; [field: string]: unknown };

export interface Context {
  table: string;
  store: Store;
  connection: Connection;
  api: Api;
  texts: Texts;
  settings: SettingsStore;
  money: Money;
  /** Where the croupier's words are written; left out on pages that have none. */
  words?: HTMLElement | null;
  /** Draw a card; without it the panels draw small ones of their own. */
  card?: (card: string) => Element;
  keys?: Keys;
}

export interface Panel {
  /** Its name in attributes. */
  name: string;
  element: HTMLElement;
  /** Called when it is opened, and when the table has changed while it is open. */
  refresh(): void;
}
