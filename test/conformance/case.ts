/**
 * Whose key goes with a request. `other`: somebody else's, of another project or another person.
 * `wrong` is one of the right form that opens nothing. Chat: `capitals` and `spaced` are one's own,
 * with the address in capitals or spaces around the key.
 */
export type KeyKind = 'readWrite' | 'readOnly' | 'other' | 'wrong' | 'none' | 'capitals' | 'spaced'

/** An answer as the runner read it. */
export interface Answer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly text: string
  /** Undefined when the text is not JSON. */
  readonly json: unknown
}

/**
 * What a body must be. In strings, `{name}` stands for a saved value. In `like`, a regular
 * expression holds a string, a function says true, and an object needs only the fields it names.
 */
export type BodyRule =
  | { readonly is: 'empty' }
  /** The framework's own page: its text is not part of the agreement. */
  | { readonly is: 'html' }
  | { readonly text: string | RegExp }
  /** Exactly this JSON. */
  | { readonly json: unknown }
  | { readonly like: unknown }
  /** Null when it holds, else what was wrong. */
  | { readonly holds: (answer: Answer, saved: Saved) => string | null }

export interface Expectation {
  readonly status: number
  /** Lower-case names; null: must not be there. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>
  readonly body?: BodyRule
}

/** Values that later steps name as `{name}`. `prefix` (unique to the run), `address` and `origin` are always there. */
export type Saved = Readonly<Record<string, string>>

/** A request, and what its answer must be: a 2xx where nothing is expected. */
export interface RequestStep {
  readonly method: string
  /** Below the service's address, or a whole address from a saved value: no key goes to another host. */
  readonly path: string
  /** A list repeats its field. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  /** Form fields: text as it stands, everything else as JSON text. One of `form`, `json`, `raw`. */
  readonly form?: Readonly<Record<string, unknown>>
  readonly json?: unknown
  readonly raw?: string | Uint8Array
  /** Default `readWrite`. */
  readonly key?: KeyKind
  readonly expect?: Expectation
  /** A value by its path in the JSON (`checks.0.uuid`), or read from the answer. */
  readonly save?: Readonly<Record<string, string | ((answer: Answer, saved: Saved) => string)>>
  /** Sent so many times, each time with the same expectation. */
  readonly times?: number
  /** On a real server asked again, for up to 20 s, until it is as expected: its background work has to run first. */
  readonly eventually?: true
  /** The answer may take so many ms longer; they pass on a pretend server once it waits. */
  readonly waitMs?: number
  /** Sent while this one waits for its answer. */
  readonly meanwhile?: RequestStep
}

/** Lets time pass: moves the pretend server's clock; on a real server it is waited for. */
interface PassStep {
  readonly passMs: number
}

/** Does something with the pretend server's controls. Only in cases that no real server is asked. */
interface ControlStep<Controls> {
  readonly control: (controls: Controls, saved: Saved) => void
}

export type CaseStep<Controls> = RequestStep | PassStep | ControlStep<Controls>

/**
 * One agreement about a service, written once: asked of the pretend server in `npm test`, and of
 * a real one by `npm run conformance`. It sets up what it needs by requests of its own, names all
 * it makes with `{prefix}`, and does not rely on what else is there.
 */
export interface ConformanceCase<Controls, World> {
  /** The operation of the catalogue that it is about; null for what belongs to none. */
  readonly operation: string | null
  /** Finishes the sentence "…": `a list: of two tags has only checks with both`. Unique. */
  readonly name: string
  readonly steps: readonly CaseStep<Controls>[]
  /** Needs a clock that can be moved at will, which no real server has. */
  readonly clock?: true
  /** Why no real server could ever be asked, whatever it allows, other than the clock. */
  readonly pretendOnly?: string
  /** Why the runner does not ask a real server: what it would cost, or would have to be set up there. */
  readonly worldOnly?: string
  /** The first version (chat: feature level) of the server for which it is true. */
  readonly since?: string
  /** The first version for which it isn't any more. */
  readonly before?: string
  /** A saved value that only some servers give: `ConformanceService.needs` has the reason without it. */
  readonly needs?: string
  /** How its pretend server differs from the ordinary one; only if no real server is asked. */
  readonly world?: World
}

/** Null: there is none, and cases that ask with it are skipped. */
export interface Keys {
  readonly readWrite: string
  readonly readOnly: string | null
  readonly other: string | null
  /** Monitoring: what pings by slug are addressed with. */
  readonly ping?: string | null
  /** Chat: whose keys they are. */
  readonly email?: string
  readonly otherEmail?: string
}

/** What a server is, as it tells itself. */
export interface Survey {
  /** Its version or feature level; null if it doesn't tell. */
  readonly level: string | null
  /** Values of this server that cases with `needs` name. */
  readonly saved: Saved
}

/** A pretend server for one case. */
export interface PretendServer<Controls> {
  readonly keys: Keys
  /** As `Survey.saved`. */
  readonly saved?: Saved
  readonly controls: Controls
  pass(ms: number): void
  /** Once the next request waits for its answer, this happens. */
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

/** A request that was made. What was made is taken away by its answer; null: none came. */
export interface Taken {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly key: KeyKind
  /** What was sent, its names filled in. */
  readonly form: Saved
  readonly answer: Answer | null
}

export type Ask = (step: RequestStep) => Promise<Answer>

/** What the runner needs to know of a service. */
export interface ConformanceService<Controls, World> {
  readonly name: 'monitoring' | 'chat'
  readonly cases: readonly ConformanceCase<Controls, World>[]
  /** The versions or levels its pretend server can be of; the last is the newest. */
  readonly levels: readonly [string, ...string[]]
  /** `baseUrl` is origin and path, as a real server's address would be. */
  createServer(
    origin: string,
    world: World | undefined,
    level: string | undefined,
  ): PretendServer<Controls>
  /** Where below the origin it serves, such as `/hc`; default none. */
  basePath?(world: World | undefined): string
  credentials(kind: KeyKind, keys: Keys): Readonly<Record<string, string>>
  /** Why a case is skipped that needs a value which this server doesn't give. */
  readonly needs?: Readonly<Record<string, string>>
  survey(ask: Ask, keys: Keys): Promise<Survey>
  /** Requests that take away what a case made on a real server. What is gone already may answer 4xx. */
  cleanUp(taken: readonly Taken[], prefix: string, ask: Ask): Promise<readonly RequestStep[]>
  /** What a case made that no request can take away, in words. */
  stays?(taken: readonly Taken[]): readonly string[]
}
