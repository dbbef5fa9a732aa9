import { signal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { clockWords } from '#shared/core/time.ts'
import { momentProblem, readMoment } from '#shared/core/typed-time.ts'
import {
  offeredSpans,
  type SpanUse,
  spanDigits,
  spanEnd,
  spanWords,
} from '#shared/core/views/until-choices.ts'
import { now } from '../window-state.ts'
import { Button, KeyHint } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { submits } from './form.ts'
import { stepFocus } from './menu-button.tsx'
import { keyOf } from './page-actions.ts'

/** A choice besides the times: "Until it changes". */
export interface OtherChoice {
  readonly label: string
  readonly act: () => void
}

/**
 * Asks for a time, in the same way everywhere: the same times by click or by digit, then others that only
 * make sense here, and a field for any time as people type it.
 */
export function WhenChoices(props: {
  readonly use: SpanUse
  /** `at`: epoch ms. */
  readonly onChoose: (at: number) => void
  readonly others?: readonly OtherChoice[] | undefined
  /** Shown between the choices and the field. */
  readonly children?: ComponentChildren
}) {
  const { use, onChoose, others = [], children } = props
  const list = useRef<HTMLUListElement>(null)
  const typed = useRef<HTMLInputElement>(null)
  const choices = [
    ...offeredSpans(now.value).map(({ digit, span }) => ({
      digit,
      label: spanWords(span, now.value, use),
      at: spanEnd(span, now.value),
      // The dialog may stay open for hours.
      act: () => onChoose(spanEnd(span, now.value)),
    })),
    ...others.map((other, at) => ({ ...other, digit: spanDigits + 1 + at, at: null })),
  ]
  const onKeyDown = (key: KeyboardEvent) => {
    if (key.ctrlKey || key.metaKey || key.altKey) return
    if (key.target instanceof HTMLInputElement && key.target.type !== 'checkbox') return
    const choice = choices.find(({ digit }) => String(digit) === keyOf(key))
    // What is typed is a time, whichever choice has the focus: the key goes on to the field.
    if (/^\p{L}$/u.test(key.key)) return typed.current?.focus()
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
        {choices.map(({ digit, label, at, act }) => (
          <li key={label}>
            <button type="button" onClick={act}>
              <span>{label}</span>
              {at !== null && <span class="raw">{clockWords(at, now.value)}</span>}
              <KeyHint keys={String(digit)} />
            </button>
          </li>
        ))}
      </ul>
      {children}
      <PickDate label={use === 'at' ? 'At' : 'Until'} input={typed} onPick={onChoose} />
    </>
  )
}

function PickDate(props: {
  readonly label: string
  readonly input: RefObject<HTMLInputElement | null>
  readonly onPick: (at: number) => void
}) {
  const { label, input, onPick } = props
  const [text, setText] = useState('')
  /** Not while somebody is still typing. */
  const [problem, setProblem] = useState('')
  const at = readMoment(text, now.value)
  const type = (typed: string): void => {
    setText(typed)
    setProblem('')
  }
  const set = (): void => {
    if (at === null) {
      setProblem(momentProblem(text, now.value))
      input.current?.focus()
    } else onPick(at)
  }
  return (
    <form class="row quiet-date" {...submits(set)}>
      <label>
        {label}
        <input
          ref={input}
          type="text"
          class="quiet-typed"
          value={text}
          placeholder="tue 9:30, in 2 h, tomorrow 14"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      </label>
      <input
        type="datetime-local"
        aria-label="Date and time"
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      {/* Chromium formats the date in its own language rather than the system's. */}
      <span class="quiet-date-words" role="status">
        {at === null ? problem : clockWords(at, now.value)}
      </span>
      <Button type="submit">Set</Button>
    </form>
  )
}

interface WhenAsk extends Omit<Parameters<typeof WhenChoices>[0], 'children'> {
  readonly title: string
  readonly note: string
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
  const closing =
    <T extends readonly unknown[]>(act: (...given: T) => void) =>
    (...given: T): void => {
      close()
      act(...given)
    }
  return (
    <Dialog title={ask.title} onClose={close}>
      <div class="quiet-question">
        <WhenChoices
          use={ask.use}
          onChoose={closing(ask.onChoose)}
          others={ask.others?.map(({ label, act }) => ({ label, act: closing(act) }))}
        >
          {ask.note !== '' && <p class="note">{ask.note}</p>}
        </WhenChoices>
      </div>
    </Dialog>
  )
}
