import { useEffect, useState } from 'preact/hooks'
import type { RequestPreview } from '#shared/contract.ts'
import type { Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import type { collect } from './operation-state.ts'
import { Scrolled } from './scrolled.tsx'

type Collected = ReturnType<typeof collect>

interface Request {
  readonly accountId: string
  readonly operation: string
}

/** Typing is faster than looking. */
const restMs = 150

/** What would be sent, without the key, following the form while it is unfolded. */
export function RequestShown({
  request,
  collected,
}: {
  readonly request: Request
  readonly collected: Collected
}) {
  const [open, setOpen] = useState(false)
  const preview = usePreview(open && collected.ok ? request : null, collected)
  return (
    <details class="request" open={open} onToggle={(toggle) => setOpen(toggle.currentTarget.open)}>
      <summary>Request</summary>
      {!collected.ok && <p class="field-help">Fill in what is needed to see it.</p>}
      {collected.ok && preview !== null && (
        <Scrolled name="Request without the key">
          {preview.ok ? requestText(preview.value) : failureSentence(preview.failure)}
        </Scrolled>
      )}
    </details>
  )
}

function usePreview(request: Request | null, collected: Collected): Result<RequestPreview> | null {
  const [preview, setPreview] = useState<Result<RequestPreview> | null>(null)
  const params = collected.ok ? JSON.stringify(collected.params) : ''
  useEffect(() => {
    if (request === null || !collected.ok) return
    let current = true
    const timer = setTimeout(() => {
      void call.previewRequest({ ...request, params: collected.params }).then((result) => {
        if (current) setPreview(result)
      })
    }, restMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [request?.accountId, request?.operation, params])
  return preview
}

function requestText({ method, url, headers, body }: RequestPreview): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${url}`, ...lines, ...(body === null || body === '' ? [] : ['', body])].join(
    '\n',
  )
}

interface CopyProps {
  readonly request: Request
  readonly collect: () => Collected
  /** The fields that are wrong, so that the form can point at them. */
  readonly onWrong: (errors: Readonly<Record<string, string>>) => void
}

/** Copies the request as a command for a shell, whose `$KEY` is the user's to set. */
export function CopyAsCurl({ request, collect: read, onWrong }: CopyProps) {
  const [said, setSaid] = useState<string | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), 2_000)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async () => {
    const collected = read()
    if (!collected.ok) {
      onWrong(collected.errors)
      return
    }
    const preview = await call.previewRequest({ ...request, params: collected.params })
    if (!preview.ok) {
      if (preview.failure.kind === 'invalid')
        onWrong({ [preview.failure.field.split('.')[0] ?? '']: preview.failure.message })
      else setSaid(failureSentence(preview.failure))
      return
    }
    const copied = await call.copyText({ text: preview.value.curl })
    setSaid(copied.ok ? 'Copied' : failureSentence(copied.failure))
  }
  return (
    <Button
      kind="quiet"
      icon={said === 'Copied' ? 'done' : 'copy'}
      title="A command for a shell. It takes the key from $KEY."
      onClick={() => void copy()}
    >
      {said ?? 'Copy as curl'}
    </Button>
  )
}
