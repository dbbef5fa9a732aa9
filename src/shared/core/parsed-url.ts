/** The part of `URL`, common to Node and browsers, that is used here; core has neither's types. */
export interface ParsedUrl {
  readonly href: string
  /** Scheme, host and port. */
  readonly origin: string
  readonly host: string
  readonly username: string
  readonly password: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
}

declare const URL: { parse(text: string): ParsedUrl | null }

/** Null if it is no address. */
export function parsedUrl(text: string): ParsedUrl | null {
  return URL.parse(text)
}
