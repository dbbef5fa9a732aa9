/**
 * Whose key goes with a request. `other`: someone else's, of another project or another person.
 * `wrong`: one of the right form that is not valid. Chat: `capitals` and `spaced` are the account's
 * own, with the address in capitals or spaces around the key.
 */
export type KeyKind = 'readWrite' | 'readOnly' | 'other' | 'wrong' | 'none' | 'capitals' | 'spaced'

/** A response as the runner read it. */
export interface Answer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly text: string
  /** Undefined if the text is not JSON. */
  readonly json: unknown
}

/**
 * The expected body. In strings, `{name}` stands for a saved value. In `like`, a string must match
 * a regular expression, a function must return true, and an object needs only the fields it names.
 */
export type BodyRule =
  | { readonly is: 'empty' }
  /** The framework's own page, whose text is not part of the agreement. */
  | { readonly is: 'html' }
  | { readonly text: string | RegExp }
  /** Exactly this JSON. */
  | { readonly json: unknown }
  | { readonly like: unknown }
  /** Null if it holds, else what was wrong. */
  | { readonly holds: (answer: Answer, saved: Saved) => string | null }

export interface Expectation {
  readonly status: number
  /** Lower-case names; null: the header must be missing. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>
  readonly body?: BodyRule
}

/**
 * Values that later steps use as `{name}`; always with `prefix` (unique to the run), `address` and
 * `origin`.
 */
export type Saved = Readonly<Record<string, string>>

/** A request and its expected response; without `expect`, any 2xx. */
export interface RequestStep {
  readonly method: string
  /**
   * Below the service's address, or a whole address from a saved value: no key goes to another
   * host.
   */
  readonly path: string
  /** A list repeats its field. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  /** Form fields: text as is, everything else as JSON text. One of `form`, `json`, `raw`. */
  readonly form?: Readonly<Record<string, unknown>>
  readonly json?: unknown
  readonly raw?: string | Uint8Array
  /** Default `readWrite`. */
  readonly key?: KeyKind
  readonly expect?: Expectation
  /** A value by its path in the JSON (`checks.0.uuid`), or read from the response. */
  readonly save?: Readonly<Record<string, string | ((answer: Answer, saved: Saved) => string)>>
  /** Sent this many times, each time with the same expectation. */
  readonly times?: number
  /**
   * Repeated on a real server until it is as expected, for up to 20 s, since background work has to
   * run first.
   */
  readonly eventually?: true
  /** The response may take this many ms longer; a fake server's clock skips them once it waits. */
  readonly waitMs?: number
  /** Sent while this one waits for its response. */
  readonly meanwhile?: RequestStep
}

/** Lets time pass: moves a fake server's clock, but waits on a real server. */
interface PassStep {
  readonly passMs: number
}

/** Uses a fake server's controls. Only in cases that are not run on a real server. */
interface ControlStep<Controls> {
  readonly control: (controls: Controls, saved: Saved) => void
}

export type CaseStep<Controls> = RequestStep | PassStep | ControlStep<Controls>

/**
 * One agreement about a service, written once: run on a fake server by `npm test`, and on a real
 * one by `npm run conformance`. It sets up what it needs by its own requests, names everything it
 * creates with `{prefix}`, and doesn't rely on what else exists.
 */
export interface ConformanceCase<Controls, World> {
  /** The operation of the catalogue that it is about; null if it belongs to none. */
  readonly operation: string | null
  /** A sentence, such as `a list by two tags has those that carry both`. Unique. */
  readonly name: string
  readonly steps: readonly CaseStep<Controls>[]
  /** Needs a clock that can be moved, which no real server has. */
  readonly clock?: true
  /** Why it could never run on a real server, apart from the clock. */
  readonly pretendOnly?: string
  /** Why the runner skips it on a real server: what it would cost, or need to be set up there. */
  readonly worldOnly?: string
  /** The first version (chat: feature level) of the server for which it is true. */
  readonly since?: string
  /** The first version for which it isn't any more. */
  readonly before?: string
  /**
   * A saved value that only some servers have: `ConformanceService.needs` gives the reason without
   * it.
   */
  readonly needs?: string
  /** How its fake server differs from the usual one; only for cases not run on a real server. */
  readonly world?: World
}

/** Null: not given, and cases that use it are skipped. */
export interface Keys {
  readonly readWrite: string
  readonly readOnly: string | null
  readonly other: string | null
  /** Monitoring: the ping key, for pings by slug. */
  readonly ping?: string | null
  /** Chat: the accounts that the keys belong to. */
  readonly email?: string
  readonly otherEmail?: string
}

/** What a server says about itself. */
export interface Survey {
  /** Its version or feature level; null if it doesn't say. */
  readonly level: string | null
  /** This server's values for cases with `needs`. */
  readonly saved: Saved
}

/** A fake server for one case. */
export interface PretendServer<Controls> {
  readonly keys: Keys
  /** Like `Survey.saved`. */
  readonly saved?: Saved
  readonly controls: Controls
  pass(ms: number): void
  /** Runs `act` once the next request is waiting for its response. */
  whileWaiting?(act: () => void): void
  handle(
    request: {
      readonly method: string
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: Uint8Array
    },
    signal: AbortSignal,
  ): Promise<{
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array
  }>
}

/** A request that was made, by which the runner cleans up; a null answer means none came. */
export interface Taken {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly key: KeyKind
  /** The sent fields, with names filled in. */
  readonly form: Saved
  readonly answer: Answer | null
}

export type Ask = (step: RequestStep) => Promise<Answer>

/** What the runner needs to know about a service. */
export interface ConformanceService<Controls, World> {
  readonly name: 'monitoring' | 'chat'
  readonly cases: readonly ConformanceCase<Controls, World>[]
  /** The versions or levels its fake server supports; the last is the newest. */
  readonly levels: readonly [string, ...string[]]
  /** `baseUrl` is origin and path, as a real server's address would be. */
  createServer(
    origin: string,
    world: World | undefined,
    level: string | undefined,
  ): PretendServer<Controls>
  /** The path below the origin, such as `/hc`; default none. */
  basePath?(world: World | undefined): string
  credentials(kind: KeyKind, keys: Keys): Readonly<Record<string, string>>
  /** Why a case is skipped if this server lacks the value it needs. */
  readonly needs?: Readonly<Record<string, string>>
  survey(ask: Ask, keys: Keys): Promise<Survey>
  /**
   * Requests that remove what a case created on a real server. They may get a 4xx if it is gone
   * already.
   */
  cleanUp(taken: readonly Taken[], prefix: string, ask: Ask): Promise<readonly RequestStep[]>
  /** What a case created that no request can remove, in words. */
  stays?(taken: readonly Taken[]): readonly string[]
}
