import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import type { Place } from '#shared/contract.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Icon } from '../parts/icon.tsx'
import { say } from '../toast.ts'

interface Props {
  readonly target: Place
  /** Nothing can be sent now. */
  readonly disabled: boolean
  /** Hands what was typed to main, so that the link comes after it. */
  readonly flush: () => Promise<void>
  /** Where writing goes on after the choice. */
  readonly input: RefObject<HTMLTextAreaElement | null>
}

/** Lets the user choose a file and sends it; its link comes into the draft when it is there. */
export function AttachButton({ target, disabled, flush, input }: Props) {
  const choosing = useSignal(false)
  const off = disabled || choosing.value
  const attach = async (): Promise<void> => {
    choosing.value = true
    await flush()
    const chosen = await call.chooseFile({})
    choosing.value = false
    input.current?.focus()
    if (!chosen.ok) return say(failureSentence(chosen.failure), 'failed')
    if (chosen.value === null) return
    const { accountId, conversation } = target
    const { fileId } = chosen.value
    const started = await call.startUpload({ accountId, fileId, place: conversation })
    if (!started.ok) say(failureSentence(started.failure), 'failed')
  }
  return (
    <button
      type="button"
      class="composer-attach"
      aria-disabled={off}
      aria-label="Attach a file"
      title="Attach a file"
      onClick={() => {
        if (!off) void attach()
      }}
    >
      <Icon name="add" />
    </button>
  )
}
