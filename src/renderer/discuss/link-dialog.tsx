import { useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import {
  type DiscussRule,
  placeFor,
  ruleFor,
  suggestedPlaces,
} from '#shared/core/outages/discuss.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { say } from '../toast.ts'
import { appState } from '../window-state.ts'
import { PlacePicker, pickedOf, placePicked } from './place-picker.tsx'
import { placeWords } from './place-words.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  readonly onClose: () => void
}

/** Ties one check to a topic. Rules for many checks at once are in the settings. */
export function LinkDialog({ account, check, onClose }: Props) {
  const state = appState.value
  const [picked, setPicked] = useState(() =>
    pickedOf(placeFor(state, account.id, check), checkName(check)),
  )
  const own = ruleFor(state, account.id, check)
  const isOwn = own?.checkId === check.id
  const place = placePicked(picked)
  const others = state.settings.discuss.filter((rule) => !isOwnRule(rule, account, check))
  const keep = async (discuss: readonly DiscussRule[], done: string) => {
    const result = await call.updateSettings({ discuss })
    if (!result.ok) return say(failureSentence(result.failure), 'failed')
    say(done)
    onClose()
  }
  const link = () => {
    if (place?.conversation.kind !== 'topic') return
    const { channelId, topic } = place.conversation
    const rule: DiscussRule = {
      id: crypto.randomUUID(),
      accountId: account.id,
      tag: null,
      checkId: check.id,
      chatId: place.accountId,
      channelId,
      topic,
    }
    void keep([rule, ...others], `Linked to ${placeWords(state, place)}.`)
  }
  return (
    <Dialog title="Link to a conversation" onClose={onClose}>
      <form
        class="discuss-form"
        onSubmit={(submit) => {
          submit.preventDefault()
          link()
        }}
      >
        <Suggestions check={check} onPick={setPicked} />
        <PlacePicker value={picked} onChange={setPicked} />
        <div class="button-row">
          <Button
            kind="primary"
            type="submit"
            disabled={place === null}
            {...(place === null ? { title: 'Choose a channel and a topic' } : {})}
          >
            Link
          </Button>
          {isOwn && (
            <Button onClick={() => void keep(others, 'The link is removed.')}>Remove link</Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

function isOwnRule(rule: DiscussRule, account: MonitoringAccount, check: Check): boolean {
  return rule.checkId === check.id && rule.accountId === account.id
}

interface SuggestionsProps {
  readonly check: Check
  readonly onPick: (picked: ReturnType<typeof pickedOf>) => void
}

function Suggestions({ check, onPick }: SuggestionsProps) {
  const suggested = suggestedPlaces(appState.value, check).slice(0, 4)
  if (suggested.length === 0) return null
  return (
    <ul class="suggestions" aria-label="Suggested conversations">
      {suggested.map((place) => (
        <li key={placeWords(appState.value, place)}>
          <button type="button" class="link" onClick={() => onPick(pickedOf(place))}>
            {placeWords(appState.value, place)}
          </button>{' '}
          <span class="raw">{place.why === 'bot' ? 'the bot’s topic' : 'same name'}</span>
        </li>
      ))}
    </ul>
  )
}
