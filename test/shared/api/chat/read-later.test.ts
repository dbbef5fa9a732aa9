import { expect, test } from 'vitest'
import { readLater } from '#shared/api/chat/read-later.ts'

const channel = 'https://chat.example/#narrow/channel/1-ops/topic/db'
const near = `${channel}/near/15`
const conversation = { kind: 'topic', channelId: 1, topic: 'db' }

/** What is read of a reminder of message 15 that says this. */
function readReminder(content: string) {
  const wire = {
    reminder_id: 4,
    reminder_target_message_id: 15,
    content,
    scheduled_delivery_timestamp: 1_800_000_000,
  }
  return readLater({ reminders: [wire] }, 9).reminders?.[0]
}

const said = (link: string, quote: string, note = '') =>
  `You requested a reminder for the following message.${note === '' ? '' : ` Note:\n > ${note}`}\n\n@_**Ana|7** [said](${link}) in #**ops>db@15**:\n${quote}`

test.each([
  ['none', ''],
  ['words', 'ask Ana'],
  ['a link to the same message', `see [it](${near})`],
  ['what a reminder says', `see [it](${near})\n\n\`\`\`quote\nthere\n\`\`\``],
])('the note of a reminder is read whole: %s', (_what, note) => {
  const fence = note.includes('```') ? '````' : '```'
  const quote = `${fence}quote\nLook again\n${fence}`
  const read = { note, text: 'Look again', conversation }
  expect(readReminder(said(near, quote, note))).toMatchObject(read)
})

test('what a reminder quotes is read whole, whatever it says', () => {
  const text = `\n > no note\n\n[it](${channel}9/near/15)\n\`\`\`quote\nthere\n\`\`\``
  const read = { note: 'ask Ana', text, conversation }
  const quote = `\`\`\`quote\n${text}\n\`\`\``
  expect(readReminder(said(near, quote, 'ask Ana'))).toMatchObject(read)
  const words = `You requested a reminder for the following message.\n\n@_**Ana|7** sent [a poll](${near}).`
  expect(readReminder(words)).toMatchObject({ note: '', text: words, conversation })
})

test('a reminder whose words can’t be read may have a note', () => {
  for (const words of ['Look again', said(channel, '```quote\nLook again\n```', 'ask Ana')])
    expect(readReminder(words)).toMatchObject({ note: null, conversation: null })
})
