import type { Rule } from './rules.ts'

/** Fits every event and changes nothing: what a new rule begins with. */
export const anyRule: Omit<Rule, 'id'> = {
  kinds: [],
  accountId: null,
  tag: null,
  checkId: null,
  channelId: null,
  topic: null,
  senderId: null,
  way: null,
  afterMinutes: null,
}
