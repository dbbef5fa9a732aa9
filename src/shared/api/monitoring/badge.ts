/**
 * The public pictures of a tag's state. The addresses need no key (whoever has one can read the
 * state), are built by the server, and are used verbatim: tags are percent-encoded twice in them.
 */
export interface Badge {
  /** Null: the whole project. */
  readonly tag: string | null
  /** Two states: late counts as up. Null where this server has no such form. */
  readonly svg: string | null
  readonly json: string | null
  readonly shields: string | null
  /** Three states: up, late, down. */
  readonly svg3: string | null
  readonly json3: string | null
  readonly shields3: string | null
}
