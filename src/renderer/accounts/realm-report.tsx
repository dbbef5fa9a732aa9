import type { AccountReport } from '#shared/contract.ts'
import { reportWords } from './account-words.ts'

/** The realm that a key opened: its icon, its own address, and who one is there. */
export function RealmReport({
  report,
}: {
  readonly report: Extract<AccountReport, { kind: 'chat' }>
}) {
  return (
    <div class="report realm-report">
      {report.realmIcon !== null && <img src={report.realmIcon} alt="" width={32} height={32} />}
      <div>
        <p>{reportWords(report)}</p>
        <p class="raw">{report.baseUrl}</p>
      </div>
    </div>
  )
}
