import type { AccountId } from '#shared/core/account.ts'
import type { CheckId } from '#shared/core/checks/check.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { run, useRun } from '../run.ts'

interface Props {
  readonly accountId: AccountId
  readonly checkId: CheckId
  readonly n: number
}

/** A server may keep bodies of any length; this much is drawn, and all of what came is copied. */
const mostDrawn = 20_000

/** What the job sent along: text and never more than text, whatever it looks like. */
export function PingBody({ accountId, checkId, n }: Props) {
  const body = useRun(
    `${accountId} ${checkId} ${n}`,
    () => run(accountId, 'getPingBody', { uuid: checkId, n }),
    (text) => text,
  )
  if (body.failure !== null) return <p class="note">{missingWords(body.failure)}</p>
  if (body.value === null) return <p class="note">Reading the body</p>
  const cut = body.value.length > mostDrawn
  return (
    <div class="ping-body">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable. */}
      <section tabIndex={0} aria-label={`Body of ping ${n}`}>
        <pre dir="auto">{body.value.slice(0, mostDrawn)}</pre>
      </section>
      <footer>
        <span class="raw">
          {cut
            ? `The first ${mostDrawn.toLocaleString('en')} of ${body.value.length.toLocaleString('en')} characters`
            : ''}
        </span>
        <CopyButton text={body.value} />
      </footer>
    </div>
  )
}

/** Monitoring API: 404 for a body that is not stored, pruned, or still on its way to the store. */
function missingWords(failure: Failure): string {
  return failure.kind === 'refused' && failure.httpStatus === 404
    ? 'The service does not keep this body any more.'
    : failureSentence(failure)
}
