import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { clockWords } from '#shared/core/time.ts'
import { readMoment } from '#shared/core/typed-time.ts'
import { now } from '../window-state.ts'
import { Button, KeyHint } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { submits } from './field.tsx'
import { stepFocus } from './menu-button.tsx'
import { keyOf } from './page-actions.ts'

interface WhenChoice {
  readonly label: string
  /** Epoch ms; null if it is no particular time. */
  readonly at: number | null
  readonly act: () => void
}

/** Times to choose from, by click or by digit, and a field for any other time. */
export function WhenChoices(props: {
  readonly choices: readonly WhenChoice[]
  /** The label of the field for another time: "Until". */
  readonly pick: string
  readonly onPick: (at: number) => void
  readonly children?: ComponentChildren
}) {
  const { choices, pick, onPick, children } = props
  const list = useRef<HTMLUListElement>(null)
  const onKeyDown = (key: KeyboardEvent) => {
    if (key.ctrlKey || key.metaKey || key.altKey) return
    if (key.target instanceof HTMLInputElement && key.target.type !== 'checkbox') return
    const choice = /^[1-9]$/.test(keyOf(key)) ? choices[Number(keyOf(key)) - 1] : undefined
    if (choice !== undefined) choice.act()
    else if (!stepFocus(list.current, key.key)) return
    key.preventDefault()
    key.stopPropagation()
  }
  // Before the first paint, for fast typists.
  useLayoutEffect(() => {
    document.addEventListener('keydown', onKeyDown, true)
    return () => document.removeEventListener('keydown', onKeyDown, true)
  })
  return (
    <>
      <ul ref={list} class="quiet-choices">
        {choices.map(({ label, at, act }, index) => (
          <li key={label}>
            <button type="button" onClick={act}>
              <span>{label}</span>
              {at !== null && <span class="raw">{clockWords(at, now.value)}</span>}
              <KeyHint keys={String(index + 1)} />
            </button>
          </li>
        ))}
      </ul>
      {children}
      <PickDate label={pick} onPick={onPick} />
    </>
  )
}

function PickDate({ label, onPick }: { label: string; onPick: (at: number) => void }) {
  const [text, setText] = useState('')
  const at = readMoment(text, now.value)
  return (
    <form class="quiet-date" onSubmit={submits(() => at !== null && onPick(at))}>
      <label>
        {label}
        <input
          type="text"
          class="quiet-typed"
          value={text}
          placeholder="tue 9:30, in 2 h, tomorrow 14"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <input
        type="datetime-local"
        aria-label="Date and time"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {/* Chromium formats the date in its own language rather than the system's. */}
      <span class="quiet-date-words" role="status">
        {at !== null && clockWords(at, now.value)}
      </span>
      <Button
        type="submit"
        disabled={at === null}
        title={at === null ? 'Choose a time in the future' : undefined}
      >
        Set
      </Button>
    </form>
  )
}

interface WhenAsk {
  readonly title: string
  readonly note: string
  /** At this time (epoch ms): the dialog may stay open for hours. */
  readonly choices: (now: number) => readonly Pick<WhenChoice, 'label' | 'at'>[]
  /** The label of the field for another time. */
  readonly pick: string
  readonly onChoose: (at: number | null) => void
}

const asked = signal<WhenAsk | null>(null)

/** Opens the dialog that asks for a time. */
export function askWhen(ask: WhenAsk): void {
  asked.value = ask
}

/** The dialog that `askWhen` opens. */
export function WhenDialog() {
  const ask = asked.value
  if (ask === null) return null
  const close = (): void => {
    asked.value = null
  }
  const choose = (at: number | null): void => {
    close()
    ask.onChoose(at)
  }
  return (
    <Dialog title={ask.title} onClose={close}>
      <div class="quiet-question">
        <WhenChoices
          choices={ask.choices(now.value).map((one) => ({ ...one, act: () => choose(one.at) }))}
          pick={ask.pick}
          onPick={choose}
        >
          {ask.note !== '' && <p class="note">{ask.note}</p>}
        </WhenChoices>
      </div>
    </Dialog>
  )
}
