/** One step of a decision, in words for its user. */
export interface Reason {
  readonly by:
    | 'rule'
    | 'default'
    | 'chat'
    | 'wait'
    | 'brief'
    | 'silence'
    | 'same'
    | 'quiet'
    | 'away'
    | 'flapping'
    | 'storm'
    | 'batch'
    | 'sound'
  readonly text: string
}
