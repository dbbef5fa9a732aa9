import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { NotificationTest } from '#shared/contract.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { isChanged } from '../attention/attention-draft.ts'
import { call } from '../bridge.ts'
import { DiscussSettings, discussWords } from '../discuss/discuss-settings.tsx'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { saidEnough, say } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { SettingLine } from './setting-line.tsx'
import { type Setting, settingsShown } from './settings-shown.ts'

/** The few things one can choose, each with a sentence; the box at the top finds them by any word. */
export function SettingsView() {
  const [wanted, setWanted] = useState('')
  const box = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => box.current?.focus(), [])
  const words = wanted.toLowerCase().split(/\s+/)
  const shown = settingsShown.filter((setting) => words.every((word) => isAbout(setting, word)))
  const offersTest = words.every((word) => testWords.includes(word))
  const offersRules = words.every((word) => rulesWords.includes(word))
  const offersDiscuss = words.every((word) => discussWords.includes(word))
  const groups = [
    ...new Set([
      ...shown.map(({ group }) => group),
      ...(offersTest || offersRules ? [testGroup] : []),
    ]),
  ]
  return (
    <section class="page" aria-label="Settings">
      <PageBar title="Settings" />
      <div class="page-scroll settings">
        <input
          ref={box}
          class="settings-search"
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={wanted}
          onInput={(input) => setWanted(input.currentTarget.value)}
          onKeyDown={(key) => {
            if (key.key !== 'Escape' || wanted === '') return
            // One step back from a search is the page without it.
            key.preventDefault()
            setWanted('')
          }}
        />
        {groups.length === 0 && !offersDiscuss && <EmptyState title="No setting of that name" />}
        {groups.map((group) => (
          <section key={group} class="settings-group" aria-label={group}>
            <h2 class="group-label">{group}</h2>
            {shown
              .filter((setting) => setting.group === group)
              .map((setting) => (
                <SettingLine key={setting.name} setting={setting} />
              ))}
            {group === testGroup && offersRules && <RulesLine />}
            {group === testGroup && (offersTest || wanted.trim() === '') && <TestNotification />}
          </section>
        ))}
        {offersDiscuss && <DiscussSettings />}
        <p class="raw settings-version">
          Belfry {appState.value.environment.version}
          {appState.value.environment.standIn && ', on the system’s Chromium instead of Electron'}
        </p>
      </div>
    </section>
  )
}

const testGroup = 'Notifications'
const testHelp = 'Shows one now, and says which way it went.'
/** What the box finds the test by. */
const testWords = `test send ${testHelp} ${testGroup}`.toLowerCase()

const rulesHelp =
  'Which events make a sound or a notification, rules for tags and people, quiet hours, do not disturb.'
/** What the box finds the page of rules by. */
const rulesWords =
  `what may interrupt ${rulesHelp} ${testGroup} down late recovers mentions messages dnd`.toLowerCase()

function RulesLine() {
  return (
    <div class="setting">
      <div>
        <p class="setting-label">What may interrupt</p>
        <p class="field-help">
          {rulesHelp}
          {isChanged.value && <b> Your changes there are not saved yet.</b>}
        </p>
      </div>
      <Button onClick={() => go({ view: 'attention' })}>Choose</Button>
    </div>
  )
}

function isAbout({ label, help, group }: Setting, word: string): boolean {
  return `${label} ${help} ${group}`.toLowerCase().includes(word)
}

/** Which way it went, what that way offers, and what may hold it back. */
function testWordsOf(sent: NotificationTest): string {
  const offers = [
    sent.capabilities.includes('actions') ? 'buttons' : null,
    sent.capabilities.includes('inline-reply') ? 'inline reply' : null,
    sent.capabilities.includes('body-markup') ? 'markup' : null,
  ].filter((one) => one !== null)
  return [
    `A test notification was sent through ${sent.by}.`,
    offers.length > 0 ? `It offers ${offers.join(', ')}.` : null,
    sent.systemQuiet ? 'Do not disturb is on in the system, which may hold it back.' : null,
  ]
    .filter((one) => one !== null)
    .join(' ')
}

function TestNotification() {
  const test = () => {
    saidEnough()
    void call.testNotification({}).then((result) => {
      if (!result.ok) return say(failureSentence(result.failure), 'failed')
      const { by } = result.value
      if (by === 'nobody')
        say('Nothing on this computer shows notifications. They are kept under Notices.', 'failed')
      else say(testWordsOf(result.value))
    })
  }
  return (
    <div class="setting">
      <div>
        <p class="setting-label">Test</p>
        <p class="field-help">{testHelp}</p>
      </div>
      <Button onClick={test}>Send a test</Button>
    </div>
  )
}
