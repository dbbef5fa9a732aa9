import './quiet.css'
import { useState } from 'preact/hooks'
import type { Silence } from '#shared/core/attention/silence.ts'
import type { Target } from '#shared/core/target.ts'
import { Icon } from '../parts/icon.tsx'
import { appState, go } from '../window-state.ts'
import { EndButton, endQuiet, QuietMark } from './quiet-menu.tsx'

/** Everything that is silenced, in one line that unfolds. */
export function SilenceList({ open: openAtFirst = false }: { readonly open?: boolean }) {
  const [open, setOpen] = useState(openAtFirst)
  // Do not disturb is shown at the foot.
  const silences = appState.value.silences.filter(({ scope }) => scope.of !== 'everything')
  if (silences.length === 0) return null
  return (
    <section class="silences" aria-label="Snoozed and acknowledged">
      <div class="silences-head">
        <button
          type="button"
          class="silences-fold"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'unfold' : 'fold'} />
          <span class="silences-sum">
            {silences.length} quiet: {silences.map(({ label }) => label).join(', ')}
          </span>
        </button>
        {open && silences.length > 1 && (
          <button type="button" class="small-button" onClick={() => void endQuiet(silences)}>
            End all
          </button>
        )}
      </div>
      {open && (
        <ul class="silences-list">
          {silences.map((silence) => (
            <SilenceRow key={silence.id} silence={silence} />
          ))}
        </ul>
      )}
    </section>
  )
}

function SilenceRow({ silence }: { readonly silence: Silence }) {
  const { label } = silence
  const target = targetOf(silence)
  return (
    <li>
      {target === null ? (
        <bdi class="silence-label">{label}</bdi>
      ) : (
        <button type="button" class="link silence-label" onClick={() => go(target)}>
          <bdi>{label}</bdi>
        </button>
      )}
      <QuietMark silence={silence} isNamed />
      <EndButton silence={silence} label={`End: ${label}`} />
    </li>
  )
}

function targetOf({ scope }: Silence): Target | null {
  if (scope.of === 'check')
    return { view: 'check', accountId: scope.accountId, checkId: scope.checkId }
  if (scope.of !== 'conversation') return null
  const realm = appState.value.realms.get(scope.accountId)
  const conversation = realm?.conversations.get(scope.key)?.conversation
  if (conversation === undefined) return null
  return { view: 'conversation', accountId: scope.accountId, conversation, messageId: null }
}
